/* Lists the descriptors that the shaders of a pipeline use, and reads each shader module only
 * once for that. */
#include "engine/vulkan/shader/vtr-program-resources.h"

#include "engine/vulkan/shader/vtr-shader-modules.h"

struct _VtrProgramResources
{
  VtrHistory *history;
  GHashTable *programs; /* vtr_program_hash() → GArray of VtrSpirvResource, or NULL */
  GHashTable *modules;  /* id of the module → GArray of VtrSpirvResource, or NULL */
};

static void
unref_array (gpointer data)
{
  if (data != NULL)
    g_array_unref (data);
}

VtrProgramResources *
vtr_program_resources_new (VtrHistory *history)
{
  VtrProgramResources *self = g_new0 (VtrProgramResources, 1);

  self->history = history;
  self->programs = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, unref_array);
  self->modules = g_hash_table_new_full (NULL, NULL, NULL, unref_array);
  return self;
}

void
vtr_program_resources_free (VtrProgramResources *self)
{
  g_hash_table_unref (self->programs);
  g_hash_table_unref (self->modules);
  g_free (self);
}

static GArray *
list_resources (GBytes *code)
{
  g_autoptr (VtrSpirv) spirv = code != NULL ? vtr_spirv_new (code, NULL) : NULL;
  GArray *list;

  if (spirv == NULL || !vtr_spirv_knows_resources (spirv))
    return NULL;
  list = g_array_new (FALSE, FALSE, sizeof (VtrSpirvResource));
  for (guint i = 0; i < vtr_spirv_get_n_resources (spirv); i++)
    g_array_append_vals (list, vtr_spirv_get_resource (spirv, i), 1);
  return list;
}

/* Appends those of a stage. @created: flat index at which its module has its meaning. Returns:
   FALSE if they are not known. */
static gboolean
add_stage (VtrProgramResources                   *self,
           const VkPipelineShaderStageCreateInfo *stage,
           guint64                                created,
           GArray                                *to)
{
  const VtrObject *module =
    stage->module != VK_NULL_HANDLE
      ? vtr_history_find (self->history,
                          vtr_vulkan_identity (VTR_HANDLE_VkShaderModule, (guint64)stage->module),
                          created)
      : NULL;
  g_autoptr (GArray) list = NULL;
  gpointer known;
  guint32 id;

  if (module != NULL && g_hash_table_lookup_extended (
                          self->modules, GUINT_TO_POINTER (module->id), NULL, &known))
    list = known != NULL ? g_array_ref (known) : NULL;
  else
    {
      g_autoptr (GBytes) code =
        vtr_shader_code_of_stage (self->history, stage, created, &id, NULL);

      list = list_resources (code);
      if (module != NULL)
        g_hash_table_insert (self->modules, GUINT_TO_POINTER (module->id),
                             list != NULL ? g_array_ref (list) : NULL);
    }
  if (list != NULL)
    g_array_append_vals (to, list->data, list->len);
  return list != NULL;
}

static GArray *
list_program (VtrProgramResources *self,
              const VtrProgram    *program)
{
  g_autoptr (GArray) list = g_array_new (FALSE, FALSE, sizeof (VtrSpirvResource));
  VtrPipelineInfo info;
  gboolean known;
  VtrArena arena;

  vtr_arena_init (&arena);
  known = vtr_program_get_info (program, self->history, &arena, &info, NULL) && !info.partial &&
          info.n_stages > 0;
  for (guint32 i = 0; known && i < info.n_stages; i++)
    known = add_stage (self, &info.stages[i],
                       info.origins != NULL ? info.origins[i].command : info.object->created, list);
  vtr_arena_finish (&arena);
  return known ? g_steal_pointer (&list) : NULL;
}

GArray *
vtr_program_resources_get (VtrProgramResources *self,
                           const VtrProgram    *program)
{
  guint64 hash;
  gpointer known;
  GArray *list;

  if (program->n == 0)
    return NULL;
  hash = vtr_program_hash (program);
  if (g_hash_table_lookup_extended (self->programs, &hash, NULL, &known))
    return known;
  list = list_program (self, program);
  g_hash_table_insert (self->programs, g_memdup2 (&hash, sizeof hash), list);
  return list;
}

gboolean
vtr_resources_may_write (const GArray *resources,
                         guint32       set,
                         guint32       binding)
{
  for (guint i = 0; resources != NULL && i < resources->len; i++)
    {
      const VtrSpirvResource *resource = &g_array_index (resources, VtrSpirvResource, i);

      if (resource->set == set && resource->binding == binding && resource->written)
        return TRUE;
    }
  return resources == NULL;
}
