/* Stands in for vitrine-replayer: speaks its protocol without a driver, and lies as $LIAR_ACT says
 * (with random numbers from $LIAR_SEED). */
#include "vtr-liar.h"

#include "api/vtr-api-types.h"
#include "engine/vulkan/read/vtr-trace-device.h"
#include "vulkan/vtr-vulkan-device.pb-c.h"
#include "vulkan/vtr-vulkan.h"
#include "wire/vtr-replay-version.h"
#include "wire/vtr-vm-apis.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

void
liar_say (Liar                  *self,
          Vtr__Replay__ToEngine *message,
          int                    fd)
{
  VtrStatus status = vtr_replay_send_to_engine (self->socket, message, fd, true);

  if (fd >= 0)
    close (fd);
  if (status == VTR_CLOSED)
    exit (0);
}

static void
say_hello (Liar *self)
{
  Vtr__Replay__Hello body = VTR__REPLAY__HELLO__INIT;
  Vtr__Replay__ToEngine message = VTR__REPLAY__TO_ENGINE__INIT;

  body.version = VTR_REPLAY_PROTOCOL_VERSION;
  body.registry = VTR_API_REGISTRY_HASH;
  message.message_case = VTR__REPLAY__TO_ENGINE__MESSAGE_HELLO;
  message.hello = &body;
  liar_say (self, &message, -1);
}

static void
say_segment_done (Liar *self)
{
  Vtr__Replay__SegmentDone body = VTR__REPLAY__SEGMENT_DONE__INIT;
  Vtr__Replay__ToEngine message = VTR__REPLAY__TO_ENGINE__INIT;

  body.request = self->request;
  message.message_case = VTR__REPLAY__TO_ENGINE__MESSAGE_SEGMENT_DONE;
  message.segment_done = &body;
  liar_say (self, &message, -1);
}

static void
say_outcome (Liar *self)
{
  Vtr__Replay__Outcome body = VTR__REPLAY__OUTCOME__INIT;
  Vtr__Replay__ToEngine message = VTR__REPLAY__TO_ENGINE__INIT;

  body.request = self->request;
  message.message_case = VTR__REPLAY__TO_ENGINE__MESSAGE_OUTCOME;
  message.outcome = &body;
  liar_say (self, &message, -1);
}

/* The device of the trace, so that memory keeps its layout. */
static void
say_devices (Liar *self)
{
  g_autoptr (VtrTrace) trace = vtr_trace_open (g_getenv ("LIAR_TRACE"), NULL, NULL, NULL, NULL);
  const VtrTraceDevice *captured = vtr_trace_get_device (trace, 0);
  char *extensions[] = { (char *)VK_KHR_SWAPCHAIN_EXTENSION_NAME };
  Vtr__Vulkan__Device device = VTR__VULKAN__DEVICE__INIT;
  Vtr__Replay__Device body = VTR__REPLAY__DEVICE__INIT;
  g_autofree guint8 *bytes = NULL;
  Vtr__Replay__DevicesDone done = VTR__REPLAY__DEVICES_DONE__INIT;
  Vtr__Replay__ToEngine message = VTR__REPLAY__TO_ENGINE__INIT;

  body.request = done.request = self->request;
  device.properties = (ProtobufCBinaryData){ sizeof captured->properties,
                                             (guint8 *)&captured->properties };
  device.memory = (ProtobufCBinaryData){ sizeof captured->memory, (guint8 *)&captured->memory };
  device.families = (ProtobufCBinaryData){
    captured->n_queue_families * sizeof *captured->queue_families,
    (guint8 *)captured->queue_families,
  };
  device.n_extensions = 1;
  device.extensions = extensions;
  message.message_case = VTR__REPLAY__TO_ENGINE__MESSAGE_DEVICE;
  bytes = g_malloc (vtr__vulkan__device__get_packed_size (&device));
  body.api = VTR_VM_API_VULKAN;
  body.description = (ProtobufCBinaryData){ vtr__vulkan__device__pack (&device, bytes), bytes };
  message.device = &body;
  liar_say (self, &message, -1);
  message.message_case = VTR__REPLAY__TO_ENGINE__MESSAGE_DEVICES_DONE;
  message.devices_done = &done;
  liar_say (self, &message, -1);
}

static void
say_answer (Liar *self)
{
  Vtr__Replay__Answer body = VTR__REPLAY__ANSWER__INIT;
  Vtr__Replay__ToEngine message = VTR__REPLAY__TO_ENGINE__INIT;
  const ProtobufCBinaryData *question = &self->heard->question->question;
  Vtr__Vulkan__ImageQuestion *images =
    vtr__vulkan__image_question__unpack (NULL, question->len, question->data);
  gsize n = images->images.len / 20;
  g_autofree gint32 *answers = g_new0 (gint32, n * 7 + 1);

  vtr__vulkan__image_question__free_unpacked (images, NULL);
  body.request = self->request;
  body.answer = (ProtobufCBinaryData){ n * 28, (guint8 *)answers };
  message.message_case = VTR__REPLAY__TO_ENGINE__MESSAGE_ANSWER;
  message.answer = &body;
  liar_say (self, &message, -1);
}

/* The lie first; then what a sound replayer would say. */
static void
answer (Liar *self,
        const char *act,
        LiarCue cue,
        guint64 request,
        void (*sound) (Liar *self))
{
  self->request = request;
  self->silent = FALSE;
  liar_play (self, act, cue);
  if (!self->silent && sound != NULL)
    sound (self);
}

static void
hear (Liar       *self,
      const char *act)
{
  const Vtr__Replay__ToReplayer *message = self->heard;

  switch (message->message_case)
    {
    case VTR__REPLAY__TO_REPLAYER__MESSAGE_BEGIN:
      answer (self, act, LIAR_BEGIN, message->begin->request, say_segment_done);
      break;
    case VTR__REPLAY__TO_REPLAYER__MESSAGE_SEGMENT:
      answer (self, act, LIAR_SEGMENT, message->segment->request, say_segment_done);
      break;
    case VTR__REPLAY__TO_REPLAYER__MESSAGE_FINISH:
      answer (self, act, LIAR_FINISH, message->finish->request, say_outcome);
      break;
    case VTR__REPLAY__TO_REPLAYER__MESSAGE_DEVICES_REQUEST:
      answer (self, act, LIAR_DEVICES, message->devices_request->request, say_devices);
      break;
    case VTR__REPLAY__TO_REPLAYER__MESSAGE_QUESTION:
      answer (self, act, LIAR_FORMATS, message->question->request, say_answer);
      break;
    default: /* answers to what was lied about */
      break;
    }
}

int
main (void)
{
  const char *act = g_getenv ("LIAR_ACT");
  const char *seed = g_getenv ("LIAR_SEED");
  Liar self = { .socket = VTR_REPLAY_SOCKET_FD };
  Vtr__Replay__ToReplayer *message;
  int fd;

  /* Whatever it does, it does not stay. */
  alarm (120);
  self.rand = g_rand_new_with_seed (seed != NULL ? (guint32)atoi (seed) : 1);
  self.status = mmap (NULL, VTR_REPLAY_STATUS_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED,
                      VTR_REPLAY_STATUS_FD, 0);
  if (self.status == MAP_FAILED)
    return 2;
  act = act != NULL ? act : "";
  liar_play (&self, act, LIAR_START);
  say_hello (&self);
  while (vtr_replay_receive_at_replayer (self.socket, &message, &fd, true) == VTR_OK)
    {
      if (fd >= 0)
        close (fd);
      self.heard = message;
      hear (&self, act);
      vtr__replay__to_replayer__free_unpacked (message, NULL);
    }
  g_rand_free (self.rand);
  return 0;
}
