/* Memory of a document: paths read, questions answered on workers, GPU bytes by replay. */
#include "engine/document/vtr-document-memory.h"
#include "engine/format/vtr-number.h"

#include "vtr-config.h"

#include "engine/document/vtr-document-private.h"
#include "engine/answers/vtr-edit-path.h"

#include <glib/gi18n-lib.h>
#include <string.h>

VtrMemory *
vtr_document_get_memory (VtrDocument *self)
{
  return vtr_analysis_get_memory (self->analysis);
}

guint
vtr_document_get_memory_progress (VtrDocument *self)
{
  return vtr_memory_get_progress (vtr_document_get_memory (self));
}

/* --- Paths ----------------------------------------------------------------------------------- */

void
vtr_memory_type_query_clear (VtrMemoryTypeQuery *self)
{
  g_clear_pointer (&self->type, g_free);
  g_clear_pointer (&self->layout, g_free);
}

static gboolean G_GNUC_PRINTF (2, 3)
  set_bad (GError **error,
           const char *format,
           ...)
{
  va_list list;

  va_start (list, format);
  if (error != NULL)
    *error = g_error_new_valist (VTR_RESOLVE_ERROR, VTR_RESOLVE_ERROR_PATH, format, list);
  va_end (list);
  return FALSE;
}

/* "0x1f" or "31", from *@at on. */
static gboolean
read_number (const char **at,
             guint64     *out)
{
  gboolean hex = (*at)[0] == '0' && g_ascii_tolower ((*at)[1]) == 'x';
  const char *digits = hex ? *at + 2 : *at;
  gsize n = strspn (digits, hex ? "0123456789abcdefABCDEF" : "0123456789");
  g_autofree char *number = g_strndup (digits, n);

  *at = digits + n;
  return vtr_parse_number (number, hex ? 16 : 10, 0, G_MAXUINT64, out);
}

/* "0xA-0xB" (B excluded) or "0xA+SIZE". */
static gboolean
read_range (const char  *text,
            guint64     *offset,
            guint64     *size,
            GError     **error)
{
  const char *at = text;
  gboolean good = read_number (&at, offset);
  char kind = *at;

  good = good && (kind == '-' || kind == '+');
  at++;
  good = good && read_number (&at, size) && *at == '\0';
  if (!good)
    return set_bad (error,
                    _ ("“%s” is not a valid memory range. Use FIRST-END such as 0x100-0x200, or "
                       "FIRST+SIZE such as 0x100+64."),
                    text);
  if (kind == '-' && *size <= *offset)
    return set_bad (error, _ ("The range “%s” is empty: its end must be behind its beginning."),
                    text);
  if (kind == '-')
    *size -= *offset;
  return TRUE;
}

static gboolean
read_option (const char          *name,
             const char          *value,
             VtrMemoryQuery      *out,
             VtrMemoryTypeQuery  *type,
             GError             **error)
{
  if (strcmp (name, "read") == 0)
    {
      out->replay = strcmp (value, "replay") == 0;
      return out->replay || strcmp (value, "trace") == 0 ||
             set_bad (error, _ ("“%s” is not a valid way to read memory. Use trace or replay."),
                      value);
    }
  if (strcmp (name, "type") == 0)
    {
      g_free (type->type);
      type->type = g_strdup (value);
      return TRUE;
    }
  if (strcmp (name, "layout") == 0)
    {
      g_free (type->layout);
      type->layout = g_strdup (value);
      return TRUE;
    }
  if (strcmp (name, "stride") == 0)
    {
      const char *at = value;

      return (read_number (&at, &type->stride) && *at == '\0' && type->stride > 0) ||
             set_bad (error, _ ("“%s” is not a valid stride. Use a number of bytes."), value);
    }
  return set_bad (error,
                  _ ("A range of memory has no “%s”: expected read, type, layout or stride."),
                  name);
}

static gboolean
read_options (VtrDocument         *document,
              const char          *text,
              VtrMemoryQuery      *out,
              VtrMemoryTypeQuery  *type,
              GError             **error)
{
  g_auto (GStrv) options = g_strsplit (text, "&", -1);
  g_auto (VtrEditDraft) edit = { 0 };

  for (guint i = 0; options[i] != NULL; i++)
    {
      g_auto (GStrv) pair = g_strsplit (options[i], "=", 2);
      g_autofree char *value = NULL;

      if (pair[0] == NULL || *pair[0] == '\0')
        continue;
      if (vtr_edit_path_knows (pair[0]))
        {
          if (!vtr_edit_path_parse_option (document, pair[0], pair[1] != NULL ? pair[1] : "",
                                           &edit, error))
            return FALSE;
          continue;
        }
      value = pair[1] != NULL ? g_uri_unescape_string (pair[1], NULL) : g_strdup ("");
      if (value == NULL)
        return set_bad (error, _ ("“%s” is not written as in an address."), options[i]);
      if (!read_option (pair[0], value, out, type, error))
        return FALSE;
    }
  out->edit = vtr_edit_draft_finish (&edit, vtr_replay_session_get_edits (document->session));
  if (out->edit != NULL)
    out->replay = TRUE;
  return TRUE;
}

/* Steps up to the options. */
static gboolean
read_steps (VtrDocument     *document,
            const char      *path,
            VtrMemoryQuery  *out,
            GError         **error)
{
  g_auto (GStrv) steps = vtr_path_split (path);
  guint n = g_strv_length (steps);
  guint64 pool;

  if (n < 5 || (strcmp (steps[0], "commands") != 0 && strcmp (steps[0], "initial") != 0) ||
      strcmp (steps[2], "memory") != 0)
    return set_bad (error,
                    _ ("“%s” is not a valid memory range. Use commands/N/memory/POOL/FIRST-END, "
                       "where pool 0 is the program's own memory and others are device memory "
                       "objects."),
                    path);
  if (n > 5)
    return set_bad (error, _ ("A range of memory has nothing below it, such as “%s”."), steps[5]);
  if (!vtr_path_parse_command_steps (vtr_document_get_timeline (document),
                                     steps, &out->address, error))
    return FALSE;
  if (!vtr_parse_number (steps[3], 10, 0, G_MAXUINT32, &pool))
    return set_bad (error,
                    _ ("“%s” is not a valid memory pool. Use 0 for the program's own memory, or "
                       "the number of a device memory object."),
                    steps[3]);
  out->pool = (guint32)pool;
  return read_range (steps[4], &out->offset, &out->size, error);
}

gboolean
vtr_memory_query_parse (VtrDocument         *document,
                        const char          *path,
                        VtrMemoryQuery      *out,
                        VtrMemoryTypeQuery  *type,
                        GError             **error)
{
  const char *mark = strchr (path, '?');
  g_autofree char *place = mark != NULL ? g_strndup (path, (gsize)(mark - path)) : g_strdup (path);

  memset (out, 0, sizeof *out);
  memset (type, 0, sizeof *type);
  if (read_steps (document, place, out, error) &&
      (mark == NULL || read_options (document, mark + 1, out, type, error)))
    return TRUE;
  vtr_memory_type_query_clear (type);
  return FALSE;
}

/* --- Reading --------------------------------------------------------------------------------- */

/* The part of a view that only a replay can fill: from the first such span to the last. */
static gboolean
find_gpu_part (const VtrMemoryView *view,
               guint64             *offset,
               guint64             *size)
{
  guint64 end = 0;

  *offset = G_MAXUINT64;
  for (guint i = 0; i < view->spans->len; i++)
    {
      const VtrMemorySpan *span = &g_array_index (view->spans, VtrMemorySpan, i);

      if (span->kind != VTR_MEMORY_GPU_WRITTEN && span->kind != VTR_MEMORY_GPU_MAYBE)
        continue;
      *offset = MIN (*offset, span->offset);
      end = span->offset + span->size;
    }
  *size = end - MIN (*offset, end);
  return *size > 0;
}

/* A copy of @view with what @bytes has of the memory from @offset on. */
static VtrMemoryView *
patch_view (VtrMemoryView *view,
            GBytes        *bytes,
            guint64        offset)
{
  VtrMemoryView *out = g_new0 (VtrMemoryView, 1);
  gsize size, n;
  const guint8 *from = g_bytes_get_data (bytes, &n);
  guint8 *to = g_memdup2 (g_bytes_get_data (view->bytes, &size), view->size);

  g_atomic_ref_count_init (&out->refs);
  out->pool = view->pool;
  out->offset = view->offset;
  out->size = view->size;
  out->accesses = g_array_ref (view->accesses);
  out->spans = g_array_copy (view->spans);
  for (guint i = 0; i < out->spans->len; i++)
    {
      VtrMemorySpan *span = &g_array_index (out->spans, VtrMemorySpan, i);

      if ((span->kind != VTR_MEMORY_GPU_WRITTEN && span->kind != VTR_MEMORY_GPU_MAYBE) ||
          span->offset - offset > n || span->size > n - (span->offset - offset))
        continue;
      memcpy (to + (span->offset - view->offset), from + (span->offset - offset), span->size);
      span->kind = VTR_MEMORY_REPLAYED;
      span->known = TRUE;
    }
  out->bytes = g_bytes_new_take (to, size);
  return out;
}

VtrMemoryView *
vtr_document_get_memory_view (VtrDocument           *self,
                              const VtrMemoryQuery  *query,
                              GCancellable          *cancellable,
                              GError               **error)
{
  g_autoptr (VtrMemoryView) view = NULL;
  g_autoptr (GBytes) bytes = NULL;
  guint64 offset, size;

  if (query->replay && query->pool == VTR_MEMORY_APPLICATION)
    {
      g_set_error_literal (error, VTR_RESOLVE_ERROR, VTR_RESOLVE_ERROR_NOTHING,
                           _ ("The program itself is not replayed, so its own memory (pool 0) "
                              "cannot be read back; leave out read=replay."));
      return NULL;
    }
  view = vtr_memory_read (vtr_document_get_memory (self), query->address.index, query->address.run,
                          query->pool, query->offset, query->size, cancellable, error);
  if (view == NULL)
    return NULL;
  if (!query->replay || !find_gpu_part (view, &offset, &size))
    return g_steal_pointer (&view);
  bytes = vtr_document_read_object (self, query->address.index, query->address.run, query->pool,
                                    offset, size, query->edit, cancellable, error);
  return bytes != NULL ? patch_view (view, bytes, offset) : NULL;
}

/* --- On workers ------------------------------------------------------------------------------ */

static VtrMemoryQuery *
copy_query (const VtrMemoryQuery *query)
{
  return g_memdup2 (query, sizeof *query);
}

static void
run_view (gpointer data,
          gpointer pool)
{
  GTask *task = data;
  GError *error = NULL;
  VtrMemoryView *view =
    vtr_document_get_memory_view (g_task_get_source_object (task), g_task_get_task_data (task),
                                  g_task_get_cancellable (task), &error);

  if (view != NULL)
    g_task_return_pointer (task, view, (GDestroyNotify)vtr_memory_view_unref);
  else
    g_task_return_error (task, error);
  vtr_scheduler_release_task (task);
}

/* Questions about memory may wait for its index, or for a replay: they keep off the pool that
   answers what is on screen. */
void
vtr_document_get_memory_view_async (VtrDocument          *self,
                                    const VtrMemoryQuery *query,
                                    GCancellable         *cancellable,
                                    GAsyncReadyCallback   callback,
                                    gpointer              data)
{
  GTask *task = g_task_new (self, cancellable, callback, data);

  g_task_set_source_tag (task, vtr_document_get_memory_view_async);
  g_task_set_task_data (task, copy_query (query), g_free);
  vtr_scheduler_push (vtr_scheduler_get_io (), VTR_PRIORITY_NORMAL, run_view, task);
}

VtrMemoryView *
vtr_document_get_memory_view_finish (VtrDocument   *self,
                                     GAsyncResult  *result,
                                     GError       **error)
{
  return g_task_propagate_pointer (G_TASK (result), error);
}

static void
run_list (gpointer data,
          gpointer pool)
{
  GTask *task = data;
  VtrDocument *self = g_task_get_source_object (task);
  const VtrPlace *address = g_task_get_task_data (task);
  GError *error = NULL;
  GArray *ranges = vtr_memory_list_ranges (vtr_document_get_memory (self), address->index,
                                           address->run, g_task_get_cancellable (task), &error);

  if (ranges != NULL)
    g_task_return_pointer (task, ranges, (GDestroyNotify)g_array_unref);
  else
    g_task_return_error (task, error);
  vtr_scheduler_release_task (task);
}

void
vtr_document_list_memory_async (VtrDocument         *self,
                                const VtrPlace      *address,
                                GCancellable        *cancellable,
                                GAsyncReadyCallback  callback,
                                gpointer             data)
{
  GTask *task = g_task_new (self, cancellable, callback, data);

  g_task_set_source_tag (task, vtr_document_list_memory_async);
  g_task_set_task_data (task, g_memdup2 (address, sizeof *address), g_free);
  vtr_scheduler_push (vtr_scheduler_get_io (), VTR_PRIORITY_NORMAL, run_list, task);
}

GArray *
vtr_document_list_memory_finish (VtrDocument   *self,
                                 GAsyncResult  *result,
                                 GError       **error)
{
  return g_task_propagate_pointer (G_TASK (result), error);
}
