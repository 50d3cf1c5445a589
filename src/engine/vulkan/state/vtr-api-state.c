/* VtrApiState: a table of records in pages that states share until one changes them. */
#include "engine/vulkan/state/vtr-api-state-private.h"
#include "engine/vulkan/state/vtr-work.h"

#include <stdlib.h>
#include <string.h>

/* How far back the last draw is looked for. */
#define MAX_LOOK_BACK 4000000

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
  self->facts = vtr_state_facts_new (history);
  g_mutex_init (&self->uses_lock);
  self->uses = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify)g_array_unref);
  self->n_objects = vtr_history_get_n_objects (history);
  fill_children (self);
  self->ends = g_new (guint32, MAX (self->n_objects, 1));
  for (guint32 id = 1; id <= self->n_objects; id++)
    if (vtr_history_get_object (history, id)->destroyed != VTR_COMMAND_NO_INDEX)
      self->ends[self->n_ends++] = id;
  if (self->n_ends > 1)
    g_qsort_with_data (self->ends, (gint)self->n_ends, sizeof (guint32), compare_ends, history);
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
  vtr_state_facts_free (self->facts);
  g_hash_table_unref (self->uses);
  g_mutex_clear (&self->uses_lock);
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

/* --- Passes --- */

VtrStatePass *
vtr_state_pass_ref (VtrStatePass *self)
{
  g_atomic_ref_count_inc (&self->refs);
  return self;
}

void
vtr_state_pass_unref (VtrStatePass *self)
{
  if (!g_atomic_ref_count_dec (&self->refs))
    return;
  g_free (self->images);
  g_free (self->layouts);
  g_free (self);
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
  self->n_pages = shared->n_objects / VTR_RECORDS_PER_PAGE + 1;
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
  if (copy->pass != NULL)
    vtr_state_pass_ref (copy->pass);
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
  g_clear_pointer (&self->pass, vtr_state_pass_unref);
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

gpointer
vtr_api_state_edit (VtrApiState *self,
                    guint32      id)
{
  VtrStateRecord **slot;

  if (id == 0 || id > self->shared->n_objects)
    return NULL;

  slot = &own_page (self, id)->records[id % VTR_RECORDS_PER_PAGE];
  if (*slot == NULL)
    *slot = vtr_state_record_new (self->shared->facts, vtr_history_get_object (self->history, id));
  else if (!g_atomic_ref_count_compare (&(*slot)->refs, 1))
    {
      VtrStateRecord *copy = vtr_state_record_copy (*slot);

      vtr_state_record_unref (*slot);
      *slot = copy;
    }
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

/* The call by whose time objects live or not: for a recorded command in a run, its submission. */
static guint64
get_host_index (VtrApiState *self)
{
  return self->run != VTR_NO_RUN ? vtr_timeline_get_run (self->timeline, self->run)->submit
                                 : self->index;
}

gboolean
vtr_api_state_is_alive (VtrApiState *self,
                        guint32      id)
{
  guint64 index = get_host_index (self);
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

static gconstpointer
peek_typed (VtrApiState *self,
            guint32      id,
            guint32      type)
{
  const VtrStateRecord *record = vtr_api_state_peek (self, id);

  return record != NULL && record->type == type ? record : NULL;
}

gboolean
vtr_api_state_get_binding (VtrApiState     *self,
                           guint32          id,
                           guint            plane,
                           VtrStateBinding *out)
{
  const VtrStateBuffer *buffer = peek_typed (self, id, VTR_HANDLE_VkBuffer);
  const VtrStateImage *image = peek_typed (self, id, VTR_HANDLE_VkImage);
  const VtrBoundMemory *bound = NULL;

  if (buffer != NULL && plane == 0)
    bound = &buffer->bound;
  else if (image != NULL && plane < VTR_MAX_PLANES)
    bound = &image->bound[plane];
  if (bound == NULL || bound->memory == 0)
    return FALSE;
  *out = (VtrStateBinding){ bound->memory, bound->offset, bound->command };
  return TRUE;
}

VkImageLayout
vtr_api_state_get_layout (VtrApiState           *self,
                          guint32                id,
                          VkImageAspectFlagBits  aspect,
                          guint32                mip,
                          guint32                layer)
{
  const VtrImageFact *fact = vtr_state_facts_get_image (self->shared->facts, id);
  const VtrStateImage *image = peek_typed (self, id, VTR_HANDLE_VkImage);
  const VtrSubresource *found;

  if (fact == NULL)
    return VK_IMAGE_LAYOUT_UNDEFINED;
  if (image == NULL)
    return fact->initial_layout;
  if (aspect == VK_IMAGE_ASPECT_COLOR_BIT && (fact->aspects & aspect) == 0)
    aspect = VK_IMAGE_ASPECT_PLANE_0_BIT;
  found = vtr_state_image_peek (image, vtr_state_image_find_aspect (fact->aspects, aspect), mip,
                                fact->info.type == VK_IMAGE_TYPE_3D && !fact->info.slices
                                  ? 0
                                  : layer);
  return found != NULL ? (VkImageLayout)found->layout : VK_IMAGE_LAYOUT_UNDEFINED;
}

/* Looks back from @index in recording @nth, into what it executes, too. */
static guint64
find_in_recording (VtrApiState *self,
                   guint32      nth,
                   guint64      index,
                   VtrApiClass  classes,
                   guint        depth,
                   guint       *left)
{
  const VtrRecording *recording = vtr_timeline_get_recording (self->timeline, nth);
  VtrTrace *trace = vtr_timeline_get_trace (self->timeline);

  for (guint64 i = index; i != VTR_COMMAND_NO_INDEX && i >= recording->first && *left > 0;
       i--, (*left)--)
    {
      VtrCmdId id = vtr_trace_get_command_id (trace, i);

      if (!vtr_cmd_is_vulkan (id) ||
          !vtr_cmd_is (id, classes | VTR_CLASS_EXECUTE | VTR_CLASS_GENERATED))
        continue;
      if (!vtr_timeline_is_contiguous (self->timeline) &&
          vtr_timeline_find_recording (self->timeline, i) != nth)
        continue;
      if (vtr_cmd_is (id, VTR_CLASS_EXECUTE) && depth < 4)
        {
          guint32 n;
          const guint32 *executed = vtr_timeline_get_executed (self->timeline, i, &n);

          for (guint32 k = n; k > 0; k--)
            if (executed[k - 1] != VTR_NO_RECORDING)
              {
                guint64 found = find_in_recording (
                  self, executed[k - 1],
                  vtr_timeline_get_recording (self->timeline, executed[k - 1])->last, classes,
                  depth + 1, left);

                if (found != VTR_COMMAND_NO_INDEX)
                  return found;
              }
        }
      else if (vtr_cmd_is (id, classes) || (vtr_work_at (trace, i) & classes) != 0)
        return i;
    }
  return VTR_COMMAND_NO_INDEX;
}

/* In a run and those before it in its submission. */
static guint64
find_in_run (VtrApiState *self,
             guint32      run,
             guint64      index,
             VtrApiClass  classes,
             guint       *left)
{
  guint64 found = VTR_COMMAND_NO_INDEX;

  while (run != VTR_NO_RUN && found == VTR_COMMAND_NO_INDEX)
    {
      const VtrRun *at = vtr_timeline_get_run (self->timeline, run);

      found = find_in_recording (self, at->recording, index, classes, 0, left);
      if (at->parent == VTR_NO_RUN)
        {
          guint32 nth = vtr_timeline_find_submission (self->timeline, at->submit);
          guint32 first = nth != VTR_NO_RECORDING
                            ? vtr_timeline_get_submission (self->timeline, nth)->first_run
                            : run;

          while (found == VTR_COMMAND_NO_INDEX && run > first)
            {
              guint32 recording = vtr_timeline_get_run (self->timeline, --run)->recording;

              found = find_in_recording (
                self, recording, vtr_timeline_get_recording (self->timeline, recording)->last,
                classes, 0, left);
            }
          break;
        }
      index = at->executed_by - 1;
      run = at->parent;
    }
  return found;
}

/* Position of the first submission after @index. */
static guint32
count_submissions (VtrApiState *self,
                   guint64      index)
{
  guint32 low = 0, high = vtr_timeline_get_n_submissions (self->timeline);

  while (low < high)
    {
      guint32 middle = low + (high - low) / 2;

      if (vtr_timeline_get_submission (self->timeline, middle)->submit <= index)
        low = middle + 1;
      else
        high = middle;
    }
  return low;
}

guint64
vtr_api_state_find_last (VtrApiState *self,
                         VtrApiClass  classes)
{
  guint left = MAX_LOOK_BACK;
  guint64 index = get_host_index (self), found = VTR_COMMAND_NO_INDEX;
  guint32 n;

  if (self->index == VTR_COMMAND_NO_INDEX)
    return VTR_COMMAND_NO_INDEX;
  if (self->run != VTR_NO_RUN)
    {
      found = find_in_run (self, self->run, self->index, classes, &left);
      if (index == 0)
        return found;
      index--;
    }
  n = count_submissions (self, index);
  if (classes == VTR_CLASS_SUBMIT)
    return n > 0 ? vtr_timeline_get_submission (self->timeline, n - 1)->submit
                 : VTR_COMMAND_NO_INDEX;
  while (n > 0 && found == VTR_COMMAND_NO_INDEX && left > 0)
    {
      const VtrSubmission *submission = vtr_timeline_get_submission (self->timeline, --n);
      guint32 run = submission->first_run + submission->n_runs;

      while (found == VTR_COMMAND_NO_INDEX && run > submission->first_run)
        {
          guint32 recording = vtr_timeline_get_run (self->timeline, --run)->recording;

          found = find_in_recording (
            self, recording, vtr_timeline_get_recording (self->timeline, recording)->last, classes,
            0, &left);
        }
    }
  return found;
}
