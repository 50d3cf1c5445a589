/* The functions of a fuzz target: libFuzzer's entry point, and inputs to begin with. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Runs the code under test on one input. Whatever the bytes, it returns. Returns: 0 */
int LLVMFuzzerTestOneInput (const uint8_t *data,
                            size_t         size);

typedef void (*VtrFuzzAdd) (void *user,
                            const void *data,
                            size_t size);

/* Calls @add with sound inputs, made on the spot. */
void vtr_fuzz_make_seeds (VtrFuzzAdd  add,
                          void       *user);
