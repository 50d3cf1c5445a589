/* Defines the pixel formats that Vitrine needs whatever API a trace has. */
#include "pixels/vtr-pixel-format.h"

#include <stddef.h>

/* Up to four components of @bits bits, one after the other. */
#define COMPONENTS(bits, numeric) \
  { \
    { 'R', 0, bits, numeric }, \
      { 'G', bits, bits, numeric }, \
      { 'B', 2 * (bits), bits, numeric }, \
    { \
      'A', 3 * (bits), bits, numeric \
    } \
  }

#define PLAIN(said, ktx_number, n, bits, kind) \
  { \
    .name = said, .text = said, .number = ktx_number, .ktx = ktx_number, \
    .block_bytes = (n) * (bits) / 8, \
    .block_extent = { 1, 1, 1 }, .n_components = n, .n_planes = 1, \
    .components = COMPONENTS (bits, kind), .planes = { { NULL, VTR_PIXEL_COLOR, 1, 1 } } \
  }

const VtrPixelFormat vtr_pixel_rgba8_unorm = PLAIN ("RGBA8_UNORM", 37, 4, 8, VTR_NUMERIC_UNORM);
const VtrPixelFormat vtr_pixel_rgba8_srgb = PLAIN ("RGBA8_SRGB", 43, 4, 8, VTR_NUMERIC_SRGB);
const VtrPixelFormat vtr_pixel_r16_unorm = PLAIN ("R16_UNORM", 70, 1, 16, VTR_NUMERIC_UNORM);
const VtrPixelFormat vtr_pixel_r16_snorm = PLAIN ("R16_SNORM", 71, 1, 16, VTR_NUMERIC_SNORM);
const VtrPixelFormat vtr_pixel_rg16_unorm = PLAIN ("RG16_UNORM", 77, 2, 16, VTR_NUMERIC_UNORM);
const VtrPixelFormat vtr_pixel_rg16_snorm = PLAIN ("RG16_SNORM", 78, 2, 16, VTR_NUMERIC_SNORM);
const VtrPixelFormat vtr_pixel_rgba16_unorm = PLAIN ("RGBA16_UNORM", 91, 4, 16, VTR_NUMERIC_UNORM);
const VtrPixelFormat vtr_pixel_rgba16_sfloat =
  PLAIN ("RGBA16_SFLOAT", 97, 4, 16, VTR_NUMERIC_SFLOAT);
