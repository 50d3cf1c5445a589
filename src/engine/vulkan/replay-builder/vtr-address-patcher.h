/* Changes captured device addresses in the data of a replay in which buffers lie elsewhere.
 *
 * When the program gets an address, the replay queries its own and keeps the distance in a slot. To
 * each value that looks like a captured address (vtr-address-scan.h) the distance is added while the
 * replay runs, after the bytes were laid out and before the call or write that takes them. A
 * VkDeviceAddress of the registry counts as one if it points into a buffer; in other bytes,
 * addresses are guessed. */
#pragma once

#include "engine/replay-builder/vtr-replay-addresses.h"
#include "engine/vulkan/replay-builder/vtr-address-scan.h"
#include "engine/vulkan/replay-builder/vtr-vulkan-builder.h"

G_BEGIN_DECLS

/**
 * VtrAddressPatcher:
 *
 * What a builder keeps of it. Threading: one at a time.
 */
typedef struct _VtrAddressPatcher VtrAddressPatcher;

#define VTR_ADDRESS_MEMORY "memory"

/* @ranges is borrowed. */
VtrAddressPatcher *vtr_address_patcher_new (const VtrAddressRanges *ranges);
/* For a builder that continues from the position of another. */
VtrAddressPatcher *vtr_address_patcher_fork (const VtrAddressPatcher *base);
void vtr_address_patcher_free (VtrAddressPatcher *self);

/* The @command tells the address of @object, a buffer or an acceleration structure. */
void vtr_address_patcher_tell (VtrReplayBuilder *builder,
                               const VtrCommand *command,
                               VtrHandleId       type,
                               guint64           object);

/* Adds the distance to the captured address @value on top of the stack, if it is one. */
void vtr_address_patcher_push (VtrReplayBuilder *builder,
                               guint64           value);

/* Changes the tree in builder->flat, of which what begins at @first was laid out at @address. Errors:
 * those of the send function. */
gboolean vtr_address_patcher_change_tree (VtrReplayBuilder  *builder,
                                          guint32            first,
                                          guint64            address,
                                          GError           **error);

/* Changes the bytes of @write, before command @index, laid out at @address. */
gboolean vtr_address_patcher_change_write (VtrReplayBuilder        *builder,
                                           guint64                  index,
                                           const VtrContentRecord  *write,
                                           guint64                  address,
                                           GError                 **error);

/* After the write of these bytes was built: addresses of which they are a part. */
gboolean vtr_address_patcher_end_write (VtrReplayBuilder        *builder,
                                        const VtrContentRecord  *write,
                                        GError                 **error);

/* Changes the handles in the first part of a serialised acceleration structure. */
gboolean vtr_address_patcher_change_structure (VtrReplayBuilder        *builder,
                                               guint64                  index,
                                               const VtrContentRecord  *write,
                                               guint64                  address,
                                               GError                 **error);

/* The captured @memory is a new one. */
void vtr_address_patcher_allocate (VtrReplayBuilder *builder,
                                   guint64           memory);

/* How many values were changed, by where they were: names of commands and structs, VTR_ADDRESS_MEMORY
 * for memory. Returns: of VtrAddressCount, by name. (transfer full) */
GArray *vtr_address_patcher_list_counts (const VtrAddressPatcher *self);

/* Takes captured addresses out of creations, so that the driver chooses. Changes the tree. */
void vtr_address_forget_in_buffer (VkBufferCreateInfo *info);
void vtr_address_forget_in_memory (VkMemoryAllocateInfo *info);
void vtr_address_forget_in_structure (VkAccelerationStructureCreateInfoKHR *info);

G_END_DECLS
