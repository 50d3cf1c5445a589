/* One shader of a trace: its module, entry point and specialization, and the shader tool's
 * output for it. */
#pragma once

#include "engine/shader/vtr-spirv.h"
#include "engine/vulkan/state/vtr-state.h"

G_BEGIN_DECLS

/* VtrShaderCode.nth of a module by itself. */
#define VTR_SHADER_MODULE G_MAXUINT32

/**
 * VtrShaderCode:
 *
 * A shader module by itself, or a stage of a pipeline: the module it names or carries, with the
 * constants specialized. Threading: any (immutable).
 */
typedef struct
{
  guint32 object;              /* id of the VkShaderModule, the VkShaderEXT or the VkPipeline */
  guint32 nth;                 /* stage of the pipeline, those from its libraries included; or VTR_SHADER_MODULE */
  guint32 module;              /* id of the VkShaderModule; 0: the stage carries its code itself */
  VkShaderStageFlagBits stage; /* of the pipeline's stage; a module: of its first entry point */
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

/* The code that a pipeline's stage runs, unspecialized. *@module: id of the module, 0: carried in
   the pNext chain. @created: flat index of the pipeline's creation. (transfer full) */
GBytes *vtr_shader_code_of_stage (VtrHistory                             *history,
                                  const VkPipelineShaderStageCreateInfo  *stage,
                                  guint64                                 created,
                                  guint32                                *module,
                                  GError                                **error);
/* The SPIR-V of a VkShaderModule or VkShaderEXT. (transfer full) */
GBytes *vtr_shader_code_of_object (VtrHistory       *history,
                                   const VtrObject  *object,
                                   GError          **error);

/* "vertex", "raygen", …: a VkShaderStageFlagBits as it stands in paths; "" for none. */
const char *vtr_shader_stage_word (VkShaderStageFlagBits stage);
/* The same in words for people: "Vertex", "Ray generation". Translated. */
const char *vtr_shader_stage_label (VkShaderStageFlagBits stage);

/* Runs vitrine-shader-tool (see vtr-shader-tool.c for @verb) on @input. Blocks. @entry NULL,
   @stage 0: any. Errors: UNSUPPORTED with the compiler's own words; TOOL when it died of the module,
   took too long or cannot be started; cancellation. (transfer full) */
GBytes *vtr_shader_run_tool (const char             *verb,
                             GBytes                 *input,
                             VkShaderStageFlagBits   stage,
                             const char             *entry,
                             GCancellable           *cancellable,
                             GError                **error);

G_END_DECLS
