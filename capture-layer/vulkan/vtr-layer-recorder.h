/* Writes the records of calls: into the calling thread's log, or into a command buffer's block.
 *
 * Threading: any; each thread has its own state. */
#pragma once

#include "api/vtr-api-walk.h"
#include "vtr-layer-thread.h"
#include "vtr-layer.h"

/* A call under way; on the trampoline's stack. Zero .thread: neither recorded nor followed. */
typedef struct
{
  VtrLayerThread *thread;
  VtrNamespace *names;
  size_t start; /* of the message in .scratch */
  uint64_t ticket;
  uint32_t flags;
  uint32_t outer; /* VtrRingStream.inside of the call around this one */
  VtrCmdId cmd;
  bool record; /* the call goes into the log */
  bool encode; /* its message is being built */
} VtrLayerCall;

/* For calls that have something to do before they are entered: enter and leave the gate, if there is
 * one. In pairs, around everything. */
VtrLayerThread *vtr_layer_thread_enter (VtrCmdId cmd);
/* The same of a call that gives the device work, or may end a wait. */
VtrLayerThread *vtr_layer_thread_enter_signaller (VtrCmdId    cmd,
                                                  const void *args);
void vtr_layer_thread_leave (VtrLayerThread *self);

/* ---- Calls that are recorded when they have returned ---- */

/* Observes what the driver will read. Sets @self->thread to NULL if the call cannot be recorded. @args
 * must stay until the call is left. */
void vtr_layer_call_enter (VtrLayerCall *self,
                           VtrNamespace *names,
                           VtrCmdId      cmd,
                           const void   *args);

/* Observes what it wrote and commits. */
void vtr_layer_call_leave (VtrLayerCall *self,
                           const void   *args,
                           uint64_t      result);

/* Adds data of a @type of our own to the call under way on this thread, if it is recorded. */
void vtr_layer_call_add_extra (const char *type,
                               const void *data,
                               size_t      size);

/* ---- Calls that are recorded before the driver is called ---- */

/* Observes and commits. */
void vtr_layer_call_commit (VtrLayerCall *self,
                            VtrNamespace *names,
                            VtrCmdId      cmd,
                            const void   *args);

/* Commits the result. */
void vtr_layer_call_returned (VtrLayerCall *self,
                              uint64_t      result);

/* ---- Command buffers ---- */

/* Encodes a whole call into the block, by the tables. */
void vtr_layer_block_encode (VtrLayerCommandBuffer *self,
                             VtrCmdId               cmd,
                             const void            *args,
                             uint64_t               result);

/* @elements, @n of @size bytes and @stride apart, one right behind the other: a trace has arrays no other
 * way. Returns: @elements itself when they are, or nothing is recorded; else valid until the thread calls
 * again. */
const void *vtr_layer_pack (VtrLayerCommandBuffer *self,
                            const void            *elements,
                            uint32_t               n,
                            uint32_t               stride,
                            size_t                 size);

/* Starts a block for a recording that begins. Returns: false without one. */
bool vtr_layer_block_begin (VtrLayerCommandBuffer *self);

/* The block cannot go on: recording has ended. */
void vtr_layer_block_lose (VtrLayerCommandBuffer *self);

/* Announces the block with VTR_RING_BLOCK_* @flags, or drops it when nothing is being recorded. Gives up
 * the one that was kept. */
void vtr_layer_block_publish (VtrLayerCommandBuffer *self,
                              uint32_t               flags);

/* The same, and leaves the one that was kept to vtr_layer_block_begin (). */
void vtr_layer_block_publish_open (VtrLayerCommandBuffer *self,
                                   uint32_t               flags);

/* Announces the block, if anything is being recorded, and keeps it while it may be submitted. */
void vtr_layer_block_keep (VtrLayerCommandBuffer *self);

/* Announces a block that was kept: it is part of what the recording begins with. Returns: false when
 * recording has ended. */
bool vtr_layer_block_write_kept (VtrLayerCommandBuffer *self,
                                 VtrLayerThread        *thread);

/* ---- Records of our own ---- */

/* Commits a VTR_RECORD_INFO: a message of type @name. */
void vtr_layer_record_info (const char *name,
                            const void *message,
                            size_t      size);

/* Counts a frame that was presented with @result; ends recording when it was the last one wanted. Within
 * vtr_layer_thread_enter() and vtr_layer_thread_leave(), which begins and ends recordings of a part of a
 * run; likewise below. */
void vtr_layer_count_frame (int32_t result);

/* Counts a submission, which ends a frame in programs that cannot present. */
void vtr_layer_count_submission (void);

/* Something was @made, or has ended, with which the program may come to present: a program that has nothing such ends
 * its frames by submissions from the first one on. */
void vtr_layer_count_presenter (bool made);

/* The program has something to present to. */
void vtr_layer_count_surface (void);

/* ---- Encoding in place, for generated code ---- */

#define VTR_LAYER_INLINE_MAX 4096u /* bytes of array content that a trampoline encodes itself */

static_assert (VTR_LAYER_INLINE_MAX + 512 < VTR_RING_SEGMENT_PAYLOAD, "fits into one segment");

/* Bytes that an observation of @size bytes takes (@size < 2^21). */
static inline size_t
vtr_layer_observation_size (size_t size)
{
  return size == 0 ? 0 : size + 1 + 3 + 9 + 1 + 3;
}

/* Whether any of the structures in an array of @size bytes has a pNext chain. */
static inline bool
vtr_layer_has_next (const void *array,
                    size_t      size,
                    size_t      stride)
{
  for (size_t at = 0; at < size; at += stride)
    if (((const VkBaseInStructure *)(const void *)((const uint8_t *)array + at))->pNext != NULL)
      return true;
  return false;
}

static inline uint8_t *
vtr_layer_put_u8 (uint8_t *to,
                  uint8_t  value)
{
  *to = value;
  return to + 1;
}

static inline uint8_t *
vtr_layer_put_u32 (uint8_t  *to,
                   uint32_t  value)
{
  memcpy (to, &value, sizeof value);
  return to + sizeof value;
}

static inline uint8_t *
vtr_layer_put_u64 (uint8_t  *to,
                   uint64_t  value)
{
  memcpy (to, &value, sizeof value);
  return to + sizeof value;
}

static inline uint32_t
vtr_layer_bits_f32 (float value)
{
  uint32_t bits;

  memcpy (&bits, &value, sizeof bits);
  return bits;
}

/* memcpy() for what command buffers are given: nearly always a few words. */
static inline void
vtr_layer_copy (uint8_t       *to,
                const uint8_t *from,
                size_t         size)
{
  if (__builtin_expect (size > 128, 0))
    {
      memcpy (to, from, size);
      return;
    }
  for (; size >= 8; size -= 8, from += 8, to += 8)
    memcpy (to, from, 8);
  if (size & 4)
    {
      memcpy (to, from, 4);
      from += 4;
      to += 4;
    }
  for (size &= 3; size > 0; size--)
    *to++ = *from++;
}

/* A number below 2^21 as a varint of always three bytes: no branches, and zstd removes the slack. */
static inline uint32_t
vtr_layer_varint3 (size_t value)
{
  return (uint32_t)((value & 0x7f) | 0x80 | (value & 0x3f80) << 1 | 0x8000 | (value & 0x1fc000) << 2);
}

/* A read observation; nothing for @size 0. */
static inline uint8_t *
vtr_layer_put_observation (uint8_t    *to,
                           const void *base,
                           size_t      size)
{
  if (size == 0)
    return to;
  /* Tag, length, tag of the base. */
  to = vtr_layer_put_u32 (to, VTR_COMMAND_READS << 3 | 2 | vtr_layer_varint3 (9 + 1 + 3 + size) << 8);
  to = vtr_layer_put_u8 (to, VTR_OBSERVATION_BASE << 3 | 1);
  to = vtr_layer_put_u64 (to, (uint64_t)(uintptr_t)base);
  to = vtr_layer_put_u32 (to, VTR_OBSERVATION_DATA << 3 | 2 | vtr_layer_varint3 (size) << 8);
  vtr_layer_copy (to, base, size);
  return to + size;
}
