/* A small replay machine that shares no code with the replayer's: it runs the words that the
 * builder sends and keeps every call with the arguments that the driver would have got. */
#pragma once

#include "engine/replay-builder/vtr-replay-builder.h"

typedef struct
{
  guint32 function; /* VtrCmdId or VtrReplayFunction */
  guint64 label;
  guint n_values;
  guint64 values[16];
  void *args; /* VtrArgs_…; pointers lead into the machine's memory, valid until the next call */
} VtrTestCall;

typedef struct
{
  guint8 *memory; /* the volatile space */
  guint64 stack[512];
  guint depth;
  guint64 label;
  guint64 n_resources;
  guint64 next_handle; /* what the next created object gets */
  guint n_addresses;   /* asked for */
  VtrReplayBuilder *builder;
  GArray *calls; /* VtrTestCall */
  /* Looks at a call while its arguments are in memory. */
  void (*called) (const VtrTestCall *call,
                  gpointer data);
  gpointer data;
} VtrTestMachine;

void vtr_test_machine_init (VtrTestMachine *self);
void vtr_test_machine_finish (VtrTestMachine *self);

/* What the @nth VTR_REPLAY_FIND_ADDRESS finds. */
guint64 vtr_test_machine_distance (guint nth);

/* A VtrReplaySend; data is the machine. */
gboolean vtr_test_machine_send (const VtrReplaySegment  *segment,
                                gpointer                 data,
                                GError                 **error);
const VtrTestCall *vtr_test_machine_last (VtrTestMachine *self);
