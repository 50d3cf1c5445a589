/* The pass that fills a VtrHistory. What begins and ends comes from the tables; only names, memory
   bindings and descriptor writes, which make no object, are looked for by command. */
#include "engine/vulkan/state/vtr-history-private.h"

#include "api/vtr-api-args.h"
#include "api/vtr-api-program.h"

typedef struct
{
  VtrHistory *history;
  VtrArena arena;
  const VtrCommand *command;
  guint32 parent;  /* of what the command creates */
  guint32 element; /* counts the handles it wrote */
} VtrHistoryBuilder;

static guint32
builder_lookup (VtrHistoryBuilder *self,
                guint32            type,
                guint64            handle)
{
  return vtr_lifetimes_get_current (self->history->lifetimes, vtr_vulkan_identity (type, handle));
}

/* What the decoder did not follow is NULL in its trees. */
static const VtrApiEnv decoded_env = { .decoded = true };

static void
on_created_handle (gpointer              data,
                   const VtrVisitHandle *handle)
{
  VtrHistoryBuilder *self = data;
  const VtrApiLifetime *create = &vtr_cmd_get (self->command->id)->create;
  guint64 value;
  guint32 known;

  if (!handle->out || handle->ignored || handle->type != create->handle)
    return;

  value = vtr_visit_handle_get (handle);
  if (value != 0)
    {
      known = builder_lookup (self, handle->type, value);
      /* A getter hands out what is there already: queues, swapchain images, physical devices. */
      if (known == 0 || vtr_cmd_is (self->command->id, VTR_CLASS_CREATE) ||
          vtr_history_get_object (self->history, known)->parent != self->parent)
        vtr_lifetimes_begin (self->history->lifetimes, vtr_vulkan_identity (handle->type, value),
                             self->command->index, self->element, self->parent);
    }
  self->element++;
}

static void
on_destroyed_handle (gpointer              data,
                     const VtrVisitHandle *handle)
{
  VtrHistoryBuilder *self = data;
  const VtrApiLifetime *destroy = &vtr_cmd_get (self->command->id)->destroy;
  guint64 value;
  guint32 id;

  if (handle->out || handle->ignored || handle->type != destroy->handle)
    return;

  value = vtr_visit_handle_get (handle);
  id = builder_lookup (self, handle->type, value);
  if (id != 0)
    vtr_lifetimes_end_object (self->history->lifetimes, id, self->command->index);
}

typedef struct
{
  VtrHistoryBuilder *builder;
  guint64 pool; /* value that the tables call the pool; 0: none */
  guint32 parent_type;
  guint32 from_pool, from_type; /* (out) ids */
} VtrParentSearch;

static void
on_parent_candidate (gpointer              data,
                     const VtrVisitHandle *handle)
{
  VtrParentSearch *search = data;
  guint64 value;

  if (handle->out || handle->ignored)
    return;

  value = vtr_visit_handle_get (handle);
  if (search->pool != 0 && value == search->pool && search->from_pool == 0)
    search->from_pool = builder_lookup (search->builder, handle->type, value);
  if (handle->type == search->parent_type && search->from_type == 0)
    search->from_type = builder_lookup (search->builder, handle->type, value);
}

/* The pool or swapchain things come from; else the first argument of the type the registry calls
   the parent; else what the command is called on. */
static guint32
builder_find_parent (VtrHistoryBuilder *self)
{
  const VtrApiCommand *api = vtr_cmd_get (self->command->id);
  VtrParentSearch search = {
    .builder = self,
    .parent_type = vtr_handle_get (api->create.handle)->parent,
  };
  VtrApiVisitor visitor = { .data = &search, .handle = on_parent_candidate };
  VtrProgramResult pool = { 0 };
  VtrScope scope;

  if (api->create.pool != 0)
    {
      vtr_scope_init_args (&scope, self->command->id, self->command->args);
      pool = vtr_program_run (api->create.pool, &scope, &decoded_env, 0);
      if (pool.known)
        search.pool = (guint64)pool.value;
    }
  vtr_api_visit (self->command->id, self->command->args, &decoded_env, &visitor);
  if (search.from_pool != 0)
    return search.from_pool;
  if (search.from_type != 0)
    return search.from_type;
  if (api->dispatch == VTR_HANDLE_NONE || api->n_params == 0)
    return 0;
  return builder_lookup (self, api->dispatch, (guint64) * (const guintptr *)self->command->args);
}

static void
builder_create (VtrHistoryBuilder *self)
{
  VtrApiVisitor visitor = { .data = self, .handle = on_created_handle };

  self->parent = builder_find_parent (self);
  self->element = 0;
  vtr_api_visit (self->command->id, self->command->args, &decoded_env, &visitor);
}

static void
builder_destroy (VtrHistoryBuilder *self)
{
  VtrApiVisitor visitor = { .data = self, .handle = on_destroyed_handle };

  vtr_api_visit (self->command->id, self->command->args, &decoded_env, &visitor);
}

static void
builder_reset_descriptor_pool (VtrHistoryBuilder *self)
{
  const VtrArgs_vkResetDescriptorPool *args = self->command->args;
  guint32 pool = builder_lookup (self, VTR_HANDLE_VkDescriptorPool, (guint64)args->descriptorPool);

  if (pool != 0)
    vtr_lifetimes_end_children (self->history->lifetimes, pool, self->command->index);
}

static void
builder_set_name (VtrHistoryBuilder *self,
                  guint32            type,
                  guint64            handle,
                  const char        *name)
{
  guint32 id = builder_lookup (self, type, handle);

  if (id != 0)
    vtr_lifetimes_set_name (self->history->lifetimes, id, name);
}

static void
builder_name_object (VtrHistoryBuilder *self)
{
  if (self->command->id == VTR_CMD_vkSetDebugUtilsObjectNameEXT)
    {
      const VtrArgs_vkSetDebugUtilsObjectNameEXT *args = self->command->args;

      if (args->pNameInfo != NULL)
        builder_set_name (self,
                          vtr_handle_from_object_type (vtr_api_of (self->command->id),
                                                       args->pNameInfo->objectType),
                          args->pNameInfo->objectHandle, args->pNameInfo->pObjectName);
    }
  else
    {
      const VtrArgs_vkDebugMarkerSetObjectNameEXT *args = self->command->args;

      if (args->pNameInfo != NULL)
        builder_set_name (self, vtr_handle_from_report_type (args->pNameInfo->objectType),
                          args->pNameInfo->object, args->pNameInfo->pObjectName);
    }
}

static void
builder_bind_memory (VtrHistoryBuilder *self,
                     guint32            type,
                     guint64            handle)
{
  guint32 id = builder_lookup (self, type, handle);

  if (id != 0)
    g_hash_table_insert (self->history->bindings, GUINT_TO_POINTER (id),
                         g_memdup2 (&self->command->index, sizeof (guint64)));
}

/* Pages come and go: what counts is when the first one came. */
static void
builder_bind_sparse (VtrHistoryBuilder *self,
                     guint32            type,
                     guint64            handle,
                     VkDeviceMemory     memory)
{
  guint32 id = memory != VK_NULL_HANDLE ? builder_lookup (self, type, handle) : 0;

  if (id != 0 && !g_hash_table_contains (self->history->bindings, GUINT_TO_POINTER (id)))
    builder_bind_memory (self, type, handle);
}

static void
builder_bind_pages (VtrHistoryBuilder      *self,
                    const VkBindSparseInfo *info)
{
  for (guint32 i = 0; i < info->bufferBindCount && info->pBufferBinds != NULL; i++)
    for (guint32 k = 0;
         k < info->pBufferBinds[i].bindCount && info->pBufferBinds[i].pBinds != NULL; k++)
      builder_bind_sparse (self, VTR_HANDLE_VkBuffer, (guint64)info->pBufferBinds[i].buffer,
                           info->pBufferBinds[i].pBinds[k].memory);
  for (guint32 i = 0; i < info->imageOpaqueBindCount && info->pImageOpaqueBinds != NULL; i++)
    for (guint32 k = 0;
         k < info->pImageOpaqueBinds[i].bindCount && info->pImageOpaqueBinds[i].pBinds != NULL; k++)
      builder_bind_sparse (self, VTR_HANDLE_VkImage, (guint64)info->pImageOpaqueBinds[i].image,
                           info->pImageOpaqueBinds[i].pBinds[k].memory);
  for (guint32 i = 0; i < info->imageBindCount && info->pImageBinds != NULL; i++)
    for (guint32 k = 0; k < info->pImageBinds[i].bindCount && info->pImageBinds[i].pBinds != NULL;
         k++)
      builder_bind_sparse (self, VTR_HANDLE_VkImage, (guint64)info->pImageBinds[i].image,
                           info->pImageBinds[i].pBinds[k].memory);
}

static void
builder_write_set (VtrHistoryBuilder *self,
                   VkDescriptorSet    set)
{
  guint32 id = builder_lookup (self, VTR_HANDLE_VkDescriptorSet, (guint64)set);
  GArray *list;

  if (id == 0)
    return;

  list = g_hash_table_lookup (self->history->set_writes, GUINT_TO_POINTER (id));
  if (list == NULL)
    {
      list = g_array_new (FALSE, FALSE, sizeof (guint64));
      g_hash_table_insert (self->history->set_writes, GUINT_TO_POINTER (id), list);
    }
  if (list->len == 0 || g_array_index (list, guint64, list->len - 1) != self->command->index)
    g_array_append_val (list, self->command->index);
}

static void
builder_update_sets (VtrHistoryBuilder *self)
{
  const VtrArgs_vkUpdateDescriptorSets *args = self->command->args;

  for (guint32 i = 0; i < args->descriptorWriteCount && args->pDescriptorWrites != NULL; i++)
    builder_write_set (self, args->pDescriptorWrites[i].dstSet);
  for (guint32 i = 0; i < args->descriptorCopyCount && args->pDescriptorCopies != NULL; i++)
    builder_write_set (self, args->pDescriptorCopies[i].dstSet);
}

/* Commands that change an object beyond its creation. */
static gboolean
is_mutation (VtrCmdId id)
{
  switch (id)
    {
    case VTR_CMD_vkResetDescriptorPool:
    case VTR_CMD_vkSetDebugUtilsObjectNameEXT:
    case VTR_CMD_vkDebugMarkerSetObjectNameEXT:
    case VTR_CMD_vkBindBufferMemory:
    case VTR_CMD_vkBindBufferMemory2:
    case VTR_CMD_vkBindImageMemory:
    case VTR_CMD_vkBindImageMemory2:
    case VTR_CMD_vkQueueBindSparse:
    case VTR_CMD_vkUpdateDescriptorSets:
    case VTR_CMD_vkUpdateDescriptorSetWithTemplate:
      return TRUE;
    default:
      return FALSE;
    }
}

static void
builder_mutate (VtrHistoryBuilder *self)
{
  gconstpointer args = self->command->args;

  switch (vtr_cmd_canonical (self->command->id))
    {
    case VTR_CMD_vkResetDescriptorPool:
      builder_reset_descriptor_pool (self);
      break;
    case VTR_CMD_vkBindBufferMemory:
      builder_bind_memory (self, VTR_HANDLE_VkBuffer,
                           (guint64)((const VtrArgs_vkBindBufferMemory *)args)->buffer);
      break;
    case VTR_CMD_vkBindImageMemory:
      builder_bind_memory (self, VTR_HANDLE_VkImage,
                           (guint64)((const VtrArgs_vkBindImageMemory *)args)->image);
      break;
    case VTR_CMD_vkQueueBindSparse:
      {
        const VtrArgs_vkQueueBindSparse *bind = args;

        for (guint32 i = 0; i < bind->bindInfoCount && bind->pBindInfo != NULL; i++)
          builder_bind_pages (self, &bind->pBindInfo[i]);
        break;
      }
    case VTR_CMD_vkBindBufferMemory2:
      {
        const VtrArgs_vkBindBufferMemory2 *bind = args;

        for (guint32 i = 0; i < bind->bindInfoCount && bind->pBindInfos != NULL; i++)
          builder_bind_memory (self, VTR_HANDLE_VkBuffer, (guint64)bind->pBindInfos[i].buffer);
        break;
      }
    case VTR_CMD_vkBindImageMemory2:
      {
        const VtrArgs_vkBindImageMemory2 *bind = args;

        for (guint32 i = 0; i < bind->bindInfoCount && bind->pBindInfos != NULL; i++)
          builder_bind_memory (self, VTR_HANDLE_VkImage, (guint64)bind->pBindInfos[i].image);
        break;
      }
    case VTR_CMD_vkUpdateDescriptorSets:
      builder_update_sets (self);
      break;
    case VTR_CMD_vkUpdateDescriptorSetWithTemplate:
      builder_write_set (
        self, ((const VtrArgs_vkUpdateDescriptorSetWithTemplate *)args)->descriptorSet);
      break;
    default:
      builder_name_object (self);
      break;
    }
}

/* A command that cannot be decoded is passed over: the rest of the trace is still worth seeing, and
   the report names it. */
static void
builder_command (VtrHistoryBuilder *self,
                 guint64            index)
{
  VtrTrace *trace = self->history->trace;
  VtrCmdId id = vtr_trace_get_command_id (trace, index);
  const VtrApiCommand *api;
  gboolean mutation;
  VtrCommand command;

  if (!vtr_cmd_is_vulkan (id))
    return;
  api = vtr_cmd_get (id);
  mutation = is_mutation (vtr_cmd_canonical (id));
  if (api->create.handle == VTR_HANDLE_NONE && api->destroy.handle == VTR_HANDLE_NONE && !mutation)
    return;

  vtr_arena_reset (&self->arena);
  if (!vtr_trace_decode (trace, index, &self->arena, &command, NULL))
    return;

  self->command = &command;
  if (api->create.handle != VTR_HANDLE_NONE)
    builder_create (self);
  if (api->destroy.handle != VTR_HANDLE_NONE)
    builder_destroy (self);
  if (mutation)
    builder_mutate (self);
  self->command = NULL;
}

static gboolean
builder_pass (VtrHistoryBuilder  *self,
              VtrTraceProgress    progress,
              gpointer            data,
              GCancellable       *cancellable,
              GError            **error)
{
  guint64 n = vtr_trace_get_n_commands (self->history->trace);

  for (guint64 i = 0; i < n; i++)
    {
      if (i % 1024 == 0)
        {
          if (g_cancellable_set_error_if_cancelled (cancellable, error))
            return FALSE;
          if (progress != NULL)
            progress (i, n, data);
        }
      builder_command (self, i);
    }
  return TRUE;
}

VtrHistory *
vtr_history_build (VtrTrace          *trace,
                   VtrTraceProgress   progress,
                   gpointer           data,
                   GCancellable      *cancellable,
                   GError           **error)
{
  g_autoptr (VtrHistory) self = g_new0 (VtrHistory, 1);
  VtrHistoryBuilder builder = { .history = self };
  gboolean done;

  g_atomic_ref_count_init (&self->refs);
  self->trace = vtr_trace_ref (trace);
  self->lifetimes = vtr_lifetimes_new ();
  self->set_writes = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify)g_array_unref);
  self->bindings = g_hash_table_new_full (NULL, NULL, NULL, g_free);

  vtr_arena_init (&builder.arena);
  done = builder_pass (&builder, progress, data, cancellable, error);
  vtr_arena_finish (&builder.arena);
  if (!done)
    return NULL;

  vtr_lifetimes_finish (self->lifetimes);
  return g_steal_pointer (&self);
}
