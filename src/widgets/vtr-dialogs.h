/* The window's dialogs. Calls that newer GTK and libadwaita deprecate are only here and in
 * vtr-preferences.c. */
#pragma once

#include <adwaita.h>

G_BEGIN_DECLS

/* @folder, or the nearest folder above it that is there; a chooser that is told of one that is not opens on files that
 * were used recently, often none. (transfer full) (nullable) */
GFile *vtr_dialogs_dup_existing_folder (GFile *folder);
void vtr_dialogs_set_folder (GtkFileChooserNative *native,
                             GFile                *folder);
/* The trace that @window shows, beside which files are looked for and saved. (nullable) */
void vtr_dialogs_set_trace (GtkWindow *window,
                            GFile     *trace);
/* @callback gets a GSList of GFile (transfer none), at least one. */
void vtr_dialogs_open_traces (GtkWindow *window,
                              void (*callback) (GtkWindow *window,
                                                GSList *files));
/* Asks where the image of command @command is to go. */
void vtr_dialogs_save_image (GtkWindow *window,
                             GFile *trace,
                             guint64 command,
                             void (*callback) (GtkWindow *window,
                                               GFile *file));
/* Asks where a file named @name is to go. @callback gets it once, or NULL when nothing was chosen. */
void vtr_dialogs_save_file (GtkWindow *window,
                            const char *title,
                            const char *name,
                            void (*callback) (GFile *file,
                                              gpointer data),
                            gpointer data);
/* Asks for a folder. @callback gets it once, or NULL when none was chosen. */
void vtr_dialogs_choose_folder (GtkWindow *window,
                                const char *title,
                                void (*callback) (GFile *file,
                                                  gpointer data),
                                gpointer data);
/* Something runs that may be given up. @cancelled: swapped handler (@data). Returns: (transfer none): the dialog, to be
 * destroyed when it is done. */
GtkWidget *vtr_dialogs_show_progress (GtkWindow  *window,
                                      const char *heading,
                                      GCallback   cancelled,
                                      gpointer    data);
/* @fraction below 0: not known. */
void vtr_dialogs_set_progress (GtkWidget *dialog,
                               double     fraction);
/* Asks for a command, path or handle; activates "win.select". */
void vtr_dialogs_go_to (GtkWindow  *window,
                        const char *path);
/* A program is being captured and the window is to close. @response: swapped handler (window, "cancel" or "stop").
 * Returns: (transfer none): the dialog, which destroys itself. */
GtkWidget *vtr_dialogs_confirm_stop (GtkWindow *window,
                                     GCallback  response,
                                     gpointer   data);

G_END_DECLS
