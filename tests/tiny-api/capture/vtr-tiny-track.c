/* Follows what is bound in a context of the tiny API, without asking the driver: which pointers
 * are offsets, and what memory of the program a draw reads. */
#include "vtr-tiny-layer.h"

#include "vtr-layer-calls.h"

#include <stdlib.h>

#define POINT_BYTES 8u /* two floats */

static VtrTinyArray **
find_array (VtrTinyContext *self,
            uint32_t        name)
{
  VtrTinyArray **place = &self->arrays;

  while (*place != NULL && (*place)->name != name)
    place = &(*place)->next;
  return place;
}

bool
vtr_tiny_array_is_deleted (const VtrTinyContext *self)
{
  return self->array != &self->first_array && self->array->name == 0;
}

/* Whoever follows it drops its store. */
static void
free_array (VtrTinyContext *self,
            VtrTinyArray   *array)
{
  pthread_mutex_lock (&self->group->lock);
  vtr_tiny_set_object (self->group, &array->store, NULL);
  pthread_mutex_unlock (&self->group->lock);
  free (array);
}

static void
bind_array (VtrTinyContext *self,
            uint32_t        name)
{
  VtrTinyArray *array = name != 0 ? *find_array (self, name) : &self->first_array;

  if (array == NULL)
    {
      array = calloc (1, sizeof *array);
      if (array == NULL)
        return;
      array->name = name;
      array->next = self->arrays;
      self->arrays = array;
    }
  if (array != self->array && vtr_tiny_array_is_deleted (self))
    free_array (self, self->array);
  self->array = array;
}

void
vtr_tiny_track_Bind (VtrTinyContext       *self,
                     const VtrArgs_tnBind *args)
{
  if (args->kind == TN_STORE)
    self->env.store_bound = args->name != 0 ? VTR_YES : VTR_NO;
  else if (args->kind == TN_PICTURE)
    self->picture_name = args->name;
  else if (args->kind == TN_ARRAY)
    bind_array (self, args->name);
}

/* A store that is bound, or that an array holds, stays where it is. So does the array that is
 * bound. */
void
vtr_tiny_track_Delete (VtrTinyContext         *self,
                       const VtrArgs_tnDelete *args)
{
  for (uint32_t i = 0; args->kind == TN_ARRAY && i < args->n; i++)
    {
      VtrTinyArray **place = find_array (self, args->names[i]);
      VtrTinyArray *array = args->names[i] != 0 ? *place : NULL;

      if (array == NULL)
        continue;
      *place = array->next;
      array->name = 0;
      if (array != self->array)
        free_array (self, array);
    }
}

void
vtr_tiny_track_Pointer (VtrTinyContext          *self,
                        const VtrArgs_tnPointer *args)
{
  self->array->has_store = self->env.store_bound == VTR_YES;
  self->array->stride = args->stride;
  self->array->points = args->points;
  self->array->has_points = true;
}

void
vtr_tiny_track_finish (VtrTinyContext *self)
{
  VtrTinyArray *array = self->arrays, *next;

  if (vtr_tiny_array_is_deleted (self))
    free (self->array);
  for (; array != NULL; array = next)
    {
      next = array->next;
      free (array);
    }
}

/* A draw reads whole triangles. */
void
vtr_tiny_observe_state (const VtrLayerCall *call,
                        const void         *args,
                        VtrObserveSink      sink,
                        void               *data)
{
  const VtrTinyContext *self = call->names->env.data;
  const VtrArgs_tnDraw *draw = args;
  const VtrTinyArray *array = self != NULL ? self->array : NULL;
  const uint64_t n = call->cmd == VTR_CMD_tnDraw ? draw->count / 3 * 3 : 0;

  if (array != NULL && !array->has_store && array->points != NULL && n > 0)
    sink (data, array->points + (uint64_t)draw->first * array->stride,
          (n - 1) * array->stride + POINT_BYTES);
}
