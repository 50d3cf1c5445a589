/* Checks a trace's commands, features and formats against the devices that would replay it, and
 * lists what is missing. */
#include "vtr-config.h"

#include "engine/vulkan/compatibility/vtr-vulkan-compatibility.h"

#include "engine/vulkan/compatibility/vtr-compatibility-private.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "engine/format/vtr-trace-walk.h"
#include "engine/vulkan/replay-builder/vtr-vulkan-rules.h"
#include "engine/vulkan/transforms/vtr-queue-map.h"
#include "vtr-api-args.h"

/* --- What no device can repeat --------------------------------------------------------------- */

static void
scan_command (VtrCompatibilityScan *self,
              VtrCmdId              id,
              guint64               index)
{
  const VtrReplayRule *rule = vtr_vulkan_rule_get (id);

  if (rule->action == VTR_REPLAY_DECLINE)
    vtr_compatibility_add (self->findings, VTR_COMPATIBILITY_ERROR, "command", index,
                           _ ("%s cannot be replayed: %s."), vtr_cmd_name (id), _ (rule->reason));
  else if (rule->elsewhere != NULL && !vtr_replay_plan_is_same (self->plan))
    vtr_compatibility_add (self->findings, VTR_COMPATIBILITY_ERROR, "command", index,
                           _ ("%s cannot be replayed here: %s."), vtr_cmd_name (id),
                           _ (rule->elsewhere));
}

/* Checks that need the arguments. */
static void
scan_arguments (VtrCompatibilityScan *self)
{
  const VtrReplayRule *rule = vtr_vulkan_rule_get (self->command->id);
  const char *reason = vtr_vulkan_rule_why_not_elsewhere (rule, self->command);

  if (reason != NULL && rule->elsewhere == NULL)
    vtr_compatibility_add (self->findings, VTR_COMPATIBILITY_ERROR, "command", self->command->index,
                           _ ("%s cannot be replayed here: %s."),
                           vtr_cmd_name (self->command->id), _ (reason));
}

static void
scan_memory (VtrCompatibilityScan *self)
{
  const VkMemoryAllocateInfo *info =
    ((const VtrArgs_vkAllocateMemory *)self->command->args)->pAllocateInfo;
  const VkBaseInStructure *link = info != NULL ? info->pNext : NULL;

  for (; link != NULL; link = link->pNext)
    {
      VtrStructId id = vtr_struct_from_stype ((guint32)link->sType);

      /* Imported host memory is recorded, and replayed like any other memory. */
      if (id != VTR_STRUCT_NONE && id != VTR_STRUCT_VkImportMemoryHostPointerInfoEXT &&
          g_str_has_prefix (vtr_api_string (vtr_struct_get (id)->name), "VkImport"))
        vtr_compatibility_add (self->findings, VTR_COMPATIBILITY_ERROR, "memory",
                               self->command->index,
                               _ ("The trace imports memory from another part of the program or "
                                  "another process, which no longer exists."));
    }
}

/* --- Devices and queues ---------------------------------------------------------------------- */

static void
check_queues (VtrCompatibilityScan     *self,
              const VkDeviceCreateInfo *info)
{
  const char *device = self->target->properties.deviceName;
  guint n = self->captured->n_queue_families;
  g_autofree guint32 *used = g_new0 (guint32, n + 1);
  g_autoptr (VtrQueueMap) map = NULL;

  for (guint32 i = 0; info->pQueueCreateInfos != NULL && i < info->queueCreateInfoCount; i++)
    if (info->pQueueCreateInfos[i].queueFamilyIndex < n)
      used[info->pQueueCreateInfos[i].queueFamilyIndex] += info->pQueueCreateInfos[i].queueCount;
  map = vtr_queue_map_new (self->captured->queue_families, n, used, self->target->families,
                           self->target->n_families);
  for (guint i = 0; i < n; i++)
    if (used[i] > 0 && vtr_queue_map_family (map, i) == G_MAXUINT32)
      vtr_compatibility_add (self->findings, VTR_COMPATIBILITY_ERROR, "queues",
                             self->command->index,
                             _ ("%s has no queues for the work of the trace's queue family %u."),
                             device, i);
    else if (used[i] > 0 && vtr_queue_map_family (map, i) != i)
      vtr_compatibility_add (self->findings, VTR_COMPATIBILITY_NOTE, "queues", self->command->index,
                             _ ("Queue family %u of the trace is family %u of %s."), i,
                             vtr_queue_map_family (map, i), device);
  if (map->folded)
    vtr_compatibility_add (self->findings, VTR_COMPATIBILITY_NOTE, "queues", self->command->index,
                           _ ("%s has fewer queues than the trace uses, so some are combined."),
                           device);
}

static void
check_device (VtrCompatibilityScan *self)
{
  const VtrArgs_vkCreateDevice *args = self->command->args;
  const VkPhysicalDeviceProperties *captured = &self->captured->properties;
  const VkPhysicalDeviceProperties *target = &self->target->properties;

  if (args->pCreateInfo != NULL && self->captured->n_queue_families > 0)
    check_queues (self, args->pCreateInfo);
  if (captured->vendorID == target->vendorID && captured->deviceID == target->deviceID)
    vtr_compatibility_add (self->findings, VTR_COMPATIBILITY_NOTE, "device", self->command->index,
                           _ ("The trace was captured with another driver of %s."),
                           target->deviceName);
  else
    vtr_compatibility_add (self->findings, VTR_COMPATIBILITY_NOTE, "device", self->command->index,
                           _ ("The trace was captured on %s and replays on %s."),
                           captured->deviceName[0] != '\0' ? captured->deviceName
                                                           : _ ("an unknown device"),
                           target->deviceName);
  vtr_compatibility_scan_device (self);
}

/* --- The pass -------------------------------------------------------------------------------- */

/* Commands that are decoded; @elsewhere: also what only another device may not like. */
static gboolean
is_of_interest (VtrCmdId id,
                gboolean elsewhere)
{
  switch (vtr_cmd_canonical (id))
    {
    case VTR_CMD_vkAllocateMemory:
      return TRUE;
    case VTR_CMD_vkCmdBeginRendering:
    case VTR_CMD_vkCmdBindDescriptorSets:
    case VTR_CMD_vkCmdBindVertexBuffers:
    case VTR_CMD_vkCmdDispatch:
    case VTR_CMD_vkCmdDrawIndexedIndirect:
    case VTR_CMD_vkCmdDrawIndirect:
    case VTR_CMD_vkCmdDrawMultiEXT:
    case VTR_CMD_vkCmdDrawMultiIndexedEXT:
    case VTR_CMD_vkCmdPushDescriptorSetKHR:
    case VTR_CMD_vkCmdSetDepthBoundsTestEnable:
    case VTR_CMD_vkCmdSetLineWidth:
    case VTR_CMD_vkCmdSetViewport:
    case VTR_CMD_vkDestroySampler:
    case VTR_CMD_vkUpdateDescriptorSets:
#ifdef VK_EXT_host_image_copy
    case VTR_CMD_vkCopyMemoryToImageEXT:
#endif
      return elsewhere;
    case VTR_CMD_vkAllocateCommandBuffers:
    case VTR_CMD_vkAllocateDescriptorSets:
      return FALSE;
    default:
      return elsewhere && vtr_cmd_is (id, VTR_CLASS_CREATE) && !vtr_cmd_is (id, VTR_CLASS_RECORD);
    }
}

/* The devices that a command concerns. Commands of command buffers and queues are taken for the
 * last device's. */
static void
find_devices (VtrCompatibilityScan *self)
{
  const VtrCommand *command = self->command;
  VtrHandleId type = (VtrHandleId)vtr_cmd_get (command->id)->dispatch;
  guint64 device = 0;

  if (vtr_cmd_canonical (command->id) == VTR_CMD_vkCreateDevice)
    {
      const VtrArgs_vkCreateDevice *args = command->args;

      device = args->pDevice != NULL ? (guint64)(gsize)*args->pDevice : 0;
    }
  else if (type == VTR_HANDLE_VkDevice)
    device = (guint64)(gsize) * (gpointer *)command->args;
  else
    return;
  if (!vtr_replay_plan_is_elsewhere (self->plan, device, command->index, &self->captured,
                                     &self->target))
    {
      self->captured = NULL;
      self->target = NULL;
    }
}

static void
scan_decoded (VtrCompatibilityScan *self,
              const VtrCommand     *command)
{
  self->command = command;
  find_devices (self);
  if (vtr_cmd_canonical (command->id) == VTR_CMD_vkAllocateMemory)
    scan_memory (self);
  if (self->captured == NULL)
    return;
  scan_arguments (self);
  vtr_compatibility_scan_shaders (self);
  vtr_compatibility_scan_features (self);
  vtr_compatibility_scan_images (self);
  vtr_compatibility_scan_sets (self);
  vtr_compatibility_scan_limits (self);
}

static gboolean
scan_id (guint64  index,
         VtrCmdId id,
         gpointer data)
{
  VtrCompatibilityScan *self = data;

  /* Another API's. */
  if (id >= VTR_VULKAN_N_COMMANDS)
    return FALSE;
  if (self->first[id] == VTR_COMMAND_NO_INDEX)
    self->first[id] = index;
  scan_command (self, id, index);
  return is_of_interest (id, !vtr_replay_plan_is_same (self->plan));
}

static void
scan_good (const VtrCommand *command,
           gpointer          data)
{
  if (vtr_vulkan_rule_result_counts (vtr_vulkan_rule_get (command->id), command))
    scan_decoded (data, command);
}

/* Devices last: what they lack matters by what the trace does with it. */
static gboolean
scan_devices (VtrCompatibilityScan  *self,
              GError               **error)
{
  VtrArena arena;
  gboolean ok = TRUE;

  vtr_arena_init (&arena);
  for (guint i = 0; ok && i < vtr_trace_get_n_devices (self->trace); i++)
    {
      guint64 index = vtr_trace_get_device (self->trace, i)->command;
      VtrCommand command;

      if (index >= vtr_trace_get_n_commands (self->trace) ||
          vtr_trace_get_command_id (self->trace, index) != VTR_CMD_vkCreateDevice)
        continue;
      vtr_arena_reset (&arena);
      ok = vtr_trace_decode (self->trace, index, &arena, &command, error);
      if (!ok || command.args == NULL)
        break;
      self->command = &command;
      find_devices (self);
      if (self->captured != NULL)
        check_device (self);
    }
  self->command = NULL;
  vtr_arena_finish (&arena);
  return ok;
}

static void
scan_clear (VtrCompatibilityScan *self)
{
  g_hash_table_unref (self->images);
  g_hash_table_unref (self->used);
  g_hash_table_unref (self->missing);
  g_hash_table_unref (self->structs);
  g_hash_table_unref (self->lacking);
  g_hash_table_unref (self->declared);
  g_hash_table_unref (self->set_layouts);
  g_hash_table_unref (self->volumes);
  g_hash_table_unref (self->layouts);
  g_free (self->first);
}

gboolean
vtr_vulkan_find_incompatible (VtrTrace          *trace,
                              gpointer           plan,
                              VtrReplayBackend  *backend,
                              VtrCompatibility  *findings,
                              GCancellable      *cancellable,
                              GError           **error)
{
  VtrCompatibilityScan scan = {
    .trace = trace,
    .plan = plan,
    .findings = findings,
    .images = g_hash_table_new_full (g_str_hash, g_str_equal, g_free,
                                     vtr_compatibility_images_free),
    .used = g_hash_table_new (g_str_hash, g_str_equal),
    .missing = g_hash_table_new (g_str_hash, g_str_equal),
    .structs = g_hash_table_new (NULL, NULL),
    .lacking = g_hash_table_new (g_str_hash, g_str_equal),
    .declared = g_hash_table_new (g_str_hash, g_str_equal),
    .volumes = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL),
    .set_layouts = g_hash_table_new_full (NULL, NULL, NULL, vtr_compatibility_layout_free),
    .layouts = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify)g_ptr_array_unref),
    .first = g_new (guint64, VTR_VULKAN_N_COMMANDS),
  };
  GArray *addresses = NULL;
  gboolean ok;

  for (guint i = 0; i < VTR_VULKAN_N_COMMANDS; i++)
    scan.first[i] = VTR_COMMAND_NO_INDEX;
  ok = vtr_trace_walk (trace, scan_id, scan_good, &scan, cancellable, error) &&
       scan_devices (&scan, error) &&
       vtr_compatibility_end_images (&scan, backend, cancellable, error) &&
       vtr_compatibility_count_addresses (&scan, &addresses, cancellable, error);
  if (ok)
    {
      vtr_compatibility_end_shaders (&scan);
      vtr_compatibility_end_features (&scan);
      vtr_compatibility_end_addresses (&scan, addresses);
    }
  if (addresses != NULL)
    vtr_compatibility_take_addresses (findings, addresses);
  scan_clear (&scan);
  return ok;
}
