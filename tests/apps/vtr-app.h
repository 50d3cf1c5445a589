/* The base of all test programs: a device, buffers and images on it, command lines and files.
 *
 * Vitrine is tested on these programs, so they use only libvulkan and libc and share no code
 * with the product. Every failure ends the program with a message and status 1.
 *
 * Threading: one at a time per object. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <vulkan/vulkan.h>

typedef struct
{
  VkInstance instance;
  VkPhysicalDevice physical;
  VkPhysicalDeviceMemoryProperties memory;
  VkDevice device;
  uint32_t family;
  VkQueue queue;
  VkCommandPool pool;
  /* To be set before vtr_app_gpu_init(). */
  uint32_t version;                      /* of Vulkan; 0: 1.3 */
  bool debug_utils;                      /* enable VK_EXT_debug_utils */
  const char *const *extensions;         /* of the device, beside those it needs; NULL-terminated */
  const char *const *window_extensions;  /* the same for a device that presents */
  const char *const *surface_extensions; /* and of its instance */
  bool all_queues;                       /* all the queues of all families, instead of one */
  bool group;                            /* say that it is a group of one device */
} VtrAppGpu;

typedef struct
{
  VkBuffer buffer;
  VkDeviceMemory memory;
  VkDeviceSize size;
  void *mapped; /* for as long as the buffer lives; NULL if not host visible */
} VtrAppBuffer;

typedef struct
{
  VkImage image;
  VkDeviceMemory memory;
  VkImageView view;
  VkFormat format;
  uint32_t width;
  uint32_t height;
} VtrAppImage;

/* One entry of a command line: @number or @text is set, both NULL for a flag that sets @flag. */
typedef struct
{
  const char *name; /* with its dashes */
  uint32_t *number;
  const char **text;
  bool *flag;
  const char *help;
} VtrAppOption;

/* Ends the program with "NAME: sentence" on stderr. */
void vtr_app_fail (const char *format,
                   ...) __attribute__ ((noreturn, format (printf, 1, 2)));
void vtr_app_check (VkResult    result,
                    const char *call);

/* Parses argv into @options, whose last entry has no name. --help prints them. Returns the index of
 * the first argument that is no option. */
int vtr_app_options (int                  argc,
                     char               **argv,
                     const VtrAppOption  *options);

/* A device of Vulkan 1.3 with one queue that does everything; @features may be NULL.
 * @present: it can present to XCB windows. */
void vtr_app_gpu_init (VtrAppGpu                       *self,
                       const VkPhysicalDeviceFeatures2 *features,
                       bool                             present);
void vtr_app_gpu_finish (VtrAppGpu *self);

VtrAppBuffer vtr_app_buffer (VtrAppGpu             *gpu,
                             VkDeviceSize           size,
                             VkBufferUsageFlags     usage,
                             VkMemoryPropertyFlags  properties);
void vtr_app_buffer_finish (VtrAppGpu    *gpu,
                            VtrAppBuffer *self);
/* The address of a buffer whose usage allows the query. */
VkDeviceAddress vtr_app_address (const VtrAppGpu *gpu,
                                 VkBuffer         buffer);

VtrAppImage vtr_app_image (VtrAppGpu         *gpu,
                           uint32_t           width,
                           uint32_t           height,
                           VkFormat           format,
                           VkImageUsageFlags  usage);
void vtr_app_image_finish (VtrAppGpu   *gpu,
                           VtrAppImage *self);

/* The aspects of an image of @format. */
VkImageAspectFlags vtr_app_aspects (VkFormat format);

VkShaderModule vtr_app_shader (VtrAppGpu      *gpu,
                               const uint32_t  code[],
                               size_t          size);
/* A set of @layout, in a pool of its own that has room for just that. */
VkDescriptorSet vtr_app_set (VtrAppGpu                  *gpu,
                             VkDescriptorSetLayout       layout,
                             uint32_t                    n_sizes,
                             const VkDescriptorPoolSize *sizes,
                             VkDescriptorPool           *pool);

/* What a pipeline needs to draw triangles that no buffer holds onto a square, in a scissor that is set
 * when it draws. .info names all of it; what differs between pipelines is still to be set there. */
typedef struct
{
  VkPipelineVertexInputStateCreateInfo input;
  VkPipelineInputAssemblyStateCreateInfo assembly;
  VkViewport viewport;
  VkPipelineViewportStateCreateInfo viewports;
  VkPipelineRasterizationStateCreateInfo raster;
  VkPipelineMultisampleStateCreateInfo samples;
  VkDynamicState state;
  VkPipelineDynamicStateCreateInfo dynamic;
  VkGraphicsPipelineCreateInfo info;
} VtrAppTriangles;

void vtr_app_triangles (VtrAppTriangles       *self,
                        uint32_t               edge,
                        VkSampleCountFlagBits  samples);

VkCommandBuffer vtr_app_commands (VtrAppGpu            *gpu,
                                  VkCommandBufferLevel  level);
void vtr_app_begin (VkCommandBuffer commands);

/* Ends and submits @commands and waits until they are done. */
void vtr_app_run (VtrAppGpu       *gpu,
                  VkCommandBuffer  commands);

/* Memory of the first type that has @properties. */
VkDeviceMemory vtr_app_allocate (VtrAppGpu                  *gpu,
                                 const VkMemoryRequirements *requirements,
                                 VkMemoryPropertyFlags       properties);
/* @next: of VkMemoryAllocateInfo. */
VkDeviceMemory vtr_app_allocate_with (VtrAppGpu                  *gpu,
                                      const VkMemoryRequirements *requirements,
                                      VkMemoryPropertyFlags       properties,
                                      const void                 *next);

/* A full barrier over everything, for programs whose subject is not synchronisation. */
void vtr_app_barrier (VkCommandBuffer commands);
void vtr_app_transition (VkCommandBuffer    commands,
                         const VtrAppImage *image,
                         VkImageLayout      from,
                         VkImageLayout      to);

/* Writes a file in the layout of the witness' frames (tests/witness-layer/README.md). */
void vtr_app_write_image (const char *directory,
                          const char *name,
                          uint32_t    width,
                          uint32_t    height,
                          VkFormat    format,
                          const void *data,
                          uint64_t    size);
void vtr_app_write_file (const char *path,
                         const void *data,
                         size_t      size);

/* The next of a fixed sequence of numbers: every run draws the same. */
uint32_t vtr_app_random (uint64_t *state);
