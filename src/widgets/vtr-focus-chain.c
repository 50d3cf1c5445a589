/* Moves the keyboard focus with Tab through widgets in an order that we choose, where GTK or
 * libpanel skips some of them. */
#include "vtr-config.h"

#include "widgets/vtr-focus-chain.h"

static GtkWidget *
get_focus (GPtrArray *stops)
{
  GtkRoot *root = stops->len > 0 ? gtk_widget_get_root (g_ptr_array_index (stops, 0)) : NULL;

  return root != NULL ? gtk_root_get_focus (root) : NULL;
}

static gboolean
is_forward (GtkDirectionType direction)
{
  return direction == GTK_DIR_TAB_FORWARD || direction == GTK_DIR_DOWN ||
         direction == GTK_DIR_RIGHT;
}

gboolean
vtr_focus_chain_move (GPtrArray *stops, GtkDirectionType direction)
{
  GtkWidget *focus = get_focus (stops);
  int step = is_forward (direction) ? 1 : -1;
  int at = step > 0 ? 0 : (int)stops->len - 1;

  for (guint i = 0; focus != NULL && i < stops->len; i++)
    {
      GtkWidget *stop = g_ptr_array_index (stops, i);

      if (focus == stop || gtk_widget_is_ancestor (focus, stop))
        at = (int)i;
    }
  for (; at >= 0 && at < (int)stops->len; at += step)
    {
      GtkWidget *stop = g_ptr_array_index (stops, (guint)at);

      if (gtk_widget_get_mapped (stop) && gtk_widget_child_focus (stop, direction))
        return TRUE;
    }
  return FALSE;
}

static gboolean
focus_children (GtkWidget *widget, GtkDirectionType direction)
{
  g_autoptr (GPtrArray) stops = g_ptr_array_new ();
  GtkWidget *inside = gtk_widget_get_focus_child (widget);

  /* The children are stacked, so left and right leave the chain. */
  if (inside != NULL && (direction == GTK_DIR_LEFT || direction == GTK_DIR_RIGHT))
    return gtk_widget_child_focus (inside, direction);
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    g_ptr_array_add (stops, child);
  return vtr_focus_chain_move (stops, direction);
}

void
vtr_focus_chain_init_class (GtkWidgetClass *klass)
{
  klass->focus = focus_children;
}
