/* vtr-app-random: writes descriptor sets in several ways. */
#include "vtr-app-random.h"

#include <string.h>

VkImageView
vtr_random_view (VtrRandom            *self,
                 const VtrRandomImage *image,
                 VkFormat              format,
                 VkImageAspectFlags    aspects,
                 uint32_t              mip,
                 uint32_t              layer)
{
  VkImageViewUsageCreateInfo usage = {
    .sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_USAGE_CREATE_INFO,
    .usage = image->info.usage,
  };
  const VkImageViewCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
    .pNext = &usage,
    .image = image->image,
    .viewType = image->info.imageType == VK_IMAGE_TYPE_1D ? VK_IMAGE_VIEW_TYPE_1D
                                                          : VK_IMAGE_VIEW_TYPE_2D,
    .format = format,
    .subresourceRange = { aspects, mip, 1, layer, 1 },
  };
  VkImageView view;

  if (format == VK_FORMAT_R8G8B8A8_SRGB)
    usage.usage &= ~(VkImageUsageFlags)VK_IMAGE_USAGE_STORAGE_BIT;
  vtr_app_check (vkCreateImageView (self->gpu.device, &info, NULL, &view), "vkCreateImageView");
  return view;
}

/* Its views go; the set itself stays. */
static void
empty_set (VtrRandom    *self,
           VtrRandomSet *set)
{
  for (uint32_t i = 0; i < set->n_images; i++)
    vkDestroyImageView (self->gpu.device, set->views[i], NULL);
  for (uint32_t i = 0; i < VTR_RANDOM_BINDINGS; i++)
    {
      vkDestroyBufferView (self->gpu.device, set->texels[i], NULL);
      set->texels[i] = VK_NULL_HANDLE;
      set->buffers[i] = NULL;
    }
  set->n_images = 0;
}

static VkImageLayout
layout_in_sets (const VtrRandomImage *image,
                VtrRandomShape        shape)
{
  return shape == VTR_RANDOM_IMAGE || image->id % 2 == 0
           ? VK_IMAGE_LAYOUT_GENERAL
           : VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL;
}

static bool
contains (VtrRandomImage       **images,
          uint32_t               n,
          const VtrRandomImage  *image)
{
  for (uint32_t i = 0; i < n; i++)
    if (images[i] == image)
      return true;
  return false;
}

static bool
suits (VtrRandom            *self,
       const VtrRandomImage *image,
       VtrRandomShape        shape)
{
  VkFormatProperties offered;

  if (image->info.imageType != VK_IMAGE_TYPE_2D || image->info.samples != VK_SAMPLE_COUNT_1_BIT)
    return false;
  if (shape == VTR_RANDOM_IMAGE)
    return image->info.format == VK_FORMAT_R32_UINT || image->other == VK_FORMAT_R32_UINT;
  vkGetPhysicalDeviceFormatProperties (self->gpu.physical, image->info.format, &offered);
  return image->class == VTR_RANDOM_FLOAT &&
         ((image->info.tiling == VK_IMAGE_TILING_LINEAR ? offered.linearTilingFeatures
                                                        : offered.optimalTilingFeatures) &
          VK_FORMAT_FEATURE_SAMPLED_IMAGE_FILTER_LINEAR_BIT) != 0;
}

static bool
add_image (VtrRandom       *self,
           VtrRandomSet    *set,
           VtrRandomImage **without,
           uint32_t         n)
{
  const VtrRandomShape shape = set->kind->shape;
  const VkImageUsageFlags usage =
    shape == VTR_RANDOM_IMAGE ? VK_IMAGE_USAGE_STORAGE_BIT : VK_IMAGE_USAGE_SAMPLED_BIT;

  for (uint32_t i = 0; i < 24; i++)
    {
      VtrRandomImage *image = vtr_random_image (self, usage, NULL);
      VkFormat format;

      if (image == NULL || contains (without, n, image) || !suits (self, image, shape))
        continue;
      format = image->info.format;
      if (shape == VTR_RANDOM_IMAGE)
        format = VK_FORMAT_R32_UINT;
      else if (image->other != VK_FORMAT_UNDEFINED && vtr_random_chance (self, 50))
        format = image->other;
      set->images[set->n_images] = image;
      set->image_ids[set->n_images] = image->id;
      set->views[set->n_images++] =
        vtr_random_view (self, image, format, VK_IMAGE_ASPECT_COLOR_BIT,
                         vtr_random_below (self, image->info.mipLevels),
                         vtr_random_below (self, image->info.arrayLayers));
      return true;
    }
  return false;
}

/* Buffers that differ, as one may be written to. */
static bool
add_buffer (VtrRandom          *self,
            VtrRandomSet       *set,
            uint32_t            binding,
            VkBufferUsageFlags  usage)
{
  for (uint32_t i = 0; i < 8; i++)
    {
      VtrRandomBuffer *buffer = vtr_random_buffer (self, usage, 640, NULL);
      bool taken = buffer == NULL;

      for (uint32_t j = 0; j < VTR_RANDOM_BINDINGS; j++)
        taken |= vtr_random_overlap (set->buffers[j], buffer);
      if (taken)
        continue;
      set->buffers[binding] = buffer;
      set->buffer_ids[binding] = buffer->id;
      set->ranges[binding] = 64 * vtr_random_between (self, 1, 4);
      return true;
    }
  return false;
}

static VkBufferView
texel_view (VtrRandom       *self,
            VtrRandomBuffer *buffer,
            VkFormat         format)
{
  const VkBufferViewCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_BUFFER_VIEW_CREATE_INFO,
    .buffer = buffer->buffer,
    .format = format,
    .offset = 64 * vtr_random_below (self, 4),
    .range = 64 * vtr_random_between (self, 1, 4),
  };
  VkBufferView view;

  vtr_app_check (vkCreateBufferView (self->gpu.device, &info, NULL, &view), "vkCreateBufferView");
  return view;
}

/* Chooses what is to be in it. Returns: everything was found. */
static bool
choose_contents (VtrRandom       *self,
                 VtrRandomSet    *set,
                 VtrRandomImage **without,
                 uint32_t         n)
{
  const VtrRandomKind *kind = set->kind;
  const VkFormat texels =
    kind->shape == VTR_RANDOM_DRAW ? VK_FORMAT_R8G8B8A8_UNORM : VK_FORMAT_R32_UINT;

  for (uint32_t i = 0; i < kind->n_bindings; i++)
    switch ((int)kind->bindings[i].descriptorType)
      {
      case VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER:
      case VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC:
        if (!add_buffer (self, set, i, VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT))
          return false;
        break;
      case VK_DESCRIPTOR_TYPE_STORAGE_BUFFER:
      case VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC:
        if (!add_buffer (self, set, i, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT))
          return false;
        break;
      case VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER:
        if (!add_buffer (self, set, i, VK_BUFFER_USAGE_UNIFORM_TEXEL_BUFFER_BIT))
          return false;
        set->texels[i] = texel_view (self, set->buffers[i], texels);
        break;
      case VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER:
        if (!add_buffer (self, set, i, VK_BUFFER_USAGE_STORAGE_TEXEL_BUFFER_BIT))
          return false;
        set->texels[i] = texel_view (self, set->buffers[i], texels);
        break;
      case VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER:
      case VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE:
      case VK_DESCRIPTOR_TYPE_STORAGE_IMAGE:
        for (uint32_t j = 0; j < kind->bindings[i].descriptorCount; j++)
          if (!add_image (self, set, without, n))
            return false;
        break;
      default:
        break;
      }
  for (uint32_t i = 0; i < 3; i++)
    set->samplers[i] = VTR_RANDOM_PICK (self, self->samplers);
  for (uint32_t i = 0; i < 64; i++)
    set->inlined[i] = (uint8_t)(vtr_random_number (self) & 0x3f);
  return true;
}

typedef struct
{
  VkWriteDescriptorSet writes[VTR_RANDOM_BINDINGS];
  VkDescriptorImageInfo images[8];
  VkDescriptorBufferInfo buffers[VTR_RANDOM_BINDINGS];
  VkWriteDescriptorSetInlineUniformBlock block;
  uint32_t n;
} Writes;

static void
make_writes (const VtrRandomSet *set,
             Writes             *self)
{
  const VtrRandomKind *kind = set->kind;
  uint32_t n_images = 0, n_samplers = 0, n_infos = 0;

  memset (self, 0, sizeof *self);
  self->block = (VkWriteDescriptorSetInlineUniformBlock){
    VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET_INLINE_UNIFORM_BLOCK, NULL, 64, set->inlined
  };
  for (uint32_t i = 0; i < kind->n_bindings; i++)
    {
      const VkDescriptorType type = kind->bindings[i].descriptorType;
      VkWriteDescriptorSet *write = &self->writes[self->n];

      if (type == VK_DESCRIPTOR_TYPE_SAMPLER && kind->sampler != VK_NULL_HANDLE)
        continue;
      *write = (VkWriteDescriptorSet){
        .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
        .dstSet = set->set,
        .dstBinding = i,
        .descriptorCount = kind->bindings[i].descriptorCount,
        .descriptorType = type,
        .pImageInfo = &self->images[n_infos],
        .pBufferInfo = &self->buffers[i],
        .pTexelBufferView = &set->texels[i],
      };
      if (type == VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK)
        write->pNext = &self->block;
      self->buffers[i] = (VkDescriptorBufferInfo){
        set->buffers[i] != NULL ? set->buffers[i]->buffer : VK_NULL_HANDLE, 0, set->ranges[i]
      };
      for (uint32_t j = 0; j < kind->bindings[i].descriptorCount && n_infos < 8; j++)
        {
          VkDescriptorImageInfo *info = &self->images[n_infos];

          if (type == VK_DESCRIPTOR_TYPE_SAMPLER ||
              type == VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER)
            info->sampler = set->samplers[n_samplers++];
          if (type == VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER ||
              type == VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE || type == VK_DESCRIPTOR_TYPE_STORAGE_IMAGE)
            {
              info->imageLayout = layout_in_sets (set->images[n_images], kind->shape);
              info->imageView = set->views[n_images++];
            }
          else if (type != VK_DESCRIPTOR_TYPE_SAMPLER)
            {
              continue;
            }
          n_infos++;
        }
      self->n++;
    }
}

static bool
is_whole (const VtrRandomSet *set)
{
  for (uint32_t i = 0; i < VTR_RANDOM_BINDINGS; i++)
    if (set->buffers[i] != NULL && set->buffers[i]->id != set->buffer_ids[i])
      return false;
  for (uint32_t i = 0; i < set->n_images; i++)
    if (set->images[i]->id != set->image_ids[i] ||
        set->images[i]->place->owner != set->image_ids[i])
      return false;
  return true;
}

static void
release_set (VtrRandom    *self,
             VtrRandomSet *set)
{
  empty_set (self, set);
  if (set->set != VK_NULL_HANDLE && self->pool_free[set->pool])
    vtr_app_check (vkFreeDescriptorSets (self->gpu.device, self->pools[set->pool], 1, &set->set),
                   "vkFreeDescriptorSets");
  set->set = VK_NULL_HANDLE;
  set->kind = NULL;
}

static bool
allocate_set (VtrRandom    *self,
              VtrRandomSet *set)
{
  const VkDescriptorSetAllocateInfo info = {
    .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
    .descriptorPool = self->pools[set->pool = vtr_random_below (self, 3)],
    .descriptorSetCount = 1,
    .pSetLayouts = &set->kind->set,
  };
  uint32_t n = 0;

  for (uint32_t i = 0; i < VTR_RANDOM_MAX; i++)
    n += self->sets[i].set != VK_NULL_HANDLE && self->sets[i].pool == set->pool;
  if (set->kind->push)
    return true;
  /* Sets of a pool without VK_DESCRIPTOR_POOL_CREATE_FREE_DESCRIPTOR_SET_BIT can only be freed
   * by resetting it. */
  if (n >= 24 || (!self->pool_free[set->pool] && set->pool == 2 && n >= 8))
    return false;
  return vkAllocateDescriptorSets (self->gpu.device, &info, &set->set) == VK_SUCCESS;
}

static void
update_by_template (VtrRandom          *self,
                    const VtrRandomSet *set,
                    const Writes       *writes)
{
  VkDescriptorUpdateTemplateEntry entries[VTR_RANDOM_BINDINGS];
  const VkDescriptorUpdateTemplateCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_UPDATE_TEMPLATE_CREATE_INFO,
    .descriptorUpdateEntryCount = writes->n,
    .pDescriptorUpdateEntries = entries,
    .templateType = VK_DESCRIPTOR_UPDATE_TEMPLATE_TYPE_DESCRIPTOR_SET,
    .descriptorSetLayout = set->kind->set,
  };
  VkDescriptorUpdateTemplate template;
  uint8_t data[1024] = { 0 };

  for (uint32_t i = 0; i < writes->n; i++)
    {
      const VkWriteDescriptorSet *write = &writes->writes[i];
      const size_t at = i * 128;

      entries[i] = (VkDescriptorUpdateTemplateEntry){ write->dstBinding, 0,
                                                      write->descriptorCount,
                                                      write->descriptorType, at, 0 };
      switch ((int)write->descriptorType)
        {
        case VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK:
          memcpy (data + at, set->inlined, 64);
          break;
        case VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER:
        case VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER:
          memcpy (data + at, write->pTexelBufferView, sizeof (VkBufferView));
          break;
        case VK_DESCRIPTOR_TYPE_SAMPLER:
        case VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE:
        case VK_DESCRIPTOR_TYPE_STORAGE_IMAGE:
        case VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER:
          entries[i].stride = sizeof (VkDescriptorImageInfo);
          memcpy (data + at, write->pImageInfo,
                  write->descriptorCount * sizeof (VkDescriptorImageInfo));
          break;
        default:
          memcpy (data + at, write->pBufferInfo, sizeof (VkDescriptorBufferInfo));
          break;
        }
    }
  vtr_app_check (vkCreateDescriptorUpdateTemplate (self->gpu.device, &info, NULL, &template),
                 "vkCreateDescriptorUpdateTemplate");
  vkUpdateDescriptorSetWithTemplate (self->gpu.device, set->set, template, data);
  vkDestroyDescriptorUpdateTemplate (self->gpu.device, template, NULL);
}

/* Some bindings are written, the others copied from a set that nothing is done with. */
static void
update_by_copies (VtrRandom          *self,
                  const VtrRandomSet *set,
                  const Writes       *writes)
{
  VkWriteDescriptorSet first[VTR_RANDOM_BINDINGS], direct[VTR_RANDOM_BINDINGS];
  VkCopyDescriptorSet copies[VTR_RANDOM_BINDINGS];
  uint32_t n_direct = 0, n_copies = 0;

  for (uint32_t i = 0; i < writes->n; i++)
    {
      first[i] = writes->writes[i];
      first[i].dstSet = set->kind->scratch;
      if (vtr_random_chance (self, 40))
        direct[n_direct++] = writes->writes[i];
      else
        copies[n_copies++] = (VkCopyDescriptorSet){
          .sType = VK_STRUCTURE_TYPE_COPY_DESCRIPTOR_SET,
          .srcSet = set->kind->scratch,
          .srcBinding = writes->writes[i].dstBinding,
          .dstSet = set->set,
          .dstBinding = writes->writes[i].dstBinding,
          .descriptorCount = writes->writes[i].descriptorCount,
        };
    }
  vkUpdateDescriptorSets (self->gpu.device, writes->n, first, 0, NULL);
  vkUpdateDescriptorSets (self->gpu.device, n_direct, direct, n_copies, copies);
}

/* Creates one, in a free slot or in that of an idle one. */
static VtrRandomSet *
make_set (VtrRandom       *self,
          VtrRandomKind   *kind,
          VtrRandomImage **without,
          uint32_t         n)
{
  const uint32_t first = vtr_random_below (self, VTR_RANDOM_MAX);
  VtrRandomSet *set = NULL;
  Writes writes;

  for (uint32_t i = 0; i < VTR_RANDOM_MAX && set == NULL; i++)
    {
      VtrRandomSet *at = &self->sets[(first + i) % VTR_RANDOM_MAX];

      if (at->kind == NULL ||
          (at->n_pins == 0 && vtr_random_is_idle (self, at->last_use) &&
           (self->pool_free[at->pool] || at->kind == kind)))
        set = at;
    }
  if (set == NULL)
    return NULL;
  if (set->kind != kind && set->kind != NULL)
    release_set (self, set);
  else if (set->kind != NULL)
    empty_set (self, set); /* is written again */
  if (set->kind == NULL)
    {
      *set = (VtrRandomSet){ .kind = kind };
      if (!allocate_set (self, set))
        {
          set->kind = NULL;
          return NULL;
        }
    }
  if (!choose_contents (self, set, without, n))
    {
      release_set (self, set);
      return NULL;
    }
  if (kind->push)
    return set;
  make_writes (set, &writes);
  if (vtr_random_chance (self, 30))
    update_by_template (self, set, &writes);
  else if (vtr_random_may (self, 40, "set-copies"))
    update_by_copies (self, set, &writes);
  else
    vkUpdateDescriptorSets (self->gpu.device, writes.n, writes.writes, 0, NULL);
  return set;
}

VtrRandomSet *
vtr_random_set (VtrRandom       *self,
                VtrRandomShape   shape,
                VtrRandomKind   *kind,
                VtrRandomImage **without,
                uint32_t         n)
{
  const uint32_t first = vtr_random_below (self, VTR_RANDOM_MAX);
  VtrRandomSet *found = NULL;

  for (uint32_t i = 0; i < VTR_RANDOM_MAX && found == NULL && vtr_random_chance (self, 97); i++)
    {
      VtrRandomSet *set = &self->sets[(first + i) % VTR_RANDOM_MAX];

      if (set->kind == NULL || set->kind->shape != shape || (kind != NULL && set->kind != kind) ||
          !is_whole (set))
        continue;
      found = set;
      for (uint32_t j = 0; j < set->n_images; j++)
        if (contains (without, n, set->images[j]))
          found = NULL;
    }
  while (kind == NULL)
    {
      kind = &VTR_RANDOM_PICK (self, self->kinds);
      if (kind->shape != shape)
        kind = NULL;
    }
  if (found == NULL)
    found = make_set (self, kind, without, n);
  if (found == NULL)
    return NULL;
  found->last_use = self->frame;
  vtr_random_record_set (self, found);
  for (uint32_t i = 0; i < VTR_RANDOM_BINDINGS; i++)
    if (found->buffers[i] != NULL)
      vtr_random_use_buffer (self, found->buffers[i]);
  for (uint32_t i = 0; i < found->n_images; i++)
    vtr_random_use_image (self, found->images[i], layout_in_sets (found->images[i], shape));
  return found;
}

void
vtr_random_bind_set (VtrRandom           *self,
                     const VtrRandomSet  *set,
                     VkPipelineBindPoint  point)
{
  uint32_t offsets[2] = { 0 };
  Writes writes;

  if (set->kind->push)
    {
      make_writes (set, &writes);
      self->vkCmdPushDescriptorSetKHR (self->commands, point, set->kind->layout, 0, writes.n,
                                       writes.writes);
      return;
    }
  for (uint32_t i = 0; i < set->kind->n_dynamic; i++)
    offsets[i] = 64 * vtr_random_below (self, 4);
  vkCmdBindDescriptorSets (self->commands, point, set->kind->layout, 0, 1, &set->set,
                           set->kind->n_dynamic, offsets);
}

/* All sets of the pool whose sets cannot be freed. */
static void
reset_pool (VtrRandom *self)
{
  const uint32_t pool = vtr_random_below (self, 3);

  for (uint32_t i = 0; i < VTR_RANDOM_MAX; i++)
    if (self->sets[i].set != VK_NULL_HANDLE && self->sets[i].pool == pool &&
        (self->sets[i].n_pins > 0 || !vtr_random_is_idle (self, self->sets[i].last_use)))
      return;
  for (uint32_t i = 0; i < VTR_RANDOM_MAX; i++)
    if (self->sets[i].set != VK_NULL_HANDLE && self->sets[i].pool == pool)
      {
        empty_set (self, &self->sets[i]);
        self->sets[i].set = VK_NULL_HANDLE;
        self->sets[i].kind = NULL;
      }
  if (vtr_random_chance (self, 50))
    {
      vtr_app_check (vkResetDescriptorPool (self->gpu.device, self->pools[pool], 0),
                     "vkResetDescriptorPool");
      return;
    }
  vkDestroyDescriptorPool (self->gpu.device, self->pools[pool], NULL);
  vtr_random_make_pool (self, pool);
}

static void
drop_set (VtrRandom *self)
{
  VtrRandomSet *set = &VTR_RANDOM_PICK (self, self->sets);

  if (set->kind != NULL && set->n_pins == 0 && vtr_random_is_idle (self, set->last_use) &&
      self->pool_free[set->pool])
    release_set (self, set);
}

void
vtr_random_sets_finish (VtrRandom *self)
{
  for (uint32_t i = 0; i < VTR_RANDOM_MAX; i++)
    if (self->sets[i].kind != NULL)
      empty_set (self, &self->sets[i]);
}

const VtrRandomOperation vtr_random_set_operations[] = {
  { "reset-pool", "sets", 2, reset_pool },
  { "drop-set", "sets", 4, drop_set },
  { 0 },
};
