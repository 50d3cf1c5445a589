/* Tests recordings that begin in the middle of a run, with programs that make that hard. */
#include "vtr-test-host.h"

#include "api/vtr-api-walk.h"

/* What came, between which marks. */
typedef struct
{
  guint starts;
  guint stops;
  guint before;  /* records in front of the first Start */
  guint after;   /* records behind the last Stop */
  guint blocks;  /* that are initial */
  guint32 state; /* of the last Stop */
  guint64 frame; /* of the last Start */
  guint initial[VTR_VULKAN_N_COMMANDS];
  guint calls[VTR_VULKAN_N_COMMANDS];
} Counts;

static gboolean
is_initial (const VtrTestRecord *record)
{
  guint64 params[64];
  guint32 flags = 0;

  g_assert_cmpuint (vtr_cmd_get (record->type)->n_params, <, G_N_ELEMENTS (params));
  g_assert_cmpint (vtr_api_decode_scalars (record->type, record->payload, record->size, NULL,
                                           params, NULL, &flags, NULL),
                   ==, VTR_OK);
  return (flags & VTR_COMMAND_FLAG_INITIAL) != 0;
}

static void
count (VtrTestHost *host,
       Counts      *counts)
{
  g_autoptr (GArray) records = vtr_test_ring_sorted (host->ring, FALSE);

  memset (counts, 0, sizeof *counts);
  for (guint i = 0; i < records->len; i++)
    {
      const VtrTestRecord *each = &g_array_index (records, VtrTestRecord, i);

      if (each->type == VTR_RECORD_START)
        {
          VtrRingStart start;

          memcpy (&start, each->payload, sizeof start);
          counts->frame = start.frame;
          counts->starts++;
        }
      else if (each->type == VTR_RECORD_STOP)
        {
          counts->stops++;
          memcpy (&counts->state, each->payload, sizeof counts->state);
        }
      else if (counts->starts == 0)
        counts->before++;
      else if (counts->stops == counts->starts && each->type != VTR_RECORD_RETURNED)
        counts->after++;
      else if (each->type == VTR_RECORD_BLOCK)
        {
          VtrRingBlockRef ref;

          memcpy (&ref, each->payload, sizeof ref);
          counts->blocks += (ref.flags & VTR_RING_BLOCK_INITIAL) != 0;
        }
      else if (vtr_cmd_is_vulkan (each->type))
        (is_initial (each) ? counts->initial : counts->calls)[each->type]++;
    }
}

static VtrTestHost *
run_with (const char *how,
          guint64     frame,
          guint32     n_segments)
{
  const VtrTestHostOptions options = {
    .mode = VTR_RING_MODE_IDLE,
    .frame_limit = 3,
    .trigger = 1,
    .trigger_frame = frame,
    .n_segments = n_segments,
  };
  const char *const argv[] = { VTR_TEST_BUILD_DIR "/restless", how, NULL };
  VtrTestHost *host = vtr_test_host_run (&options, argv, 60000);

  g_test_message ("%s", host->output);
  for (guint i = 0; i < host->notices->len; i++)
    g_test_message ("%s", (const char *)host->notices->pdata[i]);
  g_assert_false (host->timed_out);
  g_assert_cmpint (host->status, ==, 0);
  return host;
}

static VtrTestHost *
run (const char *how,
     guint64     frame)
{
  return run_with (how, frame, 0);
}

/* A program that comes to rest when others are let through. */
static void
test_begins (gconstpointer how)
{
  g_autoptr (VtrTestHost) host = run (how, 5);
  VtrRingHeader *header = host->ring->header;
  Counts counts;

  count (host, &counts);
  g_assert_cmpuint (counts.before + counts.after, ==, 0);
  g_assert_cmpuint (counts.starts, ==, 1);
  g_assert_cmpuint (counts.stops, ==, 1);
  g_assert_cmpuint (counts.state, ==, VTR_RING_STATE_DONE);
  g_assert_cmpuint (counts.calls[VTR_CMD_vkQueueSubmit], ==, 3);
  g_assert_cmpuint (counts.initial[VTR_CMD_vkCreateInstance], ==, 1);
  g_assert_cmpuint (counts.initial[VTR_CMD_vkCreateDevice], ==, 1);
  g_assert_cmpuint (counts.initial[VTR_CMD_vkGetDeviceQueue], ==, 1);
  g_assert_cmpuint (counts.calls[VTR_CMD_vkCreateDevice], ==, 0);
  /* Values beyond what was there at the beginning. */
  g_assert_cmpuint (counts.initial[VTR_CMD_vkSignalSemaphore], ==,
                    strcmp (how, "semaphore") == 0 ? 1 : 0);
  g_assert_cmpuint (atomic_load (&header->state), ==, VTR_RING_STATE_DONE);
  g_assert_cmpuint (atomic_load (&header->mode), ==, VTR_RING_MODE_IDLE);
  g_assert_cmpuint (atomic_load (&header->trigger_done), ==, 1);
  g_assert_cmpuint (atomic_load (&header->frames), ==, 16);
}

static void
test_declines (void)
{
  g_autoptr (VtrTestHost) host = run ("busy", 5);
  VtrRingHeader *header = host->ring->header;
  Counts counts;

  count (host, &counts);
  g_assert_cmpuint (counts.starts, ==, 0);
  g_assert_cmpuint (counts.before, ==, 0);
  g_assert_cmpuint (host->notices->len, ==, 1);
  g_assert_nonnull (strstr (host->notices->pdata[0], "did not come to an end"));
  g_assert_cmpuint (atomic_load (&header->state), ==, VTR_RING_STATE_DECLINED);
  g_assert_cmpuint (atomic_load (&header->mode), ==, VTR_RING_MODE_IDLE);
  g_assert_cmpuint (atomic_load (&header->trigger_done), ==, 1);
}

/* What outlives its parents brings them along, and their ends. */
static void
test_parents (void)
{
  g_autoptr (VtrTestHost) host = run ("objects", 4);
  Counts counts;

  count (host, &counts);
  g_assert_cmpuint (counts.initial[VTR_CMD_vkCreateBuffer], ==, counts.frame);
  g_assert_cmpuint (counts.initial[VTR_CMD_vkAllocateMemory], ==, counts.frame);
  g_assert_cmpuint (counts.initial[VTR_CMD_vkBindBufferMemory], ==, counts.frame);
  g_assert_cmpuint (counts.initial[VTR_CMD_vkFreeMemory], ==, counts.frame);
  g_assert_cmpuint (counts.initial[VTR_CMD_vkCreateDescriptorSetLayout], ==, counts.frame);
  g_assert_cmpuint (counts.initial[VTR_CMD_vkDestroyDescriptorSetLayout], ==, counts.frame);
  g_assert_cmpuint (counts.initial[VTR_CMD_vkCreatePipelineLayout], ==, counts.frame);
  g_assert_cmpuint (counts.calls[VTR_CMD_vkCreateBuffer], ==, 3);
  g_assert_cmpuint (counts.calls[VTR_CMD_vkDestroyDescriptorSetLayout], ==, 3);
}

/* Command buffers that may still be submitted, and only those. */
static void
test_blocks (void)
{
  g_autoptr (VtrTestHost) host = run ("blocks", 4);
  Counts counts;

  count (host, &counts);
  g_assert_cmpuint (counts.blocks, ==, 1);
  g_assert_cmpuint (counts.initial[VTR_CMD_vkCreatePipelineLayout], ==, 1);
  g_assert_cmpuint (counts.initial[VTR_CMD_vkDestroyPipelineLayout], ==, 1);
  g_assert_cmpuint (counts.initial[VTR_CMD_vkCreateEvent], ==, 0);
  g_assert_cmpuint (counts.calls[VTR_CMD_vkQueueSubmit], ==, 3);
}

/* A ring too small for the command buffers that are kept does the program no harm. */
static void
test_no_room (void)
{
  g_autoptr (VtrTestHost) host = run_with ("blocks", 4, 5);
  VtrRingHeader *header = host->ring->header;

  g_assert_cmpuint (host->notices->len, ==, 1);
  g_assert_nonnull (strstr (host->notices->pdata[0], "has no room"));
  g_assert_cmpuint (atomic_load (&header->state), ==, VTR_RING_STATE_DECLINED);
  g_assert_cmpuint (atomic_load (&header->frames), ==, 16);
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/layer/trigger/semaphore", "semaphore", test_begins);
  g_test_add_data_func ("/layer/trigger/event", "event", test_begins);
  g_test_add_data_func ("/layer/trigger/fence", "fence", test_begins);
  g_test_add_func ("/layer/trigger/busy", test_declines);
  g_test_add_func ("/layer/trigger/parents", test_parents);
  g_test_add_func ("/layer/trigger/blocks", test_blocks);
  g_test_add_func ("/layer/trigger/no-room", test_no_room);
  return g_test_run ();
}
