/* The State pane: loads the state of every API object after the selected command and shows it as
 * a tree. */
#include "vtr-config.h"

#include "widgets/vtr-focus-chain.h"
#include "widgets/vtr-state-pane-private.h"

#include <glib/gi18n.h>
#include <string.h>

#include "engine/state/vtr-state-store.h"
#include "widgets/vtr-accessible.h"
#include "widgets/vtr-pane.h"
#include "widgets/vtr-wrap-layout.h"

#define BUSY_DELAY_MS 200
#define PROGRESS_DELAY_MS 1000

static void pane_iface_init (VtrPaneInterface *iface);

G_DEFINE_FINAL_TYPE_WITH_CODE (VtrStatePane,
                               vtr_state_pane,
                               PANEL_TYPE_WIDGET,
                               G_IMPLEMENT_INTERFACE (VTR_TYPE_PANE, pane_iface_init))

static void load (VtrStatePane *self);

/* --- loading --------------------------------------------------------------------------------- */

static void
set_busy (VtrStatePane *self, gboolean busy)
{
  if (self->busy == busy)
    return;
  self->busy = busy;
  if (busy)
    panel_widget_mark_busy (PANEL_WIDGET (self));
  else
    panel_widget_unmark_busy (PANEL_WIDGET (self));
}

static void
stop_loading (VtrStatePane *self)
{
  g_cancellable_cancel (self->loading);
  g_clear_object (&self->loading);
  g_clear_handle_id (&self->busy_timeout, g_source_remove);
  g_clear_handle_id (&self->progress_timeout, g_source_remove);
  g_clear_pointer (&self->wanted, g_free);
  gtk_widget_set_visible (self->progress_row, FALSE);
  set_busy (self, FALSE);
}

static gboolean
busy_cb (gpointer data)
{
  VtrStatePane *self = data;

  self->busy_timeout = 0;
  set_busy (self, TRUE);
  return G_SOURCE_REMOVE;
}

/* Follows the pass over the trace that the state waits for, to show its progress. */
typedef struct
{
  VtrStatePane *pane;        /* main thread only */
  GCancellable *cancellable; /* of the load */
  VtrStateStore *store;
  gint thousandths; /* atomic */
  guint timeout;
  gboolean done;
} Watch;

static void
watch_free (Watch *watch)
{
  g_clear_handle_id (&watch->timeout, g_source_remove);
  g_object_unref (watch->pane);
  g_object_unref (watch->cancellable);
  vtr_state_store_unref (watch->store);
  g_free (watch);
}

static void
watch_progress_cb (guint64 done, guint64 total, gpointer data)
{
  Watch *watch = data;

  if (total > 0)
    g_atomic_int_set (&watch->thousandths, (gint)(done * 1000 / total));
}

static void
watch_thread (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  Watch *watch = data;
  GError *error = NULL;

  if (vtr_state_store_prepare (watch->store, watch_progress_cb, watch, cancellable, &error))
    g_task_return_boolean (task, TRUE);
  else
    g_task_return_error (task, error);
}

static gboolean
watch_timeout_cb (gpointer data)
{
  Watch *watch = data;

  if (!g_cancellable_is_cancelled (watch->cancellable))
    gtk_progress_bar_set_fraction (watch->pane->progress,
                                   g_atomic_int_get (&watch->thousandths) / 1000.0);
  return G_SOURCE_CONTINUE;
}

static void
watched_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  /* The load reports the result. */
  g_clear_handle_id (&((Watch *)g_task_get_task_data (G_TASK (result)))->timeout, g_source_remove);
}

static gboolean
progress_cb (gpointer data)
{
  VtrStatePane *self = data;
  g_autoptr (GTask) task = g_task_new (self, self->loading, watched_cb, NULL);
  Watch *watch = g_new0 (Watch, 1);

  self->progress_timeout = 0;
  gtk_progress_bar_set_fraction (self->progress, 0);
  gtk_widget_set_visible (self->progress_row, TRUE);
  watch->pane = g_object_ref (self);
  watch->cancellable = g_object_ref (self->loading);
  watch->store = vtr_state_store_ref (
    vtr_document_get_state_store (vtr_session_get_document (self->session)));
  watch->timeout = g_timeout_add (100, watch_timeout_cb, watch);
  g_task_set_task_data (task, watch, (GDestroyNotify)watch_free);
  g_task_run_in_thread (task, watch_thread);
  return G_SOURCE_REMOVE;
}

static void
update_title (VtrStatePane *self)
{
  g_autofree char *title = NULL;

  if (gtk_toggle_button_get_active (self->pin) && self->shown)
    {
      const char *address = strchr (self->shown, '/');

      title = g_strdup_printf (_ ("State · %s"), address ? address + 1 : self->shown);
    }
  panel_widget_set_title (PANEL_WIDGET (self), title ? title : _ ("State"));
}

static void
show_nothing (VtrStatePane *self, const char *icon, const char *title, const char *text)
{
  vtr_state_list_set_root (self->list, NULL, FALSE);
  g_clear_object (&self->root);
  g_clear_pointer (&self->shown, g_free);
  vtr_state_pane_drop_search (self);
  vtr_state_pane_update_count (self);
  update_title (self);
  vtr_pane_state_set (self->empty, icon, title, text);
  gtk_stack_set_visible_child_name (self->stack, "empty");
}

static void
show_root (VtrStatePane *self)
{
  vtr_state_list_set_root (self->list, self->root,
                           gtk_toggle_button_get_active (self->only_changed));
}

static void
reveal (VtrStatePane *self)
{
  g_autofree char *below = g_steal_pointer (&self->reveal);
  g_autofree char *path = NULL;

  if (below == NULL || self->root == NULL || *below == '\0')
    return;
  path = g_strconcat (vtr_state_node_get_path (self->root), below, NULL);
  vtr_state_list_reveal (self->list, path);
}

typedef struct
{
  VtrStatePane *self;
  GCancellable *cancellable;
} Load;

static void
load_free (Load *load)
{
  g_object_unref (load->self);
  g_object_unref (load->cancellable);
  g_free (load);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (Load, load_free)

static void
loaded_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (Load) request = data;
  VtrStatePane *self = request->self;
  g_autoptr (GError) error = NULL;
  g_autoptr (VtrStateNode) root =
    vtr_state_node_new_finish (result, &error);

  /* A newer request has replaced this one. */
  if (g_cancellable_is_cancelled (request->cancellable) || self->session == NULL)
    return;
  if (root == NULL)
    {
      stop_loading (self);
      show_nothing (self, "dialog-warning-symbolic", _ ("No State"), error->message);
      vtr_pane_state_add_button (self->empty, _ ("_Try Again"), "state-pane.retry");
      return;
    }
  g_set_object (&self->root, root);
  g_free (self->shown);
  self->shown = g_steal_pointer (&self->wanted);
  stop_loading (self);
  show_root (self);
  gtk_stack_set_visible_child_name (self->stack, "list");
  update_title (self);
  vtr_state_pane_search (self, FALSE);
  reveal (self);
}

static void
load (VtrStatePane *self)
{
  const char *path = self->session ? vtr_session_get_path (self->session) : NULL;
  Load *request;

  self->dirty = FALSE;
  stop_loading (self);
  if (path == NULL)
    {
      show_nothing (self, "find-location-symbolic", _ ("No Command Selected"),
                    _ ("Select a command to see the state after it"));
      return;
    }
  if (g_strcmp0 (path, self->shown) == 0 && self->root)
    {
      reveal (self);
      return;
    }
  self->wanted = g_strdup (path);
  self->loading = g_cancellable_new ();
  self->busy_timeout = g_timeout_add (BUSY_DELAY_MS, busy_cb, self);
  self->progress_timeout = g_timeout_add (PROGRESS_DELAY_MS, progress_cb, self);
  request = g_new0 (Load, 1);
  request->self = g_object_ref (self);
  request->cancellable = g_object_ref (self->loading);
  vtr_state_node_new_async (vtr_session_get_analysis (self->session),
                            path, self->loading, loaded_cb, request);
}

static void
selection_changed_cb (VtrStatePane *self)
{
  if (gtk_toggle_button_get_active (self->pin))
    return;
  if (gtk_widget_get_mapped (GTK_WIDGET (self)))
    load (self);
  else
    self->dirty = TRUE;
}

/* --- the list -------------------------------------------------------------------------------- */

/* A link within the state scrolls there. Other links, and all links with Ctrl, select the command
 * or object. */
static void
link_cb (VtrStatePane *self, const char *path, gboolean elsewhere)
{
  const char *root = self->root ? vtr_state_node_get_path (self->root) : NULL;

  if (root && !elsewhere && g_str_has_prefix (path, root))
    {
      if (!vtr_state_list_reveal (self->list, path) &&
          gtk_toggle_button_get_active (self->only_changed))
        {
          gtk_toggle_button_set_active (self->only_changed, FALSE);
          vtr_state_list_reveal (self->list, path);
        }
      return;
    }
  if (root && g_str_has_prefix (path, root))
    {
      g_autofree char *object = g_strconcat ("objects/", strrchr (path, '/') + 1, NULL);

      gtk_widget_activate_action (GTK_WIDGET (self), "win.select", "s", object);
    }
  else
    gtk_widget_activate_action (GTK_WIDGET (self), "win.select", "s", path);
}

static void
find_cb (VtrStatePane *self, const char *text)
{
  gtk_editable_set_text (GTK_EDITABLE (self->entry), text);
  gtk_widget_grab_focus (self->entry);
}

/* --- actions --------------------------------------------------------------------------------- */

static void
pin_toggled_cb (VtrStatePane *self)
{
  update_title (self);
  if (!gtk_toggle_button_get_active (self->pin))
    selection_changed_cb (self);
}

static void
pane_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  VtrStatePane *self = VTR_STATE_PANE (widget);

  name += strlen ("state-pane.");
  if (g_str_equal (name, "next-match"))
    vtr_state_pane_step_match (self, 1);
  else if (g_str_equal (name, "previous-match"))
    vtr_state_pane_step_match (self, -1);
  else if (g_str_equal (name, "retry"))
    load (self);
  else
    {
      stop_loading (self);
      if (self->root == NULL)
        {
          show_nothing (self, "action-unavailable-symbolic", _ ("Not Loaded"),
                        _ ("Loading the state of this command was cancelled."));
          vtr_pane_state_add_button (self->empty, _ ("_Load"), "state-pane.retry");
        }
    }
}

/* --- life ------------------------------------------------------------------------------------ */

static void
vtr_state_pane_map (GtkWidget *widget)
{
  VtrStatePane *self = VTR_STATE_PANE (widget);

  GTK_WIDGET_CLASS (vtr_state_pane_parent_class)->map (widget);
  if (self->dirty)
    load (self);
}

static void
set_session (VtrStatePane *self, VtrSession *session)
{
  if (self->session)
    g_signal_handlers_disconnect_by_data (self->session, self);
  g_clear_object (&self->session);
  if (self->list == NULL)
    return;
  stop_loading (self);
  vtr_state_pane_drop_search (self);
  g_clear_pointer (&self->reveal, g_free);
  gtk_toggle_button_set_active (self->pin, FALSE);
  show_nothing (self, "find-location-symbolic", _ ("No Command Selected"),
                _ ("Select a command to see the state after it"));
  if (session)
    {
      self->session = g_object_ref (session);
      g_signal_connect_object (session, "selection-changed", G_CALLBACK (selection_changed_cb),
                               self, G_CONNECT_SWAPPED);
      selection_changed_cb (self);
    }
}

static void
vtr_state_pane_dispose (GObject *object)
{
  VtrStatePane *self = VTR_STATE_PANE (object);

  set_session (self, NULL);
  self->list = NULL;
  G_OBJECT_CLASS (vtr_state_pane_parent_class)->dispose (object);
}

static gboolean
vtr_state_pane_grab_focus (GtkWidget *widget)
{
  return gtk_widget_grab_focus (GTK_WIDGET (VTR_STATE_PANE (widget)->list)) ||
         gtk_widget_child_focus (GTK_WIDGET (VTR_STATE_PANE (widget)->stack), GTK_DIR_TAB_FORWARD);
}

static void
vtr_state_pane_class_init (VtrStatePaneClass *klass)
{
  static const char *const actions[] = { "state-pane.next-match", "state-pane.previous-match",
                                         "state-pane.cancel", "state-pane.retry" };
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = vtr_state_pane_dispose;
  widget_class->map = vtr_state_pane_map;
  widget_class->grab_focus = vtr_state_pane_grab_focus;
  vtr_focus_chain_init_class (widget_class);
  for (guint i = 0; i < G_N_ELEMENTS (actions); i++)
    gtk_widget_class_install_action (widget_class, actions[i], NULL, pane_action);
}

static GtkWidget *
make_toggle (const char *icon, const char *tip)
{
  GtkWidget *toggle = gtk_toggle_button_new ();

  gtk_button_set_icon_name (GTK_BUTTON (toggle), icon);
  gtk_widget_add_css_class (toggle, "flat");
  gtk_widget_set_tooltip_text (toggle, tip);
  gtk_accessible_update_property (GTK_ACCESSIBLE (toggle), GTK_ACCESSIBLE_PROPERTY_LABEL, tip, -1);
  return toggle;
}

static GtkWidget *
make_tools (VtrStatePane *self)
{
  GtkWidget *row = vtr_wrap_box_new (6, GTK_ALIGN_START);

  gtk_widget_add_css_class (row, "tool-row");
  vtr_state_pane_add_search (self, GTK_BOX (row));
  self->only_changed = GTK_TOGGLE_BUTTON (gtk_toggle_button_new_with_label (_ ("Changed")));
  gtk_widget_set_tooltip_text (GTK_WIDGET (self->only_changed),
                               _ ("Only What This Command Changed"));
  g_signal_connect_object (self->only_changed, "toggled", G_CALLBACK (show_root), self,
                           G_CONNECT_SWAPPED);
  self->pin = GTK_TOGGLE_BUTTON (
    make_toggle ("view-pin-symbolic", _ ("Stay at This Command When the Selection Changes")));
  g_signal_connect_object (self->pin, "toggled", G_CALLBACK (pin_toggled_cb), self,
                           G_CONNECT_SWAPPED);

  gtk_box_append (GTK_BOX (row), GTK_WIDGET (self->only_changed));
  gtk_box_append (GTK_BOX (row), GTK_WIDGET (self->pin));
  return row;
}

static GtkWidget *
make_progress (VtrStatePane *self)
{
  GtkWidget *label = gtk_label_new (_ ("Reading the state"));
  GtkWidget *cancel = vtr_button_new_with_mnemonic (_ ("_Cancel"));

  self->progress_row = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 6);
  gtk_widget_add_css_class (self->progress_row, "tool-row");
  gtk_widget_add_css_class (label, "caption");
  self->progress = GTK_PROGRESS_BAR (gtk_progress_bar_new ());
  gtk_widget_set_hexpand (GTK_WIDGET (self->progress), TRUE);
  gtk_widget_set_valign (GTK_WIDGET (self->progress), GTK_ALIGN_CENTER);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->progress), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("Reading the state"), -1);
  gtk_actionable_set_action_name (GTK_ACTIONABLE (cancel), "state-pane.cancel");
  gtk_box_append (GTK_BOX (self->progress_row), label);
  gtk_box_append (GTK_BOX (self->progress_row), GTK_WIDGET (self->progress));
  gtk_box_append (GTK_BOX (self->progress_row), cancel);
  gtk_widget_set_visible (self->progress_row, FALSE);
  return self->progress_row;
}

static void
vtr_state_pane_init (VtrStatePane *self)
{
  GtkWidget *outer = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0);
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0);

  panel_widget_set_title (PANEL_WIDGET (self), _ ("State"));
  panel_widget_set_id (PANEL_WIDGET (self), "state");
  panel_widget_set_can_maximize (PANEL_WIDGET (self), TRUE);

  self->empty = VTR_PANE_STATE (vtr_pane_state_new ());
  vtr_pane_state_set_compact (self->empty, TRUE);
  self->list = VTR_STATE_LIST (vtr_state_list_new ());
  gtk_widget_set_vexpand (GTK_WIDGET (self->list), TRUE);
  g_signal_connect_object (self->list, "link", G_CALLBACK (link_cb), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->list, "find", G_CALLBACK (find_cb), self, G_CONNECT_SWAPPED);
  gtk_box_append (GTK_BOX (box), make_tools (self));
  gtk_box_append (GTK_BOX (box), GTK_WIDGET (self->list));

  self->stack = GTK_STACK (gtk_stack_new ());
  gtk_stack_add_named (self->stack, GTK_WIDGET (self->empty), "empty");
  gtk_stack_add_named (self->stack, box, "list");
  gtk_widget_set_vexpand (GTK_WIDGET (self->stack), TRUE);
  gtk_box_append (GTK_BOX (outer), make_progress (self));
  gtk_box_append (GTK_BOX (outer), GTK_WIDGET (self->stack));
  panel_widget_set_child (PANEL_WIDGET (self), outer);
  vtr_state_pane_update_count (self);
}

GtkWidget *
vtr_state_pane_new (void)
{
  return g_object_new (VTR_TYPE_STATE_PANE, NULL);
}

const char *
vtr_state_pane_get_shown (VtrStatePane *self)
{
  return self->shown;
}

void
vtr_state_pane_set_search (VtrStatePane *self, const char *text)
{
  gtk_editable_set_text (GTK_EDITABLE (self->entry), text);
  vtr_state_pane_search (self, TRUE);
}

VtrStateList *
vtr_state_pane_get_list (VtrStatePane *self)
{
  return self->list;
}

int
vtr_state_pane_get_n_matches (VtrStatePane *self)
{
  return self->matches ? (int)self->n_matches : -1;
}

/* --- pane ------------------------------------------------------------------------------------ */

static void
pane_set_session (VtrPane *pane, VtrSession *session)
{
  set_session (VTR_STATE_PANE (pane), session);
}

static gboolean
pane_show_path (VtrPane *pane, const char *path)
{
  VtrStatePane *self = VTR_STATE_PANE (pane);
  const char *below = vtr_pane_match_path (path, "state");

  if (below == NULL || self->session == NULL)
    return FALSE;
  g_free (self->reveal);
  self->reveal = g_strndup (below, strcspn (below, "?"));
  gtk_toggle_button_set_active (self->pin, FALSE);
  if (self->loading == NULL)
    load (self);
  return TRUE;
}

static gboolean
pane_find (VtrPane *pane, int step)
{
  VtrStatePane *self = VTR_STATE_PANE (pane);

  if (step == 0)
    gtk_widget_grab_focus (self->entry);
  else
    vtr_state_pane_step_match (self, step);
  return TRUE;
}

static void
pane_iface_init (VtrPaneInterface *iface)
{
  iface->set_session = pane_set_session;
  iface->show_path = pane_show_path;
  iface->find = pane_find;
}
