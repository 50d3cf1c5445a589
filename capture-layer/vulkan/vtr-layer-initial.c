/* Writes the start of a mid-run capture: the calls that created the living objects, in their
 * order, and calls that bring these objects to their current state. */
#include "vtr-layer-initial.h"

#include "base/vtr-grow.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool
vtr_layer_initial_fail (VtrLayerInitial *self,
                        const char *format,
                        ...)
{
  va_list args;

  if (self->failed)
    return false;
  va_start (args, format);
  vsnprintf (self->why, VTR_LAYER_WHY_MAX, format, args);
  va_end (args);
  self->failed = true;
  return false;
}

static void
fail_ended (VtrLayerInitial *self)
{
  vtr_layer_initial_fail (self, "The recording ended before it could begin.");
}

/* Commits what is in the scratch from @start on. */
static void
commit (VtrLayerInitial *self,
        uint16_t         type,
        size_t           start)
{
  if (vtr_layer_thread_append (self->thread, type, 0, start) == 0)
    fail_ended (self);
}

void
vtr_layer_initial_call (VtrLayerInitial *self,
                        VtrLayerDevice  *device,
                        VtrCmdId         cmd,
                        const void      *args,
                        int64_t          result)
{
  VtrLayerThread *thread = self->thread;
  size_t start = thread->scratch.size;

  if (self->failed)
    return;
  vtr_api_encode (&thread->scratch, cmd, args, (uint64_t)result, thread->id, 0,
                  VTR_COMMAND_FLAG_INITIAL, &device->names.env);
  commit (self, cmd, start);
}

void
vtr_layer_initial_for_each (VtrLayerWorld *world,
                            VtrHandleId type,
                            void (*each) (VtrLayerObject *object,
                                          void *data),
                            void *data)
{
  for (VtrLayerObject *object = world->living[type]; object != NULL; object = object->next_living)
    {
      __builtin_prefetch (object->next_living);
      each (object, data);
    }
}

/* ---- The stream of calls ---- */

#define AHEAD 8u /* items; see fetch_ahead() */

typedef enum
{
  ITEM_RECORD,
  ITEM_SET,
  ITEM_BLOCK,
} ItemKind;

typedef struct
{
  uint64_t order;
  void *what; /* VtrLayerRecord, VtrLayerObject, VtrLayerCommandBuffer */
  VtrLayerWorld *world;
  ItemKind kind;
} Item;

typedef struct VtrLayerInitialStream Items;
struct VtrLayerInitialStream
{
  Item *items;
  size_t n;
  size_t n_allocated;
  bool failed;
  bool lost; /* there is a command buffer whose calls are not there */
};

static void
add_item (Items         *self,
          ItemKind       kind,
          VtrLayerWorld *world,
          void          *what,
          uint64_t       order)
{
  Item *grown;

  if (self->failed)
    return;
  grown = vtr_grow (self->items, &self->n_allocated, self->n + 1, sizeof *grown);
  self->failed = grown == NULL;
  if (self->failed)
    return;
  self->items = grown;
  self->items[self->n++] = (Item){ order, what, world, kind };
}

static void
add_record (Items          *self,
            VtrLayerWorld  *world,
            VtrLayerRecord *record)
{
  if (record != NULL)
    add_item (self, ITEM_RECORD, world, record, record->order);
}

/* Whether nothing needs @self but graves: it was destroyed, and no command buffer was recorded with
 * it. Of its world, what was made from it has been asked for before, so that what was noted for
 * this question is not needed any more: the next cut begins without it. */
static bool
is_left_out (VtrLayerCreation *self)
{
  const bool needed = self->needed || self->n_refs != self->n_hidden + (self->buried ? 1 : 0);

  self->needed = false;
  self->n_hidden = 0;
  if (needed)
    return false;
  for (uint32_t i = 0; self->record != NULL && i < self->record->n_parents; i++)
    if (self->record->parents[i]->world == self->world)
      self->record->parents[i]->n_hidden++;
  return true;
}

static void
add_world (Items         *self,
           VtrLayerWorld *world)
{
  for (VtrLayerCreation *each = world->first; each != NULL; each = each->next)
    {
      if (is_left_out (each))
        continue;
      add_record (self, world, each->record);
      for (VtrLayerObject *object = each->objects; object != NULL; object = object->sibling)
        {
          for (VtrLayerRecord *record = vtr_layer_records_next (&object->records, NULL);
               record != NULL; record = vtr_layer_records_next (&object->records, record))
            add_record (self, world, record);
          add_record (self, world, object->end);
          if (object->type == VTR_HANDLE_VkDescriptorSet && !object->dead &&
              vtr_layer_set_get_order (object->state) != 0)
            add_item (self, ITEM_SET, world, object, vtr_layer_set_get_order (object->state));
        }
    }
}

static bool
add_instance (uint64_t  key,
              void     *value,
              void     *data)
{
  const VtrLayerInstance *instance = value;

  if (instance->live != NULL)
    add_world (data, instance->live);
  return false;
}

static bool
add_device (uint64_t  key,
            void     *value,
            void     *data)
{
  const VtrLayerDevice *device = value;

  if (device->live != NULL)
    add_world (data, device->live);
  return false;
}

static bool
add_command_buffer (uint64_t  key,
                    void     *value,
                    void     *data)
{
  VtrLayerCommandBuffer *self = value;
  Items *items = data;

  self->valid = false;
  if (self->batch.lost)
    items->lost = true;
  if (self->batch.kept.segment != NULL && self->device->live != NULL)
    add_item (data, ITEM_BLOCK, self->device->live, self, self->batch.order);
  return false;
}

static int
compare_items (const void *a,
               const void *b)
{
  const Item *left = a, *right = b;

  return left->order < right->order ? -1 : left->order > right->order;
}

static void
reverse_items (Item   *items,
               size_t  n)
{
  for (size_t i = 0; i < n / 2; i++)
    {
      const Item other = items[i];

      items[i] = items[n - 1 - i];
      items[n - 1 - i] = other;
    }
}

/* The live records of each world are listed newest first, after @n_blocks in order, and most
 * objects were bound soon after their creation. Reversed, the list is nearly sorted, and little has
 * to move. */
static void
sort_items (Items  *self,
            size_t  n_blocks)
{
  size_t left = 8 * self->n;

  reverse_items (self->items, self->n);
  reverse_items (self->items + (self->n - n_blocks), n_blocks);
  for (size_t i = 1; i < self->n; i++)
    {
      const Item item = self->items[i];
      size_t at = i;

      for (; at > 0 && self->items[at - 1].order > item.order && left > 0; at--, left--)
        self->items[at] = self->items[at - 1];
      self->items[at] = item;
      if (left == 0)
        break;
    }
  if (left == 0 && self->n > 0)
    qsort (self->items, self->n, sizeof *self->items, compare_items);
}

/* Leaves only the blocks that may be submitted. @items: all of them */
static void
check_blocks (Items *items)
{
  VtrLayerInitialChecks checks = { 0 };
  size_t kept = 0;

  if (items->n > 0)
    qsort (items->items, items->n, sizeof *items->items, compare_items);
  for (size_t i = 0; i < items->n; i++)
    {
      VtrLayerCommandBuffer *each = items->items[i].what;

      vtr_layer_initial_check_block (each, &checks);
      if (each->valid)
        items->items[kept++] = items->items[i];
    }
  items->failed = items->failed || checks.graves.failed;
  vtr_layer_initial_checks_finish (&checks);
  items->n = kept;
}

static void
write_item (VtrLayerInitial *self,
            const Item      *item)
{
  VtrBuffer *scratch = &self->thread->scratch;
  const VtrLayerRecord *record = item->what;
  size_t start = scratch->size;
  VtrRingPart part;

  switch (item->kind)
    {
    case ITEM_RECORD:
      part = (VtrRingPart){ record->data, record->size };
      if (vtr_layer_thread_append_parts (self->thread, record->type, start, &part, 1) == 0)
        fail_ended (self);
      break;
    case ITEM_SET:
      if (vtr_layer_set_encode (item->world, item->what, self->thread))
        commit (self, VTR_CMD_vkUpdateDescriptorSets, start);
      else
        scratch->size = start;
      break;
    case ITEM_BLOCK:
      if (!vtr_layer_batch_write_kept (&((VtrLayerCommandBuffer *)item->what)->batch, self->thread))
        fail_ended (self);
      break;
    }
}

static void
gather_stream (VtrLayerInitial *self,
               Items           *items)
{
  size_t n_blocks;

  vtr_layer_map_sweep (&vtr_layer_command_buffers, add_command_buffer, items);
  check_blocks (items);
  n_blocks = items->n;
  /* Instances last: sort_items() turns this round. */
  vtr_layer_map_sweep (&vtr_layer_devices, add_device, items);
  vtr_layer_map_sweep (&vtr_layer_instances, add_instance, items);
  if (items->failed)
    vtr_layer_initial_fail (self, "The program has not enough memory left.");
  else if (items->lost)
    vtr_layer_initial_fail (self, "The recording buffer has no room for all command buffers that "
                                  "the program keeps.");
  else
    sort_items (items, n_blocks);
}

/* Records lie all over the heap, and waiting for each is most of what writing one takes: they are
 * asked for some items ahead. */
static void
fetch_ahead (const Items *self,
             size_t       nth)
{
  if (nth + 2 * AHEAD < self->n)
    __builtin_prefetch (self->items[nth + 2 * AHEAD].what);
  if (nth + AHEAD < self->n && self->items[nth + AHEAD].kind == ITEM_RECORD)
    __builtin_prefetch (((const VtrLayerRecord *)self->items[nth + AHEAD].what)->data);
}

static void
write_stream (VtrLayerInitial *self)
{
  const Items *items = self->stream;

  self->stream = NULL;
  for (size_t i = 0; items != NULL && i < items->n && !self->failed; i++)
    {
      fetch_ahead (items, i);
      write_item (self, &items->items[i]);
    }
}

/* ---- Everything ---- */

typedef struct
{
  VtrLayerInitial *initial;
  VtrLayerDevice *device;
} Descriptors;

static void
write_descriptor (const VtrArgs_vkGetDescriptorEXT *args,
                  void                             *data)
{
  const Descriptors *self = data;

  vtr_layer_initial_call (self->initial, self->device, VTR_CMD_vkGetDescriptorEXT, args, 0);
}

bool
vtr_layer_initial_write_before (VtrLayerDevice *device,
                                void           *data)
{
  VtrLayerInitial *self = data;

  write_stream (self);
  if (!vtr_layer_descriptors_write (device->live, write_descriptor,
                                    &(Descriptors){ self, device }))
    vtr_layer_initial_fail (self, "The program has not enough memory left.");
  vtr_layer_initial_write_state (self, device);
  return !self->failed;
}

/* The state comes with the contents: it is written while the GPU copies them. */
static bool
write_device (uint64_t  key,
              void     *value,
              void     *data)
{
  VtrLayerDevice *device = value;

  if (device->live != NULL)
    vtr_layer_initial_write_contents (data, device);
  return false;
}

bool
vtr_layer_initial_write (VtrLayerThread *thread,
                         char            why[VTR_LAYER_WHY_MAX])
{
  Items items = { 0 };
  VtrLayerInitial self = { .thread = thread, .stream = &items, .why = why };

  why[0] = '\0';
  gather_stream (&self, &items);
  vtr_layer_map_sweep (&vtr_layer_devices, write_device, &self);
  /* Where there was no device. */
  write_stream (&self);
  free (items.items);
  if (!self.failed && vtr_layer_live_get_failure ()[0] != '\0')
    vtr_layer_initial_fail (&self, "%s.", vtr_layer_live_get_failure ());
  return !self.failed;
}
