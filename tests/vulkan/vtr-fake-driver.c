/* A fake Vulkan driver that creates handles, counts calls, and fails on request, for the tests
 * of src/vulkan. */
#include "vtr-fake-driver.h"

#include <stdbool.h>
#include <string.h>

VtrFake vtr_fake;

static const VkPhysicalDeviceMemoryProperties memory = {
  .memoryTypeCount = 3,
  .memoryTypes = { { VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, 0 },
                   { VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT, 0 },
                   { VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, 0 } },
};

/* Returns: whether this making succeeds. */
static bool
step (void)
{
  return ++vtr_fake.n_made != vtr_fake.fails_at;
}

/* Returns: NULL when this making fails. */
static gpointer
make (const VkAllocationCallbacks *allocator)
{
  gpointer handle = GSIZE_TO_POINTER (vtr_fake.last + 1);

  g_assert_null (allocator);
  if (!step ())
    return NULL;
  vtr_fake.last++;
  g_hash_table_add (vtr_fake.live, handle);
  return handle;
}

static void
destroy (gpointer                     handle,
         const VkAllocationCallbacks *allocator)
{
  g_assert_null (allocator);
  g_assert_true (g_hash_table_remove (vtr_fake.live, handle));
}

#define RETURN(handle) \
  return *(handle) == VK_NULL_HANDLE ? VK_ERROR_OUT_OF_DEVICE_MEMORY : VK_SUCCESS

#define MAKES(name) \
  static VkResult fake_Create##name (VkDevice device, const Vk##name##CreateInfo *info, \
                                     const VkAllocationCallbacks *allocator, Vk##name *handle) \
  { \
    (void)device; \
    (void)info; \
    *handle = make (allocator); \
    RETURN (handle); \
  }
#define DESTROYS(function, type) \
  static void fake_##function (VkDevice device, type handle, \
                               const VkAllocationCallbacks *allocator) \
  { \
    (void)device; \
    destroy (handle, allocator); \
  }
MAKES (DescriptorPool)
MAKES (DescriptorSetLayout)
MAKES (Framebuffer)
MAKES (Image)
MAKES (ImageView)
MAKES (PipelineLayout)
MAKES (RenderPass)
MAKES (ShaderModule)
DESTROYS (DestroyDescriptorPool, VkDescriptorPool)
DESTROYS (DestroyDescriptorSetLayout, VkDescriptorSetLayout)
DESTROYS (DestroyFramebuffer, VkFramebuffer)
DESTROYS (DestroyImage, VkImage)
DESTROYS (DestroyImageView, VkImageView)
DESTROYS (DestroyPipeline, VkPipeline)
DESTROYS (DestroyPipelineLayout, VkPipelineLayout)
DESTROYS (DestroyRenderPass, VkRenderPass)
DESTROYS (DestroyShaderModule, VkShaderModule)
DESTROYS (FreeMemory, VkDeviceMemory)

static VkResult
fake_CreateComputePipelines (VkDevice                           device,
                             VkPipelineCache                    cache,
                             uint32_t                           n,
                             const VkComputePipelineCreateInfo *info,
                             const VkAllocationCallbacks       *allocator,
                             VkPipeline                        *pipeline)
{
  (void)device, (void)cache, (void)n, (void)info;
  *pipeline = make (allocator);
  RETURN (pipeline);
}

static VkResult
fake_CreateGraphicsPipelines (VkDevice                            device,
                              VkPipelineCache                     cache,
                              uint32_t                            n,
                              const VkGraphicsPipelineCreateInfo *info,
                              const VkAllocationCallbacks        *allocator,
                              VkPipeline                         *pipeline)
{
  (void)device, (void)cache, (void)n;
  if (info->pMultisampleState->pSampleMask != NULL)
    memcpy (vtr_fake.mask, info->pMultisampleState->pSampleMask, sizeof vtr_fake.mask);
  *pipeline = make (allocator);
  RETURN (pipeline);
}

static VkResult
fake_AllocateMemory (VkDevice                     device,
                     const VkMemoryAllocateInfo  *info,
                     const VkAllocationCallbacks *allocator,
                     VkDeviceMemory              *handle)
{
  (void)device;
  vtr_fake.memory_type = info->memoryTypeIndex;
  *handle = make (allocator);
  RETURN (handle);
}

/* Sets go with their pool. */
static VkResult
fake_AllocateDescriptorSets (VkDevice                           device,
                             const VkDescriptorSetAllocateInfo *info,
                             VkDescriptorSet                   *set)
{
  (void)device, (void)info;
  *set = GSIZE_TO_POINTER (++vtr_fake.last);
  return step () ? VK_SUCCESS : VK_ERROR_OUT_OF_POOL_MEMORY;
}

static VkResult
fake_BindImageMemory (VkDevice       device,
                      VkImage        image,
                      VkDeviceMemory handle,
                      VkDeviceSize   offset)
{
  (void)device, (void)image, (void)handle, (void)offset;
  return step () ? VK_SUCCESS : VK_ERROR_OUT_OF_DEVICE_MEMORY;
}

static void
fake_GetImageMemoryRequirements (VkDevice              device,
                                 VkImage               image,
                                 VkMemoryRequirements *requirements)
{
  (void)device, (void)image;
  *requirements = (VkMemoryRequirements){ .size = 64, .alignment = 1, .memoryTypeBits = 6 };
}

static void
fake_CmdBindDescriptorSets (VkCommandBuffer        commands,
                            VkPipelineBindPoint    point,
                            VkPipelineLayout       layout,
                            uint32_t               first,
                            uint32_t               n,
                            const VkDescriptorSet *sets,
                            uint32_t               n_offsets,
                            const uint32_t        *offsets)
{
  (void)commands, (void)point, (void)layout, (void)first, (void)n, (void)sets;
  vtr_fake.dynamic_offset = n_offsets > 0 ? *offsets : UINT32_MAX;
}

static void
fake_CmdDraw (VkCommandBuffer commands,
              uint32_t        n_vertices,
              uint32_t        n_instances,
              uint32_t        first_vertex,
              uint32_t        first_instance)
{
  (void)commands, (void)n_vertices, (void)n_instances, (void)first_vertex, (void)first_instance;
  vtr_fake.n_draws++;
}

static void
fake_CmdDispatch (VkCommandBuffer commands,
                  uint32_t        x,
                  uint32_t        y,
                  uint32_t        z)
{
  (void)commands;
  g_assert_cmpuint (x, ==, 2);
  g_assert_cmpuint (y, ==, 1);
  g_assert_cmpuint (z, ==, 1);
  vtr_fake.n_dispatches++;
}

static void
fake_CmdCopyImageToBuffer (VkCommandBuffer          commands,
                           VkImage                  image,
                           VkImageLayout            layout,
                           VkBuffer                 buffer,
                           uint32_t                 n,
                           const VkBufferImageCopy *region)
{
  (void)commands, (void)image, (void)layout, (void)buffer, (void)n;
  g_assert_cmpuint (region->bufferOffset, ==, 256);
  g_assert_cmpint (region->imageOffset.y, ==, 2);
  g_assert_cmpuint (region->imageExtent.width, ==, 9);
  g_assert_cmpuint (region->imageExtent.height, ==, 3);
  vtr_fake.n_copies++;
}

static void
fake_CmdBeginRenderPass (VkCommandBuffer              commands,
                         const VkRenderPassBeginInfo *begin,
                         VkSubpassContents            contents)
{
  (void)commands, (void)begin, (void)contents;
}

static void
fake_CmdBindPipeline (VkCommandBuffer     commands,
                      VkPipelineBindPoint point,
                      VkPipeline          pipeline)
{
  (void)commands, (void)point;
  g_assert_true (g_hash_table_contains (vtr_fake.live, pipeline));
}

static void
fake_CmdCopyBufferToImage (VkCommandBuffer          commands,
                           VkBuffer                 buffer,
                           VkImage                  image,
                           VkImageLayout            layout,
                           uint32_t                 n,
                           const VkBufferImageCopy *regions)
{
  (void)commands, (void)buffer, (void)layout, (void)n, (void)regions;
  g_assert_true (g_hash_table_contains (vtr_fake.live, image));
}

static void
fake_CmdEndRenderPass (VkCommandBuffer commands)
{
  (void)commands;
}

static void
fake_CmdPipelineBarrier (VkCommandBuffer              commands,
                         VkPipelineStageFlags         from,
                         VkPipelineStageFlags         to,
                         VkDependencyFlags            flags,
                         uint32_t                     n_memories,
                         const VkMemoryBarrier       *memories,
                         uint32_t                     n_buffers,
                         const VkBufferMemoryBarrier *buffers,
                         uint32_t                     n_images,
                         const VkImageMemoryBarrier  *images)
{
  (void)commands, (void)from, (void)to, (void)flags, (void)n_memories, (void)memories;
  (void)n_buffers, (void)buffers, (void)n_images, (void)images;
}

static void
fake_CmdPushConstants (VkCommandBuffer     commands,
                       VkPipelineLayout    layout,
                       VkShaderStageFlags  stages,
                       uint32_t            offset,
                       uint32_t            size,
                       const void         *values)
{
  (void)commands, (void)layout, (void)stages, (void)offset, (void)size, (void)values;
}

static void
fake_CmdSetStencilWriteMask (VkCommandBuffer    commands,
                             VkStencilFaceFlags faces,
                             uint32_t           mask)
{
  (void)commands, (void)faces, (void)mask;
}

static void
fake_UpdateDescriptorSets (VkDevice                    device,
                           uint32_t                    n_writes,
                           const VkWriteDescriptorSet *writes,
                           uint32_t                    n_copies,
                           const VkCopyDescriptorSet  *copies)
{
  (void)device, (void)n_writes, (void)writes, (void)n_copies, (void)copies;
}

const VtrSamplesDriver vtr_fake_driver = {
  .memory = &memory,
#define FILL_IN(name) .name = fake_##name,
  VTR_SAMPLES_COMMANDS (FILL_IN)
#undef FILL_IN
};

void
vtr_fake_begin (guint fails_at)
{
  memset (&vtr_fake, 0, sizeof vtr_fake);
  vtr_fake.live = g_hash_table_new (NULL, NULL);
  vtr_fake.fails_at = fails_at;
}

void
vtr_fake_end (void)
{
  g_assert_cmpuint (g_hash_table_size (vtr_fake.live), ==, 0);
  g_hash_table_unref (vtr_fake.live);
}
