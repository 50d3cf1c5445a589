/* vtr-app-random: creates and destroys images at any time. */
#include "vtr-app-random.h"

#include <stdlib.h>
#include <string.h>

static const struct
{
  VkFormat format;
  VtrRandomClass class;
  uint32_t texel; /* that is copied to buffers */
  VkFormat other;
} formats[] = {
  { VK_FORMAT_R8G8B8A8_UNORM, VTR_RANDOM_FLOAT, 4, VK_FORMAT_R8G8B8A8_SRGB },
  { VK_FORMAT_B8G8R8A8_UNORM, VTR_RANDOM_FLOAT, 4, VK_FORMAT_UNDEFINED },
  { VK_FORMAT_R8G8B8A8_SRGB, VTR_RANDOM_FLOAT, 4, VK_FORMAT_R8G8B8A8_UNORM },
  { VK_FORMAT_R8_UNORM, VTR_RANDOM_FLOAT, 1, VK_FORMAT_UNDEFINED },
  { VK_FORMAT_R8G8_SNORM, VTR_RANDOM_FLOAT, 2, VK_FORMAT_R8G8_UNORM },
  { VK_FORMAT_R5G6B5_UNORM_PACK16, VTR_RANDOM_FLOAT, 2, VK_FORMAT_UNDEFINED },
  { VK_FORMAT_A2B10G10R10_UNORM_PACK32, VTR_RANDOM_FLOAT, 4, VK_FORMAT_UNDEFINED },
  { VK_FORMAT_R16G16_SFLOAT, VTR_RANDOM_FLOAT, 4, VK_FORMAT_UNDEFINED },
  { VK_FORMAT_R16G16B16A16_UNORM, VTR_RANDOM_FLOAT, 8, VK_FORMAT_UNDEFINED },
  { VK_FORMAT_R16G16B16A16_SFLOAT, VTR_RANDOM_FLOAT, 8, VK_FORMAT_UNDEFINED },
  { VK_FORMAT_R32_SFLOAT, VTR_RANDOM_FLOAT, 4, VK_FORMAT_UNDEFINED },
  { VK_FORMAT_R32G32B32A32_SFLOAT, VTR_RANDOM_FLOAT, 16, VK_FORMAT_UNDEFINED },
  { VK_FORMAT_B10G11R11_UFLOAT_PACK32, VTR_RANDOM_FLOAT, 4, VK_FORMAT_UNDEFINED },
  { VK_FORMAT_R8G8B8A8_UINT, VTR_RANDOM_UINT, 4, VK_FORMAT_R32_UINT },
  { VK_FORMAT_R16_UINT, VTR_RANDOM_UINT, 2, VK_FORMAT_UNDEFINED },
  { VK_FORMAT_R32_UINT, VTR_RANDOM_UINT, 4, VK_FORMAT_UNDEFINED },
  { VK_FORMAT_R32G32_UINT, VTR_RANDOM_UINT, 8, VK_FORMAT_UNDEFINED },
  { VK_FORMAT_R8G8B8A8_SINT, VTR_RANDOM_SINT, 4, VK_FORMAT_UNDEFINED },
  { VK_FORMAT_R32_SINT, VTR_RANDOM_SINT, 4, VK_FORMAT_UNDEFINED },
  { VK_FORMAT_D16_UNORM, VTR_RANDOM_DEPTH, 2, VK_FORMAT_UNDEFINED },
  { VK_FORMAT_D32_SFLOAT, VTR_RANDOM_DEPTH, 4, VK_FORMAT_UNDEFINED },
  { VK_FORMAT_S8_UINT, VTR_RANDOM_DEPTH, 1, VK_FORMAT_UNDEFINED },
  { VK_FORMAT_D24_UNORM_S8_UINT, VTR_RANDOM_DEPTH, 1, VK_FORMAT_UNDEFINED },
  { VK_FORMAT_D32_SFLOAT_S8_UINT, VTR_RANDOM_DEPTH, 4, VK_FORMAT_UNDEFINED },
};

uint32_t
vtr_random_texel (VkFormat           format,
                  VkImageAspectFlags aspect)
{
  if (aspect == VK_IMAGE_ASPECT_STENCIL_BIT)
    return 1;
  if (format == VK_FORMAT_D24_UNORM_S8_UINT || format == VK_FORMAT_X8_D24_UNORM_PACK32)
    return 0;
  for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++)
    if (formats[i].format == format)
      return formats[i].texel;
  return 0;
}

VkExtent3D
vtr_random_extent (const VtrRandomImage *image,
                   uint32_t              mip)
{
  const VkExtent3D whole = image->info.extent;

  return (VkExtent3D){
    whole.width >> mip > 0 ? whole.width >> mip : 1,
    whole.height >> mip > 0 ? whole.height >> mip : 1,
    whole.depth >> mip > 0 ? whole.depth >> mip : 1,
  };
}

VtrRandomImage *
vtr_random_image (VtrRandom *self,
                  VkImageUsageFlags usage,
                  const VtrRandomImage * not )
{
  const uint32_t first = vtr_random_below (self, VTR_RANDOM_MAX);

  for (uint32_t i = 0; i < VTR_RANDOM_MAX; i++)
    {
      VtrRandomImage *image = &self->images[(first + i) % VTR_RANDOM_MAX];

      if (image->image != VK_NULL_HANDLE && image->ready && image->place->owner == image->id &&
          (image->info.usage & usage) == usage && image != not )
        return image;
    }
  return NULL;
}

static void
choose_shape (VtrRandom         *self,
              VkImageCreateInfo *info,
              VtrRandomClass     class)
{
  const uint32_t kind = vtr_random_below (self, 10);
  uint32_t edge = vtr_random_between (self, 4, 40);

  info->imageType = VK_IMAGE_TYPE_2D;
  info->extent = (VkExtent3D){ edge, vtr_random_between (self, 4, 40), 1 };
  info->mipLevels = info->arrayLayers = 1;
  info->samples = VK_SAMPLE_COUNT_1_BIT;
  if (kind == 0 && class != VTR_RANDOM_DEPTH)
    {
      info->imageType = VK_IMAGE_TYPE_1D;
      info->extent.height = 1;
    }
  else if (kind == 1 && class != VTR_RANDOM_DEPTH)
    {
      info->imageType = VK_IMAGE_TYPE_3D;
      info->extent = (VkExtent3D){ vtr_random_between (self, 2, 16),
                                   vtr_random_between (self, 2, 16),
                                   vtr_random_between (self, 2, 8) };
    }
  else if (kind == 2)
    {
      info->flags |= VK_IMAGE_CREATE_CUBE_COMPATIBLE_BIT;
      info->extent.height = edge;
      info->arrayLayers = 6;
    }
  else if (kind == 3)
    {
      info->arrayLayers = vtr_random_between (self, 2, 5);
    }
  else if (kind == 4 || kind == 5)
    {
      info->samples = VK_SAMPLE_COUNT_4_BIT;
    }
  if (info->samples == VK_SAMPLE_COUNT_1_BIT && vtr_random_chance (self, 40))
    info->mipLevels = vtr_random_between (self, 1, 3);
}

/* What the driver can do with images of the format. */
static void
choose_usage (VtrRandom         *self,
              VkImageCreateInfo *info,
              VtrRandomClass     class)
{
  const VkImageUsageFlags kinds[][2] = {
    { VK_FORMAT_FEATURE_SAMPLED_IMAGE_BIT, VK_IMAGE_USAGE_SAMPLED_BIT },
    { VK_FORMAT_FEATURE_STORAGE_IMAGE_BIT, VK_IMAGE_USAGE_STORAGE_BIT },
    { VK_FORMAT_FEATURE_COLOR_ATTACHMENT_BIT, VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT },
    { VK_FORMAT_FEATURE_DEPTH_STENCIL_ATTACHMENT_BIT,
      VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT },
  };
  VkFormatProperties offered;
  VkFormatFeatureFlags features;

  vkGetPhysicalDeviceFormatProperties (self->gpu.physical, info->format, &offered);
  features = info->tiling == VK_IMAGE_TILING_LINEAR ? offered.linearTilingFeatures
                                                    : offered.optimalTilingFeatures;
  info->usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;
  for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
    if ((features & kinds[i][0]) != 0 && vtr_random_chance (self, 75))
      info->usage |= kinds[i][1];
  if (info->samples != VK_SAMPLE_COUNT_1_BIT)
    info->usage = (info->usage & ~(VkImageUsageFlags)VK_IMAGE_USAGE_STORAGE_BIT) |
                  (class == VTR_RANDOM_DEPTH ? VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT
                                             : VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT);
  if ((info->usage & (VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT |
                      VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT)) != 0 &&
      vtr_random_chance (self, 50))
    info->usage |= VK_IMAGE_USAGE_INPUT_ATTACHMENT_BIT;
}

/* Chooses until the driver can make it. */
static size_t
choose_image (VtrRandom         *self,
              VkImageCreateInfo *info)
{
  VkImageFormatProperties offered;
  size_t nth;

  do
    {
      memset (info, 0, sizeof *info);
      info->sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO;
      nth = vtr_random_below (self, sizeof formats / sizeof formats[0]);
      info->format = formats[nth].format;
      info->tiling = VK_IMAGE_TILING_OPTIMAL;
      choose_shape (self, info, formats[nth].class);
      if (vtr_random_chance (self, 10))
        info->tiling = VK_IMAGE_TILING_LINEAR;
      choose_usage (self, info, formats[nth].class);
      if (formats[nth].other != VK_FORMAT_UNDEFINED && vtr_random_chance (self, 50))
        info->flags |= VK_IMAGE_CREATE_MUTABLE_FORMAT_BIT;
      if (info->imageType == VK_IMAGE_TYPE_3D && vtr_random_chance (self, 50))
        info->flags |= VK_IMAGE_CREATE_2D_ARRAY_COMPATIBLE_BIT;
    }
  while (vkGetPhysicalDeviceImageFormatProperties (self->gpu.physical, info->format,
                                                   info->imageType, info->tiling, info->usage,
                                                   info->flags, &offered) != VK_SUCCESS ||
         offered.maxMipLevels < info->mipLevels || offered.maxArrayLayers < info->arrayLayers ||
         (offered.sampleCounts & info->samples) == 0);
  return nth;
}

/* In the place of another image: what one holds is lost when the other is used. */
static bool
take_turns (VtrRandom                  *self,
            VtrRandomImage             *image,
            const VkMemoryRequirements *needs)
{
  const VtrRandomImage *other = vtr_random_image (self, 0, image);

  if (other == NULL || other->heap->dedicated || other->place->size < needs->size ||
      other->offset % needs->alignment != 0 || other->info.tiling != image->info.tiling ||
      !vtr_random_may (self, 40, "aliases"))
    return false;
  image->heap = other->heap;
  image->heap->n_users++;
  image->offset = other->offset;
  image->place = other->place;
  image->place->n_users++;
  return true;
}

/* Whether a recording relies on what an image in this place holds. */
static bool
is_pinned (const VtrRandom      *self,
           const VtrRandomImage *image)
{
  for (uint32_t i = 0; i < VTR_RANDOM_MAX; i++)
    if (self->images[i].image != VK_NULL_HANDLE && self->images[i].place == image->place &&
        self->images[i].n_pins > 0)
      return true;
  return false;
}

static void
bind_image (VtrRandom      *self,
            VtrRandomImage *image)
{
  VkMemoryDedicatedAllocateInfo dedicated = {
    .sType = VK_STRUCTURE_TYPE_MEMORY_DEDICATED_ALLOCATE_INFO,
    .image = image->image,
  };
  VkBindImageMemoryInfo info = {
    .sType = VK_STRUCTURE_TYPE_BIND_IMAGE_MEMORY_INFO,
    .image = image->image,
  };
  VkMemoryRequirements needs;

  vkGetImageMemoryRequirements (self->gpu.device, image->image, &needs);
  if (!take_turns (self, image, &needs))
    {
      image->heap = vtr_random_place (self, &needs, &dedicated,
                                      image->info.tiling == VK_IMAGE_TILING_LINEAR,
                                      &image->offset);
      image->place = calloc (1, sizeof *image->place);
      if (image->place == NULL)
        vtr_app_fail ("out of memory");
      image->place->n_users = 1;
      image->place->size = needs.size;
    }
  image->bound = true;
  info.memory = image->heap->memory;
  info.memoryOffset = image->offset;
  if (vtr_random_chance (self, 50))
    vtr_app_check (vkBindImageMemory2 (self->gpu.device, 1, &info), "vkBindImageMemory2");
  else
    vtr_app_check (vkBindImageMemory (self->gpu.device, image->image, info.memory,
                                      info.memoryOffset),
                   "vkBindImageMemory");
}

static void
make_image (VtrRandom *self)
{
  VtrRandomImage *image = NULL;
  size_t nth;

  for (uint32_t i = 0; i < VTR_RANDOM_MAX && image == NULL; i++)
    if (self->images[i].image == VK_NULL_HANDLE)
      image = &self->images[i];
  if (image == NULL)
    return;
  memset (image, 0, sizeof *image);
  nth = choose_image (self, &image->info);
  vtr_app_check (vkCreateImage (self->gpu.device, &image->info, NULL, &image->image),
                 "vkCreateImage");
  image->class = formats[nth].class;
  if ((image->info.flags & VK_IMAGE_CREATE_MUTABLE_FORMAT_BIT) != 0)
    image->other = formats[nth].other;
  image->aspects = vtr_app_aspects (image->info.format);
  image->texel = formats[nth].texel;
  image->id = ++self->n_ids;
  image->rest = VK_IMAGE_LAYOUT_GENERAL;
  if (vtr_random_chance (self, 70))
    bind_image (self, image);
  if (image->bound && vtr_random_chance (self, 70) && !is_pinned (self, image))
    vtr_random_fill_image (self, image);
}

/* Images may wait long until they have memory, and until there is something in it. */
static void
go_on (VtrRandom *self)
{
  const uint32_t first = vtr_random_below (self, VTR_RANDOM_MAX);

  for (uint32_t i = 0; i < VTR_RANDOM_MAX; i++)
    {
      VtrRandomImage *image = &self->images[(first + i) % VTR_RANDOM_MAX];

      if (image->image == VK_NULL_HANDLE ||
          (image->ready && image->place->owner == image->id))
        continue;
      if (!image->bound)
        bind_image (self, image);
      else if (!is_pinned (self, image))
        vtr_random_fill_image (self, image);
      else
        continue;
      return;
    }
}

static void
destroy_image (VtrRandom      *self,
               VtrRandomImage *image)
{
  vkDestroyImage (self->gpu.device, image->image, NULL);
  if (image->bound)
    {
      vtr_random_release_heap (self, image->heap);
      if (--image->place->n_users == 0)
        free (image->place);
    }
  image->image = VK_NULL_HANDLE;
  image->id = 0;
}

static void
drop_image (VtrRandom *self)
{
  VtrRandomImage *image = &self->images[vtr_random_below (self, VTR_RANDOM_MAX)];

  if (image->image != VK_NULL_HANDLE && vtr_random_is_idle (self, image->last_use) &&
      image->n_pins == 0)
    destroy_image (self, image);
}

void
vtr_random_images_finish (VtrRandom *self)
{
  for (uint32_t i = 0; i < VTR_RANDOM_MAX; i++)
    if (self->images[i].image != VK_NULL_HANDLE)
      destroy_image (self, &self->images[i]);
}

const VtrRandomOperation vtr_random_image_operations[] = {
  { "make-image", "images", 12, make_image },
  { "go-on-image", "images", 6, go_on },
  { "drop-image", "drops", 4, drop_image },
  { 0 },
};
