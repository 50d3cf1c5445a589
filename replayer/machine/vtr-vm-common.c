/* Lists the signatures of the machine functions that every API implements. */
#include "vtr-vm-signature.h"

#define P(n) (1u << (n))
#define N_COMMON (VTR_REPLAY_LAST_COMMON - VTR_REPLAY_FIRST_COMMON)

static const VtrVmSignature signatures[N_COMMON] = {
#define AT(name) [VTR_REPLAY_##name - VTR_REPLAY_FIRST_COMMON]
  AT (SAVE) = { 2, VTR_VM_INT32, 0, P (0) },
  AT (MARK) = { 4, VTR_VM_INT32, 0, P (1) },
  AT (GO_TO_MARK) = { 1, VTR_VM_INT32, 0, 0 },
  AT (FORGET_MARK) = { 1, VTR_VM_INT32, 0, 0 },
  AT (READ_CLOCK) = { 1, VTR_VM_INT32, 0, 0 },
  AT (SETTLE) = { 0, VTR_VM_INT32, 0, 0 },
  AT (READ_TEXELS) = { 1, VTR_VM_INT32, 0, P (0) },
  AT (READ_BYTES) = { 1, VTR_VM_INT32, 0, P (0) },
  AT (WRITE_BYTES) = { 5, VTR_VM_INT32, 0, P (3) },
  AT (WRITE_TEXELS) = { 3, VTR_VM_INT32, 0, P (0) | P (1) },
};

static const char *const names[N_COMMON] = {
  AT (SAVE) = "keeping the state",
  AT (MARK) = "marking the state",
  AT (GO_TO_MARK) = "going back to a mark",
  AT (FORGET_MARK) = "forgetting a mark",
  AT (READ_CLOCK) = "reading the clock",
  AT (SETTLE) = "waiting for the device",
  AT (READ_TEXELS) = "reading an image",
  AT (READ_BYTES) = "reading memory",
  AT (WRITE_BYTES) = "writing memory",
  AT (WRITE_TEXELS) = "writing an image",
};

static const char *
get_name (uint32_t function)
{
  return function - VTR_REPLAY_FIRST_COMMON < N_COMMON ? names[function - VTR_REPLAY_FIRST_COMMON]
                                                       : NULL;
}

const VtrVmSignatures vtr_vm_signatures_common = {
  .own = signatures,
  .first_own = VTR_REPLAY_FIRST_COMMON,
  .n_own = N_COMMON,
  .get_name = get_name,
};
