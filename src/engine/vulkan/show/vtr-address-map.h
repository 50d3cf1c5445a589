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

/* @size: in bytes; a range that would pass the last address ends there. @value: below G_MAXUINT. */
void vtr_address_map_add (VtrAddressMap *self,
                          guint64        address,
                          guint64        size,
                          guint          value);
/* Nothing more is added. O(n log n). */
void vtr_address_map_complete (VtrAddressMap *self);
/* @value: of the last added range that holds @address. O(log n). Returns: FALSE when none does. */
gboolean vtr_address_map_find (const VtrAddressMap *self,
                               guint64              address,
                               guint               *value);

G_END_DECLS
