/* The window's actions that edit the trace (overlay, disabled commands, replaced shaders), for
 * menus and scripts. */
#include "vtr-config.h"

#include "window/vtr-window-private.h"

#include <glib/gi18n.h>
#include <string.h>

#include "engine/answers/vtr-shader-option.h"
#include "session/vtr-remote-state.h"

/* Edits of the trace that the window shows: by keys and menus, and over D-Bus. */

/* --- shaders from files ---------------------------------------------------------------------- */

typedef struct
{
  VtrDocument *document;
  char *option;
  guint32 object, stage;
} Replacement;

static void
replacement_free (gpointer data)
{
  Replacement *replacement = data;

  g_object_unref (replacement->document);
  g_free (replacement->option);
  g_free (replacement);
}

static void
compile_thread (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  Replacement *job = data;
  GError *error = NULL;
  g_autoptr (GBytes) code =
    vtr_shader_option_read (vtr_document_get_history (job->document), job->option, &job->object,
                            &job->stage, cancellable, &error);

  if (code != NULL && vtr_document_check_shader (job->document, job->object, job->stage, code,
                                                 cancellable, &error))
    g_task_return_pointer (task, g_steal_pointer (&code), (GDestroyNotify)g_bytes_unref);
  else
    g_task_return_error (task, error);
}

static void
compiled_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  VtrWindow *self = VTR_WINDOW (source);
  Replacement *job = g_task_get_task_data (G_TASK (result));
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) code = g_task_propagate_pointer (G_TASK (result), &error);

  if (self->session == NULL || vtr_session_get_document (self->session) != job->document)
    return;
  if (code != NULL)
    vtr_edits_set_shader (vtr_session_get_edits (self->session), job->object, job->stage, code);
  else if (!g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    vtr_window_complain (self, error->message);
}

static void
replace_shader (VtrWindow *self, const char *option)
{
  const char *equals = strchr (option, '=');
  g_autoptr (GTask) task = NULL;
  Replacement *job;

  if (equals != NULL && !g_path_is_absolute (equals + 1))
    {
      g_autofree char *text = g_strdup_printf (
        _ ("“%s” is not an absolute file name; D-Bus does not know the caller’s folder"),
        equals + 1);

      vtr_window_complain (self, text);
      return;
    }
  job = g_new0 (Replacement, 1);
  job->document = g_object_ref (vtr_session_get_document (self->session));
  job->option = g_strdup (option);
  task = g_task_new (self, self->opening, compiled_cb, NULL);
  g_task_set_source_tag (task, replace_shader);
  g_task_set_task_data (task, job, replacement_free);
  g_task_run_in_thread (task, compile_thread);
}

/* --- by words -------------------------------------------------------------------------------- */

static VtrTimeline *
get_timeline (VtrWindow *self)
{
  return vtr_document_get_timeline (vtr_session_get_document (self->session));
}

/* "highlight", "highlight&from=12" */
static void
set_overlay (VtrWindow *self, const char *text)
{
  VtrEdits *edits = vtr_session_get_edits (self->session);
  g_auto (GStrv) parts = g_strsplit (text, "&from=", 2);
  VtrPlace from = { .index = VTR_COMMAND_NO_INDEX };
  g_autoptr (GError) error = NULL;
  VtrOverlay overlay;

  if (!vtr_overlay_from_string (parts[0] != NULL ? parts[0] : "", &overlay, &error) ||
      (parts[0] != NULL && parts[1] != NULL &&
       !vtr_path_parse_command (get_timeline (self), parts[1], &from, &error)))
    {
      vtr_window_complain (self, error->message);
      return;
    }
  vtr_edits_set_overlay_from (edits, from.index);
  vtr_edits_set_overlay (edits, overlay);
}

/* "12,15,initial/3" */
static void
set_disabled (VtrWindow *self, const char *list, gboolean disabled)
{
  g_auto (GStrv) words = g_strsplit (list, ",", -1);
  g_autoptr (GArray) commands = g_array_new (FALSE, FALSE, sizeof (guint64));
  g_autoptr (GError) error = NULL;
  gboolean good = TRUE;

  for (guint i = 0; good && words[i] != NULL; i++)
    {
      const char *word = g_str_has_prefix (words[i], "commands/") ? words[i] + strlen ("commands/")
                                                                  : words[i];
      VtrPlace address;

      good = vtr_path_parse_command (get_timeline (self), word, &address, &error);
      if (good)
        g_array_append_val (commands, address.index);
    }
  if (!good || !vtr_edits_set_disabled (vtr_session_get_edits (self->session), commands, disabled,
                                        &error))
    vtr_window_complain (self, error->message);
}

static void
edit_now (VtrWindow *self, const char *what, const char *value)
{
  VtrEdits *edits = self->session ? vtr_session_get_edits (self->session) : NULL;

  if (edits == NULL)
    vtr_window_complain (self, _ ("The window shows no trace"));
  else if (g_str_equal (what, "overlay"))
    set_overlay (self, value);
  else if (g_str_equal (what, "disable") || g_str_equal (what, "enable"))
    set_disabled (self, value, g_str_equal (what, "disable"));
  else if (g_str_equal (what, "replace-shader"))
    replace_shader (self, value);
  else if (g_str_equal (what, "enable-all"))
    vtr_edits_enable_all (edits);
  else if (g_str_equal (what, "reset-edits"))
    vtr_edits_reset (edits);
  else if (g_str_equal (what, "undo"))
    vtr_edits_undo (edits);
  else if (g_str_equal (what, "redo"))
    vtr_edits_redo (edits);
}

typedef struct
{
  char *what, *value;
} Waiting;

static void
ready_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  Waiting *waiting = data;

  if (vtr_window_wait_finish (VTR_WINDOW (source), result, NULL))
    edit_now (VTR_WINDOW (source), waiting->what, waiting->value);
  g_free (waiting->what);
  g_free (waiting->value);
  g_free (waiting);
}

void
vtr_window_edit (VtrWindow *self, const char *what, const char *value)
{
  Waiting *waiting;

  if (!vtr_window_must_wait (self))
    {
      edit_now (self, what, value);
      return;
    }
  waiting = g_new0 (Waiting, 1);
  waiting->what = g_strdup (what);
  waiting->value = g_strdup (value);
  vtr_window_wait_async (self, NULL, ready_cb, waiting);
}

/* --- following ------------------------------------------------------------------------------- */

void
vtr_window_update_edits (VtrWindow *self)
{
  GtkApplication *application = gtk_window_get_application (GTK_WINDOW (self));
  VtrEdits *edits = self->session ? vtr_session_get_edits (self->session) : NULL;
  gboolean trace = edits != NULL && vtr_window_is_page (self, "trace");
  g_autofree char *text = NULL;

  gtk_widget_action_set_enabled (GTK_WIDGET (self), "win.undo",
                                 trace && vtr_edits_can_undo (edits));
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "win.redo",
                                 trace && vtr_edits_can_redo (edits));
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "win.enable-all",
                                 trace && vtr_edits_get_n_disabled (edits) > 0);
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "win.reset-edits",
                                 trace && vtr_edits_get (edits, TRUE) != NULL);
  if (application == NULL ||
      gtk_application_get_active_window (application) != GTK_WINDOW (self))
    return;
  text = edits ? vtr_edits_format (edits, TRUE) : g_strdup ("");
  vtr_remote_state_set (application, "edits", text);
}

/* --- actions --------------------------------------------------------------------------------- */

static void
edit_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  vtr_window_edit (VTR_WINDOW (widget), name + strlen ("win."),
                   parameter ? g_variant_get_string (parameter, NULL) : "");
}

static void
disable_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  VtrWindow *self = VTR_WINDOW (widget);
  VtrCommandView *commands;

  if (self->session == NULL)
    return;
  commands = vtr_trace_page_get_commands (self->trace);
  if (g_str_equal (name, "win.disable-others"))
    vtr_command_view_disable_others (commands);
  else
    vtr_command_view_toggle_disabled (commands);
}

static void
complain_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  vtr_window_complain (VTR_WINDOW (widget), g_variant_get_string (parameter, NULL));
}

void
vtr_window_install_edit_actions (GtkWidgetClass *widget_class)
{
  static const char *const plain[] = { "win.enable-all", "win.reset-edits", "win.undo",
                                       "win.redo" };

  for (guint i = 0; i < G_N_ELEMENTS (plain); i++)
    gtk_widget_class_install_action (widget_class, plain[i], NULL, edit_action);
  gtk_widget_class_install_action (widget_class, "win.overlay", "s", edit_action);
  gtk_widget_class_install_action (widget_class, "win.toggle-disabled", NULL, disable_action);
  gtk_widget_class_install_action (widget_class, "win.disable-others", NULL, disable_action);
  gtk_widget_class_install_action (widget_class, "win.complain", "s", complain_action);
}
