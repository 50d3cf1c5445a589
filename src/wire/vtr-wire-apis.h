/* Which APIs a captured process has, and by which registries their commands are numbered. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define VTR_WIRE_MAX_APIS 4u

typedef struct
{
  char prefix[16]; /* VtrApiModel.name, NUL-terminated; "": there are no more */
  uint64_t hash;   /* VtrApiModel.hash */
} VtrWireApi;

/* Whether both sides have the API called @prefix, numbered alike. @hash: of the side that asks. */
static inline bool
vtr_wire_apis_have (const VtrWireApi  apis[VTR_WIRE_MAX_APIS],
                    const char       *prefix,
                    uint64_t          hash)
{
  for (unsigned i = 0; i < VTR_WIRE_MAX_APIS; i++)
    if (strncmp (apis[i].prefix, prefix, sizeof apis[i].prefix) == 0)
      return apis[i].hash == hash;
  return false;
}
