/* How APIs change the environment of a program that is launched to be captured, and where their entry libraries are.
 * Threading: any. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Whether @variable has a value. */
gboolean vtr_environment_is_set (char       **environment,
                                 const char  *variable);

/* Puts @value in front of what @variable has, with @separator between them. @environment: (transfer full). Returns:
 * (transfer full) */
char **vtr_environment_prepend (char       **environment,
                                const char  *variable,
                                const char  *separator,
                                const char  *value);

/* The folder of entry libraries in which there is a @file: the one that VITRINE_LAYER_DIR names; without that variable
 * the installed one, or the build tree's. Returns: (transfer full): NULL: there is none. */
char *vtr_launch_find_folder (const char *file);

/* The folder that people are told was searched for it. */
const char *vtr_launch_get_searched_folder (void);

G_END_DECLS
