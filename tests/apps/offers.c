/* vtr-app-offers: the version of a device, and whether it has the functions that are named. */
#include "vtr-app.h"

#include <stdio.h>

int
main (int    argc,
      char **argv)
{
  VkPhysicalDeviceProperties properties;
  VtrAppGpu gpu;

  vtr_app_gpu_init (&gpu, NULL, false);
  vkGetPhysicalDeviceProperties (gpu.physical, &properties);
  printf ("version %u.%u\n", VK_API_VERSION_MAJOR (properties.apiVersion),
          VK_API_VERSION_MINOR (properties.apiVersion));
  for (int i = 1; i < argc; i++)
    printf ("%s %s\n", argv[i],
            vkGetDeviceProcAddr (gpu.device, argv[i]) != NULL ? "is there" : "is not there");
  vtr_app_gpu_finish (&gpu);
  return 0;
}
