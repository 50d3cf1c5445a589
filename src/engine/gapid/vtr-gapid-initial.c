/* Makes commands that restore the state with which a GAPID trace begins. */
#include "engine/gapid/vtr-gapid-builder-private.h"

#include "vtr-config.h"

#include "api/vtr-api-walk.h"

#include <glib/gi18n-lib.h>
#include <string.h>

/* Objects that need each other, one inside the other. */
#define MAX_DEPTH 64

#define FIRST_HANDLE G_GUINT64_CONSTANT (0x8d00000000000001)

static const VtrApiEnv env = { .decoded = true };

/* ---- Saying what is missing ---- */

void
vtr_gapid_note (VtrGapidBuilder *self,
                const char *format,
                ...)
{
  guint count;
  char *text;
  va_list args;

  va_start (args, format);
  text = g_strdup_vprintf (format, args);
  va_end (args);
  count = GPOINTER_TO_UINT (g_hash_table_lookup (self->notes, text));
  if (count == 0)
    g_ptr_array_add (self->order, text);
  g_hash_table_replace (self->notes, g_strdup (text), GUINT_TO_POINTER (count + 1));
  if (count > 0)
    g_free (text);
}

static char *
join_notes (VtrGapidBuilder *self)
{
  GString *text;

  if (self->order->len == 0)
    return NULL;
  text = g_string_new (_ ("Not all of the state before the first call can be restored:"));
  for (guint i = 0; i < self->order->len; i++)
    {
      const char *note = g_ptr_array_index (self->order, i);
      guint count = GPOINTER_TO_UINT (g_hash_table_lookup (self->notes, note));

      g_string_append_printf (text, "%s %s", i > 0 ? ";" : "", note);
      if (count > 1)
        g_string_append_printf (text, " (×%u)", count);
    }
  g_string_append_c (text, '.');
  return g_string_free (text, FALSE);
}

/* Fields that say nothing that has to be made again. */
static gboolean
says_nothing (const char *type,
              const char *field)
{
  static const char *const ignored[] = {
    "ReferenceID",
    "VulkanHandle",
    "Device",
    "Instance",
    "Index",
    "DescriptorUsers",
    "FramebufferUsers",
    "CommandBufferUsers",
    "Views",
    "LastBoundQueue",
    "LastQueue",
    "WaitingQueue",
    "SubmitCount",
    "BoundObjects",
    "UsedDescriptors",
    "Descriptors",
    "DescriptorSets",
    "CommandBuffers",
    "MaximumBinding",
    "MemoryRequirements",
    "DedicatedRequirements",
    "SparseMemoryRequirements",
    "QueueObjects",
    "PendingEvents",
    "PendingSemaphores",
    "PendingCommands",
    "ReadCoherentBuffers",
    "FormatProperties",
    "PointClippingProperties",
    "Maintenance3Properties",
    "PhysicalDeviceSupports",
    "ImageAspect",
    "Aspects",
    "DebugInfo",
    "EnabledLayers",
    "CommandReferences",
    "BufferCommands",
    "BeginInfo",
    "Recording",
    "Bindings",
    "SubmitQueue",
    "IsFromExtension",
    "FromKHR",
    "SwapchainImages",
    "ImagesAcquired",
    "PlaneMemoryInfo",
    "Memory",
    "MemoryOffset",
    "Data",
    "Signaled",
    "Status",
    "MappedOffset",
    "MappedSize",
    "MappedLocation",
    "ImageTransitions",
    "CurrentRecordingRenderpass",
    "CurrentRecordingFramebuffer",
    "CurrentRecordingSubpass",
    "PreviouslyStartedRenderpass",
    "PreviousFramebuffer",
    "HDRMetadata",
    "PipelineCache",
    "CreatedWithDeviceGroup",
    "MemoryProperties",
    "QueueFamilyProperties",
    "PhysicalDeviceProperties",
  };

  for (gsize i = 0; i < G_N_ELEMENTS (ignored); i++)
    if (g_str_equal (ignored[i], field))
      return TRUE;
  return FALSE;
}

static gboolean
is_empty (const VtrGapidValue *value)
{
  const VtrGapidValue *keys;

  switch (value->kind)
    {
    case VTR_GAPID_NUMBER:
      return value->number == 0;
    case VTR_GAPID_MESSAGE:
      if (!vtr_gapid_is_map (value))
        return FALSE;
      keys = vtr_gapid_get (value, "Keys");
      return keys == NULL || keys->n == 0;
    case VTR_GAPID_REAL:
    case VTR_GAPID_BYTES:
    case VTR_GAPID_LIST:
    case VTR_GAPID_NUMBERS:
    case VTR_GAPID_REALS:
    default:
      return value->n == 0;
    }
}

/* Notes fields that a newer GAPID or AGI recorded and that this reader does not know. */
static void
note_unknown_fields (VtrGapidBuilder     *self,
                     const VtrGapidValue *object)
{
  const char *type = object->type->name;

  for (gsize i = 0; i < object->n; i++)
    {
      const VtrGapidValue *value = object->fields[i];
      const char *name = object->type->fields[i].name;

      if (value != NULL && !value->used && !says_nothing (type, name) && !is_empty (value))
        /* Translators: class and field of GAPID's state */
        vtr_gapid_note (self, _ ("%s.%s cannot be read"), type, name);
    }
}

/* ---- Calls ---- */

void
vtr_gapid_emit (VtrGapidBuilder *self,
                VtrCmdId         id,
                const void      *args)
{
  VtrGapidInitialCommand command = { .id = id, .offset = self->out->messages.size };

  vtr_api_encode (&self->out->messages, id, args, VK_SUCCESS, 0, 0, VTR_COMMAND_FLAG_INITIAL, &env);
  command.size = self->out->messages.size - command.offset;
  g_array_append_val (self->out->commands, command);
}

guint64
vtr_gapid_new_handle (VtrGapidBuilder *self)
{
  guint64 handle = self->next_handle;

  self->next_handle += 2;
  return handle;
}

/* ---- Objects ---- */

static guint
hash_key (gconstpointer key)
{
  const VtrGapidKey *self = key;

  return g_int64_hash (&self->handle) ^ self->type;
}

static gboolean
equal_keys (gconstpointer a,
            gconstpointer b)
{
  const VtrGapidKey *left = a, *right = b;

  return left->type == right->type && left->handle == right->handle;
}

static const VtrGapidClass *
find_class (VtrHandleId type)
{
  for (guint i = 0; i < vtr_gapid_n_classes; i++)
    if (vtr_gapid_classes[i].type == type)
      return &vtr_gapid_classes[i];
  return NULL;
}

static VtrGapidObject *
new_object (VtrGapidBuilder     *self,
            const VtrGapidClass *klass,
            VtrGapidValue       *value,
            guint64              handle)
{
  VtrGapidObject *object = g_new0 (VtrGapidObject, 1);

  object->klass = klass;
  object->value = value;
  object->handle = handle;
  object->device = vtr_gapid_get_number (value, "Device");
  g_hash_table_insert (self->objects, value, object);
  return object;
}

/* Makes an object once, and what it needs before it. */
static gboolean
ensure (VtrGapidBuilder *self,
        VtrGapidObject  *object)
{
  gboolean incomplete, made;
  VtrArena arena;

  if (object->status != VTR_GAPID_NEW)
    return object->status == VTR_GAPID_MADE;
  if (self->depth >= MAX_DEPTH)
    return FALSE;
  /* It uses its own arena, because it may be made in the middle of another one. */
  arena = self->arena;
  vtr_arena_init (&self->arena);
  incomplete = self->filler.incomplete;
  self->filler.incomplete = FALSE;
  self->why = NULL;
  object->status = VTR_GAPID_BUSY;
  self->depth++;
  made = object->klass->make (self, object->value, object->handle);
  self->depth--;
  object->status = made ? VTR_GAPID_MADE : VTR_GAPID_DROPPED;
  if (made && !object->live)
    g_ptr_array_add (self->made, object);
  if (made)
    note_unknown_fields (self, object->value);
  else if (object->live)
    vtr_gapid_note (self,
                    self->why != NULL ? _ ("a %s: %s") : _ ("a %s that refers to a destroyed "
                                                            "object"),
                    vtr_api_string (vtr_handle_get (object->klass->type)->name), self->why);
  vtr_arena_finish (&self->arena);
  self->arena = arena;
  self->filler.incomplete = incomplete;
  return made;
}

VtrGapidObject *
vtr_gapid_find (VtrGapidBuilder *self,
                VtrHandleId      type,
                guint64          handle)
{
  const VtrGapidKey key = { type, handle };
  VtrGapidObject *object = g_hash_table_lookup (self->live, &key);

  return object != NULL && ensure (self, object) ? object : NULL;
}

gboolean
vtr_gapid_is_made (VtrGapidBuilder *self,
                   VtrHandleId      type,
                   guint64          handle)
{
  const VtrGapidKey key = { type, handle };
  const VtrGapidObject *object = g_hash_table_lookup (self->live, &key);

  return object != NULL && object->status == VTR_GAPID_MADE;
}

guint64
vtr_gapid_handle_of (VtrGapidBuilder *self,
                     VtrHandleId      type,
                     VtrGapidValue   *value)
{
  VtrGapidObject *object = g_hash_table_lookup (self->objects, value);
  const VtrGapidClass *klass = find_class (type);

  if (object == NULL)
    {
      if (klass == NULL || !klass->temporary || value->kind != VTR_GAPID_MESSAGE ||
          !g_str_equal (value->type->name, klass->class_))
        return 0;
      object = new_object (self, klass, value, vtr_gapid_new_handle (self));
    }
  return object->klass->type == type && ensure (self, object) ? object->handle : 0;
}

static guint64
fill_handle (gpointer       data,
             VtrHandleId    type,
             VtrGapidValue *object,
             guint64        number)
{
  VtrGapidBuilder *self = data;
  VtrGapidObject *found;

  if (object != NULL)
    return vtr_gapid_handle_of (self, type, object);
  found = vtr_gapid_find (self, type, number);
  return found != NULL ? found->handle : 0;
}

static const guint8 *
fill_slice (gpointer             data,
            const VtrGapidValue *slice,
            gsize               *size)
{
  return vtr_gapid_read_slice (data, slice, size);
}

typedef struct
{
  VtrGapidBuilder *builder;
  gboolean known;
} HandleCheck;

static void
check_handle (void                 *data,
              const VtrVisitHandle *handle)
{
  HandleCheck *check = data;
  guint64 value = 0;

  memcpy (&value, handle->slot, sizeof value);
  if (value != 0 && !handle->ignored && !handle->out &&
      !vtr_gapid_is_made (check->builder, (VtrHandleId)handle->type, value))
    check->known = FALSE;
}

gboolean
vtr_gapid_knows_handles (VtrGapidBuilder *self,
                         VtrCmdId         id,
                         void            *args)
{
  HandleCheck check = { self, TRUE };
  const VtrApiVisitor visitor = { .data = &check, .handle = check_handle };

  vtr_api_visit (id, args, &env, &visitor);
  return check.known;
}

/* Takes all objects of the state down before any of them is made. */
static void
list_objects (VtrGapidBuilder     *self,
              const VtrGapidClass *klass)
{
  VtrGapidValue *map = vtr_gapid_get (self->state, klass->field);
  const VtrGapidEntry *entries;
  gsize n;

  if (map != NULL && !vtr_gapid_is_map (map))
    {
      vtr_gapid_note (self, _ ("%s is damaged"), klass->field);
      return;
    }
  entries = vtr_gapid_list_entries (map, &self->graph, &n);
  for (gsize i = 0; i < n; i++)
    {
      const VtrGapidKey key = { klass->type, entries[i].key };
      VtrGapidObject *object;

      if (key.handle == 0)
        continue;
      if (entries[i].value == NULL || entries[i].value->kind != VTR_GAPID_MESSAGE ||
          !g_str_equal (entries[i].value->type->name, klass->class_) ||
          g_hash_table_contains (self->objects, entries[i].value) ||
          g_hash_table_contains (self->live, &key))
        {
          vtr_gapid_note (self, _ ("%s is damaged"), klass->field);
          continue;
        }
      object = new_object (self, klass, entries[i].value, key.handle);
      object->live = TRUE;
      g_hash_table_insert (self->live, g_memdup2 (&key, sizeof key), object);
    }
}

static void
for_class (VtrGapidBuilder     *self,
           const VtrGapidClass *klass,
           VtrGapidEach         func)
{
  const VtrGapidEntry *entries;
  VtrArena arena;
  gsize n;

  vtr_arena_init (&arena);
  entries = vtr_gapid_list_entries (vtr_gapid_get (self->state, klass->field), &arena, &n);
  for (gsize i = 0; i < n; i++)
    {
      const VtrGapidKey key = { klass->type, entries[i].key };
      VtrGapidObject *object = g_hash_table_lookup (self->live, &key);

      if (object == NULL || object->value != entries[i].value || !ensure (self, object) ||
          func == NULL)
        continue;
      vtr_arena_reset (&self->arena);
      self->filler.incomplete = FALSE;
      func (self, object);
    }
  vtr_arena_finish (&arena);
}

void
vtr_gapid_each (VtrGapidBuilder *self,
                VtrHandleId      type,
                VtrGapidEach     func)
{
  for_class (self, find_class (type), func);
}

/* Names that the program gave. */
static void
emit_name (VtrGapidBuilder *self,
           VtrGapidObject  *object)
{
  VtrGapidValue *info = vtr_gapid_get (object->value, "DebugInfo");
  const VkDebugUtilsObjectNameInfoEXT name = {
    .sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_OBJECT_NAME_INFO_EXT,
    .objectType = (VkObjectType)vtr_handle_get (object->klass->type)->object_type,
    .objectHandle = object->handle,
    .pObjectName = vtr_gapid_get_text (info, "ObjectName", &self->arena),
  };
  VtrArgs_vkSetDebugUtilsObjectNameEXT args = { .pNameInfo = &name };
  guint64 device = object->device;

  if (object->klass->type == VTR_HANDLE_VkDevice)
    device = object->handle;
  if (name.pObjectName == NULL || device == 0)
    return;
  args.device = VTR_GAPID_HANDLE (VkDevice, device);
  vtr_gapid_emit (self, VTR_CMD_vkSetDebugUtilsObjectNameEXT, &args);
}

/* Destroys objects that were created again only for others. */
static void
destroy_temporary (VtrGapidBuilder *self)
{
  for (guint i = self->made->len; i > 0; i--)
    {
      const VtrGapidObject *object = g_ptr_array_index (self->made, i - 1);
      /* These four have the same arguments; samplers in set layouts must stay. */
      const VtrArgs_vkDestroyShaderModule args = {
        .device = VTR_GAPID_HANDLE (VkDevice, object->device),
        .shaderModule = VTR_GAPID_HANDLE (VkShaderModule, object->handle),
      };

      switch (object->klass->type)
        {
        case VTR_HANDLE_VkShaderModule:
          vtr_gapid_emit (self, VTR_CMD_vkDestroyShaderModule, &args);
          break;
        case VTR_HANDLE_VkRenderPass:
          vtr_gapid_emit (self, VTR_CMD_vkDestroyRenderPass, &args);
          break;
        case VTR_HANDLE_VkPipelineLayout:
          vtr_gapid_emit (self, VTR_CMD_vkDestroyPipelineLayout, &args);
          break;
        case VTR_HANDLE_VkDescriptorSetLayout:
          vtr_gapid_emit (self, VTR_CMD_vkDestroyDescriptorSetLayout, &args);
          break;
        default:
          break;
        }
    }
}

/* ---- All of it ---- */

static void
add_part (VtrGapidBuilder        *self,
          const VtrGapidPoolPart *part)
{
  GArray *parts = g_hash_table_lookup (self->pools, GUINT_TO_POINTER (part->pool));

  if (parts == NULL)
    {
      parts = g_array_new (FALSE, FALSE, sizeof (VtrGapidPoolPart));
      g_hash_table_insert (self->pools, GUINT_TO_POINTER (part->pool), parts);
    }
  if (part->size > 0)
    g_array_append_val (parts, *part);
}

static void
make_all (VtrGapidBuilder *self)
{
  for (guint i = 0; i < vtr_gapid_n_classes; i++)
    list_objects (self, &vtr_gapid_classes[i]);
  for (guint i = 0; i < vtr_gapid_n_classes; i++)
    {
      for_class (self, &vtr_gapid_classes[i], NULL);
      /* Views need what they look at bound. */
      if (vtr_gapid_classes[i].type == VTR_HANDLE_VkImage)
        {
          vtr_gapid_bind_all (self);
          vtr_gapid_map_all (self);
        }
    }
  for (guint i = 0; i < vtr_gapid_n_classes; i++)
    for_class (self, &vtr_gapid_classes[i], emit_name);
  vtr_gapid_write_descriptors (self);
  vtr_gapid_work_all (self);
  vtr_gapid_record_all (self);
  destroy_temporary (self);
  vtr_gapid_add_contents (self);
}

static VtrGapidInitial *
initial_new (void)
{
  VtrGapidInitial *self = g_new0 (VtrGapidInitial, 1);

  self->commands = g_array_new (FALSE, FALSE, sizeof (VtrGapidInitialCommand));
  self->contents = g_array_new (FALSE, FALSE, sizeof (VtrGapidContent));
  self->devices = g_ptr_array_new_with_free_func (g_free);
  self->strings = g_ptr_array_new_with_free_func (g_free);
  return self;
}

VtrGapidInitial *
vtr_gapid_initial_build (const VtrTraceTypes    *types,
                         const VtrTraceType     *type,
                         const guint8           *message,
                         gsize                   size,
                         const VtrGapidPoolPart *parts,
                         gsize                   n_parts,
                         VtrGapidReadResource    read,
                         gpointer                data)
{
  VtrGapidBuilder self = {
    .out = initial_new (),
    .objects = g_hash_table_new_full (g_direct_hash, g_direct_equal, NULL, g_free),
    .live = g_hash_table_new_full (hash_key, equal_keys, g_free, NULL),
    .made = g_ptr_array_new (),
    .pools = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify)g_array_unref),
    .notes = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL),
    .order = g_ptr_array_new_with_free_func (g_free),
    .read = read,
    .read_data = data,
    .next_handle = FIRST_HANDLE,
  };
  guint n_broken = 0;

  vtr_arena_init (&self.graph);
  vtr_arena_init (&self.arena);
  self.filler = (VtrGapidFiller){ .arena = &self.arena,
                                  .data = &self,
                                  .handle = fill_handle,
                                  .slice = fill_slice };
  for (gsize i = 0; i < n_parts; i++)
    add_part (&self, &parts[i]);
  self.state = vtr_gapid_parse (types, type, message, size, &self.graph, &n_broken);
  if (self.state == NULL || n_broken > 0)
    vtr_gapid_note (&self, _ ("parts of it are damaged"));
  if (self.state != NULL)
    make_all (&self);
  self.out->warning = join_notes (&self);

  vtr_arena_finish (&self.arena);
  vtr_arena_finish (&self.graph);
  g_hash_table_unref (self.objects);
  g_hash_table_unref (self.live);
  g_hash_table_unref (self.pools);
  g_hash_table_unref (self.notes);
  g_ptr_array_unref (self.made);
  g_ptr_array_unref (self.order);
  return self.out;
}

void
vtr_gapid_initial_free (VtrGapidInitial *self)
{
  if (self == NULL)
    return;
  g_array_unref (self->commands);
  g_array_unref (self->contents);
  g_ptr_array_unref (self->devices);
  g_ptr_array_unref (self->strings);
  vtr_buffer_finish (&self->messages);
  g_free (self->warning);
  g_free (self);
}
