/* What the replay machine must know to call OpenGL: nothing yet, since no replay calls it. */
#include "vtr-vm-signature.h"

#include "api/vtr-api-ids.h"
#include "wire/vtr-replay-functions.h"

static const char *
get_name (uint32_t function)
{
  return NULL;
}

const VtrVmSignatures vtr_vm_signatures_gl = {
  .first_call = VTR_GL_FIRST_ID,
  .first_own = VTR_REPLAY_FIRST_SYNTHETIC,
  .get_name = get_name,
};
