/* check-timings TRACE: measures a trace with the real replayer, among requests for pictures. */
#include "engine/document/vtr-document-timings.h"
#include "engine/model/vtr-command-tree.h"

#include <string.h>

/* The machine may be busy, and slow by nature. */
#define DEADLINE (300 * G_USEC_PER_SEC)
#define N_PICTURES 4

typedef struct
{
  VtrDocument *document;
  guint64 draws[N_PICTURES]; /* spread over the trace */
} Fixture;

/* One measurement. */
typedef struct
{
  GCancellable *cancellable;
  guint cancel_after; /* reports; 0: never */
  guint n_reports;
  VtrTimings *timings;
  GError *error;
  gboolean answered;
} Measurement;

static const char *trace_path;

static void
open_document (Fixture *self)
{
  GError *error = NULL;

  self->document = vtr_document_open (trace_path, NULL, NULL, NULL, &error);
  g_assert_no_error (error);
}

static void
set_up (Fixture       *self,
        gconstpointer  data)
{
  g_autoptr (GArray) draws = g_array_new (FALSE, FALSE, sizeof (guint64));
  VtrTrace *trace;

  open_document (self);
  trace = vtr_document_get_trace (self->document);
  for (guint64 i = 0; i < vtr_trace_get_n_commands (trace); i++)
    if (vtr_command_kind (vtr_trace_get_command_id (trace, i)) == VTR_COMMAND_KIND_DRAW)
      g_array_append_val (draws, i);
  g_assert_cmpuint (draws->len, >=, N_PICTURES);
  for (guint i = 0; i < N_PICTURES; i++)
    self->draws[i] =
      g_array_index (draws, guint64, (guint64)i * (draws->len - 1) / (N_PICTURES - 1));
}

static void
tear_down (Fixture       *self,
           gconstpointer  data)
{
  g_clear_object (&self->document);
  while (g_main_context_iteration (NULL, FALSE))
    ;
}

/* --- Pictures -------------------------------------------------------------------------------- */

static VtrImage *
take_picture (Fixture *self,
              guint    nth)
{
  GError *error = NULL;
  VtrImage *image = vtr_document_get_framebuffer (self->document, self->draws[nth],
                                                  VTR_ATTACHMENT_COLOR0, NULL, &error);

  g_assert_no_error (error);
  return image;
}

static void
assert_same (VtrImage *image,
             VtrImage *expected)
{
  g_assert_true (image->format == expected->format);
  g_assert_true (g_bytes_equal (image->texels, expected->texels));
}

static void
measure (Fixture  *self,
         gboolean  statistics)
{
  VtrTrace *trace = vtr_document_get_trace (self->document);
  const VtrTimingsQuery query = {
    .frame = vtr_trace_get_n_frames (trace) - 1,
    .by = VTR_TIMINGS_BY_DRAW,
    .n_loops = 2,
    .statistics = statistics,
  };
  g_autoptr (VtrTimings) timings = NULL;
  GError *error = NULL;

  timings = vtr_replay_session_measure (vtr_document_get_replay_session (self->document), &query,
                                        NULL, NULL, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (timings->n_loops, ==, 2);
  g_assert_cmpuint (timings->rows->len, >, 0);
}

/* A measurement, wherever it comes, changes no picture. */
static void
test_pictures (Fixture       *self,
               gconstpointer  data)
{
  VtrImage *expected[N_PICTURES];

  for (guint i = 0; i < N_PICTURES; i++)
    expected[i] = take_picture (self, i);
  g_clear_object (&self->document);
  open_document (self);
  for (guint i = 0; i < 2 * N_PICTURES; i++)
    {
      /* From the last to the first, and back. */
      guint nth = i < N_PICTURES ? N_PICTURES - 1 - i : i - N_PICTURES;
      g_autoptr (VtrImage) image = NULL;

      measure (self, i % 2 != 0);
      image = take_picture (self, nth);
      assert_same (image, expected[nth]);
    }
  for (guint i = 0; i < N_PICTURES; i++)
    vtr_image_unref (expected[i]);
}

/* --- Giving up ------------------------------------------------------------------------------- */

static void
report_cb (VtrTimings *timings,
           guint       n_done,
           guint       n_loops,
           gpointer    data)
{
  Measurement *self = data;

  g_assert_false (self->answered);
  g_assert_cmpuint (n_done, ==, self->n_reports + 1);
  self->n_reports = n_done;
  if (timings != NULL)
    g_assert_cmpuint (timings->n_loops, <=, n_done);
  if (self->n_reports == self->cancel_after)
    g_cancellable_cancel (self->cancellable);
}

static void
measured_cb (GObject      *source,
             GAsyncResult *result,
             gpointer      data)
{
  Measurement *self = data;

  self->timings = vtr_document_measure_finish (VTR_DOCUMENT (source), result, &self->error);
  self->answered = TRUE;
}

static gboolean
wake (gpointer data)
{
  return G_SOURCE_CONTINUE;
}

static void
wait_answer (const gboolean *answered)
{
  guint source = g_timeout_add (10, wake, NULL);
  gint64 until = g_get_monotonic_time () + DEADLINE;

  while (!*answered)
    {
      g_assert_cmpint (g_get_monotonic_time (), <, until);
      g_main_context_iteration (NULL, TRUE);
    }
  g_source_remove (source);
}

static void
begin (Fixture     *self,
       Measurement *measurement,
       guint        n_loops,
       guint        cancel_after)
{
  const VtrTimingsQuery query = {
    .frame = vtr_trace_get_n_frames (vtr_document_get_trace (self->document)) - 1,
    .by = VTR_TIMINGS_BY_PASS,
    .n_loops = n_loops,
    .n_warm = 1,
  };

  *measurement =
    (Measurement){ .cancellable = g_cancellable_new (), .cancel_after = cancel_after };
  vtr_document_measure_async (self->document, &query, report_cb, measurement,
                              measurement->cancellable, measured_cb, measurement);
}

static void
measurement_clear (Measurement *self)
{
  g_clear_pointer (&self->timings, vtr_timings_unref);
  g_clear_error (&self->error);
  g_clear_object (&self->cancellable);
}

static void
test_cancel (Fixture       *self,
             gconstpointer  data)
{
  g_autoptr (VtrImage) image = NULL;
  Measurement measurement;

  /* A number of loops: all of them, or none. */
  begin (self, &measurement, 100000, 3);
  wait_answer (&measurement.answered);
  g_assert_error (measurement.error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  g_assert_cmpuint (measurement.n_reports, ==, 3);
  measurement_clear (&measurement);
  /* Without an end: the results so far. */
  begin (self, &measurement, VTR_TIMINGS_FOR_EVER, 3);
  wait_answer (&measurement.answered);
  g_assert_no_error (measurement.error);
  g_assert_cmpuint (measurement.timings->n_loops, >=, 2);
  g_assert_cmpuint (measurement.timings->samples->len, ==,
                    MIN (measurement.timings->n_loops, 256));
  measurement_clear (&measurement);
  /* Before it begins. */
  begin (self, &measurement, VTR_TIMINGS_FOR_EVER, 0);
  g_cancellable_cancel (measurement.cancellable);
  wait_answer (&measurement.answered);
  g_assert_error (measurement.error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  measurement_clear (&measurement);
  image = take_picture (self, 0);
  g_assert_nonnull (image);
}

/* --- Turns ----------------------------------------------------------------------------------- */

typedef struct
{
  VtrImage *image;
  GError *error;
  gboolean answered;
} Ask;

static void
picture_cb (GObject      *source,
            GAsyncResult *result,
            gpointer      data)
{
  Ask *self = data;

  self->image =
    vtr_document_get_framebuffer_finish (VTR_DOCUMENT (source), result, &self->error);
  self->answered = TRUE;
}

/* A picture does not wait for the end of a measurement, which goes on. */
static void
test_turns (Fixture       *self,
            gconstpointer  data)
{
  g_autoptr (VtrImage) expected = take_picture (self, 1);
  Measurement measurement;
  Ask ask = { 0 };
  guint n_reports;

  g_clear_object (&self->document);
  open_document (self);
  begin (self, &measurement, VTR_TIMINGS_FOR_EVER, 0);
  while (measurement.n_reports < 2)
    g_main_context_iteration (NULL, TRUE);
  vtr_document_get_framebuffer_async (self->document, self->draws[1], VTR_ATTACHMENT_COLOR0, 0,
                                      NULL, picture_cb, &ask);
  wait_answer (&ask.answered);
  g_assert_no_error (ask.error);
  g_assert_false (measurement.answered);
  assert_same (ask.image, expected);
  n_reports = measurement.n_reports;
  while (measurement.n_reports < n_reports + 2 && !measurement.answered)
    g_main_context_iteration (NULL, TRUE);
  g_assert_false (measurement.answered);
  g_cancellable_cancel (measurement.cancellable);
  wait_answer (&measurement.answered);
  g_assert_no_error (measurement.error);
  vtr_image_unref (ask.image);
  measurement_clear (&measurement);
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_assert_cmpint (argc, ==, 2);
  trace_path = argv[1];
#define ADD(name, function) \
  g_test_add ("/resolve/timings/" name, Fixture, NULL, set_up, function, tear_down)
  ADD ("pictures", test_pictures);
  ADD ("cancel", test_cancel);
  ADD ("turns", test_turns);
  return g_test_run ();
}
