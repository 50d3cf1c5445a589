/* A request, from its beginning over its segments to its outcome. */
#include "vtr-replay-service-private.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void
vtr_replay_service_say_done (VtrReplayService *self)
{
  Vtr__Replay__SegmentDone done = VTR__REPLAY__SEGMENT_DONE__INIT;
  Vtr__Replay__ToEngine message = VTR__REPLAY__TO_ENGINE__INIT;

  done.request = self->request;
  message.message_case = VTR__REPLAY__TO_ENGINE__MESSAGE_SEGMENT_DONE;
  message.segment_done = &done;
  vtr_replay_service_send (self, &message);
}

void
vtr_replay_service_begin (VtrReplayService         *self,
                          const Vtr__Replay__Begin *begin)
{
  bool resumed = true;

  self->request = begin->request;
  self->n_resources = 0;
  self->ran = 0;
  self->waited = 0;
  if ((begin->flags & VTR_REPLAY_RESUME) != 0)
    {
      vtr_vm_resume (&self->vm);
      resumed = vtr_replay_vk_resume (self->vk, begin->flags);
    }
  else
    {
      if (vtr_replay_vk_is_kept (self->vk))
        vtr_replay_vk_end (self->vk);
      vtr_vm_reset (&self->vm);
    }
  vtr_postback_begin (&self->postback, begin->request);
  self->vm.status->request = begin->request;
  __atomic_store_n (&self->vm.status->phase, VTR_REPLAY_RUNNING, __ATOMIC_RELEASE);
  vtr_replay_vk_begin (self->vk, begin->flags, begin->driver);
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

  bool cancelled = error->code == VTR_VM_ERROR_CANCELLED;
  bool kept = false;

  vtr_replay_service_flush (self);
  __atomic_store_n (&self->vm.status->phase, VTR_REPLAY_TEARDOWN, __ATOMIC_RELEASE);
  if (error->code == VTR_VM_FINE || error->code == VTR_VM_ERROR_UNSUPPORTED || cancelled)
    kept = vtr_replay_vk_rewind (self->vk);
  if (!kept)
    {
      vtr_replay_vk_end (self->vk);
      vtr_vm_memory_reset (&self->vm.memory);
    }

  outcome.request = self->request;
  outcome.code = (Vtr__Replay__Outcome__Code)error->code;
  outcome.text = (char *)error->text;
  outcome.label = error->code == VTR_VM_FINE ? self->vm.status->label : error->label;
  outcome.vk_result = error->vk_result;
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

static VtrStatus
vtr_replay_service_append_resources (VtrReplayService *self,
                                     const uint8_t    *list,
                                     uint64_t          n)
{
  VtrReplayServiceResource *resources;

  if (n > SIZE_MAX / sizeof *resources / 2 - self->n_resources)
    return VTR_NO_MEMORY;
  if (n > self->max_resources - self->n_resources)
    {
      size_t max = (self->n_resources + (size_t)n) * 2;

      resources = realloc (self->resources, max * sizeof *resources);
      if (resources == NULL)
        return VTR_NO_MEMORY;
      self->resources = resources;
      self->max_resources = max;
    }
  if (n > 0)
    memcpy (&self->resources[self->n_resources], list, (size_t)n * sizeof *resources);
  self->n_resources += (size_t)n;
  return VTR_OK;
}

static VtrStatus
vtr_replay_service_load (VtrReplayService           *self,
                         const Vtr__Replay__Segment *segment,
                         int                         fd)
{
  VtrReplaySegmentLayout layout;
  VtrReplayBulk bulk = VTR_REPLAY_BULK_INIT;
  VtrStatus status;

  static_assert (sizeof (VtrReplayServiceResource) == VTR_REPLAY_RESOURCE_BYTES, "as sent");
  status = vtr_replay_segment_layout (segment->n_words, segment->n_resources,
                                      segment->constants_size, &layout);
  if (status == VTR_OK && layout.total == 0)
    return VTR_OK;
  if (status == VTR_OK)
    {
      fd = dup (fd); /* the letter keeps its own */
      status = vtr_replay_bulk_open (&bulk, fd, layout.total);
    }
  if (status == VTR_OK)
    status = vtr_replay_service_append_resources (self, bulk.bytes + layout.resources,
                                                  segment->n_resources);
  if (status == VTR_OK)
    status = vtr_vm_append (&self->vm, bulk.bytes + layout.constants,
                            (size_t)segment->constants_size,
                            (const uint32_t *)(const void *)(bulk.bytes + layout.words),
                            (size_t)segment->n_words);
  vtr_replay_bulk_finish (&bulk);
  return status;
}

void
vtr_replay_service_segment (VtrReplayService           *self,
                            const Vtr__Replay__Segment *segment,
                            int                         fd)
{
  VtrStatus status = vtr_replay_service_load (self, segment, fd);

  self->started = vtr_replay_service_now ();
  if (status != VTR_OK)
    vtr_vm_fail (&self->vm, status == VTR_CORRUPT ? VTR_VM_ERROR_PAYLOAD : VTR_VM_ERROR_MEMORY,
                 "A segment could not be taken over: %s.", vtr_status_to_string (status));
  vtr_vm_run (&self->vm);
  self->ran += vtr_replay_service_now () - self->started;
  vtr_replay_service_flush (self);
  vtr_replay_service_say_done (self);
  if (self->vm.error.code != VTR_VM_FINE)
    vtr_replay_service_end (self);
}

uint64_t
vtr_replay_service_clock (void *data)
{
  const VtrReplayService *self = data;

  return self->ran + (vtr_replay_service_now () - self->started) - self->waited;
}
