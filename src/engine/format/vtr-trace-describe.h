/* What an API tells a trace that is being opened, from messages that only this API reads.
 *
 * Threading: the thread that opens the trace, before another one has it. */
#pragma once

#include "engine/format/vtr-trace.h"

G_BEGIN_DECLS

/* The lists of VtrTraceInfo. */
typedef enum
{
  VTR_TRACE_CHANGES,
  VTR_TRACE_HIDDEN_EXTENSIONS,
  VTR_TRACE_TRACKERS,
  VTR_TRACE_NOTICES,
  VTR_TRACE_MISSING_APIS,
  VTR_TRACE_N_LISTS,
} VtrTraceList;

/* Adds a line that the list does not have yet. @text: (transfer full) */
void vtr_trace_add_line (VtrTrace     *self,
                         VtrTraceList  list,
                         char         *text);

/* The device that the program used, and its driver; the first one that is described counts. @driver: (transfer full) */
void vtr_trace_describe_device (VtrTrace   *self,
                                const char *name,
                                gsize       name_size,
                                char       *driver,
                                guint32     api_version);

/* Keeps memory of g_malloc () as long as the trace. Returns: it. */
const char *vtr_trace_take_string (VtrTrace *self,
                                   char     *text);

/* What the API of @id keeps of the trace (VtrReadApi.data_new). Returns: (nullable). Threading: any. */
gpointer vtr_trace_get_api_data (VtrTrace *self,
                                 guint32   id);

G_END_DECLS
