/* Sends the machine's requests to the engine while it runs, and waits for the answers. */
#include "vtr-replay-service-private.h"

#include <stdlib.h>
#include <string.h>

/* Along with one resource the next ones of the list are requested, up to this many bytes or
 * numbers. */
#define PREFETCH_BYTES (8u << 20)
#define PREFETCH_NUMBERS 256

static void
vtr_replay_service_take_resources (VtrReplayService             *self,
                                   const Vtr__Replay__Resources *answer,
                                   VtrServicePacket             *packet)
{
  VtrResourcePiece *pieces = calloc (answer->n_numbers + 1, sizeof *pieces);
  VtrReplayBulk bulk = VTR_REPLAY_BULK_INIT;
  VtrStatus status = VTR_CORRUPT;
  uint64_t offset = 0;

  if (pieces == NULL || answer->n_sizes != answer->n_numbers)
    goto out;
  for (size_t i = 0; i < answer->n_numbers; i++)
    {
      uint64_t number = answer->numbers[i];

      if (number >= self->n_resources || self->resources[number].size != answer->sizes[i])
        goto out;
      memcpy (pieces[i].hash, self->resources[number].hash, sizeof pieces[i].hash);
      pieces[i].size = answer->sizes[i];
      pieces[i].offset = offset;
      if (!vtr_replay_next_content (offset, answer->sizes[i], &offset))
        goto out;
    }
  status = vtr_replay_bulk_open (&bulk, packet->fd, offset);
  packet->fd = -1;
  if (status == VTR_OK)
    status = vtr_resource_cache_add (&self->cache, &bulk, pieces, answer->n_numbers);

out:
  free (pieces);
  if (status != VTR_OK)
    vtr_vm_fail (&self->vm, VTR_VM_ERROR_TRACE, "A resource could not be taken over: %s.",
                 vtr_status_to_string (status));
  self->arrived = true;
}

bool
vtr_replay_service_take_answer (VtrReplayService *self,
                                VtrServicePacket *packet)
{
  const Vtr__Replay__ToReplayer *message = packet->message;

  switch (message->message_case)
    {
    case VTR__REPLAY__TO_REPLAYER__MESSAGE_RESOURCES:
      if (message->resources->request == self->request)
        vtr_replay_service_take_resources (self, message->resources, packet);
      break;
    case VTR__REPLAY__TO_REPLAYER__MESSAGE_RESOURCE_ERROR:
      if (message->resource_error->request == self->request)
        {
          vtr_vm_fail (&self->vm, VTR_VM_ERROR_TRACE, "%s", message->resource_error->text);
          self->arrived = true;
        }
      break;
    case VTR__REPLAY__TO_REPLAYER__MESSAGE_FENCE_READY:
      if (message->fence_ready->request == self->request)
        self->arrived = true;
      break;
    case VTR__REPLAY__TO_REPLAYER__MESSAGE_POSTS_TAKEN:
      if (message->posts_taken->request == self->request)
        self->postback.under_way -= message->posts_taken->bytes < self->postback.under_way
                                      ? message->posts_taken->bytes
                                      : self->postback.under_way;
      break;
    default:
      return false;
    }
  vtr_service_packet_free (packet);
  return true;
}

/* Handles one packet while the machine waits. Returns: false (and fails the machine) if the
 * engine has exited. */
static bool
vtr_replay_service_wait (VtrReplayService *self)
{
  VtrServicePacket *packet = vtr_replay_service_receive (self, true);

  if (packet == NULL)
    {
      vtr_vm_fail (&self->vm, VTR_VM_ERROR_CLOSED, "The engine closed the connection.");
      return false;
    }
  if (!vtr_replay_service_take_answer (self, packet))
    vtr_replay_service_defer (self, packet);
  if (self->vm.status->cancel != 0)
    vtr_vm_fail (&self->vm, VTR_VM_ERROR_CANCELLED, "The request was cancelled.");
  return self->vm.error.code == VTR_VM_FINE;
}

static bool
vtr_replay_service_wait_arrival (VtrReplayService *self)
{
  bool fine = true;
  const uint64_t start = vtr_replay_service_now ();

  self->arrived = false;
  self->vm.status->waiting = 1;
  while (fine && !self->arrived)
    fine = vtr_replay_service_wait (self);
  self->vm.status->waiting = 0;
  self->waited += vtr_replay_service_now () - start;
  return fine && self->vm.error.code == VTR_VM_FINE;
}

static bool
vtr_replay_service_fetch (VtrReplayService *self,
                          uint64_t          number)
{
  uint64_t numbers[PREFETCH_NUMBERS];
  uint64_t bytes = 0;
  Vtr__Replay__ResourceRequest request = VTR__REPLAY__RESOURCE_REQUEST__INIT;
  Vtr__Replay__ToEngine message = VTR__REPLAY__TO_ENGINE__INIT;

  request.request = self->request;
  request.numbers = numbers;
  for (uint64_t i = number; i < self->n_resources && request.n_numbers < PREFETCH_NUMBERS; i++)
    {
      const VtrReplayServiceResource *resource = &self->resources[i];

      if (resource->size == 0 ||
          (i > number && vtr_resource_cache_has (&self->cache, resource->hash, resource->size)))
        continue;
      if (i > number &&
          (resource->size > PREFETCH_BYTES || bytes + resource->size > PREFETCH_BYTES))
        break;
      numbers[request.n_numbers++] = i;
      bytes += resource->size;
    }
  message.message_case = VTR__REPLAY__TO_ENGINE__MESSAGE_RESOURCE_REQUEST;
  message.resource_request = &request;
  return vtr_replay_service_send (self, &message) && vtr_replay_service_wait_arrival (self);
}

bool
vtr_replay_service_resource (void           *data,
                             uint64_t        number,
                             const uint8_t **bytes,
                             size_t         *size)
{
  VtrReplayService *self = data;
  const VtrReplayServiceResource *resource;

  if (number >= self->n_resources)
    {
      vtr_vm_fail (&self->vm, VTR_VM_ERROR_PAYLOAD, "There is no resource %llu.",
                   (unsigned long long)number);
      return false;
    }
  resource = &self->resources[number];
  *size = (size_t)resource->size;
  *bytes = NULL;
  if (resource->size == 0)
    return true;
  *bytes = vtr_resource_cache_get (&self->cache, resource->hash, resource->size);
  if (*bytes != NULL)
    return true;
  if (!vtr_replay_service_fetch (self, number))
    return false;
  /* The list may have moved while waiting, not its content. */
  resource = &self->resources[number];
  *bytes = vtr_resource_cache_get (&self->cache, resource->hash, resource->size);
  if (*bytes == NULL)
    vtr_vm_fail (&self->vm, VTR_VM_ERROR_TRACE, "Resource %llu did not arrive.",
                 (unsigned long long)number);
  return *bytes != NULL;
}

static bool
vtr_replay_service_room (VtrReplayService *self)
{
  bool fine = true;

  self->vm.status->waiting = 1;
  while (fine && self->postback.under_way > VTR_POSTBACK_LIMIT)
    fine = vtr_replay_service_wait (self);
  self->vm.status->waiting = 0;
  return fine;
}

uint8_t *
vtr_replay_service_reserve_post (void     *data,
                                 uint64_t  id,
                                 uint64_t  size)
{
  VtrReplayService *self = data;
  VtrStatus status;
  uint8_t *at;

  if (!vtr_replay_service_room (self))
    return NULL;
  at = vtr_postback_reserve (&self->postback, id, size, &status);
  if (at == NULL)
    vtr_vm_fail (&self->vm, status == VTR_CLOSED ? VTR_VM_ERROR_CLOSED : VTR_VM_ERROR_MEMORY,
                 "%llu bytes cannot be sent: %s.", (unsigned long long)size,
                 vtr_status_to_string (status));
  return at;
}

bool
vtr_replay_service_post (void          *data,
                         uint64_t       id,
                         const uint8_t *bytes,
                         size_t         size)
{
  uint8_t *at;

  if (size == 0)
    return true;
  at = vtr_replay_service_reserve_post (data, id, size);
  if (at == NULL)
    return false;
  memcpy (at, bytes, size);
  return true;
}

bool
vtr_replay_service_flush (VtrReplayService *self)
{
  VtrStatus status = vtr_postback_flush (&self->postback);

  if (status != VTR_OK)
    vtr_vm_fail (&self->vm, VTR_VM_ERROR_CLOSED, "The engine does not listen: %s.",
                 vtr_status_to_string (status));
  return status == VTR_OK;
}

bool
vtr_replay_service_fence (void     *data,
                          uint32_t  id)
{
  VtrReplayService *self = data;
  Vtr__Replay__FenceRequest request = VTR__REPLAY__FENCE_REQUEST__INIT;
  Vtr__Replay__ToEngine message = VTR__REPLAY__TO_ENGINE__INIT;

  request.request = self->request;
  request.id = id;
  message.message_case = VTR__REPLAY__TO_ENGINE__MESSAGE_FENCE_REQUEST;
  message.fence_request = &request;
  return vtr_replay_service_flush (self) && vtr_replay_service_send (self, &message) &&
         vtr_replay_service_wait_arrival (self);
}
