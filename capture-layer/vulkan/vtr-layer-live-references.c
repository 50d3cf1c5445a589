/* Keeps the references between followed objects: which object keeps which alive, and which end
 * together. */
#include "vtr-layer-live.h"

#include <stdlib.h>

void
vtr_layer_record_free (VtrLayerRecord *self)
{
  if (self == NULL)
    return;
  for (uint32_t i = 0; i < self->n_parents; i++)
    vtr_layer_creation_unref (self->parents[i]);
  free (self->parents);
  free (self->data);
  free (self);
}

static void
free_object (VtrLayerObject *self)
{
  vtr_layer_records_clear (&self->records, vtr_layer_record_free);
  vtr_layer_record_free (self->end);
  if (self->free_state != NULL)
    self->free_state (self->state);
  free (self);
}

void
vtr_layer_creation_free (VtrLayerCreation *self)
{
  if (self->previous != NULL)
    self->previous->next = self->next;
  else
    self->world->first = self->next;
  if (self->next != NULL)
    self->next->previous = self->previous;
  while (self->objects != NULL)
    {
      VtrLayerObject *object = self->objects;

      self->objects = object->sibling;
      free_object (object);
    }
  vtr_layer_record_free (self->record);
  free (self);
}

static bool
is_dead (const VtrLayerCreation *self)
{
  for (const VtrLayerObject *object = self->objects; object != NULL; object = object->sibling)
    if (!object->dead)
      return false;
  return true;
}

static bool
refers (const VtrLayerRecord   *record,
        const VtrLayerCreation *creation)
{
  for (uint32_t i = 0; i < record->n_parents; i++)
    if (record->parents[i] == creation)
      return true;
  return false;
}

/* Returns: the memory to which @record bound @object, if it was allocated for this object and
 * neither is needed otherwise; else NULL. */
static VtrLayerCreation *
find_partner (const VtrLayerObject *object,
              const VtrLayerRecord *record)
{
  VtrLayerCreation *self = object->creation;

  for (uint32_t i = 0; i < record->n_parents; i++)
    {
      VtrLayerCreation *parent = record->parents[i];

      if (parent->n_refs == 1 && self->n_refs == 1 && is_dead (parent) && is_dead (self) &&
          refers (parent->record, self))
        return parent;
    }
  return NULL;
}

/* Removes the record that binds one of @self's objects to memory that was allocated for it
 * (VkMemoryDedicatedAllocateInfo), if nothing else needs the two. Returns: whether they were
 * removed. */
static bool
leave_partner (VtrLayerCreation *self)
{
  for (VtrLayerObject *object = self->objects; object != NULL; object = object->sibling)
    for (VtrLayerRecord *record = vtr_layer_records_next (&object->records, NULL); record != NULL;
         record = vtr_layer_records_next (&object->records, record))
      if (find_partner (object, record) != NULL)
        {
          vtr_layer_object_set_record (object, record->key, NULL);
          return true;
        }
  return false;
}

void
vtr_layer_creation_unref (VtrLayerCreation *self)
{
  const VtrLayerRecord *record = self->record;

  if (--self->n_refs == 0)
    vtr_layer_creation_free (self);
  else if (self->n_refs == 1 && is_dead (self) && !leave_partner (self))
    /* Seen from the memory: what it was allocated for. */
    for (uint32_t i = 0; record != NULL && i < record->n_parents; i++)
      if (record->parents[i]->n_refs == 1 && leave_partner (record->parents[i]))
        return;
}

/* An object's records go with it. If they kept it, it would never go. */
static void
leave_own (VtrLayerObject *self,
           VtrLayerRecord *record)
{
  uint32_t n = 0;

  for (uint32_t i = 0; i < record->n_parents; i++)
    if (record->parents[i] == self->creation)
      self->creation->n_refs--;
    else
      record->parents[n++] = record->parents[i];
  record->n_parents = n;
}

void
vtr_layer_object_set_record (VtrLayerObject *self,
                             uint64_t        key,
                             VtrLayerRecord *record)
{
  vtr_layer_record_free (vtr_layer_records_take (&self->records, key));
  if (record == NULL)
    return;
  leave_own (self, record);
  record->key = key;
  vtr_layer_record_free (vtr_layer_records_put (&self->records, record));
}
