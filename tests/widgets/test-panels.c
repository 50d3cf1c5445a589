/* Tests the Textures and Shaders panes: lists, links, and what they show without a replayer. */
#include "vtr-test-ui.h"

#include "engine/document/vtr-document-lists.h"
#include "widgets/vtr-device-button.h"
#include "widgets/vtr-pane-state.h"
#include "widgets/vtr-pane.h"
#include "widgets/vtr-property-slot.h"
#include "widgets/vtr-reflection-rows.h"
#include "widgets/vtr-shader-text.h"
#include "widgets/vtr-shader-view.h"
#include "widgets/vtr-subresource-row.h"
#include "widgets/vtr-text-scale.h"
#include "widgets/vtr-texture-view.h"

/* A device, an image with a view, a submission and a present. */
static VtrSession *
make_session (void)
{
  g_autoptr (VtrTestTrace) test = vtr_test_trace_new ();
  g_autoptr (VtrDocument) document = NULL;

  vtr_test_add_device (test);
  vtr_test_add_pool (test, 0x10, 0);
  vtr_test_allocate_buffer (test, 0x10, 0x1000);
  vtr_test_add_image (test, 0xa1, 0xb1, VK_FORMAT_R8G8B8A8_SRGB, 64, 32);
  vtr_test_begin (test, 0x1000);
  vtr_test_end (test, 0x1000);
  vtr_test_submit (test, 0x1000);
  vtr_test_present (test);
  document = vtr_test_trace_open_document (test);
  return vtr_session_new (document);
}

static guint32
find_first (VtrSession *session, guint32 type)
{
  g_autoptr (GArray) ids =
    vtr_history_list (vtr_document_get_history (vtr_session_get_document (session)), type);

  return ids->len > 0 ? g_array_index (ids, guint32, 0) : 0;
}

static gboolean
has_object (gpointer data)
{
  return vtr_texture_view_get_object (data) != 0;
}

/* A link chooses the image and leaves the selection; a link to something else is refused. */
static void
test_texture_link (void)
{
  g_autoptr (VtrSession) session = make_session ();
  GtkWidget *view = vtr_texture_view_new ();
  GtkWindow *window = vtr_test_ui_show (view, 1000, 700);
  guint32 image = find_first (session, VTR_HANDLE_VkImage);
  guint32 device = find_first (session, VTR_HANDLE_VkDevice);
  guint32 image_view = find_first (session, VTR_HANDLE_VkImageView);
  g_autofree char *path = g_strdup_printf ("objects/%u/texture?mip=1", image);
  g_autofree char *view_path = g_strdup_printf ("objects/%u", image_view);
  g_autofree char *other = g_strdup_printf ("objects/%u", device);
  guint64 command;

  g_assert_cmpuint (image, !=, 0);
  vtr_pane_set_session (VTR_PANE (view), session);
  vtr_session_select_frame_end (session, 0);
  command = vtr_session_get_command (session);
  g_assert_true (vtr_pane_show_path (VTR_PANE (view), path));
  vtr_test_ui_wait (has_object, view);
  g_assert_cmpuint (vtr_texture_view_get_object (VTR_TEXTURE_VIEW (view)), ==, image);
  g_assert_true (vtr_pane_show_path (VTR_PANE (view), view_path));
  g_assert_false (vtr_pane_show_path (VTR_PANE (view), other));
  g_assert_false (vtr_pane_show_path (VTR_PANE (view), "objects/4294967295"));
  g_assert_false (vtr_pane_show_path (VTR_PANE (view), "commands/0/state"));
  g_assert_true (vtr_pane_show_path (VTR_PANE (view), "textures"));
  g_assert_true (vtr_pane_show_path (VTR_PANE (view), "commands/0/textures"));
  g_assert_false (vtr_pane_show_path (VTR_PANE (view), "commands/0/shaders"));
  g_assert_cmpuint (vtr_session_get_command (session), ==, command);
  vtr_pane_set_session (VTR_PANE (view), NULL);
  g_assert_cmpuint (vtr_texture_view_get_object (VTR_TEXTURE_VIEW (view)), ==, 0);
  gtk_window_destroy (window);
}

/* What the image has only one of cannot be chosen. */
static void
test_subresource (void)
{
  g_autoptr (VtrSession) session = make_session ();
  g_autoptr (VtrTextureList) list =
    vtr_document_list_textures (vtr_session_get_document (session), NULL, NULL);
  VtrTexture *texture = vtr_texture_list_get (list, 0);
  const VtrImageFacts *info = vtr_texture_get_facts (texture);
  GtkWidget *row = g_object_ref_sink (vtr_subresource_row_new ());
  VtrImageQuery query = VTR_IMAGE_QUERY_INIT, back = VTR_IMAGE_QUERY_INIT;

  query.mip = 1000;
  query.layer = 1000;
  query.sample = 1000;
  vtr_subresource_row_set_texture (VTR_SUBRESOURCE_ROW (row), texture, FALSE);
  vtr_subresource_row_set (VTR_SUBRESOURCE_ROW (row), &query);
  vtr_subresource_row_get (VTR_SUBRESOURCE_ROW (row), &back);
  g_assert_cmpuint (back.mip, ==, info->mip_levels - 1);
  g_assert_cmpuint (back.layer, ==, info->array_layers - 1);
  g_assert_cmpuint (back.slice, ==, 0);
  g_assert_cmpuint (back.sample, ==, VTR_SAMPLE_RESOLVE);
  g_object_unref (row);
}

/* A trace without shaders says so, and refuses links to what is no shader. */
static void
test_no_shaders (void)
{
  g_autoptr (VtrSession) session = make_session ();
  GtkWidget *view = vtr_shader_view_new ();
  GtkWindow *window = vtr_test_ui_show (view, 1000, 700);
  guint32 image = find_first (session, VTR_HANDLE_VkImage);
  g_autofree char *path = g_strdup_printf ("objects/%u", image);

  vtr_pane_set_session (VTR_PANE (view), session);
  vtr_test_ui_spin (300);
  g_assert_false (vtr_pane_show_path (VTR_PANE (view), path));
  g_assert_true (vtr_pane_show_path (VTR_PANE (view), "shaders"));
  g_assert_true (vtr_pane_show_path (VTR_PANE (view), "commands/0/shaders"));
  g_assert_false (vtr_pane_show_path (VTR_PANE (view), "commands/0/textures"));
  g_assert_null (vtr_shader_view_get_text (VTR_SHADER_VIEW (view)));
  vtr_pane_set_session (VTR_PANE (view), NULL);
  gtk_window_destroy (window);
}

static void
test_text (void)
{
  GtkWidget *text = vtr_shader_text_new ();
  GtkWindow *window = vtr_test_ui_show (text, 500, 300);

  vtr_shader_text_set_text (VTR_SHADER_TEXT (text), "%1 = OpTypeVoid ; \"x\" 0x12\n", "spirv-asm");
  vtr_test_ui_spin (100);
  g_assert_cmpstr (vtr_shader_text_get_text (VTR_SHADER_TEXT (text)), ==,
                   "%1 = OpTypeVoid ; \"x\" 0x12\n");
  vtr_shader_text_find (VTR_SHADER_TEXT (text), 0);
  vtr_shader_text_set_text (VTR_SHADER_TEXT (text), "void main () { }\n", "glsl");
  vtr_shader_text_find (VTR_SHADER_TEXT (text), 1);
  vtr_test_ui_spin (100);
  gtk_window_destroy (window);
}

static guint
count_children (GtkWidget *widget)
{
  guint n = 0;

  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    n++;
  return n;
}

static void
test_reflection (void)
{
  g_autoptr (JsonNode) node = json_from_string (
    "{\"entryPoint\":\"main\",\"workgroupSize\":[8,8,1],\"inputs\":[],\"outputs\":"
    "[{\"location\":0,\"name\":\"c\",\"type\":\"vec4\"}],\"descriptors\":["
    "{\"set\":0,\"binding\":0,\"name\":\"a\",\"kind\":\"image\",\"type\":\"texture2D\"},"
    "{\"set\":2,\"binding\":1,\"name\":\"b\",\"kind\":\"uniform buffer\",\"type\":\"B\","
    "\"size\":16,\"members\":[{\"name\":\"m\",\"type\":\"vec4\",\"offset\":0,\"size\":16}]}],"
    "\"pushConstants\":[],\"specializationConstants\":[{\"id\":1,\"name\":\"n\",\"type\":\"int\","
    "\"value\":3}]}",
    NULL);
  GtkWidget *rows = vtr_reflection_rows_new (node);
  GtkWindow *window = vtr_test_ui_show (rows, 400, 600);
  g_autoptr (JsonNode) wrong = json_from_string ("[1]", NULL);
  GtkWidget *none = g_object_ref_sink (vtr_reflection_rows_new (wrong));

  /* Titles and cards: shader, outputs, set 0, set 2, constants. */
  g_assert_cmpuint (count_children (rows), ==, 10);
  g_assert_cmpuint (count_children (none), ==, 0);
  g_object_unref (none);
  gtk_window_destroy (window);
}

/* Words and buttons that do not fit scroll: GTK has nothing to say about sizes below zero. */
static void
test_small_state (void)
{
  static const int heights[] = { 300, 60, 24, 1 };
  VtrPaneState *state = VTR_PANE_STATE (vtr_pane_state_new ());
  GtkWidget *paned = gtk_paned_new (GTK_ORIENTATION_VERTICAL);
  GtkWindow *window;

  vtr_pane_state_set (state, "computer-fail-symbolic", "Replay Stopped at Command 1138",
                      "Replay crashed while running vkCmdDrawIndexedIndirect.");
  vtr_pane_state_add_button (state, "_One", "win.one");
  vtr_pane_state_add_button (state, "_Two", "win.two");
  gtk_paned_set_start_child (GTK_PANED (paned), GTK_WIDGET (state));
  gtk_paned_set_end_child (GTK_PANED (paned), gtk_label_new ("Below"));
  gtk_paned_set_shrink_start_child (GTK_PANED (paned), TRUE);
  window = vtr_test_ui_show (paned, 260, 400);
  for (guint i = 0; i < G_N_ELEMENTS (heights); i++)
    {
      gtk_paned_set_position (GTK_PANED (paned), heights[i]);
      vtr_pane_state_set_card (state, i % 2 == 0);
      vtr_pane_state_set_compact (state, i % 2 == 1);
      vtr_test_ui_spin (30);
    }
  gtk_window_destroy (window);
}

static gboolean
has_failed (gpointer data)
{
  return g_strcmp0 (gtk_stack_get_visible_child_name (data), "failed") == 0;
}

static GtkWidget *
find_widget (GtkWidget *widget, GType type)
{
  GtkWidget *found = g_type_is_a (G_OBJECT_TYPE (widget), type) ? widget : NULL;

  for (GtkWidget *child = gtk_widget_get_first_child (widget); found == NULL && child != NULL;
       child = gtk_widget_get_next_sibling (child))
    found = find_widget (child, type);
  return found;
}

static void
chosen_cb (GtkWidget *button, const char *wish, char **chosen)
{
  g_free (*chosen);
  *chosen = g_strdup (wish);
}

/* Without a replayer the list of devices shows the error; the treatment of addresses can still
 * be chosen for the current device. */
static void
test_devices (void)
{
  g_autofree char *chosen = NULL;
  GtkWidget *button = vtr_device_button_new ();
  GtkWindow *window = vtr_test_ui_show (button, 300, 60);
  GtkWidget *popover;
  GtkWidget *stack;
  GtkWidget *addresses;

  vtr_device_button_set_status (VTR_DEVICE_BUTTON (button), "emblem-ok-symbolic", "success",
                                "Replay on llvmpipe");
  g_signal_connect (button, "chosen", G_CALLBACK (chosen_cb), &chosen);
  vtr_device_button_set_device (VTR_DEVICE_BUTTON (button), "0", VTR_REPLAY_ADDRESSES_GUESS);
  g_assert_null (chosen);
  vtr_device_button_popup (VTR_DEVICE_BUTTON (button));
  popover = find_widget (button, GTK_TYPE_POPOVER);
  g_assert_nonnull (popover);
  stack = find_widget (popover, GTK_TYPE_STACK);
  g_assert_nonnull (stack);
  vtr_test_ui_wait (has_failed, stack);
  addresses = find_widget (popover, GTK_TYPE_DROP_DOWN);
  g_assert_nonnull (addresses);
  g_assert_cmpuint (gtk_drop_down_get_selected (GTK_DROP_DOWN (addresses)), ==,
                    VTR_REPLAY_ADDRESSES_GUESS);
  gtk_drop_down_set_selected (GTK_DROP_DOWN (addresses), VTR_REPLAY_ADDRESSES_EXACT);
  g_assert_cmpstr (chosen, ==, "0?addresses=exact");
  gtk_drop_down_set_selected (GTK_DROP_DOWN (addresses), VTR_REPLAY_ADDRESSES_AUTO);
  g_assert_cmpstr (chosen, ==, "0");
  gtk_window_destroy (window);
}

/* What words need grows with the text. */
static void
test_text_scale (void)
{
  GtkSettings *settings = gtk_settings_get_default ();
  GtkWidget *label = g_object_ref_sink (gtk_label_new ("a"));

  g_object_set (settings, "gtk-xft-dpi", 2 * 96 * 1024, NULL);
  g_assert_cmpint (vtr_text_scaled (label, 100), ==, 200);
  g_object_set (settings, "gtk-xft-dpi", 96 * 1024, NULL);
  g_assert_cmpint (vtr_text_scaled (label, 100), ==, 100);
  gtk_settings_reset_property (settings, "gtk-xft-dpi");
  g_object_unref (label);
}

static GListModel *
make_rows (const char *second, const char *text)
{
  GListStore *children = g_list_store_new (VTR_TYPE_PROPERTY_ROW);
  GListStore *rows = g_list_store_new (VTR_TYPE_PROPERTY_ROW);
  g_autoptr (VtrPropertyRow) child = vtr_property_row_new ("width", text, NULL, NULL);
  g_autoptr (VtrPropertyRow) first = NULL;
  g_autoptr (VtrPropertyRow) other = vtr_property_row_new (second, text, NULL, NULL);

  g_list_store_append (children, child);
  first = vtr_property_row_new ("extent", text, NULL, G_LIST_MODEL (children));
  g_list_store_append (rows, first);
  g_list_store_append (rows, other);
  g_object_unref (children);
  return G_LIST_MODEL (rows);
}

static void
count_cb (guint *n)
{
  ++*n;
}

/* Rows of the next command replace only rows with the same names. */
static void
test_slots (void)
{
  g_autoptr (GListModel) before = make_rows ("format", "1");
  g_autoptr (GListModel) after = make_rows ("format", "2");
  g_autoptr (GListModel) others = make_rows ("flags", "3");
  g_autoptr (GListModel) slots = vtr_property_slots_new (before);
  g_autoptr (VtrPropertySlot) first = g_list_model_get_item (slots, 0);
  g_autoptr (VtrPropertySlot) below =
    g_list_model_get_item (vtr_property_slot_get_children (first), 0);
  guint n_changes = 0;

  g_signal_connect_swapped (first, "changed", G_CALLBACK (count_cb), &n_changes);
  g_signal_connect_swapped (below, "changed", G_CALLBACK (count_cb), &n_changes);
  g_assert_true (vtr_property_slots_replace (slots, after));
  g_assert_cmpuint (n_changes, ==, 2);
  g_assert_cmpstr (vtr_property_row_get_text (vtr_property_slot_get_row (below)), ==, "2");
  g_assert_false (vtr_property_slots_replace (slots, others));
  g_assert_cmpuint (n_changes, ==, 2);
  g_assert_cmpstr (vtr_property_row_get_text (vtr_property_slot_get_row (first)), ==, "2");
}

int
main (int argc, char **argv)
{
  vtr_test_ui_init (&argc, &argv);
  g_test_add_func ("/widgets/panels/texture-link", test_texture_link);
  g_test_add_func ("/widgets/panels/subresource", test_subresource);
  g_test_add_func ("/widgets/panels/no-shaders", test_no_shaders);
  g_test_add_func ("/widgets/panels/text", test_text);
  g_test_add_func ("/widgets/panels/reflection", test_reflection);
  g_test_add_func ("/widgets/panels/small-state", test_small_state);
  g_test_add_func ("/widgets/panels/devices", test_devices);
  g_test_add_func ("/widgets/panels/text-scale", test_text_scale);
  g_test_add_func ("/widgets/panels/slots", test_slots);
  return g_test_run ();
}
