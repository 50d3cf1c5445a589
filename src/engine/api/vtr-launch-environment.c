/* Changes single variables of an environment. */
#include "engine/api/vtr-launch-environment.h"

gboolean
vtr_environment_is_set (char       **environment,
                        const char  *variable)
{
  const char *value = g_environ_getenv (environment, variable);

  return value != NULL && *value != '\0';
}

char **
vtr_environment_prepend (char       **environment,
                         const char  *variable,
                         const char  *separator,
                         const char  *value)
{
  const char *old = g_environ_getenv (environment, variable);
  g_autofree char *joined = NULL;

  if (old != NULL && *old != '\0')
    joined = g_strconcat (value, separator, old, NULL);
  else
    joined = g_strdup (value);
  return g_environ_setenv (environment, variable, joined, TRUE);
}
