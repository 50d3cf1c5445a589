/* Generated table of the structs that ask for optional features. Threading: any (constants). */
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
