/* Replaces handles that several devices or instances of a trace use at the same time by
 * handles that nothing else has. */
#include "engine/vulkan/read/vtr-shared-handles.h"

#include "api/vtr-api-args.h"
#include "vulkan/vtr-vulkan-env.h"

#include <string.h>

/* Where the numbers begin that replace handles: far from addresses and from what counts from 0. */
#define FIRST_NUMBER G_GUINT64_CONSTANT (0x5400000000000001)

typedef enum
{
  OWNER_DEVICE,
  OWNER_INSTANCE,
} OwnerKind;

/* A handle and its owner. .owner: VkDevice or VkInstance; 0: any. */
typedef struct
{
  guint64 owner;
  guint64 value;
  guint32 type;
} Key;

/* From command .index on, a dispatchable handle belongs to .owner. */
typedef struct
{
  guint64 index;
  guint64 owner;
} Belonging;

/* A template as it is from command .index on. */
typedef struct
{
  guint64 index;
  guint32 n_entries;
  VkDescriptorUpdateTemplateEntry *entries;
} Template;

struct _VtrSharedHandles
{
  GHashTable *owners;              /* Key without owner → GArray of Belonging, by .index */
  GHashTable *numbers;             /* Key → guint64, what replaces it */
  GHashTable *values;              /* guint64 → guint64, the way back */
  GHashTable *templates;           /* guint64 as replaced → GArray of Template, by .index */
  guint8 of_device[VTR_N_HANDLES]; /* whether objects of the type belong to a device */
};

static guint
hash_key (gconstpointer data)
{
  const Key *key = data;
  guint64 mixed = key->value ^ key->owner * 31 ^ ((guint64)key->type << 56);

  return (guint)((mixed * G_GUINT64_CONSTANT (0x9e3779b97f4a7c15)) >> 32);
}

static gboolean
equal_keys (gconstpointer a,
            gconstpointer b)
{
  const Key *left = a, *right = b;

  return left->value == right->value && left->owner == right->owner && left->type == right->type;
}

static void
template_clear (gpointer data)
{
  g_free (((Template *)data)->entries);
}

static VtrSharedHandles *
shared_handles_new (void)
{
  VtrSharedHandles *self = g_new0 (VtrSharedHandles, 1);

  self->owners =
    g_hash_table_new_full (hash_key, equal_keys, g_free, (GDestroyNotify)g_array_unref);
  self->numbers = g_hash_table_new_full (hash_key, equal_keys, g_free, g_free);
  self->values = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, g_free);
  self->templates =
    g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, (GDestroyNotify)g_array_unref);
  for (guint i = 0; i < VTR_N_COMMANDS; i++)
    {
      const VtrApiCommand *command = vtr_cmd_get (vtr_cmd_at (i));

      if (command->level == VTR_LEVEL_DEVICE && vtr_handle_is_known (command->create.handle))
        self->of_device[vtr_handle_index (command->create.handle)] = TRUE;
    }
  return self;
}

void
vtr_shared_handles_free (VtrSharedHandles *self)
{
  if (self == NULL)
    return;
  g_hash_table_unref (self->owners);
  g_hash_table_unref (self->numbers);
  g_hash_table_unref (self->values);
  g_hash_table_unref (self->templates);
  g_free (self);
}

/* --- Owners --- */

/* Returns: whose @handle is at command @index; 0: not known. */
static guint64
find_owner (const VtrSharedHandles *self,
            guint32                 type,
            guint64                 handle,
            guint64                 index)
{
  const Key key = { .value = handle, .type = type };
  const GArray *list = g_hash_table_lookup (self->owners, &key);
  guint low = 0, high = list != NULL ? list->len : 0;

  while (low < high)
    {
      guint middle = (low + high) / 2;

      if (g_array_index (list, Belonging, middle).index < index)
        low = middle + 1;
      else
        high = middle;
    }
  return low > 0 ? g_array_index (list, Belonging, low - 1).owner : 0;
}

static void
set_owner (VtrSharedHandles *self,
           guint32           type,
           guint64           handle,
           guint64           index,
           guint64           owner)
{
  const Key key = { .value = handle, .type = type };
  const Belonging belonging = { index, owner };
  GArray *list = g_hash_table_lookup (self->owners, &key);

  if (list == NULL)
    {
      list = g_array_new (FALSE, FALSE, sizeof (Belonging));
      g_hash_table_insert (self->owners, g_memdup2 (&key, sizeof key), list);
    }
  if (list->len == 0 || g_array_index (list, Belonging, list->len - 1).owner != owner)
    g_array_append_val (list, belonging);
}

/* The device and the instance that a command is about. */
typedef struct
{
  const VtrSharedHandles *shared_handles;
  guint64 index;
  guint64 owner[2]; /* by OwnerKind */
} Owners;

/* Data of a template need not be aligned. */
static Owners
find_owners (const VtrSharedHandles *self,
             const VtrCommand       *command)
{
  guint32 type = vtr_cmd_get (command->id)->dispatch;
  Owners owners = { self, command->index, { 0, 0 } };
  guint64 handle;

  if (type == VTR_HANDLE_NONE || vtr_cmd_get (command->id)->n_params == 0)
    return owners;
  handle = (guint64) * (const guintptr *)command->args;
  if (type == VTR_HANDLE_VkQueue || type == VTR_HANDLE_VkCommandBuffer)
    owners.owner[OWNER_DEVICE] = find_owner (self, type, handle, command->index);
  else if (type == VTR_HANDLE_VkDevice)
    owners.owner[OWNER_DEVICE] = handle;
  if (owners.owner[OWNER_DEVICE] != 0)
    owners.owner[OWNER_INSTANCE] =
      find_owner (self, VTR_HANDLE_VkDevice, owners.owner[OWNER_DEVICE], command->index);
  else if (type == VTR_HANDLE_VkPhysicalDevice)
    owners.owner[OWNER_INSTANCE] = find_owner (self, type, handle, command->index);
  else if (type == VTR_HANDLE_VkInstance)
    owners.owner[OWNER_INSTANCE] = handle;
  return owners;
}

static guint64
owner_of_type (const Owners *self,
               guint32       type)
{
  const gboolean of_device = self->shared_handles->of_device[vtr_handle_index (type)];

  return self->owner[of_device ? OWNER_DEVICE : OWNER_INSTANCE];
}

/* --- Looking for them --- */

typedef struct
{
  VtrSharedHandles *shared_handles;
  VtrTrace *trace;
  VtrArena arena;
  GHashTable *first; /* Key without owner → guint64, who had it first */
  GHashTable *seen;  /* guint64: every value there is */
  GArray *clashes;   /* Key */
  Owners owners;     /* of the command that is looked at */
} Search;

static void
on_made_handle (gpointer              data,
                const VtrVisitHandle *handle)
{
  Search *self = data;
  guint64 value = vtr_visit_handle_get (handle);
  guint64 owner = owner_of_type (&self->owners, handle->type);
  Key key = { .value = value, .type = handle->type };
  const guint64 *first;

  if (!handle->out || handle->ignored || value == 0)
    return;
  if (handle->dispatchable)
    {
      if (owner != 0)
        set_owner (self->shared_handles, handle->type, value, self->owners.index, owner);
      return;
    }
  if (!g_hash_table_contains (self->seen, &value))
    g_hash_table_add (self->seen, g_memdup2 (&value, sizeof value));
  first = g_hash_table_lookup (self->first, &key);
  if (first == NULL)
    g_hash_table_insert (self->first, g_memdup2 (&key, sizeof key),
                         g_memdup2 (&owner, sizeof owner));
  else if (*first != owner && owner != 0)
    {
      key.owner = owner;
      g_array_append_val (self->clashes, key);
    }
}

/* Looks at all commands that create objects. */
static gboolean
look_at_all (Search            *self,
             VtrTraceProgress   progress,
             gpointer           progress_data,
             GCancellable      *cancellable,
             GError           **error)
{
  VtrApiVisitor visitor = { .data = self, .handle = on_made_handle };
  const VtrApiEnv env = { .decoded = true };
  guint64 n = vtr_trace_get_n_commands (self->trace);

  for (guint64 i = 0; i < n; i++)
    {
      VtrCmdId id = vtr_trace_get_command_id (self->trace, i);
      VtrCommand command;

      if (i % 4096 == 0 && g_cancellable_set_error_if_cancelled (cancellable, error))
        return FALSE;
      if (i % 4096 == 0 && progress != NULL)
        progress (i, n, progress_data);
      if (!vtr_cmd_is_vulkan (id) || vtr_cmd_get (id)->create.handle == VTR_HANDLE_NONE)
        continue;
      vtr_arena_reset (&self->arena);
      /* The report names commands that cannot be read. */
      if (!vtr_trace_decode (self->trace, i, &self->arena, &command, NULL))
        continue;
      self->owners = find_owners (self->shared_handles, &command);
      vtr_api_visit (id, command.args, &env, &visitor);
    }
  return TRUE;
}

/* Gives each clash a number of its own. */
static void
number_clashes (Search *self)
{
  guint64 number = FIRST_NUMBER;

  for (guint i = 0; i < self->clashes->len; i++)
    {
      const Key *key = &g_array_index (self->clashes, Key, i);

      if (g_hash_table_contains (self->shared_handles->numbers, key))
        continue;
      while (g_hash_table_contains (self->seen, &number))
        number++;
      g_hash_table_insert (self->shared_handles->numbers, g_memdup2 (key, sizeof *key),
                           g_memdup2 (&number, sizeof number));
      g_hash_table_insert (self->shared_handles->values, g_memdup2 (&number, sizeof number),
                           g_memdup2 (&key->value, sizeof key->value));
      number++;
    }
}

static void
keep_template (VtrSharedHandles                           *self,
               guint64                                     index,
               const VkDescriptorUpdateTemplateCreateInfo *info,
               guint64                                     handle)
{
  GArray *list = g_hash_table_lookup (self->templates, &handle);
  Template shape = { .index = index };

  if (list == NULL)
    {
      list = g_array_new (FALSE, FALSE, sizeof (Template));
      g_array_set_clear_func (list, template_clear);
      g_hash_table_insert (self->templates, g_memdup2 (&handle, sizeof handle), list);
    }
  if (info->pDescriptorUpdateEntries != NULL)
    {
      shape.n_entries = info->descriptorUpdateEntryCount;
      shape.entries = g_memdup2 (info->pDescriptorUpdateEntries,
                                 (gsize)shape.n_entries * sizeof *shape.entries);
    }
  g_array_append_val (list, shape);
}

/* Once the numbers are there: the handles of templates are replaced as well. */
static void
keep_templates (Search *self)
{
  guint64 n = vtr_trace_get_n_commands (self->trace);

  for (guint64 i = 0; i < n; i++)
    {
      VtrCmdId id = vtr_trace_get_command_id (self->trace, i);
      const VtrArgs_vkCreateDescriptorUpdateTemplate *args;
      VtrCommand command;

      if (!vtr_cmd_is_vulkan (id) ||
          vtr_cmd_canonical (id) != VTR_CMD_vkCreateDescriptorUpdateTemplate)
        continue;
      vtr_arena_reset (&self->arena);
      if (!vtr_trace_decode (self->trace, i, &self->arena, &command, NULL))
        continue;
      vtr_shared_handles_apply (self->shared_handles, &command);
      args = command.args;
      if (args->pCreateInfo != NULL && args->pDescriptorUpdateTemplate != NULL)
        keep_template (self->shared_handles, i, args->pCreateInfo,
                       (guint64)(gsize)*args->pDescriptorUpdateTemplate);
    }
}

/* --- Whether to look --- */

typedef struct
{
  GHashTable *alive[2]; /* guint64, by OwnerKind */
  gboolean crowded;     /* two of a kind live at once */
} Crowd;

static void
on_owner (gpointer              data,
          const VtrVisitHandle *handle)
{
  Crowd *self = data;
  guint64 value = vtr_visit_handle_get (handle);
  GHashTable *alive = handle->type == VTR_HANDLE_VkDevice     ? self->alive[OWNER_DEVICE]
                      : handle->type == VTR_HANDLE_VkInstance ? self->alive[OWNER_INSTANCE]
                                                              : NULL;

  if (alive == NULL || handle->ignored || value == 0)
    return;
  if (handle->out)
    g_hash_table_add (alive, g_memdup2 (&value, sizeof value));
  else
    g_hash_table_remove (alive, &value);
  self->crowded |= g_hash_table_size (alive) > 1;
}

static gboolean
is_crowded (VtrTrace *trace)
{
  const VtrApiEnv env = { .decoded = true };
  guint64 n = vtr_trace_get_n_commands (trace);
  Crowd crowd = { 0 };
  VtrApiVisitor visitor = { .data = &crowd, .handle = on_owner };
  VtrArena arena;

  vtr_arena_init (&arena);
  for (guint i = 0; i < G_N_ELEMENTS (crowd.alive); i++)
    crowd.alive[i] = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
  for (guint64 i = 0; i < n && !crowd.crowded; i++)
    {
      VtrCmdId id = vtr_trace_get_command_id (trace, i);
      VtrCommand command;

      if (id != VTR_CMD_vkCreateDevice && id != VTR_CMD_vkDestroyDevice &&
          id != VTR_CMD_vkCreateInstance && id != VTR_CMD_vkDestroyInstance)
        continue;
      vtr_arena_reset (&arena);
      if (vtr_trace_decode (trace, i, &arena, &command, NULL))
        vtr_api_visit (id, command.args, &env, &visitor);
    }
  for (guint i = 0; i < G_N_ELEMENTS (crowd.alive); i++)
    g_hash_table_unref (crowd.alive[i]);
  vtr_arena_finish (&arena);
  return crowd.crowded;
}

gboolean
vtr_shared_handles_find (VtrTrace          *trace,
                         VtrTraceProgress   progress,
                         gpointer           progress_data,
                         GCancellable      *cancellable,
                         VtrSharedHandles **out,
                         GError           **error)
{
  Search self = { .trace = trace };
  gboolean done;

  *out = NULL;
  if (!is_crowded (trace))
    return TRUE;
  self.shared_handles = shared_handles_new ();
  self.first = g_hash_table_new_full (hash_key, equal_keys, g_free, g_free);
  self.seen = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
  self.clashes = g_array_new (FALSE, FALSE, sizeof (Key));
  vtr_arena_init (&self.arena);
  done = look_at_all (&self, progress, progress_data, cancellable, error);
  if (done && self.clashes->len > 0)
    {
      number_clashes (&self);
      keep_templates (&self);
      *out = g_steal_pointer (&self.shared_handles);
    }
  vtr_arena_finish (&self.arena);
  g_array_unref (self.clashes);
  g_hash_table_unref (self.seen);
  g_hash_table_unref (self.first);
  vtr_shared_handles_free (self.shared_handles);
  return done;
}

/* --- Replacing them --- */

static guint64
replace (const Owners *self,
         guint32       type,
         guint64       value)
{
  const Key key = { owner_of_type (self, type), value, type };
  const guint64 *number = g_hash_table_lookup (self->shared_handles->numbers, &key);

  return number != NULL ? *number : value;
}

static void
on_handle (gpointer              data,
           const VtrVisitHandle *handle)
{
  guint64 value = vtr_visit_handle_get (handle);

  if (handle->dispatchable || handle->ignored)
    return;
  value = replace (data, handle->type, value);
  memcpy (handle->slot, &value, sizeof value);
}

static bool
find_template (void                       *data,
               VkDescriptorUpdateTemplate  handle,
               VtrUpdateTemplate          *out)
{
  const Owners *self = data;
  guint64 value = replace (self, VTR_HANDLE_VkDescriptorUpdateTemplate, (guint64)(gsize)handle);
  const GArray *list = g_hash_table_lookup (self->shared_handles->templates, &value);

  for (guint i = list != NULL ? list->len : 0; i > 0; i--)
    {
      const Template *shape = &g_array_index (list, Template, i - 1);

      if (shape->index >= self->index)
        continue;
      out->entries = shape->entries;
      out->n_entries = shape->n_entries;
      return shape->entries != NULL;
    }
  return false;
}

/* VkDebugReportObjectTypeEXT numbers the objects of extensions otherwise than VkObjectType, by
 * which the walkers know the type of a handle in 64 bits. */
static void
replace_reported (const Owners               *self,
                  VkDebugReportObjectTypeEXT  report_type,
                  guint64                    *value)
{
  VtrHandleId type = vtr_handle_from_report_type (report_type);

  if (type != VTR_HANDLE_NONE && !vtr_handle_get (type)->dispatchable)
    *value = replace (self, type, *value);
}

void
vtr_shared_handles_apply (const VtrSharedHandles *self,
                          VtrCommand             *command)
{
  Owners owners = find_owners (self, command);
  static const VtrVulkanEnv state = { .update_template = find_template };
  const VtrApiEnv env = { .data = &owners, .decoded = true, .state = &state };
  VtrApiVisitor visitor = { .data = &owners, .handle = on_handle };

  if (owners.owner[OWNER_DEVICE] == 0 && owners.owner[OWNER_INSTANCE] == 0)
    return;
  vtr_api_visit (command->id, command->args, &env, &visitor);
  if (command->id == VTR_CMD_vkDebugMarkerSetObjectNameEXT)
    {
      const VtrArgs_vkDebugMarkerSetObjectNameEXT *args = command->args;
      VkDebugMarkerObjectNameInfoEXT *info = (VkDebugMarkerObjectNameInfoEXT *)args->pNameInfo;

      if (info != NULL)
        replace_reported (&owners, info->objectType, &info->object);
    }
  else if (command->id == VTR_CMD_vkDebugMarkerSetObjectTagEXT)
    {
      const VtrArgs_vkDebugMarkerSetObjectTagEXT *args = command->args;
      VkDebugMarkerObjectTagInfoEXT *info = (VkDebugMarkerObjectTagInfoEXT *)args->pTagInfo;

      if (info != NULL)
        replace_reported (&owners, info->objectType, &info->object);
    }
}

guint64
vtr_shared_handles_replace (const VtrSharedHandles *self,
                            VtrHandleId             type,
                            guint64                 device,
                            guint64                 handle)
{
  const Owners owners = { self, 0, { device, 0 } };

  return replace (&owners, type, handle);
}

guint64
vtr_shared_handles_get_driver_handle (const VtrSharedHandles *self,
                                      guint64                 handle)
{
  const guint64 *value = g_hash_table_lookup (self->values, &handle);

  return value != NULL ? *value : handle;
}
