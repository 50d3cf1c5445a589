/* Limits how many D-Bus calls each client may have waiting for the main loop. */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/**
 * VtrRequestGate:
 *
 * Stands before all calls on a connection: actions, files to open, questions. Calls wait in the main
 * loop until it comes to them, in order of arrival, and whatever is drawn or computed in idle time
 * waits for all of them. So a caller has a number of calls until the main loop has been idle once;
 * what it sends beyond that is answered at once with org.freedesktop.DBus.Error.LimitsExceeded, from
 * the thread that reads the connection. Other callers have numbers of their own.
 *
 * Threading: main; calls are judged in GDBus' thread.
 */
typedef struct _VtrRequestGate VtrRequestGate;

/* Tells of @n calls that were refused; a few times a minute at most. In the main thread. */
typedef void (*VtrRequestGateFunc) (guint n,
                                    gpointer data);

VtrRequestGate *vtr_request_gate_new (GDBusConnection    *connection,
                                      VtrRequestGateFunc  tell,
                                      gpointer            data);
/* Nothing is told any more. */
void vtr_request_gate_free (VtrRequestGate *self);
/* Answers a call with the error of one too many. */
void vtr_request_gate_refuse (GDBusMethodInvocation *invocation);

G_END_DECLS
