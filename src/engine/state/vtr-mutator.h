/* Applies commands to a state: the common part of the APIs' mutators (S3, S4 of
 * src/engine/api/vtr-state-api.h). */
#pragma once

#include "engine/state/vtr-state-message.h"
#include "engine/state/vtr-state-position.h"
#include "engine/state/vtr-state-shared.h"

G_BEGIN_DECLS

/**
 * VtrMutator:
 *
 * @state belongs to the mutator and advances with each call. Threading: one at a time.
 */
struct _VtrMutator
{
  VtrStateShared *shared;
  VtrApiState *state;
  VtrArena arena;
  VtrCommand command;           /* being applied, .id canonical */
  guint32 next_end;             /* of shared->ends */
  guint64 work;                 /* done so far, in decoded commands */
  GArray *messages;             /* of VtrStateMessage; NULL: not wanted */
  GHashTable *said;             /* messages that were sent already */
  gboolean unordered;           /* commands took effect in another order than their calls */
  gpointer parts[VTR_MAX_APIS]; /* of each API (VtrStateApi.mutator_new), or NULL */
  /* Called between steps of a submission. Nullable. */
  void (*on_step) (gpointer data, const VtrStatePosition *at);
  gpointer step_data;
};

/* Takes ownership of @state, and begins at its index and run. */
void vtr_mutator_init (VtrMutator     *self,
                       VtrStateShared *shared,
                       VtrApiState    *state);
void vtr_mutator_finish (VtrMutator *self);
/* Applies one whole call. */
void vtr_mutator_apply (VtrMutator *self,
                        guint64     index);
/* Goes from the state's position to @to. Returns: FALSE when cancelled. */
gboolean vtr_mutator_go (VtrMutator              *self,
                         const VtrStatePosition  *from,
                         const VtrStatePosition  *to,
                         GCancellable            *cancellable,
                         GError                 **error);

/* --- For the APIs --- */

/* The data that the API of @id keeps in this mutator. */
static inline gpointer
vtr_mutator_get_part (VtrMutator *self,
                      guint32     id)
{
  return self->parts[vtr_api_get_number (id)];
}
/* The object that the command means by a name. Returns: an id, or 0. */
guint32 vtr_mutator_find (VtrMutator *self,
                          guint32     kind,
                          guint64     name);
/* The record of a living object, to change it. NULL: the name is invalid. */
gpointer vtr_mutator_edit (VtrMutator *self,
                           guint32     kind,
                           guint64     name);
gpointer vtr_mutator_edit_id (VtrMutator *self,
                              guint32     id);
/* The record of the API of @id that belongs to no object. */
gpointer vtr_mutator_edit_own (VtrMutator *self,
                               guint32     id);
/* @check: static. */
void vtr_mutator_say (VtrMutator *self,
                      VtrStateLevel level,
                      guint64 index,
                      const char *check,
                      const char *format,
                      ...) G_GNUC_PRINTF (5, 6);
/* "image 41", for messages. (transfer full) */
char *vtr_mutator_describe (VtrMutator *self,
                            guint32     id);

G_END_DECLS
