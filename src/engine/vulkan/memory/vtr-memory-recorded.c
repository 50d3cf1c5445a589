/* Lists the memory that is bound at a recorded command: vertex, index, indirect, uniform, storage
 * and texel buffers, images, attachments, and the source and destination of transfers. */
#include "engine/vulkan/memory/vtr-memory-lister.h"

#include "vtr-config.h"

#include "api/vtr-api-args.h"
#include "engine/vulkan/state/vtr-descriptors.h"
#include "engine/vulkan/state/vtr-newer-form.h"
#include "engine/vulkan/state/vtr-older-form.h"
#include "engine/vulkan/state/vtr-work.h"
#include "vulkan/vtr-vulkan-facts.h"
#include "vulkan/vtr-vulkan-formats.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#define VALUE(handle) ((guint64)(gsize)(handle))

/* The ranges of the vertex and index buffers that a draw reads. */
typedef struct
{
  guint64 first_vertex, n_vertices; /* n: G_MAXUINT64: not known */
  guint64 first_instance, n_instances;
  guint64 first_index, n_indices;
  gboolean indexed;
} Draw;

/* --- Vertices -------------------------------------------------------------------------------- */

/* "unorm8x4", "f32x3": a format as a memory type. (transfer full) (nullable) */
static char *
format_type (VkFormat format)
{
  static const char *const numerics[] = { "unorm", "snorm", "u", "i", "u", "i", "f", "f", "unorm" };
  const VtrPixelFormat *info = vtr_vulkan_format_get (format);

  if (!vtr_pixel_format_is_plain (info) || info->shared_exponent)
    return NULL;
  for (guint i = 0; i < info->n_components; i++)
    if (info->components[i].bits != info->components[0].bits ||
        info->components[i].offset != i * info->components[0].bits ||
        info->components[i].numeric != info->components[0].numeric)
      return NULL;
  if (info->components[0].bits % 8 != 0 || info->components[0].numeric >= G_N_ELEMENTS (numerics))
    return NULL;
  if (info->n_components == 1)
    return g_strdup_printf ("%s%u", numerics[info->components[0].numeric],
                            info->components[0].bits);
  return g_strdup_printf ("%s%ux%u", numerics[info->components[0].numeric],
                          info->components[0].bits, info->n_components);
}

/* "{f32x3 location0 @0; …; stride 20}" (transfer full) (nullable) */
static char *
vertex_type (const VkPipelineVertexInputStateCreateInfo *input,
             guint32                                     binding,
             guint64                                     stride)
{
  g_autoptr (GString) text = g_string_new ("{");

  for (guint32 i = 0; input->pVertexAttributeDescriptions != NULL &&
                      i < input->vertexAttributeDescriptionCount;
       i++)
    {
      const VkVertexInputAttributeDescription *attribute = &input->pVertexAttributeDescriptions[i];
      g_autofree char *type = NULL;

      if (attribute->binding != binding)
        continue;
      type = format_type (attribute->format);
      if (type != NULL)
        g_string_append_printf (text, "%s location%u @%u; ", type, attribute->location,
                                attribute->offset);
    }
  if (text->len == 1)
    return NULL;
  g_string_append_printf (text, "stride %" G_GUINT64_FORMAT "}", stride);
  return g_strdup (text->str);
}

/* The part of a vertex buffer that a draw takes, from its binding's offset on. */
static void
vertex_part (const Draw                            *draw,
             const VkVertexInputBindingDescription *binding,
             guint64                                stride,
             guint64                               *offset,
             guint64                               *size)
{
  gboolean instances = binding->inputRate == VK_VERTEX_INPUT_RATE_INSTANCE;
  guint64 first = instances ? draw->first_instance : draw->first_vertex;
  guint64 n = instances ? draw->n_instances : draw->n_vertices;

  *offset = 0;
  *size = VK_WHOLE_SIZE;
  if (n == G_MAXUINT64)
    return;
  if (stride == 0)
    return;
  if (__builtin_mul_overflow (first, stride, offset) || __builtin_mul_overflow (n, stride, size))
    {
      *offset = 0;
      *size = VK_WHOLE_SIZE;
    }
}

static void
add_vertex_buffers (VtrMemoryLister       *self,
                    const VtrBoundState   *state,
                    const VtrPipelineInfo *pipeline,
                    const Draw            *draw)
{
  const VkPipelineVertexInputStateCreateInfo *input =
    pipeline->graphics != NULL ? pipeline->graphics->pVertexInputState : NULL;

  if (input == NULL || input->pVertexBindingDescriptions == NULL ||
      vtr_pipeline_info_is_dynamic (pipeline, VK_DYNAMIC_STATE_VERTEX_INPUT_EXT))
    {
      for (guint i = 0; i < VTR_MAX_VERTEX_BUFFERS; i++)
        vtr_memory_lister_add_buffer (
          self, state->vertex_buffers[i].buffer, state->vertex_buffers[i].offset,
          state->vertex_buffers[i].size, VTR_MEMORY_READ | VTR_MEMORY_POSSIBLY,
          g_strdup_printf (_ ("vertex buffer %u"), i), NULL);
      return;
    }
  for (guint32 i = 0; i < input->vertexBindingDescriptionCount; i++)
    {
      const VkVertexInputBindingDescription *binding = &input->pVertexBindingDescriptions[i];
      guint64 stride = binding->stride, offset, size, limit;

      if (binding->binding >= VTR_MAX_VERTEX_BUFFERS)
        continue;
      if (state->vertex_buffers[binding->binding].stride != 0)
        stride = state->vertex_buffers[binding->binding].stride;
      vertex_part (draw, binding, stride, &offset, &size);
      limit = state->vertex_buffers[binding->binding].size;
      if (limit != VK_WHOLE_SIZE && offset >= limit)
        continue;
      if (limit != VK_WHOLE_SIZE)
        size = MIN (size, limit - offset);
      vtr_memory_lister_add_buffer (
        self, state->vertex_buffers[binding->binding].buffer,
        state->vertex_buffers[binding->binding].offset + offset, size,
        VTR_MEMORY_READ | (size == VK_WHOLE_SIZE ? (guint)VTR_MEMORY_POSSIBLY : 0),
        g_strdup_printf (_ ("vertex buffer %u"), binding->binding),
        vertex_type (input, binding->binding, stride));
    }
}

static void
add_index_buffer (VtrMemoryLister     *self,
                  const VtrBoundState *state,
                  const Draw          *draw)
{
  guint64 width = state->index_type == VK_INDEX_TYPE_UINT32      ? 4
                  : state->index_type == VK_INDEX_TYPE_UINT8_EXT ? 1
                                                                 : 2;
  guint64 size = VK_WHOLE_SIZE, offset = 0;

  if (!draw->indexed)
    return;
  if (draw->n_indices != G_MAXUINT64)
    {
      offset = draw->first_index * width;
      size = draw->n_indices * width;
    }
  vtr_memory_lister_add_buffer (
    self, state->index_buffer, state->index_offset + offset, size,
    VTR_MEMORY_READ | (size == VK_WHOLE_SIZE ? (guint)VTR_MEMORY_POSSIBLY : 0),
    g_strdup (_ ("index buffer")),
    g_strdup (width == 4 ? "u32" : width == 2 ? "u16"
                                              : "u8"));
}

/* --- Descriptors ----------------------------------------------------------------------------- */

static guint
descriptor_access (VkDescriptorType type)
{
  const guint written =
    vtr_descriptor_get_written (type) != VTR_HANDLE_NONE ? (guint)VTR_MEMORY_WRITE : 0;

  return VTR_MEMORY_READ | VTR_MEMORY_POSSIBLY | written;
}

static const char *
descriptor_name (VkDescriptorType type)
{
  switch ((int)type)
    {
    case VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER:
    case VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC:
      return _ ("uniform buffer");
    case VK_DESCRIPTOR_TYPE_STORAGE_BUFFER:
    case VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC:
      return _ ("storage buffer");
    case VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER:
    case VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER:
      return _ ("texel buffer");
    case VK_DESCRIPTOR_TYPE_STORAGE_IMAGE:
      return _ ("storage image");
    case VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT:
      return _ ("input attachment");
    default:
      return _ ("image");
    }
}

/* The image behind a view. */
static guint64
view_image (VtrMemoryLister *self,
            guint64          view)
{
  const VtrObject *object =
    vtr_history_find (self->memory->history, vtr_vulkan_identity (VTR_HANDLE_VkImageView, view),
                      self->time);
  VtrCommand command;

  if (object == NULL ||
      !vtr_history_decode_creation (self->memory->history, object, &self->arena, &command, NULL) ||
      command.id != VTR_CMD_vkCreateImageView ||
      ((const VtrArgs_vkCreateImageView *)command.args)->pCreateInfo == NULL)
    return 0;
  return VALUE (((const VtrArgs_vkCreateImageView *)command.args)->pCreateInfo->image);
}

static void
add_texel_view (VtrMemoryLister *self,
                guint64          view,
                guint            access,
                const char      *label)
{
  const VtrObject *object =
    vtr_history_find (self->memory->history, vtr_vulkan_identity (VTR_HANDLE_VkBufferView, view),
                      self->time);
  const VkBufferViewCreateInfo *info;
  VtrCommand command;

  if (object == NULL ||
      !vtr_history_decode_creation (self->memory->history, object, &self->arena, &command, NULL) ||
      command.id != VTR_CMD_vkCreateBufferView ||
      (info = ((const VtrArgs_vkCreateBufferView *)command.args)->pCreateInfo) == NULL)
    return;
  vtr_memory_lister_add_buffer (self, VALUE (info->buffer), info->offset, info->range, access,
                                g_strdup (label), format_type (info->format));
}

static void
add_descriptor (VtrMemoryLister     *self,
                const VtrDescriptor *descriptor,
                VkDescriptorType     type,
                guint64              dynamic,
                const char          *block,
                const char          *label)
{
  guint access = descriptor_access (type);

  if (!descriptor->written)
    return;
  if (self->blocks != NULL && self->descriptor != NULL &&
      !vtr_memory_blocks_may_write (self->blocks, self->descriptor->set,
                                    self->descriptor->binding))
    access &= ~(guint)VTR_MEMORY_WRITE;
  if (descriptor->buffer != 0)
    vtr_memory_lister_add_buffer (self, descriptor->buffer, descriptor->offset + dynamic,
                                  descriptor->range, access, g_strdup (label), g_strdup (block));
  else if (descriptor->texel_view != 0)
    add_texel_view (self, descriptor->texel_view, access, label);
  else if (descriptor->view != 0)
    vtr_memory_lister_add_image (self, view_image (self, descriptor->view), access, label);
}

/* Variables that share a binding have a range each, with the names of their types. */
static void
add_described (VtrMemoryLister      *self,
               const VtrDescriptor  *descriptor,
               VkDescriptorType      type,
               guint64               dynamic,
               char                **blocks,
               const char           *label)
{
  if (blocks == NULL || blocks[1] == NULL)
    {
      add_descriptor (self, descriptor, type, dynamic, blocks != NULL ? blocks[0] : NULL, label);
      return;
    }
  for (guint i = 0; blocks[i] != NULL && !vtr_memory_list_is_full (self->list); i++)
    {
      const char *name =
        g_str_has_prefix (blocks[i], "block ") ? blocks[i] + strlen ("block ") : blocks[i];
      g_autofree char *own =
        g_strdup_printf ("%s · %.*s", label, (int)strcspn (name, " {"), name);

      add_descriptor (self, descriptor, type, dynamic, blocks[i], own);
    }
}

static gboolean
is_dynamic (VkDescriptorType type)
{
  return type == VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC ||
         type == VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC;
}

static void
add_set (VtrMemoryLister             *self,
         const VtrBoundState         *state,
         guint                        point,
         guint32                      set,
         const VtrDescriptorContents *contents)
{
  guint32 dynamic = 0;

  for (guint32 i = 0; i < contents->n_bindings; i++)
    {
      const VtrDescriptorBinding *binding = &contents->bindings[i];
      VkShaderStageFlags stages = 0;
      g_auto (GStrv) blocks =
        self->blocks != NULL
          ? vtr_memory_blocks_describe (self->blocks, set, binding->binding, &stages)
          : NULL;

      for (guint32 k = 0;
           k < binding->n_descriptors && !vtr_memory_list_is_full (self->list); k++)
        {
          g_autofree char *name =
            binding->count == 1
              ? g_strdup_printf ("%s %u.%u", descriptor_name (binding->type), set, binding->binding)
              : g_strdup_printf ("%s %u.%u[%u]", descriptor_name (binding->type), set,
                                 binding->binding, k);
          guint64 offset = 0;

          if (is_dynamic (binding->type) &&
              dynamic + k < MIN (state->bind_points[point].n_dynamic_offsets[set],
                                 VTR_MAX_DYNAMIC_OFFSETS))
            offset = state->bind_points[point].dynamic_offsets[set][dynamic + k];
          self->descriptor =
            &(VtrMemoryDescriptor){ set, binding->binding, k, offset, stages };
          add_described (self, &binding->descriptors[k], binding->type, offset, blocks, name);
          self->descriptor = NULL;
        }
      if (is_dynamic (binding->type))
        dynamic += binding->count;
    }
}

static void
add_sets (VtrMemoryLister     *self,
          const VtrBoundState *state,
          guint                point)
{
  guint64 first = state->recording != VTR_NO_RECORDING
                    ? vtr_timeline_get_recording (self->memory->timeline, state->recording)->first
                    : 0;

  for (guint32 i = 0; i < VTR_MAX_SETS; i++)
    {
      guint64 handle = state->bind_points[point].sets[i];
      gboolean pushed = (state->bind_points[point].pushed & 1u << i) != 0;
      VtrDescriptorContents contents = { 0 };
      const VtrObject *set;

      if (pushed)
        {
          if (vtr_descriptors_get_pushed (self->memory->history,
                                          first + state->bind_points[point].set_command[i],
                                          &self->arena, &contents, NULL))
            add_set (self, state, point, i, &contents);
          continue;
        }
      set = handle != 0 ? vtr_history_find (self->memory->history,
                                            vtr_vulkan_identity (VTR_HANDLE_VkDescriptorSet,
                                                                 handle),
                                            self->time)
                        : NULL;
      if (set != NULL && vtr_descriptors_get (self->memory->history, set, self->time, &self->arena,
                                              &contents, NULL))
        add_set (self, state, point, i, &contents);
    }
}

/* --- Draws and dispatches -------------------------------------------------------------------- */

/* Buffers with the arguments of indirect calls, by the names the registry gives them: buffer,
   offset; countBuffer, countBufferOffset. */
static void
add_indirect (VtrMemoryLister  *self,
              const VtrCommand *command)
{
  static const struct
  {
    const char *buffer, *offset;
  } names[] = { { "buffer", "offset" },
                { "countBuffer", "countBufferOffset" },
                { "counterBuffer", "counterBufferOffset" } };
  const guint8 *args = command->args;
  int stride_param = vtr_cmd_find_param (command->id, "stride");
  int count_param = vtr_cmd_find_param (command->id, "drawCount");
  guint32 count = 1, stride = 0;

  if (count_param < 0)
    count_param = vtr_cmd_find_param (command->id, "maxDrawCount");
  if (count_param >= 0)
    memcpy (&count,
            args + vtr_cmd_param (command->id, (unsigned)count_param)->offset[VTR_ABI_NATIVE],
            4);
  if (stride_param >= 0)
    memcpy (&stride,
            args + vtr_cmd_param (command->id, (unsigned)stride_param)->offset[VTR_ABI_NATIVE], 4);
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      int buffer = vtr_cmd_find_param (command->id, names[i].buffer);
      int offset = vtr_cmd_find_param (command->id, names[i].offset);
      gboolean dispatch = vtr_cmd_is (command->id, VTR_CLASS_DISPATCH);
      gboolean indexed = strstr (vtr_cmd_name (command->id), "Indexed") != NULL;
      guint64 handle, at, size;

      if (buffer < 0 || offset < 0 ||
          vtr_cmd_param (command->id, (unsigned)buffer)->kind != VTR_KIND_HANDLE)
        continue;
      memcpy (&handle, args + vtr_cmd_param (command->id, (unsigned)buffer)->offset[VTR_ABI_NATIVE],
              8);
      memcpy (&at, args + vtr_cmd_param (command->id, (unsigned)offset)->offset[VTR_ABI_NATIVE],
              8);
      size = i > 0       ? 4
             : dispatch  ? 12
             : count > 1 ? (guint64)stride * (count - 1) + (indexed ? 20 : 16)
                         : (indexed ? 20 : 16);
      vtr_memory_lister_add_buffer (
        self, handle, at, size, VTR_MEMORY_READ,
        g_strdup (i == 0 ? _ ("indirect arguments") : _ ("count")),
        g_strdup (i > 0 ? "u32" : dispatch ? "{u32 x; u32 y; u32 z}"
                                : indexed  ? "{u32 indexCount; u32 instanceCount; u32 firstIndex; "
                                             "i32 vertexOffset; u32 firstInstance}"
                                           : "{u32 vertexCount; u32 instanceCount; "
                                             "u32 firstVertex; u32 firstInstance}"));
    }
}

static Draw
describe_draw (const VtrCommand *command)
{
  Draw draw = { .n_vertices = G_MAXUINT64,
                .n_instances = G_MAXUINT64,
                .n_indices = G_MAXUINT64,
                .indexed = strstr (vtr_cmd_name (command->id), "Indexed") != NULL };

  if (command->id == VTR_CMD_vkCmdDraw)
    {
      const VtrArgs_vkCmdDraw *a = command->args;

      draw.first_vertex = a->firstVertex;
      draw.n_vertices = a->vertexCount;
      draw.first_instance = a->firstInstance;
      draw.n_instances = a->instanceCount;
    }
  else if (command->id == VTR_CMD_vkCmdDrawIndexed)
    {
      const VtrArgs_vkCmdDrawIndexed *a = command->args;

      draw.first_index = a->firstIndex;
      draw.n_indices = a->indexCount;
      draw.first_instance = a->firstInstance;
      draw.n_instances = a->instanceCount;
    }
  return draw;
}

static void
add_attachments (VtrMemoryLister     *self,
                 const VtrBoundState *state)
{
  for (guint32 i = 0; i < MIN (state->n_colors, VTR_MAX_ATTACHMENTS); i++)
    {
      g_autofree char *label = g_strdup_printf (_ ("color attachment %u"), i);

      if (state->colors[i].image != 0)
        vtr_memory_lister_add_image (self, state->colors[i].image_handle,
                                     VTR_MEMORY_READ | VTR_MEMORY_WRITE | VTR_MEMORY_POSSIBLY,
                                     label);
    }
  if (state->has_depth && state->depth.image != 0)
    vtr_memory_lister_add_image (self, state->depth.image_handle,
                                 VTR_MEMORY_READ | VTR_MEMORY_WRITE | VTR_MEMORY_POSSIBLY,
                                 _ ("depth attachment"));
  if (state->has_stencil && state->stencil.image != 0 &&
      state->stencil.image != state->depth.image)
    vtr_memory_lister_add_image (self, state->stencil.image_handle,
                                 VTR_MEMORY_READ | VTR_MEMORY_WRITE | VTR_MEMORY_POSSIBLY,
                                 _ ("stencil attachment"));
}

static void
add_work (VtrMemoryLister  *self,
          const VtrCommand *command)
{
  g_autofree VtrBoundState *state = g_new0 (VtrBoundState, 1);
  VtrApiClass work = vtr_work_of (command->id, command->args);
  gboolean draws = (work & VTR_CLASS_DRAW) != 0;
  guint point = vtr_work_get_point (work);
  Draw draw = describe_draw (command);
  VtrPipelineInfo pipeline = { 0 };
  const VtrObject *object;

  if (work == 0 || !vtr_bound_walker_get (self->memory->walker, command->index, state, NULL))
    return;
  if (draws)
    {
      object = vtr_history_find (self->memory->history,
                                 vtr_vulkan_identity (VTR_HANDLE_VkPipeline,
                                                      state->bind_points[0].pipeline),
                                 self->time);
      if (object == NULL || !vtr_history_get_pipeline_info (self->memory->history, object,
                                                            &self->arena, &pipeline, NULL))
        memset (&pipeline, 0, sizeof pipeline);
      add_vertex_buffers (self, state, &pipeline, &draw);
      add_index_buffer (self, state, &draw);
    }
  add_indirect (self, command);
  self->blocks = vtr_vulkan_memory_get_blocks (self->memory, state, point, self->time);
  add_sets (self, state, point);
  g_clear_pointer (&self->blocks, vtr_memory_blocks_unref);
  if (draws)
    add_attachments (self, state);
}

/* --- Transfers ------------------------------------------------------------------------------- */

/* The writes of @index that the pass over the trace found. @alone: without what it shares with the
   commands before. */
static void
add_events (VtrMemoryLister *self,
            gboolean         alone)
{
  g_autoptr (GArray) sure = g_array_new (FALSE, FALSE, sizeof (VtrRange));
  g_autoptr (GArray) maybe = g_array_new (FALSE, FALSE, sizeof (VtrRange));
  guint32 run = self->run;
  VtrMemoryEvents events;

  /* The writes of secondaries are with the primary. */
  while (run != VTR_NO_RUN &&
         vtr_timeline_get_run (self->memory->timeline, run)->parent != VTR_NO_RUN)
    run = vtr_timeline_get_run (self->memory->timeline, run)->parent;
  if (run == VTR_NO_RUN)
    return;
  vtr_memory_events_init (&events);
  vtr_memory_list_load_run (self->list, run, &events);
  for (guint i = 0; i < events.events->len; i++)
    {
      const VtrMemoryEvent *event = &g_array_index (events.events, VtrMemoryEvent, i);

      if ((alone ? event->first == self->index : event->first <= self->index) &&
          self->index <= event->last && event->n_ranges > 0)
        g_array_append_vals (event->kind == VTR_EVENT_MAYBE ? maybe : sure,
                             &g_array_index (events.ranges, VtrRange, event->first_range),
                             event->n_ranges);
    }
  vtr_memory_events_finish (&events);
  vtr_memory_list_add_places (self->list, sure, VTR_MEMORY_WRITE, _ ("destination"));
  vtr_memory_list_add_places (self->list, maybe, VTR_MEMORY_WRITE | VTR_MEMORY_POSSIBLY,
                              _ ("destination"));
}

static void
add_source_image (VtrMemoryLister *self,
                  VkImage          image)
{
  vtr_memory_lister_add_image (self, VALUE (image), VTR_MEMORY_READ | VTR_MEMORY_POSSIBLY,
                               _ ("source"));
}

static void
add_source_buffer (VtrMemoryLister *self,
                   VkBuffer         buffer,
                   guint64          offset,
                   guint64          size)
{
  vtr_memory_lister_add_buffer (
    self, VALUE (buffer), offset, size,
    VTR_MEMORY_READ | (size == VK_WHOLE_SIZE ? (guint)VTR_MEMORY_POSSIBLY : 0),
    g_strdup (_ ("source")), NULL);
}

/* Sources by the names the registry gives them: srcBuffer, srcImage. Regions of plain buffer copies
   are exact; of others it is known where they begin. */
static void
add_handle_source (gpointer              data,
                   const VtrVisitHandle *handle)
{
  VtrMemoryLister *self = data;
  const char *name = vtr_api_string (handle->field->name);
  guint64 value;

  if (handle->ignored || handle->dispatchable || !g_str_has_prefix (name, "src"))
    return;
  value = *(const guint64 *)handle->slot;
  if (handle->type == VTR_HANDLE_VkImage)
    add_source_image (self, (VkImage)value);
  else if (handle->type == VTR_HANDLE_VkBuffer)
    add_source_buffer (self, (VkBuffer)value, 0, VK_WHOLE_SIZE);
}

static void
add_sources (VtrMemoryLister  *self,
             const VtrCommand *command)
{
  static const VtrApiEnv decoded_env = { .decoded = true };
  const VtrApiVisitor visitor = { .data = self, .handle = add_handle_source };
  g_auto (VtrNewerForm) newer;
  const VkCopyBufferInfo2 *info;

  vtr_newer_form_init (&newer, command);
  if (newer.command.id != VTR_CMD_vkCmdCopyBuffer2)
    {
      vtr_api_visit (command->id, command->args, &decoded_env, &visitor);
      return;
    }
  info = ((const VtrArgs_vkCmdCopyBuffer2 *)newer.command.args)->pCopyBufferInfo;
  for (guint32 i = 0; info != NULL && info->pRegions != NULL && i < info->regionCount; i++)
    add_source_buffer (self, info->srcBuffer, info->pRegions[i].srcOffset, info->pRegions[i].size);
}

void
vtr_memory_lister_add_recorded (VtrMemoryLister  *self,
                                const VtrCommand *command)
{
  VtrCmdId id = command->id;

  if (vtr_cmd_is (id, VTR_CLASS_DRAW | VTR_CLASS_DISPATCH | VTR_CLASS_TRACE_RAYS |
                        VTR_CLASS_GENERATED))
    {
      add_work (self, command);
      if (vtr_cmd_is (id, VTR_CLASS_GENERATED))
        add_events (self, TRUE);
    }
  else if (vtr_cmd_is (id, VTR_CLASS_BIND))
    {
      if (vtr_cmd_older_form (id) == VTR_CMD_vkCmdBindIndexBuffer)
        {
          VtrOlderForms forms;
          const VtrArgs_vkCmdBindIndexBuffer *a;

          vtr_older_forms_init (&forms, command);
          a = forms.command.args;

          vtr_memory_lister_add_buffer (
            self, VALUE (a->buffer), a->offset, VK_WHOLE_SIZE,
            VTR_MEMORY_READ | VTR_MEMORY_POSSIBLY, g_strdup (_ ("index buffer")),
            g_strdup (a->indexType == VK_INDEX_TYPE_UINT32 ? "u32" : "u16"));
        }
    }
  else
    {
      if (vtr_cmd_is (id, VTR_CLASS_TRANSFER))
        add_sources (self, command);
      add_events (self, FALSE);
    }
}
