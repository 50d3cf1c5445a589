/* The pass over a trace that finds what a device cannot do. */
#pragma once

#include "engine/replay-builder/vtr-compatibility.h"
#include "engine/vulkan/read/vtr-trace-device.h"
#include "engine/vulkan/replay-builder/vtr-replay-plan.h"

G_BEGIN_DECLS

/* The command being looked at, and the devices it concerns. */
typedef struct
{
  VtrTrace *trace;
  VtrReplayPlan *plan;
  VtrCompatibility *findings;
  GHashTable *images;      /* by their kind → images, see vtr-compatibility-limits.c */
  GHashTable *used;        /* name of a feature → flat index + 1 of its first use */
  GHashTable *missing;     /* name of a feature that a device lacks → flat index of vkCreateDevice */
  GHashTable *structs;     /* VtrExtensionId of structures that are passed → flat index + 1 */
  GHashTable *lacking;     /* what shaders declare and no way leads to → flat index + 1 */
  GHashTable *declared;    /* extensions and capabilities that they declare and the device has */
  GHashTable *volumes;     /* VkImage of three dimensions, guint64 */
  GHashTable *set_layouts; /* VkDescriptorSetLayout → see vtr-compatibility-sets.c */
  GHashTable *layouts;     /* VkPipelineLayout → GPtrArray of those */
  guint n_samplers;        /* that live */
  guint64 *first;          /* by VtrCmdId: its first use, or VTR_COMMAND_NO_INDEX */
  const VtrCommand *command;
  const VtrTraceDevice *captured; /* of the command; NULL: it replays where it was captured */
  const VtrVulkanDevice *target;
} VtrCompatibilityScan;

/* Extensions and features (vtr-compatibility-features.c). */
void vtr_compatibility_scan_device (VtrCompatibilityScan *self);
void vtr_compatibility_scan_features (VtrCompatibilityScan *self);
/* @feature, a constant, is @used by the command. */
void vtr_compatibility_use (VtrCompatibilityScan *self, const char *feature, gboolean used);
void vtr_compatibility_scan_maintenance (VtrCompatibilityScan *self);
void vtr_compatibility_end_features (VtrCompatibilityScan *self);

/* Device addresses (vtr-compatibility-addresses.c). *@counts: (out): VtrAddressCount; NULL where none
 * are guessed. */
gboolean vtr_compatibility_count_addresses (VtrCompatibilityScan  *self,
                                            GArray               **counts,
                                            GCancellable          *cancellable,
                                            GError               **error);
void vtr_compatibility_end_addresses (VtrCompatibilityScan *self,
                                      const GArray         *counts);

/* What shaders declare (vtr-compatibility-shaders.c). The end comes before that of features. */
void vtr_compatibility_scan_shaders (VtrCompatibilityScan *self);
void vtr_compatibility_end_shaders (VtrCompatibilityScan *self);

/* Whether the use of @feature is seen by what shaders declare. */
gboolean vtr_compatibility_shaders_tell (VtrCompatibilityScan *self,
                                         const char           *feature);

/* Limits (vtr-compatibility-limits.c): element @nth of the one of this name, of which @needed is
 * needed; a finding of @level where it is not there. */
void vtr_compatibility_check_limit (VtrCompatibilityScan  *self,
                                    VtrCompatibilityLevel  level,
                                    const char            *name,
                                    guint                  nth,
                                    double                 needed);
void vtr_compatibility_scan_limits (VtrCompatibilityScan *self);

/* Descriptors (vtr-compatibility-sets.c). */
void vtr_compatibility_scan_sets (VtrCompatibilityScan *self);
void vtr_compatibility_layout_free (gpointer data);

/* Images and formats (vtr-compatibility-images.c). */
const char *vtr_compatibility_format_name (guint32 format);
void vtr_compatibility_scan_images (VtrCompatibilityScan *self);
void vtr_compatibility_images_free (gpointer data);
gboolean vtr_compatibility_end_images (VtrCompatibilityScan  *self,
                                       VtrReplayBackend      *backend,
                                       GCancellable          *cancellable,
                                       GError               **error);

G_END_DECLS
