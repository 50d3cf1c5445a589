/* The main window: header bar, start page, capture page and trace page, drag and drop, toasts,
 * and closing. */
#include "vtr-config.h"

#include "window/vtr-window-private.h"

#include <glib/gi18n.h>

#include "session/vtr-recent-store.h"
#include "session/vtr-settings.h"
#include "widgets/vtr-accessible.h"
#include "widgets/vtr-dialogs.h"
#include "window/vtr-panes.h"

#define MAX_TOASTS 8

G_DEFINE_FINAL_TYPE (VtrWindow, vtr_window, ADW_TYPE_APPLICATION_WINDOW)

enum
{
  PAGE_CHANGED,
  N_SIGNALS
};

static guint signals[N_SIGNALS];

/* --- header ---------------------------------------------------------------------------------- */

static void
update_title (VtrWindow *self)
{
  g_autofree char *name = self->file ? g_file_get_basename (self->file) : NULL;
  g_autofree char *display = name ? g_filename_display_name (name) : NULL;
  g_autofree char *subtitle = NULL;
  g_autofree char *shown = NULL;

  if (vtr_window_is_page (self, "trace") && self->session)
    {
      VtrTrace *trace = vtr_session_get_trace (self->session);
      const VtrTraceInfo *info = vtr_trace_get_info (trace);
      guint64 n_frames = vtr_trace_get_n_frames (trace);
      g_autofree char *frames = vtr_format_number (n_frames);
      g_autofree char *commands = vtr_format_number (vtr_trace_get_n_program_commands (trace));
      g_autofree char *device = NULL;
      g_autofree char *counts =
        g_strdup_printf (ngettext ("%s frame · %s commands", "%s frames · %s commands", n_frames),
                         frames, commands);

      device = vtr_short_device_name (info->device ? info->device : "");
      subtitle = g_strdup_printf ("%s%s%s", device, *device ? " · " : "", counts);
      if (vtr_edits_get (vtr_session_get_edits (self->session), FALSE) != NULL)
        shown = g_strdup_printf (_ ("%s (edited)"), display);
    }
  else if (vtr_window_is_page (self, "capture"))
    {
      g_free (display);
      display = g_strdup (_ ("Capture"));
      subtitle = g_strdup (_ ("This computer"));
    }
  else if (vtr_window_is_page (self, "start"))
    g_clear_pointer (&display, g_free);

  if (shown == NULL)
    shown = g_strdup (display ? display : "Vitrine");
  adw_window_title_set_title (self->title, shown);
  adw_window_title_set_subtitle (self->title, subtitle ? subtitle : "");
  gtk_window_set_title (GTK_WINDOW (self), shown);
}

void
vtr_window_update_history (VtrWindow *self)
{
  gboolean back = FALSE;
  gboolean forward = FALSE;

  if (self->session && vtr_window_is_page (self, "trace"))
    g_object_get (self->session, "can-go-back", &back, "can-go-forward", &forward, NULL);
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "win.back", back);
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "win.forward", forward);
}

void
vtr_window_update_page (VtrWindow *self)
{
  static const char *const trace_actions[] = {
    "win.export-image", "win.go-to", "win.find", "win.find-next",
    "win.find-previous", "win.frame-end", "win.first-draw", "win.next-draw",
    "win.previous-draw", "win.next-frame", "win.previous-frame", "win.next-pane",
    "win.previous-pane", "win.next-tab", "win.previous-tab", "win.copy-path",
    "win.reveal-start", "win.reveal-end", "win.reveal-bottom", "win.show-log",
    "win.choose-device", "win.replay-on", "win.next-write", "win.previous-write",
    "win.overlay", "win.toggle-disabled", "win.disable-others",
    "win.export-frames", "win.export-shaders", "win.trace-information"
  };
  gboolean trace = self->trace != NULL && vtr_window_is_page (self, "trace");

  if (self->trace_start == NULL)
    return;
  gtk_widget_insert_action_group (
    GTK_WIDGET (self), "panes",
    trace ? vtr_layout_get_actions (vtr_trace_page_get_layout (self->trace)) : NULL);
  gtk_widget_set_visible (self->trace_start, trace);
  gtk_widget_set_visible (self->trace_end, trace);
  gtk_widget_set_visible (self->page_back, vtr_window_is_page (self, "capture") ||
                                             vtr_window_is_page (self, "error"));
  for (guint i = 0; i < G_N_ELEMENTS (trace_actions); i++)
    gtk_widget_action_set_enabled (GTK_WIDGET (self), trace_actions[i], trace);
  gtk_widget_action_set_enabled (
    GTK_WIDGET (self), "win.trim",
    trace && self->session &&
      vtr_trace_get_n_initial_commands (vtr_session_get_trace (self->session)) > 0);
  update_title (self);
  vtr_window_update_history (self);
  vtr_window_update_edits (self);
  g_signal_emit (self, signals[PAGE_CHANGED], 0);
}

/* --- what the pages ask for ----------------------------------------------------------------- */

void
vtr_window_open_beside (VtrWindow *self, GFile *file)
{
  GtkApplication *application = gtk_window_get_application (GTK_WINDOW (self));
  VtrWindow *window = vtr_window_new (application);

  vtr_window_open_file (window, file);
  vtr_window_present_soon (window);
}

static void
recent_open_cb (VtrWindow *self, GFile *file, gboolean new_window)
{
  if (new_window)
    vtr_window_open_beside (self, file);
  else
    vtr_window_open_file (self, file);
}

/* --- capture --------------------------------------------------------------------------------- */

void
vtr_window_show_capture (VtrWindow *self)
{
  vtr_window_show_page (self, "capture");
  vtr_capture_page_focus_form (self->capture);
}

gboolean
vtr_window_capture_program (VtrWindow         *self,
                            const char *const *argv,
                            const char        *directory,
                            const char        *options,
                            GError           **error)
{
  VtrCapturePage *page = vtr_window_need_capture_page (self);

  if (!vtr_capture_page_set_options (page, options, error))
    return FALSE;
  if (argv[0] != NULL)
    vtr_capture_page_set_program (page, argv, directory);
  vtr_capture_page_launch (page);
  return TRUE;
}

gboolean
vtr_window_capture_frame (VtrWindow *self, GError **error)
{
  return vtr_capture_page_trigger (vtr_window_need_capture_page (self), error);
}

/* --- what happened --------------------------------------------------------------------------- */

static void
toast_dismissed_cb (VtrWindow *self)
{
  self->n_toasts--;
}

void
vtr_window_toast (
  VtrWindow *self, const char *text, const char *button, const char *action, const char *target)
{
  g_autofree char *escaped = g_markup_escape_text (text, -1); /* libadwaita parses this text as
                                                                 markup */
  AdwToast *message;

  /* The overlay shows toasts one after the other, some seconds each: a repeated one would say
   * nothing new. */
  if (self->n_toasts > 0 && (self->n_toasts >= MAX_TOASTS || g_str_equal (self->toast, escaped)))
    return;
  g_free (self->toast);
  self->toast = g_strdup (escaped);
  self->n_toasts++;
  message = adw_toast_new (escaped);
  g_signal_connect_object (message, "dismissed", G_CALLBACK (toast_dismissed_cb), self,
                           G_CONNECT_SWAPPED);
  if (button)
    {
      adw_toast_set_button_label (message, button);
      adw_toast_set_action_name (message, action);
      adw_toast_set_action_target (message, "s", target);
    }
  adw_toast_overlay_add_toast (self->toasts, message);
}

void
vtr_window_tell (VtrWindow *self, const char *text, GFile *file)
{
  g_autofree char *uri = file ? g_file_get_uri (file) : NULL;

  vtr_window_toast (self, text, file ? _ ("Show in _Files") : NULL, "win.show-file", uri);
}

void
vtr_window_complain (VtrWindow *self, const char *text)
{
  vtr_window_toast (self, text, NULL, NULL, NULL);
  if (self->session)
    vtr_session_add_log (self->session, VTR_MESSAGE_WARNING, text, VTR_COMMAND_NO_INDEX);
}

char *
vtr_window_dup_image_path (VtrWindow *self, GError **error)
{
  if (self->session == NULL)
    {
      g_set_error (error, VTR_RESOLVE_ERROR, VTR_RESOLVE_ERROR_NOTHING,
                   _ ("The window shows no trace"));
      return NULL;
    }
  return vtr_framebuffer_view_dup_image_path (vtr_trace_page_get_framebuffer (self->trace), error);
}

/* --- dropping files -------------------------------------------------------------------------- */

static GdkDragAction
drop_enter_cb (VtrWindow *self)
{
  gtk_widget_set_visible (GTK_WIDGET (self->drop_revealer), TRUE);
  gtk_revealer_set_reveal_child (self->drop_revealer, TRUE);
  return GDK_ACTION_COPY;
}

static void
drop_leave_cb (VtrWindow *self)
{
  gtk_revealer_set_reveal_child (self->drop_revealer, FALSE);
  gtk_widget_set_visible (GTK_WIDGET (self->drop_revealer), FALSE);
}

static gboolean
drop_cb (VtrWindow *self, const GValue *value)
{
  drop_leave_cb (self);
  if (G_VALUE_HOLDS (value, GDK_TYPE_FILE_LIST))
    {
      g_autoptr (GSList) files = gdk_file_list_get_files (g_value_get_boxed (value));

      vtr_window_open_files (self, files);
      return TRUE;
    }
  return FALSE;
}

static void
init_drop (VtrWindow *self)
{
  GtkDropTarget *target = gtk_drop_target_new (GDK_TYPE_FILE_LIST, GDK_ACTION_COPY);

  g_signal_connect_object (target, "enter", G_CALLBACK (drop_enter_cb), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (target, "leave", G_CALLBACK (drop_leave_cb), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (target, "drop", G_CALLBACK (drop_cb), self, G_CONNECT_SWAPPED);
  gtk_widget_add_controller (GTK_WIDGET (self), GTK_EVENT_CONTROLLER (target));
}

/* --- keys that act while a view has the focus, never in entries ------------------------------- */

static gboolean
key_pressed_cb (VtrWindow *self, guint key, guint code, GdkModifierType modifiers)
{
  static const struct
  {
    guint key;
    GdkModifierType modifiers;
    const char *action;
  } keys[] = {
    { GDK_KEY_comma, 0, "win.previous-draw" },
    { GDK_KEY_period, 0, "win.next-draw" },
    { GDK_KEY_bracketleft, 0, "win.previous-write" },
    { GDK_KEY_bracketright, 0, "win.next-write" },
    /* These are no accelerators, which would take the keys from text that is being edited. */
    { GDK_KEY_d, GDK_CONTROL_MASK, "win.toggle-disabled" },
    { GDK_KEY_i, GDK_CONTROL_MASK, "win.disable-others" },
    { GDK_KEY_z, GDK_CONTROL_MASK, "win.undo" },
    { GDK_KEY_Z, GDK_CONTROL_MASK, "win.redo" },
  };
  const GdkModifierType asked =
    modifiers & (GDK_CONTROL_MASK | GDK_ALT_MASK | GDK_SUPER_MASK);
  GtkWidget *focus = gtk_window_get_focus (GTK_WINDOW (self));

  if (!vtr_window_is_page (self, "trace") || GTK_IS_EDITABLE (focus) || GTK_IS_TEXT (focus) ||
      (GTK_IS_TEXT_VIEW (focus) && gtk_text_view_get_editable (GTK_TEXT_VIEW (focus))))
    return GDK_EVENT_PROPAGATE;
  for (guint i = 0; i < G_N_ELEMENTS (keys); i++)
    if (keys[i].key == key && keys[i].modifiers == asked)
      {
        gtk_widget_activate_action (GTK_WIDGET (self), keys[i].action, NULL);
        return GDK_EVENT_STOP;
      }
  return GDK_EVENT_PROPAGATE;
}

/* --- life ------------------------------------------------------------------------------------ */

static void
update_style (VtrWindow *self)
{
  AdwStyleManager *style = adw_style_manager_get_default ();

  if (adw_style_manager_get_high_contrast (style))
    gtk_widget_add_css_class (GTK_WIDGET (self), "hc");
  else
    gtk_widget_remove_css_class (GTK_WIDGET (self), "hc");
  if (adw_style_manager_get_dark (style))
    gtk_widget_add_css_class (GTK_WIDGET (self), "dark");
  else
    gtk_widget_remove_css_class (GTK_WIDGET (self), "dark");
}

static void
close_response_cb (VtrWindow *self, const char *response)
{
  if (!g_str_equal (response, "stop"))
    return;
  vtr_capture_page_stop (self->capture, TRUE);
  gtk_window_destroy (GTK_WINDOW (self));
}

static gboolean
close_idle_cb (gpointer data)
{
  gtk_window_close (data);
  return G_SOURCE_REMOVE;
}

void
vtr_window_capture_ended (VtrWindow *self)
{
  if (self->asking == NULL)
    return;
  gtk_window_destroy (GTK_WINDOW (self->asking));
  g_idle_add_full (G_PRIORITY_DEFAULT_IDLE, close_idle_cb, g_object_ref (self), g_object_unref);
}

/* The size to request from GTK next time: without a compositor, the window's size includes its
 * decorations. */
static void
save_size (VtrWindow *self)
{
  GtkWindow *window = GTK_WINDOW (self);
  int width, height;

  g_settings_set_boolean (self->settings, "window-maximized", gtk_window_is_maximized (window));
  gtk_window_get_default_size (window, &width, &height);
  if (width > 0 && height > 0)
    g_settings_set (self->settings, "window-size", "(ii)", width, height);
}

/* Some window managers ignore the size that GTK requests when the window first appears. */
static void
vtr_window_map (GtkWidget *widget)
{
  VtrWindow *self = VTR_WINDOW (widget);

  GTK_WIDGET_CLASS (vtr_window_parent_class)->map (widget);
  if (self->maximize)
    gtk_window_maximize (GTK_WINDOW (self));
  self->maximize = FALSE;
}

static gboolean
vtr_window_close_request (GtkWindow *window)
{
  VtrWindow *self = VTR_WINDOW (window);

  if (self->trace)
    vtr_layout_save (vtr_trace_page_get_layout (self->trace));
  save_size (self);
  if (vtr_window_is_capturing (self))
    {
      if (self->asking == NULL)
        g_set_weak_pointer (
          &self->asking, vtr_dialogs_confirm_stop (window, G_CALLBACK (close_response_cb), self));
      return TRUE;
    }
  return GTK_WINDOW_CLASS (vtr_window_parent_class)->close_request (window);
}

static void
vtr_window_dispose (GObject *object)
{
  VtrWindow *self = VTR_WINDOW (object);

  g_clear_handle_id (&self->present_timeout, g_source_remove);
  if (self->settings)
    vtr_window_drop_session (self);
  g_clear_weak_pointer (&self->capture);
  g_clear_weak_pointer (&self->trace);
  g_clear_weak_pointer (&self->asking);
  g_clear_object (&self->file);
  g_clear_object (&self->settings);
  G_OBJECT_CLASS (vtr_window_parent_class)->dispose (object);
}

static void
vtr_window_finalize (GObject *object)
{
  g_free (VTR_WINDOW (object)->page_before_loading);
  g_free (VTR_WINDOW (object)->toast);
  G_OBJECT_CLASS (vtr_window_parent_class)->finalize (object);
}

static void
vtr_window_class_init (VtrWindowClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = vtr_window_dispose;
  G_OBJECT_CLASS (klass)->finalize = vtr_window_finalize;
  widget_class->map = vtr_window_map;
  GTK_WINDOW_CLASS (klass)->close_request = vtr_window_close_request;
  signals[PAGE_CHANGED] = g_signal_new ("page-changed", VTR_TYPE_WINDOW, G_SIGNAL_RUN_LAST, 0, NULL,
                                        NULL, NULL, G_TYPE_NONE, 0);

  g_type_ensure (VTR_TYPE_BANNER);
  g_type_ensure (VTR_TYPE_START_PAGE);
  gtk_widget_class_set_template_from_resource (widget_class,
                                               "/io/github/vitrine/Vitrine/vtr-window.ui");
#define BIND(name) gtk_widget_class_bind_template_child (widget_class, VtrWindow, name)
  BIND (toasts);
  BIND (title);
  BIND (page_back);
  BIND (trace_start);
  BIND (trace_end);
  BIND (start_toggle);
  BIND (bottom_toggle);
  BIND (end_toggle);
  BIND (menu);
  BIND (banner);
  BIND (stack);
  BIND (start);
  BIND (capture_place);
  BIND (loading);
  BIND (progress);
  BIND (error);
  BIND (show_in_files);
  BIND (trace_place);
  BIND (drop_revealer);
#undef BIND
  gtk_widget_class_bind_template_callback (widget_class, vtr_window_update_page);
  gtk_widget_class_bind_template_callback (widget_class, recent_open_cb);
  vtr_window_install_actions (widget_class);
  vtr_window_install_measure_actions (widget_class);
  vtr_window_install_job_actions (widget_class);
}

/* The menu has a switch for every pane. */
static void
init_panes_menu (VtrWindow *self, GtkBuilder *builder)
{
  GMenu *menu = G_MENU (gtk_builder_get_object (builder, "panes"));
  guint n_panes;
  const VtrPaneInfo *infos = vtr_panes_list (&n_panes);

  for (guint i = 0; i < n_panes; i++)
    {
      g_autofree char *action = g_strconcat ("panes.", infos[i].id, NULL);

      g_menu_append (menu, _ (infos[i].title), action);
    }
}

static void
vtr_window_init (VtrWindow *self)
{
  g_autoptr (GtkBuilder) builder =
    gtk_builder_new_from_resource ("/io/github/vitrine/Vitrine/gtk/menus.ui");
  GtkEventController *keys = gtk_event_controller_key_new ();
  AdwStyleManager *style = adw_style_manager_get_default ();
  int width, height;

  self->settings = vtr_settings_new ();
  gtk_widget_init_template (GTK_WIDGET (self));
  vtr_accessible_name_buttons (GTK_WIDGET (self->stack));
  init_panes_menu (self, builder);
  gtk_menu_button_set_menu_model (self->menu,
                                  G_MENU_MODEL (gtk_builder_get_object (builder, "primary")));
  vtr_start_page_set_store (self->start, vtr_recent_store_get_default ());
  g_settings_get (self->settings, "window-size", "(ii)", &width, &height);
  gtk_window_set_default_size (GTK_WINDOW (self), MAX (width, 640), MAX (height, 480));
  if (g_settings_get_boolean (self->settings, "window-maximized"))
    {
      gtk_window_maximize (GTK_WINDOW (self));
      self->maximize = TRUE;
    }

  g_signal_connect_object (keys, "key-pressed", G_CALLBACK (key_pressed_cb), self,
                           G_CONNECT_SWAPPED);
  gtk_widget_add_controller (GTK_WIDGET (self), keys);
  g_signal_connect_object (style, "notify::dark", G_CALLBACK (update_style), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (style, "notify::high-contrast", G_CALLBACK (update_style), self,
                           G_CONNECT_SWAPPED);
  update_style (self);
  init_drop (self);
  vtr_window_update_page (self);
}

VtrWindow *
vtr_window_new (GtkApplication *application)
{
  return g_object_new (VTR_TYPE_WINDOW, "application", application, NULL);
}
