/* Reads and writes single samples of multisampled images, which Vulkan's copy commands cannot
 * do.
 *
 * To read colour, a fragment shader draws one sample into a single-sampled image of the same
 * format, which packs the values exactly. To read depth and stencil, a compute shader writes
 * 32-bit words that vtr_samples_pack() packs. To write, a triangle is drawn over the whole image
 * with a sample mask that selects the one sample; stencil is written bit by bit.
 *
 * The objects made here are not recorded: they are made and destroyed through the functions that
 * the user fills in, without allocation callbacks. The user begins, submits and waits for the
 * command buffer.
 *
 * Errors: a VkResult below 0, as the driver gave it.
 *
 * Ownership: a reader or writer owns what it made, until its _finish(), which is needed after an
 * error too. It keeps a copy of the driver's functions.
 *
 * Threading: one thread at a time for each reader and writer. No function waits or takes a lock. */
#pragma once

#include "vulkan/vtr-vulkan.h"

/* The commands that are called. */
/* clang-format off */
#define VTR_SAMPLES_COMMANDS(command) \
  command (AllocateDescriptorSets) \
  command (AllocateMemory) \
  command (BindImageMemory) \
  command (CmdBeginRenderPass) \
  command (CmdBindDescriptorSets) \
  command (CmdBindPipeline) \
  command (CmdCopyBufferToImage) \
  command (CmdCopyImageToBuffer) \
  command (CmdDispatch) \
  command (CmdDraw) \
  command (CmdEndRenderPass) \
  command (CmdPipelineBarrier) \
  command (CmdPushConstants) \
  command (CmdSetStencilWriteMask) \
  command (CreateComputePipelines) \
  command (CreateDescriptorPool) \
  command (CreateDescriptorSetLayout) \
  command (CreateFramebuffer) \
  command (CreateGraphicsPipelines) \
  command (CreateImage) \
  command (CreateImageView) \
  command (CreatePipelineLayout) \
  command (CreateRenderPass) \
  command (CreateShaderModule) \
  command (DestroyDescriptorPool) \
  command (DestroyDescriptorSetLayout) \
  command (DestroyFramebuffer) \
  command (DestroyImage) \
  command (DestroyImageView) \
  command (DestroyPipeline) \
  command (DestroyPipelineLayout) \
  command (DestroyRenderPass) \
  command (DestroyShaderModule) \
  command (FreeMemory) \
  command (GetImageMemoryRequirements) \
  command (UpdateDescriptorSets)
/* clang-format on */

/* The driver's functions, filled in by the user. */
typedef struct
{
  VkDevice device;
  const VkPhysicalDeviceMemoryProperties *memory; /* lives as long as the reader or writer */
#define VTR_SAMPLES_FUNCTION(name) PFN_vk##name name;
  VTR_SAMPLES_COMMANDS (VTR_SAMPLES_FUNCTION)
#undef VTR_SAMPLES_FUNCTION
} VtrSamplesDriver;

/* One aspect of one layer of a multisampled image. */
typedef struct
{
  VkImage image;
  VkFormat format; /* one that vtr-vulkan-formats.h knows */
  VkImageAspectFlagBits aspect;
  uint32_t mip, layer;
  uint32_t width, height; /* of the level, in texels */
} VtrSamplesPart;

/* The objects that readers and writers create. Private to src/vulkan; objects that were not
 * created are VK_NULL_HANDLE. */
typedef struct
{
  VtrSamplesDriver driver;
  VkImageView view; /* of the multisampled image */
  VkImage single;   /* with one sample */
  VkDeviceMemory memory;
  VkImageView single_view;
  VkDescriptorSetLayout set_layout;
  VkPipelineLayout layout;
  VkDescriptorPool pool;
  VkDescriptorSet set; /* of .pool */
  VkRenderPass pass;
  VkFramebuffer framebuffer;
  VkShaderModule vertex;
  VkShaderModule shader;
  VkPipeline pipeline;
  VkPipeline clear; /* stencil: sets all bits to 0 */
} VtrSamplesObjects;

/* ---- Reading ---- */

typedef struct
{
  VtrSamplesObjects objects;
  VtrSamplesPart part;
  VkBuffer buffer;
} VtrSamplesReader;

/* @layout: what the image will be in when it is read. @buffer: where texels go; for depth and stencil a
 * storage buffer. The image can be sampled, and the queue can draw (colour) or dispatch. */
VkResult vtr_samples_reader_init (VtrSamplesReader       *self,
                                  const VtrSamplesDriver *driver,
                                  const VtrSamplesPart   *part,
                                  VkImageLayout           layout,
                                  VkBuffer                buffer);

/* Records the reading of @n_rows rows of one sample from row @y on to the byte @offset of the buffer,
 * without gaps between rows. Depth and stencil: all rows, 4 bytes for each texel, and @offset fits the
 * device's storage buffers. The user has the CPU see what shaders (depth, stencil) or copies wrote. */
void vtr_samples_reader_record (const VtrSamplesReader *self,
                                VkCommandBuffer         commands,
                                uint32_t                sample,
                                uint32_t                y,
                                uint32_t                n_rows,
                                uint32_t                offset);
void vtr_samples_reader_finish (VtrSamplesReader *self);

/* Turns words of depth or stencil into texels as a copy gives them, in place. Returns: how many bytes a
 * texel takes then. */
uint32_t vtr_samples_pack (VkFormat               format,
                           VkImageAspectFlagBits  aspect,
                           uint64_t               n_texels,
                           uint8_t               *bytes);

/* ---- Writing ---- */

/* Rows of one sample. */
typedef struct
{
  VtrSamplesPart part;
  VkSampleCountFlagBits samples; /* of the image */
  VkImageLayout layout;          /* of the image, before and after */
  uint32_t sample;
  uint32_t y;
  uint32_t width, height; /* that are written, from column 0 and row .y on */
} VtrSamplesRows;

typedef struct
{
  VtrSamplesObjects objects;
  VtrSamplesRows rows;
} VtrSamplesWriter;

/* The image can be an attachment, and the queue can draw. */
VkResult vtr_samples_writer_init (VtrSamplesWriter       *self,
                                  const VtrSamplesDriver *driver,
                                  const VtrSamplesRows   *rows);

/* Records the writing of the rows, which come from the start of @buffer as a copy to an image with one
 * sample takes them. */
void vtr_samples_writer_record (const VtrSamplesWriter *self,
                                VkCommandBuffer         commands,
                                VkBuffer                buffer);
void vtr_samples_writer_finish (VtrSamplesWriter *self);
