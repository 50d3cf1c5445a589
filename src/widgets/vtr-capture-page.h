/* The capture page: the list of devices, the capture form, and the column that follows a running
 * capture. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* Signals: "captured" (gchar *path): a trace is complete. "ended" (): the capture has ended. */
#define VTR_TYPE_CAPTURE_PAGE (vtr_capture_page_get_type ())
G_DECLARE_FINAL_TYPE (VtrCapturePage, vtr_capture_page, VTR, CAPTURE_PAGE, GtkWidget)

GtkWidget *vtr_capture_page_new (void);
void vtr_capture_page_set_program (VtrCapturePage        *self,
                                   const char     *const *argv,
                                   const char            *directory);
/* Sets when captures start and end, and which processes are captured. @options: as in
 * vtr-capture-words.h. Returns: FALSE with @error. */
gboolean vtr_capture_page_set_options (VtrCapturePage  *self,
                                       const char      *options,
                                       GError         **error);
void vtr_capture_page_launch (VtrCapturePage *self);
void vtr_capture_page_stop (VtrCapturePage *self,
                            gboolean        end_program);
/* Captures a frame of the running program. Returns: FALSE with @error if that is not possible. */
gboolean vtr_capture_page_trigger (VtrCapturePage  *self,
                                   GError         **error);
/* Whether frames of the running program are captured on request, not from launch. */
gboolean vtr_capture_page_can_trigger (VtrCapturePage *self);
gboolean vtr_capture_page_get_running (VtrCapturePage *self);
/* The notices of the last capture, as texts. (transfer none) */
GPtrArray *vtr_capture_page_get_notices (VtrCapturePage *self);
/* The notice about the signal that ended the program; NULL: no signal did. */
const char *vtr_capture_page_get_ending (VtrCapturePage *self);
/* Moves the focus to the first control of the page. gtk_widget_grab_focus() is not used for this,
 * because Shift+Tab would then not leave the page. */
void vtr_capture_page_focus_form (VtrCapturePage *self);
void vtr_capture_page_choose_program (VtrCapturePage *self);
/* In a narrow window, goes back from the live column to the form. Returns: FALSE: the form is shown
 * already. */
gboolean vtr_capture_page_go_back (VtrCapturePage *self);

G_END_DECLS
