/* Finds descriptors in descriptor buffers (VK_EXT_descriptor_buffer), from what the program asked the driver: the offsets of
 * bindings in set layouts, the bytes that vkGetDescriptorEXT returned for each resource, and the addresses of buffers. */
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

/* The facts of @analysis, which keeps them. The first call makes them and blocks. Returns: (transfer none) (nullable): NULL if
 * the trace cannot be read. */
const VtrBufferFacts *vtr_buffer_facts_get (VtrAnalysis *analysis);

/* The offset of @binding in a set layout, in bytes, as the driver told it last before command @index. Returns: FALSE if the
 * program did not ask. */
gboolean vtr_buffer_facts_find_offset (const VtrBufferFacts *self,
                                       guint64               layout,
                                       guint32               binding,
                                       guint64               index,
                                       guint64              *offset);

/* The size of descriptors of @type in bytes; 0 if the program asked for none. */
gsize vtr_buffer_facts_get_size (const VtrBufferFacts *self,
                                 VkDescriptorType      type);

/**
 * VtrBufferLookup:
 *
 * Finds descriptors and buffers as they were before one command. Threading: any (immutable).
 */
typedef struct _VtrBufferLookup VtrBufferLookup;

/* O(n log n) for all addresses that the program asked for. @facts, @history: must outlive it. */
VtrBufferLookup *vtr_buffer_lookup_new (const VtrBufferFacts *facts,
                                        VtrHistory           *history,
                                        guint64               index);
void vtr_buffer_lookup_free (VtrBufferLookup *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (VtrBufferLookup, vtr_buffer_lookup_free)

/* The descriptor of @type with these bytes. O(log n). Returns: FALSE if the driver never returned them. */
gboolean vtr_buffer_lookup_find_descriptor (const VtrBufferLookup *self,
                                            VkDescriptorType       type,
                                            gconstpointer          bytes,
                                            gsize                  size,
                                            VtrDescriptor         *out);

/* The buffer at a device address, if the program asked for the buffer's address. O(log n). @buffer: (out): its handle.
 * @offset: (out): of @address in the buffer. Returns: (nullable). */
const VtrObject *vtr_buffer_lookup_find_buffer (const VtrBufferLookup *self,
                                                guint64                address,
                                                guint64               *buffer,
                                                guint64               *offset);

G_END_DECLS
