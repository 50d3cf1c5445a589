/* Tests segments of the replay machine that are read ahead of the running one, and over those that
 * have run. */
#include "vtr-interpreter.h"
#include "wire/vtr-replay-asm.h"

#include <glib.h>

typedef struct
{
  VtrVm vm;
  VtrVmRoom room;     /* the next segment's */
  VtrBuffer next;     /* its words, to be put there by a call */
  guint64 seen[1000]; /* arguments of all calls */
  guint n_seen;
} Fixture;

/* As the service does it while it waits. */
static void
read_next (Fixture *self)
{
  const guint32 *words = (const guint32 *)(gpointer)self->next.data;
  const gsize n = self->next.size / 4;

  g_assert_cmpint (vtr_vm_make_room (&self->vm, 0, n, TRUE, &self->room), ==, VTR_OK);
  self->room.first = words[0];
  memcpy (self->room.words + 1, words + 1, (n - 1) * sizeof *words);
}

static uint64_t
call_note (void           *context,
           const uint64_t *args)
{
  Fixture *self = context;

  g_assert_cmpuint (self->n_seen, <, G_N_ELEMENTS (self->seen));
  self->seen[self->n_seen++] = args[0];
  return 0;
}

static uint64_t
call_read_next (void           *context,
                const uint64_t *args)
{
  read_next (context);
  return 0;
}

enum
{
  NOTE,
  READ_NEXT,
};

static const VtrVmFunction functions[] = {
  [NOTE] = { call_note, 0, 1, VTR_VM_VOID, 0, 1 },
  [READ_NEXT] = { call_read_next, 0, 0, VTR_VM_VOID, 0, 1 },
};

static void
set_up (Fixture       *self,
        gconstpointer  data)
{
  const VtrVmFunctions table = { functions, 0, G_N_ELEMENTS (functions), self };

  g_assert_cmpint (vtr_vm_init (&self->vm), ==, VTR_OK);
  vtr_vm_set_functions (&self->vm, VTR_VM_API_VULKAN, &table, NULL);
}

static void
tear_down (Fixture       *self,
           gconstpointer  data)
{
  vtr_vm_finish (&self->vm);
  vtr_buffer_finish (&self->next);
}

/* A segment of @n notes of @first, @first + 1, …; the call in the middle reads the one after it. */
static void
assemble (VtrBuffer *code,
          guint      first,
          guint      n)
{
  vtr_buffer_clear (code);
  for (guint i = 0; i < n; i++)
    {
      vtr_asm_push (code, VTR_VM_UINT32, first + i);
      vtr_asm_x (code, VTR_OP_CALL, VTR_VM_API_VULKAN << 16 | NOTE);
      if (i == n / 2)
        vtr_asm_x (code, VTR_OP_CALL, VTR_VM_API_VULKAN << 16 | READ_NEXT);
    }
  g_assert_false (code->failed);
}

/* Whatever their sizes: each runs once, in order, and none begins before it is added. */
static void
test_ahead (Fixture       *self,
            gconstpointer  data)
{
  static const guint sizes[] = { 3, 40, 1, 1, 12, 11, 12, 2, 30, 31, 5, 5, 5, 64, 1, 64 };
  guint first = 0;

  assemble (&self->next, first, sizes[0]);
  read_next (self);
  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    {
      VtrVmRoom room = self->room;

      assemble (&self->next, first + sizes[i], i + 1 < G_N_ELEMENTS (sizes) ? sizes[i + 1] : 1);
      vtr_vm_add_segment (&self->vm, &room);
      g_assert_true (vtr_vm_run (&self->vm));
      first += sizes[i];
      g_assert_cmpuint (self->n_seen, ==, first);
    }
  for (guint i = 0; i < first; i++)
    g_assert_cmpuint (self->seen[i], ==, i);
}

/* Any number of them takes the room of two. */
static void
test_room (Fixture       *self,
           gconstpointer  data)
{
  gsize words = 0;

  for (guint i = 0; i < 200; i++)
    {
      assemble (&self->next, 0, 100);
      read_next (self);
      words = self->next.size / 4;
      vtr_vm_add_segment (&self->vm, &self->room);
      self->n_seen = 0;
      g_assert_true (vtr_vm_run (&self->vm));
    }
  g_assert_cmpuint (self->vm.memory.code.used, <=, 3 * (words + 1) * 4);
}

/* An error says which instruction of the request it was, wherever it lay. */
static void
test_position (Fixture       *self,
               gconstpointer  data)
{
  gsize before = 0;

  for (guint i = 0; i < 5; i++)
    {
      assemble (&self->next, 0, 7);
      read_next (self);
      before += self->next.size / 4;
      vtr_vm_add_segment (&self->vm, &self->room);
      g_assert_true (vtr_vm_run (&self->vm));
    }
  vtr_buffer_clear (&self->next);
  vtr_asm_push (&self->next, VTR_VM_UINT32, 1);
  vtr_asm_x (&self->next, VTR_OP_POP, 1);
  vtr_asm_x (&self->next, VTR_OP_POP, 1);
  read_next (self);
  vtr_vm_add_segment (&self->vm, &self->room);
  g_assert_false (vtr_vm_run (&self->vm));
  g_assert_cmpuint (self->vm.error.instruction, ==, before + 2);
}

/* Wherever a segment lies, the labels in it are found. */
static void
test_labels (Fixture       *self,
             gconstpointer  data)
{
  for (guint i = 0; i < 200; i++)
    {
      vtr_buffer_clear (&self->next);
      vtr_asm_push (&self->next, VTR_VM_INT32, 0);
      vtr_asm_x (&self->next, VTR_OP_JUMP_Z, i);
      vtr_asm_x (&self->next, VTR_OP_POP, 20);
      vtr_asm_x (&self->next, VTR_OP_JUMP_LABEL, i);
      read_next (self);
      vtr_vm_add_segment (&self->vm, &self->room);
      g_assert_true (vtr_vm_run (&self->vm));
      g_assert_cmpuint (self->vm.stack.size, ==, 0);
    }
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
#define ADD(path, function) \
  g_test_add ("/replayer/segments/" path, Fixture, NULL, set_up, function, tear_down)
  ADD ("ahead", test_ahead);
  ADD ("room", test_room);
  ADD ("position", test_position);
  ADD ("labels", test_labels);
  return g_test_run ();
}
