/* Reads single samples of multisampled images. */
#include "vtr-vulkan-samples-private.h"

#include "vtr-read-shaders.h"
#include "vtr-vulkan-formats.h"

#include <string.h>

/* Push constants of the shaders. */
typedef struct
{
  uint32_t width;
  uint32_t height;
  int32_t sample;
} Which;

static bool
is_color (const VtrSamplesReader *self)
{
  return self->part.aspect == VK_IMAGE_ASPECT_COLOR_BIT;
}

/* ---- Depth and stencil ---- */

static VkResult
make_compute (VtrSamplesReader *self)
{
  VtrSamplesObjects *objects = &self->objects;
  VkComputePipelineCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
    .stage = { .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
               .stage = VK_SHADER_STAGE_COMPUTE_BIT,
               .pName = "main" },
    .layout = objects->layout,
  };
  VkResult result =
    self->part.aspect == VK_IMAGE_ASPECT_DEPTH_BIT
      ? vtr_samples_make_shader (objects, read_depth, sizeof read_depth, &objects->shader)
      : vtr_samples_make_shader (objects, read_stencil, sizeof read_stencil, &objects->shader);

  if (result < 0)
    return result;
  info.stage.module = objects->shader;
  return objects->driver.CreateComputePipelines (objects->driver.device, VK_NULL_HANDLE, 1, &info,
                                                 NULL, &objects->pipeline);
}

static void
record_compute (const VtrSamplesReader *self,
                VkCommandBuffer         commands,
                uint32_t                sample,
                uint32_t                offset)
{
  const VtrSamplesObjects *objects = &self->objects;
  const VtrSamplesDriver *driver = &objects->driver;
  const Which which = { self->part.width, self->part.height, (int32_t)sample };

  driver->CmdBindPipeline (commands, VK_PIPELINE_BIND_POINT_COMPUTE, objects->pipeline);
  driver->CmdBindDescriptorSets (commands, VK_PIPELINE_BIND_POINT_COMPUTE, objects->layout, 0, 1,
                                 &objects->set, 1, &offset);
  driver->CmdPushConstants (commands, objects->layout, VK_SHADER_STAGE_COMPUTE_BIT, 0,
                            sizeof which, &which);
  driver->CmdDispatch (commands, (which.width + 7) / 8, (which.height + 7) / 8, 1);
}

uint32_t
vtr_samples_pack (VkFormat               format,
                  VkImageAspectFlagBits  aspect,
                  uint64_t               n_texels,
                  uint8_t               *bytes)
{
  const unsigned depth_bits = vtr_pixel_format_get_bits (vtr_vulkan_format_get (format), 'D');
  uint32_t texel = 4;

  for (uint64_t i = 0; i < n_texels; i++)
    {
      uint32_t word;
      uint16_t half;
      float depth;

      memcpy (&word, bytes + i * 4, 4);
      memcpy (&depth, &word, 4);
      if (aspect == VK_IMAGE_ASPECT_STENCIL_BIT)
        {
          bytes[i] = (uint8_t)word;
          texel = 1;
        }
      else if (depth_bits == 16)
        {
          half = (uint16_t)(depth * 65535.0f + 0.5f);
          memcpy (bytes + i * 2, &half, 2);
          texel = 2;
        }
      else if (depth_bits == 24)
        {
          /* A float holds 24 bits, but not their product with 2^24 - 1. */
          word = (uint32_t)((double)depth * 16777215.0 + 0.5);
          memcpy (bytes + i * 4, &word, 4);
        }
    }
  return texel;
}

/* ---- Colour ---- */

static VkResult
make_pass (VtrSamplesReader *self)
{
  const VkAttachmentDescription attachment = {
    .format = self->part.format,
    .samples = VK_SAMPLE_COUNT_1_BIT,
    .loadOp = VK_ATTACHMENT_LOAD_OP_DONT_CARE,
    .storeOp = VK_ATTACHMENT_STORE_OP_STORE,
    .stencilLoadOp = VK_ATTACHMENT_LOAD_OP_DONT_CARE,
    .stencilStoreOp = VK_ATTACHMENT_STORE_OP_DONT_CARE,
    .finalLayout = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL,
  };
  /* The copy of the sample before has to be over, this one's has to wait. */
  const VkSubpassDependency dependencies[] = {
    { VK_SUBPASS_EXTERNAL, 0, VK_PIPELINE_STAGE_TRANSFER_BIT,
      VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT, VK_ACCESS_TRANSFER_READ_BIT,
      VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT, 0 },
    { 0, VK_SUBPASS_EXTERNAL, VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT,
      VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT,
      VK_ACCESS_TRANSFER_READ_BIT, 0 },
  };

  return vtr_samples_make_pass (&self->objects, &attachment, true, dependencies, 2,
                                self->objects.single_view, self->part.width, self->part.height);
}

static VkResult
make_shaders (VtrSamplesReader *self)
{
  VtrSamplesObjects *objects = &self->objects;
  VkResult result =
    vtr_samples_make_shader (objects, read_everywhere, sizeof read_everywhere, &objects->vertex);

  if (result < 0)
    return result;
  switch (vtr_pixel_format_get_class (vtr_vulkan_format_get (self->part.format)))
    {
    case VTR_PIXEL_UINT:
      return vtr_samples_make_shader (objects, read_color_uint, sizeof read_color_uint,
                                      &objects->shader);
    case VTR_PIXEL_SINT:
      return vtr_samples_make_shader (objects, read_color_sint, sizeof read_color_sint,
                                      &objects->shader);
    case VTR_PIXEL_FLOAT:
      break;
    }
  return vtr_samples_make_shader (objects, read_color_float, sizeof read_color_float,
                                  &objects->shader);
}

static VkResult
make_graphics (VtrSamplesReader *self)
{
  const VtrSamplesPart *part = &self->part;
  VtrSamplesTriangle triangle = {
    .width = part->width,
    .height = part->height,
    .scissor = { { 0, 0 }, { part->width, part->height } },
    .color = true,
    .multisample = { .sType = VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO,
                     .rasterizationSamples = VK_SAMPLE_COUNT_1_BIT },
  };
  VkResult result = vtr_samples_make_single (
    &self->objects, part, part->width, part->height,
    VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT);

  if (result >= 0)
    result = make_pass (self);
  if (result >= 0)
    result = make_shaders (self);
  if (result < 0)
    return result;
  triangle.fragment = self->objects.shader;
  return vtr_samples_make_triangle (&self->objects, &triangle, &self->objects.pipeline);
}

static void
record_graphics (const VtrSamplesReader *self,
                 VkCommandBuffer         commands,
                 uint32_t                sample,
                 uint32_t                y,
                 uint32_t                n_rows,
                 uint32_t                offset)
{
  const VtrSamplesObjects *objects = &self->objects;
  const VtrSamplesDriver *driver = &objects->driver;
  const Which which = { self->part.width, self->part.height, (int32_t)sample };
  const VkRenderPassBeginInfo begin = {
    .sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
    .renderPass = objects->pass,
    .framebuffer = objects->framebuffer,
    .renderArea = { { 0, 0 }, { which.width, which.height } },
  };
  const VkBufferImageCopy region = {
    .bufferOffset = offset,
    .imageSubresource = { VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1 },
    .imageOffset = { 0, (int32_t)y, 0 },
    .imageExtent = { which.width, n_rows, 1 },
  };

  driver->CmdBeginRenderPass (commands, &begin, VK_SUBPASS_CONTENTS_INLINE);
  driver->CmdBindPipeline (commands, VK_PIPELINE_BIND_POINT_GRAPHICS, objects->pipeline);
  driver->CmdBindDescriptorSets (commands, VK_PIPELINE_BIND_POINT_GRAPHICS, objects->layout, 0, 1,
                                 &objects->set, 0, NULL);
  driver->CmdPushConstants (commands, objects->layout, VK_SHADER_STAGE_FRAGMENT_BIT, 0,
                            sizeof which, &which);
  driver->CmdDraw (commands, 3, 1, 0, 0);
  driver->CmdEndRenderPass (commands);
  driver->CmdCopyImageToBuffer (commands, objects->single, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL,
                                self->buffer, 1, &region);
}

/* ---- Both ---- */

VkResult
vtr_samples_reader_init (VtrSamplesReader       *self,
                         const VtrSamplesDriver *driver,
                         const VtrSamplesPart   *part,
                         VkImageLayout           layout,
                         VkBuffer                buffer)
{
  const bool color = part->aspect == VK_IMAGE_ASPECT_COLOR_BIT;
  VkDescriptorImageInfo image = { .imageLayout = layout };
  VkResult result;

  *self = (VtrSamplesReader){ .objects.driver = *driver, .part = *part, .buffer = buffer };
  result = vtr_samples_make_view (&self->objects, part, part->aspect);
  if (result < 0)
    return result;
  image.imageView = self->objects.view;
  result = vtr_samples_make_set (
    &self->objects, color ? VK_SHADER_STAGE_FRAGMENT_BIT : VK_SHADER_STAGE_COMPUTE_BIT,
    sizeof (Which), &image, buffer, color ? 0 : (VkDeviceSize)part->width * part->height * 4);
  if (result < 0)
    return result;
  return color ? make_graphics (self) : make_compute (self);
}

void
vtr_samples_reader_record (const VtrSamplesReader *self,
                           VkCommandBuffer         commands,
                           uint32_t                sample,
                           uint32_t                y,
                           uint32_t                n_rows,
                           uint32_t                offset)
{
  if (is_color (self))
    record_graphics (self, commands, sample, y, n_rows, offset);
  else
    record_compute (self, commands, sample, offset);
}

void
vtr_samples_reader_finish (VtrSamplesReader *self)
{
  vtr_samples_destroy (&self->objects);
}
