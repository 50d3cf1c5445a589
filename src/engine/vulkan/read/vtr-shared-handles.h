/* Handles that two devices (or instances) of a program have at the same time for different
 * objects. */
#pragma once

#include "engine/format/vtr-trace.h"

G_BEGIN_DECLS

/**
 * VtrSharedHandles:
 *
 * A handle of Vulkan that is no pointer means something only together with its device, or with its
 * instance; drivers that number their objects give every device the same ones. All that is above
 * the trace knows an object by type, value and lifetime, so values that a second device or instance
 * has as well are replaced by numbers that nothing else in the trace has, wherever a command or a
 * content of memory names them. Made of two-device traces only: others are read as ever.
 * Threading: any (immutable once found).
 */
typedef struct _VtrSharedHandles VtrSharedHandles;

/* Looks through all that makes something, where two devices or instances live at the same time.
 * *@out: (transfer full) (nullable): NULL when all values are different. */
gboolean vtr_shared_handles_find (VtrTrace          *trace,
                                  VtrTraceProgress   progress,
                                  gpointer           progress_data,
                                  GCancellable      *cancellable,
                                  VtrSharedHandles **out,
                                  GError           **error);
void vtr_shared_handles_free (VtrSharedHandles *self);

/* Replaces the handles in a command as it was decoded. */
void vtr_shared_handles_apply (const VtrSharedHandles *self,
                               VtrCommand             *command);

/* Returns: what stands for @handle of @device, of a type that belongs to devices. */
guint64 vtr_shared_handles_replace (const VtrSharedHandles *self,
                                    VtrHandleId             type,
                                    guint64                 device,
                                    guint64                 handle);

/* Returns: the driver's value of what @handle stands for; @handle itself if it was not replaced. */
guint64 vtr_shared_handles_get_driver_handle (const VtrSharedHandles *self,
                                              guint64                 handle);

G_END_DECLS
