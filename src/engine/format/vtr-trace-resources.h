/* Deduplicated content of a trace being written. */
#pragma once

#include <glib.h>

#include "base/vtr-buffer.h"

G_BEGIN_DECLS

/**
 * VtrTraceResources:
 *
 * Knows the content of every resource by its XXH3-128, and collects new ones in a raw proto-pack
 * buffer. Threading: one at a time.
 */
typedef struct
{
  GHashTable *known; /* of VtrResourceKey */
  VtrBuffer raw;     /* vitrine.Resource chunks not written yet */
  guint64 n;         /* resources so far; numbers go from 1 */
  guint64 first_raw; /* number of the first one in .raw */
} VtrTraceResources;

void vtr_trace_resources_init (VtrTraceResources *self);
void vtr_trace_resources_clear (VtrTraceResources *self);

/* What is in .raw has been written. */
void vtr_trace_resources_flushed (VtrTraceResources *self);

/* Appends @message to @to with every observation above VTR_TRACE_INLINE_BYTES replaced by a
 * reference. Returns: FALSE if the message cannot be parsed (@to is as before then). */
gboolean vtr_trace_resources_replace (VtrTraceResources *self,
                                      const guint8      *message,
                                      gsize              size,
                                      VtrBuffer         *to);

G_END_DECLS
