/* Builds the preferences window from the settings. */
#include "vtr-config.h"

#include "window/vtr-preferences.h"

#include <adwaita.h>
#include <glib/gi18n.h>

#include "session/vtr-settings.h"

static void
scheme_selected_cb (AdwComboRow *row, GParamSpec *pspec, GSettings *settings)
{
  g_settings_set_enum (settings, "color-scheme", (int)adw_combo_row_get_selected (row));
}

static GtkWidget *
make_scheme_row (GSettings *settings)
{
  const char *const names[] = { _ ("Follow System"), _ ("Light"), _ ("Dark"), NULL };
  g_autoptr (GtkStringList) model = gtk_string_list_new (names);
  GtkWidget *row = adw_combo_row_new ();

  adw_preferences_row_set_title (ADW_PREFERENCES_ROW (row), _ ("Style"));
  adw_combo_row_set_model (ADW_COMBO_ROW (row), G_LIST_MODEL (model));
  adw_combo_row_set_selected (ADW_COMBO_ROW (row),
                              (guint)g_settings_get_enum (settings, "color-scheme"));
  g_signal_connect_object (row, "notify::selected", G_CALLBACK (scheme_selected_cb), settings, 0);
  return row;
}

static GtkWidget *
make_switch_row (GSettings *settings, const char *key, const char *title, const char *subtitle)
{
  GtkWidget *row = adw_action_row_new ();
  GtkWidget *toggle = gtk_switch_new ();

  adw_preferences_row_set_title (ADW_PREFERENCES_ROW (row), title);
  adw_action_row_set_subtitle (ADW_ACTION_ROW (row), subtitle);
  gtk_widget_set_valign (toggle, GTK_ALIGN_CENTER);
  adw_action_row_add_suffix (ADW_ACTION_ROW (row), toggle);
  adw_action_row_set_activatable_widget (ADW_ACTION_ROW (row), toggle);
  g_settings_bind (settings, key, toggle, "active", G_SETTINGS_BIND_DEFAULT);
  return row;
}

void
vtr_preferences_show (GtkWindow *parent)
{
  g_autoptr (GSettings) settings = vtr_settings_new ();
  GtkWidget *window = adw_preferences_window_new ();
  GtkWidget *page = adw_preferences_page_new ();
  GtkWidget *appearance = adw_preferences_group_new ();
  GtkWidget *capture = adw_preferences_group_new ();

  adw_preferences_group_set_title (ADW_PREFERENCES_GROUP (appearance), _ ("Appearance"));
  adw_preferences_group_add (ADW_PREFERENCES_GROUP (appearance), make_scheme_row (settings));
  adw_preferences_group_add (ADW_PREFERENCES_GROUP (appearance),
                             make_switch_row (settings, "show-vkcmd", _ ("Show “vkCmd”"),
                                              _ ("Show full command names in the list")));
  adw_preferences_group_set_title (ADW_PREFERENCES_GROUP (capture), _ ("Capture"));
  adw_preferences_group_add (
    ADW_PREFERENCES_GROUP (capture),
    make_switch_row (settings, "capture-crash-mode", _ ("Crash Mode"),
                     _ ("Slower; saves each call before it runs")));

  adw_preferences_page_add (ADW_PREFERENCES_PAGE (page), ADW_PREFERENCES_GROUP (appearance));
  adw_preferences_page_add (ADW_PREFERENCES_PAGE (page), ADW_PREFERENCES_GROUP (capture));
  adw_preferences_window_add (ADW_PREFERENCES_WINDOW (window), ADW_PREFERENCES_PAGE (page));
  adw_preferences_window_set_search_enabled (ADW_PREFERENCES_WINDOW (window), FALSE);
  /* The rows have only weak references to the settings. */
  g_object_set_data_full (G_OBJECT (window), "settings", g_object_ref (settings), g_object_unref);
  gtk_window_set_modal (GTK_WINDOW (window), TRUE);
  gtk_window_set_transient_for (GTK_WINDOW (window), parent);
  gtk_window_present (GTK_WINDOW (window));
}
