/* The interface of all docked panes: follow a session, show a path, find text. */
#include "vtr-config.h"

#include "widgets/vtr-pane.h"

#include <string.h>

G_DEFINE_INTERFACE (VtrPane, vtr_pane, PANEL_TYPE_WIDGET)

static void
vtr_pane_default_init (VtrPaneInterface *iface)
{
}

void
vtr_pane_set_session (VtrPane    *self,
                      VtrSession *session)
{
  g_return_if_fail (VTR_IS_PANE (self));

  VTR_PANE_GET_IFACE (self)->set_session (self, session);
}

gboolean
vtr_pane_show_path (VtrPane    *self,
                    const char *path)
{
  VtrPaneInterface *iface = VTR_PANE_GET_IFACE (self);

  g_return_val_if_fail (VTR_IS_PANE (self) && path, FALSE);

  return iface->show_path && iface->show_path (self, path);
}

gboolean
vtr_pane_find (VtrPane *self,
               int      step)
{
  VtrPaneInterface *iface = VTR_PANE_GET_IFACE (self);

  g_return_val_if_fail (VTR_IS_PANE (self), FALSE);

  return iface->find && iface->find (self, step);
}

const char *
vtr_pane_match_path (const char *path,
                     const char *word)
{
  const char *at = strchr (path, '/');
  gsize n = strlen (word);

  if (!g_str_has_prefix (path, "commands/") && !g_str_has_prefix (path, "initial/"))
    return NULL;
  at = strchr (at + 1, '/');
  if (at == NULL || strncmp (at + 1, word, n) != 0)
    return NULL;
  at += 1 + n;
  return *at == '\0' || *at == '/' || *at == '?' ? at : NULL;
}
