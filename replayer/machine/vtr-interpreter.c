/* Runs the instruction words of a replay: each instruction's code ends by jumping to that of the
 * next one. */
#include "vtr-interpreter.h"

#include <stdlib.h>

#define LIKELY(x) __builtin_expect (!!(x), 1)
#define UNLIKELY(x) __builtin_expect (!!(x), 0)

/* Dispatch is threaded: every instruction ends by jumping to the next one's code, so that the
 * processor predicts each pair of instructions by itself. The word behind the last is
 * 0xffffffff, whose code leaves the loop. */
#define NEXT \
  do \
    { \
      word = *at++; \
      goto *code[word >> VTR_VM_OPCODE_SHIFT]; \
    } \
  while (0)

#define FAIL(...) \
  do \
    { \
      vtr_vm_fail (self, VTR_VM_ERROR_PAYLOAD, __VA_ARGS__); \
      goto failed; \
    } \
  while (0)

#define NEED(n) \
  do \
    if (UNLIKELY (sp < (n))) \
      FAIL ("The stack holds %u values where %u are needed.", (unsigned)sp, (unsigned)(n)); \
  while (0)

#define PUSH(type_, value_) \
  do \
    { \
      if (UNLIKELY (sp == VTR_VM_STACK_SIZE)) \
        FAIL ("The stack is full."); \
      types[sp] = (uint8_t)(type_); \
      values[sp] = (value_); \
      sp++; \
    } \
  while (0)

#define TYPE(into) \
  do \
    { \
      into = (VtrVmType)(word >> VTR_VM_TYPE_SHIFT & 0x3f); \
      if (UNLIKELY ((unsigned)into >= VTR_VM_TYPE_COUNT)) \
        FAIL ("There is no type %u.", (unsigned)into); \
    } \
  while (0)

/* Instructions that are functions of their own find the stack in @self. */
#define SAVE() (self->stack.size = sp)
#define RESTORE() (sp = self->stack.size)

#define OPERAND (word & VTR_VM_DATA26)
#define DATA (word & VTR_VM_DATA20)

static uint64_t
vtr_vm_push_value (VtrVmType type,
                   uint32_t  data)
{
  switch (type)
    {
    case VTR_VM_INT32:
    case VTR_VM_INT64:
      return (uint64_t)(int64_t)((int32_t)(data << 12) >> 12);
    case VTR_VM_FLOAT:
      return (uint32_t)(data << 23);
    case VTR_VM_DOUBLE:
      return (uint64_t)data << 52;
    default:
      return vtr_vm_canonical (type, data);
    }
}

static uint64_t
vtr_vm_extend_value (VtrVmType type,
                     uint64_t  value,
                     uint32_t  operand)
{
  const uint64_t mantissa = (1ull << 52) - 1;

  switch (type)
    {
    case VTR_VM_FLOAT:
      return value | (operand & 0x7fffff);
    case VTR_VM_DOUBLE:
      return (value & ~mantissa) | ((value << 26 | operand) & mantissa);
    default:
      return vtr_vm_canonical (type, value << 26 | operand);
    }
}

static uint64_t
vtr_vm_add_values (VtrVmType type,
                   uint64_t  a,
                   uint64_t  b)
{
  if (type == VTR_VM_FLOAT)
    {
      float x, y;
      uint32_t bits;

      memcpy (&x, &a, sizeof x);
      memcpy (&y, &b, sizeof y);
      x += y;
      memcpy (&bits, &x, sizeof bits);
      return bits;
    }
  if (type == VTR_VM_DOUBLE)
    {
      double x, y;

      memcpy (&x, &a, sizeof x);
      memcpy (&y, &b, sizeof y);
      x += y;
      memcpy (&a, &x, sizeof a);
      return a;
    }
  return vtr_vm_canonical (type, a + b);
}

/* ADD. Returns: false after vtr_vm_fail(). */
static bool
vtr_vm_add (VtrVm    *self,
            uint32_t  n)
{
  VtrStack *stack = &self->stack;
  uint32_t first = stack->size - n;
  VtrVmType type = (VtrVmType)stack->types[stack->size - 1];
  uint64_t sum = stack->values[first];

  if (type == VTR_VM_BOOL || type == VTR_VM_VOLATILE)
    {
      vtr_vm_fail (self, VTR_VM_ERROR_PAYLOAD, "Values of type %u cannot be added.", type);
      return false;
    }
  for (uint32_t i = first; i < stack->size; i++)
    {
      if (stack->types[i] != type)
        {
          vtr_vm_fail (self, VTR_VM_ERROR_PAYLOAD, "Types %u and %u cannot be added.",
                       stack->types[i], type);
          return false;
        }
      if (i > first)
        sum = vtr_vm_add_values (type, sum, stack->values[i]);
    }
  stack->values[first] = sum;
  stack->size = first + 1;
  return true;
}

/* Pops a pointer. Returns: where @size bytes of it lie, or NULL after vtr_vm_fail(). */
static void *
vtr_vm_pop_pointer (VtrVm       *self,
                    uint64_t     size,
                    VtrVmAccess  access)
{
  VtrStack *stack = &self->stack;
  VtrVmType type;
  uint64_t value;
  void *at;

  if (stack->size == 0)
    {
      vtr_vm_fail (self, VTR_VM_ERROR_PAYLOAD, "The stack is empty where a pointer is needed.");
      return NULL;
    }
  stack->size--;
  type = (VtrVmType)stack->types[stack->size];
  value = stack->values[stack->size];
  at = vtr_vm_memory_resolve (&self->memory, type, value, size, access);
  if (at == NULL)
    vtr_vm_fail (self, VTR_VM_ERROR_PAYLOAD,
                 "%llu bytes at address 0x%llx of type %u may not be %s.",
                 (unsigned long long)size, (unsigned long long)value, type,
                 access == VTR_VM_READ ? "read" : "written");
  return at;
}

static bool
vtr_vm_pop_u32 (VtrVm    *self,
                uint32_t *out)
{
  VtrStack *stack = &self->stack;

  if (stack->size == 0 || stack->types[stack->size - 1] != VTR_VM_UINT32)
    {
      vtr_vm_fail (self, VTR_VM_ERROR_PAYLOAD, "There is no UINT32 on top of the stack.");
      return false;
    }
  *out = (uint32_t)stack->values[--stack->size];
  return true;
}

static bool
vtr_vm_resource (VtrVm    *self,
                 uint64_t  number)
{
  const uint8_t *bytes;
  size_t size;
  void *to;

  if (!self->host.resource (self->host.data, number, &bytes, &size))
    return false;
  to = vtr_vm_pop_pointer (self, size, VTR_VM_WRITE);
  if (to == NULL)
    return false;
  if (size > 0)
    memcpy (to, bytes, size);
  return true;
}

static bool
vtr_vm_post (VtrVm *self)
{
  uint32_t size;
  void *from;

  if (!vtr_vm_pop_u32 (self, &size))
    return false;
  from = vtr_vm_pop_pointer (self, size, VTR_VM_READ);
  if (from == NULL)
    return false;
  return self->host.post (self->host.data, VTR_REPLAY_POST_RUNNING | self->n_posts++, from, size);
}

static bool
vtr_vm_notify (VtrVm *self)
{
  uint32_t size, id;
  void *from;

  if (!vtr_vm_pop_u32 (self, &size) || !vtr_vm_pop_u32 (self, &id))
    return false;
  from = vtr_vm_pop_pointer (self, size, VTR_VM_READ);
  return from != NULL && self->host.post (self->host.data, id, from, size);
}

static bool
vtr_vm_copy (VtrVm    *self,
             uint32_t  size)
{
  void *to = vtr_vm_pop_pointer (self, size, VTR_VM_WRITE);
  void *from = to == NULL ? NULL : vtr_vm_pop_pointer (self, size, VTR_VM_READ);

  if (from == NULL)
    return false;
  memmove (to, from, size);
  return true;
}

static bool
vtr_vm_strcpy (VtrVm    *self,
               uint32_t  size)
{
  char *to = vtr_vm_pop_pointer (self, size, VTR_VM_WRITE);
  char *from = to == NULL ? NULL : vtr_vm_pop_pointer (self, 0, VTR_VM_READ);
  uint64_t available;
  size_t length;

  if (from == NULL)
    return false;
  if (size == 0)
    return true;
  /* The popped entry still lies there. */
  vtr_vm_memory_at (&self->memory, (VtrVmType)self->stack.types[self->stack.size],
                    self->stack.values[self->stack.size], VTR_VM_READ, &available);
  length = strnlen (from, available < size - 1 ? (size_t)available : size - 1);
  if (length == available && length < size - 1)
    {
      vtr_vm_fail (self, VTR_VM_ERROR_PAYLOAD, "A string has no end.");
      return false;
    }
  memmove (to, from, length);
  memset (to + length, 0, size - length);
  return true;
}

static void *
vtr_vm_volatile (const VtrVm *self,
                 uint64_t     address,
                 uint64_t     size)
{
  return vtr_vm_memory_resolve (&self->memory, VTR_VM_VOLATILE, address, size, VTR_VM_WRITE);
}

/* INLINE_RESOURCE at @at, whose whole length is known to be there. */
static bool
vtr_vm_inline (VtrVm          *self,
               const uint32_t *at)
{
  uint32_t n_values = *at >> VTR_VM_TYPE_SHIFT & 0x3f;
  uint32_t size = *at & VTR_VM_DATA20;
  void *to = vtr_vm_pop_pointer (self, size, VTR_VM_WRITE);
  const uint32_t *words = at + 1 + (size + 3) / 4;
  uint32_t n_copies;

  if (to == NULL)
    return false;
  if (size > 0)
    memcpy (to, at + 1, size);
  for (uint32_t i = 0; i < n_values; i++, words += 2)
    {
      void *slot = vtr_vm_volatile (self, words[0], sizeof (void *));
      void *value = vtr_vm_volatile (self, words[1], 0);

      if (slot == NULL || value == NULL)
        goto outside;
      memcpy (slot, &value, sizeof value);
    }
  n_copies = *words++;
  for (uint32_t i = 0; i < n_copies; i++, words += 2)
    {
      void *slot = vtr_vm_volatile (self, words[0], 8);
      void *source = vtr_vm_volatile (self, words[1], 8);

      if (slot == NULL || source == NULL)
        goto outside;
      memmove (slot, source, 8);
    }
  return true;

outside:
  vtr_vm_fail (self, VTR_VM_ERROR_PAYLOAD, "A patch lies outside volatile memory.");
  return false;
}

static bool
vtr_vm_jump (VtrVm    *self,
             uint32_t  label,
             bool      when_zero,
             uint64_t *position)
{
  VtrStack *stack = &self->stack;

  if (stack->size != 1 || stack->types[0] != VTR_VM_INT32)
    {
      vtr_vm_fail (self, VTR_VM_ERROR_PAYLOAD, "A jump needs one INT32 on the stack and no more.");
      return false;
    }
  stack->size = 0;
  if ((stack->values[0] == 0) != when_zero)
    return true;
  if (vtr_vm_find_label (self, label, position))
    return true;
  vtr_vm_fail (self, VTR_VM_ERROR_PAYLOAD, "There is no jump label %u.", label);
  return false;
}

/* Returns: the function of a CALL word and its @context, or NULL after vtr_vm_fail(). */
static const VtrVmFunction *
vtr_vm_lookup (VtrVm     *self,
               uint32_t   word,
               void     **context)
{
  uint32_t api = word >> VTR_VM_CALL_API_SHIFT & 0xf;
  uint32_t id = word & 0xffff;
  const VtrVmFunctions *functions = &self->apis[api];
  const VtrVmFunction *function;

  if (id - functions->first >= functions->n)
    functions = &self->extra[api];
  function = &functions->functions[id - functions->first];
  if (id - functions->first >= functions->n || !function->known)
    {
      vtr_vm_fail (self, VTR_VM_ERROR_PAYLOAD, "API %u has no function %u.", api, id);
      return NULL;
    }
  if (function->call == NULL)
    {
      vtr_vm_fail (self, VTR_VM_ERROR_UNSUPPORTED, "This function does not exist on this system.");
      return NULL;
    }
  *context = functions->context;
  return function;
}

/* Returns: false after vtr_vm_fail(), if @result says that the call of @word failed. */
static bool
vtr_vm_judge (VtrVm    *self,
              uint32_t  word,
              uint64_t  result)
{
  uint32_t api = word >> VTR_VM_CALL_API_SHIFT & 0xf;
  uint32_t id = word & 0xffff;
  const VtrVmFunctions *functions = &self->apis[api];
  VtrVmErrorCode code = VTR_VM_FINE;
  char text[sizeof self->error.text];

  if (id - functions->first >= functions->n)
    functions = &self->extra[api];
  if (functions->judge != NULL)
    code = functions->judge (id, result, text, sizeof text);
  if (LIKELY (code == VTR_VM_FINE))
    return true;
  self->status->function = word & 0xfffff;
  vtr_vm_fail (self, code, "%s", text);
  return false;
}

/* Makes the CONSTANT and VOLATILE ones of the @n arguments at @first absolute. */
static bool
vtr_vm_translate (VtrVm               *self,
                  const VtrVmFunction *function,
                  uint32_t             first)
{
  VtrStack *stack = &self->stack;

  for (uint32_t i = 0; i < function->n_args; i++)
    {
      VtrVmType type = (VtrVmType)stack->types[first + i];
      void *at;

      if (type != VTR_VM_CONSTANT && type != VTR_VM_VOLATILE)
        continue;
      if ((function->pointers >> i & 1) == 0)
        {
          vtr_vm_fail (self, VTR_VM_ERROR_PAYLOAD, "Argument %u may not be a pointer.", i);
          return false;
        }
      at = vtr_vm_memory_resolve (&self->memory, type, stack->values[first + i], 1, VTR_VM_READ);
      if (at == NULL)
        {
          vtr_vm_fail (self, VTR_VM_ERROR_PAYLOAD, "Argument %u points outside its memory.", i);
          return false;
        }
      stack->values[first + i] = (uintptr_t)at;
    }
  return true;
}

static void
vtr_vm_complete_error (VtrVm    *self,
                       uint64_t  position)
{
  self->error.instruction = self->n_dropped + position;
  self->error.word = ((const uint32_t *)(const void *)self->memory.code.base)[position];
  self->error.label = self->status->label;
}

VtrVmStop
vtr_vm_execute (VtrVm *self)
{
  static const void *const code[64] = {
    [VTR_OP_COUNT... 63] = &&op_bad,
    [VTR_OP_CALL] = &&op_call,
    [VTR_OP_PUSH_I] = &&op_push_i,
    [VTR_OP_LOAD_C] = &&op_load_c,
    [VTR_OP_LOAD_V] = &&op_load_v,
    [VTR_OP_LOAD] = &&op_load,
    [VTR_OP_POP] = &&op_pop,
    [VTR_OP_STORE_V] = &&op_store_v,
    [VTR_OP_STORE] = &&op_store,
    [VTR_OP_RESOURCE] = &&op_resource,
    [VTR_OP_POST] = &&op_post,
    [VTR_OP_COPY] = &&op_copy,
    [VTR_OP_CLONE] = &&op_clone,
    [VTR_OP_STRCPY] = &&op_strcpy,
    [VTR_OP_EXTEND] = &&op_extend,
    [VTR_OP_ADD] = &&op_add,
    [VTR_OP_LABEL] = &&op_label,
    [VTR_OP_SWITCH_THREAD] = &&op_switch_thread,
    [VTR_OP_JUMP_LABEL] = &&op_jump_label,
    [VTR_OP_JUMP_NZ] = &&op_jump,
    [VTR_OP_JUMP_Z] = &&op_jump,
    [VTR_OP_NOTIFICATION] = &&op_notification,
    [VTR_OP_WAIT] = &&op_wait,
    [VTR_OP_INLINE_RESOURCE] = &&op_inline,
  };
  const uint32_t *const words = (const uint32_t *)(const void *)self->memory.code.base;
  const uint32_t *at = words + self->position;
  uint64_t *const values = self->stack.values;
  uint8_t *const types = self->stack.types;
  uint8_t *const memory = self->memory.values.base;
  const size_t memory_size = self->memory.values.reserved;
  VtrReplayStatus *const status = self->status;
  uint32_t sp = self->stack.size;
  VtrVmStop stop = VTR_VM_DONE;
  uint32_t word;
  VtrVmType type;

  NEXT;

op_call:
  {
    void *context;
    const VtrVmFunction *function = vtr_vm_lookup (self, word, &context);
    uint64_t result;

    if (UNLIKELY (function == NULL))
      goto failed;
    NEED (function->n_args);
    sp -= function->n_args;
    if (vtr_stack_has_relative (types + sp, function->n_args) &&
        UNLIKELY (!vtr_vm_translate (self, function, sp)))
      goto failed;
    if (UNLIKELY (__atomic_load_n (&status->cancel, __ATOMIC_RELAXED) != 0))
      {
        vtr_vm_fail (self, VTR_VM_ERROR_CANCELLED, "The request was cancelled.");
        goto failed;
      }
    /* Plain stores, placed so that the compiler cannot move them: the engine reads them if this
     * call is the last. */
    *(volatile uint32_t *)&status->function = word & 0xfffff;
    *(volatile uint64_t *)&status->n_calls = status->n_calls + 1;
    self->stack.size = sp;
    result = function->call (context, values + sp);
    if (UNLIKELY (self->error.code != VTR_VM_FINE))
      goto failed;
    *(volatile uint32_t *)&status->function = VTR_REPLAY_NO_FUNCTION;
    if (UNLIKELY ((word & VTR_VM_CALL_PUSH) != 0))
      {
        if (function->result == VTR_VM_VOID)
          FAIL ("The function has no result to push.");
        PUSH (function->result, vtr_vm_canonical ((VtrVmType)function->result, result));
      }
    else if (function->judged && UNLIKELY (!vtr_vm_judge (self, word, result)))
      goto failed;
    NEXT;
  }

op_push_i:
  TYPE (type);
  PUSH (type, LIKELY (type == VTR_VM_UINT32) ? DATA : vtr_vm_push_value (type, DATA));
  NEXT;

op_load_v:
  TYPE (type);
  if (UNLIKELY (DATA + 8 > memory_size))
    FAIL ("Address 0x%x lies outside volatile memory.", DATA);
  PUSH (type, vtr_vm_load_value (type, memory + DATA));
  NEXT;

op_load_c:
  {
    const void *from;

    TYPE (type);
    from = vtr_vm_memory_resolve (&self->memory, VTR_VM_CONSTANT, DATA, vtr_vm_type_size (type),
                                  VTR_VM_READ);
    if (UNLIKELY (from == NULL))
      FAIL ("Address 0x%x lies outside constant memory.", DATA);
    PUSH (type, vtr_vm_load_value (type, from));
    NEXT;
  }

op_load:
  {
    const void *from;

    TYPE (type);
    SAVE ();
    from = vtr_vm_pop_pointer (self, vtr_vm_type_size (type), VTR_VM_READ);
    if (UNLIKELY (from == NULL))
      goto failed;
    RESTORE ();
    PUSH (type, vtr_vm_load_value (type, from));
    NEXT;
  }

op_pop:
  NEED (OPERAND);
  sp -= OPERAND;
  NEXT;

op_store_v:
op_store:
  {
    void *to;
    uint64_t value;

    SAVE ();
    if (word >> VTR_VM_OPCODE_SHIFT == VTR_OP_STORE)
      {
        /* The value below the address says how many bytes. */
        NEED (2);
        to = vtr_vm_pop_pointer (self, vtr_vm_type_size ((VtrVmType)types[sp - 2]), VTR_VM_WRITE);
      }
    else
      {
        NEED (1);
        to = vtr_vm_memory_resolve (&self->memory, VTR_VM_VOLATILE, OPERAND,
                                    vtr_vm_type_size ((VtrVmType)types[sp - 1]), VTR_VM_WRITE);
        if (to == NULL)
          FAIL ("Address 0x%x lies outside volatile memory.", OPERAND);
      }
    if (UNLIKELY (to == NULL))
      goto failed;
    RESTORE ();
    sp--;
    value = values[sp];
    if (types[sp] == VTR_VM_CONSTANT || types[sp] == VTR_VM_VOLATILE)
      {
        value = (uintptr_t)vtr_vm_memory_resolve (&self->memory, (VtrVmType)types[sp], value, 0,
                                                  VTR_VM_READ);
        if (value == 0)
          FAIL ("The stored pointer lies outside its memory.");
      }
    vtr_vm_store_value ((VtrVmType)types[sp], value, to);
    NEXT;
  }

op_clone:
  NEED (OPERAND + 1);
  PUSH (types[sp - 1 - OPERAND], values[sp - 1 - OPERAND]);
  NEXT;

op_extend:
  NEED (1);
  values[sp - 1] = vtr_vm_extend_value ((VtrVmType)types[sp - 1], values[sp - 1], OPERAND);
  NEXT;

op_add:
  NEED (OPERAND);
  if (OPERAND >= 2)
    {
      SAVE ();
      if (!vtr_vm_add (self, OPERAND))
        goto failed;
      RESTORE ();
    }
  NEXT;

op_label:
  *(volatile uint32_t *)&status->label = OPERAND;
  NEXT;

op_jump_label:
  NEXT;

op_jump:
  {
    uint64_t target = (uint64_t)(at - words);

    SAVE ();
    if (!vtr_vm_jump (self, OPERAND, word >> VTR_VM_OPCODE_SHIFT == VTR_OP_JUMP_Z, &target))
      goto failed;
    /* A loop without calls must be cancellable, too. */
    if (UNLIKELY (__atomic_load_n (&status->cancel, __ATOMIC_RELAXED) != 0))
      {
        vtr_vm_fail (self, VTR_VM_ERROR_CANCELLED, "The request was cancelled.");
        goto failed;
      }
    RESTORE ();
    at = words + target;
    NEXT;
  }

op_switch_thread:
  if (OPERAND >= VTR_VM_MAX_THREADS)
    FAIL ("There are at most %u threads.", VTR_VM_MAX_THREADS);
  if (OPERAND == self->thread)
    NEXT;
  self->thread = OPERAND;
  stop = VTR_VM_SWITCHED;
  goto leave;

op_wait:
  SAVE ();
  if (!self->host.fence (self->host.data, OPERAND))
    goto failed;
  NEXT;

#define OUTLINE(label, call) \
  label: \
  SAVE (); \
  if (UNLIKELY (!(call))) \
    goto failed; \
  RESTORE (); \
  NEXT

  OUTLINE (op_resource, vtr_vm_resource (self, OPERAND));
  OUTLINE (op_post, vtr_vm_post (self));
  OUTLINE (op_copy, vtr_vm_copy (self, OPERAND));
  OUTLINE (op_strcpy, vtr_vm_strcpy (self, OPERAND));
  OUTLINE (op_notification, vtr_vm_notify (self));

op_inline:
  {
    uint64_t n_words = vtr_vm_instruction_words (self, (uint64_t)(at - 1 - words));

    if (n_words == 0)
      FAIL ("An inline resource reaches past the end of the instructions.");
    SAVE ();
    if (!vtr_vm_inline (self, at - 1))
      goto failed;
    RESTORE ();
    at += n_words - 1;
    NEXT;
  }

op_bad:
  if ((uint64_t)(at - words) != self->n_words + 1)
    FAIL ("There is no instruction %u.", word >> VTR_VM_OPCODE_SHIFT);
  at--;

leave:
  self->stack.size = sp;
  self->position = (uint64_t)(at - words);
  return stop;

failed:
  vtr_vm_complete_error (self, (uint64_t)(at - 1 - words));
  self->position = self->n_words;
  return VTR_VM_DONE;
}
