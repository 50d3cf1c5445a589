/* Converts structures of other ABIs to the native layout. */
#include "api/vtr-api-convert-private.h"

static uint64_t
load_element (const VtrApiField *field,
              VtrAbi             abi,
              const uint8_t     *from)
{
  const uint64_t value = vtr_slot_load (from, vtr_field_element_size (field, field->pointers, abi));

  return field->kind == VTR_KIND_SSIZE && vtr_abi_pointer_size (abi) == 4
           ? (uint64_t)(int64_t)(int32_t)value
           : value;
}

static void
store_element (const uint64_t  value,
               unsigned        size,
               uint8_t        *to)
{
  uint32_t narrow = (uint32_t)value;

  if (size == 8)
    memcpy (to, &value, sizeof value);
  else if (size == 4)
    memcpy (to, &narrow, sizeof narrow);
}

void
vtr_convert_elements (const VtrScope    *scope,
                      const VtrApiField *field,
                      VtrAbi             abi,
                      const uint8_t     *from,
                      uint8_t           *to,
                      uint64_t           count)
{
  uint32_t from_size = vtr_field_element_size (field, field->pointers, abi);
  uint32_t to_size = vtr_field_element_size (field, field->pointers, VTR_ABI_NATIVE);

  if (field->kind == VTR_KIND_STRUCT || field->kind == VTR_KIND_UNION)
    {
      for (uint64_t i = 0; i < count; i++)
        vtr_convert_struct (scope, field->type, abi, from + i * from_size, to + i * to_size);
      return;
    }
  if (from_size == to_size)
    {
      memcpy (to, from, (size_t)count * to_size);
      return;
    }
  for (uint64_t i = 0; i < count; i++)
    store_element (load_element (field, abi, from + i * from_size), to_size, to + i * to_size);
}

static void
convert_field (const VtrScope    *scope,
               const VtrApiField *field,
               VtrAbi             abi,
               const uint8_t     *from,
               uint8_t           *to)
{
  from += field->offset[abi];
  to += field->offset[VTR_ABI_NATIVE];
  if (field->pointers > 0)
    store_element (vtr_slot_load (from, vtr_abi_pointer_size (abi)),
                   vtr_abi_pointer_size (VTR_ABI_NATIVE), to);
  else
    vtr_convert_elements (scope, field, abi, from, to, field->array);
}

/* Converts only the live member of a union; without a selector, its bytes. */
static void
convert_union (const VtrScope     *scope,
               const VtrApiStruct *type,
               VtrAbi              abi,
               const uint8_t      *from,
               uint8_t            *to)
{
  uint32_t size = type->size[abi];

  if (size > type->size[VTR_ABI_NATIVE])
    size = type->size[VTR_ABI_NATIVE];
  memcpy (to, from, size);
  for (unsigned i = 0; i < type->n_fields; i++)
    {
      const VtrApiField *field = &vtr_api_fields[type->first_field + i];

      if ((field->flags & VTR_FIELD_SELECTED) != 0 &&
          vtr_field_is_live (field, scope, NULL) == VTR_YES)
        {
          memset (to, 0, type->size[VTR_ABI_NATIVE]);
          convert_field (scope, field, abi, from, to);
          return;
        }
    }
}

void
vtr_convert_struct (const VtrScope *parent,
                    VtrStructId     id,
                    VtrAbi          abi,
                    const uint8_t  *from,
                    uint8_t        *to)
{
  const VtrApiStruct *type = vtr_struct_get (id);
  VtrScope scope;

  if (abi == VTR_ABI_NATIVE)
    {
      memcpy (to, from, type->size[abi]);
      return;
    }
  vtr_scope_init_struct (&scope, parent, id, to);
  if ((type->flags & VTR_STRUCT_UNION) != 0)
    {
      convert_union (&scope, type, abi, from, to);
      return;
    }
  for (unsigned i = 0; i < type->n_fields; i++)
    convert_field (&scope, &vtr_api_fields[type->first_field + i], abi, from, to);
}

void
vtr_api_convert_struct (VtrStructId  id,
                        VtrAbi       abi,
                        const void  *from,
                        void        *to)
{
  vtr_convert_struct (NULL, id, abi, from, to);
}
