/* Keeps the displays and contexts of the program, and the namespaces of their names. */
#include "vtr-gl-layer.h"

#include "vtr-layer-calls.h"
#include "vtr-layer-frames.h"
#include "vtr-layer-transport.h"

#include "base/vtr-log.h"

#include <pthread.h>
#include <stdlib.h>

typedef struct VtrGlDisplay VtrGlDisplay;
struct VtrGlDisplay
{
  VtrNamespace names;
  VtrGlDisplay *older;
  void *handle;
  unsigned vendor;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static VtrGlDisplay *_Atomic displays; /* none ever ends */
static VtrGlContext *contexts;

_Thread_local __attribute__ ((tls_model ("initial-exec"))) VtrGlContext *vtr_gl_current;

VtrNamespace vtr_gl_process;

void
vtr_gl_publish (void)
{
  if (vtr_gl_current != NULL)
    vtr_layer_publish (&vtr_gl_current->names);
}

/* ---- Displays ---- */

static VtrGlDisplay *
find_display (void *handle)
{
  VtrGlDisplay *self = atomic_load_explicit (&displays, memory_order_acquire);

  while (self != NULL && self->handle != handle)
    self = self->older;
  return self;
}

VtrNamespace *
vtr_gl_names_of_display (void *display)
{
  VtrGlDisplay *self = find_display (display);

  return self != NULL ? &self->names : &vtr_gl_process;
}

void
vtr_gl_display_got (unsigned  vendor,
                    void     *display)
{
  VtrGlDisplay *self;

  pthread_mutex_lock (&lock);
  self = find_display (display) == NULL ? calloc (1, sizeof *self) : NULL;
  if (self != NULL)
    {
      self->handle = display;
      self->vendor = vendor;
      self->names.env.data = self;
      vtr_namespace_begin (&self->names, &vtr_gl_capture_api);
      vtr_namespace_tell (&self->names, VTR_NAMES_IN_DISPLAY, &vtr_gl_process,
                          (uint64_t)(uintptr_t)display);
      self->older = atomic_load_explicit (&displays, memory_order_relaxed);
      atomic_store_explicit (&displays, self, memory_order_release);
    }
  pthread_mutex_unlock (&lock);
}

void
vtr_gl_display_initialized (void     *display,
                            uint32_t  succeeded)
{
  if (succeeded)
    vtr_layer_transport_rung (VTR_CAPTURE_RUNG_STARTED, 0, "");
}

void
vtr_gl_window_made (void *surface)
{
  if (surface != NULL)
    vtr_layer_count_surface ();
}

/* ---- Contexts ---- */

/* With the lock. */
static VtrGlContext *
find_context (void *handle)
{
  VtrGlContext *self = handle != NULL ? contexts : NULL;

  while (self != NULL && (self->handle != handle || self->is_destroyed))
    self = self->older;
  return self;
}

static VtrGlGroup *
group_new (VtrNamespace *parent)
{
  VtrGlGroup *self = calloc (1, sizeof *self);

  if (self == NULL)
    return NULL;
  vtr_namespace_begin (&self->names, &vtr_gl_capture_api);
  vtr_namespace_tell (&self->names, VTR_NAMES_IN_GROUP, parent, 0);
  return self;
}

/* With the lock. */
static void
context_free (VtrGlContext *self)
{
  for (VtrGlContext **place = &contexts; *place != NULL; place = &(*place)->older)
    if (*place == self)
      {
        *place = self->older;
        break;
      }
  vtr_namespace_end (&self->names);
  vtr_gl_track_clear (&self->track);
  if (atomic_fetch_sub (&self->group->n_contexts, 1) == 1)
    {
      vtr_namespace_end (&self->group->names);
      free (self->group);
    }
  free (self);
  vtr_layer_count_presenter (false);
}

/* Without memory, calls in the context are recorded as those of a thread without one. */
void
vtr_gl_context_created (unsigned  vendor,
                        void     *display,
                        void     *share,
                        void     *handle)
{
  VtrGlContext *self = handle != NULL ? calloc (1, sizeof *self) : NULL, *with;

  if (self == NULL)
    return;
  pthread_mutex_lock (&lock);
  with = find_context (share);
  self->group = with != NULL ? with->group : group_new (vtr_gl_names_of_display (display));
  if (self->group == NULL)
    {
      pthread_mutex_unlock (&lock);
      free (self);
      return;
    }
  atomic_fetch_add (&self->group->n_contexts, 1);
  self->handle = handle;
  self->vendor = vendor;
  self->next = vtr_gl_vendors[vendor].next;
  vtr_gl_track_init (&self->track);
  self->names.env = (VtrApiEnv){ .data = self, .state = &self->track.env };
  self->names.batch = &self->batch;
  self->batch.env = &self->names.env;
  self->batch.name = (uint64_t)(uintptr_t)handle;
  vtr_namespace_begin (&self->names, &vtr_gl_capture_api);
  vtr_namespace_tell (&self->names, VTR_NAMES_IN_CONTEXT, &self->group->names,
                      (uint64_t)(uintptr_t)handle);
  self->older = contexts;
  contexts = self;
  pthread_mutex_unlock (&lock);
  vtr_layer_count_presenter (true);
  vtr_layer_transport_rung (VTR_CAPTURE_RUNG_DEVICE, 0, "");
}

void
vtr_gl_context_destroyed (void     *handle,
                          uint32_t  succeeded)
{
  VtrGlContext *self;

  if (!succeeded)
    return;
  pthread_mutex_lock (&lock);
  self = find_context (handle);
  if (self != NULL && self->thread != 0)
    self->is_destroyed = true;
  else if (self != NULL)
    context_free (self);
  pthread_mutex_unlock (&lock);
}

/* One that was destroyed meanwhile ends when it is current no more. */
void
vtr_gl_context_made_current (void     *handle,
                             uint32_t  succeeded)
{
  VtrGlContext *before = vtr_gl_current, *now;

  if (!succeeded)
    return;
  pthread_mutex_lock (&lock);
  now = before != NULL && before->handle == handle ? before : find_context (handle);
  if (before != NULL && before != now)
    {
      before->thread = 0;
      if (before->is_destroyed)
        context_free (before);
    }
  if (now != NULL)
    now->thread = vtr_layer_thread_get_id ();
  vtr_gl_current = now;
  pthread_mutex_unlock (&lock);
  vtr_layer_set_context (now != NULL ? &now->names : NULL);
}

/* ---- What is not recorded yet ---- */

void
vtr_gl_map_made (const void *pointer)
{
  static atomic_bool said;

  if (pointer != NULL && !atomic_exchange (&said, true))
    vtr_layer_transport_notice (
      VTR_LOG_WARNING, "The program maps a buffer. This version of Vitrine does not record what it "
                       "writes there.");
}

void
vtr_gl_fixed_array_set (const VtrGlContext *context,
                        const void         *pointer)
{
  static atomic_bool said;

  if (context != NULL && context->track.bound[VTR_GL_BOUND_ARRAY] == 0 && pointer != NULL &&
      !atomic_exchange (&said, true))
    vtr_layer_transport_notice (
      VTR_LOG_WARNING, "The program draws arrays of fixed-function OpenGL from its own memory. "
                       "This version of Vitrine does not record them.");
}
