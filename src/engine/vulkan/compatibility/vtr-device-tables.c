/* Reads limits, properties and shader capabilities of a device through tables that are generated
 * from the registry. */
#include "vtr-config.h"

#include "engine/vulkan/compatibility/vtr-device-tables.h"

#include <string.h>

/* --- Limits ---------------------------------------------------------------------------------- */

/* Doubles hold them all but for what is larger than any limit that counts something. */
static double
read_value (const VtrLimit *limit,
            const guint8   *at)
{
  gint32 i32;
  guint32 u32;
  guint64 u64;
  float f32;

  switch ((VtrLimitValue)limit->value)
    {
    case VTR_LIMIT_VALUE_I32:
      memcpy (&i32, at, sizeof i32);
      return i32;
    case VTR_LIMIT_VALUE_U64:
      memcpy (&u64, at, sizeof u64);
      return (double)u64;
    case VTR_LIMIT_VALUE_F32:
      memcpy (&f32, at, sizeof f32);
      return (double)f32;
    default:
      memcpy (&u32, at, sizeof u32);
      return u32;
    }
}

static gboolean
get_from (const VtrLimit *limit,
          const guint8   *bytes,
          gsize           size,
          guint           nth,
          double         *value)
{
  gsize width = limit->value == VTR_LIMIT_VALUE_U64 ? 8 : 4;
  gsize at = limit->offset + nth * width;

  if (bytes == NULL || nth >= limit->n || at + width > size)
    return FALSE;
  *value = read_value (limit, bytes + at);
  return TRUE;
}

gboolean
vtr_limit_get_captured (const VtrLimit                   *limit,
                        const VkPhysicalDeviceProperties *properties,
                        guint                             nth,
                        double                           *value)
{
  return limit->stype == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2 &&
         get_from (limit, (const guint8 *)properties, sizeof *properties, nth, value);
}

gboolean
vtr_limit_get (const VtrLimit        *limit,
               const VtrVulkanDevice *device,
               guint                  nth,
               double                *value)
{
  const guint8 *bytes;
  gsize size;

  if (limit->stype == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2)
    return vtr_limit_get_captured (limit, &device->properties, nth, value);
  bytes = vtr_vulkan_device_get_properties (device, (VkStructureType)limit->stype, &size);
  return get_from (limit, bytes, size, nth, value);
}

static GHashTable *
limits_by_name (void)
{
  static gsize made;

  if (g_once_init_enter (&made))
    {
      GHashTable *table = g_hash_table_new (g_str_hash, g_str_equal);

      /* The first of a name; the others follow in the array. */
      for (gsize i = vtr_n_limits; i-- > 0;)
        g_hash_table_insert (table, (gpointer)vtr_limits[i].name, (gpointer)&vtr_limits[i]);
      g_once_init_leave (&made, (gsize)table);
    }
  return (GHashTable *)made;
}

const VtrLimit *
vtr_limit_find (const VtrVulkanDevice *device,
                const char            *name)
{
  const VtrLimit *first = g_hash_table_lookup (limits_by_name (), name);
  double value;

  for (const VtrLimit *limit = first; limit != NULL && limit < vtr_limits + vtr_n_limits; limit++)
    if (strcmp (limit->name, name) == 0 && vtr_limit_get (limit, device, 0, &value) && value > 0)
      return limit;
  return first;
}

/* --- What shaders declare -------------------------------------------------------------------- */

static gboolean
has_property (const VtrShaderNeed   *need,
              const VtrVulkanDevice *device)
{
  gsize size;
  const guint8 *bytes =
    vtr_vulkan_device_get_properties (device, (VkStructureType)need->stype, &size);
  guint32 value;

  /* A device of before these structures may have it or not. */
  if (bytes == NULL || need->at + sizeof value > size)
    return TRUE;
  memcpy (&value, bytes + need->at, sizeof value);
  return (value & need->number) == need->number;
}

gboolean
vtr_shader_need_is_met (const VtrShaderNeed   *need,
                        const VtrVulkanDevice *device)
{
  const VkBool32 *features;
  guint n;

  switch (need->kind)
    {
    case VTR_NEED_VERSION:
      return device->properties.apiVersion >= need->number;
    case VTR_NEED_EXTENSION:
      return vtr_vulkan_device_has_extension (device, need->name);
    case VTR_NEED_FEATURE:
      features = vtr_vulkan_device_get_features (device, (VkStructureType)need->stype, &n);
      return features != NULL && need->at < n && features[need->at];
    default:
      return has_property (need, device);
    }
}
