/* Replays a render pass with counting shaders, and turns the counts into the overdraw and
 * coverage overlays. */
#include "engine/vulkan/replay/vtr-vulkan-requests.h"

#include "vtr-config.h"

#include <glib/gi18n-lib.h>
#include <math.h>
#include <string.h>

#include "engine/memory/vtr-targets.h"
#include "engine/replay-session/vtr-result-cache.h"
#include "engine/state/vtr-resolve-error.h"
#include "engine/vulkan/state/vtr-pass-references.h"
#include "engine/vulkan/transforms/vtr-count.h"
#include "engine/vulkan/transforms/vtr-transforms.h"
#include "vtr-api-args.h"
#include "vulkan/vtr-vulkan-formats.h"

/* Half floats count up to here. */
#define MAX_HALF 2048

typedef struct
{
  VtrReplaySession *session;
  const VtrReplayBasis *basis;
  const VtrPicture *picture;
  VtrPlace cut;
  VtrCountPlan plan;
  GBytes *texels;
} CountJob;

static gboolean
nothing (GError     **error,
         const char  *message)
{
  g_set_error_literal (error, VTR_RESOLVE_ERROR, VTR_RESOLVE_ERROR_NOTHING, message);
  return FALSE;
}

/* --- The pass -------------------------------------------------------------------------------- */

/* The last command of the pass that @begin begins. */
static guint64
find_last (const VtrReplayBasis *self,
           guint64               begin)
{
  guint32 nth = vtr_timeline_find_recording (self->timeline, begin);
  guint64 end = vtr_timeline_get_recording (self->timeline, nth)->last;
  guint64 last = begin;

  for (guint64 i = begin + 1; i <= end; i++)
    if (vtr_timeline_find_recording (self->timeline, i) == nth)
      {
        if (vtr_cmd_is (vtr_trace_get_command_id (self->trace, i), VTR_CLASS_END_PASS))
          break;
        last = i;
      }
  return last;
}

/* The last run of @recording that came no later than @index. */
static guint32
find_last_run (const VtrReplayBasis *self,
               guint32               recording,
               guint64               index)
{
  const VtrRecording *info = vtr_timeline_get_recording (self->timeline, recording);
  guint32 found = VTR_NO_RUN;

  for (guint32 k = 0; k < info->n_runs; k++)
    {
      const VtrRun *run = vtr_timeline_find_run (self->timeline, recording, k);

      if (run != NULL && run->submit <= index)
        for (guint32 nth = 0; nth < vtr_timeline_get_n_runs (self->timeline); nth++)
          if (vtr_timeline_get_run (self->timeline, nth) == run)
            found = nth;
    }
  return found;
}

/* Where the counting ends: at the command, or, when that is in no pass, at the end of the one
 * before. @state: at that command, or the vkCmdExecuteCommands that leads to it. */
static gboolean
find_end (CountJob       *job,
          VtrBoundState  *state,
          GError        **error)
{
  const VtrReplayBasis *self = job->basis;
  VtrPlace open = job->picture->address;
  const VtrPlace *address = &job->picture->address;

  job->cut = *address;
  if (vtr_pass_find_open (self->walker, &open, state))
    return TRUE;
  if (!vtr_pass_find_shown (self->walker, address, state, error))
    return FALSE;
  if (state->inherited)
    return nothing (error, _ ("No command buffer that starts this pass executes this command "
                              "buffer."));
  job->cut.index = find_last (self, state->pass_begin);
  if (vtr_timeline_find_recording (self->timeline, address->index) != state->recording)
    job->cut.run = find_last_run (self, state->recording, address->index);
  return TRUE;
}

/* Which subpasses have @attachment to draw to, up to that of @state. */
static gboolean
find_subpasses (CountJob             *job,
                const VtrBoundState  *state,
                GArray               *references,
                const VtrAttachment  *attachment,
                GError              **error)
{
  VtrCountPass *pass = &job->plan.pass;

  for (guint i = 0; i < references->len; i++)
    {
      const VtrPassReference *reference = &g_array_index (references, VtrPassReference, i);

      if (reference->subpass > state->subpass || reference->use > VTR_PASS_STENCIL ||
          !vtr_attachment_overlaps (&reference->attachment, attachment))
        continue;
      if (reference->subpass >= 64 || reference->attachment.samples != attachment->samples)
        return nothing (error, _ ("This pass has too many subpasses to count draws in it."));
      pass->subpasses |= G_GUINT64_CONSTANT (1) << reference->subpass;
    }
  return TRUE;
}

static gboolean
find_attachment (CountJob             *job,
                 const VtrBoundState  *state,
                 GArray               *references,
                 VtrAttachment        *out,
                 GError              **error)
{
  for (guint i = 0; i < references->len; i++)
    {
      const VtrPassReference *reference = &g_array_index (references, VtrPassReference, i);

      if (reference->subpass != state->subpass ||
          vtr_pass_reference_get_kind (reference) != job->picture->kind)
        continue;
      if (reference->use > VTR_PASS_STENCIL)
        return nothing (error, _ ("This attachment has no draws of its own. Choose a colour, "
                                  "depth or stencil attachment."));
      *out = reference->attachment;
      return TRUE;
    }
  return nothing (error, _ ("The pass has no such attachment."));
}

/* What a pipeline for a dynamic rendering has to know of it. */
static gboolean
describe_rendering (CountJob             *job,
                    const VtrBoundState  *state,
                    GArray               *references,
                    GError              **error)
{
  VtrCountPass *pass = &job->plan.pass;
  const VkRenderingInfo *info;
  VtrCommand command;
  VtrArena arena;
  gboolean ok;

  vtr_arena_init (&arena);
  ok = vtr_trace_decode (job->basis->trace, state->pass_begin, &arena, &command, error);
  info = ok ? ((const VtrArgs_vkCmdBeginRendering *)command.args)->pRenderingInfo : NULL;
  if (ok && info == NULL)
    ok = nothing (error, _ ("The trace does not contain the attachments of this pass."));
  else if (ok && (info->flags & VK_RENDERING_RESUMING_BIT) != 0)
    ok = nothing (error, _ ("This pass continues a pass of another command buffer, whose draws "
                            "cannot be counted yet."));
  else if (ok && info->colorAttachmentCount > VTR_MAX_ATTACHMENTS)
    ok = nothing (error, _ ("This pass has too many attachments."));
  if (ok)
    {
      pass->view_mask = info->viewMask;
      pass->n_colors = info->pColorAttachments != NULL ? info->colorAttachmentCount : 0;
    }
  vtr_arena_finish (&arena);
  for (guint i = 0; ok && i < references->len; i++)
    {
      const VtrPassReference *reference = &g_array_index (references, VtrPassReference, i);

      if (reference->use == VTR_PASS_COLOR && reference->nth < pass->n_colors)
        pass->formats[reference->nth] = reference->attachment.format;
      else if (reference->use == VTR_PASS_DEPTH)
        pass->depth = reference->attachment.format;
      else if (reference->use == VTR_PASS_STENCIL)
        pass->stencil = reference->attachment.format;
    }
  return ok;
}

/* --- The device ------------------------------------------------------------------------------ */

static gboolean
has_feature (const VtrVulkanDevice *device,
             gsize                  which)
{
  guint n = 0;
  const VkBool32 *features =
    vtr_vulkan_device_get_features (device, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, &n);

  return features == NULL || (which < n && features[which]);
}

#define FEATURE(name) (offsetof (VkPhysicalDeviceFeatures, name) / sizeof (VkBool32))

static gboolean
fit_device (CountJob      *job,
            GCancellable  *cancellable,
            GError       **error)
{
  const VkFormatFeatureFlags wanted =
    VK_FORMAT_FEATURE_COLOR_ATTACHMENT_BIT | VK_FORMAT_FEATURE_COLOR_ATTACHMENT_BLEND_BIT;
  const VtrReplayBasis *self = job->basis;
  VtrPlan *plan = vtr_replay_session_get_plan (job->session, cancellable, error);
  const VtrObject *device = vtr_history_find (self->history,
                                              vtr_vulkan_identity (VTR_HANDLE_VkDevice,
                                                                   job->plan.pass.device),
                                              job->cut.index);
  const VtrObject *physical =
    device != NULL && device->parent != 0 ? vtr_history_get_object (self->history, device->parent)
                                          : NULL;
  const VtrVulkanDevice *target =
    plan != NULL && physical != NULL
      ? vtr_replay_plan_get_target (vtr_plan_get (plan, &vtr_api_vulkan), physical->handle)
      : NULL;

  if (plan == NULL)
    return FALSE;
  job->plan.slot = 3; /* every device has four colour attachments */
  job->plan.read.format = VK_FORMAT_R16_SFLOAT;
  if (target == NULL)
    return TRUE;
  if (!has_feature (target, FEATURE (independentBlend)))
    return nothing (error, _ ("This device cannot blend each attachment differently "
                              "(independentBlend), so it cannot count draws."));
  if (job->plan.what == VTR_COUNT_LINES && !has_feature (target, FEATURE (fillModeNonSolid)))
    return nothing (error, _ ("This device cannot draw triangles as lines (fillModeNonSolid), so "
                              "it cannot show wireframes."));
  job->plan.slot = MIN (target->properties.limits.maxColorAttachments,
                        target->properties.limits.maxFragmentOutputAttachments) -
                   1;
  job->plan.slot = MIN (job->plan.slot, VTR_MAX_ATTACHMENTS - 1);
  if ((vtr_vulkan_device_get_format (target, VK_FORMAT_R32_SFLOAT).optimalTilingFeatures &
       wanted) == wanted)
    job->plan.read.format = VK_FORMAT_R32_SFLOAT;
  return TRUE;
}

/* --- The plan -------------------------------------------------------------------------------- */

static void
choose_first (CountJob            *job,
              const VtrBoundState *state)
{
  const VtrPictureEdit *edit = job->picture->edit;
  VtrCmdId id = vtr_trace_get_command_id (job->basis->trace, job->picture->address.index);
  gboolean draws = vtr_cmd_is (id, VTR_CLASS_DRAW | VTR_CLASS_EXECUTE | VTR_CLASS_GENERATED);

  job->plan.what = edit->overlay == VTR_OVERLAY_OVERDRAW    ? VTR_COUNT_FRAGMENTS
                   : edit->overlay == VTR_OVERLAY_WIREFRAME ? VTR_COUNT_LINES
                                                            : VTR_COUNT_SHAPES;
  if (edit->from != VTR_COMMAND_NO_INDEX)
    job->plan.first = edit->from;
  else
    job->plan.first = draws ? job->cut.index : state->pass_begin;
}

static gboolean
make_plan (CountJob      *job,
           GCancellable  *cancellable,
           GError       **error)
{
  const VtrReplayBasis *self = job->basis;
  g_autofree VtrBoundState *state = g_new (VtrBoundState, 1);
  g_autoptr (GArray) references = NULL;
  VtrCountPass *pass = &job->plan.pass;
  VtrReplayReadImage *read = &job->plan.read;
  VtrAttachment attachment;
  VtrTargetQuery query;
  VtrTarget target;
  VtrPicture picture = *job->picture;

  if (!picture.is_attachment)
    return nothing (error, _ ("This overlay works only for attachments of a pass."));
  if (!find_end (job, state, error))
    return FALSE;
  picture.address = job->cut;
  query = vtr_picture_get_query (&picture);
  references = vtr_pass_list_references (self->history, state);
  if (!find_attachment (job, state, references, &attachment, error) ||
      !vtr_target_find (self->memory, &query, &target, error) ||
      !find_subpasses (job, state, references, &attachment, error))
    return FALSE;
  pass->device = vtr_vulkan_find_device (self->history, target.object);
  pass->begin = state->pass_begin;
  pass->dynamic = state->dynamic_rendering;
  pass->render_pass = state->render_pass;
  pass->framebuffer = state->framebuffer;
  if (pass->dynamic && !describe_rendering (job, state, references, error))
    return FALSE;
  choose_first (job, state);
  job->plan.run = vtr_timeline_get_run_of (self->timeline, &job->cut);
  job->plan.edit = picture.edit->stream;
  job->plan.n_layers = MAX (1, attachment.range.layerCount);
  *read = (VtrReplayReadImage){
    .aspect = VK_IMAGE_ASPECT_COLOR_BIT,
    .samples = (guint32)attachment.samples,
    .width = attachment.extent.width,
    .height = attachment.extent.height,
    .depth = 1,
    .layer = picture.layer,
    .sample = target.part.sample,
  };
  return fit_device (job, cancellable, error);
}

/* --- Counting -------------------------------------------------------------------------------- */

static VtrTransform *
count_chain (gpointer       data,
             guint64       *end,
             GCancellable  *cancellable,
             GError       **error)
{
  CountJob *job = data;
  const VtrReplayBasis *self = job->basis;
  gboolean poison = vtr_replay_session_get_poison (job->session);
  VtrTransform *cut = vtr_transform_cut_new (self->timeline, self->history, job->cut.index,
                                             job->cut.run, end, error);

  if (cut == NULL)
    return NULL;
  return vtr_transform_chain (cut,
                              vtr_transform_count_new (self->timeline, self->history, &job->plan),
                              vtr_transform_gpu_writes_new (poison), NULL);
}

static float
half_to_float (guint16 half)
{
  guint exponent = half >> 10 & 31, fraction = half & 1023;

  return exponent == 0 ? ldexpf ((float)fraction, -24)
                       : ldexpf ((float)(1024 + fraction), (int)exponent - 25);
}

static GBytes *
halves_to_floats (const guint8 *bytes,
                  gsize         size)
{
  gsize n = size / 2;
  float *out = g_new (float, n);

  for (gsize i = 0; i < n; i++)
    {
      guint16 half;

      memcpy (&half, bytes + i * 2, sizeof half);
      out[i] = half_to_float (half);
    }
  return g_bytes_new_take (out, n * sizeof *out);
}

static void
count_posted (guint64       post,
              const guint8 *bytes,
              gsize         size,
              gpointer      data)
{
  CountJob *job = data;
  const VtrReplayReadImage *read = &job->plan.read;
  gsize texel = read->format == VK_FORMAT_R32_SFLOAT ? sizeof (float) : sizeof (guint16);

  g_clear_pointer (&job->texels, g_bytes_unref);
  if (size > (guint64)read->width * read->height * texel)
    return;
  job->texels = job->plan.read.format == VK_FORMAT_R32_SFLOAT ? g_bytes_new (bytes, size)
                                                              : halves_to_floats (bytes, size);
}

/* Half floats do not count any further. */
static gboolean
check_counts (const CountJob  *job,
              GError         **error)
{
  gsize size;
  const float *counts = g_bytes_get_data (job->texels, &size);

  for (gsize i = 0; job->plan.read.format != VK_FORMAT_R32_SFLOAT && i < size / sizeof *counts; i++)
    if (counts[i] >= MAX_HALF)
      return nothing (error, _ ("A pixel was drawn to more often than this device can count."));
  return TRUE;
}

static gboolean
replay_counts (CountJob      *job,
               GCancellable  *cancellable,
               GError       **error)
{
  VtrReplaySession *session = job->session;
  VtrReplayRequest request = { .session = session,
                               .edit = job->picture->edit,
                               .posted = count_posted,
                               .data = job,
                               .never_inside = TRUE };
  guint32 flags = vtr_replay_session_get_poison (session) ? VTR_REPLAY_POISON : 0;
  VtrReplayOutcome outcome;

  if (!vtr_replay_request_answer (&request, &job->cut, count_chain, flags, &outcome, cancellable,
                                  error))
    return FALSE;
  if (job->texels != NULL)
    return check_counts (job, error);
  g_set_error_literal (error, VTR_REPLAY_ERROR, VTR_REPLAY_ERROR_PAYLOAD,
                       _ ("The replay finished without producing the image"));
  return FALSE;
}

static VtrImage *
make_image (const CountJob  *job,
            GError         **error)
{
  const VtrReplayReadImage *read = &job->plan.read;
  VtrImage *image = vtr_image_new (vtr_vulkan_format_get (VK_FORMAT_R32_SFLOAT), VTR_PIXEL_COLOR,
                                   read->width, read->height, job->texels, error);

  if (image != NULL)
    {
      image->overlay = job->picture->edit->overlay;
      image->after = job->picture->address.index;
      image->layer = read->layer;
      image->sample = read->sample;
      image->samples = read->samples;
    }
  return image;
}

VtrImage *
vtr_vulkan_count_draws (VtrReplaySession  *session,
                        const VtrPicture  *picture,
                        const char        *question,
                        GCancellable      *cancellable,
                        GError           **error)
{
  g_autofree char *key = vtr_replay_session_get_key (session, question, cancellable);
  CountJob job = {
    .session = session, .basis = vtr_replay_session_get_basis (session), .picture = picture
  };
  VtrImage *image = NULL;
  gboolean known;

  if (!make_plan (&job, cancellable, error))
    return NULL;
  job.texels = key != NULL ? vtr_result_cache_load (key) : NULL;
  known = job.texels != NULL;
  if (known || replay_counts (&job, cancellable, error))
    image = make_image (&job, error);
  if (image != NULL && !known && key != NULL)
    {
      /* The replay may have found that it has to guess addresses. */
      g_free (key);
      key = vtr_replay_session_get_key (session, question, NULL);
      if (key != NULL)
        vtr_result_cache_store (key, job.texels);
    }
  g_clear_pointer (&job.texels, g_bytes_unref);
  return image;
}
