/* The control socket, on which programs that load the layer register (wire/vtr-capture-proto.h). */
#pragma once

#include <gio/gio.h>

#include "wire/vtr-capture-proto.h"

G_BEGIN_DECLS

/* Called on the control thread, .hello and .missed on the greeter's, and .hang_up on either, but never
 * before .hello has returned. @peer identifies a connection. */
typedef struct
{
  /* Decides: returns a ring's descriptor (transfer none) and its size, or -1 to decline. */
  int (*hello) (guint peer,
                const VtrCaptureHello *hello,
                char **arguments,
                guint64 *ring_bytes,
                gpointer data);
  void (*rung) (guint peer,
                const VtrCaptureRung *rung,
                gpointer data);
  void (*notice) (guint peer,
                  const VtrCaptureNotice *notice,
                  gpointer data);
  void (*hang_up) (guint peer,
                   gpointer data);
  /* A program wanted to be recorded and had gone, or given up, before its turn came. */
  void (*missed) (const VtrCaptureHello *hello,
                  char **arguments,
                  gpointer data);
  /* NULL: nobody wants to know. @names: what the program is not told of, as lines. */
  void (*withheld) (guint peer,
                    const char *names,
                    gpointer data);
} VtrCaptureControlEvents;

/**
 * VtrCaptureControl: Threading: new and free: main; the callbacks come on threads of its own.
 */
typedef struct _VtrCaptureControl VtrCaptureControl;

/* @at_home: listens at VTR_CAPTURE_HOME_SOCKET, where programs look that nobody told, one at a
 * time; else at a path of its own. */
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
