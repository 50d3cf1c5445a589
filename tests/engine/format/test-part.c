/* Tests that the unfinished file of a trace leaves foreign files alone and loses nothing that was
 * recorded. */
#include "api/vtr-api-args.h"
#include "engine/format/vtr-trace-layout.h"
#include "engine/format/vtr-trace-part.h"
#include "engine/format/vtr-trace-writer.h"
#include "engine/format/vtr-trace.h"

#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define N_CALLS 2000
#define FOREIGN "Somebody else's words.\n"

typedef struct
{
  char *folder;
  char *path;
  char *part;
  char *other; /* the name that is taken where .part is not free */
  char *precious;
} Fixture;

static void
set_up (Fixture       *self,
        gconstpointer  data)
{
  self->folder = g_dir_make_tmp ("vitrine-part-XXXXXX", NULL);
  self->path = g_build_filename (self->folder, "out.gfxtrace", NULL);
  self->part = g_strconcat (self->path, ".part", NULL);
  self->other = g_strconcat (self->path, ".2.part", NULL);
  self->precious = g_build_filename (self->folder, "precious", NULL);
  g_assert_true (g_file_set_contents (self->precious, FOREIGN, -1, NULL));
}

static void
tear_down (Fixture       *self,
           gconstpointer  data)
{
  g_autoptr (GDir) dir = g_dir_open (self->folder, 0, NULL);
  const char *name;

  while ((name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *path = g_build_filename (self->folder, name, NULL);

      g_assert_cmpint (g_remove (path), ==, 0);
    }
  g_rmdir (self->folder);
  g_free (self->folder);
  g_free (self->path);
  g_free (self->part);
  g_free (self->other);
  g_free (self->precious);
}

static void
append_calls (VtrTraceWriter *writer,
              guint           n)
{
  VtrBuffer message = { 0 };
  g_autoptr (GError) error = NULL;

  for (guint i = 0; i < n; i++)
    {
      VtrArgs_vkCmdDraw draw = { .vertexCount = i, .instanceCount = 1 };

      vtr_buffer_clear (&message);
      vtr_api_encode (&message, VTR_CMD_vkCmdDraw, &draw, 0, 77, 0, 0, NULL);
      g_assert_cmpuint (vtr_trace_writer_append_command (writer, VTR_CMD_vkCmdDraw, message.data,
                                                         message.size, 0, FALSE, &error),
                        !=, G_MAXUINT64);
    }
  g_assert_true (vtr_trace_writer_flush (writer, TRUE, &error));
  g_assert_no_error (error);
  vtr_buffer_finish (&message);
}

static VtrTraceWriter *
begin (Fixture *self)
{
  g_autoptr (GError) error = NULL;
  VtrTraceWriter *writer = vtr_trace_writer_new (self->path, &error);

  g_assert_no_error (error);
  append_calls (writer, N_CALLS);
  return writer;
}

static void
finish (VtrTraceWriter *writer)
{
  g_autoptr (GError) error = NULL;

  g_assert_true (vtr_trace_writer_finish (writer, &error));
  g_assert_no_error (error);
  vtr_trace_writer_free (writer, FALSE);
}

static void
check_trace (const char *path,
             guint64     n)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (VtrTrace) trace = vtr_trace_open (path, NULL, NULL, NULL, &error);

  g_assert_no_error (error);
  g_assert_cmpuint (vtr_trace_get_n_commands (trace), ==, n);
  g_assert_null (vtr_trace_get_warning (trace));
}

static void
check_foreign (const char *path)
{
  g_autofree char *contents = NULL;

  g_assert_true (g_file_get_contents (path, &contents, NULL, NULL));
  g_assert_cmpstr (contents, ==, FOREIGN);
}

/* A file that already has the name of the unfinished file is left alone. */
static void
test_taken (Fixture       *self,
            gconstpointer  data)
{
  g_autofree char *before = NULL, *after = NULL;
  gsize size, size_after;
  struct stat info;

  g_assert_true (g_file_set_contents (self->part, FOREIGN, -1, NULL));
  finish (begin (self));
  check_foreign (self->part);
  check_trace (self->path, N_CALLS);

  g_unlink (self->part);
  g_assert_cmpint (symlink (self->precious, self->part), ==, 0);
  finish (begin (self));
  check_foreign (self->precious);
  g_assert_true (lstat (self->part, &info) == 0 && S_ISLNK (info.st_mode));

  g_unlink (self->part);
  g_assert_cmpint (mkfifo (self->part, 0600), ==, 0);
  finish (begin (self));
  g_assert_true (lstat (self->part, &info) == 0 && S_ISFIFO (info.st_mode));

  /* A complete trace that somebody called so. */
  g_unlink (self->part);
  g_assert_cmpint (rename (self->path, self->part), ==, 0);
  g_assert_true (g_file_get_contents (self->part, &before, &size, NULL));
  vtr_trace_writer_free (begin (self), TRUE);
  g_assert_true (g_file_get_contents (self->part, &after, &size_after, NULL));
  g_assert_cmpmem (before, size, after, size_after);
  g_assert_false (g_file_test (self->other, G_FILE_TEST_EXISTS));
}

/* Two recordings of one name, both interrupted: both are there. */
static void
test_reused (Fixture       *self,
             gconstpointer  data)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *first = g_build_filename (self->folder, "out-recovered.gfxtrace", NULL);
  VtrTraceWriter *writer = begin (self), *second;
  VtrRecordingId a, b;

  g_assert_null (vtr_trace_writer_new (self->path, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_BUSY);
  g_clear_error (&error);
  vtr_trace_writer_free (writer, FALSE);
  second = begin (self);
  append_calls (second, 1);
  g_assert_true (vtr_trace_part_read_recording (self->part, &a));
  g_assert_true (vtr_trace_part_read_recording (self->other, &b));
  g_assert_false (vtr_recording_id_equal (&a, &b));
  finish (second);
  check_trace (self->path, N_CALLS + 1);

  /* A file of another recording is not continued. */
  g_assert_null (vtr_trace_writer_resume (self->part, self->path, &b, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_DATA);
  g_clear_error (&error);
  writer = vtr_trace_writer_resume (self->part, self->path, &a, &error);
  g_assert_no_error (error);
  finish (writer);
  check_trace (self->path, N_CALLS + 1);
  check_trace (first, N_CALLS);
}

typedef enum
{
  REMOVED,
  REPLACED,
  LINKED,
  MOVED,
  N_WAYS,
} Way;

/* The file loses its name while it is written. */
static void
test_displaced (Fixture       *self,
                gconstpointer  data)
{
  for (Way way = 0; way < N_WAYS; way++)
    {
      VtrTraceWriter *writer = begin (self);
      g_autofree char *moved = g_strconcat (self->part, ".moved", NULL);
      g_autoptr (GError) error = NULL;

      g_assert_cmpint (way == MOVED ? rename (self->part, moved) : g_unlink (self->part), ==, 0);
      if (way == REPLACED)
        g_assert_true (g_file_set_contents (self->part, FOREIGN, -1, NULL));
      if (way == LINKED)
        g_assert_cmpint (symlink (self->precious, self->part), ==, 0);
      append_calls (writer, 1);
      g_assert_true (vtr_trace_writer_finish (writer, &error));
      g_assert_no_error (error);
      g_assert_true (vtr_trace_writer_was_displaced (writer));
      vtr_trace_writer_free (writer, FALSE);
      check_trace (self->path, N_CALLS + 1);
      if (way == REPLACED)
        check_foreign (self->part);
      check_foreign (self->precious);
      g_unlink (self->part);
      g_unlink (self->path);
    }
}

/* A file that came while the trace was written is kept; the one that was there is replaced. */
static void
test_come_since (Fixture       *self,
                 gconstpointer  data)
{
  g_autofree char *beside = g_build_filename (self->folder, "out-2.gfxtrace", NULL);
  g_autoptr (GError) error = NULL;
  VtrTraceWriter *writer;

  for (guint existed = 0; existed < 2; existed++)
    {
      writer = begin (self);
      g_unlink (self->path);
      g_assert_true (g_file_set_contents (self->path, FOREIGN, -1, NULL));
      g_assert_true (vtr_trace_writer_finish (writer, &error));
      g_assert_true (vtr_trace_writer_has_evaded (writer));
      g_assert_cmpstr (vtr_trace_writer_get_path (writer), ==, beside);
      vtr_trace_writer_free (writer, FALSE);
      check_foreign (self->path);
      check_trace (beside, N_CALLS);
      g_unlink (beside);
    }

  writer = begin (self);
  g_assert_true (vtr_trace_writer_finish (writer, &error));
  g_assert_false (vtr_trace_writer_has_evaded (writer));
  vtr_trace_writer_free (writer, FALSE);
  check_trace (self->path, N_CALLS);
  g_assert_false (g_file_test (self->part, G_FILE_TEST_EXISTS));

  /* A trace made of another one has the name that was asked for, or none. */
  writer = vtr_trace_writer_new_hidden (self->path, &error);
  g_assert_no_error (error);
  g_unlink (self->path);
  g_assert_true (g_file_set_contents (self->path, FOREIGN, -1, NULL));
  g_assert_false (vtr_trace_writer_finish (writer, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_EXISTS);
  vtr_trace_writer_free (writer, TRUE);
  check_foreign (self->path);
  g_assert_false (g_file_test (beside, G_FILE_TEST_EXISTS));
}

/* Somebody writes into the file itself: no success is reported. */
static void
test_overwritten (Fixture       *self,
                  gconstpointer  data)
{
  VtrTraceWriter *writer = begin (self);
  g_autoptr (GError) error = NULL;
  int fd = open (self->part, O_WRONLY | O_TRUNC);

  g_assert_cmpint (write (fd, FOREIGN, strlen (FOREIGN)), ==, strlen (FOREIGN));
  close (fd);
  g_assert_false (vtr_trace_writer_finish (writer, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_FAILED);
  g_assert_false (vtr_trace_writer_is_placed (writer));
  vtr_trace_writer_free (writer, FALSE);
  g_assert_false (g_file_test (self->path, G_FILE_TEST_EXISTS));
}

/* Who has the unfinished file open for writing may be about to need it. */
static void
test_open_elsewhere (Fixture       *self,
                     gconstpointer  data)
{
  g_autofree char *before = NULL, *after = NULL;
  g_autoptr (GError) error = NULL;
  gsize size, size_after;
  VtrTraceWriter *writer;
  int fd;

  vtr_trace_writer_free (begin (self), FALSE);
  g_assert_true (g_file_get_contents (self->part, &before, &size, NULL));
  fd = open (self->part, O_WRONLY);
  if (fcntl (fd, F_SETLEASE, F_WRLCK) != 0)
    {
      close (fd);
      g_test_skip ("the file system has no leases");
      return;
    }
  fcntl (fd, F_SETLEASE, F_UNLCK);
  g_assert_null (vtr_trace_writer_resume (self->part, self->path, NULL, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_PENDING);
  g_clear_error (&error);
  close (fd);
  g_assert_true (g_file_get_contents (self->part, &after, &size_after, NULL));
  g_assert_cmpmem (before, size, after, size_after);

  writer = vtr_trace_writer_resume (self->part, self->path, NULL, &error);
  g_assert_no_error (error);
  finish (writer);
  check_trace (self->path, N_CALLS);
}

/* Files of version 1, which have no identity, can be opened and continued. */
static void
test_version_1 (Fixture       *self,
                gconstpointer  data)
{
  VtrTraceHead head = { VTR_TRACE_HEAD_MAGIC, sizeof head - 8, VTR_TRACE_NAME, 1, 0 };
  g_autoptr (GByteArray) old = g_byte_array_new ();
  g_autofree char *contents = NULL;
  g_autoptr (GError) error = NULL;
  VtrTraceWriter *writer;
  gsize size;

  vtr_trace_writer_free (begin (self), FALSE);
  g_assert_true (g_file_get_contents (self->part, &contents, &size, NULL));
  g_byte_array_append (old, (const guint8 *)&head, sizeof head);
  g_byte_array_append (old, (const guint8 *)contents + sizeof (VtrTraceLongHead),
                       (guint)(size - sizeof (VtrTraceLongHead)));
  g_assert_true (
    g_file_set_contents (self->part, (const char *)old->data, (gssize)old->len, NULL));
  writer = vtr_trace_writer_resume (self->part, self->path, NULL, &error);
  g_assert_no_error (error);
  append_calls (writer, 1);
  finish (writer);
  check_trace (self->path, N_CALLS + 1);
}

static void
test_names (void)
{
  static const char *const names[][2] = {
    { "/a/x.gfxtrace.part", "/a/x.gfxtrace" },
    { "/a/x.gfxtrace.2.part", "/a/x.gfxtrace" },
    { "x.part", "x" },
    { "x-3.part", "x-3" },
    { "/a/x.gfxtrace", NULL },
    { "/a/.part", NULL },
    { "/a/x.gfxtrace.12.part", "/a/x.gfxtrace" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autofree char *trace = vtr_trace_part_get_trace_path (names[i][0]);

      g_assert_cmpstr (trace, ==, names[i][1]);
    }
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, G_TEST_OPTION_ISOLATE_DIRS, NULL);
#define ADD(name, function) \
  g_test_add ("/engine/format/part/" name, Fixture, NULL, set_up, function, tear_down)
  ADD ("taken", test_taken);
  ADD ("reused", test_reused);
  ADD ("displaced", test_displaced);
  ADD ("come-since", test_come_since);
  ADD ("overwritten", test_overwritten);
  ADD ("open-elsewhere", test_open_elsewhere);
  ADD ("version-1", test_version_1);
  g_test_add_func ("/engine/format/part/names", test_names);
  return g_test_run ();
}
