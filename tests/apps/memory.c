/* vtr-app-memory: a headless program that uses memory in unusual ways.
 *
 * Buffers that share bytes, alive at the same time and one after the other; bytes written before
 * anything is bound; many buffers in one allocation; a linear image written row by row through its
 * mapping; two images in one place; memory that nothing is bound to; a dedicated allocation. All of
 * it ends up in one result buffer. */
#include "vtr-app.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SIZE 65536u
#define PART 8192u
#define SIDE 40u
#define RESULT (64 * PART)

/* Buffers that overlap lie so far apart that any device can repeat it. */
#define STEP 65536u
#define N_STEPS 16u
#define N_GUESTS 12u

typedef struct
{
  VtrAppGpu gpu;
  VtrAppBuffer result;
  VkCommandBuffer commands;
  uint32_t part; /* of the result, written next */
} Memory;

static uint32_t
find_type (const Memory          *self,
           uint32_t               bits,
           VkMemoryPropertyFlags  flags)
{
  for (uint32_t i = 0; i < self->gpu.memory.memoryTypeCount; i++)
    if ((bits >> i & 1) != 0 && (self->gpu.memory.memoryTypes[i].propertyFlags & flags) == flags)
      return i;
  vtr_app_fail ("there is no memory type with flags 0x%x", flags);
}

static VkBuffer
make_buffer (Memory       *self,
             VkDeviceSize  size)
{
  const VkBufferCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
    .size = size,
    .usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT,
  };
  VkBuffer buffer;

  vtr_app_check (vkCreateBuffer (self->gpu.device, &info, NULL, &buffer), "vkCreateBuffer");
  return buffer;
}

static VkImage
make_image (Memory             *self,
            VkImageTiling       tiling,
            VkImageCreateFlags  flags)
{
  const VkImageCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
    .flags = flags,
    .imageType = VK_IMAGE_TYPE_2D,
    .format = VK_FORMAT_R8G8B8A8_UNORM,
    .extent = { SIDE, SIDE, 1 },
    .mipLevels = 1,
    .arrayLayers = 1,
    .samples = VK_SAMPLE_COUNT_1_BIT,
    .tiling = tiling,
    .usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT,
    .initialLayout = tiling == VK_IMAGE_TILING_LINEAR ? VK_IMAGE_LAYOUT_PREINITIALIZED
                                                      : VK_IMAGE_LAYOUT_UNDEFINED,
  };
  VkImage image;

  vtr_app_check (vkCreateImage (self->gpu.device, &info, NULL, &image), "vkCreateImage");
  return image;
}

static VkDeviceMemory
allocate (Memory       *self,
          VkDeviceSize  size,
          uint32_t      type,
          const void   *next)
{
  const VkMemoryAllocateInfo info = {
    .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
    .pNext = next,
    .allocationSize = size,
    .memoryTypeIndex = type,
  };
  VkDeviceMemory memory;

  vtr_app_check (vkAllocateMemory (self->gpu.device, &info, NULL, &memory), "vkAllocateMemory");
  return memory;
}

static uint8_t *
map (Memory         *self,
     VkDeviceMemory  memory)
{
  void *data;

  vtr_app_check (vkMapMemory (self->gpu.device, memory, 0, VK_WHOLE_SIZE, 0, &data),
                 "vkMapMemory");
  return data;
}

static void
flush (Memory         *self,
       VkDeviceMemory  memory)
{
  const VkMappedMemoryRange range = {
    .sType = VK_STRUCTURE_TYPE_MAPPED_MEMORY_RANGE,
    .memory = memory,
    .size = VK_WHOLE_SIZE,
  };

  vtr_app_check (vkFlushMappedMemoryRanges (self->gpu.device, 1, &range),
                 "vkFlushMappedMemoryRanges");
}

static void
copy (Memory       *self,
      VkBuffer      from,
      VkDeviceSize  offset,
      VkDeviceSize  size)
{
  const VkBufferCopy region = { offset, self->part * PART, size };

  vtr_app_begin (self->commands);
  vtr_app_barrier (self->commands);
  vkCmdCopyBuffer (self->commands, from, self->result.buffer, 1, &region);
  vtr_app_barrier (self->commands);
  vtr_app_run (&self->gpu, self->commands);
  self->part++;
}

static void
image_barrier (VkCommandBuffer commands,
               VkImage         image,
               VkImageLayout   from,
               VkImageLayout   to,
               uint32_t        source,
               uint32_t        destination)
{
  const VkImageMemoryBarrier barrier = {
    .sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
    .srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT | VK_ACCESS_HOST_WRITE_BIT,
    .dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT,
    .oldLayout = from,
    .newLayout = to,
    .srcQueueFamilyIndex = source,
    .dstQueueFamilyIndex = destination,
    .image = image,
    .subresourceRange = { VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1 },
  };

  vkCmdPipelineBarrier (commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT | VK_PIPELINE_STAGE_HOST_BIT,
                        VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0, NULL, 0, NULL, 1, &barrier);
}

static void
copy_image (Memory          *self,
            VkCommandBuffer  commands,
            VkImage          image)
{
  const VkBufferImageCopy region = {
    .bufferOffset = self->part * PART,
    .imageSubresource = { VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1 },
    .imageExtent = { SIDE, SIDE, 1 },
  };

  vkCmdCopyImageToBuffer (commands, image, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL,
                          self->result.buffer, 1, &region);
  self->part++;
}

/* --- Buffers --------------------------------------------------------------------------------- */

/* Two buffers over the same bytes: data written to one can be read from the other. */
static void
share_buffers (Memory *self)
{
  VkBuffer whole = make_buffer (self, SIZE * 2);
  VkBuffer half = make_buffer (self, SIZE);
  VkBuffer later;
  VkMemoryRequirements wants;
  VkDeviceMemory memory;
  uint32_t words[256];

  vkGetBufferMemoryRequirements (self->gpu.device, whole, &wants);
  memory = allocate (self, wants.size + SIZE,
                     find_type (self, wants.memoryTypeBits, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT),
                     NULL);
  vtr_app_check (vkBindBufferMemory (self->gpu.device, whole, memory, 0), "vkBindBufferMemory");
  vtr_app_check (vkBindBufferMemory (self->gpu.device, half, memory, SIZE), "vkBindBufferMemory");
  for (uint32_t i = 0; i < 256; i++)
    words[i] = i * 2654435761u;
  vtr_app_begin (self->commands);
  vkCmdFillBuffer (self->commands, whole, 0, VK_WHOLE_SIZE, 0x01020304);
  vtr_app_barrier (self->commands);
  vkCmdUpdateBuffer (self->commands, half, 128, sizeof words, words);
  vtr_app_barrier (self->commands);
  vtr_app_run (&self->gpu, self->commands);
  copy (self, whole, SIZE, PART);

  /* The bytes stay when their buffer goes. */
  vkDestroyBuffer (self->gpu.device, half, NULL);
  later = make_buffer (self, SIZE);
  vtr_app_check (vkBindBufferMemory (self->gpu.device, later, memory, SIZE), "vkBindBufferMemory");
  copy (self, later, 0, PART);
  vkDestroyBuffer (self->gpu.device, later, NULL);
  vkDestroyBuffer (self->gpu.device, whole, NULL);
  vkFreeMemory (self->gpu.device, memory, NULL);
}

/* Written before anything is bound, and by one pointer for many buffers. */
static void
pack_buffers (Memory *self)
{
  VkBuffer buffers[8];
  VkMemoryRequirements wants;
  VkDeviceMemory memory;
  VkDeviceSize stride;
  uint8_t *data;

  for (uint32_t i = 0; i < 8; i++)
    buffers[i] = make_buffer (self, 1000 + 8 * i);
  vkGetBufferMemoryRequirements (self->gpu.device, buffers[7], &wants);
  stride = (wants.size + wants.alignment - 1) / wants.alignment * wants.alignment;
  memory = allocate (self, stride * 8,
                     find_type (self, wants.memoryTypeBits, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT),
                     NULL);
  data = map (self, memory);
  for (VkDeviceSize i = 0; i < stride * 8; i++)
    data[i] = (uint8_t)(i * 7 + (i >> 8));
  flush (self, memory);
  for (uint32_t i = 0; i < 8; i++)
    vtr_app_check (vkBindBufferMemory (self->gpu.device, buffers[i], memory, stride * i),
                   "vkBindBufferMemory");
  copy (self, buffers[3], 0, 1024);
  for (uint32_t i = 0; i < 900; i++)
    data[stride * 5 + i] = (uint8_t)(i ^ 0x5a);
  flush (self, memory);
  copy (self, buffers[5], 0, 1040);
  for (uint32_t i = 0; i < 8; i++)
    vkDestroyBuffer (self->gpu.device, buffers[i], NULL);
  vkFreeMemory (self->gpu.device, memory, NULL);
}

static void
dedicate_buffer (Memory *self)
{
  VkBuffer buffer = make_buffer (self, PART);
  const VkMemoryDedicatedAllocateInfo dedicated = {
    .sType = VK_STRUCTURE_TYPE_MEMORY_DEDICATED_ALLOCATE_INFO,
    .buffer = buffer,
  };
  VkMemoryRequirements wants;
  VkDeviceMemory memory;
  VkDeviceMemory unused;

  vkGetBufferMemoryRequirements (self->gpu.device, buffer, &wants);
  memory = allocate (self, wants.size,
                     find_type (self, wants.memoryTypeBits, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT),
                     &dedicated);
  unused = allocate (self, 4096, find_type (self, ~0u, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT), NULL);
  vtr_app_check (vkBindBufferMemory (self->gpu.device, buffer, memory, 0), "vkBindBufferMemory");
  memset (map (self, memory), 0x3c, PART);
  memset (map (self, unused), 0x77, 4096);
  flush (self, memory);
  flush (self, unused);
  copy (self, buffer, 0, PART);
  vkFreeMemory (self->gpu.device, unused, NULL);
  vkDestroyBuffer (self->gpu.device, buffer, NULL);
  vkFreeMemory (self->gpu.device, memory, NULL);
}

/* --- Shared with others ---------------------------------------------------------------------- */

/* Memory that goes out through a file descriptor and comes in again. */
static void
share_memory (Memory *self)
{
  const VkExternalMemoryHandleTypeFlagBits type = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT;
  const VkExportMemoryAllocateInfo export = {
    .sType = VK_STRUCTURE_TYPE_EXPORT_MEMORY_ALLOCATE_INFO,
    .handleTypes = type,
  };
  VkImportMemoryFdInfoKHR import = {
    .sType = VK_STRUCTURE_TYPE_IMPORT_MEMORY_FD_INFO_KHR,
    .handleType = type,
  };
  VkMemoryGetFdInfoKHR get = {
    .sType = VK_STRUCTURE_TYPE_MEMORY_GET_FD_INFO_KHR,
    .handleType = type,
  };
  PFN_vkGetMemoryFdKHR get_fd =
    (PFN_vkGetMemoryFdKHR)vkGetDeviceProcAddr (self->gpu.device, "vkGetMemoryFdKHR");
  uint32_t memory_type = find_type (self, ~0u, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT);
  VkDeviceMemory imported;

  get.memory = allocate (self, SIZE, memory_type, &export);
  memset (map (self, get.memory), 0x21, SIZE);
  vtr_app_check (get_fd (self->gpu.device, &get, &import.fd), "vkGetMemoryFdKHR");
  imported = allocate (self, SIZE, memory_type, &import);
  if (map (self, imported)[SIZE - 1] != 0x21)
    vtr_app_fail ("shared memory is not shared");
  vkFreeMemory (self->gpu.device, imported, NULL);
  vkFreeMemory (self->gpu.device, get.memory, NULL);
}

/* --- At random ------------------------------------------------------------------------------- */

typedef struct
{
  VkBuffer buffer; /* VK_NULL_HANDLE: not there */
  uint32_t size;
} Guest;

static void
random_write (Memory         *self,
              VkDeviceMemory  memory,
              uint8_t        *data,
              uint64_t       *random)
{
  uint32_t at = vtr_app_random (random) % (N_STEPS * STEP);
  uint32_t size = vtr_app_random (random) % 5000;

  for (uint32_t i = 0; i < size && at + i < N_STEPS * STEP; i++)
    data[at + i] = (uint8_t)vtr_app_random (random);
  flush (self, memory);
}

static void
random_fill (Memory      *self,
             const Guest *guest,
             uint64_t    *random)
{
  uint32_t at = vtr_app_random (random) % (guest->size / 2) / 4 * 4;

  vtr_app_begin (self->commands);
  vtr_app_barrier (self->commands);
  vkCmdFillBuffer (self->commands, guest->buffer, at, 1024, vtr_app_random (random));
  vtr_app_barrier (self->commands);
  vtr_app_run (&self->gpu, self->commands);
}

static void
random_bind (Memory         *self,
             VkDeviceMemory  memory,
             Guest          *guest,
             uint64_t       *random)
{
  uint32_t steps = 1 + vtr_app_random (random) % 3;
  uint32_t at = vtr_app_random (random) % (N_STEPS - steps);

  guest->size = steps * STEP - vtr_app_random (random) % (STEP / 2) / 4 * 4;
  guest->buffer = make_buffer (self, guest->size);
  vtr_app_check (vkBindBufferMemory (self->gpu.device, guest->buffer, memory, at * STEP),
                 "vkBindBufferMemory");
}

/* Buffers are created, share memory and are destroyed; the host writes, the device fills, and
 * the contents are copied out. */
static void
bind_at_random (Memory   *self,
                uint64_t  random)
{
  Guest guests[N_GUESTS] = { 0 };
  VkBuffer probe = make_buffer (self, 3 * STEP);
  VkMemoryRequirements wants;
  VkDeviceMemory memory;
  uint8_t *data;

  vkGetBufferMemoryRequirements (self->gpu.device, probe, &wants);
  vkDestroyBuffer (self->gpu.device, probe, NULL);
  /* More than the steps: what a device rounds up must fit. */
  memory = allocate (self, (N_STEPS + 4) * STEP,
                     find_type (self, wants.memoryTypeBits, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT),
                     NULL);
  data = map (self, memory);
  memset (data, 0x11, (N_STEPS + 4) * STEP);
  flush (self, memory);
  for (uint32_t i = 0; i < 200; i++)
    {
      Guest *guest = &guests[vtr_app_random (&random) % N_GUESTS];
      uint32_t what = vtr_app_random (&random) % 8;

      if (guest->buffer == VK_NULL_HANDLE)
        random_bind (self, memory, guest, &random);
      else if (what == 0)
        {
          vkDestroyBuffer (self->gpu.device, guest->buffer, NULL);
          guest->buffer = VK_NULL_HANDLE;
        }
      else if (what < 4)
        random_write (self, memory, data, &random);
      else if (what < 6)
        random_fill (self, guest, &random);
      else if (self->part < RESULT / PART - 2)
        copy (self, guest->buffer, vtr_app_random (&random) % (guest->size / 2) / 4 * 4, PART);
    }
  for (uint32_t i = 0; i < N_GUESTS; i++)
    vkDestroyBuffer (self->gpu.device, guests[i].buffer, NULL);
  vkFreeMemory (self->gpu.device, memory, NULL);
}

/* --- Images ---------------------------------------------------------------------------------- */

static void
write_linear_image (Memory *self)
{
  VkImage image = make_image (self, VK_IMAGE_TILING_LINEAR, 0);
  const VkImageSubresource which = { VK_IMAGE_ASPECT_COLOR_BIT, 0, 0 };
  VkSubresourceLayout layout;
  VkMemoryRequirements wants;
  VkDeviceMemory memory;
  uint8_t *data;

  vkGetImageMemoryRequirements (self->gpu.device, image, &wants);
  memory = allocate (self, wants.size + wants.alignment,
                     find_type (self, wants.memoryTypeBits, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT),
                     NULL);
  vtr_app_check (vkBindImageMemory (self->gpu.device, image, memory, wants.alignment),
                 "vkBindImageMemory");
  vkGetImageSubresourceLayout (self->gpu.device, image, &which, &layout);
  data = map (self, memory) + wants.alignment + layout.offset;
  for (uint32_t y = 0; y < SIDE; y++)
    for (uint32_t x = 0; x < SIDE * 4; x++)
      data[y * layout.rowPitch + x] = (uint8_t)(y * 5 + x * 3);
  flush (self, memory);
  vtr_app_begin (self->commands);
  image_barrier (self->commands, image, VK_IMAGE_LAYOUT_PREINITIALIZED,
                 VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, VK_QUEUE_FAMILY_IGNORED,
                 VK_QUEUE_FAMILY_IGNORED);
  copy_image (self, self->commands, image);
  vtr_app_barrier (self->commands);
  vtr_app_run (&self->gpu, self->commands);
  vkDestroyImage (self->gpu.device, image, NULL);
  vkFreeMemory (self->gpu.device, memory, NULL);
}

/* Two images that are one. */
static void
alias_images (Memory *self)
{
  VkImage images[2];
  const VkClearColorValue color = { .float32 = { 0.25f, 0.5f, 0.75f, 1.0f } };
  const VkImageSubresourceRange range = { VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1 };
  VkMemoryRequirements wants;
  VkDeviceMemory memory;

  for (uint32_t i = 0; i < 2; i++)
    images[i] = make_image (self, VK_IMAGE_TILING_OPTIMAL, VK_IMAGE_CREATE_ALIAS_BIT);
  vkGetImageMemoryRequirements (self->gpu.device, images[0], &wants);
  memory = allocate (self, wants.size + wants.alignment * 3,
                     find_type (self, wants.memoryTypeBits, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT),
                     NULL);
  for (uint32_t i = 0; i < 2; i++)
    vtr_app_check (vkBindImageMemory (self->gpu.device, images[i], memory, wants.alignment * 2),
                   "vkBindImageMemory");
  vtr_app_begin (self->commands);
  for (uint32_t i = 0; i < 2; i++)
    image_barrier (self->commands, images[i], VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL,
                   VK_QUEUE_FAMILY_IGNORED, VK_QUEUE_FAMILY_IGNORED);
  vkCmdClearColorImage (self->commands, images[0], VK_IMAGE_LAYOUT_GENERAL, &color, 1, &range);
  vtr_app_barrier (self->commands);
  image_barrier (self->commands, images[1], VK_IMAGE_LAYOUT_GENERAL,
                 VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, VK_QUEUE_FAMILY_IGNORED,
                 VK_QUEUE_FAMILY_IGNORED);
  copy_image (self, self->commands, images[1]);
  vtr_app_barrier (self->commands);
  vtr_app_run (&self->gpu, self->commands);
  for (uint32_t i = 0; i < 2; i++)
    vkDestroyImage (self->gpu.device, images[i], NULL);
  vkFreeMemory (self->gpu.device, memory, NULL);
}

int
main (int    argc,
      char **argv)
{
  Memory self = { 0 };
  const char *output = NULL;
  static const char *const extensions[] = { VK_KHR_EXTERNAL_MEMORY_FD_EXTENSION_NAME, NULL };
  uint32_t seed = 0;
  bool share = false;
  const VtrAppOption options[] = {
    { "--output", NULL, &output, NULL, "file to write the result buffer to" },
    { "--share", NULL, NULL, &share, "also export memory, and import it" },
    { "--seed", &seed, NULL, NULL, "also bind at random, by this number (0: not)" },
    { 0 },
  };

  vtr_app_options (argc, argv, options);
  if (share)
    self.gpu.extensions = extensions;
  vtr_app_gpu_init (&self.gpu, NULL, false);
  self.commands = vtr_app_commands (&self.gpu, VK_COMMAND_BUFFER_LEVEL_PRIMARY);
  self.result = vtr_app_buffer (&self.gpu, RESULT, VK_BUFFER_USAGE_TRANSFER_DST_BIT,
                                VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT |
                                  VK_MEMORY_PROPERTY_HOST_COHERENT_BIT);
  vtr_app_begin (self.commands);
  vkCmdFillBuffer (self.commands, self.result.buffer, 0, VK_WHOLE_SIZE, 0);
  vtr_app_barrier (self.commands);
  vtr_app_run (&self.gpu, self.commands);

  share_buffers (&self);
  pack_buffers (&self);
  dedicate_buffer (&self);
  write_linear_image (&self);
  alias_images (&self);
  if (seed != 0)
    bind_at_random (&self, seed);
  if (share)
    share_memory (&self);

  if (output != NULL)
    vtr_app_write_file (output, self.result.mapped, RESULT);
  printf ("{\"result_buffer\": \"0x%" PRIx64 "\", \"parts\": %u}\n",
          (uint64_t)(uintptr_t)self.result.buffer, self.part);
  vtr_app_buffer_finish (&self.gpu, &self.result);
  vtr_app_gpu_finish (&self.gpu);
  return 0;
}
