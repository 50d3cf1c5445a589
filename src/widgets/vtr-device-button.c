/* The button in the status bar that shows the state of the replay; its popover chooses the
 * replay device. */
#include "vtr-config.h"

#include "widgets/vtr-device-button.h"

#include <glib/gi18n.h>

#include "engine/replay/vtr-replay-backend.h"
#include "engine/replay/vtr-replay-device.h"

struct _VtrDeviceButton
{
  GtkWidget parent_instance;

  GtkWidget *button;
  GtkWidget *icon;
  GtkWidget *label;
  GtkStack *stack; /* of the popover: looking, failed, list */
  GtkLabel *failure;
  GtkListBox *list;
  GtkDropDown *addresses; /* by VtrReplayAddresses */

  const char *icon_class; /* static */
  char *device;
  gboolean has_devices, asking, syncing;
};

G_DEFINE_FINAL_TYPE (VtrDeviceButton, vtr_device_button, GTK_TYPE_WIDGET)

enum
{
  CHOSEN,
  N_SIGNALS
};

static guint signals[N_SIGNALS];

/* --- rows ------------------------------------------------------------------------------------ */

static GtkWidget *
make_line (const char *text, const char *css_class)
{
  GtkWidget *label = gtk_label_new (text);

  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_label_set_ellipsize (GTK_LABEL (label), PANGO_ELLIPSIZE_END);
  gtk_label_set_max_width_chars (GTK_LABEL (label), 44);
  if (css_class)
    gtk_widget_add_css_class (label, css_class);
  return label;
}

/* @device NULL: the row that leaves the choice to Vitrine. */
static void
add_row (VtrDeviceButton *self, const char *device, const char *title, const char *subtitle)
{
  GtkWidget *row = gtk_list_box_row_new ();
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 12);
  GtkWidget *lines = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0);
  GtkWidget *tick = gtk_image_new_from_icon_name ("emblem-ok-symbolic");
  g_autofree char *words = g_strdup_printf ("%s, %s", title, subtitle);

  gtk_box_append (GTK_BOX (lines), make_line (title, NULL));
  gtk_box_append (GTK_BOX (lines), make_line (subtitle, "device-facts"));
  gtk_widget_set_hexpand (lines, TRUE);
  gtk_box_append (GTK_BOX (box), lines);
  gtk_box_append (GTK_BOX (box), tick);
  gtk_list_box_row_set_child (GTK_LIST_BOX_ROW (row), box);
  g_object_set_data_full (G_OBJECT (row), "device", g_strdup (device), g_free);
  g_object_set_data (G_OBJECT (row), "tick", tick);
  gtk_accessible_update_property (GTK_ACCESSIBLE (row), GTK_ACCESSIBLE_PROPERTY_LABEL, words, -1);
  gtk_list_box_append (self->list, row);
}

static void
update_ticks (VtrDeviceButton *self)
{
  GtkWidget *row = gtk_widget_get_first_child (GTK_WIDGET (self->list));

  for (; row != NULL; row = gtk_widget_get_next_sibling (row))
    {
      gboolean chosen =
        g_strcmp0 (g_object_get_data (G_OBJECT (row), "device"), self->device) == 0;

      gtk_widget_set_opacity (g_object_get_data (G_OBJECT (row), "tick"), chosen ? 1 : 0);
      gtk_accessible_update_state (GTK_ACCESSIBLE (row), GTK_ACCESSIBLE_STATE_SELECTED,
                                   (int)chosen, -1);
    }
}

static void
fill (VtrDeviceButton *self, GPtrArray *devices)
{
  add_row (self, NULL, _ ("Automatic"), _ ("The device of the capture if it is here, "
                                           "otherwise the best one"));
  for (guint i = 0; i < devices->len; i++)
    {
      const VtrReplayDevice *device = g_ptr_array_index (devices, i);
      g_autofree char *place = g_strdup_printf ("%u", device->index);
      g_autofree char *facts =
        g_strdup_printf ("%s · %s", vtr_replay_device_get_kind_name (device),
                         device->driver[0] != '\0' ? device->driver : _ ("unknown driver"));

      add_row (self, place, device->name, facts);
    }
  update_ticks (self);
  gtk_stack_set_visible_child_name (self->stack, "list");
}

/* --- asking ---------------------------------------------------------------------------------- */

static void
list_worker (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  VtrReplayBackend *backend = vtr_replay_process_new (NULL);
  GError *error = NULL;
  GPtrArray *devices = vtr_replay_device_list (backend, NULL, &error);

  backend->klass->free (backend);
  if (devices)
    g_task_return_pointer (task, devices, (GDestroyNotify)g_ptr_array_unref);
  else
    g_task_return_error (task, error);
}

static void
listed_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  VtrDeviceButton *self = VTR_DEVICE_BUTTON (source);
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) devices = g_task_propagate_pointer (G_TASK (result), &error);

  self->asking = FALSE;
  if (self->button == NULL)
    return;
  self->has_devices = devices != NULL;
  if (devices)
    fill (self, devices);
  else
    {
      gtk_label_set_label (self->failure, error->message);
      gtk_stack_set_visible_child_name (self->stack, "failed");
    }
}

static void
opened_cb (VtrDeviceButton *self)
{
  g_autoptr (GTask) task = NULL;

  if (self->has_devices || self->asking)
    return;
  self->asking = TRUE;
  gtk_stack_set_visible_child_name (self->stack, "looking");
  task = g_task_new (self, NULL, listed_cb, NULL);
  g_task_set_source_tag (task, opened_cb);
  g_task_run_in_thread (task, list_worker);
}

static void
choose (VtrDeviceButton *self, const char *device)
{
  static const char *const options[] = {
    [VTR_REPLAY_ADDRESSES_AUTO] = "",
    [VTR_REPLAY_ADDRESSES_EXACT] = "?addresses=exact",
    [VTR_REPLAY_ADDRESSES_GUESS] = "?addresses=guess",
  };
  guint chosen = gtk_drop_down_get_selected (self->addresses);
  g_autofree char *wish = g_strconcat (device ? device : "",
                                       chosen < G_N_ELEMENTS (options) ? options[chosen] : "",
                                       NULL);

  gtk_menu_button_popdown (GTK_MENU_BUTTON (self->button));
  g_signal_emit (self, signals[CHOSEN], 0, wish);
}

static void
activated_cb (VtrDeviceButton *self, GtkListBoxRow *row)
{
  choose (self, g_object_get_data (G_OBJECT (row), "device"));
}

static void
addresses_cb (VtrDeviceButton *self)
{
  g_autofree char *device = g_strdup (self->device);

  if (!self->syncing)
    choose (self, device);
}

/* --- life ------------------------------------------------------------------------------------ */

static void
vtr_device_button_dispose (GObject *object)
{
  VtrDeviceButton *self = VTR_DEVICE_BUTTON (object);

  g_clear_pointer (&self->button, gtk_widget_unparent);
  g_clear_pointer (&self->device, g_free);
  G_OBJECT_CLASS (vtr_device_button_parent_class)->dispose (object);
}

static void
vtr_device_button_class_init (VtrDeviceButtonClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = vtr_device_button_dispose;
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_css_name (widget_class, "vtrdevicebutton");
  signals[CHOSEN] = g_signal_new ("chosen", VTR_TYPE_DEVICE_BUTTON, G_SIGNAL_RUN_LAST, 0, NULL,
                                  NULL, NULL, G_TYPE_NONE, 1, G_TYPE_STRING);
}

static GtkWidget *
make_looking (void)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 8);
  GtkWidget *spinner = gtk_spinner_new ();

  gtk_spinner_start (GTK_SPINNER (spinner));
  gtk_widget_set_halign (box, GTK_ALIGN_CENTER);
  gtk_box_append (GTK_BOX (box), spinner);
  gtk_box_append (GTK_BOX (box), gtk_label_new (_ ("Looking for devices…")));
  return box;
}

static GtkWidget *
make_addresses (VtrDeviceButton *self)
{
  const char *const ways[] = {
    [VTR_REPLAY_ADDRESSES_AUTO] = _ ("Exact if Possible"),
    [VTR_REPLAY_ADDRESSES_EXACT] = _ ("Exact Only"),
    [VTR_REPLAY_ADDRESSES_GUESS] = _ ("Estimated"),
    NULL,
  };
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 6);
  GtkWidget *title = gtk_label_new (_ ("Buffer Addresses"));

  gtk_label_set_xalign (GTK_LABEL (title), 0);
  gtk_widget_add_css_class (title, "heading");
  self->addresses = GTK_DROP_DOWN (gtk_drop_down_new_from_strings (ways));
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->addresses), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("Buffer Addresses"), -1);
  g_signal_connect_object (self->addresses, "notify::selected", G_CALLBACK (addresses_cb), self,
                           G_CONNECT_SWAPPED);
  gtk_box_append (GTK_BOX (box), title);
  gtk_box_append (GTK_BOX (box), GTK_WIDGET (self->addresses));
  return box;
}

static GtkWidget *
make_popover (VtrDeviceButton *self)
{
  GtkWidget *popover = gtk_popover_new ();
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 6);
  GtkWidget *title = gtk_label_new (_ ("Replay On"));

  gtk_widget_add_css_class (title, "heading");
  gtk_label_set_xalign (GTK_LABEL (title), 0);
  self->list = GTK_LIST_BOX (gtk_list_box_new ());
  gtk_list_box_set_selection_mode (self->list, GTK_SELECTION_NONE);
  gtk_widget_add_css_class (GTK_WIDGET (self->list), "device-list");
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->list), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("Replay On"), -1);
  g_signal_connect_object (self->list, "row-activated", G_CALLBACK (activated_cb), self,
                           G_CONNECT_SWAPPED);
  self->failure = GTK_LABEL (gtk_label_new (NULL));
  gtk_label_set_wrap (self->failure, TRUE);
  gtk_label_set_max_width_chars (self->failure, 44);
  self->stack = GTK_STACK (gtk_stack_new ());
  gtk_stack_set_vhomogeneous (self->stack, FALSE);
  gtk_stack_add_named (self->stack, make_looking (), "looking");
  gtk_stack_add_named (self->stack, GTK_WIDGET (self->failure), "failed");
  gtk_stack_add_named (self->stack, GTK_WIDGET (self->list), "list");
  gtk_box_append (GTK_BOX (box), title);
  gtk_box_append (GTK_BOX (box), GTK_WIDGET (self->stack));
  gtk_box_append (GTK_BOX (box), make_addresses (self));
  gtk_popover_set_child (GTK_POPOVER (popover), box);
  gtk_widget_add_css_class (popover, "devices");
  g_signal_connect_object (popover, "map", G_CALLBACK (opened_cb), self, G_CONNECT_SWAPPED);
  return popover;
}

static void
vtr_device_button_init (VtrDeviceButton *self)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 6);

  self->icon = gtk_image_new ();
  self->label = gtk_label_new (NULL);
  gtk_label_set_ellipsize (GTK_LABEL (self->label), PANGO_ELLIPSIZE_END);
  gtk_label_set_max_width_chars (GTK_LABEL (self->label), 44);
  gtk_box_append (GTK_BOX (box), self->icon);
  gtk_box_append (GTK_BOX (box), self->label);
  self->button = gtk_menu_button_new ();
  gtk_menu_button_set_child (GTK_MENU_BUTTON (self->button), box);
  gtk_menu_button_set_direction (GTK_MENU_BUTTON (self->button), GTK_ARROW_UP);
  gtk_menu_button_set_popover (GTK_MENU_BUTTON (self->button), make_popover (self));
  gtk_widget_add_css_class (self->button, "flat");
  gtk_widget_set_tooltip_text (self->button, _ ("Choose the Device That Replays"));
  gtk_widget_set_parent (self->button, GTK_WIDGET (self));
}

GtkWidget *
vtr_device_button_new (void)
{
  return g_object_new (VTR_TYPE_DEVICE_BUTTON, NULL);
}

void
vtr_device_button_set_status (VtrDeviceButton *self,
                              const char      *icon,
                              const char      *css_class,
                              const char      *text)
{
  /* Translators: the state of the replay, and what a click on it does */
  g_autofree char *label = g_strdup_printf (_ ("%s. Choose the Device That Replays"), text);

  gtk_image_set_from_icon_name (GTK_IMAGE (self->icon), icon);
  gtk_widget_set_visible (self->icon, icon != NULL);
  if (self->icon_class)
    gtk_widget_remove_css_class (self->icon, self->icon_class);
  self->icon_class = css_class ? g_intern_string (css_class) : NULL;
  if (self->icon_class)
    gtk_widget_add_css_class (self->icon, self->icon_class);
  gtk_label_set_label (GTK_LABEL (self->label), text);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->button), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  label, -1);
}

void
vtr_device_button_set_device (VtrDeviceButton    *self,
                              const char         *device,
                              VtrReplayAddresses  addresses)
{
  g_free (self->device);
  self->device = g_strdup (device);
  self->syncing = TRUE;
  gtk_drop_down_set_selected (self->addresses, addresses);
  self->syncing = FALSE;
  update_ticks (self);
}

void
vtr_device_button_popup (VtrDeviceButton *self)
{
  gtk_menu_button_popup (GTK_MENU_BUTTON (self->button));
}
