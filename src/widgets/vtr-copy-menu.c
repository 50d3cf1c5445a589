/* A context menu with Copy and Select All for labels and text views that cannot be edited. */
#include "vtr-config.h"

#include "widgets/vtr-copy-menu.h"

#include <glib/gi18n.h>

#define DATA_KEY "vtr-copy-menu"

static gboolean
is_editable (GtkWidget *text)
{
  return GTK_IS_TEXT_VIEW (text) && gtk_text_view_get_editable (GTK_TEXT_VIEW (text));
}

static gboolean
has_selection (GtkWidget *text)
{
  if (GTK_IS_TEXT_VIEW (text))
    return gtk_text_buffer_get_has_selection (gtk_text_view_get_buffer (GTK_TEXT_VIEW (text)));
  return gtk_label_get_selection_bounds (GTK_LABEL (text), NULL, NULL);
}

static void
remove_menu (gpointer popover)
{
  if (gtk_widget_get_parent (popover) != NULL)
    gtk_widget_unparent (popover);
  g_object_unref (popover);
}

static void
drop_menu (GtkWidget *text)
{
  g_object_set_data (G_OBJECT (text), DATA_KEY, NULL);
}

/* GTK activates the chosen item after the menu has closed. */
static gboolean
drop_cb (gpointer text)
{
  GtkWidget *menu = g_object_get_data (G_OBJECT (text), DATA_KEY);

  if (menu != NULL && !gtk_widget_get_visible (menu))
    drop_menu (text);
  return G_SOURCE_REMOVE;
}

static void
closed_cb (GtkWidget *text)
{
  g_idle_add_full (G_PRIORITY_DEFAULT_IDLE, drop_cb, g_object_ref (text), g_object_unref);
}

GtkWidget *
vtr_copy_menu_open (GtkWidget *text, double x, double y)
{
  g_autoptr (GMenu) menu = g_menu_new ();
  GtkWidget *popover;

  g_menu_append (menu, _ ("_Copy"), "clipboard.copy");
  g_menu_append (menu, _ ("Select _All"), "selection.select-all");
  drop_menu (text);
  popover = gtk_popover_menu_new_from_model (G_MENU_MODEL (menu));
  gtk_popover_set_has_arrow (GTK_POPOVER (popover), FALSE);
  gtk_widget_set_halign (popover, GTK_ALIGN_START);
  gtk_widget_set_parent (popover, text);
  gtk_widget_action_set_enabled (text, "clipboard.copy", has_selection (text));
  g_object_set_data_full (G_OBJECT (text), DATA_KEY, g_object_ref (popover), remove_menu);
  g_signal_connect_object (popover, "closed", G_CALLBACK (closed_cb), text, G_CONNECT_SWAPPED);
  gtk_popover_set_pointing_to (GTK_POPOVER (popover), &(GdkRectangle){ (int)x, (int)y, 1, 1 });
  gtk_popover_popup (GTK_POPOVER (popover));
  return popover;
}

static void
pressed_cb (GtkWidget *text, int n_press, double x, double y, GtkGesture *gesture)
{
  if (is_editable (text))
    return;
  gtk_gesture_set_state (gesture, GTK_EVENT_SEQUENCE_CLAIMED);
  vtr_copy_menu_open (text, x, y);
}

static gboolean
key_cb (GtkWidget *text, GVariant *arguments, gpointer data)
{
  if (is_editable (text))
    return FALSE;
  vtr_copy_menu_open (text, gtk_widget_get_width (text) / 2.0, gtk_widget_get_height (text) / 2.0);
  return TRUE;
}

void
vtr_copy_menu_add (GtkWidget *text)
{
  GtkGesture *click = gtk_gesture_click_new ();
  GtkEventController *keys = gtk_shortcut_controller_new ();

  g_return_if_fail (GTK_IS_TEXT_VIEW (text) || GTK_IS_LABEL (text));

  gtk_gesture_single_set_button (GTK_GESTURE_SINGLE (click), GDK_BUTTON_SECONDARY);
  gtk_event_controller_set_propagation_phase (GTK_EVENT_CONTROLLER (click), GTK_PHASE_CAPTURE);
  g_signal_connect_object (click, "pressed", G_CALLBACK (pressed_cb), text, G_CONNECT_SWAPPED);
  gtk_widget_add_controller (text, GTK_EVENT_CONTROLLER (click));
  gtk_event_controller_set_propagation_phase (keys, GTK_PHASE_CAPTURE);
  gtk_shortcut_controller_add_shortcut (
    GTK_SHORTCUT_CONTROLLER (keys),
    gtk_shortcut_new (gtk_shortcut_trigger_parse_string ("<Shift>F10|Menu"),
                      gtk_callback_action_new (key_cb, NULL, NULL)));
  gtk_widget_add_controller (text, keys);
  g_signal_connect (text, "destroy", G_CALLBACK (drop_menu), NULL);
}
