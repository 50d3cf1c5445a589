/* Saves the state after a request as a snapshot, and restores it before later requests.
 *
 * A snapshot has the contents of all device memory, and the state of fences, events and semaphores.
 * Restoring it destroys the objects that were created since. Older objects are never destroyed or
 * recorded again in between: the builder leaves such calls out or creates new objects instead.
 * Memory is copied as bytes, which is right only if images have no other state. That is so for
 * software drivers; on other drivers no snapshots are made, and every request runs from the
 * beginning. */
#include "vtr-save.h"
#include "vtr-virtual-swapchain.h"
#include "vtr-vk-memory.h"
#include "vtr-vk-sync.h"
#include "vtr-utility.h"

#include "base/vtr-grow.h"

#include <stdlib.h>

/* Most that copies of memory may take. */
#define SAVE_BYTES (3ull << 30)

#define PAGE VTR_SAVE_PAGE

void
vtr_save_free (VtrSave *self)
{
  if (self == NULL)
    return;
  vtr_save_free (self->inner);
  vtr_marks_free (self);
  for (size_t i = 0; i < self->n_memory; i++)
    free (self->memory[i].copy);
  free (self->memory);
  free (self->sync);
  free (self);
}

void
vtr_save_drop (VtrReplayVk *vk)
{
  vtr_save_free (vk->save);
  vk->save = NULL;
}

void
vtr_save_lost (VtrReplayVk           *vk,
               const VtrReplayObject *object)
{
  for (VtrSave *save = vk->save; save != NULL; save = save->inner)
    if (object->serial < save->serial)
      save->lost = true;
}

/* --- Keeping --------------------------------------------------------------------------------- */

static bool
save_memory (VtrSave        *self,
             VtrTable       *table,
             VkDeviceMemory  memory,
             uint64_t        size,
             uint8_t        *map)
{
  VtrSavedMemory *grown, *saved;

  if (size > SAVE_BYTES - self->bytes)
    return false;
  grown = vtr_grow (self->memory, &self->max_memory, self->n_memory + 1, sizeof *grown);
  if (grown == NULL)
    return false;
  self->memory = grown;
  saved = &self->memory[self->n_memory];
  *saved = (VtrSavedMemory){ table, memory, size, map, malloc ((size_t)size + 1) };
  if (saved->copy == NULL)
    return false;
  memcpy (saved->copy, map, (size_t)size);
  self->bytes += size;
  self->n_memory++;
  return true;
}

static bool
save_swapchain (VtrReplayVk     *vk,
                VtrSave         *self,
                VtrReplayObject *object)
{
  VkDeviceMemory memory;
  uint64_t size;

  for (uint32_t i = 0; vtr_virtual_swapchain_get_memory (object, i, &memory, &size); i++)
    {
      uint8_t *map = vtr_virtual_swapchain_map (vk, object, i);

      if (map == NULL || !save_memory (self, object->table, memory, size, map))
        return false;
    }
  return true;
}

static bool
save_sync (VtrReplayVk     *vk,
           VtrSave         *self,
           VtrReplayObject *object)
{
  VtrTable *table = object->table;
  VtrSavedSync saved = { .object = object };
  PFN_vkGetSemaphoreCounterValue get;
  VtrSavedSync *grown =
    vtr_grow (self->sync, &self->max_sync, self->n_sync + 1, sizeof *grown);

  if (grown == NULL)
    return false;
  self->sync = grown;
  switch (object->type)
    {
    case VTR_HANDLE_VkFence:
      saved.set = VTR_CALL (vk, table, vkGetFenceStatus) (
                    table->device, VTR_HANDLE_FROM (VkFence, object->handle)) == VK_SUCCESS;
      break;
    case VTR_HANDLE_VkEvent:
      saved.set = VTR_CALL (vk, table, vkGetEventStatus) (
                    table->device, VTR_HANDLE_FROM (VkEvent, object->handle)) == VK_EVENT_SET;
      break;
    default:
      saved.set = object->info.semaphore.signaled;
      if (!object->info.semaphore.timeline)
        break;
      get = VTR_CALL (vk, table, vkGetSemaphoreCounterValue);
      if (get == NULL || get (table->device, VTR_HANDLE_FROM (VkSemaphore, object->handle),
                              &saved.value) != VK_SUCCESS)
        return false;
    }
  self->sync[self->n_sync++] = saved;
  return true;
}

static bool
save_object (VtrReplayVk     *vk,
             VtrSave         *self,
             uint64_t         since,
             VtrReplayObject *object)
{
  uint8_t *map;

  if (object->serial < since && object->type != VTR_HANDLE_VkFence &&
      object->type != VTR_HANDLE_VkEvent && object->type != VTR_HANDLE_VkSemaphore)
    return true;
  switch (object->type)
    {
    case VTR_HANDLE_VkDeviceMemory:
      /* Memory of another device lies wherever its resources lie. */
      if (object->info.memory.scatter != NULL || !vtr_memory_is_host_visible (object))
        return false;
      map = vtr_memory_map (vk, object);
      return map != NULL && save_memory (self, object->table,
                                         VTR_HANDLE_FROM (VkDeviceMemory, object->handle),
                                         object->info.memory.size, map);
    case VTR_HANDLE_VkSwapchainKHR:
      return save_swapchain (vk, self, object);
    case VTR_HANDLE_VkFence:
    case VTR_HANDLE_VkEvent:
    case VTR_HANDLE_VkSemaphore:
      return save_sync (vk, self, object);
    default:
      return true;
    }
}

/* Bytes are all there is to an image only where a program draws them. */
static bool
save_possible (VtrReplayVk *vk)
{
  if (vtr_sync_is_blocked (vk))
    return false;
  for (VtrTable *table = vk->tables; table != NULL; table = table->next)
    {
      VkPhysicalDeviceProperties properties;

      if (table->device == VK_NULL_HANDLE)
        continue;
      VTR_CALL (vk, table->parent, vkGetPhysicalDeviceProperties)
      (table->physical, &properties);
      if (properties.deviceType != VK_PHYSICAL_DEVICE_TYPE_CPU)
        return false;
    }
  return true;
}

VtrSave *
vtr_save_new (VtrReplayVk *vk,
              uint64_t     serial)
{
  VtrSave *self;
  bool fine = true;

  if (!vtr_sync_wait_for_devices (vk))
    return NULL;
  self = calloc (1, sizeof *self);
  if (self == NULL)
    return NULL;
  self->serial = vk->next_serial;
  for (VtrReplayObject *object = vk->oldest; fine && object != NULL; object = object->newer)
    fine = save_object (vk, self, serial, object);
  if (fine)
    return self;
  vtr_save_free (self);
  return NULL;
}

bool
vtr_save_keep (void *data)
{
  VtrReplayVk *vk = data;

  if (save_possible (vk))
    vk->save = vtr_save_new (vk, 0);
  return vk->save != NULL;
}

/* --- Going back ------------------------------------------------------------------------------ */

/* Comparing first leaves most pages untouched, and the cache to others. */
static void
restore_memory (const VtrSavedMemory *saved)
{
  for (uint64_t at = 0; at < saved->size; at += PAGE)
    {
      size_t size = saved->size - at < PAGE ? (size_t)(saved->size - at) : PAGE;

      if (memcmp (saved->map + at, saved->copy + at, size) != 0)
        memcpy (saved->map + at, saved->copy + at, size);
    }
}

static bool
restore_fence (VtrReplayVk        *vk,
               const VtrSavedSync *saved)
{
  VtrTable *table = saved->object->table;
  VkFence fence = VTR_HANDLE_FROM (VkFence, saved->object->handle);
  bool set = VTR_CALL (vk, table, vkGetFenceStatus) (table->device, fence) == VK_SUCCESS;

  if (set == saved->set)
    return true;
  if (set)
    return VTR_CALL (vk, table, vkResetFences) (table->device, 1, &fence) == VK_SUCCESS;
  return vtr_utility_queue (vk, table) &&
         VTR_CALL (vk, table, vkQueueSubmit) (table->utility.queue, 0, NULL, fence) == VK_SUCCESS;
}

static bool
restore_event (VtrReplayVk        *vk,
               const VtrSavedSync *saved)
{
  VtrTable *table = saved->object->table;
  VkEvent event = VTR_HANDLE_FROM (VkEvent, saved->object->handle);

  vtr_events_note (vk, saved->object, saved->set);
  if (saved->set)
    return VTR_CALL (vk, table, vkSetEvent) (table->device, event) == VK_SUCCESS;
  return VTR_CALL (vk, table, vkResetEvent) (table->device, event) == VK_SUCCESS;
}

static bool
restore_binary (VtrReplayVk        *vk,
                const VtrSavedSync *saved)
{
  VtrTable *table = saved->object->table;
  VkSemaphore semaphore = VTR_HANDLE_FROM (VkSemaphore, saved->object->handle);
  VkPipelineStageFlags stage = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
  VkSubmitInfo submit = { .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO };

  if (saved->object->info.semaphore.signaled == saved->set)
    return true;
  if (saved->set)
    {
      submit.signalSemaphoreCount = 1;
      submit.pSignalSemaphores = &semaphore;
    }
  else
    {
      submit.waitSemaphoreCount = 1;
      submit.pWaitSemaphores = &semaphore;
      submit.pWaitDstStageMask = &stage;
    }
  saved->object->info.semaphore.signaled = saved->set;
  return vtr_utility_queue (vk, table) &&
         VTR_CALL (vk, table, vkQueueSubmit) (table->utility.queue, 1, &submit, VK_NULL_HANDLE) ==
           VK_SUCCESS;
}

/* A timeline only grows: a new one takes its place. */
static bool
restore_timeline (VtrReplayVk        *vk,
                  VtrSave            *self,
                  const VtrSavedSync *saved)
{
  VtrReplayObject *object = saved->object;
  VtrTable *table = object->table;
  VkSemaphore old = VTR_HANDLE_FROM (VkSemaphore, object->handle);
  VkSemaphoreTypeCreateInfo type = {
    .sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO,
    .semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE,
    .initialValue = saved->value,
  };
  VkSemaphoreCreateInfo info = { .sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO,
                                 .pNext = &type };
  VkSemaphore made;
  uint64_t value;

  if (VTR_CALL (vk, table, vkGetSemaphoreCounterValue) (table->device, old, &value) != VK_SUCCESS)
    return false;
  object->info.semaphore.reach = saved->value;
  if (value == saved->value)
    return true;
  if (VTR_CALL (vk, table, vkCreateSemaphore) (table->device, &info, NULL, &made) != VK_SUCCESS)
    return false;
  if (!vk->host.rename_kept (vk->host.data, self != vk->save, VTR_HANDLE_BITS (old),
                             VTR_HANDLE_BITS (made)) ||
      (self != vk->save && object->serial < vk->save->serial &&
       !vk->host.rename_kept (vk->host.data, false, VTR_HANDLE_BITS (old),
                              VTR_HANDLE_BITS (made))))
    {
      VTR_CALL (vk, table, vkDestroySemaphore)
      (table->device, made, NULL);
      return false;
    }
  VTR_CALL (vk, table, vkDestroySemaphore)
  (table->device, old, NULL);
  vtr_objects_rename (vk, object, VTR_HANDLE_BITS (made));
  return true;
}

static bool
restore_sync (VtrReplayVk        *vk,
              VtrSave            *self,
              const VtrSavedSync *saved)
{
  switch (saved->object->type)
    {
    case VTR_HANDLE_VkFence:
      return restore_fence (vk, saved);
    case VTR_HANDLE_VkEvent:
      return restore_event (vk, saved);
    default:
      if (saved->object->info.semaphore.timeline)
        return restore_timeline (vk, self, saved);
      return restore_binary (vk, saved);
    }
}

bool
vtr_save_rewind (void *data,
                 bool  inner)
{
  VtrReplayVk *vk = data;
  /* The request's; what fails from here on does not count. */
  const VtrVmError error = vk->vm->error;
  VtrSave *self = vk->save;
  bool fine;

  if (self == NULL || vtr_sync_is_blocked (vk) || (inner && self->inner == NULL))
    return false;
  if (inner)
    self = self->inner;
  else
    {
      vtr_save_free (self->inner);
      self->inner = NULL;
    }
  fine = vtr_sync_wait_for_devices (vk);
  vtr_objects_destroy_since (vk, self->serial);
  fine = fine && !self->lost && !vk->save->lost;
  for (size_t i = 0; fine && i < self->n_sync; i++)
    fine = restore_sync (vk, self, &self->sync[i]);
  fine = fine && vtr_sync_wait_for_devices (vk);
  for (size_t i = 0; fine && self == vk->save && i < self->n_memory; i++)
    restore_memory (&self->memory[i]);
  vk->vm->error = error;
  return fine;
}
