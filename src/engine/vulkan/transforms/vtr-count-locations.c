/* Maps the locations at which shaders write and read attachments of a dynamic rendering; the
 * attachment of counts comes last. */
#include "engine/vulkan/transforms/vtr-count-private.h"

#include "vtr-config.h"

#include <glib/gi18n-lib.h>

#include "api/vtr-api-walk.h"
#include "vtr-api-args.h"

#ifdef VK_KHR_dynamic_rendering_local_read

/* Returns: @n numbers, each attachment's own where there are none, and @ours. */
static const guint32 *
extend (const VtrCount *self,
        const guint32  *numbers,
        guint32         n,
        guint32         ours,
        VtrArena       *arena)
{
  const guint32 slot = self->plan.slot;
  guint32 *all = vtr_arena_new_array (arena, slot + 1, guint32);

  if (all == NULL)
    return NULL;
  for (guint32 i = 0; i < slot; i++)
    all[i] = i >= n ? VK_ATTACHMENT_UNUSED : numbers != NULL ? numbers[i]
                                                             : i;
  all[slot] = ours;
  return all;
}

static gboolean
extend_locations (const VtrCount                       *self,
                  VkRenderingAttachmentLocationInfoKHR *info,
                  VtrArena                             *arena)
{
  info->pColorAttachmentLocations = extend (self, info->pColorAttachmentLocations,
                                            info->colorAttachmentCount, self->plan.slot, arena);
  info->colorAttachmentCount = self->plan.slot + 1;
  return info->pColorAttachmentLocations != NULL;
}

/* No subpass reads the counts. */
static gboolean
extend_inputs (const VtrCount                         *self,
               VkRenderingInputAttachmentIndexInfoKHR *info,
               VtrArena                               *arena)
{
  info->pColorAttachmentInputIndices =
    extend (self, info->pColorAttachmentInputIndices, info->colorAttachmentCount,
            VK_ATTACHMENT_UNUSED, arena);
  info->colorAttachmentCount = self->plan.slot + 1;
  return info->pColorAttachmentInputIndices != NULL;
}

static gboolean
extend_structure (const VtrCount *self,
                  gpointer        structure,
                  VtrArena       *arena)
{
  if (structure == NULL)
    return TRUE;
  return ((const VkBaseInStructure *)structure)->sType ==
             VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_LOCATION_INFO_KHR
           ? extend_locations (self, structure, arena)
           : extend_inputs (self, structure, arena);
}

gboolean
vtr_count_extend_chain (const VtrCount  *self,
                        const void      *next,
                        VtrArena        *arena,
                        GError         **error)
{
  static const VkStructureType types[] = {
    VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_LOCATION_INFO_KHR,
    VK_STRUCTURE_TYPE_RENDERING_INPUT_ATTACHMENT_INDEX_INFO_KHR,
  };

  for (guint i = 0; i < G_N_ELEMENTS (types); i++)
    if (!extend_structure (self, (gpointer)vtr_api_find_next (next, types[i]), arena))
      return vtr_count_unsupported (error, _ ("The pass is too large to count draws in it."));
  return TRUE;
}

gboolean
vtr_count_extend_command (const VtrCount    *self,
                          const VtrCommand  *command,
                          VtrArena          *arena,
                          GError           **error)
{
  gpointer info = NULL;

  switch (vtr_cmd_canonical (command->id))
    {
    case VTR_CMD_vkCmdSetRenderingAttachmentLocationsKHR:
      info = (gpointer)((const VtrArgs_vkCmdSetRenderingAttachmentLocationsKHR *)command->args)
               ->pLocationInfo;
      break;
    case VTR_CMD_vkCmdSetRenderingInputAttachmentIndicesKHR:
      info = (gpointer)((const VtrArgs_vkCmdSetRenderingInputAttachmentIndicesKHR *)command->args)
               ->pInputAttachmentIndexInfo;
      break;
    default:
      break;
    }
  return extend_structure (self, info, arena) ||
         vtr_count_unsupported (error, _ ("The pass is too large to count draws in it."));
}

#else

gboolean
vtr_count_extend_chain (const VtrCount  *self,
                        const void      *next,
                        VtrArena        *arena,
                        GError         **error)
{
  return TRUE;
}

gboolean
vtr_count_extend_command (const VtrCount    *self,
                          const VtrCommand  *command,
                          VtrArena          *arena,
                          GError           **error)
{
  return TRUE;
}

#endif
