/* Describes the Vulkan devices of this machine, and chooses the one that fits a trace best. */
#include "engine/vulkan/host/vtr-vulkan-device.h"

#include <json-glib/json-glib.h>
#include <string.h>

/* --- Life ------------------------------------------------------------------------------------ */

static void
device_clear (VtrReplayDevice *device)
{
  VtrVulkanDevice *self = (VtrVulkanDevice *)device;

  g_free (self->families);
  g_strfreev (self->extensions);
  g_hash_table_unref (self->features);
  g_hash_table_unref (self->more);
  g_hash_table_unref (self->formats);
}

static VtrReplayDeviceKind
get_kind (VkPhysicalDeviceType type)
{
  switch (type)
    {
    case VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU:
      return VTR_REPLAY_DEVICE_DISCRETE;
    case VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU:
      return VTR_REPLAY_DEVICE_INTEGRATED;
    case VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU:
      return VTR_REPLAY_DEVICE_VIRTUAL;
    case VK_PHYSICAL_DEVICE_TYPE_CPU:
      return VTR_REPLAY_DEVICE_SOFTWARE;
    default:
      return VTR_REPLAY_DEVICE_OTHER;
    }
}

char *
vtr_vulkan_format_version (guint32 version)
{
  return g_strdup_printf ("%u.%u.%u", VK_API_VERSION_MAJOR (version),
                          VK_API_VERSION_MINOR (version), VK_API_VERSION_PATCH (version));
}

VtrVulkanDevice *
vtr_vulkan_device_new (guint32                           index,
                       const VkPhysicalDeviceProperties *properties)
{
  VtrVulkanDevice *self = g_atomic_rc_box_new0 (VtrVulkanDevice);
  g_autofree char *version = vtr_vulkan_format_version (properties->apiVersion);

  self->properties = *properties;
  self->base = (VtrReplayDevice){
    .api = &vtr_api_vulkan,
    .index = index,
    .kind = get_kind (properties->deviceType),
    .name = self->properties.deviceName,
    .driver = g_strdup (""),
    .version = g_strconcat ("Vulkan ", version, NULL),
    .clear = device_clear,
  };
  self->features =
    g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify)g_bytes_unref);
  self->more = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify)g_bytes_unref);
  self->formats = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  self->extensions = g_new0 (char *, 1);
  return self;
}

/* Parts of {u32 sType, u32 n, @width × n bytes}, by their sType. */
static void
set_parts (GHashTable    *table,
           gconstpointer  bytes,
           gsize          size,
           gsize          width)
{
  const guint8 *at = bytes;

  while (size >= 8)
    {
      guint32 head[2];
      gsize length;

      memcpy (head, at, sizeof head);
      length = (gsize)head[1] * width;
      at += sizeof head;
      size -= sizeof head;
      if (length > size)
        return;
      g_hash_table_replace (table, GUINT_TO_POINTER (head[0]), g_bytes_new (at, length));
      at += length;
      size -= length;
    }
}

void
vtr_vulkan_device_set_features (VtrVulkanDevice *self,
                                gconstpointer    bytes,
                                gsize            size)
{
  set_parts (self->features, bytes, size, sizeof (VkBool32));
}

void
vtr_vulkan_device_set_properties (VtrVulkanDevice *self,
                                  gconstpointer    bytes,
                                  gsize            size)
{
  set_parts (self->more, bytes, size, 1);
}

void
vtr_vulkan_device_set_formats (VtrVulkanDevice *self,
                               gconstpointer    bytes,
                               gsize            size)
{
  const guint8 *at = bytes;

  for (; size >= 16; size -= 16, at += 16)
    {
      guint32 numbers[4];
      VkFormatProperties *properties = g_new0 (VkFormatProperties, 1);

      memcpy (numbers, at, sizeof numbers);
      *properties = (VkFormatProperties){ numbers[1], numbers[2], numbers[3] };
      g_hash_table_replace (self->formats, GUINT_TO_POINTER (numbers[0]), properties);
    }
}

/* --- Facts ----------------------------------------------------------------------------------- */

gboolean
vtr_vulkan_device_has_extension (const VtrVulkanDevice *self,
                                 const char            *name)
{
  return g_strv_contains ((const char *const *)self->extensions, name);
}

const VkBool32 *
vtr_vulkan_device_get_features (const VtrVulkanDevice *self,
                                VkStructureType        s_type,
                                guint                 *n)
{
  GBytes *bytes = g_hash_table_lookup (self->features, GUINT_TO_POINTER (s_type));
  gsize size = 0;
  const VkBool32 *features = bytes != NULL ? g_bytes_get_data (bytes, &size) : NULL;

  *n = (guint)(size / sizeof *features);
  return features;
}

const guint8 *
vtr_vulkan_device_get_properties (const VtrVulkanDevice *self,
                                  VkStructureType        s_type,
                                  gsize                 *size)
{
  GBytes *bytes = g_hash_table_lookup (self->more, GUINT_TO_POINTER (s_type));

  *size = 0;
  return bytes != NULL ? g_bytes_get_data (bytes, size) : NULL;
}

VkFormatProperties
vtr_vulkan_device_get_format (const VtrVulkanDevice *self,
                              VkFormat               format)
{
  const VkFormatProperties *properties =
    g_hash_table_lookup (self->formats, GUINT_TO_POINTER (format));

  return properties != NULL ? *properties : (VkFormatProperties){ 0 };
}

/* --- Choice ---------------------------------------------------------------------------------- */

/* How good a device is that the trace does not know. */
static guint
type_score (VkPhysicalDeviceType type)
{
  switch (type)
    {
    case VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU:
      return 5;
    case VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU:
      return 4;
    case VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU:
      return 3;
    case VK_PHYSICAL_DEVICE_TYPE_OTHER:
      return 2;
    default:
      return 1;
    }
}

static guint
device_score (const VtrVulkanDevice            *self,
              const VkPhysicalDeviceProperties *captured)
{
  const VkPhysicalDeviceProperties *own = &self->properties;
  guint score = type_score (own->deviceType);

  if (captured == NULL || captured->deviceName[0] == '\0')
    return score;
  if (own->vendorID != captured->vendorID || own->deviceID != captured->deviceID)
    return score;
  score += 100;
  /* Several drivers, or several alike. */
  if (own->driverVersion == captured->driverVersion)
    score += 20;
  if (strcmp (own->deviceName, captured->deviceName) == 0)
    score += 10;
  if (memcmp (own->pipelineCacheUUID, captured->pipelineCacheUUID, VK_UUID_SIZE) == 0)
    score += 10;
  return score;
}

VtrVulkanDevice *
vtr_vulkan_device_choose (GPtrArray                        *devices,
                          const VkPhysicalDeviceProperties *captured)
{
  VtrVulkanDevice *found = NULL;
  guint best = 0;

  for (guint i = 0; i < devices->len; i++)
    {
      VtrVulkanDevice *device = g_ptr_array_index (devices, i);
      guint score = device_score (device, captured);

      if (score <= best)
        continue;
      best = score;
      found = device;
    }
  return found;
}

/* --- JSON ------------------------------------------------------------------------------------ */

static void
add_number (JsonBuilder *builder,
            const char  *name,
            gint64       value)
{
  json_builder_set_member_name (builder, name);
  json_builder_add_int_value (builder, value);
}

void
vtr_vulkan_device_describe (const VtrReplayDevice *device,
                            JsonBuilder           *builder)
{
  const VtrVulkanDevice *self = (const VtrVulkanDevice *)device;

  add_number (builder, "vendor", self->properties.vendorID);
  add_number (builder, "device", self->properties.deviceID);
  add_number (builder, "api_version", self->properties.apiVersion);
  add_number (builder, "memory_types", self->memory.memoryTypeCount);
  add_number (builder, "queue_families", self->n_families);
  add_number (builder, "extensions", g_strv_length (self->extensions));
}
