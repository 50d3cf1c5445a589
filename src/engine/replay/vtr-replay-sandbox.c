/* Explains in words how well this machine's kernel locks the replayer down. */
#include "vtr-config.h"

#include "engine/replay/vtr-replay-sandbox.h"

#include <glib/gi18n-lib.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define LANDLOCK_CREATE_RULESET 444
#define LANDLOCK_VERSION 1u

static GMutex lock;
static VtrReplaySandbox last;
static gboolean known;
static gboolean uncounted;

void
vtr_replay_sandbox_note (const VtrReplaySandbox *said)
{
  g_mutex_lock (&lock);
  last = *said;
  known = TRUE;
  g_mutex_unlock (&lock);
}

void
vtr_replay_sandbox_note_uncounted (void)
{
  g_mutex_lock (&lock);
  uncounted = TRUE;
  g_mutex_unlock (&lock);
}

/* Whether seccomp knows @action. */
static gboolean
knows (guint32 action)
{
  return syscall (SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) == 0;
}

static VtrReplaySandbox
guess (void)
{
  long version = syscall (LANDLOCK_CREATE_RULESET, NULL, 0, LANDLOCK_VERSION);
  VtrReplaySandbox self = { g_strcmp0 (g_getenv ("VITRINE_SANDBOX"), "0") != 0 };

  if (!self.on)
    return self;
  self.landlock = version > 0 ? (guint)version : 0;
  self.calls = prctl (PR_GET_SECCOMP, 0, 0, 0, 0) >= 0;
  self.counted = self.calls && knows (SECCOMP_RET_USER_NOTIF);
  return self;
}

VtrReplaySandbox
vtr_replay_sandbox_get (void)
{
  VtrReplaySandbox self;
  gboolean said, refuted;

  g_mutex_lock (&lock);
  self = last;
  said = known;
  refuted = uncounted;
  g_mutex_unlock (&lock);
  if (!said)
    self = guess ();
  self.counted = self.counted && !refuted;
  return self;
}

const char *
vtr_replay_sandbox_name (const VtrReplaySandbox *self)
{
  if (!self->on || (self->landlock == 0 && !self->calls))
    return "off";
  return self->landlock > 0 && self->calls && self->counted ? "full" : "partial";
}

char *
vtr_replay_sandbox_explain (const VtrReplaySandbox *self)
{
  if (!self->on)
    return g_strdup (_ ("Replays are not locked down: VITRINE_SANDBOX is 0. Open only traces that "
                        "you trust."));
  if (self->landlock == 0 && !self->calls)
    return g_strdup (_ ("Replays are not locked down: this system has neither Landlock nor "
                        "seccomp. Open only traces that you trust."));
  if (self->landlock == 0)
    return g_strdup (_ ("Replays are locked down in part: without Landlock in this system, a "
                        "hostile trace may reach your files."));
  if (!self->calls)
    return g_strdup (_ ("Replays are locked down in part: without a filter for system calls on "
                        "this system, a hostile trace may reach other programs."));
  if (!self->counted)
    return g_strdup (_ ("Replays are locked down in part: this system lacks user notifications of "
                        "seccomp (Linux 5.9), or does not let Vitrine read the memory of its "
                        "children (ptrace_scope), so a hostile trace may use up memory and disk."));
  return NULL;
}
