/* Messages of a trace that only Vulkan can read. */
#pragma once

#include "engine/api/vtr-read-api.h"

G_BEGIN_DECLS

/* Threading: constant. */
extern const VtrReadApi vtr_vulkan_messages;

/* Members of it, as VtrReadApi says. */
gboolean vtr_vulkan_read_info (gpointer            data,
                               VtrTrace           *trace,
                               VtrTraceObject      object,
                               const VtrPackChunk *chunk,
                               guint64             index);
gboolean vtr_vulkan_find_content (VtrTraceObject    object,
                                  VtrContentObject *out);
gboolean vtr_vulkan_read_content (VtrTraceObject      object,
                                  const VtrPackChunk *chunk,
                                  VtrContentRecord   *out);

G_END_DECLS
