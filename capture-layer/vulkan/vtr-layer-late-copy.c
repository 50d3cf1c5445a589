/* Copies the contents that can be copied after the cut, piece by piece, and commits their
 * records. */
#include "vtr-layer-late-private.h"

#include "vtr-layer-marks.h"

#define CPU_PIECE (1024u * 1024u)      /* at once by the CPU: who wants the lock waits for it */
#define CPU_RESOURCES 64u              /* at once by the CPU: mapping each takes a while, too */
#define GPU_PIECE (8u * 1024u * 1024u) /* by the GPU: the program waits for it */
#define LONGEST_MS 500                 /* for the program to come to rest */

static void
mark_done (VtrLate         *self,
           VtrLateResource *resource,
           VtrLateItem     *item)
{
  item->done = true;
  resource->n_left--;
  self->base.n_left--;
  if (resource->n_left == 0 && resource->stored)
    self->n_stored--;
}

static void
lose_one (VtrLate         *self,
          VtrLateResource *resource,
          const char      *why)
{
  if (resource->n_left == 0)
    return;
  vtr_contents_leave_out (&self->contents, why);
  for (size_t i = 0; i < resource->n; i++)
    if (!self->items[resource->first + i].done)
      mark_done (self, resource, &self->items[resource->first + i]);
}

/* Bytes in the copy of the process are read without the GPU, and no call changes them. */
static void
lose_unless_kept (VtrLate         *self,
                  VtrLateResource *resource,
                  const char      *why)
{
  if (resource->kept == NULL)
    lose_one (self, resource, why);
}

/* Gives up the wanted contents, or all that are left, except for memory that a child process
 * keeps: that can be read whatever happens to the GPU. */
static void
lose (VtrLate    *self,
      bool        wanted,
      const char *why)
{
  if (wanted)
    for (VtrLateResource *each = self->first_wanted; each != NULL; each = each->next_wanted)
      lose_unless_kept (self, each, why);
  else
    for (size_t i = 0; i < self->n_resources; i++)
      lose_unless_kept (self, &self->resources[i], why);
}

/* The program cannot change these bytes, so no call has to wait for them. */
static uint64_t
copy_kept (VtrLate         *self,
           VtrLateResource *resource,
           uint64_t         limit)
{
  uint64_t copied = 0;

  for (size_t i = 0; i < resource->n && copied < limit; i++)
    {
      VtrLateItem *item = &self->items[resource->first + i];

      if (item->done)
        continue;
      if (!vtr_layer_still_read (self->contents.still, self->bounce,
                                 resource->kept + (item->part.offset - resource->buffer.offset),
                                 item->part.size))
        {
          lose_one (self, resource, "the process that kept them was ended");
          break;
        }
      vtr_contents_put_memory (&self->contents, &resource->memory, item->part.offset,
                               self->bounce, item->part.size, false);
      mark_done (self, resource, item);
      copied += item->part.size;
    }
  return copied;
}

/* Copies about @limit bytes of resource @nth, which the CPU can read. Returns: how many. */
static uint64_t
copy_by_cpu (VtrLate  *self,
             size_t    nth,
             uint64_t  limit)
{
  const VtrDeviceDispatch *next = &self->contents.device->next;
  VtrLateResource *resource = &self->resources[nth];
  VkMappedMemoryRange range = {
    .sType = VK_STRUCTURE_TYPE_MAPPED_MEMORY_RANGE,
    .memory = resource->memory.memory,
    .size = VK_WHOLE_SIZE,
  };
  VkDevice device = self->contents.device->handle;
  uint64_t copied = 0;
  void *bytes;

  if (resource->kept != NULL)
    return copy_kept (self, resource, limit);
  if (next->MapMemory (device, range.memory, 0, VK_WHOLE_SIZE, 0, &bytes) != VK_SUCCESS)
    {
      lose_one (self, resource, "their memory could not be mapped");
      return 0;
    }
  if ((vtr_contents_memory_flags (&self->contents, &resource->memory) &
       VK_MEMORY_PROPERTY_HOST_COHERENT_BIT) == 0)
    next->InvalidateMappedMemoryRanges (device, 1, &range);
  for (size_t i = 0; i < resource->n && copied < limit; i++)
    {
      VtrLateItem *item = &self->items[resource->first + i];

      if (item->done)
        continue;
      vtr_contents_put_memory (&self->contents, &resource->memory, item->part.offset,
                               (uint8_t *)bytes + item->part.offset, item->part.size, false);
      mark_done (self, resource, item);
      copied += item->part.size;
    }
  next->UnmapMemory (device, range.memory);
  return copied;
}

static bool
record (VtrLate               *self,
        const VtrLateResource *resource,
        const VtrLateItem     *item)
{
  VtrContents *contents = &self->contents;
  VtrContentsPart part = item->part;
  VkCommandBuffer commands;
  VkBufferCopy copy;

  if (part.image != NULL)
    return vtr_contents_copy_part (contents, resource->queue, &part, item->aspects);
  commands = vtr_contents_begin (contents, resource->queue, &part);
  if (commands == VK_NULL_HANDLE)
    return false;
  copy = (VkBufferCopy){ resource->buffer.start + (part.offset - resource->buffer.offset), part.at,
                         part.size };
  contents->device->next.CmdCopyBuffer (commands, resource->buffer.buffer,
                                        contents->gpu.staging.readback.buffer,
                                        1, &copy);
  return true;
}

/* Records copies of the rest of a resource, up to *@limit bytes, from which it subtracts them.
 * Returns: false if the GPU refuses. */
static bool
record_resource (VtrLate         *self,
                 VtrLateResource *resource,
                 uint64_t        *limit)
{
  const size_t n = resource->n_left > 0 && !resource->by_cpu ? resource->n : 0;

  for (size_t i = 0; i < n; i++)
    {
      VtrLateItem *item = &self->items[resource->first + i];

      if (item->done)
        continue;
      if (*limit == 0)
        break;
      if (!record (self, resource, item))
        return false;
      mark_done (self, resource, item);
      *limit -= item->part.size < *limit ? item->part.size : *limit;
    }
  return true;
}

/* Records copies up to @limit. Returns: false when the GPU refuses. */
static bool
record_some (VtrLate  *self,
             uint64_t  limit,
             bool      wanted)
{
  VtrLateResource *each = self->first_wanted;
  bool ok = true;

  if (wanted)
    for (; ok && each != NULL && limit > 0; each = each->next_wanted)
      ok = record_resource (self, each, &limit);
  else
    while (ok && self->next_for_gpu < self->n_resources && limit > 0)
      {
        each = &self->resources[self->next_for_gpu];
        ok = record_resource (self, each, &limit);
        self->next_for_gpu += ok && limit > 0;
      }
  return ok;
}

/* Copies up to @limit bytes of what only the GPU can read, in order, or (@wanted) of what is wanted
 * of it. Returns: false when the program did not come to rest by @deadline (ms). */
static bool
copy_by_gpu (VtrLate           *self,
             VtrLayerGatePlace *place,
             uint64_t           limit,
             bool               wanted,
             int64_t            deadline)
{
  bool ok;

  if (!vtr_layer_gate_pause (place, deadline))
    return false;
  if (!vtr_layer_marks_settle (deadline))
    {
      vtr_layer_gate_go_on (place);
      return false;
    }
  ok = record_some (self, limit, wanted) && vtr_contents_wait (&self->contents);
  /* The copied bytes are ours now. */
  vtr_layer_gate_go_on (place);
  if (ok && vtr_contents_run (&self->contents))
    return true;
  vtr_contents_leave_out (&self->contents, "the GPU did not copy it");
  lose (self, false, "the GPU did not copy it");
  return true;
}

/* The first resource of @self that the CPU can read. Returns: SIZE_MAX: there is none. */
static size_t
find_for_cpu (VtrLate *self)
{
  for (; self->next_for_cpu < self->n_resources; self->next_for_cpu++)
    if (self->resources[self->next_for_cpu].by_cpu &&
        self->resources[self->next_for_cpu].n_left > 0)
      return self->next_for_cpu;
  return SIZE_MAX;
}

/* Copies as many resources as make up one piece. */
static void
copy_some_by_cpu (VtrLate *self)
{
  uint64_t copied = 0;
  size_t nth = find_for_cpu (self);

  for (unsigned i = 0; i < CPU_RESOURCES && nth != SIZE_MAX && copied < CPU_PIECE; i++)
    {
      copied += copy_by_cpu (self, nth, CPU_PIECE - copied);
      nth = find_for_cpu (self);
    }
}

bool
vtr_late_copy_piece (VtrLayerLate      *late,
                     VtrLayerGatePlace *place,
                     int64_t            deadline)
{
  VtrLate *self = (VtrLate *)late;

  if (find_for_cpu (self) == SIZE_MAX)
    return copy_by_gpu (self, place, GPU_PIECE, false, deadline);
  copy_some_by_cpu (self);
  return true;
}

void
vtr_late_give_up (VtrLayerLate *late,
                  const char   *why)
{
  lose ((VtrLate *)late, false, why);
}

void
vtr_late_copy_wanted (VtrLayerLate      *late,
                      VtrLayerGatePlace *place)
{
  VtrLate *self = (VtrLate *)late;
  bool by_gpu = false;

  /* A resource that was copied since may have been destroyed, and its memory freed. */
  for (VtrLateResource *each = self->first_wanted; each != NULL; each = each->next_wanted)
    if (each->n_left > 0 && each->by_cpu)
      copy_by_cpu (self, (size_t)(each - self->resources), UINT64_MAX);
    else
      by_gpu |= each->n_left > 0;
  while (by_gpu)
    {
      if (!copy_by_gpu (self, place, VTR_CONTENTS_STAGING / 2, true,
                        vtr_layer_now_ms () + LONGEST_MS))
        lose (self, true, "the program changed it while its GPU was busy");
      by_gpu = false;
      for (VtrLateResource *each = self->first_wanted; each != NULL; each = each->next_wanted)
        by_gpu |= each->n_left > 0;
    }
  while (self->first_wanted != NULL)
    {
      self->first_wanted->wanted = false;
      self->first_wanted = self->first_wanted->next_wanted;
    }
}
