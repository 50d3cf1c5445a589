/* The base of all test programs: command line, Vulkan device, buffers, images, command buffers,
 * and files. */
#include "vtr-app.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void
vtr_app_fail (const char *format, ...)
{
  va_list args;

  va_start (args, format);
  fprintf (stderr, "%s: ", program_invocation_short_name);
  vfprintf (stderr, format, args);
  fputc ('\n', stderr);
  va_end (args);

  exit (1);
}

void
vtr_app_check (VkResult    result,
               const char *call)
{
  if (result != VK_SUCCESS)
    vtr_app_fail ("%s failed (VkResult %d)", call, result);
}

static void
print_help (const VtrAppOption *options)
{
  printf ("Usage: %s [OPTION…]\n\n", program_invocation_short_name);
  for (; options->name != NULL; options++)
    printf ("  %-14s %s\n", options->name, options->help);
}

int
vtr_app_options (int                  argc,
                 char               **argv,
                 const VtrAppOption  *options)
{
  int i = 1;

  while (i < argc && strncmp (argv[i], "--", 2) == 0)
    {
      const VtrAppOption *option = options;
      const char *name = argv[i++];

      if (strcmp (name, "--help") == 0)
        {
          print_help (options);
          exit (0);
        }

      if (strcmp (name, "--") == 0)
        break;

      while (option->name != NULL && strcmp (option->name, name) != 0)
        option++;
      if (option->name == NULL)
        vtr_app_fail ("there is no option %s; try --help", name);

      if (option->flag != NULL)
        {
          *option->flag = true;
          continue;
        }

      if (i == argc)
        vtr_app_fail ("%s needs a value", name);

      if (option->text != NULL)
        {
          *option->text = argv[i++];
        }
      else
        {
          char *end;
          unsigned long value = strtoul (argv[i], &end, 0);

          if (*end != '\0' || end == argv[i] || value > UINT32_MAX)
            vtr_app_fail ("%s is not a number", argv[i]);
          *option->number = (uint32_t)value;
          i++;
        }
    }

  return i;
}

static void
choose_device (VtrAppGpu *self)
{
  VkQueueFamilyProperties families[16];
  uint32_t n_families = 16;
  uint32_t n_devices = 1;
  VkResult result;

  result = vkEnumeratePhysicalDevices (self->instance, &n_devices, &self->physical);
  if (n_devices == 0 || (result != VK_SUCCESS && result != VK_INCOMPLETE))
    vtr_app_fail ("there is no Vulkan device (VkResult %d)", result);

  vkGetPhysicalDeviceMemoryProperties (self->physical, &self->memory);
  vkGetPhysicalDeviceQueueFamilyProperties (self->physical, &n_families, families);
  for (self->family = 0; self->family < n_families; self->family++)
    {
      if ((families[self->family].queueFlags & VK_QUEUE_GRAPHICS_BIT) != 0 &&
          (families[self->family].queueFlags & VK_QUEUE_COMPUTE_BIT) != 0)
        return;
    }

  vtr_app_fail ("the device has no queue for both graphics and compute");
}

#define MAX_FAMILIES 16u

/* Returns: how many of @infos. */
static uint32_t
list_queues (const VtrAppGpu         *self,
             VkDeviceQueueCreateInfo  infos[MAX_FAMILIES])
{
  static const float priorities[64] = { 1 };
  VkQueueFamilyProperties families[MAX_FAMILIES];
  uint32_t n_families = MAX_FAMILIES, n = 0;

  vkGetPhysicalDeviceQueueFamilyProperties (self->physical, &n_families, families);
  for (uint32_t i = 0; i < n_families; i++)
    if (self->all_queues || i == self->family)
      infos[n++] = (VkDeviceQueueCreateInfo){
        .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
        .queueFamilyIndex = i,
        .queueCount = self->all_queues ? families[i].queueCount : 1,
        .pQueuePriorities = priorities,
      };
  return n;
}

void
vtr_app_gpu_init (VtrAppGpu                       *self,
                  const VkPhysicalDeviceFeatures2 *features,
                  bool                             present)
{
  VkApplicationInfo application = {
    .sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
    .pApplicationName = program_invocation_short_name,
    .applicationVersion = 1,
    .apiVersion = self->version != 0 ? self->version : VK_API_VERSION_1_3,
  };
  const char *instance_extensions[8];
  const char *device_extensions[32];
  uint32_t n_instance = 0, n_device = 0;
  VkInstanceCreateInfo instance_info = {
    .sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
    .pApplicationInfo = &application,
    .ppEnabledExtensionNames = instance_extensions,
  };
  VkDeviceQueueCreateInfo queues[MAX_FAMILIES];
  const VkDeviceGroupDeviceCreateInfo group = {
    .sType = VK_STRUCTURE_TYPE_DEVICE_GROUP_DEVICE_CREATE_INFO,
    .pNext = features,
    .physicalDeviceCount = 1,
    .pPhysicalDevices = &self->physical,
  };
  VkDeviceCreateInfo device_info = {
    .sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
    .pNext = self->group ? (const void *)&group : features,
    .pQueueCreateInfos = queues,
    .ppEnabledExtensionNames = device_extensions,
  };
  VkCommandPoolCreateInfo pool_info = {
    .sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
    .flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT,
  };
  VkResult result;

  if (present)
    {
      instance_extensions[n_instance++] = "VK_KHR_surface";
      instance_extensions[n_instance++] = "VK_KHR_xcb_surface";
      for (const char *const *name = self->surface_extensions; name != NULL && *name != NULL;
           name++)
        instance_extensions[n_instance++] = *name;
      device_extensions[n_device++] = VK_KHR_SWAPCHAIN_EXTENSION_NAME;
      for (const char *const *name = self->window_extensions; name != NULL && *name != NULL; name++)
        device_extensions[n_device++] = *name;
    }
  if (self->debug_utils)
    instance_extensions[n_instance++] = VK_EXT_DEBUG_UTILS_EXTENSION_NAME;
  for (uint32_t i = 0; self->extensions != NULL && self->extensions[i] != NULL; i++)
    device_extensions[n_device++] = self->extensions[i];
  instance_info.enabledExtensionCount = n_instance;
  device_info.enabledExtensionCount = n_device;
  result = vkCreateInstance (&instance_info, NULL, &self->instance);
  vtr_app_check (result, "vkCreateInstance");
  choose_device (self);
  device_info.queueCreateInfoCount = list_queues (self, queues);
  pool_info.queueFamilyIndex = self->family;
  result = vkCreateDevice (self->physical, &device_info, NULL, &self->device);
  vtr_app_check (result, "vkCreateDevice");
  vkGetDeviceQueue (self->device, self->family, 0, &self->queue);
  result = vkCreateCommandPool (self->device, &pool_info, NULL, &self->pool);
  vtr_app_check (result, "vkCreateCommandPool");
}

void
vtr_app_gpu_finish (VtrAppGpu *self)
{
  vkDeviceWaitIdle (self->device);
  vkDestroyCommandPool (self->device, self->pool, NULL);
  vkDestroyDevice (self->device, NULL);
  vkDestroyInstance (self->instance, NULL);
}

VkDeviceMemory
vtr_app_allocate (VtrAppGpu                  *gpu,
                  const VkMemoryRequirements *requirements,
                  VkMemoryPropertyFlags       properties)
{
  return vtr_app_allocate_with (gpu, requirements, properties, NULL);
}

VkDeviceMemory
vtr_app_allocate_with (VtrAppGpu                  *gpu,
                       const VkMemoryRequirements *requirements,
                       VkMemoryPropertyFlags       properties,
                       const void                 *next)
{
  VkMemoryAllocateInfo info = {
    .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
    .pNext = next,
    .allocationSize = requirements->size,
  };
  VkDeviceMemory memory;
  uint32_t type = 0;

  while (type < gpu->memory.memoryTypeCount &&
         ((requirements->memoryTypeBits & (1u << type)) == 0 ||
          (gpu->memory.memoryTypes[type].propertyFlags & properties) != properties))
    type++;
  if (type == gpu->memory.memoryTypeCount)
    vtr_app_fail ("no memory type has the properties 0x%x", properties);

  info.memoryTypeIndex = type;
  vtr_app_check (vkAllocateMemory (gpu->device, &info, NULL, &memory), "vkAllocateMemory");

  return memory;
}

VtrAppBuffer
vtr_app_buffer (VtrAppGpu             *gpu,
                VkDeviceSize           size,
                VkBufferUsageFlags     usage,
                VkMemoryPropertyFlags  properties)
{
  VkBufferCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
    .size = size,
    .usage = usage,
  };
  const VkMemoryAllocateFlagsInfo addresses = {
    .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO,
    .flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT,
  };
  VtrAppBuffer self = { .size = size };
  VkMemoryRequirements requirements;
  VkResult result = vkCreateBuffer (gpu->device, &info, NULL, &self.buffer);

  vtr_app_check (result, "vkCreateBuffer");
  vkGetBufferMemoryRequirements (gpu->device, self.buffer, &requirements);
  self.memory = vtr_app_allocate_with (
    gpu, &requirements, properties,
    (usage & VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT) != 0 ? &addresses : NULL);
  result = vkBindBufferMemory (gpu->device, self.buffer, self.memory, 0);
  vtr_app_check (result, "vkBindBufferMemory");
  if ((properties & VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT) != 0)
    {
      result = vkMapMemory (gpu->device, self.memory, 0, VK_WHOLE_SIZE, 0, &self.mapped);
      vtr_app_check (result, "vkMapMemory");
    }

  return self;
}

void
vtr_app_buffer_finish (VtrAppGpu    *gpu,
                       VtrAppBuffer *self)
{
  if (self->mapped != NULL)
    vkUnmapMemory (gpu->device, self->memory);
  vkDestroyBuffer (gpu->device, self->buffer, NULL);
  vkFreeMemory (gpu->device, self->memory, NULL);
}

VkImageAspectFlags
vtr_app_aspects (VkFormat format)
{
  switch (format)
    {
    case VK_FORMAT_D16_UNORM:
    case VK_FORMAT_X8_D24_UNORM_PACK32:
    case VK_FORMAT_D32_SFLOAT:
      return VK_IMAGE_ASPECT_DEPTH_BIT;
    case VK_FORMAT_S8_UINT:
      return VK_IMAGE_ASPECT_STENCIL_BIT;
    case VK_FORMAT_D16_UNORM_S8_UINT:
    case VK_FORMAT_D24_UNORM_S8_UINT:
    case VK_FORMAT_D32_SFLOAT_S8_UINT:
      return VK_IMAGE_ASPECT_DEPTH_BIT | VK_IMAGE_ASPECT_STENCIL_BIT;
    default:
      return VK_IMAGE_ASPECT_COLOR_BIT;
    }
}

VkDeviceAddress
vtr_app_address (const VtrAppGpu *gpu,
                 VkBuffer         buffer)
{
  const VkBufferDeviceAddressInfo info = { .sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO,
                                           .buffer = buffer };

  return vkGetBufferDeviceAddress (gpu->device, &info);
}

VtrAppImage
vtr_app_image (VtrAppGpu         *gpu,
               uint32_t           width,
               uint32_t           height,
               VkFormat           format,
               VkImageUsageFlags  usage)
{
  VkImageCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
    .imageType = VK_IMAGE_TYPE_2D,
    .format = format,
    .extent = { width, height, 1 },
    .mipLevels = 1,
    .arrayLayers = 1,
    .samples = VK_SAMPLE_COUNT_1_BIT,
    .tiling = VK_IMAGE_TILING_OPTIMAL,
    .usage = usage,
  };
  VkImageViewCreateInfo view_info = {
    .sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
    .viewType = VK_IMAGE_VIEW_TYPE_2D,
    .format = format,
    .subresourceRange = { vtr_app_aspects (format), 0, 1, 0, 1 },
  };
  VtrAppImage self = { .format = format, .width = width, .height = height };
  VkMemoryRequirements requirements;

  vtr_app_check (vkCreateImage (gpu->device, &info, NULL, &self.image), "vkCreateImage");
  vkGetImageMemoryRequirements (gpu->device, self.image, &requirements);
  self.memory = vtr_app_allocate (gpu, &requirements, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
  vtr_app_check (vkBindImageMemory (gpu->device, self.image, self.memory, 0), "vkBindImageMemory");
  view_info.image = self.image;
  vtr_app_check (vkCreateImageView (gpu->device, &view_info, NULL, &self.view),
                 "vkCreateImageView");

  return self;
}

void
vtr_app_image_finish (VtrAppGpu   *gpu,
                      VtrAppImage *self)
{
  vkDestroyImageView (gpu->device, self->view, NULL);
  vkDestroyImage (gpu->device, self->image, NULL);
  vkFreeMemory (gpu->device, self->memory, NULL);
}

VkShaderModule
vtr_app_shader (VtrAppGpu      *gpu,
                const uint32_t  code[],
                size_t          size)
{
  VkShaderModuleCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
    .codeSize = size,
    .pCode = code,
  };
  VkShaderModule module;

  vtr_app_check (vkCreateShaderModule (gpu->device, &info, NULL, &module), "vkCreateShaderModule");

  return module;
}

VkDescriptorSet
vtr_app_set (VtrAppGpu                  *gpu,
             VkDescriptorSetLayout       layout,
             uint32_t                    n_sizes,
             const VkDescriptorPoolSize *sizes,
             VkDescriptorPool           *pool)
{
  const VkDescriptorPoolCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
    .maxSets = 1,
    .poolSizeCount = n_sizes,
    .pPoolSizes = sizes,
  };
  VkDescriptorSetAllocateInfo allocate = {
    .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
    .descriptorSetCount = 1,
    .pSetLayouts = &layout,
  };
  VkDescriptorSet set;

  vtr_app_check (vkCreateDescriptorPool (gpu->device, &info, NULL, pool),
                 "vkCreateDescriptorPool");
  allocate.descriptorPool = *pool;
  vtr_app_check (vkAllocateDescriptorSets (gpu->device, &allocate, &set),
                 "vkAllocateDescriptorSets");
  return set;
}

void
vtr_app_triangles (VtrAppTriangles       *self,
                   uint32_t               edge,
                   VkSampleCountFlagBits  samples)
{
  *self = (VtrAppTriangles){
    .input = { .sType = VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO },
    .assembly = { .sType = VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO,
                  .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST },
    .viewport = { 0, 0, (float)edge, (float)edge, 0, 1 },
    .viewports = { .sType = VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO,
                   .viewportCount = 1,
                   .pViewports = &self->viewport,
                   .scissorCount = 1 },
    .raster = { .sType = VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO,
                .lineWidth = 1 },
    .samples = { .sType = VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO,
                 .rasterizationSamples = samples },
    .state = VK_DYNAMIC_STATE_SCISSOR,
    .dynamic = { .sType = VK_STRUCTURE_TYPE_PIPELINE_DYNAMIC_STATE_CREATE_INFO,
                 .dynamicStateCount = 1,
                 .pDynamicStates = &self->state },
    .info = { .sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO,
              .stageCount = 2,
              .pVertexInputState = &self->input,
              .pInputAssemblyState = &self->assembly,
              .pViewportState = &self->viewports,
              .pRasterizationState = &self->raster,
              .pMultisampleState = &self->samples,
              .pDynamicState = &self->dynamic },
  };
}

VkCommandBuffer
vtr_app_commands (VtrAppGpu            *gpu,
                  VkCommandBufferLevel  level)
{
  VkCommandBufferAllocateInfo info = {
    .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
    .commandPool = gpu->pool,
    .level = level,
    .commandBufferCount = 1,
  };
  VkCommandBuffer commands;

  vtr_app_check (vkAllocateCommandBuffers (gpu->device, &info, &commands),
                 "vkAllocateCommandBuffers");

  return commands;
}

void
vtr_app_begin (VkCommandBuffer commands)
{
  VkCommandBufferBeginInfo info = {
    .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
    .flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT,
  };

  vtr_app_check (vkBeginCommandBuffer (commands, &info), "vkBeginCommandBuffer");
}

void
vtr_app_run (VtrAppGpu       *gpu,
             VkCommandBuffer  commands)
{
  VkFenceCreateInfo fence_info = { .sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO };
  VkSubmitInfo submit = {
    .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
    .commandBufferCount = 1,
    .pCommandBuffers = &commands,
  };
  VkFence fence;

  vtr_app_check (vkEndCommandBuffer (commands), "vkEndCommandBuffer");
  vtr_app_check (vkCreateFence (gpu->device, &fence_info, NULL, &fence), "vkCreateFence");
  vtr_app_check (vkQueueSubmit (gpu->queue, 1, &submit, fence), "vkQueueSubmit");
  vtr_app_check (vkWaitForFences (gpu->device, 1, &fence, VK_TRUE, UINT64_MAX), "vkWaitForFences");
  vkDestroyFence (gpu->device, fence, NULL);
}

void
vtr_app_barrier (VkCommandBuffer commands)
{
  VkMemoryBarrier barrier = {
    .sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
    .srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT,
    .dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT,
  };

  vkCmdPipelineBarrier (commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                        VK_PIPELINE_STAGE_ALL_COMMANDS_BIT | VK_PIPELINE_STAGE_HOST_BIT, 0,
                        1, &barrier, 0, NULL, 0, NULL);
}

void
vtr_app_transition (VkCommandBuffer    commands,
                    const VtrAppImage *image,
                    VkImageLayout      from,
                    VkImageLayout      to)
{
  VkImageMemoryBarrier barrier = {
    .sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
    .srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT,
    .dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT,
    .oldLayout = from,
    .newLayout = to,
    .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
    .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
    .image = image->image,
    .subresourceRange = { vtr_app_aspects (image->format), 0, 1, 0, 1 },
  };

  vkCmdPipelineBarrier (commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                        VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0, NULL, 0, NULL, 1, &barrier);
}

static void
write_parts (const char *path,
             const void *head,
             size_t      head_size,
             const void *data,
             size_t      size)
{
  FILE *file = fopen (path, "wbe");

  if (file == NULL ||
      fwrite (head, 1, head_size, file) != head_size ||
      fwrite (data, 1, size, file) != size ||
      fclose (file) != 0)
    vtr_app_fail ("%s could not be written: %s", path, strerror (errno));
}

void
vtr_app_write_file (const char *path,
                    const void *data,
                    size_t      size)
{
  write_parts (path, "", 0, data, size);
}

void
vtr_app_write_image (const char *directory,
                     const char *name,
                     uint32_t    width,
                     uint32_t    height,
                     VkFormat    format,
                     const void *data,
                     uint64_t    size)
{
  struct
  {
    char magic[8];
    uint32_t version;
    uint32_t width;
    uint32_t height;
    uint32_t format;
    uint64_t size;
  } header = { "VTRFRAME", 1, width, height, format, size };
  char path[PATH_MAX];

  if (snprintf (path, sizeof path, "%s/%s.raw", directory, name) >= (int)sizeof path)
    vtr_app_fail ("the path of %s is too long", name);
  write_parts (path, &header, sizeof header, data, size);
}

uint32_t
vtr_app_random (uint64_t *state)
{
  *state = *state * 6364136223846793005u + 1442695040888963407u;

  return (uint32_t)(*state >> 33);
}
