/* Asks a trace for many pictures in random order, from a kept state and from the beginning of the
 * trace, and compares them byte for byte.
 *
 *   check-split TRACE [PICTURES [SEED [FIRST [COUNT]]]] */
#include "engine/document/vtr-document.h"

#include <string.h>

typedef struct
{
  guint64 index;
  VtrAttachmentKind kind;
  char *fresh; /* checksum, or the error */
  gint64 fresh_time;
} Question;

static char *
ask (VtrDocument    *document,
     const Question *question,
     gint64         *microseconds)
{
  gint64 start = g_get_monotonic_time ();
  g_autoptr (GError) error = NULL;
  g_autoptr (VtrImage) image =
    vtr_document_get_framebuffer (document, question->index, question->kind, NULL, &error);

  *microseconds = g_get_monotonic_time () - start;
  if (image == NULL)
    return g_strdup (error->message);
  return g_compute_checksum_for_bytes (G_CHECKSUM_SHA1, image->texels);
}

static VtrDocument *
open_trace (const char *path)
{
  g_autoptr (GError) error = NULL;
  VtrDocument *document = vtr_document_open (path, NULL, NULL, NULL, &error);

  if (document == NULL)
    g_error ("%s", error->message);
  return document;
}

static void
question_clear (gpointer data)
{
  g_free (((Question *)data)->fresh);
}

/* Every attachment of @n commands, drawn among those that have any. */
static GArray *
choose (VtrDocument *document,
        guint        n,
        GRand       *rand,
        guint64      first,
        guint64      total)
{
  GArray *questions = g_array_new (FALSE, TRUE, sizeof (Question));

  g_array_set_clear_func (questions, question_clear);
  for (guint tries = 0; questions->len < n && tries < 50 * n; tries++)
    {
      guint64 index = first + (guint64)(g_rand_double (rand) * (double)total);
      g_autoptr (GArray) list = vtr_document_list_attachments (document, index, NULL);

      for (guint i = 0; list != NULL && i < list->len; i++)
        {
          Question question = { index, g_array_index (list, VtrTarget, i).kind, NULL, 0 };
          gboolean known = FALSE;

          for (guint j = 0; !known && j < questions->len; j++)
            known = g_array_index (questions, Question, j).index == index &&
                    g_array_index (questions, Question, j).kind == question.kind;
          if (!known)
            g_array_append_val (questions, question);
        }
    }
  return questions;
}

static void
shuffle (GArray *questions,
         GRand  *rand)
{
  for (guint i = questions->len; i > 1; i--)
    {
      guint j = (guint)g_rand_int_range (rand, 0, (gint32)i);
      Question swap = g_array_index (questions, Question, i - 1);

      g_array_index (questions, Question, i - 1) = g_array_index (questions, Question, j);
      g_array_index (questions, Question, j) = swap;
    }
}

int
main (int   argc,
      char *argv[])
{
  guint n = argc > 2 ? (guint)g_ascii_strtoull (argv[2], NULL, 10) : 100;
  guint32 seed = argc > 3 ? (guint32)g_ascii_strtoull (argv[3], NULL, 10) : 1;
  g_autoptr (GRand) rand = g_rand_new_with_seed (seed);
  gint64 fresh_time = 0, kept_time = 0, worst = 0;
  guint n_different = 0, n_images = 0;
  g_autoptr (GArray) questions = NULL;
  VtrDocument *document;
  guint64 first, total;

  if (argc < 2)
    return 2;
  g_setenv ("VITRINE_NO_CACHE", "1", TRUE);
  g_setenv ("VITRINE_REPLAY_SPLIT", "0", TRUE);
  document = open_trace (argv[1]);
  total = vtr_trace_get_n_commands (vtr_document_get_trace (document));
  first = argc > 4 ? MIN (total, g_ascii_strtoull (argv[4], NULL, 10)) : 0;
  total = argc > 5 ? MIN (total - first, g_ascii_strtoull (argv[5], NULL, 10)) : total - first;
  questions = choose (document, n, rand, first, total);
  for (guint i = 0; i < questions->len; i++)
    {
      Question *question = &g_array_index (questions, Question, i);

      question->fresh = ask (document, question, &question->fresh_time);
      fresh_time += question->fresh_time;
    }
  g_object_unref (document);

  g_unsetenv ("VITRINE_REPLAY_SPLIT");
  shuffle (questions, rand);
  document = open_trace (argv[1]);
  for (guint i = 0; i < questions->len; i++)
    {
      const Question *question = &g_array_index (questions, Question, i);
      gint64 microseconds;
      g_autofree char *kept = ask (document, question, &microseconds);

      kept_time += microseconds;
      g_debug ("command %" G_GUINT64_FORMAT ": %.3f ms, from the beginning %.3f ms",
               question->index, (double)microseconds / 1000,
               (double)question->fresh_time / 1000);
      worst = MAX (worst, microseconds);
      n_images += strlen (kept) == 40;
      if (g_strcmp0 (kept, question->fresh) == 0)
        continue;
      n_different++;
      g_print ("command %" G_GUINT64_FORMAT " attachment %d: %s instead of %s\n", question->index,
               (int)question->kind, kept, question->fresh);
    }
  g_object_unref (document);
  g_print ("{\"asked\": %u, \"images\": %u, \"different\": %u, \"fresh_ms\": %.3f, "
           "\"kept_ms\": %.3f, \"worst_ms\": %.3f}\n",
           questions->len, n_images, n_different,
           (double)fresh_time / 1000 / MAX (1, questions->len),
           (double)kept_time / 1000 / MAX (1, questions->len), (double)worst / 1000);
  return n_different > 0;
}
