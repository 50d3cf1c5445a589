/* The slot that a property row is shown in. It outlives the row: the next command's row of the
 * same name takes its place, and keeps the widget, its expansion and the keyboard focus.
 *
 * Threading: main. */
#pragma once

#include "engine/model/vtr-property-list.h"

G_BEGIN_DECLS

/* Signal "changed": it shows another row. */
#define VTR_TYPE_PROPERTY_SLOT (vtr_property_slot_get_type ())
G_DECLARE_FINAL_TYPE (VtrPropertySlot, vtr_property_slot, VTR, PROPERTY_SLOT, GObject)

/* (transfer none) */
VtrPropertyRow *vtr_property_slot_get_row (VtrPropertySlot *self);
/* The slots of the row's children, made on the first call. (transfer none); NULL: the row has no
 * children. */
GListModel *vtr_property_slot_get_children (VtrPropertySlot *self);

/* A model of slots for @rows; a long model makes them on demand. (transfer full) */
GListModel *vtr_property_slots_new (GListModel *rows);
/* Puts @rows into the slots of @self. Returns: FALSE, and changes nothing, if the names differ, if
 * other rows have children, or if there are too many rows to compare. */
gboolean vtr_property_slots_replace (GListModel *self,
                                     GListModel *rows);

G_END_DECLS
