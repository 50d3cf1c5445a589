/* The inside of the driver that says it is another device; see vtr-other-driver.c. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <vulkan/vulkan.h>

/* Our memory types. The real ones do not matter: lavapipe's one can do everything. */
enum
{
  VTR_OTHER_DEVICE,
  VTR_OTHER_COHERENT,
  VTR_OTHER_CACHED,
  VTR_OTHER_N_TYPES,
};

#define VTR_OTHER_N_FAMILIES 3

extern const VkMemoryType vtr_other_types[VTR_OTHER_N_TYPES];

/* The driver's data about an object. */
typedef struct VtrOtherThing
{
  struct VtrOtherThing *next;
  uint64_t handle;
  uint32_t kind;  /* 'M', 'B' or 'I' */
  uint32_t bits;  /* B, I: memory types */
  uint64_t size;  /* required, or allocated */
  uint32_t type;  /* M */
  uint64_t shift; /* M: where its first byte is in the real memory */
  uint8_t *map;   /* M: the real mapping, where the program's begins */
  uint8_t *cache; /* M: what the host sees of VTR_OTHER_CACHED until it flushes */
} VtrOtherThing;

/* A function that replaces the real one. */
typedef struct
{
  const char *name;
  PFN_vkVoidFunction function;
} VtrOtherFunction;

#define VTR_OTHER_FUNCTION(name, function) \
  { \
    name, (PFN_vkVoidFunction)function \
  }

/* Each ends with a NULL name. */
extern const VtrOtherFunction vtr_other_device_functions[];
extern const VtrOtherFunction vtr_other_memory_functions[];

/* The real function; NULL: there is none. Functions do not differ between devices of the one
 * driver. */
PFN_vkVoidFunction vtr_other_real (const char *name);

#define REAL(name) ((PFN_##name)vtr_other_real (#name))

/* Sets the device whose functions are looked up. */
void vtr_other_set_device (VkDevice device);

/* Says why on stderr. */
VkResult vtr_other_refuse (const char *why);

/* NULL: not known. */
VtrOtherThing *vtr_other_find (uint32_t kind,
                               uint64_t handle);

VtrOtherThing *vtr_other_add (uint32_t kind,
                              uint64_t handle);

void vtr_other_drop (uint32_t kind,
                     uint64_t handle);

#define BITS(handle) ((uint64_t)(uintptr_t)(handle))
