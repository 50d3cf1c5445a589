/* vtr-app-offers: prints the version of a device, and whether it has the named functions and
 * extensions. */
#include "vtr-app.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool
offers_extension (VkPhysicalDevice  device,
                  const char       *name)
{
  VkExtensionProperties *all;
  bool found = false;
  uint32_t n = 0;

  vtr_app_check (vkEnumerateDeviceExtensionProperties (device, NULL, &n, NULL),
                 "vkEnumerateDeviceExtensionProperties");
  all = calloc (n + 1, sizeof *all);
  vtr_app_check (vkEnumerateDeviceExtensionProperties (device, NULL, &n, all),
                 "vkEnumerateDeviceExtensionProperties");
  for (uint32_t i = 0; i < n && !found; i++)
    found = strcmp (all[i].extensionName, name) == 0;
  free (all);
  return found;
}

int
main (int    argc,
      char **argv)
{
  VkPhysicalDeviceProperties properties;
  VtrAppGpu gpu = { 0 };

  vtr_app_gpu_init (&gpu, NULL, false);
  vkGetPhysicalDeviceProperties (gpu.physical, &properties);
  printf ("version %u.%u\n", VK_API_VERSION_MAJOR (properties.apiVersion),
          VK_API_VERSION_MINOR (properties.apiVersion));
  for (int i = 1; i < argc; i++)
    {
      const bool there = strncmp (argv[i], "VK_", 3) == 0
                           ? offers_extension (gpu.physical, argv[i])
                           : vkGetDeviceProcAddr (gpu.device, argv[i]) != NULL;

      printf ("%s %s\n", argv[i], there ? "is there" : "is not there");
    }
  vtr_app_gpu_finish (&gpu);
  return 0;
}
