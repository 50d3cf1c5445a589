/* Keeps the blocks of each stage of a program (VtrSpirvBlocks). */
#include "engine/vulkan/memory/vtr-memory-blocks.h"

#include "engine/memory/vtr-memory-type.h"
#include "engine/vulkan/shader/vtr-program-resources.h"
#include "engine/vulkan/shader/vtr-shader-modules.h"
#include "engine/shader/vtr-spirv-block.h"

typedef struct
{
  VkShaderStageFlags stage;
  char *entry;
  VtrSpirvBlocks *blocks;
} Stage;

struct _VtrMemoryBlocks
{
  gatomicrefcount refs;
  guint64 program;   /* its hash */
  GArray *stages;    /* Stage */
  GArray *resources; /* of all stages; NULL: the code of one is not known */
};

static void
clear_stage (gpointer data)
{
  Stage *stage = data;

  g_free (stage->entry);
  vtr_spirv_blocks_unref (stage->blocks);
}

static void
add_stage (VtrMemoryBlocks                       *self,
           VtrHistory                            *history,
           const VkPipelineShaderStageCreateInfo *info,
           guint64                                created)
{
  guint32 module;
  g_autoptr (GBytes) plain = vtr_shader_code_of_stage (history, info, created, &module, NULL);
  g_autoptr (GBytes) code =
    plain != NULL ? vtr_shader_code_specialize (plain, info->pSpecializationInfo) : NULL;
  Stage stage = { .stage = info->stage,
                  .blocks = code != NULL ? vtr_spirv_blocks_new (code, NULL) : NULL };

  if (stage.blocks == NULL)
    return;
  stage.entry = g_strdup (info->pName != NULL ? info->pName : "");
  g_array_append_val (self->stages, stage);
}

VtrMemoryBlocks *
vtr_memory_blocks_new (VtrHistory       *history,
                       const VtrProgram *program)
{
  VtrMemoryBlocks *self = g_new0 (VtrMemoryBlocks, 1);
  g_autoptr (VtrProgramResources) resources = vtr_program_resources_new (history);
  VtrPipelineInfo info;
  VtrArena arena;

  g_atomic_ref_count_init (&self->refs);
  self->program = vtr_program_hash (program);
  self->stages = g_array_new (FALSE, FALSE, sizeof (Stage));
  g_array_set_clear_func (self->stages, clear_stage);
  vtr_arena_init (&arena);
  if (vtr_program_get_info (program, history, &arena, &info, NULL))
    for (guint32 i = 0; i < info.n_stages; i++)
      add_stage (self, history, &info.stages[i],
                 info.origins != NULL ? info.origins[i].command : info.object->created);
  vtr_arena_finish (&arena);
  self->resources = vtr_program_resources_get (resources, program);
  if (self->resources != NULL)
    g_array_ref (self->resources);
  return self;
}

VtrMemoryBlocks *
vtr_memory_blocks_ref (VtrMemoryBlocks *self)
{
  g_atomic_ref_count_inc (&self->refs);
  return self;
}

void
vtr_memory_blocks_unref (VtrMemoryBlocks *self)
{
  if (!g_atomic_ref_count_dec (&self->refs))
    return;
  g_array_unref (self->stages);
  g_clear_pointer (&self->resources, g_array_unref);
  g_free (self);
}

guint64
vtr_memory_blocks_get_program (const VtrMemoryBlocks *self)
{
  return self->program;
}

/* Bytes of the type that @text says; 0: it cannot be read. */
static guint64
measure (const char *text)
{
  g_autoptr (VtrMemoryType) type =
    text != NULL ? vtr_memory_type_parse (text, VTR_MEMORY_LAYOUT_SCALAR, NULL) : NULL;

  return type != NULL ? vtr_memory_type_get_size (type) : 0;
}

/* Variables of one binding that are looked at. */
#define MAX_SHARED 16

/* The type that @stage declares at a binding. Returns: (transfer full): without doubles. @size: of
   the largest. */
static GPtrArray *
list_types (const Stage *stage,
            guint32      set,
            guint32      binding,
            guint64     *size)
{
  GPtrArray *types = g_ptr_array_new_with_free_func (g_free);

  *size = 0;
  for (guint nth = 0; nth < MAX_SHARED; nth++)
    {
      g_autofree char *text =
        vtr_spirv_blocks_describe (stage->blocks, stage->entry, set, binding, nth);
      guint64 bytes = measure (text);

      *size = MAX (*size, bytes);
      if (bytes > 0 && !g_ptr_array_find_with_equal_func (types, text, g_str_equal, NULL))
        g_ptr_array_add (types, g_steal_pointer (&text));
    }
  return types;
}

char **
vtr_memory_blocks_describe (VtrMemoryBlocks    *self,
                            guint32             set,
                            guint32             binding,
                            VkShaderStageFlags *stages)
{
  GPtrArray *best = NULL;
  guint64 most = 0;

  *stages = 0;
  for (guint i = 0; i < self->stages->len; i++)
    {
      const Stage *stage = &g_array_index (self->stages, Stage, i);
      guint64 size;
      g_autoptr (GPtrArray) types = list_types (stage, set, binding, &size);

      if (size == 0)
        continue;
      *stages |= stage->stage;
      if (size <= most)
        continue;
      most = size;
      g_clear_pointer (&best, g_ptr_array_unref);
      best = g_steal_pointer (&types);
    }
  if (best == NULL)
    return NULL;
  g_ptr_array_add (best, NULL);
  return (char **)g_ptr_array_free (best, FALSE);
}

gboolean
vtr_memory_blocks_may_write (VtrMemoryBlocks *self,
                             guint32          set,
                             guint32          binding)
{
  return vtr_resources_may_write (self->resources, set, binding);
}

char *
vtr_memory_blocks_describe_push_constants (VtrMemoryBlocks    *self,
                                           VkShaderStageFlags  stages,
                                           guint32             first,
                                           guint32             size)
{
  for (guint i = 0; i < self->stages->len; i++)
    {
      const Stage *stage = &g_array_index (self->stages, Stage, i);
      g_autofree char *text = (stage->stage & stages) != 0
                                ? vtr_spirv_blocks_describe_push_constants (
                                    stage->blocks, stage->entry, first, size)
                                : NULL;

      if (measure (text) > 0)
        return g_steal_pointer (&text);
    }
  return NULL;
}
