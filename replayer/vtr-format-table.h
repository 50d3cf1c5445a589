/* Generated table of formats: how many bytes a texel takes. Threading: any (constants). */
#pragma once

#include <stddef.h>
#include <stdint.h>

typedef enum
{
  VTR_FORMAT_FLOAT, /* anything that shaders see as float */
  VTR_FORMAT_UINT,
  VTR_FORMAT_SINT,
} VtrFormatKind;

typedef struct
{
  uint32_t compatible; /* VkFormat of the plane's texels */
  uint8_t width_divisor;
  uint8_t height_divisor;
} VtrFormatPlane;

typedef struct
{
  uint32_t format;         /* VkFormat */
  uint8_t block_bytes;     /* of colour */
  uint8_t block_extent[3]; /* texels */
  uint8_t depth_bits;
  uint8_t stencil_bits;
  uint8_t kind; /* VtrFormatKind */
  uint8_t n_planes;
  VtrFormatPlane planes[3];
} VtrFormatInfo;

/* Sorted by format. */
extern const VtrFormatInfo vtr_format_table[];
extern const size_t vtr_n_formats;

/* O(log n). Returns: NULL when unknown. */
const VtrFormatInfo *vtr_format_info (uint32_t format);

/* One aspect of an image in tightly packed rows. */
typedef struct
{
  uint32_t width, height, depth; /* texels to copy */
  uint64_t size;                 /* bytes */
} VtrFormatExtent;

/* Size of @aspect (one VkImageAspectFlagBits) of a level of @width × @height × @depth texels.
 * Returns: 0 when the format lacks the aspect; 1 on success; -1 on overflow. */
int vtr_format_aspect_extent (uint32_t         format,
                              uint32_t         aspect,
                              uint32_t         width,
                              uint32_t         height,
                              uint32_t         depth,
                              VtrFormatExtent *out);
