/* Reads the description of a Vulkan device, checking every size, and asks about images. */
#include "engine/vulkan/host/vtr-vulkan-device-message.h"

#include <string.h>

#include "engine/replay/vtr-replay-outcome.h"
#include "vulkan/vtr-vulkan-device.pb-c.h"

/* Questions that one packet holds. */
#define MAX_IMAGES 1024

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

static VtrVulkanDevice *
from_message (const Vtr__Vulkan__Device *message)
{
  VkPhysicalDeviceProperties properties = { 0 };
  g_autofree char *driver_name = vtr_replay_words (message->driver_name);
  g_autofree char *driver_info = vtr_replay_words (message->driver_info);
  VtrVulkanDevice *device;

  take_bytes (&properties, sizeof properties, &message->properties);
  take_name (properties.deviceName);
  device = vtr_vulkan_device_new (message->index, &properties);
  take_bytes (&device->memory, sizeof device->memory, &message->memory);
  device->memory.memoryTypeCount = MIN (device->memory.memoryTypeCount, VK_MAX_MEMORY_TYPES);
  device->memory.memoryHeapCount = MIN (device->memory.memoryHeapCount, VK_MAX_MEMORY_HEAPS);
  device->n_families = (guint)(message->families.len / sizeof *device->families);
  device->families = g_new0 (VkQueueFamilyProperties, device->n_families + 1);
  take_bytes (device->families, device->n_families * sizeof *device->families, &message->families);
  g_strfreev (device->extensions);
  device->extensions = g_new0 (char *, message->n_extensions + 1);
  for (gsize i = 0; i < message->n_extensions; i++)
    device->extensions[i] = vtr_replay_words (message->extensions[i]);
  vtr_vulkan_device_set_features (device, message->features.data, message->features.len);
  vtr_vulkan_device_set_properties (device, message->more_properties.data,
                                    message->more_properties.len);
  vtr_vulkan_device_set_formats (device, message->formats.data, message->formats.len);
  g_free (device->base.driver);
  device->base.driver = g_strstrip (g_strdup_printf ("%s %s", driver_name, driver_info));
  return device;
}

VtrReplayDevice *
vtr_vulkan_device_from_bytes (gconstpointer bytes,
                              gsize         size)
{
  Vtr__Vulkan__Device *message = vtr__vulkan__device__unpack (NULL, size, bytes);
  VtrVulkanDevice *device;

  if (message == NULL)
    return NULL;
  device = from_message (message);
  vtr__vulkan__device__free_unpacked (message, NULL);
  return &device->base;
}

gboolean
vtr_vulkan_device_check_images (VtrReplayBackend          *backend,
                                guint32                    index,
                                const VtrVulkanImageKind  *kinds,
                                gsize                      n,
                                VtrVulkanImageLimits      *answers,
                                GCancellable              *cancellable,
                                GError                   **error)
{
  for (gsize done = 0; done < n; done += MAX_IMAGES)
    {
      const gsize some = MIN (n - done, MAX_IMAGES);
      Vtr__Vulkan__ImageQuestion images = VTR__VULKAN__IMAGE_QUESTION__INIT;
      g_autofree guint8 *question = NULL;
      gsize size;

      images.device = index;
      images.images = (ProtobufCBinaryData){ some * sizeof *kinds,
                                             (guint8 *)(gpointer)(kinds + done) };
      question = g_malloc (vtr__vulkan__image_question__get_packed_size (&images));
      size = vtr__vulkan__image_question__pack (&images, question);
      if (!backend->klass->ask (backend, &vtr_api_vulkan, question, size, answers + done,
                                some * sizeof *answers, cancellable, error))
        return FALSE;
    }
  return TRUE;
}
