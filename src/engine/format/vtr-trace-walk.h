/* One pass over the commands of a trace that decodes only the wanted ones. */
#pragma once

#include "engine/format/vtr-trace.h"

G_BEGIN_DECLS

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
