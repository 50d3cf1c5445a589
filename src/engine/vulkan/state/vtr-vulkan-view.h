/* Vulkan's states as JSON: members of its VtrStateApi. */
#pragma once

#include "engine/state/vtr-analysis.h"
#include "engine/state/vtr-place.h"
#include "engine/state/vtr-state-view.h"

G_BEGIN_DECLS

gboolean vtr_vulkan_is_owner (guint32 type);
gpointer vtr_vulkan_view_new (VtrStateView *view);
void vtr_vulkan_view_free (gpointer part);
void vtr_vulkan_facts_json (VtrStateView *view,
                            JsonObject   *object);
JsonNode *vtr_vulkan_bound_json (VtrAnalysis     *analysis,
                                 const VtrPlace  *place,
                                 GError         **error);

/* The buffers and images that are bound to a VkDeviceMemory. Returns: (transfer none) (nullable): GArray of ids (guint32). */
const GArray *vtr_state_view_get_bound (VtrStateView *self,
                                        guint32       memory);

G_END_DECLS
