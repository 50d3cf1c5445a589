/* Images as files: PNG for people; KTX2, PFM and plain rows for programs. Threading: any. */
#pragma once

#include "engine/picture/vtr-image.h"

G_BEGIN_DECLS

/**
 * VtrImageRange:
 *
 * The values of an image that become black and white in a PNG or a thumbnail. Normalised and float
 * formats: 0 to 1 (-1 to 1 if they are signed and normalised). Integers: from 0, or their least value
 * if that is negative, to their greatest.
 */
typedef struct
{
  double low, high;
  double least, most; /* of the image's values, alpha left out; equal to low and high if not sought */
  gboolean is_told;   /* not simply what the format says: floats, integers, signed values */
} VtrImageRange;

/* O(texels) for floats and integers. */
VtrImageRange vtr_image_find_range (VtrImage *self);

/* A sentence or two for a user who saved @self as PNG: the range, and the data that a PNG cannot
   contain. NULL: none. (transfer full) */
char *vtr_image_describe_range (VtrImage *self);

/* Whether @path ends with a suffix that vtr_image_save () knows: .png (or none), .ktx2, .pfm, .raw.
   Errors: G_IO_ERROR_NOT_SUPPORTED with a sentence that names them. */
gboolean vtr_image_check_suffix (const char  *path,
                                 GError     **error);

/* Whether vtr_image_save () writes a PNG to @path. */
gboolean vtr_image_is_png (const char *path);

/* A file of @self in the format that the suffix of @path names: PNG as vtr_image_to_png (); KTX2 with
   the texels as they are; PFM with linear floats of up to three channels; .raw with the texels as they
   are, rows of .stride bytes without padding and without a header. Errors: those of
   vtr_image_check_suffix (), G_IO_ERROR. (transfer full) */
GBytes *vtr_image_encode (VtrImage    *self,
                          const char  *path,
                          GError     **error);

/* Writes vtr_image_encode () to @path. The file is there as a whole or not at all. Blocks. Errors: also
   G_FILE_ERROR. */
gboolean vtr_image_save (VtrImage    *self,
                         const char  *path,
                         GError     **error);

G_END_DECLS
