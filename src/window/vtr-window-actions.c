/* The window's actions for opening, capturing, selecting, stepping and exporting; menus and
 * shortcuts activate them. */
#include "vtr-config.h"

#include "window/vtr-window-private.h"

#include <glib/gi18n.h>
#include <string.h>

#include "widgets/vtr-dialogs.h"
#include "widgets/vtr-recent-card.h"
#include "window/vtr-trace-information.h"

/* The actions "win.…", and the selection that some of them make. */
static void
open_chosen_cb (GtkWindow *window, GSList *files)
{
  vtr_window_open_files (VTR_WINDOW (window), files);
}

static void
open_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  vtr_dialogs_open_traces (GTK_WINDOW (widget), open_chosen_cb);
}

static void
capture_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  VtrWindow *self = VTR_WINDOW (widget);

  /* An open trace stays; the capture opens in another window. */
  if (vtr_window_is_page (self, "trace") || vtr_window_is_page (self, "loading"))
    {
      self = vtr_window_new (gtk_window_get_application (GTK_WINDOW (widget)));
      gtk_window_present (GTK_WINDOW (self));
    }
  vtr_window_show_capture (self);
}

static void
start_capture_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  VtrWindow *self = VTR_WINDOW (widget);

  if (vtr_window_is_page (self, "capture"))
    vtr_capture_page_launch (self->capture);
}

/* Ctrl+Shift+R: launches the program, captures a frame, or ends a recording that began at
 * launch. */
static void
capture_frame_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  VtrWindow *self = VTR_WINDOW (widget);
  g_autoptr (GError) error = NULL;

  if (self->capture == NULL)
    return;
  if (vtr_capture_page_can_trigger (self->capture))
    {
      if (!vtr_capture_page_trigger (self->capture, &error))
        vtr_window_complain (self, error->message);
    }
  else if (vtr_capture_page_get_running (self->capture))
    vtr_capture_page_stop (self->capture, FALSE);
  else if (vtr_window_is_page (self, "capture"))
    vtr_capture_page_launch (self->capture);
}

static gboolean
keep_running (VtrWindow *self)
{
  return g_settings_get_boolean (self->settings, "capture-keep-running");
}

static void
stop_capture_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  VtrWindow *self = VTR_WINDOW (widget);

  if (self->capture)
    vtr_capture_page_stop (self->capture, !keep_running (self));
}

static void
stop_program_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  VtrWindow *self = VTR_WINDOW (widget);

  if (self->capture)
    vtr_capture_page_stop (self->capture, TRUE);
}

static void
choose_program_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  VtrWindow *self = VTR_WINDOW (widget);

  vtr_window_show_page (self, "capture");
  vtr_capture_page_choose_program (self->capture);
}

static void
page_back_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  VtrWindow *self = VTR_WINDOW (widget);

  if (vtr_window_is_page (self, "capture") && vtr_capture_page_go_back (self->capture))
    return;
  vtr_window_show_page (self, "start");
}

static void
cancel_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  VtrWindow *self = VTR_WINDOW (widget);

  g_cancellable_cancel (self->opening);
  g_clear_object (&self->opening);
  if (vtr_window_is_page (self, "loading"))
    vtr_window_show_page (self, self->page_before_loading ? self->page_before_loading : "start");
}

static void
show_in_files_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  if (VTR_WINDOW (widget)->file)
    vtr_show_in_files (widget, VTR_WINDOW (widget)->file);
}

static void
show_file_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  g_autoptr (GFile) file = g_file_new_for_uri (g_variant_get_string (parameter, NULL));

  vtr_show_in_files (widget, file);
}

static void
select_now (VtrWindow *self, const char *given)
{
  g_autofree char *path =
    g_ascii_isdigit (*given) ? g_strconcat ("commands/", given, NULL) : g_strdup (given);
  g_autoptr (GError) error = NULL;

  if (self->session == NULL)
    vtr_window_complain (self, _ ("The window shows no trace"));
  /* Images and shaders are shown as of the selected command, which stays selected. */
  else if (g_str_has_prefix (path, "objects/") && strstr (path, "after=") == NULL &&
           vtr_trace_page_show_path (self->trace, path))
    return;
  else if (vtr_session_select_path (self->session, path, &error))
    {
      g_auto (GStrv) steps = g_strsplit_set (path, "/?", 3);

      /* No pane shows such an object: selects the command that created it. */
      if (!vtr_trace_page_show_path (self->trace, path) && g_str_equal (steps[0], "objects") &&
          strstr (path, "after=") == NULL)
        {
          g_autofree char *whole = g_strconcat ("objects/", steps[1], NULL);

          vtr_session_select_path (self->session, whole, NULL);
        }
    }
  /* "report" and "log" belong to the trace, not to a command. */
  else if (!vtr_trace_page_show_path (self->trace, path))
    vtr_window_complain (self, error->message);
}

static void
ready_to_select_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autofree char *path = data;

  if (vtr_window_wait_finish (VTR_WINDOW (source), result, NULL))
    select_now (VTR_WINDOW (source), path);
}

void
vtr_window_select (VtrWindow *self, const char *path)
{
  if (vtr_window_must_wait (self))
    vtr_window_wait_async (self, NULL, ready_to_select_cb, g_strdup (path));
  else
    select_now (self, path);
}

static void
select_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  vtr_window_select (VTR_WINDOW (widget), g_variant_get_string (parameter, NULL));
}

static void
trace_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  VtrWindow *self = VTR_WINDOW (widget);
  VtrCommandView *commands;

  if (self->session == NULL)
    return;
  commands = vtr_trace_page_get_commands (self->trace);
  name += strlen ("win.");
  if (g_str_equal (name, "back"))
    vtr_session_go_back (self->session);
  else if (g_str_equal (name, "forward"))
    vtr_session_go_forward (self->session);
  else if (g_str_equal (name, "frame-end"))
    vtr_session_select_frame_end (self->session, vtr_session_get_frame (self->session));
  else if (g_str_equal (name, "next-frame"))
    vtr_session_step_frame (self->session, 1);
  else if (g_str_equal (name, "previous-frame"))
    vtr_session_step_frame (self->session, -1);
  else if (g_str_equal (name, "find"))
    {
      if (vtr_trace_page_find (self->trace, 0))
        return;
      vtr_trace_page_raise (self->trace, "commands");
      vtr_command_view_focus_filter (commands);
    }
  else if (g_str_equal (name, "find-next"))
    {
      if (!vtr_trace_page_find (self->trace, 1))
        vtr_command_view_step_match (commands, 1);
    }
  else if (g_str_equal (name, "find-previous"))
    {
      if (!vtr_trace_page_find (self->trace, -1))
        vtr_command_view_step_match (commands, -1);
    }
  else if (g_str_equal (name, "next-pane"))
    vtr_trace_page_step_pane (self->trace, 1);
  else if (g_str_equal (name, "previous-pane"))
    vtr_trace_page_step_pane (self->trace, -1);
  else if (g_str_equal (name, "next-tab"))
    vtr_trace_page_step_tab (self->trace, 1);
  else if (g_str_equal (name, "previous-tab"))
    vtr_trace_page_step_tab (self->trace, -1);
  else if (g_str_equal (name, "show-log"))
    vtr_trace_page_raise (self->trace, "log");
  else if (g_str_equal (name, "show-report"))
    vtr_trace_page_raise (self->trace, "report");
  else if (g_str_equal (name, "show-memory"))
    vtr_trace_page_raise (self->trace, "memory");
  else if (g_str_equal (name, "show-textures"))
    vtr_trace_page_raise (self->trace, "textures");
}

static void
draw_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  VtrWindow *self = VTR_WINDOW (widget);
  gboolean found;

  if (self->session == NULL)
    return;
  if (g_str_equal (name, "win.first-draw"))
    {
      guint64 first, last;

      vtr_trace_get_frame (vtr_session_get_trace (self->session),
                           vtr_session_get_frame (self->session), &first, &last);
      vtr_session_select (self->session, first, VTR_SELECT_STEP);
      found = vtr_session_step_draw (self->session, 1);
    }
  else
    found = vtr_session_step_draw (self->session, g_str_equal (name, "win.next-draw") ? 1 : -1);
  if (!found)
    vtr_window_toast (self,
                      g_str_equal (name, "win.previous-draw") ? _ ("No earlier draw")
                                                              : _ ("No later draw"),
                      NULL, NULL, NULL);
}

static void
finish_step (VtrWindow *self, GObject *source, GAsyncResult *result, const char *none)
{
  g_autoptr (GError) error = NULL;

  if (!vtr_session_step_write_finish (VTR_SESSION (source), result, &error) &&
      !g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    vtr_window_toast (self, none, NULL, NULL, NULL);
  g_object_unref (self);
}

static void
stepped_forward_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  finish_step (data, source, result, _ ("No later write to this image"));
}

static void
stepped_back_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  finish_step (data, source, result, _ ("No earlier write to this image"));
}

static void
write_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  VtrWindow *self = VTR_WINDOW (widget);
  guint32 image = self->session ? vtr_trace_page_get_image (self->trace) : 0;
  gboolean forward = g_str_equal (name, "win.next-write");

  if (image == 0)
    {
      vtr_window_toast (self, _ ("No image is shown"), NULL, NULL, NULL);
      return;
    }
  /* A newer request replaces an older one. */
  g_cancellable_cancel (self->stepping);
  g_clear_object (&self->stepping);
  self->stepping = g_cancellable_new ();
  vtr_session_step_write_async (self->session, image, forward ? 1 : -1, self->stepping,
                                forward ? stepped_forward_cb : stepped_back_cb,
                                g_object_ref (self));
}

static void
copy_path_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  VtrWindow *self = VTR_WINDOW (widget);

  if (self->session && vtr_session_get_path (self->session))
    gdk_clipboard_set_text (gtk_widget_get_clipboard (widget),
                            vtr_session_get_path (self->session));
}

static void
go_to_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  vtr_dialogs_go_to (GTK_WINDOW (widget), vtr_session_get_path (VTR_WINDOW (widget)->session));
}

static void
trace_information_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  VtrWindow *self = VTR_WINDOW (widget);

  if (self->session != NULL)
    vtr_trace_information_show (GTK_WINDOW (self), self->session);
}

static void
replay_on_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  vtr_window_replay_on (VTR_WINDOW (widget), g_variant_get_string (parameter, NULL));
}

static void
choose_device_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  vtr_trace_page_choose_device (VTR_WINDOW (widget)->trace);
}

static void
export_image_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  vtr_window_export_image (VTR_WINDOW (widget), NULL);
}

static void
reveal_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  VtrWindow *self = VTR_WINDOW (widget);
  const char *property = name + strlen ("win.");
  gboolean revealed;

  g_object_get (self->trace, property, &revealed, NULL);
  g_object_set (self->trace, property, !revealed, NULL);
}

void
vtr_window_install_actions (GtkWidgetClass *widget_class)
{
  static const char *const plain[] = {
    "win.back", "win.forward", "win.frame-end", "win.next-frame", "win.previous-frame",
    "win.find", "win.find-next", "win.find-previous", "win.next-pane", "win.previous-pane",
    "win.next-tab", "win.previous-tab", "win.show-log", "win.show-report",
    "win.show-memory", "win.show-textures"
  };

  for (guint i = 0; i < G_N_ELEMENTS (plain); i++)
    gtk_widget_class_install_action (widget_class, plain[i], NULL, trace_action);
  vtr_window_install_edit_actions (widget_class);
  gtk_widget_class_install_action (widget_class, "win.first-draw", NULL, draw_action);
  gtk_widget_class_install_action (widget_class, "win.next-draw", NULL, draw_action);
  gtk_widget_class_install_action (widget_class, "win.previous-draw", NULL, draw_action);
  gtk_widget_class_install_action (widget_class, "win.next-write", NULL, write_action);
  gtk_widget_class_install_action (widget_class, "win.previous-write", NULL, write_action);
  gtk_widget_class_install_action (widget_class, "win.reveal-start", NULL, reveal_action);
  gtk_widget_class_install_action (widget_class, "win.reveal-end", NULL, reveal_action);
  gtk_widget_class_install_action (widget_class, "win.reveal-bottom", NULL, reveal_action);
  gtk_widget_class_install_action (widget_class, "win.open", NULL, open_action);
  gtk_widget_class_install_action (widget_class, "win.capture", NULL, capture_action);
  gtk_widget_class_install_action (widget_class, "win.start-capture", NULL, start_capture_action);
  gtk_widget_class_install_action (widget_class, "win.capture-frame", NULL, capture_frame_action);
  gtk_widget_class_install_action (widget_class, "win.stop-capture", NULL, stop_capture_action);
  gtk_widget_class_install_action (widget_class, "win.stop-program", NULL, stop_program_action);
  gtk_widget_class_install_action (widget_class, "win.choose-program", NULL, choose_program_action);
  gtk_widget_class_install_action (widget_class, "win.page-back", NULL, page_back_action);
  gtk_widget_class_install_action (widget_class, "win.cancel", NULL, cancel_action);
  gtk_widget_class_install_action (widget_class, "win.show-in-files", NULL, show_in_files_action);
  gtk_widget_class_install_action (widget_class, "win.show-file", "s", show_file_action);
  gtk_widget_class_install_action (widget_class, "win.select", "s", select_action);
  gtk_widget_class_install_action (widget_class, "win.copy-path", NULL, copy_path_action);
  gtk_widget_class_install_action (widget_class, "win.go-to", NULL, go_to_action);
  gtk_widget_class_install_action (widget_class, "win.trace-information", NULL,
                                   trace_information_action);
  gtk_widget_class_install_action (widget_class, "win.replay-on", "s", replay_on_action);
  gtk_widget_class_install_action (widget_class, "win.choose-device", NULL, choose_device_action);
  gtk_widget_class_install_action (widget_class, "win.export-image", NULL, export_image_action);
}
