/* The table of all living heap blocks that the heap meter counts, with their number and bytes. */
#include "vtr-heap-blocks.h"

#include <pthread.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define N_SHARDS 64u
#define FIRST 1024u /* blocks of a shard */

typedef struct
{
  uintptr_t address; /* 0: free */
  size_t size;
  HeapSite *site;
} Block;

/* Open addressing; whatever goes closes its gap. */
typedef struct
{
  pthread_mutex_t lock;
  Block *blocks;
  size_t n, capacity; /* a power of two */
} Shard;

static Shard shards[N_SHARDS] = { [0 ... N_SHARDS - 1] = { .lock = PTHREAD_MUTEX_INITIALIZER } };
static atomic_size_t n_bytes, n_owned; /* of all, of the owner's */

static uint64_t
hash_of (uintptr_t address)
{
  return (address >> 4) * UINT64_C (0x9e3779b97f4a7c15);
}

static Shard *
shard_of (uintptr_t address)
{
  return &shards[hash_of (address) >> 58];
}

static size_t
place_of (const Shard *self,
          uintptr_t    address)
{
  return (size_t)(hash_of (address) >> 20) & (self->capacity - 1);
}

static void
put (Shard *self,
     Block  block)
{
  size_t i = place_of (self, block.address);

  while (self->blocks[i].address != 0)
    i = (i + 1) & (self->capacity - 1);
  self->blocks[i] = block;
}

/* Not of the allocator that is being counted. */
static bool
grow (Shard *self)
{
  const size_t size = self->capacity * sizeof (Block);
  Shard grown = { .capacity = self->capacity == 0 ? FIRST : self->capacity * 2 };
  long memory = syscall (SYS_mmap, NULL, grown.capacity * sizeof (Block), PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

  if (memory == -1)
    return false;
  grown.blocks = (Block *)memory;
  for (size_t i = 0; i < self->capacity; i++)
    if (self->blocks[i].address != 0)
      put (&grown, self->blocks[i]);
  if (self->blocks != NULL)
    syscall (SYS_munmap, self->blocks, size);
  self->blocks = grown.blocks;
  self->capacity = grown.capacity;
  return true;
}

static void
close_gap (Shard  *self,
           size_t  gap)
{
  const size_t mask = self->capacity - 1;

  for (size_t i = (gap + 1) & mask; self->blocks[i].address != 0; i = (i + 1) & mask)
    {
      size_t home = place_of (self, self->blocks[i].address);

      if (((i - home) & mask) >= ((i - gap) & mask))
        {
          self->blocks[gap] = self->blocks[i];
          gap = i;
        }
    }
  self->blocks[gap].address = 0;
}

static void
count (HeapSite *site,
       size_t    size)
{
  atomic_fetch_add_explicit (&n_bytes, size, memory_order_relaxed);
  atomic_fetch_add_explicit (&site->bytes, size, memory_order_relaxed);
  atomic_fetch_add_explicit (&site->blocks, 1, memory_order_relaxed);
  if (site->owned)
    atomic_fetch_add_explicit (&n_owned, size, memory_order_relaxed);
}

static void
discount (HeapSite *site,
          size_t    size)
{
  atomic_fetch_sub_explicit (&n_bytes, size, memory_order_relaxed);
  atomic_fetch_sub_explicit (&site->bytes, size, memory_order_relaxed);
  atomic_fetch_sub_explicit (&site->blocks, 1, memory_order_relaxed);
  if (site->owned)
    atomic_fetch_sub_explicit (&n_owned, size, memory_order_relaxed);
}

void
heap_blocks_add (const void *block,
                 size_t      size,
                 HeapSite   *site)
{
  Shard *self = shard_of ((uintptr_t)block);
  bool ok;

  pthread_mutex_lock (&self->lock);
  ok = self->n * 2 < self->capacity || grow (self);
  if (ok)
    {
      put (self, (Block){ (uintptr_t)block, size, site });
      self->n++;
    }
  pthread_mutex_unlock (&self->lock);
  if (ok)
    count (site, size);
}

bool
heap_blocks_take (const void  *block,
                  size_t      *size,
                  HeapSite   **site)
{
  Shard *self = shard_of ((uintptr_t)block);
  Block found = { 0 };

  pthread_mutex_lock (&self->lock);
  if (self->capacity != 0)
    {
      size_t i = place_of (self, (uintptr_t)block);

      while (self->blocks[i].address != 0 && self->blocks[i].address != (uintptr_t)block)
        i = (i + 1) & (self->capacity - 1);
      found = self->blocks[i];
      if (found.address != 0)
        {
          close_gap (self, i);
          self->n--;
        }
    }
  pthread_mutex_unlock (&self->lock);
  if (found.address == 0)
    return false;
  discount (found.site, found.size);
  if (size != NULL)
    *size = found.size;
  if (site != NULL)
    *site = found.site;
  return true;
}

void
heap_blocks_count (size_t *all,
                   size_t *owned)
{
  *all = atomic_load_explicit (&n_bytes, memory_order_relaxed);
  *owned = atomic_load_explicit (&n_owned, memory_order_relaxed);
}

/* --- A fork finds no lock taken --------------------------------------------------------------- */

static void
lock_all (void)
{
  for (uint32_t i = 0; i < N_SHARDS; i++)
    pthread_mutex_lock (&shards[i].lock);
}

static void
unlock_all (void)
{
  for (uint32_t i = 0; i < N_SHARDS; i++)
    pthread_mutex_unlock (&shards[i].lock);
}

void
heap_blocks_init (void)
{
  pthread_atfork (lock_all, unlock_all, unlock_all);
}
