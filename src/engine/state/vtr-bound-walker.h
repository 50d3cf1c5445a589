/* The bound state at commands, for many requests (S6 of src/engine/api/vtr-state-api.h). */
#pragma once

#include "engine/state/vtr-history.h"
#include "engine/state/vtr-timeline.h"

G_BEGIN_DECLS

/**
 * VtrBoundWalker:
 *
 * Keeps the data that each API needs to find the bound state at a command of a trace. Only the API
 * knows the form of the answer: its functions ask for their part. Threading: any; the parts lock
 * inside.
 */
typedef struct _VtrBoundWalker VtrBoundWalker;

VtrBoundWalker *vtr_bound_walker_new (VtrTimeline *timeline,
                                      VtrHistory  *history);
void vtr_bound_walker_free (VtrBoundWalker *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (VtrBoundWalker, vtr_bound_walker_free)
/* (transfer none) */
VtrTimeline *vtr_bound_walker_get_timeline (VtrBoundWalker *self);
/* The data that the API of @id keeps in it (VtrStateApi.walker_new); NULL: none. */
gpointer vtr_bound_walker_get_part (VtrBoundWalker *self,
                                    guint32         id);

G_END_DECLS
