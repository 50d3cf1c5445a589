/* Finds the SPIR-V, entry point and specialization constants of one shader of Vulkan. */
#include "engine/vulkan/shader/vtr-shader-modules.h"

#include "api/vtr-api-args.h"

#include <glib/gi18n.h>

/* A stage of Vulkan is one of the engine. */
#define SAME(stage, bit) \
  G_STATIC_ASSERT ((guint)VTR_SHADER_STAGE_##stage == (guint)VK_SHADER_STAGE_##bit)
SAME (VERTEX, VERTEX_BIT);
SAME (TESSELLATION_CONTROL, TESSELLATION_CONTROL_BIT);
SAME (TESSELLATION_EVALUATION, TESSELLATION_EVALUATION_BIT);
SAME (GEOMETRY, GEOMETRY_BIT);
SAME (FRAGMENT, FRAGMENT_BIT);
SAME (COMPUTE, COMPUTE_BIT);
SAME (TASK, TASK_BIT_EXT);
SAME (MESH, MESH_BIT_EXT);
SAME (RAYGEN, RAYGEN_BIT_KHR);
SAME (ANY_HIT, ANY_HIT_BIT_KHR);
SAME (CLOSEST_HIT, CLOSEST_HIT_BIT_KHR);
SAME (MISS, MISS_BIT_KHR);
SAME (INTERSECTION, INTERSECTION_BIT_KHR);
SAME (CALLABLE, CALLABLE_BIT_KHR);
SAME (SUBPASS, SUBPASS_SHADING_BIT_HUAWEI);
#undef SAME

/* --- Code ------------------------------------------------------------------------------------ */

static GBytes *
take_code (const guint32 *words, gsize size, GError **error)
{
  if (words != NULL && size > 0)
    return g_bytes_new (words, size);
  g_set_error_literal (error, VTR_SHADER_ERROR, VTR_SHADER_ERROR_DAMAGED,
                       _ ("The trace does not contain the code of this shader."));
  return NULL;
}

GBytes *
vtr_shader_code_of_object (VtrHistory *history, const VtrObject *object, GError **error)
{
  VtrCommand command;
  VtrArena arena;
  GBytes *code = NULL;

  vtr_arena_init (&arena);
  if (!vtr_history_decode_creation (history, object, &arena, &command, error))
    {
      vtr_arena_finish (&arena);
      return NULL;
    }
  if (command.id == VTR_CMD_vkCreateShaderModule)
    {
      const VtrArgs_vkCreateShaderModule *args = command.args;

      code = args->pCreateInfo != NULL
               ? take_code (args->pCreateInfo->pCode, args->pCreateInfo->codeSize, error)
               : take_code (NULL, 0, error);
    }
#ifdef VK_EXT_shader_object
  else if (command.id == VTR_CMD_vkCreateShadersEXT)
    {
      const VtrArgs_vkCreateShadersEXT *args = command.args;
      const VkShaderCreateInfoEXT *info =
        args->pCreateInfos != NULL && object->element < args->createInfoCount
          ? &args->pCreateInfos[object->element]
          : NULL;

      if (info != NULL && info->codeType == VK_SHADER_CODE_TYPE_SPIRV_EXT)
        code = take_code (info->pCode, info->codeSize, error);
      else
        g_set_error_literal (error, VTR_SHADER_ERROR, VTR_SHADER_ERROR_UNSUPPORTED,
                             _ ("The program created this shader from the driver's own binary "
                                "code, not from SPIR-V."));
    }
#endif
  else
    g_set_error_literal (error, VTR_SHADER_ERROR, VTR_SHADER_ERROR_UNSUPPORTED,
                         _ ("This object is not a shader."));
  vtr_arena_finish (&arena);
  return code;
}

GBytes *
vtr_shader_code_of_stage (VtrHistory                             *history,
                          const VkPipelineShaderStageCreateInfo  *stage,
                          guint64                                 created,
                          guint32                                *module,
                          GError                                **error)
{
  const VkShaderModuleCreateInfo *carried =
    vtr_api_find_next (stage->pNext, VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO);

  *module = 0;
  if (stage->module != VK_NULL_HANDLE)
    {
      const VtrObject *object =
        vtr_history_find (history,
                          vtr_vulkan_identity (VTR_HANDLE_VkShaderModule, (guint64)stage->module),
                          created);

      if (object != NULL)
        {
          *module = object->id;
          return vtr_shader_code_of_object (history, object, error);
        }
    }
  else if (carried != NULL)
    return take_code (carried->pCode, carried->codeSize, error);
  else if (vtr_api_find_next (
             stage->pNext,
             VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_MODULE_IDENTIFIER_CREATE_INFO_EXT) != NULL)
    {
      g_set_error_literal (error, VTR_SHADER_ERROR, VTR_SHADER_ERROR_UNSUPPORTED,
                           _ ("The program loaded this shader from the driver's cache by its "
                              "identifier, so its code is not in the trace."));
      return NULL;
    }
  return take_code (NULL, 0, error);
}

GBytes *
vtr_shader_code_specialize (GBytes *code, const VkSpecializationInfo *info)
{
  g_autoptr (GArray) values = g_array_new (FALSE, FALSE, sizeof (VtrSpirvValue));

  for (guint32 i = 0; info != NULL && info->pMapEntries != NULL && info->pData != NULL &&
                      i < info->mapEntryCount;
       i++)
    {
      const VkSpecializationMapEntry *entry = &info->pMapEntries[i];
      const VtrSpirvValue value = { entry->constantID, entry->size,
                                    (const guint8 *)info->pData + entry->offset };

      if (entry->offset <= info->dataSize && entry->size <= info->dataSize - entry->offset)
        g_array_append_val (values, value);
    }
  return vtr_spirv_specialize (code, (const VtrSpirvValue *)(gconstpointer)values->data,
                               values->len);
}

static VtrShaderCode *
finish (VtrShaderCode *self, GError **error)
{
  self->spirv = self->code != NULL ? vtr_spirv_new (self->code, error) : NULL;
  if (self->spirv != NULL)
    return self;
  vtr_shader_code_free (self);
  return NULL;
}

static VtrShaderCode *
load_stage (VtrHistory *history, const VtrObject *object, guint32 nth, GError **error)
{
  VtrShaderCode *self = g_new0 (VtrShaderCode, 1);
  g_autoptr (GBytes) plain = NULL;
  VtrPipelineInfo info;
  VtrArena arena;

  self->object = object->id;
  self->nth = nth;
  vtr_arena_init (&arena);
  if (vtr_history_get_pipeline_info (history, object, &arena, &info, error))
    {
      if (nth < info.n_stages || info.is_shader)
        {
          const VkPipelineShaderStageCreateInfo *stage = &info.stages[info.is_shader ? 0 : nth];

          self->stage = (VtrShaderStage)stage->stage;
          self->entry = g_utf8_make_valid (stage->pName != NULL ? stage->pName : "", -1);
          plain = info.is_shader
                    ? vtr_shader_code_of_object (history, object, error)
                    : vtr_shader_code_of_stage (history, stage, object->created, &self->module,
                                                error);
          if (plain != NULL)
            self->code = vtr_shader_code_specialize (plain, stage->pSpecializationInfo);
        }
      else
        g_set_error (error, VTR_SHADER_ERROR, VTR_SHADER_ERROR_UNSUPPORTED,
                     _ ("This pipeline has %u stages."), info.n_stages);
    }
  vtr_arena_finish (&arena);
  return finish (self, error);
}

/* They name their entry point and constants themselves. */
static gboolean
is_shader_object (const VtrObject *object)
{
#ifdef VK_EXT_shader_object
  return object->type == VTR_HANDLE_VkShaderEXT;
#else
  (void)object;
  return FALSE;
#endif
}

VtrShaderCode *
vtr_vulkan_load_code (VtrHistory *history, const VtrObject *object, guint32 nth, GError **error)
{
  VtrShaderCode *self;
  const VtrSpirvEntry *entry;

  if (nth != VTR_SHADER_MODULE || is_shader_object (object))
    return load_stage (history, object, nth, error);
  self = g_new0 (VtrShaderCode, 1);
  self->object = self->module = object->id;
  self->nth = nth;
  self->code = vtr_shader_code_of_object (history, object, error);
  self = finish (self, error);
  if (self == NULL)
    return NULL;
  entry = vtr_spirv_find_entry (self->spirv, NULL, 0);
  self->stage = entry != NULL ? entry->stage : 0;
  self->entry = g_strdup (entry != NULL ? entry->name : "");
  return self;
}
