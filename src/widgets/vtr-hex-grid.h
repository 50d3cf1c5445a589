/* A hex dump: rows of sixteen bytes with address, access marks, hex, text, and typed values. */
#pragma once

#include <gtk/gtk.h>

#include "engine/memory/vtr-memory-type.h"
#include "engine/vulkan/memory/vtr-memory.h"

G_BEGIN_DECLS

/**
 * VtrHexGrid:
 *
 * Shows any range of up to 2^60 bytes; only rows on the screen are drawn, and only bytes near them
 * asked for: "load" (guint64 offset, guint64 size), to be answered by vtr_hex_grid_take() or
 * vtr_hex_grid_give_up(). Scrollable.
 *
 * Signals: "load", "cursor-moved" ().
 * Threading: main.
 */
#define VTR_TYPE_HEX_GRID (vtr_hex_grid_get_type ())
G_DECLARE_FINAL_TYPE (VtrHexGrid, vtr_hex_grid, VTR, HEX_GRID, GtkWidget)

GtkWidget *vtr_hex_grid_new (void);

/* Forgets all bytes; shows [@first, @first + @size). */
void vtr_hex_grid_set_range (VtrHexGrid *self,
                             guint64     first,
                             guint64     size);
/* Bytes of the range, and perhaps around it. */
void vtr_hex_grid_take (VtrHexGrid    *self,
                        VtrMemoryView *view);
void vtr_hex_grid_give_up (VtrHexGrid *self,
                           guint64     offset,
                           guint64     size);
/* What the command does where: VtrMemoryRange of the pool that is shown. */
void vtr_hex_grid_set_accesses (VtrHexGrid *self,
                                GArray     *accesses);
/* Values beside the bytes, from @origin on. @type: (nullable): none. @stride: 0: the type's. */
void vtr_hex_grid_set_type (VtrHexGrid    *self,
                            VtrMemoryType *type,
                            guint64        origin,
                            guint64        stride);

/* Moves the cursor to @offset and scrolls there. */
void vtr_hex_grid_go_to (VtrHexGrid *self,
                         guint64     offset);
guint64 vtr_hex_grid_get_cursor (VtrHexGrid *self);
/* The selected bytes; one, at the cursor, when nothing else is selected. */
void vtr_hex_grid_get_selection (VtrHexGrid *self,
                                 guint64    *offset,
                                 guint64    *size);
/* Scrolls there if need be. */
void vtr_hex_grid_select (VtrHexGrid *self,
                          guint64     offset,
                          guint64     size);
/* The byte under the cursor. Returns: NULL when it is not there yet. */
const VtrMemorySpan *vtr_hex_grid_get_byte (VtrHexGrid *self,
                                            guint64     offset,
                                            guint8     *byte);
/* Bytes that only the GPU knows, among those on the screen: from the first to the last. Returns:
   FALSE when there are none. */
gboolean vtr_hex_grid_find_gpu (VtrHexGrid *self,
                                guint64    *offset,
                                guint64    *size);

G_END_DECLS
