/* The Report and Log panes: a table of messages, each with a link to its command, and the button
 * that runs validation. */
#include "vtr-config.h"

#include "widgets/vtr-message-view.h"

#include <glib/gi18n.h>

#include "widgets/vtr-accessible.h"
#include "widgets/vtr-export.h"
#include "widgets/vtr-focus-chain.h"
#include "widgets/vtr-list-keys.h"
#include "widgets/vtr-pane-state.h"
#include "widgets/vtr-pane.h"
#include "widgets/vtr-wrap-layout.h"

#define N_LEVELS 3
/* The most lines of a message; the tooltip has the rest. */
#define MAX_LINES 6

struct _VtrMessageView
{
  PanelWidget parent_instance;

  gboolean report;
  GtkStack *stack;
  VtrPaneState *empty;
  GtkWidget *entry;
  GtkWidget *toggles[N_LEVELS];
  GtkWidget *validate;      /* report only */
  GtkWidget *progress;      /* report only: the status of the validating replay */
  GCancellable *validation; /* NULL: none runs */
  GtkColumnView *list;
  GtkCustomFilter *filter;
  GListModel *messages;
  VtrSession *session; /* not owned; NULL: none */
};

static void pane_iface_init (VtrPaneInterface *iface);

G_DEFINE_FINAL_TYPE_WITH_CODE (VtrMessageView,
                               vtr_message_view,
                               PANEL_TYPE_WIDGET,
                               G_IMPLEMENT_INTERFACE (VTR_TYPE_PANE, pane_iface_init))

static const struct
{
  const char *icon;
  const char *css_class;
  const char *name;
  const char *toggle;
} levels[N_LEVELS] = {
  [VTR_MESSAGE_ERROR] = { "dialog-error-symbolic", "error", N_ ("Error"), N_ ("Errors") },
  [VTR_MESSAGE_WARNING] = { "dialog-warning-symbolic", "warning", N_ ("Warning"), N_ ("Warnings") },
  [VTR_MESSAGE_HINT] = { "dialog-information-symbolic", "dim-text", N_ ("Hint"), N_ ("Hints") },
};

/* --- cells ----------------------------------------------------------------------------------- */

static void
setup_icon_cb (VtrMessageView *self, GtkListItem *item)
{
  gtk_list_item_set_child (item, gtk_image_new ());
}

static void
bind_icon_cb (VtrMessageView *self, GtkListItem *item)
{
  VtrMessageLevel level = vtr_message_get_level (gtk_list_item_get_item (item));
  GtkWidget *icon = gtk_list_item_get_child (item);

  for (int i = 0; i < N_LEVELS; i++)
    gtk_widget_remove_css_class (icon, levels[i].css_class);
  gtk_image_set_from_icon_name (GTK_IMAGE (icon), levels[level].icon);
  gtk_widget_add_css_class (icon, levels[level].css_class);
  gtk_widget_set_tooltip_text (icon, _ (levels[level].name));
  gtk_accessible_update_property (GTK_ACCESSIBLE (icon), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ (levels[level].name), -1);
}

/* Only messages that are cut off have a tooltip. */
static gboolean
query_text_tooltip_cb (GtkWidget  *label,
                       int         x,
                       int         y,
                       gboolean    keyboard,
                       GtkTooltip *tooltip)
{
  gtk_tooltip_set_text (tooltip, gtk_label_get_text (GTK_LABEL (label)));
  return pango_layout_is_ellipsized (gtk_label_get_layout (GTK_LABEL (label)));
}

static void
setup_text_cb (VtrMessageView *self, GtkListItem *item)
{
  GtkWidget *text = gtk_label_new (NULL);

  gtk_label_set_wrap (GTK_LABEL (text), TRUE);
  gtk_label_set_wrap_mode (GTK_LABEL (text), PANGO_WRAP_WORD_CHAR);
  gtk_label_set_lines (GTK_LABEL (text), MAX_LINES);
  gtk_label_set_ellipsize (GTK_LABEL (text), PANGO_ELLIPSIZE_END);
  gtk_label_set_xalign (GTK_LABEL (text), 0);
  gtk_widget_add_css_class (text, "message");
  gtk_widget_set_has_tooltip (text, TRUE);
  g_signal_connect (text, "query-tooltip", G_CALLBACK (query_text_tooltip_cb), NULL);
  gtk_list_item_set_child (item, text);
}

static void
bind_text_cb (VtrMessageView *self, GtkListItem *item)
{
  const char *text = vtr_message_get_text (gtk_list_item_get_item (item));

  gtk_label_set_text (GTK_LABEL (gtk_list_item_get_child (item)), text);
  vtr_accessible_name_row (gtk_list_item_get_child (item), text);
}

static void
setup_time_cb (VtrMessageView *self, GtkListItem *item)
{
  GtkWidget *text = gtk_inscription_new (NULL);

  gtk_inscription_set_min_chars (GTK_INSCRIPTION (text), 8);
  gtk_inscription_set_nat_lines (GTK_INSCRIPTION (text), 1);
  gtk_widget_set_valign (text, GTK_ALIGN_CENTER);
  gtk_widget_add_css_class (text, "caption");
  gtk_widget_add_css_class (text, "numeric");
  gtk_widget_add_css_class (text, "dim-text");
  gtk_list_item_set_child (item, text);
}

static void
bind_time_cb (VtrMessageView *self, GtkListItem *item)
{
  g_autofree char *time =
    g_date_time_format (vtr_message_get_time (gtk_list_item_get_item (item)), "%H:%M:%S");

  gtk_inscription_set_text (GTK_INSCRIPTION (gtk_list_item_get_child (item)), time);
}

static gboolean
activate_link_cb (GtkWidget *label, const char *uri)
{
  gtk_widget_activate_action (label, "win.select", "s", uri);
  return TRUE;
}

static void
setup_command_cb (VtrMessageView *self, GtkListItem *item)
{
  GtkWidget *label = gtk_label_new (NULL);

  gtk_label_set_xalign (GTK_LABEL (label), 1);
  gtk_widget_add_css_class (label, "numeric");
  g_signal_connect (label, "activate-link", G_CALLBACK (activate_link_cb), NULL);
  gtk_list_item_set_child (item, label);
}

static void
bind_command_cb (VtrMessageView *self, GtkListItem *item)
{
  guint64 command = vtr_message_get_command (gtk_list_item_get_item (item));
  g_autofree char *markup = NULL;

  if (command != VTR_COMMAND_NO_INDEX && self->session != NULL)
    {
      VtrTrace *trace = vtr_session_get_trace (self->session);
      g_autofree char *path = vtr_trace_format_command (trace, command);
      g_autofree char *number = vtr_format_number (vtr_trace_get_number (trace, command));

      markup = g_strdup_printf ("<a href=\"%s\">%s</a>", path, number);
    }
  gtk_label_set_markup (GTK_LABEL (gtk_list_item_get_child (item)), markup ? markup : "");
}

/* The most severe messages come first; the list would keep its old scroll position. */
static void
show_first (VtrMessageView *self, guint position, guint removed, guint added)
{
  GtkWidget *child = gtk_widget_get_first_child (GTK_WIDGET (self->list));

  if (!self->report || position > 0 || added == 0)
    return;
  while (child && !GTK_IS_LIST_VIEW (child))
    child = gtk_widget_get_next_sibling (child);
  if (child)
    gtk_widget_activate_action (child, "list.scroll-to-item", "u", 0);
}

typedef void (*CellFunc) (VtrMessageView *self, GtkListItem *item);

static void
add_column (VtrMessageView *self, const char *title, gboolean expand, CellFunc setup, CellFunc bind)
{
  GtkListItemFactory *factory = gtk_signal_list_item_factory_new ();
  GtkColumnViewColumn *column = gtk_column_view_column_new (title, factory);

  g_signal_connect_object (factory, "setup", G_CALLBACK (setup), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (factory, "bind", G_CALLBACK (bind), self, G_CONNECT_SWAPPED);
  gtk_column_view_column_set_expand (column, expand);
  gtk_column_view_append_column (self->list, column);
  g_object_unref (column);
}

/* --- filter and counts ----------------------------------------------------------------------- */

static gboolean
match_cb (gpointer item, gpointer data)
{
  VtrMessageView *self = data;
  const char *text = gtk_editable_get_text (GTK_EDITABLE (self->entry));
  g_autofree char *needle = NULL;
  g_autofree char *hay = NULL;

  if (self->report && !gtk_toggle_button_get_active (
                        GTK_TOGGLE_BUTTON (self->toggles[vtr_message_get_level (item)])))
    return FALSE;
  if (*text == '\0')
    return TRUE;
  needle = g_utf8_casefold (text, -1);
  hay = g_utf8_casefold (vtr_message_get_text (item), -1);
  return strstr (hay, needle) != NULL;
}

static void
refilter (VtrMessageView *self)
{
  gtk_filter_changed (GTK_FILTER (self->filter), GTK_FILTER_CHANGE_DIFFERENT);
}

static void
show_nothing_to_report (VtrMessageView *self)
{
  if (self->session != NULL && !vtr_session_is_report_read (self->session))
    vtr_pane_state_set (self->empty, "content-loading-symbolic", _ ("Checking the Trace…"), NULL);
  else
    vtr_pane_state_set (self->empty, "emblem-ok-symbolic", _ ("Nothing to Report"),
                        _ ("No problem was found in this trace"));
}

static void
update_counts (VtrMessageView *self)
{
  guint n = self->messages ? g_list_model_get_n_items (self->messages) : 0;
  guint counts[N_LEVELS] = { 0 };

  for (guint i = 0; i < n; i++)
    {
      g_autoptr (VtrMessage) message = g_list_model_get_item (self->messages, i);

      counts[vtr_message_get_level (message)]++;
    }
  gtk_stack_set_visible_child_name (self->stack, n > 0 ? "list" : "empty");
  if (!self->report)
    return;

  if (n == 0)
    show_nothing_to_report (self);
  for (int i = 0; i < N_LEVELS; i++)
    {
      /* Translators: a kind of message and how many there are: "Errors · 3" */
      g_autofree char *label = g_strdup_printf (_ ("%s · %u"), _ (levels[i].toggle), counts[i]);

      gtk_button_set_label (GTK_BUTTON (self->toggles[i]), label);
      gtk_widget_set_visible (self->toggles[i], counts[i] > 0);
    }
  if (n > 0)
    {
      g_autofree char *title = g_strdup_printf (_ ("Report · %u"), n);

      panel_widget_set_title (PANEL_WIDGET (self), title);
    }
  else
    panel_widget_set_title (PANEL_WIDGET (self), _ ("Report"));
}

static void
activate_cb (VtrMessageView *self, guint row)
{
  g_autoptr (VtrMessage) message =
    g_list_model_get_item (G_LIST_MODEL (gtk_column_view_get_model (self->list)), row);
  g_autofree char *path = NULL;

  if (vtr_message_get_command (message) == VTR_COMMAND_NO_INDEX || self->session == NULL)
    return;
  path = vtr_trace_format_command (vtr_session_get_trace (self->session),
                                   vtr_message_get_command (message));
  gtk_widget_activate_action (GTK_WIDGET (self), "win.select", "s", path);
}

/* --- validating ------------------------------------------------------------------------------ */

static void
show_validation (VtrMessageView *self)
{
  g_autofree char *words = NULL;

  if (!self->report)
    return;
  gtk_button_set_label (GTK_BUTTON (self->validate),
                        self->validation != NULL ? _ ("Cancel") : _ ("Validate"));
  gtk_widget_set_sensitive (self->validate, self->session != NULL);
  if (self->validation != NULL)
    words = vtr_document_describe_replay (vtr_session_get_document (self->session));
  gtk_label_set_label (GTK_LABEL (self->progress), words != NULL ? words : "");
  gtk_widget_set_visible (self->progress, words != NULL);
}

static void
validated_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (VtrMessageView) self = data;
  VtrSession *session = VTR_SESSION (source);
  g_autoptr (GError) error = NULL;
  gssize n = vtr_session_validate_finish (session, result, &error);

  if (session == self->session)
    g_clear_object (&self->validation);
  if (n == 0)
    {
      vtr_session_add_log (session, VTR_MESSAGE_HINT, _ ("No validation errors"),
                           VTR_COMMAND_NO_INDEX);
      if (session == self->session)
        vtr_export_toast (GTK_WIDGET (self), _ ("No validation errors"));
    }
  else if (n < 0 && !g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    vtr_session_add_report (session, VTR_MESSAGE_WARNING, error->message, VTR_COMMAND_NO_INDEX);
  show_validation (self);
}

static void
validate_cb (VtrMessageView *self)
{
  if (self->session == NULL)
    return;
  if (self->validation != NULL)
    g_cancellable_cancel (self->validation);
  else
    {
      self->validation = g_cancellable_new ();
      vtr_session_validate_async (self->session, self->validation, validated_cb,
                                  g_object_ref (self));
    }
  show_validation (self);
}

static void
make_validation (VtrMessageView *self, GtkWidget *tools)
{
  self->progress = gtk_label_new (NULL);
  gtk_widget_add_css_class (self->progress, "dim-label");
  gtk_box_append (GTK_BOX (tools), self->progress);
  self->validate = gtk_button_new ();
  gtk_widget_set_tooltip_text (self->validate,
                               _ ("Replay the trace with the Vulkan validation layer"));
  g_signal_connect_object (self->validate, "clicked", G_CALLBACK (validate_cb), self,
                           G_CONNECT_SWAPPED);
  gtk_box_append (GTK_BOX (tools), self->validate);
  show_validation (self);
}

/* --- life ------------------------------------------------------------------------------------ */

static void
vtr_message_view_dispose (GObject *object)
{
  VtrMessageView *self = VTR_MESSAGE_VIEW (object);

  vtr_message_view_set_session (self, NULL);
  self->report = FALSE; /* its tools are destroyed before it */
  if (self->filter)
    gtk_custom_filter_set_filter_func (self->filter, NULL, NULL, NULL);
  g_clear_object (&self->filter);
  G_OBJECT_CLASS (vtr_message_view_parent_class)->dispose (object);
}

static gboolean
vtr_message_view_grab_focus (GtkWidget *widget)
{
  return gtk_widget_grab_focus (GTK_WIDGET (VTR_MESSAGE_VIEW (widget)->list));
}

static void
vtr_message_view_class_init (VtrMessageViewClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = vtr_message_view_dispose;
  GTK_WIDGET_CLASS (klass)->grab_focus = vtr_message_view_grab_focus;
  vtr_focus_chain_init_class (GTK_WIDGET_CLASS (klass));
}

static void
vtr_message_view_init (VtrMessageView *self)
{
  self->stack = GTK_STACK (gtk_stack_new ());
  self->empty = VTR_PANE_STATE (vtr_pane_state_new ());
  vtr_pane_state_set_compact (self->empty, TRUE);
  self->entry = gtk_search_entry_new ();
  self->list = GTK_COLUMN_VIEW (gtk_column_view_new (NULL));
  vtr_list_keys_init (GTK_WIDGET (self->list));
  vtr_list_keys_add_filter (GTK_WIDGET (self->list), self->entry);
  self->filter = gtk_custom_filter_new (match_cb, self, NULL);
  panel_widget_set_can_maximize (PANEL_WIDGET (self), TRUE);
}

static GtkWidget *
make_tools (VtrMessageView *self)
{
  GtkWidget *tools = vtr_wrap_box_new (6, GTK_ALIGN_START);

  gtk_widget_add_css_class (tools, "tool-row");
  gtk_search_entry_set_key_capture_widget (GTK_SEARCH_ENTRY (self->entry), NULL);
  g_object_set (self->entry, "placeholder-text", _ ("Filter"), "hexpand", TRUE,
                "max-width-chars", 12, NULL);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->entry), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("Filter messages"), -1);
  g_signal_connect_object (self->entry, "search-changed", G_CALLBACK (refilter), self,
                           G_CONNECT_SWAPPED);
  gtk_box_append (GTK_BOX (tools), self->entry);
  for (int i = 0; self->report && i < N_LEVELS; i++)
    {
      self->toggles[i] = gtk_toggle_button_new ();
      gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (self->toggles[i]), TRUE);
      g_signal_connect_object (self->toggles[i], "toggled", G_CALLBACK (refilter), self,
                               G_CONNECT_SWAPPED);
      gtk_box_append (GTK_BOX (tools), self->toggles[i]);
    }
  if (self->report)
    make_validation (self, tools);
  return tools;
}

static GtkWidget *
make (gboolean report, const char *title, const char *id)
{
  VtrMessageView *self = g_object_new (VTR_TYPE_MESSAGE_VIEW, NULL);
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0);
  GtkWidget *scroller = gtk_scrolled_window_new ();

  self->report = report;
  panel_widget_set_title (PANEL_WIDGET (self), title);
  panel_widget_set_id (PANEL_WIDGET (self), id);
  if (report)
    show_nothing_to_report (self);
  else
    vtr_pane_state_set (self->empty, "utilities-terminal-symbolic", _ ("Nothing Logged"), NULL);

  if (!report)
    add_column (self, _ ("Time"), FALSE, setup_time_cb, bind_time_cb);
  add_column (self, report ? _ ("Level") : "", FALSE, setup_icon_cb, bind_icon_cb);
  add_column (self, _ ("Message"), TRUE, setup_text_cb, bind_text_cb);
  add_column (self, _ ("Command"), FALSE, setup_command_cb, bind_command_cb);
  gtk_widget_add_css_class (GTK_WIDGET (self->list), "messages");
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->list), GTK_ACCESSIBLE_PROPERTY_LABEL, title,
                                  -1);
  g_signal_connect_object (self->list, "activate", G_CALLBACK (activate_cb), self,
                           G_CONNECT_SWAPPED);

  gtk_scrolled_window_set_policy (GTK_SCROLLED_WINDOW (scroller), GTK_POLICY_NEVER,
                                  GTK_POLICY_AUTOMATIC);
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (scroller), GTK_WIDGET (self->list));
  gtk_widget_set_vexpand (scroller, TRUE);
  gtk_box_append (GTK_BOX (box), make_tools (self));
  gtk_box_append (GTK_BOX (box), GTK_WIDGET (self->stack));
  gtk_stack_add_named (self->stack, GTK_WIDGET (self->empty), "empty");
  gtk_stack_add_named (self->stack, scroller, "list");
  panel_widget_set_child (PANEL_WIDGET (self), box);
  return GTK_WIDGET (self);
}

GtkWidget *
vtr_message_view_new_report (void)
{
  return make (TRUE, _ ("Report"), "report");
}

GtkWidget *
vtr_message_view_new_log (void)
{
  return make (FALSE, _ ("Log"), "log");
}

void
vtr_message_view_set_session (VtrMessageView *self, VtrSession *session)
{
  GtkFilterListModel *filtered;
  g_autoptr (GtkSingleSelection) selection = NULL;

  if (self->messages)
    g_signal_handlers_disconnect_by_data (self->messages, self);
  g_clear_object (&self->messages);
  gtk_column_view_set_model (self->list, NULL);
  if (self->validation != NULL)
    g_cancellable_cancel (self->validation);
  g_clear_object (&self->validation);
  self->session = session;
  show_validation (self);
  if (session == NULL)
    return;

  if (self->report)
    g_signal_connect_object (vtr_session_get_document (session), "replay-changed",
                             G_CALLBACK (show_validation), self, G_CONNECT_SWAPPED);

  self->messages =
    g_object_ref (self->report ? vtr_session_get_report (session) : vtr_session_get_log (session));
  filtered = gtk_filter_list_model_new (g_object_ref (self->messages),
                                        g_object_ref (GTK_FILTER (self->filter)));
  selection = gtk_single_selection_new (G_LIST_MODEL (filtered));
  gtk_single_selection_set_autoselect (selection, FALSE);
  gtk_single_selection_set_can_unselect (selection, TRUE);
  gtk_single_selection_set_selected (selection, GTK_INVALID_LIST_POSITION);
  gtk_column_view_set_model (self->list, GTK_SELECTION_MODEL (selection));
  g_signal_connect_object (selection, "items-changed", G_CALLBACK (show_first), self,
                           G_CONNECT_SWAPPED | G_CONNECT_AFTER);
  g_signal_connect_object (self->messages, "items-changed", G_CALLBACK (update_counts), self,
                           G_CONNECT_SWAPPED);
  update_counts (self);
}

static void
pane_set_session (VtrPane *pane, VtrSession *session)
{
  vtr_message_view_set_session (VTR_MESSAGE_VIEW (pane), session);
}

static gboolean
pane_show_path (VtrPane *pane, const char *path)
{
  return g_str_equal (path, VTR_MESSAGE_VIEW (pane)->report ? "report" : "log");
}

static void
pane_iface_init (VtrPaneInterface *iface)
{
  iface->set_session = pane_set_session;
  iface->show_path = pane_show_path;
}
