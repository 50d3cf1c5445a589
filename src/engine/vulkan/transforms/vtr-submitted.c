/* Visits the command buffers of a submission, whichever version of the call it is. */
#include "engine/vulkan/transforms/vtr-submitted.h"

static gboolean
visit_submit (const VtrArgs_vkQueueSubmit  *args,
              VtrSubmittedVisitor           visit,
              gpointer                      data,
              GError                      **error)
{
  for (guint32 i = 0; args->pSubmits != NULL && i < args->submitCount; i++)
    for (guint32 k = 0;
         args->pSubmits[i].pCommandBuffers != NULL && k < args->pSubmits[i].commandBufferCount; k++)
      if (!visit ((VkCommandBuffer *)&args->pSubmits[i].pCommandBuffers[k], i, k, data, error))
        return FALSE;
  return TRUE;
}

static gboolean
visit_submit2 (const VtrArgs_vkQueueSubmit2  *args,
               VtrSubmittedVisitor            visit,
               gpointer                       data,
               GError                       **error)
{
  for (guint32 i = 0; args->pSubmits != NULL && i < args->submitCount; i++)
    for (guint32 k = 0; args->pSubmits[i].pCommandBufferInfos != NULL &&
                        k < args->pSubmits[i].commandBufferInfoCount;
         k++)
      {
        VkCommandBufferSubmitInfo *info =
          (VkCommandBufferSubmitInfo *)&args->pSubmits[i].pCommandBufferInfos[k];

        if (!visit (&info->commandBuffer, i, k, data, error))
          return FALSE;
      }
  return TRUE;
}

gboolean
vtr_submitted_visit (const VtrCommand     *command,
                     VtrSubmittedVisitor   visit,
                     gpointer              data,
                     GError              **error)
{
  switch (vtr_cmd_canonical (command->id))
    {
    case VTR_CMD_vkQueueSubmit:
      return visit_submit (command->args, visit, data, error);
    case VTR_CMD_vkQueueSubmit2:
      return visit_submit2 (command->args, visit, data, error);
    default:
      return TRUE;
    }
}
