/* Keeps contents that the engine has sent, found by hash, so that later requests need not send
 * them again. */
#include "vtr-resource-cache.h"

#include <stdlib.h>
#include <string.h>

/* A mapping shared by the contents that came together. */
typedef struct
{
  VtrReplayBulk bulk;
  size_t users;
} Batch;

struct VtrCachedResource
{
  uint64_t hash[2];
  uint64_t size;
  const uint8_t *bytes;
  Batch *batch;
  VtrCachedResource *next_in_bucket;
  VtrCachedResource *older;
  VtrCachedResource *newer;
};

void
vtr_resource_cache_init (VtrResourceCache *self,
                         uint64_t          budget)
{
  memset (self, 0, sizeof *self);
  self->budget = budget;
}

static size_t
vtr_resource_cache_bucket (const VtrResourceCache *self,
                           const uint64_t          hash[2])
{
  /* The hash is a hash: any bits of it will do. */
  return (size_t)hash[0] & (self->n_buckets - 1);
}

static VtrCachedResource *
vtr_resource_cache_find (const VtrResourceCache *self,
                         const uint64_t          hash[2],
                         uint64_t                size)
{
  VtrCachedResource *resource;

  if (self->n_buckets == 0)
    return NULL;
  resource = self->buckets[vtr_resource_cache_bucket (self, hash)];
  while (resource != NULL && (resource->hash[0] != hash[0] || resource->hash[1] != hash[1] ||
                              resource->size != size))
    resource = resource->next_in_bucket;
  return resource;
}

static void
vtr_resource_cache_unlink (VtrResourceCache  *self,
                           VtrCachedResource *resource)
{
  *(resource->newer != NULL ? &resource->newer->older : &self->newest) = resource->older;
  *(resource->older != NULL ? &resource->older->newer : &self->oldest) = resource->newer;
}

static void
vtr_resource_cache_link_newest (VtrResourceCache  *self,
                                VtrCachedResource *resource)
{
  resource->newer = NULL;
  resource->older = self->newest;
  *(self->newest != NULL ? &self->newest->newer : &self->oldest) = resource;
  self->newest = resource;
}

static void
vtr_resource_batch_unref (Batch *batch)
{
  if (--batch->users > 0)
    return;
  vtr_replay_bulk_finish (&batch->bulk);
  free (batch);
}

static void
vtr_resource_cache_drop (VtrResourceCache  *self,
                         VtrCachedResource *resource)
{
  VtrCachedResource **link = &self->buckets[vtr_resource_cache_bucket (self, resource->hash)];

  while (*link != resource)
    link = &(*link)->next_in_bucket;
  *link = resource->next_in_bucket;
  vtr_resource_cache_unlink (self, resource);
  self->bytes -= resource->size;
  self->n_resources--;
  vtr_resource_batch_unref (resource->batch);
  free (resource);
}

void
vtr_resource_cache_finish (VtrResourceCache *self)
{
  while (self->oldest != NULL)
    vtr_resource_cache_drop (self, self->oldest);
  free (self->buckets);
  memset (self, 0, sizeof *self);
}

const uint8_t *
vtr_resource_cache_get (VtrResourceCache *self,
                        const uint64_t    hash[2],
                        uint64_t          size)
{
  VtrCachedResource *resource = vtr_resource_cache_find (self, hash, size);

  if (resource == NULL)
    return NULL;
  vtr_resource_cache_unlink (self, resource);
  vtr_resource_cache_link_newest (self, resource);
  return resource->bytes;
}

bool
vtr_resource_cache_has (const VtrResourceCache *self,
                        const uint64_t          hash[2],
                        uint64_t                size)
{
  return vtr_resource_cache_find (self, hash, size) != NULL;
}

static bool
vtr_resource_cache_grow (VtrResourceCache *self)
{
  size_t n_old = self->n_buckets;
  VtrCachedResource **old = self->buckets;
  VtrCachedResource **buckets = calloc (n_old == 0 ? 256 : n_old * 2, sizeof *buckets);

  if (buckets == NULL)
    return n_old > 0; /* longer chains will do */
  self->buckets = buckets;
  self->n_buckets = n_old == 0 ? 256 : n_old * 2;
  for (size_t i = 0; i < n_old; i++)
    while (old[i] != NULL)
      {
        VtrCachedResource *resource = old[i];
        VtrCachedResource **bucket = &buckets[vtr_resource_cache_bucket (self, resource->hash)];

        old[i] = resource->next_in_bucket;
        resource->next_in_bucket = *bucket;
        *bucket = resource;
      }
  free (old);
  return true;
}

static VtrStatus
vtr_resource_cache_insert (VtrResourceCache       *self,
                           Batch                  *batch,
                           const VtrResourcePiece *piece)
{
  VtrCachedResource *resource, **bucket;

  if (self->n_resources >= self->n_buckets && !vtr_resource_cache_grow (self))
    return VTR_NO_MEMORY;
  resource = calloc (1, sizeof *resource);
  if (resource == NULL)
    return VTR_NO_MEMORY;
  memcpy (resource->hash, piece->hash, sizeof resource->hash);
  resource->size = piece->size;
  resource->bytes = batch->bulk.bytes + piece->offset;
  resource->batch = batch;
  batch->users++;
  bucket = &self->buckets[vtr_resource_cache_bucket (self, piece->hash)];
  resource->next_in_bucket = *bucket;
  *bucket = resource;
  vtr_resource_cache_link_newest (self, resource);
  self->bytes += piece->size;
  self->n_resources++;
  return VTR_OK;
}

VtrStatus
vtr_resource_cache_add (VtrResourceCache       *self,
                        VtrReplayBulk          *bulk,
                        const VtrResourcePiece *pieces,
                        size_t                  n)
{
  Batch *batch = calloc (1, sizeof *batch);
  VtrStatus status = VTR_OK;

  if (batch == NULL)
    {
      vtr_replay_bulk_finish (bulk);
      return VTR_NO_MEMORY;
    }
  batch->bulk = *bulk;
  batch->users = 1; /* this function */
  *bulk = (VtrReplayBulk)VTR_REPLAY_BULK_INIT;

  /* Backwards, so that the first piece, which is waited for, is the newest. */
  for (size_t i = n; i-- > 0 && status == VTR_OK;)
    {
      uint64_t end;

      if (__builtin_add_overflow (pieces[i].offset, pieces[i].size, &end) || end > batch->bulk.size)
        status = VTR_CORRUPT;
      else if (!vtr_resource_cache_has (self, pieces[i].hash, pieces[i].size))
        status = vtr_resource_cache_insert (self, batch, &pieces[i]);
    }
  while (self->bytes > self->budget && self->oldest != self->newest)
    vtr_resource_cache_drop (self, self->oldest);
  vtr_resource_batch_unref (batch);
  return status;
}
