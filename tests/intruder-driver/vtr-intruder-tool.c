/* A library for LD_PRELOAD: vitrine-shader-tool that has been taken over. It reads its module with
 * fread(), after it has locked itself; what is tried is tried then.
 *
 * Shares no code with the product. Threading: any. */
#include "vtr-intruder-acts.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>

#define EXPORT __attribute__ ((visibility ("default")))

EXPORT size_t
fread (void   *to,
       size_t  size,
       size_t  n,
       FILE   *file)
{
  static size_t (*real) (void *, size_t, size_t, FILE *);
  static bool acted;

  if (real == NULL)
    real = (size_t (*) (void *, size_t, size_t, FILE *))dlsym (RTLD_NEXT, "fread");
  if (!acted)
    {
      acted = true;
      vtr_intruder_act ("tool");
    }
  return real (to, size, n, file);
}
