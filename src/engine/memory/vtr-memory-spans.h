/* The known contents of a piece of memory, as spans without gaps. */
#pragma once

#include "base/vtr-range-set.h"
#include "engine/memory/vtr-memory.h"

G_BEGIN_DECLS

/* VtrMemoryWhen something happened: the command it happened at, then its place in what happened there. */
typedef struct
{
  guint64 item, sequence;
} VtrMemoryWhen;

/* Found bytes, by address or place in the row of all memory. */
typedef struct
{
  guint64 begin, end;
  VtrMemoryKind kind;
  guint64 index;
  VtrMemoryWhen when;
} VtrMemoryFragment;

/* The spans of @range, without gaps; their offsets count from @base. @sure: (element-type
 * VtrMemoryFragment): the bytes that are known to have been there last, without overlaps.
 * @maybe: likewise, bytes that may have been written. Sorts both arrays. Returns: (transfer
 * full) (element-type VtrMemorySpan). */
GArray *vtr_memory_spans_make (GArray   *sure,
                               GArray   *maybe,
                               VtrRange  range,
                               guint64   base);

G_END_DECLS
