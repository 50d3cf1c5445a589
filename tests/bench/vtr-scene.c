/* Creates the objects of a VtrScene that exist before its first frame. */
#include "vtr-scene.h"

#include "load.frag.h"
#include "load.vert.h"

#define COLOR_FORMAT VK_FORMAT_R8G8B8A8_UNORM
#define DEPTH_FORMAT VK_FORMAT_D32_SFLOAT
#define MEMORY_BYTES (128 << 10) /* more than any driver here wants for what is made */

static guint64
new_handle (VtrScene *self)
{
  return vtr_recorder_new_handle (self->recorder);
}

static guint64
allocate (VtrScene *self,
          gsize     size)
{
  guint64 memory = new_handle (self);
  VkMemoryAllocateInfo info = {
    .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
    .allocationSize = size,
  };

  CALL (self->recorder, vkAllocateMemory, .device = H (VkDevice, self->device),
        .pAllocateInfo = &info, .pMemory = (VkDeviceMemory *)&memory);
  return memory;
}

static guint64
make_view (VtrScene           *self,
           guint64             image,
           VkFormat            format,
           VkImageAspectFlags  aspect)
{
  guint64 view = new_handle (self);
  VkImageViewCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
    .image = H (VkImage, image),
    .viewType = VK_IMAGE_VIEW_TYPE_2D,
    .format = format,
    .subresourceRange = { aspect, 0, 1, 0, 1 },
  };

  CALL (self->recorder, vkCreateImageView, .device = H (VkDevice, self->device),
        .pCreateInfo = &info, .pView = (VkImageView *)&view);
  return view;
}

static VtrSceneImage
make_image (VtrScene          *self,
            VkFormat           format,
            guint              size,
            VkImageUsageFlags  usage)
{
  VtrSceneImage image = { .image = new_handle (self) };
  VkImageCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
    .imageType = VK_IMAGE_TYPE_2D,
    .format = format,
    .extent = { size, size, 1 },
    .mipLevels = 1,
    .arrayLayers = 1,
    .samples = VK_SAMPLE_COUNT_1_BIT,
    .usage = usage | VK_IMAGE_USAGE_TRANSFER_SRC_BIT,
  };
  VkMemoryRequirements requirements = { 4 * (VkDeviceSize)size * size, 64, 1 };
  VkDevice device = H (VkDevice, self->device);

  CALL (self->recorder, vkCreateImage, .device = device, .pCreateInfo = &info,
        .pImage = (VkImage *)&image.image);
  CALL (self->recorder, vkGetImageMemoryRequirements, .device = device,
        .image = H (VkImage, image.image), .pMemoryRequirements = &requirements);
  image.memory = allocate (self, MEMORY_BYTES);
  CALL (self->recorder, vkBindImageMemory, .device = device, .image = H (VkImage, image.image),
        .memory = H (VkDeviceMemory, image.memory));
  image.view = make_view (self, image.image, format,
                          format == DEPTH_FORMAT ? VK_IMAGE_ASPECT_DEPTH_BIT
                                                 : VK_IMAGE_ASPECT_COLOR_BIT);
  return image;
}

static VtrSceneBuffer
make_buffer (VtrScene           *self,
             gsize               size,
             VkBufferUsageFlags  usage)
{
  VtrSceneBuffer buffer = { .buffer = new_handle (self), .mapped = g_malloc0 (size) };
  VkBufferCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
    .size = size,
    .usage = usage,
  };
  VkMemoryRequirements requirements = { size, 64, 1 };
  VkDevice device = H (VkDevice, self->device);
  void *address = buffer.mapped;

  CALL (self->recorder, vkCreateBuffer, .device = device, .pCreateInfo = &info,
        .pBuffer = (VkBuffer *)&buffer.buffer);
  CALL (self->recorder, vkGetBufferMemoryRequirements, .device = device,
        .buffer = H (VkBuffer, buffer.buffer), .pMemoryRequirements = &requirements);
  buffer.memory = allocate (self, size);
  CALL (self->recorder, vkBindBufferMemory, .device = device,
        .buffer = H (VkBuffer, buffer.buffer), .memory = H (VkDeviceMemory, buffer.memory));
  CALL (self->recorder, vkMapMemory, .device = device,
        .memory = H (VkDeviceMemory, buffer.memory), .size = VK_WHOLE_SIZE, .ppData = &address);
  return buffer;
}

static void
make_device (VtrScene *self)
{
  const char *instance_extensions[] = { "VK_KHR_surface", "VK_EXT_headless_surface",
                                        "VK_EXT_debug_utils" };
  const char *device_extensions[] = { "VK_KHR_swapchain" };
  VkApplicationInfo application = { .sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
                                    .pApplicationName = "generated",
                                    .apiVersion = VK_API_VERSION_1_2 };
  VkInstanceCreateInfo instance_info = {
    .sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
    .pApplicationInfo = &application,
    .enabledExtensionCount = G_N_ELEMENTS (instance_extensions),
    .ppEnabledExtensionNames = instance_extensions,
  };
  float priority = 1;
  VkDeviceQueueCreateInfo queue_info = {
    .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
    .queueCount = 1,
    .pQueuePriorities = &priority,
  };
  VkDeviceCreateInfo device_info = {
    .sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
    .queueCreateInfoCount = 1,
    .pQueueCreateInfos = &queue_info,
    .enabledExtensionCount = G_N_ELEMENTS (device_extensions),
    .ppEnabledExtensionNames = device_extensions,
  };
  guint32 one = 1;

  self->instance = new_handle (self);
  self->physical_device = new_handle (self);
  self->device = new_handle (self);
  self->queue = new_handle (self);
  CALL (self->recorder, vkCreateInstance, .pCreateInfo = &instance_info,
        .pInstance = (VkInstance *)&self->instance);
  CALL (self->recorder, vkEnumeratePhysicalDevices, .instance = H (VkInstance, self->instance),
        .pPhysicalDeviceCount = &one,
        .pPhysicalDevices = (VkPhysicalDevice *)&self->physical_device);
  CALL (self->recorder, vkCreateDevice,
        .physicalDevice = H (VkPhysicalDevice, self->physical_device),
        .pCreateInfo = &device_info, .pDevice = (VkDevice *)&self->device);
  vtr_recorder_add_device_info (self->recorder, self->physical_device, self->device);
  CALL (self->recorder, vkGetDeviceQueue, .device = H (VkDevice, self->device),
        .pQueue = (VkQueue *)&self->queue);
}

static guint64
make_pass (VtrScene      *self,
           guint          n_colors,
           gboolean       depth,
           VkImageLayout  final)
{
  guint64 pass = new_handle (self);
  VkAttachmentDescription attachments[N_COLORS + 1];
  VkAttachmentReference references[N_COLORS];
  VkAttachmentReference depth_reference = { n_colors,
                                            VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL };
  VkSubpassDescription subpass = {
    .pipelineBindPoint = VK_PIPELINE_BIND_POINT_GRAPHICS,
    .colorAttachmentCount = n_colors,
    .pColorAttachments = references,
    .pDepthStencilAttachment = depth ? &depth_reference : NULL,
  };
  VkRenderPassCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO,
    .attachmentCount = n_colors + (depth ? 1 : 0),
    .pAttachments = attachments,
    .subpassCount = 1,
    .pSubpasses = &subpass,
  };

  for (guint i = 0; i < info.attachmentCount; i++)
    {
      gboolean is_depth = i == n_colors;

      attachments[i] = (VkAttachmentDescription){
        .format = is_depth ? DEPTH_FORMAT : COLOR_FORMAT,
        .samples = VK_SAMPLE_COUNT_1_BIT,
        .loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
        .storeOp = VK_ATTACHMENT_STORE_OP_STORE,
        .stencilLoadOp = VK_ATTACHMENT_LOAD_OP_DONT_CARE,
        .stencilStoreOp = VK_ATTACHMENT_STORE_OP_DONT_CARE,
        .finalLayout = is_depth ? VK_IMAGE_LAYOUT_DEPTH_STENCIL_READ_ONLY_OPTIMAL : final,
      };
      if (!is_depth)
        references[i] =
          (VkAttachmentReference){ i, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL };
    }
  CALL (self->recorder, vkCreateRenderPass, .device = H (VkDevice, self->device),
        .pCreateInfo = &info, .pRenderPass = (VkRenderPass *)&pass);
  return pass;
}

static guint64
make_framebuffer (VtrScene      *self,
                  guint64        pass,
                  const guint64 *views,
                  guint          n_views)
{
  guint64 framebuffer = new_handle (self);
  VkFramebufferCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO,
    .renderPass = H (VkRenderPass, pass),
    .attachmentCount = n_views,
    .pAttachments = (const VkImageView *)views,
    .width = TARGET_SIZE,
    .height = TARGET_SIZE,
    .layers = 1,
  };

  CALL (self->recorder, vkCreateFramebuffer, .device = H (VkDevice, self->device),
        .pCreateInfo = &info, .pFramebuffer = (VkFramebuffer *)&framebuffer);
  return framebuffer;
}

static void
make_swapchain (VtrScene *self)
{
  VkHeadlessSurfaceCreateInfoEXT surface_info = {
    .sType = VK_STRUCTURE_TYPE_HEADLESS_SURFACE_CREATE_INFO_EXT,
  };
  VkSwapchainCreateInfoKHR info = {
    .sType = VK_STRUCTURE_TYPE_SWAPCHAIN_CREATE_INFO_KHR,
    .minImageCount = N_SWAP_IMAGES,
    .imageFormat = COLOR_FORMAT,
    .imageExtent = { TARGET_SIZE, TARGET_SIZE },
    .imageArrayLayers = 1,
    .imageUsage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT,
    .preTransform = VK_SURFACE_TRANSFORM_IDENTITY_BIT_KHR,
    .compositeAlpha = VK_COMPOSITE_ALPHA_OPAQUE_BIT_KHR,
    .presentMode = VK_PRESENT_MODE_FIFO_KHR,
  };
  guint32 n = N_SWAP_IMAGES;

  self->surface = new_handle (self);
  self->swapchain = new_handle (self);
  CALL (self->recorder, vkCreateHeadlessSurfaceEXT, .instance = H (VkInstance, self->instance),
        .pCreateInfo = &surface_info, .pSurface = (VkSurfaceKHR *)&self->surface);
  info.surface = H (VkSurfaceKHR, self->surface);
  CALL (self->recorder, vkCreateSwapchainKHR, .device = H (VkDevice, self->device),
        .pCreateInfo = &info, .pSwapchain = (VkSwapchainKHR *)&self->swapchain);
  for (guint i = 0; i < n; i++)
    self->swap_images[i] = new_handle (self);
  CALL (self->recorder, vkGetSwapchainImagesKHR, .device = H (VkDevice, self->device),
        .swapchain = H (VkSwapchainKHR, self->swapchain), .pSwapchainImageCount = &n,
        .pSwapchainImages = (VkImage *)self->swap_images);
  for (guint i = 0; i < n; i++)
    {
      self->swap_views[i] =
        make_view (self, self->swap_images[i], COLOR_FORMAT, VK_IMAGE_ASPECT_COLOR_BIT);
      self->swap_framebuffers[i] =
        make_framebuffer (self, self->post_pass, &self->swap_views[i], 1);
    }
}

static void
make_targets (VtrScene *self)
{
  guint64 views[N_COLORS + 1];

  self->shadow_pass = make_pass (self, 0, TRUE, VK_IMAGE_LAYOUT_GENERAL);
  self->geometry_pass =
    make_pass (self, N_COLORS, TRUE, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL);
  self->post_pass = make_pass (self, 1, FALSE, VK_IMAGE_LAYOUT_PRESENT_SRC_KHR);
  self->shadow = make_image (self, DEPTH_FORMAT, TARGET_SIZE,
                             VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT |
                               VK_IMAGE_USAGE_SAMPLED_BIT);
  self->depth = make_image (self, DEPTH_FORMAT, TARGET_SIZE,
                            VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT);
  for (guint i = 0; i < N_COLORS; i++)
    {
      self->colors[i] = make_image (self, COLOR_FORMAT, TARGET_SIZE,
                                    VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT |
                                      VK_IMAGE_USAGE_SAMPLED_BIT);
      views[i] = self->colors[i].view;
    }
  views[N_COLORS] = self->depth.view;
  self->shadow_framebuffer =
    make_framebuffer (self, self->shadow_pass, &self->shadow.view, 1);
  self->geometry_framebuffer =
    make_framebuffer (self, self->geometry_pass, views, N_COLORS + 1);
}

static guint64
make_shader (VtrScene      *self,
             const guint32 *words,
             gsize          size)
{
  guint64 module = new_handle (self);
  VkShaderModuleCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
    .codeSize = size,
    .pCode = words,
  };

  CALL (self->recorder, vkCreateShaderModule, .device = H (VkDevice, self->device),
        .pCreateInfo = &info, .pShaderModule = (VkShaderModule *)&module);
  return module;
}

static guint64
make_pipeline (VtrScene *self,
               guint64   pass,
               guint     n_colors,
               gboolean  depth,
               guint64   vertex,
               guint64   fragment,
               guint     variant)
{
  guint64 pipeline = new_handle (self);
  VkPipelineShaderStageCreateInfo stages[] = {
    { .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
      .stage = VK_SHADER_STAGE_VERTEX_BIT,
      .module = H (VkShaderModule, vertex),
      .pName = "main" },
    { .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
      .stage = VK_SHADER_STAGE_FRAGMENT_BIT,
      .module = H (VkShaderModule, fragment),
      .pName = "main" },
  };
  VkVertexInputBindingDescription binding = { 0, 16, VK_VERTEX_INPUT_RATE_VERTEX };
  VkPipelineVertexInputStateCreateInfo input = {
    .sType = VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO,
    .vertexBindingDescriptionCount = 1,
    .pVertexBindingDescriptions = &binding,
  };
  VkPipelineInputAssemblyStateCreateInfo assembly = {
    .sType = VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO,
    .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST,
  };
  VkPipelineViewportStateCreateInfo viewport = {
    .sType = VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO,
    .viewportCount = 1,
    .scissorCount = 1,
  };
  VkPipelineRasterizationStateCreateInfo raster = {
    .sType = VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO,
    .cullMode = variant & 1 ? VK_CULL_MODE_BACK_BIT : VK_CULL_MODE_NONE,
    .lineWidth = 1,
  };
  VkPipelineMultisampleStateCreateInfo samples = {
    .sType = VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO,
    .rasterizationSamples = VK_SAMPLE_COUNT_1_BIT,
  };
  VkPipelineDepthStencilStateCreateInfo depth_state = {
    .sType = VK_STRUCTURE_TYPE_PIPELINE_DEPTH_STENCIL_STATE_CREATE_INFO,
    .depthTestEnable = depth,
    .depthWriteEnable = depth,
    .depthCompareOp = VK_COMPARE_OP_LESS_OR_EQUAL,
  };
  VkPipelineColorBlendAttachmentState blend[N_COLORS];
  VkPipelineColorBlendStateCreateInfo blend_state = {
    .sType = VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO,
    .attachmentCount = n_colors,
    .pAttachments = blend,
  };
  VkDynamicState dynamic[] = { VK_DYNAMIC_STATE_VIEWPORT, VK_DYNAMIC_STATE_SCISSOR };
  VkPipelineDynamicStateCreateInfo dynamic_state = {
    .sType = VK_STRUCTURE_TYPE_PIPELINE_DYNAMIC_STATE_CREATE_INFO,
    .dynamicStateCount = G_N_ELEMENTS (dynamic),
    .pDynamicStates = dynamic,
  };
  VkGraphicsPipelineCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO,
    .stageCount = n_colors > 0 ? 2 : 1,
    .pStages = stages,
    .pVertexInputState = &input,
    .pInputAssemblyState = &assembly,
    .pViewportState = &viewport,
    .pRasterizationState = &raster,
    .pMultisampleState = &samples,
    .pDepthStencilState = &depth_state,
    .pColorBlendState = &blend_state,
    .pDynamicState = &dynamic_state,
    .layout = H (VkPipelineLayout, self->layout),
    .renderPass = H (VkRenderPass, pass),
  };

  for (guint i = 0; i < N_COLORS; i++)
    blend[i] = (VkPipelineColorBlendAttachmentState){ .colorWriteMask = i == 0 ? 0xf : 0 };
  CALL (self->recorder, vkCreateGraphicsPipelines, .device = H (VkDevice, self->device),
        .createInfoCount = 1, .pCreateInfos = &info, .pPipelines = (VkPipeline *)&pipeline);
  return pipeline;
}

static void
make_layouts (VtrScene *self)
{
  VkDescriptorSetLayoutBinding bindings[] = {
    { 0, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, 1, VK_SHADER_STAGE_ALL_GRAPHICS, NULL },
    { 1, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 1, VK_SHADER_STAGE_FRAGMENT_BIT, NULL },
  };
  VkDescriptorSetLayoutCreateInfo set_info = {
    .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
    .bindingCount = G_N_ELEMENTS (bindings),
    .pBindings = bindings,
  };
  VkPushConstantRange range = { VK_SHADER_STAGE_VERTEX_BIT, 0, 64 };
  VkPipelineLayoutCreateInfo layout_info = {
    .sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
    .setLayoutCount = 1,
    .pSetLayouts = (VkDescriptorSetLayout *)&self->set_layout,
    .pushConstantRangeCount = 1,
    .pPushConstantRanges = &range,
  };
  VkDescriptorPoolSize sizes[] = {
    { VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, N_MATERIALS + N_SWAP_IMAGES },
    { VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, N_MATERIALS + N_SWAP_IMAGES },
  };
  VkDescriptorPoolCreateInfo pool_info = {
    .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
    .maxSets = N_MATERIALS + N_SWAP_IMAGES,
    .poolSizeCount = G_N_ELEMENTS (sizes),
    .pPoolSizes = sizes,
  };
  VkSamplerCreateInfo sampler_info = {
    .sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO,
    .magFilter = VK_FILTER_LINEAR,
    .minFilter = VK_FILTER_LINEAR,
  };
  VkQueryPoolCreateInfo query_info = {
    .sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
    .queryType = VK_QUERY_TYPE_TIMESTAMP,
    .queryCount = 2 * N_SWAP_IMAGES,
  };
  VkDevice device = H (VkDevice, self->device);

  self->set_layout = new_handle (self);
  self->layout = new_handle (self);
  self->descriptor_pool = new_handle (self);
  self->sampler = new_handle (self);
  self->query_pool = new_handle (self);
  CALL (self->recorder, vkCreateDescriptorSetLayout, .device = device, .pCreateInfo = &set_info,
        .pSetLayout = (VkDescriptorSetLayout *)&self->set_layout);
  CALL (self->recorder, vkCreatePipelineLayout, .device = device, .pCreateInfo = &layout_info,
        .pPipelineLayout = (VkPipelineLayout *)&self->layout);
  CALL (self->recorder, vkCreateDescriptorPool, .device = device, .pCreateInfo = &pool_info,
        .pDescriptorPool = (VkDescriptorPool *)&self->descriptor_pool);
  CALL (self->recorder, vkCreateSampler, .device = device, .pCreateInfo = &sampler_info,
        .pSampler = (VkSampler *)&self->sampler);
  CALL (self->recorder, vkCreateQueryPool, .device = device, .pCreateInfo = &query_info,
        .pQueryPool = (VkQueryPool *)&self->query_pool);
}

static void
make_pipelines (VtrScene *self)
{
  guint64 vertex = make_shader (self, load_vert, sizeof load_vert);
  guint64 fragment = make_shader (self, load_frag, sizeof load_frag);

  self->shadow_pipeline =
    make_pipeline (self, self->shadow_pass, 0, TRUE, vertex, fragment, 0);
  for (guint i = 0; i < G_N_ELEMENTS (self->geometry_pipelines); i++)
    self->geometry_pipelines[i] =
      make_pipeline (self, self->geometry_pass, N_COLORS, TRUE, vertex, fragment, i);
  self->post_pipeline = make_pipeline (self, self->post_pass, 1, FALSE, vertex, fragment, 0);
  CALL (self->recorder, vkDestroyShaderModule, .device = H (VkDevice, self->device),
        .shaderModule = H (VkShaderModule, vertex));
  CALL (self->recorder, vkDestroyShaderModule, .device = H (VkDevice, self->device),
        .shaderModule = H (VkShaderModule, fragment));
}

static void
write_texture (VtrScene *self,
               guint64   set,
               guint64   view)
{
  VkDescriptorImageInfo image = { H (VkSampler, self->sampler), H (VkImageView, view),
                                  VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL };
  VkWriteDescriptorSet write = {
    .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
    .dstSet = H (VkDescriptorSet, set),
    .dstBinding = 1,
    .descriptorCount = 1,
    .descriptorType = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
    .pImageInfo = &image,
  };

  CALL (self->recorder, vkUpdateDescriptorSets, .device = H (VkDevice, self->device),
        .descriptorWriteCount = 1, .pDescriptorWrites = &write);
}

static guint64
make_set (VtrScene *self,
          guint64   uniforms,
          guint64   view)
{
  guint64 set = new_handle (self);
  VkDescriptorSetAllocateInfo info = {
    .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
    .descriptorPool = H (VkDescriptorPool, self->descriptor_pool),
    .descriptorSetCount = 1,
    .pSetLayouts = (VkDescriptorSetLayout *)&self->set_layout,
  };
  VkDescriptorBufferInfo buffer = { H (VkBuffer, uniforms), 0, 256 };
  VkWriteDescriptorSet write = {
    .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
    .descriptorCount = 1,
    .descriptorType = VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER,
    .pBufferInfo = &buffer,
  };

  CALL (self->recorder, vkAllocateDescriptorSets, .device = H (VkDevice, self->device),
        .pAllocateInfo = &info, .pDescriptorSets = (VkDescriptorSet *)&set);
  write.dstSet = H (VkDescriptorSet, set);
  CALL (self->recorder, vkUpdateDescriptorSets, .device = H (VkDevice, self->device),
        .descriptorWriteCount = 1, .pDescriptorWrites = &write);
  write_texture (self, set, view);
  return set;
}

static guint64
make_command_buffer (VtrScene             *self,
                     guint64              *pool,
                     VkCommandBufferLevel  level)
{
  guint64 handle = new_handle (self);
  VkCommandPoolCreateInfo pool_info = { .sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO };
  VkCommandBufferAllocateInfo info = {
    .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
    .level = level,
    .commandBufferCount = 1,
  };

  *pool = new_handle (self);
  CALL (self->recorder, vkCreateCommandPool, .device = H (VkDevice, self->device),
        .pCreateInfo = &pool_info, .pCommandPool = (VkCommandPool *)pool);
  info.commandPool = H (VkCommandPool, *pool);
  if (level == VK_COMMAND_BUFFER_LEVEL_SECONDARY)
    vtr_recorder_set_secondary (self->recorder, handle);
  CALL (self->recorder, vkAllocateCommandBuffers, .device = H (VkDevice, self->device),
        .pAllocateInfo = &info, .pCommandBuffers = (VkCommandBuffer *)&handle);
  return handle;
}

static void
make_frame (VtrScene      *self,
            VtrSceneFrame *frame)
{
  VkFenceCreateInfo fence_info = { .sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO,
                                   .flags = VK_FENCE_CREATE_SIGNALED_BIT };
  VkSemaphoreCreateInfo semaphore_info = { .sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO };
  guint64 *semaphores[] = { &frame->acquired, &frame->rendered };
  VkDevice device = H (VkDevice, self->device);

  frame->primary = make_command_buffer (self, &frame->pool, VK_COMMAND_BUFFER_LEVEL_PRIMARY);
  for (guint i = 0; i < N_SECONDARIES; i++)
    frame->secondaries[i] = make_command_buffer (self, &frame->worker_pools[i],
                                                 VK_COMMAND_BUFFER_LEVEL_SECONDARY);
  frame->fence = new_handle (self);
  CALL (self->recorder, vkCreateFence, .device = device, .pCreateInfo = &fence_info,
        .pFence = (VkFence *)&frame->fence);
  for (guint i = 0; i < G_N_ELEMENTS (semaphores); i++)
    {
      *semaphores[i] = new_handle (self);
      CALL (self->recorder, vkCreateSemaphore, .device = device, .pCreateInfo = &semaphore_info,
            .pSemaphore = (VkSemaphore *)semaphores[i]);
    }
  frame->uniforms = make_buffer (self, UNIFORM_BYTES, VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT);
  frame->set = make_set (self, frame->uniforms.buffer, self->colors[0].view);
}

void
vtr_scene_stream_texture (VtrScene *self,
                          guint     nth)
{
  VtrSceneImage *texture = &self->textures[nth];
  VkDevice device = H (VkDevice, self->device);
  gsize size = 4 * TEXTURE_SIZE * TEXTURE_SIZE;
  guint32 *texels = self->staging.mapped;

  if (texture->image != 0)
    {
      CALL (self->recorder, vkDestroyImageView, .device = device,
            .imageView = H (VkImageView, texture->view));
      CALL (self->recorder, vkDestroyImage, .device = device,
            .image = H (VkImage, texture->image));
      CALL (self->recorder, vkFreeMemory, .device = device,
            .memory = H (VkDeviceMemory, texture->memory));
      vtr_recorder_release_handle (self->recorder, texture->view);
      vtr_recorder_release_handle (self->recorder, texture->image);
      vtr_recorder_release_handle (self->recorder, texture->memory);
    }
  *texture = make_image (self, COLOR_FORMAT, TEXTURE_SIZE,
                         VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT);
  for (gsize i = 0; i < size / sizeof *texels; i++)
    texels[i] = g_rand_int (self->random) & 0x0f0f0f0f;
  vtr_recorder_add_write (self->recorder, self->device, self->staging.memory,
                          self->staging.mapped, 0, size);
  if (self->sets[nth] != 0)
    write_texture (self, self->sets[nth], texture->view);
}

void
vtr_scene_upload_texture (VtrScene *self,
                          guint     nth,
                          guint64   commands)
{
  VkCommandBuffer buffer = H (VkCommandBuffer, commands);
  VkImageMemoryBarrier barrier = {
    .sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
    .dstAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT,
    .newLayout = VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
    .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
    .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
    .image = H (VkImage, self->textures[nth].image),
    .subresourceRange = { VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1 },
  };
  VkBufferImageCopy copy = {
    .imageSubresource = { VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1 },
    .imageExtent = { TEXTURE_SIZE, TEXTURE_SIZE, 1 },
  };

  CALL (self->recorder, vkCmdPipelineBarrier, .commandBuffer = buffer,
        .srcStageMask = VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT,
        .dstStageMask = VK_PIPELINE_STAGE_TRANSFER_BIT, .imageMemoryBarrierCount = 1,
        .pImageMemoryBarriers = &barrier);
  CALL (self->recorder, vkCmdCopyBufferToImage, .commandBuffer = buffer,
        .srcBuffer = H (VkBuffer, self->staging.buffer), .dstImage = barrier.image,
        .dstImageLayout = VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, .regionCount = 1,
        .pRegions = &copy);
  barrier.srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT;
  barrier.dstAccessMask = VK_ACCESS_SHADER_READ_BIT;
  barrier.oldLayout = VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL;
  barrier.newLayout = VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL;
  CALL (self->recorder, vkCmdPipelineBarrier, .commandBuffer = buffer,
        .srcStageMask = VK_PIPELINE_STAGE_TRANSFER_BIT,
        .dstStageMask = VK_PIPELINE_STAGE_FRAGMENT_SHADER_BIT, .imageMemoryBarrierCount = 1,
        .pImageMemoryBarriers = &barrier);
}

VtrScene *
vtr_scene_new (VtrRecorder *recorder,
               guint32      seed)
{
  VtrScene *self = g_new0 (VtrScene, 1);
  guint16 *indices;

  self->recorder = recorder;
  self->random = g_rand_new_with_seed (seed);
  make_device (self);
  make_targets (self);
  make_swapchain (self);
  make_layouts (self);
  make_pipelines (self);
  self->vertices = make_buffer (self, 16 * 1024, VK_BUFFER_USAGE_VERTEX_BUFFER_BIT);
  self->indices = make_buffer (self, INDEX_BYTES, VK_BUFFER_USAGE_INDEX_BUFFER_BIT);
  self->staging = make_buffer (self, 65536, VK_BUFFER_USAGE_TRANSFER_SRC_BIT);
  indices = self->indices.mapped;
  for (guint i = 0; i < INDEX_BYTES / 2; i++)
    indices[i] = (guint16)(i % 96);
  vtr_recorder_add_write (recorder, self->device, self->indices.memory, self->indices.mapped, 0,
                          INDEX_BYTES);
  for (guint i = 0; i < N_SWAP_IMAGES; i++)
    make_frame (self, &self->frames[i]);
  for (guint i = 0; i < N_MATERIALS; i++)
    {
      vtr_scene_stream_texture (self, i);
      self->sets[i] = make_set (self, self->frames[0].uniforms.buffer, self->textures[i].view);
    }
  return self;
}

void
vtr_scene_free (VtrScene *self)
{
  VtrSceneBuffer *buffers[] = { &self->vertices, &self->indices, &self->staging };

  for (guint i = 0; i < G_N_ELEMENTS (buffers); i++)
    g_free (buffers[i]->mapped);
  for (guint i = 0; i < N_SWAP_IMAGES; i++)
    g_free (self->frames[i].uniforms.mapped);
  g_rand_free (self->random);
  g_free (self);
}
