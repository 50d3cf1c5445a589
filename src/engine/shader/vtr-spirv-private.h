/* How the files of this folder walk through the words of a SPIR-V module. */
#pragma once

#include "engine/shader/vtr-spirv.h"

G_BEGIN_DECLS

#define VTR_SPIRV_HEADER_WORDS 5
/* Ids index tables; the specification's universal limit is 4 194 303. */
#define VTR_SPIRV_MAX_BOUND (4u << 20)

/* The words in the machine's order, with a header at least. Errors: VTR_SHADER_ERROR_DAMAGED when it
   is no SPIR-V. (transfer full) */
guint32 *vtr_spirv_copy_words (GBytes  *code,
                               gsize   *n_words,
                               GError **error);

G_END_DECLS
