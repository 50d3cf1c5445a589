/* Files that are not what they seem: overwritten while they are open, small and claiming to be
 * huge, links and pipes where a recording is to be written. */
#include "engine/format/vtr-trace-layout.h"
#include "engine/format/vtr-trace-writer.h"
#include "engine/format/vtr-trace.h"

#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>
#include <zstd.h>

#define BOMB_BYTES ((guint64)3 << 30)
#define MOST_MIB 700 /* of this process */

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
      const VtrMappedWrite *writes;
      VtrCommand command;

      vtr_arena_reset (&arena);
      (void)!vtr_trace_decode (trace, i, &arena, &command, NULL);
      (void)!vtr_trace_get_mapped_writes (trace, i, &arena, &writes, NULL);
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

static void
check_refused (const char *path)
{
  g_autoptr (GError) error = NULL, other = NULL;

  g_assert_null (vtr_trace_writer_new (path, &error));
  g_assert_true (error->domain == G_IO_ERROR);
  g_assert_null (vtr_trace_writer_resume (path, &other));
  g_assert_nonnull (other);
}

/* What is being recorded never goes where somebody else's link or pipe leads. */
static void
test_part (void)
{
  g_autofree char *path = in_folder ("out.gfxtrace");
  g_autofree char *part = in_folder ("out.gfxtrace.part");
  g_autofree char *precious = in_folder ("precious");
  g_autofree char *contents = NULL;

  g_assert_true (g_file_set_contents (precious, "precious", -1, NULL));
  g_assert_cmpint (symlink (precious, part), ==, 0);
  check_refused (path);
  g_assert_true (g_file_get_contents (precious, &contents, NULL, NULL));
  g_assert_cmpstr (contents, ==, "precious");
  g_unlink (part);
  g_assert_cmpint (mkfifo (part, 0600), ==, 0);
  check_refused (path);
  g_unlink (part);
  g_unlink (precious);
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
  g_test_add_func ("/engine/format/hostile-files/part", test_part);
  status = g_test_run ();
  g_rmdir (folder);
  g_free (folder);
  return status;
}
