/* VtrCommandTree: nodes are computed from the timeline and from two small caches: how the
 * commands of recordings nest, and those of frames that are in none. */
#include "engine/model/vtr-command-tree-private.h"

#include "engine/state/vtr-resolve-error.h"

#include "engine/state/vtr-path.h"

#include <glib/gi18n.h>
#include <string.h>

/* Entries kept in each cache. Both are cheap to make again. */
#define MAX_CACHED 256

static void
tree_unref (gpointer data)
{
  vtr_scope_tree_unref (data);
}

static guint64 get_frame_of (VtrCommandTree *self,
                             guint64         index);

/* (transfer full) */
static guint32 *
count_passes (VtrCommandTree *self)
{
  guint32 n = vtr_timeline_get_n_submissions (self->timeline), passes = 0;
  guint32 *before = g_new0 (guint32, MAX (vtr_timeline_get_n_runs (self->timeline), 1));
  guint64 frame = 0;

  for (guint32 i = 0; i < n; i++)
    {
      const VtrSubmission *submission = vtr_timeline_get_submission (self->timeline, i);
      guint64 its_frame = get_frame_of (self, submission->submit);

      if (i == 0 || its_frame != frame)
        passes = 0;
      frame = its_frame;
      for (guint32 run = submission->first_run; run < submission->first_run + submission->n_runs;
           run++)
        {
          guint32 recording = vtr_timeline_get_run (self->timeline, run)->recording;

          before[run] = passes;
          passes += vtr_timeline_get_recording (self->timeline, recording)->n_passes;
        }
    }
  return before;
}

VtrCommandTree *
vtr_command_tree_new (VtrAnalysis *analysis)
{
  VtrCommandTree *self = g_new0 (VtrCommandTree, 1);

  self->analysis = vtr_analysis_ref (analysis);
  self->timeline = vtr_analysis_get_timeline (analysis);
  self->trace = vtr_analysis_get_trace (analysis);
  self->passes_before = count_passes (self);
  g_mutex_init (&self->lock);
  self->recordings = g_hash_table_new_full (NULL, NULL, NULL, tree_unref);
  self->frames = g_hash_table_new_full (NULL, NULL, NULL, tree_unref);
  return self;
}

void
vtr_command_tree_free (VtrCommandTree *self)
{
  g_hash_table_unref (self->recordings);
  g_hash_table_unref (self->frames);
  g_free (self->passes_before);
  g_mutex_clear (&self->lock);
  vtr_analysis_unref (self->analysis);
  g_free (self);
}

VtrScopeTree *
vtr_command_tree_get_recording (VtrCommandTree *self,
                                guint32         recording)
{
  gpointer key = GSIZE_TO_POINTER ((gsize)recording + 1);
  VtrScopeTree *tree;

  g_mutex_lock (&self->lock);
  tree = g_hash_table_lookup (self->recordings, key);
  if (tree == NULL)
    {
      if (g_hash_table_size (self->recordings) >= MAX_CACHED)
        g_hash_table_remove_all (self->recordings);
      tree = vtr_scope_tree_build (self->timeline, recording);
      g_hash_table_insert (self->recordings, key, tree);
    }
  vtr_scope_tree_ref (tree);
  g_mutex_unlock (&self->lock);
  return tree;
}

/* The commands that restore the state before the first call are one row in front of the frames. */
#define INITIAL_STATE G_MAXUINT64

static gboolean
has_initial_state (VtrCommandTree *self)
{
  return vtr_trace_get_n_initial_commands (self->trace) > 0;
}

/* The frame that holds @index, the part after them, or INITIAL_STATE. */
static guint64
get_frame_of (VtrCommandTree *self,
              guint64         index)
{
  return index < vtr_trace_get_n_initial_commands (self->trace)
           ? INITIAL_STATE
           : vtr_trace_get_part_of (self->trace, index);
}

static void
get_frame_range (VtrCommandTree *self,
                 guint64         frame,
                 guint64        *first,
                 guint64        *last)
{
  if (frame != INITIAL_STATE)
    vtr_trace_get_frame (self->trace, frame, first, last);
  else
    {
      *first = 0;
      *last = vtr_trace_get_n_initial_commands (self->trace) - 1;
    }
}

/* How the commands of @frame nest that are in no recording. (transfer full) */
static VtrScopeTree *
get_frame (VtrCommandTree *self,
           guint64         frame)
{
  gpointer key = GSIZE_TO_POINTER ((gsize)frame + 1);
  VtrScopeTree *tree;
  guint64 first, last;

  g_mutex_lock (&self->lock);
  tree = g_hash_table_lookup (self->frames, key);
  if (tree == NULL)
    {
      if (g_hash_table_size (self->frames) >= MAX_CACHED)
        g_hash_table_remove_all (self->frames);
      get_frame_range (self, frame, &first, &last);
      tree = vtr_scope_tree_build_frame (self->timeline, first, last);
      g_hash_table_insert (self->frames, key, tree);
    }
  vtr_scope_tree_ref (tree);
  g_mutex_unlock (&self->lock);
  return tree;
}

VtrScopeTree *
vtr_command_tree_get_scopes (VtrCommandTree    *self,
                             const VtrTreeNode *node)
{
  if (node->run == VTR_NO_RUN)
    return get_frame (self, get_frame_of (self, node->last));
  return vtr_command_tree_get_recording (
    self, vtr_timeline_get_run (self->timeline, node->run)->recording);
}

void
vtr_command_tree_get_root (VtrCommandTree *self,
                           VtrTreeNode    *out)
{
  guint64 n = vtr_trace_get_n_commands (self->trace);

  *out = (VtrTreeNode){
    .kind = VTR_NODE_ROOT,
    .last = n > 0 ? n - 1 : 0,
    .command = VTR_COMMAND_NO_INDEX,
    .run = VTR_NO_RUN,
    .n_children = (guint32)MIN (vtr_trace_get_n_parts (self->trace) + has_initial_state (self),
                                G_MAXUINT32),
  };
}

static void
make_frame (VtrCommandTree *self,
            guint64         frame,
            VtrTreeNode    *out)
{
  g_autoptr (VtrScopeTree) tree = get_frame (self, frame);

  *out = (VtrTreeNode){
    .kind = VTR_NODE_FRAME,
    .icon = VTR_COMMAND_KIND_FRAME,
    .run = VTR_NO_RUN,
    .n_children = vtr_scope_tree_at (tree, 0)->n_children,
  };
  get_frame_range (self, frame, &out->first, &out->last);
  out->command = out->last;
}

/* A call outside command lists. */
static void
make_call (VtrCommandTree *self,
           guint64         index,
           guint32         depth,
           VtrTreeNode    *out)
{
  guint32 submission = vtr_timeline_find_submission (self->timeline, index);

  *out = (VtrTreeNode){
    .kind = submission != VTR_NO_RECORDING ? VTR_NODE_SUBMIT : VTR_NODE_COMMAND,
    .icon = vtr_command_kind (vtr_trace_get_command_id (self->trace, index)),
    .command = index,
    .first = index,
    .last = index,
    .run = VTR_NO_RUN,
    .depth = depth,
  };
  if (submission != VTR_NO_RECORDING)
    out->n_children = vtr_timeline_get_submission (self->timeline, submission)->n_runs;
}

static void
make_container (VtrScopeTree *tree,
                guint32       nth,
                guint32       run,
                guint32       depth,
                VtrTreeNode  *out)
{
  const VtrContainer *container = vtr_scope_tree_at (tree, nth);
  /* An empty subpass stands for the command after which it is empty. */
  gint64 last = MAX (container->last, 0);

  *out = (VtrTreeNode){
    .kind = container->kind,
    .icon = container->icon,
    .first = vtr_segments_get (&tree->commands, (guint64)MIN (container->first, last)),
    .last = vtr_segments_get (&tree->commands, (guint64)last),
    .run = run,
    .depth = depth,
    .n_children = container->n_children,
  };
  out->command = out->last;
}

static void
make_run (VtrCommandTree *self,
          guint32         run,
          guint32         depth,
          VtrTreeNode    *out)
{
  g_autoptr (VtrScopeTree) tree =
    vtr_command_tree_get_recording (self, vtr_timeline_get_run (self->timeline, run)->recording);

  make_container (tree, 0, run, depth, out);
}

/* The runs of the lists that the command at @index runs in @run. */
static guint32
find_children (VtrCommandTree *self,
               guint32         run,
               guint64         index,
               guint32        *first)
{
  const VtrRun *parent = vtr_timeline_get_run (self->timeline, run);
  guint32 n = 0;

  *first = VTR_NO_RUN;
  for (guint32 i = parent->first_child; i < parent->first_child + parent->n_children; i++)
    if (vtr_timeline_get_run (self->timeline, i)->executed_by == index)
      {
        if (n++ == 0)
          *first = i;
      }
    else if (n > 0)
      break;
  return n;
}

/* Passes that @run begins before it comes to @command: its own, and those of the lists it runs that
   are before run @before. */
static guint32
count_passes_in_run (VtrCommandTree *self,
                     guint32         run,
                     guint64         command,
                     guint32         before)
{
  const VtrRun *info = vtr_timeline_get_run (self->timeline, run);
  g_autoptr (VtrScopeTree) tree = vtr_command_tree_get_recording (self, info->recording);
  gint64 position = (gint64)vtr_segments_find (&tree->commands, command);
  guint32 passes = vtr_scope_tree_count_passes (tree, position);

  for (guint32 i = info->first_child; i < info->first_child + info->n_children; i++)
    {
      const VtrRun *child = vtr_timeline_get_run (self->timeline, i);

      if (i == before || child->executed_by > command)
        break;
      passes += vtr_timeline_get_recording (self->timeline, child->recording)->n_passes;
    }
  return passes;
}

guint32
vtr_command_tree_count_passes_before (VtrCommandTree *self,
                                      guint32         run)
{
  guint32 passes = self->passes_before[run];

  for (;;)
    {
      const VtrRun *info = vtr_timeline_get_run (self->timeline, run);

      if (info->parent == VTR_NO_RUN)
        return passes;
      passes += count_passes_in_run (self, info->parent, info->executed_by, run) +
                self->passes_before[info->parent];
      run = info->parent;
    }
}

guint32
vtr_command_tree_get_pass_number (VtrCommandTree    *self,
                                  const VtrTreeNode *node)
{
  if (node->run == VTR_NO_RUN)
    {
      g_autoptr (VtrScopeTree) tree = vtr_command_tree_get_scopes (self, node);

      return 1 + vtr_scope_tree_count_passes (
                   tree, (gint64)vtr_segments_find (&tree->commands, node->first));
    }
  return 1 + count_passes_in_run (self, node->run, node->first, VTR_NO_RUN) +
         vtr_command_tree_count_passes_before (self, node->run);
}

static void
make_cmd (VtrCommandTree *self,
          guint64         index,
          guint32         run,
          guint32         depth,
          VtrTreeNode    *out)
{
  VtrCmdId id = vtr_trace_get_command_id (self->trace, index);
  guint32 first;

  *out = (VtrTreeNode){
    .kind = VTR_NODE_CMD,
    .icon = vtr_command_kind (id),
    .command = index,
    .first = index,
    .last = index,
    .run = run,
    .depth = depth,
  };
  if (vtr_cmd_is_known (id) && vtr_cmd_is (id, VTR_CLASS_RUN_LIST))
    out->n_children = find_children (self, run, index, &first);
}

guint32
vtr_command_tree_find_container (VtrScopeTree      *tree,
                                 const VtrTreeNode *node)
{
  guint64 position;

  if (node->kind == VTR_NODE_LIST || node->kind == VTR_NODE_FRAME)
    return 0;
  position = vtr_segments_find (&tree->commands, node->first);
  return position == G_MAXUINT64 ? G_MAXUINT32
                                 : vtr_scope_tree_find (tree, node->kind, (gint64)position);
}

static void
get_container_children (VtrCommandTree    *self,
                        const VtrTreeNode *node,
                        guint32            first,
                        guint32            count,
                        VtrTreeNode       *out)
{
  g_autoptr (VtrScopeTree) tree = vtr_command_tree_get_scopes (self, node);
  guint32 container = vtr_command_tree_find_container (tree, node);

  g_return_if_fail (container != G_MAXUINT32);

  for (guint32 i = 0; i < count; i++)
    {
      gint64 position;
      guint32 sub = vtr_scope_tree_get_child (tree, container, first + i, &position);

      if (sub != G_MAXUINT32)
        make_container (tree, sub, node->run, node->depth + 1, &out[i]);
      else if (node->run == VTR_NO_RUN)
        make_call (self, vtr_segments_get (&tree->commands, (guint64)position), node->depth + 1,
                   &out[i]);
      else
        make_cmd (self, vtr_segments_get (&tree->commands, (guint64)position), node->run,
                  node->depth + 1, &out[i]);
    }
}

void
vtr_command_tree_get_children (VtrCommandTree    *self,
                               const VtrTreeNode *node,
                               guint32            first,
                               guint32            count,
                               VtrTreeNode       *out)
{
  guint32 start = 0;

  g_return_if_fail (first <= node->n_children && count <= node->n_children - first);

  switch (node->kind)
    {
    case VTR_NODE_ROOT:
      /* In front of the first frame: wraps around to INITIAL_STATE. */
      for (guint32 i = 0; i < count; i++)
        make_frame (self, (guint64)first + i - has_initial_state (self), &out[i]);
      break;
    case VTR_NODE_SUBMIT:
      start = vtr_timeline_get_submission (
                self->timeline, vtr_timeline_find_submission (self->timeline, node->command))
                ->first_run;
      for (guint32 i = 0; i < count; i++)
        make_run (self, start + first + i, node->depth + 1, &out[i]);
      break;
    case VTR_NODE_CMD:
      find_children (self, node->run, node->command, &start);
      for (guint32 i = 0; i < count; i++)
        make_run (self, start + first + i, node->depth + 1, &out[i]);
      break;
    case VTR_NODE_FRAME:
    case VTR_NODE_LIST:
    case VTR_NODE_PASS:
    case VTR_NODE_SUBPASS:
    case VTR_NODE_GROUP:
    case VTR_NODE_SCOPE:
      get_container_children (self, node, first, count, out);
      break;
    case VTR_NODE_COMMAND:
      break;
    }
}

void
vtr_command_tree_get_child (VtrCommandTree    *self,
                            const VtrTreeNode *node,
                            guint32            nth,
                            VtrTreeNode       *out)
{
  vtr_command_tree_get_children (self, node, nth, 1, out);
}

/* --- Finding a row --- */

typedef struct
{
  VtrCommandTree *tree;
  GArray *nodes;     /* of VtrTreeNode */
  GArray *positions; /* of guint32 */
} VtrTreePath;

static void
path_step (VtrTreePath *self,
           guint32      nth)
{
  const VtrTreeNode *last;
  VtrTreeNode parent, node;

  if (self->nodes->len == 0)
    vtr_command_tree_get_root (self->tree, &parent);
  else
    {
      last = &g_array_index (self->nodes, VtrTreeNode, self->nodes->len - 1);
      parent = *last;
    }
  vtr_command_tree_get_child (self->tree, &parent, nth, &node);
  g_array_append_val (self->nodes, node);
  g_array_append_val (self->positions, nth);
}

/* From the row of a whole (a frame, or a run of a list) to one of its commands. */
static void
path_into (VtrTreePath  *self,
           VtrScopeTree *tree,
           guint64       index)
{
  guint64 position = vtr_segments_find (&tree->commands, index);
  guint32 steps[64];
  guint32 container, nth, n = 0;

  if (position == G_MAXUINT64)
    return;
  container = vtr_scope_tree_locate (tree, (gint64)position, &nth);
  if (nth != G_MAXUINT32)
    steps[n++] = nth;
  for (; container != 0 && n < G_N_ELEMENTS (steps);
       container = vtr_scope_tree_at (tree, container)->parent)
    steps[n++] = vtr_scope_tree_at (tree, container)->child_position;
  /* Deeper nesting than any row can be indented: stop at what was found above. */
  if (container != 0)
    return;
  while (n > 0)
    path_step (self, steps[--n]);
}

/* To a call outside command lists. */
static gboolean
path_to_call (VtrTreePath *self,
              guint64      index)
{
  guint64 frame = get_frame_of (self->tree, index);
  g_autoptr (VtrScopeTree) tree = get_frame (self->tree, frame);

  if (vtr_segments_find (&tree->commands, index) == G_MAXUINT64)
    return FALSE;
  path_step (self, (guint32)(frame + has_initial_state (self->tree)));
  path_into (self, tree, index);
  return TRUE;
}

static void
path_into_recording (VtrTreePath *self,
                     guint32      recording,
                     guint64      index)
{
  g_autoptr (VtrScopeTree) tree = vtr_command_tree_get_recording (self->tree, recording);

  path_into (self, tree, index);
}

static gboolean
path_to_run (VtrTreePath *self,
             guint32      run,
             guint        depth)
{
  VtrTimeline *timeline = self->tree->timeline;
  const VtrRun *info = vtr_timeline_get_run (timeline, run);
  guint32 first;

  if (depth > 16)
    return FALSE;
  if (info->parent == VTR_NO_RUN)
    {
      guint32 submission = vtr_timeline_find_submission (timeline, info->submit);

      if (!path_to_call (self, info->submit))
        return FALSE;
      path_step (self, run - vtr_timeline_get_submission (timeline, submission)->first_run);
      return TRUE;
    }
  if (!path_to_run (self, info->parent, depth + 1))
    return FALSE;
  path_into_recording (self, vtr_timeline_get_run (timeline, info->parent)->recording,
                       info->executed_by);
  find_children (self->tree, info->parent, info->executed_by, &first);
  path_step (self, run - first);
  return TRUE;
}

GArray *
vtr_command_tree_find_run (VtrCommandTree  *self,
                           guint64          command,
                           guint32          run,
                           GArray         **positions)
{
  g_autoptr (GArray) nodes = g_array_new (FALSE, FALSE, sizeof (VtrTreeNode));
  g_autoptr (GArray) steps = g_array_new (FALSE, FALSE, sizeof (guint32));
  VtrTreePath path = { .tree = self, .nodes = nodes, .positions = steps };
  guint32 recording;

  if (positions != NULL)
    *positions = NULL;
  if (command >= vtr_trace_get_n_commands (self->trace))
    return NULL;
  recording = vtr_timeline_find_recording (self->timeline, command);
  if (recording == VTR_NO_RECORDING)
    {
      if (!path_to_call (&path, command))
        return NULL;
    }
  else
    {
      if (run == VTR_NO_RUN)
        run = vtr_timeline_get_recording (self->timeline, recording)->first_run;
      if (run >= vtr_timeline_get_n_runs (self->timeline) ||
          vtr_timeline_get_run (self->timeline, run)->recording != recording ||
          !path_to_run (&path, run, 0))
        return NULL;
      path_into_recording (&path, recording, command);
    }
  if (positions != NULL)
    *positions = g_steal_pointer (&steps);
  return g_steal_pointer (&nodes);
}

GArray *
vtr_command_tree_find (VtrCommandTree  *self,
                       guint64          command,
                       GArray         **positions)
{
  return vtr_command_tree_find_run (self, command, VTR_NO_RUN, positions);
}

char *
vtr_command_tree_dup_path (VtrCommandTree    *self,
                           const VtrTreeNode *node)
{
  guint32 number = node->run != VTR_NO_RUN
                     ? vtr_timeline_get_run_number (self->timeline, node->run)
                     : 0;

  g_autofree char *path = NULL;

  if (node->kind == VTR_NODE_ROOT)
    return g_strdup ("commands");
  path = vtr_trace_format_command (vtr_analysis_get_trace (self->analysis), node->command);
  return number > 0 ? g_strdup_printf ("%s@%u", path, number) : g_steal_pointer (&path);
}

GArray *
vtr_command_tree_find_path (VtrCommandTree  *self,
                            const char      *path,
                            GArray         **positions,
                            GError         **error)
{
  g_auto (GStrv) steps = vtr_path_split (path);
  VtrPlace address;
  GArray *nodes;

  if (!vtr_path_parse_command_steps (vtr_analysis_get_timeline (self->analysis),
                                     steps, &address, error))
    return NULL;
  nodes = vtr_command_tree_find_run (self, address.index, address.run, positions);
  if (nodes == NULL)
    {
      g_autofree char *number =
        vtr_trace_format_number (vtr_analysis_get_trace (self->analysis), address.index);

      g_set_error (error, VTR_RESOLVE_ERROR, VTR_RESOLVE_ERROR_NOTHING,
                   _ ("Command %s was recorded but never submitted."), number);
    }
  return nodes;
}
