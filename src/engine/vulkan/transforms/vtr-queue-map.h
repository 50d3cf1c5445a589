/* Which queues of one device stand for those of another. */
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
  guint32 *family; /* of each captured one; G_MAXUINT32: there is none that could do its work */
  guint32 *first;  /* the first of the captured family's queues in .family */
  guint32 n_target;
  guint32 *n_queues; /* that the target's families have */
  gboolean folded;   /* queues that were two are one */
} VtrQueueMap;

/* Each captured family that a device was created with (@used, G_MAXUINT32 queues of it at most)
 * goes to one that can do what it could; families stay apart where there are enough. */
VtrQueueMap *vtr_queue_map_new (const VkQueueFamilyProperties *captured,
                                guint                          n_captured,
                                const guint32                 *used,
                                const VkQueueFamilyProperties *target,
                                guint                          n_target);
void vtr_queue_map_free (VtrQueueMap *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (VtrQueueMap, vtr_queue_map_free)

/* VK_QUEUE_FAMILY_IGNORED, _EXTERNAL and _FOREIGN stay what they are. */
guint32 vtr_queue_map_family (const VtrQueueMap *self,
                              guint32            family);

/* Which queue of vtr_queue_map_family() the captured @index of @family is. */
guint32 vtr_queue_map_index (const VtrQueueMap *self,
                             guint32            family,
                             guint32            index);

G_END_DECLS
