/* Tells what kind of memory lies at an address of the process: private memory, or that of a
 * file.
 *
 * Threading: any. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* The mapping at an address, as far as it matters here. */
typedef struct
{
  bool anonymous; /* private memory without a file */
  bool shared;    /* with other mappings: who writes there is not seen here */
  uint64_t file;  /* device number of the file's file system, 0: none */
} VtrLayerMapping;

/* Reads all mappings of the process at once, for the calling thread, which uses this list until
 * vtr_layer_mappings_release(). For many lookups in memory that no thread unmaps meanwhile. */
void vtr_layer_mappings_hold (void);
void vtr_layer_mappings_release (void);

/* Tells what [@start, @end) is. Returns: false when it is not one mapping, or several of one kind. */
bool vtr_layer_find_mapping (uintptr_t        start,
                             uintptr_t        end,
                             VtrLayerMapping *place);
