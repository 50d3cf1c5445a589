/* Fields of GAPID's messages by name, one at a time. Threading: any. */
#pragma once

#include "engine/format/vtr-trace-types.h"
#include "wire/vtr-pack-field.h"

G_BEGIN_DECLS

/* The number that a field of @type has on the wire as @value. */
guint64 vtr_gapid_undo_zigzag (const VtrPackField *type,
                               guint64             value);

/* The last value of the field called @name in a message. */
gboolean vtr_gapid_find_field (const VtrPackType   *type,
                               const guint8        *message,
                               gsize                size,
                               const char          *name,
                               const VtrPackField **field,
                               VtrPackFieldValue   *out);

/* Like vtr_gapid_find_field (), for a number; 0 when it is absent. */
guint64 vtr_gapid_find_number (const VtrPackType *type,
                               const guint8      *message,
                               gsize              size,
                               const char        *name);

/* Follows "configuration/drivers/vulkan" through messages. */
gboolean vtr_gapid_find_path (const VtrTraceTypes  *types,
                              const VtrTraceType   *type,
                              const guint8         *message,
                              gsize                 size,
                              const char           *path,
                              const VtrPackField  **field,
                              VtrPackFieldValue    *out);

G_END_DECLS
