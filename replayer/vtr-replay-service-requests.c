/* Begins a request, and sends its outcome to the engine. */
#include "vtr-replay-service-private.h"

static void
vtr_replay_service_end_apis (VtrReplayService *self)
{
  for (unsigned api = 1; api < VTR_VM_N_APIS; api++)
    vtr_replayer_apis[api]->end (self->apis[api]);
  vtr_kept_slots_drop (&self->kept);
  vtr_kept_slots_drop (&self->inner);
}

void
vtr_replay_service_begin (VtrReplayService         *self,
                          const Vtr__Replay__Begin *begin)
{
  bool resumed = true;

  self->request = begin->request;
  self->n_resources = 0;
  self->ahead.packet = NULL;
  self->ran = 0;
  self->waited = 0;
  if ((begin->flags & VTR_REPLAY_RESUME) != 0)
    {
      vtr_vm_resume (&self->vm);
      resumed = vtr_replay_service_resume (self, begin->flags);
    }
  else
    {
      if (self->kept.bytes != NULL)
        vtr_replay_service_end_apis (self);
      vtr_vm_reset (&self->vm);
    }
  vtr_postback_begin (&self->postback, begin->request);
  self->vm.status->request = begin->request;
  __atomic_store_n (&self->vm.status->phase, VTR_REPLAY_RUNNING, __ATOMIC_RELEASE);
  for (unsigned api = 1; api < VTR_VM_N_APIS; api++)
    vtr_replayer_apis[api]->begin (self->apis[api], begin->flags, begin->device);
  if (!resumed)
    vtr_vm_fail (&self->vm, VTR_VM_ERROR_PAYLOAD, "There is no state to resume.");
  vtr_replay_service_say_done (self);
}

void
vtr_replay_service_end (VtrReplayService *self)
{
  const VtrVmError *error = &self->vm.error;
  Vtr__Replay__Outcome outcome = VTR__REPLAY__OUTCOME__INIT;
  Vtr__Replay__ToEngine message = VTR__REPLAY__TO_ENGINE__INIT;
  VtrReplayerCounts counts = { 0 };
  bool cancelled = error->code == VTR_VM_ERROR_CANCELLED;
  bool kept = false;

  for (unsigned api = 1; api < VTR_VM_N_APIS; api++)
    if (vtr_replayer_apis[api]->count != NULL)
      vtr_replayer_apis[api]->count (self->apis[api], &counts);
  outcome.n_addresses = counts.n_addresses;
  outcome.n_groups = counts.n_groups;
  outcome.n_other_groups = counts.n_other_groups;
  vtr_replay_service_flush (self);
  __atomic_store_n (&self->vm.status->phase, VTR_REPLAY_TEARDOWN, __ATOMIC_RELEASE);
  if (error->code == VTR_VM_FINE || error->code == VTR_VM_ERROR_UNSUPPORTED || cancelled)
    kept = vtr_replay_service_rewind (self);
  if (!kept)
    {
      vtr_replay_service_end_apis (self);
      vtr_vm_memory_reset (&self->vm.memory);
    }

  outcome.request = self->request;
  outcome.code = (Vtr__Replay__Outcome__Code)error->code;
  outcome.text = (char *)error->text;
  outcome.label = error->code == VTR_VM_FINE ? self->vm.status->label : error->label;
  outcome.function = error->function;
  outcome.instruction = error->instruction;
  outcome.word = error->word;
  outcome.n_calls = self->vm.status->n_calls;
  outcome.microseconds = self->ran / 1000;
  outcome.kept = kept;
  message.message_case = VTR__REPLAY__TO_ENGINE__MESSAGE_OUTCOME;
  message.outcome = &outcome;
  self->request = 0;
  __atomic_store_n (&self->vm.status->phase, VTR_REPLAY_IDLE, __ATOMIC_RELEASE);
  if (vtr_replay_send_to_engine (self->socket, &message, -1, true) != VTR_OK)
    self->closed = true;
}

uint64_t
vtr_replay_service_clock (void *data)
{
  const VtrReplayService *self = data;

  return self->ran + (vtr_replay_service_now () - self->started) - self->waited;
}
