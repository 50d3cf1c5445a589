/* vtr-app-demo-indirect: draws whose parameters and number are in memory that the GPU has
 * written. */
#include "vtr-app-demo.h"

typedef struct
{
  VtrAppDemo demo;
  VtrAppBuffer *draws, *indices;
} Indirect;

static void
start (VtrAppDemo *demo)
{
  Indirect *self = (Indirect *)demo;

  self->draws = vtr_app_demo_buffer (demo, "draws", 256, VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT);
  self->indices = vtr_app_demo_buffer (demo, "indices", 64, VK_BUFFER_USAGE_INDEX_BUFFER_BIT);
  for (uint32_t i = 0; i < 12; i++)
    ((uint32_t *)self->indices->mapped)[i] = i % 3 + i / 6;
}

/* Plain draws at 0, indexed ones at 64, their number at 192. */
static void
write_draws (Indirect *self)
{
  VtrAppDemo *demo = &self->demo;
  const VkDrawIndirectCommand plain[] = { { 3, 1, 0, 0 }, { 3, 1, 1 + demo->frame, 0 } };
  const VkDrawIndexedIndirectCommand indexed[] = { { 3, 1, 0, 0, 0 }, { 6, 1, 3, 1, 0 } };

  vtr_app_barrier (demo->commands);
  vkCmdUpdateBuffer (demo->commands, self->draws->buffer, 0, sizeof plain, plain);
  vkCmdUpdateBuffer (demo->commands, self->draws->buffer, 64, sizeof indexed, indexed);
  vkCmdFillBuffer (demo->commands, self->draws->buffer, 192, 4, 1 + demo->frame % 2);
  vtr_app_barrier (demo->commands);
}

static void
draw (VtrAppDemo *demo)
{
  Indirect *self = (Indirect *)demo;
  const VkBuffer draws = self->draws->buffer;

  write_draws (self);
  vtr_app_demo_begin_rendering (demo);
  vkCmdBindIndexBuffer (demo->commands, self->indices->buffer, 0, VK_INDEX_TYPE_UINT32);
  vtr_app_demo_triangle (demo, 1);
  vkCmdDrawIndirect (demo->commands, draws, 0, 2, sizeof (VkDrawIndirectCommand));
  if (vtr_app_demo_check (demo))
    {
      vtr_app_demo_triangle (demo, 3);
      vkCmdDrawIndexedIndirect (demo->commands, draws, 64, 2,
                                sizeof (VkDrawIndexedIndirectCommand));
    }
  if (vtr_app_demo_check (demo))
    {
      vtr_app_demo_triangle (demo, 5);
      vkCmdDrawIndirectCount (demo->commands, draws, 0, draws, 192, 2,
                              sizeof (VkDrawIndirectCommand));
      vtr_app_demo_triangle (demo, 6);
      vkCmdDrawIndexedIndirectCount (demo->commands, draws, 64, draws, 192, 2,
                                     sizeof (VkDrawIndexedIndirectCommand));
    }
  vtr_app_demo_check (demo);
  vtr_app_demo_end_rendering (demo);
}

int
main (int    argc,
      char **argv)
{
  Indirect self = { 0 };

  return vtr_app_demo_run (&self.demo,
                           &(VtrAppDemoInfo){ .what = "indirect draws with a count",
                                              .features = { .multiDrawIndirect = VK_TRUE },
                                              .features12 = { .drawIndirectCount = VK_TRUE },
                                              .start = start,
                                              .draw = draw },
                           argc, argv);
}
