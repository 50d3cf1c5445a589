/* Tests VtrReplaySession without a document, on the machine that calls no driver. */
#include "vtr-test-trace.h"

#include "engine/replay-session/vtr-replay-request.h"
#include "engine/replay-session/vtr-replay-session-private.h"
#include "engine/memory/vtr-memory.h"
#include "engine/state/vtr-analysis.h"
#include "engine/vulkan/read/vtr-trace-device.h"
#include "engine/vulkan/replay/vtr-vulkan-requests.h"
#include "engine/vulkan/transforms/vtr-transforms.h"

#define CB 0x20

/* What a session is made from, and one. */
typedef struct
{
  VtrReplayBasis basis;
  VtrAnalysis *analysis;
  VtrReplaySession *session;
  guint64 draw, n_commands;
  int n_changes; /* atomic */
} Fixture;

/* One request and its answer. */
typedef struct
{
  Fixture *fixture;
  const VtrPictureEdit *edit;
  GCancellable *cancellable;
  gboolean splits;
  gboolean is_whole;
  VtrReplayOutcome outcome;
  GError *error;
} Ask;

static void
note_change (gpointer data)
{
  g_atomic_int_inc (&((Fixture *)data)->n_changes);
}

static VtrTrace *
write_trace (Fixture *self)
{
  g_autoptr (VtrTestTrace) test = vtr_test_trace_new ();
  const VkPhysicalDeviceProperties properties = { .vendorID = 7, .deviceName = "Captured" };
  const VkPhysicalDeviceMemoryProperties memory = { .memoryTypeCount = 1 };
  const VkQueueFamilyProperties family = { .queueFlags = VK_QUEUE_GRAPHICS_BIT, .queueCount = 1 };

  vtr_test_add_device (test);
  vtr_test_trace_describe_device (test, &properties, &memory, &family, 1);
  vtr_test_add_pool (test, 0x10, 0);
  vtr_test_allocate_buffer (test, 0x10, CB);
  vtr_test_begin (test, CB);
  self->draw = vtr_test_draw (test, CB);
  vtr_test_end (test, CB);
  vtr_test_submit (test, CB);
  return vtr_test_trace_open (test);
}

/* The captured device. */
static GPtrArray *
make_devices (VtrTrace *trace)
{
  GPtrArray *devices = g_ptr_array_new_with_free_func ((GDestroyNotify)vtr_replay_device_unref);
  const VtrTraceDevice *captured = vtr_trace_get_device (trace, 0);
  VtrVulkanDevice *device = vtr_vulkan_device_new (0, &captured->properties);

  device->memory = captured->memory;
  device->n_families = captured->n_queue_families;
  device->families =
    g_memdup2 (captured->queue_families, device->n_families * sizeof *device->families);
  g_ptr_array_add (devices, device);
  return devices;
}

static VtrReplayBackend *
make_backend (VtrTrace *trace)
{
  g_autoptr (GPtrArray) devices = make_devices (trace);
  VtrReplayBackend *backend = vtr_replay_null_new ();

  vtr_replay_null_set_devices (backend, devices);
  return backend;
}

static void
set_up (Fixture       *self,
        gconstpointer  data)
{
  g_autoptr (GError) error = NULL;

  self->basis.trace = write_trace (self);
  self->n_commands = vtr_trace_get_n_commands (self->basis.trace);
  self->basis.timeline = vtr_timeline_build (self->basis.trace, NULL, NULL, NULL, &error);
  g_assert_no_error (error);
  self->basis.history = vtr_history_build (self->basis.trace, NULL, NULL, NULL, &error);
  g_assert_no_error (error);
  self->analysis = vtr_analysis_new (self->basis.timeline, self->basis.history);
  self->basis.walker = vtr_analysis_get_walker (self->analysis);
  self->basis.memory = vtr_analysis_get_memory (self->analysis);
  self->session = vtr_replay_session_new (&self->basis, note_change, self);
}

static void
tear_down (Fixture       *self,
           gconstpointer  data)
{
  g_clear_pointer (&self->session, vtr_replay_session_free);
  vtr_analysis_unref (self->analysis);
  vtr_history_unref (self->basis.history);
  vtr_timeline_unref (self->basis.timeline);
  vtr_trace_unref (self->basis.trace);
}

static VtrTransform *
make_chain (gpointer       data,
            guint64       *end,
            GCancellable  *cancellable,
            GError       **error)
{
  Ask *ask = data;

  *end = ask->fixture->n_commands;
  return vtr_transform_gpu_writes_new (FALSE);
}

static void
run_ask (gpointer data)
{
  Ask *ask = data;
  Fixture *self = ask->fixture;
  const VtrPlace address = { self->n_commands - 1, VTR_NO_RUN };
  VtrReplayRequest request = {
    .session = self->session, .edit = ask->edit, .end = self->n_commands, .data = ask
  };

  if (ask->splits)
    vtr_replay_request_answer (&request, &address, make_chain, 0, &ask->outcome,
                               ask->cancellable, &ask->error);
  else
    vtr_replay_request_run (&request, vtr_transform_gpu_writes_new (FALSE), 0, &ask->outcome,
                            ask->cancellable, &ask->error);
  ask->is_whole = request.is_whole;
}

/* Runs a request that has to succeed. Returns: how many calls it made. */
static guint64
count_calls (Fixture              *self,
             const VtrPictureEdit *edit)
{
  Ask ask = { .fixture = self, .edit = edit };

  vtr_replay_session_run (self->session, run_ask, &ask);
  g_assert_no_error (ask.error);
  return ask.outcome.n_calls;
}

/* --- Tests ----------------------------------------------------------------------------------- */

static void
test_unused (Fixture       *self,
             gconstpointer  data)
{
  g_autofree char *status = vtr_replay_session_dup_status (self->session);

  g_assert_cmpstr (status, ==, "Replay not started");
  g_assert_cmpint (vtr_replay_session_get_activity (self->session), ==, VTR_REPLAY_IS_IDLE);
  g_assert_cmpuint (vtr_replay_session_get_failed_command (self->session), ==,
                    VTR_COMMAND_NO_INDEX);
  g_assert_false (vtr_replay_session_is_started (self->session));
  g_assert_false (vtr_replay_session_guesses_addresses (self->session));
}

/* Has to come first: once the devices are known, this process does not ask for them again. */
static void
test_no_device (Fixture       *self,
                gconstpointer  data)
{
  g_autofree char *status = NULL;
  Ask ask = { .fixture = self };

  vtr_replay_session_set_backend (self->session, vtr_replay_null_new ());
  vtr_replay_session_run (self->session, run_ask, &ask);
  g_assert_error (ask.error, VTR_REPLAY_ERROR, VTR_REPLAY_ERROR_DRIVER);
  g_clear_error (&ask.error);
  status = vtr_replay_session_dup_status (self->session);
  g_assert_cmpstr (status, ==, "Cannot replay here");
  g_assert_cmpint (vtr_replay_session_get_activity (self->session), ==, VTR_REPLAY_IS_BROKEN);
  g_assert_cmpint (g_atomic_int_get (&self->n_changes), >, 0);
}

static void
test_replay (Fixture       *self,
             gconstpointer  data)
{
  g_autofree char *status = NULL;

  vtr_replay_session_set_backend (self->session, make_backend (self->basis.trace));
  g_assert_cmpuint (count_calls (self, NULL), >, 0);
  g_assert_true (vtr_replay_session_is_started (self->session));
  status = vtr_replay_session_dup_status (self->session);
  g_assert_cmpstr (status, ==, "Replay on Captured");
  g_assert_cmpint (vtr_replay_session_get_activity (self->session), ==, VTR_REPLAY_IS_READY);
  g_assert_cmpint (g_atomic_int_get (&self->n_changes), >, 0);
}

/* The null backend keeps no state: the session finds that out, and remembers it. */
static void
test_refused (Fixture       *self,
              gconstpointer  data)
{
  VtrSessionReplayer *replayer = vtr_replay_session_get_replayer (self->session, NULL);
  Ask ask = { .fixture = self, .splits = TRUE };
  guint n_refused;

  vtr_replay_session_set_backend (self->session, make_backend (self->basis.trace));
  vtr_replay_session_run (self->session, run_ask, &ask);
  g_assert_no_error (ask.error);
  g_assert_true (ask.is_whole);
  g_assert_null (vtr_vulkan_kept (replayer)->frame_state);
  g_assert_nonnull (vtr_vulkan_kept (replayer)->refused_frames);
  n_refused = g_hash_table_size (vtr_vulkan_kept (replayer)->refused_frames);
  vtr_replay_session_run (self->session, run_ask, &ask);
  g_assert_no_error (ask.error);
  g_assert_cmpuint (g_hash_table_size (vtr_vulkan_kept (replayer)->refused_frames), ==, n_refused);
}

/* The edit is the request's, and edited traces have a replayer of their own. */
static void
test_edits (Fixture       *self,
            gconstpointer  data)
{
  VtrPictureEdits *edits = vtr_replay_session_get_edits (self->session);
  VtrSessionReplayer *unedited = vtr_replay_session_get_replayer (self->session, NULL);
  VtrSessionReplayer *edited;
  g_auto (VtrEditDraft) draft = { 0 };
  g_auto (VtrEditDraft) again = { 0 };
  const VtrPictureEdit *edit;
  g_autoptr (GError) error = NULL;
  guint64 n_calls;

  g_assert_null (vtr_edit_draft_finish (&draft, edits));
  g_assert_false (vtr_edit_draft_disable (&draft, self->basis.trace, 0, &error));
  g_assert_error (error, VTR_RESOLVE_ERROR, VTR_RESOLVE_ERROR_PATH);
  g_clear_error (&error);
  g_assert_true (vtr_edit_draft_disable (&draft, self->basis.trace, self->draw, &error));
  g_assert_true (vtr_edit_draft_disable (&again, self->basis.trace, self->draw, &error));
  edit = vtr_edit_draft_finish (&draft, edits);
  g_assert_nonnull (edit);
  g_assert_true (vtr_edit_draft_finish (&again, edits) == edit);

  edited = vtr_replay_session_get_replayer (self->session, edit);
  g_assert_true (edited != unedited);
  g_assert_cmpstr (edited->edit_key, ==, edit->stream_key);
  vtr_replay_session_set_backend (self->session, make_backend (self->basis.trace));
  edited->backend = make_backend (self->basis.trace);

  n_calls = count_calls (self, NULL);
  g_assert_cmpuint (count_calls (self, edit), ==, n_calls - 1);
  g_assert_cmpuint (count_calls (self, NULL), ==, n_calls);
}

static void
test_cancelled (Fixture       *self,
                gconstpointer  data)
{
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  Ask ask = { .fixture = self, .cancellable = cancellable };

  vtr_replay_session_set_backend (self->session, make_backend (self->basis.trace));
  g_cancellable_cancel (cancellable);
  vtr_replay_session_run (self->session, run_ask, &ask);
  g_assert_error (ask.error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  g_clear_error (&ask.error);
  g_assert_cmpint (vtr_replay_session_get_activity (self->session), !=, VTR_REPLAY_IS_BROKEN);
  g_assert_cmpuint (count_calls (self, NULL), >, 0);
}

/* A sentence that nothing came of gives way to the one before. */
static void
test_status (Fixture       *self,
             gconstpointer  data)
{
  g_autofree char *status = NULL;

  vtr_replay_session_say (self->session, VTR_REPLAY_IS_READY, g_strdup ("ready"));
  vtr_replay_session_say (self->session, VTR_REPLAY_IS_WORKING, g_strdup ("1 %"));
  vtr_replay_session_say (self->session, VTR_REPLAY_IS_WORKING, g_strdup ("2 %"));
  g_assert_cmpint (self->n_changes, ==, 3);
  vtr_replay_session_say (self->session, VTR_REPLAY_IS_WORKING, g_strdup ("2 %"));
  g_assert_cmpint (self->n_changes, ==, 3);
  vtr_replay_session_say_previous (self->session);
  vtr_replay_session_say_previous (self->session);
  vtr_replay_session_say_cached (self->session);
  status = vtr_replay_session_dup_status (self->session);
  g_assert_cmpstr (status, ==, "ready");
  g_assert_cmpint (vtr_replay_session_get_activity (self->session), ==, VTR_REPLAY_IS_READY);
}

static gpointer
free_session (gpointer data)
{
  vtr_replay_session_free (data);
  return NULL;
}

/* Freeing a session waits for the requests that its worker has. */
static void
test_freed_while_busy (Fixture       *self,
                       gconstpointer  data)
{
  GThread *thread;

  vtr_replay_session_set_backend (self->session, make_backend (self->basis.trace));
  for (guint i = 0; i < 8; i++)
    vtr_replay_session_prepare (self->session);
  vtr_replay_session_close (self->session);
  thread = g_thread_new ("free", free_session, g_steal_pointer (&self->session));
  g_thread_join (thread);
}

#define TEST(name) \
  g_test_add ("/replay-session/" #name, Fixture, NULL, set_up, test_##name, tear_down)

int
main (int    argc,
      char **argv)
{
  g_setenv ("VITRINE_NO_CACHE", "1", TRUE);
  g_test_init (&argc, &argv, NULL);
  TEST (unused);
  TEST (no_device);
  TEST (replay);
  TEST (refused);
  TEST (edits);
  TEST (cancelled);
  TEST (status);
  TEST (freed_while_busy);
  return g_test_run ();
}
