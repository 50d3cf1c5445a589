/* Publishes state of the window to scripts, as the state of application actions on D-Bus. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* "selected": the path of the selection. "edits": what pictures show other than what the trace did, as the options of a
 * path. "measurement": how far it is, or how it ended. NULL or "": there is none. Does nothing with an @application that
 * has no such action. Threading: main. */
void vtr_remote_state_set (GtkApplication *application,
                           const char     *action,
                           const char     *text);

G_END_DECLS
