/* Tests a process under capture, for which the test plays the layer: requests, beginnings, ends,
 * and what is left over. */
#include "api/vtr-api-args.h"
#include "engine/api/vtr-capture-error.h"
#include "engine/capture/vtr-capture-options.h"
#include "engine/capture/vtr-capture-process.h"
#include "engine/format/vtr-trace-header.h"
#include "engine/format/vtr-trace-writer.h"
#include "wire/vtr-ring-writer.h"
#include "wire/vtr-trace-objects.h"

#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

#define DEADLINE (60 * G_USEC_PER_SEC)

typedef struct
{
  char *folder;
  char *path;
  VtrCaptureProcess *process;
  VtrRingWriter ring;
  VtrRingLog log;
} Fixture;

static void
set_up (Fixture              *self,
        const VtrCapturePlan *plan)
{
  g_autofree VtrCaptureHello *hello = g_new0 (VtrCaptureHello, 1);
  char *arguments[] = { (char *)"program", NULL };
  g_autoptr (GError) error = NULL;

  hello->pid = 4711;
  g_strlcpy (hello->executable, "/bin/program", sizeof hello->executable);
  self->folder = g_dir_make_tmp ("vtr-XXXXXX", NULL);
  self->path = g_build_filename (self->folder, "test.gfxtrace", NULL);
  self->process = vtr_capture_process_new (self->path, hello, arguments, plan, &error);
  g_assert_no_error (error);
  g_assert_cmpint (vtr_ring_writer_attach (&self->ring,
                                           dup (vtr_capture_process_get_ring_fd (self->process))),
                   ==, VTR_OK);
  g_assert_true (vtr_ring_log_open (&self->log, &self->ring, 77));
}

/* Nothing but @n traces, which are removed, may be left. */
static void
tear_down (Fixture *self,
           guint    n)
{
  vtr_capture_process_hang_up (self->process);
  vtr_capture_process_free (self->process);
  vtr_ring_writer_detach (&self->ring);
  for (guint i = 1; i <= n; i++)
    {
      g_autofree char *path = vtr_capture_number_path (self->path, i);

      g_assert_cmpint (g_unlink (path), ==, 0);
    }
  g_assert_cmpint (g_rmdir (self->folder), ==, 0);
  g_free (self->folder);
  g_free (self->path);
}

static VtrStatus
try_call (Fixture *self,
          guint64  value)
{
  VtrArgs_vkCmdDraw draw = { .vertexCount = (guint32)value };
  VtrBuffer message = { 0 };
  VtrStatus status;

  vtr_api_encode (&message, VTR_CMD_vkCmdDraw, &draw, 0, 77, 0, 0, NULL);
  status = vtr_ring_log_append (&self->log, VTR_CMD_vkCmdDraw, 0, message.data, message.size, NULL);
  vtr_buffer_finish (&message);
  return status;
}

static void
call (Fixture *self,
      guint64  value)
{
  g_assert_cmpint (try_call (self, value), ==, VTR_OK);
}

static guint32
wait_for_request (Fixture *self)
{
  VtrRingHeader *header = self->ring.header;
  gint64 end = g_get_monotonic_time () + DEADLINE;

  while (atomic_load (&header->trigger_request) == atomic_load (&header->trigger_done))
    {
      g_assert_cmpint (g_get_monotonic_time (), <, end);
      g_usleep (200);
    }
  return atomic_load (&header->trigger_request);
}

/* What the layer does at a boundary, with calls before and after that belong to nothing. */
static void
play (Fixture      *self,
      guint64       frame,
      guint         n_calls,
      VtrRingState  state)
{
  guint32 request = wait_for_request (self);

  atomic_store (&self->ring.header->frames, frame);
  call (self, 1000);
  g_assert_true (vtr_ring_log_start (&self->log, request, frame));
  for (guint i = 0; i < n_calls; i++)
    call (self, i);
  if (state != VTR_RING_STATE_DECLINED)
    {
      atomic_store (&self->ring.header->trigger_begun, request);
      atomic_store (&self->ring.header->trigger_filled, request);
    }
  atomic_store (&self->ring.header->frames,
                frame + atomic_load (&self->ring.header->frame_limit));
  vtr_ring_log_pause (&self->log, state);
  call (self, 2000);
  atomic_store (&self->ring.header->trigger_done, request);
}

static void
wait_until (Fixture *self,
            gboolean (*condition) (VtrCaptureProcess *process))
{
  gint64 end = g_get_monotonic_time () + DEADLINE;

  while (!condition (self->process))
    {
      g_assert_cmpint (g_get_monotonic_time (), <, end);
      g_usleep (200);
    }
}

static VtrCaptureTrace *
take_trace (Fixture *self)
{
  gint64 end = g_get_monotonic_time () + DEADLINE;

  for (;;)
    {
      g_autoptr (GPtrArray) traces = vtr_capture_process_take_traces (self->process);

      g_assert_cmpuint (traces->len, <=, 1);
      if (traces->len == 1)
        return vtr_capture_trace_copy (g_ptr_array_index (traces, 0));
      g_assert_cmpint (g_get_monotonic_time (), <, end);
      g_usleep (200);
    }
}

static void
check_trace (Fixture *self,
             guint    nth,
             guint64  frame,
             guint    n_frames,
             guint    n_calls)
{
  g_autoptr (VtrCaptureTrace) made = take_trace (self);
  g_autofree char *path = vtr_capture_number_path (self->path, nth);
  g_autoptr (GError) error = NULL;
  g_autoptr (VtrTrace) trace = NULL;
  VtrArena arena;

  g_assert_cmpstr (made->path, ==, path);
  g_assert_cmpuint (made->pid, ==, 4711);
  g_assert_cmpuint (made->nth, ==, nth);
  g_assert_cmpuint (made->first_frame, ==, frame);
  g_assert_cmpuint (made->frames, ==, n_frames);
  g_assert_cmpuint (made->commands, ==, n_calls);
  trace = vtr_trace_open (path, NULL, NULL, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (vtr_trace_get_n_commands (trace), ==, n_calls);
  vtr_arena_init (&arena);
  for (guint i = 0; i < n_calls; i++)
    {
      VtrCommand command;

      g_assert_true (vtr_trace_decode (trace, i, &arena, &command, &error));
      g_assert_cmpuint (((VtrArgs_vkCmdDraw *)command.args)->vertexCount, ==, i);
    }
  vtr_arena_finish (&arena);
}

static void
test_launch (void)
{
  Fixture self = { 0 };

  set_up (&self, &(VtrCapturePlan){ .from_launch = TRUE, .times = 1 });
  for (guint i = 0; i < 3; i++)
    call (&self, i);
  atomic_store (&self.ring.header->frames, 2);
  g_assert_false (vtr_capture_process_trigger (self.process));
  vtr_capture_process_hang_up (self.process);
  check_trace (&self, 1, 0, 2, 3);
  tear_down (&self, 1);
}

static void
test_again (void)
{
  const VtrCapturePlan plan = {
    .at_frame = TRUE, .frame = 5, .n_frames = 2, .every = 10, .times = 3
  };
  VtrCaptureCounts counts;
  Fixture self = { 0 };

  set_up (&self, &plan);
  for (guint i = 0; i < 3; i++)
    {
      wait_for_request (&self);
      g_assert_cmpuint (atomic_load (&self.ring.header->frame_limit), ==, 2);
      g_assert_cmpuint (atomic_load (&self.ring.header->trigger_frame), ==, 5 + i * 10);
      g_assert_false (vtr_capture_process_is_recorded (self.process));
      play (&self, 5 + i * 10, 4 + i, VTR_RING_STATE_DONE);
      check_trace (&self, i + 1, 5 + i * 10, 2, 4 + i);
    }
  wait_until (&self, vtr_capture_process_is_recorded);
  g_assert_false (vtr_capture_process_trigger (self.process));
  vtr_capture_process_stop (self.process);
  wait_until (&self, vtr_capture_process_is_complete);
  vtr_capture_process_get_counts (self.process, &counts);
  g_assert_cmpuint (counts.frames, ==, 6);
  g_assert_cmpuint (counts.commands, ==, 4 + 5 + 6);
  g_assert_cmpuint (counts.presented, ==, 27);
  g_assert_null (vtr_capture_process_get_error (self.process));
  tear_down (&self, 3);
}

static guint
count_segments (Fixture *self)
{
  const VtrRingHeader *header = self->ring.header;
  const _Atomic guint32 *refs =
    (const _Atomic guint32 *)(const void *)((const guint8 *)header + header->refs_offset);
  guint n = 0;

  for (guint i = 1; i < header->n_segments; i++)
    n += atomic_load (&refs[i]) != 0;
  return n;
}

/* One capture right after the other: each gives back its room. */
static void
test_room (void)
{
  const VtrCapturePlan plan = { .at_frame = TRUE, .n_frames = 1, .every = 1, .times = 12 };
  Fixture self = { 0 };

  set_up (&self, &plan);
  for (guint i = 0; i < plan.times; i++)
    {
      play (&self, i * 3, 1000, VTR_RING_STATE_DONE);
      check_trace (&self, i + 1, i * 3, 1, 1000);
      g_assert_cmpuint (count_segments (&self), <=, 2);
    }
  wait_until (&self, vtr_capture_process_is_recorded);
  tear_down (&self, (guint)plan.times);
}

/* A capture that is due before the one before it is done waits for the next turn. */
static void
test_late (void)
{
  const VtrCapturePlan plan = { .at_frame = TRUE, .frame = 5, .n_frames = 1, .every = 2 };
  Fixture self = { 0 };

  set_up (&self, &plan);
  wait_for_request (&self);
  play (&self, 20, 1, VTR_RING_STATE_DONE);
  atomic_store (&self.ring.header->frames, 25);
  check_trace (&self, 1, 20, 1, 1);
  wait_for_request (&self);
  g_assert_cmpuint (atomic_load (&self.ring.header->trigger_frame) % 2, ==, 0);
  g_assert_cmpuint (atomic_load (&self.ring.header->trigger_frame), >, 20);
  tear_down (&self, 1);
}

static void
test_by_hand (void)
{
  Fixture self = { 0 };

  set_up (&self, &(VtrCapturePlan){ .n_frames = 1 });
  for (guint i = 0; i < 2; i++)
    {
      g_assert_true (vtr_capture_process_trigger (self.process));
      wait_for_request (&self);
      g_assert_cmpuint (atomic_load (&self.ring.header->trigger_frame), ==, 0);
      play (&self, 100 + i, 2, VTR_RING_STATE_DONE);
      check_trace (&self, i + 1, 100 + i, 1, 2);
    }
  /* Stopped while idle: there is nothing more. */
  vtr_capture_process_stop (self.process);
  wait_until (&self, vtr_capture_process_is_complete);
  g_assert_cmpuint (atomic_load (&self.ring.header->mode), ==, VTR_RING_MODE_OFF);
  g_assert_false (vtr_capture_process_trigger (self.process));
  tear_down (&self, 2);
}

static void
test_declined (void)
{
  Fixture self = { 0 };
  g_autoptr (GError) error = NULL;

  set_up (&self, &(VtrCapturePlan){ .at_frame = TRUE, .n_frames = 1, .times = 1 });
  vtr_capture_process_set_notice (self.process, "a queue never rests");
  play (&self, 3, 2, VTR_RING_STATE_DECLINED);
  wait_until (&self, vtr_capture_process_is_recorded);
  error = vtr_capture_process_get_error (self.process);
  g_assert_error (error, VTR_CAPTURE_ERROR, VTR_CAPTURE_ERROR_DECLINED);
  g_assert_nonnull (strstr (error->message, "a queue never rests"));
  tear_down (&self, 0);
}

/* A recording whose initial state is still under way. */
static void
begin (Fixture *self,
       guint64  frame)
{
  atomic_store (&self->ring.header->frames, frame);
  g_assert_true (vtr_ring_log_start (&self->log, wait_for_request (self), frame));
  call (self, 0);
}

static guint64
count_commands (Fixture *self)
{
  VtrCaptureCounts counts;

  vtr_capture_process_get_counts (self->process, &counts);
  return counts.commands;
}

/* Records that the layer left room for come when the frames are long over. */
static void
test_filled (void)
{
  Fixture self = { 0 };
  VtrRingLog frames;
  guint32 request;

  set_up (&self, &(VtrCapturePlan){ .at_frame = TRUE, .n_frames = 1, .times = 1 });
  begin (&self, 7);
  request = wait_for_request (&self);
  frames = self.log;
  g_assert_true (vtr_ring_log_open (&self.log, &self.ring, 78));
  atomic_store (&self.ring.header->trigger_begun, request);
  vtr_ring_log_reserve (&self.log, 4);
  vtr_ring_log_pause (&frames, VTR_RING_STATE_DONE);
  atomic_store (&self.ring.header->frames, 8);
  while (count_commands (&self) < 1)
    g_usleep (200);
  /* Taken though the frames have ended: they belong in front. */
  call (&self, 1);
  call (&self, 2);
  vtr_ring_log_fill (&self.log);
  atomic_store (&self.ring.header->trigger_filled, request);
  atomic_store (&self.ring.header->trigger_done, request);
  check_trace (&self, 1, 7, 1, 3);
  g_assert_null (vtr_capture_process_get_error (self.process));
  tear_down (&self, 1);
}

/* The program dies before all records have come for which the layer reserved tickets: the others
 * are kept. */
static void
test_unfilled (void)
{
  g_autoptr (GPtrArray) notices = NULL;
  Fixture self = { 0 };
  VtrRingLog frames;

  set_up (&self, &(VtrCapturePlan){ .at_frame = TRUE, .frame = 7, .n_frames = 4, .times = 1 });
  begin (&self, 7);
  atomic_store (&self.ring.header->trigger_begun, wait_for_request (&self));
  frames = self.log;
  g_assert_true (vtr_ring_log_open (&self.log, &self.ring, 78));
  vtr_ring_log_reserve (&self.log, 4);
  call (&self, 1);
  self.log = frames;
  call (&self, 2);
  atomic_store (&self.ring.header->frames, 8);
  vtr_capture_process_hang_up (self.process);
  check_trace (&self, 1, 7, 1, 3);
  notices = vtr_capture_process_take_notices (self.process);
  g_assert_cmpuint (notices->len, ==, 1);
  g_assert_nonnull (strstr (notices->pdata[0], "lacks the contents"));
  g_assert_null (vtr_capture_process_get_error (self.process));
  tear_down (&self, 1);
}

/* The program has the processors to itself while it makes the frames, but not for long. */
static void
test_left_alone (void)
{
  Fixture self = { 0 };
  gint64 start;

  set_up (&self, &(VtrCapturePlan){ .at_frame = TRUE, .n_frames = 1, .times = 1 });
  wait_for_request (&self);
  start = g_get_monotonic_time ();
  begin (&self, 7);
  while (count_commands (&self) == 0)
    g_usleep (1000);
  g_assert_cmpint (g_get_monotonic_time () - start, >=, 200 * 1000);
  vtr_capture_process_hang_up (self.process);
  wait_until (&self, vtr_capture_process_is_complete);
  tear_down (&self, 0);
}

/* The program ends before the frame; or in the middle of it. */
static void
test_ends (void)
{
  Fixture self = { 0 };

  set_up (&self, &(VtrCapturePlan){ .at_frame = TRUE, .frame = 50, .n_frames = 1, .times = 1 });
  wait_for_request (&self);
  call (&self, 1000);
  vtr_capture_process_hang_up (self.process);
  wait_until (&self, vtr_capture_process_is_complete);
  tear_down (&self, 0);

  set_up (&self, &(VtrCapturePlan){ .at_frame = TRUE, .frame = 50, .n_frames = 4, .times = 1 });
  begin (&self, 50);
  atomic_store (&self.ring.header->trigger_begun, wait_for_request (&self));
  atomic_store (&self.ring.header->trigger_filled, wait_for_request (&self));
  call (&self, 1);
  atomic_store (&self.ring.header->frames, 51);
  vtr_capture_process_hang_up (self.process);
  check_trace (&self, 1, 50, 1, 2);
  tear_down (&self, 1);
}

/* The program ends when part of the state that the frame needs has been recorded. */
static void
test_ends_early (void)
{
  g_autoptr (GError) error = NULL;
  Fixture self = { 0 };

  set_up (&self, &(VtrCapturePlan){ .at_frame = TRUE, .frame = 50, .n_frames = 4, .times = 1 });
  begin (&self, 50);
  vtr_capture_process_hang_up (self.process);
  wait_until (&self, vtr_capture_process_is_complete);
  error = vtr_capture_process_get_error (self.process);
  g_assert_error (error, VTR_CAPTURE_ERROR, VTR_CAPTURE_ERROR_DECLINED);
  g_assert_nonnull (strstr (error->message, "before its state was recorded"));
  tear_down (&self, 0);
}

static void
test_moved (void)
{
  Fixture self = { 0 };
  g_autofree char *moved = NULL;

  set_up (&self, &(VtrCapturePlan){ .at_frame = TRUE, .n_frames = 1, .times = 1 });
  moved = g_build_filename (self.folder, "moved.gfxtrace", NULL);
  vtr_capture_process_set_path (self.process, moved);
  g_free (self.path);
  self.path = g_strdup (moved);
  play (&self, 0, 1, VTR_RING_STATE_DONE);
  check_trace (&self, 1, 0, 1, 1);
  tear_down (&self, 1);
}

/* The program truncates the file that it shares with the host, from launch and in the middle of
 * a frame. Everything read before is kept, and the host survives. */
static void
check_cut (Fixture *self)
{
  g_autoptr (GError) error = NULL;

  g_assert_cmpint (ftruncate (self->ring.fd, 0), ==, 0);
  wait_until (self, vtr_capture_process_is_complete);
  error = vtr_capture_process_get_error (self->process);
  g_assert_error (error, VTR_CAPTURE_ERROR, VTR_CAPTURE_ERROR_FAILED);
  g_assert_nonnull (strstr (error->message, "truncated the"));
}

static gboolean
has_commands (VtrCaptureProcess *process)
{
  VtrCaptureCounts counts;

  vtr_capture_process_get_counts (process, &counts);
  return counts.commands > 0;
}

static void
test_cut (void)
{
  Fixture self = { 0 };

  set_up (&self, &(VtrCapturePlan){ .from_launch = TRUE, .times = 1 });
  for (guint i = 0; i < 3; i++)
    call (&self, i);
  wait_until (&self, has_commands);
  check_cut (&self);
  tear_down (&self, 1);

  set_up (&self, &(VtrCapturePlan){ .at_frame = TRUE, .frame = 50, .n_frames = 4, .times = 1 });
  begin (&self, 50);
  check_cut (&self);
  tear_down (&self, 0);
}

static int flooding; /* atomic */

static gpointer
flood (gpointer data)
{
  Fixture *self = data;

  /* The ring fills up once nobody reads it. */
  while (g_atomic_int_get (&flooding) && try_call (self, 1) == VTR_OK)
    ;
  return NULL;
}

/* A program that keeps writing after it was told to stop does not block the host. */
static void
test_flood (void)
{
  Fixture self = { 0 };
  GThread *thread;

  set_up (&self, &(VtrCapturePlan){ .from_launch = TRUE, .times = 1 });
  g_atomic_int_set (&flooding, TRUE);
  thread = g_thread_new ("flood", flood, &self);
  wait_until (&self, has_commands);
  vtr_capture_process_stop (self.process);
  wait_until (&self, vtr_capture_process_is_complete);
  g_atomic_int_set (&flooding, FALSE);
  g_thread_join (thread);
  tear_down (&self, 1);
}

int
main (int    argc,
      char **argv)
{
  g_autofree char *runtime = g_dir_make_tmp ("vtr-run-XXXXXX", NULL);
  g_autofree char *folder = g_build_filename (runtime, "vitrine", NULL);
  int status;

  g_test_init (&argc, &argv, NULL);
  g_setenv ("XDG_RUNTIME_DIR", runtime, TRUE);
  g_test_add_func ("/engine/capture/process/launch", test_launch);
  g_test_add_func ("/engine/capture/process/again", test_again);
  g_test_add_func ("/engine/capture/process/room", test_room);
  g_test_add_func ("/engine/capture/process/cut", test_cut);
  g_test_add_func ("/engine/capture/process/flood", test_flood);
  g_test_add_func ("/engine/capture/process/late", test_late);
  g_test_add_func ("/engine/capture/process/filled", test_filled);
  g_test_add_func ("/engine/capture/process/unfilled", test_unfilled);
  g_test_add_func ("/engine/capture/process/left-alone", test_left_alone);
  g_test_add_func ("/engine/capture/process/by-hand", test_by_hand);
  g_test_add_func ("/engine/capture/process/declined", test_declined);
  g_test_add_func ("/engine/capture/process/ends", test_ends);
  g_test_add_func ("/engine/capture/process/ends-early", test_ends_early);
  g_test_add_func ("/engine/capture/process/moved", test_moved);
  status = g_test_run ();
  /* Rings and locks were removed. */
  g_assert_cmpint (g_rmdir (folder), ==, 0);
  g_rmdir (runtime);
  return status;
}
