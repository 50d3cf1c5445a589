/* The form of the capture page: program, arguments, environment variables, options and output
 * file. It stores them in GSettings. */
#pragma once

#include <adwaita.h>

#include "engine/capture/vtr-capture-session.h"

G_BEGIN_DECLS

/* Property: "ready": a program is chosen. Signals: "launch" (): Return was pressed in an entry;
 * "environment-changed" (): the variables for the program changed. */
#define VTR_TYPE_CAPTURE_FORM (vtr_capture_form_get_type ())
G_DECLARE_FINAL_TYPE (VtrCaptureForm, vtr_capture_form, VTR, CAPTURE_FORM, GtkWidget)

GtkWidget *vtr_capture_form_new (void);
/* @arguments: as in a shell. */
void vtr_capture_form_set_program (VtrCaptureForm *self,
                                   const char     *name,
                                   const char     *program,
                                   const char     *arguments);
void vtr_capture_form_set_directory (VtrCaptureForm *self,
                                     const char     *directory);
/* "NAME=value" of each variable; empty if the form waits for a program that is started
 * elsewhere. */
GStrv vtr_capture_form_dup_environment (VtrCaptureForm *self);
guint vtr_capture_form_get_n_frames (VtrCaptureForm *self);
gboolean vtr_capture_form_get_ready (VtrCaptureForm *self);
/* Whether the form waits for a program that is started elsewhere. Changes are announced by
 * notify::ready. */
gboolean vtr_capture_form_get_waits (VtrCaptureForm *self);
/* Starts a capture with the settings of the form. (transfer full): NULL with @error. */
VtrCaptureSession *vtr_capture_form_start (VtrCaptureForm  *self,
                                           GError         **error);
/* Opens the program chooser. */
void vtr_capture_form_choose (VtrCaptureForm *self);

G_END_DECLS
