#include "vtr-config.h"

#include "widgets/vtr-framebuffer-view.h"

#include <float.h>
#include <glib/gi18n.h>
#include <math.h>

#include "engine/replay/vtr-replay-backend.h"
#include "widgets/vtr-attachment-strip.h"
#include "widgets/vtr-image-canvas.h"
#include "widgets/vtr-pane-state.h"
#include "widgets/vtr-pane.h"

#define SPINNER_DELAY_MS 200

struct _VtrFramebufferView
{
  PanelWidget parent_instance;

  GtkStack *stack;
  VtrPaneState *empty;
  VtrPaneState *problem;
  GtkWidget *tools;
  GtkWidget *channels;
  GtkToggleButton *red, *green, *blue, *alpha;
  GtkToggleButton *range;
  GtkToggleButton *fit;
  GtkToggleButton *flip;
  GtkWidget *original;
  GtkWidget *auto_range;
  GtkLabel *zoom;
  GtkSpinButton *low, *high;
  VtrImageCanvas *canvas;
  GtkWidget *spinner;
  GtkLabel *position;
  GtkLabel *channel_names;
  GtkLabel *texel;
  GtkLabel *facts;
  VtrAttachmentStrip *strip;

  VtrSession *session;
  guint64 index;             /* command that is to be shown */
  VtrAttachmentKind current; /* attachment that is to be shown */
  GArray *infos;
  GCancellable *loading;
  guint spinner_timeout;
  guint update_idle;
  gboolean peeking;
  gboolean user_range; /* the range was set by hand: leave it */
  gboolean syncing;
};

static void pane_iface_init (VtrPaneInterface *iface);

G_DEFINE_FINAL_TYPE_WITH_CODE (VtrFramebufferView,
                               vtr_framebuffer_view,
                               PANEL_TYPE_WIDGET,
                               G_IMPLEMENT_INTERFACE (VTR_TYPE_PANE, pane_iface_init))

/* --- read-out -------------------------------------------------------------------------------- */

static void
append_value (GString *text, double value)
{
  if (text->len > 0)
    g_string_append (text, "  ");
  if (value == floor (value) && fabs (value) >= 2 && fabs (value) < 1e9)
    g_string_append_printf (text, "%.0f", value);
  else if (fabs (value) >= 1000 || (value != 0 && fabs (value) < .001))
    g_string_append_printf (text, "%.3e", value);
  else
    g_string_append_printf (text, "%.4f", value);
}

static void
update_texel (VtrFramebufferView *self)
{
  VtrImage *image = vtr_image_canvas_get_image (self->canvas);
  g_autofree char *position = NULL;
  g_autoptr (GString) text = g_string_new (NULL);
  double values[4];
  guint32 x, y;
  guint n;

  if (image == NULL || !vtr_image_canvas_get_texel (self->canvas, &x, &y) || x >= image->width ||
      y >= image->height)
    {
      gtk_label_set_label (self->position, "");
      gtk_label_set_label (self->channel_names, "");
      gtk_label_set_label (self->texel, "");
      return;
    }
  n = vtr_image_read_texel (image, x, y, values);
  for (guint i = 0; i < n; i++)
    append_value (text, values[i]);
  position = g_strdup_printf ("x %u  y %u", x, y);
  gtk_label_set_label (self->position, position);
  if (image->aspect == VK_IMAGE_ASPECT_DEPTH_BIT)
    gtk_label_set_label (self->channel_names, _ ("Depth"));
  else if (image->aspect == VK_IMAGE_ASPECT_STENCIL_BIT)
    gtk_label_set_label (self->channel_names, _ ("Stencil"));
  else
    gtk_label_set_label (self->channel_names, n == 4   ? "RGBA"
                                              : n == 3 ? "RGB"
                                              : n == 2 ? "RG"
                                                       : "R");
  gtk_label_set_label (self->texel, text->str);
}

static void
update_facts (VtrFramebufferView *self)
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
      if (image->after != self->index)
        {
          g_autofree char *number = vtr_format_number (image->after);
          g_autofree char *note = g_strdup_printf (_ ("after command %s"), number);

          g_string_append_printf (text, " · %s", note);
        }
    }
  gtk_label_set_markup (self->facts, text->str);
}

static gboolean
activate_link_cb (VtrFramebufferView *self, const char *uri)
{
  gtk_widget_activate_action (GTK_WIDGET (self), "win.select", "s", uri);
  return TRUE;
}

/* --- loading --------------------------------------------------------------------------------- */

static void
hide_spinner (VtrFramebufferView *self)
{
  g_clear_handle_id (&self->spinner_timeout, g_source_remove);
  gtk_spinner_set_spinning (GTK_SPINNER (self->spinner), FALSE);
  gtk_widget_set_visible (self->spinner, FALSE);
}

static gboolean
spinner_timeout_cb (gpointer data)
{
  VtrFramebufferView *self = data;

  self->spinner_timeout = 0;
  gtk_widget_set_visible (self->spinner, TRUE);
  gtk_spinner_set_spinning (GTK_SPINNER (self->spinner), TRUE);
  return G_SOURCE_REMOVE;
}

static void
set_tools_sensitive (VtrFramebufferView *self, gboolean sensitive)
{
  gtk_widget_set_sensitive (self->tools, sensitive);
  if (sensitive)
    gtk_widget_remove_css_class (GTK_WIDGET (self->canvas), "stale");
  else
    gtk_widget_add_css_class (GTK_WIDGET (self->canvas), "stale");
}

static void
hide_problem (VtrFramebufferView *self)
{
  gtk_widget_set_visible (GTK_WIDGET (self->problem), FALSE);
  set_tools_sensitive (self, TRUE);
}

static void
show_empty (VtrFramebufferView *self, const char *icon, const char *title, const char *text)
{
  hide_spinner (self);
  vtr_pane_state_set (self->empty, icon, title, text);
  gtk_stack_set_visible_child_name (self->stack, "empty");
}

static void
show_nothing_selected (VtrFramebufferView *self)
{
  show_empty (
    self, "vtr-draw-symbolic", _ ("Nothing Selected"),
    _ ("Pick a command at the left to see what it drew, or start at the end of the frame."));
  vtr_pane_state_add_button (self->empty, _ ("Show Frame _End"), "win.frame-end");
  vtr_pane_state_add_button (self->empty, _ ("_First Draw"), "win.first-draw");
}

static void
show_nothing_drawn (VtrFramebufferView *self, const char *sentence)
{
  show_empty (self, "vtr-pass-symbolic", _ ("Nothing Drawn Yet"), sentence);
  vtr_pane_state_add_button (self->empty, _ ("_Next Draw"), "win.next-draw");
  vtr_pane_state_add_button (self->empty, _ ("Show Frame _End"), "win.frame-end");
}

/* The command to blame: what the replayer was running when it ended, else what was asked for. */
static guint64
get_failed_command (VtrFramebufferView *self,
                    guint64             asked,
                    const GError       *error)
{
  guint64 failed = vtr_document_get_failed_command (vtr_session_get_document (self->session));

  if (failed != VTR_COMMAND_NO_INDEX &&
      (g_error_matches (error, VTR_REPLAY_ERROR, VTR_REPLAY_ERROR_DIED) ||
       g_error_matches (error, VTR_REPLAY_ERROR, VTR_REPLAY_ERROR_VULKAN)))
    return failed;
  return asked;
}

/* An error of a replay, over the last image when there is one. */
static void
show_problem (VtrFramebufferView *self,
              const GError       *error,
              guint64             failed)
{
  VtrPaneState *state = self->empty;
  gboolean has_image = vtr_image_canvas_get_image (self->canvas) != NULL;
  g_autofree char *number = vtr_format_number (failed);
  g_autofree char *stopped = g_strdup_printf (_ ("Replay Stopped at Command %s"), number);
  const char *title = stopped;

  if (g_error_matches (error, VTR_REPLAY_ERROR, VTR_REPLAY_ERROR_START))
    title = _ ("Replay Cannot Start");
  else if (g_error_matches (error, VTR_REPLAY_ERROR, VTR_REPLAY_ERROR_DRIVER))
    title = _ ("This Device Cannot Replay");
  else if (g_error_matches (error, VTR_REPLAY_ERROR, VTR_REPLAY_ERROR_UNSUPPORTED) ||
           g_error_matches (error, VTR_REPLAY_ERROR, VTR_REPLAY_ERROR_TRACE))
    title = _ ("This Image Cannot Be Shown");

  hide_spinner (self);
  if (has_image)
    {
      state = self->problem;
      gtk_widget_set_visible (GTK_WIDGET (state), TRUE);
      set_tools_sensitive (self, FALSE);
      update_facts (self);
    }
  else
    gtk_stack_set_visible_child_name (self->stack, "empty");
  vtr_pane_state_set (state, "computer-fail-symbolic", title, error->message);
  if (has_image)
    vtr_pane_state_add_button (state, _ ("Show _Last Good Image"), "framebuffer.show-last-good");
  vtr_pane_state_add_button (state, _ ("_Try Again"), "framebuffer.retry");
  vtr_pane_state_add_button (state, _ ("Show L_og"), "win.show-log");
}

typedef struct
{
  VtrFramebufferView *self;
  GCancellable *cancellable;
  guint64 index;
} Load;

static void
load_free (Load *load)
{
  g_object_unref (load->self);
  g_object_unref (load->cancellable);
  g_free (load);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (Load, load_free)

static const VtrAttachmentInfo *
find_info (VtrFramebufferView *self, VtrAttachmentKind kind)
{
  for (guint i = 0; self->infos && i < self->infos->len; i++)
    if (g_array_index (self->infos, VtrAttachmentInfo, i).kind == kind)
      return &g_array_index (self->infos, VtrAttachmentInfo, i);
  return NULL;
}

static void
set_range (VtrFramebufferView *self, double low, double high)
{
  self->syncing = TRUE;
  gtk_spin_button_set_value (self->low, low);
  gtk_spin_button_set_value (self->high, high);
  self->syncing = FALSE;
  vtr_image_canvas_set_range (self->canvas, low, high > low ? high : low + 1e-6);
}

static void
reset_range_cb (VtrFramebufferView *self)
{
  self->user_range = FALSE;
  set_range (self, 0, 1);
}

typedef struct
{
  VtrImage *image;
  VtrChannels channels;
  double low, high;
} RangeJob;

static void
range_job_free (gpointer data)
{
  vtr_image_unref (((RangeJob *)data)->image);
  g_free (data);
}

static void
range_worker (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  RangeJob *job = data;

  job->low = DBL_MAX;
  job->high = -DBL_MAX;
  for (guint32 y = 0; y < job->image->height; y++)
    for (guint32 x = 0; x < job->image->width; x++)
      {
        double values[4];
        guint n = vtr_image_read_texel (job->image, x, y, values);

        for (guint i = 0; i < MIN (n, 3); i++)
          {
            if ((n > 1 && !(job->channels & (1u << i))) || !isfinite (values[i]))
              continue;
            job->low = MIN (job->low, values[i]);
            job->high = MAX (job->high, values[i]);
          }
      }
  g_task_return_boolean (task, job->low <= job->high);
}

static void
range_found_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  VtrFramebufferView *self = VTR_FRAMEBUFFER_VIEW (source);
  RangeJob *job = g_task_get_task_data (G_TASK (result));

  gtk_widget_set_sensitive (self->auto_range, TRUE);
  if (g_task_propagate_boolean (G_TASK (result), NULL))
    set_range (self, job->low, job->high);
}

static void
auto_range_cb (VtrFramebufferView *self)
{
  VtrImage *image = vtr_image_canvas_get_image (self->canvas);
  g_autoptr (GTask) task = NULL;
  RangeJob *job;

  if (image == NULL)
    return;
  job = g_new0 (RangeJob, 1);
  job->image = vtr_image_ref (image);
  job->channels = vtr_image_canvas_get_channels (self->canvas);
  gtk_widget_set_sensitive (self->auto_range, FALSE);
  task = g_task_new (self, NULL, range_found_cb, NULL);
  g_task_set_source_tag (task, auto_range_cb);
  g_task_set_task_data (task, job, range_job_free);
  g_task_run_in_thread (task, range_worker);
}

static void
channel_toggled_cb (VtrFramebufferView *self)
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

static void
show_image (VtrFramebufferView *self, VtrImage *image)
{
  const VtrAttachmentInfo *info = find_info (self, self->current);
  g_autofree char *name = info ? vtr_attachment_describe (self->session, info) : g_strdup ("");
  g_autofree char *number = vtr_format_number (image->after);
  g_autofree char *description =
    g_strdup_printf (_ ("%s, %u by %u, %s, after command %s"), name, image->width, image->height,
                     vtr_format_short_name (image->format), number);
  gboolean color = image->aspect == VK_IMAGE_ASPECT_COLOR_BIT;

  hide_problem (self);
  gtk_widget_set_visible (self->channels, color);
  if (color)
    channel_toggled_cb (self);
  else
    vtr_image_canvas_set_channels (self->canvas, VTR_CHANNEL_RGB);
  vtr_image_canvas_set_image (self->canvas, image, description);
  gtk_stack_set_visible_child_name (self->stack, "image");
  update_facts (self);
  update_texel (self);
  /* Depth lies in a sliver near 1, which shows as plain white. */
  if (!self->user_range && !color)
    auto_range_cb (self);
  else if (!self->user_range)
    set_range (self, 0, 1);
}

static void
loaded_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (Load) load = data;
  VtrFramebufferView *self = load->self;
  g_autoptr (GError) error = NULL;
  g_autoptr (VtrImage) image =
    vtr_document_get_image_finish (VTR_DOCUMENT (source), result, &error);
  guint64 failed;

  /* Superseded: a result of another selection never reaches the widget. */
  if (g_cancellable_is_cancelled (load->cancellable) || self->session == NULL)
    return;
  g_clear_object (&self->loading);
  hide_spinner (self);
  if (image)
    {
      show_image (self, image);
      vtr_attachment_strip_load (self->strip);
      return;
    }
  if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    return;
  if (g_error_matches (error, VTR_RESOLVE_ERROR, VTR_RESOLVE_ERROR_NOTHING))
    {
      show_nothing_drawn (self, error->message);
      return;
    }
  failed = get_failed_command (self, load->index, error);
  show_problem (self, error, failed);
  vtr_session_report_replay_failure (self->session, failed, error);
}

static void
cancel (VtrFramebufferView *self)
{
  g_cancellable_cancel (self->loading);
  g_clear_object (&self->loading);
  g_clear_handle_id (&self->spinner_timeout, g_source_remove);
}

static void
load (VtrFramebufferView *self)
{
  Load *request = g_new0 (Load, 1);
  g_autofree char *path = NULL;

  cancel (self);
  self->loading = g_cancellable_new ();
  request->self = g_object_ref (self);
  request->cancellable = g_object_ref (self->loading);
  request->index = self->index;
  self->spinner_timeout = g_timeout_add (SPINNER_DELAY_MS, spinner_timeout_cb, self);
  path = vtr_session_get_image_path (self->session, self->index, self->current);
  vtr_document_get_image_async (vtr_session_get_document (self->session), path, self->loading,
                                loaded_cb, request);
}

static VtrAttachmentKind
choose_attachment (VtrFramebufferView *self)
{
  if (find_info (self, self->current))
    return self->current;
  return g_array_index (self->infos, VtrAttachmentInfo, 0).kind;
}

static void
update (VtrFramebufferView *self)
{
  g_autoptr (GError) error = NULL;

  cancel (self);
  hide_problem (self);
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
  if (vtr_image_canvas_get_image (self->canvas))
    gtk_stack_set_visible_child_name (self->stack, "image");
  load (self);
}

static gboolean
update_idle_cb (gpointer data)
{
  VtrFramebufferView *self = data;

  self->update_idle = 0;
  update (self);
  return G_SOURCE_REMOVE;
}

/* After parameters and breadcrumb have been drawn (UI.md §5); fast travel asks once. */
static void
queue_update (VtrFramebufferView *self)
{
  self->index = vtr_session_get_command (self->session);
  if (self->update_idle == 0)
    self->update_idle = g_idle_add_full (G_PRIORITY_DEFAULT_IDLE, update_idle_cb, self, NULL);
}

static void
attachment_selected_cb (VtrFramebufferView *self, guint kind)
{
  self->current = kind;
  hide_problem (self);
  load (self);
}

void
vtr_framebuffer_view_peek (VtrFramebufferView *self, gboolean peek)
{
  VtrTrace *trace;
  guint64 first, last;

  if (self->session == NULL || self->peeking == !!peek ||
      vtr_session_get_command (self->session) == VTR_COMMAND_NO_INDEX)
    return;
  self->peeking = !!peek;
  trace = vtr_session_get_trace (self->session);
  vtr_trace_get_frame (trace, vtr_session_get_frame (self->session), &first, &last);
  self->index = peek ? last : vtr_session_get_command (self->session);
  update (self);
}

/* --- tools ----------------------------------------------------------------------------------- */

static void
channels_changed_cb (VtrFramebufferView *self)
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
zoom_changed_cb (VtrFramebufferView *self)
{
  g_autofree char *text =
    g_strdup_printf ("%.0f\u2009%%", vtr_image_canvas_get_scale (self->canvas) * 100);

  gtk_label_set_label (self->zoom, text);
}

static void
original_cb (VtrFramebufferView *self)
{
  vtr_image_canvas_set_scale (self->canvas, 1);
}

static void
range_changed_cb (VtrFramebufferView *self)
{
  double low = gtk_spin_button_get_value (self->low);
  double high = gtk_spin_button_get_value (self->high);

  if (self->syncing)
    return;
  self->user_range = TRUE;
  vtr_image_canvas_set_range (self->canvas, low, high > low ? high : low + 1e-6);
}

static void
show_last_good_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  hide_problem (VTR_FRAMEBUFFER_VIEW (widget));
}

static void
retry_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  VtrFramebufferView *self = VTR_FRAMEBUFFER_VIEW (widget);

  if (self->session)
    update (self);
}

/* --- keyboard -------------------------------------------------------------------------------- */

static gboolean
key_pressed_cb (VtrFramebufferView *self, guint key)
{
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
  g_clear_handle_id (&self->update_idle, g_source_remove);
  g_clear_pointer (&self->infos, g_array_unref);
  if (self->session)
    g_signal_handlers_disconnect_by_data (self->session, self);
  g_clear_object (&self->session);
}

static void
vtr_framebuffer_view_dispose (GObject *object)
{
  drop_session (VTR_FRAMEBUFFER_VIEW (object));
  G_OBJECT_CLASS (vtr_framebuffer_view_parent_class)->dispose (object);
}

static gboolean
vtr_framebuffer_view_grab_focus (GtkWidget *widget)
{
  return gtk_widget_grab_focus (GTK_WIDGET (VTR_FRAMEBUFFER_VIEW (widget)->canvas));
}

static void
vtr_framebuffer_view_class_init (VtrFramebufferViewClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  object_class->dispose = vtr_framebuffer_view_dispose;
  widget_class->grab_focus = vtr_framebuffer_view_grab_focus;

  g_type_ensure (VTR_TYPE_PANE_STATE);
  g_type_ensure (VTR_TYPE_IMAGE_CANVAS);
  g_type_ensure (VTR_TYPE_ATTACHMENT_STRIP);
  gtk_widget_class_set_template_from_resource (
    widget_class, "/io/github/vitrine/Vitrine/widgets/vtr-framebuffer-view.ui");
#define BIND(name) gtk_widget_class_bind_template_child (widget_class, VtrFramebufferView, name)
  BIND (stack);
  BIND (empty);
  BIND (problem);
  BIND (tools);
  BIND (channels);
  BIND (red);
  BIND (green);
  BIND (blue);
  BIND (alpha);
  BIND (range);
  BIND (fit);
  BIND (flip);
  BIND (original);
  BIND (auto_range);
  BIND (zoom);
  BIND (low);
  BIND (high);
  BIND (canvas);
  BIND (spinner);
  BIND (position);
  BIND (channel_names);
  BIND (texel);
  BIND (facts);
  BIND (strip);
#undef BIND
  gtk_widget_class_bind_template_callback (widget_class, channel_toggled_cb);
  gtk_widget_class_bind_template_callback (widget_class, original_cb);
  gtk_widget_class_bind_template_callback (widget_class, range_changed_cb);
  gtk_widget_class_bind_template_callback (widget_class, auto_range_cb);
  gtk_widget_class_bind_template_callback (widget_class, reset_range_cb);
  gtk_widget_class_bind_template_callback (widget_class, attachment_selected_cb);
  gtk_widget_class_bind_template_callback (widget_class, activate_link_cb);
  gtk_widget_class_install_action (widget_class, "framebuffer.show-last-good", NULL,
                                   show_last_good_action);
  gtk_widget_class_install_action (widget_class, "framebuffer.retry", NULL, retry_action);
}

static void
vtr_framebuffer_view_init (VtrFramebufferView *self)
{
  GtkEventController *keys = gtk_event_controller_key_new ();

  self->index = VTR_COMMAND_NO_INDEX;
  gtk_widget_init_template (GTK_WIDGET (self));
  vtr_pane_state_set_card (self->problem, TRUE);
  gtk_widget_set_visible (GTK_WIDGET (self->strip), FALSE);
  g_object_bind_property (self->canvas, "fit", self->fit, "active",
                          G_BINDING_BIDIRECTIONAL | G_BINDING_SYNC_CREATE);
  g_object_bind_property (self->flip, "active", self->canvas, "flip", G_BINDING_SYNC_CREATE);
  g_signal_connect_object (self->canvas, "notify::scale", G_CALLBACK (zoom_changed_cb), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (self->canvas, "notify::channels", G_CALLBACK (channels_changed_cb), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (self->canvas, "texel-changed", G_CALLBACK (update_texel), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (keys, "key-pressed", G_CALLBACK (key_pressed_cb), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (keys, "key-released", G_CALLBACK (key_released_cb), self,
                           G_CONNECT_SWAPPED);
  gtk_widget_add_controller (GTK_WIDGET (self->canvas), keys);
  show_nothing_selected (self);
}

GtkWidget *
vtr_framebuffer_view_new (void)
{
  return g_object_new (VTR_TYPE_FRAMEBUFFER_VIEW, NULL);
}

void
vtr_framebuffer_view_set_session (VtrFramebufferView *self, VtrSession *session)
{
  drop_session (self);
  vtr_image_canvas_set_image (self->canvas, NULL, NULL);
  vtr_attachment_strip_clear (self->strip);
  if (session == NULL)
    return;
  self->session = g_object_ref (session);
  g_signal_connect_object (session, "selection-changed", G_CALLBACK (queue_update), self,
                           G_CONNECT_SWAPPED);
  queue_update (self);
}

VtrImage *
vtr_framebuffer_view_get_image (VtrFramebufferView *self)
{
  return vtr_image_canvas_get_image (self->canvas);
}

char *
vtr_framebuffer_view_dup_image_path (VtrFramebufferView *self, GError **error)
{
  if (self->update_idle != 0)
    {
      g_clear_handle_id (&self->update_idle, g_source_remove);
      update (self);
    }
  if (self->session == NULL || self->index == VTR_COMMAND_NO_INDEX)
    g_set_error (error, VTR_RESOLVE_ERROR, VTR_RESOLVE_ERROR_NOTHING,
                 _ ("There is no image to save: no command is selected"));
  else if (self->infos == NULL || self->infos->len == 0)
    g_set_error (error, VTR_RESOLVE_ERROR, VTR_RESOLVE_ERROR_NOTHING,
                 _ ("There is no image to save: this command draws nothing"));
  else
    return vtr_session_get_image_path (self->session, self->index, self->current);
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
