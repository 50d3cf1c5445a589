/* A way to learn which pages were written, instead of comparing them all.
 *
 * A page is protected; the first write to it takes the protection off and leaves a note. A scan lists the
 * notes and protects those pages again.
 *
 * Threading: any. Scans of one range are serialised by the caller; the program writes meanwhile. */
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

typedef struct
{
  const char *wish; /* its name in $VITRINE_TRACKER */
  const char *name; /* in the report */

  /* Protection has no side effects: writes of the kernel to protected pages, as in read(2), succeed
   * and are noticed, and so do writes after something else is mapped there. Otherwise such calls
   * may fail with EFAULT: then it is used only on request, and while the program has the memory
   * mapped. */
  bool is_harmless;

  /* It knows which pages of private anonymous memory were never touched. */
  bool knows_untouched;

  /* Returns: NULL when the process can use it, else why not (a static sentence part). */
  const char *(*open) (void);

  /* Begins to watch the whole pages of [@start, @end): multiples of the page size. Nothing is protected
   * yet: all of it counts as written. Returns: false when that is refused, or when something there is
   * watched already. */
  bool (*watch) (uintptr_t start,
                 uintptr_t end);

  /* Ends what watch() began with the same range. One that is harmless may be ended in parts, from the
   * beginning on. */
  void (*unwatch) (uintptr_t start,
                   uintptr_t end);

  /* Lists the pages from *@start to @end that were written since they were protected in at most @n_regions
   * @regions, and protects them. *@start is set to where the scan ended. @exact: pages that are not there
   * were never touched (private anonymous memory); else they count as written. Returns: how many regions
   * there are; -1 when the range is not watched any more. */
  int (*scan) (uintptr_t *start,
               uintptr_t end,
               bool exact,
               VtrLayerRegion *regions,
               size_t n_regions);
} VtrLayerWatcher;

/* Asynchronous write protection by userfaultfd together with the PAGEMAP_SCAN ioctl
 * (Documentation/admin-guide/mm/userfaultfd.rst and pagemap.rst, Linux 6.7): no thread is notified,
 * and no writer waits. The first choice. */
extern const VtrLayerWatcher vtr_layer_watcher_uffd;

/* Synchronous write protection by userfaultfd (Linux 5.19): a thread of the layer takes the faults. */
extern const VtrLayerWatcher vtr_layer_watcher_uffd_sync;

/* mprotect(2) and a handler of SIGSEGV, which passes on other faults. */
extern const VtrLayerWatcher vtr_layer_watcher_mprotect;
