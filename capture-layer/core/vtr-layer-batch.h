/* Calls that enter a recording as a whole: those that are recorded into a command list, and those
 * of one thread in one context between two calls that make earlier work visible to others.
 *
 * They are written into a block of the ring, a chain of segments, without locks. When the batch is published, the block
 * gets a ticket, and all its calls stand in the trace at that place.
 *
 * Threading: as the API synchronises access to the command list; one thread at a time for a context. */
#pragma once

#include "api/vtr-api-env.h"
#include "vtr-layer-thread.h"

/**
 * VtrLayerBatch:
 *
 * An API embeds it in its data of a command list or a context, and sets .env and .name.
 */
typedef struct VtrLayerBatch VtrLayerBatch;
struct VtrLayerBatch
{
  VtrRingChain block;   /* without segments: nothing is recorded */
  const VtrApiEnv *env; /* answers the walkers */
  uint64_t name;        /* of the command list, or of the context */
  uint32_t draws;       /* since it was begun */
  uint32_t thread;      /* of a context's: who has made its calls */

  /* Where recordings can begin at any frame. */
  VtrRingChain kept; /* the block as it was ended, while it may be executed */
  uint64_t order;    /* when it was ended */
  bool lost;         /* there was no room for its block */
};

/* Encodes a whole call into the block, by the tables. */
void vtr_layer_batch_encode (VtrLayerBatch *self,
                             VtrCmdId       cmd,
                             const void    *args,
                             uint64_t       result);

/* Takes the message that begins at @start of @thread's scratch, of a call in the context with namespace @names, which has
 * returned. A batch of another thread, or one that is large, is published. */
void vtr_layer_batch_append (VtrLayerBatch  *self,
                             VtrLayerThread *thread,
                             uint32_t        names,
                             VtrCmdId        cmd,
                             size_t          start);

/* @elements, @n of @size bytes and @stride apart, one right behind the other: a trace has arrays no other
 * way. Returns: @elements itself when they are, or nothing is recorded; else valid until the thread calls
 * again. */
const void *vtr_layer_pack (VtrLayerBatch *self,
                            const void    *elements,
                            uint32_t       n,
                            uint32_t       stride,
                            size_t         size);

/* Starts a block for a recording that begins. Returns: false without one. */
bool vtr_layer_batch_begin (VtrLayerBatch *self);

/* The block cannot go on: recording has ended. */
void vtr_layer_batch_lose (VtrLayerBatch *self);

/* Announces the block with VTR_RING_BLOCK_* @flags, or drops it when nothing is being recorded. Gives up
 * the one that was kept. */
void vtr_layer_batch_publish (VtrLayerBatch *self,
                              uint32_t       flags);

/* Like vtr_layer_batch_publish (), but leaves the block that was kept to vtr_layer_batch_begin (). */
void vtr_layer_batch_publish_open (VtrLayerBatch *self,
                                   uint32_t       flags);

/* Announces the block, if anything is being recorded, and keeps it while it may be submitted. */
void vtr_layer_batch_keep (VtrLayerBatch *self);

/* Announces a block that was kept: it is part of what the recording begins with. Returns: false when
 * recording has ended. */
bool vtr_layer_batch_write_kept (VtrLayerBatch  *self,
                                 VtrLayerThread *thread);
