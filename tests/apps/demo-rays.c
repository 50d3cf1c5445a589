/* vtr-app-demo-rays: rays traced by a pipeline and asked for in a dispatch and in a draw. Most of
 * what they meet is built in the first frame: triangles, compacted, and boxes. One structure is
 * refitted in every frame, from itself; the top is built in every third and refitted in the others.
 * The pipeline is linked from a library, and both may be deferred; with --whole neither. With
 * --generated the device traces as sequences in memory say, too. */
#include "vtr-app-demo.h"
#include "vtr-app-rays.h"

#include "demo_rays_box_rint.h"
#include "demo_rays_comp.h"
#include "demo_rays_frag.h"
#include "demo-rays-generated.h"
#include "demo-rays-positions.h"
#include "demo_rays_rgen.h"
#include "demo_rays_rmiss.h"

#include <math.h>
#include <string.h>

#define SCRATCH (1u << 18)
#define STRIDE 64u /* of the binding table */
#define HANDLE 32u
#define N_INSTANCES 6u

#define DEFERRED_FUNCTIONS(X) \
  X (vkCreateDeferredOperationKHR) \
  X (vkDeferredOperationJoinKHR) \
  X (vkDestroyDeferredOperationKHR) \
  X (vkGetDeferredOperationResultKHR)

/* Groups of the pipeline, and records of the table. */
enum
{
  RAYGEN,
  MISS,
  TRIANGLES,
  BOXES,
  N_GROUPS
};

enum
{
  LOOSE, /* as it was built; destroyed when it was compacted */
  MESH,
  MOVED,
  BALLS,
  TOP,
  UNUSED, /* never built */
  N_STRUCTURES
};

static bool is_fetching;   /* --positions */
static bool is_generating; /* --generated */

typedef struct
{
  VkAccelerationStructureGeometryKHR geometries[2];
  VkAccelerationStructureBuildRangeInfoKHR ranges[2];
  uint32_t n;
  VkAccelerationStructureTypeKHR type;
} Shape;

typedef struct
{
  VtrAppDemo demo;
  VtrAppStructure structures[N_STRUCTURES];
  Shape mesh, moved, balls, top;
  VtrAppBuffer corners, indices, moving, boxes, instances, scratch, staging, table, size;
  VtrAppBuffer *distances;
  VtrAppPicture *picture;
  VkDescriptorSet set;
  VkPipelineLayout layout;
  VkPipeline rays, query, shadow;
  VkQueryPool sizes;
#define MEMBER(name) PFN_##name name;
  VTR_APP_RAYS_FUNCTIONS (MEMBER)
  DEFERRED_FUNCTIONS (MEMBER)
#undef MEMBER
} Rays;

static VtrAppBuffer
make_buffer (Rays               *self,
             VkDeviceSize        size,
             VkBufferUsageFlags  usage,
             bool                local)
{
  return vtr_app_buffer (&self->demo.scene.gpu, size,
                         usage | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT,
                         local ? VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT
                               : VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT |
                                   VK_MEMORY_PROPERTY_HOST_COHERENT_BIT);
}

/* --- Geometry -------------------------------------------------------------------------------- */

static void
add_triangles (Rays         *self,
               Shape        *shape,
               VtrAppBuffer *corners,
               uint32_t      n,
               bool          indexed)
{
  VkAccelerationStructureGeometryKHR *geometry = &shape->geometries[shape->n];
  VkAccelerationStructureGeometryTrianglesDataKHR *data = &geometry->geometry.triangles;

  *geometry = (VkAccelerationStructureGeometryKHR){
    .sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_GEOMETRY_KHR,
    .geometryType = VK_GEOMETRY_TYPE_TRIANGLES_KHR,
    .flags = VK_GEOMETRY_OPAQUE_BIT_KHR,
  };
  *data = (VkAccelerationStructureGeometryTrianglesDataKHR){
    .sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_GEOMETRY_TRIANGLES_DATA_KHR,
    .vertexFormat = VK_FORMAT_R32G32B32_SFLOAT,
    .vertexData.deviceAddress = vtr_app_address (&self->demo.scene.gpu, corners->buffer),
    .vertexStride = 12,
    .maxVertex = indexed ? 3 : 3 * n - 1,
    .indexType = indexed ? VK_INDEX_TYPE_UINT16 : VK_INDEX_TYPE_NONE_KHR,
  };
  if (indexed)
    data->indexData.deviceAddress = vtr_app_address (&self->demo.scene.gpu, self->indices.buffer);
  shape->ranges[shape->n] = (VkAccelerationStructureBuildRangeInfoKHR){ .primitiveCount = n };
  shape->n++;
}

static void
make_shapes (Rays *self)
{
  static const float corners[] = { -0.5f, -0.5f, 0, 0.5f, -0.5f, 0,
                                   -0.5f, 0.5f, 0, 0.5f, 0.5f, 0.5f };
  static const uint16_t indices[] = { 0, 1, 2, 1, 3, 2 };
  static const float boxes[] = { -0.5f, -0.5f, -0.5f, 0.5f, 0.5f, 0.5f };
  const VkBufferUsageFlags input =
    VK_BUFFER_USAGE_ACCELERATION_STRUCTURE_BUILD_INPUT_READ_ONLY_BIT_KHR;

  self->corners = make_buffer (self, sizeof corners, input, false);
  self->indices = make_buffer (self, sizeof indices, input, false);
  self->boxes = make_buffer (self, sizeof boxes, input, false);
  self->moving = make_buffer (self, 6 * 12, input, false);
  self->instances =
    make_buffer (self, N_INSTANCES * sizeof (VkAccelerationStructureInstanceKHR), input, false);
  self->scratch = make_buffer (self, SCRATCH, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, true);
  memcpy (self->corners.mapped, corners, sizeof corners);
  memcpy (self->indices.mapped, indices, sizeof indices);
  memcpy (self->boxes.mapped, boxes, sizeof boxes);

  add_triangles (self, &self->mesh, &self->corners, 2, true);
  add_triangles (self, &self->mesh, &self->corners, 1, false);
  add_triangles (self, &self->moved, &self->moving, 2, false);
  self->balls.geometries[0] = (VkAccelerationStructureGeometryKHR){
    .sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_GEOMETRY_KHR,
    .geometryType = VK_GEOMETRY_TYPE_AABBS_KHR,
  };
  self->balls.geometries[0].geometry.aabbs = (VkAccelerationStructureGeometryAabbsDataKHR){
    .sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_GEOMETRY_AABBS_DATA_KHR,
    .data.deviceAddress = vtr_app_address (&self->demo.scene.gpu, self->boxes.buffer),
    .stride = 24,
  };
  self->top.geometries[0] = (VkAccelerationStructureGeometryKHR){
    .sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_GEOMETRY_KHR,
    .geometryType = VK_GEOMETRY_TYPE_INSTANCES_KHR,
  };
  self->top.geometries[0].geometry.instances = (VkAccelerationStructureGeometryInstancesDataKHR){
    .sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_GEOMETRY_INSTANCES_DATA_KHR,
    .data.deviceAddress = vtr_app_address (&self->demo.scene.gpu, self->instances.buffer),
  };
  self->balls.ranges[0].primitiveCount = 1;
  self->top.ranges[0].primitiveCount = N_INSTANCES;
  self->balls.n = self->top.n = 1;
  self->mesh.type = self->moved.type = self->balls.type =
    VK_ACCELERATION_STRUCTURE_TYPE_BOTTOM_LEVEL_KHR;
  self->top.type = VK_ACCELERATION_STRUCTURE_TYPE_TOP_LEVEL_KHR;
}

/* --- Structures ------------------------------------------------------------------------------ */

static VkAccelerationStructureBuildGeometryInfoKHR
build_info (Rays        *self,
            const Shape *shape,
            uint32_t     to,
            bool         update)
{
  return (VkAccelerationStructureBuildGeometryInfoKHR){
    .sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_BUILD_GEOMETRY_INFO_KHR,
    .type = shape->type,
    .flags = (to == LOOSE ? VK_BUILD_ACCELERATION_STRUCTURE_ALLOW_COMPACTION_BIT_KHR
                          : VK_BUILD_ACCELERATION_STRUCTURE_ALLOW_UPDATE_BIT_KHR) |
             (is_fetching && to != TOP ? VTR_APP_RAYS_ALLOW_POSITIONS : 0u),
    .mode = update ? VK_BUILD_ACCELERATION_STRUCTURE_MODE_UPDATE_KHR
                   : VK_BUILD_ACCELERATION_STRUCTURE_MODE_BUILD_KHR,
    .srcAccelerationStructure = update ? self->structures[to].handle : VK_NULL_HANDLE,
    .dstAccelerationStructure = self->structures[to].handle,
    .geometryCount = shape->n,
    .pGeometries = shape->geometries,
    .scratchData.deviceAddress = vtr_app_address (&self->demo.scene.gpu, self->scratch.buffer),
  };
}

static void
make_structure (Rays                           *self,
                uint32_t                        nth,
                VkAccelerationStructureTypeKHR  type,
                VkDeviceSize                    size)
{
  self->structures[nth] =
    (nth == BALLS ? vtr_app_structure_early : vtr_app_structure) (
      &self->demo.scene.gpu, self->vkCreateAccelerationStructureKHR, type, size,
      VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
}

static void
make_structure_for (Rays        *self,
                    uint32_t     nth,
                    const Shape *shape)
{
  VkAccelerationStructureBuildSizesInfoKHR sizes = {
    .sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_BUILD_SIZES_INFO_KHR,
  };
  const VkAccelerationStructureBuildGeometryInfoKHR info = build_info (self, shape, nth, false);
  const uint32_t counts[] = { shape->ranges[0].primitiveCount, shape->ranges[1].primitiveCount };

  self->vkGetAccelerationStructureBuildSizesKHR (self->demo.scene.gpu.device,
                                                 VK_ACCELERATION_STRUCTURE_BUILD_TYPE_DEVICE_KHR,
                                                 &info, counts, &sizes);
  if (sizes.buildScratchSize > SCRATCH || sizes.updateScratchSize > SCRATCH)
    vtr_app_fail ("the driver wants much scratch");
  make_structure (self, nth, shape->type, sizes.accelerationStructureSize);
}

/* One scratch for all of them, one after the other. */
static void
build (Rays        *self,
       const Shape *shape,
       uint32_t     to,
       bool         update)
{
  const VkAccelerationStructureBuildGeometryInfoKHR info = build_info (self, shape, to, update);
  const VkAccelerationStructureBuildRangeInfoKHR *ranges = shape->ranges;

  self->vkCmdBuildAccelerationStructuresKHR (self->demo.commands, 1, &info, &ranges);
  vtr_app_barrier (self->demo.commands);
}

static void
destroy (Rays     *self,
         uint32_t  nth)
{
  self->vkDestroyAccelerationStructureKHR (self->demo.scene.gpu.device,
                                           self->structures[nth].handle, NULL);
  vtr_app_buffer_finish (&self->demo.scene.gpu, &self->structures[nth].buffer);
}

static void
build_once (Rays *self)
{
  VtrAppDemo *demo = &self->demo;
  VkCopyAccelerationStructureInfoKHR copy = {
    .sType = VK_STRUCTURE_TYPE_COPY_ACCELERATION_STRUCTURE_INFO_KHR,
    .src = self->structures[LOOSE].handle,
    .mode = VK_COPY_ACCELERATION_STRUCTURE_MODE_COMPACT_KHR,
  };
  const VkBufferCopy table = { 0, 0, 5 * STRIDE };
  VkDeviceSize size;

  vkCmdCopyBuffer (demo->commands, self->staging.buffer, self->table.buffer, 1, &table);
  build (self, &self->mesh, LOOSE, false);
  build (self, &self->balls, BALLS, false);
  build (self, &self->moved, MOVED, false);
  vkCmdResetQueryPool (demo->commands, self->sizes, 0, 1);
  self->vkCmdWriteAccelerationStructuresPropertiesKHR (
    demo->commands, 1, &copy.src, VK_QUERY_TYPE_ACCELERATION_STRUCTURE_COMPACTED_SIZE_KHR,
    self->sizes, 0);
  vtr_app_demo_flush (demo);
  vtr_app_check (vkGetQueryPoolResults (demo->scene.gpu.device, self->sizes, 0, 1, sizeof size,
                                        &size, sizeof size,
                                        VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT),
                 "vkGetQueryPoolResults");
  make_structure (self, MESH, VK_ACCELERATION_STRUCTURE_TYPE_BOTTOM_LEVEL_KHR, size);
  copy.dst = self->structures[MESH].handle;
  self->vkCmdCopyAccelerationStructureKHR (demo->commands, &copy);
  vtr_app_demo_flush (demo);
  destroy (self, LOOSE);
}

/* --- Pipelines ------------------------------------------------------------------------------- */

/* No library, and nothing is deferred: validation layers of 1.3.239 crash in both. */
static bool is_whole;

/* Whatever the driver defers is done here. */
static VkPipeline
make_deferred (Rays                                    *self,
               const VkRayTracingPipelineCreateInfoKHR *info)
{
  const VkDevice device = self->demo.scene.gpu.device;
  VkDeferredOperationKHR operation = VK_NULL_HANDLE;
  VkPipeline pipeline;
  VkResult result;

  if (!is_whole)
    vtr_app_check (self->vkCreateDeferredOperationKHR (device, NULL, &operation),
                   "vkCreateDeferredOperationKHR");
  result = self->vkCreateRayTracingPipelinesKHR (device, operation, VK_NULL_HANDLE, 1, info, NULL,
                                                 &pipeline);
  if (result == VK_OPERATION_DEFERRED_KHR)
    {
      while (self->vkDeferredOperationJoinKHR (device, operation) == VK_THREAD_IDLE_KHR)
        continue;
      result = self->vkGetDeferredOperationResultKHR (device, operation);
    }
  if (result != VK_SUCCESS && result != VK_OPERATION_NOT_DEFERRED_KHR)
    vtr_app_check (result, "vkCreateRayTracingPipelinesKHR");
  self->vkDestroyDeferredOperationKHR (device, operation, NULL);
  return pipeline;
}

/* @n of the groups from @first on, and those of @library; a stage each. */
static VkPipeline
make_groups (Rays                  *self,
             uint32_t               first,
             uint32_t               n,
             VkPipelineCreateFlags  flags,
             VkPipeline             library)
{
  size_t hit_size;
  const uint32_t *hit = vtr_app_rays_hit (is_fetching, &hit_size);
  const struct
  {
    VkShaderStageFlagBits bit;
    const uint32_t *code;
    size_t size;
  } shaders[N_GROUPS] = {
    { VK_SHADER_STAGE_RAYGEN_BIT_KHR, demo_rays_rgen, sizeof demo_rays_rgen },
    { VK_SHADER_STAGE_MISS_BIT_KHR, demo_rays_rmiss, sizeof demo_rays_rmiss },
    { VK_SHADER_STAGE_CLOSEST_HIT_BIT_KHR, hit, hit_size },
    { VK_SHADER_STAGE_INTERSECTION_BIT_KHR, demo_rays_box_rint, sizeof demo_rays_box_rint },
  };
  const VkPipelineLibraryCreateInfoKHR libraries = {
    .sType = VK_STRUCTURE_TYPE_PIPELINE_LIBRARY_CREATE_INFO_KHR,
    .libraryCount = 1,
    .pLibraries = &library,
  };
  const VkRayTracingPipelineInterfaceCreateInfoKHR interface = {
    .sType = VK_STRUCTURE_TYPE_RAY_TRACING_PIPELINE_INTERFACE_CREATE_INFO_KHR,
    .maxPipelineRayPayloadSize = 32,
    .maxPipelineRayHitAttributeSize = 16,
  };
  VkPipelineShaderStageCreateInfo stages[N_GROUPS];
  VkRayTracingShaderGroupCreateInfoKHR groups[N_GROUPS];
  const VkRayTracingPipelineCreateInfoKHR info = {
    .sType = VK_STRUCTURE_TYPE_RAY_TRACING_PIPELINE_CREATE_INFO_KHR,
    .pNext = is_generating ? vtr_app_rays_generated_flags (flags) : NULL,
    .flags = flags,
    .stageCount = n,
    .pStages = stages,
    .groupCount = n,
    .pGroups = groups,
    .maxPipelineRayRecursionDepth = 1,
    .pLibraryInfo = library != VK_NULL_HANDLE ? &libraries : NULL,
    .pLibraryInterface = n < N_GROUPS ? &interface : NULL,
    .layout = self->layout,
  };

  for (uint32_t i = 0; i < n; i++)
    {
      const uint32_t group = first + i;

      stages[i] = (VkPipelineShaderStageCreateInfo){
        .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
        .stage = shaders[group].bit,
        .module = vtr_app_scene_shader (&self->demo.scene, shaders[group].code,
                                        shaders[group].size),
        .pName = "main",
      };
      groups[i] = (VkRayTracingShaderGroupCreateInfoKHR){
        .sType = VK_STRUCTURE_TYPE_RAY_TRACING_SHADER_GROUP_CREATE_INFO_KHR,
        .type = group < TRIANGLES    ? VK_RAY_TRACING_SHADER_GROUP_TYPE_GENERAL_KHR
                : group == TRIANGLES ? VK_RAY_TRACING_SHADER_GROUP_TYPE_TRIANGLES_HIT_GROUP_KHR
                                     : VK_RAY_TRACING_SHADER_GROUP_TYPE_PROCEDURAL_HIT_GROUP_KHR,
        .generalShader = group < TRIANGLES ? i : VK_SHADER_UNUSED_KHR,
        .closestHitShader = group < TRIANGLES ? VK_SHADER_UNUSED_KHR : TRIANGLES - first,
        .anyHitShader = VK_SHADER_UNUSED_KHR,
        .intersectionShader = group == BOXES ? i : VK_SHADER_UNUSED_KHR,
      };
    }
  return make_deferred (self, &info);
}

static VkPipeline
make_rays (Rays *self)
{
  return make_groups (self, RAYGEN, N_GROUPS, 0, VK_NULL_HANDLE);
}

/* The hit groups come from a library, which is destroyed at once. */
static VkPipeline
make_linked_rays (Rays *self)
{
  VkPipeline library =
    make_groups (self, TRIANGLES, N_GROUPS - TRIANGLES, VK_PIPELINE_CREATE_LIBRARY_BIT_KHR,
                 VK_NULL_HANDLE);
  VkPipeline pipeline = make_groups (self, RAYGEN, TRIANGLES, 0, library);

  vkDestroyPipeline (self->demo.scene.gpu.device, library, NULL);
  return pipeline;
}

static void
change (VkGraphicsPipelineCreateInfo *create,
        void                         *data)
{
  Rays *self = data;

  create->layout = self->layout;
  vtr_app_demo_set_stage (create, 1,
                          vtr_app_scene_shader (&self->demo.scene, demo_rays_frag,
                                                sizeof demo_rays_frag));
}

static void
make_set (Rays *self)
{
  const VkDescriptorSetLayoutBinding bindings[] = {
    { 0, VK_DESCRIPTOR_TYPE_ACCELERATION_STRUCTURE_KHR, 1, VK_SHADER_STAGE_ALL, NULL },
    { 1, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, 1, VK_SHADER_STAGE_ALL, NULL },
    { 2, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_ALL, NULL },
  };
  const VkWriteDescriptorSetAccelerationStructureKHR structures = {
    .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET_ACCELERATION_STRUCTURE_KHR,
    .accelerationStructureCount = 1,
    .pAccelerationStructures = &self->structures[TOP].handle,
  };
  const VkDescriptorImageInfo image = { VK_NULL_HANDLE, self->picture->view,
                                        VK_IMAGE_LAYOUT_GENERAL };
  const VkDescriptorBufferInfo buffer = { self->distances->buffer, 0, VK_WHOLE_SIZE };
  VkDescriptorSetLayout layout = vtr_app_demo_set_layout (&self->demo, bindings, 3, 0, NULL);
  VkWriteDescriptorSet writes[3];

  self->set = vtr_app_demo_set (&self->demo, layout, bindings, 3, 0, NULL);
  self->layout = vtr_app_demo_layout (&self->demo, layout, VK_SHADER_STAGE_ALL);
  for (uint32_t i = 0; i < 3; i++)
    writes[i] = (VkWriteDescriptorSet){
      .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
      .pNext = i == 0 ? &structures : NULL,
      .dstSet = self->set,
      .dstBinding = i,
      .descriptorCount = 1,
      .descriptorType = bindings[i].descriptorType,
      .pImageInfo = i == 1 ? &image : NULL,
      .pBufferInfo = i == 2 ? &buffer : NULL,
    };
  vkUpdateDescriptorSets (self->demo.scene.gpu.device, 3, writes, 0, NULL);
}

/* Two records for triangles, each with a tint, and one for boxes. The table itself is copied. */
static void
make_table (Rays *self)
{
  static const float tints[3][4] = { { 1, 0, 0.5f, 0 }, { 0.25f, 1, 0, 0 }, { 0.75f, 0.5f, 1, 0 } };
  const uint32_t sources[] = { RAYGEN, MISS, TRIANGLES, TRIANGLES, BOXES };
  const VkTraceRaysIndirectCommandKHR size = { VTR_APP_DEMO_WIDTH / 4, VTR_APP_DEMO_HEIGHT / 4,
                                               1 };
  uint8_t handles[N_GROUPS * HANDLE];

  self->staging = make_buffer (self, 5 * STRIDE, VK_BUFFER_USAGE_TRANSFER_SRC_BIT, false);
  self->table = make_buffer (
    self, 5 * STRIDE,
    VK_BUFFER_USAGE_SHADER_BINDING_TABLE_BIT_KHR | VK_BUFFER_USAGE_TRANSFER_DST_BIT, true);
  vtr_app_check (self->vkGetRayTracingShaderGroupHandlesKHR (self->demo.scene.gpu.device,
                                                             self->rays, 0, N_GROUPS,
                                                             sizeof handles, handles),
                 "vkGetRayTracingShaderGroupHandlesKHR");
  for (uint32_t i = 0; i < 5; i++)
    {
      uint8_t *record = (uint8_t *)self->staging.mapped + i * STRIDE;

      memcpy (record, &handles[sources[i] * HANDLE], HANDLE);
      if (i >= TRIANGLES)
        memcpy (record + HANDLE, tints[i - TRIANGLES], sizeof tints[0]);
    }
  self->size = make_buffer (self, sizeof size, VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT, false);
  memcpy (self->size.mapped, &size, sizeof size);
}

static void
start (VtrAppDemo *demo)
{
  Rays *self = (Rays *)demo;
  const VkQueryPoolCreateInfo sizes = {
    .sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
    .queryType = VK_QUERY_TYPE_ACCELERATION_STRUCTURE_COMPACTED_SIZE_KHR,
    .queryCount = 1,
  };
  const VkFormat format = VTR_APP_DEMO_FORMAT;

#define FIND(name) self->name = VTR_APP_NEED (demo, name);
  VTR_APP_RAYS_FUNCTIONS (FIND)
  DEFERRED_FUNCTIONS (FIND)
#undef FIND
  self->picture = vtr_app_picture (
    &demo->scene,
    &(VtrAppPictureInfo){ .name = "rays",
                          .format = format,
                          .extent = { VTR_APP_DEMO_WIDTH, VTR_APP_DEMO_HEIGHT, 1 },
                          .usage = VK_IMAGE_USAGE_STORAGE_BIT });
  vtr_app_picture_clear (demo->commands, self->picture, 0.5f);
  self->distances = vtr_app_demo_buffer (demo, "distances", 16 * 8 * 8,
                                         VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
  make_shapes (self);
  make_structure_for (self, LOOSE, &self->mesh);
  make_structure_for (self, MOVED, &self->moved);
  make_structure_for (self, BALLS, &self->balls);
  make_structure_for (self, TOP, &self->top);
  make_structure_for (self, UNUSED, &self->mesh);
  make_set (self);
  /* If only the second pipeline is created again, its handles differ. */
  vkDestroyPipeline (demo->scene.gpu.device, make_rays (self), NULL);
  self->rays = is_whole ? make_rays (self) : make_linked_rays (self);
  VTR_APP_KEEP (&demo->scene, PIPELINE, self->rays);
  make_table (self);
  if (is_generating)
    vtr_app_rays_generated_start (demo, self->rays, self->layout);
  self->query =
    vtr_app_demo_compute (demo, demo_rays_comp, sizeof demo_rays_comp, self->layout);
  self->shadow = vtr_app_demo_pipeline (demo, change, self);
  vtr_app_check (vkCreateQueryPool (demo->scene.gpu.device, &sizes, NULL, &self->sizes),
                 "vkCreateQueryPool");
}

/* --- Frames ---------------------------------------------------------------------------------- */

static void
place_instances (Rays *self)
{
  static const uint32_t of[N_INSTANCES] = { MESH, MESH, MOVED, BALLS, BALLS, MESH };
  static const uint32_t records[N_INSTANCES] = { 0, 1, 1, 2, 2, 0 };
  VkAccelerationStructureInstanceKHR *instances = self->instances.mapped;
  const float frame = (float)self->demo.frame;

  for (uint32_t i = 0; i < N_INSTANCES; i++)
    {
      const VkAccelerationStructureDeviceAddressInfoKHR info = {
        .sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_DEVICE_ADDRESS_INFO_KHR,
        .accelerationStructure = self->structures[of[i]].handle,
      };
      const float turn = 0.125f * frame * (float)(i + 1);
      const float size = 0.5f + 0.125f * (float)(i % 3);
      const float along = size * cosf (turn), across = size * sinf (turn);

      instances[i] = (VkAccelerationStructureInstanceKHR){
        .transform = { { { along, across, 0, -0.6f + 0.6f * (float)(i % 3) },
                         { -across, along, 0, i < 3 ? -0.5f : 0.5f },
                         { 0, 0, size, 0.125f * (float)i } } },
        .instanceCustomIndex = 3 * i + 1,
        .mask = i % 2 == 0 ? 0x01 : 0x02,
        .instanceShaderBindingTableRecordOffset = records[i],
        .flags = VK_GEOMETRY_INSTANCE_TRIANGLE_FACING_CULL_DISABLE_BIT_KHR,
        .accelerationStructureReference =
          self->vkGetAccelerationStructureDeviceAddressKHR (self->demo.scene.gpu.device, &info),
      };
    }
}

static void
move (Rays *self)
{
  const float by = 0.1f * (float)self->demo.frame;
  const float corners[18] = { -0.5f, -0.5f, by, 0.5f - by, -0.5f, 0, 0, 0, 0,
                              0, 0, 0, 0.5f, 0.5f - by, by, -0.5f, 0.5f, 0 };

  memcpy (self->moving.mapped, corners, sizeof corners);
}

static void
trace (Rays *self)
{
  const VkCommandBuffer commands = self->demo.commands;
  const VkDeviceAddress table = vtr_app_address (&self->demo.scene.gpu, self->table.buffer);
  const VkStridedDeviceAddressRegionKHR raygen = { table, STRIDE, STRIDE },
                                        miss = { table + STRIDE, STRIDE, STRIDE },
                                        hit = { table + 2 * STRIDE, STRIDE, 3 * STRIDE },
                                        none = { 0 };
  const float whole[4] = { 0, 0, 0, 0 }, part[4] = { 0.2f, -0.1f, 40, 30 };

  vkCmdBindPipeline (commands, VK_PIPELINE_BIND_POINT_RAY_TRACING_KHR, self->rays);
  vkCmdBindDescriptorSets (commands, VK_PIPELINE_BIND_POINT_RAY_TRACING_KHR, self->layout, 0, 1,
                           &self->set, 0, NULL);
  vkCmdPushConstants (commands, self->layout, VK_SHADER_STAGE_ALL, 0, sizeof whole, whole);
  self->vkCmdTraceRaysKHR (commands, &raygen, &miss, &hit, &none, VTR_APP_DEMO_WIDTH,
                           VTR_APP_DEMO_HEIGHT, 1);
  vtr_app_barrier (commands);
  vkCmdPushConstants (commands, self->layout, VK_SHADER_STAGE_ALL, 0, sizeof part, part);
  self->vkCmdTraceRaysIndirectKHR (commands, &raygen, &miss, &hit, &none,
                                   vtr_app_address (&self->demo.scene.gpu, self->size.buffer));
  vtr_app_barrier (commands);
  if (is_generating)
    {
      vtr_app_rays_generated_trace (&self->demo, &raygen, &miss, &hit);
      vtr_app_barrier (commands);
    }
}

static void
ask (Rays *self)
{
  const VkCommandBuffer commands = self->demo.commands;

  vkCmdBindPipeline (commands, VK_PIPELINE_BIND_POINT_COMPUTE, self->query);
  vkCmdBindDescriptorSets (commands, VK_PIPELINE_BIND_POINT_COMPUTE, self->layout, 0, 1,
                           &self->set, 0, NULL);
  vkCmdDispatch (commands, 2, 2, 1);
  vtr_app_barrier (commands);
}

static void
draw (VtrAppDemo *demo)
{
  Rays *self = (Rays *)demo;
  const VkImageCopy copy = {
    { VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1 },
    { 0 },
    { VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1 },
    { 0 },
    { VTR_APP_DEMO_WIDTH, VTR_APP_DEMO_HEIGHT, 1 },
  };

  move (self);
  if (demo->frame == 0)
    build_once (self);
  else
    build (self, &self->moved, MOVED, true);
  place_instances (self);
  build (self, &self->top, TOP, demo->frame % 3 != 0);
  trace (self);
  ask (self);
  if (!vtr_app_demo_check (demo))
    return;
  vkCmdCopyImage (demo->commands, self->picture->image, VK_IMAGE_LAYOUT_GENERAL,
                  demo->color->image, VK_IMAGE_LAYOUT_GENERAL, 1, &copy);
  vtr_app_demo_begin_rendering (demo);
  vkCmdBindPipeline (demo->commands, VK_PIPELINE_BIND_POINT_GRAPHICS, self->shadow);
  vkCmdBindDescriptorSets (demo->commands, VK_PIPELINE_BIND_POINT_GRAPHICS, self->layout, 0, 1,
                           &self->set, 0, NULL);
  vtr_app_demo_triangle (demo, 1);
  vtr_app_demo_check (demo);
  vtr_app_demo_end_rendering (demo);
}

static void
finish (VtrAppDemo *demo)
{
  Rays *self = (Rays *)demo;
  VtrAppBuffer *const buffers[] = { &self->corners, &self->indices, &self->moving,
                                    &self->boxes, &self->instances, &self->scratch,
                                    &self->staging, &self->table, &self->size };

  if (is_generating)
    vtr_app_rays_generated_finish (demo);
  for (uint32_t i = MESH; i < N_STRUCTURES; i++)
    destroy (self, i);
  for (uint32_t i = 0; i < sizeof buffers / sizeof buffers[0]; i++)
    vtr_app_buffer_finish (&demo->scene.gpu, buffers[i]);
  vkDestroyQueryPool (demo->scene.gpu.device, self->sizes, NULL);
}

int
main (int    argc,
      char **argv)
{
  const bool positions = vtr_app_rays_want_positions (argc, argv);
  const bool generated = vtr_app_rays_want_generated (argc, argv);
  const char *extensions[] = { VK_KHR_ACCELERATION_STRUCTURE_EXTENSION_NAME,
                               VK_KHR_RAY_TRACING_PIPELINE_EXTENSION_NAME,
                               VK_KHR_RAY_QUERY_EXTENSION_NAME,
                               VK_KHR_DEFERRED_HOST_OPERATIONS_EXTENSION_NAME,
                               VK_KHR_PIPELINE_LIBRARY_EXTENSION_NAME,
                               VTR_APP_RAYS_POSITIONS, NULL, NULL, NULL };
  static const VkPhysicalDeviceAccelerationStructureFeaturesKHR structures = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ACCELERATION_STRUCTURE_FEATURES_KHR,
    .accelerationStructure = VK_TRUE,
  };
  static const VkPhysicalDeviceRayTracingPipelineFeaturesKHR pipelines = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_RAY_TRACING_PIPELINE_FEATURES_KHR,
    .rayTracingPipeline = VK_TRUE,
    .rayTracingPipelineTraceRaysIndirect = VK_TRUE,
  };
  static const VkPhysicalDeviceRayQueryFeaturesKHR queries = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_RAY_QUERY_FEATURES_KHR,
    .rayQuery = VK_TRUE,
  };
  static const VtrAppOption options[] = {
    { "--whole", NULL, NULL, &is_whole, "No pipeline library, nothing deferred" },
    { "--positions", NULL, NULL, &is_fetching, "Shaders look at the corners of triangles" },
    { "--generated", NULL, NULL, &is_generating, "The device traces as memory says, too" },
    { 0 },
  };
  static Rays self;
  VtrAppRaysFeature fetch = vtr_app_rays_positions;
  VtrAppDemoInfo info = {
    .what = "ray tracing",
    .options = options,
    .extensions = extensions,
    .features12 = { .bufferDeviceAddress = VK_TRUE },
    .features13 = { .maintenance4 = VK_TRUE },
    .more = { { &structures, sizeof structures },
              { &pipelines, sizeof pipelines },
              { &queries, sizeof queries },
              { positions ? &fetch : NULL, sizeof fetch } },
    .start = start,
    .draw = draw,
    .finish = finish,
  };

  /* At most one of the two: both would be more features than a demo has. */
  if (!positions)
    extensions[5] = NULL;
  for (uint32_t i = 0; generated && i < VTR_APP_RAYS_N_GENERATED; i++)
    {
      extensions[5 + i] = vtr_app_rays_generated_extensions[i];
      info.more[3 + i].structure = vtr_app_rays_generated_feature (i, &info.more[3 + i].size);
    }
  return vtr_app_demo_run (&self.demo, &info, argc, argv);
}
