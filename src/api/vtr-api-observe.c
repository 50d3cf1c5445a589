/* Observes the memory that the driver reads and writes through the arguments of a call. */
#include "api/vtr-api-slot-private.h"
#include "api/vtr-api-walk.h"

/* Whether the application or the driver fills in a struct. */
typedef enum
{
  OWNER_INPUT,
  OWNER_OUTPUT,
} Owner;

typedef struct
{
  VtrObserveSink sink;
  void *data;
  const VtrApiEnv *env;
  VtrPhase phase;
  unsigned flags;
  unsigned depth;
} Observer;

static void observe_fields (Observer       *self,
                            const VtrScope *scope,
                            unsigned        first,
                            unsigned        n_fields,
                            Owner           owner);

static void
observe_range (Observer   *self,
               const void *base,
               uint64_t    count,
               uint32_t    size)
{
  size_t bytes;

  if (!__builtin_mul_overflow (count, size, &bytes) && bytes > 0)
    self->sink (self->data, base, bytes);
}

/* Observes the memory behind the pointers of @count structs at @base. */
static void
observe_contents (Observer       *self,
                  const VtrScope *parent,
                  VtrStructId     id,
                  const uint8_t  *base,
                  uint64_t        count,
                  Owner           owner,
                  bool            in_chain)
{
  const VtrApiStruct *type = vtr_struct_get (id);
  VtrScope scope;

  if ((type->flags & VTR_STRUCT_HAS_POINTERS) == 0)
    return;
  if (self->phase == VTR_PHASE_AFTER && owner == OWNER_INPUT &&
      (type->flags & (VTR_STRUCT_HAS_OUT | VTR_STRUCT_NEXT_OUT)) == 0)
    return;
  if (self->depth >= VTR_WALK_MAX_DEPTH)
    {
      self->flags |= VTR_OBSERVE_TOO_DEEP;
      return;
    }

  self->depth++;
  for (uint64_t i = 0; i < count; i++)
    {
      vtr_scope_init_struct (&scope, parent, id, base + i * type->size[VTR_ABI_NATIVE]);
      scope.in_chain = in_chain;
      observe_fields (self, &scope, type->first_pointer, type->n_pointers, owner);
    }
  self->depth--;
}

/* Before the call only the header of a struct to be filled is of interest, unless it holds inputs
 * of its own. */
static uint32_t
output_size_before (const VtrApiStruct *type)
{
  bool header_only = (type->flags & VTR_STRUCT_RETURNED_ONLY) != 0 && type->n_pointers <= 1;

  if (type->stype == VTR_STYPE_NONE)
    return 0;
  return header_only ? (uint32_t)sizeof (VtrChainHeader) : type->size[VTR_ABI_NATIVE];
}

static void
observe_structs (Observer       *self,
                 const VtrScope *parent,
                 VtrStructId     id,
                 const uint8_t  *base,
                 uint64_t        count,
                 Owner           owner,
                 bool            in_chain)
{
  const VtrApiStruct *type = vtr_struct_get (id);
  uint32_t size = type->size[VTR_ABI_NATIVE];

  if (owner == OWNER_OUTPUT && self->phase == VTR_PHASE_BEFORE)
    {
      uint32_t head = output_size_before (type);

      if (head == 0)
        return;
      for (uint64_t i = 0; i < count; i++)
        self->sink (self->data, base + i * size, head);
    }
  else if (owner == OWNER_OUTPUT || self->phase == VTR_PHASE_BEFORE)
    observe_range (self, base, count, size);
  observe_contents (self, parent, id, base, count, owner, in_chain);
}

static void
observe_chain (Observer       *self,
               const VtrScope *head,
               const void     *next,
               Owner           owner)
{
  for (unsigned n = 0; next != NULL; n++)
    {
      VtrChainHeader header;
      VtrStructId id;

      if (!vtr_chain_goes_on (head, self->env, next))
        {
          self->flags |= VTR_OBSERVE_UNREADABLE;
          return;
        }
      if (n >= VTR_WALK_MAX_CHAIN || self->depth >= VTR_WALK_MAX_DEPTH)
        {
          self->flags |= VTR_OBSERVE_TOO_DEEP;
          return;
        }
      memcpy (&header, next, sizeof header);
      id = vtr_struct_from_stype (header.stype);
      if (id == VTR_STRUCT_NONE)
        {
          self->flags |= VTR_OBSERVE_OPAQUE_NEXT;
          if (self->phase == VTR_PHASE_BEFORE)
            self->sink (self->data, next, sizeof header);
        }
      else
        observe_structs (self, head, id, next, 1, owner, true);
      next = header.next;
    }
}

/* The elements behind a pointer once it was followed down to them. */
static void
observe_elements (Observer          *self,
                  const VtrScope    *scope,
                  const VtrApiField *field,
                  const void        *base,
                  uint64_t           count)
{
  bool output = (field->flags & VTR_FIELD_OUT) != 0;

  if (field->kind == VTR_KIND_STRUCT || field->kind == VTR_KIND_UNION)
    {
      observe_structs (self, scope, field->type, base, count,
                       output ? OWNER_OUTPUT : OWNER_INPUT, false);
      return;
    }
  if (self->phase == VTR_PHASE_BEFORE ? (field->flags & VTR_FIELD_IN) != 0 : output)
    observe_range (self, base, count,
                   vtr_field_element_size (field, field->pointers, VTR_ABI_NATIVE));
}

static void
observe_pointer (Observer          *self,
                 const VtrScope    *scope,
                 const VtrApiField *field)
{
  const void *pointer = vtr_slot_pointer (vtr_scope_slot (scope, field));
  VtrTristate judgement;
  VtrScope doubtful;
  uint64_t count, inner;

  if (pointer == NULL)
    return;
  judgement = vtr_field_judge (field, scope, self->env);
  if (!vtr_field_elements (field, 0, scope, self->env, 0, pointer, judgement, &count))
    {
      if (judgement == VTR_UNKNOWN)
        self->flags |= VTR_OBSERVE_UNREADABLE;
      return;
    }
  if (count == 0)
    return;
  scope = vtr_scope_behind (scope, judgement, &doubtful);
  if (field->pointers == 1)
    {
      observe_elements (self, scope, field, pointer, count);
      return;
    }

  if (self->phase == VTR_PHASE_BEFORE)
    observe_range (self, pointer, count, sizeof (void *));
  for (uint64_t i = 0; i < count; i++)
    {
      const void *element = ((const void *const *)pointer)[i];

      if (element != NULL &&
          vtr_field_elements (field, 1, scope, self->env, i, element, judgement, &inner) &&
          inner > 0)
        observe_elements (self, scope, field, element, inner);
    }
}

/* Whether something may be written below a pointer through which the driver only reads. */
static bool
leads_to_output (const VtrApiField *field)
{
  return (field->kind == VTR_KIND_STRUCT || field->kind == VTR_KIND_UNION) &&
         (vtr_struct_get (field->type)->flags & (VTR_STRUCT_HAS_OUT | VTR_STRUCT_NEXT_OUT)) != 0;
}

/* Whether a pointer held by a struct of @owner means anything in this phase. */
static bool
is_meaningful (const Observer    *self,
               const VtrScope    *scope,
               const VtrApiField *field,
               Owner              owner)
{
  bool returned = owner == OWNER_OUTPUT && scope->struct_id != VTR_STRUCT_NONE &&
                  (vtr_struct_get (scope->struct_id)->flags & VTR_STRUCT_RETURNED_ONLY) != 0;

  if ((field->flags & VTR_FIELD_OUT) != 0)
    return true;
  if (self->phase == VTR_PHASE_AFTER && owner == OWNER_INPUT)
    return leads_to_output (field);
  /* Constant pointers in a struct that only the driver fills are results. */
  return self->phase == VTR_PHASE_BEFORE ? !returned : true;
}

static void
observe_embedded (Observer          *self,
                  const VtrScope    *scope,
                  const VtrApiField *field,
                  Owner              owner)
{
  uint64_t count = field->array;

  if (!vtr_field_is_followed (field, scope, self->env))
    return;
  if (field->length[0] != 0 &&
      (!vtr_field_length (field, 0, scope, self->env, 0, NULL, &count) || count > field->array))
    return;
  observe_contents (self, scope, field->type, vtr_scope_slot (scope, field), count, owner, false);
}

static void
observe_fields (Observer       *self,
                const VtrScope *scope,
                unsigned        first,
                unsigned        n_fields,
                Owner           owner)
{
  for (unsigned i = 0; i < n_fields; i++)
    {
      const VtrApiField *field = &vtr_api_fields[vtr_api_walk[first + i]];

      if (field->kind == VTR_KIND_NEXT)
        {
          if (!scope->in_chain)
            observe_chain (self, scope, vtr_slot_pointer (vtr_scope_slot (scope, field)), owner);
        }
      else if (field->pointers == 0)
        observe_embedded (self, scope, field, owner);
      else if (is_meaningful (self, scope, field, owner))
        {
          if (owner == OWNER_OUTPUT && (field->flags & VTR_FIELD_OUT) == 0 &&
              self->phase == VTR_PHASE_AFTER)
            {
              /* Memory to which the driver's result points counts as written. */
              Observer reader = *self;

              if ((vtr_struct_get (scope->struct_id)->flags & VTR_STRUCT_RETURNED_ONLY) == 0)
                continue;
              reader.phase = VTR_PHASE_BEFORE;
              observe_pointer (&reader, scope, field);
              self->flags |= reader.flags;
            }
          else
            observe_pointer (self, scope, field);
        }
    }
}

/* After an error only handles that were created anyway count. */
static void
observe_handles (Observer       *self,
                 const VtrScope *scope,
                 VtrCmdId        cmd)
{
  const VtrApiCommand *command = vtr_cmd_get (cmd);
  const VtrApiField *field;
  const uint8_t *pointer;
  uint64_t count;
  uint32_t size;

  if ((command->classes & VTR_CLASS_CREATE) == 0)
    return;
  field = vtr_cmd_param (cmd, command->create.param);
  pointer = vtr_slot_pointer (vtr_scope_slot (scope, field));
  size = vtr_field_element_size (field, 1, VTR_ABI_NATIVE);
  if (pointer == NULL || !vtr_field_length (field, 0, scope, self->env, 0, pointer, &count))
    return;
  for (uint64_t i = 0; i < count; i++)
    if (vtr_slot_load (pointer + i * size, size) != 0)
      {
        observe_range (self, pointer, count, size);
        return;
      }
}

unsigned
vtr_api_observe (VtrCmdId         cmd,
                 const void      *args,
                 VtrPhase         phase,
                 int64_t          result,
                 const VtrApiEnv *env,
                 VtrObserveSink   sink,
                 void            *data)
{
  const VtrApiCommand *command = vtr_cmd_get (cmd);
  Observer self = { sink, data, env, phase, 0, 0 };
  VtrScope scope;

  if (command->n_pointers == 0)
    return 0;
  vtr_scope_init_args (&scope, cmd, args);
  /* A failed present still says what became of each swapchain. */
  if (phase == VTR_PHASE_AFTER && command->result == VTR_RESULT_STATUS && (int32_t)result < 0 &&
      (command->classes & VTR_CLASS_FRAME_END) == 0)
    observe_handles (&self, &scope, cmd);
  else
    observe_fields (&self, &scope, command->first_pointer, command->n_pointers, OWNER_INPUT);
  return self.flags;
}
