#include "vtr-config.h"

#include "engine/replay/vtr-replay-sandbox.h"

#include <glib/gi18n-lib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define LANDLOCK_CREATE_RULESET 444
#define LANDLOCK_VERSION 1u

static GMutex lock;
static VtrReplaySandbox last;
static gboolean known;

void
vtr_replay_sandbox_note (const VtrReplaySandbox *said)
{
  g_mutex_lock (&lock);
  last = *said;
  known = TRUE;
  g_mutex_unlock (&lock);
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
  return self;
}

VtrReplaySandbox
vtr_replay_sandbox_get (void)
{
  VtrReplaySandbox self;
  gboolean said;

  g_mutex_lock (&lock);
  self = last;
  said = known;
  g_mutex_unlock (&lock);
  return said ? self : guess ();
}

const char *
vtr_replay_sandbox_name (const VtrReplaySandbox *self)
{
  if (!self->on || (self->landlock == 0 && !self->calls))
    return "off";
  return self->landlock > 0 && self->calls ? "full" : "partial";
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
  return NULL;
}
