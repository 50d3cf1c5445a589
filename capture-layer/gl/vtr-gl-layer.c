/* What the recorder of OpenGL answers the core of the capture layer. */
#include "vtr-gl-layer.h"

#include "api/vtr-api-types.h"

#include <stdio.h>

static uint8_t
get_traits (VtrCmdId cmd)
{
  return vtr_cmd_is (cmd, VTR_CLASS_READS_STATE) ? VTR_CALL_READS_STATE : 0;
}

/* Nothing of what lives is kept, so no recording can begin later than the program. */
static bool
write_state (VtrLayerThread *thread,
             char            why[VTR_LAYER_WHY_MAX])
{
  snprintf (why, VTR_LAYER_WHY_MAX,
            "This version of Vitrine captures OpenGL from the launch of a program only.");
  return false;
}

const VtrCaptureApi vtr_gl_capture_api = {
  .name = "OpenGL",
  .first_command = VTR_GL_FIRST_ID,
  .n_commands = VTR_GL_N_COMMANDS,
  .get_traits = get_traits,
  .observe_state = vtr_gl_observe_state,
  .write_state = write_state,
};

static __attribute__ ((constructor)) void
add_gl (void)
{
  if (vtr_capture_core_add_api (&vtr_gl_capture_api))
    vtr_namespace_begin (&vtr_gl_process, &vtr_gl_capture_api);
}
