/* The state of the tiny API's objects, for its table. */
#pragma once

#include "engine/api/vtr-state-api.h"

G_BEGIN_DECLS

extern const VtrStateApi vtr_tiny_state;

G_END_DECLS
