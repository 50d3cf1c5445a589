/* A replay machine with a fake host and a few functions to call, for the tests of the
 * interpreter. */
#include "vtr-test-vm.h"

#include <string.h>

/* --- Functions to call ----------------------------------------------------------------------- */

static uint64_t
call_sum (void           *context,
          const uint64_t *args)
{
  return args[0] + args[1];
}

static uint64_t
call_result (void           *context,
             const uint64_t *args)
{
  return args[0];
}

static uint64_t
call_note (void           *context,
           const uint64_t *args)
{
  VtrTestVm *self = context;

  memcpy (self->seen, args, 5 * sizeof *args);
  self->n_calls++;
  self->thread = g_thread_self ();
  return 0;
}

static uint64_t
call_note_ten (void           *context,
               const uint64_t *args)
{
  VtrTestVm *self = context;

  memcpy (self->seen, args, 10 * sizeof *args);
  return 0;
}

static uint64_t
call_fail (void           *context,
           const uint64_t *args)
{
  VtrTestVm *self = context;

  vtr_vm_fail (&self->vm, VTR_VM_ERROR_UNSUPPORTED, "Not today.");
  return 0;
}

static const VtrVmFunction functions[] = {
  [VTR_TEST_SUM] = { call_sum, 0, 2, VTR_VM_UINT32, 0, 1 },
  [VTR_TEST_RESULT] = { call_result, 0, 1, VTR_VM_INT32, 1, 1 },
  [VTR_TEST_NOTE] = { call_note, 0x12, 5, VTR_VM_VOID, 0, 1 },
  [VTR_TEST_NOTE_TEN] = { call_note_ten, 0x300, 10, VTR_VM_VOID, 0, 1 },
  [VTR_TEST_FAIL] = { call_fail, 0, 0, VTR_VM_VOID, 0, 1 },
  [VTR_TEST_MISSING] = { NULL, 0, 0, VTR_VM_VOID, 0, 1 },
};

/* --- The outside ----------------------------------------------------------------------------- */

static bool
host_resource (void           *data,
               uint64_t        number,
               const uint8_t **bytes,
               size_t         *size)
{
  VtrTestVm *self = data;

  if (number == 9)
    {
      vtr_vm_fail (&self->vm, VTR_VM_ERROR_TRACE, "No resource.");
      return false;
    }
  *bytes = (const uint8_t *)"resource";
  *size = 8;
  return true;
}

static bool
host_post (void          *data,
           uint64_t       id,
           const uint8_t *bytes,
           size_t         size)
{
  VtrTestVm *self = data;

  self->post_id = id;
  g_byte_array_append (self->posted, bytes, (guint)size);
  return true;
}

static bool
host_fence (void     *data,
            uint32_t  id)
{
  ((VtrTestVm *)data)->fence = id;
  return true;
}

static VtrVmErrorCode
judge (uint32_t  function,
       uint64_t  result,
       char     *text,
       size_t    size)
{
  if ((int32_t)result >= 0)
    return VTR_VM_FINE;
  g_snprintf (text, size, "result %d", (int32_t)result);
  return VTR_VM_ERROR_CALL;
}

void
vtr_test_vm_set_up (VtrTestVm     *self,
                    gconstpointer  data)
{
  const VtrVmFunctions table = { functions, 0, G_N_ELEMENTS (functions), self, judge };

  g_assert_cmpint (vtr_vm_init (&self->vm), ==, VTR_OK);
  vtr_vm_set_functions (&self->vm, VTR_VM_API_VULKAN, &table, NULL);
  self->vm.host = (VtrVmHost){ host_resource, host_post, host_fence, NULL, self };
  self->posted = g_byte_array_new ();
}

void
vtr_test_vm_tear_down (VtrTestVm     *self,
                       gconstpointer  data)
{
  vtr_vm_finish (&self->vm);
  vtr_buffer_finish (&self->code);
  g_byte_array_unref (self->posted);
}

gboolean
vtr_test_vm_run (VtrTestVm *self)
{
  gboolean fine;

  g_assert_false (self->code.failed);
  g_assert_cmpint (vtr_vm_append (&self->vm, NULL, 0, (const guint32 *)(gpointer)self->code.data,
                                  self->code.size / 4),
                   ==, VTR_OK);
  vtr_buffer_clear (&self->code);
  fine = vtr_vm_run (&self->vm);
  g_assert_cmpint (fine, ==, self->vm.error.code == VTR_VM_FINE);
  return fine;
}

void
vtr_test_vm_run_fine (VtrTestVm *self)
{
  if (!vtr_test_vm_run (self))
    g_error ("%s", self->vm.error.text);
}

void
vtr_test_vm_run_badly (VtrTestVm      *self,
                       VtrVmErrorCode  code,
                       guint64         instruction)
{
  g_assert_false (vtr_test_vm_run (self));
  g_assert_cmpint (self->vm.error.code, ==, code);
  g_assert_cmpuint (self->vm.error.instruction, ==, instruction);
  g_assert_cmpint (self->vm.error.text[0], !=, '\0');
  vtr_vm_reset (&self->vm);
}

void
vtr_test_vm_add_constants (VtrTestVm     *self,
                           gconstpointer  data,
                           gsize          size)
{
  g_assert_cmpint (vtr_vm_append (&self->vm, data, size, NULL, 0), ==, VTR_OK);
}

void
vtr_test_vm_call (VtrTestVm *self,
                  guint      function,
                  gboolean   push)
{
  vtr_asm_call (&self->code, VTR_VM_API_VULKAN, function, push);
}
