/* check-said TRACE: checks the status of the replay (vtr_document_describe_replay ()) when
 * pictures come from the cache, and when a question has no answer. The first run fills the
 * cache. */
#include "engine/document/vtr-document.h"
#include "engine/model/vtr-command-tree.h"
#include "engine/replay/vtr-replay-backend.h"

#define CACHED "Showing cached images"

static const char *trace_path;

static VtrDocument *
open_document (void)
{
  g_autoptr (GError) error = NULL;
  VtrDocument *document = vtr_document_open (trace_path, NULL, NULL, NULL, &error);

  g_assert_no_error (error);
  return document;
}

static guint64
find_draw (VtrTrace *trace)
{
  for (guint64 i = 0; i < vtr_trace_get_n_commands (trace); i++)
    if (vtr_command_kind (vtr_trace_get_command_id (trace, i)) == VTR_COMMAND_KIND_DRAW)
      return i;
  g_assert_not_reached ();
}

static void
check_said (VtrDocument       *document,
            VtrReplayActivity  activity,
            const char        *words)
{
  g_autofree char *said = vtr_document_describe_replay (document);

  g_assert_cmpint (vtr_document_get_replay_activity (document), ==, activity);
  if (words != NULL)
    g_assert_cmpstr (said, ==, words);
}

static VtrImage *
get_picture (VtrDocument *document)
{
  g_autoptr (GError) error = NULL;
  VtrImage *image =
    vtr_document_get_framebuffer (document, find_draw (vtr_document_get_trace (document)),
                                  VTR_ATTACHMENT_COLOR0, NULL, &error);

  g_assert_no_error (error);
  return image;
}

/* Asks for every image in the last frame, before which the replay keeps its state. Returns: how
 * many hold nothing yet. */
static guint
ask_in_vain (VtrDocument *document)
{
  VtrTrace *trace = vtr_document_get_trace (document);
  VtrHistory *history = vtr_document_get_history (document);
  guint64 first, last;
  guint n = 0;

  vtr_trace_get_frame (trace, vtr_trace_get_n_frames (trace) - 1, &first, &last);
  while (vtr_trace_get_command_id (trace, last) != VTR_CMD_vkQueueSubmit)
    g_assert_cmpuint (--last, >=, first);
  for (guint32 id = 1; id <= vtr_history_get_n_objects (history); id++)
    {
      g_autofree char *path =
        g_strdup_printf ("commands/%" G_GUINT64_FORMAT "/images/%u", last, id);
      g_autoptr (GError) error = NULL;
      g_autoptr (VtrImage) image = NULL;

      if (vtr_history_get_object (history, id)->type != VTR_HANDLE_VkImage)
        continue;
      image = vtr_document_get_image (document, path, NULL, &error);
      n += g_error_matches (error, VTR_RESOLVE_ERROR, VTR_RESOLVE_ERROR_NOTHING);
    }
  return n;
}

static void
test_said (void)
{
  g_autoptr (VtrDocument) document = open_document ();
  g_autoptr (VtrImage) first = NULL, second = NULL;

  check_said (document, VTR_REPLAY_IS_IDLE, "Replay not started");
  first = get_picture (document);
  check_said (document, VTR_REPLAY_IS_READY, NULL);
  g_assert_cmpuint (ask_in_vain (document), >, 0);
  check_said (document, VTR_REPLAY_IS_READY, NULL);
  g_clear_object (&document);

  /* Asked again: nothing is replayed, and the status says so. */
  document = open_document ();
  second = get_picture (document);
  check_said (document, VTR_REPLAY_IS_IDLE, CACHED);
  g_assert_true (g_bytes_equal (first->texels, second->texels));
  /* A question without an answer is no failure. */
  g_assert_cmpuint (ask_in_vain (document), >, 0);
  check_said (document, VTR_REPLAY_IS_IDLE, CACHED);
}

int
main (int    argc,
      char **argv)
{
  g_setenv ("LC_ALL", "C", TRUE);
  g_test_init (&argc, &argv, NULL);
  g_assert_cmpint (argc, ==, 2);
  trace_path = argv[1];
  g_test_add_func ("/said", test_said);
  return g_test_run ();
}
