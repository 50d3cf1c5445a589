/* Converts the window areas that panes are docked in to the names used in settings and actions,
 * and back. */
#include "vtr-config.h"

#include "widgets/vtr-pane-area.h"

static const struct
{
  PanelArea area;
  const char *name;
} areas[] = {
  { PANEL_AREA_START, "start" },
  { PANEL_AREA_CENTER, "centre" },
  { PANEL_AREA_END, "end" },
  { PANEL_AREA_BOTTOM, "bottom" },
};

const char *
vtr_pane_area_name (PanelArea area)
{
  for (guint i = 0; i < G_N_ELEMENTS (areas); i++)
    if (areas[i].area == area)
      return areas[i].name;
  return "centre";
}

gboolean
vtr_pane_area_from_name (const char *name, PanelArea *area)
{
  for (guint i = 0; i < G_N_ELEMENTS (areas); i++)
    if (g_strcmp0 (areas[i].name, name) == 0)
      {
        *area = areas[i].area;
        return TRUE;
      }
  return FALSE;
}
