/* Measures GPU times of the frame that a window shows, and answers how long a command, pass or
 * submission took. */
#include "vtr-config.h"

#include "session/vtr-measurement.h"

#include <glib/gi18n.h>

/* The shortest time between two updates: loops may end faster than people can read. */
#define TELL_EVERY (G_USEC_PER_SEC / 5)

struct _VtrMeasurement
{
  GObject parent_instance;

  VtrSession *session; /* weak */
  VtrTimingsQuery wish;
  GCancellable *cancellable; /* NULL: none runs */
  gint64 told;               /* time of the last "changed" */
  guint done;
  guint total;
  VtrTimings *timings;
  char *error;
};

G_DEFINE_FINAL_TYPE (VtrMeasurement, vtr_measurement, G_TYPE_OBJECT)

static guint changed_signal;

static void
vtr_measurement_finalize (GObject *object)
{
  VtrMeasurement *self = VTR_MEASUREMENT (object);

  g_clear_weak_pointer (&self->session);
  g_clear_object (&self->cancellable);
  g_clear_pointer (&self->timings, vtr_timings_unref);
  g_free (self->error);
  G_OBJECT_CLASS (vtr_measurement_parent_class)->finalize (object);
}

static void
vtr_measurement_class_init (VtrMeasurementClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = vtr_measurement_finalize;
  changed_signal = g_signal_new ("changed", VTR_TYPE_MEASUREMENT, G_SIGNAL_RUN_LAST, 0, NULL, NULL,
                                 NULL, G_TYPE_NONE, 0);
}

static void
vtr_measurement_init (VtrMeasurement *self)
{
  self->wish = (VtrTimingsQuery){
    .by = VTR_TIMINGS_BY_DRAW,
    .n_loops = VTR_TIMINGS_LOOPS,
    .n_warm = 1,
  };
}

/* The session goes. */
static void
let_go (gpointer data)
{
  VtrMeasurement *self = data;

  vtr_measurement_stop (self);
  g_object_unref (self);
}

VtrMeasurement *
vtr_measurement_of (VtrSession *session)
{
  VtrMeasurement *self = g_object_get_data (G_OBJECT (session), "vtr-measurement");

  if (self == NULL)
    {
      self = g_object_new (VTR_TYPE_MEASUREMENT, NULL);
      g_set_weak_pointer (&self->session, session);
      g_object_set_data_full (G_OBJECT (session), "vtr-measurement", self, let_go);
    }
  return self;
}

const VtrTimingsQuery *
vtr_measurement_get_wish (VtrMeasurement *self)
{
  return &self->wish;
}

void
vtr_measurement_set_wish (VtrMeasurement *self, const VtrTimingsQuery *wish)
{
  self->wish = *wish;
}

/* --- running --------------------------------------------------------------------------------- */

static void
progress_cb (VtrTimings *timings, guint n_done, guint n_loops, gpointer data)
{
  VtrMeasurement *self = data;

  self->done = n_done;
  self->total = n_loops;
  if (timings != NULL)
    {
      g_clear_pointer (&self->timings, vtr_timings_unref);
      self->timings = vtr_timings_ref (timings);
    }
  if (g_get_monotonic_time () - self->told < TELL_EVERY)
    return;
  self->told = g_get_monotonic_time ();
  g_signal_emit (self, changed_signal, 0);
}

static void
measured_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (VtrMeasurement) self = data;
  g_autoptr (GError) error = NULL;
  g_autoptr (VtrTimings) timings =
    vtr_document_measure_finish (VTR_DOCUMENT (source), result, &error);

  g_clear_object (&self->cancellable);
  if (timings != NULL)
    {
      g_clear_pointer (&self->timings, vtr_timings_unref);
      self->timings = g_steal_pointer (&timings);
    }
  else if (!g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    self->error = g_strdup (error->message);
  g_signal_emit (self, changed_signal, 0);
}

void
vtr_measurement_start (VtrMeasurement *self)
{
  VtrTimingsQuery query = self->wish;

  if (self->cancellable != NULL || self->session == NULL)
    return;
  query.frame = vtr_session_get_frame (self->session);
  /* Counted draw by draw. */
  if (query.statistics)
    query.by = VTR_TIMINGS_BY_DRAW;
  g_clear_pointer (&self->timings, vtr_timings_unref);
  g_clear_pointer (&self->error, g_free);
  self->done = 0;
  self->total = query.n_loops == VTR_TIMINGS_FOR_EVER ? 0 : query.n_loops + query.n_warm;
  self->cancellable = g_cancellable_new ();
  vtr_document_measure_async (vtr_session_get_document (self->session), &query, progress_cb, self,
                              self->cancellable, measured_cb, g_object_ref (self));
  g_signal_emit (self, changed_signal, 0);
}

void
vtr_measurement_stop (VtrMeasurement *self)
{
  if (self->cancellable != NULL)
    g_cancellable_cancel (self->cancellable);
}

/* --- answers --------------------------------------------------------------------------------- */

gboolean
vtr_measurement_is_running (VtrMeasurement *self, guint *done, guint *total)
{
  *done = self->done;
  *total = self->total;
  return self->cancellable != NULL;
}

const VtrTimings *
vtr_measurement_get_timings (VtrMeasurement *self)
{
  return self->timings;
}

void
vtr_measurement_take_timings (VtrMeasurement *self, VtrTimings *timings)
{
  g_clear_pointer (&self->timings, vtr_timings_unref);
  self->timings = timings;
  g_signal_emit (self, changed_signal, 0);
}

const char *
vtr_measurement_get_error (VtrMeasurement *self)
{
  return self->error;
}

static const VtrTimingRow *
get_row (VtrMeasurement *self, guint32 nth)
{
  return &g_array_index (self->timings->rows, VtrTimingRow, nth);
}

static gboolean
get_own_time (VtrMeasurement *self, guint64 index, guint32 run, VtrProbeKind kind, VtrSpread *out)
{
  guint32 nth = vtr_timings_find (self->timings, index, run);

  if (nth == VTR_PROBE_NONE || get_row (self, nth)->kind != kind || !get_row (self, nth)->is_timed)
    return FALSE;
  *out = get_row (self, nth)->time;
  return TRUE;
}

/* Sums the rows inside a debug group that are not inside another such row. */
static gboolean
sum_group (VtrMeasurement *self, const VtrTreeNode *node, VtrSpread *out)
{
  const GArray *rows = self->timings->rows;
  gboolean any = FALSE;

  *out = (VtrSpread){ 0 };
  for (guint32 i = 0; i < rows->len; i++)
    {
      const VtrTimingRow *row = get_row (self, i);
      const VtrTimingRow *parent =
        row->parent != VTR_PROBE_NONE ? get_row (self, row->parent) : NULL;

      if (row->run != node->run || row->index < node->first || row->index > node->last ||
          !row->is_timed || row->kind == VTR_PROBE_COMMAND_BUFFER)
        continue;
      if (parent != NULL && parent->kind == VTR_PROBE_PASS && parent->index >= node->first)
        continue;
      out->median += row->time.median;
      any = TRUE;
    }
  return any;
}

static gboolean
sum_submit (VtrMeasurement *self, const VtrTreeNode *node, VtrSpread *out)
{
  VtrTimeline *timeline =
    vtr_document_get_timeline (vtr_session_get_document (self->session));
  const GArray *rows = self->timings->rows;
  gboolean any = FALSE;

  *out = (VtrSpread){ 0 };
  for (guint32 i = 0; i < rows->len; i++)
    {
      const VtrTimingRow *row = get_row (self, i);

      if (row->parent != VTR_PROBE_NONE || !row->is_timed ||
          vtr_timeline_get_run (timeline, row->run)->submit != node->command)
        continue;
      out->median += row->time.median;
      any = TRUE;
    }
  return any;
}

gboolean
vtr_measurement_get_time (VtrMeasurement *self, const VtrTreeNode *node, VtrSpread *out)
{
  if (self->timings == NULL || self->session == NULL)
    return FALSE;
  switch (node->kind)
    {
    case VTR_NODE_FRAME:
      *out = (VtrSpread){ .median = self->timings->gpu };
      return self->timings->gpu > 0 &&
             vtr_trace_get_frame_of (vtr_session_get_trace (self->session), node->command) ==
               self->timings->frame;
    case VTR_NODE_SUBMIT:
      return sum_submit (self, node, out);
    case VTR_NODE_LIST:
      return get_own_time (self, node->first, node->run, VTR_PROBE_COMMAND_BUFFER, out);
    case VTR_NODE_PASS:
      return get_own_time (self, node->first, node->run, VTR_PROBE_PASS, out);
    case VTR_NODE_GROUP:
      return sum_group (self, node, out);
    case VTR_NODE_CMD:
      return get_own_time (self, node->command, node->run, VTR_PROBE_COMMAND, out);
    case VTR_NODE_ROOT:
    case VTR_NODE_COMMAND:
    case VTR_NODE_SUBPASS:
    default:
      return FALSE;
    }
}

double
vtr_measurement_get_share (VtrMeasurement *self, guint64 nanoseconds)
{
  if (self->timings == NULL || self->timings->gpu == 0)
    return 0;
  return CLAMP ((double)nanoseconds / (double)self->timings->gpu, 0, 1);
}

char *
vtr_format_duration (guint64 nanoseconds)
{
  if (nanoseconds >= 1000000)
    return g_strdup_printf (_ ("%.2f ms"), (double)nanoseconds / 1e6);
  return g_strdup_printf (_ ("%.1f µs"), (double)nanoseconds / 1e3);
}
