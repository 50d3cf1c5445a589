/* vtr-app-demo-multiview: passes to several layers of an image at once, in secondary command
 * buffers, with a query for each view; counted primitives, flat colours of the last vertex, 8-bit
 * indices, strips and lists. */
#include "vtr-app-demo.h"

#include "pictures-multiview.vert.h"

#include <string.h>

#define VIEWS 0xbu /* of four layers */
#define N_VIEWS 3u

typedef struct
{
  VtrAppDemo demo;
  VtrAppPicture *layers, *depths;
  VkPipeline viewed, counted;
  VkCommandBuffer again; /* a secondary one that is kept */
  VkQueryPool samples;   /* one a view, of which the first has the sum */
  VkQueryPool primitives;
  VtrAppBuffer *indices, *results;
} Multiview;

static void
change (VkGraphicsPipelineCreateInfo *create,
        void                         *data)
{
  static const VkPipelineRasterizationProvokingVertexStateCreateInfoEXT last = {
    .sType = VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_PROVOKING_VERTEX_STATE_CREATE_INFO_EXT,
    .provokingVertexMode = VK_PROVOKING_VERTEX_MODE_LAST_VERTEX_EXT,
  };

  ((VkPipelineRasterizationStateCreateInfo *)create->pRasterizationState)->pNext = &last;
  ((VkPipelineInputAssemblyStateCreateInfo *)create->pInputAssemblyState)->primitiveRestartEnable =
    VK_TRUE;
}

static void
make_pictures (Multiview *self)
{
  VtrAppPictureInfo info = { .name = "layers",
                             .format = VTR_APP_DEMO_FORMAT,
                             .extent = { 32, 24, 1 },
                             .layers = 4,
                             .usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT };

  self->layers = vtr_app_picture (&self->demo.scene, &info);
  vtr_app_picture_clear (self->demo.commands, self->layers, 0.5f);
  info.name = "depths";
  info.format = VK_FORMAT_D32_SFLOAT;
  info.usage = VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT;
  self->depths = vtr_app_picture (&self->demo.scene, &info);
  vtr_app_picture_clear (self->demo.commands, self->depths, 0.7f);
}

/* A triangle to all views, recorded once. */
static void
record_again (Multiview *self)
{
  VtrAppDemo *demo = &self->demo;
  const VkFormat format = VTR_APP_DEMO_FORMAT;
  const VkCommandBufferInheritanceRenderingInfo rendering = {
    .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_RENDERING_INFO,
    .viewMask = VIEWS,
    .colorAttachmentCount = 1,
    .pColorAttachmentFormats = &format,
    .depthAttachmentFormat = VK_FORMAT_D32_SFLOAT,
    .rasterizationSamples = VK_SAMPLE_COUNT_1_BIT,
  };
  const VkCommandBufferInheritanceInfo inheritance = {
    .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO,
    .pNext = &rendering,
  };
  const VkCommandBufferBeginInfo info = {
    .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
    .flags = VK_COMMAND_BUFFER_USAGE_RENDER_PASS_CONTINUE_BIT,
    .pInheritanceInfo = &inheritance,
  };

  self->again = vtr_app_commands (&demo->scene.gpu, VK_COMMAND_BUFFER_LEVEL_SECONDARY);
  vtr_app_check (vkBeginCommandBuffer (self->again, &info), "vkBeginCommandBuffer");
  vtr_app_viewport (self->again, 32, 24);
  vkCmdBindPipeline (self->again, VK_PIPELINE_BIND_POINT_GRAPHICS, self->viewed);
  vtr_app_triangle (&demo->scene, self->again, -0.8f, -0.7f, 1, 0.6f, 4);
  vtr_app_check (vkEndCommandBuffer (self->again), "vkEndCommandBuffer");
}

static VkQueryPool
make_queries (Multiview   *self,
              VkQueryType  type,
              uint32_t     n)
{
  const VkQueryPoolCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
    .queryType = type,
    .queryCount = n,
  };
  VkQueryPool pool;

  vtr_app_check (vkCreateQueryPool (self->demo.scene.gpu.device, &info, NULL, &pool),
                 "vkCreateQueryPool");
  VTR_APP_KEEP (&self->demo.scene, QUERY_POOL, pool);
  return pool;
}

static void
start (VtrAppDemo *demo)
{
  static const uint8_t indices[] = { 0, 1, 2, 0xff, 0xff, 1, 2, 3, 0xff, 2, 1, 0 };
  const VkFormat format = VTR_APP_DEMO_FORMAT;
  Multiview *self = (Multiview *)demo;

  make_pictures (self);
  self->viewed = vtr_app_pipeline (
    &demo->scene, &(VtrAppPipelineInfo){ .n_colors = 1,
                                         .formats = &format,
                                         .depth = VK_FORMAT_D32_SFLOAT,
                                         .depth_test = true,
                                         .view_mask = VIEWS,
                                         .vertex = vtr_app_scene_shader (
                                           &demo->scene, pictures_multiview_vert,
                                           sizeof pictures_multiview_vert) });
  self->counted = vtr_app_demo_pipeline (demo, change, NULL);
  record_again (self);
  self->samples = make_queries (self, VK_QUERY_TYPE_OCCLUSION, N_VIEWS);
  self->primitives = make_queries (self, VK_QUERY_TYPE_PRIMITIVES_GENERATED_EXT, 1);
  self->indices = vtr_app_demo_buffer (demo, "indices", 16, VK_BUFFER_USAGE_INDEX_BUFFER_BIT);
  memcpy (self->indices->mapped, indices, sizeof indices);
  self->results = vtr_app_demo_buffer (demo, "results", 64, 0);
}

static void
draw_views (Multiview *self)
{
  VtrAppDemo *demo = &self->demo;
  VkRenderingAttachmentInfo color = {
    .sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO,
    .imageView = self->layers->view,
    .imageLayout = VK_IMAGE_LAYOUT_GENERAL,
    .loadOp = VK_ATTACHMENT_LOAD_OP_LOAD,
    .storeOp = VK_ATTACHMENT_STORE_OP_STORE,
  };
  VkRenderingAttachmentInfo depth = color;
  VkRenderingInfo info = {
    .sType = VK_STRUCTURE_TYPE_RENDERING_INFO,
    .renderArea = { { 0, 0 }, { 32, 24 } },
    .layerCount = 1,
    .viewMask = VIEWS,
    .colorAttachmentCount = 1,
    .pColorAttachments = &color,
    .pDepthAttachment = &depth,
  };

  depth.imageView = self->depths->view;
  vtr_app_barrier (demo->commands);
  vkCmdBeginRendering (demo->commands, &info);
  vtr_app_viewport (demo->commands, 32, 24);
  vkCmdBindPipeline (demo->commands, VK_PIPELINE_BIND_POINT_GRAPHICS, self->viewed);
  vkCmdBeginQuery (demo->commands, self->samples, 0, 0);
  vtr_app_demo_triangle (demo, 1);
  vkCmdEndQuery (demo->commands, self->samples, 0);
  vtr_app_demo_check (demo);
  vkCmdEndRendering (demo->commands);
  if (demo->scene.stopped)
    return;
  info.flags = VK_RENDERING_CONTENTS_SECONDARY_COMMAND_BUFFERS_BIT;
  color.loadOp = demo->frame == 0 ? VK_ATTACHMENT_LOAD_OP_CLEAR : VK_ATTACHMENT_LOAD_OP_LOAD;
  vtr_app_barrier (demo->commands);
  vkCmdBeginRendering (demo->commands, &info);
  vkCmdExecuteCommands (demo->commands, 1, &self->again);
  vkCmdEndRendering (demo->commands);
}

/* Layers beside each other, then strips with a hole in their indices. */
static void
show (Multiview *self)
{
  VtrAppDemo *demo = &self->demo;
  VkImageCopy region = {
    .srcSubresource = { VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1 },
    .dstSubresource = { VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1 },
    .extent = { 32, 24, 1 },
  };

  vtr_app_barrier (demo->commands);
  for (uint32_t i = 0; i < 4; i++)
    {
      region.srcSubresource.baseArrayLayer = i;
      region.dstOffset = (VkOffset3D){ 32 * (int32_t)(i % 2), 24 * (int32_t)(i / 2), 0 };
      vkCmdCopyImage (demo->commands, self->layers->image, VK_IMAGE_LAYOUT_GENERAL,
                      demo->color->image, VK_IMAGE_LAYOUT_GENERAL, 1, &region);
    }
  vtr_app_demo_begin_rendering (demo);
  vkCmdBindPipeline (demo->commands, VK_PIPELINE_BIND_POINT_GRAPHICS, self->counted);
  vkCmdBindIndexBuffer (demo->commands, self->indices->buffer, 0, VK_INDEX_TYPE_UINT8_EXT);
  vkCmdBeginQuery (demo->commands, self->primitives, 0, 0);
  vtr_app_demo_triangle (demo, 5);
  vkCmdDrawIndexed (demo->commands, 12, 1, 0, 0, 0);
  vtr_app_demo_check (demo);
  vkCmdEndQuery (demo->commands, self->primitives, 0);
  vtr_app_demo_end_rendering (demo);
}

static void
draw (VtrAppDemo *demo)
{
  Multiview *self = (Multiview *)demo;
  const VkCommandBuffer commands = demo->commands;
  const VkQueryResultFlags flags = VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT;

  /* The results of the last frame. Vulkan does not say how samples are spread over the views. */
  if (demo->frame > 0)
    vkCmdCopyQueryPoolResults (commands, self->primitives, 0, 1, self->results->buffer, 8, 8,
                               flags);
  vkCmdResetQueryPool (commands, self->samples, 0, N_VIEWS);
  vkCmdResetQueryPool (commands, self->primitives, 0, 1);
  draw_views (self);
  if (!demo->scene.stopped)
    show (self);
}

int
main (int    argc,
      char **argv)
{
  static const char *const extensions[] = { VK_EXT_PRIMITIVES_GENERATED_QUERY_EXTENSION_NAME,
                                            VK_EXT_PROVOKING_VERTEX_EXTENSION_NAME,
                                            VK_EXT_INDEX_TYPE_UINT8_EXTENSION_NAME,
                                            VK_EXT_PRIMITIVE_TOPOLOGY_LIST_RESTART_EXTENSION_NAME,
                                            VK_EXT_TRANSFORM_FEEDBACK_EXTENSION_NAME, NULL };
  static const VkPhysicalDevicePrimitivesGeneratedQueryFeaturesEXT primitives = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PRIMITIVES_GENERATED_QUERY_FEATURES_EXT,
    .primitivesGeneratedQuery = VK_TRUE,
  };
  static const VkPhysicalDeviceProvokingVertexFeaturesEXT provoking = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROVOKING_VERTEX_FEATURES_EXT,
    .provokingVertexLast = VK_TRUE,
  };
  static const VkPhysicalDeviceIndexTypeUint8FeaturesEXT bytes = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_INDEX_TYPE_UINT8_FEATURES_EXT,
    .indexTypeUint8 = VK_TRUE,
  };
  static const VkPhysicalDevicePrimitiveTopologyListRestartFeaturesEXT restart = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PRIMITIVE_TOPOLOGY_LIST_RESTART_FEATURES_EXT,
    .primitiveTopologyListRestart = VK_TRUE,
  };
  Multiview self = { 0 };

  return vtr_app_demo_run (
    &self.demo,
    &(VtrAppDemoInfo){ .what = "views and counted primitives",
                       .extensions = extensions,
                       .features11 = { .multiview = VK_TRUE },
                       .more = { { &primitives, sizeof primitives },
                                 { &provoking, sizeof provoking },
                                 { &bytes, sizeof bytes },
                                 { &restart, sizeof restart } },
                       .start = start,
                       .draw = draw },
    argc, argv);
}
