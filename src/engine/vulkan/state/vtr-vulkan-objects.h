/* What Vulkan says of the objects of a history: members of its VtrStateApi (S1). */
#pragma once

#include "engine/api/vtr-state-api.h"
#include "engine/vulkan/state/vtr-state.h"

G_BEGIN_DECLS

gpointer vtr_vulkan_objects_new (VtrHistoryBuilder *builder);
void vtr_vulkan_objects_free (gpointer objects);
gboolean vtr_vulkan_objects_wants (VtrCmdId id);
void vtr_vulkan_objects_apply (gpointer          objects,
                               const VtrCommand *command);

G_END_DECLS
