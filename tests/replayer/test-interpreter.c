/* The replay machine: every instruction, every refusal, and words at random. */
#include "vtr-interpreter.h"
#include "wire/vtr-replay-asm.h"

#include <glib.h>

#include "fuzz-vm.h"

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
  guint64 seen[16];
  guint n_calls;
  GThread *thread;
} Fixture;

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
  Fixture *self = context;

  memcpy (self->seen, args, 5 * sizeof *args);
  self->n_calls++;
  self->thread = g_thread_self ();
  return 0;
}

static uint64_t
call_note_ten (void           *context,
               const uint64_t *args)
{
  Fixture *self = context;

  memcpy (self->seen, args, 10 * sizeof *args);
  return 0;
}

static uint64_t
call_fail (void           *context,
           const uint64_t *args)
{
  Fixture *self = context;

  vtr_vm_fail (&self->vm, VTR_VM_ERROR_UNSUPPORTED, "Not today.");
  return 0;
}

enum
{
  SUM,
  RESULT,
  NOTE,
  NOTE_TEN,
  FAIL,
  MISSING,
};

static const VtrVmFunction functions[] = {
  [SUM] = { call_sum, 0, 2, VTR_VM_UINT32, 0, 1 },
  [RESULT] = { call_result, 0, 1, VTR_VM_INT32, 1, 1 },
  [NOTE] = { call_note, 0x12, 5, VTR_VM_VOID, 0, 1 },
  [NOTE_TEN] = { call_note_ten, 0x300, 10, VTR_VM_VOID, 0, 1 },
  [FAIL] = { call_fail, 0, 0, VTR_VM_VOID, 0, 1 },
  [MISSING] = { NULL, 0, 0, VTR_VM_VOID, 0, 1 },
};

/* --- The outside ----------------------------------------------------------------------------- */

static bool
host_resource (void           *data,
               uint64_t        number,
               const uint8_t **bytes,
               size_t         *size)
{
  Fixture *self = data;

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
  Fixture *self = data;

  self->post_id = id;
  g_byte_array_append (self->posted, bytes, (guint)size);
  return true;
}

static bool
host_fence (void     *data,
            uint32_t  id)
{
  ((Fixture *)data)->fence = id;
  return true;
}

static void
set_up (Fixture       *self,
        gconstpointer  data)
{
  const VtrVmFunctions table = { functions, 0, G_N_ELEMENTS (functions), self };

  g_assert_cmpint (vtr_vm_init (&self->vm), ==, VTR_OK);
  vtr_vm_set_functions (&self->vm, VTR_VM_API_VULKAN, &table);
  self->vm.host = (VtrVmHost){ host_resource, host_post, host_fence, NULL, self };
  self->posted = g_byte_array_new ();
}

static void
tear_down (Fixture       *self,
           gconstpointer  data)
{
  vtr_vm_finish (&self->vm);
  vtr_buffer_finish (&self->code);
  g_byte_array_unref (self->posted);
}

/* Runs what was assembled since the last run. */
static gboolean
run (Fixture *self)
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

static void
run_fine (Fixture *self)
{
  if (!run (self))
    g_error ("%s", self->vm.error.text);
}

/* The run fails at word @instruction; afterwards the machine is as new. */
static void
run_badly (Fixture        *self,
           VtrVmErrorCode  code,
           guint64         instruction)
{
  g_assert_false (run (self));
  g_assert_cmpint (self->vm.error.code, ==, code);
  g_assert_cmpuint (self->vm.error.instruction, ==, instruction);
  g_assert_cmpint (self->vm.error.text[0], !=, '\0');
  vtr_vm_reset (&self->vm);
}

static void
add_constants (Fixture       *self,
               gconstpointer  data,
               gsize          size)
{
  g_assert_cmpint (vtr_vm_append (&self->vm, data, size, NULL, 0), ==, VTR_OK);
}

static void
call (Fixture  *self,
      guint     function,
      gboolean  push)
{
  vtr_asm_call (&self->code, VTR_VM_API_VULKAN, function, push);
}

/* --- Constants ------------------------------------------------------------------------------- */

static void
test_push (Fixture       *self,
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
      run_fine (self);
      g_assert_cmpuint (self->vm.stack.size, ==, i + 1);
      g_assert_cmphex (TOP (0), ==, cases[i].value);
      g_assert_cmpuint (TOP_TYPE (0), ==, cases[i].type);
    }
}

static void
test_stack (Fixture       *self,
            gconstpointer  data)
{
  PUSH (UINT32, 1);
  PUSH (INT32, -2);
  PUSH (FLOAT, 0);
  X (CLONE, 1);
  run_fine (self);
  g_assert_cmpint ((gint64)TOP (0), ==, -2);
  g_assert_cmpuint (TOP_TYPE (0), ==, VTR_VM_INT32);
  X (POP, 3);
  run_fine (self);
  g_assert_cmpuint (self->vm.stack.size, ==, 1);
  X (POP, 2);
  run_badly (self, VTR_VM_ERROR_PAYLOAD, 5);
  X (CLONE, 0);
  run_badly (self, VTR_VM_ERROR_PAYLOAD, 0);
  X (EXTEND, 0);
  run_badly (self, VTR_VM_ERROR_PAYLOAD, 0);
  for (guint i = 0; i < VTR_VM_STACK_SIZE; i++)
    PUSH (UINT32, i);
  run_fine (self);
  PUSH (UINT32, 0);
  run_badly (self, VTR_VM_ERROR_PAYLOAD, VTR_VM_STACK_SIZE);
  vtr_asm_yz (&self->code, VTR_OP_PUSH_I, (VtrVmType)14, 0);
  run_badly (self, VTR_VM_ERROR_PAYLOAD, 0);
}

static void
test_add (Fixture       *self,
          gconstpointer  data)
{
  float sum;

  PUSH (INT32, -5);
  PUSH (INT32, 7);
  PUSH (INT32, 40);
  X (ADD, 3);
  run_fine (self);
  g_assert_cmpint ((gint64)TOP (0), ==, 42);
  X (ADD, 1);
  X (ADD, 0);
  PUSH (UINT32, 0xffffffff);
  PUSH (UINT32, 2);
  X (ADD, 2);
  run_fine (self);
  g_assert_cmpuint (TOP (0), ==, 1);
  vtr_asm_push_float (&self->code, 1.5f);
  vtr_asm_push_float (&self->code, 2.25f);
  X (ADD, 2);
  run_fine (self);
  memcpy (&sum, &TOP (0), sizeof sum);
  g_assert_cmpfloat (sum, ==, 3.75f);
  PUSH (ABSOLUTE, 0x1000);
  PUSH (ABSOLUTE, 0x20);
  X (ADD, 2);
  run_fine (self);
  g_assert_cmphex (TOP (0), ==, 0x1020);
  vtr_vm_reset (&self->vm);
  PUSH (VOLATILE, 1);
  PUSH (VOLATILE, 1);
  X (ADD, 2);
  run_badly (self, VTR_VM_ERROR_PAYLOAD, 2);
  PUSH (UINT32, 1);
  PUSH (UINT64, 1);
  X (ADD, 2);
  run_badly (self, VTR_VM_ERROR_PAYLOAD, 2);
  PUSH (UINT32, 1);
  X (ADD, 2);
  run_badly (self, VTR_VM_ERROR_PAYLOAD, 1);
}

/* --- Memory ---------------------------------------------------------------------------------- */

static void
test_load_store (Fixture       *self,
                 gconstpointer  data)
{
  const guint8 constants[] = { 0xff, 1, 2, 3, 4, 5, 6, 7 };

  add_constants (self, constants, sizeof constants);
  YZ (LOAD_C, INT32, 0);
  YZ (LOAD_C, UINT8, 0);
  YZ (LOAD_C, UINT64, 0);
  run_fine (self);
  g_assert_cmphex (TOP (0), ==, 0x07060504030201ff);
  g_assert_cmphex (TOP (1), ==, 0xff);
  g_assert_cmphex (TOP (2), ==, 0x030201ff);
  X (STORE_V, 64);
  X (STORE_V, 72);
  run_fine (self);
  YZ (LOAD_V, UINT32, 66);
  run_fine (self);
  g_assert_cmphex (TOP (0), ==, 0x05040302);

  /* Far away: 4 GiB, beyond any immediate. */
  PUSH (INT64, -9);
  vtr_asm_store (&self->code, 5ull << 30);
  vtr_asm_load (&self->code, VTR_VM_INT64, 5ull << 30);
  run_fine (self);
  g_assert_cmpint ((gint64)TOP (0), ==, -9);

  /* A stored pointer is absolute, and can be followed. */
  PUSH (VOLATILE, 64);
  X (STORE_V, 128);
  YZ (LOAD_V, ABSOLUTE, 128);
  YZ (LOAD, UINT64, 0);
  run_fine (self);
  g_assert_cmphex (TOP (0), ==, 0x07060504030201ff);
  PUSH (CONSTANT, 2);
  X (STORE_V, 128);
  YZ (LOAD_V, ABSOLUTE, 128);
  YZ (LOAD, UINT16, 0);
  run_fine (self);
  g_assert_cmphex (TOP (0), ==, 0x0302);

  /* STORE: value below address. */
  PUSH (UINT16, 0xabcd);
  PUSH (VOLATILE, 200);
  X (STORE, 0);
  YZ (LOAD_V, UINT32, 200);
  run_fine (self);
  g_assert_cmphex (TOP (0), ==, 0xabcd);
}

static void
refuse_load (Fixture   *self,
             VtrVmType  type,
             guint64    address)
{
  guint64 position;

  add_constants (self, "12345678", 8);
  vtr_asm_push (&self->code, type, address);
  position = self->code.size / 4;
  YZ (LOAD, UINT32, 0);
  run_badly (self, VTR_VM_ERROR_PAYLOAD, position);
}

static void
test_addresses (Fixture       *self,
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
  run_badly (self, VTR_VM_ERROR_PAYLOAD, 0);
  add_constants (self, "x", 1);
  PUSH (UINT8, 1);
  PUSH (CONSTANT, 0);
  X (STORE, 0);
  run_badly (self, VTR_VM_ERROR_PAYLOAD, 2);
  PUSH (UINT8, 1);
  PUSH (ABSOLUTE, (guintptr)&outside);
  X (STORE, 0);
  g_assert_false (run (self));
  g_assert_cmpuint (outside, ==, 1);
}

/* Mapped device memory is reached while it is mapped, and to its last byte. */
static void
test_windows (Fixture       *self,
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
  g_assert_false (run (self)); /* 8 bytes do not fit behind the 4th */
  g_assert_cmpuint (first[12], ==, 4);
  vtr_vm_reset (&self->vm);
  g_assert_cmpint (vtr_vm_memory_add_window (&self->vm.memory, second, sizeof second), ==, VTR_OK);
  PUSH (ABSOLUTE, (guintptr)second);
  X (RESOURCE, 0);
  run_fine (self);
  g_assert_cmpmem (second, 8, "resource", 8);
  vtr_vm_memory_remove_window (&self->vm.memory, second);
  PUSH (ABSOLUTE, (guintptr)second);
  X (RESOURCE, 0);
  g_assert_false (run (self));
}

static void
test_copies (Fixture       *self,
             gconstpointer  data)
{
  const guint8 *memory = self->vm.memory.values.base;

  add_constants (self, "hello\0world", 11);
  PUSH (CONSTANT, 6);
  PUSH (VOLATILE, 100);
  X (COPY, 5);
  PUSH (CONSTANT, 0);
  PUSH (VOLATILE, 200);
  X (STRCPY, 8);
  PUSH (CONSTANT, 0);
  PUSH (VOLATILE, 300);
  X (STRCPY, 3);
  run_fine (self);
  g_assert_cmpmem (memory + 100, 6, "world", 6);
  g_assert_cmpmem (memory + 200, 8, "hello\0\0", 8);
  g_assert_cmpmem (memory + 300, 3, "he", 3);
  PUSH (CONSTANT, 6); /* no NUL before the end of the constants */
  PUSH (VOLATILE, 200);
  X (STRCPY, 20);
  run_badly (self, VTR_VM_ERROR_PAYLOAD, 11);
  PUSH (VOLATILE, 0);
  PUSH (UINT32, 0);
  X (COPY, 4);
  run_badly (self, VTR_VM_ERROR_PAYLOAD, 2);
  X (COPY, 4);
  run_badly (self, VTR_VM_ERROR_PAYLOAD, 0);
}

static void
test_inline (Fixture       *self,
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
  run_fine (self);
  g_assert_cmpuint (TOP (0), ==, 5);
  g_assert_cmpmem (memory + 64, 10, "\xff\xff\xff\xff\x07\x00\x00\x44!", 10);
  memcpy (&value, memory + 80, 8);
  g_assert_cmphex (value, ==, (guintptr)memory + 64);
  memcpy (&value, memory + 96, 8);
  g_assert_cmphex (value, ==, handle);

  vtr_vm_reset (&self->vm);
  PUSH (VOLATILE, 0);
  X (INLINE_RESOURCE, 1 << 20 | 100); /* reaches past the end */
  run_badly (self, VTR_VM_ERROR_PAYLOAD, 1);
  PUSH (VOLATILE, 0);
  X (INLINE_RESOURCE, 0);
  vtr_buffer_append_u32 (&self->code, 0x40000000); /* so many copies there are not */
  run_badly (self, VTR_VM_ERROR_PAYLOAD, 1);
  vtr_asm_push (&self->code, VTR_VM_VOLATILE, self->vm.memory.values.reserved - 2);
  position = self->code.size / 4;
  X (INLINE_RESOURCE, 4);
  vtr_buffer_append_u32 (&self->code, 0);
  vtr_buffer_append_u32 (&self->code, 0);
  run_badly (self, VTR_VM_ERROR_PAYLOAD, position);
}

/* --- Outside --------------------------------------------------------------------------------- */

static void
test_host (Fixture       *self,
           gconstpointer  data)
{
  PUSH (VOLATILE, 32);
  X (RESOURCE, 3);
  PUSH (VOLATILE, 34);
  PUSH (UINT32, 4);
  X (POST, 0);
  run_fine (self);
  g_assert_cmpmem (self->posted->data, self->posted->len, "sour", 4);
  g_assert_cmphex (self->post_id, ==, VTR_REPLAY_POST_RUNNING);
  PUSH (VOLATILE, 32);
  PUSH (UINT32, 77);
  PUSH (UINT32, 3);
  X (NOTIFICATION, 0);
  X (WAIT, 1234);
  run_fine (self);
  g_assert_cmpmem (self->posted->data, self->posted->len, "sourres", 7);
  g_assert_cmphex (self->post_id, ==, 77);
  g_assert_cmpuint (self->fence, ==, 1234);

  /* The same by built-in functions. */
  PUSH (VOLATILE, 32);
  PUSH (UINT32, 2);
  vtr_asm_call (&self->code, VTR_VM_API_BUILTIN, VTR_VM_FIRST_BUILTIN, false);
  run_fine (self);
  g_assert_cmpmem (self->posted->data, self->posted->len, "sourresre", 9);
  g_assert_cmphex (self->post_id, ==, VTR_REPLAY_POST_RUNNING | 1);

  vtr_vm_reset (&self->vm);
  PUSH (VOLATILE, 32);
  X (RESOURCE, 9);
  run_badly (self, VTR_VM_ERROR_TRACE, 1);
  PUSH (VOLATILE, 32);
  PUSH (INT32, 4);
  X (POST, 0);
  run_badly (self, VTR_VM_ERROR_PAYLOAD, 2);
}

static void
test_call (Fixture       *self,
           gconstpointer  data)
{
  PUSH (UINT32, 40);
  PUSH (UINT32, 2);
  call (self, SUM, TRUE);
  run_fine (self);
  g_assert_cmpuint (TOP (0), ==, 42);
  g_assert_cmpuint (TOP_TYPE (0), ==, VTR_VM_UINT32);
  g_assert_cmpuint (self->vm.status->n_calls, ==, 1);

  X (POP, 1);
  PUSH (UINT64, 7);
  PUSH (VOLATILE, 16);
  PUSH (UINT32, 3);
  vtr_asm_push_float (&self->code, 0.5f);
  PUSH (ABSOLUTE, 0);
  call (self, NOTE, FALSE);
  run_fine (self);
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
  call (self, NOTE_TEN, FALSE);
  run_fine (self);
  g_assert_cmpuint (self->seen[7], ==, 7);
  g_assert_cmphex (self->seen[9], ==, (guintptr)self->vm.memory.values.base + 9);
}

static void
test_call_refused (Fixture       *self,
                   gconstpointer  data)
{
  vtr_asm_label (&self->code, 55);
  PUSH (INT32, -4); /* VK_ERROR_DEVICE_LOST */
  call (self, RESULT, FALSE);
  g_assert_false (run (self));
  g_assert_cmpint (self->vm.error.code, ==, VTR_VM_ERROR_VULKAN);
  g_assert_cmpint (self->vm.error.vk_result, ==, -4);
  g_assert_cmpuint (self->vm.error.label, ==, 55);
  g_assert_cmphex (self->vm.error.function, ==, VTR_VM_API_VULKAN << 16 | RESULT);
  vtr_vm_reset (&self->vm);

  PUSH (INT32, -4);
  call (self, RESULT, TRUE); /* whoever asks for the result judges it */
  run_fine (self);
  g_assert_cmpint ((gint64)TOP (0), ==, -4);
  vtr_vm_reset (&self->vm);

  call (self, FAIL, FALSE);
  run_badly (self, VTR_VM_ERROR_UNSUPPORTED, 0);
  call (self, MISSING, FALSE);
  run_badly (self, VTR_VM_ERROR_UNSUPPORTED, 0);
  call (self, FAIL, TRUE);
  run_badly (self, VTR_VM_ERROR_UNSUPPORTED, 0);
  call (self, 99, FALSE);
  run_badly (self, VTR_VM_ERROR_PAYLOAD, 0);
  vtr_asm_call (&self->code, 7, 0, false);
  run_badly (self, VTR_VM_ERROR_PAYLOAD, 0);
  vtr_asm_call (&self->code, VTR_VM_API_BUILTIN, 0xff40, false);
  run_badly (self, VTR_VM_ERROR_PAYLOAD, 0);
  PUSH (UINT32, 1);
  call (self, SUM, FALSE);
  run_badly (self, VTR_VM_ERROR_PAYLOAD, 1);
  PUSH (VOLATILE, 1); /* where a number belongs */
  PUSH (UINT32, 1);
  call (self, SUM, FALSE);
  run_badly (self, VTR_VM_ERROR_PAYLOAD, 2);
  for (guint i = 0; i < 5; i++)
    PUSH (CONSTANT, 0); /* there are no constants */
  call (self, NOTE, FALSE);
  run_badly (self, VTR_VM_ERROR_PAYLOAD, 5);
}

/* --- Flow ------------------------------------------------------------------------------------ */

static void
test_jumps (Fixture       *self,
            gconstpointer  data)
{
  /* A loop: slot 8 counts from 5 to 0. */
  PUSH (INT32, 5);
  X (STORE_V, 8);
  X (JUMP_LABEL, 1);
  for (guint i = 0; i < 5; i++)
    PUSH (UINT32, i);
  call (self, NOTE, FALSE);
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
  call (self, FAIL, FALSE);
  X (JUMP_LABEL, 2);
  PUSH (UINT32, 77);
  run_fine (self);
  g_assert_cmpuint (self->n_calls, ==, 5);
  g_assert_cmpuint (TOP (0), ==, 77);
  X (POP, 1);

  /* Into an earlier segment, not taken; a label nobody set. */
  PUSH (INT32, 0);
  X (JUMP_NZ, 99);
  run_fine (self);
  PUSH (INT32, 1);
  X (JUMP_NZ, 99);
  g_assert_false (run (self));
  vtr_vm_reset (&self->vm);
  PUSH (UINT32, 0);
  X (JUMP_Z, 1);
  run_badly (self, VTR_VM_ERROR_PAYLOAD, 1);
  PUSH (UINT32, 9);
  PUSH (INT32, 0);
  X (JUMP_Z, 1);
  run_badly (self, VTR_VM_ERROR_PAYLOAD, 2);
  X (JUMP_Z, 1);
  run_badly (self, VTR_VM_ERROR_PAYLOAD, 0);
}

static void
test_labels_many (Fixture       *self,
                  gconstpointer  data)
{
  for (guint i = 0; i < 5000; i++)
    X (JUMP_LABEL, i * 7);
  PUSH (INT32, 0);
  X (JUMP_Z, 0x3ffffff);
  X (JUMP_LABEL, 0x3ffffff);
  run_fine (self);
}

static void
test_cancel (Fixture       *self,
             gconstpointer  data)
{
  /* An endless loop without calls. */
  self->vm.status->cancel = 1;
  X (JUMP_LABEL, 1);
  PUSH (INT32, 0);
  X (JUMP_Z, 1);
  run_badly (self, VTR_VM_ERROR_CANCELLED, 2);
  PUSH (INT32, 0);
  call (self, RESULT, FALSE);
  run_badly (self, VTR_VM_ERROR_CANCELLED, 1);
  self->vm.status->cancel = 0;
}

static void
test_threads (Fixture       *self,
              gconstpointer  data)
{
  GThread *threads[4];

  for (guint i = 0; i < 4; i++)
    {
      X (SWITCH_THREAD, i % 3);
      for (guint j = 0; j < 5; j++)
        PUSH (UINT32, j);
      call (self, NOTE, FALSE);
      run_fine (self);
      threads[i] = self->thread;
    }
  g_assert_true (threads[0] == g_thread_self ());
  g_assert_true (threads[3] == g_thread_self ());
  g_assert_cmpuint (self->n_calls, ==, 4);
  X (SWITCH_THREAD, 200);
  X (SWITCH_THREAD, 201);
  call (self, FAIL, FALSE);
  run_badly (self, VTR_VM_ERROR_UNSUPPORTED, 30);
  X (SWITCH_THREAD, VTR_VM_MAX_THREADS);
  run_badly (self, VTR_VM_ERROR_PAYLOAD, 0);
}

static void
test_segments (Fixture       *self,
               gconstpointer  data)
{
  const guint32 *code;

  /* The stack, memory and positions go on from segment to segment. */
  PUSH (UINT32, 1);
  run_fine (self);
  PUSH (UINT32, 2);
  X (ADD, 2);
  run_fine (self);
  g_assert_cmpuint (TOP (0), ==, 3);
  add_constants (self, "ab", 2);
  add_constants (self, "cd", 2);
  YZ (LOAD_C, UINT32, 0);
  run_fine (self);
  g_assert_cmphex (TOP (0), ==, 0x64636261);
  vtr_buffer_append_u32 (&self->code, 0xffffffff); /* looks like our own end mark */
  run_badly (self, VTR_VM_ERROR_PAYLOAD, 4);
  for (guint opcode = VTR_OP_COUNT; opcode < 64; opcode++)
    {
      vtr_buffer_append_u32 (&self->code, opcode << VTR_VM_OPCODE_SHIFT);
      run_badly (self, VTR_VM_ERROR_PAYLOAD, 0);
    }
  code = NULL;
  g_assert_cmpint (vtr_vm_append (&self->vm, NULL, 0, code, (gsize)1 << 40), ==, VTR_NO_SPACE);
  g_assert_cmpint (vtr_vm_append (&self->vm, NULL, 0, code, G_MAXSIZE / 2), ==, VTR_NO_SPACE);
}

/* Nothing of one request is left for the next. */
static void
test_reset (Fixture       *self,
            gconstpointer  data)
{
  PUSH (UINT64, G_MAXUINT64);
  X (STORE_V, 4096);
  PUSH (UINT32, 1);
  add_constants (self, "secret", 6);
  X (JUMP_LABEL, 3);
  run_fine (self);
  vtr_vm_reset (&self->vm);
  YZ (LOAD_V, UINT64, 4096);
  run_fine (self);
  g_assert_cmpuint (TOP (0), ==, 0);
  g_assert_cmpuint (self->vm.stack.size, ==, 1);
  YZ (LOAD_C, UINT8, 0);
  run_badly (self, VTR_VM_ERROR_PAYLOAD, 1);
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
  g_test_add ("/replayer/interpreter/" path, Fixture, NULL, set_up, function, tear_down)
  ADD ("push", test_push);
  ADD ("stack", test_stack);
  ADD ("add", test_add);
  ADD ("load-store", test_load_store);
  ADD ("addresses", test_addresses);
  ADD ("windows", test_windows);
  ADD ("copies", test_copies);
  ADD ("inline", test_inline);
  ADD ("host", test_host);
  ADD ("call", test_call);
  ADD ("call-refused", test_call_refused);
  ADD ("jumps", test_jumps);
  ADD ("labels-many", test_labels_many);
  ADD ("cancel", test_cancel);
  ADD ("threads", test_threads);
  ADD ("segments", test_segments);
  ADD ("reset", test_reset);
  g_test_add_func ("/replayer/interpreter/random", test_random);
  return g_test_run ();
}
