/* A cache of contents that the engine has sent, by hash, kept across requests. When it is full,
 * the least recently used are dropped first.
 *
 * Contents arrive in batches that share one mapping; a mapping is freed with the last content in
 * it.
 *
 * Threading: one at a time. */
#pragma once

#include "wire/vtr-replay-channel.h"

#include <stdbool.h>

typedef struct VtrCachedResource VtrCachedResource;

typedef struct
{
  VtrCachedResource **buckets; /* chained by .next_in_bucket */
  size_t n_buckets;            /* 0 or a power of two */
  size_t n_resources;
  VtrCachedResource *newest; /* list of use, linked by .older and .newer */
  VtrCachedResource *oldest;
  uint64_t bytes;
  uint64_t budget;
} VtrResourceCache;

/* One content of a batch. */
typedef struct
{
  uint64_t hash[2];
  uint64_t offset;
  uint64_t size;
} VtrResourcePiece;

void vtr_resource_cache_init (VtrResourceCache *self,
                              uint64_t          budget);
void vtr_resource_cache_finish (VtrResourceCache *self);

/* Returns: the content, valid until the next vtr_resource_cache_add(), or NULL when it is not
 * here. Counts as a use. */
const uint8_t *vtr_resource_cache_get (VtrResourceCache *self,
                                       const uint64_t    hash[2],
                                       uint64_t          size);

bool vtr_resource_cache_has (const VtrResourceCache *self,
                             const uint64_t          hash[2],
                             uint64_t                size);

/* Takes over @bulk, in which the @n pieces lie; older contents make room. The first piece stays,
 * however large. Errors: VTR_CORRUPT when a piece lies outside, VTR_NO_MEMORY. */
VtrStatus vtr_resource_cache_add (VtrResourceCache       *self,
                                  VtrReplayBulk          *bulk,
                                  const VtrResourcePiece *pieces,
                                  size_t                  n) VTR_MUST_CHECK;
