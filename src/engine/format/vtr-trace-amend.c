#include "engine/format/vtr-trace-writer.h"

gboolean
vtr_trace_amend (const char    *path,
                 const char    *type_name,
                 const guint8  *message,
                 gsize          size,
                 GError       **error)
{
  VtrTraceWriter *writer = vtr_trace_writer_new_copy (path, error);
  gboolean done;

  if (writer == NULL)
    return FALSE;
  done = vtr_trace_writer_append_object (writer, type_name, message, size, error) &&
         vtr_trace_writer_finish (writer, error);
  vtr_trace_writer_free (writer, !done);
  return done;
}
