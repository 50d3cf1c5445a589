/* Functions of VtrApplication for its two files: vtr-application.c (command line, startup) and -actions
 * (the D-Bus actions). */
#pragma once

#include "application/vtr-application.h"
#include "window/vtr-window.h"

G_BEGIN_DECLS

void vtr_application_add_actions (VtrApplication *self);
/* The active window, or a new one. */
VtrWindow *vtr_application_get_window (VtrApplication *self);
/* Opens a window. Returns: NULL if too many are open; the user is told so. */
VtrWindow *vtr_application_make_window (VtrApplication *self);
/* Finds a window without a trace, or opens one. Returns: NULL if too many are open; the user is
 * told so. */
VtrWindow *vtr_application_get_free_window (VtrApplication *self);
void vtr_application_open_file (VtrApplication *self, GFile *file);
/* Completes interrupted captures in a thread. @tell: shows the result. */
void vtr_application_recover (VtrApplication *self, gboolean tell);
/* Shows an error to the user, and prints it. */
void vtr_application_complain (VtrApplication *self, const char *text);

G_END_DECLS
