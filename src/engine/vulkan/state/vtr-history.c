/* VtrHistory: objects in order of creation, with an order by (type, handle, creation) for look-ups.
   */
#include "engine/vulkan/state/vtr-history-private.h"

#include <string.h>

const VtrObject *
vtr_history_get_object (VtrHistory *self,
                        guint32     id)
{
  if (id == 0 || id > self->objects->len)
    return NULL;
  return &g_array_index (self->objects, VtrObject, id - 1);
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
  g_array_unref (self->objects);
  g_clear_pointer (&self->set_writes, g_hash_table_unref);
  g_clear_pointer (&self->bindings, g_hash_table_unref);
  g_string_chunk_free (self->names);
  g_free (self->order);
  g_free (self);
}

guint32
vtr_history_get_n_objects (VtrHistory *self)
{
  return self->objects->len;
}

VtrTrace *
vtr_history_get_trace (VtrHistory *self)
{
  return self->trace;
}

/* Position in the order of the first object after (@type, @handle, @index). */
static guint32
find_after (VtrHistory *self,
            guint32     type,
            guint64     handle,
            guint64     index)
{
  guint32 low = 0, high = self->objects->len;

  while (low < high)
    {
      guint32 middle = low + (high - low) / 2;
      const VtrObject *object = vtr_history_get_object (self, self->order[middle]);
      gboolean after;

      if (object->type != type)
        after = object->type > type;
      else if (object->handle != handle)
        after = object->handle > handle;
      else
        after = object->created > index;
      if (after)
        high = middle;
      else
        low = middle + 1;
    }
  return low;
}

const VtrObject *
vtr_history_find (VtrHistory *self,
                  guint32     type,
                  guint64     handle,
                  guint64     index)
{
  const VtrObject *ended = NULL;

  if (handle == 0)
    return NULL;

  /* Newest first. One value may stand for several living objects, hence the loop. */
  for (guint32 at = find_after (self, type, handle, index); at > 0; at--)
    {
      const VtrObject *object = vtr_history_get_object (self, self->order[at - 1]);

      if (object->type != type || object->handle != handle)
        break;
      if (object->destroyed == VTR_COMMAND_NO_INDEX || object->destroyed > index)
        return object;
      if (object->destroyed == index && ended == NULL)
        ended = object;
    }
  return ended;
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

  for (guint32 id = 1; id <= self->objects->len; id++)
    if (vtr_history_get_object (self, id)->type == type)
      g_array_append_val (list, id);
  return list;
}

GArray *
vtr_history_list_children (VtrHistory *self,
                           guint32     id)
{
  GArray *list = g_array_new (FALSE, FALSE, sizeof (guint32));

  for (guint32 child = id + 1; child <= self->objects->len; child++)
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
