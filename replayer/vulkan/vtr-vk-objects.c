/* The objects that a request created: a hash table to find them, and a list in order of creation to
 * destroy them. */
#include "vtr-vk-objects.h"

#include <stdlib.h>

static size_t
vtr_objects_bucket (const VtrReplayVk *vk,
                    VtrHandleId        type,
                    uint64_t           handle)
{
  return (size_t)(((handle ^ (uint64_t)type << 48) * 0x9e3779b97f4a7c15ull) >> 32) &
         (vk->n_buckets - 1);
}

static bool
vtr_objects_grow (VtrReplayVk *vk)
{
  VtrReplayObject **old = vk->buckets;
  size_t n_old = vk->n_buckets;
  VtrReplayObject **buckets = calloc (n_old == 0 ? 256 : n_old * 2, sizeof *buckets);

  if (buckets == NULL)
    return n_old > 0;
  vk->buckets = buckets;
  vk->n_buckets = n_old == 0 ? 256 : n_old * 2;
  /* Oldest first, so that of equal handles the newest comes first in its chain again. */
  for (VtrReplayObject *object = vk->oldest; object != NULL; object = object->newer)
    {
      VtrReplayObject **bucket = &buckets[vtr_objects_bucket (vk, object->type, object->handle)];

      object->chain = *bucket;
      *bucket = object;
    }
  free (old);
  return true;
}

VtrReplayObject *
vtr_objects_find (VtrReplayVk *vk,
                  VtrHandleId  type,
                  uint64_t     handle)
{
  VtrReplayObject *object;

  if (vk->n_buckets == 0)
    return NULL;
  object = vk->buckets[vtr_objects_bucket (vk, type, handle)];
  while (object != NULL && (object->handle != handle || object->type != type))
    object = object->chain;
  return object;
}

VtrReplayObject *
vtr_objects_need (VtrReplayVk *vk,
                  VtrHandleId  type,
                  uint64_t     handle)
{
  VtrReplayObject *object = vtr_objects_find (vk, type, handle);

  if (object == NULL)
    vtr_vm_fail (vk->vm, VTR_VM_ERROR_PAYLOAD, "0x%llx is no live %s.",
                 (unsigned long long)handle, vtr_api_string (vtr_handle_get (type)->name));
  return object;
}

/* The table of the object's creator; instances and devices get their own afterwards. */
static VtrTable *
vtr_objects_parent_table (VtrReplayVk *vk,
                          uint64_t     parent)
{
  static const VtrHandleId types[] = { VTR_HANDLE_VkDevice, VTR_HANDLE_VkInstance,
                                       VTR_HANDLE_VkPhysicalDevice };

  for (size_t i = 0; i < sizeof types / sizeof *types; i++)
    {
      const VtrReplayObject *object = vtr_objects_find (vk, types[i], parent);

      if (object != NULL)
        return object->table;
    }
  return NULL;
}

static VtrReplayObject *
vtr_objects_add (VtrReplayVk *vk,
                 VtrHandleId  type,
                 uint64_t     handle,
                 uint64_t     parent,
                 uint64_t     pool,
                 bool         journaled)
{
  VtrReplayObject *object = NULL, **bucket;

  if (handle == 0)
    return NULL;
  if (vk->n_objects < vk->n_buckets || vtr_objects_grow (vk))
    object = calloc (1, sizeof *object);
  if (object == NULL)
    {
      vtr_vm_fail (vk->vm, VTR_VM_ERROR_MEMORY, "The replayer ran out of memory.");
      return NULL;
    }
  object->type = type;
  object->serial = vk->next_serial++;
  object->handle = handle;
  object->parent = parent;
  object->pool = pool;
  object->journaled = journaled;
  object->table = vtr_objects_parent_table (vk, parent);
  object->older = vk->newest;
  *(vk->newest != NULL ? &vk->newest->newer : &vk->oldest) = object;
  vk->newest = object;
  bucket = &vk->buckets[vtr_objects_bucket (vk, type, handle)];
  object->chain = *bucket;
  *bucket = object;
  vk->n_objects++;
  return object;
}

VtrReplayObject *
vtr_objects_created (VtrReplayVk *vk,
                     VtrHandleId  type,
                     uint64_t     handle,
                     uint64_t     parent,
                     uint64_t     pool)
{
  return vtr_objects_add (vk, type, handle, parent, pool, true);
}

VtrReplayObject *
vtr_objects_seen (VtrReplayVk *vk,
                  VtrHandleId  type,
                  uint64_t     handle,
                  uint64_t     parent,
                  uint64_t     pool)
{
  VtrReplayObject *object = vtr_objects_find (vk, type, handle);

  return object != NULL ? object : vtr_objects_add (vk, type, handle, parent, pool, false);
}

void *
vtr_replay_vk_output (VtrReplayVk *vk,
                      const void  *to,
                      uint64_t     size)
{
  void *at = vtr_vm_memory_resolve (&vk->vm->memory, VTR_VM_ABSOLUTE, (uintptr_t)to, size,
                                    VTR_VM_WRITE);

  if (at == NULL)
    vtr_vm_fail (vk->vm, VTR_VM_ERROR_PAYLOAD,
                 "The result would lie outside the machine's memory.");
  return at;
}

void
vtr_objects_fake (VtrReplayVk *vk,
                  uint64_t     to)
{
  /* Never passed to a driver; odd, so that no driver's pointer is alike. */
  const uint64_t handle = 0xfaceull << 48 | (vk->n_fakes++ << 1) | 1;
  void *at = vtr_replay_vk_output (vk, (const void *)(uintptr_t)to, sizeof handle);

  if (at != NULL)
    memcpy (at, &handle, sizeof handle);
}

/* --- Forgetting ------------------------------------------------------------------------------ */

static void
vtr_objects_remove (VtrReplayVk     *vk,
                    VtrReplayObject *object)
{
  VtrReplayObject **link = &vk->buckets[vtr_objects_bucket (vk, object->type, object->handle)];
  VtrLastOwner *last = &vk->last[vtr_table_slot (object->type)];

  while (*link != object)
    link = &(*link)->chain;
  *link = object->chain;
  *(object->newer != NULL ? &object->newer->older : &vk->newest) = object->older;
  *(object->older != NULL ? &object->older->newer : &vk->oldest) = object->newer;
  vk->n_objects--;
  if (last->handle == object->handle)
    last->handle = 0;
  vk->forget_object (vk, object);
  free (object);
}

/* Forgets the command buffers of a pool: destroying it frees them. */
static void
vtr_objects_remove_pooled (VtrReplayVk     *vk,
                           VtrReplayObject *pool)
{
  VtrReplayObject *object = vk->newest;

  /* They are younger than their pool. */
  while (object != pool)
    {
      VtrReplayObject *older = object->older;

      if (object->type == VTR_HANDLE_VkCommandBuffer && object->pool == pool->handle)
        vtr_objects_remove (vk, object);
      object = older;
    }
}

void
vtr_objects_destroying (VtrReplayVk *vk,
                        VtrHandleId  type,
                        uint64_t     handle)
{
  VtrReplayObject *object = handle != 0 ? vtr_objects_find (vk, type, handle) : NULL;

  if (object == NULL)
    return;
  if (type == VTR_HANDLE_VkCommandPool)
    vtr_objects_remove_pooled (vk, object);
  vtr_objects_remove (vk, object);
}

void
vtr_objects_forget_table (VtrReplayVk    *vk,
                          const VtrTable *table)
{
  VtrReplayObject *object = vk->newest;

  while (object != NULL)
    {
      VtrReplayObject *older = object->older;

      if (object->table == table)
        vtr_objects_remove (vk, object);
      object = older;
    }
}

/* --- The end --------------------------------------------------------------------------------- */

void
vtr_objects_rename (VtrReplayVk     *vk,
                    VtrReplayObject *object,
                    uint64_t         handle)
{
  VtrReplayObject **link = &vk->buckets[vtr_objects_bucket (vk, object->type, object->handle)];

  while (*link != object)
    link = &(*link)->chain;
  *link = object->chain;
  object->handle = handle;
  link = &vk->buckets[vtr_objects_bucket (vk, object->type, handle)];
  object->chain = *link;
  *link = object;
}

void
vtr_objects_destroy_since (VtrReplayVk *vk,
                           uint64_t     serial)
{
  while (vk->newest != NULL && vk->newest->serial >= serial)
    {
      VtrReplayObject *object = vk->newest;
      VtrCmdId destroyer = vtr_thunk_destroyers[object->type];
      uint64_t args[3] = { object->parent, object->handle, 0 };

      if (object->type == VTR_HANDLE_VkInstance || object->type == VTR_HANDLE_VkDevice)
        {
          args[0] = object->handle;
          args[1] = 0;
        }
      if (object->journaled && destroyer != VTR_CMD_NONE && vtr_thunks[destroyer] != NULL)
        vtr_thunks[destroyer](vk, args);
      if (vk->newest == object)
        vtr_objects_remove (vk, object);
    }
}
