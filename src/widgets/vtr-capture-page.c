#include "vtr-config.h"

#include "widgets/vtr-capture-page.h"

#include <adwaita.h>
#include <glib/gi18n.h>

#include "vtr-capture-words.h"
#include "vtr-settings.h"
#include "widgets/vtr-capture-form.h"
#include "widgets/vtr-capture-live.h"
#include "widgets/vtr-program-chooser.h"
#include "widgets/vtr-text-scale.h"

#define NARROW_WIDTH 1100
#define DEVICES_NARROW_WIDTH 760 /* below there is no room for them */
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

/* --- devices --------------------------------------------------------------------------------- */

/* Names of the installed drivers, from their manifests: asking the loader would load drivers into
 * this process. */
static char *
list_drivers (void)
{
  static const struct
  {
    const char *stem;
    const char *name;
  } known[] = {
    { "lvp", "lavapipe" },
    { "radeon", "RADV" },
    { "intel_hasvk", "ANV (hasvk)" },
    { "intel", "ANV" },
    { "nvidia", "NVIDIA" },
    { "nouveau", "NVK" },
    { "virtio", "Venus" },
    { "gfxstream", "gfxstream" },
    { "freedreno", "Turnip" },
    { "broadcom", "V3DV" },
    { "panfrost", "PanVK" },
  };
  const char *const folders[] = { "/usr/share/vulkan/icd.d", "/etc/vulkan/icd.d",
                                  "/usr/local/share/vulkan/icd.d" };
  g_autoptr (GHashTable) seen = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_autoptr (GList) names = NULL;
  GString *text = g_string_new (NULL);

  for (guint f = 0; f < G_N_ELEMENTS (folders); f++)
    {
      g_autoptr (GDir) dir = g_dir_open (folders[f], 0, NULL);
      const char *file;

      while (dir && (file = g_dir_read_name (dir)))
        {
          g_autofree char *stem = g_strdup (file);

          if (!g_str_has_suffix (file, ".json"))
            continue;
          *strpbrk (stem, ".") = '\0';
          if (g_str_has_suffix (stem, "_icd"))
            stem[strlen (stem) - 4] = '\0';
          for (guint i = 0; i < G_N_ELEMENTS (known); i++)
            if (g_str_equal (stem, known[i].stem))
              {
                g_free (stem);
                stem = g_strdup (known[i].name);
                break;
              }
          g_hash_table_add (seen, g_steal_pointer (&stem));
        }
    }
  names = g_list_sort (g_hash_table_get_keys (seen), (GCompareFunc)g_utf8_collate);
  for (GList *l = names; l; l = l->next)
    g_string_append_printf (text, "%s%s", text->len ? ", " : "", (const char *)l->data);
  return g_string_free (text, FALSE);
}

static GtkWidget *
make_device_row (const char *icon_name, const char *title, const char *subtitle, gboolean usable)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 12);
  GtkWidget *texts = gtk_box_new (GTK_ORIENTATION_VERTICAL, 2);
  GtkWidget *name = gtk_label_new (title);
  GtkWidget *facts = gtk_label_new (subtitle);
  GtkWidget *state =
    gtk_image_new_from_icon_name (usable ? "emblem-ok-symbolic" : "dialog-warning-symbolic");
  GtkWidget *row = gtk_list_box_row_new ();

  gtk_label_set_xalign (GTK_LABEL (name), 0);
  gtk_label_set_ellipsize (GTK_LABEL (name), PANGO_ELLIPSIZE_END);
  gtk_label_set_xalign (GTK_LABEL (facts), 0);
  gtk_label_set_ellipsize (GTK_LABEL (facts), PANGO_ELLIPSIZE_END);
  gtk_widget_set_tooltip_text (facts, subtitle);
  gtk_widget_add_css_class (facts, "caption");
  gtk_widget_add_css_class (facts, "dim-text");
  gtk_widget_set_hexpand (texts, TRUE);
  gtk_widget_add_css_class (state, usable ? "success" : "warning");
  gtk_box_append (GTK_BOX (texts), name);
  gtk_box_append (GTK_BOX (texts), facts);
  gtk_box_append (GTK_BOX (box), gtk_image_new_from_icon_name (icon_name));
  gtk_box_append (GTK_BOX (box), texts);
  gtk_box_append (GTK_BOX (box), state);
  gtk_widget_add_css_class (box, "device");
  gtk_list_box_row_set_child (GTK_LIST_BOX_ROW (row), box);
  return row;
}

static GtkWidget *
make_devices (void)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0);
  GtkWidget *title = gtk_label_new (_ ("Devices"));
  GtkWidget *list = gtk_list_box_new ();
  GtkWidget *scroller = gtk_scrolled_window_new ();
  g_autofree char *drivers = list_drivers ();
  GtkWidget *row;

  gtk_label_set_xalign (GTK_LABEL (title), 0);
  gtk_widget_add_css_class (title, "caption-heading");
  gtk_widget_add_css_class (title, "column-title");
  gtk_widget_add_css_class (list, "navigation-sidebar");
  gtk_list_box_set_selection_mode (GTK_LIST_BOX (list), GTK_SELECTION_BROWSE);
  gtk_accessible_update_property (GTK_ACCESSIBLE (list), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("Devices"), -1);
  row =
    make_device_row ("computer-symbolic", _ ("This Computer"),
                     *drivers ? drivers : _ ("No Vulkan driver is installed"), *drivers != '\0');
  gtk_list_box_append (GTK_LIST_BOX (list), row);
  gtk_list_box_select_row (GTK_LIST_BOX (list), GTK_LIST_BOX_ROW (row));
  gtk_box_append (GTK_BOX (box), title);
  gtk_box_append (GTK_BOX (box), list);
  gtk_scrolled_window_set_policy (GTK_SCROLLED_WINDOW (scroller), GTK_POLICY_NEVER,
                                  GTK_POLICY_AUTOMATIC);
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (scroller), box);
  return scroller;
}

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

/* The width is looked at when drawing: with a layout manager nobody calls size_allocate, and
 * changing the layout inside it would be too late anyhow (UI.md §1). */
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

  /* Buttons follow their action, not the other way round. */
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "capture.launch",
                                 vtr_capture_form_get_ready (self->form));
  vtr_capture_live_set_waits (self->live, waits);
  adw_button_content_set_label (
    ADW_BUTTON_CONTENT (gtk_button_get_child (GTK_BUTTON (self->narrow_launch))),
    waits ? _ ("_Wait and Capture") : _ ("_Launch and Capture"));
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

  self->devices = make_devices ();
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
  ready_cb (self);
}

GtkWidget *
vtr_capture_page_new (void)
{
  return g_object_new (VTR_TYPE_CAPTURE_PAGE, NULL);
}
