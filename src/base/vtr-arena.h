/* Bump allocator for data that is freed together. Threading: one at a time. */
#pragma once

#include <stdalign.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define VTR_ARENA_ALIGN 16

typedef struct VtrArenaBlock VtrArenaBlock;

/**
 * VtrArena:
 *
 * Caller-owned. Memory is zeroed, aligned to 16 bytes and valid until vtr_arena_reset() or
 * vtr_arena_finish(); it is never freed singly.
 */
typedef struct
{
  VtrArenaBlock *head; /* newest block; linked by .next */
  uint8_t *cursor;
  uint8_t *end;
  size_t limit; /* most bytes this arena may take in all; 0: no limit */
  size_t total; /* bytes taken from the system */
} VtrArena;

void vtr_arena_init (VtrArena *self);
void vtr_arena_finish (VtrArena *self);

/* Drops all allocations; keeps the newest block for reuse. */
void vtr_arena_reset (VtrArena *self);

/* What an allocation takes. @size: at most SIZE_MAX - VTR_ARENA_ALIGN. */
static inline size_t
vtr_arena_round (size_t size)
{
  return ((size > 0 ? size : 1) + VTR_ARENA_ALIGN - 1) & ~(size_t)(VTR_ARENA_ALIGN - 1);
}

/* vtr_arena_alloc (), when the newest block is full. */
void *vtr_arena_alloc_block (VtrArena *self,
                             size_t    size);

/* Returns: zeroed memory, or NULL when the system or the arena's limit refuses. @size may be 0. */
static inline void *
vtr_arena_alloc (VtrArena *self,
                 size_t    size)
{
  const size_t rounded = vtr_arena_round (size);
  uint8_t *result = self->cursor;

  if (size > SIZE_MAX - VTR_ARENA_ALIGN || rounded > (size_t)(self->end - self->cursor))
    return vtr_arena_alloc_block (self, size);
  self->cursor += rounded;
  return memset (result, 0, rounded);
}

/* Like vtr_arena_alloc() for @count elements of @size bytes; NULL on overflow too. */
void *vtr_arena_alloc_array (VtrArena *self,
                             size_t    count,
                             size_t    size);

void *vtr_arena_memdup (VtrArena   *self,
                        const void *data,
                        size_t      size);

#define vtr_arena_new(arena, type) ((type *)vtr_arena_alloc ((arena), sizeof (type)))
#define vtr_arena_new_array(arena, count, type) \
  ((type *)vtr_arena_alloc_array ((arena), (count), sizeof (type)))
