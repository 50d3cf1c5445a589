/* A backend that runs payloads in a replayer process.
 *
 * Messages are exchanged with the replayer on the caller's thread, inside begin (), send () and
 * finish (). None of these blocks forever: packets are sent and received without waiting, and
 * messages of the replayer are read and queued while it is slow to read. */
#include "vtr-config.h"

#include "engine/replay/vtr-replay-process-private.h"

#include <glib/gi18n-lib.h>
#include <poll.h>
#include <string.h>

/* Segments sent and not run yet; more would only fill memory. */
#define MAX_SEGMENTS 6

#define START_MICROSECONDS (20 * G_USEC_PER_SEC)

/* Without any progress for so long the replayer is ended; VITRINE_REPLAY_TIMEOUT (seconds)
 * changes it. */
#define HANG_SECONDS 60

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
    if (!vtr_replay_process_attend (self, VTR_REPLAY_PROCESS_TICK) ||
        g_cancellable_is_cancelled (self->waiting))
      break;
  if (self->greeted)
    return TRUE;

  if (g_cancellable_set_error_if_cancelled (self->waiting, error))
    g_clear_error (&self->failure);
  else if (self->failure != NULL && self->failure->code == VTR_REPLAY_ERROR_START)
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
  body.device = self->driver != NULL ? self->driver : (char *)"";
  message.message_case = VTR__REPLAY__TO_REPLAYER__MESSAGE_BEGIN;
  message.begin = &body;
  if (!vtr_replay_process_say (self, &message, -1))
    return FALSE;
  self->n_segments = 1;
  while (self->n_segments > 0)
    if (!vtr_replay_process_attend (self, VTR_REPLAY_PROCESS_TICK) ||
        !vtr_replay_process_watch (self))
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
  self->words_size = 0;
  self->ended = FALSE;
  self->label = G_MAXUINT32;
  self->reported_at = 0;
  vtr_replay_process_start_watching (self);
}

static gboolean
begin (VtrReplayProcess  *self,
       guint32            flags,
       GCancellable      *cancellable,
       GError           **error)
{
  /* It may have died since the last request; then there is a new one. */
  for (guint attempt = 0; attempt < 2 && !g_cancellable_set_error_if_cancelled (cancellable, error);
       attempt++)
    {
      if ((flags & VTR_REPLAY_RESUME) != 0 && (!self->kept || self->child.process == NULL))
        {
          g_clear_error (&self->failure);
          g_set_error (error, VTR_REPLAY_ERROR, VTR_REPLAY_ERROR_LOST,
                       _ ("The replayer exited, so the state that it kept is lost."));
          return FALSE;
        }
      self->request++;
      reset_request (self);
      if (self->child.process == NULL && !start (self, error))
        return FALSE;
      __atomic_store_n (&self->child.status->cancel, 0, __ATOMIC_RELAXED);
      self->child.status->label = 0;
      self->child.status->n_calls = 0;
      if (vtr_replay_process_attend (self, 0) && say_begin (self, flags))
        {
          self->running = TRUE;
          watch_cancellable (self, cancellable);
          return TRUE;
        }
    }
  if (self->failure != NULL)
    g_propagate_error (g_cancellable_is_cancelled (cancellable) ? NULL : error,
                       g_steal_pointer (&self->failure));
  return FALSE;
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
  gboolean begun;

  g_return_val_if_fail (!self->running, FALSE);
  self->events = events;
  self->data = data;
  vtr_replay_process_wait_for (self, cancellable);
  begun = begin (self, flags, cancellable, error);
  vtr_replay_process_wait_for (self, NULL);
  return begun;
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
  status = vtr_replay_bulk_seal (&bulk);
  if (status != VTR_OK)
    g_set_error_literal (error, VTR_REPLAY_ERROR, VTR_REPLAY_ERROR_PAYLOAD,
                         _ ("The instructions of the replay cannot be sealed."));
  else if (vtr_replay_process_say (self, &message, bulk.fd))
    self->n_segments++;
  vtr_replay_bulk_finish (&bulk);
  return status == VTR_OK;
}

static gboolean
send_segment (VtrReplayProcess        *self,
              const VtrReplaySegment  *segment,
              GError                 **error)
{
  vtr_replay_process_start_watching (self);
  if (!self->ended)
    vtr_replay_process_attend (self, 0);
  while (!self->ended && self->n_segments >= MAX_SEGMENTS &&
         !g_cancellable_is_cancelled (self->cancellable))
    if (!vtr_replay_process_attend (self, VTR_REPLAY_PROCESS_TICK) ||
        !vtr_replay_process_watch (self))
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

static gboolean
vtr_replay_process_send (VtrReplayBackend        *backend,
                         const VtrReplaySegment  *segment,
                         GError                 **error)
{
  VtrReplayProcess *self = (VtrReplayProcess *)backend;
  gboolean sent;

  g_return_val_if_fail (self->running, FALSE);
  /* A replayer that does not listen, but looks busy, would be talked to for ever. */
  vtr_replay_process_wait_for (self, self->cancellable);
  sent = send_segment (self, segment, error);
  vtr_replay_process_wait_for (self, NULL);
  return sent;
}

static void
say_finish (VtrReplayProcess *self)
{
  Vtr__Replay__Finish body = VTR__REPLAY__FINISH__INIT;
  Vtr__Replay__ToReplayer message = VTR__REPLAY__TO_REPLAYER__INIT;

  body.request = self->request;
  message.message_case = VTR__REPLAY__TO_REPLAYER__MESSAGE_FINISH;
  message.finish = &body;
  vtr_replay_process_say (self, &message, -1);
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
      if (cancelled_at != 0 && now - cancelled_at > VTR_REPLAY_PROCESS_CANCEL)
        {
          vtr_replay_process_fail (self, g_error_new (G_IO_ERROR, G_IO_ERROR_CANCELLED, "%s",
                                                      _ ("The replay was cancelled.")));
          g_subprocess_force_exit (self->child.process);
          vtr_replay_process_died (self);
          return;
        }
      if (!vtr_replay_process_attend (self, VTR_REPLAY_PROCESS_TICK) ||
          !vtr_replay_process_watch (self))
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
  vtr_replay_process_start_watching (self);
  if (!self->ended && g_cancellable_is_cancelled (cancellable))
    __atomic_store_n (&self->child.status->cancel, 1, __ATOMIC_RELAXED);
  vtr_replay_process_wait_for (self, cancellable);
  if (!self->ended)
    say_finish (self);
  await_outcome (self, cancellable);
  vtr_replay_process_wait_for (self, NULL);
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
     GCancellable             *cancellable,
     GError                  **error)
{
  vtr_replay_process_wait_for (self, cancellable);
  for (guint attempt = 0; attempt < 2 && !g_cancellable_is_cancelled (cancellable); attempt++)
    {
      self->request++;
      *request = self->request;
      reset_request (self);
      self->events = NULL;
      self->answered = FALSE;
      if (self->child.process == NULL && !start (self, error))
        {
          vtr_replay_process_wait_for (self, NULL);
          return FALSE;
        }
      if (!vtr_replay_process_attend (self, 0) || !vtr_replay_process_say (self, message, -1))
        continue;
      while (!self->answered && self->child.process != NULL)
        if (!vtr_replay_process_attend (self, VTR_REPLAY_PROCESS_TICK) ||
            !vtr_replay_process_watch (self))
          break;
      if (self->answered)
        break;
    }
  vtr_replay_process_wait_for (self, NULL);
  if (self->failure == NULL && self->answered)
    return TRUE;
  if (self->failure == NULL && g_cancellable_set_error_if_cancelled (cancellable, error))
    return FALSE;
  if (self->failure == NULL)
    vtr_replay_process_died (self);
  g_propagate_error (error, g_steal_pointer (&self->failure));
  return FALSE;
}

static GPtrArray *
vtr_replay_process_describe (VtrReplayBackend  *backend,
                             GCancellable      *cancellable,
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
  if (ask (self, &message, &body.request, cancellable, error))
    return g_steal_pointer (&self->devices);
  devices = g_steal_pointer (&self->devices);
  g_ptr_array_unref (devices);
  return NULL;
}

static gboolean
vtr_replay_process_ask (VtrReplayBackend  *backend,
                        const VtrApi      *api,
                        gconstpointer      question,
                        gsize              question_size,
                        gpointer           answer,
                        gsize              answer_size,
                        GCancellable      *cancellable,
                        GError           **error)
{
  VtrReplayProcess *self = (VtrReplayProcess *)backend;
  Vtr__Replay__Question body = VTR__REPLAY__QUESTION__INIT;
  Vtr__Replay__ToReplayer message = VTR__REPLAY__TO_REPLAYER__INIT;
  gboolean ok;

  g_return_val_if_fail (!self->running, FALSE);
  while (vtr_apis[body.api] != api)
    body.api++;
  /* 0 is the machine's own. */
  body.api++;
  body.question = (ProtobufCBinaryData){ question_size, (guint8 *)question };
  message.message_case = VTR__REPLAY__TO_REPLAYER__MESSAGE_QUESTION;
  message.question = &body;
  self->answer = answer;
  self->answer_size = answer_size;
  ok = ask (self, &message, &body.request, cancellable, error);
  self->answer = NULL;
  return ok;
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
  g_free (self->trace);
  g_free (self);
}

static gboolean
vtr_replay_process_is_kept (VtrReplayBackend *backend)
{
  VtrReplayProcess *self = (VtrReplayProcess *)backend;
  struct pollfd poll_fd = { .fd = self->child.socket, .events = 0 };

  if (!self->kept || self->child.process == NULL)
    return FALSE;
  /* If the replayer died since the last request, for example for lack of memory, its state is
   * lost. */
  if (!self->running && poll (&poll_fd, 1, 0) > 0 && (poll_fd.revents & (POLLHUP | POLLERR)) != 0)
    vtr_replay_process_died (self);
  return self->kept;
}

static const VtrReplayBackendClass process_class = {
  .begin = vtr_replay_process_begin,
  .send = vtr_replay_process_send,
  .finish = vtr_replay_process_finish,
  .describe = vtr_replay_process_describe,
  .ask = vtr_replay_process_ask,
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

VtrReplayBackend *
vtr_replay_process_new_for_trace (const char *version)
{
  VtrReplayProcess *self = (VtrReplayProcess *)vtr_replay_process_new (NULL);

  self->child.trace = self->trace = g_strdup (version);
  return &self->base;
}

GPtrArray *
vtr_replay_process_list_devices (const char *const *environment,
                                 GError           **error)
{
  static const char *const nothing[] = { NULL };
  VtrReplayBackend *backend = vtr_replay_process_new (NULL);
  GPtrArray *devices;

  ((VtrReplayProcess *)backend)->child.environment = environment != NULL ? environment : nothing;
  devices = backend->klass->describe (backend, NULL, error);
  backend->klass->free (backend);
  return devices;
}
