/* Tests what an image viewer shows before, while and after it gets an image, without a replayer. */
#include "vtr-test-ui.h"

#include <string.h>

#include "engine/picture/vtr-image.h"
#include "widgets/vtr-framebuffer-view.h"
#include "widgets/vtr-image-viewer.h"
#include "widgets/vtr-pane.h"
#include "widgets/vtr-pipeline-view.h"
#include "widgets/vtr-texture-view.h"
#include "widgets/vtr-thumb.h"

static VtrImage *
make_image (void)
{
  const gsize size = 64 * 32 * 4;
  g_autoptr (GBytes) texels = g_bytes_new_take (g_malloc0 (size), size);

  return vtr_image_new (&vtr_pixel_rgba8_unorm, VTR_PIXEL_COLOR, 64, 32, texels, NULL);
}

static VtrSession *
make_session (void)
{
  g_autoptr (VtrTestTrace) test = vtr_test_trace_new ();
  g_autoptr (VtrDocument) document = NULL;
  VkImageView view = H (VkImageView, 0x21);
  VkFramebuffer framebuffer = H (VkFramebuffer, 0xd1);
  VkFramebufferCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO,
    .renderPass = H (VkRenderPass, 0xc1),
    .attachmentCount = 1,
    .pAttachments = &view,
    .width = 64,
    .height = 32,
    .layers = 1,
  };

  vtr_test_add_device (test);
  vtr_test_add_pool (test, 0x10, 0);
  vtr_test_add_image (test, 0x20, 0x21, VK_FORMAT_R8G8B8A8_UNORM, 64, 32);
  vtr_test_add_memory (test, 0x30, 1 << 20);
  ADD (test, vkBindImageMemory, .device = H (VkDevice, 3), .image = H (VkImage, 0x20),
       .memory = H (VkDeviceMemory, 0x30));
  vtr_test_add_render_pass (test, 0xc1, VK_FORMAT_R8G8B8A8_UNORM, FALSE, 1);
  ADD (test, vkCreateFramebuffer, .device = H (VkDevice, 3), .pCreateInfo = &info,
       .pFramebuffer = &framebuffer);
  vtr_test_allocate_buffer (test, 0x10, 0x1000);
  vtr_test_begin (test, 0x1000);
  vtr_test_begin_pass (test, 0x1000, 0xc1, 0xd1);
  vtr_test_draw (test, 0x1000);
  vtr_test_end_pass (test, 0x1000);
  vtr_test_end (test, 0x1000);
  vtr_test_submit (test, 0x1000);
  vtr_test_present (test);
  document = vtr_test_trace_open_document (test);
  return vtr_session_new (document);
}

static GtkWidget *
find_widget (GtkWidget *widget, GType type)
{
  GtkWidget *found = NULL;

  if (G_TYPE_CHECK_INSTANCE_TYPE (widget, type))
    return widget;
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL && found == NULL;
       child = gtk_widget_get_next_sibling (child))
    found = find_widget (child, type);
  return found;
}

/* The label that can be seen and holds @words, or NULL. */
static const char *
find_text (GtkWidget *widget, const char *words)
{
  const char *found = NULL;

  if (!gtk_widget_get_visible (widget))
    return NULL;
  if (GTK_IS_LABEL (widget) && strstr (gtk_label_get_text (GTK_LABEL (widget)), words) != NULL)
    return gtk_label_get_text (GTK_LABEL (widget));
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL && found == NULL;
       child = gtk_widget_get_next_sibling (child))
    found = find_text (child, words);
  return found;
}

static void
shown_cb (gboolean *shown)
{
  *shown = TRUE;
}

static gboolean
is_true (gpointer data)
{
  return *(gboolean *)data;
}

static gboolean
has_scale (gpointer viewer)
{
  return find_text (viewer, "%") != NULL;
}

/* The scale is shown once there is one, not that of a canvas without a size. */
static void
test_scale (void)
{
  g_autoptr (VtrSession) session = make_session ();
  g_autoptr (VtrImage) image = make_image ();
  GtkWidget *viewer = vtr_image_viewer_new ();
  gboolean shown = FALSE;
  GtkWindow *window;

  vtr_image_viewer_set_session (VTR_IMAGE_VIEWER (viewer), session);
  g_signal_connect_swapped (vtr_image_viewer_get_canvas (VTR_IMAGE_VIEWER (viewer)), "shown",
                            G_CALLBACK (shown_cb), &shown);
  vtr_image_viewer_show (VTR_IMAGE_VIEWER (viewer), image, "an image", "image");
  vtr_test_ui_wait (is_true, &shown);
  g_assert_null (find_text (viewer, "%"));
  window = vtr_test_ui_show (viewer, 800, 600);
  vtr_test_ui_wait (has_scale, viewer);
  g_assert_cmpint (g_ascii_strtoll (find_text (viewer, "%"), NULL, 10), >=, 100);
  vtr_image_viewer_set_session (VTR_IMAGE_VIEWER (viewer), session);
  g_assert_null (find_text (viewer, "%"));
  gtk_window_destroy (window);
}

static gboolean
is_pale (gpointer viewer)
{
  return gtk_widget_has_css_class (GTK_WIDGET (vtr_image_viewer_get_canvas (viewer)), "stale");
}

/* An image that does not belong to the selection is pale; the trace's thumbnail stands in for
 * the first one. */
static void
test_waiting (void)
{
  g_autoptr (VtrSession) session = make_session ();
  g_autoptr (VtrImage) image = make_image ();
  GtkWidget *viewer = vtr_image_viewer_new ();
  GtkWindow *window = vtr_test_ui_show (viewer, 800, 600);
  GtkWidget *preview = find_widget (viewer, GTK_TYPE_PICTURE);
  g_autoptr (GdkTexture) texture = vtr_thumb_texture_from_image (image, 32, 32);
  g_autoptr (GBytes) png = gdk_texture_save_to_png_bytes (texture);
  g_autoptr (GdkTexture) read = vtr_thumb_texture_from_png (png);
  g_autofree guint8 *bytes = g_memdup2 (g_bytes_get_data (png, NULL), g_bytes_get_size (png));
  g_autoptr (GBytes) huge = NULL;

  g_assert_nonnull (read);
  g_assert_cmpint (gdk_texture_get_width (read), ==, 32);
  bytes[16] = 1; /* the highest byte of the width */
  huge = g_bytes_new (bytes, g_bytes_get_size (png));
  g_assert_null (vtr_thumb_texture_from_png (huge));

  vtr_image_viewer_set_session (VTR_IMAGE_VIEWER (viewer), session);
  g_assert_false (gtk_widget_get_visible (preview));
  vtr_image_viewer_set_preview (VTR_IMAGE_VIEWER (viewer), GDK_PAINTABLE (read));
  vtr_image_viewer_begin_loading (VTR_IMAGE_VIEWER (viewer), 3);
  vtr_test_ui_spin (20);
  g_assert_true (gtk_widget_get_mapped (preview));
  g_assert_nonnull (find_text (viewer, "Preview · Replaying…"));
  vtr_image_viewer_show (VTR_IMAGE_VIEWER (viewer), image, "an image", "image");
  g_assert_false (gtk_widget_get_visible (preview));
  g_assert_null (find_text (viewer, "Replaying…"));
  g_assert_false (is_pale (viewer));

  vtr_image_viewer_begin_loading (VTR_IMAGE_VIEWER (viewer), 4);
  vtr_test_ui_wait (is_pale, viewer);
  vtr_image_viewer_end_loading (VTR_IMAGE_VIEWER (viewer));
  g_assert_false (is_pale (viewer));
  vtr_image_viewer_show_problem (VTR_IMAGE_VIEWER (viewer));
  g_assert_true (is_pale (viewer));
  vtr_image_viewer_hide_problem (VTR_IMAGE_VIEWER (viewer));
  g_assert_false (is_pale (viewer));
  g_assert_null (find_text (viewer, "Replaying…"));
  gtk_window_destroy (window);
}

static gboolean
says_replaying (gpointer viewer)
{
  return find_text (viewer, "Replaying…") != NULL;
}

/* Without a preview, the empty canvas says what is waited for. */
static void
test_waiting_without_preview (void)
{
  g_autoptr (VtrSession) session = make_session ();
  GtkWidget *viewer = vtr_image_viewer_new ();
  GtkWindow *window = vtr_test_ui_show (viewer, 800, 600);

  vtr_image_viewer_set_session (VTR_IMAGE_VIEWER (viewer), session);
  g_assert_false (says_replaying (viewer));
  vtr_image_viewer_begin_loading (VTR_IMAGE_VIEWER (viewer), 3);
  vtr_test_ui_wait (says_replaying, viewer);
  g_assert_null (find_text (viewer, "Preview"));
  vtr_image_viewer_show_problem (VTR_IMAGE_VIEWER (viewer));
  g_assert_false (says_replaying (viewer));
  gtk_window_destroy (window);
}

/* The first frame that is painted does not say that nothing is selected. */
static void
test_first_frame (void)
{
  g_autoptr (VtrSession) session = make_session ();
  GtkWidget *pane = g_object_ref_sink (vtr_framebuffer_view_new ());
  GtkStack *stack = GTK_STACK (find_widget (pane, GTK_TYPE_STACK));

  vtr_pane_set_session (VTR_PANE (pane), session);
  g_assert_cmpstr (gtk_stack_get_visible_child_name (stack), ==, "empty");
  vtr_session_select_frame_end (session, 0);
  g_assert_cmpstr (gtk_stack_get_visible_child_name (stack), ==, "image");
  vtr_pane_set_session (VTR_PANE (pane), NULL);
  g_object_unref (pane);
}

static gboolean
says_no_draws (gpointer pane)
{
  return find_text (pane, "No Draws in This Trace") != NULL;
}

/* In a trace without draws no button leads to one. */
static void
test_no_draws (void)
{
  g_autoptr (VtrTestTrace) test = vtr_test_trace_new ();
  GtkWidget *pane = vtr_framebuffer_view_new ();
  GtkWindow *window = vtr_test_ui_show (pane, 600, 400);
  g_autoptr (VtrDocument) document = NULL;
  g_autoptr (VtrSession) session = NULL;
  guint64 dispatch;

  vtr_test_add_device (test);
  vtr_test_add_pool (test, 0x10, 0);
  vtr_test_allocate_buffer (test, 0x10, 0x1000);
  vtr_test_begin (test, 0x1000);
  dispatch = ADD (test, vkCmdDispatch, .commandBuffer = H (VkCommandBuffer, 0x1000),
                  .groupCountX = 1, .groupCountY = 1, .groupCountZ = 1);
  vtr_test_end (test, 0x1000);
  vtr_test_submit (test, 0x1000);
  document = vtr_test_trace_open_document (test);
  session = vtr_session_new (document);
  vtr_pane_set_session (VTR_PANE (pane), session);
  vtr_session_select (session, dispatch + 1, VTR_SELECT_JUMP);
  vtr_test_ui_wait (says_no_draws, pane);
  g_assert_null (find_text (pane, "Previous Draw"));
  g_assert_null (find_text (pane, "Show Frame End"));
  g_assert_nonnull (find_text (pane, "Show Memory"));
  vtr_pane_set_session (VTR_PANE (pane), NULL);
  gtk_window_destroy (window);
}

static gboolean
has_answer (gpointer stack)
{
  return strcmp (gtk_stack_get_visible_child_name (stack), "waiting") != 0;
}

/* The Pipeline pane does not either, while the bound state is being read. */
static void
test_first_frame_pipeline (void)
{
  g_autoptr (VtrSession) session = make_session ();
  GtkWidget *pane = g_object_ref_sink (vtr_pipeline_view_new ());
  GtkStack *stack = GTK_STACK (find_widget (pane, GTK_TYPE_STACK));

  vtr_pane_set_session (VTR_PANE (pane), session);
  g_assert_cmpstr (gtk_stack_get_visible_child_name (stack), ==, "empty");
  vtr_session_select_frame_end (session, 0);
  g_assert_cmpstr (gtk_stack_get_visible_child_name (stack), ==, "waiting");
  vtr_test_ui_wait (has_answer, stack);
  vtr_pane_set_session (VTR_PANE (pane), NULL);
  g_object_unref (pane);
}

static gboolean
offers_last_good (gpointer pane)
{
  return find_text (pane, "Show Last Good Image") != NULL;
}

/* Whichever pane it is, and edited or not: the card over an image can be taken away. */
static void
check_last_good (GtkWidget *pane, const char *path, gboolean edited)
{
  g_autoptr (VtrSession) session = make_session ();
  g_autoptr (VtrImage) image = make_image ();
  GtkWindow *window = vtr_test_ui_show (pane, 900, 700);
  GtkWidget *viewer = find_widget (pane, VTR_TYPE_IMAGE_VIEWER);

  vtr_pane_set_session (VTR_PANE (pane), session);
  if (path != NULL)
    g_assert_true (vtr_pane_show_path (VTR_PANE (pane), path));
  vtr_test_ui_spin (100);
  vtr_image_viewer_show (VTR_IMAGE_VIEWER (viewer), image, "an image", "image");
  if (edited)
    vtr_edits_set_overlay (vtr_session_get_edits (session), VTR_OVERLAY_WIREFRAME);
  vtr_session_select_frame_end (session, 0);
  vtr_session_step_draw (session, -1);
  vtr_test_ui_wait (offers_last_good, pane);
  gtk_widget_activate_action (find_widget (viewer, VTR_TYPE_PANE_STATE), "viewer.show-last-good",
                              NULL);
  g_assert_false (offers_last_good (pane));
  g_assert_true (vtr_image_viewer_get_image (VTR_IMAGE_VIEWER (viewer)) == image);
  g_assert_false (is_pale (viewer));
  vtr_pane_set_session (VTR_PANE (pane), NULL);
  gtk_window_destroy (window);
}

static void
test_last_good (void)
{
  check_last_good (vtr_framebuffer_view_new (), NULL, FALSE);
  check_last_good (vtr_framebuffer_view_new (), NULL, TRUE);
}

static void
test_last_good_texture (void)
{
  g_autoptr (VtrSession) session = make_session ();
  g_autoptr (GArray) images =
    vtr_history_list (vtr_document_get_history (vtr_session_get_document (session)),
                      VTR_HANDLE_VkImage);
  g_autofree char *path =
    g_strdup_printf ("objects/%u/texture", g_array_index (images, guint32, 0));

  check_last_good (vtr_texture_view_new (), path, FALSE);
}

static guint
count_tools (GtkWidget *viewer)
{
  GtkWidget *row = gtk_widget_get_first_child (viewer);
  int end = 0;
  guint n = 0;

  for (GtkWidget *tool = gtk_widget_get_first_child (row); tool != NULL;
       tool = gtk_widget_get_next_sibling (tool))
    {
      graphene_rect_t box;

      if (!gtk_widget_get_mapped (tool))
        continue;
      n++;
      g_assert_true (gtk_widget_compute_bounds (tool, row, &box));
      g_assert_cmpint ((int)box.origin.x, >=, end);
      end = (int)(box.origin.x + box.size.width);
    }
  g_assert_cmpint (end, <=, gtk_widget_get_width (viewer));
  return n;
}

/* The line of tools has those that fit, one by one, and the menu the others. */
static void
test_tools (void)
{
  GtkWidget *viewer = vtr_image_viewer_new ();
  GtkWindow *window = vtr_test_ui_show (viewer, 480, 300);
  guint all = count_tools (viewer), before = all, n_steps = 0;

  for (int width = 480; width >= 240; width -= 12)
    {
      guint n;

      gtk_window_set_default_size (window, width, 300);
      vtr_test_ui_spin (60);
      n = count_tools (viewer);
      g_assert_cmpuint (n, <=, before);
      n_steps += n < before;
      before = n;
    }
  g_assert_cmpuint (n_steps, ==, 4);
  g_assert_cmpuint (before, ==, all - 4);
  gtk_window_destroy (window);
}

int
main (int argc, char *argv[])
{
  vtr_test_ui_init (&argc, &argv);
  g_test_add_func ("/widgets/viewer/scale", test_scale);
  g_test_add_func ("/widgets/viewer/tools", test_tools);
  g_test_add_func ("/widgets/viewer/waiting", test_waiting);
  g_test_add_func ("/widgets/viewer/waiting-without-preview", test_waiting_without_preview);
  g_test_add_func ("/widgets/viewer/first-frame", test_first_frame);
  g_test_add_func ("/widgets/viewer/no-draws", test_no_draws);
  g_test_add_func ("/widgets/viewer/first-frame-pipeline", test_first_frame_pipeline);
  g_test_add_func ("/widgets/viewer/last-good", test_last_good);
  g_test_add_func ("/widgets/viewer/last-good-texture", test_last_good_texture);
  return g_test_run ();
}
