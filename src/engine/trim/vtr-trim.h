/* Leaves out of a trace from the middle of a run what its frames have no use for. */
#pragma once

#include "engine/format/vtr-trace.h"

G_BEGIN_DECLS

/* Objects that lived when the recording began, and commands that make them. */
typedef struct
{
  guint64 objects_before, objects_after;
  guint64 commands_before, commands_after;
  guint64 bytes_before, bytes_after; /* of the file */
} VtrTrimFacts;

/**
 * vtr_trim:
 * @path: a complete trace
 * @output: where the trimmed one goes; may be @path, which is replaced when all is done
 *
 * Keeps the initial commands without which a call of the program would miss something, and the contents
 * of memory and images that these objects have. A trace from launch has no initial commands: it is
 * written as it is. Blocks. Errors: as of opening and of vtr_trace_rewrite(). Threading: any.
 */
gboolean vtr_trim (const char    *path,
                   const char    *output,
                   VtrTrimFacts  *facts,
                   GCancellable  *cancellable,
                   GError       **error);

G_END_DECLS
