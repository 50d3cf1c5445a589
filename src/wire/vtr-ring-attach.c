/* Lays out the file of a ring, and maps it for a writer. */
#include "vtr-ring-writer-private.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define HEADER_BYTES ((sizeof (VtrRingHeader) + 63) & ~(size_t)63)

static size_t
segments_offset_for (uint32_t n_segments,
                     uint32_t n_streams)
{
  size_t offset =
    HEADER_BYTES + (size_t)n_streams * sizeof (VtrRingStream) + (size_t)n_segments * 4;

  return (offset + VTR_RING_BACKING - 1) / VTR_RING_BACKING * VTR_RING_BACKING;
}

size_t
vtr_ring_size_for (uint32_t n_segments,
                   uint32_t n_streams)
{
  return segments_offset_for (n_segments, n_streams) + (size_t)n_segments * VTR_RING_SEGMENT_SIZE;
}

VtrStatus
vtr_ring_format (void     *base,
                 size_t    size,
                 uint32_t  n_streams)
{
  VtrRingHeader *header = base;
  size_t n_segments = size / VTR_RING_SEGMENT_SIZE;

  while (n_segments >= 4 && vtr_ring_size_for ((uint32_t)n_segments, n_streams) > size)
    n_segments--;
  if (n_segments < 4 || n_segments > UINT32_MAX / 2)
    return VTR_NO_SPACE;

  memcpy (header->magic, VTR_RING_MAGIC, sizeof header->magic);
  header->version = VTR_RING_VERSION;
  header->segment_size = VTR_RING_SEGMENT_SIZE;
  header->n_segments = (uint32_t)n_segments;
  header->n_streams = n_streams;
  header->streams_offset = HEADER_BYTES;
  header->refs_offset = HEADER_BYTES + (uint64_t)n_streams * sizeof (VtrRingStream);
  header->segments_offset = segments_offset_for ((uint32_t)n_segments, n_streams);
  atomic_store_explicit (&header->next_ticket, 1, memory_order_relaxed);
  atomic_store_explicit (&header->alloc_hint, 1, memory_order_relaxed);
  return VTR_OK;
}

static bool
range_fits (uint64_t offset,
            uint64_t count,
            uint64_t element,
            uint64_t size)
{
  uint64_t bytes;
  uint64_t end;

  return !__builtin_mul_overflow (count, element, &bytes) &&
         !__builtin_add_overflow (offset, bytes, &end) && end <= size;
}

static VtrStatus
check_header (const VtrRingHeader *header,
              uint64_t             size)
{
  if (memcmp (header->magic, VTR_RING_MAGIC, sizeof header->magic) != 0)
    return VTR_CORRUPT;
  if (header->version != VTR_RING_VERSION || header->segment_size != VTR_RING_SEGMENT_SIZE)
    return VTR_UNSUPPORTED;
  if (header->n_segments < 4 || header->n_streams == 0 ||
      header->streams_offset < sizeof (VtrRingHeader) || header->streams_offset % 8 != 0 ||
      header->refs_offset % 8 != 0 || header->segments_offset % VTR_RING_BACKING != 0 ||
      !range_fits (header->streams_offset, header->n_streams, sizeof (VtrRingStream), size) ||
      !range_fits (header->refs_offset, header->n_segments, 4, size) ||
      !range_fits (header->segments_offset, header->n_segments, VTR_RING_SEGMENT_SIZE, size))
    return VTR_CORRUPT;
  return VTR_OK;
}

static VtrStatus
map_ring (VtrRingWriter *self,
          int            fd)
{
  struct stat info;
  VtrRingHeader *header;
  VtrStatus status;

  if (fstat (fd, &info) != 0)
    return VTR_IO;
  if (info.st_size < (off_t)sizeof (VtrRingHeader))
    return VTR_CORRUPT;

  header = mmap (NULL, (size_t)info.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (header == MAP_FAILED)
    return VTR_IO;
  status = check_header (header, (uint64_t)info.st_size);
  if (status != VTR_OK)
    {
      munmap (header, (size_t)info.st_size);
      return status;
    }
  self->header = header;
  self->size = (size_t)info.st_size;
  self->device = (uint64_t)info.st_dev;
  self->inode = (uint64_t)info.st_ino;
  return VTR_OK;
}

bool
vtr_ring_writer_has_file (const VtrRingWriter *self)
{
  struct stat info;

  return self->fd >= 0 && fstat (self->fd, &info) == 0 &&
         (uint64_t)info.st_dev == self->device && (uint64_t)info.st_ino == self->inode;
}

VtrStatus
vtr_ring_writer_attach (VtrRingWriter *self,
                        int            fd)
{
  VtrStatus status;
  uint8_t *base;

  memset (self, 0, sizeof *self);
  self->fd = -1;
  status = map_ring (self, fd);
  if (status != VTR_OK)
    return status;

  base = (uint8_t *)self->header;
  self->n_segments = self->header->n_segments;
  self->n_streams = self->header->n_streams;
  self->streams = (VtrRingStream *)(void *)(base + self->header->streams_offset);
  self->refs = (_Atomic uint32_t *)(void *)(base + self->header->refs_offset);
  self->segments = base + self->header->segments_offset;
  self->backed = calloc (self->n_segments / 64 + 1, sizeof *self->backed);
  if (self->backed == NULL)
    {
      vtr_ring_writer_detach (self);
      return VTR_NO_MEMORY;
    }

  self->fd = fd;
  self->spare = vtr_ring_writer_try_take (self);
  if (self->spare == 0 || !vtr_ring_writer_back (self, self->spare))
    {
      self->fd = -1;
      vtr_ring_writer_detach (self);
      return VTR_NO_SPACE;
    }
  self->header->layer_pid = (uint64_t)getpid ();
  atomic_store_explicit (&self->header->state, VTR_RING_STATE_RUNNING, memory_order_release);
  return VTR_OK;
}

void
vtr_ring_writer_detach (VtrRingWriter *self)
{
  free ((void *)self->backed);
  if (self->header != NULL)
    munmap (self->header, self->size);
  if (vtr_ring_writer_has_file (self))
    close (self->fd);
  memset (self, 0, sizeof *self);
  self->fd = -1;
}

void
vtr_ring_writer_forked (VtrRingWriter *self)
{
  if (self->header == NULL)
    return;
  /* Failing leaves the shared mapping; .ended still keeps the child from appending to it. */
  (void)!mmap (self->header, self->size, PROT_READ | PROT_WRITE,
               MAP_FIXED | MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  atomic_store (&self->ended, VTR_RING_STATE_DONE);
}
