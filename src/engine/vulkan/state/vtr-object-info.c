/* Reads facts about images and pipelines from the commands that created them. */
#include "engine/vulkan/state/vtr-state.h"

#include "api/vtr-api-args.h"
#include "vulkan/vtr-vulkan-facts.h"

#include <glib/gi18n.h>

/* Libraries may be made of libraries; a damaged file could make a loop. */
#define MAX_LIBRARY_DEPTH 8

static gboolean
set_damaged (GError          **error,
             const VtrObject  *object)
{
  g_autofree char *type = vtr_history_describe_type (object->type);

  g_set_error (error, VTR_TRACE_ERROR, VTR_TRACE_ERROR_DAMAGED,
               _ ("The trace does not say how %s %u was created."), type, object->id);
  return FALSE;
}

static void
image_info_from_create (const VkImageCreateInfo *create,
                        VtrImageInfo            *out)
{
  out->type = create->imageType;
  out->format = create->format;
  out->extent = create->extent;
  out->mip_levels = create->mipLevels;
  out->array_layers = create->arrayLayers;
  out->samples = create->samples;
  out->tiling = create->tiling;
  out->usage = create->usage;
  out->flags = create->flags;
}

static void
image_info_from_swapchain (const VkSwapchainCreateInfoKHR *create,
                           VtrImageInfo                   *out)
{
  out->type = VK_IMAGE_TYPE_2D;
  out->format = create->imageFormat;
  out->extent.width = create->imageExtent.width;
  out->extent.height = create->imageExtent.height;
  out->extent.depth = 1;
  out->mip_levels = 1;
  out->array_layers = create->imageArrayLayers;
  out->samples = VK_SAMPLE_COUNT_1_BIT;
  out->tiling = VK_IMAGE_TILING_OPTIMAL;
  out->usage = create->imageUsage;
  out->swapchain = TRUE;
}

static gboolean
is_of_maintenance9 (VtrHistory      *self,
                    const VtrObject *object)
{
  gboolean found = FALSE;
  VtrCommand command;
  VtrArena arena;

  while (object != NULL && object->type != VTR_HANDLE_VkDevice)
    object = object->parent != 0 ? vtr_history_get_object (self, object->parent) : NULL;
  if (object == NULL)
    return FALSE;
  vtr_arena_init (&arena);
  if (vtr_history_decode_creation (self, object, &arena, &command, NULL) &&
      command.id == VTR_CMD_vkCreateDevice)
    {
      const VtrArgs_vkCreateDevice *args = command.args;

      found = args->pCreateInfo != NULL && vtr_device_has_maintenance9 (args->pCreateInfo);
    }
  vtr_arena_finish (&arena);
  return found;
}

gboolean
vtr_history_get_image_info (VtrHistory       *self,
                            const VtrObject  *image,
                            VtrImageInfo     *out,
                            GError          **error)
{
  VtrImageInfo info = { .object = image };
  const VtrObject *source = image;
  VtrCommand command;
  VtrArena arena;
  gboolean found = FALSE;

  if (image->parent != 0 &&
      vtr_history_get_object (self, image->parent)->type == VTR_HANDLE_VkSwapchainKHR)
    source = vtr_history_get_object (self, image->parent);

  vtr_arena_init (&arena);
  if (!vtr_history_decode_creation (self, source, &arena, &command, error))
    {
      vtr_arena_finish (&arena);
      return FALSE;
    }
  switch (vtr_cmd_canonical (command.id))
    {
    case VTR_CMD_vkCreateImage:
      {
        const VtrArgs_vkCreateImage *args = command.args;

        found = args->pCreateInfo != NULL;
        if (found)
          image_info_from_create (args->pCreateInfo, &info);
        break;
      }
    case VTR_CMD_vkCreateSwapchainKHR:
      {
        const VtrArgs_vkCreateSwapchainKHR *args = command.args;

        found = args->pCreateInfo != NULL;
        if (found)
          image_info_from_swapchain (args->pCreateInfo, &info);
        break;
      }
    case VTR_CMD_vkCreateSharedSwapchainsKHR:
      {
        const VtrArgs_vkCreateSharedSwapchainsKHR *args = command.args;

        found = args->pCreateInfos != NULL && source->element < args->swapchainCount;
        if (found)
          image_info_from_swapchain (&args->pCreateInfos[source->element], &info);
        break;
      }
    default:
      break;
    }
  vtr_arena_finish (&arena);
  if (!found)
    return set_damaged (error, image);
  info.slices =
    vtr_image_has_slice_layouts (info.type, info.flags) && is_of_maintenance9 (self, image);
  *out = info;
  return TRUE;
}

/* The states of a graphics pipeline under construction from its own create info and its libraries.
   */
typedef struct
{
  VtrHistory *history;
  VtrArena *arena;
  VkGraphicsPipelineCreateInfo info;
  GArray *stages;  /* of VkPipelineShaderStageCreateInfo */
  GArray *origins; /* of VtrStageOrigin, one each */
  GArray *dynamic; /* of VkDynamicState */
  guint64 layout_named;
  const VkPipelineRenderingCreateInfo *rendering; /* of the part that has the outputs */
  gboolean linked;
  gboolean partial; /* stages of a library are not known */
} VtrPipelineMerge;

#define TAKE(member) \
  if (self->info.member == 0) \
    self->info.member = part->member;

static void
merge_part (VtrPipelineMerge                   *self,
            const VkGraphicsPipelineCreateInfo *part,
            const VtrObject                    *object)
{
  if (part->layout != VK_NULL_HANDLE && self->layout_named == VTR_COMMAND_NO_INDEX)
    self->layout_named = object->created;
  TAKE (pVertexInputState)
  TAKE (pInputAssemblyState)
  TAKE (pTessellationState)
  TAKE (pViewportState)
  TAKE (pRasterizationState)
  TAKE (pMultisampleState)
  TAKE (pDepthStencilState)
  TAKE (pColorBlendState)
  TAKE (layout)
  if (part->renderPass != VK_NULL_HANDLE && self->info.renderPass == VK_NULL_HANDLE)
    {
      self->info.renderPass = part->renderPass;
      self->info.subpass = part->subpass;
    }
  if (part->pStages != NULL)
    g_array_append_vals (self->stages, part->pStages, part->stageCount);
  for (guint32 i = 0; part->pStages != NULL && i < part->stageCount; i++)
    {
      const VtrStageOrigin origin = { object->created, object->element, i };

      g_array_append_val (self->origins, origin);
    }
  if (part->pDynamicState != NULL && part->pDynamicState->pDynamicStates != NULL)
    g_array_append_vals (self->dynamic, part->pDynamicState->pDynamicStates,
                         part->pDynamicState->dynamicStateCount);
}

#undef TAKE

/* The other parts do not have formats. */
static void
merge_rendering (VtrPipelineMerge                   *self,
                 const VkGraphicsPipelineCreateInfo *part)
{
  const VkGraphicsPipelineLibraryCreateInfoEXT *subset = vtr_api_find_next (
    part->pNext, VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_LIBRARY_CREATE_INFO_EXT);
  const VkPipelineRenderingCreateInfo *rendering =
    vtr_api_find_next (part->pNext, VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO);

  if (rendering != NULL &&
      (self->rendering == NULL ||
       (subset != NULL &&
        (subset->flags & VK_GRAPHICS_PIPELINE_LIBRARY_FRAGMENT_OUTPUT_INTERFACE_BIT_EXT) != 0)))
    self->rendering = rendering;
}

/* With a list of libraries in its chain, what came from them would count as ignored. */
static void
replace_chain (VtrPipelineMerge *self)
{
  VkPipelineRenderingCreateInfo *rendering = NULL;

  if (self->rendering != NULL)
    {
      rendering = vtr_arena_memdup (self->arena, self->rendering, sizeof *rendering);
      rendering->pNext = NULL;
    }
  self->info.pNext = rendering;
}

static const VkGraphicsPipelineCreateInfo *
get_graphics_create_info (const VtrCommand *command,
                          guint32           element)
{
  const VtrArgs_vkCreateGraphicsPipelines *args = command->args;

  if (command->id != VTR_CMD_vkCreateGraphicsPipelines || args->pCreateInfos == NULL ||
      element >= args->createInfoCount)
    return NULL;
  return &args->pCreateInfos[element];
}

static void
merge_libraries (VtrPipelineMerge                   *self,
                 const VkGraphicsPipelineCreateInfo *part,
                 guint64                             index,
                 guint                               depth)
{
  const VkPipelineLibraryCreateInfoKHR *libraries =
    vtr_api_find_next (part->pNext, VK_STRUCTURE_TYPE_PIPELINE_LIBRARY_CREATE_INFO_KHR);

  if (libraries == NULL || libraries->libraryCount == 0)
    return;
  if (libraries->pLibraries == NULL || depth >= MAX_LIBRARY_DEPTH)
    {
      self->partial = TRUE;
      return;
    }

  for (guint32 i = 0; i < libraries->libraryCount; i++)
    {
      const VtrObject *library =
        vtr_history_find (self->history,
                          vtr_vulkan_identity (VTR_HANDLE_VkPipeline,
                                               (guint64)libraries->pLibraries[i]),
                          index);
      const VkGraphicsPipelineCreateInfo *info;
      VtrCommand command;

      if (library == NULL || library->created >= index ||
          !vtr_history_decode_creation (self->history, library, self->arena, &command, NULL) ||
          (info = get_graphics_create_info (&command, library->element)) == NULL)
        {
          self->partial = TRUE;
          continue;
        }
      self->linked = TRUE;
      merge_part (self, info, library);
      merge_rendering (self, info);
      merge_libraries (self, info, library->created, depth + 1);
    }
}

static void
merge_graphics (VtrPipelineMerge                   *self,
                const VkGraphicsPipelineCreateInfo *own,
                VtrPipelineInfo                    *out)
{
  VkGraphicsPipelineCreateInfo *merged;
  VkPipelineDynamicStateCreateInfo *dynamic;

  self->info = *own;
  self->stages = g_array_new (FALSE, FALSE, sizeof (VkPipelineShaderStageCreateInfo));
  self->origins = g_array_new (FALSE, FALSE, sizeof (VtrStageOrigin));
  self->dynamic = g_array_new (FALSE, FALSE, sizeof (VkDynamicState));
  self->layout_named = VTR_COMMAND_NO_INDEX;
  merge_part (self, own, out->object);
  merge_rendering (self, own);
  merge_libraries (self, own, out->object->created, 0);

  dynamic = vtr_arena_new (self->arena, VkPipelineDynamicStateCreateInfo);
  dynamic->sType = VK_STRUCTURE_TYPE_PIPELINE_DYNAMIC_STATE_CREATE_INFO;
  dynamic->dynamicStateCount = self->dynamic->len;
  dynamic->pDynamicStates = vtr_arena_memdup (self->arena, self->dynamic->data,
                                              self->dynamic->len * sizeof (VkDynamicState));
  self->info.stageCount = self->stages->len;
  self->info.pStages =
    vtr_arena_memdup (self->arena, self->stages->data,
                      self->stages->len * sizeof (VkPipelineShaderStageCreateInfo));
  self->info.pDynamicState = dynamic;
  if (self->linked && (vtr_pipeline_get_flags (own->pNext, own->flags) &
                       VK_PIPELINE_CREATE_LIBRARY_BIT_KHR) == 0)
    replace_chain (self);
  merged = vtr_arena_memdup (self->arena, &self->info, sizeof self->info);

  out->graphics = merged;
  out->stages = merged->pStages;
  out->n_stages = merged->stageCount;
  out->origins = vtr_arena_memdup (self->arena, self->origins->data,
                                   self->origins->len * sizeof (VtrStageOrigin));
  out->layout = merged->layout;
  out->layout_named = self->layout_named;
  out->partial = self->partial ||
                 vtr_api_find_next (
                   own->pNext,
                   VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_SHADER_GROUPS_CREATE_INFO_NV) != NULL;
  g_array_unref (self->stages);
  g_array_unref (self->origins);
  g_array_unref (self->dynamic);
}

#ifdef VK_EXT_shader_object
/* The stage that a pipeline with this shader would have. */
static gboolean
describe_shader (const VtrCommand *command,
                 VtrArena         *arena,
                 VtrPipelineInfo  *out)
{
  const VtrArgs_vkCreateShadersEXT *args = command->args;
  VkPipelineShaderStageCreateInfo *stage;
  const VkShaderCreateInfoEXT *create;

  if (args->pCreateInfos == NULL || out->object->element >= args->createInfoCount)
    return FALSE;
  create = &args->pCreateInfos[out->object->element];
  stage = vtr_arena_new (arena, VkPipelineShaderStageCreateInfo);
  stage->sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
  stage->stage = create->stage;
  stage->pName = create->pName;
  stage->pSpecializationInfo = create->pSpecializationInfo;
  if (create->codeType == VK_SHADER_CODE_TYPE_SPIRV_EXT)
    {
      VkShaderModuleCreateInfo *code = vtr_arena_new (arena, VkShaderModuleCreateInfo);

      code->sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO;
      code->codeSize = create->codeSize;
      code->pCode = create->pCode;
      stage->pNext = code;
    }
  out->is_shader = TRUE;
  out->bind_point = create->stage == VK_SHADER_STAGE_COMPUTE_BIT
                      ? VK_PIPELINE_BIND_POINT_COMPUTE
                      : VK_PIPELINE_BIND_POINT_GRAPHICS;
  out->stages = stage;
  out->n_stages = 1;
  return TRUE;
}
#endif

gboolean
vtr_history_get_pipeline_info (VtrHistory       *self,
                               const VtrObject  *pipeline,
                               VtrArena         *arena,
                               VtrPipelineInfo  *out,
                               GError          **error)
{
  VtrPipelineInfo info = { .object = pipeline, .layout_named = pipeline->created };
  VtrPipelineMerge merge = { .history = self, .arena = arena };
  VtrCommand command;

  if (!vtr_history_decode_creation (self, pipeline, arena, &command, error))
    return FALSE;

  if (command.id == VTR_CMD_vkCreateGraphicsPipelines)
    {
      const VkGraphicsPipelineCreateInfo *create =
        get_graphics_create_info (&command, pipeline->element);

      if (create == NULL)
        return set_damaged (error, pipeline);
      info.bind_point = VK_PIPELINE_BIND_POINT_GRAPHICS;
      merge_graphics (&merge, create, &info);
    }
  else if (command.id == VTR_CMD_vkCreateComputePipelines)
    {
      const VtrArgs_vkCreateComputePipelines *args = command.args;

      if (args->pCreateInfos == NULL || pipeline->element >= args->createInfoCount)
        return set_damaged (error, pipeline);
      info.bind_point = VK_PIPELINE_BIND_POINT_COMPUTE;
      info.layout = args->pCreateInfos[pipeline->element].layout;
      info.stages = &args->pCreateInfos[pipeline->element].stage;
      info.n_stages = 1;
    }
  else if (command.id == VTR_CMD_vkCreateRayTracingPipelinesKHR)
    {
      const VtrArgs_vkCreateRayTracingPipelinesKHR *args = command.args;
      const VkRayTracingPipelineCreateInfoKHR *create;

      if (args->pCreateInfos == NULL || pipeline->element >= args->createInfoCount)
        return set_damaged (error, pipeline);
      create = &args->pCreateInfos[pipeline->element];
      info.bind_point = VK_PIPELINE_BIND_POINT_RAY_TRACING_KHR;
      info.layout = create->layout;
      info.stages = create->pStages;
      info.n_stages = create->pStages != NULL ? create->stageCount : 0;
      info.partial = create->pLibraryInfo != NULL && create->pLibraryInfo->libraryCount > 0;
    }
#ifdef VK_EXT_shader_object
  else if (command.id == VTR_CMD_vkCreateShadersEXT)
    {
      if (!describe_shader (&command, arena, &info))
        return set_damaged (error, pipeline);
    }
#endif
  else
    return set_damaged (error, pipeline);
  *out = info;
  return TRUE;
}

gboolean
vtr_pipeline_info_is_dynamic (const VtrPipelineInfo *self,
                              VkDynamicState         state)
{
  if (self->is_shader)
    return TRUE;
  if (self->graphics == NULL || self->graphics->pDynamicState->pDynamicStates == NULL)
    return FALSE;
  for (guint32 i = 0; i < self->graphics->pDynamicState->dynamicStateCount; i++)
    if (self->graphics->pDynamicState->pDynamicStates[i] == state)
      return TRUE;
  return FALSE;
}
