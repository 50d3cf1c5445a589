/* Vulkan's answers about memory (VtrMemoryApi); its byte spaces are VkDeviceMemory. */
#include "engine/vulkan/memory/vtr-memory-model.h"

#include "api/vtr-api-args.h"
#include "engine/vulkan/memory/vtr-vulkan-memory.h"

#include <string.h>

/* Commands looked at to tell which of a run of draws was the last one. */
#define MAX_ATTRIBUTION 65536

static gpointer
create (VtrAnalysis *analysis)
{
  VtrVulkanMemory *self = g_new0 (VtrVulkanMemory, 1);

  self->trace = vtr_trace_ref (vtr_analysis_get_trace (analysis));
  self->timeline = vtr_timeline_ref (vtr_analysis_get_timeline (analysis));
  self->history = vtr_history_ref (vtr_analysis_get_history (analysis));
  self->walker = vtr_analysis_get_walker (analysis);
  g_mutex_init (&self->blocks_lock);
  return self;
}

static void
destroy (gpointer data)
{
  VtrVulkanMemory *self = data;

  g_clear_pointer (&self->images, g_array_unref);
  g_clear_pointer (&self->blocks, vtr_memory_blocks_unref);
  vtr_history_unref (self->history);
  vtr_timeline_unref (self->timeline);
  vtr_trace_unref (self->trace);
  g_mutex_clear (&self->blocks_lock);
  g_free (self);
}

VtrMemoryBlocks *
vtr_vulkan_memory_get_blocks (VtrVulkanMemory     *self,
                              const VtrBoundState *state,
                              guint                point,
                              guint64              index)
{
  VtrMemoryBlocks *blocks;
  VtrProgram program;

  vtr_program_find_bound (self->history, state, point, index, &program);
  if (program.n == 0)
    return NULL;
  g_mutex_lock (&self->blocks_lock);
  if (self->blocks == NULL ||
      vtr_memory_blocks_get_program (self->blocks) != vtr_program_hash (&program))
    {
      g_clear_pointer (&self->blocks, vtr_memory_blocks_unref);
      self->blocks = vtr_memory_blocks_new (self->history, &program);
    }
  blocks = vtr_memory_blocks_ref (self->blocks);
  g_mutex_unlock (&self->blocks_lock);
  return blocks;
}

/* --- Byte spaces ----------------------------------------------------------------------------- */

static guint32
find_space (gpointer data,
            guint64  name,
            guint64  index)
{
  VtrVulkanMemory *self = data;
  const VtrObject *object;

  if (self->pass != NULL)
    return vtr_memory_pass_find_space (self->pass, name);
  object = vtr_history_find (self->history, vtr_vulkan_identity (VTR_HANDLE_VkDeviceMemory, name),
                             index);
  return object != NULL ? object->id : 0;
}

gboolean
vtr_vulkan_memory_get_space_size (gpointer   data,
                                  guint32    id,
                                  guint64    index,
                                  guint64   *size,
                                  GError   **error)
{
  VtrVulkanMemory *self = data;
  const VtrObject *object = vtr_history_get_object (self->history, id);
  const VtrArgs_vkAllocateMemory *args;
  VtrCommand command;
  VtrArena arena;
  gboolean found;

  if (object->type != VTR_HANDLE_VkDeviceMemory)
    return FALSE;
  vtr_arena_init (&arena);
  found = vtr_history_decode_creation (self->history, object, &arena, &command, error);
  args = found && command.id == VTR_CMD_vkAllocateMemory ? command.args : NULL;
  found = args != NULL && args->pAllocateInfo != NULL;
  if (found)
    *size = args->pAllocateInfo->allocationSize;
  vtr_arena_finish (&arena);
  return found;
}

/* --- What was written ------------------------------------------------------------------------ */

/* The bytes that vkCmdFillBuffer and vkCmdUpdateBuffer write are in the trace. */
static gboolean
fill (gpointer  data,
      guint64   index,
      guint64   offset,
      gsize     size,
      guint8   *out)
{
  VtrVulkanMemory *self = data;
  gboolean ok = FALSE;
  VtrCommand command;
  VtrArena arena;

  vtr_arena_init (&arena);
  if (vtr_trace_decode (self->trace, index, &arena, &command, NULL))
    {
      if (command.id == VTR_CMD_vkCmdFillBuffer)
        {
          guint32 word = ((const VtrArgs_vkCmdFillBuffer *)command.args)->data;

          for (gsize i = 0; i < size; i++)
            out[i] = (guint8)(word >> (8 * ((offset + i) & 3)));
          ok = TRUE;
        }
      else if (command.id == VTR_CMD_vkCmdUpdateBuffer)
        {
          const VtrArgs_vkCmdUpdateBuffer *args = command.args;

          ok = args->pData != NULL && offset <= args->dataSize && size <= args->dataSize - offset;
          if (ok)
            memcpy (out, (const guint8 *)args->pData + offset, size);
        }
    }
  vtr_arena_finish (&arena);
  return ok;
}

static guint64
attribute (gpointer data,
           guint64  first,
           guint64  last)
{
  VtrVulkanMemory *self = data;
  const guint32 recording = vtr_timeline_find_recording (self->timeline, first);

  for (guint64 i = last; i > first && last - i < MAX_ATTRIBUTION; i--)
    {
      VtrCmdId id = vtr_trace_get_command_id (self->trace, i);

      if (vtr_cmd_is_vulkan (id) &&
          vtr_cmd_is (id, VTR_CLASS_DRAW | VTR_CLASS_DISPATCH | VTR_CLASS_TRACE_RAYS |
                            VTR_CLASS_CLEAR | VTR_CLASS_END_PASS | VTR_CLASS_NEXT_SUBPASS |
                            VTR_CLASS_EXECUTE | VTR_CLASS_GENERATED) &&
          vtr_timeline_find_recording (self->timeline, i) == recording)
        return i;
    }
  return first;
}

const VtrMemoryApi vtr_vulkan_memory = {
  .create = create,
  .destroy = destroy,
  .begin = vtr_vulkan_memory_begin,
  .follow = vtr_vulkan_memory_follow,
  .end = vtr_vulkan_memory_end,
  .find_space = find_space,
  .get_space_size = vtr_vulkan_memory_get_space_size,
  .fill = fill,
  .attribute = attribute,
  .list = vtr_vulkan_memory_list,
  .buffer_kind = VTR_HANDLE_VkBuffer,
  .locate = vtr_vulkan_memory_locate,
  .locate_name = vtr_vulkan_memory_locate_name,
  .list_targets = vtr_vulkan_memory_list_targets,
  .find_target = vtr_vulkan_memory_find_target,
  .find_last_readable = vtr_vulkan_memory_find_last_readable,
};
