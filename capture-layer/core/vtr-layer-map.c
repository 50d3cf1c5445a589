/* Hash map from 64-bit keys to pointers. Look-ups take no lock, because nearly every captured
 * call makes one. */
#include "vtr-layer-map.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_BITS 8

void
vtr_layer_map_init (VtrLayerMap *self)
{
  memset (self, 0, sizeof *self);
  pthread_mutex_init (&self->lock, NULL);
}

void
vtr_layer_map_finish (VtrLayerMap *self)
{
  VtrLayerMapTable *table = atomic_load_explicit (&self->table, memory_order_relaxed);

  while (table != NULL)
    {
      VtrLayerMapTable *older = table->older;

      free (table);
      table = older;
    }
  pthread_mutex_destroy (&self->lock);
  memset (self, 0, sizeof *self);
}

static VtrLayerMapTable *
create_table (unsigned bits)
{
  size_t n = (size_t)1 << bits;
  VtrLayerMapTable *table = calloc (1, sizeof *table + n * sizeof (VtrLayerMapSlot));

  if (table != NULL)
    {
      table->mask = n - 1;
      table->shift = 64 - bits;
    }
  return table;
}

/* Returns: true if a slot that never had a key was taken. */
static bool
put (VtrLayerMapTable *table,
     uint64_t          key,
     void             *value)
{
  VtrLayerMapSlot *gone = NULL;

  for (size_t i = vtr_layer_map_start (table, key);; i = (i + 1) & table->mask)
    {
      VtrLayerMapSlot *slot = &table->slots[i];
      uint64_t found = atomic_load_explicit (&slot->key, memory_order_relaxed);

      if (found == key)
        {
          atomic_store_explicit (&slot->value, value, memory_order_release);
          return false;
        }
      if (found != 0)
        {
          if (gone == NULL && atomic_load_explicit (&slot->value, memory_order_relaxed) == NULL)
            gone = slot;
          continue;
        }

      if (gone != NULL)
        slot = gone;
      atomic_store_explicit (&slot->key, key, memory_order_relaxed);
      atomic_store_explicit (&slot->value, value, memory_order_release);
      return gone == NULL;
    }
}

static bool
grow (VtrLayerMap *self)
{
  VtrLayerMapTable *old = atomic_load_explicit (&self->table, memory_order_relaxed);
  VtrLayerMapTable *table = create_table (old == NULL ? FIRST_BITS : 64 - old->shift + 1);

  if (table == NULL)
    return false;
  table->older = old;
  self->n_used = 0;
  for (size_t i = 0; old != NULL && i <= old->mask; i++)
    {
      void *value = atomic_load_explicit (&old->slots[i].value, memory_order_relaxed);

      if (value != NULL &&
          put (table, atomic_load_explicit (&old->slots[i].key, memory_order_relaxed), value))
        self->n_used++;
    }
  /* The old table is not freed: a reader may be in it. Changes of the new table do not reach it,
   * but no thread looks up an entry while it changes. */
  atomic_store_explicit (&self->table, table, memory_order_release);
  return true;
}

bool
vtr_layer_map_set (VtrLayerMap *self,
                   uint64_t     key,
                   void        *value)
{
  VtrLayerMapTable *table;
  bool ok = true;

  if (key == 0)
    {
      atomic_store_explicit (&self->zero, value, memory_order_release);
      return true;
    }
  pthread_mutex_lock (&self->lock);
  table = atomic_load_explicit (&self->table, memory_order_relaxed);
  if (table == NULL || self->n_used * 2 > table->mask)
    ok = grow (self) || (table != NULL && self->n_used < table->mask);
  if (ok && put (atomic_load_explicit (&self->table, memory_order_relaxed), key, value))
    self->n_used++;
  pthread_mutex_unlock (&self->lock);
  return ok;
}

/* Whether a look-up of a key that is there has to get past slot @i. */
static bool
is_passed (VtrLayerMapTable *table,
           size_t            i)
{
  for (size_t j = (i + 1) & table->mask;; j = (j + 1) & table->mask)
    {
      VtrLayerMapSlot *slot = &table->slots[j];
      uint64_t key = atomic_load_explicit (&slot->key, memory_order_relaxed);

      if (key == 0)
        return false;
      if (atomic_load_explicit (&slot->value, memory_order_relaxed) != NULL &&
          ((j - vtr_layer_map_start (table, key)) & table->mask) >= ((j - i) & table->mask))
        return true;
    }
}

/* Frees slot @i if its key was removed and no search has to go past it. Otherwise removed keys
 * would pile up in front of others, and the table would grow without limit. */
static void
trim (VtrLayerMap      *self,
      VtrLayerMapTable *table,
      size_t            i)
{
  VtrLayerMapSlot *slot = &table->slots[i];

  if (atomic_load_explicit (&slot->key, memory_order_relaxed) == 0 ||
      atomic_load_explicit (&slot->value, memory_order_relaxed) != NULL || is_passed (table, i))
    return;
  atomic_store_explicit (&slot->key, 0, memory_order_release);
  self->n_used--;
}

void *
vtr_layer_map_take (VtrLayerMap *self,
                    uint64_t     key)
{
  VtrLayerMapTable *table;
  void *value = NULL;

  if (key == 0)
    return atomic_exchange_explicit (&self->zero, NULL, memory_order_acq_rel);
  pthread_mutex_lock (&self->lock);
  table = atomic_load_explicit (&self->table, memory_order_relaxed);
  for (size_t i = table == NULL ? 0 : vtr_layer_map_start (table, key); table != NULL;
       i = (i + 1) & table->mask)
    {
      uint64_t found = atomic_load_explicit (&table->slots[i].key, memory_order_relaxed);

      if (found == key)
        {
          value = atomic_exchange_explicit (&table->slots[i].value, NULL, memory_order_acq_rel);
          /* And what only this one was behind. */
          for (size_t begin = vtr_layer_map_start (table, key);; i = (i - 1) & table->mask)
            {
              trim (self, table, i);
              if (i == begin)
                break;
            }
          break;
        }
      if (found == 0)
        break;
    }
  pthread_mutex_unlock (&self->lock);
  return value;
}

void
vtr_layer_map_sweep (VtrLayerMap *self,
                     bool (*each) (uint64_t key,
                                   void *value,
                                   void *data),
                     void *data)
{
  VtrLayerMapTable *table;
  void *zero;
  bool any = false;

  pthread_mutex_lock (&self->lock);
  zero = atomic_load_explicit (&self->zero, memory_order_relaxed);
  if (zero != NULL && each (0, zero, data))
    atomic_store_explicit (&self->zero, NULL, memory_order_release);
  table = atomic_load_explicit (&self->table, memory_order_relaxed);
  for (size_t i = 0; table != NULL && i <= table->mask; i++)
    {
      VtrLayerMapSlot *slot = &table->slots[i];
      void *value = atomic_load_explicit (&slot->value, memory_order_relaxed);

      if (value != NULL &&
          each (atomic_load_explicit (&slot->key, memory_order_relaxed), value, data))
        {
          atomic_store_explicit (&slot->value, NULL, memory_order_release);
          any = true;
        }
    }
  for (size_t i = 0; any && i <= table->mask; i++)
    trim (self, table, i);
  pthread_mutex_unlock (&self->lock);
}
