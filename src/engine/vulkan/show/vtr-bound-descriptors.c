/* Makes rows for descriptor sets and push constants. */
#include "engine/vulkan/show/vtr-bound-builder.h"

#include "base/vtr-number.h"
#include "engine/memory/vtr-memory-type.h"
#include "engine/model/vtr-command-text.h"
#include "engine/vulkan/memory/vtr-memory-blocks.h"
#include "engine/vulkan/state/vtr-descriptors.h"

#include "api/vtr-api-args.h"

#include <glib/gi18n.h>
#include <string.h>

/* "uniform buffer dynamic" of VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC. */
static char *
describe_type (VkDescriptorType type)
{
  const char *name = vtr_enum_value_name (VTR_ENUM_VkDescriptorType, type);
  const char *prefix = "VK_DESCRIPTOR_TYPE_";
  char *text;

  if (name == NULL)
    return g_strdup_printf ("%d", (int)type);
  if (g_str_has_prefix (name, prefix))
    name += strlen (prefix);
  text = g_ascii_strdown (name, -1);
  for (char *at = text; *at != '\0'; at++)
    if (*at == '_')
      *at = ' ';
  return text;
}

/* "1024 × 1024 R8G8B8A8_UNORM" of the image behind a view. */
static char *
describe_view (VtrBoundBuilder *self, guint64 handle)
{
  const VtrObject *view =
    vtr_history_find (self->history, vtr_vulkan_identity (VTR_HANDLE_VkImageView, handle),
                      self->submit);
  const VtrArgs_vkCreateImageView *args;
  const VtrObject *image;
  const char *format;
  VtrCommand command;
  VtrImageInfo info;

  if (view == NULL ||
      !vtr_history_decode_creation (self->history, view, &self->source->arena, &command, NULL) ||
      command.id != VTR_CMD_vkCreateImageView || (args = command.args)->pCreateInfo == NULL)
    return NULL;
  image = vtr_history_find (self->history,
                            vtr_vulkan_identity (VTR_HANDLE_VkImage,
                                                 (guint64)args->pCreateInfo->image),
                            view->created);
  if (image == NULL || !vtr_history_get_image_info (self->history, image, &info, NULL))
    return NULL;
  format = vtr_enum_value_name (VTR_ENUM_VkFormat, args->pCreateInfo->format);
  if (format != NULL && g_str_has_prefix (format, "VK_FORMAT_"))
    format += strlen ("VK_FORMAT_");
  return g_strdup_printf ("%u × %u %s", info.extent.width, info.extent.height,
                          format != NULL ? format : "");
}

static char *
describe_range (const VtrDescriptor *descriptor, gint64 dynamic_offset)
{
  guint64 offset = descriptor->offset + (dynamic_offset >= 0 ? (guint64)dynamic_offset : 0);
  GString *text = g_string_new (NULL);

  if (descriptor->range == VK_WHOLE_SIZE)
    g_string_append (text, _ ("to its end"));
  else
    g_string_append_printf (text, _ ("%s B"), VTR_NUMBER (descriptor->range));
  if (offset != 0)
    g_string_append_printf (text, _ (" at %s"), VTR_NUMBER (offset));
  if (dynamic_offset >= 0)
    g_string_append_printf (text, _ (" (dynamic %s)"), VTR_NUMBER ((guint64)dynamic_offset));
  return g_string_free (text, FALSE);
}

static VtrPropertyRow *
make_descriptor (VtrBoundBuilder     *self,
                 const char          *name,
                 const VtrDescriptor *descriptor,
                 guint64              immutable_sampler,
                 gint64               dynamic_offset)
{
  g_autofree char *note = NULL;
  VtrPropertyRow *row;

  if (descriptor->buffer != 0)
    {
      note = describe_range (descriptor, dynamic_offset);
      return vtr_bound_builder_make_handle (self, name, VTR_HANDLE_VkBuffer, descriptor->buffer,
                                            note);
    }
  if (descriptor->view != 0)
    {
      note = describe_view (self, descriptor->view);
      return vtr_bound_builder_make_handle (self, name, VTR_HANDLE_VkImageView, descriptor->view,
                                            note);
    }
  if (descriptor->sampler != 0 || immutable_sampler != 0)
    return vtr_bound_builder_make_handle (self, name, VTR_HANDLE_VkSampler,
                                          descriptor->sampler != 0 ? descriptor->sampler
                                                                   : immutable_sampler,
                                          descriptor->sampler == 0 ? _ ("immutable") : NULL);
  if (descriptor->texel_view != 0)
    return vtr_bound_builder_make_handle (self, name, VTR_HANDLE_VkBufferView,
                                          descriptor->texel_view, NULL);
  if (descriptor->acceleration_structure != 0)
    return vtr_bound_builder_make_handle (self, name, VTR_HANDLE_VkAccelerationStructureKHR,
                                          descriptor->acceleration_structure, NULL);
  row = vtr_property_row_new (name, descriptor->written ? _ ("null descriptor") : _ ("not bound"),
                              NULL, NULL);
  if (!descriptor->written)
    vtr_property_row_set_warning (row, _ ("This descriptor was never written."));
  return row;
}

/* Where the dynamic offsets of @binding begin among those of its set; -1: it takes none. */
static gint64
find_dynamic_offset (const VtrDescriptorContents *contents, guint32 binding)
{
  gint64 at = 0;

  for (guint32 i = 0; i <= binding; i++)
    {
      const VtrDescriptorBinding *other = &contents->bindings[i];
      gboolean dynamic = other->type == VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC ||
                         other->type == VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC;

      if (i == binding)
        return dynamic ? at : -1;
      if (dynamic)
        at += other->count;
    }
  return -1;
}

static gint64
get_dynamic_offset (VtrBoundBuilder *self, guint32 set, gint64 at)
{
  if (at < 0 || at >= self->state->bind_points[self->point].n_dynamic_offsets[set])
    return -1;
  return self->state->bind_points[self->point].dynamic_offsets[set][at];
}

char *
vtr_bound_builder_name_binding (const VtrDescriptorBinding *binding)
{
  g_autofree char *type = describe_type (binding->type);

  return g_strdup_printf ("%u · %s", binding->binding, type);
}

VtrPropertyRow *
vtr_bound_builder_make_binding (VtrBoundBuilder             *self,
                                const VtrDescriptorContents *contents,
                                guint32                      set,
                                guint32                      nth)
{
  const VtrDescriptorBinding *binding = &contents->bindings[nth];
  g_autofree char *name = vtr_bound_builder_name_binding (binding);
  gint64 dynamic = find_dynamic_offset (contents, nth);
  g_autoptr (VtrPropertyList) children = NULL;
  g_autofree char *text = NULL;
  GPtrArray *rows;

  if (binding->type == VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK)
    {
      text = g_strdup_printf (_ ("%u bytes inline"), binding->count);
      return vtr_property_row_new (name, text, NULL, NULL);
    }
  if (binding->count == 1)
    return make_descriptor (self, name, &binding->descriptors[0],
                            binding->immutable_samplers != NULL ? binding->immutable_samplers[0]
                                                                : 0,
                            get_dynamic_offset (self, set, dynamic));

  rows = g_ptr_array_new_with_free_func (g_object_unref);
  for (guint32 i = 0; i < binding->n_descriptors; i++)
    {
      g_autofree char *element = g_strdup_printf ("[%u]", i);

      g_ptr_array_add (
        rows,
        make_descriptor (self, element, &binding->descriptors[i],
                         binding->immutable_samplers != NULL ? binding->immutable_samplers[i] : 0,
                         get_dynamic_offset (self, set, dynamic < 0 ? -1 : dynamic + i)));
    }
  children = vtr_property_list_new_take (rows);
  text = g_strdup_printf (g_dngettext (NULL, "%u descriptor", "%u descriptors", binding->count),
                          binding->count);
  return vtr_property_row_new (name, text, NULL, G_LIST_MODEL (children));
}

static gboolean
get_set (VtrBoundBuilder *self, guint32 set, VtrDescriptorContents *out)
{
  const VtrBoundState *state = self->state;
  const VtrRecording *recording =
    vtr_timeline_get_recording (vtr_analysis_get_timeline (self->analysis), state->recording);
  const VtrObject *object;

  if ((state->bind_points[self->point].pushed >> set & 1) != 0)
    return vtr_descriptors_get_pushed (
      self->history, recording->first + state->bind_points[self->point].set_command[set],
      &self->source->arena, out, NULL);
  object = vtr_history_find (self->history,
                             vtr_vulkan_identity (VTR_HANDLE_VkDescriptorSet,
                                                  state->bind_points[self->point].sets[set]),
                             self->index);
  return object != NULL && vtr_descriptors_get (self->history, object, self->submit,
                                                &self->source->arena, out, NULL);
}

/* Rows of a set that no command has bound: samplers that are embedded in its layout need none. */
static void
add_unbound (VtrBoundBuilder             *self,
             gboolean                     known,
             const VtrDescriptorContents *layout,
             guint32                      set,
             VkShaderStageFlagBits        bits,
             GPtrArray                   *rows)
{
  VtrPropertyRow *row;

  if (known && layout->n_bindings == 0)
    return;
  if ((layout->flags & VK_DESCRIPTOR_SET_LAYOUT_CREATE_EMBEDDED_IMMUTABLE_SAMPLERS_BIT_EXT) != 0)
    {
      for (guint32 i = 0; i < layout->n_bindings; i++)
        if ((layout->bindings[i].stages & bits) != 0)
          g_ptr_array_add (rows, vtr_bound_builder_make_binding (self, layout, set, i));
      return;
    }
  row = vtr_property_row_new (_ ("set"), _ ("not bound"), NULL, NULL);
  if (known)
    vtr_property_row_set_warning (
      row, _ ("The pipeline layout has this set, but nothing is bound to it."));
  g_ptr_array_add (rows, row);
}

void
vtr_bound_builder_add_sets (VtrBoundBuilder *self, VtrStage stage, VkShaderStageFlagBits bits)
{
  const guint64 *layouts;
  guint32 n_layouts =
    vtr_pipeline_layout_get_sets (self->history, (guint64)self->pipeline.layout,
                                  self->pipeline.layout_named, &self->source->arena, &layouts);

  for (guint32 set = 0; set < MIN (n_layouts, VTR_MAX_SETS); set++)
    {
      VtrDescriptorContents contents = { 0 }, layout = { 0 };
      GPtrArray *rows = g_ptr_array_new_with_free_func (g_object_unref);
      g_autofree char *title = NULL;

      if (!get_set (self, set, &contents))
        {
          gboolean known =
            layouts[set] != 0 &&
            vtr_descriptors_get_layout (self->history, layouts[set], self->pipeline.layout_named,
                                        &self->source->arena, &layout);

          if (known && (self->state->bind_points[self->point].buffered >> set & 1) != 0)
            vtr_bound_builder_add_buffer_set (self, &layout, set, bits, rows);
          else
            add_unbound (self, known, &layout, set, bits, rows);
        }
      for (guint32 i = 0; i < contents.n_bindings; i++)
        if ((contents.bindings[i].stages & bits) != 0)
          g_ptr_array_add (rows, vtr_bound_builder_make_binding (self, &contents, set, i));
      if (contents.set != NULL && contents.set->name != NULL)
        title = g_strdup_printf (_ ("Set %u · %s"), set, contents.set->name);
      else
        title = g_strdup_printf (_ ("Set %u"), set);
      vtr_bound_model_add_group (self->model, stage, title, FALSE, rows);
    }
}

/* Sixteen bytes as numbers, and as they are. */
static VtrPropertyRow *
make_constants (const guint8 *bytes, guint32 offset, guint32 size)
{
  g_autofree char *name = g_strdup_printf (_ ("byte %u"), offset);
  g_autoptr (GString) floats = g_string_new (NULL);
  g_autoptr (GString) hex = g_string_new (NULL);
  VtrPropertyRow *row;

  for (guint32 i = 0; i + 4 <= size; i += 4)
    {
      float value;
      guint32 word;

      memcpy (&value, bytes + i, sizeof value);
      memcpy (&word, bytes + i, sizeof word);
      g_string_append_printf (floats, "%s%s", i > 0 ? ", " : "",
                              VTR_NUMBER_REAL ((double)value));
      g_string_append_printf (hex, "%s%08x", i > 0 ? " " : "", word);
    }
  row = vtr_property_row_new (name, floats->str, NULL, NULL);
  vtr_property_row_set_note (row, hex->str);
  return row;
}

/* @type at byte @at, its members each in a row. */
static void
add_typed_constants (VtrBoundBuilder     *self,
                     const VtrMemoryType *type,
                     const char          *name,
                     guint64              at,
                     GPtrArray           *rows)
{
  const VtrBoundState *state = self->state;
  VtrMemoryTypeKind kind = vtr_memory_type_get_kind (type);
  const char *member_name;
  guint64 offset;
  gboolean split =
    kind == VTR_MEMORY_TYPE_STRUCT ||
    (kind == VTR_MEMORY_TYPE_ARRAY && vtr_memory_type_get_n_members (type) > 0 &&
     vtr_memory_type_get_kind (vtr_memory_type_get_member (type, 0, &member_name, &offset)) ==
       VTR_MEMORY_TYPE_STRUCT);

  if (at >= sizeof state->push_constants)
    return;
  if (!split)
    {
      gboolean set = vtr_memory_type_get_size (type) + at <= state->push_constants_size;
      g_autofree char *type_name = vtr_memory_type_describe (type);
      g_autofree char *value = set ? vtr_memory_type_format (type, state->push_constants + at)
                                   : g_strdup (_ ("not set"));
      g_autofree char *place = g_strdup_printf (_ ("byte %u"), (guint)at);
      g_autofree char *note = g_strdup_printf ("%s · %s", type_name, place);
      VtrPropertyRow *row = vtr_property_row_new (name, value, NULL, NULL);

      vtr_property_row_set_note (row, note);
      g_ptr_array_add (rows, row);
      return;
    }
  for (guint64 i = 0; i < vtr_memory_type_get_n_members (type); i++)
    {
      const VtrMemoryType *member = vtr_memory_type_get_member (type, i, &member_name, &offset);
      g_autofree char *inner =
        member_name == NULL ? g_strdup_printf ("%s[%" G_GUINT64_FORMAT "]", name, i)
        : *name == '\0'     ? g_strdup (member_name)
                            : g_strdup_printf ("%s.%s", name, member_name);

      add_typed_constants (self, member, inner, at + offset, rows);
    }
}

/* Push constants as the stage's code declares them. Returns: FALSE when it does not. */
static gboolean
add_declared_constants (VtrBoundBuilder       *self,
                        VkShaderStageFlagBits  bits,
                        GPtrArray             *rows)
{
  g_autoptr (VtrMemoryBlocks) blocks = vtr_memory_blocks_new (self->history, &self->program);
  g_autofree char *text = vtr_memory_blocks_describe_push_constants (
    blocks, bits, 0, sizeof self->state->push_constants);
  g_autoptr (VtrMemoryType) type =
    text != NULL ? vtr_memory_type_parse (text, VTR_MEMORY_LAYOUT_STD430, NULL) : NULL;

  if (type == NULL)
    return FALSE;
  add_typed_constants (self, type, "", 0, rows);
  return TRUE;
}

void
vtr_bound_builder_add_push_constants (VtrBoundBuilder       *self,
                                      VtrStage               stage,
                                      VkShaderStageFlagBits  bits)
{
  const VtrObject *layout =
    vtr_history_find (self->history,
                      vtr_vulkan_identity (VTR_HANDLE_VkPipelineLayout,
                                           (guint64)self->pipeline.layout),
                      self->pipeline.layout_named);
  const VtrArgs_vkCreatePipelineLayout *args;
  const VkPipelineLayoutCreateInfo *info;
  gboolean declared;
  GPtrArray *rows;
  VtrCommand command;

  if (layout == NULL ||
      !vtr_history_decode_creation (self->history, layout, &self->source->arena, &command,
                                    NULL) ||
      command.id != VTR_CMD_vkCreatePipelineLayout ||
      (info = (args = command.args)->pCreateInfo) == NULL || info->pPushConstantRanges == NULL)
    return;

  rows = g_ptr_array_new_with_free_func (g_object_unref);
  declared = info->pushConstantRangeCount > 0 && add_declared_constants (self, bits, rows);
  for (guint32 i = 0; i < info->pushConstantRangeCount; i++)
    {
      const VkPushConstantRange *range = &info->pPushConstantRanges[i];
      guint32 set = self->state->push_constants_size;
      guint32 end = set;

      if ((range->stageFlags & bits) == 0)
        continue;
      if (range->size < end && range->offset < end - range->size)
        end = range->offset + range->size;
      for (guint32 at = range->offset; !declared && at < end; at += 16)
        g_ptr_array_add (
          rows, make_constants (self->state->push_constants + at, at, MIN (16, end - at)));
      if (range->offset >= set)
        {
          VtrPropertyRow *row = vtr_property_row_new (_ ("range"), _ ("not set"), NULL, NULL);

          vtr_property_row_set_warning (row,
                                        _ ("The pipeline layout has push constants here that "
                                           "no command has set."));
          g_ptr_array_add (rows, row);
        }
    }
  vtr_bound_model_add_group (self->model, stage, _ ("Push constants"), FALSE, rows);
}
