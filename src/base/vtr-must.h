/* For calls that can only fail because memory has run out, in Vitrine's own programs, which then
 * end as GLib ends them. Not for the capture layer, which runs in other programs, nor for the
 * replayer, which reports the error. */
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
