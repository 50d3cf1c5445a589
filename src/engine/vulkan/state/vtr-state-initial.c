/* Makes the first record of an object from the command that created it. */
#include "engine/vulkan/state/vtr-state-initial.h"

#include "api/vtr-api-args.h"
#include "vulkan/vtr-vulkan-facts.h"

/* A query pool may claim any number. */
#define MAX_QUERIES (1u << 20)

typedef struct
{
  VtrStateFacts *facts;
  const VtrObject *object;
  const VtrCommand *command; /* .id canonical */
} VtrCreation;

static void
fill_image (const VtrCreation *creation,
            VtrStateImage     *self)
{
  const VtrImageFact *fact =
    vtr_state_facts_get_image (creation->facts, creation->object->id);
  guint32 n = fact != NULL ? fact->n_aspects : 1;

  self->n_aspects = n;
  self->mips = fact != NULL ? fact->info.mip_levels : 1;
  self->layers = fact != NULL ? fact->layers : 1;
  self->slices = fact != NULL && fact->info.slices;
  self->uniform = TRUE;
  self->subresources = g_new0 (VtrSubresource, n);
  for (guint32 i = 0; i < n; i++)
    {
      self->subresources[i].layout =
        fact != NULL ? fact->initial_layout : VK_IMAGE_LAYOUT_UNDEFINED;
      self->subresources[i].family = VK_QUEUE_FAMILY_IGNORED;
      self->subresources[i].command = (guint32)creation->object->created;
    }
}

static void
fill_set (const VtrCreation *creation,
          VtrStateSet       *self)
{
  const VtrArgs_vkAllocateDescriptorSets *args = creation->command->args;
  const VkDescriptorSetVariableDescriptorCountAllocateInfo *variable;
  const VkDescriptorSetAllocateInfo *info;
  guint32 element = creation->object->element, count = 0;
  VtrSetLayout *layout;

  if (creation->command->id != VTR_CMD_vkAllocateDescriptorSets || args->pAllocateInfo == NULL)
    return;
  info = args->pAllocateInfo;
  if (info->pSetLayouts == NULL || element >= info->descriptorSetCount)
    return;

  layout = vtr_state_facts_find_set_layout (creation->facts, (guint64)info->pSetLayouts[element],
                                            creation->object->created);
  if (layout == NULL)
    return;
  variable = vtr_api_find_next (
    info->pNext, VK_STRUCTURE_TYPE_DESCRIPTOR_SET_VARIABLE_DESCRIPTOR_COUNT_ALLOCATE_INFO);
  if (variable != NULL && variable->pDescriptorCounts != NULL &&
      element < variable->descriptorSetCount)
    count = variable->pDescriptorCounts[element];
  self->layout = layout->has_variable ? vtr_set_layout_resize (layout, count)
                                      : vtr_set_layout_ref (layout);
  self->n_blocks =
    (self->layout->n_slots + VTR_DESCRIPTORS_PER_BLOCK - 1) / VTR_DESCRIPTORS_PER_BLOCK;
  self->blocks = g_new0 (VtrDescriptorBlock *, MAX (self->n_blocks, 1));
  if (self->layout->has_inline)
    self->inline_data = g_new0 (GBytes *, self->layout->n_bindings);
}

static void
fill_semaphore (const VtrCreation *creation,
                VtrStateSemaphore *self)
{
  const VtrArgs_vkCreateSemaphore *args = creation->command->args;
  const VkSemaphoreTypeCreateInfo *type;

  if (creation->command->id != VTR_CMD_vkCreateSemaphore || args->pCreateInfo == NULL)
    return;
  type =
    vtr_api_find_next (args->pCreateInfo->pNext, VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO);
  if (type != NULL && type->semaphoreType == VK_SEMAPHORE_TYPE_TIMELINE)
    {
      self->timeline = TRUE;
      self->value = self->queued = type->initialValue;
    }
  /* Another process that gets it may signal it. */
  self->imported =
    vtr_api_find_next (args->pCreateInfo->pNext,
                       VK_STRUCTURE_TYPE_EXPORT_SEMAPHORE_CREATE_INFO) != NULL;
}

static void
fill_query_pool (const VtrCreation *creation,
                 VtrStateQueryPool *self)
{
  const VtrArgs_vkCreateQueryPool *args = creation->command->args;

  if (creation->command->id != VTR_CMD_vkCreateQueryPool || args->pCreateInfo == NULL)
    return;
  self->n = MIN (args->pCreateInfo->queryCount, MAX_QUERIES);
  self->query_type = args->pCreateInfo->queryType;
  self->queries = g_new0 (VtrStateQuery, MAX (self->n, 1));
  for (guint32 i = 0; vtr_query_pool_begins_reset (args->pCreateInfo) && i < self->n; i++)
    self->queries[i] =
      (VtrStateQuery){ VTR_QUERY_RESET, (guint32)creation->object->created };
}

static void
fill_queue (const VtrCreation *creation,
            VtrStateQueue     *self)
{
  if (creation->command->id == VTR_CMD_vkGetDeviceQueue)
    {
      const VtrArgs_vkGetDeviceQueue *args = creation->command->args;

      self->family = args->queueFamilyIndex;
      self->index = args->queueIndex;
    }
  else if (creation->command->id == VTR_CMD_vkGetDeviceQueue2)
    {
      const VtrArgs_vkGetDeviceQueue2 *args = creation->command->args;

      if (args->pQueueInfo == NULL)
        return;
      self->family = args->pQueueInfo->queueFamilyIndex;
      self->index = args->pQueueInfo->queueIndex;
    }
}

static void
fill_fence (const VtrCreation *creation,
            VtrStateFence     *self)
{
  const VtrArgs_vkCreateFence *args = creation->command->args;

  if (creation->command->id == VTR_CMD_vkCreateFence && args->pCreateInfo != NULL &&
      (args->pCreateInfo->flags & VK_FENCE_CREATE_SIGNALED_BIT) != 0)
    self->status = VTR_FENCE_SIGNALED;
}

#ifdef VK_EXT_device_generated_commands
static void
write_initial (const VtrCreation    *creation,
               VtrStateExecutionSet *self,
               guint32               index,
               guint32               type,
               guint64               handle)
{
  const VtrObject *object = vtr_history_find (vtr_state_facts_get_history (creation->facts),
                                              vtr_vulkan_identity (type, handle),
                                              creation->object->created);

  vtr_state_execution_set_write (self, index, object != NULL ? object->id : 0,
                                 (guint32)creation->object->created);
}

static void
fill_execution_set (const VtrCreation    *creation,
                    VtrStateExecutionSet *self)
{
  const VtrArgs_vkCreateIndirectExecutionSetEXT *args = creation->command->args;
  const VkIndirectExecutionSetCreateInfoEXT *info;

  self->limit = G_MAXUINT32;
  if (creation->command->id != VTR_CMD_vkCreateIndirectExecutionSetEXT ||
      args->pCreateInfo == NULL)
    return;
  info = args->pCreateInfo;
  self->shaders = info->type == VK_INDIRECT_EXECUTION_SET_INFO_TYPE_SHADER_OBJECTS_EXT;
  if (self->shaders && info->info.pShaderInfo != NULL)
    {
      const VkIndirectExecutionSetShaderInfoEXT *shaders = info->info.pShaderInfo;

      self->limit = shaders->maxShaderCount;
      for (guint32 i = 0; shaders->pInitialShaders != NULL && i < shaders->shaderCount; i++)
        write_initial (creation, self, i, VTR_HANDLE_VkShaderEXT,
                       (guint64)shaders->pInitialShaders[i]);
    }
  else if (!self->shaders && info->info.pPipelineInfo != NULL)
    {
      const VkIndirectExecutionSetPipelineInfoEXT *pipelines = info->info.pPipelineInfo;

      self->limit = pipelines->maxPipelineCount;
      write_initial (creation, self, 0, VTR_HANDLE_VkPipeline,
                     (guint64)pipelines->initialPipeline);
    }
}
#endif

/* @record: its structure begins with a VtrStateRecord of @type. */
static void
fill_decoded (const VtrCreation *creation,
              guint32            type,
              gpointer           record)
{
  switch (type)
    {
    case VTR_HANDLE_VkImage:
      fill_image (creation, record);
      break;
    case VTR_HANDLE_VkDescriptorSet:
      fill_set (creation, record);
      break;
    case VTR_HANDLE_VkSemaphore:
      fill_semaphore (creation, record);
      break;
    case VTR_HANDLE_VkQueryPool:
      fill_query_pool (creation, record);
      break;
    case VTR_HANDLE_VkQueue:
      fill_queue (creation, record);
      break;
    case VTR_HANDLE_VkFence:
      fill_fence (creation, record);
      break;
#ifdef VK_EXT_device_generated_commands
    case VTR_HANDLE_VkIndirectExecutionSetEXT:
      fill_execution_set (creation, record);
      break;
#endif
    default:
      break;
    }
}

static void
fill_buffer (VtrStateBuffer *self)
{
  self->family = VK_QUEUE_FAMILY_IGNORED;
}

static void
fill_command_buffer (VtrStateCommandBuffer *self)
{
  self->recording = VTR_NO_RECORDING;
}

static void
fill_swapchain (VtrStateSwapchain *self)
{
  self->last_acquired = self->last_presented = G_MAXUINT32;
}

/* Types whose first state is not in the creating command's arguments. */
static gboolean
fill_plain (guint32  type,
            gpointer record)
{
  switch (type)
    {
    case VTR_HANDLE_VkBuffer:
      fill_buffer (record);
      return TRUE;
    case VTR_HANDLE_VkCommandBuffer:
      fill_command_buffer (record);
      return TRUE;
    case VTR_HANDLE_VkSwapchainKHR:
      fill_swapchain (record);
      return TRUE;
    case VTR_HANDLE_VkImage:
    case VTR_HANDLE_VkDescriptorSet:
    case VTR_HANDLE_VkSemaphore:
    case VTR_HANDLE_VkQueryPool:
    case VTR_HANDLE_VkQueue:
    case VTR_HANDLE_VkFence:
#ifdef VK_EXT_device_generated_commands
    case VTR_HANDLE_VkIndirectExecutionSetEXT:
#endif
      return FALSE;
    default:
      return TRUE;
    }
}

void
vtr_state_initial_fill (VtrStateFacts   *facts,
                        const VtrObject *object,
                        VtrStateRecord  *record)
{
  VtrCommand command = { .id = VTR_VULKAN_N_COMMANDS };
  VtrCreation creation = { facts, object, &command };
  VtrArena arena;

  record->command = (guint32)object->created;
  if (fill_plain (record->type, record))
    return;
  vtr_arena_init (&arena);
  if (vtr_history_decode_creation (vtr_state_facts_get_history (facts), object, &arena, &command,
                                   NULL))
    command.id = vtr_cmd_canonical (command.id);
  else
    command.id = VTR_VULKAN_N_COMMANDS;
  fill_decoded (&creation, record->type, record);
  vtr_arena_finish (&arena);
}
