/* Remembers which memory words hold parts of captured addresses, for writes that change only
 * half of one. */
#include "engine/replay-builder/vtr-address-words.h"

#include <string.h>

/* The number of words that are remembered; a program that changes halves of more words is not
 * followed. */
#define MAX_WORDS (1 << 20)

typedef struct
{
  GHashTable *addresses; /* word → captured value; 0: none, whatever the base says */
  GHashTable *parts;     /* word → VtrAddressWord, of those that are not known whole */
  gboolean is_new;       /* the base means other memory */
} Memory;

struct _VtrAddressWords
{
  VtrAddressWords *base; /* (nullable) */
  GHashTable *memories;  /* handle → Memory */
  guint n;
};

#define KEY(word) GSIZE_TO_POINTER ((gsize)(word))

static void
memory_free (gpointer data)
{
  Memory *memory = data;

  g_hash_table_unref (memory->addresses);
  g_hash_table_unref (memory->parts);
  g_free (memory);
}

VtrAddressWords *
vtr_address_words_new (VtrAddressWords *base)
{
  VtrAddressWords *self = g_rc_box_new0 (VtrAddressWords);

  self->base = base != NULL ? vtr_address_words_ref (base) : NULL;
  self->memories = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, memory_free);
  return self;
}

VtrAddressWords *
vtr_address_words_ref (VtrAddressWords *self)
{
  return g_rc_box_acquire (self);
}

static void
words_clear (gpointer data)
{
  VtrAddressWords *self = data;

  g_clear_pointer (&self->base, vtr_address_words_unref);
  g_hash_table_unref (self->memories);
}

void
vtr_address_words_unref (VtrAddressWords *self)
{
  g_rc_box_release_full (self, words_clear);
}

static Memory *
find (const VtrAddressWords *self,
      guint64                handle)
{
  return g_hash_table_lookup (self->memories, &handle);
}

static Memory *
ensure (VtrAddressWords *self,
        guint64          handle)
{
  Memory *memory = find (self, handle);

  if (memory != NULL)
    return memory;
  memory = g_new0 (Memory, 1);
  memory->addresses = g_hash_table_new (NULL, NULL);
  memory->parts = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  g_hash_table_insert (self->memories, g_memdup2 (&handle, sizeof handle), memory);
  return memory;
}

void
vtr_address_words_forget (VtrAddressWords *self,
                          guint64          memory)
{
  g_hash_table_remove (self->memories, &memory);
  if (self->base != NULL)
    ensure (self, memory)->is_new = TRUE;
}

/* What was remembered of a word. */
static VtrAddressWord
look_up (const VtrAddressWords *self,
         guint64                handle,
         guint64                word)
{
  VtrAddressWord none = { 0 };

  for (; self != NULL; self = self->base)
    {
      const Memory *memory = find (self, handle);
      gpointer value = NULL;

      if (memory == NULL)
        continue;
      if (g_hash_table_lookup_extended (memory->addresses, KEY (word), NULL, &value))
        return value != NULL ? (VtrAddressWord){ GPOINTER_TO_SIZE (value), 0xff, TRUE } : none;
      if (g_hash_table_contains (memory->parts, KEY (word)))
        return *(const VtrAddressWord *)g_hash_table_lookup (memory->parts, KEY (word));
      if (memory->is_new)
        break;
    }
  return none;
}

/* Entries about the memory, those that hide others included. */
static guint64
count_known (const VtrAddressWords *self,
             guint64                handle)
{
  guint64 n = 0;

  for (; self != NULL; self = self->base)
    {
      const Memory *memory = find (self, handle);

      if (memory != NULL)
        n += g_hash_table_size (memory->addresses) + g_hash_table_size (memory->parts);
      if (memory != NULL && memory->is_new)
        break;
    }
  return n;
}

/* --- Writing --------------------------------------------------------------------------------- */

typedef struct
{
  guint64 first, end;
} Span;

static gboolean
is_in_span (gpointer key,
            gpointer value,
            gpointer data)
{
  const Span *span = data;
  guint64 word = GPOINTER_TO_SIZE (key);

  return word >= span->first && word < span->end;
}

static void
set (VtrAddressWords *self,
     Memory          *memory,
     guint64          word,
     guint64          value)
{
  g_hash_table_remove (memory->parts, KEY (word));
  if (value == 0 && self->base == NULL)
    self->n -= g_hash_table_remove (memory->addresses, KEY (word));
  else if (self->n < MAX_WORDS || g_hash_table_contains (memory->addresses, KEY (word)))
    self->n += g_hash_table_insert (memory->addresses, KEY (word), KEY (value));
}

/* Hides what the bases know of the words. */
static void
hide (VtrAddressWords *self,
      guint64          handle,
      const Span      *span)
{
  const VtrAddressWords *base = self->base;
  GHashTableIter iter;
  gpointer word;

  for (; base != NULL; base = base->base)
    {
      const Memory *memory = find (base, handle);

      if (memory == NULL)
        continue;
      g_hash_table_iter_init (&iter, memory->addresses);
      while (g_hash_table_iter_next (&iter, &word, NULL))
        if (is_in_span (word, NULL, (gpointer)span))
          set (self, ensure (self, handle), GPOINTER_TO_SIZE (word), 0);
      g_hash_table_iter_init (&iter, memory->parts);
      while (g_hash_table_iter_next (&iter, &word, NULL))
        if (is_in_span (word, NULL, (gpointer)span))
          set (self, ensure (self, handle), GPOINTER_TO_SIZE (word), 0);
      if (memory->is_new)
        break;
    }
}

void
vtr_address_words_clear (VtrAddressWords *self,
                         guint64          memory,
                         guint64          first,
                         guint64          end)
{
  const Span span = { first, end };
  guint64 n_known = first < end ? count_known (self, memory) : 0;
  Memory *own;

  if (n_known == 0)
    return;
  own = ensure (self, memory);
  if (end - first <= n_known)
    {
      for (guint64 word = first; word < end; word++)
        if (look_up (self, memory, word).known != 0)
          set (self, own, word, 0);
      return;
    }
  self->n -= g_hash_table_foreach_remove (own->addresses, is_in_span, (gpointer)&span);
  g_hash_table_foreach_remove (own->parts, is_in_span, (gpointer)&span);
  if (!own->is_new)
    hide (self, memory, &span);
}

void
vtr_address_words_put (VtrAddressWords *self,
                       guint64          memory,
                       guint64          word,
                       guint64          value)
{
  set (self, ensure (self, memory), word, value);
}

VtrAddressWord
vtr_address_words_merge (VtrAddressWords *self,
                         guint64          memory,
                         guint64          word,
                         guint            at,
                         const guint8    *bytes,
                         guint            n)
{
  VtrAddressWord now = look_up (self, memory, word);
  Memory *own = ensure (self, memory);

  memcpy ((guint8 *)&now.value + at, bytes, n);
  now.known |= (guint8)(((1u << n) - 1) << at);
  set (self, own, word, 0);
  if (self->n + g_hash_table_size (own->parts) < MAX_WORDS)
    {
      VtrAddressWord kept = now;

      kept.was = FALSE;
      g_hash_table_remove (own->addresses, KEY (word));
      g_hash_table_insert (own->parts, KEY (word), g_memdup2 (&kept, sizeof kept));
    }
  return now;
}
