/* What VtrHistory is made of, for the builder that fills it. */
#pragma once

#include "engine/vulkan/state/vtr-state.h"

#include "api/vtr-api-types.h"

G_BEGIN_DECLS

struct _VtrHistory
{
  gatomicrefcount refs;
  VtrTrace *trace;
  VtrLifetimes *lifetimes;
  GHashTable *set_writes; /* descriptor set id → GArray of guint64 */
  GHashTable *bindings;   /* buffer or image id → guint64 */
};

G_END_DECLS
