/* What transforms of Vulkan share: readings, and commands that are recorded elsewhere. */
#pragma once

#include "engine/replay-builder/vtr-transform.h"
#include "engine/vulkan/replay-builder/vtr-vulkan-builder.h"
#include "engine/vulkan/state/vtr-state.h"

G_BEGIN_DECLS

/* Like vtr_transform_command (), for a command that is recorded, into another command buffer. @command is as before when
 * this returns. */
gboolean vtr_transform_command_into (VtrTransform     *self,
                                     VkCommandBuffer   to,
                                     VtrCommand       *command,
                                     GError          **error);

G_END_DECLS
