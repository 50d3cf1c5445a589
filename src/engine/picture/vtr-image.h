/* Images that were read back, and conversions of them. Threading: any. */
#pragma once

#include <gio/gio.h>

#include "pixels/vtr-pixel-format.h"

G_BEGIN_DECLS

#define VTR_IMAGE_ERROR (vtr_image_error_quark ())
GQuark vtr_image_error_quark (void);

typedef enum
{
  VTR_IMAGE_ERROR_FORMAT, /* images of this format cannot be shown */
  VTR_IMAGE_ERROR_BYTES,  /* fewer bytes than the image has */
} VtrImageError;

/* An overlay over a picture, or a view instead of it (vtr-picture-edit.h). */
typedef enum
{
  VTR_OVERLAY_NONE,
  VTR_OVERLAY_WIREFRAME_ALL,
  VTR_OVERLAY_WIREFRAME,
  VTR_OVERLAY_HIGHLIGHT,
  VTR_OVERLAY_OVERDRAW,
} VtrOverlay;

/* Raw texels of an image; immutable, reference-counted by @texels. */
typedef struct
{
  const VtrPixelFormat *format;
  VtrPixelAspect aspect;
  guint32 width, height;
  gsize stride; /* bytes per row (of blocks); rows are tightly packed */
  GBytes *texels;
  const VtrPixelFormat *shown_format; /* of .shown: one without blocks, planes or other aspects */
  GBytes *shown;                      /* .texels decompressed, if they have to be */
  guint32 image;                      /* object id; 0: unknown */
  guint64 after;                      /* flat index of the command after which this was read; G_MAXUINT64: unknown */
  guint32 mip, layer, slice;
  guint32 sample;  /* VTR_SAMPLE_RESOLVE: of the whole texel */
  guint32 samples; /* of the image it comes from */
  /* VTR_OVERLAY_OVERDRAW: .texels are counts, and pixels made of it their colours, by default from 0
     to VTR_OVERDRAW_TOP; WIREFRAME, HIGHLIGHT: painted over what was asked for */
  VtrOverlay overlay;
} VtrImage;

/* Counts from here on look the same by default. */
#define VTR_OVERDRAW_TOP 16

/* The position of @count on the scale from @low to @high, 0 to 1. The scale is logarithmic: the
 * first few draws differ most. 0 and 1:
   from 0 to VTR_OVERDRAW_TOP. */
double vtr_overdraw_get_position (double count,
                                  double low,
                                  double high);
/* The colour there, each component 0 to 1. */
void vtr_overdraw_get_color (double position,
                             double rgb[3]);

VtrImage *vtr_image_ref (VtrImage *self);
void vtr_image_unref (VtrImage *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (VtrImage, vtr_image_unref)

/* Of counts (VTR_OVERLAY_OVERDRAW): the largest; their mean over all pixels, and over the pixels
   that were drawn to. */
double vtr_image_get_statistics (VtrImage *self,
                                 double   *mean,
                                 double   *covered);
/* 8-bit RGBA (sRGB-encoded) for display; floats clamp to [low, high] → [0, 255]; depth is grey.
   (transfer full) */
GBytes *vtr_image_to_rgba8 (VtrImage *self,
                            double    low,
                            double    high);
/* The texel at @x, @y in texel units. Returns: number of channels written to @out (up to 4);
   integers as doubles. */
guint vtr_image_read_texel (VtrImage *self,
                            guint32   x,
                            guint32   y,
                            double    out[4]);
/* PNG: 8 bits a channel, or 16 for formats with more than 8; vtr_image_find_range() says which values
   become black and white, and a comment in the file does, too. Integers lose their alpha. Other
   files: vtr-image-file.h. */
GBytes *vtr_image_to_png (VtrImage  *self,
                          GError   **error);

/**
 * vtr_image_new:
 * @format: (nullable): unknown
 * @texels: (transfer none): rows without padding
 *
 * Returns: (transfer full): an image whose texels are those of one aspect of @format, or NULL
 * with @error, a VtrImageError. Threading: any.
 */
VtrImage *vtr_image_new (const VtrPixelFormat  *format,
                         VtrPixelAspect         aspect,
                         guint32                width,
                         guint32                height,
                         GBytes                *texels,
                         GError               **error);

G_END_DECLS
