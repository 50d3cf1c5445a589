/* Fair queues for D-Bus clients: limits how many jobs one client, and all of them together, may
 * have running and waiting. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * VtrTurns:
 *
 * A few jobs of each caller run at a time and others wait; a caller with too many jobs is refused.
 * Callers do not wait for each other, so a caller that sends too much delays only itself.
 *
 * Threading: main.
 */
typedef struct _VtrTurns VtrTurns;

typedef void (*VtrTurnFunc) (gpointer data);

VtrTurns *vtr_turns_new (void);
/* Drops waiting jobs without calling back. */
void vtr_turns_free (VtrTurns *self);
/* Calls @begin now, or when jobs of @sender have ended. Returns: FALSE: @sender has too many
 * waiting jobs, and @begin is not called. */
gboolean vtr_turns_take (VtrTurns    *self,
                         const char  *sender,
                         VtrTurnFunc  begin,
                         gpointer     data);
/* Call it when a job of @sender has ended. It may begin the next one before it returns. */
void vtr_turns_give_back (VtrTurns   *self,
                          const char *sender);

/* The most requests that one of @n_senders may have at a time, so that all together stay within the
 * limit; at least 1. */
guint vtr_turns_share (guint n_senders);

G_END_DECLS
