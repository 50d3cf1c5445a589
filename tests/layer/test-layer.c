/* Tests the layer in real programs, over the real loader and the software driver. */
#include "vtr-test-host.h"

#include "api/vtr-api-types.h"
#include "api/vtr-api-walk.h"

#include "vtr-app-counters.h"

#include <signal.h>
#include <sys/wait.h>

#include <glib/gstdio.h>

typedef struct
{
  guint calls[VTR_VULKAN_N_COMMANDS];
  guint blocks;
  guint in_blocks;
  guint memory;
  guint infos;
  guint returned;
  guint pending;
  guint stops;
  guint pictures;
} Counts;

static gboolean
succeeded (const VtrTestHost *host)
{
  return WIFEXITED (host->status) && WEXITSTATUS (host->status) == 0;
}

/* Decodes a call and checks that it is whole. Returns: its first parameter, a handle. */
static guint64
check_call (const VtrTestRecord *record,
            gboolean             in_block)
{
  VtrArena arena;
  VtrDecoded decoded;
  guint64 first = 0;

  vtr_arena_init (&arena);
  g_assert_cmpuint (record->type, <, VTR_VULKAN_N_COMMANDS);
  g_assert_cmpint (
    vtr_api_decode (record->type, record->payload, record->size, NULL, &arena, &decoded), ==,
    VTR_OK);
  if (decoded.flags != 0)
    g_error ("%s is damaged (%x)", vtr_cmd_name (record->type), decoded.flags);
  g_assert_cmpuint (decoded.thread, !=, 0);
  g_assert_cmpuint (decoded.thread, ==, in_block ? decoded.thread : record->thread);
  if (in_block)
    g_assert_cmpuint (decoded.time, ==, 0);
  else
    g_assert_cmpuint (decoded.time, !=, 0);
  if (vtr_cmd_get (record->type)->args_size >= sizeof first)
    memcpy (&first, decoded.args, sizeof first);
  vtr_arena_finish (&arena);
  return first;
}

static void
check_block (VtrTestHost         *host,
             const VtrTestRecord *record,
             Counts              *counts)
{
  VtrRingBlockRef ref;
  g_autoptr (GArray) block = NULL;
  const VtrTestRecord *first;
  const VtrTestRecord *last;

  g_assert_cmpuint (record->size, ==, sizeof ref);
  memcpy (&ref, record->payload, sizeof ref);
  block = vtr_test_ring_read_block (host->ring, &ref);
  g_assert_cmpuint (block->len, >=, 1);
  first = &g_array_index (block, VtrTestRecord, 0);
  last = &g_array_index (block, VtrTestRecord, block->len - 1);
  g_assert_cmpuint (first->type, ==, VTR_CMD_vkBeginCommandBuffer);
  if ((ref.flags & VTR_RING_BLOCK_ABANDONED) == 0)
    g_assert_cmpuint (last->type, ==, VTR_CMD_vkEndCommandBuffer);
  for (guint i = 0; i < block->len; i++)
    {
      const VtrTestRecord *inner = &g_array_index (block, VtrTestRecord, i);

      g_assert_cmpuint (check_call (inner, TRUE), ==, ref.object);
      counts->calls[inner->type]++;
      counts->in_blocks++;
    }
  counts->blocks++;
}

/* All rows of a small image of four bytes a texel. */
static void
check_picture (const VtrTestRecord *record)
{
  VtrRingPicture head;

  g_assert_cmpuint (record->size, >, sizeof head);
  memcpy (&head, record->payload, sizeof head);
  g_assert_cmpuint (head.n_rows, ==, head.height);
  g_assert_cmpuint (record->size, ==, sizeof head + (gsize)head.width * head.n_rows * 4);
}

/* Checks everything a recording must satisfy and counts what is in it. */
static void
check_recording (VtrTestHost *host,
                 Counts      *counts)
{
  g_autoptr (GArray) records = vtr_test_ring_sorted (host->ring, FALSE);
  g_autoptr (GHashTable) pending = g_hash_table_new (g_int64_hash, g_int64_equal);

  memset (counts, 0, sizeof *counts);
  for (guint i = 0; i < records->len; i++)
    {
      VtrTestRecord *record = &g_array_index (records, VtrTestRecord, i);

      g_assert_cmpuint (record->ticket, ==, i + 1);
      switch (record->type)
        {
        case VTR_RECORD_RETURNED:
          g_assert_cmpuint (record->size, ==, sizeof (VtrRingReturned));
          g_assert_true (g_hash_table_remove (pending, record->payload));
          counts->returned++;
          break;

        case VTR_RECORD_BLOCK:
          check_block (host, record, counts);
          break;

        case VTR_RECORD_MEMORY:
          g_assert_cmpuint (record->size, <=, (1 << 20) + 4096);
          counts->memory++;
          break;

        case VTR_RECORD_INFO:
          g_assert_cmpint (strncmp ((char *)record->payload + 2, "vitrine.DeviceInfo", 18), ==, 0);
          counts->infos++;
          break;

        case VTR_RECORD_PICTURE:
          check_picture (record);
          counts->pictures++;
          break;

        case VTR_RECORD_STOP:
          counts->stops++;
          break;

        default:
          check_call (record, FALSE);
          counts->calls[record->type]++;
          if (record->flags & VTR_RECORD_PENDING)
            {
              g_hash_table_add (pending, &record->ticket);
              counts->pending++;
            }
        }
    }
  g_assert_cmpuint (g_hash_table_size (pending), ==, 0);
}

static void
test_vkcube (void)
{
  const VtrTestHostOptions options = { .mode = VTR_RING_MODE_RECORD };
  const char *const argv[] = { "vkcube", "--c", "20", NULL };
  g_autoptr (VtrTestHost) host = vtr_test_host_run (&options, argv, 20000);
  Counts counts;

  g_assert_true (succeeded (host));
  check_recording (host, &counts);
  g_assert_cmpuint (host->rungs, ==, 0xf);
  g_assert_cmpstr (host->facts[VTR_CAPTURE_RUNG_DEVICE], !=, "");
  g_assert_true (host->bye);
  g_assert_cmpstr (strrchr (host->hello.executable, '/'), ==, "/vkcube");
  g_assert_cmpuint (counts.calls[VTR_CMD_vkQueuePresentKHR], ==, 20);
  g_assert_cmpuint (atomic_load (&host->ring->header->frames), ==, 20);
  g_assert_cmpuint (counts.calls[VTR_CMD_vkCreateInstance], ==, 1);
  g_assert_cmpuint (counts.calls[VTR_CMD_vkCreateDevice], ==, 1);
  g_assert_cmpuint (counts.calls[VTR_CMD_vkDestroyInstance], ==, 1);
  g_assert_cmpuint (counts.infos, ==, 1);
  g_assert_cmpuint (counts.calls[VTR_CMD_vkCmdDraw], ==, atomic_load (&host->ring->header->draws));
  /* Its texture, and a uniform buffer every frame. */
  g_assert_cmpuint (counts.memory, >=, 20);
  g_assert_cmpuint (counts.stops, ==, 0);
  g_assert_cmpuint (counts.pictures, ==, 0);
}

static void
test_frame_limit (void)
{
  const VtrTestHostOptions options = { .mode = VTR_RING_MODE_RECORD, .frame_limit = 5 };
  const char *const argv[] = { "vkcube", "--c", "20", NULL };
  g_autoptr (VtrTestHost) host = vtr_test_host_run (&options, argv, 20000);
  Counts counts;

  g_assert_true (succeeded (host));
  check_recording (host, &counts);
  g_assert_cmpuint (counts.calls[VTR_CMD_vkQueuePresentKHR], ==, 5);
  g_assert_cmpuint (counts.stops, ==, 1);
  g_assert_cmpuint (counts.pictures, ==, 1);
  g_assert_cmpuint (counts.calls[VTR_CMD_vkDestroyInstance], ==, 0);
  g_assert_cmpuint (atomic_load (&host->ring->header->state), ==, VTR_RING_STATE_DONE);
}

/* What is recorded in the middle of a run ends without waiting for the picture. */
static void
test_picture_behind (void)
{
  const VtrTestHostOptions options = {
    .mode = VTR_RING_MODE_IDLE, .frame_limit = 2, .trigger = 1, .trigger_frame = 5
  };
  const char *const argv[] = { "vkcube", "--c", "20", NULL };
  g_autoptr (VtrTestHost) host = vtr_test_host_run (&options, argv, 20000);
  g_autoptr (GArray) records = vtr_test_ring_sorted (host->ring, FALSE);
  guint64 stop = 0, picture = 0;

  g_assert_true (succeeded (host));
  for (guint i = 0; i < records->len; i++)
    {
      const VtrTestRecord *each = &g_array_index (records, VtrTestRecord, i);

      if (each->type == VTR_RECORD_STOP)
        stop = each->ticket;
      else if (each->type == VTR_RECORD_PICTURE)
        picture = each->ticket;
    }
  g_assert_cmpuint (stop, >, 0);
  g_assert_cmpuint (picture, >, stop);
  g_assert_cmpuint (atomic_load (&host->ring->header->trigger_done), ==, 1);
}

static void
test_idle (void)
{
  const VtrTestHostOptions options = { .mode = VTR_RING_MODE_IDLE };
  const char *const argv[] = { "vkcube", "--c", "10", NULL };
  g_autoptr (VtrTestHost) host = vtr_test_host_run (&options, argv, 20000);

  g_assert_true (succeeded (host));
  g_assert_cmpuint (host->ring->records->len, ==, 0);
  g_assert_cmpuint (atomic_load (&host->ring->header->frames), ==, 10);
  /* All command buffers were destroyed, and their blocks with them. */
  g_assert_cmpuint (vtr_test_ring_count_taken (host->ring), ==, 1);
}

static void
test_off (void)
{
  const VtrTestHostOptions options = { .mode = VTR_RING_MODE_OFF };
  const char *const argv[] = {
    VTR_TEST_APPS_DIR "/vtr-app-load", "--draws", "100", "--frames", "5", NULL
  };
  g_autoptr (VtrTestHost) host = vtr_test_host_run (&options, argv, 20000);

  g_assert_true (succeeded (host));
  g_assert_cmpuint (host->ring->records->len, ==, 0);
  g_assert_cmpuint (vtr_test_ring_count_taken (host->ring), ==, 1);
}

/* Waiting in line has no limit as long as the host says that it goes on. */
static void
test_busy_host (void)
{
  const VtrTestHostOptions options = { .mode = VTR_RING_MODE_RECORD, .manner = VTR_TEST_HOST_BUSY };
  const char *const argv[] = { "vkcube", "--c", "3", NULL };
  gint64 start = g_get_monotonic_time ();
  g_autoptr (VtrTestHost) host = vtr_test_host_run (&options, argv, 60000);

  g_assert_true (succeeded (host));
  g_assert_cmpint (g_get_monotonic_time () - start, >=, VTR_CAPTURE_HELLO_TIMEOUT_MS * 1000);
  g_assert_cmpuint (host->ring->records->len, >, 0);
}

static void
test_uncaptured (gconstpointer manner)
{
  const VtrTestHostOptions options = { .mode = VTR_RING_MODE_RECORD,
                                       .manner = GPOINTER_TO_INT (manner) };
  const char *const argv[] = { "vkcube", "--c", "3", NULL };
  gint64 start = g_get_monotonic_time ();
  g_autoptr (VtrTestHost) host = vtr_test_host_run (&options, argv, 30000);
  gint64 took = g_get_monotonic_time () - start;

  g_assert_true (succeeded (host));
  g_assert_cmpuint (host->ring->records->len, ==, 0);
  g_assert_cmpuint (host->n_hellos, ==, options.manner == VTR_TEST_HOST_ABSENT ? 0 : 1);
  if (options.manner == VTR_TEST_HOST_SILENT)
    g_assert_cmpint (took, >=, VTR_CAPTURE_HELLO_TIMEOUT_MS * 1000);
  else
    g_assert_cmpint (took, <, VTR_CAPTURE_HELLO_TIMEOUT_MS * 1000);
}

static void
test_host_vanishes (void)
{
  const VtrTestHostOptions options = { .mode = VTR_RING_MODE_RECORD, .vanish_after = 10 };
  const char *const argv[] = { "vkcube", "--c", "2000", NULL };
  g_autoptr (VtrTestHost) host = vtr_test_host_run (&options, argv, 20000);

  g_assert_true (succeeded (host));
  g_assert_cmpuint (atomic_load (&host->ring->header->state), ==, VTR_RING_STATE_HOST_GONE);
  g_assert_cmpuint (atomic_load (&host->ring->header->frames), >=, 10);
}

static void
test_ring_full (void)
{
  /* The host makes no room: the program waits, then continues without being captured. */
  const VtrTestHostOptions options = { .mode = VTR_RING_MODE_RECORD, .n_segments = 64 };
  const char *const argv[] = { "vkcube", "--c", "1500", NULL };
  g_autoptr (VtrTestHost) host = vtr_test_host_run (&options, argv, 40000);

  g_assert_true (succeeded (host));
  g_assert_cmpuint (atomic_load (&host->ring->header->state), ==, VTR_RING_STATE_FULL);
  g_assert_cmpuint (atomic_load (&host->ring->header->frames), >=, 20);
}

static guint
count_lines (const char *text,
             const char *with)
{
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  guint n = 0;

  for (guint i = 0; lines[i] != NULL; i++)
    n += strstr (lines[i], with) != NULL;
  return n;
}

static void
test_validation (void)
{
  VtrTestHostOptions options = { .mode = VTR_RING_MODE_RECORD,
                                 .layers = "VK_LAYER_KHRONOS_validation",
                                 .no_layer = TRUE };
  const char *const argv[] = { "vkcube", "--c", "10", "--validate", NULL };
  g_autoptr (VtrTestHost) without = vtr_test_host_run (&options, argv, 60000);
  g_autoptr (VtrTestHost) with = NULL;
  Counts counts;

  options.no_layer = FALSE;
  with = vtr_test_host_run (&options, argv, 60000);
  g_assert_true (succeeded (without));
  g_assert_true (succeeded (with));
  check_recording (with, &counts);
  g_assert_cmpuint (counts.calls[VTR_CMD_vkQueuePresentKHR], ==, 10);
  g_test_message ("%s", with->output);
  g_assert_cmpuint (count_lines (with->output, "VUID"), ==, count_lines (without->output, "VUID"));
}

static void
test_compute (void)
{
  const VtrTestHostOptions options = { .mode = VTR_RING_MODE_RECORD };
  const char *const argv[] = { VTR_TEST_APPS_DIR "/vtr-app-compute", NULL };
  g_autoptr (VtrTestHost) host = vtr_test_host_run (&options, argv, 30000);
  Counts counts;

  g_assert_true (succeeded (host));
  check_recording (host, &counts);
  g_assert_cmpuint (host->rungs, ==, 0x7);
  g_assert_cmpuint (counts.calls[VTR_CMD_vkCmdDispatch], >, 0);
  g_assert_cmpuint (counts.memory, >, 0);
}

static void
test_threads (void)
{
  const VtrTestHostOptions options = { .mode = VTR_RING_MODE_RECORD };
  const char *const argv[] = {
    VTR_TEST_APPS_DIR "/vtr-app-load", "--threads", "4", "--draws", "400", "--frames", "5", NULL
  };
  g_autoptr (VtrTestHost) host = vtr_test_host_run (&options, argv, 30000);
  Counts counts;

  g_assert_true (succeeded (host));
  check_recording (host, &counts);
  g_assert_cmpuint (counts.calls[VTR_CMD_vkCmdDraw], ==, 5 * 400);
  g_assert_cmpuint (counts.calls[VTR_CMD_vkCmdExecuteCommands], ==, 5);
}

/* Several instances and devices at once, blocks given up in every way. */
static void
test_several (void)
{
  const VtrTestHostOptions options = { .mode = VTR_RING_MODE_RECORD };
  const char *const argv[] = { VTR_TEST_BUILD_DIR "/several", NULL };
  g_autoptr (VtrTestHost) host = vtr_test_host_run (&options, argv, 30000);
  Counts counts;

  g_test_message ("%s", host->output);
  g_assert_true (succeeded (host));
  check_recording (host, &counts);
  g_assert_cmpuint (counts.calls[VTR_CMD_vkCreateInstance], ==, 3);
  g_assert_cmpuint (counts.calls[VTR_CMD_vkCreateDevice], ==, 60);
  g_assert_cmpuint (counts.infos, ==, 60);
  g_assert_cmpuint (counts.blocks, ==, 60 * 7);
  g_assert_cmpuint (counts.calls[VTR_CMD_vkCmdSetEvent], ==, 60 * 7 * 400);
  g_assert_cmpuint (counts.calls[VTR_CMD_vkEndCommandBuffer], ==, 60 * 2);
  g_assert_cmpuint (counts.memory, ==, 60);
}

typedef struct
{
  const char *options[4];
  guint n_hellos; /* processes that have the layer and ask to be recorded */
} ForkCase;

static const ForkCase fork_cases[] = {
  { { NULL }, 1 },                        /* the parent after its children */
  { { "--child", NULL }, 2 },             /* a child that loads the layer itself is listed */
  { { "--inside", NULL }, 1 },            /* fork with the layer loaded */
  { { "--inside", "--child", NULL }, 1 }, /* ... and Vulkan in a child without exec */
};

static void
test_fork (gconstpointer data)
{
  const VtrTestHostOptions options = { .mode = VTR_RING_MODE_RECORD };
  const ForkCase *fork_case = data;
  const char *const argv[] = { VTR_TEST_APPS_DIR "/vtr-app-fork", fork_case->options[0],
                               fork_case->options[0] ? fork_case->options[1] : NULL, NULL };
  g_autoptr (VtrTestHost) host = vtr_test_host_run (&options, argv, 30000);
  Counts counts;

  g_test_message ("%s", host->output);
  g_assert_true (succeeded (host));
  g_assert_cmpuint (host->n_hellos, ==, fork_case->n_hellos);
  check_recording (host, &counts);
  g_assert_cmpuint (counts.calls[VTR_CMD_vkCmdFillBuffer], ==, 1);
}

/* ---- Death at any instant ---- */

static void
add_call (GHashTable *committed,
          guint64     thread,
          guint16     command)
{
  g_autofree char *key =
    g_strdup_printf ("%" G_GUINT64_FORMAT " %s", thread, vtr_cmd_name (command));
  guint n = GPOINTER_TO_UINT (g_hash_table_lookup (committed, key));

  g_hash_table_insert (committed, g_steal_pointer (&key), GUINT_TO_POINTER (n + 1));
}

static void
add_block (VtrTestHost *host,
           GHashTable  *committed,
           guint32      first,
           guint64      bytes)
{
  const VtrRingBlockRef ref = { .first = first, .bytes = bytes };
  g_autoptr (GArray) block = vtr_test_ring_read_block (host->ring, &ref);

  for (guint i = 0; i < block->len; i++)
    {
      const VtrTestRecord *record = &g_array_index (block, VtrTestRecord, i);
      guint32 thread;

      memcpy (&thread, record->payload + 1, sizeof thread);
      add_call (committed, thread, record->type);
    }
}

/* Calls by thread and name, of the logs, the published blocks and those under way. */
static GHashTable *
count_committed (VtrTestHost *host)
{
  GHashTable *committed = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_autoptr (GHashTable) announced = g_hash_table_new (NULL, NULL);
  guint8 *base = (guint8 *)host->ring->header;

  for (guint i = 0; i < host->ring->records->len; i++)
    {
      const VtrTestRecord *record = &g_array_index (host->ring->records, VtrTestRecord, i);
      VtrRingBlockRef ref;

      if (vtr_cmd_is_vulkan (record->type))
        add_call (committed, record->thread, record->type);
      if (record->type != VTR_RECORD_BLOCK)
        continue;
      memcpy (&ref, record->payload, sizeof ref);
      g_hash_table_add (announced, GUINT_TO_POINTER (ref.first));
      add_block (host, committed, ref.first, ref.bytes);
    }
  for (guint32 i = 1; i < host->ring->header->n_segments; i++)
    {
      const VtrRingSegment *segment =
        (VtrRingSegment *)(gpointer)(base + host->ring->header->segments_offset +
                                     (gsize)i * VTR_RING_SEGMENT_SIZE);
      const _Atomic guint32 *refs =
        (_Atomic guint32 *)(gpointer)(base + host->ring->header->refs_offset);

      if (atomic_load (&refs[i]) > 0 && segment->kind == VTR_RING_SEGMENT_BLOCK &&
          segment->position == 0 && !g_hash_table_contains (announced, GUINT_TO_POINTER (i)))
        add_block (host, committed, i, 0);
    }
  return committed;
}

/* Every call that the program knows to have returned is committed, and at most one more. */
static void
compare_counters (const char *path,
                  GHashTable *committed)
{
  g_autofree char *bytes = NULL;
  const VtrAppCountersHeader *header;
  const char *names;
  const char *at;
  gsize size;

  g_assert_true (g_file_get_contents (path, &bytes, &size, NULL));
  header = (const VtrAppCountersHeader *)(gpointer)bytes;
  g_assert_cmpmem (header->magic, 8, VTR_APP_COUNTERS_MAGIC, 8);
  g_assert_true (header->ready);
  names = bytes + sizeof *header;
  at = names + header->n_functions * VTR_APP_NAME;
  for (guint i = 0; i < header->n_threads; i++)
    {
      const VtrAppCountersThread *thread = (const VtrAppCountersThread *)(gconstpointer)at;
      const guint64 *counts = (const guint64 *)(gconstpointer)(thread + 1);
      guint extra = 0;

      for (guint j = 0; j < header->n_functions; j++)
        {
          g_autofree char *key =
            g_strdup_printf ("%" G_GUINT64_FORMAT " %s", thread->tid, names + j * VTR_APP_NAME);
          guint found = GPOINTER_TO_UINT (g_hash_table_lookup (committed, key));

          if (found < counts[j])
            g_error ("%s: %" G_GUINT64_FORMAT " returned, %u committed", key, counts[j], found);
          extra += found - (guint)counts[j];
        }
      g_assert_cmpuint (extra, <=, 1);
      at = (const char *)(counts + header->n_functions);
    }
}

/* When to kill: not by the clock, since a busy machine has not begun when another is done. */
typedef struct
{
  const char *path;
  guint64 calls; /* that have returned before */
} KillWhen;

static gboolean
has_made_calls (gpointer data)
{
  const KillWhen *when = data;
  g_autofree char *bytes = NULL;
  VtrAppCountersHeader header;
  gsize size;
  gsize at;
  guint64 calls = 0;

  if (!g_file_get_contents (when->path, &bytes, &size, NULL) || size < sizeof header)
    return FALSE;
  memcpy (&header, bytes, sizeof header);
  if (!header.ready)
    return FALSE;
  at = sizeof header + header.n_functions * (gsize)VTR_APP_NAME;
  for (guint i = 0; i < header.n_threads; i++)
    {
      at += sizeof (VtrAppCountersThread);
      for (guint j = 0; j < header.n_functions; j++, at += sizeof (guint64))
        {
          guint64 count;

          g_assert_cmpuint (at + sizeof count, <=, size);
          memcpy (&count, bytes + at, sizeof count);
          calls += count;
        }
    }
  if (calls < when->calls)
    return FALSE;
  /* Then at any instant, not where the counters happen to be read. */
  g_usleep ((gulong)g_test_rand_int_range (0, 3000));
  return TRUE;
}

static void
test_killed (void)
{
  g_autofree char *folder = g_dir_make_tmp ("vitrine-XXXXXX", NULL);
  g_autofree char *counters = g_build_filename (folder, "counters", NULL);
  const guint64 calls[] = { 1, 1000, 5000, 20000, 50000 };

  for (guint i = 0; i < G_N_ELEMENTS (calls); i++)
    {
      KillWhen when = { counters, calls[i] };
      const VtrTestHostOptions options = { .mode = VTR_RING_MODE_RECORD,
                                           .n_segments = 32768,
                                           .kill_now = has_made_calls,
                                           .kill_data = &when };
      const char *const argv[] = { VTR_TEST_APPS_DIR "/vtr-app-counter", "--counters", counters,
                                   NULL };
      g_autoptr (VtrTestHost) host = vtr_test_host_run (&options, argv, 30000);
      g_autoptr (GArray) records = vtr_test_ring_sorted (host->ring, FALSE);
      g_autoptr (GHashTable) committed = count_committed (host);

      g_assert_true (WIFSIGNALED (host->status) && WTERMSIG (host->status) == SIGKILL);
      g_assert_false (host->timed_out);
      g_assert_false (host->bye);
      g_assert_cmpuint (atomic_load (&host->ring->header->state), ==, VTR_RING_STATE_RUNNING);
      g_test_message ("%u records when killed after %" G_GUINT64_FORMAT " calls", records->len,
                      calls[i]);
      compare_counters (counters, committed);
      g_unlink (counters);
    }
  g_rmdir (folder);
}

int
main (int    argc,
      char **argv)
{
  int result;

  g_test_init (&argc, &argv, NULL);
  if (!vtr_test_display_start ())
    {
      g_printerr ("There is no Xvfb\n");
      return 1;
    }
  g_test_add_func ("/layer/vkcube", test_vkcube);
  g_test_add_func ("/layer/frame-limit", test_frame_limit);
  g_test_add_func ("/layer/picture-behind", test_picture_behind);
  g_test_add_func ("/layer/idle", test_idle);
  g_test_add_func ("/layer/off", test_off);
  g_test_add_data_func ("/layer/no-host", GINT_TO_POINTER (VTR_TEST_HOST_ABSENT), test_uncaptured);
  g_test_add_data_func ("/layer/declined", GINT_TO_POINTER (VTR_TEST_HOST_DECLINE),
                        test_uncaptured);
  g_test_add_data_func ("/layer/no-file", GINT_TO_POINTER (VTR_TEST_HOST_NO_FILE), test_uncaptured);
  g_test_add_data_func ("/layer/device", GINT_TO_POINTER (VTR_TEST_HOST_DEVICE), test_uncaptured);
  g_test_add_data_func ("/layer/cut-file", GINT_TO_POINTER (VTR_TEST_HOST_CUT_FILE),
                        test_uncaptured);
  g_test_add_data_func ("/layer/short-answer", GINT_TO_POINTER (VTR_TEST_HOST_SHORT),
                        test_uncaptured);
  g_test_add_func ("/layer/busy-host", test_busy_host);
  g_test_add_data_func ("/layer/silent-host", GINT_TO_POINTER (VTR_TEST_HOST_SILENT),
                        test_uncaptured);
  g_test_add_func ("/layer/host-vanishes", test_host_vanishes);
  g_test_add_func ("/layer/ring-full", test_ring_full);
  g_test_add_func ("/layer/validation", test_validation);
  g_test_add_func ("/layer/compute", test_compute);
  g_test_add_func ("/layer/threads", test_threads);
  for (guint i = 0; i < G_N_ELEMENTS (fork_cases); i++)
    {
      g_autofree char *name = g_strdup_printf ("/layer/fork/%u", i);

      g_test_add_data_func (name, &fork_cases[i], test_fork);
    }
  g_test_add_func ("/layer/several", test_several);
  g_test_add_func ("/layer/killed", test_killed);
  result = g_test_run ();
  vtr_test_display_stop ();
  return result;
}
