/* The column of the capture page that follows a running capture: progress, graphs, notices,
 * errors, and the capture and stop buttons. */
#include "vtr-config.h"

#include "widgets/vtr-capture-live.h"

#include <adwaita.h>
#include <glib/gi18n.h>

#include "session/vtr-session.h"
#include "widgets/vtr-capture-problem.h"
#include "widgets/vtr-capture-traces.h"
#include "widgets/vtr-copy-menu.h"
#include "widgets/vtr-graph.h"
#include "widgets/vtr-ladder.h"
#include "widgets/vtr-wrap-layout.h"

#define SAMPLE_MS 250

struct _VtrCaptureLive
{
  GtkWidget parent_instance;

  GtkWidget *box;
  GtkWidget *title;
  GtkWidget *status;
  GtkWidget *recording; /* dot and text */
  GtkWidget *dot;
  GtkWidget *recording_text;
  GtkWidget *progress;
  VtrLadder *ladder;
  VtrCaptureProblem *problem;
  GtkWidget *notices;
  GPtrArray *told; /* the texts of .notices */
  char *ending;    /* (nullable): how the last program ended */
  GtkWidget *graphs;
  VtrGraph *frame_time, *commands, *bytes;
  GtkWidget *launch;
  GtkWidget *buttons;
  GtkWidget *stop;
  GtkWidget *finish;
  GtkWidget *frame;
  VtrCaptureTraces *traces;

  VtrCaptureSession *session;
  GCancellable *waiting;
  guint n_frames;
  gboolean waits;
  gboolean ready;    /* a program is chosen */
  gboolean launched; /* title and status belong to a session */
  guint sample_timeout;
  VtrCaptureStats before;
  gint64 before_time;
};

G_DEFINE_FINAL_TYPE (VtrCaptureLive, vtr_capture_live, GTK_TYPE_WIDGET)

enum
{
  PROP_0,
  PROP_RUNNING,
};

static guint captured_signal;

/* --- problem --------------------------------------------------------------------------------- */

static const char *
problem_title (const GError *error, gboolean waits)
{
  if (g_error_matches (error, VTR_CAPTURE_ERROR, VTR_CAPTURE_ERROR_PROGRAM))
    return _ ("The Program Could Not Be Started");
  if (g_error_matches (error, VTR_CAPTURE_ERROR, VTR_CAPTURE_ERROR_NOT_LOADED))
    return waits ? _ ("No Program Connected") : _ ("The Program Did Not Use Vulkan");
  if (g_error_matches (error, VTR_CAPTURE_ERROR, VTR_CAPTURE_ERROR_ENDED))
    return _ ("The Program Ended Before It Used Vulkan");
  if (g_error_matches (error, VTR_CAPTURE_ERROR, VTR_CAPTURE_ERROR_DECLINED))
    return _ ("The Frame Could Not Be Captured");
  if (g_error_matches (error, VTR_CAPTURE_ERROR, VTR_CAPTURE_ERROR_NO_DRIVER))
    return _ ("No Vulkan Driver Could Be Used");
  if (g_error_matches (error, VTR_CAPTURE_ERROR, VTR_CAPTURE_ERROR_NOTHING))
    return _ ("Nothing Was Recorded");
  if (g_error_matches (error, VTR_CAPTURE_ERROR, VTR_CAPTURE_ERROR_LAYER))
    return _ ("The Capture Layer Is Missing");
  if (g_error_matches (error, VTR_CAPTURE_ERROR, VTR_CAPTURE_ERROR_SPACE))
    return _ ("No Space Left");
  return _ ("The Capture Failed");
}

void
vtr_capture_live_show_error (VtrCaptureLive *self, const GError *error)
{
  g_autofree char *path = NULL;

  if (self->session)
    path = g_strdup (vtr_capture_session_get_path (self->session));
  vtr_capture_problem_show (self->problem, problem_title (error, self->waits), error->message);
  if (path && g_file_test (path, G_FILE_TEST_EXISTS))
    gtk_actionable_set_action_target (
      GTK_ACTIONABLE (
        vtr_capture_problem_add_button (self->problem, _ ("_Open What Was Recorded"),
                                        "capture.open-path")),
      "s", path);
  vtr_capture_problem_add_button (self->problem, _ ("Try _Again"), "win.start-capture");
  vtr_capture_problem_add_button (self->problem, _ ("C_hange Program…"), "win.choose-program");
}

/* --- statistics ------------------------------------------------------------------------------ */

static gboolean
sample_cb (gpointer data)
{
  VtrCaptureLive *self = data;
  gint64 now = g_get_monotonic_time ();
  double seconds = (double)(now - self->before_time) / G_USEC_PER_SEC;
  VtrCaptureStats stats;
  guint64 frames;

  vtr_capture_session_get_stats (self->session, &stats);
  if (stats.state != VTR_CAPTURE_STATE_RECORDING && stats.state != VTR_CAPTURE_STATE_IDLE)
    return G_SOURCE_CONTINUE;

  frames = stats.frames - self->before.frames;
  if (stats.frames_per_second > 0)
    {
      double ms = 1000 / stats.frames_per_second;
      g_autofree char *text = g_strdup_printf (_ ("%.1f ms"), ms);

      vtr_graph_push (self->frame_time, ms, text);
    }
  if (frames > 0)
    {
      double commands = (double)(stats.commands - self->before.commands) / (double)frames;
      g_autofree char *text = vtr_format_number ((guint64)(commands + .5));

      vtr_graph_push (self->commands, commands, text);
    }
  if (self->before_time > 0 && seconds > 0)
    {
      double rate = (double)(stats.bytes - self->before.bytes) / seconds;
      g_autofree char *size = g_format_size ((guint64)rate);
      g_autofree char *text = g_strdup_printf (_ ("%s/s"), size);

      vtr_graph_push (self->bytes, rate, text);
    }
  self->before = stats;
  self->before_time = now;
  return G_SOURCE_CONTINUE;
}

static void
update_status (VtrCaptureLive *self, const VtrCaptureStats *stats)
{
  g_autoptr (GString) text = g_string_new (NULL);

  switch (stats->state)
    {
    case VTR_CAPTURE_STATE_LAUNCHING:
      g_string_append (text, self->waits ? _ ("Waiting for a program with VITRINE_CAPTURE=1")
                                         : _ ("Starting"));
      break;
    case VTR_CAPTURE_STATE_WAITING:
    case VTR_CAPTURE_STATE_IDLE:
    case VTR_CAPTURE_STATE_RECORDING:
      g_string_append (text, _ ("Running"));
      break;
    case VTR_CAPTURE_STATE_FINISHING:
      g_string_append (text, _ ("Finishing the trace"));
      break;
    case VTR_CAPTURE_STATE_DONE:
      g_string_append (text, _ ("Done"));
      break;
    default:
      g_string_append (text, _ ("Ended"));
    }
  if (stats->pid > 0 && stats->state <= VTR_CAPTURE_STATE_RECORDING)
    g_string_append_printf (text, _ (" · process %d"), (int)stats->pid);
  if (stats->n_processes > 1)
    g_string_append_printf (text, _ (" · %u processes with the layer"), stats->n_processes);
  if (stats->frames_per_second > 0 && (stats->state == VTR_CAPTURE_STATE_RECORDING ||
                                       stats->state == VTR_CAPTURE_STATE_IDLE))
    g_string_append_printf (text, _ (" · %.0f frames per second"), stats->frames_per_second);
  gtk_label_set_label (GTK_LABEL (self->status), text->str);
}

static char *
describe_recording (VtrCaptureLive *self, const VtrCaptureStats *stats)
{
  gboolean whole = !vtr_capture_live_can_trigger (self);
  g_autofree char *size = g_format_size (stats->bytes);
  g_autofree char *frames = vtr_format_number (whole ? stats->frames : stats->current_frames);
  g_autofree char *all = vtr_format_number (self->n_frames);
  g_autofree char *commands = vtr_format_number (stats->commands);
  g_autofree char *presented = vtr_format_number (stats->presented);

  if (stats->state == VTR_CAPTURE_STATE_IDLE)
    return g_strdup_printf (
      ngettext ("Frame %s · %u capture · %s", "Frame %s · %u captures · %s", stats->n_captures),
      presented, stats->n_captures, size);
  if (self->n_frames > 0)
    return g_strdup_printf (_ ("Frame %s of %s · %s commands · %s"), frames, all, commands, size);
  return g_strdup_printf (_ ("%s frames · %s commands · %s"), frames, commands, size);
}

static void
update_recording (VtrCaptureLive *self, const VtrCaptureStats *stats)
{
  gboolean recording =
    stats->state == VTR_CAPTURE_STATE_RECORDING || stats->state == VTR_CAPTURE_STATE_FINISHING;
  gboolean idle = stats->state == VTR_CAPTURE_STATE_IDLE;
  gboolean whole = !vtr_capture_live_can_trigger (self);
  guint64 frames = whole ? stats->frames : stats->current_frames;
  g_autofree char *text = describe_recording (self, stats);

  gtk_label_set_label (GTK_LABEL (self->recording_text), text);
  gtk_widget_set_visible (self->recording, recording || idle);
  gtk_widget_set_visible (self->dot, recording);
  gtk_widget_set_visible (self->graphs, recording || idle || self->before_time > 0);
  gtk_widget_set_visible (self->progress, recording);
  if (self->n_frames > 0)
    gtk_progress_bar_set_fraction (GTK_PROGRESS_BAR (self->progress),
                                   MIN (1, (double)frames / self->n_frames));
  else if (recording)
    gtk_progress_bar_pulse (GTK_PROGRESS_BAR (self->progress));
}

static void
update_stuck (VtrCaptureLive *self, const VtrCaptureStats *stats)
{
  g_autofree char *sentence = NULL;

  if (stats->state > VTR_CAPTURE_STATE_RECORDING || !vtr_ladder_get_stuck (self->ladder))
    {
      if (stats->state <= VTR_CAPTURE_STATE_RECORDING)
        gtk_widget_set_visible (GTK_WIDGET (self->problem), FALSE);
      return;
    }
  sentence = vtr_capture_session_explain (self->session);
  if (sentence == NULL)
    {
      gtk_widget_set_visible (GTK_WIDGET (self->problem), FALSE);
      return;
    }
  if (vtr_capture_problem_shows (self->problem, sentence))
    return;
  vtr_capture_problem_show (self->problem, _ ("Capture Has Not Started"), sentence);
  vtr_capture_problem_add_button (self->problem, _ ("Stop and C_hange Program…"),
                                  "win.choose-program");
}

static void
update_buttons (VtrCaptureLive *self, const VtrCaptureStats *stats)
{
  gboolean idle = stats->state == VTR_CAPTURE_STATE_IDLE;
  gboolean recording = stats->state == VTR_CAPTURE_STATE_RECORDING;
  gboolean middle = vtr_capture_live_can_trigger (self);
  GtkWidget *next = middle ? self->frame : self->finish;
  gboolean to_next = gtk_widget_has_focus (self->stop) && (recording || idle) &&
                     !gtk_widget_get_sensitive (next);

  /* A program that was started elsewhere is not ours to stop. */
  gtk_widget_set_visible (self->stop, !self->waits || !(recording || idle));
  gtk_widget_set_sensitive (self->stop, stats->state <= VTR_CAPTURE_STATE_RECORDING);
  gtk_widget_set_sensitive (self->finish, recording || idle);
  gtk_widget_set_sensitive (self->frame, recording || idle);
  gtk_widget_set_visible (self->frame, middle);
  if (middle)
    gtk_widget_remove_css_class (self->finish, "suggested-action");
  else
    gtk_widget_add_css_class (self->finish, "suggested-action");
  if (to_next)
    gtk_widget_grab_focus (next);
}

static void
changed_cb (VtrCaptureLive *self)
{
  VtrCaptureStats stats;

  vtr_capture_session_get_stats (self->session, &stats);
  vtr_ladder_update (self->ladder, self->session);
  update_status (self, &stats);
  update_recording (self, &stats);
  update_stuck (self, &stats);
  update_buttons (self, &stats);
  if (stats.n_processes > 1)
    {
      g_autoptr (GPtrArray) processes = vtr_capture_session_list_processes (self->session);

      vtr_capture_traces_set_processes (self->traces, processes);
    }
}

static void
trace_cb (VtrCaptureLive *self, const VtrCaptureTrace *trace)
{
  if (vtr_capture_live_can_trigger (self))
    vtr_capture_traces_add (self->traces, trace);
}

static void
open_trace_cb (VtrCaptureLive *self, const char *path)
{
  g_signal_emit (self, captured_signal, 0, path);
}

static void
notice_cb (VtrCaptureLive *self, const char *text)
{
  GtkWidget *label = gtk_label_new (text);

  g_ptr_array_add (self->told, g_strdup (text));
  gtk_label_set_wrap (GTK_LABEL (label), TRUE);
  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_label_set_selectable (GTK_LABEL (label), TRUE);
  vtr_copy_menu_add (label);
  gtk_widget_add_css_class (label, "caption");
  gtk_box_append (GTK_BOX (self->notices), label);
}

/* --- session --------------------------------------------------------------------------------- */

/* The state before a program was launched. */
static void
show_title (VtrCaptureLive *self)
{
  gtk_label_set_label (GTK_LABEL (self->title),
                       self->ready ? _ ("Ready") : _ ("Choose a Program"));
  gtk_label_set_label (GTK_LABEL (self->status), _ ("Progress appears here after launch"));
}

static void
show_idle (VtrCaptureLive *self)
{
  gtk_widget_set_visible (self->launch, TRUE);
  gtk_widget_set_visible (self->buttons, FALSE);
  gtk_widget_set_visible (self->recording, FALSE);
  gtk_widget_set_visible (self->progress, FALSE);
}

static void
end_session (VtrCaptureLive *self)
{
  g_clear_handle_id (&self->sample_timeout, g_source_remove);
  g_cancellable_cancel (self->waiting);
  g_clear_object (&self->waiting);
  if (self->session)
    g_signal_handlers_disconnect_by_data (self->session, self);
  g_clear_object (&self->session);
  g_object_notify (G_OBJECT (self), "running");
}

typedef struct
{
  VtrCaptureLive *self;
  GCancellable *cancellable;
} Wait;

static void
waited_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  Wait *wait = data;
  VtrCaptureLive *self = wait->self;
  g_autoptr (GError) error = NULL;
  g_autofree char *path =
    vtr_capture_session_wait_finish (VTR_CAPTURE_SESSION (source), result, &error);
  gboolean superseded = g_cancellable_is_cancelled (wait->cancellable);
  gboolean focus;

  g_object_unref (wait->cancellable);
  g_free (wait);
  if (!superseded)
    {
      vtr_ladder_update (self->ladder, self->session);
      self->ending = g_strdup (vtr_capture_session_get_ending (self->session));
      if (error)
        vtr_capture_live_show_error (self, error);
      else
        gtk_widget_set_visible (GTK_WIDGET (self->problem), FALSE);
      focus = gtk_widget_get_focus_child (self->buttons) != NULL;
      end_session (self);
      show_idle (self);
      if (focus)
        gtk_widget_grab_focus (self->launch);
      gtk_widget_set_visible (self->graphs, vtr_graph_has_points (self->frame_time));
      gtk_label_set_label (GTK_LABEL (self->status), error ? _ ("Ended") : _ ("Captured"));
      /* If there are several traces, the list lets the user choose. */
      if (path && vtr_capture_traces_get_n (self->traces) < 2)
        g_signal_emit (self, captured_signal, 0, path);
    }
  g_object_unref (self);
}

/* When frames are captured on request, the button and its results come before the graphs. */
static void
arrange (VtrCaptureLive *self)
{
  GtkBox *box = GTK_BOX (self->box);

  if (vtr_capture_live_can_trigger (self))
    {
      gtk_box_reorder_child_after (box, self->buttons, self->notices);
      gtk_box_reorder_child_after (box, GTK_WIDGET (self->traces), self->buttons);
      gtk_box_reorder_child_after (box, self->graphs, GTK_WIDGET (self->traces));
    }
  else
    {
      gtk_box_reorder_child_after (box, self->graphs, self->notices);
      gtk_box_reorder_child_after (box, self->buttons, self->graphs);
      gtk_box_reorder_child_after (box, GTK_WIDGET (self->traces), self->buttons);
    }
}

void
vtr_capture_live_set_session (VtrCaptureLive *self, VtrCaptureSession *session, guint n_frames)
{
  g_autofree char *name = g_path_get_basename (vtr_capture_session_get_program (session));
  GtkWidget *child;
  Wait *wait;

  end_session (self);
  gtk_widget_set_visible (GTK_WIDGET (self->problem), FALSE);
  while ((child = gtk_widget_get_first_child (self->notices)))
    gtk_box_remove (GTK_BOX (self->notices), child);
  g_ptr_array_set_size (self->told, 0);
  g_clear_pointer (&self->ending, g_free);
  vtr_capture_traces_clear (self->traces);
  vtr_graph_clear (self->frame_time);
  vtr_graph_clear (self->commands);
  vtr_graph_clear (self->bytes);

  self->session = g_object_ref (session);
  self->launched = TRUE;
  g_object_notify (G_OBJECT (self), "running");
  self->n_frames = n_frames;
  memset (&self->before, 0, sizeof self->before);
  self->before_time = 0;
  gtk_label_set_label (GTK_LABEL (self->title), name);
  gtk_widget_set_visible (self->launch, FALSE);
  gtk_widget_set_visible (self->buttons, TRUE);
  arrange (self);
  adw_button_content_set_label (
    ADW_BUTTON_CONTENT (gtk_button_get_child (GTK_BUTTON (self->stop))),
    self->waits ? _ ("_Stop Waiting") : _ ("_Stop Program"));
  g_signal_connect_object (session, "changed", G_CALLBACK (changed_cb), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (session, "notice", G_CALLBACK (notice_cb), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (session, "captured", G_CALLBACK (trace_cb), self, G_CONNECT_SWAPPED);
  changed_cb (self);
  /* The widget that had the focus is gone or insensitive, and Return should do something useful. */
  gtk_widget_grab_focus (self->stop);

  self->sample_timeout = g_timeout_add (SAMPLE_MS, sample_cb, self);
  self->waiting = g_cancellable_new ();
  wait = g_new0 (Wait, 1);
  wait->self = g_object_ref (self);
  wait->cancellable = g_object_ref (self->waiting);
  vtr_capture_session_wait_async (session, self->waiting, waited_cb, wait);
}

GPtrArray *
vtr_capture_live_get_notices (VtrCaptureLive *self)
{
  return self->told;
}

const char *
vtr_capture_live_get_ending (VtrCaptureLive *self)
{
  return self->ending;
}

gboolean
vtr_capture_live_get_running (VtrCaptureLive *self)
{
  return self->session != NULL;
}

gboolean
vtr_capture_live_can_trigger (VtrCaptureLive *self)
{
  return self->session &&
         vtr_capture_session_get_trigger (self->session) != VTR_CAPTURE_FROM_LAUNCH;
}

gboolean
vtr_capture_live_trigger (VtrCaptureLive *self, GError **error)
{
  if (self->session)
    return vtr_capture_session_trigger (self->session, error);
  g_set_error_literal (error, VTR_CAPTURE_ERROR, VTR_CAPTURE_ERROR_FAILED,
                       _ ("No capture is running"));
  return FALSE;
}

void
vtr_capture_live_set_ready (VtrCaptureLive *self, gboolean ready, gboolean waits)
{
  GtkWidget *content = gtk_button_get_child (GTK_BUTTON (self->launch));

  self->ready = ready;
  if (!self->launched)
    show_title (self);
  self->waits = waits;
  adw_button_content_set_label (ADW_BUTTON_CONTENT (content),
                                waits ? _ ("_Wait and Capture") : _ ("_Launch and Capture"));
}

void
vtr_capture_live_stop (VtrCaptureLive *self, gboolean end_program)
{
  if (self->session)
    vtr_capture_session_stop (self->session, end_program);
}

/* --- life ------------------------------------------------------------------------------------ */

static void
vtr_capture_live_dispose (GObject *object)
{
  VtrCaptureLive *self = VTR_CAPTURE_LIVE (object);

  end_session (self);
  g_clear_pointer (&self->box, gtk_widget_unparent);
  G_OBJECT_CLASS (vtr_capture_live_parent_class)->dispose (object);
}

static void
vtr_capture_live_finalize (GObject *object)
{
  VtrCaptureLive *self = VTR_CAPTURE_LIVE (object);

  g_ptr_array_unref (self->told);
  g_free (self->ending);
  G_OBJECT_CLASS (vtr_capture_live_parent_class)->finalize (object);
}

static void
vtr_capture_live_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  if (id == PROP_RUNNING)
    g_value_set_boolean (value, vtr_capture_live_get_running (VTR_CAPTURE_LIVE (object)));
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
}

static void
open_path_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  g_signal_emit (widget, captured_signal, 0, g_variant_get_string (parameter, NULL));
}

static void
vtr_capture_live_class_init (VtrCaptureLiveClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = vtr_capture_live_dispose;
  G_OBJECT_CLASS (klass)->finalize = vtr_capture_live_finalize;
  G_OBJECT_CLASS (klass)->get_property = vtr_capture_live_get_property;
  g_object_class_install_property (
    G_OBJECT_CLASS (klass), PROP_RUNNING,
    g_param_spec_boolean ("running", NULL, NULL, FALSE, G_PARAM_READABLE | G_PARAM_STATIC_STRINGS));
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_install_action (widget_class, "capture.open-path", "s", open_path_action);
  captured_signal = g_signal_new ("captured", VTR_TYPE_CAPTURE_LIVE, G_SIGNAL_RUN_LAST, 0, NULL,
                                  NULL, NULL, G_TYPE_NONE, 1, G_TYPE_STRING);
}

static GtkWidget *
make_label (const char *css_class)
{
  GtkWidget *label = gtk_label_new (NULL);

  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_label_set_wrap (GTK_LABEL (label), TRUE);
  gtk_widget_add_css_class (label, css_class);
  return label;
}

static GtkWidget *
make_pill (const char *icon, const char *label, const char *action)
{
  GtkWidget *button = gtk_button_new ();
  GtkWidget *content = adw_button_content_new ();

  adw_button_content_set_icon_name (ADW_BUTTON_CONTENT (content), icon);
  adw_button_content_set_label (ADW_BUTTON_CONTENT (content), label);
  adw_button_content_set_use_underline (ADW_BUTTON_CONTENT (content), TRUE);
  gtk_button_set_child (GTK_BUTTON (button), content);
  gtk_widget_add_css_class (button, "pill");
  gtk_actionable_set_action_name (GTK_ACTIONABLE (button), action);
  return button;
}

static void
make_head (VtrCaptureLive *self)
{
  GtkWidget *head = gtk_box_new (GTK_ORIENTATION_VERTICAL, 4);

  self->title = make_label ("title-2");
  gtk_label_set_wrap (GTK_LABEL (self->title), FALSE);
  gtk_label_set_ellipsize (GTK_LABEL (self->title), PANGO_ELLIPSIZE_MIDDLE);
  self->status = make_label ("dim-text");
  self->recording = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 8);
  self->dot = gtk_image_new_from_icon_name ("media-record-symbolic");
  gtk_widget_add_css_class (self->dot, "error");
  self->recording_text = make_label ("numeric");
  gtk_box_append (GTK_BOX (self->recording), self->dot);
  gtk_box_append (GTK_BOX (self->recording), self->recording_text);
  self->progress = gtk_progress_bar_new ();
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->progress), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("Frames captured"), -1);
  gtk_box_append (GTK_BOX (head), self->title);
  gtk_box_append (GTK_BOX (head), self->status);
  gtk_box_append (GTK_BOX (head), self->recording);
  gtk_box_append (GTK_BOX (head), self->progress);
  gtk_box_append (GTK_BOX (self->box), head);
}

static void
make_graphs (VtrCaptureLive *self)
{
  self->graphs = gtk_box_new (GTK_ORIENTATION_VERTICAL, 18);
  self->frame_time = VTR_GRAPH (vtr_graph_new (_ ("Frame time"), "vtr_draw"));
  self->commands = VTR_GRAPH (vtr_graph_new (_ ("Commands per frame"), "vtr_copy"));
  self->bytes = VTR_GRAPH (vtr_graph_new (_ ("Written to trace"), "vtr_dispatch"));
  gtk_widget_set_visible (self->graphs, FALSE);
  gtk_box_append (GTK_BOX (self->graphs), GTK_WIDGET (self->frame_time));
  gtk_box_append (GTK_BOX (self->graphs), GTK_WIDGET (self->commands));
  gtk_box_append (GTK_BOX (self->graphs), GTK_WIDGET (self->bytes));
  gtk_box_append (GTK_BOX (self->box), self->graphs);
}

static void
vtr_capture_live_init (VtrCaptureLive *self)
{
  self->box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 18);
  gtk_widget_set_parent (self->box, GTK_WIDGET (self));
  make_head (self);
  self->ladder = VTR_LADDER (vtr_ladder_new ());
  gtk_box_append (GTK_BOX (self->box), GTK_WIDGET (self->ladder));
  self->problem = VTR_CAPTURE_PROBLEM (vtr_capture_problem_new ());
  gtk_widget_set_visible (GTK_WIDGET (self->problem), FALSE);
  gtk_box_append (GTK_BOX (self->box), GTK_WIDGET (self->problem));
  self->notices = gtk_box_new (GTK_ORIENTATION_VERTICAL, 4);
  self->told = g_ptr_array_new_with_free_func (g_free);
  gtk_box_append (GTK_BOX (self->box), self->notices);
  make_graphs (self);

  self->launch =
    make_pill ("media-record-symbolic", _ ("_Launch and Capture"), "capture.launch");
  gtk_widget_add_css_class (self->launch, "suggested-action");
  gtk_widget_set_halign (self->launch, GTK_ALIGN_END);
  gtk_box_append (GTK_BOX (self->box), self->launch);

  self->buttons = vtr_wrap_box_new (12, GTK_ALIGN_START);
  self->frame = make_pill ("media-record-symbolic", _ ("Capture _Frame"), "win.capture-frame");
  gtk_widget_add_css_class (self->frame, "suggested-action");
  gtk_box_append (GTK_BOX (self->buttons), self->frame);
  self->stop = make_pill ("media-playback-stop-symbolic", _ ("_Stop Program"), "win.stop-program");
  self->finish = make_pill ("emblem-ok-symbolic", _ ("_Finish Capture"), "win.stop-capture");
  gtk_widget_add_css_class (self->finish, "suggested-action");
  gtk_widget_set_hexpand (self->finish, TRUE);
  gtk_widget_set_halign (self->finish, GTK_ALIGN_END);
  gtk_box_append (GTK_BOX (self->buttons), self->stop);
  gtk_box_append (GTK_BOX (self->buttons), self->finish);
  gtk_box_append (GTK_BOX (self->box), self->buttons);
  self->traces = VTR_CAPTURE_TRACES (vtr_capture_traces_new ());
  g_signal_connect_object (self->traces, "open", G_CALLBACK (open_trace_cb), self,
                           G_CONNECT_SWAPPED);
  gtk_box_append (GTK_BOX (self->box), GTK_WIDGET (self->traces));
  show_idle (self);
  show_title (self);
}

GtkWidget *
vtr_capture_live_new (void)
{
  return g_object_new (VTR_TYPE_CAPTURE_LIVE, NULL);
}
