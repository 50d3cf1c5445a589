/* Shared by the files of VtrApplication: vtr-application.c (command line, startup) and -actions
 * (the D-Bus actions). */
#pragma once

#include "application/vtr-application.h"
#include "window/vtr-window.h"

G_BEGIN_DECLS

void vtr_application_add_actions (VtrApplication *self);
/* The active one, or a new one. */
VtrWindow *vtr_application_get_window (VtrApplication *self);
/* A new one. NULL: too many are open, which the user is told. */
VtrWindow *vtr_application_make_window (VtrApplication *self);
/* One that may show something else: a trace stays. NULL: too many windows are open, which the user
 * is told. */
VtrWindow *vtr_application_get_free_window (VtrApplication *self);
void vtr_application_open_file (VtrApplication *self, GFile *file);
/* Completes what interrupted captures left, in a thread. @tell: says what came of it. */
void vtr_application_recover (VtrApplication *self, gboolean tell);
/* Tells the user, and whoever reads our output. */
void vtr_application_complain (VtrApplication *self, const char *text);

G_END_DECLS
