/* Finds and searches nodes in the tree of a state. */
#include "engine/model/vtr-state-node-private.h"

#include "engine/jobs/vtr-scheduler.h"
#include "engine/state/vtr-path.h"
#include "engine/state/vtr-state-store.h"
#include "engine/state/vtr-resolve-error.h"

#include <glib/gi18n.h>
#include <string.h>

VtrStateNode *
vtr_state_node_new (VtrAnalysis   *analysis,
                    const char    *path,
                    GCancellable  *cancellable,
                    GError       **error)
{
  g_auto (GStrv) steps = vtr_path_split (path);
  g_autoptr (VtrApiState) state = NULL;
  g_autoptr (VtrStateView) view = NULL, before = NULL;
  g_autoptr (VtrStateNode) root = NULL, node = NULL;
  g_autofree char *below = NULL, *whole = NULL;
  VtrPlace address;

  if (!vtr_path_parse_command_steps (vtr_analysis_get_timeline (analysis), steps, &address,
                                     error))
    return NULL;
  state = vtr_state_store_get (vtr_analysis_get_states (analysis), address.index, address.run,
                               cancellable, error);
  if (state == NULL)
    return NULL;
  view = vtr_state_view_new (analysis, state);
  before = vtr_state_view_new_before (analysis, state);
  root = vtr_state_node_new_root (analysis, view, before);
  if (steps[2] == NULL || strcmp (steps[2], "state") != 0 || steps[3] == NULL)
    return g_steal_pointer (&root);

  below = g_strjoinv ("/", steps + 3);
  whole = g_strdup_printf ("%s/%s", vtr_state_view_get_path (view), below);
  node = vtr_state_node_find (root, whole);
  if (strcmp (vtr_state_node_get_path (node), whole) == 0)
    return g_steal_pointer (&node);
  g_set_error (error, VTR_RESOLVE_ERROR, VTR_RESOLVE_ERROR_PATH,
               _ ("There is no “%s” in the state at this command."), below);
  return NULL;
}

typedef struct
{
  VtrAnalysis *analysis;
  char *path;
} VtrStateQuestion;

static void
question_free (gpointer data)
{
  VtrStateQuestion *self = data;

  vtr_analysis_unref (self->analysis);
  g_free (self->path);
  g_free (self);
}

static void
run_get (gpointer data,
         gpointer pool)
{
  GTask *task = data;
  VtrStateQuestion *question = g_task_get_task_data (task);
  GError *error = NULL;
  VtrStateNode *node = vtr_state_node_new (question->analysis, question->path,
                                           g_task_get_cancellable (task), &error);

  if (node != NULL)
    g_task_return_pointer (task, node, g_object_unref);
  else
    g_task_return_error (task, error);
  vtr_scheduler_release_task (task);
}

void
vtr_state_node_new_async (VtrAnalysis         *analysis,
                          const char          *path,
                          GCancellable        *cancellable,
                          GAsyncReadyCallback  callback,
                          gpointer             data)
{
  GTask *task = g_task_new (NULL, cancellable, callback, data);
  VtrStateQuestion *question = g_new (VtrStateQuestion, 1);

  g_task_set_source_tag (task, vtr_state_node_new_async);
  question->analysis = vtr_analysis_ref (analysis);
  question->path = g_strdup (path);
  g_task_set_task_data (task, question, question_free);
  vtr_scheduler_push (vtr_scheduler_get_resolve (), VTR_PRIORITY_INTERACTIVE, run_get, task);
}

VtrStateNode *
vtr_state_node_new_finish (GAsyncResult  *result,
                           GError       **error)
{
  g_return_val_if_fail (g_async_result_is_tagged (result, vtr_state_node_new_async), NULL);

  return g_task_propagate_pointer (G_TASK (result), error);
}

/* --- Search --- */

typedef struct
{
  char *text; /* case-folded */
  guint limit;
  GCancellable *cancellable;
  GStrvBuilder *found;
  guint n;
} VtrStateSearch;

static void
search_free (gpointer data)
{
  VtrStateSearch *self = data;

  g_free (self->text);
  g_strv_builder_unref (self->found);
  g_free (self);
}

static gboolean
contains (const VtrStateSearch *self,
          const char           *text)
{
  g_autofree char *folded = NULL;

  if (text == NULL || text[0] == '\0')
    return FALSE;
  folded = g_utf8_casefold (text, -1);
  return strstr (folded, self->text) != NULL;
}

/* A node of its own for every row: those of the window belong to the main thread. */
static void
search_below (VtrStateSearch *self,
              VtrStateNode   *node)
{
  GListModel *children = vtr_state_node_get_children (node);
  guint n = children != NULL ? g_list_model_get_n_items (children) : 0;

  for (guint i = 0; i < n && self->n < self->limit; i++)
    {
      g_autoptr (VtrStateNode) child = g_list_model_get_item (children, i);

      if (g_cancellable_is_cancelled (self->cancellable))
        return;
      if (contains (self, vtr_state_node_get_name (child)) ||
          contains (self, vtr_state_node_get_value (child)) ||
          contains (self, vtr_state_node_get_full_value (child)))
        {
          g_strv_builder_add (self->found, vtr_state_node_get_path (child));
          self->n++;
        }
      search_below (self, child);
      vtr_state_node_fold (child);
    }
}

static void
run_search (gpointer data,
            gpointer pool)
{
  GTask *task = data;
  VtrStateSearch *search = g_task_get_task_data (task);
  VtrStateNode *root = g_task_get_source_object (task);
  g_autoptr (VtrStateNode) copy = vtr_state_node_copy (root);
  GError *error = NULL;

  search->cancellable = g_task_get_cancellable (task);
  search_below (search, copy);
  g_clear_object (&copy);
  if (g_cancellable_set_error_if_cancelled (search->cancellable, &error))
    g_task_return_error (task, error);
  else
    g_task_return_pointer (task, g_strv_builder_end (search->found), (GDestroyNotify)g_strfreev);
  vtr_scheduler_release_task (task);
}

void
vtr_state_node_search_async (VtrStateNode        *root,
                             const char          *text,
                             guint                limit,
                             GCancellable        *cancellable,
                             GAsyncReadyCallback  callback,
                             gpointer             data)
{
  GTask *task = g_task_new (root, cancellable, callback, data);
  VtrStateSearch *search = g_new0 (VtrStateSearch, 1);

  g_task_set_source_tag (task, vtr_state_node_search_async);
  search->text = g_utf8_casefold (text, -1);
  search->limit = limit;
  search->found = g_strv_builder_new ();
  g_task_set_task_data (task, search, search_free);
  vtr_scheduler_push (vtr_scheduler_get_resolve (), VTR_PRIORITY_INTERACTIVE, run_search, task);
}

GStrv
vtr_state_node_search_finish (GAsyncResult  *result,
                              GError       **error)
{
  g_return_val_if_fail (g_async_result_is_tagged (result, vtr_state_node_search_async), NULL);

  return g_task_propagate_pointer (G_TASK (result), error);
}
