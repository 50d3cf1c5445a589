/* Vulkan's data in a history: facts about resources, writes to sets, names of objects. Members of its VtrStateApi. */
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
