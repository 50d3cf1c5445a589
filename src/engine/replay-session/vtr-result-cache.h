/* Results of replays on disk, in $XDG_CACHE_HOME/vitrine/results. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * VtrResultCache:
 *
 * Bytes by key. A key names everything that a result depends on: the contents of the trace, the
 * device and its driver, the programs that replay, the request. An entry is a file, written as a
 * whole or not at all, with its key and a checksum in it: an entry that does not match is removed
 * and not used. When it grows beyond its limit, the entries that were not asked for longest go.
 * VITRINE_NO_CACHE: nothing is read or written. Threading: any.
 */

/* Most bytes that the files take. */
#define VTR_RESULT_CACHE_BYTES (512ull << 20)

/* Whether anything is kept at all. */
gboolean vtr_result_cache_is_on (void);

/* (transfer full) (nullable) */
GBytes *vtr_result_cache_load (const char *key);

/* Failures are ignored: the next request is replayed again. */
void vtr_result_cache_store (const char *key,
                             GBytes     *bytes);

G_END_DECLS
