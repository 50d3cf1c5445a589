/* The row of the capture form that chooses how the layer finds writes to mapped memory. */
#include "vtr-config.h"

#include "widgets/vtr-capture-tracker.h"

#include <glib/gi18n.h>

/* As the setting and VITRINE_TRACKER name them, in the order of the list. */
static const struct
{
  const char *way;
  const char *title;
} ways[] = {
  { "auto", N_ ("Automatic") },
  { "uffd", N_ ("userfaultfd") },
  { "compare", N_ ("Page comparison") },
  { "uffd-sync", N_ ("userfaultfd (synchronous)") },
  { "mprotect", N_ ("Page protection") },
};

static gboolean
to_position (GValue *value, GVariant *setting, gpointer data)
{
  const char *way = g_variant_get_string (setting, NULL);

  for (guint i = 0; i < G_N_ELEMENTS (ways); i++)
    if (g_str_equal (ways[i].way, way))
      {
        g_value_set_uint (value, i);
        return TRUE;
      }
  return FALSE;
}

static GVariant *
to_setting (const GValue *value, const GVariantType *type, gpointer data)
{
  guint position = g_value_get_uint (value);

  return position < G_N_ELEMENTS (ways) ? g_variant_new_string (ways[position].way) : NULL;
}

GtkWidget *
vtr_capture_tracker_row_new (GSettings *settings)
{
  GtkWidget *row = adw_combo_row_new ();
  g_autoptr (GtkStringList) list = gtk_string_list_new (NULL);

  for (guint i = 0; i < G_N_ELEMENTS (ways); i++)
    gtk_string_list_append (list, _ (ways[i].title));
  adw_preferences_row_set_title (ADW_PREFERENCES_ROW (row), _ ("Track Memory Writes"));
  adw_action_row_set_subtitle (ADW_ACTION_ROW (row), _ ("Method"));
  adw_combo_row_set_model (ADW_COMBO_ROW (row), G_LIST_MODEL (list));
  g_settings_bind_with_mapping (settings, "capture-tracker", row, "selected",
                                G_SETTINGS_BIND_DEFAULT, to_position, to_setting, NULL, NULL);
  return row;
}
