/* A thread that measures a replayer's memory, files and threads, creates memory files for it,
 * and ends it when it uses too much. */
#include "vtr-config.h"

#include "engine/replay/vtr-replay-warden.h"

#include "engine/replay/vtr-replay-environment.h"
#include "engine/replay/vtr-replay-held.h"
#include "engine/replay/vtr-replay-removals.h"
#include "engine/replay/vtr-replay-sandbox.h"
#include "wire/vtr-replay-status.h"

#include <errno.h>
#include <fcntl.h>
#include <glib-unix.h>
#include <glib/gi18n-lib.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define LOOK_MICROSECONDS (30 * 1000)
#define SORT_MICROSECONDS (250 * 1000)
#define FOLDER_MICROSECONDS (250 * 1000)
#define FOLDER_SHARE 20 /* walking the folder takes one part in so many of the time */
#define MAX_THREADS 4096
#define MAX_FILES 4096u
#define SPARE_FILES 256 /* descriptors that the rest of the program keeps */
/* No huge pages, which the limit of memory does not count. The last two are MFD_NOEXEC_SEAL and
 * MFD_EXEC of newer headers. */
#define ALLOWED_FLAGS (MFD_CLOEXEC | MFD_ALLOW_SEALING | 0x8u | 0x10u)

/* A file in memory that the replayer has asked for. */
typedef struct
{
  int fd; /* ours */
  ino_t inode;
} File;

struct _VtrReplayWarden
{
  GSubprocess *process;
  char *pid;
  int socket;              /* -1: closed */
  int connection;          /* borrowed */
  int listener;            /* -1: not there yet, or gone */
  int stop;                /* an eventfd */
  VtrReplayFolder *folder; /* borrowed (nullable) */
  VtrReplayRemovals *removals;
  guint64 most_memory; /* bytes */
  guint64 most_disk;
  GThread *thread;
  GArray *files; /* File */
  guint64 zeros; /* bytes of /dev/zero mapped to be shared: memory, too */
  gint64 looked, sorted, folder_next;
  char *reason;
  gboolean folder_full;
};

/* Files of all replayers, each of which takes a descriptor of ours. */
static int n_files;

static void
file_clear (gpointer data)
{
  close (((File *)data)->fd);
  g_atomic_int_add (&n_files, -1);
}

/* --- What it has ----------------------------------------------------------------------------- */

/* The number after @name in /proc/PID/status; 0 if the process has ended. */
static guint64
get_number (const char *status, const char *name)
{
  const char *line = strstr (status, name);

  return line != NULL ? g_ascii_strtoull (line + strlen (name), NULL, 10) : 0;
}

static guint64
get_files_size (VtrReplayWarden *self)
{
  guint64 size = 0;

  for (guint i = 0; i < self->files->len; i++)
    {
      struct stat info;

      if (fstat (g_array_index (self->files, File, i).fd, &info) == 0)
        size += (guint64)info.st_blocks * 512;
    }
  return size;
}

/* Drops the files that the replayer neither has open, nor has mapped, nor has sent. */
static void
sort_files (VtrReplayWarden *self)
{
  g_autoptr (GHashTable) inodes = g_hash_table_new (NULL, NULL);
  struct pollfd sent = { .fd = self->connection, .events = POLLIN };
  gboolean look, is_whole;

  look = self->files->len > 0 && poll (&sent, 1, 0) == 0;
  look = look && vtr_replay_held_add_open (inodes, self->pid);
  is_whole = vtr_replay_held_add_mapped (inodes, self->pid, &self->zeros);
  /* The second time for one that was on its way from a descriptor to the connection meanwhile. */
  if (!is_whole || !look || poll (&sent, 1, 0) != 0)
    return;
  for (guint i = self->files->len; i-- > 0;)
    {
      File *file = &g_array_index (self->files, File, i);

      if (!g_hash_table_contains (inodes, GSIZE_TO_POINTER (file->inode)))
        {
          g_array_remove_index_fast (self->files, i);
        }
    }
}

static char *
check_memory (VtrReplayWarden *self)
{
#ifndef __SANITIZE_ADDRESS__
  /* Tables of pages grow with what is mapped, whether it holds anything or not. */
  static const char *const kinds[] = { "\nRssAnon:", "\nVmSwap:", "\nVmPTE:", "\nHugetlbPages:" };
#endif
  g_autofree char *path = g_build_filename ("/proc", self->pid, "status", NULL);
  g_autofree char *status = NULL;
  g_autofree char *most = NULL;
  guint64 memory = get_files_size (self) + self->zeros, most_memory = self->most_memory;

  if (!g_file_get_contents (path, &status, NULL, NULL))
    return NULL;
  /* Once its first thread has ended, nothing tells what the others have. */
  if (strstr (status, "\nState:\tZ") != NULL)
    g_subprocess_send_signal (self->process, SIGKILL);
  if (get_number (status, "\nThreads:") > MAX_THREADS)
    return g_strdup_printf (_ ("it started more than %d threads"), MAX_THREADS);
  memory = MAX (memory, get_number (status, "\nRssShmem:") * 1024);
#ifndef __SANITIZE_ADDRESS__
  /* Private memory has a limit of its own, at which allocations fail. */
  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++)
    memory += get_number (status, kinds[i]) * 1024;
  most_memory += most_memory / 8 + (64 << 20);
#endif
  if (memory <= most_memory)
    return NULL;
  most = g_format_size_full (self->most_memory, G_FORMAT_SIZE_IEC_UNITS);
  return g_strdup_printf (_ ("it took more than %s of memory (VITRINE_REPLAY_MEMORY)"), most);
}

static guint64
measure_folder (VtrReplayWarden *self)
{
  return self->folder != NULL ? vtr_replay_folder_measure (self->folder, self->most_disk) : 0;
}

/* The size of the files in the folder, and of removed files that the replayer still holds. */
static char *
check_folder (VtrReplayWarden *self)
{
  gint64 begun = g_get_monotonic_time ();
  guint64 size = measure_folder (self);
  g_autofree char *most = NULL;

  if (size > self->most_disk)
    {
      vtr_replay_removals_sweep (self->removals);
      size = measure_folder (self);
    }
  self->folder_next =
    begun + MAX (FOLDER_MICROSECONDS, (g_get_monotonic_time () - begun) * FOLDER_SHARE);
  if (size <= self->most_disk)
    return NULL;
  self->folder_full = TRUE;
  most = g_format_size_full (self->most_disk, G_FORMAT_SIZE_IEC_UNITS);
  return g_strdup_printf (_ ("it wrote more than %s of files (VITRINE_REPLAY_DISK)"), most);
}

static void
look (VtrReplayWarden *self)
{
  gint64 now = g_get_monotonic_time ();

  if (now - self->looked < LOOK_MICROSECONDS)
    return;
  self->looked = now;
  if (now - self->sorted > SORT_MICROSECONDS)
    {
      sort_files (self);
      self->sorted = now;
    }
  self->reason = check_memory (self);
  if (self->reason == NULL && now >= self->folder_next)
    self->reason = check_folder (self);
  if (self->reason != NULL)
    g_subprocess_send_signal (self->process, SIGKILL);
}

/* --- What it asks for ------------------------------------------------------------------------ */

static void
receive_listener (VtrReplayWarden *self)
{
  union
  {
    struct cmsghdr header;
    char bytes[CMSG_SPACE (sizeof (int))];
  } control;
  char byte;
  struct iovec bytes = { &byte, 1 };
  struct msghdr message = { .msg_iov = &bytes,
                            .msg_iovlen = 1,
                            .msg_control = &control,
                            .msg_controllen = sizeof control };
  struct cmsghdr *header;

  if (recvmsg (self->socket, &message, MSG_CMSG_CLOEXEC | MSG_DONTWAIT) > 0 &&
      (header = CMSG_FIRSTHDR (&message)) != NULL && header->cmsg_type == SCM_RIGHTS &&
      header->cmsg_len == CMSG_LEN (sizeof (int)))
    memcpy (&self->listener, CMSG_DATA (header), sizeof (int));
  close (self->socket);
  self->socket = -1;
}

/* A replayer that takes all descriptors would end us, or make us blind: /proc could not be read. */
static gboolean
may_hold_more (VtrReplayWarden *self)
{
  struct rlimit limit;
  rlim_t most = MAX_FILES;

  if (getrlimit (RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
    most = MIN (most, limit.rlim_cur - MIN (limit.rlim_cur / 2, SPARE_FILES));
  return self->files->len < MAX_FILES && (rlim_t)g_atomic_int_get (&n_files) < most;
}

/* Answers with the descriptor. */
static gboolean
give_file (VtrReplayWarden *self, struct seccomp_notif_addfd *add)
{
  struct seccomp_notif_resp reply = { .id = add->id };
  int fd;

  add->flags = SECCOMP_ADDFD_FLAG_SEND;
  if (ioctl (self->listener, SECCOMP_IOCTL_NOTIF_ADDFD, add) >= 0)
    return TRUE;
  if (errno != EINVAL)
    return FALSE;
  /* Before Linux 5.14 it takes two steps. */
  add->flags = 0;
  fd = ioctl (self->listener, SECCOMP_IOCTL_NOTIF_ADDFD, add);
  reply.val = fd;
  return fd >= 0 && ioctl (self->listener, SECCOMP_IOCTL_NOTIF_SEND, &reply) == 0;
}

/* Returns: 0, or an errno. ENOTTY: the kernel cannot give files to others. */
static int
make_file (VtrReplayWarden *self, guint64 id, guint flags)
{
  struct seccomp_notif_addfd add = { .id = id };
  struct stat info;
  File file;

  if ((flags & ~ALLOWED_FLAGS) != 0)
    return EINVAL;
  if (!may_hold_more (self))
    sort_files (self);
  if (!may_hold_more (self))
    return EMFILE;
  file.fd = (int)syscall (SYS_memfd_create, "vitrine-replay", flags | MFD_CLOEXEC);
  if (file.fd < 0)
    return ENOMEM;
  if (fstat (file.fd, &info) != 0)
    {
      close (file.fd);
      return ENOMEM;
    }
  file.inode = info.st_ino;
  add.srcfd = (guint32)file.fd;
  add.newfd_flags = (flags & MFD_CLOEXEC) != 0 ? O_CLOEXEC : 0;
  if (!give_file (self, &add))
    {
      int why = errno == EINVAL ? ENOTTY : errno;

      close (file.fd);
      return why;
    }
  g_array_append_val (self->files, file);
  g_atomic_int_inc (&n_files);
  return 0;
}

static void
answer (VtrReplayWarden *self)
{
  struct seccomp_notif_sizes sizes = { 0 };
  g_autofree struct seccomp_notif *question = NULL;
  g_autofree struct seccomp_notif_resp *reply = NULL;
  gboolean cannot;
  int why;

  if (syscall (SYS_seccomp, SECCOMP_GET_NOTIF_SIZES, 0, &sizes) != 0)
    return;
  question = g_malloc0 (MAX (sizes.seccomp_notif, sizeof *question));
  reply = g_malloc0 (MAX (sizes.seccomp_notif_resp, sizeof *reply));
  if (ioctl (self->listener, SECCOMP_IOCTL_NOTIF_RECV, question) != 0)
    return;
  if (question->data.nr == SYS_memfd_create)
    {
      why = make_file (self, question->id, (guint)question->data.args[1]);
      if (why == 0)
        return;
      cannot = why == ENOTTY;
    }
  else
    {
      /* A thread that was stopped meanwhile repeats its call afterwards. */
      if (vtr_replay_removals_is_full (self->removals))
        {
          vtr_replay_removals_sweep (self->removals);
          if (ioctl (self->listener, SECCOMP_IOCTL_NOTIF_ID_VALID, &question->id) != 0)
            return;
        }
      why = vtr_replay_removals_run (self->removals, &question->data);
      cannot = why == ENOSYS;
    }
  reply->id = question->id;
  reply->error = -why;
  /* Before Linux 5.9 the engine cannot make this call for the replayer. */
  if (cannot)
    {
      vtr_replay_sandbox_note_uncounted ();
      reply->error = 0;
      reply->flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
    }
  ioctl (self->listener, SECCOMP_IOCTL_NOTIF_SEND, reply);
}

/* --- The thread ------------------------------------------------------------------------------ */

static gpointer
watch (gpointer data)
{
  VtrReplayWarden *self = data;

  if (measure_folder (self) > self->most_disk)
    vtr_replay_folder_empty (self->folder);
  vtr_replay_folder_trim (self->most_disk);
  while (self->reason == NULL)
    {
      struct pollfd fds[] = { { .fd = self->stop, .events = POLLIN },
                              { .fd = self->socket, .events = POLLIN },
                              { .fd = self->listener, .events = POLLIN } };

      if (poll (fds, G_N_ELEMENTS (fds), LOOK_MICROSECONDS / 1000) < 0 && errno != EINTR)
        break;
      if (fds[0].revents != 0)
        break;
      if (fds[1].revents != 0)
        receive_listener (self);
      if ((fds[2].revents & POLLIN) != 0)
        answer (self);
      else if (fds[2].revents != 0)
        {
          close (self->listener);
          self->listener = -1;
        }
      look (self);
    }
  return NULL;
}

VtrReplayWarden *
vtr_replay_warden_new (GSubprocess     *process,
                       int              socket,
                       int              connection,
                       VtrReplayFolder *folder)
{
  VtrReplayWarden *self = g_new0 (VtrReplayWarden, 1);

  self->process = g_object_ref (process);
  self->pid = g_strdup (g_subprocess_get_identifier (process));
  self->socket = socket;
  self->connection = connection;
  self->listener = -1;
  self->stop = eventfd (0, EFD_CLOEXEC);
  self->folder = folder;
  self->removals = vtr_replay_removals_new (self->pid, connection, folder);
  self->most_memory = vtr_replay_environment_get_memory () << 20;
  self->most_disk = vtr_replay_environment_get_disk () << 20;
  self->files = g_array_new (FALSE, FALSE, sizeof (File));
  g_array_set_clear_func (self->files, file_clear);
  if (self->pid != NULL && self->stop >= 0)
    self->thread = g_thread_try_new ("warden", watch, self, NULL);
  return self;
}

void
vtr_replay_warden_stop (VtrReplayWarden *self)
{
  guint64 one = 1;

  if (self->thread != NULL && write (self->stop, &one, sizeof one) == sizeof one)
    g_thread_join (g_steal_pointer (&self->thread));
  g_array_set_size (self->files, 0);
  if (self->socket >= 0)
    close (self->socket);
  if (self->listener >= 0)
    close (self->listener);
  self->socket = self->listener = -1;
}

const char *
vtr_replay_warden_get_reason (VtrReplayWarden *self)
{
  return self->reason;
}

void
vtr_replay_warden_free (VtrReplayWarden *self)
{
  if (self == NULL)
    return;
  vtr_replay_warden_stop (self);
  vtr_replay_removals_free (self->removals);
  if (self->folder_full)
    vtr_replay_folder_empty (self->folder);
  if (self->stop >= 0)
    close (self->stop);
  g_array_unref (self->files);
  g_object_unref (self->process);
  g_free (self->reason);
  g_free (self->pid);
  g_free (self);
}
