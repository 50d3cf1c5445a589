/* What a trace tells about descriptors in buffers (VK_EXT_descriptor_buffer): the offsets of
 * bindings in a set layout, the bytes that vkGetDescriptorEXT returned for each resource, and
 * the addresses of buffers. */
#pragma once

#include "engine/state/vtr-analysis.h"
#include "engine/vulkan/state/vtr-descriptors.h"

G_BEGIN_DECLS

/**
 * VtrBufferFacts:
 *
 * Made by one pass over a trace. Threading: any (immutable).
 */
typedef struct _VtrBufferFacts VtrBufferFacts;

/* Those of @analysis, which keeps them; made at the first call, which blocks. Returns: (transfer
   none) (nullable): NULL when the trace cannot be read. */
const VtrBufferFacts *vtr_buffer_facts_get (VtrAnalysis *analysis);

/* Where @binding of a set layout begins, as the driver said last before command @index. Returns:
   FALSE when the program did not ask. */
gboolean vtr_buffer_facts_find_offset (const VtrBufferFacts *self,
                                       guint64               layout,
                                       guint32               binding,
                                       guint64               index,
                                       guint64              *offset);

/* Size of the descriptors of a type; 0: no descriptor was asked for. */
gsize vtr_buffer_facts_get_size (const VtrBufferFacts *self,
                                 VkDescriptorType      type);

/**
 * VtrBufferLookup:
 *
 * Finds descriptors and buffers as they were last before one command. Threading: any (immutable).
 */
typedef struct _VtrBufferLookup VtrBufferLookup;

/* O(n log n) for all addresses that the program asked for. @facts, @history: must outlive it. */
VtrBufferLookup *vtr_buffer_lookup_new (const VtrBufferFacts *facts,
                                        VtrHistory           *history,
                                        guint64               index);
void vtr_buffer_lookup_free (VtrBufferLookup *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (VtrBufferLookup, vtr_buffer_lookup_free)

/* The descriptor with these bytes. O(log n). Returns: FALSE when the program was never given them. */
gboolean vtr_buffer_lookup_find_descriptor (const VtrBufferLookup *self,
                                            VkDescriptorType       type,
                                            gconstpointer          bytes,
                                            gsize                  size,
                                            VtrDescriptor         *out);

/* The buffer at a device address, as far as the program asked for its address. O(log n). @buffer:
   its handle. Returns: NULL when there is none. */
const VtrObject *vtr_buffer_lookup_find_buffer (const VtrBufferLookup *self,
                                                guint64                address,
                                                guint64               *buffer,
                                                guint64               *offset);

G_END_DECLS
