/* Allocates memory from a chain of blocks, always from the newest one, and frees all of it
 * together. */
#include "vtr-arena.h"

#include <assert.h>

#include <stdlib.h>
#include <string.h>

#define FIRST_BLOCK (16 * 1024)
#define LARGEST_BLOCK (1024 * 1024)

struct VtrArenaBlock
{
  VtrArenaBlock *next;
  size_t size; /* bytes after this header */
};

static_assert (sizeof (VtrArenaBlock) % VTR_ARENA_ALIGN == 0, "block payload must be aligned");

void
vtr_arena_init (VtrArena *self)
{
  memset (self, 0, sizeof *self);
}

static void
free_blocks (VtrArenaBlock *block)
{
  while (block != NULL)
    {
      VtrArenaBlock *next = block->next;

      free (block);
      block = next;
    }
}

void
vtr_arena_finish (VtrArena *self)
{
  free_blocks (self->head);
  memset (self, 0, sizeof *self);
}

void
vtr_arena_reset (VtrArena *self)
{
  if (self->head == NULL)
    return;

  free_blocks (self->head->next);
  self->head->next = NULL;
  self->cursor = (uint8_t *)(self->head + 1);
  self->end = self->cursor + self->head->size;
  self->total = self->head->size;
}

static int
add_block (VtrArena *self,
           size_t    need)
{
  size_t size = self->head == NULL ? FIRST_BLOCK : self->head->size * 2;
  VtrArenaBlock *block;

  if (size > LARGEST_BLOCK)
    size = LARGEST_BLOCK;
  if (size < need)
    size = need;
  if (self->limit != 0 && (self->total > self->limit || size > self->limit - self->total))
    {
      if (self->total > self->limit || need > self->limit - self->total)
        return 0;
      size = need;
    }
  if (size > SIZE_MAX - sizeof *block)
    return 0;

  block = malloc (sizeof *block + size);
  if (block == NULL)
    return 0;

  block->next = self->head;
  block->size = size;
  self->head = block;
  self->cursor = (uint8_t *)(block + 1);
  self->end = self->cursor + size;
  self->total += size;
  return 1;
}

void *
vtr_arena_alloc_block (VtrArena *self,
                       size_t    size)
{
  if (size > SIZE_MAX - VTR_ARENA_ALIGN || !add_block (self, vtr_arena_round (size)))
    return NULL;
  return vtr_arena_alloc (self, size);
}

void *
vtr_arena_alloc_array (VtrArena *self,
                       size_t    count,
                       size_t    size)
{
  size_t bytes;

  if (__builtin_mul_overflow (count, size, &bytes))
    return NULL;
  return vtr_arena_alloc (self, bytes);
}

void *
vtr_arena_memdup (VtrArena   *self,
                  const void *data,
                  size_t      size)
{
  void *copy = self->cursor;

  /* What is written over is not zeroed first. */
  if (size > SIZE_MAX - VTR_ARENA_ALIGN ||
      vtr_arena_round (size) > (size_t)(self->end - self->cursor))
    copy = vtr_arena_alloc_block (self, size);
  else
    self->cursor += vtr_arena_round (size);
  if (copy != NULL && size > 0)
    memcpy (copy, data, size);
  return copy;
}
