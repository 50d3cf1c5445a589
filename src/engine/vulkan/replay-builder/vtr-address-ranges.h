/* Which device addresses mean which buffer, and when. */
#pragma once

#include "engine/format/vtr-trace.h"
#include "vulkan/vtr-vulkan.h"

G_BEGIN_DECLS

/* A buffer, or the beginning of an acceleration structure, whose address the program asked for. */
typedef struct
{
  guint64 begin, end; /* captured addresses [begin, end); .end does not go past the last one */
  guint64 from, to;   /* commands: when the program got the address, when the object was
                         destroyed */
  guint64 device;     /* captured VkDevice */
} VtrAddressRange;

/**
 * VtrAddressRanges:
 *
 * Made by one pass over the commands that create and destroy buffers and tell addresses.
 * Threading: any (immutable).
 */
typedef struct _VtrAddressRanges VtrAddressRanges;

/* Blocks. Errors: those of the trace, G_IO_ERROR_CANCELLED. */
VtrAddressRanges *vtr_address_ranges_new (VtrTrace      *trace,
                                          GCancellable  *cancellable,
                                          GError       **error);
void vtr_address_ranges_free (VtrAddressRanges *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (VtrAddressRanges, vtr_address_ranges_free)

guint32 vtr_address_ranges_get_n (const VtrAddressRanges *self);
/* In the order in which the program got them. */
const VtrAddressRange *vtr_address_ranges_get (const VtrAddressRanges *self,
                                               guint32                 id);

/* The range that the command @index tells of. Returns: FALSE when it tells none. */
gboolean vtr_address_ranges_find (const VtrAddressRanges *self,
                                  guint64                 index,
                                  guint32                *id);

/* The device that @buffer was of when command @index came; 0: not known, or there is but one. */
guint64 vtr_address_ranges_find_device (const VtrAddressRanges *self,
                                        VkCommandBuffer         buffer,
                                        guint64                 index);

/* Whether addresses in memory may begin in the middle of a word of 8 bytes: commands that the device
 * generates are aligned to 4. */
gboolean vtr_address_ranges_are_halfway (const VtrAddressRanges *self);

/* For tests: @ranges as they are, each told of by command .from. */
VtrAddressRanges *vtr_address_ranges_new_of (const VtrAddressRange *ranges,
                                             guint32                n,
                                             gboolean               halfway);

G_END_DECLS
