/* Fills native structures from messages of GAPID's state, by the names of their members. */
#pragma once

#include "engine/gapid/vtr-gapid-value.h"

G_BEGIN_DECLS

/**
 * VtrGapidFiller:
 *
 * What filling needs besides the tables. Members match fields by name, letter case and a leading
 * "p" of pointers aside (.pCreateInfo, CreateInfo), plus a short list of other names. Maps become
 * arrays by rising key, and set the count beside them.
 *
 * Threading: one at a time.
 */
typedef struct
{
  VtrArena *arena;
  gpointer data;
  /* The handle of an object: @object is its node, or NULL and @number its value. 0: there is no
   * such object; sets .incomplete. */
  guint64 (*handle) (gpointer data,
                     VtrHandleId type,
                     VtrGapidValue *object,
                     guint64 number);
  /* The content of a memory.Slice. Returns: NULL when it was not recorded. */
  const guint8 *(*slice) (gpointer             data,
                          const VtrGapidValue *slice,
                          gsize               *size);
  gboolean incomplete; /* an object or content was missing since the caller cleared this */
} VtrGapidFiller;

/* Fills *@to, which is zeroed and of struct @id, from @from; sets .sType, leaves .pNext. */
void vtr_gapid_fill_struct (VtrGapidFiller *self,
                            VtrStructId     id,
                            VtrGapidValue  *from,
                            void           *to);

/* Fills the arguments of a call from the message of its arguments. Parameters that point to a
 * structure which the message does not name get the structure filled from the message itself. */
void vtr_gapid_fill_args (VtrGapidFiller *self,
                          VtrCmdId        id,
                          VtrGapidValue  *from,
                          void           *to);

/* An array of structs from a map or list. Returns: NULL when it is empty. */
void *vtr_gapid_fill_array (VtrGapidFiller *self,
                            VtrStructId     id,
                            VtrGapidValue  *from,
                            guint32        *n);

G_END_DECLS
