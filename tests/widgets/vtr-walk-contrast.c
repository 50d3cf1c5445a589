/* Checks that text has enough contrast to what is behind it. */
#include "vtr-walk-check-private.h"

#include <math.h>
#include <string.h>

/* @rgb: 0 to 1. */
static double
get_luminance (const double rgb[3])
{
  double sum = 0;
  static const double weights[] = { .2126, .7152, .0722 };

  for (guint i = 0; i < 3; i++)
    sum += weights[i] * (rgb[i] <= .04045 ? rgb[i] / 12.92 : pow ((rgb[i] + .055) / 1.055, 2.4));
  return sum;
}

static double
get_contrast (double a, double b)
{
  return (MAX (a, b) + .05) / (MIN (a, b) + .05);
}

/* The most frequent colour in @area, which is the background, and the greatest difference of
 * another colour from it. */
static double
measure_contrast (VtrWalkLook *look, const graphene_rect_t *area, double ground[3])
{
  guint counts[256] = { 0 }, most = 0;
  double levels[256] = { 0 }, best = 1;
  int x0 = MAX (0, (int)(area->origin.x * look->scale)),
      y0 = MAX (0, (int)(area->origin.y * look->scale)),
      x1 = MIN (look->width, (int)((area->origin.x + area->size.width) * look->scale)),
      y1 = MIN (look->height, (int)((area->origin.y + area->size.height) * look->scale));

  for (int y = y0; y < y1; y++)
    for (int x = x0; x < x1; x++)
      {
        const guchar *pixel = look->pixels + 4 * ((gsize)y * (gsize)look->width + (gsize)x);
        const double rgb[] = { pixel[2] / 255., pixel[1] / 255., pixel[0] / 255. };
        double light = get_luminance (rgb);
        guint level = (guint)(255 * sqrt (light));

        levels[level] = light;
        if (++counts[level] > counts[most] || level == most)
          {
            most = level;
            memcpy (ground, rgb, sizeof (rgb));
          }
      }
  for (guint i = 0; i < 256; i++)
    if (counts[i] > 0)
      best = MAX (best, get_contrast (levels[i], levels[most]));
  return best;
}

/* The contrast that the style gives to @label on @ground: small letters do not reach it. */
static double
get_styled_contrast (GtkWidget *label, const double ground[3])
{
  GdkRGBA color;
  double alpha, rgb[3];

  gtk_style_context_get_color (gtk_widget_get_style_context (label), &color);
  alpha = color.alpha;
  for (GtkWidget *at = label; at != NULL; at = gtk_widget_get_parent (at))
    alpha *= gtk_widget_get_opacity (at);
  rgb[0] = color.red * alpha + ground[0] * (1 - alpha);
  rgb[1] = color.green * alpha + ground[1] * (1 - alpha);
  rgb[2] = color.blue * alpha + ground[2] * (1 - alpha);
  return get_contrast (get_luminance (rgb), get_luminance (ground));
}

/* Links and markup have colours that are not the style's. */
static gboolean
has_own_colors (GtkWidget *widget)
{
  return GTK_IS_LABEL (widget) && gtk_label_get_use_markup (GTK_LABEL (widget));
}

/* Of the contrast of a text, thin letters keep so much on the screen. */
#define THIN .55

static gboolean
is_column_title (GtkWidget *widget)
{
  GtkWidget *button = gtk_widget_get_ancestor (widget, GTK_TYPE_WIDGET);

  for (; button != NULL; button = gtk_widget_get_parent (button))
    if (g_str_equal (gtk_widget_get_css_name (button), "header"))
      return gtk_widget_get_ancestor (button, GTK_TYPE_COLUMN_VIEW) != NULL;
  return FALSE;
}

/* White on the accent, the accent in message dialogs, buttons that are pressed, and the keys in
 * menus: libadwaita's choice. */
static gboolean
is_pale_by_theme (GtkWidget *widget)
{
  for (GtkWidget *at = widget; at != NULL; at = gtk_widget_get_parent (at))
    if (GTK_IS_TOGGLE_BUTTON (at) || gtk_widget_has_css_class (at, "suggested-action") ||
        gtk_widget_has_css_class (at, "destructive-action") ||
        gtk_widget_has_css_class (at, "suggested") ||
        gtk_widget_has_css_class (at, "destructive") ||
        g_str_equal (gtk_widget_get_css_name (at), "accelerator"))
      return TRUE;
  return FALSE;
}

void
vtr_walk_check_contrast (VtrWalkLook *look)
{
  if (look->pixels == NULL)
    return;
  for (guint i = 0; i < look->leaves->len; i++)
    {
      const VtrWalkLeaf *leaf = &g_array_index (look->leaves, VtrWalkLeaf, i);
      gboolean title = is_column_title (leaf->widget);
      double least = title ? look->check->header_contrast : look->check->contrast;
      double contrast, ground[3] = { 0 };
      graphene_rect_t area;

      if (!leaf->is_text || !gtk_widget_is_sensitive (leaf->widget) ||
          is_pale_by_theme (leaf->widget) ||
          !graphene_rect_intersection (&leaf->bounds, &leaf->visible, &area) ||
          area.size.width < 6 || area.size.height < MAX (8, leaf->bounds.size.height / 2))
        continue;
      contrast = measure_contrast (look, &area, ground);
      if (has_own_colors (leaf->widget))
        least *= THIN;
      else
        contrast = get_styled_contrast (leaf->widget, ground);
      if (contrast < least)
        vtr_walk_find (look, "pale", leaf->widget, "“%s” has a contrast of %.1f; %.1f are wanted%s",
                       vtr_walk_get_text (leaf->widget), contrast, least,
                       title ? " of the title of a column" : "");
    }
}
