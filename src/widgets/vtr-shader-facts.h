/* One line of facts about a shader. */
#pragma once

#include "engine/model/vtr-shader-list.h"

G_BEGIN_DECLS

/* "Used by pipeline 40 (60), pipeline 41 (2) and 3 more · 1.6 kB · SPIR-V 1.0 · glslang", with
 * links to the
 * pipelines; Pango markup. (transfer full) Threading: main. */
char *vtr_shader_dup_facts (VtrShader  *self,
                            VtrHistory *history);

G_END_DECLS
