/* Reads options such as "41=new.frag": the code of a file replaces a shader of the trace. */
#pragma once

#include "engine/shader/vtr-shader-code.h"

G_BEGIN_DECLS

/**
 * vtr_shader_option_read:
 * @option: OBJECT=FILE; OBJECT is "41", "41.2" (the third stage of a pipeline that carries its code
 *   itself) or "0x55…", the module last known by that handle; FILE is SPIR-V, GLSL or assembly
 * @object, @stage: (out): of vtr_picture_edit_check_shader ()
 *
 * Blocks: compiles. Errors: VTR_RESOLVE_ERROR_PATH; those of vtr_shader_compile_file(), after the
 * name of the file. (transfer full) */
GBytes *vtr_shader_option_read (VtrHistory    *history,
                                const char    *option,
                                guint32       *object,
                                guint32       *stage,
                                GCancellable  *cancellable,
                                GError       **error);

G_END_DECLS
