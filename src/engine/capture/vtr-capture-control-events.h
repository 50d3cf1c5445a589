/* The messages of capture layers on the control socket. */
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
  /* A program that wanted to be recorded has ended, or given up, before its turn. */
  void (*missed) (const VtrCaptureHello *hello,
                  char **arguments,
                  gpointer data);
  /* (nullable). @names: features hidden from the program, as lines. */
  void (*withheld) (guint peer,
                    const char *names,
                    gpointer data);
} VtrCaptureControlEvents;

G_END_DECLS
