/* Limits how many D-Bus calls each client may have waiting for the main loop. */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/**
 * VtrRequestGate:
 *
 * Checks all calls on a connection: actions, files to open, questions. The main loop handles calls
 * in order of arrival, and drawing and idle work wait for all of them. So each caller may send a
 * number of calls until the main loop has been idle once. Further calls get
 * org.freedesktop.DBus.Error.LimitsExceeded at once, from the thread that reads the connection.
 * Each caller has a number of its own.
 *
 * Threading: main; calls are checked in GDBus' thread.
 */
typedef struct _VtrRequestGate VtrRequestGate;

/* Reports that @n calls were refused, a few times a minute at most. Threading: main. */
typedef void (*VtrRequestGateFunc) (guint n,
                                    gpointer data);

VtrRequestGate *vtr_request_gate_new (GDBusConnection    *connection,
                                      VtrRequestGateFunc  tell,
                                      gpointer            data);
/* Stops reporting. */
void vtr_request_gate_free (VtrRequestGate *self);
/* Answers a call with the error LimitsExceeded. */
void vtr_request_gate_refuse (GDBusMethodInvocation *invocation);

G_END_DECLS
