/* A backend without a driver: the machine runs, but its functions do nothing. */
#include "engine/replay/vtr-replay-backend.h"

#include "vtr-vm-signature.h"

#include <string.h>

typedef struct
{
  VtrReplayBackend base;
  VtrVm vm;
  VtrVmFunction *functions;
  GArray *resources; /* VtrReplayResource */
  GBytes *resource;  /* last one fetched */
  const VtrReplayEvents *events;
  gpointer data;
  gint64 microseconds;
  GError *resource_error;
  GPtrArray *devices; /* (nullable) */
  GBytes *answer;     /* (nullable) */
} VtrReplayNull;

static uint64_t
call_nothing (void           *context,
              const uint64_t *args)
{
  return 0;
}

static bool
null_resource (void           *data,
               uint64_t        number,
               const uint8_t **bytes,
               size_t         *size)
{
  VtrReplayNull *self = data;
  const VtrReplayResource *resource;

  if (number >= self->resources->len)
    {
      vtr_vm_fail (&self->vm, VTR_VM_ERROR_PAYLOAD, "There is no resource %" G_GUINT64_FORMAT ".",
                   number);
      return false;
    }
  resource = &g_array_index (self->resources, VtrReplayResource, number);
  g_clear_pointer (&self->resource, g_bytes_unref);
  if (self->events->get_resource != NULL && self->resource_error == NULL)
    self->resource = self->events->get_resource (number, self->data, &self->resource_error);
  if (self->resource == NULL || g_bytes_get_size (self->resource) != resource->size)
    {
      vtr_vm_fail (&self->vm, VTR_VM_ERROR_TRACE, "Resource %" G_GUINT64_FORMAT " is missing.",
                   number);
      return false;
    }
  *bytes = g_bytes_get_data (self->resource, size);
  return true;
}

static bool
null_post (void          *data,
           uint64_t       id,
           const uint8_t *bytes,
           size_t         size)
{
  VtrReplayNull *self = data;

  if (self->events->posted != NULL && size > 0)
    self->events->posted (id, bytes, size, self->data);
  return true;
}

static bool
null_fence (void     *data,
            uint32_t  id)
{
  return true;
}

static gboolean
vtr_replay_null_begin (VtrReplayBackend       *backend,
                       guint32                 flags,
                       const VtrReplayEvents  *events,
                       gpointer                data,
                       GCancellable           *cancellable,
                       GError                **error)
{
  VtrReplayNull *self = (VtrReplayNull *)backend;

  vtr_vm_reset (&self->vm);
  g_array_set_size (self->resources, 0);
  g_clear_error (&self->resource_error);
  self->events = events;
  self->data = data;
  self->microseconds = 0;
  return TRUE;
}

static gboolean
vtr_replay_null_send (VtrReplayBackend        *backend,
                      const VtrReplaySegment  *segment,
                      GError                 **error)
{
  VtrReplayNull *self = (VtrReplayNull *)backend;
  gint64 start = g_get_monotonic_time ();

  if (segment->n_resources > 0)
    g_array_append_vals (self->resources, segment->resources, (guint)segment->n_resources);
  if (vtr_vm_append (&self->vm, segment->constants, segment->constants_size, segment->opcodes,
                     segment->n_opcodes) != VTR_OK)
    vtr_vm_fail (&self->vm, VTR_VM_ERROR_MEMORY, "The machine's memory is full.");
  vtr_vm_run (&self->vm);
  self->microseconds += g_get_monotonic_time () - start;
  return TRUE;
}

static gboolean
vtr_replay_null_finish (VtrReplayBackend  *backend,
                        VtrReplayOutcome  *outcome,
                        GCancellable      *cancellable,
                        GError           **error)
{
  VtrReplayNull *self = (VtrReplayNull *)backend;
  const VtrVmError *failure = &self->vm.error;

  if (outcome != NULL)
    *outcome = (VtrReplayOutcome){
      .failed = failure->code != VTR_VM_FINE,
      .label = failure->code != VTR_VM_FINE ? failure->label : self->vm.status->label,
      .n_calls = self->vm.status->n_calls,
      .microseconds = self->microseconds,
    };
  if (failure->code == VTR_VM_FINE)
    return !g_cancellable_set_error_if_cancelled (cancellable, error);
  if (self->resource_error != NULL)
    g_propagate_error (error, g_steal_pointer (&self->resource_error));
  else
    g_set_error (error, VTR_REPLAY_ERROR,
                 failure->code == VTR_VM_ERROR_TRACE ? VTR_REPLAY_ERROR_TRACE
                                                     : VTR_REPLAY_ERROR_PAYLOAD,
                 "Instruction %" G_GUINT64_FORMAT ", 0x%08x: %s", failure->instruction,
                 failure->word, failure->text);
  return FALSE;
}

static void
vtr_replay_null_free (VtrReplayBackend *backend)
{
  VtrReplayNull *self = (VtrReplayNull *)backend;

  vtr_vm_finish (&self->vm);
  g_free (self->functions);
  g_array_unref (self->resources);
  g_clear_pointer (&self->devices, g_ptr_array_unref);
  g_clear_pointer (&self->answer, g_bytes_unref);
  g_clear_pointer (&self->resource, g_bytes_unref);
  g_clear_error (&self->resource_error);
  g_free (self);
}

static GPtrArray *
vtr_replay_null_describe (VtrReplayBackend  *backend,
                          GCancellable      *cancellable,
                          GError           **error)
{
  VtrReplayNull *self = (VtrReplayNull *)backend;

  if (self->devices != NULL)
    return g_ptr_array_ref (self->devices);
  g_set_error_literal (error, VTR_REPLAY_ERROR, VTR_REPLAY_ERROR_DRIVER,
                       "No driver offers a device.");
  return NULL;
}

static gboolean
vtr_replay_null_ask (VtrReplayBackend  *backend,
                     const VtrApi      *api,
                     gconstpointer      question,
                     gsize              question_size,
                     gpointer           answer,
                     gsize              answer_size,
                     GCancellable      *cancellable,
                     GError           **error)
{
  VtrReplayNull *self = (VtrReplayNull *)backend;

  if (self->answer != NULL && g_bytes_get_size (self->answer) == answer_size)
    {
      memcpy (answer, g_bytes_get_data (self->answer, NULL), answer_size);
      return TRUE;
    }
  g_set_error_literal (error, VTR_REPLAY_ERROR, VTR_REPLAY_ERROR_DRIVER,
                       "Nothing is known of the device.");
  return FALSE;
}

void
vtr_replay_null_set_answer (VtrReplayBackend *backend,
                            gconstpointer     answer,
                            gsize             size)
{
  VtrReplayNull *self = (VtrReplayNull *)backend;

  g_clear_pointer (&self->answer, g_bytes_unref);
  self->answer = g_bytes_new (answer, size);
}

void
vtr_replay_null_set_devices (VtrReplayBackend *backend,
                             GPtrArray        *devices)
{
  VtrReplayNull *self = (VtrReplayNull *)backend;

  g_clear_pointer (&self->devices, g_ptr_array_unref);
  self->devices = g_ptr_array_ref (devices);
}

static const VtrReplayBackendClass null_class = {
  .begin = vtr_replay_null_begin,
  .send = vtr_replay_null_send,
  .finish = vtr_replay_null_finish,
  .describe = vtr_replay_null_describe,
  .ask = vtr_replay_null_ask,
  .free = vtr_replay_null_free,
};

VtrReplayBackend *
vtr_replay_null_new (void)
{
  VtrReplayNull *self = g_new0 (VtrReplayNull, 1);

  self->base.klass = &null_class;
  self->resources = g_array_new (FALSE, FALSE, sizeof (VtrReplayResource));
  if (vtr_vm_init (&self->vm) != VTR_OK)
    g_error ("The machine's address space is refused");
  self->vm.host = (VtrVmHost){
    .resource = null_resource,
    .post = null_post,
    .fence = null_fence,
    .data = self,
  };
  self->functions = g_new0 (VtrVmFunction, vtr_vm_signature_count ());
  vtr_vm_signature_fill_all (&self->vm, self->functions, call_nothing, NULL);
  return &self->base;
}
