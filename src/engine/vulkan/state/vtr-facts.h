/* VtrFacts: the size, usage and memory of resources, which stay the same for as long as a resource lives. Callers need not know
 * the commands that set them.
 *
 * A history keeps the facts: the pass that finds the objects notes bindings; the rest is read when it is first asked for.
 * Objects are named by ids, so two objects with the same handle are never confused.
 *
 * Facts about images, views, passes and sets are in vtr-state-facts.h. */
#pragma once

#include "engine/vulkan/state/vtr-state.h"

G_BEGIN_DECLS

typedef struct _VtrFacts VtrFacts;

/* The most planes of an image that have memory of their own. */
#define VTR_MAX_PLANES 4

/* The memory of a resource, or of one plane of a disjoint image. */
typedef struct
{
  guint32 memory;  /* id of the VkDeviceMemory; 0: none, not in the trace, or that of a swapchain */
  guint32 command; /* flat index of the call that bound it */
  guint64 offset;  /* bytes in the memory */
} VtrBoundMemory;

typedef struct
{
  guint64 size;
  guint64 usage; /* VkBufferUsageFlags, or its wider form */
  VkBufferCreateFlags flags;
} VtrBufferFact;

/* The memory of buffer or image @id, plane @plane, after command @index; VTR_COMMAND_NO_INDEX: at any time of its life. A
 * resource can be bound only once. Returns: FALSE if no memory is bound by then, or the resource is sparse. Threading: any. */
gboolean vtr_facts_get_bound (VtrHistory     *history,
                              guint32         id,
                              guint           plane,
                              guint64         index,
                              VtrBoundMemory *out);
/* Returns: FALSE if @id is not a buffer, or the trace does not say how it was created. Threading: any. */
gboolean vtr_facts_get_buffer (VtrHistory    *history,
                               guint32        id,
                               VtrBufferFact *out);

/* The plane that a vkBindImageMemory2 with the chain @chain binds; 0 if the chain names none. */
guint vtr_facts_read_plane (gconstpointer chain);

/* --- For the pass that makes a history --- */

VtrFacts *vtr_facts_new (VtrLifetimes *lifetimes);
void vtr_facts_free (VtrFacts *self);
gboolean vtr_facts_wants (VtrCmdId id);
/* Notes a command for which vtr_facts_wants () is TRUE. */
void vtr_facts_note (VtrFacts         *self,
                     const VtrCommand *command);
/* The command that bound memory to @id, or the first page of sparse memory; VTR_COMMAND_NO_INDEX: none. */
guint64 vtr_facts_get_binding (const VtrFacts *self,
                               guint32         id);

/* In vtr-vulkan-objects.c. (transfer none) (nullable): NULL if the trace has no command of Vulkan. */
VtrFacts *vtr_history_get_facts (VtrHistory *history);

G_END_DECLS
