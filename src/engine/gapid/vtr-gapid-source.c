/* Implements the file source of GAPID and AGI traces (VtrTraceSource). */
#include "engine/gapid/vtr-gapid-source.h"

/* Streams whose first definition is Vitrine's were recognised before. */
static gboolean
matches (const guint8 *data,
         gsize         size)
{
  unsigned major, minor;

  return vtr_pack_sniff (data, size, &major, &minor) == VTR_PACK_MAGIC_2;
}

static guint32
get_resource_field (VtrTrace           *self,
                    const VtrPackChunk *chunk)
{
  const VtrTraceType *type = vtr_trace_types_lookup (self->types, chunk->type);
  const VtrPackField *field = type == NULL ? NULL : vtr_pack_type_find (&type->type, "data");

  return field != NULL ? field->number : 0;
}

static void
file_free (gpointer data)
{
  VtrGapidFile *file = data;

  g_clear_pointer (&file->initial, vtr_gapid_initial_free);
  g_clear_pointer (&file->writes, g_array_unref);
  g_free (file);
}

const VtrTraceSource vtr_gapid_source = {
  .matches = matches,
  .open = vtr_gapid_open,
  .decode = vtr_gapid_decode,
  .get_writes = vtr_gapid_get_writes,
  .get_resource_field = get_resource_field,
  .free = file_free,
};
