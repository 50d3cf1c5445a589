/* Notes where an argument tree may hold device addresses, for replays that move them. */
#include "api/vtr-api-places-private.h"

void
vtr_flat_add_place (VtrFlat        *self,
                    const VtrScope *scope,
                    uint32_t        at,
                    uint64_t        size,
                    bool            exact)
{
  VtrFlatPlace entry = { at, (uint32_t)size, 0, exact };

  entry.owner = scope->struct_id != VTR_STRUCT_NONE ? vtr_struct_get (scope->struct_id)->name
                                                    : vtr_cmd_get (scope->cmd)->name;
  vtr_buffer_append (&self->places, &entry, sizeof entry);
  self->n_places++;
}

void
vtr_flat_find_places_in_struct (VtrFlat         *self,
                                const VtrApiEnv *env,
                                const VtrScope  *parent,
                                VtrStructId      id,
                                const uint8_t   *from,
                                uint32_t         at)
{
  VtrScope scope;

  if ((vtr_struct_get (id)->flags & VTR_STRUCT_PLACES) == 0)
    return;
  vtr_scope_init_struct (&scope, parent, id, from);
  vtr_flat_find_places (self, env, &scope, at, true);
}

void
vtr_flat_find_places_in_elements (VtrFlat           *self,
                                  const VtrApiEnv   *env,
                                  const VtrScope    *scope,
                                  const VtrApiField *field,
                                  const uint8_t     *from,
                                  uint32_t           at,
                                  uint64_t           count)
{
  uint32_t size;

  if (field->kind == VTR_KIND_VOID)
    {
      vtr_flat_add_place (self, scope, at, count, false);
      return;
    }
  if (!vtr_field_is_struct (field) && !vtr_field_is_device_address (field))
    return;
  size = vtr_field_element_size (field, field->pointers, VTR_ABI_NATIVE);
  for (uint64_t i = 0; i < count; i++)
    if (vtr_field_is_struct (field))
      vtr_flat_find_places_in_struct (self, env, scope, field->type, from + i * size,
                                      at + (uint32_t)(i * size));
    else
      vtr_flat_add_place (self, scope, at + (uint32_t)(i * size), size, true);
}

void
vtr_flat_find_places (VtrFlat         *self,
                      const VtrApiEnv *env,
                      const VtrScope  *scope,
                      uint32_t         at,
                      bool             structs)
{
  for (unsigned i = 0; i < scope->n_fields; i++)
    {
      const VtrApiField *field = &vtr_api_fields[scope->first_field + i];

      if (field->pointers == 0 &&
          (vtr_field_is_number (field) || (structs && vtr_field_is_struct (field))) &&
          !vtr_field_is_dead (field, scope, env))
        vtr_flat_find_places_in_elements (self, env, scope, field, vtr_scope_slot (scope, field),
                                          at + field->offset[VTR_ABI_NATIVE],
                                          vtr_field_array_count (field, scope));
    }
}
