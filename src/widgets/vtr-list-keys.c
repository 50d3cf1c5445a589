/* Keyboard handling that all long lists share: Tab leaves the list, Escape clears its filter,
 * the Menu key opens a row's menu. */
#include "vtr-config.h"

#include "widgets/vtr-list-keys.h"

static gboolean
key_pressed_cb (GtkWidget *list, guint key, guint code, GdkModifierType modifiers)
{
  gboolean back = key == GDK_KEY_ISO_Left_Tab || (modifiers & GDK_SHIFT_MASK) != 0;
  GtkRoot *root = gtk_widget_get_root (list);

  if ((key != GDK_KEY_Tab && key != GDK_KEY_KP_Tab && key != GDK_KEY_ISO_Left_Tab) ||
      (modifiers & (GDK_CONTROL_MASK | GDK_ALT_MASK)) != 0 || root == NULL)
    return GDK_EVENT_PROPAGATE;
  /* Moves the focus out of the list, as if no row could have it. */
  gtk_widget_set_can_focus (list, FALSE);
  g_signal_emit_by_name (root, "move-focus", back ? GTK_DIR_TAB_BACKWARD : GTK_DIR_TAB_FORWARD);
  gtk_widget_set_can_focus (list, TRUE);
  return GDK_EVENT_STOP;
}

void
vtr_list_keys_init (GtkWidget *list)
{
  GtkEventController *keys = gtk_event_controller_key_new ();

  gtk_event_controller_set_propagation_phase (keys, GTK_PHASE_CAPTURE);
  g_signal_connect_object (keys, "key-pressed", G_CALLBACK (key_pressed_cb), list,
                           G_CONNECT_SWAPPED);
  gtk_widget_add_controller (list, keys);
}

/* --- filters --------------------------------------------------------------------------------- */

static void
stop_search_cb (GtkWidget *list, GtkEditable *entry)
{
  gtk_editable_set_text (entry, "");
  gtk_widget_grab_focus (list);
}

void
vtr_list_keys_add_filter (GtkWidget *list, GtkWidget *entry)
{
  g_signal_connect_object (entry, "stop-search", G_CALLBACK (stop_search_cb), list,
                           G_CONNECT_SWAPPED);
}

/* --- menus ----------------------------------------------------------------------------------- */

typedef struct
{
  VtrListMenu open;
  gpointer self;
} Menu;

#define MENU "vtr-list-menu"
#define FORGET "vtr-list-forget"

static void
pressed_cb (GtkWidget *widget, int n_press, double x, double y, GtkGesture *gesture)
{
  const Menu *menu = g_object_get_data (G_OBJECT (widget), MENU);

  if (menu->open (menu->self, x, y))
    gtk_gesture_set_state (gesture, GTK_EVENT_SEQUENCE_CLAIMED);
}

static gboolean
menu_key_cb (GtkWidget *widget, GVariant *arguments, gpointer data)
{
  const Menu *menu = g_object_get_data (G_OBJECT (widget), MENU);
  GtkRoot *root = gtk_widget_get_root (widget);
  GtkWidget *row = root != NULL ? gtk_root_get_focus (root) : NULL;
  graphene_rect_t bounds;

  if (row == NULL || !gtk_widget_is_ancestor (row, widget) ||
      !gtk_widget_compute_bounds (row, widget, &bounds))
    return FALSE;
  return menu->open (menu->self,
                     (double)bounds.origin.x + MIN (60, (double)bounds.size.width / 2),
                     (double)bounds.origin.y + (double)bounds.size.height / 2);
}

void
vtr_list_keys_add_menu (GtkWidget *widget, VtrListMenu open, gpointer self)
{
  GtkGesture *click = gtk_gesture_click_new ();
  GtkEventController *keys = gtk_shortcut_controller_new ();
  Menu *menu = g_new0 (Menu, 1);

  menu->open = open;
  menu->self = self;
  g_object_set_data_full (G_OBJECT (widget), MENU, menu, g_free);
  gtk_gesture_single_set_button (GTK_GESTURE_SINGLE (click), GDK_BUTTON_SECONDARY);
  /* Runs before the handlers of the texts in the rows, which have menus of their own. */
  gtk_event_controller_set_propagation_phase (GTK_EVENT_CONTROLLER (click), GTK_PHASE_CAPTURE);
  g_signal_connect_object (click, "pressed", G_CALLBACK (pressed_cb), widget, G_CONNECT_SWAPPED);
  gtk_widget_add_controller (widget, GTK_EVENT_CONTROLLER (click));
  gtk_shortcut_controller_add_shortcut (
    GTK_SHORTCUT_CONTROLLER (keys),
    gtk_shortcut_new (gtk_shortcut_trigger_parse_string ("<Shift>F10|Menu"),
                      gtk_callback_action_new (menu_key_cb, NULL, NULL)));
  gtk_widget_add_controller (widget, keys);
}

typedef struct
{
  GtkWidget *menu;
  GObject *self;
  VtrListForget forget;
} Closed;

static void
closed_free (gpointer data)
{
  Closed *closed = data;

  g_object_unref (closed->menu);
  g_object_unref (closed->self);
  g_free (closed);
}

static gboolean
forget_idle_cb (gpointer data)
{
  const Closed *closed = data;

  /* The menu may be open again, for another row. */
  if (!gtk_widget_get_mapped (closed->menu))
    closed->forget (closed->self);
  return G_SOURCE_REMOVE;
}

static void
closed_cb (GtkWidget *menu, gpointer self)
{
  Closed *closed = g_new (Closed, 1);

  closed->menu = g_object_ref (menu);
  closed->self = g_object_ref (self);
  closed->forget = (VtrListForget)g_object_get_data (G_OBJECT (menu), FORGET);
  g_idle_add_full (G_PRIORITY_LOW, forget_idle_cb, closed, closed_free);
}

void
vtr_list_keys_on_closed (GtkWidget *menu, VtrListForget forget, gpointer self)
{
  g_object_set_data (G_OBJECT (menu), FORGET, (gpointer)forget);
  g_signal_connect_object (menu, "closed", G_CALLBACK (closed_cb), self, 0);
}
