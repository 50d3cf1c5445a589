/* Vulkan's part of a VtrBoundWalker: walking a recording (vtr-bound-walker.c), and the effect of one command on the bound state
 * (vtr-bound-apply.c).
 *
 * Threading: with the walker's lock held. */
#pragma once

#include "engine/vulkan/state/vtr-state.h"

G_BEGIN_DECLS

typedef struct
{
  VtrTimeline *timeline;
  VtrHistory *history;

  GMutex lock; /* guards the fields below */
  VtrArena arena;
  GArray *snapshots; /* VtrSnapshot of .recording, ascending by .next */
  guint32 recording;
} VtrVulkanWalker;

/* Members of VtrStateApi. */
gpointer vtr_vulkan_walker_new (VtrTimeline *timeline,
                                VtrHistory  *history);
void vtr_vulkan_walker_free (gpointer part);

/* Applies what command @index sets to @state. Errors: those of decoding. */
gboolean vtr_vulkan_walker_apply (VtrVulkanWalker  *self,
                                  VtrBoundState    *state,
                                  guint64           index,
                                  GError          **error);

/* Set @count entries from @first on. Entries that do not fit into VtrBoundState are left out. */
void vtr_bound_set_viewports (VtrBoundState    *state,
                              guint32           first,
                              guint32           count,
                              const VkViewport *viewports);
void vtr_bound_set_scissors (VtrBoundState  *state,
                             guint32         first,
                             guint32         count,
                             const VkRect2D *scissors);

G_END_DECLS
