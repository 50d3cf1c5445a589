/* Keeps the living objects of each device or instance together, and the data that they share. */
#include "vtr-layer-live-state.h"

#include "vtr-layer-reach.h"

#include <stdlib.h>

static pthread_mutex_t live_lock = PTHREAD_MUTEX_INITIALIZER;

void
vtr_layer_live_lock (void)
{
  pthread_mutex_lock (&live_lock);
}

void
vtr_layer_live_unlock (void)
{
  pthread_mutex_unlock (&live_lock);
}

VtrLayerWorld *
vtr_layer_world_new (VtrLayerWorld  *instance,
                     VtrLayerDevice *device)
{
  VtrLayerWorld *self;

  if (!vtr_layer_is_live ())
    return NULL;
  self = calloc (1, sizeof *self);
  if (self == NULL)
    {
      vtr_layer_live_fail (VTR_LAYER_NO_MEMORY);
      return NULL;
    }
  self->instance = instance;
  self->device = device;
  for (unsigned i = 0; i < VTR_VULKAN_N_HANDLES; i++)
    vtr_layer_map_init (&self->maps[i]);
  return self;
}

/* Removes it from parents in other worlds; those in its own end at the same time. */
static void
leave_parents (const VtrLayerWorld *self,
               VtrLayerRecord      *record)
{
  if (record == NULL)
    return;
  for (uint32_t i = 0; i < record->n_parents; i++)
    if (record->parents[i]->world != self)
      vtr_layer_creation_unref (record->parents[i]);
  record->n_parents = 0;
}

void
vtr_layer_world_free (VtrLayerWorld *self)
{
  /* In a child without exec, the lock may be held by a thread that is not there. */
  if (self == NULL || !vtr_layer_is_live ())
    return;
  vtr_layer_live_lock ();
  for (VtrLayerCreation *each = self->first; each != NULL; each = each->next)
    {
      leave_parents (self, each->record);
      for (VtrLayerObject *object = each->objects; object != NULL; object = object->sibling)
        {
          leave_parents (self, object->end);
          for (VtrLayerRecord *record = vtr_layer_records_next (&object->records, NULL);
               record != NULL; record = vtr_layer_records_next (&object->records, record))
            leave_parents (self, record);
        }
    }
  while (self->first != NULL)
    vtr_layer_creation_free (self->first);
  vtr_layer_live_unlock ();
  for (unsigned i = 0; i < VTR_VULKAN_N_HANDLES; i++)
    vtr_layer_map_finish (&self->maps[i]);
  vtr_layer_descriptors_free (self->descriptors);
  for (unsigned i = 0; i < VTR_LAYER_RECENT_FRAMES; i++)
    vtr_layer_reach_finish (&self->recent[i].reach);
  free (self);
}
