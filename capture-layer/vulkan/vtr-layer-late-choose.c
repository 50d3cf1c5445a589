/* Chooses the resources that can be copied after the cut: those that are written only by commands
 * that name them, and by shaders through descriptors that the layer follows.
 *
 * Shaders write to what addresses lead to, the CPU to mapped memory, others to shared memory,
 * and resources in the same bytes to each other: none of that is seen in a command. What remains
 * are textures, render targets, static buffers and storage images, which is most of what large
 * programs have. */
#include "vtr-layer-contents-private.h"

#include "vtr-layer-late-private.h"
#include "vtr-layer-live-state.h"

#include "vulkan/vtr-vulkan-formats.h"

#include <stdlib.h>

/* Smaller resources are copied at once. For images that costs no more than remembering them;
 * programs write small buffers every frame, and would wait for the copy. */
#define LEAST_IMAGE (4u * 1024u)
#define LEAST_BUFFER (64u * 1024u)

/* Usages of resources that only transfers and passes can write to, and, with VTR_LATE_IMAGE_STORAGE
 * and VTR_LATE_BUFFER_STORAGE, shaders through descriptors. Any other usage, a future one too, may
 * mean writes. */
#define IMAGE_USAGE \
  (VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT | \
   VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | \
   VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT | VK_IMAGE_USAGE_INPUT_ATTACHMENT_BIT)
#define BUFFER_USAGE \
  (VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT | \
   VK_BUFFER_USAGE_UNIFORM_TEXEL_BUFFER_BIT | VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT | \
   VK_BUFFER_USAGE_INDEX_BUFFER_BIT | VK_BUFFER_USAGE_VERTEX_BUFFER_BIT | \
   VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT)

#define ATTACHMENT_USAGE \
  (VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT)

/* For images: a program that creates two for the same bytes may declare that, but need not. */
#define IMAGE_FLAGS \
  (VK_IMAGE_CREATE_SPARSE_BINDING_BIT | VK_IMAGE_CREATE_ALIAS_BIT | VK_IMAGE_CREATE_DISJOINT_BIT | \
   VK_IMAGE_CREATE_PROTECTED_BIT)

static uint64_t
get_least (uint64_t least)
{
  uint64_t threshold = vtr_layer_late_get_threshold ();

  return threshold < least ? threshold : least;
}

/* A resource in memory. */
typedef struct
{
  const VtrLayerLiveMemory *memory;
  uint64_t begin;
  uint64_t end;
  bool *late; /* of it */
} Place;

typedef struct
{
  const VtrContents *contents;
  const VtrLayerLiveMemory **memory; /* by handle */
  Place *places;
  size_t n;
} Choice;

static int
compare_memory (const void *a,
                const void *b)
{
  uintptr_t left = (uintptr_t)(*(const VtrLayerLiveMemory *const *)a)->memory;
  uintptr_t right = (uintptr_t)(*(const VtrLayerLiveMemory *const *)b)->memory;

  return left < right ? -1 : left > right;
}

static const VtrLayerLiveMemory *
find_memory (const Choice   *self,
             VkDeviceMemory  handle)
{
  const VtrLayerLiveMemory key = { .memory = handle }, *const wanted = &key;
  const VtrLayerLiveMemory **found;

  if (handle == VK_NULL_HANDLE)
    return NULL;
  found = bsearch (&wanted, self->memory, self->contents->world->n_memory, sizeof *self->memory,
                   compare_memory);
  return found != NULL ? *found : NULL;
}

/* Whether only the device writes to it. */
static bool
is_private (const VtrContents        *self,
            const VtrLayerLiveMemory *memory)
{
  return memory != NULL && !memory->imported && !memory->exported && memory->mapped == NULL &&
         (vtr_contents_memory_flags (self, memory) &
          (VK_MEMORY_PROPERTY_LAZILY_ALLOCATED_BIT | VK_MEMORY_PROPERTY_PROTECTED_BIT)) == 0;
}

/* Whether frames draw to it now: the next one will, too, and would wait for the copy in the middle
 * of its work, with queues that may not come to rest. */
static bool
is_drawn_to (const VtrLayerLiveImage *image)
{
  return (image->info.usage & ATTACHMENT_USAGE) != 0 && !vtr_layer_late_is_asked () &&
         image->used > vtr_layer_live_get_recent_order ();
}

/* Whether shaders find images through nothing but descriptor sets that the layer follows. */
static bool
knows_descriptors (const VtrContents *self)
{
  return !atomic_load (&self->device->live->gives_descriptors);
}

static bool
may_image_wait (const VtrContents       *self,
                const VtrLayerLiveImage *image)
{
  const VkImageUsageFlags allowed =
    IMAGE_USAGE | (knows_descriptors (self) ? VTR_LATE_IMAGE_STORAGE : 0);
  const VtrPixelFormat *format = vtr_vulkan_format_get (image->info.format);

  return image->info.tiling == VK_IMAGE_TILING_OPTIMAL && image->sparse == NULL &&
         !image->swapchain && image->size >= get_least (LEAST_IMAGE) && !is_drawn_to (image) &&
         ((image->info.usage | image->stencil_usage) & ~allowed) == 0 &&
         (image->info.flags & IMAGE_FLAGS) == 0 &&
         image->info.samples == VK_SAMPLE_COUNT_1_BIT && format != NULL &&
         !vtr_pixel_format_is_planar (format) && vtr_contents_can_copy (self, image);
}

/* @memory: that it is bound to, or NULL */
static bool
may_buffer_wait (const VtrContents        *self,
                 const VtrLayerLiveMemory *memory,
                 const VtrLayerLiveBuffer *buffer)
{
  uint64_t allowed = BUFFER_USAGE;

  /* Bytes that the CPU reads can be kept in a copy of the process instead, and then no submission
   * waits for them. */
  if (memory != NULL && !vtr_late_is_read_by_cpu (self, memory) && knows_descriptors (self))
    allowed |= VTR_LATE_BUFFER_STORAGE;
  return !buffer->sparse && buffer->size >= get_least (LEAST_BUFFER) &&
         (buffer->usage & ~allowed) == 0 &&
         vtr_contents_find_queue (self, buffer->owner, 0) != 0;
}

static void
add_place (Choice                   *self,
           const VtrLayerLiveMemory *memory,
           uint64_t                  offset,
           uint64_t                  size,
           bool                      may_wait,
           bool                     *late)
{
  *late = may_wait && is_private (self->contents, memory);
  if (memory != NULL)
    self->places[self->n++] =
      (Place){ memory, offset, size > UINT64_MAX - offset ? UINT64_MAX : offset + size, late };
}

static void
add_places (Choice *self)
{
  const VtrLayerLiveWorld *world = self->contents->world;

  for (size_t i = 0; i < world->n_buffers; i++)
    {
      VtrLayerLiveBuffer *buffer = &world->buffers[i];
      const VtrLayerLiveMemory *memory = find_memory (self, buffer->memory);

      add_place (self, memory, buffer->offset, buffer->size,
                 may_buffer_wait (self->contents, memory, buffer), &buffer->late);
    }
  for (size_t i = 0; i < world->n_images; i++)
    {
      VtrLayerLiveImage *image = &world->images[i];

      add_place (self, find_memory (self, image->memory), image->offset, image->size,
                 may_image_wait (self->contents, image), &image->late);
    }
}

static int
compare_places (const void *a,
                const void *b)
{
  const Place *left = a, *right = b;

  if (left->memory != right->memory)
    return left->memory < right->memory ? -1 : 1;
  return left->begin < right->begin ? -1 : left->begin > right->begin;
}

/* Resources that share bytes with others are copied at once. */
static void
leave_out_shared (Choice *self)
{
  const Place *last = NULL; /* the one that reaches farthest */

  if (self->n > 1)
    qsort (self->places, self->n, sizeof *self->places, compare_places);
  for (size_t i = 0; i < self->n; i++)
    {
      const Place *each = &self->places[i];

      if (last == NULL || last->memory != each->memory)
        {
          last = each;
          continue;
        }
      if (each->begin < last->end)
        *each->late = *last->late = false;
      if (each->end > last->end)
        last = each;
    }
}

/* Whether a resource may lie anywhere in memory: pages of sparse ones, planes of images. */
static bool
has_scattered (const VtrLayerLiveWorld *world)
{
  for (size_t i = 0; i < world->n_images; i++)
    if (world->images[i].memory == VK_NULL_HANDLE && !world->images[i].swapchain)
      return true;
  for (size_t i = 0; i < world->n_buffers; i++)
    if (world->buffers[i].sparse)
      return true;
  return false;
}

/* Bytes of what was chosen. */
static uint64_t
count_chosen (const Choice *self)
{
  uint64_t total = 0;

  for (size_t i = 0; i < self->n; i++)
    if (*self->places[i].late)
      total += self->places[i].end - self->places[i].begin;
  return total;
}

/* Whether shaders may have written to an image or buffer in the last frames. */
static bool
is_stored_to (const Choice *self,
              VtrHandleId   type,
              const void   *handle)
{
  const void *state =
    vtr_layer_live_state (self->contents->device->live, type, (uint64_t)(uintptr_t)handle);
  uint64_t reached = state == NULL                ? 0
                     : type == VTR_HANDLE_VkImage ? ((const VtrLayerImage *)state)->reached
                                                  : ((const VtrLayerBuffer *)state)->reached;

  return reached > vtr_layer_live_get_recent_order ();
}

/* Resources that shaders wrote to in the last frames are copied at once, like those that were drawn
 * to. */
static void
leave_out_stored (Choice *self)
{
  const VtrLayerLiveWorld *world = self->contents->world;

  if (vtr_layer_late_is_asked () || count_chosen (self) < vtr_layer_late_get_threshold ())
    return;
  vtr_layer_live_mark_reached (self->contents->device->live);
  for (size_t i = 0; i < world->n_buffers; i++)
    if (world->buffers[i].late && vtr_late_is_buffer_stored (&world->buffers[i]) &&
        is_stored_to (self, VTR_HANDLE_VkBuffer, world->buffers[i].buffer))
      world->buffers[i].late = false;
  for (size_t i = 0; i < world->n_images; i++)
    if (world->images[i].late && vtr_late_is_image_stored (&world->images[i]) &&
        is_stored_to (self, VTR_HANDLE_VkImage, world->images[i].image))
      world->images[i].late = false;
}

static void
leave_out_few (Choice *self)
{
  if (count_chosen (self) >= vtr_layer_late_get_threshold ())
    return;
  for (size_t i = 0; i < self->n; i++)
    *self->places[i].late = false;
}

void
vtr_contents_choose_late (VtrContents *self)
{
  const VtrLayerLiveWorld *world = self->world;
  Choice choice = { .contents = self };

  for (size_t i = 0; i < world->n_buffers; i++)
    world->buffers[i].late = false;
  for (size_t i = 0; i < world->n_images; i++)
    world->images[i].late = false;
  /* A program that is about to crash gets no time for later. */
  if ((vtr_layer_options & VTR_CAPTURE_OPTION_CRASH_MODE) != 0 || has_scattered (world))
    return;
  choice.memory = calloc (world->n_memory + 1, sizeof *choice.memory);
  choice.places = calloc (world->n_buffers + world->n_images + 1, sizeof *choice.places);
  if (choice.memory != NULL && choice.places != NULL)
    {
      for (size_t i = 0; i < world->n_memory; i++)
        choice.memory[i] = &world->memory[i];
      if (world->n_memory > 1)
        qsort (choice.memory, world->n_memory, sizeof *choice.memory, compare_memory);
      add_places (&choice);
      leave_out_shared (&choice);
      leave_out_stored (&choice);
      leave_out_few (&choice);
    }
  free (choice.memory);
  free (choice.places);
}
