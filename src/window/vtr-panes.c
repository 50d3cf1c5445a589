/* The table of all panes: their names, default places, and constructors. */
#include "vtr-config.h"

#include "window/vtr-panes.h"

#include <glib/gi18n.h>

#include "widgets/vtr-command-view.h"
#include "widgets/vtr-framebuffer-view.h"
#include "widgets/vtr-memory-pane.h"
#include "widgets/vtr-message-view.h"
#include "widgets/vtr-parameters-view.h"
#include "widgets/vtr-pipeline-view.h"
#include "widgets/vtr-shader-view.h"
#include "widgets/vtr-state-pane.h"
#include "widgets/vtr-texture-view.h"
#include "widgets/vtr-timings-view.h"

/* The panes get the session in this order: panes that answer at once come before panes that wait
 * for a replay. */
static const VtrPaneInfo panes[] = {
  { "commands", N_ ("Commands"), PANEL_AREA_START, 0, TRUE, vtr_command_view_new },
  { "parameters", N_ ("Parameters"), PANEL_AREA_END, 0, TRUE, vtr_parameters_view_new },
  { "pipeline", N_ ("Pipeline"), PANEL_AREA_END, 1, TRUE, vtr_pipeline_view_new },
  { "state", N_ ("State"), PANEL_AREA_END, 1, FALSE, vtr_state_pane_new },
  { "framebuffer", N_ ("Framebuffer"), PANEL_AREA_CENTER, 0, TRUE, vtr_framebuffer_view_new },
  { "textures", N_ ("Textures"), PANEL_AREA_CENTER, 0, FALSE, vtr_texture_view_new },
  { "shaders", N_ ("Shaders"), PANEL_AREA_CENTER, 0, FALSE, vtr_shader_view_new },
  { "memory", N_ ("Memory"), PANEL_AREA_BOTTOM, 0, FALSE, vtr_memory_pane_new },
  { "timings", N_ ("Timings"), PANEL_AREA_BOTTOM, 0, FALSE, vtr_timings_view_new },
  { "report", N_ ("Report"), PANEL_AREA_BOTTOM, 0, TRUE, vtr_message_view_new_report },
  { "log", N_ ("Log"), PANEL_AREA_BOTTOM, 0, FALSE, vtr_message_view_new_log },
};

const VtrPaneInfo *
vtr_panes_list (guint *n_panes)
{
  *n_panes = G_N_ELEMENTS (panes);
  return panes;
}
