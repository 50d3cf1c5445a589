/* vtr-app-demo-shared: memory that is exported as a file descriptor, imported again, and written
 * and drawn from through both; --semaphores: also semaphores.
 *
 * No replay can repeat it: what the descriptors named is gone. */
#include "vtr-app-demo.h"

#include <string.h>

#define ROWS 12u
#define BYTES (VTR_APP_DEMO_WIDTH * ROWS * 4u)

static bool semaphores;

typedef struct
{
  VtrAppDemo demo;
  VkDeviceMemory memories[2]; /* exported, imported: the same bytes */
  VkBuffer buffers[2];
  uint8_t *maps[2];
  VkSemaphore signals[2];
  uint64_t random;
} Shared;

static void
make_memory (Shared     *self,
             uint32_t    nth,
             const void *next)
{
  const VkDevice device = self->demo.scene.gpu.device;
  const VkExternalMemoryBufferCreateInfo external = {
    .sType = VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO,
    .handleTypes = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT,
  };
  const VkBufferCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
    .pNext = &external,
    .size = BYTES,
    .usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT,
  };
  VkMemoryRequirements wants;
  void *map;

  vtr_app_check (vkCreateBuffer (device, &info, NULL, &self->buffers[nth]), "vkCreateBuffer");
  vkGetBufferMemoryRequirements (device, self->buffers[nth], &wants);
  self->memories[nth] = vtr_app_allocate_with (
    &self->demo.scene.gpu, &wants,
    VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT, next);
  vtr_app_check (vkBindBufferMemory (device, self->buffers[nth], self->memories[nth], 0),
                 "vkBindBufferMemory");
  vtr_app_check (vkMapMemory (device, self->memories[nth], 0, VK_WHOLE_SIZE, 0, &map),
                 "vkMapMemory");
  self->maps[nth] = map;
}

static void
share_memory (Shared *self)
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

  make_memory (self, 0, &export);
  get.memory = self->memories[0];
  vtr_app_check (
    VTR_APP_NEED (&self->demo, vkGetMemoryFdKHR) (self->demo.scene.gpu.device, &get, &import.fd),
    "vkGetMemoryFdKHR");
  make_memory (self, 1, &import);
}

static void
share_semaphores (Shared *self)
{
  const VkDevice device = self->demo.scene.gpu.device;
  const VkExportSemaphoreCreateInfo export = {
    .sType = VK_STRUCTURE_TYPE_EXPORT_SEMAPHORE_CREATE_INFO,
    .handleTypes = VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT,
  };
  VkSemaphoreCreateInfo info = { .sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO,
                                 .pNext = &export };
  VkSemaphoreGetFdInfoKHR get = {
    .sType = VK_STRUCTURE_TYPE_SEMAPHORE_GET_FD_INFO_KHR,
    .handleType = VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT,
  };
  VkImportSemaphoreFdInfoKHR import = {
    .sType = VK_STRUCTURE_TYPE_IMPORT_SEMAPHORE_FD_INFO_KHR,
    .handleType = VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT,
  };

  for (uint32_t i = 0; i < 2; i++)
    vtr_app_check (vkCreateSemaphore (device, &info, NULL, &self->signals[i]),
                   "vkCreateSemaphore");
  get.semaphore = self->signals[0];
  import.semaphore = self->signals[1];
  vtr_app_check (VTR_APP_NEED (&self->demo, vkGetSemaphoreFdKHR) (device, &get, &import.fd),
                 "vkGetSemaphoreFdKHR");
  vtr_app_check (VTR_APP_NEED (&self->demo, vkImportSemaphoreFdKHR) (device, &import),
                 "vkImportSemaphoreFdKHR");
}

static void
start (VtrAppDemo *demo)
{
  Shared *self = (Shared *)demo;

  self->random = 5;
  share_memory (self);
  if (semaphores)
    share_semaphores (self);
}

/* Written through one, drawn from through the other. */
static void
draw (VtrAppDemo *demo)
{
  Shared *self = (Shared *)demo;

  vtr_app_barrier (demo->commands);
  for (uint32_t i = 0; i < 2; i++)
    {
      const VkBufferImageCopy region = {
        .imageSubresource = { VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1 },
        .imageOffset = { 0, (int32_t)(i * ROWS), 0 },
        .imageExtent = { VTR_APP_DEMO_WIDTH, ROWS, 1 },
      };

      for (uint32_t j = 0; j < BYTES; j++)
        self->maps[i][j] = (uint8_t)(vtr_app_random (&self->random) >> 5);
      vkCmdCopyBufferToImage (demo->commands, self->buffers[1 - i], demo->color->image,
                              VK_IMAGE_LAYOUT_GENERAL, 1, &region);
      vtr_app_demo_flush (demo);
      if (!vtr_app_demo_check (demo))
        return;
    }
}

static void
finish (VtrAppDemo *demo)
{
  Shared *self = (Shared *)demo;
  const VkDevice device = demo->scene.gpu.device;

  for (uint32_t i = 0; i < 2; i++)
    {
      vkDestroySemaphore (device, self->signals[i], NULL);
      vkDestroyBuffer (device, self->buffers[i], NULL);
      vkFreeMemory (device, self->memories[i], NULL);
    }
}

int
main (int    argc,
      char **argv)
{
  static const char *const memory[] = { VK_KHR_EXTERNAL_MEMORY_FD_EXTENSION_NAME, NULL };
  static const char *const both[] = { VK_KHR_EXTERNAL_MEMORY_FD_EXTENSION_NAME,
                                      VK_KHR_EXTERNAL_SEMAPHORE_FD_EXTENSION_NAME, NULL };
  const VtrAppOption options[] = {
    { "--semaphores", NULL, NULL, &semaphores, "semaphores, too" },
    { NULL, NULL, NULL, NULL, NULL },
  };
  Shared self = { 0 };

  for (int i = 1; i < argc; i++)
    semaphores = semaphores || strcmp (argv[i], "--semaphores") == 0;
  return vtr_app_demo_run (&self.demo,
                           &(VtrAppDemoInfo){ .what = "memory behind file descriptors",
                                              .options = options,
                                              .extensions = semaphores ? both : memory,
                                              .start = start,
                                              .draw = draw,
                                              .finish = finish },
                           argc, argv);
}
