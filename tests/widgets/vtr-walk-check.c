/* Checks everything that a window shows: no text is cut, nothing overlaps, rows have text, and
 * contrast suffices. */
#include "vtr-walk-check-private.h"

#include <adwaita.h>
#include <libpanel.h>
#include <string.h>

#include "vtr-test-names.h"

const char *
vtr_walk_get_text (GtkWidget *widget)
{
  if (GTK_IS_LABEL (widget))
    return gtk_label_get_text (GTK_LABEL (widget));
  if (GTK_IS_INSCRIPTION (widget))
    return gtk_inscription_get_text (GTK_INSCRIPTION (widget));
  return NULL;
}

static gboolean
is_text (GtkWidget *widget)
{
  const char *text = vtr_walk_get_text (widget);

  return text != NULL && *text != '\0';
}

void
vtr_walk_find (VtrWalkLook *look, const char *rule, GtkWidget *widget, const char *format, ...)
{
  GString *text = g_string_new (rule);
  va_list arguments;

  g_string_append (text, ": ");
  va_start (arguments, format);
  g_string_append_vprintf (text, format, arguments);
  va_end (arguments);
  for (GtkWidget *at = widget; at != NULL && at != look->root; at = gtk_widget_get_parent (at))
    {
      const char *id = PANEL_IS_WIDGET (at) ? panel_widget_get_id (PANEL_WIDGET (at)) : NULL;

      if (id != NULL || g_str_has_prefix (G_OBJECT_TYPE_NAME (at), "Vtr") || at == widget ||
          at == gtk_widget_get_parent (widget))
        g_string_append_printf (text, " < %s", id ? id : G_OBJECT_TYPE_NAME (at));
    }
  g_ptr_array_add (look->check->findings, g_string_free (text, FALSE));
}

/* --- what is on the screen ------------------------------------------------------------------- */

static gboolean
is_shown (GtkWidget *widget)
{
  return gtk_widget_get_mapped (widget) && gtk_widget_get_child_visible (widget) &&
         gtk_widget_get_opacity (widget) > 0 && gtk_widget_get_width (widget) > 0;
}

/* Parts of it are its own affair: it draws as one. */
static gboolean
is_whole (GtkWidget *widget)
{
  return GTK_IS_SWITCH (widget) || GTK_IS_SCALE (widget) || GTK_IS_SPINNER (widget) ||
         GTK_IS_EDITABLE (widget) || GTK_IS_SCROLLBAR (widget) || GTK_IS_TEXT_VIEW (widget) ||
         GTK_IS_PROGRESS_BAR (widget) || GTK_IS_WINDOW_CONTROLS (widget) ||
         g_str_equal (G_OBJECT_TYPE_NAME (widget), "PanelDropControls");
}

/* It draws nothing but what is in it. */
static gboolean
is_plain (GtkWidget *widget)
{
  return GTK_IS_BOX (widget) || ADW_IS_BIN (widget) || GTK_IS_STACK (widget) ||
         GTK_IS_REVEALER (widget) || GTK_IS_SEPARATOR (widget) ||
         GTK_IS_SCROLLED_WINDOW (widget) || GTK_IS_LABEL (widget) || GTK_IS_INSCRIPTION (widget) ||
         GTK_IS_OVERLAY (widget) || GTK_IS_TREE_EXPANDER (widget) || GTK_IS_LIST_BASE (widget) ||
         GTK_IS_DRAG_ICON (widget) || GTK_IS_LIST_BOX_ROW (widget) || GTK_IS_LIST_BOX (widget) ||
         g_str_equal (G_OBJECT_TYPE_NAME (widget), "GtkListItemWidget") ||
         g_str_equal (G_OBJECT_TYPE_NAME (widget), "GtkColumnViewCell") ||
         g_str_equal (G_OBJECT_TYPE_NAME (widget), "GtkBuiltinIcon") ||
         g_str_equal (G_OBJECT_TYPE_NAME (widget), "GtkGizmo") ||
         gtk_widget_get_layout_manager (widget) != NULL;
}

/* What the text of @widget takes on one line, less what it has, in units. */
static int
get_text_need (GtkWidget *widget)
{
  g_autoptr (PangoLayout) layout = NULL;
  int wanted;

  if (GTK_IS_LABEL (widget))
    layout = pango_layout_copy (gtk_label_get_layout (GTK_LABEL (widget)));
  else
    {
      layout = gtk_widget_create_pango_layout (widget, vtr_walk_get_text (widget));
      pango_layout_set_attributes (layout,
                                   gtk_inscription_get_attributes (GTK_INSCRIPTION (widget)));
    }
  pango_layout_set_width (layout, -1);
  pango_layout_set_ellipsize (layout, PANGO_ELLIPSIZE_NONE);
  pango_layout_get_pixel_size (layout, &wanted, NULL);
  return wanted - gtk_widget_get_width (widget);
}

/* The area of the text, without the empty rest of the label. */
static graphene_rect_t
get_ink (GtkWidget *widget, GtkWidget *root)
{
  graphene_rect_t bounds = GRAPHENE_RECT_INIT_ZERO;
  PangoRectangle logical;
  graphene_point_t corner;
  int x, y;

  if (!gtk_widget_compute_bounds (widget, root, &bounds))
    return bounds;
  if (GTK_IS_INSCRIPTION (widget) && is_text (widget))
    {
      float room = (float)MAX (0, -get_text_need (widget));

      bounds.origin.x += room * gtk_inscription_get_xalign (GTK_INSCRIPTION (widget));
      bounds.size.width -= room;
    }
  if (!GTK_IS_LABEL (widget))
    return bounds;
  gtk_label_get_layout_offsets (GTK_LABEL (widget), &x, &y);
  pango_layout_get_pixel_extents (gtk_label_get_layout (GTK_LABEL (widget)), NULL, &logical);
  if (!gtk_widget_compute_point (
        widget, root, &GRAPHENE_POINT_INIT ((float)(x + logical.x), (float)(y + logical.y)),
        &corner))
    return bounds;
  return GRAPHENE_RECT_INIT (corner.x, corner.y, (float)logical.width, (float)logical.height);
}

/* In which directions a person can bring to the screen what is outside of @widget. */
static void
get_scrolling (GtkWidget *widget, gboolean *across, gboolean *down)
{
  GtkWidget *parent = gtk_widget_get_parent (widget);
  GtkPolicyType h, v;

  *across = *down = FALSE;
  if (GTK_IS_COLUMN_VIEW (parent))
    parent = gtk_widget_get_parent (parent);
  if (!GTK_IS_SCROLLED_WINDOW (parent))
    return;
  gtk_scrolled_window_get_policy (GTK_SCROLLED_WINDOW (parent), &h, &v);
  *across = h == GTK_POLICY_AUTOMATIC || h == GTK_POLICY_ALWAYS;
  *down = v == GTK_POLICY_AUTOMATIC || v == GTK_POLICY_ALWAYS;
}

/* Keeps of the part from @start to @start + @size what lies between @low and @high. Returns: what
 * is lost. */
static float
cut_part (float *start, float *size, float low, float high)
{
  float end = MIN (*start + *size, high), before = *size;

  *start = MAX (*start, low);
  *size = MAX (0, end - *start);
  return before - *size;
}

gboolean
vtr_walk_is_in_motion (GtkWidget *widget)
{
  return (GTK_IS_STACK (widget) && gtk_stack_get_transition_running (GTK_STACK (widget))) ||
         (GTK_IS_REVEALER (widget) && gtk_revealer_get_reveal_child (GTK_REVEALER (widget)) !=
                                        gtk_revealer_get_child_revealed (GTK_REVEALER (widget)));
}

/* The part of @leaf that its ancestors leave visible. Reports parts to which nobody can scroll. */
static void
cut_leaf (VtrWalkLook *look, VtrWalkLeaf *leaf)
{
  graphene_rect_t whole;
  float lost_across = 0, lost_down = 0;
  gboolean across = FALSE, down = FALSE;

  if (!gtk_widget_compute_bounds (leaf->widget, look->root, &whole))
    return;
  leaf->visible = whole;
  for (GtkWidget *at = gtk_widget_get_parent (leaf->widget); at != NULL;
       at = gtk_widget_get_parent (at))
    {
      gboolean h, v;
      float h_lost, v_lost;
      graphene_rect_t box;

      get_scrolling (at, &h, &v);
      across |= h;
      down |= v;
      if (gtk_widget_get_overflow (at) == GTK_OVERFLOW_HIDDEN || at == look->root)
        {
          if (!gtk_widget_compute_bounds (at, look->root, &box))
            break;
          h_lost = cut_part (&leaf->visible.origin.x, &leaf->visible.size.width, box.origin.x,
                             box.origin.x + box.size.width);
          v_lost = cut_part (&leaf->visible.origin.y, &leaf->visible.size.height, box.origin.y,
                             box.origin.y + box.size.height);
          if (!across)
            lost_across = MAX (lost_across, h_lost);
          if (!down)
            lost_down = MAX (lost_down, v_lost);
        }
      if (at == look->root)
        break;
    }
  if (lost_across > 1.5f || lost_down > 1.5f)
    vtr_walk_find (look, "clipped", leaf->widget, "%g × %g of %g × %g are cut off (“%s”)",
                   (double)lost_across, (double)lost_down, (double)whole.size.width,
                   (double)whole.size.height,
                   is_text (leaf->widget) ? vtr_walk_get_text (leaf->widget)
                                          : gtk_widget_get_tooltip_text (leaf->widget));
}

static void
collect (VtrWalkLook *look, GtkWidget *widget)
{
  gboolean text = is_text (widget);

  if (!is_shown (widget) || vtr_walk_is_in_motion (widget) ||
      (GTK_IS_NATIVE (widget) && widget != look->root))
    return;
  if (text || is_whole (widget) || !is_plain (widget))
    {
      VtrWalkLeaf leaf = { widget, get_ink (widget, look->root), GRAPHENE_RECT_INIT_ZERO, text };

      if (widget != look->root)
        cut_leaf (look, &leaf);
      if (leaf.visible.size.width > 0 && leaf.visible.size.height > 0)
        g_array_append_val (look->leaves, leaf);
      if (is_whole (widget))
        return;
    }
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    collect (look, child);
}

/* --- texts that are cut ---------------------------------------------------------------------- */

/* What a text that is cut lacks. 0: it is whole. */
static int
get_missing (GtkWidget *widget)
{
  if (GTK_IS_LABEL (widget)
        ? !pango_layout_is_ellipsized (gtk_label_get_layout (GTK_LABEL (widget)))
        : gtk_inscription_get_text_overflow (GTK_INSCRIPTION (widget)) ==
            GTK_INSCRIPTION_OVERFLOW_CLIP)
    return 0;
  return MAX (0, get_text_need (widget));
}

/* Room beside a text is room for it only within this. */
static gboolean
is_scope (GtkWidget *widget, GtkWidget *root)
{
  return widget == root || GTK_IS_SCROLLED_WINDOW (widget) || GTK_IS_LIST_BOX_ROW (widget) ||
         GTK_IS_BUTTON (widget) || GTK_IS_MENU_BUTTON (widget) || PANEL_IS_WIDGET (widget) ||
         ADW_IS_CLAMP (widget) || GTK_IS_PANED (widget) || PANEL_IS_FRAME (widget) ||
         GTK_IS_FLOW_BOX_CHILD (widget) ||
         g_str_equal (G_OBJECT_TYPE_NAME (widget), "GtkColumnViewCell") ||
         g_str_equal (G_OBJECT_TYPE_NAME (widget), "GtkListItemWidget") ||
         gtk_widget_get_overflow (widget) == GTK_OVERFLOW_HIDDEN;
}

/* Units of nothing beside @leaf, on the side that its text grows to, up to the next ink. */
static float
get_room (VtrWalkLook *look, const VtrWalkLeaf *leaf)
{
  GtkWidget *scope = gtk_widget_get_parent (leaf->widget);
  graphene_rect_t box;
  float left, right, top = leaf->visible.origin.y, bottom = top + leaf->visible.size.height;
  float at = GTK_IS_LABEL (leaf->widget)
               ? gtk_label_get_xalign (GTK_LABEL (leaf->widget))
               : gtk_inscription_get_xalign (GTK_INSCRIPTION (leaf->widget));

  while (!is_scope (scope, look->root))
    scope = gtk_widget_get_parent (scope);
  if (!gtk_widget_compute_bounds (scope, look->root, &box))
    return 0;
  left = box.origin.x;
  right = box.origin.x + box.size.width;
  for (guint i = 0; i < look->leaves->len; i++)
    {
      const VtrWalkLeaf *other = &g_array_index (look->leaves, VtrWalkLeaf, i);
      const graphene_rect_t *ink = &other->bounds;

      if (other->widget == leaf->widget || gtk_widget_is_ancestor (leaf->widget, other->widget) ||
          ink->origin.y >= bottom || ink->origin.y + ink->size.height <= top)
        continue;
      if (ink->origin.x >= leaf->visible.origin.x + leaf->visible.size.width - 1)
        right = MIN (right, ink->origin.x);
      else if (ink->origin.x + ink->size.width <= leaf->visible.origin.x + 1)
        left = MAX (left, ink->origin.x + ink->size.width);
    }
  left = MAX (0, leaf->visible.origin.x - left);
  right = MAX (0, right - leaf->visible.origin.x - leaf->visible.size.width);
  return at <= 0 ? right : at >= 1 ? left
                                   : left + right;
}

/* Margins and gaps are not room; in units of text of the usual size. */
#define ROOM 40

static void
check_cut_texts (VtrWalkLook *look)
{
  for (guint i = 0; i < look->leaves->len; i++)
    {
      const VtrWalkLeaf *leaf = &g_array_index (look->leaves, VtrWalkLeaf, i);
      int missing = leaf->is_text ? get_missing (leaf->widget) : 0;
      float room;

      if (missing == 0)
        continue;
      room = get_room (look, leaf);
      if (room >= ROOM * look->text_scale)
        vtr_walk_find (look, "cut", leaf->widget, "“%s” lacks %d, and %g are left beside it",
                       vtr_walk_get_text (leaf->widget), missing, (double)room);
    }
}

/* --- stumps ---------------------------------------------------------------------------------- */

/* Fewer letters of a text that is cut say nothing. */
#define STUMP 6

/* How many letters of the cut text of @widget are left; -1: it is none. */
static glong
count_letters_left (GtkWidget *widget)
{
  g_autoptr (PangoLayout) layout = NULL;
  PangoLayoutLine *line;
  int index, width = gtk_widget_get_width (widget), dots;

  if (get_missing (widget) == 0)
    return -1;
  layout = gtk_widget_create_pango_layout (widget, "…");
  pango_layout_get_pixel_size (layout, &dots, NULL);
  if (GTK_IS_LABEL (widget))
    pango_layout_set_attributes (layout, gtk_label_get_attributes (GTK_LABEL (widget)));
  pango_layout_set_text (layout, vtr_walk_get_text (widget), -1);
  line = pango_layout_get_line_readonly (layout, 0);
  pango_layout_line_x_to_index (line, MAX (0, width - dots) * PANGO_SCALE, &index, NULL);
  return g_utf8_strlen (vtr_walk_get_text (widget), index);
}

/* A figure is none without its end, but in a long text, which says enough before. */
#define LONG_TEXT 20

static gboolean
ends_in_figure (GtkWidget *widget, glong letters)
{
  const char *at = g_utf8_offset_to_pointer (vtr_walk_get_text (widget), letters);
  gboolean at_end = !GTK_IS_LABEL (widget) ||
                    gtk_label_get_ellipsize (GTK_LABEL (widget)) == PANGO_ELLIPSIZE_END;

  return at_end && letters > 0 && letters < LONG_TEXT && g_ascii_isdigit (at[-1]) &&
         g_ascii_isdigit (*at);
}

static void
check_stumps (VtrWalkLook *look)
{
  for (guint i = 0; i < look->leaves->len; i++)
    {
      const VtrWalkLeaf *leaf = &g_array_index (look->leaves, VtrWalkLeaf, i);
      glong left = leaf->is_text ? count_letters_left (leaf->widget) : -1;

      if (left >= 0 && (left < STUMP || ends_in_figure (leaf->widget, left)))
        vtr_walk_find (look, "stump", leaf->widget, "of “%s” only %ld letters are left",
                       vtr_walk_get_text (leaf->widget), left);
    }
}

static void
check_placeholder (VtrWalkLook *look, GtkWidget *text)
{
  const char *words = gtk_text_get_placeholder_text (GTK_TEXT (text));
  g_autoptr (PangoLayout) layout = NULL;
  int width;

  if (look->pixels == NULL || words == NULL || gtk_text_get_text_length (GTK_TEXT (text)) > 0)
    return;
  layout = gtk_widget_create_pango_layout (text, words);
  pango_layout_get_pixel_size (layout, &width, NULL);
  if (width > gtk_widget_get_width (text))
    vtr_walk_find (look, "placeholder", text, "“%s” lacks %d", words,
                   width - gtk_widget_get_width (text));
}

/* --- columns --------------------------------------------------------------------------------- */

/* What a text in the cell or title @widget of @view lacks, or, below 0, the room that no ink takes.
 * The room before the ink in a tree is its depth. 0 for what is scrolled out of sight. */
static float
get_need (VtrWalkLook *look, GtkWidget *view, GtkWidget *widget)
{
  graphene_rect_t box, sight;
  float left, right, missing = 0;
  gboolean any = FALSE, tree = FALSE;

  if (!gtk_widget_compute_bounds (widget, look->root, &box) ||
      !gtk_widget_compute_bounds (view, look->root, &sight) ||
      !graphene_rect_intersection (&box, &sight, NULL))
    return 0;
  left = box.origin.x + box.size.width;
  right = box.origin.x;
  for (guint i = 0; i < look->leaves->len; i++)
    {
      const VtrWalkLeaf *leaf = &g_array_index (look->leaves, VtrWalkLeaf, i);

      if (!gtk_widget_is_ancestor (leaf->widget, widget))
        continue;
      any = TRUE;
      tree |= gtk_widget_get_ancestor (leaf->widget, GTK_TYPE_TREE_EXPANDER) != NULL;
      left = MIN (left, leaf->bounds.origin.x);
      right = MAX (right, leaf->bounds.origin.x + leaf->bounds.size.width);
      if (leaf->is_text)
        missing = MAX (missing, (float)get_missing (leaf->widget));
    }
  if (missing > 0)
    return missing;
  if (!any)
    return -box.size.width;
  if (tree)
    left = box.origin.x;
  return MIN (0, right - left - box.size.width);
}

#define MAX_COLUMNS 32

/* A column that is wider than all that is in it while another one's texts are cut. */
static void
check_columns (VtrWalkLook *look, GtkWidget *view)
{
  float need[MAX_COLUMNS], room = 0, missing = 0;
  guint n = 0, worst = 0;
  GtkWidget *list = NULL;

  for (GtkWidget *child = gtk_widget_get_first_child (view); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    {
      if (GTK_IS_LIST_VIEW (child))
        list = child;
      else if (g_str_equal (gtk_widget_get_css_name (child), "header"))
        for (GtkWidget *title = gtk_widget_get_first_child (child);
             title != NULL && n < MAX_COLUMNS; title = gtk_widget_get_next_sibling (title))
          if (is_shown (title))
            need[n++] = get_need (look, view, title);
    }
  if (list == NULL || n == 0)
    return;
  for (GtkWidget *row = gtk_widget_get_first_child (list); row != NULL;
       row = gtk_widget_get_next_sibling (row))
    {
      guint i = 0;

      if (!is_shown (row))
        continue;
      for (GtkWidget *cell = gtk_widget_get_first_child (row); cell != NULL && i < n;
           cell = gtk_widget_get_next_sibling (cell))
        if (is_shown (cell))
          {
            need[i] = MAX (need[i], get_need (look, view, cell));
            i++;
          }
    }
  for (guint i = 0; i < n; i++)
    {
      /* Some distance from the next column is none too much. */
      if (need[i] < 0)
        room += MAX (0, -need[i] - 16 * look->text_scale);
      else if (need[i] > missing)
        {
          missing = need[i];
          worst = i;
        }
    }
  if (missing > 0 && room >= ROOM * look->text_scale)
    vtr_walk_find (look, "cut", view,
                   "texts of column %u lack %g, and the other columns have %g too much",
                   worst, (double)missing, (double)room);
}

/* --- rows ------------------------------------------------------------------------------------ */

static gboolean
has_text (GtkWidget *widget)
{
  if (is_text (widget))
    return TRUE;
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    if (gtk_widget_get_visible (child) && has_text (child))
      return TRUE;
  return FALSE;
}

static void
check_list (VtrWalkLook *look, GtkWidget *list)
{
  GtkSelectionModel *model = gtk_list_view_get_model (GTK_LIST_VIEW (list));
  guint n_items = model ? g_list_model_get_n_items (G_LIST_MODEL (model)) : 0;
  guint n_rows = 0;
  float bottom = 0, row_height = 0;

  for (GtkWidget *row = gtk_widget_get_first_child (list); row != NULL;
       row = gtk_widget_get_next_sibling (row))
    {
      graphene_rect_t bounds;

      if (!is_shown (row) || !vtr_test_names_is_row (row) ||
          !gtk_widget_compute_bounds (row, list, &bounds))
        continue;
      n_rows++;
      row_height = bounds.size.height;
      bottom = MAX (bottom, bounds.origin.y + row_height);
      if (!has_text (row) && bounds.origin.y < (float)gtk_widget_get_height (list) &&
          bounds.origin.y + row_height > 0)
        vtr_walk_find (look, "row", row, "row %u of %u has no text", n_rows - 1, n_items);
    }
  look->check->n_rows += n_rows;
  if (n_rows < n_items && bottom < (float)gtk_widget_get_height (list) - 2 * MAX (row_height, 20))
    vtr_walk_find (look, "row", list, "%u rows of %u are shown, and the list ends at %g of %d",
                   n_rows, n_items, (double)bottom, gtk_widget_get_height (list));
}

static void
check_lists (VtrWalkLook *look, GtkWidget *widget)
{
  if (!is_shown (widget) || (GTK_IS_NATIVE (widget) && widget != look->root))
    return;
  if (GTK_IS_LIST_VIEW (widget))
    check_list (look, widget);
  if (GTK_IS_COLUMN_VIEW (widget))
    check_columns (look, widget);
  if (GTK_IS_TEXT (widget))
    check_placeholder (look, widget);
  if (PANEL_IS_WIDGET (widget) && !has_text (widget))
    vtr_walk_find (look, "blank", widget, "a pane shows no text");
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    check_lists (look, child);
}

/* --- overlapping ----------------------------------------------------------------------------- */

/* One lies over the other on purpose. */
static gboolean
is_layered (GtkWidget *a, GtkWidget *b)
{
  GtkWidget *common = gtk_widget_get_parent (a);

  while (common != NULL && !gtk_widget_is_ancestor (b, common))
    common = gtk_widget_get_parent (common);
  return common == NULL || GTK_IS_OVERLAY (common) || ADW_IS_TOAST_OVERLAY (common) ||
         GTK_IS_STACK (common) || ADW_IS_SQUEEZER (common) || GTK_IS_SCROLLED_WINDOW (common) ||
         ADW_IS_ENTRY_ROW (common) || ADW_IS_VIEW_STACK (common) || GTK_IS_EDITABLE (common) ||
         g_str_equal (G_OBJECT_TYPE_NAME (common), "AdwIndicatorBin");
}

static gboolean
is_solid (const VtrWalkLeaf *leaf)
{
  return leaf->is_text || is_whole (leaf->widget) || GTK_IS_BUTTON (leaf->widget) ||
         GTK_IS_IMAGE (leaf->widget);
}

static void
check_overlaps (VtrWalkLook *look)
{
  for (guint i = 0; i < look->leaves->len; i++)
    for (guint j = i + 1; j < look->leaves->len; j++)
      {
        const VtrWalkLeaf *a = &g_array_index (look->leaves, VtrWalkLeaf, i);
        const VtrWalkLeaf *b = &g_array_index (look->leaves, VtrWalkLeaf, j);
        graphene_rect_t seen_a, seen_b, both;

        if (!is_solid (a) || !is_solid (b) ||
            !graphene_rect_intersection (&a->bounds, &a->visible, &seen_a) ||
            !graphene_rect_intersection (&b->bounds, &b->visible, &seen_b) ||
            !graphene_rect_intersection (&seen_a, &seen_b, &both) || both.size.width < 3 ||
            both.size.height < 3 || gtk_widget_is_ancestor (a->widget, b->widget) ||
            gtk_widget_is_ancestor (b->widget, a->widget) || is_layered (a->widget, b->widget))
          continue;
        vtr_walk_find (look, "overlap", a->widget, "a %s (“%s”) and a %s (“%s”) share %g × %g",
                       G_OBJECT_TYPE_NAME (a->widget), vtr_walk_get_text (a->widget),
                       G_OBJECT_TYPE_NAME (b->widget), vtr_walk_get_text (b->widget),
                       (double)both.size.width, (double)both.size.height);
      }
}

GdkTexture *
vtr_walk_take_picture (GtkWidget *root)
{
  g_autoptr (GdkPaintable) paintable = gtk_widget_paintable_new (root);
  g_autoptr (GtkSnapshot) snapshot = gtk_snapshot_new ();
  g_autoptr (GskRenderNode) node = NULL;
  float scale = (float)gtk_widget_get_scale_factor (root);
  int width = gtk_widget_get_width (root), height = gtk_widget_get_height (root);

  gtk_snapshot_scale (snapshot, scale, scale);
  gdk_paintable_snapshot (paintable, snapshot, width, height);
  node = gtk_snapshot_to_node (snapshot);
  if (node == NULL)
    return NULL;
  return gsk_renderer_render_texture (
    gtk_native_get_renderer (GTK_NATIVE (root)), node,
    &GRAPHENE_RECT_INIT (0, 0, (float)width * scale, (float)height * scale));
}

void
vtr_walk_check (VtrWalkCheck *self, GtkWidget *root, GdkTexture *texture)
{
  VtrWalkLook look = { .check = self, .root = root, .scale = gtk_widget_get_scale_factor (root) };
  int dpi;

  g_object_get (gtk_settings_get_default (), "gtk-xft-dpi", &dpi, NULL);
  look.text_scale = MAX (1, (float)dpi / 1024 / 96);
  look.leaves = g_array_new (FALSE, FALSE, sizeof (VtrWalkLeaf));
  if (texture != NULL)
    {
      look.width = gdk_texture_get_width (texture);
      look.height = gdk_texture_get_height (texture);
      look.pixels = g_malloc_n ((gsize)look.width * (gsize)look.height, 4);
      gdk_texture_download (texture, look.pixels, (gsize)look.width * 4);
    }
  collect (&look, root);
  for (guint i = 0; i < look.leaves->len; i++)
    self->n_texts += (guint)g_array_index (look.leaves, VtrWalkLeaf, i).is_text;
  check_lists (&look, root);
  check_cut_texts (&look);
  if (texture != NULL)
    check_stumps (&look);
  check_overlaps (&look);
  vtr_walk_check_contrast (&look);
  g_array_unref (look.leaves);
  g_free (look.pixels);
}
