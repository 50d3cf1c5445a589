/* The parts of the program in cut.c: devices, and workers that submit rounds to them. The variants
 * are in cut.c.
 *
 * Threading: a worker is one thread's at a time; vtr_cut is everybody's.
 */
#pragma once

#include "vtr-app.h"

#include <pthread.h>
#include <stdatomic.h>

#define VTR_CUT_SLOTS 1024u /* of a worker's rounds, used again and again */
#define VTR_CUT_WORDS 16u
#define VTR_CUT_MAX_WORKERS 6u

typedef struct
{
  VtrAppGpu gpu;
  pthread_mutex_t lock; /* of the queue */
  VkDescriptorSetLayout set_layout;
  VkPipelineLayout layout;
  VkPipeline pipeline;
} VtrCutDevice;

/* A worker's next submission waits for and signals values of its own timelines. */
typedef struct
{
  uint64_t wait;   /* of .allowed; 0: for nothing */
  uint64_t signal; /* of .done; 0: nothing */
} VtrCutOrder;

typedef struct
{
  VtrCutDevice *device;
  uint32_t number;
  uint64_t n_rounds;   /* so far */
  VtrAppBuffer source; /* mapped */
  VtrAppBuffer result; /* not mapped: writes of the CPU could not be observed */
  VkCommandPool pool;
  VkDescriptorPool descriptors;
  VkDescriptorSet sets[2]; /* and what follows: of even and odd rounds */
  VkCommandBuffer commands[2];
  VkFence fences[2];
  VkSemaphore announced; /* timelines: about to be submitted, may run, has run */
  VkSemaphore allowed;
  VkSemaphore done;
  VkEvent event;
  bool waits_for_event;
  bool halves;
  uint32_t expected[VTR_CUT_SLOTS * VTR_CUT_WORDS];
  pthread_t thread;
} VtrCutWorker;

typedef struct
{
  uint32_t n_rounds;
  const char *calm_file, *until_file;
  VtrCutWorker workers[VTR_CUT_MAX_WORKERS];
  uint32_t n_workers;
  _Atomic uint64_t n_submitted;
  _Atomic bool stopping, calm;
} VtrCut;

extern VtrCut vtr_cut;

/* Waits a little, for the program's own conditions. */
void vtr_cut_nap (void);

void vtr_cut_device_init (VtrCutDevice *self);
void vtr_cut_device_finish (VtrCutDevice *self);

VkSemaphore vtr_cut_timeline (const VtrCutDevice *device);
void vtr_cut_signal (const VtrCutDevice *device,
                     VkSemaphore         semaphore,
                     uint64_t            value);
void vtr_cut_wait (const VtrCutDevice *device,
                   VkSemaphore         semaphore,
                   uint64_t            value);

void vtr_cut_worker_init (VtrCutWorker *self,
                          VtrCutDevice *device,
                          uint32_t      number);
/* Returns: whether the result is correct. */
bool vtr_cut_worker_finish (VtrCutWorker *self);
/* Everything of a round but its submission. */
void vtr_cut_prepare (VtrCutWorker *self);
void vtr_cut_submit (VtrCutWorker *self,
                     VtrCutOrder   order);
/* Whether there is another round. Worker 0 looks for the files. */
bool vtr_cut_goes_on (const VtrCutWorker *self);

/* Adds @n to vtr_cut.workers. */
void vtr_cut_add (VtrCutDevice *device,
                  uint32_t      n);
/* The end of them all. Returns: whether all results are right. */
bool vtr_cut_finish (void);
