/* What the tiny API's commands read and write, for its table. */
#pragma once

#include "engine/api/vtr-memory-api.h"

G_BEGIN_DECLS

extern const VtrMemoryApi vtr_tiny_memory;

G_END_DECLS
