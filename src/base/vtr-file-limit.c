/* Catches SIGXFSZ, so that a write above RLIMIT_FSIZE returns an error instead of ending the
 * process. */
#include "vtr-file-limit.h"

#include <signal.h>
#include <stddef.h>

/* execve() resets a handler, but would not reset SIG_IGN. */
static void
do_nothing (int number)
{
  (void)number;
}

void
vtr_file_limit_catch (void)
{
  struct sigaction old, action = { .sa_handler = do_nothing, .sa_flags = SA_RESTART };

  sigemptyset (&action.sa_mask);
  if (sigaction (SIGXFSZ, NULL, &old) == 0 && old.sa_handler == SIG_DFL)
    sigaction (SIGXFSZ, &action, NULL);
}
