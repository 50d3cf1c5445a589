/* Evaluates the postfix programs of the tables, and answers what they ask the walkers. */
#include "api/vtr-api-slot-private.h"

#define STACK_SIZE 32

void
vtr_scope_init_args (VtrScope   *self,
                     VtrCmdId    cmd,
                     const void *args)
{
  self->parent = NULL;
  self->base = args;
  self->first_field = vtr_cmd_get (cmd)->first_field;
  self->n_fields = vtr_cmd_get (cmd)->n_params;
  self->struct_id = VTR_STRUCT_NONE;
  self->cmd = cmd;
  self->in_chain = false;
  self->doubtful = false;
}

void
vtr_scope_init_struct (VtrScope       *self,
                       const VtrScope *parent,
                       VtrStructId     id,
                       const void     *base)
{
  self->parent = parent;
  self->base = base;
  self->first_field = vtr_struct_get (id)->first_field;
  self->n_fields = vtr_struct_get (id)->n_fields;
  self->struct_id = id;
  self->cmd = VTR_CMD_NONE;
  self->in_chain = false;
  self->doubtful = parent != NULL && parent->doubtful;
}

bool
vtr_scope_has_field (const VtrScope *self,
                     uint16_t        field)
{
  return field >= self->first_field && field < self->first_field + self->n_fields;
}

int64_t
vtr_slot_number (const VtrApiField *field,
                 const void        *slot,
                 bool               bit_field)
{
  unsigned size = vtr_field_element_size (field, field->pointers, VTR_ABI_NATIVE);
  uint64_t value = vtr_slot_load (slot, size);

  if (bit_field && field->bit_width != 0)
    return (int64_t)((value >> field->bit_offset) & ((UINT64_C (1) << field->bit_width) - 1));

  switch ((VtrApiKind)field->kind)
    {
    case VTR_KIND_I8:
      return (int8_t)value;
    case VTR_KIND_I16:
      return (int16_t)value;
    case VTR_KIND_I32:
    case VTR_KIND_ENUM:
      return (int32_t)value;
    case VTR_KIND_SSIZE:
      return (intptr_t)value;
    default:
      return (int64_t)value;
    }
}

/* --- Evaluation ------------------------------------------------------------------------------ */

static const VtrProgramResult unknown = { 0, false };

static VtrProgramResult
known (int64_t value)
{
  return (VtrProgramResult){ value, true };
}

static VtrProgramResult
load_field (const VtrScope *scope,
            uint16_t        index,
            bool            valid)
{
  const VtrApiField *field = &vtr_api_fields[index];
  const void *slot;

  if (!valid || !vtr_scope_has_field (scope, index))
    return unknown;
  slot = vtr_scope_slot (scope, field);
  if (field->pointers > 0)
    {
      slot = vtr_slot_pointer (slot);
      if (slot == NULL || scope->doubtful)
        return unknown;
    }
  return known (vtr_slot_number (field, slot, field->pointers == 0));
}

static VtrProgramResult
test_nonnull (const VtrScope *scope,
              uint16_t        index,
              bool            valid)
{
  const VtrApiField *field = &vtr_api_fields[index];

  if (!valid || !vtr_scope_has_field (scope, index))
    return unknown;
  return known (vtr_slot_load (vtr_scope_slot (scope, field), field->size[VTR_ABI_NATIVE]) != 0);
}

/* Moves @scope into the struct @index denotes. @parent keeps the scope left. */
static bool
enter (VtrScope *scope,
       VtrScope *parent,
       uint16_t  index,
       uint64_t  element)
{
  const VtrApiField *field = &vtr_api_fields[index];
  const uint8_t *base;

  if (!vtr_scope_has_field (scope, index))
    return false;
  base = vtr_scope_slot (scope, field);
  if (field->pointers > 0)
    base = vtr_slot_pointer (base);
  if (base == NULL || field->pointers > 1 || (scope->doubtful && field->pointers > 0))
    return false;
  *parent = *scope;
  base += element * vtr_struct_get (field->type)->size[VTR_ABI_NATIVE];
  vtr_scope_init_struct (scope, parent, field->type, base);
  return true;
}

static int64_t
arithmetic (VtrApiOp  op,
            int64_t   a,
            int64_t   b,
            bool     *valid)
{
  int64_t result = 0;

  switch (op)
    {
    case VTR_OP_ADD:
      *valid = !__builtin_add_overflow (a, b, &result);
      break;
    case VTR_OP_SUB:
      *valid = !__builtin_sub_overflow (a, b, &result);
      break;
    case VTR_OP_MUL:
      *valid = !__builtin_mul_overflow (a, b, &result);
      break;
    case VTR_OP_DIV:
      *valid = b > 0;
      result = *valid ? a / b : 0;
      break;
    case VTR_OP_EQ:
      return a == b;
    case VTR_OP_NE:
      return a != b;
    case VTR_OP_LT:
      return a < b;
    case VTR_OP_LE:
      return a <= b;
    case VTR_OP_GT:
      return a > b;
    case VTR_OP_GE:
      return a >= b;
    case VTR_OP_BITAND:
      return a & b;
    default:
      *valid = false;
      break;
    }
  return result;
}

/* Three-valued: what is unknown matters only when it could change the answer. */
static VtrProgramResult
combine (VtrApiOp         op,
         VtrProgramResult a,
         VtrProgramResult b)
{
  bool valid = true;
  int64_t value;

  if (op == VTR_OP_AND || op == VTR_OP_OR)
    {
      bool decides = op == VTR_OP_OR;

      if ((a.known && (a.value != 0) == decides) || (b.known && (b.value != 0) == decides))
        return known (decides);
      return a.known && b.known ? known (!decides) : unknown;
    }
  if (!a.known || !b.known)
    return unknown;
  value = arithmetic (op, a.value, b.value, &valid);
  return valid ? known (value) : unknown;
}

static bool
is_one_of (int64_t         value,
           const uint16_t *words,
           unsigned        n)
{
  for (unsigned i = 0; i < n; i++)
    if (value == (int32_t)(words[2 * i] | (uint32_t)words[2 * i + 1] << 16))
      return true;
  return false;
}

static VtrProgramResult
ask (const VtrScope   *scope,
     const VtrApiEnv  *env,
     const VtrPointee *pointee,
     unsigned          question,
     int64_t           operand)
{
  const VtrApiWalk walk = { scope, env, *pointee };
  VtrProgramResult result = unknown;

  result.known = vtr_scope_api (scope)->answer (&walk, question, operand, &result.value);
  return result;
}

VtrProgramResult
vtr_program_measure (VtrApiProgram     program,
                     const VtrScope   *start,
                     const VtrApiEnv  *env,
                     const VtrPointee *pointee)
{
  const uint16_t *word = vtr_api_programs + program;
  VtrProgramResult stack[STACK_SIZE];
  unsigned depth = 0, entered = 0;
  VtrScope scope, left[4];
  bool valid = true;

  /* Most programs are one number. */
  if (word[0] == VTR_OP_FIELD && word[2] == VTR_OP_END)
    return load_field (start, word[1], true);
  scope = *start;
  for (;;)
    {
      VtrApiOp op = (VtrApiOp)*word++;

      switch (op)
        {
        case VTR_OP_END:
          return depth == 1 ? stack[0] : unknown;
        case VTR_OP_FIELD:
          stack[depth++] = load_field (&scope, *word++, valid);
          break;
        case VTR_OP_NONNULL:
          stack[depth++] = test_nonnull (&scope, *word++, valid);
          break;
        case VTR_OP_ENTER:
        case VTR_OP_ENTER_AT:
          valid = valid && entered < 4 &&
                  enter (&scope, &left[entered++], *word, op == VTR_OP_ENTER ? 0 : pointee->index);
          word++;
          break;
        case VTR_OP_PARENT:
          valid = valid && scope.parent != NULL;
          if (valid)
            scope = *scope.parent;
          break;
        case VTR_OP_ROOT:
          while (scope.parent != NULL)
            scope = *scope.parent;
          break;
        case VTR_OP_RESET:
          scope = *start;
          entered = 0;
          valid = true;
          break;
        case VTR_OP_CONST:
          stack[depth++] = known ((int32_t)(word[0] | (uint32_t)word[1] << 16));
          word += 2;
          break;
        case VTR_OP_IN:
          stack[depth - 1].value = is_one_of (stack[depth - 1].value, word + 1, *word);
          word += 1 + 2 * *word;
          break;
        case VTR_OP_NOT:
          stack[depth - 1].value = stack[depth - 1].value == 0;
          break;
        case VTR_OP_UNKNOWN:
          stack[depth++] = unknown;
          break;
        case VTR_OP_ASK:
          stack[depth++] = ask (start, env, pointee, *word++, 0);
          break;
        case VTR_OP_ASK_OF:
          stack[depth - 1] = ask (start, env, pointee, *word++, stack[depth - 1].value);
          break;
        default:
          depth--;
          stack[depth - 1] = combine (op, stack[depth - 1], stack[depth]);
          break;
        }
    }
}

/* --- What the walkers ask -------------------------------------------------------------------- */

VtrTristate
vtr_field_rule (const VtrApiField *field,
                const VtrScope    *scope,
                const VtrApiEnv   *env)
{
  VtrProgramResult result;

  if ((field->flags & VTR_FIELD_OFFSET_OR_POINTER) != 0 && field->pointers > 0 && env != NULL &&
      env->decoded)
    return vtr_args_has_offset (field, scope) ? VTR_NO : VTR_YES;
  result = vtr_program_run (field->live, scope, env, 0);
  if (!result.known)
    return VTR_UNKNOWN;
  return result.value != 0 ? VTR_YES : VTR_NO;
}

VtrTristate
vtr_field_judge_rule (const VtrApiField *field,
                      const VtrScope    *scope,
                      const VtrApiEnv   *env)
{
  VtrTristate live = vtr_field_is_live (field, scope, env);
  bool plain = field->pointers == 0;

  if (live == VTR_NO || (live == VTR_YES && (plain || !scope->doubtful)))
    return live;
  if (plain && field->kind == VTR_KIND_HANDLE)
    return VTR_YES;
  if (env != NULL && env->decoded)
    return VTR_YES;
  return plain || env == NULL || env->readable == NULL ? VTR_NO : VTR_UNKNOWN;
}

bool
vtr_field_rule_decided (const VtrApiField *field,
                        const VtrScope    *scope,
                        const VtrApiEnv   *env)
{
  VtrTristate judgement = vtr_field_judge_rule (field, scope, env);

  if (judgement != VTR_UNKNOWN)
    return judgement == VTR_YES;
  return env->readable (env->data, vtr_slot_pointer (vtr_scope_slot (scope, field)),
                        vtr_field_element_size (field, 1, VTR_ABI_NATIVE));
}

/* The bytes of a string with its NUL, which may be missing. */
static bool
measure_doubtful (const char      *text,
                  const VtrApiEnv *env,
                  uint64_t        *out)
{
  for (size_t size = 0; size < VTR_WALK_MAX_STRING;)
    {
      size_t step = VTR_WALK_PAGE - ((uintptr_t)text + size) % VTR_WALK_PAGE;
      const char *end;

      if (!env->readable (env->data, text + size, step))
        return false;
      end = memchr (text + size, 0, step);
      if (end != NULL)
        {
          *out = (uint64_t)(end - text) + 1;
          return true;
        }
      size += step;
    }
  return false;
}

bool
vtr_field_elements (const VtrApiField *field,
                    unsigned           level,
                    const VtrScope    *scope,
                    const VtrApiEnv   *env,
                    uint64_t           index,
                    const void        *pointee,
                    VtrTristate        judgement,
                    uint64_t          *out)
{
  size_t bytes;

  if (judgement == VTR_YES)
    return vtr_field_length (field, level, scope, env, index, pointee, out);
  if (judgement == VTR_NO)
    return false;
  if ((field->flags & VTR_FIELD_STRING) != 0 && level + 1 == field->pointers)
    return measure_doubtful (pointee, env, out);
  return vtr_field_length (field, level, scope, env, index, pointee, out) &&
         !__builtin_mul_overflow (
           *out, vtr_field_element_size (field, level + 1, VTR_ABI_NATIVE), &bytes) &&
         (bytes == 0 || env->readable (env->data, pointee, bytes));
}

bool
vtr_field_length (const VtrApiField *field,
                  unsigned           level,
                  const VtrScope    *scope,
                  const VtrApiEnv   *env,
                  uint64_t           index,
                  const void        *pointee,
                  uint64_t          *out)
{
  VtrProgramResult result;

  if ((field->flags & VTR_FIELD_STRING) != 0 && level + 1 == field->pointers)
    {
      *out = strlen (pointee) + 1;
      return true;
    }
  if ((field->flags & VTR_FIELD_SIZED) != 0 && level + 1 == field->pointers && env != NULL &&
      env->decoded)
    {
      *out = vtr_sized_size (pointee);
      return true;
    }
  if (field->length[level] == 0)
    {
      *out = 1;
      return true;
    }
  result = vtr_program_measure (field->length[level], scope, env,
                                &(VtrPointee){ index, pointee, UINT64_MAX });
  if (!result.known || result.value < 0)
    return false;
  *out = (uint64_t)result.value;
  return true;
}

bool
vtr_chain_goes_on (const VtrScope  *scope,
                   const VtrApiEnv *env,
                   const void      *next)
{
  VtrChainHeader header;
  VtrStructId id;

  if (!scope->doubtful)
    return true;
  if (!env->readable (env->data, next, sizeof header))
    return false;
  memcpy (&header, next, sizeof header);
  id = vtr_struct_from_stype (header.stype);
  return id == VTR_STRUCT_NONE ||
         env->readable (env->data, next, vtr_struct_get (id)->size[VTR_ABI_NATIVE]);
}

const VtrApiEnv vtr_env_of_decoded = { .decoded = true };

uint32_t
vtr_field_array_count (const VtrApiField *field,
                       const VtrScope    *scope)
{
  uint64_t count = field->array;

  if (field->length[0] != 0 && field->array > 1 &&
      (!vtr_field_length (field, 0, scope, NULL, 0, NULL, &count) || count > field->array))
    count = field->array;
  return (uint32_t)count;
}

VtrHandleId
vtr_field_object_type (const VtrApiField *field,
                       const VtrScope    *scope)
{
  VtrProgramResult type = vtr_program_run (field->length[field->pointers], scope, NULL, 0);

  return type.known ? vtr_handle_from_object_type (vtr_scope_api (scope), (uint32_t)type.value)
                    : VTR_HANDLE_NONE;
}

bool
vtr_field_is_dead (const VtrApiField *field,
                   const VtrScope    *scope,
                   const VtrApiEnv   *env)
{
  return (field->flags & VTR_FIELD_SELECTED) != 0 &&
         vtr_field_is_live (field, scope, env) != VTR_YES;
}
