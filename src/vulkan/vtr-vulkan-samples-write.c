/* Writes single samples of multisampled images. */
#include "vtr-vulkan-samples-private.h"

#include "vtr-vulkan-formats.h"
#include "vtr-write-shaders.h"

/* Push constants of the shaders. */
typedef struct
{
  int32_t y;
  uint32_t bit;
} Where;

static bool
is_color (const VtrSamplesWriter *self)
{
  return self->rows.part.aspect == VK_IMAGE_ASPECT_COLOR_BIT;
}

/* The layout that is drawn in. */
static VkImageLayout
get_attachment_layout (const VtrSamplesWriter *self)
{
  return is_color (self) ? VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL
                         : VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL;
}

/* All that the format has. */
static VkImageAspectFlags
get_aspects (const VtrSamplesWriter *self)
{
  const VtrPixelFormat *format = vtr_vulkan_format_get (self->rows.part.format);
  VkImageAspectFlags aspects = is_color (self) ? VK_IMAGE_ASPECT_COLOR_BIT : 0;

  if (vtr_pixel_format_find_plane (format, VTR_PIXEL_DEPTH) != NULL)
    aspects |= VK_IMAGE_ASPECT_DEPTH_BIT;
  if (vtr_pixel_format_find_plane (format, VTR_PIXEL_STENCIL) != NULL)
    aspects |= VK_IMAGE_ASPECT_STENCIL_BIT;
  return aspects;
}

/* ---- What is drawn with ---- */

static VkResult
make_pass (VtrSamplesWriter *self)
{
  const VtrSamplesPart *part = &self->rows.part;
  const VkAttachmentDescription attachment = {
    .format = part->format,
    .samples = self->rows.samples,
    .loadOp = VK_ATTACHMENT_LOAD_OP_LOAD,
    .storeOp = VK_ATTACHMENT_STORE_OP_STORE,
    .stencilLoadOp = VK_ATTACHMENT_LOAD_OP_LOAD,
    .stencilStoreOp = VK_ATTACHMENT_STORE_OP_STORE,
    .initialLayout = get_attachment_layout (self),
    .finalLayout = get_attachment_layout (self),
  };

  return vtr_samples_make_pass (&self->objects, &attachment, is_color (self), NULL, 0,
                                self->objects.view, part->width, part->height);
}

static VkResult
make_set (VtrSamplesWriter *self)
{
  const VkDescriptorImageInfo image = {
    .imageView = self->objects.single_view,
    .imageLayout = VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL,
  };

  return vtr_samples_make_set (&self->objects, VK_SHADER_STAGE_FRAGMENT_BIT, sizeof (Where), &image,
                               VK_NULL_HANDLE, 0);
}

static VkResult
make_color_shader (VtrSamplesWriter *self)
{
  VtrSamplesObjects *objects = &self->objects;

  switch (vtr_pixel_format_get_class (vtr_vulkan_format_get (self->rows.part.format)))
    {
    case VTR_PIXEL_UINT:
      return vtr_samples_make_shader (objects, write_color_uint, sizeof write_color_uint,
                                      &objects->shader);
    case VTR_PIXEL_SINT:
      return vtr_samples_make_shader (objects, write_color_sint, sizeof write_color_sint,
                                      &objects->shader);
    case VTR_PIXEL_FLOAT:
      break;
    }
  return vtr_samples_make_shader (objects, write_color_float, sizeof write_color_float,
                                  &objects->shader);
}

static VkResult
make_shaders (VtrSamplesWriter *self)
{
  VtrSamplesObjects *objects = &self->objects;
  VkResult result =
    vtr_samples_make_shader (objects, write_everywhere, sizeof write_everywhere, &objects->vertex);

  if (result < 0)
    return result;
  if (self->rows.part.aspect == VK_IMAGE_ASPECT_DEPTH_BIT)
    return vtr_samples_make_shader (objects, write_depth, sizeof write_depth, &objects->shader);
  if (self->rows.part.aspect == VK_IMAGE_ASPECT_STENCIL_BIT)
    return vtr_samples_make_shader (objects, write_stencil, sizeof write_stencil,
                                    &objects->shader);
  return make_color_shader (self);
}

/* @op: what becomes of stencil where a fragment is drawn. @shader: VK_NULL_HANDLE: everywhere. */
static VkResult
make_pipeline (VtrSamplesWriter *self,
               VkShaderModule    shader,
               VkStencilOp       op,
               VkPipeline       *pipeline)
{
  const VtrSamplesRows *rows = &self->rows;
  const VkSampleMask mask[2] = {
    rows->sample < 32 ? 1u << rows->sample : 0,
    rows->sample < 32 ? 0 : 1u << (rows->sample - 32),
  };
  const VkStencilOpState stencil = {
    .failOp = op,
    .passOp = op,
    .depthFailOp = op,
    .compareOp = VK_COMPARE_OP_ALWAYS,
    .reference = 0xff,
  };
  const VtrSamplesTriangle triangle = {
    .fragment = shader,
    .width = rows->part.width,
    .height = rows->part.height,
    .scissor = { { 0, (int32_t)rows->y }, { rows->width, rows->height } },
    .color = is_color (self),
    .multisample = { .sType = VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO,
                     .rasterizationSamples = rows->samples,
                     .pSampleMask = mask },
    .depth = { .sType = VK_STRUCTURE_TYPE_PIPELINE_DEPTH_STENCIL_STATE_CREATE_INFO,
               .depthTestEnable = rows->part.aspect == VK_IMAGE_ASPECT_DEPTH_BIT,
               .depthWriteEnable = rows->part.aspect == VK_IMAGE_ASPECT_DEPTH_BIT,
               .depthCompareOp = VK_COMPARE_OP_ALWAYS,
               .stencilTestEnable = rows->part.aspect == VK_IMAGE_ASPECT_STENCIL_BIT,
               .front = stencil,
               .back = stencil },
    .stencil_mask = true,
  };

  return vtr_samples_make_triangle (&self->objects, &triangle, pipeline);
}

VkResult
vtr_samples_writer_init (VtrSamplesWriter       *self,
                         const VtrSamplesDriver *driver,
                         const VtrSamplesRows   *rows)
{
  VtrSamplesObjects *objects = &self->objects;
  VkResult result;

  *self = (VtrSamplesWriter){ .objects.driver = *driver, .rows = *rows };
  result =
    vtr_samples_make_single (objects, &rows->part, rows->width, rows->height,
                             VK_IMAGE_USAGE_TRANSFER_DST_BIT | VK_IMAGE_USAGE_SAMPLED_BIT);
  if (result >= 0)
    result = vtr_samples_make_view (objects, &rows->part, get_aspects (self));
  if (result >= 0)
    result = make_pass (self);
  if (result >= 0)
    result = make_set (self);
  if (result >= 0)
    result = make_shaders (self);
  if (result >= 0)
    result = make_pipeline (self, objects->shader, VK_STENCIL_OP_REPLACE, &objects->pipeline);
  if (result >= 0 && rows->part.aspect == VK_IMAGE_ASPECT_STENCIL_BIT)
    result = make_pipeline (self, VK_NULL_HANDLE, VK_STENCIL_OP_ZERO, &objects->clear);
  return result;
}

/* ---- Drawing ---- */

static void
put_barrier (const VtrSamplesWriter *self,
             VkCommandBuffer         commands,
             VkImage                 image,
             uint32_t                mip,
             uint32_t                layer,
             VkImageLayout           from,
             VkImageLayout           to)
{
  const VkImageMemoryBarrier barrier = {
    .sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
    .srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT,
    .dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT,
    .oldLayout = from,
    .newLayout = to,
    .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
    .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
    .image = image,
    .subresourceRange = { get_aspects (self), mip, 1, layer, 1 },
  };

  self->objects.driver.CmdPipelineBarrier (commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                                           VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0, NULL, 0, NULL,
                                           1, &barrier);
}

static void
upload (const VtrSamplesWriter *self,
        VkCommandBuffer         commands,
        VkBuffer                buffer)
{
  const VtrSamplesObjects *objects = &self->objects;
  const VkBufferImageCopy region = {
    .imageSubresource = { self->rows.part.aspect, 0, 0, 1 },
    .imageExtent = { self->rows.width, self->rows.height, 1 },
  };

  put_barrier (self, commands, objects->single, 0, 0, VK_IMAGE_LAYOUT_UNDEFINED,
               VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
  objects->driver.CmdCopyBufferToImage (commands, buffer, objects->single,
                                        VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1, &region);
  put_barrier (self, commands, objects->single, 0, 0, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
               VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL);
}

static void
draw_once (const VtrSamplesWriter *self,
           VkCommandBuffer         commands,
           VkPipeline              pipeline,
           uint32_t                bits)
{
  const VtrSamplesDriver *driver = &self->objects.driver;
  const Where where = { (int32_t)self->rows.y, bits };

  driver->CmdBindPipeline (commands, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
  driver->CmdSetStencilWriteMask (commands, VK_STENCIL_FACE_FRONT_AND_BACK, bits);
  driver->CmdPushConstants (commands, self->objects.layout, VK_SHADER_STAGE_FRAGMENT_BIT, 0,
                            sizeof where, &where);
  driver->CmdDraw (commands, 3, 1, 0, 0);
}

static void
draw (const VtrSamplesWriter *self,
      VkCommandBuffer         commands)
{
  const VtrSamplesObjects *objects = &self->objects;
  const VtrSamplesRows *rows = &self->rows;
  const VkRenderPassBeginInfo begin = {
    .sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
    .renderPass = objects->pass,
    .framebuffer = objects->framebuffer,
    .renderArea = { { 0, (int32_t)rows->y }, { rows->width, rows->height } },
  };

  objects->driver.CmdBeginRenderPass (commands, &begin, VK_SUBPASS_CONTENTS_INLINE);
  objects->driver.CmdBindDescriptorSets (commands, VK_PIPELINE_BIND_POINT_GRAPHICS, objects->layout,
                                         0, 1, &objects->set, 0, NULL);
  if (objects->clear == VK_NULL_HANDLE)
    draw_once (self, commands, objects->pipeline, 0);
  else
    {
      draw_once (self, commands, objects->clear, 0xff);
      for (uint32_t bit = 1; bit < 0x100; bit <<= 1)
        draw_once (self, commands, objects->pipeline, bit);
    }
  objects->driver.CmdEndRenderPass (commands);
}

void
vtr_samples_writer_record (const VtrSamplesWriter *self,
                           VkCommandBuffer         commands,
                           VkBuffer                buffer)
{
  const VtrSamplesPart *part = &self->rows.part;
  VkImageLayout attachment = get_attachment_layout (self);

  upload (self, commands, buffer);
  put_barrier (self, commands, part->image, part->mip, part->layer, self->rows.layout, attachment);
  draw (self, commands);
  put_barrier (self, commands, part->image, part->mip, part->layer, attachment, self->rows.layout);
}

void
vtr_samples_writer_finish (VtrSamplesWriter *self)
{
  vtr_samples_destroy (&self->objects);
}
