/* Made-up devices to replay on, and a trace that was captured on one of them. */
#pragma once

#include "engine/replay-builder/vtr-compatibility.h"
#include "engine/vulkan/host/vtr-vulkan-device-message.h"
#include "engine/vulkan/transforms/vtr-transforms.h"
#include "vtr-test-trace.h"

G_BEGIN_DECLS

/* Queue families: of a device with one, of a usual one, of one whose families are in another order,
   and of one that does not draw. */
extern const VkQueueFamilyProperties vtr_test_lone[1];
extern const VkQueueFamilyProperties vtr_test_desktop[3];
extern const VkQueueFamilyProperties vtr_test_reversed[3];
extern const VkQueueFamilyProperties vtr_test_compute_only[1];

VtrVulkanDevice *vtr_test_device_new (guint32                        index,
                                      const char                    *name,
                                      VkPhysicalDeviceType           type,
                                      const VkQueueFamilyProperties *families,
                                      guint                          n_families);
/* (transfer full) @device: the first of them. */
GPtrArray *vtr_test_devices_new (VtrVulkanDevice *device);

/* A backend on which every image can be made. */
VtrReplayBackend *vtr_test_backend_new (void);

/* Says that the captured device, "Captured", has these families. */
void vtr_test_describe (VtrTestTrace                  *trace,
                        const VkQueueFamilyProperties *families,
                        guint                          n_families);
/* A device with a queue of each of vtr_test_desktop's families. Returns: the call that made it. */
guint64 vtr_test_add_desktop (VtrTestTrace *trace);

VtrReplayPlan *vtr_test_plan_new (VtrTrace  *trace,
                                  GPtrArray *devices);

G_END_DECLS
