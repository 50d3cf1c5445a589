#include "engine/format/vtr-trace-writer.h"

gboolean
vtr_trace_amend (const char    *path,
                 const char    *type_name,
                 const guint8  *message,
                 gsize          size,
                 GError       **error)
{
  g_autofree char *part = g_strconcat (path, ".part", NULL);
  g_autoptr (GFile) from = g_file_new_for_path (path);
  g_autoptr (GFile) to = g_file_new_for_path (part);
  VtrTraceWriter *writer;
  gboolean done;

  if (!g_file_copy (from, to, G_FILE_COPY_NONE, NULL, NULL, NULL, error))
    return FALSE;
  writer = vtr_trace_writer_resume (path, error);
  if (writer == NULL)
    {
      g_file_delete (to, NULL, NULL);
      return FALSE;
    }
  done = vtr_trace_writer_append_object (writer, type_name, message, size, error) &&
         vtr_trace_writer_finish (writer, error);
  vtr_trace_writer_free (writer, !done);
  return done;
}
