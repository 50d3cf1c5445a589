/* The Parameters pane: the arguments and the return value of the selected command. */
#include "vtr-config.h"

#include "widgets/vtr-parameters-view.h"

#include <glib/gi18n.h>

#include "api/vtr-api-types.h"
#include "widgets/vtr-focus-chain.h"
#include "widgets/vtr-pane-state.h"
#include "widgets/vtr-pane.h"
#include "widgets/vtr-property-rows.h"

struct _VtrParametersView
{
  PanelWidget parent_instance;

  GtkStack *stack;
  VtrPaneState *empty;
  GtkLabel *name;
  VtrPropertyRows *rows;
  VtrSession *session;
};

static void pane_iface_init (VtrPaneInterface *iface);

G_DEFINE_FINAL_TYPE_WITH_CODE (VtrParametersView,
                               vtr_parameters_view,
                               PANEL_TYPE_WIDGET,
                               G_IMPLEMENT_INTERFACE (VTR_TYPE_PANE, pane_iface_init))

static void
show_empty (VtrParametersView *self, const char *icon, const char *title, const char *text)
{
  vtr_property_rows_set_rows (self->rows, NULL);
  vtr_pane_state_set (self->empty, icon, title, text);
  gtk_stack_set_visible_child (self->stack, GTK_WIDGET (self->empty));
}

/* Called at once for each selection, without a worker: decoding one command takes microseconds. */
static void
update (VtrParametersView *self)
{
  guint64 command = self->session ? vtr_session_get_command (self->session) : VTR_COMMAND_NO_INDEX;
  g_autoptr (VtrPropertyList) list = NULL;
  g_autoptr (GError) error = NULL;
  const char *name;
  VtrTrace *trace;

  if (command == VTR_COMMAND_NO_INDEX)
    {
      show_empty (self, "find-location-symbolic", _ ("No Command Selected"),
                  _ ("Select a command to see its parameters"));
      return;
    }
  list =
    vtr_property_list_new_for_command (vtr_session_get_analysis (self->session), command, &error);
  if (list == NULL)
    {
      show_empty (self, "dialog-warning-symbolic", _ ("Cannot Be Read"), error->message);
      return;
    }
  trace = vtr_session_get_trace (self->session);
  name = vtr_trace_get_command_name (trace, command);
  if (g_list_model_get_n_items (G_LIST_MODEL (list)) == 0)
    {
      g_autofree char *text = g_strdup_printf (_ ("%s has no parameters"), name);

      show_empty (self, "text-x-generic-symbolic", _ ("No Parameters"), text);
      return;
    }
  gtk_label_set_label (self->name, name);
  vtr_property_rows_set_rows (self->rows, G_LIST_MODEL (list));
  gtk_stack_set_visible_child_name (self->stack, "rows");
}

static void
vtr_parameters_view_dispose (GObject *object)
{
  vtr_parameters_view_set_session (VTR_PARAMETERS_VIEW (object), NULL);
  G_OBJECT_CLASS (vtr_parameters_view_parent_class)->dispose (object);
}

static gboolean
vtr_parameters_view_grab_focus (GtkWidget *widget)
{
  return gtk_widget_child_focus (GTK_WIDGET (VTR_PARAMETERS_VIEW (widget)->stack),
                                 GTK_DIR_TAB_FORWARD);
}

static void
vtr_parameters_view_class_init (VtrParametersViewClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = vtr_parameters_view_dispose;
  GTK_WIDGET_CLASS (klass)->grab_focus = vtr_parameters_view_grab_focus;
  vtr_focus_chain_init_class (GTK_WIDGET_CLASS (klass));
}

static void
vtr_parameters_view_init (VtrParametersView *self)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0);

  panel_widget_set_title (PANEL_WIDGET (self), _ ("Parameters"));
  panel_widget_set_id (PANEL_WIDGET (self), "parameters");
  panel_widget_set_can_maximize (PANEL_WIDGET (self), TRUE);

  self->empty = VTR_PANE_STATE (vtr_pane_state_new ());
  vtr_pane_state_set_compact (self->empty, TRUE);
  self->name = GTK_LABEL (gtk_label_new (NULL));
  gtk_label_set_xalign (self->name, 0);
  gtk_label_set_ellipsize (self->name, PANGO_ELLIPSIZE_END);
  gtk_widget_add_css_class (GTK_WIDGET (self->name), "group-title");
  gtk_widget_add_css_class (GTK_WIDGET (self->name), "pane-title");
  self->rows = VTR_PROPERTY_ROWS (vtr_property_rows_new (TRUE, _ ("Parameters")));
  gtk_box_append (GTK_BOX (box), GTK_WIDGET (self->name));
  gtk_box_append (GTK_BOX (box), GTK_WIDGET (self->rows));

  self->stack = GTK_STACK (gtk_stack_new ());
  gtk_stack_add_named (self->stack, GTK_WIDGET (self->empty), "empty");
  gtk_stack_add_named (self->stack, box, "rows");
  panel_widget_set_child (PANEL_WIDGET (self), GTK_WIDGET (self->stack));
}

GtkWidget *
vtr_parameters_view_new (void)
{
  return g_object_new (VTR_TYPE_PARAMETERS_VIEW, NULL);
}

void
vtr_parameters_view_set_session (VtrParametersView *self, VtrSession *session)
{
  if (self->session)
    g_signal_handlers_disconnect_by_data (self->session, self);
  g_clear_object (&self->session);
  if (session)
    {
      self->session = g_object_ref (session);
      g_signal_connect_object (session, "selection-changed", G_CALLBACK (update), self,
                               G_CONNECT_SWAPPED);
      update (self);
    }
  else
    vtr_property_rows_set_rows (self->rows, NULL);
}

static void
pane_set_session (VtrPane *pane, VtrSession *session)
{
  vtr_parameters_view_set_session (VTR_PARAMETERS_VIEW (pane), session);
}

static gboolean
pane_show_path (VtrPane *pane, const char *path)
{
  return vtr_pane_match_path (path, "parameters") != NULL ||
         vtr_pane_match_path (path, "result") != NULL;
}

static void
pane_iface_init (VtrPaneInterface *iface)
{
  iface->set_session = pane_set_session;
  iface->show_path = pane_show_path;
}
