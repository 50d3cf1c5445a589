/* The loaded bytes of a memory range, which may be far too large to load whole. */
#pragma once

#include "engine/vulkan/memory/vtr-memory.h"

G_BEGIN_DECLS

/* Bytes are asked for and kept in pieces of this size, at multiples of it. */
#define VTR_HEX_PIECE 16384

/**
 * VtrHexBytes:
 *
 * Pieces of one pool, each from the view that came last for it. Threading: main.
 */
typedef struct
{
  GHashTable *pieces; /* number → VtrMemoryView */
  GHashTable *asked;  /* numbers under way */
} VtrHexBytes;

void vtr_hex_bytes_init (VtrHexBytes *self);
void vtr_hex_bytes_finish (VtrHexBytes *self);
/* Forgets all; what is under way will be taken for new. */
void vtr_hex_bytes_clear (VtrHexBytes *self);

/* Takes over the pieces that @view fills; those at its ends may be cut short by those of the
 * pool. */
void vtr_hex_bytes_put (VtrHexBytes   *self,
                        VtrMemoryView *view);
/* Nothing came for the pieces from @offset on. */
void vtr_hex_bytes_give_up (VtrHexBytes *self,
                            guint64      offset,
                            guint64      size);
/* The next piece of [@first, @end) that is neither there nor asked for, and marks it asked for.
   Returns: FALSE when there is none. */
gboolean vtr_hex_bytes_next_missing (VtrHexBytes *self,
                                     guint64      first,
                                     guint64      end,
                                     guint64     *offset);

/* One byte. Returns: what it is; NULL when it is not there. */
const VtrMemorySpan *vtr_hex_bytes_get (VtrHexBytes *self,
                                        guint64      offset,
                                        guint8      *byte);
/* Copies [@offset, @offset + @size). Returns: FALSE when not all of it is there and known. */
gboolean vtr_hex_bytes_copy (VtrHexBytes *self,
                             guint64      offset,
                             guint64      size,
                             guint8      *out);

typedef enum
{
  VTR_HEX_HEX,
  VTR_HEX_TEXT,
  VTR_HEX_C,
} VtrHexFormat;

/* For the clipboard: "0a 1b …" in lines of sixteen, printable characters, or an array. (transfer
   full) */
char *vtr_hex_format (const VtrMemoryView *view,
                      VtrHexFormat         as);

G_END_DECLS
