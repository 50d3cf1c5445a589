/* Fuzzes Vitrine files. A file of random bytes fails at the first checksum, so an input is a
 * recipe: notes and decompressed frames, from which a valid file is made before it is opened.
 *
 *   recipe := { VtrTraceNote, u32 size, bytes[size] }*
 *
 * An input that begins like a file is opened as it is. */
#include "vtr-fuzz-trace.h"
#include "vtr-fuzz.h"

#include "base/vtr-buffer.h"
#include "engine/format/vtr-trace-frames.h"
#include "engine/format/vtr-trace-layout.h"
#include "engine/format/vtr-trace-scan.h"
#include "wire/vtr-pack.h"

#include <glib/gstdio.h>
#include <string.h>
#define XXH_STATIC_LINKING_ONLY
#include <xxhash.h>
#include <zstd.h>

static void
seal_frame (VtrBuffer    *to,
            VtrBuffer    *seek,
            VtrTraceNote  note,
            const guint8 *raw,
            gsize         size)
{
  gsize bound = ZSTD_compressBound (size), start = to->size;
  VtrTraceNoteFrame head = { VTR_TRACE_NOTE_MAGIC, sizeof note, note };
  guint8 *at = vtr_buffer_extend (to, sizeof head + bound);
  gsize compressed = ZSTD_compress (at + sizeof head, bound, raw, size, 1);

  head.note.compressed_size = compressed;
  /* Mostly the truth: a claim that is wrong is soon found out. */
  if ((note.raw_size & 7) != 5)
    head.note.raw_size = size;
  head.note.checksum = XXH3_64bits (&head.note, offsetof (VtrTraceNote, checksum));
  memcpy (to->data + start, &head, sizeof head);
  to->size = start + sizeof head + compressed;
  vtr_buffer_append_u32 (seek, sizeof head);
  vtr_buffer_append_u32 (seek, 0);
  vtr_buffer_append_u32 (seek, (guint32)compressed);
  vtr_buffer_append_u32 (seek, (guint32)size);
}

static void
seal (const guint8 *recipe,
      gsize         size,
      VtrBuffer    *to)
{
  VtrTraceHead head = { VTR_TRACE_HEAD_MAGIC, 16, VTR_TRACE_NAME, VTR_TRACE_VERSION, 0 };
  VtrBuffer seek = { 0 };
  VtrTraceNote note;
  guint32 length, n;

  vtr_buffer_append (to, &head, sizeof head);
  vtr_buffer_append_u32 (&seek, sizeof head);
  vtr_buffer_append_u32 (&seek, 0);
  while (size >= sizeof note + sizeof length)
    {
      memcpy (&note, recipe, sizeof note);
      memcpy (&length, recipe + sizeof note, sizeof length);
      recipe += sizeof note + sizeof length;
      size -= sizeof note + sizeof length;
      length = (guint32)MIN (length, size);
      seal_frame (to, &seek, note, recipe, length);
      recipe += length;
      size -= length;
    }
  n = (guint32)(seek.size / 8);
  vtr_buffer_append_u32 (to, VTR_TRACE_SEEK_MAGIC);
  vtr_buffer_append_u32 (to, n * 8 + VTR_TRACE_SEEK_FOOTER_SIZE);
  vtr_buffer_append (to, seek.data, seek.size);
  vtr_buffer_append_u32 (to, n);
  vtr_buffer_append_u8 (to, 0);
  vtr_buffer_append_u32 (to, VTR_TRACE_SEEK_FOOTER);
  vtr_buffer_finish (&seek);
}

int
LLVMFuzzerTestOneInput (const uint8_t *data,
                        size_t         size)
{
  VtrBuffer file = { 0 };

  if (vtr_trace_is_vitrine (data, size))
    {
      vtr_fuzz_read_trace (data, size);
      return 0;
    }
  seal (data, size, &file);
  vtr_fuzz_read_trace (file.data, file.size);
  vtr_buffer_finish (&file);
  return 0;
}

/* Which types the trace of vtr_fuzz_write_trace() uses: with all of them an input would be large
 * and opening it slow. The others become one byte each, so that indices stay. */
static gboolean
is_used (const VtrPackChunk *chunk)
{
  static const char *const used[] = { "vulkan.vkCmdDraw", "vulkan.vkQueueSubmit",
                                      "vulkan.vkQueuePresentKHR", "vulkan.vkCreateShaderModule" };

  if (chunk->name_size > 8 && memcmp (chunk->name, "vitrine.", 8) == 0)
    return TRUE;
  for (guint i = 0; i < G_N_ELEMENTS (used); i++)
    if (chunk->name_size == strlen (used[i]) &&
        memcmp (chunk->name, used[i], chunk->name_size) == 0)
      return TRUE;
  return FALSE;
}

/* @foreign: one of the commands becomes one of an API that no build has. */
static void
append_definitions (VtrBuffer    *to,
                    const guint8 *raw,
                    gsize         size,
                    gboolean      foreign)
{
  const guint8 *at = raw + VTR_PACK_HEADER_SIZE, *end = raw + size;
  VtrPackChunk chunk;

  vtr_pack_write_header (to);
  while (vtr_pack_read (&at, end, &chunk) == VTR_OK)
    {
      g_autofree char *name = g_strndup ((const char *)chunk.name, chunk.name_size);

      if (foreign && g_str_equal (name, "vulkan.vkCmdDraw"))
        memcpy (name, "foreig", 6);
      vtr_pack_write_type (to, is_used (&chunk) ? name : "", chunk.message,
                           is_used (&chunk) ? chunk.size : 0);
    }
}

/* Takes a file apart. @with_index: keep the frame of the index. @foreign: as append_definitions
 * (). */
static void
make_recipe (const guint8 *data,
             gsize         size,
             gboolean      with_index,
             gboolean      foreign,
             VtrBuffer    *to)
{
  g_autoptr (VtrTraceScan) scan = vtr_trace_scan_new ();

  vtr_trace_scan_notes (scan, data, size);
  for (guint i = 0; i < scan->tables->frames->len; i++)
    {
      const VtrTraceFrame *frame = &g_array_index (scan->tables->frames, VtrTraceFrame, i);
      g_autoptr (GBytes) bytes = NULL;
      VtrBuffer content = { 0 };
      const guint8 *raw;
      gboolean whole;
      gsize raw_size;

      if (frame->note.kind == VTR_TRACE_FRAME_INDEX && !with_index)
        continue;
      bytes = vtr_trace_decompress (data + frame->offset, frame->note.compressed_size,
                                    frame->note.raw_size, &whole);
      raw = g_bytes_get_data (bytes, &raw_size);
      if (frame->note.kind == VTR_TRACE_FRAME_DEFINITIONS)
        append_definitions (&content, raw, raw_size, foreign);
      else
        vtr_buffer_append (&content, raw, raw_size);
      vtr_buffer_append (to, &frame->note, sizeof frame->note);
      vtr_buffer_append_u32 (to, (guint32)content.size);
      vtr_buffer_append (to, content.data, content.size);
      vtr_buffer_finish (&content);
    }
}

void
vtr_fuzz_make_seeds (VtrFuzzAdd  add,
                     void       *user)
{
  g_autofree char *path = vtr_fuzz_write_trace ();
  g_autofree char *data = NULL;
  VtrBuffer recipe = { 0 };
  gsize size;

  g_assert_true (g_file_get_contents (path, &data, &size, NULL));
  g_unlink (path);
  add (user, data, size);
  for (guint i = 0; i < 8; i++)
    {
      vtr_buffer_clear (&recipe);
      make_recipe ((const guint8 *)data, size, i % 2, i % 4 >= 2, &recipe);
      add (user, recipe.data, recipe.size);
    }
  vtr_buffer_finish (&recipe);
}
