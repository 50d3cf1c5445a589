/* For what can only fail without memory, in programs of our own. They end then, as GLib ends them. Never in the
 * capture layer, which lives in other people's programs, nor in the replayer, which reports it. */
#pragma once

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

static inline void
vtr_must (bool done)
{
  if (done)
    return;
  fputs ("Vitrine is out of memory.\n", stderr);
  abort ();
}
