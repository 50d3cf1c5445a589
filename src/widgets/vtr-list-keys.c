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
  /* The way on from here, as if nothing in the list could have the focus. */
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
