/* Draws the rows of a VtrHexGrid. */
#include "vtr-config.h"

#include "widgets/vtr-hex-grid-private.h"

#include <math.h>

#define MARGIN 8
/* The most bytes of one value that are read. */
#define MAX_VALUE 4096
/* The most values beside one row. */
#define MAX_VALUES 16

typedef enum
{
  SHADE_NONE,
  SHADE_READ,
  SHADE_WRITE,
  SHADE_SELECTED,
} Shade;

VtrHexPlaces
vtr_hex_grid_get_places (VtrHexGrid *self)
{
  VtrHexPlaces places;

  places.address = MARGIN;
  places.letters = places.address + (self->digits + 2) * self->cell;
  places.hex = places.letters + 4 * self->cell;
  places.text = places.hex + (3 * VTR_HEX_COLUMNS + 2) * self->cell;
  places.values = places.text + (VTR_HEX_COLUMNS + 2) * self->cell;
  return places;
}

double
vtr_hex_grid_get_byte_x (VtrHexGrid *self,
                         guint       column)
{
  return vtr_hex_grid_get_places (self).hex +
         (3 * column + (column >= VTR_HEX_COLUMNS / 2 ? 1 : 0)) * self->cell;
}

double
vtr_hex_grid_get_width (VtrHexGrid *self)
{
  VtrHexPlaces places = vtr_hex_grid_get_places (self);

  return self->type != NULL ? places.values + 32 * self->cell : places.values;
}

void
vtr_hex_grid_measure_font (VtrHexGrid *self)
{
  g_autoptr (PangoLayout) layout =
    gtk_widget_create_pango_layout (GTK_WIDGET (self), "0000000000000000");
  PangoRectangle extents;
  guint64 last = self->first + MAX (self->size, 1) - 1;

  pango_layout_get_extents (layout, NULL, &extents);
  self->cell = extents.width / (16.0 * PANGO_SCALE);
  self->row_height = ceil (extents.height / (double)PANGO_SCALE) + 4;
  self->digits = 4;
  while (self->digits < 16 && last >> (4 * self->digits) != 0)
    self->digits++;
}

static GdkRGBA
get_color (VtrHexGrid *self,
           const char *name,
           double      alpha)
{
  GtkStyleContext *context = gtk_widget_get_style_context (GTK_WIDGET (self));
  GdkRGBA color = { .5f, .5f, .5f, 1 };

  if (name == NULL)
    gtk_style_context_get_color (context, &color);
  else
    gtk_style_context_lookup_color (context, name, &color);
  color.alpha *= (float)alpha;
  return color;
}

static gboolean
is_high_contrast (VtrHexGrid *self)
{
  GtkRoot *root = gtk_widget_get_root (GTK_WIDGET (self));

  return root != NULL && gtk_widget_has_css_class (GTK_WIDGET (root), "hc");
}

/* --- What a byte is -------------------------------------------------------------------------- */

/* How the command accesses @offset. */
static guint
get_access (VtrHexGrid *self,
            guint64     offset)
{
  guint access = 0;

  for (guint i = 0; self->accesses != NULL && i < self->accesses->len; i++)
    {
      const VtrMemoryRange *range = &g_array_index (self->accesses, VtrMemoryRange, i);

      if (offset >= range->offset && offset - range->offset < range->size)
        access |= range->access;
    }
  return access;
}

static Shade
get_shade (VtrHexGrid *self,
           guint64     offset)
{
  guint64 begin, size;
  guint access;

  vtr_hex_grid_get_selection (self, &begin, &size);
  if (size > 1 && offset >= begin && offset - begin < size)
    return SHADE_SELECTED;
  access = get_access (self, offset);
  if ((access & VTR_MEMORY_WRITE) != 0)
    return SHADE_WRITE;
  return (access & VTR_MEMORY_READ) != 0 ? SHADE_READ : SHADE_NONE;
}

static GdkRGBA
get_shade_color (VtrHexGrid *self,
                 Shade       shade)
{
  double strength = is_high_contrast (self) ? 1.8 : 1;

  switch (shade)
    {
    case SHADE_READ:
      return get_color (self, "accent_bg_color", .16 * strength);
    case SHADE_WRITE:
      return get_color (self, "warning_bg_color", .22 * strength);
    case SHADE_SELECTED:
      return get_color (self, "accent_bg_color", .38 * strength);
    case SHADE_NONE:
    default:
      return (GdkRGBA){ 0 };
    }
}

/* --- Rows ------------------------------------------------------------------------------------ */

static void
draw_text (VtrHexGrid    *self,
           GtkSnapshot   *snapshot,
           const char    *text,
           double         x,
           double         y,
           PangoAttrList *attributes,
           GdkRGBA        color)
{
  g_autoptr (PangoLayout) layout = gtk_widget_create_pango_layout (GTK_WIDGET (self), text);

  if (attributes != NULL)
    pango_layout_set_attributes (layout, attributes);
  gtk_snapshot_save (snapshot);
  gtk_snapshot_translate (snapshot, &GRAPHENE_POINT_INIT ((float)x, (float)y + 2));
  gtk_snapshot_append_layout (snapshot, layout, &color);
  gtk_snapshot_restore (snapshot);
}

static void
color_range (PangoAttrList *list,
             guint          begin,
             guint          end,
             const GdkRGBA *color)
{
  PangoAttribute *attribute = pango_attr_foreground_new (
    (guint16)(color->red * 65535), (guint16)(color->green * 65535), (guint16)(color->blue * 65535));
  PangoAttribute *alpha = pango_attr_foreground_alpha_new ((guint16)(color->alpha * 65535));

  attribute->start_index = alpha->start_index = begin;
  attribute->end_index = alpha->end_index = end;
  pango_attr_list_insert (list, attribute);
  pango_attr_list_insert (list, alpha);
}

/* Two characters for a byte, and its colour. */
static const char *
format_byte (const VtrMemorySpan *span,
             guint8               byte,
             char                 to[8])
{
  if (span == NULL)
    return "  ";
  if (!span->known)
    return "··";
  g_snprintf (to, 8, "%02x", byte);
  return to;
}

/* The 16 bytes of a row as text, dim or coloured if they are unknown or uncertain. */
static void
draw_bytes (VtrHexGrid  *self,
            GtkSnapshot *snapshot,
            guint64      offset,
            double       x,
            double       y)
{
  GdkRGBA plain = get_color (self, NULL, 1);
  GdkRGBA dim = get_color (self, NULL, is_high_contrast (self) ? .9 : .5);
  GdkRGBA gpu = get_color (self, "warning_color", 1);
  g_autoptr (GString) hex = g_string_new (NULL);
  g_autoptr (GString) text = g_string_new (NULL);
  PangoAttrList *hex_colors = pango_attr_list_new (), *text_colors = pango_attr_list_new ();

  for (guint column = 0; column < VTR_HEX_COLUMNS; column++)
    {
      guint64 at = offset + column;
      gboolean inside = at >= self->first && at - self->first < self->size;
      guint8 byte = 0;
      const VtrMemorySpan *span = inside ? vtr_hex_bytes_get (&self->bytes, at, &byte) : NULL;
      const GdkRGBA *color = NULL;
      char buffer[8];
      gsize hex_at, text_at = text->len;

      if (column == VTR_HEX_COLUMNS / 2)
        g_string_append_c (hex, ' ');
      hex_at = hex->len;
      g_string_append (hex, format_byte (span, byte, buffer));
      if (span == NULL)
        g_string_append_c (text, ' ');
      else if (!span->known || byte < 0x20 || byte > 0x7e)
        g_string_append (text, "·");
      else
        g_string_append_c (text, (char)byte);
      if (span != NULL && (span->kind == VTR_MEMORY_GPU_WRITTEN ||
                           span->kind == VTR_MEMORY_GPU_MAYBE))
        color = &gpu;
      else if (span != NULL && !span->known)
        color = &dim;
      if (color != NULL)
        {
          color_range (hex_colors, (guint)hex_at, (guint)hex->len, color);
          color_range (text_colors, (guint)text_at, (guint)text->len, color);
        }
      else if (byte < 0x20 || byte > 0x7e)
        color_range (text_colors, (guint)text_at, (guint)text->len, &dim);
      g_string_append_c (hex, ' ');
    }
  draw_text (self, snapshot, hex->str, x + vtr_hex_grid_get_places (self).hex, y, hex_colors,
             plain);
  draw_text (self, snapshot, text->str, x + vtr_hex_grid_get_places (self).text, y, text_colors,
             plain);
  pango_attr_list_unref (hex_colors);
  pango_attr_list_unref (text_colors);
}

/* Marks of a row: R, W: the command reads or writes it; G, ?: the GPU wrote it, or may have. */
static void
draw_letters (VtrHexGrid  *self,
              GtkSnapshot *snapshot,
              guint64      offset,
              double       x,
              double       y)
{
  guint access = 0;
  char mark = ' ';
  char text[8];

  for (guint column = 0; column < VTR_HEX_COLUMNS; column++)
    {
      guint8 byte;
      const VtrMemorySpan *span = vtr_hex_bytes_get (&self->bytes, offset + column, &byte);

      access |= get_access (self, offset + column);
      if (span != NULL && span->kind == VTR_MEMORY_GPU_WRITTEN)
        mark = 'G';
      else if (span != NULL && span->kind == VTR_MEMORY_GPU_MAYBE && mark == ' ')
        mark = '?';
    }
  g_snprintf (text, sizeof text, "%c%c%c", (access & VTR_MEMORY_READ) != 0 ? 'R' : ' ',
              (access & VTR_MEMORY_WRITE) != 0 ? 'W' : ' ', mark);
  draw_text (self, snapshot, text, x + vtr_hex_grid_get_places (self).letters, y, NULL,
             get_color (self, NULL, .85));
}

static void
draw_shades (VtrHexGrid  *self,
             GtkSnapshot *snapshot,
             guint64      offset,
             double       x,
             double       y)
{
  VtrHexPlaces places = vtr_hex_grid_get_places (self);
  guint from = 0;

  for (guint column = 1; column <= VTR_HEX_COLUMNS; column++)
    {
      Shade shade = get_shade (self, offset + from);
      GdkRGBA color;
      double left, right;

      if (column < VTR_HEX_COLUMNS && get_shade (self, offset + column) == shade)
        continue;
      if (shade != SHADE_NONE)
        {
          color = get_shade_color (self, shade);
          left = x + vtr_hex_grid_get_byte_x (self, from) - self->cell / 2;
          right = x + vtr_hex_grid_get_byte_x (self, column - 1) + 2.5 * self->cell;
          gtk_snapshot_append_color (
            snapshot, &color,
            &GRAPHENE_RECT_INIT ((float)left, (float)y, (float)(right - left),
                                 (float)self->row_height));
          gtk_snapshot_append_color (
            snapshot, &color,
            &GRAPHENE_RECT_INIT ((float)(x + places.text + from * self->cell), (float)y,
                                 (float)((column - from) * self->cell), (float)self->row_height));
        }
      from = column;
    }
}

static void
draw_values (VtrHexGrid  *self,
             GtkSnapshot *snapshot,
             guint64      offset,
             double       x,
             double       y)
{
  guint64 size, at;
  g_autoptr (GString) text = g_string_new (NULL);
  g_autofree guint8 *bytes = NULL;

  if (self->type == NULL || offset + VTR_HEX_COLUMNS <= self->origin)
    return;
  size = vtr_memory_type_get_size (self->type);
  if (size > MAX_VALUE || self->stride == 0)
    return;
  bytes = g_malloc (size);
  at = offset <= self->origin
         ? self->origin
         : self->origin + (offset - self->origin + self->stride - 1) / self->stride * self->stride;
  for (guint n = 0; n < MAX_VALUES && at < offset + VTR_HEX_COLUMNS; n++, at += self->stride)
    {
      g_autofree char *value = vtr_hex_bytes_copy (&self->bytes, at, size, bytes)
                                 ? vtr_memory_type_format (self->type, bytes)
                                 : g_strdup ("··");

      g_string_append_printf (text, "%s%s", n > 0 ? "  " : "", value);
    }
  draw_text (self, snapshot, text->str, x + vtr_hex_grid_get_places (self).values, y, NULL,
             get_color (self, NULL, 1));
}

/* A frame around the byte under the cursor. */
static void
draw_cursor (VtrHexGrid  *self,
             GtkSnapshot *snapshot,
             guint64      offset,
             double       x,
             double       y)
{
  guint column = (guint)(self->cursor - offset);
  GdkRGBA color = get_color (self, "accent_color",
                             gtk_widget_has_focus (GTK_WIDGET (self)) ? 1 : .5);
  const float widths[4] = { 1.5f, 1.5f, 1.5f, 1.5f };
  const GdkRGBA colors[4] = { color, color, color, color };
  GskRoundedRect frame;

  gsk_rounded_rect_init_from_rect (
    &frame,
    &GRAPHENE_RECT_INIT ((float)(x + vtr_hex_grid_get_byte_x (self, column) - self->cell / 2),
                         (float)y, (float)(3 * self->cell), (float)self->row_height),
    3);
  gtk_snapshot_append_border (snapshot, &frame, widths, colors);
}

static void
draw_row (VtrHexGrid  *self,
          GtkSnapshot *snapshot,
          guint64      row,
          double       x,
          double       y)
{
  guint64 offset = vtr_hex_grid_get_row_offset (self, row);
  g_autofree char *address =
    g_strdup_printf ("%0*" G_GINT64_MODIFIER "x", (int)self->digits, offset);

  draw_shades (self, snapshot, offset, x, y);
  draw_text (self, snapshot, address, x + vtr_hex_grid_get_places (self).address, y, NULL,
             get_color (self, NULL, is_high_contrast (self) ? .9 : .6));
  draw_letters (self, snapshot, offset, x, y);
  draw_bytes (self, snapshot, offset, x, y);
  draw_values (self, snapshot, offset, x, y);
  if (self->cursor >= offset && self->cursor - offset < VTR_HEX_COLUMNS)
    draw_cursor (self, snapshot, offset, x, y);
}

void
vtr_hex_grid_snapshot_rows (VtrHexGrid  *self,
                            GtkSnapshot *snapshot)
{
  double top = self->vadjustment != NULL ? gtk_adjustment_get_value (self->vadjustment) : 0;
  double left = self->hadjustment != NULL ? gtk_adjustment_get_value (self->hadjustment) : 0;
  double height = gtk_widget_get_height (GTK_WIDGET (self));
  guint64 n = vtr_hex_grid_get_n_rows (self);
  guint64 row = (guint64)(top / self->row_height);

  for (double y = (double)row * self->row_height - top; y < height && row < n;
       y += self->row_height, row++)
    draw_row (self, snapshot, row, -left, y);
}
