/* Decides whether and how each Vulkan command is replayed, from its class and extension, and
 * says why one is left out. */
#include "engine/vulkan/replay-builder/vtr-vulkan-rules.h"

#include "vtr-config.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "engine/vulkan/replay-builder/vtr-vulkan-builder-private.h"
#include "vtr-api-args.h"

/* Whole extensions whose commands have no part in what the GPU computes. */
static const struct
{
  const char *extension;
  const char *reason;
} left_out[] = {
  { "VK_KHR_display", "the replay shows nothing" },
  { "VK_EXT_direct_mode_display", "the replay shows nothing" },
  { "VK_EXT_acquire_drm_display", "the replay shows nothing" },
  { "VK_EXT_acquire_xlib_display", "the replay shows nothing" },
  { "VK_EXT_display_control", "the replay shows nothing" },
  { "VK_EXT_display_surface_counter", "the replay shows nothing" },
  { "VK_KHR_present_wait", "the replay shows nothing" },
  { "VK_GOOGLE_display_timing", "the replay shows nothing" },
  { "VK_EXT_hdr_metadata", "the replay shows nothing" },
  { "VK_AMD_display_native_hdr", "the replay shows nothing" },
  { "VK_EXT_full_screen_exclusive", "the replay shows nothing" },
  { "VK_EXT_swapchain_maintenance1", "the replay shows nothing" },
  { "VK_EXT_debug_utils", "names and labels change nothing" },
  { "VK_EXT_debug_report", "names and labels change nothing" },
  { "VK_EXT_debug_marker", "names and labels change nothing" },
  { "VK_EXT_tooling_info", "a question to the driver" },
  { "VK_EXT_private_data", "data of the program's own" },
  { "VK_EXT_validation_cache", "nothing depends on it" },
  { "VK_INTEL_performance_query", "measures the program, not the replay" },
  { "VK_EXT_device_fault", "a question to the driver" },
};

static const char *
reason_of_extension (const char *extension)
{
  /* Extensions of any window system. */
  if (g_str_has_suffix (extension, "_surface"))
    return "the replay shows nothing";
  for (gsize i = 0; i < G_N_ELEMENTS (left_out); i++)
    if (strcmp (left_out[i].extension, extension) == 0)
      return left_out[i].reason;
  return NULL;
}

/* Returns: NULL if an extension brings the command that is not left out. */
static const char *
left_out_reason (VtrCmdId id)
{
  const char *reason = NULL;
  guint16 extension;

  for (guint i = 0; (extension = vtr_cmd_extension (id, i)) != VTR_API_NO_INDEX; i++)
    {
      reason = reason_of_extension (vtr_api_string (vtr_api_extensions[extension].name));
      if (reason == NULL)
        return NULL;
    }
  return reason;
}

static VtrReplayRule
rule_by_class (VtrCmdId id)
{
  const VtrApiCommand *command = vtr_cmd_get (id);
  const char *reason = left_out_reason (id);

  if (reason != NULL)
    return (VtrReplayRule){ .action = VTR_REPLAY_LEAVE, .reason = reason };
  if ((command->classes & VTR_CLASS_QUERY) != 0 &&
      (command->classes & (VTR_CLASS_CREATE | VTR_CLASS_RETRIEVE)) == 0)
    return (VtrReplayRule){ .action = VTR_REPLAY_LEAVE, .reason = "a question to the driver" };
  if ((command->classes & VTR_CLASS_C) == 0)
    return (VtrReplayRule){ .action = VTR_REPLAY_DECLINE,
                            .reason = N_ (
                              "it belongs to another system's window or memory interfaces") };
  return (VtrReplayRule){ .action = VTR_REPLAY_CALL };
}

static const VtrReplayRule *
make_rules (void)
{
  VtrReplayRule *rules = g_new0 (VtrReplayRule, VTR_VULKAN_N_COMMANDS);
  const VtrReplayCustomEntry *custom;
  gsize n_custom;

  for (guint id = 0; id < VTR_VULKAN_N_COMMANDS; id++)
    rules[id] = rule_by_class (vtr_cmd_canonical ((VtrCmdId)id));
  custom = vtr_replay_custom_table (&n_custom);
  for (guint id = 0; id < VTR_VULKAN_N_COMMANDS; id++)
    for (gsize i = 0; i < n_custom; i++)
      if (custom[i].id == vtr_cmd_canonical ((VtrCmdId)id))
        rules[id] = custom[i].rule;
  return rules;
}

static const VtrReplayRule *all_rules; /* NULL until somebody asks */

/* Apart, since a function that calls others saves registers for each command. */
static G_GNUC_NO_INLINE const VtrReplayRule *
make_rules_once (VtrCmdId id)
{
  if (g_once_init_enter (&all_rules))
    g_once_init_leave (&all_rules, make_rules ());
  return &all_rules[id];
}

const VtrReplayRule *
vtr_vulkan_rule_get (VtrCmdId id)
{
  const VtrReplayRule *rules = g_atomic_pointer_get (&all_rules);

  return G_LIKELY (rules != NULL) ? &rules[id] : make_rules_once (id);
}

#ifdef VK_EXT_shader_object
static gboolean
has_binary_code (const VtrArgs_vkCreateShadersEXT *args)
{
  for (guint32 i = 0; args->pCreateInfos != NULL && i < args->createInfoCount; i++)
    if (args->pCreateInfos[i].codeType == VK_SHADER_CODE_TYPE_BINARY_EXT)
      return TRUE;
  return FALSE;
}
#endif

const char *
vtr_vulkan_rule_why_not_elsewhere (const VtrReplayRule *rule,
                                   const VtrCommand    *command)
{
  switch (vtr_cmd_canonical (command->id))
    {
#ifdef VK_EXT_shader_object
    case VTR_CMD_vkCreateShadersEXT:
      if (has_binary_code (command->args))
        return N_ ("shader objects made from a driver's binary code need the device and driver "
                   "of the capture");
      break;
#endif
#ifdef VK_EXT_host_image_copy
    case VTR_CMD_vkCopyMemoryToImageEXT:
      {
        const VtrArgs_vkCopyMemoryToImageEXT *args = command->args;

        if (args->pCopyMemoryToImageInfo != NULL &&
            (args->pCopyMemoryToImageInfo->flags & VK_HOST_IMAGE_COPY_MEMCPY_EXT) != 0)
          return N_ ("texels in a driver's own memory layout need the device and driver of the "
                     "capture");
        break;
      }
#endif
    default:
      break;
    }
  return rule->elsewhere;
}

typedef struct
{
  guint32 type;
  gboolean found;
} MadeSearch;

static void
on_handle (gpointer              data,
           const VtrVisitHandle *handle)
{
  MadeSearch *search = data;

  if (!handle->out || handle->ignored || handle->type != search->type)
    return;
  search->found |= handle->dispatchable ? *(const guintptr *)handle->slot != 0
                                        : *(const guint64 *)handle->slot != 0;
}

/* Some of several pipelines may have been created although the call failed. */
static gboolean
has_made_something (const VtrCommand *command)
{
  static const VtrApiEnv decoded_env = { .decoded = true };
  MadeSearch search = { .type = vtr_cmd_get (command->id)->create.handle };
  const VtrApiVisitor visitor = { .data = &search, .handle = on_handle };

  if (!vtr_cmd_is (command->id, VTR_CLASS_CREATE) || command->args == NULL)
    return FALSE;
  vtr_api_visit (command->id, command->args, &decoded_env, &visitor);
  return search.found;
}

gboolean
vtr_vulkan_rule_result_counts (const VtrReplayRule *rule,
                               const VtrCommand    *command)
{
  if (rule->ignore_result || !command->has_result ||
      vtr_cmd_get (command->id)->result != VTR_RESULT_STATUS)
    return TRUE;
  switch ((gint32)command->result)
    {
    case VK_NOT_READY:
    case VK_TIMEOUT:
      return FALSE;
    default:
      return (gint32)command->result >= 0 || has_made_something (command);
    }
}
