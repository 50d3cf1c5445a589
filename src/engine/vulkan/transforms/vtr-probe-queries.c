/* Creates and reads the query pools of a measurement. */
#include "engine/vulkan/transforms/vtr-probe.h"

#include "vtr-config.h"

#include <string.h>

#include "vtr-api-args.h"

/* A query's id is the number of its pool and its place in it. */
#define PLACE_BITS 16
#define POOL_MAX (1u << PLACE_BITS)
#define POOL_MIN 256u

/* Posts: a pool by its number, or the clock. */
#define CLOCK_POST (G_GUINT64_CONSTANT (1) << 32)

typedef struct
{
  VtrProbeQuery kind;
  guint64 device;
  VkQueryPool pool;
  guint32 size, used;
  gboolean read;
} Pool;

#define HANDLE(type, value) ((type)(gsize)(value))

static const struct
{
  VkQueryType type;
  VkQueryPipelineStatisticFlags statistics;
  guint n_values;
} kinds[VTR_PROBE_N_QUERIES] = {
  [VTR_PROBE_QUERY_TIME] = { VK_QUERY_TYPE_TIMESTAMP, 0, 1 },
  [VTR_PROBE_QUERY_GRAPHICS] = { VK_QUERY_TYPE_PIPELINE_STATISTICS,
                                 (1u << VTR_PROBE_N_STATISTICS) - 1, VTR_PROBE_N_STATISTICS },
  [VTR_PROBE_QUERY_COMPUTE] = { VK_QUERY_TYPE_PIPELINE_STATISTICS,
                                VK_QUERY_PIPELINE_STATISTIC_COMPUTE_SHADER_INVOCATIONS_BIT, 1 },
  [VTR_PROBE_QUERY_OCCLUSION] = { VK_QUERY_TYPE_OCCLUSION, 0, 1 },
};

static void
clear_result (gpointer data)
{
  g_clear_pointer ((GBytes **)data, g_bytes_unref);
}

VtrProbe *
vtr_probe_new (void)
{
  VtrProbe *self = g_new0 (VtrProbe, 1);

  self->rows = g_array_new (FALSE, TRUE, sizeof (VtrProbeRow));
  self->pools = g_array_new (FALSE, TRUE, sizeof (Pool));
  self->results = g_array_new (FALSE, TRUE, sizeof (GBytes *));
  g_array_set_clear_func (self->results, clear_result);
  self->clock[0] = self->clock[1] = -1;
  return self;
}

void
vtr_probe_free (VtrProbe *self)
{
  if (self == NULL)
    return;
  g_array_unref (self->rows);
  g_array_unref (self->pools);
  g_array_unref (self->results);
  g_free (self);
}

void
vtr_probe_expect (VtrProbe      *self,
                  VtrProbeQuery  kind,
                  guint32        n)
{
  self->expected[kind] += MIN (n, G_MAXUINT32 - self->expected[kind]);
}

/* --- Taking ---------------------------------------------------------------------------------- */

static gboolean
make_pool (VtrProbe       *self,
           VtrTransform   *next,
           guint64         device,
           VtrProbeQuery   kind,
           guint32         at_least,
           guint64         index,
           GError        **error)
{
  Pool made = {
    .kind = kind,
    .device = device,
    .pool = HANDLE (VkQueryPool, vtr_transform_new_handle ()),
    .size = CLAMP (self->expected[kind], MAX (POOL_MIN, at_least), POOL_MAX),
  };
  const VkQueryPoolCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
    .queryType = kinds[kind].type,
    .queryCount = made.size,
    .pipelineStatistics = kinds[kind].statistics,
  };
  VtrArgs_vkCreateQueryPool create = { HANDLE (VkDevice, device), &info, NULL, &made.pool };
  VtrVulkanRead reset = {
    .parent = VTR_VULKAN_READ,
    .function = VTR_REPLAY_RESET_QUERIES,
    .queries = { .device = device,
                 .pool = (guint64)(gsize)made.pool,
                 .count = made.size,
                 .n_values = kinds[kind].n_values },
  };

  self->expected[kind] -= MIN (self->expected[kind], made.size);
  g_array_append_val (self->pools, made);
  return vtr_transform_emit (next, VTR_CMD_vkCreateQueryPool, &create, index, error) &&
         vtr_transform_read (next, &reset.parent, error);
}

gboolean
vtr_probe_take (VtrProbe       *self,
                VtrTransform   *next,
                guint64         device,
                VtrProbeQuery   kind,
                guint32         n,
                guint64         index,
                guint32        *out,
                GError        **error)
{
  guint number = self->pools->len;
  Pool *pool;

  while (number > 0)
    {
      pool = &g_array_index (self->pools, Pool, number - 1);
      if (pool->device == device && pool->kind == kind && !pool->read)
        break;
      number--;
    }
  if (number == 0 || g_array_index (self->pools, Pool, number - 1).size -
                         g_array_index (self->pools, Pool, number - 1).used <
                       n)
    {
      if (!make_pool (self, next, device, kind, n, index, error))
        return FALSE;
      number = self->pools->len;
    }
  pool = &g_array_index (self->pools, Pool, number - 1);
  *out = (number - 1) << PLACE_BITS | pool->used;
  pool->used += n;
  return TRUE;
}

VkQueryPool
vtr_probe_get_pool (const VtrProbe *self,
                    guint32         id,
                    guint32        *nth)
{
  *nth = id & (POOL_MAX - 1);
  return g_array_index (self->pools, Pool, id >> PLACE_BITS).pool;
}

/* --- Reading --------------------------------------------------------------------------------- */

gboolean
vtr_probe_read (VtrProbe      *self,
                VtrTransform  *next,
                guint64        device,
                GError       **error)
{
  for (guint i = 0; i < self->pools->len; i++)
    {
      Pool *pool = &g_array_index (self->pools, Pool, i);
      VtrVulkanRead read = {
        .parent = VTR_VULKAN_READ,
        .function = VTR_REPLAY_READ_QUERIES,
        .queries = { .device = pool->device,
                     .pool = (guint64)(gsize)pool->pool,
                     .count = pool->used,
                     .n_values = kinds[pool->kind].n_values,
                     .post = i },
      };

      if (pool->read || (device != 0 && pool->device != device))
        continue;
      pool->read = TRUE;
      if (pool->used > 0 && !vtr_transform_read (next, &read.parent, error))
        return FALSE;
    }
  return TRUE;
}

gboolean
vtr_probe_read_clock (VtrProbe      *self,
                      VtrTransform  *next,
                      guint          which,
                      GError       **error)
{
  VtrVulkanRead read = { .parent = VTR_VULKAN_READ,
                         .function = VTR_REPLAY_READ_CLOCK,
                         .clock = CLOCK_POST | which };

  return vtr_transform_read (next, &read.parent, error);
}

void
vtr_probe_posted (VtrProbe     *self,
                  guint64       post,
                  const guint8 *bytes,
                  gsize         size)
{
  const Pool *pool;

  if (post == CLOCK_POST || post == (CLOCK_POST | 1))
    {
      if (size == sizeof self->clock[0])
        memcpy (&self->clock[post & 1], bytes, size);
      return;
    }
  if (post >= self->pools->len)
    return;
  pool = &g_array_index (self->pools, Pool, post);
  if (size > (guint64)pool->size * (kinds[pool->kind].n_values + 1) * sizeof (guint64))
    return;
  if (self->results->len < self->pools->len)
    g_array_set_size (self->results, self->pools->len);
  clear_result (&g_array_index (self->results, GBytes *, post));
  g_array_index (self->results, GBytes *, post) = g_bytes_new (bytes, size);
}

gboolean
vtr_probe_get_value (const VtrProbe *self,
                     guint32         id,
                     guint           value,
                     guint64        *out)
{
  guint number = id >> PLACE_BITS;
  const Pool *pool;
  gsize size;
  const guint8 *bytes;
  gsize stride;
  guint64 there;

  if (id == VTR_PROBE_NONE || number >= self->results->len ||
      g_array_index (self->results, GBytes *, number) == NULL)
    return FALSE;
  pool = &g_array_index (self->pools, Pool, number);
  bytes = g_bytes_get_data (g_array_index (self->results, GBytes *, number), &size);
  stride = (kinds[pool->kind].n_values + 1) * sizeof there;
  if (value >= kinds[pool->kind].n_values || ((id & (POOL_MAX - 1)) + 1) * stride > size)
    return FALSE;
  bytes += (id & (POOL_MAX - 1)) * stride;
  memcpy (&there, bytes + kinds[pool->kind].n_values * sizeof there, sizeof there);
  memcpy (out, bytes + value * sizeof *out, sizeof *out);
  return there != 0;
}
