/* Starts the replayer process, keeps one prepared in advance, and explains how a replayer ended. */
#include "vtr-config.h"

#include "engine/replay/vtr-replay-child.h"

#include "api/vtr-api-types.h"
#include "engine/format/vtr-file-version.h"
#include "engine/replay/vtr-own-program.h"
#include "engine/replay/vtr-replay-backend.h"
#include "engine/replay/vtr-replay-environment.h"
#include "vtr-vm-signature.h"
#include "wire/vtr-replay-channel.h"

#include <fcntl.h>
#include <glib/gi18n-lib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#define PROGRAM "vitrine-replayer"
#define STOP_MICROSECONDS (1 * G_USEC_PER_SEC)

/* --- Starting -------------------------------------------------------------------------------- */

char *
vtr_replay_child_find (void)
{
  return vtr_own_program_find (PROGRAM, "VITRINE_REPLAYER", "replayer");
}

/* Returns: a descriptor of the new page, -1 on failure; maps it. */
static int
make_status (VtrReplayChild *self)
{
  int fd = memfd_create ("vitrine-replay-status", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  void *page;

  if (fd < 0)
    return -1;
  /* A child that made it shorter would end us at our next look. */
  if (ftruncate (fd, VTR_REPLAY_STATUS_BYTES) != 0 ||
      fcntl (fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0)
    goto failed;
  page = mmap (NULL, VTR_REPLAY_STATUS_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (page == MAP_FAILED)
    goto failed;
  if (self->status != NULL)
    munmap (self->status, VTR_REPLAY_STATUS_BYTES);
  self->status = page;
  self->status->magic = VTR_REPLAY_STATUS_MAGIC;
  self->status->function = VTR_REPLAY_NO_FUNCTION;
  return fd;

failed:
  close (fd);
  return -1;
}

static void
close_pair (const int *pair)
{
  for (guint i = 0; i < 2; i++)
    if (pair[i] >= 0)
      close (pair[i]);
}

static gboolean
spawn (VtrReplayChild  *self,
       GError         **error)
{
  g_autofree char *path = vtr_replay_child_find ();
  g_autoptr (GSubprocessLauncher) launcher = NULL;
  g_autoptr (GError) why = NULL;
  int sockets[2], wardens[2], status, words = -1;

  if (path == NULL)
    {
      g_set_error (error, VTR_REPLAY_ERROR, VTR_REPLAY_ERROR_START,
                   _ ("The program %s is not installed."), PROGRAM);
      return FALSE;
    }
  status = make_status (self);
  if (status < 0 || socketpair (AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets) != 0)
    {
      g_set_error (error, VTR_REPLAY_ERROR, VTR_REPLAY_ERROR_START,
                   _ ("The replayer cannot be started: %s."), g_strerror (errno));
      if (status >= 0)
        close (status);
      return FALSE;
    }
  /* Without it the replayer makes its files in memory by itself. */
  if (socketpair (AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, wardens) != 0)
    wardens[0] = wardens[1] = -1;
  self->output = vtr_replay_output_new (&words);
  if (self->output == NULL)
    {
      g_set_error (error, VTR_REPLAY_ERROR, VTR_REPLAY_ERROR_START,
                   _ ("The replayer cannot be started: %s."), g_strerror (errno));
      close (status);
      close (sockets[0]);
      close (sockets[1]);
      close_pair (wardens);
      return FALSE;
    }
  /* Standard input is /dev/null. */
  launcher = g_subprocess_launcher_new (G_SUBPROCESS_FLAGS_NONE);
  self->folder = vtr_replay_folder_open (self->trace);
  vtr_replay_environment_clean (launcher, self->folder != NULL
                                            ? vtr_replay_folder_get_path (self->folder)
                                            : NULL);
  vtr_replay_environment_add (launcher, self->environment);
  g_subprocess_launcher_take_fd (launcher, sockets[1], VTR_REPLAY_SOCKET_FD);
  g_subprocess_launcher_take_fd (launcher, status, VTR_REPLAY_STATUS_FD);
  if (wardens[1] >= 0)
    g_subprocess_launcher_take_fd (launcher, wardens[1], VTR_REPLAY_WARDEN_FD);
  g_subprocess_launcher_take_stdout_fd (launcher, fcntl (words, F_DUPFD_CLOEXEC, 3));
  g_subprocess_launcher_take_stderr_fd (launcher, words);
  self->process = vtr_own_program_start (launcher, path, &why);
  if (self->process == NULL)
    {
      g_set_error (error, VTR_REPLAY_ERROR, VTR_REPLAY_ERROR_START,
                   _ ("The replayer cannot be started: %s"), why->message);
      close (sockets[0]);
      if (wardens[0] >= 0)
        close (wardens[0]);
      g_clear_object (&launcher); /* the last writer of the pipe */
      g_clear_pointer (&self->output, vtr_replay_output_free);
      g_clear_pointer (&self->folder, vtr_replay_folder_close);
      return FALSE;
    }
  self->socket = sockets[0];
  self->warden = vtr_replay_warden_new (self->process, wardens[0], self->socket,
                                        self->folder);
  return TRUE;
}

/* --- Ahead ----------------------------------------------------------------------------------- */

typedef struct
{
  guint64 turn;
  char *trace;
} Preparation;

static GMutex prepared_lock;
static GCond prepared_cond;
static VtrReplayChild prepared = VTR_REPLAY_CHILD_INIT; /* not used by a request yet */
static char *prepared_trace;                            /* whose it is, or will be */
static guint64 turn;                                    /* grows with each wish */
static gboolean preparing;                              /* a thread is starting that of this turn */

/* It has nothing to put away. */
static void
drop (VtrReplayChild *child)
{
  if (child->process != NULL)
    g_subprocess_force_exit (child->process);
  vtr_replay_child_stop (child);
}

static gpointer
prepare_thread (gpointer data)
{
  Preparation *wish = data;
  VtrReplayChild child = VTR_REPLAY_CHILD_INIT;

  child.trace = wish->trace;
  if (!spawn (&child, NULL))
    vtr_replay_child_stop (&child);
  child.trace = NULL;
  g_mutex_lock (&prepared_lock);
  if (wish->turn == turn)
    {
      prepared = child;
      child = (VtrReplayChild)VTR_REPLAY_CHILD_INIT;
      preparing = FALSE;
    }
  g_cond_broadcast (&prepared_cond);
  g_mutex_unlock (&prepared_lock);
  drop (&child);
  g_free (wish->trace);
  g_free (wish);
  return NULL;
}

/* Called with the lock. Returns: a child that is no longer needed. */
static VtrReplayChild
begin_turn (const char *trace)
{
  VtrReplayChild child = prepared;

  prepared = (VtrReplayChild)VTR_REPLAY_CHILD_INIT;
  preparing = FALSE;
  turn++;
  g_free (prepared_trace);
  prepared_trace = g_strdup (trace);
  g_cond_broadcast (&prepared_cond);
  return child;
}

void
vtr_replay_process_prepare (const char *path)
{
  g_autofree char *trace = vtr_file_version_get (path);
  VtrReplayChild old = VTR_REPLAY_CHILD_INIT;

  if (trace == NULL)
    return;
  g_mutex_lock (&prepared_lock);
  if (g_strcmp0 (trace, prepared_trace) != 0 || (prepared.process == NULL && !preparing))
    {
      Preparation *wish = g_new0 (Preparation, 1);
      GThread *thread;

      old = begin_turn (trace);
      wish->turn = turn;
      wish->trace = g_steal_pointer (&trace);
      thread = g_thread_try_new ("spare-replayer", prepare_thread, wish, NULL);
      preparing = thread != NULL;
      if (thread == NULL)
        {
          g_free (wish->trace);
          g_free (wish);
        }
      g_clear_pointer (&thread, g_thread_unref);
    }
  g_mutex_unlock (&prepared_lock);
  drop (&old);
}

void
vtr_replay_process_drop_prepared (void)
{
  VtrReplayChild child;

  g_mutex_lock (&prepared_lock);
  child = begin_turn (NULL);
  g_mutex_unlock (&prepared_lock);
  drop (&child);
}

/* Called with the lock. A folder is bound to a trace before the replayer is locked: a spare is of
 * no use for any other one. */
static gboolean
is_prepared_for (const VtrReplayChild *self)
{
  return self->trace != NULL && g_strcmp0 (self->trace, prepared_trace) == 0;
}

static gboolean
take_prepared (VtrReplayChild *self)
{
  const char *trace = self->trace;
  gboolean taken;

  g_mutex_lock (&prepared_lock);
  while (preparing && is_prepared_for (self))
    g_cond_wait (&prepared_cond, &prepared_lock);
  taken = prepared.process != NULL && is_prepared_for (self);
  if (taken)
    {
      if (self->status != NULL)
        munmap (self->status, VTR_REPLAY_STATUS_BYTES);
      *self = prepared;
      self->trace = trace;
      prepared = (VtrReplayChild)VTR_REPLAY_CHILD_INIT;
    }
  g_mutex_unlock (&prepared_lock);
  return taken;
}

gboolean
vtr_replay_child_start (VtrReplayChild  *self,
                        GError         **error)
{
  return (self->environment == NULL && take_prepared (self)) || spawn (self, error);
}

/* --- Ending ---------------------------------------------------------------------------------- */

static void
close_socket (VtrReplayChild *self)
{
  if (self->warden != NULL)
    vtr_replay_warden_stop (self->warden);
  if (self->socket >= 0)
    close (self->socket);
  self->socket = -1;
}

void
vtr_replay_child_stop (VtrReplayChild *self)
{
  gint64 until = g_get_monotonic_time () + STOP_MICROSECONDS;

  close_socket (self);
  if (self->process != NULL)
    {
      while (g_subprocess_get_identifier (self->process) != NULL && g_get_monotonic_time () < until)
        g_usleep (500);
      g_subprocess_force_exit (self->process);
      g_subprocess_wait (self->process, NULL, NULL);
      g_clear_object (&self->process);
    }
  g_clear_pointer (&self->output, vtr_replay_output_free);
  g_clear_pointer (&self->warden, vtr_replay_warden_free);
  g_clear_pointer (&self->folder, vtr_replay_folder_close);
  if (self->status != NULL)
    munmap (self->status, VTR_REPLAY_STATUS_BYTES);
  self->status = NULL;
}

const char *
vtr_replay_function_name (guint32 function)
{
  return vtr_vm_signature_get_name (function >> 16, function & 0xffff);
}

char *
vtr_replay_child_describe (const VtrReplayChild *self)
{
  guint32 function = self->status->function;
  const char *name = vtr_replay_function_name (function);

  switch (self->status->phase)
    {
    case VTR_REPLAY_LOADING:
      return g_strdup (_ ("loading the drivers"));
    case VTR_REPLAY_TEARDOWN:
      return g_strdup (_ ("destroying the objects of the replay"));
    case VTR_REPLAY_RUNNING:
      if (name != NULL)
        return g_strdup_printf (_ ("running %s"), name);
      return g_strdup_printf (_ ("replaying command %u"), self->status->label);
    default:
      return g_strdup (_ ("waiting"));
    }
}

/* The reason why it ended: "segmentation fault in the driver or a layer". */
static char *
describe_end (const VtrReplayChild *self)
{
  gboolean in_call = self->status->function != VTR_REPLAY_NO_FUNCTION;
  int number = 0;

  if (g_subprocess_get_if_signaled (self->process))
    number = g_subprocess_get_term_sig (self->process);
  else if (self->status->signal > 0)
    number = self->status->signal;
  if (number == 0)
    return g_strdup_printf (_ ("exit status %d"), g_subprocess_get_exit_status (self->process));
  if (in_call && self->status->signal == number)
    return g_strdup_printf (_ ("%s in the driver or a layer"), g_strsignal (number));
  return g_strdup (g_strsignal (number));
}

GError *
vtr_replay_child_explain (VtrReplayChild *self)
{
  g_autofree char *doing = vtr_replay_child_describe (self);
  g_autofree char *end = NULL;
  g_autofree char *reason = NULL;
  gint64 until = g_get_monotonic_time () + STOP_MICROSECONDS;

  close_socket (self);
  while (g_subprocess_get_identifier (self->process) != NULL && g_get_monotonic_time () < until)
    g_usleep (500);
  g_subprocess_force_exit (self->process);
  g_subprocess_wait (self->process, NULL, NULL);
  end = describe_end (self);
  reason = self->warden != NULL ? g_strdup (vtr_replay_warden_get_reason (self->warden)) : NULL;
  g_clear_object (&self->process);
  g_clear_pointer (&self->output, vtr_replay_output_free);
  g_clear_pointer (&self->warden, vtr_replay_warden_free);
  g_clear_pointer (&self->folder, vtr_replay_folder_close);
  if (reason != NULL)
    return g_error_new (VTR_REPLAY_ERROR, VTR_REPLAY_ERROR_DIED,
                        /* Translators: "… while running vkQueueSubmit: it took more than …" */
                        _ ("Replay was stopped while %s: %s."), doing, reason);
  return g_error_new (VTR_REPLAY_ERROR, VTR_REPLAY_ERROR_DIED,
                      _ ("Replay crashed while %s (%s)."), doing, end);
}
