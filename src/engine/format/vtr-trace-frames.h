/* Compressed frames: decompression with limits, and a cache of recently decompressed frames. */
#pragma once

#include <gio/gio.h>

#include "engine/format/vtr-trace-layout.h"

G_BEGIN_DECLS

/**
 * vtr_trace_decompress:
 * @raw_size: the size that the frame claims to have; no more is produced
 * @whole: (out): whether all of it is there and its checksum is right
 *
 * Decompresses one zstd frame as far as possible; memory grows with the output, not with the
 * claimed size. Returns: (transfer full) (nullable): NULL without memory. Threading: any.
 */
GBytes *vtr_trace_decompress (const guint8 *data,
                              gsize         size,
                              guint64       raw_size,
                              gboolean     *whole);

/**
 * VtrTraceFrameCache:
 *
 * The frames used last: a sixteenth of the trace's, at least 8 MiB and at most 64. Threading: any.
 */
typedef struct _VtrTraceFrameCache VtrTraceFrameCache;

/* @frames and @data must outlive the cache. */
VtrTraceFrameCache *vtr_trace_frame_cache_new (const guint8        *data,
                                               const VtrTraceFrame *frames,
                                               guint                n_frames);
void vtr_trace_frame_cache_free (VtrTraceFrameCache *self);

/* Returns: (transfer full): the readable part of the frame; NULL with a
 * VTR_TRACE_ERROR_DAMAGED. */
GBytes *vtr_trace_frame_cache_get (VtrTraceFrameCache  *self,
                                   guint                frame,
                                   GError             **error);

G_END_DECLS
