/* A Vulkan driver that says it is another device: lavapipe (or what OTHER_DRIVER_LIBRARY names)
 * with other memory types, alignments, sizes, row pitches, queue families, and without some
 * extensions and features. It keeps the program to what it says: a binding that breaks its
 * requirements, a mapping of memory that cannot be mapped, an unknown queue family or an extension
 * that it hides fail the call, with a sentence on stderr.
 *
 * OTHER_DRIVER_HIDES names more extensions to hide, with commas between. OTHER_DRIVER_SHIFT:
 * resources lie so many bytes further on in the real memory, once, twice or three times, memory by
 * memory.
 * OTHER_DRIVER_IMPORTS=0: no memory can be imported, whatever the extensions say.
 *
 * For tests of replay on another device than the captured one. Shares no code with the product.
 * Threading: any. */
#include "vtr-other-driver.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vulkan/vk_icd.h>

#define EXPORT __attribute__ ((visibility ("default")))

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static VtrOtherThing *things[1024];
static PFN_vkGetInstanceProcAddr real_get_instance;
static PFN_vkGetInstanceProcAddr real_get_physical;
static VkInstance last_instance;
static VkDevice last_device;

/* --- The real driver ------------------------------------------------------------------------- */

static void
load (void)
{
  const char *path = getenv ("OTHER_DRIVER_LIBRARY");
  void *library;

  if (real_get_instance != NULL)
    return;
  library = dlopen (path != NULL ? path : "libvulkan_lvp.so", RTLD_NOW | RTLD_LOCAL);
  if (library == NULL)
    {
      fprintf (stderr, "other driver: %s\n", dlerror ());
      return;
    }
  real_get_physical =
    (PFN_vkGetInstanceProcAddr)dlsym (library, "vk_icdGetPhysicalDeviceProcAddr");
  real_get_instance = (PFN_vkGetInstanceProcAddr)dlsym (library, "vk_icdGetInstanceProcAddr");
}

static PFN_vkVoidFunction
real_by_name (const char *name)
{
  PFN_vkVoidFunction function = real_get_instance (last_instance, name);

  if (function == NULL && last_device != VK_NULL_HANDLE)
    function =
      ((PFN_vkGetDeviceProcAddr)real_get_instance (last_instance, "vkGetDeviceProcAddr")) (
        last_device, name);
  return function;
}

/* A 1.0 instance has some of them by their extensions' names only. */
PFN_vkVoidFunction
vtr_other_real (const char *name)
{
  PFN_vkVoidFunction function = real_by_name (name);
  char khr[128];

  if (function != NULL)
    return function;
  snprintf (khr, sizeof khr, "%sKHR", name);
  return real_by_name (khr);
}

void
vtr_other_set_device (VkDevice device)
{
  last_device = device;
}

/* --- What is remembered ---------------------------------------------------------------------- */

static VtrOtherThing **
bucket (uint64_t handle)
{
  return &things[(handle * 0x9e3779b97f4a7c15ull >> 40) % 1024];
}

VtrOtherThing *
vtr_other_find (uint32_t kind,
                uint64_t handle)
{
  VtrOtherThing *thing;

  pthread_mutex_lock (&lock);
  for (thing = *bucket (handle); thing != NULL; thing = thing->next)
    if (thing->handle == handle && thing->kind == kind)
      break;
  pthread_mutex_unlock (&lock);
  return thing;
}

VtrOtherThing *
vtr_other_add (uint32_t kind,
               uint64_t handle)
{
  VtrOtherThing *thing = calloc (1, sizeof *thing);

  thing->kind = kind;
  thing->handle = handle;
  pthread_mutex_lock (&lock);
  thing->next = *bucket (handle);
  *bucket (handle) = thing;
  pthread_mutex_unlock (&lock);
  return thing;
}

void
vtr_other_drop (uint32_t kind,
                uint64_t handle)
{
  pthread_mutex_lock (&lock);
  for (VtrOtherThing **link = bucket (handle); *link != NULL; link = &(*link)->next)
    if ((*link)->handle == handle && (*link)->kind == kind)
      {
        VtrOtherThing *thing = *link;

        *link = thing->next;
        free (thing->cache);
        free (thing);
        break;
      }
  pthread_mutex_unlock (&lock);
}

VkResult
vtr_other_refuse (const char *why)
{
  fprintf (stderr, "other driver: %s\n", why);
  return VK_ERROR_UNKNOWN;
}
/* --- The interface --------------------------------------------------------------------------- */

static VKAPI_ATTR VkResult VKAPI_CALL
create_instance (const VkInstanceCreateInfo  *info,
                 const VkAllocationCallbacks *allocator,
                 VkInstance                  *instance)
{
  PFN_vkCreateInstance create =
    (PFN_vkCreateInstance)real_get_instance (NULL, "vkCreateInstance");
  VkResult result = create (info, allocator, instance);

  if (result >= 0)
    last_instance = *instance;
  return result;
}

static PFN_vkVoidFunction get_device_proc (VkDevice    device,
                                           const char *name);

static const VtrOtherFunction general_functions[] = {
  VTR_OTHER_FUNCTION ("vkCreateInstance", create_instance),
  VTR_OTHER_FUNCTION ("vkGetDeviceProcAddr", get_device_proc),
  { 0 },
};

static const VtrOtherFunction *const ours[] = { general_functions, vtr_other_device_functions,
                                                vtr_other_memory_functions };

/* The KHR names of core functions are theirs too. */
static PFN_vkVoidFunction
find_ours (const char *name)
{
  size_t length = strlen (name);
  bool khr = length > 3 && strcmp (name + length - 3, "KHR") == 0;

  for (size_t part = 0; part < sizeof ours / sizeof *ours; part++)
    for (const VtrOtherFunction *own = ours[part]; own->name != NULL; own++)
      if (strcmp (own->name, name) == 0 ||
          (khr && strlen (own->name) == length - 3 && strncmp (own->name, name, length - 3) == 0))
        return own->function;
  return NULL;
}

static PFN_vkVoidFunction
get_device_proc (VkDevice    device,
                 const char *name)
{
  PFN_vkVoidFunction theirs = ((PFN_vkGetDeviceProcAddr)real_get_instance (
    last_instance, "vkGetDeviceProcAddr")) (device, name);
  PFN_vkVoidFunction own = theirs != NULL ? find_ours (name) : NULL;

  return own != NULL ? own : theirs;
}

EXPORT VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL
vk_icdGetInstanceProcAddr (VkInstance  instance,
                           const char *name)
{
  PFN_vkVoidFunction theirs, own;

  load ();
  if (real_get_instance == NULL)
    return NULL;
  theirs = real_get_instance (instance, name);
  own = theirs != NULL ? find_ours (name) : NULL;
  return own != NULL ? own : theirs;
}

EXPORT VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL
vk_icdGetPhysicalDeviceProcAddr (VkInstance  instance,
                                 const char *name)
{
  PFN_vkVoidFunction theirs, own;

  load ();
  theirs = real_get_physical != NULL ? real_get_physical (instance, name) : NULL;
  own = theirs != NULL ? find_ours (name) : NULL;
  return own != NULL ? own : theirs;
}

EXPORT VKAPI_ATTR VkResult VKAPI_CALL
vk_icdNegotiateLoaderICDInterfaceVersion (uint32_t *version)
{
  *version = *version < 5 ? *version : 5;
  return VK_SUCCESS;
}
