/* Keeps the descriptors that the program got (vkGetDescriptorEXT): a recording that begins in the
 * middle of the run repeats them, so that a replay can find them in the program's memory.
 *
 * Those of images and samplers are records of these. Those of buffers and acceleration structures
 * name addresses: they are kept here, once for all that the driver was asked, and left out where
 * nothing lives at the address any more. */
#include "vtr-layer-live-state.h"
#include "vtr-layer-trampolines.h"

#include "base/vtr-range-set.h"
#include "vulkan/vtr-vulkan-facts.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_SLOTS 256u
/* When this many are kept, those of destroyed objects are dropped. */
#define MOST_KEPT (1u << 18)

typedef struct
{
  VkDescriptorType type;
  VkFormat format;
  uint64_t address;
  uint64_t range;
  size_t size;
} Asked;

typedef struct
{
  Asked asked;
  uint8_t bytes[];
} Descriptor;

struct VtrLayerDescriptors
{
  Descriptor **slots; /* open addressing, linear probing, at most half full */
  size_t n_slots;     /* a power of two */
  size_t n;
};

/* ---- The table ---- */

static Descriptor **
probe (const VtrLayerDescriptors *self,
       const Asked               *asked)
{
  uint64_t hash = asked->address ^ (asked->range << 17) ^ ((uint64_t)asked->format << 40) ^
                  ((uint64_t)(uint32_t)asked->type << 48) ^ asked->size;
  size_t at = (size_t)((hash * UINT64_C (0x9e3779b97f4a7c15)) >> 32) & (self->n_slots - 1);

  while (self->slots[at] != NULL && memcmp (&self->slots[at]->asked, asked, sizeof *asked) != 0)
    at = (at + 1) & (self->n_slots - 1);
  return &self->slots[at];
}

/* Puts what @keeps says into a table of @n_slots. Returns: false without memory. */
static bool
move (VtrLayerDescriptors *self,
      size_t n_slots,
      bool (*keeps) (const Descriptor *each,
                     const void *data),
      const void *data)
{
  VtrLayerDescriptors to = { calloc (n_slots, sizeof *to.slots), n_slots, 0 };

  if (to.slots == NULL)
    return false;
  for (size_t i = 0; i < self->n_slots; i++)
    {
      Descriptor *each = self->slots[i];

      if (each == NULL)
        continue;
      if (keeps != NULL && !keeps (each, data))
        {
          free (each);
          continue;
        }
      *probe (&to, &each->asked) = each;
      to.n++;
    }
  free (self->slots);
  *self = to;
  return true;
}

void
vtr_layer_descriptors_free (VtrLayerDescriptors *self)
{
  for (size_t i = 0; self != NULL && i < self->n_slots; i++)
    free (self->slots[i]);
  if (self != NULL)
    free (self->slots);
  free (self);
}

/* ---- What lives ---- */

static bool
add_range (VtrRangeSet *self,
           uint64_t     address,
           uint64_t     size)
{
  return address == 0 || vtr_range_set_append (self, address, address + size);
}

/* Fills @out, which is empty, with the addresses that something has. Returns: false without
 * memory. */
static bool
get_ranges (const VtrLayerWorld *world,
            VtrRangeSet         *out)
{
  bool ok = true;

  for (const VtrLayerObject *object = world->living[VTR_HANDLE_VkBuffer]; ok && object != NULL;
       object = object->next_living)
    if (object->state != NULL)
      ok = add_range (out, ((const VtrLayerBuffer *)object->state)->address,
                      ((const VtrLayerBuffer *)object->state)->size);
  for (const VtrLayerObject *object = world->living[VTR_HANDLE_VkAccelerationStructureKHR];
       ok && object != NULL; object = object->next_living)
    if (object->state != NULL)
      ok = add_range (out, ((const VtrLayerStructure *)object->state)->address, 1);
  vtr_range_set_join (out);
  return ok;
}

/* Address 0 is that of null descriptors. */
static bool
lives (const Descriptor *self,
       const void       *data)
{
  const uint64_t address = self->asked.address;

  return address == 0 || vtr_range_set_overlaps (data, address, address + 1);
}

/* Returns: whether there is room for one more. */
static bool
make_room (VtrLayerWorld       *world,
           VtrLayerDescriptors *self)
{
  VtrRangeSet ranges = { 0 };
  bool fine;

  if (2 * (self->n + 1) <= self->n_slots)
    return true;
  if (self->n_slots < 2 * MOST_KEPT)
    return move (self, self->n_slots == 0 ? FIRST_SLOTS : 2 * self->n_slots, NULL, NULL);
  fine = get_ranges (world, &ranges) && move (self, self->n_slots, lives, &ranges);
  vtr_range_set_finish (&ranges);
  /* Looking through all of them again for each new one would take the program's time. */
  if (fine && self->n > MOST_KEPT / 4 * 3)
    vtr_layer_live_fail ("The program asked for more than %u different descriptors",
                         MOST_KEPT / 4 * 3);
  return fine;
}

/* ---- Calls ---- */

/* Drivers leave bytes of a descriptor unwritten that they never read. They are cleared, so that
 * the same object always gives the same bytes. This is done in a copy, because the device may be
 * reading the descriptor. */
void
vtr_layer_hook_GetDescriptorEXT (VtrLayerDevice               *self,
                                 VkDevice                      device,
                                 const VkDescriptorGetInfoEXT *pDescriptorInfo,
                                 size_t                        dataSize,
                                 void                         *pDescriptor)
{
  _Alignas(64) uint8_t bytes[VTR_MAX_DESCRIPTOR];

  if (dataSize > sizeof bytes)
    {
      self->next.GetDescriptorEXT (device, pDescriptorInfo, dataSize, pDescriptor);
      return;
    }
  memset (bytes, 0, dataSize);
  self->next.GetDescriptorEXT (device, pDescriptorInfo, dataSize, bytes);
  memcpy (pDescriptor, bytes, dataSize);
}

static const VkDescriptorAddressInfoEXT *
get_address_info (const VkDescriptorGetInfoEXT *info)
{
  switch (info->type)
    {
    case VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER:
      return info->data.pUniformTexelBuffer;
    case VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER:
      return info->data.pStorageTexelBuffer;
    case VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER:
      return info->data.pUniformBuffer;
    case VK_DESCRIPTOR_TYPE_STORAGE_BUFFER:
      return info->data.pStorageBuffer;
    default:
      return NULL;
    }
}

static const VkDescriptorImageInfo *
get_image_info (const VkDescriptorGetInfoEXT *info)
{
  switch (info->type)
    {
    case VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER:
      return info->data.pCombinedImageSampler;
    case VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT:
      return info->data.pInputAttachmentImage;
    case VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE:
      return info->data.pSampledImage;
    case VK_DESCRIPTOR_TYPE_STORAGE_IMAGE:
      return info->data.pStorageImage;
    default:
      return NULL;
    }
}

VtrLayerObject *
vtr_layer_descriptor_get_subject (VtrLayerWorld                *world,
                                  const VkDescriptorGetInfoEXT *info,
                                  uint32_t                     *part)
{
  const VkDescriptorImageInfo *image = get_image_info (info);
  const uint64_t factor = UINT64_C (0x9e3779b97f4a7c15);
  uint64_t hash;

  *part = 0;
  if (info->type == VK_DESCRIPTOR_TYPE_SAMPLER)
    return info->data.pSampler == NULL
             ? NULL
             : vtr_layer_live_find (world, VTR_HANDLE_VkSampler,
                                    (uint64_t)(uintptr_t)*info->data.pSampler);
  if (image == NULL)
    return NULL;
  hash = ((uint64_t)(uint32_t)info->type << 32 | (uint32_t)image->imageLayout) * factor;
  hash = (hash ^ (uint64_t)(uintptr_t)image->sampler) * factor;
  *part = (uint32_t)(hash >> 32);
  return vtr_layer_live_find (world, VTR_HANDLE_VkImageView,
                              (uint64_t)(uintptr_t)image->imageView);
}

void
vtr_layer_descriptors_note (VtrLayerWorld                    *world,
                            const VtrArgs_vkGetDescriptorEXT *args)
{
  const VkDescriptorGetInfoEXT *info = args->pDescriptorInfo;
  const VkDescriptorAddressInfoEXT *of = get_address_info (info);
  Descriptor **slot;
  Asked asked;

  if (world->descriptors == NULL)
    world->descriptors = calloc (1, sizeof *world->descriptors);
  if (world->descriptors == NULL || !make_room (world, world->descriptors))
    {
      vtr_layer_live_fail (VTR_LAYER_NO_MEMORY);
      return;
    }
  memset (&asked, 0, sizeof asked); /* its padding, too */
  asked.type = info->type;
  asked.size = args->dataSize;
  if (of != NULL)
    {
      asked.format = of->format;
      asked.address = of->address;
      asked.range = of->range;
    }
  else if (info->type == VK_DESCRIPTOR_TYPE_ACCELERATION_STRUCTURE_KHR)
    asked.address = info->data.accelerationStructure;
  slot = probe (world->descriptors, &asked);
  if (*slot == NULL)
    {
      *slot = malloc (sizeof **slot + asked.size);
      if (*slot == NULL)
        {
          vtr_layer_live_fail (VTR_LAYER_NO_MEMORY);
          return;
        }
      memcpy (&(*slot)->asked, &asked, sizeof asked);
      world->descriptors->n++;
    }
  memcpy ((*slot)->bytes, args->pDescriptor, asked.size);
}

/* ---- The cut ---- */

static void
write_one (Descriptor *self,
           VkDevice device,
           void (*call) (const VtrArgs_vkGetDescriptorEXT *args,
                         void *data),
           void *data)
{
  const Asked *asked = &self->asked;
  const VkDescriptorAddressInfoEXT of = {
    .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_ADDRESS_INFO_EXT,
    .address = asked->address,
    .range = asked->range,
    .format = asked->format,
  };
  VkDescriptorGetInfoEXT info = { .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_GET_INFO_EXT,
                                  .type = asked->type };

  if (asked->type == VK_DESCRIPTOR_TYPE_ACCELERATION_STRUCTURE_KHR)
    info.data.accelerationStructure = asked->address;
  else
    /* All pointers of the union are one. */
    info.data.pUniformBuffer = asked->address != 0 ? &of : NULL;
  call (&(VtrArgs_vkGetDescriptorEXT){ device, &info, asked->size, self->bytes }, data);
}

bool
vtr_layer_descriptors_write (const VtrLayerWorld *world,
                             void (*call) (const VtrArgs_vkGetDescriptorEXT *args,
                                           void *data),
                             void *data)
{
  const VtrLayerDescriptors *self = world->descriptors;
  VtrRangeSet ranges = { 0 };
  bool ok;

  if (self == NULL)
    return true;
  ok = get_ranges (world, &ranges);
  for (size_t i = 0; ok && i < self->n_slots; i++)
    if (self->slots[i] != NULL && lives (self->slots[i], &ranges))
      write_one (self->slots[i], world->device->handle, call, data);
  vtr_range_set_finish (&ranges);
  return ok;
}
