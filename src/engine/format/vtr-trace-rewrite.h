/* Writes a new Vitrine trace from an existing one, without the parts that a filter leaves out. */
#pragma once

#include "base/vtr-buffer.h"
#include "base/vtr-range-set.h"
#include "engine/format/vtr-trace.h"

G_BEGIN_DECLS

typedef enum
{
  VTR_REWRITE_KEEP,
  VTR_REWRITE_DROP,
  VTR_REWRITE_REPLACE, /* replaced by another call of the same command */
  VTR_REWRITE_FAIL,
} VtrRewriteAnswer;

/**
 * VtrTraceFilter:
 *
 * Decides what stays. It is asked about calls in the order of the stream; results and contents from
 * the device stay with their calls.
 */
typedef struct _VtrTraceFilter
{
  gpointer data;
  /* @message: (out): for REPLACE, the whole message (api/vtr-api-walk.h). FAIL: with @error. */
  VtrRewriteAnswer (*command) (gpointer data,
                               guint64 index,
                               VtrBuffer *message,
                               GError **error);
  /* Which bytes of the object @name to keep of writes before call @index. Returns: (transfer none) (nullable):
     NULL: all. */
  const VtrRangeSet *(*bytes) (gpointer    data,
                               guint64     index,
                               VtrHandleId kind,
                               guint64     name);
  /* Whether what is said of the object @name before call @index stays: other contents, and facts. */
  gboolean (*contents) (gpointer data,
                        guint64 index,
                        VtrHandleId kind,
                        guint64 name);
} VtrTraceFilter;

/**
 * vtr_trace_rewrite:
 * @path: may be where the trace itself is: it is replaced when the new one is complete
 *
 * Streams @trace to @path. Blocks. Errors: VERSION (no file of this build's own making), DAMAGED, I/O;
 * then @path is as it was. Threading: any.
 */
gboolean vtr_trace_rewrite (VtrTrace              *trace,
                            const VtrTraceFilter  *filter,
                            const char            *path,
                            GCancellable          *cancellable,
                            GError               **error);

G_END_DECLS
