/* The group of the capture form that chooses when a capture starts: at launch, by a click, at a
 * frame, or after some seconds. */
#include "vtr-config.h"

#include "widgets/vtr-capture-begin.h"

#include <glib/gi18n.h>

struct _VtrCaptureBegin
{
  GtkWidget parent_instance;

  GtkWidget *group;
  GtkWidget *when;
  GtkWidget *frame, *seconds, *frames, *every, *times, *trim; /* rows */
  GSettings *settings;
};

G_DEFINE_FINAL_TYPE (VtrCaptureBegin, vtr_capture_begin, GTK_TYPE_WIDGET)

enum
{
  PROP_0,
  PROP_TRIGGER,
};

/* In the order of the list. */
static const VtrCaptureTrigger triggers[] = {
  VTR_CAPTURE_FROM_LAUNCH,
  VTR_CAPTURE_BY_HAND,
  VTR_CAPTURE_AT_FRAME,
  VTR_CAPTURE_AFTER_SECONDS,
};

VtrCaptureTrigger
vtr_capture_begin_get_trigger (VtrCaptureBegin *self)
{
  guint selected = adw_combo_row_get_selected (ADW_COMBO_ROW (self->when));

  return selected < G_N_ELEMENTS (triggers) ? triggers[selected] : VTR_CAPTURE_FROM_LAUNCH;
}

static void
update_rows (VtrCaptureBegin *self)
{
  VtrCaptureTrigger trigger = vtr_capture_begin_get_trigger (self);
  gboolean repeats = trigger == VTR_CAPTURE_AT_FRAME || trigger == VTR_CAPTURE_AFTER_SECONDS;

  gtk_widget_set_visible (self->frame, trigger == VTR_CAPTURE_AT_FRAME);
  gtk_widget_set_visible (self->seconds, trigger == VTR_CAPTURE_AFTER_SECONDS);
  gtk_widget_set_visible (self->frames, trigger != VTR_CAPTURE_FROM_LAUNCH);
  gtk_widget_set_visible (self->trim, trigger != VTR_CAPTURE_FROM_LAUNCH);
  gtk_widget_set_visible (self->every, repeats);
  gtk_widget_set_visible (self->times,
                          repeats && g_settings_get_uint (self->settings, "capture-every") > 0);
}

static void
selected_cb (VtrCaptureBegin *self)
{
  update_rows (self);
  g_object_notify (G_OBJECT (self), "trigger");
}

void
vtr_capture_begin_fill (VtrCaptureBegin *self, VtrCaptureOptions *options)
{
  options->trigger = vtr_capture_begin_get_trigger (self);
  if (options->trigger == VTR_CAPTURE_FROM_LAUNCH)
    return;
  options->frame = g_settings_get_uint (self->settings, "capture-at-frame");
  options->seconds = g_settings_get_double (self->settings, "capture-after");
  options->n_frames = g_settings_get_uint (self->settings, "capture-frames-each");
  options->trim = g_settings_get_boolean (self->settings, "capture-trim");
  if (options->trigger == VTR_CAPTURE_BY_HAND)
    return;
  options->every = g_settings_get_uint (self->settings, "capture-every");
  options->times = options->every > 0 ? g_settings_get_uint (self->settings, "capture-times") : 1;
}

/* --- life ------------------------------------------------------------------------------------ */

static void
vtr_capture_begin_dispose (GObject *object)
{
  VtrCaptureBegin *self = VTR_CAPTURE_BEGIN (object);

  g_clear_object (&self->settings);
  g_clear_pointer (&self->group, gtk_widget_unparent);
  G_OBJECT_CLASS (vtr_capture_begin_parent_class)->dispose (object);
}

static void
vtr_capture_begin_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  g_value_set_int (value, vtr_capture_begin_get_trigger (VTR_CAPTURE_BEGIN (object)));
}

static void
vtr_capture_begin_class_init (VtrCaptureBeginClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = vtr_capture_begin_dispose;
  G_OBJECT_CLASS (klass)->get_property = vtr_capture_begin_get_property;
  g_object_class_install_property (
    G_OBJECT_CLASS (klass), PROP_TRIGGER,
    g_param_spec_int ("trigger", NULL, NULL, 0, VTR_CAPTURE_BY_HAND, 0,
                      G_PARAM_READABLE | G_PARAM_STATIC_STRINGS));
  gtk_widget_class_set_layout_manager_type (GTK_WIDGET_CLASS (klass), GTK_TYPE_BIN_LAYOUT);
}

static void
vtr_capture_begin_init (VtrCaptureBegin *self)
{
}

static GtkWidget *
add_spin_row (VtrCaptureBegin *self,
              const char      *title,
              const char      *subtitle,
              double           first,
              double           last,
              guint            digits,
              const char      *key)
{
  GtkWidget *row = adw_action_row_new ();
  GtkWidget *spin = gtk_spin_button_new_with_range (first, last, 1);

  gtk_spin_button_set_digits (GTK_SPIN_BUTTON (spin), digits);
  gtk_widget_set_valign (spin, GTK_ALIGN_CENTER);
  gtk_accessible_update_property (GTK_ACCESSIBLE (spin), GTK_ACCESSIBLE_PROPERTY_LABEL, title, -1);
  adw_preferences_row_set_title (ADW_PREFERENCES_ROW (row), title);
  if (subtitle)
    adw_action_row_set_subtitle (ADW_ACTION_ROW (row), subtitle);
  adw_action_row_add_suffix (ADW_ACTION_ROW (row), spin);
  adw_action_row_set_activatable_widget (ADW_ACTION_ROW (row), spin);
  adw_preferences_group_add (ADW_PREFERENCES_GROUP (self->group), row);
  g_settings_bind (self->settings, key, spin, "value", G_SETTINGS_BIND_DEFAULT);
  return row;
}

static GtkWidget *
add_switch_row (VtrCaptureBegin *self,
                const char      *title,
                const char      *subtitle,
                const char      *key)
{
  GtkWidget *row = adw_action_row_new ();
  GtkWidget *toggle = gtk_switch_new ();

  gtk_widget_set_valign (toggle, GTK_ALIGN_CENTER);
  gtk_accessible_update_property (GTK_ACCESSIBLE (toggle), GTK_ACCESSIBLE_PROPERTY_LABEL, title,
                                  -1);
  adw_preferences_row_set_title (ADW_PREFERENCES_ROW (row), title);
  adw_action_row_set_subtitle (ADW_ACTION_ROW (row), subtitle);
  adw_action_row_add_suffix (ADW_ACTION_ROW (row), toggle);
  adw_action_row_set_activatable_widget (ADW_ACTION_ROW (row), toggle);
  adw_preferences_group_add (ADW_PREFERENCES_GROUP (self->group), row);
  g_settings_bind (self->settings, key, toggle, "active", G_SETTINGS_BIND_DEFAULT);
  return row;
}

static void
build (VtrCaptureBegin *self)
{
  const char *const names[] = { _ ("At Launch"), _ ("When I Click"), _ ("At a Frame"),
                                _ ("After a Delay"), NULL };
  g_autoptr (GtkStringList) list = gtk_string_list_new (names);

  self->group = adw_preferences_group_new ();
  gtk_widget_set_parent (self->group, GTK_WIDGET (self));
  adw_preferences_group_set_title (ADW_PREFERENCES_GROUP (self->group), _ ("When to Capture"));
  self->when = adw_combo_row_new ();
  adw_preferences_row_set_title (ADW_PREFERENCES_ROW (self->when), _ ("Start"));
  adw_combo_row_set_model (ADW_COMBO_ROW (self->when), G_LIST_MODEL (list));
  adw_preferences_group_add (ADW_PREFERENCES_GROUP (self->group), self->when);
  self->frame = add_spin_row (self, _ ("Frame"), _ ("Counting from 0"), 0, 1e9, 0,
                              "capture-at-frame");
  self->seconds = add_spin_row (self, _ ("Seconds"), _ ("After launch"), 0, 86400, 1,
                                "capture-after");
  self->frames = add_spin_row (self, _ ("Frames in Each Capture"), NULL, 1, 1000, 0,
                               "capture-frames-each");
  self->every = add_spin_row (self, _ ("Repeat Every"), _ ("Number of frames; 0 = don’t repeat"),
                              0, 1e6, 0, "capture-every");
  self->times = add_spin_row (self, _ ("Number of Captures"), _ ("0 = until you stop"), 0, 1000, 0,
                              "capture-times");
  self->trim = add_switch_row (self, _ ("Trim Initial State"),
                               _ ("Leave out objects that the captured frames do not need"),
                               "capture-trim");
}

GtkWidget *
vtr_capture_begin_new (GSettings *settings)
{
  VtrCaptureBegin *self = g_object_new (VTR_TYPE_CAPTURE_BEGIN, NULL);

  self->settings = g_object_ref (settings);
  build (self);
  g_settings_bind (settings, "capture-begin", self->when, "selected", G_SETTINGS_BIND_DEFAULT);
  update_rows (self);
  g_signal_connect_object (self->when, "notify::selected", G_CALLBACK (selected_cb), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (settings, "changed::capture-every", G_CALLBACK (update_rows), self,
                           G_CONNECT_SWAPPED);
  return GTK_WIDGET (self);
}
