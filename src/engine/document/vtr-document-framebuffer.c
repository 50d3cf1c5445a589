/* Makes pictures of attachments and other images after a command. */
#include "engine/document/vtr-document-overlay.h"
#include "engine/document/vtr-document-private.h"

#include "vtr-config.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "engine/answers/vtr-image-path.h"
#include "engine/document/vtr-document-memory.h"
#include "engine/memory/vtr-targets.h"
#include "engine/picture/vtr-image.h"
#include "engine/replay-session/vtr-request-api.h"
#include "engine/replay-session/vtr-result-cache.h"
#include "engine/state/vtr-image-facts.h"

/* Attachments read along with the one asked for: the next question is likely to be about them. */
#define MAX_TARGETS 24
#define MAX_SIBLING_BYTES (32u << 20)

typedef struct
{
  VtrPicture picture;
  VtrTarget target;
  GBytes *texels;
} Shot;

typedef struct
{
  VtrDocument *document;     /* outlives the memo that holds this */
  guint64 waiter;            /* until it runs for the first time */
  VtrReplayRequest *request; /* under way */
  VtrReplayQuestion question;
  const VtrTarget *targets[MAX_TARGETS];
  guint n;
  Shot shots[MAX_TARGETS]; /* the first is what was asked for */
} PictureJob;

/* Forgets what an earlier, cancelled run left. */
static void
picture_job_clear (PictureJob *job)
{
  for (guint i = 0; i < job->n; i++)
    g_clear_pointer (&job->shots[i].texels, g_bytes_unref);
  job->n = 1;
}

static void
picture_job_free (gpointer data)
{
  PictureJob *job = data;

  vtr_replay_waiters_remove (vtr_replay_session_get_waiters (job->document->session),
                             job->waiter);
  picture_job_clear (job);
  g_free (job);
}

static void
picture_posted (guint64       post,
                const guint8 *bytes,
                gsize         size,
                gpointer      data)
{
  PictureJob *job = data;

  if (post >= job->n)
    return;
  g_clear_pointer (&job->shots[post].texels, g_bytes_unref);
  if (size <= vtr_target_get_size (&job->shots[post].target))
    job->shots[post].texels = g_bytes_new (bytes, size);
}

static gboolean
is_same_address (const VtrPlace *a,
                 const VtrPlace *b)
{
  return a->index == b->index && a->run == b->run;
}

/* Adds @picture if it is read at the same place as the first, and cheap. */
static void
add_shot (PictureJob       *job,
          const VtrPicture *picture,
          guint64          *bytes)
{
  const VtrTargetQuery query = vtr_picture_get_query (picture);
  Shot *shot = &job->shots[job->n];

  if (job->n == MAX_TARGETS ||
      !vtr_target_find (vtr_document_get_memory (job->document), &query, &shot->target, NULL) ||
      !is_same_address (&shot->target.read_at, &job->shots[0].target.read_at))
    return;
  *bytes += (guint64)shot->target.width * shot->target.height * 16;
  if (*bytes > MAX_SIBLING_BYTES)
    return;
  shot->picture = *picture;
  job->n++;
}

/* Adds the other samples and aspects of an image, then its other layers, slices and mip levels. */
static void
add_parts (PictureJob *job)
{
  const VtrPicture *first = &job->shots[0].picture;
  const VtrTarget *target = &job->shots[0].target;
  VtrHistory *history = job->document->history;
  VtrImageFacts facts;
  guint64 bytes = 0;

  if (!vtr_image_facts_get (history, vtr_history_get_object (history, first->object), &facts, NULL))
    return;
  for (VtrPixelAspect aspect = VTR_PIXEL_COLOR; aspect < VTR_PIXEL_NO_ASPECT; aspect++)
    for (guint32 i = 0; i <= target->samples; i++)
      {
        VtrPicture picture = *first;

        picture.aspect = aspect;
        picture.sample = i < target->samples ? i : VTR_SAMPLE_RESOLVE;
        if ((picture.sample != VTR_SAMPLE_RESOLVE ||
             (facts.samples > 1 && aspect == VTR_PIXEL_COLOR)) &&
            (picture.aspect != first->aspect || picture.sample != first->sample) &&
            (facts.aspects >> aspect & 1) != 0)
          add_shot (job, &picture, &bytes);
      }
  for (guint32 mip = 0; mip < facts.mip_levels; mip++)
    for (guint32 layer = 0; layer < facts.array_layers; layer++)
      for (guint32 slice = 0; slice < MAX (1, facts.depth >> MIN (mip, 31)); slice++)
        {
          VtrPicture picture = *first;

          picture.mip = mip;
          picture.layer = layer;
          picture.slice = slice;
          if (job->n == MAX_TARGETS)
            return;
          if (mip != first->mip || layer != first->layer || slice != first->slice)
            add_shot (job, &picture, &bytes);
        }
}

/* Adds the other attachments of the pass, as far as they are cheap. */
static void
add_siblings (PictureJob *job)
{
  VtrDocument *self = job->document;
  const VtrPicture *first = &job->shots[0].picture;
  g_autoptr (GArray) infos = NULL;
  guint64 bytes = 0;

  if (!first->is_attachment)
    {
      add_parts (job);
      return;
    }
  infos = vtr_targets_list (vtr_document_get_memory (self), &first->address, TRUE, NULL);
  for (guint i = 0; infos != NULL && i < infos->len; i++)
    {
      const VtrTarget *info = &g_array_index (infos, VtrTarget, i);
      VtrPicture picture = vtr_picture_of_attachment (self->session, &first->address, info->kind);

      picture.edit = first->edit;
      if (info->kind != first->kind)
        add_shot (job, &picture, &bytes);
    }
}

static VtrTransform *
picture_chain (gpointer       data,
               guint64       *end,
               GCancellable  *cancellable,
               GError       **error)
{
  PictureJob *job = data;

  for (guint i = 0; i < job->n; i++)
    job->targets[i] = &job->shots[i].target;
  job->question = (VtrReplayQuestion){
    .what = VTR_ASK_TARGETS,
    .session = job->document->session,
    .request = job->request,
    .place = job->shots[0].target.read_at,
    .poison = vtr_replay_session_get_poison (job->document->session),
    .targets = job->targets,
    .n_targets = job->n,
  };
  return vtr_replay_ask (&job->question, end, cancellable, error);
}

static VtrImage *
shot_image (const Shot  *shot,
            GError     **error)
{
  const VtrTarget *target = &shot->target;
  VtrImage *image;

  if (shot->texels == NULL)
    {
      g_set_error_literal (error, VTR_REPLAY_ERROR, VTR_REPLAY_ERROR_PAYLOAD,
                           _ ("The replay finished without producing the image"));
      return NULL;
    }
  image = vtr_target_make_image (target, shot->texels, error);
  if (image != NULL)
    {
      image->image = target->object;
      image->after = shot->picture.address.index;
      image->mip = target->part.level;
      image->layer = target->part.layer;
      image->slice = target->part.slice;
      image->sample = target->part.sample;
      image->samples = target->samples;
    }
  return image;
}

static void
keep_siblings (const PictureJob *job)
{
  vtr_replay_session_forget_images (job->document->session);
  for (guint i = 1; i < job->n; i++)
    {
      VtrImage *image = shot_image (&job->shots[i], NULL);

      if (image != NULL)
        vtr_replay_session_keep_image (job->document->session,
                                       vtr_picture_key (&job->shots[i].picture), image);
    }
}

/* Texels of the picture asked for as an earlier run of Vitrine left them on disk. */
static gboolean
load_result (PictureJob   *job,
             const char   *question,
             GCancellable *cancellable)
{
  g_autofree char *key = vtr_replay_session_get_key (job->document->session, question, cancellable);

  if (key != NULL)
    job->shots[0].texels = vtr_result_cache_load (key);
  if (job->shots[0].texels != NULL)
    vtr_replay_session_say_cached (job->document->session);
  return job->shots[0].texels != NULL;
}

static void
store_results (const PictureJob *job)
{
  for (guint i = 0; i < job->n; i++)
    {
      g_autofree char *question = vtr_picture_key (&job->shots[i].picture);
      g_autofree char *key = vtr_replay_session_get_key (job->document->session, question, NULL);

      if (key != NULL && job->shots[i].texels != NULL)
        vtr_result_cache_store (key, job->shots[i].texels);
    }
}

static gboolean
replay_picture (PictureJob    *job,
                GCancellable  *cancellable,
                GError       **error)
{
  VtrReplaySession *session = job->document->session;
  VtrReplayRequest request = { .session = session,
                               .edit = job->shots[0].picture.edit,
                               .posted = picture_posted,
                               .data = job };
  guint32 flags = vtr_replay_session_get_poison (session) ? VTR_REPLAY_POISON : 0;
  VtrReplayOutcome outcome;

  add_siblings (job);
  job->request = &request;
  if (!vtr_replay_request_answer (&request, &job->shots[0].target.read_at, picture_chain, flags,
                                  &outcome, cancellable, error))
    return FALSE;
  keep_siblings (job);
  store_results (job);
  return TRUE;
}

/* The command buffers that the picture's command is in have to run. */
static gboolean
check_executed (VtrDocument          *self,
                const VtrPicture     *picture,
                const VtrStreamEdit  *edit,
                GError              **error)
{
  guint32 nth = vtr_timeline_get_run_of (self->timeline, &picture->address);

  while (nth != VTR_NO_RECORDING)
    {
      const VtrRun *run = vtr_timeline_get_run (self->timeline, nth);

      if (run->parent != VTR_NO_RUN && vtr_stream_edit_is_disabled (edit, run->executed_by))
        {
          g_autofree char *number = vtr_trace_format_number (self->trace, run->executed_by);

          g_set_error (error, VTR_RESOLVE_ERROR, VTR_RESOLVE_ERROR_NOTHING,
                       _ ("The command does not run: command %s, which executes its command "
                          "buffer, is disabled."),
                       number);
          return FALSE;
        }
      nth = run->parent;
    }
  return TRUE;
}

static VtrImage *
answer_picture (PictureJob    *job,
                GCancellable  *cancellable,
                GError       **error)
{
  VtrDocument *self = job->document;
  g_autofree char *key = vtr_picture_key (&job->shots[0].picture);
  const VtrTargetQuery query = vtr_picture_get_query (&job->shots[0].picture);
  VtrImage *image = vtr_replay_session_find_image (self->session, key);

  if (image != NULL)
    return image;
  if (!vtr_target_find (vtr_document_get_memory (self), &query, &job->shots[0].target, error) ||
      (!load_result (job, key, cancellable) && !replay_picture (job, cancellable, error)))
    return NULL;
  return shot_image (&job->shots[0], error);
}

/* An image that was not written yet is a state of the program, no failure of the replay. */
static void
propagate_failure (GError **error,
                   GError  *failure)
{
  if (g_error_matches (failure, VTR_REPLAY_ERROR, VTR_REPLAY_ERROR_UNWRITTEN))
    {
      g_set_error_literal (error, VTR_RESOLVE_ERROR, VTR_RESOLVE_ERROR_NOTHING, failure->message);
      g_error_free (failure);
    }
  else
    g_propagate_error (error, failure);
}

/* How often each pixel was drawn to, one float each. */
static VtrImage *
count_picture (PictureJob    *job,
               GCancellable  *cancellable,
               GError       **error)
{
  VtrReplaySession *session = job->document->session;
  const VtrPicture *picture = &job->shots[0].picture;
  const VtrRequestApi *api =
    vtr_request_api_of_picture (vtr_replay_session_get_basis (session), picture);
  g_autofree char *question = vtr_picture_key (picture);

  if (api->count != NULL)
    return api->count (session, picture, question, cancellable, error);
  g_set_error_literal (error, VTR_RESOLVE_ERROR, VTR_RESOLVE_ERROR_NOTHING,
                       _ ("Overlays are unavailable: replays of this API cannot count draws."));
  return NULL;
}

static VtrImage *
answer_edited (PictureJob    *job,
               GCancellable  *cancellable,
               GError       **error)
{
  const VtrPictureEdit *edit = job->shots[0].picture.edit;

  return edit != NULL && vtr_overlay_is_counted (edit->overlay)
           ? count_picture (job, cancellable, error)
           : answer_picture (job, cancellable, error);
}

/* The picture that an overlay lies over. */
static VtrImage *
paint_overlay (PictureJob    *job,
               VtrImage      *counts,
               GCancellable  *cancellable,
               GError       **error)
{
  const VtrPictureEdit *edit = job->shots[0].picture.edit;
  PictureJob below = { .document = job->document, .n = 1 };
  g_autoptr (VtrImage) picture = NULL;

  below.shots[0].picture = job->shots[0].picture;
  below.shots[0].picture.edit =
    vtr_picture_edit_without_overlay (edit, vtr_replay_session_get_edits (job->document->session));
  picture = answer_edited (&below, cancellable, error);
  picture_job_clear (&below);
  return picture != NULL ? vtr_overlay_paint (edit->overlay, picture, counts, error) : NULL;
}

static gpointer
picture_run (gpointer       data,
             GCancellable  *cancellable,
             gsize         *cost,
             GError       **error)
{
  PictureJob *job = data;
  VtrDocument *self = job->document;
  const VtrPictureEdit *edit = job->shots[0].picture.edit;
  GError *failure = NULL;
  VtrImage *image;

  vtr_replay_waiters_remove (vtr_replay_session_get_waiters (self->session), job->waiter);
  picture_job_clear (job);
  if (edit != NULL && (!vtr_picture_edit_check (edit, vtr_replay_session_get_edits (self->session),
                                                self->history, cancellable, error) ||
                       !check_executed (self, &job->shots[0].picture, edit->stream, error)))
    return NULL;
  image = answer_edited (job, cancellable, &failure);
  if (image != NULL && edit != NULL &&
      (edit->overlay == VTR_OVERLAY_WIREFRAME || edit->overlay == VTR_OVERLAY_HIGHLIGHT))
    {
      g_autoptr (VtrImage) counts = g_steal_pointer (&image);

      image = paint_overlay (job, counts, cancellable, &failure);
    }
  if (image != NULL)
    *cost = g_bytes_get_size (image->texels);
  else
    propagate_failure (error, failure);
  return image;
}

static PictureJob *
picture_job_new (VtrDocument      *self,
                 const VtrPicture *picture,
                 int               priority)
{
  PictureJob *job = g_new0 (PictureJob, 1);
  guint64 stop = picture->address.index < vtr_trace_get_n_commands (self->trace)
                   ? vtr_timeline_get_stop (self->timeline, &picture->address)
                   : VTR_COMMAND_NO_INDEX;

  job->document = self;
  job->n = 1;
  job->shots[0].picture = *picture;
  job->waiter =
    vtr_replay_waiters_add (vtr_replay_session_get_waiters (self->session), stop, priority);
  return job;
}

static VtrImage *
get_picture (VtrDocument       *self,
             const VtrPicture  *picture,
             GCancellable      *cancellable,
             GError           **error)
{
  g_autofree char *key = vtr_picture_key (picture);

  PictureJob *job = picture_job_new (self, picture, VTR_PRIORITY_NORMAL);

  vtr_replay_waiters_end_unneeded (vtr_replay_session_get_waiters (self->session));
  return vtr_memo_get (self->images, key, VTR_PRIORITY_NORMAL, picture_run, job, picture_job_free,
                       cancellable, error);
}

static void
get_picture_async (VtrDocument         *self,
                   const VtrPicture    *picture,
                   int                  priority,
                   GCancellable        *cancellable,
                   GAsyncReadyCallback  callback,
                   gpointer             data)
{
  g_autofree char *key = vtr_picture_key (picture);

  vtr_memo_get_async (self->images, key, priority, picture_run,
                      picture_job_new (self, picture, priority), picture_job_free, self,
                      cancellable, callback, data);
  vtr_replay_waiters_end_unneeded (vtr_replay_session_get_waiters (self->session));
}

/* Of an asynchronous call that may have failed before it asked the memo. */
static VtrImage *
picture_finish (GAsyncResult  *result,
                GError       **error)
{
  if (g_async_result_is_tagged (result, picture_finish))
    return g_task_propagate_pointer (G_TASK (result), error);
  return vtr_memo_get_finish (result, error);
}

/* --- Framebuffers ---------------------------------------------------------------------------- */

GArray *
vtr_document_list_attachments (VtrDocument  *self,
                               guint64       index,
                               GError      **error)
{
  const VtrPlace place = { index, VTR_NO_RUN };

  return vtr_targets_list (vtr_document_get_memory (self), &place, FALSE, error);
}

VtrImage *
vtr_document_get_framebuffer (VtrDocument        *self,
                              guint64             index,
                              VtrAttachmentKind   attachment,
                              GCancellable       *cancellable,
                              GError            **error)
{
  const VtrPlace address = { index, VTR_NO_RUN };
  const VtrPicture picture = vtr_picture_of_attachment (self->session, &address, attachment);

  return get_picture (self, &picture, cancellable, error);
}

void
vtr_document_get_framebuffer_async (VtrDocument         *self,
                                    guint64              index,
                                    VtrAttachmentKind    attachment,
                                    int                  priority,
                                    GCancellable        *cancellable,
                                    GAsyncReadyCallback  callback,
                                    gpointer             data)
{
  const VtrPlace address = { index, VTR_NO_RUN };
  const VtrPicture picture = vtr_picture_of_attachment (self->session, &address, attachment);

  get_picture_async (self, &picture, priority, cancellable, callback, data);
}

VtrImage *
vtr_document_get_framebuffer_finish (VtrDocument   *self,
                                     GAsyncResult  *result,
                                     GError       **error)
{
  return picture_finish (result, error);
}

/* --- Textures -------------------------------------------------------------------------------- */

void
vtr_document_get_texture_async (VtrDocument         *self,
                                const VtrImageQuery *query,
                                GCancellable        *cancellable,
                                GAsyncReadyCallback  callback,
                                gpointer             data)
{
  VtrPicture picture;
  GError *error = NULL;

  if (vtr_picture_of_query (self->session, query, &picture, &error))
    get_picture_async (self, &picture, query->priority, cancellable, callback, data);
  else
    g_task_report_error (self, callback, data, picture_finish, error);
}

VtrImage *
vtr_document_get_texture_finish (VtrDocument   *self,
                                 GAsyncResult  *result,
                                 GError       **error)
{
  return picture_finish (result, error);
}

/* --- Images by path -------------------------------------------------------------------------- */

VtrImage *
vtr_document_get_image (VtrDocument   *self,
                        const char    *path,
                        GCancellable  *cancellable,
                        GError       **error)
{
  VtrPicture picture;

  if (!vtr_picture_parse (self->session, path, &picture, error))
    return NULL;
  return get_picture (self, &picture, cancellable, error);
}

void
vtr_document_get_image_async (VtrDocument         *self,
                              const char          *path,
                              int                  priority,
                              GCancellable        *cancellable,
                              GAsyncReadyCallback  callback,
                              gpointer             data)
{
  VtrPicture picture;
  GError *error = NULL;

  if (vtr_picture_parse (self->session, path, &picture, &error))
    get_picture_async (self, &picture, priority, cancellable, callback, data);
  else
    g_task_report_error (self, callback, data, picture_finish, error);
}

VtrImage *
vtr_document_get_image_finish (VtrDocument   *self,
                               GAsyncResult  *result,
                               GError       **error)
{
  return picture_finish (result, error);
}

/* --- Ahead ----------------------------------------------------------------------------------- */

/* Draws that are farther away are not looked for. */
#define MAX_DISTANCE 256

static void
fetched_cb (GObject      *source,
            GAsyncResult *result,
            gpointer      data)
{
  VtrImage *image = picture_finish (result, NULL);

  g_clear_pointer (&image, vtr_image_unref);
}

/* The next draw in the direction of @step; VTR_COMMAND_NO_INDEX: none is near. */
static guint64
find_draw (VtrDocument *self,
           guint64      index,
           gint         step)
{
  guint32 nth = vtr_timeline_find_recording (self->timeline, index);
  const VtrRecording *recording;

  if (nth == VTR_NO_RECORDING)
    return VTR_COMMAND_NO_INDEX;
  recording = vtr_timeline_get_recording (self->timeline, nth);
  for (guint i = 0; i < MAX_DISTANCE; i++)
    {
      index += (guint64)(gint64)step;
      if (index < recording->first || index > recording->last)
        break;
      if (vtr_cmd_is (vtr_trace_get_command_id (self->trace, index), VTR_CLASS_DRAW) &&
          vtr_timeline_find_recording (self->timeline, index) == nth)
        return index;
    }
  return VTR_COMMAND_NO_INDEX;
}

void
vtr_document_fetch_neighbours (VtrDocument  *self,
                               const char   *path,
                               GCancellable *cancellable)
{
  static const gint steps[] = { 1, -1 };
  VtrPicture picture;

  if (!vtr_picture_parse (self->session, path, &picture, NULL))
    return;
  for (guint i = 0; i < G_N_ELEMENTS (steps); i++)
    {
      VtrPicture neighbour = picture;

      neighbour.address.index = find_draw (self, picture.address.index, steps[i]);
      if (neighbour.address.index != VTR_COMMAND_NO_INDEX)
        get_picture_async (self, &neighbour, VTR_PRIORITY_BACKGROUND, cancellable, fetched_cb,
                           NULL);
    }
}
