/* vtr-app-random: records queries, whose results go to buffers or decide about later commands.
 *
 * Each is reset before it begins. A query of a frame may be read much later; one of a recording is
 * of the recording alone, which resets, ends and reads it, as nobody knows when it was run last. */
#include "vtr-app-random.h"

#define MIN(a, b) ((a) < (b) ? (a) : (b))

#define HALF (VTR_RANDOM_QUERIES / 2)

static const VkQueryPipelineStatisticFlags statistics[] = {
  VK_QUERY_PIPELINE_STATISTIC_INPUT_ASSEMBLY_VERTICES_BIT,
  VK_QUERY_PIPELINE_STATISTIC_INPUT_ASSEMBLY_PRIMITIVES_BIT,
  VK_QUERY_PIPELINE_STATISTIC_VERTEX_SHADER_INVOCATIONS_BIT,
  VK_QUERY_PIPELINE_STATISTIC_CLIPPING_INVOCATIONS_BIT,
  VK_QUERY_PIPELINE_STATISTIC_CLIPPING_PRIMITIVES_BIT,
  VK_QUERY_PIPELINE_STATISTIC_FRAGMENT_SHADER_INVOCATIONS_BIT,
};

static void
make_pool (VtrRandom        *self,
           VtrRandomQueries *queries,
           VkQueryType       type)
{
  VkQueryPoolCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
    .queryType = type,
    .queryCount = VTR_RANDOM_QUERIES,
  };

  *queries = (VtrRandomQueries){ .type = type, .n_values = 1 };
  if (type == VK_QUERY_TYPE_PIPELINE_STATISTICS)
    {
      info.pipelineStatistics = VTR_RANDOM_PICK (self, statistics);
      for (size_t i = 0; i < sizeof statistics / sizeof statistics[0]; i++)
        if ((info.pipelineStatistics & statistics[i]) == 0 && vtr_random_chance (self, 40))
          {
            info.pipelineStatistics |= statistics[i];
            queries->n_values++;
          }
    }
  vtr_app_check (vkCreateQueryPool (self->gpu.device, &info, NULL, &queries->pool),
                 "vkCreateQueryPool");
  /* They may be asked for before what resets them is done. */
  if (self->wide)
    vkResetQueryPool (self->gpu.device, queries->pool, 0, VTR_RANDOM_QUERIES);
}

static VkQueryType
choose_type (VtrRandom *self)
{
  return !self->core && vtr_random_chance (self, 50) ? VK_QUERY_TYPE_PIPELINE_STATISTICS
                                                     : VK_QUERY_TYPE_OCCLUSION;
}

void
vtr_random_queries_init (VtrRandom *self)
{
  for (uint32_t i = 0; i < VTR_RANDOM_QUERY_POOLS; i++)
    make_pool (self, &self->queries[i], choose_type (self));
  make_pool (self, &self->times, VK_QUERY_TYPE_TIMESTAMP);
  self->time_buffer = vtr_app_buffer (&self->gpu, VTR_RANDOM_QUERIES * 16,
                                      VK_BUFFER_USAGE_TRANSFER_DST_BIT,
                                      VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
}

void
vtr_random_queries_finish (VtrRandom *self)
{
  for (uint32_t i = 0; i < VTR_RANDOM_QUERY_POOLS; i++)
    vkDestroyQueryPool (self->gpu.device, self->queries[i].pool, NULL);
  vkDestroyQueryPool (self->gpu.device, self->times.pool, NULL);
  vtr_app_buffer_finish (&self->gpu, &self->time_buffer);
}

/* --- Around draws ---------------------------------------------------------------------------- */

VtrRandomQuery
vtr_random_query_prepare (VtrRandom *self)
{
  const bool recorded = self->recording != NULL;
  VtrRandomQuery query = { 0 };
  uint32_t n;

  if (!vtr_random_may (self, 35, "queries"))
    return query;
  /* The last pool may be created again, so recordings must not use it. */
  query.queries = &self->queries[vtr_random_below (self, VTR_RANDOM_QUERY_POOLS - recorded)];
  query.nth = vtr_random_below (self, HALF) + (recorded ? HALF : 0);
  n = vtr_random_between (self, 1, (recorded ? VTR_RANDOM_QUERIES : HALF) - query.nth);
  if (n > 2)
    n = 1;
  vkCmdResetQueryPool (self->commands, query.queries->pool, query.nth, n);
  for (uint32_t i = query.nth; i < query.nth + n; i++)
    query.queries->ended[i] = false;
  query.queries->last_use = self->frame;
  query.outside = vtr_random_chance (self, 40);
  return query;
}

void
vtr_random_query_begin (VtrRandom            *self,
                        const VtrRandomQuery *query)
{
  if (query->queries != NULL)
    vkCmdBeginQuery (self->commands, query->queries->pool, query->nth,
                     query->queries->type == VK_QUERY_TYPE_OCCLUSION &&
                         vtr_random_chance (self, 60)
                       ? VK_QUERY_CONTROL_PRECISE_BIT
                       : 0);
}

void
vtr_random_query_end (VtrRandom      *self,
                      VtrRandomQuery *query)
{
  if (query->queries == NULL)
    return;
  vkCmdEndQuery (self->commands, query->queries->pool, query->nth);
  query->queries->ended[query->nth] = true;
}

/* --- Results --------------------------------------------------------------------------------- */

static void
copy_results (VtrRandom        *self,
              VtrRandomQueries *queries,
              uint32_t          first,
              uint32_t          n)
{
  VtrRandomBuffer *buffer = vtr_random_buffer (self, VK_BUFFER_USAGE_TRANSFER_DST_BIT, 640, NULL);
  const bool wide = vtr_random_chance (self, 50), with = vtr_random_chance (self, 40);
  const VkDeviceSize stride =
    (queries->n_values + with + vtr_random_below (self, 2)) * (wide ? 8 : 4);

  if (buffer == NULL)
    return;
  vtr_random_barrier (self);
  vtr_random_use_buffer (self, buffer);
  queries->last_use = self->frame;
  vkCmdCopyQueryPoolResults (self->commands, queries->pool, first, n, buffer->buffer,
                             vtr_random_below (self, 16) * 8, stride,
                             VK_QUERY_RESULT_WAIT_BIT | (wide ? VK_QUERY_RESULT_64_BIT : 0) |
                               (with ? VK_QUERY_RESULT_WITH_AVAILABILITY_BIT : 0));
}

void
vtr_random_query_show (VtrRandom            *self,
                       const VtrRandomQuery *query)
{
  if (query->queries != NULL && (self->recording != NULL || vtr_random_chance (self, 30)))
    copy_results (self, query->queries, query->nth, 1);
}

/* Some that follow one another and have ended. Returns: how many. */
static uint32_t
find_ended (VtrRandom              *self,
            const VtrRandomQueries *queries,
            uint32_t               *first)
{
  uint32_t n = 0;

  *first = vtr_random_below (self, HALF);
  while (*first + n < HALF && n < 5 && queries->ended[*first + n])
    n++;
  return n;
}

static void
copy_queries (VtrRandom *self)
{
  VtrRandomQueries *queries = &VTR_RANDOM_PICK (self, self->queries);
  uint32_t first, n = find_ended (self, queries, &first);

  if (n > 0)
    copy_results (self, queries, first, n);
}

static void
read_queries (VtrRandom *self)
{
  VtrRandomQueries *queries = &VTR_RANDOM_PICK (self, self->queries);
  uint32_t first, n = find_ended (self, queries, &first);
  uint64_t results[5 * 8] = { 0 };

  if (n == 0 || !vtr_random_is_idle (self, queries->last_use))
    return;
  vtr_app_check (vkGetQueryPoolResults (self->gpu.device, queries->pool, first, n, sizeof results,
                                        results, 64,
                                        VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT),
                 "vkGetQueryPoolResults");
  for (uint32_t i = 0; i < n * 8; i++)
    self->mood = self->mood * 31 + results[i];
}

static void
reset_queries (VtrRandom *self)
{
  VtrRandomQueries *queries = &VTR_RANDOM_PICK (self, self->queries);
  const uint32_t first = vtr_random_below (self, HALF);
  const uint32_t n = vtr_random_between (self, 1, HALF - first);

  if (vtr_random_is_idle (self, queries->last_use))
    vkResetQueryPool (self->gpu.device, queries->pool, first, n);
  else
    vkCmdResetQueryPool (self->commands, queries->pool, first, n);
  for (uint32_t i = first; i < first + n; i++)
    queries->ended[i] = false;
  if (!vtr_random_is_idle (self, queries->last_use))
    queries->last_use = self->frame;
}

static void
renew_queries (VtrRandom *self)
{
  VtrRandomQueries *queries = &self->queries[VTR_RANDOM_QUERY_POOLS - 1];

  if (!vtr_random_is_idle (self, queries->last_use))
    return;
  vkDestroyQueryPool (self->gpu.device, queries->pool, NULL);
  make_pool (self, queries, choose_type (self));
}

/* Times differ from run to run: they are taken and kept, and never shown. */
static void
take_time (VtrRandom *self)
{
  const uint32_t nth = vtr_random_below (self, HALF);

  vkCmdResetQueryPool (self->commands, self->times.pool, nth, 1);
  if (vtr_random_chance (self, 50))
    vkCmdWriteTimestamp2 (self->commands, VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT, self->times.pool,
                          nth);
  else
    vkCmdWriteTimestamp (self->commands, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, self->times.pool,
                         nth);
  vtr_random_barrier (self);
  vkCmdCopyQueryPoolResults (self->commands, self->times.pool, nth, 1, self->time_buffer.buffer,
                             nth * 16, 16,
                             VK_QUERY_RESULT_WAIT_BIT | VK_QUERY_RESULT_64_BIT |
                               VK_QUERY_RESULT_WITH_AVAILABILITY_BIT);
}

/* Which results are available differs from run to run, so they are not checked. */
static void
poll_queries (VtrRandom *self)
{
  static const VkQueryResultFlags flags[] = {
    VK_QUERY_RESULT_64_BIT,
    VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WITH_AVAILABILITY_BIT,
    VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_PARTIAL_BIT,
    VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_PARTIAL_BIT | VK_QUERY_RESULT_WITH_AVAILABILITY_BIT,
  };
  const bool times = vtr_random_chance (self, 40);
  const VtrRandomQueries *queries = times ? &self->times : &VTR_RANDOM_PICK (self, self->queries);
  const uint32_t first = vtr_random_below (self, HALF);
  const uint32_t n = vtr_random_between (self, 1, MIN (5, HALF - first));
  uint64_t results[5 * 8];
  VkQueryResultFlags how = VTR_RANDOM_PICK (self, flags);

  /* Times have no parts. */
  if (times)
    how &= ~(VkQueryResultFlags)VK_QUERY_RESULT_PARTIAL_BIT;
  vkGetQueryPoolResults (self->gpu.device, queries->pool, first, n, sizeof results, results, 64,
                         how);
}

const VtrRandomOperation vtr_random_query_polls[] = {
  { "poll-queries", "polls", 15, poll_queries },
  { 0 },
};

const VtrRandomOperation vtr_random_query_operations[] = {
  { "copy-queries", "queries", 5, copy_queries },
  { "read-queries", "queries", 2, read_queries },
  { "reset-queries", "queries", 2, reset_queries },
  { "renew-queries", "queries", 1, renew_queries },
  { "take-time", "times", 2, take_time },
  { 0 },
};
