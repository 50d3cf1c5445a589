/* Which descriptors the shaders of a program may store to. For files of this folder. */
#pragma once

#include "engine/vulkan/state/vtr-state.h"

G_BEGIN_DECLS

/**
 * VtrMemoryWrites:
 *
 * Programs that may store to the same bindings share one list, so that equal lists are equal pointers. Threading: one at a time.
 */
typedef struct _VtrMemoryWrites VtrMemoryWrites;

VtrMemoryWrites *vtr_memory_writes_new (VtrHistory *history);
void vtr_memory_writes_free (VtrMemoryWrites *self);

/* The bindings, for the functions below. NULL: not all code is known, so that any may be stored to. (transfer none) (nullable): until
   @self is freed. */
const GArray *vtr_memory_writes_get (VtrMemoryWrites  *self,
                                     const VtrProgram *program);

/* @list: (nullable): of vtr_memory_writes_get (). */
gboolean vtr_memory_writes_has_set (const GArray *list,
                                    guint32       set);
gboolean vtr_memory_writes_has (const GArray *list,
                                guint32       set,
                                guint32       binding);
/* A push continues into the next bindings where an array of unknown length ends: @binding, or
 * for @element > 0 any later one. */
gboolean vtr_memory_writes_has_pushed (const GArray *list,
                                       guint32       set,
                                       guint32       binding,
                                       guint32       element);

G_END_DECLS
