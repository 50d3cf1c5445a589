/* Paths of ranges of memory. Threading: any. */
#pragma once

#include "engine/replay-session/vtr-replay-memory.h"

G_BEGIN_DECLS

#define VTR_MEMORY_TYPE_AUTO "auto" /* .type: what the command's shaders say of that place */

/* The type as which the bytes are to be read, as text. */
typedef struct
{
  char *type; /* NULL: none */
  char *layout;
  guint64 stride; /* 0: the type's */
} VtrMemoryTypeQuery;

void vtr_memory_type_query_clear (VtrMemoryTypeQuery *self);

/* Reads "commands/12@1/memory/41/0x100-0x200?read=replay&type=vec4". What may follow the question mark: read (trace,
 * replay), type, layout (scalar, std430, std140), stride; disable and shader (vtr-picture-edit.h), which say
 * read=replay. @type: (out): clear it. Errors: VTR_RESOLVE_ERROR_PATH. */
gboolean vtr_memory_query_parse (VtrReplaySession    *session,
                                 const char          *path,
                                 VtrMemoryQuery      *out,
                                 VtrMemoryTypeQuery  *type,
                                 GError             **error);

G_END_DECLS
