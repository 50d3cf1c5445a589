/* Buffer blocks and push constants of a SPIR-V module, as types of memory. */
#pragma once

#include <gio/gio.h>
#include <vulkan/vulkan.h>

G_BEGIN_DECLS

/**
 * VtrSpirvBlocks:
 *
 * Reads offsets, strides and names from a module's decorations. What it returns can be parsed by
 * vtr_memory_type_parse(), whatever the layout: all members say where they are. Names keep letters,
 * digits and underscores. Lengths that are specialization constants have the value that the code has
 * (see vtr_spirv_specialize()). Hostile modules give nonsense or nothing, never a crash.
 *
 * Source: SPIR-V specification 1.6, chapters 2.16.2 (explicit layout) and 3.20 (decorations).
 * Threading: any (immutable). Atomically reference-counted.
 */
typedef struct _VtrSpirvBlocks VtrSpirvBlocks;

/* Errors: VTR_SHADER_ERROR_DAMAGED. */
VtrSpirvBlocks *vtr_spirv_blocks_new (GBytes  *code,
                                      GError **error);
VtrSpirvBlocks *vtr_spirv_blocks_ref (VtrSpirvBlocks *self);
void vtr_spirv_blocks_unref (VtrSpirvBlocks *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (VtrSpirvBlocks, vtr_spirv_blocks_unref)

/* "block Camera {mat4 view @0; …}" of a uniform or storage buffer, the @nth of those that share the
   binding. @entry: (nullable): if this entry point lists some of them, the others do not count.
   Returns: (transfer full) (nullable): NULL when there is no such buffer, or its type cannot be
   written. */
char *vtr_spirv_blocks_describe (VtrSpirvBlocks *self,
                                 const char     *entry,
                                 guint32         set,
                                 guint32         binding,
                                 guint           nth);
/* Like vtr_spirv_blocks_describe (), for the push constants: members that begin at byte @first or behind it,
 * less than @size bytes away. Their offsets count from @first. */
char *vtr_spirv_blocks_describe_push_constants (VtrSpirvBlocks *self,
                                                const char     *entry,
                                                guint32         first,
                                                guint32         size);

G_END_DECLS
