/* Copies the bytes of device memory: with the CPU if it is host-visible, otherwise through buffers
 * of the program. */
#include "vtr-layer-contents-private.h"

#include "vtr-layer-late.h"

#include "base/vtr-range-set.h"

#include <stdio.h>
#include <stdlib.h>

/* About how much is mapped at once for the CPU to read, because address space may be scarce. */
#define MAPPED_MAX \
  (sizeof (void *) < 8 ? UINT64_C (256) * 1024u * 1024u : UINT64_C (256) * 1024u * 1024u * 1024u)

/* ---- What lies where ---- */

/* A resource in memory. */
typedef struct
{
  uint64_t memory;
  uint64_t begin;
  uint64_t end;
  const VtrLayerLiveBuffer *buffer; /* NULL: an image */
  bool opaque;                      /* its bytes mean nothing outside the driver */
} Place;

typedef struct
{
  Place *places; /* sorted by memory, then by beginning */
  size_t n;
} Places;

static int
compare_places (const void *a,
                const void *b)
{
  const Place *left = a;
  const Place *right = b;

  if (left->memory != right->memory)
    return left->memory < right->memory ? -1 : 1;
  return left->begin < right->begin ? -1 : left->begin > right->begin;
}

static uint64_t
end_of (uint64_t begin,
        uint64_t size)
{
  return size > UINT64_MAX - begin ? UINT64_MAX : begin + size;
}

/* Pages of a sparse image. */
static void
add_pages (Places                  *self,
           const VtrLayerLiveImage *image,
           bool                     opaque)
{
  const uint64_t size = vtr_layer_sparse_tile_size (image->sparse);

  for (size_t i = 0; i < image->n_ranges; i++)
    {
      const VkSparseMemoryBind *range = &image->ranges[i];

      self->places[self->n++] = (Place){ (uint64_t)(uintptr_t)range->memory, range->memoryOffset,
                                         end_of (range->memoryOffset, range->size), NULL,
                                         opaque };
    }
  for (size_t i = 0; i < image->n_tiles; i++)
    {
      const VkSparseImageMemoryBind *tile = &image->tiles[i];

      self->places[self->n++] = (Place){ (uint64_t)(uintptr_t)tile->memory, tile->memoryOffset,
                                         end_of (tile->memoryOffset, size), NULL, opaque };
    }
}

static bool
find_places (Places            *self,
             const VtrContents *contents)
{
  const VtrLayerLiveWorld *world = contents->world;
  size_t n = world->n_buffers + world->n_images + 1;

  for (size_t i = 0; i < world->n_images; i++)
    n += world->images[i].n_ranges + world->images[i].n_tiles;
  self->n = 0;
  self->places = calloc (n, sizeof *self->places);
  if (self->places == NULL)
    return false;
  for (size_t i = 0; i < world->n_buffers; i++)
    {
      const VtrLayerLiveBuffer *buffer = &world->buffers[i];

      self->places[self->n++] = (Place){ (uint64_t)(uintptr_t)buffer->memory, buffer->offset,
                                         end_of (buffer->offset, buffer->size), buffer, false };
    }
  for (size_t i = 0; i < world->n_images; i++)
    {
      const VtrLayerLiveImage *image = &world->images[i];

      if (image->memory != VK_NULL_HANDLE)
        self->places[self->n++] = (Place){ (uint64_t)(uintptr_t)image->memory, image->offset,
                                           end_of (image->offset, image->size), NULL,
                                           vtr_contents_is_opaque (contents, image) };
      if (image->sparse != NULL)
        add_pages (self, image, vtr_contents_is_opaque (contents, image));
    }
  qsort (self->places, self->n, sizeof *self->places, compare_places);
  return true;
}

/* The first place in @memory, or behind it. */
static size_t
find_first (const Places   *self,
            VkDeviceMemory  memory)
{
  uint64_t key = (uint64_t)(uintptr_t)memory;
  size_t low = 0, high = self->n;

  while (low < high)
    {
      size_t middle = (low + high) / 2;

      if (self->places[middle].memory < key)
        low = middle + 1;
      else
        high = middle;
    }
  return low;
}

/* The bytes of @memory that have to be recorded, and those that are in buffers. @shared: set if
 * images are in the same bytes, because the GPU changes their layout to copy them. */
static bool
choose_bytes (const Places             *places,
              const VtrLayerLiveMemory *memory,
              VtrRangeSet              *wanted,
              VtrRangeSet              *buffers,
              bool                     *shared)
{
  uint64_t key = (uint64_t)(uintptr_t)memory->memory;
  VtrRangeSet opaque = { 0 };
  VtrRangeSet bytes = { 0 };
  VtrRangeSet late = { 0 };
  bool ok = vtr_range_set_add (wanted, 0, memory->size);

  for (size_t i = find_first (places, memory->memory);
       ok && i < places->n && places->places[i].memory == key; i++)
    {
      const Place *place = &places->places[i];
      uint64_t end = place->end < memory->size ? place->end : memory->size;

      ok = vtr_range_set_add (place->opaque ? &opaque : &bytes, place->begin, end);
      if (ok && place->buffer != NULL)
        ok = vtr_range_set_add (place->buffer->late ? &late : buffers, place->begin, end);
    }
  /* Where both lie, one of them is in use, but it is unknown which. */
  *shared = *shared || vtr_range_set_intersects (&opaque, &bytes);
  ok = ok && vtr_range_set_subtract (&opaque, &bytes) &&
       vtr_range_set_subtract (wanted, &opaque) && vtr_range_set_subtract (wanted, &late);
  vtr_range_set_finish (&opaque);
  vtr_range_set_finish (&bytes);
  vtr_range_set_finish (&late);
  return ok;
}

/* ---- Reading ---- */

/* The part of a memory that the CPU can look at. */
typedef struct
{
  const uint8_t *bytes; /* NULL: none */
  uint64_t begin;
  uint64_t end;
  bool mapped; /* by the layer */
} View;

/* Flushes and invalidates, so that writes of the CPU are not lost and writes of the GPU are
 * seen. */
static void
synchronise (const VtrContents        *self,
             const VtrLayerLiveMemory *memory,
             bool                      flush)
{
  const VkMappedMemoryRange range = {
    .sType = VK_STRUCTURE_TYPE_MAPPED_MEMORY_RANGE,
    .memory = memory->memory,
    .offset = flush ? memory->map_offset : 0,
    .size = VK_WHOLE_SIZE,
  };

  if (flush)
    self->device->next.FlushMappedMemoryRanges (self->device->handle, 1, &range);
  self->device->next.InvalidateMappedMemoryRanges (self->device->handle, 1, &range);
}

static View
open_view (const VtrContents        *self,
           const VtrLayerLiveMemory *memory)
{
  VkMemoryPropertyFlags flags = vtr_contents_memory_flags (self, memory);
  bool coherent = (flags & VK_MEMORY_PROPERTY_HOST_COHERENT_BIT) != 0;
  View view = { 0 };
  void *bytes;

  if ((flags & VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT) == 0)
    return view;
  if (memory->mapped != NULL)
    {
      if (!coherent && !memory->imported)
        synchronise (self, memory, true);
      return (View){ memory->mapped, memory->map_offset,
                     end_of (memory->map_offset, memory->map_size), false };
    }
  if (self->device->next.MapMemory (self->device->handle, memory->memory, 0, VK_WHOLE_SIZE, 0,
                                    &bytes) != VK_SUCCESS)
    return view;
  if (!coherent)
    synchronise (self, memory, false);
  return (View){ bytes, 0, memory->size, true };
}

struct VtrContentsReading
{
  VtrRangeSet ranges;
  View view;
  bool first; /* others are restored into it, so that its bytes have to come before theirs */
};

static void
finish_reading (VtrContents *self,
                size_t       nth)
{
  VtrContentsReading *reading = &self->readings[nth];

  if (reading->view.mapped)
    self->device->next.UnmapMemory (self->device->handle, self->world->memory[nth].memory);
  vtr_range_set_finish (&reading->ranges);
  *reading = (VtrContentsReading){ 0 };
}

static bool
read_by_cpu (VtrContents *self,
             size_t       nth)
{
  const VtrRangeSet *ranges = &self->readings[nth].ranges;
  const View *view = &self->readings[nth].view;

  for (size_t i = 0; i < ranges->n; i++)
    if (!vtr_contents_put_memory (self, &self->world->memory[nth], ranges->ranges[i].begin,
                                  view->bytes + (ranges->ranges[i].begin - view->begin),
                                  ranges->ranges[i].end - ranges->ranges[i].begin, true))
      return false;
  finish_reading (self, nth);
  return true;
}

static bool
read_buffer (VtrContents              *self,
             const VtrLayerLiveMemory *memory,
             const Place              *place,
             VtrRange                  range)
{
  size_t queue = vtr_contents_find_queue (self, place->buffer->owner, 0);

  if (queue == 0)
    {
      vtr_contents_leave_out (self, "no queue of theirs is known");
      return true;
    }
  while (range.begin < range.end)
    {
      uint64_t left = range.end - range.begin;
      VtrContentsPart part = {
        .memory = memory,
        .offset = range.begin,
        .size = left < VTR_CONTENTS_STAGING ? left : VTR_CONTENTS_STAGING,
      };
      VkCommandBuffer commands = vtr_contents_begin (self, queue, &part);
      VkBufferCopy copy = { place->buffer->start + (range.begin - place->begin), part.at,
                            part.size };

      if (commands == VK_NULL_HANDLE)
        return false;
      self->device->next.CmdCopyBuffer (commands, place->buffer->buffer,
                                        self->gpu.staging.readback.buffer, 1,
                                        &copy);
      range.begin += part.size;
    }
  return true;
}

/* Reads @wanted as far as it is in buffers, each byte once. */
static bool
read_by_gpu (VtrContents              *self,
             const Places             *places,
             const VtrLayerLiveMemory *memory,
             const VtrRangeSet        *wanted)
{
  uint64_t key = (uint64_t)(uintptr_t)memory->memory;
  uint64_t done = 0;

  for (size_t i = find_first (places, memory->memory);
       i < places->n && places->places[i].memory == key; i++)
    {
      const Place *place = &places->places[i];

      if (place->buffer == NULL)
        continue;
      for (size_t k = 0; k < wanted->n && wanted->ranges[k].begin < place->end; k++)
        {
          VtrRange range = wanted->ranges[k];

          if (range.begin < place->begin)
            range.begin = place->begin;
          if (range.begin < done)
            range.begin = done;
          if (range.end > place->end)
            range.end = place->end;
          if (range.begin < range.end && !read_buffer (self, memory, place, range))
            return false;
        }
      if (place->end > done)
        done = place->end;
    }
  return true;
}

/* The part of @wanted that the CPU reads; the GPU reads the rest. */
static bool
share_work (const VtrContents        *self,
            const VtrLayerLiveMemory *memory,
            const View               *view,
            const VtrRangeSet        *buffers,
            VtrRangeSet              *wanted,
            VtrRangeSet              *by_cpu)
{
  if (view->bytes == NULL)
    return true;
  if (!vtr_range_set_copy (by_cpu, wanted) || !vtr_range_set_remove (by_cpu, 0, view->begin) ||
      !vtr_range_set_remove (by_cpu, view->end, UINT64_MAX))
    return false;
  /* Memory that is not cached is read by the CPU at a hundredth of the GPU's speed. */
  if ((vtr_contents_memory_flags (self, memory) & VK_MEMORY_PROPERTY_HOST_CACHED_BIT) == 0 &&
      !vtr_range_set_subtract (by_cpu, buffers))
    return false;
  return vtr_range_set_subtract (wanted, by_cpu);
}

/* Whether acceleration structures, whose contents are restored on their own, may lie in @memory. */
static bool
has_structures (const Places             *places,
                const VtrLayerLiveMemory *memory)
{
  uint64_t key = (uint64_t)(uintptr_t)memory->memory;

  for (size_t i = find_first (places, memory->memory);
       i < places->n && places->places[i].memory == key; i++)
    if (places->places[i].buffer != NULL &&
        (places->places[i].buffer->usage &
         VK_BUFFER_USAGE_ACCELERATION_STRUCTURE_STORAGE_BIT_KHR) != 0)
      return true;
  return false;
}

/* Records the ranges that the GPU reads, and notes those that the CPU will read. *@shared: set
 * if images are in bytes that are recorded. */
static bool
plan_one (VtrContents  *self,
          const Places *places,
          size_t        nth,
          bool         *shared)
{
  const VtrLayerLiveMemory *memory = &self->world->memory[nth];
  VtrContentsReading *reading = &self->readings[nth];
  VtrRangeSet wanted = { 0 };
  VtrRangeSet buffers = { 0 };
  bool ok, overlaps = false;

  if (vtr_contents_memory_flags (self, memory) &
      (VK_MEMORY_PROPERTY_LAZILY_ALLOCATED_BIT | VK_MEMORY_PROPERTY_PROTECTED_BIT))
    return true;
  ok = choose_bytes (places, memory, &wanted, &buffers, &overlaps);
  reading->first = overlaps || has_structures (places, memory);
  *shared = *shared || overlaps;
  if (ok && wanted.n > 0)
    reading->view = open_view (self, memory);
  ok = ok && share_work (self, memory, &reading->view, &buffers, &wanted, &reading->ranges);
  if (!ok)
    vtr_contents_fail (self, "The program has no memory left.");
  ok = ok && read_by_gpu (self, places, memory, &wanted);
  vtr_range_set_finish (&wanted);
  vtr_range_set_finish (&buffers);
  return ok;
}

/* ---- Reading later ---- */

static VtrContentsKept
get_kept (const VtrContents *self,
          size_t             nth,
          size_t             i)
{
  const VtrContentsReading *reading = &self->readings[nth];
  const VtrRange range = reading->ranges.ranges[i];

  return (VtrContentsKept){ &self->world->memory[nth], range.begin, range.end - range.begin,
                            reading->view.bytes + (range.begin - reading->view.begin) };
}

/* Whether all that the CPU reads of a memory can be kept: what is kept has records behind those of
 * images and structures. *@size grows by it. */
static bool
can_keep (const VtrContents   *self,
          const VtrLayerStill *still,
          size_t               nth,
          uint64_t            *size)
{
  if (self->world->memory[nth].imported || self->readings[nth].first)
    return false;
  for (size_t i = 0; i < self->readings[nth].ranges.n; i++)
    {
      VtrContentsKept kept = get_kept (self, nth, i);

      if (!vtr_layer_still_can_keep (still, kept.bytes, kept.size))
        return false;
    }
  for (size_t i = 0; i < self->readings[nth].ranges.n; i++)
    *size += get_kept (self, nth, i).size;
  return true;
}

/* Keeps it, if the first and last byte of each can be read: memory may be hidden from child
 * processes. */
static bool
try_to_keep (const VtrContents *self,
             VtrLayerStill     *still)
{
  VtrBuffer probes = { 0 };
  bool kept;

  for (size_t nth = 0; nth < self->world->n_memory; nth++)
    {
      uint64_t ignored = 0;

      if (!can_keep (self, still, nth, &ignored))
        continue;
      for (size_t i = 0; i < self->readings[nth].ranges.n; i++)
        {
          const VtrContentsKept each = get_kept (self, nth, i);
          const uint8_t *const ends[] = { each.bytes, each.bytes + each.size - 1 };

          vtr_buffer_append (&probes, ends, sizeof ends);
        }
    }
  kept = !probes.failed &&
         vtr_layer_still_keep (still, (const void *)probes.data, probes.size / sizeof (uint8_t *));
  vtr_buffer_finish (&probes);
  return kept;
}

/* Keeps the memory of the process as it is, if that is possible and worth it. */
static void
keep_still (VtrContents *self)
{
  uint64_t all = 0, size = 0;
  VtrLayerStill *still;

  for (size_t nth = 0; nth < self->world->n_memory; nth++)
    for (size_t i = 0; i < self->readings[nth].ranges.n; i++)
      all += get_kept (self, nth, i).size;
  if (!vtr_layer_late_may_keep_still (all))
    return;
  still = vtr_layer_still_new ();
  for (size_t nth = 0; still != NULL && nth < self->world->n_memory; nth++)
    can_keep (self, still, nth, &size);
  if (still != NULL && vtr_layer_late_may_keep_still (size) && try_to_keep (self, still))
    self->still = still;
  else
    vtr_layer_still_free (still);
}

bool
vtr_contents_put_readings (VtrContents *self)
{
  uint64_t ignored = 0;

  if (self->readings == NULL)
    return true;
  keep_still (self);
  for (size_t i = 0; i < self->world->n_memory; i++)
    if ((self->still == NULL || !can_keep (self, self->still, i, &ignored)) &&
        !read_by_cpu (self, i))
      return false;
  return true;
}

void
vtr_contents_for_each_kept (const VtrContents *self,
                            void (*each) (const VtrContentsKept *kept,
                                          void *data),
                            void *data)
{
  if (self->still == NULL || self->readings == NULL)
    return;
  for (size_t nth = 0; nth < self->world->n_memory; nth++)
    for (size_t i = 0; i < self->readings[nth].ranges.n; i++)
      {
        const VtrContentsKept kept = get_kept (self, nth, i);

        each (&kept, data);
      }
}

void
vtr_contents_finish_readings (VtrContents *self)
{
  for (size_t i = 0; self->readings != NULL && i < self->world->n_memory; i++)
    finish_reading (self, i);
  free (self->readings);
  self->readings = NULL;
}

bool
vtr_contents_write_memory (VtrContents *self)
{
  Places places;
  bool ok = find_places (&places, self), shared = false;
  uint64_t mapped = 0;

  self->readings = calloc (self->world->n_memory + 1, sizeof *self->readings);
  if (!ok || self->readings == NULL)
    {
      free (places.places);
      return vtr_contents_fail (self, "The program has no memory left.");
    }
  for (size_t i = 0; ok && i < self->world->n_memory; i++)
    {
      ok = plan_one (self, &places, i, &shared);
      if (self->readings[i].view.mapped)
        mapped += self->world->memory[i].size;
      if (mapped > MAPPED_MAX)
        ok = ok && vtr_contents_begin_records (self);
      if (self->begun)
        ok = ok && read_by_cpu (self, i);
    }
  free (places.places);
  /* Where images lie in bytes that count, these are read before the GPU touches an image. */
  return ok && (!shared || (vtr_contents_run (self) && vtr_contents_begin_records (self)));
}
