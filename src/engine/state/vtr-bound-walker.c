/* Finds the bound state at a command with the help of its API. */
#include "engine/state/vtr-bound-walker.h"

#include "engine/api/vtr-state-api.h"

struct _VtrBoundWalker
{
  VtrTimeline *timeline;
  VtrHistory *history;
  gpointer parts[VTR_MAX_APIS];
};

VtrBoundWalker *
vtr_bound_walker_new (VtrTimeline *timeline,
                      VtrHistory  *history)
{
  VtrBoundWalker *self = g_new0 (VtrBoundWalker, 1);

  self->timeline = vtr_timeline_ref (timeline);
  self->history = vtr_history_ref (history);
  for (guint i = 0; vtr_apis[i] != NULL; i++)
    if (vtr_apis[i]->state != NULL && vtr_apis[i]->state->walker_new != NULL)
      self->parts[i] = vtr_apis[i]->state->walker_new (timeline, history);
  return self;
}

void
vtr_bound_walker_free (VtrBoundWalker *self)
{
  for (guint i = 0; i < VTR_MAX_APIS; i++)
    if (self->parts[i] != NULL)
      vtr_apis[i]->state->walker_free (self->parts[i]);
  vtr_timeline_unref (self->timeline);
  vtr_history_unref (self->history);
  g_free (self);
}

VtrTimeline *
vtr_bound_walker_get_timeline (VtrBoundWalker *self)
{
  return self->timeline;
}

gpointer
vtr_bound_walker_get_part (VtrBoundWalker *self,
                           guint32         id)
{
  const guint api = vtr_api_get_number (id);

  return api < VTR_MAX_APIS ? self->parts[api] : NULL;
}
