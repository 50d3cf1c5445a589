/* VK_KHR_ray_tracing_position_fetch by hand: compilers that know it are newer than Debian 12. */
#pragma once

#include "vtr-app.h"

#ifdef VK_KHR_ray_tracing_position_fetch
#define VTR_APP_RAYS_POSITIONS VK_KHR_RAY_TRACING_POSITION_FETCH_EXTENSION_NAME
#define VTR_APP_RAYS_ALLOW_POSITIONS VK_BUILD_ACCELERATION_STRUCTURE_ALLOW_DATA_ACCESS_KHR
typedef VkPhysicalDeviceRayTracingPositionFetchFeaturesKHR VtrAppRaysFeature;
static const VtrAppRaysFeature vtr_app_rays_positions = {
  .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_RAY_TRACING_POSITION_FETCH_FEATURES_KHR,
  .rayTracingPositionFetch = VK_TRUE,
};
#else
#define VTR_APP_RAYS_POSITIONS NULL
#define VTR_APP_RAYS_ALLOW_POSITIONS 0u
typedef VkBaseInStructure VtrAppRaysFeature;
static const VtrAppRaysFeature vtr_app_rays_positions;
#endif

/* Whether --positions is there. Ends the program where the headers do not know them. */
bool vtr_app_rays_want_positions (int    argc,
                                  char **argv);

/* The shader of what is hit; with @positions the one that looks at the corners of triangles.
 * *@size: bytes. (transfer none) */
const uint32_t *vtr_app_rays_hit (bool    positions,
                                  size_t *size);
