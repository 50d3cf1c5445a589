/* Which commands are replayed, and how. */
#pragma once

#include "api/vtr-api-types.h"
#include "engine/format/vtr-command.h"

G_BEGIN_DECLS

typedef struct _VtrReplayBuilder VtrReplayBuilder;

/* Builds a command that means something else at replay. */
typedef gboolean (*VtrReplayCustom) (VtrReplayBuilder *builder,
                                     const VtrCommand *command,
                                     GError **error);

typedef enum
{
  VTR_REPLAY_CALL,    /* as it was called */
  VTR_REPLAY_LEAVE,   /* not replayed: nothing depends on it */
  VTR_REPLAY_CUSTOM,  /* .custom builds it */
  VTR_REPLAY_DECLINE, /* cannot be replayed: the request fails with .reason */
} VtrReplayAction;

typedef struct
{
  VtrReplayAction action;
  gboolean ignore_result; /* replayed even when the call failed */
  VtrReplayCustom custom;
  const char *reason;    /* for people; NULL where the class says enough */
  const char *elsewhere; /* why it is declined on another device or driver; NULL: it is not */
} VtrReplayRule;

/* The rule of a command. Made for the whole registry on first use. Threading: any. */
const VtrReplayRule *vtr_replay_rule_get (VtrCmdId id);

/* Why the call is declined on another device or driver: because of its .elsewhere, or of bytes among its
 * arguments that are the captured driver's own. Returns: NULL: it is not. Static. */
const char *vtr_replay_rule_why_not_elsewhere (const VtrReplayRule *rule,
                                               const VtrCommand    *command);

/* Whether the call did in the capture what a replay should do again: it returned, did not fail,
 * and did not answer "not yet". */
gboolean vtr_replay_rule_result_counts (const VtrReplayRule *rule,
                                        const VtrCommand    *command);

G_END_DECLS
