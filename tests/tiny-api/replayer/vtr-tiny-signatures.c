/* Lists the signatures of the tiny API for the replay machine; replays need no functions beyond
 * its commands. */
#include "vtr-tiny-signatures.h"

#include "api/vtr-api-types.h"

static const char *
get_name (uint32_t function)
{
  return function - VTR_TINY_FIRST_ID < VTR_TINY_N_COMMANDS ? vtr_cmd_name ((VtrCmdId)function)
                                                            : NULL;
}

const VtrVmSignatures vtr_vm_signatures_tiny = {
  .calls = vtr_tiny_signatures,
  .first_call = VTR_TINY_FIRST_ID,
  .n_calls = VTR_TINY_N_COMMANDS,
  .first_own = VTR_REPLAY_FIRST_SYNTHETIC,
  .get_name = get_name,
};
