/* Tests the image canvas: zoom, pick, channels. */
#include "vtr-test-ui.h"

#include "engine/picture/vtr-image.h"
#include "widgets/vtr-image-canvas.h"
#include "widgets/vtr-thumb.h"

/* 4 × 2 texels; red counts columns, green rows. */
static VtrImage *
make_image (void)
{
  guint8 texels[4 * 2 * 4];
  g_autoptr (GBytes) bytes = NULL;
  VtrImage *image;

  for (guint y = 0; y < 2; y++)
    for (guint x = 0; x < 4; x++)
      {
        guint8 *texel = texels + (y * 4 + x) * 4;

        texel[0] = (guint8)(x * 50);
        texel[1] = (guint8)(y * 100);
        texel[2] = 0;
        texel[3] = 255;
      }
  bytes = g_bytes_new (texels, sizeof texels);
  image = vtr_image_new (&vtr_pixel_rgba8_unorm, VTR_PIXEL_COLOR, 4, 2, bytes, NULL);
  g_assert_nonnull (image);
  return image;
}

static void
shown_cb (VtrImageCanvas *canvas, gboolean *shown)
{
  *shown = TRUE;
}

static gboolean
is_true (gpointer data)
{
  return *(gboolean *)data;
}

static VtrImageCanvas *
show (GtkWindow **window)
{
  VtrImageCanvas *canvas = VTR_IMAGE_CANVAS (vtr_image_canvas_new ());
  g_autoptr (VtrImage) image = make_image ();
  gboolean shown = FALSE;

  *window = vtr_test_ui_show (GTK_WIDGET (canvas), 420, 220);
  g_signal_connect (canvas, "shown", G_CALLBACK (shown_cb), &shown);
  vtr_image_canvas_set_image (canvas, image, "A test");
  vtr_test_ui_wait (is_true, &shown);
  g_signal_handlers_disconnect_by_data (canvas, &shown);
  return canvas;
}

static void
test_pick (void)
{
  GtkWindow *window;
  VtrImageCanvas *canvas = show (&window);
  double scale = vtr_image_canvas_get_scale (canvas);
  double middle_x = gtk_widget_get_width (GTK_WIDGET (canvas)) / 2.0;
  double middle_y = gtk_widget_get_height (GTK_WIDGET (canvas)) / 2.0;
  guint32 x, y;

  /* Fit: as large as there is room, in whole steps. */
  g_assert_cmpfloat (scale, >=, 10);
  g_assert_cmpfloat (scale, ==, (int)scale);
  g_assert_true (
    vtr_image_canvas_pick (canvas, middle_x + scale / 2, middle_y + scale / 2, &x, &y));
  g_assert_cmpuint (x, ==, 2);
  g_assert_cmpuint (y, ==, 1);
  vtr_image_canvas_set_flip (canvas, TRUE);
  g_assert_true (
    vtr_image_canvas_pick (canvas, middle_x + scale / 2, middle_y + scale / 2, &x, &y));
  g_assert_cmpuint (y, ==, 0);
  g_assert_false (vtr_image_canvas_pick (canvas, middle_x + 3 * scale, middle_y, &x, &y));
  g_assert_false (vtr_image_canvas_pick (canvas, -5, -5, &x, &y));
  gtk_window_destroy (window);
}

static void
test_zoom (void)
{
  GtkWindow *window;
  VtrImageCanvas *canvas = show (&window);
  guint32 x, y;

  g_assert_true (vtr_image_canvas_get_fit (canvas));
  vtr_image_canvas_set_scale (canvas, 1);
  g_assert_false (vtr_image_canvas_get_fit (canvas));
  g_assert_cmpfloat (vtr_image_canvas_get_scale (canvas), ==, 1);
  vtr_image_canvas_set_scale (canvas, 1e9);
  g_assert_cmpfloat (vtr_image_canvas_get_scale (canvas), <=, 64);
  vtr_image_canvas_set_scale (canvas, 0);
  g_assert_cmpfloat (vtr_image_canvas_get_scale (canvas), >, 0);
  vtr_image_canvas_set_fit (canvas, TRUE);
  g_assert_true (
    vtr_image_canvas_pick (canvas, gtk_widget_get_width (GTK_WIDGET (canvas)) / 2.0 + 2,
                           gtk_widget_get_height (GTK_WIDGET (canvas)) / 2.0 + 2, &x, &y));
  gtk_window_destroy (window);
}

/* Asking for another image while one is being converted, and going away meanwhile, does no harm. */
static void
test_busy (void)
{
  GtkWindow *window;
  VtrImageCanvas *canvas = show (&window);
  g_autoptr (VtrImage) image = make_image ();

  for (guint i = 0; i < 16; i++)
    {
      vtr_image_canvas_set_channels (canvas, i);
      vtr_image_canvas_set_image (canvas, image, "Again");
    }
  vtr_image_canvas_set_image (canvas, NULL, NULL);
  vtr_image_canvas_set_image (canvas, image, "Last");
  gtk_window_destroy (window);
  vtr_test_ui_spin (50);
}

static void
test_thumb (void)
{
  g_autoptr (VtrImage) image = make_image ();
  g_autoptr (GdkTexture) texture = vtr_thumb_texture_from_image (image, 2, 2);
  guchar pixels[2 * 4];

  /* Two texels across make one; the mean, and never larger than asked. */
  g_assert_cmpint (gdk_texture_get_width (texture), ==, 2);
  g_assert_cmpint (gdk_texture_get_height (texture), ==, 1);
  gdk_texture_download (texture, pixels, 8);
  g_assert_cmpint (pixels[2], ==, 25);
  g_assert_cmpint (pixels[1], ==, 50);
  g_assert_cmpint (pixels[4 + 2], ==, 125);
}

int
main (int argc, char *argv[])
{
  vtr_test_ui_init (&argc, &argv);
  g_test_add_func ("/widgets/canvas/pick", test_pick);
  g_test_add_func ("/widgets/canvas/zoom", test_zoom);
  g_test_add_func ("/widgets/canvas/busy", test_busy);
  g_test_add_func ("/widgets/canvas/thumb", test_thumb);
  return g_test_run ();
}
