/* The window that chooses the program to capture: an installed application, a file, or a typed
 * command line. */
#include "vtr-config.h"

#include "widgets/vtr-program-chooser.h"

#include <glib/gi18n.h>
#include <string.h>

#include "session/vtr-settings.h"
#include "widgets/vtr-accessible.h"
#include "widgets/vtr-dialogs.h"
#include "widgets/vtr-program-search.h"
#include "widgets/vtr-text-scale.h"

/* The most programs of $PATH that are listed. */
#define MAX_FOUND 24

struct _VtrProgramChooser
{
  AdwWindow parent_instance;

  GtkWidget *entry;
  GtkWidget *list;
  GtkFileChooserNative *native;
};

G_DEFINE_FINAL_TYPE (VtrProgramChooser, vtr_program_chooser, ADW_TYPE_WINDOW)

static guint chosen_signal;

char *
vtr_quote_word (const char *word)
{
  if (*word != '\0' && strpbrk (word, " \t\n'\"\\$&;|<>()*?[]#~`!") == NULL)
    return g_strdup (word);
  return g_shell_quote (word);
}

gboolean
vtr_split_command_line (const char *command_line, char **program, char **arguments)
{
  g_auto (GStrv) argv = NULL;
  g_autoptr (GString) rest = g_string_new (NULL);
  gsize first = 0;

  if (command_line == NULL || !g_shell_parse_argv (command_line, NULL, &argv, NULL))
    return FALSE;
  /* Skips "env NAME=value" before the program. */
  if (g_str_equal (argv[0], "env") && argv[1])
    for (first = 1; argv[first] && strchr (argv[first], '='); first++)
      ;
  if (argv[first] == NULL)
    return FALSE;
  for (gsize i = first + 1; argv[i]; i++)
    {
      g_autofree char *word = NULL;

      /* Field codes of a desktop file stand for files, which we do not have. */
      if (argv[i][0] == '%' && argv[i][1] != '\0' && argv[i][2] == '\0')
        continue;
      word = vtr_quote_word (argv[i]);
      g_string_append_printf (rest, "%s%s", rest->len > 0 ? " " : "", word);
    }
  *program = g_strdup (argv[first]);
  *arguments = g_strdup (rest->str);
  return TRUE;
}

/* Splits the typed text: "glxgears -info". Returns: FALSE if it is not a valid command line. */
static gboolean
parse_typed (VtrProgramChooser *self, char **program, char **arguments)
{
  const char *text = gtk_editable_get_text (GTK_EDITABLE (self->entry));

  return vtr_split_command_line (text, program, arguments);
}

/* A program that matches the typed text. */
static void
choose_found (VtrProgramChooser *self, const char *path)
{
  g_autofree char *name = g_path_get_basename (path);
  g_autofree char *program = NULL;
  g_autofree char *arguments = NULL;

  parse_typed (self, &program, &arguments);
  g_signal_emit (self, chosen_signal, 0, name, path, arguments != NULL ? arguments : "");
  gtk_window_close (GTK_WINDOW (self));
}

static void
row_activated_cb (VtrProgramChooser *self, GtkListBoxRow *row)
{
  GAppInfo *info = g_object_get_data (G_OBJECT (row), "info");
  const char *path = g_object_get_data (G_OBJECT (row), "path");
  g_autofree char *program = NULL;
  g_autofree char *arguments = NULL;

  if (path != NULL)
    {
      choose_found (self, path);
      return;
    }
  if (!vtr_split_command_line (g_app_info_get_commandline (info), &program, &arguments))
    return;
  g_signal_emit (self, chosen_signal, 0, g_app_info_get_display_name (info), program, arguments);
  gtk_window_close (GTK_WINDOW (self));
}

static void
file_response_cb (VtrProgramChooser *self, int response)
{
  g_autoptr (GFile) file = NULL;
  g_autofree char *path = NULL;
  g_autofree char *name = NULL;

  if (response != GTK_RESPONSE_ACCEPT)
    return;
  file = gtk_file_chooser_get_file (GTK_FILE_CHOOSER (self->native));
  path = file ? g_file_get_path (file) : NULL;
  if (path == NULL)
    return;
  name = g_path_get_basename (path);
  g_signal_emit (self, chosen_signal, 0, name, path, "");
  gtk_window_close (GTK_WINDOW (self));
}

/* The folder of the last program, or the home folder. */
static void
set_folder (VtrProgramChooser *self)
{
  g_autoptr (GSettings) settings = vtr_settings_new ();
  g_autofree char *program = g_settings_get_string (settings, "capture-program");
  g_autofree char *path = g_path_is_absolute (program) ? g_path_get_dirname (program)
                                                       : g_strdup (g_get_home_dir ());
  g_autoptr (GFile) folder = g_file_new_for_path (path);

  vtr_dialogs_set_folder (self->native, folder);
}

static void
choose_file_cb (VtrProgramChooser *self)
{
  if (self->native == NULL)
    {
      self->native =
        gtk_file_chooser_native_new (_ ("Choose a Program"), GTK_WINDOW (self),
                                     GTK_FILE_CHOOSER_ACTION_OPEN, _ ("_Choose"), _ ("_Cancel"));
      gtk_native_dialog_set_modal (GTK_NATIVE_DIALOG (self->native), TRUE);
      g_signal_connect_object (self->native, "response", G_CALLBACK (file_response_cb), self,
                               G_CONNECT_SWAPPED);
      set_folder (self);
    }
  gtk_native_dialog_show (GTK_NATIVE_DIALOG (self->native));
}

static gboolean
filter_cb (GtkListBoxRow *row, gpointer data)
{
  VtrProgramChooser *self = data;
  GAppInfo *info = g_object_get_data (G_OBJECT (row), "info");
  const char *text = gtk_editable_get_text (GTK_EDITABLE (self->entry));

  if (info == NULL)
    return TRUE;
  return *text == '\0' || g_str_match_string (text, g_app_info_get_display_name (info), TRUE) ||
         g_str_match_string (text, g_app_info_get_executable (info), TRUE);
}

static int
compare_cb (gconstpointer a, gconstpointer b)
{
  return g_utf8_collate (g_app_info_get_display_name ((GAppInfo *)a),
                         g_app_info_get_display_name ((GAppInfo *)b));
}

static void
fill (VtrProgramChooser *self)
{
  g_autolist (GAppInfo) infos = g_list_sort (g_app_info_get_all (), compare_cb);

  for (GList *l = infos; l; l = l->next)
    {
      GAppInfo *info = l->data;
      GIcon *icon = g_app_info_get_icon (info);
      GtkWidget *row;
      GtkWidget *image;
      g_autofree char *title = NULL;
      g_autofree char *program = NULL;
      g_autofree char *arguments = NULL;
      g_autofree char *subtitle = NULL;

      /* The subtitle is the command line without field codes. */
      if (!g_app_info_should_show (info) ||
          !vtr_split_command_line (g_app_info_get_commandline (info), &program, &arguments))
        continue;
      title = g_markup_escape_text (g_app_info_get_display_name (info), -1);
      subtitle = g_markup_printf_escaped ("%s %s", program, arguments);
      g_strchomp (subtitle);
      row = adw_action_row_new ();
      image = icon ? gtk_image_new_from_gicon (icon)
                   : gtk_image_new_from_icon_name ("application-x-executable");
      gtk_image_set_pixel_size (GTK_IMAGE (image), 32);
      adw_action_row_add_prefix (ADW_ACTION_ROW (row), image);
      adw_preferences_row_set_title (ADW_PREFERENCES_ROW (row), title);
      adw_action_row_set_subtitle (ADW_ACTION_ROW (row), subtitle);
      adw_action_row_set_subtitle_lines (ADW_ACTION_ROW (row), 1);
      gtk_list_box_row_set_activatable (GTK_LIST_BOX_ROW (row), TRUE);
      g_object_set_data_full (G_OBJECT (row), "info", g_object_ref (info), g_object_unref);
      gtk_list_box_append (GTK_LIST_BOX (self->list), row);
    }
}

/* --- programs of $PATH ----------------------------------------------------------------------- */

static void
add_found (VtrProgramChooser *self, const char *path, gboolean first)
{
  GtkWidget *row = adw_action_row_new ();
  GtkWidget *image = gtk_image_new_from_icon_name ("application-x-executable");
  g_autofree char *name = g_path_get_basename (path);
  g_autofree char *shown = g_filename_display_name (name);
  g_autofree char *whole = g_filename_display_name (path);
  g_autofree char *title = g_markup_escape_text (shown, -1);
  g_autofree char *subtitle = g_markup_escape_text (whole, -1);

  gtk_image_set_pixel_size (GTK_IMAGE (image), 32);
  adw_action_row_add_prefix (ADW_ACTION_ROW (row), image);
  adw_preferences_row_set_title (ADW_PREFERENCES_ROW (row), title);
  adw_action_row_set_subtitle (ADW_ACTION_ROW (row), subtitle);
  adw_action_row_set_subtitle_lines (ADW_ACTION_ROW (row), 1);
  gtk_list_box_row_set_activatable (GTK_LIST_BOX_ROW (row), TRUE);
  g_object_set_data_full (G_OBJECT (row), "path", g_strdup (path), g_free);
  if (first)
    gtk_list_box_prepend (GTK_LIST_BOX (self->list), row);
  else
    gtk_list_box_append (GTK_LIST_BOX (self->list), row);
}

static void
remove_found (VtrProgramChooser *self)
{
  GtkWidget *row = gtk_widget_get_first_child (self->list);

  while (row != NULL)
    {
      GtkWidget *next = gtk_widget_get_next_sibling (row);

      if (g_object_get_data (G_OBJECT (row), "path") != NULL)
        gtk_list_box_remove (GTK_LIST_BOX (self->list), row);
      row = next;
    }
}

/* A program with exactly this name or path comes before the applications, other programs after
 * them. */
static void
search_changed_cb (VtrProgramChooser *self)
{
  g_autofree char *program = NULL;
  g_autofree char *arguments = NULL;
  g_auto (GStrv) found = NULL;

  remove_found (self);
  if (parse_typed (self, &program, &arguments))
    found = vtr_program_search (program, g_getenv ("PATH"), MAX_FOUND);
  for (guint i = 0; found != NULL && found[i] != NULL; i++)
    {
      g_autofree char *name = g_path_get_basename (found[i]);

      add_found (self, found[i], strchr (program, '/') != NULL || g_str_equal (name, program));
    }
  gtk_list_box_invalidate_filter (GTK_LIST_BOX (self->list));
}

/* Enter chooses the first row. */
static void
entry_activate_cb (VtrProgramChooser *self)
{
  /* The entry reports changes with a delay. */
  search_changed_cb (self);
  for (GtkWidget *row = gtk_widget_get_first_child (self->list); row != NULL;
       row = gtk_widget_get_next_sibling (row))
    if (GTK_IS_LIST_BOX_ROW (row) && gtk_widget_get_child_visible (row))
      {
        row_activated_cb (self, GTK_LIST_BOX_ROW (row));
        return;
      }
}

/* --- life ------------------------------------------------------------------------------------ */

static void
vtr_program_chooser_dispose (GObject *object)
{
  g_clear_object (&VTR_PROGRAM_CHOOSER (object)->native);
  G_OBJECT_CLASS (vtr_program_chooser_parent_class)->dispose (object);
}

static void
vtr_program_chooser_class_init (VtrProgramChooserClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = vtr_program_chooser_dispose;
  chosen_signal =
    g_signal_new ("chosen", VTR_TYPE_PROGRAM_CHOOSER, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                  G_TYPE_NONE, 3, G_TYPE_STRING, G_TYPE_STRING, G_TYPE_STRING);
  gtk_widget_class_add_binding_action (GTK_WIDGET_CLASS (klass), GDK_KEY_Escape, 0, "window.close",
                                       NULL);
}

static GtkWidget *
make_empty (void)
{
  GtkWidget *label =
    gtk_label_new (_ ("No matching program. Use “Choose File…” for others."));

  gtk_label_set_wrap (GTK_LABEL (label), TRUE);
  gtk_widget_add_css_class (label, "dim-text");
  gtk_widget_add_css_class (label, "group-note");
  return label;
}

static void
vtr_program_chooser_init (VtrProgramChooser *self)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0);
  GtkWidget *header = adw_header_bar_new ();
  GtkWidget *file = vtr_button_new_with_mnemonic (_ ("Choose _File…"));
  GtkWidget *scroller = gtk_scrolled_window_new ();
  GtkWidget *clamp = adw_clamp_new ();

  self->entry = gtk_search_entry_new ();
  gtk_widget_set_hexpand (self->entry, TRUE);
  g_object_set (self->entry, "placeholder-text",
                _ ("Application, command or path"), NULL);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->entry), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("Application, command or path"), -1);
  adw_header_bar_set_title_widget (ADW_HEADER_BAR (header), self->entry);
  adw_header_bar_pack_start (ADW_HEADER_BAR (header), file);
  g_signal_connect_object (file, "clicked", G_CALLBACK (choose_file_cb), self, G_CONNECT_SWAPPED);

  self->list = gtk_list_box_new ();
  gtk_list_box_set_selection_mode (GTK_LIST_BOX (self->list), GTK_SELECTION_NONE);
  gtk_list_box_set_filter_func (GTK_LIST_BOX (self->list), filter_cb, self, NULL);
  gtk_list_box_set_placeholder (GTK_LIST_BOX (self->list), make_empty ());
  gtk_widget_add_css_class (self->list, "boxed-list");
  gtk_widget_add_css_class (self->list, "chooser");
  gtk_widget_set_valign (self->list, GTK_ALIGN_START);
  g_signal_connect_object (self->list, "row-activated", G_CALLBACK (row_activated_cb), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (self->entry, "search-changed", G_CALLBACK (search_changed_cb), self,
                           G_CONNECT_SWAPPED);
  /* The entry would swallow Escape. */
  g_signal_connect_object (self->entry, "stop-search", G_CALLBACK (gtk_window_close), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (self->entry, "activate", G_CALLBACK (entry_activate_cb), self,
                           G_CONNECT_SWAPPED);
  gtk_search_entry_set_key_capture_widget (GTK_SEARCH_ENTRY (self->entry), GTK_WIDGET (self));

  adw_clamp_set_child (ADW_CLAMP (clamp), self->list);
  gtk_scrolled_window_set_policy (GTK_SCROLLED_WINDOW (scroller), GTK_POLICY_NEVER,
                                  GTK_POLICY_AUTOMATIC);
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (scroller), clamp);
  gtk_widget_set_vexpand (scroller, TRUE);
  gtk_box_append (GTK_BOX (box), header);
  gtk_box_append (GTK_BOX (box), scroller);
  adw_window_set_content (ADW_WINDOW (self), box);
  /* Otherwise Enter would press the first button, whatever was typed. */
  gtk_window_set_focus (GTK_WINDOW (self), self->entry);
  gtk_window_set_title (GTK_WINDOW (self), _ ("Choose a Program"));
  gtk_window_set_default_size (GTK_WINDOW (self), vtr_text_scaled (GTK_WIDGET (self), 560), 620);
  fill (self);
}

VtrProgramChooser *
vtr_program_chooser_new (GtkWindow *parent)
{
  return g_object_new (VTR_TYPE_PROGRAM_CHOOSER, "transient-for", parent, "modal", TRUE, NULL);
}
