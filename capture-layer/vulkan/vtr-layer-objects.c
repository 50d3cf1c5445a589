/* Keeps the data of update templates and render passes for which the walkers ask (VtrApiEnv). */
#include "vtr-layer-objects.h"

#include "vtr-layer-host-copy.h"
#include "vtr-layer-trampolines.h"

#include "base/vtr-readable.h"
#include "vulkan/vtr-vulkan-env.h"

#include <stdlib.h>
#include <string.h>

typedef struct
{
  uint32_t n_entries;
  VkDescriptorUpdateTemplateEntry entries[];
} Template;

typedef struct
{
  uint32_t n_subpasses;
  struct
  {
    bool color;
    bool depth_stencil;
  } subpasses[];
} RenderPass;

static uint64_t
key_of (const void *handle)
{
  return (uint64_t)(uintptr_t)handle;
}

/* ---- Update templates ---- */

static void
remember_template (VtrLayerDevice                             *device,
                   VkDescriptorUpdateTemplate                  handle,
                   const VkDescriptorUpdateTemplateCreateInfo *info)
{
  Template *self =
    malloc (sizeof *self + info->descriptorUpdateEntryCount * sizeof self->entries[0]);

  if (self == NULL)
    return;
  self->n_entries = info->descriptorUpdateEntryCount;
  memcpy (self->entries, info->pDescriptorUpdateEntries, self->n_entries * sizeof self->entries[0]);
  if (!vtr_layer_map_set (&device->templates, key_of (handle), self))
    free (self);
}

VkResult
vtr_layer_hook_CreateDescriptorUpdateTemplate (
  VtrLayerDevice *self,
  VkDevice device,
  const VkDescriptorUpdateTemplateCreateInfo *pCreateInfo,
  const VkAllocationCallbacks *pAllocator,
  VkDescriptorUpdateTemplate *pTemplate)
{
  VkResult result =
    self->next.CreateDescriptorUpdateTemplate (device, pCreateInfo, pAllocator, pTemplate);

  if (result == VK_SUCCESS)
    remember_template (self, *pTemplate, pCreateInfo);
  return result;
}

VkResult
vtr_layer_hook_CreateDescriptorUpdateTemplateKHR (
  VtrLayerDevice *self,
  VkDevice device,
  const VkDescriptorUpdateTemplateCreateInfo *pCreateInfo,
  const VkAllocationCallbacks *pAllocator,
  VkDescriptorUpdateTemplate *pTemplate)
{
  VkResult result =
    self->next.CreateDescriptorUpdateTemplateKHR (device, pCreateInfo, pAllocator, pTemplate);

  if (result == VK_SUCCESS)
    remember_template (self, *pTemplate, pCreateInfo);
  return result;
}

void
vtr_layer_hook_DestroyDescriptorUpdateTemplate (VtrLayerDevice              *self,
                                                VkDevice                     device,
                                                VkDescriptorUpdateTemplate   updateTemplate,
                                                const VkAllocationCallbacks *pAllocator)
{
  free (vtr_layer_map_take (&self->templates, key_of (updateTemplate)));
  self->next.DestroyDescriptorUpdateTemplate (device, updateTemplate, pAllocator);
}

void
vtr_layer_hook_DestroyDescriptorUpdateTemplateKHR (
  VtrLayerDevice *self,
  VkDevice device,
  VkDescriptorUpdateTemplate updateTemplate,
  const VkAllocationCallbacks *pAllocator)
{
  free (vtr_layer_map_take (&self->templates, key_of (updateTemplate)));
  self->next.DestroyDescriptorUpdateTemplateKHR (device, updateTemplate, pAllocator);
}

static bool
get_template (void                       *data,
              VkDescriptorUpdateTemplate  handle,
              VtrUpdateTemplate          *out)
{
  VtrLayerDevice *device = data;
  const Template *self = vtr_layer_map_get (&device->templates, key_of (handle));

  if (self == NULL)
    return false;
  out->entries = self->entries;
  out->n_entries = self->n_entries;
  return true;
}

/* ---- Render passes ---- */

static RenderPass *
create_render_pass (uint32_t n_subpasses)
{
  RenderPass *self = calloc (1, sizeof *self + n_subpasses * sizeof self->subpasses[0]);

  if (self != NULL)
    self->n_subpasses = n_subpasses;
  return self;
}

static void
remember_render_pass (VtrLayerDevice *device,
                      VkRenderPass    handle,
                      RenderPass     *self)
{
  if (self != NULL && !vtr_layer_map_set (&device->render_passes, key_of (handle), self))
    free (self);
}

VkResult
vtr_layer_hook_CreateRenderPass (VtrLayerDevice               *self,
                                 VkDevice                      device,
                                 const VkRenderPassCreateInfo *pCreateInfo,
                                 const VkAllocationCallbacks  *pAllocator,
                                 VkRenderPass                 *pRenderPass)
{
  VkResult result = self->next.CreateRenderPass (device, pCreateInfo, pAllocator, pRenderPass);
  RenderPass *pass = result == VK_SUCCESS ? create_render_pass (pCreateInfo->subpassCount) : NULL;

  for (uint32_t i = 0; pass != NULL && i < pass->n_subpasses; i++)
    {
      const VkSubpassDescription *subpass = &pCreateInfo->pSubpasses[i];

      for (uint32_t j = 0; j < subpass->colorAttachmentCount; j++)
        if (subpass->pColorAttachments[j].attachment != VK_ATTACHMENT_UNUSED)
          pass->subpasses[i].color = true;
      pass->subpasses[i].depth_stencil =
        subpass->pDepthStencilAttachment != NULL &&
        subpass->pDepthStencilAttachment->attachment != VK_ATTACHMENT_UNUSED;
    }
  remember_render_pass (self, result == VK_SUCCESS ? *pRenderPass : VK_NULL_HANDLE, pass);
  return result;
}

static RenderPass *
summarise_render_pass2 (const VkRenderPassCreateInfo2 *info)
{
  RenderPass *pass = create_render_pass (info->subpassCount);

  for (uint32_t i = 0; pass != NULL && i < pass->n_subpasses; i++)
    {
      const VkSubpassDescription2 *subpass = &info->pSubpasses[i];

      for (uint32_t j = 0; j < subpass->colorAttachmentCount; j++)
        if (subpass->pColorAttachments[j].attachment != VK_ATTACHMENT_UNUSED)
          pass->subpasses[i].color = true;
      pass->subpasses[i].depth_stencil =
        subpass->pDepthStencilAttachment != NULL &&
        subpass->pDepthStencilAttachment->attachment != VK_ATTACHMENT_UNUSED;
    }
  return pass;
}

VkResult
vtr_layer_hook_CreateRenderPass2 (VtrLayerDevice                *self,
                                  VkDevice                       device,
                                  const VkRenderPassCreateInfo2 *pCreateInfo,
                                  const VkAllocationCallbacks   *pAllocator,
                                  VkRenderPass                  *pRenderPass)
{
  VkResult result = self->next.CreateRenderPass2 (device, pCreateInfo, pAllocator, pRenderPass);

  if (result == VK_SUCCESS)
    remember_render_pass (self, *pRenderPass, summarise_render_pass2 (pCreateInfo));
  return result;
}

VkResult
vtr_layer_hook_CreateRenderPass2KHR (VtrLayerDevice                *self,
                                     VkDevice                       device,
                                     const VkRenderPassCreateInfo2 *pCreateInfo,
                                     const VkAllocationCallbacks   *pAllocator,
                                     VkRenderPass                  *pRenderPass)
{
  VkResult result = self->next.CreateRenderPass2KHR (device, pCreateInfo, pAllocator, pRenderPass);

  if (result == VK_SUCCESS)
    remember_render_pass (self, *pRenderPass, summarise_render_pass2 (pCreateInfo));
  return result;
}

void
vtr_layer_hook_DestroyRenderPass (VtrLayerDevice              *self,
                                  VkDevice                     device,
                                  VkRenderPass                 renderPass,
                                  const VkAllocationCallbacks *pAllocator)
{
  free (vtr_layer_map_take (&self->render_passes, key_of (renderPass)));
  self->next.DestroyRenderPass (device, renderPass, pAllocator);
}

static VtrTristate
subpass_has_color (void         *data,
                   VkRenderPass  render_pass,
                   uint32_t      subpass)
{
  VtrLayerDevice *device = data;
  const RenderPass *self = vtr_layer_map_get (&device->render_passes, key_of (render_pass));

  if (self == NULL || subpass >= self->n_subpasses)
    return VTR_UNKNOWN;
  return self->subpasses[subpass].color ? VTR_YES : VTR_NO;
}

static VtrTristate
subpass_has_depth_stencil (void         *data,
                           VkRenderPass  render_pass,
                           uint32_t      subpass)
{
  VtrLayerDevice *device = data;
  const RenderPass *self = vtr_layer_map_get (&device->render_passes, key_of (render_pass));

  if (self == NULL || subpass >= self->n_subpasses)
    return VTR_UNKNOWN;
  return self->subpasses[subpass].depth_stencil ? VTR_YES : VTR_NO;
}

/* ---- Command buffers ---- */

static VtrTristate
is_secondary (void            *data,
              VkCommandBuffer  command_buffer)
{
  const VtrLayerCommandBuffer *self = vtr_layer_command_buffer (command_buffer);

  if (self == NULL)
    return VTR_UNKNOWN;
  return self->secondary ? VTR_YES : VTR_NO;
}

/* ---- Pointers that may be ignored ---- */

static bool
is_readable (void       *data,
             const void *address,
             size_t      size)
{
  return vtr_memory_is_readable (address, size);
}

const VtrApiEnv vtr_layer_global_env = { .readable = is_readable };
VtrNamespace vtr_layer_process = { .env = { .readable = is_readable } };

/* ---- Copies by the host ---- */

static size_t
get_host_copy_size (void       *data,
                    const void *info,
                    const void *region)
{
  return vtr_layer_host_copy_size (data, info, region);
}

/* ---- All of them ---- */

static bool
free_each (uint64_t  key,
           void     *value,
           void     *data)
{
  free (value);
  return true;
}

static const VtrVulkanEnv vulkan_env = {
  .is_secondary = is_secondary,
  .update_template = get_template,
  .subpass_has_color = subpass_has_color,
  .subpass_has_depth_stencil = subpass_has_depth_stencil,
  .host_copy_size = get_host_copy_size,
};

void
vtr_layer_objects_init (VtrLayerDevice *device)
{
  vtr_layer_map_init (&device->templates);
  vtr_layer_map_init (&device->render_passes);
  vtr_layer_map_init (&device->ray_libraries);
  vtr_layer_map_init (&device->host_images);
  device->names.env =
    (VtrApiEnv){ .data = device, .readable = is_readable, .state = &vulkan_env };
}

void
vtr_layer_objects_finish (VtrLayerDevice *device)
{
  vtr_layer_map_sweep (&device->templates, free_each, NULL);
  vtr_layer_map_finish (&device->templates);
  vtr_layer_map_sweep (&device->render_passes, free_each, NULL);
  vtr_layer_map_finish (&device->render_passes);
  vtr_layer_map_finish (&device->ray_libraries);
  vtr_layer_map_sweep (&device->host_images, free_each, NULL);
  vtr_layer_map_finish (&device->host_images);
}
