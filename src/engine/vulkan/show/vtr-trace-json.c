/* Writes what a trace says about Vulkan's devices, and the contents that the recorder added, as
 * JSON. */
#include "engine/vulkan/show/vtr-trace-json.h"

#include "engine/format/vtr-content-record.h"
#include "engine/state/vtr-json.h"
#include "engine/vulkan/read/vtr-trace-device.h"
#include "engine/vulkan/state/vtr-state.h"
#include "vulkan/vtr-vulkan-formats.h"

typedef struct
{
  VtrAnalysis *analysis;
  guint64 index;
  JsonArray *array;
} WriteList;

static gboolean
list_content (const VtrContentRecord *content, gsize nth, gpointer data, GError **error)
{
  const char *const names[] = { [VTR_CONTENT_BYTES] = "memory",
                                [VTR_CONTENT_TEXELS] = "image",
                                [VTR_CONTENT_OPAQUE] = "structure" };
  WriteList *self = data;
  VtrHistory *history = vtr_analysis_get_history (self->analysis);
  JsonObject *object;

  if (content->texels != NULL)
    return TRUE; /* another API's */
  object = json_object_new ();
  json_object_set_member (object, names[content->what],
                          vtr_json_handle (history, content->kind, content->object, self->index));
  if (content->what == VTR_CONTENT_TEXELS)
    {
      json_object_set_int_member (object, "aspect", vtr_vulkan_aspect_of (content->aspect));
      json_object_set_int_member (object, "mip", content->level);
      json_object_set_int_member (object, "layer", content->layer);
      json_object_set_int_member (object, "sample", content->sample);
    }
  json_object_set_int_member (object, "offset", (gint64)content->offset);
  json_object_set_int_member (object, "size", (gint64)content->size);
  json_array_add_object_element (self->array, object);
  return TRUE;
}

JsonNode *
vtr_vulkan_describe_writes (VtrAnalysis *analysis, guint64 index, GError **error)
{
  WriteList list = { analysis, index, json_array_new () };

  if (!vtr_trace_each_content (vtr_analysis_get_trace (analysis), index, FALSE,
                               list_content, &list, error))
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
