/* Publishes state of the window to scripts, as the state of application actions on D-Bus. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* Publishes a state. @name: "selected": the path of the selection; "edits": the edits that images
 * show, as options of a path; "measurement": its progress or result. @value NULL or "": none. Does
 * nothing if @application has no such action. Threading: main. */
void vtr_remote_state_set (GtkApplication *application,
                           const char     *action,
                           const char     *text);

G_END_DECLS
