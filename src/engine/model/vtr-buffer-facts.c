#include "engine/model/vtr-buffer-facts.h"

#include "api/vtr-api-args.h"
#include "engine/format/vtr-trace-walk.h"

#include <string.h>

/* Types of descriptors below this have a size each. */
#define N_TYPES 16u

typedef struct
{
  guint64 address, handle, index;
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
  GArray *addresses;
  GArray *offsets;
  GArray *tokens;
  GHashTable *by_bytes; /* GBytes of a token → number + 1 of the last */
  gsize sizes[N_TYPES];
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
  g_free (self);
}

/* --- the pass -------------------------------------------------------------------------------- */

static void
note_address (VtrBufferFacts   *self,
              const VtrCommand *command,
              guint32           type,
              guint64           handle)
{
  const Address address = { command->result, handle, command->index, type };

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

  self->addresses = g_array_new (FALSE, FALSE, sizeof (Address));
  self->offsets = g_array_new (FALSE, FALSE, sizeof (Offset));
  self->tokens = g_array_new (FALSE, FALSE, sizeof (Token));
  g_array_set_clear_func (self->tokens, clear_token);
  self->by_bytes = g_hash_table_new (g_bytes_hash, g_bytes_equal);
  if (vtr_trace_walk (trace, matters, note, self, NULL, NULL))
    return self;
  facts_free (self);
  return NULL;
}

const VtrBufferFacts *
vtr_buffer_facts_get (VtrDocument *document)
{
  static const char key[] = "vtr-buffer-facts";
  static GMutex lock; /* who comes second waits for the first */
  VtrBufferFacts *self;

  g_mutex_lock (&lock);
  self = g_object_get_data (G_OBJECT (document), key);
  if (self == NULL)
    {
      self = facts_new (vtr_document_get_trace (document));
      if (self != NULL)
        g_object_set_data_full (G_OBJECT (document), key, self, facts_free);
    }
  g_mutex_unlock (&lock);
  return self;
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

static gboolean
holds (VtrHistory    *history,
       const Address *address,
       guint64        at,
       guint64        index)
{
  const VtrObject *object = vtr_history_find (history, address->type, address->handle, index);
  const VtrArgs_vkCreateBuffer *args;
  gboolean result = FALSE;
  VtrCommand command;
  VtrArena arena;

  /* The address was asked for in an earlier life of the handle. */
  if (object == NULL || object->created > address->index)
    return FALSE;
  if (address->type != VTR_HANDLE_VkBuffer || at == address->address)
    return at == address->address;
  vtr_arena_init (&arena);
  if (vtr_history_decode_creation (history, object, &arena, &command, NULL) &&
      command.id == VTR_CMD_vkCreateBuffer)
    {
      args = command.args;
      result = args->pCreateInfo != NULL && at - address->address < args->pCreateInfo->size;
    }
  vtr_arena_finish (&arena);
  return result;
}

static const Address *
find_address (const VtrBufferFacts *self,
              VtrHistory           *history,
              guint32               type,
              guint64               address,
              guint64               index)
{
  for (guint i = self->addresses->len; i > 0; i--)
    {
      const Address *at = &g_array_index (self->addresses, Address, i - 1);

      if (at->type == type && at->index < index && at->address <= address &&
          holds (history, at, address, index))
        return at;
    }
  return NULL;
}

const VtrObject *
vtr_buffer_facts_find_buffer (const VtrBufferFacts *self,
                              VtrHistory           *history,
                              guint64               address,
                              guint64               index,
                              guint64              *buffer,
                              guint64              *offset)
{
  const Address *found = find_address (self, history, VTR_HANDLE_VkBuffer, address, index);

  if (found == NULL)
    return NULL;
  *buffer = found->handle;
  *offset = address - found->address;
  return vtr_history_find (history, VTR_HANDLE_VkBuffer, found->handle, index);
}

static void
resolve_address (const VtrBufferFacts *self,
                 VtrHistory           *history,
                 const Token          *token,
                 guint64               index,
                 VtrDescriptor        *out)
{
  const Address *found;

  if (token->type != VK_DESCRIPTOR_TYPE_ACCELERATION_STRUCTURE_KHR)
    {
      vtr_buffer_facts_find_buffer (self, history, token->address, index, &out->buffer,
                                    &out->offset);
      return;
    }
  found = find_address (self, history, VTR_HANDLE_VkAccelerationStructureKHR, token->address,
                        index);
  out->acceleration_structure = found != NULL ? found->handle : 0;
}

gboolean
vtr_buffer_facts_find (const VtrBufferFacts *self,
                       VtrHistory           *history,
                       VkDescriptorType      type,
                       gconstpointer         bytes,
                       gsize                 size,
                       guint64               index,
                       VtrDescriptor        *out)
{
  g_autoptr (GBytes) key = g_bytes_new_static (bytes, size);
  guint number = GPOINTER_TO_UINT (g_hash_table_lookup (self->by_bytes, key));
  const Token *best = NULL;

  for (; number != 0; number = g_array_index (self->tokens, Token, number - 1).previous)
    {
      const Token *token = &g_array_index (self->tokens, Token, number - 1);

      if (token->index >= index)
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
    resolve_address (self, history, best, index, out);
  return TRUE;
}
