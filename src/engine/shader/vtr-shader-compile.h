/* Compiles shader source to SPIR-V: GLSL with an installed compiler, assembly with the shader
 * tool. */
#pragma once

#include "engine/shader/vtr-shader-stage.h"
#include "engine/shader/vtr-spirv.h"

G_BEGIN_DECLS

typedef enum
{
  VTR_SHADER_TEXT_GLSL,
  VTR_SHADER_TEXT_ASSEMBLY,
} VtrShaderTextKind;

/**
 * vtr_shader_compile:
 * @text: UTF-8
 * @stage: GLSL: the stage to compile for
 * @like: (nullable): the module that it is to replace: gives the version of SPIR-V and the entry
 * point
 * @line: (out) (optional): of the first complaint, from 1; 0: none is known
 *
 * Blocks; starts glslangValidator or glslc for GLSL. Errors: VTR_SHADER_ERROR_UNSUPPORTED with the
 * compiler's words, VTR_SHADER_ERROR_TOOL when there is none; cancellation. (transfer full)
 */
GBytes *vtr_shader_compile (VtrShaderTextKind   kind,
                            GBytes             *text,
                            VtrShaderStage      stage,
                            VtrSpirv           *like,
                            guint              *line,
                            GCancellable       *cancellable,
                            GError            **error);

/* Compiles the file at @path by its contents: SPIR-V as it is, text that begins like assembly, else
 * GLSL. The same errors and those of reading. (transfer full) */
GBytes *vtr_shader_compile_file (const char      *path,
                                 VtrShaderStage   stage,
                                 VtrSpirv        *like,
                                 GCancellable    *cancellable,
                                 GError         **error);

G_END_DECLS
