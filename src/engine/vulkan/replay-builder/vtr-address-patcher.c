/* Adds instructions to a replay that move captured device addresses to where the replay's
 * buffers are. */
#include "engine/vulkan/replay-builder/vtr-address-patcher.h"

#include <string.h>

#include "engine/replay-builder/vtr-address-words.h"
#include "engine/vulkan/replay-builder/vtr-vulkan-builder-private.h"
#include "vtr-api-args.h"

/* No handle's: slots of distances, by the range's id + 1. */
#define SLOT_TYPE ((VtrHandleId)VTR_VULKAN_N_HANDLES)

/* Changes between two looks at the length of the segment. */
#define FLUSH_EVERY 1024

struct _VtrAddressPatcher
{
  const VtrAddressRanges *ranges;
  VtrAddressScan *scan;
  VtrAddressWords *words[2]; /* those from multiples of 8 on, and those from halfway between them */
  guint n_words;             /* of .words */
  gboolean idle;             /* for tests: finds, and changes nothing */
  GHashTable *counts;        /* place of the owner's name; 0: memory → number */
};

static VtrAddressPatcher *
make (const VtrAddressRanges        *ranges,
      VtrAddressWords        *const *words)
{
  VtrAddressPatcher *self = g_new0 (VtrAddressPatcher, 1);

  self->ranges = ranges;
  self->scan = vtr_address_scan_new (ranges);
  self->n_words = vtr_address_ranges_are_halfway (ranges) ? 2 : 1;
  for (guint i = 0; i < self->n_words; i++)
    self->words[i] = vtr_address_words_new (words != NULL ? words[i] : NULL);
  self->counts = g_hash_table_new (NULL, NULL);
  self->idle = g_strcmp0 (g_getenv ("VITRINE_REPLAY_PATCHES"), "0") == 0;
  return self;
}

VtrAddressPatcher *
vtr_address_patcher_new (const VtrAddressRanges *ranges)
{
  return make (ranges, NULL);
}

VtrAddressPatcher *
vtr_address_patcher_fork (const VtrAddressPatcher *base)
{
  return make (base->ranges, base->words);
}

void
vtr_address_patcher_free (VtrAddressPatcher *self)
{
  if (self == NULL)
    return;
  vtr_address_scan_free (self->scan);
  for (guint i = 0; i < self->n_words; i++)
    vtr_address_words_unref (self->words[i]);
  g_hash_table_unref (self->counts);
  g_free (self);
}

static void
count (VtrAddressPatcher *self,
       guint32            owner,
       gsize              n)
{
  gpointer key = GUINT_TO_POINTER (owner);
  gsize before = GPOINTER_TO_SIZE (g_hash_table_lookup (self->counts, key));

  if (n > 0)
    g_hash_table_insert (self->counts, key, GSIZE_TO_POINTER (before + n));
}

static gint
compare_counts (gconstpointer a,
                gconstpointer b)
{
  return strcmp (((const VtrAddressCount *)a)->where, ((const VtrAddressCount *)b)->where);
}

GArray *
vtr_address_patcher_list_counts (const VtrAddressPatcher *self)
{
  GArray *list = g_array_new (FALSE, FALSE, sizeof (VtrAddressCount));
  GHashTableIter iter;
  gpointer owner, n;

  g_hash_table_iter_init (&iter, self->counts);
  while (g_hash_table_iter_next (&iter, &owner, &n))
    {
      const VtrAddressCount each = {
        owner != NULL ? vtr_api_string (GPOINTER_TO_UINT (owner)) : VTR_ADDRESS_MEMORY,
        GPOINTER_TO_SIZE (n),
      };

      g_array_append_val (list, each);
    }
  g_array_sort (list, compare_counts);
  return list;
}

void
vtr_address_patcher_tell (VtrReplayBuilder *builder,
                          const VtrCommand *command,
                          VtrHandleId       type,
                          guint64           object)
{
  VtrBuffer *code = &builder->code;
  guint32 range;
  guint64 slot;

  if (!vtr_address_ranges_find (vtr_vulkan_part (builder)->patcher->ranges, command->index, &range))
    return;
  slot = vtr_replay_slots_ensure (&builder->slots,
                                  vtr_vulkan_identity (SLOT_TYPE, (guint64)range + 1));
  if (slot == 0)
    {
      builder->full = TRUE;
      return;
    }
  vtr_asm_push (code, VTR_VM_UINT32, type);
  vtr_replay_builder_push_handle (builder, type, object);
  vtr_asm_push (code, VTR_VM_UINT64,
                vtr_address_ranges_get (vtr_vulkan_part (builder)->patcher->ranges, range)->begin);
  vtr_asm_push (code, VTR_VM_VOLATILE, slot);
  vtr_replay_builder_call_synthetic (builder, VTR_REPLAY_FIND_ADDRESS);
}

/* --- Values ---------------------------------------------------------------------------------- */

/* To what is on top of the stack. */
static void
add_distance (VtrReplayBuilder *builder,
              guint64           slot)
{
  vtr_asm_load (&builder->code, VTR_VM_UINT64, slot);
  vtr_asm_x (&builder->code, VTR_OP_ADD, 2);
  builder->stats.n_addresses++;
}

/* Returns: 0 when the replay was not told the address. */
static guint64
slot_of (VtrReplayBuilder *builder,
         guint32           range)
{
  guint64 slot = vtr_replay_slots_find (&builder->slots,
                                        vtr_vulkan_identity (SLOT_TYPE, (guint64)range + 1));

  builder->stats.n_unknown += slot == 0;
  return vtr_vulkan_part (builder)->patcher->idle ? 0 : slot;
}

static gboolean
change (VtrReplayBuilder  *builder,
        guint64            at,
        guint64            value,
        guint32            range,
        GError           **error)
{
  guint64 slot = slot_of (builder, range);

  if (slot == 0)
    return TRUE;
  vtr_asm_push (&builder->code, VTR_VM_UINT64, value);
  add_distance (builder, slot);
  vtr_asm_store (&builder->code, at);
  return builder->stats.n_addresses % FLUSH_EVERY != 0 ||
         vtr_replay_builder_flush_if_long (builder, error);
}

/* @owner: whose bytes they are, as of count(). */
static gboolean
change_found (VtrReplayBuilder  *builder,
              const GArray      *found,
              guint64            address,
              guint32            owner,
              GError           **error)
{
  count (vtr_vulkan_part (builder)->patcher, owner, found->len);
  for (guint i = 0; i < found->len; i++)
    {
      const VtrAddressFound *each = &g_array_index (found, VtrAddressFound, i);

      if (!change (builder, address + each->at, each->value, each->range, error))
        return FALSE;
    }
  return TRUE;
}

/* --- Arguments ------------------------------------------------------------------------------- */

static void
seek_command (VtrReplayBuilder *builder)
{
  const VtrCommand *command = builder->command;
  VkCommandBuffer buffer;
  guint64 device = 0;

  if (command == NULL)
    return;
  if (vtr_cmd_get (command->id)->dispatch == VTR_HANDLE_VkDevice)
    memcpy (&device, command->args, sizeof (VkDevice));
  else if (vtr_cmd_get (command->id)->dispatch == VTR_HANDLE_VkCommandBuffer)
    {
      memcpy (&buffer, command->args, sizeof buffer);
      device = vtr_address_ranges_find_device (vtr_vulkan_part (builder)->patcher->ranges, buffer,
                                               command->index);
    }
  vtr_address_scan_seek (vtr_vulkan_part (builder)->patcher->scan, command->index, device);
}

void
vtr_address_patcher_push (VtrReplayBuilder *builder,
                          guint64           value)
{
  guint32 range;
  guint64 slot;

  seek_command (builder);
  if (!vtr_address_scan_find (vtr_vulkan_part (builder)->patcher->scan, value, &range))
    return;
  slot = slot_of (builder, range);
  if (slot == 0)
    return;
  add_distance (builder, slot);
  if (builder->command != NULL)
    count (vtr_vulkan_part (builder)->patcher, vtr_cmd_get (builder->command->id)->name, 1);
}

gboolean
vtr_address_patcher_change_tree (VtrReplayBuilder  *builder,
                                 guint32            first,
                                 guint64            address,
                                 GError           **error)
{
  const VtrFlat *flat = &builder->flat;
  const VtrFlatPlace *places = (const VtrFlatPlace *)(const void *)flat->places.data;
  VtrAddressScan *scan = vtr_vulkan_part (builder)->patcher->scan;

  if (flat->n_places == 0)
    return TRUE;
  seek_command (builder);
  for (gsize i = 0; i < flat->n_places; i++)
    {
      const VtrFlatPlace *place = &places[i];

      /* What comes before is pushed. */
      if (place->at < first)
        continue;
      if (!change_found (builder,
                         vtr_address_scan_place (scan, flat->blob.data + place->at, place->size,
                                                 place->exact),
                         address + (place->at - first), place->owner, error))
        return FALSE;
    }
  return TRUE;
}

/* --- Memory ---------------------------------------------------------------------------------- */

#define WORD ((guint)sizeof (guint64))

/* Where words of .words[@nth] begin: the number of the word at @offset of memory, times 8. */
static guint64
shift (guint64 offset,
       guint   nth)
{
  return offset + nth * (WORD / 2);
}

void
vtr_address_patcher_allocate (VtrReplayBuilder *builder,
                              guint64           memory)
{
  for (guint i = 0; i < vtr_vulkan_part (builder)->patcher->n_words; i++)
    vtr_address_words_forget (vtr_vulkan_part (builder)->patcher->words[i], memory);
}

static gboolean
change_words (VtrReplayBuilder        *builder,
              guint                    nth,
              const VtrContentRecord  *write,
              guint64                  address,
              GError                 **error)
{
  VtrAddressPatcher *self = vtr_vulkan_part (builder)->patcher;
  const guint64 offset = shift (write->offset, nth);
  gsize first = vtr_address_scan_first (offset);
  const GArray *found =
    vtr_address_scan_bytes (self->scan, write->data, write->size, first, VTR_ADDRESS_STEP_MEMORY);

  if (first <= write->size && offset <= G_MAXUINT64 - write->size)
    vtr_address_words_clear (self->words[nth], write->object, (offset + first) / WORD,
                             (offset + write->size) / WORD);
  for (guint i = 0; i < found->len; i++)
    {
      const VtrAddressFound *each = &g_array_index (found, VtrAddressFound, i);

      vtr_address_words_put (self->words[nth], write->object, (offset + each->at) / WORD,
                             each->value);
    }
  return change_found (builder, found, address, 0, error);
}

gboolean
vtr_address_patcher_change_write (VtrReplayBuilder        *builder,
                                  guint64                  index,
                                  const VtrContentRecord  *write,
                                  guint64                  address,
                                  GError                 **error)
{
  gboolean ok = TRUE;

  vtr_address_scan_seek (vtr_vulkan_part (builder)->patcher->scan, index, write->owner);
  for (guint i = 0; ok && i < vtr_vulkan_part (builder)->patcher->n_words; i++)
    ok = change_words (builder, i, write, address, error);
  return ok;
}

/* Bytes [@from, @to) of @write are part of a word. */
static gboolean
end_part (VtrReplayBuilder        *builder,
          guint                    nth,
          const VtrContentRecord  *write,
          gsize                    from,
          gsize                    to,
          GError                 **error)
{
  VtrAddressPatcher *self = vtr_vulkan_part (builder)->patcher;
  const guint64 offset = shift (write->offset, nth);
  guint64 word = (offset + from) / WORD;
  VtrAddressWord now;
  guint32 range = 0;
  guint64 source;

  now = vtr_address_words_merge (self->words[nth], write->object, word,
                                 (guint)((offset + from) % WORD), write->data + from,
                                 (guint)(to - from));
  if (now.known != 0xff)
    return TRUE;
  if (vtr_address_scan_find (self->scan, now.value, &range))
    vtr_address_words_put (self->words[nth], write->object, word, now.value);
  else if (!now.was)
    return TRUE;
  /* The whole word once more: half of it may be another's. */
  source = vtr_replay_builder_scratch (builder, (const guint8 *)&now.value, WORD);
  if (vtr_address_scan_find (self->scan, now.value, &range))
    {
      count (self, 0, 1);
      if (!change (builder, source, now.value, range, error))
        return FALSE;
    }
  vtr_replay_builder_write_laid_out (builder, write->object, word * WORD - shift (0, nth), source,
                                     WORD);
  return TRUE;
}

static gboolean
end_words (VtrReplayBuilder        *builder,
           guint                    nth,
           const VtrContentRecord  *write,
           GError                 **error)
{
  const guint64 offset = shift (write->offset, nth);
  gsize head = MIN (vtr_address_scan_first (offset), write->size);
  gsize tail;

  if (offset < write->offset || offset > G_MAXUINT64 - write->size)
    return TRUE;
  tail = write->size - MIN ((offset + write->size) % WORD, write->size - head);
  return (head == 0 || end_part (builder, nth, write, 0, head, error)) &&
         (tail == write->size || end_part (builder, nth, write, tail, write->size, error));
}

gboolean
vtr_address_patcher_end_write (VtrReplayBuilder        *builder,
                               const VtrContentRecord  *write,
                               GError                 **error)
{
  gboolean ok = TRUE;

  /* Words from multiples of 8 on are more likely to be right: they come last. */
  for (guint i = vtr_vulkan_part (builder)->patcher->n_words; ok && i > 0; i--)
    ok = end_words (builder, i - 1, write, error);
  return ok;
}

/* --- Acceleration structures ----------------------------------------------------------------- */

/* The head of the bytes that vkCmdCopyAccelerationStructureToMemoryKHR writes: two UUIDs, two
 * sizes, and then the number of handles with the handles themselves. */
#define STRUCTURE_COUNT 48
#define STRUCTURE_HANDLES 56

gboolean
vtr_address_patcher_change_structure (VtrReplayBuilder        *builder,
                                      guint64                  index,
                                      const VtrContentRecord  *write,
                                      guint64                  address,
                                      GError                 **error)
{
  VtrAddressPatcher *self = vtr_vulkan_part (builder)->patcher;
  guint64 n;

  if (write->offset != 0 || write->size < STRUCTURE_HANDLES)
    return TRUE;
  memcpy (&n, write->data + STRUCTURE_COUNT, sizeof n);
  n = MIN (n, (write->size - STRUCTURE_HANDLES) / WORD);
  vtr_address_scan_seek (self->scan, index, write->owner);
  return change_found (builder,
                       vtr_address_scan_bytes (self->scan, write->data + STRUCTURE_HANDLES,
                                               n * WORD, 0, WORD),
                       address + STRUCTURE_HANDLES, 0, error);
}

/* --- Creations ------------------------------------------------------------------------------- */

static void
unlink_structs (const void      **slot,
                VkStructureType   one,
                VkStructureType   other)
{
  while (*slot != NULL)
    {
      VkBaseInStructure *link = (VkBaseInStructure *)(gpointer)*slot;

      if (link->sType == one || link->sType == other)
        *slot = link->pNext;
      else
        slot = (const void **)&link->pNext;
    }
}

void
vtr_address_forget_in_buffer (VkBufferCreateInfo *info)
{
  info->flags &= ~(VkBufferCreateFlags)VK_BUFFER_CREATE_DEVICE_ADDRESS_CAPTURE_REPLAY_BIT;
  unlink_structs (&info->pNext, VK_STRUCTURE_TYPE_BUFFER_OPAQUE_CAPTURE_ADDRESS_CREATE_INFO,
                  VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_CREATE_INFO_EXT);
}

void
vtr_address_forget_in_memory (VkMemoryAllocateInfo *info)
{
  unlink_structs (&info->pNext, VK_STRUCTURE_TYPE_MEMORY_OPAQUE_CAPTURE_ADDRESS_ALLOCATE_INFO,
                  VK_STRUCTURE_TYPE_MEMORY_OPAQUE_CAPTURE_ADDRESS_ALLOCATE_INFO);
  for (VkBaseOutStructure *link = (VkBaseOutStructure *)(gpointer)info->pNext; link != NULL;
       link = link->pNext)
    if (link->sType == VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO)
      ((VkMemoryAllocateFlagsInfo *)(gpointer)link)->flags &=
        ~(VkMemoryAllocateFlags)VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_CAPTURE_REPLAY_BIT;
}

void
vtr_address_forget_in_structure (VkAccelerationStructureCreateInfoKHR *info)
{
  info->createFlags &= ~(VkAccelerationStructureCreateFlagsKHR)
                         VK_ACCELERATION_STRUCTURE_CREATE_DEVICE_ADDRESS_CAPTURE_REPLAY_BIT_KHR;
  info->deviceAddress = 0;
}
