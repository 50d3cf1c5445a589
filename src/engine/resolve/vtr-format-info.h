/* How the texels of formats are laid out. Threading: any (constants). */
#pragma once

#include <glib.h>

#include "api/vtr-vulkan.h"

G_BEGIN_DECLS

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

typedef struct
{
  char channel;   /* R G B A D S, or E: the exponent the others share */
  guint8 offset;  /* bits from the texel's first byte, least significant first */
  guint8 bits;    /* 1 to 64 */
  guint8 numeric; /* VtrNumeric */
} VtrFormatComponent;

typedef struct
{
  VkFormat format;
  guint8 texel_bytes;
  guint8 n_components;
  gboolean shared_exponent;
  VtrFormatComponent components[4]; /* in the order of the format's name */
} VtrFormatInfo;

/* Blocks and planes: every format has them. */
typedef struct
{
  VkFormat format;
  guint8 block_bytes;     /* of formats without planes */
  guint8 block_extent[3]; /* texels; 1, 1, 1: not compressed, or 4:2:2 in one plane */
  guint8 n_planes;        /* 0: one, not called so */
  struct
  {
    VkFormat compatible; /* of the plane's texels */
    guint8 width_divisor, height_divisor;
  } planes[3];
} VtrFormatShape;

/* Rows of one aspect as vkCmdCopyImageToBuffer gives them, tightly packed. */
typedef struct
{
  VkFormat format;       /* of the texels: that of a plane, or of one aspect of depth and stencil */
  guint32 width, height; /* texels: a plane may have fewer */
  gsize stride;          /* bytes of a row of blocks */
  gsize n_rows;          /* rows of blocks */
} VtrFormatRows;

/* Returns: FALSE when @format is unknown, lacks @aspect, or the sizes overflow. */
gboolean vtr_format_get_rows (VkFormat               format,
                              VkImageAspectFlagBits  aspect,
                              guint32                width,
                              guint32                height,
                              VtrFormatRows         *out);

/* Whether images of @format have @aspect. */
gboolean vtr_format_has_aspect (VkFormat              format,
                                VkImageAspectFlagBits aspect);

/* NULL: compressed, of several planes, or unknown. O(log n). */
const VtrFormatInfo *vtr_format_info_get (VkFormat format);

/* The layout of one aspect of @format as vkCmdCopyImageToBuffer gives it: a depth aspect alone is
 * D16, D32 or D24 in 4 bytes, stencil 1 byte. NULL: not decodable. */
const VtrFormatInfo *vtr_format_info_get_aspect (VkFormat              format,
                                                 VkImageAspectFlagBits aspect);

G_END_DECLS
