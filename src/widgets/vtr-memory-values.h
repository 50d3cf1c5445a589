/* Typed memory as a tree of values: array elements, structure members, matrix columns. */
#pragma once

#include <gio/gio.h>

#include "engine/memory/vtr-memory-type.h"
#include "engine/memory/vtr-memory.h"

G_BEGIN_DECLS

/* One line. Threading: main. */
#define VTR_TYPE_MEMORY_VALUE (vtr_memory_value_get_type ())
G_DECLARE_FINAL_TYPE (VtrMemoryValue, vtr_memory_value, VTR, MEMORY_VALUE, GObject)

const char *vtr_memory_value_get_name (VtrMemoryValue *self);
const char *vtr_memory_value_get_type_name (VtrMemoryValue *self);
const char *vtr_memory_value_get_text (VtrMemoryValue *self);
/* From the first byte of the view. */
guint64 vtr_memory_value_get_offset (VtrMemoryValue *self);
/* Bytes. At least 1. */
guint64 vtr_memory_value_get_size (VtrMemoryValue *self);
/* (transfer full) (nullable): NULL for scalars and vectors. */
GListModel *vtr_memory_value_list_children (VtrMemoryValue *self);

/**
 * VtrMemoryValues:
 *
 * A GListModel of VtrMemoryValue, made when asked for. Threading: main.
 */
#define VTR_TYPE_MEMORY_VALUES (vtr_memory_values_get_type ())
G_DECLARE_FINAL_TYPE (VtrMemoryValues, vtr_memory_values, VTR, MEMORY_VALUES, GObject)

/* Lists as many elements of @type as fit into @view, one every @stride bytes (0: that of the type);
   of a type that does not repeat (vtr_memory_type_is_single()), its members. */
GListModel *vtr_memory_values_new (VtrMemoryView *view,
                                   VtrMemoryType *type,
                                   guint64        stride);
/* Replaces the bytes of the list, of its lists of children and of their values, which then have new
 * texts. Returns: FALSE, and changes nothing, if @view has another size and so perhaps another
 * number of values. */
gboolean vtr_memory_values_set_view (VtrMemoryValues *self,
                                     VtrMemoryView   *view);

G_END_DECLS
