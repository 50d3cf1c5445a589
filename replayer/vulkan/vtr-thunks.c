/* Lists the signatures that the machine needs to call Vulkan: the registry's functions, which are
 * generated, and those that only replays have. */
#include "vtr-thunks.h"

#include "api/vtr-api-types.h"

#define P(n) (1u << (n))

const VtrVmSignature vtr_synthetic_signatures[VTR_N_SYNTHETICS] = {
#define AT(name) [VTR_REPLAY_##name - VTR_REPLAY_FIRST_SYNTHETIC]
  AT (GET_PHYSICAL_DEVICE) = { 6, VTR_VM_VOID, 0, P (4) | P (5) },
  AT (ACQUIRE) = { 5, VTR_VM_INT32, 1, 0 },
  AT (PRESENT) = { 2, VTR_VM_INT32, 1, P (1) },
  AT (WAIT_EVENT) = { 2, VTR_VM_INT32, 1, 0 },
  AT (SCATTER_MEMORY) = { 3, VTR_VM_VOID, 0, P (2) },
  AT (PLACE_MEMORY) = { 1, VTR_VM_VOID, 0, 0 },
  AT (KEEP_ADDRESS) = { 1, VTR_VM_VOID, 0, 0 },
  AT (KEEP_GROUPS) = { 3, VTR_VM_VOID, 0, P (1) },
  AT (COMPARE_GROUPS) = { 4, VTR_VM_VOID, 0, P (1) | P (2) },
  AT (CHECK_ADDRESS) = { 3, VTR_VM_VOID, 0, 0 },
  AT (FIND_ADDRESS) = { 4, VTR_VM_VOID, 0, P (3) },
  AT (LINEAR_LAYOUT) = { 3, VTR_VM_VOID, 0, P (2) },
  AT (RESET_QUERIES) = { 1, VTR_VM_INT32, 1, P (0) },
  AT (READ_QUERIES) = { 1, VTR_VM_INT32, 1, P (0) },
  AT (BACK_IMAGE) = { 1, VTR_VM_INT32, 1, P (0) },
  AT (WRITE_STRUCTURE) = { 3, VTR_VM_INT32, 1, P (0) | P (1) },
};

static const char *const synthetic_names[VTR_N_SYNTHETICS] = {
  AT (GET_PHYSICAL_DEVICE) = "choosing the physical device",
  AT (ACQUIRE) = "acquiring an image",
  AT (PRESENT) = "presenting",
  AT (WAIT_EVENT) = "waiting for an event",
  AT (SCATTER_MEMORY) = "planning memory",
  AT (PLACE_MEMORY) = "placing memory",
  AT (KEEP_ADDRESS) = "keeping an address",
  AT (KEEP_GROUPS) = "keeping handles of shader groups",
  AT (COMPARE_GROUPS) = "comparing handles of shader groups",
  AT (CHECK_ADDRESS) = "checking an address",
  AT (FIND_ADDRESS) = "asking for an address",
  AT (LINEAR_LAYOUT) = "describing a linear image",
  AT (RESET_QUERIES) = "preparing queries",
  AT (READ_QUERIES) = "reading queries",
  AT (BACK_IMAGE) = "giving an image memory",
  AT (WRITE_STRUCTURE) = "writing an acceleration structure",
};

static const char *
get_name (uint32_t function)
{
  if (vtr_cmd_is_vulkan (function))
    return vtr_cmd_name ((VtrCmdId)function);
  if (function - VTR_REPLAY_FIRST_SYNTHETIC < VTR_N_SYNTHETICS)
    return synthetic_names[function - VTR_REPLAY_FIRST_SYNTHETIC];
  return NULL;
}

const VtrVmSignatures vtr_vm_signatures_vulkan = {
  .calls = vtr_thunk_signatures,
  .n_calls = VTR_VULKAN_N_COMMANDS,
  .own = vtr_synthetic_signatures,
  .first_own = VTR_REPLAY_FIRST_SYNTHETIC,
  .n_own = VTR_N_SYNTHETICS,
  .get_name = get_name,
};
