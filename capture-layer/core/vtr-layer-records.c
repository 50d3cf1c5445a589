/* Hash table of the encoded calls that a live object keeps, one for each key. */
#include "vtr-layer-records.h"

#include <stdlib.h>

#define MOST_IN_A_LIST 8u /* on average */
#define MOST_BITS 30u

static uint32_t
list_of_key (const VtrLayerRecords *self,
             uint64_t               key)
{
  return self->bits == 0
           ? 0
           : (uint32_t)((key * UINT64_C (0x9e3779b97f4a7c15)) >> (64 - self->bits));
}

static VtrLayerRecord **
get_list (VtrLayerRecords *self,
          uint32_t         i)
{
  return self->bits == 0 ? &self->list : &self->lists[i];
}

static void
link_record (VtrLayerRecords *self,
             VtrLayerRecord  *record)
{
  VtrLayerRecord **list = get_list (self, list_of_key (self, record->key));

  record->next = *list;
  *list = record;
}

/* Without memory the table stays as it is, which only makes it slower. */
static void
grow (VtrLayerRecords *self)
{
  const VtrLayerRecords old = *self;
  VtrLayerRecords larger = { .n = old.n, .bits = old.bits + 1 };

  if (old.bits == MOST_BITS ||
      (larger.lists = calloc ((size_t)1 << larger.bits, sizeof *larger.lists)) == NULL)
    return;
  for (uint32_t i = 0; i < 1u << old.bits; i++)
    for (VtrLayerRecord *each = *get_list (self, i), *next; each != NULL; each = next)
      {
        next = each->next;
        link_record (&larger, each);
      }
  if (old.bits > 0)
    free (old.lists);
  *self = larger;
}

VtrLayerRecord *
vtr_layer_records_put (VtrLayerRecords *self,
                       VtrLayerRecord  *record)
{
  VtrLayerRecord *old = vtr_layer_records_take (self, record->key);

  if (self->n >= MOST_IN_A_LIST << self->bits)
    grow (self);
  link_record (self, record);
  self->n++;
  return old;
}

VtrLayerRecord *
vtr_layer_records_take (VtrLayerRecords *self,
                        uint64_t         key)
{
  VtrLayerRecord **link = get_list (self, list_of_key (self, key));
  VtrLayerRecord *record;

  while (*link != NULL && (*link)->key != key)
    link = &(*link)->next;
  record = *link;
  if (record == NULL)
    return NULL;
  *link = record->next;
  self->n--;
  return record;
}

VtrLayerRecord *
vtr_layer_records_next (const VtrLayerRecords *self,
                        const VtrLayerRecord  *record)
{
  uint32_t i = 0;

  if (record != NULL && record->next != NULL)
    return record->next;
  if (self->bits == 0)
    return record == NULL ? self->list : NULL;
  if (record != NULL)
    i = list_of_key (self, record->key) + 1;
  for (; i < 1u << self->bits; i++)
    if (self->lists[i] != NULL)
      return self->lists[i];
  return NULL;
}

void
vtr_layer_records_clear (VtrLayerRecords *self,
                         void (*free_record) (VtrLayerRecord *record))
{
  VtrLayerRecords all = *self;

  *self = (VtrLayerRecords){ 0 };
  for (VtrLayerRecord *each = vtr_layer_records_next (&all, NULL), *next; each != NULL; each = next)
    {
      next = vtr_layer_records_next (&all, each);
      free_record (each);
    }
  if (all.bits > 0)
    free (all.lists);
}
