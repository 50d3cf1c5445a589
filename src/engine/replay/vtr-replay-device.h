/* This machine's Vulkan devices and their features, as the replayer reports them. */
#pragma once

#include <gio/gio.h>

#include "api/vtr-api-types.h"
#include "vulkan/vtr-vulkan.h"

G_BEGIN_DECLS

/**
 * VtrReplayDevice:
 *
 * A physical device. Threading: any (immutable); atomically reference-counted.
 */
typedef struct
{
  guint32 index; /* in the loader's order */
  VkPhysicalDeviceProperties properties;
  VkPhysicalDeviceMemoryProperties memory;
  VkQueueFamilyProperties *families;
  guint n_families;
  GStrv extensions;
  char *driver; /* name and version; "" unknown */
  /* private */
  GHashTable *features; /* sType → GBytes of VkBool32 */
  GHashTable *more;     /* sType → GBytes of the structure */
  GHashTable *formats;  /* VkFormat → VkFormatProperties */
} VtrReplayDevice;

VtrReplayDevice *vtr_replay_device_new (void);
VtrReplayDevice *vtr_replay_device_ref (VtrReplayDevice *self);
void vtr_replay_device_unref (VtrReplayDevice *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (VtrReplayDevice, vtr_replay_device_unref)

/* To fill a new one. @bytes: of a description's message (vtr-replay.proto). */
void vtr_replay_device_set_features (VtrReplayDevice *self,
                                     gconstpointer    bytes,
                                     gsize            size);
void vtr_replay_device_set_properties (VtrReplayDevice *self,
                                       gconstpointer    bytes,
                                       gsize            size);
void vtr_replay_device_set_formats (VtrReplayDevice *self,
                                    gconstpointer    bytes,
                                    gsize            size);

gboolean vtr_replay_device_has_extension (const VtrReplayDevice *self,
                                          const char            *name);

/* The @n booleans of the feature structure @s_type (VkPhysicalDeviceFeatures2: of
 * VkPhysicalDeviceFeatures). Returns: NULL when the device does not know the structure; *@n of
 * them. */
const VkBool32 *vtr_replay_device_get_features (const VtrReplayDevice *self,
                                                VkStructureType        s_type,
                                                guint                 *n);

/* The structure @s_type of those that extend VkPhysicalDeviceProperties2. Returns: NULL when the
 * device does not tell; *@size bytes. */
const guint8 *vtr_replay_device_get_properties (const VtrReplayDevice *self,
                                                VkStructureType        s_type,
                                                gsize                 *size);

/* Zeroes when the device cannot do anything with the format. */
VkFormatProperties vtr_replay_device_get_format (const VtrReplayDevice *self,
                                                 VkFormat               format);

/* "Discrete GPU", … */
const char *vtr_replay_device_get_type (const VtrReplayDevice *self);

/* The device of @devices that a trace captured on @captured (nullable) replays on: the same one,
 * else the best real GPU, else the best there is. Returns: NULL when @devices is empty. */
VtrReplayDevice *vtr_replay_device_choose (GPtrArray                        *devices,
                                           const VkPhysicalDeviceProperties *captured);

/* The device that @wanted names: its place, from 0, its name, or part of the name that no other has.
 * Errors: VTR_REPLAY_ERROR_DRIVER, naming those that there are. */
VtrReplayDevice *vtr_replay_device_find (GPtrArray   *devices,
                                         const char  *wanted,
                                         GError     **error);

G_END_DECLS
