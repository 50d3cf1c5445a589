/* Writes the states of Vulkan's objects as JSON. */
#include "engine/vulkan/state/vtr-state-json.h"
#include "engine/vulkan/state/vtr-vulkan-view.h"

#include "engine/vulkan/state/vtr-state-uses.h"

#include "api/vtr-api-args.h"
#include "api/vtr-api-print.h"

#include <string.h>

void
vtr_state_json_set_command (VtrStateView *view,
                            JsonObject   *object,
                            const char   *name,
                            guint64       command)
{
  VtrTrace *trace = vtr_analysis_get_trace (vtr_state_view_get_analysis (view));

  json_object_set_member (object, name,
                          vtr_json_command (trace, command != 0 ? command : VTR_COMMAND_NO_INDEX));
}

void
vtr_state_json_set_enum (JsonObject *object,
                         const char *name,
                         VtrEnumId   id,
                         gint64      value)
{
  g_autofree char *text = vtr_json_enum (id, value);

  json_object_set_string_member (object, name, text);
}

void
vtr_state_json_set_flags (JsonObject *object,
                          const char *name,
                          VtrEnumId   id,
                          guint64     bits)
{
  VtrBuffer text = { 0 };

  vtr_api_append_enum (&text, id, true, bits);
  vtr_buffer_append_u8 (&text, 0);
  json_object_set_string_member (object, name, text.failed ? "" : (const char *)text.data);
  vtr_buffer_finish (&text);
}

static void
set_size (JsonObject *object,
          const char *name,
          guint64     size)
{
  if (size == VK_WHOLE_SIZE)
    json_object_set_string_member (object, name, "VK_WHOLE_SIZE");
  else
    json_object_set_int_member (object, name, (gint64)size);
}

static void
set_family (JsonObject *object,
            guint32     family)
{
  if (family == VK_QUEUE_FAMILY_IGNORED)
    json_object_set_null_member (object, "queueFamily");
  else if (family == VK_QUEUE_FAMILY_EXTERNAL)
    json_object_set_string_member (object, "queueFamily", "VK_QUEUE_FAMILY_EXTERNAL");
  else if (family == VK_QUEUE_FAMILY_FOREIGN_EXT)
    json_object_set_string_member (object, "queueFamily", "VK_QUEUE_FAMILY_FOREIGN_EXT");
  else
    json_object_set_int_member (object, "queueFamily", family);
}

static void
set_bound (VtrStateView         *view,
           JsonObject           *object,
           const VtrBoundMemory *bound)
{
  vtr_state_view_set_reference (view, object, "memory", bound->memory);
  if (bound->memory == 0)
    return;
  json_object_set_int_member (object, "memoryOffset", (gint64)bound->offset);
  vtr_state_json_set_command (view, object, "boundBy", bound->command);
}

static void
set_sparse (VtrStateView *view,
            JsonObject   *object,
            GArray       *binds)
{
  JsonArray *array;

  if (binds == NULL || binds->len == 0)
    return;
  array = json_array_new ();
  for (guint i = 0; i < binds->len; i++)
    {
      const VtrSparseBind *bind = &g_array_index (binds, VtrSparseBind, i);
      JsonObject *entry = json_object_new ();

      if (bind->block)
        {
          json_object_set_member (
            entry, "subresource",
            vtr_json_struct (VTR_STRUCT_VkImageSubresource, &bind->subresource));
          json_object_set_member (entry, "offset",
                                  vtr_json_struct (VTR_STRUCT_VkOffset3D, &bind->place));
          json_object_set_member (entry, "extent",
                                  vtr_json_struct (VTR_STRUCT_VkExtent3D, &bind->extent));
        }
      else
        {
          json_object_set_int_member (entry, "offset", (gint64)bind->offset);
          json_object_set_int_member (entry, "size", (gint64)bind->size);
        }
      vtr_state_view_set_reference (view, entry, "memory", bind->memory);
      json_object_set_int_member (entry, "memoryOffset", (gint64)bind->memory_offset);
      vtr_state_json_set_command (view, entry, "boundBy", bind->command);
      json_array_add_object_element (array, entry);
    }
  json_object_set_member (object, "sparse", vtr_json_take_array (array));
}

/* --- Images --- */

typedef struct
{
  VtrStateView *view;
  const VtrStateImage *image;
  JsonArray *out;
  guint32 aspect; /* position */
  VkImageAspectFlagBits bit;
} VtrLayoutWriter;

static gboolean
same_subresource (const VtrSubresource *a,
                  const VtrSubresource *b)
{
  return a->layout == b->layout && a->family == b->family && a->command == b->command;
}

static gboolean
same_rows (const VtrLayoutWriter *self,
           guint32                a,
           guint32                b)
{
  for (guint32 mip = 0; mip < self->image->mips; mip++)
    if (!same_subresource (vtr_state_image_peek (self->image, self->aspect, mip, a),
                           vtr_state_image_peek (self->image, self->aspect, mip, b)))
      return FALSE;
  return TRUE;
}

/* Layers [first, end) are alike: their runs of mips. */
static void
write_rows (const VtrLayoutWriter *self,
            guint32                first,
            guint32                end)
{
  guint32 start = 0;

  for (guint32 mip = 1; mip <= self->image->mips; mip++)
    {
      const VtrSubresource *at =
        vtr_state_image_peek (self->image, self->aspect, start, first);
      guint32 n_layers = self->image->layers;
      JsonObject *entry;

      if (mip < self->image->mips &&
          same_subresource (at, vtr_state_image_peek (self->image, self->aspect, mip, first)))
        continue;
      /* Smaller levels of a 3D image have fewer slices. */
      if (self->image->slices)
        n_layers = MAX (1, n_layers >> MIN (start, 31));
      if (first >= n_layers)
        {
          start = mip;
          continue;
        }
      entry = json_object_new ();
      vtr_state_json_set_flags (entry, "aspect", VTR_ENUM_VkImageAspectFlagBits, self->bit);
      json_object_set_int_member (entry, "baseMipLevel", start);
      json_object_set_int_member (entry, "levelCount", mip - start);
      json_object_set_int_member (entry, "baseArrayLayer", first);
      json_object_set_int_member (entry, "layerCount", MIN (end, n_layers) - first);
      vtr_state_json_set_enum (entry, "layout", VTR_ENUM_VkImageLayout, at->layout);
      set_family (entry, at->family);
      vtr_state_json_set_command (self->view, entry, "changedBy", at->command);
      json_array_add_object_element (self->out, entry);
      start = mip;
    }
}

static JsonNode *
make_layouts (VtrStateView        *view,
              guint32              id,
              const VtrStateImage *image)
{
  VtrApiState *state = vtr_state_view_get_state (view);
  const VtrImageFact *fact = vtr_state_facts_get_image (vtr_vulkan_facts (state->shared), id);
  VtrLayoutWriter writer = { view, image, json_array_new (), 0, VK_IMAGE_ASPECT_COLOR_BIT };
  VkImageAspectFlags bits = fact != NULL ? fact->aspects : VK_IMAGE_ASPECT_COLOR_BIT;

  for (; bits != 0 && writer.aspect < image->n_aspects; bits &= bits - 1, writer.aspect++)
    {
      guint32 start = 0;

      writer.bit = bits & -bits;
      for (guint32 layer = 1; layer <= image->layers; layer++)
        if (layer == image->layers || (!image->uniform && !same_rows (&writer, start, layer)))
          {
            write_rows (&writer, start, layer);
            start = layer;
          }
    }
  return vtr_json_take_array (writer.out);
}

static void
add_image (VtrStateView        *view,
           const VtrObject     *of,
           const VtrStateImage *image,
           JsonObject          *object)
{
  VtrApiState *state = vtr_state_view_get_state (view);
  const VtrImageFact *fact = vtr_state_facts_get_image (vtr_vulkan_facts (state->shared), of->id);
  JsonArray *planes;

  if (fact != NULL)
    {
      json_object_set_boolean_member (object, "swapchain", fact->info.swapchain);
      vtr_state_json_set_enum (object, "format", VTR_ENUM_VkFormat, fact->info.format);
      json_object_set_member (object, "extent",
                              vtr_json_struct (VTR_STRUCT_VkExtent3D, &fact->info.extent));
    }
  if (fact == NULL || !fact->disjoint)
    set_bound (view, object, &image->bound[0]);
  else
    {
      planes = json_array_new ();
      for (guint i = 0; i < MIN (fact->n_aspects, VTR_MAX_PLANES); i++)
        {
          JsonObject *plane = json_object_new ();

          set_bound (view, plane, &image->bound[i]);
          json_array_add_object_element (planes, plane);
        }
      json_object_set_member (object, "planes", vtr_json_take_array (planes));
    }
  set_sparse (view, object, image->sparse);
  if (image->subresources != NULL)
    json_object_set_member (object, "layouts", make_layouts (view, of->id, image));
}

/* --- Others --- */

static void
add_buffer (VtrStateView         *view,
            const VtrStateBuffer *buffer,
            JsonObject           *object)
{
  set_bound (view, object, &buffer->bound);
  set_family (object, buffer->family);
  set_sparse (view, object, buffer->sparse);
}

static void
add_memory (VtrStateView         *view,
            const VtrObject      *of,
            const VtrStateMemory *memory,
            JsonObject           *object)
{
  const GArray *bound = vtr_state_view_get_bound (view, of->id);
  JsonArray *array = json_array_new ();

  json_object_set_boolean_member (object, "mapped", memory->mapped);
  if (memory->mapped)
    {
      json_object_set_int_member (object, "mapOffset", (gint64)memory->offset);
      set_size (object, "mapSize", memory->size);
      vtr_json_set_hex (object, "mapAddress", memory->address);
      vtr_state_json_set_command (view, object, "mappedBy", memory->mapped_by);
    }
  for (guint i = 0; bound != NULL && i < bound->len; i++)
    json_array_add_element (array,
                            vtr_state_view_reference (view, g_array_index (bound, guint32, i)));
  json_object_set_member (object, "bound", vtr_json_take_array (array));
}

static void
add_fence (VtrStateView        *view,
           const VtrStateFence *fence,
           JsonObject          *object)
{
  static const char *const names[] = { "unsignaled", "pending", "signaled" };

  json_object_set_string_member (object, "status", names[fence->status]);
  vtr_state_view_set_reference (view, object, "queue", fence->queue);
  vtr_state_json_set_command (view, object, "signaledBy", fence->command);
}

static void
add_semaphore (VtrStateView            *view,
               const VtrStateSemaphore *semaphore,
               JsonObject              *object)
{
  json_object_set_string_member (object, "kind", semaphore->timeline ? "timeline" : "binary");
  if (semaphore->timeline)
    {
      json_object_set_int_member (object, "value", (gint64)semaphore->value);
      json_object_set_int_member (object, "queuedValue", (gint64)semaphore->queued);
    }
  else
    json_object_set_string_member (object, "status",
                                   semaphore->signaled ? "signaled" : "unsignaled");
  vtr_state_json_set_command (view, object, "signaledBy", semaphore->signaled_by);
  vtr_state_json_set_command (view, object, "waitedBy", semaphore->waited_by);
  if (semaphore->imported)
    json_object_set_boolean_member (object, "shared", TRUE);
}

static void
add_event (const VtrStateEvent *event,
           JsonObject          *object)
{
  json_object_set_string_member (object, "status", event->set ? "set" : "reset");
  json_object_set_boolean_member (object, "byHost", event->by_host);
  if (event->stages != 0)
    vtr_state_json_set_flags (object, "stages", VTR_ENUM_VkPipelineStageFlagBits2, event->stages);
}

static void
add_query_pool (VtrStateView            *view,
                const VtrStateQueryPool *pool,
                JsonObject              *object)
{
  static const char *const names[] = { "uninitialised", "reset", "active", "ended", "written" };
  JsonArray *array = json_array_new ();

  vtr_state_json_set_enum (object, "queryType", VTR_ENUM_VkQueryType, pool->query_type);
  json_object_set_int_member (object, "queryCount", pool->n);
  for (guint32 start = 0, i = 1; start < pool->n; i++)
    {
      JsonObject *entry;

      if (i < pool->n && pool->queries[i].status == pool->queries[start].status &&
          pool->queries[i].command == pool->queries[start].command)
        continue;
      entry = json_object_new ();
      json_object_set_int_member (entry, "first", start);
      json_object_set_int_member (entry, "count", i - start);
      json_object_set_string_member (entry, "status", names[pool->queries[start].status]);
      vtr_state_json_set_command (view, entry, "changedBy", pool->queries[start].command);
      json_array_add_object_element (array, entry);
      start = i;
    }
  json_object_set_member (object, "queries", vtr_json_take_array (array));
}

static void
set_position (JsonObject *object,
              const char *name,
              guint32     position)
{
  if (position == G_MAXUINT32)
    json_object_set_null_member (object, name);
  else
    json_object_set_int_member (object, name, position);
}

static void
add_swapchain (VtrStateView            *view,
               const VtrStateSwapchain *swapchain,
               JsonObject              *object)
{
  static const char *const names[] = { "idle", "acquired", "presented" };
  JsonArray *array = json_array_new ();

  for (guint32 i = 0; i < swapchain->n; i++)
    {
      JsonObject *entry = json_object_new ();

      vtr_state_view_set_reference (view, entry, "image", swapchain->images[i].image);
      json_object_set_string_member (entry, "status", names[swapchain->images[i].status]);
      vtr_state_json_set_command (view, entry, "changedBy", swapchain->images[i].command);
      json_array_add_object_element (array, entry);
    }
  json_object_set_member (object, "images", vtr_json_take_array (array));
  set_position (object, "lastAcquired", swapchain->last_acquired);
  set_position (object, "lastPresented", swapchain->last_presented);
  vtr_state_view_set_reference (view, object, "replacedBy", swapchain->retired_by);
}

static void
add_command_buffer (VtrStateView                *view,
                    const VtrStateCommandBuffer *buffer,
                    JsonObject                  *object)
{
  static const char *const names[] = { "initial", "recording", "executable", "pending",
                                       "invalid" };
  VtrApiState *state = vtr_state_view_get_state (view);
  VtrTimeline *timeline = vtr_api_state_get_timeline (state);
  VtrInvalidation invalidation;

  json_object_set_string_member (object, "status", names[buffer->status]);
  if (buffer->recording == VTR_NO_RECORDING)
    return;
  if (buffer->status == VTR_BUFFER_EXECUTABLE &&
      vtr_api_state_find_invalidation (state, buffer, &invalidation))
    {
      json_object_set_string_member (object, "status", names[VTR_BUFFER_INVALID]);
      vtr_state_view_set_reference (view, object, "invalidObject", invalidation.object);
      vtr_state_json_set_command (view, object, "invalidatedBy", invalidation.command);
    }
  vtr_state_json_set_flags (object, "usage", VTR_ENUM_VkCommandBufferUsageFlagBits,
                            buffer->usage);
  vtr_state_json_set_command (
    view, object, "beginCommand",
    vtr_timeline_get_recording (timeline, buffer->recording)->first);
  vtr_state_json_set_command (view, object, "endCommand", buffer->ended);
  vtr_state_json_set_command (view, object, "submittedBy", buffer->submit);
  vtr_state_view_set_reference (view, object, "queue", buffer->queue);
}

static void
add_queue (VtrStateView        *view,
           const VtrStateQueue *queue,
           JsonObject          *object)
{
  JsonArray *array = json_array_new ();

  json_object_set_int_member (object, "queueFamily", queue->family);
  json_object_set_int_member (object, "queueIndex", queue->index);
  json_object_set_int_member (object, "submissions", queue->n_submissions);
  json_object_set_int_member (object, "presents", queue->n_presents);
  vtr_state_json_set_command (view, object, "lastSubmissionCommand", queue->last_submission);
  vtr_state_json_set_command (view, object, "lastPresentCommand", queue->last_present);
  vtr_state_json_set_command (view, object, "lastSparseBindCommand", queue->last_sparse);
  for (guint i = 0; queue->pending != NULL && i < queue->pending->len; i++)
    {
      const VtrPendingObject *pending = &g_array_index (queue->pending, VtrPendingObject, i);
      JsonObject *entry = json_object_new ();

      vtr_state_view_set_reference (view, entry, "object", pending->object);
      vtr_state_json_set_command (view, entry, "submittedBy", pending->submit);
      json_array_add_object_element (array, entry);
    }
  json_object_set_member (object, "pending", vtr_json_take_array (array));
}

static void
add_other (VtrStateView        *view,
           const VtrStateOther *other,
           JsonObject          *object)
{
  JsonArray *array;

  if (other->setters == NULL)
    return;
  array = json_array_new ();
  for (guint i = 0; i < other->setters->len; i++)
    {
      const VtrStateSetter *setter = &g_array_index (other->setters, VtrStateSetter, i);
      JsonObject *entry = json_object_new ();

      json_object_set_string_member (entry, "name", vtr_command_name ((VtrCmdId)setter->id));
      vtr_state_json_set_command (view, entry, "setBy", setter->command);
      json_array_add_object_element (array, entry);
    }
  json_object_set_member (object, "set", vtr_json_take_array (array));
}

void
vtr_state_json_add (VtrStateView         *view,
                    const VtrObject      *of,
                    const VtrStateRecord *record,
                    JsonObject           *object)
{
  gconstpointer state = record;

  switch (of->type)
    {
    case VTR_HANDLE_VkImage:
      add_image (view, of, state, object);
      break;
    case VTR_HANDLE_VkBuffer:
      add_buffer (view, state, object);
      break;
    case VTR_HANDLE_VkDeviceMemory:
      add_memory (view, of, state, object);
      break;
    case VTR_HANDLE_VkDescriptorSet:
      vtr_state_json_add_set (view, state, object);
      break;
#ifdef VK_EXT_device_generated_commands
    case VTR_HANDLE_VkIndirectExecutionSetEXT:
      vtr_state_json_add_execution_set (view, state, object);
      break;
#endif
    case VTR_HANDLE_VkFence:
      add_fence (view, state, object);
      break;
    case VTR_HANDLE_VkSemaphore:
      add_semaphore (view, state, object);
      break;
    case VTR_HANDLE_VkEvent:
      add_event (state, object);
      break;
    case VTR_HANDLE_VkQueryPool:
      add_query_pool (view, state, object);
      break;
    case VTR_HANDLE_VkSwapchainKHR:
      add_swapchain (view, state, object);
      break;
    case VTR_HANDLE_VkCommandBuffer:
      add_command_buffer (view, state, object);
      break;
    case VTR_HANDLE_VkQueue:
      add_queue (view, state, object);
      break;
    case VTR_HANDLE_VkAccelerationStructureKHR:
    case VTR_HANDLE_VkAccelerationStructureNV:
    case VTR_HANDLE_VkMicromapEXT:
      vtr_state_json_set_command (view, object, "builtBy",
                                  ((const VtrStateBuilt *)state)->built_by);
      break;
    default:
      add_other (view, state, object);
      break;
    }
}
