/* What the driver said of objects in the capture is given back to it where they are made again, on the
 * same device (replayer/vulkan/vtr-opaque.h). */
#pragma once

#include "engine/format/vtr-command.h"
#include "engine/vulkan/replay-builder/vtr-vulkan-builder.h"

G_BEGIN_DECLS

/* The memory, buffer or structure that is made next is to get back what the driver called its
 * address. @told: what the program was told of it later; 0: nothing. Returns: whether the trace has
 * that, and this is the device that gave it. */
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
