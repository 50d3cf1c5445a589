/* The shader tool's answers about one module. */
#pragma once

#include "engine/shader/vtr-shader-stage.h"

#include <gio/gio.h>

G_BEGIN_DECLS

/* Runs vitrine-shader-tool (see vtr-shader-tool.c for @verb) on @input. Blocks. @entry NULL,
   @stage 0: any. Errors: UNSUPPORTED with the compiler's own words; TOOL when it died of the module,
   took too long or cannot be started; cancellation. (transfer full) */
GBytes *vtr_shader_run_tool (const char      *verb,
                             GBytes          *input,
                             VtrShaderStage   stage,
                             const char      *entry,
                             GCancellable    *cancellable,
                             GError         **error);

G_END_DECLS
