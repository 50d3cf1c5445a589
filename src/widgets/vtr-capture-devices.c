/* The list of Vulkan devices on the capture page: asks the drivers in a separate process, with the
 * program's environment variables. */
#include "vtr-config.h"

#include "widgets/vtr-capture-devices.h"

#include <glib/gi18n.h>

#include "engine/replay/vtr-replay-backend.h"
#include "session/vtr-text.h"

/* While the user types a variable, the drivers are not asked at each letter. */
#define PAUSE_MS 400

struct _VtrCaptureDevices
{
  GtkWidget parent_instance;

  GtkWidget *scroller;
  GtkWidget *row;
  GtkWidget *facts;
  GtkStack *state; /* looking, usable, unusable */
  GStrv environment;
  GCancellable *asking;
  guint pause;
};

G_DEFINE_FINAL_TYPE (VtrCaptureDevices, vtr_capture_devices, GTK_TYPE_WIDGET)

/* --- asking ---------------------------------------------------------------------------------- */

static void
show (VtrCaptureDevices *self, const char *state, const char *facts, const char *more)
{
  g_autofree char *words = g_strdup_printf (_ ("This Computer, %s"), more);

  gtk_label_set_label (GTK_LABEL (self->facts), facts);
  gtk_widget_set_tooltip_text (self->row, more);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->row), GTK_ACCESSIBLE_PROPERTY_LABEL, words,
                                  -1);
  gtk_stack_set_visible_child_name (self->state, state);
}

static void
show_devices (VtrCaptureDevices *self, GPtrArray *devices)
{
  g_autoptr (GString) names = g_string_new (NULL);
  g_autoptr (GString) more = g_string_new (NULL);

  for (guint i = 0; i < devices->len; i++)
    {
      const VtrReplayDevice *device = g_ptr_array_index (devices, i);
      g_autofree char *name = vtr_short_device_name (device->name);

      g_string_append_printf (names, "%s%s", i > 0 ? "\n" : "", name);
      g_string_append_printf (more, "%s%s · %s · %s", i > 0 ? "\n" : "",
                              device->name, vtr_replay_device_get_kind_name (device),
                              device->driver[0] != '\0' ? device->driver : _ ("unknown driver"));
    }
  show (self, "usable", names->str, more->str);
}

static void
list_worker (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  GError *error = NULL;
  GPtrArray *devices = vtr_replay_process_list_devices (data, &error);

  if (devices)
    g_task_return_pointer (task, devices, (GDestroyNotify)g_ptr_array_unref);
  else
    g_task_return_error (task, error);
}

static void
listed_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  VtrCaptureDevices *self = VTR_CAPTURE_DEVICES (source);
  gboolean superseded = g_cancellable_is_cancelled (g_task_get_cancellable (G_TASK (result)));
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) devices = g_task_propagate_pointer (G_TASK (result), &error);

  if (superseded)
    return;
  g_clear_object (&self->asking);
  if (devices)
    show_devices (self, devices);
  else if (g_error_matches (error, VTR_REPLAY_ERROR, VTR_REPLAY_ERROR_DRIVER))
    show (self, "unusable", _ ("No Vulkan driver can be used"), error->message);
  else
    show (self, "unusable", _ ("Could not query the drivers"), error->message);
}

static void
stop_asking (VtrCaptureDevices *self)
{
  g_clear_handle_id (&self->pause, g_source_remove);
  if (self->asking)
    g_cancellable_cancel (self->asking);
  g_clear_object (&self->asking);
}

/* The replayer, a separate process, loads the drivers, which may crash. */
static void
ask (VtrCaptureDevices *self)
{
  g_autoptr (GTask) task = NULL;

  stop_asking (self);
  gtk_stack_set_visible_child_name (self->state, "looking");
  self->asking = g_cancellable_new ();
  task = g_task_new (self, self->asking, listed_cb, NULL);
  g_task_set_source_tag (task, ask);
  g_task_set_task_data (task, g_strdupv (self->environment), (GDestroyNotify)g_strfreev);
  g_task_run_in_thread (task, list_worker);
}

static gboolean
pause_cb (gpointer data)
{
  VTR_CAPTURE_DEVICES (data)->pause = 0;
  ask (data);
  return G_SOURCE_REMOVE;
}

void
vtr_capture_devices_set_environment (VtrCaptureDevices *self, const char *const *environment)
{
  if (g_strv_equal (environment, (const char *const *)self->environment))
    return;
  g_strfreev (self->environment);
  self->environment = g_strdupv ((char **)environment);
  if (!gtk_widget_get_mapped (GTK_WIDGET (self)))
    return;
  stop_asking (self);
  self->pause = g_timeout_add (PAUSE_MS, pause_cb, self);
}

/* --- life ------------------------------------------------------------------------------------ */

/* Asks again each time, because drivers may be installed and devices plugged in between. */
static void
vtr_capture_devices_map (GtkWidget *widget)
{
  GTK_WIDGET_CLASS (vtr_capture_devices_parent_class)->map (widget);
  ask (VTR_CAPTURE_DEVICES (widget));
}

static void
vtr_capture_devices_dispose (GObject *object)
{
  VtrCaptureDevices *self = VTR_CAPTURE_DEVICES (object);

  stop_asking (self);
  g_clear_pointer (&self->environment, g_strfreev);
  g_clear_pointer (&self->scroller, gtk_widget_unparent);
  G_OBJECT_CLASS (vtr_capture_devices_parent_class)->dispose (object);
}

static void
vtr_capture_devices_class_init (VtrCaptureDevicesClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = vtr_capture_devices_dispose;
  widget_class->map = vtr_capture_devices_map;
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
}

static void
add_state (VtrCaptureDevices *self, const char *name, GtkWidget *widget, const char *css_class)
{
  if (css_class)
    gtk_widget_add_css_class (widget, css_class);
  gtk_stack_add_named (self->state, widget, name);
}

static GtkWidget *
make_label (const char *text)
{
  GtkWidget *label = gtk_label_new (text);

  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_label_set_ellipsize (GTK_LABEL (label), PANGO_ELLIPSIZE_END);
  return label;
}

static GtkWidget *
make_row (VtrCaptureDevices *self)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 12);
  GtkWidget *texts = gtk_box_new (GTK_ORIENTATION_VERTICAL, 2);
  GtkWidget *spinner = gtk_spinner_new ();
  GtkWidget *row = gtk_list_box_row_new ();

  self->facts = make_label (_ ("Looking for devices…"));
  gtk_widget_add_css_class (self->facts, "caption");
  gtk_widget_add_css_class (self->facts, "dim-text");
  gtk_widget_set_hexpand (texts, TRUE);
  gtk_box_append (GTK_BOX (texts), make_label (_ ("This Computer")));
  gtk_box_append (GTK_BOX (texts), self->facts);
  self->state = GTK_STACK (gtk_stack_new ());
  gtk_spinner_start (GTK_SPINNER (spinner));
  add_state (self, "looking", spinner, NULL);
  add_state (self, "usable", gtk_image_new_from_icon_name ("emblem-ok-symbolic"), "success");
  add_state (self, "unusable", gtk_image_new_from_icon_name ("dialog-warning-symbolic"),
             "warning");
  gtk_box_append (GTK_BOX (box), gtk_image_new_from_icon_name ("computer-symbolic"));
  gtk_box_append (GTK_BOX (box), texts);
  gtk_box_append (GTK_BOX (box), GTK_WIDGET (self->state));
  gtk_widget_add_css_class (box, "device");
  gtk_list_box_row_set_child (GTK_LIST_BOX_ROW (row), box);
  return row;
}

static void
vtr_capture_devices_init (VtrCaptureDevices *self)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0);
  GtkWidget *title = make_label (_ ("Devices"));
  GtkWidget *list = gtk_list_box_new ();

  self->environment = g_new0 (char *, 1);
  gtk_widget_add_css_class (title, "caption-heading");
  gtk_widget_add_css_class (title, "column-title");
  gtk_widget_add_css_class (list, "navigation-sidebar");
  gtk_list_box_set_selection_mode (GTK_LIST_BOX (list), GTK_SELECTION_BROWSE);
  gtk_accessible_update_property (GTK_ACCESSIBLE (list), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("Devices"), -1);
  self->row = make_row (self);
  gtk_list_box_append (GTK_LIST_BOX (list), self->row);
  gtk_list_box_select_row (GTK_LIST_BOX (list), GTK_LIST_BOX_ROW (self->row));
  gtk_box_append (GTK_BOX (box), title);
  gtk_box_append (GTK_BOX (box), list);
  self->scroller = gtk_scrolled_window_new ();
  gtk_scrolled_window_set_policy (GTK_SCROLLED_WINDOW (self->scroller), GTK_POLICY_NEVER,
                                  GTK_POLICY_AUTOMATIC);
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (self->scroller), box);
  gtk_widget_set_parent (self->scroller, GTK_WIDGET (self));
}

GtkWidget *
vtr_capture_devices_new (void)
{
  return g_object_new (VTR_TYPE_CAPTURE_DEVICES, NULL);
}
