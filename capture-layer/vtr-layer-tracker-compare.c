/* Finds changed pages by comparing them with a copy of what was last seen or, if it is too large
 * to copy, with a hash of it.
 *
 * Both read all of the memory and run at its speed; the copy also tells what has changed in a page.
 * Pages that nobody has touched yet are not even read, where the kernel can tell (private anonymous
 * memory). */
#include "vtr-layer-tracker.h"

#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define XXH_INLINE_ALL
#define XXH_NO_STREAM
#include <xxhash.h>

#define COPIES_MAX (512u * 1024u * 1024u) /* of copies in all; beyond, whole pages are taken */
#define GRAIN 64u                         /* bytes that count as changed together */
#define WINDOW 512u                       /* pagemap entries read at once */

typedef struct
{
  uint64_t size;    /* of the allocation */
  uint64_t n_pages; /* the last may be short */
  uint64_t *hashes; /* of each page as handed over last; 0: never, 1: see .copy */
  uint8_t *copy;    /* of each page as handed over last; NULL: too large */
  uint64_t offset;  /* mapped part */
  uint64_t mapped;  /* bytes; 0: not mapped */
  uint8_t *address;

  /* Whether it is private anonymous memory, of which pagemap knows the pages that were touched.
   * Found out when a page is met that was never seen, once per place. */
  const uint8_t *asked; /* .address less .offset when that was found out */
  uint64_t asked_end;   /* end of the mapped part then */
  bool anonymous;

  uint64_t window_start; /* number of the first system page in .window */
  uint32_t window_size;  /* entries; 0: none */
  uint64_t window[WINDOW];
} CompareState;

static _Atomic uint64_t copies; /* bytes */

static void *
compare_create (uint64_t size)
{
  CompareState *self = calloc (1, sizeof *self);

  if (self == NULL)
    return NULL;
  self->size = size;
  self->n_pages = size / VTR_LAYER_PAGE + (size % VTR_LAYER_PAGE != 0);
  self->hashes = calloc (self->n_pages + 1, sizeof *self->hashes);
  if (self->hashes == NULL)
    {
      free (self);
      return NULL;
    }
  if (atomic_fetch_add (&copies, size) + size <= COPIES_MAX)
    {
      /* Not malloc(): takes memory only for the pages that come into use. */
      self->copy = mmap (NULL, size + 1, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
      if (self->copy == MAP_FAILED)
        self->copy = NULL;
    }
  if (self->copy == NULL)
    atomic_fetch_sub (&copies, size);
  return self;
}

static void
compare_destroy (void *state)
{
  CompareState *self = state;

  if (self == NULL)
    return;
  if (self->copy != NULL)
    {
      munmap (self->copy, self->size + 1);
      atomic_fetch_sub (&copies, self->size);
    }
  free (self->hashes);
  free (self);
}

/* Whether [@start, @end) lies in one private anonymous mapping. */
static bool
is_anonymous (uintptr_t start,
              uintptr_t end)
{
  FILE *maps = fopen ("/proc/self/maps", "re");
  char line[512];
  bool result = false;

  while (maps != NULL && fgets (line, sizeof line, maps) != NULL)
    {
      unsigned long from;
      unsigned long to;
      unsigned long inode;
      char mode[5];

      if (sscanf (line, "%lx-%lx %4s %*s %*s %lu", &from, &to, mode, &inode) != 4 || to <= start)
        continue;
      result = from <= start && end <= to && mode[3] == 'p' && inode == 0;
      break;
    }
  if (maps != NULL)
    fclose (maps);
  return result;
}

static void
compare_map (void     *state,
             uint64_t  offset,
             uint8_t  *address,
             size_t    size)
{
  CompareState *self = state;

  self->offset = offset;
  self->address = address;
  self->mapped = size;
}

/* Reading /proc/self/maps is not worth it for a few pages. */
static bool
ask_anonymous (CompareState *self)
{
  if (self->mapped < 16 * VTR_LAYER_PAGE)
    return false;
  if (self->asked != self->address - self->offset ||
      self->asked_end < self->offset + self->mapped)
    {
      self->asked = self->address - self->offset;
      self->asked_end = self->offset + self->mapped;
      self->anonymous =
        sysconf (_SC_PAGESIZE) == VTR_LAYER_PAGE &&
        is_anonymous ((uintptr_t)self->address, (uintptr_t)self->address + self->mapped);
    }
  return self->anonymous;
}

/* Reads the pagemap from system page @number on. */
static bool
load_window (CompareState *self,
             uint64_t      number)
{
  int fd = open ("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
  ssize_t got = -1;

  if (fd >= 0)
    {
      got = pread (fd, self->window, sizeof self->window, (off_t)(number * sizeof (uint64_t)));
      close (fd);
    }
  self->window_start = number;
  self->window_size = got < 0 ? 0 : (uint32_t)((size_t)got / sizeof (uint64_t));
  if (self->window_size == 0)
    self->anonymous = false;
  return self->window_size > 0;
}

/* Whether nobody can have written to the system page at @address: it is not there, nor swapped out.
 * Writes after this look are found at the next collection. */
static bool
is_untouched (CompareState  *self,
              const uint8_t *address)
{
  uint64_t number = (uintptr_t)address / VTR_LAYER_PAGE;

  if (number < self->window_start || number >= self->window_start + self->window_size)
    if (!load_window (self, number))
      return false;
  /* Bit 63: present, bit 62: swapped. */
  return (self->window[number - self->window_start] >> 62) == 0;
}

/* A page of which only a part was mapped is not known as a whole. */
static void
forget_part (CompareState *self,
             uint64_t      at)
{
  if (at % VTR_LAYER_PAGE != 0 && at < self->size)
    self->hashes[at / VTR_LAYER_PAGE] = 0;
}

static void
compare_unmap (void *state)
{
  CompareState *self = state;

  forget_part (self, self->offset);
  forget_part (self, self->offset + self->mapped);
  self->mapped = 0;
}

static uint64_t
hash_bytes (const uint8_t *bytes,
            size_t         size)
{
  uint64_t hash = XXH3_64bits (bytes, size);

  return hash == 0 ? 1 : hash;
}

/* The part of page @page that is mapped. */
static void
clip_page (const CompareState *self,
           uint64_t            page,
           uint64_t           *start,
           uint64_t           *end)
{
  uint64_t mapped_end = self->offset + self->mapped;

  *start = page * VTR_LAYER_PAGE;
  *end = *start + VTR_LAYER_PAGE;
  if (*start < self->offset)
    *start = self->offset;
  if (*end > mapped_end)
    *end = mapped_end;
}

static bool
page_changed (CompareState *self,
              uint64_t      page)
{
  uint64_t start;
  uint64_t end;
  const uint8_t *bytes;

  clip_page (self, page, &start, &end);
  bytes = self->address + (start - self->offset);
  if (self->hashes[page] == 0)
    return !ask_anonymous (self) || !is_untouched (self, bytes) ||
           !is_untouched (self, bytes + (end - start) - 1);
  if (self->copy != NULL)
    return memcmp (bytes, self->copy + start, end - start) != 0;
  return hash_bytes (bytes, end - start) != self->hashes[page];
}

/* Hands [@start, @end) over and remembers it. */
static bool
take_bytes (CompareState      *self,
            uint64_t           start,
            uint64_t           end,
            VtrLayerDirtySink  sink,
            void              *data)
{
  const uint8_t *taken = sink (data, start, self->address + (start - self->offset), end - start);

  if (taken == NULL)
    return false;
  /* From what was handed over, so that what is written meanwhile is found next time. */
  if (self->copy != NULL)
    memcpy (self->copy + start, taken, end - start);
  else
    for (uint64_t page = start / VTR_LAYER_PAGE; page * VTR_LAYER_PAGE < end; page++)
      {
        uint64_t page_start;
        uint64_t page_end;

        clip_page (self, page, &page_start, &page_end);
        self->hashes[page] = hash_bytes (taken + (page_start - start), page_end - page_start);
      }
  return true;
}

/* Hands over what differs from the copy in one page that was seen before. */
static bool
take_differences (CompareState      *self,
                  uint64_t           page,
                  VtrLayerDirtySink  sink,
                  void              *data)
{
  uint64_t start;
  uint64_t end;
  uint64_t run = UINT64_MAX; /* start of what differs */

  clip_page (self, page, &start, &end);
  for (uint64_t at = start; at < end; at += GRAIN)
    {
      uint64_t size = end - at < GRAIN ? end - at : GRAIN;
      bool differs = memcmp (self->address + (at - self->offset), self->copy + at, size) != 0;

      if (differs && run == UINT64_MAX)
        run = at;
      if (!differs && run != UINT64_MAX)
        {
          if (!take_bytes (self, run, at, sink, data))
            return false;
          run = UINT64_MAX;
        }
    }
  return run == UINT64_MAX || take_bytes (self, run, end, sink, data);
}

/* Hands over pages [@first, @last], which have changed or were never seen. */
static bool
take_pages (CompareState      *self,
            uint64_t           first,
            uint64_t           last,
            VtrLayerDirtySink  sink,
            void              *data)
{
  uint64_t start;
  uint64_t end;
  uint64_t unused;

  clip_page (self, first, &start, &unused);
  clip_page (self, last, &unused, &end);
  if (self->copy == NULL)
    return take_bytes (self, start, end, sink, data);

  if (self->hashes[first] == 0)
    {
      if (!take_bytes (self, start, end, sink, data))
        return false;
    }
  else
    for (uint64_t page = first; page <= last; page++)
      if (!take_differences (self, page, sink, data))
        return false;

  for (uint64_t page = first; page <= last; page++)
    self->hashes[page] = 1;
  return true;
}

/* Pages that are not there yet stay unknown: they are read when they come. */
static void
compare_adopt (void *state)
{
  CompareState *self = state;
  uint64_t mapped_end = self->offset + self->mapped;

  self->window_size = 0;
  for (uint64_t page = self->offset / VTR_LAYER_PAGE; page * VTR_LAYER_PAGE < mapped_end; page++)
    {
      uint64_t start;
      uint64_t end;
      const uint8_t *bytes;

      clip_page (self, page, &start, &end);
      bytes = self->address + (start - self->offset);
      if (ask_anonymous (self) && is_untouched (self, bytes) &&
          is_untouched (self, bytes + (end - start) - 1))
        continue;
      if (self->copy != NULL)
        memcpy (self->copy + start, bytes, end - start);
      self->hashes[page] = self->copy != NULL ? 1 : hash_bytes (bytes, end - start);
    }
}

static void
compare_collect (void              *state,
                 uint64_t           offset,
                 uint64_t           size,
                 size_t             most,
                 VtrLayerDirtySink  sink,
                 void              *data)
{
  CompareState *self = state;
  uint64_t most_pages = most / VTR_LAYER_PAGE;
  uint64_t start = offset < self->offset ? self->offset : offset;
  uint64_t end = self->offset + self->mapped;
  uint64_t page;
  uint64_t last;

  if (size < end && offset < end - size)
    end = offset + size;
  if (self->mapped == 0 || start >= end || most_pages == 0)
    return;

  self->window_size = 0;
  last = (end - 1) / VTR_LAYER_PAGE;
  for (page = start / VTR_LAYER_PAGE; page <= last; page++)
    {
      uint64_t first = page;
      bool known = self->hashes[page] != 0;

      if (!page_changed (self, page))
        continue;
      while (page < last && page - first + 1 < most_pages &&
             (self->hashes[page + 1] != 0) == known &&
             page_changed (self, page + 1))
        page++;
      if (!take_pages (self, first, page, sink, data))
        return;
    }
}

const VtrLayerTracker vtr_layer_tracker_compare = {
  .name = "page compare",
  .cost = "reads all mapped memory that is in use at every submission, and copies it once",
  .create = compare_create,
  .destroy = compare_destroy,
  .map = compare_map,
  .unmap = compare_unmap,
  .adopt = compare_adopt,
  .collect = compare_collect,
};
