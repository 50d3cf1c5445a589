/* The witness layer's data about a device, and the copying of presented images.
 *
 * Threading: any; each device has a lock, held across a whole present.
 */
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <vulkan/vulkan.h>
#include <vulkan/vk_layer.h>

/* Device functions of the next layer or driver below. */
#define VTR_WITNESS_DEVICE_FUNCTIONS(X) \
  X (AllocateCommandBuffers) \
  X (AllocateMemory) \
  X (BeginCommandBuffer) \
  X (BindBufferMemory) \
  X (CmdCopyImageToBuffer) \
  X (CmdPipelineBarrier) \
  X (CreateBuffer) \
  X (CreateCommandPool) \
  X (CreateFence) \
  X (CreateSemaphore) \
  X (CreateSwapchainKHR) \
  X (DestroyBuffer) \
  X (DestroyCommandPool) \
  X (DestroyDevice) \
  X (DestroyFence) \
  X (DestroySemaphore) \
  X (DestroySwapchainKHR) \
  X (EndCommandBuffer) \
  X (FreeMemory) \
  X (GetBufferMemoryRequirements) \
  X (GetDeviceQueue) \
  X (GetDeviceQueue2) \
  X (GetSwapchainImagesKHR) \
  X (MapMemory) \
  X (QueuePresentKHR) \
  X (QueueSubmit) \
  X (ResetFences) \
  X (WaitForFences)

typedef struct
{
#define X(name) PFN_vk##name name;
  VTR_WITNESS_DEVICE_FUNCTIONS (X)
#undef X
} VtrWitnessFunctions;

typedef struct _VtrWitnessSwapchain VtrWitnessSwapchain;
typedef struct _VtrWitnessDevice VtrWitnessDevice;

typedef struct
{
  VkQueue queue;
  uint32_t family;
} VtrWitnessQueue;

struct _VtrWitnessDevice
{
  void *key; /* the loader's dispatch table, shared by all handles of this device */
  VkDevice device;
  VkPhysicalDevice physical;
  PFN_vkGetDeviceProcAddr get_proc_addr;
  PFN_vkSetDeviceLoaderData set_loader_data;
  PFN_vkGetPhysicalDeviceSurfaceCapabilitiesKHR get_surface_capabilities;
  VkPhysicalDeviceMemoryProperties memory;
  VtrWitnessFunctions down;

  pthread_mutex_t lock;
  VtrWitnessQueue *queues;
  uint32_t n_queues;
  VtrWitnessSwapchain *swapchains;
  VkSemaphore *retired; /* a present may still wait on these: destroyed with the device */
  uint32_t n_retired;

  VtrWitnessDevice *next;
};

/* The device of any dispatchable @handle made from it, or NULL. */
VtrWitnessDevice *vtr_witness_device_find (const void *handle);

/* Folder for the frames ($VITRINE_WITNESS_DIR), or NULL: then the layer changes nothing. */
const char *vtr_witness_directory (void);

void vtr_witness_complain (const char *format,
                           ...) __attribute__ ((format (printf, 1, 2)));

void vtr_witness_swapchains_clear (VtrWitnessDevice *self);

VKAPI_ATTR VkResult VKAPI_CALL vtr_witness_CreateSwapchainKHR (VkDevice                        device,
                                                               const VkSwapchainCreateInfoKHR *info,
                                                               const VkAllocationCallbacks    *allocator,
                                                               VkSwapchainKHR                 *swapchain);
VKAPI_ATTR void VKAPI_CALL vtr_witness_DestroySwapchainKHR (VkDevice                     device,
                                                            VkSwapchainKHR               swapchain,
                                                            const VkAllocationCallbacks *allocator);
VKAPI_ATTR VkResult VKAPI_CALL vtr_witness_QueuePresentKHR (VkQueue                 queue,
                                                            const VkPresentInfoKHR *info);
