/* Tests the state as a tree of rows: texts, changes, links, search. */
#include "vtr-test-state.h"

#include "engine/model/vtr-state-tree.h"

#include <string.h>

#define IMAGE 0xa1

typedef struct
{
  VtrTestState state;
  guint64 barrier, other;
} Fixture;

static void
set_up (Fixture       *self,
        gconstpointer  data)
{
  vtr_test_state_set_up (&self->state, data);
  vtr_test_state_add_memory (&self->state, 0xe1);
  vtr_test_state_add_image (&self->state, IMAGE, VK_FORMAT_R8_UNORM, VK_IMAGE_LAYOUT_UNDEFINED,
                            0xe1);
  vtr_test_begin (self->state.test, CB);
  self->other = vtr_test_draw (self->state.test, CB);
  self->barrier = vtr_test_state_barrier (&self->state, CB, IMAGE, ALL_COLOR,
                                          VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL);
  vtr_test_end (self->state.test, CB);
  vtr_test_submit (self->state.test, CB);
  vtr_test_state_open (&self->state);
}

static void
tear_down (Fixture       *self,
           gconstpointer  data)
{
  vtr_test_state_tear_down (&self->state, data);
}

static char *
image_path (Fixture *self,
            guint64  index)
{
  return g_strdup_printf ("commands/%" G_GUINT64_FORMAT "/state/devices/%u/images/%u", index,
                          vtr_test_state_id (&self->state, index, VTR_HANDLE_VkDevice, 3),
                          vtr_test_state_id (&self->state, index, VTR_HANDLE_VkImage, IMAGE));
}

static VtrStateNode *
get_tree (Fixture    *self,
          const char *path)
{
  g_autoptr (GError) error = NULL;
  VtrStateNode *node = vtr_state_node_new (vtr_document_get_analysis (self->state.document),
                                           path, NULL, &error);

  g_assert_no_error (error);
  g_assert_nonnull (node);
  return node;
}

static VtrStateNode *
find (VtrStateNode *root,
      const char *format,
      ...) G_GNUC_PRINTF (2, 3);

static VtrStateNode *
find (VtrStateNode *root,
      const char *format,
      ...)
{
  g_autofree char *path = NULL;
  VtrStateNode *node;
  va_list args;

  va_start (args, format);
  path = g_strdup_vprintf (format, args);
  va_end (args);
  node = vtr_state_node_find (root, path);
  g_assert_cmpstr (vtr_state_node_get_path (node), ==, path);
  return node;
}

static void
test_nodes (Fixture       *self,
            gconstpointer  data)
{
  g_autofree char *path = image_path (self, self->barrier);
  g_autofree char *command = g_strdup_printf ("commands/%" G_GUINT64_FORMAT, self->barrier);
  g_autoptr (VtrStateNode) root = get_tree (self, command);
  g_autoptr (VtrStateNode) image = find (root, "%s", path);
  g_autoptr (VtrStateNode) layout = find (root, "%s/layouts/0/layout", path);
  g_autoptr (VtrStateNode) memory = find (root, "%s/memory", path);
  g_autoptr (VtrStateNode) changed_by = find (root, "%s/layouts/0/changedBy", path);
  g_autoptr (VtrStateNode) there = find (root, "%s", vtr_state_node_get_link (memory));

  g_assert_true (g_str_has_prefix (vtr_state_node_get_name (image), "image "));
  g_assert_cmpstr (vtr_state_node_get_value (image), ==, "GENERAL");
  g_assert_cmpstr (vtr_state_node_get_note (image), ==, "R8_UNORM · 64 × 64");
  g_assert_null (vtr_state_node_get_warning (image));
  g_assert_cmpstr (vtr_state_node_get_value (layout), ==, "GENERAL");
  g_assert_null (vtr_state_node_get_children (layout));
  g_assert_true (g_str_has_prefix (vtr_state_node_get_value (memory), "device memory "));
  g_assert_nonnull (strstr (vtr_state_node_get_path (there), "/deviceMemories/"));
  g_assert_cmpstr (vtr_state_node_get_link (changed_by), ==, command);
}

/* Only what the command changed is marked, and everything above it. */
static void
test_changed (Fixture       *self,
              gconstpointer  data)
{
  g_autofree char *path = image_path (self, self->barrier);
  g_autofree char *before = image_path (self, self->other);
  g_autofree char *command = g_strdup_printf ("commands/%" G_GUINT64_FORMAT, self->barrier);
  g_autofree char *other = g_strdup_printf ("commands/%" G_GUINT64_FORMAT, self->other);
  g_autoptr (VtrStateNode) root = get_tree (self, command);
  g_autoptr (VtrStateNode) image = find (root, "%s", path);
  g_autoptr (VtrStateNode) layout = find (root, "%s/layouts/0/layout", path);
  g_autoptr (VtrStateNode) memory = find (root, "%s/memory", path);
  g_autoptr (VtrStateNode) earlier_root = get_tree (self, other);
  g_autoptr (VtrStateNode) earlier = find (earlier_root, "%s", before);

  g_assert_true (vtr_state_node_get_changed (image));
  g_assert_true (vtr_state_node_get_changed (layout));
  g_assert_false (vtr_state_node_get_changed (memory));
  g_assert_false (vtr_state_node_get_changed (earlier));
  g_assert_cmpstr (vtr_state_node_get_value (earlier), ==, "UNDEFINED");
}

static void
on_found (GObject      *source,
          GAsyncResult *result,
          gpointer      data)
{
  g_autoptr (GError) error = NULL;

  *(GStrv *)data = vtr_state_node_search_finish (result, &error);
  g_assert_no_error (error);
}

static GStrv
search (VtrStateNode *root,
        const char   *text)
{
  GStrv found = NULL;

  vtr_state_node_search_async (root, text, 10, NULL, on_found, &found);
  while (found == NULL)
    g_main_context_iteration (NULL, TRUE);
  return found;
}

/* Rows shorten the names of values; a search finds them by the short name and by the full one. */
static void
test_search_names (Fixture       *self,
                   gconstpointer  data)
{
  static const char *const names[][2] = {
    { "GENERAL", "VK_IMAGE_LAYOUT_GENERAL" },
    { "r8_unorm", "VK_FORMAT_R8_UNORM" },
    { "color", "VK_IMAGE_ASPECT_COLOR" },
  };
  g_autofree char *command = g_strdup_printf ("commands/%" G_GUINT64_FORMAT "/state",
                                              self->barrier);
  g_autofree char *path = image_path (self, self->barrier);
  g_autofree char *format = g_strdup_printf ("%s/format", path);
  g_autoptr (VtrStateNode) root = get_tree (self, command);

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_auto (GStrv) brief = search (root, names[i][0]);
      g_auto (GStrv) full = search (root, names[i][1]);

      g_test_message ("%s", names[i][1]);
      g_assert_cmpuint (g_strv_length (full), >, 0);
      for (guint k = 0; full[k] != NULL; k++)
        g_assert_true (g_strv_contains ((const char *const *)brief, full[k]));
      if (i == 1)
        g_assert_true (g_strv_contains ((const char *const *)full, format));
    }
}

static void
test_search (Fixture       *self,
             gconstpointer  data)
{
  g_autofree char *command = g_strdup_printf ("commands/%" G_GUINT64_FORMAT "/state",
                                              self->barrier);
  g_autofree char *path = image_path (self, self->barrier);
  g_autofree char *wanted = g_strdup_printf ("%s/layouts/0/layout", path);
  g_autoptr (VtrStateNode) root = get_tree (self, command);
  g_auto (GStrv) found = search (root, "general");

  g_assert_cmpuint (g_strv_length (found), ==, 2);
  g_assert_cmpstr (found[0], ==, path);
  g_assert_cmpstr (found[1], ==, wanted);
}

static void
test_wrong (Fixture       *self,
            gconstpointer  data)
{
  g_autofree char *path =
    g_strdup_printf ("commands/%" G_GUINT64_FORMAT "/state/nothing", self->barrier);
  g_autoptr (GError) error = NULL;

  g_assert_null (vtr_state_node_new (vtr_document_get_analysis (self->state.document),
                                     path, NULL, &error));
  g_assert_error (error, VTR_RESOLVE_ERROR, VTR_RESOLVE_ERROR_PATH);
  g_clear_error (&error);
  g_assert_null (vtr_state_node_new (vtr_document_get_analysis (self->state.document),
                                     "frames/1", NULL, &error));
  g_assert_error (error, VTR_RESOLVE_ERROR, VTR_RESOLVE_ERROR_PATH);
}

#define ADD_TEST(name) \
  g_test_add ("/state-tree/" #name, Fixture, NULL, set_up, test_##name, tear_down)

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  ADD_TEST (nodes);
  ADD_TEST (changed);
  ADD_TEST (search);
  ADD_TEST (search_names);
  ADD_TEST (wrong);
  return g_test_run ();
}
