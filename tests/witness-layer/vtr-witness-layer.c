/* The witness layer (VK_LAYER_VITRINE_witness): its entry points and its devices.
 *
 * Replayed frames are compared with the images that this layer copies just before they are
 * presented, so it shares no code with the product and does nothing else.
 */
#include "vtr-witness-device.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct _VtrWitnessInstance VtrWitnessInstance;

struct _VtrWitnessInstance
{
  void *key;
  VkInstance instance;
  PFN_vkGetInstanceProcAddr get_proc_addr;
  PFN_vkDestroyInstance destroy;
  PFN_vkGetPhysicalDeviceSurfaceCapabilitiesKHR get_surface_capabilities;
  PFN_vkGetPhysicalDeviceMemoryProperties get_memory;
  VtrWitnessInstance *next;
};

static pthread_mutex_t lists_lock = PTHREAD_MUTEX_INITIALIZER;
static VtrWitnessInstance *instances;
static VtrWitnessDevice *devices;

static void *
dispatch_key (const void *handle)
{
  return *(void *const *)handle;
}

static VtrWitnessInstance *
instance_find (const void *handle)
{
  VtrWitnessInstance *self;

  pthread_mutex_lock (&lists_lock);
  for (self = instances; self != NULL && self->key != dispatch_key (handle);)
    self = self->next;
  pthread_mutex_unlock (&lists_lock);

  return self;
}

VtrWitnessDevice *
vtr_witness_device_find (const void *handle)
{
  VtrWitnessDevice *self;

  pthread_mutex_lock (&lists_lock);
  for (self = devices; self != NULL && self->key != dispatch_key (handle);)
    self = self->next;
  pthread_mutex_unlock (&lists_lock);

  return self;
}

const char *
vtr_witness_directory (void)
{
  const char *directory = getenv ("VITRINE_WITNESS_DIR");

  return directory != NULL && directory[0] != '\0' ? directory : NULL;
}

void
vtr_witness_complain (const char *format, ...)
{
  va_list args;

  va_start (args, format);
  fputs ("vitrine-witness: ", stderr);
  vfprintf (stderr, format, args);
  fputc ('\n', stderr);
  va_end (args);
}

static VkLayerInstanceCreateInfo *
instance_link (const VkInstanceCreateInfo *info)
{
  for (const VkBaseInStructure *item = info->pNext; item != NULL; item = item->pNext)
    {
      VkLayerInstanceCreateInfo *layer = (VkLayerInstanceCreateInfo *)item;

      if (item->sType == VK_STRUCTURE_TYPE_LOADER_INSTANCE_CREATE_INFO &&
          layer->function == VK_LAYER_LINK_INFO)
        return layer;
    }

  return NULL;
}

static VkLayerDeviceCreateInfo *
device_link (const VkDeviceCreateInfo *info,
             VkLayerFunction           function)
{
  for (const VkBaseInStructure *item = info->pNext; item != NULL; item = item->pNext)
    {
      VkLayerDeviceCreateInfo *layer = (VkLayerDeviceCreateInfo *)item;

      if (item->sType == VK_STRUCTURE_TYPE_LOADER_DEVICE_CREATE_INFO && layer->function == function)
        return layer;
    }

  return NULL;
}

static VKAPI_ATTR VkResult VKAPI_CALL
vtr_witness_CreateInstance (const VkInstanceCreateInfo  *info,
                            const VkAllocationCallbacks *allocator,
                            VkInstance                  *instance)
{
  VkLayerInstanceCreateInfo *link = instance_link (info);
  PFN_vkGetInstanceProcAddr get_proc_addr;
  PFN_vkCreateInstance create;
  VtrWitnessInstance *self;
  VkResult result;

  if (link == NULL)
    return VK_ERROR_INITIALIZATION_FAILED;

  get_proc_addr = link->u.pLayerInfo->pfnNextGetInstanceProcAddr;
  link->u.pLayerInfo = link->u.pLayerInfo->pNext;
  create = (PFN_vkCreateInstance)get_proc_addr (NULL, "vkCreateInstance");

  self = calloc (1, sizeof *self);
  if (self == NULL)
    return VK_ERROR_OUT_OF_HOST_MEMORY;

  result = create (info, allocator, instance);
  if (result != VK_SUCCESS)
    {
      free (self);
      return result;
    }

  self->key = dispatch_key (*instance);
  self->instance = *instance;
  self->get_proc_addr = get_proc_addr;
  /* Now: once the instance is made, the loader answers with the functions of the topmost layer. */
  self->destroy = (PFN_vkDestroyInstance)get_proc_addr (*instance, "vkDestroyInstance");
  self->get_surface_capabilities =
    (PFN_vkGetPhysicalDeviceSurfaceCapabilitiesKHR)get_proc_addr (
      *instance, "vkGetPhysicalDeviceSurfaceCapabilitiesKHR");
  self->get_memory = (PFN_vkGetPhysicalDeviceMemoryProperties)get_proc_addr (
    *instance, "vkGetPhysicalDeviceMemoryProperties");
  pthread_mutex_lock (&lists_lock);
  self->next = instances;
  instances = self;
  pthread_mutex_unlock (&lists_lock);

  return VK_SUCCESS;
}

static VKAPI_ATTR void VKAPI_CALL
vtr_witness_DestroyInstance (VkInstance                   instance,
                             const VkAllocationCallbacks *allocator)
{
  VtrWitnessInstance *self;

  if (instance == VK_NULL_HANDLE)
    return;

  self = instance_find (instance);
  pthread_mutex_lock (&lists_lock);
  for (VtrWitnessInstance **link = &instances; *link != NULL; link = &(*link)->next)
    {
      if (*link == self)
        {
          *link = self->next;
          break;
        }
    }
  pthread_mutex_unlock (&lists_lock);

  self->destroy (instance, allocator);
  free (self);
}

static VKAPI_ATTR VkResult VKAPI_CALL
vtr_witness_CreateDevice (VkPhysicalDevice             physical,
                          const VkDeviceCreateInfo    *info,
                          const VkAllocationCallbacks *allocator,
                          VkDevice                    *device)
{
  VkLayerDeviceCreateInfo *link = device_link (info, VK_LAYER_LINK_INFO);
  VkLayerDeviceCreateInfo *loader = device_link (info, VK_LOADER_DATA_CALLBACK);
  VtrWitnessInstance *instance = instance_find (physical);
  PFN_vkGetInstanceProcAddr next_gipa;
  PFN_vkCreateDevice create;
  VtrWitnessDevice *self;
  VkResult result;

  if (link == NULL || instance == NULL)
    return VK_ERROR_INITIALIZATION_FAILED;

  self = calloc (1, sizeof *self);
  if (self == NULL)
    return VK_ERROR_OUT_OF_HOST_MEMORY;

  next_gipa = link->u.pLayerInfo->pfnNextGetInstanceProcAddr;
  self->get_proc_addr = link->u.pLayerInfo->pfnNextGetDeviceProcAddr;
  link->u.pLayerInfo = link->u.pLayerInfo->pNext;
  create = (PFN_vkCreateDevice)next_gipa (instance->instance, "vkCreateDevice");
  result = create (physical, info, allocator, device);
  if (result != VK_SUCCESS)
    {
      free (self);
      return result;
    }

  self->key = dispatch_key (*device);
  self->device = *device;
  self->physical = physical;
  self->set_loader_data = loader != NULL ? loader->u.pfnSetDeviceLoaderData : NULL;
  self->get_surface_capabilities = instance->get_surface_capabilities;
  instance->get_memory (physical, &self->memory);
#define X(name) self->down.name = (PFN_vk##name)self->get_proc_addr (*device, "vk" #name);
  VTR_WITNESS_DEVICE_FUNCTIONS (X)
#undef X

  pthread_mutex_init (&self->lock, NULL);
  pthread_mutex_lock (&lists_lock);
  self->next = devices;
  devices = self;
  pthread_mutex_unlock (&lists_lock);

  return VK_SUCCESS;
}

static VKAPI_ATTR void VKAPI_CALL
vtr_witness_DestroyDevice (VkDevice                     device,
                           const VkAllocationCallbacks *allocator)
{
  VtrWitnessDevice *self;

  if (device == VK_NULL_HANDLE)
    return;

  self = vtr_witness_device_find (device);
  pthread_mutex_lock (&lists_lock);
  for (VtrWitnessDevice **link = &devices; *link != NULL; link = &(*link)->next)
    {
      if (*link == self)
        {
          *link = self->next;
          break;
        }
    }
  pthread_mutex_unlock (&lists_lock);

  vtr_witness_swapchains_clear (self);
  self->down.DestroyDevice (device, allocator);
  pthread_mutex_destroy (&self->lock);
  free (self->queues);
  free (self);
}

static void
remember_queue (VtrWitnessDevice *self,
                VkQueue           queue,
                uint32_t          family)
{
  VtrWitnessQueue *queues;

  pthread_mutex_lock (&self->lock);
  queues = realloc (self->queues, (self->n_queues + 1) * sizeof *queues);
  if (queues != NULL)
    {
      self->queues = queues;
      self->queues[self->n_queues++] = (VtrWitnessQueue){ queue, family };
    }
  pthread_mutex_unlock (&self->lock);
}

static VKAPI_ATTR void VKAPI_CALL
vtr_witness_GetDeviceQueue (VkDevice  device,
                            uint32_t  family,
                            uint32_t  index,
                            VkQueue  *queue)
{
  VtrWitnessDevice *self = vtr_witness_device_find (device);

  self->down.GetDeviceQueue (device, family, index, queue);
  if (*queue != VK_NULL_HANDLE)
    remember_queue (self, *queue, family);
}

static VKAPI_ATTR void VKAPI_CALL
vtr_witness_GetDeviceQueue2 (VkDevice                  device,
                             const VkDeviceQueueInfo2 *info,
                             VkQueue                  *queue)
{
  VtrWitnessDevice *self = vtr_witness_device_find (device);

  self->down.GetDeviceQueue2 (device, info, queue);
  if (*queue != VK_NULL_HANDLE)
    remember_queue (self, *queue, info->queueFamilyIndex);
}

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL
vtr_witness_GetDeviceProcAddr (VkDevice    device,
                               const char *name);
static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL
vtr_witness_GetInstanceProcAddr (VkInstance  instance,
                                 const char *name);

/* The layer's own version of @name: always, except that entry points of an extension the
 * application did not enable must stay NULL, which the caller decides by asking below first. */
static PFN_vkVoidFunction
own_function (const char *name)
{
  static const struct
  {
    const char *name;
    PFN_vkVoidFunction function;
  } own[] = {
#define X(function) { "vk" #function, (PFN_vkVoidFunction)vtr_witness_##function },
    X (CreateDevice)
      X (CreateInstance)
        X (CreateSwapchainKHR)
          X (DestroyDevice)
            X (DestroyInstance)
              X (DestroySwapchainKHR)
                X (GetDeviceProcAddr)
                  X (GetDeviceQueue)
                    X (GetDeviceQueue2)
                      X (GetInstanceProcAddr)
                        X (QueuePresentKHR)
#undef X
  };

  for (size_t i = 0; i < sizeof own / sizeof own[0]; i++)
    {
      if (strcmp (own[i].name, name) == 0)
        return own[i].function;
    }

  return NULL;
}

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL
vtr_witness_GetDeviceProcAddr (VkDevice    device,
                               const char *name)
{
  VtrWitnessDevice *self = vtr_witness_device_find (device);
  PFN_vkVoidFunction below = self->get_proc_addr (device, name);
  PFN_vkVoidFunction own = own_function (name);

  return below != NULL && own != NULL ? own : below;
}

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL
vtr_witness_GetInstanceProcAddr (VkInstance  instance,
                                 const char *name)
{
  PFN_vkVoidFunction own = own_function (name);
  PFN_vkVoidFunction below;
  VtrWitnessInstance *self;

  /* The loader asks the topmost layer for vkCreateInstance with an instance that is in the
   * making. */
  self = instance != VK_NULL_HANDLE ? instance_find (instance) : NULL;
  if (self == NULL)
    return own;

  below = self->get_proc_addr (instance, name);

  return below != NULL && own != NULL ? own : below;
}

/* The one symbol that the layer exports. */
__attribute__ ((visibility ("default"))) VKAPI_ATTR VkResult VKAPI_CALL
vkNegotiateLoaderLayerInterfaceVersion (VkNegotiateLayerInterface *negotiation)
{
  if (negotiation->sType != LAYER_NEGOTIATE_INTERFACE_STRUCT ||
      negotiation->loaderLayerInterfaceVersion < 2)
    return VK_ERROR_INITIALIZATION_FAILED;

  negotiation->loaderLayerInterfaceVersion = 2;
  negotiation->pfnGetInstanceProcAddr = vtr_witness_GetInstanceProcAddr;
  negotiation->pfnGetDeviceProcAddr = vtr_witness_GetDeviceProcAddr;
  negotiation->pfnGetPhysicalDeviceProcAddr = NULL;

  return VK_SUCCESS;
}
