/* The page of a window that shows an open trace: docked panes, frame stepper, status bar. */
#include "vtr-config.h"

#include "window/vtr-trace-page.h"

#include <glib/gi18n.h>

#include "window/vtr-layout.h"
#include "window/vtr-panes.h"
#include "widgets/vtr-banner.h"
#include "widgets/vtr-breadcrumb.h"
#include "widgets/vtr-device-button.h"
#include "widgets/vtr-focus-chain.h"
#include "widgets/vtr-frame-strip.h"
#include "widgets/vtr-pane-room.h"
#include "widgets/vtr-texture-view.h"
#include "widgets/vtr-text-scale.h"

#define NARROW_WIDTH 1200

struct _VtrTracePage
{
  GtkWidget parent_instance;

  VtrFrameStrip *strip;
  VtrBanner *edited;
  PanelDock *dock;
  PanelGrid *grid;
  PanelPaned *start;
  PanelPaned *end;
  PanelPaned *bottom;
  GPtrArray *panes; /* VtrPane, in the order of the table; owned even while closed */
  PanelStatusbar *statusbar;
  VtrBreadcrumb *breadcrumb;
  VtrDeviceButton *replay;

  VtrSession *session;
  VtrLayout *layout;
  guint resize_idle;
  gboolean narrow;
  int width, height; /* the size that the layout knows */
  gboolean has_width;
  gboolean failed;
  char *failure; /* the text of the status bar about it */
};

G_DEFINE_FINAL_TYPE (VtrTracePage, vtr_trace_page, GTK_TYPE_WIDGET)

enum
{
  PROP_0,
  PROP_REVEAL_START,
  PROP_REVEAL_END,
  PROP_REVEAL_BOTTOM,
  N_PROPS
};

static GParamSpec *properties[N_PROPS];

/* --- status bar ------------------------------------------------------------------------------ */

static void
update_replay (VtrTracePage *self)
{
  VtrDocument *document = vtr_session_get_document (self->session);
  g_autofree char *text = vtr_document_describe_replay (document);
  VtrReplayActivity activity = vtr_document_get_replay_activity (document);
  gboolean failed =
    activity == VTR_REPLAY_IS_BROKEN || (self->failed && activity != VTR_REPLAY_IS_WORKING);

  /* The request failed before any replay, so nothing else reports the error. */
  if (failed && activity == VTR_REPLAY_IS_IDLE)
    {
      g_free (text);
      text = g_strdup (_ ("Cannot replay here"));
    }
  vtr_device_button_set_status (self->replay,
                                failed                              ? "dialog-error-symbolic"
                                : activity == VTR_REPLAY_IS_READY   ? "emblem-ok-symbolic"
                                : activity == VTR_REPLAY_IS_WORKING ? "content-loading-symbolic"
                                                                    : NULL,
                                failed                            ? "error"
                                : activity == VTR_REPLAY_IS_READY ? "success"
                                                                  : NULL,
                                text);
}

static void
replay_failed_cb (VtrTracePage *self)
{
  self->failed = TRUE;
  g_free (self->failure);
  self->failure = vtr_document_describe_replay (vtr_session_get_document (self->session));
  update_replay (self);
}

/* A text other than that of the failure: the replay goes on. */
static void
replay_changed_cb (VtrTracePage *self)
{
  g_autofree char *text =
    vtr_document_describe_replay (vtr_session_get_document (self->session));

  if (g_strcmp0 (text, self->failure) != 0)
    self->failed = FALSE;
  update_replay (self);
}

static void
device_chosen_cb (VtrTracePage *self, const char *device)
{
  gtk_widget_activate_action (GTK_WIDGET (self), "win.replay-on", "s", device ? device : "");
}

void
vtr_trace_page_set_device (VtrTracePage *self, const char *device, VtrReplayAddresses addresses)
{
  vtr_device_button_set_device (self->replay, device, addresses);
}

void
vtr_trace_page_choose_device (VtrTracePage *self)
{
  vtr_device_button_popup (self->replay);
}

/* --- layout ---------------------------------------------------------------------------------- */

static gboolean
is_narrow (VtrTracePage *self)
{
  GtkWidget *widget = GTK_WIDGET (self);

  return gtk_widget_get_width (widget) < vtr_text_scaled (widget, NARROW_WIDTH);
}

static gboolean
is_resized (VtrTracePage *self)
{
  return !self->has_width || is_narrow (self) != self->narrow ||
         gtk_widget_get_width (GTK_WIDGET (self)) != self->width ||
         gtk_widget_get_height (GTK_WIDGET (self)) != self->height;
}

static gboolean
resize_idle_cb (gpointer data)
{
  VtrTracePage *self = data;

  self->resize_idle = 0;
  self->narrow = is_narrow (self);
  self->width = gtk_widget_get_width (GTK_WIDGET (self));
  self->height = gtk_widget_get_height (GTK_WIDGET (self));
  self->has_width = TRUE;
  vtr_layout_set_narrow (self->layout, self->narrow);
  vtr_layout_set_window_size (self->layout, self->width, self->height);
  vtr_frame_strip_set_compact (self->strip, self->narrow);
  return G_SOURCE_REMOVE;
}

/* Checks the size while drawing: size_allocate () is not called for a widget with a layout
 * manager, and the layout must not change inside it. */
static void
vtr_trace_page_snapshot (GtkWidget *widget, GtkSnapshot *snapshot)
{
  VtrTracePage *self = VTR_TRACE_PAGE (widget);

  GTK_WIDGET_CLASS (vtr_trace_page_parent_class)->snapshot (widget, snapshot);
  if (is_resized (self) && self->resize_idle == 0)
    self->resize_idle = g_idle_add_full (G_PRIORITY_HIGH_IDLE, resize_idle_cb, self, NULL);
}

static void
map_cb (VtrTracePage *self)
{
  vtr_layout_apply_sizes (self->layout);
}

/* --- panes ----------------------------------------------------------------------------------- */

/* The frames on the screen. */
static GPtrArray *
list_frames (VtrTracePage *self)
{
  GPtrArray *frames = vtr_layout_list_frames (self->layout);

  for (guint i = 0; i < frames->len;)
    if (gtk_widget_get_mapped (g_ptr_array_index (frames, i)))
      i++;
    else
      g_ptr_array_remove_index (frames, i);
  return frames;
}

/* Frames of libpanel move the focus to their content, past their tabs and tools. */
static gboolean
vtr_trace_page_focus (GtkWidget *widget, GtkDirectionType direction)
{
  VtrTracePage *self = VTR_TRACE_PAGE (widget);
  g_autoptr (GPtrArray) stops = g_ptr_array_new ();
  g_autoptr (GPtrArray) frames = NULL;

  if (direction != GTK_DIR_TAB_FORWARD && direction != GTK_DIR_TAB_BACKWARD)
    return GTK_WIDGET_CLASS (vtr_trace_page_parent_class)->focus (widget, direction);
  frames = list_frames (self);
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    {
      if (child != GTK_WIDGET (self->dock))
        {
          g_ptr_array_add (stops, child);
          continue;
        }
      for (guint i = 0; i < frames->len; i++)
        {
          PanelFrame *frame = g_ptr_array_index (frames, i);
          PanelWidget *pane = panel_frame_get_visible_child (frame);

          g_ptr_array_add (stops, panel_frame_get_header (frame));
          if (pane != NULL && panel_widget_get_child (pane) != NULL)
            g_ptr_array_add (stops, panel_widget_get_child (pane));
        }
    }
  return vtr_focus_chain_move (stops, direction);
}

static guint
find_focused_frame (VtrTracePage *self, GPtrArray *frames)
{
  GtkRoot *root = gtk_widget_get_root (GTK_WIDGET (self));
  GtkWidget *focus = root ? gtk_root_get_focus (root) : NULL;

  for (guint i = 0; focus && i < frames->len; i++)
    if (gtk_widget_is_ancestor (focus, g_ptr_array_index (frames, i)))
      return i;
  return G_MAXUINT;
}

void
vtr_trace_page_step_pane (VtrTracePage *self, int step)
{
  g_autoptr (GPtrArray) frames = list_frames (self);
  guint focused = find_focused_frame (self, frames);

  for (guint tries = 0; tries < frames->len; tries++)
    {
      PanelWidget *page;

      if (focused == G_MAXUINT)
        focused = step > 0 ? 0 : frames->len - 1;
      else
        focused = (focused + (step > 0 ? 1 : frames->len - 1)) % frames->len;
      page = panel_frame_get_visible_child (g_ptr_array_index (frames, focused));
      if (page && (gtk_widget_grab_focus (GTK_WIDGET (page)) ||
                   gtk_widget_child_focus (GTK_WIDGET (page), GTK_DIR_TAB_FORWARD)))
        return;
    }
}

gboolean
vtr_trace_page_find (VtrTracePage *self, int step)
{
  g_autoptr (GPtrArray) frames = list_frames (self);
  guint focused = find_focused_frame (self, frames);
  PanelWidget *pane =
    focused == G_MAXUINT ? NULL
                         : panel_frame_get_visible_child (g_ptr_array_index (frames, focused));

  return pane && VTR_IS_PANE (pane) && vtr_pane_find (VTR_PANE (pane), step);
}

void
vtr_trace_page_step_tab (VtrTracePage *self, int step)
{
  g_autoptr (GPtrArray) frames = list_frames (self);
  guint focused = find_focused_frame (self, frames);
  PanelFrame *frame;
  PanelWidget *page;
  guint n;

  if (focused == G_MAXUINT)
    return;
  frame = g_ptr_array_index (frames, focused);
  n = panel_frame_get_n_pages (frame);
  page = panel_frame_get_visible_child (frame);
  for (guint i = 0; i < n; i++)
    if (panel_frame_get_page (frame, i) == page)
      {
        page = panel_frame_get_page (frame, (i + (step > 0 ? 1 : n - 1)) % n);
        panel_frame_set_visible_child (frame, page);
        gtk_widget_grab_focus (GTK_WIDGET (page));
        return;
      }
}

static VtrPane *
find_pane (VtrTracePage *self, const char *id)
{
  for (guint i = 0; i < self->panes->len; i++)
    if (g_strcmp0 (panel_widget_get_id (g_ptr_array_index (self->panes, i)), id) == 0)
      return g_ptr_array_index (self->panes, i);
  return NULL;
}

void
vtr_trace_page_raise (VtrTracePage *self, const char *id)
{
  VtrPane *pane = find_pane (self, id);

  if (pane)
    vtr_layout_show (self->layout, PANEL_WIDGET (pane));
}

gboolean
vtr_trace_page_show_path (VtrTracePage *self, const char *path)
{
  for (guint i = 0; i < self->panes->len; i++)
    {
      VtrPane *pane = g_ptr_array_index (self->panes, i);

      if (vtr_pane_show_path (pane, path))
        {
          vtr_layout_show (self->layout, PANEL_WIDGET (pane));
          return TRUE;
        }
    }
  return FALSE;
}

/* --- life ------------------------------------------------------------------------------------ */

static void
vtr_trace_page_dispose (GObject *object)
{
  VtrTracePage *self = VTR_TRACE_PAGE (object);
  GtkWidget *child;

  g_clear_handle_id (&self->resize_idle, g_source_remove);
  if (self->dock)
    vtr_trace_page_set_session (self, NULL);
  g_clear_object (&self->layout);
  g_clear_pointer (&self->failure, g_free);
  self->dock = NULL;
  g_clear_pointer (&self->panes, g_ptr_array_unref);
  while ((child = gtk_widget_get_first_child (GTK_WIDGET (self))))
    gtk_widget_unparent (child);
  G_OBJECT_CLASS (vtr_trace_page_parent_class)->dispose (object);
}

static void
vtr_trace_page_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  VtrTracePage *self = VTR_TRACE_PAGE (object);

  switch (id)
    {
    case PROP_REVEAL_START:
      g_value_set_boolean (value, panel_dock_get_reveal_start (self->dock));
      break;
    case PROP_REVEAL_END:
      g_value_set_boolean (value, panel_dock_get_reveal_end (self->dock));
      break;
    case PROP_REVEAL_BOTTOM:
      g_value_set_boolean (value, panel_dock_get_reveal_bottom (self->dock));
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    }
}

static void
vtr_trace_page_set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  VtrTracePage *self = VTR_TRACE_PAGE (object);

  switch (id)
    {
    case PROP_REVEAL_START:
      panel_dock_set_reveal_start (self->dock, g_value_get_boolean (value));
      break;
    case PROP_REVEAL_END:
      panel_dock_set_reveal_end (self->dock, g_value_get_boolean (value));
      break;
    case PROP_REVEAL_BOTTOM:
      panel_dock_set_reveal_bottom (self->dock, g_value_get_boolean (value));
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    }
}

static void
dock_notify_cb (VtrTracePage *self, GParamSpec *pspec)
{
  g_object_notify (G_OBJECT (self), pspec->name);
}

static void
vtr_trace_page_class_init (VtrTracePageClass *klass)
{
  static const char *const names[] = { NULL, "reveal-start", "reveal-end", "reveal-bottom" };
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  object_class->dispose = vtr_trace_page_dispose;
  object_class->get_property = vtr_trace_page_get_property;
  object_class->set_property = vtr_trace_page_set_property;
  widget_class->snapshot = vtr_trace_page_snapshot;
  widget_class->focus = vtr_trace_page_focus;
  for (guint i = 1; i < N_PROPS; i++)
    properties[i] =
      g_param_spec_boolean (names[i], NULL, NULL, TRUE,
                            G_PARAM_READWRITE | G_PARAM_EXPLICIT_NOTIFY | G_PARAM_STATIC_STRINGS);
  g_object_class_install_properties (object_class, N_PROPS, properties);

  g_type_ensure (VTR_TYPE_FRAME_STRIP);
  g_type_ensure (VTR_TYPE_BANNER);
  gtk_widget_class_set_template_from_resource (widget_class,
                                               "/io/github/vitrine/Vitrine/vtr-trace-page.ui");
#define BIND(name) gtk_widget_class_bind_template_child (widget_class, VtrTracePage, name)
  BIND (strip);
  BIND (edited);
  BIND (dock);
  BIND (grid);
  BIND (start);
  BIND (end);
  BIND (bottom);
  BIND (statusbar);
#undef BIND
}

static void
init_statusbar (VtrTracePage *self)
{
  self->breadcrumb = VTR_BREADCRUMB (vtr_breadcrumb_new ());
  panel_statusbar_add_prefix (self->statusbar, 0, GTK_WIDGET (self->breadcrumb));
  self->replay = VTR_DEVICE_BUTTON (vtr_device_button_new ());
  g_signal_connect_object (self->replay, "chosen", G_CALLBACK (device_chosen_cb), self,
                           G_CONNECT_SWAPPED);
  panel_statusbar_add_suffix (self->statusbar, 0, GTK_WIDGET (self->replay));
}

static void
init_panes (VtrTracePage *self)
{
  guint n_panes;
  const VtrPaneInfo *infos = vtr_panes_list (&n_panes);
  VtrLayoutParts parts = { self->dock, self->grid, self->start, self->end, self->bottom, NULL };

  self->panes = g_ptr_array_new_with_free_func (g_object_unref);
  for (guint i = 0; i < n_panes; i++)
    {
      GtkWidget *pane = infos[i].create ();

      vtr_pane_room_add (PANEL_WIDGET (pane));
      g_ptr_array_add (self->panes, g_object_ref_sink (pane));
    }
  parts.panes = self->panes;
  self->layout = vtr_layout_new (&parts);
  gtk_widget_insert_action_group (GTK_WIDGET (self), "panes",
                                  vtr_layout_get_actions (self->layout));
}

static void
vtr_trace_page_init (VtrTracePage *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));

  vtr_banner_set_quiet (self->edited, "document-edit-symbolic");
  init_panes (self);
  init_statusbar (self);
  g_signal_connect_object (self->dock, "notify::reveal-start", G_CALLBACK (dock_notify_cb), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (self->dock, "notify::reveal-end", G_CALLBACK (dock_notify_cb), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (self->dock, "notify::reveal-bottom", G_CALLBACK (dock_notify_cb), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (self, "map", G_CALLBACK (map_cb), self,
                           G_CONNECT_SWAPPED | G_CONNECT_AFTER);
}

GtkWidget *
vtr_trace_page_new (void)
{
  return g_object_new (VTR_TYPE_TRACE_PAGE, NULL);
}

/* --- edits ----------------------------------------------------------------------------------- */

static void
update_edited (VtrTracePage *self)
{
  g_autofree char *words =
    self->session ? vtr_edits_describe (vtr_session_get_edits (self->session), FALSE) : NULL;
  g_autofree char *text = NULL;

  if (words == NULL)
    {
      vtr_banner_hide (self->edited);
      return;
    }
  /* Translators: %s is as "3 commands disabled · 1 shader replaced" */
  text = g_strdup_printf (_ ("Images show the trace with edits: %s"), words);
  vtr_banner_show (self->edited, text, _ ("Reset"), "win.reset-edits");
}

void
vtr_trace_page_set_session (VtrTracePage *self, VtrSession *session)
{
  if (self->session)
    {
      g_signal_handlers_disconnect_by_data (vtr_session_get_edits (self->session), self);
      g_signal_handlers_disconnect_by_data (self->session, self);
    }
  g_set_object (&self->session, session);

  vtr_breadcrumb_set_session (self->breadcrumb, session);
  vtr_frame_strip_set_session (self->strip, session);
  for (guint i = 0; i < self->panes->len; i++)
    vtr_pane_set_session (g_ptr_array_index (self->panes, i), session);
  if (session)
    {
      g_signal_connect_object (session, "replay-failed", G_CALLBACK (replay_failed_cb), self,
                               G_CONNECT_SWAPPED);
      g_signal_connect_object (session, "replay-changed", G_CALLBACK (replay_changed_cb), self,
                               G_CONNECT_SWAPPED);
      g_signal_connect_object (vtr_session_get_edits (session), "changed",
                               G_CALLBACK (update_edited), self, G_CONNECT_SWAPPED);
      update_replay (self);
    }
  update_edited (self);
}

VtrCommandView *
vtr_trace_page_get_commands (VtrTracePage *self)
{
  return VTR_COMMAND_VIEW (find_pane (self, "commands"));
}

VtrFramebufferView *
vtr_trace_page_get_framebuffer (VtrTracePage *self)
{
  return VTR_FRAMEBUFFER_VIEW (find_pane (self, "framebuffer"));
}

guint32
vtr_trace_page_get_image (VtrTracePage *self)
{
  VtrPane *textures = find_pane (self, "textures");

  if (textures != NULL && gtk_widget_get_mapped (GTK_WIDGET (textures)) &&
      vtr_texture_view_get_object (VTR_TEXTURE_VIEW (textures)) != 0)
    return vtr_texture_view_get_object (VTR_TEXTURE_VIEW (textures));
  return vtr_framebuffer_view_get_object (vtr_trace_page_get_framebuffer (self));
}

VtrLayout *
vtr_trace_page_get_layout (VtrTracePage *self)
{
  return self->layout;
}
