/* Exports the shaders of a trace as files. */
#pragma once

#include "engine/answers/vtr-answers.h"

G_BEGIN_DECLS

typedef struct
{
  VtrTraceProgress progress;                         /* counts shaders */
  void (*missing) (const char *text, gpointer data); /* a form that is not available, and why */
  gpointer data;
} VtrShaderExportEvents;

/**
 * vtr_shader_export:
 * @folder: is made if it is not there
 * @n: (out) (nullable): how many shaders there are
 *
 * Writes of each shader, by its path, SPIR-V (".spv"), its assembly (".spvasm"), GLSL (".glsl"), reflection
 * (".json") and the source files in it. Blocks; @events is called on this thread. Threading: any.
 */
gboolean vtr_shader_export (VtrAnswers                   *answers,
                            const char                   *folder,
                            const VtrShaderExportEvents  *events,
                            guint                        *n,
                            GCancellable                 *cancellable,
                            GError                      **error);

G_END_DECLS
