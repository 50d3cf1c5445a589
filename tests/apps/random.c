/* vtr-app-random: makes random but valid use of Vulkan, to find what other tests do not think of
 * (vtr-app-random.h).
 *
 * --seed and --frames say what is done; --only and --without take lists of groups, --operations a
 * number of operations of each frame, to make less of a run that shows a fault. */
#include "vtr-app-random.h"

#include <stdio.h>
#include <string.h>

/* --- Numbers --------------------------------------------------------------------------------- */

static uint64_t
mix (uint64_t value)
{
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9u;
  value = (value ^ (value >> 27)) * 0x94d049bb133111ebu;
  return value ^ (value >> 31);
}

uint32_t
vtr_random_number (VtrRandom *self)
{
  self->state += 0x9e3779b97f4a7c15u;
  return (uint32_t)(mix (self->state) >> 32);
}

uint32_t
vtr_random_below (VtrRandom *self,
                  uint32_t   n)
{
  return (uint32_t)(((uint64_t)vtr_random_number (self) * n) >> 32);
}

uint32_t
vtr_random_between (VtrRandom *self,
                    uint32_t   least,
                    uint32_t   most)
{
  return least + vtr_random_below (self, most - least + 1);
}

bool
vtr_random_chance (VtrRandom *self,
                   uint32_t   percent)
{
  return vtr_random_below (self, 100) < percent;
}

float
vtr_random_float (VtrRandom *self)
{
  return (float)vtr_random_below (self, 1 << 16) / 65535.0f;
}

/* --- Operations ------------------------------------------------------------------------------ */

static const VtrRandomOperation *const tables[] = {
  vtr_random_object_operations,
  vtr_random_image_operations,
  vtr_random_copy_operations,
  vtr_random_set_operations,
  vtr_random_compute_operations,
  vtr_random_target_operations,
  vtr_random_draw_operations,
  vtr_random_recording_operations,
  vtr_random_query_operations,
  vtr_random_sync_operations,
};

/* Those of --wide, which came later. */
static const VtrRandomOperation *const wide_tables[] = {
  vtr_random_query_polls,
  vtr_random_sync_polls,
  vtr_random_view_operations,
  vtr_random_block_operations,
};

#define N_TABLES (sizeof tables / sizeof tables[0])
#define N_WIDE_TABLES (sizeof wide_tables / sizeof wide_tables[0])

static const VtrRandomOperation *
get_table (size_t nth)
{
  return nth < N_TABLES ? tables[nth] : wide_tables[nth - N_TABLES];
}

static bool
in_list (const char *list,
         const char *name)
{
  const size_t length = strlen (name);

  for (const char *at = list; at != NULL && *at != '\0';)
    {
      const size_t n = strcspn (at, ",");

      if (n == length && strncmp (at, name, n) == 0)
        return true;
      at += n + (at[n] == ',');
    }
  return false;
}

bool
vtr_random_may (VtrRandom  *self,
                uint32_t    percent,
                const char *what)
{
  return vtr_random_chance (self, percent) && !in_list (self->without, what);
}

static bool
is_wanted (const VtrRandom          *self,
           const VtrRandomOperation *operation)
{
  if (in_list (self->without, operation->group) || in_list (self->without, operation->name))
    return false;
  return self->only == NULL || in_list (self->only, operation->group) ||
         in_list (self->only, operation->name);
}

static void
operate (VtrRandom *self,
         uint32_t   nth)
{
  const VtrRandomOperation *chosen = NULL;
  const size_t n = N_TABLES + (self->wide ? N_WIDE_TABLES : 0);
  uint32_t total = 0, at;

  self->state = mix (mix (self->seed) + self->frame * 1000 + nth) ^ self->mood;
  for (size_t i = 0; i < n; i++)
    for (const VtrRandomOperation *o = get_table (i); o->name != NULL; o++)
      total += o->weight;
  at = vtr_random_below (self, total);
  for (size_t i = 0; i < n && chosen == NULL; i++)
    for (const VtrRandomOperation *o = get_table (i); o->name != NULL && chosen == NULL; o++)
      {
        if (at < o->weight)
          chosen = o;
        at -= o->weight;
      }
  if (!is_wanted (self, chosen))
    return;
  if (self->verbose > 0)
    {
      printf ("%llu.%u %s\n", (unsigned long long)self->frame, nth, chosen->name);
      fflush (stdout);
    }
  chosen->run (self);
}

static void
draw_frame (VtrRandom *self)
{
  uint32_t n;

  vtr_random_begin_frame (self);
  self->state = mix (mix (self->seed) + self->frame * 1000 + 999);
  n = self->frame == 1 ? 60 : vtr_random_between (self, 5, 40);
  for (uint32_t i = 0; i < n && i < self->n_operations; i++)
    operate (self, i);
  self->state = mix (mix (self->seed) + self->frame * 1000 + 998);
  vtr_random_show (self);
}

/* --- The device ------------------------------------------------------------------------------ */

static void
make_device (VtrRandom *self)
{
  static const char *const none[] = { NULL };
  static const char *const extensions[] = {
    VK_KHR_PUSH_DESCRIPTOR_EXTENSION_NAME,
    VK_EXT_VERTEX_INPUT_DYNAMIC_STATE_EXTENSION_NAME,
    VK_EXT_EXTENDED_DYNAMIC_STATE_2_EXTENSION_NAME,
    VK_EXT_EXTENDED_DYNAMIC_STATE_3_EXTENSION_NAME,
    VK_EXT_MULTI_DRAW_EXTENSION_NAME,
    VK_EXT_TRANSFORM_FEEDBACK_EXTENSION_NAME,
    VK_EXT_CONDITIONAL_RENDERING_EXTENSION_NAME,
    VK_EXT_INDEX_TYPE_UINT8_EXTENSION_NAME,
    VK_KHR_PIPELINE_LIBRARY_EXTENSION_NAME,
    VK_EXT_GRAPHICS_PIPELINE_LIBRARY_EXTENSION_NAME,
    NULL,
  };
  VkPhysicalDeviceGraphicsPipelineLibraryFeaturesEXT library = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_GRAPHICS_PIPELINE_LIBRARY_FEATURES_EXT,
    .graphicsPipelineLibrary = VK_TRUE,
  };
  VkPhysicalDeviceIndexTypeUint8FeaturesEXT bytes = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_INDEX_TYPE_UINT8_FEATURES_EXT,
    .pNext = &library,
    .indexTypeUint8 = VK_TRUE,
  };
  VkPhysicalDeviceConditionalRenderingFeaturesEXT conditional = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_CONDITIONAL_RENDERING_FEATURES_EXT,
    .pNext = &bytes,
    .conditionalRendering = VK_TRUE,
  };
  VkPhysicalDeviceMultiDrawFeaturesEXT multi = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MULTI_DRAW_FEATURES_EXT,
    .pNext = &conditional,
    .multiDraw = VK_TRUE,
  };
  VkPhysicalDeviceExtendedDynamicState3FeaturesEXT three = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTENDED_DYNAMIC_STATE_3_FEATURES_EXT,
    .pNext = &multi,
    .extendedDynamicState3PolygonMode = VK_TRUE,
    .extendedDynamicState3ColorBlendEnable = VK_TRUE,
    .extendedDynamicState3ColorBlendEquation = VK_TRUE,
    .extendedDynamicState3ColorWriteMask = VK_TRUE,
  };
  VkPhysicalDeviceExtendedDynamicState2FeaturesEXT second = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTENDED_DYNAMIC_STATE_2_FEATURES_EXT,
    .pNext = &three,
    .extendedDynamicState2 = VK_TRUE,
  };
  VkPhysicalDeviceVertexInputDynamicStateFeaturesEXT input = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VERTEX_INPUT_DYNAMIC_STATE_FEATURES_EXT,
    .pNext = &second,
    .vertexInputDynamicState = VK_TRUE,
  };
  VkPhysicalDeviceTransformFeedbackFeaturesEXT feedback = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TRANSFORM_FEEDBACK_FEATURES_EXT,
    .pNext = &input,
    .transformFeedback = VK_TRUE,
  };
  VkPhysicalDeviceVulkan13Features features13 = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES,
    .pNext = self->core ? NULL : &feedback,
    .inlineUniformBlock = VK_TRUE,
    .synchronization2 = VK_TRUE,
    .dynamicRendering = VK_TRUE,
    .maintenance4 = VK_TRUE,
  };
  VkPhysicalDeviceVulkan12Features features12 = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
    .pNext = &features13,
    .drawIndirectCount = !self->core,
    .imagelessFramebuffer = VK_TRUE,
    .separateDepthStencilLayouts = VK_TRUE,
    .hostQueryReset = VK_TRUE,
    .timelineSemaphore = VK_TRUE,
    .bufferDeviceAddress = VK_TRUE,
  };
  VkPhysicalDeviceVulkan11Features features11 = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES,
    .pNext = &features12,
    .multiview = self->wide,
    .shaderDrawParameters = !self->core,
  };
  VkPhysicalDeviceFeatures2 features = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2,
    .pNext = &features11,
    .features = { .robustBufferAccess = VK_TRUE,
                  .independentBlend = VK_TRUE,
                  .imageCubeArray = VK_TRUE,
                  .fragmentStoresAndAtomics = VK_TRUE,
                  .vertexPipelineStoresAndAtomics = VK_TRUE,
                  .multiDrawIndirect = VK_TRUE,
                  .drawIndirectFirstInstance = VK_TRUE,
                  .fillModeNonSolid = VK_TRUE,
                  .occlusionQueryPrecise = VK_TRUE,
                  .textureCompressionBC = self->wide && !self->core,
                  .pipelineStatisticsQuery = !self->core },
  };

  self->gpu.extensions = self->core ? none : extensions;
  vtr_app_gpu_init (&self->gpu, &features, true);
}

static void
find_functions (VtrRandom *self)
{
#define FIND(name) \
  self->name = (PFN_##name)vkGetDeviceProcAddr (self->gpu.device, #name); \
  if (self->name == NULL && !self->core) \
    vtr_app_fail ("there is no " #name);
  VTR_RANDOM_FUNCTIONS (FIND)
#undef FIND
}

int
main (int    argc,
      char **argv)
{
  static VtrRandom self = { .seed = 1, .n_frames = 8, .n_operations = UINT32_MAX };
  const VtrAppOption options[] = {
    { "--seed", &self.seed, NULL, NULL, "what to do (1)" },
    { "--frames", &self.n_frames, NULL, NULL, "how many (8)" },
    { "--operations", &self.n_operations, NULL, NULL, "at most so many of each frame" },
    { "--only", NULL, &self.only, NULL, "groups or operations, by commas" },
    { "--without", NULL, &self.without, NULL, "groups or operations, by commas" },
    { "--shared", NULL, NULL, &self.shared,
      "what shaders write to shares mapped pages with other things" },
    { "--core", NULL, NULL, &self.core, "no extensions: what other drivers have, too" },
    { "--wide", NULL, NULL, &self.wide, "more operations, so another program by the same seed" },
    { "--apart", NULL, NULL, &self.apart, "the CPU writes where the GPU never does" },
    { "--verbose", &self.verbose, NULL, NULL, "1: name the operations" },
    { 0 },
  };

  vtr_app_options (argc, argv, options);
  make_device (&self);
  find_functions (&self);
  vtr_random_show_init (&self);
  self.state = mix (self.seed);
  vtr_random_kinds_init (&self);
  vtr_random_pipelines_init (&self);
  vtr_random_recordings_init (&self);
  vtr_random_queries_init (&self);
  vtr_random_sync_init (&self);
  if (self.wide)
    vtr_random_blocks_init (&self);
  for (self.frame = 1; self.frame <= self.n_frames; self.frame++)
    draw_frame (&self);
  vkDeviceWaitIdle (self.gpu.device);
  vtr_random_recordings_finish (&self);
  if (self.wide)
    {
      vtr_random_views_finish (&self);
      vtr_random_blocks_finish (&self);
    }
  vtr_random_queries_finish (&self);
  vtr_random_sync_finish (&self);
  vtr_random_targets_finish (&self);
  vtr_random_pipelines_finish (&self);
  vtr_random_sets_finish (&self);
  vtr_random_kinds_finish (&self);
  vtr_random_images_finish (&self);
  vtr_random_objects_finish (&self);
  vtr_random_show_finish (&self);
  vtr_app_gpu_finish (&self.gpu);

  return 0;
}
