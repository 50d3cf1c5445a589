/* What a recorded command buffer writes to device memory, as bytes. For files of this folder. */
#pragma once

#include "base/vtr-buffer.h"
#include "base/vtr-range-set.h"
#include "engine/format/vtr-trace.h"

G_BEGIN_DECLS

typedef enum
{
  VTR_EVENT_EXACT, /* the GPU writes exactly these bytes */
  VTR_EVENT_MAYBE, /* it may write any of them */
  VTR_EVENT_KNOWN, /* exactly these, and the call says what */
  VTR_EVENT_CHILD, /* secondaries run here; not in flattened lists */
} VtrMemoryEventKind;

#define VTR_NO_EVENTS G_MAXUINT32

/* One write, or a run of commands that all write the same. */
typedef struct
{
  VtrMemoryEventKind kind;
  guint64 first, last; /* flat indices */
  guint first_range;   /* in .ranges of the list; CHILD: in .children */
  guint n_ranges;
} VtrMemoryEvent;

/**
 * VtrMemoryEvents:
 *
 * The writes of one run of a command buffer, in order, with those of the secondaries it executes.
 * Ranges are in the row of all memory (VtrMemoryPool.base). Zero-initialised is empty. Threading:
 * one at a time.
 */
typedef struct
{
  GArray *events;   /* VtrMemoryEvent */
  GArray *ranges;   /* VtrRange */
  GArray *children; /* guint32: positions in the store */
} VtrMemoryEvents;

void vtr_memory_events_init (VtrMemoryEvents *self);
void vtr_memory_events_finish (VtrMemoryEvents *self);
/* @kind: not CHILD. Ranges follow with vtr_memory_events_add_range(). */
void vtr_memory_events_begin (VtrMemoryEvents    *self,
                              VtrMemoryEventKind  kind,
                              guint64             first,
                              guint64             last);
void vtr_memory_events_add_range (VtrMemoryEvents *self,
                                  VtrRange         range);
/* Drops the event begun last if it has no ranges. */
void vtr_memory_events_end (VtrMemoryEvents *self);
/* The vkCmdExecuteCommands at @command runs what the store has at these positions (VTR_NO_EVENTS:
   nothing). */
void vtr_memory_events_add_children (VtrMemoryEvents *self,
                                     guint64          command,
                                     const guint32   *children,
                                     guint32          n);

/* Appends to the store. Returns: the position to find it by. Never VTR_NO_EVENTS: a store that is
   full (4 GiB) answers with an empty list. */
guint32 vtr_memory_events_store (const VtrMemoryEvents *self,
                                 VtrBuffer             *store);

/* Where in a run to stop: after the events of @last, in the recording reached by going down from
   .command to secondary .child at each step. */
typedef struct
{
  guint64 command; /* flat index, inclusive: of the vkCmdExecuteCommands, at the end of the last */
  guint32 child;   /* which of the secondaries there; G_MAXUINT32: this is the last step */
} VtrMemoryStep;

/* Reads a list back, secondaries in their places. @steps: (nullable): all of it. */
void vtr_memory_events_load (VtrMemoryEvents     *self,
                             const VtrBuffer     *store,
                             guint32              position,
                             const VtrMemoryStep *steps);

G_END_DECLS
