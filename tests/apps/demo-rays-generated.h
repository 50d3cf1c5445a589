/* Ray tracing launches that the device generates from sequences in memory
 * (VK_EXT_device_generated_commands), for vtr-app-demo-rays --generated.
 *
 * Threading: one at a time. */
#pragma once

#include "vtr-app-demo.h"

/* Extensions and features beside those of ray tracing; NULL where the headers do not know them. */
#define VTR_APP_RAYS_N_GENERATED 3u

extern const char *const vtr_app_rays_generated_extensions[VTR_APP_RAYS_N_GENERATED];

/* @nth: below VTR_APP_RAYS_N_GENERATED. NULL: the headers know none. *@size: bytes. */
const void *vtr_app_rays_generated_feature (uint32_t  nth,
                                            size_t   *size);

/* Whether --generated is there. Ends the program where the headers do not know such commands. */
bool vtr_app_rays_want_generated (int    argc,
                                  char **argv);

/* To be followed by VkRayTracingPipelineCreateInfoKHR.pNext: sequences may use the pipeline, which
 * has @flags, too. NULL: the headers lack this structure. (transfer none), until the next call */
const void *vtr_app_rays_generated_flags (VkPipelineCreateFlags flags);

/* @layout: of @pipeline, with the demo's push constants for all stages. */
void vtr_app_rays_generated_start (VtrAppDemo       *demo,
                                   VkPipeline        pipeline,
                                   VkPipelineLayout  layout);
/* Traces two sequences, each at a place of its own. @raygen, @miss, @hit: of the table. The pipeline
 * and its descriptors are bound. */
void vtr_app_rays_generated_trace (VtrAppDemo                            *demo,
                                   const VkStridedDeviceAddressRegionKHR *raygen,
                                   const VkStridedDeviceAddressRegionKHR *miss,
                                   const VkStridedDeviceAddressRegionKHR *hit);
void vtr_app_rays_generated_finish (VtrAppDemo *demo);
