/* Positions in the order in which the commands of a trace take effect. */
#pragma once

#include "engine/state/vtr-timeline.h"

G_BEGIN_DECLS

/* A position in the order of effects. */
typedef struct _VtrStatePosition
{
  guint64 index;   /* of a call; VTR_COMMAND_NO_INDEX: before the first */
  guint32 run;     /* VTR_NO_RUN: the call is over; else it is a submission, … */
  guint64 command; /* … and this recorded command of that run is over */
} VtrStatePosition;

/* <0: @a comes first. */
int vtr_state_position_compare (VtrTimeline            *timeline,
                                const VtrStatePosition *a,
                                const VtrStatePosition *b);

/* The position of @run: the run of each level down to it, and the command that each has reached. */
#define VTR_MAX_LEVELS 12

typedef struct
{
  guint n;
  struct
  {
    guint32 run;
    guint64 command;
  } levels[VTR_MAX_LEVELS];
} VtrRunChain;

void vtr_run_chain_init (VtrRunChain            *self,
                         VtrTimeline            *timeline,
                         const VtrStatePosition *position);

G_END_DECLS
