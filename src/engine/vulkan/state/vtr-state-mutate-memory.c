/* Applies memory bindings, mappings and sparse bindings to the state. */
#include "engine/vulkan/state/vtr-state-mutator.h"
#include "engine/vulkan/state/vtr-facts.h"
#include "engine/vulkan/state/vtr-newer-form.h"
#include "engine/vulkan/state/vtr-older-form.h"

#include "api/vtr-api-args.h"

#define ARGS(name) const VtrArgs_##name *args = self->command.args

/* --- Binding --- */

static void
bind_buffer (VtrMutator     *self,
             VkBuffer        buffer,
             VkDeviceMemory  memory,
             VkDeviceSize    offset)
{
  VtrStateBuffer *record = vtr_mutator_edit (self, VTR_HANDLE_VkBuffer, (guint64)buffer);

  if (record == NULL)
    return;
  record->bound.memory = vtr_mutator_find (self, VTR_HANDLE_VkDeviceMemory, (guint64)memory);
  record->bound.offset = offset;
  record->bound.command = (guint32)self->command.index;
}

static void
bind_image (VtrMutator     *self,
            VkImage         image,
            VkDeviceMemory  memory,
            VkDeviceSize    offset,
            guint           plane)
{
  VtrStateImage *record = vtr_mutator_edit (self, VTR_HANDLE_VkImage, (guint64)image);

  if (record == NULL)
    return;
  record->bound[plane].memory =
    vtr_mutator_find (self, VTR_HANDLE_VkDeviceMemory, (guint64)memory);
  record->bound[plane].offset = offset;
  record->bound[plane].command = (guint32)self->command.index;
}

static gboolean
has_failed (VtrMutator *self)
{
  return self->command.has_result && (gint32)self->command.result < 0;
}

static void
apply_binding (VtrMutator *self)
{
  g_auto (VtrNewerForm) form;

  vtr_newer_form_init (&form, &self->command);
  if (form.command.id == VTR_CMD_vkBindBufferMemory2)
    {
      const VtrArgs_vkBindBufferMemory2 *args = form.command.args;

      for (guint32 i = 0; i < args->bindInfoCount && args->pBindInfos != NULL; i++)
        bind_buffer (self, args->pBindInfos[i].buffer, args->pBindInfos[i].memory,
                     args->pBindInfos[i].memoryOffset);
    }
  else
    {
      const VtrArgs_vkBindImageMemory2 *args = form.command.args;

      for (guint32 i = 0; i < args->bindInfoCount && args->pBindInfos != NULL; i++)
        bind_image (self, args->pBindInfos[i].image, args->pBindInfos[i].memory,
                    args->pBindInfos[i].memoryOffset,
                    vtr_facts_read_plane (args->pBindInfos[i].pNext));
    }
}

/* --- Mapping --- */

static void
map_memory (VtrMutator            *self,
            VkDeviceMemory         memory,
            VkDeviceSize           offset,
            VkDeviceSize           size,
            void           *const *address)
{
  VtrStateMemory *record = vtr_mutator_edit (self, VTR_HANDLE_VkDeviceMemory, (guint64)memory);

  if (record == NULL)
    return;
  record->mapped = TRUE;
  record->offset = offset;
  record->size = size;
  record->address = address != NULL ? (guint64)(guintptr)*address : 0;
  record->mapped_by = (guint32)self->command.index;
}

static gboolean
apply_mapping (VtrMutator *self)
{
  VkDeviceMemory unmapped = VK_NULL_HANDLE;
  VtrOlderForms forms;

  vtr_older_forms_init (&forms, &self->command);
  switch (forms.command.id)
    {
    case VTR_CMD_vkMapMemory:
      {
        const VtrArgs_vkMapMemory *args = forms.command.args;

        map_memory (self, args->memory, args->offset, args->size, args->ppData);
        return TRUE;
      }
    case VTR_CMD_vkUnmapMemory:
      unmapped = ((const VtrArgs_vkUnmapMemory *)forms.command.args)->memory;
      break;
    default:
      return FALSE;
    }
  {
    VtrStateMemory *record =
      vtr_mutator_edit (self, VTR_HANDLE_VkDeviceMemory, (guint64)unmapped);

    if (record != NULL)
      {
        record->mapped = FALSE;
        record->offset = record->size = record->address = 0;
      }
  }
  return TRUE;
}

/* --- Sparse --- */

static gboolean
same_place (const VtrSparseBind *a,
            const VtrSparseBind *b)
{
  if (a->block != b->block)
    return FALSE;
  if (!a->block)
    return a->offset == b->offset && a->size == b->size;
  return a->subresource.aspectMask == b->subresource.aspectMask &&
         a->subresource.mipLevel == b->subresource.mipLevel &&
         a->subresource.arrayLayer == b->subresource.arrayLayer && a->place.x == b->place.x &&
         a->place.y == b->place.y && a->place.z == b->place.z &&
         a->extent.width == b->extent.width && a->extent.height == b->extent.height &&
         a->extent.depth == b->extent.depth;
}

/* A later binding of the same place replaces the earlier one. */
static void
put_sparse (GArray              **list,
            const VtrSparseBind  *bind)
{
  if (*list == NULL)
    *list = g_array_new (FALSE, FALSE, sizeof (VtrSparseBind));
  for (guint i = 0; i < (*list)->len; i++)
    if (same_place (&g_array_index (*list, VtrSparseBind, i), bind))
      {
        g_array_index (*list, VtrSparseBind, i) = *bind;
        return;
      }
  g_array_append_val (*list, *bind);
}

static void
put_opaque (VtrMutator                *self,
            GArray                   **list,
            const VkSparseMemoryBind  *binds,
            guint32                    n)
{
  for (guint32 i = 0; i < n && binds != NULL; i++)
    {
      VtrSparseBind bind = {
        .offset = binds[i].resourceOffset,
        .size = binds[i].size,
        .memory_offset = binds[i].memoryOffset,
        .memory = vtr_mutator_find (self, VTR_HANDLE_VkDeviceMemory, (guint64)binds[i].memory),
        .command = (guint32)self->command.index,
      };

      put_sparse (list, &bind);
    }
}

static void
put_blocks (VtrMutator                        *self,
            const VkSparseImageMemoryBindInfo *info)
{
  VtrStateImage *image = vtr_mutator_edit (self, VTR_HANDLE_VkImage, (guint64)info->image);

  for (guint32 i = 0; image != NULL && i < info->bindCount && info->pBinds != NULL; i++)
    {
      const VkSparseImageMemoryBind *from = &info->pBinds[i];
      VtrSparseBind bind = {
        .memory_offset = from->memoryOffset,
        .memory = vtr_mutator_find (self, VTR_HANDLE_VkDeviceMemory, (guint64)from->memory),
        .command = (guint32)self->command.index,
        .block = TRUE,
        .subresource = from->subresource,
        .place = from->offset,
        .extent = from->extent,
      };

      put_sparse (&image->sparse, &bind);
    }
}

static void
bind_sparse (VtrMutator             *self,
             const VkBindSparseInfo *info)
{
  for (guint32 i = 0; i < info->bufferBindCount && info->pBufferBinds != NULL; i++)
    {
      VtrStateBuffer *buffer =
        vtr_mutator_edit (self, VTR_HANDLE_VkBuffer, (guint64)info->pBufferBinds[i].buffer);

      if (buffer != NULL)
        put_opaque (self, &buffer->sparse, info->pBufferBinds[i].pBinds,
                    info->pBufferBinds[i].bindCount);
    }
  for (guint32 i = 0; i < info->imageOpaqueBindCount && info->pImageOpaqueBinds != NULL; i++)
    {
      VtrStateImage *image =
        vtr_mutator_edit (self, VTR_HANDLE_VkImage, (guint64)info->pImageOpaqueBinds[i].image);

      if (image != NULL)
        put_opaque (self, &image->sparse, info->pImageOpaqueBinds[i].pBinds,
                    info->pImageOpaqueBinds[i].bindCount);
    }
  for (guint32 i = 0; i < info->imageBindCount && info->pImageBinds != NULL; i++)
    put_blocks (self, &info->pImageBinds[i]);
}

static void
apply_sparse (VtrMutator *self)
{
  ARGS (vkQueueBindSparse);
  guint32 id = vtr_mutator_find (self, VTR_HANDLE_VkQueue, (guint64)(guintptr)args->queue);
  VtrStateQueue *queue = vtr_mutator_edit_id (self, id);

  if (queue != NULL)
    queue->last_sparse = (guint32)self->command.index;
  for (guint32 i = 0; i < args->bindInfoCount && args->pBindInfo != NULL; i++)
    {
      const VkBindSparseInfo *info = &args->pBindInfo[i];
      const VkTimelineSemaphoreSubmitInfo *values =
        vtr_api_find_next (info->pNext, VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO);

      for (guint32 k = 0; k < info->waitSemaphoreCount && info->pWaitSemaphores != NULL; k++)
        vtr_mutator_wait_semaphore (
          self, info->pWaitSemaphores[k],
          values != NULL && values->pWaitSemaphoreValues != NULL &&
              k < values->waitSemaphoreValueCount
            ? values->pWaitSemaphoreValues[k]
            : 0);
      bind_sparse (self, info);
      for (guint32 k = 0; k < info->signalSemaphoreCount && info->pSignalSemaphores != NULL; k++)
        vtr_mutator_signal_semaphore (
          self, info->pSignalSemaphores[k],
          values != NULL && values->pSignalSemaphoreValues != NULL &&
              k < values->signalSemaphoreValueCount
            ? values->pSignalSemaphoreValues[k]
            : 0,
          id);
    }
  vtr_mutator_use_fence (self, args->fence, id);
}

gboolean
vtr_mutator_apply_memory (VtrMutator *self)
{
  if (self->command.id == VTR_CMD_vkQueueBindSparse)
    {
      if (!has_failed (self))
        apply_sparse (self);
      return TRUE;
    }
  if (vtr_facts_wants (self->command.id))
    {
      if (!has_failed (self))
        apply_binding (self);
      return TRUE;
    }
  if (has_failed (self) && vtr_cmd_is (self->command.id, VTR_CLASS_MAP))
    return TRUE;
  return apply_mapping (self);
}
