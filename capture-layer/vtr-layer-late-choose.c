/* Which resources can be copied after the cut: those that only commands which name them write to.
 *
 * Shaders write to what descriptors and addresses lead to, the CPU to mapped memory, others to
 * shared memory, and resources in the same bytes to each other: none of that is named by the
 * command. What remains are mostly textures, render targets and static buffers, which is most of
 * what large programs have. */
#include "vtr-layer-contents-private.h"

#include "vtr-layer-late.h"
#include "vtr-layer-live.h"

#include "vtr-format-table.h"

#include <stdlib.h>

/* Below this many bytes a resource is copied at once: it costs no more than keeping it in mind. */
#define LEAST (64u * 1024u)

/* As what a resource may be used if only transfers and passes can write to it. Any other usage, a
 * future one too, may mean writes. */
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

/* Of images: whoever makes two for the same bytes need not say so, but may. */
#define IMAGE_FLAGS \
  (VK_IMAGE_CREATE_SPARSE_BINDING_BIT | VK_IMAGE_CREATE_ALIAS_BIT | VK_IMAGE_CREATE_DISJOINT_BIT | \
   VK_IMAGE_CREATE_PROTECTED_BIT)

static uint64_t
get_least (void)
{
  uint64_t threshold = vtr_layer_late_get_threshold ();

  return threshold < LEAST ? threshold : LEAST;
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
  const VtrLayerLiveMemory **found = bsearch (&wanted, self->memory,
                                              self->contents->world->n_memory,
                                              sizeof *self->memory, compare_memory);

  return found != NULL ? *found : NULL;
}

/* Whether nobody but the device writes to it. */
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

static bool
may_image_wait (const VtrContents       *self,
                const VtrLayerLiveImage *image)
{
  const VtrFormatInfo *format = vtr_format_info (image->info.format);

  return image->info.tiling == VK_IMAGE_TILING_OPTIMAL && image->sparse == NULL &&
         !image->swapchain && image->size >= get_least () && !is_drawn_to (image) &&
         ((image->info.usage | image->stencil_usage) & ~IMAGE_USAGE) == 0 &&
         (image->info.flags & IMAGE_FLAGS) == 0 &&
         image->info.samples == VK_SAMPLE_COUNT_1_BIT && format != NULL &&
         format->n_planes == 0 && vtr_contents_can_copy (self, image);
}

static bool
may_buffer_wait (const VtrContents        *self,
                 const VtrLayerLiveBuffer *buffer)
{
  return !buffer->sparse && buffer->size >= get_least () &&
         (buffer->usage & ~(uint64_t)BUFFER_USAGE) == 0 &&
         vtr_contents_find_queue (self, buffer->owner, 0) != 0;
}

static void
add_place (Choice         *self,
           VkDeviceMemory  memory,
           uint64_t        offset,
           uint64_t        size,
           bool            may_wait,
           bool           *late)
{
  const VtrLayerLiveMemory *found =
    memory != VK_NULL_HANDLE ? find_memory (self, memory) : NULL;

  *late = may_wait && is_private (self->contents, found);
  if (found != NULL)
    self->places[self->n++] =
      (Place){ found, offset, size > UINT64_MAX - offset ? UINT64_MAX : offset + size, late };
}

static void
add_places (Choice *self)
{
  const VtrLayerLiveWorld *world = self->contents->world;

  for (size_t i = 0; i < world->n_buffers; i++)
    {
      VtrLayerLiveBuffer *buffer = &world->buffers[i];

      add_place (self, buffer->memory, buffer->offset, buffer->size,
                 may_buffer_wait (self->contents, buffer), &buffer->late);
    }
  for (size_t i = 0; i < world->n_images; i++)
    {
      VtrLayerLiveImage *image = &world->images[i];

      add_place (self, image->memory, image->offset, image->size,
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

/* What shares bytes with another is copied at once. */
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

static void
leave_out_few (Choice *self)
{
  uint64_t total = 0;

  for (size_t i = 0; i < self->n; i++)
    if (*self->places[i].late)
      total += self->places[i].end - self->places[i].begin;
  if (total >= vtr_layer_late_get_threshold ())
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
      leave_out_few (&choice);
    }
  free (choice.memory);
  free (choice.places);
}
