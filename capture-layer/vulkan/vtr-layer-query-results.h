/* The results of a device's queries at the start of a mid-run capture.
 *
 * If the CPU asks a driver for results, the driver may wait for all of its work each time, for
 * each pool and each width of numbers; with ten pools that was most of the time that starting a
 * capture took. So the GPU copies the results of all pools in one submission, while the CPU does
 * other things.
 *
 * Threading: the thread that begins the capture. */
#pragma once

#include "vtr-layer-initial.h"
#include "vtr-layer-readback.h"

/* The queries of one pool. Each is a number of values and one that says whether it is available (0: it is not), first
 * all of them in 64 bits, then all in 32. */
typedef struct
{
  const VtrLayerQueryPool *pool;
  VkQueryPool handle;
  uint64_t wide, narrow; /* where they begin */
} VtrLayerQueryPlace;

/* Zero-initialised there are none. */
typedef struct VtrLayerQueryResults
{
  VtrLayerDevice *device;
  VtrBuffer places; /* VtrLayerQueryPlace */
  uint64_t size;
  VtrLayerReadback readback;
  VkCommandPool pool;
  VkFence fence;
  uint8_t *asked; /* what the CPU was told, if it had to ask */
  bool running;   /* the GPU copies */
  bool lost;      /* it may do so for ever */
} VtrLayerQueryResults;

/* Whether queries of @type are begun and ended, or written, by commands without more conditions, and give numbers:
 * the results of others are not read. */
bool vtr_layer_query_is_plain (VkQueryType type);

/* How many bytes a query of @pool takes, with numbers of @width bytes; and how such are asked for. */
uint64_t vtr_layer_query_stride (const VtrLayerQueryPool *pool,
                                 size_t                   width);
VkQueryResultFlags vtr_layer_query_flags (size_t width);

/* Has the GPU copy the results of all pools of @device, which is idle, on one of its @queues. Where it cannot, the CPU
 * asks instead. Returns: false when there is no memory left. */
bool vtr_layer_query_results_start (VtrLayerQueryResults    *self,
                                    VtrLayerDevice          *device,
                                    const VtrLayerLiveQueue *queues,
                                    size_t                   n_queues);

/* Waits until they are there. Returns: the bytes of all; NULL when there are none, or the GPU did not copy them. */
const uint8_t *vtr_layer_query_results_wait (VtrLayerQueryResults *self);

/* Whether query @nth of @place is available. @bytes: of all */
bool vtr_layer_query_is_available (const VtrLayerQueryPlace *place,
                                   const uint8_t            *bytes,
                                   uint32_t                  nth);

void vtr_layer_query_results_finish (VtrLayerQueryResults *self);
