/* The form of the capture page, which launches the capture of a program with the chosen options. */
#include "vtr-config.h"

#include "widgets/vtr-capture-form.h"

#include <glib/gi18n.h>
#include <glib/gstdio.h>

#include "session/vtr-settings.h"
#include "widgets/vtr-accessible.h"
#include "widgets/vtr-capture-begin.h"
#include "widgets/vtr-capture-environment.h"
#include "widgets/vtr-capture-launcher.h"
#include "widgets/vtr-capture-tracker.h"
#include "widgets/vtr-dialogs.h"
#include "widgets/vtr-program-chooser.h"

struct _VtrCaptureForm
{
  GtkWidget parent_instance;

  GtkWidget *box;
  GSettings *settings;
  GtkWidget *program_row;
  GtkWidget *program_icon;
  GtkWidget *arguments;
  VtrCaptureEnvironment *environment;
  GtkWidget *program_group;
  VtrCaptureBegin *begin;
  VtrCaptureLauncher *launcher;
  GtkWidget *stop_row;
  GtkWidget *stop;
  GtkWidget *frames;
  GtkWidget *frames_row;
  GtkWidget *tracker;
  GtkWidget *pass_extensions;
  GtkWidget *folder_row;
  GtkFileChooserNative *native;
  char *program;
  char *name;
};

G_DEFINE_FINAL_TYPE (VtrCaptureForm, vtr_capture_form, GTK_TYPE_WIDGET)

enum
{
  PROP_0,
  PROP_READY,
  N_PROPS
};

static GParamSpec *properties[N_PROPS];
static guint launch_signal, environment_signal;

/* --- program --------------------------------------------------------------------------------- */

static GIcon *
find_icon (const char *program)
{
  g_autofree char *base = g_path_get_basename (program);
  g_autolist (GAppInfo) infos = g_app_info_get_all ();

  for (GList *l = infos; l; l = l->next)
    {
      const char *executable = g_app_info_get_executable (l->data);
      g_autofree char *other = executable ? g_path_get_basename (executable) : NULL;

      if (g_strcmp0 (base, other) == 0 && g_app_info_get_icon (l->data))
        return g_object_ref (g_app_info_get_icon (l->data));
    }
  return g_themed_icon_new ("application-x-executable-symbolic");
}

static void
update_program (VtrCaptureForm *self)
{
  g_autofree char *title = NULL;
  g_autofree char *subtitle = NULL;
  g_autofree char *found = NULL;

  if (self->program == NULL || *self->program == '\0')
    {
      adw_preferences_row_set_title (ADW_PREFERENCES_ROW (self->program_row),
                                     _ ("No Program Chosen"));
      adw_action_row_set_subtitle (ADW_ACTION_ROW (self->program_row),
                                   _ ("Choose a program to capture"));
      gtk_image_set_from_icon_name (GTK_IMAGE (self->program_icon),
                                    "application-x-executable-symbolic");
    }
  else
    {
      g_autoptr (GIcon) icon = find_icon (self->program);

      found = g_find_program_in_path (self->program);
      title = g_markup_escape_text (self->name, -1);
      subtitle = g_markup_escape_text (found ? found : self->program, -1);
      adw_preferences_row_set_title (ADW_PREFERENCES_ROW (self->program_row), title);
      adw_action_row_set_subtitle (ADW_ACTION_ROW (self->program_row), subtitle);
      gtk_image_set_from_gicon (GTK_IMAGE (self->program_icon), icon);
    }
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_READY]);
}

void
vtr_capture_form_set_program (VtrCaptureForm *self,
                              const char     *name,
                              const char     *program,
                              const char     *arguments)
{
  g_autofree char *copy = g_strdup (program);
  g_autofree char *title = name ? g_strdup (name) : g_path_get_basename (program);

  g_free (self->program);
  g_free (self->name);
  self->program = g_steal_pointer (&copy);
  self->name = g_steal_pointer (&title);
  gtk_editable_set_text (GTK_EDITABLE (self->arguments), arguments ? arguments : "");
  update_program (self);
}

gboolean
vtr_capture_form_get_ready (VtrCaptureForm *self)
{
  return vtr_capture_launcher_get_waits (self->launcher) || (self->program && *self->program);
}

gboolean
vtr_capture_form_get_waits (VtrCaptureForm *self)
{
  return vtr_capture_launcher_get_waits (self->launcher);
}

static void
chosen_cb (VtrCaptureForm *self, const char *name, const char *program, const char *arguments)
{
  vtr_capture_form_set_program (self, name, program, arguments);
}

void
vtr_capture_form_choose (VtrCaptureForm *self)
{
  VtrProgramChooser *chooser =
    vtr_program_chooser_new (GTK_WINDOW (gtk_widget_get_root (GTK_WIDGET (self))));

  g_signal_connect_object (chooser, "chosen", G_CALLBACK (chosen_cb), self, G_CONNECT_SWAPPED);
  gtk_window_present (GTK_WINDOW (chooser));
}

/* --- environment ----------------------------------------------------------------------------- */

static void
environment_changed_cb (VtrCaptureForm *self)
{
  g_signal_emit (self, environment_signal, 0);
}

GStrv
vtr_capture_form_dup_environment (VtrCaptureForm *self)
{
  return vtr_capture_launcher_get_waits (self->launcher)
           ? g_new0 (char *, 1)
           : vtr_capture_environment_dup_variables (self->environment);
}

void
vtr_capture_form_set_directory (VtrCaptureForm *self, const char *directory)
{
  vtr_capture_environment_set_directory (self->environment, directory ? directory : "");
}

/* --- options --------------------------------------------------------------------------------- */

/* A file name such as "vkcube-4.gfxtrace", with the first number that is free. */
static char *
make_output (VtrCaptureForm *self)
{
  g_autofree char *folder = vtr_settings_dup_capture_folder ();
  g_autofree char *base = vtr_capture_launcher_get_waits (self->launcher)
                            ? g_strdup ("capture")
                            : g_path_get_basename (self->program);

  for (guint i = 1;; i++)
    {
      g_autofree char *name = i == 1 ? g_strdup_printf ("%s.gfxtrace", base)
                                     : g_strdup_printf ("%s-%u.gfxtrace", base, i);
      g_autofree char *path = g_build_filename (folder, name, NULL);

      if (!g_file_test (path, G_FILE_TEST_EXISTS))
        return g_steal_pointer (&path);
    }
}

static void
update_folder (VtrCaptureForm *self)
{
  g_autofree char *folder = vtr_settings_dup_capture_folder ();
  g_autofree char *display = g_filename_display_name (folder);
  g_autofree char *text = NULL;

  if (g_str_has_prefix (display, g_get_home_dir ()))
    {
      g_autofree char *tilde = g_strconcat ("~", display + strlen (g_get_home_dir ()), NULL);

      text = g_markup_escape_text (tilde, -1);
    }
  else
    text = g_markup_escape_text (display, -1);
  adw_action_row_set_subtitle (ADW_ACTION_ROW (self->folder_row), text);
}

static void
folder_response_cb (VtrCaptureForm *self, int response)
{
  g_autoptr (GFile) file = NULL;
  g_autofree char *path = NULL;

  if (response != GTK_RESPONSE_ACCEPT)
    return;
  file = gtk_file_chooser_get_file (GTK_FILE_CHOOSER (self->native));
  path = file ? g_file_get_path (file) : NULL;
  if (path)
    g_settings_set_string (self->settings, "capture-folder", path);
}

static void
choose_folder_cb (VtrCaptureForm *self)
{
  GtkRoot *root = gtk_widget_get_root (GTK_WIDGET (self));
  g_autofree char *path = NULL;
  g_autoptr (GFile) folder = NULL;

  if (self->native == NULL)
    {
      self->native = gtk_file_chooser_native_new (_ ("Save Traces To"), GTK_WINDOW (root),
                                                  GTK_FILE_CHOOSER_ACTION_SELECT_FOLDER,
                                                  _ ("_Choose"), _ ("_Cancel"));
      gtk_native_dialog_set_modal (GTK_NATIVE_DIALOG (self->native), TRUE);
      g_signal_connect_object (self->native, "response", G_CALLBACK (folder_response_cb), self,
                               G_CONNECT_SWAPPED);
    }
  path = vtr_settings_dup_capture_folder ();
  folder = g_file_new_for_path (path);
  vtr_dialogs_set_folder (self->native, folder);
  gtk_native_dialog_show (GTK_NATIVE_DIALOG (self->native));
}

guint
vtr_capture_form_get_n_frames (VtrCaptureForm *self)
{
  if (vtr_capture_begin_get_trigger (self->begin) != VTR_CAPTURE_FROM_LAUNCH)
    return g_settings_get_uint (self->settings, "capture-frames-each");
  if (!gtk_switch_get_active (GTK_SWITCH (self->stop)))
    return 0;
  return (guint)gtk_spin_button_get_value_as_int (GTK_SPIN_BUTTON (self->frames));
}

static void
remember (VtrCaptureForm *self)
{
  g_auto (GStrv) environment = vtr_capture_environment_dup_variables (self->environment);

  if (self->program)
    g_settings_set_string (self->settings, "capture-program", self->program);
  g_settings_set_string (self->settings, "capture-arguments",
                         gtk_editable_get_text (GTK_EDITABLE (self->arguments)));
  g_settings_set_string (self->settings, "capture-directory",
                         vtr_capture_environment_get_directory (self->environment));
  g_settings_set_strv (self->settings, "capture-environment", (const char *const *)environment);
}

/* The variable that tells the layer about the option, unless the user set it by hand. (transfer
 * full) */
static GStrv
add_variables (VtrCaptureForm *self, GStrv environment)
{
  g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();
  g_autofree char *tracker = g_settings_get_string (self->settings, "capture-tracker");
  g_autofree char *pair = g_strconcat ("VITRINE_TRACKER=", tracker, NULL);
  g_autofree char *names = g_settings_get_string (self->settings, "capture-pass-extensions");
  g_autofree char *passed = g_strconcat ("VITRINE_PASS_EXTENSIONS=", g_strstrip (names), NULL);

  if (!g_str_equal (tracker, "auto"))
    g_strv_builder_add (builder, pair);
  if (*names)
    g_strv_builder_add (builder, passed);
  g_strv_builder_addv (builder, (const char **)environment);
  g_strfreev (environment);
  return g_strv_builder_end (builder);
}

/* Program and arguments, NULL-terminated; @words owns the strings. (transfer container) */
static GPtrArray *
make_argv (VtrCaptureForm *self, char ***words, GError **error)
{
  const char *arguments = gtk_editable_get_text (GTK_EDITABLE (self->arguments));
  g_autoptr (GPtrArray) argv = g_ptr_array_new ();

  g_ptr_array_add (argv, self->program);
  if (arguments[strspn (arguments, " \t")] != '\0')
    {
      if (!g_shell_parse_argv (arguments, NULL, words, error))
        return NULL;
      for (gsize i = 0; (*words)[i]; i++)
        g_ptr_array_add (argv, (*words)[i]);
    }
  g_ptr_array_add (argv, NULL);
  return g_steal_pointer (&argv);
}

VtrCaptureSession *
vtr_capture_form_start (VtrCaptureForm *self, GError **error)
{
  g_auto (GStrv) words = NULL;
  g_auto (GStrv) environment = NULL;
  g_auto (GStrv) only = vtr_capture_launcher_dup_only (self->launcher);
  g_auto (GStrv) not = vtr_capture_launcher_dup_not (self->launcher);
  g_autoptr (GPtrArray) argv = NULL;
  g_autofree char *output = NULL;
  g_autofree char *folder = NULL;
  const char *directory = vtr_capture_environment_get_directory (self->environment);
  VtrCaptureOptions options = { 0 };

  g_return_val_if_fail (vtr_capture_form_get_ready (self), NULL);

  options.wait = vtr_capture_launcher_get_waits (self->launcher);
  if (!options.wait)
    {
      argv = make_argv (self, &words, error);
      if (argv == NULL)
        return NULL;
    }
  output = make_output (self);
  folder = g_path_get_dirname (output);
  if (g_mkdir_with_parents (folder, 0755) != 0)
    {
      g_set_error (error, VTR_CAPTURE_ERROR, VTR_CAPTURE_ERROR_FAILED,
                   _ ("The folder “%s” cannot be created: %s"), folder, g_strerror (errno));
      return NULL;
    }

  remember (self);
  environment = add_variables (self, vtr_capture_environment_dup_variables (self->environment));
  options.argv = argv ? (const char *const *)argv->pdata : NULL;
  options.directory = *directory ? directory : NULL;
  options.environment = (const char *const *)environment;
  options.output = output;
  options.only = (const char *const *)only;
  options.not = (const char *const *)not ;
  options.n_frames = vtr_capture_form_get_n_frames (self);
  vtr_capture_begin_fill (self->begin, &options);
  options.keep_running = g_settings_get_boolean (self->settings, "capture-keep-running");
  options.crash_mode = g_settings_get_boolean (self->settings, "capture-crash-mode");
  return vtr_capture_session_start (&options, error);
}

/* Hides rows that do not apply to the chosen way of capturing. */
static void
update_choices (VtrCaptureForm *self)
{
  gboolean at_launch = vtr_capture_begin_get_trigger (self->begin) == VTR_CAPTURE_FROM_LAUNCH;
  gboolean waits = vtr_capture_launcher_get_waits (self->launcher);

  gtk_widget_set_visible (self->stop_row, at_launch);
  gtk_widget_set_visible (self->frames_row, at_launch);
  gtk_widget_set_sensitive (self->program_group, !waits);
  /* A program that is started elsewhere has the variables of its launcher. */
  gtk_widget_set_sensitive (self->tracker, !waits);
  gtk_widget_set_sensitive (self->pass_extensions, !waits);
  g_signal_emit (self, environment_signal, 0);
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_READY]);
}

/* --- life ------------------------------------------------------------------------------------ */

static void
vtr_capture_form_dispose (GObject *object)
{
  VtrCaptureForm *self = VTR_CAPTURE_FORM (object);

  g_clear_object (&self->native);
  g_clear_object (&self->settings);
  g_clear_pointer (&self->box, gtk_widget_unparent);
  G_OBJECT_CLASS (vtr_capture_form_parent_class)->dispose (object);
}

static void
vtr_capture_form_finalize (GObject *object)
{
  VtrCaptureForm *self = VTR_CAPTURE_FORM (object);

  g_free (self->program);
  g_free (self->name);
  G_OBJECT_CLASS (vtr_capture_form_parent_class)->finalize (object);
}

static void
vtr_capture_form_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  if (id == PROP_READY)
    g_value_set_boolean (value, vtr_capture_form_get_ready (VTR_CAPTURE_FORM (object)));
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
}

static void
vtr_capture_form_class_init (VtrCaptureFormClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);

  object_class->dispose = vtr_capture_form_dispose;
  object_class->finalize = vtr_capture_form_finalize;
  object_class->get_property = vtr_capture_form_get_property;
  properties[PROP_READY] =
    g_param_spec_boolean ("ready", NULL, NULL, FALSE, G_PARAM_READABLE | G_PARAM_STATIC_STRINGS);
  g_object_class_install_properties (object_class, N_PROPS, properties);
  launch_signal = g_signal_new ("launch", VTR_TYPE_CAPTURE_FORM, G_SIGNAL_RUN_LAST, 0, NULL, NULL,
                                NULL, G_TYPE_NONE, 0);
  environment_signal = g_signal_new ("environment-changed", VTR_TYPE_CAPTURE_FORM,
                                     G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
  gtk_widget_class_set_layout_manager_type (GTK_WIDGET_CLASS (klass), GTK_TYPE_BIN_LAYOUT);
}

static void
activate_cb (VtrCaptureForm *self)
{
  g_signal_emit (self, launch_signal, 0);
}

static GtkWidget *
make_program_group (VtrCaptureForm *self)
{
  GtkWidget *group = adw_preferences_group_new ();
  GtkWidget *change = vtr_button_new_with_mnemonic (_ ("C_hange…"));

  adw_preferences_group_set_title (ADW_PREFERENCES_GROUP (group), _ ("Program"));
  self->program_icon = gtk_image_new ();
  gtk_image_set_pixel_size (GTK_IMAGE (self->program_icon), 32);
  self->program_row = adw_action_row_new ();
  gtk_widget_add_css_class (change, "flat");
  gtk_widget_set_valign (change, GTK_ALIGN_CENTER);
  g_signal_connect_object (change, "clicked", G_CALLBACK (vtr_capture_form_choose), self,
                           G_CONNECT_SWAPPED);
  adw_action_row_add_prefix (ADW_ACTION_ROW (self->program_row), self->program_icon);
  adw_action_row_add_suffix (ADW_ACTION_ROW (self->program_row), change);
  adw_action_row_set_activatable_widget (ADW_ACTION_ROW (self->program_row), change);
  adw_action_row_set_subtitle_lines (ADW_ACTION_ROW (self->program_row), 1);

  self->arguments = adw_entry_row_new ();
  adw_preferences_row_set_title (ADW_PREFERENCES_ROW (self->arguments), _ ("Arguments"));
  g_signal_connect_object (self->arguments, "entry-activated", G_CALLBACK (activate_cb), self,
                           G_CONNECT_SWAPPED);

  adw_preferences_group_add (ADW_PREFERENCES_GROUP (group), self->program_row);
  adw_preferences_group_add (ADW_PREFERENCES_GROUP (group), self->arguments);
  return group;
}

static GtkWidget *
make_switch_row (const char *title, const char *subtitle, GtkWidget **toggle)
{
  GtkWidget *row = adw_action_row_new ();

  *toggle = gtk_switch_new ();
  gtk_widget_set_valign (*toggle, GTK_ALIGN_CENTER);
  adw_preferences_row_set_title (ADW_PREFERENCES_ROW (row), title);
  if (subtitle)
    adw_action_row_set_subtitle (ADW_ACTION_ROW (row), subtitle);
  adw_action_row_add_suffix (ADW_ACTION_ROW (row), *toggle);
  adw_action_row_set_activatable_widget (ADW_ACTION_ROW (row), *toggle);
  return row;
}

static GtkWidget *
make_options_group (VtrCaptureForm *self)
{
  GtkWidget *group = adw_preferences_group_new ();
  GtkWidget *choose = gtk_button_new_from_icon_name ("document-open-symbolic");
  GtkWidget *keep;
  GtkWidget *crash;
  GtkWidget *row;

  adw_preferences_group_set_title (ADW_PREFERENCES_GROUP (group), _ ("Options"));
  row = make_switch_row (_ ("Stop After a Number of Frames"),
                         _ ("Otherwise, capture until you stop or the program exits"), &self->stop);
  self->stop_row = row;
  adw_preferences_group_add (ADW_PREFERENCES_GROUP (group), row);

  self->frames_row = adw_action_row_new ();
  self->frames = gtk_spin_button_new_with_range (1, 100000, 1);
  gtk_widget_set_valign (self->frames, GTK_ALIGN_CENTER);
  adw_preferences_row_set_title (ADW_PREFERENCES_ROW (self->frames_row), _ ("Frames to Capture"));
  adw_action_row_add_suffix (ADW_ACTION_ROW (self->frames_row), self->frames);
  adw_action_row_set_activatable_widget (ADW_ACTION_ROW (self->frames_row), self->frames);
  g_object_bind_property (self->stop, "active", self->frames_row, "sensitive",
                          G_BINDING_SYNC_CREATE);
  adw_preferences_group_add (ADW_PREFERENCES_GROUP (group), self->frames_row);

  row = make_switch_row (_ ("Leave Program Running"), _ ("After the capture finishes"), &keep);
  adw_preferences_group_add (ADW_PREFERENCES_GROUP (group), row);
  self->tracker = vtr_capture_tracker_row_new (self->settings);
  adw_preferences_group_add (ADW_PREFERENCES_GROUP (group), self->tracker);
  self->pass_extensions = adw_entry_row_new ();
  adw_preferences_row_set_title (ADW_PREFERENCES_ROW (self->pass_extensions),
                                 _ ("Pass Through Extensions"));
  gtk_widget_set_tooltip_text (self->pass_extensions,
                               _ ("Vulkan extensions that Vitrine would otherwise hide, "
                                  "separated by commas. The trace does not contain what the "
                                  "program does with them."));
  g_settings_bind (self->settings, "capture-pass-extensions", self->pass_extensions, "text",
                   G_SETTINGS_BIND_DEFAULT);
  adw_preferences_group_add (ADW_PREFERENCES_GROUP (group), self->pass_extensions);
  row = make_switch_row (
    _ ("Crash Mode"), _ ("Slower; saves each call before it runs"), &crash);
  adw_preferences_group_add (ADW_PREFERENCES_GROUP (group), row);

  self->folder_row = adw_action_row_new ();
  adw_preferences_row_set_title (ADW_PREFERENCES_ROW (self->folder_row), _ ("Save To"));
  gtk_widget_add_css_class (choose, "flat");
  gtk_widget_set_valign (choose, GTK_ALIGN_CENTER);
  gtk_widget_set_tooltip_text (choose, _ ("Choose Folder…"));
  gtk_accessible_update_property (GTK_ACCESSIBLE (choose), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("Choose Folder"), -1);
  g_signal_connect_object (choose, "clicked", G_CALLBACK (choose_folder_cb), self,
                           G_CONNECT_SWAPPED);
  adw_action_row_add_suffix (ADW_ACTION_ROW (self->folder_row), choose);
  adw_action_row_set_activatable_widget (ADW_ACTION_ROW (self->folder_row), choose);
  adw_preferences_group_add (ADW_PREFERENCES_GROUP (group), self->folder_row);

  g_settings_bind (self->settings, "capture-stop", self->stop, "active", G_SETTINGS_BIND_DEFAULT);
  g_settings_bind (self->settings, "capture-frames", self->frames, "value",
                   G_SETTINGS_BIND_DEFAULT);
  g_settings_bind (self->settings, "capture-keep-running", keep, "active", G_SETTINGS_BIND_DEFAULT);
  g_settings_bind (self->settings, "capture-crash-mode", crash, "active", G_SETTINGS_BIND_DEFAULT);
  return group;
}

static void
restore (VtrCaptureForm *self)
{
  g_autofree char *program = g_settings_get_string (self->settings, "capture-program");
  g_autofree char *arguments = g_settings_get_string (self->settings, "capture-arguments");
  g_autofree char *directory = g_settings_get_string (self->settings, "capture-directory");
  g_auto (GStrv) environment = g_settings_get_strv (self->settings, "capture-environment");

  if (*program)
    vtr_capture_form_set_program (self, NULL, program, arguments);
  else
    update_program (self);
  vtr_capture_environment_add_variables (self->environment, (const char *const *)environment);
  vtr_capture_form_set_directory (self, directory);
}

static void
vtr_capture_form_init (VtrCaptureForm *self)
{
  GtkWidget *program;

  self->settings = vtr_settings_new ();
  self->box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 24);
  gtk_widget_set_parent (self->box, GTK_WIDGET (self));
  program = make_program_group (self);
  self->environment = VTR_CAPTURE_ENVIRONMENT (vtr_capture_environment_new ());
  adw_preferences_group_add (ADW_PREFERENCES_GROUP (program), GTK_WIDGET (self->environment));
  g_signal_connect_object (self->environment, "environment-changed",
                           G_CALLBACK (environment_changed_cb), self, G_CONNECT_SWAPPED);
  self->program_group = program;
  self->begin = VTR_CAPTURE_BEGIN (vtr_capture_begin_new (self->settings));
  self->launcher = VTR_CAPTURE_LAUNCHER (vtr_capture_launcher_new (self->settings));
  gtk_box_append (GTK_BOX (self->box), program);
  gtk_box_append (GTK_BOX (self->box), GTK_WIDGET (self->begin));
  gtk_box_append (GTK_BOX (self->box), make_options_group (self));
  gtk_box_append (GTK_BOX (self->box), GTK_WIDGET (self->launcher));
  g_signal_connect_object (self->begin, "notify::trigger", G_CALLBACK (update_choices), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (self->launcher, "notify::waits", G_CALLBACK (update_choices), self,
                           G_CONNECT_SWAPPED);
  update_choices (self);
  restore (self);
  update_folder (self);
  g_signal_connect_object (self->settings, "changed::capture-folder", G_CALLBACK (update_folder),
                           self, G_CONNECT_SWAPPED);
}

GtkWidget *
vtr_capture_form_new (void)
{
  return g_object_new (VTR_TYPE_CAPTURE_FORM, NULL);
}
