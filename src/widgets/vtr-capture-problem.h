/* An error of a capture: a title, an explanation, and buttons for what can be done about it. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define VTR_TYPE_CAPTURE_PROBLEM (vtr_capture_problem_get_type ())
G_DECLARE_FINAL_TYPE (VtrCaptureProblem, vtr_capture_problem, VTR, CAPTURE_PROBLEM, GtkWidget)

GtkWidget *vtr_capture_problem_new (void);
/* Shows a title and an explanation, and removes all buttons. */
void vtr_capture_problem_show (VtrCaptureProblem *self,
                               const char        *title,
                               const char        *text);
gboolean vtr_capture_problem_shows (VtrCaptureProblem *self,
                                    const char        *text);
/* (transfer none) */
GtkWidget *vtr_capture_problem_add_button (VtrCaptureProblem *self,
                                           const char        *label,
                                           const char        *action);

G_END_DECLS
