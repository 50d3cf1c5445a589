/* Lists the images that one command uses. */
#include "engine/vulkan/show/vtr-use-resolver.h"

#include "engine/model/vtr-uses-private.h"
#include "engine/state/vtr-place.h"

#include "engine/vulkan/state/vtr-work.h"

#include "api/vtr-api-args.h"

typedef struct
{
  VtrHistory *history;
  guint64 index;
  GArray *list;
} Lister;

static void
list_transfer (guint64 handle, guint32 flags, gpointer data)
{
  Lister *self = data;
  const VtrObject *image =
    vtr_history_find (self->history, vtr_vulkan_identity (VTR_HANDLE_VkImage, handle), self->index);

  if (image != NULL)
    vtr_use_list_add (self->list, image->id, flags);
}

static void
list_clear (guint32 image, gpointer data)
{
  Lister *self = data;

  vtr_use_list_add (self->list, image, VTR_USE_ATTACHMENT | VTR_USE_WRITE);
}

static void
list_presented (Lister *self, const VtrCommand *command)
{
  const VtrArgs_vkQueuePresentKHR *args = command->args;
  const VkPresentInfoKHR *info = args->pPresentInfo;

  for (guint32 i = 0;
       info != NULL && info->pSwapchains != NULL && info->pImageIndices != NULL &&
       i < info->swapchainCount;
       i++)
    {
      const VtrObject *swapchain =
        vtr_history_find (self->history,
                          vtr_vulkan_identity (VTR_HANDLE_VkSwapchainKHR,
                                               (guint64)info->pSwapchains[i]),
                          self->index);
      g_autoptr (GArray) children =
        swapchain != NULL ? vtr_history_list_children (self->history, swapchain->id) : NULL;

      for (guint k = 0; children != NULL && k < children->len; k++)
        {
          const VtrObject *image =
            vtr_history_get_object (self->history, g_array_index (children, guint32, k));

          if (image->type == VTR_HANDLE_VkImage && image->element == info->pImageIndices[i])
            vtr_use_list_add (self->list, image->id, VTR_USE_PRESENT | VTR_USE_READ);
        }
    }
}

static void
list_attachments (GArray *list, const VtrBoundState *state, const VtrPipelineFacts *facts)
{
  guint32 depth = VTR_USE_ATTACHMENT;

  for (guint32 i = 0; i < state->n_colors; i++)
    {
      const gboolean written = facts != NULL && (i >= 32 || (facts->colors & (1u << i)) != 0);

      vtr_use_list_add (list, state->colors[i].image,
                        VTR_USE_ATTACHMENT | (written ? VTR_USE_WRITE : 0));
    }
  if (facts != NULL)
    depth |= (facts->depth_written || facts->stencil_written ? VTR_USE_WRITE : 0) |
             (facts->depth_read || facts->stencil_read ? VTR_USE_READ : 0);
  if (state->has_depth)
    vtr_use_list_add (list, state->depth.image, depth);
  if (state->has_stencil)
    vtr_use_list_add (list, state->stencil.image, depth);
}

static void
list_descriptors (GArray                 *list,
                  VtrUseResolver         *resolver,
                  const VtrPipelineFacts *facts,
                  const VtrBoundState    *state,
                  guint                   point,
                  guint64                 submit)
{
  for (guint32 set = 0; set < VTR_MAX_SETS; set++)
    {
      GArray *images = NULL;

      if ((state->bind_points[point].pushed & (1u << set)) != 0)
        images = vtr_use_resolver_get_pushed (
          resolver,
          state->bind_points[point].set_command[set] +
            vtr_timeline_get_recording (resolver->timeline, state->recording)->first);
      else if (state->bind_points[point].sets[set] != 0)
        images =
          vtr_use_resolver_get_set (resolver, state->bind_points[point].sets[set], submit);
      for (guint i = 0; images != NULL && i < images->len; i++)
        {
          const VtrSetImage *image = &g_array_index (images, VtrSetImage, i);

          vtr_use_list_add (list, image->image, vtr_pipeline_facts_get_use (facts, set, image));
        }
    }
}

/* The images that command @index uses, run @submit (flat index of the submission; its own index
   when it is not recorded): attachments first, then descriptors. @state: bound state after it. */
static GArray *
list_at (VtrTimeline         *timeline,
         VtrHistory          *history,
         guint64              index,
         guint64              submit,
         const VtrBoundState *state)
{
  VtrTrace *trace = vtr_history_get_trace (history);
  VtrCmdId id = vtr_trace_get_command_id (trace, index);
  Lister lister = { history, index, g_array_new (FALSE, FALSE, sizeof (VtrUse)) };
  const VtrPipelineFacts *facts = NULL;
  VtrUseResolver resolver;
  VtrCommand command;
  VtrArena arena;
  guint point;

  if (!vtr_cmd_is_known (id))
    return lister.list;
  if (state->in_pass)
    list_attachments (lister.list, state, NULL);
  vtr_arena_init (&arena);
  if (vtr_cmd_is (id, VTR_CLASS_TRANSFER | VTR_CLASS_CLEAR | VTR_CLASS_FRAME_END) &&
      vtr_trace_decode (trace, index, &arena, &command, NULL))
    {
      if (vtr_cmd_canonical (id) == VTR_CMD_vkQueuePresentKHR)
        list_presented (&lister, &command);
      else if (vtr_cmd_canonical (id) == VTR_CMD_vkCmdClearAttachments)
        vtr_use_visit_cleared_attachments (&command, state, list_clear, &lister);
      else
        vtr_use_visit_transfer (&command, list_transfer, &lister);
    }
  vtr_arena_finish (&arena);
  if (vtr_cmd_is (id, VTR_CLASS_BEGIN_PASS))
    vtr_attachments_visit_cleared (history, index, list_clear, &lister);

  point = vtr_work_get_point (vtr_work_at (trace, index));
  vtr_use_resolver_init (&resolver, history);
  resolver.timeline = timeline;
  if (point < G_N_ELEMENTS (state->bind_points) && state->recording != VTR_NO_RECORDING)
    {
      VtrProgram program;

      vtr_program_find_bound (history, state, point, index, &program);
      if (program.n > 0)
        facts = vtr_use_resolver_get_facts (&resolver, &program);
    }
  if (state->in_pass && point == 0 && facts != NULL)
    list_attachments (lister.list, state, facts);
  if (facts != NULL)
    list_descriptors (lister.list, &resolver, facts, state, point, submit);
  vtr_use_resolver_clear (&resolver);
  return lister.list;
}

/* The submission in which @index runs. */
static guint64
find_submit (VtrTimeline *timeline, guint64 index, guint32 run)
{
  guint32 recording = vtr_timeline_find_recording (timeline, index);
  const VtrRun *info = NULL;

  if (recording == VTR_NO_RECORDING)
    return index;
  if (run != VTR_NO_RUN && run < vtr_timeline_get_n_runs (timeline))
    info = vtr_timeline_get_run (timeline, run);
  if (info == NULL || info->recording != recording)
    info = vtr_timeline_find_run (timeline, recording, 0);
  return info != NULL ? info->submit : index;
}

GArray *
vtr_vulkan_list_uses (VtrAnalysis *analysis, guint64 index, guint32 run, GError **error)
{
  VtrTimeline *timeline = vtr_analysis_get_timeline (analysis);
  g_autofree VtrBoundState *state = g_new (VtrBoundState, 1);

  if (!vtr_bound_walker_get (vtr_analysis_get_walker (analysis), index, state, error))
    return NULL;
  return list_at (timeline, vtr_analysis_get_history (analysis), index,
                  find_submit (timeline, index, run), state);
}
