/* Creates the replay machine, and implements its segments, jumps and built-in functions; its loop
 * is in vtr-interpreter.c. */
#include "vtr-interpreter.h"

#include "base/vtr-log.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

/* --- Life ------------------------------------------------------------------------------------ */

VtrStatus
vtr_vm_init (VtrVm *self)
{
  memset (self, 0, sizeof *self);
  self->status = &self->own_status;
  self->own_status.function = VTR_REPLAY_NO_FUNCTION;
  self->extra[VTR_VM_API_BUILTIN] = vtr_vm_builtins;
  self->extra[VTR_VM_API_BUILTIN].context = self;
  return vtr_vm_memory_init (&self->memory);
}

void
vtr_vm_finish (VtrVm *self)
{
  vtr_vm_threads_destroy (self->threads);
  vtr_vm_memory_finish (&self->memory);
  free (self->jumps);
  memset (self, 0, sizeof *self);
}

void
vtr_vm_resume (VtrVm *self)
{
  vtr_vm_threads_destroy (self->threads);
  self->threads = NULL;
  self->thread = 0;
  vtr_vm_memory_forget_code (&self->memory);
  self->stack.size = 0;
  free (self->jumps);
  self->jumps = NULL;
  self->max_jumps = self->n_jumps = 0;
  self->position = self->n_words = self->scanned = 0;
  self->present = self->n_dropped = 0;
  self->n_posts = 0;
  memset (&self->error, 0, sizeof self->error);
  self->status->label = 0;
  self->status->function = VTR_REPLAY_NO_FUNCTION;
  self->status->n_calls = 0;
}

void
vtr_vm_reset (VtrVm *self)
{
  vtr_vm_resume (self);
  vtr_vm_memory_reset (&self->memory);
}

void
vtr_vm_set_functions (VtrVm                *self,
                      unsigned              api,
                      const VtrVmFunctions *calls,
                      const VtrVmFunctions *own)
{
  if (api == VTR_VM_API_BUILTIN)
    {
      self->apis[api] = *own;
      return;
    }
  self->apis[api] = *calls;
  if (own != NULL)
    self->extra[api] = *own;
}

VtrStatus
vtr_vm_make_room (VtrVm     *self,
                  size_t     constants_size,
                  size_t     n_words,
                  bool       anew,
                  VtrVmRoom *room)
{
  VtrStatus status;

  /* In front of the present segment, if the new one fits there with the word that ends
   * execution. */
  room->start = anew && n_words < self->present ? 0 : self->n_words;
  room->n_words = n_words;
  room->first = 0;
  status = vtr_vm_memory_find_code_room (&self->memory, room->start, n_words, &room->words);
  if (status == VTR_OK)
    status = vtr_vm_memory_add_constants (&self->memory, constants_size, &room->constants);
  return status;
}

void
vtr_vm_add_segment (VtrVm           *self,
                    const VtrVmRoom *room)
{
  vtr_vm_memory_add_code (&self->memory, room->start, room->n_words, room->first);
  if (room->start != self->n_words)
    {
      self->n_dropped += self->n_words - room->start;
      self->position = self->scanned = room->start;
      free (self->jumps);
      self->jumps = NULL;
      self->max_jumps = self->n_jumps = 0;
    }
  self->present = room->start;
  self->n_words = room->start + room->n_words;
}

VtrStatus
vtr_vm_append (VtrVm          *self,
               const void     *constants,
               size_t          constants_size,
               const uint32_t *words,
               size_t          n_words)
{
  VtrVmRoom room;
  VtrStatus status = vtr_vm_make_room (self, constants_size, n_words, false, &room);

  if (status != VTR_OK)
    return status;
  if (constants_size > 0)
    memcpy (room.constants, constants, constants_size);
  if (n_words > 0)
    {
      room.first = words[0];
      memcpy (room.words + 1, words + 1, (n_words - 1) * sizeof *words);
    }
  vtr_vm_add_segment (self, &room);
  return VTR_OK;
}

bool
vtr_vm_run (VtrVm *self)
{
  VtrVmStop stop;

  if (self->error.code != VTR_VM_FINE || self->n_words == 0)
    return self->error.code == VTR_VM_FINE;
  do
    stop = self->thread == 0 ? vtr_vm_execute (self) : vtr_vm_threads_execute (self);
  while (stop == VTR_VM_SWITCHED);
  return self->error.code == VTR_VM_FINE;
}

void
vtr_vm_fail (VtrVm *self,
             VtrVmErrorCode code,
             const char *format,
             ...)
{
  va_list args;

  if (self->error.code != VTR_VM_FINE)
    return;
  self->error.code = code;
  self->error.function = self->status->function;
  va_start (args, format);
  vsnprintf (self->error.text, sizeof self->error.text, format, args);
  va_end (args);
}

/* --- Jumps ----------------------------------------------------------------------------------- */

uint64_t
vtr_vm_instruction_words (const VtrVm *self,
                          uint64_t     position)
{
  const uint32_t *words = (const uint32_t *)(const void *)self->memory.code.base;
  uint32_t word = words[position];
  uint64_t count;

  if (word >> VTR_VM_OPCODE_SHIFT != VTR_OP_INLINE_RESOURCE)
    return 1;
  count = 1 + ((word & VTR_VM_DATA20) + 3) / 4 + (word >> VTR_VM_TYPE_SHIFT & 0x3f) * 2;
  if (position + count >= self->n_words)
    return 0;
  count += 1 + (uint64_t)words[position + count] * 2;
  return position + count <= self->n_words ? count : 0;
}

static size_t
vtr_vm_jump_index (const VtrVm *self,
                   uint32_t     label)
{
  size_t i = (label * 2654435761u) & (self->max_jumps - 1);

  while (self->jumps[i].used && self->jumps[i].label != label)
    i = (i + 1) & (self->max_jumps - 1);
  return i;
}

static bool
vtr_vm_grow_jumps (VtrVm *self)
{
  VtrVmJump *old = self->jumps;
  size_t max = self->max_jumps;
  VtrVmJump *jumps = calloc (max == 0 ? 64 : max * 2, sizeof *jumps);

  if (jumps == NULL)
    return false;
  self->jumps = jumps;
  self->max_jumps = max == 0 ? 64 : max * 2;
  for (size_t i = 0; i < max; i++)
    if (old[i].used)
      self->jumps[vtr_vm_jump_index (self, old[i].label)] = old[i];
  free (old);
  return true;
}

bool
vtr_vm_find_label (VtrVm    *self,
                   uint32_t  label,
                   uint64_t *position)
{
  const uint32_t *words = (const uint32_t *)(const void *)self->memory.code.base;
  size_t i;

  while (self->scanned < self->n_words)
    {
      uint64_t count = vtr_vm_instruction_words (self, self->scanned);
      uint32_t word = words[self->scanned];

      if (count == 0)
        break;
      self->scanned += count;
      if (word >> VTR_VM_OPCODE_SHIFT != VTR_OP_JUMP_LABEL)
        continue;
      if (self->n_jumps * 2 >= self->max_jumps && !vtr_vm_grow_jumps (self))
        return false;
      i = vtr_vm_jump_index (self, word & VTR_VM_DATA26);
      if (self->jumps[i].used)
        continue; /* the first label of a number counts */
      self->jumps[i] = (VtrVmJump){ word & VTR_VM_DATA26, 1, self->scanned };
      self->n_jumps++;
    }
  if (self->max_jumps == 0)
    return false;
  i = vtr_vm_jump_index (self, label);
  if (!self->jumps[i].used)
    return false;
  *position = self->jumps[i].position;
  return true;
}

/* --- Built-in functions ---------------------------------------------------------------------- */

static void *
vtr_vm_builtin_source (VtrVm    *self,
                       uint64_t  address,
                       uint64_t  size)
{
  void *from = vtr_vm_memory_resolve (&self->memory, VTR_VM_ABSOLUTE, address, size, VTR_VM_READ);

  if (from == NULL)
    vtr_vm_fail (self, VTR_VM_ERROR_PAYLOAD, "The bytes to send lie outside the machine's memory.");
  return from;
}

/* (pointer, u32 size) */
static uint64_t
vtr_vm_builtin_post (void           *context,
                     const uint64_t *args)
{
  VtrVm *self = context;
  void *from = vtr_vm_builtin_source (self, args[0], (uint32_t)args[1]);

  if (from != NULL)
    self->host.post (self->host.data, VTR_REPLAY_POST_RUNNING | self->n_posts++, from,
                     (uint32_t)args[1]);
  return 0;
}

/* (pointer, u32 number) */
static uint64_t
vtr_vm_builtin_resource (void           *context,
                         const uint64_t *args)
{
  VtrVm *self = context;
  const uint8_t *bytes;
  size_t size;
  void *to;

  if (!self->host.resource (self->host.data, (uint32_t)args[1], &bytes, &size))
    return 0;
  to = vtr_vm_memory_resolve (&self->memory, VTR_VM_ABSOLUTE, args[0], size, VTR_VM_WRITE);
  if (to == NULL)
    vtr_vm_fail (self, VTR_VM_ERROR_PAYLOAD, "The resource lies outside the machine's memory.");
  else if (size > 0)
    memcpy (to, bytes, size);
  return 0;
}

/* (pointer, u32 id, u32 size) */
static uint64_t
vtr_vm_builtin_notify (void           *context,
                       const uint64_t *args)
{
  VtrVm *self = context;
  void *from = vtr_vm_builtin_source (self, args[0], (uint32_t)args[2]);

  if (from != NULL)
    self->host.post (self->host.data, (uint32_t)args[1], from, (uint32_t)args[2]);
  return 0;
}

/* (u32 id) */
static uint64_t
vtr_vm_builtin_wait (void           *context,
                     const uint64_t *args)
{
  VtrVm *self = context;

  self->host.fence (self->host.data, (uint32_t)args[0]);
  return 0;
}

static uint64_t
vtr_vm_builtin_print_stack (void           *context,
                            const uint64_t *args)
{
  const VtrVm *self = context;

  (void)args;
  for (uint32_t i = 0; i < self->stack.size; i++)
    vtr_log (VTR_LOG_INFO, "stack %u: type %u, 0x%llx", i, self->stack.types[i],
             (unsigned long long)self->stack.values[i]);
  return 0;
}

static const VtrVmFunction builtins[0x81] = {
  [0x00] = { vtr_vm_builtin_post, 0x1, 2, VTR_VM_VOID, 0, 1 },
  [0x01] = { vtr_vm_builtin_resource, 0x1, 2, VTR_VM_VOID, 0, 1 },
  [0x02] = { vtr_vm_builtin_notify, 0x1, 3, VTR_VM_VOID, 0, 1 },
  [0x03] = { vtr_vm_builtin_wait, 0x0, 1, VTR_VM_VOID, 0, 1 },
  [0x80] = { vtr_vm_builtin_print_stack, 0x0, 0, VTR_VM_VOID, 0, 1 },
};

const VtrVmFunctions vtr_vm_builtins = {
  .functions = builtins,
  .first = VTR_VM_FIRST_BUILTIN,
  .n = sizeof builtins / sizeof *builtins,
};
