/* vtr-app-demo-conditional: draws, clears and a dispatch that a number in a buffer enables or
 * disables; in every other frame the GPU computes the number. */
#include "vtr-app-demo.h"

typedef struct
{
  VtrAppDemo demo;
  VtrAppBuffer *numbers;
  PFN_vkCmdBeginConditionalRenderingEXT begin;
  PFN_vkCmdEndConditionalRenderingEXT end;
} Conditional;

static void
start (VtrAppDemo *demo)
{
  Conditional *self = (Conditional *)demo;

  self->numbers =
    vtr_app_demo_buffer (demo, "numbers", 64, VK_BUFFER_USAGE_CONDITIONAL_RENDERING_BIT_EXT);
  ((uint32_t *)self->numbers->mapped)[1] = 7;
  self->begin = VTR_APP_NEED (demo, vkCmdBeginConditionalRenderingEXT);
  self->end = VTR_APP_NEED (demo, vkCmdEndConditionalRenderingEXT);
}

static void
begin (Conditional *self,
       uint32_t     number,
       bool         inverted)
{
  const VkConditionalRenderingBeginInfoEXT info = {
    .sType = VK_STRUCTURE_TYPE_CONDITIONAL_RENDERING_BEGIN_INFO_EXT,
    .buffer = self->numbers->buffer,
    .offset = number * sizeof (uint32_t),
    .flags = inverted ? VK_CONDITIONAL_RENDERING_INVERTED_BIT_EXT : 0,
  };

  self->begin (self->demo.commands, &info);
}

static void
draw (VtrAppDemo *demo)
{
  Conditional *self = (Conditional *)demo;

  /* What number 2 says is known to the GPU alone. */
  vtr_app_barrier (demo->commands);
  vkCmdFillBuffer (demo->commands, self->numbers->buffer, 8, 4, demo->frame % 2);
  vtr_app_barrier (demo->commands);
  begin (self, demo->frame % 2 == 0 ? 0 : 1, false);
  vtr_app_demo_begin_rendering (demo);
  vtr_app_demo_triangle (demo, 1);
  vtr_app_demo_check (demo);
  vtr_app_demo_triangle (demo, 2);
  vtr_app_demo_end_rendering (demo);
  self->end (demo->commands);
  vtr_app_demo_begin_rendering (demo);
  for (uint32_t i = 0; i < 4 && !demo->scene.stopped; i++)
    {
      begin (self, i < 2 ? 2 : 1, i % 2 != 0);
      vtr_app_demo_triangle (demo, 3 + i);
      if (i % 2 != 0)
        vtr_app_demo_check (demo);
      self->end (demo->commands);
    }
  vtr_app_demo_triangle (demo, 8);
  vtr_app_demo_check (demo);
  vtr_app_demo_end_rendering (demo);
}

int
main (int    argc,
      char **argv)
{
  static const char *const extensions[] = { VK_EXT_CONDITIONAL_RENDERING_EXTENSION_NAME, NULL };
  static const VkPhysicalDeviceConditionalRenderingFeaturesEXT features = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_CONDITIONAL_RENDERING_FEATURES_EXT,
    .conditionalRendering = VK_TRUE,
  };
  Conditional self = { 0 };

  return vtr_app_demo_run (&self.demo,
                           &(VtrAppDemoInfo){ .what = "conditional rendering",
                                              .extensions = extensions,
                                              .more = { { &features, sizeof features } },
                                              .start = start,
                                              .draw = draw },
                           argc, argv);
}
