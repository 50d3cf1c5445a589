#include "engine/resolve/vtr-replay-session.h"

#include "vtr-config.h"

#include <glib/gi18n-lib.h>

#include "engine/resolve/vtr-document-private.h"

static void
session_free (gpointer data)
{
  VtrReplaySession *session = data;

  g_clear_pointer (&session->kept_state, vtr_replay_kept_free);
  g_clear_pointer (&session->refused, g_hash_table_unref);
  if (session->backend != NULL)
    session->backend->klass->free (session->backend);
  g_clear_pointer (&session->plan, vtr_replay_plan_unref);
  g_clear_pointer (&session->compatibility, vtr_compatibility_unref);
  g_clear_pointer (&session->kept, g_hash_table_unref);
  g_clear_pointer (&session->dead_work, vtr_dead_work_unref);
  g_free (session->words);
  g_free (session);
}

/* Call with replay_lock held. */
static VtrReplaySession *
session_locked (VtrDocument *self)
{
  if (self->replay == NULL)
    {
      self->replay = g_new0 (VtrReplaySession, 1);
      self->replay_free = session_free;
    }
  return self->replay;
}

VtrReplaySession *
vtr_replay_session_get (VtrDocument *self)
{
  VtrReplaySession *session;

  g_mutex_lock (&self->replay_lock);
  session = session_locked (self);
  g_mutex_unlock (&self->replay_lock);
  return session;
}

VtrReplayBackend *
vtr_replay_session_get_backend (VtrReplaySession *session)
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
  VtrReplaySession *session = vtr_replay_session_get (document);
  g_autoptr (GPtrArray) devices = NULL;
  g_autofree char *wanted = NULL;

  if (session->plan != NULL)
    return session->plan;
  devices = vtr_replay_device_list (vtr_replay_session_get_backend (session), error);
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

VtrCompatibility *
vtr_replay_session_get_compatibility (VtrDocument   *document,
                                      GCancellable  *cancellable,
                                      GError       **error)
{
  VtrReplaySession *session = vtr_replay_session_get (document);
  VtrReplayPlan *plan = vtr_replay_session_get_plan (document, cancellable, error);

  if (session->compatibility == NULL && plan != NULL)
    session->compatibility = vtr_compatibility_new (
      document->trace, plan, vtr_replay_session_get_backend (session), cancellable, error);
  return session->compatibility;
}

gboolean
vtr_replay_session_check (VtrDocument   *document,
                          GCancellable  *cancellable,
                          GError       **error)
{
  VtrReplayPlan *plan = vtr_replay_session_get_plan (document, cancellable, error);
  const VtrCompatibilityFinding *finding;
  VtrCompatibility *compatibility;

  if (plan == NULL)
    return FALSE;
  if (vtr_replay_plan_is_same (plan))
    return TRUE;
  compatibility = vtr_replay_session_get_compatibility (document, cancellable, error);
  if (compatibility == NULL)
    return FALSE;
  finding = vtr_compatibility_get_error (compatibility);
  if (finding == NULL)
    return TRUE;
  g_set_error (error, VTR_REPLAY_ERROR, VTR_REPLAY_ERROR_DRIVER,
               _ ("%s The compatibility report has the details."), finding->text);
  return FALSE;
}

void
vtr_replay_session_say (VtrDocument *self,
                        char        *words)
{
  VtrReplaySession *session;
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
  const VtrReplaySession *session;
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
  const VtrReplaySession *session;
  guint64 command;

  g_mutex_lock (&self->replay_lock);
  session = self->replay;
  command = session != NULL && session->has_failed ? session->failed_command : VTR_COMMAND_NO_INDEX;
  g_mutex_unlock (&self->replay_lock);
  return command;
}

void
vtr_replay_session_note_failure (VtrDocument *self,
                                 guint64      command)
{
  VtrReplaySession *session;

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
  VtrReplaySession *session = vtr_replay_session_get (document);

  if (session->dead_work == NULL)
    session->dead_work =
      vtr_dead_work_build (document->trace, document->timeline, cancellable, error);
  return session->dead_work;
}

/* --- Images read along ----------------------------------------------------------------------- */

void
vtr_replay_session_forget (VtrDocument *document)
{
  g_clear_pointer (&vtr_replay_session_get (document)->kept, g_hash_table_unref);
}

void
vtr_replay_session_keep (VtrDocument *document,
                         char        *key,
                         VtrImage    *image)
{
  VtrReplaySession *session = vtr_replay_session_get (document);

  if (session->kept == NULL)
    session->kept =
      g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify)vtr_image_unref);
  g_hash_table_replace (session->kept, key, image);
}

VtrImage *
vtr_replay_session_take (VtrDocument *document,
                         const char  *key)
{
  VtrReplaySession *session = vtr_replay_session_get (document);
  VtrImage *image = session->kept != NULL ? g_hash_table_lookup (session->kept, key) : NULL;

  return image != NULL ? vtr_image_ref (image) : NULL;
}
