/* Builds the tree of nested commands in one pass over their ids, with a stack of open containers;
 * the APIs say what begins and ends. Labels need not nest with passes: one that begins inside a
 * pass is cut at the end of the pass; one that ends inside a pass it began before lasts until the
 * pass ends. */
#include "engine/state/vtr-command-class.h"
#include "engine/state/vtr-scope-tree.h"

struct _VtrScopeBuilder
{
  VtrScopeTree *tree;
  VtrTimeline *timeline;
  VtrTrace *trace;
  gint64 position;    /* of the command under way */
  GArray *stack;      /* of guint32, containers that are open, the whole first */
  GArray *closing;    /* of guint32, groups that end with the pass they contain */
  guint32 cut_labels; /* groups cut at the end of a pass, whose end is still to come */
  guint32 n_passes;
  guint32 n_subpasses; /* of the pass that began last */
  guint32 n_draws, n_dispatches;
  guint api;    /* number of the one whose scopes are open */
  guint64 word; /* what it keeps */
};

#define at vtr_scope_tree_at

static guint32
builder_top (VtrScopeBuilder *self)
{
  return g_array_index (self->stack, guint32, self->stack->len - 1);
}

static guint32
builder_open (VtrScopeBuilder *self,
              VtrNodeKind      kind,
              VtrCommandKind   icon,
              gint64           first,
              gint64           inner_first,
              guint32          ordinal)
{
  VtrContainer container = {
    .kind = kind,
    .icon = icon,
    .parent = self->stack->len > 0 ? builder_top (self) : 0,
    .first = first,
    .inner_first = inner_first,
    .ordinal = ordinal,
    /* The commands before it; turned into a count when it closes. */
    .n_draws = self->n_draws,
    .n_dispatches = self->n_dispatches,
  };
  guint32 nth = self->tree->containers->len;

  g_array_append_val (self->tree->containers, container);
  g_array_append_val (self->stack, nth);
  return nth;
}

static void
builder_close (VtrScopeBuilder *self,
               gint64           last,
               gint64           inner_last)
{
  VtrContainer *container = at (self->tree, builder_top (self));

  container->last = last;
  container->inner_last = container->leaf ? container->inner_first - 1 : inner_last;
  container->n_draws = self->n_draws - container->n_draws;
  container->n_dispatches = self->n_dispatches - container->n_dispatches;
  g_array_set_size (self->stack, self->stack->len - 1);
}

static gboolean
is_closing (VtrScopeBuilder *self,
            guint32          container)
{
  for (guint i = 0; i < self->closing->len; i++)
    if (g_array_index (self->closing, guint32, i) == container)
      return TRUE;
  return FALSE;
}

/* Position in the stack of the innermost open container of @kind; 0: none (the whole is never asked
   for). */
static guint
builder_find_open (VtrScopeBuilder *self,
                   VtrNodeKind      kind)
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
builder_cut (VtrScopeBuilder *self,
             guint            level,
             gint64           last)
{
  while (self->stack->len > level + 1)
    {
      if (at (self->tree, builder_top (self))->kind == VTR_NODE_GROUP)
        self->cut_labels++;
      builder_close (self, last, last);
    }
}

static void
builder_end_scope (VtrScopeBuilder *self,
                   VtrNodeKind      kind,
                   gint64           position)
{
  guint level = builder_find_open (self, kind);

  if (level == 0)
    return;
  builder_cut (self, level, position - 1);
  builder_close (self, position, position);
  while (is_closing (self, builder_top (self)))
    builder_close (self, position, position);
}

static void
builder_end_label (VtrScopeBuilder *self,
                   gint64           position)
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

/* --- For the APIs --- */

VtrTimeline *
vtr_scope_builder_get_timeline (VtrScopeBuilder *self)
{
  return self->timeline;
}

guint64
vtr_scope_builder_get_word (VtrScopeBuilder *self)
{
  return self->word;
}

void
vtr_scope_builder_set_word (VtrScopeBuilder *self,
                            guint64          word)
{
  self->word = word;
}

gboolean
vtr_scope_builder_peek (VtrScopeBuilder *self,
                        guint64          nth,
                        VtrCmdId        *id)
{
  const VtrSegments *commands = &self->tree->commands;
  const guint64 position = (guint64)self->position + 1 + nth;

  if (position >= commands->n)
    return FALSE;
  *id = vtr_trace_get_command_id (self->trace, vtr_segments_get (commands, position));
  return TRUE;
}

gboolean
vtr_scope_builder_has_open (VtrScopeBuilder *self,
                            VtrNodeKind      kind)
{
  return builder_find_open (self, kind) > 0;
}

void
vtr_scope_builder_open (VtrScopeBuilder *self,
                        VtrNodeKind      kind,
                        VtrCommandKind   icon,
                        gboolean         after,
                        gboolean         leaf)
{
  const gint64 first = self->position + (after ? 1 : 0);
  guint32 ordinal = 0, nth;

  if (kind == VTR_NODE_PASS)
    {
      ordinal = self->n_passes++;
      self->n_subpasses = 0;
    }
  else if (kind == VTR_NODE_SUBPASS)
    ordinal = self->n_subpasses++;
  nth = builder_open (self, kind, icon, first, kind == VTR_NODE_GROUP ? first + 1 : first, ordinal);
  at (self->tree, nth)->leaf = leaf;
}

void
vtr_scope_builder_close (VtrScopeBuilder *self,
                         VtrNodeKind      kind)
{
  if (kind == VTR_NODE_GROUP)
    builder_end_label (self, self->position);
  else
    builder_end_scope (self, kind, self->position);
}

void
vtr_scope_builder_close_before (VtrScopeBuilder *self,
                                VtrNodeKind      kind)
{
  const guint level = builder_find_open (self, kind);

  if (level == 0)
    return;
  builder_cut (self, level, self->position - 1);
  builder_close (self, self->position - 1, self->position - 1);
}

/* --- The pass --- */

static void
builder_count (VtrScopeBuilder *self,
               guint64          index)
{
  const guint32 *executed;
  guint32 n;

  switch (vtr_command_count (self->trace, index))
    {
    case VTR_COUNT_DRAW:
      self->n_draws++;
      break;
    case VTR_COUNT_DISPATCH:
      self->n_dispatches++;
      break;
    default:
      executed = vtr_timeline_get_executed (self->timeline, index, &n);
      for (guint32 i = 0; i < n; i++)
        if (executed[i] != VTR_NO_RECORDING)
          {
            const VtrRecording *other = vtr_timeline_get_recording (self->timeline, executed[i]);

            self->n_draws += other->n_draws;
            self->n_dispatches += other->n_dispatches;
          }
      break;
    }
}

static void
builder_command (VtrScopeBuilder *self,
                 gint64           position,
                 guint64          index)
{
  const VtrCmdId id = vtr_trace_get_command_id (self->trace, index);
  const guint api = vtr_api_get_number (id);
  const VtrScopeApi *scopes;

  if (api >= VTR_MAX_APIS || !vtr_cmd_is_known (id))
    return;
  self->position = position;
  if (api != self->api && self->stack->len > 1)
    builder_cut (self, 0, position - 1);
  if (api != self->api)
    self->word = 0;
  self->api = api;
  builder_count (self, index);
  scopes = vtr_apis[api]->scopes;
  if (scopes == NULL)
    return;
  if (self->tree->recording != VTR_NO_RECORDING)
    {
      if (scopes->nest_list != NULL)
        scopes->nest_list (self, index, id);
    }
  else if (scopes->nest_frame != NULL)
    scopes->nest_frame (self, index, id);
}

/* Children of each container in order, and where they stand among the commands around them. */
static void
tree_link (VtrScopeTree *self)
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
      /* Up to here .n_children counts commands; those of earlier siblings were subtracted
       * already. */
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
  VtrScopeTree *self = data;

  vtr_segments_finish (&self->commands);
  g_array_unref (self->containers);
  g_free (self->subs);
}

static void
collect_outside (VtrTimeline *timeline,
                 guint64      first,
                 guint64      last,
                 VtrSegments *out)
{
  for (guint64 i = first; i <= last; i++)
    {
      guint32 recording = vtr_timeline_find_recording (timeline, i);

      if (recording == VTR_NO_RECORDING)
        vtr_segments_append (out, i, i);
      else if (vtr_timeline_is_contiguous (timeline))
        i = vtr_timeline_get_recording (timeline, recording)->last;
    }
}

/* The command that ends a list is in none of its scopes. */
static gboolean
ends_list (VtrTrace *trace,
           guint64   index)
{
  const VtrCmdId id = vtr_trace_get_command_id (trace, index);

  return vtr_cmd_is_known (id) && vtr_cmd_is (id, VTR_CLASS_END_LIST);
}

/* Nests the commands that @tree has. (transfer full) */
static VtrScopeTree *
build (VtrScopeTree   *tree,
       VtrTimeline    *timeline,
       VtrNodeKind     whole,
       VtrCommandKind  icon)
{
  VtrScopeBuilder builder = {
    .tree = tree,
    .timeline = timeline,
    .trace = vtr_timeline_get_trace (timeline),
    .api = VTR_MAX_APIS,
  };
  const gint64 last = (gint64)tree->commands.n - 1;

  tree->containers = g_array_new (FALSE, FALSE, sizeof (VtrContainer));
  builder.stack = g_array_new (FALSE, FALSE, sizeof (guint32));
  builder.closing = g_array_new (FALSE, FALSE, sizeof (guint32));

  builder_open (&builder, whole, icon, 0, 0, 0);
  for (guint64 i = 0; i < tree->commands.n; i++)
    builder_command (&builder, (gint64)i, vtr_segments_get (&tree->commands, i));

  /* Scopes that were never ended last to the end. */
  if (last > 0 && ends_list (builder.trace, vtr_segments_get (&tree->commands, (guint64)last)))
    builder_cut (&builder, 0, last - 1);
  builder_cut (&builder, 0, last);
  builder_close (&builder, last, last);
  g_array_unref (builder.stack);
  g_array_unref (builder.closing);
  tree_link (tree);
  return tree;
}

VtrScopeTree *
vtr_scope_tree_build (VtrTimeline *timeline,
                      guint32      recording)
{
  VtrScopeTree *self = g_atomic_rc_box_new0 (VtrScopeTree);

  self->recording = recording;
  collect_commands (timeline, recording, &self->commands);
  return build (self, timeline, VTR_NODE_LIST, VTR_COMMAND_KIND_LIST);
}

VtrScopeTree *
vtr_scope_tree_build_frame (VtrTimeline *timeline,
                            guint64      first,
                            guint64      last)
{
  VtrScopeTree *self = g_atomic_rc_box_new0 (VtrScopeTree);

  self->recording = VTR_NO_RECORDING;
  collect_outside (timeline, first, last, &self->commands);
  return build (self, timeline, VTR_NODE_FRAME, VTR_COMMAND_KIND_FRAME);
}

VtrScopeTree *
vtr_scope_tree_ref (VtrScopeTree *self)
{
  return g_atomic_rc_box_acquire (self);
}

void
vtr_scope_tree_unref (VtrScopeTree *self)
{
  g_atomic_rc_box_release_full (self, tree_clear);
}

guint32
vtr_scope_tree_get_child (VtrScopeTree *self,
                          guint32       container,
                          guint32       nth,
                          gint64       *position)
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
vtr_scope_tree_locate (VtrScopeTree *self,
                       gint64        position,
                       guint32      *nth)
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
find_from (VtrScopeTree *self,
           gint64        position)
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
vtr_scope_tree_find (VtrScopeTree *self,
                     VtrNodeKind   kind,
                     gint64        position)
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
vtr_scope_tree_count_passes (VtrScopeTree *self,
                             gint64        position)
{
  guint32 nth = find_from (self, position);

  while (nth > 0 && at (self, nth - 1)->kind != VTR_NODE_PASS)
    nth--;
  return nth > 0 ? at (self, nth - 1)->ordinal + 1 : 0;
}
