/* Owns the replayers of one trace and what was prepared for them (plan, compatibility, snapshots),
 * and describes their activity to people. */
#include "engine/replay-session/vtr-replay-session-private.h"

#include "vtr-config.h"

#include <glib/gi18n-lib.h>
#include <glib/gstdio.h>

#include "api/vtr-api-types.h"
#include "engine/replay-session/vtr-request-api.h"
#include "engine/replay-session/vtr-result-cache.h"
#include "engine/replay/vtr-replay-child.h"
#include "wire/vtr-replay-version.h"

struct _VtrReplaySession
{
  VtrReplayBasis basis;
  VtrReplaySessionChanged changed; /* (nullable) */
  gpointer changed_data;
  VtrScheduler *worker; /* one thread: what runs there needs no lock for what is the worker's */
  VtrReplayWaiters *waiters;
  VtrPictureEdits *edits;
  gboolean poison; /* set before the first replay */

  GMutex lock;                  /* guards what follows */
  char *device;                 /* (nullable): what was asked for */
  VtrReplayAddresses addresses; /* what was asked for */
  gboolean is_guessing;         /* addresses are guessed */
  char *status;                 /* (nullable): nothing was replayed yet */
  VtrReplayActivity activity;
  char *previous_status; /* (nullable): before the replay that is running */
  VtrReplayActivity previous_activity;
  guint64 failed_command; /* VTR_COMMAND_NO_INDEX: none failed */

  /* The worker's: */
  VtrSessionReplayer unedited;
  VtrSessionReplayer edited;
  VtrPlan *plan; /* NULL until it is first needed, as is all that follows */
  VtrCompatibility *compatibility;
  char *identity;              /* of trace, device and programs */
  gpointer data[VTR_N_APIS];   /* each API's, in the order of vtr_apis */
  guint8 concerns[VTR_N_APIS]; /* whether the trace has commands of it: 1, no: 2, not asked: 0 */
  GHashTable *images;          /* key → VtrImage */
};

/* --- Replayers ------------------------------------------------------------------------------- */

void
vtr_session_replayer_drop_snapshots (VtrSessionReplayer *self)
{
  if (self->kept != NULL)
    self->kept_by->drop (self->kept);
}

/* Drops the snapshots, and forgets where none works. */
static void
forget (VtrSessionReplayer *self)
{
  if (self->kept != NULL)
    self->kept_by->kept_free (self->kept);
  self->kept = NULL;
}

static void
session_replayer_clear (VtrSessionReplayer *self)
{
  forget (self);
  if (self->backend != NULL)
    self->backend->klass->free (self->backend);
  self->backend = NULL;
  g_clear_pointer (&self->edit_key, g_free);
}

VtrSessionReplayer *
vtr_replay_session_get_replayer (VtrReplaySession     *self,
                                 const VtrPictureEdit *edit)
{
  VtrSessionReplayer *replayer = &self->edited;

  if (edit == NULL)
    return &self->unedited;
  if (g_strcmp0 (replayer->edit_key, edit->stream_key) != 0)
    {
      forget (replayer);
      g_free (replayer->edit_key);
      replayer->edit_key = g_strdup (edit->stream_key);
    }
  return replayer;
}

VtrReplayBackend *
vtr_replay_session_get_backend (VtrReplaySession   *self,
                                VtrSessionReplayer *replayer)
{
  if (replayer->backend == NULL)
    replayer->backend =
      vtr_replay_process_new_for_trace (vtr_trace_get_file_version (self->basis.trace));
  return replayer->backend;
}

void
vtr_replay_session_set_backend (VtrReplaySession *self,
                                VtrReplayBackend *backend)
{
  g_return_if_fail (self->unedited.backend == NULL);

  self->unedited.backend = backend;
}

/* --- The session ----------------------------------------------------------------------------- */

VtrReplaySession *
vtr_replay_session_new (const VtrReplayBasis    *basis,
                        VtrReplaySessionChanged  changed,
                        gpointer                 data)
{
  VtrReplaySession *self = g_new0 (VtrReplaySession, 1);

  self->basis = *basis;
  self->changed = changed;
  self->changed_data = data;
  self->worker = vtr_scheduler_new ("vtr-replay", 1);
  self->waiters = vtr_replay_waiters_new ();
  self->edits = vtr_picture_edits_new ();
  self->failed_command = VTR_COMMAND_NO_INDEX;
  g_mutex_init (&self->lock);
  return self;
}

/* On the worker, whose the back ends are, if there is one. */
static void
end_replayers (gpointer data,
               gpointer pool)
{
  VtrReplaySession *self = data;

  session_replayer_clear (&self->unedited);
  session_replayer_clear (&self->edited);
}

void
vtr_replay_session_free (VtrReplaySession *self)
{
  if (vtr_replay_session_is_started (self))
    vtr_scheduler_push (self->worker, VTR_PRIORITY_INTERACTIVE, end_replayers, self);
  else
    end_replayers (self, NULL);
  vtr_scheduler_free (self->worker);
  vtr_replay_waiters_free (self->waiters);
  vtr_picture_edits_free (self->edits);
  g_clear_pointer (&self->plan, vtr_plan_unref);
  g_clear_pointer (&self->compatibility, vtr_compatibility_unref);
  g_clear_pointer (&self->images, g_hash_table_unref);
  for (guint i = 0; vtr_apis[i] != NULL; i++)
    if (self->data[i] != NULL)
      vtr_apis[i]->build->requests->data_free (self->data[i]);
  g_mutex_clear (&self->lock);
  g_free (self->identity);
  g_free (self->device);
  g_free (self->status);
  g_free (self->previous_status);
  g_free (self);
}

void
vtr_replay_session_close (VtrReplaySession *self)
{
  vtr_replay_waiters_close (self->waiters);
}

gboolean
vtr_replay_session_is_started (VtrReplaySession *self)
{
  return vtr_scheduler_is_started (self->worker);
}

const VtrReplayBasis *
vtr_replay_session_get_basis (VtrReplaySession *self)
{
  return &self->basis;
}

VtrScheduler *
vtr_replay_session_get_worker (VtrReplaySession *self)
{
  return self->worker;
}

VtrReplayWaiters *
vtr_replay_session_get_waiters (VtrReplaySession *self)
{
  return self->waiters;
}

VtrPictureEdits *
vtr_replay_session_get_edits (VtrReplaySession *self)
{
  return self->edits;
}

void
vtr_replay_session_set_device (VtrReplaySession *self,
                               const char       *device)
{
  g_mutex_lock (&self->lock);
  g_free (self->device);
  self->device = g_strdup (device);
  g_mutex_unlock (&self->lock);
}

void
vtr_replay_session_set_addresses (VtrReplaySession   *self,
                                  VtrReplayAddresses  addresses)
{
  g_mutex_lock (&self->lock);
  self->addresses = addresses;
  g_mutex_unlock (&self->lock);
}

void
vtr_replay_session_set_poison (VtrReplaySession *self,
                               gboolean          poison)
{
  self->poison = poison;
}

gboolean
vtr_replay_session_get_poison (VtrReplaySession *self)
{
  return self->poison;
}

/* --- The worker ------------------------------------------------------------------------------ */

/* Something that runs on the worker while its caller waits. */
typedef struct
{
  VtrReplayWaiters *waiters;
  guint64 waiter;
  void (*func) (gpointer data);
  gpointer data;
  GMutex lock;
  GCond cond;
  gboolean done;
} WorkerCall;

static void
worker_call (gpointer data,
             gpointer pool)
{
  WorkerCall *call = data;

  vtr_replay_waiters_remove (call->waiters, call->waiter);
  call->func (call->data);
  g_mutex_lock (&call->lock);
  call->done = TRUE;
  g_cond_signal (&call->cond);
  g_mutex_unlock (&call->lock);
}

void
vtr_replay_session_run (VtrReplaySession *self,
                        void (*func) (gpointer data),
                        gpointer data)
{
  WorkerCall call = { .waiters = self->waiters, .func = func, .data = data };

  if (vtr_scheduler_is_worker (self->worker))
    {
      func (data);
      return;
    }
  g_mutex_init (&call.lock);
  g_cond_init (&call.cond);
  call.waiter = vtr_replay_waiters_add (self->waiters, VTR_COMMAND_NO_INDEX, VTR_PRIORITY_NORMAL);
  vtr_scheduler_push (self->worker, VTR_PRIORITY_NORMAL, worker_call, &call);
  vtr_scheduler_make_room (self->worker);
  vtr_replay_waiters_end_unneeded (self->waiters);
  g_mutex_lock (&call.lock);
  while (!call.done)
    g_cond_wait (&call.cond, &call.lock);
  g_mutex_unlock (&call.lock);
  g_mutex_clear (&call.lock);
  g_cond_clear (&call.cond);
}

static void
prepare (gpointer data,
         gpointer pool)
{
  vtr_replay_session_get_plan (data, NULL, NULL);
}

void
vtr_replay_session_prepare (VtrReplaySession *self)
{
  vtr_scheduler_push (self->worker, VTR_PRIORITY_INTERACTIVE, prepare, self);
}

/* --- The devices ----------------------------------------------------------------------------- */

static VtrReplayAddresses
wanted_addresses_locked (VtrReplaySession *self)
{
  const char *said = g_getenv ("VITRINE_REPLAY_ADDRESSES");

  if (self->addresses != VTR_REPLAY_ADDRESSES_AUTO)
    return self->addresses;
  if (g_strcmp0 (said, "exact") == 0)
    return VTR_REPLAY_ADDRESSES_EXACT;
  return g_strcmp0 (said, "guess") == 0 ? VTR_REPLAY_ADDRESSES_GUESS : VTR_REPLAY_ADDRESSES_AUTO;
}

VtrPlan *
vtr_replay_session_get_plan (VtrReplaySession  *self,
                             GCancellable      *cancellable,
                             GError           **error)
{
  g_autofree char *wanted = NULL;
  VtrReplayAddresses addresses;

  if (self->plan != NULL)
    return self->plan;
  g_mutex_lock (&self->lock);
  wanted = g_strdup (self->device);
  addresses = self->is_guessing ? VTR_REPLAY_ADDRESSES_GUESS : wanted_addresses_locked (self);
  g_mutex_unlock (&self->lock);
  if (wanted == NULL)
    wanted = g_strdup (g_getenv ("VITRINE_REPLAY_DEVICE"));
  self->plan =
    vtr_plan_new (self->basis.trace, vtr_replay_session_get_backend (self, &self->unedited), wanted,
                  addresses, cancellable, error);
  if (self->plan != NULL && vtr_plan_is_guessing (self->plan))
    {
      g_mutex_lock (&self->lock);
      self->is_guessing = TRUE;
      g_mutex_unlock (&self->lock);
    }
  return self->plan;
}

VtrPlan *
vtr_replay_session_peek_plan (VtrReplaySession *self)
{
  return self->plan;
}

gboolean
vtr_replay_session_guess_addresses (VtrReplaySession  *self,
                                    GError           **failure)
{
  gboolean guess;

  if (!g_error_matches (*failure, VTR_REPLAY_ERROR, VTR_REPLAY_ERROR_ADDRESS))
    return FALSE;
  g_mutex_lock (&self->lock);
  guess = wanted_addresses_locked (self) == VTR_REPLAY_ADDRESSES_AUTO && !self->is_guessing;
  self->is_guessing |= guess;
  g_mutex_unlock (&self->lock);
  if (!guess)
    return FALSE;
  g_info ("Addresses are guessed: %s", (*failure)->message);
  vtr_session_replayer_drop_snapshots (&self->edited);
  forget (&self->unedited);
  g_clear_pointer (&self->compatibility, vtr_compatibility_unref);
  g_clear_pointer (&self->plan, vtr_plan_unref);
  g_clear_pointer (&self->identity, g_free);
  g_clear_error (failure);
  return TRUE;
}

gboolean
vtr_replay_session_guesses_addresses (VtrReplaySession *self)
{
  gboolean guesses;

  g_mutex_lock (&self->lock);
  guesses = self->is_guessing;
  g_mutex_unlock (&self->lock);
  return guesses;
}

VtrCompatibility *
vtr_replay_session_get_compatibility (VtrReplaySession  *self,
                                      GCancellable      *cancellable,
                                      GError           **error)
{
  VtrPlan *plan = vtr_replay_session_get_plan (self, cancellable, error);

  if (self->compatibility == NULL && plan != NULL)
    self->compatibility =
      vtr_compatibility_new (self->basis.trace, plan,
                             vtr_replay_session_get_backend (self, &self->unedited), cancellable,
                             error);
  return self->compatibility;
}

gboolean
vtr_replay_session_check (VtrReplaySession  *self,
                          GCancellable      *cancellable,
                          GError           **error)
{
  VtrPlan *plan = vtr_replay_session_get_plan (self, cancellable, error);
  const VtrCompatibilityFinding *finding;
  VtrCompatibility *compatibility;

  if (plan == NULL)
    return FALSE;
  if (vtr_plan_is_same (plan))
    return TRUE;
  compatibility = vtr_replay_session_get_compatibility (self, cancellable, error);
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
make_identity (VtrReplaySession *self,
               VtrPlan          *plan)
{
  const char *layers = g_getenv ("VITRINE_REPLAY_LAYERS");
  g_autofree char *replayer = vtr_replay_child_find ();
  GString *text = g_string_new (NULL);
  guint64 identity[2];

  vtr_trace_get_identity (self->basis.trace, identity);
  g_string_append_printf (text,
                          "%016" G_GINT64_MODIFIER "x%016" G_GINT64_MODIFIER
                          "x|%u|%" G_GUINT64_FORMAT,
                          identity[1], identity[0], VTR_REPLAY_PROTOCOL_VERSION,
                          (guint64)VTR_API_REGISTRY_HASH);
  append_program (text, replayer);
  append_program (text, "/proc/self/exe");
  vtr_plan_identify (plan, self->basis.trace, text);
  g_string_append_printf (text, "|%s|%d|%d", layers != NULL ? layers : "", self->poison,
                          vtr_plan_is_guessing (plan));
  return g_string_free (text, FALSE);
}

char *
vtr_replay_session_get_key (VtrReplaySession *self,
                            const char       *question,
                            GCancellable     *cancellable)
{
  VtrPlan *plan;

  if (!vtr_result_cache_is_on ())
    return NULL;
  plan = vtr_replay_session_get_plan (self, cancellable, NULL);
  if (plan == NULL)
    return NULL;
  if (self->identity == NULL)
    self->identity = make_identity (self, plan);
  return g_strdup_printf ("%s|%s", self->identity, question);
}

/* --- The status ------------------------------------------------------------------------------ */

void
vtr_replay_session_say (VtrReplaySession  *self,
                        VtrReplayActivity  activity,
                        char              *status)
{
  gboolean changed;

  g_mutex_lock (&self->lock);
  changed = g_strcmp0 (self->status, status) != 0 || self->activity != activity;
  if (activity == VTR_REPLAY_IS_WORKING && self->activity != VTR_REPLAY_IS_WORKING)
    {
      g_free (self->previous_status);
      self->previous_status = g_steal_pointer (&self->status);
      self->previous_activity = self->activity;
    }
  g_free (self->status);
  self->status = status;
  self->activity = activity;
  g_mutex_unlock (&self->lock);
  if (changed && self->changed != NULL)
    self->changed (self->changed_data);
}

void
vtr_replay_session_say_previous (VtrReplaySession *self)
{
  char *status = NULL;
  VtrReplayActivity activity = VTR_REPLAY_IS_IDLE;
  gboolean working;

  g_mutex_lock (&self->lock);
  working = self->activity == VTR_REPLAY_IS_WORKING;
  if (working)
    {
      status = g_steal_pointer (&self->previous_status);
      activity = self->previous_activity;
    }
  g_mutex_unlock (&self->lock);
  if (working)
    vtr_replay_session_say (self, activity, status);
}

void
vtr_replay_session_say_cached (VtrReplaySession *self)
{
  gboolean is_silent;

  g_mutex_lock (&self->lock);
  is_silent = self->status == NULL;
  g_mutex_unlock (&self->lock);
  if (is_silent)
    vtr_replay_session_say (self, VTR_REPLAY_IS_IDLE, g_strdup (_ ("Showing cached images")));
}

char *
vtr_replay_session_dup_status (VtrReplaySession *self)
{
  char *status;

  g_mutex_lock (&self->lock);
  status = g_strdup (self->status != NULL ? self->status : _ ("Replay not started"));
  g_mutex_unlock (&self->lock);
  return status;
}

VtrReplayActivity
vtr_replay_session_get_activity (VtrReplaySession *self)
{
  VtrReplayActivity activity;

  g_mutex_lock (&self->lock);
  activity = self->activity;
  g_mutex_unlock (&self->lock);
  return activity;
}

guint64
vtr_replay_session_get_failed_command (VtrReplaySession *self)
{
  guint64 command;

  g_mutex_lock (&self->lock);
  command = self->failed_command;
  g_mutex_unlock (&self->lock);
  return command;
}

void
vtr_replay_session_note_failure (VtrReplaySession *self,
                                 guint64           command)
{
  g_mutex_lock (&self->lock);
  self->failed_command = command;
  g_mutex_unlock (&self->lock);
}

/* --- What is found in the trace -------------------------------------------------------------- */

static guint
number_of (const VtrApi *api)
{
  guint i = 0;

  while (vtr_apis[i] != api)
    i++;
  return i;
}

gboolean
vtr_replay_session_concerns (VtrReplaySession *self,
                             const VtrApi     *api)
{
  guint8 *known = &self->concerns[number_of (api)];

  if (*known == 0)
    *known = vtr_plan_concerns (self->basis.trace, api) ? 1 : 2;
  return *known == 1;
}

gpointer
vtr_replay_session_get_data (VtrReplaySession *self,
                             const VtrApi     *api)
{
  const VtrRequestApi *requests = api->build != NULL ? api->build->requests : NULL;
  gpointer *data = &self->data[number_of (api)];

  if (*data == NULL && requests != NULL && requests->data_new != NULL)
    *data = requests->data_new (self);
  return *data;
}

/* --- Images read along ----------------------------------------------------------------------- */

void
vtr_replay_session_forget_images (VtrReplaySession *self)
{
  g_clear_pointer (&self->images, g_hash_table_unref);
}

void
vtr_replay_session_keep_image (VtrReplaySession *self,
                               char             *key,
                               VtrImage         *image)
{
  if (self->images == NULL)
    self->images =
      g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify)vtr_image_unref);
  g_hash_table_replace (self->images, key, image);
}

VtrImage *
vtr_replay_session_find_image (VtrReplaySession *self,
                               const char       *key)
{
  VtrImage *image = self->images != NULL ? g_hash_table_lookup (self->images, key) : NULL;

  return image != NULL ? vtr_image_ref (image) : NULL;
}
