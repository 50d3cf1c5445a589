/* Creates and reads queries that the engine adds to a trace, to measure timestamps and
 * statistics. */
#include "vtr-vk-transfer.h"
#include "vtr-utility.h"
#include "vtr-vk-sync.h"

#define MAX_QUERIES (1u << 20)
#define MAX_VALUES 64u

void
vtr_queries_enable (VtrReplayVk              *vk,
                    VtrTable                 *table,
                    VkPhysicalDevice          physical,
                    VkDeviceCreateInfo       *info,
                    VkPhysicalDeviceFeatures *features)
{
  const VkPhysicalDeviceFeatures2 *chained =
    vtr_chain_find (info->pNext, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2);
  VkPhysicalDeviceFeatures *wanted = features;
  VkPhysicalDeviceFeatures offered;

  VTR_CALL (vk, table, vkGetPhysicalDeviceFeatures)
  (physical, &offered);
  /* The chain may be changed: it is in the machine's memory, and is written again for every
   * call. */
  if (chained != NULL)
    wanted = &((VkPhysicalDeviceFeatures2 *)(uintptr_t)chained)->features;
  else if (info->pEnabledFeatures == NULL)
    memset (features, 0, sizeof *features);
  if (chained == NULL)
    info->pEnabledFeatures = features;
  wanted->pipelineStatisticsQuery |= offered.pipelineStatisticsQuery;
  wanted->occlusionQueryPrecise |= offered.occlusionQueryPrecise;
}

/* Reads the description at @address, waits for its device. Returns: NULL after vtr_vm_fail(). */
static VtrTable *
queries_begin (VtrReplayVk      *vk,
               uint64_t          address,
               VtrReplayQueries *out)
{
  const void *description =
    vtr_vm_memory_resolve (&vk->vm->memory, VTR_VM_ABSOLUTE, address, sizeof *out, VTR_VM_READ);
  VtrTable *table;

  if (description == NULL)
    {
      vtr_vm_fail (vk->vm, VTR_VM_ERROR_PAYLOAD,
                   "The description of queries lies outside the machine's memory.");
      return NULL;
    }
  memcpy (out, description, sizeof *out);
  table = vtr_table_of (vk, VTR_HANDLE_VkDevice, out->device);
  if (table == NULL || vtr_objects_need (vk, VTR_HANDLE_VkQueryPool, out->pool) == NULL ||
      !vtr_sync_check (vk))
    return NULL;
  if (out->count == 0 || out->count > MAX_QUERIES || out->first > UINT32_MAX - out->count ||
      out->n_values == 0 || out->n_values > MAX_VALUES)
    {
      vtr_vm_fail (vk->vm, VTR_VM_ERROR_PAYLOAD, "There cannot be %u queries of %u values.",
                   out->count, out->n_values);
      return NULL;
    }
  return vtr_table_wait (vk, table) ? table : NULL;
}

/* By a submission of the replayer, so that no command buffer of the trace needs a place for it. */
uint64_t
vtr_synthetic_reset_queries (void           *context,
                             const uint64_t *args)
{
  VtrReplayVk *vk = context;
  VtrReplayQueries queries;
  VtrTable *table = queries_begin (vk, args[0], &queries);
  VkCommandBuffer commands;

  if (table == NULL || !vtr_utility_queue (vk, table))
    return VK_SUCCESS;
  if ((table->families[table->utility.family].queueFlags &
       (VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT)) == 0)
    {
      vtr_vm_fail (vk->vm, VTR_VM_ERROR_UNSUPPORTED,
                   "The trace's device has no queue that can prepare queries.");
      return VK_SUCCESS;
    }
  commands = vtr_utility_begin (vk, table, 0);
  if (commands == VK_NULL_HANDLE)
    return VK_SUCCESS;
  VTR_CALL (vk, table, vkCmdResetQueryPool)
  (commands, VTR_HANDLE_FROM (VkQueryPool, queries.pool), queries.first, queries.count);
  vtr_utility_run (vk, table, 0);
  return VK_SUCCESS;
}

uint64_t
vtr_synthetic_read_queries (void           *context,
                            const uint64_t *args)
{
  VtrReplayVk *vk = context;
  VtrReplayQueries queries;
  VtrTable *table = queries_begin (vk, args[0], &queries);
  uint64_t stride;
  VkResult result;
  uint8_t *to;

  if (table == NULL)
    return VK_SUCCESS;
  stride = (queries.n_values + 1ull) * sizeof (uint64_t);
  to = vk->host.post (vk->host.data, queries.post, stride * queries.count);
  if (to == NULL)
    return VK_SUCCESS;
  memset (to, 0, (size_t)(stride * queries.count));
  result = VTR_CALL (vk, table, vkGetQueryPoolResults) (
    table->device, VTR_HANDLE_FROM (VkQueryPool, queries.pool), queries.first, queries.count,
    (size_t)(stride * queries.count), to, stride,
    VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WITH_AVAILABILITY_BIT);
  if (result < 0)
    vtr_replay_vk_failed (vk, "Reading queries", result);
  return VK_SUCCESS;
}
