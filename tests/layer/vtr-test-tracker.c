/* Watches memory with a tracker of the layer, and checks that it finds every write. */
#include "vtr-test-tracker.h"

#include <string.h>
#include <sys/mman.h>

static const guint8 *
take (void         *data,
      guint64       offset,
      const guint8 *bytes,
      const guint8 *held,
      gsize         size)
{
  VtrTestTracker *self = data;

  g_assert_cmpuint (offset + size, <=, self->size);
  memcpy (self->seen + offset, held != NULL ? held : bytes, size);
  self->n_calls++;
  self->n_bytes += size;
  self->n_in_place += held == bytes ? size : 0;
  self->largest = MAX (self->largest, size);
  return self->seen + offset;
}

void
vtr_test_tracker_collect (VtrTestTracker *self,
                          guint64         offset,
                          guint64         size)
{
  const VtrLayerSink sink = { take, self, 8 * PAGE };

  self->n_calls = 0;
  self->n_bytes = 0;
  self->n_in_place = 0;
  self->largest = 0;
  vtr_layer_tracker_collect (self->tracker, offset, size, FALSE, &sink);
}

guint8 *
vtr_test_map_pages (gsize size)
{
  guint8 *memory = mmap (NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

  g_assert_true (memory != MAP_FAILED);
  madvise (memory, size, MADV_NOHUGEPAGE);
  return memory;
}

VtrTestTracker *
vtr_test_tracker_new_untouched (gconstpointer choice,
                                guint64       size)
{
  VtrTestTracker *self = g_new0 (VtrTestTracker, 1);

  self->choice = choice;
  self->size = size;
  self->memory = vtr_test_map_pages (size);
  self->seen = vtr_test_map_pages (size);
  self->tracker = vtr_layer_tracker_new (size, VTR_LAYER_OWNER_DRIVER, choice);
  g_assert_nonnull (self->tracker);
  return self;
}

VtrTestTracker *
vtr_test_tracker_new (gconstpointer choice,
                      guint64       size)
{
  VtrTestTracker *self = vtr_test_tracker_new_untouched (choice, size);

  /* Written to, if only with zeros. */
  memset (self->memory, 0, size);
  return self;
}

void
vtr_test_tracker_free (VtrTestTracker *self)
{
  vtr_layer_tracker_free (self->tracker);
  munmap (self->memory, self->size);
  munmap (self->seen, self->size);
  g_free (self);
}

void
vtr_test_tracker_check_watched (const VtrTestTracker *self)
{
  gsize n_watched;
  gsize n_compared;

  vtr_layer_tracker_count (self->tracker, &n_watched, &n_compared);
  g_assert_cmpint (n_watched > 0, ==, self->choice->watcher != NULL);
}

gboolean
vtr_test_tracker_is_harmless (const VtrTestTracker *self)
{
  return self->choice->watcher != NULL && self->choice->watcher->is_harmless;
}

gsize
vtr_test_tracker_count_wrong_pages (const VtrTestTracker *self)
{
  gsize n = 0;

  for (gsize page = 0; page < self->size / PAGE; page++)
    n += memcmp (self->seen + page * PAGE, self->memory + page * PAGE, PAGE) != 0;
  return n;
}
