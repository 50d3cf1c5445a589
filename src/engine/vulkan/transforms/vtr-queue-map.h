/* Maps the queues of the captured device to those of another device. */
#pragma once

#include <glib.h>

#include "vulkan/vtr-vulkan.h"

G_BEGIN_DECLS

/**
 * VtrQueueMap:
 *
 * Threading: any, while nobody changes it.
 */
typedef struct
{
  guint32 n_captured;
  guint32 *family; /* the target's family for each captured family; G_MAXUINT32: no family can do its work */
  guint32 *first;  /* for each captured family: its first queue in .family */
  guint32 n_target;
  guint32 *n_queues; /* number of queues of each family of the target */
  gboolean folded;   /* several captured queues share one queue of the target */
} VtrQueueMap;

/* Maps every captured family that is used to a family of the target with the same capabilities. Different families get
 * different ones if there are enough. @used: the number of queues used of each captured family. (transfer full). */
VtrQueueMap *vtr_queue_map_new (const VkQueueFamilyProperties *captured,
                                guint                          n_captured,
                                const guint32                 *used,
                                const VkQueueFamilyProperties *target,
                                guint                          n_target);
void vtr_queue_map_free (VtrQueueMap *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (VtrQueueMap, vtr_queue_map_free)

/* The target's family for captured @family. Returns VK_QUEUE_FAMILY_IGNORED, _EXTERNAL and _FOREIGN unchanged. */
guint32 vtr_queue_map_family (const VtrQueueMap *self,
                              guint32            family);

/* The index, in the family that vtr_queue_map_family () returns, of the queue for captured queue @index of @family. */
guint32 vtr_queue_map_index (const VtrQueueMap *self,
                             guint32            family,
                             guint32            index);

G_END_DECLS
