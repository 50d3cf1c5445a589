/* Writes mutants as files. */
#include "vtr-mutant-private.h"

#include "engine/format/vtr-trace-layout.h"

#include <stddef.h>
#include <xxhash.h>
#include <zstd.h>

#define FRAME_BYTES 65536 /* many frames also of small traces */

static void
write_chunk (VtrBuffer   *to,
             const Chunk *chunk)
{
  gsize size;
  const guint8 *message = g_bytes_get_data (chunk->message, &size);
  gint64 type = (gint64)chunk->type;

  if (chunk->kind == VTR_PACK_TYPE)
    vtr_pack_write_type (to, chunk->name, message, size);
  else
    vtr_pack_write_chunk (to, chunk->parent < 0 ? chunk->parent : 0,
                          chunk->kind == VTR_PACK_GROUP ? -type
                          : chunk->kind == VTR_PACK_END ? 0
                                                        : type,
                          message, size);
}

GByteArray *
vtr_mutant_write_plain (const GArray *chunks)
{
  GByteArray *file = g_byte_array_new ();
  VtrBuffer buffer = { 0 };

  vtr_pack_write_header (&buffer);
  for (guint i = 0; i < chunks->len; i++)
    write_chunk (&buffer, &g_array_index (chunks, Chunk, i));
  g_byte_array_append (file, buffer.data, (guint)buffer.size);
  vtr_buffer_finish (&buffer);
  return file;
}

/* --- Frames ---------------------------------------------------------------------------------- */

typedef struct
{
  GByteArray *file;
  VtrBuffer raw;
  VtrTraceNote note; /* of the frame that is being filled */
} Frames;

static void
end_frame (Frames *self)
{
  VtrTraceNoteFrame head = { VTR_TRACE_NOTE_MAGIC, sizeof head.note, self->note };
  gsize bound = ZSTD_compressBound (self->raw.size);
  g_autofree guint8 *compressed = g_malloc (bound);

  if (self->raw.size == 0)
    return;
  head.note.raw_size = self->raw.size;
  head.note.compressed_size = ZSTD_compress (compressed, bound, self->raw.data, self->raw.size, 1);
  head.note.checksum = XXH3_64bits (&head.note, offsetof (VtrTraceNote, checksum));
  g_byte_array_append (self->file, (const guint8 *)&head, sizeof head);
  g_byte_array_append (self->file, compressed, (guint)head.note.compressed_size);
  vtr_buffer_clear (&self->raw);
  self->note.first_command += self->note.n_commands;
  self->note.first_resource += self->note.n_resources;
  self->note.n_commands = self->note.n_resources = 0;
}

static VtrTraceFrameKind
find_kind (const Chunk *chunk)
{
  if (chunk->kind == VTR_PACK_TYPE)
    return VTR_TRACE_FRAME_DEFINITIONS;
  return g_strcmp0 (chunk->name, "vitrine.Resource") == 0
           ? VTR_TRACE_FRAME_RESOURCES
           : VTR_TRACE_FRAME_COMMANDS;
}

GByteArray *
vtr_mutant_write_compressed (const GArray *chunks)
{
  VtrTraceHead head = { VTR_TRACE_HEAD_MAGIC, sizeof head - 8, VTR_TRACE_NAME, VTR_TRACE_VERSION,
                        0 };
  Frames frames = { g_byte_array_new (), { 0 }, { .first_resource = 1, .next_ticket = 1 } };

  g_byte_array_append (frames.file, (const guint8 *)&head, sizeof head);
  vtr_pack_write_header (&frames.raw);
  for (guint i = 0; i < chunks->len; i++)
    {
      const Chunk *chunk = &g_array_index (chunks, Chunk, i);
      VtrTraceFrameKind kind = find_kind (chunk);

      if (kind != frames.note.kind ||
          (kind != VTR_TRACE_FRAME_DEFINITIONS && frames.raw.size > FRAME_BYTES))
        end_frame (&frames);
      frames.note.kind = kind;
      frames.note.n_commands += chunk->is_command && chunk->kind != VTR_PACK_TYPE;
      frames.note.n_resources += kind == VTR_TRACE_FRAME_RESOURCES;
      write_chunk (&frames.raw, chunk);
    }
  end_frame (&frames);
  vtr_buffer_finish (&frames.raw);
  return frames.file;
}
