/* Which module made an allocation: not the C library and the like that the call went through.
 * Optionally with the calls that led there.
 *
 * Threading: any. */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define HEAP_SITE_DEPTH 14

typedef struct HeapSite
{
  bool owned;                       /* by the module whose memory is counted apart */
  uint32_t n;                       /* of @calls; 0 if only owners are distinguished */
  uintptr_t calls[HEAP_SITE_DEPTH]; /* the innermost first */
  atomic_size_t bytes, blocks;      /* that live */
  /* Since the last time they were written, by the one thread that samples. */
  double sum;
  size_t n_samples, least;
} HeapSite;

/* @owner: (nullable): beginning of the file name of the module that is counted separately. @stacks:
 * whether sites are distinguished by their calls. */
void heap_sites_init (const char *owner,
                      bool        stacks);

/* @caller: where the allocator was called from. */
HeapSite *heap_site_here (const void *caller);

HeapSite *heap_site_unknown (void);

/* Takes a sample of every site, for heap_sites_write (). */
void heap_sites_sample (void);

/* Writes a line for each site: bytes and blocks that live, mean and least bytes since the last time,
 * whether they are the owner's, and the calls as module+offset. */
void heap_sites_write (FILE *file);
