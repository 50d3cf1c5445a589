/* Makes the tiny API's rows in the command tree: consecutive commands of one context. It has no
 * command lists. */
#include "vtr-tiny-scopes.h"

#include "engine/state/vtr-analysis.h"
#include "engine/state/vtr-history.h"
#include "engine/state/vtr-scope-tree.h"
#include "engine/state/vtr-tree-node.h"

#include "api/vtr-api-ids.h"

static void
nest_frame (VtrScopeBuilder *builder,
            guint64          index,
            VtrCmdId         id)
{
  VtrTrace *trace = vtr_timeline_get_trace (vtr_scope_builder_get_timeline (builder));
  const VtrNamespaceInfo *names = vtr_trace_get_namespace (trace, index);
  const gboolean in_context = names != NULL && names->scope == VTR_NAMES_IN_CONTEXT;
  const guint64 number = in_context ? names->number : 0;
  const gboolean inside = vtr_scope_builder_has_open (builder, VTR_NODE_SCOPE);

  if (inside && number == vtr_scope_builder_get_word (builder))
    return;
  vtr_scope_builder_close_before (builder, VTR_NODE_SCOPE);
  if (number != 0)
    vtr_scope_builder_open (builder, VTR_NODE_SCOPE, VTR_COMMAND_KIND_GROUP, FALSE, FALSE);
  vtr_scope_builder_set_word (builder, number);
}

static char *
get_text (VtrAnalysis       *analysis,
          const VtrTreeNode *node)
{
  VtrHistory *history = vtr_analysis_get_history (analysis);
  const VtrNamespaceInfo *names =
    vtr_trace_get_namespace (vtr_analysis_get_trace (analysis), node->first);
  const VtrObject *context =
    names != NULL
      ? vtr_history_find_name (history, VTR_HANDLE_TnContext, names->name, node->first)
      : NULL;

  return context != NULL ? vtr_history_describe (history, context) : NULL;
}

const VtrScopeApi vtr_tiny_scopes = {
  .list_kind = VTR_HANDLE_NONE,
  .executor_kind = VTR_HANDLE_NONE,
  .nest_frame = nest_frame,
  .get_text = get_text,
};
