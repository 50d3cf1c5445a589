/* Looks up commands, structures and enumerations in the tables of an API. */
#include "api/vtr-api-tables-private.h"

#include <string.h>

/* Index within @names of the entry called @name, or VTR_API_NO_INDEX. */
static uint16_t
find_name (const VtrApiName *names,
           size_t            n_names,
           const char       *name)
{
  size_t low = 0, high = n_names;

  while (low < high)
    {
      size_t middle = low + (high - low) / 2;
      int order = strcmp (name, vtr_api_string (names[middle].name));

      if (order == 0)
        return (uint16_t)names[middle].index;
      if (order < 0)
        high = middle;
      else
        low = middle + 1;
    }
  return VTR_API_NO_INDEX;
}

const VtrApiModel *
vtr_api_from_name (const char *name)
{
  for (unsigned i = 0; i < VTR_N_MODELS; i++)
    if (strcmp (vtr_api_models[i].name, name) == 0)
      return &vtr_api_models[i];
  return NULL;
}

static unsigned
find_command (const VtrApiModel *api,
              const char        *name)
{
  unsigned low = 0, high = api->n_commands;

  while (low < high)
    {
      unsigned middle = low + (high - low) / 2;
      int order = strcmp (name, vtr_api_string (api->commands[middle].name));

      if (order == 0)
        return api->first_id + middle;
      if (order < 0)
        high = middle;
      else
        low = middle + 1;
    }
  return VTR_CMD_NONE;
}

VtrCmdId
vtr_cmd_from_name (const char *name)
{
  unsigned id = VTR_CMD_NONE;

  for (unsigned i = 0; i < VTR_N_MODELS && id == VTR_CMD_NONE; i++)
    id = find_command (&vtr_api_models[i], name);
  return (VtrCmdId)id;
}

static unsigned
find_extension (const VtrApiModel *api,
                const char        *name)
{
  unsigned low = 0, high = api->n_extensions;

  while (low < high)
    {
      unsigned middle = low + (high - low) / 2;
      int order = strcmp (name, vtr_api_string (api->extensions[middle].name));

      if (order == 0)
        return (unsigned)(api->extensions - vtr_api_extensions) + middle;
      if (order < 0)
        high = middle;
      else
        low = middle + 1;
    }
  return VTR_API_NO_INDEX;
}

uint16_t
vtr_extension_from_name (const char *name)
{
  unsigned index = VTR_API_NO_INDEX;

  for (unsigned i = 0; i < VTR_N_MODELS && index == VTR_API_NO_INDEX; i++)
    index = find_extension (&vtr_api_models[i], name);
  return (uint16_t)index;
}

uint16_t
vtr_cmd_extension (VtrCmdId id,
                   unsigned nth)
{
  if (nth == 0)
    return vtr_cmd_get (id)->extension;
  for (size_t i = 0; vtr_api_other_extensions[i][0] <= id; i++)
    if (vtr_api_other_extensions[i][0] == id && --nth == 0)
      return vtr_api_other_extensions[i][1];
  return VTR_API_NO_INDEX;
}

VtrStructId
vtr_struct_from_name (const char *name)
{
  return find_name (vtr_api_struct_names, n_vtr_api_struct_names, name);
}

VtrEnumId
vtr_enum_from_name (const char *name)
{
  return find_name (vtr_api_enum_names, n_vtr_api_enum_names, name);
}

VtrHandleId
vtr_handle_from_name (const char *name)
{
  return find_name (vtr_api_handle_names, n_vtr_api_handle_names, name);
}

VtrStructId
vtr_struct_from_stype (uint32_t stype)
{
  size_t low = 0, high = n_vtr_api_stypes;

  while (low < high)
    {
      size_t middle = low + (high - low) / 2;

      if (vtr_api_stypes[middle].name == stype)
        return (VtrStructId)vtr_api_stypes[middle].index;
      if (stype < vtr_api_stypes[middle].name)
        high = middle;
      else
        low = middle + 1;
    }
  return VTR_STRUCT_NONE;
}

VtrHandleId
vtr_handle_from_object_type (const VtrApiModel *api,
                             uint32_t           object_type)
{
  for (unsigned i = 0; i < api->n_handles; i++)
    if (api->handles[i].object_type == object_type && object_type != 0)
      return (VtrHandleId)(api->first_id + i);
  return VTR_HANDLE_NONE;
}

/* The names agree: VK_DEBUG_REPORT_OBJECT_TYPE_SURFACE_KHR_EXT is VK_OBJECT_TYPE_SURFACE_KHR. */
VtrHandleId
vtr_handle_from_report_type (uint32_t report_type)
{
  static const char prefix[] = "VK_DEBUG_REPORT_OBJECT_TYPE_", other[] = "VK_OBJECT_TYPE_";
  const char *name =
    vtr_enum_value_name (vtr_enum_from_name ("VkDebugReportObjectTypeEXT"), report_type);
  const VtrEnumId kinds = vtr_enum_from_name ("VkObjectType");
  size_t length = name == NULL ? 0 : strlen (name);
  char object_name[128];
  int64_t value;

  if (name == NULL || strncmp (name, prefix, sizeof prefix - 1) != 0)
    return VTR_HANDLE_NONE;
  if (length > 4 && strcmp (name + length - 4, "_EXT") == 0)
    length -= 4;
  length -= sizeof prefix - 1;
  if (sizeof other + length > sizeof object_name)
    return VTR_HANDLE_NONE;
  memcpy (object_name, other, sizeof other - 1);
  memcpy (object_name + sizeof other - 1, name + sizeof prefix - 1, length);
  object_name[sizeof other - 1 + length] = '\0';
  if (!vtr_enum_value_from_name (kinds, object_name, &value))
    return VTR_HANDLE_NONE;
  return vtr_handle_from_object_type (vtr_api_pages[kinds >> VTR_API_PAGE_BITS], (uint32_t)value);
}

const char *
vtr_enum_value_name (VtrEnumId id,
                     int64_t   value)
{
  const VtrApiEnum *type;
  const VtrApiEnumValue *values;
  size_t low = 0, high;

  if (!vtr_enum_is_known (id))
    return NULL;

  type = vtr_enum_get (id);
  values = vtr_api_enum_values + type->first_value;
  high = type->n_values;
  while (low < high)
    {
      size_t middle = low + (high - low) / 2;

      if (values[middle].value < value)
        low = middle + 1;
      else
        high = middle;
    }
  if (low < type->n_values && values[low].value == value)
    return vtr_api_string (values[low].name);
  return NULL;
}

bool
vtr_enum_value_from_name (VtrEnumId   id,
                          const char *name,
                          int64_t    *out)
{
  const VtrApiEnumValue *values;

  if (!vtr_enum_is_known (id))
    return false;

  values = vtr_api_enum_values + vtr_enum_get (id)->first_value;
  for (unsigned i = 0; i < vtr_enum_get (id)->n_values; i++)
    if (strcmp (vtr_api_string (values[i].name), name) == 0)
      {
        *out = values[i].value;
        return true;
      }
  return false;
}

static int
find_field (unsigned    first,
            unsigned    n_fields,
            const char *name)
{
  for (unsigned i = 0; i < n_fields; i++)
    if (strcmp (vtr_api_string (vtr_api_fields[first + i].name), name) == 0)
      return (int)i;
  return -1;
}

int
vtr_cmd_find_param (VtrCmdId    id,
                    const char *name)
{
  return find_field (vtr_cmd_get (id)->first_field, vtr_cmd_get (id)->n_params, name);
}

int
vtr_struct_find_member (VtrStructId  id,
                        const char  *name)
{
  return find_field (vtr_struct_get (id)->first_field, vtr_struct_get (id)->n_fields, name);
}

const uint8_t vtr_kind_sizes[VTR_KIND_COUNT] = {
  [VTR_KIND_VOID] = 1,
  [VTR_KIND_CHAR] = 1,
  [VTR_KIND_U8] = 1,
  [VTR_KIND_I8] = 1,
  [VTR_KIND_U16] = 2,
  [VTR_KIND_I16] = 2,
  [VTR_KIND_U32] = 4,
  [VTR_KIND_I32] = 4,
  [VTR_KIND_F32] = 4,
  [VTR_KIND_BOOL8] = 1,
  [VTR_KIND_BOOL32] = 4,
  [VTR_KIND_ENUM] = 4,
  [VTR_KIND_FLAGS32] = 4,
  [VTR_KIND_U64] = 8,
  [VTR_KIND_I64] = 8,
  [VTR_KIND_F64] = 8,
  [VTR_KIND_FLAGS64] = 8,
};

uint32_t
vtr_field_other_size (const VtrApiField *field,
                      VtrAbi             abi)
{
  switch ((VtrApiKind)field->kind)
    {
    case VTR_KIND_HANDLE:
      return vtr_handle_get (field->type)->size != 0 ? vtr_handle_get (field->type)->size
                                                     : vtr_abi_pointer_size (abi);
    case VTR_KIND_STRUCT:
    case VTR_KIND_UNION:
      return vtr_struct_get (field->type)->size[abi];
    default:
      return vtr_abi_pointer_size (abi);
    }
}

bool
vtr_struct_extends (VtrStructId base,
                    VtrStructId root)
{
  const VtrApiStruct *type = vtr_struct_get (base);

  for (unsigned i = 0; i < type->n_extends; i++)
    if (vtr_api_extends[type->first_extends + i] == root)
      return true;
  return false;
}
