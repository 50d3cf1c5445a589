/* VtrHexGrid itself, and where its columns and rows are. */
#pragma once

#include "widgets/vtr-hex-bytes.h"
#include "widgets/vtr-hex-grid.h"

G_BEGIN_DECLS

#define VTR_HEX_COLUMNS 16

struct _VtrHexGrid
{
  GtkWidget parent_instance;

  GtkAdjustment *hadjustment, *vadjustment;
  GtkScrollablePolicy hpolicy, vpolicy;
  guint64 first, size; /* what is shown; rows begin at multiples of 16 */
  VtrHexBytes bytes;
  GArray *accesses; /* VtrMemoryRange; NULL: none */
  VtrMemoryType *type;
  guint64 origin, stride;
  guint64 cursor, anchor;
  double cell;       /* width of a digit */
  double row_height; /* 0: not measured */
  guint digits;      /* of addresses */
  gboolean dragging;
};

/* The x positions of the parts of a row, from the grid's left edge, unscrolled. */
typedef struct
{
  double address, letters, hex, text, values;
} VtrHexPlaces;

VtrHexPlaces vtr_hex_grid_get_places (VtrHexGrid *self);
/* The x position of the first digit of byte @column. */
double vtr_hex_grid_get_byte_x (VtrHexGrid *self,
                                guint       column);
guint64 vtr_hex_grid_get_n_rows (VtrHexGrid *self);
/* Offset of the first byte of a row. */
guint64 vtr_hex_grid_get_row_offset (VtrHexGrid *self,
                                     guint64     row);
double vtr_hex_grid_get_width (VtrHexGrid *self);
/* Measures the font. */
void vtr_hex_grid_measure_font (VtrHexGrid *self);
void vtr_hex_grid_snapshot_rows (VtrHexGrid  *self,
                                 GtkSnapshot *snapshot);

G_END_DECLS
