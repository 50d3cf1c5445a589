/* Finds bindings and layouts of Vulkan's objects in a state, and the last work before it. */
#include "engine/vulkan/state/vtr-vulkan-shared.h"
#include "engine/vulkan/state/vtr-work.h"

/* How far back the last draw is looked for. */
#define MAX_LOOK_BACK 4000000

static gconstpointer
peek_typed (VtrApiState *self,
            guint32      id,
            guint32      type)
{
  const VtrStateRecord *record = vtr_api_state_peek (self, id);

  return record != NULL && record->type == type ? record : NULL;
}

gboolean
vtr_api_state_get_binding (VtrApiState     *self,
                           guint32          id,
                           guint            plane,
                           VtrStateBinding *out)
{
  const VtrStateBuffer *buffer = peek_typed (self, id, VTR_HANDLE_VkBuffer);
  const VtrStateImage *image = peek_typed (self, id, VTR_HANDLE_VkImage);
  const VtrBoundMemory *bound = NULL;

  if (buffer != NULL && plane == 0)
    bound = &buffer->bound;
  else if (image != NULL && plane < VTR_MAX_PLANES)
    bound = &image->bound[plane];
  if (bound == NULL || bound->memory == 0)
    return FALSE;
  *out = (VtrStateBinding){ bound->memory, bound->offset, bound->command };
  return TRUE;
}

VkImageLayout
vtr_api_state_get_layout (VtrApiState           *self,
                          guint32                id,
                          VkImageAspectFlagBits  aspect,
                          guint32                mip,
                          guint32                layer)
{
  const VtrImageFact *fact = vtr_state_facts_get_image (vtr_vulkan_facts (self->shared), id);
  const VtrStateImage *image = peek_typed (self, id, VTR_HANDLE_VkImage);
  const VtrSubresource *found;

  if (fact == NULL)
    return VK_IMAGE_LAYOUT_UNDEFINED;
  if (image == NULL)
    return fact->initial_layout;
  if (aspect == VK_IMAGE_ASPECT_COLOR_BIT && (fact->aspects & aspect) == 0)
    aspect = VK_IMAGE_ASPECT_PLANE_0_BIT;
  found = vtr_state_image_peek (image, vtr_state_image_find_aspect (fact->aspects, aspect), mip,
                                fact->info.type == VK_IMAGE_TYPE_3D && !fact->info.slices
                                  ? 0
                                  : layer);
  return found != NULL ? (VkImageLayout)found->layout : VK_IMAGE_LAYOUT_UNDEFINED;
}

/* Looks back from @index in recording @nth, into what it executes, too. */
static guint64
find_in_recording (VtrApiState *self,
                   guint32      nth,
                   guint64      index,
                   VtrApiClass  classes,
                   guint        depth,
                   guint       *left)
{
  const VtrRecording *recording = vtr_timeline_get_recording (self->timeline, nth);
  VtrTrace *trace = vtr_timeline_get_trace (self->timeline);

  for (guint64 i = index; i != VTR_COMMAND_NO_INDEX && i >= recording->first && *left > 0;
       i--, (*left)--)
    {
      VtrCmdId id = vtr_trace_get_command_id (trace, i);

      if (!vtr_cmd_is_vulkan (id) ||
          !vtr_cmd_is (id, classes | VTR_CLASS_EXECUTE | VTR_CLASS_GENERATED))
        continue;
      if (!vtr_timeline_is_contiguous (self->timeline) &&
          vtr_timeline_find_recording (self->timeline, i) != nth)
        continue;
      if (vtr_cmd_is (id, VTR_CLASS_EXECUTE) && depth < 4)
        {
          guint32 n;
          const guint32 *executed = vtr_timeline_get_executed (self->timeline, i, &n);

          for (guint32 k = n; k > 0; k--)
            if (executed[k - 1] != VTR_NO_RECORDING)
              {
                guint64 found = find_in_recording (
                  self, executed[k - 1],
                  vtr_timeline_get_recording (self->timeline, executed[k - 1])->last, classes,
                  depth + 1, left);

                if (found != VTR_COMMAND_NO_INDEX)
                  return found;
              }
        }
      else if (vtr_cmd_is (id, classes) || (vtr_work_at (trace, i) & classes) != 0)
        return i;
    }
  return VTR_COMMAND_NO_INDEX;
}

/* In a run and those before it in its submission. */
static guint64
find_in_run (VtrApiState *self,
             guint32      run,
             guint64      index,
             VtrApiClass  classes,
             guint       *left)
{
  guint64 found = VTR_COMMAND_NO_INDEX;

  while (run != VTR_NO_RUN && found == VTR_COMMAND_NO_INDEX)
    {
      const VtrRun *at = vtr_timeline_get_run (self->timeline, run);

      found = find_in_recording (self, at->recording, index, classes, 0, left);
      if (at->parent == VTR_NO_RUN)
        {
          guint32 nth = vtr_timeline_find_submission (self->timeline, at->submit);
          guint32 first = nth != VTR_NO_RECORDING
                            ? vtr_timeline_get_submission (self->timeline, nth)->first_run
                            : run;

          while (found == VTR_COMMAND_NO_INDEX && run > first)
            {
              guint32 recording = vtr_timeline_get_run (self->timeline, --run)->recording;

              found = find_in_recording (
                self, recording, vtr_timeline_get_recording (self->timeline, recording)->last,
                classes, 0, left);
            }
          break;
        }
      index = at->executed_by - 1;
      run = at->parent;
    }
  return found;
}

/* Position of the first submission after @index. */
static guint32
count_submissions (VtrApiState *self,
                   guint64      index)
{
  guint32 low = 0, high = vtr_timeline_get_n_submissions (self->timeline);

  while (low < high)
    {
      guint32 middle = low + (high - low) / 2;

      if (vtr_timeline_get_submission (self->timeline, middle)->submit <= index)
        low = middle + 1;
      else
        high = middle;
    }
  return low;
}

guint64
vtr_api_state_find_last (VtrApiState *self,
                         VtrApiClass  classes)
{
  guint left = MAX_LOOK_BACK;
  guint64 index = vtr_api_state_get_host_index (self), found = VTR_COMMAND_NO_INDEX;
  guint32 n;

  if (self->index == VTR_COMMAND_NO_INDEX)
    return VTR_COMMAND_NO_INDEX;
  if (self->run != VTR_NO_RUN)
    {
      found = find_in_run (self, self->run, self->index, classes, &left);
      if (index == 0)
        return found;
      index--;
    }
  n = count_submissions (self, index);
  if (classes == VTR_CLASS_SUBMIT)
    return n > 0 ? vtr_timeline_get_submission (self->timeline, n - 1)->submit
                 : VTR_COMMAND_NO_INDEX;
  while (n > 0 && found == VTR_COMMAND_NO_INDEX && left > 0)
    {
      const VtrSubmission *submission = vtr_timeline_get_submission (self->timeline, --n);
      guint32 run = submission->first_run + submission->n_runs;

      while (found == VTR_COMMAND_NO_INDEX && run > submission->first_run)
        {
          guint32 recording = vtr_timeline_get_run (self->timeline, --run)->recording;

          found = find_in_recording (
            self, recording, vtr_timeline_get_recording (self->timeline, recording)->last, classes,
            0, &left);
        }
    }
  return found;
}
