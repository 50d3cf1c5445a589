/* Typed memory as a tree view: name, offset, type, value. */
#pragma once

#include <gtk/gtk.h>

#include "engine/memory/vtr-memory-type.h"
#include "engine/memory/vtr-memory.h"

G_BEGIN_DECLS

/* A GtkColumnView. */
GtkWidget *vtr_memory_tree_new (void);
/* Shows as many elements of @type as fit into @view, and clears the selection. */
void vtr_memory_tree_set (GtkColumnView *self,
                          VtrMemoryView *view,
                          VtrMemoryType *type);
/* The bytes of the selected value, relative to the view's first byte. Returns: FALSE: no value is
 * selected. */
gboolean vtr_memory_tree_get_selected (GtkColumnView *self,
                                       guint64       *offset,
                                       guint64       *size);

G_END_DECLS
