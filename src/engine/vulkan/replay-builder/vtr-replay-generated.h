/* Replays of commands that the device generates, which never preprocess on their own.
 *
 * What vkCmdPreprocessGeneratedCommands has left in memory is the driver's own, and may have been made
 * before a recording began in the middle of a run, or before the place that a request goes on from. A
 * program must not change what generated commands are made from between preprocessing and execution,
 * so a replay leaves preprocessing to the execution: layouts lose the flag that asks for it. */
#pragma once

#include "engine/format/vtr-command.h"
#include "engine/vulkan/replay-builder/vtr-vulkan-builder.h"

G_BEGIN_DECLS

/* For the table of vtr-replay-custom.c. Errors: those of the send function. */
gboolean vtr_replay_custom_create_commands_layout (VtrReplayBuilder  *self,
                                                   const VtrCommand  *command,
                                                   GError           **error);
gboolean vtr_replay_custom_execute_generated (VtrReplayBuilder  *self,
                                              const VtrCommand  *command,
                                              GError           **error);

G_END_DECLS
