/* The control socket, on which programs that load the layer register (wire/vtr-capture-proto.h). */
#pragma once

#include "engine/capture/vtr-capture-control-events.h"

G_BEGIN_DECLS

/**
 * VtrCaptureControl: Threading: new and free: main; the callbacks come on threads of its own.
 */
typedef struct _VtrCaptureControl VtrCaptureControl;

/* @at_home: listens at VTR_CAPTURE_HOME_SOCKET, which programs without $VITRINE_SOCKET try; only
 * one host at a time can. Otherwise listens at a path of its own. */
VtrCaptureControl *vtr_capture_control_new (guint32                         options,
                                            gboolean                        at_home,
                                            const VtrCaptureControlEvents  *events,
                                            gpointer                        data,
                                            GError                        **error);
const char *vtr_capture_control_get_path (VtrCaptureControl *self);
/* Programs that said who they are, and are still there. */
guint vtr_capture_control_get_n_peers (VtrCaptureControl *self);
void vtr_capture_control_free (VtrCaptureControl *self);

G_END_DECLS
