/* The Pipeline pane: the state that is bound at the selected command, grouped by stage. */
#include "vtr-config.h"

#include "widgets/vtr-pipeline-view.h"

#include <glib/gi18n.h>

#include "widgets/vtr-focus-chain.h"
#include "widgets/vtr-pane-load.h"
#include "widgets/vtr-pane-state.h"
#include "widgets/vtr-pane.h"
#include "widgets/vtr-property-rows.h"
#include "widgets/vtr-wrap-layout.h"

struct _VtrPipelineView
{
  PanelWidget parent_instance;

  GtkStack *stack;
  VtrPaneState *empty;
  GtkWidget *stages;  /* row of .toggles */
  GPtrArray *toggles; /* GtkToggleButton, one per stage of the API of .model */
  GtkWidget *groups;
  VtrSession *session;
  VtrBoundModel *model;
  guint stage;
  gboolean has_stage; /* @stage was chosen by the user */
  GCancellable *loading;
  gboolean nothing_selected; /* shown in .empty */
  gboolean syncing;
};

static void pane_iface_init (VtrPaneInterface *iface);

G_DEFINE_FINAL_TYPE_WITH_CODE (VtrPipelineView,
                               vtr_pipeline_view,
                               PANEL_TYPE_WIDGET,
                               G_IMPLEMENT_INTERFACE (VTR_TYPE_PANE, pane_iface_init))

/* Removes the groups from @first on; NULL: none. */
static void
remove_groups (VtrPipelineView *self, GtkWidget *first)
{
  while (first != NULL)
    {
      GtkWidget *next = gtk_widget_get_next_sibling (first);

      gtk_box_remove (GTK_BOX (self->groups), first);
      first = next;
    }
}

static void
clear_groups (VtrPipelineView *self)
{
  remove_groups (self, gtk_widget_get_first_child (self->groups));
}

static GtkWidget *
make_group (VtrPropertyGroup *group)
{
  const char *title = vtr_property_group_get_title (group);
  GtkWidget *rows = vtr_property_rows_new (FALSE, title);
  GtkWidget *label = gtk_label_new (title);
  GtkWidget *outer;

  vtr_property_rows_set_rows (VTR_PROPERTY_ROWS (rows), vtr_property_group_get_rows (group));
  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_label_set_ellipsize (GTK_LABEL (label), PANGO_ELLIPSIZE_END);
  gtk_widget_add_css_class (label, "group-title");
  outer = vtr_property_group_get_folded (group) ? gtk_expander_new (NULL)
                                                : gtk_box_new (GTK_ORIENTATION_VERTICAL, 0);
  g_object_set_data_full (G_OBJECT (outer), "title", g_strdup (title), g_free);
  g_object_set_data (G_OBJECT (outer), "rows", rows);
  if (vtr_property_group_get_folded (group))
    {
      gtk_expander_set_label_widget (GTK_EXPANDER (outer), label);
      gtk_expander_set_child (GTK_EXPANDER (outer), rows);
      gtk_widget_add_css_class (outer, "group-folded");
      return outer;
    }
  gtk_box_append (GTK_BOX (outer), label);
  gtk_box_append (GTK_BOX (outer), rows);
  return outer;
}

/* Reuses the group of the same name for the next draw, so that expanded rows stay expanded. */
static gboolean
refill_group (GtkWidget *outer, VtrPropertyGroup *group)
{
  if (g_strcmp0 (g_object_get_data (G_OBJECT (outer), "title"),
                 vtr_property_group_get_title (group)) != 0 ||
      GTK_IS_EXPANDER (outer) != vtr_property_group_get_folded (group))
    return FALSE;
  vtr_property_rows_set_rows (g_object_get_data (G_OBJECT (outer), "rows"),
                              vtr_property_group_get_rows (group));
  return TRUE;
}

static void
show_stage (VtrPipelineView *self)
{
  GListModel *groups = vtr_bound_model_get_groups (self->model, self->stage);
  const char *reason = vtr_bound_model_get_unused_reason (self->model, self->stage);
  guint n = groups ? g_list_model_get_n_items (groups) : 0;
  GtkWidget *child = gtk_widget_get_first_child (self->groups);

  for (guint i = 0; i < n; i++)
    {
      g_autoptr (VtrPropertyGroup) group = g_list_model_get_item (groups, i);

      if (child != NULL && refill_group (child, group))
        {
          child = gtk_widget_get_next_sibling (child);
          continue;
        }
      remove_groups (self, child);
      child = NULL;
      gtk_box_append (GTK_BOX (self->groups), make_group (group));
    }
  remove_groups (self, child);
  if (n == 0)
    {
      GtkWidget *label = gtk_label_new (reason ? reason : _ ("Nothing is bound here"));

      gtk_label_set_wrap (GTK_LABEL (label), TRUE);
      gtk_widget_add_css_class (label, "dim-text");
      gtk_widget_add_css_class (label, "group-note");
      gtk_box_append (GTK_BOX (self->groups), label);
    }
}

static gboolean
usable (VtrPipelineView *self, guint stage)
{
  return stage < vtr_bound_model_get_n_stages (self->model) &&
         vtr_bound_model_has_stage (self->model, stage) &&
         vtr_bound_model_get_unused_reason (self->model, stage) == NULL;
}

static void
toggled_cb (VtrPipelineView *self, GtkToggleButton *toggle)
{
  if (self->syncing || self->model == NULL || !gtk_toggle_button_get_active (toggle))
    return;
  self->stage = GPOINTER_TO_UINT (g_object_get_data (G_OBJECT (toggle), "stage"));
  self->has_stage = TRUE;
  show_stage (self);
}

static void
make_toggle (VtrPipelineView *self, guint stage)
{
  const char *text = vtr_bound_model_get_stage_label (self->model, stage);
  GtkWidget *toggle = gtk_toggle_button_new ();

  gtk_button_set_child (GTK_BUTTON (toggle), gtk_label_new (text));
  gtk_accessible_update_property (GTK_ACCESSIBLE (toggle), GTK_ACCESSIBLE_PROPERTY_LABEL, text, -1);
  gtk_widget_set_hexpand (toggle, TRUE);
  g_object_set_data (G_OBJECT (toggle), "stage", GUINT_TO_POINTER (stage));
  if (self->toggles->len > 0)
    gtk_toggle_button_set_group (GTK_TOGGLE_BUTTON (toggle),
                                 g_ptr_array_index (self->toggles, 0));
  g_signal_connect_object (toggle, "toggled", G_CALLBACK (toggled_cb), self, G_CONNECT_SWAPPED);
  gtk_box_append (GTK_BOX (self->stages), toggle);
  g_ptr_array_add (self->toggles, toggle);
}

/* The next command of the same API finds the toggles made. */
static void
make_toggles (VtrPipelineView *self)
{
  const guint n = vtr_bound_model_get_n_stages (self->model);
  gboolean same = n == self->toggles->len;

  for (guint i = 0; i < n && same; i++)
    {
      GtkWidget *label = gtk_button_get_child (g_ptr_array_index (self->toggles, i));

      same = g_str_equal (gtk_label_get_label (GTK_LABEL (label)),
                          vtr_bound_model_get_stage_label (self->model, i));
    }
  if (same)
    return;
  for (guint i = 0; i < self->toggles->len; i++)
    gtk_box_remove (GTK_BOX (self->stages), g_ptr_array_index (self->toggles, i));
  g_ptr_array_set_size (self->toggles, 0);
  for (guint i = 0; i < n; i++)
    make_toggle (self, i);
}

static void
show_toggle (VtrPipelineView *self, guint stage)
{
  GtkWidget *toggle = g_ptr_array_index (self->toggles, stage);
  const char *reason = vtr_bound_model_get_unused_reason (self->model, stage);
  const char *tooltip = reason ? reason : vtr_bound_model_get_stage_label (self->model, stage);

  gtk_widget_set_visible (toggle, vtr_bound_model_has_stage (self->model, stage));
  gtk_widget_set_sensitive (toggle, reason == NULL);
  /* Setting a tooltip asks the display for the pointer's position. */
  if (g_strcmp0 (gtk_widget_get_tooltip_text (toggle), tooltip) != 0)
    gtk_widget_set_tooltip_text (toggle, tooltip);
  gtk_accessible_update_property (GTK_ACCESSIBLE (toggle), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION,
                                  reason ? reason : "", -1);
}

static void
show_model (VtrPipelineView *self)
{
  self->syncing = TRUE;
  make_toggles (self);
  if (!self->has_stage || !usable (self, self->stage))
    self->stage = vtr_bound_model_get_default_stage (self->model);
  for (guint stage = 0; stage < self->toggles->len; stage++)
    show_toggle (self, stage);
  gtk_toggle_button_set_active (g_ptr_array_index (self->toggles, self->stage), TRUE);
  self->syncing = FALSE;
  show_stage (self);
  gtk_stack_set_visible_child_name (self->stack, "stages");
}

void
vtr_pipeline_view_set_model (VtrPipelineView *self, VtrBoundModel *model)
{
  g_set_object (&self->model, model);
  show_model (self);
}

static void
show_empty (VtrPipelineView *self, const char *text)
{
  clear_groups (self);
  g_clear_object (&self->model);
  vtr_pane_state_set (self->empty, "vtr-pass-symbolic", _ ("No Pipeline"), text);
  vtr_pane_state_add_draw_button (self->empty, self->session);
  gtk_stack_set_visible_child_name (self->stack, "empty");
}

static void
loaded_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (VtrPaneLoad) load = data;
  VtrPipelineView *self = load->owner;
  g_autoptr (GError) error = NULL;
  g_autoptr (VtrBoundModel) model = vtr_bound_model_new_finish (result, &error);

  panel_widget_unmark_busy (PANEL_WIDGET (self));
  /* The answer to an older request, which a newer one has replaced. */
  if (self->session == NULL || vtr_pane_load_is_over (load))
    return;
  if (model)
    vtr_pipeline_view_set_model (self, model);
  else
    show_empty (self, error->message);
}

static void
update (VtrPipelineView *self)
{
  guint64 command = vtr_session_get_command (self->session);
  VtrPaneLoad *load;

  vtr_pane_load_cancel (&self->loading);
  if (command == VTR_COMMAND_NO_INDEX)
    {
      show_empty (self, _ ("Select a draw or dispatch to see the bound pipeline"));
      self->nothing_selected = TRUE;
      return;
    }
  /* Removes the placeholder for an empty selection. */
  if (self->nothing_selected)
    gtk_stack_set_visible_child_name (self->stack, "waiting");
  self->nothing_selected = FALSE;
  load = vtr_pane_load_new (self, &self->loading);
  panel_widget_mark_busy (PANEL_WIDGET (self));
  vtr_bound_model_new_async (vtr_session_get_analysis (self->session),
                             command, self->loading, loaded_cb, load);
}

static void
vtr_pipeline_view_dispose (GObject *object)
{
  VtrPipelineView *self = VTR_PIPELINE_VIEW (object);

  vtr_pipeline_view_set_session (self, NULL);
  g_clear_object (&self->model);
  g_clear_pointer (&self->toggles, g_ptr_array_unref);
  G_OBJECT_CLASS (vtr_pipeline_view_parent_class)->dispose (object);
}

static gboolean
vtr_pipeline_view_grab_focus (GtkWidget *widget)
{
  return gtk_widget_child_focus (GTK_WIDGET (VTR_PIPELINE_VIEW (widget)->stack),
                                 GTK_DIR_TAB_FORWARD);
}

static void
vtr_pipeline_view_class_init (VtrPipelineViewClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = vtr_pipeline_view_dispose;
  GTK_WIDGET_CLASS (klass)->grab_focus = vtr_pipeline_view_grab_focus;
  vtr_focus_chain_init_class (GTK_WIDGET_CLASS (klass));
}

static GtkWidget *
make_stages (void)
{
  GtkWidget *row = vtr_wrap_box_new (0, GTK_ALIGN_START);

  gtk_widget_add_css_class (row, "linked");
  gtk_widget_add_css_class (row, "stages");
  return row;
}

static void
vtr_pipeline_view_init (VtrPipelineView *self)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0);
  GtkWidget *scroller = gtk_scrolled_window_new ();

  panel_widget_set_title (PANEL_WIDGET (self), _ ("Pipeline"));
  panel_widget_set_id (PANEL_WIDGET (self), "pipeline");
  panel_widget_set_can_maximize (PANEL_WIDGET (self), TRUE);

  self->empty = VTR_PANE_STATE (vtr_pane_state_new ());
  vtr_pane_state_set_compact (self->empty, TRUE);
  self->groups = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0);
  gtk_widget_add_css_class (self->groups, "groups");
  gtk_scrolled_window_set_policy (GTK_SCROLLED_WINDOW (scroller), GTK_POLICY_NEVER,
                                  GTK_POLICY_AUTOMATIC);
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (scroller), self->groups);
  gtk_widget_set_vexpand (scroller, TRUE);
  self->stages = make_stages ();
  self->toggles = g_ptr_array_new ();
  gtk_box_append (GTK_BOX (box), self->stages);
  gtk_box_append (GTK_BOX (box), scroller);

  self->stack = GTK_STACK (gtk_stack_new ());
  gtk_stack_add_named (self->stack, GTK_WIDGET (self->empty), "empty");
  gtk_stack_add_named (self->stack, box, "stages");
  gtk_stack_add_named (self->stack, gtk_box_new (GTK_ORIENTATION_VERTICAL, 0), "waiting");
  panel_widget_set_child (PANEL_WIDGET (self), GTK_WIDGET (self->stack));
}

GtkWidget *
vtr_pipeline_view_new (void)
{
  return g_object_new (VTR_TYPE_PIPELINE_VIEW, NULL);
}

void
vtr_pipeline_view_set_session (VtrPipelineView *self, VtrSession *session)
{
  g_cancellable_cancel (self->loading);
  g_clear_object (&self->loading);
  if (self->session)
    g_signal_handlers_disconnect_by_data (self->session, self);
  g_clear_object (&self->session);
  if (session)
    {
      self->session = g_object_ref (session);
      g_signal_connect_object (session, "selection-changed", G_CALLBACK (update), self,
                               G_CONNECT_SWAPPED);
      update (self);
    }
}

static void
pane_set_session (VtrPane *pane, VtrSession *session)
{
  vtr_pipeline_view_set_session (VTR_PIPELINE_VIEW (pane), session);
}

static gboolean
pane_show_path (VtrPane *pane, const char *path)
{
  return vtr_pane_match_path (path, "bound") != NULL ||
         vtr_pane_match_path (path, "state/bound") != NULL;
}

static void
pane_iface_init (VtrPaneInterface *iface)
{
  iface->set_session = pane_set_session;
  iface->show_path = pane_show_path;
}
