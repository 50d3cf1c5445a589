/* Redirects recorded commands to another command buffer. Included by all transforms of Vulkan, for the headers that they need. */
#pragma once

#include "engine/replay-builder/vtr-transform.h"
#include "engine/vulkan/replay-builder/vtr-vulkan-builder.h"
#include "engine/vulkan/state/vtr-state.h"

G_BEGIN_DECLS

/* Like vtr_transform_command (), but records @command into command buffer @to. @command is unchanged afterwards. */
gboolean vtr_transform_command_into (VtrTransform     *self,
                                     VkCommandBuffer   to,
                                     VtrCommand       *command,
                                     GError          **error);

G_END_DECLS
