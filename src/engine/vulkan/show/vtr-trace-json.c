/* Writes what a trace says about Vulkan's devices, and the contents that the recorder added, as
 * JSON. */
#include "engine/vulkan/show/vtr-trace-json.h"

#include "engine/state/vtr-json.h"
#include "engine/vulkan/state/vtr-state.h"

typedef struct
{
  VtrAnalysis *analysis;
  guint64 index;
  JsonArray *array;
} WriteList;

static gboolean
list_write (const VtrMappedWrite *write, gsize nth, gpointer data, GError **error)
{
  WriteList *self = data;
  VtrHistory *history = vtr_analysis_get_history (self->analysis);
  JsonObject *object;

  if (write->texels != NULL)
    return TRUE; /* another API's */
  object = json_object_new ();
  if (write->image != 0)
    {
      json_object_set_member (
        object, "image", vtr_json_handle (history, VTR_HANDLE_VkImage, write->image, self->index));
      json_object_set_int_member (object, "aspect", write->aspect);
      json_object_set_int_member (object, "mip", write->mip);
      json_object_set_int_member (object, "layer", write->layer);
      json_object_set_int_member (object, "sample", write->sample);
    }
  else if (write->structure != 0)
    json_object_set_member (object, "structure",
                            vtr_json_handle (history, VTR_HANDLE_VkAccelerationStructureKHR,
                                             write->structure, self->index));
  else
    json_object_set_member (
      object, "memory",
      vtr_json_handle (history, VTR_HANDLE_VkDeviceMemory, write->memory, self->index));
  json_object_set_int_member (object, "offset", (gint64)write->offset);
  json_object_set_int_member (object, "size", (gint64)write->size);
  json_array_add_object_element (self->array, object);
  return TRUE;
}

JsonNode *
vtr_vulkan_describe_writes (VtrAnalysis *analysis, guint64 index, GError **error)
{
  WriteList list = { analysis, index, json_array_new () };

  if (!vtr_trace_each_mapped_write (vtr_analysis_get_trace (analysis), index, FALSE,
                                    list_write, &list, error))
    {
      json_array_unref (list.array);
      return NULL;
    }
  return vtr_json_take_array (list.array);
}

JsonNode *
vtr_vulkan_describe_devices (VtrAnalysis *analysis)
{
  VtrTrace *trace = vtr_analysis_get_trace (analysis);
  VtrHistory *history = vtr_analysis_get_history (analysis);
  JsonArray *array = json_array_new ();

  for (guint i = 0; i < vtr_trace_get_n_devices (trace); i++)
    {
      const VtrTraceDevice *device = vtr_trace_get_device (trace, i);
      JsonObject *object = json_object_new ();
      JsonArray *families = json_array_new ();

      json_object_set_member (object, "device",
                              vtr_json_handle (history, VTR_HANDLE_VkDevice, device->device,
                                               device->command));
      json_object_set_member (object, "command", vtr_json_command (trace, device->command));
      json_object_set_member (object, "properties",
                              vtr_json_struct (VTR_STRUCT_VkPhysicalDeviceProperties,
                                               &device->properties));
      json_object_set_member (object, "memory",
                              vtr_json_struct (VTR_STRUCT_VkPhysicalDeviceMemoryProperties,
                                               &device->memory));
      for (guint32 k = 0; k < device->n_queue_families; k++)
        json_array_add_element (families, vtr_json_struct (VTR_STRUCT_VkQueueFamilyProperties,
                                                           &device->queue_families[k]));
      json_object_set_member (object, "queueFamilies", vtr_json_take_array (families));
      json_array_add_object_element (array, object);
    }
  return vtr_json_take_array (array);
}
