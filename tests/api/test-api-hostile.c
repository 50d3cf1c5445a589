/* Tests damaged messages: whatever the bytes, decoding ends, and its result can be walked. */
#include "vtr-random-tree.h"

#include "vulkan/vtr-vulkan.h"

#include "api/vtr-api-print.h"

#include <glib.h>

#define MUTATIONS 12
#define ARENA_LIMIT (16u << 20)

static void
mutate (VtrRandomTree *random,
        VtrBuffer     *message)
{
  guint n = 1 + vtr_random_below (random, 6);

  if (message->size == 0)
    return;
  for (guint i = 0; i < n; i++)
    {
      guint at = vtr_random_below (random, (guint)message->size);

      switch (vtr_random_below (random, 5))
        {
        case 0:
          message->data[at] ^= (guint8)(1u << vtr_random_below (random, 8));
          break;
        case 1:
          message->data[at] = (guint8)vtr_random (random);
          break;
        case 2:
          message->data[at] = 0xff;
          break;
        case 3:
          /* An address or count copied from elsewhere makes aliases and cycles. */
          if (message->size >= 16 && at + 8 <= message->size)
            memcpy (message->data + at,
                    message->data + vtr_random_below (random, (guint)message->size - 8), 4);
          break;
        default:
          message->size -= vtr_random_below (random, MIN (16, (guint)message->size));
          break;
        }
      if (message->size == 0)
        return;
    }
}

static bool
resolve (void           *data,
         uint64_t        index,
         const uint8_t **bytes,
         size_t         *size)
{
  static const guint8 resource[64];

  *bytes = resource;
  *size = sizeof resource;
  return index < 100;
}

static void
walk (const VtrDecoded *decoded,
      VtrArena         *arena)
{
  static VtrFlat flat;
  VtrApiVisitor visitor = { 0 };
  VtrBuffer text = { 0 };
  void *copy;

  vtr_api_visit (decoded->cmd, decoded->args, NULL, &visitor);
  if (vtr_api_flatten (decoded->cmd, decoded->args, NULL, &flat) == VTR_OK)
    g_assert_cmpuint (flat.blob.size, >=, vtr_cmd_get (decoded->cmd)->args_size);
  vtr_api_print_full (decoded->cmd, decoded->args, decoded, NULL, &text);
  vtr_api_json (decoded->cmd, decoded->args, decoded, NULL, &text);
  if (vtr_api_copy (decoded->cmd, decoded->args, NULL, arena, &copy) == VTR_OK)
    g_assert_true (vtr_api_compare (decoded->cmd, decoded->args, copy, VTR_COMPARE_HANDLES, NULL,
                                    NULL, 0));
  vtr_buffer_finish (&text);
}

static void
attack (VtrCmdId cmd,
        guint64  seed)
{
  VtrBuffer original = { 0 }, message = { 0 };
  VtrRandomTree tree;

  vtr_random_tree_init (&tree, cmd, seed);
  vtr_api_encode (&original, cmd, tree.args, 0, 1, 2, 0, tree.env);
  for (guint i = 0; i < MUTATIONS; i++)
    {
      VtrDecodeOptions options = { .abi = (VtrAbi)vtr_random_below (&tree, VTR_ABI_COUNT),
                                   .resolve = resolve };
      VtrDecoded decoded;
      VtrArena arena;
      guint8 *exact;

      vtr_buffer_clear (&message);
      vtr_buffer_append (&message, original.data, original.size);
      mutate (&tree, &message);
      exact = g_memdup2 (message.data, message.size);
      vtr_arena_init (&arena);
      arena.limit = ARENA_LIMIT;
      if (vtr_api_decode (cmd, exact, message.size, &options, &arena, &decoded) == VTR_OK)
        walk (&decoded, &arena);
      vtr_arena_finish (&arena);
      g_free (exact);
    }
  vtr_random_tree_finish (&tree);
  vtr_buffer_finish (&original);
  vtr_buffer_finish (&message);
}

static void
test_mutations (void)
{
  for (unsigned i = 0; i < VTR_N_COMMANDS; i++)
    for (guint64 seed = 0; seed < 8; seed++)
      attack (vtr_cmd_at (i), seed);
}

/* As long as VITRINE_FUZZ_SECONDS says (1 without), with seeds that differ from run to run and are
 * printed. */
static void
test_fuzz (void)
{
  const char *text = g_getenv ("VITRINE_FUZZ_SECONDS");
  gdouble seconds = text != NULL ? g_ascii_strtod (text, NULL) : 1.0;
  guint64 seed = (guint64)g_get_real_time (), n_messages = 0;

  g_test_message ("first seed: %" G_GUINT64_FORMAT, seed);
  g_test_timer_start ();
  while (g_test_timer_elapsed () < seconds)
    {
      attack (vtr_cmd_at (seed % VTR_N_COMMANDS), seed);
      seed++;
      n_messages += MUTATIONS;
    }
  g_test_message ("%" G_GUINT64_FORMAT " messages", n_messages);
}

/* A chain that is its own next element. */
static void
test_cycle (void)
{
  guint8 node[24] = { 0 };
  guint64 address = 0x1000;
  guint32 stype = VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO;
  VkBufferCreateInfo info = { .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                              .pNext = (void *)(guintptr)0x1000 };
  VtrObservation observations[] = {
    { 0x500, (const guint8 *)&info, sizeof info, 0, false },
    { 0x1000, node, sizeof node, 0, false },
  };
  guint64 params[4] = { 1, 0x500, 0, 0 };
  VtrDecoded decoded;
  VtrArena arena;

  memcpy (node, &stype, sizeof stype);
  memcpy (node + 8, &address, sizeof address);
  vtr_arena_init (&arena);
  g_assert_cmpint (vtr_api_rebuild (VTR_CMD_vkCreateBuffer, VTR_ABI_LP64, params, observations, 2,
                                    &arena, &decoded),
                   ==, VTR_OK);
  g_assert_cmpuint (decoded.flags & VTR_DECODED_TOO_DEEP, !=, 0);
  walk (&decoded, &arena);
  vtr_arena_finish (&arena);
}

/* A struct that is found again through one embedded in it: where following ends, captured addresses
 * must not be left behind. */
static void
test_deep (void)
{
  VkComputePipelineCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
    .stage = { .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
               .pNext = (void *)(guintptr)0x500 },
  };
  VtrObservation observations[] = { { 0x500, (const guint8 *)&info, sizeof info, 0, false } };
  guint64 params[6] = { 1, 0, 1, 0x500, 0, 0 };
  VtrDecoded decoded;
  VtrArena arena;

  vtr_arena_init (&arena);
  g_assert_cmpint (vtr_api_rebuild (VTR_CMD_vkCreateComputePipelines, VTR_ABI_LP64, params,
                                    observations, 1, &arena, &decoded),
                   ==, VTR_OK);
  g_assert_cmpuint (decoded.flags & VTR_DECODED_TOO_DEEP, !=, 0);
  walk (&decoded, &arena);
  vtr_arena_finish (&arena);
}

/* Counts that lie. */
static void
test_huge_count (void)
{
  VkSubmitInfo submit = { .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                          .commandBufferCount = G_MAXUINT32,
                          .pCommandBuffers = (void *)(guintptr)0x1000 };
  guint64 handle = 7;
  VtrObservation observations[] = {
    { 0x500, (const guint8 *)&submit, sizeof submit, 0, false },
    { 0x1000, (const guint8 *)&handle, sizeof handle, 0, false },
  };
  guint64 params[4] = { 1, 1, 0x500, 0 };
  const VkSubmitInfo *result;
  VtrDecoded decoded;
  VtrArena arena;

  vtr_arena_init (&arena);
  g_assert_cmpint (vtr_api_rebuild (VTR_CMD_vkQueueSubmit, VTR_ABI_LP64, params, observations, 2,
                                    &arena, &decoded),
                   ==, VTR_OK);
  g_assert_cmpuint (decoded.flags & VTR_DECODED_DAMAGED, !=, 0);
  memcpy (&result, (guint8 *)decoded.args + vtr_cmd_param (decoded.cmd, 2)->offset[VTR_ABI_NATIVE],
          sizeof result);
  g_assert_nonnull (result);
  g_assert_null (result->pCommandBuffers);
  walk (&decoded, &arena);
  vtr_arena_finish (&arena);
}

/* Later observations overlay earlier ones, and pieces join. */
static void
test_overlay (void)
{
  VkBufferCreateInfo first = { .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .size = 1 };
  guint64 size = 99;
  gsize half = offsetof (VkBufferCreateInfo, usage);
  VtrObservation observations[] = {
    { 0x500, (const guint8 *)&first, half, 0, false },
    { 0x500 + half, (const guint8 *)&first + half, sizeof first - half, 0, false },
    { 0x500 + offsetof (VkBufferCreateInfo, size), (const guint8 *)&size, sizeof size, 0, true },
  };
  guint64 params[4] = { 1, 0x500, 0, 0 };
  const VkBufferCreateInfo *result;
  VtrDecoded decoded;
  VtrArena arena;

  vtr_arena_init (&arena);
  g_assert_cmpint (vtr_api_rebuild (VTR_CMD_vkCreateBuffer, VTR_ABI_LP64, params, observations, 3,
                                    &arena, &decoded),
                   ==, VTR_OK);
  memcpy (&result, (guint8 *)decoded.args + vtr_cmd_param (decoded.cmd, 1)->offset[VTR_ABI_NATIVE],
          sizeof result);
  g_assert_cmpuint (result->size, ==, 99);
  g_assert_cmpuint (decoded.flags, ==, 0);
  vtr_arena_finish (&arena);
}

/* A string whose end lies under a later observation that does not end it. */
static void
test_endless_string (void)
{
  VkDebugUtilsLabelEXT label = { .sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_LABEL_EXT,
                                 .pLabelName = (void *)(guintptr)0x1000 };
  VtrObservation observations[] = {
    { 0x500, (const guint8 *)&label, sizeof label, 0, false },
    { 0x1000, (const guint8 *)"name", 5, 0, false },
    { 0x1003, (const guint8 *)"????", 4, 0, false },
  };
  guint64 params[2] = { 1, 0x500 };
  const VkDebugUtilsLabelEXT *result;
  VtrDecoded decoded;
  VtrArena arena;

  vtr_arena_init (&arena);
  g_assert_cmpint (vtr_api_rebuild (VTR_CMD_vkCmdBeginDebugUtilsLabelEXT, VTR_ABI_LP64, params,
                                    observations, 3, &arena, &decoded),
                   ==, VTR_OK);
  g_assert_cmpuint (decoded.flags & VTR_DECODED_DAMAGED, !=, 0);
  memcpy (&result, (guint8 *)decoded.args + vtr_cmd_param (decoded.cmd, 1)->offset[VTR_ABI_NATIVE],
          sizeof result);
  g_assert_cmpstr (result->pLabelName, ==, "nam?");
  walk (&decoded, &arena);
  vtr_arena_finish (&arena);
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/api/hostile/mutations", test_mutations);
  g_test_add_func ("/api/hostile/fuzz", test_fuzz);
  g_test_add_func ("/api/hostile/cycle", test_cycle);
  g_test_add_func ("/api/hostile/deep", test_deep);
  g_test_add_func ("/api/hostile/huge-count", test_huge_count);
  g_test_add_func ("/api/hostile/endless-string", test_endless_string);
  g_test_add_func ("/api/hostile/overlay", test_overlay);
  return g_test_run ();
}
