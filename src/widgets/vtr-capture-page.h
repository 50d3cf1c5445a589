/* The capture page: the list of devices, the capture form, and the column that follows a running
 * capture. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* Signals: "captured" (gchar *path), "ended" (): nothing is being captured any more. */
#define VTR_TYPE_CAPTURE_PAGE (vtr_capture_page_get_type ())
G_DECLARE_FINAL_TYPE (VtrCapturePage, vtr_capture_page, VTR, CAPTURE_PAGE, GtkWidget)

GtkWidget *vtr_capture_page_new (void);
void vtr_capture_page_set_program (VtrCapturePage        *self,
                                   const char     *const *argv,
                                   const char            *directory);
/* When captures begin and end, and of what: vtr-capture-words.h. FALSE with a sentence. */
gboolean vtr_capture_page_set_options (VtrCapturePage  *self,
                                       const char      *options,
                                       GError         **error);
void vtr_capture_page_launch (VtrCapturePage *self);
void vtr_capture_page_stop (VtrCapturePage *self,
                            gboolean        end_program);
/* Captures a frame of the program that runs. FALSE with a sentence when that is not possible. */
gboolean vtr_capture_page_trigger (VtrCapturePage  *self,
                                   GError         **error);
/* Whether what runs is captured in the middle of its run, not from its launch. */
gboolean vtr_capture_page_can_trigger (VtrCapturePage *self);
gboolean vtr_capture_page_get_running (VtrCapturePage *self);
/* What was said of the last capture: texts. (transfer none) */
GPtrArray *vtr_capture_page_get_notices (VtrCapturePage *self);
/* The one of them on the signal that ended the program; NULL: none did. */
const char *vtr_capture_page_get_ending (VtrCapturePage *self);
/* What comes first of it. Not by gtk_widget_grab_focus(): Shift+Tab would not leave the page. */
void vtr_capture_page_focus_form (VtrCapturePage *self);
void vtr_capture_page_choose_program (VtrCapturePage *self);
/* From the live column back to the form, where both share one place. Returns: FALSE: nothing to go back from. */
gboolean vtr_capture_page_go_back (VtrCapturePage *self);

G_END_DECLS
