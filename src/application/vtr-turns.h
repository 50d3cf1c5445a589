/* Fair queues for D-Bus clients: limits how many jobs one client, and all of them together, may
 * have running and waiting. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * VtrTurns:
 *
 * Work that callers ask for. Of one caller a few jobs run at a time and others wait; a caller that
 * has too many is refused. Callers do not wait for each other, so one that floods us delays only
 * itself.
 *
 * Threading: main.
 */
typedef struct _VtrTurns VtrTurns;

typedef void (*VtrTurnFunc) (gpointer data);

VtrTurns *vtr_turns_new (void);
/* Jobs that still wait are dropped without a word. */
void vtr_turns_free (VtrTurns *self);
/* Calls @begin, now or when jobs of @sender have ended. FALSE: @sender has too many waiting, and
 * nothing is kept. */
gboolean vtr_turns_take (VtrTurns    *self,
                         const char  *sender,
                         VtrTurnFunc  begin,
                         gpointer     data);
/* A job of @sender that had begun has ended. It may begin the next one before it returns. */
void vtr_turns_give_back (VtrTurns   *self,
                          const char *sender);

/* How many requests one of @n_senders may have at a time, so that all together stay within bounds;
 * at least 1. */
guint vtr_turns_share (guint n_senders);

G_END_DECLS
