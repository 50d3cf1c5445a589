/* Making of groups. */
#pragma once

#include "engine/model/vtr-bound-model.h"

G_BEGIN_DECLS

/* @rows is taken. */
VtrPropertyGroup *vtr_property_group_new_take (const char *title,
                                               gboolean    folded,
                                               GListModel *rows);

G_END_DECLS
