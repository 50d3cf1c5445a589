/* Fuzzes plain proto-pack: decompressed Vitrine traces, and GAPID's. */
#include "vtr-fuzz-trace.h"
#include "vtr-fuzz.h"

#include "api/vtr-api-walk.h"
#include "wire/vtr-pack-field.h"
#include "wire/vtr-pack-type.h"
#include "wire/vtr-pack.h"
#include "wire/vtr-trace-objects.h"

#include <glib.h>

int
LLVMFuzzerTestOneInput (const uint8_t *data,
                        size_t         size)
{
  VtrBuffer file = { 0 };
  unsigned major, minor;

  /* Inputs without the magic bytes are hardly worth a run. */
  if (vtr_pack_sniff (data, size, &major, &minor) != VTR_PACK_MAGIC_2)
    vtr_pack_write_header (&file);
  vtr_buffer_append (&file, data, size);
  vtr_fuzz_read_trace (file.data, file.size);
  vtr_buffer_finish (&file);
  return 0;
}

#define ONE(name, number, type) \
  { \
    name, NULL, number, VTR_PACK_OPTIONAL, type \
  }
#define OF(name, number, message) \
  { \
    name, message, number, VTR_PACK_OPTIONAL, VTR_PACK_MESSAGE \
  }
#define TYPE(name, fields) \
  { \
    name, fields, G_N_ELEMENTS (fields), 0, NULL \
  }

enum
{
  HEADER = 1,
  DEVICE,
  ABI,
  LAYOUT,
  DATA,
  RESOURCE,
  OBSERVATION,
  CALL,
  BEGIN,
  BEGIN_CALL,
  DRAW,
};

static const VtrPackField header[] = { OF ("device", 1, ".device.Instance"),
                                       OF ("ABI", 2, ".device.ABI"),
                                       ONE ("version", 3, VTR_PACK_SINT32) };
static const VtrPackField device[] = { ONE ("name", 3, VTR_PACK_STRING) };
static const VtrPackField abi[] = { OF ("memory_layout", 4, ".device.MemoryLayout") };
static const VtrPackField layout[] = { OF ("pointer", 2, ".device.DataTypeLayout"),
                                       OF ("i64", 6, ".device.DataTypeLayout") };
static const VtrPackField data_layout[] = { ONE ("size", 1, VTR_PACK_INT32),
                                            ONE ("alignment", 2, VTR_PACK_INT32) };
static const VtrPackField resource[] = { ONE ("index", 1, VTR_PACK_SINT64),
                                         ONE ("data", 2, VTR_PACK_BYTES) };
static const VtrPackField observation[] = { ONE ("base", 1, VTR_PACK_UINT64),
                                            ONE ("size", 2, VTR_PACK_UINT64),
                                            ONE ("res_index", 3, VTR_PACK_SINT64),
                                            ONE ("pool", 4, VTR_PACK_UINT32) };
static const VtrPackField call[] = { ONE ("none", 1, VTR_PACK_SINT64) };
static const VtrPackField begin[] = { ONE ("thread", 1, VTR_PACK_SINT64),
                                      ONE ("commandBuffer", 8, VTR_PACK_SINT64),
                                      ONE ("pBeginInfo", 9, VTR_PACK_SINT64) };
static const VtrPackField begin_call[] = { ONE ("result", 1, VTR_PACK_SINT64) };
static const VtrPackField draw[] = { ONE ("thread", 1, VTR_PACK_SINT64),
                                     ONE ("commandBuffer", 8, VTR_PACK_SINT64),
                                     ONE ("vertexCount", 9, VTR_PACK_SINT64) };

static const VtrPackType types[] = {
  TYPE ("capture.Header", header),
  TYPE ("device.Instance", device),
  TYPE ("device.ABI", abi),
  TYPE ("device.MemoryLayout", layout),
  TYPE ("device.DataTypeLayout", data_layout),
  TYPE ("capture.Resource", resource),
  TYPE ("memory.Observation", observation),
  TYPE ("api.CmdCall", call),
  TYPE ("vulkan.vkBeginCommandBuffer", begin),
  TYPE ("vulkan.vkBeginCommandBufferCall", begin_call),
  TYPE ("vulkan.vkCmdDraw", draw),
};

static void
define (VtrBuffer         *to,
        const VtrPackType *all,
        gsize              n)
{
  for (gsize i = 0; i < n; i++)
    {
      VtrBuffer descriptor = { 0 };

      vtr_pack_type_encode (&all[i], &descriptor);
      vtr_pack_write_type (to, all[i].name, descriptor.data, descriptor.size);
      vtr_buffer_finish (&descriptor);
    }
}

static void
flush (VtrBuffer *to,
       gint64     parent,
       gint64     type,
       VtrBuffer *message)
{
  vtr_pack_write_chunk (to, parent, type, message->data, message->size);
  vtr_buffer_clear (message);
}

static void
make_gapid (VtrBuffer *to)
{
  static const guint8 info[32] = { 42, 0, 0, 0 };
  VtrBuffer message = { 0 };

  vtr_pack_write_header (to);
  define (to, types, G_N_ELEMENTS (types));
  vtr_pack_append_varint (&message, 3, 6);
  vtr_pack_append_string (&message, 2, "\x22\x0a\x12\x04\x08\x08\x10\x08\x32\x02\x08\x08");
  flush (to, 0, HEADER, &message);
  vtr_pack_append_bytes (&message, 2, info, sizeof info);
  flush (to, 0, RESOURCE, &message);
  for (guint i = 0; i < 3; i++)
    {
      vtr_pack_append_varint (&message, 1, 14);
      vtr_pack_append_varint (&message, 8, 0x2000);
      vtr_pack_append_varint (&message, 9, 0x4000);
      flush (to, 0, -BEGIN, &message);
      vtr_pack_append_varint (&message, 1, 0x2000);
      vtr_pack_append_varint (&message, 2, sizeof info);
      vtr_pack_append_varint (&message, 3, 2);
      flush (to, -1, OBSERVATION, &message);
      flush (to, -2, BEGIN_CALL, &message);
      vtr_pack_append_varint (&message, 1, 14);
      vtr_pack_append_varint (&message, 9, 72);
      flush (to, 0, -DRAW, &message);
      flush (to, -1, CALL, &message);
      flush (to, -2, 0, &message);
      flush (to, -6, 0, &message);
    }
  vtr_buffer_finish (&message);
}

/* Our own stream as zstd -d leaves it, with few types. */
static void
make_vitrine (VtrBuffer *to)
{
  static const VtrPackField fields[] = { ONE ("thread", 1, VTR_PACK_FIXED32),
                                         ONE ("commandBuffer", 8, VTR_PACK_FIXED64),
                                         ONE ("vertexCount", 9, VTR_PACK_FIXED32) };
  static const VtrPackType command[] = { TYPE ("vulkan.vkCmdDraw", fields) };
  VtrBuffer message = { 0 };

  vtr_pack_write_header (to);
  define (to, vtr_trace_objects, VTR_N_OBJECTS);
  define (to, command, 1);
  vtr_pack_append_string (&message, VTR_HEADER_PRODUCER, "Vitrine");
  flush (to, 0, 1 + VTR_OBJECT_HEADER, &message);
  for (guint i = 0; i < 5; i++)
    {
      vtr_pack_append_fixed32 (&message, 1, 7);
      vtr_pack_append_fixed64 (&message, 8, 0x2000);
      vtr_pack_append_fixed32 (&message, 9, i);
      flush (to, 0, 1 + VTR_N_OBJECTS, &message);
    }
  vtr_pack_append_bytes (&message, VTR_COMMAND_READS, "\x09\0\x10\0\0\0\0\0\0\x20\x10", 11);
  vtr_pack_append_fixed64 (&message, VTR_MAPPED_WRITES_MEMORY, 0x3000);
  flush (to, 0, 1 + VTR_OBJECT_MAPPED_WRITES, &message);
  vtr_pack_append_bytes (&message, VTR_COMMAND_READS, "\x12\x04texe", 6);
  vtr_pack_append_fixed64 (&message, VTR_IMAGE_CONTENTS_IMAGE, 0x4000);
  vtr_pack_append_fixed32 (&message, VTR_IMAGE_CONTENTS_WIDTH, 1);
  vtr_pack_append_fixed32 (&message, VTR_IMAGE_CONTENTS_Z, 1);
  flush (to, 0, 1 + VTR_OBJECT_IMAGE_CONTENTS, &message);
  vtr_pack_append_fixed64 (&message, VTR_RETURNED_COMMAND, 1);
  flush (to, 0, 1 + VTR_OBJECT_RETURNED, &message);
  vtr_buffer_finish (&message);
}

void
vtr_fuzz_make_seeds (VtrFuzzAdd  add,
                     void       *user)
{
  VtrBuffer stream = { 0 };

  make_gapid (&stream);
  add (user, stream.data, stream.size);
  vtr_buffer_clear (&stream);
  make_vitrine (&stream);
  add (user, stream.data, stream.size);
  vtr_buffer_finish (&stream);
}
