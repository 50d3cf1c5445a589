/* The states of a document: made on first use, then gone through in the background. */
#include "engine/document/vtr-document-private.h"

#include "engine/answers/vtr-resolve.h"
#include "engine/state/vtr-bound-json.h"
#include "engine/vulkan/state/vtr-state-view.h"

VtrStateStore *
vtr_document_get_state_store (VtrDocument *self)
{
  return vtr_analysis_get_states (self->analysis);
}

JsonNode *
vtr_resolve_state (VtrDocument     *document,
                   const VtrPlace  *address,
                   char           **steps,
                   GCancellable    *cancellable,
                   GError         **error)
{
  g_autoptr (VtrApiState) state = NULL;
  g_autoptr (VtrStateView) view = NULL;

  /* What is bound needs no other state. */
  if (g_strcmp0 (steps[0], "bound") == 0)
    {
      JsonNode *bound = vtr_bound_to_json (vtr_document_get_analysis (document), address, error);

      return bound != NULL ? vtr_json_walk (bound, steps + 1, "state/bound", error) : NULL;
    }
  state = vtr_state_store_get (vtr_document_get_state_store (document), address->index,
                               address->run, cancellable, error);
  if (state == NULL)
    return NULL;
  view = vtr_state_view_new (vtr_document_get_analysis (document), state);
  return vtr_state_view_resolve (view, steps, cancellable, error);
}
