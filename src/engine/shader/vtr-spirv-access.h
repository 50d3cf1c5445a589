/* Finds the variables that a SPIR-V module may write to. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * VtrSpirvAccess:
 *
 * Reads the instructions of a module in their order. A variable cannot be written if it, or all of its block, is NonWritable,
 * or if every access chain of the functions that begins at it leads to a NonWritable member. What is not understood counts as
 * written. Hostile modules may get a wrong answer, never a crash.
 *
 * Source: SPIR-V specification 1.6, chapters 2.16 (logical addressing) and 3.20 (decorations). Threading: one at a time.
 */
typedef struct _VtrSpirvAccess VtrSpirvAccess;

/* @bound: ids are below it. */
VtrSpirvAccess *vtr_spirv_access_new (guint32 bound);
void vtr_spirv_access_free (VtrSpirvAccess *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (VtrSpirvAccess, vtr_spirv_access_free)

/* @operands: the @n words behind the first one of the instruction. */
void vtr_spirv_access_read (VtrSpirvAccess *self,
                            guint32         opcode,
                            const guint32  *operands,
                            gsize           n);
/* @variable: an id. Once all instructions were read. */
gboolean vtr_spirv_access_may_write (VtrSpirvAccess *self,
                                     guint32         variable);

G_END_DECLS
