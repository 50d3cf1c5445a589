/* Finds the range that holds an address, among many ranges. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * VtrAddressMap:
 *
 * Ranges that may overlap: the one added last covers those before it. Threading: one at a time
 * while it is filled, then any.
 */
typedef struct _VtrAddressMap VtrAddressMap;

VtrAddressMap *vtr_address_map_new (void);
void vtr_address_map_free (VtrAddressMap *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (VtrAddressMap, vtr_address_map_free)

/* Adds the range of @size bytes from @address on; it ends at the last address at most. @value: below G_MAXUINT. */
void vtr_address_map_add (VtrAddressMap *self,
                          guint64        address,
                          guint64        size,
                          guint          value);
/* Ends filling. O(n log n). */
void vtr_address_map_complete (VtrAddressMap *self);
/* @value: (out): of the range added last that contains @address. O(log n). Returns: FALSE if there is none. */
gboolean vtr_address_map_find (const VtrAddressMap *self,
                               guint64              address,
                               guint               *value);

G_END_DECLS
