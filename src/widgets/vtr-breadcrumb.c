/* The breadcrumb that shows where the selected command lies (frame, submission, group), each
 * step a link. */
#include "vtr-config.h"

#include "widgets/vtr-breadcrumb.h"

#include <glib/gi18n.h>

#include "api/vtr-api-types.h"

struct _VtrBreadcrumb
{
  GtkWidget parent_instance;

  GtkWidget *label;
  VtrSession *session;
};

G_DEFINE_FINAL_TYPE (VtrBreadcrumb, vtr_breadcrumb, GTK_TYPE_WIDGET)

static gboolean
activate_link_cb (GtkWidget *label, const char *uri)
{
  gtk_widget_activate_action (label, "win.select", "s", uri);
  return TRUE;
}

static void
append_step (GString *text, VtrCommandTree *tree, const VtrTreeNode *node)
{
  g_autofree char *title = vtr_command_tree_get_title (tree, node);
  g_autofree char *escaped = g_markup_escape_text (title, -1);
  g_autofree char *path = vtr_command_tree_dup_path (tree, node);

  g_string_append_printf (text, "<a href=\"%s\">%s</a> › ", path, escaped);
}

static void
update (VtrBreadcrumb *self)
{
  guint64 command = vtr_session_get_command (self->session);
  VtrTrace *trace = vtr_session_get_trace (self->session);
  VtrCommandTree *tree = vtr_session_get_tree (self->session);
  g_autoptr (GString) text = g_string_new (NULL);
  g_autoptr (GArray) positions = NULL;
  g_autoptr (GArray) nodes = NULL;
  g_autofree char *number = NULL, *name = NULL;

  if (command == VTR_COMMAND_NO_INDEX)
    {
      g_autofree char *nth = vtr_format_number (vtr_session_get_frame (self->session));
      g_autofree char *frame = g_strdup_printf (_ ("Frame %s"), nth);

      gtk_label_set_label (GTK_LABEL (self->label), frame);
      return;
    }
  /* The steps lead to the selected run, not to the first one. */
  nodes = vtr_command_tree_find_path (tree, vtr_session_get_path (self->session), &positions, NULL);
  for (guint i = 0; nodes && i + 1 < nodes->len; i++)
    append_step (text, tree, &g_array_index (nodes, VtrTreeNode, i));
  number = vtr_format_number (vtr_trace_get_number (trace, command));
  name = g_markup_escape_text (vtr_trace_get_command_name (trace, command), -1);
  g_string_append_printf (text, "<b>%s</b>  %s", name, number);
  gtk_label_set_markup (GTK_LABEL (self->label), text->str);
}

static void
vtr_breadcrumb_dispose (GObject *object)
{
  VtrBreadcrumb *self = VTR_BREADCRUMB (object);

  if (self->session)
    g_signal_handlers_disconnect_by_data (self->session, self);
  g_clear_object (&self->session);
  g_clear_pointer (&self->label, gtk_widget_unparent);
  G_OBJECT_CLASS (vtr_breadcrumb_parent_class)->dispose (object);
}

static void
vtr_breadcrumb_class_init (VtrBreadcrumbClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = vtr_breadcrumb_dispose;
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_css_name (widget_class, "vtrbreadcrumb");
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_NAVIGATION);
}

static void
vtr_breadcrumb_init (VtrBreadcrumb *self)
{
  self->label = gtk_label_new (NULL);
  gtk_label_set_ellipsize (GTK_LABEL (self->label), PANGO_ELLIPSIZE_START);
  gtk_label_set_xalign (GTK_LABEL (self->label), 0);
  gtk_widget_add_css_class (self->label, "numeric");
  g_signal_connect (self->label, "activate-link", G_CALLBACK (activate_link_cb), NULL);
  gtk_widget_set_parent (self->label, GTK_WIDGET (self));
  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("Position"), -1);
}

GtkWidget *
vtr_breadcrumb_new (void)
{
  return g_object_new (VTR_TYPE_BREADCRUMB, NULL);
}

void
vtr_breadcrumb_set_session (VtrBreadcrumb *self, VtrSession *session)
{
  if (self->session)
    g_signal_handlers_disconnect_by_data (self->session, self);
  g_set_object (&self->session, session);
  if (session)
    {
      g_signal_connect_object (session, "selection-changed", G_CALLBACK (update), self,
                               G_CONNECT_SWAPPED);
      update (self);
    }
  else
    gtk_label_set_label (GTK_LABEL (self->label), "");
}
