/* Tests the decoders of texel blocks against checksums of what they make of one fixed sequence of
 * bytes. When the checksums were written down, BC6H, BC7, ETC2 and EAC gave exactly what Mesa's
 * llvmpipe gives, BC1 to BC5 the same up to rounding, and ASTC what Arm's decoder gives as half
 * floats, here and for 1.7 million other blocks. */
#include <string.h>

#include "engine/picture/vtr-block.h"
#include "vulkan/vtr-vulkan-formats.h"

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
  { VK_FORMAT_ASTC_4x4_UNORM_BLOCK, "e64295364efcf9aaf848811ccca4707e" },
  { VK_FORMAT_ASTC_4x4_SRGB_BLOCK, "30fae7f8f6cbb5b066b1d3e4b3580c1e" },
  { VK_FORMAT_ASTC_5x4_UNORM_BLOCK, "fbdeb7cac020fb79055e814455fc7093" },
  { VK_FORMAT_ASTC_5x4_SRGB_BLOCK, "98417fdc053a3e1763334614cc0aac33" },
  { VK_FORMAT_ASTC_5x5_UNORM_BLOCK, "e8f649780965316b43051a13f2997d82" },
  { VK_FORMAT_ASTC_5x5_SRGB_BLOCK, "63bd9be3a1834af2ae2e56a8a62bb0de" },
  { VK_FORMAT_ASTC_6x5_UNORM_BLOCK, "f51c80c08afbd1e39644edf53940442d" },
  { VK_FORMAT_ASTC_6x5_SRGB_BLOCK, "dc6f4b171eb313e92fe5d1ec5a911f8a" },
  { VK_FORMAT_ASTC_6x6_UNORM_BLOCK, "e78189ac77a3dd6621010674be7cd3db" },
  { VK_FORMAT_ASTC_6x6_SRGB_BLOCK, "2d7420a36a18302211c0bca4f465b8fb" },
  { VK_FORMAT_ASTC_8x5_UNORM_BLOCK, "c4aa6c5bb823c2a796a394f44a3d473c" },
  { VK_FORMAT_ASTC_8x5_SRGB_BLOCK, "c115ee01d235a363eddb223aafd61965" },
  { VK_FORMAT_ASTC_8x6_UNORM_BLOCK, "246472a1a091ac9b13a44869a8651ad2" },
  { VK_FORMAT_ASTC_8x6_SRGB_BLOCK, "b91939f381792f9edcab05cda6471998" },
  { VK_FORMAT_ASTC_8x8_UNORM_BLOCK, "55090b8de1c00ba97874b6d77c6436e1" },
  { VK_FORMAT_ASTC_8x8_SRGB_BLOCK, "ea86e91f5b5a3917d2eaf1048cc6c1bb" },
  { VK_FORMAT_ASTC_10x5_UNORM_BLOCK, "a9aa93cf179c30682d701cfafbd2ad76" },
  { VK_FORMAT_ASTC_10x5_SRGB_BLOCK, "2b64a7e96a2ccf08f5104eb06ef07951" },
  { VK_FORMAT_ASTC_10x6_UNORM_BLOCK, "93010b5e090406ad56e4038f84bebced" },
  { VK_FORMAT_ASTC_10x6_SRGB_BLOCK, "d844094f45cb6f9388178bb349a341e4" },
  { VK_FORMAT_ASTC_10x8_UNORM_BLOCK, "4da3fab69489af9949761368aa4d0f9e" },
  { VK_FORMAT_ASTC_10x8_SRGB_BLOCK, "e75ef03bb4dc9b5d02ffd32ee2d17f6c" },
  { VK_FORMAT_ASTC_10x10_UNORM_BLOCK, "17d70f50f16d15c18fe476ae9c03a2cd" },
  { VK_FORMAT_ASTC_10x10_SRGB_BLOCK, "a0cb9a9ebea9bf7fa809d550e19f9db2" },
  { VK_FORMAT_ASTC_12x10_UNORM_BLOCK, "c3e4f26bac61314018fee8fa1d99a015" },
  { VK_FORMAT_ASTC_12x10_SRGB_BLOCK, "bed9ab2931eaf19352ef69bf75722480" },
  { VK_FORMAT_ASTC_12x12_UNORM_BLOCK, "4ce2c6f2ccfb07d785e0ff8a882b4e0f" },
  { VK_FORMAT_ASTC_12x12_SRGB_BLOCK, "2509cc99d65225bad936a4c06c757a73" },
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

static gboolean
find (VkFormat       format,
      VtrBlockCodec *out)
{
  return vtr_block_codec_find (vtr_vulkan_format_get (format), out);
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

      g_assert_true (find (sums[i].format, &codec));
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

  g_assert_true (find (VK_FORMAT_BC7_UNORM_BLOCK, &codec));
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

  g_assert_true (find (VK_FORMAT_BC1_RGB_UNORM_BLOCK, &codec));
  colors = vtr_block_codec_decode (&codec, bc1, 4, 4);
  g_assert_cmpmem (g_bytes_get_data (colors, NULL), 16, row, 16);
  g_assert_true (find (VK_FORMAT_G8B8G8R8_422_UNORM, &codec));
  texels = vtr_block_codec_decode (&codec, pair, 2, 1);
  g_assert_cmpmem (g_bytes_get_data (texels, NULL), 8, green_first, 8);
  g_assert_false (find (VK_FORMAT_R8G8B8A8_UNORM, &codec));
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
