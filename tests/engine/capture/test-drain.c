/* Tests the way from ring to trace, with the test at the other end of the ring, also after the
 * writer has died. */
#include "api/vtr-api-args.h"
#include "engine/capture/vtr-capture-drain.h"
#include "engine/capture/vtr-capture-ring.h"
#include "engine/capture/vtr-capture-recover.h"
#include "engine/format/vtr-trace.h"
#include "wire/vtr-ring-writer.h"

#include <glib/gstdio.h>
#include <malloc.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define N_ROUNDS 6
#define N_DRAWS 9000 /* of a round; three frames of the file hold them */
#define PER_ROUND (N_DRAWS + 2)

typedef struct
{
  VtrRingWriter ring;
  VtrRingLog log;
} Program;

static void
begin_program (Program        *self,
               VtrCaptureRing *ring)
{
  g_assert_cmpint (vtr_ring_writer_attach (&self->ring, dup (ring->fd)), ==, VTR_OK);
  g_assert_true (vtr_ring_log_open (&self->log, &self->ring, 77));
}

static guint64
call (Program    *self,
      VtrCmdId    id,
      const void *args,
      guint16     flags)
{
  VtrBuffer message = { 0 };
  guint64 ticket;

  vtr_api_encode_begin (&message, id, args, 77, 0, NULL);
  g_assert_cmpint (vtr_ring_log_append (&self->log, (guint16)id, flags, message.data, message.size,
                                        &ticket),
                   ==, VTR_OK);
  vtr_buffer_finish (&message);
  return ticket;
}

/* Appends the draws of a round to a block; each has its place in the whole trace. */
static void
record_draws (VtrRingChain *chain,
              guint         round,
              guint         n)
{
  VtrBuffer message = { 0 };

  for (guint i = 0; i < n; i++)
    {
      VtrArgs_vkCmdDraw draw = { .vertexCount = round * PER_ROUND + i, .instanceCount = round };
      float constants[64] = { (float)i };
      VtrArgs_vkCmdPushConstants push = { .offset = round * PER_ROUND + i };

      push.size = sizeof constants;
      push.pValues = constants;
      vtr_buffer_clear (&message);
      if (i % 2 == 0)
        vtr_api_encode (&message, VTR_CMD_vkCmdDraw, &draw, 0, 77, 0, 0, NULL);
      else
        vtr_api_encode (&message, VTR_CMD_vkCmdPushConstants, &push, 0, 77, 0, 0, NULL);
      g_assert_cmpint (vtr_ring_block_append (chain,
                                              i % 2 == 0 ? VTR_CMD_vkCmdDraw
                                                         : VTR_CMD_vkCmdPushConstants,
                                              0, message.data, message.size),
                       ==, VTR_OK);
    }
  vtr_buffer_finish (&message);
}

/* A command buffer, its submission with a result that comes late, and a wait. */
static void
play_round (Program *self,
            guint    round)
{
  VtrRingChain chain = { 0 };
  VkSubmitInfo submit = { .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO };
  VtrRingReturned returned = { 0, round };

  g_assert_true (vtr_ring_block_begin (&chain, &self->ring, 0xc0 + round));
  record_draws (&chain, round, N_DRAWS);
  g_assert_cmpint (vtr_ring_block_publish (&chain, &self->log, 0, round % 2 == 0), ==, VTR_OK);
  returned.ticket = call (self, VTR_CMD_vkQueueSubmit,
                          &(VtrArgs_vkQueueSubmit){ .submitCount = 1, .pSubmits = &submit },
                          VTR_RECORD_PENDING);
  call (self, VTR_CMD_vkDeviceWaitIdle, &(VtrArgs_vkDeviceWaitIdle){ 0 }, 0);
  g_assert_cmpint (vtr_ring_log_append (&self->log, VTR_RECORD_RETURNED, 0, &returned,
                                        sizeof returned, NULL),
                   ==, VTR_OK);
}

static void
check_command (const VtrCommand *command,
               guint64           index)
{
  guint64 round = index / PER_ROUND, at = index % PER_ROUND;

  if (at < N_DRAWS && at % 2 == 0)
    {
      g_assert_cmpint (command->id, ==, VTR_CMD_vkCmdDraw);
      g_assert_cmpuint (((VtrArgs_vkCmdDraw *)command->args)->vertexCount, ==, index);
    }
  else if (at < N_DRAWS)
    {
      g_assert_cmpint (command->id, ==, VTR_CMD_vkCmdPushConstants);
      g_assert_cmpuint (((VtrArgs_vkCmdPushConstants *)command->args)->offset, ==, index);
    }
  else if (at == N_DRAWS)
    {
      g_assert_cmpint (command->id, ==, VTR_CMD_vkQueueSubmit);
      g_assert_cmpuint (command->flags, ==, VTR_COMMAND_PENDING);
      g_assert_cmpuint (command->result, ==, round);
    }
  else
    g_assert_cmpint (command->id, ==, VTR_CMD_vkDeviceWaitIdle);
}

static void
check_trace (const char *path,
             guint64     n)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (VtrTrace) trace = vtr_trace_open (path, NULL, NULL, NULL, &error);
  VtrArena arena;

  g_assert_no_error (error);
  g_assert_null (vtr_trace_get_warning (trace));
  g_assert_cmpuint (vtr_trace_get_n_commands (trace), ==, n);
  vtr_arena_init (&arena);
  for (guint64 i = 0; i < n; i++)
    {
      VtrCommand command;

      vtr_arena_reset (&arena);
      g_assert_true (vtr_trace_decode (trace, i, &arena, &command, &error));
      check_command (&command, i);
    }
  vtr_arena_finish (&arena);
}

static char *
make_path (void)
{
  g_autofree char *folder = g_dir_make_tmp ("vtr-XXXXXX", NULL);

  return g_build_filename (folder, "test.gfxtrace", NULL);
}

static void
remove_path (char *path)
{
  g_autofree char *folder = g_path_get_dirname (path);

  g_unlink (path);
  g_rmdir (folder);
  g_free (path);
}

static void
test_live (void)
{
  g_autoptr (GError) error = NULL;
  char *path = make_path ();
  VtrCaptureRing *ring = vtr_capture_ring_new (&error);
  VtrTraceWriter *writer = vtr_trace_writer_new (path, &error);
  VtrCaptureDrain *drain;
  Program program;
  guint taken;

  g_assert_no_error (error);
  drain = vtr_capture_drain_new (ring->header, ring->size, writer, &error);
  begin_program (&program, ring);
  for (guint i = 0; i < N_ROUNDS; i++)
    {
      play_round (&program, i);
      g_assert_true (vtr_capture_drain_run (drain, FALSE, 1000, &taken, &error));
      g_assert_cmpuint (taken, ==, 4);
    }
  g_assert_false (vtr_capture_drain_expects_more (drain));
  g_assert_true (vtr_trace_writer_finish (writer, &error));
  vtr_capture_drain_free (drain);
  vtr_trace_writer_free (writer, FALSE);
  vtr_ring_writer_detach (&program.ring);
  vtr_capture_ring_free (ring, TRUE);
  check_trace (path, N_ROUNDS * PER_ROUND);
  remove_path (path);
}

/* Under a sanitizer nothing is counted. */
static gsize
count_allocated (void)
{
  struct mallinfo2 info = mallinfo2 ();

  return info.uordblks + info.hblkhd;
}

/* Once a recording has ended, its largest record takes no memory. */
static void
test_large_record (void)
{
  const gsize size = 4 << 20;
  g_autofree guint8 *bytes = g_malloc0 (size);
  g_autoptr (GError) error = NULL;
  char *path = make_path ();
  VtrCaptureRing *ring = vtr_capture_ring_new (&error);
  VtrTraceWriter *writer = vtr_trace_writer_new (path, &error);
  VtrCaptureDrain *drain;
  Program program;
  gsize before;
  guint taken;

  drain = vtr_capture_drain_new (ring->header, ring->size, writer, &error);
  begin_program (&program, ring);
  before = count_allocated ();
  g_assert_cmpint (vtr_ring_log_append (&program.log, VTR_RECORD_MEMORY, 0, bytes, size, NULL), ==,
                   VTR_OK);
  g_assert_true (vtr_capture_drain_run (drain, FALSE, 1, &taken, &error));
  g_assert_cmpuint (taken, ==, 1);
  g_assert_true (vtr_trace_writer_finish (writer, &error));
  vtr_trace_writer_free (writer, FALSE);
  vtr_capture_drain_detach (drain, TRUE);
  g_assert_cmpuint (count_allocated (), <, before + size / 4);
  vtr_capture_drain_free (drain);
  vtr_ring_writer_detach (&program.ring);
  vtr_capture_ring_free (ring, TRUE);
  remove_path (path);
}

/* In the child: host and program, until both die after @n_records were drained. With
 * @unfinished, one more command buffer is being recorded then. */
static void
live_and_die (const char *path,
              guint       n_records,
              gboolean    unfinished)
{
  VtrCaptureRing *ring = vtr_capture_ring_new (NULL);
  VtrRecordingId id = vtr_recording_id_new ();
  VtrTraceWriter *writer = vtr_trace_writer_new_recording (path, &id, NULL);
  VtrCaptureDrain *drain = vtr_capture_drain_new (ring->header, ring->size, writer, NULL);
  Program program;
  guint taken;

  g_assert_true (vtr_capture_ring_set_recording (ring, &id, path, path, NULL));
  begin_program (&program, ring);
  for (guint i = 0; i < N_ROUNDS; i++)
    play_round (&program, i);
  if (unfinished)
    {
      VtrRingChain chain = { 0 };

      g_assert_true (vtr_ring_block_begin (&chain, &program.ring, 0xdd));
      record_draws (&chain, N_ROUNDS, N_DRAWS);
    }
  g_assert_true (vtr_capture_drain_run (drain, TRUE, n_records, &taken, NULL));
  if (unfinished)
    g_assert_true (vtr_capture_drain_unfinished (drain, NULL));
  _exit (0);
}

/* Beside a program that goes on, large records are taken one by one. */
static void
test_steps (void)
{
  const gsize size = 1 << 20;
  g_autofree guint8 *bytes = g_malloc0 (size);
  g_autoptr (GError) error = NULL;
  char *path = make_path ();
  VtrCaptureRing *ring = vtr_capture_ring_new (&error);
  VtrTraceWriter *writer = vtr_trace_writer_new (path, &error);
  VtrCaptureDrain *drain = vtr_capture_drain_new (ring->header, ring->size, writer, &error);
  Program program;
  guint taken;

  begin_program (&program, ring);
  for (guint i = 0; i < 4; i++)
    g_assert_cmpint (
      vtr_ring_log_append (&program.log, VTR_RECORD_MEMORY, 0, bytes, size, NULL), ==, VTR_OK);
  vtr_capture_drain_set_step (drain, size / 2);
  for (guint i = 0; i < 2; i++)
    {
      g_assert_true (vtr_capture_drain_run (drain, FALSE, 1000, &taken, &error));
      g_assert_cmpuint (taken, ==, 1);
    }
  vtr_capture_drain_set_step (drain, G_MAXUINT64);
  g_assert_true (vtr_capture_drain_run (drain, FALSE, 1000, &taken, &error));
  g_assert_cmpuint (taken, ==, 2);
  g_assert_true (vtr_trace_writer_finish (writer, &error));
  vtr_trace_writer_free (writer, FALSE);
  vtr_capture_drain_detach (drain, TRUE);
  vtr_capture_drain_free (drain);
  vtr_ring_writer_detach (&program.ring);
  vtr_capture_ring_free (ring, TRUE);
  remove_path (path);
}

static void
test_recover (void)
{
  for (guint n = 0; n <= 4 * N_ROUNDS; n += n < 4 ? 1 : 5)
    for (guint unfinished = 0; unfinished < (n == 4 * N_ROUNDS ? 2u : 1u); unfinished++)
      {
        g_autoptr (GError) error = NULL;
        g_autoptr (VtrCaptureRecovery) recovered = NULL;
        char *path = make_path ();
        pid_t child = fork ();
        int status;

        if (child == 0)
          live_and_die (path, n, unfinished);
        g_assert_cmpint (waitpid (child, &status, 0), ==, child);
        g_assert_cmpint (status, ==, 0);
        g_assert_false (g_file_test (path, G_FILE_TEST_EXISTS));
        recovered = vtr_capture_recover (&error);
        g_assert_no_error (error);
        g_assert_cmpuint (g_strv_length (recovered->paths), ==, 1);
        g_assert_cmpstr (recovered->paths[0], ==, path);
        check_trace (path, N_ROUNDS * PER_ROUND + unfinished * N_DRAWS);
        vtr_capture_recovery_free (recovered);
        /* Nothing is left over. */
        recovered = vtr_capture_recover (&error);
        g_assert_cmpuint (g_strv_length (recovered->paths), ==, 0);
        remove_path (path);
      }
}

int
main (int    argc,
      char **argv)
{
  g_autofree char *runtime = g_dir_make_tmp ("vtr-run-XXXXXX", NULL);
  g_autofree char *folder = NULL;
  int status;

  g_test_init (&argc, &argv, NULL);
  g_setenv ("XDG_RUNTIME_DIR", runtime, TRUE);
  g_setenv ("XDG_STATE_HOME", runtime, TRUE);
  g_test_add_func ("/engine/capture/drain/live", test_live);
  g_test_add_func ("/engine/capture/drain/large-record", test_large_record);
  g_test_add_func ("/engine/capture/drain/steps", test_steps);
  g_test_add_func ("/engine/capture/drain/recover", test_recover);
  status = g_test_run ();
  folder = g_build_filename (runtime, "vitrine", NULL);
  g_rmdir (folder);
  g_rmdir (runtime);
  return status;
}
