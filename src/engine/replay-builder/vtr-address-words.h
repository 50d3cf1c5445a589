/* Device addresses in memory that several writes put together.
 *
 * Two writes may each bring half of an address, or one may change half of it. So the words that
 * held addresses are remembered, as the program wrote them, and so are the ends of writes that
 * do not end on a whole word. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * VtrAddressWords:
 *
 * Of all memory. Words are 8 bytes, numbered from the start of their memory. Threading: one at a
 * time; reference-counted.
 */
typedef struct _VtrAddressWords VtrAddressWords;

/* @base: (nullable): what came before; it is not changed, and must not change any more. */
VtrAddressWords *vtr_address_words_new (VtrAddressWords *base);
VtrAddressWords *vtr_address_words_ref (VtrAddressWords *self);
void vtr_address_words_unref (VtrAddressWords *self);

/* @memory is new: nothing is known of it. */
void vtr_address_words_forget (VtrAddressWords *self,
                               guint64          memory);

/* Words [@first, @end) have been written whole, and none of them contains an address, except those
 * that vtr_address_words_put() adds later. */
void vtr_address_words_clear (VtrAddressWords *self,
                              guint64          memory,
                              guint64          first,
                              guint64          end);
void vtr_address_words_put (VtrAddressWords *self,
                            guint64          memory,
                            guint64          word,
                            guint64          value);

typedef struct
{
  guint64 value; /* as the program wrote it, as far as it is known */
  guint8 known;  /* a bit for each of its bytes */
  gboolean was;  /* it held an address before */
} VtrAddressWord;

/* Notes that @n bytes of a word, from its byte @at on, were written. Returns: the value of the
 * word. */
VtrAddressWord vtr_address_words_merge (VtrAddressWords *self,
                                        guint64          memory,
                                        guint64          word,
                                        guint            at,
                                        const guint8    *bytes,
                                        guint            n);

G_END_DECLS
