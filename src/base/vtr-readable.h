/* Whether memory of this process can be read, found out without a fault.
 *
 * One system call for each 64 pages: for pointers that nobody vouches for, on paths that are not
 * hot. Another thread may take the memory away right after. Threading: any.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Returns: false also where the kernel lets nobody ask. */
bool vtr_memory_is_readable (const void *address,
                             size_t      size);
