/* Reads which pane is docked where from the stored layout, and drops invalid entries. */
#include "vtr-config.h"

#include "window/vtr-layout-private.h"

#include "widgets/vtr-pane-area.h"
#include "window/vtr-panes.h"

GArray *
vtr_layout_default_places (GPtrArray *panes)
{
  GArray *places = g_array_new (FALSE, TRUE, sizeof (VtrLayoutPlace));
  guint n_infos;
  const VtrPaneInfo *infos = vtr_panes_list (&n_infos);

  for (guint i = 0; i < panes->len; i++)
    {
      VtrLayoutPlace place = { .pane = g_ptr_array_index (panes, i),
                               .area = infos[i].area,
                               .row = infos[i].row,
                               .order = 1000 + i,
                               .front = infos[i].front };

      g_array_append_val (places, place);
    }
  return places;
}

static VtrLayoutPlace *
find_place (GArray *places, const char *id)
{
  for (guint i = 0; i < places->len; i++)
    if (g_strcmp0 (panel_widget_get_id (g_array_index (places, VtrLayoutPlace, i).pane), id) == 0)
      return &g_array_index (places, VtrLayoutPlace, i);
  return NULL;
}

void
vtr_layout_read_places (GArray *places, GVariant *layout)
{
  GVariantIter iter;
  const char *id;
  const char *area_name;
  guint32 column;
  guint32 row;
  gboolean front;

  g_variant_iter_init (&iter, layout);
  for (guint i = 0;
       g_variant_iter_next (&iter, "(&s&suub)", &id, &area_name, &column, &row, &front); i++)
    {
      VtrLayoutPlace *place = find_place (places, id);
      PanelArea area;

      if (place == NULL)
        continue;
      if (g_str_equal (area_name, "closed"))
        place->closed = TRUE;
      else if (vtr_pane_area_from_name (area_name, &area))
        {
          place->area = area;
          place->column = MIN (column, VTR_LAYOUT_MAX_FRAMES - 1);
          place->row = MIN (row, VTR_LAYOUT_MAX_FRAMES - 1);
          place->order = i;
          place->front = front;
        }
    }
}

static int
compare_places (gconstpointer a, gconstpointer b)
{
  const VtrLayoutPlace *one = a;
  const VtrLayoutPlace *other = b;

  if (one->area != other->area)
    return one->area < other->area ? -1 : 1;
  if (one->column != other->column)
    return one->column < other->column ? -1 : 1;
  if (one->row != other->row)
    return one->row < other->row ? -1 : 1;
  return one->order < other->order ? -1 : one->order > other->order;
}

/* Numbers frames without gaps, whatever the settings contain. */
void
vtr_layout_close_gaps (GArray *places)
{
  guint column = 0;
  guint row = 0;
  VtrLayoutPlace before = { 0 };

  g_array_sort (places, compare_places);
  for (guint i = 0; i < places->len; i++)
    {
      VtrLayoutPlace *place = &g_array_index (places, VtrLayoutPlace, i);
      VtrLayoutPlace now = *place;

      if (i == 0 || now.area != before.area)
        column = row = 0;
      else if (now.column != before.column)
        {
          column++;
          row = 0;
        }
      else if (now.row != before.row)
        row++;
      place->column = column;
      place->row = row;
      before = now;
    }
}
