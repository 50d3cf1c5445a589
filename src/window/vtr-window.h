/* The main window, with the start page, the capture page and the trace page. */
#pragma once

#include <adwaita.h>

#include "session/vtr-session.h"

G_BEGIN_DECLS

/* Signals: "page-changed" (). */
#define VTR_TYPE_WINDOW (vtr_window_get_type ())
G_DECLARE_FINAL_TYPE (VtrWindow, vtr_window, VTR, WINDOW, AdwApplicationWindow)

VtrWindow *vtr_window_new (GtkApplication *application);
/* Presents the window. A new window that opens a trace appears when the trace is read, so that its first
 * pixels are the trace's, or after a fifth of a second with the progress of reading. */
void vtr_window_present_soon (VtrWindow *self);

/* Whether the window shows or loads a trace, so that another trace needs another window. */
gboolean vtr_window_is_busy (VtrWindow *self);
gboolean vtr_window_is_capturing (VtrWindow *self);
void vtr_window_open_file (VtrWindow *self,
                           GFile     *file);
void vtr_window_show_capture (VtrWindow *self);
/* Fills the capture form with @argv (empty: keeps the program) and @options (vtr-capture-words.h),
 * and launches the program or waits for it. Returns: FALSE with @error if the options are not
 * valid. */
gboolean vtr_window_capture_program (VtrWindow         *self,
                                     const char *const *argv,
                                     const char        *directory,
                                     const char        *options,
                                     GError           **error);
/* Saves the image of the selection as PNG, once the trace is open and the image is ready. @file
 * NULL: asks for the file. */
void vtr_window_export_image (VtrWindow *self,
                              GFile     *file);
/* Writes files, once the trace is open. @what: "export-frames" (a folder of PNG), "export-shaders"
 * (a folder) or "trim" (a trace). @file NULL: asks for the place. */
void vtr_window_write (VtrWindow  *self,
                       const char *what,
                       GFile      *file);
/* Selects the command or object of @path and raises the pane that shows it, once the trace is
 * open. */
void vtr_window_select (VtrWindow  *self,
                        const char *path);
/* Edits the trace, once it is open. @what: "overlay" (@value: its name), "disable",
 * "enable" (commands, separated by commas), "replace-shader" (OBJECT=FILE), "enable-all",
 * "reset-edits", "undo" or "redo". */
void vtr_window_edit (VtrWindow  *self,
                      const char *what,
                      const char *value);
/* Measures the frame of the selection. @wish: "by=pass&loops=20&statistics", "loops=0" for until it
 * is stopped; NULL: as the pane says. */
void vtr_window_measure (VtrWindow  *self,
                         const char *wish);
void vtr_window_stop_measuring (VtrWindow *self);
/* Tells the user in a toast what was done. @file: (nullable): a file that the toast offers to show
 * in its folder. */
void vtr_window_tell (VtrWindow  *self,
                      const char *text,
                      GFile      *file);
/* Tells the user what cannot be done, in a toast and in the log. */
void vtr_window_complain (VtrWindow  *self,
                          const char *text);
/* The session of the trace; NULL: no trace is shown. */
VtrSession *vtr_window_get_session (VtrWindow *self);
/* The file that the window shows, loads or could not load; NULL: none. */
GFile *vtr_window_get_file (VtrWindow *self);
/* Whether the window shows or is opening @file, and the file has not changed since. */
gboolean vtr_window_shows_file (VtrWindow *self, GFile *file);
/* Captures a frame of the running program. Returns: FALSE with @error if that is not possible. */
gboolean vtr_window_capture_frame (VtrWindow  *self,
                                   GError    **error);
/* "start", "capture", "loading", "error", "trace" */
const char *vtr_window_get_page (VtrWindow *self);

/* Calls back when the window is not loading a file. Errors: G_IO_ERROR_CANCELLED, also when the
 * window is closed. */
void vtr_window_wait_async (VtrWindow           *self,
                            GCancellable        *cancellable,
                            GAsyncReadyCallback  callback,
                            gpointer             data);
/* Whether vtr_window_wait_async () would have to wait. */
gboolean vtr_window_must_wait (VtrWindow *self);
gboolean vtr_window_wait_finish (VtrWindow     *self,
                                 GAsyncResult  *result,
                                 GError       **error);

G_END_DECLS
