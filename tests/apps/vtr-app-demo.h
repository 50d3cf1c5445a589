/* The frame around the demos, programs that each use one group of features.
 *
 * A demo checks the driver for the features that it needs and ends with status 77 if one is
 * missing. Then it draws --frames frames into pictures, with checkpoints (vtr-app-scene.h) wherever
 * a replay is to be cut. With --window every frame's .color is presented.
 *
 * Threading: one at a time.
 */
#pragma once

#include "vtr-app-scene.h"

#define VTR_APP_SKIPPED 77
#define VTR_APP_DEMO_WIDTH 64u
#define VTR_APP_DEMO_HEIGHT 48u
#define VTR_APP_DEMO_FORMAT VK_FORMAT_R8G8B8A8_UNORM

typedef struct
{
  VtrAppScene scene;
  uint32_t frame;
  VtrAppPicture *color;     /* of the size and format above; GENERAL */
  VkCommandBuffer commands; /* being recorded */
  struct
  {
    const char *name;
    VtrAppBuffer buffer;
  } buffers[16];
  uint32_t n_buffers;
  VkPipeline pipeline; /* plain triangles to .color; dynamic rendering */
} VtrAppDemo;

typedef struct
{
  const char *what;                     /* "conditional rendering" */
  uint32_t version;                     /* of Vulkan; 0: 1.3 */
  const VtrAppOption *options;          /* of its own; up to one without a name */
  const char *const *extensions;        /* of the device; NULL-terminated */
  const char *const *window_extensions; /* the same, with --window */
  VkPhysicalDeviceFeatures features;    /* each that is TRUE is needed */
  VkPhysicalDeviceVulkan11Features features11;
  VkPhysicalDeviceVulkan12Features features12;
  VkPhysicalDeviceVulkan13Features features13; /* beside dynamic rendering, synchronization2 */
  struct
  {
    const void *structure; /* of an extension's features */
    size_t size;
  } more[6];
  void (*start) (VtrAppDemo *self); /* NULL: nothing to do */
  /* Records one frame; after a checkpoint that stops, it ends the passes and labels that it
   * began. */
  void (*draw) (VtrAppDemo *self);
  void (*finish) (VtrAppDemo *self); /* NULL: nothing to do */
  /* Presents .color, once; NULL: to a window of the demo's common parts. */
  void (*show) (VtrAppDemo *self);
} VtrAppDemoInfo;

/* Call it from main(). @self: zeroes; a demo may embed it. */
int vtr_app_demo_run (VtrAppDemo            *self,
                      const VtrAppDemoInfo  *info,
                      int                    argc,
                      char                 **argv);

/* Ends the program because the driver lacks @what. */
void vtr_app_demo_skip (const char *what) __attribute__ ((noreturn));

/* Ends it, too, if optimal images of @format cannot be used in all of these ways. */
void vtr_app_demo_need_format (VtrAppDemo           *self,
                               VkFormat              format,
                               VkFormatFeatureFlags  features);

/* A function of an extension. */
PFN_vkVoidFunction vtr_app_demo_need (VtrAppDemo *self,
                                      const char *name);
#define VTR_APP_NEED(demo, name) ((PFN_##name)vtr_app_demo_need (demo, #name))

/* A host-visible buffer whose contents are compared, too; destroyed at the end. */
VtrAppBuffer *vtr_app_demo_buffer (VtrAppDemo         *self,
                                   const char         *name,
                                   VkDeviceSize        size,
                                   VkBufferUsageFlags  usage);

/* For buffers that a demo makes itself: in .finish, if --output is there. */
void vtr_app_demo_write_buffer (VtrAppDemo         *self,
                                const char         *name,
                                const VtrAppBuffer *buffer);

/* A checkpoint. Returns: go on. */
bool vtr_app_demo_check (VtrAppDemo *self);

/* Ends the command buffer, runs it, and begins again. */
void vtr_app_demo_flush (VtrAppDemo *self);

/* Rendering to .color, LOAD and STORE, with .pipeline bound. */
void vtr_app_demo_begin_rendering (VtrAppDemo *self);
void vtr_app_demo_end_rendering (VtrAppDemo *self);
/* Like vtr_app_demo_begin_rendering (), but renders to other images. @depth: NULL for none; @clear: instead of LOAD. */
void vtr_app_demo_render_to (VtrAppDemo     *self,
                             uint32_t        n_colors,
                             VtrAppPicture **colors,
                             VtrAppPicture  *depth,
                             bool            clear);

/* A triangle of the scene in the @nth of a row of places, unless the demo has stopped. */
void vtr_app_demo_triangle (VtrAppDemo *self,
                            uint32_t    nth);

/* A pipeline for .color that @change has changed. */
VkPipeline vtr_app_demo_pipeline (VtrAppDemo *self,
                                  void (*change) (VkGraphicsPipelineCreateInfo *create,
                                                  void *data),
                                  void *data);
/* A render pass of one picture of .color's format, LOAD, STORE and GENERAL all the time; not kept. */
VkRenderPass vtr_app_demo_pass (VkDevice device);
/* .color for @pass, kept. */
VkFramebuffer vtr_app_demo_framebuffer (VtrAppDemo   *self,
                                        VkRenderPass  pass);
/* A compute pipeline that is kept. */
VkPipeline vtr_app_demo_compute (VtrAppDemo       *self,
                                 const uint32_t    code[],
                                 size_t            size,
                                 VkPipelineLayout  layout);
/* A layout of one set (NULL: none) and the push constants of the scene, kept. */
VkPipelineLayout vtr_app_demo_layout (VtrAppDemo            *self,
                                      VkDescriptorSetLayout  set,
                                      VkShaderStageFlags     stages);
/* A set layout of @n bindings, kept. */
VkDescriptorSetLayout vtr_app_demo_set_layout (VtrAppDemo                         *self,
                                               const VkDescriptorSetLayoutBinding *bindings,
                                               uint32_t                            n,
                                               VkDescriptorSetLayoutCreateFlags    flags,
                                               const void                         *next);
/* A set of its own pool, kept; @bindings as those of @layout. */
VkDescriptorSet vtr_app_demo_set (VtrAppDemo                         *self,
                                  VkDescriptorSetLayout               layout,
                                  const VkDescriptorSetLayoutBinding *bindings,
                                  uint32_t                            n,
                                  VkDescriptorPoolCreateFlags         flags,
                                  const void                         *next);

/* 512 numbers in a storage buffer, and a set for compute shaders with it at binding 0; kept. */
typedef struct
{
  VtrAppBuffer *buffer;
  VkDescriptorSetLayout set_layout;
  VkPipelineLayout layout; /* also with the push constants of the scene */
  VkDescriptorSet set;
} VtrAppDemoNumbers;

VtrAppDemoNumbers vtr_app_demo_numbers (VtrAppDemo *self);

/* 8 × 8 texels of a fixed pattern, in GENERAL, uploaded by the commands being recorded. */
VtrAppPicture *vtr_app_demo_texture (VtrAppDemo *self,
                                     const char *name,
                                     uint32_t    seed);
/* @change: of what a plain sampler would be; NULL: nothing. */
VkSampler vtr_app_demo_sampler (VtrAppDemo                *self,
                                const VkSamplerCreateInfo *change);
/* A vertex or fragment shader instead of the scene's, for @change of vtr_app_demo_pipeline(). */
void vtr_app_demo_set_stage (VkGraphicsPipelineCreateInfo *create,
                             uint32_t                      nth,
                             VkShaderModule                module);

/* The set of demo-set.frag: a tint (16 bytes) at binding 0, a texture at binding 1. */
typedef struct
{
  VkDescriptorSetLayoutBinding bindings[2];
  VkDescriptorSetLayout set;
  VkPipelineLayout layout;
  VkPipeline pipeline;
  VtrAppPicture *textures[2];
  VkSampler sampler;
  VtrAppBuffer *tints; /* 2, 256 bytes apart */
} VtrAppDemoInputs;

/* demo-set.frag itself, kept. */
VkShaderModule vtr_app_demo_input_shader (VtrAppDemo *self);

/* @tint: the type of binding 0. */
void vtr_app_demo_inputs (VtrAppDemo                       *self,
                          VtrAppDemoInputs                 *inputs,
                          VkDescriptorType                  tint,
                          VkDescriptorSetLayoutCreateFlags  flags);
