/* Records the results of queries that ended before a recording begins. No command can restore them,
 * so a replay writes them to the places to which the program copies them. */
#include "vtr-layer-initial.h"

#include "vtr-layer-query-results.h"

/* @width: bytes of a number. Drivers do not agree on what a number that is too large becomes. */
static void
write_results (VtrLayerInitial          *self,
               VtrLayerDevice           *device,
               const VtrLayerQueryPlace *place,
               const uint8_t            *bytes,
               size_t                    width)
{
  const uint32_t n = place->pool->n;
  uint64_t stride = vtr_layer_query_stride (place->pool, width);
  uint64_t at = width == sizeof (uint64_t) ? place->wide : place->narrow;
  uint32_t n_available = 0;
  const VtrArgs_vkGetQueryPoolResults args = {
    .device = device->handle,
    .queryPool = place->handle,
    .queryCount = n,
    .dataSize = (size_t)(n * stride),
    .pData = (void *)(uintptr_t)(bytes + at),
    .stride = stride,
    .flags = vtr_layer_query_flags (width),
  };

  for (uint32_t i = 0; i < n; i++)
    n_available += vtr_layer_query_is_available (place, bytes, i);
  if (n_available > 0)
    vtr_layer_initial_call (self, device, VTR_CMD_vkGetQueryPoolResults, &args,
                            n_available == n ? VK_SUCCESS : VK_NOT_READY);
}

void
vtr_layer_initial_write_query_results (VtrLayerInitial *self,
                                       VtrLayerDevice  *device)
{
  const uint8_t *bytes = vtr_layer_query_results_wait (self->queries);
  const VtrLayerQueryPlace *places = (const void *)self->queries->places.data;

  for (size_t i = 0; bytes != NULL && i < self->queries->places.size / sizeof *places; i++)
    {
      write_results (self, device, &places[i], bytes, sizeof (uint64_t));
      write_results (self, device, &places[i], bytes, sizeof (uint32_t));
    }
}
