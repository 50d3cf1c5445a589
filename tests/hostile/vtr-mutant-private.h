/* The common part of the mutator's two files: changes of numbers and bytes (vtr-mutant.c), and
 * changes of whole calls (vtr-mutant-acts.c).
 *
 * Threading: one at a time. */
#pragma once

#include "vtr-mutant.h"

#include "wire/vtr-pack-field.h"
#include "wire/vtr-pack.h"

G_BEGIN_DECLS

/* A chunk of the container. */
typedef struct
{
  VtrPackChunkKind kind;
  gint64 parent;
  guint64 type;
  const char *name; /* of a definition, or of the object's type */
  GBytes *message;
  gboolean is_command;
} Chunk;

struct _VtrMutantSource
{
  GArray *chunks; /* of Chunk */
  GStringChunk *names;
  GPtrArray *types; /* names, by index - 1 */
  GArray *pool;     /* of guint64: handles, addresses, sizes that are in the trace */
  GArray *objects;  /* of guint: places of what can be changed */
  GPtrArray *kinds; /* of GArray of guint: the same by type, so that rare types are changed too */
  GHashTable *kinds_by_name;
  gboolean is_vitrine; /* of Vitrine: compressed in frames */
};

typedef struct
{
  guint32 number;
  VtrPackWire wire;
  guint64 value;
  GByteArray *bytes;
} Field;

typedef struct
{
  const VtrMutantSource *source;
  GRand *rand;
  GString *story;
} Mutator;

/* Fields of a message; an array of Field (transfer full). */
GArray *vtr_mutant_split (const guint8 *at,
                          gsize         size);
/* The message of @chunk becomes what @fields say. */
void vtr_mutant_replace (Chunk  *chunk,
                         GArray *fields);
Chunk vtr_mutant_copy (const Chunk *chunk);
gboolean vtr_mutant_is_movable (const Chunk *chunk);
guint vtr_mutant_below (Mutator *self,
                        guint    limit);
guint64 vtr_mutant_pick_number (Mutator *self);

/* A file of all of @chunks: without compression, or as Vitrine writes one that it did not complete.
 * (transfer full) */
GByteArray *vtr_mutant_write_plain (const GArray *chunks);
GByteArray *vtr_mutant_write_compressed (const GArray *chunks);

/* One change at or near @place of @chunks that no single number makes. */
void vtr_mutant_act (Mutator *self,
                     GArray  *chunks,
                     guint    place);

G_END_DECLS
