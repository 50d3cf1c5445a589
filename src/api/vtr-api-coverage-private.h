/* The memory that the observations of one command describe. Threading: one at a time. */
#pragma once

#include "api/vtr-api-walk.h"

/**
 * VtrCoverage:
 *
 * An index over observations by address. Later observations overlay earlier ones. Not to be
 * copied: it points into itself.
 */
typedef struct
{
  const VtrObservation *observations; /* borrowed */
  size_t n_observations;
  uint32_t *order;    /* by base; NULL for few */
  uint64_t *max_ends; /* highest end up to each place of .order */
  VtrBuffer hits;     /* scratch: uint32_t */
  uint64_t total;     /* bytes in all observations */
  uint32_t few[16];   /* .hits begins here */
} VtrCoverage;

VTR_MUST_CHECK VtrStatus vtr_coverage_init (VtrCoverage          *self,
                                            const VtrObservation *observations,
                                            size_t                n_observations);
void vtr_coverage_finish (VtrCoverage *self);

/* Copies the known ones of @size bytes at @address to @to (which the caller zeroed). Returns: how
 * many leading and scattered bytes were covered, @size when all. */
uint64_t vtr_coverage_read (VtrCoverage *self,
                            uint64_t     address,
                            uint64_t     size,
                            uint8_t     *to);

/* Whether the byte at @address is known. */
bool vtr_coverage_knows (VtrCoverage *self,
                         uint64_t     address);

/* Bytes known without a gap from @address on, at most @limit. */
uint64_t vtr_coverage_extent (VtrCoverage *self,
                              uint64_t     address,
                              uint64_t     limit);

/* Length of the string at @address with its NUL. Returns: 0 when no NUL is known. */
uint64_t vtr_coverage_string (VtrCoverage *self,
                              uint64_t     address);
