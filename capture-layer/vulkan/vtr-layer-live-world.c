/* The worlds of what lives, and what they share. */
#include "vtr-layer-live-state.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t live_lock = PTHREAD_MUTEX_INITIALIZER;
static _Atomic uint64_t last_order;
static _Atomic bool failed;
static char failure[256];

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

uint64_t
vtr_layer_live_next_order (void)
{
  return atomic_fetch_add_explicit (&last_order, 1, memory_order_relaxed) + 1;
}

/* Orders at the last frame boundaries. */
#define FRAMES VTR_LAYER_RECENT_FRAMES
static _Atomic uint64_t frame_orders[FRAMES];
static _Atomic uint32_t n_frames;

void
vtr_layer_live_note_frame (void)
{
  uint32_t n = atomic_fetch_add_explicit (&n_frames, 1, memory_order_relaxed);

  atomic_store_explicit (&frame_orders[n % FRAMES],
                         atomic_load_explicit (&last_order, memory_order_relaxed),
                         memory_order_relaxed);
}

uint32_t
vtr_layer_live_count_frames (void)
{
  return atomic_load_explicit (&n_frames, memory_order_relaxed);
}

uint64_t
vtr_layer_live_get_recent_order (void)
{
  uint32_t n = atomic_load_explicit (&n_frames, memory_order_relaxed);

  return n < FRAMES ? 0
                    : atomic_load_explicit (&frame_orders[n % FRAMES], memory_order_relaxed);
}

static bool
can_have_surfaces (uint64_t  key,
                   void     *value,
                   void     *data)
{
  const VtrLayerInstance *instance = value;

  for (const char *at = instance->extensions; *at != '\0'; at += strlen (at) + 1)
    if (strcmp (at, VK_KHR_SURFACE_EXTENSION_NAME) == 0)
      *(bool *)data = true;
  return false;
}

bool
vtr_layer_live_may_present (void)
{
  bool may = false;

  vtr_layer_map_sweep (&vtr_layer_instances, can_have_surfaces, &may);
  return may;
}

const char *
vtr_layer_live_get_failure (void)
{
  return atomic_load_explicit (&failed, memory_order_acquire) ? failure : "";
}

void
vtr_layer_live_fail (const char *format,
                     ...)
{
  static atomic_flag taken = ATOMIC_FLAG_INIT;
  va_list args;

  if (atomic_flag_test_and_set (&taken))
    return;
  va_start (args, format);
  vsnprintf (failure, sizeof failure, format, args);
  va_end (args);
  atomic_store_explicit (&failed, true, memory_order_release);
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

/* Tells parents in other worlds; those in its own go at the same time. */
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
