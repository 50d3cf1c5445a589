/* Finds the observed bytes of an address. */
#include "api/vtr-api-coverage-private.h"

#include <stdlib.h>
#include <string.h>

#define FEW 24 /* up to here a scan beats an index */

static uint64_t
end_of (const VtrObservation *observation)
{
  uint64_t end;

  if (__builtin_add_overflow (observation->base, observation->size, &end))
    return UINT64_MAX;
  return end;
}

static int
compare_base (const void *a,
              const void *b,
              void       *data)
{
  const VtrObservation *observations = data;
  uint64_t base_a = observations[*(const uint32_t *)a].base;
  uint64_t base_b = observations[*(const uint32_t *)b].base;

  return base_a < base_b ? -1 : base_a > base_b;
}

VtrStatus
vtr_coverage_init (VtrCoverage          *self,
                   const VtrObservation *observations,
                   size_t                n_observations)
{
  uint64_t end = 0;

  self->observations = observations;
  self->n_observations = n_observations;
  self->order = NULL;
  self->max_ends = NULL;
  self->hits = VTR_BUFFER_IN (self->few);
  self->total = 0;
  if (n_observations > UINT32_MAX)
    return VTR_UNSUPPORTED;
  for (size_t i = 0; i < n_observations; i++)
    if (__builtin_add_overflow (self->total, observations[i].size, &self->total))
      self->total = UINT64_MAX;
  if (n_observations <= FEW)
    return VTR_OK;

  self->order = malloc (n_observations * sizeof *self->order);
  self->max_ends = malloc (n_observations * sizeof *self->max_ends);
  if (self->order == NULL || self->max_ends == NULL)
    {
      vtr_coverage_finish (self);
      return VTR_NO_MEMORY;
    }
  for (size_t i = 0; i < n_observations; i++)
    self->order[i] = (uint32_t)i;
  qsort_r (self->order, n_observations, sizeof *self->order, compare_base, (void *)observations);
  for (size_t i = 0; i < n_observations; i++)
    {
      uint64_t this_end = end_of (&observations[self->order[i]]);

      if (this_end > end)
        end = this_end;
      self->max_ends[i] = end;
    }
  return VTR_OK;
}

void
vtr_coverage_finish (VtrCoverage *self)
{
  if (self->order != NULL)
    free (self->order);
  if (self->max_ends != NULL)
    free (self->max_ends);
  if (!self->hits.borrowed)
    vtr_buffer_finish (&self->hits);
  self->order = NULL;
  self->max_ends = NULL;
}

static bool
overlaps (const VtrObservation *observation,
          uint64_t              address,
          uint64_t              end)
{
  return observation->data != NULL && observation->base < end && end_of (observation) > address;
}

static int
compare_u32 (const void *a,
             const void *b)
{
  uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

  return x < y ? -1 : x > y;
}

/* Fills .hits with the observations overlapping [address, end), in the order of the message. */
static size_t
find_hits (VtrCoverage *self,
           uint64_t     address,
           uint64_t     end)
{
  size_t low = 0, high = self->n_observations, n_hits;

  vtr_buffer_clear (&self->hits);
  if (self->order == NULL)
    {
      for (size_t i = 0; i < self->n_observations; i++)
        if (overlaps (&self->observations[i], address, end))
          vtr_buffer_append_u32 (&self->hits, (uint32_t)i);
      return self->hits.size / sizeof (uint32_t);
    }

  while (low < high)
    {
      size_t middle = low + (high - low) / 2;

      if (self->observations[self->order[middle]].base < end)
        low = middle + 1;
      else
        high = middle;
    }
  for (size_t i = low; i-- > 0 && self->max_ends[i] > address;)
    if (overlaps (&self->observations[self->order[i]], address, end))
      vtr_buffer_append_u32 (&self->hits, self->order[i]);
  n_hits = self->hits.size / sizeof (uint32_t);
  if (n_hits > 1)
    qsort (self->hits.data, n_hits, sizeof (uint32_t), compare_u32);
  return n_hits;
}

/* Length of the union of the .hits within [address, end). */
static uint64_t
union_of_hits (VtrCoverage *self,
               size_t       n_hits,
               uint64_t     address,
               uint64_t     end)
{
  uint32_t *hits = (uint32_t *)(void *)self->hits.data;
  uint64_t covered = 0, at = address;

  qsort_r (hits, n_hits, sizeof *hits, compare_base, (void *)self->observations);
  for (size_t i = 0; i < n_hits; i++)
    {
      const VtrObservation *hit = &self->observations[hits[i]];
      uint64_t from = hit->base > at ? hit->base : at;
      uint64_t to = end_of (hit) < end ? end_of (hit) : end;

      if (to > from)
        {
          covered += to - from;
          at = to;
        }
    }
  return covered;
}

/* Copies what @hit knows of [address, end). Returns: how many bytes. */
static uint64_t
copy_hit (const VtrObservation *hit,
          uint64_t              address,
          uint64_t              end,
          uint8_t              *to)
{
  const uint64_t hit_end = end_of (hit);
  const uint64_t from = hit->base > address ? hit->base : address;
  const uint64_t until = hit_end < end ? hit_end : end;

  memcpy (to + (from - address), hit->data + (from - hit->base), (size_t)(until - from));
  return until - from;
}

uint64_t
vtr_coverage_read (VtrCoverage *self,
                   uint64_t     address,
                   uint64_t     size,
                   uint8_t     *to)
{
  uint64_t end, best = 0;
  const uint32_t *hits;
  size_t n_hits;

  if (__builtin_add_overflow (address, size, &end))
    return 0;
  /* Most commands have one. */
  if (self->n_observations == 1)
    return overlaps (self->observations, address, end)
             ? copy_hit (self->observations, address, end, to)
             : 0;
  n_hits = find_hits (self, address, end);
  if (self->hits.failed)
    return 0;
  hits = (const uint32_t *)(const void *)self->hits.data;
  for (size_t i = 0; i < n_hits; i++)
    {
      const uint64_t copied = copy_hit (&self->observations[hits[i]], address, end, to);

      if (copied > best)
        best = copied;
    }
  if (n_hits <= 1 || best == size)
    return best;
  return union_of_hits (self, n_hits, address, end);
}

bool
vtr_coverage_knows (VtrCoverage *self,
                    uint64_t     address)
{
  if (self->order != NULL)
    return vtr_coverage_extent (self, address, 1) > 0;
  for (size_t i = 0; i < self->n_observations; i++)
    {
      const VtrObservation *observation = &self->observations[i];

      if (observation->data != NULL && observation->base <= address &&
          end_of (observation) > address)
        return true;
    }
  return false;
}

uint64_t
vtr_coverage_extent (VtrCoverage *self,
                     uint64_t     address,
                     uint64_t     limit)
{
  uint64_t end, at = address;
  uint32_t *hits;
  size_t n_hits;

  if (__builtin_add_overflow (address, limit, &end))
    end = UINT64_MAX;
  n_hits = find_hits (self, address, end);
  if (n_hits == 0 || self->hits.failed)
    return 0;
  hits = (uint32_t *)(void *)self->hits.data;
  if (n_hits > 1)
    qsort_r (hits, n_hits, sizeof *hits, compare_base, (void *)self->observations);
  for (size_t i = 0; i < n_hits; i++)
    {
      const VtrObservation *hit = &self->observations[hits[i]];

      if (hit->base > at)
        break;
      if (end_of (hit) > at)
        at = end_of (hit) < end ? end_of (hit) : end;
    }
  return at - address;
}

uint64_t
vtr_coverage_string (VtrCoverage *self,
                     uint64_t     address)
{
  uint64_t best = 0;
  size_t n_hits;
  uint64_t end;

  if (__builtin_add_overflow (address, UINT64_C (1), &end))
    return 0;
  n_hits = find_hits (self, address, end);
  /* A string is one observation; the last one to describe its start is the one that counts. */
  for (size_t i = 0; i < n_hits && !self->hits.failed; i++)
    {
      const VtrObservation *hit =
        &self->observations[((const uint32_t *)(const void *)self->hits.data)[i]];
      const uint8_t *start = hit->data + (address - hit->base);
      const uint8_t *nul = memchr (start, 0, (size_t)(end_of (hit) - address));

      if (nul != NULL)
        best = (uint64_t)(nul - start) + 1;
    }
  return best;
}
