/* One replay: a chain of transforms over the trace, into the builder, into the replayer. */
#include "engine/resolve/vtr-replay-request.h"

#include "vtr-config.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "base/vtr-log.h"
#include "engine/resolve/vtr-document-private.h"
#include "engine/transforms/vtr-transforms.h"

/* What the document keeps of its replayer. Touched on the replay worker only, but for the words. */
typedef struct
{
  VtrReplayBackend *backend; /* made at the first request */
  VtrReplayPlan *plan;       /* likewise */
  guint n_deaths;
  GHashTable *kept; /* key → VtrImage */
  VtrDeadWork *dead_work;
  char *words;            /* for the status bar; guarded by the document's replay_lock */
  gboolean has_failed;    /* guarded by replay_lock, as is failed_command */
  guint64 failed_command; /* what the last failure blames */
} ReplaySession;

static void
session_free (gpointer data)
{
  ReplaySession *session = data;

  if (session->backend != NULL)
    session->backend->klass->free (session->backend);
  g_clear_pointer (&session->plan, vtr_replay_plan_unref);
  g_clear_pointer (&session->kept, g_hash_table_unref);
  g_clear_pointer (&session->dead_work, vtr_dead_work_unref);
  g_free (session->words);
  g_free (session);
}

/* Call with replay_lock held. */
static ReplaySession *
session_locked (VtrDocument *self)
{
  if (self->replay == NULL)
    {
      self->replay = g_new0 (ReplaySession, 1);
      self->replay_free = session_free;
    }
  return self->replay;
}

static ReplaySession *
session_get (VtrDocument *self)
{
  ReplaySession *session;

  g_mutex_lock (&self->replay_lock);
  session = session_locked (self);
  g_mutex_unlock (&self->replay_lock);
  return session;
}

static VtrReplayBackend *
session_get_backend (ReplaySession *session)
{
  if (session->backend == NULL)
    session->backend = vtr_replay_process_new (NULL);
  return session->backend;
}

VtrReplayPlan *
vtr_replay_session_get_plan (VtrDocument   *document,
                             GCancellable  *cancellable,
                             GError       **error)
{
  ReplaySession *session = session_get (document);
  g_autoptr (GPtrArray) devices = NULL;
  g_autofree char *wanted = NULL;

  if (session->plan != NULL)
    return session->plan;
  devices = vtr_replay_device_list (session_get_backend (session), error);
  if (devices == NULL)
    return NULL;
  g_mutex_lock (&document->replay_lock);
  wanted = g_strdup (document->replay_device);
  g_mutex_unlock (&document->replay_lock);
  if (wanted == NULL)
    wanted = g_strdup (g_getenv ("VITRINE_REPLAY_DEVICE"));
  session->plan =
    vtr_replay_plan_new (document->trace, devices, wanted, cancellable, error);
  return session->plan;
}

/* Takes @words. */
static void
session_say (VtrDocument *self,
             char        *words)
{
  ReplaySession *session;
  gboolean changed;

  g_mutex_lock (&self->replay_lock);
  session = session_locked (self);
  changed = g_strcmp0 (session->words, words) != 0;
  g_free (session->words);
  session->words = words;
  g_mutex_unlock (&self->replay_lock);
  if (changed)
    vtr_document_replay_changed (self);
}

char *
vtr_document_describe_replay (VtrDocument *self)
{
  const ReplaySession *session;
  char *words;

  g_mutex_lock (&self->replay_lock);
  session = self->replay;
  words = g_strdup (session != NULL && session->words != NULL ? session->words
                                                              : _ ("Replay not started"));
  g_mutex_unlock (&self->replay_lock);
  return words;
}

guint64
vtr_document_get_failed_command (VtrDocument *self)
{
  const ReplaySession *session;
  guint64 command;

  g_mutex_lock (&self->replay_lock);
  session = self->replay;
  command = session != NULL && session->has_failed ? session->failed_command : VTR_COMMAND_NO_INDEX;
  g_mutex_unlock (&self->replay_lock);
  return command;
}

static void
session_note_failure (VtrDocument *self,
                      guint64      command)
{
  ReplaySession *session;

  g_mutex_lock (&self->replay_lock);
  session = session_locked (self);
  session->has_failed = TRUE;
  session->failed_command = command;
  g_mutex_unlock (&self->replay_lock);
}

VtrDeadWork *
vtr_replay_session_get_dead_work (VtrDocument   *document,
                                  GCancellable  *cancellable,
                                  GError       **error)
{
  ReplaySession *session = session_get (document);

  if (session->dead_work == NULL)
    session->dead_work =
      vtr_dead_work_build (document->trace, document->timeline, cancellable, error);
  return session->dead_work;
}

/* --- Images read along ----------------------------------------------------------------------- */

void
vtr_replay_session_forget (VtrDocument *document)
{
  g_clear_pointer (&session_get (document)->kept, g_hash_table_unref);
}

void
vtr_replay_session_keep (VtrDocument *document,
                         char        *key,
                         VtrImage    *image)
{
  ReplaySession *session = session_get (document);

  if (session->kept == NULL)
    session->kept =
      g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify)vtr_image_unref);
  g_hash_table_replace (session->kept, key, image);
}

VtrImage *
vtr_replay_session_take (VtrDocument *document,
                         const char  *key)
{
  ReplaySession *session = session_get (document);
  VtrImage *image = session->kept != NULL ? g_hash_table_lookup (session->kept, key) : NULL;

  return image != NULL ? vtr_image_ref (image) : NULL;
}

/* --- One request ----------------------------------------------------------------------------- */

/* The flat index that a label means: the largest below @end with these low bits. */
static guint64
index_of_label (guint64 label,
                guint64 end)
{
  const guint64 period = G_GUINT64_CONSTANT (1) << 26;

  while (label + period < end)
    label += period;
  return label;
}

static GBytes *
request_resource (guint64    number,
                  gpointer   data,
                  GError   **error)
{
  VtrReplayRequest *request = data;

  return vtr_replay_builder_get_resource (request->builder, number, error);
}

static void
request_posted (guint64       post,
                const guint8 *bytes,
                gsize         size,
                gpointer      data)
{
  VtrReplayRequest *request = data;

  if (request->posted != NULL)
    request->posted (post, bytes, size, request->data);
}

static void
request_progress (guint64  label,
                  gpointer data)
{
  VtrReplayRequest *request = data;

  if (request->progress != NULL)
    request->progress (index_of_label (label, request->end), request->end, request->data);
}

static void
request_message (int         level,
                 guint64     label,
                 const char *text,
                 gpointer    data)
{
  VtrReplayRequest *request = data;

  /* Warnings are mostly the loader's and the driver's about their own environment. */
  g_log (G_LOG_DOMAIN, level == VTR_LOG_ERROR ? G_LOG_LEVEL_MESSAGE : G_LOG_LEVEL_INFO,
         "command %" G_GUINT64_FORMAT ": %s", index_of_label (label, request->end), text);
}

static gboolean
request_send (const VtrReplaySegment  *segment,
              gpointer                 data,
              GError                 **error)
{
  VtrReplayRequest *request = data;

  return request->backend->klass->send (request->backend, segment, error);
}

/* Names the command that an outcome blames. */
static void
blame (VtrReplayRequest        *request,
       const VtrReplayOutcome  *outcome,
       GError                 **error)
{
  guint64 index = index_of_label (outcome->label, request->end);
  g_autofree char *at = vtr_trace_format_number (request->document->trace, index);
  const char *name = index < vtr_trace_get_n_commands (request->document->trace)
                       ? vtr_cmd_name (vtr_trace_get_command_id (request->document->trace, index))
                       : "?";

  if (*error == NULL || outcome->failed ||
      g_error_matches (*error, VTR_REPLAY_ERROR, VTR_REPLAY_ERROR_DIED))
    session_note_failure (request->document, index);
  if (*error == NULL)
    {
      const char *result = vtr_enum_value_name (VTR_ENUM_VkResult, outcome->vk_result);
      g_autofree char *number = g_strdup_printf ("%d", outcome->vk_result);

      g_set_error (error, VTR_REPLAY_ERROR, VTR_REPLAY_ERROR_VULKAN,
                   _ ("Command %s, %s, failed in the replay with %s"), at, name,
                   result != NULL ? result : number);
      return;
    }
  if (g_error_matches (*error, VTR_REPLAY_ERROR, VTR_REPLAY_ERROR_DIED))
    g_prefix_error (error, _ ("The replayer died at command %s, %s: "), at, name);
  else if (outcome->failed)
    g_prefix_error (error, _ ("The replay failed at command %s, %s: "), at, name);
}

/* After a failed build: ends the request without running what is left. Returns: whether the
 * reason was the replayer's death, which only the end of the request tells; @error is that, then.
 */
static gboolean
request_abandon (VtrReplayRequest  *request,
                 VtrReplayOutcome  *outcome,
                 GError           **error)
{
  g_autoptr (GCancellable) now = g_cancellable_new ();
  g_autoptr (GError) why = NULL;

  g_cancellable_cancel (now);
  if (request->backend->klass->finish (request->backend, outcome, now, &why) ||
      !g_error_matches (why, VTR_REPLAY_ERROR, VTR_REPLAY_ERROR_DIED))
    return FALSE;
  g_clear_error (error);
  g_propagate_error (error, g_steal_pointer (&why));
  return TRUE;
}

static gboolean
request_begin (VtrReplayRequest  *request,
               guint32            flags,
               GError           **error)
{
  static const VtrReplayEvents events = {
    .get_resource = request_resource,
    .posted = request_posted,
    .progress = request_progress,
    .message = request_message,
  };
  ReplaySession *session = session_get (request->document);

  request->backend = session_get_backend (session);
  return request->backend->klass->begin (request->backend, flags, &events, request, error);
}

static void
request_note_end (VtrReplayRequest *request,
                  const GError     *error)
{
  ReplaySession *session = session_get (request->document);
  const VtrTraceInfo *info = vtr_trace_get_info (request->document->trace);

  if (g_error_matches (error, VTR_REPLAY_ERROR, VTR_REPLAY_ERROR_DIED))
    {
      session->n_deaths++;
      session_say (request->document,
                   g_strdup (_ ("Replayer died; it is restarted with the next request")));
    }
  else if (g_error_matches (error, VTR_REPLAY_ERROR, VTR_REPLAY_ERROR_START) ||
           g_error_matches (error, VTR_REPLAY_ERROR, VTR_REPLAY_ERROR_DRIVER))
    session_say (request->document, g_strdup (_ ("Replay not possible here")));
  else if (session->n_deaths > 0 && error == NULL)
    session_say (request->document,
                 g_strdup_printf (_ ("Replayer restarted (%u)"), session->n_deaths));
  else if (error == NULL)
    session_say (request->document, info->device[0] != '\0'
                                      ? g_strdup_printf (_ ("Replay of %s"), info->device)
                                      : g_strdup (_ ("Replay ready")));
}

/* Takes @chain, which ends in front of the builder. Drives the trace through it into the replayer
 * and waits for the end. */
gboolean
vtr_replay_request_run (VtrReplayRequest  *request,
                        VtrTransform      *chain,
                        guint32            flags,
                        VtrReplayOutcome  *outcome,
                        GCancellable      *cancellable,
                        GError           **error)
{
  g_autoptr (VtrTransform) all = NULL;
  g_autoptr (GError) failure = NULL;
  VtrReplayPlan *plan;
  gboolean ok;

  memset (outcome, 0, sizeof *outcome);
  if (session_get (request->document)->backend == NULL)
    session_say (request->document, g_strdup (_ ("Replay starting…")));
  plan = vtr_replay_session_get_plan (request->document, cancellable, error);
  if (plan == NULL)
    {
      request_note_end (request, error != NULL ? *error : NULL);
      vtr_transform_free (chain);
      return FALSE;
    }
  request->builder = vtr_replay_builder_new (request->document->trace, request_send, request);
  vtr_replay_builder_set_plan (request->builder, plan);
  all = vtr_transform_chain (chain, vtr_transform_replayable_new (),
                             vtr_transform_virtual_swapchain_new (), NULL);
  all = vtr_transform_chain (all, vtr_transform_build_new (request->builder), NULL);

  if (request_begin (request, flags, &failure))
    {
      if (vtr_transform_run (all, request->document->trace, request->end, NULL, NULL, cancellable,
                             &failure))
        {
          request->backend->klass->finish (request->backend, outcome, cancellable, &failure);
          if (failure != NULL || outcome->failed)
            blame (request, outcome, &failure);
        }
      else if (request_abandon (request, outcome, &failure))
        blame (request, outcome, &failure);
    }

  request_note_end (request, failure);
  g_clear_pointer (&request->builder, vtr_replay_builder_free);
  ok = failure == NULL;
  if (!ok)
    g_propagate_error (error, g_steal_pointer (&failure));
  return ok;
}
