/* The tiny API's entry library, which libtiny loads from TINY_LAYER, and its answers to the core
 * of the capture layer. */
#include "vtr-tiny-layer.h"

#include "vtr-layer-transport.h"

#include "api/vtr-api-types.h"

TnFunctions vtr_tiny_next;

static uint8_t
get_traits (VtrCmdId cmd)
{
  return (vtr_cmd_is (cmd, VTR_CLASS_READS_STATE) ? VTR_CALL_READS_STATE : 0) |
         (vtr_tiny_follows (cmd) ? VTR_CALL_IS_FOLLOWED : 0);
}

const VtrCaptureApi vtr_tiny_capture_api = {
  .name = "Tiny",
  .first_command = VTR_TINY_FIRST_ID,
  .n_commands = VTR_TINY_N_COMMANDS,
  .get_traits = get_traits,
  .observe_state = vtr_tiny_observe_state,
  .follow = vtr_tiny_follow,
  .errand = vtr_tiny_errand,
  .write_state = vtr_tiny_write_state,
  .get_picture = vtr_tiny_get_picture,
};

/* Asked once for each function, before any is called. */
TN_EXPORT TnFunction tnLayer (const char *name,
                              TnFunction  next);

TnFunction
tnLayer (const char *name,
         TnFunction  next)
{
  if (!vtr_layer_transport_start ())
    return next;
  if (vtr_tiny_process.number == 0)
    vtr_namespace_tell (&vtr_tiny_process, VTR_NAMES_IN_PROCESS, NULL, 0);
  return vtr_tiny_get_trampoline (name, next);
}

static __attribute__ ((constructor)) void
add_tiny (void)
{
  if (vtr_capture_core_add_api (&vtr_tiny_capture_api))
    vtr_namespace_begin (&vtr_tiny_process, &vtr_tiny_capture_api);
}
