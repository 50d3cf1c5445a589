/* Checks that every control in a window has an accessible name, and only one. */
#include "vtr-test-names.h"

#include <adwaita.h>

gboolean
vtr_test_names_is_labelled (GtkWidget *widget)
{
  GtkAccessible *accessible = GTK_ACCESSIBLE (widget);

  return gtk_test_accessible_has_property (accessible, GTK_ACCESSIBLE_PROPERTY_LABEL) ||
         gtk_test_accessible_has_relation (accessible, GTK_ACCESSIBLE_RELATION_LABELLED_BY);
}

/* A button with an underlined label has a name from its text and one from the label in it:
 * assistive technology reads "_Next Draw Next Draw". */
static gboolean
is_named_twice (GtkWidget *widget)
{
  GtkWidget *label = GTK_IS_BUTTON (widget) ? gtk_button_get_child (GTK_BUTTON (widget)) : NULL;
  GtkAccessible *accessible = GTK_ACCESSIBLE (widget);
  g_autofree char *relation = NULL;

  if (!GTK_IS_LABEL (label) ||
      !gtk_test_accessible_has_property (accessible, GTK_ACCESSIBLE_PROPERTY_LABEL) ||
      !gtk_test_accessible_has_relation (accessible, GTK_ACCESSIBLE_RELATION_LABELLED_BY))
    return FALSE;
  relation = gtk_test_accessible_check_relation (
    accessible, GTK_ACCESSIBLE_RELATION_LABELLED_BY, label, NULL);
  return relation == NULL;
}

gboolean
vtr_test_names_is_row (GtkWidget *widget)
{
  GtkAccessibleRole role = gtk_accessible_get_accessible_role (GTK_ACCESSIBLE (widget));

  if (gtk_widget_get_first_child (widget) == NULL ||
      !g_str_equal (G_OBJECT_TYPE_NAME (widget), "GtkListItemWidget"))
    return FALSE;
  /* The row of a table's titles is not in its list. */
  return role == GTK_ACCESSIBLE_ROLE_LIST_ITEM ||
         (role == GTK_ACCESSIBLE_ROLE_ROW && GTK_IS_LIST_VIEW (gtk_widget_get_parent (widget)));
}

static gboolean
is_control (GtkWidget *widget)
{
  return GTK_IS_BUTTON (widget) || GTK_IS_MENU_BUTTON (widget) || GTK_IS_CHECK_BUTTON (widget) ||
         GTK_IS_ENTRY (widget) || GTK_IS_SEARCH_ENTRY (widget) || GTK_IS_SPIN_BUTTON (widget) ||
         GTK_IS_DROP_DOWN (widget) || GTK_IS_SWITCH (widget) || GTK_IS_SCALE (widget) ||
         GTK_IS_PROGRESS_BAR (widget) || GTK_IS_COLUMN_VIEW (widget) ||
         (GTK_IS_LIST_VIEW (widget) && !GTK_IS_COLUMN_VIEW (gtk_widget_get_parent (widget))) ||
         GTK_IS_GRID_VIEW (widget) || GTK_IS_TEXT_VIEW (widget);
}

/* Hidden, or named by its library: rows of libadwaita name what they hold; window frames; docks. */
static gboolean
is_foreign (GtkWidget *widget)
{
  if (GTK_IS_REVEALER (widget) && !gtk_revealer_get_reveal_child (GTK_REVEALER (widget)))
    return TRUE;
  /* Its own search. */
  if (ADW_IS_HEADER_BAR (widget) && ADW_IS_PREFERENCES_WINDOW (gtk_widget_get_root (widget)))
    return TRUE;
  return !gtk_widget_get_visible (widget) || !gtk_widget_get_child_visible (widget) ||
         ADW_IS_ENTRY_ROW (widget) || ADW_IS_COMBO_ROW (widget) ||
         GTK_IS_WINDOW_CONTROLS (widget) || GTK_IS_POPOVER (widget) ||
         g_str_equal (G_OBJECT_TYPE_NAME (widget), "PanelDropControls");
}

static void
report_nameless (VtrTestNames *names, GtkWidget *widget)
{
  GString *text = g_string_new (NULL);

  g_string_printf (text, "A %s (“%s”) has no accessible name:", G_OBJECT_TYPE_NAME (widget),
                   gtk_widget_get_tooltip_text (widget));
  for (GtkWidget *at = gtk_widget_get_parent (widget); at != NULL; at = gtk_widget_get_parent (at))
    g_string_append_printf (text, " in a %s", G_OBJECT_TYPE_NAME (at));
  g_ptr_array_add (names->findings, g_string_free (text, FALSE));
}

void
vtr_test_names_check (VtrTestNames *names, GtkWidget *widget)
{
  gboolean row = vtr_test_names_is_row (widget);

  if (is_foreign (widget))
    return;
  if (is_named_twice (widget))
    g_ptr_array_add (names->findings, g_strdup_printf ("A %s is named twice: “%s”",
                                                       G_OBJECT_TYPE_NAME (widget),
                                                       gtk_button_get_label (GTK_BUTTON (widget))));
  names->n_rows += row;
  if (is_control (widget) || row)
    {
      names->n_controls++;
      if (!vtr_test_names_is_labelled (widget))
        report_nameless (names, widget);
      if (!GTK_IS_COLUMN_VIEW (widget) && !GTK_IS_LIST_VIEW (widget) &&
          !GTK_IS_GRID_VIEW (widget) && !row)
        return;
    }
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    vtr_test_names_check (names, child);
}
