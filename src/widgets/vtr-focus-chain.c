#include "vtr-config.h"

#include "widgets/vtr-focus-chain.h"

static GtkWidget *
get_focus (GPtrArray *stops)
{
  GtkRoot *root = stops->len > 0 ? gtk_widget_get_root (g_ptr_array_index (stops, 0)) : NULL;

  return root != NULL ? gtk_root_get_focus (root) : NULL;
}

gboolean
vtr_focus_chain_move (GPtrArray *stops, GtkDirectionType direction)
{
  GtkWidget *focus = get_focus (stops);
  int step = direction == GTK_DIR_TAB_FORWARD ? 1 : -1;
  int at = step > 0 ? 0 : (int)stops->len - 1;

  for (guint i = 0; focus != NULL && i < stops->len; i++)
    {
      GtkWidget *stop = g_ptr_array_index (stops, i);

      if (focus == stop || gtk_widget_is_ancestor (focus, stop))
        at = (int)i;
    }
  for (; at >= 0 && at < (int)stops->len; at += step)
    if (gtk_widget_child_focus (g_ptr_array_index (stops, (guint)at), direction))
      return TRUE;
  return FALSE;
}
