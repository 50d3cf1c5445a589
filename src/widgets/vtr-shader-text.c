/* The text view of the Shaders pane: syntax highlighting, line numbers, search, and editing. */
#include "vtr-config.h"

#include "widgets/vtr-shader-text.h"

#include <adwaita.h>
#include <glib/gi18n.h>
#include <gtksourceview/gtksource.h>

#include "widgets/vtr-copy-menu.h"
#include "widgets/vtr-focus-chain.h"

#define LANGUAGES "resource:///io/github/vitrine/Vitrine/language-specs/"

struct _VtrShaderText
{
  GtkWidget parent_instance;

  GtkWidget *search_bar;
  GtkWidget *entry;
  GtkWidget *count;
  GtkSourceView *view;
  GtkSourceBuffer *buffer;
  GtkSourceSearchContext *search;
  GtkTextTag *mark;
  char *text;
  char *language;
  gboolean syncing;
};

G_DEFINE_FINAL_TYPE (VtrShaderText, vtr_shader_text, GTK_TYPE_WIDGET)

enum
{
  EDITED,
  APPLY,
  N_SIGNALS
};

static guint signals[N_SIGNALS];

/* --- search ---------------------------------------------------------------------------------- */

static void
update_count (VtrShaderText *self)
{
  int n = gtk_source_search_context_get_occurrences_count (self->search);
  const char *text = gtk_editable_get_text (GTK_EDITABLE (self->entry));
  g_autofree char *label = NULL;

  if (*text == '\0' || n < 0)
    label = g_strdup ("");
  else
    label = g_strdup_printf (ngettext ("%d match", "%d matches", (gulong)n), n);
  gtk_label_set_label (GTK_LABEL (self->count), label);
  if (*text != '\0' && n == 0)
    gtk_widget_add_css_class (self->entry, "error");
  else
    gtk_widget_remove_css_class (self->entry, "error");
}

static void
move_to_match (VtrShaderText *self, gboolean forward)
{
  GtkTextBuffer *buffer = GTK_TEXT_BUFFER (self->buffer);
  GtkTextIter start, end, match_start, match_end;
  gboolean wrapped, found;

  gtk_text_buffer_get_selection_bounds (buffer, &start, &end);
  found = forward ? gtk_source_search_context_forward (self->search, &end, &match_start,
                                                       &match_end, &wrapped)
                  : gtk_source_search_context_backward (self->search, &start, &match_start,
                                                        &match_end, &wrapped);
  if (!found)
    return;
  gtk_text_buffer_select_range (buffer, &match_start, &match_end);
  gtk_text_view_scroll_to_iter (GTK_TEXT_VIEW (self->view), &match_start, .1, FALSE, 0, 0);
}

static void
search_changed_cb (VtrShaderText *self)
{
  GtkSourceSearchSettings *settings = gtk_source_search_context_get_settings (self->search);
  const char *text = gtk_editable_get_text (GTK_EDITABLE (self->entry));
  GtkTextIter start;

  gtk_source_search_settings_set_search_text (settings, *text != '\0' ? text : NULL);
  gtk_text_buffer_get_start_iter (GTK_TEXT_BUFFER (self->buffer), &start);
  gtk_text_buffer_place_cursor (GTK_TEXT_BUFFER (self->buffer), &start);
  if (*text != '\0')
    move_to_match (self, TRUE);
  update_count (self);
}

static void
next_match_cb (VtrShaderText *self)
{
  move_to_match (self, TRUE);
}

static void
previous_match_cb (VtrShaderText *self)
{
  move_to_match (self, FALSE);
}

static void
stop_search_cb (VtrShaderText *self)
{
  gtk_revealer_set_reveal_child (GTK_REVEALER (self->search_bar), FALSE);
  gtk_editable_set_text (GTK_EDITABLE (self->entry), "");
  gtk_widget_grab_focus (GTK_WIDGET (self->view));
}

void
vtr_shader_text_find (VtrShaderText *self, int step)
{
  if (step != 0 && *gtk_editable_get_text (GTK_EDITABLE (self->entry)) != '\0')
    {
      move_to_match (self, step > 0);
      return;
    }
  gtk_revealer_set_reveal_child (GTK_REVEALER (self->search_bar), TRUE);
  gtk_widget_grab_focus (self->entry);
}

/* --- style ----------------------------------------------------------------------------------- */

static void
update_scheme (VtrShaderText *self)
{
  gboolean dark = adw_style_manager_get_dark (adw_style_manager_get_default ());
  GtkSourceStyleScheme *scheme = gtk_source_style_scheme_manager_get_scheme (
    gtk_source_style_scheme_manager_get_default (), dark ? "Adwaita-dark" : "Adwaita");

  gtk_source_buffer_set_style_scheme (self->buffer, scheme);
}

static GtkSourceLanguageManager *
get_languages (void)
{
  static GtkSourceLanguageManager *manager;

  if (manager == NULL)
    {
      manager = gtk_source_language_manager_get_default ();
      gtk_source_language_manager_append_search_path (manager, LANGUAGES);
    }
  return manager;
}

void
vtr_shader_text_set_text (VtrShaderText *self, const char *text, const char *language)
{
  GtkTextIter start;

  if (g_strcmp0 (self->language, language) != 0)
    {
      g_free (self->language);
      self->language = g_strdup (language);
      gtk_source_buffer_set_language (
        self->buffer, language != NULL
                        ? gtk_source_language_manager_get_language (get_languages (), language)
                        : NULL);
    }
  if (g_strcmp0 (self->text, text) == 0)
    return;
  g_free (self->text);
  self->text = g_strdup (text);
  /* Cannot be undone, because it is another text. */
  self->syncing = TRUE;
  gtk_text_buffer_begin_irreversible_action (GTK_TEXT_BUFFER (self->buffer));
  gtk_text_buffer_set_text (GTK_TEXT_BUFFER (self->buffer), text != NULL ? text : "", -1);
  gtk_text_buffer_end_irreversible_action (GTK_TEXT_BUFFER (self->buffer));
  self->syncing = FALSE;
  gtk_text_buffer_get_start_iter (GTK_TEXT_BUFFER (self->buffer), &start);
  gtk_text_buffer_place_cursor (GTK_TEXT_BUFFER (self->buffer), &start);
  gtk_text_view_scroll_to_iter (GTK_TEXT_VIEW (self->view), &start, 0, TRUE, 0, 0);
}

const char *
vtr_shader_text_get_text (VtrShaderText *self)
{
  return self->text;
}

/* --- editing --------------------------------------------------------------------------------- */

static void
changed_cb (VtrShaderText *self)
{
  GtkTextIter start, end;

  if (self->syncing)
    return;
  gtk_text_buffer_get_bounds (GTK_TEXT_BUFFER (self->buffer), &start, &end);
  g_free (self->text);
  self->text = gtk_text_buffer_get_text (GTK_TEXT_BUFFER (self->buffer), &start, &end, TRUE);
  g_signal_emit (self, signals[EDITED], 0);
}

static gboolean
key_pressed_cb (VtrShaderText *self, guint key, guint code, GdkModifierType modifiers)
{
  if ((key != GDK_KEY_Return && key != GDK_KEY_KP_Enter) ||
      (modifiers & gtk_accelerator_get_default_mod_mask ()) != GDK_CONTROL_MASK ||
      !gtk_text_view_get_editable (GTK_TEXT_VIEW (self->view)))
    return GDK_EVENT_PROPAGATE;
  g_signal_emit (self, signals[APPLY], 0);
  return GDK_EVENT_STOP;
}

void
vtr_shader_text_set_editable (VtrShaderText *self, gboolean editable)
{
  gtk_text_view_set_editable (GTK_TEXT_VIEW (self->view), editable);
  gtk_source_view_set_highlight_current_line (self->view, editable);
  gtk_source_view_set_auto_indent (self->view, editable);
}

static gboolean
find_line (VtrShaderText *self, guint line, GtkTextIter *start)
{
  GtkTextBuffer *buffer = GTK_TEXT_BUFFER (self->buffer);

  return line > 0 && line <= (guint)gtk_text_buffer_get_line_count (buffer) &&
         gtk_text_buffer_get_iter_at_line (buffer, start, (int)line - 1);
}

void
vtr_shader_text_mark_line (VtrShaderText *self, guint line)
{
  GtkTextBuffer *buffer = GTK_TEXT_BUFFER (self->buffer);
  GtkTextIter start, end;

  gtk_text_buffer_get_bounds (buffer, &start, &end);
  gtk_text_buffer_remove_tag (buffer, self->mark, &start, &end);
  if (!find_line (self, line, &start))
    return;
  end = start;
  gtk_text_iter_forward_line (&end);
  gtk_text_buffer_apply_tag (buffer, self->mark, &start, &end);
}

void
vtr_shader_text_go_to_line (VtrShaderText *self, guint line)
{
  GtkTextIter start;

  if (!find_line (self, line, &start))
    return;
  gtk_text_buffer_place_cursor (GTK_TEXT_BUFFER (self->buffer), &start);
  gtk_text_view_scroll_to_iter (GTK_TEXT_VIEW (self->view), &start, .2, FALSE, 0, 0);
  gtk_widget_grab_focus (GTK_WIDGET (self->view));
}

/* --- life ------------------------------------------------------------------------------------ */

static void
vtr_shader_text_dispose (GObject *object)
{
  VtrShaderText *self = VTR_SHADER_TEXT (object);
  GtkWidget *child;

  while ((child = gtk_widget_get_first_child (GTK_WIDGET (self))))
    gtk_widget_unparent (child);
  g_clear_object (&self->search);
  g_clear_object (&self->buffer);
  g_clear_pointer (&self->text, g_free);
  g_clear_pointer (&self->language, g_free);
  G_OBJECT_CLASS (vtr_shader_text_parent_class)->dispose (object);
}

static gboolean
vtr_shader_text_grab_focus (GtkWidget *widget)
{
  return gtk_widget_grab_focus (GTK_WIDGET (VTR_SHADER_TEXT (widget)->view));
}

static void
vtr_shader_text_class_init (VtrShaderTextClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = vtr_shader_text_dispose;
  widget_class->grab_focus = vtr_shader_text_grab_focus;
  vtr_focus_chain_init_class (widget_class);
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BOX_LAYOUT);
  gtk_widget_class_set_css_name (widget_class, "vtrshadertext");
  signals[EDITED] = g_signal_new ("edited", VTR_TYPE_SHADER_TEXT, G_SIGNAL_RUN_LAST, 0, NULL, NULL,
                                  NULL, G_TYPE_NONE, 0);
  signals[APPLY] = g_signal_new ("apply", VTR_TYPE_SHADER_TEXT, G_SIGNAL_RUN_LAST, 0, NULL, NULL,
                                 NULL, G_TYPE_NONE, 0);
}

static GtkWidget *
make_step_button (VtrShaderText *self, const char *icon, const char *label, GCallback callback)
{
  GtkWidget *button = gtk_button_new_from_icon_name (icon);

  gtk_widget_set_tooltip_text (button, label);
  gtk_accessible_update_property (GTK_ACCESSIBLE (button), GTK_ACCESSIBLE_PROPERTY_LABEL, label,
                                  -1);
  gtk_widget_add_css_class (button, "flat");
  g_signal_connect_object (button, "clicked", callback, self, G_CONNECT_SWAPPED);
  return button;
}

static void
init_search (VtrShaderText *self)
{
  g_autoptr (GtkSourceSearchSettings) settings = gtk_source_search_settings_new ();
  GtkWidget *row = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 0);

  gtk_source_search_settings_set_wrap_around (settings, TRUE);
  self->search = gtk_source_search_context_new (self->buffer, settings);
  self->entry = gtk_search_entry_new ();
  gtk_widget_set_hexpand (self->entry, TRUE);
  g_object_set (self->entry, "placeholder-text", _ ("Find"), NULL);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->entry), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("Find in text"), -1);
  self->count = gtk_label_new (NULL);
  gtk_widget_add_css_class (self->count, "dim-text");
  gtk_widget_add_css_class (self->count, "numeric");
  gtk_widget_add_css_class (row, "tool-row");
  gtk_box_append (GTK_BOX (row), self->entry);
  gtk_box_append (GTK_BOX (row), self->count);
  gtk_box_append (GTK_BOX (row), make_step_button (self, "go-up-symbolic", _ ("Previous Match"),
                                                   G_CALLBACK (previous_match_cb)));
  gtk_box_append (GTK_BOX (row), make_step_button (self, "go-down-symbolic", _ ("Next Match"),
                                                   G_CALLBACK (next_match_cb)));
  self->search_bar = gtk_revealer_new ();
  gtk_revealer_set_child (GTK_REVEALER (self->search_bar), row);
  gtk_widget_set_parent (self->search_bar, GTK_WIDGET (self));
  g_signal_connect_object (self->entry, "search-changed", G_CALLBACK (search_changed_cb), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (self->entry, "activate", G_CALLBACK (next_match_cb), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (self->entry, "next-match", G_CALLBACK (next_match_cb), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (self->entry, "previous-match", G_CALLBACK (previous_match_cb), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (self->entry, "stop-search", G_CALLBACK (stop_search_cb), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (self->search, "notify::occurrences-count", G_CALLBACK (update_count),
                           self, G_CONNECT_SWAPPED);
}

static void
vtr_shader_text_init (VtrShaderText *self)
{
  GtkWidget *scroller = gtk_scrolled_window_new ();
  GtkEventController *keys = gtk_event_controller_key_new ();

  gtk_orientable_set_orientation (
    GTK_ORIENTABLE (gtk_widget_get_layout_manager (GTK_WIDGET (self))), GTK_ORIENTATION_VERTICAL);
  self->buffer = gtk_source_buffer_new (NULL);
  gtk_source_buffer_set_highlight_matching_brackets (self->buffer, TRUE);
  init_search (self);
  self->view = GTK_SOURCE_VIEW (gtk_source_view_new_with_buffer (self->buffer));
  gtk_text_view_set_editable (GTK_TEXT_VIEW (self->view), FALSE);
  vtr_copy_menu_add (GTK_WIDGET (self->view));
  gtk_text_view_set_monospace (GTK_TEXT_VIEW (self->view), TRUE);
  gtk_text_view_set_left_margin (GTK_TEXT_VIEW (self->view), 6);
  gtk_source_view_set_show_line_numbers (self->view, TRUE);
  gtk_source_view_set_highlight_current_line (self->view, FALSE);
  gtk_source_view_set_tab_width (self->view, 4);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->view), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("Shader text"), -1);
  /* A colour that is visible in light and dark style. */
  self->mark = gtk_text_buffer_create_tag (GTK_TEXT_BUFFER (self->buffer), NULL,
                                           "paragraph-background", "#e01b2440", NULL);
  g_signal_connect_object (self->buffer, "changed", G_CALLBACK (changed_cb), self,
                           G_CONNECT_SWAPPED);
  gtk_event_controller_set_propagation_phase (keys, GTK_PHASE_CAPTURE);
  g_signal_connect_object (keys, "key-pressed", G_CALLBACK (key_pressed_cb), self,
                           G_CONNECT_SWAPPED);
  gtk_widget_add_controller (GTK_WIDGET (self->view), keys);
  /* A text view learns its size during layout. Scroll bars that appear or disappear would then
   * request another layout, and GTK would draw a dock without an allocation: "Trying to snapshot
   * PanelDockChild without a current allocation". */
  gtk_scrolled_window_set_policy (GTK_SCROLLED_WINDOW (scroller), GTK_POLICY_ALWAYS,
                                  GTK_POLICY_ALWAYS);
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (scroller), GTK_WIDGET (self->view));
  gtk_widget_set_vexpand (scroller, TRUE);
  gtk_widget_set_hexpand (scroller, TRUE);
  gtk_widget_set_parent (scroller, GTK_WIDGET (self));
  update_scheme (self);
  g_signal_connect_object (adw_style_manager_get_default (), "notify::dark",
                           G_CALLBACK (update_scheme), self, G_CONNECT_SWAPPED);
}

GtkWidget *
vtr_shader_text_new (void)
{
  return g_object_new (VTR_TYPE_SHADER_TEXT, NULL);
}
