/* A Vulkan device of this machine: its properties, features and formats, as the driver reports them. */
#pragma once

#include "engine/replay/vtr-replay-backend.h"
#include "engine/replay/vtr-replay-device.h"
#include "vulkan/vtr-vulkan.h"

G_BEGIN_DECLS

typedef struct _JsonBuilder JsonBuilder;

/* The table of src/engine/vulkan/vtr-vulkan-api.c. */
extern const VtrApi vtr_api_vulkan;

/**
 * VtrVulkanDevice:
 *
 * A physical device. Threading: any (immutable); atomically reference-counted: vtr_replay_device_ref (&device->base).
 */
typedef struct
{
  VtrReplayDevice base;
  VkPhysicalDeviceProperties properties;
  VkPhysicalDeviceMemoryProperties memory;
  VkQueueFamilyProperties *families;
  guint n_families;
  GStrv extensions;
  /* private */
  GHashTable *features; /* sType → GBytes of VkBool32 */
  GHashTable *more;     /* sType → GBytes of the structure */
  GHashTable *formats;  /* VkFormat → VkFormatProperties */
} VtrVulkanDevice;

/* Without extensions, features, formats and queue families. (transfer full) */
VtrVulkanDevice *vtr_vulkan_device_new (guint32                           index,
                                        const VkPhysicalDeviceProperties *properties);

/* To fill a new one. @bytes: of a description's message (vtr-vulkan-device.proto). */
void vtr_vulkan_device_set_features (VtrVulkanDevice *self,
                                     gconstpointer    bytes,
                                     gsize            size);
void vtr_vulkan_device_set_properties (VtrVulkanDevice *self,
                                       gconstpointer    bytes,
                                       gsize            size);
void vtr_vulkan_device_set_formats (VtrVulkanDevice *self,
                                    gconstpointer    bytes,
                                    gsize            size);

gboolean vtr_vulkan_device_has_extension (const VtrVulkanDevice *self,
                                          const char            *name);

/* The @n booleans of the feature structure @s_type (VkPhysicalDeviceFeatures2: of
 * VkPhysicalDeviceFeatures). Returns: NULL when the device does not know the structure; *@n of
 * them. */
const VkBool32 *vtr_vulkan_device_get_features (const VtrVulkanDevice *self,
                                                VkStructureType        s_type,
                                                guint                 *n);

/* The structure @s_type of those that extend VkPhysicalDeviceProperties2. Returns: NULL when the
 * device does not tell; *@size bytes. */
const guint8 *vtr_vulkan_device_get_properties (const VtrVulkanDevice *self,
                                                VkStructureType        s_type,
                                                gsize                 *size);

/* Zeroes when the device cannot do anything with the format. */
VkFormatProperties vtr_vulkan_device_get_format (const VtrVulkanDevice *self,
                                                 VkFormat               format);

/* The device of @devices (VtrVulkanDevice) that a trace captured on @captured (nullable) replays on: the same one,
 * else the best real GPU, else the best there is. Returns: NULL when @devices is empty. */
VtrVulkanDevice *vtr_vulkan_device_choose (GPtrArray                        *devices,
                                           const VkPhysicalDeviceProperties *captured);

/* VtrBuildApi.describe_device. */
void vtr_vulkan_device_describe (const VtrReplayDevice *device,
                                 JsonBuilder           *builder);

/* "1.3.239". (transfer full) */
char *vtr_vulkan_format_version (guint32 version);

G_END_DECLS
