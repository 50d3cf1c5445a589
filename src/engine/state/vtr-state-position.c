/* Compares two positions of a state, and lists the runs on the way to one. */
#include "engine/state/vtr-state-position.h"

void
vtr_run_chain_init (VtrRunChain            *self,
                    VtrTimeline            *timeline,
                    const VtrStatePosition *position)
{
  guint32 run = position->run;
  guint64 command = position->command;

  self->n = 0;
  while (run != VTR_NO_RUN && self->n < VTR_MAX_LEVELS)
    {
      const VtrRun *at = vtr_timeline_get_run (timeline, run);

      self->levels[self->n].run = run;
      self->levels[self->n].command = command;
      self->n++;
      command = at->executed_by;
      run = at->parent;
    }
  for (guint i = 0; i < self->n / 2; i++)
    {
      typeof (self->levels[0]) swapped = self->levels[i];

      self->levels[i] = self->levels[self->n - 1 - i];
      self->levels[self->n - 1 - i] = swapped;
    }
}

static int
compare_numbers (guint64 a,
                 guint64 b)
{
  return a < b ? -1 : a > b;
}

int
vtr_state_position_compare (VtrTimeline            *timeline,
                            const VtrStatePosition *a,
                            const VtrStatePosition *b)
{
  VtrRunChain left, right;

  /* VTR_COMMAND_NO_INDEX + 1 is 0: before the first command. */
  if (a->index != b->index)
    return compare_numbers (a->index + 1, b->index + 1);
  if (a->run == VTR_NO_RUN || b->run == VTR_NO_RUN)
    return (a->run == VTR_NO_RUN) - (b->run == VTR_NO_RUN);

  vtr_run_chain_init (&left, timeline, a);
  vtr_run_chain_init (&right, timeline, b);
  for (guint i = 0; i < MIN (left.n, right.n); i++)
    {
      int order = compare_numbers (left.levels[i].run, right.levels[i].run);

      if (order == 0)
        order = compare_numbers (left.levels[i].command + 1, right.levels[i].command + 1);
      if (order != 0)
        return order;
    }
  /* Inside of what a command runs is before its end. */
  return (int)right.n - (int)left.n;
}
