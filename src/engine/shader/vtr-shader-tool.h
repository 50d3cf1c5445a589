/* The operations of the shader tool on one module. They run in a process of their own
 * (vtr-shader-tool.c): the compilers below were not written for hostile modules. */
#pragma once

#include <glib.h>

#include "engine/shader/vtr-shader-stage.h"

G_BEGIN_DECLS

typedef struct
{
  const guint32 *words; /* in the machine's order */
  gsize n_words;
  const char *entry;    /* NULL: the first one */
  VtrShaderStage stage; /* 0: any */
} VtrShaderJob;

/* Each appends to @out. Returns: FALSE with the compiler's own words in @message. Threading: one
   at a time. */
gboolean vtr_shader_tool_validate (const VtrShaderJob  *job,
                                   char               **message);
gboolean vtr_shader_tool_disassemble (const VtrShaderJob  *job,
                                      GString             *out,
                                      char               **message);
/* Text → words as bytes. */
gboolean vtr_shader_tool_assemble (const char  *text,
                                   gsize        length,
                                   GString     *out,
                                   char       **message);
gboolean vtr_shader_tool_glsl (const VtrShaderJob  *job,
                               GString             *out,
                               char               **message);
/* JSON; FORMAT.md, "Shader reflection". */
gboolean vtr_shader_tool_reflect (const VtrShaderJob  *job,
                                  GString             *out,
                                  char               **message);

G_END_DECLS
