/* For the generated thunks only. */
#pragma once

#include "vtr-replay-vk-private.h"

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
