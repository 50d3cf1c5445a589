/* Decides for each captured device which device replays it, and whether memory, addresses and
 * tokens need translation. */
#include "engine/vulkan/replay-builder/vtr-replay-plan.h"

#include <string.h>

#include "engine/vulkan/read/vtr-trace-device.h"
#include "engine/vulkan/replay-builder/vtr-address-plan.h"

struct _VtrReplayPlan
{
  VtrTrace *trace;
  VtrVulkanDevice *fallback; /* for physical devices that the trace does not describe */
  GPtrArray *targets;        /* VtrVulkanDevice, for each device of the trace */
  gboolean *same;            /* for each device of the trace: the target is the captured device */
  gboolean all_same;
  VtrMemoryPlan *memory; /* (nullable) */
  VtrAddressPlan *addresses;
  VtrAddressRanges *ranges;                /* (nullable) */
  VtrTokenPlan *tokens[VTR_N_TOKEN_KINDS]; /* (nullable) each */
  VtrGroupHandles *handles;                /* (nullable) */
};

static gboolean
same_memory (const VkPhysicalDeviceMemoryProperties *a,
             const VkPhysicalDeviceMemoryProperties *b)
{
  if (a->memoryTypeCount != b->memoryTypeCount)
    return FALSE;
  for (guint32 i = 0; i < MIN (a->memoryTypeCount, VK_MAX_MEMORY_TYPES); i++)
    if (a->memoryTypes[i].propertyFlags != b->memoryTypes[i].propertyFlags ||
        a->memoryTypes[i].heapIndex != b->memoryTypes[i].heapIndex)
      return FALSE;
  return TRUE;
}

static gboolean
same_families (const VtrTraceDevice  *captured,
               const VtrVulkanDevice *device)
{
  if (captured->n_queue_families != device->n_families)
    return FALSE;
  for (guint i = 0; i < device->n_families; i++)
    if (captured->queue_families[i].queueFlags != device->families[i].queueFlags ||
        captured->queue_families[i].queueCount != device->families[i].queueCount)
      return FALSE;
  return TRUE;
}

/* Whether a device of the trace and one of this machine are the same, including the driver. */
static gboolean
compare (const VtrTraceDevice  *captured,
         const VtrVulkanDevice *device)
{
  const VkPhysicalDeviceProperties *a = &captured->properties;
  const VkPhysicalDeviceProperties *b = &device->properties;

  return a->vendorID == b->vendorID && a->deviceID == b->deviceID &&
         a->driverVersion == b->driverVersion &&
         memcmp (a->pipelineCacheUUID, b->pipelineCacheUUID, VK_UUID_SIZE) == 0 &&
         same_memory (&captured->memory, &device->memory) && same_families (captured, device);
}

static void
plan_clear (gpointer data)
{
  VtrReplayPlan *self = data;

  g_clear_pointer (&self->trace, vtr_trace_unref);
  if (self->fallback != NULL)
    vtr_replay_device_unref (&self->fallback->base);
  g_clear_pointer (&self->targets, g_ptr_array_unref);
  g_clear_pointer (&self->memory, vtr_memory_plan_free);
  g_clear_pointer (&self->addresses, vtr_address_plan_free);
  g_clear_pointer (&self->ranges, vtr_address_ranges_free);
  for (guint i = 0; i < VTR_N_TOKEN_KINDS; i++)
    vtr_token_plan_free (self->tokens[i]);
  g_clear_pointer (&self->handles, vtr_group_handles_free);
  g_free (self->same);
}

/* Finds the device for each captured one. */
static gboolean
plan_choose (VtrReplayPlan  *self,
             GPtrArray      *devices,
             const char     *wanted,
             GError        **error)
{
  guint n = vtr_trace_get_n_devices (self->trace);
  VtrVulkanDevice *chosen = NULL;

  if (wanted != NULL && wanted[0] != '\0')
    {
      chosen = (VtrVulkanDevice *)vtr_replay_device_find (devices, wanted, error);
      if (chosen == NULL)
        return FALSE;
    }
  self->same = g_new0 (gboolean, n + 1);
  /* Other tools' traces need not say what they were captured on; it was not here. */
  self->all_same =
    n > 0 || g_strcmp0 (vtr_trace_get_info (self->trace)->container, "proto-pack") != 0;
  for (guint i = 0; i < n; i++)
    {
      const VtrTraceDevice *captured = vtr_trace_get_device (self->trace, i);
      VtrVulkanDevice *device =
        chosen != NULL ? chosen : vtr_vulkan_device_choose (devices, &captured->properties);

      g_ptr_array_add (self->targets, vtr_replay_device_ref (&device->base));
      self->same[i] = compare (captured, device);
      self->all_same = self->all_same && self->same[i];
    }
  if (chosen == NULL)
    chosen = n > 0 ? g_ptr_array_index (self->targets, 0)
                   : vtr_vulkan_device_choose (devices, NULL);
  self->fallback = chosen;
  vtr_replay_device_ref (&chosen->base);
  return TRUE;
}

/* Another device may put buffers where they were only if it imports memory. */
static gboolean
cannot_be_exact (const VtrReplayPlan *self)
{
  for (guint i = 0; i < self->targets->len; i++)
    if (!self->same[i] &&
        !vtr_vulkan_device_has_extension (g_ptr_array_index (self->targets, i),
                                          VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME))
      return TRUE;
  return FALSE;
}

static gboolean
plan_addresses (VtrReplayPlan       *self,
                VtrReplayAddresses   addresses,
                GCancellable        *cancellable,
                GError             **error)
{
  self->addresses = vtr_address_plan_new (self->trace, cancellable, error);
  if (self->addresses == NULL)
    return FALSE;
  if (vtr_address_plan_is_empty (self->addresses) || addresses == VTR_REPLAY_ADDRESSES_EXACT ||
      (addresses == VTR_REPLAY_ADDRESSES_AUTO && !cannot_be_exact (self)))
    return TRUE;
  self->ranges = vtr_address_ranges_new (self->trace, cancellable, error);
  return self->ranges != NULL;
}

static gboolean
plan_tokens (VtrReplayPlan  *self,
             GCancellable   *cancellable,
             GError        **error)
{
  for (guint i = 0; i < VTR_N_TOKEN_KINDS; i++)
    if (!vtr_token_plan_new (self->trace, (VtrTokenKind)i, &self->tokens[i], cancellable, error))
      return FALSE;
  return TRUE;
}

VtrReplayPlan *
vtr_replay_plan_new (VtrTrace            *trace,
                     GPtrArray           *devices,
                     const char          *wanted,
                     VtrReplayAddresses   addresses,
                     GCancellable        *cancellable,
                     GError             **error)
{
  g_autoptr (VtrReplayPlan) self = g_atomic_rc_box_new0 (VtrReplayPlan);

  g_return_val_if_fail (devices->len > 0, NULL);
  self->trace = vtr_trace_ref (trace);
  self->targets = g_ptr_array_new_with_free_func ((GDestroyNotify)vtr_replay_device_unref);
  if (!plan_choose (self, devices, wanted, error))
    return NULL;
  if (!plan_addresses (self, addresses, cancellable, error) ||
      !plan_tokens (self, cancellable, error) ||
      !vtr_group_handles_new (trace, &self->handles, cancellable, error))
    return NULL;
  if (!self->all_same)
    {
      self->memory = vtr_memory_plan_new (trace, cancellable, error);
      if (self->memory == NULL)
        return NULL;
    }
  return g_steal_pointer (&self);
}

VtrReplayPlan *
vtr_replay_plan_ref (VtrReplayPlan *self)
{
  return g_atomic_rc_box_acquire (self);
}

void
vtr_replay_plan_unref (VtrReplayPlan *self)
{
  g_atomic_rc_box_release_full (self, plan_clear);
}

guint64
vtr_replay_plan_get_address (VtrReplayPlan *self,
                             guint64        index)
{
  return self->ranges == NULL ? vtr_address_plan_find (self->addresses, index) : 0;
}

guint64
vtr_replay_plan_get_structure_address (VtrReplayPlan *self,
                                       guint64        index)
{
  return self->ranges == NULL ? vtr_address_plan_find_structure (self->addresses, index) : 0;
}

const VtrGroupHandles *
vtr_replay_plan_get_group_handles (VtrReplayPlan *self)
{
  return self->handles;
}

gboolean
vtr_replay_plan_is_imported (VtrReplayPlan *self,
                             guint64        device,
                             guint64        index)
{
  const VtrTraceDevice *captured;
  const VtrVulkanDevice *target;

  return self->ranges == NULL &&
         !vtr_replay_plan_is_elsewhere (self, device, index, &captured, &target) &&
         vtr_address_plan_has_tenant (self->addresses, index);
}

const VtrAddressRanges *
vtr_replay_plan_get_ranges (VtrReplayPlan *self)
{
  return self->ranges;
}

const VtrTokenPlan *
vtr_replay_plan_get_tokens (VtrReplayPlan *self,
                            VtrTokenKind   kind)
{
  return self->tokens[kind];
}

gboolean
vtr_replay_plan_is_same (VtrReplayPlan *self)
{
  return self->all_same;
}

const VtrVulkanDevice *
vtr_replay_plan_get_target (VtrReplayPlan *self,
                            guint64        handle)
{
  for (guint i = 0; i < self->targets->len; i++)
    if (vtr_trace_get_device (self->trace, i)->physical_device == handle)
      return g_ptr_array_index (self->targets, i);
  return self->fallback;
}

gboolean
vtr_replay_plan_is_elsewhere (VtrReplayPlan          *self,
                              guint64                 handle,
                              guint64                 index,
                              const VtrTraceDevice  **captured,
                              const VtrVulkanDevice **target)
{
  static const VtrTraceDevice unknown;
  guint found = G_MAXUINT;

  if (self->targets->len == 0 && !self->all_same)
    {
      *captured = &unknown;
      *target = self->fallback;
      return TRUE;
    }
  for (guint i = 0; i < self->targets->len; i++)
    {
      const VtrTraceDevice *device = vtr_trace_get_device (self->trace, i);

      if (device->device == handle && (found == G_MAXUINT || device->command <= index))
        found = i;
    }
  if (found == G_MAXUINT || self->same[found])
    return FALSE;
  *captured = vtr_trace_get_device (self->trace, found);
  *target = g_ptr_array_index (self->targets, found);
  return TRUE;
}

VtrMemoryPlan *
vtr_replay_plan_get_memory (VtrReplayPlan *self)
{
  return self->memory;
}
