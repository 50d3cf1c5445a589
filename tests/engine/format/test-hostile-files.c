/* Tests files that are not what they seem: overwritten while open, small but claiming to be huge,
 * links and pipes in place of a recording. */
#include "engine/format/vtr-trace-layout.h"
#include "engine/format/vtr-content-record.h"
#include "engine/format/vtr-trace-tables.h"
#include "engine/format/vtr-trace-writer.h"
#include "engine/format/vtr-trace.h"
#include "wire/vtr-pack-field.h"
#include "wire/vtr-pack.h"

#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <xxhash.h>
#include <zstd.h>

#define BOMB_BYTES ((guint64)3 << 30)
#define MOST_MIB 700   /* of this process */
#define MOST_SECONDS 6 /* of processor time, sanitized */
#define N_CLAIMED 100000000u
#define N_THREADS 65000u

static const char *sample; /* a trace of Vitrine's */
static char *folder;

static char *
in_folder (const char *name)
{
  return g_build_filename (folder, name, NULL);
}

static void
decode_all (VtrTrace *trace)
{
  VtrArena arena;

  vtr_arena_init (&arena);
  for (guint64 i = 0; i < vtr_trace_get_n_commands (trace); i++)
    {
      const VtrContentRecord *writes;
      VtrCommand command;

      vtr_arena_reset (&arena);
      (void)!vtr_trace_decode (trace, i, &arena, &command, NULL);
      (void)!vtr_trace_get_contents (trace, i, &arena, &writes, NULL);
    }
  vtr_arena_finish (&arena);
}

/* "cp new.gfxtrace old.gfxtrace" while the old one is open. */
static void
test_overwritten (void)
{
  g_autofree char *path = in_folder ("overwritten.gfxtrace");
  g_autofree char *contents = NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (VtrTrace) trace = NULL;
  gsize size;

  g_assert_true (g_file_get_contents (sample, &contents, &size, NULL));
  for (gsize left = size / 2;; left = 0)
    {
      g_clear_pointer (&trace, vtr_trace_unref);
      g_assert_true (g_file_set_contents (path, contents, (gssize)size, NULL));
      trace = vtr_trace_open (path, NULL, NULL, NULL, &error);
      g_assert_no_error (error);
      g_assert_cmpint (truncate (path, (off_t)left), ==, 0);
      decode_all (trace);
      if (left == 0)
        break;
    }
  g_unlink (path);
}

/* A frame of zeroes, which take next to nothing. */
static GByteArray *
make_bomb (void)
{
  static const guint8 zeroes[1 << 20];
  VtrTraceHead head = { VTR_TRACE_HEAD_MAGIC, sizeof head - 8, VTR_TRACE_NAME, VTR_TRACE_VERSION,
                        0 };
  VtrTraceNoteFrame note = { .magic = VTR_TRACE_NOTE_MAGIC, .size = sizeof note.note };
  g_autoptr (GByteArray) frame = g_byte_array_new ();
  g_autofree guint8 *piece = g_malloc (1 << 16);
  ZSTD_CCtx *context = ZSTD_createCCtx ();
  GByteArray *file = g_byte_array_new ();

  note.note.first_resource = note.note.next_ticket = 1;
  note.note.raw_size = BOMB_BYTES;
  for (guint64 at = 0; at < BOMB_BYTES; at += sizeof zeroes)
    {
      ZSTD_inBuffer in = { zeroes, sizeof zeroes, 0 };
      gboolean last = at + sizeof zeroes >= BOMB_BYTES;
      size_t left = 1;

      while (in.pos < in.size || (last && left != 0))
        {
          ZSTD_outBuffer out = { piece, 1 << 16, 0 };

          left = ZSTD_compressStream2 (context, &out, &in, last ? ZSTD_e_end : ZSTD_e_continue);
          g_assert_false (ZSTD_isError (left));
          g_byte_array_append (frame, piece, (guint)out.pos);
        }
    }
  ZSTD_freeCCtx (context);
  note.note.compressed_size = frame->len;
  note.note.checksum = XXH3_64bits (&note.note, offsetof (VtrTraceNote, checksum));
  g_byte_array_append (file, (const guint8 *)&head, sizeof head);
  g_byte_array_append (file, (const guint8 *)&note, sizeof note);
  g_byte_array_append (file, frame->data, frame->len);
  return file;
}

static void
test_bomb (void)
{
  g_autofree char *path = in_folder ("bomb.gfxtrace");
  g_autoptr (GByteArray) bomb = make_bomb ();
  g_autoptr (GError) error = NULL;
  g_autoptr (VtrTrace) trace = NULL;
  struct rusage usage;

  g_assert_cmpuint (bomb->len, <, 1 << 20);
  g_assert_true (g_file_set_contents (path, (const char *)bomb->data, bomb->len, NULL));
  trace = vtr_trace_open (path, NULL, NULL, NULL, &error);
  g_assert_null (trace);
  g_assert_true (error->domain == VTR_TRACE_ERROR);
  getrusage (RUSAGE_SELF, &usage);
  g_assert_cmpint (usage.ru_maxrss / 1024, <, MOST_MIB);
  g_unlink (path);
}

static double
get_seconds (void)
{
  return (double)clock () / CLOCKS_PER_SEC;
}

static void
compress (ZSTD_CCtx  *context,
          GByteArray *to,
          const void *data,
          gsize       size,
          gboolean    last)
{
  ZSTD_inBuffer in = { data, size, 0 };
  guint8 piece[4096];
  size_t left = 1;

  while (in.pos < in.size || (last && left != 0))
    {
      ZSTD_outBuffer out = { piece, sizeof piece, 0 };

      left = ZSTD_compressStream2 (context, &out, &in, last ? ZSTD_e_end : ZSTD_e_continue);
      g_assert_false (ZSTD_isError (left));
      g_byte_array_append (to, piece, (guint)out.pos);
    }
}

/* A column of @n bytes of @value, with its tag and length before it. */
static void
compress_column (ZSTD_CCtx  *context,
                 GByteArray *to,
                 guint32     number,
                 guint16     value,
                 gsize       n)
{
  static guint16 run[1 << 16];
  VtrBuffer head = { 0 };

  vtr_pack_append_tag (&head, number, VTR_PACK_WIRE_BYTES);
  vtr_buffer_append_varint (&head, n);
  compress (context, to, head.data, head.size, FALSE);
  for (guint i = 0; i < G_N_ELEMENTS (run); i++)
    run[i] = value;
  for (gsize left = n; left > 0; left -= MIN (left, sizeof run))
    compress (context, to, run, MIN (left, sizeof run), FALSE);
  vtr_buffer_finish (&head);
}

/* A zstd frame with an index that lists many commands, all of them in @frame. */
static GByteArray *
make_index (const VtrTraceFrame *frame,
            guint64             *raw_size)
{
  const gsize columns = 4 * (1 + 4) + (gsize)N_CLAIMED * 7; /* tag, length, content */
  ZSTD_CCtx *context = ZSTD_createCCtx ();
  GByteArray *to = g_byte_array_new ();
  VtrBuffer rest = { 0 }, chunk = { 0 };
  const guint64 thread = 1;

  vtr_pack_append_bytes (&rest, VTR_INDEX_FRAMES, frame, sizeof *frame);
  vtr_pack_append_bytes (&rest, VTR_INDEX_THREAD_TABLE, &thread, sizeof thread);
  vtr_pack_append_varint (&rest, VTR_INDEX_N_COMMANDS, N_CLAIMED);
  vtr_pack_begin_object (&chunk, vtr_trace_types_get_object (VTR_OBJECT_INDEX),
                         rest.size + columns);
  compress (context, to, chunk.data, chunk.size, FALSE);
  compress (context, to, rest.data, rest.size, FALSE);
  compress_column (context, to, VTR_INDEX_POSITIONS, 0x0101, N_CLAIMED);
  compress_column (context, to, VTR_INDEX_TYPES,
                   (guint16)vtr_trace_types_get_command (VTR_CMD_vkCmdDraw), 2 * (gsize)N_CLAIMED);
  compress_column (context, to, VTR_INDEX_THREADS, 0, 2 * (gsize)N_CLAIMED);
  compress_column (context, to, VTR_INDEX_FLAGS, 0, 2 * (gsize)N_CLAIMED);
  compress (context, to, NULL, 0, TRUE);
  *raw_size = chunk.size + rest.size + columns;
  ZSTD_freeCCtx (context);
  vtr_buffer_finish (&rest);
  vtr_buffer_finish (&chunk);
  return to;
}

/* The note of the first frame of commands. Returns: where that frame is. */
static gsize
find_commands (const char    *file,
               gsize          size,
               VtrTraceFrame *out)
{
  gsize at = sizeof (VtrTraceHead);

  for (;;)
    {
      VtrTraceNoteFrame note;

      g_assert_cmpuint (at + sizeof note, <, size);
      memcpy (&note, file + at, sizeof note);
      *out = (VtrTraceFrame){ at + sizeof note, note.note };
      at = out->offset + out->note.compressed_size;
      if (note.note.kind == VTR_TRACE_FRAME_COMMANDS)
        return at;
    }
}

/* A whole file but for its end: an index of a hundred million commands in 100 KB, and the seek
 * table that names it. */
static void
test_index (void)
{
  g_autofree char *path = in_folder ("index.gfxtrace");
  g_autofree char *contents = NULL;
  g_autoptr (GByteArray) file = g_byte_array_new ();
  g_autoptr (GByteArray) index = NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (VtrTrace) trace = NULL;
  VtrTraceNoteFrame note = { .magic = VTR_TRACE_NOTE_MAGIC, .size = sizeof note.note };
  guint32 table[] = { VTR_TRACE_SEEK_MAGIC, 2 * 8 + VTR_TRACE_SEEK_FOOTER_SIZE, 0, 0, 0, 0, 2 };
  guint32 footer = VTR_TRACE_SEEK_FOOTER;
  VtrTraceFrame frame;
  struct rusage usage;
  double before;
  gsize size, at;
  guint32 n;

  g_assert_true (g_file_get_contents (sample, &contents, &size, NULL));
  at = find_commands (contents, size, &frame);
  n = frame.note.n_commands;
  frame.note.n_commands = N_CLAIMED;
  frame.note.raw_size = VTR_TRACE_MAX_FRAME_BYTES;
  frame.note.first_command = 0;
  index = make_index (&frame, &note.note.raw_size);
  note.note.kind = VTR_TRACE_FRAME_INDEX;
  note.note.compressed_size = index->len;
  note.note.checksum = XXH3_64bits (&note.note, offsetof (VtrTraceNote, checksum));
  table[4] = index->len;
  g_byte_array_append (file, (const guint8 *)contents, (guint)at);
  g_byte_array_append (file, (const guint8 *)&note, sizeof note);
  g_byte_array_append (file, index->data, index->len);
  g_byte_array_append (file, (const guint8 *)table, sizeof table);
  g_byte_array_append (file, (const guint8 *)"", 1);
  g_byte_array_append (file, (const guint8 *)&footer, sizeof footer);
  g_assert_cmpuint (file->len, <, 1 << 18);
  g_assert_true (g_file_set_contents (path, (const char *)file->data, file->len, NULL));

  before = get_seconds ();
  trace = vtr_trace_open (path, NULL, NULL, NULL, &error);
  g_test_message ("an index of %u commands in %u bytes: %.2f s", N_CLAIMED, file->len,
                  get_seconds () - before);
  g_assert_no_error (error);
  g_assert_cmpuint (vtr_trace_get_n_commands (trace), ==, n);
  g_assert_cmpfloat (get_seconds () - before, <, MOST_SECONDS);
  getrusage (RUSAGE_SELF, &usage);
  g_assert_cmpint (usage.ru_maxrss / 1024, <, MOST_MIB);
  g_unlink (path);
}

/* Each call comes from another thread than the one before. */
static void
test_threads (void)
{
  g_autoptr (VtrTraceTables) tables = vtr_trace_tables_new ();
  double before = get_seconds ();

  for (guint i = 0; i < 1000000; i++)
    vtr_trace_tables_add_command (
      tables, i, VTR_CMD_vkCmdDraw,
      (VtrTraceStream){ .thread = (guint64)(i % N_THREADS) << 24 }, 0);
  g_test_message ("a million calls of %u threads: %.2f s", N_THREADS, get_seconds () - before);
  g_assert_cmpuint (tables->thread_table->len, ==, N_THREADS);
  for (guint i = 0; i < 1000000; i += 999)
    g_assert_cmpuint (g_array_index (tables->threads, guint16, i), ==, i % N_THREADS);
  g_assert_cmpfloat (get_seconds () - before, <, MOST_SECONDS);
}

int
main (int    argc,
      char **argv)
{
  int status;

  g_test_init (&argc, &argv, NULL);
  sample = argv[1];
  folder = g_dir_make_tmp ("vitrine-XXXXXX", NULL);
  g_test_add_func ("/engine/format/hostile-files/overwritten", test_overwritten);
  g_test_add_func ("/engine/format/hostile-files/bomb", test_bomb);
  g_test_add_func ("/engine/format/hostile-files/index", test_index);
  g_test_add_func ("/engine/format/hostile-files/threads", test_threads);
  status = g_test_run ();
  g_rmdir (folder);
  g_free (folder);
  return status;
}
