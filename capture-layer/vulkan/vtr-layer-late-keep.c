/* Keeps the data about resources that are copied after the cut. */
#include "vtr-layer-late-private.h"

#include "vtr-layer-live.h"

#include <stdlib.h>

static size_t
count_pieces (uint64_t size)
{
  return (size_t)((size + VTR_CONTENTS_PIECE - 1) / VTR_CONTENTS_PIECE);
}

static void
count_kept (const VtrContentsKept *kept,
            void                  *data)
{
  VtrLate *self = data;

  self->n_items += count_pieces (kept->size);
  self->n_resources++;
}

static void
count (VtrLate           *self,
       const VtrContents *contents)
{
  const VtrLayerLiveWorld *world = contents->world;

  self->n_items = contents->late.size / sizeof (VtrContentsLate);
  for (size_t i = 0; i < world->n_buffers; i++)
    if (world->buffers[i].late)
      {
        self->n_items += count_pieces (world->buffers[i].size);
        self->n_resources++;
      }
  for (size_t i = 0; i < world->n_images; i++)
    if (world->images[i].late)
      self->n_resources++;
  vtr_contents_for_each_kept (contents, count_kept, self);
}

static bool
add_to_memory (VtrLate         *self,
               VtrLateResource *resource)
{
  uint64_t key = (uint64_t)(uintptr_t)resource->memory.memory;

  resource->next_in_memory = vtr_layer_map_get (&self->memory, key);
  return vtr_layer_map_set (&self->memory, key, resource);
}

/* There are as many as resources, if each has one of its own. Returns: false without memory. */
static bool
list_memory (VtrLate                 *self,
             const VtrLayerLiveWorld *world)
{
  for (size_t i = 0; i < world->n_memory; i++)
    if (!vtr_layer_map_set (&self->known, (uint64_t)(uintptr_t)world->memory[i].memory,
                            (void *)&world->memory[i]))
      return false;
  return true;
}

static const VtrLayerLiveMemory *
find_memory (VtrLate        *self,
             VkDeviceMemory  memory)
{
  return vtr_layer_map_get (&self->known, (uint64_t)(uintptr_t)memory);
}

/* Of .buffer. */
static void
add_pieces (VtrLate         *self,
            VtrLateResource *resource,
            size_t          *n_items)
{
  const VtrLayerLiveBuffer *buffer = &resource->buffer;

  resource->first = *n_items;
  for (uint64_t at = 0; at < buffer->size; at += VTR_CONTENTS_PIECE)
    {
      uint64_t left = buffer->size - at;

      self->items[(*n_items)++] = (VtrLateItem){
        .part = { .memory = &resource->memory,
                  .offset = buffer->offset + at,
                  .size = left < VTR_CONTENTS_PIECE ? left : VTR_CONTENTS_PIECE },
      };
    }
  resource->n = resource->n_left = *n_items - resource->first;
}

bool
vtr_late_is_read_by_cpu (const VtrContents        *contents,
                         const VtrLayerLiveMemory *memory)
{
  const VkMemoryPropertyFlags readable =
    VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_CACHED_BIT;

  return (vtr_contents_memory_flags (contents, memory) & readable) == readable;
}

static void
note_stored (VtrLate         *self,
             VtrLateResource *resource,
             bool             stored)
{
  resource->stored = stored && resource->n_left > 0;
  self->n_stored += resource->stored;
}

/* @resource: the next one. Returns: false without memory. */
static bool
add_buffer (VtrLate            *self,
            const VtrContents  *contents,
            VtrLateResource    *resource,
            VtrLayerLiveBuffer *buffer,
            size_t             *n_items)
{
  resource->buffer = *buffer;
  resource->memory = *find_memory (self, buffer->memory);
  resource->by_cpu = vtr_late_is_read_by_cpu (contents, &resource->memory);
  resource->queue = vtr_contents_find_queue (contents, buffer->owner, 0);
  add_pieces (self, resource, n_items);
  note_stored (self, resource, vtr_late_is_buffer_stored (buffer));
  return add_to_memory (self, resource) &&
         vtr_layer_map_set (&self->buffers, (uint64_t)(uintptr_t)buffer->buffer, resource);
}

/* @at: of the first of the image's parts; set to the end of the last */
static bool
add_image (VtrLate                 *self,
           const VtrContents       *contents,
           VtrLateResource         *resource,
           const VtrLayerLiveImage *image,
           size_t                  *n_items,
           size_t                  *at)
{
  const VtrContentsLate *parts = (const void *)contents->late.data;
  const size_t n_parts = contents->late.size / sizeof *parts;

  resource->image = *image;
  resource->image.late = false;
  resource->image.layouts = NULL;
  resource->memory = *find_memory (self, image->memory);
  resource->first = *n_items;
  for (; *at < n_parts && parts[*at].part.image == image; (*at)++)
    {
      VtrLateItem *item = &self->items[(*n_items)++];

      *item = (VtrLateItem){ .part = parts[*at].part, .aspects = parts[*at].aspects };
      item->part.image = &resource->image;
      resource->queue = parts[*at].queue;
    }
  resource->n = resource->n_left = *n_items - resource->first;
  note_stored (self, resource, vtr_late_is_image_stored (image));
  return add_to_memory (self, resource) &&
         vtr_layer_map_set (&self->images, (uint64_t)(uintptr_t)image->image, resource);
}

typedef struct
{
  VtrLate *late;
  size_t n; /* resources */
  size_t n_items;
} Adder;

/* No call changes it: it is in no list of what calls touch. */
static void
add_kept (const VtrContentsKept *kept,
          void                  *data)
{
  Adder *adder = data;
  VtrLateResource *resource = &adder->late->resources[adder->n++];

  resource->memory = *kept->memory;
  resource->buffer.offset = kept->offset;
  resource->buffer.size = kept->size;
  resource->kept = kept->bytes;
  resource->by_cpu = true;
  add_pieces (adder->late, resource, &adder->n_items);
}

static bool
add_resources (VtrLate           *self,
               const VtrContents *contents)
{
  Adder adder;
  const VtrLayerLiveWorld *world = contents->world;
  size_t n = 0, n_items = 0, at = 0;

  if (!list_memory (self, world))
    return false;
  for (size_t i = 0; i < world->n_buffers; i++)
    if (world->buffers[i].late &&
        !add_buffer (self, contents, &self->resources[n++], &world->buffers[i], &n_items))
      return false;
  for (size_t i = 0; i < world->n_images; i++)
    if (world->images[i].late &&
        !add_image (self, contents, &self->resources[n++], &world->images[i], &n_items, &at))
      return false;
  adder = (Adder){ self, n, n_items };
  vtr_contents_for_each_kept (contents, add_kept, &adder);
  self->n_items = self->base.n_left = adder.n_items;
  return true;
}

/* The reading that goes on later. */
static void
init_contents (VtrLate     *self,
               VtrContents *contents)
{
  const VtrLayerLiveWorld *world = contents->world;
  size_t n = world->n_queues < VTR_CONTENTS_MAX_QUEUES ? world->n_queues : VTR_CONTENTS_MAX_QUEUES;

  memcpy (self->queues, world->queues, n * sizeof *self->queues);
  self->world = (VtrLayerLiveWorld){ .queues = self->queues, .n_queues = n };
  self->contents = (VtrContents){
    .device = contents->device,
    .world = &self->world,
    .thread = &self->base.writer,
    .begun = true,
    .why = self->why,
  };
  self->base.writer.id = contents->thread->id;
  /* It is ours now. */
  self->contents.still = contents->still;
  contents->still = NULL;
}

static void
free_all (VtrLate *self)
{
  vtr_ring_log_close (&self->base.writer.log);
  vtr_buffer_finish (&self->base.writer.scratch);
  vtr_layer_split_record_finish (&self->contents.parts);
  vtr_layer_map_finish (&self->images);
  vtr_layer_map_finish (&self->buffers);
  vtr_layer_map_finish (&self->memory);
  vtr_layer_map_finish (&self->known);
  vtr_layer_still_free (self->contents.still);
  free (self->resources);
  free (self->items);
  free (self->bounce);
  free (self);
}

/* Makes it of what was chosen. Returns: false without memory; *@out NULL: nothing was chosen. */
static bool
make (VtrContents  *contents,
      VtrLate     **out)
{
  VtrLate *self = calloc (1, sizeof *self);

  *out = NULL;
  if (self == NULL)
    return false;
  vtr_layer_map_init (&self->images);
  vtr_layer_map_init (&self->buffers);
  vtr_layer_map_init (&self->memory);
  vtr_layer_map_init (&self->known);
  self->looker = vtr_layer_live_next_order ();
  self->base.writer.log.stream = VTR_RING_NO_STREAM;
  count (self, contents);
  if (self->n_items == 0)
    {
      free_all (self);
      return true;
    }
  self->resources = calloc (self->n_resources, sizeof *self->resources);
  self->items = malloc (self->n_items * sizeof *self->items);
  self->bounce = malloc (VTR_CONTENTS_PIECE);
  if (self->resources == NULL || self->items == NULL || self->bounce == NULL ||
      !add_resources (self, contents))
    {
      free_all (self);
      return false;
    }
  init_contents (self, contents);
  if (!vtr_ring_log_open (&self->base.writer.log, &vtr_layer_ring, self->base.writer.id))
    {
      free_all (self);
      return false;
    }
  /* One more for what could not be copied. */
  vtr_ring_log_reserve (&self->base.writer.log, self->n_items + 1);
  *out = self;
  return true;
}

/* Fills the rest of its tickets, says what is missing, and frees it. */
static void
finish (VtrLayerLate *late)
{
  VtrLate *self = (VtrLate *)late;

  if (self->contents.n_left_out > 0)
    vtr_contents_note_left_out (&self->contents);
  vtr_ring_log_fill (&self->base.writer.log);
  vtr_contents_gpu_finish (&self->contents);
  free_all (self);
}

const VtrCaptureLate vtr_layer_vulkan_late = {
  .is_harmless = vtr_late_is_harmless,
  .touch = vtr_late_touch,
  .copy_wanted = vtr_late_copy_wanted,
  .copy_piece = vtr_late_copy_piece,
  .give_up = vtr_late_give_up,
  .finish = finish,
};

bool
vtr_contents_keep_late (VtrContents *self)
{
  VtrLate *made;

  if (!make (self, &made))
    return vtr_contents_fail (self, "The program has no memory left.");
  if (made != NULL)
    vtr_layer_late_add (&made->base, &self->device->names);
  return true;
}
