/* Makes a fragment shader write a constant to one more output: Vitrine counts fragments with it. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * vtr_spirv_add_output:
 * @code: (nullable): a module; NULL: a fragment shader "main" that does nothing
 * @entry: its fragment entry point
 *
 * As its first deed the entry point writes @value to a new output at @location, one float. What the
 * shader discards is not written, and when tests take place does not change. An output that it has
 * there already becomes a private variable: it is for an attachment that the pass does not have.
 * SPIR-V 1.6, chapters 2 and 3. Errors: VTR_SHADER_ERROR_UNSUPPORTED, when that output is part of an
 * array or given to a function, or there is no such entry point. (transfer full) Threading: any.
 */
GBytes *vtr_spirv_add_output (GBytes      *code,
                              const char  *entry,
                              guint32      location,
                              float        value,
                              GError     **error);

G_END_DECLS
