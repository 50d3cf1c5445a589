/* Tests thumbnails made from the rows of a presented image that a layer has copied. */
#include "engine/capture/vtr-capture-picture.h"
#include "wire/vtr-ring.h"

#include <png.h>
#include <string.h>
#include <vulkan/vulkan_core.h>

static const VtrWireApi apis[VTR_WIRE_MAX_APIS] = { { "vulkan", 0 } };
static guint n_rests;

static void
count_row (gpointer data)
{
  n_rests++;
}

/* @texel: of @size bytes, everywhere */
static GBytes *
make (VtrRingPicture  head,
      const void     *texel,
      gsize           size)
{
  g_autoptr (GByteArray) record = g_byte_array_new ();

  g_byte_array_append (record, (const guint8 *)&head, sizeof head);
  for (guint64 i = 0; i < (guint64)head.width * head.n_rows; i++)
    g_byte_array_append (record, texel, size);
  return vtr_capture_picture_make (apis, record->data, record->len, count_row, NULL);
}

/* Of a PNG of @width × @height: the pixel at @x, @y. */
static guint32
read_pixel (GBytes *png,
            guint   width,
            guint   height,
            guint   x,
            guint   y)
{
  png_image image = { .version = PNG_IMAGE_VERSION };
  g_autofree guint8 *pixels = NULL;
  const guint8 *pixel;

  g_assert_nonnull (png);
  g_assert_true (png_image_begin_read_from_memory (&image, g_bytes_get_data (png, NULL),
                                                   g_bytes_get_size (png)));
  image.format = PNG_FORMAT_RGBA;
  g_assert_cmpuint (image.width, ==, width);
  g_assert_cmpuint (image.height, ==, height);
  pixels = g_malloc (PNG_IMAGE_SIZE (image));
  g_assert_true (png_image_finish_read (&image, NULL, pixels, 0, NULL));
  pixel = pixels + ((gsize)y * width + x) * 4;
  return (guint32)pixel[0] << 24 | (guint32)pixel[1] << 16 | (guint32)pixel[2] << 8 | pixel[3];
}

static void
test_formats (void)
{
  const struct
  {
    VkFormat format;
    guint8 texel[8];
    gsize size;
    guint32 pixel;
  } cases[] = {
    { VK_FORMAT_B8G8R8A8_UNORM, { 0x30, 0x20, 0x10, 0 }, 4, 0x102030ff },
    { VK_FORMAT_R8G8B8A8_SRGB, { 0x10, 0x20, 0x30, 0 }, 4, 0x102030ff },
    /* 1023 of red, 0 of green, 1023 of blue */
    { VK_FORMAT_A2B10G10R10_UNORM_PACK32, { 0xff, 0x03, 0xf0, 0x3f }, 4, 0xff00ffff },
    { VK_FORMAT_R5G6B5_UNORM_PACK16, { 0x00, 0xf8 }, 2, 0xff0000ff },
    /* 1.0, 0.0, 4.0 (brighter than white), 1.0 */
    { VK_FORMAT_R16G16B16A16_SFLOAT, { 0, 0x3c, 0, 0, 0, 0x44, 0, 0x3c }, 8, 0xff00ffff },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GBytes) png =
        make ((VtrRingPicture){ cases[i].format, 64, 36, 36 }, cases[i].texel, cases[i].size);

      g_assert_cmphex (read_pixel (png, 64, 36, 63, 35), ==, cases[i].pixel);
    }
}

/* The picture has fewer rows than the image. The process may be interrupted after each of the
 * thumbnail's rows. */
static void
test_rows (void)
{
  const guint before = n_rests;
  const guint8 texel[4] = { 1, 2, 3, 4 };
  g_autoptr (GBytes) some = make ((VtrRingPicture){ VK_FORMAT_R8G8B8A8_UNORM, 640, 480, 100 },
                                  texel, sizeof texel);
  g_autoptr (GBytes) one = make ((VtrRingPicture){ VK_FORMAT_R8G8B8A8_UNORM, 10000, 2000, 1 },
                                 texel, sizeof texel);

  g_assert_cmphex (read_pixel (some, 240, 180, 239, 179), ==, 0x010203ff);
  g_assert_cmphex (read_pixel (one, 320, 64, 0, 63), ==, 0x010203ff);
  g_assert_cmpuint (n_rests - before, ==, 180 + 64);
}

/* The program writes the ring: anything may be there. */
static void
test_hostile (void)
{
  const VtrRingPicture heads[] = {
    { VK_FORMAT_R8G8B8A8_UNORM, 0, 16, 16 },
    { VK_FORMAT_R8G8B8A8_UNORM, 16, 0, 0 },
    { VK_FORMAT_R8G8B8A8_UNORM, 16, 16, 0 },
    { VK_FORMAT_R8G8B8A8_UNORM, 16, 16, 17 },
    { VK_FORMAT_R8G8B8A8_UNORM, 17, 16, 16 },
    { VK_FORMAT_R8G8B8A8_UNORM, G_MAXUINT32, G_MAXUINT32, G_MAXUINT32 },
    { VK_FORMAT_R8G8B8A8_UNORM, 65536, 65536, 65536 },
    { VK_FORMAT_UNDEFINED, 16, 16, 16 },
    { 0x7fffffff, 16, 16, 16 },
    { VK_FORMAT_D32_SFLOAT, 16, 16, 16 },
    { VK_FORMAT_G8_B8_R8_3PLANE_420_UNORM, 16, 16, 16 },
  };
  g_autofree guint8 *record = g_malloc0 (sizeof heads[0] + 1024);
  g_autofree guint8 *large = g_malloc0 (sizeof heads[0] + VTR_RING_PICTURE_MAX + 1);
  gsize size;

  for (guint i = 0; i < G_N_ELEMENTS (heads); i++)
    {
      memcpy (record, &heads[i], sizeof heads[i]);
      g_assert_null (vtr_capture_picture_make (apis, record, sizeof heads[0] + 1024, NULL, NULL));
    }
  for (size = 0; size <= sizeof heads[0]; size++)
    g_assert_null (vtr_capture_picture_make (apis, record, size, NULL, NULL));
  memcpy (large, &(VtrRingPicture){ VK_FORMAT_R8_UNORM, 16, 16, 16 }, sizeof heads[0]);
  size = sizeof heads[0] + VTR_RING_PICTURE_MAX + 1;
  g_assert_null (vtr_capture_picture_make (apis, large, size, NULL, NULL));
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/engine/capture/picture/formats", test_formats);
  g_test_add_func ("/engine/capture/picture/rows", test_rows);
  g_test_add_func ("/engine/capture/picture/hostile", test_hostile);
  return g_test_run ();
}
