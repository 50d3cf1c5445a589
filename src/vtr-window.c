#include "vtr-config.h"

#include "vtr-window.h"

#include <glib/gi18n.h>

#include "vtr-dialogs.h"
#include "vtr-panes.h"
#include "vtr-recent-store.h"
#include "vtr-settings.h"
#include "vtr-thumbnailer.h"
#include "vtr-trace-page.h"
#include "vtr-window-private.h"
#include "widgets/vtr-banner.h"
#include "widgets/vtr-capture-page.h"
#include "widgets/vtr-recent-card.h"
#include "widgets/vtr-start-page.h"

struct _VtrWindow
{
  AdwApplicationWindow parent_instance;

  AdwToastOverlay *toasts;
  AdwWindowTitle *title;
  GtkWidget *page_back;
  GtkWidget *trace_start;
  GtkWidget *trace_end;
  GtkWidget *start_toggle;
  GtkWidget *bottom_toggle;
  GtkWidget *end_toggle;
  GtkMenuButton *menu;
  VtrBanner *banner;
  GtkStack *stack;
  VtrStartPage *start;
  VtrCapturePage *capture;
  GtkWidget *asking; /* whether to stop a capture; weak */
  AdwStatusPage *loading;
  GtkProgressBar *progress;
  AdwStatusPage *error;
  GtkWidget *show_in_files;
  VtrTracePage *trace;
  GtkRevealer *drop_revealer;

  GSettings *settings;
  VtrSession *session;
  GFile *file;
  GCancellable *opening;
  char *page_before_loading;
};

G_DEFINE_FINAL_TYPE (VtrWindow, vtr_window, ADW_TYPE_APPLICATION_WINDOW)

enum
{
  PAGE_CHANGED,
  N_SIGNALS
};

static guint signals[N_SIGNALS];

static void
show_page (VtrWindow *self, const char *name)
{
  gtk_stack_set_visible_child_name (self->stack, name);
}

const char *
vtr_window_get_page (VtrWindow *self)
{
  return gtk_stack_get_visible_child_name (self->stack);
}

static gboolean
is_page (VtrWindow *self, const char *name)
{
  return g_strcmp0 (vtr_window_get_page (self), name) == 0;
}

/* --- header ---------------------------------------------------------------------------------- */

static void
update_title (VtrWindow *self)
{
  g_autofree char *name = self->file ? g_file_get_basename (self->file) : NULL;
  g_autofree char *display = name ? g_filename_display_name (name) : NULL;
  g_autofree char *subtitle = NULL;

  if (is_page (self, "trace") && self->session)
    {
      VtrTrace *trace = vtr_session_get_trace (self->session);
      const VtrTraceInfo *info = vtr_trace_get_info (trace);
      guint64 n_frames = vtr_trace_get_n_frames (trace);
      g_autofree char *frames = vtr_format_number (n_frames);
      g_autofree char *commands = vtr_format_number (vtr_trace_get_n_commands (trace));
      g_autofree char *device = NULL;
      g_autofree char *counts = g_strdup_printf (
        ngettext ("%s frame · %s commands", "%s frames · %s commands", n_frames), frames, commands);

      device = vtr_short_device_name (info->device ? info->device : "");
      subtitle = g_strdup_printf ("%s%s%s", device, *device ? " · " : "", counts);
    }
  else if (is_page (self, "capture"))
    {
      g_free (display);
      display = g_strdup (_ ("Capture"));
      subtitle = g_strdup (_ ("This computer"));
    }
  else if (is_page (self, "start"))
    g_clear_pointer (&display, g_free);

  adw_window_title_set_title (self->title, display ? display : "Vitrine");
  adw_window_title_set_subtitle (self->title, subtitle ? subtitle : "");
  gtk_window_set_title (GTK_WINDOW (self), display ? display : "Vitrine");
}

static void
update_history (VtrWindow *self)
{
  gboolean back = FALSE;
  gboolean forward = FALSE;

  if (self->session && is_page (self, "trace"))
    g_object_get (self->session, "can-go-back", &back, "can-go-forward", &forward, NULL);
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "win.back", back);
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "win.forward", forward);
}

static void
page_changed_cb (VtrWindow *self)
{
  static const char *const trace_actions[] = {
    "win.export-image", "win.go-to", "win.find", "win.find-next",
    "win.find-previous", "win.frame-end", "win.first-draw", "win.next-draw",
    "win.previous-draw", "win.next-frame", "win.previous-frame", "win.next-pane",
    "win.previous-pane", "win.next-tab", "win.previous-tab", "win.copy-path",
    "win.reveal-start", "win.reveal-end", "win.reveal-bottom", "win.show-log"
  };
  gboolean trace = is_page (self, "trace");

  if (self->trace_start == NULL)
    return;
  gtk_widget_insert_action_group (
    GTK_WIDGET (self), "panes",
    trace ? vtr_layout_get_actions (vtr_trace_page_get_layout (self->trace)) : NULL);
  gtk_widget_set_visible (self->trace_start, trace);
  gtk_widget_set_visible (self->trace_end, trace);
  gtk_widget_set_visible (self->page_back, is_page (self, "capture") || is_page (self, "error"));
  for (guint i = 0; i < G_N_ELEMENTS (trace_actions); i++)
    gtk_widget_action_set_enabled (GTK_WIDGET (self), trace_actions[i], trace);
  update_title (self);
  update_history (self);
  g_signal_emit (self, signals[PAGE_CHANGED], 0);
}

/* --- opening --------------------------------------------------------------------------------- */

typedef struct
{
  VtrWindow *self;
  GCancellable *cancellable;
} Opening;

static void
opening_free (Opening *opening)
{
  g_object_unref (opening->self);
  g_object_unref (opening->cancellable);
  g_free (opening);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (Opening, opening_free)

static void
open_progress_cb (guint64 done, guint64 total, gpointer data)
{
  Opening *opening = data;
  g_autofree char *a = vtr_format_number (done);
  g_autofree char *b = vtr_format_number (total);
  g_autofree char *text = NULL;

  if (g_cancellable_is_cancelled (opening->cancellable))
    return;
  if (total == 0)
    {
      gtk_progress_bar_pulse (opening->self->progress);
      return;
    }
  text = g_strdup_printf (_ ("Reading commands · %s of %s"), a, b);
  adw_status_page_set_description (opening->self->loading, text);
  gtk_progress_bar_set_fraction (opening->self->progress, MIN (1, (double)done / (double)total));
}

static void
show_open_error (VtrWindow *self, const GError *error)
{
  g_autofree char *name = g_file_get_basename (self->file);
  g_autofree char *display = g_filename_display_name (name);
  g_autofree char *escaped = g_markup_escape_text (display, -1);
  g_autofree char *title = g_strdup_printf (_ ("Cannot Open “%s”"), escaped);
  g_autofree char *text = g_markup_escape_text (error->message, -1);

  adw_status_page_set_title (self->error, title);
  adw_status_page_set_description (self->error, text);
  gtk_widget_set_visible (self->show_in_files, g_file_query_exists (self->file, NULL));
  show_page (self, "error");
}

static void
remember (VtrWindow *self)
{
  VtrTrace *trace = vtr_session_get_trace (self->session);
  const VtrTraceInfo *info = vtr_trace_get_info (trace);
  VtrRecentFacts facts = { info->device, vtr_trace_get_n_frames (trace),
                           vtr_trace_get_n_commands (trace), info->bytes, info->truncated };
  g_autofree char *uri = g_file_get_uri (self->file);
  static char *groups[] = { NULL };
  GtkRecentData data = { 0 };

  vtr_recent_store_add (vtr_recent_store_get_default (), self->file, &facts);
  data.mime_type = (char *)"application/x-gfxtrace";
  data.app_name = (char *)"Vitrine";
  data.app_exec = (char *)"vitrine %u";
  data.groups = groups;
  gtk_recent_manager_add_full (gtk_recent_manager_get_default (), uri, &data);
}

static void
selection_changed_cb (VtrWindow *self)
{
  GtkApplication *application = gtk_window_get_application (GTK_WINDOW (self));

  update_history (self);
  if (application && gtk_application_get_active_window (application) == GTK_WINDOW (self))
    vtr_application_set_selected (VTR_APPLICATION (application),
                                  vtr_session_get_path (self->session));
}

static void
show_session (VtrWindow *self, VtrDocument *document)
{
  VtrTrace *trace = vtr_document_get_trace (document);
  const char *warning = vtr_trace_get_warning (trace);
  guint64 n_frames = vtr_trace_get_n_frames (trace);

  self->session = vtr_session_new (document);
  g_signal_connect_object (self->session, "selection-changed", G_CALLBACK (selection_changed_cb),
                           self, G_CONNECT_SWAPPED);
  vtr_trace_page_set_session (self->trace, self->session);
  remember (self);
  show_page (self, "trace");
  if (warning)
    vtr_banner_show (self->banner, warning, _ ("Details"), "win.show-report");
  /* The last frame's end: its picture at once, no tab to click. One that presents nothing ends with
   * everything destroyed: its last draw. */
  if (n_frames > 0)
    vtr_session_select_frame_end (self->session, n_frames - 1);
  if (n_frames > 0 && vtr_command_kind (vtr_trace_get_command_id (
                        trace,
                        vtr_session_get_command (self->session))) != VTR_COMMAND_KIND_PRESENT)
    vtr_session_step_draw (self->session, -1);
  vtr_thumbnailer_run (document, vtr_session_get_command (self->session), self->file,
                       self->opening);
  gtk_widget_grab_focus (GTK_WIDGET (vtr_trace_page_get_commands (self->trace)));
  page_changed_cb (self);
}

static void
opened_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (Opening) opening = data;
  VtrWindow *self = opening->self;
  g_autoptr (GError) error = NULL;
  g_autoptr (VtrDocument) document = vtr_document_open_finish (result, &error);

  if (g_cancellable_is_cancelled (opening->cancellable))
    return;
  if (document)
    show_session (self, document);
  else
    show_open_error (self, error);
}

static void
drop_session (VtrWindow *self)
{
  g_cancellable_cancel (self->opening);
  g_clear_object (&self->opening);
  if (self->session)
    {
      g_signal_handlers_disconnect_by_data (self->session, self);
      vtr_trace_page_set_session (self->trace, NULL);
    }
  g_clear_object (&self->session);
  vtr_banner_hide (self->banner);
}

void
vtr_window_open_file (VtrWindow *self, GFile *file)
{
  g_autofree char *path = g_file_get_path (file);
  g_autofree char *name = g_file_get_basename (file);
  g_autofree char *display = g_filename_display_name (name);
  g_autofree char *escaped = g_markup_escape_text (display, -1);
  g_autofree char *title = g_strdup_printf (_ ("Opening “%s”"), escaped);
  Opening *opening;

  drop_session (self);
  g_set_object (&self->file, file);
  if (path == NULL)
    {
      g_autoptr (GError) error =
        g_error_new (G_IO_ERROR, G_IO_ERROR_NOT_SUPPORTED,
                     _ ("The file is not on this computer. Copy it here first."));

      show_open_error (self, error);
      return;
    }
  g_free (self->page_before_loading);
  self->page_before_loading = g_strdup (is_page (self, "capture") ? "capture" : "start");
  self->opening = g_cancellable_new ();
  adw_status_page_set_title (self->loading, title);
  adw_status_page_set_description (self->loading, "");
  gtk_progress_bar_set_fraction (self->progress, 0);
  show_page (self, "loading");

  opening = g_new0 (Opening, 1);
  opening->self = g_object_ref (self);
  opening->cancellable = g_object_ref (self->opening);
  vtr_document_open_async (path, open_progress_cb, opening, self->opening, opened_cb, opening);
}

gboolean
vtr_window_is_busy (VtrWindow *self)
{
  return is_page (self, "trace") || is_page (self, "loading") ||
         vtr_capture_page_get_running (self->capture);
}

gboolean
vtr_window_is_capturing (VtrWindow *self)
{
  return vtr_capture_page_get_running (self->capture);
}

VtrSession *
vtr_window_get_session (VtrWindow *self)
{
  return self->session;
}

GFile *
vtr_window_get_file (VtrWindow *self)
{
  return self->file;
}

static void
open_files (VtrWindow *self, GSList *files)
{
  VtrApplication *application = VTR_APPLICATION (gtk_window_get_application (GTK_WINDOW (self)));

  for (GSList *l = files; l; l = l->next)
    {
      VtrWindow *window = vtr_window_is_busy (self) ? vtr_window_new (application) : self;

      vtr_window_open_file (window, l->data);
      gtk_window_present (GTK_WINDOW (window));
    }
}

static void
recent_open_cb (VtrWindow *self, GFile *file, gboolean new_window)
{
  VtrApplication *application = VTR_APPLICATION (gtk_window_get_application (GTK_WINDOW (self)));
  VtrWindow *window = new_window ? vtr_window_new (application) : self;

  vtr_window_open_file (window, file);
  gtk_window_present (GTK_WINDOW (window));
}

static void
captured_cb (VtrWindow *self, const char *path)
{
  g_autoptr (GFile) file = g_file_new_for_path (path);

  vtr_window_open_file (self, file);
}

/* --- capture --------------------------------------------------------------------------------- */

void
vtr_window_show_capture (VtrWindow *self)
{
  show_page (self, "capture");
}

void
vtr_window_capture_program (VtrWindow         *self,
                            const char *const *argv,
                            const char        *directory,
                            guint              n_frames)
{
  vtr_capture_page_set_program (self->capture, argv, directory, n_frames);
  vtr_capture_page_launch (self->capture);
}

/* --- what happened
 * ------------------------------------------------------------------------------- */

void
vtr_window_toast (
  VtrWindow *self, const char *text, const char *button, const char *action, const char *target)
{
  g_autofree char *escaped = g_markup_escape_text (text, -1); /* libadwaita reads markup here */
  AdwToast *message = adw_toast_new (escaped);

  if (button)
    {
      adw_toast_set_button_label (message, button);
      adw_toast_set_action_name (message, action);
      adw_toast_set_action_target (message, "s", target);
    }
  adw_toast_overlay_add_toast (self->toasts, message);
}

void
vtr_window_complain (VtrWindow *self, const char *text)
{
  vtr_window_toast (self, text, NULL, NULL, NULL);
  if (self->session)
    vtr_session_add_log (self->session, VTR_MESSAGE_WARNING, text, VTR_COMMAND_NO_INDEX);
}

char *
vtr_window_dup_image_path (VtrWindow *self, GError **error)
{
  if (self->session == NULL)
    {
      g_set_error (error, VTR_RESOLVE_ERROR, VTR_RESOLVE_ERROR_NOTHING,
                   _ ("The window shows no trace"));
      return NULL;
    }
  return vtr_framebuffer_view_dup_image_path (vtr_trace_page_get_framebuffer (self->trace), error);
}

/* --- actions --------------------------------------------------------------------------------- */

static void
open_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  vtr_dialogs_open_traces (GTK_WINDOW (widget), open_files);
}

static void
capture_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  VtrWindow *self = VTR_WINDOW (widget);

  /* A trace stays: capturing goes on beside it. */
  if (is_page (self, "trace") || is_page (self, "loading"))
    {
      self = vtr_window_new (VTR_APPLICATION (gtk_window_get_application (GTK_WINDOW (widget))));
      gtk_window_present (GTK_WINDOW (self));
    }
  vtr_window_show_capture (self);
}

static void
start_capture_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  VtrWindow *self = VTR_WINDOW (widget);

  if (is_page (self, "capture"))
    vtr_capture_page_launch (self->capture);
}

/* Ctrl+Shift+R: launches, or ends the recording. */
static void
capture_frame_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  VtrWindow *self = VTR_WINDOW (widget);

  if (vtr_capture_page_get_running (self->capture))
    vtr_capture_page_stop (self->capture, FALSE);
  else if (is_page (self, "capture"))
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

  vtr_capture_page_stop (self->capture, !keep_running (self));
}

static void
stop_program_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  vtr_capture_page_stop (VTR_WINDOW (widget)->capture, TRUE);
}

static void
choose_program_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  VtrWindow *self = VTR_WINDOW (widget);

  show_page (self, "capture");
  vtr_capture_page_choose_program (self->capture);
}

static void
page_back_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  VtrWindow *self = VTR_WINDOW (widget);

  if (is_page (self, "capture") && vtr_capture_page_go_back (self->capture))
    return;
  show_page (self, "start");
}

static void
cancel_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  VtrWindow *self = VTR_WINDOW (widget);

  g_cancellable_cancel (self->opening);
  g_clear_object (&self->opening);
  if (is_page (self, "loading"))
    show_page (self, self->page_before_loading ? self->page_before_loading : "start");
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
  /* An image or a shader is looked at as of the selected command, which stays. */
  else if (g_str_has_prefix (path, "objects/") && strstr (path, "after=") == NULL &&
           vtr_trace_page_show_path (self->trace, path))
    return;
  else if (vtr_session_select_path (self->session, path, &error))
    {
      g_auto (GStrv) steps = g_strsplit_set (path, "/?", 3);

      /* No pane for what it holds: where it was made. */
      if (!vtr_trace_page_show_path (self->trace, path) && g_str_equal (steps[0], "objects") &&
          strstr (path, "after=") == NULL)
        {
          g_autofree char *whole = g_strconcat ("objects/", steps[1], NULL);

          vtr_session_select_path (self->session, whole, NULL);
        }
    }
  /* "report", "log": of the trace, not of a command. */
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
  if (is_page (self, "loading"))
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
  VtrCommandView *commands = vtr_trace_page_get_commands (self->trace);

  if (self->session == NULL)
    return;
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
                      g_str_equal (name, "win.previous-draw") ? _ ("There is no draw before this")
                                                              : _ ("There is no draw after this"),
                      NULL, NULL, NULL);
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

/* --- dropping files -------------------------------------------------------------------------- */

static GdkDragAction
drop_enter_cb (VtrWindow *self)
{
  gtk_widget_set_visible (GTK_WIDGET (self->drop_revealer), TRUE);
  gtk_revealer_set_reveal_child (self->drop_revealer, TRUE);
  return GDK_ACTION_COPY;
}

static void
drop_leave_cb (VtrWindow *self)
{
  gtk_revealer_set_reveal_child (self->drop_revealer, FALSE);
  gtk_widget_set_visible (GTK_WIDGET (self->drop_revealer), FALSE);
}

static gboolean
drop_cb (VtrWindow *self, const GValue *value)
{
  drop_leave_cb (self);
  if (G_VALUE_HOLDS (value, GDK_TYPE_FILE_LIST))
    {
      g_autoptr (GSList) files = gdk_file_list_get_files (g_value_get_boxed (value));

      open_files (self, files);
      return TRUE;
    }
  return FALSE;
}

static void
init_drop (VtrWindow *self)
{
  GtkDropTarget *target = gtk_drop_target_new (GDK_TYPE_FILE_LIST, GDK_ACTION_COPY);

  g_signal_connect_object (target, "enter", G_CALLBACK (drop_enter_cb), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (target, "leave", G_CALLBACK (drop_leave_cb), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (target, "drop", G_CALLBACK (drop_cb), self, G_CONNECT_SWAPPED);
  gtk_widget_add_controller (GTK_WIDGET (self), GTK_EVENT_CONTROLLER (target));
}

/* --- keys that act while a view has the focus, never in entries ------------------------------- */

static gboolean
key_pressed_cb (VtrWindow *self, guint key, guint code, GdkModifierType modifiers)
{
  GtkWidget *focus = gtk_window_get_focus (GTK_WINDOW (self));

  if (!is_page (self, "trace") || GTK_IS_EDITABLE (focus) || GTK_IS_TEXT (focus) ||
      (modifiers & (GDK_CONTROL_MASK | GDK_ALT_MASK | GDK_SUPER_MASK)))
    return GDK_EVENT_PROPAGATE;
  if (key != GDK_KEY_comma && key != GDK_KEY_period)
    return GDK_EVENT_PROPAGATE;
  gtk_widget_activate_action (GTK_WIDGET (self),
                              key == GDK_KEY_period ? "win.next-draw" : "win.previous-draw", NULL);
  return GDK_EVENT_STOP;
}

/* --- life ------------------------------------------------------------------------------------ */

static void
update_style (VtrWindow *self)
{
  AdwStyleManager *style = adw_style_manager_get_default ();

  if (adw_style_manager_get_high_contrast (style))
    gtk_widget_add_css_class (GTK_WIDGET (self), "hc");
  else
    gtk_widget_remove_css_class (GTK_WIDGET (self), "hc");
  if (adw_style_manager_get_dark (style))
    gtk_widget_add_css_class (GTK_WIDGET (self), "dark");
  else
    gtk_widget_remove_css_class (GTK_WIDGET (self), "dark");
}

static void
close_response_cb (VtrWindow *self, const char *response)
{
  if (!g_str_equal (response, "stop"))
    return;
  vtr_capture_page_stop (self->capture, TRUE);
  gtk_window_destroy (GTK_WINDOW (self));
}

static gboolean
close_idle_cb (gpointer data)
{
  gtk_window_close (data);
  return G_SOURCE_REMOVE;
}

/* The capture is over by itself: there is nothing left to ask about. */
static void
capture_ended_cb (VtrWindow *self)
{
  if (self->asking == NULL)
    return;
  gtk_window_destroy (GTK_WINDOW (self->asking));
  g_idle_add_full (G_PRIORITY_DEFAULT_IDLE, close_idle_cb, g_object_ref (self), g_object_unref);
}

static gboolean
vtr_window_close_request (GtkWindow *window)
{
  VtrWindow *self = VTR_WINDOW (window);

  vtr_layout_save (vtr_trace_page_get_layout (self->trace));
  g_settings_set_boolean (self->settings, "window-maximized", gtk_window_is_maximized (window));
  if (!gtk_window_is_maximized (window))
    g_settings_set (self->settings, "window-size", "(ii)", gtk_widget_get_width (GTK_WIDGET (self)),
                    gtk_widget_get_height (GTK_WIDGET (self)));
  if (vtr_capture_page_get_running (self->capture))
    {
      if (self->asking == NULL)
        g_set_weak_pointer (
          &self->asking, vtr_dialogs_confirm_stop (window, G_CALLBACK (close_response_cb), self));
      return TRUE;
    }
  return GTK_WINDOW_CLASS (vtr_window_parent_class)->close_request (window);
}

static void
vtr_window_dispose (GObject *object)
{
  VtrWindow *self = VTR_WINDOW (object);

  if (self->trace)
    drop_session (self);
  g_clear_weak_pointer (&self->asking);
  g_clear_object (&self->file);
  g_clear_object (&self->settings);
  G_OBJECT_CLASS (vtr_window_parent_class)->dispose (object);
}

static void
vtr_window_finalize (GObject *object)
{
  g_free (VTR_WINDOW (object)->page_before_loading);
  G_OBJECT_CLASS (vtr_window_parent_class)->finalize (object);
}

static void
install_actions (GtkWidgetClass *widget_class)
{
  static const char *const plain[] = {
    "win.back", "win.forward", "win.frame-end", "win.next-frame", "win.previous-frame",
    "win.find", "win.find-next", "win.find-previous", "win.next-pane", "win.previous-pane",
    "win.next-tab", "win.previous-tab", "win.show-log", "win.show-report"
  };

  for (guint i = 0; i < G_N_ELEMENTS (plain); i++)
    gtk_widget_class_install_action (widget_class, plain[i], NULL, trace_action);
  gtk_widget_class_install_action (widget_class, "win.first-draw", NULL, draw_action);
  gtk_widget_class_install_action (widget_class, "win.next-draw", NULL, draw_action);
  gtk_widget_class_install_action (widget_class, "win.previous-draw", NULL, draw_action);
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
  gtk_widget_class_install_action (widget_class, "win.export-image", NULL, export_image_action);
}

static void
vtr_window_class_init (VtrWindowClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = vtr_window_dispose;
  G_OBJECT_CLASS (klass)->finalize = vtr_window_finalize;
  GTK_WINDOW_CLASS (klass)->close_request = vtr_window_close_request;
  signals[PAGE_CHANGED] = g_signal_new ("page-changed", VTR_TYPE_WINDOW, G_SIGNAL_RUN_LAST, 0, NULL,
                                        NULL, NULL, G_TYPE_NONE, 0);

  g_type_ensure (VTR_TYPE_BANNER);
  g_type_ensure (VTR_TYPE_START_PAGE);
  g_type_ensure (VTR_TYPE_CAPTURE_PAGE);
  g_type_ensure (VTR_TYPE_TRACE_PAGE);
  gtk_widget_class_set_template_from_resource (widget_class,
                                               "/io/github/vitrine/Vitrine/vtr-window.ui");
#define BIND(name) gtk_widget_class_bind_template_child (widget_class, VtrWindow, name)
  BIND (toasts);
  BIND (title);
  BIND (page_back);
  BIND (trace_start);
  BIND (trace_end);
  BIND (start_toggle);
  BIND (bottom_toggle);
  BIND (end_toggle);
  BIND (menu);
  BIND (banner);
  BIND (stack);
  BIND (start);
  BIND (capture);
  BIND (loading);
  BIND (progress);
  BIND (error);
  BIND (show_in_files);
  BIND (trace);
  BIND (drop_revealer);
#undef BIND
  gtk_widget_class_bind_template_callback (widget_class, page_changed_cb);
  gtk_widget_class_bind_template_callback (widget_class, recent_open_cb);
  gtk_widget_class_bind_template_callback (widget_class, captured_cb);
  gtk_widget_class_bind_template_callback (widget_class, capture_ended_cb);
  install_actions (widget_class);
}

/* The menu has a switch for every pane. */
static void
init_panes_menu (VtrWindow *self, GtkBuilder *builder)
{
  GMenu *menu = G_MENU (gtk_builder_get_object (builder, "panes"));
  guint n_panes;
  const VtrPaneInfo *infos = vtr_panes_list (&n_panes);

  for (guint i = 0; i < n_panes; i++)
    {
      g_autofree char *action = g_strconcat ("panes.", infos[i].id, NULL);

      g_menu_append (menu, _ (infos[i].title), action);
    }
}

static void
vtr_window_init (VtrWindow *self)
{
  g_autoptr (GtkBuilder) builder =
    gtk_builder_new_from_resource ("/io/github/vitrine/Vitrine/gtk/menus.ui");
  GtkEventController *keys = gtk_event_controller_key_new ();
  AdwStyleManager *style = adw_style_manager_get_default ();
  int width, height;

  self->settings = vtr_settings_new ();
  gtk_widget_init_template (GTK_WIDGET (self));
  init_panes_menu (self, builder);
  gtk_menu_button_set_menu_model (self->menu,
                                  G_MENU_MODEL (gtk_builder_get_object (builder, "primary")));
  vtr_start_page_set_store (self->start, vtr_recent_store_get_default ());
  g_object_bind_property (self->trace, "reveal-start", self->start_toggle, "active",
                          G_BINDING_BIDIRECTIONAL | G_BINDING_SYNC_CREATE);
  g_object_bind_property (self->trace, "reveal-bottom", self->bottom_toggle, "active",
                          G_BINDING_BIDIRECTIONAL | G_BINDING_SYNC_CREATE);
  g_object_bind_property (self->trace, "reveal-end", self->end_toggle, "active",
                          G_BINDING_BIDIRECTIONAL | G_BINDING_SYNC_CREATE);
  g_settings_get (self->settings, "window-size", "(ii)", &width, &height);
  gtk_window_set_default_size (GTK_WINDOW (self), MAX (width, 640), MAX (height, 480));
  if (g_settings_get_boolean (self->settings, "window-maximized"))
    gtk_window_maximize (GTK_WINDOW (self));

  g_signal_connect_object (keys, "key-pressed", G_CALLBACK (key_pressed_cb), self,
                           G_CONNECT_SWAPPED);
  gtk_widget_add_controller (GTK_WIDGET (self), keys);
  g_signal_connect_object (style, "notify::dark", G_CALLBACK (update_style), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (style, "notify::high-contrast", G_CALLBACK (update_style), self,
                           G_CONNECT_SWAPPED);
  update_style (self);
  init_drop (self);
  page_changed_cb (self);
}

VtrWindow *
vtr_window_new (VtrApplication *application)
{
  return g_object_new (VTR_TYPE_WINDOW, "application", application, NULL);
}
