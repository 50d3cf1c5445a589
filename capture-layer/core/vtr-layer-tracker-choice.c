/* Tries which methods of finding writes work for a type of memory, and how long they take. */
#include "vtr-layer-tracker.h"

#include "vtr-layer-mappings.h"

#include "base/vtr-log.h"

#include <assert.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define N_PAGES 32u /* that are written to */
#define N_ROUNDS 4u /* of which the fastest counts */

static_assert ((N_PAGES + 2) * VTR_LAYER_PAGE <= VTR_LAYER_TRACKER_SCRATCH, "whole pages of it");

/* Whole pages of the scratch memory. */
typedef struct
{
  const VtrLayerWatcher *watcher;
  volatile uint8_t *memory;
  uintptr_t start;
  uintptr_t end;
  bool exact;
} Scratch;

static uint64_t
read_clock (void)
{
  struct timespec now;

  clock_gettime (CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Scans all of it. Returns: a bit for each page that was written; all bits when the scan failed. */
static uint64_t
scan (const Scratch *self)
{
  VtrLayerRegion regions[N_PAGES];
  uintptr_t at = self->start;
  uint64_t mask = 0;

  while (at < self->end)
    {
      int n = self->watcher->scan (&at, self->end, self->exact, regions, N_PAGES);

      if (n < 0)
        return UINT64_MAX;
      for (int i = 0; i < n; i++)
        for (uint64_t page = regions[i].start; page < regions[i].end; page += VTR_LAYER_PAGE)
          mask |= UINT64_C (1) << (page - self->start) / VTR_LAYER_PAGE;
    }
  return mask;
}

static void
write_page (const Scratch *self,
            unsigned       page)
{
  self->memory[page * VTR_LAYER_PAGE + 5 * page] += 1;
}

/* Lets the kernel write, as read(2) into mapped memory does. */
static bool
write_by_kernel (const Scratch *self,
                 unsigned       page)
{
  int ends[2];
  bool done;

  if (pipe2 (ends, O_CLOEXEC) != 0)
    return false;
  done = write (ends[1], "vitrine", 7) == 7 &&
         read (ends[0], (void *)(self->start + page * VTR_LAYER_PAGE), 7) == 7;
  close (ends[0]);
  close (ends[1]);
  return done;
}

/* Whether writes are found: all of them, and nothing else. */
static bool
finds_writes (const Scratch *self)
{
  for (unsigned page = 0; page < N_PAGES; page++)
    write_page (self, page);
  if (scan (self) == UINT64_MAX || scan (self) != 0)
    return false;
  write_page (self, 3);
  write_page (self, N_PAGES - 1);
  if (scan (self) != (1u << 3 | 1u << (N_PAGES - 1)))
    return false;
  write_page (self, 3);
  return scan (self) == 1u << 3 && scan (self) == 0;
}

static bool
finds_kernel (const Scratch *self)
{
  return write_by_kernel (self, 9) && scan (self) == 1u << 9;
}

/* Returns: nanoseconds that protection adds to the first write to a page. */
static uint32_t
time_faults (const Scratch *self)
{
  uint64_t best = UINT32_MAX;

  for (unsigned round = 0; round < N_ROUNDS; round++)
    {
      uint64_t times[3];
      uint64_t first;
      uint64_t second;

      scan (self);
      times[0] = read_clock ();
      for (unsigned i = 0; i < 2; i++)
        {
          for (unsigned page = 0; page < N_PAGES; page++)
            write_page (self, page);
          times[i + 1] = read_clock ();
        }
      first = times[1] - times[0];
      second = times[2] - times[1];
      if (first > second && (first - second) / N_PAGES < best)
        best = (first - second) / N_PAGES;
    }
  return (uint32_t)best;
}

/* Returns: why @watcher cannot be used for this memory; NULL: it can. */
static const char *
try_watcher (VtrLayerTrackerChoice *choice,
             const VtrLayerWatcher *watcher,
             uint8_t               *memory,
             size_t                 size)
{
  uintptr_t start = ((uintptr_t)memory + VTR_LAYER_PAGE - 1) & ~(uintptr_t)(VTR_LAYER_PAGE - 1);
  Scratch scratch = { watcher, (volatile uint8_t *)start, start, start + N_PAGES * VTR_LAYER_PAGE,
                      false };
  const char *problem = watcher->open ();
  VtrLayerMapping place;

  if (problem != NULL)
    return problem;
  if (memory == NULL || size < VTR_LAYER_TRACKER_SCRATCH)
    return "there was no memory to try it on";
  if (!vtr_layer_find_mapping (scratch.start, scratch.end, &place))
    return "the mapping cannot be told from others";
  if (!watcher->watch (scratch.start, scratch.end))
    return "such mappings cannot be watched";
  scratch.exact = place.anonymous;
  if (!finds_writes (&scratch))
    problem = "not all writes to such mappings are seen";
  else if (!finds_kernel (&scratch))
    choice->breaks_reads = true;
  if (problem == NULL)
    choice->fault_ns = time_faults (&scratch);
  watcher->unwatch (scratch.start, scratch.end);
  choice->shared = place.shared;
  choice->file = place.file;
  return choice->breaks_reads && watcher->is_harmless ? "the kernel's own writes are not seen"
                                                      : problem;
}

static const uint8_t *
take_nothing (void          *data,
              uint64_t       offset,
              const uint8_t *bytes,
              const uint8_t *held,
              size_t         size)
{
  (void)data;
  (void)offset;
  (void)size;
  return held != NULL ? held : bytes;
}

/* Returns: nanoseconds that comparing a page takes: twice as many as here, where it is cached. */
static uint32_t
time_compare (uint8_t *memory,
              size_t   size)
{
  const VtrLayerTrackerChoice compare = { .reason = NULL };
  const VtrLayerSink sink = { take_nothing, NULL, size };
  VtrLayerTracker *tracker = vtr_layer_tracker_new (size, VTR_LAYER_OWNER_DRIVER, &compare);
  uint64_t best = UINT32_MAX;

  if (tracker == NULL)
    return 0;
  vtr_layer_tracker_map (tracker, 0, memory, size);
  for (unsigned round = 0; round < N_ROUNDS; round++)
    {
      uint64_t begun = read_clock ();
      uint64_t taken;

      vtr_layer_tracker_collect (tracker, 0, size, true, &sink);
      taken = (read_clock () - begun) / (size / VTR_LAYER_PAGE);
      if (taken < best)
        best = taken;
    }
  vtr_layer_tracker_free (tracker);
  return 2 * (uint32_t)best;
}

/* Returns: the watcher that is asked for or, without a wish, the best; NULL: none. */
static const VtrLayerWatcher *
find_watcher (const char *wish)
{
  static const VtrLayerWatcher *const watchers[] = { &vtr_layer_watcher_uffd,
                                                     &vtr_layer_watcher_uffd_sync,
                                                     &vtr_layer_watcher_mprotect };

  if (wish == NULL || strcmp (wish, "auto") == 0)
    return watchers[0];
  for (size_t i = 0; i < sizeof watchers / sizeof watchers[0]; i++)
    if (strcmp (wish, watchers[i]->wish) == 0)
      return watchers[i];
  if (strcmp (wish, "compare") == 0)
    return NULL;
  vtr_log (VTR_LOG_WARNING,
           "VITRINE_TRACKER is none of “auto”, “uffd”, “compare”, “uffd-sync”, “mprotect”: %s",
           wish);
  return watchers[0];
}

void
vtr_layer_tracker_choose (VtrLayerTrackerChoice *choice,
                          uint8_t               *memory,
                          size_t                 size)
{
  const char *wish = getenv ("VITRINE_TRACKER");
  const VtrLayerWatcher *watcher = find_watcher (wish);

  memset (choice, 0, sizeof *choice);
  if (memory != NULL && size >= VTR_LAYER_TRACKER_SCRATCH)
    memset (memory, 0, size);
  choice->reason =
    watcher != NULL ? try_watcher (choice, watcher, memory, size) : "asked for";
  if (choice->reason == NULL)
    choice->watcher = watcher;
  if (memory != NULL && size >= VTR_LAYER_TRACKER_SCRATCH)
    choice->page_ns = time_compare (memory, size);
  choice->fixed = wish != NULL && watcher != NULL && strcmp (wish, watcher->wish) == 0;
  if (choice->fixed && choice->reason != NULL)
    vtr_log (VTR_LOG_WARNING, "VITRINE_TRACKER: pages are compared all the same: %s",
             choice->reason);
}

void
vtr_layer_tracker_describe (const VtrLayerTrackerChoice *choice,
                            char                        *text,
                            size_t                       size)
{
  if (choice->watcher != NULL)
    snprintf (text, size,
              "%s: the first write to a page after each look takes %" PRIu32
              " ns; %s%" PRIu32 " ns a page%s",
              choice->watcher->name, choice->fault_ns,
              choice->fixed ? "comparing would take " : "compared where much is written: ",
              choice->page_ns,
              choice->breaks_reads ? "; reading files into it fails (EFAULT)" : "");
  else
    snprintf (text, size, "page compare (%s): %" PRIu32 " ns a page at every submission",
              choice->reason, choice->page_ns);
}
