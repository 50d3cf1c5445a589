/* The writes of a command list to byte spaces when it runs. */
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
  VTR_EVENT_CHILD, /* other lists run here; not in flattened ones */
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
 * The writes of one run of a command list, in order, with those of the lists that it runs. Ranges
 * are in the row of all spaces (VtrMemorySpace.base, vtr-effects.h). Zero-initialised is empty. Threading:
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
/* Empties it. */
void vtr_memory_events_clear (VtrMemoryEvents *self);
/* @kind: not CHILD. Ranges follow with vtr_memory_events_add_range(). */
void vtr_memory_events_begin (VtrMemoryEvents    *self,
                              VtrMemoryEventKind  kind,
                              guint64             first,
                              guint64             last);
void vtr_memory_events_add_range (VtrMemoryEvents *self,
                                  VtrRange         range);
/* Drops the event begun last if it has no ranges. */
void vtr_memory_events_end (VtrMemoryEvents *self);
/* Command @command of the list runs the lists that the store has at these positions (VTR_NO_EVENTS:
   nothing). */
void vtr_memory_events_add_children (VtrMemoryEvents *self,
                                     guint64          command,
                                     const guint32   *children,
                                     guint32          n);

/* Appends to the store. Returns: the position to find it by. Never VTR_NO_EVENTS: a store that is
   full (4 GiB) answers with an empty list. */
guint32 vtr_memory_events_store (const VtrMemoryEvents *self,
                                 VtrBuffer             *store);

/* Where in a run to stop: in the list that is reached by going down from .command to the .child-th
   list that it runs, at each step. */
typedef struct
{
  guint64 command; /* flat index, inclusive: of what runs lists, at the end of the last */
  guint32 child;   /* which of the lists there; G_MAXUINT32: this is the last step */
} VtrMemoryStep;

/* Reads a list back, with the lists that it runs in their places. @steps: (nullable): all of it. */
void vtr_memory_events_load (VtrMemoryEvents     *self,
                             const VtrBuffer     *store,
                             guint32              position,
                             const VtrMemoryStep *steps);

G_END_DECLS
