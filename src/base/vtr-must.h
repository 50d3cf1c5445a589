/* For calls that can fail only for lack of memory, in our own programs, which then end as GLib ends
 * them. Not for the capture layer, which lives in other programs, nor for the replayer, which
 * reports the error. */
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
