/* Finds the devices of a GAPID trace that was recorded from launch, for VtrTraceDevice. */
#pragma once

#include "engine/format/vtr-trace-private.h"
#include "engine/vulkan/read/vtr-trace-device.h"

G_BEGIN_DECLS

/**
 * VtrGapidDevices:
 *
 * Threading: one at a time.
 */
typedef struct _VtrGapidDevices VtrGapidDevices;

VtrGapidDevices *vtr_gapid_devices_new (void);
void vtr_gapid_devices_free (VtrGapidDevices *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (VtrGapidDevices, vtr_gapid_devices_free)

/* An extra beside vkEnumeratePhysicalDevices: a map from physical devices to their facts. Other
 * messages mean nothing. */
void vtr_gapid_devices_take_extra (VtrGapidDevices     *self,
                                   const VtrTraceTypes *types,
                                   const VtrTraceType  *type,
                                   const guint8        *message,
                                   gsize                size);

/* Follows calls that ask for those facts, and vkCreateDevice, which adds to @trace's devices. */
void vtr_gapid_devices_follow (VtrGapidDevices  *self,
                               VtrTrace         *trace,
                               const VtrCommand *command);
gboolean vtr_gapid_devices_wants (VtrCmdId id);

G_END_DECLS
