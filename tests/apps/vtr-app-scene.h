/* Images, triangles and checkpoints for the test programs whose images are compared with those
 * of a replay.
 *
 * A scene records its commands and marks moments with checkpoints: labels "check 1", "check 2",
 * … in the command buffer. With --stop N it ends at checkpoint N and writes what every image
 * contains then, each subresource to a file of its own. A replay up to that label must find the
 * same contents.
 *
 * Threading: one at a time. */
#pragma once

#include "vtr-app.h"

#define VTR_APP_MAX_PICTURES 128

typedef struct
{
  const char *name;
  const void *next, *view_next; /* of the create infos; used while the picture is made */
  VkFormat format;
  VkImageType type; /* 2D by default: 0 means that, 1D is not used */
  VkExtent3D extent;
  uint32_t mips, layers; /* 0: 1 */
  VkSampleCountFlagBits samples;
  VkImageUsageFlags usage; /* beyond transfers and, if it has samples, sampling */
  VkImageCreateFlags flags;
  VkImageTiling tiling;
  VkImageLayout initial;
  VkMemoryPropertyFlags memory; /* 0: device local */
  VkDeviceSize around;          /* bytes of its memory that are free before it, and behind it */
} VtrAppPictureInfo;

typedef struct
{
  VtrAppPictureInfo info;
  VkImage image;
  VkDeviceMemory memory;
  VkImageView view; /* of the first mip level and all layers; NULL where usage allows no view */
  VkImageLayout layout;
} VtrAppPicture;

typedef struct
{
  VtrAppGpu gpu;
  bool present;       /* to be set before: the device can present to XCB windows */
  const char *output; /* folder; NULL: nothing is read back */
  uint32_t stop;      /* checkpoint to end at; 0: never */
  uint32_t run;       /* how many times it passes before */
  uint32_t n_checks;
  bool stopped;
  VtrAppPicture pictures[VTR_APP_MAX_PICTURES];
  uint32_t n_pictures;
  VkPipelineLayout layout; /* 128 bytes of push constants for all graphics stages */
  VkShaderModule vertex, fragment;
  PFN_vkCmdInsertDebugUtilsLabelEXT insert_label;
  PFN_vkCmdBeginDebugUtilsLabelEXT begin_label;
  PFN_vkCmdEndDebugUtilsLabelEXT end_label;
  PFN_vkSetDebugUtilsObjectNameEXT set_name;
  struct
  {
    VkObjectType type;
    uint64_t handle;
  } kept[1024];
  uint32_t n_kept;
} VtrAppScene;

/* Destroys an object at the end. */
void vtr_app_keep (VtrAppScene  *self,
                   VkObjectType  type,
                   uint64_t      handle);
#define VTR_APP_KEEP(scene, type, handle) \
  vtr_app_keep (scene, VK_OBJECT_TYPE_##type, (uint64_t)(handle))
/* A shader module that is kept. */
VkShaderModule vtr_app_scene_shader (VtrAppScene    *self,
                                     const uint32_t  code[],
                                     size_t          size);

/* Parses --stop, --run, --output and @options (up to an entry without name), makes the device. */
void vtr_app_scene_init (VtrAppScene                      *self,
                         int                               argc,
                         char                            **argv,
                         const VtrAppOption               *options,
                         const VkPhysicalDeviceFeatures2  *features);

/* Writes every subresource of every picture that was ever used to --output. */
void vtr_app_scene_read_back (VtrAppScene *self);

/* Reads back, if wished, and ends everything. */
void vtr_app_scene_finish (VtrAppScene *self);

/* Marks a moment. Returns: the scene must end here. */
bool vtr_app_scene_check (VtrAppScene     *self,
                          VkCommandBuffer  commands);

VtrAppPicture *vtr_app_picture (VtrAppScene             *self,
                                const VtrAppPictureInfo *info);
VkImageView vtr_app_picture_view (VtrAppScene         *self,
                                  const VtrAppPicture *picture,
                                  VkImageViewType      type,
                                  uint32_t             mip,
                                  uint32_t             layer,
                                  uint32_t             n_layers);
void vtr_app_picture_to (VkCommandBuffer  commands,
                         VtrAppPicture   *picture,
                         VkImageLayout    layout);
/* Fills all of it with @value (depth: value, stencil: value × 200) and leaves it in GENERAL. */
void vtr_app_picture_clear (VkCommandBuffer  commands,
                            VtrAppPicture   *picture,
                            float            value);

typedef struct
{
  VkRenderPass pass; /* NULL: dynamic rendering with what follows */
  uint32_t subpass;
  uint32_t n_colors;
  const VkFormat *formats;
  VkFormat depth;
  uint32_t view_mask;
  VkSampleCountFlagBits samples; /* 0: 1 */
  bool depth_test, stencil_test, blend;
  VkStencilOpState front, back;
  VkShaderModule vertex, fragment; /* NULL: the scene's */
  VkPipelineLayout layout;         /* NULL: the scene's */
  /* Has the last word; what @create points to may be changed, too. NULL: nothing is changed. */
  void (*change) (VkGraphicsPipelineCreateInfo *create,
                  void *data);
  void *data;
} VtrAppPipelineInfo;

/* Triangles without vertex buffers; viewport, scissor and stencil reference are dynamic. */
VkPipeline vtr_app_pipeline (VtrAppScene              *self,
                             const VtrAppPipelineInfo *info);
void vtr_app_viewport (VkCommandBuffer commands,
                       uint32_t        width,
                       uint32_t        height);
/* A triangle at (x, y) with legs of @size in clip space, at depth @z, in one of some colours. */
void vtr_app_triangle (VtrAppScene     *self,
                       VkCommandBuffer  commands,
                       float            x,
                       float            y,
                       float            size,
                       float            z,
                       uint32_t         color);

VkCommandBuffer vtr_app_scene_begin (VtrAppScene *self);
void vtr_app_scene_submit (VtrAppScene     *self,
                           VkCommandBuffer  commands);
