/* The loaded bytes of a memory range, which may be far too large to load whole. */
#pragma once

#include "engine/memory/vtr-memory.h"

G_BEGIN_DECLS

/* Bytes are requested and kept in pieces of this size, aligned to it. */
#define VTR_HEX_PIECE 16384

/**
 * VtrHexBytes:
 *
 * Pieces of one byte space, each from the newest view that covers it. Threading: main.
 */
typedef struct
{
  GHashTable *pieces; /* number → VtrMemoryView */
  GHashTable *asked;  /* numbers under way */
} VtrHexBytes;

void vtr_hex_bytes_init (VtrHexBytes *self);
void vtr_hex_bytes_finish (VtrHexBytes *self);
/* Drops all pieces. Pieces that are being loaded count as not requested. */
void vtr_hex_bytes_clear (VtrHexBytes *self);

/* Takes the pieces that @view covers. Pieces at the ends of the byte space may be shorter. */
void vtr_hex_bytes_put (VtrHexBytes   *self,
                        VtrMemoryView *view);
/* Marks the pieces from @offset on as not requested, because loading them failed. */
void vtr_hex_bytes_give_up (VtrHexBytes *self,
                            guint64      offset,
                            guint64      size);
/* Finds the next piece of [@first, @end) that is neither loaded nor requested, and marks it as
   requested. Returns: FALSE if there is none. */
gboolean vtr_hex_bytes_next_missing (VtrHexBytes *self,
                                     guint64      first,
                                     guint64      end,
                                     guint64     *offset);

/* Reads one byte. Returns: the span that says who wrote it; NULL: it is not loaded. */
const VtrMemorySpan *vtr_hex_bytes_get (VtrHexBytes *self,
                                        guint64      offset,
                                        guint8      *byte);
/* Copies [@offset, @offset + @size). Returns: FALSE unless all of these bytes are loaded and
 * known. */
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
