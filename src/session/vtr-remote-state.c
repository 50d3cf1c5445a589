/* Publishes the selection, the edits and the progress of a measurement as action states that
 * scripts read over D-Bus. */
#include "vtr-config.h"

#include "session/vtr-remote-state.h"

void
vtr_remote_state_set (GtkApplication *application, const char *name, const char *text)
{
  GAction *action = g_action_map_lookup_action (G_ACTION_MAP (application), name);

  if (action != NULL)
    g_simple_action_set_state (G_SIMPLE_ACTION (action), g_variant_new_string (text ? text : ""));
}
