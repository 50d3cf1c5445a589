/* Shows on the capture page why a capture failed, with buttons for what can be done about it. */
#include "vtr-config.h"

#include "widgets/vtr-capture-problem.h"

#include "widgets/vtr-accessible.h"
#include "widgets/vtr-copy-menu.h"
#include "widgets/vtr-wrap-layout.h"

struct _VtrCaptureProblem
{
  GtkWidget parent_instance;

  GtkWidget *box;
  GtkLabel *title;
  GtkLabel *text;
  GtkWidget *buttons;
};

G_DEFINE_FINAL_TYPE (VtrCaptureProblem, vtr_capture_problem, GTK_TYPE_WIDGET)

void
vtr_capture_problem_show (VtrCaptureProblem *self, const char *title, const char *text)
{
  GtkWidget *child;

  while ((child = gtk_widget_get_first_child (self->buttons)))
    gtk_box_remove (GTK_BOX (self->buttons), child);
  gtk_label_set_label (self->title, title);
  gtk_label_set_label (self->text, text);
  gtk_widget_set_visible (GTK_WIDGET (self), TRUE);
}

gboolean
vtr_capture_problem_shows (VtrCaptureProblem *self, const char *text)
{
  return gtk_widget_get_visible (GTK_WIDGET (self)) &&
         g_strcmp0 (gtk_label_get_label (self->text), text) == 0;
}

GtkWidget *
vtr_capture_problem_add_button (VtrCaptureProblem *self, const char *label, const char *action)
{
  GtkWidget *button = vtr_button_new_with_mnemonic (label);

  gtk_actionable_set_action_name (GTK_ACTIONABLE (button), action);
  gtk_box_append (GTK_BOX (self->buttons), button);
  return button;
}

static void
vtr_capture_problem_dispose (GObject *object)
{
  g_clear_pointer (&VTR_CAPTURE_PROBLEM (object)->box, gtk_widget_unparent);
  G_OBJECT_CLASS (vtr_capture_problem_parent_class)->dispose (object);
}

static void
vtr_capture_problem_class_init (VtrCaptureProblemClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = vtr_capture_problem_dispose;
  gtk_widget_class_set_layout_manager_type (GTK_WIDGET_CLASS (klass), GTK_TYPE_BIN_LAYOUT);
}

static GtkLabel *
add_label (VtrCaptureProblem *self, const char *css_class)
{
  GtkWidget *label = gtk_label_new (NULL);

  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_label_set_wrap (GTK_LABEL (label), TRUE);
  gtk_widget_add_css_class (label, css_class);
  gtk_box_append (GTK_BOX (self->box), label);
  return GTK_LABEL (label);
}

static void
vtr_capture_problem_init (VtrCaptureProblem *self)
{
  self->box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 8);
  gtk_widget_set_parent (self->box, GTK_WIDGET (self));
  self->title = add_label (self, "heading");
  self->text = add_label (self, "problem-text");
  gtk_label_set_selectable (self->text, TRUE);
  vtr_copy_menu_add (GTK_WIDGET (self->text));
  self->buttons = vtr_wrap_box_new (8, GTK_ALIGN_START);
  gtk_box_append (GTK_BOX (self->box), self->buttons);
}

GtkWidget *
vtr_capture_problem_new (void)
{
  return g_object_new (VTR_TYPE_CAPTURE_PROBLEM, NULL);
}
