/* Writes instructions of the replay machine: the assembler shared by builder, tests and fuzzers.
 *
 * Append words to a VtrBuffer; a failed allocation sets buffer.failed, to be checked once, at
 * the end:
 *
 *   vtr_asm_label (&code, command->index);
 *   vtr_asm_load (&code, VTR_VM_UINT64, slot_of_command_buffer);
 *   vtr_asm_push (&code, VTR_VM_UINT32, 3);
 *   …
 *   vtr_asm_call (&code, VTR_VM_API_VULKAN, VTR_CMD_vkCmdDraw, false);
 *
 * How the machine calls: the arguments are the top entries of the stack, in the order pushed.
 * VOLATILE and CONSTANT values become absolute addresses; other values are passed as they are,
 * cut to the parameter's width (floats as VTR_VM_FLOAT). Without VTR_VM_CALL_PUSH a result that says
 * that the call failed ends the request (VTR_REPLAY_ERROR_CALL); with it, the result lies on the stack
 * (VkResult as INT32, VkBool32 as UINT32, addresses as UINT64) and nothing is judged.
 *
 * Threading: one at a time (per buffer). */
#pragma once

#include "base/vtr-buffer.h"
#include "wire/vtr-replay-opcode.h"

#include <stdbool.h>

#define VTR_ASM_MASK26 0x3ffffffull
/* Types whose constants are pushed as they are: bits by VtrVmType. */
#define VTR_ASM_PLAIN \
  (1u << VTR_VM_INT32 | 1u << VTR_VM_INT64 | 1u << VTR_VM_UINT32 | 1u << VTR_VM_UINT64 | \
   1u << VTR_VM_ABSOLUTE | 1u << VTR_VM_CONSTANT | 1u << VTR_VM_VOLATILE)

static inline void
vtr_asm_x (VtrBuffer *self,
           VtrOpcode  opcode,
           uint32_t   operand)
{
  vtr_buffer_append_u32 (self, (uint32_t)opcode << VTR_VM_OPCODE_SHIFT | (operand & VTR_VM_DATA26));
}

static inline void
vtr_asm_yz (VtrBuffer *self,
            VtrOpcode  opcode,
            VtrVmType  type,
            uint32_t   data)
{
  vtr_asm_x (self, opcode, (uint32_t)type << VTR_VM_TYPE_SHIFT | (data & VTR_VM_DATA20));
}

/* PUSH_I with @head, then @n EXTENDs with the low 26 bit groups of @value. */
static inline void
vtr_asm_push_groups (VtrBuffer *self,
                     VtrVmType  type,
                     uint64_t   value,
                     unsigned   n)
{
  uint8_t *to = vtr_buffer_extend (self, (n + 1) * sizeof (uint32_t));
  uint32_t word = (uint32_t)VTR_OP_PUSH_I << VTR_VM_OPCODE_SHIFT |
                  (uint32_t)type << VTR_VM_TYPE_SHIFT |
                  ((uint32_t)((int64_t)value >> (26 * n)) & VTR_VM_DATA20);

  if (to == NULL)
    return;
  memcpy (to, &word, sizeof word);
  while (n-- > 0)
    {
      word = (uint32_t)VTR_OP_EXTEND << VTR_VM_OPCODE_SHIFT |
             (uint32_t)(value >> (26 * n) & VTR_ASM_MASK26);
      to += sizeof word;
      memcpy (to, &word, sizeof word);
    }
}

/* Pushes any constant, in as few words as it takes (1 to 3). @value: numbers as themselves (signed
 * ones sign-extended), floats and doubles as their bits, pointers as address or offset. */
static inline void
vtr_asm_push (VtrBuffer *self,
              VtrVmType  type,
              uint64_t   value)
{
  int64_t number = (int64_t)value;

  /* Most constants are small numbers and take one word. */
  if (value < 1ull << 19 && (1u << type & VTR_ASM_PLAIN) != 0)
    {
      vtr_asm_yz (self, VTR_OP_PUSH_I, type, (uint32_t)value);
      return;
    }
  switch (type)
    {
    case VTR_VM_INT32:
    case VTR_VM_INT64:
      if (number >= -(1ll << 19) && number < 1ll << 19)
        vtr_asm_push_groups (self, type, value, 0);
      else if (number >= -(1ll << 45) && number < 1ll << 45)
        vtr_asm_push_groups (self, type, value, 1);
      else
        vtr_asm_push_groups (self, type, value, 2);
      break;
    case VTR_VM_FLOAT:
      vtr_asm_yz (self, VTR_OP_PUSH_I, type, (uint32_t)value >> 23);
      if ((value & 0x7fffff) != 0)
        vtr_asm_x (self, VTR_OP_EXTEND, (uint32_t)value & 0x7fffff);
      break;
    case VTR_VM_DOUBLE:
      vtr_asm_yz (self, VTR_OP_PUSH_I, type, (uint32_t)(value >> 52));
      if ((value & 0xfffffffffffffull) != 0)
        {
          vtr_asm_x (self, VTR_OP_EXTEND, (uint32_t)(value >> 26 & VTR_ASM_MASK26));
          vtr_asm_x (self, VTR_OP_EXTEND, (uint32_t)(value & VTR_ASM_MASK26));
        }
      break;
    default:
      if (type == VTR_VM_INT8 || type == VTR_VM_UINT8)
        value &= 0xff;
      else if (type == VTR_VM_INT16 || type == VTR_VM_UINT16)
        value &= 0xffff;
      else if (type == VTR_VM_UINT32)
        value &= 0xffffffff;
      if (value < 1ull << 20)
        vtr_asm_push_groups (self, type, value, 0);
      else if (value < 1ull << 46)
        vtr_asm_push_groups (self, type, value, 1);
      else
        vtr_asm_push_groups (self, type, value, 2);
    }
}

static inline void
vtr_asm_push_float (VtrBuffer *self,
                    float      value)
{
  uint32_t bits;

  memcpy (&bits, &value, sizeof bits);
  vtr_asm_push (self, VTR_VM_FLOAT, bits);
}

/* Pushes what lies at volatile @address. Pointers kept in memory are absolute: load them as
 * VTR_VM_ABSOLUTE. */
static inline void
vtr_asm_load (VtrBuffer *self,
              VtrVmType  type,
              uint64_t   address)
{
  if (address <= VTR_VM_DATA20)
    {
      vtr_asm_yz (self, VTR_OP_LOAD_V, type, (uint32_t)address);
      return;
    }
  if (address < 1ull << 46)
    {
      /* What follows, with one look at the buffer. */
      const uint32_t words[] = {
        (uint32_t)VTR_OP_PUSH_I << VTR_VM_OPCODE_SHIFT |
          (uint32_t)VTR_VM_VOLATILE << VTR_VM_TYPE_SHIFT | (uint32_t)(address >> 26),
        (uint32_t)VTR_OP_EXTEND << VTR_VM_OPCODE_SHIFT | (uint32_t)(address & VTR_ASM_MASK26),
        (uint32_t)VTR_OP_LOAD << VTR_VM_OPCODE_SHIFT | (uint32_t)type << VTR_VM_TYPE_SHIFT,
      };

      vtr_buffer_append (self, words, sizeof words);
      return;
    }
  vtr_asm_push (self, VTR_VM_VOLATILE, address);
  vtr_asm_yz (self, VTR_OP_LOAD, type, 0);
}

static inline void
vtr_asm_load_constant (VtrBuffer *self,
                       VtrVmType  type,
                       uint64_t   address)
{
  if (address <= VTR_VM_DATA20)
    {
      vtr_asm_yz (self, VTR_OP_LOAD_C, type, (uint32_t)address);
      return;
    }
  vtr_asm_push (self, VTR_VM_CONSTANT, address);
  vtr_asm_yz (self, VTR_OP_LOAD, type, 0);
}

/* Pops a value into volatile @address, with the value's own width (pointers as absolute
 * addresses). */
static inline void
vtr_asm_store (VtrBuffer *self,
               uint64_t   address)
{
  if (address <= VTR_VM_DATA26)
    {
      vtr_asm_x (self, VTR_OP_STORE_V, (uint32_t)address);
      return;
    }
  vtr_asm_push (self, VTR_VM_VOLATILE, address);
  vtr_asm_x (self, VTR_OP_STORE, 0);
}

static inline void
vtr_asm_call (VtrBuffer *self,
              unsigned   api,
              unsigned   function,
              bool       push_result)
{
  vtr_asm_x (self, VTR_OP_CALL,
             (push_result ? VTR_VM_CALL_PUSH : 0) | (uint32_t)api << VTR_VM_CALL_API_SHIFT |
               (function & 0xffff));
}

/* Names the command that runs from here on. */
static inline void
vtr_asm_label (VtrBuffer *self,
               uint64_t   index)
{
  vtr_asm_x (self, VTR_OP_LABEL, (uint32_t)(index & VTR_VM_DATA26));
}

/* Copies @size (< 1 MiB) bytes to volatile @destination, then stores the absolute addresses of
 * @patches: pairs of volatile addresses {destination, value}; then does @copies: pairs
 * {destination, source}, 8 bytes each. n_patches <= 63. */
static inline void
vtr_asm_inline (VtrBuffer      *self,
                uint64_t        destination,
                const void     *data,
                uint32_t        size,
                const uint32_t *patches,
                unsigned        n_patches,
                const uint32_t *copies,
                unsigned        n_copies)
{
  static const uint8_t zeroes[4];

  vtr_asm_push (self, VTR_VM_VOLATILE, destination);
  vtr_asm_yz (self, VTR_OP_INLINE_RESOURCE, (VtrVmType)n_patches, size);
  vtr_buffer_append (self, data, size);
  vtr_buffer_append (self, zeroes, (4 - size % 4) % 4);
  vtr_buffer_append (self, patches, n_patches * 2 * sizeof *patches);
  vtr_buffer_append_u32 (self, n_copies);
  vtr_buffer_append (self, copies, n_copies * 2 * sizeof *copies);
}
