/* Passes the living resources of a device to the files that read their contents. */
#include "vtr-layer-initial.h"

#include "vtr-layer-changes.h"
#include "vtr-layer-query-results.h"

#include <stdlib.h>
#include <string.h>

typedef struct
{
  VtrLayerDevice *device;
  VtrLayerLiveMemory *memory;
  VtrBuffer buffers; /* VtrLayerLiveBuffer */
  VtrLayerLiveImage *images;
  VtrLayerLiveStructure *structures;
  VtrLayerLiveQueue *queues;
  size_t n_memory, n_images, n_structures, n_queues;
  bool failed;
  VkQueueFamilyProperties *families;
  uint32_t *image_families; /* of each: VtrLayerLiveQueue.image_families */
  uint32_t n_families;
} Lists;

static void
add_memory (VtrLayerObject *object,
            void           *data)
{
  const VtrLayerDeviceMemory *state = object->state;
  VtrLayerLiveMemory *to;
  Lists *self = data;

  if (state == NULL)
    return;
  to = &self->memory[self->n_memory++];
  *to = (VtrLayerLiveMemory){
    .size = state->size,
    .type = state->type,
    .imported = state->imported,
    .exported = state->exported,
    .mapped = state->mapped,
    .map_offset = state->map_offset,
    .map_size = state->map_size,
  };
  memcpy (&to->memory, &object->handle, sizeof to->memory);
  if (state->host != NULL)
    {
      to->mapped = state->host;
      to->map_offset = 0;
      to->map_size = state->size;
    }
}

/* Whether a resource is bound to memory that is still there, not to an older one of the same
 * handle. */
bool
vtr_layer_initial_is_bound (const VtrLayerDevice *device,
                            const VtrLayerObject *object,
                            VkDeviceMemory        memory)
{
  const VtrLayerObject *place = vtr_layer_live_find (device->live, VTR_HANDLE_VkDeviceMemory,
                                                     (uint64_t)(uintptr_t)memory);

  if (place == NULL)
    return false;
  for (const VtrLayerRecord *each = vtr_layer_records_next (&object->records, NULL);
       each != NULL; each = vtr_layer_records_next (&object->records, each))
    if (each->order > place->order)
      return true;
  return false;
}

/* The bound parts of a sparse buffer. */
static void
add_pieces (Lists                    *self,
            const VtrLayerSparse     *sparse,
            const VtrLayerLiveBuffer *buffer)
{
  VtrBuffer ranges = { 0 }, tiles = { 0 };
  const VkSparseMemoryBind *binds;

  vtr_layer_sparse_list (sparse, vtr_layer_live_is_there, self->device->live, &ranges, &tiles);
  binds = (const void *)ranges.data;
  self->failed = self->failed || ranges.failed;
  for (size_t i = 0; i < ranges.size / sizeof *binds; i++)
    {
      VtrLayerLiveBuffer piece = *buffer;

      piece.sparse = true;
      piece.memory = binds[i].memory;
      piece.offset = binds[i].memoryOffset;
      piece.start = binds[i].resourceOffset;
      piece.size = binds[i].size;
      /* The last page may be larger than what is left. */
      if (piece.start < buffer->size && piece.size > buffer->size - piece.start)
        piece.size = buffer->size - piece.start;
      if (piece.start < buffer->size)
        vtr_buffer_append (&self->buffers, &piece, sizeof piece);
    }
  vtr_buffer_finish (&ranges);
}

static void
add_buffer (VtrLayerObject *object,
            void           *data)
{
  const VtrLayerBuffer *state = object->state;
  VtrLayerLiveBuffer to = { 0 };
  Lists *self = data;

  if (state == NULL)
    return;
  to.usage = state->usage;
  to.owner = state->owner;
  to.memory = state->memory;
  to.offset = state->offset;
  to.size = state->size;
  memcpy (&to.buffer, &object->handle, sizeof to.buffer);
  if (state->sparse != NULL)
    add_pieces (self, state->sparse, &to);
  else if (vtr_layer_initial_is_bound (self->device, object, state->memory))
    vtr_buffer_append (&self->buffers, &to, sizeof to);
}

static void
list_pages (Lists                *self,
            const VtrLayerSparse *sparse,
            VtrLayerLiveImage    *to)
{
  VtrBuffer ranges = { 0 }, tiles = { 0 };

  vtr_layer_sparse_list (sparse, vtr_layer_live_is_there, self->device->live, &ranges, &tiles);
  self->failed = self->failed || ranges.failed || tiles.failed;
  to->sparse = sparse;
  to->ranges = (const void *)ranges.data;
  to->n_ranges = ranges.size / sizeof *to->ranges;
  to->tiles = (const void *)tiles.data;
  to->n_tiles = tiles.size / sizeof *to->tiles;
}

static void
add_image (VtrLayerObject *object,
           void           *data)
{
  const VtrLayerImage *state = object->state;
  VkMemoryRequirements requirements = { 0 };
  VtrLayerLiveImage *to;
  Lists *self = data;

  if (state == NULL || !(state->swapchain || state->sparse != NULL ||
                         vtr_layer_initial_is_bound (self->device, object, state->memory)))
    return;
  to = &self->images[self->n_images++];
  *to = (VtrLayerLiveImage){
    .info = state->info,
    .stencil_usage = state->stencil_usage,
    .memory = state->disjoint || state->swapchain ? VK_NULL_HANDLE : state->memory,
    .offset = state->offset,
    .swapchain = state->swapchain,
    .acquired = state->acquired,
    .owner = state->owner,
    .used = state->used,
    .slices = state->slices,
    .n_layers = state->n_layers,
    .layouts = state->layouts,
    .n_aspects = state->n_aspects,
  };
  memcpy (&to->image, &object->handle, sizeof to->image);
  /* Facts that only the display knows are requested (on X11 in several round trips) only if they
   * matter. */
  if (state->swapchain && state->acquired)
    to->info.usage =
      vtr_layer_change_swapchain_usage (self->device, state->surface, state->info.usage);
  else if (!state->swapchain && !state->disjoint)
    self->device->next.GetImageMemoryRequirements (self->device->handle, to->image, &requirements);
  to->size = requirements.size;
  if (state->sparse != NULL)
    list_pages (self, state->sparse, to);
  to->usable = vtr_layer_live_is_usable (self->device->live, state);
}

#ifdef VK_KHR_maintenance9
static bool
list_image_families (Lists *self)
{
  const VtrInstanceDispatch *next = &self->device->instance->next;
  VkQueueFamilyProperties2 *families = calloc (self->n_families + 1, sizeof *families);
  VkQueueFamilyOwnershipTransferPropertiesKHR *transfers =
    calloc (self->n_families + 1, sizeof *transfers);
  const bool ok = families != NULL && transfers != NULL;
  uint32_t n = self->n_families;

  for (uint32_t i = 0; ok && i < n; i++)
    {
      transfers[i].sType = VK_STRUCTURE_TYPE_QUEUE_FAMILY_OWNERSHIP_TRANSFER_PROPERTIES_KHR;
      families[i].sType = VK_STRUCTURE_TYPE_QUEUE_FAMILY_PROPERTIES_2;
      families[i].pNext = &transfers[i];
    }
  if (ok && next->GetPhysicalDeviceQueueFamilyProperties2 != NULL)
    next->GetPhysicalDeviceQueueFamilyProperties2 (self->device->physical, &n, families);
  else if (ok && next->GetPhysicalDeviceQueueFamilyProperties2KHR != NULL)
    next->GetPhysicalDeviceQueueFamilyProperties2KHR (self->device->physical, &n, families);
  for (uint32_t i = 0; ok && i < n; i++)
    self->image_families[i] = transfers[i].optimalImageTransferToQueueFamilies;
  free (families);
  free (transfers);
  return ok;
}
#else
static bool
list_image_families (Lists *self)
{
  (void)self;
  return true;
}
#endif

static void
add_queue (VtrLayerObject *object,
           void           *data)
{
  const VtrLayerQueue *state = object->state;
  VtrLayerLiveQueue *to;
  Lists *self = data;

  if (state == NULL || state->family >= self->n_families)
    return;
  for (size_t i = 0; i < self->n_queues; i++)
    if (self->queues[i].family == state->family)
      return;
  to = &self->queues[self->n_queues++];
  to->queue = (VkQueue)(uintptr_t)object->handle;
  to->family = state->family;
  to->flags = self->families[state->family].queueFlags;
  to->image_families = self->image_families[state->family];
}

/* Without the feature maintenance9 only a transfer lets an exclusive image keep what it holds. */
static bool
list_families (Lists *self)
{
  const VtrInstanceDispatch *next = &self->device->instance->next;
  const VkPhysicalDevice physical = self->device->physical;

  next->GetPhysicalDeviceQueueFamilyProperties (physical, &self->n_families, NULL);
  self->families = calloc (self->n_families + 1, sizeof *self->families);
  self->image_families = calloc (self->n_families + 1, sizeof *self->image_families);
  if (self->families == NULL || self->image_families == NULL)
    return false;
  next->GetPhysicalDeviceQueueFamilyProperties (physical, &self->n_families, self->families);
  return !self->device->maintenance9 || list_image_families (self);
}

static bool
make_lists (Lists *self)
{
  const size_t *n = self->device->live->n_living;

  self->memory = calloc (n[VTR_HANDLE_VkDeviceMemory] + 1, sizeof *self->memory);
  self->images = calloc (n[VTR_HANDLE_VkImage] + 1, sizeof *self->images);
  self->structures =
    calloc (n[VTR_HANDLE_VkAccelerationStructureKHR] + 1, sizeof *self->structures);
  self->queues = calloc (n[VTR_HANDLE_VkQueue] + 1, sizeof *self->queues);
  if (self->memory == NULL || self->images == NULL || self->structures == NULL ||
      self->queues == NULL || !list_families (self))
    return false;
  vtr_layer_initial_for_each (self->device->live, VTR_HANDLE_VkDeviceMemory, add_memory, self);
  vtr_layer_initial_for_each (self->device->live, VTR_HANDLE_VkBuffer, add_buffer, self);
  vtr_layer_initial_for_each (self->device->live, VTR_HANDLE_VkImage, add_image, self);
  vtr_layer_initial_for_each (self->device->live, VTR_HANDLE_VkQueue, add_queue, self);
  self->n_structures = vtr_layer_initial_list_structures (self->device, self->structures);
  return !self->failed && !self->buffers.failed;
}

static int
compare_use (const void *a,
             const void *b)
{
  const VtrLayerLiveImage *left = a, *right = b;

  return (left->used > right->used) - (left->used < right->used);
}

/* Only the driver knows their contents, which may point anywhere: their bytes copied into other
 * buffers are no such structures. The layer does not follow them. */
static bool
has_built (const VtrLayerDevice *device)
{
  return device->live->n_living[VTR_HANDLE_VkAccelerationStructureNV] > 0 ||
         device->live->n_living[VTR_HANDLE_VkMicromapEXT] > 0;
}

void
vtr_layer_initial_write_contents (VtrLayerInitial *self,
                                  VtrLayerDevice  *device)
{
  Lists lists = { .device = device };
  VtrLayerQueryResults queries = { 0 };
  VtrLayerLiveWorld world;

  if (self->failed)
    return;
  if (has_built (device))
    vtr_layer_initial_fail (self, "The program has acceleration structures of "
                                  "VK_NV_ray_tracing or opacity micromaps, which only a recording "
                                  "from its launch can hold.");
  else if (!make_lists (&lists) ||
           !vtr_layer_query_results_start (&queries, device, lists.queues, lists.n_queues))
    vtr_layer_initial_fail (self, "The program has not enough memory left.");
  else
    {
      world = (VtrLayerLiveWorld){
        .memory = lists.memory,
        .n_memory = lists.n_memory,
        .buffers = (void *)lists.buffers.data,
        .n_buffers = lists.buffers.size / sizeof (VtrLayerLiveBuffer),
        .images = lists.images,
        .n_images = lists.n_images,
        .structures = lists.structures,
        .n_structures = lists.n_structures,
        .queues = lists.queues,
        .n_queues = lists.n_queues,
      };
      /* Images may share memory in turns: the memory holds the contents of the last one. */
      if (lists.n_images > 1)
        qsort (lists.images, lists.n_images, sizeof lists.images[0], compare_use);
      self->queries = &queries;
      vtr_layer_memory_begin (&device->memory);
      self->failed = !vtr_layer_contents_write (
        device, &world, vtr_layer_initial_write_before, self, self->why);
    }
  self->queries = NULL;
  vtr_layer_query_results_finish (&queries);
  free (lists.families);
  free (lists.image_families);
  free (lists.memory);
  vtr_buffer_finish (&lists.buffers);
  for (size_t i = 0; i < lists.n_images; i++)
    {
      free ((void *)lists.images[i].ranges);
      free ((void *)lists.images[i].tiles);
    }
  free (lists.images);
  free (lists.structures);
  free (lists.queues);
}
