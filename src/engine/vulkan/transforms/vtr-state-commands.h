/* Which commands of a recording set the state again that it has at one of them. */
#pragma once

#include "engine/format/vtr-command.h"
#include "engine/vulkan/state/vtr-state.h"
#include "engine/vulkan/transforms/vtr-cut-copy.h"

G_BEGIN_DECLS

/**
 * VtrStateCommands:
 *
 * Follows a recording from its begin on. Of commands that overwrite the same state the last is kept,
 * in order: recording those gives each piece of state its last value again. That two commands
 * overwrite the same state is known of common ones by their parameters; of others when they are equal.
 * Threading: one at a time.
 */
typedef struct _VtrStateCommands VtrStateCommands;

VtrStateCommands *vtr_state_commands_new (void);
VtrStateCommands *vtr_state_commands_copy (const VtrStateCommands *self);
void vtr_state_commands_free (VtrStateCommands *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (VtrStateCommands, vtr_state_commands_free)

/* The next command of the recording. */
void vtr_state_commands_add (VtrStateCommands *self,
                             const VtrCommand *command);

/* Whether a copy of the recording can begin after the last command: not while a query, conditional
 * rendering or transform feedback is active, nor after a command that is not known. */
gboolean vtr_state_commands_is_complete (const VtrStateCommands *self);

/* Whether the copy may begin inside the pass that is open there, if one is. The copy begins that pass again, so FALSE for a
 * render pass with resolves and more than one subpass, which would resolve twice. */
gboolean vtr_state_commands_may_begin_again (const VtrStateCommands *self,
                                             VtrBoundWalker         *walker,
                                             VtrHistory             *history);

/* Where that is. */
void vtr_state_commands_get_start (const VtrStateCommands *self,
                                   VtrCutStart            *out);

/* Flat indices, ascending: the begin of the pass and of open debug labels are among them. (transfer
 * full) */
GArray *vtr_state_commands_list (const VtrStateCommands *self);

G_END_DECLS
