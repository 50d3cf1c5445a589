/* The window's dialogs: open and save files, choose a folder, progress, go to a command, stop a
 * capture. */
#include "vtr-config.h"

#include "widgets/vtr-dialogs.h"

#include <glib/gi18n.h>

#include "session/vtr-settings.h"
#include "widgets/vtr-accessible.h"

typedef struct
{
  GtkWindow *window;
  void (*open) (GtkWindow *window, GSList *files);
  void (*save) (GtkWindow *window, GFile *file);
} Chooser;

static GtkFileFilter *
make_filter (const char *name, const char *mime_type, const char *pattern)
{
  GtkFileFilter *filter = gtk_file_filter_new ();

  gtk_file_filter_set_name (filter, name);
  gtk_file_filter_add_mime_type (filter, mime_type);
  if (pattern)
    gtk_file_filter_add_pattern (filter, pattern);
  return filter;
}

GFile *
vtr_dialogs_dup_existing_folder (GFile *folder)
{
  GFile *at = g_object_ref (folder);

  while (at != NULL &&
         g_file_query_file_type (at, G_FILE_QUERY_INFO_NONE, NULL) != G_FILE_TYPE_DIRECTORY)
    {
      GFile *parent = g_file_get_parent (at);

      g_object_unref (at);
      at = parent;
    }
  return at;
}

void
vtr_dialogs_set_folder (GtkFileChooserNative *native, GFile *folder)
{
  g_autoptr (GFile) existing = vtr_dialogs_dup_existing_folder (folder);

  if (existing != NULL)
    gtk_file_chooser_set_current_folder (GTK_FILE_CHOOSER (native), existing, NULL);
}

void
vtr_dialogs_set_trace (GtkWindow *window, GFile *trace)
{
  g_object_set_data_full (G_OBJECT (window), "vtr-trace", trace ? g_object_ref (trace) : NULL,
                          g_object_unref);
}

/* Starts in the folder of the trace that @window shows, otherwise in the folder of captures. Both
 * are more useful than the working folder or the last folder of other programs. */
static void
set_folder (GtkFileChooserNative *native, GtkWindow *window)
{
  GFile *file = window ? g_object_get_data (G_OBJECT (window), "vtr-trace") : NULL;
  g_autoptr (GFile) folder = file ? g_file_get_parent (file) : NULL;

  if (folder == NULL)
    {
      g_autofree char *path = vtr_settings_dup_capture_folder ();

      folder = g_file_new_for_path (path);
    }
  vtr_dialogs_set_folder (native, folder);
}

static void
response_cb (GtkNativeDialog *dialog, int response, gpointer data)
{
  Chooser *chooser = data;

  if (response == GTK_RESPONSE_ACCEPT && chooser->open)
    {
      g_autoptr (GListModel) files = gtk_file_chooser_get_files (GTK_FILE_CHOOSER (dialog));
      GSList *list = NULL;

      for (guint i = g_list_model_get_n_items (files); i > 0; i--)
        list = g_slist_prepend (list, g_list_model_get_item (files, i - 1));
      chooser->open (chooser->window, list);
      g_slist_free_full (list, g_object_unref);
    }
  else if (response == GTK_RESPONSE_ACCEPT)
    {
      g_autoptr (GFile) file = gtk_file_chooser_get_file (GTK_FILE_CHOOSER (dialog));

      if (file)
        chooser->save (chooser->window, file);
    }
  g_object_unref (chooser->window);
  g_free (chooser);
  g_object_unref (dialog);
}

static void
show (GtkFileChooserNative *native, Chooser *chooser)
{
  gtk_native_dialog_set_modal (GTK_NATIVE_DIALOG (native), TRUE);
  g_signal_connect (native, "response", G_CALLBACK (response_cb), chooser);
  gtk_native_dialog_show (GTK_NATIVE_DIALOG (native));
}

void
vtr_dialogs_open_traces (GtkWindow *window, void (*callback) (GtkWindow *window, GSList *files))
{
  GtkFileChooserNative *native = gtk_file_chooser_native_new (
    _ ("Open Traces"), window, GTK_FILE_CHOOSER_ACTION_OPEN, _ ("_Open"), _ ("_Cancel"));
  g_autoptr (GtkFileFilter) traces =
    make_filter (_ ("Traces"), "application/x-gfxtrace", "*.gfxtrace");
  g_autoptr (GtkFileFilter) all = gtk_file_filter_new ();
  Chooser *chooser = g_new0 (Chooser, 1);

  gtk_file_filter_set_name (all, _ ("All Files"));
  gtk_file_filter_add_pattern (all, "*");
  gtk_file_chooser_add_filter (GTK_FILE_CHOOSER (native), traces);
  gtk_file_chooser_add_filter (GTK_FILE_CHOOSER (native), all);
  gtk_file_chooser_set_select_multiple (GTK_FILE_CHOOSER (native), TRUE);
  chooser->window = g_object_ref (window);
  chooser->open = callback;
  set_folder (native, window);
  show (native, chooser);
}

void
vtr_dialogs_save_image (GtkWindow *window,
                        GFile *trace,
                        guint64 command,
                        void (*callback) (GtkWindow *window, GFile *file))
{
  GtkFileChooserNative *native = gtk_file_chooser_native_new (
    _ ("Save Image"), window, GTK_FILE_CHOOSER_ACTION_SAVE, _ ("_Save"), _ ("_Cancel"));
  g_autoptr (GtkFileFilter) png = make_filter (_ ("PNG Images"), "image/png", "*.png");
  g_autofree char *base = trace ? g_file_get_basename (trace) : g_strdup ("image");
  g_autofree char *name = NULL;
  Chooser *chooser = g_new0 (Chooser, 1);

  if (g_str_has_suffix (base, ".gfxtrace"))
    base[strlen (base) - strlen (".gfxtrace")] = '\0';
  name = g_strdup_printf ("%s-%" G_GUINT64_FORMAT ".png", base, command);
  gtk_file_chooser_set_current_name (GTK_FILE_CHOOSER (native), name);
  gtk_file_chooser_add_filter (GTK_FILE_CHOOSER (native), png);
  chooser->window = g_object_ref (window);
  chooser->save = callback;
  set_folder (native, window);
  show (native, chooser);
}

typedef struct
{
  void (*callback) (GFile *file, gpointer data);
  gpointer data;
} Save;

static void
save_response_cb (GtkNativeDialog *native, int response, Save *save)
{
  g_autoptr (GFile) file =
    response == GTK_RESPONSE_ACCEPT ? gtk_file_chooser_get_file (GTK_FILE_CHOOSER (native)) : NULL;

  save->callback (file, save->data);
  g_free (save);
  g_object_unref (native);
}

void
vtr_dialogs_save_file (GtkWindow *window,
                       const char *title,
                       const char *name,
                       void (*callback) (GFile *file, gpointer data),
                       gpointer data)
{
  GtkFileChooserNative *native = gtk_file_chooser_native_new (
    title, window, GTK_FILE_CHOOSER_ACTION_SAVE, _ ("_Save"), _ ("_Cancel"));
  Save *save = g_new0 (Save, 1);

  save->callback = callback;
  save->data = data;
  set_folder (native, window);
  gtk_file_chooser_set_current_name (GTK_FILE_CHOOSER (native), name);
  gtk_native_dialog_set_modal (GTK_NATIVE_DIALOG (native), TRUE);
  g_signal_connect (native, "response", G_CALLBACK (save_response_cb), save);
  gtk_native_dialog_show (GTK_NATIVE_DIALOG (native));
}

void
vtr_dialogs_choose_folder (GtkWindow *window,
                           const char *title,
                           void (*callback) (GFile *file, gpointer data),
                           gpointer data)
{
  GtkFileChooserNative *native =
    gtk_file_chooser_native_new (title, window, GTK_FILE_CHOOSER_ACTION_SELECT_FOLDER,
                                 _ ("_Save"), _ ("_Cancel"));
  Save *save = g_new0 (Save, 1);

  save->callback = callback;
  save->data = data;
  set_folder (native, window);
  gtk_native_dialog_set_modal (GTK_NATIVE_DIALOG (native), TRUE);
  g_signal_connect (native, "response", G_CALLBACK (save_response_cb), save);
  gtk_native_dialog_show (GTK_NATIVE_DIALOG (native));
}

GtkWidget *
vtr_dialogs_show_progress (GtkWindow  *window,
                           const char *heading,
                           GCallback   cancelled,
                           gpointer    data)
{
  GtkWidget *dialog = adw_message_dialog_new (window, heading, NULL);
  GtkWidget *bar = gtk_progress_bar_new ();

  adw_message_dialog_add_response (ADW_MESSAGE_DIALOG (dialog), "cancel", _ ("_Cancel"));
  adw_message_dialog_set_close_response (ADW_MESSAGE_DIALOG (dialog), "cancel");
  gtk_accessible_update_property (GTK_ACCESSIBLE (bar), GTK_ACCESSIBLE_PROPERTY_LABEL, heading,
                                  -1);
  adw_message_dialog_set_extra_child (ADW_MESSAGE_DIALOG (dialog), bar);
  g_object_set_data (G_OBJECT (dialog), "bar", bar);
  g_signal_connect_object (dialog, "response", cancelled, data, G_CONNECT_SWAPPED);
  vtr_accessible_name_buttons (dialog);
  gtk_window_present (GTK_WINDOW (dialog));
  return dialog;
}

void
vtr_dialogs_set_progress (GtkWidget *dialog, double fraction)
{
  GtkProgressBar *bar = g_object_get_data (G_OBJECT (dialog), "bar");

  if (fraction < 0)
    gtk_progress_bar_pulse (bar);
  else
    gtk_progress_bar_set_fraction (bar, MIN (1, fraction));
}

static void
go_to_response_cb (GtkWidget *dialog, const char *response, GtkEditable *entry)
{
  g_autofree char *text = g_strstrip (g_strdup (gtk_editable_get_text (entry)));

  if (g_str_equal (response, "go") && *text)
    gtk_widget_activate_action (GTK_WIDGET (gtk_window_get_transient_for (GTK_WINDOW (dialog))),
                                "win.select", "s", text);
}

void
vtr_dialogs_go_to (GtkWindow *window, const char *path)
{
  GtkWidget *dialog = adw_message_dialog_new (
    window, _ ("Go To"),
    _ ("A command’s index, or a path such as commands/12, frames/3 or objects/7"));
  GtkWidget *entry = gtk_entry_new ();

  adw_message_dialog_add_responses (ADW_MESSAGE_DIALOG (dialog), "cancel", _ ("_Cancel"), "go",
                                    _ ("_Go"), NULL);
  adw_message_dialog_set_default_response (ADW_MESSAGE_DIALOG (dialog), "go");
  adw_message_dialog_set_close_response (ADW_MESSAGE_DIALOG (dialog), "cancel");
  adw_message_dialog_set_response_appearance (ADW_MESSAGE_DIALOG (dialog), "go",
                                              ADW_RESPONSE_SUGGESTED);
  gtk_editable_set_text (GTK_EDITABLE (entry), path ? path : "");
  gtk_entry_set_activates_default (GTK_ENTRY (entry), TRUE);
  gtk_accessible_update_property (GTK_ACCESSIBLE (entry), GTK_ACCESSIBLE_PROPERTY_LABEL, _ ("Path"),
                                  -1);
  adw_message_dialog_set_extra_child (ADW_MESSAGE_DIALOG (dialog), entry);
  g_signal_connect (dialog, "response", G_CALLBACK (go_to_response_cb), entry);
  vtr_accessible_name_buttons (dialog);
  gtk_window_present (GTK_WINDOW (dialog));
  gtk_widget_grab_focus (entry);
}

GtkWidget *
vtr_dialogs_confirm_stop (GtkWindow *window, GCallback response, gpointer data)
{
  GtkWidget *dialog =
    adw_message_dialog_new (window, _ ("Stop the Capture?"),
                            _ ("A program is being captured. What was recorded so far is kept."));

  adw_message_dialog_add_responses (ADW_MESSAGE_DIALOG (dialog), "cancel", _ ("_Keep Capturing"),
                                    "stop", _ ("_Stop and Close"), NULL);
  adw_message_dialog_set_response_appearance (ADW_MESSAGE_DIALOG (dialog), "stop",
                                              ADW_RESPONSE_DESTRUCTIVE);
  adw_message_dialog_set_default_response (ADW_MESSAGE_DIALOG (dialog), "cancel");
  adw_message_dialog_set_close_response (ADW_MESSAGE_DIALOG (dialog), "cancel");
  g_signal_connect_object (dialog, "response", response, data, G_CONNECT_SWAPPED);
  vtr_accessible_name_buttons (dialog);
  gtk_window_present (GTK_WINDOW (dialog));
  /* If the buttons are stacked, another button may come first, and Return would press it. */
  gtk_window_set_focus (GTK_WINDOW (dialog), gtk_window_get_default_widget (GTK_WINDOW (dialog)));
  return dialog;
}
