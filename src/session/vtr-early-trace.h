/* Opens the trace named on the command line while GTK starts and the window is made.
 *
 * Threading: main. */
#pragma once

#include "engine/document/vtr-document.h"

G_BEGIN_DECLS

/* Starts opening @path, before there is a window to show it in. */
void vtr_early_trace_begin (const char *path);

/* Like vtr_document_open_async(), if @path is being opened here and no caller has taken it.
 * Returns: FALSE: it is not, and @callback is never called. */
gboolean vtr_early_trace_take (const char          *path,
                               VtrTraceProgress     progress,
                               gpointer             progress_data,
                               GCancellable        *cancellable,
                               GAsyncReadyCallback  callback,
                               gpointer             data);

/* Drops the trace, unless a caller has taken it. */
void vtr_early_trace_drop (void);

G_END_DECLS
