/* Finds which memory object the observed bytes of mapped memory belong to. */
#include "engine/gapid/vtr-gapid-mapped.h"

#include "api/vtr-api-args.h"

/* Device memory that the program has mapped. */
typedef struct
{
  guint64 device;
  guint64 memory;
  guint64 address;
  guint64 offset; /* in the memory object */
  guint64 size;
} VtrGapidMapping;

struct _VtrGapidMapper
{
  GArray *mappings;  /* VtrGapidMapping */
  GHashTable *sizes; /* VkDeviceMemory → guint64 */
};

VtrGapidMapper *
vtr_gapid_mapper_new (void)
{
  VtrGapidMapper *self = g_new0 (VtrGapidMapper, 1);

  self->mappings = g_array_new (FALSE, FALSE, sizeof (VtrGapidMapping));
  self->sizes = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, g_free);
  return self;
}

void
vtr_gapid_mapper_free (VtrGapidMapper *self)
{
  g_array_unref (self->mappings);
  g_hash_table_unref (self->sizes);
  g_free (self);
}

static void
forget (VtrGapidMapper *self,
        guint64         memory)
{
  for (guint i = self->mappings->len; i > 0; i--)
    if (g_array_index (self->mappings, VtrGapidMapping, i - 1).memory == memory)
      g_array_remove_index_fast (self->mappings, i - 1);
}

static void
add (VtrGapidMapper        *self,
     const VtrGapidMapping *mapping)
{
  if (mapping->size == 0 || mapping->address == 0 ||
      mapping->size > G_MAXUINT64 - mapping->address)
    return;
  forget (self, mapping->memory);
  g_array_append_val (self->mappings, *mapping);
}

void
vtr_gapid_mapper_cut (VtrGapidMapper *self,
                      guint64         base,
                      guint64         size,
                      guint64         resource,
                      GArray         *writes)
{
  if (size > G_MAXUINT64 - base)
    return;
  for (guint i = 0; i < self->mappings->len; i++)
    {
      const VtrGapidMapping *mapping = &g_array_index (self->mappings, VtrGapidMapping, i);
      guint64 from = MAX (base, mapping->address);
      guint64 end = MIN (base + size, mapping->address + mapping->size);
      VtrGapidContent content = {
        .write = { .owner = mapping->device,
                   .object = mapping->memory,
                   .address = from,
                   .kind = VTR_HANDLE_VkDeviceMemory },
        .resource = resource,
      };

      if (from >= end)
        continue;
      content.write.offset = mapping->offset + (from - mapping->address);
      content.write.size = end - from;
      content.from = from - base;
      g_array_append_val (writes, content);
    }
}

static void
follow_allocate (VtrGapidMapper                 *self,
                 const VtrArgs_vkAllocateMemory *args)
{
  guint64 memory;

  if (args->pAllocateInfo == NULL || args->pMemory == NULL)
    return;
  memory = (guint64)(gsize)*args->pMemory;
  g_hash_table_replace (
    self->sizes, g_memdup2 (&memory, sizeof memory),
    g_memdup2 (&args->pAllocateInfo->allocationSize, sizeof args->pAllocateInfo->allocationSize));
}

static void
follow_map (VtrGapidMapper            *self,
            const VtrArgs_vkMapMemory *args)
{
  VtrGapidMapping mapping = {
    .device = (guint64)(gsize)args->device,
    .memory = (guint64)(gsize)args->memory,
    .offset = args->offset,
    .size = args->size,
  };
  const guint64 *whole = g_hash_table_lookup (self->sizes, &mapping.memory);

  if (args->ppData == NULL || (whole != NULL && mapping.offset > *whole))
    return;
  mapping.address = (guint64)(gsize)*args->ppData;
  if (whole != NULL)
    mapping.size = MIN (mapping.size, *whole - mapping.offset);
  add (self, &mapping);
}

gboolean
vtr_gapid_mapper_wants (VtrCmdId id)
{
  switch (id)
    {
    case VTR_CMD_vkAllocateMemory:
    case VTR_CMD_vkFreeMemory:
    case VTR_CMD_vkMapMemory:
    case VTR_CMD_vkUnmapMemory:
      return TRUE;
    default:
      return FALSE;
    }
}

void
vtr_gapid_mapper_follow (VtrGapidMapper   *self,
                         const VtrCommand *command)
{
  const VtrArgs_vkUnmapMemory *args = command->args;
  guint64 memory;

  if (command->has_result && (gint32)command->result < 0)
    return;
  switch (command->id)
    {
    case VTR_CMD_vkAllocateMemory:
      follow_allocate (self, command->args);
      break;
    case VTR_CMD_vkMapMemory:
      follow_map (self, command->args);
      break;
    case VTR_CMD_vkUnmapMemory:
    case VTR_CMD_vkFreeMemory: /* its first two arguments are the same */
      memory = (guint64)(gsize)args->memory;
      forget (self, memory);
      if (command->id == VTR_CMD_vkFreeMemory)
        g_hash_table_remove (self->sizes, &memory);
      break;
    default:
      break;
    }
}
