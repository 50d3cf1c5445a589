/* Waits until all threads are outside of Vulkan calls and all queues are idle, and lets single
 * calls through if others wait for them. */
#include "vtr-layer-quiesce.h"

#include "vtr-layer-live.h"

#include <stdlib.h>

/* From the beginning, in milliseconds. */
#define STILL_MS 100   /* threads are out of their calls, or some are let through */
#define QUIET_MS 150   /* queues are idle, or some are let through */
#define AWAITED_MS 270 /* idle with what their work waited for */
#define OPEN_MS 300    /* likewise, or all others */
#define CLOSED_MS 400  /* nobody is let through any more */
#define OUT_MS 440     /* threads are out for good */
#define DEADLINE_MS 500

#define SETTLED_MS 10 /* for queues that have nothing to wait for */
#define MIN(a, b) ((a) < (b) ? (a) : (b))

#define FORGET_NS 1000000000u

/* The end of what a queue has been given. */
typedef struct Mark Mark;
struct Mark
{
  Mark *next;
  VtrLayerDevice *device;
  VkFence fence;
};

static struct
{
  pthread_mutex_t lock;
  Mark *first; /* not signalled yet */
} marks = { .lock = PTHREAD_MUTEX_INITIALIZER };

static atomic_bool has_host_waits;

static bool
mark_queue (VtrLayerDevice *device,
            VkQueue         queue)
{
  const VkFenceCreateInfo info = { .sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO };
  Mark *self = calloc (1, sizeof *self);

  if (self == NULL ||
      device->next.CreateFence (device->handle, &info, NULL, &self->fence) != VK_SUCCESS)
    {
      free (self);
      return false;
    }
  /* An empty submission is done when all that were before it are. */
  if (device->next.QueueSubmit (queue, 0, NULL, self->fence) != VK_SUCCESS)
    {
      device->next.DestroyFence (device->handle, self->fence, NULL);
      free (self);
      return false;
    }
  self->device = device;
  self->next = marks.first;
  marks.first = self;
  return true;
}

static bool
mark_device (uint64_t  key,
             void     *value,
             void     *data)
{
  VtrLayerDevice *device = value;
  bool *done = data;

  if (device->live == NULL)
    return false;
  for (const VtrLayerObject *queue = device->live->living[VTR_HANDLE_VkQueue];
       queue != NULL && *done; queue = queue->next_living)
    *done = mark_queue (device, (VkQueue)(uintptr_t)queue->handle);
  return false;
}

static bool
mark_queues (void)
{
  bool done = true;

  pthread_mutex_lock (&marks.lock);
  vtr_layer_map_sweep (&vtr_layer_devices, mark_device, &done);
  pthread_mutex_unlock (&marks.lock);
  return done;
}

/* Returns: whether all queues came as far as they were marked. */
static bool
wait_for_marks (int64_t deadline)
{
  bool idle = true;

  pthread_mutex_lock (&marks.lock);
  for (Mark **link = &marks.first; *link != NULL;)
    {
      const VtrDeviceDispatch *next = &(*link)->device->next;
      VkDevice device = (*link)->device->handle;
      int64_t left = deadline - vtr_layer_now_ms ();
      VkResult result = next->WaitForFences (device, 1, &(*link)->fence, VK_TRUE,
                                             left > 0 ? (uint64_t)left * 1000000u : 0);

      if (result != VK_SUCCESS)
        {
          idle = false;
          link = &(*link)->next;
          continue;
        }
      Mark *done = *link;

      *link = done->next;
      next->DestroyFence (device, done->fence, NULL);
      free (done);
    }
  pthread_mutex_unlock (&marks.lock);
  return idle;
}

void
vtr_layer_quiesce_forget (VtrLayerDevice *device)
{
  pthread_mutex_lock (&marks.lock);
  for (Mark **link = &marks.first; *link != NULL;)
    {
      Mark *each = *link;

      if (each->device != device)
        {
          link = &each->next;
          continue;
        }
      *link = each->next;
      /* What the program gave the queue is done; what came after it is at once. */
      device->next.WaitForFences (device->handle, 1, &each->fence, VK_TRUE, FORGET_NS);
      device->next.DestroyFence (device->handle, each->fence, NULL);
      free (each);
    }
  pthread_mutex_unlock (&marks.lock);
}

bool
vtr_layer_quiesce_settle (int64_t deadline)
{
  return mark_queues () && wait_for_marks (deadline);
}

/* Lets through what the work that there is waits for, and nothing else that makes work, until that
 * has come to its end. Returns: whether it has; then the gate is closed. */
static bool
try_awaited (VtrLayerThread *thread,
             int64_t         start)
{
  const int64_t end = start + AWAITED_MS;

  while (vtr_layer_now_ms () < end)
    {
      vtr_layer_gate_set (VTR_LAYER_GATE_AWAITED);
      if (!wait_for_marks (end))
        return false;
      /* What was let through meanwhile may wait for something itself. */
      vtr_layer_gate_set (VTR_LAYER_GATE_CLOSED);
      if (!vtr_layer_gate_wait (&thread->place, end))
        return false;
      if (!mark_queues ())
        return false;
      if (wait_for_marks (MIN (end, vtr_layer_now_ms () + SETTLED_MS)))
        return true;
    }
  return false;
}

/* Whether it came to rest with no more than what its work waited for. If not, others were let
 * through for a while: what may end waits, and then whatever has to come before that. */
static bool
try_quietly (VtrLayerThread *thread,
             int64_t         start)
{
  static const struct
  {
    VtrLayerGateState state;
    int64_t end;
  } steps[] = { { VTR_LAYER_GATE_SIGNALS, OPEN_MS }, { VTR_LAYER_GATE_OPEN, CLOSED_MS } };
  bool out;

  vtr_layer_gate_set (VTR_LAYER_GATE_CLOSED);
  out = vtr_layer_gate_wait (&thread->place, start + STILL_MS);
  if (out && mark_queues () &&
      (wait_for_marks (start + QUIET_MS) || try_awaited (thread, start)))
    return true;
  for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++)
    {
      vtr_layer_gate_set (steps[i].state);
      if (out ? wait_for_marks (start + steps[i].end)
              : vtr_layer_gate_wait (&thread->place, start + steps[i].end))
        break;
    }
  return false;
}

const char *
vtr_layer_quiesce_begin (VtrLayerThread *thread)
{
  int64_t start = vtr_layer_now_ms ();

  /* Calls that the driver makes back into the program on this thread pass. */
  thread->place.depth++;
  if (try_quietly (thread, start))
    return NULL;
  vtr_layer_gate_set (VTR_LAYER_GATE_CLOSED);
  if (!vtr_layer_gate_wait (&thread->place, start + OUT_MS))
    return "A thread of the program did not come out of a call";
  if (!mark_queues ())
    return "The driver did not accept another submission";
  if (!wait_for_marks (start + DEADLINE_MS))
    return "The program's work on the GPU did not come to an end";
  return NULL;
}

void
vtr_layer_quiesce_note_host_waits (void)
{
  atomic_store_explicit (&has_host_waits, true, memory_order_relaxed);
}

bool
vtr_layer_quiesce_begin_last (VtrLayerThread *thread)
{
  if (atomic_load_explicit (&has_host_waits, memory_order_relaxed))
    return vtr_layer_quiesce_begin (thread) == NULL;
  thread->place.depth++;
  vtr_layer_gate_set (VTR_LAYER_GATE_CLOSED);
  /* Whoever does not come out is merely recorded behind the end. */
  vtr_layer_gate_wait (&thread->place, vtr_layer_now_ms () + DEADLINE_MS);
  return true;
}

void
vtr_layer_quiesce_end (VtrLayerThread *thread)
{
  vtr_layer_gate_set (VTR_LAYER_GATE_OPEN);
  thread->place.depth--;
}
