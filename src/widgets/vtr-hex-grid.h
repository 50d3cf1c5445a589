/* A hex dump: rows of sixteen bytes with address, access marks, hex, text, and typed values. */
#pragma once

#include <gtk/gtk.h>

#include "engine/memory/vtr-memory-type.h"
#include "engine/memory/vtr-memory.h"

G_BEGIN_DECLS

/**
 * VtrHexGrid:
 *
 * Shows any range of up to 2^60 bytes. Only rows on the screen are drawn, and only bytes near them
 * requested: "load" (guint64 offset, guint64 size), to be answered by vtr_hex_grid_take() or
 * vtr_hex_grid_give_up(). Scrollable.
 *
 * Signals: "load", "cursor-moved" ().
 * Threading: main.
 */
#define VTR_TYPE_HEX_GRID (vtr_hex_grid_get_type ())
G_DECLARE_FINAL_TYPE (VtrHexGrid, vtr_hex_grid, VTR, HEX_GRID, GtkWidget)

GtkWidget *vtr_hex_grid_new (void);

/* Drops all bytes, and shows [@first, @first + @size). */
void vtr_hex_grid_set_range (VtrHexGrid *self,
                             guint64     first,
                             guint64     size);
/* Answers "load" with bytes of the range, and perhaps bytes around it. */
void vtr_hex_grid_take (VtrHexGrid    *self,
                        VtrMemoryView *view);
void vtr_hex_grid_give_up (VtrHexGrid *self,
                           guint64     offset,
                           guint64     size);
/* Marks what the command reads and writes: VtrMemoryRange of the byte space that is shown. */
void vtr_hex_grid_set_accesses (VtrHexGrid *self,
                                GArray     *accesses);
/* Shows values beside the bytes, from @origin on. @type: NULL: no values. @stride: 0: that of the
 * type. */
void vtr_hex_grid_set_type (VtrHexGrid    *self,
                            VtrMemoryType *type,
                            guint64        origin,
                            guint64        stride);

/* Moves the cursor to @offset and scrolls there. */
void vtr_hex_grid_go_to (VtrHexGrid *self,
                         guint64     offset);
guint64 vtr_hex_grid_get_cursor (VtrHexGrid *self);
/* The selected bytes; without a selection, the byte at the cursor. */
void vtr_hex_grid_get_selection (VtrHexGrid *self,
                                 guint64    *offset,
                                 guint64    *size);
/* Selects bytes, and scrolls to them if they are out of view. */
void vtr_hex_grid_select (VtrHexGrid *self,
                          guint64     offset,
                          guint64     size);
/* Reads the byte at @offset. Returns: the span that says who wrote it; NULL while it is not
 * loaded. */
const VtrMemorySpan *vtr_hex_grid_get_byte (VtrHexGrid *self,
                                            guint64     offset,
                                            guint8     *byte);
/* The range, from the first to the last, of bytes on the screen that the GPU wrote and that only a
   replay can read. Returns: FALSE if there are none. */
gboolean vtr_hex_grid_find_gpu (VtrHexGrid *self,
                                guint64    *offset,
                                guint64    *size);

G_END_DECLS
