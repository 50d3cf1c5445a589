/* Bytes that the two halves of Vulkan, in the engine and in the replayer, exchange: descriptions of devices, and
 * questions about images. */
#pragma once

#include "engine/vulkan/host/vtr-vulkan-device.h"

G_BEGIN_DECLS

/* Of VtrBuildApi. Sizes in @bytes are not trusted. */
VtrReplayDevice *vtr_vulkan_device_from_bytes (gconstpointer bytes,
                                               gsize         size);

/* An image that a device is asked about, and the answer; as in vtr-vulkan-device.proto. */
typedef struct
{
  guint32 format, type, tiling, usage, flags;
} VtrVulkanImageKind;

typedef struct
{
  gint32 result; /* VkResult */
  guint32 width, height, depth, mips, layers, samples;
} VtrVulkanImageLimits;

/* Whether device @index can make images: @answers gets one answer for each of @kinds. Blocks; between requests. Errors:
 * those of the backend. */
gboolean vtr_vulkan_device_check_images (VtrReplayBackend          *backend,
                                         guint32                    index,
                                         const VtrVulkanImageKind  *kinds,
                                         gsize                      n,
                                         VtrVulkanImageLimits      *answers,
                                         GCancellable              *cancellable,
                                         GError                   **error);

G_END_DECLS
