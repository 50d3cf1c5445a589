/* Answers paths as JSON: keeps finished answers, and computes new ones on worker threads. */
#include "engine/answers/vtr-answers-private.h"

#include "engine/answers/vtr-resolve.h"

/* Bytes of JSON kept, in each of the two memos. */
#define JSON_CACHE (16 << 20)

static VtrMemo *
make_memo (VtrScheduler *pool)
{
  return vtr_memo_new (pool, (gpointer (*) (gpointer))json_node_ref,
                       (GDestroyNotify)json_node_unref, JSON_CACHE);
}

VtrAnswers *
vtr_answers_new (VtrAnalysis      *analysis,
                 VtrReplaySession *session,
                 VtrTraceLists    *lists)
{
  VtrAnswers *self = g_new0 (VtrAnswers, 1);

  self->analysis = vtr_analysis_ref (analysis);
  self->session = session;
  self->lists = lists;
  self->json = make_memo (vtr_scheduler_get_resolve ());
  self->surveys = make_memo (vtr_scheduler_get_io ());
  return self;
}

void
vtr_answers_free (VtrAnswers *self)
{
  vtr_memo_free (self->json);
  vtr_memo_free (self->surveys);
  vtr_analysis_unref (self->analysis);
  g_free (self);
}

/* A question under way. The memo belongs to the answers, so these are borrowed. */
typedef struct
{
  VtrAnswers *answers;
  char *path;
} VtrQuestion;

static VtrQuestion *
vtr_question_new (VtrAnswers *answers, const char *path)
{
  VtrQuestion *self = g_new0 (VtrQuestion, 1);
  g_auto (GStrv) steps = vtr_path_split (path);

  self->answers = answers;
  self->path = g_strjoinv ("/", steps);
  return self;
}

static void
vtr_question_free (gpointer data)
{
  VtrQuestion *self = data;

  g_free (self->path);
  g_free (self);
}

/* Two answers to one question: a replay may have found in between that it has to guess addresses.
 */
static char *
vtr_question_key (const VtrQuestion *self)
{
  gboolean guesses = g_str_equal (self->path, "compatibility") &&
                     vtr_replay_session_guesses_addresses (self->answers->session);

  return g_strconcat (self->path, guesses ? "?guessed" : NULL, NULL);
}

static gpointer
answer_question (gpointer data, GCancellable *cancellable, gsize *cost, GError **error)
{
  VtrQuestion *question = data;
  JsonNode *node =
    vtr_resolve_path (question->answers, question->path, cancellable, cost, error);

  if (node != NULL)
    json_node_seal (node);
  return node;
}

/* The report of a long trace takes seconds. What a selection shows does not wait for it: the
 * resolve pool has a single thread on a machine of two processors. */
static VtrMemo *
choose_memo (VtrAnswers *self, const char *path)
{
  return g_str_has_prefix (path, "report") ? self->surveys : self->json;
}

JsonNode *
vtr_answers_get (VtrAnswers *self, const char *path, GCancellable *cancellable, GError **error)
{
  VtrMemo *memo = choose_memo (self, path);
  VtrQuestion *question = vtr_question_new (self, path);
  g_autofree char *key = vtr_question_key (question);

  return vtr_memo_get (memo, key, VTR_PRIORITY_INTERACTIVE, answer_question, question,
                       vtr_question_free, cancellable, error);
}

void
vtr_answers_get_async (VtrAnswers          *self,
                       gpointer             source,
                       const char          *path,
                       GCancellable        *cancellable,
                       GAsyncReadyCallback  callback,
                       gpointer             data)
{
  VtrMemo *memo = choose_memo (self, path);
  VtrQuestion *question = vtr_question_new (self, path);
  g_autofree char *key = vtr_question_key (question);

  vtr_memo_get_async (memo, key, VTR_PRIORITY_INTERACTIVE, answer_question, question,
                      vtr_question_free, source, cancellable, callback, data);
}

JsonNode *
vtr_answers_get_finish (GAsyncResult *result, GError **error)
{
  return vtr_memo_get_finish (result, error);
}
