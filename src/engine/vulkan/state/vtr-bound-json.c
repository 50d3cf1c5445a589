/* Writes everything that is bound at a command as JSON, for commands/N/bound. */
#include "engine/state/vtr-bound-json.h"
#include "engine/vulkan/state/vtr-vulkan-view.h"

#include "engine/state/vtr-json.h"
#include "engine/state/vtr-resolve-error.h"

#include "engine/vulkan/state/vtr-descriptors.h"
#include "engine/vulkan/state/vtr-state-json.h"

#include "api/vtr-api-args.h"
#include "api/vtr-api-print.h"

#include <glib/gi18n.h>
#include <string.h>

typedef struct
{
  VtrAnalysis *analysis;
  VtrHistory *history;
  guint64 index;  /* of the command */
  guint64 submit; /* when the GPU ran it; descriptors are as they were then */
  const VtrBoundState *state;
} VtrStateWriter;

static void
set_handle_member (
  VtrStateWriter *self, JsonObject *object, const char *name, guint32 type, guint64 handle)
{
  json_object_set_member (object, name,
                          vtr_json_handle (self->history, type, handle, self->index));
}

static JsonNode *
make_recording (VtrStateWriter *self)
{
  VtrTrace *trace = vtr_analysis_get_trace (self->analysis);
  const VtrRecording *recording = vtr_timeline_get_recording (
    vtr_analysis_get_timeline (self->analysis), self->state->recording);
  JsonObject *object = json_object_new ();

  set_handle_member (self, object, "commandBuffer", VTR_HANDLE_VkCommandBuffer,
                     recording->list);
  json_object_set_member (object, "first", vtr_json_command (trace, recording->first));
  json_object_set_member (object, "last", vtr_json_command (trace, recording->last));
  json_object_set_string_member (
    object, "level",
    recording->nested ? "secondary" : "primary");
  json_object_set_boolean_member (object, "complete", recording->complete);
  json_object_set_int_member (object, "submissions", recording->n_runs);
  return vtr_json_take_object (object);
}

static JsonNode *
make_attachment (VtrStateWriter *self, const VtrAttachment *attachment)
{
  const VtrObject *image = vtr_history_get_object (self->history, attachment->image);
  const VtrObject *view = vtr_history_get_object (self->history, attachment->view);
  JsonObject *object = json_object_new ();

  json_object_set_member (object, "image",
                          image != NULL ? vtr_json_object_ref (self->history, image)
                                        : json_node_new (JSON_NODE_NULL));
  json_object_set_member (object, "view",
                          view != NULL ? vtr_json_object_ref (self->history, view)
                                       : json_node_new (JSON_NODE_NULL));
  vtr_state_json_set_enum (object, "format", VTR_ENUM_VkFormat, attachment->format);
  vtr_state_json_set_enum (object, "layout", VTR_ENUM_VkImageLayout, attachment->layout);
  json_object_set_int_member (object, "samples", attachment->samples);
  json_object_set_int_member (object, "width", attachment->extent.width);
  json_object_set_int_member (object, "height", attachment->extent.height);
  json_object_set_member (
    object, "range", vtr_json_struct (VTR_STRUCT_VkImageSubresourceRange, &attachment->range));
  json_object_set_boolean_member (object, "swapchain", attachment->swapchain);
  return vtr_json_take_object (object);
}

static JsonNode *
make_pass (VtrStateWriter *self)
{
  const VtrBoundState *state = self->state;
  JsonObject *object;
  JsonArray *colors;

  if (!state->in_pass)
    return json_node_new (JSON_NODE_NULL);

  object = json_object_new ();
  colors = json_array_new ();
  json_object_set_int_member (object, "begin", (gint64)state->pass_begin);
  json_object_set_boolean_member (object, "dynamicRendering", state->dynamic_rendering);
  json_object_set_boolean_member (object, "inherited", state->inherited);
  set_handle_member (self, object, "renderPass", VTR_HANDLE_VkRenderPass, state->render_pass);
  set_handle_member (self, object, "framebuffer", VTR_HANDLE_VkFramebuffer, state->framebuffer);
  json_object_set_int_member (object, "subpass", state->subpass);
  json_object_set_member (object, "renderArea",
                          vtr_json_struct (VTR_STRUCT_VkRect2D, &state->render_area));
  json_object_set_int_member (object, "viewMask", state->view_mask);
  for (guint32 i = 0; i < state->n_colors; i++)
    json_array_add_element (colors, make_attachment (self, &state->colors[i]));
  json_object_set_member (object, "colors", vtr_json_take_array (colors));
  json_object_set_member (object, "depth",
                          state->has_depth ? make_attachment (self, &state->depth)
                                           : json_node_new (JSON_NODE_NULL));
  json_object_set_member (object, "stencil",
                          state->has_stencil ? make_attachment (self, &state->stencil)
                                             : json_node_new (JSON_NODE_NULL));
  return vtr_json_take_object (object);
}

static JsonNode *
make_descriptor (VtrStateWriter *self, const VtrDescriptor *descriptor)
{
  JsonObject *object;

  if (!descriptor->written)
    return json_node_new (JSON_NODE_NULL);

  object = json_object_new ();
  if (descriptor->sampler != 0)
    set_handle_member (self, object, "sampler", VTR_HANDLE_VkSampler, descriptor->sampler);
  if (descriptor->view != 0)
    {
      set_handle_member (self, object, "imageView", VTR_HANDLE_VkImageView, descriptor->view);
      vtr_state_json_set_enum (object, "imageLayout", VTR_ENUM_VkImageLayout,
                               (gint64)descriptor->image_layout);
    }
  if (descriptor->buffer != 0)
    {
      set_handle_member (self, object, "buffer", VTR_HANDLE_VkBuffer, descriptor->buffer);
      json_object_set_int_member (object, "offset", (gint64)descriptor->offset);
      if (descriptor->range == VK_WHOLE_SIZE)
        json_object_set_string_member (object, "range", "VK_WHOLE_SIZE");
      else
        json_object_set_int_member (object, "range", (gint64)descriptor->range);
    }
  if (descriptor->texel_view != 0)
    set_handle_member (self, object, "bufferView", VTR_HANDLE_VkBufferView,
                       descriptor->texel_view);
  if (descriptor->acceleration_structure != 0)
    set_handle_member (self, object, "accelerationStructure",
                       VTR_HANDLE_VkAccelerationStructureKHR, descriptor->acceleration_structure);
  json_object_set_int_member (object, "writtenBy", (gint64)descriptor->command);
  return vtr_json_take_object (object);
}

static JsonNode *
make_bindings (VtrStateWriter *self, const VtrDescriptorContents *contents)
{
  JsonArray *array = json_array_new ();

  for (guint32 i = 0; i < contents->n_bindings; i++)
    {
      const VtrDescriptorBinding *binding = &contents->bindings[i];
      JsonObject *object = json_object_new ();
      JsonArray *descriptors = json_array_new ();

      json_object_set_int_member (object, "binding", binding->binding);
      vtr_state_json_set_enum (object, "type", VTR_ENUM_VkDescriptorType, binding->type);
      json_object_set_int_member (object, "count", binding->count);
      vtr_state_json_set_flags (object, "stages", VTR_ENUM_VkShaderStageFlagBits, binding->stages);
      for (guint32 k = 0; k < binding->n_descriptors; k++)
        json_array_add_element (descriptors, make_descriptor (self, &binding->descriptors[k]));
      json_object_set_member (object, "descriptors", vtr_json_take_array (descriptors));
      json_array_add_object_element (array, object);
    }
  return vtr_json_take_array (array);
}

static JsonNode *
make_set (VtrStateWriter *self, guint point, guint32 nth)
{
  const VtrBoundState *state = self->state;
  gboolean pushed = (state->bind_points[point].pushed >> nth & 1) != 0;
  guint64 command =
    vtr_timeline_get_recording (vtr_analysis_get_timeline (self->analysis), state->recording)
      ->first +
    state->bind_points[point].set_command[nth];
  const VtrObject *set =
    vtr_history_find (self->history,
                      vtr_vulkan_identity (VTR_HANDLE_VkDescriptorSet,
                                           state->bind_points[point].sets[nth]),
                      self->index);
  JsonObject *object = json_object_new ();
  JsonArray *offsets = json_array_new ();
  VtrDescriptorContents contents = { 0 };
  VtrArena arena;
  gboolean known;

  json_object_set_int_member (object, "set", nth);
  json_object_set_boolean_member (object, "pushed", pushed);
  set_handle_member (self, object, "object", VTR_HANDLE_VkDescriptorSet,
                     state->bind_points[point].sets[nth]);
  json_object_set_int_member (object, "boundBy", (gint64)command);
  for (guint32 i = 0; i < state->bind_points[point].n_dynamic_offsets[nth]; i++)
    json_array_add_int_element (offsets, state->bind_points[point].dynamic_offsets[nth][i]);
  json_object_set_member (object, "dynamicOffsets", vtr_json_take_array (offsets));

  vtr_arena_init (&arena);
  known = pushed ? vtr_descriptors_get_pushed (self->history, command, &arena, &contents, NULL)
                 : set != NULL && vtr_descriptors_get (self->history, set, self->submit, &arena,
                                                       &contents, NULL);
  json_object_set_member (object, "layout",
                          known && contents.layout != NULL
                            ? vtr_json_object_ref (self->history, contents.layout)
                            : json_node_new (JSON_NODE_NULL));
  json_object_set_member (object, "bindings", make_bindings (self, &contents));
  vtr_arena_finish (&arena);
  return vtr_json_take_object (object);
}

static JsonNode *make_dynamic_states (VtrStateWriter        *self,
                                      const VtrPipelineInfo *info);

/* The structure that made the pipeline, with the parts from its libraries. */
static void
set_pipeline_info (VtrStateWriter *self, guint point, JsonObject *object)
{
  const VtrApiEnv env = vtr_trace_get_env (vtr_analysis_get_trace (self->analysis));
  JsonArray *stages = json_array_new ();
  VtrPipelineInfo info;
  VtrProgram program;
  VtrArena arena;

  vtr_arena_init (&arena);
  vtr_program_find_bound (self->history, self->state, point, self->index, &program);
  if (program.n > 0 && vtr_program_get_info (&program, self->history, &arena, &info, NULL))
    {
      for (guint32 i = 0; i < info.n_stages; i++)
        {
          JsonObject *stage = json_object_new ();

          vtr_state_json_set_enum (stage, "stage", VTR_ENUM_VkShaderStageFlagBits,
                                   info.stages[i].stage);
          json_object_set_member (stage, "module",
                                  vtr_json_handle (self->history, VTR_HANDLE_VkShaderModule,
                                                   (guint64)info.stages[i].module,
                                                   info.object->created));
          if (info.is_shader)
            json_object_set_member (stage, "shader",
                                    vtr_json_object_ref (self->history, program.objects[i]));
          json_object_set_string_member (
            stage, "entryPoint", info.stages[i].pName != NULL ? info.stages[i].pName : "");
          json_array_add_object_element (stages, stage);
        }
      json_object_set_member (object, "dynamic", make_dynamic_states (self, &info));
      if (info.graphics != NULL && !info.is_shader)
        json_object_set_member (
          object, "createInfo",
          vtr_json_struct_in (&env, VTR_STRUCT_VkGraphicsPipelineCreateInfo, info.graphics));
    }
  json_object_set_member (object, "stages", vtr_json_take_array (stages));
  vtr_arena_finish (&arena);
}

static JsonNode *
make_bind_point (VtrStateWriter *self, guint point)
{
  const VtrBoundState *state = self->state;
  JsonObject *object = json_object_new ();
  JsonArray *sets = json_array_new ();

  set_handle_member (self, object, "pipeline", VTR_HANDLE_VkPipeline,
                     state->bind_points[point].pipeline);
  set_handle_member (self, object, "layout", VTR_HANDLE_VkPipelineLayout,
                     state->bind_points[point].layout);
  set_pipeline_info (self, point, object);
  for (guint32 i = 0; i < VTR_MAX_SETS; i++)
    if (state->bind_points[point].sets[i] != 0 ||
        (state->bind_points[point].pushed >> i & 1) != 0)
      json_array_add_element (sets, make_set (self, point, i));
  json_object_set_member (object, "sets", vtr_json_take_array (sets));
  return vtr_json_take_object (object);
}

static void
set_buffers (VtrStateWriter *self, JsonObject *object)
{
  const VtrBoundState *state = self->state;
  JsonArray *array = json_array_new ();

  for (guint32 i = 0; i < VTR_MAX_VERTEX_BUFFERS; i++)
    {
      JsonObject *buffer;

      if (state->vertex_buffers[i].buffer == 0)
        continue;
      buffer = json_object_new ();
      json_object_set_int_member (buffer, "binding", i);
      set_handle_member (self, buffer, "buffer", VTR_HANDLE_VkBuffer,
                         state->vertex_buffers[i].buffer);
      json_object_set_int_member (buffer, "offset", (gint64)state->vertex_buffers[i].offset);
      if (state->vertex_buffers[i].size == VK_WHOLE_SIZE)
        json_object_set_string_member (buffer, "size", "VK_WHOLE_SIZE");
      else
        json_object_set_int_member (buffer, "size", (gint64)state->vertex_buffers[i].size);
      json_object_set_int_member (buffer, "stride", (gint64)state->vertex_buffers[i].stride);
      json_array_add_object_element (array, buffer);
    }
  json_object_set_member (object, "vertexBuffers", vtr_json_take_array (array));

  if (state->index_buffer == 0)
    json_object_set_null_member (object, "indexBuffer");
  else
    {
      JsonObject *buffer = json_object_new ();

      set_handle_member (self, buffer, "buffer", VTR_HANDLE_VkBuffer, state->index_buffer);
      json_object_set_int_member (buffer, "offset", (gint64)state->index_offset);
      vtr_state_json_set_enum (buffer, "indexType", VTR_ENUM_VkIndexType, state->index_type);
      json_object_set_object_member (object, "indexBuffer", buffer);
    }
}

/* "VK_DYNAMIC_STATE_LINE_WIDTH" and "vkCmdSetLineWidth" → "LINEWIDTH": how one finds the other. */
static char *
get_stem (const char *name,
          const char *prefix)
{
  g_autoptr (GString) stem = g_string_new (NULL);
  gsize length;

  if (!g_str_has_prefix (name, prefix))
    return g_strdup ("");
  for (const char *at = name + strlen (prefix); *at != '\0'; at++)
    if (*at != '_')
      g_string_append_c (stem, g_ascii_toupper (*at));
  length = stem->len;
  if (g_str_has_suffix (stem->str, "EXT") || g_str_has_suffix (stem->str, "KHR"))
    length -= 3;
  else if (g_str_has_suffix (stem->str, "NV"))
    length -= 2;
  return g_strndup (stem->str, length);
}

/* The command that set @dynamic last; VTR_COMMAND_NO_INDEX: none did. */
static guint64
find_setter (VtrStateWriter *self,
             VkDynamicState  dynamic)
{
  const char *name = vtr_enum_value_name (VTR_ENUM_VkDynamicState, dynamic);
  g_autofree char *wanted = name != NULL ? get_stem (name, "VK_DYNAMIC_STATE_") : NULL;

  for (guint32 i = 0; wanted != NULL && i < self->state->n_dynamic; i++)
    {
      g_autofree char *stem =
        get_stem (vtr_command_name (self->state->dynamic[i].id), "vkCmdSet");

      if (g_str_equal (stem, wanted))
        return self->state->dynamic[i].index;
    }
  return VTR_COMMAND_NO_INDEX;
}

/* Which states the pipeline leaves to commands, and which command set each. What is not here comes
   from the pipeline. */
static JsonNode *
make_dynamic_states (VtrStateWriter        *self,
                     const VtrPipelineInfo *info)
{
  const VkPipelineDynamicStateCreateInfo *dynamic =
    info->graphics != NULL && !info->is_shader ? info->graphics->pDynamicState : NULL;
  JsonArray *array = json_array_new ();

  for (guint32 i = 0;
       dynamic != NULL && dynamic->pDynamicStates != NULL && i < dynamic->dynamicStateCount; i++)
    {
      JsonObject *entry = json_object_new ();

      vtr_state_json_set_enum (entry, "state", VTR_ENUM_VkDynamicState, dynamic->pDynamicStates[i]);
      json_object_set_member (entry, "setBy",
                              vtr_json_command (vtr_analysis_get_trace (self->analysis),
                                                find_setter (self, dynamic->pDynamicStates[i])));
      json_array_add_object_element (array, entry);
    }
  return vtr_json_take_array (array);
}

static void
set_dynamic_state (VtrStateWriter *self, JsonObject *object)
{
  const VtrApiEnv env = vtr_trace_get_env (vtr_analysis_get_trace (self->analysis));
  const VtrBoundState *state = self->state;
  JsonArray *array = json_array_new ();
  VtrArena arena;

  vtr_arena_init (&arena);
  for (guint32 i = 0; i < state->n_dynamic; i++)
    {
      JsonObject *entry = json_object_new ();
      VtrBuffer text = { 0 };
      VtrCommand command;

      json_object_set_string_member (entry, "name", vtr_command_name (state->dynamic[i].id));
      json_object_set_member (
        entry, "command",
        vtr_json_command (vtr_analysis_get_trace (self->analysis), state->dynamic[i].index));
      vtr_arena_reset (&arena);
      if (vtr_trace_decode (vtr_analysis_get_trace (self->analysis), state->dynamic[i].index,
                            &arena, &command, NULL))
        vtr_api_json (command.id, command.args, command.decoded, &env, &text);
      json_object_set_member (entry, "parameters", vtr_json_parse (&text));
      vtr_buffer_finish (&text);
      json_array_add_object_element (array, entry);
    }
  vtr_arena_finish (&arena);
  json_object_set_member (object, "dynamicState", vtr_json_take_array (array));
}

static void
set_fixed_state (VtrStateWriter *self, JsonObject *object)
{
  const VtrBoundState *state = self->state;
  JsonArray *viewports = json_array_new (), *scissors = json_array_new ();
  JsonObject *constants = json_object_new ();
  g_autofree char *hex = g_malloc0 (state->push_constants_size * 2 + 1);

  for (guint32 i = 0; i < state->n_viewports; i++)
    json_array_add_element (viewports,
                            vtr_json_struct (VTR_STRUCT_VkViewport, &state->viewports[i]));
  for (guint32 i = 0; i < state->n_scissors; i++)
    json_array_add_element (scissors, vtr_json_struct (VTR_STRUCT_VkRect2D, &state->scissors[i]));
  json_object_set_member (object, "viewports", vtr_json_take_array (viewports));
  json_object_set_member (object, "scissors", vtr_json_take_array (scissors));

  for (guint32 i = 0; i < state->push_constants_size; i++)
    g_snprintf (hex + i * 2, 3, "%02x", state->push_constants[i]);
  json_object_set_int_member (constants, "size", state->push_constants_size);
  json_object_set_string_member (constants, "bytes", hex);
  json_object_set_object_member (object, "pushConstants", constants);
}

JsonNode *
vtr_vulkan_bound_json (VtrAnalysis *analysis, const VtrPlace *address, GError **error)
{
  g_autofree VtrBoundState *state = g_new (VtrBoundState, 1);
  static const char *const point_names[] = { "graphics", "compute", "rayTracing" };
  VtrStateWriter self = {
    .analysis = analysis,
    .history = vtr_analysis_get_history (analysis),
    .index = address->index,
    .submit = address->index,
    .state = state,
  };
  JsonObject *object;

  if (!vtr_bound_walker_get (vtr_analysis_get_walker (analysis), address->index, state, error))
    return NULL;
  if (state->recording == VTR_NO_RECORDING)
    {
      g_autofree char *number =
        vtr_trace_format_number (vtr_analysis_get_trace (analysis), address->index);

      g_set_error (error, VTR_RESOLVE_ERROR, VTR_RESOLVE_ERROR_NOTHING,
                   _ ("Command %s is not recorded into a command buffer, so nothing is bound "
                      "there."),
                   number);
      return NULL;
    }
  if (address->run != VTR_NO_RUN)
    self.submit =
      vtr_timeline_get_run (vtr_analysis_get_timeline (analysis), address->run)->submit;

  object = json_object_new ();
  json_object_set_member (
    object, "command", vtr_json_command (vtr_analysis_get_trace (analysis), address->index));
  json_object_set_member (object, "recording", make_recording (&self));
  json_object_set_member (object, "pass", make_pass (&self));
  for (guint i = 0; i < G_N_ELEMENTS (point_names); i++)
    json_object_set_member (object, point_names[i], make_bind_point (&self, i));
  set_buffers (&self, object);
  set_fixed_state (&self, object);
  set_dynamic_state (&self, object);
  return vtr_json_take_object (object);
}
