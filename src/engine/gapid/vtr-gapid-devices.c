/* Reads what the extras of a GAPID trace say about its devices. */
#include "engine/gapid/vtr-gapid-devices.h"

#include "api/vtr-api-args.h"
#include "engine/gapid/vtr-gapid-fill.h"

#include <string.h>

typedef struct
{
  VkPhysicalDeviceProperties properties;
  VkPhysicalDeviceMemoryProperties memory;
  GArray *families; /* VkQueueFamilyProperties */
} Facts;

struct _VtrGapidDevices
{
  GHashTable *facts; /* VkPhysicalDevice → Facts */
};

static void
facts_free (gpointer data)
{
  Facts *facts = data;

  g_array_unref (facts->families);
  g_free (facts);
}

VtrGapidDevices *
vtr_gapid_devices_new (void)
{
  VtrGapidDevices *self = g_new0 (VtrGapidDevices, 1);

  self->facts = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, facts_free);
  return self;
}

void
vtr_gapid_devices_free (VtrGapidDevices *self)
{
  g_hash_table_unref (self->facts);
  g_free (self);
}

static Facts *
need_facts (VtrGapidDevices *self,
            guint64          physical_device)
{
  Facts *facts = g_hash_table_lookup (self->facts, &physical_device);

  if (facts != NULL)
    return facts;
  facts = g_new0 (Facts, 1);
  facts->families = g_array_new (FALSE, FALSE, sizeof (VkQueueFamilyProperties));
  g_hash_table_insert (self->facts, g_memdup2 (&physical_device, sizeof physical_device), facts);
  return facts;
}

/* ---- Extras ---- */

/* The first map in a message, or itself. */
static VtrGapidValue *
find_map (VtrGapidValue *value,
          guint          depth)
{
  if (value == NULL || value->kind != VTR_GAPID_MESSAGE || depth > 4)
    return NULL;
  if (vtr_gapid_is_map (value))
    return value;
  for (gsize i = 0; i < value->n; i++)
    {
      VtrGapidValue *found = find_map (value->fields[i], depth + 1);

      if (found != NULL)
        return found;
    }
  return NULL;
}

static void
take_families (VtrGapidFiller *filler,
               VtrGapidValue  *value,
               Facts          *facts)
{
  guint32 n;
  void *families = vtr_gapid_fill_array (filler, VTR_STRUCT_VkQueueFamilyProperties,
                                         find_map (value, 0), &n);

  if (n == 0 || n > 1024)
    return;
  g_array_set_size (facts->families, 0);
  g_array_append_vals (facts->families, families, n);
}

static void
take_entry (VtrGapidDevices     *self,
            VtrGapidFiller      *filler,
            const VtrGapidEntry *entry)
{
  Facts *facts = need_facts (self, entry->key);

  if (entry->value == NULL || entry->value->kind != VTR_GAPID_MESSAGE)
    return;
  if (g_str_equal (entry->value->type->name, "vulkan.VkPhysicalDeviceProperties"))
    vtr_gapid_fill_struct (filler, VTR_STRUCT_VkPhysicalDeviceProperties, entry->value,
                           &facts->properties);
  else if (g_str_equal (entry->value->type->name, "vulkan.VkPhysicalDeviceMemoryProperties"))
    vtr_gapid_fill_struct (filler, VTR_STRUCT_VkPhysicalDeviceMemoryProperties, entry->value,
                           &facts->memory);
  else
    take_families (filler, entry->value, facts);
}

void
vtr_gapid_devices_take_extra (VtrGapidDevices     *self,
                              const VtrTraceTypes *types,
                              const VtrTraceType  *type,
                              const guint8        *message,
                              gsize                size)
{
  const VtrGapidEntry *entries;
  VtrGapidFiller filler;
  VtrArena arena;
  guint n_broken;
  gsize n;

  if (!g_str_has_prefix (type->type.name, "vulkan.PhysicalDevices") ||
      g_str_equal (type->type.name, "vulkan.PhysicalDevicesFormatProperties"))
    return;
  vtr_arena_init (&arena);
  filler = (VtrGapidFiller){ .arena = &arena };
  entries = vtr_gapid_list_entries (
    find_map (vtr_gapid_parse (types, type, message, size, &arena, &n_broken), 0), &arena, &n);
  for (gsize i = 0; i < MIN (n, 256); i++)
    take_entry (self, &filler, &entries[i]);
  vtr_arena_finish (&arena);
}

/* ---- Calls ---- */

gboolean
vtr_gapid_devices_wants (VtrCmdId id)
{
  switch (vtr_cmd_canonical (id))
    {
    case VTR_CMD_vkGetPhysicalDeviceProperties:
    case VTR_CMD_vkGetPhysicalDeviceProperties2:
    case VTR_CMD_vkGetPhysicalDeviceMemoryProperties:
    case VTR_CMD_vkGetPhysicalDeviceMemoryProperties2:
    case VTR_CMD_vkGetPhysicalDeviceQueueFamilyProperties:
    case VTR_CMD_vkCreateDevice:
      return TRUE;
    default:
      return FALSE;
    }
}

static void
follow_create (VtrGapidDevices  *self,
               VtrTrace         *trace,
               const VtrCommand *command)
{
  const VtrArgs_vkCreateDevice *args = command->args;
  VtrTraceDevice *device;
  const Facts *facts;

  if (args->pDevice == NULL || (gint32)command->result < 0)
    return;
  device = g_new0 (VtrTraceDevice, 1);
  device->device = (guint64)(gsize)*args->pDevice;
  device->physical_device = (guint64)(gsize)args->physicalDevice;
  device->command = command->index;
  facts = g_hash_table_lookup (self->facts, &device->physical_device);
  if (facts != NULL)
    {
      VkQueueFamilyProperties *families =
        g_memdup2 (facts->families->data, facts->families->len * sizeof *families);

      device->properties = facts->properties;
      device->memory = facts->memory;
      device->queue_families = families;
      device->n_queue_families = facts->families->len;
      g_ptr_array_add (trace->strings, families);
    }
  vtr_trace_add_device (trace, device);
}

/* These getters start with the physical device; most go on with where the answer goes. */
void
vtr_gapid_devices_follow (VtrGapidDevices  *self,
                          VtrTrace         *trace,
                          const VtrCommand *command)
{
  const VtrArgs_vkGetPhysicalDeviceProperties *args = command->args;
  const void *answer = args->pProperties;
  guint64 physical_device = (guint64)(gsize)args->physicalDevice;

  switch (vtr_cmd_canonical (command->id))
    {
    case VTR_CMD_vkGetPhysicalDeviceProperties:
      if (answer != NULL)
        need_facts (self, physical_device)->properties = *args->pProperties;
      break;
    case VTR_CMD_vkGetPhysicalDeviceProperties2:
      if (answer != NULL)
        need_facts (self, physical_device)->properties =
          ((const VkPhysicalDeviceProperties2 *)answer)->properties;
      break;
    case VTR_CMD_vkGetPhysicalDeviceMemoryProperties:
      if (answer != NULL)
        need_facts (self, physical_device)->memory =
          *(const VkPhysicalDeviceMemoryProperties *)answer;
      break;
    case VTR_CMD_vkGetPhysicalDeviceMemoryProperties2:
      if (answer != NULL)
        need_facts (self, physical_device)->memory =
          ((const VkPhysicalDeviceMemoryProperties2 *)answer)->memoryProperties;
      break;
    case VTR_CMD_vkGetPhysicalDeviceQueueFamilyProperties:
      {
        const VtrArgs_vkGetPhysicalDeviceQueueFamilyProperties *query = command->args;
        GArray *families = need_facts (self, physical_device)->families;

        if (query->pQueueFamilyProperties == NULL || query->pQueueFamilyPropertyCount == NULL ||
            *query->pQueueFamilyPropertyCount > 1024)
          break;
        g_array_set_size (families, 0);
        g_array_append_vals (families, query->pQueueFamilyProperties,
                             *query->pQueueFamilyPropertyCount);
        break;
      }
    case VTR_CMD_vkCreateDevice:
      follow_create (self, trace, command);
      break;
    default:
      break;
    }
}
