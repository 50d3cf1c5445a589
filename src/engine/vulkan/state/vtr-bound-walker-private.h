/* What the files of Vulkan's part of a VtrBoundWalker share: it walks and fills in (vtr-bound-walker.c), and applies one
 * command (vtr-bound-apply.c).
 *
 * Threading: with the walker's lock held. */
#pragma once

#include "engine/vulkan/state/vtr-state.h"

G_BEGIN_DECLS

typedef struct
{
  VtrTimeline *timeline;
  VtrHistory *history;

  GMutex lock; /* guards what follows */
  VtrArena arena;
  GArray *snapshots; /* of VtrSnapshot, of one recording, by .next */
  guint32 recording; /* theirs */
} VtrVulkanWalker;

/* Members of VtrStateApi (S6). */
gpointer vtr_vulkan_walker_new (VtrTimeline *timeline,
                                VtrHistory  *history);
void vtr_vulkan_walker_free (gpointer part);

/* Applies what command @index sets to @state. Errors: those of decoding. */
gboolean vtr_vulkan_walker_apply (VtrVulkanWalker  *self,
                                  VtrBoundState    *state,
                                  guint64           index,
                                  GError          **error);

/* From the @first on; what does not fit into VtrBoundState is left out. */
void vtr_bound_set_viewports (VtrBoundState    *state,
                              guint32           first,
                              guint32           count,
                              const VkViewport *viewports);
void vtr_bound_set_scissors (VtrBoundState  *state,
                             guint32         first,
                             guint32         count,
                             const VkRect2D *scissors);

G_END_DECLS
