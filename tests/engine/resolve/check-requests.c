/* check-requests TRACE: sends requests about a trace of many submissions to the real replayer:
 * newer ones, joined ones, cancelled ones. */
#include "engine/document/vtr-document.h"
#include "engine/model/vtr-command-tree.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The machine may be busy, and slow by nature. */
#define DEADLINE (300 * G_USEC_PER_SEC)

typedef struct
{
  VtrDocument *document;
  GArray *ends; /* the last draw before each submission */
} Fixture;

/* One request. */
typedef struct
{
  GCancellable *cancellable;
  VtrImage *image;
  GError *error;
  gboolean answered;
} Ask;

static const char *trace_path;

static void
set_up (Fixture       *self,
        gconstpointer  data)
{
  GError *error = NULL;
  VtrTrace *trace;
  guint64 draw = 0;

  self->document = vtr_document_open (trace_path, NULL, NULL, NULL, &error);
  g_assert_no_error (error);
  trace = vtr_document_get_trace (self->document);
  self->ends = g_array_new (FALSE, FALSE, sizeof (guint64));
  for (guint64 i = 0; i < vtr_trace_get_n_commands (trace); i++)
    {
      VtrCmdId id = vtr_trace_get_command_id (trace, i);

      if (vtr_command_kind (id) == VTR_COMMAND_KIND_DRAW)
        draw = i;
      else if (id == VTR_CMD_vkQueueSubmit && draw != 0)
        g_array_append_val (self->ends, draw);
    }
  g_assert_cmpuint (self->ends->len, >, 8);
}

static void
tear_down (Fixture       *self,
           gconstpointer  data)
{
  g_clear_object (&self->document);
  g_array_unref (self->ends);
  while (g_main_context_iteration (NULL, FALSE))
    ;
}

static void
answered_cb (GObject      *source,
             GAsyncResult *result,
             gpointer      data)
{
  Ask *self = data;

  self->image =
    vtr_document_get_framebuffer_finish (VTR_DOCUMENT (source), result, &self->error);
  self->answered = TRUE;
}

static void
ask (Fixture *fixture,
     Ask     *self,
     guint    frame,
     int      priority)
{
  *self = (Ask){ .cancellable = g_cancellable_new () };
  vtr_document_get_framebuffer_async (fixture->document,
                                      g_array_index (fixture->ends, guint64, frame),
                                      VTR_ATTACHMENT_COLOR0, priority, self->cancellable,
                                      answered_cb, self);
}

static void
ask_clear (Ask *self)
{
  g_clear_pointer (&self->image, vtr_image_unref);
  g_clear_error (&self->error);
  g_clear_object (&self->cancellable);
}

static gboolean
wake (gpointer data)
{
  return G_SOURCE_CONTINUE;
}

/* Runs the main loop until @flag is set. */
static void
wait_answer (const Ask *self)
{
  guint source = g_timeout_add (10, wake, NULL);
  gint64 until = g_get_monotonic_time () + DEADLINE;

  while (!self->answered)
    {
      g_assert_cmpint (g_get_monotonic_time (), <, until);
      g_main_context_iteration (NULL, TRUE);
    }
  g_source_remove (source);
}

/* Until the state is being made that a request starts from, or is made already. Returns: FALSE when
 * all is over. */
static gboolean
wait_making (Fixture   *self,
             const Ask *request)
{
  gint64 until = g_get_monotonic_time () + DEADLINE;

  for (;;)
    {
      g_autofree char *words = vtr_document_describe_replay (self->document);

      if (g_str_has_prefix (words, "Replaying up to frame"))
        {
          g_assert_cmpint (vtr_document_get_replay_activity (self->document), !=,
                           VTR_REPLAY_IS_IDLE);
          return TRUE;
        }
      g_assert_cmpint (g_get_monotonic_time (), <, until);
      g_main_context_iteration (NULL, FALSE);
      if (request->answered)
        {
          g_test_message ("The machine was quicker");
          return FALSE;
        }
      g_usleep (300);
    }
}

static pid_t
find_replayer (void)
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
      if (rest != NULL && sscanf (rest, ") %*c %d", &parent) == 1 && parent == getpid () &&
          strncmp (rest, ") Z", 3) != 0)
        return atoi (name);
    }
  return 0;
}

static void
assert_same (Fixture  *self,
             guint     frame,
             VtrImage *image)
{
  g_autoptr (VtrDocument) other = vtr_document_open (trace_path, NULL, NULL, NULL, NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (VtrImage) fresh = vtr_document_get_framebuffer (
    other, g_array_index (self->ends, guint64, frame), VTR_ATTACHMENT_COLOR0, NULL, &error);

  g_assert_no_error (error);
  g_assert_nonnull (image);
  g_assert_true (g_bytes_equal (fresh->texels, image->texels));
}

/* A newer request ends the older one while the state for that is made, and is right. */
static void
test_newer_while_making (Fixture       *self,
                         gconstpointer  data)
{
  guint last = self->ends->len - 1;
  Ask older, newer;

  ask (self, &older, last, VTR_PRIORITY_INTERACTIVE);
  wait_making (self, &older);
  g_cancellable_cancel (older.cancellable);
  ask (self, &newer, 1, VTR_PRIORITY_INTERACTIVE);
  wait_answer (&newer);
  g_assert_true (older.answered);
  g_assert_error (older.error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  g_assert_no_error (newer.error);
  assert_same (self, 1, newer.image);
  ask_clear (&older);
  ask_clear (&newer);
}

/* Like test_newer_while_making (), when both need that state. */
static void
test_newer_of_same_frame (Fixture       *self,
                          gconstpointer  data)
{
  guint last = self->ends->len - 1;
  Ask asked[8];

  for (guint i = 0; i < G_N_ELEMENTS (asked); i++)
    {
      ask (self, &asked[i], last, VTR_PRIORITY_INTERACTIVE);
      if (i == 0)
        wait_making (self, &asked[0]);
      if (i + 1 < G_N_ELEMENTS (asked))
        g_cancellable_cancel (asked[i].cancellable);
    }
  wait_answer (&asked[7]);
  g_assert_no_error (asked[7].error);
  assert_same (self, last, asked[7].image);
  for (guint i = 0; i < G_N_ELEMENTS (asked); i++)
    {
      g_assert_true (asked[i].answered);
      ask_clear (&asked[i]);
    }
}

/* Two callers ask for the same picture, and one of them cancels. */
static void
test_joined (Fixture       *self,
             gconstpointer  data)
{
  guint last = self->ends->len - 1;
  Ask first, second, newer;

  ask (self, &first, last, VTR_PRIORITY_INTERACTIVE);
  ask (self, &second, last, VTR_PRIORITY_THUMBNAIL);
  wait_making (self, &first);
  g_cancellable_cancel (first.cancellable);
  ask (self, &newer, 1, VTR_PRIORITY_INTERACTIVE);
  wait_answer (&second);
  g_assert_no_error (second.error);
  assert_same (self, last, second.image);
  wait_answer (&newer);
  g_assert_no_error (newer.error);
  ask_clear (&first);
  ask_clear (&second);
  ask_clear (&newer);
}

/* What is fetched ahead makes room, and comes in the end. */
static void
test_background (Fixture       *self,
                 gconstpointer  data)
{
  guint last = self->ends->len - 1;
  Ask background, looked_at;
  gboolean in_time;

  ask (self, &background, last, VTR_PRIORITY_BACKGROUND);
  in_time = wait_making (self, &background);
  ask (self, &looked_at, 1, VTR_PRIORITY_INTERACTIVE);
  wait_answer (&looked_at);
  g_assert_no_error (looked_at.error);
  if (in_time)
    g_test_message (background.answered ? "It came first" : "It made room");
  wait_answer (&background);
  g_assert_no_error (background.error);
  assert_same (self, last, background.image);
  ask_clear (&background);
  ask_clear (&looked_at);
}

/* The replayer dies at the moment its request is given up. */
static void
test_death (Fixture       *self,
            gconstpointer  data)
{
  guint last = self->ends->len - 1;
  Ask older, newer;
  pid_t replayer;

  for (guint i = 0; i < 3; i++)
    {
      ask (self, &older, last - i, VTR_PRIORITY_INTERACTIVE);
      wait_making (self, &older);
      /* The first one is only being started. */
      while (find_replayer () == 0 && !older.answered)
        g_main_context_iteration (NULL, FALSE);
      if (i == 1)
        g_cancellable_cancel (older.cancellable);
      replayer = find_replayer ();
      if (replayer > 0)
        kill (replayer, SIGKILL);
      if (i != 1)
        g_cancellable_cancel (older.cancellable);
      ask (self, &newer, 1 + i, VTR_PRIORITY_INTERACTIVE);
      wait_answer (&newer);
      g_assert_true (older.answered);
      /* A caller that asks then gets either the error of the crash or a picture from the next
       * replayer. */
      if (newer.error != NULL)
        g_assert_error (newer.error, VTR_REPLAY_ERROR, VTR_REPLAY_ERROR_DIED);
      ask_clear (&newer);
      ask (self, &newer, 1 + i, VTR_PRIORITY_INTERACTIVE);
      wait_answer (&newer);
      g_assert_no_error (newer.error);
      assert_same (self, 1 + i, newer.image);
      ask_clear (&older);
      ask_clear (&newer);
    }
}

/* Closing a document does not wait for its running requests. */
static void
test_close (Fixture       *self,
            gconstpointer  data)
{
  Ask older;
  gint64 begun;

  ask (self, &older, self->ends->len - 1, VTR_PRIORITY_INTERACTIVE);
  wait_making (self, &older);
  begun = g_get_monotonic_time ();
  g_cancellable_cancel (older.cancellable);
  wait_answer (&older);
  g_clear_object (&self->document);
  g_test_message ("Closed after %g ms", (double)(g_get_monotonic_time () - begun) / 1000);
  g_assert_cmpint (find_replayer (), ==, 0);
  ask_clear (&older);
}

static void
got_cb (GObject      *source,
        GAsyncResult *result,
        gpointer      data)
{
  Ask *self = data;
  JsonNode *node = vtr_document_get_finish (VTR_DOCUMENT (source), result, &self->error);

  g_clear_pointer (&node, json_node_unref);
  self->answered = TRUE;
}

/* Like got_cb (), but closes the document while it answers paths, on the main loop. */
static void
test_close_while_asked (Fixture       *self,
                        gconstpointer  data)
{
  static const char *const paths[] = { "report", "report?replay=1", "textures", "shaders",
                                       "commands", "resources", "state", "memory",
                                       "frames", "objects" };

  for (guint i = 0; i < G_N_ELEMENTS (paths); i++)
    {
      VtrDocument *document = vtr_document_open (trace_path, NULL, NULL, NULL, NULL);
      Ask request = { .cancellable = g_cancellable_new () };
      double closed;

      vtr_document_get_async (document, paths[i], request.cancellable, got_cb, &request);
      g_usleep (15000);
      g_cancellable_cancel (request.cancellable);
      wait_answer (&request);
      closed = (double)g_get_monotonic_time () / 1000;
      g_object_unref (document);
      closed = (double)g_get_monotonic_time () / 1000 - closed;
      g_test_message ("Closed while “%s” was asked: %g ms", paths[i], closed);
      g_assert_cmpfloat (closed, <, 20000);
      ask_clear (&request);
    }
}

int
main (int    argc,
      char **argv)
{
#define TEST(name, function) \
  g_test_add ("/requests/" name, Fixture, NULL, set_up, function, tear_down)
  g_setenv ("VITRINE_NO_CACHE", "1", TRUE);
  g_setenv ("LC_ALL", "C", TRUE);
  g_test_init (&argc, &argv, NULL);
  g_assert_cmpint (argc, ==, 2);
  trace_path = argv[1];
  TEST ("newer-while-making", test_newer_while_making);
  TEST ("newer-of-same-frame", test_newer_of_same_frame);
  TEST ("joined", test_joined);
  TEST ("background", test_background);
  TEST ("death", test_death);
  TEST ("close", test_close);
  TEST ("close-while-asked", test_close_while_asked);
  return g_test_run ();
}
