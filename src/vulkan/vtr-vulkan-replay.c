/* Converts requests for texels between Vulkan's values and those of all APIs. */
#include "vulkan/vtr-vulkan-replay.h"

#include "vulkan/vtr-vulkan-formats.h"

#include "api/vtr-api-ids.h"

VtrReplayReadTexels
vtr_vulkan_texels_to_read (const VtrReplayReadImage *read)
{
  return (VtrReplayReadTexels){
    .owner = read->device,
    .stream = read->queue,
    .object = read->image,
    .kind = VTR_HANDLE_VkImage,
    .format = read->format,
    .pixel_aspect = vtr_vulkan_aspect_get (read->aspect),
    .word = read->layout,
    .samples = read->samples,
    .width = read->width,
    .height = read->height,
    .depth = read->depth,
    .level = read->mip,
    .layer = read->layer,
    .slice = read->slice,
    .sample = read->sample,
    .post = read->post,
  };
}

/* Numbers that no aspect has become none. */
static uint32_t
aspect_of (uint32_t aspect)
{
  return aspect < VTR_PIXEL_NO_ASPECT ? vtr_vulkan_aspect_of ((VtrPixelAspect)aspect) : 0;
}

VtrReplayReadImage
vtr_vulkan_image_to_read (const VtrReplayReadTexels *read)
{
  return (VtrReplayReadImage){
    .device = read->owner,
    .queue = read->stream,
    .image = read->object,
    .format = read->format,
    .aspect = aspect_of (read->pixel_aspect),
    .layout = read->word,
    .samples = read->samples,
    .width = read->width,
    .height = read->height,
    .depth = read->depth,
    .mip = read->level,
    .layer = read->layer,
    .slice = read->slice,
    .sample = read->sample,
    .post = read->post,
  };
}

VtrReplayWriteImage
vtr_vulkan_image_to_write (const VtrReplayWriteTexels *write)
{
  return (VtrReplayWriteImage){
    .device = write->owner,
    .image = write->object,
    .row_pitch = write->row_pitch,
    .depth_pitch = write->depth_pitch,
    .format = write->format,
    .aspect = aspect_of (write->pixel_aspect),
    .layout = write->word,
    .width = write->width,
    .height = write->height,
    .depth = write->depth,
    .x = write->x,
    .y = write->y,
    .z = write->z,
    .mip = write->level,
    .layer = write->layer,
    .sample = write->sample,
  };
}
