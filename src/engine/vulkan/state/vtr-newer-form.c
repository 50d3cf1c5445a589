/* Makes the second versions of calls from the first ones, so that analysers need to know only
 * those. */
#include "engine/vulkan/state/vtr-newer-form-private.h"

#include <string.h>

VtrCmdId
vtr_cmd_newer_form (VtrCmdId id)
{
  switch (vtr_cmd_canonical (id))
    {
    case VTR_CMD_vkBindBufferMemory:
      return VTR_CMD_vkBindBufferMemory2;
    case VTR_CMD_vkBindImageMemory:
      return VTR_CMD_vkBindImageMemory2;
    case VTR_CMD_vkGetBufferMemoryRequirements:
      return VTR_CMD_vkGetBufferMemoryRequirements2;
    case VTR_CMD_vkGetImageMemoryRequirements:
      return VTR_CMD_vkGetImageMemoryRequirements2;
    case VTR_CMD_vkCreateRenderPass:
      return VTR_CMD_vkCreateRenderPass2;
    case VTR_CMD_vkQueueSubmit:
      return VTR_CMD_vkQueueSubmit2;
    case VTR_CMD_vkCmdCopyBuffer:
      return VTR_CMD_vkCmdCopyBuffer2;
    case VTR_CMD_vkCmdCopyImage:
      return VTR_CMD_vkCmdCopyImage2;
    case VTR_CMD_vkCmdBlitImage:
      return VTR_CMD_vkCmdBlitImage2;
    case VTR_CMD_vkCmdResolveImage:
      return VTR_CMD_vkCmdResolveImage2;
    case VTR_CMD_vkCmdCopyBufferToImage:
      return VTR_CMD_vkCmdCopyBufferToImage2;
    case VTR_CMD_vkCmdCopyImageToBuffer:
      return VTR_CMD_vkCmdCopyImageToBuffer2;
    case VTR_CMD_vkCmdPipelineBarrier:
      return VTR_CMD_vkCmdPipelineBarrier2;
    case VTR_CMD_vkCmdWaitEvents:
      return VTR_CMD_vkCmdWaitEvents2;
    case VTR_CMD_vkCmdBeginRenderPass:
      return VTR_CMD_vkCmdBeginRenderPass2;
    case VTR_CMD_vkCmdNextSubpass:
      return VTR_CMD_vkCmdNextSubpass2;
    case VTR_CMD_vkCmdEndRenderPass:
      return VTR_CMD_vkCmdEndRenderPass2;
    default:
      return vtr_cmd_canonical (id);
    }
}

/* --- Memory ---------------------------------------------------------------------------------- */

gpointer
vtr_newer_form_take (VtrNewerForm *self,
                     gsize         n,
                     gsize         size)
{
  gpointer memory = NULL;
  gsize bytes;

  if (__builtin_mul_overflow (n, size, &bytes) || bytes > G_MAXSSIZE)
    g_error ("%" G_GSIZE_FORMAT " × %" G_GSIZE_FORMAT " bytes of a call", n, size);
  bytes = (bytes + 7) & ~(gsize)7;
  if (bytes <= sizeof self->room - self->used)
    {
      memory = memset ((guint8 *)self->room + self->used, 0, bytes);
      self->used += bytes;
    }
  else
    memory = vtr_arena_alloc (&self->arena, bytes);
  if (memory == NULL)
    g_error ("no memory for %" G_GSIZE_FORMAT " bytes of a call", bytes);
  return memory;
}

gpointer
vtr_newer_form_widen (VtrNewerForm    *self,
                      gconstpointer    from,
                      guint32          n,
                      gsize            size,
                      gsize            wide,
                      VkStructureType  type)
{
  guint8 *to;

  if (from == NULL)
    return NULL;
  to = vtr_newer_form_take (self, n, wide);
  for (guint32 i = 0; i < n; i++)
    {
      ((VkBaseInStructure *)(gpointer)(to + i * wide))->sType = type;
      memcpy (to + i * wide + sizeof (VkBaseInStructure), (const guint8 *)from + i * size, size);
    }
  return to;
}

/* --- Memory of resources --------------------------------------------------------------------- */

static void
read_buffer_binding (VtrNewerForm                     *self,
                     const VtrArgs_vkBindBufferMemory *from)
{
  VtrArgs_vkBindBufferMemory2 *args = TAKE (self, 1, VtrArgs_vkBindBufferMemory2);
  VkBindBufferMemoryInfo *info = TAKE (self, 1, VkBindBufferMemoryInfo);

  info->sType = VK_STRUCTURE_TYPE_BIND_BUFFER_MEMORY_INFO;
  info->buffer = from->buffer;
  info->memory = from->memory;
  info->memoryOffset = from->memoryOffset;
  args->device = from->device;
  args->bindInfoCount = 1;
  args->pBindInfos = info;
  self->command.args = args;
}

static void
read_image_binding (VtrNewerForm                    *self,
                    const VtrArgs_vkBindImageMemory *from)
{
  VtrArgs_vkBindImageMemory2 *args = TAKE (self, 1, VtrArgs_vkBindImageMemory2);
  VkBindImageMemoryInfo *info = TAKE (self, 1, VkBindImageMemoryInfo);

  info->sType = VK_STRUCTURE_TYPE_BIND_IMAGE_MEMORY_INFO;
  info->image = from->image;
  info->memory = from->memory;
  info->memoryOffset = from->memoryOffset;
  args->device = from->device;
  args->bindInfoCount = 1;
  args->pBindInfos = info;
  self->command.args = args;
}

static VkMemoryRequirements2 *
read_answer (VtrNewerForm               *self,
             const VkMemoryRequirements *from)
{
  VkMemoryRequirements2 *answer = NULL;

  if (from != NULL)
    {
      answer = TAKE (self, 1, VkMemoryRequirements2);
      answer->sType = VK_STRUCTURE_TYPE_MEMORY_REQUIREMENTS_2;
      answer->memoryRequirements = *from;
    }
  return answer;
}

static void
read_buffer_requirements (VtrNewerForm                                *self,
                          const VtrArgs_vkGetBufferMemoryRequirements *from)
{
  VtrArgs_vkGetBufferMemoryRequirements2 *args =
    TAKE (self, 1, VtrArgs_vkGetBufferMemoryRequirements2);
  VkBufferMemoryRequirementsInfo2 *info = TAKE (self, 1, VkBufferMemoryRequirementsInfo2);

  info->sType = VK_STRUCTURE_TYPE_BUFFER_MEMORY_REQUIREMENTS_INFO_2;
  info->buffer = from->buffer;
  args->device = from->device;
  args->pInfo = info;
  args->pMemoryRequirements = read_answer (self, from->pMemoryRequirements);
  self->command.args = args;
}

static void
read_image_requirements (VtrNewerForm                               *self,
                         const VtrArgs_vkGetImageMemoryRequirements *from)
{
  VtrArgs_vkGetImageMemoryRequirements2 *args =
    TAKE (self, 1, VtrArgs_vkGetImageMemoryRequirements2);
  VkImageMemoryRequirementsInfo2 *info = TAKE (self, 1, VkImageMemoryRequirementsInfo2);

  info->sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_REQUIREMENTS_INFO_2;
  info->image = from->image;
  args->device = from->device;
  args->pInfo = info;
  args->pMemoryRequirements = read_answer (self, from->pMemoryRequirements);
  self->command.args = args;
}

/* --- Transfers ------------------------------------------------------------------------------- */

/* The second version of a transfer has the parameters after the command buffer as members of a
 * structure, in the same order. Columns: name, first of these parameters, type of a region, its
 * first member, names of the structure types. */
#define TRANSFERS(ROW) \
  ROW (CopyBuffer, srcBuffer, BufferCopy, srcOffset, COPY_BUFFER, BUFFER_COPY) \
  ROW (CopyImage, srcImage, ImageCopy, srcSubresource, COPY_IMAGE, IMAGE_COPY) \
  ROW (BlitImage, srcImage, ImageBlit, srcSubresource, BLIT_IMAGE, IMAGE_BLIT) \
  ROW (ResolveImage, srcImage, ImageResolve, srcSubresource, RESOLVE_IMAGE, IMAGE_RESOLVE) \
  ROW (CopyBufferToImage, srcBuffer, BufferImageCopy, bufferOffset, COPY_BUFFER_TO_IMAGE, \
       BUFFER_IMAGE_COPY) \
  ROW (CopyImageToBuffer, srcImage, BufferImageCopy, bufferOffset, COPY_IMAGE_TO_BUFFER, \
       BUFFER_IMAGE_COPY)

/* The bytes of @type from @member on, and those between two members. */
#define FROM(type, member) (sizeof (type) - G_STRUCT_OFFSET (type, member))
#define BETWEEN(type, a, b) (G_STRUCT_OFFSET (type, b) - G_STRUCT_OFFSET (type, a))

#define CHECK_LAYOUT(name, first, region, region_first, TYPE, REGION) \
  G_STATIC_ASSERT (FROM (VtrArgs_vkCmd##name, first) == FROM (Vk##name##Info2, first)); \
  G_STATIC_ASSERT (BETWEEN (VtrArgs_vkCmd##name, first, pRegions) == \
                   BETWEEN (Vk##name##Info2, first, pRegions)); \
  G_STATIC_ASSERT (G_STRUCT_OFFSET (Vk##name##Info2, first) == sizeof (VkBaseInStructure)); \
  G_STATIC_ASSERT (G_STRUCT_OFFSET (Vk##region, region_first) == 0); \
  G_STATIC_ASSERT (G_STRUCT_OFFSET (Vk##region##2, region_first) == sizeof (VkBaseInStructure)); \
  G_STATIC_ASSERT (sizeof (VtrArgs_vkCmd##name##2) == sizeof (VtrArgs_vkCmdCopyBuffer2));
TRANSFERS (CHECK_LAYOUT)

typedef struct
{
  VtrCmdId id; /* of the second version */
  VkStructureType type, region_type;
  guint8 first;                /* offset of the first parameter that becomes a member */
  guint8 size, info;           /* of these parameters; of the structure */
  guint8 count, regions;       /* offsets in the structure */
  guint8 region, newer_region; /* sizes of a region */
} Transfer;

#define TRANSFER(name, from, older, region_first, TYPE, REGION) \
  { .id = VTR_CMD_vkCmd##name##2, \
    .type = VK_STRUCTURE_TYPE_##TYPE##_INFO_2, \
    .region_type = VK_STRUCTURE_TYPE_##REGION##_2, \
    .first = G_STRUCT_OFFSET (VtrArgs_vkCmd##name, from), \
    .size = FROM (VtrArgs_vkCmd##name, from), \
    .info = sizeof (Vk##name##Info2), \
    .count = G_STRUCT_OFFSET (Vk##name##Info2, regionCount), \
    .regions = G_STRUCT_OFFSET (Vk##name##Info2, pRegions), \
    .region = sizeof (Vk##older), \
    .newer_region = sizeof (Vk##older##2) },

static const Transfer transfers[] = { TRANSFERS (TRANSFER) };

static void
read_transfer (VtrNewerForm     *self,
               const VtrCommand *command)
{
  const Transfer *transfer = transfers;
  VtrArgs_vkCmdCopyBuffer2 *args = TAKE (self, 1, VtrArgs_vkCmdCopyBuffer2);
  const guint8 *from = command->args;
  gconstpointer regions;
  guint8 *info;
  guint32 n;

  while (transfer->id != self->command.id)
    transfer++;
  info = vtr_newer_form_widen (self, from + transfer->first, 1, transfer->size, transfer->info,
                               transfer->type);
  memcpy (&n, info + transfer->count, sizeof n);
  memcpy (&regions, info + transfer->regions, sizeof regions);
  regions = vtr_newer_form_widen (self, regions, n, transfer->region, transfer->newer_region,
                                  transfer->region_type);
  memcpy (info + transfer->regions, &regions, sizeof regions);
  memcpy (&args->commandBuffer, from, sizeof args->commandBuffer);
  memcpy (&args->pCopyBufferInfo, &info, sizeof info);
  self->command.args = args;
}

/* --- All of it ------------------------------------------------------------------------------- */

static void
read_older (VtrNewerForm     *self,
            const VtrCommand *command)
{
  switch (self->command.id)
    {
    case VTR_CMD_vkBindBufferMemory2:
      read_buffer_binding (self, command->args);
      break;
    case VTR_CMD_vkBindImageMemory2:
      read_image_binding (self, command->args);
      break;
    case VTR_CMD_vkGetBufferMemoryRequirements2:
      read_buffer_requirements (self, command->args);
      break;
    case VTR_CMD_vkGetImageMemoryRequirements2:
      read_image_requirements (self, command->args);
      break;
    case VTR_CMD_vkCreateRenderPass2:
      vtr_newer_form_read_render_pass (self, command->args);
      break;
    case VTR_CMD_vkQueueSubmit2:
      vtr_newer_form_read_submission (self, command->args);
      break;
    case VTR_CMD_vkCmdPipelineBarrier2:
    case VTR_CMD_vkCmdWaitEvents2:
      vtr_newer_form_read_barriers (self, command);
      break;
    case VTR_CMD_vkCmdBeginRenderPass2:
    case VTR_CMD_vkCmdNextSubpass2:
    case VTR_CMD_vkCmdEndRenderPass2:
      vtr_newer_form_read_subpass (self, command);
      break;
    default:
      read_transfer (self, command);
      break;
    }
}

void
vtr_newer_form_init (VtrNewerForm     *self,
                     const VtrCommand *command)
{
  const VtrCmdId canonical = vtr_cmd_canonical (command->id);

  self->command = *command;
  self->command.id = vtr_cmd_newer_form (canonical);
  vtr_arena_init (&self->arena);
  self->used = 0;
  if (self->command.id != canonical && command->args != NULL)
    read_older (self, command);
}

void
vtr_newer_form_clear (VtrNewerForm *self)
{
  vtr_arena_finish (&self->arena);
}
