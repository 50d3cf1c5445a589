/* VtrHistory: the lifetimes of a trace's objects, and what is known of Vulkan's besides. */
#include "engine/vulkan/state/vtr-history-private.h"

const VtrObject *
vtr_history_get_object (VtrHistory *self,
                        guint32     id)
{
  return vtr_lifetimes_get_object (self->lifetimes, id);
}

VtrHistory *
vtr_history_ref (VtrHistory *self)
{
  g_atomic_ref_count_inc (&self->refs);
  return self;
}

void
vtr_history_unref (VtrHistory *self)
{
  if (!g_atomic_ref_count_dec (&self->refs))
    return;

  vtr_trace_unref (self->trace);
  vtr_lifetimes_free (self->lifetimes);
  g_clear_pointer (&self->set_writes, g_hash_table_unref);
  g_clear_pointer (&self->bindings, g_hash_table_unref);
  g_free (self);
}

guint32
vtr_history_get_n_objects (VtrHistory *self)
{
  return vtr_lifetimes_get_n_objects (self->lifetimes);
}

VtrTrace *
vtr_history_get_trace (VtrHistory *self)
{
  return self->trace;
}

const VtrObject *
vtr_history_find (VtrHistory  *self,
                  VtrIdentity  identity,
                  guint64      index)
{
  return vtr_lifetimes_find (self->lifetimes, identity, index);
}

/* VkDescriptorSetLayout → "descriptor set layout"; the vendor's suffix goes. */
char *
vtr_history_describe_type (guint32 type)
{
  const char *name;
  GString *text;

  if (type >= VTR_VULKAN_N_HANDLES)
    return g_strdup ("object");

  name = vtr_api_string (vtr_handle_get (type)->name);
  if (g_str_has_prefix (name, "Vk"))
    name += 2;
  text = g_string_new (NULL);
  for (; *name != '\0'; name++)
    {
      if (g_ascii_isupper (name[0]) && (name[1] == '\0' || g_ascii_isupper (name[1])))
        break;
      if (g_ascii_isupper (name[0]) && text->len > 0)
        g_string_append_c (text, ' ');
      g_string_append_c (text, g_ascii_tolower (name[0]));
    }
  return g_string_free (text, FALSE);
}

char *
vtr_history_describe (VtrHistory      *self,
                      const VtrObject *object)
{
  g_autofree char *type = NULL;

  if (object->name != NULL)
    return g_strdup (object->name);

  type = vtr_history_describe_type (object->type);
  return g_strdup_printf ("%s %u", type, object->id);
}

gboolean
vtr_history_decode_creation (VtrHistory       *self,
                             const VtrObject  *object,
                             VtrArena         *arena,
                             VtrCommand       *out,
                             GError          **error)
{
  return vtr_trace_decode (self->trace, object->created, arena, out, error);
}

GArray *
vtr_history_list (VtrHistory *self,
                  guint32     type)
{
  GArray *list = g_array_new (FALSE, FALSE, sizeof (guint32));

  for (guint32 id = 1; id <= vtr_lifetimes_get_n_objects (self->lifetimes); id++)
    if (vtr_history_get_object (self, id)->type == type)
      g_array_append_val (list, id);
  return list;
}

GArray *
vtr_history_list_children (VtrHistory *self,
                           guint32     id)
{
  GArray *list = g_array_new (FALSE, FALSE, sizeof (guint32));

  for (guint32 child = id + 1; child <= vtr_lifetimes_get_n_objects (self->lifetimes); child++)
    if (vtr_history_get_object (self, child)->parent == id)
      g_array_append_val (list, child);
  return list;
}

const guint64 *
vtr_history_get_set_writes (VtrHistory *self,
                            guint32     id,
                            gsize      *n)
{
  GArray *list = g_hash_table_lookup (self->set_writes, GUINT_TO_POINTER (id));

  *n = list != NULL ? list->len : 0;
  return list != NULL ? (const guint64 *)(void *)list->data : NULL;
}

guint64
vtr_history_get_memory_binding (VtrHistory *self,
                                guint32     id)
{
  const guint64 *index = g_hash_table_lookup (self->bindings, GUINT_TO_POINTER (id));

  return index != NULL ? *index : VTR_COMMAND_NO_INDEX;
}
