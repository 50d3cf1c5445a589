/* Prints the command tree of a trace, or the rows of the state that a command changed, for
 * test-state.py.  Usage: tiny-print TRACE [PATH] */
#include "engine/model/vtr-command-tree.h"
#include "engine/model/vtr-draw-order.h"
#include "engine/model/vtr-state-tree.h"
#include "engine/state/vtr-history.h"

static void
print_tree (VtrCommandTree    *tree,
            const VtrTreeNode *node)
{
  for (guint32 i = 0; i < node->n_children; i++)
    {
      VtrTreeNode child;
      g_autofree char *title = NULL, *detail = NULL;

      vtr_command_tree_get_child (tree, node, i, &child);
      title = vtr_command_tree_get_full_title (tree, &child);
      detail = vtr_command_tree_get_detail (tree, &child);
      g_print ("%*s%s\t%s\n", (int)child.depth, "", title, detail);
      print_tree (tree, &child);
    }
}

/* Each command has to lead to its own row. */
static void
check_rows (VtrCommandTree *tree,
            VtrTrace       *trace)
{
  for (guint64 i = 0; i < vtr_trace_get_n_commands (trace); i++)
    {
      g_autoptr (GArray) nodes = vtr_command_tree_find (tree, i, NULL);

      g_assert_nonnull (nodes);
      g_assert_cmpuint (g_array_index (nodes, VtrTreeNode, nodes->len - 1).command, ==, i);
    }
}

/* Goes from draw to draw. */
static void
print_draws (VtrTimeline *timeline)
{
  guint64 index = VTR_COMMAND_NO_INDEX, last = 0;
  guint32 run = VTR_NO_RUN;
  guint n = 0, back = 0;

  while (vtr_draw_order_step (timeline, &index, &run, 1))
    {
      last = index;
      n++;
    }
  index = last;
  while (n > 0 && vtr_draw_order_step (timeline, &index, &run, -1))
    back++;
  g_print ("draws\t%u %u %" G_GUINT64_FORMAT "\n", n, n > 0 ? back + 1 : 0,
           vtr_timeline_get_n_draws (timeline));
}

static void
print_changed (VtrStateNode *node)
{
  GListModel *children = vtr_state_node_get_children (node);

  for (guint i = 0; children != NULL && i < g_list_model_get_n_items (children); i++)
    {
      g_autoptr (VtrStateNode) child = g_list_model_get_item (children, i);

      if (!vtr_state_node_get_changed (child))
        continue;
      g_print ("%s\t%s\n", vtr_state_node_get_path (child), vtr_state_node_get_value (child));
      print_changed (child);
    }
}

int
main (int    argc,
      char **argv)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (VtrTrace) trace = argc > 1 ? vtr_trace_open (argv[1], NULL, NULL, NULL, &error) : NULL;
  g_autoptr (VtrTimeline) timeline = NULL;
  g_autoptr (VtrHistory) history = NULL;
  g_autoptr (VtrAnalysis) analysis = NULL;
  g_autoptr (VtrCommandTree) tree = NULL;
  g_autoptr (VtrStateNode) state = NULL;
  VtrTreeNode root;

  if (trace == NULL)
    g_error ("%s", error != NULL ? error->message : "usage: tiny-print TRACE [PATH]");
  timeline = vtr_timeline_build (trace, NULL, NULL, NULL, &error);
  history = vtr_history_build (trace, NULL, NULL, NULL, &error);
  g_assert_no_error (error);
  analysis = vtr_analysis_new (timeline, history);
  if (argc > 2)
    {
      state = vtr_state_node_new (analysis, argv[2], NULL, &error);
      g_assert_no_error (error);
      print_changed (state);
      return 0;
    }
  tree = vtr_command_tree_new (analysis);
  vtr_command_tree_get_root (tree, &root);
  print_tree (tree, &root);
  check_rows (tree, trace);
  print_draws (timeline);
  return 0;
}
