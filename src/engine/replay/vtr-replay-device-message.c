/* Converts a device description from the replayer's message into a VtrReplayDevice, checking
 * every size. */
#include "engine/replay/vtr-replay-device-message.h"

#include "engine/replay/vtr-replay-outcome.h"

#include <string.h>

static void
take_bytes (gpointer                   to,
            gsize                      size,
            const ProtobufCBinaryData *from)
{
  if (from->len > 0)
    memcpy (to, from->data, MIN (size, from->len));
}

static void
take_name (char name[VK_MAX_PHYSICAL_DEVICE_NAME_SIZE])
{
  g_autofree char *words = NULL;
  char *end;

  name[VK_MAX_PHYSICAL_DEVICE_NAME_SIZE - 1] = '\0';
  words = end = vtr_replay_words (name);
  while (*end != '\0' && g_utf8_next_char (end) - words < VK_MAX_PHYSICAL_DEVICE_NAME_SIZE)
    end = g_utf8_next_char (end);
  *end = '\0';
  g_strlcpy (name, words, VK_MAX_PHYSICAL_DEVICE_NAME_SIZE);
}

VtrReplayDevice *
vtr_replay_device_from_message (const Vtr__Vulkan__Device *message)
{
  VtrReplayDevice *device = vtr_replay_device_new ();
  g_autofree char *driver_name = NULL;
  g_autofree char *driver_info = NULL;

  device->index = message->index;
  take_bytes (&device->properties, sizeof device->properties, &message->properties);
  take_bytes (&device->memory, sizeof device->memory, &message->memory);
  device->memory.memoryTypeCount = MIN (device->memory.memoryTypeCount, VK_MAX_MEMORY_TYPES);
  device->memory.memoryHeapCount = MIN (device->memory.memoryHeapCount, VK_MAX_MEMORY_HEAPS);
  take_name (device->properties.deviceName);
  device->n_families = (guint)(message->families.len / sizeof *device->families);
  device->families = g_new0 (VkQueueFamilyProperties, device->n_families + 1);
  take_bytes (device->families, device->n_families * sizeof *device->families, &message->families);
  g_strfreev (device->extensions);
  device->extensions = g_new0 (char *, message->n_extensions + 1);
  for (gsize i = 0; i < message->n_extensions; i++)
    device->extensions[i] = vtr_replay_words (message->extensions[i]);
  vtr_replay_device_set_features (device, message->features.data, message->features.len);
  vtr_replay_device_set_properties (device, message->more_properties.data,
                                    message->more_properties.len);
  vtr_replay_device_set_formats (device, message->formats.data, message->formats.len);
  g_free (device->driver);
  driver_name = vtr_replay_words (message->driver_name);
  driver_info = vtr_replay_words (message->driver_info);
  device->driver = g_strstrip (g_strdup_printf ("%s %s", driver_name, driver_info));
  return device;
}
