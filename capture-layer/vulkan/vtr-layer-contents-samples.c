/* Reads multisampled images, which cannot be copied, sample by sample with the code of
 * src/vulkan. */
#include "vtr-layer-contents-private.h"

#include "vulkan/vtr-vulkan-samples.h"

typedef struct
{
  VtrContents *contents;
  const VtrContentsPart *whole; /* the subresource, sample 0 */
  VkImageAspectFlags aspects;   /* of barriers */
  VkImageLayout layout;         /* that it is read in */
  size_t queue;
  bool color;
  VtrSamplesReader reader;
} Reading;

/* The driver's functions, so that the objects made here are not recorded. */
static VtrSamplesDriver
get_driver (const VtrLayerDevice *device)
{
#define FILL_IN(name) .name = device->next.name,
  return (VtrSamplesDriver){
    .device = device->handle,
    .memory = &device->memory.properties,
    VTR_SAMPLES_COMMANDS (FILL_IN)
  };
#undef FILL_IN
}

void
vtr_contents_pack_samples (VtrContentsPart *part,
                           uint8_t         *bytes)
{
  uint64_t n = (uint64_t)part->width * part->height;

  part->size = n * vtr_samples_pack (part->image->info.format, part->aspect, n, bytes);
  part->words = false;
}

static bool
read_part (Reading               *self,
           const VtrContentsPart *wanted)
{
  VtrContentsPart part = *wanted;
  VkCommandBuffer commands = vtr_contents_begin (self->contents, self->queue, &part);

  if (commands == VK_NULL_HANDLE)
    return false;
  vtr_contents_put_barrier (self->contents, commands, &part, self->aspects, part.layout,
                            self->layout);
  vtr_samples_reader_record (&self->reader, commands, part.sample, part.y, part.height,
                             (uint32_t)part.at);
  vtr_contents_put_barrier (self->contents, commands, &part, self->aspects, self->layout,
                            part.layout);
  return true;
}

static bool
read_all (Reading *self)
{
  for (uint32_t i = 0; i < (uint32_t)self->whole->image->info.samples; i++)
    {
      VtrContentsPart sample = *self->whole;
      VtrContentsPart part = { 0 };

      sample.sample = i;
      sample.words = !self->color;
      while (vtr_contents_next_part (&sample, VTR_CONTENTS_STAGING, &part))
        if (!read_part (self, &part))
          return false;
    }
  return vtr_contents_run (self->contents);
}

static VkResult
make_reader (Reading *self)
{
  const VtrContentsPart *whole = self->whole;
  const VtrSamplesDriver driver = get_driver (self->contents->device);
  const VtrSamplesPart part = {
    .image = whole->image->image,
    .format = whole->image->info.format,
    .aspect = whole->aspect,
    .layer = whole->layer,
    .width = whole->width,
    .height = whole->height,
  };

  return vtr_samples_reader_init (&self->reader, &driver, &part, self->layout,
                                  self->contents->gpu.staging.readback.buffer);
}

bool
vtr_contents_read_samples (VtrContents           *contents,
                           size_t                 queue,
                           const VtrContentsPart *whole,
                           VkImageAspectFlags     aspects)
{
  VtrContentsPart wide = *whole;
  Reading self = {
    .contents = contents,
    .whole = &wide,
    .aspects = aspects,
    .layout = whole->layout == VK_IMAGE_LAYOUT_GENERAL ? VK_IMAGE_LAYOUT_GENERAL
                                                       : VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL,
    .queue = queue,
    .color = whole->aspect == VK_IMAGE_ASPECT_COLOR_BIT,
  };
  bool ok = true;

  /* The shader writes a word for each texel, all of them at once. */
  if (!self.color)
    wide.size = (uint64_t)whole->width * whole->height * 4;
  if (!self.color && wide.size > VTR_CONTENTS_STAGING)
    {
      vtr_contents_leave_out (contents, "it is too large to be read by sample");
      return true;
    }
  if (!vtr_contents_prepare (contents))
    return false;
  if (make_reader (&self) >= 0)
    ok = read_all (&self);
  else
    vtr_contents_leave_out (contents, "the driver could not make what reads single samples");
  if (!contents->gpu.lost)
    vtr_samples_reader_finish (&self.reader);
  return ok;
}
