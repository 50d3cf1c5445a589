/* Describes how the texels of an image are stored. It names no API: each API maps its own
 * formats to these (src/vulkan/vtr-vulkan-formats.h). Threading: any (constants). */
#pragma once

#include <stdbool.h>
#include <stdint.h>

typedef enum
{
  VTR_NUMERIC_UNORM,
  VTR_NUMERIC_SNORM,
  VTR_NUMERIC_UINT,
  VTR_NUMERIC_SINT,
  VTR_NUMERIC_USCALED,
  VTR_NUMERIC_SSCALED,
  VTR_NUMERIC_SFLOAT,
  VTR_NUMERIC_UFLOAT,
  VTR_NUMERIC_SRGB,
} VtrNumeric;

/* How shaders see the values. */
typedef enum
{
  VTR_PIXEL_FLOAT, /* anything that they see as float */
  VTR_PIXEL_UINT,
  VTR_PIXEL_SINT,
} VtrPixelClass;

/* Parts of a texel that are copied one by one. */
typedef enum
{
  VTR_PIXEL_COLOR,
  VTR_PIXEL_DEPTH,
  VTR_PIXEL_STENCIL,
  VTR_PIXEL_PLANE_0,
  VTR_PIXEL_PLANE_1,
  VTR_PIXEL_PLANE_2,
  VTR_PIXEL_NO_ASPECT,
} VtrPixelAspect;

/* How texels lie in blocks. Pairs of texels that share components (4:2:2) count as plain. */
typedef enum
{
  VTR_PIXEL_PLAIN,
  VTR_PIXEL_BC1_RGB,
  VTR_PIXEL_BC1_RGBA,
  VTR_PIXEL_BC2,
  VTR_PIXEL_BC3,
  VTR_PIXEL_BC4,
  VTR_PIXEL_BC5,
  VTR_PIXEL_BC6H,
  VTR_PIXEL_BC7,
  VTR_PIXEL_ETC2_RGB,
  VTR_PIXEL_ETC2_RGB_A1, /* one bit of alpha */
  VTR_PIXEL_ETC2_RGBA,
  VTR_PIXEL_EAC,
  VTR_PIXEL_ASTC,
  VTR_PIXEL_PVRTC,
} VtrPixelCompression;

/* In place of the number of a sample: all samples of a texel resolved into one. */
#define VTR_SAMPLE_RESOLVE UINT32_MAX

typedef struct
{
  char channel;    /* R G B A D S, or E: the exponent the others share */
  uint8_t offset;  /* bits from the block's first byte, least significant first */
  uint8_t bits;    /* 1 to 64; 0: compressed, or its place is unknown */
  uint8_t numeric; /* VtrNumeric */
} VtrPixelComponent;

typedef struct _VtrPixelFormat VtrPixelFormat;

typedef struct
{
  const VtrPixelFormat *format; /* the format of its texels in copies; NULL: the whole format */
  uint8_t kind;                 /* VtrPixelAspect */
  uint8_t width_divisor;        /* texels of the image for each texel of the plane */
  uint8_t height_divisor;
} VtrPixelPlane;

struct _VtrPixelFormat
{
  const char *name;    /* as the API of its table writes it; of those below: "RGBA8_UNORM" */
  const char *text;    /* for people: the name without the prefix that all have */
  uint32_t number;     /* the API's; of those below: .ktx */
  uint32_t ktx;        /* the number that KTX2 files have for its texels */
  uint8_t compression; /* VtrPixelCompression */
  uint8_t block_bytes;
  uint8_t block_extent[3]; /* texels; 1, 1, 1: not compressed */
  uint8_t word_bytes;      /* size of the words of packed formats; 0: not packed */
  uint8_t n_components;    /* 0: they are in the planes' formats, or not known */
  uint8_t n_planes;        /* 1 to 3 */
  bool shared_exponent;
  VtrPixelComponent components[4]; /* in the order of the format's name */
  VtrPixelPlane planes[3];         /* one per aspect: depth before stencil */
};

/* One aspect of an image in tightly packed rows. */
typedef struct
{
  const VtrPixelFormat *format;  /* format of the texels: that of a plane, or of depth or stencil
                                    alone */
  uint32_t width, height, depth; /* texels: a plane may have fewer than the image */
  uint32_t n_rows, n_slices;     /* of blocks */
  uint64_t row_bytes;
  uint64_t size; /* bytes of all rows of all slices */
} VtrPixelRows;

/* Formats that no API has to know: what texels in blocks become, and what Vitrine makes itself. */
extern const VtrPixelFormat vtr_pixel_rgba8_unorm, vtr_pixel_rgba8_srgb;
extern const VtrPixelFormat vtr_pixel_r16_unorm, vtr_pixel_r16_snorm;
extern const VtrPixelFormat vtr_pixel_rg16_unorm, vtr_pixel_rg16_snorm;
extern const VtrPixelFormat vtr_pixel_rgba16_unorm, vtr_pixel_rgba16_sfloat;

/* Whether the format is not compressed and the places of its components are known. @self:
 * (nullable) */
bool vtr_pixel_format_is_plain (const VtrPixelFormat *self);

/* Whether the format has several colour planes, which are copied one by one. */
bool vtr_pixel_format_is_planar (const VtrPixelFormat *self);

/* Bits of the first component @channel; 0: there is none. */
unsigned vtr_pixel_format_get_bits (const VtrPixelFormat *self,
                                    char                  channel);

VtrPixelClass vtr_pixel_format_get_class (const VtrPixelFormat *self);

/* The name of an aspect: "color", "depth", "plane1". NULL: it has no texels. */
const char *vtr_pixel_aspect_get_name (VtrPixelAspect aspect);

/* @self: (nullable). Returns: NULL when the format lacks @aspect. */
const VtrPixelPlane *vtr_pixel_format_find_plane (const VtrPixelFormat *self,
                                                  VtrPixelAspect        aspect);

/* The format of @aspect when it is copied by itself: depth alone takes 2 or 4 bytes, stencil 1.
 * @self: (nullable). Returns: NULL: the format lacks @aspect. */
const VtrPixelFormat *vtr_pixel_format_get_aspect (const VtrPixelFormat *self,
                                                   VtrPixelAspect        aspect);

/* Computes the rows of @aspect of an image of @width × @height × @depth texels. @self: (nullable).
 * Returns: 0: the format lacks the aspect; 1: success; -1: overflow. */
int vtr_pixel_format_get_rows (const VtrPixelFormat *self,
                               VtrPixelAspect        aspect,
                               uint32_t              width,
                               uint32_t              height,
                               uint32_t              depth,
                               VtrPixelRows         *out);
