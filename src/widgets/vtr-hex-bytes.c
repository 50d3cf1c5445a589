/* Keeps the bytes that the Memory pane has loaded of a range, and says which of the visible ones
 * are missing. */
#include "widgets/vtr-hex-bytes.h"

/* The most pieces that are kept: 16 MiB. */
#define MAX_PIECES 1024

static gpointer
key (guint64 offset)
{
  return GSIZE_TO_POINTER ((gsize)(offset / VTR_HEX_PIECE));
}

void
vtr_hex_bytes_init (VtrHexBytes *self)
{
  self->pieces =
    g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify)vtr_memory_view_unref);
  self->asked = g_hash_table_new (NULL, NULL);
}

void
vtr_hex_bytes_finish (VtrHexBytes *self)
{
  g_clear_pointer (&self->pieces, g_hash_table_unref);
  g_clear_pointer (&self->asked, g_hash_table_unref);
}

void
vtr_hex_bytes_clear (VtrHexBytes *self)
{
  g_hash_table_remove_all (self->pieces);
  g_hash_table_remove_all (self->asked);
}

void
vtr_hex_bytes_put (VtrHexBytes   *self,
                   VtrMemoryView *view)
{
  if (g_hash_table_size (self->pieces) > MAX_PIECES)
    g_hash_table_remove_all (self->pieces);
  for (guint64 at = view->offset / VTR_HEX_PIECE * VTR_HEX_PIECE; at < view->offset + view->size;
       at += VTR_HEX_PIECE)
    {
      g_hash_table_remove (self->asked, key (at));
      g_hash_table_insert (self->pieces, key (at), vtr_memory_view_ref (view));
    }
}

void
vtr_hex_bytes_give_up (VtrHexBytes *self,
                       guint64      offset,
                       guint64      size)
{
  for (guint64 at = offset / VTR_HEX_PIECE * VTR_HEX_PIECE; at < offset + size;
       at += VTR_HEX_PIECE)
    g_hash_table_remove (self->asked, key (at));
}

gboolean
vtr_hex_bytes_next_missing (VtrHexBytes *self,
                            guint64      first,
                            guint64      end,
                            guint64     *offset)
{
  for (guint64 at = first / VTR_HEX_PIECE * VTR_HEX_PIECE; at < end; at += VTR_HEX_PIECE)
    {
      if (g_hash_table_contains (self->pieces, key (at)) ||
          g_hash_table_contains (self->asked, key (at)))
        continue;
      g_hash_table_add (self->asked, key (at));
      *offset = at;
      return TRUE;
    }
  return FALSE;
}

static const VtrMemorySpan *
find_span (const VtrMemoryView *view,
           guint64              offset)
{
  guint low = 0, high = view->spans->len;

  while (low < high)
    {
      guint middle = (low + high) / 2;
      const VtrMemorySpan *span = &g_array_index (view->spans, VtrMemorySpan, middle);

      if (span->offset + span->size <= offset)
        low = middle + 1;
      else
        high = middle;
    }
  return low < view->spans->len ? &g_array_index (view->spans, VtrMemorySpan, low) : NULL;
}

const VtrMemorySpan *
vtr_hex_bytes_get (VtrHexBytes *self,
                   guint64      offset,
                   guint8      *byte)
{
  const VtrMemoryView *view = g_hash_table_lookup (self->pieces, key (offset));

  if (view == NULL || offset < view->offset || offset - view->offset >= view->size)
    return NULL;
  *byte = ((const guint8 *)g_bytes_get_data (view->bytes, NULL))[offset - view->offset];
  return find_span (view, offset);
}

gboolean
vtr_hex_bytes_copy (VtrHexBytes *self,
                    guint64      offset,
                    guint64      size,
                    guint8      *out)
{
  for (guint64 i = 0; i < size; i++)
    {
      const VtrMemorySpan *span = vtr_hex_bytes_get (self, offset + i, &out[i]);

      if (span == NULL || !span->known)
        return FALSE;
    }
  return TRUE;
}

char *
vtr_hex_format (const VtrMemoryView *view,
                VtrHexFormat         as)
{
  GString *text = g_string_new (NULL);
  gsize size;
  const guint8 *bytes = g_bytes_get_data (view->bytes, &size);

  if (as == VTR_HEX_C)
    g_string_append_printf (text, "const unsigned char bytes[%" G_GSIZE_FORMAT "] = {", size);
  for (gsize i = 0; i < size; i++)
    if (as == VTR_HEX_TEXT)
      g_string_append_c (text, bytes[i] >= 0x20 && bytes[i] < 0x7f ? (char)bytes[i] : '.');
    else if (as == VTR_HEX_C)
      g_string_append_printf (text, "%s0x%02x,", i % 12 == 0 ? "\n  " : " ", bytes[i]);
    else
      g_string_append_printf (text, "%s%02x", i == 0 ? "" : i % 16 == 0 ? "\n"
                                                                        : " ",
                              bytes[i]);
  if (as == VTR_HEX_C)
    g_string_append (text, "\n};\n");
  return g_string_free (text, FALSE);
}
