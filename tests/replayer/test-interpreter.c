/* Tests the replay machine: values, the stack, memory, everything that it refuses, and random
 * words. */
#include "vtr-test-vm.h"

#include <string.h>

#include "vtr-fuzz-vm.h"

/* --- Constants ------------------------------------------------------------------------------- */

static void
test_push (VtrTestVm     *self,
           gconstpointer  data)
{
  static const struct
  {
    VtrVmType type;
    guint64 value;
    guint words;
  } cases[] = {
    { VTR_VM_BOOL, 1, 1 },
    { VTR_VM_UINT8, 255, 1 },
    { VTR_VM_UINT16, 65535, 1 },
    { VTR_VM_UINT32, 0, 1 },
    { VTR_VM_UINT32, 0xfffff, 1 },
    { VTR_VM_UINT32, 0x100000, 2 },
    { VTR_VM_UINT32, 0xffffffff, 2 },
    { VTR_VM_UINT64, 0x3fffffffffff, 2 },
    { VTR_VM_UINT64, 0x400000000000, 3 },
    { VTR_VM_UINT64, 0xfedcba9876543210, 3 },
    { VTR_VM_UINT64, G_MAXUINT64, 3 },
    { VTR_VM_INT32, (guint64)(gint64)-1, 1 },
    { VTR_VM_INT32, (guint64)(gint64)-524288, 1 },
    { VTR_VM_INT32, (guint64)(gint64)-524289, 2 },
    { VTR_VM_INT32, (guint64)(gint64)G_MININT32, 2 },
    { VTR_VM_INT32, G_MAXINT32, 2 },
    { VTR_VM_INT64, (guint64)G_MININT64, 3 },
    { VTR_VM_INT64, G_MAXINT64, 3 },
    { VTR_VM_INT64, (guint64)-70368744177664, 3 },
    { VTR_VM_FLOAT, 0x3f800000, 1 }, /* 1.0 */
    { VTR_VM_FLOAT, 0xc0490fdb, 2 }, /* -pi */
    { VTR_VM_FLOAT, 0x7fc00001, 2 },
    { VTR_VM_DOUBLE, 0x3ff0000000000000, 1 },
    { VTR_VM_DOUBLE, 0xc00921fb54442d18, 3 },
    { VTR_VM_ABSOLUTE, 0x7fffdeadbeef, 3 },
    { VTR_VM_VOLATILE, 0x123456789, 2 },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      vtr_asm_push (&self->code, cases[i].type, cases[i].value);
      g_assert_cmpuint (self->code.size, ==, cases[i].words * 4);
      vtr_test_vm_run_fine (self);
      g_assert_cmpuint (self->vm.stack.size, ==, i + 1);
      g_assert_cmphex (TOP (0), ==, cases[i].value);
      g_assert_cmpuint (TOP_TYPE (0), ==, cases[i].type);
    }
}

static void
test_stack (VtrTestVm     *self,
            gconstpointer  data)
{
  PUSH (UINT32, 1);
  PUSH (INT32, -2);
  PUSH (FLOAT, 0);
  X (CLONE, 1);
  vtr_test_vm_run_fine (self);
  g_assert_cmpint ((gint64)TOP (0), ==, -2);
  g_assert_cmpuint (TOP_TYPE (0), ==, VTR_VM_INT32);
  X (POP, 3);
  vtr_test_vm_run_fine (self);
  g_assert_cmpuint (self->vm.stack.size, ==, 1);
  X (POP, 2);
  vtr_test_vm_run_badly (self, VTR_VM_ERROR_PAYLOAD, 5);
  X (CLONE, 0);
  vtr_test_vm_run_badly (self, VTR_VM_ERROR_PAYLOAD, 0);
  X (EXTEND, 0);
  vtr_test_vm_run_badly (self, VTR_VM_ERROR_PAYLOAD, 0);
  for (guint i = 0; i < VTR_VM_STACK_SIZE; i++)
    PUSH (UINT32, i);
  vtr_test_vm_run_fine (self);
  PUSH (UINT32, 0);
  vtr_test_vm_run_badly (self, VTR_VM_ERROR_PAYLOAD, VTR_VM_STACK_SIZE);
  vtr_asm_yz (&self->code, VTR_OP_PUSH_I, (VtrVmType)14, 0);
  vtr_test_vm_run_badly (self, VTR_VM_ERROR_PAYLOAD, 0);
}

static void
test_add (VtrTestVm     *self,
          gconstpointer  data)
{
  float sum;

  PUSH (INT32, -5);
  PUSH (INT32, 7);
  PUSH (INT32, 40);
  X (ADD, 3);
  vtr_test_vm_run_fine (self);
  g_assert_cmpint ((gint64)TOP (0), ==, 42);
  X (ADD, 1);
  X (ADD, 0);
  PUSH (UINT32, 0xffffffff);
  PUSH (UINT32, 2);
  X (ADD, 2);
  vtr_test_vm_run_fine (self);
  g_assert_cmpuint (TOP (0), ==, 1);
  vtr_asm_push_float (&self->code, 1.5f);
  vtr_asm_push_float (&self->code, 2.25f);
  X (ADD, 2);
  vtr_test_vm_run_fine (self);
  memcpy (&sum, &TOP (0), sizeof sum);
  g_assert_cmpfloat (sum, ==, 3.75f);
  PUSH (ABSOLUTE, 0x1000);
  PUSH (ABSOLUTE, 0x20);
  X (ADD, 2);
  vtr_test_vm_run_fine (self);
  g_assert_cmphex (TOP (0), ==, 0x1020);
  vtr_vm_reset (&self->vm);
  PUSH (VOLATILE, 1);
  PUSH (VOLATILE, 1);
  X (ADD, 2);
  vtr_test_vm_run_badly (self, VTR_VM_ERROR_PAYLOAD, 2);
  PUSH (UINT32, 1);
  PUSH (UINT64, 1);
  X (ADD, 2);
  vtr_test_vm_run_badly (self, VTR_VM_ERROR_PAYLOAD, 2);
  PUSH (UINT32, 1);
  X (ADD, 2);
  vtr_test_vm_run_badly (self, VTR_VM_ERROR_PAYLOAD, 1);
}

/* --- Memory ---------------------------------------------------------------------------------- */

static void
test_load_store (VtrTestVm     *self,
                 gconstpointer  data)
{
  const guint8 constants[] = { 0xff, 1, 2, 3, 4, 5, 6, 7 };

  vtr_test_vm_add_constants (self, constants, sizeof constants);
  YZ (LOAD_C, INT32, 0);
  YZ (LOAD_C, UINT8, 0);
  YZ (LOAD_C, UINT64, 0);
  vtr_test_vm_run_fine (self);
  g_assert_cmphex (TOP (0), ==, 0x07060504030201ff);
  g_assert_cmphex (TOP (1), ==, 0xff);
  g_assert_cmphex (TOP (2), ==, 0x030201ff);
  X (STORE_V, 64);
  X (STORE_V, 72);
  vtr_test_vm_run_fine (self);
  YZ (LOAD_V, UINT32, 66);
  vtr_test_vm_run_fine (self);
  g_assert_cmphex (TOP (0), ==, 0x05040302);

  /* Far away: 4 GiB, beyond any immediate. */
  PUSH (INT64, -9);
  vtr_asm_store (&self->code, 5ull << 30);
  vtr_asm_load (&self->code, VTR_VM_INT64, 5ull << 30);
  vtr_test_vm_run_fine (self);
  g_assert_cmpint ((gint64)TOP (0), ==, -9);

  /* A stored pointer is absolute, and can be followed. */
  PUSH (VOLATILE, 64);
  X (STORE_V, 128);
  YZ (LOAD_V, ABSOLUTE, 128);
  YZ (LOAD, UINT64, 0);
  vtr_test_vm_run_fine (self);
  g_assert_cmphex (TOP (0), ==, 0x07060504030201ff);
  PUSH (CONSTANT, 2);
  X (STORE_V, 128);
  YZ (LOAD_V, ABSOLUTE, 128);
  YZ (LOAD, UINT16, 0);
  vtr_test_vm_run_fine (self);
  g_assert_cmphex (TOP (0), ==, 0x0302);

  /* STORE: value below address. */
  PUSH (UINT16, 0xabcd);
  PUSH (VOLATILE, 200);
  X (STORE, 0);
  YZ (LOAD_V, UINT32, 200);
  vtr_test_vm_run_fine (self);
  g_assert_cmphex (TOP (0), ==, 0xabcd);
}

static void
refuse_load (VtrTestVm *self,
             VtrVmType  type,
             guint64    address)
{
  guint64 position;

  vtr_test_vm_add_constants (self, "12345678", 8);
  vtr_asm_push (&self->code, type, address);
  position = self->code.size / 4;
  YZ (LOAD, UINT32, 0);
  vtr_test_vm_run_badly (self, VTR_VM_ERROR_PAYLOAD, position);
}

static void
test_addresses (VtrTestVm     *self,
                gconstpointer  data)
{
  static guint32 outside = 1;
  guint64 end = self->vm.memory.values.reserved;

  refuse_load (self, VTR_VM_ABSOLUTE, 0);
  refuse_load (self, VTR_VM_ABSOLUTE, VTR_VM_POISON_ADDRESS);
  refuse_load (self, VTR_VM_ABSOLUTE, (guintptr)&outside);
  refuse_load (self, VTR_VM_ABSOLUTE, G_MAXUINT64);
  refuse_load (self, VTR_VM_UINT64, 64);
  refuse_load (self, VTR_VM_VOLATILE, end);
  refuse_load (self, VTR_VM_VOLATILE, end - 3);
  refuse_load (self, VTR_VM_VOLATILE, G_MAXUINT64 - 1);
  refuse_load (self, VTR_VM_CONSTANT, 5);
  refuse_load (self, VTR_VM_CONSTANT, 8);
  refuse_load (self, VTR_VM_CONSTANT, G_MAXUINT64 - 3);
  refuse_load (self, VTR_VM_ABSOLUTE, (guintptr)self->vm.memory.code.base);

  YZ (LOAD_C, UINT8, 0);
  vtr_test_vm_run_badly (self, VTR_VM_ERROR_PAYLOAD, 0);
  vtr_test_vm_add_constants (self, "x", 1);
  PUSH (UINT8, 1);
  PUSH (CONSTANT, 0);
  X (STORE, 0);
  vtr_test_vm_run_badly (self, VTR_VM_ERROR_PAYLOAD, 2);
  PUSH (UINT8, 1);
  PUSH (ABSOLUTE, (guintptr)&outside);
  X (STORE, 0);
  g_assert_false (vtr_test_vm_run (self));
  g_assert_cmpuint (outside, ==, 1);
}

/* Mapped device memory is reached while it is mapped, and to its last byte. */
static void
test_windows (VtrTestVm     *self,
              gconstpointer  data)
{
  guint8 first[16] = { 1 }, second[8] = { 2 };

  g_assert_cmpint (vtr_vm_memory_add_window (&self->vm.memory, first, sizeof first), ==, VTR_OK);
  g_assert_cmpint (vtr_vm_memory_add_window (&self->vm.memory, second, sizeof second), ==, VTR_OK);
  PUSH (UINT32, 0x01020304);
  PUSH (ABSOLUTE, (guintptr)first + 12);
  X (STORE, 0);
  PUSH (ABSOLUTE, (guintptr)second + 4);
  X (RESOURCE, 0);
  g_assert_false (vtr_test_vm_run (self)); /* 8 bytes do not fit behind the 4th */
  g_assert_cmpuint (first[12], ==, 4);
  vtr_vm_reset (&self->vm);
  g_assert_cmpint (vtr_vm_memory_add_window (&self->vm.memory, second, sizeof second), ==, VTR_OK);
  PUSH (ABSOLUTE, (guintptr)second);
  X (RESOURCE, 0);
  vtr_test_vm_run_fine (self);
  g_assert_cmpmem (second, 8, "resource", 8);
  vtr_vm_memory_remove_window (&self->vm.memory, second);
  PUSH (ABSOLUTE, (guintptr)second);
  X (RESOURCE, 0);
  g_assert_false (vtr_test_vm_run (self));
}

static void
test_copies (VtrTestVm     *self,
             gconstpointer  data)
{
  const guint8 *memory = self->vm.memory.values.base;

  vtr_test_vm_add_constants (self, "hello\0world", 11);
  PUSH (CONSTANT, 6);
  PUSH (VOLATILE, 100);
  X (COPY, 5);
  PUSH (CONSTANT, 0);
  PUSH (VOLATILE, 200);
  X (STRCPY, 8);
  PUSH (CONSTANT, 0);
  PUSH (VOLATILE, 300);
  X (STRCPY, 3);
  vtr_test_vm_run_fine (self);
  g_assert_cmpmem (memory + 100, 6, "world", 6);
  g_assert_cmpmem (memory + 200, 8, "hello\0\0", 8);
  g_assert_cmpmem (memory + 300, 3, "he", 3);
  PUSH (CONSTANT, 6); /* no NUL before the end of the constants */
  PUSH (VOLATILE, 200);
  X (STRCPY, 20);
  vtr_test_vm_run_badly (self, VTR_VM_ERROR_PAYLOAD, 11);
  PUSH (VOLATILE, 0);
  PUSH (UINT32, 0);
  X (COPY, 4);
  vtr_test_vm_run_badly (self, VTR_VM_ERROR_PAYLOAD, 2);
  X (COPY, 4);
  vtr_test_vm_run_badly (self, VTR_VM_ERROR_PAYLOAD, 0);
}

static void
test_inline (VtrTestVm     *self,
             gconstpointer  data)
{
  const guint8 *memory = self->vm.memory.values.base;
  const guint32 patches[] = { 80, 64 };
  const guint32 copies[] = { 96, 40 };
  const guint64 handle = 0x1122334455667788;
  guint64 value;
  guint64 position;

  PUSH (UINT64, handle);
  X (STORE_V, 40);
  /* The data holds words that look like instructions. */
  vtr_asm_inline (&self->code, 64, "\xff\xff\xff\xff\x07\x00\x00\x44!", 9, patches, 1, copies, 1);
  PUSH (UINT32, 5);
  vtr_test_vm_run_fine (self);
  g_assert_cmpuint (TOP (0), ==, 5);
  g_assert_cmpmem (memory + 64, 10, "\xff\xff\xff\xff\x07\x00\x00\x44!", 10);
  memcpy (&value, memory + 80, 8);
  g_assert_cmphex (value, ==, (guintptr)memory + 64);
  memcpy (&value, memory + 96, 8);
  g_assert_cmphex (value, ==, handle);

  vtr_vm_reset (&self->vm);
  PUSH (VOLATILE, 0);
  X (INLINE_RESOURCE, 1 << 20 | 100); /* reaches past the end */
  vtr_test_vm_run_badly (self, VTR_VM_ERROR_PAYLOAD, 1);
  PUSH (VOLATILE, 0);
  X (INLINE_RESOURCE, 0);
  vtr_buffer_append_u32 (&self->code, 0x40000000); /* there are fewer copies */
  vtr_test_vm_run_badly (self, VTR_VM_ERROR_PAYLOAD, 1);
  vtr_asm_push (&self->code, VTR_VM_VOLATILE, self->vm.memory.values.reserved - 2);
  position = self->code.size / 4;
  X (INLINE_RESOURCE, 4);
  vtr_buffer_append_u32 (&self->code, 0);
  vtr_buffer_append_u32 (&self->code, 0);
  vtr_test_vm_run_badly (self, VTR_VM_ERROR_PAYLOAD, position);
}

/* --- Words at random ------------------------------------------------------------------------- */

static void
test_random (void)
{
  guint32 words[256];

  for (guint round = 0; round < 20000; round++)
    {
      gsize n = (gsize)g_test_rand_int_range (1, G_N_ELEMENTS (words));

      for (gsize i = 0; i < n; i++)
        {
          words[i] = (guint32)g_test_rand_int ();
          /* Mostly instructions that exist, with types that exist and small operands. */
          if (g_test_rand_int_range (0, 10) > 0)
            words[i] = (words[i] % VTR_OP_COUNT) << VTR_VM_OPCODE_SHIFT |
                       (guint32)g_test_rand_int_range (0, 15) << VTR_VM_TYPE_SHIFT |
                       (guint32)g_test_rand_int_range (0, 40);
        }
      vtr_fuzz_vm ((const guint8 *)words, n * sizeof *words);
    }
  vtr_fuzz_vm (NULL, 0); /* lets the machine go */
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
#define ADD(path, function) \
  g_test_add ("/replayer/interpreter/" path, VtrTestVm, NULL, vtr_test_vm_set_up, function, \
              vtr_test_vm_tear_down)
  ADD ("push", test_push);
  ADD ("stack", test_stack);
  ADD ("add", test_add);
  ADD ("load-store", test_load_store);
  ADD ("addresses", test_addresses);
  ADD ("windows", test_windows);
  ADD ("copies", test_copies);
  ADD ("inline", test_inline);
  g_test_add_func ("/replayer/interpreter/random", test_random);
  return g_test_run ();
}
