/* Block decoders. The sums are of what they make of one fixed sequence of bytes. When they were
 * written down, BC6H, BC7, ETC2 and EAC gave exactly what Mesa's llvmpipe gives for it, BC1 to BC5
 * what it gives but for its rounding. */
#include <string.h>

#include "engine/resolve/vtr-block.h"

#define WIDTH 64u
#define HEIGHT 60u

static const struct
{
  VkFormat format;
  const char *sum;
} sums[] = {
  { VK_FORMAT_BC1_RGB_UNORM_BLOCK, "3b7ae05ae23ab9a30c26c16c180489b6" },
  { VK_FORMAT_BC1_RGBA_UNORM_BLOCK, "74794f55915569baebf79935146df183" },
  { VK_FORMAT_BC2_UNORM_BLOCK, "e0c47d7fb115e9989c117852f04aae72" },
  { VK_FORMAT_BC3_UNORM_BLOCK, "eaf8006487563b208481637e4cfec612" },
  { VK_FORMAT_BC4_UNORM_BLOCK, "469c40d3504535c403efafedafbd9d38" },
  { VK_FORMAT_BC4_SNORM_BLOCK, "2458dd7b85b9d95f3b46844875de8c5c" },
  { VK_FORMAT_BC5_UNORM_BLOCK, "c790f262596a9b3621022f0c116a2fc9" },
  { VK_FORMAT_BC5_SNORM_BLOCK, "170d5733f95f3c9e3168d0b3255f4cd6" },
  { VK_FORMAT_BC6H_UFLOAT_BLOCK, "2490e235cb52a87176cb093fed9c6883" },
  { VK_FORMAT_BC6H_SFLOAT_BLOCK, "dc3d677d5c6d7db2a52816a8f1635f59" },
  { VK_FORMAT_BC7_UNORM_BLOCK, "9ec6b393690282ba51324fc138fea83a" },
  { VK_FORMAT_ETC2_R8G8B8_UNORM_BLOCK, "e3415dd2a1716fb4aac2d74537069fc0" },
  { VK_FORMAT_ETC2_R8G8B8A1_UNORM_BLOCK, "9fd9bddea52093b0279ff888a825fe07" },
  { VK_FORMAT_ETC2_R8G8B8A8_UNORM_BLOCK, "8d291e1ee0f8e635aba08d7f5babdc31" },
  { VK_FORMAT_EAC_R11_UNORM_BLOCK, "032075ddd059502940d72547357679a7" },
  { VK_FORMAT_EAC_R11_SNORM_BLOCK, "fc60a4713be82b703d1a89b19c52acb3" },
  { VK_FORMAT_EAC_R11G11_UNORM_BLOCK, "1a7c271da3bf128686beaf663a420194" },
  { VK_FORMAT_EAC_R11G11_SNORM_BLOCK, "75f7c9bd9b5d135ba8c15144496d28d1" },
};

static guint8 *
make_blocks (gsize size)
{
  guint8 *blocks = g_malloc (size);
  guint64 state = 11;

  for (gsize i = 0; i < size; i++)
    {
      state = state * 6364136223846793005u + 1442695040888963407u;
      blocks[i] = (guint8)(state >> 41);
    }
  return blocks;
}

static void
test_sums (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (sums); i++)
    {
      g_autofree guint8 *blocks = make_blocks (WIDTH * HEIGHT);
      g_autoptr (GBytes) texels = NULL;
      g_autofree char *sum = NULL;
      VtrBlockCodec codec;

      g_assert_true (vtr_block_codec_find (sums[i].format, &codec));
      texels = vtr_block_codec_decode (&codec, blocks, WIDTH, HEIGHT);
      g_assert_cmpuint (g_bytes_get_size (texels), ==, WIDTH * HEIGHT * codec.texel_bytes);
      sum = g_compute_checksum_for_bytes (G_CHECKSUM_MD5, texels);
      g_test_message ("  { %d, \"%s\" },", (int)sums[i].format, sum);
      g_assert_cmpstr (sum, ==, sums[i].sum);
    }
}

/* An image whose size is no multiple of the block's shows the beginning of its last blocks. */
static void
test_edges (void)
{
  g_autofree guint8 *blocks = make_blocks (2 * 2 * 16);
  g_autoptr (GBytes) whole = NULL;
  g_autoptr (GBytes) part = NULL;
  VtrBlockCodec codec;

  g_assert_true (vtr_block_codec_find (VK_FORMAT_BC7_UNORM_BLOCK, &codec));
  whole = vtr_block_codec_decode (&codec, blocks, 8, 8);
  part = vtr_block_codec_decode (&codec, blocks, 6, 5);
  for (guint y = 0; y < 5; y++)
    g_assert_cmpmem ((const guint8 *)g_bytes_get_data (whole, NULL) + y * 8 * 4, 6 * 4,
                     (const guint8 *)g_bytes_get_data (part, NULL) + y * 6 * 4, 6 * 4);
}

static void
test_known (void)
{
  /* Red and blue, and the two colours between them. */
  static const guint8 bc1[8] = { 0x00, 0xf8, 0x1f, 0x00, 0xe4, 0xe4, 0xe4, 0xe4 };
  static const guint8 row[16] = { 255, 0, 0, 255, 0, 0, 255, 255, 170, 0, 85, 255, 85, 0, 170,
                                  255 };
  static const guint8 pair[4] = { 10, 20, 30, 40 };
  static const guint8 green_first[8] = { 40, 10, 20, 255, 40, 30, 20, 255 };
  g_autoptr (GBytes) colors = NULL;
  g_autoptr (GBytes) texels = NULL;
  VtrBlockCodec codec;

  g_assert_true (vtr_block_codec_find (VK_FORMAT_BC1_RGB_UNORM_BLOCK, &codec));
  colors = vtr_block_codec_decode (&codec, bc1, 4, 4);
  g_assert_cmpmem (g_bytes_get_data (colors, NULL), 16, row, 16);
  g_assert_true (vtr_block_codec_find (VK_FORMAT_G8B8G8R8_422_UNORM, &codec));
  texels = vtr_block_codec_decode (&codec, pair, 2, 1);
  g_assert_cmpmem (g_bytes_get_data (texels, NULL), 8, green_first, 8);
  g_assert_false (vtr_block_codec_find (VK_FORMAT_R8G8B8A8_UNORM, &codec));
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/engine/resolve/block/sums", test_sums);
  g_test_add_func ("/engine/resolve/block/edges", test_edges);
  g_test_add_func ("/engine/resolve/block/known", test_known);
  return g_test_run ();
}
