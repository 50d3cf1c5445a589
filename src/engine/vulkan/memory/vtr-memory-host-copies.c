/* Reads the parameters of host image copies, for code that follows what is in memory. */
#include "engine/vulkan/memory/vtr-memory-host-copies.h"

#include "api/vtr-api-args.h"

#define VALUE(handle) ((guint64)(gsize)(handle))

#ifdef VK_EXT_host_image_copy

gboolean
vtr_host_copy_read (const VtrCommand *command,
                    guint64          *source,
                    guint64          *destination)
{
  *source = *destination = 0;
  switch (vtr_cmd_canonical (command->id))
    {
    case VTR_CMD_vkCopyMemoryToImageEXT:
      {
        const VtrArgs_vkCopyMemoryToImageEXT *args = command->args;

        if (args->pCopyMemoryToImageInfo != NULL)
          *destination = VALUE (args->pCopyMemoryToImageInfo->dstImage);
        return TRUE;
      }
    case VTR_CMD_vkCopyImageToMemoryEXT:
      {
        const VtrArgs_vkCopyImageToMemoryEXT *args = command->args;

        if (args->pCopyImageToMemoryInfo != NULL)
          *source = VALUE (args->pCopyImageToMemoryInfo->srcImage);
        return TRUE;
      }
    case VTR_CMD_vkCopyImageToImageEXT:
      {
        const VtrArgs_vkCopyImageToImageEXT *args = command->args;

        if (args->pCopyImageToImageInfo != NULL)
          {
            *source = VALUE (args->pCopyImageToImageInfo->srcImage);
            *destination = VALUE (args->pCopyImageToImageInfo->dstImage);
          }
        return TRUE;
      }
    default:
      return FALSE;
    }
}

gboolean
vtr_is_host_copy (VtrCmdId id)
{
  if (!vtr_cmd_is_vulkan (id))
    return FALSE;
  id = vtr_cmd_canonical (id);
  return id == VTR_CMD_vkCopyMemoryToImageEXT || id == VTR_CMD_vkCopyImageToMemoryEXT ||
         id == VTR_CMD_vkCopyImageToImageEXT;
}

#else

gboolean
vtr_host_copy_read (const VtrCommand *command,
                    guint64          *source,
                    guint64          *destination)
{
  (void)command;
  *source = *destination = 0;
  return FALSE;
}

gboolean
vtr_is_host_copy (VtrCmdId id)
{
  (void)id;
  return FALSE;
}

#endif
