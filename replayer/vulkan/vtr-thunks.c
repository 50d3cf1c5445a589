/* Fills the machine's function table with the generated calls of Vulkan commands and with the
 * replay's own functions. */
#include "vtr-thunks.h"

#define P(n) (1u << (n))

const VtrThunkSignature vtr_synthetic_signatures[VTR_N_SYNTHETICS] = {
#define AT(name) [VTR_REPLAY_##name - VTR_REPLAY_FIRST_SYNTHETIC]
  AT (GET_PHYSICAL_DEVICE) = { 6, VTR_VM_VOID, 0, P (4) | P (5) },
  AT (ACQUIRE) = { 5, VTR_VM_INT32, 1, 0 },
  AT (PRESENT) = { 2, VTR_VM_INT32, 1, P (1) },
  AT (WAIT_EVENT) = { 2, VTR_VM_INT32, 1, 0 },
  AT (WRITE_MEMORY) = { 4, VTR_VM_INT32, 1, P (2) },
  AT (READ_IMAGE) = { 1, VTR_VM_INT32, 1, P (0) },
  AT (READ_BUFFER) = { 1, VTR_VM_INT32, 1, P (0) },
  AT (READ_MEMORY) = { 1, VTR_VM_INT32, 1, P (0) },
  AT (SCATTER_MEMORY) = { 3, VTR_VM_VOID, 0, P (2) },
  AT (PLACE_MEMORY) = { 1, VTR_VM_VOID, 0, 0 },
  AT (KEEP_ADDRESS) = { 1, VTR_VM_VOID, 0, 0 },
  AT (KEEP_GROUPS) = { 3, VTR_VM_VOID, 0, P (1) },
  AT (COMPARE_GROUPS) = { 4, VTR_VM_VOID, 0, P (1) | P (2) },
  AT (CHECK_ADDRESS) = { 3, VTR_VM_VOID, 0, 0 },
  AT (FIND_ADDRESS) = { 4, VTR_VM_VOID, 0, P (3) },
  AT (LINEAR_LAYOUT) = { 3, VTR_VM_VOID, 0, P (2) },
  AT (SAVE) = { 2, VTR_VM_INT32, 1, P (0) },
  AT (WRITE_IMAGE) = { 3, VTR_VM_INT32, 1, P (0) | P (1) },
  AT (MARK) = { 4, VTR_VM_INT32, 1, P (1) },
  AT (GO_TO_MARK) = { 1, VTR_VM_INT32, 1, 0 },
  AT (FORGET_MARK) = { 1, VTR_VM_INT32, 1, 0 },
  AT (RESET_QUERIES) = { 1, VTR_VM_INT32, 1, P (0) },
  AT (READ_QUERIES) = { 1, VTR_VM_INT32, 1, P (0) },
  AT (READ_CLOCK) = { 1, VTR_VM_INT32, 1, 0 },
  AT (BACK_IMAGE) = { 1, VTR_VM_INT32, 1, P (0) },
  AT (SETTLE) = { 0, VTR_VM_INT32, 1, 0 },
  AT (WRITE_STRUCTURE) = { 3, VTR_VM_INT32, 1, P (0) | P (1) },
};

const char *const vtr_synthetic_names[VTR_N_SYNTHETICS] = {
  AT (GET_PHYSICAL_DEVICE) = "choosing the physical device",
  AT (ACQUIRE) = "acquiring an image",
  AT (PRESENT) = "presenting",
  AT (WAIT_EVENT) = "waiting for an event",
  AT (WRITE_MEMORY) = "writing memory",
  AT (READ_IMAGE) = "reading an image",
  AT (READ_BUFFER) = "reading a buffer",
  AT (READ_MEMORY) = "reading memory",
  AT (SCATTER_MEMORY) = "planning memory",
  AT (PLACE_MEMORY) = "placing memory",
  AT (KEEP_ADDRESS) = "keeping an address",
  AT (KEEP_GROUPS) = "keeping handles of shader groups",
  AT (COMPARE_GROUPS) = "comparing handles of shader groups",
  AT (CHECK_ADDRESS) = "checking an address",
  AT (FIND_ADDRESS) = "asking for an address",
  AT (LINEAR_LAYOUT) = "describing a linear image",
  AT (SAVE) = "keeping the state",
  AT (WRITE_IMAGE) = "writing an image",
  AT (MARK) = "marking the state",
  AT (GO_TO_MARK) = "going back to a mark",
  AT (FORGET_MARK) = "forgetting a mark",
  AT (RESET_QUERIES) = "preparing queries",
  AT (READ_QUERIES) = "reading queries",
  AT (READ_CLOCK) = "reading the clock",
  AT (BACK_IMAGE) = "giving an image memory",
  AT (SETTLE) = "waiting for the device",
  AT (WRITE_STRUCTURE) = "writing an acceleration structure",
};

static void
vtr_thunks_fill_from (VtrVmFunction           *functions,
                      const VtrThunkSignature *signatures,
                      size_t                   n,
                      const VtrVmCall         *calls,
                      VtrVmCall                same)
{
  for (size_t i = 0; i < n; i++)
    functions[i] = (VtrVmFunction){
      .call = calls != NULL ? calls[i] : same,
      .pointers = signatures[i].pointers,
      .n_args = signatures[i].n_args,
      .result = signatures[i].result,
      .judged = signatures[i].is_result,
      .known = 1,
    };
}

void
vtr_thunks_fill (VtrVmFunction   *functions,
                 const VtrVmCall *calls,
                 VtrVmCall        same)
{
  vtr_thunks_fill_from (functions, vtr_thunk_signatures, VTR_VULKAN_N_COMMANDS, calls, same);
}

void
vtr_thunks_fill_synthetics (VtrVmFunction   *functions,
                            const VtrVmCall *calls,
                            VtrVmCall        same)
{
  vtr_thunks_fill_from (functions, vtr_synthetic_signatures, VTR_N_SYNTHETICS, calls, same);
}
