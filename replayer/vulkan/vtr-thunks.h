/* Generated calls of the registry's commands (gen/emit_thunks.py). Threading: any (constants). */
#pragma once

#include "vtr-interpreter.h"

#include "api/vtr-api-ids.h"

typedef struct
{
  uint8_t n_args;
  uint8_t result;    /* VtrVmType, or VTR_VM_VOID */
  uint8_t is_result; /* a VkResult */
  uint32_t pointers; /* bit n: argument n is a pointer */
} VtrThunkSignature;

/* By VtrCmdId. */
extern const VtrThunkSignature vtr_thunk_signatures[VTR_CMD_COUNT];
extern const VtrVmCall vtr_thunks[VTR_CMD_COUNT]; /* NULL: a command of another system */

/* By VtrHandleId: the command that destroys one, VTR_CMD_NONE when its owner does. */
extern const VtrCmdId vtr_thunk_destroyers[VTR_HANDLE_COUNT];

/* The next of the names a command has (vkFoo, vkFooKHR), in a circle. */
extern const VtrCmdId vtr_thunk_other_names[VTR_CMD_COUNT];

/* Signatures of the synthetic functions, from VTR_REPLAY_FIRST_SYNTHETIC on. */
#define VTR_N_SYNTHETICS (VTR_REPLAY_LAST_SYNTHETIC - VTR_REPLAY_FIRST_SYNTHETIC)
extern const VtrThunkSignature vtr_synthetic_signatures[VTR_N_SYNTHETICS];
extern const char *const vtr_synthetic_names[VTR_N_SYNTHETICS];

/* Fills VTR_CMD_COUNT functions with @calls, or with @same for all when @calls is NULL (null
 * backend, tests, fuzzers). */
void vtr_thunks_fill (VtrVmFunction   *functions,
                      const VtrVmCall *calls,
                      VtrVmCall        same);

/* The same for VTR_N_SYNTHETICS functions. */
void vtr_thunks_fill_synthetics (VtrVmFunction   *functions,
                                 const VtrVmCall *calls,
                                 VtrVmCall        same);
