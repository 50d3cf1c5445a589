/* Reads the calls of a trace that concern descriptor buffers, to translate descriptors in memory
 * back to the resources they mean. */
#include "engine/vulkan/show/vtr-buffer-facts.h"

#include "api/vtr-api-args.h"
#include "engine/format/vtr-trace-walk.h"
#include "engine/vulkan/show/vtr-address-map.h"

#include <string.h>

/* Types of descriptors below this have a size each. */
#define N_TYPES 16u

typedef struct
{
  guint64 address, handle, index;
  guint64 size; /* bytes from .address on that mean the object */
  guint32 type; /* VTR_HANDLE_VkBuffer or _VkAccelerationStructureKHR */
} Address;

typedef struct
{
  guint64 layout, offset, index;
  guint32 binding;
} Offset;

/* An answer of vkGetDescriptorEXT. */
typedef struct
{
  GBytes *bytes;
  VkDescriptorType type;
  VtrDescriptor descriptor;
  guint64 address; /* of what the descriptor is for; 0: none */
  guint64 index;
  guint previous; /* number + 1 of the one before with the same bytes; 0: none */
} Token;

struct _VtrBufferFacts
{
  GHashTable *buffers; /* guint64 handle → guint64 size; for the pass */
  GArray *addresses;
  GArray *offsets;
  GArray *tokens;
  GHashTable *by_bytes; /* GBytes of a token → number + 1 of the last */
  gsize sizes[N_TYPES];
};

struct _VtrBufferLookup
{
  const VtrBufferFacts *facts;
  VtrHistory *history;
  guint64 index;
  VtrAddressMap *buffers, *structures; /* positions in .facts->addresses */
};

static void
clear_token (gpointer data)
{
  g_bytes_unref (((Token *)data)->bytes);
}

static void
facts_free (gpointer data)
{
  VtrBufferFacts *self = data;

  g_hash_table_unref (self->by_bytes);
  g_array_unref (self->tokens);
  g_array_unref (self->offsets);
  g_array_unref (self->addresses);
  g_hash_table_unref (self->buffers);
  g_free (self);
}

/* --- the pass -------------------------------------------------------------------------------- */

static guint64 *
box (guint64 number)
{
  return g_memdup2 (&number, sizeof number);
}

static void
note_size (VtrBufferFacts               *self,
           const VtrArgs_vkCreateBuffer *args)
{
  if (args->pBuffer != NULL && args->pCreateInfo != NULL)
    g_hash_table_replace (self->buffers, box ((guint64)*args->pBuffer),
                          box (args->pCreateInfo->size));
}

static void
note_address (VtrBufferFacts   *self,
              const VtrCommand *command,
              guint32           type,
              guint64           handle)
{
  const guint64 *size =
    type == VTR_HANDLE_VkBuffer ? g_hash_table_lookup (self->buffers, &handle) : NULL;
  const Address address = { .address = command->result,
                            .handle = handle,
                            .index = command->index,
                            .size = size != NULL ? MAX (*size, 1) : 1,
                            .type = type };

  if (command->result != 0)
    g_array_append_val (self->addresses, address);
}

static void
note_offset (VtrBufferFacts                                         *self,
             const VtrArgs_vkGetDescriptorSetLayoutBindingOffsetEXT *args,
             guint64                                                 index)
{
  if (args->pOffset != NULL)
    {
      const Offset offset = { (guint64)args->layout, *args->pOffset, index, args->binding };

      g_array_append_val (self->offsets, offset);
    }
}

static void
read_image (Token                       *token,
            const VkDescriptorImageInfo *info,
            gboolean                     sampled)
{
  if (info == NULL)
    return;
  token->descriptor.view = (guint64)info->imageView;
  token->descriptor.image_layout = info->imageLayout;
  if (sampled)
    token->descriptor.sampler = (guint64)info->sampler;
}

static void
read_address (Token                            *token,
              const VkDescriptorAddressInfoEXT *info)
{
  if (info == NULL)
    return;
  token->address = info->address;
  token->descriptor.range = info->range;
}

static void
read_data (Token                     *token,
           const VkDescriptorDataEXT *data)
{
  switch ((guint)token->type)
    {
    case VK_DESCRIPTOR_TYPE_SAMPLER:
      token->descriptor.sampler = data->pSampler != NULL ? (guint64)*data->pSampler : 0;
      break;
    case VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER:
      read_image (token, data->pCombinedImageSampler, TRUE);
      break;
    case VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE:
    case VK_DESCRIPTOR_TYPE_STORAGE_IMAGE:
    case VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT:
      read_image (token, data->pSampledImage, FALSE);
      break;
    case VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER:
    case VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER:
    case VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER:
    case VK_DESCRIPTOR_TYPE_STORAGE_BUFFER:
      read_address (token, data->pUniformBuffer);
      break;
    case VK_DESCRIPTOR_TYPE_ACCELERATION_STRUCTURE_KHR:
      token->address = data->accelerationStructure;
      break;
    default:
      break;
    }
}

static void
note_descriptor (VtrBufferFacts                   *self,
                 const VtrArgs_vkGetDescriptorEXT *args,
                 guint64                           index)
{
  Token token = { .index = index };
  guint number;

  if (args->pDescriptorInfo == NULL || args->pDescriptor == NULL || args->dataSize == 0)
    return;
  token.type = args->pDescriptorInfo->type;
  token.descriptor.written = TRUE;
  token.descriptor.command = index;
  read_data (&token, &args->pDescriptorInfo->data);
  token.bytes = g_bytes_new (args->pDescriptor, args->dataSize);
  token.previous = GPOINTER_TO_UINT (g_hash_table_lookup (self->by_bytes, token.bytes));
  if ((guint)token.type < N_TYPES)
    self->sizes[token.type] = args->dataSize;
  g_array_append_val (self->tokens, token);
  number = self->tokens->len;
  g_hash_table_replace (self->by_bytes, token.bytes, GUINT_TO_POINTER (number));
}

static void
note (const VtrCommand *command,
      gpointer          data)
{
  VtrBufferFacts *self = data;

  switch (vtr_cmd_canonical (command->id))
    {
    case VTR_CMD_vkCreateBuffer:
      note_size (self, command->args);
      break;
    case VTR_CMD_vkGetBufferDeviceAddress:
      {
        const VtrArgs_vkGetBufferDeviceAddress *args = command->args;

        if (args->pInfo != NULL)
          note_address (self, command, VTR_HANDLE_VkBuffer, (guint64)args->pInfo->buffer);
        break;
      }
    case VTR_CMD_vkGetAccelerationStructureDeviceAddressKHR:
      {
        const VtrArgs_vkGetAccelerationStructureDeviceAddressKHR *args = command->args;

        if (args->pInfo != NULL)
          note_address (self, command, VTR_HANDLE_VkAccelerationStructureKHR,
                        (guint64)args->pInfo->accelerationStructure);
        break;
      }
    case VTR_CMD_vkGetDescriptorSetLayoutBindingOffsetEXT:
      note_offset (self, command->args, command->index);
      break;
    default:
      note_descriptor (self, command->args, command->index);
    }
}

static gboolean
matters (guint64  index,
         VtrCmdId id,
         gpointer data)
{
  switch (vtr_cmd_canonical (id))
    {
    case VTR_CMD_vkCreateBuffer:
    case VTR_CMD_vkGetBufferDeviceAddress:
    case VTR_CMD_vkGetAccelerationStructureDeviceAddressKHR:
    case VTR_CMD_vkGetDescriptorSetLayoutBindingOffsetEXT:
    case VTR_CMD_vkGetDescriptorEXT:
      return TRUE;
    default:
      return FALSE;
    }
}

static VtrBufferFacts *
facts_new (VtrTrace *trace)
{
  VtrBufferFacts *self = g_new0 (VtrBufferFacts, 1);

  self->buffers = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, g_free);
  self->addresses = g_array_new (FALSE, FALSE, sizeof (Address));
  self->offsets = g_array_new (FALSE, FALSE, sizeof (Offset));
  self->tokens = g_array_new (FALSE, FALSE, sizeof (Token));
  g_array_set_clear_func (self->tokens, clear_token);
  self->by_bytes = g_hash_table_new (g_bytes_hash, g_bytes_equal);
  if (vtr_trace_walk (trace, matters, note, self, NULL, NULL))
    {
      g_hash_table_remove_all (self->buffers);
      return self;
    }
  facts_free (self);
  return NULL;
}

static gpointer
make_facts (VtrAnalysis *analysis)
{
  return facts_new (vtr_analysis_get_trace (analysis));
}

const VtrBufferFacts *
vtr_buffer_facts_get (VtrAnalysis *analysis)
{
  return vtr_analysis_keep (analysis, make_facts, facts_free);
}

/* --- questions ------------------------------------------------------------------------------- */

gboolean
vtr_buffer_facts_find_offset (const VtrBufferFacts *self,
                              guint64               layout,
                              guint32               binding,
                              guint64               index,
                              guint64              *offset)
{
  for (guint i = self->offsets->len; i > 0; i--)
    {
      const Offset *at = &g_array_index (self->offsets, Offset, i - 1);

      if (at->layout != layout || at->binding != binding || at->index >= index)
        continue;
      *offset = at->offset;
      return TRUE;
    }
  return FALSE;
}

gsize
vtr_buffer_facts_get_size (const VtrBufferFacts *self,
                           VkDescriptorType      type)
{
  if (type == VK_DESCRIPTOR_TYPE_ACCELERATION_STRUCTURE_KHR)
    {
      for (guint i = 0; i < self->tokens->len; i++)
        if (g_array_index (self->tokens, Token, i).type == type)
          return g_bytes_get_size (g_array_index (self->tokens, Token, i).bytes);
      return 0;
    }
  return (guint)type < N_TYPES ? self->sizes[type] : 0;
}

/* Whether the object whose address was asked for is the one that the handle means at @index. */
static gboolean
is_alive (const Address *self,
          VtrHistory    *history,
          guint64        index)
{
  const VtrObject *object;

  if (self->index >= index)
    return FALSE;
  object = vtr_history_find (history, vtr_vulkan_identity (self->type, self->handle), index);
  return object != NULL && object->created <= self->index;
}

VtrBufferLookup *
vtr_buffer_lookup_new (const VtrBufferFacts *facts,
                       VtrHistory           *history,
                       guint64               index)
{
  VtrBufferLookup *self = g_new (VtrBufferLookup, 1);

  *self = (VtrBufferLookup){ facts, history, index, vtr_address_map_new (),
                             vtr_address_map_new () };
  for (guint i = 0; i < facts->addresses->len; i++)
    {
      const Address *address = &g_array_index (facts->addresses, Address, i);

      if (is_alive (address, history, index))
        vtr_address_map_add (address->type == VTR_HANDLE_VkBuffer ? self->buffers
                                                                  : self->structures,
                             address->address, address->size, i);
    }
  vtr_address_map_complete (self->buffers);
  vtr_address_map_complete (self->structures);
  return self;
}

void
vtr_buffer_lookup_free (VtrBufferLookup *self)
{
  vtr_address_map_free (self->structures);
  vtr_address_map_free (self->buffers);
  g_free (self);
}

static const Address *
find_address (const VtrBufferLookup *self,
              const VtrAddressMap   *map,
              guint64                address)
{
  guint at;

  return vtr_address_map_find (map, address, &at)
           ? &g_array_index (self->facts->addresses, Address, at)
           : NULL;
}

const VtrObject *
vtr_buffer_lookup_find_buffer (const VtrBufferLookup *self,
                               guint64                address,
                               guint64               *buffer,
                               guint64               *offset)
{
  const Address *found = find_address (self, self->buffers, address);

  if (found == NULL)
    return NULL;
  *buffer = found->handle;
  *offset = address - found->address;
  return vtr_history_find (self->history, vtr_vulkan_identity (VTR_HANDLE_VkBuffer, found->handle),
                           self->index);
}

static void
resolve_address (const VtrBufferLookup *self,
                 const Token           *token,
                 VtrDescriptor         *out)
{
  const Address *found;

  if (token->type != VK_DESCRIPTOR_TYPE_ACCELERATION_STRUCTURE_KHR)
    {
      vtr_buffer_lookup_find_buffer (self, token->address, &out->buffer, &out->offset);
      return;
    }
  found = find_address (self, self->structures, token->address);
  out->acceleration_structure = found != NULL ? found->handle : 0;
}

gboolean
vtr_buffer_lookup_find_descriptor (const VtrBufferLookup *self,
                                   VkDescriptorType       type,
                                   gconstpointer          bytes,
                                   gsize                  size,
                                   VtrDescriptor         *out)
{
  const GArray *tokens = self->facts->tokens;
  g_autoptr (GBytes) key = g_bytes_new_static (bytes, size);
  guint number = GPOINTER_TO_UINT (g_hash_table_lookup (self->facts->by_bytes, key));
  const Token *best = NULL;

  for (; number != 0; number = g_array_index (tokens, Token, number - 1).previous)
    {
      const Token *token = &g_array_index (tokens, Token, number - 1);

      if (token->index >= self->index)
        continue;
      if (best == NULL || token->type == type)
        best = token;
      if (token->type == type)
        break;
    }
  if (best == NULL)
    return FALSE;
  *out = best->descriptor;
  if (best->address != 0)
    resolve_address (self, best, out);
  return TRUE;
}
