/* Writes traces with the layer's encoder and the host's writer, without a program
 * (VtrTestTrace). */
#include "vtr-test-trace.h"

#include "engine/format/vtr-trace-writer.h"
#include "vulkan/vtr-vulkan-env.h"
#include "wire/vtr-pack-field.h"
#include "wire/vtr-trace-objects.h"

#include <glib/gstdio.h>

struct _VtrTestTrace
{
  char *folder, *path;
  VtrTraceWriter *writer;
  VtrBuffer message;
  const VkDescriptorUpdateTemplateEntry *entries;
  guint32 n_entries;
  guint32 damage; /* one byte in so many is changed; 0: none */
};

VtrTestTrace *
vtr_test_trace_new (void)
{
  VtrTestTrace *self = g_new0 (VtrTestTrace, 1);
  g_autoptr (GError) error = NULL;
  VtrBuffer header = { 0 };

  self->folder = g_dir_make_tmp ("vitrine-XXXXXX", &error);
  g_assert_no_error (error);
  self->path = g_build_filename (self->folder, "test.gfxtrace", NULL);
  self->writer = vtr_trace_writer_new (self->path, &error);
  g_assert_no_error (error);
  vtr_pack_append_string (&header, VTR_HEADER_PRODUCER, "Vitrine test");
  g_assert_true (vtr_trace_writer_append_object (self->writer, "vitrine.Header", header.data,
                                                 header.size, &error));
  g_assert_no_error (error);
  vtr_buffer_finish (&header);
  return self;
}

void
vtr_test_trace_free (VtrTestTrace *self)
{
  if (self->writer != NULL)
    vtr_trace_writer_free (self->writer, TRUE);
  g_unlink (self->path);
  g_rmdir (self->folder);
  vtr_buffer_finish (&self->message);
  g_free (self->path);
  g_free (self->folder);
  g_free (self);
}

static VtrTristate
is_secondary (void *data, VkCommandBuffer command_buffer)
{
  gsize handle = (gsize)command_buffer;

  return handle >= 0x2000 && handle < 0x3000 ? VTR_YES : VTR_NO;
}

static bool
get_template (void *data, VkDescriptorUpdateTemplate handle, VtrUpdateTemplate *out)
{
  VtrTestTrace *self = data;

  out->entries = self->entries;
  out->n_entries = self->n_entries;
  return self->entries != NULL;
}

static VtrTristate
has_attachments (void *data, VkRenderPass render_pass, uint32_t subpass)
{
  return VTR_YES;
}

guint64
vtr_test_trace_add (
  VtrTestTrace *self, VtrCmdId id, const void *args, gint64 result, guint32 flags)
{
  static const VtrVulkanEnv state = {
    .is_secondary = is_secondary,
    .update_template = get_template,
    .subpass_has_color = has_attachments,
    .subpass_has_depth_stencil = has_attachments,
  };
  const VtrApiEnv env = { .data = self, .state = &state };
  g_autoptr (GError) error = NULL;
  guint64 index;

  vtr_buffer_clear (&self->message);
  vtr_api_encode (&self->message, id, args, (guint64)result, 77, 0, 0, &env);
  g_assert_false (self->message.failed);
  for (gsize i = 0; self->damage > 0 && i < self->message.size; i++)
    if (g_test_rand_int_range (0, (gint32)self->damage) == 0)
      self->message.data[i] = (guint8)g_test_rand_int ();
  index = vtr_trace_writer_append_command (self->writer, id, self->message.data,
                                           self->message.size, flags, FALSE, &error);
  g_assert_no_error (error);
  return index;
}

void
vtr_test_trace_add_mapped_write (VtrTestTrace *self,
                                 guint64       memory,
                                 guint64       offset,
                                 const void   *data,
                                 gsize         size)
{
  vtr_test_trace_add_mapped_write_of (self, 3, memory, offset, data, size);
}

void
vtr_test_trace_add_mapped_write_of (VtrTestTrace *self,
                                    guint64       device,
                                    guint64       memory,
                                    guint64       offset,
                                    const void   *data,
                                    gsize         size)
{
  const guint64 address = 0x7f0000000000;
  g_autoptr (GError) error = NULL;
  VtrBuffer message = { 0 };

  vtr_api_encode_observation_at (&message, VTR_COMMAND_READS, address + offset, data, size);
  vtr_pack_append_fixed64 (&message, VTR_MAPPED_WRITES_DEVICE, device);
  vtr_pack_append_fixed64 (&message, VTR_MAPPED_WRITES_MEMORY, memory);
  vtr_pack_append_fixed64 (&message, VTR_MAPPED_WRITES_MAP_ADDRESS, address);
  g_assert_true (vtr_trace_writer_append_object (self->writer, "vitrine.MappedWrites",
                                                 message.data, message.size, &error));
  g_assert_no_error (error);
  vtr_buffer_finish (&message);
}

void
vtr_test_trace_set_damage (VtrTestTrace *self,
                           guint32       one_in)
{
  self->damage = one_in;
}

void
vtr_test_trace_set_template (VtrTestTrace                          *self,
                             const VkDescriptorUpdateTemplateEntry *entries,
                             guint32                                n)
{
  self->entries = entries;
  self->n_entries = n;
}

const char *
vtr_test_trace_finish (VtrTestTrace *self)
{
  g_autoptr (GError) error = NULL;

  g_assert_true (vtr_trace_writer_finish (self->writer, &error));
  g_assert_no_error (error);
  vtr_trace_writer_free (g_steal_pointer (&self->writer), FALSE);
  return self->path;
}

VtrTrace *
vtr_test_trace_open (VtrTestTrace *self)
{
  g_autoptr (GError) error = NULL;
  VtrTrace *trace = vtr_trace_open (vtr_test_trace_finish (self), NULL, NULL, NULL, &error);

  g_assert_no_error (error);
  g_assert_nonnull (trace);
  return trace;
}

VtrDocument *
vtr_test_trace_open_document (VtrTestTrace *self)
{
  g_autoptr (GError) error = NULL;
  VtrDocument *document =
    vtr_document_open (vtr_test_trace_finish (self), NULL, NULL, NULL, &error);

  g_assert_no_error (error);
  g_assert_nonnull (document);
  return document;
}

void
vtr_test_trace_describe_device (VtrTestTrace                           *self,
                                const VkPhysicalDeviceProperties       *properties,
                                const VkPhysicalDeviceMemoryProperties *memory,
                                const VkQueueFamilyProperties          *families,
                                guint                                   n_families)
{
  g_autoptr (GError) error = NULL;
  VtrBuffer message = { 0 };

  vtr_pack_append_fixed64 (&message, VTR_DEVICE_INFO_DEVICE, 3);
  vtr_pack_append_fixed64 (&message, VTR_DEVICE_INFO_PHYSICAL_DEVICE, 2);
  vtr_pack_append_bytes (&message, VTR_DEVICE_INFO_PROPERTIES, properties, sizeof *properties);
  vtr_pack_append_bytes (&message, VTR_DEVICE_INFO_MEMORY, memory, sizeof *memory);
  vtr_pack_append_bytes (&message, VTR_DEVICE_INFO_QUEUE_FAMILIES, families,
                         n_families * sizeof *families);
  vtr_trace_writer_append_object (self->writer, "vitrine.DeviceInfo", message.data, message.size,
                                  &error);
  g_assert_no_error (error);
  vtr_buffer_finish (&message);
}

/* --- Frequent calls --- */

void
vtr_test_add_device (VtrTestTrace *self)
{
  VkInstance instance = H (VkInstance, 1);
  VkPhysicalDevice physical_device = H (VkPhysicalDevice, 2);
  VkDevice device = H (VkDevice, 3);
  VkQueue queue = H (VkQueue, 4);
  VkInstanceCreateInfo instance_info = { .sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO };
  VkDeviceCreateInfo device_info = { .sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO };
  guint32 one = 1;

  ADD (self, vkCreateInstance, .pCreateInfo = &instance_info, .pInstance = &instance);
  ADD (self, vkEnumeratePhysicalDevices, .instance = instance, .pPhysicalDeviceCount = &one,
       .pPhysicalDevices = &physical_device);
  ADD (self, vkCreateDevice, .physicalDevice = physical_device, .pCreateInfo = &device_info,
       .pDevice = &device);
  ADD (self, vkGetDeviceQueue, .device = device, .pQueue = &queue);
}

void
vtr_test_add_pool (VtrTestTrace *self, guint64 pool, guint32 family)
{
  VkCommandPool handle = H (VkCommandPool, pool);
  VkCommandPoolCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
    .queueFamilyIndex = family,
  };

  ADD (self, vkCreateCommandPool, .device = H (VkDevice, 3), .pCreateInfo = &info,
       .pCommandPool = &handle);
}

void
vtr_test_allocate_buffer (VtrTestTrace *self, guint64 pool, guint64 buffer)
{
  VkCommandBuffer handle = H (VkCommandBuffer, buffer);
  VkCommandBufferAllocateInfo info = {
    .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
    .commandPool = H (VkCommandPool, pool),
    .level = is_secondary (NULL, handle) == VTR_YES ? VK_COMMAND_BUFFER_LEVEL_SECONDARY
                                                    : VK_COMMAND_BUFFER_LEVEL_PRIMARY,
    .commandBufferCount = 1,
  };

  ADD (self, vkAllocateCommandBuffers, .device = H (VkDevice, 3), .pAllocateInfo = &info,
       .pCommandBuffers = &handle);
}

guint64
vtr_test_begin (VtrTestTrace *self, guint64 buffer)
{
  VkCommandBufferBeginInfo info = { .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO };

  return ADD (self, vkBeginCommandBuffer, .commandBuffer = H (VkCommandBuffer, buffer),
              .pBeginInfo = &info);
}

guint64
vtr_test_end (VtrTestTrace *self, guint64 buffer)
{
  return ADD (self, vkEndCommandBuffer, .commandBuffer = H (VkCommandBuffer, buffer));
}

guint64
vtr_test_draw (VtrTestTrace *self, guint64 buffer)
{
  return ADD (self, vkCmdDraw, .commandBuffer = H (VkCommandBuffer, buffer), .vertexCount = 3,
              .instanceCount = 1);
}

guint64
vtr_test_submit (VtrTestTrace *self, guint64 buffer)
{
  VkCommandBuffer handle = H (VkCommandBuffer, buffer);
  VkSubmitInfo info = {
    .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
    .commandBufferCount = 1,
    .pCommandBuffers = &handle,
  };

  return ADD (self, vkQueueSubmit, .queue = H (VkQueue, 4), .submitCount = 1, .pSubmits = &info);
}

guint64
vtr_test_label (VtrTestTrace *self, guint64 buffer, const char *text)
{
  VkDebugUtilsLabelEXT label = {
    .sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_LABEL_EXT,
    .pLabelName = text,
  };

  return ADD (self, vkCmdBeginDebugUtilsLabelEXT, .commandBuffer = H (VkCommandBuffer, buffer),
              .pLabelInfo = &label);
}

guint64
vtr_test_end_label (VtrTestTrace *self, guint64 buffer)
{
  return ADD (self, vkCmdEndDebugUtilsLabelEXT, .commandBuffer = H (VkCommandBuffer, buffer));
}

guint64
vtr_test_add_memory (VtrTestTrace *self,
                     guint64       memory,
                     guint64       size)
{
  VkDeviceMemory handle = H (VkDeviceMemory, memory);
  VkMemoryAllocateInfo info = {
    .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
    .allocationSize = size,
  };

  return ADD (self, vkAllocateMemory, .device = H (VkDevice, 3), .pAllocateInfo = &info,
              .pMemory = &handle);
}

guint64
vtr_test_add_buffer (VtrTestTrace       *self,
                     guint64             buffer,
                     guint64             size,
                     VkBufferUsageFlags  usage)
{
  VkBuffer handle = H (VkBuffer, buffer);
  VkBufferCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
    .size = size,
    .usage = usage,
  };

  return ADD (self, vkCreateBuffer, .device = H (VkDevice, 3), .pCreateInfo = &info,
              .pBuffer = &handle);
}

void
vtr_test_bind_buffer (VtrTestTrace *self,
                      guint64       buffer,
                      guint64       memory,
                      guint64       offset)
{
  ADD (self, vkBindBufferMemory, .device = H (VkDevice, 3), .buffer = H (VkBuffer, buffer),
       .memory = H (VkDeviceMemory, memory), .memoryOffset = offset);
}

void
vtr_test_add_image (
  VtrTestTrace *self, guint64 image, guint64 view, VkFormat format, guint32 width, guint32 height)
{
  VkImage image_handle = H (VkImage, image);
  VkImageView view_handle = H (VkImageView, view);
  VkImageCreateInfo image_info = {
    .sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
    .imageType = VK_IMAGE_TYPE_2D,
    .format = format,
    .extent = { width, height, 1 },
    .mipLevels = 4,
    .arrayLayers = 2,
    .samples = VK_SAMPLE_COUNT_1_BIT,
  };
  VkImageViewCreateInfo view_info = {
    .sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
    .image = image_handle,
    .viewType = VK_IMAGE_VIEW_TYPE_2D,
    .format = format,
    .subresourceRange = { VK_IMAGE_ASPECT_COLOR_BIT, 1, VK_REMAINING_MIP_LEVELS, 0,
                          VK_REMAINING_ARRAY_LAYERS },
  };

  ADD (self, vkCreateImage, .device = H (VkDevice, 3), .pCreateInfo = &image_info,
       .pImage = &image_handle);
  ADD (self, vkCreateImageView, .device = H (VkDevice, 3), .pCreateInfo = &view_info,
       .pView = &view_handle);
}

void
vtr_test_add_render_pass (
  VtrTestTrace *self, guint64 render_pass, VkFormat format, gboolean depth, guint32 n_subpasses)
{
  VkRenderPass handle = H (VkRenderPass, render_pass);
  VkAttachmentDescription attachments[2] = {
    { .format = format, .samples = VK_SAMPLE_COUNT_1_BIT },
    { .format = VK_FORMAT_D32_SFLOAT, .samples = VK_SAMPLE_COUNT_1_BIT },
  };
  VkAttachmentReference color = { 0, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL };
  VkAttachmentReference depth_reference = { 1, VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL };
  g_autofree VkSubpassDescription *subpasses = g_new0 (VkSubpassDescription, n_subpasses);
  VkRenderPassCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO,
    .attachmentCount = depth ? 2 : 1,
    .pAttachments = attachments,
    .subpassCount = n_subpasses,
    .pSubpasses = subpasses,
  };

  for (guint32 i = 0; i < n_subpasses; i++)
    {
      subpasses[i].colorAttachmentCount = 1;
      subpasses[i].pColorAttachments = &color;
      /* Only the first subpass tests depth. */
      subpasses[i].pDepthStencilAttachment = depth && i == 0 ? &depth_reference : NULL;
    }
  ADD (self, vkCreateRenderPass, .device = H (VkDevice, 3), .pCreateInfo = &info,
       .pRenderPass = &handle);
}

guint64
vtr_test_begin_pass (VtrTestTrace *self, guint64 buffer, guint64 render_pass, guint64 framebuffer)
{
  VkRenderPassBeginInfo info = {
    .sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
    .renderPass = H (VkRenderPass, render_pass),
    .framebuffer = H (VkFramebuffer, framebuffer),
    .renderArea = { { 0, 0 }, { 64, 32 } },
  };

  return ADD (self, vkCmdBeginRenderPass, .commandBuffer = H (VkCommandBuffer, buffer),
              .pRenderPassBegin = &info);
}

guint64
vtr_test_end_pass (VtrTestTrace *self, guint64 buffer)
{
  return ADD (self, vkCmdEndRenderPass, .commandBuffer = H (VkCommandBuffer, buffer));
}

void
vtr_test_present (VtrTestTrace *self)
{
  VkPresentInfoKHR info = { .sType = VK_STRUCTURE_TYPE_PRESENT_INFO_KHR };

  ADD (self, vkQueuePresentKHR, .queue = H (VkQueue, 4), .pPresentInfo = &info);
}
