/* Writes calls into the block of a command list or a context, and announces it when others may
 * see them. */
#include "vtr-layer-batch.h"

#include "vtr-layer-order.h"

#include "api/vtr-api-walk.h"

#include <stdlib.h>
#include <string.h>

void
vtr_layer_batch_encode (VtrLayerBatch *self,
                        VtrCmdId       cmd,
                        const void    *args,
                        uint64_t       result)
{
  VtrLayerThread *thread = vtr_layer_thread_get ();
  size_t start;
  size_t size;

  if (thread == NULL)
    {
      vtr_layer_batch_lose (self);
      return;
    }
  start = thread->scratch.size;
  vtr_api_encode (&thread->scratch, cmd, args, result, thread->id, 0, 0, self->env);
  size = thread->scratch.size - start;
  if (thread->scratch.failed)
    vtr_ring_writer_end (&vtr_layer_ring, VTR_RING_STATE_NO_MEMORY);
  if (vtr_ring_block_append (&self->block, cmd, size > 1024 ? VTR_RECORD_LARGE : 0,
                             thread->scratch.data + start, size) != VTR_OK)
    vtr_layer_batch_lose (self);
  thread->scratch.size = start;
}

/* A context's batch with this many bytes is published even if no thread waits for it. */
#define FULL (256u * 1024u)

void
vtr_layer_batch_append (VtrLayerBatch  *self,
                        VtrLayerThread *thread,
                        uint32_t        names,
                        VtrCmdId        cmd,
                        size_t          start)
{
  const size_t size = thread->scratch.size - start;

  if (self->block.segment != NULL && (self->thread != thread->id || self->block.bytes > FULL))
    vtr_layer_batch_publish (self, 0);
  if (self->block.segment == NULL)
    {
      if (!vtr_layer_batch_begin (self))
        return;
      self->thread = thread->id;
      vtr_ring_block_set_stream (&self->block, thread->id, names);
    }
  if (thread->scratch.failed)
    vtr_ring_writer_end (&vtr_layer_ring, VTR_RING_STATE_NO_MEMORY);
  if (vtr_ring_block_append (&self->block, cmd, size > 1024 ? VTR_RECORD_LARGE : 0,
                             thread->scratch.data + start, size) != VTR_OK)
    vtr_layer_batch_lose (self);
}

const void *
vtr_layer_pack (VtrLayerBatch *self,
                const void    *elements,
                uint32_t       n,
                uint32_t       stride,
                size_t         size)
{
  VtrLayerThread *thread;

  if (elements == NULL || n < 2 || stride == size || self->block.segment == NULL)
    return elements;
  thread = vtr_layer_thread_get ();
  if (thread != NULL && thread->packed_size < n * size)
    {
      free (thread->packed);
      thread->packed = malloc (n * size);
      thread->packed_size = thread->packed != NULL ? n * size : 0;
    }
  if (thread == NULL || thread->packed == NULL)
    {
      vtr_layer_batch_lose (self);
      return elements;
    }
  for (uint32_t i = 0; i < n; i++)
    memcpy ((uint8_t *)thread->packed + i * size,
            (const uint8_t *)elements + (size_t)i * stride, size);
  return thread->packed;
}

bool
vtr_layer_batch_begin (VtrLayerBatch *self)
{
  bool recording = vtr_layer_is_recording ();

  self->lost = false;
  if (vtr_ring_block_begin_over (&self->block, &self->kept, self->name, !recording))
    return true;
  vtr_ring_block_drop (&self->kept);
  if (recording ? vtr_ring_block_begin (&self->block, &vtr_layer_ring, self->name)
                : vtr_ring_block_begin_modest (&self->block, &vtr_layer_ring, self->name))
    return true;
  vtr_layer_batch_lose (self);
  return false;
}

void
vtr_layer_batch_lose (VtrLayerBatch *self)
{
  if (vtr_layer_is_live () && !vtr_layer_is_recording () &&
      !vtr_ring_writer_has_ended (&vtr_layer_ring))
    {
      /* No recording can begin as long as it may be submitted. */
      vtr_ring_block_drop (&self->block);
      self->lost = true;
      return;
    }
  /* One that began while nothing was recorded fails without ending the recording. */
  vtr_ring_writer_end (&vtr_layer_ring, VTR_RING_STATE_FULL);
  /* The segments stay as they are: recovery lists what they hold as unfinished. */
  memset (&self->block, 0, sizeof self->block);
  vtr_layer_transport_stop ();
}

void
vtr_layer_batch_publish (VtrLayerBatch *self,
                         uint32_t       flags)
{
  vtr_ring_block_drop (&self->kept);
  vtr_layer_batch_publish_open (self, flags);
}

void
vtr_layer_batch_publish_open (VtrLayerBatch *self,
                              uint32_t       flags)
{
  VtrLayerThread *thread;

  if (self->block.segment == NULL)
    return;
  if (!vtr_layer_is_recording ())
    {
      uint32_t ended;

      /* If the recording breaks off, recovery completes what was committed. */
      atomic_thread_fence (memory_order_acquire);
      ended = atomic_load_explicit (&vtr_layer_ring.ended, memory_order_relaxed);
      if (ended != 0 && ended != VTR_RING_STATE_DONE)
        vtr_layer_batch_lose (self);
      else
        vtr_ring_block_drop (&self->block);
      return;
    }
  thread = vtr_layer_thread_get ();
  if (thread == NULL)
    {
      vtr_layer_batch_lose (self);
      return;
    }
  atomic_fetch_add_explicit (&vtr_layer_ring.header->draws, self->draws, memory_order_relaxed);
  self->draws = 0;
  if (vtr_ring_block_publish (&self->block, &thread->log, flags, false) != VTR_OK)
    vtr_layer_batch_lose (self);
}

void
vtr_layer_batch_keep (VtrLayerBatch *self)
{
  VtrLayerThread *thread = vtr_layer_is_recording () ? vtr_layer_thread_get () : NULL;

  self->order = vtr_layer_live_next_order ();
  if (thread == NULL)
    vtr_ring_block_mark_kept (&self->block);
  else
    {
      atomic_fetch_add_explicit (&vtr_layer_ring.header->draws, self->draws, memory_order_relaxed);
      self->draws = 0;
      if (vtr_ring_block_publish (&self->block, &thread->log, 0, true) != VTR_OK)
        vtr_layer_transport_stop ();
    }
  /* Calls that come now are none of it. */
  self->kept = self->block;
  memset (&self->block, 0, sizeof self->block);
}

bool
vtr_layer_batch_write_kept (VtrLayerBatch  *self,
                            VtrLayerThread *thread)
{
  return vtr_ring_block_publish (&self->kept, &thread->log, VTR_RING_BLOCK_INITIAL, true) == VTR_OK;
}
