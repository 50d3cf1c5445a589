/* vtr-app-cut: threads that make it hard to begin a recording between two submissions, each in its
 * own way:
 *
 *   plain      one thread; what the other ways are compared with
 *   timeline   every submission waits for a value that another thread signals, which waits itself
 *   commands   the other thread updates and records what is submitted next, before it signals
 *   event      every submission waits for an event that another thread sets later
 *   waits      other threads wait as long as it takes: for a fence, a semaphore, a queue
 *   busy       something is always submitted that waits for what comes after the next submission,
 *              on two threads; until the file --calm is there
 *   record     four threads record, update and write; one keeps command buffers half recorded
 *   threads    every round has a thread of its own, others begin and end
 *   devices    three instances with a device and a thread each
 *   churn      another thread makes devices, uses and destroys them
 *   forks      another thread starts children, which end at once, or become other programs
 *
 * A round of a worker is one submission. It adds to what the round before left, so that the result
 * is only right if every one ran, once and in order. The program looks at its own, and exits with 1
 * if it is wrong. With --end another thread ends it in the middle.
 */
#include "vtr-app-cut.h"

#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static VkFence last_fence; /* of way_waits() */
static VkSemaphore last_value;
static VtrCutDevice more[2]; /* of way_devices() */

static void
start_thread (pthread_t *thread,
              void *(*function) (void *),
              void *data)
{
  if (pthread_create (thread, NULL, function, data) != 0)
    vtr_app_fail ("there is no thread");
}

/* ---- Ways: of one device ---- */

static void *
work (void *data)
{
  VtrCutWorker *self = data;

  while (vtr_cut_goes_on (self))
    {
      vtr_cut_prepare (self);
      vtr_cut_submit (self, (VtrCutOrder){ 0 });
    }
  return NULL;
}

/* Lets the submissions of a worker run. */
static void *
allow (void *data)
{
  VtrCutWorker *self = data;

  for (uint64_t value = 1;; value++)
    {
      vtr_cut_wait (self->device, self->announced, value);
      if (atomic_load (&vtr_cut.stopping))
        return NULL;
      if (self->waits_for_event)
        vtr_app_check (vkSetEvent (self->device->gpu.device, self->event), "vkSetEvent");
      vtr_cut_signal (self->device, self->allowed, value);
    }
}

/* @recorded: by @other, of another worker; NULL: nothing is */
static void
work_with (VtrCutWorker *self,
           void *(*other) (void *),
           VtrCutWorker *recorded)
{
  pthread_t thread;

  start_thread (&thread, other, self);
  while (vtr_cut_goes_on (self))
    {
      uint64_t value = self->n_rounds + 1;

      vtr_cut_prepare (self);
      vtr_cut_signal (self->device, self->announced, value);
      vtr_cut_submit (self, (VtrCutOrder){ self->waits_for_event ? 0 : value, value });
      vtr_cut_wait (self->device, self->done, value);
      if (recorded != NULL)
        vtr_cut_submit (recorded, (VtrCutOrder){ 0 });
    }
  vtr_cut_signal (self->device, self->announced, self->n_rounds + 1);
  pthread_join (thread, NULL);
}

static void
way_timeline (VtrCutDevice *device)
{
  work_with (&vtr_cut.workers[0], allow, NULL);
}

static void
way_event (VtrCutDevice *device)
{
  vtr_cut.workers[0].waits_for_event = true;
  work_with (&vtr_cut.workers[0], allow, NULL);
}

/* The same, and records something before each signal. */
static void *
record_and_allow (void *data)
{
  VtrCutWorker *self = data;
  VtrCutWorker *other = &vtr_cut.workers[1];

  for (uint64_t value = 1;; value++)
    {
      vtr_cut_wait (self->device, self->announced, value);
      if (atomic_load (&vtr_cut.stopping))
        return NULL;
      vtr_cut_prepare (other);
      vtr_cut_signal (self->device, self->allowed, value);
    }
}

static void
way_commands (VtrCutDevice *device)
{
  vtr_cut_add (device, 1);
  work_with (&vtr_cut.workers[0], record_and_allow, &vtr_cut.workers[1]);
}

static void *
wait_for_fence (void *data)
{
  const VtrCutDevice *device = data;

  vtr_app_check (vkWaitForFences (device->gpu.device, 1, &last_fence, VK_TRUE, UINT64_MAX),
                 "vkWaitForFences");
  return NULL;
}

static void *
wait_for_semaphore (void *data)
{
  vtr_cut_wait (data, last_value, 1);
  return NULL;
}

static void *
wait_for_queue (void *data)
{
  VtrCutDevice *device = data;

  while (!atomic_load (&vtr_cut.stopping))
    {
      pthread_mutex_lock (&device->lock);
      vtr_app_check (vkQueueWaitIdle (device->gpu.queue), "vkQueueWaitIdle");
      pthread_mutex_unlock (&device->lock);
      vtr_cut_nap ();
    }
  return NULL;
}

static void
way_waits (VtrCutDevice *device)
{
  const VkFenceCreateInfo info = { .sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO };
  pthread_t threads[3];

  vtr_app_check (vkCreateFence (device->gpu.device, &info, NULL, &last_fence), "vkCreateFence");
  last_value = vtr_cut_timeline (device);
  start_thread (&threads[0], wait_for_fence, device);
  start_thread (&threads[1], wait_for_semaphore, device);
  start_thread (&threads[2], wait_for_queue, device);
  work (&vtr_cut.workers[0]);
  pthread_mutex_lock (&device->lock);
  vtr_app_check (vkQueueSubmit (device->gpu.queue, 0, NULL, last_fence), "vkQueueSubmit");
  pthread_mutex_unlock (&device->lock);
  vtr_cut_signal (device, last_value, 1);
  for (int i = 0; i < 3; i++)
    pthread_join (threads[i], NULL);
  vkDestroyFence (device->gpu.device, last_fence, NULL);
  vkDestroySemaphore (device->gpu.device, last_value, NULL);
}

/* Lets everything run up to the @value-th submission. */
static void
allow_up_to (VtrCutWorker *self,
             uint64_t     *allowed,
             uint64_t      value)
{
  if (value <= *allowed)
    return;
  *allowed = value;
  vtr_cut_signal (self->device, self->allowed, value);
}

static void *
be_busy (void *data)
{
  VtrCutWorker *self = data;
  uint64_t allowed = 0;

  while (vtr_cut_goes_on (self))
    {
      bool busy = !atomic_load (&vtr_cut.calm);

      vtr_cut_prepare (self);
      vtr_cut_submit (self, (VtrCutOrder){ busy ? self->n_rounds + 1 : 0, 0 });
      allow_up_to (self, &allowed, self->n_rounds - busy);
    }
  allow_up_to (self, &allowed, self->n_rounds);
  return NULL;
}

static void
run_all (void *(*function) (void *))
{
  for (uint32_t i = 0; i < vtr_cut.n_workers; i++)
    start_thread (&vtr_cut.workers[i].thread, function, &vtr_cut.workers[i]);
  for (uint32_t i = 0; i < vtr_cut.n_workers; i++)
    pthread_join (vtr_cut.workers[i].thread, NULL);
}

static void
way_plain (VtrCutDevice *device)
{
  work (&vtr_cut.workers[0]);
}

static void
way_record (VtrCutDevice *device)
{
  vtr_cut_add (device, 3);
  vtr_cut.workers[3].halves = true;
  run_all (work);
}

static void *
do_one_round (void *data)
{
  vtr_cut_prepare (data);
  vtr_cut_submit (data, (VtrCutOrder){ 0 });
  return NULL;
}

static void *
come_and_go (void *data)
{
  VtrCutWorker *self = data;
  pthread_t thread;

  while (vtr_cut_goes_on (self))
    {
      start_thread (&thread, do_one_round, self);
      pthread_join (thread, NULL);
    }
  return NULL;
}

static void
way_threads (VtrCutDevice *device)
{
  vtr_cut_add (device, 2);
  run_all (come_and_go);
}

static void *
fork_children (void *data)
{
  for (int i = 0; !atomic_load (&vtr_cut.stopping); i++)
    {
      pid_t child = fork ();
      int status;

      if (child == 0)
        {
          if (i % 2 == 1)
            execl ("/bin/true", "true", (char *)NULL);
          _exit (0);
        }
      if (child < 0 || waitpid (child, &status, 0) != child || status != 0)
        vtr_app_fail ("a child came to a bad end");
    }
  return NULL;
}

static void
way_forks (VtrCutDevice *device)
{
  pthread_t thread;

  start_thread (&thread, fork_children, NULL);
  work (&vtr_cut.workers[0]);
  pthread_join (thread, NULL);
}

/* ---- Ways: of several devices ---- */

static void *
make_devices (void *data)
{
  VtrCutWorker *worker = malloc (sizeof *worker);
  bool *right = data;

  while (worker != NULL && !atomic_load (&vtr_cut.stopping))
    {
      VtrCutDevice device;

      vtr_cut_device_init (&device);
      vtr_cut_worker_init (worker, &device, VTR_CUT_MAX_WORKERS);
      do_one_round (worker);
      vtr_app_check (vkWaitForFences (device.gpu.device, 2, worker->fences, VK_TRUE, UINT64_MAX),
                     "vkWaitForFences");
      if (!vtr_cut_worker_finish (worker))
        *right = false;
      vtr_cut_device_finish (&device);
    }
  free (worker);
  return NULL;
}

static void
way_churn (VtrCutDevice *device)
{
  bool right = true;
  pthread_t thread;

  start_thread (&thread, make_devices, &right);
  work (&vtr_cut.workers[0]);
  pthread_join (thread, NULL);
  if (!right)
    vtr_app_fail ("the result of another device is wrong");
}

static void
way_busy (VtrCutDevice *device)
{
  vtr_cut_add (device, 1);
  run_all (be_busy);
}

static void
way_devices (VtrCutDevice *device)
{
  for (int i = 0; i < 2; i++)
    {
      vtr_cut_device_init (&more[i]);
      vtr_cut_add (&more[i], 1);
    }
  run_all (work);
}

/* ---- The end ---- */

static const char *end_how;
static uint32_t end_at;

static void *
end_somehow (void *data)
{
  while (atomic_load (&vtr_cut.n_submitted) < end_at)
    sched_yield ();
  if (strcmp (end_how, "exit") == 0)
    exit (3);
  else if (strcmp (end_how, "_exit") == 0)
    _exit (3);
  else if (strcmp (end_how, "abort") == 0)
    abort ();
  else if (strcmp (end_how, "segv") == 0)
    raise (SIGSEGV);
  raise (SIGKILL);
  return data;
}

int
main (int    argc,
      char **argv)
{
  static const struct
  {
    const char *name;
    void (*run) (VtrCutDevice *device);
  } ways[] = {
    { "plain", way_plain },
    { "timeline", way_timeline },
    { "commands", way_commands },
    { "event", way_event },
    { "waits", way_waits },
    { "busy", way_busy },
    { "record", way_record },
    { "threads", way_threads },
    { "devices", way_devices },
    { "churn", way_churn },
    { "forks", way_forks },
  };
  const VtrAppOption options[] = {
    { "--rounds", &vtr_cut.n_rounds, NULL, NULL, "of the first worker (60)" },
    { "--until", NULL, &vtr_cut.until_file, NULL, "file that ends the program, instead" },
    { "--calm", NULL, &vtr_cut.calm_file, NULL, "file that ends being busy" },
    { "--end", NULL, &end_how, NULL, "exit, _exit, abort, segv or kill" },
    { "--end-at", &end_at, NULL, NULL, "submission" },
    { 0 },
  };
  int n = vtr_app_options (argc, argv, options);
  const char *how = n < argc ? argv[n] : "plain";
  bool right = false;
  pthread_t thread;
  VtrCutDevice device;

  vtr_cut_device_init (&device);
  vtr_cut_add (&device, 1);
  if (end_how != NULL)
    start_thread (&thread, end_somehow, NULL);
  for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++)
    if (strcmp (ways[i].name, how) == 0)
      {
        ways[i].run (&device);
        right = vtr_cut_finish ();
      }
  for (int i = 0; i < 2; i++)
    if (more[i].pipeline != VK_NULL_HANDLE)
      vtr_cut_device_finish (&more[i]);
  vtr_cut_device_finish (&device);
  return right ? 0 : 1;
}
