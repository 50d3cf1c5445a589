/* vtr-app-needs: needs an extension of the first device. Without it, prints that and exits with
 * status 3 before it creates a device; --anyway: enables it nevertheless. */
#include "vtr-app.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool
is_offered (VkPhysicalDevice  physical,
            const char       *name)
{
  VkExtensionProperties *all;
  bool found = false;
  uint32_t n = 0;

  vtr_app_check (vkEnumerateDeviceExtensionProperties (physical, NULL, &n, NULL),
                 "vkEnumerateDeviceExtensionProperties");
  all = calloc (n + 1, sizeof *all);
  if (all == NULL)
    vtr_app_fail ("no memory");
  vtr_app_check (vkEnumerateDeviceExtensionProperties (physical, NULL, &n, all),
                 "vkEnumerateDeviceExtensionProperties");
  for (uint32_t i = 0; i < n; i++)
    found |= strcmp (all[i].extensionName, name) == 0;
  free (all);
  return found;
}

static VkResult
make_device (VkPhysicalDevice  physical,
             const char       *name)
{
  const float priority = 1;
  const VkDeviceQueueCreateInfo queue = {
    .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
    .queueCount = 1,
    .pQueuePriorities = &priority,
  };
  const VkDeviceCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
    .queueCreateInfoCount = 1,
    .pQueueCreateInfos = &queue,
    .enabledExtensionCount = 1,
    .ppEnabledExtensionNames = &name,
  };
  VkDevice device;
  VkResult result = vkCreateDevice (physical, &info, NULL, &device);

  if (result == VK_SUCCESS)
    vkDestroyDevice (device, NULL);
  return result;
}

int
main (int    argc,
      char **argv)
{
  const VkInstanceCreateInfo info = { .sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO };
  bool anyway = argc > 2 && strcmp (argv[2], "--anyway") == 0;
  VkPhysicalDeviceProperties properties;
  VkPhysicalDevice physical;
  VkInstance instance;
  uint32_t n = 1;
  VkResult result;

  if (argc < 2)
    vtr_app_fail ("say which extension");
  vtr_app_check (vkCreateInstance (&info, NULL, &instance), "vkCreateInstance");
  if (vkEnumeratePhysicalDevices (instance, &n, &physical) < 0 || n == 0)
    vtr_app_fail ("no device");
  vkGetPhysicalDeviceProperties (physical, &properties);
  if (!anyway && !is_offered (physical, argv[1]))
    {
      fprintf (stderr, "vtr-app-needs: there is no %s\n", argv[1]);
      vkDestroyInstance (instance, NULL);
      return 3;
    }
  result = make_device (physical, argv[1]);
  fprintf (stderr, "vtr-app-needs: vkCreateDevice returned %d\n", result);
  vkDestroyInstance (instance, NULL);
  return result == VK_SUCCESS ? 0 : 4;
}
