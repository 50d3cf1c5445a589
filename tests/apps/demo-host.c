/* vtr-app-demo-host: images that the host writes, copies, reads and moves to other layouts
 * (VK_EXT_host_image_copy): parts of levels and layers, rows with gaps, blocks, the driver's
 * order. --core: with the names of Vulkan 1.4.
 *
 * --core: by the names of Vulkan 1.4. */
#include "vtr-app-demo.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#ifdef VK_EXT_host_image_copy

typedef struct
{
  VtrAppDemo demo;
  bool core;
  PFN_vkCopyMemoryToImageEXT write;
  PFN_vkCopyImageToMemoryEXT read;
  PFN_vkCopyImageToImageEXT copy;
  PFN_vkTransitionImageLayoutEXT move;
  PFN_vkGetImageSubresourceLayout2EXT get_layout;
  VtrAppPicture *given; /* two levels, two layers */
  VtrAppPicture *copied;
  VtrAppPicture *blocks; /* compressed */
  VtrAppPicture *packed; /* written in the driver's own order */
  uint8_t *end;          /* behind the last byte that can be read */
} Host;

static VtrAppPicture *
make_picture (Host       *self,
              const char *name,
              VkFormat    format,
              uint32_t    size,
              uint32_t    mips,
              uint32_t    layers)
{
  return vtr_app_picture (
    &self->demo.scene,
    &(VtrAppPictureInfo){ .name = name,
                          .format = format,
                          .extent = { size, size, 1 },
                          .mips = mips,
                          .layers = layers,
                          .usage = VK_IMAGE_USAGE_SAMPLED_BIT |
                                   VK_IMAGE_USAGE_HOST_TRANSFER_BIT_EXT });
}

/* All of an image, by the host. */
static void
move_to (Host          *self,
         VtrAppPicture *picture,
         VkImageLayout  layout)
{
  const VkHostImageLayoutTransitionInfoEXT info = {
    .sType = VK_STRUCTURE_TYPE_HOST_IMAGE_LAYOUT_TRANSITION_INFO_EXT,
    .image = picture->image,
    .oldLayout = picture->layout,
    .newLayout = layout,
    .subresourceRange = { VK_IMAGE_ASPECT_COLOR_BIT, 0, VK_REMAINING_MIP_LEVELS, 0,
                          VK_REMAINING_ARRAY_LAYERS },
  };

  vtr_app_check (self->move (self->demo.scene.gpu.device, 1, &info), "vkTransitionImageLayout");
  picture->layout = layout;
}

/* @n bytes, right before memory that cannot be read. */
static const void *
make_bytes (Host     *self,
            size_t    n,
            uint32_t  seed)
{
  for (size_t i = 0; i < n; i++)
    self->end[i - n] = (uint8_t)(i * (37 + 2 * seed) + seed);
  return self->end - n;
}

static void
write_texels (Host                         *self,
              const VtrAppPicture          *picture,
              const VkMemoryToImageCopyEXT *region,
              VkHostImageCopyFlagsEXT       flags)
{
  const VkCopyMemoryToImageInfoEXT info = {
    .sType = VK_STRUCTURE_TYPE_COPY_MEMORY_TO_IMAGE_INFO_EXT,
    .flags = flags,
    .dstImage = picture->image,
    .dstImageLayout = picture->layout,
    .regionCount = 1,
    .pRegions = region,
  };

  vtr_app_check (self->write (self->demo.scene.gpu.device, &info), "vkCopyMemoryToImage");
  /* It has been read. */
  memset (self->end - 4096, 0x5a, 4096);
}

/* A square of @size texels at (@x, @x) of all layers, in rows of 5 texels more, 1 row more each. */
static void
write_square (Host                *self,
              const VtrAppPicture *picture,
              uint32_t             mip,
              uint32_t             x,
              uint32_t             size,
              uint32_t             seed)
{
  const uint32_t n_layers = picture->info.layers;
  const size_t n =
    4u * ((size_t)(n_layers - 1) * (size + 5) * (size + 1) + (size - 1) * (size + 5) + size);
  const VkMemoryToImageCopyEXT region = {
    .sType = VK_STRUCTURE_TYPE_MEMORY_TO_IMAGE_COPY_EXT,
    .pHostPointer = make_bytes (self, n, seed),
    .memoryRowLength = size + 5,
    .memoryImageHeight = size + 1,
    .imageSubresource = { VK_IMAGE_ASPECT_COLOR_BIT, mip, 0, n_layers },
    .imageOffset = { (int32_t)x, (int32_t)x, 0 },
    .imageExtent = { size, size, 1 },
  };

  write_texels (self, picture, &region, 0);
}

/* 16 × 16 texels in blocks of 8 bytes. */
static void
write_blocks (Host *self)
{
  const VkMemoryToImageCopyEXT region = {
    .sType = VK_STRUCTURE_TYPE_MEMORY_TO_IMAGE_COPY_EXT,
    .pHostPointer = make_bytes (self, 128, 3),
    .imageSubresource = { VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1 },
    .imageExtent = { 16, 16, 1 },
  };

  write_texels (self, self->blocks, &region, 0);
}

static void
write_packed (Host *self)
{
  const VkImageSubresource2EXT subresource = {
    .sType = VK_STRUCTURE_TYPE_IMAGE_SUBRESOURCE_2_EXT,
    .imageSubresource = { VK_IMAGE_ASPECT_COLOR_BIT, 0, 0 },
  };
  VkSubresourceHostMemcpySizeEXT size = {
    .sType = VK_STRUCTURE_TYPE_SUBRESOURCE_HOST_MEMCPY_SIZE_EXT,
  };
  VkSubresourceLayout2EXT layout = {
    .sType = VK_STRUCTURE_TYPE_SUBRESOURCE_LAYOUT_2_EXT,
    .pNext = &size,
  };
  VkMemoryToImageCopyEXT region = {
    .sType = VK_STRUCTURE_TYPE_MEMORY_TO_IMAGE_COPY_EXT,
    .imageSubresource = { VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1 },
    .imageExtent = { 8, 8, 1 },
  };

  self->get_layout (self->demo.scene.gpu.device, self->packed->image, &subresource, &layout);
  if (size.size > 4096)
    vtr_app_fail ("an image of 64 texels takes too much memory");
  region.pHostPointer = make_bytes (self, size.size, 9);
  write_texels (self, self->packed, &region, VK_HOST_IMAGE_COPY_MEMCPY_EXT);
}

static void
get_functions (Host *self)
{
  VtrAppDemo *demo = &self->demo;

#ifdef VK_API_VERSION_1_4
  if (self->core)
    {
      self->write = VTR_APP_NEED (demo, vkCopyMemoryToImage);
      self->read = VTR_APP_NEED (demo, vkCopyImageToMemory);
      self->copy = VTR_APP_NEED (demo, vkCopyImageToImage);
      self->move = VTR_APP_NEED (demo, vkTransitionImageLayout);
      self->get_layout = VTR_APP_NEED (demo, vkGetImageSubresourceLayout2);
      return;
    }
#endif
  self->write = VTR_APP_NEED (demo, vkCopyMemoryToImageEXT);
  self->read = VTR_APP_NEED (demo, vkCopyImageToMemoryEXT);
  self->copy = VTR_APP_NEED (demo, vkCopyImageToImageEXT);
  self->move = VTR_APP_NEED (demo, vkTransitionImageLayoutEXT);
  self->get_layout = VTR_APP_NEED (demo, vkGetImageSubresourceLayout2EXT);
}

static void
start (VtrAppDemo *demo)
{
  Host *self = (Host *)demo;
  const size_t page = (size_t)sysconf (_SC_PAGESIZE);
  uint8_t *pages;

  get_functions (self);
  pages = mmap (NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pages == MAP_FAILED || mprotect (pages + page, page, PROT_NONE) != 0)
    vtr_app_fail ("no memory");
  self->end = pages + page;
  self->given = make_picture (self, "given", VTR_APP_DEMO_FORMAT, 16, 2, 2);
  self->copied = make_picture (self, "copied", VTR_APP_DEMO_FORMAT, 8, 1, 1);
  self->blocks = make_picture (self, "blocks", VK_FORMAT_BC1_RGBA_UNORM_BLOCK, 16, 1, 1);
  self->packed = make_picture (self, "packed", VTR_APP_DEMO_FORMAT, 8, 1, 1);
  for (uint32_t i = 0; i < 4; i++)
    move_to (self, (VtrAppPicture *[]){ self->given, self->copied, self->blocks, self->packed }[i],
             VK_IMAGE_LAYOUT_GENERAL);
  write_square (self, self->given, 0, 0, 16, 1);
  write_square (self, self->given, 1, 0, 8, 2);
  write_square (self, self->copied, 0, 0, 8, 4);
  write_blocks (self);
  write_packed (self);
}

/* A corner of .given, somewhere in .copied. */
static void
copy_images (Host *self)
{
  const int32_t at = (int32_t)self->demo.frame % 4;
  const VkImageCopy2 region = {
    .sType = VK_STRUCTURE_TYPE_IMAGE_COPY_2,
    .srcSubresource = { VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 1 },
    .srcOffset = { at, 3, 0 },
    .dstSubresource = { VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1 },
    .dstOffset = { 2, at, 0 },
    .extent = { 4, 4, 1 },
  };
  const VkCopyImageToImageInfoEXT info = {
    .sType = VK_STRUCTURE_TYPE_COPY_IMAGE_TO_IMAGE_INFO_EXT,
    .srcImage = self->given->image,
    .srcImageLayout = self->given->layout,
    .dstImage = self->copied->image,
    .dstImageLayout = self->copied->layout,
    .regionCount = 1,
    .pRegions = &region,
  };

  vtr_app_check (self->copy (self->demo.scene.gpu.device, &info), "vkCopyImageToImage");
}

/* Returns: something that depends on what the device has made of .copied. */
static uint32_t
read_texel (Host *self)
{
  uint32_t texels[64] = { 0 };
  const VkImageToMemoryCopyEXT region = {
    .sType = VK_STRUCTURE_TYPE_IMAGE_TO_MEMORY_COPY_EXT,
    .pHostPointer = texels,
    .imageSubresource = { VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1 },
    .imageExtent = { 8, 8, 1 },
  };
  const VkCopyImageToMemoryInfoEXT info = {
    .sType = VK_STRUCTURE_TYPE_COPY_IMAGE_TO_MEMORY_INFO_EXT,
    .srcImage = self->copied->image,
    .srcImageLayout = self->copied->layout,
    .regionCount = 1,
    .pRegions = &region,
  };

  vtr_app_check (self->read (self->demo.scene.gpu.device, &info), "vkCopyImageToMemory");
  return texels[9] % 61;
}

/* To .color, where it can be seen. */
static void
show (Host                *self,
      const VtrAppPicture *picture,
      uint32_t             layer,
      int32_t              x)
{
  const VkImageCopy region = {
    .srcSubresource = { VK_IMAGE_ASPECT_COLOR_BIT, 0, layer, 1 },
    .dstSubresource = { VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1 },
    .dstOffset = { x, 4, 0 },
    .extent = { picture->info.extent.width, picture->info.extent.height, 1 },
  };

  vkCmdCopyImage (self->demo.commands, picture->image, picture->layout, self->demo.color->image,
                  self->demo.color->layout, 1, &region);
  vtr_app_barrier (self->demo.commands);
}

static void
draw (VtrAppDemo *demo)
{
  Host *self = (Host *)demo;
  const VkImageCopy region = {
    .srcSubresource = { VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1 },
    .dstSubresource = { VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1 },
    .extent = { 3, 3, 1 },
  };

  write_square (self, self->given, 0, 2 + demo->frame % 5, 4, 11 + read_texel (self));
  copy_images (self);
  move_to (self, self->packed, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
  show (self, self->given, 0, 0);
  if (!vtr_app_demo_check (demo))
    return;
  show (self, self->given, 1, 20);
  show (self, self->packed, 0, 40);
  /* What the host reads in the next frame. */
  vkCmdCopyImage (demo->commands, self->given->image, self->given->layout, self->copied->image,
                  self->copied->layout, 1, &region);
  vtr_app_barrier (demo->commands);
  show (self, self->copied, 0, 52);
  if (!vtr_app_demo_check (demo))
    return;
  vtr_app_demo_flush (demo);
  move_to (self, self->packed, VK_IMAGE_LAYOUT_GENERAL);
}

int
main (int    argc,
      char **argv)
{
  static const char *const extensions[] = { VK_EXT_HOST_IMAGE_COPY_EXTENSION_NAME, NULL };
  static const VkPhysicalDeviceHostImageCopyFeaturesEXT features = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_HOST_IMAGE_COPY_FEATURES_EXT,
    .hostImageCopy = VK_TRUE,
  };
  Host self = { 0 };
  const VtrAppOption options[] = {
    { .name = "--core", .flag = &self.core, .help = "by the names of Vulkan 1.4" },
    { 0 },
  };
  VtrAppDemoInfo info = {
    .what = "image copies by the host",
    .options = options,
    .features = { .textureCompressionBC = VK_TRUE },
    .more = { { &features, sizeof features } },
    .start = start,
    .draw = draw,
  };

#ifdef VK_API_VERSION_1_4
  for (int i = 1; i < argc; i++)
    if (strcmp (argv[i], "--core") == 0)
      info.version = VK_API_VERSION_1_4;
#endif
  if (info.version == 0)
    info.extensions = extensions;
  return vtr_app_demo_run (&self.demo, &info, argc, argv);
}

#else

int
main (void)
{
  puts ("The Vulkan headers that this was built with do not know VK_EXT_host_image_copy.");
  return VTR_APP_SKIPPED;
}

#endif
