/* Opens the trace named on the command line while GTK starts and the window is made.
 *
 * Threading: main. */
#pragma once

#include "engine/document/vtr-document.h"

G_BEGIN_DECLS

/* Begins to open @path, before there is a window to show it in. */
void vtr_early_trace_begin (const char *path);

/* As vtr_document_open_async(), if @path has been begun and nobody has taken it. Returns: FALSE: it has
 * not, and @callback is never called. */
gboolean vtr_early_trace_take (const char          *path,
                               VtrTraceProgress     progress,
                               gpointer             progress_data,
                               GCancellable        *cancellable,
                               GAsyncReadyCallback  callback,
                               gpointer             data);

/* Gives up what nobody has taken. */
void vtr_early_trace_drop (void);

G_END_DECLS
