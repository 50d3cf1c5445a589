/* Installs, removes and describes what programs load that Vitrine does not start, for all APIs of
 * the build. */
#include "vtr-capture-implicit.h"

/* Today one API at most installs something. */
static const VtrHostApi *
find (void)
{
  for (guint i = 0; vtr_apis[i] != NULL; i++)
    if (vtr_apis[i]->host != NULL && vtr_apis[i]->host->install != NULL)
      return vtr_apis[i]->host;
  return NULL;
}

char *
vtr_capture_implicit_get_path (void)
{
  const VtrHostApi *host = find ();

  return host == NULL ? g_strdup ("") : host->get_install_path ();
}

VtrHostInstallState
vtr_capture_implicit_get_state (void)
{
  const VtrHostApi *host = find ();

  return host == NULL ? VTR_HOST_ABSENT : host->get_installed ();
}

gboolean
vtr_capture_implicit_install (GError **error)
{
  const VtrHostApi *host = find ();

  return host == NULL || host->install (TRUE, error);
}

gboolean
vtr_capture_implicit_remove (GError **error)
{
  const VtrHostApi *host = find ();

  return host == NULL || host->install (FALSE, error);
}
