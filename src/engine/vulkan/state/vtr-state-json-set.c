/* Writes the state of descriptor sets and execution sets as JSON. */
#include "engine/vulkan/state/vtr-state-json.h"

/* Arrays up to this size are written element by element, larger ones only with the elements that
 * were set. */
#define MAX_DENSE 64

static JsonNode *
make_descriptor (VtrStateView             *view,
                 const VtrStateDescriptor *descriptor,
                 guint32                   immutable,
                 guint32                   element)
{
  JsonObject *object;

  if ((descriptor == NULL || !descriptor->written) && immutable == 0)
    return json_node_new (JSON_NODE_NULL);

  object = json_object_new ();
  json_object_set_int_member (object, "element", element);
  if (immutable != 0)
    {
      vtr_state_view_set_reference (view, object, "sampler", immutable);
      json_object_set_boolean_member (object, "immutableSampler", TRUE);
    }
  if (descriptor == NULL || !descriptor->written)
    return vtr_json_take_object (object);

  if (immutable == 0 && descriptor->sampler != 0)
    vtr_state_view_set_reference (view, object, "sampler", descriptor->sampler);
  switch ((int)descriptor->type)
    {
    case VK_DESCRIPTOR_TYPE_SAMPLER:
    case VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK:
      break;
    case VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER:
    case VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE:
    case VK_DESCRIPTOR_TYPE_STORAGE_IMAGE:
    case VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT:
      vtr_state_view_set_reference (view, object, "imageView", descriptor->object);
      vtr_state_json_set_enum (object, "imageLayout", VTR_ENUM_VkImageLayout,
                               descriptor->image_layout);
      break;
    case VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER:
    case VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER:
      vtr_state_view_set_reference (view, object, "bufferView", descriptor->object);
      break;
    case VK_DESCRIPTOR_TYPE_ACCELERATION_STRUCTURE_KHR:
    case VK_DESCRIPTOR_TYPE_ACCELERATION_STRUCTURE_NV:
      vtr_state_view_set_reference (view, object, "accelerationStructure", descriptor->object);
      break;
    default:
      vtr_state_view_set_reference (view, object, "buffer", descriptor->object);
      json_object_set_int_member (object, "offset", (gint64)descriptor->offset);
      if (descriptor->range == VK_WHOLE_SIZE)
        json_object_set_string_member (object, "range", "VK_WHOLE_SIZE");
      else
        json_object_set_int_member (object, "range", (gint64)descriptor->range);
      break;
    }
  vtr_state_json_set_command (view, object, "writtenBy", descriptor->command);
  return vtr_json_take_object (object);
}

static JsonNode *
make_descriptors (VtrStateView        *view,
                  const VtrStateSet   *set,
                  const VtrSetBinding *binding)
{
  JsonArray *array = json_array_new ();

  for (guint32 i = 0; i < binding->n_slots; i++)
    {
      const VtrStateDescriptor *descriptor = vtr_state_set_peek (set, binding->first + i);
      guint32 immutable = binding->samplers != NULL ? binding->samplers[i] : 0;

      if (binding->n_slots > MAX_DENSE)
        {
          if (descriptor == NULL)
            {
              /* Nothing in the whole block. */
              i += VTR_DESCRIPTORS_PER_BLOCK -
                   (binding->first + i) % VTR_DESCRIPTORS_PER_BLOCK - 1;
              continue;
            }
          if (!descriptor->written)
            continue;
        }
      json_array_add_element (array, make_descriptor (view, descriptor, immutable, i));
    }
  return vtr_json_take_array (array);
}

static JsonNode *
make_bytes (GBytes *bytes)
{
  gsize size = 0;
  const guint8 *data = bytes != NULL ? g_bytes_get_data (bytes, &size) : NULL;
  g_autoptr (GString) text = g_string_new (NULL);

  if (data == NULL)
    return json_node_new (JSON_NODE_NULL);
  for (gsize i = 0; i < size; i++)
    g_string_append_printf (text, "%02x", data[i]);
  return json_node_init_string (json_node_alloc (), text->str);
}

void
vtr_state_json_add_set (VtrStateView      *view,
                        const VtrStateSet *set,
                        JsonObject        *object)
{
  JsonArray *bindings = json_array_new ();

  vtr_state_view_set_reference (view, object, "layout", set->layout != NULL ? set->layout->id : 0);
  for (guint32 i = 0; set->layout != NULL && i < set->layout->n_bindings; i++)
    {
      const VtrSetBinding *from = &set->layout->bindings[i];
      gboolean bytes = from->type == VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK;
      JsonObject *binding = json_object_new ();

      json_object_set_int_member (binding, "binding", from->binding);
      vtr_state_json_set_enum (binding, "type", VTR_ENUM_VkDescriptorType, from->type);
      json_object_set_int_member (binding, bytes ? "size" : "count", from->count);
      vtr_state_json_set_flags (binding, "stages", VTR_ENUM_VkShaderStageFlagBits, from->stages);
      if (from->flags != 0)
        vtr_state_json_set_flags (binding, "flags", VTR_ENUM_VkDescriptorBindingFlagBits,
                                  from->flags);
      if (bytes)
        {
          const VtrStateDescriptor *block = vtr_state_set_peek (set, from->first);

          json_object_set_member (
            binding, "bytes", make_bytes (set->inline_data != NULL ? set->inline_data[i] : NULL));
          vtr_state_json_set_command (view, binding, "writtenBy",
                                      block != NULL && block->written ? block->command : 0);
        }
      else
        json_object_set_member (binding, "descriptors", make_descriptors (view, set, from));
      json_array_add_object_element (bindings, binding);
    }
  json_object_set_member (object, "bindings", vtr_json_take_array (bindings));
}

void
vtr_state_json_add_execution_set (VtrStateView               *view,
                                  const VtrStateExecutionSet *set,
                                  JsonObject                 *object)
{
  JsonArray *entries = json_array_new ();

  for (guint i = 0; set->entries != NULL && i < set->entries->len; i++)
    {
      const VtrExecutionSetEntry *from = &g_array_index (set->entries, VtrExecutionSetEntry, i);
      JsonObject *entry = json_object_new ();

      json_object_set_int_member (entry, "element", from->index);
      vtr_state_view_set_reference (view, entry, set->shaders ? "shader" : "pipeline",
                                    from->object);
      vtr_state_json_set_command (view, entry, "writtenBy", from->command);
      json_array_add_object_element (entries, entry);
    }
  json_object_set_member (object, "entries", vtr_json_take_array (entries));
}
