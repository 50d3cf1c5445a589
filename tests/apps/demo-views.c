/* vtr-app-demo-views: images used through views that differ from them: slices of a volume as
 * images to draw to, sample and store, faces of cubes, texels in other formats and orders, stencil
 * alone, compressed blocks as wide texels, lines. */
#include "vtr-app-demo.h"

#include "demo_views_frag.h"

#include <string.h>

#define N_BINDINGS 7u
#define N_LINES 3u

typedef struct
{
  VtrAppDemo demo;
  VtrAppPicture *volume, *cubes, *bits, *blocks, *wide, *words, *stencil;
  VkImage lines;
  VkDeviceMemory memory; /* of .lines */
  VkImageView slices[4], faces[12];
  VkImageView views[N_BINDINGS];
  VtrAppBuffer *bytes;
  VkPipelineLayout layout;
  VkPipeline pipeline;
  VkDescriptorSet set;
} Views;

static const VkComponentMapping turned = { VK_COMPONENT_SWIZZLE_B, VK_COMPONENT_SWIZZLE_R,
                                           VK_COMPONENT_SWIZZLE_ONE, VK_COMPONENT_SWIZZLE_G };

static VkImageView
view_of (Views              *self,
         VkImage             image,
         VkImageViewType     type,
         VkFormat            format,
         VkComponentMapping  components,
         VkImageAspectFlags  aspect,
         uint32_t            n_mips,
         uint32_t            layer,
         uint32_t            n_layers)
{
  const VkImageViewCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
    .image = image,
    .viewType = type,
    .format = format,
    .components = components,
    .subresourceRange = { aspect, 0, n_mips, layer, n_layers },
  };
  VkImageView view;

  vtr_app_check (vkCreateImageView (self->demo.scene.gpu.device, &info, NULL, &view),
                 "vkCreateImageView");
  VTR_APP_KEEP (&self->demo.scene, IMAGE_VIEW, view);
  return view;
}

static VtrAppPicture *
make (Views                   *self,
      const VtrAppPictureInfo *info)
{
  VtrAppPicture *picture = vtr_app_picture (&self->demo.scene, info);

  if ((info->format < VK_FORMAT_BC1_RGB_UNORM_BLOCK || info->format > VK_FORMAT_BC7_SRGB_BLOCK))
    vtr_app_picture_clear (self->demo.commands, picture, 0.375f);
  else
    vtr_app_picture_to (self->demo.commands, picture, VK_IMAGE_LAYOUT_GENERAL);
  return picture;
}

static void
make_pictures (Views *self)
{
  static const VkFormat formats[] = { VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_R8G8B8A8_UINT };
  static const VkImageFormatListCreateInfo list = {
    .sType = VK_STRUCTURE_TYPE_IMAGE_FORMAT_LIST_CREATE_INFO,
    .viewFormatCount = 2,
    .pViewFormats = formats,
  };
  static const VkImageStencilUsageCreateInfo usage = {
    .sType = VK_STRUCTURE_TYPE_IMAGE_STENCIL_USAGE_CREATE_INFO,
    .stencilUsage = VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT | VK_IMAGE_USAGE_SAMPLED_BIT |
                    VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT,
  };

  self->volume = make (self, &(VtrAppPictureInfo){
                               .name = "volume",
                               .format = VTR_APP_DEMO_FORMAT,
                               .type = VK_IMAGE_TYPE_3D,
                               .extent = { 16, 12, 4 },
                               .mips = 2,
                               .flags = VK_IMAGE_CREATE_2D_ARRAY_COMPATIBLE_BIT |
                                        VK_IMAGE_CREATE_2D_VIEW_COMPATIBLE_BIT_EXT,
                               .usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT |
                                        VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_STORAGE_BIT });
  self->cubes = make (self, &(VtrAppPictureInfo){ .name = "cubes",
                                                  .format = VTR_APP_DEMO_FORMAT,
                                                  .extent = { 8, 8, 1 },
                                                  .layers = 12,
                                                  .flags = VK_IMAGE_CREATE_CUBE_COMPATIBLE_BIT,
                                                  .usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT |
                                                           VK_IMAGE_USAGE_SAMPLED_BIT });
  self->bits = make (self, &(VtrAppPictureInfo){ .name = "bits",
                                                 .next = &list,
                                                 .format = VK_FORMAT_R8G8B8A8_UNORM,
                                                 .extent = { 8, 8, 1 },
                                                 .flags = VK_IMAGE_CREATE_MUTABLE_FORMAT_BIT,
                                                 .usage = VK_IMAGE_USAGE_SAMPLED_BIT });
  self->blocks = make (self, &(VtrAppPictureInfo){ .name = "blocks",
                                                   .format = VK_FORMAT_BC1_RGBA_UNORM_BLOCK,
                                                   .extent = { 20, 12, 1 },
                                                   .mips = 5,
                                                   .usage = VK_IMAGE_USAGE_SAMPLED_BIT });
  self->wide = make (self, &(VtrAppPictureInfo){ .name = "wide",
                                                 .format = VK_FORMAT_BC3_UNORM_BLOCK,
                                                 .extent = { 9, 6, 1 },
                                                 .layers = 2,
                                                 .usage = VK_IMAGE_USAGE_SAMPLED_BIT });
  self->words = make (self, &(VtrAppPictureInfo){ .name = "words",
                                                  .format = VK_FORMAT_R32G32_UINT,
                                                  .extent = { 4, 4, 1 } });
  self->stencil =
    make (self, &(VtrAppPictureInfo){ .name = "stencil",
                                      .next = &usage,
                                      .format = VK_FORMAT_D32_SFLOAT_S8_UINT,
                                      .extent = { 16, 16, 1 },
                                      .usage = VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT });
}

static void
make_lines (Views *self)
{
  const VkDevice device = self->demo.scene.gpu.device;
  const VkImageCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
    .imageType = VK_IMAGE_TYPE_1D,
    .format = VTR_APP_DEMO_FORMAT,
    .extent = { 16, 1, 1 },
    .mipLevels = 2,
    .arrayLayers = N_LINES,
    .samples = VK_SAMPLE_COUNT_1_BIT,
    .usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT |
             VK_IMAGE_USAGE_SAMPLED_BIT,
  };
  const VkBufferImageCopy regions[] = {
    { .imageSubresource = { VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, N_LINES },
      .imageExtent = { 16, 1, 1 } },
    { .bufferOffset = 16 * 4 * N_LINES,
      .imageSubresource = { VK_IMAGE_ASPECT_COLOR_BIT, 1, 0, N_LINES },
      .imageExtent = { 8, 1, 1 } },
  };
  VtrAppPicture picture = { .info = { .format = VTR_APP_DEMO_FORMAT } };
  VkMemoryRequirements requirements;

  vtr_app_check (vkCreateImage (device, &info, NULL, &self->lines), "vkCreateImage");
  vkGetImageMemoryRequirements (device, self->lines, &requirements);
  self->memory = vtr_app_allocate (&self->demo.scene.gpu, &requirements,
                                   VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
  vtr_app_check (vkBindImageMemory (device, self->lines, self->memory, 0), "vkBindImageMemory");
  picture.image = self->lines;
  vtr_app_picture_to (self->demo.commands, &picture, VK_IMAGE_LAYOUT_GENERAL);
  vkCmdCopyBufferToImage (self->demo.commands, self->bytes->buffer, self->lines,
                          VK_IMAGE_LAYOUT_GENERAL, 2, regions);
}

/* All levels of the compressed images, and of those that are read as numbers. */
static void
upload (Views *self)
{
  VtrAppDemo *demo = &self->demo;
  VkBufferImageCopy region = {
    .imageSubresource = { VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1 },
    .imageExtent = { 20, 12, 1 },
  };

  for (uint32_t i = 0; i < 4096; i++)
    ((uint8_t *)self->bytes->mapped)[i] = (uint8_t)(i * 97 + (i >> 3) * 13);
  for (uint32_t mip = 0; mip < 5; mip++)
    {
      vkCmdCopyBufferToImage (demo->commands, self->bytes->buffer, self->blocks->image,
                              VK_IMAGE_LAYOUT_GENERAL, 1, &region);
      region.bufferOffset += 160;
      region.imageSubresource.mipLevel++;
      region.imageExtent.width = region.imageExtent.width / 2;
      region.imageExtent.height = region.imageExtent.height > 1 ? region.imageExtent.height / 2 : 1;
    }
  region.imageSubresource = (VkImageSubresourceLayers){ VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 2 };
  region.imageExtent = (VkExtent3D){ 9, 6, 1 };
  vkCmdCopyBufferToImage (demo->commands, self->bytes->buffer, self->wide->image,
                          VK_IMAGE_LAYOUT_GENERAL, 1, &region);
  region.imageSubresource.layerCount = 1;
  region.imageExtent = (VkExtent3D){ 8, 8, 1 };
  vkCmdCopyBufferToImage (demo->commands, self->bytes->buffer, self->bits->image,
                          VK_IMAGE_LAYOUT_GENERAL, 1, &region);
  region.imageSubresource.aspectMask = VK_IMAGE_ASPECT_STENCIL_BIT;
  region.imageExtent = (VkExtent3D){ 16, 16, 1 };
  vkCmdCopyBufferToImage (demo->commands, self->bytes->buffer, self->stencil->image,
                          VK_IMAGE_LAYOUT_GENERAL, 1, &region);
}

static void
make_views (Views *self)
{
  const VkComponentMapping plain = { 0 };
  const VkImageAspectFlags color = VK_IMAGE_ASPECT_COLOR_BIT;
  const VkFormat format = VTR_APP_DEMO_FORMAT;

  for (uint32_t i = 0; i < 4; i++)
    self->slices[i] = view_of (self, self->volume->image, VK_IMAGE_VIEW_TYPE_2D, format, plain,
                               color, 1, i, 1);
  for (uint32_t i = 0; i < 12; i++)
    self->faces[i] = view_of (self, self->cubes->image, VK_IMAGE_VIEW_TYPE_2D, format, plain,
                              color, 1, i, 1);
  self->views[0] = view_of (self, self->cubes->image, VK_IMAGE_VIEW_TYPE_CUBE_ARRAY, format,
                            turned, color, 1, 0, 12);
  self->views[1] = self->slices[1];
  self->views[2] = view_of (self, self->bits->image, VK_IMAGE_VIEW_TYPE_2D,
                            VK_FORMAT_R8G8B8A8_UINT, turned, color, 1, 0, 1);
  self->views[3] = view_of (self, self->blocks->image, VK_IMAGE_VIEW_TYPE_2D,
                            self->blocks->info.format, plain, color, 5, 0, 1);
  self->views[4] = view_of (self, self->lines, VK_IMAGE_VIEW_TYPE_1D_ARRAY, format, plain, color,
                            2, 0, N_LINES);
  self->views[5] = self->slices[2];
  self->views[6] = view_of (self, self->stencil->image, VK_IMAGE_VIEW_TYPE_2D,
                            self->stencil->info.format, plain, VK_IMAGE_ASPECT_STENCIL_BIT, 1, 0,
                            1);
}

static void
make_set (Views *self)
{
  VtrAppDemo *demo = &self->demo;
  VkDescriptorSetLayoutBinding bindings[N_BINDINGS];
  VkDescriptorImageInfo images[N_BINDINGS];
  VkWriteDescriptorSet writes[N_BINDINGS];
  const VkSamplerCreateInfo seams = {
    .sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO,
    .flags = VK_SAMPLER_CREATE_NON_SEAMLESS_CUBE_MAP_BIT_EXT,
    .magFilter = VK_FILTER_LINEAR,
    .minFilter = VK_FILTER_LINEAR,
    .mipmapMode = VK_SAMPLER_MIPMAP_MODE_LINEAR,
    .minLod = 0.5f,
    .maxLod = VK_LOD_CLAMP_NONE,
  };
  const VkSamplerCreateInfo levels = {
    .sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO,
    .addressModeU = VK_SAMPLER_ADDRESS_MODE_MIRRORED_REPEAT,
    .minLod = 0.75f,
    .maxLod = 3.25f,
  };
  const VkSampler samplers[] = { vtr_app_demo_sampler (demo, &seams),
                                 vtr_app_demo_sampler (demo, NULL),
                                 vtr_app_demo_sampler (demo, &levels) };
  VkDescriptorSetLayout layout;

  for (uint32_t i = 0; i < N_BINDINGS; i++)
    {
      bindings[i] = (VkDescriptorSetLayoutBinding){
        i,
        i == 5 ? VK_DESCRIPTOR_TYPE_STORAGE_IMAGE : VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 1,
        VK_SHADER_STAGE_FRAGMENT_BIT, NULL
      };
      images[i] = (VkDescriptorImageInfo){ samplers[i == 0             ? 0
                                                    : i == 3 || i == 4 ? 2
                                                                       : 1],
                                           self->views[i], VK_IMAGE_LAYOUT_GENERAL };
      writes[i] = (VkWriteDescriptorSet){ .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                          .dstBinding = i,
                                          .descriptorCount = 1,
                                          .descriptorType = bindings[i].descriptorType,
                                          .pImageInfo = &images[i] };
    }
  layout = vtr_app_demo_set_layout (demo, bindings, N_BINDINGS, 0, NULL);
  self->layout = vtr_app_demo_layout (demo, layout,
                                      VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT);
  self->set = vtr_app_demo_set (demo, layout, bindings, N_BINDINGS, 0, NULL);
  for (uint32_t i = 0; i < N_BINDINGS; i++)
    writes[i].dstSet = self->set;
  vkUpdateDescriptorSets (demo->scene.gpu.device, N_BINDINGS, writes, 0, NULL);
}

static void
start (VtrAppDemo *demo)
{
  Views *self = (Views *)demo;
  const VkFormat format = VTR_APP_DEMO_FORMAT;

  self->bytes = vtr_app_demo_buffer (demo, "bytes", 4096, 0);
  make_pictures (self);
  vtr_app_barrier (demo->commands);
  upload (self);
  make_lines (self);
  make_views (self);
  make_set (self);
  self->pipeline = vtr_app_pipeline (
    &demo->scene, &(VtrAppPipelineInfo){ .n_colors = 1,
                                         .formats = &format,
                                         .fragment = vtr_app_scene_shader (&demo->scene,
                                                                           demo_views_frag,
                                                                           sizeof demo_views_frag),
                                         .layout = self->layout });
}

/* --- Frames ---------------------------------------------------------------------------------- */

/* A triangle into one slice or face. */
static void
draw_part (Views               *self,
           const VtrAppPicture *picture,
           VkImageView          view,
           uint32_t             nth)
{
  VtrAppPicture part = *picture;
  VtrAppPicture *parts[] = { &part };

  part.view = view;
  vtr_app_demo_render_to (&self->demo, 1, parts, NULL, false);
  vkCmdBindPipeline (self->demo.commands, VK_PIPELINE_BIND_POINT_GRAPHICS, self->demo.pipeline);
  vtr_app_demo_triangle (&self->demo, nth);
  vtr_app_demo_end_rendering (&self->demo);
}

/* New blocks; blocks as texels, and texels as blocks. */
static void
copy_blocks (Views *self)
{
  VtrAppDemo *demo = &self->demo;
  const VkImageSubresourceLayers first = { VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1 };
  const VkImageSubresourceLayers second = { VK_IMAGE_ASPECT_COLOR_BIT, 1, 0, 1 };
  const VkBufferImageCopy fresh = {
    .bufferOffset = 1024 + 64 * (demo->frame % 8),
    .imageSubresource = first,
    .imageOffset = { 4 * (int32_t)(demo->frame % 4), 4, 0 },
    .imageExtent = { 8, 8, 1 },
  };
  const VkImageCopy out = {
    .srcSubresource = first,
    .srcOffset = { 4, 0, 0 },
    .dstSubresource = first,
    .dstOffset = { (int32_t)(demo->frame % 2), 1, 0 },
    .extent = { 12, 12, 1 },
  };
  const VkImageCopy in = {
    .srcSubresource = first,
    .srcOffset = { 1, 2, 0 },
    .dstSubresource = second,
    .dstOffset = { 4, 0, 0 },
    .extent = { 1, 1, 1 },
  };

  vtr_app_barrier (demo->commands);
  vkCmdCopyBufferToImage (demo->commands, self->bytes->buffer, self->blocks->image,
                          VK_IMAGE_LAYOUT_GENERAL, 1, &fresh);
  vtr_app_barrier (demo->commands);
  vkCmdCopyImage (demo->commands, self->blocks->image, VK_IMAGE_LAYOUT_GENERAL,
                  self->words->image, VK_IMAGE_LAYOUT_GENERAL, 1, &out);
  vtr_app_barrier (demo->commands);
  vkCmdCopyImage (demo->commands, self->words->image, VK_IMAGE_LAYOUT_GENERAL,
                  self->blocks->image, VK_IMAGE_LAYOUT_GENERAL, 1, &in);
  vtr_app_barrier (demo->commands);
}

static void
draw (VtrAppDemo *demo)
{
  Views *self = (Views *)demo;

  draw_part (self, self->volume, self->slices[demo->frame % 4], 2);
  draw_part (self, self->cubes, self->faces[demo->frame * 5 % 12], 3);
  copy_blocks (self);
  if (!vtr_app_demo_check (demo))
    return;
  vtr_app_demo_render_to (demo, 1, &demo->color, NULL, false);
  vkCmdBindPipeline (demo->commands, VK_PIPELINE_BIND_POINT_GRAPHICS, self->pipeline);
  vkCmdBindDescriptorSets (demo->commands, VK_PIPELINE_BIND_POINT_GRAPHICS, self->layout, 0, 1,
                           &self->set, 0, NULL);
  vtr_app_triangle (&demo->scene, demo->commands, -1, -1, 2.5f, 0.5f, demo->frame);
  vtr_app_demo_check (demo);
  vtr_app_demo_end_rendering (demo);
}

static void
finish (VtrAppDemo *demo)
{
  Views *self = (Views *)demo;

  vkDestroyImage (demo->scene.gpu.device, self->lines, NULL);
  vkFreeMemory (demo->scene.gpu.device, self->memory, NULL);
}

int
main (int    argc,
      char **argv)
{
  static const char *const extensions[] = { VK_EXT_IMAGE_2D_VIEW_OF_3D_EXTENSION_NAME,
                                            VK_EXT_NON_SEAMLESS_CUBE_MAP_EXTENSION_NAME, NULL };
  static const VkPhysicalDeviceImage2DViewOf3DFeaturesEXT slices = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_IMAGE_2D_VIEW_OF_3D_FEATURES_EXT,
    .image2DViewOf3D = VK_TRUE,
    .sampler2DViewOf3D = VK_TRUE,
  };
  static const VkPhysicalDeviceNonSeamlessCubeMapFeaturesEXT seams = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_NON_SEAMLESS_CUBE_MAP_FEATURES_EXT,
    .nonSeamlessCubeMap = VK_TRUE,
  };
  Views self = { 0 };

  return vtr_app_demo_run (
    &self.demo,
    &(VtrAppDemoInfo){ .what = "views of all kinds",
                       .extensions = extensions,
                       .features = { .imageCubeArray = VK_TRUE,
                                     .textureCompressionBC = VK_TRUE,
                                     .fragmentStoresAndAtomics = VK_TRUE },
                       .more = { { &slices, sizeof slices }, { &seams, sizeof seams } },
                       .start = start,
                       .draw = draw,
                       .finish = finish },
    argc, argv);
}
