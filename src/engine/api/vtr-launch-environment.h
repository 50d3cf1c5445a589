/* How APIs change the environment of a program that is launched to be captured. Threading: any. */
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

G_END_DECLS
