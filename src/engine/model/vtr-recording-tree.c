/* VtrRecordingTree: one pass over the ids of a recording with a stack of what is open. Labels need
   not nest with passes: one that begins inside a pass is cut at its end, one that ends inside a
   pass it began before lasts until the pass ends. */
#include "engine/model/vtr-recording-tree.h"
#include "engine/vulkan/state/vtr-work.h"

#include "api/vtr-api-types.h"

typedef struct
{
  VtrRecordingTree *tree;
  VtrTimeline *timeline;
  GArray *stack;      /* of guint32, containers that are open, the whole first */
  GArray *closing;    /* of guint32, groups that end with the pass they contain */
  guint32 cut_labels; /* groups cut at the end of a pass, whose end is still to come */
  guint32 n_passes;
  guint32 n_draws, n_dispatches;
} VtrTreeBuilder;

#define at vtr_recording_tree_at

static guint32
builder_top (VtrTreeBuilder *self)
{
  return g_array_index (self->stack, guint32, self->stack->len - 1);
}

static guint32
builder_open (VtrTreeBuilder *self,
              VtrNodeKind     kind,
              gint64          first,
              gint64          inner_first,
              guint32         ordinal)
{
  VtrContainer container = {
    .kind = kind,
    .parent = self->stack->len > 0 ? builder_top (self) : 0,
    .first = first,
    .inner_first = inner_first,
    .ordinal = ordinal,
    /* What came before; turned into a count when it closes. */
    .n_draws = self->n_draws,
    .n_dispatches = self->n_dispatches,
  };
  guint32 nth = self->tree->containers->len;

  g_array_append_val (self->tree->containers, container);
  g_array_append_val (self->stack, nth);
  return nth;
}

static void
builder_close (VtrTreeBuilder *self,
               gint64          last,
               gint64          inner_last)
{
  VtrContainer *container = at (self->tree, builder_top (self));

  container->last = last;
  container->inner_last = inner_last;
  container->n_draws = self->n_draws - container->n_draws;
  container->n_dispatches = self->n_dispatches - container->n_dispatches;
  g_array_set_size (self->stack, self->stack->len - 1);
}

static gboolean
is_closing (VtrTreeBuilder *self,
            guint32         container)
{
  for (guint i = 0; i < self->closing->len; i++)
    if (g_array_index (self->closing, guint32, i) == container)
      return TRUE;
  return FALSE;
}

/* Position in the stack of the innermost open container of @kind; 0: none (the whole is never asked
   for). */
static guint
builder_find_open (VtrTreeBuilder *self,
                   VtrNodeKind     kind)
{
  for (guint i = self->stack->len; i > 1; i--)
    {
      guint32 nth = g_array_index (self->stack, guint32, i - 1);

      if (at (self->tree, nth)->kind == kind && !is_closing (self, nth))
        return i - 1;
    }
  return 0;
}

/* Closes at @last what is open above @level of the stack. */
static void
builder_cut (VtrTreeBuilder *self,
             guint           level,
             gint64          last)
{
  while (self->stack->len > level + 1)
    {
      if (at (self->tree, builder_top (self))->kind == VTR_NODE_GROUP)
        self->cut_labels++;
      builder_close (self, last, last);
    }
}

static void
builder_end_pass (VtrTreeBuilder *self,
                  gint64          position)
{
  guint level = builder_find_open (self, VTR_NODE_PASS);

  if (level == 0)
    return;
  builder_cut (self, level, position - 1);
  builder_close (self, position, position);
  while (is_closing (self, builder_top (self)))
    builder_close (self, position, position);
}

static gboolean
has_subpasses (VtrTreeBuilder *self,
               gint64          position)
{
  VtrTrace *trace = vtr_timeline_get_trace (self->timeline);
  const VtrSegments *commands = &self->tree->commands;

  for (guint64 i = (guint64)position + 1; i < commands->n; i++)
    {
      VtrCmdId id = vtr_trace_get_command_id (trace, vtr_segments_get (commands, i));

      if (!vtr_cmd_is_known (id))
        continue;
      if (vtr_cmd_is (id, VTR_CLASS_NEXT_SUBPASS))
        return TRUE;
      if (vtr_cmd_is (id, VTR_CLASS_END_PASS | VTR_CLASS_BEGIN_PASS))
        break;
    }
  return FALSE;
}

static void
builder_begin_pass (VtrTreeBuilder *self,
                    gint64          position)
{
  guint level = builder_find_open (self, VTR_NODE_PASS);

  if (level > 0)
    {
      /* A pass in a pass: the file lacks the end of the outer one. */
      builder_cut (self, level, position - 1);
      builder_close (self, position - 1, position - 1);
    }
  builder_open (self, VTR_NODE_PASS, position, position, self->n_passes++);
  if (has_subpasses (self, position))
    builder_open (self, VTR_NODE_SUBPASS, position + 1, position + 1, 0);
}

static void
builder_next_subpass (VtrTreeBuilder *self,
                      gint64          position)
{
  guint level = builder_find_open (self, VTR_NODE_SUBPASS);
  guint32 ordinal;

  if (level == 0)
    return;
  ordinal = at (self->tree, g_array_index (self->stack, guint32, level))->ordinal;
  builder_cut (self, level, position - 1);
  builder_close (self, position - 1, position - 1);
  builder_open (self, VTR_NODE_SUBPASS, position, position, ordinal + 1);
}

static void
builder_end_label (VtrTreeBuilder *self,
                   gint64          position)
{
  guint level;

  if (self->cut_labels > 0)
    {
      self->cut_labels--;
      return;
    }
  level = builder_find_open (self, VTR_NODE_GROUP);
  if (level == 0)
    return;
  if (level + 1 == self->stack->len)
    builder_close (self, position, position - 1);
  else
    g_array_append_val (self->closing, g_array_index (self->stack, guint32, level));
}

static void
builder_command (VtrTreeBuilder *self,
                 gint64          position,
                 guint64         index)
{
  VtrCmdId id = vtr_trace_get_command_id (vtr_timeline_get_trace (self->timeline), index);

  VtrApiClass work = vtr_work_at (vtr_timeline_get_trace (self->timeline), index);

  if (!vtr_cmd_is_known (id))
    return;
  if ((work & VTR_CLASS_DRAW) != 0)
    self->n_draws++;
  else if (work != 0)
    self->n_dispatches++;
  else if (vtr_cmd_is (id, VTR_CLASS_EXECUTE))
    {
      guint32 n;
      const guint32 *executed = vtr_timeline_get_executed (self->timeline, index, &n);

      for (guint32 i = 0; i < n; i++)
        if (executed[i] != VTR_NO_RECORDING)
          {
            const VtrRecording *other = vtr_timeline_get_recording (self->timeline, executed[i]);

            self->n_draws += other->n_draws;
            self->n_dispatches += other->n_dispatches;
          }
    }
  else if (vtr_cmd_is (id, VTR_CLASS_BEGIN_PASS))
    builder_begin_pass (self, position);
  else if (vtr_cmd_is (id, VTR_CLASS_END_PASS))
    builder_end_pass (self, position);
  else if (vtr_cmd_is (id, VTR_CLASS_NEXT_SUBPASS))
    builder_next_subpass (self, position);
  else if (vtr_cmd_is (id, VTR_CLASS_BEGIN_LABEL))
    builder_open (self, VTR_NODE_GROUP, position, position + 1, 0);
  else if (vtr_cmd_is (id, VTR_CLASS_END_LABEL))
    builder_end_label (self, position);
}

/* Children of each container in order, and where they stand among the commands around them. */
static void
tree_link (VtrRecordingTree *self)
{
  guint32 n = self->containers->len;
  guint32 next = 0;

  self->subs = g_new (guint32, MAX (n, 1));
  for (guint32 i = 1; i < n; i++)
    at (self, at (self, i)->parent)->n_subs++;
  for (guint32 i = 0; i < n; i++)
    {
      at (self, i)->first_sub = next;
      next += at (self, i)->n_subs;
      at (self, i)->n_subs = 0;
      at (self, i)->n_children =
        (guint32)MAX (at (self, i)->inner_last - at (self, i)->inner_first + 1, 0);
    }
  for (guint32 i = 1; i < n; i++)
    {
      VtrContainer *container = at (self, i);
      VtrContainer *parent = at (self, container->parent);
      /* So far .n_children counts commands; those of earlier siblings are gone from it already. */
      guint32 all = (guint32)MAX (parent->inner_last - parent->inner_first + 1, 0);

      container->child_position =
        (guint32)(container->first - parent->inner_first) - (all - parent->n_children);
      self->subs[parent->first_sub + parent->n_subs++] = i;
      parent->n_children -= (guint32)(container->last - container->first + 1);
      parent->n_children += 1;
    }
}

static void
collect_commands (VtrTimeline *timeline,
                  guint32      nth,
                  VtrSegments *out)
{
  const VtrRecording *recording = vtr_timeline_get_recording (timeline, nth);

  if (vtr_timeline_is_contiguous (timeline))
    {
      vtr_segments_append (out, recording->first, recording->last);
      return;
    }
  for (guint64 i = recording->first; i <= recording->last; i++)
    if (vtr_timeline_find_recording (timeline, i) == nth)
      vtr_segments_append (out, i, i);
}

static void
tree_clear (gpointer data)
{
  VtrRecordingTree *self = data;

  vtr_segments_finish (&self->commands);
  g_array_unref (self->containers);
  g_free (self->subs);
}

VtrRecordingTree *
vtr_recording_tree_build (VtrTimeline *timeline,
                          guint32      recording)
{
  VtrRecordingTree *self = g_atomic_rc_box_new0 (VtrRecordingTree);
  VtrTreeBuilder builder = { .tree = self, .timeline = timeline };
  gint64 last;

  self->recording = recording;
  self->containers = g_array_new (FALSE, FALSE, sizeof (VtrContainer));
  collect_commands (timeline, recording, &self->commands);
  builder.stack = g_array_new (FALSE, FALSE, sizeof (guint32));
  builder.closing = g_array_new (FALSE, FALSE, sizeof (guint32));

  builder_open (&builder, VTR_NODE_COMMAND_BUFFER, 0, 0, 0);
  for (guint64 i = 0; i < self->commands.n; i++)
    builder_command (&builder, (gint64)i, vtr_segments_get (&self->commands, i));

  /* What nobody ended lasts to the end, but for vkEndCommandBuffer. */
  last = (gint64)self->commands.n - 1;
  if (last > 0 && vtr_trace_get_command_id (vtr_timeline_get_trace (timeline),
                                            vtr_segments_get (&self->commands, (guint64)last)) ==
                    VTR_CMD_vkEndCommandBuffer)
    builder_cut (&builder, 0, last - 1);
  builder_cut (&builder, 0, last);
  builder_close (&builder, last, last);
  g_array_unref (builder.stack);
  g_array_unref (builder.closing);
  tree_link (self);
  return self;
}

VtrRecordingTree *
vtr_recording_tree_ref (VtrRecordingTree *self)
{
  return g_atomic_rc_box_acquire (self);
}

void
vtr_recording_tree_unref (VtrRecordingTree *self)
{
  g_atomic_rc_box_release_full (self, tree_clear);
}

guint32
vtr_recording_tree_get_child (VtrRecordingTree *self,
                              guint32           container,
                              guint32           nth,
                              gint64           *position)
{
  const VtrContainer *parent = at (self, container);
  const guint32 *subs = self->subs + parent->first_sub;
  guint32 low = 0, high = parent->n_subs;

  /* First sub that stands after @nth. */
  while (low < high)
    {
      guint32 middle = low + (high - low) / 2;

      if (at (self, subs[middle])->child_position <= nth)
        low = middle + 1;
      else
        high = middle;
    }
  if (low == 0)
    {
      *position = parent->inner_first + nth;
      return G_MAXUINT32;
    }
  if (at (self, subs[low - 1])->child_position == nth)
    {
      *position = at (self, subs[low - 1])->first;
      return subs[low - 1];
    }
  *position = at (self, subs[low - 1])->last + (nth - at (self, subs[low - 1])->child_position);
  return G_MAXUINT32;
}

guint32
vtr_recording_tree_locate (VtrRecordingTree *self,
                           gint64            position,
                           guint32          *nth)
{
  guint32 container = 0;

  for (;;)
    {
      const VtrContainer *parent = at (self, container);
      const guint32 *subs = self->subs + parent->first_sub;
      guint32 low = 0, high = parent->n_subs;

      /* First sub that begins after @position. */
      while (low < high)
        {
          guint32 middle = low + (high - low) / 2;

          if (at (self, subs[middle])->first <= position)
            low = middle + 1;
          else
            high = middle;
        }
      if (low == 0 || at (self, subs[low - 1])->last < position)
        {
          if (position < parent->inner_first || position > parent->inner_last)
            *nth = G_MAXUINT32;
          else if (low == 0)
            *nth = (guint32)(position - parent->inner_first);
          else
            *nth = at (self, subs[low - 1])->child_position +
                   (guint32)(position - at (self, subs[low - 1])->last);
          return container;
        }
      container = subs[low - 1];
    }
}

/* First container that begins at @position or later. */
static guint32
find_from (VtrRecordingTree *self,
           gint64            position)
{
  guint32 low = 0, high = self->containers->len;

  while (low < high)
    {
      guint32 middle = low + (high - low) / 2;

      if (at (self, middle)->first < position)
        low = middle + 1;
      else
        high = middle;
    }
  return low;
}

guint32
vtr_recording_tree_find (VtrRecordingTree *self,
                         VtrNodeKind       kind,
                         gint64            position)
{
  guint32 nth = find_from (self, position);

  for (; nth < self->containers->len && at (self, nth)->first <= position + 1; nth++)
    {
      const VtrContainer *container = at (self, nth);
      gboolean empty = container->last < container->first;

      if (container->kind == kind && container->first == position + (empty ? 1 : 0))
        return nth;
    }
  return G_MAXUINT32;
}

guint32
vtr_recording_tree_count_passes (VtrRecordingTree *self,
                                 gint64            position)
{
  guint32 nth = find_from (self, position);

  while (nth > 0 && at (self, nth - 1)->kind != VTR_NODE_PASS)
    nth--;
  return nth > 0 ? at (self, nth - 1)->ordinal + 1 : 0;
}
