/* Fuzzes the machine with hostile instructions (vtr-fuzz-vm.c), beginning with valid payloads. */
#include "vtr-fuzz.h"

#include "api/vtr-api-ids.h"
#include "vtr-fuzz-vm.h"
#include "wire/vtr-replay-asm.h"
#include "wire/vtr-replay-functions.h"

int
LLVMFuzzerTestOneInput (const uint8_t *data,
                        size_t         size)
{
  if (size > 0)
    vtr_fuzz_vm (data, size);
  return 0;
}

static void
add_code (VtrBuffer  *code,
          VtrFuzzAdd  add,
          void       *user)
{
  add (user, code->data, code->size);
  vtr_buffer_clear (code);
}

/* Constants of all types, loads, stores, and calls that take them. */
static void
append_values (VtrBuffer *code)
{
  for (unsigned type = VTR_VM_BOOL; type <= VTR_VM_VOLATILE; type++)
    {
      vtr_asm_push (code, (VtrVmType)type, 0x123456789abcull);
      vtr_asm_push (code, (VtrVmType)type, 5);
      vtr_asm_x (code, VTR_OP_CLONE, 1);
      vtr_asm_store (code, 64 + 16 * type);
      vtr_asm_load (code, (VtrVmType)type, 64 + 16 * type);
      vtr_asm_x (code, VTR_OP_POP, 3);
    }
  vtr_asm_load (code, VTR_VM_UINT64, 3ull << 30);
  vtr_asm_store (code, 3ull << 30);
  vtr_asm_load_constant (code, VTR_VM_UINT32, 4);
  vtr_asm_push (code, VTR_VM_UINT32, 4);
  vtr_asm_x (code, VTR_OP_ADD, 2);
}

static void
append_calls (VtrBuffer *code)
{
  static const uint32_t pairs[] = { 96, 128, 104, 128 };

  vtr_asm_label (code, 7);
  vtr_asm_inline (code, 128, "sixteen bytes ok", 16, pairs, 2, pairs, 2);
  vtr_asm_load (code, VTR_VM_UINT64, 128);
  for (unsigned i = 0; i < 4; i++)
    vtr_asm_push (code, VTR_VM_UINT32, i);
  vtr_asm_call (code, VTR_VM_API_VULKAN, VTR_CMD_vkCmdDraw, false);
  vtr_asm_push (code, VTR_VM_VOLATILE, 128);
  vtr_asm_call (code, VTR_VM_API_BUILTIN, VTR_REPLAY_READ_TEXELS, true);
  vtr_asm_x (code, VTR_OP_SWITCH_THREAD, 1);
  vtr_asm_push (code, VTR_VM_UINT64, 1);
  vtr_asm_call (code, VTR_VM_API_VULKAN, VTR_CMD_vkDeviceWaitIdle, true);
}

static void
append_transfers (VtrBuffer *code)
{
  vtr_asm_push (code, VTR_VM_VOLATILE, 256);
  vtr_asm_x (code, VTR_OP_RESOURCE, 5);
  vtr_asm_push (code, VTR_VM_CONSTANT, 0);
  vtr_asm_push (code, VTR_VM_VOLATILE, 256);
  vtr_asm_x (code, VTR_OP_COPY, 8);
  vtr_asm_push (code, VTR_VM_VOLATILE, 256);
  vtr_asm_push (code, VTR_VM_VOLATILE, 300);
  vtr_asm_x (code, VTR_OP_STRCPY, 8);
  vtr_asm_push (code, VTR_VM_VOLATILE, 256);
  vtr_asm_push (code, VTR_VM_UINT32, 16);
  vtr_asm_x (code, VTR_OP_POST, 0);
  vtr_asm_push (code, VTR_VM_VOLATILE, 256);
  vtr_asm_push (code, VTR_VM_UINT32, 3);
  vtr_asm_push (code, VTR_VM_UINT32, 16);
  vtr_asm_x (code, VTR_OP_NOTIFICATION, 0);
  vtr_asm_x (code, VTR_OP_WAIT, 2);
}

static void
append_jumps (VtrBuffer *code)
{
  vtr_asm_x (code, VTR_OP_JUMP_LABEL, 1);
  vtr_asm_push (code, VTR_VM_INT32, 0);
  vtr_asm_x (code, VTR_OP_JUMP_NZ, 1);
  vtr_asm_push (code, VTR_VM_INT32, 0);
  vtr_asm_x (code, VTR_OP_JUMP_Z, 2);
  vtr_asm_inline (code, 128, "\x02\x00\x00\x44", 4, NULL, 0, NULL, 0);
  vtr_asm_x (code, VTR_OP_JUMP_LABEL, 2);
}

void
vtr_fuzz_make_seeds (VtrFuzzAdd  add,
                     void       *user)
{
  VtrBuffer code = { 0 };

  append_values (&code);
  add_code (&code, add, user);
  append_calls (&code);
  add_code (&code, add, user);
  append_transfers (&code);
  add_code (&code, add, user);
  append_jumps (&code);
  add_code (&code, add, user);
  append_transfers (&code);
  append_calls (&code);
  append_values (&code);
  add_code (&code, add, user);
  vtr_buffer_finish (&code);
}
