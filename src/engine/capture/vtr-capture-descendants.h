/* Finds processes that a program left running outside of its process group: launchers start the
 * actual program in a session of its own and then exit. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Whether a process is running that was started, directly or by others, with @socket_path as the
 * socket to which the layer connects. */
gboolean vtr_capture_has_descendants (const char *socket_path);

G_END_DECLS
