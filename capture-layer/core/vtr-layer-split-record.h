/* Builds a record whose large contents stay where they are in memory until the record is
 * committed.
 *
 * Threading: one at a time per object. */
#pragma once

#include "vtr-layer-thread.h"

/**
 * VtrLayerSplitRecord:
 *
 * One record after the other. Zero-initialised there is none; .parts may be put into storage of the caller's.
 * What is appended to the scratch of the thread in between is part of the record.
 */
typedef struct
{
  VtrBuffer parts; /* VtrRingPart; see vtr_layer_thread_append_parts() */
  size_t start;    /* of the record in the scratch */
  size_t in_parts; /* where in the scratch .parts end */
  size_t apart;    /* bytes of the record that are not in the scratch */
} VtrLayerSplitRecord;

/* Begins a record at the end of the scratch. */
void vtr_layer_split_record_begin (VtrLayerSplitRecord *self,
                                   VtrLayerThread      *thread);

/* Appends an observation of @bytes, which stay as they are until the record is committed. */
void vtr_layer_split_record_observe (VtrLayerSplitRecord *self,
                                     VtrLayerThread      *thread,
                                     uint64_t             base,
                                     const uint8_t       *bytes,
                                     size_t               size);

/* Like vtr_layer_split_record_observe (), for zeros. */
void vtr_layer_split_record_observe_zeros (VtrLayerThread *thread,
                                           uint64_t        base,
                                           size_t          size);

/* Bytes of the record so far. */
static inline size_t
vtr_layer_split_record_measure (const VtrLayerSplitRecord *self,
                                const VtrLayerThread      *thread)
{
  return thread->scratch.size - self->start + self->apart;
}

void vtr_layer_split_record_commit (VtrLayerSplitRecord *self,
                                    VtrLayerThread      *thread,
                                    VtrRecordType        type);

void vtr_layer_split_record_finish (VtrLayerSplitRecord *self);
