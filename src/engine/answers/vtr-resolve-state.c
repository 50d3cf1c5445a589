/* Answers commands/N/state: the state of the API after a command. */
#include "engine/answers/vtr-resolve.h"

#include "engine/state/vtr-bound-json.h"

JsonNode *
vtr_resolve_state (VtrAnswers      *answers,
                   const VtrPlace  *address,
                   char           **steps,
                   GCancellable    *cancellable,
                   GError         **error)
{
  /* Bound state needs no other state. */
  if (g_strcmp0 (steps[0], "bound") == 0)
    {
      JsonNode *bound = vtr_bound_to_json (answers->analysis, address, error);

      return bound != NULL ? vtr_json_walk (bound, steps + 1, "state/bound", error) : NULL;
    }
  return vtr_state_to_json (answers->analysis, address, steps, cancellable, error);
}
