/* The window's dialogs. Calls that newer GTK and libadwaita deprecate are only here and in
 * vtr-preferences.c. */
#pragma once

#include <adwaita.h>

G_BEGIN_DECLS

/* @folder, or the nearest existing folder above it. (A file chooser with a folder that does not
 * exist shows recent files instead, often none.) (transfer full) (nullable) */
GFile *vtr_dialogs_dup_existing_folder (GFile *folder);
void vtr_dialogs_set_folder (GtkFileChooserNative *native,
                             GFile                *folder);
/* The trace that @window shows; dialogs open in its folder. (nullable) */
void vtr_dialogs_set_trace (GtkWindow *window,
                            GFile     *trace);
/* @callback gets a GSList of GFile (transfer none), at least one. */
void vtr_dialogs_open_traces (GtkWindow *window,
                              void (*callback) (GtkWindow *window,
                                                GSList *files));
/* Asks for the file name of the image of command @command. */
void vtr_dialogs_save_image (GtkWindow *window,
                             GFile *trace,
                             guint64 command,
                             void (*callback) (GtkWindow *window,
                                               GFile *file));
/* Asks where to save a file called @name. @callback is called once, with NULL if the user
 * cancelled. */
void vtr_dialogs_save_file (GtkWindow *window,
                            const char *title,
                            const char *name,
                            void (*callback) (GFile *file,
                                              gpointer data),
                            gpointer data);
/* Asks for a folder. @callback is called once, with NULL if the user cancelled. */
void vtr_dialogs_choose_folder (GtkWindow *window,
                                const char *title,
                                void (*callback) (GFile *file,
                                                  gpointer data),
                                gpointer data);
/* Shows the progress of an operation that can be cancelled. @cancelled: swapped handler (@data).
 * Returns: (transfer none): the dialog; destroy it when the operation is done. */
GtkWidget *vtr_dialogs_show_progress (GtkWindow  *window,
                                      const char *heading,
                                      GCallback   cancelled,
                                      gpointer    data);
/* @fraction: 0 to 1; below 0: unknown. */
void vtr_dialogs_set_progress (GtkWidget *dialog,
                               double     fraction);
/* Asks for a command, path or handle; activates "win.select". */
void vtr_dialogs_go_to (GtkWindow  *window,
                        const char *path);
/* Asks whether to stop the running capture, because the window is about to close. @response:
 * swapped handler (window, "cancel" or "stop"). Returns: (transfer none): the dialog, which
 * destroys itself. */
GtkWidget *vtr_dialogs_confirm_stop (GtkWindow *window,
                                     GCallback  response,
                                     gpointer   data);

G_END_DECLS
