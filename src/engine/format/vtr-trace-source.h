/* Reading trace files that another tool made. */
#pragma once

#include "engine/format/vtr-content-record.h"
#include "engine/format/vtr-trace.h"
#include "wire/vtr-pack.h"

G_BEGIN_DECLS

/**
 * VtrTraceSource:
 *
 * Functions with which VtrTrace reads a file that Vitrine did not write. Files of Vitrine's own
 * have no source.
 *
 * A room that can read such files defines one, and names it in `trace_sources` in its meson.build. The
 * build makes vtr_trace_sources[] of these names, so every program that links the engine has them
 * all, and src/engine/format includes no header of theirs.
 *
 * Threading: @open is called once, before any other thread has the trace. Then @decode, @get_writes and
 * @get_resource_field are called by any thread, and must change nothing; @free comes last.
 */
typedef struct
{
  /* Whether this source reads the file, by its first bytes. The first source that says so gets it. */
  gboolean (*matches) (const guint8 *data,
                       gsize size);

  /* Reads the file at .data once. Fills .types, .tables (initial commands first, with their flag),
   * .resources and .info, what the API keeps (vtr-trace-describe.h), and .warning if something is missing. What only the source
   * understands goes to .source_data.
   * Returns: FALSE with @error (of VTR_TRACE_ERROR, or G_IO_ERROR_CANCELLED). */
  gboolean (*open) (VtrTrace *trace,
                    VtrTraceProgress progress,
                    gpointer progress_data,
                    GCancellable *cancellable,
                    GError **error);

  /* Fills .args, .decoded (with the observations), .has_result and .result of *@out, in @arena; the other
   * fields are set already. @index: of a command of the trace, initial ones included. */
  gboolean (*decode) (VtrTrace *trace,
                      guint64 index,
                      VtrArena *arena,
                      VtrCommand *out,
                      GError **error);

  /* The contents of memory and images that the device sees from command @index on, in the order in which
   * they are written. *@out: (array length=return): in @arena, with its .data. Those that cannot be read
   * are left out. */
  gsize (*get_writes) (VtrTrace *trace,
                       guint64 index,
                       VtrArena *arena,
                       const VtrContentRecord **out);

  /* The number of the field that holds the bytes of a resource. Returns: 0 when @chunk is no resource. */
  guint32 (*get_resource_field) (VtrTrace *trace,
                                 const VtrPackChunk *chunk);

  /* Frees .source_data; called if that is not NULL, also after @open failed. */
  void (*free) (gpointer source_data);
} VtrTraceSource;

/* All sources of this build, ended by NULL. */
extern const VtrTraceSource *const vtr_trace_sources[];

G_END_DECLS
