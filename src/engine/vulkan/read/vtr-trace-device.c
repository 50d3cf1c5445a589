/* Reads the descriptions of devices that the recorder adds to a trace. */
#include "engine/vulkan/read/vtr-vulkan-read.h"

#include "engine/format/vtr-trace-describe.h"
#include "engine/vulkan/read/vtr-trace-device.h"
#include "engine/vulkan/read/vtr-vulkan-reading.h"
#include "wire/vtr-pack-field.h"

#include <string.h>

static GPtrArray *
get_devices (VtrTrace *trace)
{
  VtrVulkanReading *reading = vtr_trace_get_api_data (trace, VTR_CMD_vkCreateDevice);

  return reading->devices;
}

guint
vtr_trace_get_n_devices (VtrTrace *self)
{
  return get_devices (self)->len;
}

const VtrTraceDevice *
vtr_trace_get_device (VtrTrace *self,
                      guint     nth)
{
  const GPtrArray *devices = get_devices (self);

  return nth < devices->len ? g_ptr_array_index (devices, nth) : NULL;
}

void
vtr_trace_add_device (VtrTrace       *self,
                      VtrTraceDevice *device)
{
  device->properties.deviceName[sizeof device->properties.deviceName - 1] = '\0';
  device->memory.memoryTypeCount = MIN (device->memory.memoryTypeCount, VK_MAX_MEMORY_TYPES);
  device->memory.memoryHeapCount = MIN (device->memory.memoryHeapCount, VK_MAX_MEMORY_HEAPS);
  g_ptr_array_add (get_devices (self), device);
}

/* ---- The message ---- */

static void
convert (VtrTrace                *trace,
         VtrStructId              id,
         const VtrPackFieldValue *field,
         void                    *to)
{
  const VtrAbi abi = vtr_trace_get_info (trace)->abi;

  if (field->size >= vtr_struct_get (id)->size[abi])
    vtr_api_convert_struct (id, abi, field->data, to);
}

static void
convert_queue_families (VtrTrace                *trace,
                        const VtrPackFieldValue *field,
                        VtrTraceDevice          *device)
{
  gsize n = MIN (field->size / sizeof (VkQueueFamilyProperties), 1024);
  VkQueueFamilyProperties *families = g_new0 (VkQueueFamilyProperties, n + 1);

  /* Has the same layout in every ABI: only 32-bit numbers. */
  memcpy (families, field->data, n * sizeof *families);
  vtr_trace_take_string (trace, (char *)families);
  device->queue_families = families;
  device->n_queue_families = (guint32)n;
}

/* The call that made the device: the last vkCreateDevice before its description. */
static guint64
find_creation (VtrTrace *trace,
               guint64   before)
{
  for (guint64 i = MIN (before, vtr_trace_get_n_commands (trace)); i > 0; i--)
    if (vtr_trace_get_command_id (trace, i - 1) == VTR_CMD_vkCreateDevice)
      return i - 1;
  return 0;
}

/* Any bytes as UTF-8. */
static char *
dup_text (const VtrPackFieldValue *field)
{
  return g_utf8_make_valid ((const char *)field->data, (gssize)field->size);
}

/* The driver's own words, or its number where it has none. */
static char *
describe_driver (const VtrTraceDevice *device,
                 const char           *name,
                 const char           *info)
{
  if (name == NULL || *name == '\0')
    return g_strdup_printf ("%#x", device->properties.driverVersion);
  return g_strstrip (g_strdup_printf ("%s %s", name, info == NULL ? "" : info));
}

static void
read_bytes (VtrTrace                *trace,
            const VtrPackFieldValue *field,
            VtrTraceDevice          *device)
{
  switch (field->number)
    {
    case VTR_DEVICE_INFO_PROPERTIES:
      convert (trace, VTR_STRUCT_VkPhysicalDeviceProperties, field, &device->properties);
      break;
    case VTR_DEVICE_INFO_MEMORY:
      convert (trace, VTR_STRUCT_VkPhysicalDeviceMemoryProperties, field, &device->memory);
      break;
    case VTR_DEVICE_INFO_QUEUE_FAMILIES:
      convert_queue_families (trace, field, device);
      break;
    case VTR_DEVICE_INFO_CHANGE:
      vtr_trace_add_line (trace, VTR_TRACE_CHANGES, dup_text (field));
      break;
    case VTR_DEVICE_INFO_HIDDEN_EXTENSION:
      vtr_trace_add_line (trace, VTR_TRACE_HIDDEN_EXTENSIONS, dup_text (field));
      break;
    case VTR_DEVICE_INFO_TRACKER:
      vtr_trace_add_line (trace, VTR_TRACE_TRACKERS, dup_text (field));
      break;
    default:
      break;
    }
}

gboolean
vtr_vulkan_read_info (gpointer            data,
                      VtrTrace           *trace,
                      VtrTraceObject      object,
                      const VtrPackChunk *chunk,
                      guint64             index)
{
  const guint8 *at = chunk->message, *end = at + chunk->size;
  g_autofree char *name = NULL, *info = NULL;
  VtrPackFieldValue field;
  VtrTraceDevice *device;

  if (object != VTR_OBJECT_DEVICE_INFO)
    return FALSE;
  device = g_new0 (VtrTraceDevice, 1);
  while (vtr_pack_next_field (&at, end, &field) == VTR_OK)
    {
      char **text = field.number == VTR_DEVICE_INFO_DRIVER_NAME   ? &name
                    : field.number == VTR_DEVICE_INFO_DRIVER_INFO ? &info
                                                                  : NULL;

      if (field.number == VTR_DEVICE_INFO_DEVICE)
        device->device = field.value;
      else if (field.number == VTR_DEVICE_INFO_PHYSICAL_DEVICE)
        device->physical_device = field.value;
      else if (field.wire == VTR_PACK_WIRE_BYTES && text != NULL)
        {
          g_free (*text);
          *text = dup_text (&field);
        }
      else if (field.wire == VTR_PACK_WIRE_BYTES)
        read_bytes (trace, &field, device);
    }
  device->command = find_creation (trace, index);
  vtr_trace_add_device (trace, device);
  vtr_trace_describe_device (trace, device->properties.deviceName,
                             sizeof device->properties.deviceName,
                             describe_driver (device, name, info), device->properties.apiVersion);
  return TRUE;
}
