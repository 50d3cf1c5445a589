/* The types that the shaders of a program declare for bound memory. */
#pragma once

#include "engine/vulkan/state/vtr-state.h"

G_BEGIN_DECLS

/**
 * VtrMemoryBlocks:
 *
 * Threading: any (immutable). Atomically reference-counted.
 */
typedef struct _VtrMemoryBlocks VtrMemoryBlocks;

/* Stages whose code is not in the trace, or cannot be read, are left out. */
VtrMemoryBlocks *vtr_memory_blocks_new (VtrHistory       *history,
                                        const VtrProgram *program);
VtrMemoryBlocks *vtr_memory_blocks_ref (VtrMemoryBlocks *self);
void vtr_memory_blocks_unref (VtrMemoryBlocks *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (VtrMemoryBlocks, vtr_memory_blocks_unref)

/* vtr_program_hash() of the program. */
guint64 vtr_memory_blocks_get_program (const VtrMemoryBlocks *self);

/* The types of a uniform or storage buffer, as vtr_memory_type_parse() reads them: several where
   variables share the binding, those of the stage with the largest where stages differ. @stages:
   (out): those that declare it. (transfer full) (nullable) */
char **vtr_memory_blocks_describe (VtrMemoryBlocks    *self,
                                   guint32             set,
                                   guint32             binding,
                                   VkShaderStageFlags *stages);

/* Whether a stage can write to the memory that is bound there. TRUE: also if not all of the code is
 * known. */
gboolean vtr_memory_blocks_may_write (VtrMemoryBlocks *self,
                                      guint32          set,
                                      guint32          binding);

/* The type of the push constants from byte @first on, @size of them, in the first of @stages that
   has any. Members count from @first. (transfer full) (nullable) */
char *vtr_memory_blocks_describe_push_constants (VtrMemoryBlocks    *self,
                                                 VkShaderStageFlags  stages,
                                                 guint32             first,
                                                 guint32             size);

G_END_DECLS
