/* Makes the state of new objects from the commands that created them. Threading: any. */
#pragma once

#include "engine/vulkan/state/vtr-vulkan-records.h"

G_BEGIN_DECLS

/* Fills the zeroed @record with the state in which @object is created. */
void vtr_state_initial_fill (VtrStateFacts   *facts,
                             const VtrObject *object,
                             VtrStateRecord  *record);

G_END_DECLS
