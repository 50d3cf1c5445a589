/* The slots for the replay's own handles: 8 bytes in volatile memory for each captured handle. */
#pragma once

#include <glib.h>

#include "engine/state/vtr-identity.h"

G_BEGIN_DECLS

typedef struct
{
  VtrIdentity identity; /* its name is the captured value */
  guint32 slot;         /* volatile address; 0: the entry is free */
} VtrReplaySlot;

/* How often the handle of a slot was created and not destroyed since. */
typedef struct
{
  guint32 n;               /* drivers may give two objects that are alike one handle */
  guint32 generation;      /* counts how often it ended: objects created from it before an end no longer exist */
  guint32 pool;            /* slot of the pool that it comes from; 0: none */
  guint32 pool_generation; /* … when it was made */
} VtrReplayLife;

/**
 * VtrReplaySlots:
 *
 * Maps identities to slots. Names are reused: the place stays and is overwritten when the name is given
 * again, so that it always means the current lifetime. Kinds that no API has are the builder's own.
 * Threading: one at a time.
 */
typedef struct
{
  VtrReplaySlot *entries; /* open addressing, linear probing, at most half full */
  gsize mask;
  gsize n;
  GArray *lives; /* VtrReplayLife, in the order of the slots */
  guint64 base;
  guint64 next; /* volatile address of the next new slot */
  guint64 end;
} VtrReplaySlots;

/* Slots are in volatile [base, end); 0 is not a slot. */
void vtr_replay_slots_init (VtrReplaySlots *self,
                            guint64         base,
                            guint64         end);
/* @self is to be finished as if by vtr_replay_slots_init(). */
void vtr_replay_slots_copy (VtrReplaySlots       *self,
                            const VtrReplaySlots *from);
void vtr_replay_slots_finish (VtrReplaySlots *self);

/* Returns: the slot's address; 0 when the name was never given. O(1). */
guint64 vtr_replay_slots_find (const VtrReplaySlots *self,
                               VtrIdentity           identity);

/* Returns: the slot's address, made if need be; 0 when the space is used up. */
guint64 vtr_replay_slots_ensure (VtrReplaySlots *self,
                                 VtrIdentity     identity);

/* Like vtr_replay_slots_ensure (), for @n_words slots that lie one behind the other; they have no lives. */
guint64 vtr_replay_slots_ensure_run (VtrReplaySlots *self,
                                     VtrIdentity     identity,
                                     guint           n_words);

/* Returns: a number that changes when the object of @slot becomes another one; 0: there is no slot. */
guint64 vtr_replay_slots_get_life (const VtrReplaySlots *self,
                                   guint64               slot);

/* @slot has a new object, from the pool in slot @pool (0: none). */
void vtr_replay_slots_begin (VtrReplaySlots *self,
                             guint64         slot,
                             guint64         pool);

/* One object of @slot is destroyed, with all objects made from it. */
void vtr_replay_slots_end (VtrReplaySlots *self,
                           guint64         slot);

/* Ends all objects that were created from the pool in @slot; the pool stays. */
void vtr_replay_slots_end_children (VtrReplaySlots *self,
                                    guint64         slot);

/* Whether all objects of @slot have been destroyed. */
gboolean vtr_replay_slots_is_dead (const VtrReplaySlots *self,
                                   guint64               slot);

G_END_DECLS
