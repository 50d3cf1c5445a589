/* Reads one sample of a multisampled image, also of depth and stencil. */
#include "vtr-vk-transfer.h"
#include "vtr-utility.h"
#include "vtr-sample-driver.h"

typedef struct
{
  VtrReplayVk *vk;
  VtrTable *table;
  const VtrReplayReadImage *read;
  bool color;
} Job;

/* The requested queue if its family can run the shader, otherwise the replayer's own. */
static uint64_t
choose_queue (const Job *job)
{
  const VtrReplayObject *queue = vtr_objects_find (job->vk, VTR_HANDLE_VkQueue, job->read->queue);
  VkQueueFlags need = job->color ? VK_QUEUE_GRAPHICS_BIT : VK_QUEUE_COMPUTE_BIT;

  if (queue == NULL || queue->table != job->table ||
      queue->info.queue_family >= job->table->n_families ||
      (job->table->families[queue->info.queue_family].queueFlags & need) == 0)
    return 0;
  return job->read->queue;
}

/* Has the CPU see what was read. */
static void
make_visible (const Job       *job,
              VkCommandBuffer  commands)
{
  const VkMemoryBarrier barrier = {
    .sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
    .srcAccessMask = job->color ? VK_ACCESS_TRANSFER_WRITE_BIT : VK_ACCESS_SHADER_WRITE_BIT,
    .dstAccessMask = VK_ACCESS_HOST_READ_BIT,
  };

  VTR_CALL (job->vk, job->table, vkCmdPipelineBarrier)
  (commands,
   job->color ? VK_PIPELINE_STAGE_TRANSFER_BIT : VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
   VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &barrier, 0, NULL, 0, NULL);
}

static bool
read_through (VtrSamplesReader *reader,
              const Job        *job)
{
  const VtrReplayReadImage *read = job->read;
  VkImageLayout layout = read->layout == VK_IMAGE_LAYOUT_GENERAL
                           ? VK_IMAGE_LAYOUT_GENERAL
                           : VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL;
  const VtrSamplesPart part = {
    .image = VTR_HANDLE_FROM (VkImage, read->image),
    .format = (VkFormat)read->format,
    .aspect = (VkImageAspectFlagBits)read->aspect,
    .mip = read->mip,
    .layer = read->layer,
    .width = read->width,
    .height = read->height,
  };
  uint64_t queue = choose_queue (job);
  VtrSamplesDriver driver;
  VkCommandBuffer commands;
  VkResult result;

  vtr_sample_driver_init (&driver, job->vk, job->table);
  result =
    vtr_samples_reader_init (reader, &driver, &part, layout, job->table->utility.staging);
  if (result < 0)
    return vtr_replay_vk_failed (job->vk, "Preparing to read a sample", result);
  commands = vtr_utility_begin (job->vk, job->table, queue);
  if (commands == VK_NULL_HANDLE)
    return false;
  vtr_read_barrier (job->vk, job->table, commands, read, layout, false);
  vtr_samples_reader_record (reader, commands, read->sample == UINT32_MAX ? 0 : read->sample, 0,
                             read->height, 0);
  make_visible (job, commands);
  vtr_read_barrier (job->vk, job->table, commands, read, layout, true);
  return vtr_utility_run (job->vk, job->table, queue);
}

bool
vtr_read_sample (VtrReplayVk              *vk,
                 VtrTable                 *table,
                 const VtrReplayReadImage *read,
                 uint64_t                  size)
{
  const Job job = { vk, table, read, read->aspect == VK_IMAGE_ASPECT_COLOR_BIT };
  const VtrReplayObject *image = vtr_objects_find (vk, VTR_HANDLE_VkImage, read->image);
  uint64_t n_texels = (uint64_t)read->width * read->height;
  VtrSamplesReader reader;
  bool fine;

  if (image == NULL || (image->info.image.usage & VK_IMAGE_USAGE_SAMPLED_BIT) == 0)
    {
      vtr_vm_fail (vk->vm, VTR_VM_ERROR_UNSUPPORTED,
                   "Single samples of this image cannot be read: its format cannot be sampled.");
      return false;
    }
  if (read->sample != UINT32_MAX && read->sample >= read->samples)
    {
      vtr_vm_fail (vk->vm, VTR_VM_ERROR_PAYLOAD, "The image has no sample %u.", read->sample);
      return false;
    }
  if (!vtr_utility_stage (vk, table, n_texels * 4 > size ? n_texels * 4 : size))
    return false;
  fine = read_through (&reader, &job) && vtr_utility_collect (vk, table);
  if (fine && !job.color)
    vtr_samples_pack (reader.part.format, reader.part.aspect, n_texels,
                      table->utility.staging_map);
  vtr_samples_reader_finish (&reader);
  return fine;
}
