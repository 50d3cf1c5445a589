/* The whole API state at a command: every living object with its changes since its creation
   (docs/design/state.md). */
#pragma once

#include "engine/state/vtr-history.h"
#include "engine/state/vtr-timeline.h"

G_BEGIN_DECLS

/**
 * VtrApiState:
 *
 * The state of the API's objects after one command. Objects are those of VtrHistory; this adds
 * their changes since their creation. Threading: any (immutable). Atomically reference-counted.
 */
typedef struct _VtrApiState VtrApiState;

VtrApiState *vtr_api_state_ref (VtrApiState *self);
void vtr_api_state_unref (VtrApiState *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (VtrApiState, vtr_api_state_unref)

/* The command after which the state holds, and the run of that command's recording (VTR_NO_RUN: the
   command is not inside a command list, or the list never ran). */
guint64 vtr_api_state_get_index (VtrApiState *self);
guint32 vtr_api_state_get_run (VtrApiState *self);
VtrHistory *vtr_api_state_get_history (VtrApiState *self);
VtrTimeline *vtr_api_state_get_timeline (VtrApiState *self);
/* Whether the object is alive: created at or before the command, and not destroyed by then. */
gboolean vtr_api_state_is_alive (VtrApiState *self,
                                 guint32      id);
/* Whether the command created @id or changed it. */
gboolean vtr_api_state_is_changed (VtrApiState *self,
                                   guint32      id);

G_END_DECLS
