/* The Pipeline pane: the pipeline state that is bound at the selected command, stage by stage. */
#pragma once

#include <libpanel.h>

#include "engine/model/vtr-bound-model.h"
#include "session/vtr-session.h"

G_BEGIN_DECLS

#define VTR_TYPE_PIPELINE_VIEW (vtr_pipeline_view_get_type ())
G_DECLARE_FINAL_TYPE (VtrPipelineView, vtr_pipeline_view, VTR, PIPELINE_VIEW, PanelWidget)

GtkWidget *vtr_pipeline_view_new (void);
/* What the pane shows until another command is selected. */
void vtr_pipeline_view_set_model (VtrPipelineView *self,
                                  VtrBoundModel   *model);
void vtr_pipeline_view_set_session (VtrPipelineView *self,
                                    VtrSession      *session);

G_END_DECLS
