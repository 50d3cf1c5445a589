/* Adapts a stream that begins at a snapshot, so that the snapshot can be used again. */
#include "engine/vulkan/transforms/vtr-transforms.h"
#include "engine/vulkan/state/vtr-newer-form.h"
#include "engine/vulkan/state/vtr-older-form.h"

#include "vtr-config.h"

#include <glib/gi18n-lib.h>

#include "vtr-api-args.h"

#define VALUE(handle) ((guint64)(gsize)(handle))

/* --- Before the kept state ------------------------------------------------------------------- */

/* A command buffer that is submitted after the state is submitted in every request. */
static void
allow_more_submissions (const VtrCommand *command)
{
  const VtrArgs_vkBeginCommandBuffer *args = command->args;

  if (command->id == VTR_CMD_vkBeginCommandBuffer && args->pBeginInfo != NULL)
    ((VkCommandBufferBeginInfo *)args->pBeginInfo)->flags &=
      ~(VkCommandBufferUsageFlags)VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT;
}

static gboolean
keeping_command (VtrTransform  *self,
                 VtrCommand    *command,
                 GError       **error)
{
  allow_more_submissions (command);
  return vtr_transform_command (self->next, command, error);
}

static void
keeping_free (VtrTransform *self)
{
  g_free (self);
}

static const VtrTransformClass keeping_class = {
  .name = "keeping",
  .command = keeping_command,
  .free = keeping_free,
  .resume = vtr_transform_resume_plain,
};

VtrTransform *
vtr_transform_keeping_new (void)
{
  VtrTransform *self = g_new0 (VtrTransform, 1);

  self->klass = &keeping_class;
  return self;
}

/* --- After it -------------------------------------------------------------------------------- */

typedef struct
{
  VtrTransform parent;
  VtrHistory *history;
  guint64 first;
  GHashTable *made; /* VtrHandleId << 48 ^ handle of what was made since; a set */
} TransformResumed;

/* Not entirely unique. An object that is mistaken for a new one is destroyed, and the replayer
 * then refuses to restore the snapshot. */
static gint64
made_key (guint32 type,
          guint64 handle)
{
  return (gint64)(handle ^ (guint64)type << 48);
}

static void
note_made (TransformResumed *self,
           guint32           type,
           guint64           handle)
{
  gint64 key = made_key (type, handle);

  if (handle != 0)
    g_hash_table_add (self->made, g_memdup2 (&key, sizeof key));
}

static gboolean
is_made (const TransformResumed *self,
         guint32                 type,
         guint64                 handle)
{
  gint64 key = made_key (type, handle);

  return g_hash_table_contains (self->made, &key);
}

static void
note_output (void                 *data,
             const VtrVisitHandle *handle)
{
  guint64 value = 0;

  if (!handle->out)
    return;
  value = vtr_visit_handle_get (handle);
  note_made (data, handle->type, value);
}

/* Says why the request runs from the beginning. */
static gboolean
refuse (const VtrCommand  *command,
        GError           **error)
{
  g_autofree char *number = g_strdup_printf ("%" G_GUINT64_FORMAT, command->index);

  g_set_error (error, VTR_REPLAY_ERROR, VTR_REPLAY_ERROR_UNSUPPORTED,
               _ ("The effect of command %s (%s) cannot be undone"), number,
               vtr_cmd_name (command->id));
  return FALSE;
}

/* Sends on the command that made @handle of @type, a second time: the name means the new one from
 * now on. */
static gboolean
make_anew (TransformResumed  *self,
           const VtrCommand  *command,
           guint32            type,
           guint64            handle,
           GError           **error)
{
  const VtrObject *object = vtr_history_find (self->history, vtr_vulkan_identity (type, handle),
                                              command->index);
  VtrCommand creation;
  VtrArena arena;
  gboolean ok;

  if (object == NULL)
    return refuse (command, error);
  vtr_arena_init (&arena);
  ok = vtr_history_decode_creation (self->history, object, &arena, &creation, error);
  if (ok && type == VTR_HANDLE_VkCommandBuffer)
    {
      const VtrArgs_vkAllocateCommandBuffers *original = creation.args;
      VkCommandBufferAllocateInfo info = { VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO };
      VkCommandBuffer buffer = (VkCommandBuffer)(gsize)handle;
      VtrArgs_vkAllocateCommandBuffers args = { original->device, &info, &buffer };

      if (creation.id != VTR_CMD_vkAllocateCommandBuffers || original->pAllocateInfo == NULL)
        ok = refuse (command, error);
      else
        {
          info = *original->pAllocateInfo;
          info.commandBufferCount = 1;
          ok = vtr_transform_emit (self->parent.next, creation.id, &args, command->index, error);
        }
    }
  else if (ok)
    {
      creation.index = command->index;
      creation.flags = 0;
      ok = vtr_transform_command (self->parent.next, &creation, error);
    }
  vtr_arena_finish (&arena);
  if (ok)
    note_made (self, type, handle);
  return ok;
}

/* The pool, with all its room, for sets that are allocated from now on. */
static gboolean
renew_pool (TransformResumed  *self,
            const VtrCommand  *command,
            VkDescriptorPool   pool,
            GError           **error)
{
  return is_made (self, VTR_HANDLE_VkDescriptorPool, VALUE (pool)) ||
         make_anew (self, command, VTR_HANDLE_VkDescriptorPool, VALUE (pool), error);
}

static gboolean
allocate_sets (TransformResumed  *self,
               VtrCommand        *command,
               GError           **error)
{
  const VtrArgs_vkAllocateDescriptorSets *args = command->args;

  return args->pAllocateInfo == NULL ||
         renew_pool (self, command, args->pAllocateInfo->descriptorPool, error);
}

/* Sets of before stay; those of after go, for others need their room. */
static gboolean
free_sets (TransformResumed  *self,
           VtrCommand        *command,
           GError           **error)
{
  VtrArgs_vkFreeDescriptorSets args = *(const VtrArgs_vkFreeDescriptorSets *)command->args;
  g_autoptr (GArray) sets = g_array_new (FALSE, FALSE, sizeof (VkDescriptorSet));

  for (guint32 i = 0; args.pDescriptorSets != NULL && i < args.descriptorSetCount; i++)
    if (is_made (self, VTR_HANDLE_VkDescriptorSet, VALUE (args.pDescriptorSets[i])))
      g_array_append_val (sets, args.pDescriptorSets[i]);
  args.descriptorSetCount = sets->len;
  args.pDescriptorSets = (const VkDescriptorSet *)(gpointer)sets->data;
  return sets->len == 0 ||
         vtr_transform_emit (self->parent.next, command->id, &args, command->index, error);
}

static gboolean
begin_commands (TransformResumed  *self,
                VtrCommand        *command,
                GError           **error)
{
  guint64 handle = VALUE (((const VtrArgs_vkBeginCommandBuffer *)command->args)->commandBuffer);

  allow_more_submissions (command);
  return vtr_transform_is_new_handle (handle) ||
         make_anew (self, command, VTR_HANDLE_VkCommandBuffer, handle, error);
}

typedef struct
{
  const TransformResumed *resumed;
  gboolean made;
} Resources;

static void
check_resource (void                 *data,
                const VtrVisitHandle *handle)
{
  Resources *self = data;

  if (!handle->out && (handle->type == VTR_HANDLE_VkBuffer || handle->type == VTR_HANDLE_VkImage))
    self->made = self->made && is_made (self->resumed, handle->type, vtr_visit_handle_get (handle));
}

/* Whether all resources that @command binds memory to were made since. */
static gboolean
binds_made (const TransformResumed *self,
            const VtrCommand       *command)
{
  Resources resources = { self, TRUE };
  const VtrApiVisitor visitor = { .data = &resources, .handle = check_resource };
  const VtrApiEnv env = { .decoded = true };

  vtr_api_visit (command->id, command->args, &env, &visitor);
  return resources.made;
}

/* Commands other than recordings, creations, destructions, queries, waits and submissions. The
 * replayer restores memory, fences, events and semaphores; the resumed stream restores descriptor
 * sets. All other commands have permanent effects. */
static gboolean
other_command (TransformResumed  *self,
               VtrCommand        *command,
               GError           **error)
{
  switch (vtr_cmd_newer_form (vtr_cmd_older_form (command->id)))
    {
    case VTR_CMD_vkResetCommandBuffer:
    case VTR_CMD_vkResetCommandPool:
    case VTR_CMD_vkTrimCommandPool:
      return TRUE;
    case VTR_CMD_vkGetQueryPoolResults: /* perhaps of queries of before */
      return TRUE;
    case VTR_CMD_vkResetDescriptorPool:
      return make_anew (self, command, VTR_HANDLE_VkDescriptorPool,
                        VALUE (((const VtrArgs_vkResetDescriptorPool *)command->args)
                                 ->descriptorPool),
                        error);
    case VTR_CMD_vkBeginCommandBuffer:
      if (!begin_commands (self, command, error))
        return FALSE;
      break;
    case VTR_CMD_vkBindBufferMemory2:
    case VTR_CMD_vkBindImageMemory2:
      if (!binds_made (self, command))
        return refuse (command, error);
      break;
    case VTR_CMD_vkEndCommandBuffer:
    case VTR_CMD_vkUpdateDescriptorSets:
    case VTR_CMD_vkUpdateDescriptorSetWithTemplate:
    case VTR_CMD_vkResetFences:
    case VTR_CMD_vkSetEvent:
    case VTR_CMD_vkResetEvent:
    case VTR_CMD_vkSignalSemaphore:
    case VTR_CMD_vkMapMemory:
    case VTR_CMD_vkUnmapMemory:
    case VTR_CMD_vkFlushMappedMemoryRanges:
    case VTR_CMD_vkInvalidateMappedMemoryRanges:
    case VTR_CMD_vkResetQueryPool:
    case VTR_CMD_vkMergePipelineCaches:
    case VTR_CMD_vkQueueInsertDebugUtilsLabelEXT:
    case VTR_CMD_vkQueueBeginDebugUtilsLabelEXT:
    case VTR_CMD_vkQueueEndDebugUtilsLabelEXT:
    case VTR_CMD_vkSetDebugUtilsObjectNameEXT:
    case VTR_CMD_vkSetDebugUtilsObjectTagEXT:
    case VTR_CMD_vkDebugMarkerSetObjectNameEXT:
    case VTR_CMD_vkDebugMarkerSetObjectTagEXT:
    case VTR_CMD_vkSubmitDebugUtilsMessageEXT:
#ifdef VK_EXT_host_image_copy
    case VTR_CMD_vkCopyMemoryToImageEXT:
    case VTR_CMD_vkCopyImageToImageEXT:
    case VTR_CMD_vkTransitionImageLayoutEXT:
#endif
    case VTR_CMD_vkGetInstanceProcAddr:
    case VTR_CMD_vkGetDeviceProcAddr:
      break;
    default:
      if (!vtr_cmd_is (command->id, VTR_CLASS_WAIT | VTR_CLASS_QUERY | VTR_CLASS_FRAME_END |
                                      VTR_CLASS_ACQUIRE | VTR_CLASS_SUBMIT) ||
          vtr_cmd_canonical (command->id) == VTR_CMD_vkQueueBindSparse)
        return refuse (command, error);
    }
  return vtr_transform_command (self->parent.next, command, error);
}

/* Commands of before that come again for a copy. */
static gboolean
is_of_copy (const VtrCommand *command)
{
  if (vtr_cmd_is (command->id, VTR_CLASS_RECORD) ||
      command->id == VTR_CMD_vkBeginCommandBuffer || command->id == VTR_CMD_vkEndCommandBuffer)
    return vtr_transform_is_new_handle (VALUE (*(const VkCommandBuffer *)command->args));
  return vtr_cmd_is (command->id, VTR_CLASS_CREATE);
}

static gboolean
resumed_command (VtrTransform  *transform,
                 VtrCommand    *command,
                 GError       **error)
{
  const VtrApiVisitor outputs = { .data = transform, .handle = note_output };
  TransformResumed *self = (TransformResumed *)transform;
  VtrApiEnv env = { .decoded = true };
  VtrCmdId id = vtr_cmd_canonical (command->id);

  if (command->index < self->first && !is_of_copy (command))
    return TRUE;
  /* Results that can reach memory: of queries of before, perhaps. */
  if (id == VTR_CMD_vkCmdCopyQueryPoolResults)
    return refuse (command, error);
  if (vtr_cmd_is (id, VTR_CLASS_RECORD))
    return vtr_transform_command (transform->next, command, error);
  if (id == VTR_CMD_vkFreeDescriptorSets)
    return free_sets (self, command, error);
  if (vtr_cmd_is (id, VTR_CLASS_DESTROY))
    return TRUE;
  if (vtr_cmd_is (id, VTR_CLASS_CREATE | VTR_CLASS_RETRIEVE))
    {
      if (id == VTR_CMD_vkAllocateDescriptorSets && !allocate_sets (self, command, error))
        return FALSE;
      vtr_api_visit (command->id, command->args, &env, &outputs);
      return vtr_transform_command (transform->next, command, error);
    }
  return other_command (self, command, error);
}

static void
resumed_free (VtrTransform *transform)
{
  TransformResumed *self = (TransformResumed *)transform;

  vtr_history_unref (self->history);
  g_hash_table_unref (self->made);
  g_free (self);
}

static const VtrTransformClass resumed_class = {
  .name = "resumed",
  .command = resumed_command,
  .free = resumed_free,
  .resume = vtr_transform_resume_plain,
};

VtrTransform *
vtr_transform_resumed_new (VtrHistory *history,
                           guint64     first)
{
  TransformResumed *self = g_new0 (TransformResumed, 1);

  self->parent.klass = &resumed_class;
  self->history = vtr_history_ref (history);
  self->first = first;
  self->made = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
  return &self->parent;
}
