/* vtr-app-demo-mapped: writes to mapped memory in the ways that programs do: a ring buffer, single
 * bytes, everything, read(2), imported memory of its own, results of the device copied elsewhere,
 * staging memory that comes and goes, memory between images.
 *
 * Each way fills a band of the picture. */
#include "vtr-app-demo.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define ROWS 6u
#define BAND (VTR_APP_DEMO_WIDTH * ROWS * 4u) /* bytes */
#define RING (4u << 20)
#define SPARSE (8u << 20)
#define DENSE (1u << 20)
#define IMPORTED (1u << 20)
#define END (64u * 1024u)
#define PAGE 4096u

typedef struct
{
  VtrAppDemo demo;
  uint64_t random;
  uint32_t frames; /* drawn so far */
  VtrAppBuffer ring, sparse, dense, file, readback, imported;
  VtrAppBuffer gathered;
  VkBuffer ends[2]; /* of the memory around an image */
  uint8_t *shared_map;
  VkDeviceSize second; /* where the buffer behind the image begins */
  VtrAppPicture *between;
  uint8_t *own; /* what was imported */
  int pipe[2];
  VtrAppBuffer staging; /* of the last frame */
} Mapped;

static void
fill (Mapped *self,
      void   *to,
      size_t  size)
{
  uint8_t *bytes = to;

  for (size_t i = 0; i < size; i++)
    bytes[i] = (uint8_t)(vtr_app_random (&self->random) >> 5);
}

/* --- What there is -------------------------------------------------------------------------- */

static VtrAppBuffer
make_buffer (Mapped             *self,
             VkDeviceSize        size,
             VkBufferUsageFlags  usage)
{
  return vtr_app_buffer (&self->demo.scene.gpu, size, usage,
                         VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT |
                           VK_MEMORY_PROPERTY_HOST_COHERENT_BIT);
}

/* A buffer over pages of the program. */
static void
import_own (Mapped *self)
{
  VtrAppGpu *gpu = &self->demo.scene.gpu;
  VtrAppDemo *demo = &self->demo;
  PFN_vkGetMemoryHostPointerPropertiesEXT get_properties =
    VTR_APP_NEED (demo, vkGetMemoryHostPointerPropertiesEXT);
  const VkExternalMemoryHandleTypeFlagBits type =
    VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT;
  VkMemoryHostPointerPropertiesEXT properties = {
    .sType = VK_STRUCTURE_TYPE_MEMORY_HOST_POINTER_PROPERTIES_EXT,
  };
  const VkExternalMemoryBufferCreateInfo external = {
    .sType = VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO,
    .handleTypes = type,
  };
  const VkBufferCreateInfo create = {
    .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
    .pNext = &external,
    .size = IMPORTED,
    .usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT,
  };
  VkImportMemoryHostPointerInfoEXT import = {
    .sType = VK_STRUCTURE_TYPE_IMPORT_MEMORY_HOST_POINTER_INFO_EXT,
    .handleType = type,
  };
  VkMemoryAllocateInfo allocate = {
    .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
    .pNext = &import,
    .allocationSize = IMPORTED,
  };
  VkMemoryRequirements wants;

  self->own = mmap (NULL, IMPORTED, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (self->own == MAP_FAILED)
    vtr_app_fail ("there is no memory");
  import.pHostPointer = self->own;
  vtr_app_check (get_properties (gpu->device, type, self->own, &properties),
                 "vkGetMemoryHostPointerPropertiesEXT");
  vtr_app_check (vkCreateBuffer (gpu->device, &create, NULL, &self->imported.buffer),
                 "vkCreateBuffer");
  vkGetBufferMemoryRequirements (gpu->device, self->imported.buffer, &wants);
  while ((wants.memoryTypeBits & properties.memoryTypeBits & 1u << allocate.memoryTypeIndex) == 0)
    if (++allocate.memoryTypeIndex == 32)
      vtr_app_demo_skip ("memory for buffers in pages of the program");
  vtr_app_check (vkAllocateMemory (gpu->device, &allocate, NULL, &self->imported.memory),
                 "vkAllocateMemory");
  vtr_app_check (
    vkBindBufferMemory (gpu->device, self->imported.buffer, self->imported.memory, 0),
    "vkBindBufferMemory");
}

static VkBuffer
bind_end (Mapped       *self,
          VkDeviceSize  offset)
{
  const VkBufferCreateInfo create = {
    .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
    .size = END,
    .usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT,
  };
  VkDevice device = self->demo.scene.gpu.device;
  VkBuffer buffer;

  vtr_app_check (vkCreateBuffer (device, &create, NULL, &buffer), "vkCreateBuffer");
  vtr_app_check (vkBindBufferMemory (device, buffer, self->between->memory, offset),
                 "vkBindBufferMemory");
  return buffer;
}

/* A buffer, an image and a buffer in mapped memory, as allocators put them. */
static void
make_shared (Mapped *self)
{
  VtrAppGpu *gpu = &self->demo.scene.gpu;
  VkMemoryRequirements wants;
  void *map;

  self->between =
    vtr_app_picture (&self->demo.scene,
                     &(VtrAppPictureInfo){ .name = "between",
                                           .format = VTR_APP_DEMO_FORMAT,
                                           .extent = { 300, 200, 1 },
                                           .memory = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT |
                                                     VK_MEMORY_PROPERTY_HOST_COHERENT_BIT,
                                           .around = END + 1024 });
  vkGetImageMemoryRequirements (gpu->device, self->between->image, &wants);
  self->second = (END + 1024 + wants.alignment - 1) / wants.alignment * wants.alignment;
  self->second = (self->second + wants.size + 255) / 256 * 256;
  self->ends[0] = bind_end (self, 0);
  self->ends[1] = bind_end (self, self->second);
  vtr_app_check (vkMapMemory (gpu->device, self->between->memory, 0, VK_WHOLE_SIZE, 0, &map),
                 "vkMapMemory");
  self->shared_map = map;
}

static void
open_pipe (Mapped *self)
{
  if (pipe (self->pipe) != 0)
    vtr_app_fail ("there is no pipe");
}

static void
close_pipe (const Mapped *self)
{
  close (self->pipe[0]);
  close (self->pipe[1]);
}

static void
start (VtrAppDemo *demo)
{
  Mapped *self = (Mapped *)demo;
  const VkBufferUsageFlags source = VK_BUFFER_USAGE_TRANSFER_SRC_BIT;

  self->random = 11;
  self->ring = make_buffer (self, RING, source);
  self->sparse = make_buffer (self, SPARSE, source);
  self->dense = make_buffer (self, DENSE, source);
  self->file = make_buffer (self, 64 * PAGE, source);
  self->readback = make_buffer (self, 64 * PAGE, VK_BUFFER_USAGE_TRANSFER_DST_BIT);
  self->gathered = make_buffer (self, BAND, source | VK_BUFFER_USAGE_TRANSFER_DST_BIT);
  import_own (self);
  make_shared (self);
  open_pipe (self);
}

/* --- The bands ------------------------------------------------------------------------------- */

static void
show (Mapped       *self,
      VkBuffer      buffer,
      VkDeviceSize  offset,
      uint32_t      band)
{
  const VkBufferImageCopy region = {
    .bufferOffset = offset,
    .imageSubresource = { VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1 },
    .imageOffset = { 0, (int32_t)(band * ROWS), 0 },
    .imageExtent = { VTR_APP_DEMO_WIDTH, ROWS, 1 },
  };

  vkCmdCopyBufferToImage (self->demo.commands, buffer, self->demo.color->image,
                          VK_IMAGE_LAYOUT_GENERAL, 1, &region);
}

static void
write_ring (Mapped *self)
{
  VkDeviceSize at = (VkDeviceSize)self->frames * 70000 % (RING - BAND) / 4 * 4;

  fill (self, (uint8_t *)self->ring.mapped + at, BAND);
  show (self, self->ring.buffer, at, 0);
}

/* 64 bytes in each of some pages; the band is put together from the last of them. */
static void
write_sparse (Mapped *self)
{
  VkBufferCopy regions[BAND / 64];

  for (uint32_t i = 0; i < 200; i++)
    {
      VkDeviceSize at = (VkDeviceSize)(vtr_app_random (&self->random) % (SPARSE / PAGE)) * PAGE +
                        vtr_app_random (&self->random) % (PAGE / 64) * 64;

      fill (self, (uint8_t *)self->sparse.mapped + at, 64);
      regions[i % (BAND / 64)] = (VkBufferCopy){ at, i % (BAND / 64) * 64, 64 };
    }
  vkCmdCopyBuffer (self->demo.commands, self->sparse.buffer, self->gathered.buffer, BAND / 64,
                   regions);
  vtr_app_barrier (self->demo.commands);
  show (self, self->gathered.buffer, 0, 1);
}

static void
write_dense (Mapped *self)
{
  uint32_t *words = self->dense.mapped;
  VkDeviceSize at = vtr_app_random (&self->random) % ((DENSE - BAND) / 4) * 4;

  for (uint32_t i = 0; i < DENSE / 4; i++)
    words[i] = (i + self->frames * 77) * 2654435761u;
  show (self, self->dense.buffer, at, 2);
}

/* The kernel writes, over the end of a page. Where somebody has protected the memory it cannot. */
static void
read_into (Mapped *self)
{
  uint8_t bytes[BAND];
  VkDeviceSize at = (self->frames % 60 + 1) * PAGE - 500;
  uint8_t *to = (uint8_t *)self->file.mapped + at;

  fill (self, bytes, BAND);
  if (write (self->pipe[1], bytes, BAND) != BAND)
    vtr_app_fail ("the pipe does not work");
  if (read (self->pipe[0], to, BAND) != BAND)
    {
      fputs ("read(2) into mapped memory fails\n", stderr);
      memcpy (to, bytes, BAND);
      close_pipe (self);
      open_pipe (self);
    }
  show (self, self->file.buffer, at, 3);
}

static void
write_own (Mapped *self)
{
  VkDeviceSize at = (VkDeviceSize)self->frames * 9000 % (IMPORTED - BAND) / 4 * 4;

  fill (self, self->own + at, BAND);
  show (self, self->imported.buffer, at, 4);
}

/* What the device wrote, changed, goes on from another place. */
static void
write_elsewhere (Mapped *self)
{
  const VkBufferImageCopy region = {
    .bufferOffset = 3 * PAGE + 1024,
    .imageSubresource = { VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1 },
    .imageOffset = { 0, 3 * ROWS, 0 },
    .imageExtent = { VTR_APP_DEMO_WIDTH, ROWS, 1 },
  };
  const uint8_t *from = (const uint8_t *)self->readback.mapped + region.bufferOffset;
  uint8_t *to = (uint8_t *)self->ring.mapped + RING - BAND;

  vtr_app_barrier (self->demo.commands);
  vkCmdCopyImageToBuffer (self->demo.commands, self->demo.color->image, VK_IMAGE_LAYOUT_GENERAL,
                          self->readback.buffer, 1, &region);
  vtr_app_barrier (self->demo.commands);
  vtr_app_demo_flush (&self->demo);
  for (uint32_t i = 0; i < BAND; i++)
    to[i] = (uint8_t)(from[i] + i);
  show (self, self->ring.buffer, RING - BAND, 5);
}

/* Of the size that allocators ask the system for, mapped for a moment. */
static void
write_staging (Mapped *self)
{
  VtrAppGpu *gpu = &self->demo.scene.gpu;
  VkDeviceSize size = 300000 + self->frames % 7 * 50000;
  void *map;

  if (self->staging.buffer != VK_NULL_HANDLE)
    vtr_app_buffer_finish (gpu, &self->staging);
  self->staging = make_buffer (self, size, VK_BUFFER_USAGE_TRANSFER_SRC_BIT);
  vkUnmapMemory (gpu->device, self->staging.memory);
  self->staging.mapped = NULL;
  vtr_app_check (vkMapMemory (gpu->device, self->staging.memory, 4096, VK_WHOLE_SIZE, 0, &map),
                 "vkMapMemory");
  fill (self, (uint8_t *)map + 200000, BAND);
  vkUnmapMemory (gpu->device, self->staging.memory);
  show (self, self->staging.buffer, 4096 + 200000, 6);
}

/* Both ends of memory in whose middle the device draws. */
static void
write_ends (Mapped *self)
{
  vtr_app_picture_clear (self->demo.commands, self->between, 0.1f * (float)(self->frames % 10));
  fill (self, self->shared_map + END - BAND, BAND);
  fill (self, self->shared_map + self->second, BAND);
  if (self->frames % 2 == 0)
    show (self, self->ends[0], END - BAND, 7);
  else
    show (self, self->ends[1], 0, 7);
}

static void
draw (VtrAppDemo *demo)
{
  Mapped *self = (Mapped *)demo;

  vtr_app_barrier (demo->commands);
  write_ring (self);
  write_sparse (self);
  write_dense (self);
  read_into (self);
  write_own (self);
  if (!vtr_app_demo_check (demo))
    return;
  write_elsewhere (self);
  write_staging (self);
  write_ends (self);
  vtr_app_barrier (demo->commands);
  vtr_app_demo_check (demo);
  self->frames++;
}

static void
finish (VtrAppDemo *demo)
{
  Mapped *self = (Mapped *)demo;
  VtrAppGpu *gpu = &demo->scene.gpu;
  VtrAppBuffer *buffers[] = { &self->ring, &self->sparse, &self->dense, &self->file,
                              &self->readback, &self->imported, &self->gathered, &self->staging };

  for (uint32_t i = 0; i < sizeof buffers / sizeof *buffers; i++)
    vtr_app_buffer_finish (gpu, buffers[i]);
  for (uint32_t i = 0; i < 2; i++)
    vkDestroyBuffer (gpu->device, self->ends[i], NULL);
  munmap (self->own, IMPORTED);
  close_pipe (self);
}

int
main (int    argc,
      char **argv)
{
  static const char *const extensions[] = { VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME, NULL };
  Mapped self = { 0 };

  return vtr_app_demo_run (&self.demo,
                           &(VtrAppDemoInfo){ .what = "memory of the program",
                                              .extensions = extensions,
                                              .start = start,
                                              .draw = draw,
                                              .finish = finish },
                           argc, argv);
}
