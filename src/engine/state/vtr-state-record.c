/* Creates, copies and frees the records of a state, which states share. */
#include "engine/state/vtr-state-record.h"

/* NULL: the API has none, so its objects never change. */
static const VtrStateApi *
get_api (guint32 type)
{
  const VtrApi *api = vtr_api_get (type & 0xffff);

  return api != NULL && api->state != NULL && api->state->record_size != NULL ? api->state : NULL;
}

static gsize
get_size (guint32 type)
{
  const VtrStateApi *api = get_api (type);

  return api != NULL ? MAX (api->record_size (type), sizeof (VtrStateRecord))
                     : sizeof (VtrStateRecord);
}

static VtrStateRecord *
record_new (guint32 type)
{
  VtrStateRecord *self = g_malloc0 (get_size (type));

  g_atomic_ref_count_init (&self->refs);
  self->type = type;
  return self;
}

VtrStateRecord *
vtr_state_record_new (gpointer         shared,
                      const VtrObject *object)
{
  const VtrStateApi *api = get_api (object->type);
  VtrStateRecord *self = record_new (object->type);

  if (api != NULL && api->record_fill != NULL)
    api->record_fill (shared, object, self);
  return self;
}

VtrStateRecord *
vtr_state_record_new_own (guint32 id)
{
  return record_new (VTR_RECORD_OWN (id));
}

VtrStateRecord *
vtr_state_record_copy (const VtrStateRecord *self)
{
  const VtrStateApi *api = get_api (self->type);
  VtrStateRecord *copy = g_memdup2 (self, get_size (self->type));

  g_atomic_ref_count_init (&copy->refs);
  if (api != NULL && api->record_deepen != NULL)
    api->record_deepen (copy);
  return copy;
}

VtrStateRecord *
vtr_state_record_ref (VtrStateRecord *self)
{
  g_atomic_ref_count_inc (&self->refs);
  return self;
}

void
vtr_state_record_unref (VtrStateRecord *self)
{
  const VtrStateApi *api;

  if (!g_atomic_ref_count_dec (&self->refs))
    return;

  api = get_api (self->type);
  if (api != NULL && api->record_clear != NULL)
    api->record_clear (self);
  g_free (self);
}

gsize
vtr_state_record_measure (const VtrStateRecord *self)
{
  const VtrStateApi *api = get_api (self->type);

  return get_size (self->type) +
         (api != NULL && api->record_measure != NULL ? api->record_measure (self) : 0);
}
