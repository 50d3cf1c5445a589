/* Tests device addresses that differ in a replay: which values are recognised, and what calls and
 * memory get instead. */
#include <string.h>

#include "engine/vulkan/replay-builder/vtr-address-patcher.h"
#include "engine/vulkan/replay-builder/vtr-vulkan-builder-private.h"
#include "vtr-api-args.h"
#include "vtr-test-machine.h"

#define HANDLE(type, value) ((type)(gsize)(value))
#define BASE G_GUINT64_CONSTANT (0x00007f1234560000)

/* --- Which values are addresses -------------------------------------------------------------- */

static guint32
find (VtrAddressScan *scan,
      guint64         value)
{
  guint32 range = 0;

  return vtr_address_scan_find (scan, value, &range) ? range : G_MAXUINT32;
}

static void
test_edges (void)
{
  const VtrAddressRange list[] = {
    { BASE, BASE + 0x100, 10, 20, 1 },
    { BASE + 0x100, BASE + 0x180, 11, G_MAXUINT64, 1 },
    { BASE + 0x1000, BASE + 0x1000, 12, G_MAXUINT64, 1 },
    { BASE + 0x2000, BASE + 0x3000, 13, G_MAXUINT64, 1 },
    { BASE + 0x2800, BASE + 0x2900, 14, G_MAXUINT64, 1 }, /* in the one before it */
    { BASE + 0x2800, BASE + 0x2900, 15, 16, 1 },
    { BASE + 0x2800, BASE + 0x2880, 16, 16, 1 },
  };
  g_autoptr (VtrAddressRanges) ranges =
    vtr_address_ranges_new_of (list, G_N_ELEMENTS (list), FALSE);
  g_autoptr (VtrAddressScan) scan = vtr_address_scan_new (ranges);

  vtr_address_scan_seek (scan, 9, 0);
  g_assert_cmpuint (find (scan, BASE), ==, G_MAXUINT32); /* the program has not asked yet */
  vtr_address_scan_seek (scan, 10, 0);
  g_assert_cmpuint (find (scan, BASE - 1), ==, G_MAXUINT32);
  g_assert_cmpuint (find (scan, BASE), ==, 0);
  g_assert_cmpuint (find (scan, BASE + 0xff), ==, 0);
  g_assert_cmpuint (find (scan, BASE + 0x100), ==, 0); /* its end */
  g_assert_cmpuint (find (scan, BASE + 0x101), ==, G_MAXUINT32);
  vtr_address_scan_seek (scan, 13, 1);
  g_assert_cmpuint (find (scan, BASE + 0x100), ==, 1); /* another's begin */
  g_assert_cmpuint (find (scan, BASE + 0x1000), ==, 2);
  g_assert_cmpuint (find (scan, BASE + 0x2850), ==, 3);
  vtr_address_scan_seek (scan, 13, 2);
  g_assert_cmpuint (find (scan, BASE + 0x2850), ==, G_MAXUINT32); /* another device's */
  vtr_address_scan_seek (scan, 14, 0);
  g_assert_cmpuint (find (scan, BASE + 0x2850), ==, 4);
  g_assert_cmpuint (find (scan, BASE + 0x2900), ==, 3);
  vtr_address_scan_seek (scan, 15, 0);
  g_assert_cmpuint (find (scan, BASE + 0x2850), ==, 5);
  vtr_address_scan_seek (scan, 16, 0);
  g_assert_cmpuint (find (scan, BASE + 0x2850), ==, 6);
  g_assert_cmpuint (find (scan, BASE + 0x2890), ==, 5);
  vtr_address_scan_seek (scan, 20, 0);
  g_assert_cmpuint (find (scan, BASE), ==, 0); /* the command that destroys it */
  vtr_address_scan_seek (scan, 21, 0);
  g_assert_cmpuint (find (scan, BASE), ==, G_MAXUINT32);
  g_assert_cmpuint (find (scan, BASE + 0x2850), ==, 4);
  vtr_address_scan_seek (scan, VTR_COMMAND_NO_INDEX, 0);
  g_assert_cmpuint (find (scan, BASE + 0x2850), ==, 4);
  vtr_address_scan_seek (scan, 10, 0); /* back */
  g_assert_cmpuint (find (scan, BASE), ==, 0);
  g_assert_cmpuint (find (scan, BASE + 0x2850), ==, G_MAXUINT32);
}

/* Ranges at both ends of the address space. */
static void
test_ends (void)
{
  const VtrAddressRange list[] = {
    { G_MAXUINT64 - 15, G_MAXUINT64, 0, G_MAXUINT64, 1 },
    { 1, 9, 0, G_MAXUINT64, 1 },
  };
  g_autoptr (VtrAddressRanges) ranges = vtr_address_ranges_new_of (list, 2, FALSE);
  g_autoptr (VtrAddressScan) scan = vtr_address_scan_new (ranges);
  const guint64 values[] = { 0, 1, 9, 10, G_MAXUINT64 - 16, G_MAXUINT64 - 15, G_MAXUINT64 };
  const GArray *found;

  vtr_address_scan_seek (scan, 0, 0);
  found = vtr_address_scan_bytes (scan, (const guint8 *)values, sizeof values, 0, 8);
  g_assert_cmpuint (found->len, ==, 4);
  g_assert_cmpuint (g_array_index (found, VtrAddressFound, 0).at, ==, 8);
  g_assert_cmpuint (g_array_index (found, VtrAddressFound, 1).at, ==, 16);
  g_assert_cmpuint (g_array_index (found, VtrAddressFound, 2).at, ==, 40);
  g_assert_cmpuint (g_array_index (found, VtrAddressFound, 3).at, ==, 48);
  g_assert_cmpuint (g_array_index (found, VtrAddressFound, 3).range, ==, 0);
  for (gsize size = 0; size < 8; size++)
    g_assert_cmpuint (vtr_address_scan_bytes (scan, (const guint8 *)&values[1], size, 0, 4)->len,
                      ==, 0);
  g_assert_cmpuint (vtr_address_scan_bytes (scan, (const guint8 *)values, 4, 8, 8)->len, ==, 0);
}

/* Places of bytes: every 8 in memory wherever a write begins, every 4 in calls. */
static void
test_places (void)
{
  const VtrAddressRange list[] = { { BASE, BASE + 0x1000, 0, G_MAXUINT64, 1 } };
  g_autoptr (VtrAddressRanges) ranges = vtr_address_ranges_new_of (list, 1, FALSE);
  g_autoptr (VtrAddressScan) scan = vtr_address_scan_new (ranges);
  guint8 bytes[64] = { 0 };
  const guint64 value = BASE + 0x123;
  const GArray *found;

  g_assert_cmpuint (vtr_address_scan_first (0), ==, 0);
  g_assert_cmpuint (vtr_address_scan_first (1), ==, 7);
  g_assert_cmpuint (vtr_address_scan_first (G_MAXUINT64), ==, 1);
  memcpy (bytes + 12, &value, 8);
  memcpy (bytes + 20, &value, 8);
  memcpy (bytes + 32, &value, 8);
  memcpy (bytes + 50, &value, 8);
  vtr_address_scan_seek (scan, 0, 0);
  found = vtr_address_scan_bytes (scan, bytes, sizeof bytes, 0, VTR_ADDRESS_STEP_MEMORY);
  g_assert_cmpuint (found->len, ==, 1);
  g_assert_cmpuint (g_array_index (found, VtrAddressFound, 0).at, ==, 32);
  found = vtr_address_scan_bytes (scan, bytes, sizeof bytes, vtr_address_scan_first (0x1004),
                                  VTR_ADDRESS_STEP_MEMORY);
  g_assert_cmpuint (found->len, ==, 2);
  g_assert_cmpuint (g_array_index (found, VtrAddressFound, 0).at, ==, 12);
  g_assert_cmpuint (g_array_index (found, VtrAddressFound, 1).at, ==, 20);
  g_assert_cmpuint (vtr_address_scan_place (scan, bytes, sizeof bytes, FALSE)->len, ==, 3);
  g_assert_cmpuint (vtr_address_scan_place (scan, bytes + 50, 8, TRUE)->len, ==, 1);
}

/* What the header says, in the plainest way. */
static guint32
find_plainly (const VtrAddressRange *list,
              guint32                n,
              guint64                index,
              guint64                value)
{
  guint32 best = G_MAXUINT32;

  for (guint pass = 0; pass < 2 && best == G_MAXUINT32; pass++)
    for (guint32 i = 0; i < n; i++)
      {
        const VtrAddressRange *a = &list[i];
        const VtrAddressRange *b = best != G_MAXUINT32 ? &list[best] : NULL;

        if (index < a->from || index > a->to || value < a->begin ||
            (pass == 0 ? value >= a->end : value != a->end))
          continue;
        if (b == NULL || a->begin > b->begin || (a->begin == b->begin && a->end <= b->end))
          best = i;
      }
  return best;
}

static void
test_random (void)
{
  for (guint round = 0; round < 300; round++)
    {
      VtrAddressRange list[24];
      guint32 n = (guint32)g_test_rand_int_range (1, G_N_ELEMENTS (list));
      g_autoptr (VtrAddressRanges) ranges = NULL;
      g_autoptr (VtrAddressScan) scan = NULL;

      for (guint32 i = 0; i < n; i++)
        {
          list[i].begin = BASE + (guint64)g_test_rand_int_range (0, 60);
          list[i].end = list[i].begin + (guint64)g_test_rand_int_range (0, 20);
          list[i].from = (guint64)g_test_rand_int_range (0, 20);
          list[i].to = list[i].from + (guint64)g_test_rand_int_range (0, 20);
          list[i].device = 1;
        }
      ranges = vtr_address_ranges_new_of (list, n, FALSE);
      scan = vtr_address_scan_new (ranges);
      for (guint i = 0; i < 400; i++)
        {
          guint64 index = (guint64)g_test_rand_int_range (0, 45);
          guint64 value = BASE + (guint64)g_test_rand_int_range (-2, 90);

          vtr_address_scan_seek (scan, index, 0);
          g_assert_cmpuint (find (scan, value), ==, find_plainly (list, n, index, value));
        }
    }
}

/* --- What a replay gets ---------------------------------------------------------------------- */

/* Three buffers, whose addresses the first commands return. */
static const VtrAddressRange told[] = {
  { BASE, BASE + 0x1000, 1, G_MAXUINT64, 0xd0 },
  { BASE + 0x10000, BASE + 0x20000, 2, G_MAXUINT64, 0xd0 },
  { BASE + 0x40000, BASE + 0x40010, 3, 1000, 0xd0 },
};

typedef struct
{
  VtrTestMachine machine;
  VtrAddressRanges *ranges;
  VtrReplayBuilder *builder;
  guint64 next_index;
  const void *expected; /* arguments that the next call must equal, handles aside */
  const guint8 *bytes;  /* or: what the next write must write */
  guint8 *memory;       /* or: what writes write to */
  gsize words_at;       /* where in memory the words of check_pieces () begin */
  guint n_compared;
} Fixture;

static const VkDevice device = HANDLE (VkDevice, 0xd0);

static void
compare_call (const VtrTestCall *call,
              gpointer           data)
{
  Fixture *fixture = data;
  char where[256] = "";

  if (call->function == VTR_REPLAY_WRITE_BYTES && fixture->memory != NULL)
    memcpy (fixture->memory + call->values[2], (gpointer)(gsize)call->values[3], call->values[4]);
  else if (call->function == VTR_REPLAY_WRITE_BYTES && fixture->bytes != NULL)
    {
      g_assert_cmpmem ((gpointer)(gsize)call->values[3], call->values[4], fixture->bytes,
                       call->values[4]);
      fixture->n_compared++;
    }
  if (fixture->expected == NULL || call->function >= VTR_REPLAY_FIRST_SYNTHETIC)
    return;
  if (!vtr_api_compare ((VtrCmdId)call->function, fixture->expected, call->args, 0,
                        &(VtrApiEnv){ .decoded = true }, where, sizeof where))
    g_error ("%s differs at %s", vtr_cmd_name ((VtrCmdId)call->function), where);
  fixture->n_compared++;
}

static void
add_result (Fixture    *fixture,
            VtrCmdId    id,
            const void *args,
            guint64     result)
{
  const VtrCommand command = {
    .id = id,
    .index = fixture->next_index++,
    .has_result = TRUE,
    .result = result,
    .args = (gpointer)args,
  };
  g_autoptr (GError) error = NULL;

  vtr_replay_builder_add (fixture->builder, &command, &error);
  g_assert_no_error (error);
}

static void
flush (Fixture *fixture)
{
  g_autoptr (GError) error = NULL;

  vtr_replay_builder_flush (fixture->builder, &error);
  g_assert_no_error (error);
}

/* @args as the program called, @expected as the driver is called. */
static void
check_call (Fixture    *fixture,
            VtrCmdId    id,
            const void *args,
            const void *expected)
{
  guint before = fixture->n_compared;

  fixture->expected = expected;
  add_result (fixture, id, args, 0);
  flush (fixture);
  fixture->expected = NULL;
  g_assert_cmpuint (fixture->n_compared, ==, before + 1);
}

static void
set_up (Fixture       *fixture,
        gconstpointer  data)
{
  VkDevice out = device;
  VkDeviceCreateInfo info = { VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO };
  const VtrArgs_vkCreateDevice args = { HANDLE (VkPhysicalDevice, 0xbad), &info, NULL, &out };

  memset (fixture, 0, sizeof *fixture);
  vtr_test_machine_init (&fixture->machine);
  fixture->ranges = vtr_address_ranges_new_of (told, G_N_ELEMENTS (told), FALSE);
  fixture->builder = vtr_replay_builder_new (NULL, vtr_test_machine_send, &fixture->machine);
  vtr_vulkan_part_set_patcher (fixture->builder, vtr_address_patcher_new (fixture->ranges));
  fixture->machine.builder = fixture->builder;
  fixture->machine.called = compare_call;
  fixture->machine.data = fixture;
  add_result (fixture, VTR_CMD_vkCreateDevice, &args, 0);
  for (guint i = 0; i < G_N_ELEMENTS (told); i++)
    {
      const VkBufferDeviceAddressInfo which = {
        .sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO,
        .buffer = HANDLE (VkBuffer, 0xb0 + i),
      };
      const VtrArgs_vkGetBufferDeviceAddress ask = { device, &which };

      add_result (fixture, VTR_CMD_vkGetBufferDeviceAddress, &ask, told[i].begin);
    }
  flush (fixture);
  g_assert_cmpuint (fixture->machine.n_addresses, ==, G_N_ELEMENTS (told));
}

static void
tear_down (Fixture       *fixture,
           gconstpointer  data)
{
  vtr_replay_builder_free (fixture->builder);
  vtr_test_machine_finish (&fixture->machine);
  vtr_address_ranges_free (fixture->ranges);
}

/* Where a captured address is in the replay. */
static guint64
moved (guint64 value)
{
  guint32 range = find_plainly (told, G_N_ELEMENTS (told), 10, value);

  g_assert_cmpuint (range, !=, G_MAXUINT32);
  return value + vtr_test_machine_distance (range);
}

static guint64
count_of (Fixture    *fixture,
          const char *where)
{
  g_autoptr (GArray) counts =
    vtr_address_patcher_list_counts (vtr_vulkan_part (fixture->builder)->patcher);

  for (guint i = 0; i < counts->len; i++)
    if (g_str_equal (g_array_index (counts, VtrAddressCount, i).where, where))
      return g_array_index (counts, VtrAddressCount, i).n;
  return 0;
}

static void
test_push_constants (Fixture       *fixture,
                     gconstpointer  data)
{
  struct
  {
    guint32 first;
    guint32 address[2]; /* at a multiple of 4 */
    guint32 gap;
    guint64 other, none, end;
  } values = { 7, { 0 }, 9, BASE + 0x10008, BASE - 8, BASE + 0x40010 }, changed = values;
  const guint64 first = BASE + 0xff8, there = moved (first);
  VtrArgs_vkCmdPushConstants args = { NULL, VK_NULL_HANDLE, VK_SHADER_STAGE_ALL, 0, sizeof values,
                                      &values };
  VtrArgs_vkCmdPushConstants expected = args;

  memcpy (values.address, &first, 8);
  memcpy (changed.address, &there, 8);
  changed.other = moved (values.other);
  changed.end = moved (values.end);
  expected.pValues = &changed;
  check_call (fixture, VTR_CMD_vkCmdPushConstants, &args, &expected);
  g_assert_cmpuint (count_of (fixture, "vkCmdPushConstants"), ==, 3);
  g_assert_cmpuint (vtr_replay_builder_get_stats (fixture->builder)->n_addresses, ==, 3);
}

/* Contents that travel as a resource. */
static void
test_update (Fixture       *fixture,
             gconstpointer  data)
{
  g_autofree guint64 *values = g_new0 (guint64, 8192);
  g_autofree guint64 *changed = NULL;
  VtrArgs_vkCmdUpdateBuffer args = { NULL, VK_NULL_HANDLE, 0, 65536, values };
  VtrArgs_vkCmdUpdateBuffer expected = args;

  for (guint i = 0; i < 8192; i++)
    values[i] = i % 3 == 0 ? BASE + i % 0x1000 : i;
  changed = g_memdup2 (values, 65536);
  for (guint i = 0; i < 8192; i += 3)
    changed[i] = moved (values[i]);
  expected.pData = changed;
  check_call (fixture, VTR_CMD_vkCmdUpdateBuffer, &args, &expected);
  g_assert_cmpuint (count_of (fixture, "vkCmdUpdateBuffer"), ==, 2731);
  g_assert_cmpuint (fixture->machine.n_resources, ==, 1);
}

static void
test_specialization (Fixture       *fixture,
                     gconstpointer  data)
{
  const guint64 value = BASE + 0x10, changed = moved (value);
  const VkSpecializationMapEntry entry = { 0, 0, 8 };
  const VkSpecializationInfo special = { 1, &entry, 8, &value };
  const VkSpecializationInfo special_changed = { 1, &entry, 8, &changed };
  VkPipeline out = HANDLE (VkPipeline, 0x1e);
  VkComputePipelineCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
    .stage = { .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
               .stage = VK_SHADER_STAGE_COMPUTE_BIT,
               .pName = "main",
               .pSpecializationInfo = &special },
  };
  VkComputePipelineCreateInfo info_changed = info;
  const VtrArgs_vkCreateComputePipelines args = { device, VK_NULL_HANDLE, 1, &info, NULL, &out };
  VtrArgs_vkCreateComputePipelines expected = args;

  info_changed.stage.pSpecializationInfo = &special_changed;
  expected.pCreateInfos = &info_changed;
  check_call (fixture, VTR_CMD_vkCreateComputePipelines, &args, &expected);
  g_assert_cmpuint (count_of (fixture, "VkSpecializationInfo"), ==, 1);
}

static void
test_inline_block (Fixture       *fixture,
                   gconstpointer  data)
{
  const guint64 values[2] = { 3, BASE + 0x10010 }, changed[2] = { 3, moved (values[1]) };
  VkWriteDescriptorSetInlineUniformBlock block = {
    .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET_INLINE_UNIFORM_BLOCK,
    .dataSize = sizeof values,
    .pData = values,
  };
  VkWriteDescriptorSetInlineUniformBlock block_changed = block;
  VkWriteDescriptorSet write = {
    .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
    .pNext = &block,
    .descriptorCount = sizeof values,
    .descriptorType = VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK,
  };
  VkWriteDescriptorSet write_changed = write;
  const VtrArgs_vkUpdateDescriptorSets args = { device, 1, &write, 0, NULL };
  VtrArgs_vkUpdateDescriptorSets expected = args;

  block_changed.pData = changed;
  write_changed.pNext = &block_changed;
  expected.pDescriptorWrites = &write_changed;
  check_call (fixture, VTR_CMD_vkUpdateDescriptorSets, &args, &expected);
  g_assert_cmpuint (count_of (fixture, "VkWriteDescriptorSetInlineUniformBlock"), ==, 1);
}

/* Values that the registry calls device addresses: in structures behind pointers, and a
 * parameter. Other data in the same call stays unchanged. */
static void
test_exact (Fixture       *fixture,
            gconstpointer  data)
{
  const VkStridedDeviceAddressRegionKHR regions[2] = { { BASE + 0x21, BASE, BASE + 8 }, { 0 } };
  const VkStridedDeviceAddressRegionKHR changed[2] = { { moved (BASE + 0x21), BASE, BASE + 8 } };
  const VtrArgs_vkCmdTraceRaysIndirectKHR args = {
    NULL,
    &regions[0],
    &regions[1],
    &regions[1],
    &regions[1],
    BASE + 0x10004,
  };
  const VtrArgs_vkCmdTraceRaysIndirectKHR expected = {
    NULL,
    &changed[0],
    &changed[1],
    &changed[1],
    &changed[1],
    moved (BASE + 0x10004),
  };
  const VkBuffer buffers[] = { VK_NULL_HANDLE };
  const VkDeviceSize offsets[] = { BASE };
  const VtrArgs_vkCmdBindVertexBuffers bind = { NULL, 0, 1, buffers, offsets };

  check_call (fixture, VTR_CMD_vkCmdTraceRaysIndirectKHR, &args, &expected);
  g_assert_cmpuint (count_of (fixture, "VkStridedDeviceAddressRegionKHR"), ==, 1);
  g_assert_cmpuint (count_of (fixture, "vkCmdTraceRaysIndirectKHR"), ==, 1);
  check_call (fixture, VTR_CMD_vkCmdBindVertexBuffers, &bind, &bind);
  g_assert_cmpuint (vtr_replay_builder_get_stats (fixture->builder)->n_addresses, ==, 2);
}

static void
check_write (Fixture       *fixture,
             guint64        offset,
             gconstpointer  from,
             gconstpointer  expected,
             gsize          size)
{
  const VtrContentRecord write = { 0xd0, 0x3e, offset, 0, from, size };
  guint before = fixture->n_compared;
  g_autoptr (GError) error = NULL;

  fixture->bytes = expected;
  vtr_replay_builder_write (fixture->builder, 10, 0, &write, &error);
  g_assert_no_error (error);
  flush (fixture);
  fixture->bytes = NULL;
  g_assert_cmpuint (fixture->n_compared, ==, before + 1);
}

static void
test_memory (Fixture       *fixture,
             gconstpointer  data)
{
  const gsize n = 400000; /* more than a segment takes */
  g_autofree guint64 *values = g_new (guint64, n);
  g_autofree guint64 *changed = g_new (guint64, n);

  for (gsize i = 0; i < n; i++)
    {
      values[i] = BASE + 0x10000 + i % 0xfff0;
      changed[i] = moved (values[i]);
    }
  check_write (fixture, 4, values, values, 16);
  check_write (fixture, 0, values, changed, 24);
  check_write (fixture, 64, values, changed, n * 8);
  g_assert_cmpuint (count_of (fixture, VTR_ADDRESS_MEMORY), ==, n + 3);
  g_assert_cmpuint (vtr_replay_builder_get_stats (fixture->builder)->n_segments, >, 10);
}

#define WORDS 24

static void
write_some (const Fixture    *fixture,
            VtrReplayBuilder *builder,
            const guint64    *words,
            gsize             offset,
            gsize             size)
{
  const VtrContentRecord write = {
    0xd0, 0x3e, fixture->words_at + offset, 0, (const guint8 *)words + offset, size
  };
  g_autoptr (GError) error = NULL;

  vtr_replay_builder_write (builder, 10, 0, &write, &error);
  vtr_replay_builder_flush (builder, &error);
  g_assert_no_error (error);
}

/* What memory holds is the captured words with their addresses moved. */
static void
check_words (Fixture       *fixture,
             const guint64 *captured)
{
  for (guint i = 0; i < WORDS; i++)
    {
      guint32 range = find_plainly (told, G_N_ELEMENTS (told), 10, captured[i]);
      guint64 got;

      memcpy (&got, fixture->memory + fixture->words_at + 8 * i, 8);
      g_assert_cmphex (got, ==, range != G_MAXUINT32 ? moved (captured[i]) : captured[i]);
    }
}

/* Writes that begin and end anywhere: halves of addresses come one after the other, and are written
 * over; some by builders that go on from an older one. */
static void
check_pieces (Fixture *fixture)
{
  guint64 memory[WORDS + 1] = { 0 }, captured[WORDS] = { 0 };
  VtrReplayBuilder *builders[3] = { fixture->builder };
  guint n = 1;

  fixture->memory = (guint8 *)memory;
  write_some (fixture, fixture->builder, captured, 0, sizeof captured);
  for (guint round = 0; round < 6000; round++)
    {
      gsize offset = (gsize)g_test_rand_int_range (0, 2 * WORDS) * 4;
      gsize size = (gsize)g_test_rand_int_range (1, 6) * 4;
      guint64 before[WORDS];

      memcpy (before, captured, sizeof before);
      size = MIN (size, sizeof captured - offset);
      for (gsize i = offset / 8; i * 8 < offset + size; i++)
        captured[i] = g_test_rand_bit () ? BASE + (guint64)g_test_rand_int_range (0, 0x1000)
                                         : (guint64)g_test_rand_int_range (0, 0x1000);
      for (gsize i = 0; i < sizeof captured; i++)
        if (i < offset || i >= offset + size)
          ((guint8 *)captured)[i] = ((guint8 *)before)[i];
      write_some (fixture, builders[n - 1], captured, offset, size);
      check_words (fixture, captured);
      if (round % 500 == 499 && n < G_N_ELEMENTS (builders))
        {
          builders[n] = vtr_replay_builder_fork (builders[n - 1], vtr_test_machine_send,
                                                 &fixture->machine);
          n++;
        }
    }
  while (n > 1)
    vtr_replay_builder_free (builders[--n]);
}

static void
test_pieces (Fixture       *fixture,
             gconstpointer  data)
{
  check_pieces (fixture);
}

/* Like test_pieces (), where addresses may begin in the middle of a word: at @data. */
static void
test_halfway (Fixture       *fixture,
              gconstpointer  data)
{
  vtr_address_ranges_free (fixture->ranges);
  fixture->ranges = vtr_address_ranges_new_of (told, G_N_ELEMENTS (told), TRUE);
  vtr_vulkan_part_set_patcher (fixture->builder, vtr_address_patcher_new (fixture->ranges));
  fixture->words_at = GPOINTER_TO_SIZE (data);
  check_pieces (fixture);
}

/* A buffer that the replay has not asked about. */
static void
test_not_told (Fixture       *fixture,
               gconstpointer  data)
{
  const VtrAddressRange list[] = { { BASE, BASE + 0x1000, 5, G_MAXUINT64, 0xd0 } };
  const guint64 value = BASE;

  vtr_address_ranges_free (fixture->ranges);
  fixture->ranges = vtr_address_ranges_new_of (list, 1, FALSE);
  vtr_vulkan_part_set_patcher (fixture->builder, vtr_address_patcher_new (fixture->ranges));
  vtr_replay_slots_finish (&fixture->builder->slots);
  vtr_replay_slots_init (&fixture->builder->slots, SCRATCH_END, 1 << 30);
  check_write (fixture, 0, &value, &value, 8);
  g_assert_cmpuint (vtr_replay_builder_get_stats (fixture->builder)->n_addresses, ==, 0);
}

#define TEST(path, func) \
  g_test_add ("/engine/addresses/" path, Fixture, NULL, set_up, func, tear_down)

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/engine/addresses/edges", test_edges);
  g_test_add_func ("/engine/addresses/ends", test_ends);
  g_test_add_func ("/engine/addresses/places", test_places);
  g_test_add_func ("/engine/addresses/random", test_random);
  TEST ("push-constants", test_push_constants);
  TEST ("update", test_update);
  TEST ("specialization", test_specialization);
  TEST ("inline-block", test_inline_block);
  TEST ("exact", test_exact);
  TEST ("memory", test_memory);
  TEST ("not-told", test_not_told);
  TEST ("pieces", test_pieces);
  TEST ("halfway-at-words", test_halfway);
  g_test_add ("/engine/addresses/halfway", Fixture, GSIZE_TO_POINTER (4), set_up, test_halfway,
              tear_down);
  return g_test_run ();
}
