/* Lookups in the tables: names by id, and ids by name. Threading: any (immutable). */
#pragma once

#include "api/vtr-api-model.h"

/* Name of anything whose .name this is. */
static inline const char *
vtr_api_string (uint32_t offset)
{
  return vtr_api_strings + offset;
}

static inline const char *
vtr_cmd_name (VtrCmdId id)
{
  return vtr_cmd_is_known (id) ? vtr_api_string (vtr_cmd_get (id)->name) : "?";
}

static inline const VtrApiField *
vtr_cmd_param (VtrCmdId id,
               unsigned param)
{
  return &vtr_api_fields[vtr_cmd_get (id)->first_field + param];
}

static inline bool
vtr_cmd_is (VtrCmdId    id,
            VtrApiClass classes)
{
  return (vtr_cmd_get (id)->classes & classes) != 0;
}

/* The command of which @id is an alias, or @id itself. */
static inline VtrCmdId
vtr_cmd_canonical (VtrCmdId id)
{
  return vtr_cmd_get (id)->alias_of == VTR_CMD_NONE ? id : vtr_cmd_get (id)->alias_of;
}

/* --- Look-up (all O(log n)) ------------------------------------------------------------------ */

/* Returns: the command, or VTR_CMD_NONE. */
VtrCmdId vtr_cmd_from_name (const char *name);

/* Aliases find the struct they stand for. Returns: VTR_STRUCT_NONE when unknown. */
VtrStructId vtr_struct_from_name (const char *name);
VtrStructId vtr_struct_from_stype (uint32_t stype);

VtrEnumId vtr_enum_from_name (const char *name);
VtrHandleId vtr_handle_from_name (const char *name);

/* From the number that @api has for a kind: a VkObjectType. Returns: VTR_HANDLE_NONE when unknown. */
VtrHandleId vtr_handle_from_object_type (const VtrApiModel *api,
                                         uint32_t           object_type);

/* Like vtr_handle_from_object_type (), from a VkDebugReportObjectTypeEXT, which numbers the objects of
 * extensions otherwise. */
VtrHandleId vtr_handle_from_report_type (uint32_t report_type);

/* Returns: VTR_API_NO_INDEX when unknown. */
uint16_t vtr_extension_from_name (const char *name);
/* The extensions that bring @id, from @nth 0 on: one of them is enough to call it. Returns:
 * VTR_API_NO_INDEX behind the last; at once for commands of a version. */
uint16_t vtr_cmd_extension (VtrCmdId id,
                            unsigned nth);

/* Returns: the preferred name, or NULL when the value has none. @value is compared as the enum's
 * width has it, so pass VkResult etc. sign-extended. */
const char *vtr_enum_value_name (VtrEnumId id,
                                 int64_t   value);

/* Any of the names, aliases included. Returns: false when unknown. */
bool vtr_enum_value_from_name (VtrEnumId   id,
                               const char *name,
                               int64_t    *out);

/* Index of the parameter or member, -1 when there is none of that name. */
int vtr_cmd_find_param (VtrCmdId    id,
                        const char *name);
int vtr_struct_find_member (VtrStructId  id,
                            const char  *name);

/* Size in bytes of kinds that have the same size everywhere; 0: others. Void counts as 1. */
extern const uint8_t vtr_kind_sizes[];

/* Bytes of a field of any other kind. */
uint32_t vtr_field_other_size (const VtrApiField *field,
                               VtrAbi             abi);

/* Bytes of one element of @field once @pointers levels were followed (its .pointers: the innermost
 * element). */
static inline uint32_t
vtr_field_element_size (const VtrApiField *field,
                        unsigned           pointers,
                        VtrAbi             abi)
{
  if (pointers < field->pointers)
    return vtr_abi_pointer_size (abi);
  if (vtr_kind_sizes[field->kind] != 0)
    return vtr_kind_sizes[field->kind];
  return field->pointers == 0 && field->array == 1 ? field->size[abi]
                                                   : vtr_field_other_size (field, abi);
}

/* Whether the innermost element is a VkDeviceAddress. */
static inline bool
vtr_field_is_device_address (const VtrApiField *field)
{
  return field->kind == VTR_KIND_U64 && (field->flags & VTR_FIELD_HEX) != 0;
}

/* Whether @base may appear in the pNext chain of @root. */
bool vtr_struct_extends (VtrStructId base,
                         VtrStructId root);

/* Name of the C type of the innermost element ("VkImageLayout", "uint32_t"). */
static inline const char *
vtr_field_type_name (const VtrApiField *field)
{
  return vtr_api_string (field->c_type);
}
