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

/* Sets what of @environment ("NAME=value"; (nullable)) says where drivers are, after cleaning. */
void vtr_replay_environment_add (GSubprocessLauncher        *launcher,
                                 const char          *const *environment);

/* Mebibytes that a replayer may take, but for what its drivers get from a GPU:
 * VITRINE_REPLAY_MEMORY, else most of what the machine has. */
guint64 vtr_replay_environment_get_memory (void);

/* Mebibytes of files that replays may keep: VITRINE_REPLAY_DISK, else 1024. */
guint64 vtr_replay_environment_get_disk (void);
/* The folder that they are kept in. Returns: (transfer full) */
char *vtr_replay_environment_get_folder (void);

G_END_DECLS
