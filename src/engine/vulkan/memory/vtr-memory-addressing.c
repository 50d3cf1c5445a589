/* Finds shader modules and pipelines that use device addresses: work with them may touch any
 * buffer that has an address. */
#include "engine/vulkan/memory/vtr-memory-objects-private.h"

#define KEY(handle) ((gpointer)(gsize)(handle))
/* SPIR-V: magic number, and the capability PhysicalStorageBufferAddresses. */
#define SPIRV_MAGIC 0x07230203u
#define SPIRV_OP_CAPABILITY 17
#define SPIRV_ADDRESSES 5347

/* Capabilities stand at the front of a module. */
static gboolean
uses_addresses (const guint32 *words,
                gsize          n)
{
  gsize at = 5;

  if (words == NULL || n < 5 || words[0] != SPIRV_MAGIC)
    return FALSE;
  while (at + 1 < n && (words[at] & 0xffff) == SPIRV_OP_CAPABILITY && words[at] >> 16 == 2)
    {
      if (words[at + 1] == SPIRV_ADDRESSES)
        return TRUE;
      at += 2;
    }
  return FALSE;
}

static void
create_module (VtrMemoryObjects                   *self,
               const VtrArgs_vkCreateShaderModule *args)
{
  if (args->pCreateInfo == NULL || args->pShaderModule == NULL)
    return;
  if (uses_addresses (args->pCreateInfo->pCode, args->pCreateInfo->codeSize / 4))
    g_hash_table_add (self->addressing, KEY (*args->pShaderModule));
  else
    g_hash_table_remove (self->addressing, KEY (*args->pShaderModule));
}

static gboolean
stages_use_addresses (VtrMemoryObjects                      *self,
                      const VkPipelineShaderStageCreateInfo *stages,
                      guint32                                n)
{
  for (guint32 i = 0; stages != NULL && i < n; i++)
    {
      const VkShaderModuleCreateInfo *code =
        vtr_api_find_next (stages[i].pNext, VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO);

      if (g_hash_table_contains (self->addressing, KEY (stages[i].module)) ||
          (code != NULL && uses_addresses (code->pCode, code->codeSize / 4)))
        return TRUE;
    }
  return FALSE;
}

static gboolean
libraries_use_addresses (VtrMemoryObjects *self,
                         const void       *next)
{
  const VkPipelineLibraryCreateInfoKHR *libraries =
    vtr_api_find_next (next, VK_STRUCTURE_TYPE_PIPELINE_LIBRARY_CREATE_INFO_KHR);

  for (guint32 i = 0; libraries != NULL && libraries->pLibraries != NULL &&
                      i < libraries->libraryCount;
       i++)
    if (g_hash_table_contains (self->addressing, KEY (libraries->pLibraries[i])))
      return TRUE;
  return FALSE;
}

static void
note_pipeline (VtrMemoryObjects *self,
               VkPipeline        pipeline,
               gboolean          addresses)
{
  if (addresses)
    g_hash_table_add (self->addressing, KEY (pipeline));
  else
    g_hash_table_remove (self->addressing, KEY (pipeline));
}

#ifdef VK_EXT_shader_object
static void
create_shaders (VtrMemoryObjects                 *self,
                const VtrArgs_vkCreateShadersEXT *args)
{
  for (guint32 i = 0; args->pCreateInfos != NULL && args->pShaders != NULL &&
                      i < args->createInfoCount;
       i++)
    {
      const VkShaderCreateInfoEXT *info = &args->pCreateInfos[i];

      /* The effects of the driver's own code are unknown. */
      if (args->pShaders[i] != VK_NULL_HANDLE &&
          (info->codeType != VK_SHADER_CODE_TYPE_SPIRV_EXT ||
           uses_addresses (info->pCode, info->codeSize / 4)))
        g_hash_table_add (self->addressing, KEY (args->pShaders[i]));
      else
        g_hash_table_remove (self->addressing, KEY (args->pShaders[i]));
    }
}
#endif

gboolean
vtr_memory_addressing_wants (VtrCmdId id)
{
  switch (vtr_cmd_canonical (id))
    {
    case VTR_CMD_vkCreateShaderModule:
    case VTR_CMD_vkCreateGraphicsPipelines:
    case VTR_CMD_vkCreateComputePipelines:
    case VTR_CMD_vkCreateRayTracingPipelinesKHR:
#ifdef VK_EXT_shader_object
    case VTR_CMD_vkCreateShadersEXT:
#endif
      return TRUE;
    default:
      return FALSE;
    }
}

void
vtr_memory_addressing_apply (VtrMemoryObjects *self,
                             const VtrCommand *command)
{
  switch (vtr_cmd_canonical (command->id))
    {
    case VTR_CMD_vkCreateShaderModule:
      create_module (self, command->args);
      break;
    case VTR_CMD_vkCreateGraphicsPipelines:
      {
        const VtrArgs_vkCreateGraphicsPipelines *a = command->args;

        for (guint32 i = 0; a->pCreateInfos != NULL && a->pPipelines != NULL &&
                            i < a->createInfoCount;
             i++)
          note_pipeline (self, a->pPipelines[i],
                         stages_use_addresses (self, a->pCreateInfos[i].pStages,
                                               a->pCreateInfos[i].stageCount) ||
                           libraries_use_addresses (self, a->pCreateInfos[i].pNext));
        break;
      }
    case VTR_CMD_vkCreateComputePipelines:
      {
        const VtrArgs_vkCreateComputePipelines *a = command->args;

        for (guint32 i = 0; a->pCreateInfos != NULL && a->pPipelines != NULL &&
                            i < a->createInfoCount;
             i++)
          note_pipeline (self, a->pPipelines[i],
                         stages_use_addresses (self, &a->pCreateInfos[i].stage, 1));
        break;
      }
    case VTR_CMD_vkCreateRayTracingPipelinesKHR:
      {
        const VtrArgs_vkCreateRayTracingPipelinesKHR *a = command->args;

        for (guint32 i = 0; a->pCreateInfos != NULL && a->pPipelines != NULL &&
                            i < a->createInfoCount;
             i++)
          note_pipeline (self, a->pPipelines[i],
                         stages_use_addresses (self, a->pCreateInfos[i].pStages,
                                               a->pCreateInfos[i].stageCount));
        break;
      }
#ifdef VK_EXT_shader_object
    case VTR_CMD_vkCreateShadersEXT:
      create_shaders (self, command->args);
      break;
#endif
    default:
      break;
    }
}
