/* The start page of a window: recent traces as cards, and buttons to open or capture one. */
#include "vtr-config.h"

#include "widgets/vtr-start-page.h"

#include <adwaita.h>
#include <glib/gi18n.h>

#include "widgets/vtr-recent-card.h"

struct _VtrStartPage
{
  GtkWidget parent_instance;

  GtkStack *stack;
  GtkFlowBox *cards;
  VtrRecentStore *store;
  gboolean has_cards; /* of the store */
};

G_DEFINE_FINAL_TYPE (VtrStartPage, vtr_start_page, GTK_TYPE_WIDGET)

static guint open_signal;

static void
open_cb (VtrStartPage *self, gboolean new_window, VtrRecentCard *card)
{
  g_signal_emit (self, open_signal, 0, vtr_recent_get_file (vtr_recent_card_get_recent (card)),
                 new_window);
}

static void
remove_cb (VtrStartPage *self, VtrRecentCard *card)
{
  vtr_recent_store_remove (self->store, vtr_recent_get_file (vtr_recent_card_get_recent (card)));
}

static GtkWidget *
create_card (gpointer item, gpointer data)
{
  VtrStartPage *self = data;
  GtkWidget *card = vtr_recent_card_new (item);
  GtkWidget *child = gtk_flow_box_child_new ();

  g_signal_connect_object (card, "open", G_CALLBACK (open_cb), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (card, "remove", G_CALLBACK (remove_cb), self, G_CONNECT_SWAPPED);
  gtk_flow_box_child_set_child (GTK_FLOW_BOX_CHILD (child), card);
  gtk_widget_set_focusable (child, FALSE);
  return child;
}

static void
items_changed_cb (VtrStartPage *self)
{
  gboolean any = self->store && g_list_model_get_n_items (G_LIST_MODEL (self->store)) > 0;

  gtk_stack_set_visible_child_name (self->stack, any ? "recent" : "empty");
}

/* The cards are made when the page is first shown: their thumbnails take time, and a window that
 * opens a trace at once never shows them. */
static void
make_cards (VtrStartPage *self, VtrRecentStore *store)
{
  gtk_flow_box_bind_model (self->cards, store ? G_LIST_MODEL (store) : NULL, create_card, self,
                           NULL);
  self->has_cards = store != NULL;
}

static void
vtr_start_page_map (GtkWidget *widget)
{
  VtrStartPage *self = VTR_START_PAGE (widget);

  if (self->store && !self->has_cards)
    make_cards (self, self->store);
  GTK_WIDGET_CLASS (vtr_start_page_parent_class)->map (widget);
}

void
vtr_start_page_set_store (VtrStartPage *self, VtrRecentStore *store)
{
  if (self->store)
    g_signal_handlers_disconnect_by_data (self->store, self);
  g_set_object (&self->store, store);
  make_cards (self, gtk_widget_get_mapped (GTK_WIDGET (self)) ? store : NULL);
  if (store)
    g_signal_connect_object (store, "items-changed", G_CALLBACK (items_changed_cb), self,
                             G_CONNECT_SWAPPED);
  items_changed_cb (self);
}

static void
vtr_start_page_dispose (GObject *object)
{
  VtrStartPage *self = VTR_START_PAGE (object);

  if (self->store)
    vtr_start_page_set_store (self, NULL);
  if (self->stack)
    gtk_widget_unparent (GTK_WIDGET (self->stack));
  self->stack = NULL;
  G_OBJECT_CLASS (vtr_start_page_parent_class)->dispose (object);
}

static void
vtr_start_page_class_init (VtrStartPageClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = vtr_start_page_dispose;
  widget_class->map = vtr_start_page_map;
  open_signal = g_signal_new ("open", VTR_TYPE_START_PAGE, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                              G_TYPE_NONE, 2, G_TYPE_FILE, G_TYPE_BOOLEAN);
  gtk_widget_class_set_template_from_resource (
    widget_class, "/io/github/vitrine/Vitrine/widgets/vtr-start-page.ui");
  gtk_widget_class_bind_template_child (widget_class, VtrStartPage, stack);
  gtk_widget_class_bind_template_child (widget_class, VtrStartPage, cards);
}

static void
vtr_start_page_init (VtrStartPage *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
}

GtkWidget *
vtr_start_page_new (void)
{
  return g_object_new (VTR_TYPE_START_PAGE, NULL);
}
