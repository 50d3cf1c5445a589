/* Submits fences behind the work of all queues, and waits for them. */
#include "vtr-layer-marks.h"

#include "vtr-layer-live.h"

#include <stdlib.h>

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

bool
vtr_layer_marks_set (void)
{
  bool done = true;

  pthread_mutex_lock (&marks.lock);
  vtr_layer_map_sweep (&vtr_layer_devices, mark_device, &done);
  pthread_mutex_unlock (&marks.lock);
  return done;
}

bool
vtr_layer_marks_wait (int64_t deadline)
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
vtr_layer_marks_forget (VtrLayerDevice *device)
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
      /* The program's work on the queue is done; later work finishes at once. */
      device->next.WaitForFences (device->handle, 1, &each->fence, VK_TRUE, FORGET_NS);
      device->next.DestroyFence (device->handle, each->fence, NULL);
      free (each);
    }
  pthread_mutex_unlock (&marks.lock);
}

bool
vtr_layer_marks_settle (int64_t deadline)
{
  return vtr_layer_marks_set () && vtr_layer_marks_wait (deadline);
}
