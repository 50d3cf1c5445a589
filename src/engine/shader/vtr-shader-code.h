/* One shader of a trace: its module, entry point and specialization. */
#pragma once

#include "engine/shader/vtr-shader-stage.h"
#include "engine/shader/vtr-spirv.h"
#include "engine/state/vtr-history.h"

G_BEGIN_DECLS

/* VtrShaderCode.nth of a module by itself. */
#define VTR_SHADER_MODULE G_MAXUINT32

/**
 * VtrShaderCode:
 *
 * A shader module by itself, or a stage of a pipeline: the module it names or carries, with the
 * constants specialized. Threading: any (immutable).
 */
typedef struct _VtrShaderCode
{
  guint32 object;       /* id of the module, of the shader object or of the pipeline */
  guint32 nth;          /* stage of the pipeline, those from its libraries included; or VTR_SHADER_MODULE */
  guint32 module;       /* id of the module; 0: the stage carries its code itself */
  VtrShaderStage stage; /* of the pipeline's stage; a module: of its first entry point */
  char *entry;
  GBytes *code; /* SPIR-V, specialized */
  VtrSpirv *spirv;
} VtrShaderCode;

/* Errors: DAMAGED and others of the trace; of VTR_SHADER_ERROR. */
VtrShaderCode *vtr_shader_code_load (VtrHistory  *history,
                                     guint32      object,
                                     guint32      nth,
                                     GError     **error);
void vtr_shader_code_free (VtrShaderCode *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (VtrShaderCode, vtr_shader_code_free)

G_END_DECLS
