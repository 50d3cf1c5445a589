/* Sets accessible names on buttons and list rows where GTK gives none, or gives the same name
 * twice. */
#include "vtr-config.h"

#include "widgets/vtr-accessible.h"

static char *
dup_without_underscore (const char *label)
{
  GString *text = g_string_new (NULL);

  for (; *label != '\0'; label++)
    {
      if (*label == '_' && label[1] != '\0')
        label++;
      g_string_append_c (text, *label);
    }
  return g_string_free (text, FALSE);
}

/* GTK sets both names again whenever the label changes. */
static void
name_button (GtkButton *button)
{
  const char *label = gtk_button_get_label (button);
  g_autofree char *name = label != NULL ? dup_without_underscore (label) : NULL;

  if (name == NULL)
    return;
  gtk_accessible_reset_relation (GTK_ACCESSIBLE (button), GTK_ACCESSIBLE_RELATION_LABELLED_BY);
  gtk_accessible_update_property (GTK_ACCESSIBLE (button), GTK_ACCESSIBLE_PROPERTY_LABEL, name,
                                  -1);
}

static GtkWidget *
with_one_name (GtkWidget *button)
{
  g_signal_connect_after (button, "notify::label", G_CALLBACK (name_button), NULL);
  name_button (GTK_BUTTON (button));
  return button;
}

GtkWidget *
vtr_button_new_with_mnemonic (const char *label)
{
  return with_one_name (gtk_button_new_with_mnemonic (label));
}

GtkWidget *
vtr_toggle_button_new_with_mnemonic (const char *label)
{
  return with_one_name (gtk_toggle_button_new_with_mnemonic (label));
}

void
vtr_accessible_name_buttons (GtkWidget *widget)
{
  if (GTK_IS_BUTTON (widget) && gtk_button_get_use_underline (GTK_BUTTON (widget)) &&
      GTK_IS_LABEL (gtk_button_get_child (GTK_BUTTON (widget))))
    with_one_name (widget);
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    vtr_accessible_name_buttons (child);
}

void
vtr_accessible_name_row (GtkWidget *child, const char *name)
{
  for (GtkWidget *at = gtk_widget_get_parent (child); at != NULL; at = gtk_widget_get_parent (at))
    {
      GtkAccessibleRole role = gtk_accessible_get_accessible_role (GTK_ACCESSIBLE (at));

      if (role != GTK_ACCESSIBLE_ROLE_LIST_ITEM && role != GTK_ACCESSIBLE_ROLE_ROW)
        continue;
      gtk_accessible_update_property (GTK_ACCESSIBLE (at), GTK_ACCESSIBLE_PROPERTY_LABEL, name,
                                      -1);
      return;
    }
}
