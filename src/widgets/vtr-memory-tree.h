/* Typed memory as a tree view: name, offset, type, value. */
#pragma once

#include <gtk/gtk.h>

#include "engine/memory/vtr-memory-type.h"
#include "engine/vulkan/memory/vtr-memory.h"

G_BEGIN_DECLS

/* A GtkColumnView. */
GtkWidget *vtr_memory_tree_new (void);
/* As many elements of @type as @view holds. Nothing is selected. */
void vtr_memory_tree_set (GtkColumnView *self,
                          VtrMemoryView *view,
                          VtrMemoryType *type);
/* The bytes of the selected value, from the view's first byte. Returns: FALSE when none is. */
gboolean vtr_memory_tree_get_selected (GtkColumnView *self,
                                       guint64       *offset,
                                       guint64       *size);

G_END_DECLS
