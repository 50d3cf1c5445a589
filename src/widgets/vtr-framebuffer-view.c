/* The Framebuffer pane: shows the selected command's attachments as they are after it, by
 * replay. */
#include "vtr-config.h"

#include "widgets/vtr-framebuffer-view.h"

#include <glib/gi18n.h>

#include "engine/format/vtr-trace-header.h"
#include "widgets/vtr-attachment-strip.h"
#include "widgets/vtr-focus-chain.h"
#include "widgets/vtr-fold-layout.h"
#include "widgets/vtr-image-viewer.h"
#include "widgets/vtr-overlay-chooser.h"
#include "widgets/vtr-pane-load.h"
#include "widgets/vtr-pane-state.h"
#include "widgets/vtr-pane-update.h"
#include "widgets/vtr-pane.h"
#include "widgets/vtr-replay-problem.h"
#include "widgets/vtr-thumb.h"

struct _VtrFramebufferView
{
  PanelWidget parent_instance;

  GtkStack *stack;
  VtrPaneState *empty;
  GtkWidget *column; /* viewer, strip */
  VtrImageViewer *viewer;
  VtrAttachmentStrip *strip;
  VtrOverlayChooser *overlay;

  VtrSession *session;
  guint64 index;             /* command that is to be shown */
  VtrAttachmentKind current; /* attachment that is to be shown */
  GArray *infos;
  GCancellable *loading;
  GCancellable *ahead; /* of images that are likely to be requested next */
  VtrPaneUpdate update;
  gboolean peeking;
  gboolean nothing_selected; /* the placeholder shows this */
};

static void pane_iface_init (VtrPaneInterface *iface);

G_DEFINE_FINAL_TYPE_WITH_CODE (VtrFramebufferView,
                               vtr_framebuffer_view,
                               PANEL_TYPE_WIDGET,
                               G_IMPLEMENT_INTERFACE (VTR_TYPE_PANE, pane_iface_init))

/* --- loading --------------------------------------------------------------------------------- */

static void
show_empty (VtrFramebufferView *self, const char *icon, const char *title, const char *text)
{
  vtr_image_viewer_end_loading (self->viewer);
  vtr_pane_state_set (self->empty, icon, title, text);
  gtk_stack_set_visible_child_name (self->stack, "empty");
  self->nothing_selected = FALSE;
}

static void
show_nothing_selected (VtrFramebufferView *self)
{
  show_empty (
    self, "vtr-draw-symbolic", _ ("Nothing Selected"),
    _ ("Select a command on the left to see its image, or start at the end of the frame."));
  vtr_pane_state_add_button (self->empty, _ ("Show Frame _End"), "win.frame-end");
  vtr_pane_state_add_button (self->empty, _ ("_First Draw"), "win.first-draw");
  self->nothing_selected = TRUE;
}

/* Adds buttons that remove the edits. */
static void
add_edit_buttons (VtrFramebufferView *self, VtrPaneState *state)
{
  VtrEdits *edits = vtr_session_get_edits (self->session);

  if (vtr_edits_get_overlay (edits) != VTR_OVERLAY_NONE)
    vtr_pane_state_add_button (state, _ ("Without _Overlay"), "framebuffer.overlay::none");
  if (vtr_edits_get (edits, FALSE) != NULL)
    vtr_pane_state_add_button (state, _ ("_Undo All Edits"), "framebuffer.reset");
}

static gboolean
has_draws (VtrFramebufferView *self)
{
  return vtr_timeline_get_n_draws (
           vtr_document_get_timeline (vtr_session_get_document (self->session))) > 0;
}

static void
show_nothing_drawn (VtrFramebufferView *self, const char *sentence)
{
  if (vtr_edits_get (vtr_session_get_edits (self->session), TRUE) != NULL)
    {
      show_empty (self, "vtr-pass-symbolic", _ ("Nothing to Show Here"), sentence);
      add_edit_buttons (self, self->empty);
      return;
    }
  if (!has_draws (self))
    {
      show_empty (self, "vtr-pass-symbolic", _ ("No Draws in This Trace"),
                  _ ("The Memory and Textures panes show what copies and dispatches write."));
      vtr_pane_state_add_button (self->empty, _ ("Show _Memory"), "win.show-memory");
      vtr_pane_state_add_button (self->empty, _ ("Show _Textures"), "win.show-textures");
      return;
    }
  show_empty (self, "vtr-pass-symbolic", _ ("Nothing Drawn Yet"), sentence);
  vtr_pane_state_add_draw_button (self->empty, self->session);
  vtr_pane_state_add_button (self->empty, _ ("Show Frame _End"), "win.frame-end");
}

/* An error of a replay, over the last image when there is one. */
static void
show_problem (VtrFramebufferView *self,
              const GError       *error,
              guint64             asked)
{
  gboolean has_image = vtr_image_viewer_get_image (self->viewer) != NULL;
  VtrPaneState *state = self->empty;

  if (has_image)
    state = vtr_image_viewer_show_problem (self->viewer);
  else
    gtk_stack_set_visible_child_name (self->stack, "empty");
  vtr_replay_problem_report (self->session, error, asked, state);
  if (has_image)
    vtr_image_viewer_offer_last_good (self->viewer);
  /* Most likely the edit is the cause; a small pane has no room for more buttons. */
  if (vtr_edits_get (vtr_session_get_edits (self->session), TRUE) != NULL &&
      !g_error_matches (error, VTR_REPLAY_ERROR, VTR_REPLAY_ERROR_START) &&
      !g_error_matches (error, VTR_REPLAY_ERROR, VTR_REPLAY_ERROR_DRIVER))
    {
      add_edit_buttons (self, state);
      vtr_pane_state_add_button (state, _ ("_Try Again"), "framebuffer.retry");
      return;
    }
  vtr_pane_state_add_button (state, _ ("_Try Again"), "framebuffer.retry");
  vtr_pane_state_add_button (state, _ ("Other _Device…"), "win.choose-device");
  vtr_pane_state_add_button (state, _ ("Show L_og"), "win.show-log");
}

static const VtrTarget *
find_info (VtrFramebufferView *self, VtrAttachmentKind kind)
{
  for (guint i = 0; self->infos && i < self->infos->len; i++)
    if (g_array_index (self->infos, VtrTarget, i).kind == kind)
      return &g_array_index (self->infos, VtrTarget, i);
  return NULL;
}

static void
show_image (VtrFramebufferView *self, VtrImage *image)
{
  const VtrTarget *info = find_info (self, self->current);
  g_autofree char *name = info ? vtr_attachment_describe (self->session, info) : g_strdup ("");
  g_autofree char *number = vtr_format_number (image->after);
  g_autofree char *plain =
    g_strdup_printf (_ ("%s, %u by %u, %s, after command %s"), name, image->width, image->height,
                     vtr_format_short_name (image->format), number);
  g_autofree char *badge = vtr_edits_describe (vtr_session_get_edits (self->session), TRUE);
  g_autofree char *description = g_strconcat (plain, badge ? ", " : NULL, badge, NULL);
  g_autofree char *file =
    g_strdup_printf ("%s-%" G_GUINT64_FORMAT "%s", *name ? name : "image",
                     vtr_trace_get_number (vtr_session_get_trace (self->session), image->after),
                     badge ? "-edited" : "");

  g_strcanon (file, G_CSET_A_2_Z G_CSET_a_2_z G_CSET_DIGITS "._-", '_');
  vtr_image_viewer_show (self->viewer, image, description, file);
  vtr_image_viewer_set_badge (self->viewer, badge);
  gtk_stack_set_visible_child_name (self->stack, "image");
}

/* Prefetches images that the next click is likely to request. */
static void
fetch_ahead (VtrFramebufferView *self)
{
  g_autofree char *path =
    vtr_session_get_image_path (self->session, self->index, self->current, TRUE);

  vtr_pane_load_cancel (&self->ahead);
  self->ahead = g_cancellable_new ();
  vtr_document_fetch_neighbours (vtr_session_get_document (self->session), path, self->ahead);
}

static void
loaded_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (VtrPaneLoad) load = data;
  VtrFramebufferView *self = load->owner;
  g_autoptr (GError) error = NULL;
  g_autoptr (VtrImage) image =
    vtr_document_get_image_finish (VTR_DOCUMENT (source), result, &error);

  /* A newer request has replaced this one: results of another selection never reach the widget. */
  if (vtr_pane_load_is_over (load) || self->session == NULL)
    return;
  g_clear_object (&self->loading);
  vtr_image_viewer_end_loading (self->viewer);
  if (image)
    {
      show_image (self, image);
      vtr_attachment_strip_load (self->strip);
      fetch_ahead (self);
      return;
    }
  if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    return;
  if (g_error_matches (error, VTR_RESOLVE_ERROR, VTR_RESOLVE_ERROR_NOTHING))
    {
      show_nothing_drawn (self, error->message);
      return;
    }
  show_problem (self, error, load->tag);
}

static void
cancel (VtrFramebufferView *self)
{
  vtr_pane_load_cancel (&self->loading);
  vtr_image_viewer_end_loading (self->viewer);
}

static void
load (VtrFramebufferView *self)
{
  VtrPaneLoad *request;
  g_autofree char *path = NULL;

  cancel (self);
  request = vtr_pane_load_new (self, &self->loading);
  request->tag = self->index;
  vtr_image_viewer_begin_loading (self->viewer, self->index);
  path = vtr_session_get_image_path (self->session, self->index, self->current, TRUE);
  vtr_document_get_image_async (vtr_session_get_document (self->session), path,
                                VTR_PRIORITY_INTERACTIVE, self->loading, loaded_cb, request);
  /* Only now, so that the request could use prefetched data. */
  vtr_pane_load_cancel (&self->ahead);
}

static VtrAttachmentKind
choose_attachment (VtrFramebufferView *self)
{
  if (find_info (self, self->current))
    return self->current;
  return g_array_index (self->infos, VtrTarget, 0).kind;
}

static void
update (gpointer data)
{
  VtrFramebufferView *self = data;
  g_autoptr (GError) error = NULL;

  cancel (self);
  vtr_image_viewer_hide_problem (self->viewer);
  if (self->index == VTR_COMMAND_NO_INDEX)
    {
      vtr_attachment_strip_clear (self->strip);
      show_nothing_selected (self);
      return;
    }
  g_clear_pointer (&self->infos, g_array_unref);
  self->infos =
    vtr_document_list_attachments (vtr_session_get_document (self->session), self->index, &error);
  if (self->infos == NULL || self->infos->len == 0)
    {
      vtr_attachment_strip_clear (self->strip);
      show_nothing_drawn (self, error ? error->message : _ ("This command draws nothing."));
      return;
    }
  self->current = choose_attachment (self);
  vtr_attachment_strip_set (self->strip, self->session, self->index, self->infos, self->current);
  /* Also while the first image is being loaded, because a command is selected. */
  gtk_stack_set_visible_child_name (self->stack, "image");
  load (self);
}

static void
queue_update (VtrFramebufferView *self)
{
  self->index = vtr_session_get_command (self->session);
  /* The first frame may be painted before the update. It then shows the trace's thumbnail instead
     of saying that nothing is selected. */
  if (self->index != VTR_COMMAND_NO_INDEX && self->nothing_selected)
    {
      self->nothing_selected = FALSE;
      gtk_stack_set_visible_child_name (self->stack, "image");
    }
  vtr_pane_update_queue (&self->update);
}

/* Cancels the image that is being loaded, which would show something else. */
static void
edited_cb (VtrFramebufferView *self)
{
  cancel (self);
  vtr_pane_load_cancel (&self->ahead);
  vtr_pane_update_queue (&self->update);
}

static void
attachment_selected_cb (VtrFramebufferView *self, guint kind)
{
  self->current = kind;
  vtr_image_viewer_hide_problem (self->viewer);
  load (self);
}

void
vtr_framebuffer_view_peek (VtrFramebufferView *self, gboolean peek)
{
  VtrTrace *trace;

  if (self->session == NULL || self->peeking == !!peek ||
      vtr_session_get_command (self->session) == VTR_COMMAND_NO_INDEX)
    return;
  self->peeking = !!peek;
  trace = vtr_session_get_trace (self->session);
  self->index = peek ? vtr_trace_get_frame_end (trace, vtr_session_get_frame (self->session))
                     : vtr_session_get_command (self->session);
  update (self);
}

/* --- tools ----------------------------------------------------------------------------------- */

static void
retry_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  VtrFramebufferView *self = VTR_FRAMEBUFFER_VIEW (widget);

  if (self->session)
    update (self);
}

static void
overlay_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  VtrFramebufferView *self = VTR_FRAMEBUFFER_VIEW (widget);
  VtrOverlay overlay;

  if (self->session &&
      vtr_overlay_from_string (g_variant_get_string (parameter, NULL), &overlay, NULL))
    vtr_edits_set_overlay (vtr_session_get_edits (self->session), overlay);
}

static void
reset_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  VtrFramebufferView *self = VTR_FRAMEBUFFER_VIEW (widget);

  if (self->session)
    vtr_edits_reset (vtr_session_get_edits (self->session));
}

/* --- keyboard -------------------------------------------------------------------------------- */

static gboolean
key_pressed_cb (VtrFramebufferView *self, guint key, guint code, GdkModifierType modifiers)
{
  if ((key == GDK_KEY_o || key == GDK_KEY_O) &&
      (modifiers & gtk_accelerator_get_default_mod_mask () & ~GDK_SHIFT_MASK) == 0)
    {
      vtr_overlay_chooser_popup (self->overlay);
      return GDK_EVENT_STOP;
    }
  if (key != GDK_KEY_space)
    return GDK_EVENT_PROPAGATE;
  vtr_framebuffer_view_peek (self, TRUE);
  return GDK_EVENT_STOP;
}

static void
key_released_cb (VtrFramebufferView *self, guint key)
{
  if (key == GDK_KEY_space)
    vtr_framebuffer_view_peek (self, FALSE);
}

/* --- life ------------------------------------------------------------------------------------ */

static void
drop_session (VtrFramebufferView *self)
{
  cancel (self);
  vtr_pane_load_cancel (&self->ahead);
  vtr_pane_update_cancel (&self->update);
  g_clear_pointer (&self->infos, g_array_unref);
  if (self->overlay)
    vtr_overlay_chooser_set_edits (self->overlay, NULL);
  if (self->session)
    {
      g_signal_handlers_disconnect_by_data (vtr_session_get_edits (self->session), self);
      g_signal_handlers_disconnect_by_data (self->session, self);
    }
  g_clear_object (&self->session);
}

static void
vtr_framebuffer_view_dispose (GObject *object)
{
  VTR_FRAMEBUFFER_VIEW (object)->overlay = NULL;
  drop_session (VTR_FRAMEBUFFER_VIEW (object));
  G_OBJECT_CLASS (vtr_framebuffer_view_parent_class)->dispose (object);
}

static gboolean
vtr_framebuffer_view_grab_focus (GtkWidget *widget)
{
  return gtk_widget_grab_focus (GTK_WIDGET (VTR_FRAMEBUFFER_VIEW (widget)->viewer));
}

static void
vtr_framebuffer_view_class_init (VtrFramebufferViewClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  object_class->dispose = vtr_framebuffer_view_dispose;
  widget_class->grab_focus = vtr_framebuffer_view_grab_focus;
  vtr_focus_chain_init_class (widget_class);

  g_type_ensure (VTR_TYPE_PANE_STATE);
  g_type_ensure (VTR_TYPE_IMAGE_VIEWER);
  g_type_ensure (VTR_TYPE_ATTACHMENT_STRIP);
  gtk_widget_class_set_template_from_resource (
    widget_class, "/io/github/vitrine/Vitrine/widgets/vtr-framebuffer-view.ui");
#define BIND(name) gtk_widget_class_bind_template_child (widget_class, VtrFramebufferView, name)
  BIND (stack);
  BIND (empty);
  BIND (column);
  BIND (viewer);
  BIND (strip);
#undef BIND
  gtk_widget_class_bind_template_callback (widget_class, attachment_selected_cb);
  gtk_widget_class_install_action (widget_class, "framebuffer.retry", NULL, retry_action);
  gtk_widget_class_install_action (widget_class, "framebuffer.overlay", "s", overlay_action);
  gtk_widget_class_install_action (widget_class, "framebuffer.reset", NULL, reset_action);
}

static void
vtr_framebuffer_view_init (VtrFramebufferView *self)
{
  GtkEventController *keys = gtk_event_controller_key_new ();

  self->index = VTR_COMMAND_NO_INDEX;
  gtk_widget_init_template (GTK_WIDGET (self));
  /* The replayer works while the window is drawn, but fast stepping still makes only one
   * request. */
  vtr_pane_update_init (&self->update, self, update, G_PRIORITY_HIGH_IDLE);
  gtk_widget_set_layout_manager (self->column, vtr_fold_layout_new ());
  gtk_widget_set_visible (GTK_WIDGET (self->strip), FALSE);
  self->overlay = VTR_OVERLAY_CHOOSER (vtr_overlay_chooser_new ());
  vtr_image_viewer_add_tool (self->viewer, GTK_WIDGET (self->overlay));
  g_signal_connect_object (keys, "key-pressed", G_CALLBACK (key_pressed_cb), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (keys, "key-released", G_CALLBACK (key_released_cb), self,
                           G_CONNECT_SWAPPED);
  gtk_widget_add_controller (GTK_WIDGET (vtr_image_viewer_get_canvas (self->viewer)), keys);
  show_nothing_selected (self);
}

GtkWidget *
vtr_framebuffer_view_new (void)
{
  return g_object_new (VTR_TYPE_FRAMEBUFFER_VIEW, NULL);
}

/* Shows the trace's thumbnail while the first image is replayed. */
static void
show_preview (VtrFramebufferView *self)
{
  g_autoptr (GBytes) png = vtr_trace_dup_thumbnail (vtr_session_get_trace (self->session));
  g_autoptr (GdkTexture) texture = png ? vtr_thumb_texture_from_png (png) : NULL;

  if (texture)
    vtr_image_viewer_set_preview (self->viewer, GDK_PAINTABLE (texture));
}

void
vtr_framebuffer_view_set_preview (VtrFramebufferView *self, GdkPaintable *preview)
{
  if (vtr_image_viewer_get_image (self->viewer) == NULL)
    vtr_image_viewer_set_preview (self->viewer, preview);
}

void
vtr_framebuffer_view_set_session (VtrFramebufferView *self, VtrSession *session)
{
  drop_session (self);
  vtr_image_viewer_set_session (self->viewer, session);
  vtr_attachment_strip_clear (self->strip);
  if (session == NULL)
    return;
  self->session = g_object_ref (session);
  show_preview (self);
  g_signal_connect_object (session, "selection-changed", G_CALLBACK (queue_update), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (vtr_session_get_edits (session), "changed", G_CALLBACK (edited_cb), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (vtr_session_get_edits (session), "overlay-changed",
                           G_CALLBACK (edited_cb), self, G_CONNECT_SWAPPED);
  vtr_overlay_chooser_set_edits (self->overlay, vtr_session_get_edits (session));
  queue_update (self);
}

guint32
vtr_framebuffer_view_get_object (VtrFramebufferView *self)
{
  const VtrTarget *info = find_info (self, self->current);

  return info != NULL ? info->object : 0;
}

char *
vtr_framebuffer_view_dup_image_path (VtrFramebufferView *self, GError **error)
{
  vtr_pane_update_flush (&self->update);
  if (self->session == NULL || self->index == VTR_COMMAND_NO_INDEX)
    g_set_error (error, VTR_RESOLVE_ERROR, VTR_RESOLVE_ERROR_NOTHING,
                 _ ("No image to save: no command is selected"));
  else if (self->infos == NULL || self->infos->len == 0)
    g_set_error (error, VTR_RESOLVE_ERROR, VTR_RESOLVE_ERROR_NOTHING,
                 _ ("No image to save: this command draws nothing"));
  else
    return vtr_session_get_image_path (self->session, self->index, self->current, TRUE);
  return NULL;
}

static void
pane_set_session (VtrPane *pane, VtrSession *session)
{
  vtr_framebuffer_view_set_session (VTR_FRAMEBUFFER_VIEW (pane), session);
}

static gboolean
pane_show_path (VtrPane *pane, const char *path)
{
  VtrFramebufferView *self = VTR_FRAMEBUFFER_VIEW (pane);
  const char *name = vtr_pane_match_path (path, "framebuffer");
  VtrAttachmentKind kind = VTR_ATTACHMENT_COLOR0;

  if (name == NULL || self->session == NULL)
    return FALSE;
  if (g_str_has_prefix (name, "/depth"))
    kind = VTR_ATTACHMENT_DEPTH;
  else if (g_str_has_prefix (name, "/stencil"))
    kind = VTR_ATTACHMENT_STENCIL;
  else if (g_str_has_prefix (name, "/color"))
    kind = (VtrAttachmentKind)MIN (g_ascii_strtoull (name + strlen ("/color"), NULL, 10), 31);
  self->current = kind;
  queue_update (self);
  return TRUE;
}

static void
pane_iface_init (VtrPaneInterface *iface)
{
  iface->set_session = pane_set_session;
  iface->show_path = pane_show_path;
}
