/* Chooses the format of an image file by its suffix, and writes formats that need no encoder. */
#include "engine/picture/vtr-image-private.h"

#include "vtr-config.h"

#include <glib/gi18n-lib.h>
#include <string.h>

typedef enum
{
  KIND_UNKNOWN,
  KIND_PNG,
  KIND_KTX2,
  KIND_PFM,
  KIND_RAW,
} Kind;

/* The part after the last dot of the file's name; "" without one. */
static const char *
get_suffix (const char *path)
{
  const char *name = strrchr (path, G_DIR_SEPARATOR);
  const char *dot;

  name = name != NULL ? name + 1 : path;
  dot = strrchr (name, '.');
  return dot != NULL && dot != name ? dot + 1 : "";
}

static Kind
kind_of (const char *path)
{
  static const struct
  {
    const char *suffix;
    Kind kind;
  } kinds[] = {
    { "", KIND_PNG },
    { "png", KIND_PNG },
    { "ktx2", KIND_KTX2 },
    { "pfm", KIND_PFM },
    { "raw", KIND_RAW },
  };
  const char *suffix = get_suffix (path);

  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++)
    if (g_ascii_strcasecmp (suffix, kinds[i].suffix) == 0)
      return kinds[i].kind;
  return KIND_UNKNOWN;
}

gboolean
vtr_image_is_png (const char *path)
{
  return kind_of (path) == KIND_PNG;
}

gboolean
vtr_image_check_suffix (const char  *path,
                        GError     **error)
{
  g_autofree char *shown = NULL;

  if (kind_of (path) != KIND_UNKNOWN)
    return TRUE;
  shown = g_filename_display_name (get_suffix (path));
  g_set_error (error, G_IO_ERROR, G_IO_ERROR_NOT_SUPPORTED,
               _ ("Images cannot be saved as .%s. Use .png, .ktx2 (exact texels), .pfm (floats) or "
                  ".raw (texels without a header)."),
               shown);
  return FALSE;
}

GBytes *
vtr_image_to_pfm (VtrImage *self)
{
  guint n = vtr_image_count_channels (self->shown_format) == 1 ? 1 : 3;
  g_autofree char *header =
    g_strdup_printf ("%s\n%u %u\n-1.0\n", n == 1 ? "Pf" : "PF", self->width, self->height);
  gsize length = strlen (header);
  gsize size = length + (gsize)self->width * self->height * n * sizeof (float);
  guint8 *file = g_malloc (size);
  guint8 *to = file + length;

  memcpy (file, header, length);
  /* The last row comes first; -1 says little-endian. */
  for (guint32 y = self->height; y-- > 0;)
    for (guint32 x = 0; x < self->width; x++)
      {
        double texel[4];

        vtr_image_read_texel (self, x, y, texel);
        for (guint c = 0; c < n; c++)
          {
            float value = (float)texel[c];
            guint32 word;

            memcpy (&word, &value, sizeof word);
            word = GUINT32_TO_LE (word);
            memcpy (to, &word, sizeof word);
            to += sizeof word;
          }
      }
  return g_bytes_new_take (file, size);
}

GBytes *
vtr_image_encode (VtrImage    *self,
                  const char  *path,
                  GError     **error)
{
  if (!vtr_image_check_suffix (path, error))
    return NULL;
  switch (kind_of (path))
    {
    case KIND_KTX2:
      return vtr_image_to_ktx2 (self, error);
    case KIND_PFM:
      return vtr_image_to_pfm (self);
    case KIND_RAW:
      return g_bytes_ref (self->texels);
    case KIND_PNG:
    case KIND_UNKNOWN:
    default:
      return vtr_image_to_png (self, error);
    }
}

gboolean
vtr_image_save (VtrImage    *self,
                const char  *path,
                GError     **error)
{
  g_autoptr (GBytes) file = vtr_image_encode (self, path, error);

  /* Writes a temporary file and renames it, so that readers never see half an image. */
  return file != NULL && g_file_set_contents_full (path, g_bytes_get_data (file, NULL),
                                                   (gssize)g_bytes_get_size (file),
                                                   G_FILE_SET_CONTENTS_CONSISTENT, 0666, error);
}
