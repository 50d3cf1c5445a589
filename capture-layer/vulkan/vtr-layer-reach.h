/* The resources that the shaders of a command buffer may write to although no command names
 * them: through bound descriptor sets and through pushed descriptors.
 *
 * Collected while a command buffer is recorded, by every command that can name a descriptor set
 * or a descriptor (gen/emit_trampolines.py finds them in the registry). Used where a recording
 * can begin at any frame: to copy contents before a submission changes them (vtr-layer-late.h),
 * and to know at the start of the recording what the last frames wrote to.
 *
 * Threading: with its owner. */
#pragma once

#include "vtr-layer-members.h"

typedef struct VtrLayerCommandBuffer VtrLayerCommandBuffer;

void vtr_layer_reach_clear (VtrLayerReach *self);
void vtr_layer_reach_finish (VtrLayerReach *self);

/* Adds all that @from has. Without memory vtr_layer_live_fail() says so, as for everything else here. */
void vtr_layer_reach_append (VtrLayerReach       *self,
                             const VtrLayerReach *from);

/* Adds what @cmd (canonical) binds or pushes. */
void vtr_layer_note_descriptors (VtrLayerCommandBuffer *self,
                                 VtrCmdId               cmd,
                                 const void            *args);
