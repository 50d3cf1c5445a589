/* Owns a document's replayer and what was prepared for it (plan, compatibility, kept states),
 * and describes its activity to the window. */
#include "engine/replay-session/vtr-replay-session.h"

#include "vtr-config.h"

#include <glib/gi18n-lib.h>
#include <glib/gstdio.h>

#include "api/vtr-api-types.h"
#include "engine/document/vtr-document-memory.h"
#include "engine/document/vtr-document-private.h"
#include "engine/replay-session/vtr-result-cache.h"
#include "engine/replay/vtr-replay-child.h"
#include "wire/vtr-replay-version.h"

void
vtr_replay_session_drop_kept (VtrReplaySession *session)
{
  g_clear_pointer (&session->inner, vtr_replay_submission_state_free);
  g_clear_pointer (&session->kept_state, vtr_replay_frame_state_free);
}

static void
session_free (gpointer data)
{
  VtrReplaySession *session = data;

  vtr_replay_session_drop_kept (session);
  g_clear_pointer (&session->refused, g_hash_table_unref);
  g_clear_pointer (&session->refused_inner, g_hash_table_unref);
  if (session->backend != NULL)
    session->backend->klass->free (session->backend);
  g_clear_pointer (&session->plan, vtr_replay_plan_unref);
  g_clear_pointer (&session->compatibility, vtr_compatibility_unref);
  g_clear_pointer (&session->kept, g_hash_table_unref);
  g_clear_pointer (&session->dead_work, vtr_dead_work_free);
  g_clear_pointer (&session->queries, vtr_query_plan_free);
  g_clear_pointer (&session->doubts, vtr_uncertain_writes_free);
  g_free (session->identity);
  g_free (session->words);
  g_free (session->rest_words);
  g_free (session->edit_key);
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
vtr_replay_session_get_main (VtrDocument *self)
{
  VtrReplaySession *session;

  g_mutex_lock (&self->replay_lock);
  session = session_locked (self);
  g_mutex_unlock (&self->replay_lock);
  return session;
}

VtrReplaySession *
vtr_replay_session_get (VtrDocument *self)
{
  VtrReplaySession *session = vtr_replay_session_get_main (self);

  if (self->edit == NULL)
    return session;
  if (self->replay_edited == NULL)
    self->replay_edited = g_new0 (VtrReplaySession, 1);
  session = self->replay_edited;
  if (g_strcmp0 (session->edit_key, self->edit_key) != 0)
    {
      vtr_replay_session_drop_kept (session);
      g_clear_pointer (&session->refused, g_hash_table_unref);
      g_clear_pointer (&session->refused_inner, g_hash_table_unref);
      g_free (session->edit_key);
      session->edit_key = g_strdup (self->edit_key);
    }
  return session;
}

VtrReplayBackend *
vtr_replay_session_get_backend (VtrDocument      *document,
                                VtrReplaySession *session)
{
  if (session->backend == NULL)
    session->backend =
      vtr_replay_process_new_for_trace (vtr_trace_get_file_version (document->trace));
  return session->backend;
}

/* Call with replay_lock held. */
static VtrReplayAddresses
wanted_addresses (VtrDocument *self)
{
  const char *said = g_getenv ("VITRINE_REPLAY_ADDRESSES");

  if (self->replay_addresses != VTR_REPLAY_ADDRESSES_AUTO)
    return self->replay_addresses;
  if (g_strcmp0 (said, "exact") == 0)
    return VTR_REPLAY_ADDRESSES_EXACT;
  return g_strcmp0 (said, "guess") == 0 ? VTR_REPLAY_ADDRESSES_GUESS : VTR_REPLAY_ADDRESSES_AUTO;
}

VtrReplayPlan *
vtr_replay_session_get_plan (VtrDocument   *document,
                             GCancellable  *cancellable,
                             GError       **error)
{
  VtrReplaySession *session = vtr_replay_session_get_main (document);
  g_autoptr (GPtrArray) devices = NULL;
  g_autofree char *wanted = NULL;
  VtrReplayAddresses addresses;

  if (session->plan != NULL)
    return session->plan;
  devices = vtr_replay_device_list (vtr_replay_session_get_backend (document, session),
                                    cancellable, error);
  if (devices == NULL)
    return NULL;
  g_mutex_lock (&document->replay_lock);
  wanted = g_strdup (document->replay_device);
  addresses = session->is_guessing ? VTR_REPLAY_ADDRESSES_GUESS : wanted_addresses (document);
  g_mutex_unlock (&document->replay_lock);
  if (wanted == NULL)
    wanted = g_strdup (g_getenv ("VITRINE_REPLAY_DEVICE"));
  session->plan =
    vtr_replay_plan_new (document->trace, devices, wanted, addresses, cancellable, error);
  if (session->plan != NULL && vtr_replay_plan_get_ranges (session->plan) != NULL)
    {
      g_mutex_lock (&document->replay_lock);
      session->is_guessing = TRUE;
      g_mutex_unlock (&document->replay_lock);
    }
  return session->plan;
}

gboolean
vtr_replay_session_guess_addresses (VtrDocument  *document,
                                    GError      **failure)
{
  VtrReplaySession *session = vtr_replay_session_get_main (document);
  gboolean guess;

  if (!g_error_matches (*failure, VTR_REPLAY_ERROR, VTR_REPLAY_ERROR_ADDRESS))
    return FALSE;
  g_mutex_lock (&document->replay_lock);
  guess = wanted_addresses (document) == VTR_REPLAY_ADDRESSES_AUTO && !session->is_guessing;
  session->is_guessing |= guess;
  g_mutex_unlock (&document->replay_lock);
  if (!guess)
    return FALSE;
  g_info ("Addresses are guessed: %s", (*failure)->message);
  vtr_replay_session_drop_kept (session);
  if (document->replay_edited != NULL)
    vtr_replay_session_drop_kept (document->replay_edited);
  g_clear_pointer (&session->refused, g_hash_table_unref);
  g_clear_pointer (&session->refused_inner, g_hash_table_unref);
  g_clear_pointer (&session->compatibility, vtr_compatibility_unref);
  g_clear_pointer (&session->plan, vtr_replay_plan_unref);
  g_clear_pointer (&session->identity, g_free);
  g_clear_error (failure);
  return TRUE;
}

gboolean
vtr_document_guesses_addresses (VtrDocument *self)
{
  gboolean guesses;

  g_mutex_lock (&self->replay_lock);
  guesses = session_locked (self)->is_guessing;
  g_mutex_unlock (&self->replay_lock);
  return guesses;
}

VtrCompatibility *
vtr_replay_session_get_compatibility (VtrDocument   *document,
                                      GCancellable  *cancellable,
                                      GError       **error)
{
  VtrReplaySession *session = vtr_replay_session_get_main (document);
  VtrReplayPlan *plan = vtr_replay_session_get_plan (document, cancellable, error);

  if (session->compatibility == NULL && plan != NULL)
    session->compatibility = vtr_compatibility_new (
      document->trace, plan, vtr_replay_session_get_backend (document, session), cancellable,
      error);
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

/* --- Results on disk ------------------------------------------------------------------------- */

/* Which build of a program it is. */
static void
append_program (GString    *text,
                const char *path)
{
  GStatBuf info;

  if (path != NULL && g_stat (path, &info) == 0)
    g_string_append_printf (text, "|%" G_GINT64_FORMAT ".%ld.%" G_GUINT64_FORMAT,
                            (gint64)info.st_mtim.tv_sec, (long)info.st_mtim.tv_nsec,
                            (guint64)info.st_size);
}

/* All that a result depends on beside the question. */
static char *
make_identity (VtrDocument   *document,
               VtrReplayPlan *plan)
{
  const char *layers = g_getenv ("VITRINE_REPLAY_LAYERS");
  g_autofree char *replayer = vtr_replay_child_find ();
  GString *text = g_string_new (NULL);
  guint64 identity[2];

  vtr_trace_get_identity (document->trace, identity);
  g_string_append_printf (text,
                          "%016" G_GINT64_MODIFIER "x%016" G_GINT64_MODIFIER
                          "x|%u|%" G_GUINT64_FORMAT,
                          identity[1], identity[0], VTR_REPLAY_PROTOCOL_VERSION,
                          (guint64)VTR_API_REGISTRY_HASH);
  append_program (text, replayer);
  append_program (text, "/proc/self/exe");
  for (guint i = 0; i < vtr_trace_get_n_devices (document->trace) + 1; i++)
    {
      guint64 handle = i < vtr_trace_get_n_devices (document->trace)
                         ? vtr_trace_get_device (document->trace, i)->physical_device
                         : 0;
      const VtrReplayDevice *device = vtr_replay_plan_get_target (plan, handle);

      g_string_append_printf (text, "|%x.%x.%x.%x.%s.%s.", device->properties.vendorID,
                              device->properties.deviceID, device->properties.driverVersion,
                              device->properties.apiVersion, device->properties.deviceName,
                              device->driver);
      for (guint j = 0; j < VK_UUID_SIZE; j++)
        g_string_append_printf (text, "%02x", device->properties.pipelineCacheUUID[j]);
    }
  g_string_append_printf (text, "|%s|%d|%d", layers != NULL ? layers : "", document->poison,
                          vtr_replay_plan_get_ranges (plan) != NULL);
  return g_string_free (text, FALSE);
}

char *
vtr_replay_session_get_key (VtrDocument  *document,
                            const char   *question,
                            GCancellable *cancellable)
{
  VtrReplaySession *session = vtr_replay_session_get_main (document);
  VtrReplayPlan *plan;

  if (!vtr_result_cache_is_on ())
    return NULL;
  plan = vtr_replay_session_get_plan (document, cancellable, NULL);
  if (plan == NULL)
    return NULL;
  if (session->identity == NULL)
    session->identity = make_identity (document, plan);
  return g_strdup_printf ("%s|%s", session->identity, question);
}

void
vtr_replay_session_say (VtrDocument       *self,
                        VtrReplayActivity  activity,
                        char              *words)
{
  VtrReplaySession *session;
  gboolean changed;

  g_mutex_lock (&self->replay_lock);
  session = session_locked (self);
  changed = g_strcmp0 (session->words, words) != 0 || session->activity != activity;
  if (activity == VTR_REPLAY_IS_WORKING && session->activity != VTR_REPLAY_IS_WORKING)
    {
      g_free (session->rest_words);
      session->rest_words = g_steal_pointer (&session->words);
      session->rest_activity = session->activity;
    }
  g_free (session->words);
  session->words = words;
  session->activity = activity;
  g_mutex_unlock (&self->replay_lock);
  if (changed)
    vtr_document_replay_changed (self);
}

void
vtr_replay_session_say_rest (VtrDocument *self)
{
  VtrReplaySession *session;
  char *words = NULL;
  VtrReplayActivity activity = VTR_REPLAY_IS_IDLE;
  gboolean working;

  g_mutex_lock (&self->replay_lock);
  session = session_locked (self);
  working = session->activity == VTR_REPLAY_IS_WORKING;
  if (working)
    {
      words = g_steal_pointer (&session->rest_words);
      activity = session->rest_activity;
    }
  g_mutex_unlock (&self->replay_lock);
  if (working)
    vtr_replay_session_say (self, activity, words);
}

void
vtr_replay_session_say_cached (VtrDocument *self)
{
  gboolean is_silent;

  g_mutex_lock (&self->replay_lock);
  is_silent = session_locked (self)->words == NULL;
  g_mutex_unlock (&self->replay_lock);
  if (is_silent)
    vtr_replay_session_say (self, VTR_REPLAY_IS_IDLE,
                            g_strdup (_ ("Showing cached images")));
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

VtrReplayActivity
vtr_document_get_replay_activity (VtrDocument *self)
{
  const VtrReplaySession *session;
  VtrReplayActivity activity;

  g_mutex_lock (&self->replay_lock);
  session = self->replay;
  activity = session != NULL ? session->activity : VTR_REPLAY_IS_IDLE;
  g_mutex_unlock (&self->replay_lock);
  return activity;
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
  VtrReplaySession *session = vtr_replay_session_get_main (document);

  if (session->dead_work == NULL)
    session->dead_work =
      vtr_dead_work_build (document->trace, document->timeline, cancellable, error);
  return session->dead_work;
}

gboolean
vtr_replay_session_find_facts (VtrDocument   *document,
                               GCancellable  *cancellable,
                               GError       **error)
{
  VtrReplaySession *session = vtr_replay_session_get_main (document);

  if (session->queries == NULL)
    session->queries =
      vtr_query_plan_build (document->trace, document->timeline, cancellable, error);
  if (session->queries != NULL && session->doubts == NULL)
    session->doubts =
      vtr_uncertain_writes_build (vtr_document_get_memory (document), cancellable, error);
  return session->queries != NULL && session->doubts != NULL;
}

/* --- Images read along ----------------------------------------------------------------------- */

void
vtr_replay_session_forget (VtrDocument *document)
{
  g_clear_pointer (&vtr_replay_session_get_main (document)->kept, g_hash_table_unref);
}

void
vtr_replay_session_keep (VtrDocument *document,
                         char        *key,
                         VtrImage    *image)
{
  VtrReplaySession *session = vtr_replay_session_get_main (document);

  if (session->kept == NULL)
    session->kept =
      g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify)vtr_image_unref);
  g_hash_table_replace (session->kept, key, image);
}

VtrImage *
vtr_replay_session_take (VtrDocument *document,
                         const char  *key)
{
  VtrReplaySession *session = vtr_replay_session_get_main (document);
  VtrImage *image = session->kept != NULL ? g_hash_table_lookup (session->kept, key) : NULL;

  return image != NULL ? vtr_image_ref (image) : NULL;
}
