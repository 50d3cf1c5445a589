/* What the reader and the writer of single samples make alike. Threading: as vtr-vulkan-samples.h. */
#pragma once

#include "vtr-vulkan-samples.h"

#include <stdbool.h>

VkResult vtr_samples_make_view (VtrSamplesObjects    *self,
                                const VtrSamplesPart *part,
                                VkImageAspectFlags    aspects);

/* An image with one sample and @part's format, its memory and its view. */
VkResult vtr_samples_make_single (VtrSamplesObjects    *self,
                                  const VtrSamplesPart *part,
                                  uint32_t              width,
                                  uint32_t              height,
                                  VkImageUsageFlags     usage);

/* The layouts and the set: @image at binding 0, and (@range above 0) so many bytes of @buffer at binding 1,
 * with a dynamic offset. @n_constants: bytes. */
VkResult vtr_samples_make_set (VtrSamplesObjects           *self,
                               VkShaderStageFlags           stage,
                               uint32_t                     n_constants,
                               const VkDescriptorImageInfo *image,
                               VkBuffer                     buffer,
                               VkDeviceSize                 range);

/* A pass with one subpass, and a framebuffer of @view alone. */
VkResult vtr_samples_make_pass (VtrSamplesObjects             *self,
                                const VkAttachmentDescription *attachment,
                                bool                           color,
                                const VkSubpassDependency     *dependencies,
                                uint32_t                       n_dependencies,
                                VkImageView                    view,
                                uint32_t                       width,
                                uint32_t                       height);

VkResult vtr_samples_make_shader (VtrSamplesObjects *self,
                                  const uint32_t    *words,
                                  size_t             size,
                                  VkShaderModule    *module);

/* How the triangle is drawn. */
typedef struct
{
  VkShaderModule fragment; /* VK_NULL_HANDLE: none */
  uint32_t width, height;  /* of the framebuffer */
  VkRect2D scissor;
  bool color;
  VkPipelineMultisampleStateCreateInfo multisample;
  VkPipelineDepthStencilStateCreateInfo depth; /* not read where .color */
  bool stencil_mask;                           /* is dynamic */
} VtrSamplesTriangle;

VkResult vtr_samples_make_triangle (VtrSamplesObjects        *self,
                                    const VtrSamplesTriangle *triangle,
                                    VkPipeline               *pipeline);

/* Destroys what was made, and forgets it. */
void vtr_samples_destroy (VtrSamplesObjects *self);
