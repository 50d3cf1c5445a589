/* documents TRACE: many users ask a document at once, change their minds, and close it; every
 * request is answered. For ThreadSanitizer and AddressSanitizer. */
#include "engine/document/vtr-document.h"
#include "engine/state/vtr-api-state.h"
#include "engine/replay-session/vtr-timings.h"
#include "engine/vulkan/state/vtr-state.h"

#include <stdlib.h>

#define DEADLINE (300 * G_USEC_PER_SEC)
#define N_THREADS 4

static const char *trace_path;

static const char *const paths[] = {
  "info",
  "report",
  "textures",
  "shaders",
  "resources",
  "frames/0",
  "frames/1",
  "objects",
  "state",
  "commands/9",
  "compatibility",
  "commands/99/state",
  "commands/7/memory",
  "report?replay=1",
};

/* --- Threads that block --- */

typedef struct
{
  VtrDocument *document; /* owned */
  GCancellable *cancellable;
  guint seed;
  guint64 n_commands;
} Asker;

static void
ask_path (Asker *self,
          GRand *random)
{
  const char *path = paths[g_rand_int_range (random, 0, G_N_ELEMENTS (paths))];
  g_autoptr (GError) error = NULL;
  g_autoptr (JsonNode) node =
    vtr_document_get (self->document, path, self->cancellable, &error);

  g_assert_true ((node == NULL) == (error != NULL));
}

static void
ask_picture (Asker *self,
             GRand *random)
{
  guint64 index = (guint64)g_rand_int (random) % self->n_commands;
  g_autoptr (GError) error = NULL;
  g_autoptr (VtrImage) image = vtr_document_get_framebuffer (
    self->document, index, VTR_ATTACHMENT_COLOR0, self->cancellable, &error);

  g_assert_true ((image == NULL) == (error != NULL));
}

static void
ask_bound (Asker *self,
           GRand *random)
{
  guint64 index = (guint64)g_rand_int (random) % self->n_commands;
  VtrBoundState bound = { 0 };
  g_autoptr (GError) error = NULL;

  vtr_bound_walker_get (vtr_analysis_get_walker (vtr_document_get_analysis (self->document)), index,
                        &bound, &error);
}

static gpointer
ask_much (gpointer data)
{
  static void (*const kinds[]) (Asker *, GRand *) = { ask_path, ask_path, ask_picture, ask_bound };
  Asker *self = data;
  g_autoptr (GRand) random = g_rand_new_with_seed (self->seed);

  for (guint i = 0; i < 12 && !g_cancellable_is_cancelled (self->cancellable); i++)
    kinds[g_rand_int_range (random, 0, G_N_ELEMENTS (kinds))](self, random);
  g_clear_object (&self->document);
  return NULL;
}

/* @cut_off: microseconds after which all requests are cancelled; 0: never. */
static void
ask_from_threads (guint cut_off)
{
  g_autoptr (GError) error = NULL;
  VtrDocument *document = vtr_document_open (trace_path, NULL, NULL, NULL, &error);
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  GThread *threads[N_THREADS];
  Asker askers[N_THREADS];

  g_assert_no_error (error);
  for (guint i = 0; i < N_THREADS; i++)
    {
      askers[i] = (Asker){
        .document = g_object_ref (document),
        .cancellable = cancellable,
        .seed = i + cut_off,
        .n_commands = vtr_trace_get_n_commands (vtr_document_get_trace (document)),
      };
      threads[i] = g_thread_new ("asker", ask_much, &askers[i]);
    }
  g_object_unref (document);
  if (cut_off > 0)
    {
      g_usleep (cut_off);
      g_cancellable_cancel (cancellable);
    }
  for (guint i = 0; i < N_THREADS; i++)
    g_thread_join (threads[i]);
}

static void
test_threads (void)
{
  ask_from_threads (0);
}

static void
test_threads_cut_off (void)
{
  for (guint i = 0; i < 6; i++)
    ask_from_threads (1 + i * 15000);
}

/* --- A main loop, as the window has one --- */

typedef struct
{
  VtrDocument *document;
  GError *error;
  guint left;
} Loop;

static void
on_opened (GObject      *source,
           GAsyncResult *result,
           gpointer      data)
{
  Loop *self = data;

  self->document = vtr_document_open_finish (result, &self->error);
  self->left--;
}

static void
on_picture (GObject      *source,
            GAsyncResult *result,
            gpointer      data)
{
  Loop *self = data;
  VtrImage *image =
    vtr_document_get_framebuffer_finish (VTR_DOCUMENT (source), result, NULL);

  g_clear_pointer (&image, vtr_image_unref);
  self->left--;
}

static void
on_node (GObject      *source,
         GAsyncResult *result,
         gpointer      data)
{
  Loop *self = data;
  JsonNode *node = vtr_document_get_finish (VTR_DOCUMENT (source), result, NULL);

  g_clear_pointer (&node, json_node_unref);
  self->left--;
}

static gboolean
wake (gpointer data)
{
  return G_SOURCE_CONTINUE;
}

static void
run_until_answered (Loop *self)
{
  gint64 until = g_get_monotonic_time () + DEADLINE;
  guint source = g_timeout_add (10, wake, NULL);

  while (self->left > 0)
    {
      g_assert_cmpint (g_get_monotonic_time (), <, until);
      g_main_context_iteration (NULL, TRUE);
    }
  g_source_remove (source);
}

/* Opened and given up at any stage of it. */
static void
test_open (void)
{
  for (guint i = 0; i < 12; i++)
    {
      g_autoptr (GCancellable) cancellable = g_cancellable_new ();
      Loop loop = { .left = 1 };

      vtr_document_open_async (trace_path, NULL, NULL, cancellable, on_opened, &loop);
      g_usleep (i * 3000);
      if (i % 4 != 3)
        g_cancellable_cancel (cancellable);
      run_until_answered (&loop);
      g_assert_true ((loop.document == NULL) == (loop.error != NULL));
      g_clear_object (&loop.document);
      g_clear_error (&loop.error);
    }
}

/* Closed with requests on their way, given up or not: all are answered. */
static void
test_close (void)
{
  for (guint i = 0; i < 8; i++)
    {
      g_autoptr (GCancellable) cancellable = g_cancellable_new ();
      Loop loop = { .left = 1 };
      guint64 n;

      vtr_document_open_async (trace_path, NULL, NULL, NULL, on_opened, &loop);
      run_until_answered (&loop);
      g_assert_no_error (loop.error);
      n = vtr_trace_get_n_commands (vtr_document_get_trace (loop.document));
      vtr_document_prepare_replay (loop.document);
      for (guint k = 0; k < 6; k++, loop.left++)
        vtr_document_get_framebuffer_async (loop.document, n - 1 - k * 97 % n,
                                            VTR_ATTACHMENT_COLOR0,
                                            (int)k % 3, cancellable, on_picture, &loop);
      for (guint k = 0; k < G_N_ELEMENTS (paths) && i % 2 == 0; k++, loop.left++)
        vtr_document_get_async (loop.document, paths[k], cancellable, on_node, &loop);
      g_usleep (i * 20000);
      if (i % 4 < 3)
        g_cancellable_cancel (cancellable);
      g_clear_object (&loop.document);
      run_until_answered (&loop);
    }
}

int
main (int    argc,
      char **argv)
{
  g_setenv ("VITRINE_NO_CACHE", "1", TRUE);
  g_setenv ("LC_ALL", "C", TRUE);
  g_test_init (&argc, &argv, NULL);
  g_assert_cmpint (argc, ==, 2);
  trace_path = argv[1];
  g_test_add_func ("/documents/threads", test_threads);
  g_test_add_func ("/documents/threads-cut-off", test_threads_cut_off);
  g_test_add_func ("/documents/open", test_open);
  g_test_add_func ("/documents/close", test_close);
  return g_test_run ();
}
