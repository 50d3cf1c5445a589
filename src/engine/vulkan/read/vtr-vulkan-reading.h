/* What Vulkan keeps of a trace that is read. */
#pragma once

#include "engine/vulkan/read/vtr-shared-handles.h"
#include "engine/vulkan/read/vtr-trace-device.h"

G_BEGIN_DECLS

/* Threading: any, once the trace is open. */
typedef struct
{
  GPtrArray *devices;               /* VtrTraceDevice */
  VtrSharedHandles *shared_handles; /* NULL: all handles are different */
} VtrVulkanReading;

G_END_DECLS
