/* The lists on the capture page of the traces that were captured, with thumbnails, and of the
 * processes that loaded the capture layer. */
#include "vtr-config.h"

#include "widgets/vtr-capture-traces.h"

#include <adwaita.h>
#include <glib/gi18n.h>

#include "engine/format/vtr-trace-header.h"
#include "session/vtr-recent-store.h"
#include "session/vtr-session.h"
#include "widgets/vtr-thumb.h"

#define PICTURE_WIDTH 96
#define PICTURE_HEIGHT 54

struct _VtrCaptureTraces
{
  GtkWidget parent_instance;

  GtkWidget *box;
  GtkWidget *traces_title, *traces;
  GtkWidget *processes_title, *processes;
  guint n_traces;
  char *shown_processes; /* what .processes says */
  GCancellable *cancellable;
};

G_DEFINE_FINAL_TYPE (VtrCaptureTraces, vtr_capture_traces, GTK_TYPE_WIDGET)

static guint open_signal;

/* --- pictures -------------------------------------------------------------------------------- */

static VtrRecent *
find_recent (GFile *file)
{
  GListModel *model = G_LIST_MODEL (vtr_recent_store_get_default ());

  for (guint i = 0; i < g_list_model_get_n_items (model); i++)
    {
      g_autoptr (VtrRecent) recent = g_list_model_get_item (model, i);

      if (g_file_equal (vtr_recent_get_file (recent), file))
        return g_steal_pointer (&recent);
    }
  return NULL;
}

typedef struct
{
  GFile *file;
  GtkPicture *picture;
  GCancellable *cancellable;
} Opening;

static void
opening_free (Opening *opening)
{
  g_object_unref (opening->file);
  g_object_unref (opening->picture);
  g_object_unref (opening->cancellable);
  g_free (opening);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (Opening, opening_free)

static void
texture_cb (VtrRecent *recent, GParamSpec *pspec, GtkPicture *picture)
{
  gtk_picture_set_paintable (picture, GDK_PAINTABLE (vtr_recent_get_texture (recent)));
}

static void
read_worker (GTask *task, gpointer source, gpointer path, GCancellable *cancellable)
{
  GError *error = NULL;
  VtrTrace *trace = vtr_trace_open (path, NULL, NULL, cancellable, &error);

  if (trace)
    g_task_return_pointer (task, trace, (GDestroyNotify)vtr_trace_unref);
  else
    g_task_return_error (task, error);
}

/* Stores facts and thumbnail of the complete trace for the start page. A trace without a thumbnail
 * gets one when it is opened, because a replay now would slow down the program. */
static void
read_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (Opening) opening = data;
  g_autoptr (VtrTrace) trace = g_task_propagate_pointer (G_TASK (result), NULL);
  VtrRecentStore *store = vtr_recent_store_get_default ();
  g_autoptr (VtrRecent) recent = NULL;
  g_autoptr (GBytes) png = NULL;
  g_autoptr (GdkTexture) texture = NULL;
  const VtrTraceInfo *info;

  if (trace == NULL || g_cancellable_is_cancelled (opening->cancellable))
    return;
  info = vtr_trace_get_info (trace);
  vtr_recent_store_add (store, opening->file,
                        &(VtrRecentFacts){ info->device, vtr_trace_get_n_frames (trace),
                                           vtr_trace_get_n_program_commands (trace), info->bytes,
                                           info->truncated });
  recent = find_recent (opening->file);
  if (recent == NULL)
    return;
  g_signal_connect_object (recent, "notify::texture", G_CALLBACK (texture_cb), opening->picture, 0);
  png = vtr_trace_dup_thumbnail (trace);
  texture = png ? vtr_thumb_texture_from_png (png) : NULL;
  if (texture)
    vtr_recent_store_set_thumbnail (store, opening->file, texture);
}

static void
read_trace (Opening *opening, const char *path)
{
  g_autoptr (GTask) task = g_task_new (NULL, opening->cancellable, read_cb, opening);

  g_task_set_source_tag (task, read_trace);
  g_task_set_task_data (task, g_strdup (path), g_free);
  g_task_run_in_thread (task, read_worker);
}

/* --- rows ------------------------------------------------------------------------------------ */

static char *
describe_trace (const VtrCaptureTrace *trace)
{
  g_autofree char *first = vtr_format_number (trace->first_frame);
  g_autofree char *last = vtr_format_number (trace->first_frame + MAX (trace->frames, 1) - 1);
  g_autofree char *size = g_format_size (trace->bytes);

  if (trace->frames > 1)
    return g_strdup_printf (_ ("Frames %s to %s · %s"), first, last, size);
  return g_strdup_printf (_ ("Frame %s · %s"), first, size);
}

static GtkWidget *
make_picture (void)
{
  GtkWidget *picture = gtk_picture_new ();

  gtk_picture_set_can_shrink (GTK_PICTURE (picture), TRUE);
  gtk_widget_set_size_request (picture, PICTURE_WIDTH, PICTURE_HEIGHT);
  gtk_widget_set_halign (picture, GTK_ALIGN_START);
  gtk_widget_set_valign (picture, GTK_ALIGN_CENTER);
  gtk_widget_set_overflow (picture, GTK_OVERFLOW_HIDDEN);
  return picture;
}

void
vtr_capture_traces_add (VtrCaptureTraces *self, const VtrCaptureTrace *trace)
{
  g_autofree char *name = g_path_get_basename (trace->path);
  g_autofree char *display = g_filename_display_name (name);
  g_autofree char *title = g_markup_escape_text (display, -1);
  g_autofree char *text = describe_trace (trace);
  GtkWidget *row = adw_action_row_new ();
  GtkWidget *picture = make_picture ();
  Opening *opening = g_new0 (Opening, 1);

  adw_preferences_row_set_title (ADW_PREFERENCES_ROW (row), title);
  adw_action_row_set_subtitle (ADW_ACTION_ROW (row), text);
  adw_action_row_add_prefix (ADW_ACTION_ROW (row), picture);
  adw_action_row_add_suffix (ADW_ACTION_ROW (row),
                             gtk_image_new_from_icon_name ("go-next-symbolic"));
  gtk_list_box_row_set_activatable (GTK_LIST_BOX_ROW (row), TRUE);
  g_object_set_data_full (G_OBJECT (row), "path", g_strdup (trace->path), g_free);
  gtk_list_box_prepend (GTK_LIST_BOX (self->traces), row);
  self->n_traces++;
  gtk_widget_set_visible (self->traces_title, TRUE);
  gtk_widget_set_visible (self->traces, TRUE);

  opening->file = g_file_new_for_path (trace->path);
  opening->picture = g_object_ref (GTK_PICTURE (picture));
  opening->cancellable = g_object_ref (self->cancellable);
  read_trace (opening, trace->path);
}

guint
vtr_capture_traces_get_n (VtrCaptureTraces *self)
{
  return self->n_traces;
}

static void
empty_list (GtkWidget *list)
{
  GtkWidget *child;

  while ((child = gtk_widget_get_first_child (list)))
    gtk_list_box_remove (GTK_LIST_BOX (list), child);
}

void
vtr_capture_traces_clear (VtrCaptureTraces *self)
{
  g_cancellable_cancel (self->cancellable);
  g_object_unref (self->cancellable);
  self->cancellable = g_cancellable_new ();
  empty_list (self->traces);
  empty_list (self->processes);
  g_clear_pointer (&self->shown_processes, g_free);
  self->n_traces = 0;
  gtk_widget_set_visible (self->traces_title, FALSE);
  gtk_widget_set_visible (self->traces, FALSE);
  gtk_widget_set_visible (self->processes_title, FALSE);
  gtk_widget_set_visible (self->processes, FALSE);
}

static void
activated_cb (VtrCaptureTraces *self, GtkListBoxRow *row)
{
  g_signal_emit (self, open_signal, 0, g_object_get_data (G_OBJECT (row), "path"));
}

/* --- processes ------------------------------------------------------------------------------- */

static const char *
describe_process (const VtrCaptureProcessInfo *info)
{
  switch (info->state)
    {
    case VTR_CAPTURE_PROCESS_IDLE:
      return info->has_device ? _ ("Running") : _ ("No device yet");
    case VTR_CAPTURE_PROCESS_RECORDING:
      return _ ("Recording");
    case VTR_CAPTURE_PROCESS_RECORDED:
      return _ ("Recorded");
    case VTR_CAPTURE_PROCESS_PASSED_OVER:
      return _ ("Excluded");
    case VTR_CAPTURE_PROCESS_MISSED:
      return _ ("Could not be recorded");
    case VTR_CAPTURE_PROCESS_ENDED:
    default:
      return _ ("Ended");
    }
}

static void
add_process (VtrCaptureTraces *self, const VtrCaptureProcessInfo *info)
{
  g_autofree char *title = g_markup_escape_text (info->name, -1);
  g_autofree char *text = g_strdup_printf (_ ("Process %u · %s"), info->pid,
                                           describe_process (info));
  GtkWidget *row = adw_action_row_new ();

  adw_preferences_row_set_title (ADW_PREFERENCES_ROW (row), title);
  adw_action_row_set_subtitle (ADW_ACTION_ROW (row), text);
  gtk_list_box_append (GTK_LIST_BOX (self->processes), row);
}

void
vtr_capture_traces_set_processes (VtrCaptureTraces *self, GPtrArray *processes)
{
  g_autoptr (GString) all = g_string_new (NULL);

  for (guint i = 0; i < processes->len; i++)
    {
      const VtrCaptureProcessInfo *info = g_ptr_array_index (processes, i);

      g_string_append_printf (all, "%u %d %d\n", info->pid, info->state, info->has_device);
    }
  if (processes->len < 2 || g_strcmp0 (all->str, self->shown_processes) == 0)
    return;
  g_free (self->shown_processes);
  self->shown_processes = g_string_free (g_steal_pointer (&all), FALSE);
  empty_list (self->processes);
  for (guint i = 0; i < processes->len; i++)
    add_process (self, g_ptr_array_index (processes, i));
  gtk_widget_set_visible (self->processes_title, TRUE);
  gtk_widget_set_visible (self->processes, TRUE);
}

/* --- life ------------------------------------------------------------------------------------ */

static void
vtr_capture_traces_dispose (GObject *object)
{
  VtrCaptureTraces *self = VTR_CAPTURE_TRACES (object);

  if (self->cancellable)
    g_cancellable_cancel (self->cancellable);
  g_clear_object (&self->cancellable);
  g_clear_pointer (&self->shown_processes, g_free);
  g_clear_pointer (&self->box, gtk_widget_unparent);
  G_OBJECT_CLASS (vtr_capture_traces_parent_class)->dispose (object);
}

static void
vtr_capture_traces_class_init (VtrCaptureTracesClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = vtr_capture_traces_dispose;
  gtk_widget_class_set_layout_manager_type (GTK_WIDGET_CLASS (klass), GTK_TYPE_BIN_LAYOUT);
  open_signal = g_signal_new ("open", VTR_TYPE_CAPTURE_TRACES, G_SIGNAL_RUN_LAST, 0, NULL, NULL,
                              NULL, G_TYPE_NONE, 1, G_TYPE_STRING);
}

static GtkWidget *
add_list (VtrCaptureTraces *self, const char *text, GtkWidget **title)
{
  GtkWidget *list = gtk_list_box_new ();

  *title = gtk_label_new (text);
  gtk_label_set_xalign (GTK_LABEL (*title), 0);
  gtk_widget_add_css_class (*title, "heading");
  gtk_list_box_set_selection_mode (GTK_LIST_BOX (list), GTK_SELECTION_NONE);
  gtk_widget_add_css_class (list, "boxed-list");
  gtk_accessible_update_property (GTK_ACCESSIBLE (list), GTK_ACCESSIBLE_PROPERTY_LABEL, text, -1);
  gtk_widget_set_visible (*title, FALSE);
  gtk_widget_set_visible (list, FALSE);
  gtk_box_append (GTK_BOX (self->box), *title);
  gtk_box_append (GTK_BOX (self->box), list);
  return list;
}

static void
vtr_capture_traces_init (VtrCaptureTraces *self)
{
  self->cancellable = g_cancellable_new ();
  self->box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 6);
  gtk_widget_set_parent (self->box, GTK_WIDGET (self));
  self->traces = add_list (self, _ ("Captures"), &self->traces_title);
  self->processes = add_list (self, _ ("Processes with the Layer"), &self->processes_title);
  g_signal_connect_object (self->traces, "row-activated", G_CALLBACK (activated_cb), self,
                           G_CONNECT_SWAPPED);
}

GtkWidget *
vtr_capture_traces_new (void)
{
  return g_object_new (VTR_TYPE_CAPTURE_TRACES, NULL);
}
