/* The Timings pane: measures the frame on the GPU, and shows how long its commands and passes
 * take. */
#include "vtr-config.h"

#include "widgets/vtr-timings-view.h"

#include <glib/gi18n.h>

#include "session/vtr-measurement.h"
#include "widgets/vtr-focus-chain.h"
#include "widgets/vtr-pane-state.h"
#include "widgets/vtr-pane.h"
#include "widgets/vtr-text-factory.h"
#include "widgets/vtr-text-scale.h"
#include "widgets/vtr-timings-facts.h"
#include "widgets/vtr-timings-table.h"
#include "widgets/vtr-wrap-layout.h"

#define MAX_LOOPS 10000

#define FACTS_WIDTH 560 /* below this width of the pane, the facts are hidden */

struct _VtrTimingsView
{
  PanelWidget parent_instance;

  GtkWidget *measure;
  GtkWidget *progress;
  GtkWidget *words;
  GtkWidget *kinds; /* which rows */
  GtkWidget *by;
  GtkWidget *loops;
  GtkWidget *endless;
  GtkWidget *statistics;
  GtkStack *stack;
  VtrPaneState *state;
  VtrTimingsTable *table;
  VtrTimingsFacts *facts;

  VtrSession *session;         /* weak; NULL: none */
  VtrMeasurement *measurement; /* of the session; NULL: none */
};

static void pane_iface_init (VtrPaneInterface *iface);

G_DEFINE_FINAL_TYPE_WITH_CODE (VtrTimingsView,
                               vtr_timings_view,
                               PANEL_TYPE_WIDGET,
                               G_IMPLEMENT_INTERFACE (VTR_TYPE_PANE, pane_iface_init))

/* In the order of the drop-down list. */
static const struct
{
  VtrProbeKind kind;
  const char *name;
} kinds[] = {
  { VTR_PROBE_COMMAND, N_ ("Draws and Copies") },
  { VTR_PROBE_PASS, N_ ("Passes") },
  { VTR_PROBE_COMMAND_BUFFER, N_ ("Command Buffers") },
};

/* As VtrTimingsBy. */
static const char *const levels[] = { N_ ("Whole Frame"), N_ ("Command Buffers"), N_ ("Passes"),
                                      N_ ("Draws") };

/* --- what is shown --------------------------------------------------------------------------- */

static void
show_state (VtrTimingsView *self, const char *error)
{
  if (error != NULL)
    vtr_pane_state_set (self->state, "dialog-error-symbolic", _ ("Not Measured"), error);
  else
    vtr_pane_state_set (self->state, "document-open-recent-symbolic", _ ("Not Measured Yet"),
                        _ ("The frame is replayed several times to measure its passes and draws."));
  vtr_pane_state_add_button (self->state, error != NULL ? _ ("Measure Again") : _ ("Measure"),
                             "win.measure");
  if (error != NULL)
    vtr_pane_state_add_button (self->state, _ ("Show Log"), "win.show-log");
}

static char *
describe_progress (guint done, guint total)
{
  g_autofree char *first = vtr_format_number (done);
  g_autofree char *second = vtr_format_number (total);

  if (total == 0)
    return g_strdup_printf (_ ("Loop %s"), first);
  /* Translators: how far a measurement is: "Loop 3 of 6" */
  return g_strdup_printf (_ ("Loop %s of %s"), first, second);
}

static char *
describe_frame (const VtrTimings *timings)
{
  g_autofree char *frame = vtr_format_number (timings->frame);
  g_autofree char *median = vtr_format_duration (timings->wall.median);
  g_autofree char *least = vtr_format_duration (timings->wall.minimum);
  g_autofree char *most = vtr_format_duration (timings->wall.maximum);

  /* Translators: a frame's number, how long it took, the least and the most */
  return g_strdup_printf (_ ("Frame %s: %s (%s to %s)"), frame, median, least, most);
}

static void
show_words (VtrTimingsView *self, const VtrTimings *timings, gboolean runs, guint done, guint total)
{
  g_autofree char *progress = runs ? describe_progress (done, total) : NULL;
  g_autofree char *frame = timings != NULL ? describe_frame (timings) : NULL;
  g_autofree char *both =
    progress != NULL && frame != NULL ? g_strdup_printf ("%s · %s", progress, frame) : NULL;
  const char *text = both != NULL ? both : progress != NULL ? progress
                                         : frame != NULL    ? frame
                                                            : "";

  gtk_label_set_label (GTK_LABEL (self->words), text);
  gtk_widget_set_tooltip_text (self->words, text);
  gtk_widget_set_visible (self->progress, runs && total > 0);
  if (total > 0)
    gtk_progress_bar_set_fraction (GTK_PROGRESS_BAR (self->progress), (double)done / total);
}

static void
update_table (VtrTimingsView *self)
{
  guint nth = gtk_drop_down_get_selected (GTK_DROP_DOWN (self->kinds));

  vtr_timings_table_update (self->table, kinds[MIN (nth, G_N_ELEMENTS (kinds) - 1)].kind);
}

/* Chooses the finest rows that were measured. */
static void
choose_kind (VtrTimingsView *self, const VtrTimings *timings)
{
  static const guint nearest[] = { 2, 2, 1, 0 };
  guint nth = gtk_drop_down_get_selected (GTK_DROP_DOWN (self->kinds));

  if (nth < nearest[timings->by])
    gtk_drop_down_set_selected (GTK_DROP_DOWN (self->kinds), nearest[timings->by]);
}

static void
update (VtrTimingsView *self)
{
  VtrMeasurement *measurement = self->measurement;
  const VtrTimings *timings =
    measurement != NULL ? vtr_measurement_get_timings (measurement) : NULL;
  guint done = 0, total = 0;
  gboolean runs =
    measurement != NULL && vtr_measurement_is_running (measurement, &done, &total);

  gtk_button_set_label (GTK_BUTTON (self->measure), runs ? _ ("Stop") : _ ("Measure"));
  gtk_actionable_set_action_name (GTK_ACTIONABLE (self->measure),
                                  runs ? "win.stop-measuring" : "win.measure");
  gtk_widget_set_sensitive (self->kinds, timings != NULL);
  show_words (self, timings, runs, done, total);
  if (timings != NULL)
    choose_kind (self, timings);
  update_table (self);
  vtr_timings_facts_update (self->facts, self->session);
  if (timings == NULL && !runs)
    show_state (self, measurement != NULL ? vtr_measurement_get_error (measurement) : NULL);
  else if (timings == NULL)
    vtr_pane_state_set (self->state, "content-loading-symbolic", _ ("Measuring"), NULL);
  gtk_stack_set_visible_child_name (self->stack, timings != NULL ? "timings" : "state");
}

static void
selection_changed_cb (VtrTimingsView *self)
{
  vtr_timings_facts_update (self->facts, self->session);
}

/* --- what is asked --------------------------------------------------------------------------- */

static void
wish_changed_cb (VtrTimingsView *self)
{
  VtrMeasurement *measurement = self->measurement;
  gboolean endless = gtk_check_button_get_active (GTK_CHECK_BUTTON (self->endless));
  gboolean statistics = gtk_check_button_get_active (GTK_CHECK_BUTTON (self->statistics));
  VtrTimingsQuery wish;

  gtk_widget_set_sensitive (self->loops, !endless);
  gtk_widget_set_sensitive (self->by, !statistics);
  if (measurement == NULL)
    return;
  wish = *vtr_measurement_get_wish (measurement);
  wish.n_loops = endless
                   ? VTR_TIMINGS_FOR_EVER
                   : (guint)gtk_spin_button_get_value_as_int (GTK_SPIN_BUTTON (self->loops));
  wish.statistics = statistics;
  wish.by = gtk_drop_down_get_selected (GTK_DROP_DOWN (self->by));
  vtr_measurement_set_wish (measurement, &wish);
}

static GtkWidget *
make_drop_down (const char *const *names, guint n, const char *label)
{
  g_autoptr (GtkListItemFactory) factory = vtr_text_factory_new ();
  GtkStringList *list = gtk_string_list_new (NULL);
  GtkWidget *widget;

  for (guint i = 0; i < n; i++)
    gtk_string_list_append (list, _ (names[i]));
  widget = gtk_drop_down_new (G_LIST_MODEL (list), NULL);
  gtk_drop_down_set_factory (GTK_DROP_DOWN (widget), factory);
  gtk_widget_set_tooltip_text (widget, label);
  gtk_accessible_update_property (GTK_ACCESSIBLE (widget), GTK_ACCESSIBLE_PROPERTY_LABEL, label,
                                  -1);
  return widget;
}

static void
add_option (GtkWidget *grid, int row, const char *name, GtkWidget *widget)
{
  GtkWidget *label = gtk_label_new (name);

  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_widget_set_hexpand (widget, TRUE);
  gtk_accessible_update_relation (GTK_ACCESSIBLE (widget), GTK_ACCESSIBLE_RELATION_LABELLED_BY,
                                  label, NULL, -1);
  gtk_grid_attach (GTK_GRID (grid), label, 0, row, 1, 1);
  gtk_grid_attach (GTK_GRID (grid), widget, 1, row, 1, 1);
}

static GtkWidget *
make_options (VtrTimingsView *self)
{
  GtkWidget *button = gtk_menu_button_new ();
  GtkWidget *popover = gtk_popover_new ();
  GtkWidget *grid = gtk_grid_new ();

  self->by = make_drop_down (levels, G_N_ELEMENTS (levels), _ ("Granularity"));
  gtk_drop_down_set_selected (GTK_DROP_DOWN (self->by), VTR_TIMINGS_BY_DRAW);
  self->loops = gtk_spin_button_new_with_range (1, MAX_LOOPS, 1);
  gtk_spin_button_set_value (GTK_SPIN_BUTTON (self->loops), VTR_TIMINGS_LOOPS);
  self->endless = gtk_check_button_new_with_label (_ ("Until stopped"));
  self->statistics = gtk_check_button_new_with_label (_ ("Count vertices, invocations, samples"));
  gtk_grid_set_row_spacing (GTK_GRID (grid), 6);
  gtk_grid_set_column_spacing (GTK_GRID (grid), 12);
  add_option (grid, 0, _ ("Granularity"), self->by);
  add_option (grid, 1, _ ("Loops"), self->loops);
  gtk_grid_attach (GTK_GRID (grid), self->endless, 1, 2, 1, 1);
  gtk_grid_attach (GTK_GRID (grid), self->statistics, 0, 3, 2, 1);
  g_signal_connect_object (self->by, "notify::selected", G_CALLBACK (wish_changed_cb), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (self->loops, "value-changed", G_CALLBACK (wish_changed_cb), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (self->endless, "toggled", G_CALLBACK (wish_changed_cb), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (self->statistics, "toggled", G_CALLBACK (wish_changed_cb), self,
                           G_CONNECT_SWAPPED);
  gtk_popover_set_child (GTK_POPOVER (popover), grid);
  gtk_menu_button_set_popover (GTK_MENU_BUTTON (button), popover);
  gtk_menu_button_set_icon_name (GTK_MENU_BUTTON (button), "view-more-symbolic");
  gtk_widget_set_tooltip_text (button, _ ("Measurement Options"));
  gtk_accessible_update_property (GTK_ACCESSIBLE (button), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("Measurement Options"), -1);
  return button;
}

/* --- life ------------------------------------------------------------------------------------ */

static GtkWidget *
make_tools (VtrTimingsView *self)
{
  const char *names[G_N_ELEMENTS (kinds)];
  GtkWidget *tools = vtr_wrap_box_new (6, GTK_ALIGN_START);

  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++)
    names[i] = kinds[i].name;
  gtk_widget_add_css_class (tools, "tool-row");
  self->measure = gtk_button_new ();
  self->progress = gtk_progress_bar_new ();
  gtk_widget_set_valign (self->progress, GTK_ALIGN_CENTER);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->progress), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("Measuring"), -1);
  self->words = gtk_label_new (NULL);
  gtk_label_set_ellipsize (GTK_LABEL (self->words), PANGO_ELLIPSIZE_END);
  gtk_label_set_xalign (GTK_LABEL (self->words), 0);
  gtk_widget_set_hexpand (self->words, TRUE);
  gtk_widget_add_css_class (self->words, "numeric");
  self->kinds = make_drop_down (names, G_N_ELEMENTS (names), _ ("Rows"));
  g_signal_connect_object (self->kinds, "notify::selected", G_CALLBACK (update_table), self,
                           G_CONNECT_SWAPPED);
  gtk_box_append (GTK_BOX (tools), self->measure);
  gtk_box_append (GTK_BOX (tools), self->progress);
  gtk_box_append (GTK_BOX (tools), self->words);
  gtk_box_append (GTK_BOX (tools), self->kinds);
  gtk_box_append (GTK_BOX (tools), make_options (self));
  return tools;
}

/* Shows the facts of the row beside the table, if there is room. */
static void
place_divider (GtkPaned *paned)
{
  GtkWidget *facts = gtk_paned_get_end_child (paned);
  int width = gtk_widget_get_width (GTK_WIDGET (paned));
  int natural;

  gtk_widget_measure (facts, GTK_ORIENTATION_HORIZONTAL, -1, NULL, &natural, NULL, NULL);
  if (width > 0)
    gtk_paned_set_position (
      paned, width < vtr_text_scaled (facts, FACTS_WIDTH) ? width : width - natural);
}

static void
vtr_timings_view_dispose (GObject *object)
{
  vtr_timings_view_set_session (VTR_TIMINGS_VIEW (object), NULL);
  G_OBJECT_CLASS (vtr_timings_view_parent_class)->dispose (object);
}

static gboolean
vtr_timings_view_grab_focus (GtkWidget *widget)
{
  VtrTimingsView *self = VTR_TIMINGS_VIEW (widget);

  if (g_strcmp0 (gtk_stack_get_visible_child_name (self->stack), "timings") == 0)
    return gtk_widget_grab_focus (GTK_WIDGET (self->table));
  return gtk_widget_grab_focus (self->measure);
}

static void
vtr_timings_view_class_init (VtrTimingsViewClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = vtr_timings_view_dispose;
  GTK_WIDGET_CLASS (klass)->grab_focus = vtr_timings_view_grab_focus;
  vtr_focus_chain_init_class (GTK_WIDGET_CLASS (klass));
}

static void
vtr_timings_view_init (VtrTimingsView *self)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0);
  GtkWidget *paned = gtk_paned_new (GTK_ORIENTATION_HORIZONTAL);

  panel_widget_set_can_maximize (PANEL_WIDGET (self), TRUE);
  panel_widget_set_title (PANEL_WIDGET (self), _ ("Timings"));
  panel_widget_set_id (PANEL_WIDGET (self), "timings");
  self->stack = GTK_STACK (gtk_stack_new ());
  self->state = VTR_PANE_STATE (vtr_pane_state_new ());
  vtr_pane_state_set_compact (self->state, TRUE);
  self->table = VTR_TIMINGS_TABLE (vtr_timings_table_new ());
  self->facts = VTR_TIMINGS_FACTS (vtr_timings_facts_new ());
  gtk_paned_set_start_child (GTK_PANED (paned), GTK_WIDGET (self->table));
  gtk_paned_set_end_child (GTK_PANED (paned), GTK_WIDGET (self->facts));
  gtk_paned_set_shrink_start_child (GTK_PANED (paned), FALSE);
  gtk_paned_set_resize_end_child (GTK_PANED (paned), FALSE);
  g_signal_connect (paned, "notify::max-position", G_CALLBACK (place_divider), NULL);
  gtk_widget_set_vexpand (GTK_WIDGET (self->stack), TRUE);
  gtk_stack_add_named (self->stack, GTK_WIDGET (self->state), "state");
  gtk_stack_add_named (self->stack, paned, "timings");
  gtk_box_append (GTK_BOX (box), make_tools (self));
  gtk_box_append (GTK_BOX (box), GTK_WIDGET (self->stack));
  panel_widget_set_child (PANEL_WIDGET (self), box);
  update (self);
}

GtkWidget *
vtr_timings_view_new (void)
{
  return g_object_new (VTR_TYPE_TIMINGS_VIEW, NULL);
}

void
vtr_timings_view_set_session (VtrTimingsView *self, VtrSession *session)
{
  if (self->measurement == NULL && session == NULL)
    return;
  /* The session may have been freed by now. */
  if (self->measurement != NULL)
    g_signal_handlers_disconnect_by_data (self->measurement, self);
  if (self->session != NULL)
    g_signal_handlers_disconnect_by_data (self->session, self);
  g_clear_object (&self->measurement);
  g_set_weak_pointer (&self->session, session);
  vtr_timings_table_set_session (self->table, session);
  if (session != NULL)
    {
      self->measurement = g_object_ref (vtr_measurement_of (session));
      g_signal_connect_object (self->measurement, "changed", G_CALLBACK (update), self,
                               G_CONNECT_SWAPPED);
      g_signal_connect_object (session, "selection-changed", G_CALLBACK (selection_changed_cb),
                               self, G_CONNECT_SWAPPED);
      wish_changed_cb (self);
    }
  update (self);
}

static void
pane_set_session (VtrPane *pane, VtrSession *session)
{
  vtr_timings_view_set_session (VTR_TIMINGS_VIEW (pane), session);
}

/* A path that belongs to the trace, not to a command. */
static gboolean
pane_show_path (VtrPane *pane, const char *path)
{
  return g_str_equal (path, "timings");
}

static void
pane_iface_init (VtrPaneInterface *iface)
{
  iface->set_session = pane_set_session;
  iface->show_path = pane_show_path;
}
