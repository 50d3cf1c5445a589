/* vtr-app-demo-descriptors: descriptors in buffers (VK_EXT_descriptor_buffer), of uniform and
 * storage buffers, sampled and stored images, and a sampler that is embedded in its layout. One set
 * is written once, the other in every frame, with a view that lives for a frame. --copied: the
 * device copies the descriptors to where they are used.
 */
#include "vtr-app-demo.h"

#include "demo_descriptors_comp.h"
#include "demo_descriptors_frag.h"

#include <string.h>

#define N_BINDINGS 5u
#define N_SETS 2u
#define DESCRIPTORS_USAGE \
  (VK_BUFFER_USAGE_SAMPLER_DESCRIPTOR_BUFFER_BIT_EXT | \
   VK_BUFFER_USAGE_RESOURCE_DESCRIPTOR_BUFFER_BIT_EXT)

static bool copied;

typedef struct
{
  VtrAppDemo demo;
  PFN_vkGetDescriptorEXT get;
  PFN_vkCmdBindDescriptorBuffersEXT bind_buffers;
  PFN_vkCmdSetDescriptorBufferOffsetsEXT set_offsets;
  PFN_vkCmdBindDescriptorBufferEmbeddedSamplersEXT bind_samplers;
  VkPhysicalDeviceDescriptorBufferPropertiesEXT sizes;
  VkDescriptorSetLayout sets[2]; /* resources; the embedded sampler */
  VkPipelineLayout layout;
  VkPipeline compute, graphics;
  VkDeviceSize offsets[N_BINDINGS], set_size;
  VtrAppBuffer descriptors, staging; /* .staging: with --copied */
  VtrAppBuffer *tints, *numbers;
  VkDeviceAddress descriptors_address, tints_address, numbers_address;
  VtrAppPicture *textures[2], *made;
  VkSampler sampler;
  VkImageView view; /* of this frame */
} Descriptors;

static const VkDescriptorType types[N_BINDINGS] = {
  VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER,
  VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE,
  VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
  VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
  VK_DESCRIPTOR_TYPE_STORAGE_IMAGE,
};

static void
make_layouts (Descriptors *self)
{
  const VkDevice device = self->demo.scene.gpu.device;
  const VkPushConstantRange range = { VK_SHADER_STAGE_ALL, 0, 128 };
  const VkPipelineLayoutCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
    .setLayoutCount = 2,
    .pSetLayouts = self->sets,
    .pushConstantRangeCount = 1,
    .pPushConstantRanges = &range,
  };
  const VkSampler embedded = vtr_app_demo_sampler (
    &self->demo, &(VkSamplerCreateInfo){ .sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO,
                                         .magFilter = VK_FILTER_LINEAR,
                                         .addressModeV = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE });
  const VkDescriptorSetLayoutBinding sampler = {
    0, VK_DESCRIPTOR_TYPE_SAMPLER, 1, VK_SHADER_STAGE_FRAGMENT_BIT, &embedded
  };
  const PFN_vkGetDescriptorSetLayoutSizeEXT get_size =
    VTR_APP_NEED (&self->demo, vkGetDescriptorSetLayoutSizeEXT);
  const PFN_vkGetDescriptorSetLayoutBindingOffsetEXT get_offset =
    VTR_APP_NEED (&self->demo, vkGetDescriptorSetLayoutBindingOffsetEXT);
  VkDescriptorSetLayoutBinding bindings[N_BINDINGS];

  for (uint32_t i = 0; i < N_BINDINGS; i++)
    bindings[i] = (VkDescriptorSetLayoutBinding){
      i, types[i], 1, VK_SHADER_STAGE_FRAGMENT_BIT | VK_SHADER_STAGE_COMPUTE_BIT, NULL
    };
  self->sets[0] =
    vtr_app_demo_set_layout (&self->demo, bindings, N_BINDINGS,
                             VK_DESCRIPTOR_SET_LAYOUT_CREATE_DESCRIPTOR_BUFFER_BIT_EXT, NULL);
  self->sets[1] = vtr_app_demo_set_layout (
    &self->demo, &sampler, 1,
    VK_DESCRIPTOR_SET_LAYOUT_CREATE_DESCRIPTOR_BUFFER_BIT_EXT |
      VK_DESCRIPTOR_SET_LAYOUT_CREATE_EMBEDDED_IMMUTABLE_SAMPLERS_BIT_EXT,
    NULL);
  get_size (device, self->sets[0], &self->set_size);
  self->set_size = (self->set_size + 4095) & ~(VkDeviceSize)4095;
  for (uint32_t i = 0; i < N_BINDINGS; i++)
    get_offset (device, self->sets[0], i, &self->offsets[i]);
  vtr_app_check (vkCreatePipelineLayout (device, &info, NULL, &self->layout),
                 "vkCreatePipelineLayout");
  VTR_APP_KEEP (&self->demo.scene, PIPELINE_LAYOUT, self->layout);
}

static void
change (VkGraphicsPipelineCreateInfo *create,
        void                         *data)
{
  Descriptors *self = data;

  create->flags |= VK_PIPELINE_CREATE_DESCRIPTOR_BUFFER_BIT_EXT;
  create->layout = self->layout;
  vtr_app_demo_set_stage (create, 1,
                          vtr_app_scene_shader (&self->demo.scene, demo_descriptors_frag,
                                                sizeof demo_descriptors_frag));
}

static void
make_compute (Descriptors *self)
{
  const VkComputePipelineCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
    .flags = VK_PIPELINE_CREATE_DESCRIPTOR_BUFFER_BIT_EXT,
    .stage = { .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
               .stage = VK_SHADER_STAGE_COMPUTE_BIT,
               .module = vtr_app_scene_shader (&self->demo.scene, demo_descriptors_comp,
                                               sizeof demo_descriptors_comp),
               .pName = "main" },
    .layout = self->layout,
  };

  vtr_app_check (vkCreateComputePipelines (self->demo.scene.gpu.device, VK_NULL_HANDLE, 1, &info,
                                           NULL, &self->compute),
                 "vkCreateComputePipelines");
  VTR_APP_KEEP (&self->demo.scene, PIPELINE, self->compute);
}

static void
make_buffers (Descriptors *self)
{
  VtrAppGpu *gpu = &self->demo.scene.gpu;
  const VkMemoryPropertyFlags visible =
    VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
  const VkBufferUsageFlags addressed = VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT;

  self->descriptors =
    vtr_app_buffer (gpu, N_SETS * self->set_size,
                    DESCRIPTORS_USAGE | addressed | VK_BUFFER_USAGE_TRANSFER_DST_BIT,
                    copied ? VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT : visible);
  if (copied)
    self->staging = vtr_app_buffer (gpu, N_SETS * self->set_size,
                                    VK_BUFFER_USAGE_TRANSFER_SRC_BIT, visible);
  self->tints = vtr_app_demo_buffer (&self->demo, "tints", 512,
                                     VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT | addressed);
  self->numbers = vtr_app_demo_buffer (&self->demo, "numbers", 256,
                                       VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | addressed);
  for (uint32_t i = 0; i < 2; i++)
    memcpy ((char *)self->tints->mapped + i * 256,
            (const float[]){ 1.5f - (float)i, 0.5f, 0.75f, 1 }, 16);
  self->descriptors_address = vtr_app_address (gpu, self->descriptors.buffer);
  self->tints_address = vtr_app_address (gpu, self->tints->buffer);
  self->numbers_address = vtr_app_address (gpu, self->numbers->buffer);
}

static size_t
size_of (const Descriptors *self,
         VkDescriptorType   type)
{
  switch (type)
    {
    case VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER:
      return self->sizes.uniformBufferDescriptorSize;
    case VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE:
      return self->sizes.sampledImageDescriptorSize;
    case VK_DESCRIPTOR_TYPE_STORAGE_BUFFER:
      return self->sizes.storageBufferDescriptorSize;
    case VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER:
      return self->sizes.combinedImageSamplerDescriptorSize;
    default:
      return self->sizes.storageImageDescriptorSize;
    }
}

/* Writes the @nth set, with the tint of that number and @view. */
static void
write_set (Descriptors *self,
           uint32_t     nth,
           VkImageView  view)
{
  const VkDescriptorAddressInfoEXT tint = {
    .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_ADDRESS_INFO_EXT,
    .address = self->tints_address + nth * 256,
    .range = 16,
  };
  const VkDescriptorAddressInfoEXT numbers = {
    .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_ADDRESS_INFO_EXT,
    .address = self->numbers_address,
    .range = 256,
  };
  const VkDescriptorImageInfo picture = { VK_NULL_HANDLE, view, VK_IMAGE_LAYOUT_GENERAL };
  const VkDescriptorImageInfo made = { self->sampler, self->made->view, VK_IMAGE_LAYOUT_GENERAL };
  const VkDescriptorDataEXT data[N_BINDINGS] = {
    { .pUniformBuffer = &tint },
    { .pSampledImage = &picture },
    { .pStorageBuffer = &numbers },
    { .pCombinedImageSampler = &made },
    { .pStorageImage = &made },
  };
  char *to = (char *)(copied ? self->staging.mapped : self->descriptors.mapped);
  char scratch[1024];

  for (uint32_t i = 0; i < N_BINDINGS; i++)
    {
      const VkDescriptorGetInfoEXT info = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_GET_INFO_EXT,
        .type = types[i],
        .data = data[i],
      };
      const size_t size = size_of (self, types[i]);
      char *place = to + nth * self->set_size + self->offsets[i];

      if (size > sizeof scratch)
        vtr_app_fail ("descriptors are too large");
      self->get (self->demo.scene.gpu.device, &info, size, copied ? scratch : place);
      if (copied)
        memcpy (place, scratch, size);
    }
}

static void
start (VtrAppDemo *demo)
{
  Descriptors *self = (Descriptors *)demo;
  VkPhysicalDeviceProperties2 properties = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, .pNext = &self->sizes
  };

  self->sizes.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DESCRIPTOR_BUFFER_PROPERTIES_EXT;
  vkGetPhysicalDeviceProperties2 (demo->scene.gpu.physical, &properties);
  self->get = VTR_APP_NEED (demo, vkGetDescriptorEXT);
  self->bind_buffers = VTR_APP_NEED (demo, vkCmdBindDescriptorBuffersEXT);
  self->set_offsets = VTR_APP_NEED (demo, vkCmdSetDescriptorBufferOffsetsEXT);
  self->bind_samplers = VTR_APP_NEED (demo, vkCmdBindDescriptorBufferEmbeddedSamplersEXT);
  make_layouts (self);
  make_buffers (self);
  make_compute (self);
  self->graphics = vtr_app_demo_pipeline (demo, change, self);
  self->sampler = vtr_app_demo_sampler (demo, NULL);
  self->textures[0] = vtr_app_demo_texture (demo, "texture0", 1);
  self->textures[1] = vtr_app_demo_texture (demo, "texture1", 5);
  self->made = vtr_app_picture (&demo->scene,
                                &(VtrAppPictureInfo){ .name = "made",
                                                      .format = VTR_APP_DEMO_FORMAT,
                                                      .extent = { 8, 8, 1 },
                                                      .usage = VK_IMAGE_USAGE_SAMPLED_BIT |
                                                               VK_IMAGE_USAGE_STORAGE_BIT });
  vtr_app_picture_clear (demo->commands, self->made, 0.5f);
  write_set (self, 0, self->textures[0]->view);
}

static void
make_view (Descriptors *self)
{
  const VkDevice device = self->demo.scene.gpu.device;
  const VkImageViewCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
    .image = self->textures[1 - self->demo.frame % 2]->image,
    .viewType = VK_IMAGE_VIEW_TYPE_2D,
    .format = VTR_APP_DEMO_FORMAT,
    .subresourceRange = { VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1 },
  };

  vkDestroyImageView (device, self->view, NULL);
  vtr_app_check (vkCreateImageView (device, &info, NULL, &self->view), "vkCreateImageView");
}

static void
use_set (Descriptors         *self,
         VkPipelineBindPoint  point,
         uint32_t             nth)
{
  const VkCommandBuffer commands = self->demo.commands;
  const uint32_t buffer = 0;
  const VkDeviceSize offset = nth * self->set_size;

  self->set_offsets (commands, point, self->layout, 0, 1, &buffer, &offset);
}

static void
draw (VtrAppDemo *demo)
{
  Descriptors *self = (Descriptors *)demo;
  const VkDescriptorBufferBindingInfoEXT binding = {
    .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_BUFFER_BINDING_INFO_EXT,
    .address = self->descriptors_address,
    .usage = DESCRIPTORS_USAGE,
  };
  const VkBufferCopy whole = { 0, 0, N_SETS * self->set_size };

  make_view (self);
  write_set (self, 1, self->view);
  vtr_app_barrier (demo->commands);
  if (copied)
    {
      vkCmdCopyBuffer (demo->commands, self->staging.buffer, self->descriptors.buffer, 1, &whole);
      vtr_app_barrier (demo->commands);
    }
  /* Before the buffers: lavapipe would write embedded samplers to the first of them. */
  self->bind_samplers (demo->commands, VK_PIPELINE_BIND_POINT_GRAPHICS, self->layout, 1);
  self->bind_buffers (demo->commands, 1, &binding);
  vkCmdBindPipeline (demo->commands, VK_PIPELINE_BIND_POINT_COMPUTE, self->compute);
  use_set (self, VK_PIPELINE_BIND_POINT_COMPUTE, demo->frame % 2);
  vkCmdDispatch (demo->commands, 1, 1, 1);
  if (!vtr_app_demo_check (demo))
    return;
  vtr_app_barrier (demo->commands);
  vtr_app_demo_begin_rendering (demo);
  vkCmdBindPipeline (demo->commands, VK_PIPELINE_BIND_POINT_GRAPHICS, self->graphics);
  use_set (self, VK_PIPELINE_BIND_POINT_GRAPHICS, 0);
  vtr_app_demo_triangle (demo, 1 + demo->frame);
  vtr_app_demo_check (demo);
  use_set (self, VK_PIPELINE_BIND_POINT_GRAPHICS, 1);
  vtr_app_demo_triangle (demo, 4 + demo->frame);
  vtr_app_demo_check (demo);
  vtr_app_demo_end_rendering (demo);
}

static void
finish (VtrAppDemo *demo)
{
  Descriptors *self = (Descriptors *)demo;
  VtrAppGpu *gpu = &demo->scene.gpu;

  vkDestroyImageView (gpu->device, self->view, NULL);
  vtr_app_buffer_finish (gpu, &self->descriptors);
  if (copied)
    vtr_app_buffer_finish (gpu, &self->staging);
}

int
main (int    argc,
      char **argv)
{
  static const char *const extensions[] = { VK_EXT_DESCRIPTOR_BUFFER_EXTENSION_NAME, NULL };
  static const VkPhysicalDeviceDescriptorBufferFeaturesEXT features = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DESCRIPTOR_BUFFER_FEATURES_EXT,
    .descriptorBuffer = VK_TRUE,
  };
  static const VtrAppOption options[] = {
    { "--copied", NULL, NULL, &copied, "the device copies the descriptors to their buffer" },
    { 0 },
  };
  Descriptors self = { 0 };

  return vtr_app_demo_run (&self.demo,
                           &(VtrAppDemoInfo){ .what = "descriptors in buffers",
                                              .options = options,
                                              .extensions = extensions,
                                              .features12 = { .bufferDeviceAddress = VK_TRUE },
                                              .more = { { &features, sizeof features } },
                                              .start = start,
                                              .draw = draw,
                                              .finish = finish },
                           argc, argv);
}
