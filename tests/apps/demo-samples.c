/* vtr-app-demo-samples: multisampled images to which nothing draws: cleared and copied to, as
 * programs do with placeholders. */
#include "vtr-app-demo.h"

#define SIZE 24u

typedef struct
{
  VtrAppDemo demo;
  VtrAppPicture *cleared, *copied;
} Samples;

static VtrAppPicture *
make_picture (Samples    *self,
              const char *name,
              float       value)
{
  VtrAppPicture *picture =
    vtr_app_picture (&self->demo.scene, &(VtrAppPictureInfo){ .name = name,
                                                              .format = VTR_APP_DEMO_FORMAT,
                                                              .extent = { SIZE, SIZE, 1 },
                                                              .samples = VK_SAMPLE_COUNT_4_BIT });

  vtr_app_picture_clear (self->demo.commands, picture, value);
  return picture;
}

static void
copy (Samples *self,
      int32_t  x)
{
  const VkImageCopy region = {
    .srcSubresource = { VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1 },
    .dstSubresource = { VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1 },
    .dstOffset = { x, x, 0 },
    .extent = { 5, 3, 1 },
  };

  vtr_app_barrier (self->demo.commands);
  vkCmdCopyImage (self->demo.commands, self->cleared->image, VK_IMAGE_LAYOUT_GENERAL,
                  self->copied->image, VK_IMAGE_LAYOUT_GENERAL, 1, &region);
  vtr_app_barrier (self->demo.commands);
}

static void
start (VtrAppDemo *demo)
{
  Samples *self = (Samples *)demo;

  self->cleared = make_picture (self, "cleared", 0.3f);
  self->copied = make_picture (self, "copied", 0.8f);
  copy (self, 1);
}

static void
draw (VtrAppDemo *demo)
{
  Samples *self = (Samples *)demo;
  const VkImageResolve region = {
    .srcSubresource = { VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1 },
    .dstSubresource = { VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1 },
    .dstOffset = { 3 + (int32_t)demo->frame, 5, 0 },
    .extent = { SIZE, SIZE, 1 },
  };

  copy (self, 4 + (int32_t)demo->frame);
  if (!vtr_app_demo_check (demo))
    return;
  vkCmdResolveImage (demo->commands, self->copied->image, VK_IMAGE_LAYOUT_GENERAL,
                     demo->color->image, VK_IMAGE_LAYOUT_GENERAL, 1, &region);
  vtr_app_demo_check (demo);
}

int
main (int    argc,
      char **argv)
{
  Samples self = { 0 };

  return vtr_app_demo_run (&self.demo,
                           &(VtrAppDemoInfo){ .what = "multisampled images without drawing",
                                              .start = start,
                                              .draw = draw },
                           argc, argv);
}
