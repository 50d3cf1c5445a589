/* Handles messages of the replayer: version, devices, validation messages, outcomes. */
#include "vtr-config.h"

#include "engine/replay/vtr-replay-process-private.h"

#include "api/vtr-api-types.h"
#include "engine/api/vtr-build-api.h"
#include "engine/replay/vtr-replay-sandbox.h"
#include "wire/vtr-replay-version.h"

#include <glib/gi18n-lib.h>
#include <string.h>

/* The most devices, the most objects of a message, and the most messages of a request that are
 * passed on. */
#define MAX_DEVICES 64
#define MAX_OBJECTS 64
#define MAX_MESSAGES 10000

/* Most bytes of all that a request says. */
#define MAX_WORDS (64u << 20)

static void
take_outcome (VtrReplayProcess           *self,
              const Vtr__Replay__Outcome *outcome)
{
  self->ended = TRUE;
  self->outcome.label = outcome->label;
  self->outcome.n_calls = outcome->n_calls;
  self->outcome.n_addresses = outcome->n_addresses;
  self->outcome.n_groups = outcome->n_groups;
  self->outcome.n_other_groups = outcome->n_other_groups;
  self->outcome.microseconds = (gint64)outcome->microseconds;
  self->kept = self->outcome.kept = outcome->kept;
  if (self->failure == NULL)
    self->failure = vtr_replay_outcome_to_error (outcome, self->resource_error);
  self->outcome.failed = self->failure != NULL;
}

/* Whether it has not said too much. */
static gboolean
may_speak (VtrReplayProcess           *self,
           const Vtr__Replay__Message *words)
{
  self->words_size += strlen (words->id) + strlen (words->text) + 64;
  return self->words_size <= MAX_WORDS;
}

static void
take_words (VtrReplayProcess           *self,
            const Vtr__Replay__Message *words)
{
  g_autofree char *id = vtr_replay_words (words->id);
  g_autofree char *text = vtr_replay_words (words->text);
  const VtrReplayComplaint complaint = {
    (int)words->level,
    words->label,
    id,
    text,
    words->slots,
    words->handles,
    MIN (MIN (words->n_slots, words->n_handles), MAX_OBJECTS),
  };

  if (self->events != NULL && self->events->complaint != NULL && words->id[0] != '\0')
    self->events->complaint (&complaint, self->data);
  else if (self->events != NULL && self->events->message != NULL && self->n_words++ < MAX_MESSAGES)
    self->events->message ((int)words->level, words->label, text, self->data);
}

static void
take_hello (VtrReplayProcess         *self,
            const Vtr__Replay__Hello *hello)
{
  const VtrReplaySandbox sandbox = { hello->sandboxed, hello->landlock, hello->seccomp,
                                     hello->counted };

  if (hello->version == VTR_REPLAY_PROTOCOL_VERSION && hello->registry == VTR_API_REGISTRY_HASH)
    {
      vtr_replay_sandbox_note (&sandbox);
      self->greeted = TRUE;
      return;
    }
  g_subprocess_force_exit (self->child.process);
  vtr_replay_process_fail (
    self, g_error_new (VTR_REPLAY_ERROR, VTR_REPLAY_ERROR_START,
                       _ ("The replayer belongs to another version of Vitrine. Install Vitrine "
                          "again.")));
}

static void
take_device (VtrReplayProcess          *self,
             const Vtr__Replay__Device *device)
{
  /* 0 is the machine's own. */
  const VtrApi *api =
    device->api >= 1 && device->api <= VTR_N_APIS ? vtr_apis[device->api - 1] : NULL;
  VtrReplayDevice *described = NULL;

  if (self->devices != NULL && self->devices->len < MAX_DEVICES && api != NULL &&
      api->build != NULL && api->build->read_device != NULL)
    described = api->build->read_device (device->description.data, device->description.len);
  if (described == NULL)
    vtr_replay_process_babbles (self);
  else
    g_ptr_array_add (self->devices, described);
}

static void
take_devices_done (VtrReplayProcess               *self,
                   const Vtr__Replay__DevicesDone *done)
{
  g_autofree char *text = vtr_replay_words (done->text);

  if (self->devices == NULL || (self->devices->len == 0 && text[0] == '\0'))
    {
      vtr_replay_process_babbles (self);
      return;
    }
  if (text[0] != '\0' && self->failure == NULL)
    self->failure = g_error_new_literal (VTR_REPLAY_ERROR, VTR_REPLAY_ERROR_DRIVER, text);
  self->answered = TRUE;
}

static void
take_answer (VtrReplayProcess          *self,
             const ProtobufCBinaryData *answer)
{
  if (self->answer == NULL)
    {
      vtr_replay_process_babbles (self);
      return;
    }
  if (answer->len == self->answer_size)
    memcpy (self->answer, answer->data, answer->len);
  else if (self->failure == NULL)
    self->failure = g_error_new_literal (VTR_REPLAY_ERROR, VTR_REPLAY_ERROR_DRIVER,
                                         _ ("The device is no longer available"));
  self->answered = TRUE;
}

void
vtr_replay_process_take (VtrReplayProcess *self,
                         VtrReplayLetter  *letter)
{
  const Vtr__Replay__ToEngine *message = letter->message;

  switch (message->message_case)
    {
    case VTR__REPLAY__TO_ENGINE__MESSAGE_HELLO:
      take_hello (self, message->hello);
      break;
    case VTR__REPLAY__TO_ENGINE__MESSAGE_SEGMENT_DONE:
      if (message->segment_done->request == self->request && self->n_segments > 0)
        self->n_segments--;
      break;
    case VTR__REPLAY__TO_ENGINE__MESSAGE_RESOURCE_REQUEST:
      if (message->resource_request->request == self->request)
        vtr_replay_process_answer (self, letter);
      break;
    case VTR__REPLAY__TO_ENGINE__MESSAGE_POSTED:
      if (message->posted->request == self->request)
        vtr_replay_process_answer (self, letter);
      break;
    case VTR__REPLAY__TO_ENGINE__MESSAGE_FENCE_REQUEST:
      if (message->fence_request->request == self->request)
        vtr_replay_process_answer (self, letter);
      break;
    case VTR__REPLAY__TO_ENGINE__MESSAGE_WORDS:
      if (may_speak (self, message->words))
        take_words (self, message->words);
      break;
    case VTR__REPLAY__TO_ENGINE__MESSAGE_DEVICE:
      if (message->device->request == self->request)
        take_device (self, message->device);
      break;
    case VTR__REPLAY__TO_ENGINE__MESSAGE_DEVICES_DONE:
      if (message->devices_done->request == self->request)
        take_devices_done (self, message->devices_done);
      break;
    case VTR__REPLAY__TO_ENGINE__MESSAGE_ANSWER:
      if (message->answer->request == self->request)
        take_answer (self, &message->answer->answer);
      break;
    case VTR__REPLAY__TO_ENGINE__MESSAGE_OUTCOME:
      if (message->outcome->request == self->request)
        take_outcome (self, message->outcome);
      break;
    default:
      break;
    }
}
