/* Answers what the core of the capture layer asks about Vulkan's calls. */
#include "vtr-layer-ahead.h"
#include "vtr-layer-initial.h"
#include "vtr-layer-live.h"
#include "vtr-layer-picture.h"
#include "vtr-layer-marks.h"

#include "vtr-capture-core.h"

#include "api/vtr-api-types.h"

/* Calls that wait for whole queues, which the layer may have to use meanwhile. */
static bool
waits_for_queues (VtrCmdId cmd)
{
  return cmd == VTR_CMD_vkQueueWaitIdle || cmd == VTR_CMD_vkDeviceWaitIdle;
}

static uint8_t
get_traits (VtrCmdId cmd)
{
  uint8_t traits = 0;

  if (vtr_layer_live_needs_message (cmd))
    traits |= VTR_CALL_NEEDS_MESSAGE;
  if (vtr_layer_live_follows (cmd))
    traits |= VTR_CALL_IS_FOLLOWED;
  if (vtr_cmd_is (cmd, VTR_CLASS_WAIT | VTR_CLASS_ACQUIRE) && !waits_for_queues (cmd))
    traits |= VTR_CALL_RESTS;
  return traits;
}

static bool
may_pass (VtrLayerGateState  state,
          VtrCmdId           cmd,
          const void        *args)
{
  if (waits_for_queues (cmd))
    return false;
  /* The first parameter of those that signal is a queue or a device. */
  if (state == VTR_LAYER_GATE_AWAITED)
    return args == NULL ||
           vtr_layer_live_is_awaited (vtr_layer_device (*(void *const *)args), cmd, args);
  return cmd == VTR_CMD_vkSetEvent || cmd == VTR_CMD_vkSignalSemaphore ||
         cmd == VTR_CMD_vkSignalSemaphoreKHR ||
         vtr_cmd_is (cmd, VTR_CLASS_SUBMIT | VTR_CLASS_WAIT | VTR_CLASS_ACQUIRE);
}

static bool
quiesce (VtrQuiesceStep step,
         int64_t        deadline)
{
  return step == VTR_QUIESCE_MARK ? vtr_layer_marks_set () : vtr_layer_marks_wait (deadline);
}

static void
recording_changed (VtrNamespace *names,
                   bool          recording)
{
  VtrLayerDevice *device = names->env.data;

  if (device != NULL && !recording)
    vtr_layer_memory_end (&device->memory);
}

const VtrCaptureApi vtr_layer_vulkan_api = {
  .name = "Vulkan",
  .first_command = 0,
  .n_commands = VTR_VULKAN_N_COMMANDS,
  .get_traits = get_traits,
  .follow = vtr_layer_live_called,
  .may_pass = may_pass,
  .quiesce = quiesce,
  .write_state = vtr_layer_initial_write,
  .recording_changed = recording_changed,
  .late = &vtr_layer_vulkan_late,
  .get_picture = vtr_layer_picture_get,
  .count_ahead = vtr_layer_ahead_count_frames,
  .prepare = vtr_layer_ahead_prepare,
  .tidy = vtr_layer_ahead_tidy,
};

static __attribute__ ((constructor)) void
add_vulkan (void)
{
  if (vtr_capture_core_add_api (&vtr_layer_vulkan_api))
    vtr_namespace_begin (&vtr_layer_process, &vtr_layer_vulkan_api);
}
