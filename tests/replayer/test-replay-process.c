/* Tests the replayer's process: crashes at any moment, hangs, cancelling, resources, many
 * segments. */
#include "payload.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct
{
  VtrReplayBackend *backend;
  Payload payload;
  Device device;
  VtrReplayOutcome outcome;
  guint n_fetched;
  guint n_posts;
  guint64 posted_bytes;
  guint n_progress;
  gboolean no_resources;
} Fixture;

/* --- Events ---------------------------------------------------------------------------------- */

/* Resource n is n + 1 bytes of value n. */
static GBytes *
get_resource (guint64    number,
              gpointer   data,
              GError   **error)
{
  Fixture *self = data;
  guint8 *bytes;

  self->n_fetched++;
  if (self->no_resources)
    {
      g_set_error (error, VTR_REPLAY_ERROR, VTR_REPLAY_ERROR_TRACE, "The content is lost.");
      return NULL;
    }
  bytes = g_malloc (number + 1);
  memset (bytes, (int)number, number + 1);
  return g_bytes_new_take (bytes, number + 1);
}

static void
posted (guint64       post,
        const guint8 *bytes,
        gsize         size,
        gpointer      data)
{
  Fixture *self = data;

  self->n_posts++;
  self->posted_bytes += size;
  g_assert_cmpuint (bytes[0], ==, bytes[size - 1]);
}

static void
progress (guint64  label,
          gpointer data)
{
  g_atomic_int_inc (&((Fixture *)data)->n_progress);
}

static const VtrReplayEvents events = { get_resource, posted, progress, NULL };

static void
set_up (Fixture       *self,
        gconstpointer  data)
{
  self->backend = vtr_replay_process_new (NULL);
  payload_init (&self->payload);
}

static void
tear_down (Fixture       *self,
           gconstpointer  data)
{
  payload_clear (&self->payload);
  self->backend->klass->free (self->backend);
}

static gboolean
run (Fixture  *self,
     GError  **error)
{
  return payload_run (&self->payload, self->backend, 0, &events, self, &self->outcome, error);
}

static void
run_fine (Fixture *self)
{
  g_autoptr (GError) error = NULL;

  g_assert_true (run (self, &error));
  g_assert_no_error (error);
  g_assert_false (self->outcome.failed);
}

/* Returns: the child of process @host that is a replayer, 0 for none. */
static pid_t
find_replayer_of (pid_t host)
{
  g_autoptr (GDir) dir = g_dir_open ("/proc", 0, NULL);
  const char *name;

  while ((name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *path = g_build_filename ("/proc", name, "stat", NULL);
      g_autofree char *stat = NULL;
      const char *rest;
      int parent;

      if (!g_ascii_isdigit (name[0]) || !g_file_get_contents (path, &stat, NULL, NULL) ||
          strstr (stat, "(vitrine-replaye") == NULL)
        continue;
      rest = strrchr (stat, ')');
      if (rest != NULL && sscanf (rest, ") %*c %d", &parent) == 1 && parent == host &&
          strncmp (rest, ") Z", 3) != 0)
        return atoi (name);
    }
  return 0;
}

static pid_t
find_replayer (void)
{
  return find_replayer_of (getpid ());
}

/* An endless loop of labels and calls: fences are made and destroyed. */
static void
make_loop (Fixture *self)
{
  const VkFenceCreateInfo info = { VK_STRUCTURE_TYPE_FENCE_CREATE_INFO };
  Payload *payload = &self->payload;
  guint32 fence = payload_room (payload, 8);
  guint32 at;

  payload_make_device (payload, &self->device);
  at = payload_put (payload, &info, sizeof info);
  vtr_asm_x (&payload->code, VTR_OP_JUMP_LABEL, 1);
  for (guint i = 0; i < 50; i++)
    {
      vtr_asm_label (&payload->code, 1000 + i);
      payload_call (payload, VTR_CMD_vkCreateFence, SLOT (self->device.device), AT (at), NOTHING,
                    AT (fence));
      payload_call (payload, VTR_CMD_vkDestroyFence, SLOT (self->device.device), SLOT (fence),
                    NOTHING);
    }
  vtr_asm_push (&payload->code, VTR_VM_INT32, 0);
  vtr_asm_x (&payload->code, VTR_OP_JUMP_Z, 1);
}

/* A wait for what never comes. */
static void
make_hang (Fixture *self)
{
  const VkFenceCreateInfo info = { VK_STRUCTURE_TYPE_FENCE_CREATE_INFO };
  Payload *payload = &self->payload;
  guint32 fence = payload_room (payload, 8);

  payload_make_device (payload, &self->device);
  payload_call (payload, VTR_CMD_vkCreateFence, SLOT (self->device.device),
                AT (payload_put (payload, &info, sizeof info)), NOTHING, AT (fence));
  vtr_asm_label (&payload->code, 99);
  payload_call (payload, VTR_CMD_vkWaitForFences, SLOT (self->device.device), U32 (1), AT (fence),
                U32 (1), U64 (G_MAXUINT64));
}

/* --- Deaths ---------------------------------------------------------------------------------- */

typedef struct
{
  gulong microseconds;
  int signal;
  int done; /* atomic: the run has ended */
} Killer;

static gpointer
kill_later (gpointer data)
{
  Killer *killer = data;
  pid_t pid;

  g_usleep (killer->microseconds);
  /* It may not have been started yet; one that dies before the request has begun is replaced. */
  while (!g_atomic_int_get (&killer->done))
    {
      pid = find_replayer ();
      if (pid != 0)
        kill (pid, killer->signal);
      g_usleep (200);
    }
  return NULL;
}

static void
test_killed (Fixture       *self,
             gconstpointer  data)
{
  static const int signals[] = { SIGKILL, SIGSEGV, SIGABRT, SIGTERM };
  Payload shorter;
  Device device;

  make_loop (self);
  payload_init (&shorter);
  payload_make_device (&shorter, &device);
  for (guint i = 0; i < 20; i++)
    {
      Killer killer = { (gulong)g_test_rand_int_range (0, 60000), signals[i % 4], FALSE };
      GThread *thread = g_thread_new ("killer", kill_later, &killer);
      g_autoptr (GError) error = NULL;
      gboolean fine = run (self, &error);

      g_atomic_int_set (&killer.done, TRUE);
      g_thread_join (thread);
      g_assert_false (fine);
      /* Killed before it said a word: it did not start. */
      if (g_error_matches (error, VTR_REPLAY_ERROR, VTR_REPLAY_ERROR_START))
        continue;
      g_assert_error (error, VTR_REPLAY_ERROR, VTR_REPLAY_ERROR_DIED);
      g_test_message ("%" G_GUINT64_FORMAT ": %s", self->outcome.label, error->message);
      /* Twice before the request had begun. */
      if (strstr (error->message, "loading the drivers") != NULL ||
          strstr (error->message, "waiting") != NULL)
        continue;
      g_assert_true (self->outcome.failed);
      g_assert_true (self->outcome.label <= 6 ||
                     (self->outcome.label >= 1000 && self->outcome.label < 1050));
      /* Inside a call the sentence names it. */
      if (self->outcome.label >= 1000 && strstr (error->message, "running") != NULL)
        g_assert_nonnull (strstr (error->message, "Fence"));
      g_clear_error (&error);
      /* The next request works, with a new process. */
      g_assert_true (
        payload_run (&shorter, self->backend, 0, &events, self, &self->outcome, &error));
      g_assert_no_error (error);
    }
  payload_clear (&shorter);
}

static void
test_killed_between (Fixture       *self,
                     gconstpointer  data)
{
  payload_make_device (&self->payload, &self->device);
  for (guint i = 0; i < 5; i++)
    {
      run_fine (self);
      kill (find_replayer (), SIGKILL);
      while (find_replayer () != 0)
        g_usleep (100);
    }
  run_fine (self);
}

static void
test_hang (Fixture       *self,
           gconstpointer  data)
{
  g_autoptr (GError) error = NULL;

  self->backend->klass->free (self->backend);
  g_setenv ("VITRINE_REPLAY_TIMEOUT", "1", TRUE);
  self->backend = vtr_replay_process_new (NULL);
  g_unsetenv ("VITRINE_REPLAY_TIMEOUT");
  make_hang (self);
  g_assert_false (run (self, &error));
  g_assert_error (error, VTR_REPLAY_ERROR, VTR_REPLAY_ERROR_DIED);
  g_assert_nonnull (strstr (error->message, "stopped responding while running vkWaitForFences"));
  g_assert_cmpuint (self->outcome.label, ==, 99);
}

/* What the host of test_host_killed() does. */
static int
hang_for_ever (void)
{
  Fixture fixture = { 0 };

  set_up (&fixture, NULL);
  make_hang (&fixture);
  run (&fixture, NULL);
  tear_down (&fixture, NULL);
  return 0;
}

/* An orphan stays a zombie if no process waits for it. */
static gboolean
is_alive (pid_t pid)
{
  g_autofree char *path = g_strdup_printf ("/proc/%d/stat", (int)pid);
  g_autofree char *stat = NULL;

  return g_file_get_contents (path, &stat, NULL, NULL) && strstr (stat, ") Z") == NULL;
}

/* The host is killed while the driver hangs: the replayer does not stay behind. */
static void
test_host_killed (Fixture       *self,
                  gconstpointer  data)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GSubprocess) host =
    g_subprocess_new (G_SUBPROCESS_FLAGS_NONE, &error, "/proc/self/exe", "--hang", NULL);
  gint64 until = g_get_monotonic_time () + 20 * G_USEC_PER_SEC;
  pid_t pid, replayer;

  g_assert_no_error (error);
  pid = atoi (g_subprocess_get_identifier (host));
  while ((replayer = find_replayer_of (pid)) == 0 && g_get_monotonic_time () < until)
    g_usleep (1000);
  g_assert_cmpint (replayer, !=, 0);
  g_usleep (100000);
  g_subprocess_force_exit (host);
  g_subprocess_wait (host, NULL, NULL);
  while (is_alive (replayer) && g_get_monotonic_time () < until)
    g_usleep (10000);
  g_assert_false (is_alive (replayer));
}

/* --- Cancelling ------------------------------------------------------------------------------ */

typedef struct
{
  Fixture *fixture;
  GCancellable *cancellable;
  gboolean progresses; /* and is to have done so */
} Canceller;

static gpointer
cancel_later (gpointer data)
{
  Canceller *self = data;

  while (find_replayer () == 0 ||
         (self->progresses && g_atomic_int_get (&self->fixture->n_progress) == 0))
    g_usleep (1000);
  g_usleep (120000);
  g_cancellable_cancel (self->cancellable);
  return NULL;
}

static void
run_cancelled (Fixture  *self,
               gboolean  progresses)
{
  const VtrReplaySegment segment = {
    .opcodes = (const guint32 *)(gconstpointer)self->payload.code.data,
    .n_opcodes = self->payload.code.size / 4,
  };
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (GError) error = NULL;
  Canceller canceller = { self, cancellable, progresses };
  GThread *thread;

  g_assert_true (self->backend->klass->begin (self->backend, 0, &events, self, NULL, &error));
  g_assert_true (self->backend->klass->send (self->backend, &segment, &error));
  thread = g_thread_new ("canceller", cancel_later, &canceller);
  g_assert_false (
    self->backend->klass->finish (self->backend, &self->outcome, cancellable, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  g_thread_join (thread);
}

static void
test_cancel (Fixture       *self,
             gconstpointer  data)
{
  gint64 start = g_get_monotonic_time ();
  pid_t pid;

  make_loop (self);
  run_cancelled (self, TRUE);
  pid = find_replayer ();
  g_assert_cmpint (pid, !=, 0);
  g_assert_cmpuint (self->n_progress, >, 0);
  /* It lives, and was stopped at the next call. */
  g_assert_cmpint (g_get_monotonic_time () - start, <, 20 * G_USEC_PER_SEC);
  payload_clear (&self->payload);
  payload_init (&self->payload);
  payload_make_device (&self->payload, &self->device);
  run_fine (self);
  g_assert_cmpint (find_replayer (), ==, pid);
}

/* A wait for what never comes ends as well. */
static void
test_cancel_hang (Fixture       *self,
                  gconstpointer  data)
{
  gint64 start = g_get_monotonic_time ();

  make_hang (self);
  run_cancelled (self, FALSE);
  g_assert_cmpint (g_get_monotonic_time () - start, <, 20 * G_USEC_PER_SEC);
  g_assert_cmpint (find_replayer (), !=, 0);
}

/* --- Resources ------------------------------------------------------------------------------- */

static void
add_resources (Fixture *self,
               guint    n)
{
  for (guint i = 0; i < n; i++)
    {
      const VtrReplayResource resource = { { i * 0x9e3779b97f4a7c15ull, i }, i + 1 };

      g_array_append_val (self->payload.resources, resource);
    }
}

static void
test_resources (Fixture       *self,
                gconstpointer  data)
{
  guint32 room = payload_room (&self->payload, 1024);

  add_resources (self, 200);
  for (guint i = 0; i < 200; i++)
    {
      vtr_asm_push (&self->payload.code, VTR_VM_VOLATILE, room);
      vtr_asm_x (&self->payload.code, VTR_OP_RESOURCE, i);
      vtr_asm_push (&self->payload.code, VTR_VM_VOLATILE, room);
      vtr_asm_push (&self->payload.code, VTR_VM_UINT32, i + 1);
      vtr_asm_x (&self->payload.code, VTR_OP_POST, 0);
    }
  run_fine (self);
  g_assert_cmpuint (self->n_fetched, ==, 200);
  g_assert_cmpuint (self->n_posts, ==, 200);
  g_assert_cmpuint (self->posted_bytes, ==, 200 * 201 / 2);
  run_fine (self);
  g_assert_cmpuint (self->n_fetched, ==, 200); /* all were kept */
  g_assert_cmpuint (self->n_posts, ==, 400);
}

static void
test_resource_missing (Fixture       *self,
                       gconstpointer  data)
{
  g_autoptr (GError) error = NULL;

  self->no_resources = TRUE;
  add_resources (self, 3);
  vtr_asm_label (&self->payload.code, 17);
  vtr_asm_push (&self->payload.code, VTR_VM_VOLATILE, 64);
  vtr_asm_x (&self->payload.code, VTR_OP_RESOURCE, 2);
  g_assert_false (run (self, &error));
  g_assert_error (error, VTR_REPLAY_ERROR, VTR_REPLAY_ERROR_TRACE);
  g_assert_cmpstr (error->message, ==, "The content is lost.");
  g_assert_cmpuint (self->outcome.label, ==, 17);
}

/* More than may be under way at once, both ways. */
static void
test_volume (Fixture       *self,
             gconstpointer  data)
{
  const gsize megabyte = 1 << 20;
  g_autofree guint8 *constants = g_malloc0 (megabyte);
  g_autoptr (GError) error = NULL;
  VtrBuffer code = { 0 };

  g_assert_true (self->backend->klass->begin (self->backend, 0, &events, self, NULL, &error));
  for (guint i = 0; i < 400; i++)
    {
      VtrReplaySegment segment = { .constants = constants, .constants_size = megabyte };

      vtr_buffer_clear (&code);
      vtr_asm_label (&code, i);
      vtr_asm_push (&code, VTR_VM_CONSTANT, (guint64)i * megabyte);
      vtr_asm_push (&code, VTR_VM_UINT32, megabyte);
      vtr_asm_x (&code, VTR_OP_POST, 0);
      vtr_asm_x (&code, VTR_OP_WAIT, i);
      segment.opcodes = (const guint32 *)(gconstpointer)code.data;
      segment.n_opcodes = code.size / 4;
      memset (constants, (int)i, megabyte);
      g_assert_true (self->backend->klass->send (self->backend, &segment, &error));
    }
  g_assert_true (self->backend->klass->finish (self->backend, &self->outcome, NULL, &error));
  g_assert_no_error (error);
  g_assert_cmpuint (self->n_posts, ==, 400);
  g_assert_cmpuint (self->posted_bytes, ==, 400 * megabyte);
  vtr_buffer_finish (&code);
}

/* Invalid words are reported early; later ones are not sent. */
static void
test_bad_words (Fixture       *self,
                gconstpointer  data)
{
  const guint32 words[] = { (guint32)VTR_OP_LABEL << 26 | 7, 0xfc000000 };
  const VtrReplaySegment segment = { .opcodes = words, .n_opcodes = 2 };
  g_autoptr (GError) error = NULL;
  gboolean sent = TRUE;

  g_assert_true (self->backend->klass->begin (self->backend, 0, &events, self, NULL, &error));
  for (guint i = 0; i < 2000 && sent; i++)
    sent = self->backend->klass->send (self->backend, &segment, &error);
  g_assert_false (sent);
  g_assert_error (error, VTR_REPLAY_ERROR, VTR_REPLAY_ERROR_PAYLOAD);
  g_clear_error (&error);
  g_assert_false (self->backend->klass->finish (self->backend, &self->outcome, NULL, &error));
  g_assert_error (error, VTR_REPLAY_ERROR, VTR_REPLAY_ERROR_PAYLOAD);
  g_assert_nonnull (strstr (error->message, "Instruction 1, 0xfc000000"));
  g_assert_cmpuint (self->outcome.label, ==, 7);
  payload_make_device (&self->payload, &self->device);
  run_fine (self);
}

/* --- Memory ---------------------------------------------------------------------------------- */

/* What a trace asks for beyond what a replay may take ends the replay, with the figure. */
static void
test_memory (Fixture       *self,
             gconstpointer  data)
{
  const VkMemoryAllocateInfo info = { .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                      .allocationSize = 900u << 20 };
  Payload *payload = &self->payload;
  guint32 memory = payload_room (payload, 8);
  g_autoptr (GError) error = NULL;

#ifdef __SANITIZE_ADDRESS__
  g_test_skip ("Shadow memory counts, too");
  return;
#endif
  payload_make_device (payload, &self->device);
  payload_call (payload, VTR_CMD_vkAllocateMemory, SLOT (self->device.device),
                AT (payload_put (payload, &info, sizeof info)), NOTHING, AT (memory));
  run_fine (self);
  self->backend->klass->free (self->backend);
  g_setenv ("VITRINE_REPLAY_MEMORY", "800", TRUE);
  self->backend = vtr_replay_process_new (NULL);
  g_assert_false (run (self, &error));
  g_unsetenv ("VITRINE_REPLAY_MEMORY");
  g_assert_error (error, VTR_REPLAY_ERROR, VTR_REPLAY_ERROR_CALL);
  g_test_message ("%s", error->message);
  g_assert_nonnull (strstr (error->message, "vkAllocateMemory"));
  g_assert_nonnull (strstr (error->message, " 800 MiB"));
}

/* --- Starting -------------------------------------------------------------------------------- */

static void
test_not_there (Fixture       *self,
                gconstpointer  data)
{
  static const char *const paths[] = { "/nonexistent/replayer", "/bin/true", "/bin/cat", "/etc" };
  g_autofree char *path = g_strdup (g_getenv ("VITRINE_REPLAYER"));

  for (guint i = 0; i < G_N_ELEMENTS (paths); i++)
    {
      g_autoptr (GError) error = NULL;

      g_setenv ("VITRINE_REPLAYER", paths[i], TRUE);
      g_assert_false (run (self, &error));
      g_assert_error (error, VTR_REPLAY_ERROR, VTR_REPLAY_ERROR_START);
      g_test_message ("%s", error->message);
    }
  if (path != NULL)
    g_setenv ("VITRINE_REPLAYER", path, TRUE);
  else
    g_unsetenv ("VITRINE_REPLAYER");
  payload_make_device (&self->payload, &self->device);
  run_fine (self);
}

int
main (int    argc,
      char **argv)
{
  if (argc == 2 && g_str_equal (argv[1], "--hang"))
    return hang_for_ever ();
  g_test_init (&argc, &argv, NULL);
#define ADD(path, function) \
  g_test_add ("/replayer/process/" path, Fixture, NULL, set_up, function, tear_down)
  ADD ("killed", test_killed);
  ADD ("killed-between", test_killed_between);
  ADD ("hang", test_hang);
  ADD ("host-killed", test_host_killed);
  ADD ("cancel", test_cancel);
  ADD ("cancel-hang", test_cancel_hang);
  ADD ("resources", test_resources);
  ADD ("resource-missing", test_resource_missing);
  ADD ("volume", test_volume);
  ADD ("bad-words", test_bad_words);
  ADD ("memory", test_memory);
  ADD ("not-there", test_not_there);
  return g_test_run ();
}
