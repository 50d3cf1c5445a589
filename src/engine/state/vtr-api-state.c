/* Stores a state as pages of records, which states share until one of them changes a page. */
#include "engine/state/vtr-state-shared.h"

#include <string.h>

/* --- Shared --- */

static int
compare_ends (gconstpointer a,
              gconstpointer b,
              gpointer      data)
{
  const VtrObject *left = vtr_history_get_object (data, *(const guint32 *)a);
  const VtrObject *right = vtr_history_get_object (data, *(const guint32 *)b);

  if (left->destroyed != right->destroyed)
    return left->destroyed < right->destroyed ? -1 : 1;
  return left->id < right->id ? -1 : left->id > right->id;
}

static void
fill_children (VtrStateShared *self)
{
  guint32 n = self->n_objects;
  g_autofree guint32 *fill = NULL;

  self->children_start = g_new0 (guint32, (gsize)n + 2);
  self->children = g_new (guint32, MAX (n, 1));
  for (guint32 id = 1; id <= n; id++)
    self->children_start[vtr_history_get_object (self->history, id)->parent + 1]++;
  for (guint32 i = 0; i <= n; i++)
    self->children_start[i + 1] += self->children_start[i];
  fill = g_memdup2 (self->children_start, sizeof (guint32) * ((gsize)n + 2));
  for (guint32 id = 1; id <= n; id++)
    self->children[fill[vtr_history_get_object (self->history, id)->parent]++] = id;
}

VtrStateShared *
vtr_state_shared_new (VtrTimeline *timeline,
                      VtrHistory  *history)
{
  VtrStateShared *self = g_new0 (VtrStateShared, 1);

  g_atomic_ref_count_init (&self->refs);
  self->timeline = vtr_timeline_ref (timeline);
  self->history = vtr_history_ref (history);
  self->n_objects = vtr_history_get_n_objects (history);
  fill_children (self);
  self->ends = g_new (guint32, MAX (self->n_objects, 1));
  for (guint32 id = 1; id <= self->n_objects; id++)
    if (vtr_history_get_object (history, id)->destroyed != VTR_COMMAND_NO_INDEX)
      self->ends[self->n_ends++] = id;
  if (self->n_ends > 1)
    g_qsort_with_data (self->ends, (gint)self->n_ends, sizeof (guint32), compare_ends, history);
  for (guint i = 0; vtr_apis[i] != NULL; i++)
    if (vtr_apis[i]->state != NULL && vtr_apis[i]->state->shared_new != NULL)
      self->parts[i] = vtr_apis[i]->state->shared_new (self);
  return self;
}

VtrStateShared *
vtr_state_shared_ref (VtrStateShared *self)
{
  g_atomic_ref_count_inc (&self->refs);
  return self;
}

void
vtr_state_shared_unref (VtrStateShared *self)
{
  if (!g_atomic_ref_count_dec (&self->refs))
    return;
  for (guint i = 0; i < VTR_MAX_APIS; i++)
    if (self->parts[i] != NULL)
      vtr_apis[i]->state->shared_free (self->parts[i]);
  vtr_history_unref (self->history);
  vtr_timeline_unref (self->timeline);
  g_free (self->children_start);
  g_free (self->children);
  g_free (self->ends);
  g_free (self);
}

const guint32 *
vtr_state_shared_get_children (VtrStateShared *self,
                               guint32         id,
                               guint32        *n)
{
  *n = 0;
  if (id > self->n_objects)
    return NULL;
  *n = self->children_start[id + 1] - self->children_start[id];
  return self->children + self->children_start[id];
}

/* --- Pages --- */

static VtrStatePage *
page_copy (VtrStatePage *self)
{
  VtrStatePage *copy = g_memdup2 (self, sizeof *self);

  g_atomic_ref_count_init (&copy->refs);
  for (guint i = 0; i < VTR_RECORDS_PER_PAGE; i++)
    if (copy->records[i] != NULL)
      vtr_state_record_ref (copy->records[i]);
  return copy;
}

static void
page_unref (VtrStatePage *self)
{
  if (!g_atomic_ref_count_dec (&self->refs))
    return;
  for (guint i = 0; i < VTR_RECORDS_PER_PAGE; i++)
    if (self->records[i] != NULL)
      vtr_state_record_unref (self->records[i]);
  g_free (self);
}

VtrApiState *
vtr_api_state_new (VtrStateShared *shared)
{
  VtrApiState *self = g_new0 (VtrApiState, 1);

  g_atomic_ref_count_init (&self->refs);
  self->shared = vtr_state_shared_ref (shared);
  self->timeline = shared->timeline;
  self->history = shared->history;
  self->index = VTR_COMMAND_NO_INDEX;
  self->run = VTR_NO_RUN;
  self->n_pages = (shared->n_objects + VTR_MAX_APIS) / VTR_RECORDS_PER_PAGE + 1;
  self->pages = g_new0 (VtrStatePage *, self->n_pages);
  return self;
}

VtrApiState *
vtr_api_state_copy (VtrApiState *self)
{
  VtrApiState *copy = g_memdup2 (self, sizeof *self);

  g_atomic_ref_count_init (&copy->refs);
  vtr_state_shared_ref (copy->shared);
  copy->pages = g_memdup2 (self->pages, self->n_pages * sizeof *self->pages);
  for (guint32 i = 0; i < copy->n_pages; i++)
    if (copy->pages[i] != NULL)
      g_atomic_ref_count_inc (&copy->pages[i]->refs);
  copy->previous = NULL;
  return copy;
}

VtrApiState *
vtr_api_state_ref (VtrApiState *self)
{
  g_atomic_ref_count_inc (&self->refs);
  return self;
}

void
vtr_api_state_unref (VtrApiState *self)
{
  if (!g_atomic_ref_count_dec (&self->refs))
    return;
  for (guint32 i = 0; i < self->n_pages; i++)
    if (self->pages[i] != NULL)
      page_unref (self->pages[i]);
  g_free (self->pages);
  g_clear_pointer (&self->previous, vtr_api_state_unref);
  vtr_state_shared_unref (self->shared);
  g_free (self);
}

const VtrStateRecord *
vtr_api_state_peek (VtrApiState *self,
                    guint32      id)
{
  const VtrStatePage *page;

  if (id == 0 || id > self->shared->n_objects)
    return NULL;
  page = self->pages[id / VTR_RECORDS_PER_PAGE];
  return page != NULL ? page->records[id % VTR_RECORDS_PER_PAGE] : NULL;
}

/* The page of @id, this state's own. */
static VtrStatePage *
own_page (VtrApiState *self,
          guint32      id)
{
  VtrStatePage **slot = &self->pages[id / VTR_RECORDS_PER_PAGE];

  if (*slot == NULL)
    {
      *slot = g_new0 (VtrStatePage, 1);
      g_atomic_ref_count_init (&(*slot)->refs);
    }
  else if (!g_atomic_ref_count_compare (&(*slot)->refs, 1))
    {
      VtrStatePage *copy = page_copy (*slot);

      page_unref (*slot);
      *slot = copy;
    }
  return *slot;
}

/* The slot of @id, whose record is this state's own or NULL. */
static inline VtrStateRecord **
own_slot (VtrApiState *self,
          guint32      id)
{
  VtrStateRecord **slot = &own_page (self, id)->records[id % VTR_RECORDS_PER_PAGE];

  if (*slot != NULL && !g_atomic_ref_count_compare (&(*slot)->refs, 1))
    {
      VtrStateRecord *copy = vtr_state_record_copy (*slot);

      vtr_state_record_unref (*slot);
      *slot = copy;
    }
  return slot;
}

gpointer
vtr_api_state_edit (VtrApiState *self,
                    guint32      id)
{
  VtrStateRecord **slot;

  if (id == 0 || id > self->shared->n_objects)
    return NULL;

  slot = own_slot (self, id);
  if (*slot == NULL)
    {
      const VtrObject *object = vtr_history_get_object (self->history, id);

      *slot = vtr_state_record_new (vtr_state_shared_get_part (self->shared, object->type), object);
    }
  return *slot;
}

gpointer
vtr_api_state_edit_own (VtrApiState *self,
                        guint32      id)
{
  VtrStateRecord **slot = own_slot (self, vtr_api_state_get_own (self, id));

  if (*slot == NULL)
    *slot = vtr_state_record_new_own (id);
  return *slot;
}

void
vtr_api_state_drop (VtrApiState *self,
                    guint32      id)
{
  VtrStatePage *page;

  if (vtr_api_state_peek (self, id) == NULL)
    return;
  page = own_page (self, id);
  g_clear_pointer (&page->records[id % VTR_RECORDS_PER_PAGE], vtr_state_record_unref);
}

gsize
vtr_api_state_measure (VtrApiState *self,
                       VtrApiState *before)
{
  gsize size = sizeof *self + self->n_pages * sizeof *self->pages;

  for (guint32 i = 0; i < self->n_pages; i++)
    {
      const VtrStatePage *page = self->pages[i];
      const VtrStatePage *other = before != NULL ? before->pages[i] : NULL;

      if (page == NULL || page == other)
        continue;
      size += sizeof *page;
      for (guint k = 0; k < VTR_RECORDS_PER_PAGE; k++)
        if (page->records[k] != NULL && (other == NULL || page->records[k] != other->records[k]))
          size += vtr_state_record_measure (page->records[k]);
    }
  return size;
}

/* --- Questions --- */

guint64
vtr_api_state_get_index (VtrApiState *self)
{
  return self->index;
}

guint32
vtr_api_state_get_run (VtrApiState *self)
{
  return self->run;
}

VtrHistory *
vtr_api_state_get_history (VtrApiState *self)
{
  return self->history;
}

VtrTimeline *
vtr_api_state_get_timeline (VtrApiState *self)
{
  return self->timeline;
}

guint64
vtr_api_state_get_host_index (VtrApiState *self)
{
  return self->run != VTR_NO_RUN ? vtr_timeline_get_run (self->timeline, self->run)->submit
                                 : self->index;
}

gboolean
vtr_api_state_is_alive (VtrApiState *self,
                        guint32      id)
{
  guint64 index = vtr_api_state_get_host_index (self);
  const VtrObject *object;

  if (id == 0 || id > self->shared->n_objects || self->index == VTR_COMMAND_NO_INDEX)
    return FALSE;
  object = vtr_history_get_object (self->history, id);
  return object->created <= index &&
         (object->destroyed == VTR_COMMAND_NO_INDEX || object->destroyed > index);
}

gboolean
vtr_api_state_is_changed (VtrApiState *self,
                          guint32      id)
{
  const VtrObject *object;

  if (id == 0 || id > self->shared->n_objects)
    return FALSE;
  object = vtr_history_get_object (self->history, id);
  if (object->created == self->index)
    return TRUE;
  return self->previous != NULL &&
         vtr_api_state_peek (self, id) != vtr_api_state_peek (self->previous, id);
}
