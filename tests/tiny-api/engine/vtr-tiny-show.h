/* What lists and panes show of the tiny API, for its table. */
#pragma once

#include "engine/api/vtr-show-api.h"

G_BEGIN_DECLS

extern const VtrShowApi vtr_tiny_show;

G_END_DECLS
