/* A SPIRV-Cross compiler set up for one entry point. */
#pragma once

#include "engine/shader/vtr-shader-tool.h"

#include <spirv_cross_c.h>

G_BEGIN_DECLS

typedef struct
{
  spvc_context context;
  spvc_compiler compiler;
  SpvExecutionModel model;
  const char *entry;
} VtrShaderCross;

/* FALSE with the reason in @message. finish() is due in either case. */
gboolean vtr_shader_cross_init (VtrShaderCross      *self,
                                const VtrShaderJob  *job,
                                spvc_backend         backend,
                                char               **message);
void vtr_shader_cross_finish (VtrShaderCross *self);
/* Takes the library's last message. Returns: FALSE. */
gboolean vtr_shader_cross_fail (VtrShaderCross  *self,
                                char           **message);
/* VtrShaderStage of an execution model; 0: none. */
VtrShaderStage vtr_shader_cross_stage (SpvExecutionModel model);

G_END_DECLS
