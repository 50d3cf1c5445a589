/* What the tiny API keeps of a trace's objects: which namespace is which context's, and what each context and array holds
 * while objects are looked for. Members of its VtrStateApi (S1). Threading: any, once the history is built. */
#pragma once

#include "engine/api/vtr-state-api.h"
#include "engine/state/vtr-history.h"

G_BEGIN_DECLS

/* All are ids of objects; 0: none. */
typedef struct
{
  guint32 context;
  guint32 namespace, group;      /* numbers; 0: no command was called in it */
  guint32 window, first_array;   /* picture 0 and array 0 */
  guint32 picture, store, array; /* bound, after the last command of the trace */
  gboolean is_destroyed;
} VtrTinyContext;

typedef struct _VtrTinyObjects VtrTinyObjects;

gpointer vtr_tiny_objects_new (VtrHistoryBuilder *builder);
void vtr_tiny_objects_free (gpointer part);
gboolean vtr_tiny_wants_lifetimes (VtrCmdId id);
void vtr_tiny_lifetimes (gpointer          part,
                         const VtrCommand *command);
guint32 vtr_tiny_find_parent (gpointer          part,
                              const VtrCommand *command,
                              guint32           kind);

/* The context in which command @index is called. NULL: none is current. */
const VtrTinyContext *vtr_tiny_find_context (VtrHistory *history,
                                             guint64     index);
/* The one that object @id is. */
const VtrTinyContext *vtr_tiny_get_context (VtrHistory *history,
                                            guint32     id);
/* The kind that a TnKind means; VTR_HANDLE_NONE: there is no such kind. */
guint32 vtr_tiny_get_kind (guint32 kind);

G_END_DECLS
