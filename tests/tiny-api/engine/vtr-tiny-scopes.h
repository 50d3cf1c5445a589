/* The scopes of the tiny API's commands, for its table. */
#pragma once

#include "engine/api/vtr-scope-api.h"

G_BEGIN_DECLS

extern const VtrScopeApi vtr_tiny_scopes;

G_END_DECLS
