/* A replay machine for tests: assembles words, has functions to call, and a host that records its
 * data. */
#pragma once

#include "vtr-interpreter.h"
#include "wire/vtr-replay-asm.h"

#include <glib.h>

G_BEGIN_DECLS

#define PUSH(type, value) vtr_asm_push (&self->code, VTR_VM_##type, (guint64)(value))
#define X(opcode, operand) vtr_asm_x (&self->code, VTR_OP_##opcode, (operand))
#define YZ(opcode, type, data) vtr_asm_yz (&self->code, VTR_OP_##opcode, VTR_VM_##type, (data))
#define TOP(n) (self->vm.stack.values[self->vm.stack.size - 1 - (n)])
#define TOP_TYPE(n) (self->vm.stack.types[self->vm.stack.size - 1 - (n)])

typedef struct
{
  VtrVm vm;
  VtrBuffer code;
  GByteArray *posted;
  guint64 post_id;
  guint32 fence;
  guint64 seen[16]; /* arguments of the last call that notes them */
  guint n_calls;
  GThread *thread;
} VtrTestVm;

/* The functions that it can call. */
enum
{
  VTR_TEST_SUM,
  VTR_TEST_RESULT,
  VTR_TEST_NOTE,
  VTR_TEST_NOTE_TEN,
  VTR_TEST_FAIL,
  VTR_TEST_MISSING,
};

void vtr_test_vm_set_up (VtrTestVm     *self,
                         gconstpointer  data);
void vtr_test_vm_tear_down (VtrTestVm     *self,
                            gconstpointer  data);

/* Runs the words assembled since the last run. */
gboolean vtr_test_vm_run (VtrTestVm *self);
void vtr_test_vm_run_fine (VtrTestVm *self);
/* The run fails at word @instruction; afterwards the machine is as new. */
void vtr_test_vm_run_badly (VtrTestVm      *self,
                            VtrVmErrorCode  code,
                            guint64         instruction);

void vtr_test_vm_add_constants (VtrTestVm     *self,
                                gconstpointer  data,
                                gsize          size);
void vtr_test_vm_call (VtrTestVm *self,
                       guint      function,
                       gboolean   push);

G_END_DECLS
