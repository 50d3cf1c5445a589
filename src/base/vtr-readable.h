/* Tests whether memory of this process can be read, without causing a fault.
 *
 * Makes one system call for every 64 pages. Meant for untrusted pointers on paths that are not
 * hot. Another thread may unmap the memory right after the test. Threading: any. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Returns: false, too, if the kernel forbids both ways to find out. */
bool vtr_memory_is_readable (const void *address,
                             size_t      size);
