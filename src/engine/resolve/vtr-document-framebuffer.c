/* Framebuffers: what a command's attachments hold after it. */
#include "engine/resolve/vtr-document-private.h"

#include "vtr-config.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "engine/resolve/vtr-image.h"
#include "engine/resolve/vtr-path.h"
#include "engine/resolve/vtr-replay-request.h"
#include "engine/resolve/vtr-replay-target.h"
#include "engine/transforms/vtr-transforms.h"

/* Attachments read along with the one asked for: the next question is likely to be about them. */
#define MAX_TARGETS 8
#define MAX_SIBLING_BYTES (64u << 20)

typedef struct
{
  VtrAttachmentKind attachment;
  VtrReplayTarget target;
  GBytes *texels;
} Shot;

typedef struct
{
  VtrDocument *document; /* outlives the memo that holds this */
  VtrCommandAddress address;
  guint n;
  Shot shots[MAX_TARGETS]; /* the first is what was asked for */
} FramebufferJob;

static void
framebuffer_job_free (gpointer data)
{
  FramebufferJob *job = data;

  for (guint i = 0; i < job->n; i++)
    g_clear_pointer (&job->shots[i].texels, g_bytes_unref);
  g_free (job);
}

static char *
framebuffer_key (const FramebufferJob *job,
                 VtrAttachmentKind     attachment)
{
  return g_strdup_printf ("%" G_GUINT64_FORMAT ".%u.%d", job->address.index, job->address.run,
                          (int)attachment);
}

static void
framebuffer_posted (guint64       post,
                    const guint8 *bytes,
                    gsize         size,
                    gpointer      data)
{
  FramebufferJob *job = data;

  if (post >= job->n)
    return;
  g_clear_pointer (&job->shots[post].texels, g_bytes_unref);
  job->shots[post].texels = g_bytes_new (bytes, size);
}

/* Adds the other attachments of the pass, as far as they are cheap. */
static void
add_siblings (FramebufferJob *job)
{
  VtrDocument *self = job->document;
  g_autoptr (GArray) infos = vtr_document_list_attachments (self, job->address.index, NULL);
  guint64 bytes = 0;

  for (guint i = 0; infos != NULL && i < infos->len && job->n < MAX_TARGETS; i++)
    {
      const VtrAttachmentInfo *info = &g_array_index (infos, VtrAttachmentInfo, i);
      Shot *shot = &job->shots[job->n];

      bytes += (guint64)info->width * info->height * 16;
      if (info->kind == job->shots[0].attachment || bytes > MAX_SIBLING_BYTES ||
          !vtr_replay_target_find (self, job->address.index, job->address.run, info->kind,
                                   &shot->target, NULL))
        continue;
      shot->attachment = info->kind;
      job->n++;
    }
}

/* What the images do not depend on is not run. */
static VtrTransform *
skip_dead (FramebufferJob  *job,
           guint64          end,
           GCancellable    *cancellable,
           GError         **error)
{
  VtrDocument *self = job->document;
  VtrDeadWork *work = vtr_replay_session_get_dead_work (self, cancellable, error);
  guint32 nth = vtr_timeline_find_recording (self->timeline, job->address.index);
  guint32 submission = vtr_timeline_find_submission (self->timeline, end - 1);
  const VtrRun *run = NULL;
  guint64 images[MAX_TARGETS];
  guint32 n_last = G_MAXUINT32;

  if (work == NULL)
    return NULL;
  for (guint i = 0; i < job->n; i++)
    images[i] = job->shots[i].target.read.image;
  if (nth != VTR_NO_RECORDING)
    run = job->address.run != VTR_NO_RECORDING
            ? vtr_timeline_get_run (self->timeline, job->address.run)
            : vtr_timeline_find_run (self->timeline, nth, 0);
  if (run != NULL && submission != VTR_NO_RECORDING)
    for (guint32 i = 0; i < vtr_timeline_get_submission (self->timeline, submission)->n_runs; i++)
      if (vtr_timeline_get_run (
            self->timeline,
            vtr_timeline_get_submission (self->timeline, submission)->first_run + i) == run)
        n_last = i + 1;
  return vtr_transform_skip_dead_new (work, self->timeline, end - 1, n_last,
                                      run != NULL ? job->address.index : G_MAXUINT64, images,
                                      job->n);
}

static VtrTransform *
framebuffer_chain (FramebufferJob  *job,
                   guint64         *end,
                   GCancellable    *cancellable,
                   GError         **error)
{
  VtrTransform *cut = vtr_transform_cut_new (job->document->timeline, job->document->history,
                                             job->address.index, job->address.run, end, error);
  VtrTransform *chain = cut != NULL ? skip_dead (job, *end, cancellable, error) : NULL;

  if (chain == NULL)
    {
      g_clear_pointer (&cut, vtr_transform_free);
      return NULL;
    }
  chain = vtr_transform_chain (chain, cut, vtr_transform_gpu_writes_new (FALSE), NULL);
  for (guint i = 0; i < job->n; i++)
    {
      job->shots[i].target.read.post = i;
      chain =
        vtr_transform_chain (chain,
                             vtr_transform_read_image_new (&job->shots[i].target.read,
                                                           job->shots[i].target.created, i > 0),
                             NULL);
    }
  return chain;
}

static VtrImage *
shot_image (const FramebufferJob  *job,
            const Shot            *shot,
            GError               **error)
{
  const VtrReplayTarget *target = &shot->target;
  VtrImage *image;

  if (shot->texels == NULL)
    {
      g_set_error_literal (error, VTR_REPLAY_ERROR, VTR_REPLAY_ERROR_PAYLOAD,
                           _ ("The replay ended without the image"));
      return NULL;
    }
  image = vtr_image_new (target->format, (VkImageAspectFlagBits)target->read.aspect,
                         target->read.width, target->read.height, shot->texels, error);
  if (image != NULL)
    {
      image->image = target->image;
      image->after = job->address.index;
    }
  return image;
}

static void
keep_siblings (const FramebufferJob *job)
{
  vtr_replay_session_forget (job->document);
  for (guint i = 1; i < job->n; i++)
    {
      VtrImage *image = shot_image (job, &job->shots[i], NULL);

      if (image != NULL)
        vtr_replay_session_keep (job->document, framebuffer_key (job, job->shots[i].attachment),
                                 image);
    }
}

static gpointer
framebuffer_run (gpointer       data,
                 GCancellable  *cancellable,
                 gsize         *cost,
                 GError       **error)
{
  FramebufferJob *job = data;
  VtrDocument *self = job->document;
  VtrReplayRequest request = { .document = self, .posted = framebuffer_posted, .data = job };
  g_autofree char *key = framebuffer_key (job, job->shots[0].attachment);
  VtrImage *image = vtr_replay_session_take (self, key);
  VtrReplayOutcome outcome;
  VtrTransform *chain;

  if (image == NULL)
    {
      if (!vtr_replay_target_find (self, job->address.index, job->address.run,
                                   job->shots[0].attachment, &job->shots[0].target, error))
        return NULL;
      add_siblings (job);
      chain = framebuffer_chain (job, &request.end, cancellable, error);
      if (chain == NULL ||
          !vtr_replay_request_run (&request, chain, 0, &outcome, cancellable, error))
        return NULL;
      keep_siblings (job);
      image = shot_image (job, &job->shots[0], error);
    }
  if (image != NULL)
    *cost = g_bytes_get_size (image->texels);
  return image;
}

static FramebufferJob *
framebuffer_job_new (VtrDocument              *self,
                     const VtrCommandAddress  *address,
                     VtrAttachmentKind         attachment,
                     char                    **key)
{
  FramebufferJob *job = g_new0 (FramebufferJob, 1);
  guint32 nth = vtr_timeline_find_recording (self->timeline, address->index);
  const VtrRun *run =
    address->run != VTR_NO_RECORDING ? vtr_timeline_get_run (self->timeline, address->run) : NULL;

  job->document = self;
  job->address = *address;
  job->n = 1;
  job->shots[0].attachment = attachment;
  /* One key per question: the first run by whichever name, and no run where there is none. */
  if (nth == VTR_NO_RECORDING || run == NULL ||
      run == vtr_timeline_find_run (self->timeline, nth, 0))
    job->address.run = VTR_NO_RECORDING;
  *key = framebuffer_key (job, attachment);
  return job;
}

static VtrImage *
get_framebuffer (VtrDocument              *self,
                 const VtrCommandAddress  *address,
                 VtrAttachmentKind         attachment,
                 GCancellable             *cancellable,
                 GError                  **error)
{
  g_autofree char *key = NULL;
  FramebufferJob *job = framebuffer_job_new (self, address, attachment, &key);

  return vtr_memo_get (self->images, key, VTR_PRIORITY_NORMAL, framebuffer_run, job,
                       framebuffer_job_free, cancellable, error);
}

static void
get_framebuffer_async (VtrDocument             *self,
                       const VtrCommandAddress *address,
                       VtrAttachmentKind        attachment,
                       GCancellable            *cancellable,
                       GAsyncReadyCallback      callback,
                       gpointer                 data)
{
  g_autofree char *key = NULL;
  FramebufferJob *job = framebuffer_job_new (self, address, attachment, &key);

  vtr_memo_get_async (self->images, key, VTR_PRIORITY_INTERACTIVE, framebuffer_run, job,
                      framebuffer_job_free, self, cancellable, callback, data);
}

VtrImage *
vtr_document_get_framebuffer (VtrDocument        *self,
                              guint64             index,
                              VtrAttachmentKind   attachment,
                              GCancellable       *cancellable,
                              GError            **error)
{
  const VtrCommandAddress address = { index, VTR_NO_RECORDING };

  return get_framebuffer (self, &address, attachment, cancellable, error);
}

void
vtr_document_get_framebuffer_async (VtrDocument         *self,
                                    guint64              index,
                                    VtrAttachmentKind    attachment,
                                    GCancellable        *cancellable,
                                    GAsyncReadyCallback  callback,
                                    gpointer             data)
{
  const VtrCommandAddress address = { index, VTR_NO_RECORDING };

  get_framebuffer_async (self, &address, attachment, cancellable, callback, data);
}

VtrImage *
vtr_document_get_framebuffer_finish (VtrDocument   *self,
                                     GAsyncResult  *result,
                                     GError       **error)
{
  return vtr_memo_get_finish (result, error);
}

/* --- Images by path -------------------------------------------------------------------------- */

static gboolean
parse_attachment (const char         *step,
                  VtrAttachmentKind  *out,
                  GError            **error)
{
  guint64 number;

  if (step == NULL)
    *out = VTR_ATTACHMENT_COLOR0;
  else if (g_str_equal (step, "depth"))
    *out = VTR_ATTACHMENT_DEPTH;
  else if (g_str_equal (step, "stencil"))
    *out = VTR_ATTACHMENT_STENCIL;
  else if (g_str_has_prefix (step, "color") &&
           g_ascii_string_to_unsigned (step + strlen ("color"), 10, 0, VTR_MAX_ATTACHMENTS - 1,
                                       &number, NULL))
    *out = (VtrAttachmentKind)number;
  else
    {
      g_set_error (error, VTR_RESOLVE_ERROR, VTR_RESOLVE_ERROR_PATH,
                   _ ("“%s” is no attachment; they are color0, color1, …, depth and stencil"),
                   step);
      return FALSE;
    }
  return TRUE;
}

/* "commands/12", "commands/12@3/framebuffer", "commands/12/framebuffer/depth", "frames/3". */
static gboolean
parse_image_path (VtrDocument        *self,
                  const char         *path,
                  VtrCommandAddress  *address,
                  VtrAttachmentKind  *attachment,
                  GError            **error)
{
  g_auto (GStrv) steps = vtr_path_split (path);
  guint n = g_strv_length (steps);
  guint64 number;
  guint64 first;

  if (n == 2 && g_str_equal (steps[0], "frames"))
    {
      if (!vtr_path_parse_number (steps[1], _ ("frame"), vtr_trace_get_n_frames (self->trace),
                                  &number, error))
        return FALSE;
      vtr_trace_get_frame (self->trace, number, &first, &address->index);
      address->run = VTR_NO_RECORDING;
      *attachment = VTR_ATTACHMENT_COLOR0;
      return TRUE;
    }
  if (n >= 2 && n <= 4 && vtr_path_is_commands (steps[0]) &&
      (n == 2 || g_str_equal (steps[2], "framebuffer")))
    return vtr_path_parse_command_steps (self, steps, address, error) &&
           parse_attachment (n == 4 ? steps[3] : NULL, attachment, error);
  g_set_error (error, VTR_RESOLVE_ERROR, VTR_RESOLVE_ERROR_PATH, _ ("“%s” is no image"), path);
  return FALSE;
}

VtrImage *
vtr_document_get_image (VtrDocument   *self,
                        const char    *path,
                        GCancellable  *cancellable,
                        GError       **error)
{
  VtrCommandAddress address;
  VtrAttachmentKind attachment;

  if (!parse_image_path (self, path, &address, &attachment, error))
    return NULL;
  return get_framebuffer (self, &address, attachment, cancellable, error);
}

void
vtr_document_get_image_async (VtrDocument         *self,
                              const char          *path,
                              GCancellable        *cancellable,
                              GAsyncReadyCallback  callback,
                              gpointer             data)
{
  VtrCommandAddress address;
  VtrAttachmentKind attachment;
  GError *error = NULL;

  if (parse_image_path (self, path, &address, &attachment, &error))
    get_framebuffer_async (self, &address, attachment, cancellable, callback, data);
  else
    g_task_report_error (self, callback, data, vtr_document_get_image_async, error);
}

VtrImage *
vtr_document_get_image_finish (VtrDocument   *self,
                               GAsyncResult  *result,
                               GError       **error)
{
  if (g_async_result_is_tagged (result, vtr_document_get_image_async))
    return g_task_propagate_pointer (G_TASK (result), error);
  return vtr_memo_get_finish (result, error);
}
