/* How a command is replayed: what APIs answer (VtrBuildApi.rule). */
#pragma once

#include "engine/format/vtr-command.h"

G_BEGIN_DECLS

typedef struct _VtrReplayBuilder VtrReplayBuilder;

/* Builds a command that a replay has to run differently. */
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

typedef struct _VtrReplayRule
{
  VtrReplayAction action;
  gboolean ignore_result; /* replayed even when the call failed */
  VtrReplayCustom custom;
  const char *reason;    /* for people; NULL where the class says enough */
  const char *elsewhere; /* why it is declined on another device or driver; NULL: it is not */
} VtrReplayRule;

G_END_DECLS
