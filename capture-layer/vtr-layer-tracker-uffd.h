/* Asking the kernel which pages were written: userfaultfd's asynchronous write protection together with
 * the PAGEMAP_SCAN ioctl (Documentation/admin-guide/mm/userfaultfd.rst and pagemap.rst, Linux 6.7).
 *
 * The first write to a protected page takes the protection off, without anybody being told or waiting,
 * whoever writes: the program, a thread of a software driver, or the kernel in read(2). A scan lists the
 * pages without protection and protects them again, in one step for each page.
 *
 * The kernel may lack it, or sysctl or seccomp forbid it: every function then says so, and nothing
 * happens. A child after fork() has no part in it.
 *
 * Threading: any. Scans of one range are serialised by the caller. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Pages [.start, .end) of the process, as addresses; the kernel's struct page_region. */
typedef struct
{
  uint64_t start;
  uint64_t end;
  uint64_t categories;
} VtrLayerRegion;

/* What lies at an address, as far as it matters here. */
typedef struct
{
  bool anonymous; /* private memory without a file */
  bool shared;    /* with other mappings: who writes there is not seen here */
  uint64_t file;  /* device number of the file's file system, 0: none */
} VtrLayerPlace;

/* Returns: NULL when the kernel offers all this to the process, else why not (a static sentence part). */
const char *vtr_layer_uffd_open (void);

/* Tells what [@start, @end) is. Returns: false when it is not one mapping, or several of one kind. */
bool vtr_layer_find_place (uintptr_t      start,
                           uintptr_t      end,
                           VtrLayerPlace *place);

/* Begins to watch the whole pages of [@start, @end): multiples of the page size. Nothing is protected yet.
 * Returns: false when the kernel refuses, or when something there is watched already. */
bool vtr_layer_uffd_watch (uintptr_t start,
                           uintptr_t end);

/* Ends what vtr_layer_uffd_watch() began with the same range. */
void vtr_layer_uffd_unwatch (uintptr_t start,
                             uintptr_t end);

/**
 * vtr_layer_uffd_scan:
 * @start: begin of the range, inside a watched one; set to where the scan ended
 * @end: end of the range
 * @exact: pages that are not there were never touched (private anonymous memory); else they count as
 *   written
 * @regions: what was written
 * @n_regions: room there
 *
 * Lists the pages that were written since they were protected, and protects them.
 *
 * Returns: how many regions there are; -1 when the range is not watched any more.
 */
int vtr_layer_uffd_scan (uintptr_t      *start,
                         uintptr_t       end,
                         bool            exact,
                         VtrLayerRegion *regions,
                         size_t          n_regions);
