/* Where a flat argument tree may hold device addresses (VtrFlat.places). Threading: one at a time. */
#pragma once

#include "api/vtr-api-slot-private.h"

/* Notes @size bytes at @at of the blob. @exact: they are one address; else any of them may belong to one. */
void vtr_flat_add_place (VtrFlat        *self,
                         const VtrScope *scope,
                         uint32_t        at,
                         uint64_t        size,
                         bool            exact);

/* Notes them in the fields of @scope that are numbers, which are at @at. @structs: in embedded structs, too. */
void vtr_flat_find_places (VtrFlat         *self,
                           const VtrApiEnv *env,
                           const VtrScope  *scope,
                           uint32_t         at,
                           bool             structs);

/* In @count elements of @field at @from, which are at @at of the blob. */
void vtr_flat_find_places_in_elements (VtrFlat           *self,
                                       const VtrApiEnv   *env,
                                       const VtrScope    *scope,
                                       const VtrApiField *field,
                                       const uint8_t     *from,
                                       uint32_t           at,
                                       uint64_t           count);

/* In a structure that nothing else reads. */
void vtr_flat_find_places_in_struct (VtrFlat         *self,
                                     const VtrApiEnv *env,
                                     const VtrScope  *parent,
                                     VtrStructId      id,
                                     const uint8_t   *from,
                                     uint32_t         at);
