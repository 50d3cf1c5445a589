/* Messages of GAPID's state, read into a graph by the descriptors of their file. */
#pragma once

#include "engine/format/vtr-trace-types.h"

G_BEGIN_DECLS

typedef enum
{
  VTR_GAPID_NUMBER,  /* .number: integers widened to 64 bits */
  VTR_GAPID_REAL,    /* .real */
  VTR_GAPID_BYTES,   /* .bytes, .n: strings too (no NUL) */
  VTR_GAPID_MESSAGE, /* .fields[.n], in the order of .type; NULL: absent, so zero or empty */
  VTR_GAPID_LIST,    /* .items[.n] */
  VTR_GAPID_NUMBERS, /* .numbers[.n]: a list of integers */
  VTR_GAPID_REALS,   /* .reals[.n] */
} VtrGapidKind;

/**
 * VtrGapidValue:
 *
 * A node. References are gone: all that refer to one object point to the same node, so the graph
 * may have cycles. Threading: one at a time (.used is set by looking at it).
 */
typedef struct _VtrGapidValue VtrGapidValue;
struct _VtrGapidValue
{
  VtrGapidKind kind;
  gboolean used; /* somebody asked for it by name */
  gsize n;
  const VtrPackType *type; /* of a message */
  union
  {
    guint64 number;
    double real;
    const guint8 *bytes; /* borrowed from the file */
    VtrGapidValue **fields;
    VtrGapidValue **items;
    guint64 *numbers;
    double *reals;
  };
};

/**
 * vtr_gapid_parse:
 * @n_broken: (out): references that lead nowhere or to something of another type
 *
 * Reads a message with all that it refers to into @arena. Bounded: nesting beyond all reason and
 * values that do not fit their descriptor are left out and counted as broken. Memory is in
 * proportion to @size. Returns: NULL when the memory is missing or the message is no protobuf.
 */
VtrGapidValue *vtr_gapid_parse (const VtrTraceTypes *types,
                                const VtrTraceType  *type,
                                const guint8        *message,
                                gsize                size,
                                VtrArena            *arena,
                                guint               *n_broken);

/* A field by name, letter case aside. Returns: NULL when it is absent or @self (nullable) is no
 * message. */
VtrGapidValue *vtr_gapid_get (const VtrGapidValue *self,
                              const char          *name);
/* 0 when it is absent or of another kind. Reals are truncated. */
guint64 vtr_gapid_get_number (const VtrGapidValue *self,
                              const char          *name);
/* A NUL-terminated copy; NULL when it is absent. */
char *vtr_gapid_get_text (const VtrGapidValue *self,
                          const char          *name,
                          VtrArena            *arena);

/* Whether @self is a map; an empty one is. */
gboolean vtr_gapid_is_map (const VtrGapidValue *self);

/* One entry of a map. Of numbers and strings .value is NULL where there is none. */
typedef struct
{
  guint64 key; /* 0 for maps by string */
  VtrGapidValue *value;
} VtrGapidEntry;

/* The entries by rising key, of a map or (by position) a list; empty for anything else. Values that
 * are numbers come as nodes of their own. In the arena. */
const VtrGapidEntry *vtr_gapid_list_entries (VtrGapidValue *self,
                                             VtrArena      *arena,
                                             gsize         *n);

/* A memory.Slice. Returns: FALSE when @self is none. */
gboolean vtr_gapid_get_slice (const VtrGapidValue *self,
                              guint64             *pool,
                              guint64             *base,
                              guint64             *size);

G_END_DECLS
