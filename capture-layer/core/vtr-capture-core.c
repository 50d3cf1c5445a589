/* Keeps the lists of APIs that are recorded in this process, and of their namespaces. */
#include "vtr-capture-core.h"

#include "vtr-layer-thread.h"
#include "vtr-layer-transport.h"

#include "api/vtr-api-model.h"
#include "wire/vtr-trace-objects.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static struct
{
  pthread_mutex_t lock; /* of those who add */
  const VtrCaptureApi *apis[VTR_CAPTURE_MAX_APIS];
  uint8_t *traits[VTR_CAPTURE_MAX_APIS]; /* VtrCallTraits by command */
  atomic_uint n;
} known = { .lock = PTHREAD_MUTEX_INITIALIZER };

bool
vtr_capture_core_add_api (const VtrCaptureApi *api)
{
  uint8_t *traits = calloc (api->n_commands, 1);
  unsigned n;
  bool added;

  for (uint32_t i = 0; traits != NULL && api->get_traits != NULL && i < api->n_commands; i++)
    traits[i] = api->get_traits ((VtrCmdId)(api->first_command + i));
  pthread_mutex_lock (&known.lock);
  n = atomic_load_explicit (&known.n, memory_order_relaxed);
  added = traits != NULL && n < VTR_CAPTURE_MAX_APIS;
  if (added)
    {
      known.apis[n] = api;
      known.traits[n] = traits;
      atomic_store_explicit (&known.n, n + 1, memory_order_release);
    }
  pthread_mutex_unlock (&known.lock);
  if (!added)
    free (traits);
  return added;
}

const VtrCaptureApi *
vtr_capture_core_get_api (unsigned nth)
{
  return nth < atomic_load_explicit (&known.n, memory_order_acquire) ? known.apis[nth] : NULL;
}

const VtrCaptureApi *
vtr_capture_core_find_api (VtrCmdId cmd)
{
  const VtrCaptureApi *api;

  for (unsigned i = 0; (api = vtr_capture_core_get_api (i)) != NULL; i++)
    if ((uint32_t)cmd - (uint32_t)api->first_command < api->n_commands)
      return api;
  return NULL;
}

/* ---- Namespaces ---- */

static struct
{
  pthread_mutex_t lock;
  VtrNamespace *first;
  uint32_t n_numbers; /* given so far */
} namespaces = { .lock = PTHREAD_MUTEX_INITIALIZER };

void
vtr_namespace_begin (VtrNamespace        *self,
                     const VtrCaptureApi *api)
{
  self->api = api;
  for (unsigned i = 0; vtr_capture_core_get_api (i) != NULL; i++)
    if (known.apis[i] == api)
      self->traits = known.traits[i];
  self->first_command = api->first_command;
  self->previous = NULL;
  pthread_mutex_lock (&namespaces.lock);
  self->next = namespaces.first;
  if (self->next != NULL)
    self->next->previous = self;
  namespaces.first = self;
  pthread_mutex_unlock (&namespaces.lock);
}

void
vtr_namespace_end (VtrNamespace *self)
{
  pthread_mutex_lock (&namespaces.lock);
  if (self->previous != NULL)
    self->previous->next = self->next;
  else
    namespaces.first = self->next;
  if (self->next != NULL)
    self->next->previous = self->previous;
  pthread_mutex_unlock (&namespaces.lock);
}

void
vtr_namespace_for_each (const VtrCaptureApi *api,
                        void (*each) (VtrNamespace *self,
                                      void *data),
                        void *data)
{
  pthread_mutex_lock (&namespaces.lock);
  for (VtrNamespace *self = namespaces.first; self != NULL; self = self->next)
    if (api == NULL || self->api == api)
      each (self, data);
  pthread_mutex_unlock (&namespaces.lock);
}

/* ---- Their records ---- */

static const char *
name_scope (VtrApiNames scope)
{
  switch (scope)
    {
    case VTR_NAMES_IN_PROCESS:
      return "process";
    case VTR_NAMES_IN_DISPLAY:
      return "display";
    case VTR_NAMES_IN_DEVICE:
      return "device";
    case VTR_NAMES_IN_GROUP:
      return "group";
    case VTR_NAMES_IN_CONTEXT:
      return "context";
    case VTR_NAMES_NOWHERE:
    case VTR_NAMES_IN_OBJECT:
    default:
      return "";
    }
}

static void
append_text (VtrBuffer  *to,
             unsigned    field,
             const char *text)
{
  const size_t size = strlen (text);

  vtr_buffer_append_u8 (to, (uint8_t)(field << 3 | 2));
  vtr_buffer_append_varint (to, size);
  vtr_buffer_append (to, text, size);
}

/* Commits a vitrine.Namespace. */
static void
write_record (const VtrNamespace *self,
              VtrLayerThread     *thread)
{
  static const char type[] = "vitrine.Namespace";
  const uint16_t length = sizeof type - 1;
  VtrBuffer *to = &thread->scratch;
  const size_t start = to->size;

  vtr_buffer_append (to, &length, sizeof length);
  vtr_buffer_append (to, type, length);
  vtr_buffer_append_u8 (to, VTR_NAMESPACE_NUMBER << 3 | 5);
  vtr_buffer_append_u32 (to, self->number);
  append_text (to, VTR_NAMESPACE_API, vtr_api_of (self->api->first_command)->name);
  append_text (to, VTR_NAMESPACE_SCOPE, name_scope (self->scope));
  if (self->parent != NULL)
    {
      vtr_buffer_append_u8 (to, VTR_NAMESPACE_PARENT << 3 | 5);
      vtr_buffer_append_u32 (to, self->parent->number);
    }
  vtr_buffer_append_u8 (to, VTR_NAMESPACE_NAME << 3 | 1);
  vtr_buffer_append_u64 (to, self->name);
  vtr_layer_thread_append (thread, VTR_RECORD_INFO, 0, start);
}

void
vtr_namespace_tell (VtrNamespace *self,
                    VtrApiNames   scope,
                    VtrNamespace *parent,
                    uint64_t      name)
{
  VtrLayerThread *thread = vtr_layer_is_recording () ? vtr_layer_thread_get () : NULL;

  self->scope = scope;
  self->parent = parent;
  self->name = name;
  pthread_mutex_lock (&namespaces.lock);
  self->number = ++namespaces.n_numbers;
  pthread_mutex_unlock (&namespaces.lock);
  if (thread != NULL)
    write_record (self, thread);
}

static void
tell_again (VtrNamespace *self,
            void         *data)
{
  if (self->number != 0)
    write_record (self, data);
}

void
vtr_namespace_tell_all (VtrLayerThread *thread)
{
  vtr_namespace_for_each (NULL, tell_again, thread);
}

/* In the child of a fork(): another thread of the parent may have had the lock. */
static void
forked (void)
{
  namespaces.lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
}

static __attribute__ ((constructor)) void
watch_forks (void)
{
  vtr_layer_transport_at_fork (forked);
}
