/* Replays a trace under the validation layer and lists the errors by command. */
#include "engine/replay-session/vtr-replay-validate.h"

#include "vtr-config.h"

#include <glib/gi18n-lib.h>

#include "base/vtr-log.h"
#include "engine/replay-session/vtr-replay-request.h"
#include "engine/replay-session/vtr-request-api.h"

/* More say nothing new. */
#define MAX_MESSAGES 10000

typedef struct
{
  VtrReplaySession *session;
  VtrTraceProgress progress;
  gpointer progress_data;
  GCancellable *cancellable;
  GPtrArray *messages;
  GHashTable *known; /* "index rule text"; a set */
  guint percent;
  GError *error;
} Validation;

static void
message_free (VtrValidationMessage *self)
{
  g_free (self->rule);
  g_free (self->text);
  g_array_unref (self->objects);
  g_free (self);
}

/* The layer begins with what stands beside: "Validation Error: [ rule ] Object 0: … |
 * MessageID = … | what is wrong". Returns: (transfer full): the last part. */
static char *
sentence_of (const char *text)
{
  const char *last = g_strrstr (text, " | ");

  return g_strstrip (g_strdup (last != NULL ? last + 3 : text));
}

static void
validation_complained (guint64                   index,
                       const VtrReplayComplaint *complaint,
                       const guint32            *objects,
                       guint                     n_objects,
                       gpointer                  data)
{
  Validation *self = data;
  g_autofree char *text = sentence_of (complaint->text);
  g_autofree char *key =
    g_strdup_printf ("%" G_GUINT64_FORMAT " %s %s", index, complaint->id, text);
  VtrValidationMessage *message;

  if (self->messages->len >= MAX_MESSAGES || !g_hash_table_add (self->known, g_strdup (key)))
    return;
  message = g_new0 (VtrValidationMessage, 1);
  message->error = complaint->level == VTR_LOG_ERROR;
  message->index = index;
  message->rule = g_strdup (complaint->id);
  message->text = g_steal_pointer (&text);
  message->objects = g_array_new (FALSE, FALSE, sizeof (guint32));
  g_array_append_vals (message->objects, objects, n_objects);
  g_ptr_array_add (self->messages, message);
}

static void
validation_progress (guint64  command,
                     guint64  total,
                     gpointer data)
{
  Validation *self = data;
  guint percent = (guint)(command * 100 / MAX (1, total));

  if (self->progress != NULL)
    self->progress (command, total, self->progress_data);
  if (percent == self->percent)
    return;
  self->percent = percent;
  vtr_replay_session_say (self->session, VTR_REPLAY_IS_WORKING,
                          g_strdup_printf (_ ("Validating: %u %%"), percent));
}

static void
validate_once (Validation *self)
{
  VtrReplayRequest request = {
    .session = self->session,
    .progress = validation_progress,
    .complained = validation_complained,
    .data = self,
  };
  VtrReplayQuestion question = {
    .what = VTR_ASK_FRAMES,
    .session = self->session,
    .request = &request,
    .place = { VTR_COMMAND_NO_INDEX, VTR_NO_RUN },
  };
  VtrTransform *chain = vtr_replay_ask (&question, &request.end, self->cancellable, &self->error);
  VtrReplayOutcome outcome;

  if (chain != NULL)
    vtr_replay_request_run (&request, chain, VTR_REPLAY_VALIDATE, &outcome, self->cancellable,
                            &self->error);
}

static void
validation_run (gpointer data)
{
  Validation *self = data;

  validate_once (self);
  if (vtr_replay_session_guess_addresses (self->session, &self->error))
    validate_once (self);
}

static int
compare_messages (gconstpointer a,
                  gconstpointer b)
{
  const VtrValidationMessage *left = *(const VtrValidationMessage *const *)a;
  const VtrValidationMessage *right = *(const VtrValidationMessage *const *)b;

  return (left->index > right->index) - (left->index < right->index);
}

GPtrArray *
vtr_replay_session_validate (VtrReplaySession  *self,
                             VtrTraceProgress   progress,
                             gpointer           progress_data,
                             GCancellable      *cancellable,
                             GError           **error)
{
  Validation validation = { self, progress, progress_data, cancellable, NULL, NULL, G_MAXUINT,
                            NULL };

  validation.messages =
    g_ptr_array_new_with_free_func ((GDestroyNotify)message_free);
  validation.known = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  vtr_replay_session_run (self, validation_run, &validation);
  g_hash_table_unref (validation.known);
  if (validation.error != NULL)
    {
      g_ptr_array_unref (validation.messages);
      g_propagate_error (error, validation.error);
      return NULL;
    }
  g_ptr_array_sort (validation.messages, compare_messages);
  return validation.messages;
}
