/* Tests reading a real GAPID trace against known numbers. */
#include "api/vtr-api-args.h"
#include "engine/format/vtr-trace.h"

#include <glib/gstdio.h>

static const char *
get_sample (void)
{
  const char *path = g_getenv ("VITRINE_SAMPLE_TRACE");

  return path != NULL && g_file_test (path, G_FILE_TEST_EXISTS) ? path : NULL;
}

static VtrTrace *
open_sample (void)
{
  g_autoptr (GError) error = NULL;
  VtrTrace *trace;

  if (get_sample () == NULL)
    {
      g_test_skip ("VITRINE_SAMPLE_TRACE names no file");
      return NULL;
    }
  trace = vtr_trace_open (get_sample (), NULL, NULL, NULL, &error);
  g_assert_no_error (error);
  return trace;
}

static void
test_facts (void)
{
  g_autoptr (VtrTrace) trace = open_sample ();
  const VtrTraceInfo *info;
  guint submits = 0, draws = 0;
  guint64 first, last, start;

  if (trace == NULL)
    return;
  info = vtr_trace_get_info (trace);
  g_assert_cmpuint (info->bytes, ==, 3852938);
  g_assert_cmpstr (info->producer, ==, "GAPID 3");
  g_assert_cmpstr (info->container, ==, "proto-pack");
  g_assert_cmpstr (info->device, ==, "Quadro P1000");
  g_assert_cmphex (info->api_version, ==, 0x401063);
  g_assert_cmpint (info->abi, ==, VTR_ABI_LP64);
  g_assert_false (info->truncated);
  g_assert_null (vtr_trace_get_warning (trace));
  start = vtr_trace_get_n_initial_commands (trace);
  g_assert_cmpuint (vtr_trace_get_n_commands (trace), ==, start + 42);
  g_assert_cmpuint (vtr_trace_get_n_resources (trace), ==, 45);
  g_assert_cmpuint (vtr_trace_get_n_observations (trace), ==, 67);
  g_assert_cmpuint (vtr_trace_get_n_frames (trace), ==, 2);
  vtr_trace_get_frame (trace, 1, &first, &last);
  g_assert_cmpuint (first, ==, start + 21);
  g_assert_cmpuint (last, ==, start + 41);
  vtr_trace_get_frame (trace, 0, &first, &last);
  g_assert_cmpuint (first, ==, start);
  for (guint64 i = start; i < start + 42; i++)
    {
      g_assert_cmpuint (vtr_trace_get_thread (trace, i), ==, 207933);
      g_assert_false (vtr_trace_get_flags (trace, i) & VTR_COMMAND_DIED);
      submits += vtr_trace_get_command_id (trace, i) == VTR_CMD_vkQueueSubmit;
      draws += vtr_trace_get_command_id (trace, i) == VTR_CMD_vkCmdDrawIndexed;
    }
  g_assert_cmpuint (submits, ==, 2);
  g_assert_cmpuint (draws, ==, 2);
}

static void *
decode (VtrTrace *trace,
        VtrArena *arena,
        guint64   index,
        VtrCmdId  id,
        guint     reads,
        guint     writes)
{
  g_autoptr (GError) error = NULL;
  VtrCommand command;
  guint n_reads = 0, n_writes = 0;

  index += vtr_trace_get_n_initial_commands (trace);
  g_assert_true (vtr_trace_decode (trace, index, arena, &command, &error));
  g_assert_no_error (error);
  g_assert_cmpstr (vtr_cmd_name (command.id), ==, vtr_cmd_name (id));
  for (gsize i = 0; i < command.decoded->n_observations; i++)
    {
      if (command.decoded->observations[i].write)
        n_writes++;
      else
        n_reads++;
    }
  g_assert_cmpuint (n_reads, ==, reads);
  g_assert_cmpuint (n_writes, ==, writes);
  return command.args;
}

static void
test_commands (void)
{
  g_autoptr (VtrTrace) trace = open_sample ();
  VtrArena arena;

  if (trace == NULL)
    return;
  vtr_arena_init (&arena);
  {
    VtrArgs_vkAcquireNextImageKHR *args =
      decode (trace, &arena, 0, VTR_CMD_vkAcquireNextImageKHR, 0, 1);

    g_assert_cmphex ((guint64)args->device, ==, 0x55c1a03fea40);
    g_assert_cmphex ((guint64)args->swapchain, ==, 0x55c1a0466740);
    g_assert_cmphex (args->timeout, ==, G_MAXUINT64);
    g_assert_cmpuint (*args->pImageIndex, ==, 1);
  }
  {
    VtrArgs_vkBeginCommandBuffer *args =
      decode (trace, &arena, 4, VTR_CMD_vkBeginCommandBuffer, 1, 0);

    g_assert_cmpint (args->pBeginInfo->sType, ==, 42);
    g_assert_cmpuint (args->pBeginInfo->flags, ==, 1);
    g_assert_null (args->pBeginInfo->pInheritanceInfo);
  }
  {
    VtrArgs_vkCreateFramebuffer *args =
      decode (trace, &arena, 6, VTR_CMD_vkCreateFramebuffer, 1, 1);

    g_assert_cmphex ((guint64)args->pCreateInfo->renderPass, ==, 0x55c1a01301c0);
    g_assert_cmpuint (args->pCreateInfo->attachmentCount, ==, 2);
    g_assert_cmphex ((guint64)args->pCreateInfo->pAttachments[0], ==, 0x55c1a0937e90);
    g_assert_cmphex ((guint64)args->pCreateInfo->pAttachments[1], ==, 0x55c1a0924050);
    g_assert_cmpuint (args->pCreateInfo->width, ==, 1024);
    g_assert_cmpuint (args->pCreateInfo->height, ==, 768);
    g_assert_cmphex ((guint64)*args->pFramebuffer, ==, 0x55c1a0958870);
  }
  {
    VtrArgs_vkMapMemory *args = decode (trace, &arena, 7, VTR_CMD_vkMapMemory, 1, 1);

    g_assert_cmphex (args->size, ==, VK_WHOLE_SIZE);
  }
  {
    VtrArgs_vkFlushMappedMemoryRanges *args =
      decode (trace, &arena, 8, VTR_CMD_vkFlushMappedMemoryRanges, 2, 0);

    g_assert_cmphex ((guint64)args->pMemoryRanges[0].memory, ==, 0x55c1a0920e80);
  }
  {
    VtrArgs_vkCmdDrawIndexed *args = decode (trace, &arena, 16, VTR_CMD_vkCmdDrawIndexed, 0, 0);

    g_assert_cmpuint (args->indexCount, ==, 36);
    g_assert_cmpuint (args->instanceCount, ==, 1);
  }
  {
    VtrArgs_vkQueueSubmit *args = decode (trace, &arena, 19, VTR_CMD_vkQueueSubmit, 3, 0);

    g_assert_cmpuint (args->submitCount, ==, 1);
    g_assert_cmphex ((guint64)args->pSubmits[0].pWaitSemaphores[0], ==, 0x55c1a0926010);
    g_assert_cmphex (args->pSubmits[0].pWaitDstStageMask[0], ==, 0x2000);
    g_assert_cmphex ((guint64)args->pSubmits[0].pCommandBuffers[0], ==, 0x55c1a09252f0);
    g_assert_cmphex ((guint64)args->pSubmits[0].pSignalSemaphores[0], ==, 0x55c1a0926110);
  }
  {
    VtrArgs_vkQueuePresentKHR *args = decode (trace, &arena, 41, VTR_CMD_vkQueuePresentKHR, 3, 1);

    g_assert_cmphex ((guint64)args->pPresentInfo->pSwapchains[0], ==, 0x55c1a0466740);
    g_assert_cmpuint (args->pPresentInfo->pImageIndices[0], ==, 0);
    g_assert_cmpint (args->pPresentInfo->pResults[0], ==, VK_SUCCESS);
  }
  for (guint64 i = 0; i < vtr_trace_get_n_commands (trace); i++)
    {
      VtrCommand command;

      g_assert_true (vtr_trace_decode (trace, i, &arena, &command, NULL));
      g_assert_cmpuint (command.result, ==, 0);
    }
  vtr_arena_finish (&arena);
}

/* Cut anywhere, the calls that ended before the cut are there. */
static void
test_truncated (void)
{
  g_autofree char *contents = NULL, *path = NULL;
  guint64 before = 0;
  gsize size;

  if (get_sample () == NULL)
    {
      g_test_skip ("VITRINE_SAMPLE_TRACE names no file");
      return;
    }
  g_assert_true (g_file_get_contents (get_sample (), &contents, &size, NULL));
  path = g_build_filename (g_get_tmp_dir (), "vitrine-cut.gfxtrace", NULL);
  for (gsize at = 3835700; at < size; at += 997)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (VtrTrace) trace = NULL;

      g_assert_true (g_file_set_contents (path, contents, (gssize)at, NULL));
      trace = vtr_trace_open (path, NULL, NULL, NULL, &error);
      if (trace == NULL)
        {
          g_assert_cmpuint (before, ==, 0);
          continue;
        }
      g_assert_true (vtr_trace_get_info (trace)->truncated);
      g_assert_nonnull (vtr_trace_get_warning (trace));
      g_assert_cmpuint (vtr_trace_get_n_commands (trace), >=, before);
      before = vtr_trace_get_n_commands (trace);
    }
  g_assert_cmpuint (before, >, 100);
  g_unlink (path);
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, G_TEST_OPTION_ISOLATE_DIRS, NULL);
  g_test_add_func ("/engine/format/gapid/facts", test_facts);
  g_test_add_func ("/engine/format/gapid/commands", test_commands);
  g_test_add_func ("/engine/format/gapid/truncated", test_truncated);
  return g_test_run ();
}
