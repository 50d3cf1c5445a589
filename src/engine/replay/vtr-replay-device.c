/* Describes the Vulkan devices of this machine, and chooses the one that fits a trace best. */
#include "vtr-config.h"

#include "engine/replay/vtr-replay-device.h"
#include "engine/format/vtr-number.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "engine/replay/vtr-replay-backend.h"

/* --- Life ------------------------------------------------------------------------------------ */

VtrReplayDevice *
vtr_replay_device_new (void)
{
  VtrReplayDevice *self = g_atomic_rc_box_new0 (VtrReplayDevice);

  self->features =
    g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify)g_bytes_unref);
  self->more = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify)g_bytes_unref);
  self->formats = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  self->extensions = g_new0 (char *, 1);
  self->driver = g_strdup ("");
  return self;
}

VtrReplayDevice *
vtr_replay_device_ref (VtrReplayDevice *self)
{
  return g_atomic_rc_box_acquire (self);
}

static void
device_clear (gpointer data)
{
  VtrReplayDevice *self = data;

  g_free (self->families);
  g_strfreev (self->extensions);
  g_free (self->driver);
  g_hash_table_unref (self->features);
  g_hash_table_unref (self->more);
  g_hash_table_unref (self->formats);
}

void
vtr_replay_device_unref (VtrReplayDevice *self)
{
  g_atomic_rc_box_release_full (self, device_clear);
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
vtr_replay_device_set_features (VtrReplayDevice *self,
                                gconstpointer    bytes,
                                gsize            size)
{
  set_parts (self->features, bytes, size, sizeof (VkBool32));
}

void
vtr_replay_device_set_properties (VtrReplayDevice *self,
                                  gconstpointer    bytes,
                                  gsize            size)
{
  set_parts (self->more, bytes, size, 1);
}

void
vtr_replay_device_set_formats (VtrReplayDevice *self,
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
vtr_replay_device_has_extension (const VtrReplayDevice *self,
                                 const char            *name)
{
  return g_strv_contains ((const char *const *)self->extensions, name);
}

const VkBool32 *
vtr_replay_device_get_features (const VtrReplayDevice *self,
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
vtr_replay_device_get_properties (const VtrReplayDevice *self,
                                  VkStructureType        s_type,
                                  gsize                 *size)
{
  GBytes *bytes = g_hash_table_lookup (self->more, GUINT_TO_POINTER (s_type));

  *size = 0;
  return bytes != NULL ? g_bytes_get_data (bytes, size) : NULL;
}

VkFormatProperties
vtr_replay_device_get_format (const VtrReplayDevice *self,
                              VkFormat               format)
{
  const VkFormatProperties *properties =
    g_hash_table_lookup (self->formats, GUINT_TO_POINTER (format));

  return properties != NULL ? *properties : (VkFormatProperties){ 0 };
}

const char *
vtr_replay_device_get_type (const VtrReplayDevice *self)
{
  switch (self->properties.deviceType)
    {
    case VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU:
      return _ ("Discrete GPU");
    case VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU:
      return _ ("Integrated GPU");
    case VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU:
      return _ ("Virtual GPU");
    case VK_PHYSICAL_DEVICE_TYPE_CPU:
      return _ ("Software");
    default:
      return _ ("Other");
    }
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
device_score (const VtrReplayDevice            *self,
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

VtrReplayDevice *
vtr_replay_device_choose (GPtrArray                        *devices,
                          const VkPhysicalDeviceProperties *captured)
{
  VtrReplayDevice *found = NULL;
  guint best = 0;

  for (guint i = 0; i < devices->len; i++)
    {
      VtrReplayDevice *device = g_ptr_array_index (devices, i);
      guint score = device_score (device, captured);

      if (score <= best)
        continue;
      best = score;
      found = device;
    }
  return found;
}

static VtrReplayDevice *
find_by_name (GPtrArray  *devices,
              const char *wanted)
{
  VtrReplayDevice *found = NULL;
  g_autofree char *part = g_utf8_casefold (wanted, -1);

  for (guint i = 0; i < devices->len; i++)
    {
      VtrReplayDevice *device = g_ptr_array_index (devices, i);
      g_autofree char *name = g_utf8_casefold (device->properties.deviceName, -1);

      if (strcmp (device->properties.deviceName, wanted) == 0)
        return device;
      if (strstr (name, part) == NULL)
        continue;
      if (found != NULL)
        return NULL;
      found = device;
    }
  return found;
}

VtrReplayDevice *
vtr_replay_device_find (GPtrArray   *devices,
                        const char  *wanted,
                        GError     **error)
{
  g_autoptr (GString) names = g_string_new (NULL);
  VtrReplayDevice *found = NULL;
  guint64 place;

  if (vtr_parse_number (wanted, 10, 0, G_MAXUINT32, &place))
    found = place < devices->len ? g_ptr_array_index (devices, place) : NULL;
  else if (wanted[0] != '\0')
    found = find_by_name (devices, wanted);
  if (found != NULL)
    return found;
  for (guint i = 0; i < devices->len; i++)
    {
      const VtrReplayDevice *device = g_ptr_array_index (devices, i);

      g_string_append_printf (names, "%s%u %s", i > 0 ? ", " : "", i,
                              device->properties.deviceName);
    }
  g_set_error (error, VTR_REPLAY_ERROR, VTR_REPLAY_ERROR_DRIVER,
               _ ("There is no device “%s” here. Available devices: %s"), wanted, names->str);
  return NULL;
}

GPtrArray *
vtr_replay_device_list (VtrReplayBackend  *backend,
                        GCancellable      *cancellable,
                        GError           **error)
{
  static GMutex lock;
  static GPtrArray *known;
  GPtrArray *devices;

  g_mutex_lock (&lock);
  if (known == NULL)
    known = backend->klass->describe (backend, cancellable, error);
  devices = known != NULL ? g_ptr_array_ref (known) : NULL;
  g_mutex_unlock (&lock);
  return devices;
}
