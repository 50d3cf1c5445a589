/* For the generated thunks only. */
#pragma once

#include "vtr-vk-objects.h"

/* Whether there is what a call cannot do without. Returns: false after vtr_vm_fail(). */
static inline bool
vtr_thunk_has (VtrReplayVk *vk,
               uint64_t     pointer,
               const char  *name)
{
  if (__builtin_expect (pointer != 0, true))
    return true;
  vtr_vm_fail (vk->vm, VTR_VM_ERROR_TRACE, "The trace lacks %s of this call.", name);
  return false;
}

static inline float
vtr_thunk_float (uint64_t bits)
{
  uint32_t word = (uint32_t)bits;
  float value;

  memcpy (&value, &word, sizeof value);
  return value;
}

__attribute__ ((unused)) static inline double
vtr_thunk_double (uint64_t bits)
{
  double value;

  memcpy (&value, &bits, sizeof value);
  return value;
}
