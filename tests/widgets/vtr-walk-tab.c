/* Walks through a window with Tab, and checks that each focused control is in view and visibly
 * marked. */
#include <libpanel.h>

#include "vtr-test-tab.h"
#include "vtr-test-ui.h"
#include "vtr-walk-look.h"

/* The number of pixels that must change around the focus: as many as the line under a link has. */
#define LEAST_MARK 12

static GHashTable *looked_at; /* of char*: descriptions of widgets, in all of the walk */

static void
complain (GtkWidget *focus, const char *what)
{
  g_autofree char *widget = vtr_test_tab_describe (focus);
  g_autofree char *text = g_strdup_printf ("%s: %s", what, widget);

  vtr_walk_add_finding (text);
}

/* Whether some of @focus is on the screen, not scrolled away. */
static gboolean
is_in_view (GtkWidget *focus, GtkWidget *root)
{
  graphene_rect_t visible, box;

  if (!gtk_widget_compute_bounds (focus, root, &visible))
    return FALSE;
  for (GtkWidget *at = gtk_widget_get_parent (focus); at != NULL; at = gtk_widget_get_parent (at))
    {
      if ((gtk_widget_get_overflow (at) == GTK_OVERFLOW_HIDDEN || at == root) &&
          (!gtk_widget_compute_bounds (at, root, &box) ||
           !graphene_rect_intersection (&visible, &box, &visible)))
        return FALSE;
      if (at == root)
        break;
    }
  return visible.size.height >= MIN (8, (float)gtk_widget_get_height (focus)) &&
         visible.size.width >= MIN (8, (float)gtk_widget_get_width (focus));
}

static guint
count_changes (GdkTexture *a, GdkTexture *b)
{
  gsize n = (gsize)gdk_texture_get_width (a) * (gsize)gdk_texture_get_height (a);
  g_autofree guint32 *x = NULL, *y = NULL;
  guint changed = 0;

  if (gdk_texture_get_width (b) != gdk_texture_get_width (a) ||
      gdk_texture_get_height (b) != gdk_texture_get_height (a))
    return G_MAXUINT;
  x = g_new (guint32, n);
  y = g_new (guint32, n);
  gdk_texture_download (a, (guchar *)x, (gsize)gdk_texture_get_width (a) * 4);
  gdk_texture_download (b, (guchar *)y, (gsize)gdk_texture_get_width (a) * 4);
  for (gsize i = 0; i < n; i++)
    changed += x[i] != y[i];
  return changed;
}

/* The picture with the focus at @focus differs from the one without any. */
static gboolean
has_mark (GtkWidget *focus, GtkWidget *root)
{
  g_autoptr (GdkTexture) with = NULL, without = NULL;

  gtk_window_set_focus_visible (GTK_WINDOW (root), TRUE);
  vtr_test_ui_spin (40);
  with = vtr_walk_take_picture (root);
  gtk_window_set_focus (GTK_WINDOW (root), NULL);
  vtr_test_ui_spin (40);
  without = vtr_walk_take_picture (root);
  gtk_window_set_focus (GTK_WINDOW (root), focus);
  return with == NULL || without == NULL || count_changes (with, without) >= LEAST_MARK;
}

static void
stop_cb (GtkWidget *focus, gpointer data)
{
  GtkWidget *root = data;

  if (!g_hash_table_add (looked_at, vtr_test_tab_describe (focus)))
    return;
  vtr_test_ui_spin (20);
  if (!is_in_view (focus, root))
    complain (focus, "focus: out of sight");
  else if (!has_mark (focus, root))
    complain (focus, "focus: nothing shows it");
}

void
vtr_walk_look_at_tab (GtkWidget *root, const char *where)
{
  g_autoptr (GPtrArray) findings = g_ptr_array_new_with_free_func (g_free);

  if (looked_at == NULL)
    looked_at = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  vtr_walk_set_place ("%s/tab", where);
  /* The mark of the last stop would still fade. */
  g_object_set (gtk_settings_get_default (), "gtk-enable-animations", FALSE, NULL);
  vtr_test_tab_check (GTK_WINDOW (root), findings, stop_cb, root);
  /* Only differences that stay, because an animation may still have been running. */
  for (guint i = 0; i < 3 && findings->len > 0; i++)
    {
      g_ptr_array_set_size (findings, 0);
      vtr_walk_settle (root);
      vtr_test_tab_check (GTK_WINDOW (root), findings, NULL, NULL);
    }
  g_object_set (gtk_settings_get_default (), "gtk-enable-animations", TRUE, NULL);
  for (guint i = 0; i < findings->len; i++)
    vtr_walk_add_finding (findings->pdata[i]);
}
