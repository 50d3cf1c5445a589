/* The replayer's main loop: receives requests from the engine, runs them one after the other and
 * answers. */
#include "vtr-replay-service-private.h"

#include "vtr-vm-signature.h"

#include "api/vtr-api-ids.h"
#include "wire/vtr-replay-version.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

uint64_t
vtr_replay_service_now (void)
{
  struct timespec now;

  clock_gettime (CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* --- Receiving ------------------------------------------------------------------------------- */

void
vtr_service_packet_free (VtrServicePacket *self)
{
  if (self == NULL)
    return;
  if (self->message != NULL)
    vtr__replay__to_replayer__free_unpacked (self->message, NULL);
  if (self->fd >= 0)
    close (self->fd);
  free (self);
}

VtrServicePacket *
vtr_replay_service_receive (VtrReplayService *self,
                            bool              wait)
{
  VtrServicePacket *packet = calloc (1, sizeof *packet);
  VtrStatus status = VTR_NO_MEMORY;

  if (packet != NULL)
    status = vtr_replay_receive_at_replayer (self->socket, &packet->message, &packet->fd, wait);
  if (status == VTR_OK)
    return packet;
  free (packet);
  if (status == VTR_TIMEOUT)
    return NULL;
  if (status != VTR_CLOSED)
    vtr_log (VTR_LOG_ERROR, "receiving: %s", vtr_status_to_string (status));
  self->closed = true;
  return NULL;
}

static VtrServicePacket *
vtr_replay_service_next (VtrReplayService *self)
{
  VtrServicePacket *packet = self->first;

  if (packet == NULL)
    return self->closed ? NULL : vtr_replay_service_receive (self, true);
  self->first = packet->next;
  if (self->first == NULL)
    self->last = NULL;
  packet->next = NULL;
  return packet;
}

void
vtr_replay_service_defer (VtrReplayService *self,
                          VtrServicePacket *packet)
{
  if (self->last != NULL)
    self->last->next = packet;
  else
    self->first = packet;
  self->last = packet;
}

VtrServicePacket *
vtr_replay_service_peek (VtrReplayService *self)
{
  while (self->first == NULL && !self->closed)
    {
      VtrServicePacket *packet = vtr_replay_service_receive (self, false);

      if (packet == NULL)
        break;
      if (!vtr_replay_service_take_answer (self, packet))
        vtr_replay_service_defer (self, packet);
    }
  return self->first;
}

bool
vtr_replay_service_send (VtrReplayService            *self,
                         const Vtr__Replay__ToEngine *message)
{
  VtrStatus status = vtr_replay_send_to_engine (self->socket, message, -1, true);

  if (status == VTR_OK)
    return true;
  vtr_vm_fail (&self->vm, VTR_VM_ERROR_CLOSED, "The engine does not listen: %s.",
               vtr_status_to_string (status));
  return false;
}

/* --- Devices --------------------------------------------------------------------------------- */

typedef struct
{
  VtrReplayService *service;
  uint64_t request;
  uint32_t api;
  bool answered;
} VtrReplayDescription;

static void
vtr_replay_service_describe (void       *data,
                             const void *bytes,
                             size_t      size)
{
  const VtrReplayDescription *description = data;
  Vtr__Replay__Device device = VTR__REPLAY__DEVICE__INIT;
  Vtr__Replay__ToEngine message = VTR__REPLAY__TO_ENGINE__INIT;

  device.request = description->request;
  device.api = description->api;
  device.description = (ProtobufCBinaryData){ size, (uint8_t *)(uintptr_t)bytes };
  message.message_case = VTR__REPLAY__TO_ENGINE__MESSAGE_DEVICE;
  message.device = &device;
  vtr_replay_service_send (description->service, &message);
}

/* One API that has devices is enough. */
static void
vtr_replay_service_devices (VtrReplayService *self,
                            uint64_t          request)
{
  VtrReplayDescription description = { .service = self, .request = request };
  Vtr__Replay__DevicesDone done = VTR__REPLAY__DEVICES_DONE__INIT;
  Vtr__Replay__ToEngine message = VTR__REPLAY__TO_ENGINE__INIT;
  const char *why = NULL;
  bool any = false;

  for (unsigned api = 1; api < VTR_VM_N_APIS; api++)
    {
      const char *missing;

      if (vtr_replayer_apis[api]->describe == NULL)
        continue;
      description.api = api;
      missing = vtr_replayer_apis[api]->describe (self->apis[api], vtr_replay_service_describe,
                                                  &description);
      any = any || missing == NULL;
      why = missing != NULL ? missing : why;
    }
  done.request = request;
  done.text = any ? (char *)"" : (char *)(uintptr_t)why;
  message.message_case = VTR__REPLAY__TO_ENGINE__MESSAGE_DEVICES_DONE;
  message.devices_done = &done;
  vtr_replay_service_send (self, &message);
}

static void
vtr_replay_service_answer (void       *data,
                           const void *bytes,
                           size_t      size)
{
  VtrReplayDescription *description = data;
  Vtr__Replay__Answer answer = VTR__REPLAY__ANSWER__INIT;
  Vtr__Replay__ToEngine message = VTR__REPLAY__TO_ENGINE__INIT;

  answer.request = description->request;
  answer.answer = (ProtobufCBinaryData){ size, (uint8_t *)(uintptr_t)bytes };
  message.message_case = VTR__REPLAY__TO_ENGINE__MESSAGE_ANSWER;
  message.answer = &answer;
  vtr_replay_service_send (description->service, &message);
  description->answered = true;
}

static void
vtr_replay_service_question (VtrReplayService            *self,
                             const Vtr__Replay__Question *question)
{
  VtrReplayDescription description = { self, question->request, question->api, false };

  if (question->api > 0 && question->api < VTR_VM_N_APIS &&
      vtr_replayer_apis[question->api]->ask != NULL)
    vtr_replayer_apis[question->api]->ask (self->apis[question->api], question->question.data,
                                           question->question.len, vtr_replay_service_answer,
                                           &description);
  if (!description.answered)
    vtr_replay_service_answer (&description, NULL, 0);
}

static void
vtr_replay_service_handle (VtrReplayService *self,
                           VtrServicePacket *packet)
{
  const Vtr__Replay__ToReplayer *message = packet->message;

  switch (message->message_case)
    {
    case VTR__REPLAY__TO_REPLAYER__MESSAGE_BEGIN:
      if (self->request == 0 && message->begin->request != 0)
        vtr_replay_service_begin (self, message->begin);
      break;
    case VTR__REPLAY__TO_REPLAYER__MESSAGE_SEGMENT:
      if (self->request != 0 && message->segment->request == self->request)
        vtr_replay_service_segment (self, packet);
      break;
    case VTR__REPLAY__TO_REPLAYER__MESSAGE_FINISH:
      if (self->request != 0 && message->finish->request == self->request)
        vtr_replay_service_end (self);
      break;
    case VTR__REPLAY__TO_REPLAYER__MESSAGE_DEVICES_REQUEST:
      if (self->request == 0)
        vtr_replay_service_devices (self, message->devices_request->request);
      break;
    case VTR__REPLAY__TO_REPLAYER__MESSAGE_QUESTION:
      if (self->request == 0)
        vtr_replay_service_question (self, message->question);
      break;
    default:
      break; /* an answer to a request that has ended */
    }
}

/* --- Life ------------------------------------------------------------------------------------ */

static const char *
vtr_replay_service_function_name (void     *data,
                                  uint32_t  api,
                                  uint32_t  function)
{
  (void)data;
  return vtr_vm_signature_get_name (api, function);
}

/* Makes the APIs of the build, and the machine call their functions. */
static VtrStatus
vtr_replay_service_create_apis (VtrReplayService *self)
{
  const VtrReplayerHost host = {
    .message = vtr_replay_service_message,
    .complain = vtr_replay_service_complain,
    .post = vtr_replay_service_reserve_post,
    .clock = vtr_replay_service_clock,
    .idle = vtr_replay_service_read_ahead,
    .rename_kept = vtr_replay_service_rename_kept,
    .data = self,
  };

  for (unsigned api = 1; api < VTR_VM_N_APIS; api++)
    {
      VtrVmFunctions calls, own;

      self->apis[api] = vtr_replayer_apis[api]->create (&self->vm, &host);
      if (self->apis[api] == NULL)
        return VTR_NO_MEMORY;
      vtr_replayer_apis[api]->functions (self->apis[api], &calls, &own);
      calls.judge = own.judge = vtr_replayer_apis[api]->judge;
      vtr_vm_set_functions (&self->vm, api, &calls, &own);
    }
  vtr_replay_service_set_common (self);
  return VTR_OK;
}

VtrStatus
vtr_replay_service_init (VtrReplayService *self,
                         int               socket,
                         VtrReplayStatus  *status)
{
  VtrStatus result;

  memset (self, 0, sizeof *self);
  self->socket = socket;
  vtr_postback_init (&self->postback, socket);
  vtr_resource_cache_init (&self->cache, VTR_REPLAY_CACHE_BYTES);
  result = vtr_vm_init (&self->vm);
  if (result != VTR_OK)
    return result;
  self->vm.status = status;
  self->vm.host = (VtrVmHost){
    .resource = vtr_replay_service_resource,
    .post = vtr_replay_service_post,
    .fence = vtr_replay_service_fence,
    .function_name = vtr_replay_service_function_name,
    .data = self,
  };
  return vtr_replay_service_create_apis (self);
}

void
vtr_replay_service_finish (VtrReplayService *self)
{
  VtrServicePacket *packet;

  self->closed = true;
  while ((packet = vtr_replay_service_next (self)) != NULL)
    vtr_service_packet_free (packet);
  for (unsigned api = 1; api < VTR_VM_N_APIS; api++)
    if (self->apis[api] != NULL)
      {
        vtr_replayer_apis[api]->end (self->apis[api]);
        vtr_replayer_apis[api]->destroy (self->apis[api]);
      }
  vtr_kept_slots_drop (&self->kept);
  vtr_kept_slots_drop (&self->inner);
  vtr_vm_finish (&self->vm);
  vtr_resource_cache_finish (&self->cache);
  vtr_postback_finish (&self->postback);
  free (self->resources);
  if (self->socket >= 0)
    close (self->socket);
  memset (self, 0, sizeof *self);
}

void
vtr_replay_service_run (VtrReplayService *self,
                        const VtrSandbox *sandbox)
{
  Vtr__Replay__Hello hello = VTR__REPLAY__HELLO__INIT;
  Vtr__Replay__ToEngine message = VTR__REPLAY__TO_ENGINE__INIT;

  hello.version = VTR_REPLAY_PROTOCOL_VERSION;
  hello.registry = VTR_API_REGISTRY_HASH;
  hello.sandboxed = sandbox->on;
  hello.landlock = sandbox->files;
  hello.seccomp = sandbox->calls;
  hello.counted = sandbox->counted;
  message.message_case = VTR__REPLAY__TO_ENGINE__MESSAGE_HELLO;
  message.hello = &hello;
  if (!vtr_replay_service_send (self, &message))
    return;
  __atomic_store_n (&self->vm.status->phase, VTR_REPLAY_LOADING, __ATOMIC_RELEASE);
  for (unsigned api = 1; api < VTR_VM_N_APIS; api++)
    if (vtr_replayer_apis[api]->prepare != NULL)
      vtr_replayer_apis[api]->prepare (self->apis[api]);
  __atomic_store_n (&self->vm.status->phase, VTR_REPLAY_IDLE, __ATOMIC_RELEASE);
  while (!self->closed)
    {
      VtrServicePacket *packet = vtr_replay_service_next (self);

      if (packet == NULL)
        break;
      vtr_replay_service_handle (self, packet);
      vtr_service_packet_free (packet);
    }
}
