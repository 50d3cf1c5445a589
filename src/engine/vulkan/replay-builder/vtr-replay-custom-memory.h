/* Where memory, buffers and images of a replay lie. */
#pragma once

#include "engine/format/vtr-command.h"
#include "engine/vulkan/replay-builder/vtr-vulkan-builder.h"

G_BEGIN_DECLS

/* For the table of vtr-replay-custom.c. Errors: those of the send function. */
gboolean vtr_replay_custom_get_address (VtrReplayBuilder *self, const VtrCommand *command, GError **error);
gboolean vtr_replay_custom_get_structure_address (VtrReplayBuilder *self, const VtrCommand *command, GError **error);
gboolean vtr_replay_custom_allocate_memory (VtrReplayBuilder *self, const VtrCommand *command, GError **error);
gboolean vtr_replay_custom_bind_buffer (VtrReplayBuilder *self, const VtrCommand *command, GError **error);
gboolean vtr_replay_custom_bind_buffers (VtrReplayBuilder *self, const VtrCommand *command, GError **error);
gboolean vtr_replay_custom_create_buffer (VtrReplayBuilder *self, const VtrCommand *command, GError **error);
gboolean vtr_replay_custom_create_image (VtrReplayBuilder *self, const VtrCommand *command, GError **error);

G_END_DECLS
