/* Gives the driver its opaque addresses and handles from the capture when objects are created again
 * on the same device (replayer/vulkan/vtr-opaque.h). */
#pragma once

#include "engine/format/vtr-command.h"
#include "engine/vulkan/replay-builder/vtr-vulkan-builder.h"

G_BEGIN_DECLS

/* The next memory, buffer or structure is created with its captured opaque address. @told: the
 * address that the program got later; 0: none. Returns: whether the trace has the opaque address,
 * and this is the device that gave it. */
gboolean vtr_replay_builder_give_back (VtrReplayBuilder *self,
                                       const VtrCommand *command,
                                       VkDevice          device,
                                       guint64           told);

/* For the table of vtr-replay-custom.c. Errors: those of the send function. */
gboolean vtr_replay_custom_create_structure (VtrReplayBuilder  *self,
                                             const VtrCommand  *command,
                                             GError           **error);
gboolean vtr_replay_custom_create_ray_tracing (VtrReplayBuilder  *self,
                                               const VtrCommand  *command,
                                               GError           **error);

G_END_DECLS
