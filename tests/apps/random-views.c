/* vtr-app-random: records passes to several layers at once, with several samples that are
 * resolved, colour and depth. Each draws to images of its own, which keep what was drawn. */
#include "vtr-app-random.h"

#include "random_vert_core_view.h"
#include "random_vert_view.h"

#include <string.h>

#define EDGE 16u
#define COLOR 0u
#define DEPTH 1u
#define RESOLVED 2u
#define RESOLVED_DEPTH 3u

typedef VtrRandomView View;

/* --- Images ---------------------------------------------------------------------------------- */

static void
make_image (VtrRandom             *self,
            View                  *view,
            uint32_t               nth,
            VkFormat               format,
            VkSampleCountFlagBits  samples)
{
  VtrRandomViewImage *image = &view->images[nth];
  const bool depth = nth == DEPTH || nth == RESOLVED_DEPTH;
  const VkImageAspectFlags aspects =
    depth ? vtr_app_aspects (format) : (VkImageAspectFlags)VK_IMAGE_ASPECT_COLOR_BIT;
  const VkImageCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
    .imageType = VK_IMAGE_TYPE_2D,
    .format = format,
    .extent = { EDGE, EDGE, 1 },
    .mipLevels = 1,
    .arrayLayers = view->n_layers,
    .samples = samples,
    .usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT |
             (depth ? VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT
                    : VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT),
  };
  VkImageViewCreateInfo view_info = {
    .sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
    .viewType = VK_IMAGE_VIEW_TYPE_2D_ARRAY,
    .format = format,
    .subresourceRange = { aspects, 0, 1, 0, view->n_layers },
  };
  VkMemoryRequirements needs;
  VkDeviceSize offset;

  vtr_app_check (vkCreateImage (self->gpu.device, &info, NULL, &image->image), "vkCreateImage");
  vkGetImageMemoryRequirements (self->gpu.device, image->image, &needs);
  image->heap = vtr_random_place (self, &needs, NULL, false, &offset);
  vtr_app_check (vkBindImageMemory (self->gpu.device, image->image, image->heap->memory, offset),
                 "vkBindImageMemory");
  view_info.image = image->image;
  vtr_app_check (vkCreateImageView (self->gpu.device, &view_info, NULL, &image->view),
                 "vkCreateImageView");
  image->format = format;
  image->aspects = aspects;
}

/* All of it is something from the start. */
static void
clear_image (VtrRandom                *self,
             const View               *view,
             const VtrRandomViewImage *image)
{
  const VkImageSubresourceRange range = { image->aspects, 0, 1, 0, view->n_layers };
  const VkImageMemoryBarrier barrier = {
    .sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
    .dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT,
    .newLayout = VK_IMAGE_LAYOUT_GENERAL,
    .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
    .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
    .image = image->image,
    .subresourceRange = range,
  };
  const VkClearColorValue color = { .float32 = { 0.25f, 0.5f, 0.75f, 1 } };
  const VkClearDepthStencilValue depth = { 0.5f, 7 };

  vkCmdPipelineBarrier (self->commands, VTR_RANDOM_ALL, VTR_RANDOM_ALL, 0, 0, NULL, 0, NULL, 1,
                        &barrier);
  if (image->aspects == VK_IMAGE_ASPECT_COLOR_BIT)
    vkCmdClearColorImage (self->commands, image->image, VK_IMAGE_LAYOUT_GENERAL, &color, 1, &range);
  else
    vkCmdClearDepthStencilImage (self->commands, image->image, VK_IMAGE_LAYOUT_GENERAL, &depth, 1,
                                 &range);
}

/* --- Passes ---------------------------------------------------------------------------------- */

static VkAttachmentReference2
refer_to (const View *view,
          uint32_t    nth)
{
  return (VkAttachmentReference2){
    .sType = VK_STRUCTURE_TYPE_ATTACHMENT_REFERENCE_2,
    .attachment = view->places[nth],
    .layout = VK_IMAGE_LAYOUT_GENERAL,
    .aspectMask = view->images[nth].aspects,
  };
}

static void
make_pass (VtrRandom *self,
           View      *view)
{
  VkAttachmentDescription2 attachments[VTR_RANDOM_VIEW_IMAGES];
  VkImageView views[VTR_RANDOM_VIEW_IMAGES];
  uint32_t n = 0;
  VkAttachmentReference2 color, depth, resolved, resolved_depth;
  VkSubpassDescriptionDepthStencilResolve resolve = {
    .sType = VK_STRUCTURE_TYPE_SUBPASS_DESCRIPTION_DEPTH_STENCIL_RESOLVE,
    .depthResolveMode = VK_RESOLVE_MODE_SAMPLE_ZERO_BIT,
    .stencilResolveMode = VK_RESOLVE_MODE_SAMPLE_ZERO_BIT,
    .pDepthStencilResolveAttachment = &resolved_depth,
  };
  VkSubpassDescription2 subpass = {
    .sType = VK_STRUCTURE_TYPE_SUBPASS_DESCRIPTION_2,
    .viewMask = view->mask,
    .colorAttachmentCount = 1,
    .pColorAttachments = &color,
    .pDepthStencilAttachment = &depth,
  };
  const VkRenderPassCreateInfo2 info = {
    .sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO_2,
    .attachmentCount = view->n_images,
    .pAttachments = attachments,
    .subpassCount = 1,
    .pSubpasses = &subpass,
  };
  VkFramebufferCreateInfo framebuffer = {
    .sType = VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO,
    .attachmentCount = view->n_images,
    .pAttachments = views,
    .width = EDGE,
    .height = EDGE,
    .layers = 1,
  };

  for (uint32_t i = 0; i < VTR_RANDOM_VIEW_IMAGES; i++)
    {
      const VtrRandomViewImage *image = &view->images[i];

      if (image->image == VK_NULL_HANDLE)
        continue;
      view->places[i] = n;
      views[n] = image->view;
      attachments[n++] = (VkAttachmentDescription2){
        .sType = VK_STRUCTURE_TYPE_ATTACHMENT_DESCRIPTION_2,
        .format = image->format,
        .samples = i < RESOLVED ? view->samples : VK_SAMPLE_COUNT_1_BIT,
        .loadOp = i < RESOLVED ? view->load : VK_ATTACHMENT_LOAD_OP_DONT_CARE,
        .stencilLoadOp = i < RESOLVED ? view->load : VK_ATTACHMENT_LOAD_OP_DONT_CARE,
        .initialLayout = VK_IMAGE_LAYOUT_GENERAL,
        .finalLayout = VK_IMAGE_LAYOUT_GENERAL,
      };
    }
  color = refer_to (view, COLOR);
  depth = refer_to (view, DEPTH);
  if (view->images[RESOLVED].image != VK_NULL_HANDLE)
    {
      resolved = refer_to (view, RESOLVED);
      subpass.pResolveAttachments = &resolved;
    }
  if (view->images[RESOLVED_DEPTH].image != VK_NULL_HANDLE)
    {
      resolved_depth = refer_to (view, RESOLVED_DEPTH);
      subpass.pNext = &resolve;
    }
  vtr_app_check (vkCreateRenderPass2 (self->gpu.device, &info, NULL, &view->pass),
                 "vkCreateRenderPass2");
  framebuffer.renderPass = view->pass;
  vtr_app_check (vkCreateFramebuffer (self->gpu.device, &framebuffer, NULL, &view->framebuffer),
                 "vkCreateFramebuffer");
}

static void
make_pipeline (VtrRandom *self,
               View      *view)
{
  const VkFormat format = view->images[COLOR].format;
  const VkFormat depth_format = view->images[DEPTH].format;
  const VkImageAspectFlags aspects = view->images[DEPTH].aspects;
  const VkPipelineRenderingCreateInfo rendering = {
    .sType = VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO,
    .viewMask = view->mask,
    .colorAttachmentCount = 1,
    .pColorAttachmentFormats = &format,
    .depthAttachmentFormat = depth_format,
    .stencilAttachmentFormat =
      (aspects & VK_IMAGE_ASPECT_STENCIL_BIT) != 0 ? depth_format : VK_FORMAT_UNDEFINED,
  };
  const VkPipelineShaderStageCreateInfo stages[] = {
    { .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
      .stage = VK_SHADER_STAGE_VERTEX_BIT,
      .module = self->core
                  ? vtr_app_shader (&self->gpu, random_vert_core_view, sizeof random_vert_core_view)
                  : vtr_app_shader (&self->gpu, random_vert_view, sizeof random_vert_view),
      .pName = "main" },
    { .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
      .stage = VK_SHADER_STAGE_FRAGMENT_BIT,
      .module = self->fragments[0],
      .pName = "main" },
  };
  const VkStencilOpState stencil = {
    .passOp = VK_STENCIL_OP_INCREMENT_AND_WRAP,
    .depthFailOp = VK_STENCIL_OP_INVERT,
    .compareOp = VK_COMPARE_OP_ALWAYS,
    .compareMask = 255,
    .writeMask = vtr_random_between (self, 1, 255),
  };
  const VkPipelineDepthStencilStateCreateInfo depth = {
    .sType = VK_STRUCTURE_TYPE_PIPELINE_DEPTH_STENCIL_STATE_CREATE_INFO,
    .depthTestEnable = VK_TRUE,
    .depthWriteEnable = VK_TRUE,
    .depthCompareOp = vtr_random_chance (self, 50) ? VK_COMPARE_OP_ALWAYS : VK_COMPARE_OP_LESS,
    .stencilTestEnable = (aspects & VK_IMAGE_ASPECT_STENCIL_BIT) != 0,
    .front = stencil,
    .back = stencil,
  };
  const VkPipelineColorBlendAttachmentState attachment = {
    .blendEnable = vtr_random_chance (self, 40),
    .srcColorBlendFactor = VK_BLEND_FACTOR_SRC_ALPHA,
    .dstColorBlendFactor = VK_BLEND_FACTOR_ONE_MINUS_SRC_ALPHA,
    .srcAlphaBlendFactor = VK_BLEND_FACTOR_ONE,
    .dstAlphaBlendFactor = VK_BLEND_FACTOR_ONE,
    .colorWriteMask = 15,
  };
  const VkPipelineColorBlendStateCreateInfo blend = {
    .sType = VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO,
    .attachmentCount = 1,
    .pAttachments = &attachment,
  };
  VtrAppTriangles triangles;

  vtr_app_triangles (&triangles, EDGE, view->samples);
  triangles.info.pNext = view->pass == VK_NULL_HANDLE ? &rendering : NULL;
  triangles.info.pStages = stages;
  triangles.info.pDepthStencilState = &depth;
  triangles.info.pColorBlendState = &blend;
  triangles.info.layout = self->plain;
  triangles.info.renderPass = view->pass;
  vtr_app_check (vkCreateGraphicsPipelines (self->gpu.device, VK_NULL_HANDLE, 1, &triangles.info,
                                            NULL, &view->pipeline),
                 "vkCreateGraphicsPipelines");
  vkDestroyShaderModule (self->gpu.device, stages[0].module, NULL);
}

/* --- Operations ------------------------------------------------------------------------------ */

static void
make_view (VtrRandom *self)
{
  static const VkFormat depths[] = { VK_FORMAT_D32_SFLOAT, VK_FORMAT_D16_UNORM,
                                     VK_FORMAT_D32_SFLOAT_S8_UINT };
  View *view = NULL;
  VkFormat depth;

  for (uint32_t i = 0; i < VTR_RANDOM_VIEWS && view == NULL; i++)
    if (self->views[i].pipeline == VK_NULL_HANDLE)
      view = &self->views[i];
  if (view == NULL)
    return;
  memset (view, 0, sizeof *view);
  view->n_layers = vtr_random_between (self, 2, 3);
  view->mask = vtr_random_may (self, 70, "multiview")
                 ? vtr_random_between (self, 1, (1u << view->n_layers) - 1)
                 : 0;
  view->samples =
    vtr_random_may (self, 60, "samples") ? VK_SAMPLE_COUNT_4_BIT : VK_SAMPLE_COUNT_1_BIT;
  view->load = vtr_random_chance (self, 60) ? VK_ATTACHMENT_LOAD_OP_LOAD
                                            : VK_ATTACHMENT_LOAD_OP_CLEAR;
  depth = VTR_RANDOM_PICK (self, depths);
  make_image (self, view, COLOR, VK_FORMAT_R8G8B8A8_UNORM, view->samples);
  make_image (self, view, DEPTH, depth, view->samples);
  if (view->samples != VK_SAMPLE_COUNT_1_BIT)
    make_image (self, view, RESOLVED, VK_FORMAT_R8G8B8A8_UNORM, VK_SAMPLE_COUNT_1_BIT);
  if (view->samples != VK_SAMPLE_COUNT_1_BIT && vtr_random_chance (self, 60))
    make_image (self, view, RESOLVED_DEPTH, depth, VK_SAMPLE_COUNT_1_BIT);
  vtr_random_barrier (self);
  for (uint32_t i = 0; i < VTR_RANDOM_VIEW_IMAGES; i++)
    if (view->images[i].image != VK_NULL_HANDLE)
      {
        clear_image (self, view, &view->images[i]);
        view->n_images++;
      }
  vtr_random_barrier (self);
  view->last_use = self->frame;
  if (vtr_random_chance (self, 50))
    make_pass (self, view);
  make_pipeline (self, view);
}

static void
begin_rendering (VtrRandom  *self,
                 const View *view)
{
  const VkImageAspectFlags aspects = view->images[DEPTH].aspects;
  VkRenderingAttachmentInfo color = {
    .sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO,
    .imageView = view->images[COLOR].view,
    .imageLayout = VK_IMAGE_LAYOUT_GENERAL,
    .loadOp = view->load,
  };
  VkRenderingAttachmentInfo depth = color;
  VkRenderingInfo info = {
    .sType = VK_STRUCTURE_TYPE_RENDERING_INFO,
    .renderArea.extent = { EDGE, EDGE },
    .layerCount = 1,
    .viewMask = view->mask,
    .colorAttachmentCount = 1,
    .pColorAttachments = &color,
    .pDepthAttachment = &depth,
  };

  if (view->images[RESOLVED].image != VK_NULL_HANDLE)
    {
      color.resolveMode = VK_RESOLVE_MODE_AVERAGE_BIT;
      color.resolveImageView = view->images[RESOLVED].view;
      color.resolveImageLayout = VK_IMAGE_LAYOUT_GENERAL;
    }
  depth.imageView = view->images[DEPTH].view;
  if (view->images[RESOLVED_DEPTH].image != VK_NULL_HANDLE)
    {
      depth.resolveMode = VK_RESOLVE_MODE_SAMPLE_ZERO_BIT;
      depth.resolveImageView = view->images[RESOLVED_DEPTH].view;
      depth.resolveImageLayout = VK_IMAGE_LAYOUT_GENERAL;
    }
  if ((aspects & VK_IMAGE_ASPECT_STENCIL_BIT) != 0)
    info.pStencilAttachment = &depth;
  vkCmdBeginRendering (self->commands, &info);
}

static void
draw_some (VtrRandom  *self,
           const View *view)
{
  const uint32_t n = vtr_random_between (self, 1, 4);
  VkRect2D scissor = { { 0, 0 }, { EDGE, EDGE } };

  vkCmdBindPipeline (self->commands, VK_PIPELINE_BIND_POINT_GRAPHICS, view->pipeline);
  for (uint32_t i = 0; i < n; i++)
    {
      const VtrRandomPush push = vtr_random_push (self);

      scissor.extent.width = vtr_random_between (self, 4, EDGE);
      vkCmdSetScissor (self->commands, 0, 1, &scissor);
      vkCmdPushConstants (self->commands, self->plain,
                          VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT |
                            VK_SHADER_STAGE_COMPUTE_BIT,
                          0, sizeof push, &push);
      vkCmdDraw (self->commands, 3 * vtr_random_between (self, 1, 4), 1, 0, 0);
    }
}

/* What a pass without views draws to is the first layer. */
static void
show (VtrRandom  *self,
      const View *view,
      uint32_t    nth)
{
  const VtrRandomViewImage *image = &view->images[nth];
  VkImageAspectFlags aspect = image->aspects;
  VtrRandomBuffer *buffer;

  if (image->image == VK_NULL_HANDLE || (nth < RESOLVED && view->samples != VK_SAMPLE_COUNT_1_BIT))
    return;
  if (aspect == (VK_IMAGE_ASPECT_DEPTH_BIT | VK_IMAGE_ASPECT_STENCIL_BIT))
    aspect = vtr_random_chance (self, 50) ? VK_IMAGE_ASPECT_DEPTH_BIT : VK_IMAGE_ASPECT_STENCIL_BIT;
  buffer = vtr_random_buffer (self, VK_BUFFER_USAGE_TRANSFER_DST_BIT, EDGE * EDGE * 4 * 3, NULL);
  if (buffer == NULL)
    return;
  vtr_random_use_buffer (self, buffer);
  vkCmdCopyImageToBuffer (self->commands, image->image, VK_IMAGE_LAYOUT_GENERAL, buffer->buffer, 1,
                          &(VkBufferImageCopy){
                            .imageSubresource = { aspect, 0, 0, view->n_layers },
                            .imageExtent = { EDGE, EDGE, 1 } });
  vtr_random_barrier (self);
}

static void
draw_view (VtrRandom *self)
{
  View *view = &VTR_RANDOM_PICK (self, self->views);
  VkClearValue clears[VTR_RANDOM_VIEW_IMAGES] = { { { { 0.5f, 0, 0.25f, 1 } } } };
  const VkRenderPassBeginInfo begin = {
    .sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
    .renderPass = view->pass,
    .framebuffer = view->framebuffer,
    .renderArea.extent = { EDGE, EDGE },
    .clearValueCount = view->n_images,
    .pClearValues = clears,
  };

  if (view->pipeline == VK_NULL_HANDLE)
    return;
  clears[DEPTH].depthStencil = (VkClearDepthStencilValue){ 0.75f, 3 };
  vtr_random_barrier (self);
  view->last_use = self->frame;
  if (view->pass != VK_NULL_HANDLE)
    vkCmdBeginRenderPass (self->commands, &begin, VK_SUBPASS_CONTENTS_INLINE);
  else
    begin_rendering (self, view);
  draw_some (self, view);
  if (view->pass != VK_NULL_HANDLE)
    vkCmdEndRenderPass (self->commands);
  else
    vkCmdEndRendering (self->commands);
  vtr_random_barrier (self);
  for (uint32_t i = 0; i < VTR_RANDOM_VIEW_IMAGES; i++)
    if (vtr_random_chance (self, 50))
      show (self, view, i);
}

static void
finish_view (VtrRandom *self,
             View      *view)
{
  vkDestroyPipeline (self->gpu.device, view->pipeline, NULL);
  view->pipeline = VK_NULL_HANDLE;
  vkDestroyFramebuffer (self->gpu.device, view->framebuffer, NULL);
  vkDestroyRenderPass (self->gpu.device, view->pass, NULL);
  for (uint32_t i = 0; i < VTR_RANDOM_VIEW_IMAGES; i++)
    if (view->images[i].image != VK_NULL_HANDLE)
      {
        vkDestroyImageView (self->gpu.device, view->images[i].view, NULL);
        vkDestroyImage (self->gpu.device, view->images[i].image, NULL);
        vtr_random_release_heap (self, view->images[i].heap);
      }
}

static void
drop_view (VtrRandom *self)
{
  View *view = &VTR_RANDOM_PICK (self, self->views);

  if (view->pipeline != VK_NULL_HANDLE && vtr_random_is_idle (self, view->last_use))
    finish_view (self, view);
}

void
vtr_random_views_finish (VtrRandom *self)
{
  for (uint32_t i = 0; i < VTR_RANDOM_VIEWS; i++)
    if (self->views[i].pipeline != VK_NULL_HANDLE)
      finish_view (self, &self->views[i]);
}

const VtrRandomOperation vtr_random_view_operations[] = {
  { "make-view", "views", 6, make_view },
  { "draw-view", "views", 14, draw_view },
  { "drop-view", "views", 1, drop_view },
  { 0 },
};
