/* Lists all shaders of a trace with their stages, names and code, and the pipelines and draws
 * that use them. */
#include "engine/model/vtr-shader-list.h"

#include "api/vtr-api-args.h"

#include <glib/gi18n.h>
#include <string.h>
#include <xxhash.h>

#define CANCEL_STEP 64

struct _VtrShader
{
  GObject parent_instance;

  guint32 object, nth;
  char *name;
  char *path;
  char *stages_text;
  char *problem;
  VkShaderStageFlags stages;
  VtrSpirv *spirv;
  gsize size;
  guint64 hash;
  guint64 work;
  GArray *users; /* VtrShaderUser */
};

G_DEFINE_FINAL_TYPE (VtrShader, vtr_shader, G_TYPE_OBJECT)

enum
{
  PROP_0,
  PROP_NAME,
  PROP_PATH,
  N_PROPS
};

static GParamSpec *properties[N_PROPS];

static void
vtr_shader_finalize (GObject *object)
{
  VtrShader *self = VTR_SHADER (object);

  g_free (self->name);
  g_free (self->path);
  g_free (self->stages_text);
  g_free (self->problem);
  g_clear_pointer (&self->spirv, vtr_spirv_unref);
  g_array_unref (self->users);
  G_OBJECT_CLASS (vtr_shader_parent_class)->finalize (object);
}

static void
vtr_shader_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  VtrShader *self = VTR_SHADER (object);

  switch (id)
    {
    case PROP_NAME:
      g_value_set_string (value, self->name);
      break;
    case PROP_PATH:
      g_value_set_string (value, self->path);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    }
}

static void
vtr_shader_class_init (VtrShaderClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);

  object_class->finalize = vtr_shader_finalize;
  object_class->get_property = vtr_shader_get_property;
  properties[PROP_NAME] = g_param_spec_string ("name", NULL, NULL, NULL,
                                               G_PARAM_READABLE | G_PARAM_STATIC_STRINGS);
  properties[PROP_PATH] = g_param_spec_string ("path", NULL, NULL, NULL,
                                               G_PARAM_READABLE | G_PARAM_STATIC_STRINGS);
  g_object_class_install_properties (object_class, N_PROPS, properties);
}

static void
vtr_shader_init (VtrShader *self)
{
  self->users = g_array_new (FALSE, FALSE, sizeof (VtrShaderUser));
}

const char *
vtr_shader_get_name (VtrShader *self)
{
  return self->name;
}

const char *
vtr_shader_get_path (VtrShader *self)
{
  return self->path;
}

guint32
vtr_shader_get_object (VtrShader *self)
{
  return self->object;
}

guint32
vtr_shader_get_nth (VtrShader *self)
{
  return self->nth;
}

VkShaderStageFlags
vtr_shader_get_stages (VtrShader *self)
{
  return self->stages;
}

const char *
vtr_shader_get_stages_text (VtrShader *self)
{
  return self->stages_text;
}

const char *
vtr_shader_get_problem (VtrShader *self)
{
  return self->problem;
}

VtrSpirv *
vtr_shader_get_spirv (VtrShader *self)
{
  return self->spirv;
}

gsize
vtr_shader_get_size (VtrShader *self)
{
  return self->size;
}

guint64
vtr_shader_get_hash (VtrShader *self)
{
  return self->hash;
}

guint
vtr_shader_get_n_users (VtrShader *self)
{
  return self->users->len;
}

const VtrShaderUser *
vtr_shader_get_user (VtrShader *self, guint nth)
{
  g_return_val_if_fail (nth < self->users->len, NULL);

  return &g_array_index (self->users, VtrShaderUser, nth);
}

guint64
vtr_shader_get_work (VtrShader *self)
{
  return self->work;
}

/* --- The list -------------------------------------------------------------------------------- */

struct _VtrShaderList
{
  VtrFixedList parent_instance;

  GHashTable *by_address; /* object id << 32 | stage → VtrShader */
};

G_DEFINE_FINAL_TYPE (VtrShaderList, vtr_shader_list, VTR_TYPE_FIXED_LIST)

static void
vtr_shader_list_finalize (GObject *object)
{
  VtrShaderList *self = VTR_SHADER_LIST (object);

  g_hash_table_unref (self->by_address);
  G_OBJECT_CLASS (vtr_shader_list_parent_class)->finalize (object);
}

static void
vtr_shader_list_class_init (VtrShaderListClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = vtr_shader_list_finalize;
  VTR_FIXED_LIST_CLASS (klass)->get_item_type = vtr_shader_get_type;
}

static void
vtr_shader_list_init (VtrShaderList *self)
{
  self->by_address = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
}

static void
set_address (VtrShaderList *self, guint32 object, guint32 nth, VtrShader *shader)
{
  guint64 key = (guint64)object << 32 | nth;

  g_hash_table_insert (self->by_address, g_memdup2 (&key, sizeof key), shader);
}

VtrShader *
vtr_shader_list_find (VtrShaderList *self, guint32 object, guint32 nth)
{
  guint64 key = (guint64)object << 32 | nth;

  return g_hash_table_lookup (self->by_address, &key);
}

VtrShader *
vtr_shader_list_get (VtrShaderList *self, guint nth)
{
  return vtr_fixed_list_get (VTR_FIXED_LIST (self), nth);
}

char *
vtr_shader_format_stage (const VtrPipelineInfo *info, guint32 nth)
{
  const char *word = vtr_shader_stage_word (info->stages[nth].stage);

  for (guint32 i = 0; i < info->n_stages; i++)
    if (i != nth && info->stages[i].stage == info->stages[nth].stage)
      return g_strdup_printf ("%u", nth);
  return *word != '\0' ? g_strdup (word) : g_strdup_printf ("%u", nth);
}

/* --- Building -------------------------------------------------------------------------------- */

typedef struct
{
  VtrShaderList *list;
  VtrHistory *history;
  VtrUses *uses;
  GHashTable *carried; /* hash of code → VtrShader that a pipeline carries */
} Builder;

static void
set_code (VtrShader *self, GBytes *code, GError *reason)
{
  g_autoptr (GError) damage = reason;

  if (code != NULL)
    {
      gconstpointer bytes = g_bytes_get_data (code, &self->size);

      self->hash = XXH3_64bits (bytes, self->size);
      self->spirv = vtr_spirv_new (code, &damage);
    }
  if (self->spirv == NULL)
    {
      self->problem = g_strdup (damage != NULL ? damage->message : "");
      return;
    }
  for (guint i = 0; i < vtr_spirv_get_n_entries (self->spirv); i++)
    self->stages |= vtr_spirv_get_entry (self->spirv, i)->stage;
}

static VtrShader *
add_shader (Builder *self, const VtrObject *object, guint32 nth, char *path)
{
  VtrShader *shader = g_object_new (VTR_TYPE_SHADER, NULL);

  shader->object = object->id;
  shader->nth = nth;
  shader->name = vtr_history_describe (self->history, object);
  shader->path = path;
  g_ptr_array_add (vtr_fixed_list_get_array (VTR_FIXED_LIST (self->list)), shader);
  set_address (self->list, object->id, nth, shader);
  return shader;
}

/* Of a shader object, which need not be SPIR-V. */
static VkShaderStageFlags
get_stage (VtrHistory *history, const VtrObject *object)
{
  VkShaderStageFlags stage = 0;
  VtrPipelineInfo info;
  VtrArena arena;

  vtr_arena_init (&arena);
  if (vtr_history_get_pipeline_info (history, object, &arena, &info, NULL) && info.is_shader)
    stage = info.stages[0].stage;
  vtr_arena_finish (&arena);
  return stage;
}

static void
add_object (Builder *self, const VtrObject *object)
{
  GError *error = NULL;
  g_autoptr (GBytes) code = vtr_shader_code_of_object (self->history, object, &error);
  VtrShader *shader = add_shader (self, object, VTR_SHADER_MODULE,
                                  g_strdup_printf ("objects/%u/shader", object->id));

  set_code (shader, code, error);
  if (object->type != VTR_HANDLE_VkShaderModule)
    {
      const VtrPipelineUses *uses = vtr_uses_get_pipeline (self->uses, object->id);

      shader->stages |= get_stage (self->history, object);
      shader->work = uses->draws + uses->dispatches;
    }
}

/* The shader that a stage without a module runs: a new one, or that of the library it comes
   from. */
static VtrShader *
get_carried (Builder *self, const VtrObject *pipeline, const VtrPipelineInfo *info, guint32 nth)
{
  GError *error = NULL;
  guint32 module;
  g_autoptr (GBytes) code = vtr_shader_code_of_stage (self->history, &info->stages[nth],
                                                      pipeline->created, &module, &error);
  g_autofree char *word = vtr_shader_format_stage (info, nth);
  g_autofree char *name = NULL;
  VtrShader *shader;
  gsize size = 0;
  guint64 hash = 0;

  if (code != NULL)
    {
      gconstpointer bytes = g_bytes_get_data (code, &size);

      hash = XXH3_64bits (bytes, size);
      shader = g_hash_table_lookup (self->carried, &hash);
      if (shader != NULL && shader->size == size)
        {
          g_clear_error (&error);
          return shader;
        }
    }
  shader = add_shader (self, pipeline, nth,
                       g_strdup_printf ("objects/%u/shader/%s", pipeline->id, word));
  name = g_steal_pointer (&shader->name);
  shader->name =
    g_strdup_printf ("%s · %s", name, vtr_shader_stage_label (info->stages[nth].stage));
  set_code (shader, code, error);
  if (code != NULL)
    g_hash_table_insert (self->carried, g_memdup2 (&hash, sizeof hash), shader);
  return shader;
}

static void
add_user (
  Builder *self, VtrShader *shader, const VtrObject *pipeline, guint32 nth, guint32 stage)
{
  const VtrPipelineUses *uses = vtr_uses_get_pipeline (self->uses, pipeline->id);
  VtrShaderUser user = { pipeline->id, nth, (VkShaderStageFlagBits)stage, uses->draws,
                         uses->dispatches };
  gboolean counted = FALSE;

  for (guint i = 0; i < shader->users->len && !counted; i++)
    counted = g_array_index (shader->users, VtrShaderUser, i).pipeline == pipeline->id;
  if (!counted)
    shader->work += uses->draws + uses->dispatches;
  g_array_append_val (shader->users, user);
  set_address (self->list, pipeline->id, nth, shader);
}

static void
add_pipeline (Builder *self, const VtrObject *pipeline)
{
  VtrPipelineInfo info;
  VtrArena arena;

  vtr_arena_init (&arena);
  if (vtr_history_get_pipeline_info (self->history, pipeline, &arena, &info, NULL))
    for (guint32 i = 0; i < info.n_stages; i++)
      {
        const VkPipelineShaderStageCreateInfo *stage = &info.stages[i];
        const VtrObject *module =
          stage->module != VK_NULL_HANDLE
            ? vtr_history_find (self->history,
                                vtr_vulkan_identity (VTR_HANDLE_VkShaderModule,
                                                     (guint64)stage->module),
                                pipeline->created)
            : NULL;
        VtrShader *shader =
          module != NULL ? vtr_shader_list_find (self->list, module->id, VTR_SHADER_MODULE)
                         : get_carried (self, pipeline, &info, i);

        if (shader == NULL)
          continue;
        shader->stages |= stage->stage;
        add_user (self, shader, pipeline, i, stage->stage);
      }
  vtr_arena_finish (&arena);
}

static void
describe_stages (VtrShader *self)
{
  GString *text = g_string_new (NULL);

  for (guint32 bit = 1; bit != 0; bit <<= 1)
    if ((self->stages & bit) != 0)
      g_string_append_printf (text, "%s%s", text->len > 0 ? ", " : "",
                              vtr_shader_stage_label ((VkShaderStageFlagBits)bit));
  self->stages_text = g_string_free (text, FALSE);
}

static int
compare_shaders (gconstpointer a, gconstpointer b)
{
  const VtrShader *x = *(VtrShader *const *)a, *y = *(VtrShader *const *)b;

  if (x->object != y->object)
    return x->object < y->object ? -1 : 1;
  return x->nth < y->nth ? -1 : x->nth > y->nth;
}

VtrShaderList *
vtr_shader_list_new (VtrHistory    *history,
                     VtrUses       *uses,
                     GCancellable  *cancellable,
                     GError       **error)
{
  g_autoptr (VtrShaderList) self = g_object_new (VTR_TYPE_SHADER_LIST, NULL);
  g_autoptr (GHashTable) carried =
    g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
  Builder builder = { self, history, uses, carried };
  /* Not in every registry. */
  VtrHandleId shader_object = vtr_handle_from_name ("VkShaderEXT");
  guint32 n = vtr_history_get_n_objects (history);
  GPtrArray *shaders;

  for (guint32 id = 1; id <= n; id++)
    {
      const VtrObject *object = vtr_history_get_object (history, id);

      if (id % CANCEL_STEP == 0 && g_cancellable_set_error_if_cancelled (cancellable, error))
        return NULL;
      if (object->type == VTR_HANDLE_VkShaderModule ||
          (shader_object != VTR_HANDLE_NONE && object->type == shader_object))
        add_object (&builder, object);
      /* Its modules and libraries were made before it. */
      else if (object->type == VTR_HANDLE_VkPipeline)
        add_pipeline (&builder, object);
    }
  shaders = vtr_fixed_list_get_array (VTR_FIXED_LIST (self));
  g_ptr_array_sort (shaders, compare_shaders);
  for (guint i = 0; i < shaders->len; i++)
    describe_stages (g_ptr_array_index (shaders, i));
  return g_steal_pointer (&self);
}
