/* Finds CPU writes to one mapped allocation, and decides for each mebibyte whether watching its
 * pages or comparing its bytes is cheaper. */
#include "vtr-layer-tracker.h"

#include "vtr-layer-mappings.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#define CHUNK_PAGES 256u
#define WATCH_MIN (128u * 1024u) /* bytes; less is compared sooner than asked about */
#define REGIONS 128u             /* listed at once */

/* The meter: collections until it decides. Each change of mind makes the next one later. */
#define PATIENCE_MIN 8u
#define PATIENCE_MAX 1024u

typedef enum
{
  CHUNK_WATCHED = 0, /* the kernel says what was written */
  CHUNK_WARMING = 1, /* watched; from the next collection on compared */
  CHUNK_COMPARED = 2,
  CHUNK_COOLING = 3, /* compared; from the next collection on watched */
} ChunkMode;

typedef struct
{
  uint8_t mode;      /* ChunkMode */
  bool seen;         /* the meter may look at the first collection now */
  uint16_t patience; /* collections that the meter looks at */
  uint16_t n_scans;  /* of them so far */
  uint32_t n_dirty;  /* pages found written in them */
} Chunk;

struct VtrLayerTracker
{
  VtrLayerPages pages;
  const VtrLayerTrackerChoice *choice;
  VtrLayerOwner owner;
  Chunk *chunks;
  size_t n_chunks;
  const uint64_t *left_out; /* bits of pages; NULL: none */
  const uint64_t *shared;   /* bits of pages; NULL: none */

  uintptr_t base;        /* where the allocation begins, or would, when it is watched */
  uintptr_t watch_start; /* whole system pages */
  uintptr_t watch_end;   /* equal: not watched */
  uintptr_t prepared;    /* what is watched before it was adopted ahead of time; 0: nothing */
  bool exact;            /* for the watcher's scan () */
  bool refused;          /* watching did not work here */
  bool aligned;          /* pages of the allocation are pages of the system */
  uint32_t page_ns;      /* what comparing a page has taken lately */
  uint64_t next_page;    /* the first that this collection has not looked at */
};

VtrLayerTracker *
vtr_layer_tracker_new (uint64_t                     size,
                       VtrLayerOwner                owner,
                       const VtrLayerTrackerChoice *choice)
{
  VtrLayerTracker *self = calloc (1, sizeof *self);

  if (self == NULL)
    return NULL;
  self->choice = choice;
  self->owner = owner;
  self->page_ns = choice->page_ns;
  self->n_chunks = size / VTR_LAYER_PAGE / CHUNK_PAGES + 1;
  self->chunks = calloc (self->n_chunks, sizeof *self->chunks);
  if (self->chunks == NULL || !vtr_layer_pages_init (&self->pages, size))
    {
      free (self->chunks);
      free (self);
      return NULL;
    }
  return self;
}

/* ---- Watching ---- */

static bool
is_watched (const VtrLayerTracker *self)
{
  return self->watch_start < self->watch_end;
}

static void
stop_watching (VtrLayerTracker *self)
{
  if (is_watched (self))
    self->choice->watcher->unwatch (self->watch_start, self->watch_end);
  self->watch_start = self->watch_end = self->prepared = 0;
}

/* Whether what lies there shows all writes to the kernel's scan, and how. */
static bool
can_watch (VtrLayerTracker *self,
           uintptr_t        start,
           uintptr_t        end)
{
  VtrLayerMapping place;

  if (self->owner == VTR_LAYER_OWNER_OTHERS || !vtr_layer_find_mapping (start, end, &place))
    return false;
  self->exact = place.anonymous && self->choice->watcher->knows_untouched;
  return place.anonymous || (self->owner == VTR_LAYER_OWNER_DRIVER && self->choice->shared &&
                             place.shared && place.file == self->choice->file);
}

/* Begins to watch the mapping, if that is worth it. */
static void
start_watching (VtrLayerTracker *self)
{
  uintptr_t address = (uintptr_t)self->pages.address;
  uintptr_t start = (address + VTR_LAYER_PAGE - 1) & ~(uintptr_t)(VTR_LAYER_PAGE - 1);
  uintptr_t end = (address + self->pages.mapped) & ~(uintptr_t)(VTR_LAYER_PAGE - 1);

  if (self->choice->watcher == NULL || self->refused || is_watched (self) ||
      self->pages.mapped < WATCH_MIN)
    return;
  self->refused = true;
  if (!can_watch (self, start, end) || !self->choice->watcher->watch (start, end))
    return;
  self->refused = false;
  self->base = address - self->pages.offset;
  self->watch_start = start;
  self->watch_end = end;
  /* Where it cannot be told what was never touched, everything counts as written at first. */
  for (size_t i = 0; i < self->n_chunks; i++)
    self->chunks[i] = (Chunk){
      .mode = self->exact ? CHUNK_WATCHED : CHUNK_COOLING,
      .patience = PATIENCE_MIN,
    };
}

void
vtr_layer_tracker_free (VtrLayerTracker *self)
{
  if (self == NULL)
    return;
  stop_watching (self);
  vtr_layer_pages_finish (&self->pages);
  free (self->chunks);
  free (self);
}

void
vtr_layer_tracker_map (VtrLayerTracker *self,
                       uint64_t         offset,
                       uint8_t         *address,
                       uint64_t         size)
{
  /* Memory that is mapped again and again at one place goes on being watched. */
  if (is_watched (self) &&
      (self->base != (uintptr_t)address - offset ||
       (uintptr_t)address + VTR_LAYER_PAGE <= self->watch_start ||
       (uintptr_t)address + size >= self->watch_end + VTR_LAYER_PAGE))
    stop_watching (self);
  self->refused = false;
  self->aligned = ((uintptr_t)address - offset) % VTR_LAYER_PAGE == 0;
  vtr_layer_pages_map (&self->pages, offset, address, size);
}

void
vtr_layer_tracker_unmap (VtrLayerTracker *self)
{
  if (is_watched (self) && !self->choice->watcher->is_harmless)
    stop_watching (self);
  vtr_layer_pages_unmap (&self->pages);
}

void
vtr_layer_tracker_leave_out (VtrLayerTracker   *self,
                             const uint64_t    *pages,
                             const VtrRangeSet *ranges)
{
  self->left_out = pages;
  vtr_layer_pages_leave_out (&self->pages, ranges);
}

void
vtr_layer_tracker_share (VtrLayerTracker *self,
                         const uint64_t  *pages)
{
  self->shared = pages;
}

/* ---- What was written ---- */

/* How a run of pages is looked at. */
typedef enum
{
  RUN_LEFT_OUT,
  RUN_COMPARED,
  RUN_WATCHED,
} RunKind;

static bool
is_left_out (const VtrLayerTracker *self,
             uint64_t               page)
{
  /* Asking about a page takes the news from those that share it. */
  return self->left_out != NULL && self->aligned &&
         (self->left_out[page / 64] >> (page % 64) & 1) != 0;
}

/* Whether the mapped part of the page is in watched system pages only. */
static bool
is_inside (const VtrLayerTracker *self,
           uint64_t               page)
{
  uint64_t from = page * VTR_LAYER_PAGE;
  uint64_t to = from + VTR_LAYER_PAGE;
  uint64_t mapped_end = self->pages.offset + self->pages.mapped;

  if (from < self->pages.offset)
    from = self->pages.offset;
  if (to > mapped_end)
    to = mapped_end;
  return is_watched (self) && self->base + from >= self->watch_start &&
         self->base + to <= self->watch_end;
}

static RunKind
kind_of (const VtrLayerTracker *self,
         uint64_t               page)
{
  uint8_t mode = self->chunks[page / CHUNK_PAGES].mode;

  if (is_left_out (self, page))
    return RUN_LEFT_OUT;
  if (!is_inside (self, page))
    return RUN_COMPARED;
  return mode == CHUNK_WATCHED || mode == CHUNK_WARMING ? RUN_WATCHED : RUN_COMPARED;
}

static bool
is_shared (const VtrLayerTracker *self,
           uint64_t               page)
{
  return self->shared != NULL && (self->shared[page / 64] >> (page % 64) & 1) != 0;
}

/* Small pages that share a page of the system may be reported twice. */
static void
check_page (VtrLayerTracker *self,
            uint64_t         page,
            bool             written)
{
  bool whole = written && is_shared (self, page);
  bool found = page >= self->next_page &&
               (whole ? vtr_layer_pages_take (&self->pages, page)
                      : vtr_layer_pages_check (&self->pages, page, written));

  /* A page that was written costs its fault, whatever is in it. */
  self->chunks[page / CHUNK_PAGES].n_dirty += found || written;
  if (page >= self->next_page)
    self->next_page = page + 1;
}

static uint64_t
read_clock (void)
{
  struct timespec now;

  clock_gettime (CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void
compare_run (VtrLayerTracker *self,
             uint64_t         first,
             uint64_t         last)
{
  uint64_t begun = last - first >= 64 ? read_clock () : 0;

  self->pages.hashing = true;
  self->pages.ahead = UINT64_MAX;
  for (uint64_t page = first; page <= last; page++)
    check_page (self, page, false);
  if (begun != 0)
    {
      uint64_t each = (read_clock () - begun) / (last - first + 1);

      /* A pause of the thread is not what a page takes. */
      if (each < 10 * (uint64_t)self->page_ns + 10)
        self->page_ns = (uint32_t)((7 * (uint64_t)self->page_ns + each) / 8);
    }
}

/* Looks at the pages that a scan has listed, as pages of the allocation. @next: (nullable): the
 * pages that follow. */
static void
check_region (VtrLayerTracker      *self,
              const VtrLayerRegion *region,
              const VtrLayerRegion *next)
{
  uint64_t first;
  uint64_t last;

  if (!vtr_layer_pages_clip (&self->pages,
                             region->start > self->base ? region->start - self->base : 0,
                             region->end - self->base, &first, &last))
    return;
  /* The allocation's pages need not be aligned to the system's; one of them may then be in two
   * system pages. */
  for (uint64_t page = first; page <= last; page++)
    {
      self->pages.ahead = page < last    ? page + 1
                          : next != NULL ? (next->start - self->base) / VTR_LAYER_PAGE
                                         : UINT64_MAX;
      if (!is_left_out (self, page))
        check_page (self, page, true);
    }
}

/* Asks about [@first, @last]; @check: looks at what was written, otherwise only protects.
 * Returns: false when the kernel does not watch any more. */
static bool
scan_run (VtrLayerTracker *self,
          uint64_t         first,
          uint64_t         last,
          bool             check)
{
  VtrLayerRegion regions[REGIONS];
  uintptr_t at = self->base + first * VTR_LAYER_PAGE;
  uintptr_t end = self->base + (last + 1) * VTR_LAYER_PAGE;

  at &= ~(uintptr_t)(VTR_LAYER_PAGE - 1);
  end = (end + VTR_LAYER_PAGE - 1) & ~(uintptr_t)(VTR_LAYER_PAGE - 1);
  if (at < self->watch_start)
    at = self->watch_start;
  if (end > self->watch_end)
    end = self->watch_end;
  self->pages.hashing = false;
  while (at < end)
    {
      int n = self->choice->watcher->scan (&at, end, self->exact, regions, REGIONS);

      if (n < 0)
        return false;
      for (int i = 0; check && i < n; i++)
        check_region (self, &regions[i], i + 1 < n ? &regions[i + 1] : NULL);
    }
  return true;
}

/* The mapping was changed by others, so all earlier results may be wrong. */
static void
give_up (VtrLayerTracker *self)
{
  /* Bytes that prepare_chunks() has read may be newer than a write that only the kernel
   * reported. */
  for (size_t i = 0; i < self->n_chunks; i++)
    for (uint64_t page = i * CHUNK_PAGES;
         self->chunks[i].mode == CHUNK_WARMING && page < (i + 1) * CHUNK_PAGES &&
         page < self->pages.n_pages;
         page++)
      self->pages.hashes[page] = 0;
  stop_watching (self);
  self->refused = true;
}

/* Before the pages of a chunk are compared for the first time: those that were recorded without
 * a copy need something to be compared with, read before the kernel is asked the last time. */
static void
prepare_chunks (VtrLayerTracker *self,
                uint64_t         first,
                uint64_t         last)
{
  for (uint64_t page = first; page <= last; page++)
    if (self->chunks[page / CHUNK_PAGES].mode == CHUNK_WARMING)
      vtr_layer_pages_prepare (&self->pages, page);
}

/* Protects what is to be watched from now on; it is compared afterwards, once more. */
static bool
protect_cooling (VtrLayerTracker *self,
                 uint64_t         first,
                 uint64_t         last)
{
  for (uint64_t page = first; page <= last;)
    {
      uint64_t stop = (page / CHUNK_PAGES + 1) * CHUNK_PAGES - 1;

      if (stop > last)
        stop = last;
      if (self->chunks[page / CHUNK_PAGES].mode == CHUNK_COOLING &&
          !scan_run (self, page, stop, false))
        return false;
      page = stop + 1;
    }
  return true;
}

/* ---- The meter ---- */

/* Whether a chunk would cost less the other way, by what its last collections found. */
static bool
should_change (const VtrLayerTracker *self,
               const Chunk           *chunk)
{
  uint64_t asked = (uint64_t)chunk->n_dirty * (self->choice->fault_ns + self->page_ns);
  uint64_t compared = (uint64_t)chunk->n_scans * CHUNK_PAGES * self->page_ns;

  if (chunk->mode == CHUNK_WATCHED)
    return asked > compared + compared / 4;
  return asked + asked / 2 < compared;
}

static void
judge_chunk (VtrLayerTracker *self,
             Chunk           *chunk)
{
  if (chunk->mode == CHUNK_WARMING || chunk->mode == CHUNK_COOLING)
    {
      chunk->mode = chunk->mode == CHUNK_WARMING ? CHUNK_COMPARED : CHUNK_WATCHED;
      chunk->n_dirty = 0;
      return;
    }
  /* Everything is new in the first one. */
  if (!chunk->seen)
    {
      chunk->seen = true;
      chunk->n_dirty = 0;
      return;
    }
  if (++chunk->n_scans < chunk->patience)
    return;
  if (!self->choice->fixed && should_change (self, chunk))
    {
      chunk->mode = chunk->mode == CHUNK_WATCHED ? CHUNK_WARMING : CHUNK_COOLING;
      if (chunk->patience < PATIENCE_MAX)
        chunk->patience *= 2;
    }
  chunk->n_scans = 0;
  chunk->n_dirty = 0;
}

/* After a collection of everything that is mapped. */
static void
judge (VtrLayerTracker *self,
       uint64_t         first,
       uint64_t         last)
{
  if (is_watched (self))
    for (uint64_t i = first / CHUNK_PAGES; i <= last / CHUNK_PAGES; i++)
      judge_chunk (self, &self->chunks[i]);
}

void
vtr_layer_tracker_count (const VtrLayerTracker *self,
                         size_t                *n_watched,
                         size_t                *n_compared)
{
  *n_watched = *n_compared = 0;
  for (size_t i = 0; i < self->n_chunks; i++)
    {
      uint8_t mode = self->chunks[i].mode;

      if (is_watched (self) && (mode == CHUNK_WATCHED || mode == CHUNK_WARMING))
        ++*n_watched;
      else
        ++*n_compared;
    }
}

/* ---- Collecting ---- */

static void
collect_pages (VtrLayerTracker *self,
               uint64_t         first,
               uint64_t         last)
{
  for (uint64_t page = first; page <= last;)
    {
      RunKind kind = kind_of (self, page);
      uint64_t stop = page;

      while (stop < last && kind_of (self, stop + 1) == kind)
        stop++;
      if (kind == RUN_WATCHED && !scan_run (self, page, stop, true))
        {
          give_up (self);
          kind = RUN_COMPARED;
        }
      if (kind == RUN_COMPARED)
        compare_run (self, page, stop);
      page = stop + 1;
    }
}

void
vtr_layer_tracker_collect (VtrLayerTracker    *self,
                           uint64_t            offset,
                           uint64_t            size,
                           bool                last_time,
                           const VtrLayerSink *sink)
{
  uint64_t end = size > UINT64_MAX - offset ? UINT64_MAX : offset + size;
  uint64_t first;
  uint64_t last;
  bool whole;

  if (!vtr_layer_pages_clip (&self->pages, offset, end, &first, &last))
    return;
  whole = offset <= self->pages.offset && end >= self->pages.offset + self->pages.mapped;
  if (!last_time)
    start_watching (self);
  vtr_layer_pages_begin (&self->pages, sink);
  if (whole && is_watched (self))
    {
      prepare_chunks (self, first, last);
      if (!protect_cooling (self, first, last))
        give_up (self);
    }
  self->next_page = 0;
  collect_pages (self, first, last);
  vtr_layer_pages_end (&self->pages);
  if (whole)
    judge (self, first, last);
}

void
vtr_layer_tracker_collect_shared (VtrLayerTracker    *self,
                                  const VtrLayerSink *sink)
{
  uint64_t first;
  uint64_t last;

  if (self->shared == NULL || !vtr_layer_pages_clip (&self->pages, 0, UINT64_MAX, &first, &last))
    return;
  vtr_layer_pages_begin (&self->pages, sink);
  self->pages.hashing = true;
  for (uint64_t page = first; page <= last; page++)
    if (is_shared (self, page) && kind_of (self, page) == RUN_COMPARED)
      vtr_layer_pages_check (&self->pages, page, false);
  vtr_layer_pages_end (&self->pages);
}

/* Everything that is there has been written once; what is not stays unknown.
 *
 * Returns: false when the kernel does not watch any more. */
static bool
adopt_watched (VtrLayerTracker *self,
               uintptr_t        at,
               uintptr_t        end)
{
  VtrLayerRegion regions[REGIONS];

  while (at < end)
    {
      int n = self->choice->watcher->scan (&at, end, self->exact, regions, REGIONS);
      uint64_t first;
      uint64_t last;

      if (n < 0)
        return false;
      for (int i = 0; i < n; i++)
        if (vtr_layer_pages_clip (
              &self->pages, regions[i].start > self->base ? regions[i].start - self->base : 0,
              regions[i].end - self->base, &first, &last))
          for (uint64_t page = first; page <= last; page++)
            vtr_layer_pages_adopt (&self->pages, page, is_inside (self, page));
    }
  return true;
}

bool
vtr_layer_tracker_prepare (VtrLayerTracker *self,
                           bool             again,
                           uint64_t        *left)
{
  const VtrLayerSink none = { 0 };
  uintptr_t from, to;

  if (self->choice->watcher == NULL || !self->choice->watcher->is_harmless)
    return false;
  vtr_layer_pages_begin (&self->pages, &none);
  start_watching (self);
  if (!is_watched (self))
    return false;
  from = self->prepared != 0 && !again ? self->prepared : self->watch_start;
  to = self->watch_end - from <= *left ? self->watch_end : from + (uintptr_t)*left;
  to &= ~(uintptr_t)(VTR_LAYER_PAGE - 1);
  /* Pages that are written to after that are reported once more, without a change. */
  if (!adopt_watched (self, from, to))
    {
      give_up (self);
      return false;
    }
  self->prepared = to;
  *left -= to - from;
  return to < self->watch_end;
}

bool
vtr_layer_tracker_retire (VtrLayerTracker *self,
                          uint64_t        *left)
{
  uintptr_t to = self->watch_end;

  if (!is_watched (self))
    return false;
  if (self->choice->watcher->is_harmless && to - self->watch_start > *left)
    to = (self->watch_start + (uintptr_t)*left) & ~(uintptr_t)(VTR_LAYER_PAGE - 1);
  if (to > self->watch_start)
    self->choice->watcher->unwatch (self->watch_start, to);
  *left -= to - self->watch_start < *left ? to - self->watch_start : *left;
  self->watch_start = to;
  return is_watched (self);
}

void
vtr_layer_tracker_adopt (VtrLayerTracker *self)
{
  const VtrLayerSink none = { 0 };
  bool watched;
  uint64_t first;
  uint64_t last;

  if (!vtr_layer_pages_clip (&self->pages, 0, UINT64_MAX, &first, &last))
    return;
  vtr_layer_pages_begin (&self->pages, &none);
  start_watching (self);
  watched = is_watched (self) &&
            adopt_watched (self, self->prepared != 0 ? self->prepared : self->watch_start,
                           self->watch_end);
  if (is_watched (self) && !watched)
    give_up (self);
  for (size_t i = 0; i < self->n_chunks; i++)
    self->chunks[i].mode = CHUNK_WATCHED;
  for (uint64_t page = first; page <= last; page++)
    if (!watched || !is_inside (self, page))
      vtr_layer_pages_adopt (&self->pages, page, false);
    else if (!self->exact)
      vtr_layer_pages_adopt (&self->pages, page, true);
}
