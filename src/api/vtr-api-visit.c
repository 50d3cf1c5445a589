/* Visits every slot of an argument tree once. */
#include "api/vtr-api-slot-private.h"

typedef struct
{
  const VtrApiVisitor *visitor;
  const VtrApiEnv *env;
  unsigned flags;
  unsigned depth;
} Visit;

static void visit_struct (Visit          *self,
                          const VtrScope *parent,
                          VtrStructId     id,
                          uint8_t        *base,
                          bool            out,
                          bool            in_chain);

const void *
vtr_api_find_next (const void *next,
                   uint32_t    stype)
{
  for (unsigned n = 0; next != NULL && n < VTR_WALK_MAX_CHAIN; n++)
    {
      VtrChainHeader header;

      memcpy (&header, next, sizeof header);
      if (header.stype == stype)
        return next;
      next = header.next;
    }
  return NULL;
}

static void
visit_handle (Visit             *self,
              const VtrScope    *scope,
              const VtrApiField *field,
              uint8_t           *slot,
              bool               out)
{
  bool object = (field->flags & VTR_FIELD_OBJECT) != 0;
  VtrVisitHandle visit = { field, slot, field->type, 0, 0, out, false };

  if (self->visitor->handle == NULL)
    return;
  if (object)
    visit.type = vtr_field_object_type (field, scope);
  if (!vtr_handle_is_known (visit.type))
    return;
  visit.dispatchable = vtr_handle_get (visit.type)->dispatchable;
  visit.size = (uint8_t)vtr_field_element_size (field, field->pointers, VTR_ABI_NATIVE);
  visit.ignored = vtr_field_is_live (field, scope, self->env) == VTR_NO;
  self->visitor->handle (self->visitor->data, &visit);
}

static void
report_pointer (Visit             *self,
                const VtrApiField *field,
                void              *slot,
                unsigned           level,
                uint64_t           count,
                bool               ignored,
                bool               out)
{
  bool leaf = field->kind == VTR_KIND_FUNCTION ||
              (field->kind == VTR_KIND_ADDRESS && level == field->pointers);
  bool has_type = field->kind == VTR_KIND_STRUCT || field->kind == VTR_KIND_UNION;
  VtrVisitPointer visit = {
    .field = field,
    .slot = slot,
    .struct_id = has_type ? field->type : VTR_STRUCT_NONE,
    .kind = field->kind,
    .levels = (uint8_t)(field->pointers - level),
    .out = leaf ? out : (field->flags & VTR_FIELD_OUT) != 0,
    .in = (field->flags & VTR_FIELD_IN) != 0,
    .ignored = ignored,
    .element_size = leaf ? 0 : vtr_field_element_size (field, level + 1, VTR_ABI_NATIVE),
    .count = leaf ? 0 : count,
  };

  if (self->visitor->pointer != NULL)
    self->visitor->pointer (self->visitor->data, &visit);
}

/* One element that holds no pointer to follow. */
static void
visit_leaf (Visit             *self,
            const VtrScope    *scope,
            const VtrApiField *field,
            uint8_t           *slot,
            bool               out)
{
  VtrVisitEnum visit = { field, slot, field->type, field->kind, out };

  switch ((VtrApiKind)field->kind)
    {
    case VTR_KIND_HANDLE:
      visit_handle (self, scope, field, slot, out);
      break;
    case VTR_KIND_ENUM:
    case VTR_KIND_FLAGS32:
    case VTR_KIND_FLAGS64:
      if (self->visitor->enumerant != NULL && field->bit_width == 0)
        self->visitor->enumerant (self->visitor->data, &visit);
      break;
    case VTR_KIND_ADDRESS:
    case VTR_KIND_FUNCTION:
      report_pointer (self, field, slot, field->pointers, 0,
                      vtr_field_is_offset (field, scope, self->env), out);
      break;
    case VTR_KIND_STRUCT:
    case VTR_KIND_UNION:
      visit_struct (self, scope, field->type, slot, out, false);
      break;
    default:
      if ((field->flags & VTR_FIELD_OBJECT) != 0)
        visit_handle (self, scope, field, slot, out);
      break;
    }
}

/* Whether anything in elements of this field is worth a look. */
static bool
is_interesting (const Visit       *self,
                const VtrApiField *field)
{
  switch ((VtrApiKind)field->kind)
    {
    case VTR_KIND_STRUCT:
    case VTR_KIND_UNION:
      return self->visitor->enumerant != NULL || self->visitor->structure != NULL ||
             (vtr_struct_get (field->type)->flags & VTR_STRUCT_PLAIN) == 0;
    case VTR_KIND_HANDLE:
    case VTR_KIND_ADDRESS:
    case VTR_KIND_FUNCTION:
      return true;
    case VTR_KIND_ENUM:
    case VTR_KIND_FLAGS32:
    case VTR_KIND_FLAGS64:
      return self->visitor->enumerant != NULL;
    default:
      return (field->flags & VTR_FIELD_OBJECT) != 0;
    }
}

static void
visit_elements (Visit             *self,
                const VtrScope    *scope,
                const VtrApiField *field,
                uint8_t           *base,
                uint64_t           count,
                bool               out)
{
  uint32_t size = vtr_field_element_size (field, field->pointers, VTR_ABI_NATIVE);

  if (!is_interesting (self, field))
    return;
  for (uint64_t i = 0; i < count; i++)
    visit_leaf (self, scope, field, base + i * size, out);
}

static void
visit_pointer (Visit             *self,
               const VtrScope    *scope,
               const VtrApiField *field,
               uint8_t           *slot)
{
  bool out = (field->flags & VTR_FIELD_OUT) != 0;
  VtrTristate judgement = vtr_field_judge (field, scope, self->env);
  bool follow = judgement != VTR_NO;
  uint8_t *pointer = (uint8_t *)vtr_slot_pointer (slot);
  uint64_t count = 0, inner;
  VtrScope doubtful;

  if (pointer != NULL &&
      !vtr_field_elements (field, 0, scope, self->env, 0, pointer, judgement, &count))
    follow = false;
  if (pointer == NULL)
    count = 0;
  report_pointer (self, field, slot, 0, follow ? count : 0, !follow, out);
  if (pointer == NULL || !follow)
    return;
  scope = vtr_scope_behind (scope, judgement, &doubtful);
  if (vtr_field_has_data (field, scope))
    {
      const VtrApiWalk walk = { .scope = scope, .env = self->env };

      vtr_scope_api (scope)->visit_data (&walk, pointer, count, self->visitor);
      return;
    }
  if (field->pointers == 1)
    {
      visit_elements (self, scope, field, pointer, count, out);
      return;
    }
  for (uint64_t i = 0; i < count; i++)
    {
      uint8_t *element_slot = pointer + i * sizeof (void *);
      uint8_t *element = (uint8_t *)vtr_slot_pointer (element_slot);

      inner = 0;
      if (element != NULL &&
          !vtr_field_elements (field, 1, scope, self->env, i, element, judgement, &inner))
        {
          inner = 0;
          if (judgement == VTR_UNKNOWN)
            element = NULL;
        }
      report_pointer (self, field, element_slot, 1, inner, false, out);
      if (element != NULL)
        visit_elements (self, scope, field, element, inner, out);
    }
}

static void
visit_chain (Visit             *self,
             const VtrScope    *head,
             const VtrApiField *field,
             uint8_t           *slot,
             bool               out)
{
  for (unsigned n = 0; slot != NULL; n++)
    {
      uint8_t *node = (uint8_t *)vtr_slot_pointer (slot);
      VtrVisitPointer pointer = {
        .field = field, .slot = slot, .kind = VTR_KIND_NEXT, .levels = 1, .out = out, .in = true
      };
      VtrChainHeader header = { 0 };
      VtrStructId id = VTR_STRUCT_NONE;

      if (node != NULL && !vtr_chain_goes_on (head, self->env, node))
        return;
      if (node != NULL)
        {
          memcpy (&header, node, sizeof header);
          id = vtr_struct_from_stype (header.stype);
          pointer.count = 1;
          if (id != VTR_STRUCT_NONE)
            pointer.element_size = vtr_struct_get (id)->size[VTR_ABI_NATIVE];
        }
      pointer.struct_id = id;
      if (self->visitor->pointer != NULL)
        self->visitor->pointer (self->visitor->data, &pointer);
      if (node == NULL)
        return;
      if (n >= VTR_WALK_MAX_CHAIN)
        {
          self->flags |= VTR_OBSERVE_TOO_DEEP;
          return;
        }
      if (id != VTR_STRUCT_NONE)
        visit_struct (self, head, id, node, out, true);
      else
        {
          VtrVisitStruct unknown = { VTR_STRUCT_NONE, node, out, true };

          self->flags |= VTR_OBSERVE_OPAQUE_NEXT;
          if (self->visitor->structure != NULL)
            self->visitor->structure (self->visitor->data, &unknown);
        }
      slot = node + offsetof (VtrChainHeader, next);
    }
}

static void
visit_fields (Visit          *self,
              const VtrScope *scope,
              bool            out)
{
  for (unsigned i = 0; i < scope->n_fields; i++)
    {
      const VtrApiField *field = &vtr_api_fields[scope->first_field + i];
      uint8_t *slot = (uint8_t *)vtr_scope_slot (scope, field);

      if (field->kind == VTR_KIND_NEXT)
        {
          if (!scope->in_chain)
            visit_chain (self, scope, field, slot, out);
        }
      else if (vtr_field_is_dead (field, scope, self->env))
        continue;
      else if (field->pointers > 0)
        visit_pointer (self, scope, field, slot);
      else if ((field->kind != VTR_KIND_STRUCT && field->kind != VTR_KIND_UNION) ||
               vtr_field_is_followed (field, scope, self->env))
        visit_elements (self, scope, field, slot, vtr_field_array_count (field, scope), out);
    }
}

static void
visit_struct (Visit          *self,
              const VtrScope *parent,
              VtrStructId     id,
              uint8_t        *base,
              bool            out,
              bool            in_chain)
{
  const VtrApiStruct *type = vtr_struct_get (id);
  VtrVisitStruct visit = { id, base, out, in_chain };
  VtrScope scope;

  if (self->visitor->structure != NULL)
    self->visitor->structure (self->visitor->data, &visit);
  if (vtr_struct_is_raw (type))
    return;
  if (self->depth >= VTR_WALK_MAX_DEPTH)
    {
      self->flags |= VTR_OBSERVE_TOO_DEEP;
      return;
    }
  self->depth++;
  vtr_scope_init_struct (&scope, parent, id, base);
  scope.in_chain = in_chain;
  visit_fields (self, &scope, out);
  self->depth--;
}

unsigned
vtr_api_visit (VtrCmdId             cmd,
               void                *args,
               const VtrApiEnv     *env,
               const VtrApiVisitor *visitor)
{
  Visit self = { .visitor = visitor, .env = env == NULL ? &vtr_env_of_decoded : env };
  VtrScope scope;

  vtr_scope_init_args (&scope, cmd, args);
  visit_fields (&self, &scope, false);
  return self.flags;
}

unsigned
vtr_visit_struct (const VtrScope      *parent,
                  VtrStructId          id,
                  void                *base,
                  const VtrApiEnv     *env,
                  const VtrApiVisitor *visitor)
{
  Visit self = { .visitor = visitor, .env = env };

  visit_struct (&self, parent, id, base, false, false);
  return self.flags;
}

/* --- Remap ----------------------------------------------------------------------------------- */

typedef struct
{
  VtrHandleMap map;
  void *data;
  bool outputs;
} Remap;

static void
remap_handle (void                 *data,
              const VtrVisitHandle *handle)
{
  const Remap *remap = data;
  uint64_t value = vtr_visit_handle_get (handle);

  if (handle->out && !remap->outputs)
    return;
  if (handle->ignored)
    value = 0;
  else if (!vtr_handle_is_null (handle->type, value))
    value = remap->map (remap->data, handle->type, value);
  vtr_slot_store (handle->slot, value, handle->size);
}

unsigned
vtr_api_remap (VtrCmdId         cmd,
               void            *args,
               const VtrApiEnv *env,
               bool             outputs,
               VtrHandleMap     map,
               void            *data)
{
  Remap remap = { map, data, outputs };
  VtrApiVisitor visitor = { .data = &remap, .handle = remap_handle };

  return vtr_api_visit (cmd, args, env, &visitor);
}
