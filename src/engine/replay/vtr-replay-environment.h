/* The environment that the replayer is started in.
 *
 * Threading: any. */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/* Takes away what is not the replayer's: settings of ours, layers, the display, the session, what is
 * loaded into every program. The home becomes a folder for shader caches, the only place that it may
 * write to. */
void vtr_replay_environment_clean (GSubprocessLauncher *launcher);

G_END_DECLS
