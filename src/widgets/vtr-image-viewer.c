/* An image canvas with its toolbar and footer, for the Framebuffer and Textures panes: channels,
 * range, zoom, texel values, save and copy. */
#include "vtr-config.h"

#include "widgets/vtr-image-viewer.h"

#include <glib/gi18n.h>

#include "widgets/vtr-accessible.h"
#include "widgets/vtr-attachment-strip.h"
#include "widgets/vtr-copy-menu.h"
#include "widgets/vtr-export.h"
#include "widgets/vtr-focus-chain.h"
#include "widgets/vtr-image-range.h"
#include "widgets/vtr-overdraw-legend.h"
#include "widgets/vtr-texel-text.h"
#include "widgets/vtr-wrap-layout.h"

#define SPINNER_DELAY_MS 200

struct _VtrImageViewer
{
  GtkWidget parent_instance;

  GtkWidget *tools;
  GtkWidget *added; /* of the pane; NULL: none */
  GtkWidget *channels;
  GtkToggleButton *red, *green, *blue, *alpha;
  GtkToggleButton *range;
  GtkWidget *range_tools;
  GtkToggleButton *fit;
  GtkToggleButton *flip;
  GtkWidget *original;
  GtkWidget *save;
  GtkWidget *auto_range;
  GtkLabel *zoom;
  GtkSpinButton *low, *high;
  VtrImageCanvas *canvas;
  GtkPicture *preview; /* of the trace, until there is an image */
  GtkWidget *waiting;  /* describes the preview while there is no image */
  GtkWidget *waiting_spinner;
  GtkLabel *waiting_text;
  VtrPaneState *problem;
  GtkWidget *badge;
  GtkLabel *badge_text;
  GtkWidget *legend_box; /* of the overdraw overlay */
  VtrOverdrawLegend *legend;
  GtkWidget *spinner;
  GtkLabel *position;
  GtkLabel *channel_names;
  GtkLabel *texel;
  GtkLabel *facts;

  VtrSession *session;
  guint64 wanted; /* command whose image is to be shown */
  char *save_name;
  guint spinner_timeout;
  gboolean loading; /* an image was requested */
  guint compact_idle;
  gboolean compact; /* not all tools fit, nor the names of the channels */
  gboolean show_range, flipped;
  gboolean user_range; /* the range was set by hand: leave it */
  gboolean syncing;
};

G_DEFINE_FINAL_TYPE (VtrImageViewer, vtr_image_viewer, GTK_TYPE_WIDGET)

/* Actions for the menu, which has the same toggles as the tool row. */
enum
{
  PROP_0,
  PROP_SHOW_RANGE,
  PROP_FLIP,
  N_PROPS
};

static GParamSpec *properties[N_PROPS];

/* --- read-out -------------------------------------------------------------------------------- */

/* An empty text does not take the focus. */
static void
set_texel (VtrImageViewer *self, const char *text)
{
  gtk_label_set_label (self->texel, text);
  gtk_label_set_selectable (self->texel, *text != '\0');
}

/* If both texts do not fit into the line, only the texel under the pointer is shown. */
static void
make_room_for_texel (VtrImageViewer *self)
{
  GtkWidget *facts = GTK_WIDGET (self->facts), *line = gtk_widget_get_parent (facts);
  int room = gtk_widget_get_width (line);

  gtk_widget_set_visible (facts, TRUE);
  if (room == 0 || *gtk_label_get_label (self->texel) == '\0')
    return;
  for (GtkWidget *child = gtk_widget_get_first_child (line); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    {
      int natural = 0;

      if (!gtk_widget_get_visible (child))
        continue;
      gtk_widget_measure (child, GTK_ORIENTATION_HORIZONTAL, -1, NULL, &natural, NULL, NULL);
      room -= natural + gtk_box_get_spacing (GTK_BOX (line));
    }
  gtk_widget_set_visible (facts, room >= 0);
}

static void
update_texel (VtrImageViewer *self)
{
  VtrImage *image = vtr_image_canvas_get_image (self->canvas);
  g_autofree char *position = NULL;
  g_autofree char *text = NULL;
  const char *channels;
  guint32 x, y;

  if (image == NULL || !vtr_image_canvas_get_texel (self->canvas, &x, &y) || x >= image->width ||
      y >= image->height)
    {
      gtk_label_set_label (self->position, "");
      gtk_label_set_label (self->channel_names, "");
      set_texel (self, "");
      make_room_for_texel (self);
      return;
    }
  position = g_strdup_printf ("x %u  y %u", x, y);
  gtk_label_set_label (self->position, position);
  text = vtr_texel_text_new (image, x, y, &channels);
  gtk_label_set_label (self->channel_names, channels);
  set_texel (self, text);
  make_room_for_texel (self);
}

static void
update_facts (VtrImageViewer *self)
{
  VtrImage *image = vtr_image_canvas_get_image (self->canvas);
  VtrHistory *history = vtr_document_get_history (vtr_session_get_document (self->session));
  const VtrObject *object =
    image && image->image && history ? vtr_history_get_object (history, image->image) : NULL;
  g_autoptr (GString) text = g_string_new (NULL);

  if (image)
    {
      g_string_append_printf (text, "%u × %u · %s", image->width, image->height,
                              vtr_format_short_name (image->format));
      if (object)
        {
          g_autofree char *name = vtr_history_describe (history, object);
          g_autofree char *escaped = g_markup_escape_text (name, -1);

          g_string_append_printf (text, " · <a href=\"objects/%u\">%s</a>", image->image, escaped);
        }
      if (image->after != self->wanted)
        {
          g_autofree char *number = vtr_format_number (image->after);
          g_autofree char *note = g_strdup_printf (_ ("after command %s"), number);

          g_string_append_printf (text, " · %s", note);
        }
    }
  gtk_label_set_markup (self->facts, text->str);
}

static gboolean
activate_link_cb (VtrImageViewer *self, const char *uri)
{
  gtk_widget_activate_action (GTK_WIDGET (self), "win.select", "s", uri);
  return TRUE;
}

/* --- loading --------------------------------------------------------------------------------- */

/* The image is pale while it is not the requested one. */
static void
update_stale (VtrImageViewer *self)
{
  if (gtk_widget_get_visible (GTK_WIDGET (self->problem)) || gtk_widget_get_visible (self->spinner))
    gtk_widget_add_css_class (GTK_WIDGET (self->canvas), "stale");
  else
    gtk_widget_remove_css_class (GTK_WIDGET (self->canvas), "stale");
}

/* Until there is an image: what the preview is, or why the canvas is empty. */
static void
update_waiting (VtrImageViewer *self)
{
  gboolean preview = gtk_widget_get_visible (GTK_WIDGET (self->preview));
  gboolean empty = vtr_image_canvas_get_image (self->canvas) == NULL &&
                   gtk_widget_get_visible (self->spinner) &&
                   !gtk_widget_get_visible (GTK_WIDGET (self->problem));
  GtkAlign align = preview ? GTK_ALIGN_START : GTK_ALIGN_CENTER;

  gtk_widget_set_visible (self->waiting, preview || empty);
  /* One spinner is enough. */
  gtk_widget_set_opacity (self->spinner, preview || empty ? 0 : 1);
  gtk_widget_set_visible (self->waiting_spinner, self->loading);
  gtk_spinner_set_spinning (GTK_SPINNER (self->waiting_spinner), self->loading);
  gtk_widget_set_halign (self->waiting, align);
  gtk_widget_set_valign (self->waiting, align);
  gtk_label_set_label (self->waiting_text, !preview        ? _ ("Replaying…")
                                           : self->loading ? _ ("Preview · Replaying…")
                                                           : _ ("Preview"));
}

static void
hide_spinner (VtrImageViewer *self)
{
  self->loading = FALSE;
  g_clear_handle_id (&self->spinner_timeout, g_source_remove);
  gtk_spinner_set_spinning (GTK_SPINNER (self->spinner), FALSE);
  gtk_widget_set_visible (self->spinner, FALSE);
  update_stale (self);
  update_waiting (self);
}

static gboolean
spinner_timeout_cb (gpointer data)
{
  VtrImageViewer *self = data;

  self->spinner_timeout = 0;
  gtk_widget_set_visible (self->spinner, TRUE);
  gtk_spinner_set_spinning (GTK_SPINNER (self->spinner), TRUE);
  update_stale (self);
  update_waiting (self);
  return G_SOURCE_REMOVE;
}

static void
set_tools_sensitive (VtrImageViewer *self, gboolean sensitive)
{
  for (GtkWidget *tool = gtk_widget_get_first_child (self->tools); tool;
       tool = gtk_widget_get_next_sibling (tool))
    if (tool != self->added)
      gtk_widget_set_sensitive (tool, sensitive);
}

void
vtr_image_viewer_hide_problem (VtrImageViewer *self)
{
  gtk_widget_set_visible (GTK_WIDGET (self->problem), FALSE);
  set_tools_sensitive (self, TRUE);
  update_stale (self);
}

/* --- range ----------------------------------------------------------------------------------- */

static void
set_range (VtrImageViewer *self, double low, double high)
{
  self->syncing = TRUE;
  gtk_spin_button_set_value (self->low, low);
  gtk_spin_button_set_value (self->high, high);
  self->syncing = FALSE;
  vtr_image_canvas_set_range (self->canvas, low, high > low ? high : low + 1e-6);
  vtr_overdraw_legend_set_range (self->legend, low, high);
}

static void
reset_range_cb (VtrImageViewer *self)
{
  self->user_range = FALSE;
  set_range (self, 0, 1);
}

static void
range_found_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  VtrImageViewer *self = VTR_IMAGE_VIEWER (source);
  double low, high;

  gtk_widget_set_sensitive (self->auto_range, TRUE);
  if (vtr_image_range_find_finish (result, &low, &high))
    set_range (self, low, high);
}

static void
auto_range_cb (VtrImageViewer *self)
{
  VtrImage *image = vtr_image_canvas_get_image (self->canvas);

  if (image == NULL)
    return;
  gtk_widget_set_sensitive (self->auto_range, FALSE);
  vtr_image_range_find_async (self, image, vtr_image_canvas_get_channels (self->canvas),
                              range_found_cb, NULL);
}

static void
channel_toggled_cb (VtrImageViewer *self)
{
  VtrChannels channels = 0;

  if (self->syncing)
    return;
  channels |= gtk_toggle_button_get_active (self->red) ? VTR_CHANNEL_R : 0;
  channels |= gtk_toggle_button_get_active (self->green) ? VTR_CHANNEL_G : 0;
  channels |= gtk_toggle_button_get_active (self->blue) ? VTR_CHANNEL_B : 0;
  channels |= gtk_toggle_button_get_active (self->alpha) ? VTR_CHANNEL_A : 0;
  vtr_image_canvas_set_channels (self->canvas, channels);
}

/* --- tools ----------------------------------------------------------------------------------- */

static void
channels_changed_cb (VtrImageViewer *self)
{
  VtrChannels channels = vtr_image_canvas_get_channels (self->canvas);

  if (!gtk_widget_get_visible (self->channels))
    return;
  self->syncing = TRUE;
  gtk_toggle_button_set_active (self->red, (channels & VTR_CHANNEL_R) != 0);
  gtk_toggle_button_set_active (self->green, (channels & VTR_CHANNEL_G) != 0);
  gtk_toggle_button_set_active (self->blue, (channels & VTR_CHANNEL_B) != 0);
  gtk_toggle_button_set_active (self->alpha, (channels & VTR_CHANNEL_A) != 0);
  self->syncing = FALSE;
}

static void
zoom_changed_cb (VtrImageViewer *self)
{
  g_autofree char *text = NULL;

  /* Without an image or an allocated size there is no scale. */
  if (vtr_image_canvas_get_image (self->canvas) != NULL &&
      gtk_widget_get_width (GTK_WIDGET (self->canvas)) > 0)
    text = g_strdup_printf ("%.0f\u202f%%", vtr_image_canvas_get_scale (self->canvas) * 100);
  gtk_label_set_label (self->zoom, text != NULL ? text : "");
}

static void
original_cb (VtrImageViewer *self)
{
  vtr_image_canvas_set_scale (self->canvas, 1);
}

static void
range_changed_cb (VtrImageViewer *self)
{
  double low = gtk_spin_button_get_value (self->low);
  double high = gtk_spin_button_get_value (self->high);

  if (self->syncing)
    return;
  self->user_range = TRUE;
  vtr_image_canvas_set_range (self->canvas, low, high > low ? high : low + 1e-6);
  vtr_overdraw_legend_set_range (self->legend, low, high);
}

static void
save_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  VtrImageViewer *self = VTR_IMAGE_VIEWER (widget);
  VtrImage *image = vtr_image_canvas_get_image (self->canvas);
  g_autofree char *file =
    g_strconcat (self->save_name != NULL ? self->save_name : "image", ".png", NULL);

  if (image != NULL)
    vtr_export_image (widget, image, file);
}

static void
copy_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  VtrImage *image = vtr_image_canvas_get_image (VTR_IMAGE_VIEWER (widget)->canvas);

  if (image != NULL)
    vtr_copy_image (widget, image);
}

static void
show_last_good_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  vtr_image_viewer_hide_problem (VTR_IMAGE_VIEWER (widget));
}

/* --- layout ---------------------------------------------------------------------------------- */

/* Whether all tools together are too wide for one line. */
static gboolean
is_compact (VtrImageViewer *self)
{
  int width;

  gtk_widget_measure (self->tools, GTK_ORIENTATION_HORIZONTAL, -1, NULL, &width, NULL, NULL);
  return width > gtk_widget_get_width (GTK_WIDGET (self));
}

static gboolean
compact_idle_cb (gpointer data)
{
  VtrImageViewer *self = data;

  self->compact_idle = 0;
  self->compact = is_compact (self);
  gtk_widget_set_visible (GTK_WIDGET (self->channel_names), !self->compact);
  return G_SOURCE_REMOVE;
}

/* Checked while drawing, because the layout must not change during allocation. */
static void
vtr_image_viewer_snapshot (GtkWidget *widget, GtkSnapshot *snapshot)
{
  VtrImageViewer *self = VTR_IMAGE_VIEWER (widget);

  GTK_WIDGET_CLASS (vtr_image_viewer_parent_class)->snapshot (widget, snapshot);
  if (is_compact (self) != self->compact && self->compact_idle == 0)
    self->compact_idle = g_idle_add_full (G_PRIORITY_HIGH_IDLE, compact_idle_cb, self, NULL);
}

/* --- life ------------------------------------------------------------------------------------ */

static void
vtr_image_viewer_dispose (GObject *object)
{
  VtrImageViewer *self = VTR_IMAGE_VIEWER (object);
  GtkWidget *child;

  g_clear_handle_id (&self->spinner_timeout, g_source_remove);
  g_clear_handle_id (&self->compact_idle, g_source_remove);
  g_clear_object (&self->session);
  g_clear_pointer (&self->save_name, g_free);
  while ((child = gtk_widget_get_first_child (GTK_WIDGET (self))))
    gtk_widget_unparent (child);
  G_OBJECT_CLASS (vtr_image_viewer_parent_class)->dispose (object);
}

static void
vtr_image_viewer_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  VtrImageViewer *self = VTR_IMAGE_VIEWER (object);

  if (id == PROP_SHOW_RANGE)
    g_value_set_boolean (value, self->show_range);
  else if (id == PROP_FLIP)
    g_value_set_boolean (value, self->flipped);
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
}

static void
vtr_image_viewer_set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  VtrImageViewer *self = VTR_IMAGE_VIEWER (object);
  gboolean *field = id == PROP_SHOW_RANGE ? &self->show_range : &self->flipped;

  if (id != PROP_SHOW_RANGE && id != PROP_FLIP)
    {
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
      return;
    }
  if (*field == g_value_get_boolean (value))
    return;
  *field = g_value_get_boolean (value);
  g_object_notify_by_pspec (object, pspec);
}

static gboolean
vtr_image_viewer_grab_focus (GtkWidget *widget)
{
  return gtk_widget_grab_focus (GTK_WIDGET (VTR_IMAGE_VIEWER (widget)->canvas));
}

static void
vtr_image_viewer_class_init (VtrImageViewerClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  const GParamFlags flags = G_PARAM_READWRITE | G_PARAM_EXPLICIT_NOTIFY | G_PARAM_STATIC_STRINGS;

  object_class->dispose = vtr_image_viewer_dispose;
  object_class->get_property = vtr_image_viewer_get_property;
  object_class->set_property = vtr_image_viewer_set_property;
  properties[PROP_SHOW_RANGE] = g_param_spec_boolean ("show-range", NULL, NULL, FALSE, flags);
  properties[PROP_FLIP] = g_param_spec_boolean ("flip", NULL, NULL, FALSE, flags);
  g_object_class_install_properties (object_class, N_PROPS, properties);
  widget_class->grab_focus = vtr_image_viewer_grab_focus;
  vtr_focus_chain_init_class (widget_class);
  widget_class->snapshot = vtr_image_viewer_snapshot;

  g_type_ensure (VTR_TYPE_PANE_STATE);
  g_type_ensure (VTR_TYPE_IMAGE_CANVAS);
  g_type_ensure (VTR_TYPE_OVERDRAW_LEGEND);
  gtk_widget_class_set_css_name (widget_class, "vtrimageviewer");
  gtk_widget_class_set_template_from_resource (
    widget_class, "/io/github/vitrine/Vitrine/widgets/vtr-image-viewer.ui");
#define BIND(name) gtk_widget_class_bind_template_child (widget_class, VtrImageViewer, name)
  BIND (tools);
  BIND (channels);
  BIND (red);
  BIND (green);
  BIND (blue);
  BIND (alpha);
  BIND (range);
  BIND (range_tools);
  BIND (fit);
  BIND (flip);
  BIND (original);
  BIND (save);
  BIND (auto_range);
  BIND (zoom);
  BIND (low);
  BIND (high);
  BIND (canvas);
  BIND (preview);
  BIND (waiting);
  BIND (waiting_spinner);
  BIND (waiting_text);
  BIND (problem);
  BIND (badge);
  BIND (badge_text);
  BIND (legend_box);
  BIND (legend);
  BIND (spinner);
  BIND (position);
  BIND (channel_names);
  BIND (texel);
  BIND (facts);
#undef BIND
  gtk_widget_class_install_action (widget_class, "viewer.save", NULL, save_action);
  gtk_widget_class_install_action (widget_class, "viewer.copy", NULL, copy_action);
  gtk_widget_class_install_action (widget_class, "viewer.show-last-good", NULL,
                                   show_last_good_action);
  gtk_widget_class_install_property_action (widget_class, "viewer.range", "show-range");
  gtk_widget_class_install_property_action (widget_class, "viewer.flip", "flip");
  gtk_widget_class_bind_template_callback (widget_class, channel_toggled_cb);
  gtk_widget_class_bind_template_callback (widget_class, original_cb);
  gtk_widget_class_bind_template_callback (widget_class, range_changed_cb);
  gtk_widget_class_bind_template_callback (widget_class, auto_range_cb);
  gtk_widget_class_bind_template_callback (widget_class, reset_range_cb);
  gtk_widget_class_bind_template_callback (widget_class, activate_link_cb);
}

static void
vtr_image_viewer_init (VtrImageViewer *self)
{
  self->wanted = VTR_COMMAND_NO_INDEX;
  gtk_widget_init_template (GTK_WIDGET (self));
  gtk_widget_set_layout_manager (self->tools, vtr_wrap_layout_new (3, GTK_ALIGN_START));
  /* Hides tools that do not fit. The menu has them, too, except zooming. */
  vtr_wrap_layout_set_optional (self->save, 1);
  vtr_wrap_layout_set_optional (GTK_WIDGET (self->range), 2);
  vtr_wrap_layout_set_optional (GTK_WIDGET (self->zoom), 3);
  vtr_wrap_layout_set_optional (GTK_WIDGET (self->flip), 4);
  gtk_widget_set_layout_manager (self->range_tools, vtr_wrap_layout_new (6, GTK_ALIGN_START));
  vtr_accessible_name_buttons (self->range_tools);
  vtr_copy_menu_add (GTK_WIDGET (self->texel));
  vtr_pane_state_set_card (self->problem, TRUE);
  g_object_bind_property (self, "show-range", self->range, "active", G_BINDING_BIDIRECTIONAL);
  g_object_bind_property (self, "flip", self->flip, "active", G_BINDING_BIDIRECTIONAL);
  g_object_bind_property (self->canvas, "fit", self->fit, "active",
                          G_BINDING_BIDIRECTIONAL | G_BINDING_SYNC_CREATE);
  g_object_bind_property (self->flip, "active", self->canvas, "flip", G_BINDING_SYNC_CREATE);
  g_signal_connect_object (self->canvas, "notify::scale", G_CALLBACK (zoom_changed_cb), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (self->canvas, "notify::channels", G_CALLBACK (channels_changed_cb), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (self->canvas, "texel-changed", G_CALLBACK (update_texel), self,
                           G_CONNECT_SWAPPED);
}

GtkWidget *
vtr_image_viewer_new (void)
{
  return g_object_new (VTR_TYPE_IMAGE_VIEWER, NULL);
}

VtrImageCanvas *
vtr_image_viewer_get_canvas (VtrImageViewer *self)
{
  return self->canvas;
}

void
vtr_image_viewer_add_tool (VtrImageViewer *self, GtkWidget *tool)
{
  self->added = tool;
  gtk_box_prepend (GTK_BOX (self->tools), tool);
}

void
vtr_image_viewer_set_badge (VtrImageViewer *self, const char *text)
{
  gtk_widget_set_visible (self->badge, text != NULL);
  gtk_label_set_label (self->badge_text, text != NULL ? text : "");
}

void
vtr_image_viewer_set_session (VtrImageViewer *self, VtrSession *session)
{
  hide_spinner (self);
  vtr_image_viewer_set_badge (self, NULL);
  vtr_image_viewer_hide_problem (self);
  g_set_object (&self->session, session);
  vtr_image_canvas_set_image (self->canvas, NULL, NULL);
  gtk_widget_set_visible (self->legend_box, FALSE);
  vtr_image_viewer_set_preview (self, NULL);
  zoom_changed_cb (self);
}

void
vtr_image_viewer_set_preview (VtrImageViewer *self, GdkPaintable *preview)
{
  gtk_picture_set_paintable (self->preview, preview);
  gtk_widget_set_visible (GTK_WIDGET (self->preview), preview != NULL);
  update_waiting (self);
}

void
vtr_image_viewer_begin_loading (VtrImageViewer *self, guint64 wanted)
{
  self->wanted = wanted;
  self->loading = TRUE;
  update_waiting (self);
  g_clear_handle_id (&self->spinner_timeout, g_source_remove);
  self->spinner_timeout = g_timeout_add (SPINNER_DELAY_MS, spinner_timeout_cb, self);
}

void
vtr_image_viewer_end_loading (VtrImageViewer *self)
{
  hide_spinner (self);
}

void
vtr_image_viewer_show (
  VtrImageViewer *self, VtrImage *image, const char *description, const char *save_name)
{
  gboolean color = image == NULL || (image->aspect != VTR_PIXEL_DEPTH &&
                                     image->aspect != VTR_PIXEL_STENCIL);

  hide_spinner (self);
  vtr_image_viewer_hide_problem (self);
  vtr_image_viewer_set_preview (self, NULL);
  g_free (self->save_name);
  self->save_name = g_strdup (save_name);
  gtk_widget_set_visible (self->channels, color);
  if (color)
    channel_toggled_cb (self);
  else
    vtr_image_canvas_set_channels (self->canvas, VTR_CHANNEL_RGB);
  vtr_image_canvas_set_image (self->canvas, image, description);
  gtk_widget_set_visible (self->legend_box,
                          image != NULL && image->overlay == VTR_OVERLAY_OVERDRAW);
  update_facts (self);
  update_texel (self);
  /* Depth values are mostly close to 1, which would show as plain white. */
  if (!self->user_range && !color)
    auto_range_cb (self);
  else if (!self->user_range)
    set_range (self, 0, 1);
}

VtrImage *
vtr_image_viewer_get_image (VtrImageViewer *self)
{
  return vtr_image_canvas_get_image (self->canvas);
}

VtrPaneState *
vtr_image_viewer_show_problem (VtrImageViewer *self)
{
  hide_spinner (self);
  gtk_widget_set_visible (GTK_WIDGET (self->problem), TRUE);
  set_tools_sensitive (self, FALSE);
  update_stale (self);
  update_facts (self);
  return self->problem;
}

void
vtr_image_viewer_offer_last_good (VtrImageViewer *self)
{
  vtr_pane_state_add_button (self->problem, _ ("Show _Last Good Image"), "viewer.show-last-good");
}
