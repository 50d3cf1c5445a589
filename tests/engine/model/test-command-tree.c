/* Tests the tree of commands: nesting, counting, finding, texts. */
#include "vtr-test-trace.h"

#include "engine/model/vtr-command-text.h"
#include "engine/model/vtr-command-tree.h"

#include <string.h>

#define CB 0x1000
#define CB2 0x1001
#define SECONDARY 0x2000
#define BUFFER H (VkCommandBuffer, CB)

static VtrTestTrace *
start (void)
{
  VtrTestTrace *test = vtr_test_trace_new ();

  vtr_test_add_device (test);
  vtr_test_add_pool (test, 0x10, 0);
  vtr_test_allocate_buffer (test, 0x10, CB);
  vtr_test_allocate_buffer (test, 0x10, CB2);
  vtr_test_allocate_buffer (test, 0x10, SECONDARY);
  vtr_test_add_render_pass (test, 0xc1, VK_FORMAT_R8G8B8A8_UNORM, TRUE, 3);
  return test;
}

/* The tree below @node, two spaces per level, without what is before the first submission. */
static void
print (VtrCommandTree *tree, const VtrTreeNode *node, GString *to)
{
  for (guint32 i = 0; i < node->n_children; i++)
    {
      VtrTreeNode child;
      g_autofree char *title = NULL;

      vtr_command_tree_get_child (tree, node, i, &child);
      title = vtr_command_tree_get_title (tree, &child);
      if (child.depth >= 3)
        g_string_append_printf (to, "%*s%s\n", (int)(child.depth - 3) * 2, "", title);
      print (tree, &child, to);
    }
}

/* Each row is found again by its command, at the place it stands. */
static void
check_find (VtrCommandTree *tree, const VtrTreeNode *node, GArray *steps)
{
  for (guint32 i = 0; i < node->n_children; i++)
    {
      VtrTreeNode child;

      vtr_command_tree_get_child (tree, node, i, &child);
      g_array_append_val (steps, i);
      if (child.kind == VTR_NODE_CMD)
        {
          g_autofree char *path = vtr_command_tree_dup_path (tree, &child);
          g_autoptr (GArray) positions = NULL, nodes = NULL;

          nodes = vtr_command_tree_find_path (tree, path, &positions, NULL);
          g_assert_nonnull (nodes);
          g_assert_cmpmem (positions->data, positions->len * sizeof (guint32), steps->data,
                           steps->len * sizeof (guint32));
        }
      if (child.kind == VTR_NODE_CMD || child.kind == VTR_NODE_COMMAND ||
          child.kind == VTR_NODE_SUBMIT || child.kind == VTR_NODE_GROUP)
        {
          g_autoptr (GArray) positions = NULL;
          guint64 command = child.kind == VTR_NODE_GROUP ? child.first : child.command;
          g_autoptr (GArray) nodes = vtr_command_tree_find (tree, command, &positions);
          const VtrTreeNode *found;

          g_assert_nonnull (nodes);
          g_assert_cmpuint (nodes->len, ==, positions->len);
          g_assert_cmpmem (positions->data, positions->len * sizeof (guint32), steps->data,
                           steps->len * sizeof (guint32));
          found = &g_array_index (nodes, VtrTreeNode, nodes->len - 1);
          g_assert_cmpmem (found, sizeof *found, &child, sizeof child);
        }
      check_find (tree, &child, steps);
      g_array_set_size (steps, steps->len - 1);
    }
}

static void
check_tree (VtrTestTrace *test, const char *expected)
{
  g_autoptr (VtrDocument) document = vtr_test_trace_open_document (test);
  g_autoptr (VtrCommandTree) tree = vtr_command_tree_new (vtr_document_get_analysis (document));
  g_autoptr (GString) text = g_string_new (NULL);
  g_autoptr (GArray) steps = g_array_new (FALSE, FALSE, sizeof (guint32));
  VtrTreeNode root;

  vtr_command_tree_get_root (tree, &root);
  print (tree, &root, text);
  g_assert_cmpstr (text->str, ==, expected);
  check_find (tree, &root, steps);
}

static void
test_nesting (void)
{
  g_autoptr (VtrTestTrace) test = start ();

  vtr_test_begin (test, CB);
  vtr_test_label (test, CB, "outer");
  vtr_test_label (test, CB, "inner");
  vtr_test_begin_pass (test, CB, 0xc1, 0);
  vtr_test_draw (test, CB);
  vtr_test_end_pass (test, CB);
  vtr_test_end_label (test, CB);
  ADD (test, vkCmdDispatch, .commandBuffer = BUFFER, 1, 1, 1);
  vtr_test_end_label (test, CB);
  vtr_test_label (test, CB, "empty");
  vtr_test_end_label (test, CB);
  vtr_test_end (test, CB);
  vtr_test_submit (test, CB);
  check_tree (test, "BeginCommandBuffer\n"
                    "outer\n"
                    "  inner\n"
                    "    Colour pass 1\n"
                    "      BeginRenderPass\n"
                    "      Draw\n"
                    "      EndRenderPass\n"
                    "  Dispatch\n"
                    "empty\n"
                    "EndCommandBuffer\n");
}

/* A label that ends inside a pass lasts until the pass ends; one that begins inside is cut there.
   */
static void
test_spanning_labels (void)
{
  g_autoptr (VtrTestTrace) test = start ();

  vtr_test_begin (test, CB);
  vtr_test_label (test, CB, "before");
  vtr_test_begin_pass (test, CB, 0xc1, 0);
  vtr_test_draw (test, CB);
  vtr_test_end_label (test, CB); /* of "before" */
  vtr_test_label (test, CB, "within");
  vtr_test_draw (test, CB);
  vtr_test_end_pass (test, CB);
  vtr_test_end_label (test, CB); /* of "within" */
  vtr_test_end_label (test, CB); /* of a label in another command buffer */
  vtr_test_label (test, CB, "open");
  vtr_test_draw (test, CB);
  vtr_test_end (test, CB);
  vtr_test_submit (test, CB);
  check_tree (test, "BeginCommandBuffer\n"
                    "before\n"
                    "  Colour pass 1\n"
                    "    BeginRenderPass\n"
                    "    Draw\n"
                    "    EndDebugUtilsLabelEXT\n"
                    "    within\n"
                    "      Draw\n"
                    "    EndRenderPass\n"
                    "EndDebugUtilsLabelEXT\n"
                    "EndDebugUtilsLabelEXT\n"
                    "open\n"
                    "  Draw\n"
                    "EndCommandBuffer\n");
}

static void
test_subpasses (void)
{
  g_autoptr (VtrTestTrace) test = start ();

  vtr_test_begin (test, CB);
  vtr_test_begin_pass (test, CB, 0xc1, 0);
  ADD (test, vkCmdNextSubpass, .commandBuffer = BUFFER);
  vtr_test_label (test, CB, "cut");
  vtr_test_draw (test, CB);
  ADD (test, vkCmdNextSubpass, .commandBuffer = BUFFER);
  vtr_test_end_label (test, CB);
  vtr_test_draw (test, CB);
  vtr_test_end_pass (test, CB);
  vtr_test_end (test, CB);
  vtr_test_submit (test, CB);
  check_tree (test, "BeginCommandBuffer\n"
                    "Colour pass 1\n"
                    "  BeginRenderPass\n"
                    "  Subpass 0\n"
                    "  Subpass 1\n"
                    "    NextSubpass\n"
                    "    cut\n"
                    "      Draw\n"
                    "  Subpass 2\n"
                    "    NextSubpass\n"
                    "    EndDebugUtilsLabelEXT\n"
                    "    Draw\n"
                    "  EndRenderPass\n"
                    "EndCommandBuffer\n");
}

static void
test_secondaries (void)
{
  g_autoptr (VtrTestTrace) test = start ();
  VkCommandBuffer secondaries[] = { H (VkCommandBuffer, SECONDARY),
                                    H (VkCommandBuffer, SECONDARY) };

  vtr_test_begin (test, SECONDARY);
  vtr_test_label (test, SECONDARY, "in secondary");
  vtr_test_draw (test, SECONDARY);
  vtr_test_end_label (test, SECONDARY);
  vtr_test_end (test, SECONDARY);
  vtr_test_begin (test, CB);
  ADD (test, vkCmdExecuteCommands, .commandBuffer = BUFFER, .commandBufferCount = 1,
       .pCommandBuffers = secondaries);
  vtr_test_end (test, CB);
  vtr_test_submit (test, CB);
  check_tree (test, "BeginCommandBuffer\n"
                    "ExecuteCommands\n"
                    "  Command buffer 8\n"
                    "    BeginCommandBuffer\n"
                    "    in secondary\n"
                    "      Draw\n"
                    "    EndCommandBuffer\n"
                    "EndCommandBuffer\n");
}

/* Rows of a later submission have paths of their own. */
static void
test_resubmission (void)
{
  g_autoptr (VtrTestTrace) test = start ();
  g_autoptr (VtrDocument) document = NULL;
  g_autoptr (VtrCommandTree) tree = NULL;
  g_autoptr (GArray) nodes = NULL;
  g_autoptr (GError) error = NULL;
  g_autofree char *path = NULL, *back = NULL;
  guint64 draw;

  vtr_test_begin (test, CB);
  draw = vtr_test_draw (test, CB);
  vtr_test_end (test, CB);
  for (guint i = 0; i < 3; i++)
    {
      vtr_test_submit (test, CB);
      vtr_test_present (test);
    }
  document = vtr_test_trace_open_document (test);
  tree = vtr_command_tree_new (vtr_document_get_analysis (document));
  path = g_strdup_printf ("commands/%" G_GUINT64_FORMAT "@2", draw);
  nodes = vtr_command_tree_find_path (tree, path, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (vtr_trace_get_frame_of (vtr_document_get_trace (document),
                                            g_array_index (nodes, VtrTreeNode, 0).last),
                    ==, 2);
  back = vtr_command_tree_dup_path (tree, &g_array_index (nodes, VtrTreeNode, nodes->len - 1));
  g_assert_cmpstr (back, ==, path);
  g_assert_null (vtr_command_tree_find_path (tree, "frames/1", NULL, &error));
  g_assert_error (error, VTR_RESOLVE_ERROR, VTR_RESOLVE_ERROR_PATH);
}

/* Two passes of a frame never have the same number, whichever command buffer begins them; the
 * next frame starts again. */
static void
test_pass_numbers (void)
{
  g_autoptr (VtrTestTrace) test = start ();
  VkCommandBuffer secondaries[] = { H (VkCommandBuffer, SECONDARY),
                                    H (VkCommandBuffer, SECONDARY) };
  g_autoptr (VtrDocument) document = NULL;
  g_autoptr (VtrCommandTree) tree = NULL;
  g_autoptr (GString) text = g_string_new (NULL), numbers = g_string_new (NULL);
  g_auto (GStrv) lines = NULL;
  VtrTreeNode root;

  vtr_test_begin (test, SECONDARY);
  vtr_test_begin_pass (test, SECONDARY, 0xc1, 0);
  vtr_test_end_pass (test, SECONDARY);
  vtr_test_end (test, SECONDARY);
  vtr_test_begin (test, CB);
  vtr_test_begin_pass (test, CB, 0xc1, 0);
  vtr_test_end_pass (test, CB);
  ADD (test, vkCmdExecuteCommands, .commandBuffer = BUFFER, .commandBufferCount = 2,
       .pCommandBuffers = secondaries);
  vtr_test_begin_pass (test, CB, 0xc1, 0);
  vtr_test_end_pass (test, CB);
  vtr_test_end (test, CB);
  vtr_test_begin (test, CB2);
  vtr_test_begin_pass (test, CB2, 0xc1, 0);
  vtr_test_end_pass (test, CB2);
  vtr_test_end (test, CB2);
  vtr_test_submit (test, CB);
  vtr_test_submit (test, CB2);
  vtr_test_present (test);
  vtr_test_submit (test, CB2);
  vtr_test_present (test);
  document = vtr_test_trace_open_document (test);
  tree = vtr_command_tree_new (vtr_document_get_analysis (document));
  vtr_command_tree_get_root (tree, &root);
  print (tree, &root, text);
  lines = g_strsplit (text->str, "\n", -1);
  for (char **line = lines; *line != NULL; line++)
    if (strstr (*line, "Colour pass ") != NULL)
      g_string_append (numbers, strrchr (*line, ' '));
  g_assert_cmpstr (numbers->str, ==, " 1 2 3 4 5 1");
}

static void
test_malformed (void)
{
  g_autoptr (VtrTestTrace) test = start ();

  vtr_test_begin (test, CB);
  vtr_test_end_pass (test, CB);
  ADD (test, vkCmdNextSubpass, .commandBuffer = BUFFER);
  vtr_test_begin_pass (test, CB, 0xc1, 0);
  vtr_test_begin_pass (test, CB, 0xc1, 0);
  vtr_test_end (test, CB);
  vtr_test_submit (test, CB);
  check_tree (test, "BeginCommandBuffer\n"
                    "EndRenderPass\n"
                    "NextSubpass\n"
                    "Colour pass 1\n"
                    "  BeginRenderPass\n"
                    "Colour pass 2\n"
                    "  BeginRenderPass\n"
                    "EndCommandBuffer\n");
}

/* Work submitted after the last present is a part of its own and not a frame. */
static void
test_rest (void)
{
  g_autoptr (VtrTestTrace) test = start ();
  g_autoptr (VtrDocument) document = NULL;
  g_autoptr (VtrCommandTree) tree = NULL;
  g_autoptr (GArray) steps = g_array_new (FALSE, FALSE, sizeof (guint32));
  g_autofree char *title = NULL, *detail = NULL;
  guint64 presented, draw, last, first_of_frame, last_of_frame;
  VtrTreeNode root, rest;
  VtrTrace *trace;

  vtr_test_begin (test, CB);
  draw = vtr_test_draw (test, CB);
  vtr_test_end (test, CB);
  vtr_test_submit (test, CB);
  vtr_test_present (test);
  vtr_test_present (test);
  presented = vtr_test_begin (test, CB2) - 1;
  vtr_test_draw (test, CB2);
  vtr_test_end (test, CB2);
  vtr_test_submit (test, CB2);
  last = ADD (test, vkDeviceWaitIdle, .device = H (VkDevice, 3));

  document = vtr_test_trace_open_document (test);
  trace = vtr_document_get_trace (document);
  g_assert_cmpuint (vtr_trace_get_n_frames (trace), ==, 2);
  g_assert_cmpuint (vtr_trace_get_n_parts (trace), ==, 3);
  g_assert_cmpuint (vtr_trace_get_frame_of (trace, last), ==, 1);
  g_assert_cmpuint (vtr_trace_get_part_of (trace, last), ==, 2);
  g_assert_cmpuint (vtr_trace_get_part_of (trace, presented), ==, 1);
  g_assert_cmpuint (vtr_trace_get_part_of (trace, draw), ==, 0);
  vtr_trace_get_frame (trace, 1, &first_of_frame, &last_of_frame);
  g_assert_cmpuint (last_of_frame, ==, presented);

  tree = vtr_command_tree_new (vtr_document_get_analysis (document));
  vtr_command_tree_get_root (tree, &root);
  g_assert_cmpuint (root.n_children, ==, 3);
  vtr_command_tree_get_child (tree, &root, 2, &rest);
  g_assert_cmpuint (rest.first, ==, presented + 1);
  g_assert_cmpuint (rest.last, ==, last);
  title = vtr_command_tree_get_title (tree, &rest);
  g_assert_cmpstr (title, ==, "After the Last Frame");
  detail = vtr_command_tree_get_detail (tree, &rest);
  g_assert_cmpstr (detail, ==, "1 draw");
  check_find (tree, &root, steps);
}

/* Frames, and calls mixed into the recording as other files have them. */
static void
test_frames (void)
{
  g_autoptr (VtrTestTrace) test = start ();
  g_autoptr (VtrDocument) document = NULL;
  g_autoptr (VtrCommandTree) tree = NULL;
  g_autofree char *title = NULL, *detail = NULL, *submit = NULL, *buffer = NULL, *pass = NULL;
  VtrTreeNode root, frame, node;
  guint64 never, wait;

  vtr_test_begin (test, CB);
  vtr_test_begin_pass (test, CB, 0xc1, 0);
  wait = ADD (test, vkDeviceWaitIdle, .device = H (VkDevice, 3));
  vtr_test_draw (test, CB);
  vtr_test_draw (test, CB);
  vtr_test_end_pass (test, CB);
  vtr_test_end (test, CB);
  vtr_test_submit (test, CB);
  vtr_test_present (test);
  vtr_test_submit (test, CB);
  vtr_test_present (test);
  vtr_test_begin (test, CB2);
  never = vtr_test_draw (test, CB2);
  vtr_test_end (test, CB2);

  document = vtr_test_trace_open_document (test);
  tree = vtr_command_tree_new (vtr_document_get_analysis (document));
  vtr_command_tree_get_root (tree, &root);
  g_assert_cmpuint (root.n_children, ==, 2);
  vtr_command_tree_get_child (tree, &root, 1, &frame);
  g_assert_cmpuint (frame.kind, ==, VTR_NODE_FRAME);
  g_assert_cmpuint (frame.n_children, ==, 2);
  title = vtr_command_tree_get_title (tree, &frame);
  g_assert_cmpstr (title, ==, "Frame 1");
  detail = vtr_command_tree_get_detail (tree, &frame);
  g_assert_cmpstr (detail, ==, "2 draws");
  vtr_command_tree_get_child (tree, &frame, 0, &node);
  g_assert_cmpuint (node.kind, ==, VTR_NODE_SUBMIT);
  submit = vtr_command_tree_get_detail (tree, &node);
  g_assert_cmpstr (submit, ==, "(queue 4, 1 command buffer)");
  vtr_command_tree_get_child (tree, &node, 0, &node);
  g_assert_cmpuint (node.kind, ==, VTR_NODE_LIST);
  buffer = vtr_command_tree_get_detail (tree, &node);
  g_assert_cmpstr (buffer, ==, "6 commands · 2 draws");
  vtr_command_tree_get_child (tree, &node, 1, &node);
  g_assert_cmpuint (node.kind, ==, VTR_NODE_PASS);
  pass = vtr_command_tree_get_detail (tree, &node);
  g_assert_cmpstr (pass, ==, "1 colour + depth · 2 draws");

  g_assert_null (vtr_command_tree_find (tree, never, NULL));
  g_assert_null (vtr_command_tree_find (tree, 1000, NULL));
  {
    g_autoptr (GArray) nodes = vtr_command_tree_find (tree, wait, NULL);

    g_assert_cmpuint (nodes->len, ==, 2);
  }
}

/* --- Filter --- */

static guint
count (VtrDocument *document, const char *text)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GArray) found = vtr_command_filter (vtr_document_get_analysis (document),
                                                 text, 1000, NULL, &error);

  g_assert_no_error (error);
  for (guint i = 1; i < found->len; i++)
    g_assert_cmpuint (g_array_index (found, guint64, i), >,
                      g_array_index (found, guint64, i - 1));
  return found->len;
}

static void
check_bad (VtrDocument *document, const char *text, const char *expected)
{
  g_autoptr (GError) error = NULL;

  g_assert_null (vtr_command_filter (vtr_document_get_analysis (document),
                                     text, 1000, NULL, &error));
  g_assert_error (error, VTR_RESOLVE_ERROR, VTR_RESOLVE_ERROR_PATH);
  if (strstr (error->message, expected) == NULL)
    g_error ("“%s” does not say “%s”", error->message, expected);
}

static void
test_filter (void)
{
  g_autoptr (VtrTestTrace) test = start ();
  g_autoptr (VtrDocument) document = NULL;
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (GError) error = NULL;
  VkFence fence = VK_NULL_HANDLE;
  VkFenceCreateInfo info = { .sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO };

  ADD_RESULT (test, VK_ERROR_OUT_OF_HOST_MEMORY, vkCreateFence, .device = H (VkDevice, 3),
              .pCreateInfo = &info, .pFence = &fence);
  vtr_test_begin (test, CB);
  vtr_test_label (test, CB, "Shadow map");
  vtr_test_begin_pass (test, CB, 0xc1, 0);
  vtr_test_draw (test, CB);
  vtr_test_draw (test, CB);
  vtr_test_end_pass (test, CB);
  vtr_test_end_label (test, CB);
  vtr_test_draw (test, CB);
  ADD (test, vkCmdFillBuffer, .commandBuffer = BUFFER);
  ADD (test, vkCmdDispatch, .commandBuffer = BUFFER, 1, 1, 1);
  vtr_test_end (test, CB);
  vtr_test_submit (test, CB);
  vtr_test_present (test);
  vtr_test_submit (test, CB);
  vtr_test_present (test);
  document = vtr_test_trace_open_document (test);

  g_assert_cmpuint (count (document, "draw"), ==, 3);
  g_assert_cmpuint (count (document, "dispatch"), ==, 1);
  g_assert_cmpuint (count (document, "copy"), ==, 1);
  g_assert_cmpuint (count (document, "fillbuf"), ==, 1);
  g_assert_cmpuint (count (document, "pass:shadow"), ==, 6);
  g_assert_cmpuint (count (document, "draw pass:\"shadow map\""), ==, 2);
  g_assert_cmpuint (count (document, "draw -pass:shadow"), ==, 1);
  g_assert_cmpuint (count (document, "draw pass:colour"), ==, 2);
  /* A word means groups, too. */
  g_assert_cmpuint (count (document, "shadow"), ==, 6);
  g_assert_cmpuint (count (document, "error"), ==, 1);
  g_assert_cmpuint (count (document, "name:^vkQueue(Submit|Present)"), ==, 4);
  g_assert_cmpuint (count (document, "submit frame:1"), ==, 1);
  g_assert_cmpuint (count (document, "thread:77 draw"), ==, 3);
  g_assert_cmpuint (count (document, "thread:78"), ==, 0);
  g_assert_cmpuint (count (document, ""), ==,
                    vtr_trace_get_n_commands (vtr_document_get_trace (document)));
  check_bad (document, "gpu:5", "Use pass:");
  check_bad (document, "thread:abc", "number");
  check_bad (document, "name:(", "regular expression");
  check_bad (document, "frame:99", "frame 99");
  check_bad (document, "pass:", "value");
  g_cancellable_cancel (cancellable);
  g_assert_null (vtr_command_filter (vtr_document_get_analysis (document),
                                     "draw", 10, cancellable, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
}

/* A pass has another number in each frame where other passes come before it: each one finds it. */
static void
test_filter_runs (void)
{
  g_autoptr (VtrTestTrace) test = start ();
  g_autoptr (VtrDocument) document = NULL;

  vtr_test_begin (test, CB);
  vtr_test_begin_pass (test, CB, 0xc1, 0);
  vtr_test_draw (test, CB);
  vtr_test_draw (test, CB);
  vtr_test_end_pass (test, CB);
  vtr_test_end (test, CB);
  vtr_test_begin (test, CB2);
  for (guint i = 0; i < 2; i++)
    {
      vtr_test_begin_pass (test, CB2, 0xc1, 0);
      vtr_test_draw (test, CB2);
      vtr_test_end_pass (test, CB2);
    }
  vtr_test_end (test, CB2);
  vtr_test_submit (test, CB);
  vtr_test_present (test);
  vtr_test_submit (test, CB2);
  vtr_test_submit (test, CB);
  vtr_test_present (test);
  vtr_test_submit (test, CB);
  vtr_test_submit (test, CB2);
  vtr_test_present (test);
  document = vtr_test_trace_open_document (test);

  g_assert_cmpuint (count (document, "draw pass:\"colour pass 1\""), ==, 3);
  g_assert_cmpuint (count (document, "draw pass:\"colour pass 2\""), ==, 2);
  g_assert_cmpuint (count (document, "draw pass:\"colour pass 3\""), ==, 3);
  g_assert_cmpuint (count (document, "draw pass:\"colour pass 4\""), ==, 0);
}

/* Calls whose arguments are all in one structure say what is in it. */
static void
test_structures (void)
{
  g_autoptr (VtrTestTrace) test = start ();
  VkDebugUtilsLabelEXT label = {
    .sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_LABEL_EXT,
    .pLabelName = "here it is",
  };
  VkDebugUtilsObjectNameInfoEXT name = {
    .sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_OBJECT_NAME_INFO_EXT,
    .objectType = VK_OBJECT_TYPE_COMMAND_BUFFER,
    .objectHandle = CB,
    .pObjectName = "shadow pass",
  };
  g_autofree char *named = NULL, *inserted = NULL;
  g_autoptr (VtrDocument) document = NULL;
  guint64 naming, inserting;

  naming = ADD (test, vkSetDebugUtilsObjectNameEXT, .device = H (VkDevice, 3), .pNameInfo = &name);
  vtr_test_begin (test, CB);
  inserting =
    ADD (test, vkCmdInsertDebugUtilsLabelEXT, .commandBuffer = BUFFER, .pLabelInfo = &label);
  vtr_test_end (test, CB);
  vtr_test_submit (test, CB);
  document = vtr_test_trace_open_document (test);
  named = vtr_command_dup_arguments (vtr_document_get_analysis (document), naming);
  inserted = vtr_command_dup_arguments (vtr_document_get_analysis (document), inserting);
  g_test_message ("%s, %s", named, inserted);
  g_assert_nonnull (strstr (named, "shadow pass"));
  g_assert_nonnull (strstr (named, "command buffer"));
  g_assert_true (g_str_has_prefix (inserted, "(here it is") ||
                 g_str_has_prefix (inserted, "(\"here it is\""));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, G_TEST_OPTION_ISOLATE_DIRS, NULL);
  g_test_add_func ("/engine/model/command-tree/nesting", test_nesting);
  g_test_add_func ("/engine/model/command-tree/spanning-labels", test_spanning_labels);
  g_test_add_func ("/engine/model/command-tree/subpasses", test_subpasses);
  g_test_add_func ("/engine/model/command-tree/secondaries", test_secondaries);
  g_test_add_func ("/engine/model/command-tree/resubmission", test_resubmission);
  g_test_add_func ("/engine/model/command-tree/pass-numbers", test_pass_numbers);
  g_test_add_func ("/engine/model/command-tree/malformed", test_malformed);
  g_test_add_func ("/engine/model/command-tree/frames", test_frames);
  g_test_add_func ("/engine/model/command-tree/rest", test_rest);
  g_test_add_func ("/engine/model/command-tree/filter", test_filter);
  g_test_add_func ("/engine/model/command-tree/filter-runs", test_filter_runs);
  g_test_add_func ("/engine/model/command-tree/structures", test_structures);
  return g_test_run ();
}
