/* Starts the layer's own threads, detached and with all signals blocked, so that the program's
 * signal handlers never run on them. */
#include "vtr-layer-own-thread.h"

#include <pthread.h>
#include <signal.h>
#include <sys/prctl.h>

static void *
enter (void *data)
{
  const VtrLayerOwnThread *self = data;

  prctl (PR_SET_NAME, self->name);
  self->run ();
  return NULL;
}

bool
vtr_layer_own_thread_start (const VtrLayerOwnThread *self)
{
  pthread_attr_t attributes;
  sigset_t all, before;
  pthread_t thread;
  bool ok;

  sigfillset (&all);
  pthread_sigmask (SIG_SETMASK, &all, &before);
  pthread_attr_init (&attributes);
  pthread_attr_setdetachstate (&attributes, PTHREAD_CREATE_DETACHED);
  if (self->stack_size > 0)
    pthread_attr_setstacksize (&attributes, self->stack_size);
  ok = pthread_create (&thread, &attributes, enter, (void *)self) == 0;
  pthread_attr_destroy (&attributes);
  pthread_sigmask (SIG_SETMASK, &before, NULL);
  return ok;
}
