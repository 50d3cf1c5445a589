/* Finds the memory of a trace in which shader group handles or descriptors may lie. */
#include "engine/vulkan/replay-builder/vtr-token-plan.h"

#include "engine/format/vtr-trace-walk.h"
#include "engine/vulkan/state/vtr-newer-form.h"
#include "vulkan/vtr-vulkan-facts.h"
#include "vtr-api-args.h"

/* Tables that are copied from copies of copies. */
#define MAX_ROUNDS 8

/* The differences between kinds of tokens. */
static const struct
{
  VtrCmdId asks;
  VkBufferUsageFlags usage; /* of buffers that tokens are used from */
  guint step;               /* the smallest alignment that drivers ask for */
} kinds[VTR_N_TOKEN_KINDS] = {
  [VTR_TOKEN_GROUP] = { VTR_CMD_vkGetRayTracingShaderGroupHandlesKHR,
                        VK_BUFFER_USAGE_SHADER_BINDING_TABLE_BIT_KHR, 16 },
  [VTR_TOKEN_DESCRIPTOR] = { VTR_CMD_vkGetDescriptorEXT,
                             VK_BUFFER_USAGE_SAMPLER_DESCRIPTOR_BUFFER_BIT_EXT |
                               VK_BUFFER_USAGE_RESOURCE_DESCRIPTOR_BUFFER_BIT_EXT,
                             4 },
};

struct _VtrTokenPlan
{
  VtrTokenKind kind;
  GArray *ranges; /* VtrTokenRange, by allocation and begin */
};

typedef struct
{
  guint64 size, allocation, offset;
  gboolean table, bound;
} Buffer;

typedef struct
{
  VtrTokenRange from, to; /* as long as each other */
} Copy;

typedef struct
{
  VtrTokenKind kind;
  GArray *ranges;
  GArray *copies;
  GHashTable *allocations; /* VkDeviceMemory → index */
  GHashTable *buffers;     /* VkBuffer → Buffer */
} Pass;

static const Buffer *
find_buffer (const Pass *self,
             VkBuffer    buffer)
{
  const guint64 key = (guint64)(gsize)buffer;
  const Buffer *found = g_hash_table_lookup (self->buffers, &key);

  return found != NULL && found->bound ? found : NULL;
}

static void
note_bind (Pass           *self,
           VkBuffer        buffer,
           VkDeviceMemory  memory,
           VkDeviceSize    offset)
{
  const guint64 key = (guint64)(gsize)buffer, place = (guint64)(gsize)memory;
  Buffer *found = g_hash_table_lookup (self->buffers, &key);
  const guint64 *allocation = g_hash_table_lookup (self->allocations, &place);
  VtrTokenRange range = { .begin = offset, .phase = offset % kinds[self->kind].step };

  if (found == NULL || allocation == NULL ||
      __builtin_add_overflow (offset, found->size, &range.end))
    return;
  found->allocation = range.allocation = *allocation;
  found->offset = offset;
  found->bound = TRUE;
  if (found->table)
    g_array_append_val (self->ranges, range);
}

static void
note_copy (Pass         *self,
           VkBuffer      from,
           VkDeviceSize  from_offset,
           VkBuffer      to,
           VkDeviceSize  to_offset,
           VkDeviceSize  size)
{
  const Buffer *source = find_buffer (self, from), *target = find_buffer (self, to);
  Copy copy = { { 0 } };

  if (source == NULL || target == NULL || from_offset > source->size ||
      size > source->size - from_offset || to_offset > target->size ||
      size > target->size - to_offset)
    return;
  copy.from.allocation = source->allocation;
  copy.from.begin = source->offset + from_offset;
  copy.from.end = copy.from.begin + size;
  copy.to.allocation = target->allocation;
  copy.to.begin = target->offset + to_offset;
  copy.to.end = copy.to.begin + size;
  g_array_append_val (self->copies, copy);
}

static void
note_copies (Pass                    *self,
             const VkCopyBufferInfo2 *info)
{
  for (guint32 i = 0; info != NULL && info->pRegions != NULL && i < info->regionCount; i++)
    note_copy (self, info->srcBuffer, info->pRegions[i].srcOffset, info->dstBuffer,
               info->pRegions[i].dstOffset, info->pRegions[i].size);
}

static void
note_buffer (Pass                         *self,
             const VtrArgs_vkCreateBuffer *args)
{
  const guint64 key = args->pBuffer != NULL ? (guint64)(gsize)*args->pBuffer : 0;
  Buffer *buffer;

  if (key == 0 || args->pCreateInfo == NULL)
    return;
  buffer = g_new0 (Buffer, 1);
  buffer->size = args->pCreateInfo->size;
  buffer->table =
    (vtr_buffer_get_usage (args->pCreateInfo) & kinds[self->kind].usage) != 0;
  g_hash_table_replace (self->buffers, g_memdup2 (&key, sizeof key), buffer);
}

static void
note_memory (Pass             *self,
             const VtrCommand *command)
{
  const VtrArgs_vkAllocateMemory *args = command->args;
  const guint64 key = args->pMemory != NULL ? (guint64)(gsize)*args->pMemory : 0;

  if (key != 0)
    g_hash_table_replace (self->allocations, g_memdup2 (&key, sizeof key),
                          g_memdup2 (&command->index, sizeof command->index));
}

static void
note (const VtrCommand *command,
      gpointer          data)
{
  g_auto (VtrNewerForm) form = { 0 };
  Pass *self = data;

  if (command->has_result && (gint32)command->result < 0)
    return;
  vtr_newer_form_init (&form, command);
  switch (form.command.id)
    {
    case VTR_CMD_vkAllocateMemory:
      note_memory (self, command);
      break;
    case VTR_CMD_vkCreateBuffer:
      note_buffer (self, command->args);
      break;
    case VTR_CMD_vkBindBufferMemory2:
      {
        const VtrArgs_vkBindBufferMemory2 *bind = form.command.args;

        for (guint32 i = 0; bind->pBindInfos != NULL && i < bind->bindInfoCount; i++)
          note_bind (self, bind->pBindInfos[i].buffer, bind->pBindInfos[i].memory,
                     bind->pBindInfos[i].memoryOffset);
        break;
      }
    default:
      note_copies (self, ((const VtrArgs_vkCmdCopyBuffer2 *)form.command.args)->pCopyBufferInfo);
    }
}

static gboolean
matters (guint64  index,
         VtrCmdId id,
         gpointer data)
{
  switch (vtr_cmd_newer_form (id))
    {
    case VTR_CMD_vkAllocateMemory:
    case VTR_CMD_vkCreateBuffer:
    case VTR_CMD_vkBindBufferMemory2:
    case VTR_CMD_vkCmdCopyBuffer2:
      return TRUE;
    default:
      return FALSE;
    }
}

static gint
compare_ranges (gconstpointer a,
                gconstpointer b)
{
  const VtrTokenRange *left = a, *right = b;

  if (left->allocation != right->allocation)
    return left->allocation < right->allocation ? -1 : 1;
  if (left->begin != right->begin)
    return left->begin < right->begin ? -1 : 1;
  if (left->end != right->end)
    return left->end < right->end ? -1 : 1;
  return (left->phase > right->phase) - (left->phase < right->phase);
}

/* Sorts, and leaves what is there twice. */
static void
put_in_order (GArray *ranges)
{
  guint n = 0;

  g_array_sort (ranges, compare_ranges);
  for (guint i = 0; i < ranges->len; i++)
    {
      const VtrTokenRange range = g_array_index (ranges, VtrTokenRange, i);

      if (n == 0 || compare_ranges (&range, &g_array_index (ranges, VtrTokenRange, n - 1)) != 0)
        g_array_index (ranges, VtrTokenRange, n++) = range;
    }
  g_array_set_size (ranges, n);
}

static gboolean
overlaps (const VtrTokenRange *a,
          const VtrTokenRange *b)
{
  return a->allocation == b->allocation && a->begin < b->end && b->begin < a->end;
}

/* Adds the sources of copies to places where tokens are searched. Returns: whether there was a new
 * one. */
static gboolean
add_sources (Pass *self)
{
  const guint before = self->ranges->len;

  for (guint i = 0; i < self->copies->len; i++)
    {
      const Copy *copy = &g_array_index (self->copies, Copy, i);

      for (guint j = 0; j < before; j++)
        {
          const VtrTokenRange to = g_array_index (self->ranges, VtrTokenRange, j);
          VtrTokenRange from = copy->from;

          if (!overlaps (&to, &copy->to))
            continue;
          from.phase = (to.phase + copy->from.begin - copy->to.begin) % kinds[self->kind].step;
          g_array_append_val (self->ranges, from);
        }
    }
  put_in_order (self->ranges);
  return self->ranges->len > before;
}

gboolean
vtr_token_plan_new (VtrTrace      *trace,
                    VtrTokenKind   kind,
                    VtrTokenPlan **out,
                    GCancellable  *cancellable,
                    GError       **error)
{
  Pass pass = { .kind = kind };
  gboolean ok;

  *out = NULL;
  if (!vtr_trace_has_command (trace, kinds[kind].asks))
    return TRUE;
  pass.ranges = g_array_new (FALSE, FALSE, sizeof (VtrTokenRange));
  pass.copies = g_array_new (FALSE, FALSE, sizeof (Copy));
  pass.allocations = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, g_free);
  pass.buffers = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, g_free);
  ok = vtr_trace_walk (trace, matters, note, &pass, cancellable, error);
  put_in_order (pass.ranges);
  for (guint i = 0; ok && i < MAX_ROUNDS && add_sources (&pass); i++)
    continue;
  g_hash_table_unref (pass.buffers);
  g_hash_table_unref (pass.allocations);
  g_array_unref (pass.copies);
  if (ok)
    {
      *out = g_new0 (VtrTokenPlan, 1);
      (*out)->kind = kind;
      (*out)->ranges = pass.ranges;
    }
  else
    g_array_unref (pass.ranges);
  return ok;
}

void
vtr_token_plan_free (VtrTokenPlan *self)
{
  if (self == NULL)
    return;
  g_array_unref (self->ranges);
  g_free (self);
}

VtrTokenKind
vtr_token_plan_get_kind (const VtrTokenPlan *self)
{
  return self->kind;
}

guint
vtr_token_plan_get_step (const VtrTokenPlan *self)
{
  return kinds[self->kind].step;
}

GArray *
vtr_token_plan_find (const VtrTokenPlan *self,
                     guint64             allocation,
                     guint64             begin,
                     guint64             end)
{
  const VtrTokenRange wanted = { allocation, begin, end, 0 };
  GArray *found = g_array_new (FALSE, FALSE, sizeof (VtrTokenRange));

  for (guint i = 0; i < self->ranges->len; i++)
    {
      const VtrTokenRange *each = &g_array_index (self->ranges, VtrTokenRange, i);

      if (overlaps (each, &wanted))
        g_array_append_vals (found, each, 1);
    }
  return found;
}
