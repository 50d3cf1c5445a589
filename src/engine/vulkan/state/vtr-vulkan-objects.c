/* Keeps Vulkan's data about objects in a history: the commands that wrote into descriptor sets,
 * and facts about resources. Also applies what tables cannot say: resets of pools, and names for
 * people. */
#include "engine/state/vtr-history-builder.h"
#include "engine/vulkan/state/vtr-facts.h"
#include "engine/vulkan/state/vtr-vulkan-objects.h"

#include "api/vtr-api-args.h"
#include "api/vtr-api-types.h"

typedef struct
{
  VtrLifetimes *lifetimes;
  const VtrCommand *command;
  GHashTable *set_writes; /* descriptor set id → GArray of guint64 */
  VtrFacts *facts;
} VtrVulkanObjects;

gpointer
vtr_vulkan_objects_new (VtrHistoryBuilder *builder)
{
  VtrVulkanObjects *self = g_new0 (VtrVulkanObjects, 1);

  self->lifetimes = vtr_history_builder_get_lifetimes (builder);
  self->set_writes = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify)g_array_unref);
  self->facts = vtr_facts_new (self->lifetimes);
  return self;
}

void
vtr_vulkan_objects_free (gpointer objects)
{
  VtrVulkanObjects *self = objects;

  g_hash_table_unref (self->set_writes);
  vtr_facts_free (self->facts);
  g_free (self);
}

static guint32
find_current (VtrVulkanObjects *self,
              guint32           type,
              guint64           handle)
{
  return vtr_lifetimes_get_current (self->lifetimes, vtr_vulkan_identity (type, handle));
}

static void
reset_descriptor_pool (VtrVulkanObjects *self)
{
  const VtrArgs_vkResetDescriptorPool *args = self->command->args;
  guint32 pool = find_current (self, VTR_HANDLE_VkDescriptorPool, (guint64)args->descriptorPool);

  if (pool != 0)
    vtr_lifetimes_end_children (self->lifetimes, pool, self->command->index);
}

static void
set_name (VtrVulkanObjects *self,
          guint32           type,
          guint64           handle,
          const char       *name)
{
  guint32 id = find_current (self, type, handle);

  if (id != 0)
    vtr_lifetimes_set_name (self->lifetimes, id, name);
}

static void
name_object (VtrVulkanObjects *self)
{
  if (self->command->id == VTR_CMD_vkSetDebugUtilsObjectNameEXT)
    {
      const VtrArgs_vkSetDebugUtilsObjectNameEXT *args = self->command->args;

      if (args->pNameInfo != NULL)
        set_name (self,
                  vtr_handle_from_object_type (vtr_api_of (self->command->id),
                                               args->pNameInfo->objectType),
                  args->pNameInfo->objectHandle, args->pNameInfo->pObjectName);
    }
  else
    {
      const VtrArgs_vkDebugMarkerSetObjectNameEXT *args = self->command->args;

      if (args->pNameInfo != NULL)
        set_name (self, vtr_handle_from_report_type (args->pNameInfo->objectType),
                  args->pNameInfo->object, args->pNameInfo->pObjectName);
    }
}

static void
write_set (VtrVulkanObjects *self,
           VkDescriptorSet   set)
{
  guint32 id = find_current (self, VTR_HANDLE_VkDescriptorSet, (guint64)set);
  GArray *list;

  if (id == 0)
    return;

  list = g_hash_table_lookup (self->set_writes, GUINT_TO_POINTER (id));
  if (list == NULL)
    {
      list = g_array_new (FALSE, FALSE, sizeof (guint64));
      g_hash_table_insert (self->set_writes, GUINT_TO_POINTER (id), list);
    }
  if (list->len == 0 || g_array_index (list, guint64, list->len - 1) != self->command->index)
    g_array_append_val (list, self->command->index);
}

static void
update_sets (VtrVulkanObjects *self)
{
  const VtrArgs_vkUpdateDescriptorSets *args = self->command->args;

  for (guint32 i = 0; i < args->descriptorWriteCount && args->pDescriptorWrites != NULL; i++)
    write_set (self, args->pDescriptorWrites[i].dstSet);
  for (guint32 i = 0; i < args->descriptorCopyCount && args->pDescriptorCopies != NULL; i++)
    write_set (self, args->pDescriptorCopies[i].dstSet);
}

gboolean
vtr_vulkan_objects_wants (VtrCmdId id)
{
  switch (vtr_cmd_canonical (id))
    {
    case VTR_CMD_vkResetDescriptorPool:
    case VTR_CMD_vkSetDebugUtilsObjectNameEXT:
    case VTR_CMD_vkDebugMarkerSetObjectNameEXT:
    case VTR_CMD_vkUpdateDescriptorSets:
    case VTR_CMD_vkUpdateDescriptorSetWithTemplate:
      return TRUE;
    default:
      return vtr_facts_wants (id);
    }
}

void
vtr_vulkan_objects_apply (gpointer          objects,
                          const VtrCommand *command)
{
  VtrVulkanObjects *self = objects;
  gconstpointer args = command->args;

  self->command = command;

  switch (vtr_cmd_canonical (self->command->id))
    {
    case VTR_CMD_vkResetDescriptorPool:
      reset_descriptor_pool (self);
      break;
    case VTR_CMD_vkUpdateDescriptorSets:
      update_sets (self);
      break;
    case VTR_CMD_vkUpdateDescriptorSetWithTemplate:
      write_set (
        self, ((const VtrArgs_vkUpdateDescriptorSetWithTemplate *)args)->descriptorSet);
      break;
    case VTR_CMD_vkSetDebugUtilsObjectNameEXT:
    case VTR_CMD_vkDebugMarkerSetObjectNameEXT:
      name_object (self);
      break;
    default:
      vtr_facts_note (self->facts, command);
      break;
    }
  self->command = NULL;
}

/* --- Questions --- */

const guint64 *
vtr_history_get_set_writes (VtrHistory *history,
                            guint32     id,
                            gsize      *n)
{
  VtrVulkanObjects *self = vtr_history_get_part (history, VTR_VULKAN_FIRST_ID);
  GArray *list =
    self != NULL ? g_hash_table_lookup (self->set_writes, GUINT_TO_POINTER (id)) : NULL;

  *n = list != NULL ? list->len : 0;
  return list != NULL ? (const guint64 *)(void *)list->data : NULL;
}

VtrFacts *
vtr_history_get_facts (VtrHistory *history)
{
  VtrVulkanObjects *self = vtr_history_get_part (history, VTR_VULKAN_FIRST_ID);

  return self != NULL ? self->facts : NULL;
}

guint64
vtr_history_get_memory_binding (VtrHistory *history,
                                guint32     id)
{
  const VtrFacts *facts = vtr_history_get_facts (history);

  return facts != NULL ? vtr_facts_get_binding (facts, id) : VTR_COMMAND_NO_INDEX;
}
