/* The rows of the capture form for the program's working directory and environment variables. */
#include "vtr-config.h"

#include "widgets/vtr-capture-environment.h"

#include <glib/gi18n.h>
#include <string.h>

#include "widgets/vtr-accessible.h"

struct _VtrCaptureEnvironment
{
  AdwExpanderRow parent_instance;

  GtkWidget *directory;
  GtkWidget *variables; /* rows, in the expander */
};

G_DEFINE_FINAL_TYPE (VtrCaptureEnvironment, vtr_capture_environment, ADW_TYPE_EXPANDER_ROW)

static guint changed_signal;

static void
update (VtrCaptureEnvironment *self)
{
  guint n = 0;
  const char *directory = gtk_editable_get_text (GTK_EDITABLE (self->directory));
  g_autofree char *text = NULL;

  for (GtkWidget *row = gtk_widget_get_first_child (self->variables); row;
       row = gtk_widget_get_next_sibling (row))
    if (ADW_IS_ENTRY_ROW (row) && *gtk_editable_get_text (GTK_EDITABLE (row)))
      n++;
  if (n > 0)
    text = g_strdup_printf (ngettext ("%u variable set", "%u variables set", n), n);
  else
    text = g_markup_escape_text (*directory ? directory : _ ("Inherited"), -1);
  adw_expander_row_set_subtitle (ADW_EXPANDER_ROW (self), text);
  g_signal_emit (self, changed_signal, 0);
}

static gboolean
is_variable (const char *text)
{
  const char *equals = strchr (text, '=');

  if (equals == NULL || equals == text)
    return FALSE;
  for (const char *c = text; c < equals; c++)
    if (!g_ascii_isalnum (*c) && *c != '_')
      return FALSE;
  return !g_ascii_isdigit (text[0]);
}

static void
variable_changed_cb (VtrCaptureEnvironment *self, GtkWidget *row)
{
  const char *text = gtk_editable_get_text (GTK_EDITABLE (row));

  if (*text == '\0' || is_variable (text))
    gtk_widget_remove_css_class (row, "error");
  else
    gtk_widget_add_css_class (row, "error");
  update (self);
}

static void
remove_variable_cb (VtrCaptureEnvironment *self, GtkWidget *button)
{
  gtk_list_box_remove (GTK_LIST_BOX (self->variables),
                       gtk_widget_get_ancestor (button, ADW_TYPE_ENTRY_ROW));
  update (self);
}

static GtkWidget *
add_variable (VtrCaptureEnvironment *self, const char *text)
{
  GtkWidget *row = adw_entry_row_new ();
  GtkWidget *remove = gtk_button_new_from_icon_name ("list-remove-symbolic");

  adw_preferences_row_set_title (ADW_PREFERENCES_ROW (row), _ ("Variable: NAME=value"));
  gtk_editable_set_text (GTK_EDITABLE (row), text);
  gtk_widget_add_css_class (remove, "flat");
  gtk_widget_set_valign (remove, GTK_ALIGN_CENTER);
  gtk_widget_set_tooltip_text (remove, _ ("Remove Variable"));
  gtk_accessible_update_property (GTK_ACCESSIBLE (remove), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("Remove Variable"), -1);
  adw_entry_row_add_suffix (ADW_ENTRY_ROW (row), remove);
  gtk_list_box_append (GTK_LIST_BOX (self->variables), row);
  g_signal_connect_object (remove, "clicked", G_CALLBACK (remove_variable_cb), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (row, "changed", G_CALLBACK (variable_changed_cb), self,
                           G_CONNECT_SWAPPED);
  return row;
}

static void
add_variable_cb (VtrCaptureEnvironment *self)
{
  gtk_widget_grab_focus (add_variable (self, ""));
}

GStrv
vtr_capture_environment_dup_variables (VtrCaptureEnvironment *self)
{
  g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();

  for (GtkWidget *row = gtk_widget_get_first_child (self->variables); row;
       row = gtk_widget_get_next_sibling (row))
    if (ADW_IS_ENTRY_ROW (row) && is_variable (gtk_editable_get_text (GTK_EDITABLE (row))))
      g_strv_builder_add (builder, gtk_editable_get_text (GTK_EDITABLE (row)));
  return g_strv_builder_end (builder);
}

void
vtr_capture_environment_add_variables (VtrCaptureEnvironment *self, const char *const *variables)
{
  for (gsize i = 0; variables[i]; i++)
    add_variable (self, variables[i]);
}

const char *
vtr_capture_environment_get_directory (VtrCaptureEnvironment *self)
{
  return gtk_editable_get_text (GTK_EDITABLE (self->directory));
}

void
vtr_capture_environment_set_directory (VtrCaptureEnvironment *self, const char *directory)
{
  gtk_editable_set_text (GTK_EDITABLE (self->directory), directory);
  update (self);
}

static void
vtr_capture_environment_class_init (VtrCaptureEnvironmentClass *klass)
{
  changed_signal = g_signal_new ("environment-changed", VTR_TYPE_CAPTURE_ENVIRONMENT,
                                 G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
}

static void
vtr_capture_environment_init (VtrCaptureEnvironment *self)
{
  GtkWidget *add = vtr_button_new_with_mnemonic (_ ("_Add Variable"));
  GtkWidget *holder = gtk_list_box_row_new ();

  adw_preferences_row_set_title (ADW_PREFERENCES_ROW (self),
                                 _ ("Working Directory and Environment"));
  self->directory = adw_entry_row_new ();
  adw_preferences_row_set_title (ADW_PREFERENCES_ROW (self->directory), _ ("Working directory"));
  g_signal_connect_object (self->directory, "changed", G_CALLBACK (update), self,
                           G_CONNECT_SWAPPED);
  self->variables = gtk_list_box_new ();
  gtk_list_box_set_selection_mode (GTK_LIST_BOX (self->variables), GTK_SELECTION_NONE);
  gtk_widget_add_css_class (self->variables, "variables");
  gtk_list_box_row_set_child (GTK_LIST_BOX_ROW (holder), self->variables);
  gtk_list_box_row_set_activatable (GTK_LIST_BOX_ROW (holder), FALSE);
  gtk_widget_add_css_class (holder, "variables-row");
  gtk_widget_set_focusable (holder, FALSE);
  gtk_widget_add_css_class (add, "flat");
  g_signal_connect_object (add, "clicked", G_CALLBACK (add_variable_cb), self, G_CONNECT_SWAPPED);

  adw_expander_row_add_row (ADW_EXPANDER_ROW (self), self->directory);
  adw_expander_row_add_row (ADW_EXPANDER_ROW (self), holder);
  adw_expander_row_add_row (ADW_EXPANDER_ROW (self), add);
}

GtkWidget *
vtr_capture_environment_new (void)
{
  return g_object_new (VTR_TYPE_CAPTURE_ENVIRONMENT, NULL);
}
