/* Creates pipelines that also draw to the attachment of the counts. */
#include "engine/vulkan/transforms/vtr-count-private.h"

#include "vtr-config.h"

#include <glib/gi18n-lib.h>

#include "engine/vulkan/shader/vtr-shader-modules.h"
#include "engine/shader/vtr-spirv-output.h"
#include "vulkan/vtr-vulkan-facts.h"
#include "vtr-api-args.h"

typedef enum
{
  PLAIN,  /* what the program draws; adds nothing to the counts */
  COUNTS, /* and one to the counts */
  SHAPES, /* only that, whatever the tests say */
} Variant;

typedef struct
{
  VtrCount *count;
  VtrArena arena;
  VtrPipelineInfo info;
  VkGraphicsPipelineCreateInfo own;
  Variant variant;
  gboolean has_counts; /* the subpass has our attachment */
} Pipeline;

static gboolean
no_memory (GError **error)
{
  return vtr_count_unsupported (error, _ ("A pipeline of this pass is too large to count its "
                                          "draws."));
}

/* Copies what *@member points to, or zeroes. */
#define OWN(self, member, type) \
  ((type *)((self)->own.member != NULL \
              ? vtr_arena_memdup (&(self)->arena, (self)->own.member, sizeof (type)) \
              : vtr_arena_alloc (&(self)->arena, sizeof (type))))

/* --- Dynamic state --------------------------------------------------------------------------- */

/* State that replacement pipelines have fixed, and the commands that set it. */
static const struct
{
  VkDynamicState state;
  VtrCmdId command;
  gboolean shapes; /* only where tests say nothing */
} fixed[] = {
  { VK_DYNAMIC_STATE_COLOR_BLEND_ENABLE_EXT, VTR_CMD_vkCmdSetColorBlendEnableEXT, FALSE },
  { VK_DYNAMIC_STATE_COLOR_BLEND_EQUATION_EXT, VTR_CMD_vkCmdSetColorBlendEquationEXT, FALSE },
  { VK_DYNAMIC_STATE_COLOR_BLEND_ADVANCED_EXT, VTR_CMD_vkCmdSetColorBlendAdvancedEXT, FALSE },
  { VK_DYNAMIC_STATE_COLOR_WRITE_MASK_EXT, VTR_CMD_vkCmdSetColorWriteMaskEXT, FALSE },
  { VK_DYNAMIC_STATE_COLOR_WRITE_ENABLE_EXT, VTR_CMD_vkCmdSetColorWriteEnableEXT, FALSE },
  { VK_DYNAMIC_STATE_LOGIC_OP_ENABLE_EXT, VTR_CMD_vkCmdSetLogicOpEnableEXT, FALSE },
  { VK_DYNAMIC_STATE_DEPTH_TEST_ENABLE, VTR_CMD_vkCmdSetDepthTestEnable, TRUE },
  { VK_DYNAMIC_STATE_DEPTH_WRITE_ENABLE, VTR_CMD_vkCmdSetDepthWriteEnable, TRUE },
  { VK_DYNAMIC_STATE_DEPTH_BOUNDS_TEST_ENABLE, VTR_CMD_vkCmdSetDepthBoundsTestEnable, TRUE },
  { VK_DYNAMIC_STATE_STENCIL_TEST_ENABLE, VTR_CMD_vkCmdSetStencilTestEnable, TRUE },
  { VK_DYNAMIC_STATE_CULL_MODE, VTR_CMD_vkCmdSetCullMode, TRUE },
  { VK_DYNAMIC_STATE_POLYGON_MODE_EXT, VTR_CMD_vkCmdSetPolygonModeEXT, TRUE },
  { VK_DYNAMIC_STATE_SAMPLE_MASK_EXT, VTR_CMD_vkCmdSetSampleMaskEXT, TRUE },
  { VK_DYNAMIC_STATE_ALPHA_TO_COVERAGE_ENABLE_EXT, VTR_CMD_vkCmdSetAlphaToCoverageEnableEXT, TRUE },
};

gboolean
vtr_count_is_ours (const VtrCount *self,
                   VtrCmdId        id,
                   gboolean        counts)
{
  gboolean shapes = counts && self->plan.what != VTR_COUNT_FRAGMENTS;

  id = vtr_cmd_canonical (id);
  for (guint i = 0; i < G_N_ELEMENTS (fixed); i++)
    if (vtr_cmd_canonical (fixed[i].command) == id)
      return shapes || !fixed[i].shapes;
  return FALSE;
}

static gboolean
is_fixed (const Pipeline *self,
          VkDynamicState  state)
{
  for (guint i = 0; i < G_N_ELEMENTS (fixed); i++)
    if (fixed[i].state == state)
      return self->variant == SHAPES || !fixed[i].shapes;
  return FALSE;
}

static gboolean
fix_state (Pipeline  *self,
           GError   **error)
{
  const VkPipelineDynamicStateCreateInfo *original = self->own.pDynamicState;
  VkPipelineDynamicStateCreateInfo *dynamic =
    OWN (self, pDynamicState, VkPipelineDynamicStateCreateInfo);
  VkDynamicState *states;

  if (original == NULL || original->pDynamicStates == NULL)
    return TRUE;
  states = vtr_arena_new_array (&self->arena, original->dynamicStateCount, VkDynamicState);
  if (dynamic == NULL || states == NULL)
    return no_memory (error);
  dynamic->dynamicStateCount = 0;
  for (guint32 i = 0; i < original->dynamicStateCount; i++)
    {
      gboolean again = FALSE;

      for (guint32 j = 0; j < dynamic->dynamicStateCount; j++)
        again = again || states[j] == original->pDynamicStates[i];
      if (!again && !is_fixed (self, original->pDynamicStates[i]))
        states[dynamic->dynamicStateCount++] = original->pDynamicStates[i];
    }
  dynamic->pDynamicStates = states;
  self->own.pDynamicState = dynamic;
  return TRUE;
}

/* --- Blending -------------------------------------------------------------------------------- */

static gboolean
has_second_source (const VkPipelineColorBlendAttachmentState *state)
{
  const VkBlendFactor factors[] = { state->srcColorBlendFactor, state->dstColorBlendFactor,
                                    state->srcAlphaBlendFactor, state->dstAlphaBlendFactor };

  for (guint i = 0; i < G_N_ELEMENTS (factors); i++)
    if (factors[i] >= VK_BLEND_FACTOR_SRC1_COLOR &&
        factors[i] <= VK_BLEND_FACTOR_ONE_MINUS_SRC1_ALPHA)
      return TRUE;
  return FALSE;
}

/* The contents of the program's attachments matter only if a later subpass reads them. Blending
 * that the device does not support beside another attachment is left out. */
static void
copy_blend (const Pipeline                            *self,
            const VkPipelineColorBlendStateCreateInfo *original,
            guint32                                    nth,
            VkPipelineColorBlendAttachmentState       *out)
{
  if (self->variant == SHAPES)
    return;
  out->colorWriteMask = 0xf;
  if (original == NULL || original->pAttachments == NULL || nth >= original->attachmentCount)
    return;
  *out = original->pAttachments[nth];
  if (has_second_source (out) || out->colorBlendOp > VK_BLEND_OP_MAX ||
      out->alphaBlendOp > VK_BLEND_OP_MAX)
    out->blendEnable = VK_FALSE;
}

static gboolean
blend (Pipeline  *self,
       GError   **error)
{
  const guint32 n = self->count->n_colors[self->own.subpass], slot = self->count->plan.slot;
  const VkPipelineColorBlendStateCreateInfo *original = self->own.pColorBlendState;
  VkPipelineColorBlendStateCreateInfo *state =
    OWN (self, pColorBlendState, VkPipelineColorBlendStateCreateInfo);
  VkPipelineColorBlendAttachmentState *attachments =
    vtr_arena_new_array (&self->arena, slot + 1, VkPipelineColorBlendAttachmentState);

  if (state == NULL || attachments == NULL)
    return no_memory (error);
  for (guint32 i = 0; i < n; i++)
    copy_blend (self, original, i, &attachments[i]);
  attachments[slot] = (VkPipelineColorBlendAttachmentState){
    .blendEnable = VK_TRUE,
    .srcColorBlendFactor = VK_BLEND_FACTOR_ONE,
    .dstColorBlendFactor = VK_BLEND_FACTOR_ONE,
    .colorBlendOp = VK_BLEND_OP_ADD,
    .srcAlphaBlendFactor = VK_BLEND_FACTOR_ONE,
    .dstAlphaBlendFactor = VK_BLEND_FACTOR_ONE,
    .alphaBlendOp = VK_BLEND_OP_ADD,
    .colorWriteMask = self->variant == PLAIN ? 0 : VK_COLOR_COMPONENT_R_BIT,
  };
  state->sType = VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO;
  vtr_count_unlink (&state->pNext, VK_STRUCTURE_TYPE_PIPELINE_COLOR_WRITE_CREATE_INFO_EXT);
  state->logicOpEnable = VK_FALSE;
  state->attachmentCount = slot + 1;
  state->pAttachments = attachments;
  self->own.pColorBlendState = state;
  return TRUE;
}

/* --- Without tests --------------------------------------------------------------------------- */

static gboolean
leave_out_tests (Pipeline  *self,
                 GError   **error)
{
  VkPipelineRasterizationStateCreateInfo *raster =
    OWN (self, pRasterizationState, VkPipelineRasterizationStateCreateInfo);
  VkPipelineMultisampleStateCreateInfo *samples =
    OWN (self, pMultisampleState, VkPipelineMultisampleStateCreateInfo);
  VkPipelineDepthStencilStateCreateInfo *depth =
    OWN (self, pDepthStencilState, VkPipelineDepthStencilStateCreateInfo);

  if (raster == NULL || samples == NULL || depth == NULL)
    return no_memory (error);
  raster->cullMode = VK_CULL_MODE_NONE;
  if (self->count->plan.what == VTR_COUNT_LINES)
    raster->polygonMode = VK_POLYGON_MODE_LINE;
  if (raster->lineWidth == 0)
    raster->lineWidth = 1; /* what draws no lines may leave it out */
  self->own.pRasterizationState = raster;
  if (self->own.pMultisampleState != NULL)
    {
      samples->alphaToCoverageEnable = samples->alphaToOneEnable = VK_FALSE;
      samples->sampleShadingEnable = VK_FALSE;
      samples->pSampleMask = NULL;
      self->own.pMultisampleState = samples;
    }
  depth->sType = VK_STRUCTURE_TYPE_PIPELINE_DEPTH_STENCIL_STATE_CREATE_INFO;
  depth->depthTestEnable = depth->depthWriteEnable = VK_FALSE;
  depth->depthBoundsTestEnable = depth->stencilTestEnable = VK_FALSE;
  self->own.pDepthStencilState = depth;
  return TRUE;
}

/* --- Shaders --------------------------------------------------------------------------------- */

/* Code that was given instead, for module @module or the stage that comes from @origin. */
static GBytes *
find_replacement (const Pipeline       *self,
                  guint32               module,
                  const VtrStageOrigin *origin)
{
  const VtrStreamEdit *edit = self->count->plan.edit;

  for (guint i = 0; edit != NULL && i < edit->shaders->len; i++)
    {
      const VtrShaderReplacement *shader =
        &g_array_index (edit->shaders, VtrShaderReplacement, i);

      if (module != 0 ? shader->stage == VTR_REPLACE_OBJECT && shader->object == module
                      : shader->stage == origin->nth && shader->created == origin->command &&
                          shader->element == origin->element)
        return g_bytes_ref (shader->code);
    }
  return NULL;
}

static GBytes *
load_code (const Pipeline                         *self,
           const VkPipelineShaderStageCreateInfo  *stage,
           const VtrStageOrigin                   *origin,
           GError                                **error)
{
  guint32 module = 0;
  g_autoptr (GBytes) code =
    vtr_shader_code_of_stage (self->count->history, stage, origin->command, &module, error);
  GBytes *other = code != NULL ? find_replacement (self, module, origin) : NULL;

  return other != NULL ? other : g_steal_pointer (&code);
}

static gboolean
make_module (Pipeline                         *self,
             GBytes                           *code,
             VkPipelineShaderStageCreateInfo  *stage,
             GError                          **error)
{
  VkShaderModuleCreateInfo info = { .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO };
  VtrArgs_vkCreateShaderModule args = {
    VTR_COUNT_HANDLE (VkDevice, self->count->plan.pass.device), &info, NULL, &stage->module
  };
  gsize size;

  info.pCode = g_bytes_get_data (code, &size);
  info.codeSize = size;
  stage->module = VTR_COUNT_HANDLE (VkShaderModule, vtr_transform_new_handle ());
  vtr_count_unlink (&stage->pNext, VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO);
  return vtr_count_emit (self->count, VTR_CMD_vkCreateShaderModule, &args, error);
}

/* The program's fragment shader, or one that does nothing, with our output. */
static gboolean
add_output (Pipeline                         *self,
            VkPipelineShaderStageCreateInfo  *stage,
            const VtrStageOrigin             *origin,
            GError                          **error)
{
  g_autoptr (GBytes) code = NULL;
  g_autoptr (GBytes) changed = NULL;
  g_autoptr (GBytes) written = NULL;

  if (self->variant == SHAPES || origin == NULL)
    *stage = (VkPipelineShaderStageCreateInfo){
      .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
      .stage = VK_SHADER_STAGE_FRAGMENT_BIT,
      .pName = "main",
    };
  else
    {
      code = load_code (self, stage, origin, error);
      if (code == NULL)
        return FALSE;
    }
  /* A driver (Mesa 22.3's lavapipe) dies of attachments that the shader does not write. */
  for (guint32 i = 0; code == NULL && i < self->count->n_colors[self->own.subpass]; i++)
    {
      GBytes *more = vtr_spirv_add_output (written, stage->pName, i, 0, error);

      if (more == NULL)
        return FALSE;
      g_clear_pointer (&written, g_bytes_unref);
      written = more;
    }
  changed = vtr_spirv_add_output (code != NULL ? code : written, stage->pName,
                                  self->count->plan.slot, 1, error);
  return changed != NULL && make_module (self, changed, stage, error);
}

/* Shaders that are not changed. Their module may have been destroyed, or be replaced by an edit. */
static gboolean
keep_stage (Pipeline                         *self,
            VkPipelineShaderStageCreateInfo  *stage,
            const VtrStageOrigin             *origin,
            GError                          **error)
{
  g_autoptr (GBytes) code = NULL;
  guint64 module = (guint64)(gsize)stage->module;

  if (module != 0 && self->count->plan.edit != NULL && self->count->plan.edit->shaders->len > 0)
    {
      code = load_code (self, stage, origin, error);
      return code != NULL && make_module (self, code, stage, error);
    }
  if (module == 0)
    {
      code = find_replacement (self, 0, origin);
      return code == NULL || make_module (self, code, stage, error);
    }
  if (!vtr_count_name (self->count, VTR_HANDLE_VkShaderModule, &module, origin->command, error))
    return FALSE;
  stage->module = VTR_COUNT_HANDLE (VkShaderModule, module);
  return TRUE;
}

static gboolean
change_stages (Pipeline  *self,
               GError   **error)
{
  const guint32 n = self->info.n_stages;
  VkPipelineShaderStageCreateInfo *stages =
    vtr_arena_new_array (&self->arena, n + 1, VkPipelineShaderStageCreateInfo);
  const VkPipelineRasterizationStateCreateInfo *raster = self->own.pRasterizationState;
  gboolean draws = raster == NULL || !raster->rasterizerDiscardEnable ||
                   vtr_pipeline_info_is_dynamic (&self->info,
                                                 VK_DYNAMIC_STATE_RASTERIZER_DISCARD_ENABLE);
  gboolean wanted = self->variant != PLAIN && draws;
  gboolean found = FALSE;

  if (stages == NULL)
    return no_memory (error);
  if (n > 0)
    memcpy (stages, self->info.stages, n * sizeof *stages);
  for (guint32 i = 0; i < n; i++)
    if (wanted && stages[i].stage == VK_SHADER_STAGE_FRAGMENT_BIT)
      {
        found = TRUE;
        if (!add_output (self, &stages[i], &self->info.origins[i], error))
          return FALSE;
      }
    else if (!keep_stage (self, &stages[i], &self->info.origins[i], error))
      return FALSE;
  if (wanted && !found && !add_output (self, &stages[n], NULL, error))
    return FALSE;
  self->own.stageCount = n + (wanted && !found ? 1 : 0);
  self->own.pStages = stages;
  return TRUE;
}

/* --- The pass -------------------------------------------------------------------------------- */

static gboolean
fit_rendering (Pipeline  *self,
               GError   **error)
{
  const VtrCountPass *pass = &self->count->plan.pass;
  VkPipelineRenderingCreateInfo *rendering =
    vtr_arena_new (&self->arena, VkPipelineRenderingCreateInfo);
  const guint32 slot = self->count->plan.slot;
  VkFormat *formats = vtr_arena_new_array (&self->arena, slot + 1, VkFormat);

  if (rendering == NULL || formats == NULL)
    return no_memory (error);
  memcpy (formats, pass->formats, pass->n_colors * sizeof *formats);
  formats[slot] = (VkFormat)self->count->plan.read.format;
  if (!vtr_count_extend_chain (self->count, self->own.pNext, &self->arena, error))
    return FALSE;
  vtr_count_unlink (&self->own.pNext, VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO);
  *rendering = (VkPipelineRenderingCreateInfo){
    .sType = VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO,
    .pNext = self->own.pNext,
    .viewMask = pass->view_mask,
    .colorAttachmentCount = slot + 1,
    .pColorAttachmentFormats = formats,
    .depthAttachmentFormat = pass->depth,
    .stencilAttachmentFormat = pass->stencil,
  };
  self->own.pNext = rendering;
  self->own.renderPass = VK_NULL_HANDLE;
  self->own.subpass = 0;
  return TRUE;
}

static gboolean
fit_pass (Pipeline  *self,
          GError   **error)
{
  if (!vtr_count_make_pass (self->count, error))
    return FALSE;
  if (self->count->plan.pass.dynamic)
    return fit_rendering (self, error);
  self->own.renderPass = VTR_COUNT_HANDLE (VkRenderPass, self->count->pass);
  return self->own.subpass < MIN (self->count->n_subpasses, 64) ||
         vtr_count_unsupported (
           error, _ ("A pipeline was created for a subpass that the pass does not have."));
}

/* --- All of it ------------------------------------------------------------------------------- */

/* Removes flags that apply only to the program's pipeline. */
static void
forget_origin (Pipeline *self)
{
  static const VkStructureType chained[] = {
    VK_STRUCTURE_TYPE_PIPELINE_LIBRARY_CREATE_INFO_KHR,
    VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_LIBRARY_CREATE_INFO_EXT,
    VK_STRUCTURE_TYPE_PIPELINE_CREATION_FEEDBACK_CREATE_INFO,
#ifdef VK_KHR_maintenance5
    VK_STRUCTURE_TYPE_PIPELINE_CREATE_FLAGS_2_CREATE_INFO_KHR,
#endif
  };

  self->own.flags =
    (VkPipelineCreateFlags)vtr_pipeline_get_flags (self->own.pNext, self->own.flags);
  for (guint i = 0; i < G_N_ELEMENTS (chained); i++)
    vtr_count_unlink (&self->own.pNext, chained[i]);
  self->own.flags &=
    ~(VkPipelineCreateFlags)(VK_PIPELINE_CREATE_DERIVATIVE_BIT |
                             VK_PIPELINE_CREATE_ALLOW_DERIVATIVES_BIT |
                             VK_PIPELINE_CREATE_LIBRARY_BIT_KHR |
                             VK_PIPELINE_CREATE_LINK_TIME_OPTIMIZATION_BIT_EXT |
                             VK_PIPELINE_CREATE_RETAIN_LINK_TIME_OPTIMIZATION_INFO_BIT_EXT |
                             VK_PIPELINE_CREATE_FAIL_ON_PIPELINE_COMPILE_REQUIRED_BIT |
                             VK_PIPELINE_CREATE_EARLY_RETURN_ON_FAILURE_BIT |
                             VK_PIPELINE_CREATE_CAPTURE_STATISTICS_BIT_KHR |
                             VK_PIPELINE_CREATE_CAPTURE_INTERNAL_REPRESENTATIONS_BIT_KHR);
  self->own.basePipelineHandle = VK_NULL_HANDLE;
  self->own.basePipelineIndex = -1;
}

static gboolean
make_pipeline (Pipeline  *self,
               guint64   *out,
               GError   **error)
{
  VtrCount *count = self->count;
  guint64 layout = (guint64)(gsize)self->info.layout;
  VkPipeline pipeline;
  VtrArgs_vkCreateGraphicsPipelines args = { .device = VTR_COUNT_HANDLE (VkDevice,
                                                                         count->plan.pass.device),
                                             .createInfoCount = 1,
                                             .pCreateInfos = &self->own,
                                             .pPipelines = &pipeline };

  self->own = *self->info.graphics;
  forget_origin (self);
  if (!fit_pass (self, error) ||
      !vtr_count_name (count, VTR_HANDLE_VkPipelineLayout, &layout, self->info.layout_named, error))
    return FALSE;
  self->own.layout = VTR_COUNT_HANDLE (VkPipelineLayout, layout);
  self->has_counts = vtr_count_has_subpass (count, self->own.subpass);
  if (!self->has_counts)
    self->variant = PLAIN;
  if ((self->has_counts && (!fix_state (self, error) || !blend (self, error))) ||
      (self->variant == SHAPES && !leave_out_tests (self, error)) || !change_stages (self, error))
    return FALSE;
  *out = vtr_transform_new_handle ();
  pipeline = VTR_COUNT_HANDLE (VkPipeline, *out);
  return vtr_count_emit (count, VTR_CMD_vkCreateGraphicsPipelines, &args, error);
}

gboolean
vtr_count_get_pipeline (VtrCount  *self,
                        guint64    handle,
                        guint64    at,
                        gboolean   counts,
                        guint64   *out,
                        GError   **error)
{
  const VtrObject *object = vtr_history_find (self->history,
                                              vtr_vulkan_identity (VTR_HANDLE_VkPipeline, handle),
                                              at);
  Pipeline pipeline = { .count = self };
  guint64 key, made = 0;
  guint64 *known;
  gboolean ok;

  if (object == NULL)
    return vtr_count_unsupported (
      error, _ ("The trace does not contain the creation of a pipeline of this pass."));
  key = (guint64)object->id * 2 + (counts ? 1 : 0);
  known = g_hash_table_lookup (self->pipelines, &key);
  if (known != NULL)
    {
      *out = *known;
      return TRUE;
    }
  if (counts)
    pipeline.variant = self->plan.what == VTR_COUNT_FRAGMENTS ? COUNTS : SHAPES;
  vtr_arena_init (&pipeline.arena);
  ok = vtr_history_get_pipeline_info (self->history, object, &pipeline.arena, &pipeline.info,
                                      error) &&
       (pipeline.info.graphics != NULL ||
        vtr_count_unsupported (error, _ ("A pipeline of this pass is not a graphics pipeline."))) &&
       make_pipeline (&pipeline, &made, error);
  vtr_arena_finish (&pipeline.arena);
  if (ok)
    g_hash_table_insert (self->pipelines, g_memdup2 (&key, sizeof key),
                         g_memdup2 (&made, sizeof made));
  *out = made;
  return ok;
}
