#include "vtr-cli-image.h"

gboolean
vtr_cli_save_raw (VtrImage    *image,
                  const char  *path,
                  GError     **error)
{
  gsize size;
  const guint8 *texels = g_bytes_get_data (image->texels, &size);
  g_autoptr (GByteArray) bytes = g_byte_array_sized_new (32 + size);
  guint32 numbers[4] = { GUINT32_TO_LE (1), GUINT32_TO_LE (image->width),
                         GUINT32_TO_LE (image->height),
                         GUINT32_TO_LE ((guint32)image->format) };
  guint64 length = GUINT64_TO_LE (size);

  g_byte_array_append (bytes, (const guint8 *)"VTRFRAME", 8);
  g_byte_array_append (bytes, (const guint8 *)numbers, sizeof numbers);
  g_byte_array_append (bytes, (const guint8 *)&length, sizeof length);
  g_byte_array_append (bytes, texels, size);

  return g_file_set_contents (path, (const char *)bytes->data, bytes->len, error);
}
