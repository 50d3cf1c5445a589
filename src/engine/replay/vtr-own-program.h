/* Programs of Vitrine's own that the engine starts. */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/**
 * vtr_own_program_find:
 * @name: of the program
 * @variable: of the environment, that may name another
 * @folder: where it is made, below the root of the build tree
 *
 * Returns: (transfer full) (nullable): the path that @variable holds, else the installed program, else the one of the
 * build tree that this program runs from. Threading: any.
 */
char *vtr_own_program_find (const char *name,
                            const char *variable,
                            const char *folder);

/**
 * vtr_own_program_set_up:
 * @data: the engine's process number (GINT_TO_POINTER)
 *
 * A GSpawnChildSetupFunc. The program gets a session of its own: it has no controlling terminal,
 * and keys that send signals (Ctrl+C) do not reach it; the engine ends it. The kernel kills it when
 * the thread that started it ends.
 */
void vtr_own_program_set_up (gpointer data);

/**
 * vtr_own_program_start:
 * @launcher: how
 *
 * Starts a program that may outlive the calling thread, with vtr_own_program_set_up() from a thread
 * that lives as long as the engine: so the program cannot outlive the engine, whatever it does.
 *
 * Returns: (transfer full): NULL on failure. Threading: any.
 */
GSubprocess *vtr_own_program_start (GSubprocessLauncher  *launcher,
                                    const char           *path,
                                    GError              **error);

G_END_DECLS
