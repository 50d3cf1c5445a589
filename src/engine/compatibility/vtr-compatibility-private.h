/* The pass over a trace that finds what a device cannot do. */
#pragma once

#include "engine/compatibility/vtr-compatibility.h"

G_BEGIN_DECLS

/* The command being looked at, and the devices it concerns. */
typedef struct
{
  VtrTrace *trace;
  VtrReplayPlan *plan;
  GPtrArray *findings; /* VtrCompatibilityFinding */
  GHashTable *by_text; /* their text → themselves */
  GHashTable *images;  /* by their kind → images, see vtr-compatibility-limits.c */
  GHashTable *used;    /* name of a feature → flat index + 1 of its first use */
  GHashTable *missing; /* name of a feature that a device lacks → flat index of vkCreateDevice */
  GHashTable *structs; /* VtrExtensionId of structures that are passed → flat index + 1 */
  guint64 *first;      /* by VtrCmdId: its first use, or VTR_COMMAND_NO_INDEX */
  const VtrCommand *command;
  const VtrTraceDevice *captured; /* of the command; NULL: it replays where it was captured */
  const VtrReplayDevice *target;
} VtrCompatibilityScan;

/* Adds a finding at the command @index; one of the same text gets the command. */
void vtr_compatibility_add (VtrCompatibilityScan *self,
                            VtrCompatibilityLevel level,
                            const char *what,
                            guint64 index,
                            const char *format,
                            ...) G_GNUC_PRINTF (5, 6);

/* Extensions and features (vtr-compatibility-features.c). */
void vtr_compatibility_scan_device (VtrCompatibilityScan *self);
void vtr_compatibility_scan_features (VtrCompatibilityScan *self);
void vtr_compatibility_end_features (VtrCompatibilityScan *self);

/* Device addresses (vtr-compatibility-addresses.c). *@counts: (out): VtrAddressCount; NULL where none
 * are guessed. */
gboolean vtr_compatibility_count_addresses (VtrCompatibilityScan  *self,
                                            GArray               **counts,
                                            GCancellable          *cancellable,
                                            GError               **error);
void vtr_compatibility_end_addresses (VtrCompatibilityScan *self,
                                      const GArray         *counts);

/* Images, formats and limits (vtr-compatibility-limits.c). */
void vtr_compatibility_scan_limits (VtrCompatibilityScan *self);
void vtr_compatibility_images_free (gpointer data);
gboolean vtr_compatibility_end_images (VtrCompatibilityScan  *self,
                                       VtrReplayBackend      *backend,
                                       GError               **error);

G_END_DECLS
