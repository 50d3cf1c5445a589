/* Marks the objects and initial commands that the frames of a trace need, directly or through
 * other objects. */
#include "engine/vulkan/trim/vtr-trim-reach.h"

#include "vtr-config.h"

#include "api/vtr-api-args.h"
#include "vulkan/vtr-vulkan-env.h"

#include <glib/gi18n-lib.h>

/* The parameters of a command, which a switch has found. */
#define ARGS(cmd) ((const VtrArgs_##cmd *)args)

typedef struct
{
  VtrTrimReach *reach;
  VtrApiEnv env;
  VtrArena arena;        /* of one command */
  GHashTable *templates; /* value → GArray of VkDescriptorUpdateTemplateEntry */
  GArray *refs;          /* guint32 ids that initial commands name, one after the other */
  gsize *first_ref;      /* of each initial command in .refs, and of the one behind the last */
  guint8 *follows;       /* of initial commands: belongs to the one before */
  GArray **about;        /* of objects, by id: guint32 commands that go with it; NULL: none */
  GArray *work;          /* ids of objects that are needed and have not been looked at */
  /* The command that is looked at: */
  guint64 index;
  const VtrApiCommand *api;
  gboolean found_subject;
  gboolean alone; /* a command of the recorder's own command buffer */
} Search;

/* ---- Objects by handle ---- */

typedef struct
{
  guint64 handle;
  guint32 type;
} Key;

static guint
hash_key (gconstpointer data)
{
  const Key *key = data;

  return (guint)(((key->handle ^ (guint64)key->type << 56) *
                  G_GUINT64_CONSTANT (0x9e3779b97f4a7c15)) >>
                 32);
}

static gboolean
equal_keys (gconstpointer a,
            gconstpointer b)
{
  const Key *left = a, *right = b;

  return left->handle == right->handle && left->type == right->type;
}

static void
index_objects (VtrTrimReach *self)
{
  guint32 n = vtr_history_get_n_objects (self->history);

  self->by_handle =
    g_hash_table_new_full (hash_key, equal_keys, g_free, (GDestroyNotify)g_array_unref);
  for (guint32 id = 1; id <= n; id++)
    {
      const VtrObject *object = vtr_history_get_object (self->history, id);
      const Key key = { object->handle, object->type };
      GArray *ids = g_hash_table_lookup (self->by_handle, &key);

      if (object->created >= self->n_initial)
        continue;
      if (ids == NULL)
        {
          ids = g_array_new (FALSE, FALSE, sizeof (guint32));
          g_hash_table_insert (self->by_handle, g_memdup2 (&key, sizeof key), ids);
        }
      g_array_append_val (ids, id);
    }
}

void
vtr_trim_reach_look_up (const VtrTrimReach *self,
                        guint32             type,
                        guint64             handle,
                        guint64             index,
                        gboolean            made,
                        VtrTrimEach         each,
                        gpointer            data)
{
  const Key key = { handle, type };
  const GArray *ids = g_hash_table_lookup (self->by_handle, &key);

  for (guint i = 0; ids != NULL && i < ids->len; i++)
    {
      guint32 id = g_array_index (ids, guint32, i);
      const VtrObject *object = vtr_history_get_object (self->history, id);

      if ((made ? object->created <= index : object->created < index) &&
          object->destroyed >= index)
        each (data, id);
    }
}

/* ---- What goes with what ---- */

static void
need (Search  *self,
      guint32  id)
{
  if (self->reach->needed[id])
    return;
  self->reach->needed[id] = TRUE;
  g_array_append_val (self->work, id);
}

static void
on_needed (gpointer data,
           guint32  id)
{
  need (data, id);
}

static void
on_ref (gpointer data,
        guint32  id)
{
  g_array_append_val (((Search *)data)->refs, id);
}

/* The command goes with the object. */
static void
on_about (gpointer data,
          guint32  id)
{
  Search *self = data;
  guint32 command = (guint32)self->index;

  if (self->about[id] == NULL)
    self->about[id] = g_array_new (FALSE, FALSE, sizeof command);
  g_array_append_val (self->about[id], command);
  self->found_subject = TRUE;
}

static void
on_setting (gpointer data,
            guint32  id)
{
  ((Search *)data)->reach->settings[id] = TRUE;
}

static void
on_whole (gpointer data,
          guint32  id)
{
  ((Search *)data)->reach->whole[id] = TRUE;
}

static void
look_up (Search      *self,
         guint32      type,
         guint64      handle,
         gboolean     made,
         VtrTrimEach  each)
{
  if (handle != 0)
    vtr_trim_reach_look_up (self->reach, type, handle, self->index, made, each, self);
}

/* Objects to which everything belongs, so naming them does not count as a use. */
static gboolean
is_common (guint32 type)
{
  return type == VTR_HANDLE_VkInstance || type == VTR_HANDLE_VkPhysicalDevice ||
         type == VTR_HANDLE_VkDevice || type == VTR_HANDLE_VkQueue;
}

/* Calls that say as much of each semaphore and fence that they name. */
static gboolean
signals (const VtrApiCommand *api)
{
  return (api->classes & (VTR_CLASS_SUBMIT | VTR_CLASS_ACQUIRE)) != 0;
}

/* Objects that a call names by number and type. */
static guint64
get_numbered (VtrCmdId    cmd,
              const void *args,
              guint32    *type)
{
  const VtrApiModel *api = vtr_api_of (cmd);

  switch (vtr_cmd_canonical (cmd))
    {
    case VTR_CMD_vkSetDebugUtilsObjectNameEXT:
      *type = vtr_handle_from_object_type (
        api, (guint32)ARGS (vkSetDebugUtilsObjectNameEXT)->pNameInfo->objectType);
      return ARGS (vkSetDebugUtilsObjectNameEXT)->pNameInfo->objectHandle;
    case VTR_CMD_vkSetDebugUtilsObjectTagEXT:
      *type = vtr_handle_from_object_type (
        api, (guint32)ARGS (vkSetDebugUtilsObjectTagEXT)->pTagInfo->objectType);
      return ARGS (vkSetDebugUtilsObjectTagEXT)->pTagInfo->objectHandle;
    case VTR_CMD_vkSetPrivateData:
      *type = vtr_handle_from_object_type (api, (guint32)ARGS (vkSetPrivateData)->objectType);
      return ARGS (vkSetPrivateData)->objectHandle;
    case VTR_CMD_vkGetPrivateData:
      *type = vtr_handle_from_object_type (api, (guint32)ARGS (vkGetPrivateData)->objectType);
      return ARGS (vkGetPrivateData)->objectHandle;
    default:
      return 0;
    }
}

/* ---- Initial commands ---- */

static void
on_initial_handle (gpointer              data,
                   const VtrVisitHandle *handle)
{
  Search *self = data;
  guint64 value = handle->ignored ? 0 : vtr_visit_handle_get (handle);

  if (value == 0 || handle->type >= VTR_VULKAN_N_HANDLES)
    return;
  if (handle->out)
    {
      look_up (self, handle->type, value, TRUE, on_about);
      return;
    }
  if (self->alone)
    {
      if (handle->type == VTR_HANDLE_VkCommandBuffer)
        look_up (self, handle->type, value, FALSE, on_ref);
      else
        look_up (self, handle->type, value, FALSE, on_about);
      return;
    }
  look_up (self, handle->type, value, FALSE, on_ref);
  if (self->api->create.handle != VTR_HANDLE_NONE)
    return;
  /* The memory there belongs to the resource. */
  if (handle->type == VTR_HANDLE_VkDeviceMemory &&
      vtr_cmd_at ((guint)(self->api - vtr_api_commands)) == VTR_CMD_vkQueueBindSparse)
    {
      look_up (self, handle->type, value, FALSE, on_whole);
      return;
    }
  if (self->api->destroy.handle != VTR_HANDLE_NONE
        ? handle->type == self->api->destroy.handle
        : !is_common (handle->type) && (!self->found_subject || signals (self->api)))
    look_up (self, handle->type, value, FALSE, on_about);
}

static void
note_template (Search     *self,
               VtrCmdId    cmd,
               const void *args)
{
  const VkDescriptorUpdateTemplateCreateInfo *info;
  GArray *entries;

  if (vtr_cmd_canonical (cmd) != VTR_CMD_vkCreateDescriptorUpdateTemplate)
    return;
  info = ARGS (vkCreateDescriptorUpdateTemplate)->pCreateInfo;
  if (info == NULL || ARGS (vkCreateDescriptorUpdateTemplate)->pDescriptorUpdateTemplate == NULL)
    return;
  entries = g_array_new (FALSE, FALSE, sizeof (VkDescriptorUpdateTemplateEntry));
  if (info->pDescriptorUpdateEntries != NULL)
    g_array_append_vals (entries, info->pDescriptorUpdateEntries, info->descriptorUpdateEntryCount);
  g_hash_table_insert (self->templates,
                       (gpointer)(gsize)*ARGS (vkCreateDescriptorUpdateTemplate)
                         ->pDescriptorUpdateTemplate,
                       entries);
}

static bool
find_template (void                       *data,
               VkDescriptorUpdateTemplate  handle,
               VtrUpdateTemplate          *out)
{
  Search *self = data;
  GArray *entries = g_hash_table_lookup (self->templates, (gpointer)(gsize)handle);

  if (entries == NULL)
    return false;
  out->entries = (const VkDescriptorUpdateTemplateEntry *)(gpointer)entries->data;
  out->n_entries = entries->len;
  return true;
}

static const VtrVulkanEnv vulkan_env = { .update_template = find_template };

/* Resources in descriptors that are plain bytes are unknown. */
static gboolean
hides_handles (VtrCmdId cmd)
{
  switch (vtr_cmd_canonical (cmd))
    {
    case VTR_CMD_vkGetDescriptorEXT:
    case VTR_CMD_vkCmdBindDescriptorBuffersEXT:
    case VTR_CMD_vkGetImageViewHandleNVX:
      return TRUE;
    default:
      return FALSE;
    }
}

static gboolean
decode (Search      *self,
        guint64      index,
        VtrCommand  *command,
        GError     **error)
{
  vtr_arena_reset (&self->arena);
  if (!vtr_trace_decode (self->reach->trace, index, &self->arena, command, error))
    return FALSE;
  if (command->flags & VTR_COMMAND_DAMAGED)
    {
      g_autofree char *number = vtr_trace_format_number (self->reach->trace, index);

      g_set_error (error, VTR_TRACE_ERROR, VTR_TRACE_ERROR_DAMAGED,
                   _ ("Call %s is damaged, so the objects that it uses are unknown."), number);
      return FALSE;
    }
  self->index = index;
  self->api = vtr_cmd_get (command->id);
  self->found_subject = FALSE;
  note_template (self, command->id, command->args);
  self->reach->everything |= hides_handles (command->id);
  return TRUE;
}

/* The recorder submits nothing but what it recorded itself. */
static void
on_submitted_handle (gpointer              data,
                     const VtrVisitHandle *handle)
{
  if (handle->type == VTR_HANDLE_VkCommandBuffer && !handle->ignored)
    look_up (data, handle->type, vtr_visit_handle_get (handle), FALSE, on_setting);
}

static gboolean
find_settings (Search  *self,
               GError **error)
{
  const VtrApiVisitor visitor = { .data = self, .handle = on_submitted_handle };
  VtrCommand command;

  for (guint64 i = 0; i < self->reach->n_initial; i++)
    {
      VtrCmdId id = vtr_trace_get_command_id (self->reach->trace, i);

      if (!vtr_cmd_is_vulkan (id) || !vtr_cmd_is (id, VTR_CLASS_SUBMIT))
        continue;
      if (!decode (self, i, &command, error))
        return FALSE;
      vtr_api_visit (id, command.args, &self->env, &visitor);
    }
  return TRUE;
}

static void
on_recorder (gpointer data,
             guint32  id)
{
  Search *self = data;

  self->alone |= self->reach->settings[id];
}

static void
look_at_initial (Search           *self,
                 const VtrCommand *command)
{
  const VtrApiVisitor visitor = { .data = self, .handle = on_initial_handle };
  VtrCmdId id = command->id;
  guint32 type = VTR_HANDLE_NONE;
  guint64 numbered = get_numbered (id, command->args, &type);

  self->alone = FALSE;
  if (self->api->dispatch == VTR_HANDLE_VkCommandBuffer && id != VTR_CMD_vkBeginCommandBuffer &&
      id != VTR_CMD_vkEndCommandBuffer)
    look_up (self, VTR_HANDLE_VkCommandBuffer, (guint64) * (const guintptr *)command->args, FALSE,
             on_recorder);
  if (numbered != 0)
    {
      look_up (self, type, numbered, FALSE, on_about);
      look_up (self, type, numbered, FALSE, on_ref);
    }
  vtr_api_visit (id, command->args, &self->env, &visitor);
  self->follows[self->index] =
    !self->found_subject && self->api->create.handle == VTR_HANDLE_NONE;
  /* An address leads to the object from anywhere. */
  if (self->found_subject && self->api->result == VTR_RESULT_U64)
    for (gsize i = self->first_ref[self->index]; i < self->refs->len; i++)
      need (self, g_array_index (self->refs, guint32, i));
}

static gboolean
look_at_all_initial (Search  *self,
                     GError **error)
{
  VtrCommand command;

  for (guint64 i = 0; i < self->reach->n_initial; i++)
    {
      self->first_ref[i] = self->refs->len;
      if (!vtr_cmd_is_vulkan (vtr_trace_get_command_id (self->reach->trace, i)))
        continue;
      if (!decode (self, i, &command, error))
        return FALSE;
      look_at_initial (self, &command);
    }
  self->first_ref[self->reach->n_initial] = self->refs->len;
  return TRUE;
}

/* ---- The program's calls ---- */

/* Calls that name memory without putting anything new into it. */
static gboolean
leaves_memory (VtrCmdId cmd)
{
  VtrCmdId canonical = vtr_cmd_canonical (cmd);

  return vtr_cmd_is (cmd, VTR_CLASS_MAP | VTR_CLASS_UNMAP | VTR_CLASS_DESTROY) ||
         canonical == VTR_CMD_vkFlushMappedMemoryRanges ||
         canonical == VTR_CMD_vkInvalidateMappedMemoryRanges ||
         canonical == VTR_CMD_vkGetDeviceMemoryCommitment;
}

static void
on_called_handle (gpointer              data,
                  const VtrVisitHandle *handle)
{
  Search *self = data;

  if (handle->out || handle->ignored || handle->type >= VTR_VULKAN_N_HANDLES)
    return;
  look_up (self, handle->type, vtr_visit_handle_get (handle), FALSE, on_needed);
  if (handle->type == VTR_HANDLE_VkDeviceMemory &&
      !leaves_memory (vtr_cmd_at ((guint)(self->api - vtr_api_commands))))
    look_up (self, handle->type, vtr_visit_handle_get (handle), FALSE, on_whole);
}

static gboolean
look_at_calls (Search        *self,
               GCancellable  *cancellable,
               GError       **error)
{
  const VtrApiVisitor visitor = { .data = self, .handle = on_called_handle };
  guint64 n = vtr_trace_get_n_commands (self->reach->trace);
  VtrCommand command;

  for (guint64 i = self->reach->n_initial; i < n; i++)
    {
      guint32 type = VTR_HANDLE_NONE;
      guint64 numbered;

      if (i % 1024 == 0 && g_cancellable_set_error_if_cancelled (cancellable, error))
        return FALSE;
      if (!vtr_cmd_is_vulkan (vtr_trace_get_command_id (self->reach->trace, i)))
        continue;
      if (!decode (self, i, &command, error))
        return FALSE;
      vtr_api_visit (command.id, command.args, &self->env, &visitor);
      numbered = get_numbered (command.id, command.args, &type);
      look_up (self, type, numbered, FALSE, on_needed);
    }
  return TRUE;
}

/* ---- Reaching ---- */

static void
keep (Search  *self,
      guint64  command)
{
  for (; command < self->reach->n_initial && !self->reach->kept[command]; command++)
    {
      self->reach->kept[command] = TRUE;
      for (gsize i = self->first_ref[command]; i < self->first_ref[command + 1]; i++)
        need (self, g_array_index (self->refs, guint32, i));
      if (command + 1 == self->reach->n_initial || !self->follows[command + 1])
        break;
    }
}

/* An image of a swapchain is presented by its number, so its users are unknown. */
static void
need_images (Search  *self,
             guint32  swapchain)
{
  g_autoptr (GArray) children = vtr_history_list_children (self->reach->history, swapchain);

  for (guint i = 0; i < children->len; i++)
    need (self, g_array_index (children, guint32, i));
}

static void
reach (Search *self)
{
  while (self->work->len > 0)
    {
      guint32 id = g_array_index (self->work, guint32, self->work->len - 1);
      const GArray *about = self->about[id];

      g_array_set_size (self->work, self->work->len - 1);
      for (guint i = 0; about != NULL && i < about->len; i++)
        keep (self, g_array_index (about, guint32, i));
      if (vtr_history_get_object (self->reach->history, id)->type == VTR_HANDLE_VkSwapchainKHR)
        need_images (self, id);
    }
}

static gboolean
run (Search        *self,
     GCancellable  *cancellable,
     GError       **error)
{
  guint32 n = vtr_history_get_n_objects (self->reach->history);

  if (!find_settings (self, error) || !look_at_all_initial (self, error) ||
      !look_at_calls (self, cancellable, error))
    return FALSE;
  /* With no command before them that they could belong to. */
  for (guint64 i = 0; i < self->reach->n_initial && self->follows[i]; i++)
    keep (self, i);
  for (guint32 id = 1; self->reach->everything && id <= n; id++)
    need (self, id);
  reach (self);
  return TRUE;
}

/* ---- All of it ---- */

VtrTrimReach *
vtr_trim_reach_new (VtrTrace      *trace,
                    VtrHistory    *history,
                    guint8        *kept,
                    GCancellable  *cancellable,
                    GError       **error)
{
  VtrTrimReach *self;
  Search search = { 0 };
  gsize n;
  gboolean done;

  n = (gsize)vtr_history_get_n_objects (history) + 1;
  self = g_new0 (VtrTrimReach, 1);
  self->trace = vtr_trace_ref (trace);
  self->history = vtr_history_ref (history);
  self->n_initial = vtr_trace_get_n_initial_commands (trace);
  self->kept = kept;
  self->needed = g_new0 (guint8, n);
  self->whole = g_new0 (guint8, n);
  self->settings = g_new0 (guint8, n);
  index_objects (self);

  search.reach = self;
  search.env = (VtrApiEnv){ .data = &search, .decoded = true, .state = &vulkan_env };
  search.templates = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify)g_array_unref);
  search.refs = g_array_new (FALSE, FALSE, sizeof (guint32));
  search.first_ref = g_new0 (gsize, self->n_initial + 1);
  search.follows = g_new0 (guint8, self->n_initial + 1);
  search.about = g_new0 (GArray *, n);
  search.work = g_array_new (FALSE, FALSE, sizeof (guint32));
  vtr_arena_init (&search.arena);
  done = run (&search, cancellable, error);
  vtr_arena_finish (&search.arena);
  g_array_unref (search.work);
  for (gsize i = 0; i < n; i++)
    g_clear_pointer (&search.about[i], g_array_unref);
  g_free (search.about);
  g_free (search.follows);
  g_free (search.first_ref);
  g_array_unref (search.refs);
  g_hash_table_unref (search.templates);
  if (!done)
    g_clear_pointer (&self, vtr_trim_reach_free);
  return self;
}

void
vtr_trim_reach_free (VtrTrimReach *self)
{
  if (self == NULL)
    return;
  g_hash_table_unref (self->by_handle);
  g_free (self->settings);
  g_free (self->whole);
  g_free (self->needed);
  vtr_history_unref (self->history);
  vtr_trace_unref (self->trace);
  g_free (self);
}

typedef struct
{
  const VtrTrimReach *reach;
  gboolean known;
  gboolean needed;
} Question;

static void
on_asked (gpointer data,
          guint32  id)
{
  Question *self = data;

  self->known = TRUE;
  self->needed |= self->reach->needed[id];
}

gboolean
vtr_trim_reach_needs (const VtrTrimReach *self,
                      guint32             type,
                      guint64             handle,
                      guint64             index)
{
  Question question = { .reach = self };

  vtr_trim_reach_look_up (self, type, handle, index, FALSE, on_asked, &question);
  return question.needed || !question.known;
}
