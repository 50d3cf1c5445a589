/* Finds the commands of a recording that have to be recorded again to restore its state at one command. */
#pragma once

#include "engine/format/vtr-command.h"
#include "engine/vulkan/state/vtr-state.h"
#include "engine/vulkan/transforms/vtr-cut-copy.h"

G_BEGIN_DECLS

/**
 * VtrStateCommands:
 *
 * Follows a recording from its beginning. Of several commands that set the same state, only the last one is
 * kept, so recording the kept commands in order restores the last value of all state. Common commands are
 * compared by the parameters that select the state; other commands set the same state if all their
 * parameters are equal. Threading: one at a time.
 */
typedef struct _VtrStateCommands VtrStateCommands;

VtrStateCommands *vtr_state_commands_new (void);
VtrStateCommands *vtr_state_commands_copy (const VtrStateCommands *self);
void vtr_state_commands_free (VtrStateCommands *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (VtrStateCommands, vtr_state_commands_free)

/* Adds the next command of the recording. */
void vtr_state_commands_add (VtrStateCommands *self,
                             const VtrCommand *command);

/* Whether a copy of the recording can begin after the last command. It cannot while a query, conditional rendering or
 * transform feedback is active, nor after a command whose effect is unknown. */
gboolean vtr_state_commands_is_complete (const VtrStateCommands *self);

/* Whether the copy may begin inside the pass that is open there. The copy begins the pass again, so a render pass with several
 * subpasses and resolves is not allowed: it would resolve twice. TRUE if no pass is open. */
gboolean vtr_state_commands_may_begin_again (const VtrStateCommands *self,
                                             VtrBoundWalker         *walker,
                                             VtrHistory             *history);

/* The place after the last command. */
void vtr_state_commands_get_start (const VtrStateCommands *self,
                                   VtrCutStart            *out);

/* The kept commands, including the beginning of the pass and of open debug labels. Returns: (transfer full): GArray of flat
 * indices (guint64), ascending. */
GArray *vtr_state_commands_list (const VtrStateCommands *self);

G_END_DECLS
