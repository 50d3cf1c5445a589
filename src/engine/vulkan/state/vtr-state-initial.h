/* Records as objects start out. */
#pragma once

#include "engine/vulkan/state/vtr-vulkan-records.h"

G_BEGIN_DECLS

/* Fills the zeroed @record of @object with what its creation says. */
void vtr_state_initial_fill (VtrStateFacts   *facts,
                             const VtrObject *object,
                             VtrStateRecord  *record);

G_END_DECLS
