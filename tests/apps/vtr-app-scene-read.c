/* Reads back everything that a scene has drawn. */
#include "vtr-app-scene.h"

#include "pictures-samples.comp.h"
#include "pictures-usamples.comp.h"

#include <stdio.h>
#include <string.h>

typedef struct
{
  VkImageAspectFlags aspect;
  uint32_t mip, layer, slice;
  uint32_t sample; /* UINT32_MAX: resolved */
} Part;

#define RESOLVED UINT32_MAX

static VtrAppBuffer
make_buffer (VtrAppScene        *self,
             VkDeviceSize        size,
             VkBufferUsageFlags  usage)
{
  return vtr_app_buffer (&self->gpu, size, usage,
                         VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT |
                           VK_MEMORY_PROPERTY_HOST_COHERENT_BIT);
}

static uint32_t
size_at (uint32_t size,
         uint32_t mip)
{
  return size >> mip > 0 ? size >> mip : 1;
}

/* How many planes, and by what those after the first are smaller. */
static uint32_t
planes_of (VkFormat format)
{
  switch (format)
    {
    case VK_FORMAT_G8_B8R8_2PLANE_420_UNORM:
      return 2;
    case VK_FORMAT_G8_B8_R8_3PLANE_420_UNORM:
      return 3;
    default:
      return 0;
    }
}

static VkImageAspectFlags
aspects_of (VkFormat format)
{
  const VkImageAspectFlags planes = VK_IMAGE_ASPECT_PLANE_0_BIT | VK_IMAGE_ASPECT_PLANE_1_BIT |
                                    VK_IMAGE_ASPECT_PLANE_2_BIT;

  return planes_of (format) == 3   ? planes
         : planes_of (format) == 2 ? planes & ~(VkImageAspectFlags)VK_IMAGE_ASPECT_PLANE_2_BIT
                                   : vtr_app_aspects (format);
}

static VkExtent2D
extent_of (const VtrAppPicture *picture,
           const Part          *part)
{
  const bool chroma =
    part->aspect == VK_IMAGE_ASPECT_PLANE_1_BIT || part->aspect == VK_IMAGE_ASPECT_PLANE_2_BIT;

  return (VkExtent2D){ size_at (picture->info.extent.width, part->mip + chroma),
                       size_at (picture->info.extent.height, part->mip + chroma) };
}

static const char *
name_of (VkImageAspectFlags aspect)
{
  switch (aspect)
    {
    case VK_IMAGE_ASPECT_DEPTH_BIT:
      return "depth";
    case VK_IMAGE_ASPECT_STENCIL_BIT:
      return "stencil";
    case VK_IMAGE_ASPECT_PLANE_0_BIT:
      return "plane0";
    case VK_IMAGE_ASPECT_PLANE_1_BIT:
      return "plane1";
    case VK_IMAGE_ASPECT_PLANE_2_BIT:
      return "plane2";
    default:
      return "color";
    }
}

static void
write_part (VtrAppScene         *self,
            const VtrAppPicture *picture,
            const Part          *part,
            const void          *data,
            uint64_t             size)
{
  const VkExtent2D extent = extent_of (picture, part);
  char sample[16] = "resolve";
  char name[128];

  if (part->sample != RESOLVED)
    snprintf (sample, sizeof sample, "%u", part->sample);
  snprintf (name, sizeof name, "%s,%u,%u,%u,%s,%s", picture->info.name, part->mip, part->layer,
            part->slice, sample, name_of (part->aspect));
  vtr_app_write_image (self->output, name, extent.width, extent.height, picture->info.format, data,
                       size);
}

/* Bytes of a copy to a buffer, by trying: the whole buffer is filled twice with different bytes
 * where the copy does not write. */
static uint64_t
written_bytes (const uint8_t *a,
               const uint8_t *b,
               uint64_t       size)
{
  while (size > 0 && a[size - 1] == 0x5a && b[size - 1] == 0xa5)
    size--;
  return size;
}

static void
copy_part (VtrAppScene         *self,
           const VtrAppPicture *picture,
           const Part          *part,
           VkImage              from,
           VkImageLayout        layout)
{
  const VkExtent2D extent = extent_of (picture, part);
  bool own = from == picture->image;
  VkBufferImageCopy region = {
    .imageSubresource = { part->aspect, own ? part->mip : 0, own ? part->layer : 0, 1 },
    .imageOffset = { 0, 0, (int32_t)part->slice },
    .imageExtent = { extent.width, extent.height, 1 },
  };
  uint64_t size =
    (uint64_t)(region.imageExtent.width + 16) * (region.imageExtent.height + 16) * 32;
  VtrAppBuffer buffers[2];

  for (int i = 0; i < 2; i++)
    {
      VkCommandBuffer commands = vtr_app_scene_begin (self);

      buffers[i] = make_buffer (self, size, VK_BUFFER_USAGE_TRANSFER_DST_BIT);
      memset (buffers[i].mapped, i == 0 ? 0x5a : 0xa5, size);
      vtr_app_barrier (commands);
      vkCmdCopyImageToBuffer (commands, from, layout, buffers[i].buffer, 1, &region);
      vtr_app_barrier (commands);
      vtr_app_scene_submit (self, commands);
    }
  write_part (self, picture, part, buffers[0].mapped,
              written_bytes (buffers[0].mapped, buffers[1].mapped, size));
  vtr_app_buffer_finish (&self->gpu, &buffers[0]);
  vtr_app_buffer_finish (&self->gpu, &buffers[1]);
}

/* --- Samples --------------------------------------------------------------------------------- */

/* Four words of a fetch to the texel of @format. Returns: bytes. */
static uint32_t
pack (VkFormat            format,
      VkImageAspectFlags  aspect,
      const uint32_t      words[4],
      uint8_t            *out)
{
  float values[4];
  uint16_t half;

  memcpy (values, words, sizeof values);
  if (aspect == VK_IMAGE_ASPECT_STENCIL_BIT)
    {
      out[0] = (uint8_t)words[0];
      return 1;
    }
  if (format == VK_FORMAT_R8G8B8A8_UNORM)
    {
      for (int i = 0; i < 4; i++)
        out[i] = (uint8_t)(values[i] * 255 + 0.5f);
      return 4;
    }
  if (format == VK_FORMAT_D16_UNORM)
    {
      half = (uint16_t)(values[0] * 65535 + 0.5f);
      memcpy (out, &half, 2);
      return 2;
    }
  memcpy (out, words, 4); /* R32 and D32 */
  return 4;
}

static void
fetch_sample (VtrAppScene         *self,
              const VtrAppPicture *picture,
              const Part          *part)
{
  uint32_t width = size_at (picture->info.extent.width, part->mip);
  uint32_t height = size_at (picture->info.extent.height, part->mip);
  bool integers = part->aspect == VK_IMAGE_ASPECT_STENCIL_BIT ||
                  picture->info.format == VK_FORMAT_R32_UINT;
  VtrAppBuffer buffer = make_buffer (self, (VkDeviceSize)width * height * 16,
                                     VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
  VkDevice device = self->gpu.device;
  const uint32_t push[3] = { width, height, part->sample };
  VkDescriptorSetLayoutBinding bindings[] = {
    { 0, VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE, 1, VK_SHADER_STAGE_COMPUTE_BIT, NULL },
    { 1, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, NULL },
  };
  VkDescriptorSetLayoutCreateInfo set_layout_info = {
    .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
    .bindingCount = 2,
    .pBindings = bindings,
  };
  VkPushConstantRange range = { VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof push };
  VkDescriptorSetLayout set_layout;
  VkPipelineLayoutCreateInfo layout_info = {
    .sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
    .setLayoutCount = 1,
    .pSetLayouts = &set_layout,
    .pushConstantRangeCount = 1,
    .pPushConstantRanges = &range,
  };
  VkComputePipelineCreateInfo pipeline_info = {
    .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
    .stage = { .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
               .stage = VK_SHADER_STAGE_COMPUTE_BIT,
               .module = integers ? vtr_app_shader (&self->gpu, pictures_usamples_comp,
                                                    sizeof pictures_usamples_comp)
                                  : vtr_app_shader (&self->gpu, pictures_samples_comp,
                                                    sizeof pictures_samples_comp),
               .pName = "main" },
  };
  VkDescriptorPoolSize sizes[] = { { VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE, 1 },
                                   { VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1 } };
  VkImageViewCreateInfo view_info = {
    .sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
    .image = picture->image,
    .viewType = VK_IMAGE_VIEW_TYPE_2D,
    .format = picture->info.format,
    .subresourceRange = { part->aspect, part->mip, 1, part->layer, 1 },
  };
  VkDescriptorImageInfo image = { .imageLayout = picture->layout };
  VkDescriptorBufferInfo texels = { buffer.buffer, 0, VK_WHOLE_SIZE };
  VkWriteDescriptorSet writes[] = {
    { .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
      .descriptorCount = 1,
      .descriptorType = VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE,
      .pImageInfo = &image },
    { .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
      .dstBinding = 1,
      .descriptorCount = 1,
      .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
      .pBufferInfo = &texels },
  };
  VkCommandBuffer commands = vtr_app_scene_begin (self);
  VkPipelineLayout layout;
  VkPipeline pipeline;
  VkDescriptorPool pool;
  VkDescriptorSet set;
  uint8_t *packed = buffer.mapped;
  uint64_t size = 0;

  vtr_app_check (vkCreateDescriptorSetLayout (device, &set_layout_info, NULL, &set_layout),
                 "vkCreateDescriptorSetLayout");
  vtr_app_check (vkCreatePipelineLayout (device, &layout_info, NULL, &layout),
                 "vkCreatePipelineLayout");
  pipeline_info.layout = layout;
  vtr_app_check (vkCreateComputePipelines (device, VK_NULL_HANDLE, 1, &pipeline_info, NULL,
                                           &pipeline),
                 "vkCreateComputePipelines");
  set = vtr_app_set (&self->gpu, set_layout, 2, sizes, &pool);
  vtr_app_check (vkCreateImageView (device, &view_info, NULL, &image.imageView),
                 "vkCreateImageView");
  writes[0].dstSet = writes[1].dstSet = set;
  vkUpdateDescriptorSets (device, 2, writes, 0, NULL);

  vtr_app_barrier (commands);
  vkCmdBindPipeline (commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
  vkCmdBindDescriptorSets (commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &set, 0, NULL);
  vkCmdPushConstants (commands, layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof push, push);
  vkCmdDispatch (commands, (width + 7) / 8, (height + 7) / 8, 1);
  vtr_app_barrier (commands);
  vtr_app_scene_submit (self, commands);

  for (uint32_t i = 0; i < width * height; i++)
    {
      uint32_t words[4];
      uint8_t texel[16];
      uint32_t n;

      memcpy (words, (const uint8_t *)buffer.mapped + (size_t)i * 16, sizeof words);
      n = pack (picture->info.format, part->aspect, words, texel);
      memcpy (packed + size, texel, n);
      size += n;
    }
  write_part (self, picture, part, packed, size);

  vkDestroyImageView (device, image.imageView, NULL);
  vkDestroyDescriptorPool (device, pool, NULL);
  vkDestroyPipeline (device, pipeline, NULL);
  vkDestroyShaderModule (device, pipeline_info.stage.module, NULL);
  vkDestroyPipelineLayout (device, layout, NULL);
  vkDestroyDescriptorSetLayout (device, set_layout, NULL);
  vtr_app_buffer_finish (&self->gpu, &buffer);
}

static void
resolve_part (VtrAppScene         *self,
              const VtrAppPicture *picture,
              const Part          *part)
{
  uint32_t width = size_at (picture->info.extent.width, part->mip);
  uint32_t height = size_at (picture->info.extent.height, part->mip);
  VtrAppImage target =
    vtr_app_image (&self->gpu, width, height, picture->info.format,
                   VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT |
                     VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT);
  VkImageResolve region = {
    .srcSubresource = { VK_IMAGE_ASPECT_COLOR_BIT, part->mip, part->layer, 1 },
    .dstSubresource = { VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1 },
    .extent = { width, height, 1 },
  };
  VkCommandBuffer commands = vtr_app_scene_begin (self);

  vtr_app_barrier (commands);
  vtr_app_transition (commands, &target, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL);
  vkCmdResolveImage (commands, picture->image, picture->layout, target.image,
                     VK_IMAGE_LAYOUT_GENERAL, 1, &region);
  vtr_app_scene_submit (self, commands);
  copy_part (self, picture, part, target.image, VK_IMAGE_LAYOUT_GENERAL);
  vtr_app_image_finish (&self->gpu, &target);
}

/* --- Everything ------------------------------------------------------------------------------ */

static void
read_subresource (VtrAppScene         *self,
                  const VtrAppPicture *picture,
                  Part                 part)
{
  if (picture->info.samples == VK_SAMPLE_COUNT_1_BIT)
    {
      part.sample = 0;
      copy_part (self, picture, &part, picture->image, picture->layout);
      return;
    }
  for (part.sample = 0; part.sample < (uint32_t)picture->info.samples; part.sample++)
    fetch_sample (self, picture, &part);
  part.sample = RESOLVED;
  if (part.aspect == VK_IMAGE_ASPECT_COLOR_BIT)
    resolve_part (self, picture, &part);
}

void
vtr_app_scene_read_back (VtrAppScene *self)
{
  for (uint32_t i = 0; i < self->n_pictures; i++)
    {
      VtrAppPicture *picture = &self->pictures[i];
      VkImageAspectFlags aspects = aspects_of (picture->info.format);
      VkCommandBuffer commands;
      Part part = { 0 };

      if (picture->layout == VK_IMAGE_LAYOUT_UNDEFINED)
        continue;
      commands = vtr_app_scene_begin (self);
      vtr_app_picture_to (commands, picture, VK_IMAGE_LAYOUT_GENERAL);
      vtr_app_scene_submit (self, commands);
      for (part.aspect = 1; part.aspect <= aspects; part.aspect <<= 1)
        for (part.mip = 0; (aspects & part.aspect) != 0 && part.mip < picture->info.mips;
             part.mip++)
          for (part.layer = 0; part.layer < picture->info.layers; part.layer++)
            for (part.slice = 0; part.slice < size_at (picture->info.extent.depth, part.mip);
                 part.slice++)
              read_subresource (self, picture, part);
    }
}
