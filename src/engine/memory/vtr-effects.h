/* Functions with which an API fills the index of memory during the pass over a trace
 * (src/engine/api/vtr-memory-api.h).
 *
 * Byte spaces are laid out in one row of addresses, space after space, so that one interval index serves all.
 * Threading: the worker that makes the pass. */
#pragma once

#include "base/vtr-buffer.h"
#include "engine/format/vtr-trace.h"

G_BEGIN_DECLS

/* A byte space in the row. */
typedef struct
{
  guint32 id;   /* object id */
  guint64 base; /* in the row */
  guint64 size; /* the most that it ever has */
} VtrMemorySpace;

/* How sure it is that bytes are written. */
typedef enum
{
  VTR_EFFECT_EXACT, /* all of them are */
  VTR_EFFECT_MAYBE, /* any of them may be */
  VTR_EFFECT_KNOWN, /* all of them are, and the API's fill() says what with */
} VtrCertainty;

typedef struct _VtrEffects VtrEffects;

/* The command under way: its flat index. */
guint64 vtr_effects_get_index (const VtrEffects *self);
/* Decodes it, until the next command. FALSE: it cannot be read. */
gboolean vtr_effects_decode (VtrEffects *self,
                             VtrCommand *out);

/* Object @space is a byte space of at most @size bytes. Spaces come in the order of their ids. Returns: FALSE: the row has
 * no room for it. */
gboolean vtr_effects_add_space (VtrEffects *self,
                                guint32     space,
                                guint64     size);
/* (element-type VtrMemorySpace): all so far, ids ascending. */
GArray *vtr_effects_get_spaces (VtrEffects *self);

/* The command, which is in no list, writes these bytes of a space. Bytes beyond the end of the
 * space are left out. */
void vtr_effects_write (VtrEffects   *self,
                        guint32       space,
                        guint64       offset,
                        guint64       size,
                        VtrCertainty  certainty);
/* From the command on, until command @last is done, the driver may write these bytes of the program's own memory at any
 * time. */
void vtr_effects_write_until (VtrEffects *self,
                              guint64     address,
                              guint64     size,
                              guint64     last);

/* Where lists of events are kept (VtrMemoryEvents). */
VtrBuffer *vtr_effects_get_store (VtrEffects *self);
/* The command makes @run (vtr_timeline_get_run ()) happen, with the stored list at @events. @exact, @maybe:
 * (element-type VtrRange): all that it writes, sorted and disjoint, in the row. */
void vtr_effects_add_run (VtrEffects   *self,
                          guint32       run,
                          guint32       events,
                          const GArray *exact,
                          const GArray *maybe);

G_END_DECLS
