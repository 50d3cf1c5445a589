/* Signal handlers that note a crash on the status page, where the engine reads it, and a watch
 * that ends the replayer when the engine has gone. */
#include "vtr-crash.h"

#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#define STACK_BYTES (64 * 1024)

/* Time for an orderly end (tests look for leaks then) before the process is ended. */
#define GRACE_SECONDS 2

static VtrReplayStatus *crash_status;

static void
vtr_crash_handle (int        number,
                  siginfo_t *info,
                  void      *context)
{
  /* Only stores, and then takes the default action, so that the engine, which waits for the
   * process, sees the signal. */
  (void)context;
  crash_status->fault_address = (uintptr_t)info->si_addr;
  __atomic_store_n (&crash_status->signal, number, __ATOMIC_RELEASE);
  signal (number, SIG_DFL);
  raise (number);
}

#ifndef __SANITIZE_ADDRESS__
/* Gives the calling thread a stack of its own for the handler, so that an overflow can be told. */
static void
use_stack (void)
{
  stack_t stack = { .ss_size = STACK_BYTES };

  /* Never freed: it belongs to the thread, and threads live as long as the process. */
  stack.ss_sp = mmap (NULL, STACK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
                      0);
  if (stack.ss_sp != MAP_FAILED)
    sigaltstack (&stack, NULL);
}
#endif

void
vtr_crash_install (VtrReplayStatus *status)
{
  static const int signals[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS };
  struct sigaction action = { .sa_flags = SA_SIGINFO | SA_ONSTACK };
  struct rlimit none = { 0, 0 };

  action.sa_sigaction = vtr_crash_handle;
  crash_status = status;
#ifndef __SANITIZE_ADDRESS__
  use_stack ();
  sigfillset (&action.sa_mask);
  for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
    sigaction (signals[i], &action, NULL);
#else
  (void)signals;
  (void)action;
#endif
  /* A death is an answer here; it need not fill the disk. */
  setrlimit (RLIMIT_CORE, &none);
}

static void *
vtr_crash_watch (void *data)
{
  struct pollfd poll_fd = { .fd = (int)(intptr_t)data };

  while (poll (&poll_fd, 1, -1) <= 0)
    ;
  sleep (GRACE_SECONDS);
  _exit (0);
}

void
vtr_crash_follow (int socket)
{
  pthread_t thread;

  if (pthread_create (&thread, NULL, vtr_crash_watch, (void *)(intptr_t)socket) == 0)
    pthread_detach (thread);
}

static bool guarded;

static void
vtr_crash_at_exit (void)
{
  if (guarded)
    _exit (EXIT_FAILURE);
}

void
vtr_crash_guard_exit (bool on)
{
  static bool known;

  /* Runs before the destructors of libraries, because functions that are registered last run
   * first. */
  if (on && !known)
    known = atexit (vtr_crash_at_exit) == 0;
  guarded = on;
}
