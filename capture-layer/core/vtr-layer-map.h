/* Hash map from a 64-bit key (handle, dispatch key, name; also 0) to a pointer. Look-ups take no lock and
 * never wait.
 *
 * No thread may look up a key while it is set or taken (programs must not use a handle while it is being created or
 * destroyed), so a reader only has to cope with changes of *other* keys. Slots are therefore reused in place. An
 * outgrown table stays readable for as long as the map exists (all old tables together are
 * smaller than the current one).
 *
 * Threading: any. */
#pragma once

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct
{
  _Atomic uint64_t key; /* 0: free */
  void *_Atomic value;  /* NULL: the key is gone, and the slot one to get past or reuse */
} VtrLayerMapSlot;

typedef struct VtrLayerMapTable
{
  struct VtrLayerMapTable *older; /* that this one replaced */
  size_t mask;
  unsigned shift;
  VtrLayerMapSlot slots[];
} VtrLayerMapTable;

typedef struct
{
  VtrLayerMapTable *_Atomic table;
  pthread_mutex_t lock; /* guards changes */
  size_t n_used;        /* slots with a key */
  void *_Atomic zero;   /* value of key 0, which has no slot; NULL: none */
} VtrLayerMap;

#define VTR_LAYER_MAP_INIT \
  { \
    .lock = PTHREAD_MUTEX_INITIALIZER \
  }

static inline size_t
vtr_layer_map_start (const VtrLayerMapTable *table,
                     uint64_t                key)
{
  return (size_t)((key * UINT64_C (0x9e3779b97f4a7c15)) >> table->shift);
}

void vtr_layer_map_init (VtrLayerMap *self);

/* Frees the map, not the values. No other thread may be inside. */
void vtr_layer_map_finish (VtrLayerMap *self);

/* Returns: the value of @key, or NULL. */
static inline void *
vtr_layer_map_get (VtrLayerMap *self,
                   uint64_t     key)
{
  VtrLayerMapTable *table = atomic_load_explicit (&self->table, memory_order_acquire);
  size_t i;

  if (__builtin_expect (key == 0, 0))
    return atomic_load_explicit (&self->zero, memory_order_acquire);
  if (__builtin_expect (table == NULL, 0))
    return NULL;
  for (i = vtr_layer_map_start (table, key);; i = (i + 1) & table->mask)
    {
      uint64_t found = atomic_load_explicit (&table->slots[i].key, memory_order_acquire);

      if (__builtin_expect (found == key, 1))
        return atomic_load_explicit (&table->slots[i].value, memory_order_acquire);
      if (found == 0)
        return NULL;
    }
}

/* Sets @key to @value (not NULL). Returns: false without memory. */
bool vtr_layer_map_set (VtrLayerMap *self,
                        uint64_t     key,
                        void        *value);

/* Forgets @key. Returns: its value, or NULL. */
void *vtr_layer_map_take (VtrLayerMap *self,
                          uint64_t     key);

/* Calls @each for every pair, with the lock held; forgets the pair when it returns true. */
void vtr_layer_map_sweep (VtrLayerMap *self,
                          bool (*each) (uint64_t key,
                                        void *value,
                                        void *data),
                          void *data);
