/* The application's D-Bus actions: scripts use them to open, capture, select, edit, measure and
 * export. The menus and the preferences and about windows are also reached through them. */
#include "vtr-config.h"

#include "application/vtr-application-private.h"

#include <glib/gi18n.h>

#include "window/vtr-preferences.h"

/* The most windows: each takes some 45 MB, and a script could open any number. */
#define MAX_WINDOWS 32

/* The actions "app.…", which scripts can activate over D-Bus. */
VtrWindow *
vtr_application_find_window (VtrApplication *self)
{
  GtkWindow *window = gtk_application_get_active_window (GTK_APPLICATION (self));

  for (GList *l = gtk_application_get_windows (GTK_APPLICATION (self));
       l && !VTR_IS_WINDOW (window); l = l->next)
    window = l->data;
  return VTR_IS_WINDOW (window) ? VTR_WINDOW (window) : NULL;
}

VtrWindow *
vtr_application_get_window (VtrApplication *self)
{
  VtrWindow *window = vtr_application_find_window (self);

  return window ? window : vtr_window_new (GTK_APPLICATION (self));
}

VtrWindow *
vtr_application_make_window (VtrApplication *self)
{
  if (g_list_length (gtk_application_get_windows (GTK_APPLICATION (self))) < MAX_WINDOWS)
    return vtr_window_new (GTK_APPLICATION (self));
  vtr_application_complain (self, _ ("Too many windows are open. Close some first"));
  return NULL;
}

VtrWindow *
vtr_application_get_free_window (VtrApplication *self)
{
  VtrWindow *window = vtr_application_get_window (self);

  return vtr_window_is_busy (window) ? vtr_application_make_window (self) : window;
}

static VtrWindow *
find_capturing_window (VtrApplication *self)
{
  for (GList *l = gtk_application_get_windows (GTK_APPLICATION (self)); l; l = l->next)
    if (VTR_IS_WINDOW (l->data) && vtr_window_is_capturing (l->data))
      return l->data;
  return NULL;
}

void
vtr_application_complain (VtrApplication *self, const char *text)
{
  VtrWindow *window = vtr_application_find_window (self);

  if (window)
    vtr_window_complain (window, text);
  g_message ("%s", text);
}

/* --- actions --------------------------------------------------------------------------------- */

static VtrWindow *
find_showing_window (VtrApplication *self, GFile *file)
{
  for (GList *l = gtk_application_get_windows (GTK_APPLICATION (self)); l; l = l->next)
    if (VTR_IS_WINDOW (l->data) && vtr_window_shows_file (l->data, file))
      return l->data;
  return NULL;
}

/* If a window already shows the trace, raises that window. */
void
vtr_application_open_file (VtrApplication *self, GFile *file)
{
  VtrWindow *window = find_showing_window (self, file);

  if (window == NULL)
    {
      window = vtr_application_get_free_window (self);
      if (window == NULL)
        return;
      vtr_window_open_file (window, file);
    }
  vtr_window_present_soon (window);
}

static void
open_action (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  g_autoptr (GFile) file = g_file_new_for_commandline_arg (g_variant_get_string (parameter, NULL));

  vtr_application_open_file (data, file);
}

static VtrWindow *
show_capture (VtrApplication *self)
{
  VtrWindow *window = find_capturing_window (self);

  if (window == NULL)
    {
      window = vtr_application_get_free_window (self);
      if (window == NULL)
        return NULL;
      vtr_window_show_capture (window);
    }
  gtk_window_present (GTK_WINDOW (window));
  return window;
}

static void
capture_action (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  show_capture (data);
}

static void
capture_program (VtrApplication *self, const char *options, GVariant *program)
{
  VtrWindow *window;
  g_autofree const char **argv = g_variant_get_strv (program, NULL);
  g_auto (GStrv) words = g_strsplit (options, "&", -1);
  g_autoptr (GError) error = NULL;

  if ((argv[0] == NULL && !g_strv_contains ((const char *const *)words, "wait")) ||
      (argv[0] != NULL && *argv[0] == '\0'))
    vtr_application_complain (
      self, _ ("No program to capture was given. Give a program, followed by its arguments"));
  else if (find_capturing_window (self))
    vtr_application_complain (self, _ ("A capture is running already; stop it first"));
  else if ((window = show_capture (self)) != NULL &&
           !vtr_window_capture_program (window, argv, NULL, options, &error))
    vtr_application_complain (self, error->message);
}

static void
capture_program_action (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  capture_program (data, "", parameter);
}

/* Starts the program; the action "capture-frame" captures frames. */
static void
capture_idle_action (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  capture_program (data, "idle", parameter);
}

/* Options such as "at-frame=1000&frames=3&trim"; see vtr-capture-words.h. */
static void
capture_with_action (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  g_autoptr (GVariant) program = g_variant_get_child_value (parameter, 1);
  const char *options;

  g_variant_get_child (parameter, 0, "&s", &options);
  capture_program (data, options, program);
}

static void
start_action (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  VtrWindow *window;

  if (find_capturing_window (data))
    vtr_application_complain (data, _ ("A capture is running already; stop it first"));
  else if ((window = show_capture (data)) != NULL)
    gtk_widget_activate_action (GTK_WIDGET (window), "win.start-capture", NULL);
}

static void
stop_action (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  VtrWindow *window = find_capturing_window (data);

  if (window)
    gtk_widget_activate_action (GTK_WIDGET (window), "win.stop-capture", NULL);
  else
    vtr_application_complain (data, _ ("No capture is running"));
}

static void
stop_program_action (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  VtrWindow *window = find_capturing_window (data);

  if (window)
    gtk_widget_activate_action (GTK_WIDGET (window), "win.stop-program", NULL);
  else
    vtr_application_complain (data, _ ("No capture is running"));
}

static void
capture_frame_action (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  VtrWindow *window = find_capturing_window (data);
  g_autoptr (GError) error = NULL;

  if (window == NULL)
    vtr_application_complain (data, _ ("No capture is running"));
  else if (!vtr_window_capture_frame (window, &error))
    vtr_application_complain (data, error->message);
}

static void
select_action (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  VtrWindow *window = vtr_application_find_window (data);

  if (window)
    vtr_window_select (window, g_variant_get_string (parameter, NULL));
  else
    vtr_application_complain (data, _ ("No trace is open"));
}

/* The actions "overlay", "disable", …; see vtr_window_edit(). */
static void
edit_action (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  VtrWindow *window = vtr_application_find_window (data);

  if (window)
    vtr_window_edit (window, g_action_get_name (G_ACTION (action)),
                     parameter ? g_variant_get_string (parameter, NULL) : "");
  else
    vtr_application_complain (data, _ ("No trace is open"));
}

static void
export_framebuffer_action (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  const char *name = g_variant_get_string (parameter, NULL);
  VtrWindow *window = vtr_application_find_window (data);
  g_autoptr (GFile) file = *name ? g_file_new_for_commandline_arg (name) : NULL;

  if (window == NULL)
    vtr_application_complain (data, _ ("No trace is open"));
  else if (file == NULL)
    vtr_application_complain (data, _ ("The image was not saved: no file was given"));
  else
    vtr_window_export_image (window, file);
}

/* The actions "export-frames", "export-shaders" and "trim"; see vtr_window_write(). */
static void
write_action (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  const char *name = g_variant_get_string (parameter, NULL);
  VtrWindow *window = vtr_application_find_window (data);
  g_autoptr (GFile) file = *name ? g_file_new_for_commandline_arg (name) : NULL;

  if (window == NULL)
    vtr_application_complain (data, _ ("No trace is open"));
  else if (file == NULL)
    vtr_application_complain (data, _ ("Nothing was saved: no file or folder was given"));
  else
    vtr_window_write (window, g_action_get_name (G_ACTION (action)), file);
}

static void
recover_action (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  vtr_application_recover (data, TRUE);
}

/* Options such as "by=pass&loops=20&statistics"; "" for the defaults. */
static void
measure_action (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  VtrWindow *window = vtr_application_find_window (data);

  if (window)
    vtr_window_measure (window, g_variant_get_string (parameter, NULL));
  else
    vtr_application_complain (data, _ ("No trace is open"));
}

static void
stop_measuring_action (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  VtrWindow *window = vtr_application_find_window (data);

  if (window)
    vtr_window_stop_measuring (window);
}

/* Activates the window's action of the same name, as its keys do. */
static void
step_action (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  VtrWindow *window = vtr_application_find_window (data);
  g_autofree char *name = g_strconcat ("win.", g_action_get_name (G_ACTION (action)), NULL);

  if (window)
    gtk_widget_activate_action_variant (GTK_WIDGET (window), name, parameter);
  else
    vtr_application_complain (data, _ ("No trace is open"));
}

static void
new_window_action (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  VtrWindow *window = vtr_application_make_window (data);

  if (window)
    gtk_window_present (GTK_WINDOW (window));
}

/* Raises the open window of a type. Returns: FALSE: there is none. */
static gboolean
present_open (GType type)
{
  GListModel *windows = gtk_window_get_toplevels ();

  for (guint i = 0; i < g_list_model_get_n_items (windows); i++)
    {
      g_autoptr (GtkWindow) window = g_list_model_get_item (windows, i);

      if (G_TYPE_CHECK_INSTANCE_TYPE (window, type))
        {
          gtk_window_present (window);
          return TRUE;
        }
    }
  return FALSE;
}

static void
preferences_action (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  if (!present_open (ADW_TYPE_PREFERENCES_WINDOW))
    vtr_preferences_show (gtk_application_get_active_window (data));
}

static void
about_action (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  static const char *const developers[] = { "The Vitrine developers", NULL };

  if (present_open (ADW_TYPE_ABOUT_WINDOW))
    return;
  adw_show_about_window (gtk_application_get_active_window (data), "application-name", "Vitrine",
                         "application-icon", APPLICATION_ID, "version", PACKAGE_VERSION,
                         "developer-name", _ ("The Vitrine developers"), "developers", developers,
                         "comments", _ ("Capture and inspect the frames of Vulkan programs"),
                         "license-type", GTK_LICENSE_APACHE_2_0,
                         /* Translators: put your name here */
                         "translator-credits", _ ("translator-credits"), NULL);
}

static void
quit_action (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  g_autoptr (GList) windows = g_list_copy (gtk_application_get_windows (data));

  /* Closes the windows one by one, because each may ask first. */
  for (GList *l = windows; l; l = l->next)
    gtk_window_close (l->data);
  if (gtk_application_get_windows (data) == NULL)
    g_application_quit (data);
}

static const GActionEntry actions[] = {
  { "open", open_action, "s" },
  { "capture", capture_action },
  { "capture-program", capture_program_action, "as" },
  { "capture-idle", capture_idle_action, "as" },
  { "capture-with", capture_with_action, "(sas)" },
  { "capture-frame", capture_frame_action },
  { "start", start_action },
  { "stop", stop_action },
  { "stop-program", stop_program_action },
  { "select", select_action, "s" },
  { "export-framebuffer", export_framebuffer_action, "s" },
  { "export-frames", write_action, "s" },
  { "export-shaders", write_action, "s" },
  { "trim", write_action, "s" },
  { "recover", recover_action },
  { "overlay", edit_action, "s" },
  { "disable", edit_action, "s" },
  { "enable", edit_action, "s" },
  { "replace-shader", edit_action, "s" },
  { "reset-edits", edit_action },
  { "undo", edit_action },
  { "redo", edit_action },
  { "measure", measure_action, "s" },
  { "stop-measuring", stop_measuring_action },
  { "replay-on", step_action, "s" },
  { "first-draw", step_action },
  { "frame-end", step_action },
  { "next-draw", step_action },
  { "previous-draw", step_action },
  { "next-frame", step_action },
  { "previous-frame", step_action },
  { "next-write", step_action },
  { "previous-write", step_action },
  { "back", step_action },
  { "forward", step_action },
  { "new-window", new_window_action },
  { "preferences", preferences_action },
  { "about", about_action },
  { "quit", quit_action },
};


void
vtr_application_add_actions (VtrApplication *self)
{
  g_action_map_add_action_entries (G_ACTION_MAP (self), actions, G_N_ELEMENTS (actions), self);
}
