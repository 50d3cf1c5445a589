/* The whole API state at a command: every living object with what has changed in it since it was
   made (docs/design/state.md). */
#pragma once

#include "engine/state/vtr-history.h"
#include "engine/state/vtr-timeline.h"

G_BEGIN_DECLS

/**
 * VtrApiState:
 *
 * What the API's objects were after one command. Objects are those of VtrHistory; this adds what
 * changed in them beyond their creation. Threading: any (immutable). Atomically reference-counted.
 */
typedef struct _VtrApiState VtrApiState;

VtrApiState *vtr_api_state_ref (VtrApiState *self);
void vtr_api_state_unref (VtrApiState *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (VtrApiState, vtr_api_state_unref)

/* The command it is after, and the run of that command's recording (VTR_NO_RUN: the command
   is not inside a command list, or the list never ran). */
guint64 vtr_api_state_get_index (VtrApiState *self);
guint32 vtr_api_state_get_run (VtrApiState *self);
VtrHistory *vtr_api_state_get_history (VtrApiState *self);
VtrTimeline *vtr_api_state_get_timeline (VtrApiState *self);
/* The object lives: was made at or before the command and not ended by then. */
gboolean vtr_api_state_is_alive (VtrApiState *self,
                                 guint32      id);
/* The command made @id, or changed something in it. */
gboolean vtr_api_state_is_changed (VtrApiState *self,
                                   guint32      id);

G_END_DECLS
