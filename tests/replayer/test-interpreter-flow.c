/* Tests the replay machine: requests to the engine, calls, jumps, threads and segments. */
#include "vtr-test-vm.h"

#include <string.h>

/* --- Outside --------------------------------------------------------------------------------- */

static void
test_host (VtrTestVm     *self,
           gconstpointer  data)
{
  PUSH (VOLATILE, 32);
  X (RESOURCE, 3);
  PUSH (VOLATILE, 34);
  PUSH (UINT32, 4);
  X (POST, 0);
  vtr_test_vm_run_fine (self);
  g_assert_cmpmem (self->posted->data, self->posted->len, "sour", 4);
  g_assert_cmphex (self->post_id, ==, VTR_REPLAY_POST_RUNNING);
  PUSH (VOLATILE, 32);
  PUSH (UINT32, 77);
  PUSH (UINT32, 3);
  X (NOTIFICATION, 0);
  X (WAIT, 1234);
  vtr_test_vm_run_fine (self);
  g_assert_cmpmem (self->posted->data, self->posted->len, "sourres", 7);
  g_assert_cmphex (self->post_id, ==, 77);
  g_assert_cmpuint (self->fence, ==, 1234);

  /* The same by built-in functions. */
  PUSH (VOLATILE, 32);
  PUSH (UINT32, 2);
  vtr_asm_call (&self->code, VTR_VM_API_BUILTIN, VTR_VM_FIRST_BUILTIN, false);
  vtr_test_vm_run_fine (self);
  g_assert_cmpmem (self->posted->data, self->posted->len, "sourresre", 9);
  g_assert_cmphex (self->post_id, ==, VTR_REPLAY_POST_RUNNING | 1);

  vtr_vm_reset (&self->vm);
  PUSH (VOLATILE, 32);
  X (RESOURCE, 9);
  vtr_test_vm_run_badly (self, VTR_VM_ERROR_TRACE, 1);
  PUSH (VOLATILE, 32);
  PUSH (INT32, 4);
  X (POST, 0);
  vtr_test_vm_run_badly (self, VTR_VM_ERROR_PAYLOAD, 2);
}

static void
test_call (VtrTestVm     *self,
           gconstpointer  data)
{
  PUSH (UINT32, 40);
  PUSH (UINT32, 2);
  vtr_test_vm_call (self, VTR_TEST_SUM, TRUE);
  vtr_test_vm_run_fine (self);
  g_assert_cmpuint (TOP (0), ==, 42);
  g_assert_cmpuint (TOP_TYPE (0), ==, VTR_VM_UINT32);
  g_assert_cmpuint (self->vm.status->n_calls, ==, 1);

  X (POP, 1);
  PUSH (UINT64, 7);
  PUSH (VOLATILE, 16);
  PUSH (UINT32, 3);
  vtr_asm_push_float (&self->code, 0.5f);
  PUSH (ABSOLUTE, 0);
  vtr_test_vm_call (self, VTR_TEST_NOTE, FALSE);
  vtr_test_vm_run_fine (self);
  g_assert_cmpuint (self->vm.stack.size, ==, 0);
  g_assert_cmpuint (self->seen[0], ==, 7);
  g_assert_cmphex (self->seen[1], ==, (guintptr)self->vm.memory.values.base + 16);
  g_assert_cmpuint (self->seen[2], ==, 3);
  g_assert_cmphex (self->seen[3], ==, 0x3f000000);
  g_assert_cmphex (self->seen[4], ==, 0);

  /* More than eight, with the pointers at the end. */
  for (guint i = 0; i < 8; i++)
    PUSH (UINT32, i);
  PUSH (VOLATILE, 8);
  PUSH (VOLATILE, 9);
  vtr_test_vm_call (self, VTR_TEST_NOTE_TEN, FALSE);
  vtr_test_vm_run_fine (self);
  g_assert_cmpuint (self->seen[7], ==, 7);
  g_assert_cmphex (self->seen[9], ==, (guintptr)self->vm.memory.values.base + 9);
}

static void
test_call_refused (VtrTestVm     *self,
                   gconstpointer  data)
{
  vtr_asm_label (&self->code, 55);
  PUSH (INT32, -4);
  vtr_test_vm_call (self, VTR_TEST_RESULT, FALSE);
  g_assert_false (vtr_test_vm_run (self));
  g_assert_cmpint (self->vm.error.code, ==, VTR_VM_ERROR_CALL);
  g_assert_cmpstr (self->vm.error.text, ==, "result -4");
  g_assert_cmpuint (self->vm.error.label, ==, 55);
  g_assert_cmphex (self->vm.error.function, ==, VTR_VM_API_VULKAN << 16 | VTR_TEST_RESULT);
  vtr_vm_reset (&self->vm);

  PUSH (INT32, -4);
  vtr_test_vm_call (self, VTR_TEST_RESULT, TRUE); /* the caller judges the result */
  vtr_test_vm_run_fine (self);
  g_assert_cmpint ((gint64)TOP (0), ==, -4);
  vtr_vm_reset (&self->vm);

  vtr_test_vm_call (self, VTR_TEST_FAIL, FALSE);
  vtr_test_vm_run_badly (self, VTR_VM_ERROR_UNSUPPORTED, 0);
  vtr_test_vm_call (self, VTR_TEST_MISSING, FALSE);
  vtr_test_vm_run_badly (self, VTR_VM_ERROR_UNSUPPORTED, 0);
  vtr_test_vm_call (self, VTR_TEST_FAIL, TRUE);
  vtr_test_vm_run_badly (self, VTR_VM_ERROR_UNSUPPORTED, 0);
  vtr_test_vm_call (self, 99, FALSE);
  vtr_test_vm_run_badly (self, VTR_VM_ERROR_PAYLOAD, 0);
  vtr_asm_call (&self->code, 7, 0, false);
  vtr_test_vm_run_badly (self, VTR_VM_ERROR_PAYLOAD, 0);
  vtr_asm_call (&self->code, VTR_VM_API_BUILTIN, 0xff40, false);
  vtr_test_vm_run_badly (self, VTR_VM_ERROR_PAYLOAD, 0);
  PUSH (UINT32, 1);
  vtr_test_vm_call (self, VTR_TEST_SUM, FALSE);
  vtr_test_vm_run_badly (self, VTR_VM_ERROR_PAYLOAD, 1);
  PUSH (VOLATILE, 1); /* where a number belongs */
  PUSH (UINT32, 1);
  vtr_test_vm_call (self, VTR_TEST_SUM, FALSE);
  vtr_test_vm_run_badly (self, VTR_VM_ERROR_PAYLOAD, 2);
  for (guint i = 0; i < 5; i++)
    PUSH (CONSTANT, 0); /* there are no constants */
  vtr_test_vm_call (self, VTR_TEST_NOTE, FALSE);
  vtr_test_vm_run_badly (self, VTR_VM_ERROR_PAYLOAD, 5);
}

/* --- Flow ------------------------------------------------------------------------------------ */

static void
test_jumps (VtrTestVm     *self,
            gconstpointer  data)
{
  /* A loop: slot 8 counts from 5 to 0. */
  PUSH (INT32, 5);
  X (STORE_V, 8);
  X (JUMP_LABEL, 1);
  for (guint i = 0; i < 5; i++)
    PUSH (UINT32, i);
  vtr_test_vm_call (self, VTR_TEST_NOTE, FALSE);
  YZ (LOAD_V, INT32, 8);
  PUSH (INT32, -1);
  X (ADD, 2);
  X (CLONE, 0);
  X (STORE_V, 8);
  X (JUMP_NZ, 1);
  /* Forward, over inline data that holds what looks like label 2. */
  PUSH (INT32, 0);
  X (JUMP_Z, 2);
  vtr_asm_inline (&self->code, 64, "\x02\x00\x00\x44", 4, NULL, 0, NULL, 0);
  vtr_test_vm_call (self, VTR_TEST_FAIL, FALSE);
  X (JUMP_LABEL, 2);
  PUSH (UINT32, 77);
  vtr_test_vm_run_fine (self);
  g_assert_cmpuint (self->n_calls, ==, 5);
  g_assert_cmpuint (TOP (0), ==, 77);
  X (POP, 1);

  /* A jump into an earlier segment that is not taken; a label that was never set. */
  PUSH (INT32, 0);
  X (JUMP_NZ, 99);
  vtr_test_vm_run_fine (self);
  PUSH (INT32, 1);
  X (JUMP_NZ, 99);
  g_assert_false (vtr_test_vm_run (self));
  vtr_vm_reset (&self->vm);
  PUSH (UINT32, 0);
  X (JUMP_Z, 1);
  vtr_test_vm_run_badly (self, VTR_VM_ERROR_PAYLOAD, 1);
  PUSH (UINT32, 9);
  PUSH (INT32, 0);
  X (JUMP_Z, 1);
  vtr_test_vm_run_badly (self, VTR_VM_ERROR_PAYLOAD, 2);
  X (JUMP_Z, 1);
  vtr_test_vm_run_badly (self, VTR_VM_ERROR_PAYLOAD, 0);
}

static void
test_labels_many (VtrTestVm     *self,
                  gconstpointer  data)
{
  for (guint i = 0; i < 5000; i++)
    X (JUMP_LABEL, i * 7);
  PUSH (INT32, 0);
  X (JUMP_Z, 0x3ffffff);
  X (JUMP_LABEL, 0x3ffffff);
  vtr_test_vm_run_fine (self);
}

static void
test_cancel (VtrTestVm     *self,
             gconstpointer  data)
{
  /* An endless loop without calls. */
  self->vm.status->cancel = 1;
  X (JUMP_LABEL, 1);
  PUSH (INT32, 0);
  X (JUMP_Z, 1);
  vtr_test_vm_run_badly (self, VTR_VM_ERROR_CANCELLED, 2);
  PUSH (INT32, 0);
  vtr_test_vm_call (self, VTR_TEST_RESULT, FALSE);
  vtr_test_vm_run_badly (self, VTR_VM_ERROR_CANCELLED, 1);
  self->vm.status->cancel = 0;
}

static void
test_threads (VtrTestVm     *self,
              gconstpointer  data)
{
  GThread *threads[4];

  for (guint i = 0; i < 4; i++)
    {
      X (SWITCH_THREAD, i % 3);
      for (guint j = 0; j < 5; j++)
        PUSH (UINT32, j);
      vtr_test_vm_call (self, VTR_TEST_NOTE, FALSE);
      vtr_test_vm_run_fine (self);
      threads[i] = self->thread;
    }
  g_assert_true (threads[0] == g_thread_self ());
  g_assert_true (threads[3] == g_thread_self ());
  g_assert_cmpuint (self->n_calls, ==, 4);
  X (SWITCH_THREAD, 200);
  X (SWITCH_THREAD, 201);
  vtr_test_vm_call (self, VTR_TEST_FAIL, FALSE);
  vtr_test_vm_run_badly (self, VTR_VM_ERROR_UNSUPPORTED, 30);
  X (SWITCH_THREAD, VTR_VM_MAX_THREADS);
  vtr_test_vm_run_badly (self, VTR_VM_ERROR_PAYLOAD, 0);
}

static void
test_segments (VtrTestVm     *self,
               gconstpointer  data)
{
  const guint32 *code;

  /* The stack, memory and positions go on from segment to segment. */
  PUSH (UINT32, 1);
  vtr_test_vm_run_fine (self);
  PUSH (UINT32, 2);
  X (ADD, 2);
  vtr_test_vm_run_fine (self);
  g_assert_cmpuint (TOP (0), ==, 3);
  vtr_test_vm_add_constants (self, "ab", 2);
  vtr_test_vm_add_constants (self, "cd", 2);
  YZ (LOAD_C, UINT32, 0);
  vtr_test_vm_run_fine (self);
  g_assert_cmphex (TOP (0), ==, 0x64636261);
  vtr_buffer_append_u32 (&self->code, 0xffffffff); /* looks like our own end mark */
  vtr_test_vm_run_badly (self, VTR_VM_ERROR_PAYLOAD, 4);
  for (guint opcode = VTR_OP_COUNT; opcode < 64; opcode++)
    {
      vtr_buffer_append_u32 (&self->code, opcode << VTR_VM_OPCODE_SHIFT);
      vtr_test_vm_run_badly (self, VTR_VM_ERROR_PAYLOAD, 0);
    }
  code = NULL;
  g_assert_cmpint (vtr_vm_append (&self->vm, NULL, 0, code, (gsize)1 << 40), ==, VTR_NO_SPACE);
  g_assert_cmpint (vtr_vm_append (&self->vm, NULL, 0, code, G_MAXSIZE / 2), ==, VTR_NO_SPACE);
}

/* Nothing of one request is left for the next. */
static void
test_reset (VtrTestVm     *self,
            gconstpointer  data)
{
  PUSH (UINT64, G_MAXUINT64);
  X (STORE_V, 4096);
  PUSH (UINT32, 1);
  vtr_test_vm_add_constants (self, "secret", 6);
  X (JUMP_LABEL, 3);
  vtr_test_vm_run_fine (self);
  vtr_vm_reset (&self->vm);
  YZ (LOAD_V, UINT64, 4096);
  vtr_test_vm_run_fine (self);
  g_assert_cmpuint (TOP (0), ==, 0);
  g_assert_cmpuint (self->vm.stack.size, ==, 1);
  YZ (LOAD_C, UINT8, 0);
  vtr_test_vm_run_badly (self, VTR_VM_ERROR_PAYLOAD, 1);
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
#define ADD(path, function) \
  g_test_add ("/replayer/interpreter/" path, VtrTestVm, NULL, vtr_test_vm_set_up, function, \
              vtr_test_vm_tear_down)
  ADD ("host", test_host);
  ADD ("call", test_call);
  ADD ("call-refused", test_call_refused);
  ADD ("jumps", test_jumps);
  ADD ("labels-many", test_labels_many);
  ADD ("cancel", test_cancel);
  ADD ("threads", test_threads);
  ADD ("segments", test_segments);
  ADD ("reset", test_reset);
  return g_test_run ();
}
