/* The application object: starts up, reads the command line, opens windows, and registers itself
 * on D-Bus. */
#include "vtr-config.h"

#include "application/vtr-application-private.h"

#include <glib/gi18n.h>
#include <libpanel.h>

#include "application/vtr-data-service.h"
#include "application/vtr-request-gate.h"
#include "engine/capture/vtr-capture-recover.h"
#include "engine/capture/vtr-capture-session.h"
#include "engine/format/vtr-trace.h"
#include "session/vtr-early-trace.h"
#include "session/vtr-recent-store.h"
#include "session/vtr-settings.h"
#include "window/vtr-window.h"

struct _VtrApplication
{
  AdwApplication parent_instance;

  GSettings *settings;
  VtrDataService *data;
  VtrRequestGate *gate;
  char *early; /* path of the trace on the command line */
  gboolean recovering;
  gboolean tell_recovered; /* recovery was requested: show its result */
};

G_DEFINE_FINAL_TYPE (VtrApplication, vtr_application, ADW_TYPE_APPLICATION)

static const struct
{
  const char *action;
  const char *accels[3];
} accels[] = {
  { "win.open", { "<Control>o" } },
  { "app.new-window", { "<Control>n" } },
  { "window.close", { "<Control>w" } },
  { "app.quit", { "<Control>q" } },
  { "app.preferences", { "<Control>comma" } },
  { "win.capture", { "<Control>r" } },
  { "win.capture-frame", { "<Control><Shift>r" } },
  { "win.stop-program", { "<Shift>F5" } },
  { "win.find", { "<Control>f" } },
  { "win.find-next", { "<Control>g" } },
  { "win.find-previous", { "<Control><Shift>g" } },
  { "win.go-to", { "<Control>l" } },
  { "win.back", { "<Alt>Left" } },
  { "win.forward", { "<Alt>Right" } },
  { "win.previous-frame", { "<Alt>Page_Up" } },
  { "win.next-frame", { "<Alt>Page_Down" } },
  { "win.previous-tab", { "<Control>Page_Up" } },
  { "win.next-tab", { "<Control>Page_Down" } },
  { "win.reveal-start", { "F9" } },
  { "win.reveal-end", { "<Shift>F9" } },
  { "win.reveal-bottom", { "<Control>F9" } },
  { "win.next-pane", { "F6" } },
  { "win.previous-pane", { "<Shift>F6" } },
  { "win.measure", { "<Control>m" } },
  { "win.copy-path", { "<Control><Shift>c" } },
  { "win.show-help-overlay", { "<Control>question", "F1" } },
};

/* A read-only state action: see vtr-remote-state.h. */
static void
add_state (VtrApplication *self, const char *name)
{
  g_autoptr (GSimpleAction) action =
    g_simple_action_new_stateful (name, NULL, g_variant_new_string (""));

  g_simple_action_set_enabled (action, FALSE);
  g_action_map_add_action (G_ACTION_MAP (self), G_ACTION (action));
}

/* --- appearance ------------------------------------------------------------------------------ */

static void
update_color_scheme (VtrApplication *self)
{
  static const AdwColorScheme schemes[] = { ADW_COLOR_SCHEME_DEFAULT, ADW_COLOR_SCHEME_FORCE_LIGHT,
                                            ADW_COLOR_SCHEME_FORCE_DARK };
  int scheme = g_settings_get_enum (self->settings, "color-scheme");

  adw_style_manager_set_color_scheme (adw_application_get_style_manager (ADW_APPLICATION (self)),
                                      schemes[CLAMP (scheme, 0, 2)]);
}

/* --- life ------------------------------------------------------------------------------------ */

/* --- what an interrupted capture left --------------------------------------------------------- */

static void
recover_thread (GTask        *task,
                gpointer      source,
                gpointer      data,
                GCancellable *cancellable)
{
  g_autoptr (GPtrArray) traces =
    g_ptr_array_new_with_free_func ((GDestroyNotify)vtr_trace_unref);
  GError *error = NULL;
  g_autoptr (VtrCaptureRecovery) recovery = vtr_capture_recover (&error);

  if (recovery == NULL)
    {
      g_task_return_error (task, error);
      return;
    }
  for (guint i = 0; i < recovery->notices->len; i++)
    g_message ("%s", (char *)g_ptr_array_index (recovery->notices, i));
  if (recovery->paths[0] == NULL && recovery->n_failed > 0)
    {
      g_task_return_new_error (task, VTR_CAPTURE_ERROR, VTR_CAPTURE_ERROR_FAILED, "%s",
                               (char *)g_ptr_array_index (recovery->notices, 0));
      return;
    }
  for (char **path = recovery->paths; *path; path++)
    {
      VtrTrace *trace = vtr_trace_open (*path, NULL, NULL, NULL, NULL);

      if (trace)
        g_ptr_array_add (traces, trace);
    }
  g_task_return_pointer (task, g_steal_pointer (&traces), (GDestroyNotify)g_ptr_array_unref);
}

static void
tell_recovered (VtrApplication *self, GPtrArray *traces)
{
  VtrWindow *window = vtr_application_get_window (self);

  if (traces->len == 0)
    vtr_window_tell (window, _ ("Nothing to recover"), NULL);
  else
    {
      g_autoptr (GFile) file =
        g_file_new_for_path (vtr_trace_get_path (g_ptr_array_index (traces, 0)));
      g_autofree char *text = g_strdup_printf (
        ngettext ("%u trace recovered", "%u traces recovered", traces->len), traces->len);

      vtr_window_tell (window, text, file);
    }
}

static void
recovered_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  VtrApplication *self = VTR_APPLICATION (source);
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) traces = g_task_propagate_pointer (G_TASK (result), &error);

  self->recovering = FALSE;
  if (traces == NULL)
    {
      /* At startup nobody has requested the recovery, and the log has its errors. */
      if (self->tell_recovered || error->domain != VTR_CAPTURE_ERROR)
        vtr_application_complain (self, error->message);
      self->tell_recovered = FALSE;
      return;
    }
  for (guint i = 0; i < traces->len; i++)
    {
      VtrTrace *trace = g_ptr_array_index (traces, i);
      const VtrTraceInfo *info = vtr_trace_get_info (trace);
      g_autoptr (GFile) file = g_file_new_for_path (vtr_trace_get_path (trace));
      VtrRecentFacts facts = {
        .device = info->device,
        .n_frames = vtr_trace_get_n_frames (trace),
        .n_commands = vtr_trace_get_n_program_commands (trace),
        .bytes = info->bytes,
        .truncated = info->truncated,
      };

      vtr_recent_store_add (vtr_recent_store_get_default (), file, &facts);
    }
  if (self->tell_recovered)
    tell_recovered (self, traces);
  self->tell_recovered = FALSE;
}

void
vtr_application_recover (VtrApplication *self, gboolean tell)
{
  g_autoptr (GTask) task = NULL;

  self->tell_recovered |= tell;
  if (self->recovering)
    return;
  self->recovering = TRUE;
  task = g_task_new (self, NULL, recovered_cb, NULL);
  g_task_run_in_thread (task, recover_thread);
}

static void
vtr_application_startup (GApplication *application)
{
  VtrApplication *self = VTR_APPLICATION (application);

  /* Runs while GTK starts, which takes as long. */
  if (self->early)
    vtr_early_trace_begin (self->early);
  G_APPLICATION_CLASS (vtr_application_parent_class)->startup (application);
  panel_init ();
  gtk_window_set_default_icon_name (APPLICATION_ID);

  self->settings = vtr_settings_new ();
  g_signal_connect_object (self->settings, "changed::color-scheme",
                           G_CALLBACK (update_color_scheme), self, G_CONNECT_SWAPPED);
  update_color_scheme (self);

  vtr_application_add_actions (self);
  add_state (self, "selected");
  add_state (self, "edits");
  add_state (self, "measurement");
  for (guint i = 0; i < G_N_ELEMENTS (accels); i++)
    gtk_application_set_accels_for_action (GTK_APPLICATION (self), accels[i].action,
                                           (const char *const *)accels[i].accels);
  vtr_application_recover (self, FALSE);
}

static void
vtr_application_activate (GApplication *application)
{
  gtk_window_present (GTK_WINDOW (vtr_application_get_window (VTR_APPLICATION (application))));
}

static void
vtr_application_open (GApplication *application, GFile **files, int n_files, const char *hint)
{
  for (int i = 0; i < n_files; i++)
    vtr_application_open_file (VTR_APPLICATION (application), files[i]);
}

/* "--capture -- PROGRAM ARGS…" needs the words after "--", which GApplication would take for files
 * to open. */
static int
vtr_application_command_line (GApplication *application, GApplicationCommandLine *line)
{
  VtrApplication *self = VTR_APPLICATION (application);
  GVariantDict *options = g_application_command_line_get_options_dict (line);
  g_autofree const char **rest = NULL;
  g_autoptr (GError) error = NULL;
  guint n_frames = 0;

  g_variant_dict_lookup (options, G_OPTION_REMAINING, "^a&ay", &rest);
  g_variant_dict_lookup (options, "frames", "u", &n_frames);
  if (g_variant_dict_contains (options, "capture"))
    {
      VtrWindow *window = vtr_application_get_free_window (self);

      if (window == NULL)
        return 1;
      vtr_window_show_capture (window);
      gtk_window_present (GTK_WINDOW (window));
      if (rest && rest[0])
        {
          g_autoptr (GString) words = g_string_new (NULL);

          if (g_variant_dict_contains (options, "frames"))
            g_string_append_printf (words, "frames=%u&", n_frames);
          if (g_variant_dict_contains (options, "idle"))
            g_string_append (words, "idle");
          if (!vtr_window_capture_program (window, rest, g_application_command_line_get_cwd (line),
                                           words->str, &error))
            {
              g_application_command_line_printerr (line, "%s\n", error->message);
              return 2;
            }
        }
      return 0;
    }
  if (rest == NULL || rest[0] == NULL)
    {
      if (g_variant_dict_contains (options, "new-window"))
        {
          VtrWindow *window = vtr_application_make_window (self);

          if (window == NULL)
            return 1;
          gtk_window_present (GTK_WINDOW (window));
        }
      else
        g_application_activate (application);
      return 0;
    }
  for (guint i = 0; rest[i]; i++)
    {
      g_autoptr (GFile) file = g_application_command_line_create_file_for_arg (line, rest[i]);

      vtr_application_open_file (self, file);
    }
  vtr_early_trace_drop ();
  return 0;
}

/* The first trace on the command line, if this process will open it. */
static void
note_early_trace (VtrApplication *self, GVariantDict *options)
{
  g_autofree const char **rest = NULL;
  g_autoptr (GFile) file = NULL;

  if (g_variant_dict_contains (options, "capture") ||
      !g_variant_dict_lookup (options, G_OPTION_REMAINING, "^a&ay", &rest) || rest[0] == NULL)
    return;
  file = g_file_new_for_commandline_arg (rest[0]);
  g_free (self->early);
  self->early = g_file_get_path (file);
}

static int
vtr_application_handle_local_options (GApplication *application, GVariantDict *options)
{
  gint n_frames = 0;

  note_early_trace (VTR_APPLICATION (application), options);

  if (g_variant_dict_contains (options, "version"))
    {
      g_print ("Vitrine %s\n", PACKAGE_VERSION);
      return 0;
    }
  if (g_variant_dict_lookup (options, "frames", "i", &n_frames))
    {
      if (n_frames < 0)
        {
          g_printerr (_ ("--frames: expected a number of frames, got %d\n"), n_frames);
          return 2;
        }
      g_variant_dict_insert (options, "frames", "u", (guint)n_frames);
    }
  return -1;
}

static void
refused_cb (guint n, gpointer data)
{
  g_autofree char *text =
    g_strdup_printf (ngettext ("%u request over D-Bus was refused: a program sends requests "
                               "faster than the window can answer them",
                               "%u requests over D-Bus were refused: a program sends requests "
                               "faster than the window can answer them",
                               n),
                     n);

  vtr_application_complain (data, text);
}

static gboolean
vtr_application_dbus_register (GApplication     *application,
                               GDBusConnection  *connection,
                               const char       *object_path,
                               GError          **error)
{
  VtrApplication *self = VTR_APPLICATION (application);

  if (!G_APPLICATION_CLASS (vtr_application_parent_class)
         ->dbus_register (application, connection, object_path, error))
    return FALSE;
  self->gate = vtr_request_gate_new (connection, refused_cb, self);
  self->data = vtr_data_service_new (self);
  return vtr_data_service_export (self->data, connection, object_path, error);
}

static void
vtr_application_dbus_unregister (GApplication    *application,
                                 GDBusConnection *connection,
                                 const char      *object_path)
{
  VtrApplication *self = VTR_APPLICATION (application);

  if (self->data)
    vtr_data_service_unexport (self->data);
  g_clear_object (&self->data);
  g_clear_pointer (&self->gate, vtr_request_gate_free);
  G_APPLICATION_CLASS (vtr_application_parent_class)
    ->dbus_unregister (application, connection, object_path);
}

static void
vtr_application_finalize (GObject *object)
{
  g_clear_object (&VTR_APPLICATION (object)->settings);
  g_free (VTR_APPLICATION (object)->early);
  G_OBJECT_CLASS (vtr_application_parent_class)->finalize (object);
}

static void
vtr_application_class_init (VtrApplicationClass *klass)
{
  GApplicationClass *application_class = G_APPLICATION_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = vtr_application_finalize;
  application_class->dbus_register = vtr_application_dbus_register;
  application_class->dbus_unregister = vtr_application_dbus_unregister;
  application_class->startup = vtr_application_startup;
  application_class->activate = vtr_application_activate;
  application_class->open = vtr_application_open;
  application_class->command_line = vtr_application_command_line;
  application_class->handle_local_options = vtr_application_handle_local_options;
}

static void
vtr_application_init (VtrApplication *self)
{
  static const GOptionEntry options[] = {
    { "capture", 'c', 0, G_OPTION_ARG_NONE, NULL,
      N_ ("Capture a program: --capture -- PROGRAM ARGUMENTS…"), NULL },
    { "frames", 'f', 0, G_OPTION_ARG_INT, NULL,
      N_ ("With --capture: stop after this many frames (0: when you stop it)"), N_ ("NUMBER") },
    { "idle", 'i', 0, G_OPTION_ARG_NONE, NULL,
      N_ ("With --capture: record nothing until Capture Frame is clicked"), NULL },
    { "new-window", 'w', 0, G_OPTION_ARG_NONE, NULL, N_ ("Open a new window"), NULL },
    { "version", 'v', 0, G_OPTION_ARG_NONE, NULL, N_ ("Print the version"), NULL },
    { G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_FILENAME_ARRAY, NULL, NULL, N_ ("[TRACE…]") },
    { NULL },
  };

  g_application_add_main_option_entries (G_APPLICATION (self), options);
}

VtrApplication *
vtr_application_new (void)
{
  return g_object_new (VTR_TYPE_APPLICATION, "application-id", APPLICATION_ID, "flags",
                       G_APPLICATION_HANDLES_OPEN | G_APPLICATION_HANDLES_COMMAND_LINE,
                       "resource-base-path", "/io/github/vitrine/Vitrine", NULL);
}
