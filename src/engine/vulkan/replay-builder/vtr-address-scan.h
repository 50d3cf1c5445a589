/* Finds captured device addresses in bytes.
 *
 * A value counts as an address when it lies in a buffer that lives at that moment and whose address the
 * program asked for; its end counts too, where no other buffer is. Of several buffers at one place
 * the one that begins last is taken, and of those the one whose address the program got last. */
#pragma once

#include "engine/vulkan/replay-builder/vtr-address-ranges.h"

G_BEGIN_DECLS

/* Distance of the places that are looked at: in memory, counted from its start, and in the arguments
 * of calls, where rules of layout matter less. */
#define VTR_ADDRESS_STEP_MEMORY 8
#define VTR_ADDRESS_STEP_CALL 4

/**
 * VtrAddressScan:
 *
 * Threading: one at a time.
 */
typedef struct _VtrAddressScan VtrAddressScan;

typedef struct
{
  guint64 at;    /* in the bytes */
  guint64 value; /* captured */
  guint32 range; /* VtrAddressRanges */
} VtrAddressFound;

/* @ranges is borrowed. */
VtrAddressScan *vtr_address_scan_new (const VtrAddressRanges *ranges);
void vtr_address_scan_free (VtrAddressScan *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (VtrAddressScan, vtr_address_scan_free)

/* The next bytes are of command @index, or written before it (VTR_COMMAND_NO_INDEX: at the
 * moment of the last call), for the captured VkDevice @device; 0: unknown. Cheap while @index
 * grows. */
void vtr_address_scan_seek (VtrAddressScan *self,
                            guint64         index,
                            guint64         device);

/* Returns: whether @value is an address; then *@range is whose. */
gboolean vtr_address_scan_find (VtrAddressScan *self,
                                guint64         value,
                                guint32        *range);

/* Looks at every @step-th place of @bytes from @first on, and continues after each address that it
 * finds. Returns: of VtrAddressFound, in order; valid until the next call. (transfer none) */
const GArray *vtr_address_scan_bytes (VtrAddressScan *self,
                                      const guint8   *bytes,
                                      gsize           size,
                                      gsize           first,
                                      gsize           step);

/* Like vtr_address_scan_bytes (), for a value in the arguments of a call. @exact: the bytes are
 * one address. */
const GArray *vtr_address_scan_place (VtrAddressScan *self,
                                      const guint8   *bytes,
                                      gsize           size,
                                      gboolean        exact);

/* The first place of memory that is looked at in bytes which lie at @offset of it. */
static inline gsize
vtr_address_scan_first (guint64 offset)
{
  return (VTR_ADDRESS_STEP_MEMORY - offset % VTR_ADDRESS_STEP_MEMORY) % VTR_ADDRESS_STEP_MEMORY;
}

G_END_DECLS
