/* VtrFacts: what is fixed about a resource for as long as it lives: its size and use, and the memory
 * that was bound to it. Whoever asks need not know the calls that say it.
 *
 * A history keeps them: bindings are noted by the pass that finds the objects, all else when somebody
 * asks for the first time. Objects are named by their ids, so the facts of two with one handle never mix.
 *
 * What is fixed about images, views, passes and sets is in vtr-state-facts.h. */
#pragma once

#include "engine/vulkan/state/vtr-state.h"

G_BEGIN_DECLS

typedef struct _VtrFacts VtrFacts;

/* Most planes of an image that have memory of their own. */
#define VTR_MAX_PLANES 4

/* Of a disjoint image: one for each plane. */
typedef struct
{
  guint32 memory;  /* id of the VkDeviceMemory; 0: none, not in the trace, or a swapchain's */
  guint32 command; /* flat index of the call that bound it */
  guint64 offset;  /* bytes in the memory */
} VtrBoundMemory;

typedef struct
{
  guint64 size;
  guint64 usage; /* VkBufferUsageFlags, or its wider form */
  VkBufferCreateFlags flags;
} VtrBufferFact;

/* As command @index leaves it (VTR_COMMAND_NO_INDEX: at any time of its life): the memory of buffer or
 * image @id, of plane @plane. A resource may be bound once. Returns: FALSE: none is bound by then, or the
 * resource is sparse. Threading: any. */
gboolean vtr_facts_get_bound (VtrHistory     *history,
                              guint32         id,
                              guint           plane,
                              guint64         index,
                              VtrBoundMemory *out);
/* Returns: FALSE: @id is no buffer, or the trace does not say how it was created. Threading: any. */
gboolean vtr_facts_get_buffer (VtrHistory    *history,
                               guint32        id,
                               VtrBufferFact *out);

/* The plane whose memory a vkBindImageMemory2 binds with this chain; 0 without one. */
guint vtr_facts_read_plane (gconstpointer chain);

/* --- For the pass that makes a history --- */

VtrFacts *vtr_facts_new (VtrLifetimes *lifetimes);
void vtr_facts_free (VtrFacts *self);
gboolean vtr_facts_wants (VtrCmdId id);
/* One of those that it wants. */
void vtr_facts_note (VtrFacts         *self,
                     const VtrCommand *command);
/* The call that bound memory to @id, or the first page of it; VTR_COMMAND_NO_INDEX: none. */
guint64 vtr_facts_get_binding (const VtrFacts *self,
                               guint32         id);

/* In vtr-vulkan-objects.c. (nullable): the trace has no command of Vulkan. */
VtrFacts *vtr_history_get_facts (VtrHistory *history);

G_END_DECLS
