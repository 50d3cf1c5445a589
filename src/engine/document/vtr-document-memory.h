/* Memory at a command, asked by the window. */
#pragma once

#include "engine/document/vtr-document.h"
#include "engine/replay-session/vtr-replay-memory.h"

G_BEGIN_DECLS

/* The memory of the trace; its index is made on first use. (transfer none) */
VtrMemory *vtr_document_get_memory (VtrDocument *self);

/* vtr_replay_session_get_memory_view () on a worker. */
void vtr_document_get_memory_view_async (VtrDocument          *self,
                                         const VtrMemoryQuery *query,
                                         GCancellable         *cancellable,
                                         GAsyncReadyCallback   callback,
                                         gpointer              data);
VtrMemoryView *vtr_document_get_memory_view_finish (VtrDocument   *self,
                                                    GAsyncResult  *result,
                                                    GError       **error);

/* vtr_memory_list_ranges() on a worker. Returns: a GArray of VtrMemoryRange (transfer full). */
void vtr_document_list_memory_async (VtrDocument         *self,
                                     const VtrPlace      *address,
                                     GCancellable        *cancellable,
                                     GAsyncReadyCallback  callback,
                                     gpointer             data);
GArray *vtr_document_list_memory_finish (VtrDocument   *self,
                                         GAsyncResult  *result,
                                         GError       **error);

/* The progress of the index in thousandths while a caller waits for it; 1000: ready. Any thread. */
guint vtr_document_get_memory_progress (VtrDocument *self);

G_END_DECLS
