/* Checks whether numbers of the captured driver in the program's data (addresses, shader group
 * handles) keep their meaning in a replay, and counts those that are changed. */
#include "vtr-config.h"

#include "engine/vulkan/compatibility/vtr-compatibility-private.h"

#include <glib/gi18n-lib.h>

#include "base/vtr-number.h"
#include "engine/vulkan/replay-builder/vtr-address-patcher.h"
#include "engine/vulkan/replay-builder/vtr-vulkan-builder-private.h"

/* --- Counting -------------------------------------------------------------------------------- */

/* Drops the words of a replay that is built only to count addresses. */
static gboolean
discard (const VtrReplaySegment  *segment,
         gpointer                 data,
         GError                 **error)
{
  return TRUE;
}

typedef struct
{
  VtrReplayBuilder *builder;
  guint64 index;
} Pass;

static gboolean
build_write (const VtrContentRecord  *write,
             gsize                    nth,
             gpointer                 data,
             GError                 **error)
{
  Pass *self = data;

  return write->what != VTR_CONTENT_BYTES ||
         vtr_replay_builder_write (self->builder, self->index, nth, write, error);
}

/* Commands that may hold addresses, and those that tell what is one and where. */
static gboolean
matters (VtrCmdId id)
{
  switch (vtr_cmd_canonical (id))
    {
    case VTR_CMD_vkAllocateMemory:
    case VTR_CMD_vkCreateDescriptorUpdateTemplate:
    case VTR_CMD_vkGetBufferDeviceAddress:
    case VTR_CMD_vkGetAccelerationStructureDeviceAddressKHR:
      return TRUE;
    default:
      return vtr_cmd_is (id, VTR_CLASS_PLACES);
    }
}

static gboolean
build_command (Pass      *self,
               VtrTrace  *trace,
               VtrArena  *arena,
               GError   **error)
{
  VtrCmdId id = vtr_trace_get_command_id (trace, self->index);
  VtrCommand command;

  if (!matters (id) || vtr_vulkan_rule_get (id)->action == VTR_REPLAY_DECLINE)
    return TRUE;
  vtr_arena_reset (arena);
  return vtr_trace_decode (trace, self->index, arena, &command, error) &&
         (command.args == NULL || vtr_replay_builder_add (self->builder, &command, error));
}

gboolean
vtr_compatibility_count_addresses (VtrCompatibilityScan  *self,
                                   GArray               **counts,
                                   GCancellable          *cancellable,
                                   GError               **error)
{
  g_autoptr (VtrReplayBuilder) builder = NULL;
  g_autoptr (VtrPlan) plan = NULL;
  Pass pass = { 0 };
  gboolean ok = TRUE;
  VtrArena arena;

  *counts = NULL;
  if (vtr_replay_plan_get_ranges (self->plan) == NULL)
    return TRUE;
  builder = vtr_replay_builder_new (self->trace, discard, NULL);
  plan = vtr_plan_new_of (&vtr_api_vulkan, self->plan);
  vtr_replay_builder_set_plan (builder, plan);
  pass.builder = builder;
  vtr_arena_init (&arena);
  for (; ok && pass.index < vtr_trace_get_n_commands (self->trace); pass.index++)
    {
      if (pass.index % 1024 == 0)
        ok = !g_cancellable_set_error_if_cancelled (cancellable, error);
      ok = ok &&
           vtr_trace_each_content (self->trace, pass.index, TRUE, build_write, &pass, error) &&
           build_command (&pass, self->trace, &arena, error);
    }
  vtr_arena_finish (&arena);
  if (ok)
    *counts = vtr_address_patcher_list_counts (vtr_vulkan_part (builder)->patcher);
  return ok;
}

/* --- Saying it ------------------------------------------------------------------------------- */

static const VtrCmdId telling[] = {
  VTR_CMD_vkGetBufferDeviceAddress,
  VTR_CMD_vkGetAccelerationStructureDeviceAddressKHR,
};

static void
say_guessed (VtrCompatibilityScan *self,
             const GArray         *counts,
             guint64               index)
{
  g_autoptr (GString) list = g_string_new (NULL);
  guint64 total = 0;

  for (guint i = 0; i < counts->len; i++)
    {
      const VtrAddressCount *count = &g_array_index (counts, VtrAddressCount, i);

      g_string_append_printf (list, "%s%s: %s", i > 0 ? ", " : "",
                              g_str_equal (count->where, VTR_ADDRESS_MEMORY) ? _ ("memory")
                                                                             : count->where,
                              VTR_NUMBER (count->n));
      total += count->n;
    }
  if (total == 0)
    vtr_compatibility_add (self->findings, VTR_COMPATIBILITY_WARNING, "address", index,
                           _ ("Buffers have other addresses here than in the capture, and no "
                              "value in the trace looks like one of them. This replay is not "
                              "guaranteed."));
  else
    vtr_compatibility_add (self->findings, VTR_COMPATIBILITY_WARNING, "address", index,
                           _ ("Buffers have other addresses here than in the capture: %s values "
                              "that look like addresses are changed (%s). This replay is not "
                              "guaranteed."),
                           VTR_NUMBER (total), list->str);
}

/* @id: a command that tells addresses. */
static void
say (VtrCompatibilityScan *self,
     VtrCmdId              id)
{
  guint64 index = self->first[id];

  /* Buffers can be placed at their captured addresses if the device can import memory. */
  if (vtr_replay_plan_is_same (self->plan) ||
      vtr_vulkan_device_has_extension (vtr_replay_plan_get_target (self->plan, 0),
                                       VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME))
    vtr_compatibility_add (self->findings, VTR_COMPATIBILITY_WARNING, "address", index,
                           _ ("The trace uses addresses from %s. A replay may have different "
                              "ones."),
                           vtr_cmd_name (id));
  else
    vtr_compatibility_add (self->findings, VTR_COMPATIBILITY_ERROR, "address", index,
                           _ ("The trace uses addresses from %s, which mean nothing on another "
                              "device."),
                           vtr_cmd_name (id));
}

void
vtr_compatibility_end_addresses (VtrCompatibilityScan *self,
                                 const GArray         *counts)
{
  for (guint i = 0; i < VTR_VULKAN_N_COMMANDS; i++)
    for (gsize j = 0; j < G_N_ELEMENTS (telling); j++)
      {
        if (self->first[i] == VTR_COMMAND_NO_INDEX || vtr_cmd_canonical ((VtrCmdId)i) != telling[j])
          continue;
        if (counts != NULL)
          {
            say_guessed (self, counts, self->first[i]);
            return;
          }
        say (self, (VtrCmdId)i);
      }
}
