/* The environment that the replayer is started in.
 *
 * Threading: any. */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/* Takes away what is not the replayer's: settings of ours, layers, the display, the session, what is
 * loaded into every program. The home becomes @folder, the only place that it may write to; NULL: there
 * is none, and nothing is kept. */
void vtr_replay_environment_clean (GSubprocessLauncher *launcher,
                                   const char          *folder);

/* Sets what of @environment ("NAME=value"; (nullable)) says where drivers are, after cleaning. */
void vtr_replay_environment_add (GSubprocessLauncher        *launcher,
                                 const char          *const *environment);

/* Mebibytes that a replayer may take, but for what its drivers get from a GPU:
 * VITRINE_REPLAY_MEMORY, else most of what the machine has. */
guint64 vtr_replay_environment_get_memory (void);

/* Mebibytes of files that the replays of one trace may keep, and those of all traces when none is
 * replayed: VITRINE_REPLAY_DISK, else 1024. */
guint64 vtr_replay_environment_get_disk (void);

G_END_DECLS
