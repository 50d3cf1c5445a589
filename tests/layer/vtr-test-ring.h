/* A simple reader of the shared ring for the tests of its writer, which does not check the data.
 *
 * Threading: one at a time; the writer may be running. */
#pragma once

#include <glib.h>

#include "wire/vtr-ring-writer.h"

typedef struct
{
  guint16 type;
  guint16 flags;
  guint64 ticket; /* 0 in blocks */
  guint64 thread; /* of the log */
  guint8 *payload;
  gsize size;
} VtrTestRecord;

typedef struct
{
  VtrRingHeader *header;
  gsize size;
  int fd;
  GArray *records; /* VtrTestRecord of the logs, in the order of finding */
  GArray *cursors; /* where each stream was left */
  gboolean release;
} VtrTestRing;

/* Makes a ring in an unnamed file. @release: give segments back once they were read. */
VtrTestRing *vtr_test_ring_new (guint32  n_segments,
                                guint32  n_streams,
                                gboolean release);
void vtr_test_ring_free (VtrTestRing *self);

/* Another descriptor of the ring's file. */
int vtr_test_ring_dup (VtrTestRing *self);

/* Reads the committed records. Returns: the number of new records. */
guint vtr_test_ring_drain (VtrTestRing *self);

/* Drops all records read so far, including blocks. */
void vtr_test_ring_discard (VtrTestRing *self);

/* The records sorted by ticket; with blocks in their place when @unfold. Free with g_array_unref(). */
GArray *vtr_test_ring_sorted (VtrTestRing *self,
                              gboolean     unfold);

/* Reads the block that a VTR_RECORD_BLOCK names: an array of VtrTestRecord without tickets. A
 * .bytes of 0: to its end. */
GArray *vtr_test_ring_read_block (VtrTestRing           *self,
                                  const VtrRingBlockRef *ref);

/* Segments in use, the writer's spare included. */
guint vtr_test_ring_count_taken (VtrTestRing *self);
