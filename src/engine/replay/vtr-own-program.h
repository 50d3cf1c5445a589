/* Programs of Vitrine's own that the engine starts. */
#pragma once

#include <glib.h>

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

G_END_DECLS
