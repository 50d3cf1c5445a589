/* vtr-app-demo-sparse: buffers and images whose pages are placed one by one. A picture that streams
 * its tiles through a few pages, frame by frame, as virtual textures do; a volume with holes; an
 * image bound as a whole, moved; a buffer with a hole whose pages the program writes through its
 * mapping; two of each that share pages; resources whose memory has gone. Semaphores and fences
 * around the binds go from frame to frame.
 */
#include "vtr-app-demo-sparse.h"

#include <string.h>

#define CACHED 6u  /* tiles of the stream that are there at a time */
#define TILES 10u  /* of it: two layers of four, and one of the second level */
#define STAGED 4u  /* pages of texels */
#define SHOWN 512u /* bytes of each page that are copied */

/* The n-th tile of the stream. */
static VkSparseImageMemoryBind
get_streamed (const VtrSparse *self,
              uint32_t         n,
              VkDeviceMemory   memory,
              VkDeviceSize     offset)
{
  const uint32_t layer = n / 5, at = n % 5;

  if (at == 4)
    return vtr_sparse_tile (&self->stream, 1, layer, 0, 0, 0, memory, offset);
  return vtr_sparse_tile (&self->stream, 0, layer, at % 2, at / 2, 0, memory, offset);
}

/* --- Filling --------------------------------------------------------------------------------- */

/* Texels of its own for each tile that comes. */
static void
stage (VtrSparse *self,
       uint32_t   page)
{
  uint8_t *to = (uint8_t *)self->staging->mapped + (size_t)page * VTR_SPARSE_PAGE;

  for (uint32_t i = 0; i < VTR_SPARSE_PAGE / 4; i++)
    {
      const uint32_t word = vtr_app_random (&self->random);

      memcpy (to + (size_t)i * 4, &word, 4);
    }
}

/* Fills part of a level; the picture is in GENERAL. */
static void
fill (VtrSparse              *self,
      const VtrSparsePicture *picture,
      uint32_t                page,
      uint32_t                mip,
      uint32_t                layer,
      VkOffset3D              offset,
      VkExtent3D              extent)
{
  const VkBufferImageCopy region = {
    .bufferOffset = (VkDeviceSize)page * VTR_SPARSE_PAGE,
    .imageSubresource = { VK_IMAGE_ASPECT_COLOR_BIT, mip, layer, 1 },
    .imageOffset = offset,
    .imageExtent = extent,
  };

  vtr_app_barrier (self->demo.commands);
  vkCmdCopyBufferToImage (self->demo.commands, self->staging->buffer, picture->picture->image,
                          VK_IMAGE_LAYOUT_GENERAL, 1, &region);
  vtr_app_barrier (self->demo.commands);
}

static void
fill_tile (VtrSparse                     *self,
           const VtrSparsePicture        *picture,
           const VkSparseImageMemoryBind *tile,
           uint32_t                       page)
{
  fill (self, picture, page, tile->subresource.mipLevel, tile->subresource.arrayLayer,
        tile->offset, tile->extent);
}

static void
start_stream (VtrSparse *self)
{
  VkSparseImageMemoryBind tiles[CACHED];

  vtr_sparse_picture (self, &self->stream, "stream", VK_IMAGE_TYPE_2D, (VkExtent3D){ 256, 256, 1 },
                      4, 2,
                      VK_IMAGE_CREATE_SPARSE_RESIDENCY_BIT);
  if (self->stream.tile.width != 128 || self->stream.tile.height != 128)
    vtr_app_demo_skip ("tiles of 128 × 128");
  self->tiles = vtr_sparse_take (self, CACHED * VTR_SPARSE_PAGE);
  vtr_app_picture_to (self->demo.commands, self->stream.picture, VK_IMAGE_LAYOUT_GENERAL);
  for (uint32_t i = 0; i < CACHED; i++)
    tiles[i] = get_streamed (self, i, self->pool, self->tiles + i * VTR_SPARSE_PAGE);
  vtr_sparse_bind_tiles (self, &self->stream, CACHED, tiles);
  for (uint32_t i = 0; i < CACHED; i++)
    {
      stage (self, i % STAGED);
      fill_tile (self, &self->stream, &tiles[i], i % STAGED);
      if (i % STAGED == STAGED - 1)
        vtr_app_demo_flush (&self->demo);
    }
  /* The tail, or small tiles. */
  for (uint32_t mip = 2; mip < 4; mip++)
    for (uint32_t layer = 0; layer < 2; layer++)
      {
        VkSparseImageMemoryBind tile =
          vtr_sparse_tile (&self->stream, mip, layer, 0, 0, 0, self->pool, 0);

        tile.extent.width = tile.extent.height = 256u >> mip;
        if (mip < self->stream.tail)
          {
            tile.memoryOffset = vtr_sparse_take (self, VTR_SPARSE_PAGE);
            vtr_sparse_bind_tiles (self, &self->stream, 1, &tile);
          }
        fill (self, &self->stream, layer, mip, layer, (VkOffset3D){ 0, 0, 0 },
              (VkExtent3D){ 256u >> mip, 256u >> mip, 1 });
      }
  vtr_app_demo_flush (&self->demo);
}

/* Two of its four tiles are there. */
static void
start_volume (VtrSparse *self)
{
  VkSparseImageMemoryBind tiles[2];
  VkDeviceSize at = vtr_sparse_take (self, 2 * VTR_SPARSE_PAGE);

  vtr_sparse_picture (self, &self->volume, "volume", VK_IMAGE_TYPE_3D, (VkExtent3D){ 64, 64, 16 },
                      1, 1,
                      VK_IMAGE_CREATE_SPARSE_RESIDENCY_BIT);
  if (self->volume.tile.width != 32 || self->volume.tile.depth != 16)
    vtr_app_demo_skip ("tiles of 32 × 32 × 16");
  tiles[0] = vtr_sparse_tile (&self->volume, 0, 0, 1, 0, 0, self->pool, at);
  tiles[1] = vtr_sparse_tile (&self->volume, 0, 0, 0, 1, 0, self->pool, at + VTR_SPARSE_PAGE);
  vtr_sparse_bind_tiles (self, &self->volume, 2, tiles);
  vtr_app_picture_to (self->demo.commands, self->volume.picture, VK_IMAGE_LAYOUT_GENERAL);
  fill_tile (self, &self->volume, &tiles[0], 1);
  fill_tile (self, &self->volume, &tiles[1], 2);
}

static void
start_twins (VtrSparse *self)
{
  const VkDeviceSize at = vtr_sparse_take (self, VTR_SPARSE_PAGE);

  for (uint32_t i = 0; i < 2; i++)
    {
      VkSparseImageMemoryBind tile;

      vtr_sparse_picture (self, &self->twins[i], i == 0 ? "twin" : "other twin", VK_IMAGE_TYPE_2D,
                          (VkExtent3D){ 128, 128, 1 }, 1, 1,
                          VK_IMAGE_CREATE_SPARSE_RESIDENCY_BIT |
                            VK_IMAGE_CREATE_SPARSE_ALIASED_BIT);
      tile = vtr_sparse_tile (&self->twins[i], 0, 0, 0, 0, 0, self->pool, at);
      vtr_sparse_bind_tiles (self, &self->twins[i], 1, &tile);
      vtr_app_picture_to (self->demo.commands, self->twins[i].picture, VK_IMAGE_LAYOUT_GENERAL);
    }
  fill (self, &self->twins[0], 3, 0, 0, (VkOffset3D){ 0, 0, 0 }, (VkExtent3D){ 128, 128, 1 });
}

static void
start_buffers (VtrSparse *self)
{
  self->shared_page = vtr_sparse_take (self, VTR_SPARSE_PAGE);
  vtr_sparse_bind_buffer (self, self->holes, 0, VTR_SPARSE_PAGE, self->mapped, 0);
  vtr_sparse_bind_buffer (self, self->holes, 3 * VTR_SPARSE_PAGE, VTR_SPARSE_PAGE, self->pool,
                          self->shared_page);
  self->alias =
    vtr_sparse_buffer (self, "alias", 2 * VTR_SPARSE_PAGE, VK_BUFFER_CREATE_SPARSE_ALIASED_BIT);
  vtr_sparse_bind_buffer (self, self->alias, 0, VTR_SPARSE_PAGE, self->pool, self->shared_page);
  vtr_sparse_bind_buffer (self, self->alias, VTR_SPARSE_PAGE, VTR_SPARSE_PAGE, self->mapped,
                          3 * VTR_SPARSE_PAGE);
  vkCmdFillBuffer (self->demo.commands, self->alias, 0, VTR_SPARSE_PAGE, 0x01020304);
}

/* Half of it is in memory that was freed; nothing reads it. */
static void
start_ghost (VtrSparse *self)
{
  const VkDevice device = self->demo.scene.gpu.device;
  VkMemoryRequirements wants;
  VkDeviceMemory memory;

  self->ghost = vtr_sparse_buffer (self, NULL, 2 * VTR_SPARSE_PAGE, 0);
  vkGetBufferMemoryRequirements (device, self->ghost, &wants);
  wants.size = VTR_SPARSE_PAGE;
  memory = vtr_app_allocate (&self->demo.scene.gpu, &wants, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
  vtr_sparse_bind_buffer (self, self->ghost, 0, VTR_SPARSE_PAGE, memory, 0);
  vtr_sparse_bind_buffer (self, self->ghost, VTR_SPARSE_PAGE, VTR_SPARSE_PAGE, self->pool,
                          vtr_sparse_take (self, VTR_SPARSE_PAGE));
  vkFreeMemory (device, memory, NULL);
}

static void
start (VtrAppDemo *demo)
{
  const VkFenceCreateInfo fence = { .sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO };
  VtrSparse *self = (VtrSparse *)demo;

  self->random = 5;
  vtr_app_check (vkCreateFence (demo->scene.gpu.device, &fence, NULL, &self->fence),
                 "vkCreateFence");
  self->bound = vtr_sparse_semaphore (self, VK_SEMAPHORE_TYPE_BINARY);
  self->left = vtr_sparse_semaphore (self, VK_SEMAPHORE_TYPE_BINARY);
  self->line = vtr_sparse_semaphore (self, VK_SEMAPHORE_TYPE_TIMELINE);
  self->staging = vtr_app_demo_buffer (demo, "staging", (STAGED + 1) * VTR_SPARSE_PAGE, 0);
  self->copied = vtr_app_demo_buffer (demo, "copied", 6 * SHOWN, 0);
  self->holes =
    vtr_sparse_buffer (self, "holes", 4 * VTR_SPARSE_PAGE, VK_BUFFER_CREATE_SPARSE_ALIASED_BIT);
  vtr_sparse_memory (self);
  start_stream (self);
  start_volume (self);
  start_twins (self);
  start_buffers (self);
  start_ghost (self);
  self->whole_size = vtr_sparse_picture (self, &self->whole, "whole", VK_IMAGE_TYPE_2D,
                                         (VkExtent3D){ 128, 160, 1 }, 1, 1, 0);
  for (uint32_t i = 0; i < 2; i++)
    self->whole_pages[i] = vtr_sparse_take (self, self->whole_size);
  vtr_app_demo_flush (demo);
}

/* --- Frames ---------------------------------------------------------------------------------- */

/* What the last frame left, it waits for; it leaves a semaphore to the next. */
static void
bind_frame (VtrSparse                     *self,
            const VkSparseImageMemoryBind *tiles)
{
  VtrAppGpu *gpu = &self->demo.scene.gpu;
  const uint32_t frame = self->demo.frame;
  const VkDeviceSize half = self->whole_size / 2 / VTR_SPARSE_PAGE * VTR_SPARSE_PAGE;
  const VkDeviceSize at = self->whole_pages[frame % 2];
  const VkSparseImageMemoryBindInfo images = { self->stream.picture->image, 2, tiles };
  const VkSparseMemoryBind pages[] = {
    { 2 * VTR_SPARSE_PAGE, VTR_SPARSE_PAGE, self->mapped, (1 + frame % 2) * VTR_SPARSE_PAGE, 0 },
    { VTR_SPARSE_PAGE, VTR_SPARSE_PAGE, VK_NULL_HANDLE, 0, 0 },
  };
  const VkSparseBufferMemoryBindInfo buffers = { self->holes, 2, pages };
  const VkSparseMemoryBind halves[] = {
    { 0, half, self->pool, at, 0 },
    { half, self->whole_size - half, self->pool, at + half, 0 },
  };
  const VkSparseImageOpaqueMemoryBindInfo opaque = { self->whole.picture->image, 2, halves };
  const uint64_t waits[] = { 0, frame }, signals[] = { 0, frame + 1 };
  const VkSemaphore waited[] = { self->left, self->line };
  const VkSemaphore signalled[] = { self->bound, self->line };
  const VkTimelineSemaphoreSubmitInfo values[] = {
    { .sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO,
      .waitSemaphoreValueCount = 2,
      .pWaitSemaphoreValues = waits },
    { .sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO,
      .signalSemaphoreValueCount = 2,
      .pSignalSemaphoreValues = signals },
  };
  const VkBindSparseInfo infos[] = {
    { .sType = VK_STRUCTURE_TYPE_BIND_SPARSE_INFO,
      .pNext = frame > 0 ? &values[0] : NULL,
      .waitSemaphoreCount = frame > 0 ? 2 : 0,
      .pWaitSemaphores = waited,
      .bufferBindCount = 1,
      .pBufferBinds = &buffers,
      .signalSemaphoreCount = 1,
      .pSignalSemaphores = &self->left },
    { .sType = VK_STRUCTURE_TYPE_BIND_SPARSE_INFO,
      .pNext = &values[1],
      .imageOpaqueBindCount = 1,
      .pImageOpaqueBinds = &opaque,
      .imageBindCount = 1,
      .pImageBinds = &images,
      .signalSemaphoreCount = 2,
      .pSignalSemaphores = signalled },
  };
  const VkPipelineStageFlags stage = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
  const VkSubmitInfo submit = { .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                                .waitSemaphoreCount = 1,
                                .pWaitSemaphores = &self->bound,
                                .pWaitDstStageMask = &stage };

  vtr_app_check (vkQueueBindSparse (gpu->queue, 2, infos, VK_NULL_HANDLE), "vkQueueBindSparse");
  vtr_app_check (vkQueueSubmit (gpu->queue, 1, &submit, self->fence), "vkQueueSubmit");
  vtr_app_check (vkWaitForFences (gpu->device, 1, &self->fence, VK_TRUE, UINT64_MAX),
                 "vkWaitForFences");
  vtr_app_check (vkResetFences (gpu->device, 1, &self->fence), "vkResetFences");
}

/* A buffer whose memory goes first, a frame later. */
static void
make_brief (VtrSparse      *self,
            VtrSparseBrief *brief)
{
  const VkDevice device = self->demo.scene.gpu.device;
  VkMemoryRequirements wants;

  vkFreeMemory (device, brief->memory, NULL);
  vkDestroyBuffer (device, brief->buffer, NULL);
  brief->buffer = vtr_sparse_buffer (self, NULL, 2 * VTR_SPARSE_PAGE, 0);
  vkGetBufferMemoryRequirements (device, brief->buffer, &wants);
  wants.size = VTR_SPARSE_PAGE;
  brief->memory =
    vtr_app_allocate (&self->demo.scene.gpu, &wants, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
  vtr_sparse_bind_buffer (self, brief->buffer, VTR_SPARSE_PAGE, VTR_SPARSE_PAGE, brief->memory, 0);
  vkCmdFillBuffer (self->demo.commands, brief->buffer, VTR_SPARSE_PAGE, VTR_SPARSE_PAGE,
                   77 * self->demo.frame);
}

static void
copy_bytes (VtrSparse    *self,
            VkBuffer      from,
            VkDeviceSize  offset,
            uint32_t      nth)
{
  const VkBufferCopy region = { offset, (VkDeviceSize)nth * SHOWN, SHOWN };

  vkCmdCopyBuffer (self->demo.commands, from, self->copied->buffer, 1, &region);
}

static void
draw_buffers (VtrSparse *self)
{
  const VkCommandBuffer commands = self->demo.commands;
  const uint32_t frame = self->demo.frame;
  VtrSparseBrief *old = &self->briefs[1 - frame % 2];

  make_brief (self, &self->briefs[frame % 2]);
  vtr_app_barrier (commands);
  vkCmdFillBuffer (commands, self->holes, 2 * VTR_SPARSE_PAGE + 256, 128, 0xabcd0000 + frame);
  vkCmdFillBuffer (commands, self->alias, 8 * (frame % 1024), 64, 0x11110000 + frame);
  vtr_app_barrier (commands);
  copy_bytes (self, self->holes, 0, 0);
  copy_bytes (self, self->holes, 2 * VTR_SPARSE_PAGE, 1);
  copy_bytes (self, self->holes, 3 * VTR_SPARSE_PAGE, 2);
  copy_bytes (self, self->alias, VTR_SPARSE_PAGE, 3);
  if (old->buffer != VK_NULL_HANDLE)
    copy_bytes (self, old->buffer, VTR_SPARSE_PAGE, 4);
  if (self->holes != VK_NULL_HANDLE && frame % 2 == 1)
    copy_bytes (self, self->holes, 2 * VTR_SPARSE_PAGE - SHOWN / 2, 5);
  vtr_app_barrier (commands);
}

/* The tile that came, a corner of what is long there, and some of each other picture. */
static void
show (VtrSparse              *self,
      const VtrSparsePicture *picture,
      uint32_t                mip,
      uint32_t                layer,
      VkOffset3D              offset,
      uint32_t                nth)
{
  const VkImageCopy region = {
    .srcSubresource = { VK_IMAGE_ASPECT_COLOR_BIT, mip, layer, 1 },
    .srcOffset = offset,
    .dstSubresource = { VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1 },
    .dstOffset = { (int32_t)(nth % 4 * 16), (int32_t)(nth / 4 * 16), 0 },
    .extent = { 16, 16, 1 },
  };

  vtr_app_barrier (self->demo.commands);
  vkCmdCopyImage (self->demo.commands, picture->picture->image, VK_IMAGE_LAYOUT_GENERAL,
                  self->demo.color->image, VK_IMAGE_LAYOUT_GENERAL, 1, &region);
  vtr_app_barrier (self->demo.commands);
}

static void
draw_pictures (VtrSparse                     *self,
               const VkSparseImageMemoryBind *tile)
{
  VtrAppDemo *demo = &self->demo;
  const VkSparseImageMemoryBind kept =
    get_streamed (self, (demo->frame + 3) % TILES, self->pool, 0);

  stage (self, demo->frame % STAGED);
  fill_tile (self, &self->stream, tile, demo->frame % STAGED);
  self->whole.picture->layout = VK_IMAGE_LAYOUT_UNDEFINED;
  vtr_app_picture_to (demo->commands, self->whole.picture, VK_IMAGE_LAYOUT_GENERAL);
  fill (self, &self->whole, (demo->frame + 1) % STAGED, 0, 0, (VkOffset3D){ 0, 0, 0 },
        (VkExtent3D){ 128, 160, 1 });
  if (!vtr_app_demo_check (demo))
    return;
  show (self, &self->stream, tile->subresource.mipLevel, tile->subresource.arrayLayer,
        tile->offset, 0);
  show (self, &self->stream, kept.subresource.mipLevel, kept.subresource.arrayLayer,
        kept.offset, 1);
  show (self, &self->stream, 3, 1, (VkOffset3D){ 8, 8, 0 }, 2);
  show (self, &self->volume, 0, 0, (VkOffset3D){ 40, 8, (int32_t)(demo->frame % 16) }, 3);
  show (self, &self->volume, 0, 0, (VkOffset3D){ 8, 40, (int32_t)(demo->frame % 16) }, 4);
  show (self, &self->whole, 0, 0, (VkOffset3D){ 20, 140, 0 }, 5);
  show (self, &self->twins[1], 0, 0, (VkOffset3D){ 16, (int32_t)(8 * demo->frame) % 64, 0 }, 6);
}

static void
draw (VtrAppDemo *demo)
{
  VtrSparse *self = (VtrSparse *)demo;
  const uint32_t frame = demo->frame;
  const VkDeviceSize page = self->tiles + frame % CACHED * VTR_SPARSE_PAGE;
  const VkSparseImageMemoryBind tiles[] = {
    get_streamed (self, frame % TILES, VK_NULL_HANDLE, 0),
    get_streamed (self, (frame + CACHED) % TILES, self->pool, page),
  };

  /* Through the mapping, in every page. */
  for (uint32_t i = 0; i < 4; i++)
    memset (self->map + (size_t)i * VTR_SPARSE_PAGE + 16 * (frame % 1024),
            (int)(0x30 + 4 * frame + i), 40);
  bind_frame (self, tiles);
  draw_pictures (self, &tiles[1]);
  if (demo->scene.stopped)
    return;
  draw_buffers (self);
  vtr_app_demo_check (demo);
}

/* --- The end --------------------------------------------------------------------------------- */

static void
write_buffer (VtrSparse  *self,
              const char *text,
              VkBuffer    buffer)
{
  VtrAppBuffer bytes = vtr_app_buffer (&self->demo.scene.gpu, VTR_SPARSE_PAGE,
                                       VK_BUFFER_USAGE_TRANSFER_DST_BIT,
                                       VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT |
                                         VK_MEMORY_PROPERTY_HOST_COHERENT_BIT);
  const VkBufferCopy region = { 0, 0, VTR_SPARSE_PAGE };
  VkCommandBuffer commands = vtr_app_scene_begin (&self->demo.scene);

  vtr_app_barrier (commands);
  vkCmdCopyBuffer (commands, buffer, bytes.buffer, 1, &region);
  vtr_app_barrier (commands);
  vtr_app_scene_submit (&self->demo.scene, commands);
  vtr_app_demo_write_buffer (&self->demo, text, &bytes);
  vtr_app_buffer_finish (&self->demo.scene.gpu, &bytes);
}

static void
finish (VtrAppDemo *demo)
{
  VtrSparse *self = (VtrSparse *)demo;
  VtrAppScene *scene = &demo->scene;
  const VkDevice device = scene->gpu.device;

  if (scene->output != NULL)
    {
      write_buffer (self, "holes", self->holes);
      write_buffer (self, "alias", self->alias);
      vtr_app_scene_read_back (scene);
      scene->output = NULL;
    }
  for (uint32_t i = 0; i < 2; i++)
    {
      vkFreeMemory (device, self->briefs[i].memory, NULL);
      vkDestroyBuffer (device, self->briefs[i].buffer, NULL);
    }
  vkDestroyBuffer (device, self->holes, NULL);
  vkDestroyBuffer (device, self->alias, NULL);
  vkDestroyBuffer (device, self->ghost, NULL);
  vkDestroyFence (device, self->fence, NULL);
  vkFreeMemory (device, self->mapped, NULL);
  vkFreeMemory (device, self->pool, NULL);
}

int
main (int    argc,
      char **argv)
{
  VtrSparse self = { 0 };

  return vtr_app_demo_run (
    &self.demo,
    &(VtrAppDemoInfo){ .what = "sparse memory",
                       .features = { .sparseBinding = VK_TRUE,
                                     .sparseResidencyBuffer = VK_TRUE,
                                     .sparseResidencyImage2D = VK_TRUE,
                                     .sparseResidencyImage3D = VK_TRUE,
                                     .sparseResidencyAliased = VK_TRUE },
                       .features12 = { .timelineSemaphore = VK_TRUE },
                       .start = start,
                       .draw = draw,
                       .finish = finish },
    argc, argv);
}
