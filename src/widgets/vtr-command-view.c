/* The Commands pane: the list of all commands on the left of the window, with its filter, and
 * the selection it shares with the session. */
#include "vtr-config.h"

#include "widgets/vtr-command-view-private.h"

#include <adwaita.h>
#include <glib/gi18n.h>

#include "session/vtr-settings.h"
#include "widgets/vtr-focus-chain.h"
#include "widgets/vtr-list-keys.h"
#include "widgets/vtr-pane.h"
#include "widgets/vtr-text-scale.h"

#define MATCH_LIMIT 1000000
#define NARROW_WIDTH 340

static void pane_iface_init (VtrPaneInterface *iface);

G_DEFINE_FINAL_TYPE_WITH_CODE (VtrCommandView,
                               vtr_command_view,
                               PANEL_TYPE_WIDGET,
                               G_IMPLEMENT_INTERFACE (VTR_TYPE_PANE, pane_iface_init))

static guint
get_n_rows (VtrCommandView *self)
{
  return self->model ? g_list_model_get_n_items (G_LIST_MODEL (self->model)) : 0;
}

/* --- selection ------------------------------------------------------------------------------- */

static void
show_row (VtrCommandView *self, guint row)
{
  self->following = TRUE;
  gtk_single_selection_set_selected (self->selection, row);
  self->following = FALSE;
  if (row != GTK_INVALID_LIST_POSITION)
    vtr_command_view_scroll_to_selection (self);
}

/* Expanding moves rows, which the selection model reports as if the user had selected another
 * row. */
static void
reveal (VtrCommandView *self, guint64 command)
{
  guint row;

  self->following = TRUE;
  row = vtr_command_list_reveal (self->model, command,
                                 command == vtr_session_get_command (self->session)
                                   ? vtr_session_get_path (self->session)
                                   : NULL);
  self->following = FALSE;
  show_row (self, row);
}

static void
session_selection_changed_cb (VtrCommandView *self)
{
  guint64 command = vtr_session_get_command (self->session);

  if (vtr_session_get_frame (self->session) != self->frame)
    {
      self->frame = vtr_session_get_frame (self->session);
      vtr_command_view_update_thumbs (self);
    }
  if (command == VTR_COMMAND_NO_INDEX)
    {
      show_row (self, GTK_INVALID_LIST_POSITION);
      return;
    }
  /* The row of a group stands for its last command: do not jump away from it. */
  if (!self->selecting)
    reveal (self, command);
}

/* The group of the row may be collapsed, or the row scrolled out of view. */
static void
selected_again_cb (VtrCommandView *self)
{
  if (!self->selecting)
    reveal (self, vtr_session_get_command (self->session));
}

static void
selected_cb (VtrCommandView *self)
{
  static const guint near = 2;
  VtrCommandItem *item = gtk_single_selection_get_selected_item (self->selection);
  g_autofree char *path = NULL;
  guint64 command;
  guint64 before;
  gboolean step;

  if (self->following || item == NULL)
    return;
  command = vtr_command_item_get_node (item)->command;
  before = vtr_session_get_command (self->session);
  step = before != VTR_COMMAND_NO_INDEX &&
         (command > before ? command - before : before - command) < near;
  path = vtr_command_tree_dup_path (vtr_session_get_tree (self->session),
                                    vtr_command_item_get_node (item));
  self->selecting = TRUE;
  vtr_session_select_run (self->session, command, path, step ? VTR_SELECT_STEP : VTR_SELECT_JUMP);
  self->selecting = FALSE;
}

/* --- filter ---------------------------------------------------------------------------------- */

typedef struct
{
  VtrDocument *document;
  char *text;
} FilterJob;

static void
filter_job_free (gpointer data)
{
  FilterJob *job = data;

  g_object_unref (job->document);
  g_free (job->text);
  g_free (job);
}

static void
filter_worker (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  FilterJob *job = data;
  GError *error = NULL;
  GArray *matches = vtr_command_filter (vtr_document_get_analysis (job->document),
                                        job->text, MATCH_LIMIT, cancellable, &error);

  if (matches)
    g_task_return_pointer (task, matches, (GDestroyNotify)g_array_unref);
  else
    g_task_return_error (task, error);
}

static void
set_filter_note (VtrCommandView *self, const char *note)
{
  if (note)
    {
      gtk_label_set_label (self->filter_note, note);
      gtk_widget_add_css_class (GTK_WIDGET (self->filter), "error");
    }
  else
    gtk_widget_remove_css_class (GTK_WIDGET (self->filter), "error");
  gtk_revealer_set_reveal_child (self->filter_revealer, note != NULL);
  if (note)
    gtk_accessible_update_state (GTK_ACCESSIBLE (self->filter), GTK_ACCESSIBLE_STATE_INVALID,
                                 GTK_ACCESSIBLE_INVALID_TRUE, -1);
  else
    gtk_accessible_reset_state (GTK_ACCESSIBLE (self->filter), GTK_ACCESSIBLE_STATE_INVALID);
}

static void
show_matches (VtrCommandView *self, GArray *matches, const char *text)
{
  self->following = TRUE;
  vtr_command_list_set_matches (self->model, matches);
  self->following = FALSE;
  set_filter_note (self, NULL);
  gtk_stack_set_visible_child_name (self->stack, matches && matches->len == 0 ? "empty" : "list");
  if (matches && matches->len == 0)
    {
      g_autofree char *sentence = g_strdup_printf (_ ("No command matches “%s”."), text);

      vtr_pane_state_set (self->empty, "edit-find-symbolic", _ ("No Match"), sentence);
      vtr_pane_state_add_button (self->empty, _ ("Clear Filter"), "commands.clear-filter");
    }
  if (vtr_session_get_command (self->session) != VTR_COMMAND_NO_INDEX)
    reveal (self, vtr_session_get_command (self->session));
}

static void
filtered_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  VtrCommandView *self = VTR_COMMAND_VIEW (source);
  FilterJob *job = g_task_get_task_data (G_TASK (result));
  g_autoptr (GError) error = NULL;
  g_autoptr (GArray) matches = g_task_propagate_pointer (G_TASK (result), &error);

  panel_widget_unmark_busy (PANEL_WIDGET (self));
  if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED) || self->session == NULL)
    return;
  if (error)
    set_filter_note (self, error->message);
  else
    show_matches (self, matches, job->text);
}

static void
filter_changed_cb (VtrCommandView *self)
{
  g_autofree char *text = g_strstrip (g_strdup (gtk_editable_get_text (self->filter)));
  g_autoptr (GTask) task = NULL;
  FilterJob *job;

  if (self->session == NULL)
    return;
  g_cancellable_cancel (self->filtering);
  g_clear_object (&self->filtering);
  if (*text == '\0')
    {
      show_matches (self, NULL, text);
      return;
    }

  self->filtering = g_cancellable_new ();
  job = g_new0 (FilterJob, 1);
  job->document = g_object_ref (vtr_session_get_document (self->session));
  job->text = g_steal_pointer (&text);
  task = g_task_new (self, self->filtering, filtered_cb, NULL);
  g_task_set_source_tag (task, filter_changed_cb);
  g_task_set_task_data (task, job, filter_job_free);
  panel_widget_mark_busy (PANEL_WIDGET (self));
  g_task_run_in_thread (task, filter_worker);
}

void
vtr_command_view_focus_filter (VtrCommandView *self)
{
  gtk_widget_grab_focus (GTK_WIDGET (self->filter));
}

void
vtr_command_view_step_match (VtrCommandView *self, int step)
{
  guint row = self->selection ? gtk_single_selection_get_selected (self->selection)
                              : GTK_INVALID_LIST_POSITION;
  guint n = get_n_rows (self);

  if (n == 0)
    return;
  if (row == GTK_INVALID_LIST_POSITION)
    row = step > 0 ? 0 : n - 1;
  else if (step < 0 ? row == 0 : row + 1 >= n)
    row = step < 0 ? n - 1 : 0;
  else
    row += step;
  gtk_single_selection_set_selected (self->selection, row);
  vtr_command_view_scroll_to_selection (self);
}

static void
filter_activate_cb (VtrCommandView *self)
{
  if (vtr_command_list_get_filtered (self->model) && get_n_rows (self) > 0 &&
      gtk_single_selection_get_selected (self->selection) == GTK_INVALID_LIST_POSITION)
    vtr_command_view_step_match (self, 1);
  vtr_command_view_focus_list (self);
}

void
vtr_command_view_clear_filter (VtrCommandView *self)
{
  gtk_editable_set_text (self->filter, "");
  vtr_command_view_focus_list (self);
}

static void
next_match_cb (VtrCommandView *self)
{
  vtr_command_view_step_match (self, 1);
}

static void
previous_match_cb (VtrCommandView *self)
{
  vtr_command_view_step_match (self, -1);
}

static void
flat_toggled_cb (VtrCommandView *self)
{
  if (self->model == NULL)
    return;
  self->following = TRUE;
  vtr_command_list_set_flat (self->model, gtk_toggle_button_get_active (self->flat));
  self->following = FALSE;
  if (vtr_session_get_command (self->session) != VTR_COMMAND_NO_INDEX)
    reveal (self, vtr_session_get_command (self->session));
}

/* --- keyboard -------------------------------------------------------------------------------- */

static gboolean
key_pressed_cb (VtrCommandView *self, guint key, guint code, GdkModifierType modifiers)
{
  gboolean rtl = gtk_widget_get_direction (GTK_WIDGET (self)) == GTK_TEXT_DIR_RTL;
  guint row = self->selection ? gtk_single_selection_get_selected (self->selection)
                              : GTK_INVALID_LIST_POSITION;

  if ((key == GDK_KEY_Delete || key == GDK_KEY_KP_Delete) &&
      (modifiers & gtk_accelerator_get_default_mod_mask ()) == 0)
    {
      vtr_command_view_toggle_disabled (self);
      return GDK_EVENT_STOP;
    }
  if (row == GTK_INVALID_LIST_POSITION ||
      (modifiers & gtk_accelerator_get_default_mod_mask ()) != 0)
    return GDK_EVENT_PROPAGATE;
  if (key == (rtl ? GDK_KEY_Left : GDK_KEY_Right) || key == GDK_KEY_KP_Right)
    {
      VtrCommandItem *item = gtk_single_selection_get_selected_item (self->selection);

      if (vtr_command_list_expand (self->model, row))
        return GDK_EVENT_STOP;
      if (vtr_command_item_get_node (item)->n_children > 0 && row + 1 < get_n_rows (self))
        {
          gtk_single_selection_set_selected (self->selection, row + 1);
          vtr_command_view_scroll_to_selection (self);
        }
      return GDK_EVENT_STOP;
    }
  if (key == (rtl ? GDK_KEY_Right : GDK_KEY_Left) || key == GDK_KEY_KP_Left)
    {
      if (!vtr_command_list_collapse (self->model, row))
        vtr_command_view_go_to_parent (self);
      return GDK_EVENT_STOP;
    }
  return GDK_EVENT_PROPAGATE;
}

static void
activate_row_cb (VtrCommandView *self, guint row)
{
  vtr_command_view_toggle_row (self, row);
}

/* --- life ------------------------------------------------------------------------------------ */

static gboolean
reshow_idle_cb (gpointer data)
{
  VtrCommandView *self = data;

  self->reshow_idle = 0;
  if (self->model)
    {
      /* Makes all rows take their texts again. */
      self->following = TRUE;
      gtk_column_view_set_model (self->list, NULL);
      gtk_column_view_set_model (self->list, GTK_SELECTION_MODEL (self->selection));
      self->following = FALSE;
      vtr_command_view_scroll_to_selection (self);
    }
  return G_SOURCE_REMOVE;
}

static void
queue_reshow (VtrCommandView *self)
{
  if (self->reshow_idle == 0)
    self->reshow_idle = g_idle_add (reshow_idle_cb, self);
}

static void
drop_session (VtrCommandView *self)
{
  g_cancellable_cancel (self->filtering);
  g_clear_object (&self->filtering);
  if (self->list)
    gtk_column_view_set_model (self->list, NULL);
  g_clear_object (&self->selection);
  g_clear_object (&self->model);
  g_clear_object (&self->menu_item);
  vtr_command_thumbs_set_session (self->thumbs, NULL);
  vtr_command_view_set_times_session (self, NULL);
  if (self->session)
    {
      g_signal_handlers_disconnect_by_data (vtr_session_get_edits (self->session), self);
      g_signal_handlers_disconnect_by_data (self->session, self);
    }
  g_clear_object (&self->session);
}

static void
vtr_command_view_dispose (GObject *object)
{
  VtrCommandView *self = VTR_COMMAND_VIEW (object);

  drop_session (self);
  g_clear_handle_id (&self->reshow_idle, g_source_remove);
  g_clear_handle_id (&self->narrow_idle, g_source_remove);
  g_clear_pointer (&self->menu, gtk_widget_unparent);
  g_clear_object (&self->settings);
  g_clear_object (&self->actions);
  G_OBJECT_CLASS (vtr_command_view_parent_class)->dispose (object);
}

static void
vtr_command_view_finalize (GObject *object)
{
  g_ptr_array_unref (VTR_COMMAND_VIEW (object)->rows);
  vtr_command_thumbs_free (VTR_COMMAND_VIEW (object)->thumbs);
  G_OBJECT_CLASS (vtr_command_view_parent_class)->finalize (object);
}

static gboolean
vtr_command_view_grab_focus (GtkWidget *widget)
{
  return vtr_command_view_focus_list (VTR_COMMAND_VIEW (widget));
}

static gboolean
is_wide (VtrCommandView *self)
{
  GtkWidget *widget = GTK_WIDGET (self);

  return gtk_widget_get_width (widget) >= vtr_text_scaled (widget, NARROW_WIDTH);
}

static gboolean
narrow_idle_cb (gpointer data)
{
  VtrCommandView *self = data;

  self->narrow_idle = 0;
  self->narrow = !is_wide (self);
  gtk_column_view_column_set_visible (self->index_column, !self->narrow);
  vtr_command_view_update_thumbs (self);
  return G_SOURCE_REMOVE;
}

static void
vtr_command_view_snapshot (GtkWidget *widget, GtkSnapshot *snapshot)
{
  VtrCommandView *self = VTR_COMMAND_VIEW (widget);
  gboolean wide = is_wide (self);

  GTK_WIDGET_CLASS (vtr_command_view_parent_class)->snapshot (widget, snapshot);
  if (wide != gtk_column_view_column_get_visible (self->index_column) && self->narrow_idle == 0)
    self->narrow_idle = g_idle_add (narrow_idle_cb, self);
}

static void
vtr_command_view_class_init (VtrCommandViewClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  object_class->dispose = vtr_command_view_dispose;
  object_class->finalize = vtr_command_view_finalize;
  widget_class->grab_focus = vtr_command_view_grab_focus;
  vtr_focus_chain_init_class (widget_class);
  widget_class->snapshot = vtr_command_view_snapshot;

  g_type_ensure (VTR_TYPE_PANE_STATE);
  gtk_widget_class_set_template_from_resource (
    widget_class, "/io/github/vitrine/Vitrine/widgets/vtr-command-view.ui");
  gtk_widget_class_bind_template_child (widget_class, VtrCommandView, filter);
  gtk_widget_class_bind_template_child (widget_class, VtrCommandView, flat);
  gtk_widget_class_bind_template_child (widget_class, VtrCommandView, filter_revealer);
  gtk_widget_class_bind_template_child (widget_class, VtrCommandView, filter_note);
  gtk_widget_class_bind_template_child (widget_class, VtrCommandView, stack);
  gtk_widget_class_bind_template_child (widget_class, VtrCommandView, list);
  gtk_widget_class_bind_template_child (widget_class, VtrCommandView, command_column);
  gtk_widget_class_bind_template_child (widget_class, VtrCommandView, index_column);
  gtk_widget_class_bind_template_child (widget_class, VtrCommandView, empty);
  gtk_widget_class_bind_template_callback (widget_class, filter_changed_cb);
  gtk_widget_class_bind_template_callback (widget_class, filter_activate_cb);
  gtk_widget_class_bind_template_callback_full (widget_class, "filter_stop_cb",
                                                G_CALLBACK (vtr_command_view_clear_filter));
  gtk_widget_class_bind_template_callback (widget_class, next_match_cb);
  gtk_widget_class_bind_template_callback (widget_class, previous_match_cb);
  gtk_widget_class_bind_template_callback (widget_class, flat_toggled_cb);
}

static void
vtr_command_view_init (VtrCommandView *self)
{
  GtkEventController *keys = gtk_event_controller_key_new ();

  self->rows = g_ptr_array_new ();
  self->thumbs = vtr_command_thumbs_new ();
  self->settings = vtr_settings_new ();
  gtk_widget_init_template (GTK_WIDGET (self));
  gtk_search_entry_set_key_capture_widget (GTK_SEARCH_ENTRY (self->filter), NULL);
  vtr_command_view_init_cells (self);
  vtr_command_view_init_factories (self);
  vtr_command_view_init_times (self);
  vtr_command_view_init_menus (self);

  gtk_event_controller_set_propagation_phase (keys, GTK_PHASE_CAPTURE);
  g_signal_connect_object (keys, "key-pressed", G_CALLBACK (key_pressed_cb), self,
                           G_CONNECT_SWAPPED);
  gtk_widget_add_controller (GTK_WIDGET (self->list), keys);
  vtr_list_keys_init (GTK_WIDGET (self->list));
  g_signal_connect_object (self->list, "activate", G_CALLBACK (activate_row_cb), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (self->settings, "changed::show-vkcmd", G_CALLBACK (queue_reshow), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (self->settings, "changed::show-thumbnails",
                           G_CALLBACK (vtr_command_view_update_thumbs),
                           self, G_CONNECT_SWAPPED);
  g_signal_connect_object (adw_style_manager_get_default (), "notify::high-contrast",
                           G_CALLBACK (queue_reshow), self, G_CONNECT_SWAPPED);
}

GtkWidget *
vtr_command_view_new (void)
{
  return g_object_new (VTR_TYPE_COMMAND_VIEW, NULL);
}

void
vtr_command_view_set_session (VtrCommandView *self, VtrSession *session)
{
  drop_session (self);
  if (session == NULL)
    return;
  self->session = g_object_ref (session);
  self->frame = vtr_session_get_frame (session);
  vtr_command_thumbs_set_session (self->thumbs, session);
  vtr_command_view_set_times_session (self, session);
  self->model =
    vtr_command_list_new (vtr_session_get_document (session), vtr_session_get_tree (session));
  vtr_command_list_set_flat (self->model, gtk_toggle_button_get_active (self->flat));
  self->selection = gtk_single_selection_new (g_object_ref (G_LIST_MODEL (self->model)));
  gtk_single_selection_set_autoselect (self->selection, FALSE);
  gtk_single_selection_set_can_unselect (self->selection, TRUE);
  gtk_single_selection_set_selected (self->selection, GTK_INVALID_LIST_POSITION);
  gtk_column_view_set_model (self->list, GTK_SELECTION_MODEL (self->selection));
  g_signal_connect_object (self->selection, "notify::selected-item", G_CALLBACK (selected_cb), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (session, "selection-changed", G_CALLBACK (session_selection_changed_cb),
                           self, G_CONNECT_SWAPPED);
  g_signal_connect_object (session, "selected-again", G_CALLBACK (selected_again_cb), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (session, "replay-failed", G_CALLBACK (vtr_command_view_update_failed),
                           self, G_CONNECT_SWAPPED);
  g_signal_connect_object (vtr_session_get_edits (session), "changed",
                           G_CALLBACK (vtr_command_view_update_edited), self, G_CONNECT_SWAPPED);
  session_selection_changed_cb (self);
}

static void
pane_set_session (VtrPane *pane, VtrSession *session)
{
  vtr_command_view_set_session (VTR_COMMAND_VIEW (pane), session);
}

static void
pane_iface_init (VtrPaneInterface *iface)
{
  iface->set_session = pane_set_session;
}
