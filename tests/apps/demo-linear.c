/* vtr-app-demo-linear: images with linear tiling that the program writes with their row pitch,
 * that copies and draws write, and that the program reads. */
#include "vtr-app-demo.h"

#define WIDTH 37u
#define HEIGHT 19u

typedef struct
{
  VtrAppDemo demo;
  VtrAppPicture *written, *drawn;
  void *maps[2];
} Linear;

static VtrAppPicture *
make_picture (Linear            *self,
              uint32_t           nth,
              const char        *name,
              VkImageUsageFlags  usage)
{
  VtrAppScene *scene = &self->demo.scene;
  VtrAppPicture *picture =
    vtr_app_picture (scene, &(VtrAppPictureInfo){
                              .name = name,
                              .format = VTR_APP_DEMO_FORMAT,
                              .extent = { WIDTH, HEIGHT, 1 },
                              .usage = usage,
                              .tiling = VK_IMAGE_TILING_LINEAR,
                              .initial = VK_IMAGE_LAYOUT_PREINITIALIZED,
                              .memory = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT |
                                        VK_MEMORY_PROPERTY_HOST_COHERENT_BIT });

  vtr_app_check (vkMapMemory (scene->gpu.device, picture->memory, 0, VK_WHOLE_SIZE, 0,
                              &self->maps[nth]),
                 "vkMapMemory");
  return picture;
}

static uint8_t *
row (Linear        *self,
     VtrAppPicture *picture,
     uint32_t       y)
{
  const VkImageSubresource whole = { VK_IMAGE_ASPECT_COLOR_BIT, 0, 0 };
  VkSubresourceLayout layout;

  vkGetImageSubresourceLayout (self->demo.scene.gpu.device, picture->image, &whole, &layout);
  return (uint8_t *)self->maps[picture == self->drawn] + layout.offset + y * layout.rowPitch;
}

static void
write_rows (Linear   *self,
            uint32_t  first,
            uint32_t  end,
            uint32_t  seed)
{
  for (uint32_t y = first; y < end; y++)
    for (uint32_t i = 0; i < WIDTH * 4; i++)
      row (self, self->written, y)[i] = (uint8_t)(i * 3 + y * 17 + seed * 29);
}

static void
start (VtrAppDemo *demo)
{
  Linear *self = (Linear *)demo;
  VkFormatProperties properties;

  vkGetPhysicalDeviceFormatProperties (demo->scene.gpu.physical, VTR_APP_DEMO_FORMAT, &properties);
  if ((properties.linearTilingFeatures & VK_FORMAT_FEATURE_COLOR_ATTACHMENT_BIT) == 0)
    vtr_app_demo_skip ("drawing to linear images");
  self->written = make_picture (self, 0, "written", VK_IMAGE_USAGE_SAMPLED_BIT);
  self->drawn = make_picture (self, 1, "drawn", VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT);
  write_rows (self, 0, HEIGHT, 0);
  vtr_app_picture_to (demo->commands, self->written, VK_IMAGE_LAYOUT_GENERAL);
  vtr_app_picture_clear (demo->commands, self->drawn, 0.5f);
}

static void
draw (VtrAppDemo *demo)
{
  Linear *self = (Linear *)demo;
  const VkImageCopy region = {
    .srcSubresource = { VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1 },
    .dstSubresource = { VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1 },
    .dstOffset = { 3 + (int32_t)demo->frame, 5, 0 },
    .extent = { WIDTH, HEIGHT, 1 },
  };

  vtr_app_barrier (demo->commands);
  vkCmdCopyImage (demo->commands, self->written->image, VK_IMAGE_LAYOUT_GENERAL,
                  demo->color->image, VK_IMAGE_LAYOUT_GENERAL, 1, &region);
  if (!vtr_app_demo_check (demo))
    return;
  vtr_app_demo_render_to (demo, 1, &self->drawn, NULL, false);
  vkCmdBindPipeline (demo->commands, VK_PIPELINE_BIND_POINT_GRAPHICS, demo->pipeline);
  vtr_app_demo_triangle (demo, 2);
  vtr_app_demo_check (demo);
  vtr_app_demo_triangle (demo, 4);
  vtr_app_demo_end_rendering (demo);
  if (demo->scene.stopped)
    return;
  vtr_app_demo_flush (demo);
  /* From one to the other, by the program. */
  write_rows (self, 4, 9, demo->frame + 1);
  for (uint32_t i = 0; i < WIDTH * 4; i++)
    row (self, self->written, 11)[i] = row (self, self->drawn, 9)[i];
}

int
main (int    argc,
      char **argv)
{
  Linear self = { 0 };

  return vtr_app_demo_run (&self.demo,
                           &(VtrAppDemoInfo){ .what = "linear images",
                                              .start = start,
                                              .draw = draw },
                           argc, argv);
}
