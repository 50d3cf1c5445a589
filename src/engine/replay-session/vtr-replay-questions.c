/* Answers questions other than pictures by replay: the contents of objects, whole replays, what
 * this device lacks. All of it runs on the session's worker. */
#include "engine/replay-session/vtr-replay-questions.h"

#include "vtr-config.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "base/vtr-number.h"
#include "engine/picture/vtr-image.h"
#include "engine/replay-session/vtr-replay-session-private.h"
#include "engine/replay-session/vtr-request-api.h"
#include "engine/replay/vtr-replay-sandbox.h"
#include "engine/state/vtr-history.h"
#include "engine/state/vtr-resolve-error.h"

/* --- Memory ---------------------------------------------------------------------------------- */

typedef struct
{
  VtrReplayQuestion question;
  VtrReplaySpace space;
  const VtrPictureEdit *edit; /* (nullable) */
  GCancellable *cancellable;
  GBytes *read;
  GError *error;
} MemoryJob;

static void
memory_posted (guint64       post,
               const guint8 *bytes,
               gsize         size,
               gpointer      data)
{
  MemoryJob *job = data;

  g_clear_pointer (&job->read, g_bytes_unref);
  if (size <= job->space.size)
    job->read = g_bytes_new (bytes, size);
}

static VtrTransform *
memory_chain (gpointer       data,
              guint64       *end,
              GCancellable  *cancellable,
              GError       **error)
{
  MemoryJob *job = data;

  return vtr_replay_ask (&job->question, end, cancellable, error);
}

/* Whether there is something to read when the command runs. */
static gboolean
check_readable (const MemoryJob  *job,
                GError          **error)
{
  const VtrReplayBasis *basis = vtr_replay_session_get_basis (job->question.session);
  const VtrObject *object =
    job->space.object != 0 ? vtr_history_get_object (basis->history, job->space.object) : NULL;
  const VtrRequestApi *api = object != NULL ? vtr_request_api_get (object->type) : NULL;

  return api == NULL || api->check_space == NULL || api->check_space (&job->question, error);
}

static void
memory_run (gpointer data)
{
  MemoryJob *job = data;
  VtrReplaySession *session = job->question.session;
  VtrReplayRequest request = {
    .session = session, .edit = job->edit, .posted = memory_posted, .data = job
  };
  const guint32 flags = job->question.poison ? VTR_REPLAY_POISON : 0;
  VtrReplayOutcome outcome;

  job->question.request = &request;
  if (check_readable (job, &job->error) &&
      vtr_picture_edit_check_stream (job->edit, vtr_replay_session_get_edits (session),
                                     vtr_replay_session_get_basis (session)->history,
                                     job->cancellable, &job->error) &&
      vtr_replay_request_answer (&request, &job->question.place, memory_chain, flags, &outcome,
                                 job->cancellable, &job->error) &&
      job->read == NULL)
    g_set_error_literal (&job->error, VTR_REPLAY_ERROR, VTR_REPLAY_ERROR_PAYLOAD,
                         _ ("The replay finished without reading the bytes"));
}

GBytes *
vtr_replay_session_read_object (VtrReplaySession      *self,
                                const VtrPlace        *place,
                                guint32                object,
                                guint64                offset,
                                guint64                size,
                                const VtrPictureEdit  *edit,
                                GCancellable          *cancellable,
                                GError               **error)
{
  const VtrReplayBasis *basis = vtr_replay_session_get_basis (self);
  MemoryJob job = {
    .question = { .what = VTR_ASK_SPACE,
                  .session = self,
                  .place = *place,
                  .poison = vtr_replay_session_get_poison (self),
                  .n_spaces = 1 },
    .space = { .offset = offset, .size = size },
    .edit = edit,
    .cancellable = cancellable,
  };

  if (object <= vtr_history_get_n_objects (basis->history))
    job.space.object = object;
  job.question.spaces = &job.space;
  vtr_replay_session_run (self, memory_run, &job);
  if (job.error == NULL)
    return job.read;
  g_clear_pointer (&job.read, g_bytes_unref);
  g_propagate_error (error, job.error);
  return NULL;
}

/* --- Whole replays --------------------------------------------------------------------------- */

/* Posts of what is read, the first one's the highest; those of frames count from 0. */
#define READ_POST(i) (G_MAXUINT64 - (i))

typedef struct
{
  VtrReplaySession *session;
  const VtrReplayBasis *basis;
  const VtrReplayAllOptions *options;
  VtrReplayOutcome *outcome;
  GCancellable *cancellable;
  VtrReplayQuestion question;
  VtrReplaySpace *spaces;
  GHashTable *frames; /* post id → Frame: what it will hold */
  guint64 n_given;    /* frames that the caller got */
  GBytes **read;      /* one for each object to read */
  gboolean ok;
  GError *error;
} ReplayAll;

typedef struct
{
  VtrTarget what;
  guint64 index;
} Frame;

static void
frame_found (guint64          post,
             const VtrTarget *what,
             guint64          index,
             gpointer         data)
{
  ReplayAll *all = data;
  const Frame frame = { *what, index };

  g_hash_table_insert (all->frames, g_memdup2 (&post, sizeof post),
                       g_memdup2 (&frame, sizeof frame));
}

static void
all_posted (guint64       post,
            const guint8 *bytes,
            gsize         size,
            gpointer      data)
{
  ReplayAll *all = data;
  const Frame *frame = g_hash_table_lookup (all->frames, &post);
  g_autoptr (GBytes) texels = NULL;
  g_autoptr (VtrImage) image = NULL;

  if (READ_POST (post) < all->options->n_read_objects)
    {
      GBytes **read = &all->read[READ_POST (post)];

      g_clear_pointer (read, g_bytes_unref);
      *read = g_bytes_new (bytes, size);
      return;
    }
  /* If the replay runs again because of addresses, frames are counted from the beginning again. */
  if (frame == NULL || all->options->frame == NULL || post < all->n_given ||
      size > vtr_target_get_size (&frame->what))
    return;
  all->n_given = post + 1;
  texels = g_bytes_new (bytes, size);
  image = vtr_target_make_image (&frame->what, texels,
                                 all->error == NULL ? &all->error : NULL);
  if (image == NULL)
    return;
  image->after = frame->index;
  all->options->frame (post, image, all->options->data);
  g_hash_table_remove (all->frames, &post);
}

static void
all_progress (guint64  command,
              guint64  total,
              gpointer data)
{
  ReplayAll *all = data;

  if (all->options->progress != NULL)
    all->options->progress (command, total, all->options->data);
}

static VtrTransform *
all_chain (ReplayAll  *all,
           guint64    *end,
           GError    **error)
{
  const VtrReplayAllOptions *options = all->options;

  for (guint i = 0; i < options->n_read_objects; i++)
    all->spaces[i] = (VtrReplaySpace){
      .name = options->read_objects[i], .size = G_MAXUINT64, .post = READ_POST (i)
    };
  all->question = (VtrReplayQuestion){
    .what = VTR_ASK_FRAMES,
    .session = all->session,
    .place = { options->to, VTR_NO_RUN },
    .poison = options->poison,
    .spaces = all->spaces,
    .n_spaces = options->n_read_objects,
    .images = options->images,
    .found = frame_found,
    .data = all,
  };
  return vtr_replay_ask (&all->question, end, all->cancellable, error);
}

static gboolean
all_run (ReplayAll  *all,
         GError    **error)
{
  VtrReplayRequest request = {
    .session = all->session,
    .edit = all->options->edit,
    .posted = all_posted,
    .progress = all_progress,
    .data = all,
  };
  VtrTransform *chain = all_chain (all, &request.end, error);

  if (chain == NULL)
    return FALSE;
  if (!vtr_replay_request_run (&request, chain, all->options->poison ? VTR_REPLAY_POISON : 0,
                               all->outcome, all->cancellable, error))
    return FALSE;
  if (all->error != NULL)
    {
      g_propagate_error (error, g_steal_pointer (&all->error));
      return FALSE;
    }
  for (guint i = 0; i < all->options->n_read_objects; i++)
    all->options->read_results[i] = g_steal_pointer (&all->read[i]);
  return TRUE;
}

static void
all_job (gpointer data)
{
  ReplayAll *all = data;
  VtrReplaySession *session = all->session;
  GError *error = NULL;

  all->ok =
    vtr_picture_edit_check_stream (all->options->edit, vtr_replay_session_get_edits (session),
                                   all->basis->history, all->cancellable, &error) &&
    all_run (all, &error);
  if (!all->ok && vtr_replay_session_guess_addresses (session, &error))
    all->ok = all_run (all, &error);
  g_clear_error (&all->error);
  all->error = error;
}

gboolean
vtr_replay_session_replay_all (VtrReplaySession           *self,
                               const VtrReplayAllOptions  *options,
                               VtrReplayOutcome           *outcome,
                               GCancellable               *cancellable,
                               GError                    **error)
{
  VtrReplayOutcome unused;
  ReplayAll all = {
    .session = self,
    .basis = vtr_replay_session_get_basis (self),
    .options = options,
    .outcome = outcome != NULL ? outcome : &unused,
    .cancellable = cancellable,
    .frames = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, g_free),
    .spaces = g_new0 (VtrReplaySpace, options->n_read_objects),
    .read = g_new0 (GBytes *, options->n_read_objects),
  };

  memset (all.outcome, 0, sizeof *all.outcome);
  vtr_replay_session_run (self, all_job, &all);
  g_hash_table_unref (all.frames);
  for (guint i = 0; i < options->n_read_objects; i++)
    g_clear_pointer (&all.read[i], g_bytes_unref);
  g_free (all.read);
  g_free (all.spaces);
  if (all.error != NULL)
    g_propagate_error (error, all.error);
  return all.ok;
}

/* --- Compatibility --------------------------------------------------------------------------- */

typedef struct
{
  VtrReplaySession *session;
  GCancellable *cancellable;
  VtrCompatibility *compatibility;
  VtrPlan *plan;
  GError *error;
} CompatibilityJob;

static void
compatibility_run (gpointer data)
{
  CompatibilityJob *job = data;

  job->compatibility =
    vtr_replay_session_get_compatibility (job->session, job->cancellable, &job->error);
  if (job->compatibility == NULL)
    return;
  vtr_compatibility_ref (job->compatibility);
  job->plan = vtr_plan_ref (vtr_replay_session_peek_plan (job->session));
}

VtrCompatibility *
vtr_replay_session_find_compatibility (VtrReplaySession  *self,
                                       VtrPlan          **plan,
                                       GCancellable      *cancellable,
                                       GError           **error)
{
  CompatibilityJob job = { .session = self, .cancellable = cancellable };

  vtr_replay_session_run (self, compatibility_run, &job);
  if (job.error != NULL)
    g_propagate_error (error, job.error);
  if (plan != NULL)
    *plan = job.plan;
  else
    g_clear_pointer (&job.plan, vtr_plan_unref);
  return job.compatibility;
}

/* --- Uncertain writes ------------------------------------------------------------------------ */

typedef struct
{
  VtrReplaySession *session;
  GCancellable *cancellable;
  const VtrUncertainWrites *writes;
  GError *error;
} UncertainJob;

static void
uncertain_run (gpointer data)
{
  UncertainJob *job = data;
  const VtrRequestApi *api;
  guint nth = 0;

  while (job->writes == NULL && job->error == NULL &&
         (api = vtr_request_api_next (job->session, &nth)) != NULL)
    if (api->get_uncertain_writes != NULL)
      job->writes = api->get_uncertain_writes (job->session, job->cancellable, &job->error);
}

const VtrUncertainWrites *
vtr_replay_session_find_uncertain_writes (VtrReplaySession  *self,
                                          GCancellable      *cancellable,
                                          GError           **error)
{
  UncertainJob job = { .session = self, .cancellable = cancellable };

  vtr_replay_session_run (self, uncertain_run, &job);
  if (job.error != NULL)
    g_propagate_error (error, job.error);
  return job.writes;
}

/* --- What is not repeated -------------------------------------------------------------------- */

typedef struct
{
  VtrReplaySession *session;
  GCancellable *cancellable;
  GArray *messages;
  GError *error;
} UnrepeatableJob;

static void
clear_message (gpointer data)
{
  g_free (((VtrStateMessage *)data)->text);
}

static void
unrepeatable_run (gpointer data)
{
  UnrepeatableJob *job = data;
  const VtrRequestApi *api;
  guint nth = 0;

  while (job->error == NULL && (api = vtr_request_api_next (job->session, &nth)) != NULL)
    if (api->find_unrepeatable != NULL)
      api->find_unrepeatable (job->session, job->messages, job->cancellable, &job->error);
}

GArray *
vtr_replay_session_find_unrepeatable (VtrReplaySession  *self,
                                      GCancellable      *cancellable,
                                      GError           **error)
{
  UnrepeatableJob job = {
    .session = self,
    .cancellable = cancellable,
    .messages = g_array_new (FALSE, FALSE, sizeof (VtrStateMessage)),
  };

  g_array_set_clear_func (job.messages, clear_message);
  vtr_replay_session_run (self, unrepeatable_run, &job);
  if (job.error == NULL)
    return job.messages;
  g_array_unref (job.messages);
  g_propagate_error (error, job.error);
  return NULL;
}

char *
vtr_replay_session_explain_protection (void)
{
  const VtrReplaySandbox sandbox = vtr_replay_sandbox_get ();

  return vtr_replay_sandbox_explain (&sandbox);
}

/* --- Measuring ------------------------------------------------------------------------------- */

VtrTimings *
vtr_replay_session_measure (VtrReplaySession       *self,
                            const VtrTimingsQuery  *query,
                            VtrTimingsProgress      progress,
                            gpointer                data,
                            GCancellable           *cancellable,
                            GError                **error)
{
  const VtrRequestApi *api;
  guint nth = 0;

  while ((api = vtr_request_api_next (self, &nth)) != NULL)
    if (api->measure != NULL)
      return api->measure (self, query, progress, data, cancellable, error);
  g_set_error_literal (error, VTR_RESOLVE_ERROR, VTR_RESOLVE_ERROR_NOTHING,
                       _ ("Nothing can be measured in this trace"));
  return NULL;
}
