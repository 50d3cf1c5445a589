/* Presses Tab through a window and checks that it reaches every control, in the order in which
 * they are seen. */
#include "vtr-test-tab.h"

#include <libpanel.h>

#define MAX_STEPS 400
/* A list or table is one stop, its rows are reached with the arrows. Some hold an entry or two. */
#define MAX_STEPS_IN_LIST 4

typedef struct
{
  GtkWindow *window;
  GPtrArray *findings;
  VtrTestTabStop stop;
  gpointer data;
} Walk;

char *
vtr_test_tab_describe (GtkWidget *widget)
{
  const char *words = gtk_widget_get_tooltip_text (widget);
  GString *text = g_string_new (G_OBJECT_TYPE_NAME (widget));

  if (words == NULL && GTK_IS_LABEL (widget))
    words = gtk_label_get_text (GTK_LABEL (widget));
  else if (words == NULL && GTK_IS_BUTTON (widget))
    words = gtk_button_get_label (GTK_BUTTON (widget));
  g_string_append_printf (text, " (“%s”)", words);
  for (GtkWidget *at = gtk_widget_get_parent (widget); at != NULL; at = gtk_widget_get_parent (at))
    g_string_append_printf (text, " in a %s", G_OBJECT_TYPE_NAME (at));
  return g_string_free (text, FALSE);
}

G_GNUC_PRINTF (3, 4)
static void
find (Walk *self, GtkWidget *widget, const char *format, ...)
{
  g_autofree char *what = vtr_test_tab_describe (widget);
  g_autofree char *text = NULL;
  va_list arguments;

  va_start (arguments, format);
  text = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  g_ptr_array_add (self->findings, g_strdup_printf ("tab: %s a %s", text, what));
}

/* Widgets that take part: those that are visible and sensitive. Arrow keys move inside groups of
 * toggles and lists. */
static gboolean
is_control (GtkWidget *widget)
{
  return (GTK_IS_BUTTON (widget) || GTK_IS_TEXT (widget) || GTK_IS_DROP_DOWN (widget) ||
          GTK_IS_SWITCH (widget) || GTK_IS_SCALE (widget) || GTK_IS_CHECK_BUTTON (widget)) &&
         gtk_widget_get_mapped (widget) && gtk_widget_is_sensitive (widget) &&
         gtk_widget_get_focusable (widget) && gtk_widget_get_can_focus (widget);
}

static GtkWidget *
find_list (GtkWidget *widget)
{
  GtkWidget *list = gtk_widget_get_ancestor (widget, GTK_TYPE_LIST_VIEW);

  return list != NULL ? list : gtk_widget_get_ancestor (widget, GTK_TYPE_COLUMN_VIEW);
}

static gboolean
is_in_list (GtkWidget *widget)
{
  return find_list (widget) != NULL || gtk_widget_get_ancestor (widget, GTK_TYPE_POPOVER) != NULL;
}

/* What Tab does: GTK's own way, unless a list has a word in it. */
static gboolean
press_tab (GtkWindow *window, GtkDirectionType direction)
{
  guint key = direction == GTK_DIR_TAB_FORWARD ? GDK_KEY_Tab : GDK_KEY_ISO_Left_Tab;

  for (GtkWidget *at = gtk_window_get_focus (window); at != NULL; at = gtk_widget_get_parent (at))
    {
      g_autoptr (GListModel) controllers = gtk_widget_observe_controllers (at);

      for (guint i = 0; i < g_list_model_get_n_items (controllers); i++)
        {
          g_autoptr (GtkEventController) controller = g_list_model_get_item (controllers, i);
          gboolean handled = FALSE;

          if (!GTK_IS_EVENT_CONTROLLER_KEY (controller) ||
              gtk_event_controller_get_propagation_phase (controller) != GTK_PHASE_CAPTURE ||
              !(GTK_IS_COLUMN_VIEW (at) || GTK_IS_LIST_VIEW (at)))
            continue;
          g_signal_emit_by_name (controller, "key-pressed", key, 0, 0, &handled);
          if (handled)
            return TRUE;
        }
    }
  return gtk_widget_child_focus (GTK_WIDGET (window), direction);
}

/* Once around, from where the focus is. */
static GPtrArray *
go_around (Walk *self, GtkDirectionType direction)
{
  GPtrArray *seen = g_ptr_array_new ();
  guint n_ends = 0;

  for (guint i = 0; i < MAX_STEPS; i++)
    {
      GtkWidget *focus;

      if (!press_tab (self->window, direction))
        {
          /* As the window does with the key itself. */
          if (++n_ends >= 3)
            break;
          gtk_window_set_focus (self->window, NULL);
          continue;
        }
      focus = gtk_window_get_focus (self->window);
      if (focus == NULL || (seen->len > 0 && focus == g_ptr_array_index (seen, 0)))
        return seen;
      /* Its links are stops, too. */
      if (GTK_IS_LABEL (focus) && seen->len > 0 && focus == seen->pdata[seen->len - 1])
        continue;
      if (g_ptr_array_find (seen, focus, NULL))
        {
          find (self, focus, "it goes in a circle at");
          return seen;
        }
      g_ptr_array_add (seen, focus);
      if (self->stop != NULL && direction == GTK_DIR_TAB_FORWARD)
        self->stop (focus, self->data);
    }
  find (self, GTK_WIDGET (self->window), "it comes to no end in");
  return seen;
}

static gboolean
was_seen (GPtrArray *seen, GtkWidget *widget)
{
  for (guint i = 0; i < seen->len; i++)
    {
      GtkWidget *at = g_ptr_array_index (seen, i);

      if (at == widget || gtk_widget_is_ancestor (at, widget) ||
          gtk_widget_is_ancestor (widget, at))
        return TRUE;
      /* Of a group one is enough: the arrows reach the others. */
      if (GTK_IS_TOGGLE_BUTTON (at) && GTK_IS_TOGGLE_BUTTON (widget) &&
          gtk_widget_get_parent (at) == gtk_widget_get_parent (widget))
        return TRUE;
    }
  return FALSE;
}

static guint
check_seen (Walk *self, GtkWidget *widget, GPtrArray *seen, const char *way)
{
  guint n = 0;

  if (is_control (widget) && !is_in_list (widget))
    {
      n++;
      if (!was_seen (seen, widget))
        find (self, widget, "%s it does not reach", way);
    }
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    n += check_seen (self, child, seen, way);
  return n;
}

/* From left to right, and from above to below. What is beside and above may come later. */
static void
check_order (Walk *self, GPtrArray *seen)
{
  for (guint i = 0; i + 1 < seen->len; i++)
    {
      GtkWidget *a = g_ptr_array_index (seen, i), *b = g_ptr_array_index (seen, i + 1);
      GtkWidget *pane = gtk_widget_get_ancestor (a, PANEL_TYPE_WIDGET);
      graphene_rect_t x, y;

      /* One may be scrolled out of sight. */
      if (gtk_widget_get_ancestor (a, GTK_TYPE_SCROLLED_WINDOW) !=
          gtk_widget_get_ancestor (b, GTK_TYPE_SCROLLED_WINDOW))
        continue;
      if ((gtk_widget_get_parent (a) != gtk_widget_get_parent (b) &&
           (pane == NULL || gtk_widget_get_ancestor (b, PANEL_TYPE_WIDGET) != pane)) ||
          !gtk_widget_compute_bounds (a, GTK_WIDGET (self->window), &x) ||
          !gtk_widget_compute_bounds (b, GTK_WIDGET (self->window), &y))
        continue;
      if ((y.origin.y + y.size.height <= x.origin.y + 1 &&
           y.origin.x < x.origin.x + x.size.width) ||
          (ABS (y.origin.y - x.origin.y) <= 1 && y.origin.x < x.origin.x))
        {
          g_autofree char *first = vtr_test_tab_describe (a);

          find (self, b, "from a %s it goes back to", first);
        }
    }
}

static void
check_lists (Walk *self, GPtrArray *seen)
{
  guint n = 0;

  for (guint i = 0; i < seen->len; i++)
    {
      GtkWidget *list = find_list (g_ptr_array_index (seen, i));

      n = list != NULL && i > 0 && list == find_list (g_ptr_array_index (seen, i - 1)) ? n + 1 : 0;
      if (n == MAX_STEPS_IN_LIST)
        find (self, list, "it stops at each row of");
    }
}

guint
vtr_test_tab_check (GtkWindow *window, GPtrArray *findings, VtrTestTabStop stop, gpointer data)
{
  Walk self = { window, findings, stop, data };
  g_autoptr (GPtrArray) forward = go_around (&self, GTK_DIR_TAB_FORWARD);
  g_autoptr (GPtrArray) backward = go_around (&self, GTK_DIR_TAB_BACKWARD);

  check_order (&self, forward);
  check_lists (&self, forward);
  check_seen (&self, GTK_WIDGET (window), backward, "backward");
  return check_seen (&self, GTK_WIDGET (window), forward, "forward");
}
