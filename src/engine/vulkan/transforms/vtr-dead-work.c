/* Walks a trace backwards to find submissions on which an image does not depend, so that a replay
 * can skip them. */
#include "engine/vulkan/transforms/vtr-dead-work-private.h"

#include "engine/format/vtr-trace-walk.h"

void
vtr_dead_work_free (VtrDeadWork *self)
{
  for (guint32 i = 0; i < self->n_recordings; i++)
    g_clear_pointer (&self->recordings[i].uses, g_array_unref);
  g_free (self->recordings);
  g_array_unref (self->images);
  vtr_timeline_unref (self->timeline);
  g_free (self);
}

static gboolean
matters (guint64  index,
         VtrCmdId id,
         gpointer data)
{
  VtrDeadBuild *build = data;
  const VtrDeadWork *result = build->result;

  build->index = index;
  build->recording = vtr_cmd_is (id, VTR_CLASS_RECORD)
                       ? vtr_timeline_find_recording (result->timeline, index)
                       : VTR_NO_RECORDING;
  if (build->recording == VTR_NO_RECORDING)
    return vtr_dead_work_is_noted (id);
  return result->recordings[build->recording].plain && !vtr_dead_work_is_harmless (id);
}

static void
note (const VtrCommand *command,
      gpointer          data)
{
  VtrDeadBuild *build = data;

  if (build->recording == VTR_NO_RECORDING)
    vtr_dead_work_note_object (build, command);
  else
    vtr_dead_work_note_recorded (build, &build->result->recordings[build->recording], command);
}

static void
build_recordings (VtrDeadWork *self)
{
  self->n_recordings = vtr_timeline_get_n_recordings (self->timeline);
  self->recordings = g_new0 (VtrDeadRecording, self->n_recordings);
  for (guint32 i = 0; i < self->n_recordings; i++)
    {
      const VtrRecording *recording = vtr_timeline_get_recording (self->timeline, i);

      self->recordings[i].plain =
        recording->complete && !recording->nested;
    }
  self->one_queue = TRUE;
  for (guint32 i = 1; i < vtr_timeline_get_n_submissions (self->timeline); i++)
    if (vtr_timeline_get_submission (self->timeline, i)->executor !=
        vtr_timeline_get_submission (self->timeline, 0)->executor)
      self->one_queue = FALSE;
}

VtrDeadWork *
vtr_dead_work_build (VtrTrace      *trace,
                     VtrTimeline   *timeline,
                     GCancellable  *cancellable,
                     GError       **error)
{
  VtrDeadWork *self = g_new0 (VtrDeadWork, 1);
  VtrDeadBuild build = {
    .result = self,
    .images = g_hash_table_new (NULL, NULL),
    .swapchains = g_hash_table_new_full (NULL, NULL, NULL, g_free),
    .views = g_hash_table_new_full (NULL, NULL, NULL, g_free),
    .framebuffers = g_hash_table_new_full (NULL, NULL, NULL, g_free),
    .render_passes = g_hash_table_new_full (NULL, NULL, NULL, g_free),
    .storing_sets = g_hash_table_new (NULL, NULL),
    .storing = g_hash_table_new (NULL, NULL),
  };
  gboolean ok;

  self->timeline = vtr_timeline_ref (timeline);
  self->images = g_array_new (FALSE, FALSE, sizeof (VtrDeadImage));
  build_recordings (self);
  ok = vtr_trace_walk (trace, matters, note, &build, cancellable, error);
  g_hash_table_unref (build.images);
  g_hash_table_unref (build.swapchains);
  g_hash_table_unref (build.views);
  g_hash_table_unref (build.framebuffers);
  g_hash_table_unref (build.render_passes);
  g_hash_table_unref (build.storing_sets);
  g_hash_table_unref (build.storing);
  if (ok)
    return self;
  vtr_dead_work_free (self);
  return NULL;
}

/* --- Asking ---------------------------------------------------------------------------------- */

/* Walks what ran, last first, with the images whose contents matter. */
typedef struct
{
  const VtrDeadWork *work;
  gboolean everything; /* something that looks anywhere ran */
  guint8 *live;        /* per image */
} Live;

static gboolean
is_plain (const VtrDeadWork   *self,
          const VtrSubmission *submission)
{
  for (guint32 i = 0; i < submission->n_runs; i++)
    {
      guint32 recording =
        vtr_timeline_get_run (self->timeline, submission->first_run + i)->recording;

      if (recording >= self->n_recordings || !self->recordings[recording].plain)
        return FALSE;
    }
  return submission->n_runs > 0;
}

static gboolean
touches_live (const Live          *live,
              const VtrSubmission *submission)
{
  for (guint32 i = 0; i < submission->n_runs; i++)
    {
      const VtrRun *run = vtr_timeline_get_run (live->work->timeline, submission->first_run + i);
      const GArray *uses = live->work->recordings[run->recording].uses;

      for (guint j = 0; uses != NULL && j < uses->len; j++)
        if (live->live[g_array_index (uses, VtrDeadUse, j).image])
          return TRUE;
    }
  return FALSE;
}

/* Before these runs, what they overwrite does not matter, and what they look at does. Of the last
 * one only what comes up to command @last counts. */
static void
pass_runs (Live    *live,
           guint32  first_run,
           guint32  n_runs,
           guint64  last)
{
  for (guint32 i = n_runs; i > 0; i--)
    {
      const VtrRun *run = vtr_timeline_get_run (live->work->timeline, first_run + i - 1);
      const VtrDeadRecording *recording = run->recording < live->work->n_recordings
                                            ? &live->work->recordings[run->recording]
                                            : NULL;

      if (recording == NULL || !recording->plain)
        {
          live->everything = TRUE;
          return;
        }
      for (guint j = 0; recording->uses != NULL && j < recording->uses->len; j++)
        {
          const VtrDeadUse *use = &g_array_index (recording->uses, VtrDeadUse, j);

          if (i < n_runs || use->command <= last)
            live->live[use->image] = !use->overwrites;
        }
    }
}

guint64 *
vtr_dead_work_find (VtrDeadWork   *self,
                    guint64        stop,
                    guint32        n_last,
                    guint64        last,
                    const guint64 *images,
                    guint          n_images)
{
  guint32 n = vtr_timeline_get_n_submissions (self->timeline);
  guint64 *dead = g_new0 (guint64, n / 64 + 1);
  g_autofree guint8 *marks = g_new0 (guint8, self->images->len + 1);
  Live live = { .work = self, .live = marks, .everything = !self->one_queue };

  /* A handle may have meant several images: all of them count. */
  for (guint i = 0; i < self->images->len; i++)
    for (guint j = 0; j < n_images; j++)
      if (g_array_index (self->images, VtrDeadImage, i).handle == images[j])
        marks[i] = TRUE;

  for (guint32 i = n; i > 0 && !live.everything; i--)
    {
      const VtrSubmission *submission = vtr_timeline_get_submission (self->timeline, i - 1);

      if (submission->submit > stop)
        continue;
      if (submission->submit == stop)
        pass_runs (&live, submission->first_run, MIN (n_last, submission->n_runs), last);
      else if (!is_plain (self, submission))
        live.everything = TRUE;
      else if (touches_live (&live, submission))
        pass_runs (&live, submission->first_run, submission->n_runs, G_MAXUINT64);
      else
        dead[(i - 1) / 64] |= G_GUINT64_CONSTANT (1) << ((i - 1) % 64);
    }
  return dead;
}
