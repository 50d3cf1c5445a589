/* Notes which memory is bound to buffers and images, and reads the properties of buffers. */
#include "engine/vulkan/state/vtr-facts.h"

#include "engine/vulkan/state/vtr-newer-form.h"
#include "vulkan/vtr-vulkan-facts.h"

#include "api/vtr-api-args.h"

struct _VtrFacts
{
  VtrLifetimes *lifetimes;
  GHashTable *bound; /* id × VTR_MAX_PLANES + plane → VtrBoundMemory */
  GHashTable *calls; /* id → guint64: the call that bound it last, or its first page */
  GMutex lock;
  GHashTable *buffers; /* id → VtrBufferFact, or NULL: not known. Under .lock */
};

VtrFacts *
vtr_facts_new (VtrLifetimes *lifetimes)
{
  VtrFacts *self = g_new0 (VtrFacts, 1);

  self->lifetimes = lifetimes;
  self->bound = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  self->calls = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  self->buffers = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  g_mutex_init (&self->lock);
  return self;
}

void
vtr_facts_free (VtrFacts *self)
{
  g_hash_table_unref (self->bound);
  g_hash_table_unref (self->calls);
  g_hash_table_unref (self->buffers);
  g_mutex_clear (&self->lock);
  g_free (self);
}

/* --- The pass -------------------------------------------------------------------------------- */

guint
vtr_facts_read_plane (gconstpointer chain)
{
  const VkBindImagePlaneMemoryInfo *plane =
    vtr_api_find_next (chain, VK_STRUCTURE_TYPE_BIND_IMAGE_PLANE_MEMORY_INFO);

  if (plane == NULL)
    return 0;
  switch ((int)plane->planeAspect)
    {
    case VK_IMAGE_ASPECT_PLANE_1_BIT:
    case VK_IMAGE_ASPECT_MEMORY_PLANE_1_BIT_EXT:
      return 1;
    case VK_IMAGE_ASPECT_PLANE_2_BIT:
    case VK_IMAGE_ASPECT_MEMORY_PLANE_2_BIT_EXT:
      return 2;
    case VK_IMAGE_ASPECT_MEMORY_PLANE_3_BIT_EXT:
      return 3;
    default:
      return 0;
    }
}

static guint32
find_current (VtrFacts *self,
              guint32   type,
              guint64   handle)
{
  return vtr_lifetimes_get_current (self->lifetimes, vtr_vulkan_identity (type, handle));
}

static void
note_call (VtrFacts *self,
           guint32   id,
           guint64   index)
{
  g_hash_table_insert (self->calls, GUINT_TO_POINTER (id), g_memdup2 (&index, sizeof index));
}

static gpointer
plane_key (guint32 id,
           guint   plane)
{
  return (gpointer)((gsize)id * VTR_MAX_PLANES + plane);
}

static void
note_bound (VtrFacts       *self,
            guint64         index,
            guint32         id,
            guint           plane,
            VkDeviceMemory  memory,
            VkDeviceSize    offset)
{
  const VtrBoundMemory bound = {
    .command = (guint32)index,
    .offset = offset,
    .memory = memory != VK_NULL_HANDLE
                ? find_current (self, VTR_HANDLE_VkDeviceMemory, (guint64)memory)
                : 0,
  };

  if (id == 0)
    return;
  note_call (self, id, index);
  g_hash_table_insert (self->bound, plane_key (id, plane), g_memdup2 (&bound, sizeof bound));
}

/* Pages come and go: what counts is when the first one came. */
static void
note_page (VtrFacts       *self,
           guint64         index,
           guint32         type,
           guint64         handle,
           VkDeviceMemory  memory)
{
  const guint32 id = memory != VK_NULL_HANDLE ? find_current (self, type, handle) : 0;

  if (id != 0 && !g_hash_table_contains (self->calls, GUINT_TO_POINTER (id)))
    note_call (self, id, index);
}

static void
note_pages (VtrFacts               *self,
            guint64                 index,
            const VkBindSparseInfo *info)
{
  for (guint32 i = 0; i < info->bufferBindCount && info->pBufferBinds != NULL; i++)
    for (guint32 k = 0;
         k < info->pBufferBinds[i].bindCount && info->pBufferBinds[i].pBinds != NULL; k++)
      note_page (self, index, VTR_HANDLE_VkBuffer, (guint64)info->pBufferBinds[i].buffer,
                 info->pBufferBinds[i].pBinds[k].memory);
  for (guint32 i = 0; i < info->imageOpaqueBindCount && info->pImageOpaqueBinds != NULL; i++)
    for (guint32 k = 0;
         k < info->pImageOpaqueBinds[i].bindCount && info->pImageOpaqueBinds[i].pBinds != NULL; k++)
      note_page (self, index, VTR_HANDLE_VkImage, (guint64)info->pImageOpaqueBinds[i].image,
                 info->pImageOpaqueBinds[i].pBinds[k].memory);
  for (guint32 i = 0; i < info->imageBindCount && info->pImageBinds != NULL; i++)
    for (guint32 k = 0; k < info->pImageBinds[i].bindCount && info->pImageBinds[i].pBinds != NULL;
         k++)
      note_page (self, index, VTR_HANDLE_VkImage, (guint64)info->pImageBinds[i].image,
                 info->pImageBinds[i].pBinds[k].memory);
}

gboolean
vtr_facts_wants (VtrCmdId id)
{
  switch (vtr_cmd_newer_form (id))
    {
    case VTR_CMD_vkBindBufferMemory2:
    case VTR_CMD_vkBindImageMemory2:
    case VTR_CMD_vkQueueBindSparse:
      return TRUE;
    default:
      return FALSE;
    }
}

void
vtr_facts_note (VtrFacts         *self,
                const VtrCommand *command)
{
  g_auto (VtrNewerForm) form;

  vtr_newer_form_init (&form, command);
  if (form.command.id == VTR_CMD_vkBindBufferMemory2)
    {
      const VtrArgs_vkBindBufferMemory2 *args = form.command.args;
      const VkBindBufferMemoryInfo *infos = args->pBindInfos;

      for (guint32 i = 0; infos != NULL && i < args->bindInfoCount; i++)
        note_bound (self, command->index,
                    find_current (self, VTR_HANDLE_VkBuffer, (guint64)infos[i].buffer), 0,
                    infos[i].memory, infos[i].memoryOffset);
    }
  else if (form.command.id == VTR_CMD_vkBindImageMemory2)
    {
      const VtrArgs_vkBindImageMemory2 *args = form.command.args;
      const VkBindImageMemoryInfo *infos = args->pBindInfos;

      for (guint32 i = 0; infos != NULL && i < args->bindInfoCount; i++)
        note_bound (self, command->index,
                    find_current (self, VTR_HANDLE_VkImage, (guint64)infos[i].image),
                    vtr_facts_read_plane (infos[i].pNext), infos[i].memory, infos[i].memoryOffset);
    }
  else
    {
      const VtrArgs_vkQueueBindSparse *args = form.command.args;

      for (guint32 i = 0; args->pBindInfo != NULL && i < args->bindInfoCount; i++)
        note_pages (self, command->index, &args->pBindInfo[i]);
    }
}

/* --- Questions ------------------------------------------------------------------------------- */

guint64
vtr_facts_get_binding (const VtrFacts *self,
                       guint32         id)
{
  const guint64 *index = g_hash_table_lookup (self->calls, GUINT_TO_POINTER (id));

  return index != NULL ? *index : VTR_COMMAND_NO_INDEX;
}

gboolean
vtr_facts_get_bound (VtrHistory     *history,
                     guint32         id,
                     guint           plane,
                     guint64         index,
                     VtrBoundMemory *out)
{
  const VtrFacts *self = vtr_history_get_facts (history);
  const VtrBoundMemory *bound = NULL;

  if (self != NULL && plane < VTR_MAX_PLANES)
    bound = g_hash_table_lookup (self->bound, plane_key (id, plane));
  if (bound == NULL || (index != VTR_COMMAND_NO_INDEX && bound->command > index))
    return FALSE;
  *out = *bound;
  return TRUE;
}

static VtrBufferFact *
make_buffer (VtrHistory *history,
             guint32     id)
{
  const VtrObject *object =
    id != 0 && id <= vtr_history_get_n_objects (history) ? vtr_history_get_object (history, id)
                                                         : NULL;
  const VkBufferCreateInfo *info = NULL;
  VtrBufferFact *fact = NULL;
  VtrCommand command;
  VtrArena arena;

  if (object == NULL || object->type != VTR_HANDLE_VkBuffer)
    return NULL;
  vtr_arena_init (&arena);
  if (vtr_history_decode_creation (history, object, &arena, &command, NULL) &&
      command.id == VTR_CMD_vkCreateBuffer)
    info = ((const VtrArgs_vkCreateBuffer *)command.args)->pCreateInfo;
  if (info != NULL)
    {
      fact = g_new0 (VtrBufferFact, 1);
      fact->size = info->size;
      fact->usage = vtr_buffer_get_usage (info);
      fact->flags = info->flags;
    }
  vtr_arena_finish (&arena);
  return fact;
}

gboolean
vtr_facts_get_buffer (VtrHistory    *history,
                      guint32        id,
                      VtrBufferFact *out)
{
  VtrFacts *self = vtr_history_get_facts (history);
  gpointer fact = NULL;

  if (self == NULL)
    return FALSE;
  g_mutex_lock (&self->lock);
  if (!g_hash_table_lookup_extended (self->buffers, GUINT_TO_POINTER (id), NULL, &fact))
    {
      fact = make_buffer (history, id);
      g_hash_table_insert (self->buffers, GUINT_TO_POINTER (id), fact);
    }
  if (fact != NULL)
    *out = *(const VtrBufferFact *)fact;
  g_mutex_unlock (&self->lock);
  return fact != NULL;
}
