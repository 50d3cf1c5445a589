/* Lists the captured address ranges of buffers and acceleration structures, with the commands
 * between which each is valid. */
#include "engine/vulkan/replay-builder/vtr-address-ranges.h"

#include "engine/format/vtr-trace-walk.h"
#include "vtr-api-args.h"

struct _VtrAddressRanges
{
  GArray *ranges;        /* VtrAddressRange */
  GHashTable *told;      /* index of the command that tells it → id + 1 */
  GHashTable *recorders; /* VkCommandBuffer → GArray of Recorder, by index; of several devices */
  gboolean halfway;      /* see vtr_address_ranges_are_halfway () */
};

/* Which device a command buffer is of, from a command on. */
typedef struct
{
  guint64 from, device;
} Recorder;

/* A buffer or an acceleration structure that lives. */
typedef struct
{
  guint64 size;
  guint32 range; /* id + 1; 0: not looked up yet */
} Addressed;

typedef struct
{
  VtrAddressRanges *out;
  GHashTable *buffers;    /* VkBuffer → Addressed */
  GHashTable *structures; /* VkAccelerationStructureKHR → Addressed */
  gboolean several;       /* devices */
} Pass;

static void
add (GHashTable *table,
     guint64     handle,
     guint64     size)
{
  Addressed *addressed = g_new0 (Addressed, 1);

  addressed->size = size;
  g_hash_table_replace (table, g_memdup2 (&handle, sizeof handle), addressed);
}

static void
note_creation (Pass                         *self,
               const VtrArgs_vkCreateBuffer *args)
{
  if (args->pBuffer != NULL && args->pCreateInfo != NULL)
    add (self->buffers, (guint64)(gsize)*args->pBuffer, args->pCreateInfo->size);
}

/* Nothing points into a structure: instances name its beginning. */
static void
note_structure (Pass                                           *self,
                const VtrArgs_vkCreateAccelerationStructureKHR *args)
{
  if (args->pAccelerationStructure != NULL)
    add (self->structures, (guint64)(gsize)*args->pAccelerationStructure, 1);
}

static void
note_end (Pass       *self,
          GHashTable *table,
          guint64     handle,
          guint64     index)
{
  const Addressed *addressed = g_hash_table_lookup (table, &handle);

  if (addressed == NULL)
    return;
  if (addressed->range != 0)
    g_array_index (self->out->ranges, VtrAddressRange, addressed->range - 1).to = index;
  g_hash_table_remove (table, &handle);
}

static void
note_address (Pass             *self,
              const VtrCommand *command,
              VkDevice          device,
              Addressed        *addressed)
{
  VtrAddressRange range = {
    .begin = command->result,
    .end = G_MAXUINT64,
    .from = command->index,
    .to = G_MAXUINT64,
    .device = (guint64)(gsize)device,
  };

  if (addressed == NULL || range.begin == 0)
    return;
  if (addressed->range == 0)
    {
      if (addressed->size < G_MAXUINT64 - range.begin)
        range.end = range.begin + addressed->size;
      g_array_append_val (self->out->ranges, range);
      addressed->range = self->out->ranges->len;
    }
  g_hash_table_insert (self->out->told, g_memdup2 (&command->index, sizeof command->index),
                       GUINT_TO_POINTER (addressed->range));
}

static void
note_buffer_address (Pass                                   *self,
                     const VtrCommand                       *command,
                     const VtrArgs_vkGetBufferDeviceAddress *args)
{
  const guint64 handle = args->pInfo != NULL ? (guint64)(gsize)args->pInfo->buffer : 0;

  note_address (self, command, args->device, g_hash_table_lookup (self->buffers, &handle));
}

static void
note_structure_address (Pass                                                     *self,
                        const VtrCommand                                         *command,
                        const VtrArgs_vkGetAccelerationStructureDeviceAddressKHR *args)
{
  const guint64 handle =
    args->pInfo != NULL ? (guint64)(gsize)args->pInfo->accelerationStructure : 0;

  note_address (self, command, args->device, g_hash_table_lookup (self->structures, &handle));
}

static void
note_recorders (Pass                                   *self,
                const VtrArgs_vkAllocateCommandBuffers *args,
                guint64                                 index)
{
  const Recorder recorder = { index, (guint64)(gsize)args->device };
  guint32 n = args->pAllocateInfo != NULL && args->pCommandBuffers != NULL
                ? args->pAllocateInfo->commandBufferCount
                : 0;

  for (guint32 i = 0; i < n; i++)
    {
      GArray *list = g_hash_table_lookup (self->out->recorders, args->pCommandBuffers[i]);

      if (list == NULL)
        {
          list = g_array_new (FALSE, FALSE, sizeof (Recorder));
          g_hash_table_insert (self->out->recorders, args->pCommandBuffers[i], list);
        }
      if (list->len == 0 ||
          g_array_index (list, Recorder, list->len - 1).device != recorder.device)
        g_array_append_val (list, recorder);
    }
}

static void
note (const VtrCommand *command,
      gpointer          data)
{
  Pass *self = data;

  switch (vtr_cmd_canonical (command->id))
    {
    case VTR_CMD_vkCreateBuffer:
      if ((gint32)command->result >= 0)
        note_creation (self, command->args);
      break;
    case VTR_CMD_vkDestroyBuffer:
      note_end (self, self->buffers,
                (guint64)(gsize)((const VtrArgs_vkDestroyBuffer *)command->args)->buffer,
                command->index);
      break;
    case VTR_CMD_vkCreateAccelerationStructureKHR:
      if ((gint32)command->result >= 0)
        note_structure (self, command->args);
      break;
    case VTR_CMD_vkDestroyAccelerationStructureKHR:
      note_end (self, self->structures,
                (guint64)(gsize)((const VtrArgs_vkDestroyAccelerationStructureKHR *)command->args)
                  ->accelerationStructure,
                command->index);
      break;
    case VTR_CMD_vkGetAccelerationStructureDeviceAddressKHR:
      note_structure_address (self, command, command->args);
      break;
    case VTR_CMD_vkAllocateCommandBuffers:
      if ((gint32)command->result >= 0)
        note_recorders (self, command->args, command->index);
      break;
    case VTR_CMD_vkCreateIndirectCommandsLayoutNV:
#ifdef VK_EXT_device_generated_commands
    case VTR_CMD_vkCreateIndirectCommandsLayoutEXT:
#endif
      self->out->halfway = TRUE;
      break;
    default:
      note_buffer_address (self, command, command->args);
    }
}

static gboolean
matters (guint64  index,
         VtrCmdId id,
         gpointer data)
{
  const Pass *self = data;

  switch (vtr_cmd_canonical (id))
    {
    case VTR_CMD_vkAllocateCommandBuffers:
      return self->several;
    case VTR_CMD_vkCreateBuffer:
    case VTR_CMD_vkDestroyBuffer:
    case VTR_CMD_vkGetBufferDeviceAddress:
    case VTR_CMD_vkCreateAccelerationStructureKHR:
    case VTR_CMD_vkDestroyAccelerationStructureKHR:
    case VTR_CMD_vkGetAccelerationStructureDeviceAddressKHR:
    case VTR_CMD_vkCreateIndirectCommandsLayoutNV:
#ifdef VK_EXT_device_generated_commands
    case VTR_CMD_vkCreateIndirectCommandsLayoutEXT:
#endif
      return TRUE;
    default:
      return FALSE;
    }
}

static gboolean
has_several_devices (VtrTrace *trace)
{
  guint n = 0;

  for (guint64 i = 0; i < vtr_trace_get_n_commands (trace) && n < 2; i++)
    n += vtr_trace_get_command_id (trace, i) == VTR_CMD_vkCreateDevice;
  return n > 1;
}

static VtrAddressRanges *
make (void)
{
  VtrAddressRanges *self = g_new0 (VtrAddressRanges, 1);

  self->ranges = g_array_new (FALSE, FALSE, sizeof (VtrAddressRange));
  self->told = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
  self->recorders = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify)g_array_unref);
  return self;
}

VtrAddressRanges *
vtr_address_ranges_new (VtrTrace      *trace,
                        GCancellable  *cancellable,
                        GError       **error)
{
  g_autoptr (VtrAddressRanges) self = make ();
  Pass pass = { self, g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, g_free),
                g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, g_free),
                has_several_devices (trace) };
  gboolean ok = vtr_trace_walk (trace, matters, note, &pass, cancellable, error);

  g_hash_table_unref (pass.buffers);
  g_hash_table_unref (pass.structures);
  return ok ? g_steal_pointer (&self) : NULL;
}

VtrAddressRanges *
vtr_address_ranges_new_of (const VtrAddressRange *ranges,
                           guint32                n,
                           gboolean               halfway)
{
  VtrAddressRanges *self = make ();

  self->halfway = halfway;
  g_array_append_vals (self->ranges, ranges, n);
  for (guint32 i = 0; i < n; i++)
    g_hash_table_insert (self->told, g_memdup2 (&ranges[i].from, sizeof ranges[i].from),
                         GUINT_TO_POINTER (i + 1));
  return self;
}

void
vtr_address_ranges_free (VtrAddressRanges *self)
{
  if (self == NULL)
    return;
  g_array_unref (self->ranges);
  g_hash_table_unref (self->told);
  g_hash_table_unref (self->recorders);
  g_free (self);
}

guint32
vtr_address_ranges_get_n (const VtrAddressRanges *self)
{
  return self->ranges->len;
}

const VtrAddressRange *
vtr_address_ranges_get (const VtrAddressRanges *self,
                        guint32                 id)
{
  return &g_array_index (self->ranges, VtrAddressRange, id);
}

gboolean
vtr_address_ranges_find (const VtrAddressRanges *self,
                         guint64                 index,
                         guint32                *id)
{
  guint number = GPOINTER_TO_UINT (g_hash_table_lookup (self->told, &index));

  *id = number - 1;
  return number != 0;
}

gboolean
vtr_address_ranges_are_halfway (const VtrAddressRanges *self)
{
  return self->halfway;
}

guint64
vtr_address_ranges_find_device (const VtrAddressRanges *self,
                                VkCommandBuffer         buffer,
                                guint64                 index)
{
  const GArray *list = g_hash_table_lookup (self->recorders, buffer);
  guint64 device = 0;

  for (guint i = 0; list != NULL && i < list->len; i++)
    {
      const Recorder *recorder = &g_array_index (list, Recorder, i);

      if (recorder->from <= index || i == 0)
        device = recorder->device;
    }
  return device;
}
