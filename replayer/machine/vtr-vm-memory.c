/* Reserves the replay machine's address ranges, and checks each address that an instruction uses
 * against them. */
#include "vtr-vm-memory.h"

#include "base/vtr-grow.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define GUARD_BYTES (1u << 20)
#define KEPT_BYTES (8u << 20)

#if UINTPTR_MAX > 0xffffffffu
#define VALUE_BYTES VTR_VM_VOLATILE_BYTES
#define CONSTANT_BYTES (4ull << 30)
#define CODE_BYTES (8ull << 30)
#else
#define VALUE_BYTES (512ull << 20)
#define CONSTANT_BYTES (256ull << 20)
#define CODE_BYTES (256ull << 20)
#endif

/* If the address space is limited (ulimit -v, strict overcommit), half the size is tried, and half
 * again. */
#define LEAST_BYTES (64ull << 20)

/* --- Ranges ---------------------------------------------------------------------------------- */

static VtrStatus
vtr_vm_range_init (VtrVmRange *self,
                   uint64_t    bytes)
{
  for (; bytes >= LEAST_BYTES; bytes /= 2)
    {
      /* The guard page makes a driver fault that reads past a structure at the very end. */
      uint8_t *base = mmap (NULL, (size_t)bytes + GUARD_BYTES, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

      if (base == MAP_FAILED)
        continue;
      if (mprotect (base + bytes, GUARD_BYTES, PROT_NONE) != 0)
        {
          munmap (base, (size_t)bytes + GUARD_BYTES);
          return VTR_NO_MEMORY;
        }
      /* A forked child (none is expected) and a core file need none of it. */
      madvise (base, (size_t)bytes, MADV_DONTDUMP);
      self->base = base;
      self->reserved = (size_t)bytes;
      self->used = 0;
      return VTR_OK;
    }
  return VTR_NO_MEMORY;
}

static void
vtr_vm_range_finish (VtrVmRange *self)
{
  if (self->base != NULL)
    munmap (self->base, self->reserved + GUARD_BYTES);
  memset (self, 0, sizeof *self);
}

static void
vtr_vm_range_empty (VtrVmRange *self)
{
  if (self->used > KEPT_BYTES)
    madvise (self->base, self->used, MADV_DONTNEED);
  self->used = 0;
}

/* --- Memory ---------------------------------------------------------------------------------- */

VtrStatus
vtr_vm_memory_init (VtrVmMemory *self)
{
  VtrStatus status;

  memset (self, 0, sizeof *self);
  status = vtr_vm_range_init (&self->constants, CONSTANT_BYTES);
  if (status == VTR_OK)
    status = vtr_vm_range_init (&self->values, VALUE_BYTES);
  if (status == VTR_OK)
    status = vtr_vm_range_init (&self->code, CODE_BYTES);
  return status;
}

uint64_t
vtr_vm_memory_get_reserved (const VtrVmMemory *self)
{
  return (uint64_t)self->constants.reserved + self->values.reserved + self->code.reserved;
}

void
vtr_vm_memory_finish (VtrVmMemory *self)
{
  vtr_vm_range_finish (&self->constants);
  vtr_vm_range_finish (&self->values);
  vtr_vm_range_finish (&self->code);
  free (self->windows);
  memset (self, 0, sizeof *self);
}

void
vtr_vm_memory_reset (VtrVmMemory *self)
{
  /* Volatile memory must read as zero. Constants and code are soon written again, so their pages
   * are kept, unless they are many. */
  vtr_vm_range_empty (&self->constants);
  vtr_vm_range_empty (&self->code);
  madvise (self->values.base, self->values.reserved, MADV_DONTNEED);
  self->n_windows = 0;
}

void
vtr_vm_memory_forget_code (VtrVmMemory *self)
{
  vtr_vm_range_empty (&self->constants);
  vtr_vm_range_empty (&self->code);
}

VtrStatus
vtr_vm_memory_add_constants (VtrVmMemory  *self,
                             size_t        size,
                             uint8_t     **room)
{
  if (size > self->constants.reserved - self->constants.used)
    return VTR_NO_SPACE;
  *room = self->constants.base + self->constants.used;
  self->constants.used += size;
  return VTR_OK;
}

VtrStatus
vtr_vm_memory_find_code_room (VtrVmMemory  *self,
                              uint64_t      start,
                              size_t        n_words,
                              uint32_t    **room)
{
  const uint64_t most = self->code.reserved / sizeof **room;

  /* One more word ends it. */
  if (start >= most || n_words >= most - start)
    return VTR_NO_SPACE;
  *room = (uint32_t *)(void *)self->code.base + start;
  return VTR_OK;
}

void
vtr_vm_memory_add_code (VtrVmMemory *self,
                        uint64_t     start,
                        size_t       n_words,
                        uint32_t     first)
{
  uint32_t *room = (uint32_t *)(void *)self->code.base + start;
  const size_t end = (size_t)(start + n_words) * sizeof *room;

  /* The interpreter's loop ends at this word instead of comparing positions; the next segment
   * overwrites it. */
  room[n_words] = 0xffffffffu;
  if (n_words > 0)
    room[0] = first;
  if (self->code.used < end)
    self->code.used = end;
}

/* --- Windows --------------------------------------------------------------------------------- */

/* Returns: index of the first window that starts after @address. */
static size_t
vtr_vm_memory_window_after (const VtrVmMemory *self,
                            uint64_t           address)
{
  size_t low = 0, high = self->n_windows;

  while (low < high)
    {
      size_t middle = low + (high - low) / 2;

      if (self->windows[middle].start <= address)
        low = middle + 1;
      else
        high = middle;
    }
  return low;
}

VtrStatus
vtr_vm_memory_add_window (VtrVmMemory *self,
                          const void  *start,
                          uint64_t     size)
{
  size_t at = vtr_vm_memory_window_after (self, (uintptr_t)start);
  VtrVmWindow *windows =
    vtr_grow (self->windows, &self->max_windows, self->n_windows + 1, sizeof *windows);

  if (windows == NULL)
    return VTR_NO_MEMORY;
  self->windows = windows;
  memmove (&self->windows[at + 1], &self->windows[at],
           (self->n_windows - at) * sizeof *self->windows);
  self->windows[at] = (VtrVmWindow){ (uintptr_t)start, size };
  self->n_windows++;
  return VTR_OK;
}

void
vtr_vm_memory_remove_window (VtrVmMemory *self,
                             const void  *start)
{
  size_t at = vtr_vm_memory_window_after (self, (uintptr_t)start);

  if (at == 0 || self->windows[at - 1].start != (uintptr_t)start)
    return;
  self->n_windows--;
  memmove (&self->windows[at - 1], &self->windows[at],
           (self->n_windows - (at - 1)) * sizeof *self->windows);
}

/* --- Addresses ------------------------------------------------------------------------------- */

static void *
vtr_vm_memory_at_absolute (const VtrVmMemory *self,
                           uint64_t           address,
                           VtrVmAccess        access,
                           uint64_t          *available)
{
  uint64_t offset = address - (uintptr_t)self->values.base;
  size_t after;

  if (address == 0 || address == VTR_VM_POISON_ADDRESS)
    return NULL;
  if (offset < self->values.reserved)
    {
      *available = self->values.reserved - offset;
      return self->values.base + offset;
    }
  offset = address - (uintptr_t)self->constants.base;
  if (offset < self->constants.used)
    {
      *available = self->constants.used - offset;
      return access == VTR_VM_READ ? self->constants.base + offset : NULL;
    }

  after = vtr_vm_memory_window_after (self, address);
  if (after == 0)
    return NULL;
  offset = address - self->windows[after - 1].start;
  if (offset >= self->windows[after - 1].size)
    return NULL;
  *available = self->windows[after - 1].size - offset;
  return (void *)(uintptr_t)address;
}

void *
vtr_vm_memory_at (const VtrVmMemory *self,
                  VtrVmType          type,
                  uint64_t           value,
                  VtrVmAccess        access,
                  uint64_t          *available)
{
  switch (type)
    {
    case VTR_VM_VOLATILE:
      if (value >= self->values.reserved)
        return NULL;
      *available = self->values.reserved - value;
      return self->values.base + value;
    case VTR_VM_CONSTANT:
      if (value >= self->constants.used || access == VTR_VM_WRITE)
        return NULL;
      *available = self->constants.used - value;
      return self->constants.base + value;
    case VTR_VM_ABSOLUTE:
      return vtr_vm_memory_at_absolute (self, value, access, available);
    default:
      return NULL;
    }
}

void *
vtr_vm_memory_resolve (const VtrVmMemory *self,
                       VtrVmType          type,
                       uint64_t           value,
                       uint64_t           size,
                       VtrVmAccess        access)
{
  uint64_t available;
  void *at = vtr_vm_memory_at (self, type, value, access, &available);

  return at != NULL && size <= available ? at : NULL;
}
