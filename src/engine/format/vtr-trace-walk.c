/* Decodes the wanted commands of a trace one after the other, for passes over all of it. */
#include "engine/format/vtr-trace-walk.h"

gboolean
vtr_trace_walk (VtrTrace       *self,
                VtrTraceWants   wants,
                VtrTraceVisit   visit,
                gpointer        data,
                GCancellable   *cancellable,
                GError        **error)
{
  guint64 n = vtr_trace_get_n_commands (self);
  gboolean ok = TRUE;
  VtrArena arena;

  vtr_arena_init (&arena);
  for (guint64 i = 0; ok && i < n; i++)
    {
      VtrCommand command;

      ok = vtr_trace_walk_goes_on (i, n, NULL, NULL, cancellable, error);
      if (!ok || !wants (i, vtr_trace_get_command_id (self, i), data))
        continue;
      vtr_arena_reset (&arena);
      ok = vtr_trace_decode (self, i, &arena, &command, error);
      if (ok && command.args != NULL)
        visit (&command, data);
    }
  vtr_arena_finish (&arena);
  return ok;
}
