/* The devices that a trace describes. */
#pragma once

#include "engine/format/vtr-trace.h"
#include "vulkan/vtr-vulkan.h"

G_BEGIN_DECLS

/* What the recorder noted of a VkDevice at its creation, in native structures. */
typedef struct
{
  guint64 device;          /* VkDevice handle at that time */
  guint64 physical_device; /* VkPhysicalDevice */
  guint64 command;         /* flat index of its vkCreateDevice */
  VkPhysicalDeviceProperties properties;
  VkPhysicalDeviceMemoryProperties memory;
  guint32 n_queue_families;
  const VkQueueFamilyProperties *queue_families;
} VtrTraceDevice;

/* Threading: any. */
guint vtr_trace_get_n_devices (VtrTrace *self);
/* Returns: (transfer none): NULL beyond the last. */
const VtrTraceDevice *vtr_trace_get_device (VtrTrace *self,
                                            guint     nth);

/* Adds one while the trace is opened, with a text and counts that nothing need check again. @device: (transfer full);
 * its .queue_families belong to the trace (vtr_trace_take_string ()). Threading: the thread that opens. */
void vtr_trace_add_device (VtrTrace       *self,
                           VtrTraceDevice *device);

G_END_DECLS
