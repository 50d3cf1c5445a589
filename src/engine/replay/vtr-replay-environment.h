/* The environment that the replayer is started in.
 *
 * Threading: any. */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/* Removes variables that the replayer must not get: our settings, layers, the display, the session,
 * libraries that are loaded into every program. The home becomes @folder, the only folder that it
 * may write to; NULL: there is none, and no cache is kept. */
void vtr_replay_environment_clean (GSubprocessLauncher *launcher,
                                   const char          *folder);

/* Sets what of @environment ("NAME=value"; (nullable)) says where drivers are, after cleaning. */
void vtr_replay_environment_add (GSubprocessLauncher        *launcher,
                                 const char          *const *environment);

/* The memory in mebibytes that a replayer may use, without memory of the GPU:
 * VITRINE_REPLAY_MEMORY, else most of the machine's memory. */
guint64 vtr_replay_environment_get_memory (void);

/* Mebibytes of files that the replays of one trace may keep, and those of all traces when none is
 * replayed: VITRINE_REPLAY_DISK, else 1024. */
guint64 vtr_replay_environment_get_disk (void);

G_END_DECLS
