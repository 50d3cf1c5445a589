/* The header of a docked pane: its title or the tabs of all panes in this place, the pane's
 * tools, and its menu. */
#include "vtr-config.h"

#include "widgets/vtr-pane-header.h"

#include <adwaita.h>
#include <glib/gi18n.h>

#include "widgets/vtr-pane-area.h"

/**
 * VtrPaneHeader:
 *
 * libpanel's own headers are too high, or hide the titles of the other pages. This header
 * implements PanelFrameHeader in one row. If the tabs do not fit, a button shows the title of the
 * current page and lists all pages. The menu moves panes without dragging; tabs can also be
 * dragged onto another frame. The window's VtrLayout does what the menu asks for (the group
 * "panes").
 */
struct _VtrPaneHeader
{
  GtkWidget parent_instance;

  PanelFrame *frame; /* weak: owns us */
  GtkSelectionModel *pages;
  GtkWidget *prefix;
  AdwSqueezer *squeezer; /* .tabs, or .chooser where they do not fit */
  GtkWidget *tabs;
  GtkWidget *chooser;
  GtkWidget *chooser_title;
  GtkWidget *spinner;
  GtkWidget *suffix;
  GtkWidget *menu;
  GtkEventController *drop; /* weak: of the frame */
  guint rebuild;
};

static void frame_header_iface_init (PanelFrameHeaderInterface *iface);

G_DEFINE_FINAL_TYPE_WITH_CODE (VtrPaneHeader,
                               vtr_pane_header,
                               GTK_TYPE_WIDGET,
                               G_IMPLEMENT_INTERFACE (PANEL_TYPE_FRAME_HEADER,
                                                      frame_header_iface_init))

enum
{
  PROP_0,
  PROP_FRAME,
  PROP_AREA,
  PROP_PAGE,
};

static PanelWidget *
get_page (VtrPaneHeader *self, guint i)
{
  g_autoptr (GObject) page = g_list_model_get_item (G_LIST_MODEL (self->pages), i);

  return PANEL_WIDGET (adw_tab_page_get_child (ADW_TAB_PAGE (page)));
}

static void
tab_toggled_cb (GtkToggleButton *button, VtrPaneHeader *self)
{
  PanelWidget *page = g_object_get_data (G_OBJECT (button), "page");

  if (self->frame && gtk_toggle_button_get_active (button))
    panel_frame_set_visible_child (self->frame, page);
}

static void
update_current (VtrPaneHeader *self)
{
  PanelWidget *current = self->frame ? panel_frame_get_visible_child (self->frame) : NULL;

  for (GtkWidget *tab = gtk_widget_get_first_child (self->tabs); tab;
       tab = gtk_widget_get_next_sibling (tab))
    if (GTK_IS_TOGGLE_BUTTON (tab) && g_object_get_data (G_OBJECT (tab), "page") == current)
      gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (tab), TRUE);
  gtk_label_set_label (GTK_LABEL (self->chooser_title),
                       current ? panel_widget_get_title (current) : "");
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->chooser), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  current ? panel_widget_get_title (current) : "", -1);
  gtk_widget_set_tooltip_text (self->chooser, current ? panel_widget_get_title (current) : NULL);
  g_object_notify (G_OBJECT (self), "page");
  gtk_widget_set_visible (self->spinner, current && panel_widget_get_busy (current));
  gtk_spinner_set_spinning (GTK_SPINNER (self->spinner),
                            current && panel_widget_get_busy (current));
}

static void
clear_tabs (VtrPaneHeader *self)
{
  GtkWidget *child;

  while ((child = gtk_widget_get_first_child (self->tabs)))
    gtk_box_remove (GTK_BOX (self->tabs), child);
}

/* --- dragging a tab --------------------------------------------------------------------------- */

static GdkContentProvider *
drag_prepare_cb (GtkDragSource *source, double x, double y, VtrPaneHeader *self)
{
  GtkWidget *tab = gtk_event_controller_get_widget (GTK_EVENT_CONTROLLER (source));
  g_autoptr (GdkPaintable) icon = gtk_widget_paintable_new (tab);

  gtk_drag_source_set_icon (source, icon, (int)x, (int)y);
  return gdk_content_provider_new_typed (PANEL_TYPE_WIDGET,
                                         g_object_get_data (G_OBJECT (tab), "page"));
}

/* @sibling NULL: at the end. */
static gboolean
take_page (VtrPaneHeader *self, PanelWidget *page, PanelWidget *sibling)
{
  GtkWidget *from = gtk_widget_get_ancestor (GTK_WIDGET (page), PANEL_TYPE_FRAME);

  /* Does not accept panes of other windows, which belong to another trace. */
  if (self->frame == NULL || from == NULL || page == sibling ||
      gtk_widget_get_root (from) != gtk_widget_get_root (GTK_WIDGET (self)) ||
      (sibling == NULL && from == GTK_WIDGET (self->frame)))
    return FALSE;
  g_object_ref (page);
  panel_frame_remove (PANEL_FRAME (from), page);
  if (sibling)
    panel_frame_add_before (self->frame, page, sibling);
  else
    panel_frame_add (self->frame, page);
  panel_frame_set_visible_child (self->frame, page);
  g_object_unref (page);
  gtk_widget_activate_action (GTK_WIDGET (self), "panes.changed", NULL);
  return TRUE;
}

static gboolean
drop_on_frame_cb (VtrPaneHeader *self, const GValue *value)
{
  return take_page (self, g_value_get_object (value), NULL);
}

static gboolean
drop_on_tab_cb (GtkDropTarget *target, const GValue *value, double x, double y, VtrPaneHeader *self)
{
  GtkWidget *tab = gtk_event_controller_get_widget (GTK_EVENT_CONTROLLER (target));

  return take_page (self, g_value_get_object (value), g_object_get_data (G_OBJECT (tab), "page"));
}

static void
make_draggable (VtrPaneHeader *self, GtkWidget *tab, PanelWidget *page)
{
  GtkDragSource *source = gtk_drag_source_new ();
  GtkDropTarget *target = gtk_drop_target_new (PANEL_TYPE_WIDGET, GDK_ACTION_MOVE);

  g_object_set_data (G_OBJECT (tab), "page", page);
  gtk_drag_source_set_actions (source, GDK_ACTION_MOVE);
  g_signal_connect_object (source, "prepare", G_CALLBACK (drag_prepare_cb), self, 0);
  gtk_widget_add_controller (tab, GTK_EVENT_CONTROLLER (source));
  g_signal_connect_object (target, "drop", G_CALLBACK (drop_on_tab_cb), self, 0);
  gtk_widget_add_controller (tab, GTK_EVENT_CONTROLLER (target));
}

/* --- tabs ------------------------------------------------------------------------------------- */

static void
add_label (VtrPaneHeader *self, PanelWidget *page)
{
  GtkWidget *label = gtk_label_new (NULL);

  gtk_widget_add_css_class (label, "heading");
  gtk_label_set_ellipsize (GTK_LABEL (label), PANGO_ELLIPSIZE_END);
  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_widget_set_hexpand (label, TRUE);
  g_object_bind_property (page, "title", label, "label", G_BINDING_SYNC_CREATE);
  make_draggable (self, label, page);
  gtk_box_append (GTK_BOX (self->tabs), label);
}

static gboolean
query_tab_tooltip_cb (
  GtkLabel *label, int x, int y, gboolean keyboard, GtkTooltip *tooltip, gpointer data)
{
  if (!pango_layout_is_ellipsized (gtk_label_get_layout (label)))
    return FALSE;
  gtk_tooltip_set_text (tooltip, gtk_label_get_label (label));
  return TRUE;
}

static void
add_tab (VtrPaneHeader *self, PanelWidget *page, GtkWidget *group)
{
  GtkWidget *button = gtk_toggle_button_new ();
  GtkWidget *label;

  gtk_widget_add_css_class (button, "flat");
  gtk_widget_set_valign (button, GTK_ALIGN_CENTER);
  gtk_widget_set_focus_on_click (button, FALSE);
  g_object_bind_property (page, "title", button, "label", G_BINDING_SYNC_CREATE);
  label = gtk_button_get_child (GTK_BUTTON (button));
  /* Large text must not make the window wider than the screen. */
  gtk_label_set_ellipsize (GTK_LABEL (label), PANGO_ELLIPSIZE_END);
  gtk_widget_set_has_tooltip (label, TRUE);
  g_signal_connect (label, "query-tooltip", G_CALLBACK (query_tab_tooltip_cb), NULL);
  make_draggable (self, button, page);
  if (group)
    gtk_toggle_button_set_group (GTK_TOGGLE_BUTTON (button), GTK_TOGGLE_BUTTON (group));
  g_signal_connect_object (button, "toggled", G_CALLBACK (tab_toggled_cb), self, 0);
  gtk_box_append (GTK_BOX (self->tabs), button);
}

static gboolean
rebuild_cb (gpointer data)
{
  VtrPaneHeader *self = data;
  guint n;

  self->rebuild = 0;
  clear_tabs (self);
  if (self->pages == NULL)
    return G_SOURCE_REMOVE;

  n = g_list_model_get_n_items (G_LIST_MODEL (self->pages));
  for (guint i = 0; i < n; i++)
    {
      PanelWidget *page = get_page (self, i);

      if (page == NULL)
        continue;
      g_signal_handlers_disconnect_by_func (page, update_current, self);
      g_signal_connect_object (page, "notify::busy", G_CALLBACK (update_current), self,
                               G_CONNECT_SWAPPED);
      g_signal_connect_object (page, "notify::title", G_CALLBACK (update_current), self,
                               G_CONNECT_SWAPPED);
      if (n == 1)
        add_label (self, page);
      else
        add_tab (self, page, gtk_widget_get_first_child (self->tabs));
    }
  adw_squeezer_page_set_enabled (adw_squeezer_get_page (self->squeezer, self->chooser), n > 1);
  gtk_widget_set_visible (self->menu, n > 0);
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "pane.split", n > 1);
  update_current (self);
  return G_SOURCE_REMOVE;
}

static void
queue_rebuild (VtrPaneHeader *self)
{
  if (self->rebuild == 0)
    self->rebuild = g_idle_add_full (G_PRIORITY_HIGH_IDLE, rebuild_cb, self, NULL);
}

static void
set_frame (VtrPaneHeader *self, PanelFrame *frame)
{
  if (self->frame == frame)
    return;
  if (self->pages)
    {
      g_signal_handlers_disconnect_by_data (self->pages, self);
      g_clear_object (&self->pages);
    }
  if (self->frame && self->drop)
    gtk_widget_remove_controller (GTK_WIDGET (self->frame), self->drop);
  self->drop = NULL;
  g_set_weak_pointer (&self->frame, frame);
  if (frame)
    {
      self->pages = panel_frame_get_pages (frame);
      g_signal_connect_object (self->pages, "items-changed", G_CALLBACK (queue_rebuild), self,
                               G_CONNECT_SWAPPED);
      self->drop =
        GTK_EVENT_CONTROLLER (gtk_drop_target_new (PANEL_TYPE_WIDGET, GDK_ACTION_MOVE));
      g_signal_connect_object (self->drop, "drop", G_CALLBACK (drop_on_frame_cb), self,
                               G_CONNECT_SWAPPED);
      gtk_widget_add_controller (GTK_WIDGET (frame), self->drop);
      queue_rebuild (self);
    }
}

static void
page_changed (PanelFrameHeader *header, PanelWidget *page)
{
  update_current (VTR_PANE_HEADER (header));
}

static gboolean
can_drop (PanelFrameHeader *header, PanelWidget *page)
{
  return TRUE;
}

static void
add_prefix (PanelFrameHeader *header, int priority, GtkWidget *child)
{
  gtk_box_append (GTK_BOX (VTR_PANE_HEADER (header)->prefix), child);
}

static void
add_suffix (PanelFrameHeader *header, int priority, GtkWidget *child)
{
  gtk_box_append (GTK_BOX (VTR_PANE_HEADER (header)->suffix), child);
}

static void
frame_header_iface_init (PanelFrameHeaderInterface *iface)
{
  iface->page_changed = page_changed;
  iface->can_drop = can_drop;
  iface->add_prefix = add_prefix;
  iface->add_suffix = add_suffix;
}

/* --- the list where tabs do not fit ----------------------------------------------------------- */

/* The titles as they are now, each with the page's id. */
static void
fill_chooser_cb (GtkMenuButton *button, gpointer data)
{
  VtrPaneHeader *self = data;
  g_autoptr (GMenu) menu = g_menu_new ();
  guint n = self->pages ? g_list_model_get_n_items (G_LIST_MODEL (self->pages)) : 0;

  for (guint i = 0; i < n; i++)
    {
      PanelWidget *page = get_page (self, i);
      g_autoptr (GMenuItem) item = NULL;

      if (page == NULL || panel_widget_get_id (page) == NULL)
        continue;
      item = g_menu_item_new (panel_widget_get_title (page), NULL);
      g_menu_item_set_action_and_target (item, "pane.show", "s", panel_widget_get_id (page));
      g_menu_append_item (menu, item);
    }
  gtk_menu_button_set_menu_model (button, G_MENU_MODEL (menu));
}

static GtkWidget *
make_chooser (VtrPaneHeader *self)
{
  GtkWidget *button = gtk_menu_button_new ();
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 4);

  self->chooser_title = gtk_label_new (NULL);
  /* A title may end in the number of a command, so it is ellipsized in the middle. */
  gtk_label_set_ellipsize (GTK_LABEL (self->chooser_title), PANGO_ELLIPSIZE_MIDDLE);
  gtk_widget_add_css_class (self->chooser_title, "heading");
  gtk_box_append (GTK_BOX (box), self->chooser_title);
  gtk_box_append (GTK_BOX (box), gtk_image_new_from_icon_name ("pan-down-symbolic"));
  gtk_menu_button_set_child (GTK_MENU_BUTTON (button), box);
  gtk_menu_button_set_create_popup_func (GTK_MENU_BUTTON (button), fill_chooser_cb, self, NULL);
  gtk_widget_add_css_class (button, "flat");
  gtk_widget_set_halign (button, GTK_ALIGN_START);
  gtk_widget_set_valign (button, GTK_ALIGN_CENTER);
  return button;
}

static void
show_page (VtrPaneHeader *self, const char *id)
{
  guint n = self->pages ? g_list_model_get_n_items (G_LIST_MODEL (self->pages)) : 0;

  for (guint i = 0; i < n; i++)
    {
      PanelWidget *page = get_page (self, i);

      if (page != NULL && g_strcmp0 (panel_widget_get_id (page), id) == 0)
        panel_frame_set_visible_child (self->frame, page);
    }
}

/* --- what the menu asks for ------------------------------------------------------------------- */

static const char *
get_area_name (VtrPaneHeader *self)
{
  g_autoptr (PanelPosition) position = self->frame ? panel_frame_get_position (self->frame) : NULL;

  return vtr_pane_area_name (position ? panel_position_get_area (position) : PANEL_AREA_CENTER);
}

static const char *
get_page_id (VtrPaneHeader *self)
{
  PanelWidget *page = self->frame ? panel_frame_get_visible_child (self->frame) : NULL;

  return page ? panel_widget_get_id (page) : NULL;
}

static void
move_to (VtrPaneHeader *self, const char *area)
{
  const char *id = get_page_id (self);

  if (id && g_strcmp0 (area, get_area_name (self)) != 0)
    gtk_widget_activate_action (GTK_WIDGET (self), "panes.move", "(ss)", id, area);
}

static void
page_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  const char *id = get_page_id (VTR_PANE_HEADER (widget));

  if (id)
    gtk_widget_activate_action (
      widget, g_str_equal (name, "pane.split") ? "panes.split" : "panes.close", "s", id);
}

static void
maximize_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  VtrPaneHeader *self = VTR_PANE_HEADER (widget);
  PanelWidget *page = self->frame ? panel_frame_get_visible_child (self->frame) : NULL;

  if (page)
    panel_widget_maximize (page);
}

/* --- life ------------------------------------------------------------------------------------- */

static void
vtr_pane_header_map (GtkWidget *widget)
{
  VtrPaneHeader *self = VTR_PANE_HEADER (widget);

  /* Rebuilds the tabs now, so that the first painted frame has them. */
  if (self->rebuild != 0)
    {
      g_clear_handle_id (&self->rebuild, g_source_remove);
      rebuild_cb (self);
    }
  GTK_WIDGET_CLASS (vtr_pane_header_parent_class)->map (widget);
  g_object_notify (G_OBJECT (widget), "area");
}

static void
vtr_pane_header_dispose (GObject *object)
{
  VtrPaneHeader *self = VTR_PANE_HEADER (object);
  GtkWidget *child;

  g_clear_handle_id (&self->rebuild, g_source_remove);
  set_frame (self, NULL);
  while ((child = gtk_widget_get_first_child (GTK_WIDGET (self))))
    gtk_widget_unparent (child);
  G_OBJECT_CLASS (vtr_pane_header_parent_class)->dispose (object);
}

static void
vtr_pane_header_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  if (id == PROP_FRAME)
    g_value_set_object (value, VTR_PANE_HEADER (object)->frame);
  else if (id == PROP_AREA)
    g_value_set_string (value, get_area_name (VTR_PANE_HEADER (object)));
  else if (id == PROP_PAGE)
    g_value_set_string (value, get_page_id (VTR_PANE_HEADER (object))
                                 ? get_page_id (VTR_PANE_HEADER (object))
                                 : "");
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
}

static void
vtr_pane_header_set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  if (id == PROP_FRAME)
    set_frame (VTR_PANE_HEADER (object), g_value_get_object (value));
  else if (id == PROP_AREA)
    move_to (VTR_PANE_HEADER (object), g_value_get_string (value));
  else if (id == PROP_PAGE)
    show_page (VTR_PANE_HEADER (object), g_value_get_string (value));
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
}

static void
vtr_pane_header_class_init (VtrPaneHeaderClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  object_class->dispose = vtr_pane_header_dispose;
  object_class->get_property = vtr_pane_header_get_property;
  object_class->set_property = vtr_pane_header_set_property;
  widget_class->map = vtr_pane_header_map;
  g_object_class_override_property (object_class, PROP_FRAME, "frame");
  /* A state that shows the area of the current page in the menu; changing it moves the page. */
  g_object_class_install_property (
    object_class, PROP_AREA,
    g_param_spec_string ("area", NULL, NULL, "centre",
                         G_PARAM_READWRITE | G_PARAM_EXPLICIT_NOTIFY | G_PARAM_STATIC_STRINGS));

  /* A state with the id of the current page, or "", which the list marks; changing it shows another
   * page. */
  g_object_class_install_property (
    object_class, PROP_PAGE,
    g_param_spec_string ("page", NULL, NULL, "",
                         G_PARAM_READWRITE | G_PARAM_EXPLICIT_NOTIFY | G_PARAM_STATIC_STRINGS));

  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BOX_LAYOUT);
  gtk_widget_class_set_css_name (widget_class, "vtrpaneheader");
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_GROUP);
  gtk_widget_class_install_property_action (widget_class, "pane.move-to", "area");
  gtk_widget_class_install_property_action (widget_class, "pane.show", "page");
  gtk_widget_class_install_action (widget_class, "pane.split", NULL, page_action);
  gtk_widget_class_install_action (widget_class, "pane.close", NULL, page_action);
  gtk_widget_class_install_action (widget_class, "pane.maximize", NULL, maximize_action);
}

static GMenuModel *
make_menu (void)
{
  g_autoptr (GMenu) menu = g_menu_new ();
  g_autoptr (GMenu) areas = g_menu_new ();
  g_autoptr (GMenu) view = g_menu_new ();
  g_autoptr (GMenu) close = g_menu_new ();

  g_menu_append (areas, C_ ("pane", "Start"), "pane.move-to::start");
  g_menu_append (areas, C_ ("pane", "End"), "pane.move-to::end");
  g_menu_append (areas, C_ ("pane", "Bottom"), "pane.move-to::bottom");
  g_menu_append (areas, C_ ("pane", "Centre"), "pane.move-to::centre");
  g_menu_append_submenu (menu, _ ("_Move To"), G_MENU_MODEL (areas));
  g_menu_append (view, _ ("_Split Off"), "pane.split");
  g_menu_append (view, _ ("Ma_ximise"), "pane.maximize");
  g_menu_append_section (menu, NULL, G_MENU_MODEL (view));
  g_menu_append (close, _ ("_Close"), "pane.close");
  g_menu_append_section (menu, NULL, G_MENU_MODEL (close));
  return G_MENU_MODEL (g_steal_pointer (&menu));
}

static void
vtr_pane_header_init (VtrPaneHeader *self)
{
  GtkWidget *widget = GTK_WIDGET (self);
  g_autoptr (GMenuModel) menu = make_menu ();

  self->prefix = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 0);
  self->tabs = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 2);
  gtk_widget_add_css_class (self->tabs, "tabs");
  self->chooser = make_chooser (self);
  self->squeezer = ADW_SQUEEZER (adw_squeezer_new ());
  adw_squeezer_set_switch_threshold_policy (self->squeezer, ADW_FOLD_THRESHOLD_POLICY_NATURAL);
  adw_squeezer_set_xalign (self->squeezer, 0);
  adw_squeezer_add (self->squeezer, self->tabs);
  adw_squeezer_add (self->squeezer, self->chooser);
  gtk_widget_set_hexpand (GTK_WIDGET (self->squeezer), TRUE);
  self->spinner = gtk_spinner_new ();
  gtk_widget_set_visible (self->spinner, FALSE);
  self->suffix = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 0);

  self->menu = gtk_menu_button_new ();
  gtk_menu_button_set_icon_name (GTK_MENU_BUTTON (self->menu), "view-more-symbolic");
  gtk_menu_button_set_menu_model (GTK_MENU_BUTTON (self->menu), menu);
  gtk_widget_add_css_class (self->menu, "flat");
  gtk_widget_set_valign (self->menu, GTK_ALIGN_CENTER);
  gtk_widget_set_tooltip_text (self->menu, _ ("Pane Menu"));
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->menu), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("Pane Menu"), -1);

  gtk_widget_set_parent (self->prefix, widget);
  gtk_widget_set_parent (GTK_WIDGET (self->squeezer), widget);
  gtk_widget_set_parent (self->spinner, widget);
  gtk_widget_set_parent (self->suffix, widget);
  gtk_widget_set_parent (self->menu, widget);
}

GtkWidget *
vtr_pane_header_new (void)
{
  return g_object_new (VTR_TYPE_PANE_HEADER, NULL);
}
