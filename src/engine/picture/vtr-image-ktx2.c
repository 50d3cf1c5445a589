/* Writes images as KTX2 files of one level
 * (https://registry.khronos.org/KTX/specs/2.0/ktxspec.v2.html), with a data format descriptor
 * (https://registry.khronos.org/DataFormat/specs/1.3/dataformat.1.3.html). */
#include "engine/picture/vtr-image-private.h"

#include "vtr-config.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "engine/picture/vtr-block.h"

#define MAX_SAMPLES 6
#define HEADER_BYTES 80
#define LEVEL_BYTES 24

/* Values of the data format descriptor. */
enum
{
  MODEL_RGBSDA = 1,
  MODEL_BC1A = 128,
  MODEL_ETC2 = 161,
  MODEL_ASTC = 162,
  TRANSFER_LINEAR = 1,
  TRANSFER_SRGB = 2,
  PRIMARIES_BT709 = 1,
  CHANNEL_STENCIL = 13,
  CHANNEL_DEPTH = 14,
  CHANNEL_ALPHA = 15,
  SAMPLE_LINEAR = 0x10,
  SAMPLE_EXPONENT = 0x20,
  SAMPLE_SIGNED = 0x40,
  SAMPLE_FLOAT = 0x80,
};

typedef struct
{
  guint16 offset; /* bits */
  guint8 bits;
  guint8 channel;
  guint8 qualifiers;
  guint32 lower, upper;
} Sample;

typedef struct
{
  guint32 format;
  guint8 model, transfer;
  guint8 width, height; /* of a block, texels */
  guint8 block_bytes;
  guint8 type_bytes; /* what a reader of the other byte order swaps */
  guint n_samples;
  Sample samples[MAX_SAMPLES];
} Descriptor;

/* --- Formats of single texels ---------------------------------------------------------------- */

static guint8
channel_of (char channel)
{
  switch (channel)
    {
    case 'G':
      return 1;
    case 'B':
      return 2;
    case 'A':
      return CHANNEL_ALPHA;
    case 'D':
      return CHANNEL_DEPTH;
    case 'S':
      return CHANNEL_STENCIL;
    default:
      return 0;
    }
}

static guint32
largest (guint bits)
{
  return bits >= 32 ? G_MAXUINT32 : (1u << bits) - 1;
}

/* Which numbers stand for 0 (or -1) and 1. */
static void
set_limits (Sample     *sample,
            VtrNumeric  numeric)
{
  switch (numeric)
    {
    case VTR_NUMERIC_SNORM:
      sample->qualifiers |= SAMPLE_SIGNED;
      sample->upper = largest (sample->bits) >> 1;
      sample->lower = (guint32) - (gint32)sample->upper;
      break;
    case VTR_NUMERIC_UINT:
    case VTR_NUMERIC_USCALED:
      sample->upper = 1;
      break;
    case VTR_NUMERIC_SINT:
    case VTR_NUMERIC_SSCALED:
      sample->qualifiers |= SAMPLE_SIGNED;
      sample->lower = G_MAXUINT32;
      sample->upper = 1;
      break;
    case VTR_NUMERIC_SFLOAT:
      sample->qualifiers |= SAMPLE_SIGNED | SAMPLE_FLOAT;
      sample->lower = 0xbf800000; /* -1.0f */
      sample->upper = 0x3f800000;
      break;
    case VTR_NUMERIC_UFLOAT:
      sample->qualifiers |= SAMPLE_FLOAT;
      sample->upper = 0x3f800000;
      break;
    case VTR_NUMERIC_UNORM:
    case VTR_NUMERIC_SRGB:
      sample->upper = largest (sample->bits);
      break;
    default:
      g_assert_not_reached ();
    }
}

static void
add_sample (Descriptor *self,
            Sample      sample)
{
  g_assert (self->n_samples < MAX_SAMPLES);
  self->samples[self->n_samples++] = sample;
}

/* Three mantissas and the exponent that they share, which each has as a second sample. */
static void
add_shared_exponent (Descriptor           *self,
                     const VtrPixelFormat *info)
{
  for (guint i = 1; i < info->n_components; i++)
    {
      const VtrPixelComponent *component = &info->components[i];

      add_sample (self, (Sample){ component->offset, component->bits,
                                  channel_of (component->channel), 0, 0,
                                  1u << (component->bits - 1) });
      add_sample (self, (Sample){ info->components[0].offset, info->components[0].bits,
                                  channel_of (component->channel), SAMPLE_EXPONENT, 15, 31 });
    }
}

static int
compare_offsets (const void *a,
                 const void *b)
{
  return ((const Sample *)a)->offset - ((const Sample *)b)->offset;
}

/* Packed formats are words; others, and words of four bytes, are as many of their components. */
static guint8
type_bytes_of (const VtrPixelFormat *info)
{
  if (info->word_bytes == 4 && info->n_components == 4 && info->components[0].bits == 8)
    return 1;
  return info->word_bytes != 0 ? info->word_bytes : MAX (1, info->components[0].bits / 8);
}

static void
describe_texels (Descriptor           *self,
                 const VtrPixelFormat *info)
{
  self->model = MODEL_RGBSDA;
  self->transfer = TRANSFER_LINEAR;
  self->width = self->height = 1;
  self->block_bytes = info->block_bytes;
  self->type_bytes = type_bytes_of (info);
  if (info->shared_exponent)
    {
      add_shared_exponent (self, info);
      return;
    }
  for (guint i = 0; i < info->n_components; i++)
    {
      const VtrPixelComponent *component = &info->components[i];
      Sample sample = { component->offset, component->bits, channel_of (component->channel),
                        0, 0, 0 };

      if (component->numeric == VTR_NUMERIC_SRGB)
        {
          self->transfer = TRANSFER_SRGB;
          sample.qualifiers = component->channel == 'A' ? SAMPLE_LINEAR : 0;
        }
      set_limits (&sample, (VtrNumeric)component->numeric);
      add_sample (self, sample);
    }
  qsort (self->samples, self->n_samples, sizeof self->samples[0], compare_offsets);
}

/* --- Formats of blocks ----------------------------------------------------------------------- */

/* Samples of compressed formats cover whole halves of a block. */
static void
add_block_sample (Descriptor *self,
                  guint       first_byte,
                  guint       n_bytes,
                  guint8      channel,
                  gboolean    is_signed)
{
  add_sample (self, (Sample){ (guint16)(first_byte * 8), (guint8)(n_bytes * 8), channel,
                              is_signed ? SAMPLE_SIGNED : 0, is_signed ? 1u << 31 : 0,
                              is_signed ? (guint32)G_MAXINT32 : G_MAXUINT32 });
}

static void
describe_bc (Descriptor           *self,
             const VtrPixelFormat *format)
{
  const VtrNumeric numeric = (VtrNumeric)format->components[0].numeric;
  const gboolean is_signed = numeric == VTR_NUMERIC_SNORM;
  const gboolean is_float = numeric == VTR_NUMERIC_SFLOAT;

  self->model = (guint8)(format->compression <= VTR_PIXEL_BC1_RGBA
                           ? MODEL_BC1A
                           : MODEL_BC1A + 1 + format->compression - VTR_PIXEL_BC2);
  switch ((VtrPixelCompression)format->compression)
    {
    case VTR_PIXEL_BC1_RGB:
    case VTR_PIXEL_BC1_RGBA:
      add_block_sample (self, 0, 8, format->compression == VTR_PIXEL_BC1_RGBA ? 1 : 0, FALSE);
      break;
    case VTR_PIXEL_BC2:
    case VTR_PIXEL_BC3:
      add_block_sample (self, 0, 8, CHANNEL_ALPHA, FALSE);
      add_block_sample (self, 8, 8, 0, FALSE);
      break;
    case VTR_PIXEL_BC5:
      add_block_sample (self, 0, 8, 0, is_signed);
      add_block_sample (self, 8, 8, 1, is_signed);
      break;
    case VTR_PIXEL_BC6H:
      add_sample (self, (Sample){ 0, 128, 0, is_float ? SAMPLE_SIGNED | SAMPLE_FLOAT : SAMPLE_FLOAT,
                                  is_float ? 0xbf800000 : 0, 0x3f800000 });
      break;
    default:
      add_block_sample (self, 0, self->block_bytes, 0, is_signed);
    }
}

static void
describe_etc (Descriptor           *self,
              const VtrPixelFormat *format)
{
  const gboolean is_signed = format->components[0].numeric == VTR_NUMERIC_SNORM;

  self->model = MODEL_ETC2;
  if (format->compression == VTR_PIXEL_EAC)
    {
      add_block_sample (self, 0, 8, 0, is_signed);
      if (self->block_bytes == 16)
        add_block_sample (self, 8, 8, 1, is_signed);
      return;
    }
  if (self->block_bytes == 16)
    add_block_sample (self, 0, 8, CHANNEL_ALPHA, FALSE);
  add_block_sample (self, self->block_bytes - 8u, 8, 2, FALSE);
  /* Punch-through alpha is in the colours. */
  if (format->compression == VTR_PIXEL_ETC2_RGB_A1)
    add_block_sample (self, 0, 8, CHANNEL_ALPHA, FALSE);
}

/* FALSE: formats of pairs of texels, and those that the descriptor has no model for. */
static gboolean
describe_blocks (Descriptor           *self,
                 const VtrPixelFormat *format)
{
  const VtrPixelCompression compression = (VtrPixelCompression)format->compression;

  self->transfer = format->components[0].numeric == VTR_NUMERIC_SRGB ? TRANSFER_SRGB
                                                                     : TRANSFER_LINEAR;
  self->width = format->block_extent[0];
  self->height = format->block_extent[1];
  self->block_bytes = format->block_bytes;
  self->type_bytes = 1;
  if (compression >= VTR_PIXEL_BC1_RGB && compression <= VTR_PIXEL_BC7)
    describe_bc (self, format);
  else if (compression >= VTR_PIXEL_ETC2_RGB && compression <= VTR_PIXEL_EAC)
    describe_etc (self, format);
  else if (compression == VTR_PIXEL_ASTC)
    {
      self->model = MODEL_ASTC;
      add_block_sample (self, 0, 16, 0, FALSE);
    }
  for (guint i = 0; i < self->n_samples; i++)
    if (self->transfer == TRANSFER_SRGB && self->samples[i].channel == CHANNEL_ALPHA)
      self->samples[i].qualifiers |= SAMPLE_LINEAR;
  return self->n_samples > 0;
}

static gboolean
describe (VtrImage   *self,
          Descriptor *out)
{
  VtrBlockCodec codec;

  *out = (Descriptor){ .format = self->format->ktx };
  if (vtr_block_codec_find (self->format, &codec))
    return describe_blocks (out, self->format);
  out->format = self->shown_format->ktx;
  describe_texels (out, self->shown_format);
  return TRUE;
}

/* --- The file -------------------------------------------------------------------------------- */

static void
append_u32 (GByteArray *file,
            guint32     value)
{
  value = GUINT32_TO_LE (value);
  g_byte_array_append (file, (const guint8 *)&value, sizeof value);
}

static void
append_u64 (GByteArray *file,
            guint64     value)
{
  value = GUINT64_TO_LE (value);
  g_byte_array_append (file, (const guint8 *)&value, sizeof value);
}

static void
append_padding (GByteArray *file,
                gsize       alignment)
{
  while (file->len % alignment != 0)
    g_byte_array_append (file, (const guint8 *)"", 1);
}

static void
append_descriptor (GByteArray       *file,
                   const Descriptor *self)
{
  guint32 size = 24 + 16 * self->n_samples;

  append_u32 (file, size + 4);
  append_u32 (file, 0);
  append_u32 (file, 2 | size << 16);
  append_u32 (file, self->model | PRIMARIES_BT709 << 8 | (guint32)self->transfer << 16);
  append_u32 (file, (self->width - 1u) | (self->height - 1u) << 8);
  append_u32 (file, self->block_bytes);
  append_u32 (file, 0);
  for (guint i = 0; i < self->n_samples; i++)
    {
      const Sample *sample = &self->samples[i];

      append_u32 (file, sample->offset | (sample->bits - 1u) << 16 |
                          (guint32)(sample->channel | sample->qualifiers) << 24);
      append_u32 (file, 0);
      append_u32 (file, sample->lower);
      append_u32 (file, sample->upper);
    }
}

/* @value: with its closing zero in @size. */
static void
append_entry (GByteArray *file,
              const char *key,
              const char *value)
{
  append_u32 (file, (guint32)(strlen (key) + strlen (value) + 2));
  g_byte_array_append (file, (const guint8 *)key, (guint)strlen (key) + 1);
  g_byte_array_append (file, (const guint8 *)value, (guint)strlen (value) + 1);
  append_padding (file, 4);
}

static void
put_u32 (GByteArray *file,
         gsize       at,
         guint32     value)
{
  value = GUINT32_TO_LE (value);
  memcpy (file->data + at, &value, sizeof value);
}

static void
put_u64 (GByteArray *file,
         gsize       at,
         guint64     value)
{
  value = GUINT64_TO_LE (value);
  memcpy (file->data + at, &value, sizeof value);
}

GBytes *
vtr_image_to_ktx2 (VtrImage  *self,
                   GError   **error)
{
  static const guint8 identifier[12] = { 0xab, 'K', 'T', 'X', ' ', '2', '0', 0xbb, '\r', '\n', 0x1a,
                                         '\n' };
  g_autoptr (GByteArray) file = g_byte_array_new ();
  gsize size = g_bytes_get_size (self->texels);
  guint32 descriptor_at, entries_at;
  Descriptor format;

  if (!describe (self, &format) || size > G_MAXUINT32 - 4096)
    {
      g_set_error (error, G_IO_ERROR, G_IO_ERROR_NOT_SUPPORTED,
                   _ ("Images of format %s cannot be saved as .ktx2. Use .raw or .png."),
                   self->format->name);
      return NULL;
    }
  g_byte_array_append (file, identifier, sizeof identifier);
  append_u32 (file, format.format);
  append_u32 (file, format.type_bytes);
  append_u32 (file, self->width);
  append_u32 (file, self->height);
  append_u32 (file, 0); /* depth */
  append_u32 (file, 0); /* layers */
  append_u32 (file, 1); /* faces */
  append_u32 (file, 1); /* levels */
  append_u32 (file, 0); /* not compressed again */
  for (guint i = 0; i < 4; i++)
    append_u32 (file, 0); /* where the descriptor and the entries are: below */
  append_u64 (file, 0);
  append_u64 (file, 0);
  g_assert (file->len == HEADER_BYTES);
  append_u64 (file, 0);
  append_u64 (file, size);
  append_u64 (file, size);

  descriptor_at = file->len;
  append_descriptor (file, &format);
  entries_at = file->len;
  append_entry (file, "KTXorientation", "rd");
  append_entry (file, "KTXwriter", "Vitrine " PACKAGE_VERSION);
  put_u32 (file, 48, descriptor_at);
  put_u32 (file, 52, entries_at - descriptor_at);
  put_u32 (file, 56, entries_at);
  put_u32 (file, 60, file->len - entries_at);

  /* A multiple of both a block and four bytes. */
  append_padding (file, format.block_bytes % 4 == 0   ? format.block_bytes
                        : format.block_bytes % 2 == 0 ? format.block_bytes * 2u
                                                      : format.block_bytes * 4u);
  put_u64 (file, HEADER_BYTES, file->len);
  g_byte_array_append (file, g_bytes_get_data (self->texels, NULL), (guint)size);
  return g_byte_array_free_to_bytes (g_steal_pointer (&file));
}
