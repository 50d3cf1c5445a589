/* Tests VtrMemory with an API of the test's own, over objects and calls of a trace. */
#include "vtr-test-trace.h"

#include "engine/document/vtr-document-memory.h"
#include "engine/memory/vtr-memory-list.h"
#include "engine/memory/vtr-memory-private.h"
#include "engine/vulkan/state/vtr-state.h"

#include <string.h>

#define SIZE 256

/* What the API under test says of each command, by its index. */
typedef struct
{
  guint32 space;
  guint64 made, sure, perhaps, known, later, last;
  guint64 program; /* an address */
  guint n_begun, n_ended;
  gboolean in_pass;
} Story;

static Story story;

static gpointer
create (VtrAnalysis *analysis)
{
  return &story;
}

static void
destroy (gpointer self)
{
}

static void
begin (gpointer    self,
       VtrEffects *effects)
{
  story.n_begun++;
  story.in_pass = TRUE;
}

static void
follow (gpointer    self,
        VtrEffects *effects,
        VtrCmdId    id)
{
  const guint64 index = vtr_effects_get_index (effects);

  g_assert_true (story.in_pass);
  if (index == story.made)
    g_assert_true (vtr_effects_add_space (effects, story.space, SIZE));
  else if (index == story.sure)
    vtr_effects_write (effects, story.space, 0, 64, VTR_EFFECT_EXACT);
  else if (index == story.perhaps)
    {
      /* Beyond its end there is nothing. */
      vtr_effects_write (effects, story.space, 32, G_MAXUINT64 / 2, VTR_EFFECT_MAYBE);
      vtr_effects_write (effects, story.space, SIZE, 1, VTR_EFFECT_EXACT);
      vtr_effects_write (effects, story.space + 1, 0, SIZE, VTR_EFFECT_EXACT);
    }
  else if (index == story.known)
    vtr_effects_write (effects, story.space, 48, 8, VTR_EFFECT_KNOWN);
  else if (index == story.later)
    vtr_effects_write_until (effects, story.program + 4, 8, story.last);
}

static void
end (gpointer    self,
     VtrEffects *effects,
     gboolean    complete)
{
  g_assert_true (story.in_pass);
  story.in_pass = FALSE;
  story.n_ended++;
}

static guint32
find_space (gpointer self,
            guint64  name,
            guint64  index)
{
  return name == 0x51 ? story.space : 0;
}

static gboolean
get_space_size (gpointer   self,
                guint32    object,
                guint64    index,
                guint64   *size,
                GError   **error)
{
  *size = SIZE;
  return object == story.space;
}

static gboolean
fill (gpointer  self,
      guint64   index,
      guint64   offset,
      gsize     size,
      guint8   *out)
{
  g_assert_cmpuint (index, ==, story.known);
  for (gsize i = 0; i < size; i++)
    out[i] = (guint8)(0xa0 + offset + i);
  return TRUE;
}

static void
list (gpointer          self,
      VtrMemoryList    *list,
      const VtrCommand *command)
{
  g_assert_cmpuint (vtr_memory_list_get_index (list), ==, command->index);
  vtr_memory_list_add_arguments (list, command);
  if (command->index == story.sure)
    for (guint i = 0; i < 2; i++) /* the second is the same, and left out */
      vtr_memory_list_add (list, (VtrMemoryRange){ .space = story.space,
                                                   .size = 64,
                                                   .access = VTR_MEMORY_WRITE,
                                                   .label = g_strdup ("target") });
}

static void
locate (gpointer       self,
        VtrMemoryList *list,
        guint32        object)
{
  if (object == story.space)
    vtr_memory_list_add (list, (VtrMemoryRange){ .space = object, .offset = 16, .size = 8 });
}

static const VtrMemoryApi told = {
  .create = create,
  .destroy = destroy,
  .begin = begin,
  .follow = follow,
  .end = end,
  .find_space = find_space,
  .get_space_size = get_space_size,
  .fill = fill,
  .list = list,
  .locate = locate,
};

/* @expected: for each span its first byte, its kind, its command. */
static void
check (VtrMemory     *memory,
       guint64        index,
       guint32        space,
       guint64        offset,
       guint64        size,
       guint          n,
       const guint64  expected[][3])
{
  g_autoptr (GError) error = NULL;
  g_autoptr (VtrMemoryView) view =
    vtr_memory_read (memory, index, VTR_NO_RUN, space, offset, size, NULL, &error);

  g_assert_no_error (error);
  g_assert_cmpuint (view->spans->len, ==, n);
  for (guint i = 0; i < n; i++)
    {
      const VtrMemorySpan *span = &g_array_index (view->spans, VtrMemorySpan, i);

      g_assert_cmpuint (span->offset - offset, ==, expected[i][0]);
      g_assert_cmpuint (span->kind, ==, expected[i][1]);
      g_assert_cmpuint (span->index, ==, expected[i][2]);
    }
}

typedef struct
{
  VtrDocument *document;
  VtrMemory *memory;
} Fixture;

static guint64
add_map (VtrTestTrace *test,
         guint64       address)
{
  void *mapped = (void *)(gsize)address;

  return ADD (test, vkMapMemory, .device = H (VkDevice, 3), .memory = H (VkDeviceMemory, 0x51),
              .size = SIZE, .ppData = &mapped);
}

static void
set_up (Fixture       *self,
        gconstpointer  data)
{
  g_autoptr (VtrTestTrace) test = vtr_test_trace_new ();
  const VkMemoryAllocateInfo info = { .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                      .allocationSize = SIZE };
  VkDeviceMemory handle = H (VkDeviceMemory, 0x51);
  static guint64 words[2] = { 1, 2 };
  guint8 written[16] = { 1, 2, 3 };
  VtrHistory *history;

  memset (&story, 0, sizeof story);
  vtr_test_add_device (test);
  story.made = ADD (test, vkAllocateMemory, .device = H (VkDevice, 3), .pAllocateInfo = &info,
                    .pMemory = &handle);
  vtr_test_trace_add_mapped_write (test, 0x51, 40, written, sizeof written);
  story.sure = add_map (test, 0x1000);
  story.perhaps = add_map (test, 0x1000);
  story.known = add_map (test, 0x1000);
  story.later = ADD (test, vkGetQueryPoolResults, .device = H (VkDevice, 3),
                     .queryPool = H (VkQueryPool, 0x61), .queryCount = 2, .dataSize = sizeof words,
                     .pData = words, .stride = 8);
  story.program = (guint64)(gsize)words;
  add_map (test, 0x1000);
  story.last = add_map (test, 0x1000);
  add_map (test, 0x1000);
  ADD (test, vkGetQueryPoolResults, .device = H (VkDevice, 3), .queryPool = H (VkQueryPool, 0x61),
       .queryCount = 2, .dataSize = sizeof words, .pData = words, .stride = 8);

  self->document = vtr_test_trace_open_document (test);
  history = vtr_document_get_history (self->document);
  story.space =
    vtr_history_find (history, vtr_vulkan_identity (VTR_HANDLE_VkDeviceMemory, 0x51), story.sure)
      ->id;
  self->memory = vtr_memory_new (vtr_document_get_analysis (self->document));
  for (guint i = 0; i < self->memory->n_models; i++)
    if (vtr_memory_find_model (self->memory, VTR_CMD_vkMapMemory) == &self->memory->models[i])
      {
        self->memory->models[i].api->destroy (self->memory->models[i].self);
        self->memory->models[i] = (VtrMemoryModel){ &told, create (NULL) };
      }
}

static void
tear_down (Fixture       *self,
           gconstpointer  data)
{
  vtr_memory_free (self->memory);
  g_object_unref (self->document);
}

/* Exact, perhaps, known, and what was observed before, of one space. */
static void
test_writes (Fixture       *self,
             gconstpointer  data)
{
  const guint64 made[][3] = { { 0, VTR_MEMORY_UNKNOWN, VTR_COMMAND_NO_INDEX } };
  const guint64 sure[][3] = { { 0, VTR_MEMORY_GPU_WRITTEN, story.sure },
                              { 64, VTR_MEMORY_UNKNOWN, VTR_COMMAND_NO_INDEX } };
  const guint64 perhaps[][3] = { { 0, VTR_MEMORY_GPU_WRITTEN, story.sure },
                                 { 64, VTR_MEMORY_GPU_MAYBE, story.perhaps } };
  const guint64 known[][3] = { { 0, VTR_MEMORY_GPU_WRITTEN, story.sure },
                               { 48, VTR_MEMORY_OBSERVED, story.known },
                               { 56, VTR_MEMORY_GPU_WRITTEN, story.sure },
                               { 64, VTR_MEMORY_GPU_MAYBE, story.perhaps } };
  g_autoptr (VtrMemoryView) view = NULL;

  check (self->memory, story.made, story.space, 0, SIZE, 1, made);
  check (self->memory, story.sure, story.space, 0, SIZE, 2, sure);
  check (self->memory, story.perhaps, story.space, 0, SIZE, 2, perhaps);
  check (self->memory, story.known, story.space, 0, SIZE, 4, known);
  view = vtr_memory_read (self->memory, story.known, VTR_NO_RUN, story.space, 50, 2, NULL, NULL);
  g_assert_cmpuint (((const guint8 *)g_bytes_get_data (view->bytes, NULL))[0], ==, 0xa2);
  g_assert_cmpuint (story.n_begun, ==, 1);
  g_assert_cmpuint (story.n_ended, ==, 1);
}

/* Program memory that the driver may write until a later command. */
static void
test_later (Fixture       *self,
            gconstpointer  data)
{
  const guint64 address = story.program;
  const guint64 open[][3] = { { 0, VTR_MEMORY_OBSERVED, story.later },
                              { 4, VTR_MEMORY_GPU_MAYBE, story.later },
                              { 12, VTR_MEMORY_OBSERVED, story.later } };
  const guint64 seen[][3] = { { 0, VTR_MEMORY_OBSERVED, story.last + 2 } };
  g_autoptr (VtrMemoryView) view = NULL;

  check (self->memory, story.later, VTR_SPACE_PROGRAM, address, 16, 3, open);
  check (self->memory, story.later + 1, VTR_SPACE_PROGRAM, address, 16, 3, open);
  /* What may have been written stays so, until somebody looks. */
  check (self->memory, story.last + 1, VTR_SPACE_PROGRAM, address, 16, 3, open);
  check (self->memory, story.last + 2, VTR_SPACE_PROGRAM, address, 16, 1, seen);
  /* It is shown as it was observed last. */
  view = vtr_memory_read (self->memory, story.last, VTR_NO_RUN, VTR_SPACE_PROGRAM, address + 8, 4,
                          NULL, NULL);
  g_assert_cmpuint (((const guint8 *)g_bytes_get_data (view->bytes, NULL))[0], ==, 2);
}

static void
test_lists (Fixture       *self,
            gconstpointer  data)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GArray) ranges =
    vtr_memory_list_ranges (self->memory, story.sure, VTR_NO_RUN, NULL, &error);
  guint n_targets = 0, n_contents = 0;
  guint64 offset, size;
  guint32 space;

  g_assert_no_error (error);
  for (guint i = 0; i < ranges->len; i++)
    {
      const VtrMemoryRange *range = &g_array_index (ranges, VtrMemoryRange, i);

      n_targets += g_str_equal (range->label, "target");
      n_contents += range->space == story.space && range->offset == 40 && range->size == 16;
    }
  g_assert_cmpuint (n_targets, ==, 1);
  g_assert_cmpuint (n_contents, ==, 1);

  g_assert_true (vtr_memory_locate_object (self->memory, story.sure, story.space, &space, &offset,
                                           &size));
  g_assert_cmpuint (space, ==, story.space);
  g_assert_cmpuint (offset, ==, 16);
  g_assert_false (vtr_memory_locate_object (self->memory, story.sure, 1, &space, &offset, &size));
  g_assert_true (vtr_memory_get_space_size (self->memory, story.space, VTR_COMMAND_NO_INDEX, &size,
                                            NULL));
  g_assert_cmpuint (size, ==, SIZE);
  g_assert_false (vtr_memory_get_space_size (self->memory, 1, VTR_COMMAND_NO_INDEX, &size, &error));
  g_assert_error (error, VTR_MEMORY_ERROR, VTR_MEMORY_ERROR_SPACE);
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add ("/memory/effects/writes", Fixture, NULL, set_up, test_writes, tear_down);
  g_test_add ("/memory/effects/later", Fixture, NULL, set_up, test_later, tear_down);
  g_test_add ("/memory/effects/lists", Fixture, NULL, set_up, test_lists, tear_down);
  return g_test_run ();
}
