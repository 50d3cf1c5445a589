/* Makes commands that create the objects in GAPID's state, with one function for each class. */
#include "engine/gapid/vtr-gapid-builder-private.h"

#include "vtr-config.h"

#include <glib/gi18n-lib.h>
#include <string.h>

/* ---- Helpers ---- */

VkDevice
vtr_gapid_take_device (VtrGapidBuilder *self,
                       VtrGapidValue   *object)
{
  const VtrGapidObject *device =
    vtr_gapid_find (self, VTR_HANDLE_VkDevice, vtr_gapid_get_number (object, "Device"));

  self->filler.incomplete |= device == NULL;
  return device == NULL ? NULL : VTR_GAPID_HANDLE (VkDevice, device->handle);
}

void *
vtr_gapid_new_struct (VtrGapidBuilder *self,
                      VtrStructId      id,
                      VtrGapidValue   *from)
{
  void *info = vtr_arena_alloc (&self->arena, vtr_struct_get (id)->size[VTR_ABI_NATIVE]);

  if (info == NULL)
    {
      self->filler.incomplete = TRUE;
      return NULL;
    }
  memcpy (info, &vtr_struct_get (id)->stype, sizeof (guint32));
  if (from != NULL)
    vtr_gapid_fill_struct (&self->filler, id, from, info);
  return info;
}

/* Puts a structure filled from @from in front of a chain. */
void
vtr_gapid_chain (VtrGapidBuilder *self,
                 void            *head,
                 VtrStructId      id,
                 VtrGapidValue   *from)
{
  VkBaseOutStructure *base = head, *added;

  if (from == NULL || head == NULL || from->kind != VTR_GAPID_MESSAGE)
    return;
  added = vtr_gapid_new_struct (self, id, from);
  if (added == NULL)
    return;
  added->pNext = base->pNext;
  base->pNext = added;
}

/* The call of every vkCreate… of a device has these arguments. */
gboolean
vtr_gapid_emit_create (VtrGapidBuilder *self,
                       VtrCmdId         id,
                       VtrGapidValue   *object,
                       void            *info,
                       guint64          handle)
{
  VtrArgs_vkCreateSampler args = { .device = vtr_gapid_take_device (self, object),
                                   .pCreateInfo = info,
                                   .pSampler = (VkSampler *)(gpointer)&handle };

  if (self->filler.incomplete || info == NULL)
    return FALSE;
  vtr_gapid_emit (self, id, &args);
  return TRUE;
}

static gboolean
make_plain (VtrGapidBuilder *self,
            VtrCmdId         id,
            VtrStructId      struct_id,
            VtrGapidValue   *object,
            guint64          handle)
{
  return vtr_gapid_emit_create (self, id, object, vtr_gapid_new_struct (self, struct_id, object),
                                handle);
}

/* ---- Memory, buffers, images ---- */

static gboolean
make_memory (VtrGapidBuilder *self,
             VtrGapidValue   *object,
             guint64          handle)
{
  VkMemoryAllocateInfo *info = vtr_gapid_new_struct (self, VTR_STRUCT_VkMemoryAllocateInfo, object);

  vtr_gapid_chain (self, info, VTR_STRUCT_VkMemoryAllocateFlagsInfo,
                   vtr_gapid_get (object, "MemoryAllocateFlagsInfo"));
  vtr_gapid_chain (self, info, VTR_STRUCT_VkMemoryDedicatedAllocateInfo,
                   vtr_gapid_get (object, "DedicatedAllocationKHR"));
  vtr_gapid_chain (self, info, VTR_STRUCT_VkDedicatedAllocationMemoryAllocateInfoNV,
                   vtr_gapid_get (object, "DedicatedAllocationNV"));
  if (self->filler.incomplete && info != NULL)
    {
      /* The object of its dedicated allocation was destroyed. */
      self->filler.incomplete = FALSE;
      info->pNext = NULL;
    }
  return vtr_gapid_emit_create (self, VTR_CMD_vkAllocateMemory, object, info, handle);
}

static gboolean
make_buffer (VtrGapidBuilder *self,
             VtrGapidValue   *object,
             guint64          handle)
{
  VtrGapidValue *from = vtr_gapid_get (object, "Info");
  VkBufferCreateInfo *info = vtr_gapid_new_struct (self, VTR_STRUCT_VkBufferCreateInfo, from);

  vtr_gapid_chain (self, info, VTR_STRUCT_VkDedicatedAllocationBufferCreateInfoNV,
                   vtr_gapid_get (from, "DedicatedAllocationNV"));
  return from != NULL && vtr_gapid_emit_create (self, VTR_CMD_vkCreateBuffer, object, info, handle);
}

static gboolean
make_image (VtrGapidBuilder *self,
            VtrGapidValue   *object,
            guint64          handle)
{
  VtrGapidValue *from = vtr_gapid_get (object, "Info");
  VkImageCreateInfo *info = vtr_gapid_new_struct (self, VTR_STRUCT_VkImageCreateInfo, from);

  if (vtr_gapid_get_number (object, "IsSwapchainImage") != 0 || from == NULL)
    {
      self->why = _ ("its swapchain is gone");
      return FALSE;
    }
  vtr_gapid_chain (self, info, VTR_STRUCT_VkImageFormatListCreateInfo,
                   vtr_gapid_get (from, "ViewFormatList"));
  vtr_gapid_chain (self, info, VTR_STRUCT_VkDedicatedAllocationImageCreateInfoNV,
                   vtr_gapid_get (from, "DedicatedAllocationNV"));
  return vtr_gapid_emit_create (self, VTR_CMD_vkCreateImage, object, info, handle);
}

static gboolean
make_buffer_view (VtrGapidBuilder *self,
                  VtrGapidValue   *object,
                  guint64          handle)
{
  return make_plain (self, VTR_CMD_vkCreateBufferView, VTR_STRUCT_VkBufferViewCreateInfo, object,
                     handle);
}

/* The conversion that samplers and views may have. */
static void
chain_conversion (VtrGapidBuilder *self,
                  void            *head,
                  VtrGapidValue   *conversion)
{
  VkBaseOutStructure *base = head;
  VkSamplerYcbcrConversionInfo *info;
  guint64 handle;

  if (conversion == NULL || head == NULL)
    return;
  handle = vtr_gapid_handle_of (self, VTR_HANDLE_VkSamplerYcbcrConversion, conversion);
  info = vtr_gapid_new_struct (self, VTR_STRUCT_VkSamplerYcbcrConversionInfo, NULL);
  self->filler.incomplete |= handle == 0;
  if (info == NULL)
    return;
  info->conversion = VTR_GAPID_HANDLE (VkSamplerYcbcrConversion, handle);
  info->pNext = base->pNext;
  base->pNext = (VkBaseOutStructure *)info;
}

static gboolean
make_image_view (VtrGapidBuilder *self,
                 VtrGapidValue   *object,
                 guint64          handle)
{
  VkImageViewCreateInfo *info = vtr_gapid_new_struct (self, VTR_STRUCT_VkImageViewCreateInfo,
                                                      object);

  vtr_gapid_chain (self, info, VTR_STRUCT_VkImageViewUsageCreateInfo,
                   vtr_gapid_get (object, "UsageInfo"));
  chain_conversion (self, info, vtr_gapid_get (object, "YcbcrConversion"));
  return vtr_gapid_emit_create (self, VTR_CMD_vkCreateImageView, object, info, handle);
}

static gboolean
make_sampler (VtrGapidBuilder *self,
              VtrGapidValue   *object,
              guint64          handle)
{
  VkSamplerCreateInfo *info = vtr_gapid_new_struct (self, VTR_STRUCT_VkSamplerCreateInfo, object);

  chain_conversion (self, info, vtr_gapid_get (object, "YcbcrConversion"));
  return vtr_gapid_emit_create (self, VTR_CMD_vkCreateSampler, object, info, handle);
}

static gboolean
make_conversion (VtrGapidBuilder *self,
                 VtrGapidValue   *object,
                 guint64          handle)
{
  gboolean extension = vtr_gapid_get_number (object, "IsFromExtension") != 0;

  return make_plain (self,
                     extension ? VTR_CMD_vkCreateSamplerYcbcrConversionKHR
                               : VTR_CMD_vkCreateSamplerYcbcrConversion,
                     VTR_STRUCT_VkSamplerYcbcrConversionCreateInfo, object, handle);
}

/* ---- Synchronisation, queries, pools ---- */

static gboolean
make_fence (VtrGapidBuilder *self,
            VtrGapidValue   *object,
            guint64          handle)
{
  VkFenceCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO,
    .flags = vtr_gapid_get_number (object, "Signaled") != 0 ? VK_FENCE_CREATE_SIGNALED_BIT : 0,
  };

  return vtr_gapid_emit_create (self, VTR_CMD_vkCreateFence, object, &info, handle);
}

static gboolean
make_semaphore (VtrGapidBuilder *self,
                VtrGapidValue   *object,
                guint64          handle)
{
  static const char *const values[] = { "TimelineValue", "CurrentValue", "Value", "InitialValue" };
  VkSemaphoreTypeCreateInfo type = {
    .sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO,
    .semaphoreType = (VkSemaphoreType)vtr_gapid_get_number (object, "SemaphoreType"),
  };
  VkSemaphoreCreateInfo info = { .sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO };

  for (gsize i = 0; i < G_N_ELEMENTS (values); i++)
    {
      guint64 value = vtr_gapid_get_number (object, values[i]);

      if (type.initialValue == 0 && value != 0)
        type.initialValue = value;
    }
  if (type.semaphoreType == VK_SEMAPHORE_TYPE_BINARY && type.initialValue != 0)
    type.semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE;
  if (type.semaphoreType != VK_SEMAPHORE_TYPE_BINARY)
    info.pNext = &type;
  return vtr_gapid_emit_create (self, VTR_CMD_vkCreateSemaphore, object, &info, handle);
}

static gboolean
make_event (VtrGapidBuilder *self,
            VtrGapidValue   *object,
            guint64          handle)
{
  return make_plain (self, VTR_CMD_vkCreateEvent, VTR_STRUCT_VkEventCreateInfo, object, handle);
}

static gboolean
make_query_pool (VtrGapidBuilder *self,
                 VtrGapidValue   *object,
                 guint64          handle)
{
  return make_plain (self, VTR_CMD_vkCreateQueryPool, VTR_STRUCT_VkQueryPoolCreateInfo, object,
                     handle);
}

static gboolean
make_command_pool (VtrGapidBuilder *self,
                   VtrGapidValue   *object,
                   guint64          handle)
{
  return make_plain (self, VTR_CMD_vkCreateCommandPool, VTR_STRUCT_VkCommandPoolCreateInfo, object,
                     handle);
}

static gboolean
make_command_buffer (VtrGapidBuilder *self,
                     VtrGapidValue   *object,
                     guint64          handle)
{
  VtrGapidObject *pool =
    vtr_gapid_find (self, VTR_HANDLE_VkCommandPool, vtr_gapid_get_number (object, "Pool"));
  VkCommandBuffer buffer = VTR_GAPID_HANDLE (VkCommandBuffer, handle);
  VkCommandBufferAllocateInfo info = {
    .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
    .level = (VkCommandBufferLevel)vtr_gapid_get_number (object, "Level"),
    .commandBufferCount = 1,
  };
  const VtrArgs_vkAllocateCommandBuffers args = { vtr_gapid_take_device (self, object), &info,
                                                  &buffer };

  if (pool == NULL || self->filler.incomplete)
    return FALSE;
  info.commandPool = VTR_GAPID_HANDLE (VkCommandPool, pool->handle);
  vtr_gapid_emit (self, VTR_CMD_vkAllocateCommandBuffers, &args);
  return TRUE;
}

static gboolean
make_descriptor_pool (VtrGapidBuilder *self,
                      VtrGapidValue   *object,
                      guint64          handle)
{
  return make_plain (self, VTR_CMD_vkCreateDescriptorPool, VTR_STRUCT_VkDescriptorPoolCreateInfo,
                     object, handle);
}

static gboolean
make_descriptor_set (VtrGapidBuilder *self,
                     VtrGapidValue   *object,
                     guint64          handle)
{
  VtrGapidObject *pool = vtr_gapid_find (self, VTR_HANDLE_VkDescriptorPool,
                                         vtr_gapid_get_number (object, "DescriptorPool"));
  VtrGapidValue *from = vtr_gapid_get (object, "Layout");
  VkDescriptorSet set = VTR_GAPID_HANDLE (VkDescriptorSet, handle);
  VkDescriptorSetLayout layout;
  VkDescriptorSetAllocateInfo info = {
    .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
    .descriptorSetCount = 1,
    .pSetLayouts = &layout,
  };
  const VtrArgs_vkAllocateDescriptorSets args = { vtr_gapid_take_device (self, object), &info,
                                                  &set };
  guint64 layout_handle =
    from != NULL ? vtr_gapid_handle_of (self, VTR_HANDLE_VkDescriptorSetLayout, from) : 0;

  if (pool == NULL || layout_handle == 0 || self->filler.incomplete)
    return FALSE;
  layout = VTR_GAPID_HANDLE (VkDescriptorSetLayout, layout_handle);
  info.descriptorPool = VTR_GAPID_HANDLE (VkDescriptorPool, pool->handle);
  vtr_gapid_emit (self, VTR_CMD_vkAllocateDescriptorSets, &args);
  return TRUE;
}

/* ---- Layouts, passes, pipelines ---- */

static const VkSampler *
list_samplers (VtrGapidBuilder *self,
               VtrGapidValue   *map,
               guint32          count)
{
  gsize n;
  const VtrGapidEntry *entries = vtr_gapid_list_entries (map, &self->arena, &n);
  VkSampler *samplers = n > 0 ? vtr_arena_new_array (&self->arena, MAX (n, count),
                                                     VkSampler)
                              : NULL;

  if (samplers == NULL)
    return NULL;
  self->filler.incomplete |= n < count;
  for (gsize i = 0; i < n; i++)
    {
      guint64 handle = entries[i].value == NULL
                         ? 0
                         : vtr_gapid_handle_of (self, VTR_HANDLE_VkSampler, entries[i].value);

      self->filler.incomplete |= handle == 0;
      samplers[i] = VTR_GAPID_HANDLE (VkSampler, handle);
    }
  return samplers;
}

static gboolean
make_set_layout (VtrGapidBuilder *self,
                 VtrGapidValue   *object,
                 guint64          handle)
{
  gsize n;
  const VtrGapidEntry *entries =
    vtr_gapid_list_entries (vtr_gapid_get (object, "Bindings"), &self->arena, &n);
  VkDescriptorSetLayoutBinding *bindings =
    vtr_arena_new_array (&self->arena, n + 1, VkDescriptorSetLayoutBinding);
  VkDescriptorSetLayoutCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
    .flags = (guint32)vtr_gapid_get_number (object, "Flags"),
    .bindingCount = (guint32)n,
    .pBindings = bindings,
  };

  if (bindings == NULL)
    return FALSE;
  for (gsize i = 0; i < n; i++)
    {
      VtrGapidValue *from = entries[i].value;

      bindings[i].binding = (guint32)entries[i].key;
      bindings[i].descriptorType = (VkDescriptorType)vtr_gapid_get_number (from, "Type");
      bindings[i].descriptorCount = (guint32)vtr_gapid_get_number (from, "Count");
      bindings[i].stageFlags = (guint32)vtr_gapid_get_number (from, "Stages");
      bindings[i].pImmutableSamplers = list_samplers (
        self, vtr_gapid_get (from, "ImmutableSamplers"), bindings[i].descriptorCount);
    }
  return vtr_gapid_emit_create (self, VTR_CMD_vkCreateDescriptorSetLayout, object, &info, handle);
}

static gboolean
make_pipeline_layout (VtrGapidBuilder *self,
                      VtrGapidValue   *object,
                      guint64          handle)
{
  return make_plain (self, VTR_CMD_vkCreatePipelineLayout, VTR_STRUCT_VkPipelineLayoutCreateInfo,
                     object, handle);
}

static gboolean
make_template (VtrGapidBuilder *self,
               VtrGapidValue   *object,
               guint64          handle)
{
  gboolean extension = vtr_gapid_get_number (object, "FromKHR") != 0;

  return make_plain (self,
                     extension ? VTR_CMD_vkCreateDescriptorUpdateTemplateKHR
                               : VTR_CMD_vkCreateDescriptorUpdateTemplate,
                     VTR_STRUCT_VkDescriptorUpdateTemplateCreateInfo, object, handle);
}

static gboolean
make_render_pass (VtrGapidBuilder *self,
                  VtrGapidValue   *object,
                  guint64          handle)
{
  VkRenderPassCreateInfo *info = vtr_gapid_new_struct (self, VTR_STRUCT_VkRenderPassCreateInfo,
                                                       object);

  vtr_gapid_chain (self, info, VTR_STRUCT_VkRenderPassInputAttachmentAspectCreateInfo,
                   vtr_gapid_get (object, "InputAttachmentAspectInfo"));
  vtr_gapid_chain (self, info, VTR_STRUCT_VkRenderPassMultiviewCreateInfo,
                   vtr_gapid_get (object, "MultiviewInfo"));
  return vtr_gapid_emit_create (self, VTR_CMD_vkCreateRenderPass, object, info, handle);
}

static gboolean
make_framebuffer (VtrGapidBuilder *self,
                  VtrGapidValue   *object,
                  guint64          handle)
{
  return make_plain (self, VTR_CMD_vkCreateFramebuffer, VTR_STRUCT_VkFramebufferCreateInfo, object,
                     handle);
}

static gboolean
make_shader_module (VtrGapidBuilder *self,
                    VtrGapidValue   *object,
                    guint64          handle)
{
  gsize size = 0;
  const guint8 *words = vtr_gapid_read_slice (self, vtr_gapid_get (object, "Words"), &size);
  VkShaderModuleCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
    .codeSize = size & ~(gsize)3,
    .pCode = (const guint32 *)(gconstpointer)words,
  };

  if (words == NULL || size < 4)
    {
      self->why = _ ("its code was not recorded");
      return FALSE;
    }
  return vtr_gapid_emit_create (self, VTR_CMD_vkCreateShaderModule, object, &info, handle);
}

static gboolean
make_pipeline_cache (VtrGapidBuilder *self,
                     VtrGapidValue   *object,
                     guint64          handle)
{
  VkPipelineCacheCreateInfo info = { .sType = VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO };

  return vtr_gapid_emit_create (self, VTR_CMD_vkCreatePipelineCache, object, &info, handle);
}

/* The pipeline from which it derives may have been destroyed; it is then created without it. */
static void
forget_base (VtrGapidBuilder *self,
             VtrGapidValue   *object)
{
  VtrGapidValue *base = vtr_gapid_get (object, "BasePipeline");
  VtrGapidValue *flags = vtr_gapid_get (object, "Flags");
  VtrGapidValue *index = vtr_gapid_get (object, "BasePipelineIndex");

  if (index != NULL && index->kind == VTR_GAPID_NUMBER)
    index->number = G_MAXUINT64;
  if (base != NULL && base->kind == VTR_GAPID_NUMBER &&
      vtr_gapid_find (self, VTR_HANDLE_VkPipeline, base->number) != NULL)
    return;
  if (base != NULL && base->kind == VTR_GAPID_NUMBER)
    base->number = 0;
  if (flags != NULL && flags->kind == VTR_GAPID_NUMBER)
    flags->number &= ~(guint64)VK_PIPELINE_CREATE_DERIVATIVE_BIT;
}

static gboolean
make_graphics_pipeline (VtrGapidBuilder *self,
                        VtrGapidValue   *object,
                        guint64          handle)
{
  VkPipeline pipeline = VTR_GAPID_HANDLE (VkPipeline, handle);
  VtrArgs_vkCreateGraphicsPipelines args = { .createInfoCount = 1, .pPipelines = &pipeline };

  forget_base (self, object);
  args.device = vtr_gapid_take_device (self, object);
  args.pCreateInfos = vtr_gapid_new_struct (self, VTR_STRUCT_VkGraphicsPipelineCreateInfo, object);
  if (self->filler.incomplete || args.pCreateInfos == NULL)
    return FALSE;
  vtr_gapid_emit (self, VTR_CMD_vkCreateGraphicsPipelines, &args);
  return TRUE;
}

static gboolean
make_compute_pipeline (VtrGapidBuilder *self,
                       VtrGapidValue   *object,
                       guint64          handle)
{
  VkPipeline pipeline = VTR_GAPID_HANDLE (VkPipeline, handle);
  VtrArgs_vkCreateComputePipelines args = { .createInfoCount = 1, .pPipelines = &pipeline };

  forget_base (self, object);
  args.device = vtr_gapid_take_device (self, object);
  args.pCreateInfos = vtr_gapid_new_struct (self, VTR_STRUCT_VkComputePipelineCreateInfo, object);
  if (self->filler.incomplete || args.pCreateInfos == NULL)
    return FALSE;
  vtr_gapid_emit (self, VTR_CMD_vkCreateComputePipelines, &args);
  return TRUE;
}

/* ---- The rest ---- */

static gboolean
make_callback (VtrGapidBuilder *self,
               VtrGapidValue   *object,
               guint64          handle)
{
  VtrGapidObject *instance =
    vtr_gapid_find (self, VTR_HANDLE_VkInstance, vtr_gapid_get_number (object, "Instance"));
  VtrArgs_vkCreateDebugReportCallbackEXT args = {
    .pCreateInfo = vtr_gapid_new_struct (self, VTR_STRUCT_VkDebugReportCallbackCreateInfoEXT,
                                         object),
    .pCallback = (VkDebugReportCallbackEXT *)(gpointer)&handle,
  };

  if (instance == NULL || args.pCreateInfo == NULL)
    return FALSE;
  args.instance = VTR_GAPID_HANDLE (VkInstance, instance->handle);
  vtr_gapid_emit (self, VTR_CMD_vkCreateDebugReportCallbackEXT, &args);
  return TRUE;
}

static gboolean
make_display_mode (VtrGapidBuilder *self,
                   VtrGapidValue   *object,
                   guint64          handle)
{
  VtrGapidObject *physical = vtr_gapid_find (self, VTR_HANDLE_VkPhysicalDevice,
                                             vtr_gapid_get_number (object, "PhysicalDevice"));
  VtrArgs_vkCreateDisplayModeKHR args = {
    .display = VTR_GAPID_HANDLE (VkDisplayKHR, vtr_gapid_get_number (object, "Display")),
    .pCreateInfo = vtr_gapid_new_struct (self, VTR_STRUCT_VkDisplayModeCreateInfoKHR, NULL),
    .pMode = (VkDisplayModeKHR *)(gpointer)&handle,
  };

  if (physical == NULL || args.pCreateInfo == NULL)
    return FALSE;
  args.physicalDevice = VTR_GAPID_HANDLE (VkPhysicalDevice, physical->handle);
  vtr_gapid_emit (self, VTR_CMD_vkCreateDisplayModeKHR, &args);
  return TRUE;
}

#define NAMED(type, field, name, make) \
  { \
    VTR_HANDLE_Vk##type, field, "vulkan." name "Object", make, FALSE \
  }
#define CLASS(type, field, make) NAMED (type, field, #type, make)
#define SHARED(type, field, make) \
  { \
    VTR_HANDLE_Vk##type, field, "vulkan." #type "Object", make, TRUE \
  }

/* In an order in which most of what an object needs is there. */
const VtrGapidClass vtr_gapid_classes[] = {
  CLASS (Instance, "Instances", vtr_gapid_make_instance),
  CLASS (PhysicalDevice, "PhysicalDevices", vtr_gapid_make_physical_device),
  NAMED (DebugReportCallbackEXT, "DebugReportCallbacks", "DebugReportCallback", make_callback),
  NAMED (SurfaceKHR, "Surfaces", "Surface", vtr_gapid_make_surface),
  NAMED (DisplayModeKHR, "DisplayModes", "DisplayMode", make_display_mode),
  CLASS (Device, "Devices", vtr_gapid_make_device),
  CLASS (Queue, "Queues", vtr_gapid_make_queue),
  NAMED (SwapchainKHR, "Swapchains", "Swapchain", vtr_gapid_make_swapchain),
  CLASS (DeviceMemory, "DeviceMemories", make_memory),
  CLASS (Buffer, "Buffers", make_buffer),
  CLASS (Image, "Images", make_image),
  SHARED (SamplerYcbcrConversion, "SamplerYcbcrConversions", make_conversion),
  CLASS (BufferView, "BufferViews", make_buffer_view),
  CLASS (ImageView, "ImageViews", make_image_view),
  SHARED (Sampler, "Samplers", make_sampler),
  CLASS (Fence, "Fences", make_fence),
  CLASS (Semaphore, "Semaphores", make_semaphore),
  CLASS (Event, "Events", make_event),
  CLASS (QueryPool, "QueryPools", make_query_pool),
  CLASS (PipelineCache, "PipelineCaches", make_pipeline_cache),
  SHARED (ShaderModule, "ShaderModules", make_shader_module),
  SHARED (DescriptorSetLayout, "DescriptorSetLayouts", make_set_layout),
  SHARED (PipelineLayout, "PipelineLayouts", make_pipeline_layout),
  CLASS (DescriptorUpdateTemplate, "DescriptorUpdateTemplates", make_template),
  SHARED (RenderPass, "RenderPasses", make_render_pass),
  CLASS (Framebuffer, "Framebuffers", make_framebuffer),
  NAMED (Pipeline, "GraphicsPipelines", "GraphicsPipeline", make_graphics_pipeline),
  NAMED (Pipeline, "ComputePipelines", "ComputePipeline", make_compute_pipeline),
  CLASS (DescriptorPool, "DescriptorPools", make_descriptor_pool),
  CLASS (DescriptorSet, "DescriptorSets", make_descriptor_set),
  CLASS (CommandPool, "CommandPools", make_command_pool),
  CLASS (CommandBuffer, "CommandBuffers", make_command_buffer),
};

const guint vtr_gapid_n_classes = G_N_ELEMENTS (vtr_gapid_classes);
