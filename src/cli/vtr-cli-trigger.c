/* vitrine-cli trigger: starts a capture that waits in another process. */
#include "vtr-cli-trigger.h"

#include "vtr-cli.h"

#include "engine/capture/vtr-capture-ring.h"
#include "engine/capture/vtr-capture-socket.h"

#include <glib-unix.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define SUFFIX ".trigger"
#define MESSAGE "trigger"

struct _VtrCliTrigger
{
  void (*callback) (gpointer data);
  gpointer data;
  VtrCaptureSocket socket;
  guint signal_source;
  guint terminal_source;
  guint socket_source;
};

static gboolean
on_signal (gpointer data)
{
  VtrCliTrigger *self = data;

  self->callback (self->data);
  return G_SOURCE_CONTINUE;
}

static gboolean
on_terminal (int          fd,
             GIOCondition condition,
             gpointer     data)
{
  VtrCliTrigger *self = data;
  char buffer[256];
  gssize got = read (fd, buffer, sizeof buffer);

  if (got <= 0)
    {
      self->terminal_source = 0;
      return G_SOURCE_REMOVE;
    }
  for (gssize i = 0; i < got; i++)
    if (buffer[i] == '\n')
      self->callback (self->data);
  return G_SOURCE_CONTINUE;
}

static gboolean
on_message (int          fd,
            GIOCondition condition,
            gpointer     data)
{
  VtrCliTrigger *self = data;
  char buffer[sizeof MESSAGE];

  if (recv (fd, buffer, sizeof buffer, MSG_DONTWAIT) >= 0)
    self->callback (self->data);
  return G_SOURCE_CONTINUE;
}

/* Listens at "PID-N.trigger" in the private folder of the rings. If that fails, Enter and signals
 * still work. */
static void
open_socket (VtrCliTrigger *self)
{
  g_autofree char *folder = vtr_capture_ring_get_folder (NULL);

  if (folder == NULL || !vtr_capture_socket_open (&self->socket, folder, SUFFIX, SOCK_DGRAM, NULL))
    return;
  self->socket_source = g_unix_fd_add (self->socket.fd, G_IO_IN, on_message, self);
}

VtrCliTrigger *
vtr_cli_trigger_listen (int signal_number,
                        gboolean terminal,
                        void (*callback) (gpointer data),
                        gpointer data)
{
  VtrCliTrigger *self = g_new0 (VtrCliTrigger, 1);

  self->callback = callback;
  self->data = data;
  self->socket = (VtrCaptureSocket){ .fd = -1, .lock_fd = -1 };
  open_socket (self);
  if (signal_number != 0)
    self->signal_source = g_unix_signal_add (signal_number, on_signal, self);
  if (terminal && isatty (STDIN_FILENO))
    self->terminal_source = g_unix_fd_add (STDIN_FILENO, G_IO_IN, on_terminal, self);
  return self;
}

void
vtr_cli_trigger_free (VtrCliTrigger *self)
{
  g_clear_handle_id (&self->signal_source, g_source_remove);
  g_clear_handle_id (&self->terminal_source, g_source_remove);
  g_clear_handle_id (&self->socket_source, g_source_remove);
  vtr_capture_socket_close (&self->socket);
  g_free (self);
}

/* ---- The verb ---- */

/* Returns: whether a process listens at @path. */
static gboolean
send_to (const char *path)
{
  struct sockaddr_un address = { .sun_family = AF_UNIX };
  gboolean sent;
  int fd;

  if (strlen (path) >= sizeof address.sun_path)
    return FALSE;
  memcpy (address.sun_path, path, strlen (path));
  fd = socket (AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (fd < 0)
    return FALSE;
  sent = sendto (fd, MESSAGE, strlen (MESSAGE), MSG_NOSIGNAL, (struct sockaddr *)&address,
                 sizeof address) >= 0;
  close (fd);
  return sent;
}

static guint
send_to_all (const char *folder,
             gint64      only_pid)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;
  guint n = 0;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *path = g_build_filename (folder, name, NULL);

      if (vtr_capture_socket_is_live (folder, name, SUFFIX) &&
          (only_pid == 0 || g_ascii_strtoll (name, NULL, 10) == only_pid))
        n += send_to (path);
    }
  return n;
}

VtrCliStatus
vtr_cli_trigger (int    argc,
                 char **argv)
{
  static gboolean as_json;
  static const GOptionEntry entries[] = {
    { "json", 0, 0, G_OPTION_ARG_NONE, &as_json, N_ ("Print as JSON how many captures were "
                                                     "started"),
      NULL },
    { NULL },
  };
  g_autofree char *folder = NULL;
  g_autoptr (GError) error = NULL;
  VtrCliStatus status;
  guint64 pid = 0;
  guint n;

  if (!vtr_cli_parse ("trigger", "[PID]",
                      _ ("Starts the waiting captures: all of them, or only that of the "
                         "vitrine-cli with process ID PID."),
                      entries, 0, 1, &argc, &argv, &status))
    return status;
  if (argc > 1 && !vtr_parse_number (argv[1], 10, 1, G_MAXINT32, &pid))
    return vtr_cli_complain (VTR_CLI_USAGE, _ ("“%s” is not a valid process ID."), argv[1]);
  folder = vtr_capture_ring_get_folder (&error);
  if (folder == NULL)
    return vtr_cli_fail (error);
  n = send_to_all (folder, (gint64)pid);
  if (as_json)
    printf ("{\"told\":%u}\n", n);
  if (n == 0 && pid != 0)
    return vtr_cli_complain (VTR_CLI_FAILED, _ ("Process %s is not a vitrine-cli that is "
                                                "capturing."),
                             argv[1]);
  if (n == 0)
    return vtr_cli_complain (VTR_CLI_FAILED, _ ("No vitrine-cli is capturing."));
  return VTR_CLI_OK;
}
