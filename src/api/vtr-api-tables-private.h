/* Indices of the tables that only their look-ups need. Threading: any (immutable). */
#pragma once

#include "api/vtr-api-types.h"

/* A name, or an sType, and the index of its meaning. */
typedef struct
{
  uint32_t name; /* offset of the string blob; the number itself in vtr_api_stypes */
  uint32_t index;
} VtrApiName;

/* Pairs of VtrCmdId and VtrExtensionId, by the first; the last are VTR_API_NO_INDEX. */
extern const uint16_t vtr_api_other_extensions[][2];

/* Sorted by name (vtr_api_stypes: by number). */
extern const VtrApiName vtr_api_struct_names[];
extern const size_t n_vtr_api_struct_names;
extern const VtrApiName vtr_api_enum_names[];
extern const size_t n_vtr_api_enum_names;
extern const VtrApiName vtr_api_handle_names[];
extern const size_t n_vtr_api_handle_names;
extern const VtrApiName vtr_api_stypes[];
extern const size_t n_vtr_api_stypes;
