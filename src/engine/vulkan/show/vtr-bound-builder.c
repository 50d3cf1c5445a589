/* Sorts the bound state of a command by the stage of the pipeline that uses it. */
#include "engine/vulkan/show/vtr-bound-builder.h"

#include "engine/state/vtr-resolve-error.h"

#include "base/vtr-number.h"
#include "engine/model/vtr-command-text.h"

#include "api/vtr-api-types.h"

#include <glib/gi18n.h>
#include <string.h>

static const char *const labels[] = {
  [VTR_STAGE_INPUT] = N_ ("Input"),
  [VTR_STAGE_VERTEX] = N_ ("Vertex"),
  [VTR_STAGE_TESSELLATION] = N_ ("Tess"),
  [VTR_STAGE_GEOMETRY] = N_ ("Geom"),
  [VTR_STAGE_TASK] = N_ ("Task"),
  [VTR_STAGE_MESH] = N_ ("Mesh"),
  [VTR_STAGE_RASTER] = N_ ("Raster"),
  [VTR_STAGE_FRAGMENT] = N_ ("Fragment"),
  [VTR_STAGE_OUTPUT] = N_ ("Output"),
  [VTR_STAGE_COMPUTE] = N_ ("Compute"),
  [VTR_STAGE_RAY_TRACING] = N_ ("Ray tracing"),
};

/* --- Rows --- */

static GPtrArray *
new_rows (void)
{
  return g_ptr_array_new_with_free_func (g_object_unref);
}

VtrPropertyRow *
vtr_bound_builder_make_handle (
  VtrBoundBuilder *self, const char *name, guint32 type, guint64 handle, const char *note)
{
  const VtrObject *object = vtr_history_find (self->history, vtr_vulkan_identity (type, handle),
                                              self->submit);
  g_autofree char *text = NULL, *link = NULL;
  VtrPropertyRow *row;

  if (handle == 0)
    {
      row = vtr_property_row_new (name, _ ("not bound"), NULL, NULL);
      vtr_property_row_set_warning (row, _ ("Nothing is bound here."));
      return row;
    }
  if (object == NULL)
    object = vtr_history_find (self->history, vtr_vulkan_identity (type, handle), self->index);
  if (object != NULL)
    {
      text = vtr_history_describe (self->history, object);
      link = g_strdup_printf ("objects/%u", object->id);
    }
  else
    text = g_strdup_printf (
      "0x%" G_GINT64_MODIFIER "x",
      vtr_trace_get_driver_handle (vtr_history_get_trace (self->history), handle));
  row = vtr_property_row_new (name, text, link, NULL);
  if (object == NULL)
    vtr_property_row_set_warning (row, _ ("This object was not alive when the command ran."));
  vtr_property_row_set_note (row, note);
  return row;
}

static void
add_enum (GPtrArray *rows, const char *name, VtrEnumId id, gint64 value)
{
  const char *text = vtr_enum_value_name (id, value);
  g_autofree char *number = g_strdup_printf ("%" G_GINT64_FORMAT, value);

  g_ptr_array_add (rows, vtr_property_row_new (name, text != NULL ? text : number, NULL, NULL));
}

/* --- Input --- */

static gboolean
is_indexed_draw (VtrBoundBuilder *self)
{
  VtrCmdId id = vtr_trace_get_command_id (vtr_analysis_get_trace (self->analysis), self->index);

  return vtr_cmd_is_known (id) && vtr_cmd_is (id, VTR_CLASS_DRAW) &&
         strstr (vtr_cmd_name (id), "Indexed") != NULL;
}

static VtrPropertyRow *
make_vertex_buffer (VtrBoundBuilder                       *self,
                    guint32                                nth,
                    const VkVertexInputBindingDescription *description)
{
  g_autofree char *name = g_strdup_printf (_ ("binding %u"), nth);
  g_autoptr (GString) note = g_string_new (NULL);
  guint64 buffer = 0, offset = 0, stride = description != NULL ? description->stride : 0;

  if (nth < VTR_MAX_VERTEX_BUFFERS)
    {
      buffer = self->state->vertex_buffers[nth].buffer;
      offset = self->state->vertex_buffers[nth].offset;
      if (self->state->vertex_buffers[nth].stride != 0)
        stride = self->state->vertex_buffers[nth].stride;
    }
  g_string_append_printf (note, _ ("stride %s"), VTR_NUMBER (stride));
  if (offset != 0)
    g_string_append_printf (note, _ (" · at %s"), VTR_NUMBER (offset));
  if (description != NULL && description->inputRate == VK_VERTEX_INPUT_RATE_INSTANCE)
    g_string_append (note, _ (" · per instance"));
  return vtr_bound_builder_make_handle (self, name, VTR_HANDLE_VkBuffer, buffer, note->str);
}

static void
add_vertex_input (VtrBoundBuilder *self)
{
  const VkPipelineVertexInputStateCreateInfo *input = self->pipeline.graphics->pVertexInputState;
  GPtrArray *buffers = new_rows (), *attributes = new_rows ();
  gboolean described =
    input != NULL && input->pVertexBindingDescriptions != NULL &&
    !vtr_pipeline_info_is_dynamic (&self->pipeline, VK_DYNAMIC_STATE_VERTEX_INPUT_EXT);

  if (described)
    for (guint32 i = 0; i < input->vertexBindingDescriptionCount; i++)
      g_ptr_array_add (buffers,
                       make_vertex_buffer (self, input->pVertexBindingDescriptions[i].binding,
                                           &input->pVertexBindingDescriptions[i]));
  else
    for (guint32 i = 0; i < VTR_MAX_VERTEX_BUFFERS; i++)
      if (self->state->vertex_buffers[i].buffer != 0)
        g_ptr_array_add (buffers, make_vertex_buffer (self, i, NULL));
  vtr_bound_model_add_group (self->model, VTR_STAGE_INPUT, _ ("Vertex buffers"), FALSE, buffers);

  for (guint32 i = 0; described && input->pVertexAttributeDescriptions != NULL &&
                      i < input->vertexAttributeDescriptionCount;
       i++)
    {
      const VkVertexInputAttributeDescription *attribute =
        &input->pVertexAttributeDescriptions[i];
      const char *format = vtr_enum_value_name (VTR_ENUM_VkFormat, attribute->format);
      g_autofree char *name = g_strdup_printf (_ ("location %u"), attribute->location);
      g_autofree char *note =
        g_strdup_printf (_ ("binding %u · offset %u"), attribute->binding, attribute->offset);
      VtrPropertyRow *row =
        vtr_property_row_new (name, format != NULL ? format : "?", NULL, NULL);

      vtr_property_row_set_note (row, note);
      g_ptr_array_add (attributes, row);
    }
  vtr_bound_model_add_group (self->model, VTR_STAGE_INPUT, _ ("Attributes"), FALSE, attributes);
}

static void
add_index_buffer (VtrBoundBuilder *self)
{
  GPtrArray *rows = new_rows ();

  if (is_indexed_draw (self) || self->state->index_buffer != 0)
    {
      g_autofree char *note =
        self->state->index_offset != 0
          ? g_strdup_printf (_ ("at %s"), VTR_NUMBER (self->state->index_offset))
          : NULL;

      g_ptr_array_add (rows,
                       vtr_bound_builder_make_handle (self, _ ("buffer"), VTR_HANDLE_VkBuffer,
                                                      self->state->index_buffer, note));
      if (self->state->index_buffer != 0)
        add_enum (rows, _ ("type"), VTR_ENUM_VkIndexType, self->state->index_type);
    }
  vtr_bound_model_add_group (self->model, VTR_STAGE_INPUT, _ ("Index buffer"), FALSE, rows);
}

static void
add_struct (VtrBoundBuilder *self,
            VtrStage         stage,
            const char      *title,
            gboolean         folded,
            VtrStructId      id,
            gconstpointer    base)
{
  GPtrArray *rows = new_rows ();

  vtr_property_source_append_struct (self->source, id, base, rows);
  vtr_bound_model_add_group (self->model, stage, title, folded, rows);
}

/* --- Raster --- */

static void
add_viewports (VtrBoundBuilder *self)
{
  const VtrBoundState *state = self->state;
  GPtrArray *viewports = new_rows (), *scissors = new_rows ();

  for (guint32 i = 0; i < state->n_viewports; i++)
    {
      const VkViewport *viewport = &state->viewports[i];
      g_autofree char *name = g_strdup_printf ("%u", i);
      g_autofree char *text =
        g_strdup_printf ("%s × %s", VTR_NUMBER_REAL ((double)viewport->width),
                         VTR_NUMBER_REAL ((double)viewport->height));
      g_autofree char *note = g_strdup_printf (
        _ ("at %s, %s · depth %s to %s"), VTR_NUMBER_REAL ((double)viewport->x),
        VTR_NUMBER_REAL ((double)viewport->y), VTR_NUMBER_REAL ((double)viewport->minDepth),
        VTR_NUMBER_REAL ((double)viewport->maxDepth));
      VtrPropertyRow *row = vtr_property_row_new (name, text, NULL, NULL);

      vtr_property_row_set_note (row, note);
      g_ptr_array_add (viewports, row);
    }
  for (guint32 i = 0; i < state->n_scissors; i++)
    {
      const VkRect2D *scissor = &state->scissors[i];
      g_autofree char *name = g_strdup_printf ("%u", i);
      g_autofree char *text =
        g_strdup_printf ("%u × %u", scissor->extent.width, scissor->extent.height);
      g_autofree char *note =
        g_strdup_printf (_ ("at %d, %d"), scissor->offset.x, scissor->offset.y);
      VtrPropertyRow *row = vtr_property_row_new (name, text, NULL, NULL);

      vtr_property_row_set_note (row, note);
      g_ptr_array_add (scissors, row);
    }
  vtr_bound_model_add_group (self->model, VTR_STAGE_RASTER, _ ("Viewports"), FALSE, viewports);
  vtr_bound_model_add_group (self->model, VTR_STAGE_RASTER, _ ("Scissors"), FALSE, scissors);
}

/* Adds dynamic state that commands set, whether or not the pipeline uses it. */
static void
add_dynamic_state (VtrBoundBuilder *self)
{
  GPtrArray *rows = new_rows ();

  for (guint32 i = 0; i < self->state->n_dynamic; i++)
    {
      guint64 index = self->state->dynamic[i].index;
      g_autofree char *text = vtr_command_dup_arguments (self->analysis, index);
      g_autofree char *link =
        vtr_trace_format_command (vtr_analysis_get_trace (self->analysis), index);

      g_ptr_array_add (rows,
                       vtr_property_row_new (vtr_command_short_name (self->state->dynamic[i].id),
                                             text, link, NULL));
    }
  vtr_bound_model_add_group (self->model, VTR_STAGE_RASTER, _ ("Dynamic state"), FALSE, rows);
}

/* --- Output --- */

static void
add_attachment (VtrBoundBuilder     *self,
                const char          *name,
                const VtrAttachment *attachment,
                GPtrArray           *rows)
{
  const VtrObject *image = vtr_history_get_object (self->history, attachment->image);
  const char *format = vtr_enum_value_name (VTR_ENUM_VkFormat, attachment->format);
  g_autofree char *text = NULL, *link = NULL, *note = NULL;
  VtrPropertyRow *row;

  if (format != NULL && g_str_has_prefix (format, "VK_FORMAT_"))
    format += strlen ("VK_FORMAT_");
  if (image != NULL)
    {
      text = vtr_history_describe (self->history, image);
      link = g_strdup_printf ("objects/%u", image->id);
      note = g_strdup_printf ("%u × %u %s", attachment->extent.width, attachment->extent.height,
                              format != NULL ? format : "");
    }
  else if (attachment->format != VK_FORMAT_UNDEFINED)
    text = g_strdup (format != NULL ? format : "?");
  else
    text = g_strdup (_ ("unused"));
  row = vtr_property_row_new (name, text, link, NULL);
  vtr_property_row_set_note (row, note);
  g_ptr_array_add (rows, row);
}

static void
add_attachments (VtrBoundBuilder *self)
{
  const VtrBoundState *state = self->state;
  GPtrArray *rows = new_rows ();

  for (guint32 i = 0; state->in_pass && i < state->n_colors; i++)
    {
      g_autofree char *name = g_strdup_printf (_ ("colour %u"), i);

      add_attachment (self, name, &state->colors[i], rows);
    }
  if (state->in_pass && state->has_depth)
    add_attachment (self, _ ("depth"), &state->depth, rows);
  if (state->in_pass && state->has_stencil)
    add_attachment (self, _ ("stencil"), &state->stencil, rows);
  vtr_bound_model_add_group (self->model, VTR_STAGE_OUTPUT, _ ("Attachments"), FALSE, rows);
}

/* --- Shaders --- */

static void
add_shader (VtrBoundBuilder *self, VtrStage stage, guint32 nth)
{
  const VkPipelineShaderStageCreateInfo *info = &self->pipeline.stages[nth];
  const VkSpecializationInfo *constants = info->pSpecializationInfo;
  const char *stage_name = vtr_enum_value_name (VTR_ENUM_VkShaderStageFlagBits, info->stage);
  GPtrArray *rows = new_rows ();

  if (info->module != VK_NULL_HANDLE)
    {
      /* Modules are often destroyed once the pipeline is made. */
      const VtrObject *module =
        vtr_history_find (self->history,
                          vtr_vulkan_identity (VTR_HANDLE_VkShaderModule, (guint64)info->module),
                          self->pipeline.object->created);
      g_autofree char *text = module != NULL ? vtr_history_describe (self->history, module)
                                             : g_strdup (_ ("shader module"));
      g_autofree char *link = module != NULL ? g_strdup_printf ("objects/%u", module->id) : NULL;
      VtrPropertyRow *row = vtr_property_row_new (_ ("Module"), text, link, NULL);

      vtr_property_row_set_note (row, stage_name);
      g_ptr_array_add (rows, row);
    }
  else if (self->pipeline.is_shader)
    {
      const VtrObject *shader = self->program.objects[nth];
      g_autofree char *text = vtr_history_describe (self->history, shader);
      g_autofree char *link = g_strdup_printf ("objects/%u", shader->id);
      VtrPropertyRow *row = vtr_property_row_new (_ ("Shader object"), text, link, NULL);

      vtr_property_row_set_note (row, stage_name);
      g_ptr_array_add (rows, row);
    }
  g_ptr_array_add (rows,
                   vtr_property_row_new (_ ("Entry point"),
                                         info->pName != NULL ? info->pName : "?", NULL, NULL));
  for (guint32 i = 0;
       constants != NULL && constants->pMapEntries != NULL && i < constants->mapEntryCount; i++)
    {
      const VkSpecializationMapEntry *entry = &constants->pMapEntries[i];
      g_autofree char *name = g_strdup_printf (_ ("Constant %u"), entry->constantID);
      g_autofree char *text = NULL;
      guint64 value = 0;

      if (constants->pData == NULL || entry->size > sizeof value ||
          entry->size > constants->dataSize || entry->offset > constants->dataSize - entry->size)
        text = g_strdup ("?");
      else
        {
          memcpy (&value, (const guint8 *)constants->pData + entry->offset, entry->size);
          text =
            g_strdup_printf ("%" G_GUINT64_FORMAT " (0x%" G_GINT64_MODIFIER "x)", value, value);
        }
      g_ptr_array_add (rows, vtr_property_row_new (name, text, NULL, NULL));
    }
  vtr_bound_model_add_group (self->model, stage, _ ("Shader"), FALSE, rows);
}

static const struct
{
  VtrStage stage;
  VkShaderStageFlags bits;
} shader_stages[] = {
  { VTR_STAGE_VERTEX, VK_SHADER_STAGE_VERTEX_BIT },
  { VTR_STAGE_TESSELLATION,
    VK_SHADER_STAGE_TESSELLATION_CONTROL_BIT | VK_SHADER_STAGE_TESSELLATION_EVALUATION_BIT },
  { VTR_STAGE_GEOMETRY, VK_SHADER_STAGE_GEOMETRY_BIT },
  { VTR_STAGE_TASK, VK_SHADER_STAGE_TASK_BIT_EXT },
  { VTR_STAGE_MESH, VK_SHADER_STAGE_MESH_BIT_EXT },
  { VTR_STAGE_FRAGMENT, VK_SHADER_STAGE_FRAGMENT_BIT },
  { VTR_STAGE_COMPUTE, VK_SHADER_STAGE_COMPUTE_BIT | VK_SHADER_STAGE_SUBPASS_SHADING_BIT_HUAWEI },
  { VTR_STAGE_RAY_TRACING, VK_SHADER_STAGE_RAYGEN_BIT_KHR | VK_SHADER_STAGE_ANY_HIT_BIT_KHR |
                             VK_SHADER_STAGE_CLOSEST_HIT_BIT_KHR | VK_SHADER_STAGE_MISS_BIT_KHR |
                             VK_SHADER_STAGE_INTERSECTION_BIT_KHR |
                             VK_SHADER_STAGE_CALLABLE_BIT_KHR },
};

static void
add_shader_stages (VtrBoundBuilder *self)
{
  for (guint i = 0; i < G_N_ELEMENTS (shader_stages); i++)
    {
      VtrStage stage = shader_stages[i].stage;
      gboolean used = FALSE;

      if (!vtr_bound_model_has_stage (self->model, stage))
        continue;
      for (guint32 k = 0; k < self->pipeline.n_stages; k++)
        if ((self->pipeline.stages[k].stage & shader_stages[i].bits) != 0)
          {
            used = TRUE;
            add_shader (self, stage, k);
          }
      if (used)
        {
          vtr_bound_builder_add_sets (self, stage, (VkShaderStageFlagBits)shader_stages[i].bits);
          vtr_bound_builder_add_push_constants (self, stage,
                                                (VkShaderStageFlagBits)shader_stages[i].bits);
        }
      else
        {
          g_autofree char *reason =
            g_strdup_printf (self->pipeline.is_shader
                               ? _ ("No shader object is bound to the stage “%s”")
                               : _ ("The bound pipeline has no stage “%s”"),
                             _ (labels[stage]));

          vtr_bound_model_set_unused (self->model, stage, reason);
        }
    }
}

/* --- Building --- */

static gboolean
has_stage_bits (VtrBoundBuilder *self, VkShaderStageFlags bits)
{
  for (guint32 i = 0; i < self->pipeline.n_stages; i++)
    if ((self->pipeline.stages[i].stage & bits) != 0)
      return TRUE;
  return FALSE;
}

static void
show_stages (VtrBoundBuilder *self, const VtrStage *stages, guint n)
{
  for (guint i = 0; i < n; i++)
    vtr_bound_model_show_stage (self->model, stages[i]);
}

static void
build_graphics (VtrBoundBuilder *self)
{
  const VkGraphicsPipelineCreateInfo *info = self->pipeline.graphics;
  const gboolean mesh = has_stage_bits (self, VK_SHADER_STAGE_MESH_BIT_EXT);
  static const VtrStage always[] = { VTR_STAGE_RASTER, VTR_STAGE_FRAGMENT, VTR_STAGE_OUTPUT };
  static const VtrStage of_mesh[] = { VTR_STAGE_TASK, VTR_STAGE_MESH };
  static const VtrStage of_vertices[] = { VTR_STAGE_INPUT, VTR_STAGE_VERTEX, VTR_STAGE_TESSELLATION,
                                          VTR_STAGE_GEOMETRY };

  show_stages (self, always, G_N_ELEMENTS (always));
  if (mesh)
    show_stages (self, of_mesh, G_N_ELEMENTS (of_mesh));
  else
    show_stages (self, of_vertices, G_N_ELEMENTS (of_vertices));
  if (!mesh)
    {
      add_struct (self, VTR_STAGE_INPUT, _ ("Input assembly"), FALSE,
                  VTR_STRUCT_VkPipelineInputAssemblyStateCreateInfo, info->pInputAssemblyState);
      add_vertex_input (self);
      add_index_buffer (self);
    }
  if (has_stage_bits (self, VK_SHADER_STAGE_TESSELLATION_CONTROL_BIT))
    add_struct (self, VTR_STAGE_TESSELLATION, _ ("Tessellation"), FALSE,
                VTR_STRUCT_VkPipelineTessellationStateCreateInfo, info->pTessellationState);
  add_shader_stages (self);
  add_viewports (self);
  add_dynamic_state (self);
  add_struct (self, VTR_STAGE_RASTER, _ ("Rasterization"), FALSE,
              VTR_STRUCT_VkPipelineRasterizationStateCreateInfo, info->pRasterizationState);
  add_struct (self, VTR_STAGE_RASTER, _ ("Multisampling"), TRUE,
              VTR_STRUCT_VkPipelineMultisampleStateCreateInfo, info->pMultisampleState);
  add_struct (self, VTR_STAGE_RASTER, _ ("Depth and stencil"), FALSE,
              VTR_STRUCT_VkPipelineDepthStencilStateCreateInfo, info->pDepthStencilState);
  add_attachments (self);
  add_struct (self, VTR_STAGE_OUTPUT, _ ("Blending"), FALSE,
              VTR_STRUCT_VkPipelineColorBlendStateCreateInfo, info->pColorBlendState);
}

static gboolean
set_nothing (GError **error)
{
  g_set_error_literal (error, VTR_RESOLVE_ERROR, VTR_RESOLVE_ERROR_NOTHING,
                       _ ("Select a draw or dispatch to see the bound pipeline"));
  return FALSE;
}

static gboolean
build (VtrBoundBuilder *self, GError **error)
{
  self->point = vtr_program_choose (self->history, self->state, self->index, &self->program);
  if (self->state->recording == VTR_NO_RECORDING || self->program.n == 0)
    return set_nothing (error);
  if (!vtr_program_get_info (&self->program, self->history, &self->source->arena, &self->pipeline,
                             error))
    return FALSE;

  if (self->pipeline.graphics != NULL)
    build_graphics (self);
  else
    {
      vtr_bound_model_show_stage (self->model,
                                  self->point == 2 ? VTR_STAGE_RAY_TRACING : VTR_STAGE_COMPUTE);
      add_shader_stages (self);
    }
  return TRUE;
}

static VtrStage
choose_first (VtrBoundBuilder *self)
{
  static const VtrStage order[] = {
    VTR_STAGE_FRAGMENT,
    VTR_STAGE_COMPUTE,
    VTR_STAGE_RAY_TRACING,
    VTR_STAGE_VERTEX,
    VTR_STAGE_MESH,
  };

  for (guint i = 0; i < G_N_ELEMENTS (order); i++)
    if (vtr_bound_model_has_stage (self->model, order[i]) &&
        vtr_bound_model_get_unused_reason (self->model, order[i]) == NULL)
      return order[i];
  return VTR_STAGE_INPUT;
}

VtrBoundModel *
vtr_vulkan_list_bound (VtrAnalysis   *analysis,
                       guint64        index,
                       GCancellable  *cancellable,
                       GError       **error)
{
  g_autofree VtrBoundState *state = g_new (VtrBoundState, 1);
  g_autoptr (VtrBoundModel) model = NULL;
  g_autoptr (VtrPropertySource) source = NULL;
  VtrBoundBuilder self = {
    .analysis = analysis,
    .history = vtr_analysis_get_history (analysis),
    .index = index,
    .submit = index,
    .state = state,
  };
  const VtrRun *run;
  gboolean built;

  if (!vtr_bound_walker_get (vtr_analysis_get_walker (analysis), index, state, error) ||
      g_cancellable_set_error_if_cancelled (cancellable, error))
    return NULL;

  run = state->recording != VTR_NO_RECORDING
          ? vtr_timeline_find_run (vtr_analysis_get_timeline (analysis), state->recording, 0)
          : NULL;
  if (run != NULL)
    self.submit = run->submit;
  self.source = source = vtr_property_source_new (analysis, index);
  self.model = model = vtr_bound_model_new_empty (labels, G_N_ELEMENTS (labels));
  built = build (&self, error);
  g_clear_pointer (&self.lookup, vtr_buffer_lookup_free);
  vtr_bound_model_set_default_stage (model, choose_first (&self));
  return built ? g_steal_pointer (&model) : NULL;
}
