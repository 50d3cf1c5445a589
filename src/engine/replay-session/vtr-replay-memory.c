/* Reads memory at a command: from the trace and, where only the GPU knew the bytes, by replay. */
#include "engine/replay-session/vtr-replay-memory.h"

#include "vtr-config.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "engine/replay-session/vtr-replay-questions.h"
#include "engine/state/vtr-resolve-error.h"

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
  out->space = view->space;
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
vtr_replay_session_get_memory_view (VtrReplaySession      *self,
                                    const VtrMemoryQuery  *query,
                                    GCancellable          *cancellable,
                                    GError               **error)
{
  g_autoptr (VtrMemoryView) view = NULL;
  g_autoptr (GBytes) bytes = NULL;
  guint64 offset, size;

  if (query->replay && query->space == VTR_SPACE_PROGRAM)
    {
      g_set_error_literal (error, VTR_RESOLVE_ERROR, VTR_RESOLVE_ERROR_NOTHING,
                           _ ("The program itself is not replayed, so its own memory (pool 0) "
                              "cannot be read back; leave out read=replay."));
      return NULL;
    }
  view = vtr_memory_read (vtr_replay_session_get_basis (self)->memory, query->address.index,
                          query->address.run, query->space, query->offset, query->size, cancellable,
                          error);
  if (view == NULL)
    return NULL;
  if (!query->replay || !find_gpu_part (view, &offset, &size))
    return g_steal_pointer (&view);
  bytes = vtr_replay_session_read_object (self, &query->address, query->space, offset, size,
                                          query->edit, cancellable, error);
  return bytes != NULL ? patch_view (view, bytes, offset) : NULL;
}
