/* Vulkan's formats and aspects as pixel formats, generated from the registry (gen-formats.py).
 * Threading: any (constants). */
#pragma once

#include <stddef.h>

#include "pixels/vtr-pixel-format.h"
#include "vulkan/vtr-vulkan.h"

/* Every format that the registry describes, in the order of the values. */
extern const VkFormat vtr_vulkan_formats[];
extern const size_t vtr_vulkan_n_formats;

/* O(1) for the formats of Vulkan 1.0, else O(log n). Returns: NULL when unknown. */
const VtrPixelFormat *vtr_vulkan_format_get (VkFormat format);

/* The other way. @format: one of those that are described here, or NULL. Returns: UNDEFINED for NULL. */
VkFormat vtr_vulkan_format_of (const VtrPixelFormat *format);

/* Returns: VTR_PIXEL_NO_ASPECT when @aspect is not one of those that hold texels, or several. */
VtrPixelAspect vtr_vulkan_aspect_get (VkImageAspectFlags aspect);

VkImageAspectFlagBits vtr_vulkan_aspect_of (VtrPixelAspect aspect);

/* vtr_pixel_format_get_aspect () and vtr_pixel_format_get_rows () in Vulkan's words. */
const VtrPixelFormat *vtr_vulkan_format_get_aspect (VkFormat           format,
                                                    VkImageAspectFlags aspect);
int vtr_vulkan_format_get_rows (VkFormat            format,
                                VkImageAspectFlags  aspect,
                                uint32_t            width,
                                uint32_t            height,
                                uint32_t            depth,
                                VtrPixelRows       *out);
