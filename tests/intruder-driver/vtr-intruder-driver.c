/* A Vulkan driver that has been taken over: lavapipe (or what INTRUDER_LIBRARY names), but whoever
 * loads it finds it trying what a hostile trace would try once it runs code of its own: when an
 * instance is made, on a thread begun then, and when something is submitted.
 *
 * For tests of the replayer's sandbox, inside the replayer itself. Shares no code with the product.
 * Threading: any. */
#include "vtr-intruder-acts.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <vulkan/vk_icd.h>
#include <vulkan/vulkan.h>

#define EXPORT __attribute__ ((visibility ("default")))

static PFN_vkGetInstanceProcAddr real_get;
static PFN_vkCreateInstance real_create_instance;
static PFN_vkGetDeviceProcAddr real_get_device;
static PFN_vkQueueSubmit real_submit;
static pthread_once_t submitted = PTHREAD_ONCE_INIT;

static PFN_vkVoidFunction VKAPI_CALL get_device (VkDevice    device,
                                                 const char *name);

static void
load (void)
{
  const char *path = getenv ("INTRUDER_LIBRARY");
  void *library;

  if (real_get != NULL)
    return;
  library = dlopen (path != NULL ? path : "libvulkan_lvp.so", RTLD_NOW | RTLD_LOCAL);
  if (library != NULL)
    real_get = (PFN_vkGetInstanceProcAddr)dlsym (library, "vk_icdGetInstanceProcAddr");
}

static void *
work (void *data)
{
  (void)data;
  vtr_intruder_act ("thread");
  return NULL;
}

static VKAPI_ATTR VkResult VKAPI_CALL
create_instance (const VkInstanceCreateInfo  *info,
                 const VkAllocationCallbacks *allocator,
                 VkInstance                  *instance)
{
  VkResult result = real_create_instance (info, allocator, instance);
  pthread_t thread;

  if (result != VK_SUCCESS)
    return result;
  if (getenv ("INTRUDER_PLANT") != NULL)
    vtr_intruder_plant ();
  else
    vtr_intruder_act ("instance");
  if (getenv ("INTRUDER_PLANT") == NULL && pthread_create (&thread, NULL, work, NULL) == 0)
    pthread_join (thread, NULL);
  real_get_device = (PFN_vkGetDeviceProcAddr)real_get (*instance, "vkGetDeviceProcAddr");
  return result;
}

static void
act_once (void)
{
  if (getenv ("INTRUDER_GREED") != NULL)
    vtr_intruder_be_greedy ();
  else if (getenv ("INTRUDER_PLANT") != NULL)
    vtr_intruder_plant ();
  else
    vtr_intruder_act ("submit");
}

static VKAPI_ATTR VkResult VKAPI_CALL
submit (VkQueue             queue,
        uint32_t            count,
        const VkSubmitInfo *submits,
        VkFence             fence)
{
  pthread_once (&submitted, act_once);
  return real_submit (queue, count, submits, fence);
}

static PFN_vkVoidFunction
replace (const char         *name,
         PFN_vkVoidFunction  real)
{
  if (real == NULL)
    return NULL;
  if (strcmp (name, "vkCreateInstance") == 0)
    {
      real_create_instance = (PFN_vkCreateInstance)real;
      return (PFN_vkVoidFunction)create_instance;
    }
  if (strcmp (name, "vkGetDeviceProcAddr") == 0)
    return (PFN_vkVoidFunction)get_device;
  if (strcmp (name, "vkQueueSubmit") == 0)
    {
      real_submit = (PFN_vkQueueSubmit)real;
      return (PFN_vkVoidFunction)submit;
    }
  return real;
}

static PFN_vkVoidFunction VKAPI_CALL
get_device (VkDevice    device,
            const char *name)
{
  return replace (name, real_get_device (device, name));
}

EXPORT VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL
vk_icdGetInstanceProcAddr (VkInstance  instance,
                           const char *name)
{
  load ();
  return real_get != NULL ? replace (name, real_get (instance, name)) : NULL;
}

EXPORT VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL
vk_icdGetPhysicalDeviceProcAddr (VkInstance  instance,
                                 const char *name)
{
  return NULL;
}

EXPORT VKAPI_ATTR VkResult VKAPI_CALL
vk_icdNegotiateLoaderICDInterfaceVersion (uint32_t *version)
{
  load ();
  if (*version > 5)
    *version = 5;
  return real_get != NULL ? VK_SUCCESS : VK_ERROR_INITIALIZATION_FAILED;
}
