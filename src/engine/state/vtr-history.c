/* Keeps the lifetimes of a trace's objects, and the data that APIs keep about them. */
#include "engine/state/vtr-history-private.h"

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

  for (guint i = 0; i < VTR_MAX_APIS; i++)
    if (self->parts[i] != NULL)
      vtr_apis[i]->state->objects_free (self->parts[i]);
  vtr_trace_unref (self->trace);
  vtr_lifetimes_free (self->lifetimes);
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

gpointer
vtr_history_get_part (VtrHistory *self,
                      guint32     id)
{
  const guint api = vtr_api_get_number (id);

  return api < VTR_MAX_APIS ? self->parts[api] : NULL;
}

const VtrObject *
vtr_history_find (VtrHistory  *self,
                  VtrIdentity  identity,
                  guint64      index)
{
  return vtr_lifetimes_find (self->lifetimes, identity, index);
}

VtrIdentity
vtr_history_identify (VtrHistory *self,
                      guint32     kind,
                      guint64     name,
                      guint64     index)
{
  const VtrNamespaceInfo *names = index < vtr_trace_get_n_commands (self->trace)
                                    ? vtr_trace_get_namespace (self->trace, index)
                                    : NULL;
  VtrIdentity identity = {
    .name = name,
    .namespace = vtr_namespace_find_names (names, (VtrHandleId)kind, name),
    .kind = kind,
  };
  const VtrApi *api = self->has_namespaces ? vtr_api_get (kind) : NULL;

  if (api != NULL && api->state != NULL && api->state->has_namespaces)
    identity.namespace = vtr_namespace_find_names (vtr_trace_get_namespace (self->trace, index),
                                                   (VtrHandleId)kind, name);
  return identity;
}

const VtrObject *
vtr_history_find_name (VtrHistory *self,
                       guint32     kind,
                       guint64     name,
                       guint64     index)
{
  const VtrIdentity identity = self->has_namespaces
                                 ? vtr_history_identify (self, kind, name, index)
                                 : (VtrIdentity){ .name = name, .kind = kind };

  return vtr_lifetimes_find (self->lifetimes, identity, index);
}

/* VkDescriptorSetLayout → "descriptor set layout", EGLDisplay → "display", picture → "picture"; the
 * API's letters and the vendor's suffix go. */
char *
vtr_history_describe_type (guint32 type)
{
  const char *name;
  GString *text;

  if (!vtr_handle_is_known (type))
    return g_strdup ("object");

  name = vtr_api_string (vtr_handle_get (type)->name);
  if (g_ascii_isupper (name[0]) && g_ascii_islower (name[1]) && g_ascii_isupper (name[2]))
    name += 2;
  while (g_ascii_isupper (name[0]) && g_ascii_isupper (name[1]))
    name++;
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
