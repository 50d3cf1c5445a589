/* The replay machine's typed stack. Inline, because every instruction uses it.
 *
 * A value is 64 bits in canonical form: INT32 and INT64 sign-extended, everything else zero-
 * extended from its width (floats as their bits). Types lie in bytes of their own, so that a
 * call looks at eight at once.
 *
 * Threading: one at a time. */
#pragma once

#include "wire/vtr-replay-opcode.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define VTR_VM_TYPE_COUNT 14
#define VTR_VM_VOID 0xff /* a function without result */

typedef struct
{
  uint64_t values[VTR_VM_STACK_SIZE];
  uint8_t types[VTR_VM_STACK_SIZE + 8]; /* readable eight at a time */
  uint32_t size;
} VtrStack;

/* Bytes of a value of @type in memory; pointers have the process's size, as everything absolute. */
static inline uint32_t
vtr_vm_type_size (VtrVmType type)
{
  static const uint8_t sizes[VTR_VM_TYPE_COUNT] = {
    1, 1, 2, 4, 8, 1, 2, 4, 8, 4, 8, sizeof (void *), sizeof (void *), sizeof (void *)
  };

  return sizes[type];
}

static inline bool
vtr_vm_type_is_pointer (unsigned type)
{
  return type >= VTR_VM_ABSOLUTE;
}

/* Brings the low bits of @value into canonical form. */
static inline uint64_t
vtr_vm_canonical (VtrVmType type,
                  uint64_t  value)
{
  switch (vtr_vm_type_size (type))
    {
    case 1:
      return value & 0xff;
    case 2:
      return value & 0xffff;
    case 4:
      return type == VTR_VM_INT32 ? (uint64_t)(int64_t)(int32_t)value : (uint32_t)value;
    default:
      return value;
    }
}

/* Reads a value of @type at @from, which need not be aligned. */
static inline uint64_t
vtr_vm_load_value (VtrVmType   type,
                   const void *from)
{
  uint64_t value = 0;

  switch (vtr_vm_type_size (type))
    {
    case 1:
      return *(const uint8_t *)from;
    case 2:
      memcpy (&value, from, 2);
      return value;
    case 4:
      {
        uint32_t word;

        memcpy (&word, from, 4);
        return type == VTR_VM_INT32 ? (uint64_t)(int64_t)(int32_t)word : word;
      }
    default:
      memcpy (&value, from, 8);
      return value;
    }
}

/* Little-endian machines only, as the words of a payload are. */
static inline void
vtr_vm_store_value (VtrVmType  type,
                    uint64_t   value,
                    void      *to)
{
  memcpy (to, &value, vtr_vm_type_size (type));
}

/* Whether one of the @n types from @types on is CONSTANT or VOLATILE, which calls must
 * translate. */
static inline bool
vtr_stack_has_relative (const uint8_t *types,
                        unsigned       n)
{
  for (;;)
    {
      uint64_t eight;

      memcpy (&eight, types, sizeof eight);
      if (n < 8)
        eight &= (1ull << (8 * n)) - 1;
      /* 12 and 13 carry into bit 7 of their byte; smaller types do not. */
      if (((eight + 0x7474747474747474ull) & 0x8080808080808080ull) != 0)
        return true;
      if (n <= 8)
        return false;
      types += 8;
      n -= 8;
    }
}
