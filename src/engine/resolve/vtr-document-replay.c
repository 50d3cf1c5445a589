/* Answers that need a replay. All of it runs on the document's one replay worker, which owns the
 * backend. */
#include "engine/resolve/vtr-document-private.h"

#include "vtr-config.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "base/vtr-log.h"
#include "engine/resolve/vtr-image.h"
#include "engine/resolve/vtr-replay-target.h"
#include "engine/transforms/vtr-transforms.h"

/* What the document keeps of its replayer. Touched on the replay worker only, but for the words. */
typedef struct
{
  VtrReplayBackend *backend; /* made at the first request */
  guint n_deaths;
  gboolean alive; /* the last request ended in good order */
  char *words;    /* for the status bar; guarded by the document's replay_lock */
} ReplaySession;

static void
session_free (gpointer data)
{
  ReplaySession *session = data;

  if (session->backend != NULL)
    session->backend->klass->free (session->backend);
  g_free (session->words);
  g_free (session);
}

/* Call with replay_lock held. */
static ReplaySession *
session_locked (VtrDocument *self)
{
  if (self->replay == NULL)
    {
      self->replay = g_new0 (ReplaySession, 1);
      self->replay_free = session_free;
    }
  return self->replay;
}

static ReplaySession *
session_get (VtrDocument *self)
{
  ReplaySession *session;

  g_mutex_lock (&self->replay_lock);
  session = session_locked (self);
  g_mutex_unlock (&self->replay_lock);
  return session;
}

/* Takes @words. */
static void
session_say (VtrDocument *self,
             char        *words)
{
  ReplaySession *session;
  gboolean changed;

  g_mutex_lock (&self->replay_lock);
  session = session_locked (self);
  changed = g_strcmp0 (session->words, words) != 0;
  g_free (session->words);
  session->words = words;
  g_mutex_unlock (&self->replay_lock);
  if (changed)
    vtr_document_replay_changed (self);
}

char *
vtr_document_describe_replay (VtrDocument *self)
{
  const ReplaySession *session;
  char *words;

  g_mutex_lock (&self->replay_lock);
  session = self->replay;
  words = g_strdup (session != NULL && session->words != NULL ? session->words
                                                              : _ ("Replay not started"));
  g_mutex_unlock (&self->replay_lock);
  return words;
}

/* --- One request ----------------------------------------------------------------------------- */

/* A replay under way: what the backend's callbacks and the builder's need. */
typedef struct
{
  VtrDocument *document;
  VtrReplayBackend *backend;
  VtrReplayBuilder *builder;
  guint64 end; /* commands that are driven through the chain */
  void (*posted) (guint64 post, const guint8 *bytes, gsize size, gpointer data);
  void (*progress) (guint64 command, guint64 total, gpointer data);
  gpointer data;
} Request;

/* The flat index that a label means: the largest below @end with these low bits. */
static guint64
index_of_label (guint64 label,
                guint64 end)
{
  const guint64 period = G_GUINT64_CONSTANT (1) << 26;

  while (label + period < end)
    label += period;
  return label;
}

static GBytes *
request_resource (guint64    number,
                  gpointer   data,
                  GError   **error)
{
  Request *request = data;

  return vtr_replay_builder_get_resource (request->builder, number, error);
}

static void
request_posted (guint64       post,
                const guint8 *bytes,
                gsize         size,
                gpointer      data)
{
  Request *request = data;

  if (request->posted != NULL)
    request->posted (post, bytes, size, request->data);
}

static void
request_progress (guint64  label,
                  gpointer data)
{
  Request *request = data;

  if (request->progress != NULL)
    request->progress (index_of_label (label, request->end), request->end, request->data);
}

static void
request_message (int         level,
                 guint64     label,
                 const char *text,
                 gpointer    data)
{
  Request *request = data;

  g_log (G_LOG_DOMAIN,
         level == VTR_LOG_ERROR || level == VTR_LOG_WARNING ? G_LOG_LEVEL_MESSAGE
                                                            : G_LOG_LEVEL_DEBUG,
         "command %" G_GUINT64_FORMAT ": %s", index_of_label (label, request->end), text);
}

static gboolean
request_send (const VtrReplaySegment  *segment,
              gpointer                 data,
              GError                 **error)
{
  Request *request = data;

  return request->backend->klass->send (request->backend, segment, error);
}

/* Names the command that an outcome blames. */
static void
blame (Request                 *request,
       const VtrReplayOutcome  *outcome,
       GError                 **error)
{
  guint64 index = index_of_label (outcome->label, request->end);
  const char *name = index < vtr_trace_get_n_commands (request->document->trace)
                       ? vtr_cmd_name (vtr_trace_get_command_id (request->document->trace, index))
                       : "?";

  if (*error == NULL)
    {
      const char *result = vtr_enum_value_name (VTR_ENUM_VkResult, outcome->vk_result);
      g_autofree char *number = g_strdup_printf ("%d", outcome->vk_result);

      g_set_error (error, VTR_REPLAY_ERROR, VTR_REPLAY_ERROR_VULKAN,
                   _ ("Command %" G_GUINT64_FORMAT ", %s, failed in the replay with %s"), index,
                   name, result != NULL ? result : number);
      return;
    }
  if (g_error_matches (*error, VTR_REPLAY_ERROR, VTR_REPLAY_ERROR_DIED))
    g_prefix_error (error, _ ("The replayer died at command %" G_GUINT64_FORMAT ", %s: "), index,
                    name);
  else if (g_error_matches (*error, VTR_REPLAY_ERROR, VTR_REPLAY_ERROR_VULKAN) ||
           g_error_matches (*error, VTR_REPLAY_ERROR, VTR_REPLAY_ERROR_PAYLOAD))
    g_prefix_error (error, _ ("The replay failed at command %" G_GUINT64_FORMAT ", %s: "), index,
                    name);
}

/* After a failed build: ends the request without running what is left. The reason may be the
 * replayer's death, which only the end of the request tells. */
static void
request_abandon (Request           *request,
                 VtrReplayOutcome  *outcome,
                 GError           **error)
{
  g_autoptr (GCancellable) now = g_cancellable_new ();
  g_autoptr (GError) why = NULL;

  g_cancellable_cancel (now);
  if (!request->backend->klass->finish (request->backend, outcome, now, &why) &&
      g_error_matches (why, VTR_REPLAY_ERROR, VTR_REPLAY_ERROR_DIED))
    {
      g_clear_error (error);
      g_propagate_error (error, g_steal_pointer (&why));
    }
}

static gboolean
request_begin (Request  *request,
               guint32   flags,
               GError  **error)
{
  static const VtrReplayEvents events = {
    .get_resource = request_resource,
    .posted = request_posted,
    .progress = request_progress,
    .message = request_message,
  };
  ReplaySession *session = session_get (request->document);

  if (session->backend == NULL)
    {
      session_say (request->document, g_strdup (_ ("Replay starting…")));
      session->backend = vtr_replay_process_new (g_getenv ("VITRINE_REPLAY_DEVICE"));
    }
  request->backend = session->backend;
  return request->backend->klass->begin (request->backend, flags, &events, request, error);
}

static void
request_note_end (Request      *request,
                  const GError *error)
{
  ReplaySession *session = session_get (request->document);
  const VtrTraceInfo *info = vtr_trace_get_info (request->document->trace);

  session->alive = error == NULL;
  if (g_error_matches (error, VTR_REPLAY_ERROR, VTR_REPLAY_ERROR_DIED))
    {
      session->n_deaths++;
      session_say (request->document,
                   g_strdup (_ ("Replayer died; it is restarted with the next request")));
    }
  else if (g_error_matches (error, VTR_REPLAY_ERROR, VTR_REPLAY_ERROR_START) ||
           g_error_matches (error, VTR_REPLAY_ERROR, VTR_REPLAY_ERROR_DRIVER))
    session_say (request->document, g_strdup (_ ("Replay not possible here")));
  else if (session->n_deaths > 0 && error == NULL)
    session_say (request->document,
                 g_strdup_printf (_ ("Replayer restarted (%u)"), session->n_deaths));
  else if (error == NULL)
    session_say (request->document, info->device[0] != '\0'
                                      ? g_strdup_printf (_ ("Replay of %s"), info->device)
                                      : g_strdup (_ ("Replay ready")));
}

/* Takes @chain, which ends in front of the builder. Drives the trace through it into the replayer
 * and waits for the end. */
static gboolean
request_run (Request           *request,
             VtrTransform      *chain,
             guint32            flags,
             VtrReplayOutcome  *outcome,
             GCancellable      *cancellable,
             GError           **error)
{
  g_autoptr (VtrTransform) all = NULL;
  g_autoptr (GError) failure = NULL;
  gboolean ok;

  memset (outcome, 0, sizeof *outcome);
  request->builder = vtr_replay_builder_new (request->document->trace, request_send, request);
  all = vtr_transform_chain (chain, vtr_transform_replayable_new (),
                             vtr_transform_virtual_swapchain_new (), NULL);
  all = vtr_transform_chain (all, vtr_transform_build_new (request->builder), NULL);

  if (request_begin (request, flags, &failure))
    {
      if (!vtr_transform_run (all, request->document->trace, request->end, NULL, NULL,
                              cancellable, &failure))
        request_abandon (request, outcome, &failure);
      else
        request->backend->klass->finish (request->backend, outcome, cancellable, &failure);
      if (failure != NULL || outcome->failed)
        blame (request, outcome, &failure);
    }

  request_note_end (request, failure);
  g_clear_pointer (&request->builder, vtr_replay_builder_free);
  ok = failure == NULL;
  if (!ok)
    g_propagate_error (error, g_steal_pointer (&failure));
  return ok;
}

/* --- Framebuffers ---------------------------------------------------------------------------- */

typedef struct
{
  VtrDocument *document; /* outlives the memo that holds this */
  guint64 index;
  VtrAttachmentKind attachment;
  VtrReplayTarget target;
  GBytes *texels;
} FramebufferJob;

static void
framebuffer_job_free (gpointer data)
{
  FramebufferJob *job = data;

  g_clear_pointer (&job->texels, g_bytes_unref);
  g_free (job);
}

static void
framebuffer_posted (guint64       post,
                    const guint8 *bytes,
                    gsize         size,
                    gpointer      data)
{
  FramebufferJob *job = data;

  g_clear_pointer (&job->texels, g_bytes_unref);
  job->texels = g_bytes_new (bytes, size);
}

static gboolean
framebuffer_replay (FramebufferJob  *job,
                    GCancellable    *cancellable,
                    GError         **error)
{
  VtrDocument *self = job->document;
  Request request = { .document = self, .posted = framebuffer_posted, .data = job };
  VtrReplayOutcome outcome;
  VtrTransform *chain =
    vtr_transform_cut_new (self->timeline, self->history, job->index, 0, &request.end, error);

  if (chain == NULL)
    return FALSE;
  chain = vtr_transform_chain (
    chain, vtr_transform_gpu_writes_new (FALSE),
    vtr_transform_read_image_new (&job->target.read, job->target.created), NULL);
  if (!request_run (&request, chain, 0, &outcome, cancellable, error))
    return FALSE;
  if (job->texels == NULL)
    {
      g_set_error_literal (error, VTR_REPLAY_ERROR, VTR_REPLAY_ERROR_PAYLOAD,
                           _ ("The replay ended without the image"));
      return FALSE;
    }
  return TRUE;
}

static gpointer
framebuffer_run (gpointer       data,
                 GCancellable  *cancellable,
                 gsize         *cost,
                 GError       **error)
{
  FramebufferJob *job = data;
  VtrImage *image;

  if (!vtr_replay_target_find (job->document, job->index, job->attachment, &job->target, error) ||
      !framebuffer_replay (job, cancellable, error))
    return NULL;
  image = vtr_image_new (job->target.format, (VkImageAspectFlagBits)job->target.read.aspect,
                         job->target.read.width, job->target.read.height, job->texels, error);
  if (image != NULL)
    {
      image->image = job->target.image;
      image->after = job->index;
      *cost = g_bytes_get_size (image->texels);
    }
  return image;
}

static char *
framebuffer_key (guint64           index,
                 VtrAttachmentKind attachment)
{
  if (attachment == VTR_ATTACHMENT_DEPTH)
    return g_strdup_printf ("commands/%" G_GUINT64_FORMAT "/framebuffer/depth", index);
  if (attachment == VTR_ATTACHMENT_STENCIL)
    return g_strdup_printf ("commands/%" G_GUINT64_FORMAT "/framebuffer/stencil", index);
  return g_strdup_printf ("commands/%" G_GUINT64_FORMAT "/framebuffer/color%d", index,
                          (int)attachment);
}

static FramebufferJob *
framebuffer_job_new (VtrDocument       *self,
                     guint64            index,
                     VtrAttachmentKind  attachment)
{
  FramebufferJob *job = g_new0 (FramebufferJob, 1);

  job->document = self;
  job->index = index;
  job->attachment = attachment;
  return job;
}

VtrImage *
vtr_document_get_framebuffer (VtrDocument        *self,
                              guint64             index,
                              VtrAttachmentKind   attachment,
                              GCancellable       *cancellable,
                              GError            **error)
{
  g_autofree char *key = framebuffer_key (index, attachment);

  return vtr_memo_get (self->images, key, VTR_PRIORITY_NORMAL, framebuffer_run,
                       framebuffer_job_new (self, index, attachment), framebuffer_job_free,
                       cancellable, error);
}

void
vtr_document_get_framebuffer_async (VtrDocument         *self,
                                    guint64              index,
                                    VtrAttachmentKind    attachment,
                                    GCancellable        *cancellable,
                                    GAsyncReadyCallback  callback,
                                    gpointer             data)
{
  g_autofree char *key = framebuffer_key (index, attachment);

  vtr_memo_get_async (self->images, key, VTR_PRIORITY_INTERACTIVE, framebuffer_run,
                      framebuffer_job_new (self, index, attachment), framebuffer_job_free, self,
                      cancellable, callback, data);
}

VtrImage *
vtr_document_get_framebuffer_finish (VtrDocument   *self,
                                     GAsyncResult  *result,
                                     GError       **error)
{
  return vtr_memo_get_finish (result, error);
}

/* --- Whole replays --------------------------------------------------------------------------- */

#define READ_POST G_MAXUINT64

typedef struct
{
  VtrDocument *document;
  const VtrReplayAllOptions *options;
  VtrReplayOutcome *outcome;
  GCancellable *cancellable;
  GHashTable *frames; /* post id → VtrImage without texels: what it will hold */
  GBytes *read;

  GMutex lock;
  GCond cond;
  gboolean done;
  gboolean ok;
  GError *error;
} ReplayAll;

typedef struct
{
  VkFormat format;
  guint32 width, height;
  guint64 index;
} Frame;

static void
present_found (guint64                   post,
               guint64                   index,
               const VtrReplayReadImage *read,
               gpointer                  data)
{
  ReplayAll *all = data;
  const Frame frame = { (VkFormat)read->format, read->width, read->height, index };

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

  if (post == READ_POST)
    {
      g_clear_pointer (&all->read, g_bytes_unref);
      all->read = g_bytes_new (bytes, size);
      return;
    }
  if (frame == NULL || all->options->frame == NULL)
    return;
  texels = g_bytes_new (bytes, size);
  image = vtr_image_new (frame->format, VK_IMAGE_ASPECT_COLOR_BIT, frame->width, frame->height,
                         texels, all->error == NULL ? &all->error : NULL);
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

/* The buffer or memory that a handle meant last, no later than @end. */
static const VtrObject *
find_read_object (VtrDocument *self,
                  guint64      handle,
                  guint64      end)
{
  const VtrObject *found = NULL;

  for (guint32 id = 1; id <= vtr_history_get_n_objects (self->history); id++)
    {
      const VtrObject *object = vtr_history_get_object (self->history, id);

      if (object->handle == handle && object->created < end &&
          (object->type == VTR_HANDLE_VkBuffer || object->type == VTR_HANDLE_VkDeviceMemory))
        found = object;
    }
  return found;
}

/* Where an object's final contents can still be read: before the first destruction after the last
 * submission of its life. */
static guint64
last_readable (VtrDocument     *self,
               const VtrObject *object,
               guint64          end)
{
  guint64 at = MIN (object->destroyed, end);
  guint64 submit = at;

  while (submit > object->created &&
         !vtr_cmd_is (vtr_trace_get_command_id (self->trace, submit - 1), VTR_CLASS_SUBMIT))
    submit--;
  for (guint64 i = submit; i < at; i++)
    if (vtr_cmd_is (vtr_trace_get_command_id (self->trace, i), VTR_CLASS_DESTROY))
      return i;
  return at;
}

static VtrTransform *
read_object_transform (ReplayAll  *all,
                       guint64     end,
                       GError    **error)
{
  VtrDocument *self = all->document;
  const VtrObject *object = find_read_object (self, all->options->read_object, end);
  const VtrObject *device = object;
  VtrReplayReadBytes read = { .size = G_MAXUINT64, .post = READ_POST };

  while (device != NULL && device->type != VTR_HANDLE_VkDevice)
    device = device->parent != 0 ? vtr_history_get_object (self->history, device->parent) : NULL;
  if (device == NULL)
    {
      g_set_error (error, VTR_RESOLVE_ERROR, VTR_RESOLVE_ERROR_NOTHING,
                   _ ("The trace has no buffer or device memory 0x%" G_GINT64_MODIFIER "x"),
                   all->options->read_object);
      return NULL;
    }
  read.device = device->handle;
  read.object = object->handle;
  return vtr_transform_read_bytes_new (object->type == VTR_HANDLE_VkBuffer ? VTR_REPLAY_READ_BUFFER
                                                                           : VTR_REPLAY_READ_MEMORY,
                                       &read, last_readable (self, object, end));
}

static VtrTransform *
all_chain (ReplayAll  *all,
           guint64    *end,
           GError    **error)
{
  VtrDocument *self = all->document;
  const VtrReplayAllOptions *options = all->options;
  VtrTransform *chain;
  VtrTransform *read;

  *end = vtr_trace_get_n_commands (self->trace);
  chain = vtr_transform_gpu_writes_new (options->poison);
  if (options->to != VTR_COMMAND_NO_INDEX && options->to + 1 < *end)
    {
      VtrTransform *cut =
        vtr_transform_cut_new (self->timeline, self->history, options->to, 0, end, error);

      if (cut == NULL)
        {
          vtr_transform_free (chain);
          return NULL;
        }
      chain = vtr_transform_chain (cut, chain, NULL);
    }
  if (options->images)
    chain = vtr_transform_chain (chain, vtr_transform_read_presents_new (present_found, all), NULL);
  if (options->read_object == 0)
    return chain;
  read = read_object_transform (all, *end, error);
  if (read == NULL)
    {
      vtr_transform_free (chain);
      return NULL;
    }
  return vtr_transform_chain (chain, read, NULL);
}

static gboolean
all_run (ReplayAll  *all,
         GError    **error)
{
  Request request = {
    .document = all->document,
    .posted = all_posted,
    .progress = all_progress,
    .data = all,
  };
  VtrTransform *chain = all_chain (all, &request.end, error);

  if (chain == NULL)
    return FALSE;
  if (!request_run (&request, chain, all->options->poison ? VTR_REPLAY_POISON : 0, all->outcome,
                    all->cancellable, error))
    return FALSE;
  if (all->error != NULL)
    {
      g_propagate_error (error, g_steal_pointer (&all->error));
      return FALSE;
    }
  if (all->options->read_object != 0 && all->options->read_result != NULL)
    *all->options->read_result = g_steal_pointer (&all->read);
  return TRUE;
}

static void
all_job (gpointer data,
         gpointer user_data)
{
  ReplayAll *all = data;
  GError *error = NULL;
  gboolean ok = all_run (all, &error);

  g_mutex_lock (&all->lock);
  all->ok = ok;
  g_clear_error (&all->error);
  all->error = error;
  all->done = TRUE;
  g_cond_signal (&all->cond);
  g_mutex_unlock (&all->lock);
}

gboolean
vtr_document_replay_all (VtrDocument                *self,
                         const VtrReplayAllOptions  *options,
                         VtrReplayOutcome           *outcome,
                         GCancellable               *cancellable,
                         GError                    **error)
{
  VtrReplayOutcome unused;
  ReplayAll all = {
    .document = self,
    .options = options,
    .outcome = outcome != NULL ? outcome : &unused,
    .cancellable = cancellable,
    .frames = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, g_free),
  };

  memset (all.outcome, 0, sizeof *all.outcome);
  g_mutex_init (&all.lock);
  g_cond_init (&all.cond);
  if (vtr_scheduler_is_worker (self->replay_pool))
    all_job (&all, NULL);
  else
    vtr_scheduler_push (self->replay_pool, VTR_PRIORITY_NORMAL, all_job, &all);
  g_mutex_lock (&all.lock);
  while (!all.done)
    g_cond_wait (&all.cond, &all.lock);
  g_mutex_unlock (&all.lock);

  g_mutex_clear (&all.lock);
  g_cond_clear (&all.cond);
  g_hash_table_unref (all.frames);
  g_clear_pointer (&all.read, g_bytes_unref);
  if (all.error != NULL)
    g_propagate_error (error, all.error);
  return all.ok;
}
