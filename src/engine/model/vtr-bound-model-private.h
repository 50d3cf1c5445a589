/* Filling a VtrBoundModel, for those that know an API. */
#pragma once

#include "engine/model/vtr-bound-model.h"

G_BEGIN_DECLS

/* @labels: of the stages, to be translated; constants. No stage is shown yet. (transfer full) */
VtrBoundModel *vtr_bound_model_new_empty (const char *const *labels,
                                          guint              n);
void vtr_bound_model_show_stage (VtrBoundModel *self,
                                 guint          stage);
/* Why its toggle is insensitive. */
void vtr_bound_model_set_unused (VtrBoundModel *self,
                                 guint          stage,
                                 const char    *reason);
void vtr_bound_model_set_default_stage (VtrBoundModel *self,
                                        guint          stage);
/* Adds a group with @rows (taken), unless there are none. */
void vtr_bound_model_add_group (VtrBoundModel *self,
                                guint          stage,
                                const char    *title,
                                gboolean       folded,
                                GPtrArray     *rows);

G_END_DECLS
