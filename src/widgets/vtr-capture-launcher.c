/* The group of the capture form that chooses which processes to capture, and whether to wait for
 * a program that a launcher starts. */
#include "vtr-config.h"

#include "widgets/vtr-capture-launcher.h"

#include <glib/gi18n.h>

#include "engine/capture/vtr-capture-implicit.h"

struct _VtrCaptureLauncher
{
  GtkWidget parent_instance;

  GtkWidget *group;
  GtkWidget *wait; /* switch */
  GtkWidget *only, *never;
  GtkWidget *layer_row;
  GtkWidget *layer; /* switch */
  gboolean updating;
};

G_DEFINE_FINAL_TYPE (VtrCaptureLauncher, vtr_capture_launcher, GTK_TYPE_WIDGET)

enum
{
  PROP_0,
  PROP_WAITS,
};

gboolean
vtr_capture_launcher_get_waits (VtrCaptureLauncher *self)
{
  return gtk_switch_get_active (GTK_SWITCH (self->wait));
}

static char **
split_names (GtkWidget *entry)
{
  g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();
  g_auto (GStrv) words = g_strsplit_set (gtk_editable_get_text (GTK_EDITABLE (entry)), " ,;", -1);
  guint n = 0;

  for (char **word = words; *word; word++)
    if (**word)
      {
        g_strv_builder_add (builder, *word);
        n++;
      }
  return n > 0 ? g_strv_builder_end (builder) : NULL;
}

char **
vtr_capture_launcher_dup_only (VtrCaptureLauncher *self)
{
  return split_names (self->only);
}

char **
vtr_capture_launcher_dup_not (VtrCaptureLauncher *self)
{
  return split_names (self->never);
}

/* --- the layer ------------------------------------------------------------------------------- */

static void
show_layer (VtrCaptureLauncher *self, const char *problem)
{
  VtrHostInstallState state = vtr_capture_implicit_get_state ();
  const char *text = _ ("Loads only with VITRINE_CAPTURE=1. Steam launch option: "
                        "VITRINE_CAPTURE=1 %command%");
  g_autofree char *escaped = NULL;

  if (problem == NULL && state == VTR_HOST_OTHER)
    problem = _ ("The installed layer belongs to another copy of Vitrine. Switch off and on "
                 "again to replace it.");
  escaped = g_markup_escape_text (problem ? problem : text, -1);
  adw_action_row_set_subtitle (ADW_ACTION_ROW (self->layer_row), escaped);
  self->updating = TRUE;
  gtk_switch_set_active (GTK_SWITCH (self->layer), state != VTR_HOST_ABSENT);
  self->updating = FALSE;
}

static void
layer_switched_cb (VtrCaptureLauncher *self)
{
  g_autoptr (GError) error = NULL;

  if (self->updating)
    return;
  if (gtk_switch_get_active (GTK_SWITCH (self->layer)))
    vtr_capture_implicit_install (&error);
  else
    vtr_capture_implicit_remove (&error);
  show_layer (self, error ? error->message : NULL);
}

static void
wait_switched_cb (VtrCaptureLauncher *self)
{
  g_object_notify (G_OBJECT (self), "waits");
}

/* --- life ------------------------------------------------------------------------------------ */

static void
vtr_capture_launcher_dispose (GObject *object)
{
  g_clear_pointer (&VTR_CAPTURE_LAUNCHER (object)->group, gtk_widget_unparent);
  G_OBJECT_CLASS (vtr_capture_launcher_parent_class)->dispose (object);
}

static void
vtr_capture_launcher_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  g_value_set_boolean (value, vtr_capture_launcher_get_waits (VTR_CAPTURE_LAUNCHER (object)));
}

static void
vtr_capture_launcher_class_init (VtrCaptureLauncherClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = vtr_capture_launcher_dispose;
  G_OBJECT_CLASS (klass)->get_property = vtr_capture_launcher_get_property;
  g_object_class_install_property (
    G_OBJECT_CLASS (klass), PROP_WAITS,
    g_param_spec_boolean ("waits", NULL, NULL, FALSE, G_PARAM_READABLE | G_PARAM_STATIC_STRINGS));
  gtk_widget_class_set_layout_manager_type (GTK_WIDGET_CLASS (klass), GTK_TYPE_BIN_LAYOUT);
}

static GtkWidget *
add_switch (VtrCaptureLauncher *self, const char *title, const char *subtitle, GtkWidget **toggle)
{
  GtkWidget *row = adw_action_row_new ();

  *toggle = gtk_switch_new ();
  gtk_widget_set_valign (*toggle, GTK_ALIGN_CENTER);
  adw_preferences_row_set_title (ADW_PREFERENCES_ROW (row), title);
  if (subtitle)
    adw_action_row_set_subtitle (ADW_ACTION_ROW (row), subtitle);
  adw_action_row_add_suffix (ADW_ACTION_ROW (row), *toggle);
  adw_action_row_set_activatable_widget (ADW_ACTION_ROW (row), *toggle);
  adw_preferences_group_add (ADW_PREFERENCES_GROUP (self->group), row);
  return row;
}

static GtkWidget *
add_names (VtrCaptureLauncher *self, const char *title)
{
  GtkWidget *row = adw_entry_row_new ();

  adw_preferences_row_set_title (ADW_PREFERENCES_ROW (row), title);
  adw_preferences_group_add (ADW_PREFERENCES_GROUP (self->group), row);
  return row;
}

static void
vtr_capture_launcher_init (VtrCaptureLauncher *self)
{
  self->group = adw_preferences_group_new ();
  gtk_widget_set_parent (self->group, GTK_WIDGET (self));
  adw_preferences_group_set_title (ADW_PREFERENCES_GROUP (self->group), _ ("Processes"));
  adw_preferences_group_set_description (
    ADW_PREFERENCES_GROUP (self->group),
    _ ("Child processes are captured too, one trace each"));
  self->only = add_names (self, _ ("Include, e.g. game*"));
  self->never = add_names (self, _ ("Exclude, e.g. crashpad_handler"));
  add_switch (self, _ ("Wait for Launcher"), _ ("Capture a program started elsewhere"),
              &self->wait);
  self->layer_row = add_switch (self, _ ("Layer for Launchers"), NULL, &self->layer);
  show_layer (self, NULL);
  g_signal_connect_object (self->layer, "notify::active", G_CALLBACK (layer_switched_cb), self,
                           G_CONNECT_SWAPPED);
}

GtkWidget *
vtr_capture_launcher_new (GSettings *settings)
{
  VtrCaptureLauncher *self = g_object_new (VTR_TYPE_CAPTURE_LAUNCHER, NULL);

  g_settings_bind (settings, "capture-wait", self->wait, "active", G_SETTINGS_BIND_DEFAULT);
  g_settings_bind (settings, "capture-only", self->only, "text", G_SETTINGS_BIND_DEFAULT);
  g_settings_bind (settings, "capture-not", self->never, "text", G_SETTINGS_BIND_DEFAULT);
  g_signal_connect_object (self->wait, "notify::active", G_CALLBACK (wait_switched_cb), self,
                           G_CONNECT_SWAPPED);
  return GTK_WIDGET (self);
}
