/* Finds fields in protobuf messages by the descriptors that a trace carries. */
#include "engine/gapid/vtr-gapid-message.h"

#include <string.h>

guint64
vtr_gapid_undo_zigzag (const VtrPackField *type,
                       guint64             value)
{
  if (type->type == VTR_PACK_SINT32 || type->type == VTR_PACK_SINT64)
    return (guint64)vtr_zigzag_decode (value);
  return value;
}

gboolean
vtr_gapid_find_field (const VtrPackType   *type,
                      const guint8        *message,
                      gsize                size,
                      const char          *name,
                      const VtrPackField **field,
                      VtrPackFieldValue   *out)
{
  const guint8 *at = message, *end = message + size;
  VtrPackFieldValue value;
  gboolean found = FALSE;

  *field = vtr_pack_type_find (type, name);
  if (*field == NULL)
    return FALSE;
  while (vtr_pack_next_field (&at, end, &value) == VTR_OK)
    if (value.number == (*field)->number)
      {
        *out = value;
        found = TRUE;
      }
  return found;
}

guint64
vtr_gapid_find_number (const VtrPackType *type,
                       const guint8      *message,
                       gsize              size,
                       const char        *name)
{
  const VtrPackField *field;
  VtrPackFieldValue value;

  return vtr_gapid_find_field (type, message, size, name, &field,
                               &value)
           ? vtr_gapid_undo_zigzag (field, value.value)
           : 0;
}

gboolean
vtr_gapid_find_path (const VtrTraceTypes  *types,
                     const VtrTraceType   *type,
                     const guint8         *message,
                     gsize                 size,
                     const char           *path,
                     const VtrPackField  **field,
                     VtrPackFieldValue    *out)
{
  g_auto (GStrv) names = g_strsplit (path, "/", -1);

  for (guint i = 0; names[i] != NULL; i++)
    {
      if (type == NULL || !vtr_gapid_find_field (&type->type, message, size, names[i], field, out))
        return FALSE;
      if (names[i + 1] == NULL)
        return TRUE;
      if ((*field)->type_name == NULL || (*field)->type_name[0] != '.' ||
          out->wire != VTR_PACK_WIRE_BYTES)
        return FALSE;
      type = vtr_trace_types_find (types, (*field)->type_name + 1);
      message = out->data;
      size = out->size;
    }
  return FALSE;
}
