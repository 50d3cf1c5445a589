/* Allocates the additional command buffer into which a transform records a changed copy. */
#include "engine/vulkan/transforms/vtr-buffer-copy.h"

#include "vtr-config.h"

#include <glib/gi18n-lib.h>

#include "vtr-api-args.h"

gboolean
vtr_buffer_copy_allocate (VtrTransform     *next,
                          VtrHistory       *history,
                          guint64           original,
                          guint64           index,
                          VkCommandBuffer  *out,
                          GError          **error)
{
  const VtrObject *object =
    vtr_history_find (history, vtr_vulkan_identity (VTR_HANDLE_VkCommandBuffer, original), index);
  const VtrArgs_vkAllocateCommandBuffers *allocation;
  VtrArgs_vkAllocateCommandBuffers args;
  VkCommandBufferAllocateInfo info;
  VtrCommand creation;
  VtrArena arena;
  gboolean ok;

  if (object == NULL)
    {
      g_autofree char *number = vtr_trace_format_number (vtr_history_get_trace (history), index);

      g_set_error (error, VTR_REPLAY_ERROR, VTR_REPLAY_ERROR_TRACE,
                   _ ("The trace lacks the allocation of the command buffer of command %s"),
                   number);
      return FALSE;
    }
  vtr_arena_init (&arena);
  ok = vtr_history_decode_creation (history, object, &arena, &creation, error);
  allocation = ok ? creation.args : NULL;
  if (ok &&
      (creation.id != VTR_CMD_vkAllocateCommandBuffers || allocation->pAllocateInfo == NULL))
    {
      g_set_error_literal (error, VTR_REPLAY_ERROR, VTR_REPLAY_ERROR_TRACE,
                           _ ("The trace does not say how the command buffer was allocated"));
      ok = FALSE;
    }
  if (ok)
    {
      info = *allocation->pAllocateInfo;
      info.commandBufferCount = 1;
      *out = (VkCommandBuffer)(gsize)vtr_transform_new_handle ();
      args = (VtrArgs_vkAllocateCommandBuffers){ allocation->device, &info, out };
      ok = vtr_transform_emit (next, VTR_CMD_vkAllocateCommandBuffers, &args, index, error);
    }
  vtr_arena_finish (&arena);
  return ok;
}
