/* A window: start page, capture page, and the trace it shows. */
#pragma once

#include "vtr-application.h"
#include "vtr-session.h"

G_BEGIN_DECLS

#define VTR_TYPE_WINDOW (vtr_window_get_type ())
G_DECLARE_FINAL_TYPE (VtrWindow, vtr_window, VTR, WINDOW, AdwApplicationWindow)

VtrWindow *vtr_window_new (VtrApplication *application);

/* Shows or loads a trace: another one belongs into another window. */
gboolean vtr_window_is_busy (VtrWindow *self);
void vtr_window_open_file (VtrWindow *self,
                           GFile     *file);
void vtr_window_show_capture (VtrWindow *self);
/* Fills the capture form with @argv and launches. @n_frames 0: as the form has it. */
void vtr_window_capture_program (VtrWindow         *self,
                                 const char *const *argv,
                                 const char        *directory,
                                 guint              n_frames);
/* Saves the image shown as PNG; @file NULL: asks where. */
void vtr_window_export_image (VtrWindow *self,
                              GFile     *file);
VtrSession *vtr_window_get_session (VtrWindow *self);
/* "start", "capture", "loading", "error", "trace" */
const char *vtr_window_get_page (VtrWindow *self);

G_END_DECLS
