/* Writes what memory, images and acceleration structures hold at the start of a mid-run capture
 * into the trace. */
#include "vtr-layer-contents-private.h"

#include "api/vtr-api-walk.h"
#include "base/vtr-log.h"
#include "base/vtr-varint.h"
#include "wire/vtr-trace-objects.h"

#include <stdarg.h>
#include <stdio.h>

/* ---- Records ---- */

static void
put_fixed64 (VtrContents *self,
             unsigned     field,
             uint64_t     value)
{
  VtrBuffer *to = &self->thread->scratch;

  vtr_buffer_append_u8 (to, (uint8_t)(field << 3 | 1));
  vtr_buffer_append_u64 (to, value);
}

static bool
is_zero (const uint8_t *bytes,
         size_t         size)
{
  return bytes[0] == 0 && memcmp (bytes, bytes + 1, size - 1) == 0;
}

/* The bytes stay where they are until the record is committed: megabytes are copied once. */
static void
put_run (VtrContents   *self,
         uint64_t       base,
         const uint8_t *bytes,
         size_t         size,
         bool           zero)
{
  if (zero)
    vtr_layer_split_record_observe_zeros (self->thread, base, size);
  else
    vtr_layer_split_record_observe (&self->parts, self->thread, base, bytes, size);
}

static void
put_bytes (VtrContents   *self,
           uint64_t       base,
           const uint8_t *bytes,
           size_t         size)
{
  put_run (self, base, bytes, size,
           size > 0 && size <= VTR_CONTENTS_PIECE && is_zero (bytes, size));
}

/* @type: NULL, or what the record is named by. */
static void
begin_record (VtrContents *self,
              const char  *type)
{
  VtrBuffer *to = &self->thread->scratch;
  uint16_t length;

  vtr_layer_split_record_begin (&self->parts, self->thread);
  if (type != NULL)
    {
      length = (uint16_t)strlen (type);
      vtr_buffer_append (to, &length, sizeof length);
      vtr_buffer_append (to, type, length);
    }
  vtr_buffer_append_u8 (to, VTR_COMMAND_THREAD << 3 | 5);
  vtr_buffer_append_u32 (to, self->thread->id);
}

/* Returns: false when recording has ended. */
static bool
commit (VtrContents   *self,
        VtrRecordType  type)
{
  vtr_layer_split_record_commit (&self->parts, self->thread, type);
  return !vtr_ring_writer_has_ended (&vtr_layer_ring);
}

/* Bytes of a memory. */
typedef struct
{
  const uint8_t *start;
  const uint8_t *end;
  VtrLayerPagemap *pagemap; /* NULL: they are a copy */
} Source;

static bool
is_blank (const Source  *self,
          const uint8_t *bytes,
          size_t         size)
{
  return (self->pagemap != NULL && vtr_layer_pagemap_is_untouched (self->pagemap, self->start,
                                                                   self->end, bytes, size)) ||
         is_zero (bytes, size);
}

/* Bytes from @bytes on, up to @size, that are all zero, or all worth recording. */
static size_t
measure_run (const Source  *self,
             const uint8_t *bytes,
             size_t         size,
             bool          *zero)
{
  size_t n = size < VTR_CONTENTS_PAGE ? size : VTR_CONTENTS_PAGE;

  *zero = is_blank (self, bytes, n);
  while (n < size)
    {
      size_t page = size - n < VTR_CONTENTS_PAGE ? size - n : VTR_CONTENTS_PAGE;

      if (is_blank (self, bytes + n, page) != *zero)
        break;
      n += page;
    }
  return n;
}

bool
vtr_contents_put_memory (VtrContents              *self,
                         const VtrLayerLiveMemory *memory,
                         uint64_t                  offset,
                         const uint8_t            *bytes,
                         uint64_t                  size,
                         bool                      in_place)
{
  const Source source = { bytes, bytes + size, in_place ? &self->pagemap : NULL };
  bool mapped = memory->mapped != NULL && offset >= memory->map_offset &&
                offset - memory->map_offset < memory->map_size;
  uint64_t address = mapped ? (uint64_t)(uintptr_t)memory->mapped : 0;
  uint64_t from = mapped ? memory->map_offset : 0;

  self->n_bytes += size;
  while (size > 0)
    {
      size_t piece = size < VTR_CONTENTS_PIECE ? (size_t)size : VTR_CONTENTS_PIECE;

      begin_record (self, NULL);
      for (size_t at = 0; at < piece;)
        {
          bool zero;
          size_t n = measure_run (&source, bytes + at, piece - at, &zero);

          put_run (self, address + (offset + at - from), bytes + at, n, zero);
          at += n;
        }
      put_fixed64 (self, VTR_MAPPED_WRITES_DEVICE,
                   (uint64_t)(uintptr_t)self->device->handle);
      put_fixed64 (self, VTR_MAPPED_WRITES_MEMORY, (uint64_t)(uintptr_t)memory->memory);
      put_fixed64 (self, VTR_MAPPED_WRITES_MAP_OFFSET, from);
      put_fixed64 (self, VTR_MAPPED_WRITES_MAP_ADDRESS, address);
      if (!commit (self, VTR_RECORD_MEMORY))
        return false;
      offset += piece;
      bytes += piece;
      size -= piece;
    }
  return true;
}

/* ---- Images ---- */

static void
put_fixed32 (VtrContents *self,
             unsigned     field,
             uint32_t     value)
{
  VtrBuffer *to = &self->thread->scratch;

  /* Fields above 15 have a tag of two bytes. */
  if (field > 15)
    {
      vtr_buffer_append_u8 (to, (uint8_t)((field << 3 | 5) | 0x80));
      vtr_buffer_append_u8 (to, (uint8_t)(field >> 4));
    }
  else
    vtr_buffer_append_u8 (to, (uint8_t)(field << 3 | 5));
  vtr_buffer_append_u32 (to, value);
}

static bool
put_image_piece (VtrContents           *self,
                 const VtrContentsPart *part,
                 const uint8_t         *bytes)
{
  const uint32_t y = part->y * part->divisor;
  const uint32_t rows = part->height * part->divisor;
  const struct
  {
    unsigned field;
    uint32_t value;
  } numbers[] = {
    { VTR_IMAGE_CONTENTS_ASPECT, part->aspect },
    { VTR_IMAGE_CONTENTS_MIP, part->mip },
    { VTR_IMAGE_CONTENTS_LAYER, part->layer },
    { VTR_IMAGE_CONTENTS_LAYOUT, part->layout },
    { VTR_IMAGE_CONTENTS_FORMAT, part->image->info.format },
    { VTR_IMAGE_CONTENTS_WIDTH,
      part->tile ? part->width : part->level_width },
    { VTR_IMAGE_CONTENTS_HEIGHT, rows < part->level_height - y ? rows : part->level_height - y },
    { VTR_IMAGE_CONTENTS_DEPTH, part->depth },
    { VTR_IMAGE_CONTENTS_SAMPLE, part->sample },
    { VTR_IMAGE_CONTENTS_Y, y },
    { VTR_IMAGE_CONTENTS_Z, part->z },
    { VTR_IMAGE_CONTENTS_X, part->x },
  };

  begin_record (self, "vitrine.ImageContents");
  put_bytes (self, 0, bytes, part->size);
  put_fixed64 (self, VTR_IMAGE_CONTENTS_DEVICE, (uint64_t)(uintptr_t)self->device->handle);
  put_fixed64 (self, VTR_IMAGE_CONTENTS_IMAGE, (uint64_t)(uintptr_t)part->image->image);
  for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
    if (numbers[i].value != 0)
      put_fixed32 (self, numbers[i].field, numbers[i].value);
  return commit (self, VTR_RECORD_INFO);
}

bool
vtr_contents_put_image (VtrContents           *self,
                        const VtrContentsPart *part,
                        const uint8_t         *bytes)
{
  VtrContentsPart piece = { 0 };

  self->n_bytes += part->size;
  while (vtr_contents_next_part (part, VTR_CONTENTS_PIECE, &piece))
    if (!put_image_piece (self, &piece, bytes + (piece.at - part->at)))
      return false;
  return true;
}

/* ---- Acceleration structures ---- */

bool
vtr_contents_put_structure (VtrContents                 *self,
                            const VtrLayerLiveStructure *structure,
                            uint64_t                     offset,
                            const uint8_t               *bytes,
                            uint64_t                     size,
                            uint64_t                     whole)
{
  self->n_bytes += size;
  begin_record (self, "vitrine.StructureContents");
  put_bytes (self, 0, bytes, (size_t)size);
  put_fixed64 (self, VTR_STRUCTURE_CONTENTS_DEVICE, (uint64_t)(uintptr_t)self->device->handle);
  put_fixed64 (self, VTR_STRUCTURE_CONTENTS_STRUCTURE,
               (uint64_t)(uintptr_t)structure->structure);
  put_fixed64 (self, VTR_STRUCTURE_CONTENTS_OFFSET, offset);
  put_fixed64 (self, VTR_STRUCTURE_CONTENTS_WHOLE, whole);
  return commit (self, VTR_RECORD_INFO);
}

VkMemoryPropertyFlags
vtr_contents_memory_flags (const VtrContents        *self,
                           const VtrLayerLiveMemory *memory)
{
  const VkPhysicalDeviceMemoryProperties *properties = &self->device->memory.properties;

  return memory->type < properties->memoryTypeCount
           ? properties->memoryTypes[memory->type].propertyFlags
           : 0;
}

/* ---- Failing ---- */

bool
vtr_contents_fail (VtrContents *self,
                   const char *format,
                   ...)
{
  va_list args;

  if (self->why[0] != '\0')
    return false;
  va_start (args, format);
  vsnprintf (self->why, VTR_LAYER_WHY_MAX, format, args);
  va_end (args);
  return false;
}

void
vtr_contents_leave_out (VtrContents *self,
                        const char  *why)
{
  self->n_left_out++;
  self->left_out = why;
}

bool
vtr_contents_note_left_out (VtrContents *self)
{
  static const char name[] = "vitrine.Notice";
  const uint16_t length = sizeof name - 1;
  VtrBuffer *to = &self->thread->scratch;
  size_t start = to->size;
  char text[256];

  snprintf (text, sizeof text,
            "The contents of %u images or buffers are not in the trace; of the last one because "
            "%s.",
            self->n_left_out, self->left_out);
  vtr_layer_transport_notice (VTR_LOG_WARNING, "%s", text);
  vtr_buffer_append (to, &length, sizeof length);
  vtr_buffer_append (to, name, length);
  vtr_buffer_append_varint (to, VTR_NOTICE_LEVEL << 3 | 0);
  vtr_buffer_append_varint (to, VTR_LOG_WARNING);
  vtr_buffer_append_varint (to, VTR_NOTICE_TEXT << 3 | 2);
  vtr_buffer_append_varint (to, strlen (text));
  vtr_buffer_append (to, text, strlen (text));
  vtr_layer_thread_append (self->thread, VTR_RECORD_INFO, 0, start);
  return !vtr_ring_writer_has_ended (&vtr_layer_ring);
}

/* ---- All of it ---- */

bool
vtr_contents_begin_records (VtrContents *self)
{
  if (self->begun)
    return true;
  self->begun = true;
  return self->before (self->device, self->before_data) && vtr_contents_put_readings (self);
}

bool
vtr_layer_contents_write (VtrLayerDevice          *device,
                          const VtrLayerLiveWorld *world,
                          VtrLayerContentsBefore   before,
                          void                    *data,
                          char                     why[VTR_LAYER_WHY_MAX])
{
  VtrContents self = {
    .device = device,
    .world = world,
    .before = before,
    .before_data = data,
    .thread = vtr_layer_thread_get (),
    .why = why,
  };
  bool ok;

  why[0] = '\0';
  if (self.thread == NULL)
    return vtr_contents_fail (&self, "There is no room for the contents of memory.");
  vtr_contents_choose_late (&self);
  /* Bytes of memory are restored first, because the bytes of a structure's buffer do not restore
   * the structure. */
  ok = vtr_contents_write_memory (&self) && vtr_contents_write_images (&self) &&
       vtr_contents_begin_records (&self) && vtr_contents_write_structures (&self) &&
       vtr_contents_keep_late (&self);
  vtr_contents_finish_readings (&self);
  vtr_contents_gpu_finish (&self);
  vtr_layer_split_record_finish (&self.parts);
  vtr_buffer_finish (&self.late);
  vtr_layer_pagemap_finish (&self.pagemap);
  vtr_layer_still_free (self.still);
  if (ok && self.n_left_out > 0)
    ok = vtr_contents_note_left_out (&self);
  if (!ok)
    return vtr_contents_fail (&self, "Recording ended while contents of memory were written.");
  return true;
}
