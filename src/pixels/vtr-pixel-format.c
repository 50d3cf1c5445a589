/* Answers questions about a pixel format: its planes and aspects, bits of each channel, and
 * bytes in a row. */
#include "pixels/vtr-pixel-format.h"

#include <stddef.h>

bool
vtr_pixel_format_is_plain (const VtrPixelFormat *self)
{
  return self != NULL && self->n_components > 0 && self->components[0].bits > 0 &&
         self->block_extent[0] == 1 && self->block_extent[1] == 1 && self->block_extent[2] == 1;
}

bool
vtr_pixel_format_is_planar (const VtrPixelFormat *self)
{
  return self->planes[0].kind == VTR_PIXEL_PLANE_0;
}

unsigned
vtr_pixel_format_get_bits (const VtrPixelFormat *self,
                           char                  channel)
{
  for (unsigned i = 0; i < self->n_components; i++)
    if (self->components[i].channel == channel)
      return self->components[i].bits;
  return 0;
}

VtrPixelClass
vtr_pixel_format_get_class (const VtrPixelFormat *self)
{
  const VtrNumeric first =
    self->n_components > 0 ? (VtrNumeric)self->components[0].numeric : VTR_NUMERIC_UNORM;

  /* A depth format may also have a stencil of integers, so depth is checked first. */
  if (first == VTR_NUMERIC_UINT)
    return VTR_PIXEL_UINT;
  return first == VTR_NUMERIC_SINT ? VTR_PIXEL_SINT : VTR_PIXEL_FLOAT;
}

const char *
vtr_pixel_aspect_get_name (VtrPixelAspect aspect)
{
  static const char *const names[] = { "color", "depth", "stencil", "plane0", "plane1", "plane2" };

  return aspect < sizeof names / sizeof *names ? names[aspect] : NULL;
}

const VtrPixelPlane *
vtr_pixel_format_find_plane (const VtrPixelFormat *self,
                             VtrPixelAspect        aspect)
{
  for (unsigned i = 0; self != NULL && i < self->n_planes; i++)
    if (self->planes[i].kind == (uint8_t)aspect)
      return &self->planes[i];
  return NULL;
}

const VtrPixelFormat *
vtr_pixel_format_get_aspect (const VtrPixelFormat *self,
                             VtrPixelAspect        aspect)
{
  const VtrPixelPlane *plane = vtr_pixel_format_find_plane (self, aspect);

  if (plane == NULL)
    return NULL;
  return plane->format != NULL ? plane->format : self;
}

static uint32_t
divide_up (uint32_t a,
           uint32_t b)
{
  return a / b + (a % b != 0);
}

int
vtr_pixel_format_get_rows (const VtrPixelFormat *self,
                           VtrPixelAspect        aspect,
                           uint32_t              width,
                           uint32_t              height,
                           uint32_t              depth,
                           VtrPixelRows         *out)
{
  const VtrPixelPlane *plane = vtr_pixel_format_find_plane (self, aspect);
  const VtrPixelFormat *texel;

  if (plane == NULL)
    return 0;
  texel = plane->format != NULL ? plane->format : self;
  *out = (VtrPixelRows){
    .format = texel,
    .width = divide_up (width, plane->width_divisor),
    .height = divide_up (height, plane->height_divisor),
    .depth = depth,
  };
  out->n_rows = divide_up (out->height, texel->block_extent[1]);
  out->n_slices = divide_up (depth, texel->block_extent[2]);
  out->row_bytes = (uint64_t)divide_up (out->width, texel->block_extent[0]) * texel->block_bytes;
  if (__builtin_mul_overflow (out->row_bytes, (uint64_t)out->n_rows, &out->size) ||
      __builtin_mul_overflow (out->size, (uint64_t)out->n_slices, &out->size))
    return -1;
  return 1;
}
