/* Reads the namespaces of a trace, in which its names are unique. */
#include "engine/format/vtr-trace-private.h"

#include "wire/vtr-pack-field.h"
#include "wire/vtr-trace-objects.h"

#include <string.h>

/* The words that files have for scopes, by VtrApiNames. */
static const char *const scope_names[] = {
  [VTR_NAMES_IN_PROCESS] = "process",
  [VTR_NAMES_IN_DISPLAY] = "display",
  [VTR_NAMES_IN_DEVICE] = "device",
  [VTR_NAMES_IN_GROUP] = "group",
  [VTR_NAMES_IN_CONTEXT] = "context",
};

const char *
vtr_namespace_name_scope (VtrApiNames scope)
{
  return (guint)scope < G_N_ELEMENTS (scope_names) && scope_names[scope] != NULL
           ? scope_names[scope]
           : "";
}

static VtrApiNames
find_scope (const VtrPackFieldValue *field)
{
  for (guint i = 0; i < G_N_ELEMENTS (scope_names); i++)
    if (scope_names[i] != NULL && strlen (scope_names[i]) == field->size &&
        memcmp (scope_names[i], field->data, field->size) == 0)
      return (VtrApiNames)i;
  return VTR_NAMES_NOWHERE;
}

static const VtrApiModel *
find_api (const VtrPackFieldValue *field)
{
  g_autofree char *name = g_strndup ((const char *)field->data, field->size);

  return vtr_api_from_name (name);
}

/* The namespace with @number; 0: none. .namespaces is sorted. Returns: (nullable) */
static const VtrNamespaceInfo *
find_number (VtrTrace *self,
             guint32   number)
{
  guint low = 0, high = self->namespaces->len;
  const VtrNamespaceInfo *info;

  while (low < high)
    {
      const guint middle = (low + high) / 2;

      info = g_ptr_array_index (self->namespaces, middle);
      if (info->number < number)
        low = middle + 1;
      else
        high = middle;
    }
  if (number == 0 || low >= self->namespaces->len)
    return NULL;
  info = g_ptr_array_index (self->namespaces, low);
  return info->number == number ? info : NULL;
}

/* What .namespaces holds while it is filled. */
typedef struct
{
  VtrNamespaceInfo info; /* first */
  guint32 parent;
} Loaded;

static void
take_namespace (VtrTrace           *self,
                const VtrPackChunk *chunk,
                guint64             command)
{
  const guint8 *at = chunk->message, *end = at + chunk->size;
  Loaded *loaded = g_new0 (Loaded, 1);
  VtrNamespaceInfo *info = &loaded->info;
  VtrPackFieldValue field;

  g_ptr_array_add (self->namespaces, loaded);
  info->begun = command;
  while (vtr_pack_next_field (&at, end, &field) == VTR_OK)
    if (field.number == VTR_NAMESPACE_NUMBER)
      info->number = (guint32)field.value;
    else if (field.number == VTR_NAMESPACE_PARENT)
      loaded->parent = (guint32)field.value;
    else if (field.number == VTR_NAMESPACE_NAME)
      info->name = field.value;
    else if (field.wire != VTR_PACK_WIRE_BYTES)
      continue;
    else if (field.number == VTR_NAMESPACE_API)
      info->api = find_api (&field);
    else if (field.number == VTR_NAMESPACE_SCOPE)
      info->scope = find_scope (&field);
    else if (field.number == VTR_NAMESPACE_FACTS)
      {
        info->facts =
          (const guint8 *)vtr_trace_take_string (self, g_memdup2 (field.data, field.size));
        info->facts_size = field.size;
      }
}

static gint
compare_loaded (gconstpointer a,
                gconstpointer b)
{
  const VtrNamespaceInfo *left = *(const VtrNamespaceInfo *const *)a;
  const VtrNamespaceInfo *right = *(const VtrNamespaceInfo *const *)b;

  if (left->number != right->number)
    return left->number < right->number ? -1 : 1;
  return left->begun < right->begun ? -1 : left->begun > right->begun;
}

/* The namespace around another one has a smaller number. A damaged file may have anything; if a
 * number occurs twice, the first one counts. */
static void
set_parents (VtrTrace *self)
{
  g_ptr_array_sort (self->namespaces, compare_loaded);
  for (guint i = 0; i < self->namespaces->len; i++)
    {
      Loaded *loaded = g_ptr_array_index (self->namespaces, i);

      if (loaded->parent < loaded->info.number)
        loaded->info.parent = find_number (self, loaded->parent);
    }
}

void
vtr_trace_load_namespaces (VtrTrace *self)
{
  const VtrTraceTables *tables = self->tables;

  for (guint i = 0; i < tables->objects->len; i++)
    {
      const VtrTraceMark *mark = &g_array_index (tables->objects, VtrTraceMark, i);
      g_autoptr (GBytes) keep = NULL;
      VtrPackChunk chunk;

      if (mark->object == VTR_OBJECT_NAMESPACE &&
          vtr_trace_read_chunk (self, mark->position, &keep, &chunk, NULL))
        take_namespace (self, &chunk, mark->command);
    }
  if (self->namespaces->len == 0)
    return;
  set_parents (self);
  self->by_stream = g_new0 (const VtrNamespaceInfo *, tables->namespaces->len + 1);
  for (guint i = 0; i < tables->namespaces->len; i++)
    self->by_stream[i] = find_number (self, g_array_index (tables->namespaces, guint32, i));
}
