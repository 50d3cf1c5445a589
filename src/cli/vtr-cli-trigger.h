/* The ways to start a waiting capture: a signal, Enter at the terminal, or `vitrine-cli trigger` in
 * another process. */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/* Threading: main. */
typedef struct _VtrCliTrigger VtrCliTrigger;

/* Calls @callback in the main context. @signal_number: 0: none. @terminal: whether Enter starts a
 * capture. */
VtrCliTrigger *vtr_cli_trigger_listen (int signal_number,
                                       gboolean terminal,
                                       void (*callback) (gpointer data),
                                       gpointer data);
void vtr_cli_trigger_free (VtrCliTrigger *self);

G_END_DECLS
