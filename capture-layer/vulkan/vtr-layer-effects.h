/* The effects of a command buffer on the state that the layer tracks: collected while the
 * command buffer is recorded, and applied each time it is submitted.
 *
 * Threading: with its command buffer. */
#pragma once

#include "vtr-layer-members.h"

void vtr_layer_effects_clear (VtrLayerEffects *self);
void vtr_layer_effects_finish (VtrLayerEffects *self);
