/* Tests memory at a command against an array of bytes that the test updates itself. */
#include "vtr-test-trace.h"

#include "engine/document/vtr-document-memory.h"
#include "engine/memory/vtr-memory.h"
#include "engine/vulkan/state/vtr-state.h"

#include <string.h>

#define CB 0x1000
#define SECONDARY 0x2000
#define DEVICE H (VkDevice, 3)
#define MEMORY 0x51
#define SIZE 4096
#define MAPPED 0x7f0000000000

typedef struct
{
  guint8 bytes[SIZE];
  guint8 kinds[SIZE]; /* VtrMemoryKind; MAYBE may cover bytes that are known */
  gboolean known[SIZE];
} Oracle;

static void
oracle_write (Oracle       *self,
              guint64       offset,
              const guint8 *bytes,
              guint64       size)
{
  memcpy (self->bytes + offset, bytes, size);
  memset (self->kinds + offset, VTR_MEMORY_OBSERVED, size);
  for (guint64 i = 0; i < size; i++)
    self->known[offset + i] = TRUE;
}

static void
oracle_gpu (Oracle        *self,
            guint64        offset,
            guint64        size,
            VtrMemoryKind  kind)
{
  for (guint64 i = offset; i < offset + size; i++)
    {
      if (kind == VTR_MEMORY_GPU_MAYBE && self->kinds[i] == VTR_MEMORY_GPU_WRITTEN)
        continue;
      self->kinds[i] = (guint8)kind;
      if (kind == VTR_MEMORY_GPU_WRITTEN)
        self->known[i] = FALSE;
    }
}

static void
check (VtrMemory    *memory,
       guint64       index,
       guint32       run,
       guint32       space,
       guint64       base,
       guint64       offset,
       guint64       size,
       const Oracle *oracle)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (VtrMemoryView) view =
    vtr_memory_read (memory, index, run, space, base + offset, size, NULL, &error);
  const guint8 *bytes;
  guint64 at = base + offset;

  g_assert_no_error (error);
  bytes = g_bytes_get_data (view->bytes, NULL);
  g_assert_cmpuint (g_bytes_get_size (view->bytes), ==, size);
  for (guint i = 0; i < view->spans->len; i++)
    {
      const VtrMemorySpan *span = &g_array_index (view->spans, VtrMemorySpan, i);

      g_assert_cmpuint (span->offset, ==, at);
      g_assert_cmpuint (span->size, >, 0);
      for (guint64 k = span->offset - base; k < span->offset - base + span->size; k++)
        {
          g_assert_cmpuint (span->kind, ==, oracle->kinds[k]);
          g_assert_cmpint (span->known, ==, oracle->known[k]);
          g_assert_cmpuint (bytes[k - offset], ==, oracle->known[k] ? oracle->bytes[k] : 0);
        }
      at += span->size;
    }
  g_assert_cmpuint (at, ==, base + offset + size);
}

static void
random_bytes (guint8 *to,
              gsize   n)
{
  for (gsize i = 0; i < n; i++)
    to[i] = (guint8)g_test_rand_int_range (1, 256);
}

static guint32
find_space (VtrDocument *document,
            guint64      handle,
            guint64      index)
{
  const VtrObject *object = vtr_history_find (vtr_document_get_history (document),
                                              vtr_vulkan_identity (VTR_HANDLE_VkDeviceMemory,
                                                                   handle),
                                              index);

  g_assert_nonnull (object);
  return object->id;
}

/* --- The program's own memory ---------------------------------------------------------------- */

/* Random writes all over a page, each through vkCmdUpdateBuffer's pData or what a getter
 * returned. */
static void
test_application (void)
{
  enum
  {
    N = 3000,
    N_KEPT = 60,
  };
  g_autoptr (VtrTestTrace) test = vtr_test_trace_new ();
  g_autoptr (VtrDocument) document = NULL;
  g_autofree guint8 *space = g_aligned_alloc0 (1, SIZE, 4096);
  g_autofree Oracle *oracle = g_new0 (Oracle, 1);
  g_autofree Oracle *kept = g_new0 (Oracle, N_KEPT);
  guint64 kept_at[N_KEPT];
  guint n_kept = 0;
  VtrMemory *memory;

  vtr_test_add_device (test);
  for (guint i = 0; i < N; i++)
    {
      guint64 size = 4 * (guint64)g_test_rand_int_range (1, i % 50 == 0 ? 500 : 8);
      guint64 offset = 4 * (guint64)g_test_rand_int_range (0, (gint)((SIZE - size) / 4 + 1));
      guint64 index;

      random_bytes (space + offset, size);
      index = ADD (test, vkFlushMappedMemoryRanges, .device = DEVICE);
      index = ADD (test, vkCmdUpdateBuffer, .commandBuffer = H (VkCommandBuffer, CB),
                   .dstBuffer = H (VkBuffer, 1), .dataSize = size, .pData = space + offset);
      oracle_write (oracle, offset, space + offset, size);
      if (n_kept < N_KEPT && g_test_rand_int_range (0, N / N_KEPT) == 0)
        {
          kept[n_kept] = *oracle;
          kept_at[n_kept++] = index;
        }
    }
  document = vtr_test_trace_open_document (test);
  memory = vtr_document_get_memory (document);
  for (guint i = 0; i < n_kept; i++)
    {
      guint64 offset = (guint64)g_test_rand_int_range (0, SIZE);
      guint64 size = 1 + (guint64)g_test_rand_int_range (0, (gint)(SIZE - offset));

      check (memory, kept_at[i], VTR_NO_RUN, VTR_SPACE_PROGRAM, (guint64)(gsize)space,
             offset, size, &kept[i]);
    }
  g_aligned_free (g_steal_pointer (&space));
}

/* --- Device memory --------------------------------------------------------------------------- */

/* Mapped writes and the exact work of command buffers, in random order. */
static void
test_device (void)
{
  enum
  {
    N = 400,
  };
  g_autoptr (VtrTestTrace) test = vtr_test_trace_new ();
  g_autoptr (VtrDocument) document = NULL;
  g_autofree Oracle *oracle = g_new0 (Oracle, N + 1);
  guint64 at[N + 1];
  VtrMemory *memory;
  guint32 space;

  vtr_test_add_device (test);
  vtr_test_add_pool (test, 0x10, 0);
  vtr_test_allocate_buffer (test, 0x10, CB);
  /* An earlier object with the same handle. */
  vtr_test_add_memory (test, MEMORY, SIZE);
  vtr_test_trace_add_mapped_write (test, MEMORY, 0, "never seen again", 16);
  ADD (test, vkFreeMemory, .device = DEVICE, .memory = H (VkDeviceMemory, MEMORY));
  at[0] = vtr_test_add_memory (test, MEMORY, SIZE);
  vtr_test_add_buffer (test, 0x61, 1024, VK_BUFFER_USAGE_TRANSFER_DST_BIT);
  vtr_test_bind_buffer (test, 0x61, MEMORY, 512);
  for (guint i = 1; i <= N; i++)
    {
      guint8 data[512];
      guint64 size = 4 * (guint64)g_test_rand_int_range (1, 64);
      guint64 offset = 4 * (guint64)g_test_rand_int_range (0, 128);
      VkBufferCopy region = { 0, offset, size };

      oracle[i] = oracle[i - 1];
      random_bytes (data, sizeof data);
      if (i % 3 == 0)
        {
          offset = (guint64)g_test_rand_int_range (0, SIZE - 300);
          vtr_test_trace_add_mapped_write (test, MEMORY, offset, data, size);
          oracle_write (&oracle[i], offset, data, size);
          at[i] = ADD (test, vkDeviceWaitIdle, .device = DEVICE);
          continue;
        }
      vtr_test_begin (test, CB);
      switch (g_test_rand_int_range (0, 3))
        {
        case 0:
          ADD (test, vkCmdFillBuffer, .commandBuffer = H (VkCommandBuffer, CB),
               .dstBuffer = H (VkBuffer, 0x61), .dstOffset = offset, .size = size,
               .data = 0x04030201);
          for (guint k = 0; k < size; k++)
            data[k] = (guint8)(k % 4 + 1);
          oracle_write (&oracle[i], 512 + offset, data, size);
          break;
        case 1:
          ADD (test, vkCmdUpdateBuffer, .commandBuffer = H (VkCommandBuffer, CB),
               .dstBuffer = H (VkBuffer, 0x61), .dstOffset = offset, .dataSize = size,
               .pData = data);
          oracle_write (&oracle[i], 512 + offset, data, size);
          break;
        default:
          ADD (test, vkCmdCopyBuffer, .commandBuffer = H (VkCommandBuffer, CB),
               .srcBuffer = H (VkBuffer, 0x61), .dstBuffer = H (VkBuffer, 0x61), .regionCount = 1,
               .pRegions = &region);
          oracle_gpu (&oracle[i], 512 + offset, size, VTR_MEMORY_GPU_WRITTEN);
          break;
        }
      vtr_test_end (test, CB);
      at[i] = vtr_test_submit (test, CB);
    }
  document = vtr_test_trace_open_document (test);
  memory = vtr_document_get_memory (document);
  space = find_space (document, MEMORY, at[0] + 1);
  for (guint i = 0; i <= N; i++)
    check (memory, at[i], VTR_NO_RUN, space, 0, 0, SIZE, &oracle[i]);
}

/* One recording, submitted thrice, with mapped writes in between: @k and its commands. */
static void
test_runs (void)
{
  g_autoptr (VtrTestTrace) test = vtr_test_trace_new ();
  g_autoptr (VtrDocument) document = NULL;
  g_autofree Oracle *oracle = g_new0 (Oracle, 1);
  guint8 ones[256], twos[256];
  guint64 fill, update;
  VtrMemory *memory;
  guint32 space;

  memset (ones, 1, sizeof ones);
  memset (twos, 2, sizeof twos);
  vtr_test_add_device (test);
  vtr_test_add_pool (test, 0x10, 0);
  vtr_test_allocate_buffer (test, 0x10, CB);
  vtr_test_add_memory (test, MEMORY, SIZE);
  vtr_test_add_buffer (test, 0x61, 1024, VK_BUFFER_USAGE_TRANSFER_DST_BIT);
  vtr_test_bind_buffer (test, 0x61, MEMORY, 0);
  vtr_test_begin (test, CB);
  fill = ADD (test, vkCmdFillBuffer, .commandBuffer = H (VkCommandBuffer, CB),
              .dstBuffer = H (VkBuffer, 0x61), .dstOffset = 0, .size = 256, .data = 0x01010101);
  update = ADD (test, vkCmdUpdateBuffer, .commandBuffer = H (VkCommandBuffer, CB),
                .dstBuffer = H (VkBuffer, 0x61), .dstOffset = 128, .dataSize = 256,
                .pData = twos);
  vtr_test_end (test, CB);
  vtr_test_submit (test, CB);
  for (guint i = 1; i < 3; i++)
    {
      guint8 data[512];

      memset (data, (gint)(10 + i), sizeof data);
      vtr_test_trace_add_mapped_write (test, MEMORY, 0, data, sizeof data);
      vtr_test_submit (test, CB);
    }
  document = vtr_test_trace_open_document (test);
  memory = vtr_document_get_memory (document);
  space = find_space (document, MEMORY, fill);
  for (guint32 run = 0; run < 3; run++)
    {
      guint8 data[512];

      memset (oracle, 0, sizeof *oracle);
      memset (data, (gint)(10 + run), sizeof data);
      if (run > 0)
        oracle_write (oracle, 0, data, sizeof data);
      oracle_write (oracle, 0, ones, 256);
      check (memory, fill, run, space, 0, 0, SIZE, oracle);
      oracle_write (oracle, 128, twos, 256);
      check (memory, update, run, space, 0, 0, SIZE, oracle);
    }
}

/* A secondary's commands come in their place, also when it is asked for itself. */
static void
test_secondary (void)
{
  g_autoptr (VtrTestTrace) test = vtr_test_trace_new ();
  g_autoptr (VtrDocument) document = NULL;
  g_autofree Oracle *oracle = g_new0 (Oracle, 1);
  VkCommandBuffer secondaries[] = { H (VkCommandBuffer, SECONDARY),
                                    H (VkCommandBuffer, SECONDARY) };
  guint8 data[64];
  guint64 first, second, before, after;
  VtrMemory *memory;
  guint32 space;

  vtr_test_add_device (test);
  vtr_test_add_pool (test, 0x10, 0);
  vtr_test_allocate_buffer (test, 0x10, CB);
  vtr_test_allocate_buffer (test, 0x10, SECONDARY);
  vtr_test_add_memory (test, MEMORY, SIZE);
  vtr_test_add_buffer (test, 0x61, 1024, VK_BUFFER_USAGE_TRANSFER_DST_BIT);
  vtr_test_bind_buffer (test, 0x61, MEMORY, 0);
#define FILL(buffer, at, value) \
  ADD (test, vkCmdFillBuffer, .commandBuffer = H (VkCommandBuffer, buffer), \
       .dstBuffer = H (VkBuffer, 0x61), .dstOffset = at, .size = 64, .data = value)
  vtr_test_begin (test, SECONDARY);
  first = FILL (SECONDARY, 0, 0x02020202);
  second = FILL (SECONDARY, 64, 0x03030303);
  vtr_test_end (test, SECONDARY);
  vtr_test_begin (test, CB);
  before = FILL (CB, 0, 0x01010101);
  ADD (test, vkCmdExecuteCommands, .commandBuffer = H (VkCommandBuffer, CB),
       .commandBufferCount = 2, .pCommandBuffers = secondaries);
  after = FILL (CB, 64, 0x04040404);
  vtr_test_end (test, CB);
  vtr_test_submit (test, CB);
  document = vtr_test_trace_open_document (test);
  memory = vtr_document_get_memory (document);
  space = find_space (document, MEMORY, first);

  memset (data, 1, sizeof data);
  oracle_write (oracle, 0, data, 64);
  check (memory, before, VTR_NO_RUN, space, 0, 0, SIZE, oracle);
  memset (data, 2, sizeof data);
  oracle_write (oracle, 0, data, 64);
  check (memory, first, VTR_NO_RUN, space, 0, 0, SIZE, oracle);
  memset (data, 3, sizeof data);
  oracle_write (oracle, 64, data, 64);
  check (memory, second, VTR_NO_RUN, space, 0, 0, SIZE, oracle);
  memset (data, 4, sizeof data);
  oracle_write (oracle, 64, data, 64);
  check (memory, after, VTR_NO_RUN, space, 0, 0, SIZE, oracle);
}

/* --- Descriptors ----------------------------------------------------------------------------- */

typedef struct
{
  guint64 dispatch, second, submit, late;
} Dispatches;

static void
add_compute (VtrTestTrace *test,
             Dispatches   *out)
{
  VkDescriptorSetLayoutBinding bindings[] = {
    { 0, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, NULL },
    { 1, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC, 1, VK_SHADER_STAGE_COMPUTE_BIT, NULL },
    { 2, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_VERTEX_BIT, NULL },
  };
  VkDescriptorSetLayoutCreateInfo layout_info = {
    .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
    .bindingCount = 3,
    .pBindings = bindings,
  };
  VkDescriptorSetLayout layout = H (VkDescriptorSetLayout, 0x71);
  VkDescriptorSet set = H (VkDescriptorSet, 0x72);
  VkDescriptorSetAllocateInfo allocate = {
    .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
    .descriptorPool = H (VkDescriptorPool, 0x73),
    .descriptorSetCount = 1,
    .pSetLayouts = &layout,
  };
  VkDescriptorBufferInfo infos[] = { { H (VkBuffer, 0x61), 0, 64 },
                                     { H (VkBuffer, 0x61), 256, 128 },
                                     { H (VkBuffer, 0x61), 768, VK_WHOLE_SIZE } };
  VkWriteDescriptorSet writes[3] = { 0 };
  guint32 dynamic = 64;

  for (guint i = 0; i < 3; i++)
    writes[i] = (VkWriteDescriptorSet){
      .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
      .dstSet = set,
      .dstBinding = i,
      .descriptorCount = 1,
      .descriptorType = bindings[i].descriptorType,
      .pBufferInfo = &infos[i],
    };
  ADD (test, vkCreateDescriptorSetLayout, .device = DEVICE, .pCreateInfo = &layout_info,
       .pSetLayout = &layout);
  ADD (test, vkAllocateDescriptorSets, .device = DEVICE, .pAllocateInfo = &allocate,
       .pDescriptorSets = &set);
  ADD (test, vkUpdateDescriptorSets, .device = DEVICE, .descriptorWriteCount = 3,
       .pDescriptorWrites = writes);
  vtr_test_begin (test, CB);
  ADD (test, vkCmdBindDescriptorSets, .commandBuffer = H (VkCommandBuffer, CB),
       .pipelineBindPoint = VK_PIPELINE_BIND_POINT_COMPUTE,
       .layout = H (VkPipelineLayout, 0x74), .descriptorSetCount = 1, .pDescriptorSets = &set,
       .dynamicOffsetCount = 1, .pDynamicOffsets = &dynamic);
  out->dispatch = ADD (test, vkCmdDispatch, .commandBuffer = H (VkCommandBuffer, CB),
                       .groupCountX = 1, .groupCountY = 1, .groupCountZ = 1);
  out->second = ADD (test, vkCmdDispatch, .commandBuffer = H (VkCommandBuffer, CB),
                     .groupCountX = 1, .groupCountY = 1, .groupCountZ = 1);
  vtr_test_end (test, CB);
  out->submit = vtr_test_submit (test, CB);
}

/* Storage descriptors may be written: known bytes stay, flagged, until they are seen again. */
static void
test_storage (void)
{
  g_autoptr (VtrTestTrace) test = vtr_test_trace_new ();
  g_autoptr (VtrDocument) document = NULL;
  g_autofree Oracle *oracle = g_new0 (Oracle, 1);
  g_autoptr (VtrMemoryView) view = NULL;
  guint8 data[512], again[16];
  const VtrMemorySpan *span;
  Dispatches at;
  VtrMemory *memory;
  guint32 space;

  random_bytes (data, sizeof data);
  random_bytes (again, sizeof again);
  vtr_test_add_device (test);
  vtr_test_add_pool (test, 0x10, 0);
  vtr_test_allocate_buffer (test, 0x10, CB);
  vtr_test_add_memory (test, MEMORY, SIZE);
  vtr_test_add_buffer (test, 0x61, 1024, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
  vtr_test_bind_buffer (test, 0x61, MEMORY, 128);
  vtr_test_trace_add_mapped_write (test, MEMORY, 0, data, sizeof data);
  add_compute (test, &at);
  vtr_test_trace_add_mapped_write (test, MEMORY, 128 + 256 + 64, again, sizeof again);
  at.late = ADD (test, vkDeviceWaitIdle, .device = DEVICE);
  document = vtr_test_trace_open_document (test);
  memory = vtr_document_get_memory (document);
  space = find_space (document, MEMORY, at.dispatch);

  oracle_write (oracle, 0, data, sizeof data);
  oracle_gpu (oracle, 128 + 256 + 64, 128, VTR_MEMORY_GPU_MAYBE);
  check (memory, at.dispatch, VTR_NO_RUN, space, 0, 0, SIZE, oracle);
  check (memory, at.second, VTR_NO_RUN, space, 0, 0, SIZE, oracle);
  check (memory, at.submit, VTR_NO_RUN, space, 0, 0, SIZE, oracle);
  oracle_write (oracle, 128 + 256 + 64, again, sizeof again);
  check (memory, at.late, VTR_NO_RUN, space, 0, 0, SIZE, oracle);

  /* The last dispatch is blamed. */
  view = vtr_memory_read (memory, at.submit, VTR_NO_RUN, space, 448, 4, NULL, NULL);
  span = &g_array_index (view->spans, VtrMemorySpan, 0);
  g_assert_cmpuint (span->index, ==, at.second);
}

/* --- What commands touch --------------------------------------------------------------------- */

static const VtrMemoryRange *
find_range (const GArray *ranges,
            const char   *label)
{
  for (guint i = 0; i < ranges->len; i++)
    {
      const VtrMemoryRange *range = &g_array_index (ranges, VtrMemoryRange, i);

      if (g_strcmp0 (range->label, label) == 0)
        return range;
    }
  return NULL;
}

static void
test_ranges (void)
{
  g_autoptr (VtrTestTrace) test = vtr_test_trace_new ();
  g_autoptr (VtrDocument) document = NULL;
  g_autoptr (GArray) ranges = NULL;
  g_autoptr (GArray) submitted = NULL;
  g_autoptr (GError) error = NULL;
  const VtrMemoryRange *range;
  Dispatches at;
  VtrMemory *memory;
  guint32 space;

  vtr_test_add_device (test);
  vtr_test_add_pool (test, 0x10, 0);
  vtr_test_allocate_buffer (test, 0x10, CB);
  vtr_test_add_memory (test, MEMORY, SIZE);
  vtr_test_add_buffer (test, 0x61, 1024, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
  vtr_test_bind_buffer (test, 0x61, MEMORY, 128);
  add_compute (test, &at);
  document = vtr_test_trace_open_document (test);
  memory = vtr_document_get_memory (document);
  space = find_space (document, MEMORY, at.dispatch);

  ranges = vtr_memory_list_ranges (memory, at.dispatch, VTR_NO_RUN, NULL, &error);
  g_assert_no_error (error);
  range = find_range (ranges, "uniform buffer 0.0");
  g_assert_nonnull (range);
  g_assert_cmpuint (range->space, ==, space);
  g_assert_cmpuint (range->offset, ==, 128);
  g_assert_cmpuint (range->size, ==, 64);
  g_assert_cmpuint (range->access & (VTR_MEMORY_READ | VTR_MEMORY_WRITE), ==, VTR_MEMORY_READ);
  range = find_range (ranges, "storage buffer 0.1");
  g_assert_nonnull (range);
  g_assert_cmpuint (range->offset, ==, 128 + 256 + 64);
  g_assert_cmpuint (range->size, ==, 128);
  g_assert_true ((range->access & VTR_MEMORY_WRITE) != 0);

  submitted = vtr_memory_list_ranges (memory, at.submit, VTR_NO_RUN, NULL, &error);
  g_assert_no_error (error);
  range = find_range (submitted, "command buffer 0 of this submission");
  g_assert_nonnull (range);
  g_assert_cmpuint (range->offset, ==, 128 + 256 + 64);
  g_assert_nonnull (find_range (submitted, "pSubmits"));
}

/* --- Questions ------------------------------------------------------------------------------- */

static void
test_errors (void)
{
  g_autoptr (VtrTestTrace) test = vtr_test_trace_new ();
  g_autoptr (VtrDocument) document = NULL;
  static const char *const endings[] = {
    "memory/x",
    "memory/-1/0x0-0x10",
    "memory/99999999999/0x0-0x10",
    "memory/1/0x0-0x10",   /* an instance */
    "memory/999/0x0-0x10", /* nothing */
    "memory/0",            /* no range */
    "memory/0/0x10",       /* half a range */
    "memory/0/0x10-0x10",  /* empty */
    "memory/0/0x10+0",     /* empty */
    "memory/0/0x20-0x10",  /* backwards */
    "memory/0/0xg-0x10",   /* no number */
    "memory/0/-0x10",      /* no first */
    "memory/0/0x10-",      /* no end */
    "memory/0/0xffffffffffffffffffff+1",
    "memory/0/0xffffffffffffffff+16",
    "memory/0/0x0+0x7fffffffffff",
    "memory/0/0x0+16/more",
    "memory/0/0x0+16?read=never",
    "memory/0/0x0+16?read=replay",
    "memory/0/0x0+16?colour=red",
    "memory/0/0x0+16?type=flot",
    "memory/0/0x0+16?type=float&layout=std999",
    "memory/0/0x0+16?type=float&stride=0",
    "memory/0/0x0+16?type=%zz",
  };

  vtr_test_add_device (test);
  vtr_test_add_memory (test, MEMORY, SIZE);
  document = vtr_test_trace_open_document (test);
  for (guint i = 0; i < G_N_ELEMENTS (endings); i++)
    {
      g_autofree char *path = g_strdup_printf ("commands/4/%s", endings[i]);
      g_autoptr (GError) error = NULL;
      g_autoptr (JsonNode) node = vtr_document_get (document, path, NULL, &error);

      g_test_message ("%s: %s", path, error != NULL ? error->message : "answered");
      g_assert_null (node);
      g_assert_nonnull (error);
      g_assert_true (g_str_has_suffix (error->message, "."));
    }
}

/* Freed, not yet there, beyond the end, and never submitted. */
static void
test_lifetimes (void)
{
  g_autoptr (VtrTestTrace) test = vtr_test_trace_new ();
  g_autoptr (VtrDocument) document = NULL;
  guint64 early, made, fill, freed, late;
  VtrMemory *memory;
  guint32 space;

  vtr_test_add_device (test);
  vtr_test_add_pool (test, 0x10, 0);
  vtr_test_allocate_buffer (test, 0x10, CB);
  early = ADD (test, vkDeviceWaitIdle, .device = DEVICE);
  made = vtr_test_add_memory (test, MEMORY, SIZE);
  vtr_test_begin (test, CB);
  fill = ADD (test, vkCmdFillBuffer, .commandBuffer = H (VkCommandBuffer, CB),
              .dstBuffer = H (VkBuffer, 0x61), .size = 64);
  vtr_test_end (test, CB);
  freed = ADD (test, vkFreeMemory, .device = DEVICE, .memory = H (VkDeviceMemory, MEMORY));
  late = ADD (test, vkDeviceWaitIdle, .device = DEVICE);
  document = vtr_test_trace_open_document (test);
  memory = vtr_document_get_memory (document);
  space = find_space (document, MEMORY, made);

#define EXPECT(at, offset, size, code) \
  G_STMT_START \
  { \
    g_autoptr (GError) error = NULL; \
    g_autoptr (VtrMemoryView) view = \
      vtr_memory_read (memory, at, VTR_NO_RUN, space, offset, size, NULL, &error); \
\
    g_assert_null (view); \
    g_assert_error (error, VTR_MEMORY_ERROR, code); \
  } \
  G_STMT_END

  EXPECT (early, 0, 4, VTR_MEMORY_ERROR_SPACE);
  EXPECT (late, 0, 4, VTR_MEMORY_ERROR_SPACE);
  EXPECT (made, SIZE, 4, VTR_MEMORY_ERROR_RANGE);
  EXPECT (made, SIZE - 3, 4, VTR_MEMORY_ERROR_RANGE);
  EXPECT (made, 0, 0, VTR_MEMORY_ERROR_RANGE);
  EXPECT (fill, 0, 4, VTR_MEMORY_ERROR_NOTHING);
  {
    g_autoptr (GError) error = NULL;
    g_autoptr (VtrMemoryView) view =
      vtr_memory_read (memory, freed, VTR_NO_RUN, space, 0, SIZE, NULL, &error);

    g_assert_no_error (error);
    g_assert_nonnull (view);
  }
}

static void
test_path (void)
{
  g_autoptr (VtrTestTrace) test = vtr_test_trace_new ();
  g_autoptr (VtrDocument) document = NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (JsonNode) node = NULL;
  g_autofree char *path = NULL;
  float values[] = { 1, 2.5, -3, 0 };
  JsonObject *json;
  JsonArray *array;
  guint64 at;

  vtr_test_add_device (test);
  vtr_test_add_memory (test, MEMORY, SIZE);
  vtr_test_trace_add_mapped_write (test, MEMORY, 16, values, sizeof values);
  at = ADD (test, vkDeviceWaitIdle, .device = DEVICE);
  document = vtr_test_trace_open_document (test);
  path = g_strdup_printf ("commands/%" G_GUINT64_FORMAT
                          "/memory/%u/0x10-0x24?type={vec2 a; float b[2]; u32 c}",
                          at, find_space (document, MEMORY, at));
  node = vtr_document_get (document, path, NULL, &error);
  g_assert_no_error (error);
  json = json_node_get_object (node);
  g_assert_cmpstr (json_object_get_string_member (json, "bytes"), ==,
                   "0000803f00002040000040c00000000000000000");
  array = json_object_get_array_member (json, "spans");
  g_assert_cmpuint (json_array_get_length (array), ==, 2);
  g_assert_cmpstr (json_object_get_string_member (json_array_get_object_element (array, 0), "kind"),
                   ==, "observed");
  g_assert_cmpstr (json_object_get_string_member (json_array_get_object_element (array, 1), "kind"),
                   ==, "unknown");
  array = json_object_get_array_member (json, "values");
  g_assert_cmpuint (json_array_get_length (array), ==, 1);
  json = json_array_get_object_element (array, 0);
  g_assert_cmpfloat (
    json_array_get_double_element (json_object_get_array_member (json, "a"), 1), ==, 2.5);
  g_assert_cmpfloat (
    json_array_get_double_element (json_object_get_array_member (json, "b"), 0), ==, -3);
  g_assert_true (json_object_get_null_member (json, "c"));
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, G_TEST_OPTION_ISOLATE_DIRS, NULL);
  g_test_add_func ("/engine/memory/application", test_application);
  g_test_add_func ("/engine/memory/device", test_device);
  g_test_add_func ("/engine/memory/runs", test_runs);
  g_test_add_func ("/engine/memory/secondary", test_secondary);
  g_test_add_func ("/engine/memory/storage", test_storage);
  g_test_add_func ("/engine/memory/ranges", test_ranges);
  g_test_add_func ("/engine/memory/errors", test_errors);
  g_test_add_func ("/engine/memory/lifetimes", test_lifetimes);
  g_test_add_func ("/engine/memory/path", test_path);
  return g_test_run ();
}
