/* Finds the resources that shaders may write to through the descriptors of submissions. */
#include "vtr-layer-live-sets-private.h"

#include "vtr-layer-reach.h"

#include "vulkan/vtr-vulkan-facts.h"

#define MOST (1u << 16) /* handles that are remembered of a frame */

void
vtr_layer_live_note_reach (VtrLayerWorld       *world,
                           const VtrLayerReach *reach)
{
  const uint32_t frame = vtr_layer_live_count_frames ();
  const uint32_t place = frame % VTR_LAYER_RECENT_FRAMES;

  if (world->recent[place].frame != frame)
    {
      vtr_layer_reach_clear (&world->recent[place].reach);
      world->recent[place].frame = frame;
    }
  if (world->recent[place].reach.n + reach->n <= MOST)
    vtr_layer_reach_append (&world->recent[place].reach, reach);
}

/* ---- Sets ---- */

static uint64_t
key (const void *handle)
{
  return (uint64_t)(uintptr_t)handle;
}

static uint64_t
get_handle (const VtrLayerSetElement *element,
            VtrHandleId               type)
{
  return type == VTR_HANDLE_VkImageView    ? key (element->image.imageView)
         : type == VTR_HANDLE_VkBufferView ? key (element->view)
                                           : key (element->buffer.buffer);
}

/* Only what was written to it after @since. */
static bool
visit_slot (const VtrLayerSetSlot *slot,
            uint64_t               since,
            VtrLayerReachVisit     visit,
            void                  *data)
{
  const bool any = slot->binding.type == VK_DESCRIPTOR_TYPE_MUTABLE_EXT;
  VtrHandleId type = vtr_descriptor_get_written (slot->binding.type);
  bool again = false;

  if (!any && type == VTR_VULKAN_N_HANDLES)
    return visit (data, type, 0);
  if (type == VTR_HANDLE_NONE || slot->elements == NULL)
    return false;
  for (uint32_t i = 0; i < slot->binding.count; i++)
    {
      const VtrLayerSetElement *element = &slot->elements[i];
      uint64_t handle;

      if (element->order <= since)
        continue;
      type = vtr_descriptor_get_written (element->type);
      if (type == VTR_HANDLE_NONE)
        continue;
      handle = type < VTR_VULKAN_N_HANDLES ? get_handle (element, type) : 0;
      if (type == VTR_VULKAN_N_HANDLES || handle != 0)
        again |= visit (data, type, handle);
    }
  return again;
}

static bool
visit_set (VtrLayerSet        *self,
           uint64_t            looker,
           VtrLayerReachVisit  visit,
           void               *data)
{
  uint64_t since = self->looker == looker ? self->looked : 0;
  bool again = false;

  if (self->order <= since)
    return false;
  for (uint32_t i = 0; i < self->n; i++)
    again |= visit_slot (&self->slots[i], since, visit, data);
  if (!again)
    {
      self->looker = looker;
      self->looked = self->order;
    }
  return again;
}

bool
vtr_layer_live_visit_reached (VtrLayerWorld         *world,
                              const VtrLayerReached *reached,
                              uint64_t               looker,
                              VtrLayerReachVisit     visit,
                              void                  *data)
{
  void *set;

  if (reached->type != VTR_HANDLE_VkDescriptorSet)
    return visit (data, reached->type, reached->handle);
  set = vtr_layer_live_state (world, VTR_HANDLE_VkDescriptorSet, reached->handle);
  return set != NULL ? visit_set (set, looker, visit, data)
                     : visit (data, VTR_VULKAN_N_HANDLES, 0);
}

/* ---- At the cut ---- */

typedef struct
{
  VtrLayerWorld *world;
  uint64_t order;
} Marker;

static bool
mark (void        *data,
      VtrHandleId  type,
      uint64_t     handle)
{
  const Marker *self = data;

  if (type == VTR_HANDLE_VkImageView)
    {
      const VtrLayerImageView *view = vtr_layer_live_state (self->world, type, handle);
      VtrLayerImage *image =
        view != NULL ? vtr_layer_live_state (self->world, VTR_HANDLE_VkImage, view->image) : NULL;

      if (image != NULL)
        image->reached = self->order;
      return false;
    }
  if (type == VTR_HANDLE_VkBufferView)
    {
      const VtrLayerBufferView *view = vtr_layer_live_state (self->world, type, handle);

      handle = view != NULL ? view->buffer : 0;
    }
  if (type == VTR_HANDLE_VkBufferView || type == VTR_HANDLE_VkBuffer)
    {
      VtrLayerBuffer *buffer = vtr_layer_live_state (self->world, VTR_HANDLE_VkBuffer, handle);

      if (buffer != NULL)
        buffer->reached = self->order;
    }
  return false;
}

void
vtr_layer_live_mark_reached (VtrLayerWorld *world)
{
  const uint32_t frame = vtr_layer_live_count_frames ();
  Marker marker = { world, vtr_layer_live_next_order () };

  for (uint32_t i = 0; i < VTR_LAYER_RECENT_FRAMES; i++)
    if (frame - world->recent[i].frame < VTR_LAYER_RECENT_FRAMES)
      for (size_t j = 0; j < world->recent[i].reach.n; j++)
        vtr_layer_live_visit_reached (world, &world->recent[i].reach.items[j], marker.order, mark,
                                      &marker);
}
