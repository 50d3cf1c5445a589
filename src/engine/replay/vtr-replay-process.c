/* The backend that runs payloads in a subprocess.
 *
 * All talk with the replayer happens on the caller's thread, inside begin(), send() and
 * finish(). Nothing here blocks on the socket for good: packets are exchanged without waiting,
 * and while one side is slow the other's words are taken in and kept. */
#include "vtr-config.h"

#include "engine/replay/vtr-replay-backend.h"

#include "base/vtr-log.h"
#include "engine/format/vtr-number.h"
#include "engine/replay/vtr-replay-child.h"
#include "engine/replay/vtr-replay-device-message.h"
#include "engine/replay/vtr-replay-mailbox.h"
#include "engine/replay/vtr-replay-outcome.h"
#include "engine/replay/vtr-replay-sandbox.h"
#include "api/vtr-api-types.h"
#include "wire/vtr-replay-message.h"
#include "wire/vtr-replay-version.h"

#include <glib/gi18n-lib.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

/* Segments sent and not run yet; more would only fill memory. */
#define MAX_SEGMENTS 6

/* Most devices, most objects that one message is about, most messages of a request that anybody is
 * told of. */
#define MAX_DEVICES 64
#define MAX_AHEAD_BYTES (256u << 20)
#define MAX_OBJECTS 64
#define MAX_MESSAGES 10000

#define TICK_MILLISECONDS 20
#define PROGRESS_MICROSECONDS (50 * 1000)
#define START_MICROSECONDS (20 * G_USEC_PER_SEC)
#define CANCEL_MICROSECONDS (2 * G_USEC_PER_SEC)

/* Without any progress for so long the replayer is ended; VITRINE_REPLAY_TIMEOUT (seconds)
 * changes it. */
#define HANG_SECONDS 60

typedef struct
{
  VtrReplayBackend base;
  char *driver;
  VtrReplayChild child;
  VtrReplayMailbox mailbox; /* received while sending */
  gint64 hang;              /* microseconds */

  guint64 request;
  const VtrReplayEvents *events;
  gpointer data;
  gboolean running;          /* between begin() and finish() */
  GCancellable *cancellable; /* (nullable): of the request */
  gulong cancelled_id;
  gboolean ended;   /* the outcome is known */
  gboolean greeted; /* Hello has come */
  gboolean kept;    /* the replayer has a state to resume */
  VtrReplayOutcome outcome;
  GError *failure;        /* why the request failed */
  GError *resource_error; /* why a resource could not be had */
  guint n_segments;       /* under way */
  guint n_words;          /* messages of the request */

  GPtrArray *devices;            /* described so far, while being asked */
  VtrReplayImageLimits *answers; /* while images are asked about */
  gsize n_answers;
  gboolean answered;

  guint32 label; /* last reported */
  gint64 reported_at;
  guint64 last_calls; /* watchdog: what was seen when something last moved */
  guint32 last_label;
  guint32 last_phase;
  gint64 moved_at;
} VtrReplayProcess;

/* --- Ends ------------------------------------------------------------------------------------ */

/* Ends the request with @error (transfer full). */
static void
fail_request (VtrReplayProcess *self,
              GError           *error)
{
  if (self->child.status != NULL)
    self->outcome.label = self->child.status->label;
  self->outcome.failed = TRUE;
  self->ended = TRUE;
  if (self->failure == NULL)
    self->failure = error;
  else
    g_error_free (error);
}

static void
replayer_died (VtrReplayProcess *self)
{
  vtr_replay_mailbox_clear (&self->mailbox);
  self->kept = FALSE;
  self->outcome.n_calls = self->child.status->n_calls;
  fail_request (self, vtr_replay_child_explain (&self->child));
}

/* The replayer says what it may not say: it is not ours, or out of its mind. */
static void
replayer_babbles (VtrReplayProcess *self)
{
  fail_request (self, g_error_new_literal (VTR_REPLAY_ERROR, VTR_REPLAY_ERROR_DIED,
                                           _ ("The replayer said what makes no sense and was "
                                              "ended.")));
  g_subprocess_force_exit (self->child.process);
  replayer_died (self);
}

/* --- Talking --------------------------------------------------------------------------------- */

/* Receives what there is. Returns: FALSE when the replayer is gone (the request has failed
 * then). */
static gboolean
receive (VtrReplayProcess *self)
{
  VtrStatus status = vtr_replay_mailbox_fill (&self->mailbox, self->child.socket);

  if (status == VTR_CORRUPT)
    replayer_babbles (self);
  else if (status != VTR_OK)
    replayer_died (self);
  return status == VTR_OK;
}

static gboolean
wait_for_socket (VtrReplayProcess *self,
                 short             events,
                 int               milliseconds)
{
  struct pollfd poll_fd = { .fd = self->child.socket, .events = events };

  return poll (&poll_fd, 1, milliseconds) > 0;
}

static void
start_watching (VtrReplayProcess *self)
{
  self->moved_at = g_get_monotonic_time ();
}

static gboolean watch_for_hang (VtrReplayProcess *self);

/* Sends @message. Returns: FALSE when the replayer is gone. */
static gboolean
say (VtrReplayProcess              *self,
     const Vtr__Replay__ToReplayer *message,
     int                            fd)
{
  while (self->child.process != NULL)
    {
      VtrStatus status = vtr_replay_send_to_replayer (self->child.socket, message, fd, false);

      if (status == VTR_OK)
        return TRUE;
      if (status != VTR_TIMEOUT)
        {
          /* Its last words may still lie there. */
          if (receive (self))
            replayer_died (self);
          return FALSE;
        }
      wait_for_socket (self,
                       vtr_replay_mailbox_is_full (&self->mailbox) ? POLLOUT : POLLIN | POLLOUT,
                       TICK_MILLISECONDS);
      if (!receive (self) || !watch_for_hang (self))
        return FALSE;
    }
  return FALSE;
}

/* --- What the replayer wants ----------------------------------------------------------------- */

static void
say_resource_error (VtrReplayProcess *self,
                    guint64           number,
                    const char       *text)
{
  Vtr__Replay__ResourceError body = VTR__REPLAY__RESOURCE_ERROR__INIT;
  Vtr__Replay__ToReplayer message = VTR__REPLAY__TO_REPLAYER__INIT;
  g_autofree char *valid = g_utf8_make_valid (text, -1);

  body.request = self->request;
  body.number = number;
  body.text = valid;
  message.message_case = VTR__REPLAY__TO_REPLAYER__MESSAGE_RESOURCE_ERROR;
  message.resource_error = &body;
  say (self, &message, -1);
}

/* Fetches the contents. Returns: (transfer full): GBytes in the order asked; fewer when one is
 * missing, with the reason in self->resource_error if it was the first. */
static GPtrArray *
collect_resources (VtrReplayProcess                   *self,
                   const Vtr__Replay__ResourceRequest *wanted)
{
  GPtrArray *contents = g_ptr_array_new_with_free_func ((GDestroyNotify)g_bytes_unref);
  gsize total = 0;

  /* What may be needed soon is not worth any amount of memory. */
  for (gsize i = 0; i < wanted->n_numbers && total < MAX_AHEAD_BYTES; i++)
    {
      g_autoptr (GError) error = NULL;
      GBytes *bytes = NULL;

      if (self->events->get_resource != NULL)
        bytes = self->events->get_resource (wanted->numbers[i], self->data, &error);
      if (bytes == NULL)
        {
          /* A later one may never be needed. */
          if (i == 0 && self->resource_error == NULL)
            self->resource_error =
              error != NULL ? g_steal_pointer (&error)
                            : g_error_new (VTR_REPLAY_ERROR, VTR_REPLAY_ERROR_TRACE,
                                           _ ("The trace lacks a resource of the replay."));
          break;
        }
      g_ptr_array_add (contents, bytes);
      total += g_bytes_get_size (bytes);
    }
  return contents;
}

static void
answer_resources (VtrReplayProcess                   *self,
                  const Vtr__Replay__ResourceRequest *wanted)
{
  g_autoptr (GPtrArray) contents = collect_resources (self, wanted);
  Vtr__Replay__Resources body = VTR__REPLAY__RESOURCES__INIT;
  Vtr__Replay__ToReplayer message = VTR__REPLAY__TO_REPLAYER__INIT;
  g_autofree guint64 *sizes = g_new0 (guint64, contents->len + 1);
  VtrReplayBulk bulk = VTR_REPLAY_BULK_INIT;
  guint64 total = 0, offset = 0;
  gboolean fits = TRUE;

  for (guint i = 0; i < contents->len; i++)
    {
      sizes[i] = g_bytes_get_size (g_ptr_array_index (contents, i));
      fits = fits && vtr_replay_next_content (total, sizes[i], &total);
    }
  if (contents->len == 0)
    {
      say_resource_error (self, wanted->n_numbers > 0 ? wanted->numbers[0] : 0,
                          self->resource_error != NULL ? self->resource_error->message : "");
      return;
    }
  if (!fits || vtr_replay_bulk_create (&bulk, "vitrine-resources", MAX (total, 16)) != VTR_OK)
    {
      say_resource_error (self, wanted->numbers[0],
                          _ ("There is not enough memory for a resource."));
      return;
    }
  for (guint i = 0; i < contents->len; i++)
    {
      memcpy (bulk.bytes + offset, g_bytes_get_data (g_ptr_array_index (contents, i), NULL),
              sizes[i]);
      vtr_replay_next_content (offset, sizes[i], &offset);
    }
  body.request = self->request;
  body.n_numbers = contents->len;
  body.numbers = wanted->numbers;
  body.n_sizes = contents->len;
  body.sizes = sizes;
  message.message_case = VTR__REPLAY__TO_REPLAYER__MESSAGE_RESOURCES;
  message.resources = &body;
  if (vtr_replay_bulk_seal (&bulk) == VTR_OK)
    say (self, &message, bulk.fd);
  vtr_replay_bulk_finish (&bulk);
}

static void
answer_fence (VtrReplayProcess *self,
              guint32           id)
{
  Vtr__Replay__FenceReady body = VTR__REPLAY__FENCE_READY__INIT;
  Vtr__Replay__ToReplayer message = VTR__REPLAY__TO_REPLAYER__INIT;

  /* Whatever the payload waits for has been done by whoever built it. */
  body.request = self->request;
  body.id = id;
  message.message_case = VTR__REPLAY__TO_REPLAYER__MESSAGE_FENCE_READY;
  message.fence_ready = &body;
  say (self, &message, -1);
}

static void
take_posts (VtrReplayProcess          *self,
            const Vtr__Replay__Posted *posted,
            VtrReplayLetter           *letter)
{
  Vtr__Replay__PostsTaken body = VTR__REPLAY__POSTS_TAKEN__INIT;
  Vtr__Replay__ToReplayer message = VTR__REPLAY__TO_REPLAYER__INIT;
  VtrReplayBulk bulk;
  guint64 end = 0;
  VtrStatus status = vtr_replay_bulk_open (&bulk, letter->fd, posted->bytes);

  letter->fd = -1;
  if (status != VTR_OK)
    {
      replayer_babbles (self);
      return;
    }
  for (gsize i = 0; i < posted->n_pieces; i++)
    {
      const Vtr__Replay__Posted__Piece *piece = posted->pieces[i];
      guint64 begin = end;

      /* One behind the other: what is taken over is never more than what was handed over. */
      if (piece->offset < begin || __builtin_add_overflow (piece->offset, piece->size, &end) ||
          end > bulk.size)
        {
          vtr_replay_bulk_finish (&bulk);
          replayer_babbles (self);
          return;
        }
      if (self->events->posted != NULL)
        self->events->posted (piece->id, bulk.bytes + piece->offset, piece->size, self->data);
    }
  vtr_replay_bulk_finish (&bulk);
  body.request = self->request;
  body.bytes = posted->bytes;
  message.message_case = VTR__REPLAY__TO_REPLAYER__MESSAGE_POSTS_TAKEN;
  message.posts_taken = &body;
  say (self, &message, -1);
}

/* --- Outcomes -------------------------------------------------------------------------------- */

static void
take_outcome (VtrReplayProcess           *self,
              const Vtr__Replay__Outcome *outcome)
{
  self->ended = TRUE;
  self->outcome.label = outcome->label;
  self->outcome.vk_result = outcome->vk_result;
  self->outcome.n_calls = outcome->n_calls;
  self->outcome.microseconds = (gint64)outcome->microseconds;
  self->kept = self->outcome.kept = outcome->kept;
  if (self->failure == NULL)
    self->failure = vtr_replay_outcome_to_error (outcome, self->resource_error);
  self->outcome.failed = self->failure != NULL;
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
  const VtrReplaySandbox sandbox = { hello->sandboxed, hello->landlock, hello->seccomp };

  if (hello->version == VTR_REPLAY_PROTOCOL_VERSION && hello->registry == VTR_API_REGISTRY_HASH)
    {
      vtr_replay_sandbox_note (&sandbox);
      self->greeted = TRUE;
      return;
    }
  g_subprocess_force_exit (self->child.process);
  fail_request (self, g_error_new (VTR_REPLAY_ERROR, VTR_REPLAY_ERROR_START,
                                   _ ("The replayer is of another version of Vitrine.")));
}

static void
take_device (VtrReplayProcess          *self,
             const Vtr__Replay__Device *device)
{
  if (self->devices == NULL || self->devices->len >= MAX_DEVICES)
    replayer_babbles (self);
  else
    g_ptr_array_add (self->devices, vtr_replay_device_from_message (device));
}

static void
take_devices_done (VtrReplayProcess               *self,
                   const Vtr__Replay__DevicesDone *done)
{
  g_autofree char *text = vtr_replay_words (done->text);

  if (self->devices == NULL || (self->devices->len == 0 && text[0] == '\0'))
    {
      replayer_babbles (self);
      return;
    }
  if (text[0] != '\0' && self->failure == NULL)
    self->failure = g_error_new_literal (VTR_REPLAY_ERROR, VTR_REPLAY_ERROR_DRIVER, text);
  self->answered = TRUE;
}

static void
take_image_formats (VtrReplayProcess          *self,
                    const ProtobufCBinaryData *answers)
{
  if (self->answers == NULL)
    {
      replayer_babbles (self);
      return;
    }
  if (answers->len == self->n_answers * sizeof *self->answers)
    memcpy (self->answers, answers->data, answers->len);
  else if (self->failure == NULL)
    self->failure = g_error_new_literal (VTR_REPLAY_ERROR, VTR_REPLAY_ERROR_DRIVER,
                                         _ ("The device is not there any more"));
  self->answered = TRUE;
}

/* What only a request that runs can be about: without one there is nobody to tell. */
static void
handle_wish (VtrReplayProcess *self,
             VtrReplayLetter  *letter)
{
  const Vtr__Replay__ToEngine *message = letter->message;

  if (self->events == NULL)
    replayer_babbles (self);
  else if (message->message_case == VTR__REPLAY__TO_ENGINE__MESSAGE_RESOURCE_REQUEST)
    answer_resources (self, message->resource_request);
  else if (message->message_case == VTR__REPLAY__TO_ENGINE__MESSAGE_POSTED)
    take_posts (self, message->posted, letter);
  else
    answer_fence (self, message->fence_request->id);
  /* It waited for us meanwhile. */
  start_watching (self);
}

static void
handle (VtrReplayProcess *self,
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
        handle_wish (self, letter);
      break;
    case VTR__REPLAY__TO_ENGINE__MESSAGE_POSTED:
      if (message->posted->request == self->request)
        handle_wish (self, letter);
      break;
    case VTR__REPLAY__TO_ENGINE__MESSAGE_FENCE_REQUEST:
      if (message->fence_request->request == self->request)
        handle_wish (self, letter);
      break;
    case VTR__REPLAY__TO_ENGINE__MESSAGE_WORDS:
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
    case VTR__REPLAY__TO_ENGINE__MESSAGE_IMAGE_FORMATS:
      if (message->image_formats->request == self->request)
        take_image_formats (self, &message->image_formats->answers);
      break;
    case VTR__REPLAY__TO_ENGINE__MESSAGE_OUTCOME:
      if (message->outcome->request == self->request)
        take_outcome (self, message->outcome);
      break;
    default:
      break;
    }
}

/* --- Time ------------------------------------------------------------------------------------ */

/* Ends a replayer that makes no progress. Returns: FALSE when it did. */
static gboolean
watch_for_hang (VtrReplayProcess *self)
{
  const VtrReplayStatus *status = self->child.status;
  gint64 now = g_get_monotonic_time ();
  g_autofree char *doing = NULL;

  if (status->n_calls != self->last_calls || status->label != self->last_label ||
      status->phase != self->last_phase)
    {
      self->last_calls = status->n_calls;
      self->last_label = status->label;
      self->last_phase = status->phase;
      self->moved_at = now;
    }
  if (now - self->moved_at < self->hang)
    return TRUE;
  doing = vtr_replay_child_describe (&self->child);
  fail_request (self, g_error_new (VTR_REPLAY_ERROR, VTR_REPLAY_ERROR_DIED,
                                   _ ("The replayer hung while %s and was ended."), doing));
  g_subprocess_force_exit (self->child.process);
  replayer_died (self);
  return FALSE;
}

static void
report_progress (VtrReplayProcess *self)
{
  guint32 label = self->child.status->label;
  gint64 now = g_get_monotonic_time ();

  if (self->events == NULL || self->events->progress == NULL || label == self->label ||
      now - self->reported_at < PROGRESS_MICROSECONDS)
    return;
  self->label = label;
  self->reported_at = now;
  self->events->progress (label, self->data);
}

/* Takes in and handles what the replayer says, for up to @milliseconds if it says nothing.
 * Returns: FALSE when it is gone. */
static gboolean
attend (VtrReplayProcess *self,
        int               milliseconds)
{
  if (vtr_replay_mailbox_is_empty (&self->mailbox))
    wait_for_socket (self, POLLIN, milliseconds);
  if (!receive (self))
    return FALSE;
  /* More may come in while these are handled: whoever calls has other things to look at. */
  for (guint i = 0; i < VTR_REPLAY_MAX_LETTERS && self->child.process != NULL; i++)
    {
      g_autoptr (VtrReplayLetter) letter = vtr_replay_mailbox_take (&self->mailbox);

      if (letter == NULL)
        break;
      handle (self, letter);
    }
  if (self->child.process == NULL)
    return FALSE;
  report_progress (self);
  return TRUE;
}

/* --- The backend's functions ----------------------------------------------------------------- */

static gboolean
start (VtrReplayProcess  *self,
       GError           **error)
{
  gint64 until = g_get_monotonic_time () + START_MICROSECONDS;

  if (!vtr_replay_child_start (&self->child, error))
    return FALSE;
  self->greeted = FALSE;
  self->ended = FALSE;
  while (!self->greeted && !self->ended && g_get_monotonic_time () < until)
    if (!attend (self, TICK_MILLISECONDS))
      break;
  if (self->greeted)
    return TRUE;

  if (self->failure != NULL && self->failure->code == VTR_REPLAY_ERROR_START)
    g_propagate_error (error, g_steal_pointer (&self->failure));
  else
    g_set_error (error, VTR_REPLAY_ERROR, VTR_REPLAY_ERROR_START,
                 _ ("The replayer cannot be started: %s"),
                 self->failure != NULL ? self->failure->message : _ ("it does not answer."));
  g_clear_error (&self->failure);
  vtr_replay_child_stop (&self->child);
  return FALSE;
}

static void
cancelled (GCancellable *cancellable,
           gpointer      data)
{
  VtrReplayProcess *self = data;

  __atomic_store_n (&self->child.status->cancel, 1, __ATOMIC_RELAXED);
}

/* Tells the machine at once, whatever this thread does when it happens. The page lives as long as
 * the request. */
static void
watch_cancellable (VtrReplayProcess *self,
                   GCancellable     *cancellable)
{
  if (cancellable == NULL)
    return;
  self->cancellable = g_object_ref (cancellable);
  self->cancelled_id = g_cancellable_connect (cancellable, G_CALLBACK (cancelled), self, NULL);
}

static void
forget_cancellable (VtrReplayProcess *self)
{
  if (self->cancellable != NULL)
    g_cancellable_disconnect (self->cancellable, self->cancelled_id);
  g_clear_object (&self->cancellable);
}

/* Begins the request, and waits until the replayer has it: one that is dying does not answer. */
static gboolean
say_begin (VtrReplayProcess *self,
           guint32           flags)
{
  Vtr__Replay__Begin body = VTR__REPLAY__BEGIN__INIT;
  Vtr__Replay__ToReplayer message = VTR__REPLAY__TO_REPLAYER__INIT;

  body.request = self->request;
  body.flags = flags;
  body.driver = self->driver != NULL ? self->driver : (char *)"";
  message.message_case = VTR__REPLAY__TO_REPLAYER__MESSAGE_BEGIN;
  message.begin = &body;
  if (!say (self, &message, -1))
    return FALSE;
  self->n_segments = 1;
  while (self->n_segments > 0)
    if (!attend (self, TICK_MILLISECONDS) || !watch_for_hang (self))
      return FALSE;
  return !self->ended;
}

static void
reset_request (VtrReplayProcess *self)
{
  g_clear_error (&self->failure);
  g_clear_error (&self->resource_error);
  memset (&self->outcome, 0, sizeof self->outcome);
  self->n_segments = 0;
  self->n_words = 0;
  self->ended = FALSE;
  self->label = G_MAXUINT32;
  self->reported_at = 0;
  start_watching (self);
}

static gboolean
vtr_replay_process_begin (VtrReplayBackend       *backend,
                          guint32                 flags,
                          const VtrReplayEvents  *events,
                          gpointer                data,
                          GCancellable           *cancellable,
                          GError                **error)
{
  VtrReplayProcess *self = (VtrReplayProcess *)backend;

  g_return_val_if_fail (!self->running, FALSE);
  self->events = events;
  self->data = data;
  /* It may have died since the last request; then there is a new one. */
  for (guint attempt = 0; attempt < 2; attempt++)
    {
      if ((flags & VTR_REPLAY_RESUME) != 0 && (!self->kept || self->child.process == NULL))
        {
          g_clear_error (&self->failure);
          g_set_error (error, VTR_REPLAY_ERROR, VTR_REPLAY_ERROR_DIED,
                       _ ("The replayer has ended, and the state it kept with it."));
          return FALSE;
        }
      self->request++;
      reset_request (self);
      if (self->child.process == NULL && !start (self, error))
        return FALSE;
      __atomic_store_n (&self->child.status->cancel, 0, __ATOMIC_RELAXED);
      self->child.status->label = 0;
      self->child.status->n_calls = 0;
      if (attend (self, 0) && say_begin (self, flags))
        {
          self->running = TRUE;
          watch_cancellable (self, cancellable);
          return TRUE;
        }
    }
  g_propagate_error (error, g_steal_pointer (&self->failure));
  return FALSE;
}

static gboolean
send_bulk (VtrReplayProcess        *self,
           const VtrReplaySegment  *segment,
           GError                 **error)
{
  Vtr__Replay__Segment body = VTR__REPLAY__SEGMENT__INIT;
  Vtr__Replay__ToReplayer message = VTR__REPLAY__TO_REPLAYER__INIT;
  VtrReplaySegmentLayout layout;
  VtrReplayBulk bulk = VTR_REPLAY_BULK_INIT;
  VtrStatus status;

  G_STATIC_ASSERT (sizeof (VtrReplayResource) == VTR_REPLAY_RESOURCE_BYTES);
  status = vtr_replay_segment_layout (segment->n_opcodes, segment->n_resources,
                                      segment->constants_size, &layout);
  if (status == VTR_OK && layout.total == 0)
    return TRUE;
  if (status == VTR_OK)
    status = vtr_replay_bulk_create (&bulk, "vitrine-segment", layout.total);
  if (status != VTR_OK)
    {
      g_set_error (error, VTR_REPLAY_ERROR, VTR_REPLAY_ERROR_PAYLOAD,
                   _ ("The instructions of the replay do not fit into memory."));
      return FALSE;
    }
  if (segment->n_opcodes > 0)
    memcpy (bulk.bytes + layout.words, segment->opcodes, segment->n_opcodes * 4);
  if (segment->n_resources > 0)
    memcpy (bulk.bytes + layout.resources, segment->resources,
            segment->n_resources * sizeof *segment->resources);
  if (segment->constants_size > 0)
    memcpy (bulk.bytes + layout.constants, segment->constants, segment->constants_size);
  body.request = self->request;
  body.n_words = segment->n_opcodes;
  body.n_resources = segment->n_resources;
  body.constants_size = segment->constants_size;
  message.message_case = VTR__REPLAY__TO_REPLAYER__MESSAGE_SEGMENT;
  message.segment = &body;
  if (vtr_replay_bulk_seal (&bulk) == VTR_OK && say (self, &message, bulk.fd))
    self->n_segments++;
  vtr_replay_bulk_finish (&bulk);
  return TRUE;
}

static gboolean
vtr_replay_process_send (VtrReplayBackend        *backend,
                         const VtrReplaySegment  *segment,
                         GError                 **error)
{
  VtrReplayProcess *self = (VtrReplayProcess *)backend;

  g_return_val_if_fail (self->running, FALSE);
  start_watching (self);
  if (!self->ended)
    attend (self, 0);
  while (!self->ended && self->n_segments >= MAX_SEGMENTS &&
         !g_cancellable_is_cancelled (self->cancellable))
    if (!attend (self, TICK_MILLISECONDS) || !watch_for_hang (self))
      break;
  if (self->failure == NULL && g_cancellable_set_error_if_cancelled (self->cancellable, error))
    return FALSE;
  if (!self->ended && !send_bulk (self, segment, error))
    return FALSE;
  if (self->failure == NULL)
    return TRUE;
  if (error != NULL)
    *error = g_error_copy (self->failure);
  return FALSE;
}

static void
say_finish (VtrReplayProcess *self)
{
  Vtr__Replay__Finish body = VTR__REPLAY__FINISH__INIT;
  Vtr__Replay__ToReplayer message = VTR__REPLAY__TO_REPLAYER__INIT;

  body.request = self->request;
  message.message_case = VTR__REPLAY__TO_REPLAYER__MESSAGE_FINISH;
  message.finish = &body;
  say (self, &message, -1);
}

/* Waits for the outcome; a cancelled request has a moment to end by itself. */
static void
await_outcome (VtrReplayProcess *self,
               GCancellable     *cancellable)
{
  gint64 cancelled_at = 0;

  while (!self->ended)
    {
      gint64 now = g_get_monotonic_time ();

      if (cancelled_at == 0 && g_cancellable_is_cancelled (cancellable))
        {
          cancelled_at = now;
          __atomic_store_n (&self->child.status->cancel, 1, __ATOMIC_RELAXED);
        }
      if (cancelled_at != 0 && now - cancelled_at > CANCEL_MICROSECONDS)
        {
          fail_request (self, g_error_new (G_IO_ERROR, G_IO_ERROR_CANCELLED, "%s",
                                           _ ("The replay was cancelled.")));
          g_subprocess_force_exit (self->child.process);
          replayer_died (self);
          return;
        }
      if (!attend (self, TICK_MILLISECONDS) || !watch_for_hang (self))
        return;
    }
}

static gboolean
vtr_replay_process_finish (VtrReplayBackend  *backend,
                           VtrReplayOutcome  *outcome,
                           GCancellable      *cancellable,
                           GError           **error)
{
  VtrReplayProcess *self = (VtrReplayProcess *)backend;

  g_return_val_if_fail (self->running, FALSE);
  start_watching (self);
  if (!self->ended && g_cancellable_is_cancelled (cancellable))
    __atomic_store_n (&self->child.status->cancel, 1, __ATOMIC_RELAXED);
  if (!self->ended)
    say_finish (self);
  await_outcome (self, cancellable);
  forget_cancellable (self);
  self->running = FALSE;
  self->events = NULL;
  if (self->failure == NULL && g_cancellable_set_error_if_cancelled (cancellable, &self->failure))
    self->outcome.failed = TRUE;
  if (outcome != NULL)
    *outcome = self->outcome;
  if (self->failure == NULL)
    return TRUE;
  g_propagate_error (error, g_steal_pointer (&self->failure));
  return FALSE;
}

/* Asks something between requests and waits for the answer. */
static gboolean
ask (VtrReplayProcess         *self,
     Vtr__Replay__ToReplayer  *message,
     guint64                  *request,
     GError                  **error)
{
  for (guint attempt = 0; attempt < 2; attempt++)
    {
      self->request++;
      *request = self->request;
      reset_request (self);
      self->events = NULL;
      self->answered = FALSE;
      if (self->child.process == NULL && !start (self, error))
        return FALSE;
      if (!attend (self, 0) || !say (self, message, -1))
        continue;
      while (!self->answered && self->child.process != NULL)
        if (!attend (self, TICK_MILLISECONDS) || !watch_for_hang (self))
          break;
      if (self->answered)
        break;
    }
  if (self->failure == NULL && self->answered)
    return TRUE;
  if (self->failure == NULL)
    replayer_died (self);
  g_propagate_error (error, g_steal_pointer (&self->failure));
  return FALSE;
}

static GPtrArray *
vtr_replay_process_describe (VtrReplayBackend  *backend,
                             GError           **error)
{
  VtrReplayProcess *self = (VtrReplayProcess *)backend;
  Vtr__Replay__DevicesRequest body = VTR__REPLAY__DEVICES_REQUEST__INIT;
  Vtr__Replay__ToReplayer message = VTR__REPLAY__TO_REPLAYER__INIT;
  GPtrArray *devices;

  g_return_val_if_fail (!self->running, NULL);
  message.message_case = VTR__REPLAY__TO_REPLAYER__MESSAGE_DEVICES_REQUEST;
  message.devices_request = &body;
  self->devices = g_ptr_array_new_with_free_func ((GDestroyNotify)vtr_replay_device_unref);
  if (ask (self, &message, &body.request, error))
    return g_steal_pointer (&self->devices);
  devices = g_steal_pointer (&self->devices);
  g_ptr_array_unref (devices);
  return NULL;
}

static gboolean
vtr_replay_process_check_images (VtrReplayBackend          *backend,
                                 guint32                    index,
                                 const VtrReplayImageKind  *kinds,
                                 gsize                      n,
                                 VtrReplayImageLimits      *answers,
                                 GError                   **error)
{
  VtrReplayProcess *self = (VtrReplayProcess *)backend;
  const gsize most = 1024; /* a packet holds so many */

  g_return_val_if_fail (!self->running, FALSE);
  for (gsize done = 0; done < n; done += most)
    {
      Vtr__Replay__ImageFormatsRequest body = VTR__REPLAY__IMAGE_FORMATS_REQUEST__INIT;
      Vtr__Replay__ToReplayer message = VTR__REPLAY__TO_REPLAYER__INIT;
      gboolean ok;

      self->answers = answers + done;
      self->n_answers = MIN (n - done, most);
      body.device = index;
      body.images = (ProtobufCBinaryData){ self->n_answers * sizeof *kinds,
                                           (guint8 *)(gpointer)(kinds + done) };
      message.message_case = VTR__REPLAY__TO_REPLAYER__MESSAGE_IMAGE_FORMATS_REQUEST;
      message.image_formats_request = &body;
      ok = ask (self, &message, &body.request, error);
      self->answers = NULL;
      if (!ok)
        return FALSE;
    }
  return TRUE;
}

static void
vtr_replay_process_free (VtrReplayBackend *backend)
{
  VtrReplayProcess *self = (VtrReplayProcess *)backend;

  vtr_replay_child_stop (&self->child);
  vtr_replay_mailbox_clear (&self->mailbox);
  g_clear_error (&self->failure);
  g_clear_error (&self->resource_error);
  g_free (self->driver);
  g_free (self);
}

static gboolean
vtr_replay_process_is_kept (VtrReplayBackend *backend)
{
  VtrReplayProcess *self = (VtrReplayProcess *)backend;

  return self->kept && self->child.process != NULL;
}

static const VtrReplayBackendClass process_class = {
  .begin = vtr_replay_process_begin,
  .send = vtr_replay_process_send,
  .finish = vtr_replay_process_finish,
  .describe = vtr_replay_process_describe,
  .check_images = vtr_replay_process_check_images,
  .free = vtr_replay_process_free,
  .is_kept = vtr_replay_process_is_kept,
};

VtrReplayBackend *
vtr_replay_process_new (const char *driver)
{
  VtrReplayProcess *self = g_new0 (VtrReplayProcess, 1);
  const char *hang = g_getenv ("VITRINE_REPLAY_TIMEOUT");
  gint64 seconds = hang != NULL ? g_ascii_strtoll (hang, NULL, 10) : 0;

  self->base.klass = &process_class;
  self->driver = g_strdup (driver);
  self->child = (VtrReplayChild)VTR_REPLAY_CHILD_INIT;
  self->hang = (seconds > 0 ? seconds : HANG_SECONDS) * G_USEC_PER_SEC;
  self->mailbox = (VtrReplayMailbox)VTR_REPLAY_MAILBOX_INIT;
  return &self->base;
}
