/* Runs the machine on other threads for SWITCH_THREAD: each call of vtr_vm_threads_execute ()
 * gives the machine to one worker and waits, so that calls come from as many threads as in the
 * capture, but never two at a time. */
#include "vtr-interpreter.h"

#include <pthread.h>
#include <stdlib.h>

typedef enum
{
  WORKER_NONE,
  WORKER_WAITING,
  WORKER_RUNNING,
  WORKER_LEAVING,
} WorkerState;

typedef struct
{
  VtrVmThreads *owner;
  pthread_t thread;
  pthread_cond_t changed;
  WorkerState state;
  VtrVmStop stop;
} Worker;

struct VtrVmThreads
{
  VtrVm *vm;
  pthread_mutex_t lock;
  Worker workers[VTR_VM_MAX_THREADS]; /* worker 0 is the caller, unused */
};

static void *
vtr_vm_worker_main (void *data)
{
  Worker *self = data;
  VtrVmThreads *owner = self->owner;

  pthread_mutex_lock (&owner->lock);
  for (;;)
    {
      while (self->state == WORKER_WAITING)
        pthread_cond_wait (&self->changed, &owner->lock);
      if (self->state == WORKER_LEAVING)
        break;
      pthread_mutex_unlock (&owner->lock);
      self->stop = vtr_vm_execute (owner->vm);
      pthread_mutex_lock (&owner->lock);
      self->state = WORKER_WAITING;
      pthread_cond_broadcast (&self->changed);
    }
  pthread_mutex_unlock (&owner->lock);
  return NULL;
}

static bool
vtr_vm_worker_start (Worker       *self,
                     VtrVmThreads *owner)
{
  self->owner = owner;
  self->state = WORKER_WAITING;
  pthread_cond_init (&self->changed, NULL);
  if (pthread_create (&self->thread, NULL, vtr_vm_worker_main, self) == 0)
    return true;
  pthread_cond_destroy (&self->changed);
  self->state = WORKER_NONE;
  return false;
}

VtrVmStop
vtr_vm_threads_execute (VtrVm *self)
{
  VtrVmThreads *threads = self->threads;
  Worker *worker;
  VtrVmStop stop;

  if (threads == NULL)
    {
      threads = calloc (1, sizeof *threads);
      if (threads == NULL)
        goto refused;
      threads->vm = self;
      pthread_mutex_init (&threads->lock, NULL);
      self->threads = threads;
    }
  worker = &threads->workers[self->thread];
  if (worker->state == WORKER_NONE && !vtr_vm_worker_start (worker, threads))
    goto refused;

  pthread_mutex_lock (&threads->lock);
  worker->state = WORKER_RUNNING;
  pthread_cond_broadcast (&worker->changed);
  while (worker->state == WORKER_RUNNING)
    pthread_cond_wait (&worker->changed, &threads->lock);
  stop = worker->stop;
  pthread_mutex_unlock (&threads->lock);
  return stop;

refused:
  vtr_vm_fail (self, VTR_VM_ERROR_MEMORY, "The system refuses another thread.");
  return VTR_VM_DONE;
}

void
vtr_vm_threads_destroy (VtrVmThreads *self)
{
  if (self == NULL)
    return;
  for (unsigned i = 1; i < VTR_VM_MAX_THREADS; i++)
    {
      Worker *worker = &self->workers[i];

      if (worker->state == WORKER_NONE)
        continue;
      pthread_mutex_lock (&self->lock);
      worker->state = WORKER_LEAVING;
      pthread_cond_broadcast (&worker->changed);
      pthread_mutex_unlock (&self->lock);
      pthread_join (worker->thread, NULL);
      pthread_cond_destroy (&worker->changed);
    }
  pthread_mutex_destroy (&self->lock);
  free (self);
}
