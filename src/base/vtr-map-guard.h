/* Guards mapped files that somebody else can truncate: a captured program has the descriptor of
 * its ring, and a trace may be overwritten while it is open. Reading pages that no longer exist
 * raises SIGBUS, which would end the process. In a guarded mapping such pages read as zeros
 * instead, and the reader finds the data invalid.
 *
 * The first guard installs a handler for SIGBUS; signals that do not concern a guarded mapping
 * go on to the previous handler. Not for libraries in other programs' processes. Threading: any. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/**
 * vtr_map_guard_add:
 * @start: the start of a mapping, or MAP_FAILED
 *
 * Returns: a number for the functions below; -1 when there are too many: then it is not guarded.
 */
int vtr_map_guard_add (const void *start,
                       size_t      size);

/* Ends the guard; call it before the mapping is unmapped. -1 is ignored. */
void vtr_map_guard_remove (int guard);

/* Whether a page was read that no longer exists. */
bool vtr_map_guard_is_lost (int guard);
