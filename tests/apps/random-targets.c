/* vtr-app-random: draws to images, by passes or dynamic rendering. */
#include "vtr-app-random.h"

#include <string.h>

#define DEPTH VTR_RANDOM_COLORS

static bool
is_whole (const VtrRandomTarget *target)
{
  for (uint32_t i = 0; i <= DEPTH; i++)
    if (target->images[i] != NULL && (target->images[i]->id != target->ids[i] ||
                                      target->images[i]->place->owner != target->ids[i]))
      return false;
  return true;
}

static void
destroy_target (VtrRandom       *self,
                VtrRandomTarget *target)
{
  const VkDevice device = self->gpu.device;

  for (uint32_t i = 0; i < VTR_RANDOM_PIPELINES; i++)
    {
      vkDestroyPipeline (device, target->pipelines[i].pipeline, NULL);
      vkDestroyPipeline (device, target->pipelines[i].libraries[0], NULL);
      vkDestroyPipeline (device, target->pipelines[i].libraries[1], NULL);
    }
  vkDestroyFramebuffer (device, target->framebuffer, NULL);
  vkDestroyRenderPass (device, target->pass, NULL);
  for (uint32_t i = 0; i <= DEPTH; i++)
    vkDestroyImageView (device, target->views[i], NULL);
  vkDestroyDescriptorPool (device, target->input_pool, NULL);
  vkDestroyDescriptorSetLayout (device, target->input_set, NULL);
  vkDestroyPipelineLayout (device, target->input_layout, NULL);
  memset (target, 0, sizeof *target);
}

/* --- What is drawn to ------------------------------------------------------------------------ */

static bool
suits (const VtrRandomTarget *target,
       const VtrRandomImage  *image)
{
  if (image->info.imageType != VK_IMAGE_TYPE_2D || image->info.tiling != VK_IMAGE_TILING_OPTIMAL)
    return false;
  for (uint32_t i = 0; i <= DEPTH; i++)
    if (target->images[i] != NULL && target->images[i]->place == image->place)
      return false;
  return target->samples == 0 || target->samples == image->info.samples;
}

static void
add_image (VtrRandom       *self,
           VtrRandomTarget *target,
           uint32_t         place,
           VtrRandomImage  *image)
{
  VkExtent3D extent;

  target->images[place] = image;
  target->ids[place] = image->id;
  target->mips[place] = vtr_random_below (self, image->info.mipLevels);
  target->layers[place] = vtr_random_below (self, image->info.arrayLayers);
  target->formats[place] = image->info.format;
  if (place != DEPTH && image->other != VK_FORMAT_UNDEFINED && vtr_random_chance (self, 30))
    {
      VkFormatProperties offered;

      vkGetPhysicalDeviceFormatProperties (self->gpu.physical, image->other, &offered);
      if ((offered.optimalTilingFeatures & VK_FORMAT_FEATURE_COLOR_ATTACHMENT_BIT) != 0)
        target->formats[place] = image->other;
    }
  target->samples = image->info.samples;
  extent = vtr_random_extent (image, target->mips[place]);
  if (target->extent.width == 0 || target->extent.width > extent.width)
    target->extent.width = extent.width;
  if (target->extent.height == 0 || target->extent.height > extent.height)
    target->extent.height = extent.height;
  target->loads[place] =
    vtr_random_chance (self, 60) ? VK_ATTACHMENT_LOAD_OP_LOAD : VK_ATTACHMENT_LOAD_OP_CLEAR;
  target->layouts[place] = VK_IMAGE_LAYOUT_GENERAL;
  if (!target->inputs && vtr_random_chance (self, 60))
    target->layouts[place] = place == DEPTH ? VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL
                                            : VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL;
  target->finals[place] = target->layouts[place];
  if (vtr_random_chance (self, 50))
    target->finals[place] = vtr_random_chance (self, 50) ? VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL
                                                         : VK_IMAGE_LAYOUT_GENERAL;
}

static bool
choose_images (VtrRandom       *self,
               VtrRandomTarget *target)
{
  uint32_t wanted = vtr_random_between (self, 1, VTR_RANDOM_COLORS);

  for (uint32_t i = 0; i < 24 && target->n_colors < wanted; i++)
    {
      VtrRandomImage *image = vtr_random_image (self, VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT, NULL);

      if (image == NULL || !suits (target, image) ||
          (target->n_colors > 0 && image->class != target->class))
        continue;
      if (target->n_colors == 0)
        {
          target->class = image->class;
          target->inputs = (image->info.usage & VK_IMAGE_USAGE_INPUT_ATTACHMENT_BIT) != 0 &&
                           image->info.samples == VK_SAMPLE_COUNT_1_BIT &&
                           vtr_random_may (self, 70, "inputs");
        }
      add_image (self, target, target->n_colors++, image);
    }
  for (uint32_t i = 0; i < 8 && target->images[DEPTH] == NULL; i++)
    {
      VtrRandomImage *image =
        vtr_random_image (self, VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT, NULL);

      if (image != NULL && suits (target, image))
        add_image (self, target, DEPTH, image);
    }
  if (target->n_colors == 0 || (target->class != VTR_RANDOM_FLOAT && target->n_colors == 0))
    return false;
  return true;
}

/* --- Passes ---------------------------------------------------------------------------------- */

static void
make_pass (VtrRandom       *self,
           VtrRandomTarget *target)
{
  VkAttachmentDescription2 attachments[DEPTH + 1];
  VkAttachmentReference2 colors[DEPTH], depth, input;
  VkAttachmentReference2 others[DEPTH] = { {
    .sType = VK_STRUCTURE_TYPE_ATTACHMENT_REFERENCE_2,
    .attachment = VK_ATTACHMENT_UNUSED,
  } };
  VkSubpassDescription2 subpasses[2] = { 0 };
  const VkSubpassDependency2 dependencies[] = {
    { .sType = VK_STRUCTURE_TYPE_SUBPASS_DEPENDENCY_2,
      .srcSubpass = 0,
      .dstSubpass = 1,
      .srcStageMask = VK_PIPELINE_STAGE_ALL_GRAPHICS_BIT,
      .dstStageMask = VK_PIPELINE_STAGE_ALL_GRAPHICS_BIT,
      .srcAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT,
      .dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT },
  };
  VkRenderPassCreateInfo2 info = {
    .sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO_2,
    .pAttachments = attachments,
    .pSubpasses = subpasses,
    .pDependencies = dependencies,
  };
  uint32_t n = 0;

  for (uint32_t i = 0; i <= DEPTH; i++)
    {
      VkAttachmentReference2 reference = {
        .sType = VK_STRUCTURE_TYPE_ATTACHMENT_REFERENCE_2,
        .attachment = n,
        .layout = target->layouts[i],
      };

      if (target->images[i] == NULL)
        continue;
      attachments[n++] = (VkAttachmentDescription2){
        .sType = VK_STRUCTURE_TYPE_ATTACHMENT_DESCRIPTION_2,
        .format = target->formats[i],
        .samples = target->samples,
        .loadOp = target->loads[i],
        .storeOp = VK_ATTACHMENT_STORE_OP_STORE,
        .stencilLoadOp = target->loads[i],
        .stencilStoreOp = VK_ATTACHMENT_STORE_OP_STORE,
        .initialLayout = target->layouts[i],
        .finalLayout = target->finals[i],
      };
      if (i == DEPTH)
        depth = reference;
      else
        colors[i] = reference;
    }
  input = colors[0];
  input.aspectMask = VK_IMAGE_ASPECT_COLOR_BIT;
  for (uint32_t i = 0; i < target->n_subpasses; i++)
    {
      const bool reads = target->inputs && i == 1;

      subpasses[i] = (VkSubpassDescription2){
        .sType = VK_STRUCTURE_TYPE_SUBPASS_DESCRIPTION_2,
        .pipelineBindPoint = VK_PIPELINE_BIND_POINT_GRAPHICS,
        .inputAttachmentCount = reads ? 1 : 0,
        .pInputAttachments = reads ? &input : NULL,
        .colorAttachmentCount = target->n_colors,
        .pColorAttachments = colors,
        .pDepthStencilAttachment = target->images[DEPTH] != NULL ? &depth : NULL,
      };
    }
  /* Images that are read are not drawn to. */
  if (target->inputs)
    {
      for (uint32_t i = 1; i < target->n_colors; i++)
        others[i] = colors[i];
      subpasses[1].pColorAttachments = others;
    }
  info.attachmentCount = n;
  info.subpassCount = target->n_subpasses;
  info.dependencyCount = target->n_subpasses - 1;
  vtr_app_check (vkCreateRenderPass2 (self->gpu.device, &info, NULL, &target->pass),
                 "vkCreateRenderPass2");
}

static void
make_framebuffer (VtrRandom       *self,
                  VtrRandomTarget *target)
{
  VkFramebufferAttachmentImageInfo images[DEPTH + 1];
  VkFormat formats[DEPTH + 1][2];
  VkImageView views[DEPTH + 1];
  VkFramebufferAttachmentsCreateInfo attachments = {
    .sType = VK_STRUCTURE_TYPE_FRAMEBUFFER_ATTACHMENTS_CREATE_INFO,
    .pAttachmentImageInfos = images,
  };
  VkFramebufferCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO,
    .renderPass = target->pass,
    .pAttachments = views,
    .width = target->extent.width,
    .height = target->extent.height,
    .layers = 1,
  };

  for (uint32_t i = 0; i <= DEPTH; i++)
    if (target->images[i] != NULL)
      {
        const VtrRandomImage *image = target->images[i];
        const VkExtent3D extent = vtr_random_extent (image, target->mips[i]);

        formats[info.attachmentCount][0] = target->formats[i];
        images[info.attachmentCount] = (VkFramebufferAttachmentImageInfo){
          .sType = VK_STRUCTURE_TYPE_FRAMEBUFFER_ATTACHMENT_IMAGE_INFO,
          .flags = image->info.flags,
          .usage = image->info.usage,
          .width = extent.width,
          .height = extent.height,
          .layerCount = 1,
          .viewFormatCount = 1,
          .pViewFormats = formats[info.attachmentCount],
        };
        views[info.attachmentCount++] = target->views[i];
      }
  attachments.attachmentImageInfoCount = info.attachmentCount;
  /* A list of formats has to be that of the image, which has none. */
  for (uint32_t i = 0; i < info.attachmentCount; i++)
    target->imageless &= (images[i].flags & VK_IMAGE_CREATE_MUTABLE_FORMAT_BIT) == 0;
  if (target->imageless)
    {
      info.flags = VK_FRAMEBUFFER_CREATE_IMAGELESS_BIT;
      info.pNext = &attachments;
    }
  vtr_app_check (vkCreateFramebuffer (self->gpu.device, &info, NULL, &target->framebuffer),
                 "vkCreateFramebuffer");
}

static void
make_input (VtrRandom       *self,
            VtrRandomTarget *target)
{
  const VkDescriptorSetLayoutBinding binding = { 0, VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT, 1,
                                                 VK_SHADER_STAGE_FRAGMENT_BIT, NULL };
  const VkDescriptorSetLayoutCreateInfo set = {
    .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
    .bindingCount = 1,
    .pBindings = &binding,
  };
  const VkPushConstantRange range = {
    VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT | VK_SHADER_STAGE_COMPUTE_BIT, 0,
    sizeof (VtrRandomPush)
  };
  const VkPipelineLayoutCreateInfo layout = {
    .sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
    .setLayoutCount = 1,
    .pSetLayouts = &target->input_set,
    .pushConstantRangeCount = 1,
    .pPushConstantRanges = &range,
  };
  const VkDescriptorPoolSize size = { VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT, 1 };
  const VkDescriptorImageInfo image = { VK_NULL_HANDLE, target->views[0],
                                        VK_IMAGE_LAYOUT_GENERAL };
  VkWriteDescriptorSet write = {
    .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
    .descriptorCount = 1,
    .descriptorType = VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT,
    .pImageInfo = &image,
  };
  const VkDevice device = self->gpu.device;

  vtr_app_check (vkCreateDescriptorSetLayout (device, &set, NULL, &target->input_set),
                 "vkCreateDescriptorSetLayout");
  vtr_app_check (vkCreatePipelineLayout (device, &layout, NULL, &target->input_layout),
                 "vkCreatePipelineLayout");
  target->input = vtr_app_set (&self->gpu, target->input_set, 1, &size, &target->input_pool);
  write.dstSet = target->input;
  vkUpdateDescriptorSets (device, 1, &write, 0, NULL);
}

static bool
make_target (VtrRandom       *self,
             VtrRandomTarget *target)
{
  memset (target, 0, sizeof *target);
  if (!choose_images (self, target))
    return false;
  target->used = true;
  for (uint32_t i = 0; i <= DEPTH; i++)
    if (target->images[i] != NULL)
      target->views[i] =
        vtr_random_view (self, target->images[i], target->formats[i], target->images[i]->aspects,
                         target->mips[i], target->layers[i]);
  target->n_subpasses = 1;
  if (!target->inputs && vtr_random_may (self, 40, "rendering"))
    {
      for (uint32_t i = 0; i <= DEPTH; i++)
        target->finals[i] = target->layouts[i];
      return true;
    }
  target->n_subpasses = target->inputs || vtr_random_chance (self, 30) ? 2 : 1;
  target->imageless = vtr_random_may (self, 40, "imageless");
  make_pass (self, target);
  make_framebuffer (self, target);
  if (target->inputs)
    make_input (self, target);
  return true;
}

VtrRandomTarget *
vtr_random_target (VtrRandom *self)
{
  const uint32_t n = sizeof self->targets / sizeof self->targets[0];
  const uint32_t first = vtr_random_below (self, n);

  if (vtr_random_chance (self, 60))
    for (uint32_t i = 0; i < n; i++)
      {
        VtrRandomTarget *target = &self->targets[(first + i) % n];

        if (target->used && is_whole (target))
          return target;
      }
  for (uint32_t i = 0; i < n; i++)
    {
      VtrRandomTarget *target = &self->targets[(first + i) % n];

      if (target->used && (target->n_pins > 0 || !vtr_random_is_idle (self, target->last_use)))
        continue;
      if (target->used)
        destroy_target (self, target);
      return make_target (self, target) ? target : NULL;
    }
  return NULL;
}

/* --- Beginning and ending -------------------------------------------------------------------- */

static void
choose_clears (VtrRandom             *self,
               const VtrRandomTarget *target,
               VkClearValue           clears[DEPTH + 1])
{
  uint32_t n = 0;

  for (uint32_t i = 0; i <= DEPTH; i++)
    if (target->images[i] != NULL)
      {
        VkClearValue *value = &clears[n++];

        memset (value, 0, sizeof *value);
        if (i == DEPTH)
          value->depthStencil = (VkClearDepthStencilValue){ vtr_random_float (self),
                                                            vtr_random_below (self, 256) };
        else
          for (uint32_t j = 0; j < 4; j++)
            if (target->class == VTR_RANDOM_FLOAT)
              value->color.float32[j] = vtr_random_float (self);
            else
              value->color.uint32[j] = vtr_random_below (self, 128);
      }
}

static VkRect2D
choose_area (VtrRandom       *self,
             VtrRandomTarget *target)
{
  VkRect2D area = { { 0, 0 }, target->extent };

  target->whole = !vtr_random_chance (self, 30);
  if (!target->whole)
    {
      area.offset.x = (int32_t)vtr_random_below (self, target->extent.width);
      area.offset.y = (int32_t)vtr_random_below (self, target->extent.height);
      area.extent.width -= (uint32_t)area.offset.x;
      area.extent.height -= (uint32_t)area.offset.y;
    }
  return area;
}

static void
begin_rendering (VtrRandom          *self,
                 VtrRandomTarget    *target,
                 bool                secondary,
                 const VkClearValue  clears[])
{
  VkRenderingInfo *info = &target->rendering;
  uint32_t n = 0;

  target->n_parts =
    !secondary && vtr_random_may (self, 25, "suspend") ? vtr_random_between (self, 1, 2) : 0;
  *info = (VkRenderingInfo){
    .sType = VK_STRUCTURE_TYPE_RENDERING_INFO,
    .flags = (secondary ? VK_RENDERING_CONTENTS_SECONDARY_COMMAND_BUFFERS_BIT : 0) |
             (target->n_parts > 0 ? VK_RENDERING_SUSPENDING_BIT : 0),
    .renderArea = choose_area (self, target),
    .layerCount = 1,
    .colorAttachmentCount = target->n_colors,
    .pColorAttachments = target->attachments,
  };
  for (uint32_t i = 0; i <= DEPTH; i++)
    if (target->images[i] != NULL)
      target->attachments[i] = (VkRenderingAttachmentInfo){
        .sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO,
        .imageView = target->views[i],
        .imageLayout = target->layouts[i],
        .loadOp = target->loads[i],
        .storeOp = VK_ATTACHMENT_STORE_OP_STORE,
        .clearValue = clears[n++],
      };
  if (target->images[DEPTH] != NULL)
    {
      const VkImageAspectFlags aspects = target->images[DEPTH]->aspects;

      if ((aspects & VK_IMAGE_ASPECT_DEPTH_BIT) != 0)
        info->pDepthAttachment = &target->attachments[DEPTH];
      if ((aspects & VK_IMAGE_ASPECT_STENCIL_BIT) != 0)
        info->pStencilAttachment = &target->attachments[DEPTH];
    }
  vkCmdBeginRendering (self->commands, info);
}

bool
vtr_random_resume_target (VtrRandom       *self,
                          VtrRandomTarget *target)
{
  if (target->n_parts == 0)
    return false;
  target->n_parts--;
  target->rendering.flags =
    VK_RENDERING_RESUMING_BIT | (target->n_parts > 0 ? VK_RENDERING_SUSPENDING_BIT : 0);
  vkCmdEndRendering (self->commands);
  vkCmdBeginRendering (self->commands, &target->rendering);
  return true;
}

void
vtr_random_begin_target (VtrRandom       *self,
                         VtrRandomTarget *target,
                         bool             secondary)
{
  VkClearValue clears[DEPTH + 1];
  VkImageView views[DEPTH + 1];
  VkRenderPassAttachmentBeginInfo attachments = {
    .sType = VK_STRUCTURE_TYPE_RENDER_PASS_ATTACHMENT_BEGIN_INFO,
    .pAttachments = views,
  };
  VkRenderPassBeginInfo info = {
    .sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
    .pNext = target->imageless ? &attachments : NULL,
    .renderPass = target->pass,
    .framebuffer = target->framebuffer,
    .pClearValues = clears,
  };
  const VkSubpassBeginInfo begin = {
    VK_STRUCTURE_TYPE_SUBPASS_BEGIN_INFO, NULL,
    secondary ? VK_SUBPASS_CONTENTS_SECONDARY_COMMAND_BUFFERS : VK_SUBPASS_CONTENTS_INLINE
  };

  target->last_use = self->frame;
  vtr_random_record_target (self, target);
  for (uint32_t i = 0; i <= DEPTH; i++)
    if (target->images[i] != NULL)
      {
        const VkImageSubresourceRange range = { target->images[i]->aspects, target->mips[i], 1,
                                                target->layers[i], 1 };

        vtr_random_use_part (self, target->images[i], &range, target->layouts[i]);
        views[attachments.attachmentCount++] = target->views[i];
      }
  choose_clears (self, target, clears);
  if (target->pass == VK_NULL_HANDLE)
    {
      begin_rendering (self, target, secondary, clears);
      return;
    }
  info.renderArea = choose_area (self, target);
  info.clearValueCount = attachments.attachmentCount;
  if (vtr_random_chance (self, 50))
    vkCmdBeginRenderPass2 (self->commands, &info, &begin);
  else
    vkCmdBeginRenderPass (self->commands, &info, begin.contents);
}

void
vtr_random_end_target (VtrRandom       *self,
                       VtrRandomTarget *target)
{
  const VkSubpassEndInfo end = { .sType = VK_STRUCTURE_TYPE_SUBPASS_END_INFO };

  if (target->pass == VK_NULL_HANDLE)
    vkCmdEndRendering (self->commands);
  else if (vtr_random_chance (self, 50))
    vkCmdEndRenderPass2 (self->commands, &end);
  else
    vkCmdEndRenderPass (self->commands);
  for (uint32_t i = 0; i <= DEPTH; i++)
    if (target->images[i] != NULL)
      {
        VtrRandomImage *image = target->images[i];

        image->layouts[target->layers[i] * image->info.mipLevels + target->mips[i]] =
          target->finals[i];
      }
}

static void
drop_target (VtrRandom *self)
{
  VtrRandomTarget *target = &VTR_RANDOM_PICK (self, self->targets);

  if (target->used && target->n_pins == 0 && vtr_random_is_idle (self, target->last_use))
    destroy_target (self, target);
}

void
vtr_random_targets_finish (VtrRandom *self)
{
  for (size_t i = 0; i < sizeof self->targets / sizeof self->targets[0]; i++)
    if (self->targets[i].used)
      destroy_target (self, &self->targets[i]);
}

const VtrRandomOperation vtr_random_target_operations[] = {
  { "drop-target", "drops", 3, drop_target },
  { 0 },
};
