#include "vtr-sandbox-private.h"

#include "wire/vtr-replay-channel.h"
#include "wire/vtr-replay-status.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

static void
lower (int    resource,
       rlim_t most)
{
  struct rlimit limit;

  if (getrlimit (resource, &limit) != 0)
    return;
  if (limit.rlim_max != RLIM_INFINITY && limit.rlim_max < most)
    return;
  limit.rlim_cur = limit.rlim_max = most;
  setrlimit (resource, &limit);
}

/* What no replay may take, so that it is the replay that ends and not the machine. The engine's
 * limit is lower and has a sentence; this one holds also where the engine does not look. */
static void
limit_resources (void)
{
  rlim_t memory = (rlim_t)sysconf (_SC_PHYS_PAGES) * (rlim_t)sysconf (_SC_PAGESIZE);

  signal (SIGXFSZ, SIG_IGN); /* EFBIG says as much */
  lower (RLIMIT_FSIZE, memory > VTR_REPLAY_MAX_BULK ? memory : VTR_REPLAY_MAX_BULK);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  lower (RLIMIT_DATA, memory);
#endif
}

/* Whatever whoever started us has left open. */
static void
close_others (void)
{
#ifdef SYS_close_range
  syscall (SYS_close_range, VTR_REPLAY_STATUS_FD + 1, ~0u, 0);
#endif
}

VtrSandbox
vtr_sandbox_enter (void)
{
  const char *wish = getenv ("VITRINE_SANDBOX");
  VtrSandbox self = { 0 };

  if (wish != NULL && strcmp (wish, "0") == 0)
    return self;
  self.on = true;
  close_others ();
  limit_resources ();
  if (prctl (PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
    return self;
  self.files = vtr_sandbox_guard_files ();
  self.calls = vtr_sandbox_filter_calls ();
  return self;
}
