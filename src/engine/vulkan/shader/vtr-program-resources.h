/* Which descriptors the shaders of a program use, and how they access them. */
#pragma once

#include "engine/shader/vtr-spirv.h"
#include "engine/vulkan/state/vtr-state.h"

G_BEGIN_DECLS

/**
 * VtrProgramResources:
 *
 * Reads the SPIR-V of programs and remembers it, each shader module once. Threading: one at a time.
 */
typedef struct _VtrProgramResources VtrProgramResources;

VtrProgramResources *vtr_program_resources_new (VtrHistory *history);
void vtr_program_resources_free (VtrProgramResources *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (VtrProgramResources, vtr_program_resources_free)

/* VtrSpirvResource of all stages. NULL: the code of some stage is not in the trace or cannot be read, so that any descriptor may be
   used in any way. (transfer none) (nullable): until @self is freed. */
GArray *vtr_program_resources_get (VtrProgramResources *self,
                                   const VtrProgram    *program);
/* Whether some stage may write to what is bound there. @resources: (nullable): of vtr_program_resources_get (). */
gboolean vtr_resources_may_write (const GArray *resources,
                                  guint32       set,
                                  guint32       binding);

G_END_DECLS
