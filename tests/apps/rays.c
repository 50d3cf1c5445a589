/* vtr-app-rays: a triangle in two acceleration structures that moves in each frame, and rays
 * traced into an image by groups of a shader binding table, directly and by an indirect command.
 * Also does what such programs do besides: queries sizes, compacts a structure, builds one on the
 * CPU. */
#include "vtr-app-rays.h"

#include <string.h>

#include "rays.rchit.h"
#include "rays.rgen.h"
#include "rays.rmiss.h"

#define SIZE 16u
#define GROUPS 3u
#define STRIDE 64u /* of the binding table */

#define FUNCTIONS(X) \
  VTR_APP_RAYS_FUNCTIONS (X) \
  X (vkBuildAccelerationStructuresKHR) \
  X (vkCmdSetRayTracingPipelineStackSizeKHR)

typedef struct
{
  VtrAppGpu gpu;
  VtrAppBuffer vertices, instances, scratch, table, sizes;
  VtrAppStructure bottom, compact, top, host;
  VtrAppImage picture;
  VkQueryPool queries;
  VkDescriptorSetLayout set_layout;
  VkPipelineLayout layout;
  VkDescriptorPool pool;
  VkDescriptorSet set;
  VkPipeline pipeline;
  VkShaderModule modules[GROUPS];
#define MEMBER(name) PFN_##name name;
  FUNCTIONS (MEMBER)
#undef MEMBER
} Rays;

static VtrAppBuffer
make_buffer (Rays               *self,
             VkDeviceSize        size,
             VkBufferUsageFlags  usage)
{
  const VkMemoryPropertyFlags properties = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT |
                                           VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;

  usage |= VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT;
  return vtr_app_buffer (&self->gpu, size, usage, properties);
}

static void
make_structure (Rays                           *self,
                VtrAppStructure                *structure,
                VkAccelerationStructureTypeKHR  type,
                VkDeviceSize                    size)
{
  *structure = vtr_app_structure (&self->gpu, self->vkCreateAccelerationStructureKHR, type, size,
                                  VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT |
                                    VK_MEMORY_PROPERTY_HOST_COHERENT_BIT);
}

/* --- Geometry -------------------------------------------------------------------------------- */

static VkAccelerationStructureGeometryKHR
triangle (Rays *self,
          bool  on_host)
{
  VkAccelerationStructureGeometryKHR geometry = {
    .sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_GEOMETRY_KHR,
    .geometryType = VK_GEOMETRY_TYPE_TRIANGLES_KHR,
    .flags = VK_GEOMETRY_OPAQUE_BIT_KHR,
  };
  VkAccelerationStructureGeometryTrianglesDataKHR *data = &geometry.geometry.triangles;

  *data = (VkAccelerationStructureGeometryTrianglesDataKHR){
    .sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_GEOMETRY_TRIANGLES_DATA_KHR,
    .vertexFormat = VK_FORMAT_R32G32B32_SFLOAT,
    .vertexStride = 12,
    .maxVertex = 2,
    .indexType = VK_INDEX_TYPE_NONE_KHR,
  };
  if (on_host)
    data->vertexData.hostAddress = self->vertices.mapped;
  else
    data->vertexData.deviceAddress = vtr_app_address (&self->gpu, self->vertices.buffer);
  return geometry;
}

static VkAccelerationStructureGeometryKHR
instances (Rays *self)
{
  VkAccelerationStructureGeometryKHR geometry = {
    .sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_GEOMETRY_KHR,
    .geometryType = VK_GEOMETRY_TYPE_INSTANCES_KHR,
  };

  geometry.geometry.instances = (VkAccelerationStructureGeometryInstancesDataKHR){
    .sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_GEOMETRY_INSTANCES_DATA_KHR,
  };
  geometry.geometry.instances.data.deviceAddress =
    vtr_app_address (&self->gpu, self->instances.buffer);
  return geometry;
}

static VkAccelerationStructureBuildGeometryInfoKHR
build_info (Rays                                     *self,
            const VkAccelerationStructureGeometryKHR *geometry,
            VkAccelerationStructureTypeKHR            type,
            VkAccelerationStructureKHR                to,
            bool                                      update)
{
  VkAccelerationStructureBuildGeometryInfoKHR info = {
    .sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_BUILD_GEOMETRY_INFO_KHR,
    .type = type,
    .flags = VK_BUILD_ACCELERATION_STRUCTURE_ALLOW_UPDATE_BIT_KHR |
             VK_BUILD_ACCELERATION_STRUCTURE_ALLOW_COMPACTION_BIT_KHR,
    .mode = update ? VK_BUILD_ACCELERATION_STRUCTURE_MODE_UPDATE_KHR
                   : VK_BUILD_ACCELERATION_STRUCTURE_MODE_BUILD_KHR,
    .srcAccelerationStructure = update ? to : VK_NULL_HANDLE,
    .dstAccelerationStructure = to,
    .geometryCount = 1,
    .pGeometries = geometry,
  };

  info.scratchData.deviceAddress = vtr_app_address (&self->gpu, self->scratch.buffer);
  return info;
}

static void
place_instances (Rays     *self,
                 uint32_t  frame)
{
  const VkAccelerationStructureDeviceAddressInfoKHR info = {
    .sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_DEVICE_ADDRESS_INFO_KHR,
    .accelerationStructure = self->compact.handle,
  };
  VkAccelerationStructureInstanceKHR *instance = self->instances.mapped;
  const float x = 0.125f * (float)frame;

  *instance = (VkAccelerationStructureInstanceKHR){
    .transform = { { { 1, 0, 0, x }, { 0, 1, 0, 0 }, { 0, 0, 1, 0 } } },
    .mask = 0xff,
    .accelerationStructureReference =
      self->vkGetAccelerationStructureDeviceAddressKHR (self->gpu.device, &info),
  };
}

static void
make_structures (Rays *self)
{
  static const float corners[9] = { 0, 0, 0, 1, 0, 0, 0, 1, 0 };
  const VkAccelerationStructureTypeKHR bottom = VK_ACCELERATION_STRUCTURE_TYPE_BOTTOM_LEVEL_KHR;
  VkAccelerationStructureBuildSizesInfoKHR sizes = {
    .sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_BUILD_SIZES_INFO_KHR,
  };
  const VkQueryPoolCreateInfo queries = {
    .sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
    .queryType = VK_QUERY_TYPE_ACCELERATION_STRUCTURE_COMPACTED_SIZE_KHR,
    .queryCount = 1,
  };
  const VkBufferUsageFlags input =
    VK_BUFFER_USAGE_ACCELERATION_STRUCTURE_BUILD_INPUT_READ_ONLY_BIT_KHR;
  VkAccelerationStructureGeometryKHR geometry;
  VkAccelerationStructureBuildGeometryInfoKHR info;
  const uint32_t one = 1;

  self->vertices = make_buffer (self, sizeof corners, input);
  memcpy (self->vertices.mapped, corners, sizeof corners);
  self->instances = make_buffer (self, sizeof (VkAccelerationStructureInstanceKHR), input);
  self->scratch = make_buffer (self, 1 << 16, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
  geometry = triangle (self, false);
  info = build_info (self, &geometry, bottom, VK_NULL_HANDLE, false);
  self->vkGetAccelerationStructureBuildSizesKHR (self->gpu.device,
                                                 VK_ACCELERATION_STRUCTURE_BUILD_TYPE_DEVICE_KHR,
                                                 &info, &one, &sizes);
  make_structure (self, &self->bottom, bottom, sizes.accelerationStructureSize);
  make_structure (self, &self->compact, bottom, sizes.accelerationStructureSize);
  make_structure (self, &self->host, bottom, sizes.accelerationStructureSize);
  make_structure (self, &self->top, VK_ACCELERATION_STRUCTURE_TYPE_TOP_LEVEL_KHR,
                  sizes.accelerationStructureSize);
  vtr_app_check (vkCreateQueryPool (self->gpu.device, &queries, NULL, &self->queries),
                 "vkCreateQueryPool");
}

static void
build_on_host (Rays *self)
{
  static uint8_t scratch[1 << 16];
  VkAccelerationStructureGeometryKHR geometry = triangle (self, true);
  VkAccelerationStructureBuildGeometryInfoKHR info = build_info (
    self, &geometry, VK_ACCELERATION_STRUCTURE_TYPE_BOTTOM_LEVEL_KHR, self->host.handle, false);
  const VkAccelerationStructureBuildRangeInfoKHR range = { .primitiveCount = 1 };
  const VkAccelerationStructureBuildRangeInfoKHR *ranges = &range;

  info.scratchData.hostAddress = scratch;
  vtr_app_check (self->vkBuildAccelerationStructuresKHR (self->gpu.device, VK_NULL_HANDLE, 1, &info,
                                                         &ranges),
                 "vkBuildAccelerationStructuresKHR");
}

static void
record_first (Rays            *self,
              VkCommandBuffer  commands)
{
  const VkCopyAccelerationStructureInfoKHR copy = {
    .sType = VK_STRUCTURE_TYPE_COPY_ACCELERATION_STRUCTURE_INFO_KHR,
    .src = self->bottom.handle,
    .dst = self->compact.handle,
    .mode = VK_COPY_ACCELERATION_STRUCTURE_MODE_COMPACT_KHR,
  };
  const VkAccelerationStructureGeometryKHR geometry = triangle (self, false);
  const VkAccelerationStructureBuildGeometryInfoKHR info = build_info (
    self, &geometry, VK_ACCELERATION_STRUCTURE_TYPE_BOTTOM_LEVEL_KHR, self->bottom.handle, false);
  const VkAccelerationStructureBuildRangeInfoKHR range = { .primitiveCount = 1 };
  const VkAccelerationStructureBuildRangeInfoKHR *ranges = &range;

  self->vkCmdBuildAccelerationStructuresKHR (commands, 1, &info, &ranges);
  vtr_app_barrier (commands);
  vkCmdResetQueryPool (commands, self->queries, 0, 1);
  self->vkCmdWriteAccelerationStructuresPropertiesKHR (
    commands, 1, &self->bottom.handle, VK_QUERY_TYPE_ACCELERATION_STRUCTURE_COMPACTED_SIZE_KHR,
    self->queries, 0);
  self->vkCmdCopyAccelerationStructureKHR (commands, &copy);
  vtr_app_barrier (commands);
  vtr_app_transition (commands, &self->picture, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL);
}

/* --- The pipeline ---------------------------------------------------------------------------- */

static void
make_set (Rays *self)
{
  const VkDescriptorSetLayoutBinding bindings[] = {
    { 0, VK_DESCRIPTOR_TYPE_ACCELERATION_STRUCTURE_KHR, 1, VK_SHADER_STAGE_RAYGEN_BIT_KHR, NULL },
    { 1, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, 1, VK_SHADER_STAGE_RAYGEN_BIT_KHR, NULL },
  };
  const VkDescriptorSetLayoutCreateInfo set = {
    .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
    .bindingCount = 2,
    .pBindings = bindings,
  };
  const VkDescriptorPoolSize sizes[] = { { bindings[0].descriptorType, 1 },
                                         { bindings[1].descriptorType, 1 } };
  const VkWriteDescriptorSetAccelerationStructureKHR structures = {
    .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET_ACCELERATION_STRUCTURE_KHR,
    .accelerationStructureCount = 1,
    .pAccelerationStructures = &self->top.handle,
  };
  const VkDescriptorImageInfo image = { .imageView = self->picture.view,
                                        .imageLayout = VK_IMAGE_LAYOUT_GENERAL };
  VkWriteDescriptorSet writes[2] = {
    { VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET, &structures, NULL, 0, 0, 1,
      bindings[0].descriptorType, NULL, NULL, NULL },
    { VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET, NULL, NULL, 1, 0, 1, bindings[1].descriptorType,
      &image, NULL, NULL },
  };
  VkDevice device = self->gpu.device;

  vtr_app_check (vkCreateDescriptorSetLayout (device, &set, NULL, &self->set_layout),
                 "vkCreateDescriptorSetLayout");
  self->set = vtr_app_set (&self->gpu, self->set_layout, 2, sizes, &self->pool);
  writes[0].dstSet = writes[1].dstSet = self->set;
  vkUpdateDescriptorSets (device, 2, writes, 0, NULL);
}

static void
make_pipeline (Rays *self)
{
  const VkPipelineLayoutCreateInfo layout = {
    .sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
    .setLayoutCount = 1,
    .pSetLayouts = &self->set_layout,
  };
  const VkShaderStageFlagBits bits[GROUPS] = { VK_SHADER_STAGE_RAYGEN_BIT_KHR,
                                               VK_SHADER_STAGE_MISS_BIT_KHR,
                                               VK_SHADER_STAGE_CLOSEST_HIT_BIT_KHR };
  VkPipelineShaderStageCreateInfo stages[GROUPS];
  VkRayTracingShaderGroupCreateInfoKHR groups[GROUPS];
  VkRayTracingPipelineCreateInfoKHR info = {
    .sType = VK_STRUCTURE_TYPE_RAY_TRACING_PIPELINE_CREATE_INFO_KHR,
    .stageCount = GROUPS,
    .pStages = stages,
    .groupCount = GROUPS,
    .pGroups = groups,
    .maxPipelineRayRecursionDepth = 1,
  };
  VkDevice device = self->gpu.device;

  self->modules[0] = vtr_app_shader (&self->gpu, rays_rgen, sizeof rays_rgen);
  self->modules[1] = vtr_app_shader (&self->gpu, rays_rmiss, sizeof rays_rmiss);
  self->modules[2] = vtr_app_shader (&self->gpu, rays_rchit, sizeof rays_rchit);
  for (uint32_t i = 0; i < GROUPS; i++)
    {
      const bool hit = i == 2;

      stages[i] = (VkPipelineShaderStageCreateInfo){
        .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
        .stage = bits[i],
        .module = self->modules[i],
        .pName = "main",
      };
      groups[i] = (VkRayTracingShaderGroupCreateInfoKHR){
        .sType = VK_STRUCTURE_TYPE_RAY_TRACING_SHADER_GROUP_CREATE_INFO_KHR,
        .type = hit ? VK_RAY_TRACING_SHADER_GROUP_TYPE_TRIANGLES_HIT_GROUP_KHR
                    : VK_RAY_TRACING_SHADER_GROUP_TYPE_GENERAL_KHR,
        .generalShader = hit ? VK_SHADER_UNUSED_KHR : i,
        .closestHitShader = hit ? i : VK_SHADER_UNUSED_KHR,
        .anyHitShader = VK_SHADER_UNUSED_KHR,
        .intersectionShader = VK_SHADER_UNUSED_KHR,
      };
    }
  vtr_app_check (vkCreatePipelineLayout (device, &layout, NULL, &self->layout),
                 "vkCreatePipelineLayout");
  info.layout = self->layout;
  vtr_app_check (self->vkCreateRayTracingPipelinesKHR (device, VK_NULL_HANDLE, VK_NULL_HANDLE, 1,
                                                       &info, NULL, &self->pipeline),
                 "vkCreateRayTracingPipelinesKHR");
}

static void
make_table (Rays *self)
{
  const VkTraceRaysIndirectCommandKHR size = { SIZE, SIZE, 1 };
  uint8_t handles[GROUPS * 32];

  self->table = make_buffer (self, GROUPS * STRIDE, VK_BUFFER_USAGE_SHADER_BINDING_TABLE_BIT_KHR);
  vtr_app_check (self->vkGetRayTracingShaderGroupHandlesKHR (self->gpu.device, self->pipeline, 0,
                                                             GROUPS, sizeof handles, handles),
                 "vkGetRayTracingShaderGroupHandlesKHR");
  for (uint32_t i = 0; i < GROUPS; i++)
    memcpy ((uint8_t *)self->table.mapped + i * STRIDE, &handles[i * 32], 32);
  self->sizes = make_buffer (self, sizeof size, VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT);
  memcpy (self->sizes.mapped, &size, sizeof size);
}

/* --- Frames ---------------------------------------------------------------------------------- */

static void
record_frame (Rays            *self,
              VkCommandBuffer  commands,
              uint32_t         frame)
{
  const VkAccelerationStructureGeometryKHR geometry = instances (self);
  const VkAccelerationStructureBuildGeometryInfoKHR info =
    build_info (self, &geometry, VK_ACCELERATION_STRUCTURE_TYPE_TOP_LEVEL_KHR, self->top.handle,
                frame > 0);
  const VkAccelerationStructureBuildRangeInfoKHR range = { .primitiveCount = 1 };
  const VkAccelerationStructureBuildRangeInfoKHR *ranges = &range;
  const VkDeviceAddress table = vtr_app_address (&self->gpu, self->table.buffer);
  VkStridedDeviceAddressRegionKHR regions[4] = { 0 };

  for (uint32_t i = 0; i < GROUPS; i++)
    regions[i] = (VkStridedDeviceAddressRegionKHR){ table + i * STRIDE, STRIDE, STRIDE };
  self->vkCmdBuildAccelerationStructuresKHR (commands, 1, &info, &ranges);
  vtr_app_barrier (commands);
  vkCmdBindPipeline (commands, VK_PIPELINE_BIND_POINT_RAY_TRACING_KHR, self->pipeline);
  vkCmdBindDescriptorSets (commands, VK_PIPELINE_BIND_POINT_RAY_TRACING_KHR, self->layout, 0, 1,
                           &self->set, 0, NULL);
  self->vkCmdTraceRaysKHR (commands, &regions[0], &regions[1], &regions[2], &regions[3], SIZE, SIZE,
                           1);
  vtr_app_barrier (commands);
  self->vkCmdTraceRaysIndirectKHR (commands, &regions[0], &regions[1], &regions[2], &regions[3],
                                   vtr_app_address (&self->gpu, self->sizes.buffer));
}

static void
rays_init (Rays *self)
{
  static const char *const extensions[] = { VK_KHR_ACCELERATION_STRUCTURE_EXTENSION_NAME,
                                            VK_KHR_RAY_TRACING_PIPELINE_EXTENSION_NAME,
                                            VK_KHR_DEFERRED_HOST_OPERATIONS_EXTENSION_NAME, NULL };
  VkPhysicalDeviceRayTracingPipelineFeaturesKHR pipeline = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_RAY_TRACING_PIPELINE_FEATURES_KHR,
    .rayTracingPipeline = VK_TRUE,
    .rayTracingPipelineTraceRaysIndirect = VK_TRUE,
  };
  VkPhysicalDeviceAccelerationStructureFeaturesKHR structure = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ACCELERATION_STRUCTURE_FEATURES_KHR,
    .pNext = &pipeline,
    .accelerationStructure = VK_TRUE,
    .accelerationStructureHostCommands = VK_TRUE,
  };
  VkPhysicalDeviceVulkan12Features features12 = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
    .pNext = &structure,
    .bufferDeviceAddress = VK_TRUE,
  };
  const VkPhysicalDeviceFeatures2 features = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2,
    .pNext = &features12,
  };

  self->gpu.extensions = extensions;
  vtr_app_gpu_init (&self->gpu, &features, false);
#define FIND(name) self->name = (PFN_##name)vkGetDeviceProcAddr (self->gpu.device, #name);
  FUNCTIONS (FIND)
#undef FIND
  self->picture = vtr_app_image (&self->gpu, SIZE, SIZE, VK_FORMAT_R8G8B8A8_UNORM,
                                 VK_IMAGE_USAGE_STORAGE_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT);
  make_structures (self);
  make_set (self);
  make_pipeline (self);
  make_table (self);
  build_on_host (self);
}

static void
rays_finish (Rays *self)
{
  VtrAppStructure *const structures[] = { &self->top, &self->bottom, &self->compact, &self->host };
  VtrAppBuffer *const buffers[] = { &self->vertices, &self->instances, &self->scratch, &self->table,
                                    &self->sizes };
  VkDevice device = self->gpu.device;

  for (uint32_t i = 0; i < 4; i++)
    {
      self->vkDestroyAccelerationStructureKHR (device, structures[i]->handle, NULL);
      vtr_app_buffer_finish (&self->gpu, &structures[i]->buffer);
    }
  for (uint32_t i = 0; i < 5; i++)
    vtr_app_buffer_finish (&self->gpu, buffers[i]);
  vkDestroyPipeline (device, self->pipeline, NULL);
  for (uint32_t i = 0; i < GROUPS; i++)
    vkDestroyShaderModule (device, self->modules[i], NULL);
  vkDestroyPipelineLayout (device, self->layout, NULL);
  vkDestroyDescriptorPool (device, self->pool, NULL);
  vkDestroyDescriptorSetLayout (device, self->set_layout, NULL);
  vkDestroyQueryPool (device, self->queries, NULL);
  vtr_app_image_finish (&self->gpu, &self->picture);
  vtr_app_gpu_finish (&self->gpu);
}

int
main (int    argc,
      char **argv)
{
  Rays self = { 0 };
  uint32_t n_frames = 4;
  const VtrAppOption options[] = {
    { "--frames", &n_frames, NULL, NULL, "how many (4), a submission each" },
    { 0 },
  };

  vtr_app_options (argc, argv, options);
  rays_init (&self);
  for (uint32_t frame = 0; frame < n_frames; frame++)
    {
      VkCommandBuffer commands = vtr_app_commands (&self.gpu, VK_COMMAND_BUFFER_LEVEL_PRIMARY);

      vtr_app_begin (commands);
      if (frame == 0)
        record_first (&self, commands);
      place_instances (&self, frame);
      record_frame (&self, commands, frame);
      vtr_app_run (&self.gpu, commands);
    }
  rays_finish (&self);

  return 0;
}
