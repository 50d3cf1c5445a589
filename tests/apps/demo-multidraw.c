/* vtr-app-demo-multidraw: several draws by one call (VK_EXT_multi_draw), with and without indices.
 */
#include "vtr-app-demo.h"

typedef struct
{
  VtrAppDemo demo;
  VtrAppBuffer *indices;
  PFN_vkCmdDrawMultiEXT multi;
  PFN_vkCmdDrawMultiIndexedEXT multi_indexed;
} MultiDraw;

static void
start (VtrAppDemo *demo)
{
  MultiDraw *self = (MultiDraw *)demo;

  self->indices = vtr_app_demo_buffer (demo, "indices", 64, VK_BUFFER_USAGE_INDEX_BUFFER_BIT);
  for (uint32_t i = 0; i < 24; i++)
    ((uint16_t *)self->indices->mapped)[i] = (uint16_t)(i % 3 + i / 6);
  self->multi = VTR_APP_NEED (demo, vkCmdDrawMultiEXT);
  self->multi_indexed = VTR_APP_NEED (demo, vkCmdDrawMultiIndexedEXT);
}

static void
draw (VtrAppDemo *demo)
{
  MultiDraw *self = (MultiDraw *)demo;
  const VkMultiDrawInfoEXT draws[] = { { 0, 3 }, { 1, 3 }, { 3, 3 }, { 4, 6 } };
  const VkMultiDrawIndexedInfoEXT indexed[] = { { 0, 3, 0 }, { 3, 3, 1 }, { 6, 6, 2 } };
  const int32_t offset = 1;
  const struct
  {
    VkMultiDrawInfoEXT draw;
    uint32_t other; /* of the program's own */
  } apart[] = { { { 1, 3 }, 7 }, { { 4, 6 }, 8 }, { { 0, 3 }, 9 } };
  const struct
  {
    VkMultiDrawIndexedInfoEXT draw;
    uint32_t other[2];
  } indexed_apart[] = { { { 0, 3, 1 }, { 7, 8 } }, { { 6, 3, 0 }, { 9, 10 } } };

  vtr_app_demo_begin_rendering (demo);
  vtr_app_demo_triangle (demo, 1);
  self->multi (demo->commands, 4, draws, 1, 0, sizeof draws[0]);
  vtr_app_demo_check (demo);
  if (!demo->scene.stopped)
    {
      vkCmdBindIndexBuffer (demo->commands, self->indices->buffer, 0, VK_INDEX_TYPE_UINT16);
      vtr_app_demo_triangle (demo, 4);
      self->multi_indexed (demo->commands, 3, indexed, 2, 0, sizeof indexed[0], NULL);
      vtr_app_demo_check (demo);
    }
  if (!demo->scene.stopped)
    {
      vtr_app_demo_triangle (demo, 6);
      self->multi_indexed (demo->commands, 2, indexed, 1, 0, sizeof indexed[0], &offset);
      /* Every other entry; entries of structures of the program. */
      self->multi (demo->commands, 2, draws + 1, 1, 0, 2 * sizeof draws[0]);
      self->multi (demo->commands, 3, &apart[0].draw, 1, 0, sizeof apart[0]);
      self->multi_indexed (demo->commands, 2, &indexed_apart[0].draw, 1, 0, sizeof indexed_apart[0],
                           NULL);
      vtr_app_demo_check (demo);
    }
  vtr_app_demo_end_rendering (demo);
}

int
main (int    argc,
      char **argv)
{
  static const char *const extensions[] = { VK_EXT_MULTI_DRAW_EXTENSION_NAME, NULL };
  static const VkPhysicalDeviceMultiDrawFeaturesEXT features = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MULTI_DRAW_FEATURES_EXT,
    .multiDraw = VK_TRUE,
  };
  MultiDraw self = { 0 };

  return vtr_app_demo_run (&self.demo,
                           &(VtrAppDemoInfo){ .what = "VK_EXT_multi_draw",
                                              .extensions = extensions,
                                              .more = { { &features, sizeof features } },
                                              .start = start,
                                              .draw = draw },
                           argc, argv);
}
