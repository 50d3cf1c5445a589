/* Opens traces in a window: progress, errors, the list of recent files, and opening again on
 * another replay device. */
#include "vtr-config.h"

#include "window/vtr-window-private.h"

#include <glib/gi18n.h>

#include "engine/format/vtr-trace-header.h"
#include "engine/replay/vtr-replay-backend.h"
#include "session/vtr-early-trace.h"
#include "session/vtr-recent-store.h"
#include "session/vtr-remote-state.h"
#include "widgets/vtr-dialogs.h"
#include "window/vtr-thumbnailer.h"

/* A file that is being opened, from the request until its trace or an error is shown. */
typedef struct
{
  VtrWindow *self;
  GCancellable *cancellable;
  char *device; /* to replay on; NULL: the best one */
  VtrReplayAddresses addresses;
  char *selection; /* path to select; NULL: the end of the last frame */
  VtrEdits *edits; /* (nullable): of the trace as it was shown before */
  GStrv notices;   /* (nullable): the notices of its capture */
  char *ending;    /* (nullable): the most important notice */
} Opening;

static void
opening_free (Opening *opening)
{
  g_object_unref (opening->self);
  g_object_unref (opening->cancellable);
  g_free (opening->device);
  g_free (opening->selection);
  g_clear_object (&opening->edits);
  g_strfreev (opening->notices);
  g_free (opening->ending);
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
  vtr_window_show_page (self, "error");
}

static void
remember (VtrWindow *self)
{
  VtrTrace *trace = vtr_session_get_trace (self->session);
  const VtrTraceInfo *info = vtr_trace_get_info (trace);
  VtrRecentFacts facts = { info->device, vtr_trace_get_n_frames (trace),
                           vtr_trace_get_n_program_commands (trace), info->bytes, info->truncated };
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

  vtr_window_update_history (self);
  if (application && gtk_application_get_active_window (application) == GTK_WINDOW (self))
    vtr_remote_state_set (application, "selected", vtr_session_get_path (self->session));
}

static void
edited_cb (VtrWindow *self)
{
  vtr_window_update_page (self);
}

/* A trace without a thumbnail shows the one that was made when it was last open. */
static void
show_recent_picture (VtrWindow *self)
{
  g_autoptr (GBytes) own = vtr_trace_dup_thumbnail (vtr_session_get_trace (self->session));
  GdkTexture *texture =
    own == NULL && self->file_time != 0
      ? vtr_recent_store_get_thumbnail (vtr_recent_store_get_default (), self->file,
                                        self->file_time)
      : NULL;

  if (texture != NULL)
    vtr_framebuffer_view_set_preview (vtr_trace_page_get_framebuffer (self->trace),
                                      GDK_PAINTABLE (texture));
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
  g_signal_connect_object (vtr_session_get_edits (self->session), "changed",
                           G_CALLBACK (edited_cb), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (vtr_session_get_edits (self->session), "overlay-changed",
                           G_CALLBACK (edited_cb), self, G_CONNECT_SWAPPED);
  vtr_trace_page_set_session (self->trace, self->session);
  show_recent_picture (self);
  remember (self);
  vtr_window_show_page (self, "trace");
  if (warning)
    vtr_banner_show (self->banner, warning, _ ("Details"), "win.show-report");
  /* Selects the end of the last frame, so that its image shows at once. A program that presents
   * nothing ends with everything destroyed: then selects its last draw. */
  if (n_frames > 0)
    vtr_session_select_frame_end (self->session, n_frames - 1);
  if (n_frames > 0 && vtr_command_kind (vtr_trace_get_command_id (
                        trace,
                        vtr_session_get_command (self->session))) != VTR_COMMAND_KIND_PRESENT)
    vtr_session_step_draw (self->session, -1);
  vtr_thumbnailer_run (document, vtr_session_get_command (self->session), self->file,
                       self->opening);
  gtk_widget_grab_focus (GTK_WIDGET (vtr_trace_page_get_commands (self->trace)));
  vtr_window_update_page (self);
}

static void
opened_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (Opening) opening = data;
  VtrWindow *self = opening->self;
  g_autoptr (GError) error = NULL;
  g_autoptr (VtrDocument) document = vtr_document_open_finish (result, &error);

  if (document == NULL || g_cancellable_is_cancelled (opening->cancellable))
    vtr_replay_process_drop_prepared ();
  if (g_cancellable_is_cancelled (opening->cancellable))
    return;
  if (document == NULL)
    {
      show_open_error (self, error);
      return;
    }
  vtr_document_set_replay_device (document, opening->device);
  vtr_document_set_replay_addresses (document, opening->addresses);
  vtr_document_prepare_replay (document);
  vtr_trace_page_set_device (vtr_window_need_trace_page (self), opening->device,
                             opening->addresses);
  show_session (self, document);
  if (opening->selection)
    vtr_session_select_path (self->session, opening->selection, NULL);
  else
    vtr_layout_bring_forward (vtr_trace_page_get_layout (self->trace),
                              PANEL_WIDGET (vtr_trace_page_get_framebuffer (self->trace)));
  if (opening->edits)
    vtr_edits_copy (vtr_session_get_edits (self->session), opening->edits);
  for (gsize i = 0; opening->notices && opening->notices[i]; i++)
    vtr_session_add_log (self->session, VTR_MESSAGE_WARNING, opening->notices[i],
                         VTR_COMMAND_NO_INDEX);
  if (opening->ending)
    vtr_banner_show (self->banner, opening->ending, _ ("Details"), "win.show-log");
}

void
vtr_window_drop_session (VtrWindow *self)
{
  g_cancellable_cancel (self->opening);
  g_clear_object (&self->opening);
  g_cancellable_cancel (self->stepping);
  g_clear_object (&self->stepping);
  if (self->session)
    {
      g_signal_handlers_disconnect_by_data (vtr_session_get_edits (self->session), self);
      g_signal_handlers_disconnect_by_data (self->session, self);
      vtr_trace_page_set_session (self->trace, NULL);
    }
  g_clear_object (&self->session);
  vtr_banner_hide (self->banner);
}

/* The time of the last change of @file, and its size; 0: unknown. */
static void
query_file (GFile *file, guint64 *time, guint64 *size)
{
  g_autoptr (GFileInfo) info = g_file_query_info (
    file,
    G_FILE_ATTRIBUTE_TIME_MODIFIED "," G_FILE_ATTRIBUTE_TIME_MODIFIED_USEC
                                   "," G_FILE_ATTRIBUTE_STANDARD_SIZE,
    G_FILE_QUERY_INFO_NONE, NULL, NULL);

  *time = *size = 0;
  if (info == NULL)
    return;
  *time =
    g_file_info_get_attribute_uint64 (info, G_FILE_ATTRIBUTE_TIME_MODIFIED) * G_USEC_PER_SEC +
    g_file_info_get_attribute_uint32 (info, G_FILE_ATTRIBUTE_TIME_MODIFIED_USEC);
  *size = (guint64)g_file_info_get_size (info);
}

gboolean
vtr_window_shows_file (VtrWindow *self, GFile *file)
{
  guint64 time, size;

  if (self->file == NULL || !g_file_equal (self->file, file) ||
      (!vtr_window_is_page (self, "trace") && !vtr_window_is_page (self, "loading")))
    return FALSE;
  query_file (file, &time, &size);
  return time != 0 && time == self->file_time && size == self->file_size;
}

/* @wish: (nullable): how to open it; the members from .device to .ending are copied. */
static void
start_opening (VtrWindow *self, GFile *file, const Opening *wish)
{
  g_autofree char *path = g_file_get_path (file);
  g_autofree char *name = g_file_get_basename (file);
  g_autofree char *display = g_filename_display_name (name);
  g_autofree char *escaped = g_markup_escape_text (display, -1);
  g_autofree char *title = g_strdup_printf (_ ("Opening “%s”"), escaped);
  Opening *opening;

  vtr_window_drop_session (self);
  g_set_object (&self->file, file);
  vtr_dialogs_set_trace (GTK_WINDOW (self), file);
  if (path == NULL)
    {
      g_autoptr (GError) error =
        g_error_new (G_IO_ERROR, G_IO_ERROR_NOT_SUPPORTED,
                     _ ("The file is not on this computer. Copy it here first."));

      show_open_error (self, error);
      return;
    }
  query_file (file, &self->file_time, &self->file_size);
  g_free (self->page_before_loading);
  self->page_before_loading = g_strdup (vtr_window_is_page (self, "capture") ? "capture" : "start");
  self->opening = g_cancellable_new ();
  adw_status_page_set_title (self->loading, title);
  adw_status_page_set_description (self->loading, "");
  gtk_progress_bar_set_fraction (self->progress, 0);
  vtr_window_show_page (self, "loading");

  opening = g_new0 (Opening, 1);
  opening->self = g_object_ref (self);
  opening->cancellable = g_object_ref (self->opening);
  if (wish)
    {
      opening->device = g_strdup (wish->device);
      opening->addresses = wish->addresses;
      opening->selection = g_strdup (wish->selection);
      g_set_object (&opening->edits, wish->edits);
      opening->notices = g_strdupv (wish->notices);
      opening->ending = g_strdup (wish->ending);
    }
  if (!vtr_early_trace_take (path, open_progress_cb, opening, self->opening, opened_cb, opening))
    {
      vtr_replay_process_prepare (path);
      vtr_document_open_async (path, open_progress_cb, opening, self->opening, opened_cb, opening);
    }
  /* While threads read the trace. */
  vtr_window_need_trace_page (self);
}

void
vtr_window_open_file (VtrWindow *self, GFile *file)
{
  start_opening (self, file, NULL);
}

void
vtr_window_open_captured (VtrWindow *self, GFile *file)
{
  GPtrArray *notices = vtr_capture_page_get_notices (self->capture);
  g_autoptr (GStrvBuilder) texts = g_strv_builder_new ();
  g_auto (GStrv) list = NULL;
  Opening wish = { .ending = (char *)vtr_capture_page_get_ending (self->capture) };

  for (guint i = 0; i < notices->len; i++)
    g_strv_builder_add (texts, g_ptr_array_index (notices, i));
  list = g_strv_builder_end (texts);
  wish.notices = list;
  start_opening (self, file, &wish);
}

/* Parses @wish: a device, then perhaps "?addresses=exact" or "?addresses=guess". (transfer full):
 * the device; NULL with @error. */
static char *
parse_replay (const char *wish, VtrReplayAddresses *addresses, GError **error)
{
  const char *option = strchr (wish, '?');

  *addresses = VTR_REPLAY_ADDRESSES_AUTO;
  if (option == NULL)
    return g_strdup (wish);
  if (g_str_equal (option, "?addresses=exact"))
    *addresses = VTR_REPLAY_ADDRESSES_EXACT;
  else if (g_str_equal (option, "?addresses=guess"))
    *addresses = VTR_REPLAY_ADDRESSES_GUESS;
  else
    {
      g_set_error (error, VTR_RESOLVE_ERROR, VTR_RESOLVE_ERROR_PATH,
                   _ ("“%s” is not valid. Use a device, followed by ?addresses=exact or "
                      "?addresses=guess if needed"),
                   option);
      return NULL;
    }
  return g_strndup (wish, (gsize)(option - wish));
}

/* All results of replays belong to the device that ran them, so the trace is opened again, which
 * takes less time than a replay. */
void
vtr_window_replay_on (VtrWindow *self, const char *wish)
{
  g_autofree char *selection = NULL;
  g_autofree char *device = NULL;
  g_autoptr (GError) error = NULL;
  VtrReplayAddresses addresses;
  g_autoptr (VtrEdits) edits = NULL;
  g_autoptr (GFile) file = NULL;

  if (self->session == NULL)
    return;
  /* The open trace is worth more than a page with the error. */
  if (!g_file_query_exists (self->file, NULL))
    {
      vtr_window_complain (
        self, _ ("Cannot replay on another device: the trace file no longer exists"));
      return;
    }
  device = parse_replay (wish ? wish : "", &addresses, &error);
  if (device == NULL)
    {
      vtr_window_complain (self, error->message);
      return;
    }
  selection = g_strdup (vtr_session_get_path (self->session));
  file = g_object_ref (self->file);
  edits = g_object_ref (vtr_session_get_edits (self->session));
  start_opening (self, file,
                 &(Opening){ .device = *device ? device : NULL,
                             .addresses = addresses,
                             .selection = selection,
                             .edits = edits });
}

gboolean
vtr_window_is_busy (VtrWindow *self)
{
  return vtr_window_is_page (self, "trace") || vtr_window_is_page (self, "loading") ||
         vtr_window_is_capturing (self);
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

void
vtr_window_open_files (VtrWindow *self, GSList *files)
{
  GtkApplication *application = gtk_window_get_application (GTK_WINDOW (self));

  for (GSList *l = files; l; l = l->next)
    {
      VtrWindow *window = vtr_window_is_busy (self) ? vtr_window_new (application) : self;

      vtr_window_open_file (window, l->data);
      vtr_window_present_soon (window);
    }
}
