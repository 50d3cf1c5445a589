/* The Shaders pane: all shaders of the trace, those of the selected command first, each in four
 * forms. */
#pragma once

#include <libpanel.h>

#include "session/vtr-session.h"

G_BEGIN_DECLS

/* Opens by link at a shader module or a stage of a pipeline: "objects/38", "objects/38/shader/glsl",
 * "objects/40/shader/fragment". */
#define VTR_TYPE_SHADER_VIEW (vtr_shader_view_get_type ())
G_DECLARE_FINAL_TYPE (VtrShaderView, vtr_shader_view, VTR, SHADER_VIEW, PanelWidget)

GtkWidget *vtr_shader_view_new (void);
/* The text on screen. (transfer none); NULL: none. */
const char *vtr_shader_view_get_text (VtrShaderView *self);

G_END_DECLS
