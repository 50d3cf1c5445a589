/* Signatures of an API's functions, which the machine needs to call them. Also for programs that
 * only check or count calls (null back end, tests, fuzzers).
 *
 * Threading: any (constants). */
#pragma once

#include "vtr-interpreter.h"

typedef struct
{
  uint8_t n_args;
  uint8_t result;    /* VtrVmType, or VTR_VM_VOID */
  uint8_t judged;    /* its result may say that it failed */
  uint32_t pointers; /* bit n: argument n is a pointer */
} VtrVmSignature;

/* Of one API. */
typedef struct
{
  const VtrVmSignature *calls; /* those of its registry, with ids from @first_call */
  uint32_t first_call;
  uint32_t n_calls;
  const VtrVmSignature *own; /* those of the replay, with ids from @first_own */
  uint32_t first_own;
  uint32_t n_own;
  /* The name of a function with this id, for messages; NULL: none has it. */
  const char *(*get_name) (uint32_t function);
} VtrVmSignatures;

/* The functions that every API answers, which have the machine's own number. */
extern const VtrVmSignatures vtr_vm_signatures_common;

/* By number of the API; vtr_vm_signatures_common for the machine's own. Made by the build. */
extern const VtrVmSignatures *const vtr_vm_signatures[VTR_VM_N_APIS];

/* Fills @n functions that call @calls; if @calls is NULL, all call @same. */
void vtr_vm_signature_fill (VtrVmFunction        *functions,
                            const VtrVmSignature *signatures,
                            size_t                n,
                            const VtrVmCall      *calls,
                            VtrVmCall             same);

/* Makes @vm call @same with @context for every function of every API. @functions: room for
 * vtr_vm_signature_count () of them, which lives as long as @vm. */
void vtr_vm_signature_fill_all (VtrVm         *vm,
                                VtrVmFunction *functions,
                                VtrVmCall      same,
                                void          *context);
size_t vtr_vm_signature_count (void);

/* Name of a function, for error texts and for people; NULL: there is none. */
const char *vtr_vm_signature_get_name (uint32_t api,
                                       uint32_t function);
