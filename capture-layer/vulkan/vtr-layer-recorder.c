/* Turns each intercepted call into a record: into the calling thread's log, or into the block of
 * the command buffer that is being recorded. */
#include "vtr-layer-recorder.h"

#include "vtr-layer-late.h"
#include "vtr-layer-live.h"
#include "vtr-layer-thumbnail.h"
#include "vtr-layer-trigger.h"

#include <stdlib.h>
#include <string.h>

VtrLayerThread *
vtr_layer_thread_enter (VtrCmdId cmd)
{
  VtrLayerThread *self = vtr_layer_is_live () ? vtr_layer_thread_get () : NULL;

  if (self != NULL)
    vtr_layer_gate_enter (&self->place, cmd);
  return self;
}

VtrLayerThread *
vtr_layer_thread_enter_signaller (VtrCmdId    cmd,
                                  const void *args)
{
  VtrLayerThread *self = vtr_layer_is_live () ? vtr_layer_thread_get () : NULL;

  if (self != NULL)
    vtr_layer_gate_enter_signaller (&self->place, cmd, args);
  return self;
}

void
vtr_layer_thread_leave (VtrLayerThread *self)
{
  if (self == NULL)
    return;
  vtr_layer_gate_leave (&self->place);
  if (__builtin_expect (self->boundary, 0) && self->place.depth == 0)
    vtr_layer_trigger_boundary (self);
}

/* ---- Calls ---- */

/* Whether the driver may keep the call for long, waiting for the GPU or another thread. Not those
 * that wait for a whole queue: we may have to use it meanwhile. */
static bool
may_rest (VtrCmdId cmd)
{
  return vtr_cmd_is (cmd, VTR_CLASS_WAIT | VTR_CLASS_ACQUIRE) && cmd != VTR_CMD_vkQueueWaitIdle &&
         cmd != VTR_CMD_vkDeviceWaitIdle;
}

static void
begin_message (VtrLayerCall *self,
               const void   *args)
{
  self->start = self->thread->scratch.size;
  self->flags = vtr_api_encode_begin (&self->thread->scratch, self->cmd, args, self->thread->id,
                                      vtr_layer_ticks (), &self->names->env);
  self->encode = true;
}

static void
enter (VtrLayerCall *self,
       VtrNamespace *names,
       VtrCmdId      cmd,
       const void   *args)
{
  *self = (VtrLayerCall){ .thread = vtr_layer_thread_get (), .names = names, .cmd = cmd };
  if (self->thread == NULL)
    return;
  if (vtr_layer_is_live ())
    vtr_layer_gate_enter (&self->thread->place, cmd);
  /* Where there is a stay inside around this one, it has asked (gen/emit_trampolines.py). */
  if (vtr_layer_late_is_pending () && self->thread->place.depth == 1)
    vtr_layer_late_before (self->thread, names, cmd, args);
  self->record = vtr_layer_is_recording ();
  if (self->record)
    self->outer = vtr_ring_log_set_inside (&self->thread->log, cmd + 1u);
  if (self->record || (vtr_layer_is_live () && vtr_layer_live_needs_message (cmd)))
    begin_message (self, args);
}

void
vtr_layer_call_enter (VtrLayerCall *self,
                      VtrNamespace *names,
                      VtrCmdId      cmd,
                      const void   *args)
{
  enter (self, names, cmd, args);
  if (self->thread != NULL && vtr_layer_is_live () && may_rest (cmd))
    vtr_layer_gate_rest (&self->thread->place);
}

/* Comes back from a driver that may have kept the call for long: a recording may have begun. */
static void
resume (VtrLayerCall *self,
        const void   *args)
{
  bool recorded = self->record;

  vtr_layer_gate_resume (&self->thread->place);
  self->record = vtr_layer_is_recording ();
  /* Or ended. */
  if (recorded && !self->record)
    vtr_ring_log_set_inside (&self->thread->log, self->outer);
  if (self->record && !self->encode)
    begin_message (self, args);
}

void
vtr_layer_call_leave (VtrLayerCall *self,
                      const void   *args,
                      uint64_t      result)
{
  VtrLayerThread *thread = self->thread;

  if (thread == NULL)
    return;
  if (vtr_layer_is_live () && may_rest (self->cmd))
    resume (self, args);
  if (self->encode)
    vtr_api_encode_end (&thread->scratch, self->cmd, args, result, self->flags, &self->names->env);
  if (vtr_layer_is_live ())
    vtr_layer_live_called (self, args, (int64_t)result);
  if (self->record)
    {
      vtr_layer_thread_append (thread, self->cmd, 0, self->start);
      vtr_ring_log_set_inside (&thread->log, self->outer);
    }
  else if (self->encode)
    vtr_layer_thread_forget (thread, self->start);
  if (vtr_layer_is_live ())
    vtr_layer_gate_leave (&thread->place);
}

void
vtr_layer_call_add_extra (const char *type,
                          const void *data,
                          size_t      size)
{
  VtrLayerThread *thread = vtr_layer_self;

  if (thread != NULL && thread->scratch.size > 0)
    vtr_api_encode_extra (&thread->scratch, type, data, size);
}

void
vtr_layer_call_commit (VtrLayerCall *self,
                       VtrNamespace *names,
                       VtrCmdId      cmd,
                       const void   *args)
{
  enter (self, names, cmd, args);
  if (self->thread == NULL)
    return;
  if (vtr_layer_is_live ())
    vtr_layer_live_called (self, args, 0);
  if (self->encode && !self->record)
    vtr_layer_thread_forget (self->thread, self->start);
  if (!self->record)
    return;
  if (self->flags != 0)
    {
      vtr_buffer_append_u8 (&self->thread->scratch, VTR_COMMAND_FLAGS << 3 | 5);
      vtr_buffer_append_u32 (&self->thread->scratch, self->flags);
    }
  self->ticket = vtr_layer_thread_append (self->thread, cmd, VTR_RECORD_PENDING, self->start);
}

void
vtr_layer_call_returned (VtrLayerCall *self,
                         uint64_t      result)
{
  VtrRingReturned returned = { self->ticket, result };

  if (self->thread == NULL)
    return;
  if (self->record)
    vtr_ring_log_set_inside (&self->thread->log, self->outer);
  if (self->record && self->ticket != 0)
    (void)!vtr_ring_log_append (&self->thread->log, VTR_RECORD_RETURNED, 0, &returned,
                                sizeof returned, NULL);
  if (vtr_layer_is_live ())
    vtr_layer_gate_leave (&self->thread->place);
}

void
vtr_layer_record_info (const char *name,
                       const void *message,
                       size_t      size)
{
  VtrLayerThread *thread = vtr_layer_thread_get ();
  uint16_t length = (uint16_t)strlen (name);
  size_t start;

  if (thread == NULL || !vtr_layer_is_recording ())
    return;
  start = thread->scratch.size;
  vtr_buffer_append (&thread->scratch, &length, sizeof length);
  vtr_buffer_append (&thread->scratch, name, length);
  vtr_buffer_append (&thread->scratch, message, size);
  vtr_layer_thread_append (thread, VTR_RECORD_INFO, 0, start);
}

void
vtr_layer_count_frame (int32_t result)
{
  VtrRingHeader *header = vtr_layer_ring.header;
  VtrLayerThread *thread;
  uint64_t frames;
  uint32_t limit;

  /* In the same stay inside as what ends the frame: a recording counts those that are in it. */
  if (header == NULL || vtr_layer_get_mode () == VTR_RING_MODE_OFF)
    return;
  frames = atomic_fetch_add_explicit (&header->frames, 1, memory_order_relaxed) + 1;
  if (frames == 1)
    vtr_layer_transport_rung (VTR_CAPTURE_RUNG_FIRST_PRESENT, result, "");
  if (vtr_layer_is_live ())
    {
      vtr_layer_trigger_count (vtr_layer_self);
      return;
    }
  limit = atomic_load_explicit (&header->frame_limit, memory_order_relaxed);
  if (limit == 0 || frames < limit || !vtr_layer_is_recording ())
    return;
  thread = vtr_layer_thread_get ();
  if (thread != NULL)
    {
      vtr_layer_thumbnail_commit (thread);
      vtr_ring_log_stop (&thread->log);
    }
  vtr_layer_transport_stop ();
}

/* Submissions after which a program that may present, but has made no surface, is taken for one
 * that does not. */
#define SUBMISSIONS_WITHOUT_SURFACE 64

static _Atomic bool has_surface;
static _Atomic uint32_t n_presenters;
static _Atomic uint32_t n_submissions;

void
vtr_layer_count_surface (void)
{
  atomic_store_explicit (&has_surface, true, memory_order_relaxed);
}

void
vtr_layer_count_presenter (bool made)
{
  if (made)
    atomic_fetch_add_explicit (&n_presenters, 1, memory_order_relaxed);
  else
    atomic_fetch_sub_explicit (&n_presenters, 1, memory_order_relaxed);
}

void
vtr_layer_count_submission (void)
{
  VtrRingHeader *header = vtr_layer_ring.header;

  if (!vtr_layer_is_live () || header == NULL || !vtr_layer_is_encoding () ||
      atomic_load_explicit (&has_surface, memory_order_relaxed))
    return;
  if (atomic_load_explicit (&n_presenters, memory_order_relaxed) > 0 &&
      atomic_fetch_add_explicit (&n_submissions, 1, memory_order_relaxed) <
        SUBMISSIONS_WITHOUT_SURFACE)
    return;
  atomic_fetch_add_explicit (&header->frames, 1, memory_order_relaxed);
  vtr_layer_trigger_count (vtr_layer_self);
}

/* ---- Blocks ---- */

void
vtr_layer_block_encode (VtrLayerCommandBuffer *self,
                        VtrCmdId               cmd,
                        const void            *args,
                        uint64_t               result)
{
  VtrLayerThread *thread = vtr_layer_thread_get ();
  size_t start;
  size_t size;

  if (thread == NULL)
    {
      vtr_layer_block_lose (self);
      return;
    }
  start = thread->scratch.size;
  vtr_api_encode (&thread->scratch, cmd, args, result, thread->id, 0, 0, &self->device->names.env);
  size = thread->scratch.size - start;
  if (thread->scratch.failed)
    vtr_ring_writer_end (&vtr_layer_ring, VTR_RING_STATE_NO_MEMORY);
  if (vtr_ring_block_append (&self->block, cmd, size > 1024 ? VTR_RECORD_LARGE : 0,
                             thread->scratch.data + start, size) != VTR_OK)
    vtr_layer_block_lose (self);
  thread->scratch.size = start;
}

const void *
vtr_layer_pack (VtrLayerCommandBuffer *self,
                const void            *elements,
                uint32_t               n,
                uint32_t               stride,
                size_t                 size)
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
      vtr_layer_block_lose (self);
      return elements;
    }
  for (uint32_t i = 0; i < n; i++)
    memcpy ((uint8_t *)thread->packed + i * size,
            (const uint8_t *)elements + (size_t)i * stride, size);
  return thread->packed;
}

bool
vtr_layer_block_begin (VtrLayerCommandBuffer *self)
{
  const uint64_t handle = (uint64_t)(uintptr_t)self->handle;
  bool recording = vtr_layer_is_recording ();

  vtr_layer_effects_clear (&self->effects);
  vtr_layer_reach_clear (&self->reach);
  self->executes = false;
  self->lost = false;
  if (vtr_ring_block_begin_over (&self->block, &self->kept, handle, !recording))
    return true;
  vtr_ring_block_drop (&self->kept);
  if (recording ? vtr_ring_block_begin (&self->block, &vtr_layer_ring, handle)
                : vtr_ring_block_begin_modest (&self->block, &vtr_layer_ring, handle))
    return true;
  vtr_layer_block_lose (self);
  return false;
}

void
vtr_layer_block_lose (VtrLayerCommandBuffer *self)
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
vtr_layer_block_publish (VtrLayerCommandBuffer *self,
                         uint32_t               flags)
{
  vtr_ring_block_drop (&self->kept);
  vtr_layer_block_publish_open (self, flags);
}

void
vtr_layer_block_publish_open (VtrLayerCommandBuffer *self,
                              uint32_t               flags)
{
  VtrLayerThread *thread;

  if (self->block.segment == NULL)
    return;
  if (!vtr_layer_is_recording ())
    {
      uint32_t ended;

      /* Where the recording broke off, what was committed is for whoever completes it. */
      atomic_thread_fence (memory_order_acquire);
      ended = atomic_load_explicit (&vtr_layer_ring.ended, memory_order_relaxed);
      if (ended != 0 && ended != VTR_RING_STATE_DONE)
        vtr_layer_block_lose (self);
      else
        vtr_ring_block_drop (&self->block);
      return;
    }
  thread = vtr_layer_thread_get ();
  if (thread == NULL)
    {
      vtr_layer_block_lose (self);
      return;
    }
  atomic_fetch_add_explicit (&vtr_layer_ring.header->draws, self->draws, memory_order_relaxed);
  self->draws = 0;
  if (vtr_ring_block_publish (&self->block, &thread->log, flags, false) != VTR_OK)
    vtr_layer_block_lose (self);
}

void
vtr_layer_block_keep (VtrLayerCommandBuffer *self)
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
vtr_layer_block_write_kept (VtrLayerCommandBuffer *self,
                            VtrLayerThread        *thread)
{
  return vtr_ring_block_publish (&self->kept, &thread->log, VTR_RING_BLOCK_INITIAL, true) == VTR_OK;
}
