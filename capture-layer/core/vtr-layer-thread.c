/* Keeps the state of each thread of the program, and commits records to its log. */
#include "vtr-layer-thread.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define SCRATCH_KEEP (4u * 1024u * 1024u) /* a larger one is given back after the call */

_Thread_local __attribute__ ((tls_model ("initial-exec"))) VtrLayerThread *vtr_layer_self;
_Thread_local __attribute__ ((tls_model ("initial-exec"))) uint32_t vtr_layer_thread_id;

static pthread_once_t key_once = PTHREAD_ONCE_INIT;
static pthread_key_t thread_key;
static bool have_key;

/* ---- Threads ---- */

static void
destroy_thread (void *data)
{
  VtrLayerThread *self = data;

  vtr_layer_self = NULL;
  /* In a child without exec, the list may be in any state. */
  if (vtr_layer_is_live ())
    vtr_layer_gate_remove (&self->place);
  vtr_ring_log_close (&self->log);
  vtr_buffer_finish (&self->scratch);
  free (self->packed);
  free (self);
}

static void
create_key (void)
{
  have_key = pthread_key_create (&thread_key, destroy_thread) == 0;
}

uint32_t
vtr_layer_thread_get_id_slow (void)
{
  vtr_layer_thread_id = (uint32_t)syscall (SYS_gettid);
  return vtr_layer_thread_id;
}

VtrLayerThread *
vtr_layer_thread_get_slow (void)
{
  VtrLayerThread *self;

  pthread_once (&key_once, create_key);
  if (!have_key || vtr_ring_writer_has_ended (&vtr_layer_ring))
    return NULL;
  self = calloc (1, sizeof *self);
  if (self == NULL)
    return NULL;
  self->id = vtr_layer_thread_get_id ();
  if (!vtr_ring_log_open (&self->log, &vtr_layer_ring, self->id) ||
      pthread_setspecific (thread_key, self) != 0)
    {
      vtr_ring_log_close (&self->log);
      free (self);
      return NULL;
    }
  if (vtr_layer_is_live ())
    vtr_layer_gate_add (&self->place);
  vtr_layer_self = self;
  return self;
}

void
vtr_layer_set_context (struct VtrNamespace *context)
{
  VtrLayerThread *self = vtr_layer_thread_get ();

  if (self == NULL)
    return;
  self->context = context;
  atomic_store (&self->place.has_errand, context != NULL);
}

/* ---- The log ---- */

uint64_t
vtr_layer_thread_append (VtrLayerThread *self,
                         uint16_t        type,
                         uint16_t        flags,
                         size_t          start)
{
  size_t size = self->scratch.size - start;
  uint64_t ticket = 0;

  if (self->scratch.failed)
    vtr_ring_writer_end (&vtr_layer_ring, VTR_RING_STATE_NO_MEMORY);
  if (size > 1024)
    flags |= VTR_RECORD_LARGE;
  if (vtr_ring_log_append (&self->log, type, flags, self->scratch.data + start, size, &ticket) !=
      VTR_OK)
    vtr_layer_transport_stop ();

  vtr_layer_thread_forget (self, start);
  return ticket;
}

uint64_t
vtr_layer_thread_append_parts (VtrLayerThread *self,
                               uint16_t        type,
                               size_t          start,
                               VtrRingPart    *parts,
                               size_t          n_parts)
{
  const uint8_t *at = self->scratch.data + start;
  uint64_t ticket = 0;
  size_t size = 0;

  if (self->scratch.failed)
    vtr_ring_writer_end (&vtr_layer_ring, VTR_RING_STATE_NO_MEMORY);
  for (size_t i = 0; i < n_parts; i++)
    {
      size += parts[i].size;
      if (parts[i].data != NULL)
        continue;
      parts[i].data = at;
      at += parts[i].size;
    }
  if (vtr_ring_log_append_parts (&self->log, type, size > 1024 ? VTR_RECORD_LARGE : 0, parts,
                                 n_parts, &ticket) != VTR_OK)
    vtr_layer_transport_stop ();

  vtr_layer_thread_forget (self, start);
  return ticket;
}

void
vtr_layer_thread_forget (VtrLayerThread *self,
                         size_t          start)
{
  self->scratch.size = start;
  if (start == 0 && (self->scratch.failed || self->scratch.capacity > SCRATCH_KEEP))
    {
      vtr_buffer_finish (&self->scratch);
      memset (&self->scratch, 0, sizeof self->scratch);
    }
}
