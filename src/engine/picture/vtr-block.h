/* Decodes block-compressed texels for viewing. Threading: any (constants). */
#pragma once

#include <glib.h>

#include "pixels/vtr-pixel-format.h"

G_BEGIN_DECLS

/**
 * VtrBlockCodec:
 *
 * How the blocks of a format become texels of one without blocks: BC1 to BC7, ETC2, EAC, ASTC
 * of low dynamic range, and the pairs of texels of single-plane 4:2:2 formats. Sources: Khronos Data Format specification 1.3.
 */
typedef struct
{
  const VtrPixelFormat *format; /* of the texels; sRGB stays encoded */
  guint8 texel_bytes;
  guint8 block_bytes;
  guint8 width, height; /* of a block, texels; at most 12 */
  /* Writes width × height texels, row by row. */
  void (*decode) (const guint8 *block,
                  guint variant,
                  guint8 *texels);
  guint variant; /* for .decode */
} VtrBlockCodec;

/* @format: (nullable). Returns: FALSE when there is none for it. */
gboolean vtr_block_codec_find (const VtrPixelFormat *format,
                               VtrBlockCodec        *out);

/* @blocks: tightly packed rows of blocks, as many as @width × @height texels need. (transfer
 * full) */
GBytes *vtr_block_codec_decode (const VtrBlockCodec *self,
                                const guint8        *blocks,
                                guint32              width,
                                guint32              height);

/* The decoders. @variant: see each. */
void vtr_block_decode_bc1 (const guint8 *block,
                           guint         transparent, /* BC1 with an alpha channel */
                           guint8       *texels);
void vtr_block_decode_bc2 (const guint8 *block,
                           guint         variant, /* 0 */
                           guint8       *texels);
void vtr_block_decode_bc3 (const guint8 *block,
                           guint         variant, /* 0 */
                           guint8       *texels);
/* 16 bits a channel. */
void vtr_block_decode_bc4 (const guint8 *block,
                           guint         is_signed,
                           guint8       *texels);
void vtr_block_decode_bc5 (const guint8 *block,
                           guint         is_signed,
                           guint8       *texels);
/* Half floats, four channels. */
void vtr_block_decode_bc6h (const guint8 *block,
                            guint         is_signed,
                            guint8       *texels);
void vtr_block_decode_bc7 (const guint8 *block,
                           guint         variant, /* 0 */
                           guint8       *texels);

typedef enum
{
  VTR_BLOCK_ETC2_RGB,
  VTR_BLOCK_ETC2_PUNCH_THROUGH, /* one bit of alpha */
  VTR_BLOCK_ETC2_RGBA,
} VtrBlockEtc2;

void vtr_block_decode_etc2 (const guint8 *block,
                            guint         kind, /* VtrBlockEtc2 */
                            guint8       *texels);
/* 16 bits a channel. */
void vtr_block_decode_eac1 (const guint8 *block,
                            guint         is_signed,
                            guint8       *texels);
void vtr_block_decode_eac2 (const guint8 *block,
                            guint         is_signed,
                            guint8       *texels);

/* Width of a block, its height << 4, and: */
#define VTR_BLOCK_ASTC_SRGB (1u << 8)

/* 16 bits a channel; 8 with VTR_BLOCK_ASTC_SRGB. What is not valid is magenta, as the specification
 * wants. */
void vtr_block_decode_astc (const guint8 *block,
                            guint         variant,
                            guint8       *texels);

G_END_DECLS
