/* The application: one instance, its windows, and the actions that D-Bus sees. */
#pragma once

#include <adwaita.h>

G_BEGIN_DECLS

/**
 * VtrApplication:
 *
 * Actions on D-Bus (org.gtk.Actions at /io/github/vitrine/Vitrine):
 * "open" (s path), "capture" (), "capture-program" (as command line),
 * "capture-with" (s options, as command line), "start" (), "stop" (),
 * "select" (s path),
 * "export-framebuffer" (s file), "new-window" (), "quit" (), and the readable "selected" (state:
 * s path of the selection, ""
 * without). Actions that need a trace wait while it is being opened; errors appear in the window
 * and its log. docs/guide/dbus.md lists all actions. VtrDataService answers questions.
 */
typedef struct _VtrWindow VtrWindow;

#define VTR_TYPE_APPLICATION (vtr_application_get_type ())
G_DECLARE_FINAL_TYPE (VtrApplication, vtr_application, VTR, APPLICATION, AdwApplication)

VtrApplication *vtr_application_new (void);
/* The active window, or any other; NULL: there is none. */
VtrWindow *vtr_application_find_window (VtrApplication *self);
G_END_DECLS
