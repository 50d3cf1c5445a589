/* Runs a program under the layer and prints what it recorded: a tool for working on the layer.
 *
 *   show-ring [--frames N] [--idle] [--layers A:B] [--discard] [--quiet] PROGRAM [ARGUMENT…] */
#include "vtr-test-host.h"

#include "api/vtr-api-types.h"

#include <stdlib.h>

static const char *
name_of (guint16 type)
{
  switch (type)
    {
    case VTR_RECORD_RETURNED:
      return "  returned";
    case VTR_RECORD_BLOCK:
      return "  block";
    case VTR_RECORD_MEMORY:
      return "  memory";
    case VTR_RECORD_INFO:
      return "  info";
    case VTR_RECORD_PICTURE:
      return "  picture";
    case VTR_RECORD_STOP:
      return "  stop";
    default:
      return vtr_cmd_name (type);
    }
}

int
main (int    argc,
      char **argv)
{
  VtrTestHostOptions options = { .mode = VTR_RING_MODE_RECORD };
  gboolean quiet = FALSE;
  g_autoptr (VtrTestHost) host = NULL;
  g_autoptr (GArray) records = NULL;
  guint n_inner = 0;
  gsize bytes = 0;
  int i;

  for (i = 1; i < argc && argv[i][0] == '-'; i++)
    {
      if (g_str_equal (argv[i], "--frames") && i + 1 < argc)
        options.frame_limit = (guint32)atoi (argv[++i]);
      else if (g_str_equal (argv[i], "--idle"))
        options.mode = VTR_RING_MODE_IDLE;
      else if (g_str_equal (argv[i], "--layers") && i + 1 < argc)
        options.layers = argv[++i];
      else if (g_str_equal (argv[i], "--discard"))
        options.discard = TRUE;
      else if (g_str_equal (argv[i], "--quiet"))
        quiet = TRUE;
    }
  if (i >= argc)
    {
      g_printerr ("usage: show-ring [--frames N] [--idle] [--layers A:B] [--discard] [--quiet] "
                  "PROGRAM [ARGUMENT...]\n");
      return 2;
    }

  host = vtr_test_host_run (&options, (const char *const *)argv + i, 60000);
  records = vtr_test_ring_sorted (host->ring, TRUE);
  for (guint j = 0; j < records->len; j++)
    {
      const VtrTestRecord *record = &g_array_index (records, VtrTestRecord, j);
      gboolean inner =
        j > 0 && record->ticket == g_array_index (records, VtrTestRecord, j - 1).ticket;

      n_inner += inner;
      bytes += record->size + (inner ? 8 : 16);
      if (!quiet)
        g_print ("%6" G_GUINT64_FORMAT " %s%s %" G_GSIZE_FORMAT "%s\n", record->ticket,
                 inner ? "    " : "", name_of (record->type), record->size,
                 record->flags & VTR_RECORD_PENDING ? " pending" : "");
    }
  g_print ("%s", host->output);
  g_print ("pid %u, rungs %x (%s; %s), frames %" G_GUINT64_FORMAT ", draws %" G_GUINT64_FORMAT
           ", state %u, status %x, %u records, %u in blocks, %" G_GSIZE_FORMAT
           " bytes, %u segments taken\n",
           host->hello.pid, host->rungs, host->facts[1], host->facts[2],
           atomic_load (&host->ring->header->frames), atomic_load (&host->ring->header->draws),
           atomic_load (&host->ring->header->state), (guint)host->status, records->len, n_inner,
           bytes, vtr_test_ring_count_taken (host->ring));
  for (guint j = 0; j < host->notices->len; j++)
    g_print ("notice: %s\n", (const char *)g_ptr_array_index (host->notices, j));
  return 0;
}
