/* The code of shader modules, shader objects and stages of pipelines. Threading: any. */
#pragma once

#include "engine/shader/vtr-shader-code.h"
#include "engine/vulkan/state/vtr-state.h"
#include "vulkan/vtr-vulkan.h"

G_BEGIN_DECLS

/* VtrShowApi.load_code */
VtrShaderCode *vtr_vulkan_load_code (VtrHistory       *history,
                                     const VtrObject  *object,
                                     guint32           nth,
                                     GError          **error);

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
/* @code with the constants that the pipeline sets. (transfer full) */
GBytes *vtr_shader_code_specialize (GBytes                     *code,
                                    const VkSpecializationInfo *info);

G_END_DECLS
