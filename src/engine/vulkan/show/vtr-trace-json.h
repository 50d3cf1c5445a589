/* Vulkan's devices and contents as JSON. Threading: any. */
#pragma once

#include <json-glib/json-glib.h>

#include "engine/state/vtr-analysis.h"

G_BEGIN_DECLS

/* Members of VtrShowApi. */
JsonNode *vtr_vulkan_describe_devices (VtrAnalysis *analysis);
JsonNode *vtr_vulkan_describe_writes (VtrAnalysis  *analysis,
                                      guint64       index,
                                      GError      **error);

G_END_DECLS
