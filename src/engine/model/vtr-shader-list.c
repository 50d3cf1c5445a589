/* Keeps the shaders of a trace with their stages, names and code, and the pipelines and draws that
 * use them, as the APIs of the trace list them. */
#include "engine/model/vtr-shader-list-private.h"

#include "engine/api/vtr-show-api.h"

#include <string.h>
#include <xxhash.h>

struct _VtrShader
{
  GObject parent_instance;

  guint32 object, nth;
  char *name;
  char *path;
  char *stages_text;
  char *problem;
  guint32 stages;
  VtrSpirv *spirv;
  gsize size;
  guint64 hash;
  guint64 work;
  GArray *users; /* VtrShaderUser */
  gboolean alone;
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

guint32
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

gboolean
vtr_shader_is_alone (VtrShader *self)
{
  return self->alone;
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

/* --- Building -------------------------------------------------------------------------------- */

VtrShader *
vtr_shader_list_add (VtrShaderList   *self,
                     VtrHistory      *history,
                     const VtrObject *object,
                     guint32          nth,
                     const char      *suffix,
                     char            *path)
{
  VtrShader *shader = g_object_new (VTR_TYPE_SHADER, NULL);
  g_autofree char *name = vtr_history_describe (history, object);

  shader->object = object->id;
  shader->nth = nth;
  shader->name = suffix != NULL ? g_strdup_printf ("%s · %s", name, suffix) : g_strdup (name);
  shader->path = path;
  g_ptr_array_add (vtr_fixed_list_get_array (VTR_FIXED_LIST (self)), shader);
  set_address (self, object->id, nth, shader);
  return shader;
}

void
vtr_shader_set_code (VtrShader *self, GBytes *code, GError *reason)
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

void
vtr_shader_add_stages (VtrShader *self, guint32 stages)
{
  self->stages |= stages;
}

void
vtr_shader_set_alone (VtrShader *self, guint64 work)
{
  self->alone = TRUE;
  self->work += work;
}

void
vtr_shader_list_add_user (VtrShaderList *self, VtrShader *shader, const VtrShaderUser *user)
{
  gboolean counted = FALSE;

  for (guint i = 0; i < shader->users->len && !counted; i++)
    counted = g_array_index (shader->users, VtrShaderUser, i).pipeline == user->pipeline;
  if (!counted)
    shader->work += user->draws + user->dispatches;
  shader->stages |= user->stage;
  g_array_append_vals (shader->users, user, 1);
  set_address (self, user->pipeline, user->nth, shader);
}

static void
describe_stages (VtrShader *self)
{
  GString *text = g_string_new (NULL);

  for (guint32 bit = 1; bit != 0; bit <<= 1)
    if ((self->stages & bit) != 0)
      g_string_append_printf (text, "%s%s", text->len > 0 ? ", " : "",
                              vtr_shader_stage_label ((VtrShaderStage)bit));
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
  GPtrArray *shaders = vtr_fixed_list_get_array (VTR_FIXED_LIST (self));

  for (guint i = 0; vtr_apis[i] != NULL; i++)
    if (vtr_apis[i]->show != NULL && vtr_apis[i]->show->list_code != NULL &&
        !vtr_apis[i]->show->list_code (history, uses, self, cancellable, error))
      return NULL;
  g_ptr_array_sort (shaders, compare_shaders);
  for (guint i = 0; i < shaders->len; i++)
    describe_stages (g_ptr_array_index (shaders, i));
  return g_steal_pointer (&self);
}
