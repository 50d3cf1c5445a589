/* Copies a whole argument tree into one blob, for replay and for deep copies. */
#include "api/vtr-api-places-private.h"

typedef struct
{
  VtrFlat *out;
  const VtrApiEnv *env;
  bool verbatim; /* a copy: keep outputs, addresses and unknown structs */
  unsigned depth;
  VtrStatus status;
} Flattener;

static void flatten_struct (Flattener      *self,
                            const VtrScope *parent,
                            VtrStructId     id,
                            const uint8_t  *from,
                            uint32_t        at,
                            bool            out,
                            bool            in_chain);

static uint8_t *
blob_at (Flattener *self,
         uint32_t   at)
{
  return self->out->blob.data + at;
}

static void
fail (Flattener *self,
      VtrStatus  status)
{
  if (self->status == VTR_OK)
    self->status = status;
}

/* Reserves zeroed bytes, aligned to 8. Returns: their offset, or 0 (where the arguments are) on
 * failure. */
static uint32_t
reserve (Flattener *self,
         uint64_t   count,
         uint64_t   size)
{
  VtrBuffer *blob = &self->out->blob;
  uint64_t bytes;
  size_t start = (blob->size + 7) & ~(size_t)7;
  uint8_t *tail;

  if (self->status != VTR_OK)
    return 0;
  if (__builtin_mul_overflow (count, size, &bytes) || bytes > UINT32_MAX - 16 ||
      start > UINT32_MAX - 16 - bytes)
    {
      fail (self, VTR_UNSUPPORTED);
      return 0;
    }
  tail = vtr_buffer_extend (blob, start + bytes - blob->size);
  if (tail == NULL)
    {
      fail (self, VTR_NO_MEMORY);
      return 0;
    }
  memset (tail, 0, start + bytes - (size_t)(tail - blob->data));
  return (uint32_t)start;
}

static void
add_pointer (Flattener *self,
             uint32_t   at,
             uint32_t   to)
{
  VtrFlatPointer entry = { at, to };
  uintptr_t value = to;

  memcpy (blob_at (self, at), &value, sizeof value);
  vtr_buffer_append (&self->out->pointers, &entry, sizeof entry);
  self->out->n_pointers++;
}

static void
clear_pointer (Flattener *self,
               uint32_t   at)
{
  memset (blob_at (self, at), 0, sizeof (void *));
}

static void
add_output (Flattener *self,
            uint32_t   at,
            uint64_t   size)
{
  VtrFlatRange entry = { at, (uint32_t)size };

  vtr_buffer_append (&self->out->outputs, &entry, sizeof entry);
  self->out->n_outputs++;
}

static void
put_handle (Flattener   *self,
            VtrHandleId  type,
            uint32_t     at,
            uint32_t     size,
            uint64_t     value,
            bool         out)
{
  VtrFlatHandle entry = { at, type, (uint8_t)size, out, value };

  if (!self->verbatim && out)
    memset (blob_at (self, at), 0, size);
  if (!out && vtr_handle_is_null (type, value))
    return;
  vtr_buffer_append (&self->out->handles, &entry, sizeof entry);
  self->out->n_handles++;
}

static void
flatten_handle (Flattener         *self,
                const VtrScope    *scope,
                const VtrApiField *field,
                const uint8_t     *from,
                uint32_t           at,
                bool               out)
{
  uint32_t size = vtr_field_element_size (field, field->pointers, VTR_ABI_NATIVE);
  VtrHandleId type = field->type;

  if ((field->flags & VTR_FIELD_OBJECT) != 0)
    type = vtr_field_object_type (field, scope);
  if (!vtr_handle_is_known (type))
    return;
  if (vtr_field_is_live (field, scope, self->env) == VTR_NO)
    {
      memset (blob_at (self, at), 0, size);
      return;
    }
  put_handle (self, type, at, size, vtr_slot_load (from, size), out);
}

/* Elements whose bytes are in the blob already. */
static void
settle_elements (Flattener         *self,
                 const VtrScope    *scope,
                 const VtrApiField *field,
                 const uint8_t     *from,
                 uint32_t           at,
                 uint64_t           count,
                 bool               out)
{
  uint32_t size;

  if (vtr_field_is_plain (field))
    {
      if (self->out->wants_places && !out)
        vtr_flat_find_places_in_elements (self->out, self->env, scope, field, from, at, count);
      return;
    }
  size = vtr_field_element_size (field, field->pointers, VTR_ABI_NATIVE);
  for (uint64_t i = 0; i < count && self->status == VTR_OK; i++)
    {
      const uint8_t *element = from + i * size;
      uint32_t place = at + (uint32_t)(i * size);

      if (vtr_field_is_struct (field))
        flatten_struct (self, scope, field->type, element, place, out, false);
      else if (field->kind == VTR_KIND_ADDRESS || field->kind == VTR_KIND_FUNCTION)
        {
          if (!self->verbatim && !vtr_field_is_offset (field, scope, self->env))
            clear_pointer (self, place);
        }
      else
        flatten_handle (self, scope, field, element, place, out);
    }
}

/* Values that the driver must find in memory that it fills. */
static void
copy_output (Flattener         *self,
             const VtrApiField *field,
             const uint8_t     *from,
             uint32_t           at,
             uint64_t           count,
             uint32_t           size)
{
  const VtrApiStruct *type;

  if (self->verbatim || (field->flags & VTR_FIELD_IN) != 0)
    {
      memcpy (blob_at (self, at), from, (size_t)count * size);
      return;
    }
  if (!vtr_field_is_struct (field))
    return;
  type = vtr_struct_get (field->type);
  if (type->stype == VTR_STYPE_NONE)
    return;
  if (type->n_pointers > 1)
    memcpy (blob_at (self, at), from, (size_t)count * size);
  else
    for (uint64_t i = 0; i < count; i++)
      memcpy (blob_at (self, at + (uint32_t)(i * size)), from + i * size, sizeof (VtrChainHeader));
}

/* Data whose shape another object says. */
typedef struct
{
  Flattener *self;
  const VtrScope *scope;
  const uint8_t *from;
  uint32_t at;
} ShapedData;

static void
shaped_handle (void                 *data,
               const VtrVisitHandle *handle)
{
  ShapedData *info = data;
  uint32_t at = info->at + (uint32_t)((const uint8_t *)handle->slot - info->from);

  if (handle->ignored)
    memset (blob_at (info->self, at), 0, handle->size);
  else
    put_handle (info->self, handle->type, at, handle->size, vtr_visit_handle_get (handle), false);
}

static void
shaped_bytes (void     *data,
              void     *bytes,
              uint64_t  size)
{
  ShapedData *info = data;
  uint32_t at = info->at + (uint32_t)((const uint8_t *)bytes - info->from);

  vtr_flat_add_place (info->self->out, info->scope, at, size, false);
}

/* Data with a shape that other objects say. */
static uint32_t
flatten_data (Flattener      *self,
              const VtrScope *scope,
              const uint8_t  *from,
              uint64_t        size)
{
  uint32_t prefix = reserve (self, size + VTR_SIZED_PREFIX, 1);
  uint32_t at = prefix + VTR_SIZED_PREFIX;
  ShapedData info = { self, scope, from, at };
  const VtrApiWalk walk = { .scope = scope, .env = self->env };
  const VtrApiVisitor visitor = { .data = &info,
                                  .handle = shaped_handle,
                                  .opaque = self->out->wants_places ? shaped_bytes : NULL };

  if (prefix == 0)
    return 0;
  vtr_sized_place (blob_at (self, prefix), size);
  memcpy (blob_at (self, at), from, (size_t)size);
  vtr_scope_api (scope)->visit_data (&walk, (uint8_t *)from, size, &visitor);
  return at;
}

/* Reserves elements behind their number. Returns: the place of the elements, 0 on failure. */
static uint32_t
reserve_sized (Flattener *self,
               uint64_t   count,
               uint32_t   size)
{
  uint64_t bytes;
  uint32_t prefix;

  if (__builtin_mul_overflow (count, size, &bytes) ||
      __builtin_add_overflow (bytes, (uint64_t)VTR_SIZED_PREFIX, &bytes))
    bytes = UINT64_MAX;
  prefix = reserve (self, bytes, 1);
  if (prefix == 0)
    return 0;
  vtr_sized_place (blob_at (self, prefix), count);
  return prefix + VTR_SIZED_PREFIX;
}

/* Returns: where the elements went, 0 on failure. */
static uint32_t
flatten_elements (Flattener         *self,
                  const VtrScope    *scope,
                  const VtrApiField *field,
                  const uint8_t     *from,
                  uint64_t           count)
{
  uint32_t size = vtr_field_element_size (field, field->pointers, VTR_ABI_NATIVE);
  bool out = (field->flags & VTR_FIELD_OUT) != 0;
  uint32_t at;

  if (vtr_field_has_data (field, scope))
    return flatten_data (self, scope, from, count);
  at = (field->flags & VTR_FIELD_SIZED) != 0 ? reserve_sized (self, count, size)
                                             : reserve (self, count, size);
  if (at == 0)
    return 0;
  if (out)
    {
      copy_output (self, field, from, at, count, size);
      add_output (self, at, count * size);
    }
  else
    memcpy (blob_at (self, at), from, (size_t)count * size);
  settle_elements (self, scope, field, from, at, count, out);
  return at;
}

/* Data that a driver ignores is left out. (A decoded tree has no such pointers, but a transform may
 * have added some.) */
static bool
is_wanted (const Flattener   *self,
           const VtrScope    *scope,
           const VtrApiField *field)
{
  return vtr_field_is_followed (field, scope, self->env) ||
         (self->env != NULL && self->env->decoded && (field->flags & VTR_FIELD_SELECTED) == 0);
}

/* An offset is in the blob already. The rules may know better of one that was decoded: nothing was
 * observed behind the pointer that it is. */
static void
settle_offset (Flattener         *self,
               const VtrScope    *scope,
               const VtrApiField *field,
               uint32_t           slot)
{
  uint8_t *offsets = vtr_args_offsets (scope->cmd, self->out->blob.data);
  VtrProgramResult is_pointer;

  if (self->verbatim)
    {
      vtr_slot_store (offsets, vtr_slot_load (offsets, 8) | vtr_args_offset_bit (field, scope), 8);
      return;
    }
  is_pointer = vtr_program_run (field->live, scope, self->env, 0);
  if (is_pointer.known && is_pointer.value != 0)
    clear_pointer (self, slot);
}

static void
flatten_pointer (Flattener         *self,
                 const VtrScope    *scope,
                 const VtrApiField *field,
                 uint32_t           slot)
{
  const uint8_t *pointer = vtr_slot_pointer (vtr_scope_slot (scope, field));
  uint64_t count, inner;
  uint32_t to;

  if (vtr_field_is_offset (field, scope, self->env))
    {
      settle_offset (self, scope, field, slot);
      return;
    }
  clear_pointer (self, slot);
  if (pointer == NULL || !is_wanted (self, scope, field) ||
      !vtr_field_length (field, 0, scope, self->env, 0, pointer, &count) || count == 0)
    return;
  if (field->pointers == 1)
    {
      to = flatten_elements (self, scope, field, pointer, count);
      if (to != 0)
        add_pointer (self, slot, to);
      return;
    }
  to = reserve (self, count, sizeof (void *));
  if (to == 0)
    return;
  add_pointer (self, slot, to);
  for (uint64_t i = 0; i < count && self->status == VTR_OK; i++)
    {
      const uint8_t *element = vtr_slot_pointer (pointer + i * sizeof (void *));
      uint32_t place;

      if (element == NULL ||
          !vtr_field_length (field, 1, scope, self->env, i, element, &inner) || inner == 0)
        continue;
      place = flatten_elements (self, scope, field, element, inner);
      if (place != 0)
        add_pointer (self, to + (uint32_t)(i * sizeof (void *)), place);
    }
}

static uint32_t
flatten_node (Flattener      *self,
              const VtrScope *head,
              VtrStructId     id,
              const uint8_t  *from,
              bool            out)
{
  const VtrApiStruct *type;
  uint32_t size = sizeof (VtrChainHeader), at;

  if (id == VTR_STRUCT_NONE)
    {
      at = reserve (self, 1, size);
      if (at != 0)
        memcpy (blob_at (self, at), from, size);
      return at;
    }
  type = vtr_struct_get (id);
  size = type->size[VTR_ABI_NATIVE];
  at = reserve (self, 1, size);
  if (at == 0)
    return 0;
  if (!out || self->verbatim || type->n_pointers > 1 ||
      (type->flags & VTR_STRUCT_RETURNED_ONLY) == 0)
    memcpy (blob_at (self, at), from, size);
  else
    memcpy (blob_at (self, at), from, sizeof (VtrChainHeader));
  if (out)
    add_output (self, at, size);
  flatten_struct (self, head, id, from, at, out, true);
  return at;
}

static void
flatten_chain (Flattener      *self,
               const VtrScope *head,
               const uint8_t  *next,
               uint32_t        slot,
               bool            out)
{
  clear_pointer (self, slot);
  for (unsigned n = 0; next != NULL && n < VTR_WALK_MAX_CHAIN && self->status == VTR_OK; n++)
    {
      VtrChainHeader header;
      VtrStructId id;

      memcpy (&header, next, sizeof header);
      id = vtr_struct_from_stype (header.stype);
      if (id != VTR_STRUCT_NONE || self->verbatim)
        {
          uint32_t at = flatten_node (self, head, id, next, out);

          if (at == 0)
            return;
          add_pointer (self, slot, at);
          slot = at + offsetof (VtrChainHeader, next);
          clear_pointer (self, slot);
        }
      next = header.next;
    }
}

static void
flatten_fields (Flattener      *self,
                const VtrScope *scope,
                uint32_t        at,
                bool            out)
{
  bool returned = out && scope->struct_id != VTR_STRUCT_NONE &&
                  (vtr_struct_get (scope->struct_id)->flags & VTR_STRUCT_RETURNED_ONLY) != 0;

  if (self->out->wants_places && !out)
    vtr_flat_find_places (self->out, self->env, scope, at, false);
  for (unsigned i = 0; i < scope->n_fields && self->status == VTR_OK; i++)
    {
      const VtrApiField *field = &vtr_api_fields[scope->first_field + i];
      const uint8_t *from = vtr_scope_slot (scope, field);
      uint32_t slot = at + field->offset[VTR_ABI_NATIVE];

      if (vtr_field_is_number (field))
        continue; /* copied already, and a rule changes nothing */
      if (field->kind == VTR_KIND_NEXT)
        {
          if (!scope->in_chain)
            flatten_chain (self, scope, vtr_slot_pointer (from), slot, out);
        }
      else if (vtr_field_is_dead (field, scope, self->env))
        continue;
      else if (field->pointers > 0)
        {
          if (returned && !self->verbatim && (field->flags & VTR_FIELD_OUT) == 0)
            clear_pointer (self, slot);
          else
            flatten_pointer (self, scope, field, slot);
        }
      else if (!vtr_field_is_struct (field) || vtr_field_is_followed (field, scope, self->env))
        settle_elements (self, scope, field, from, slot, vtr_field_array_count (field, scope), out);
      else
        memset (blob_at (self, slot), 0, field->size[VTR_ABI_NATIVE]);
    }
}

static void
flatten_struct (Flattener      *self,
                const VtrScope *parent,
                VtrStructId     id,
                const uint8_t  *from,
                uint32_t        at,
                bool            out,
                bool            in_chain)
{
  VtrScope scope;

  if (vtr_struct_is_raw (vtr_struct_get (id)))
    {
      if (self->out->wants_places && !out)
        vtr_flat_find_places_in_struct (self->out, self->env, parent, id, from, at);
      return;
    }
  if (self->depth >= VTR_WALK_MAX_DEPTH)
    {
      fail (self, VTR_UNSUPPORTED);
      return;
    }
  self->depth++;
  vtr_scope_init_struct (&scope, parent, id, from);
  scope.in_chain = in_chain;
  flatten_fields (self, &scope, at, out);
  self->depth--;
}

/* --- Public ---------------------------------------------------------------------------------- */

void
vtr_flat_clear (VtrFlat *self)
{
  vtr_buffer_clear (&self->blob);
  vtr_buffer_clear (&self->pointers);
  vtr_buffer_clear (&self->handles);
  vtr_buffer_clear (&self->outputs);
  vtr_buffer_clear (&self->places);
  self->n_pointers = 0;
  self->n_handles = 0;
  self->n_outputs = 0;
  self->n_places = 0;
}

void
vtr_flat_finish (VtrFlat *self)
{
  vtr_buffer_finish (&self->blob);
  vtr_buffer_finish (&self->pointers);
  vtr_buffer_finish (&self->handles);
  vtr_buffer_finish (&self->outputs);
  vtr_buffer_finish (&self->places);
  memset (self, 0, sizeof *self);
}

static VtrStatus
finish (Flattener *self)
{
  const VtrFlat *out = self->out;

  if (self->status == VTR_OK &&
      (out->pointers.failed || out->handles.failed || out->outputs.failed || out->places.failed))
    return VTR_NO_MEMORY;
  return self->status;
}

static VtrStatus
flatten_call (Flattener  *self,
              VtrCmdId    cmd,
              const void *args)
{
  const VtrApiCommand *command = vtr_cmd_get (cmd);
  VtrScope scope;

  vtr_flat_clear (self->out);
  if (command->args_size == 0)
    return VTR_OK;
  reserve (self, 1, command->args_size);
  if (self->status != VTR_OK)
    return self->status;
  memcpy (self->out->blob.data, args,
          command->args_size - (command->has_offsets ? sizeof (uint64_t) : 0));
  vtr_scope_init_args (&scope, cmd, args);
  flatten_fields (self, &scope, 0, false);
  return finish (self);
}

VtrStatus
vtr_api_flatten (VtrCmdId         cmd,
                 const void      *args,
                 const VtrApiEnv *env,
                 VtrFlat         *out)
{
  Flattener self = { .out = out, .env = env == NULL ? &vtr_env_of_decoded : env };

  return flatten_call (&self, cmd, args);
}

/* The blob in the arena, its offsets made pointers. */
static VtrStatus
relocate (const VtrFlat  *flat,
          VtrArena       *arena,
          void          **out)
{
  const VtrFlatPointer *pointers = (const VtrFlatPointer *)(const void *)flat->pointers.data;
  uint8_t *base = vtr_arena_memdup (arena, flat->blob.data, flat->blob.size);

  if (base == NULL)
    return VTR_NO_MEMORY;
  for (size_t i = 0; i < flat->n_pointers; i++)
    vtr_slot_set_pointer (base + pointers[i].at, base + pointers[i].to);
  *out = base;
  return VTR_OK;
}

VtrStatus
vtr_api_copy (VtrCmdId          cmd,
              const void       *args,
              const VtrApiEnv  *env,
              VtrArena         *arena,
              void            **out_args)
{
  VtrFlat flat = { 0 };
  Flattener self = { &flat, env == NULL ? &vtr_env_of_decoded : env, true, 0, VTR_OK };
  VtrStatus status = flatten_call (&self, cmd, args);

  if (status == VTR_OK)
    status = relocate (&flat, arena, out_args);
  vtr_flat_finish (&flat);
  return status;
}
