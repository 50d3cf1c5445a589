/* vitrine-replayer: runs replays for the engine, which starts it with a socket and a status
 * page. */
#include "vtr-crash.h"
#include "vtr-driver-files.h"
#include "vtr-replay-service.h"
#include "sandbox/vtr-sandbox.h"

#include "vtr-config.h"

#include <fcntl.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

/* Returns: the page, or NULL when fd VTR_REPLAY_STATUS_FD is not one. */
static VtrReplayStatus *
map_status (void)
{
  VtrReplayStatus *status = mmap (NULL, VTR_REPLAY_STATUS_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED,
                                  VTR_REPLAY_STATUS_FD, 0);

  if (status == MAP_FAILED || status->magic != VTR_REPLAY_STATUS_MAGIC)
    return NULL;
  return status;
}

static bool
is_socket (int fd)
{
  int type;
  socklen_t size = sizeof type;

  return getsockopt (fd, SOL_SOCKET, SO_TYPE, &type, &size) == 0 && type == SOCK_SEQPACKET;
}

/* Software drivers take and return megabytes for every submission; faulting these pages in again
 * costs
 * more than the calls do. */
static void
keep_memory (void)
{
#ifdef __GLIBC__
  mallopt (M_MMAP_THRESHOLD, 1 << 30);
  mallopt (M_TRIM_THRESHOLD, 1 << 30);
  mallopt (M_TOP_PAD, 16 << 20);
#endif
}

/* Files that the drivers of all APIs need. */
static void
visit_files (VtrSandboxAllow  allow,
             void            *data)
{
  for (unsigned api = 1; api < VTR_VM_N_APIS; api++)
    if (vtr_replayer_apis[api]->visit_files != NULL)
      vtr_replayer_apis[api]->visit_files (allow, data);
  vtr_driver_files_visit_libraries (allow, data);
}

int
main (int    argc,
      char **argv)
{
  VtrReplayService *service;
  VtrReplayStatus *status;
  VtrSandbox sandbox;
  VtrStatus result;

  if (argc > 1 && strcmp (argv[1], "--version") == 0)
    {
      puts ("vitrine-replayer " PACKAGE_VERSION);
      return EXIT_SUCCESS;
    }
  if (!is_socket (VTR_REPLAY_SOCKET_FD) || (status = map_status ()) == NULL)
    {
      fputs ("vitrine-replayer is started by Vitrine.\n", stderr);
      return EXIT_FAILURE;
    }
  keep_memory ();
  fcntl (VTR_REPLAY_SOCKET_FD, F_SETFD, FD_CLOEXEC);
  fcntl (VTR_REPLAY_STATUS_FD, F_SETFD, FD_CLOEXEC);
  sandbox = vtr_sandbox_enter (visit_files);
  vtr_crash_install (status);
  vtr_crash_follow (VTR_REPLAY_SOCKET_FD);

  service = calloc (1, sizeof *service);
  if (service == NULL)
    return EXIT_FAILURE;
  result = vtr_replay_service_init (service, VTR_REPLAY_SOCKET_FD, status);
  if (result == VTR_OK && sandbox.on)
    vtr_sandbox_limit_memory (vtr_vm_memory_get_reserved (&service->vm.memory));
  if (result == VTR_OK)
    {
      vtr_crash_guard_exit (true);
      vtr_replay_service_run (service, &sandbox);
      vtr_crash_guard_exit (false);
    }
  else
    vtr_log (VTR_LOG_ERROR, "starting: %s", vtr_status_to_string (result));
  vtr_replay_service_finish (service);
  free (service);
  return result == VTR_OK ? EXIT_SUCCESS : EXIT_FAILURE;
}
