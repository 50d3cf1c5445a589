/* Follows the living objects of the tiny API while nothing is recorded, so that a recording can
 * begin at any frame.
 *
 * No call tells whether it succeeded, so what the driver does is done here too:
 * docs/design/api.md (6) says when a call is an error and leaves everything as it was. */
#include "vtr-tiny-layer.h"

#include "vtr-layer-calls.h"
#include "vtr-layer-order.h"

#include <stdlib.h>
#include <string.h>

#define MAX_SIDE 16384u

static void
object_unref (VtrTinyGroup  *group,
              VtrTinyObject *self)
{
  if (self == NULL || --self->refs > 0)
    return;
  for (VtrTinyObject **place = &group->objects; *place != NULL; place = &(*place)->next)
    if (*place == self)
      {
        *place = self->next;
        break;
      }
  free (self->bytes);
  free (self);
}

void
vtr_tiny_set_object (VtrTinyGroup   *group,
                     VtrTinyObject **place,
                     VtrTinyObject  *object)
{
  if (object != NULL)
    object->refs++;
  object_unref (group, *place);
  *place = object;
}

static VtrTinyObject *
find_object (VtrTinyGroup *group,
             TnKind        kind,
             uint32_t      name)
{
  VtrTinyObject *object = name != 0 ? group->objects : NULL;

  while (object != NULL && (object->kind != kind || object->name != name))
    object = object->next;
  return object;
}

/* The place of a reserved name, or of the NULL behind the last one. */
static VtrTinyReserved **
find_reserved (VtrTinyReserved **place,
               TnKind            kind,
               uint32_t          name)
{
  while (*place != NULL && ((*place)->kind != kind || (*place)->name != name))
    place = &(*place)->next;
  return place;
}

static void
take_reserved (VtrTinyReserved **place)
{
  VtrTinyReserved *reserved = *place;

  if (reserved == NULL)
    return;
  *place = reserved->next;
  free (reserved);
}

static VtrTinyReserved **
get_reserved (VtrTinyContext *context,
              TnKind          kind)
{
  return kind == TN_ARRAY ? &context->reserved : &context->group->reserved;
}

/* ---- Calls ---- */

static void
follow_gen (VtrTinyContext      *self,
            const VtrArgs_tnGen *args)
{
  for (uint32_t i = 0; args->kind >= TN_PICTURE && args->kind <= TN_ARRAY && i < args->n; i++)
    {
      VtrTinyReserved **place = get_reserved (self, (TnKind)args->kind);
      VtrTinyReserved *reserved = calloc (1, sizeof *reserved);

      if (reserved == NULL)
        {
          vtr_layer_live_fail (VTR_LAYER_NO_MEMORY);
          return;
        }
      *reserved = (VtrTinyReserved){ *place, (TnKind)args->kind, args->names[i] };
      *place = reserved;
    }
}

static void
follow_delete (VtrTinyContext         *self,
               const VtrArgs_tnDelete *args)
{
  for (uint32_t i = 0; args->kind >= TN_PICTURE && args->kind <= TN_ARRAY && i < args->n; i++)
    {
      VtrTinyObject *object = find_object (self->group, (TnKind)args->kind, args->names[i]);

      take_reserved (find_reserved (get_reserved (self, (TnKind)args->kind), (TnKind)args->kind,
                                    args->names[i]));
      if (object == NULL)
        continue;
      object->name = 0;
      object_unref (self->group, object);
    }
}

static void
follow_bind (VtrTinyContext       *self,
             const VtrArgs_tnBind *args)
{
  VtrTinyObject *object = NULL;

  if (args->kind == TN_ARRAY)
    take_reserved (find_reserved (&self->reserved, TN_ARRAY, args->name));
  if (args->kind != TN_PICTURE && args->kind != TN_STORE)
    return;
  take_reserved (find_reserved (&self->group->reserved, (TnKind)args->kind, args->name));
  object = find_object (self->group, (TnKind)args->kind, args->name);
  if (object == NULL && args->name != 0)
    {
      object = calloc (1, sizeof *object);
      if (object == NULL)
        {
          vtr_layer_live_fail (VTR_LAYER_NO_MEMORY);
          return;
        }
      *object = (VtrTinyObject){
        .next = self->group->objects, .kind = (TnKind)args->kind, .refs = 1, .name = args->name
      };
      self->group->objects = object;
    }
  vtr_tiny_set_object (self->group, args->kind == TN_PICTURE ? &self->picture : &self->store,
                       object);
}

static void
follow_picture (VtrTinyContext              *self,
                const VtrArgs_tnPictureData *args)
{
  const size_t size = (size_t)args->width * args->height * 4;
  const size_t at = (size_t)args->texels;
  bool found = args->width <= MAX_SIDE && args->height <= MAX_SIDE && self->picture != NULL;

  if (self->store != NULL)
    found = found && at <= self->store->size && size <= self->store->size - at;
  else
    found = found && (args->texels != NULL || size == 0);
  if (!found)
    return;
  self->picture->has_data = true;
  self->picture->width = args->width;
  self->picture->height = args->height;
}

static void
follow_store (VtrTinyContext            *self,
              const VtrArgs_tnStoreData *args)
{
  uint8_t *bytes = self->store != NULL ? calloc (1, args->size > 0 ? args->size : 1) : NULL;

  if (self->store == NULL)
    return;
  if (bytes == NULL)
    {
      vtr_layer_live_fail (VTR_LAYER_NO_MEMORY);
      return;
    }
  if (args->bytes != NULL)
    memcpy (bytes, args->bytes, args->size);
  free (self->store->bytes);
  self->store->bytes = bytes;
  self->store->size = args->size;
  self->store->has_data = true;
}

bool
vtr_tiny_follows (VtrCmdId cmd)
{
  return cmd == VTR_CMD_tnGen || cmd == VTR_CMD_tnDelete || cmd == VTR_CMD_tnBind ||
         cmd == VTR_CMD_tnPictureData || cmd == VTR_CMD_tnStoreData || cmd == VTR_CMD_tnPointer ||
         cmd == VTR_CMD_tnPen;
}

/* Only what others of the group see needs its lock; it is free most of the time. */
void
vtr_tiny_follow (const VtrLayerCall *call,
                 const void         *args,
                 uint64_t            result)
{
  VtrTinyContext *self = call->names->env.data;

  if (self == NULL)
    return;
  if (call->cmd == VTR_CMD_tnPen)
    {
      self->pen = ((const VtrArgs_tnPen *)args)->rgba;
      return;
    }
  pthread_mutex_lock (&self->group->lock);
  if (call->cmd == VTR_CMD_tnGen)
    follow_gen (self, args);
  else if (call->cmd == VTR_CMD_tnDelete)
    follow_delete (self, args);
  else if (call->cmd == VTR_CMD_tnBind)
    follow_bind (self, args);
  else if (call->cmd == VTR_CMD_tnPictureData)
    follow_picture (self, args);
  else if (call->cmd == VTR_CMD_tnStoreData)
    follow_store (self, args);
  else if (call->cmd == VTR_CMD_tnPointer)
    vtr_tiny_set_object (self->group, &self->array->store, self->store);
  pthread_mutex_unlock (&self->group->lock);
}

static void
free_reserved (VtrTinyReserved *reserved)
{
  while (reserved != NULL)
    {
      VtrTinyReserved *next = reserved->next;

      free (reserved);
      reserved = next;
    }
}

void
vtr_tiny_context_unfollow (VtrTinyContext *self)
{
  pthread_mutex_lock (&self->group->lock);
  vtr_tiny_set_object (self->group, &self->picture, NULL);
  vtr_tiny_set_object (self->group, &self->store, NULL);
  vtr_tiny_set_object (self->group, &self->array->store, NULL);
  vtr_tiny_set_object (self->group, &self->first_array.store, NULL);
  for (VtrTinyArray *array = self->arrays; array != NULL; array = array->next)
    vtr_tiny_set_object (self->group, &array->store, NULL);
  pthread_mutex_unlock (&self->group->lock);
  free_reserved (self->reserved);
  free (self->window);
}

void
vtr_tiny_group_unfollow (VtrTinyGroup *self)
{
  while (self->objects != NULL)
    {
      VtrTinyObject *next = self->objects->next;

      free (self->objects->bytes);
      free (self->objects);
      self->objects = next;
    }
  free_reserved (self->reserved);
}
