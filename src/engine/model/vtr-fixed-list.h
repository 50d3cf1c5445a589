/* A GListModel whose contents never change. */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/**
 * VtrFixedList:
 *
 * Items in an array, filled by the derived type before others use it. Threading: any, once
 * filled.
 */
#define VTR_TYPE_FIXED_LIST (vtr_fixed_list_get_type ())
G_DECLARE_DERIVABLE_TYPE (VtrFixedList, vtr_fixed_list, VTR, FIXED_LIST, GObject)

struct _VtrFixedListClass
{
  GObjectClass parent_class;

  GType (*get_item_type) (void);
};

/* The items, owned: the derived type adds to and sorts them. (transfer none) */
GPtrArray *vtr_fixed_list_get_array (VtrFixedList *self);
/* (transfer none) */
gpointer vtr_fixed_list_get (VtrFixedList *self,
                             guint         nth);

G_END_DECLS
