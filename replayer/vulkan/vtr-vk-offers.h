/* The extensions, layers and versions that the loader offers to instances, and instances that outlive their request.
 *
 * Threading: one at a time. */
#pragma once

#include "vtr-vk-objects.h"

bool vtr_offers_layer (VtrReplayVk *vk,
                       const char  *name);

/* Whether the drivers or one of the @n_layers enabled @layers offer the extension. */
bool vtr_offers_extension (VtrReplayVk        *vk,
                           const char  *const *layers,
                           uint32_t            n_layers,
                           const char         *name);
void vtr_offers_finish (VtrReplayVk *vk);

/* Returns: (transfer full): the parked instance if it was created from the same, else NULL. */
VtrParkedInstance *vtr_parked_instance_take (VtrReplayVk                *vk,
                                             const VkInstanceCreateInfo *info);

/* Returns: NULL when out of memory. */
VtrParkedInstance *vtr_parked_instance_new (const VkInstanceCreateInfo *info,
                                            VkInstance                  instance);

/* Takes over @instance, instead of the one parked before. */
void vtr_parked_instance_park (VtrReplayVk       *vk,
                               VtrParkedInstance *instance);

/* Ends the instance by which devices were described. */
void vtr_describer_close (VtrReplayVk *vk);

/* Accepts NULL. */
void vtr_parked_instance_destroy (VtrReplayVk       *vk,
                                  VtrParkedInstance *parked);

/* Our callback for VK_EXT_debug_utils, with the VtrReplayVk as user data. */
VKAPI_ATTR VkBool32 VKAPI_CALL vtr_replay_vk_debug (VkDebugUtilsMessageSeverityFlagBitsEXT      severity,
                                                    VkDebugUtilsMessageTypeFlagsEXT             types,
                                                    const VkDebugUtilsMessengerCallbackDataEXT *data,
                                                    void                                       *user);

/* Visits the files that the loader, drivers and layers need outside of the system's folders. */
void vtr_vulkan_visit_files (VtrSandboxAllow  allow,
                             void            *data);

/* (u64 instance, u32 vendor, u32 device, u32 nth, pointer name, pointer out) */
uint64_t vtr_synthetic_get_physical_device (void *context, const uint64_t *args);
