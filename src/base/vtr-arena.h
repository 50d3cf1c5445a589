/* Bump allocator for data that is freed together. Threading: one at a time. */
#pragma once

#include <stdalign.h>
#include <stddef.h>
#include <stdint.h>

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

/* Returns: zeroed memory, or NULL when the system or the arena's limit refuses. @size may be 0. */
void *vtr_arena_alloc (VtrArena *self,
                       size_t    size);

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
