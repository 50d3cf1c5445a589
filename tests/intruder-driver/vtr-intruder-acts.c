/* Runs the attacks of the intruder driver (files, network, processes and others) that the
 * replayer's sandbox must stop. */
#include "vtr-intruder-acts.h"

#include "vtr-intruder-private.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *
vtr_intruder_setting (const char *name)
{
  const char *value = getenv (name);

  return value != NULL ? value : "";
}

pid_t
vtr_intruder_victim (void)
{
  return (pid_t)atoi (vtr_intruder_setting ("INTRUDER_VICTIM"));
}

bool
vtr_intruder_opened (int fd)
{
  if (fd < 0)
    return false;
  close (fd);
  return true;
}

bool
vtr_intruder_was_looked_at (long result)
{
  return result >= 0 || (errno != EPERM && errno != ENOSYS);
}

static void
act_all (const char           *place,
         const VtrIntruderAct *acts)
{
  for (size_t i = 0; acts[i].name != NULL; i++)
    {
      bool done;

      errno = 0;
      done = acts[i].act ();
      fprintf (stderr, "intruder %s %s: %s\n", place, acts[i].name,
               done ? "done" : strerror (errno));
    }
}

void
vtr_intruder_act (const char *place)
{
  act_all (place, vtr_intruder_files);
  act_all (place, vtr_intruder_network);
  act_all (place, vtr_intruder_processes);
  act_all (place, vtr_intruder_kernel);
  act_all (place, vtr_intruder_calls);
  act_all (place, vtr_intruder_nodes);
  act_all (place, vtr_intruder_terminal);
  fflush (stderr);
}
