/* Keeps property rows, their expansion and the focus in place when another command is selected,
 * by putting the new rows into the old slots. */
#include "vtr-config.h"

#include "widgets/vtr-property-slot.h"

#include <gtk/gtk.h>
#include <string.h>

/* Slots of longer lists are not kept. */
#define MAX_SLOTS 64

struct _VtrPropertySlot
{
  GObject parent_instance;

  VtrPropertyRow *row;
  GListModel *children; /* (nullable): none, or not requested yet */
};

G_DEFINE_FINAL_TYPE (VtrPropertySlot, vtr_property_slot, G_TYPE_OBJECT)

static guint changed_signal;

static void
vtr_property_slot_finalize (GObject *object)
{
  VtrPropertySlot *self = VTR_PROPERTY_SLOT (object);

  g_clear_object (&self->row);
  g_clear_object (&self->children);
  G_OBJECT_CLASS (vtr_property_slot_parent_class)->finalize (object);
}

static void
vtr_property_slot_class_init (VtrPropertySlotClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = vtr_property_slot_finalize;
  changed_signal = g_signal_new ("changed", VTR_TYPE_PROPERTY_SLOT, G_SIGNAL_RUN_LAST, 0, NULL,
                                 NULL, NULL, G_TYPE_NONE, 0);
}

static void
vtr_property_slot_init (VtrPropertySlot *self)
{
}

/* Takes @row. */
static gpointer
slot_new (gpointer row, gpointer data)
{
  VtrPropertySlot *self = g_object_new (VTR_TYPE_PROPERTY_SLOT, NULL);

  self->row = row;
  return self;
}

VtrPropertyRow *
vtr_property_slot_get_row (VtrPropertySlot *self)
{
  return self->row;
}

GListModel *
vtr_property_slot_get_children (VtrPropertySlot *self)
{
  GListModel *rows = vtr_property_row_get_children (self->row);

  if (self->children == NULL && rows != NULL)
    self->children = vtr_property_slots_new (rows);
  return self->children;
}

GListModel *
vtr_property_slots_new (GListModel *rows)
{
  guint n = g_list_model_get_n_items (rows);
  GListStore *store;

  if (n > MAX_SLOTS)
    return G_LIST_MODEL (gtk_map_list_model_new (g_object_ref (rows), slot_new, NULL, NULL));
  store = g_list_store_new (VTR_TYPE_PROPERTY_SLOT);
  for (guint i = 0; i < n; i++)
    {
      g_autoptr (VtrPropertySlot) slot = slot_new (g_list_model_get_item (rows, i), NULL);

      g_list_store_append (store, slot);
    }
  return G_LIST_MODEL (store);
}

/* --- the next rows --------------------------------------------------------------------------- */

static gboolean matches (GListModel *self,
                         GListModel *rows);

static gboolean
slot_matches (VtrPropertySlot *self, VtrPropertyRow *row)
{
  GListModel *children = vtr_property_row_get_children (row);

  if (strcmp (vtr_property_row_get_name (self->row), vtr_property_row_get_name (row)) != 0 ||
      vtr_property_row_get_ignored (self->row) != vtr_property_row_get_ignored (row) ||
      (vtr_property_row_get_children (self->row) != NULL) != (children != NULL))
    return FALSE;
  return self->children == NULL || matches (self->children, children);
}

static gboolean
matches (GListModel *self, GListModel *rows)
{
  guint n = g_list_model_get_n_items (self);

  if (!G_IS_LIST_STORE (self) || g_list_model_get_n_items (rows) != n)
    return FALSE;
  for (guint i = 0; i < n; i++)
    {
      g_autoptr (VtrPropertySlot) slot = g_list_model_get_item (self, i);
      g_autoptr (VtrPropertyRow) row = g_list_model_get_item (rows, i);

      if (!slot_matches (slot, row))
        return FALSE;
    }
  return TRUE;
}

static void
replace (GListModel *self, GListModel *rows)
{
  guint n = g_list_model_get_n_items (self);

  for (guint i = 0; i < n; i++)
    {
      g_autoptr (VtrPropertySlot) slot = g_list_model_get_item (self, i);
      g_autoptr (VtrPropertyRow) row = g_list_model_get_item (rows, i);

      if (slot->children != NULL)
        replace (slot->children, vtr_property_row_get_children (row));
      g_set_object (&slot->row, row);
      g_signal_emit (slot, changed_signal, 0);
    }
}

gboolean
vtr_property_slots_replace (GListModel *self, GListModel *rows)
{
  if (!matches (self, rows))
    return FALSE;
  replace (self, rows);
  return TRUE;
}
