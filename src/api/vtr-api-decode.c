/* Makes native argument trees from captured values and observations. */
#include "api/vtr-api-convert-private.h"
#include "api/vtr-api-coverage-private.h"

#include <stdlib.h>
#include <string.h>

/* The most memory that a tree may take, beyond a multiple of the observed bytes: hostile messages
 * can point to one observation from many places. */
#define BUDGET_BASE (UINT64_C (1) << 20)
#define BUDGET_FACTOR 64

typedef struct
{
  VtrArena *arena;
  VtrCoverage coverage;
  VtrAbi abi;
  VtrBuffer slots; /* VtrPointerSlot */
  uint64_t budget;
  uint32_t flags; /* VtrDecodedFlags */
  unsigned depth;
  unsigned conditional; /* inside embedded structs that may be ignored */
  bool failed;          /* no memory */
} Decoder;

static const VtrApiEnv decoded_env = { .decoded = true };

static void decode_contents (Decoder        *self,
                             const VtrScope *parent,
                             VtrStructId     id,
                             const uint8_t  *from,
                             uint8_t        *to,
                             bool            in_chain);

/* Zeroed memory for a part of the tree, or NULL when there is none or the budget is spent. */
static void *
take (Decoder  *self,
      uint64_t  count,
      uint32_t  size)
{
  uint64_t bytes;
  void *memory;

  if (__builtin_mul_overflow (count, size, &bytes) || bytes > self->budget)
    {
      self->flags |= VTR_DECODED_TOO_DEEP | VTR_DECODED_DAMAGED;
      return NULL;
    }
  self->budget -= bytes;
  memory = vtr_arena_alloc (self->arena, (size_t)bytes);
  if (memory == NULL)
    self->failed = true;
  return memory;
}

static void
add_slot (Decoder    *self,
          const void *slot,
          uint64_t    address)
{
  VtrPointerSlot entry = { slot, address };

  if (address != 0)
    vtr_buffer_append (&self->slots, &entry, sizeof entry);
}

/* The bytes of @count elements as the captured process had them, or NULL when not (all) known.
 * @partial: whether some will do (outputs of which only the header was read). */
static uint8_t *
fetch (Decoder  *self,
       uint64_t  address,
       uint64_t  count,
       uint32_t  size,
       bool      partial,
       bool      conditional)
{
  uint64_t bytes, covered;
  uint8_t *memory;

  if (__builtin_mul_overflow (count, size, &bytes) || bytes > self->coverage.total)
    bytes = 0;
  if (bytes == 0 || !vtr_coverage_knows (&self->coverage, address))
    {
      if (!partial && !conditional && self->conditional == 0)
        self->flags |= VTR_DECODED_DAMAGED;
      return NULL;
    }
  memory = take (self, count, size);
  if (memory == NULL)
    return NULL;
  covered = vtr_coverage_read (&self->coverage, address, bytes, memory);
  if (covered == bytes)
    return memory;
  if (partial)
    return memory;
  self->flags |= VTR_DECODED_DAMAGED;
  return NULL;
}

/* Elements behind their number, in native layout. */
static void *
decode_sized (Decoder           *self,
              const VtrScope    *scope,
              const VtrApiField *field,
              uint64_t           address,
              uint64_t           count)
{
  const uint32_t from_size = vtr_field_element_size (field, field->pointers, self->abi);
  const uint32_t to_size = vtr_field_element_size (field, field->pointers, VTR_ABI_NATIVE);
  uint8_t *memory = take (self, count * to_size + VTR_SIZED_PREFIX, 1), *from;

  if (memory == NULL)
    return NULL;
  memory = vtr_sized_place (memory, count);
  if (from_size == to_size)
    {
      vtr_coverage_read (&self->coverage, address, count * to_size, memory);
      return memory;
    }
  from = take (self, count, from_size);
  if (from == NULL)
    return NULL;
  vtr_coverage_read (&self->coverage, address, count * from_size, from);
  vtr_convert_elements (scope, field, self->abi, from, memory, count);
  return memory;
}

/* How many elements of a field with VTR_FIELD_SIZED there are: what the rules say, if the trace
 * alone tells them, or their contents, or as many as were observed. Returns: false when that
 * cannot be known. */
static bool
count_sized (Decoder           *self,
             const VtrScope    *scope,
             const VtrApiField *field,
             unsigned           level,
             uint64_t           index,
             uint64_t           address,
             uint64_t          *out)
{
  const uint32_t size = vtr_field_element_size (field, field->pointers, self->abi);
  const uint64_t extent = vtr_coverage_extent (&self->coverage, address, self->coverage.total);
  const uint64_t most = extent / size;
  VtrProgramResult length =
    vtr_program_run (field->length[level], scope, &decoded_env, index);

  *out = most;
  if (most == 0)
    return length.known && length.value == 0;
  if (!length.known && field->kind == VTR_KIND_CHAR)
    {
      const uint64_t text = vtr_coverage_string (&self->coverage, address);

      length = (VtrProgramResult){ (int64_t)text, text > 0 };
    }
  else if (!length.known && field->kind != VTR_KIND_VOID)
    {
      uint8_t *memory = decode_sized (self, scope, field, address, most);
      const VtrPointee pointee = {
        index, memory, most * vtr_field_element_size (field, field->pointers, VTR_ABI_NATIVE)
      };

      if (memory != NULL)
        length = vtr_program_measure (field->length[level], scope, &decoded_env, &pointee);
    }
  if (length.known && length.value >= 0 && (uint64_t)length.value < most)
    *out = (uint64_t)length.value;
  return true;
}

/* @count innermost elements at @address. Returns: their native copy, or NULL. */
static void *
decode_elements (Decoder           *self,
                 const VtrScope    *scope,
                 const VtrApiField *field,
                 uint64_t           address,
                 uint64_t           count)
{
  uint32_t from_size = vtr_field_element_size (field, field->pointers, self->abi);
  uint32_t to_size = vtr_field_element_size (field, field->pointers, VTR_ABI_NATIVE);
  bool partial = (field->flags & VTR_FIELD_OUT) != 0;
  uint8_t *from, *to;

  if ((field->flags & VTR_FIELD_SIZED) != 0)
    return decode_sized (self, scope, field, address, count);
  from = fetch (self, address, count, from_size, partial, field->live != 0);
  if (from == NULL)
    return NULL;
  /* The observation that ends the string may lie under another one, which does not. */
  if ((field->flags & VTR_FIELD_STRING) != 0 && from[count - 1] != 0)
    {
      self->flags |= VTR_DECODED_DAMAGED;
      from[count - 1] = 0;
    }
  to = from;
  if (self->abi != VTR_ABI_NATIVE)
    {
      to = take (self, count, to_size);
      if (to == NULL)
        return NULL;
      vtr_convert_elements (scope, field, self->abi, from, to, count);
    }
  if (vtr_field_is_struct (field) &&
      (vtr_struct_get (field->type)->flags & VTR_STRUCT_HAS_POINTERS) != 0)
    for (uint64_t i = 0; i < count; i++)
      decode_contents (self, scope, field->type, from + i * from_size, to + i * to_size, false);
  return to;
}

/* Elements behind a pointer. Returns: false when that cannot be known. */
static bool
count_elements (Decoder           *self,
                const VtrScope    *scope,
                const VtrApiField *field,
                unsigned           level,
                uint64_t           index,
                uint64_t           address,
                uint64_t          *out)
{
  if ((field->flags & VTR_FIELD_STRING) != 0 && level + 1 == field->pointers)
    {
      *out = vtr_coverage_string (&self->coverage, address);
      return *out > 0;
    }
  if ((field->flags & VTR_FIELD_SIZED) != 0 && level + 1 == field->pointers)
    return count_sized (self, scope, field, level, index, address, out);
  return vtr_field_length (field, level, scope, &decoded_env, index, NULL, out);
}

static void *
decode_pointers (Decoder           *self,
                 const VtrScope    *scope,
                 const VtrApiField *field,
                 uint64_t           address,
                 uint64_t           count)
{
  unsigned size = vtr_abi_pointer_size (self->abi);
  uint8_t *from = fetch (self, address, count, size, false, field->live != 0);
  const void **to;

  if (from == NULL)
    return NULL;
  to = take (self, count, sizeof *to);
  for (uint64_t i = 0; to != NULL && i < count; i++)
    {
      uint64_t element = vtr_slot_load (from + i * size, size);
      uint64_t inner;

      add_slot (self, &to[i], element);
      if (element == 0)
        continue;
      if (!count_elements (self, scope, field, 1, i, element, &inner))
        self->flags |= VTR_DECODED_DAMAGED;
      else if (inner > 0)
        to[i] = decode_elements (self, scope, field, element, inner);
    }
  return to;
}

static const void *
decode_pointer (Decoder           *self,
                const VtrScope    *scope,
                const VtrApiField *field,
                uint64_t           address)
{
  uint64_t count;

  if (address == 0)
    return NULL;
  if (!count_elements (self, scope, field, 0, 0, address, &count))
    {
      if ((field->flags & VTR_FIELD_CONST) != 0 && field->live == 0 && self->conditional == 0)
        self->flags |= VTR_DECODED_DAMAGED;
      return NULL;
    }
  if (count == 0)
    return NULL;
  return field->pointers == 1 ? decode_elements (self, scope, field, address, count)
                              : decode_pointers (self, scope, field, address, count);
}

/* One node of a chain. Returns: its native copy; *@next gets the captured address of the next. */
static void *
decode_node (Decoder        *self,
             const VtrScope *head,
             uint64_t        address,
             uint64_t       *next)
{
  unsigned pointer = vtr_abi_pointer_size (self->abi);
  uint8_t header[16] = { 0 };
  VtrStructId id;
  uint8_t *from, *to;

  if (vtr_coverage_read (&self->coverage, address, 2 * pointer, header) < 2 * pointer)
    return NULL;
  *next = vtr_slot_load (header + pointer, pointer);
  id = vtr_struct_from_stype ((uint32_t)vtr_slot_load (header, 4));
  if (id == VTR_STRUCT_NONE)
    {
      self->flags |= VTR_DECODED_UNKNOWN_NEXT;
      to = take (self, 1, sizeof (VtrChainHeader));
      if (to != NULL)
        memcpy (to, header, 4);
      return to;
    }
  from = fetch (self, address, 1, vtr_struct_get (id)->size[self->abi], true, true);
  if (from == NULL)
    return NULL;
  to = from;
  if (self->abi != VTR_ABI_NATIVE)
    {
      to = take (self, 1, vtr_struct_get (id)->size[VTR_ABI_NATIVE]);
      if (to == NULL)
        return NULL;
      vtr_convert_struct (head, id, self->abi, from, to);
    }
  decode_contents (self, head, id, from, to, true);
  return to;
}

static void
decode_chain (Decoder        *self,
              const VtrScope *head,
              uint8_t        *slot,
              uint64_t        address)
{
  for (unsigned n = 0;; n++)
    {
      uint64_t next = 0;
      uint8_t *node = NULL;

      add_slot (self, slot, address);
      vtr_slot_set_pointer (slot, NULL);
      if (address == 0)
        return;
      if (n >= VTR_WALK_MAX_CHAIN)
        {
          self->flags |= VTR_DECODED_TOO_DEEP;
          return;
        }
      node = decode_node (self, head, address, &next);
      if (node == NULL)
        return;
      vtr_slot_set_pointer (slot, node);
      slot = node + offsetof (VtrChainHeader, next);
      address = next;
    }
}

/* Whether an embedded struct is ignored may hang on pointers still to come; then its own pointers
 * were not observed, and that is no damage. */
static void
decode_embedded (Decoder           *self,
                 const VtrScope    *scope,
                 const VtrApiField *field,
                 const uint8_t     *from,
                 uint8_t           *to)
{
  uint32_t from_size = vtr_field_element_size (field, 0, self->abi);
  uint32_t to_size = vtr_field_element_size (field, 0, VTR_ABI_NATIVE);
  bool conditional = field->live != 0 && (field->flags & VTR_FIELD_SELECTED) == 0;

  self->conditional += conditional;
  for (uint32_t i = 0; i < field->array; i++)
    decode_contents (self, scope, field->type, from + i * from_size, to + i * to_size, false);
  self->conditional -= conditional;
}

static void
decode_field (Decoder           *self,
              const VtrScope    *scope,
              const VtrApiField *field,
              const uint8_t     *from,
              uint8_t           *to)
{
  from += field->offset[self->abi];
  to += field->offset[VTR_ABI_NATIVE];

  if (field->kind == VTR_KIND_NEXT)
    {
      if (!scope->in_chain)
        decode_chain (self, scope, to, vtr_slot_load (from, vtr_abi_pointer_size (self->abi)));
    }
  else if (field->pointers > 0)
    {
      uint64_t address = vtr_slot_load (from, vtr_abi_pointer_size (self->abi));

      add_slot (self, to, address);
      vtr_slot_set_pointer (to, decode_pointer (self, scope, field, address));
    }
  else if ((field->flags & VTR_FIELD_SELECTED) == 0 ||
           vtr_field_is_live (field, scope, &decoded_env) == VTR_YES)
    decode_embedded (self, scope, field, from, to);
}

/* The pointers of one struct: those first that lengths of others are read through. Until its turn
 * a pointer is NULL, so that nothing follows a captured address. */
static void
decode_pointer_fields (Decoder        *self,
                       const VtrScope *scope,
                       unsigned        first,
                       unsigned        n_fields,
                       const uint8_t  *from,
                       uint8_t        *to)
{
  for (unsigned pass = 0; pass < 2; pass++)
    for (unsigned i = 0; i < n_fields && !self->failed; i++)
      {
        const VtrApiField *field = &vtr_api_fields[vtr_api_walk[first + i]];
        bool early = (field->flags & VTR_FIELD_LEN_SOURCE) != 0 && field->pointers > 0;

        if (early == (pass == 0))
          decode_field (self, scope, field, from, to);
      }
}

static bool
union_member_is_dead (const VtrApiField *field,
                      const VtrScope    *scope)
{
  return (field->flags & VTR_FIELD_SELECTED) != 0 &&
         vtr_field_is_live (field, scope, &decoded_env) != VTR_YES;
}

/* Clears the pointers of a struct that is too deep to be followed, also in embedded structs, so
 * that no captured address stays where a native pointer is expected. */
static void
forget_pointers (VtrStructId  id,
                 uint8_t     *to,
                 bool         in_chain)
{
  const VtrApiStruct *type = vtr_struct_get (id);

  for (unsigned i = 0; i < type->n_pointers; i++)
    {
      const VtrApiField *field = &vtr_api_fields[vtr_api_walk[type->first_pointer + i]];
      uint8_t *slot = to + field->offset[VTR_ABI_NATIVE];
      uint32_t size;

      if (field->pointers > 0 || (field->kind == VTR_KIND_NEXT && !in_chain))
        vtr_slot_set_pointer (slot, NULL);
      if (field->pointers > 0 || field->kind == VTR_KIND_NEXT)
        continue;
      size = vtr_field_element_size (field, 0, VTR_ABI_NATIVE);
      for (uint32_t j = 0; j < field->array; j++)
        forget_pointers (field->type, slot + j * size, false);
    }
}

static void
decode_contents (Decoder        *self,
                 const VtrScope *parent,
                 VtrStructId     id,
                 const uint8_t  *from,
                 uint8_t        *to,
                 bool            in_chain)
{
  const VtrApiStruct *type = vtr_struct_get (id);
  uint8_t *copy = NULL;
  VtrScope scope;

  if (type->n_pointers == 0 || self->failed)
    return;
  vtr_scope_init_struct (&scope, parent, id, to);
  scope.in_chain = in_chain;
  if (self->depth >= VTR_WALK_MAX_DEPTH)
    {
      self->flags |= VTR_DECODED_TOO_DEEP;
      forget_pointers (id, to, in_chain);
      return;
    }
  if (from == to)
    {
      /* The captured addresses are about to be overwritten in place. */
      copy = vtr_arena_memdup (self->arena, from, type->size[self->abi]);
      self->failed = copy == NULL;
      if (self->failed)
        return;
      from = copy;
    }
  for (unsigned i = 0; i < type->n_pointers; i++)
    {
      const VtrApiField *field = &vtr_api_fields[vtr_api_walk[type->first_pointer + i]];

      if (field->pointers > 0 && !union_member_is_dead (field, &scope))
        vtr_slot_set_pointer (to + field->offset[VTR_ABI_NATIVE], NULL);
      else if (field->kind == VTR_KIND_NEXT && !in_chain)
        vtr_slot_set_pointer (to + field->offset[VTR_ABI_NATIVE], NULL);
    }
  self->depth++;
  if ((type->flags & VTR_STRUCT_UNION) != 0)
    {
      for (unsigned i = 0; i < type->n_pointers; i++)
        {
          const VtrApiField *field = &vtr_api_fields[vtr_api_walk[type->first_pointer + i]];

          if (!union_member_is_dead (field, &scope))
            decode_field (self, &scope, field, from, to);
        }
    }
  else
    decode_pointer_fields (self, &scope, type->first_pointer, type->n_pointers, from, to);
  self->depth--;
}

/* Whether the parameter is an offset: the driver read nothing there. */
static bool
is_offset (Decoder           *self,
           const VtrApiField *field,
           uint64_t           address)
{
  return (field->flags & VTR_FIELD_OFFSET_OR_POINTER) != 0 && address != 0 &&
         vtr_coverage_extent (&self->coverage, address, 1) == 0;
}

/* --- Arguments ------------------------------------------------------------------------------- */

/* Parameters in the layout of VtrArgs_…, pointers still to come. */
static void
store_params (VtrCmdId        cmd,
              const uint64_t *params,
              uint8_t        *args)
{
  const VtrApiCommand *command = vtr_cmd_get (cmd);

  for (unsigned i = 0; i < command->n_params; i++)
    {
      const VtrApiField *field = &vtr_api_fields[command->first_field + i];

      if (field->pointers == 0)
        vtr_slot_store (args + field->offset[VTR_ABI_NATIVE], params[i],
                        field->size[VTR_ABI_NATIVE]);
    }
}

static void
decode_params (Decoder        *self,
               VtrCmdId        cmd,
               const uint64_t *params,
               uint8_t        *args)
{
  const VtrApiCommand *command = vtr_cmd_get (cmd);
  uint64_t offsets = 0;
  VtrScope scope;

  vtr_scope_init_args (&scope, cmd, args);
  for (unsigned pass = 0; pass < 2; pass++)
    for (unsigned i = 0; i < command->n_pointers; i++)
      {
        uint16_t index = vtr_api_walk[command->first_pointer + i];
        const VtrApiField *field = &vtr_api_fields[index];
        uint8_t *slot = args + field->offset[VTR_ABI_NATIVE];
        bool early = (field->flags & VTR_FIELD_LEN_SOURCE) != 0;
        uint64_t address = params[index - command->first_field];

        if (field->pointers == 0 || early != (pass == 0))
          continue;
        add_slot (self, slot, address);
        if (is_offset (self, field, address))
          {
            vtr_slot_store (slot, address, sizeof (void *));
            offsets |= vtr_args_offset_bit (field, &scope);
          }
        else
          vtr_slot_set_pointer (slot, decode_pointer (self, &scope, field, address));
      }
  if (command->has_offsets)
    vtr_slot_store (vtr_args_offsets (cmd, args), offsets, sizeof offsets);
}

static int
compare_slots (const void *a,
               const void *b)
{
  uintptr_t x = (uintptr_t)((const VtrPointerSlot *)a)->slot;
  uintptr_t y = (uintptr_t)((const VtrPointerSlot *)b)->slot;

  return x < y ? -1 : x > y;
}

static VtrStatus
rebuild (Decoder        *self,
         VtrCmdId        cmd,
         const uint64_t *params,
         VtrDecoded     *out)
{
  uint8_t *args = vtr_arena_alloc (self->arena, vtr_cmd_get (cmd)->args_size);
  VtrPointerSlot *slots;

  if (args == NULL)
    return VTR_NO_MEMORY;
  store_params (cmd, params, args);
  out->args = args;
  out->flags = self->flags;
  if (vtr_cmd_get (cmd)->n_pointers == 0)
    return VTR_OK;
  decode_params (self, cmd, params, args);
  if (self->failed || self->slots.failed)
    return VTR_NO_MEMORY;
  out->flags = self->flags;
  if (self->slots.size == 0)
    return VTR_OK;
  slots = vtr_arena_memdup (self->arena, self->slots.data, self->slots.size);
  if (slots == NULL)
    return VTR_NO_MEMORY;
  out->n_slots = self->slots.size / sizeof *slots;
  if (out->n_slots > 1)
    qsort (slots, out->n_slots, sizeof *slots, compare_slots);
  out->slots = slots;
  return VTR_OK;
}

VtrStatus
vtr_api_rebuild (VtrCmdId              cmd,
                 VtrAbi                abi,
                 const uint64_t       *params,
                 const VtrObservation *observations,
                 size_t                n_observations,
                 VtrArena             *arena,
                 VtrDecoded           *out)
{
  VtrPointerSlot few[24];
  Decoder self;
  VtrDecoded result = { .cmd = cmd, .abi = abi };
  VtrStatus status;

  if ((!vtr_cmd_is_known (cmd) && !vtr_cmd_is_foreign (cmd)) || abi >= VTR_ABI_COUNT)
    return VTR_UNSUPPORTED;
  self.arena = arena;
  self.abi = abi;
  self.slots = VTR_BUFFER_IN (few);
  self.flags = 0;
  self.depth = 0;
  self.conditional = 0;
  self.failed = false;
  status = vtr_coverage_init (&self.coverage, observations, n_observations);
  if (status != VTR_OK)
    return status;
  if (__builtin_mul_overflow (self.coverage.total, BUDGET_FACTOR, &self.budget) ||
      __builtin_add_overflow (self.budget, BUDGET_BASE, &self.budget))
    self.budget = UINT64_MAX;
  result.observations = observations;
  result.n_observations = n_observations;
  for (size_t i = 0; i < n_observations; i++)
    if (observations[i].data == NULL && observations[i].size > 0)
      self.flags |= VTR_DECODED_DAMAGED;
  status = rebuild (&self, cmd, params, &result);
  vtr_coverage_finish (&self.coverage);
  vtr_buffer_finish (&self.slots);
  if (status == VTR_OK)
    *out = result;
  return status;
}

uint64_t
vtr_decoded_address (const VtrDecoded *self,
                     const void       *slot)
{
  size_t low = 0, high = self->n_slots;

  while (low < high)
    {
      size_t middle = low + (high - low) / 2;

      if (self->slots[middle].slot == slot)
        return self->slots[middle].address;
      if ((uintptr_t)self->slots[middle].slot < (uintptr_t)slot)
        low = middle + 1;
      else
        high = middle;
    }
  return 0;
}

const char *
vtr_decoded_result_text (const VtrDecoded *self,
                         size_t           *size)
{
  for (size_t i = 0; i < self->n_observations; i++)
    {
      const VtrObservation *observation = &self->observations[i];

      if (observation->write && observation->base == self->result && observation->size > 0 &&
          observation->data != NULL &&
          memchr (observation->data, 0, observation->size) != NULL)
        {
          *size = strlen ((const char *)observation->data);
          return (const char *)observation->data;
        }
    }
  return NULL;
}

const VtrCommandExtra *
vtr_decoded_get_extra (const VtrDecoded *self,
                       const char       *type)
{
  for (size_t i = 0; self != NULL && i < self->n_extras; i++)
    if (self->extras[i].type_size == strlen (type) &&
        memcmp (self->extras[i].type, type, self->extras[i].type_size) == 0)
      return &self->extras[i];
  return NULL;
}

bool
vtr_decoded_find_extra (const VtrDecoded *self,
                        const char       *type,
                        void             *data,
                        size_t            size)
{
  const VtrCommandExtra *extra = vtr_decoded_get_extra (self, type);

  if (extra == NULL || extra->size != size)
    return false;
  memcpy (data, extra->data, size);
  return true;
}
