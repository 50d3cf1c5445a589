/* Results of queries that ended before a recording begins. A command cannot bring them back, so
 * they are told: a replay puts them where they are copied to. */
#include "vtr-layer-initial.h"

#include <stdlib.h>
#include <string.h>

bool
vtr_layer_query_is_plain (VkQueryType type)
{
  switch (type)
    {
    case VK_QUERY_TYPE_OCCLUSION:
    case VK_QUERY_TYPE_PIPELINE_STATISTICS:
    case VK_QUERY_TYPE_TIMESTAMP:
    case VK_QUERY_TYPE_TRANSFORM_FEEDBACK_STREAM_EXT:
    case VK_QUERY_TYPE_PRIMITIVES_GENERATED_EXT:
      return true;
    default:
      return false;
    }
}

typedef struct
{
  VtrLayerInitial *initial;
  VtrLayerDevice *device;
} Writer;

/* Whether the last of each query's words, which says whether it is available, is set anywhere. */
static bool
is_any_available (const VtrLayerQueryPool *pool,
                  const char              *data,
                  size_t                   width)
{
  static const char none[sizeof (uint64_t)];

  for (uint32_t i = 0; i < pool->n; i++)
    if (memcmp (data + ((i + 1) * ((size_t)pool->n_values + 1) - 1) * width, none, width) != 0)
      return true;
  return false;
}

/* @width: bytes of a number. Drivers do not agree on what a number that is too large becomes. */
static void
write_results (Writer                  *self,
               const VtrLayerQueryPool *pool,
               VkQueryPool              handle,
               size_t                   width)
{
  size_t stride = ((size_t)pool->n_values + 1) * width;
  char *data = calloc (pool->n, stride);
  const VtrArgs_vkGetQueryPoolResults args = {
    .device = self->device->handle,
    .queryPool = handle,
    .queryCount = pool->n,
    .dataSize = pool->n * stride,
    .pData = data,
    .stride = stride,
    .flags = VK_QUERY_RESULT_WITH_AVAILABILITY_BIT |
             (width == sizeof (uint64_t) ? VK_QUERY_RESULT_64_BIT : 0),
  };
  VkResult result;

  if (data == NULL)
    {
      vtr_layer_initial_fail (self->initial, "The program has not enough memory left.");
      return;
    }
  result = self->device->next.GetQueryPoolResults (self->device->handle, handle, 0, pool->n,
                                                   args.dataSize, data, stride, args.flags);
  if (result >= 0 && is_any_available (pool, data, width))
    vtr_layer_initial_call (self->initial, self->device, VTR_CMD_vkGetQueryPoolResults, &args,
                            result);
  free (data);
}

static void
write_pool (VtrLayerObject *object,
            void           *data)
{
  const VtrLayerQueryPool *pool = object->state;
  VkQueryPool handle;

  if (pool == NULL || !pool->reset || !vtr_layer_query_is_plain (pool->type))
    return;
  memcpy (&handle, &object->handle, sizeof handle);
  write_results (data, pool, handle, sizeof (uint64_t));
  write_results (data, pool, handle, sizeof (uint32_t));
}

void
vtr_layer_initial_write_query_results (VtrLayerInitial *self,
                                       VtrLayerDevice  *device)
{
  Writer writer = { self, device };

  vtr_layer_initial_for_each (device->live, VTR_HANDLE_VkQueryPool, write_pool, &writer);
}
