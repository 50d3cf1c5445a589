/* Generated tables of the structs that ask for optional features, and of those that drivers tell
 * their properties in. Threading: any (constants). */
#pragma once

#include <stddef.h>
#include <stdint.h>

typedef struct
{
  uint32_t s_type;
  uint32_t size;
  uint32_t n_features; /* VkBool32s behind sType and pNext */
  const char *const *names;
} VtrFeatureStruct;

extern const VtrFeatureStruct vtr_feature_structs[];
extern const size_t vtr_n_feature_structs;

typedef struct
{
  uint32_t s_type;
  uint32_t size;         /* without pointers but for pNext */
  uint32_t version;      /* of Vulkan that has it; 0: none */
  const char *extension; /* that has it; NULL: none */
} VtrPropertyStruct;

extern const VtrPropertyStruct vtr_property_structs[];
extern const size_t vtr_n_property_structs;
