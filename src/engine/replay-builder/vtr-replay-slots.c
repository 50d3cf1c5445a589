/* Assigns a slot in the replay machine's memory to each captured name; the replay keeps its own
 * handle there. */
#include "engine/replay-builder/vtr-replay-slots.h"

#define FIRST_CAPACITY 1024

void
vtr_replay_slots_init (VtrReplaySlots *self,
                       guint64         base,
                       guint64         end)
{
  self->entries = g_new0 (VtrReplaySlot, FIRST_CAPACITY);
  self->mask = FIRST_CAPACITY - 1;
  self->n = 0;
  self->lives = g_array_new (FALSE, TRUE, sizeof (VtrReplayLife));
  self->base = base;
  self->next = base;
  self->end = end;
}

void
vtr_replay_slots_copy (VtrReplaySlots       *self,
                       const VtrReplaySlots *from)
{
  *self = *from;
  self->entries = g_memdup2 (from->entries, (from->mask + 1) * sizeof *from->entries);
  self->lives = g_array_copy (from->lives);
}

void
vtr_replay_slots_finish (VtrReplaySlots *self)
{
  g_clear_pointer (&self->entries, g_free);
  g_clear_pointer (&self->lives, g_array_unref);
}

static inline VtrReplaySlot *
probe (const VtrReplaySlots *self,
       VtrIdentity           identity)
{
  gsize at = vtr_identity_hash (identity) & self->mask;

  while (self->entries[at].slot != 0 &&
         !vtr_identity_equal (self->entries[at].identity, identity))
    at = (at + 1) & self->mask;
  return &self->entries[at];
}

guint64
vtr_replay_slots_find (const VtrReplaySlots *self,
                       VtrIdentity           identity)
{
  return probe (self, identity)->slot;
}

static void
grow (VtrReplaySlots *self)
{
  VtrReplaySlot *old = self->entries;
  gsize n_old = self->mask + 1;

  self->entries = g_new0 (VtrReplaySlot, n_old * 2);
  self->mask = n_old * 2 - 1;
  for (gsize i = 0; i < n_old; i++)
    if (old[i].slot != 0)
      *probe (self, old[i].identity) = old[i];
  g_free (old);
}

guint64
vtr_replay_slots_ensure (VtrReplaySlots *self,
                         VtrIdentity     identity)
{
  return vtr_replay_slots_ensure_run (self, identity, 1);
}

guint64
vtr_replay_slots_ensure_run (VtrReplaySlots *self,
                             VtrIdentity     identity,
                             guint           n_words)
{
  VtrReplaySlot *entry = probe (self, identity);

  if (entry->slot != 0)
    return entry->slot;
  if (self->end - self->next < 8 * (guint64)n_words)
    return 0;
  if (2 * (self->n + 1) > self->mask)
    {
      grow (self);
      entry = probe (self, identity);
    }
  *entry = (VtrReplaySlot){ identity, (guint32)self->next };
  g_array_set_size (self->lives, self->lives->len + n_words);
  self->next += 8 * (guint64)n_words;
  self->n++;
  return entry->slot;
}

/* --- Lives ----------------------------------------------------------------------------------- */

static VtrReplayLife *
life_of (const VtrReplaySlots *self,
         guint64               slot)
{
  return &g_array_index (self->lives, VtrReplayLife, (slot - self->base) / 8);
}

gboolean
vtr_replay_slots_is_dead (const VtrReplaySlots *self,
                          guint64               slot)
{
  const VtrReplayLife *life = life_of (self, slot);

  return (life->n == 0 && life->generation > 0) ||
         (life->pool != 0 && life_of (self, life->pool)->generation != life->pool_generation);
}

guint64
vtr_replay_slots_get_life (const VtrReplaySlots *self,
                           guint64               slot)
{
  const VtrReplayLife *life = slot != 0 ? life_of (self, slot) : NULL;

  return life != NULL ? (guint64)life->generation << 32 | life->n : 0;
}

void
vtr_replay_slots_begin (VtrReplaySlots *self,
                        guint64         slot,
                        guint64         pool)
{
  VtrReplayLife *life = life_of (self, slot);

  life->n = vtr_replay_slots_is_dead (self, slot) ? 1 : life->n + 1;
  life->pool = (guint32)pool;
  life->pool_generation = pool != 0 ? life_of (self, pool)->generation : 0;
}

void
vtr_replay_slots_end (VtrReplaySlots *self,
                      guint64         slot)
{
  VtrReplayLife *life = life_of (self, slot);

  if (life->n > 0)
    life->n--;
  if (life->n == 0)
    life->generation++;
}

void
vtr_replay_slots_end_children (VtrReplaySlots *self,
                               guint64         slot)
{
  life_of (self, slot)->generation++;
}
