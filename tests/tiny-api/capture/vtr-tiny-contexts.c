/* Keeps the contexts of the tiny API, and the namespaces of their names. */
#include "vtr-tiny-layer.h"

#include "vtr-layer-calls.h"
#include "vtr-layer-frames.h"

#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static VtrTinyContext *contexts;
static _Thread_local VtrTinyContext *current;

VtrNamespace vtr_tiny_process;

VtrTinyContext *
vtr_tiny_current (void)
{
  return current;
}

void
vtr_tiny_publish (void)
{
  if (current != NULL)
    vtr_layer_publish (&current->names);
}

VtrTinyContext *
vtr_tiny_get_contexts (void)
{
  return contexts;
}

/* With the lock. */
static VtrTinyContext *
find (TnContext handle)
{
  VtrTinyContext *self = handle != NULL ? contexts : NULL;

  while (self != NULL && (self->handle != handle || self->is_destroyed))
    self = self->next;
  return self;
}

static VtrTinyGroup *
group_new (void)
{
  VtrTinyGroup *self = calloc (1, sizeof *self);

  if (self == NULL)
    return NULL;
  pthread_mutex_init (&self->lock, NULL);
  vtr_namespace_begin (&self->names, &vtr_tiny_capture_api);
  vtr_namespace_tell (&self->names, VTR_NAMES_IN_GROUP, &vtr_tiny_process, 0);
  return self;
}

static void
context_free (VtrTinyContext *self)
{
  for (VtrTinyContext **place = &contexts; *place != NULL; place = &(*place)->next)
    if (*place == self)
      {
        *place = self->next;
        break;
      }
  vtr_namespace_end (&self->names);
  vtr_tiny_context_unfollow (self);
  if (--self->group->refs == 0)
    {
      vtr_namespace_end (&self->group->names);
      vtr_tiny_group_unfollow (self->group);
      pthread_mutex_destroy (&self->group->lock);
      free (self->group);
    }
  vtr_tiny_track_finish (self);
  free (self);
  vtr_layer_count_presenter (false);
}

/* Without memory, calls in the context are recorded as those of a thread without a context. */
void
vtr_tiny_context_created (TnContext handle,
                          TnContext share,
                          uint32_t  width,
                          uint32_t  height)
{
  VtrTinyContext *self = handle != NULL ? calloc (1, sizeof *self) : NULL, *with;

  if (self == NULL)
    return;
  pthread_mutex_lock (&lock);
  with = find (share);
  self->group = with != NULL ? with->group : group_new ();
  if (self->group == NULL)
    {
      pthread_mutex_unlock (&lock);
      free (self);
      return;
    }
  self->group->refs++;
  self->handle = handle;
  self->array = &self->first_array;
  self->width = width;
  self->height = height;
  self->pen = 0xffffffff;
  self->names.env = (VtrApiEnv){ .data = self, .state = &self->env };
  self->names.batch = &self->batch;
  self->batch.env = &self->names.env;
  self->batch.name = (uint64_t)(uintptr_t)handle;
  vtr_namespace_begin (&self->names, &vtr_tiny_capture_api);
  vtr_namespace_tell (&self->names, VTR_NAMES_IN_CONTEXT, &self->group->names,
                      (uint64_t)(uintptr_t)handle);
  self->next = contexts;
  contexts = self;
  pthread_mutex_unlock (&lock);
  vtr_layer_count_presenter (true);
  vtr_layer_transport_rung (VTR_CAPTURE_RUNG_STARTED, 0, "");
  vtr_layer_transport_rung (VTR_CAPTURE_RUNG_DEVICE, 0, "");
}

void
vtr_tiny_context_destroyed (TnContext handle)
{
  VtrTinyContext *self;

  pthread_mutex_lock (&lock);
  self = find (handle);
  if (self != NULL && self->thread != 0)
    self->is_destroyed = true;
  else if (self != NULL)
    context_free (self);
  pthread_mutex_unlock (&lock);
}

void
vtr_tiny_context_made_current (TnContext handle,
                               bool      succeeded)
{
  VtrTinyContext *before = current;

  if (!succeeded || (before != NULL && before->handle == handle))
    return;
  pthread_mutex_lock (&lock);
  current = find (handle);
  vtr_layer_set_context (current != NULL ? &current->names : NULL);
  if (current != NULL)
    current->thread = vtr_layer_thread_get_id ();
  if (before != NULL)
    {
      before->thread = 0;
      if (before->is_destroyed)
        context_free (before);
    }
  pthread_mutex_unlock (&lock);
}
