/* The objects of a trace: which lived when, and what a name meant at any command. */
#pragma once

#include "engine/format/vtr-trace.h"
#include "engine/state/vtr-lifetimes.h"

G_BEGIN_DECLS

/**
 * VtrHistory:
 *
 * Every object's lifetime over the whole trace. Most of it comes from the tables of the APIs:
 * objects that a command creates or returns begin, and objects that it destroys end with everything
 * made from them. The APIs add the rest (S1 of src/engine/api/vtr-state-api.h). Built by one pass.
 * Lookups are O(log n). Threading: any (immutable once built). Atomically reference-counted.
 */
typedef struct _VtrHistory VtrHistory;

VtrHistory *vtr_history_build (VtrTrace          *trace,
                               VtrTraceProgress   progress,
                               gpointer           data,
                               GCancellable      *cancellable,
                               GError           **error);
VtrHistory *vtr_history_ref (VtrHistory *self);
void vtr_history_unref (VtrHistory *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (VtrHistory, vtr_history_unref)

guint32 vtr_history_get_n_objects (VtrHistory *self);
/* @id from 1. */
const VtrObject *vtr_history_get_object (VtrHistory *self,
                                         guint32     id);
/* The object that @identity means to command @index (the one of this name then, or made or ended by
   it). NULL: none. */
const VtrObject *vtr_history_find (VtrHistory  *self,
                                   VtrIdentity  identity,
                                   guint64      index);
/* The identity that command @index means by @name of @kind: with the namespace in which it looks
 * the name up. */
VtrIdentity vtr_history_identify (VtrHistory *self,
                                  guint32     kind,
                                  guint64     name,
                                  guint64     index);
/* The object that this identity means. NULL: none. */
const VtrObject *vtr_history_find_name (VtrHistory *self,
                                        guint32     kind,
                                        guint64     name,
                                        guint64     index);
/* "image 213", or the program's own name for it. (transfer full) */
char *vtr_history_describe (VtrHistory      *self,
                            const VtrObject *object);
/* "image", "descriptor set layout": a kind in words. (transfer full) */
char *vtr_history_describe_type (guint32 type);
/* The ids of all objects of @type, in order of creation: a GArray of guint32. (transfer full) */
GArray *vtr_history_list (VtrHistory *self,
                          guint32     type);
/* Objects made from @id, in order of creation: a GArray of guint32. (transfer full) O(objects). */
GArray *vtr_history_list_children (VtrHistory *self,
                                   guint32     id);
VtrTrace *vtr_history_get_trace (VtrHistory *self);
/* Decodes the creating command. */
gboolean vtr_history_decode_creation (VtrHistory       *self,
                                      const VtrObject  *object,
                                      VtrArena         *arena,
                                      VtrCommand       *out,
                                      GError          **error);
/* The data that the API of @id (a command, a kind, …) keeps about the trace's objects
 * (VtrStateApi.objects_new). (transfer none) (nullable): none; the API has no command in the
 * trace. */
gpointer vtr_history_get_part (VtrHistory *self,
                               guint32     id);

G_END_DECLS
