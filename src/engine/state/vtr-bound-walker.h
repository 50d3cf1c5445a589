/* What commands find bound, asked again and again (S6 of src/engine/api/vtr-state-api.h). */
#pragma once

#include "engine/state/vtr-history.h"
#include "engine/state/vtr-timeline.h"

G_BEGIN_DECLS

/**
 * VtrBoundWalker:
 *
 * Holds what each API needs to answer what a command of a trace finds bound. What the answer is, only the API knows: its
 * functions ask for their part. Threading: any; the parts lock inside.
 */
typedef struct _VtrBoundWalker VtrBoundWalker;

VtrBoundWalker *vtr_bound_walker_new (VtrTimeline *timeline,
                                      VtrHistory  *history);
void vtr_bound_walker_free (VtrBoundWalker *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (VtrBoundWalker, vtr_bound_walker_free)
/* (transfer none) */
VtrTimeline *vtr_bound_walker_get_timeline (VtrBoundWalker *self);
/* What the API of @id keeps in it (VtrStateApi.walker_new); NULL: nothing. */
gpointer vtr_bound_walker_get_part (VtrBoundWalker *self,
                                    guint32         id);

G_END_DECLS
