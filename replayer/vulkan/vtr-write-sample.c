/* Fills rows of one sample of a multisampled image, to which nothing can be copied. */
#include "vtr-vk-transfer.h"
#include "vtr-utility.h"
#include "vtr-sample-driver.h"

static VtrSamplesRows
describe_rows (const VtrReplayWriteImage *write,
               const VtrReplayImage      *image)
{
  return (VtrSamplesRows){
    .part = { .image = VTR_HANDLE_FROM (VkImage, write->image),
              .format = (VkFormat)write->format,
              .aspect = (VkImageAspectFlagBits)write->aspect,
              .layer = write->layer,
              .width = image->extent.width,
              .height = image->extent.height },
    .samples = image->samples,
    .layout = (VkImageLayout)write->layout,
    .sample = write->sample,
    .y = write->y,
    .width = write->width,
    .height = write->height,
  };
}

bool
vtr_write_sample (VtrReplayVk               *vk,
                  VtrTable                  *table,
                  const VtrReplayWriteImage *write,
                  const VtrReplayImage      *image)
{
  const VtrSamplesRows rows = describe_rows (write, image);
  VkImageUsageFlags needed = write->aspect == VK_IMAGE_ASPECT_COLOR_BIT
                               ? VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT
                               : VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT;
  VkCommandBuffer commands = VK_NULL_HANDLE;
  VtrSamplesDriver driver;
  VtrSamplesWriter writer;
  VkResult result;
  bool ok;

  if ((image->usage & needed) == 0)
    {
      vtr_vm_fail (vk->vm, VTR_VM_ERROR_UNSUPPORTED,
                   "A multisampled image of format %u cannot be filled: it is no attachment.",
                   write->format);
      return false;
    }
  vtr_sample_driver_init (&driver, vk, table);
  result = vtr_samples_writer_init (&writer, &driver, &rows);
  if (result < 0)
    ok = vtr_replay_vk_failed (vk, "Preparing to fill a sample", result);
  else
    {
      commands = vtr_utility_begin (vk, table, 0);
      ok = commands != VK_NULL_HANDLE;
    }
  if (ok)
    {
      vtr_samples_writer_record (&writer, commands, table->utility.staging);
      ok = vtr_utility_run (vk, table, 0);
    }
  vtr_samples_writer_finish (&writer);
  return ok;
}
