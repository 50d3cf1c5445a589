/* The capture page: arranges the list of devices, the capture form and the running capture side
 * by side, or in fewer columns in a narrow window. */
#include "vtr-config.h"

#include "widgets/vtr-capture-page.h"

#include <adwaita.h>
#include <glib/gi18n.h>

#include "session/vtr-capture-words.h"
#include "session/vtr-settings.h"
#include "widgets/vtr-capture-devices.h"
#include "widgets/vtr-capture-form.h"
#include "widgets/vtr-capture-live.h"
#include "widgets/vtr-program-chooser.h"
#include "widgets/vtr-text-scale.h"

#define NARROW_WIDTH 1100
#define DEVICES_NARROW_WIDTH 760 /* below these widths the columns do not fit */
#define DEVICES_WIDTH 240
#define FORM_WIDTH 520
#define FORM_LEAST 420
#define LIVE_WIDTH 720

struct _VtrCapturePage
{
  GtkWidget parent_instance;

  GtkWidget *devices;
  GtkWidget *devices_line;
  GtkWidget *form_scroller;
  GtkWidget *live_line;
  GtkWidget *live_scroller;
  GtkWidget *narrow_launch;
  VtrCaptureForm *form;
  VtrCaptureLive *live;
  guint resize_idle;
  gboolean narrow;
  gboolean no_devices;
  AdwClamp *form_clamp, *live_clamp;
  gboolean has_width;
  gboolean at_live;
};

G_DEFINE_FINAL_TYPE (VtrCapturePage, vtr_capture_page, GTK_TYPE_WIDGET)

static guint captured_signal, ended_signal;

/* --- layout ---------------------------------------------------------------------------------- */

static void
update_layout (VtrCapturePage *self)
{
  gtk_widget_set_visible (self->form_scroller, !self->narrow || !self->at_live);
  gtk_widget_set_visible (self->live_scroller, !self->narrow || self->at_live);
  gtk_widget_set_visible (self->live_line, !self->narrow);
  gtk_widget_set_visible (self->narrow_launch, self->narrow);
  gtk_widget_set_visible (self->devices, !self->no_devices);
  gtk_widget_set_visible (self->devices_line, !self->no_devices);
  gtk_widget_set_hexpand (self->form_scroller, self->narrow);
}

static gboolean
is_below (VtrCapturePage *self, int width)
{
  return gtk_widget_get_width (GTK_WIDGET (self)) < vtr_text_scaled (GTK_WIDGET (self), width);
}

/* Columns are as wide as their text needs. */
static void
scale_columns (VtrCapturePage *self)
{
  GtkWidget *widget = GTK_WIDGET (self);

  gtk_widget_set_size_request (self->devices, vtr_text_scaled (widget, DEVICES_WIDTH), -1);
  gtk_widget_set_size_request (self->form_scroller,
                               self->narrow ? -1 : vtr_text_scaled (widget, FORM_LEAST), -1);
  adw_clamp_set_maximum_size (self->form_clamp, vtr_text_scaled (widget, FORM_WIDTH));
  adw_clamp_set_tightening_threshold (self->form_clamp, vtr_text_scaled (widget, FORM_WIDTH));
  adw_clamp_set_maximum_size (self->live_clamp, vtr_text_scaled (widget, LIVE_WIDTH));
  adw_clamp_set_tightening_threshold (self->live_clamp, vtr_text_scaled (widget, LIVE_WIDTH));
}

static gboolean
resize_idle_cb (gpointer data)
{
  VtrCapturePage *self = data;

  self->resize_idle = 0;
  self->narrow = is_below (self, NARROW_WIDTH);
  self->no_devices = is_below (self, DEVICES_NARROW_WIDTH);
  self->has_width = TRUE;
  scale_columns (self);
  update_layout (self);
  return G_SOURCE_REMOVE;
}

/* Checks the width while drawing: size_allocate () is not called for a widget with a layout
 * manager, and the layout must not change inside it. */
static void
vtr_capture_page_snapshot (GtkWidget *widget, GtkSnapshot *snapshot)
{
  VtrCapturePage *self = VTR_CAPTURE_PAGE (widget);
  gboolean changed = is_below (self, NARROW_WIDTH) != self->narrow ||
                     is_below (self, DEVICES_NARROW_WIDTH) != self->no_devices;

  GTK_WIDGET_CLASS (vtr_capture_page_parent_class)->snapshot (widget, snapshot);
  if ((!self->has_width || changed) && self->resize_idle == 0)
    self->resize_idle = g_idle_add_full (G_PRIORITY_HIGH_IDLE, resize_idle_cb, self, NULL);
}

gboolean
vtr_capture_page_go_back (VtrCapturePage *self)
{
  if (!self->narrow || !self->at_live || vtr_capture_live_get_running (self->live))
    return FALSE;
  self->at_live = FALSE;
  update_layout (self);
  return TRUE;
}

/* --- capture --------------------------------------------------------------------------------- */

void
vtr_capture_page_launch (VtrCapturePage *self)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (VtrCaptureSession) session = NULL;

  if (vtr_capture_live_get_running (self->live))
    return;
  if (!vtr_capture_form_get_ready (self->form))
    {
      vtr_capture_form_choose (self->form);
      return;
    }
  session = vtr_capture_form_start (self->form, &error);
  self->at_live = TRUE;
  update_layout (self);
  if (session)
    vtr_capture_live_set_session (self->live, session, vtr_capture_form_get_n_frames (self->form));
  else
    vtr_capture_live_show_error (self->live, error);
  gtk_widget_set_sensitive (GTK_WIDGET (self->form), session == NULL);
}

void
vtr_capture_page_stop (VtrCapturePage *self, gboolean end_program)
{
  vtr_capture_live_stop (self->live, end_program);
}

gboolean
vtr_capture_page_trigger (VtrCapturePage *self, GError **error)
{
  return vtr_capture_live_trigger (self->live, error);
}

gboolean
vtr_capture_page_can_trigger (VtrCapturePage *self)
{
  return vtr_capture_live_can_trigger (self->live);
}

gboolean
vtr_capture_page_get_running (VtrCapturePage *self)
{
  return vtr_capture_live_get_running (self->live);
}

GPtrArray *
vtr_capture_page_get_notices (VtrCapturePage *self)
{
  return vtr_capture_live_get_notices (self->live);
}

const char *
vtr_capture_page_get_ending (VtrCapturePage *self)
{
  return vtr_capture_live_get_ending (self->live);
}

void
vtr_capture_page_choose_program (VtrCapturePage *self)
{
  vtr_capture_live_stop (self->live, TRUE);
  self->at_live = FALSE;
  update_layout (self);
  vtr_capture_form_choose (self->form);
}

void
vtr_capture_page_set_program (VtrCapturePage        *self,
                              const char     *const *argv,
                              const char            *directory)
{
  g_autoptr (GString) arguments = g_string_new (NULL);

  for (gsize i = 1; argv[i]; i++)
    {
      g_autofree char *word = vtr_quote_word (argv[i]);

      g_string_append_printf (arguments, "%s%s", i > 1 ? " " : "", word);
    }
  vtr_capture_form_set_program (self->form, NULL, argv[0], arguments->str);
  if (directory)
    vtr_capture_form_set_directory (self->form, directory);
}

gboolean
vtr_capture_page_set_options (VtrCapturePage *self, const char *options, GError **error)
{
  g_autoptr (GSettings) settings = vtr_settings_new ();

  return vtr_capture_words_apply (options, settings, error);
}

static void
captured_cb (VtrCapturePage *self, const char *path)
{
  g_signal_emit (self, captured_signal, 0, path);
}

static void
running_changed_cb (VtrCapturePage *self)
{
  gtk_widget_set_sensitive (GTK_WIDGET (self->form), !vtr_capture_live_get_running (self->live));
  if (!vtr_capture_live_get_running (self->live))
    g_signal_emit (self, ended_signal, 0);
}

static void
ready_cb (VtrCapturePage *self)
{
  gboolean waits = vtr_capture_form_get_waits (self->form);
  gboolean ready = vtr_capture_form_get_ready (self->form);

  /* Buttons follow the state of their action. */
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "capture.launch", ready);
  vtr_capture_live_set_ready (self->live, ready, waits);
  adw_button_content_set_label (
    ADW_BUTTON_CONTENT (gtk_button_get_child (GTK_BUTTON (self->narrow_launch))),
    waits ? _ ("_Wait and Capture") : _ ("_Launch and Capture"));
}

/* The program's variables determine which drivers it finds. */
static void
environment_cb (VtrCapturePage *self)
{
  g_auto (GStrv) environment = vtr_capture_form_dup_environment (self->form);

  vtr_capture_devices_set_environment (VTR_CAPTURE_DEVICES (self->devices),
                                       (const char *const *)environment);
}

static void
launch_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  gtk_widget_activate_action (widget, "win.start-capture", NULL);
}

void
vtr_capture_page_focus_form (VtrCapturePage *self)
{
  gtk_widget_child_focus (GTK_WIDGET (self->form), GTK_DIR_TAB_FORWARD);
}

/* --- life ------------------------------------------------------------------------------------ */

static void
vtr_capture_page_dispose (GObject *object)
{
  VtrCapturePage *self = VTR_CAPTURE_PAGE (object);
  GtkWidget *child;

  g_clear_handle_id (&self->resize_idle, g_source_remove);
  while ((child = gtk_widget_get_first_child (GTK_WIDGET (self))))
    gtk_widget_unparent (child);
  G_OBJECT_CLASS (vtr_capture_page_parent_class)->dispose (object);
}

static void
vtr_capture_page_class_init (VtrCapturePageClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = vtr_capture_page_dispose;
  widget_class->snapshot = vtr_capture_page_snapshot;
  gtk_widget_class_install_action (widget_class, "capture.launch", NULL, launch_action);
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BOX_LAYOUT);
  gtk_widget_class_set_css_name (widget_class, "vtrcapturepage");
  ended_signal = g_signal_new ("ended", VTR_TYPE_CAPTURE_PAGE, G_SIGNAL_RUN_LAST, 0, NULL, NULL,
                               NULL, G_TYPE_NONE, 0);
  captured_signal = g_signal_new ("captured", VTR_TYPE_CAPTURE_PAGE, G_SIGNAL_RUN_LAST, 0, NULL,
                                  NULL, NULL, G_TYPE_NONE, 1, G_TYPE_STRING);
}

static GtkWidget *
make_column (GtkWidget *child, AdwClamp **out_clamp)
{
  GtkWidget *scroller = gtk_scrolled_window_new ();
  GtkWidget *clamp = adw_clamp_new ();

  *out_clamp = ADW_CLAMP (clamp);
  adw_clamp_set_child (ADW_CLAMP (clamp), child);
  gtk_widget_add_css_class (clamp, "column");
  gtk_scrolled_window_set_policy (GTK_SCROLLED_WINDOW (scroller), GTK_POLICY_NEVER,
                                  GTK_POLICY_AUTOMATIC);
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (scroller), clamp);
  return scroller;
}

static void
vtr_capture_page_init (VtrCapturePage *self)
{
  GtkWidget *form_box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 24);
  GtkWidget *content = adw_button_content_new ();

  self->form = VTR_CAPTURE_FORM (vtr_capture_form_new ());
  self->live = VTR_CAPTURE_LIVE (vtr_capture_live_new ());
  adw_button_content_set_icon_name (ADW_BUTTON_CONTENT (content), "media-record-symbolic");
  adw_button_content_set_label (ADW_BUTTON_CONTENT (content), _ ("_Launch and Capture"));
  adw_button_content_set_use_underline (ADW_BUTTON_CONTENT (content), TRUE);
  self->narrow_launch = gtk_button_new ();
  gtk_button_set_child (GTK_BUTTON (self->narrow_launch), content);
  gtk_widget_add_css_class (self->narrow_launch, "pill");
  gtk_widget_add_css_class (self->narrow_launch, "suggested-action");
  gtk_widget_set_halign (self->narrow_launch, GTK_ALIGN_CENTER);
  gtk_widget_set_visible (self->narrow_launch, FALSE);
  gtk_actionable_set_action_name (GTK_ACTIONABLE (self->narrow_launch), "capture.launch");
  gtk_box_append (GTK_BOX (form_box), GTK_WIDGET (self->form));
  gtk_box_append (GTK_BOX (form_box), self->narrow_launch);

  self->devices = vtr_capture_devices_new ();
  self->devices_line = gtk_separator_new (GTK_ORIENTATION_VERTICAL);
  self->form_scroller = make_column (form_box, &self->form_clamp);
  self->live_line = gtk_separator_new (GTK_ORIENTATION_VERTICAL);
  self->live_scroller = make_column (GTK_WIDGET (self->live), &self->live_clamp);
  gtk_widget_set_hexpand (self->live_scroller, TRUE);
  gtk_widget_set_parent (self->devices, GTK_WIDGET (self));
  gtk_widget_set_parent (self->devices_line, GTK_WIDGET (self));
  gtk_widget_set_parent (self->form_scroller, GTK_WIDGET (self));
  gtk_widget_set_parent (self->live_line, GTK_WIDGET (self));
  gtk_widget_set_parent (self->live_scroller, GTK_WIDGET (self));

  g_signal_connect_object (self->form, "notify::ready", G_CALLBACK (ready_cb), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (self->form, "launch", G_CALLBACK (vtr_capture_page_launch), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (self->live, "captured", G_CALLBACK (captured_cb), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (self->live, "notify::running", G_CALLBACK (running_changed_cb), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (self->form, "environment-changed", G_CALLBACK (environment_cb), self,
                           G_CONNECT_SWAPPED);
  environment_cb (self);
  ready_cb (self);
}

GtkWidget *
vtr_capture_page_new (void)
{
  return g_object_new (VTR_TYPE_CAPTURE_PAGE, NULL);
}
