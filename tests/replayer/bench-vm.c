/* Measures what the machine costs for each call: a call like vkCmdDraw of a function that does
 * nothing, and the same through the generated thunk of vkCmdDraw. */
#include "vtr-vk-objects.h"
#include "wire/vtr-replay-asm.h"

#include <stdio.h>
#include <time.h>

#define CALLS 4096
#define ROUNDS 2000

static volatile uint64_t sink;

static uint64_t
nothing (void           *context,
         const uint64_t *args)
{
  (void)context;
  sink = args[0];
  return 0;
}

static VKAPI_ATTR void VKAPI_CALL
draw (VkCommandBuffer commands,
      uint32_t        vertices,
      uint32_t        instances,
      uint32_t        first_vertex,
      uint32_t        first_instance)
{
  (void)commands;
  (void)instances;
  (void)first_vertex;
  (void)first_instance;
  sink = vertices;
}

static double
now (void)
{
  struct timespec time;

  clock_gettime (CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static void
append_draws (VtrBuffer *code,
              bool       labels)
{
  vtr_asm_push (code, VTR_VM_UINT64, 0x1000);
  vtr_asm_store (code, 64);
  vtr_asm_x (code, VTR_OP_JUMP_LABEL, 1);
  for (uint32_t i = 0; i < CALLS; i++)
    {
      if (labels)
        vtr_asm_label (code, i);
      vtr_asm_load (code, VTR_VM_UINT64, 64);
      vtr_asm_push (code, VTR_VM_UINT32, 3);
      vtr_asm_push (code, VTR_VM_UINT32, 1);
      vtr_asm_push (code, VTR_VM_UINT32, 0);
      vtr_asm_push (code, VTR_VM_UINT32, i & 7);
      vtr_asm_call (code, VTR_VM_API_VULKAN, VTR_CMD_vkCmdDraw, false);
    }
  /* Again ROUNDS times: the counter lies at 128. */
  vtr_asm_load (code, VTR_VM_INT32, 128);
  vtr_asm_push (code, VTR_VM_INT32, (uint64_t)-1);
  vtr_asm_x (code, VTR_OP_ADD, 2);
  vtr_asm_x (code, VTR_OP_CLONE, 0);
  vtr_asm_store (code, 128);
  vtr_asm_x (code, VTR_OP_JUMP_NZ, 1);
}

static void
measure (VtrVm      *vm,
         const char *what,
         bool        labels)
{
  VtrBuffer code = { 0 };
  double best = 1e18;

  for (unsigned attempt = 0; attempt < 5; attempt++)
    {
      double start;

      vtr_vm_reset (vm);
      vtr_buffer_clear (&code);
      vtr_asm_push (&code, VTR_VM_INT32, ROUNDS / 5);
      vtr_asm_store (&code, 128);
      append_draws (&code, labels);
      if (vtr_vm_append (vm, NULL, 0, (const uint32_t *)(void *)code.data, code.size / 4) != VTR_OK)
        return;
      start = now ();
      if (!vtr_vm_run (vm))
        {
          printf ("%s: %s\n", what, vm->error.text);
          break;
        }
      start = (now () - start) / (CALLS * (ROUNDS / 5));
      best = start < best ? start : best;
    }
  printf ("%-44s %6.1f ns per call\n", what, best);
  vtr_buffer_finish (&code);
}

int
main (void)
{
  static VtrVm vm;
  static VtrVmFunction functions[VTR_VULKAN_N_COMMANDS];
  static VtrTable table;
  static VtrReplayVk vk;
  VtrVmFunctions set = { functions, 0, VTR_VULKAN_N_COMMANDS, &vk };

  if (vtr_vm_init (&vm) != VTR_OK)
    return 1;
  vk.vm = &vm;
  vk.last[vtr_table_slot (VTR_HANDLE_VkCommandBuffer)] = (VtrLastOwner){ 0x1000, &table };
  table.functions[VTR_CMD_vkCmdDraw] = (PFN_vkVoidFunction)draw;
  vtr_vm_set_functions (&vm, VTR_VM_API_VULKAN, &set, NULL);
  vtr_vm_signature_fill (functions, vtr_thunk_signatures, VTR_VULKAN_N_COMMANDS, NULL, nothing);
  measure (&vm, "machine, function of no work", false);
  measure (&vm, "machine with a label per call", true);
  vtr_vm_signature_fill (functions, vtr_thunk_signatures, VTR_VULKAN_N_COMMANDS, vtr_thunks, NULL);
  measure (&vm, "machine and thunk of vkCmdDraw, empty driver", false);
  measure (&vm, "the same with a label per call", true);
  vtr_vm_finish (&vm);
  return 0;
}
