/* Finds the acceleration structures whose contents a recording must begin with. */
#include "vtr-layer-initial.h"

#include <stdlib.h>
#include <string.h>

typedef struct
{
  VtrLayerDevice *device;
  VtrLayerLiveStructure *structures;
  size_t n;
} List;

/* The buffer of a structure, if it still exists and is not a later one with the same handle. */
static const VtrLayerBuffer *
find_buffer (const List           *self,
             const VtrLayerObject *object)
{
  const VtrLayerStructure *state = object->state;
  const VtrLayerObject *buffer = vtr_layer_live_find (self->device->live, VTR_HANDLE_VkBuffer,
                                                      (uint64_t)(uintptr_t)state->buffer);
  const VtrLayerBuffer *found = buffer != NULL ? buffer->state : NULL;

  if (found == NULL || buffer->order > object->order ||
      (found->sparse == NULL &&
       !vtr_layer_initial_is_bound (self->device, buffer, found->memory)))
    return NULL;
  return found;
}

static void
add_structure (VtrLayerObject *object,
               void           *data)
{
  const VtrLayerStructure *state = object->state;
  const VtrLayerBuffer *buffer;
  VtrLayerLiveStructure *to;
  List *self = data;

  if (state == NULL || state->built == 0)
    return;
  buffer = find_buffer (self, object);
  if (buffer == NULL)
    return;
  to = &self->structures[self->n++];
  *to = (VtrLayerLiveStructure){
    .type = state->type,
    .place = buffer->sparse != NULL ? (uint64_t)(uintptr_t)state->buffer
                                    : (uint64_t)(uintptr_t)buffer->memory,
    .offset = buffer->offset + state->offset,
    .size = state->size,
    .built = state->built,
    .owner = buffer->owner,
  };
  memcpy (&to->structure, &object->handle, sizeof to->structure);
}

static int
compare_places (const void *a,
                const void *b)
{
  const VtrLayerLiveStructure *left = a, *right = b;

  if (left->place != right->place)
    return left->place < right->place ? -1 : 1;
  return (left->offset > right->offset) - (left->offset < right->offset);
}

/* Bottom levels come before the top level that uses them. */
static int
compare_levels (const void *a,
                const void *b)
{
  const VtrLayerLiveStructure *left = a, *right = b;
  const bool left_top = left->type == VK_ACCELERATION_STRUCTURE_TYPE_TOP_LEVEL_KHR;
  const bool right_top = right->type == VK_ACCELERATION_STRUCTURE_TYPE_TOP_LEVEL_KHR;

  if (left_top != right_top)
    return left_top ? 1 : -1;
  return (left->built > right->built) - (left->built < right->built);
}

/* A structure that was built over others has overwritten them. */
static void
leave_overwritten (List *self)
{
  VtrLayerLiveStructure *all = self->structures;
  size_t n = 0;

  qsort (all, self->n, sizeof *all, compare_places);
  for (size_t i = 0; i < self->n; i++)
    for (size_t j = i + 1; j < self->n && all[j].place == all[i].place &&
                           all[j].offset - all[i].offset < all[i].size;
         j++)
      {
        VtrLayerLiveStructure *older = all[i].built < all[j].built ? &all[i] : &all[j];

        older->structure = VK_NULL_HANDLE;
      }
  for (size_t i = 0; i < self->n; i++)
    if (all[i].structure != VK_NULL_HANDLE)
      all[n++] = all[i];
  self->n = n;
}

size_t
vtr_layer_initial_list_structures (VtrLayerDevice        *device,
                                   VtrLayerLiveStructure *to)
{
  List self = { .device = device, .structures = to };

  vtr_layer_initial_for_each (device->live, VTR_HANDLE_VkAccelerationStructureKHR, add_structure,
                              &self);
  if (self.n > 1)
    {
      leave_overwritten (&self);
      qsort (to, self.n, sizeof *to, compare_levels);
    }
  return self.n;
}
