/* Tells whether two native argument trees are equal, including everything they point to. */
#include "api/vtr-api-slot-private.h"
#include "api/vtr-api-walk.h"

#include <stdio.h>

#define PATH_MAX_LENGTH 512

typedef struct
{
  const VtrApiEnv *env;
  unsigned flags;
  unsigned depth;
  char path[PATH_MAX_LENGTH];
  size_t length;
} Comparer;

static bool compare_struct (Comparer       *self,
                            const VtrScope *parent_a,
                            const VtrScope *parent_b,
                            VtrStructId     id,
                            const uint8_t  *a,
                            const uint8_t  *b,
                            bool            in_chain);

/* Returns: the length to hand to leave(). */
static size_t
go_into (Comparer   *self,
         const char *name,
         uint64_t    index,
         bool        indexed)
{
  size_t length = self->length, room = sizeof self->path - length;
  int n;

  if (indexed)
    n = snprintf (self->path + length, room, "[%llu]", (unsigned long long)index);
  else
    n = snprintf (self->path + length, room, "%s%s", length > 0 ? "/" : "", name);
  if (n > 0)
    self->length += (size_t)n < room ? (size_t)n : room - 1;
  return length;
}

static void
leave (Comparer *self,
       size_t    length)
{
  self->length = length;
  self->path[length] = '\0';
}

static bool
compare_bytes (const uint8_t *a,
               const uint8_t *b,
               uint64_t       size)
{
  return memcmp (a, b, (size_t)size) == 0;
}

/* One struct by its members: its padding means nothing. */
static bool
compare_element (Comparer          *self,
                 const VtrScope    *scope_a,
                 const VtrScope    *scope_b,
                 const VtrApiField *field,
                 const uint8_t     *a,
                 const uint8_t     *b)
{
  uint32_t size = vtr_field_element_size (field, field->pointers, VTR_ABI_NATIVE);

  switch ((VtrApiKind)field->kind)
    {
    case VTR_KIND_STRUCT:
    case VTR_KIND_UNION:
      return compare_struct (self, scope_a, scope_b, field->type, a, b, false);
    case VTR_KIND_HANDLE:
      if ((self->flags & VTR_COMPARE_HANDLES) == 0 ||
          vtr_field_is_live (field, scope_a, self->env) == VTR_NO)
        return true;
      return compare_bytes (a, b, size);
    case VTR_KIND_ADDRESS:
    case VTR_KIND_FUNCTION:
      return ((self->flags & VTR_COMPARE_ADDRESSES) == 0 &&
              !vtr_field_is_offset (field, scope_a, self->env)) ||
             compare_bytes (a, b, size);
    default:
      if (field->pointers == 0 && field->bit_width != 0)
        return vtr_slot_number (field, a, true) == vtr_slot_number (field, b, true);
      return compare_bytes (a, b, size);
    }
}

static bool
compare_elements (Comparer          *self,
                  const VtrScope    *scope_a,
                  const VtrScope    *scope_b,
                  const VtrApiField *field,
                  const uint8_t     *a,
                  const uint8_t     *b,
                  uint64_t           count,
                  bool               indexed)
{
  uint32_t size = vtr_field_element_size (field, field->pointers, VTR_ABI_NATIVE);

  for (uint64_t i = 0; i < count; i++)
    {
      size_t before = indexed ? go_into (self, "", i, true) : self->length;

      if (!compare_element (self, scope_a, scope_b, field, a + i * size, b + i * size))
        return false;
      leave (self, before);
    }
  return true;
}

/* The pointer as a walk sees it: NULL if it must not or cannot be followed. */
static const uint8_t *
visible (Comparer          *self,
         const VtrScope    *scope,
         const VtrApiField *field,
         uint64_t          *count)
{
  const uint8_t *pointer = vtr_slot_pointer (vtr_scope_slot (scope, field));

  *count = 0;
  if (pointer == NULL || !vtr_field_is_followed (field, scope, self->env) ||
      !vtr_field_length (field, 0, scope, self->env, 0, pointer, count) || *count == 0)
    return NULL;
  return pointer;
}

/* Like visible (), for pointer @index of an array of pointers. */
static const uint8_t *
visible_element (Comparer          *self,
                 const VtrScope    *scope,
                 const VtrApiField *field,
                 const uint8_t     *pointers,
                 uint64_t           index,
                 uint64_t          *count)
{
  const uint8_t *element = vtr_slot_pointer (pointers + index * sizeof (void *));

  *count = 0;
  if (element == NULL ||
      !vtr_field_length (field, 1, scope, self->env, index, element, count) || *count == 0)
    return NULL;
  return element;
}

static bool
compare_pointer (Comparer          *self,
                 const VtrScope    *scope_a,
                 const VtrScope    *scope_b,
                 const VtrApiField *field)
{
  bool offset_a = vtr_field_is_offset (field, scope_a, self->env);
  bool offset_b = vtr_field_is_offset (field, scope_b, self->env);
  uint64_t count_a, count_b, inner_a, inner_b;
  const uint8_t *a = visible (self, scope_a, field, &count_a);
  const uint8_t *b = visible (self, scope_b, field, &count_b);

  if (offset_a || offset_b)
    return offset_a == offset_b && compare_bytes (vtr_scope_slot (scope_a, field),
                                                  vtr_scope_slot (scope_b, field), sizeof (void *));
  if (a == NULL || b == NULL)
    return a == b;
  if (count_a != count_b)
    return false;
  if (field->pointers == 1)
    return compare_elements (self, scope_a, scope_b, field, a, b, count_a,
                             field->length[0] != 0 || count_a > 1);
  for (uint64_t i = 0; i < count_a; i++)
    {
      const uint8_t *element_a = visible_element (self, scope_a, field, a, i, &inner_a);
      const uint8_t *element_b = visible_element (self, scope_b, field, b, i, &inner_b);
      size_t before = go_into (self, "", i, true);

      if ((element_a == NULL) != (element_b == NULL) || inner_a != inner_b ||
          !compare_elements (self, scope_a, scope_b, field, element_a, element_b, inner_a, true))
        return false;
      leave (self, before);
    }
  return true;
}

static bool
compare_chain (Comparer       *self,
               const VtrScope *head_a,
               const VtrScope *head_b,
               const uint8_t  *a,
               const uint8_t  *b)
{
  for (unsigned n = 0; n < VTR_WALK_MAX_CHAIN; n++)
    {
      VtrChainHeader header_a, header_b;
      VtrStructId id;
      size_t before;

      if (a == NULL || b == NULL)
        return a == b;
      memcpy (&header_a, a, sizeof header_a);
      memcpy (&header_b, b, sizeof header_b);
      if (header_a.stype != header_b.stype)
        return false;
      id = vtr_struct_from_stype (header_a.stype);
      if (id != VTR_STRUCT_NONE)
        {
          before = go_into (self, vtr_api_string (vtr_struct_get (id)->name), 0, false);
          if (!compare_struct (self, head_a, head_b, id, a, b, true))
            return false;
          leave (self, before);
        }
      a = header_a.next;
      b = header_b.next;
    }
  return true;
}

static bool
compare_field (Comparer          *self,
               const VtrScope    *scope_a,
               const VtrScope    *scope_b,
               const VtrApiField *field)
{
  const uint8_t *a = vtr_scope_slot (scope_a, field);
  const uint8_t *b = vtr_scope_slot (scope_b, field);
  uint32_t count;

  if (field->kind == VTR_KIND_NEXT)
    return scope_a->in_chain ||
           compare_chain (self, scope_a, scope_b, vtr_slot_pointer (a), vtr_slot_pointer (b));
  if (vtr_field_is_dead (field, scope_a, self->env))
    return true;
  if (field->pointers > 0)
    return compare_pointer (self, scope_a, scope_b, field);
  if (vtr_field_is_struct (field) && !vtr_field_is_followed (field, scope_a, self->env))
    return true;
  count = vtr_field_array_count (field, scope_a);
  if ((field->flags & VTR_FIELD_STRING) != 0 || field->kind == VTR_KIND_CHAR)
    return strncmp ((const char *)a, (const char *)b, count) == 0;
  return compare_elements (self, scope_a, scope_b, field, a, b, count, field->array > 1);
}

static bool
compare_fields (Comparer       *self,
                const VtrScope *scope_a,
                const VtrScope *scope_b)
{
  for (unsigned i = 0; i < scope_a->n_fields; i++)
    {
      const VtrApiField *field = &vtr_api_fields[scope_a->first_field + i];
      size_t before = go_into (self, vtr_api_string (field->name), 0, false);

      if (!compare_field (self, scope_a, scope_b, field))
        return false;
      leave (self, before);
    }
  return true;
}

static bool
compare_struct (Comparer       *self,
                const VtrScope *parent_a,
                const VtrScope *parent_b,
                VtrStructId     id,
                const uint8_t  *a,
                const uint8_t  *b,
                bool            in_chain)
{
  const VtrApiStruct *type = vtr_struct_get (id);
  VtrScope scope_a, scope_b;
  bool equal;

  if (vtr_struct_is_raw (type))
    return compare_bytes (a, b, type->size[VTR_ABI_NATIVE]);
  if (self->depth >= VTR_WALK_MAX_DEPTH)
    return true;
  self->depth++;
  vtr_scope_init_struct (&scope_a, parent_a, id, a);
  vtr_scope_init_struct (&scope_b, parent_b, id, b);
  scope_a.in_chain = in_chain;
  scope_b.in_chain = in_chain;
  equal = compare_fields (self, &scope_a, &scope_b);
  self->depth--;
  return equal;
}

static bool
report (const Comparer *self,
        bool            equal,
        char           *where,
        size_t          where_size)
{
  if (where != NULL && where_size > 0)
    snprintf (where, where_size, "%s", equal ? "" : self->path);
  return equal;
}

bool
vtr_api_compare (VtrCmdId         cmd,
                 const void      *a,
                 const void      *b,
                 unsigned         flags,
                 const VtrApiEnv *env,
                 char            *where,
                 size_t           where_size)
{
  Comparer self = { .env = env == NULL ? &vtr_env_of_decoded : env, .flags = flags };
  VtrScope scope_a, scope_b;

  vtr_scope_init_args (&scope_a, cmd, a);
  vtr_scope_init_args (&scope_b, cmd, b);
  return report (&self, compare_fields (&self, &scope_a, &scope_b), where, where_size);
}
