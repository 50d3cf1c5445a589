/* Builds a record from scratch bytes and from large contents that are copied only once, into the
 * ring. */
#include "vtr-layer-split-record.h"

#include "api/vtr-api-walk.h"
#include "base/vtr-varint.h"
#include "wire/vtr-trace-objects.h"

void
vtr_layer_split_record_begin (VtrLayerSplitRecord *self,
                              VtrLayerThread      *thread)
{
  self->parts.size = 0;
  self->apart = 0;
  self->start = self->in_parts = thread->scratch.size;
}

/* Everything in the scratch that is not in parts yet is the next one. */
static void
end_part (VtrLayerSplitRecord *self,
          VtrLayerThread      *thread)
{
  const VtrRingPart part = { NULL, thread->scratch.size - self->in_parts };

  vtr_buffer_append (&self->parts, &part, sizeof part);
  self->in_parts = thread->scratch.size;
}

/* The beginning of an observation, up to the number @size. @follow: bytes after that */
static void
put_head (VtrLayerThread *thread,
          uint64_t        base,
          uint8_t         tag,
          uint64_t        size,
          uint64_t        follow)
{
  VtrBuffer *to = &thread->scratch;

  vtr_buffer_append_u8 (to, VTR_COMMAND_READS << 3 | 2);
  vtr_buffer_append_varint (to, 1 + sizeof base + 1 + vtr_varint_size (size) + follow);
  vtr_buffer_append_u8 (to, VTR_OBSERVATION_BASE << 3 | 1);
  vtr_buffer_append_u64 (to, base);
  vtr_buffer_append_u8 (to, tag);
  vtr_buffer_append_varint (to, size);
}

void
vtr_layer_split_record_observe (VtrLayerSplitRecord *self,
                                VtrLayerThread      *thread,
                                uint64_t             base,
                                const uint8_t       *bytes,
                                size_t               size)
{
  const VtrRingPart part = { bytes, size };

  put_head (thread, base, VTR_OBSERVATION_DATA << 3 | 2, size, size);
  end_part (self, thread);
  vtr_buffer_append (&self->parts, &part, sizeof part);
  self->apart += size;
  /* Without memory for its parts there is no record. */
  if (self->parts.failed)
    thread->scratch.failed = true;
}

void
vtr_layer_split_record_observe_zeros (VtrLayerThread *thread,
                                      uint64_t        base,
                                      size_t          size)
{
  put_head (thread, base, VTR_OBSERVATION_SIZE << 3, size, 0);
}

void
vtr_layer_split_record_commit (VtrLayerSplitRecord *self,
                               VtrLayerThread      *thread,
                               VtrRecordType        type)
{
  end_part (self, thread);
  if (self->parts.failed)
    thread->scratch.failed = true;
  vtr_layer_thread_append_parts (thread, (uint16_t)type, self->start, (void *)self->parts.data,
                                 self->parts.size / sizeof (VtrRingPart));
}

void
vtr_layer_split_record_finish (VtrLayerSplitRecord *self)
{
  vtr_buffer_finish (&self->parts);
}
