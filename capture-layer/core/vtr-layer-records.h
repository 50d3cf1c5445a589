/* The encoded calls that a live object keeps (see vtr-layer-live.h), at most one for each key.
 *
 * Most objects have two or three. An execution set has one for each of its entries, which may be
 * thousands, and every update replaces one. So this is a hash table that starts as a list.
 *
 * Threading: with the lock of vtr-layer-live.h. */
#pragma once

#include <stdint.h>

typedef struct VtrLayerCreation VtrLayerCreation;
typedef struct VtrLayerRecord VtrLayerRecord;

struct VtrLayerRecord
{
  VtrLayerRecord *next; /* with the same hash, of the same object */
  uint64_t order;
  uint64_t key;  /* says which of an object's records it replaces */
  uint16_t type; /* VtrCmdId or VTR_RECORD_INFO */
  uint32_t size;
  uint32_t n_parents;
  VtrLayerCreation **parents; /* each holds a reference */
  uint8_t *data;              /* a message, flagged initial */
};

/* All zero: empty. */
typedef struct
{
  union
  {
    VtrLayerRecord *list;   /* while .bits is 0 */
    VtrLayerRecord **lists; /* [1 << .bits] */
  };
  uint32_t n;
  uint32_t bits;
} VtrLayerRecords;

/* Adds @record, which then belongs to @self. Returns: the record with the same key, which @self no longer has;
 * or NULL. */
VtrLayerRecord *vtr_layer_records_put (VtrLayerRecords *self,
                                       VtrLayerRecord  *record);

/* Takes the record with @key off. Returns: it; or NULL. */
VtrLayerRecord *vtr_layer_records_take (VtrLayerRecords *self,
                                        uint64_t         key);

/* Returns: the record that follows @record, in no particular order; of NULL, the first one; NULL after the
 * last one. */
VtrLayerRecord *vtr_layer_records_next (const VtrLayerRecords *self,
                                        const VtrLayerRecord  *record);

/* Takes all records off and passes each to @free_record. */
void vtr_layer_records_clear (VtrLayerRecords *self,
                              void (*free_record) (VtrLayerRecord *record));
