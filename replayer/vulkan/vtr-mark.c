/* Saves and restores memory at places (marks) inside the submission for which a snapshot was made.
 *
 * An inner snapshot is made right before the submission. A mark has the pages that differ from the
 * snapshots; restoring it writes these pages, and the bytes of the snapshots everywhere else. */
#include "vtr-save.h"
#include "vtr-vk-sync.h"

#include <stdlib.h>
#include <time.h>

/* Most that marks may take. The engine forgets old ones long before. */
#define MARK_BYTES (2ull << 30)

typedef struct
{
  uint32_t region; /* of the outer state's memory, then of the inner one's */
  uint32_t reserved;
  uint64_t offset;
} MarkedPage;

struct VtrMark
{
  uint64_t id;
  VtrMark *next;
  MarkedPage *pages; /* by region, then offset */
  size_t n_pages;
  size_t max_pages;
  uint8_t *bytes; /* VTR_SAVE_PAGE for each */
};

static void
mark_free (VtrMark *self)
{
  if (self == NULL)
    return;
  free (self->pages);
  free (self->bytes);
  free (self);
}

void
vtr_marks_free (VtrSave *inner)
{
  while (inner->marks != NULL)
    {
      VtrMark *next = inner->marks->next;

      mark_free (inner->marks);
      inner->marks = next;
    }
  inner->mark_bytes = 0;
}

static uint64_t
mark_size (const VtrMark *self)
{
  return (uint64_t)self->n_pages * (VTR_SAVE_PAGE + sizeof *self->pages);
}

/* Takes mark @id out of the list. Returns: NULL when there is none. */
static VtrMark *
take_mark (VtrSave  *inner,
           uint64_t  id)
{
  for (VtrMark **link = &inner->marks; *link != NULL; link = &(*link)->next)
    if ((*link)->id == id)
      {
        VtrMark *mark = *link;

        *link = mark->next;
        inner->mark_bytes -= mark_size (mark);
        return mark;
      }
  return NULL;
}

static void
put_mark (VtrSave *inner,
          VtrMark *mark)
{
  mark->next = inner->marks;
  inner->marks = mark;
  inner->mark_bytes += mark_size (mark);
}

/* Region @nth of both states; NULL after the last. */
static const VtrSavedMemory *
get_region (const VtrSave *outer,
            uint32_t       nth)
{
  if (nth < outer->n_memory)
    return &outer->memory[nth];
  nth -= (uint32_t)outer->n_memory;
  return nth < outer->inner->n_memory ? &outer->inner->memory[nth] : NULL;
}

static size_t
page_size (const VtrSavedMemory *region,
           uint64_t              at)
{
  return region->size - at < VTR_SAVE_PAGE ? (size_t)(region->size - at) : VTR_SAVE_PAGE;
}

/* --- Remembering ----------------------------------------------------------------------------- */

static bool
add_page (VtrMark              *self,
          uint32_t              nth,
          const VtrSavedMemory *region,
          uint64_t              at)
{
  if (self->n_pages == self->max_pages)
    {
      size_t max = self->max_pages == 0 ? 64 : self->max_pages * 2;
      MarkedPage *pages = realloc (self->pages, max * sizeof *pages);
      uint8_t *bytes;

      if (pages == NULL)
        return false;
      self->pages = pages;
      bytes = realloc (self->bytes, max * VTR_SAVE_PAGE);
      if (bytes == NULL)
        return false;
      self->bytes = bytes;
      self->max_pages = max;
    }
  self->pages[self->n_pages] = (MarkedPage){ nth, 0, at };
  memcpy (self->bytes + self->n_pages * VTR_SAVE_PAGE, region->map + at, page_size (region, at));
  self->n_pages++;
  return true;
}

static VtrMark *
mark_new (const VtrSave *outer,
          uint64_t       id)
{
  VtrMark *self = calloc (1, sizeof *self);
  const VtrSavedMemory *region;

  if (self == NULL)
    return NULL;
  self->id = id;
  for (uint32_t i = 0; (region = get_region (outer, i)) != NULL; i++)
    for (uint64_t at = 0; at < region->size; at += VTR_SAVE_PAGE)
      if (memcmp (region->map + at, region->copy + at, page_size (region, at)) != 0 &&
          (mark_size (self) > MARK_BYTES - outer->inner->mark_bytes ||
           !add_page (self, i, region, at)))
        {
          mark_free (self);
          return NULL;
        }
  return self;
}

static bool
refuse (VtrReplayVk *vk)
{
  vtr_vm_fail (vk->vm, VTR_VM_ERROR_UNSUPPORTED, "The state cannot be kept here.");
  return false;
}

/* Microseconds */
static uint64_t
now (void)
{
  struct timespec time;

  clock_gettime (CLOCK_MONOTONIC, &time);
  return (uint64_t)time.tv_sec * 1000000 + (uint64_t)time.tv_nsec / 1000;
}

bool
vtr_marks_set (void            *data,
               uint64_t         id,
               VtrReplayerMark *taken)
{
  VtrReplayVk *vk = data;
  VtrSave *outer = vk->save;
  uint64_t begun;
  VtrMark *mark;

  if (outer == NULL || outer->lost || vtr_sync_is_blocked (vk) ||
      (id != 0 && (outer->inner == NULL || outer->inner->lost)))
    return refuse (vk);
  if (!vtr_sync_wait_for_devices (vk))
    return false;
  begun = now ();
  if (id == 0)
    {
      vtr_save_free (outer->inner);
      outer->inner = vtr_save_new (vk, outer->serial);
      if (outer->inner == NULL)
        return refuse (vk);
    }
  mark_free (take_mark (outer->inner, id));
  mark = mark_new (outer, id);
  if (mark == NULL)
    return refuse (vk);
  put_mark (outer->inner, mark);
  taken->bytes += mark_size (mark);
  taken->microseconds += now () - begun;
  return true;
}

/* --- Going back ------------------------------------------------------------------------------ */

/* Comparing first leaves most pages untouched, and the cache to others. */
static void
restore_page (const VtrSavedMemory *region,
              uint64_t              at,
              const uint8_t        *bytes)
{
  size_t size = page_size (region, at);

  if (memcmp (region->map + at, bytes, size) != 0)
    memcpy (region->map + at, bytes, size);
}

static void
restore_mark (const VtrSave *outer,
              const VtrMark *mark)
{
  const VtrSavedMemory *region;
  size_t next = 0;

  for (uint32_t i = 0; (region = get_region (outer, i)) != NULL; i++)
    for (uint64_t at = 0; at < region->size; at += VTR_SAVE_PAGE)
      if (next < mark->n_pages && mark->pages[next].region == i && mark->pages[next].offset == at)
        restore_page (region, at, mark->bytes + next++ * VTR_SAVE_PAGE);
      else
        restore_page (region, at, region->copy + at);
}

bool
vtr_marks_go_to (void     *data,
                 uint64_t  id)
{
  VtrReplayVk *vk = data;
  const VtrSave *outer = vk->save;
  VtrMark *mark;

  if (outer == NULL || outer->inner == NULL || outer->lost || outer->inner->lost)
    return refuse (vk);
  mark = take_mark (outer->inner, id);
  if (mark == NULL)
    {
      vtr_vm_fail (vk->vm, VTR_VM_ERROR_PAYLOAD, "There is no mark %llu.", (unsigned long long)id);
      return false;
    }
  put_mark (outer->inner, mark);
  if (!vtr_sync_wait_for_devices (vk))
    return false;
  restore_mark (outer, mark);
  return true;
}

void
vtr_marks_forget (void     *data,
                  uint64_t  id)
{
  VtrReplayVk *vk = data;

  if (vk->save != NULL && vk->save->inner != NULL)
    mark_free (take_mark (vk->save->inner, id));
}
