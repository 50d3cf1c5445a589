/* Finds calls that need VK_KHR_maintenance9, if this device lacks it. */
#include "vtr-config.h"

#include "engine/vulkan/compatibility/vtr-compatibility-private.h"
#include "engine/vulkan/state/vtr-newer-form.h"

#include "vtr-api-args.h"

#ifdef VK_KHR_maintenance9

#define FEATURE "maintenance9"

static void
note_image (VtrCompatibilityScan        *self,
            const VtrArgs_vkCreateImage *args)
{
  guint64 image;

  if (args->pCreateInfo == NULL || args->pImage == NULL)
    return;
  image = (guint64)*args->pImage;
  if (args->pCreateInfo->imageType == VK_IMAGE_TYPE_3D)
    g_hash_table_add (self->volumes, g_memdup2 (&image, sizeof image));
  else
    g_hash_table_remove (self->volumes, &image);
}

/* Without the feature a 3D image has one layer. */
static void
scan_slices (VtrCompatibilityScan          *self,
             VkImage                        image,
             const VkImageSubresourceRange *range)
{
  const guint64 handle = (guint64)image;

  if (range->baseArrayLayer > 0 ||
      (range->layerCount > 1 && range->layerCount != VK_REMAINING_ARRAY_LAYERS))
    vtr_compatibility_use (self, FEATURE, g_hash_table_contains (self->volumes, &handle));
}

static void
scan_dependency (VtrCompatibilityScan   *self,
                 const VkDependencyInfo *info)
{
  if (info == NULL)
    return;
  vtr_compatibility_use (self, FEATURE,
                         (info->dependencyFlags & VK_DEPENDENCY_ASYMMETRIC_EVENT_BIT_KHR) != 0);
  for (guint32 i = 0; info->pImageMemoryBarriers != NULL && i < info->imageMemoryBarrierCount; i++)
    scan_slices (self, info->pImageMemoryBarriers[i].image,
                 &info->pImageMemoryBarriers[i].subresourceRange);
}

static void
scan_barriers (VtrCompatibilityScan *self)
{
  g_auto (VtrNewerForm) form;

  vtr_newer_form_init (&form, self->command);
  if (form.command.id == VTR_CMD_vkCmdPipelineBarrier2)
    scan_dependency (self,
                     ((const VtrArgs_vkCmdPipelineBarrier2 *)form.command.args)->pDependencyInfo);
  else
    {
      const VtrArgs_vkCmdWaitEvents2 *args = form.command.args;

      for (guint32 i = 0; args->pDependencyInfos != NULL && i < args->eventCount; i++)
        scan_dependency (self, &args->pDependencyInfos[i]);
    }
}

void
vtr_compatibility_scan_maintenance (VtrCompatibilityScan *self)
{
  const void *arguments = self->command->args;

#define WITH(name) const VtrArgs_##name *args = arguments
  switch (vtr_cmd_newer_form (self->command->id))
    {
    case VTR_CMD_vkCreateDevice:
      {
        WITH (vkCreateDevice);
        vtr_compatibility_use (self, FEATURE,
                               args->pCreateInfo != NULL &&
                                 args->pCreateInfo->queueCreateInfoCount == 0);
        break;
      }
    case VTR_CMD_vkCreateImage:
      note_image (self, arguments);
      break;
    case VTR_CMD_vkCreateQueryPool:
      {
        WITH (vkCreateQueryPool);
        vtr_compatibility_use (
          self, FEATURE,
          args->pCreateInfo != NULL &&
            (args->pCreateInfo->flags & VK_QUERY_POOL_CREATE_RESET_BIT_KHR) != 0);
        break;
      }
    case VTR_CMD_vkCmdPipelineBarrier2:
    case VTR_CMD_vkCmdWaitEvents2:
      scan_barriers (self);
      break;
    case VTR_CMD_vkCmdSetEvent2:
      scan_dependency (self, ((const VtrArgs_vkCmdSetEvent2 *)arguments)->pDependencyInfo);
      break;
    default:
      break;
    }
#undef WITH
}

#else

void
vtr_compatibility_scan_maintenance (VtrCompatibilityScan *self)
{
}

#endif
