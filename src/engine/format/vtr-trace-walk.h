/* One pass over the commands of a trace that decodes only the wanted ones. */
#pragma once

#include "engine/format/vtr-trace.h"

G_BEGIN_DECLS

/* For loops over the @n commands of a trace: looks for cancellation and reports progress at every 1024th @index. @progress:
 * (nullable). Returns: FALSE with @error if the loop was cancelled. */
static inline gboolean
vtr_trace_walk_goes_on (guint64            index,
                        guint64            n,
                        VtrTraceProgress   progress,
                        gpointer           data,
                        GCancellable      *cancellable,
                        GError           **error)
{
  if (index % 1024 != 0)
    return TRUE;
  if (g_cancellable_set_error_if_cancelled (cancellable, error))
    return FALSE;
  if (progress != NULL)
    progress (index, n, data);
  return TRUE;
}

/* Sees every command, in order. Returns: whether to decode it. */
typedef gboolean (*VtrTraceWants) (guint64 index,
                                   VtrCmdId id,
                                   gpointer data);

/* Gets those that were wanted and that have arguments. @command: (transfer none): until it returns. */
typedef void (*VtrTraceVisit) (const VtrCommand *command,
                               gpointer data);

/* Returns: FALSE with @error when it was cancelled or a wanted command cannot be decoded. */
gboolean vtr_trace_walk (VtrTrace       *self,
                         VtrTraceWants   wants,
                         VtrTraceVisit   visit,
                         gpointer        data,
                         GCancellable   *cancellable,
                         GError        **error);

G_END_DECLS
