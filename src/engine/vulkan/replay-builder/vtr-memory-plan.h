/* The data about a trace's memory that a replay on another device needs before it begins. */
#pragma once

#include "engine/format/vtr-trace.h"
#include "vulkan/vtr-vulkan-replay.h"

G_BEGIN_DECLS

/**
 * VtrMemoryPlan:
 *
 * Made by one pass over the commands that allocate, create, bind and destroy; the others are not
 * decoded. Threading: any (immutable).
 */
typedef struct _VtrMemoryPlan VtrMemoryPlan;

/* Blocks. Errors: those of the trace, G_IO_ERROR_CANCELLED. */
VtrMemoryPlan *vtr_memory_plan_new (VtrTrace      *trace,
                                    GCancellable  *cancellable,
                                    GError       **error);
void vtr_memory_plan_free (VtrMemoryPlan *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (VtrMemoryPlan, vtr_memory_plan_free)

/* Resources of the memory that command @index allocated and that share bytes: sorted, disjoint
 * among those of a kind. Returns: how many; *@groups is the plan's. */
gsize vtr_memory_plan_get_groups (VtrMemoryPlan               *self,
                                  guint64                      index,
                                  const VtrReplayMemoryGroup **groups);

/* Whether the program mapped the memory that command @index allocated, or wrote to it. */
gboolean vtr_memory_plan_is_mapped (VtrMemoryPlan *self,
                                    guint64        index);

/* The row layouts that the program got for the linear image that command @index created. */
gsize vtr_memory_plan_get_layouts (VtrMemoryPlan                *self,
                                   guint64                       index,
                                   const VtrReplayLinearLayout **layouts);

G_END_DECLS
