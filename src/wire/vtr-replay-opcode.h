/* The replay machine's instruction words, after GAPIR (GAPID's replay_service/vm.h, cmd facts:
 * opcode in bits 31..26).
 *
 *   form X    bits 25..0 operand
 *   form YZ   bits 25..20 type (or count), bits 19..0 data
 *   form CALL bit 24 push the result, bits 19..16 API, bits 15..0 function
 *
 * A typed stack of VTR_VM_STACK_SIZE entries; memory spaces *constant* (read only, sent with
 * segments), *volatile* (one reserved range that only grows) and *absolute* (process addresses).
 *
 * Threading: any (constants). */
#pragma once

#include "wire/vtr-vm-apis.h"

#include <stdint.h>

typedef enum
{
  VTR_OP_CALL = 0,             /* CALL  pop the arguments (last on top), call, push the result if asked */
  VTR_OP_PUSH_I = 1,           /* YZ    push the 20-bit constant (signed for int32, int64) */
  VTR_OP_LOAD_C = 2,           /* YZ    push from constant memory */
  VTR_OP_LOAD_V = 3,           /* YZ    push from volatile memory */
  VTR_OP_LOAD = 4,             /* YZ    pop a pointer, push what it points to */
  VTR_OP_POP = 5,              /* X     discard n values */
  VTR_OP_STORE_V = 6,          /* X     pop a value, write it to the volatile address */
  VTR_OP_STORE = 7,            /* -     pop an address, pop a value, write it */
  VTR_OP_RESOURCE = 8,         /* X     pop the destination; write resource n there */
  VTR_OP_POST = 9,             /* -     pop u32 size, then a pointer; send the bytes back */
  VTR_OP_COPY = 10,            /* X     pop target, then source; copy n bytes */
  VTR_OP_CLONE = 11,           /* X     push a copy of the n-th value from the top */
  VTR_OP_STRCPY = 12,          /* X     pop target, then source; copy up to the NUL, zero-fill to n */
  VTR_OP_EXTEND = 13,          /* X     v = v << 26 | operand (floats: see FORMAT.md) */
  VTR_OP_ADD = 14,             /* X     pop n values, push their sum */
  VTR_OP_LABEL = 15,           /* X     the command now running (index & 0x3ffffff) */
  VTR_OP_SWITCH_THREAD = 16,   /* X     go on in worker thread n */
  VTR_OP_JUMP_LABEL = 17,      /* X     a jump target */
  VTR_OP_JUMP_NZ = 18,         /* X     pop int32; jump when not 0 */
  VTR_OP_JUMP_Z = 19,          /* X     pop int32; jump when 0 */
  VTR_OP_NOTIFICATION = 20,    /* -     pop u32 size, u32 id, pointer; send the bytes as a notification */
  VTR_OP_WAIT = 21,            /* X     ask the host for fence n and wait for it */
  VTR_OP_INLINE_RESOURCE = 22, /* YZ    pop the destination; see below */
  VTR_OP_COUNT,
} VtrOpcode;

/* PUSH_I: float is the data << 23, double the data << 52. A jump needs an INT32 on the stack and
 * nothing else; its label lies in the same segment or an earlier one. STRCPY copies at most n - 1
 * bytes. A stored or passed CONSTANT or VOLATILE pointer becomes absolute.
 *
 * INLINE_RESOURCE: bits 25..20 = number of value patches v (0..63), bits 19..0 = size in bytes.
 * Following words: ceil(size / 4) data words, copied to the destination; v pairs {destination,
 * value} of volatile addresses: store the absolute address of value at destination; one word p;
 * p pairs {destination, source} of volatile addresses: copy 8 bytes. */

typedef enum
{
  VTR_VM_BOOL = 0,
  VTR_VM_INT8 = 1,
  VTR_VM_INT16 = 2,
  VTR_VM_INT32 = 3,
  VTR_VM_INT64 = 4,
  VTR_VM_UINT8 = 5,
  VTR_VM_UINT16 = 6,
  VTR_VM_UINT32 = 7,
  VTR_VM_UINT64 = 8,
  VTR_VM_FLOAT = 9,
  VTR_VM_DOUBLE = 10,
  VTR_VM_ABSOLUTE = 11,
  VTR_VM_CONSTANT = 12,
  VTR_VM_VOLATILE = 13,
} VtrVmType;

#define VTR_VM_STACK_SIZE 512
#define VTR_VM_OPCODE_SHIFT 26
#define VTR_VM_TYPE_SHIFT 20
#define VTR_VM_DATA20 0x000fffffu
#define VTR_VM_DATA26 0x03ffffffu
#define VTR_VM_CALL_PUSH 0x01000000u
#define VTR_VM_CALL_API_SHIFT 16

/* Most bytes of volatile memory; the replayer reserves this much address space and commits pages
 * when touched. */
#define VTR_VM_VOLATILE_BYTES (16ull << 30)
