#include "engine/replay/vtr-replay-device-message.h"

#include <string.h>

static void
take_bytes (gpointer                   to,
            gsize                      size,
            const ProtobufCBinaryData *from)
{
  if (from->len > 0)
    memcpy (to, from->data, MIN (size, from->len));
}

VtrReplayDevice *
vtr_replay_device_from_message (const Vtr__Replay__Device *message)
{
  VtrReplayDevice *device = vtr_replay_device_new ();

  device->index = message->index;
  take_bytes (&device->properties, sizeof device->properties, &message->properties);
  take_bytes (&device->memory, sizeof device->memory, &message->memory);
  device->memory.memoryTypeCount = MIN (device->memory.memoryTypeCount, VK_MAX_MEMORY_TYPES);
  device->memory.memoryHeapCount = MIN (device->memory.memoryHeapCount, VK_MAX_MEMORY_HEAPS);
  device->properties.deviceName[VK_MAX_PHYSICAL_DEVICE_NAME_SIZE - 1] = '\0';
  device->n_families = (guint)(message->families.len / sizeof *device->families);
  device->families = g_new0 (VkQueueFamilyProperties, device->n_families + 1);
  take_bytes (device->families, device->n_families * sizeof *device->families, &message->families);
  g_strfreev (device->extensions);
  device->extensions = g_new0 (char *, message->n_extensions + 1);
  for (gsize i = 0; i < message->n_extensions; i++)
    device->extensions[i] = g_strdup (message->extensions[i]);
  vtr_replay_device_set_features (device, message->features.data, message->features.len);
  vtr_replay_device_set_formats (device, message->formats.data, message->formats.len);
  g_free (device->driver);
  device->driver = g_strstrip (
    g_strdup_printf ("%s %s", message->driver_name, message->driver_info));
  return device;
}
